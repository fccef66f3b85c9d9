"""The documentation site: pages generated from the code, the build, and a browser."""

import doctest
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from browser import DESKTOP, PHONE, list_grave_faults, open_browser, set_screen
from docs_pages import load_site_code

from spacy_sentid.cli import list_commands

pytestmark = pytest.mark.usefixtures("light_processes")

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
COMMANDS = list_commands()
# Pages for people, apart from those of all modules.
READ = [str(Path(page).with_suffix(".html")) for page in [*PAGES, "changelog.md", "commands.md"]]
# Pages of each kind, which axe-core checks.
SEEN = [
    "index.html", "start/install.html", "start/first_result.html", "start/choose_settings.html",
    "guides/tour.html", "guides/train.html", "reference/api.html",
    "reference/sentence_identifier.html", "commands.html", "gallery.html", "results.html",
    "papers.html", "faq.html", "glossary.html", "changelog.html", "api/sentence_identifier.html",
]  # fmt: skip
# What is wrong with the layout of a page: parts that are wider than the page, tables without a box
# that scrolls, and boxes that scroll only with a mouse.
LAYOUT_FAULTS = """
    const faults = [], width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width) faults.push("the page scrolls sideways");
    const boxes = ".md-typeset__scrollwrap, pre, svg";
    for (const part of document.querySelectorAll(".md-content *")) {
        const {right, width: own} = part.getBoundingClientRect();
        if (own && right > width + 1 && !part.closest(boxes)) faults.push(part.outerHTML);
    }
    for (const table of document.querySelectorAll(".md-content table:not([class])")) {
        const box = table.closest(".md-typeset__scrollwrap");
        if (!box || getComputedStyle(box).overflowX != "auto") faults.push(table.outerHTML);
    }
    for (const box of document.querySelectorAll(".md-typeset__scrollwrap, pre > code")) {
        const scrolls = box.scrollWidth > box.clientWidth + 1;
        if (scrolls && box.tabIndex != 0) faults.push(box.outerHTML);
    }
    return faults.map((fault) => fault.slice(0, 200));
"""


@pytest.mark.parametrize("name", ["command_page", "docstrings"])
def test_examples_of_the_site_code_hold(name: str) -> None:
    if name == "docstrings":
        pytest.importorskip("griffe", reason="no mkdocstrings: pip install -e '.[docs]'")
    failed, tried = doctest.testmod(load_site_code(name))
    assert tried
    assert not failed


def test_examples_and_tables_of_docstrings_become_code() -> None:
    pytest.importorskip("griffe", reason="no mkdocstrings: pip install -e '.[docs]'")
    convert = load_site_code("docstrings").markdown_from_docstring
    assert convert(">>> f(1)\n2") == "```pycon\n>>> f(1)\n2\n```"
    assert convert("one    first\ntwo    second") == "```text\none    first\ntwo    second\n```"


SHOWN = list(COMMANDS.items())


class Option(NamedTuple):
    """An option on the page of commands."""

    names: list[str]  # ["-o", "--output"]
    values: str  # "paragraph|break|ignore"
    notes: str  # "required"


@pytest.fixture(scope="module")
def groups() -> list[str]:
    """The groups of the page of commands, each with its text."""
    first, *texts = load_site_code("command_page").format_commands().split("\n## ")
    assert first.startswith("# Commands\n")
    return texts


@pytest.fixture(scope="module")
def sections(groups: list[str]) -> dict[str, str]:
    """Sections of the page of commands, by command."""
    texts = [text for group in groups for text in group.split("\n### ")[1:]]
    return {text.partition("\n")[0]: text for text in texts}


def test_the_page_of_commands_has_every_command(sections: dict[str, str]) -> None:
    assert sorted(sections) == sorted(name for name, _ in SHOWN)


def test_commands_are_grouped_by_their_first_word(groups: list[str]) -> None:
    first, *others = [re.findall("^### (.*)$", group, flags=re.MULTILINE) for group in groups]
    assert first == [name for name, _ in SHOWN if " " not in name]
    for group, names in zip(groups[1:], others, strict=True):
        assert names
        assert {name.split()[0] for name in names} == {group.partition(":")[0]}


def test_the_index_of_commands_links_to_every_section(sections: dict[str, str]) -> None:
    intro = load_site_code("command_page").format_commands().partition("\n## ")[0]
    linked = re.findall(r'<dt><a href="#([\w-]+)"><code>([^<]+)</code></a></dt><dd>\S', intro)
    assert [name for _, name in linked] == list(sections)
    assert all(anchor == name.replace(" ", "-") for anchor, name in linked)


def read_options(section: str) -> list[Option]:
    """Read the definition lists of a section."""
    rows = re.findall(
        r"^<dt><code>(.*?)</code>(?: <var>(.*?)</var>)?</dt>\n"
        r"<dd>\S.*?(?: <small>(.*)</small>)?</dd>$",
        section,
        flags=re.MULTILINE,
    )
    return [
        Option(re.split(", | / ", names), values.replace("<wbr>", ""), notes)
        for names, values, notes in rows
    ]


@pytest.mark.parametrize(("name", "command"), SHOWN, ids=[name for name, _ in SHOWN])
def test_the_page_of_commands_has_every_option(
    name: str, command: Any, sections: dict[str, str]
) -> None:
    rows = read_options(sections[name])
    assert len(rows) == sections[name].count("<dt>")
    context = command.context_class(command)
    params = [param for param in command.params if not param.hidden]
    assert len(rows) == len(params)
    for param in params:
        wanted = {*param.opts, *param.secondary_opts}
        if param.param_type_name == "option":
            (row,) = [row for row in rows if wanted <= set(row.names)]
        else:
            record = param.get_help_record(context)[0].split()
            (row,) = [row for row in rows if row.names == record[:1]]
        assert ("required" in row.notes) is param.required
        if isinstance(param.default, Enum):
            assert "|".join(item.value for item in type(param.default)) in row.values
            assert f"default: {param.default.value}" in row.notes


def test_code_in_the_help_stays_code() -> None:
    format_text = load_site_code("command_page").format_text
    assert format_text("`a_b` and c_d <e>") == "<code>a_b</code> and c_d &lt;e&gt;"


def test_the_api_has_a_page_for_every_folder_with_docstrings() -> None:
    pages = {page.folder: page for page in load_site_code("hooks").list_api_pages()}
    assert "spacy_sentid.units" in pages["spacy_sentid"].modules
    assert (
        "spacy_sentid.word_segmenter.speech.pauses"
        in pages["spacy_sentid.word_segmenter.speech"].modules
    )
    assert not any(".cli" in folder for folder in pages)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    pytest.importorskip("material", reason="no mkdocs-material: pip install -e '.[docs]'")
    folder = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_site_builds_with_all_pages(site: Path) -> None:
    for page in [*PAGES, "commands.md", "api/spacy_sentid.md", "api/sentence_identifier.md"]:
        assert (site / page).with_suffix(".html").is_file()
    assert "decode_bos_eos" in (site / "api" / "sentence_identifier.html").read_text(
        encoding="utf8"
    )


@pytest.mark.slow
def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    pattern = re.compile(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"?(?:https?:)?//[^>]*>")
    for file in site.rglob("*.html"):
        assert not pattern.findall(file.read_text(encoding="utf8")), file.name
    for file in site.rglob("*.css"):
        assert "url(http" not in file.read_text(encoding="utf8"), file.name


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    """A browser without network access. It opens pages from disk."""
    with open_browser() as driver:
        yield driver


@pytest.mark.slow
@pytest.mark.parametrize("page", SEEN)
@pytest.mark.parametrize(
    ("size", "scheme"), [(DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "light")]
)
def test_a_page_opens_from_disk_without_errors(
    page: str, size: tuple[int, int], scheme: str, site: Path, driver: Any
) -> None:
    set_screen(driver, size, scheme=scheme)
    driver.get((site / page).as_uri())
    time.sleep(1)  # wait for the theme's scripts
    assert driver.get_log("browser") == []
    background = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", background)[:3])) < 384) is (scheme == "dark")
    assert list_grave_faults(driver) == []
    driver.get_log("browser")  # discard the messages of axe-core


@pytest.mark.slow
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize("page", READ)
def test_a_page_fits_the_screen(page: str, size: tuple[int, int], site: Path, driver: Any) -> None:
    set_screen(driver, size)
    driver.get((site / page).as_uri())
    time.sleep(0.3)  # wait for the theme's scripts
    assert driver.execute_script(LAYOUT_FAULTS) == []
    assert driver.get_log("browser") == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("start/first_result.html", ["terminal", "serve"]),
        ("guides/mailbox.html", ["view"]),
        ("guides/train.html", ["errors"]),
        ("guides/score.html", ["pairs"]),
    ],
)
def test_pictures_follow_the_mode(
    page: str, names: list[str], scheme: str, site: Path, driver: Any
) -> None:
    set_screen(driver, scheme=scheme)
    driver.get((site / page).as_uri())
    images = driver.find_elements("css selector", ".md-content img")
    shown = [image for image in images if image.is_displayed()]
    assert len(images) == 2 * len(names)
    wanted = [f"{name}-{scheme}.webp" for name in names]
    assert [Path(image.get_attribute("src").partition("#")[0]).name for image in shown] == wanted
    for image in shown:
        driver.execute_script("arguments[0].scrollIntoView()", image)
        assert driver.execute_script("return arguments[0].naturalWidth", image)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "firsts"),
    [
        ("install", ["start/install.html"]),
        ("mailbox", ["guides/mailbox.html"]),
        ("newline", ["start/choose_settings.html"]),
        ("tables in pdf", ["start/choose_settings.html", "faq.html"]),
    ],
)
def test_search_works_from_disk(words: str, firsts: list[str], site: Path, driver: Any) -> None:
    set_screen(driver)
    driver.get((site / "index.html").as_uri())
    time.sleep(1)
    box = driver.find_element("css selector", ".md-search__input")
    box.click()
    box.send_keys(words)
    for _ in range(50):
        found = driver.find_elements("css selector", ".md-search-result__link")
        if found:
            break
        time.sleep(0.2)
    first = found[0].get_attribute("href").partition("?")[0].partition("#")[0]
    assert first in [(site / page).as_uri() for page in firsts]

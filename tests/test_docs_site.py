"""The documentation site: pages generated from the code, the build, and a browser."""

import doctest
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from browser import DESKTOP, PHONE, list_grave_faults, open_browser, set_screen
from docs_pages import load_site_code

from spacy_sentid.cli import list_commands

pytestmark = pytest.mark.usefixtures("light_processes")

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
COMMANDS = list_commands()
SEEN = ["index.html", "guides/tour.html", "papers.html", "commands.html", "api/study.html"]


@pytest.mark.parametrize("name", ["hooks", "docstrings"])
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


@pytest.fixture(scope="module")
def sections() -> dict[str, str]:
    """Sections of the page of commands, by command."""
    first, *texts = load_site_code("hooks").format_commands().split("\n## ")
    assert first.endswith("prints the same.\n")
    return {text.partition("\n")[0]: text for text in texts}


def test_the_page_of_commands_has_every_command(sections: dict[str, str]) -> None:
    assert list(sections) == [name for name, _ in SHOWN]


@pytest.mark.parametrize(("name", "command"), SHOWN, ids=[name for name, _ in SHOWN])
def test_the_page_of_commands_has_every_option(
    name: str, command: Any, sections: dict[str, str]
) -> None:
    rows = [line for line in sections[name].splitlines() if line.startswith("| `")]
    params = [param for param in command.params if not param.hidden]
    assert len(rows) == len(params)
    for row, param in zip(rows, params, strict=True):
        names, _, text = row.strip("| ").partition("` | ")
        if param.param_type_name == "option":
            assert {*param.opts, *param.secondary_opts} <= set(re.split("[`, /]+", names))
        assert ("[required]" in text) is param.required
        if isinstance(param.default, Enum):
            assert "|".join(item.value for item in type(param.default)) in names
            assert f"[default: {param.default.value}" in text


def test_code_in_the_help_stays_code() -> None:
    escape_cell = load_site_code("hooks").escape_cell
    assert escape_cell("`a_b` and c_d") == r"`a_b` and c\_d"


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
    width = driver.execute_script("return document.documentElement.scrollWidth")
    assert width <= size[0]
    background = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", background)[:3])) < 384) is (scheme == "dark")
    assert list_grave_faults(driver) == []
    driver.get_log("browser")  # discard the messages of axe-core


@pytest.mark.slow
def test_search_works_from_disk(site: Path, driver: Any) -> None:
    set_screen(driver)
    driver.get((site / "index.html").as_uri())
    time.sleep(1)
    box = driver.find_element("css selector", ".md-search__input")
    box.click()
    box.send_keys("mailbox")
    for _ in range(50):
        found = driver.find_elements("css selector", ".md-search-result__link")
        if found:
            break
        time.sleep(0.2)
    assert any("guides/mailbox.html" in link.get_attribute("href") for link in found)

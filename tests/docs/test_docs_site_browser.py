"""The documentation site, built and opened in a browser: nothing is cut, and search finds pages."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
from browser import DESKTOP, PHONE, list_grave_faults, open_browser, set_screen
from docs_pages import build_site

from spacy_sentid import iter_units, load

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("light_processes")]

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
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
# that scrolls, boxes that scroll only with a mouse or do not say that they scroll, and first
# columns that scroll away or are too narrow.
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
        if (scrolls && !box.classList.contains("wide")) faults.push("no hint: " + box.outerHTML);
    }
    for (const box of document.querySelectorAll(".md-typeset__scrollwrap.wide")) {
        const first = box.querySelector("td");
        const isSticky = first && getComputedStyle(first).position == "sticky";
        if (!isSticky || first.clientWidth < 60) faults.push("first column: " + box.outerHTML);
        const hint = getComputedStyle(box, "::before").content;
        if (!hint.includes("scroll")) faults.push("no hint: " + box.outerHTML);
    }
    return faults.map((fault) => fault.slice(0, 200));
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    return build_site(tmp_path_factory.mktemp("docs") / "site")


def test_the_site_builds_with_all_pages(site: Path) -> None:
    for page in [*PAGES, "commands.md", "api/spacy_sentid.md", "api/sentence_identifier.md"]:
        assert (site / page).with_suffix(".html").is_file()
    assert "decode_bos_eos" in (site / "api" / "sentence_identifier.html").read_text(
        encoding="utf8"
    )


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


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize("page", READ)
def test_a_page_fits_the_screen(page: str, size: tuple[int, int], site: Path, driver: Any) -> None:
    set_screen(driver, size)
    driver.get((site / page).as_uri())
    time.sleep(0.3)  # wait for the theme's scripts
    assert driver.execute_script(LAYOUT_FAULTS) == []
    assert driver.get_log("browser") == []


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


@pytest.mark.parametrize(
    ("words", "firsts"),
    [
        ("install", ["start/install.html"]),
        ("how to install", ["start/install.html"]),
        ("mailbox", ["guides/mailbox.html"]),
        ("newline", ["start/choose_settings.html"]),
        ("tables in pdf", ["start/choose_settings.html", "faq.html"]),
        ("gpu", ["faq.html"]),
        ("nsu", ["glossary.html"]),
        ("strip_nsu", ["reference/api.html"]),
    ],
)
def test_search_finds_the_wanted_page_first(
    words: str, firsts: list[str], site: Path, driver: Any
) -> None:
    assert search(driver, site, words)[0] in firsts


def test_search_does_not_list_pages_of_modules(site: Path, driver: Any) -> None:
    assert not [page for page in search(driver, site, "TokenFinder") if page.startswith("api/")]


def search(driver: Any, site: Path, words: str) -> list[str]:
    """Search from the front page, and list the pages of the results in order."""
    set_screen(driver)
    driver.get((site / "index.html").as_uri())
    time.sleep(1)  # wait for the theme's scripts
    box = driver.find_element("css selector", ".md-search__input")
    box.click()
    box.send_keys(words)
    found: list[str] = []
    for _ in range(30):
        time.sleep(0.3)
        before = found
        links = driver.find_elements("css selector", ".md-search-result__item > a")
        found = [link.get_attribute("href") for link in links]
        if found and found == before:  # the list no longer changes
            break
    root = site.as_uri() + "/"
    return [href.removeprefix(root).partition("?")[0].partition("#")[0] for href in found]


MAIL = """From: Mira Vos
Subject: Boat house

Hi all,

the roof leaks again. We need a ladder
by Friday!

Item      Cost
Ladder    EUR 80

Who can bring one?

Kind regards,
Mira
"""


def test_the_front_page_shows_the_units_that_the_pipelines_find(site: Path, driver: Any) -> None:
    set_screen(driver)
    driver.get((site / "index.html").as_uri())
    script = """
        const read = (unit) => [unit.firstChild.textContent, unit.matches(".su")];
        const figures = [...document.querySelectorAll(".compare figure")];
        return JSON.stringify(figures.map((figure) => [...figure.children].slice(1).map(read)));
    """
    theirs, ours = json.loads(driver.execute_script(script))
    rules = spacy.blank("en")
    rules.add_pipe("sentencizer")
    assert theirs == [[sent.text.strip(), True] for sent in rules(MAIL).sents]
    assert ours == [[unit.text, unit.is_su] for unit in iter_units(load("en")(MAIL))]

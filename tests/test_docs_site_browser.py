"""All pages of the documentation site in a browser: nothing is cut, and search finds pages."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
from browser import DESKTOP, PHONE, open_browser, set_screen
from docs_pages import build_site

from spacy_sentid import iter_units, load

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("light_processes")]

# Pages of modules list signatures that are as wide as they are.
LEFT_OUT = ("api/", "404.html")
# Query -> the page that must be the first result.
WANTED = {
    "install": "start/install.html",
    "how to install": "start/install.html",
    "newline": "start/choose_settings.html",
    "tables in pdf": "start/choose_settings.html",
    "gpu": "faq.html",
    "nsu": "glossary.html",
    "strip_nsu": "reference/api.html",
}
# The page is too wide, a table is wider than its box without a hint, or code without one.
FAULTS = """
const faults = [];
if (document.documentElement.scrollWidth > window.innerWidth) faults.push("the page is too wide");
for (const table of document.querySelectorAll(".md-typeset table:not([class])")) {
  const box = table.closest(".md-typeset__scrollwrap");
  const name = "table " + table.innerText.slice(0, 40);
  if (!box) faults.push(name + ": no box");
  else if (box.scrollWidth > box.clientWidth + 1) {
    const hint = getComputedStyle(box, "::before").content;
    const hasHint = box.matches(".wide[tabindex]") && hint.includes("scroll");
    if (!hasHint) faults.push(name + ": no hint");
    const first = table.querySelector("td");
    if (first && getComputedStyle(first).position !== "sticky") faults.push(name + ": not sticky");
  }
}
for (const code of document.querySelectorAll("pre > code")) {
  if (code.scrollWidth > code.clientWidth + 1 && !code.matches(".wide[tabindex]")) {
    faults.push("code " + code.innerText.slice(0, 40) + ": no hint");
  }
}
for (const element of document.querySelectorAll(".md-content *")) {
  const box = element.getBoundingClientRect();
  if (box.width && box.left < window.innerWidth && box.right > window.innerWidth + 1
      && !element.closest(".md-typeset__scrollwrap, pre, .headerlink, svg, iframe")) {
    faults.push("cut: " + element.tagName + " " + (element.innerText || "").slice(0, 40));
  }
}
return JSON.stringify(faults);
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    return build_site(tmp_path_factory.mktemp("docs") / "site")


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    """A browser without network access. It opens pages from disk."""
    with open_browser() as driver:
        yield driver


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_is_cut_on_any_page(size: tuple[int, int], site: Path, driver: Any) -> None:
    set_screen(driver, size)
    faults = {}
    for file in sorted(site.rglob("*.html")):
        page = file.relative_to(site).as_posix()
        if not page.startswith(LEFT_OUT):
            driver.get(file.as_uri())
            time.sleep(0.3)  # wait for the theme's scripts
            found = json.loads(driver.execute_script(FAULTS))
            if found:
                faults[page] = found
    assert faults == {}


@pytest.mark.parametrize(("query", "page"), WANTED.items(), ids=WANTED)
def test_search_finds_the_wanted_page_first(query: str, page: str, site: Path, driver: Any) -> None:
    assert search(driver, site, query)[:1] == [page]


def test_search_does_not_list_pages_of_modules(site: Path, driver: Any) -> None:
    assert not [page for page in search(driver, site, "TokenFinder") if page.startswith("api/")]


def search(driver: Any, site: Path, query: str) -> list[str]:
    """Search for a query on the front page, and list the pages of the results in order."""
    set_screen(driver)
    driver.get((site / "index.html").as_uri())
    time.sleep(1)
    box = driver.find_element("css selector", ".md-search__input")
    box.click()
    box.send_keys(query)
    before: list[str] = []
    for _ in range(50):
        time.sleep(0.3)
        links = driver.find_elements("css selector", ".md-search-result__item > a")
        found = [link.get_attribute("href") for link in links]
        if found and found == before:  # the list no longer changes
            break
        before = found
    root = site.as_uri() + "/"
    return [href.removeprefix(root).partition("?")[0].partition("#")[0] for href in before]


def test_the_front_page_shows_the_units_that_the_pipelines_find(site: Path, driver: Any) -> None:
    set_screen(driver)
    driver.get((site / "index.html").as_uri())
    shown = json.loads(
        driver.execute_script(
            "return JSON.stringify([...document.querySelectorAll('.compare figure')].map("
            "(figure) => [...figure.querySelectorAll('.unit')].map((unit) => "
            "[unit.firstChild.textContent, unit.matches('.su')])))"
        )
    )
    theirs, ours = ([(text, is_su) for text, is_su in units] for units in shown)
    # The text as in the guide "First result", which contains the same mail.
    text = MAIL
    rules = spacy.blank("en")
    rules.add_pipe("sentencizer")
    assert theirs == [(sent.text.strip(), True) for sent in rules(text).sents]
    assert ours == [(unit.text, unit.is_sentence) for unit in iter_units(load("en")(text))]


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

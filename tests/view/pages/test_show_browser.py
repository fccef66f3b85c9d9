"""Texts of a notebook in a real browser: themes, narrow screens, and the page around them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import DESKTOP, PHONE, Shown, list_grave_faults, open_browser, set_screen

from spacy_sentid.view.pages import show as notebook
from spacy_sentid.view.text.reading import DocumentView, PairView, SideView
from spacy_sentid.view.text.units import UnitView

pytestmark = pytest.mark.slow

TEXT = "Page 3\n\nI like cats and I like dogs.\nThey sleep.\n\nitem    due\noak     Friday"
UNITS = [
    UnitView(0, 6, "NSU", 0.9, "", "METADATA"),
    UnitView(8, 36, "SU", 0.98),
    UnitView(37, 48, "SU", 0.31),
    UnitView(50, 76, "NSU", 0.8, "", "LIST_ITEM"),
]
SIDE = SideView("Sales rose.", [(6, 10, 0.9)], [])
VIEWS = [DocumentView("Text 1", TEXT, UNITS), PairView("Pair 2", {}, SIDE, SIDE)]
# Attributes of the elements that notebooks and sites put around an output.
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(26, 30, 37)"
HOSTS = [
    ("", "", LIGHT),
    ("", 'data-jp-theme-light="true"', LIGHT),
    ("", 'data-jp-theme-light="false"', DARK),
    ("", 'class="vscode-dark"', DARK),
    ('theme="dark"', "", DARK),
    ("", 'data-md-color-scheme="slate"', DARK),
]
PAGE = """<!DOCTYPE html><html lang="en" {0}><head><title>Notebook</title>
<meta name="viewport" content="width=device-width"></head><body {1}><main><h1>Notebook</h1>
<p class="doc text su nsu u low" id="host" data-p="1">Notebook</p>{2}</main></body></html>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as driver:
        yield driver


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """A function that opens a notebook with the texts. At the end the console must be empty."""

    def open_page(
        views: list = VIEWS, html: str = "", body: str = "", size: tuple[int, int] = DESKTOP
    ) -> Shown:
        set_screen(browser, size, scheme="light" if "dark" in html + body else "dark")
        path = tmp_path / "page.html"
        output = notebook.Shown(views)._repr_html_()
        path.write_text(PAGE.format(html, body, output), encoding="utf8")
        return Shown(browser, path)

    yield open_page
    assert browser.get_log("browser") == []


def color(page: Shown, selector: str, name: str, pseudo: str = "") -> str:
    script = (
        "return getComputedStyle(document.querySelector(arguments[0]), arguments[2])[arguments[1]]"
    )
    return page.run(script, selector, name, pseudo)


@pytest.mark.parametrize(("html", "body", "back"), HOSTS)
def test_texts_follow_the_theme_of_the_notebook(show: Any, html: str, body: str, back: str) -> None:
    page = show(html=html, body=body)
    assert color(page, ".spacy-sentid", "backgroundColor") == back
    assert list_grave_faults(page.driver) == []


def test_the_notebook_itself_is_not_changed(show: Any) -> None:
    page = show()
    assert color(page, "#host", "outlineStyle") == "none"
    assert color(page, "#host", "backgroundColor") == "rgba(0, 0, 0, 0)"
    assert color(page, "#host", "content", "::before") in ("none", "normal")
    assert (
        page.run("return getComputedStyle(document.documentElement).getPropertyValue('--su')") == ""
    )


def test_texts_fit_a_phone(show: Any) -> None:
    page = show(size=PHONE)
    assert page.run("return document.documentElement.scrollWidth") <= PHONE[0]
    tops = "return [...document.querySelectorAll('h3')].map((h) => h.getBoundingClientRect().top)"
    first, second = page.run(tops)
    assert second > first


def test_a_unit_is_highlighted_and_has_its_score_under_the_mouse(show: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    page = show()
    chip = ".text .su", "content", "::after"
    assert color(page, *chip) == "none"
    ActionChains(page.driver).move_to_element(page.find(".text .su")).perform()
    page.wait(lambda: color(page, ".text .su", "outlineWidth") == "2px")
    assert color(page, *chip) == '"0.98"'
    assert color(page, ".text .low", "content", "::after") == '"0.31"'


def test_outputs_do_not_disturb_each_other(show: Any) -> None:
    page = show([DocumentView("Text", TEXT, UNITS)] * 2)
    assert page.count(".spacy-sentid .text") == 2
    assert page.run("return document.querySelectorAll('.aligned').length") == 2
    assert page.count("[id]") == 1  # that of the notebook

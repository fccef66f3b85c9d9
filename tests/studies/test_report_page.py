"""The report in a real browser: both themes, wide and narrow, and without a barrier."""

from collections.abc import Iterator
from typing import Any

import browser as chromium
import pytest
import tiny_results as tiny
from browser import DESKTOP, PHONE

from studies.report.kinds import KINDS, make_sections
from studies.report.page import build_page
from studies.report.parts import Source

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium.open_browser() as driver:
        yield driver


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    results = [Source(title, result) for title, result in tiny.RESULTS.items()]
    page = tmp_path_factory.mktemp("report") / "report.html"
    page.write_text(build_page("All kinds", make_sections(results)), encoding="utf8")
    return page.as_uri()


def open_page(
    browser: Any, url: str, *, size: tuple[int, int] = DESKTOP, dark: bool = False
) -> None:
    chromium.set_screen(browser, size, scheme="dark" if dark else "light")
    browser.get(url)


def shown(browser: Any, selector: str) -> list[bool]:
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map(e => e.checkVisibility())",
        selector,
    )


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_nothing_is_wrong_and_nothing_is_wider_than_the_window(
    browser: Any, url: str, size: tuple[int, int]
) -> None:
    open_page(browser, url, size=size)
    assert browser.get_log("browser") == []
    width = browser.execute_script("return document.documentElement.scrollWidth")
    assert width <= size[0]


def test_each_window_has_its_charts(browser: Any, url: str) -> None:
    open_page(browser, url, size=DESKTOP)
    assert len(shown(browser, ".for-wide")) >= len(KINDS) - 1
    assert all(shown(browser, ".for-wide"))
    assert not any(shown(browser, ".for-narrow"))
    open_page(browser, url, size=PHONE)
    assert not any(shown(browser, ".for-wide"))
    assert all(shown(browser, ".for-narrow"))


def test_text_of_charts_is_readable_on_a_phone(browser: Any, url: str) -> None:
    open_page(browser, url, size=PHONE)
    smallest = browser.execute_script(
        "return Math.min(...[...document.querySelectorAll('.for-narrow svg text')]"
        ".map(e => e.getBoundingClientRect().height))"
    )
    assert smallest >= 10  # pixels


def test_charts_follow_the_theme_and_its_switch(browser: Any, url: str) -> None:
    find = "return getComputedStyle(document.querySelector('.for-wide svg text')).fill"
    open_page(browser, url)
    light = browser.execute_script(find)
    open_page(browser, url, dark=True)
    dark = browser.execute_script(find)
    assert light != dark
    browser.find_element("id", "theme").click()
    assert browser.execute_script(find) == light


def test_the_contents_lead_to_each_kind(browser: Any, url: str) -> None:
    open_page(browser, url)
    links = browser.find_elements("css selector", ".contents a")
    assert [link.text for link in links] == list(tiny.RESULTS)
    links[-1].click()
    top = browser.execute_script("return document.querySelector(location.hash).offsetTop")
    assert browser.execute_script("return scrollY") > 0
    assert top > 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_axe_finds_no_serious_barrier(
    browser: Any, url: str, size: tuple[int, int], dark: bool
) -> None:
    open_page(browser, url, size=size, dark=dark)
    assert chromium.list_grave_faults(browser) == []

"""The README as GitHub shows it: short, with its pictures, and nothing cut."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import open_browser, set_screen
from readme_page import MARGIN, WIDTH, render_readme

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf8")
MAX_LINES, MAX_CODE_COLUMNS = 125, 88


def list_code() -> list[str]:
    """List the lines of all code blocks."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", README, flags=re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= MAX_LINES
    assert list_code()
    assert [line for line in list_code() if len(line) > MAX_CODE_COLUMNS] == []


def test_each_picture_exists_in_light_and_dark() -> None:
    light = re.findall(r'src="(docs/images/[^"]+)"', README)
    dark = re.findall(r'srcset="(docs/images/[^"]+)"', README)
    assert light
    assert dark == [path.replace("-light", "-dark") for path in light]
    assert all((ROOT / path).is_file() for path in light + dark)
    assert README.count("<img") == README.count("alt=") == len(light)


def test_the_readme_has_one_table_of_results() -> None:
    rows = re.findall(r"^\| ?-+", README, flags=re.M)
    assert len(rows) <= 2  # the results, and two pictures next to each other


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with open_browser() as driver:
        yield driver


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_at_the_width_of_github(driver: Any, scheme: str, tmp_path: Path) -> None:
    pytest.importorskip("markdown", reason="no markdown: pip install -e '.[docs]'")
    page = tmp_path / "readme.html"
    page.write_text(render_readme(), encoding="utf8")
    set_screen(driver, (WIDTH + 2 * MARGIN, 900), scheme=scheme)
    driver.get(page.as_uri())
    driver.execute_async_script(
        "const done = arguments[0];"
        "Promise.all([...document.images].map((image) => image.decode())).then(() => done());"
    )
    cut = driver.execute_script(
        "return [...document.querySelectorAll('pre, table, img')]"
        ".filter((one) => one.scrollWidth > one.clientWidth + 1"
        " || one.getBoundingClientRect().right > arguments[0] + 1)"
        ".map((one) => one.tagName + ' ' + one.textContent.slice(0, 60));",
        WIDTH + MARGIN,
    )
    assert cut == []
    assert driver.execute_script("return [...document.images].every((i) => i.naturalWidth > 0)")

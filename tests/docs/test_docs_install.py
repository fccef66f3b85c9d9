"""The documentation says how to install the package in one way, with all its extras."""

import configparser
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


def read_extras() -> list[str]:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf8")
    return list(config["options.extras_require"])


INSTALL = (DOCS / "start" / "install.md").read_text(encoding="utf8")


def test_the_page_of_the_installation_lists_all_extras() -> None:
    table = INSTALL.partition("| extra |")[2].partition("\n\n")[0]
    cells = [row.split("|")[1] for row in table.splitlines()[2:]]
    assert sorted(re.findall("`([^`]+)`", " ".join(cells))) == sorted(read_extras())


def test_the_page_of_the_installation_says_if_there_is_no_release_yet() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf8")
    is_released = re.search(r"^## [\d.]+ \(\d{4}-", changes, flags=re.MULTILINE) is not None
    assert ("is not released yet" in INSTALL) is not is_released


# Pages for developers install from a clone.
@pytest.mark.parametrize("page", sorted({*PAGES} - {"start/install.md", "design.md"}))
def test_extras_are_installed_in_one_way(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf8")
    for line in re.findall(r"pip install \S*\[\S*", text):
        assert re.fullmatch(r'pip install "spacy-sentid\[[a-z,]+\]"\S*', line)

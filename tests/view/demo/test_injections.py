"""Strings never become mark-up on any page; this quick test uses Python's parser."""

from pathlib import Path

import pytest
from hostile_markup import KINDS, TABLES, injections
from injected_pages import COMMANDS, PAGES, make_injected
from view_pages import Page, plain, shown

N = 300
SEED = 23


@pytest.mark.parametrize("name", [*PAGES, *COMMANDS])
def test_no_string_becomes_mark_up(name, tmp_path: Path):
    values = [text for _, text in injections(N, SEED + len(name))]
    page = make_injected(name, values, tmp_path / "hostile")
    twin = make_injected(name, list(map(plain, values)), tmp_path / "harmless")
    found = Page(page.html)
    assert found.elements == Page(twin.html).elements
    assert not found.others
    assert not found.open
    whole = "".join(data for _, data in found.texts)
    assert [text for text in page.texts if shown(text) not in whole] == []
    known = {value for _, _, value in found.attributes}
    assert [value for value in page.values if shown(value) not in known] == []


def test_each_table_is_drawn_from():
    drawn = [text for _, text in injections(4000, 0)]
    assert {kind for kind, _ in injections(100, 0)} == set(KINDS)
    for table in TABLES.values():
        for item in table:
            assert any(item in text for text in drawn), item

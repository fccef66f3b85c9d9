"""Sections: which headings are above a unit."""

import time

import pytest

from spacy_sentid.sentence_identifier.chunking.sections import (
    clean_heading,
    find_level,
    find_sections,
)

PATHS = [
    # no headings, and text before the first one
    (["a"], [""]),
    (["a", "= T", "b"], ["", "T", "T"]),
    # several headings in a row are one section
    (["= T", "= S", "a", "= U", "b"], ["T > S", "T > S", "T > S", "U", "U"]),
    # levels of Markdown
    (["= # A", "a", "= ## B", "b", "= ## C", "c", "= # D"], ["A", "A", "A > B", "A > B", "A > C",
      "A > C", "D"]),
    (["= # A", "= ### B", "a", "= ## C"], ["A > B", "A > B", "A > B", "A > C"]),
    # levels of numbers
    (["= 1 A", "a", "= 1.1 B", "= 2. C"], ["1 A", "1 A", "2. C", "2. C"]),
    (["= 1 A", "a", "= 1.1 B", "b"], ["1 A", "1 A", "1 A > 1.1 B", "1 A > 1.1 B"]),
    # headings without a level are below those with one
    (["= # A", "a", "= X", "b", "= Y", "c", "= ## B"], ["A", "A", "A > X", "A > X", "A > Y",
      "A > Y", "A > B"]),
    # a section without text
    (["= ## A", "= ## B", "b"], ["B", "B", "B"]),
    # the first row of a table is no heading
    (["= A", "= | x | y |", "a"], ["A", "A", "A"]),
    # only the last levels are kept
    ([f"= H{i}" for i in range(8)], ["H2 > H3 > H4 > H5 > H6 > H7"] * 8),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "paths"), PATHS)
def test_headings_above_each_unit(rows: list[str], paths: list[str]) -> None:
    units = [
        ("HEADING", row.removeprefix("= ")) if row.startswith("= ") else ("SU", row) for row in rows
    ]
    found = find_sections(units)
    assert [" > ".join(section.headings) for section in found] == paths


def test_each_run_of_headings_starts_a_section() -> None:
    units = [("SU", "a"), ("HEADING", "T"), ("HEADING", "S"), ("SU", "b"), ("HEADING", "T")]
    assert [section.number for section in find_sections(units)] == [0, 1, 1, 1, 2]


@pytest.mark.parametrize(
    ("heading", "level"),
    [
        ("# A", 1), ("###### A", 6), ("####### A", None), ("#tag", None), ("3.1.4 A", 3),
        ("12) A", None), ("2024 results", None), ("1.", None), ("", None), ("A #1", None),
    ],
)  # fmt: skip
def test_levels(heading: str, level: int | None) -> None:
    assert find_level(heading) == level


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("A ## B  ##", "A ## B"),
        ("# ##", "##"),
        ("  A", "A"),
        ("C#", "C#"),
        ("A #\n", "A"),
        ("", ""),
    ],
)
def test_marks_are_removed(heading: str, name: str) -> None:
    assert clean_heading(heading) == name


def test_the_time_to_clean_a_heading_is_linear() -> None:
    started = time.process_time()
    assert clean_heading("A" + " " * 200_000 + "B") == "A B"
    assert time.process_time() - started < 1

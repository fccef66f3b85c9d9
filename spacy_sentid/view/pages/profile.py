"""Build tables of the units of treebanks, and a page with these tables and bars.

file -> counts of both papers -> sections -> profile.html
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...conllu.treebank import TreebankUnit, read_treebank
from ...corpus_augmenter.profile import Profile, Profiler, Tally, mark_rows, ratio_rows
from ...sentence_identifier.data.convert import label_units
from ...sentence_identifier.data.rule import UnitCounts, count_units
from ..text.page import make_page, read_part

TITLE = "Units of treebanks"
ROWS = {
    "SUs": "su",
    "NSUs": "nsu",
    "word B": "word_b",
    "word I": "word_i",
    "word O": "word_o",
    "character B": "char_b",
    "character I": "char_i",
    "character O": "char_o",
}
RATIOS_NOTE = (
    "NPU: noun phrase unit, as a share of the units with a tree. POU: the last word is not PUNCT, "
    "as in the paper's Table 1. No end mark: the last word is not . ! or ?, nor a similar mark of "
    "another script, as in the paper's section 3."
)
MARKS_NOTE = "Units by their last word, with percentages. None: the last word is not PUNCT."
GENRE_NOTES = {
    "comments": "Genres are from the comments of the treebank. Last words are in percent of units.",
    "ids": "Genres are the letters that ids begin with. Last words are in percent of units.",
}
GENRE_MARKS = 6
# The bars of each file or genre: (class in the style sheet, meaning, attribute of a Tally).
BARS = (
    ("npu", "NPU", "npu_ratio"),
    ("pou", "POU: last word not PUNCT", "pou_ratio"),
    ("no-mark", "last word not an end mark", "no_end_mark_ratio"),
)


class NotedTable(NamedTuple):
    """One table and a note about it."""

    title: str
    rows: Sequence[Sequence[str]]  # the first row has headings; the first cell of a row is a name
    note: str = ""


def profile_file(file: Path, **rule: Any) -> tuple[UnitCounts, Profile]:
    """Count the units of a file for both papers. The file is read only once, so it may be a pipe.

    rule: Arguments of `label_units`.
    """
    profiler = Profiler()

    def watch() -> Iterator[TreebankUnit]:
        for unit in read_treebank(file):
            profiler.add(unit)
            yield unit

    counts = count_units((unit.text, label) for unit, label in label_units(watch(), **rule))
    return counts, profiler.finish()


def list_sections(found: Sequence[tuple[str, UnitCounts, Profile]]) -> list[NotedTable]:
    """Build the tables of all files, and then one table for each file with genres."""
    names = [name for name, _, _ in found]
    table_3 = [["", *names]]
    table_3 += [
        [name, *(f"{getattr(counts, field):,}" for _, counts, _ in found)]
        for name, field in ROWS.items()
    ]
    wholes = [(name, tallies.whole) for name, (_, _, tallies) in zip(names, found, strict=True)]
    sections = [
        NotedTable("Sentential units and labels", table_3),
        NotedTable("Noun phrase units, omitted punctuation", ratio_rows(wholes), RATIOS_NOTE),
        NotedTable("End punctuation", mark_rows(wholes), MARKS_NOTE),
    ]
    for name, _, tallies in found:
        if tallies.genres_from is not None:
            columns = [*tallies.genres.items(), ("all", tallies.whole)]
            # Each genre is a row, as there may be many.
            marks = mark_rows(columns, n_marks=GENRE_MARKS, counts=False)[1:]
            rows = list(zip(*ratio_rows(columns), *marks, strict=True))
            sections.append(NotedTable(f"{name} by genre", rows, GENRE_NOTES[tallies.genres_from]))
    return sections


def make_profile_page(found: Sequence[tuple[str, UnitCounts, Profile]]) -> str:
    """Render the page: bars with the ratios of each file and genre, then the tables."""
    tallies: list[tuple[str, bool, Tally]] = []  # (name, is_file, tally)
    for name, _, profile in found:
        tallies.append((name, True, profile.whole))
        tallies += [(genre, False, tally) for genre, tally in profile.genres.items()]
    ratios = [getattr(tally, ratio) for _, _, tally in tallies for _, _, ratio in BARS]
    return make_page(
        TITLE,
        template="profile.html",
        style=read_part("profile.css"),
        scripts=[read_part("page.js")],
        bars=BARS,
        longest=max([ratio or 0.0 for ratio in ratios] + [0.01]),
        tallies=tallies,
        sections=list_sections(found),
    )

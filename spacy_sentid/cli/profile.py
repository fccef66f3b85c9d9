"""`spacy-sentid profile`: what units a treebank has, as in the papers' tables."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from .options import AllSu, SuRelations, parse_su_relations
from .table import format_table, name_files

if TYPE_CHECKING:
    from ..corpus_augmenter.profile import Profile
    from ..sentence_identifier.rule import UnitCounts
    from ..treebank import TreebankUnit

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
    "NPU: noun phrase unit, of the units with a tree. POU: the last word is not PUNCT, as in the "
    "paper's Table 1. No end mark: the last word is not one of . ! ? nor such a mark of another "
    "script, as in its section 3."
)
MARKS_NOTE = "Units by their last word, with percent; none: it is not PUNCT."
GENRE_NOTES = {
    "comments": "Genres by the comments of the treebank. Last words in percent of the units.",
    "ids": "Genres by the letters that ids begin with. Last words in percent of the units.",
}
GENRE_MARKS = 6


class Section(NamedTuple):
    """One table and what to say about it."""

    title: str
    rows: Sequence[Sequence[str]]  # the first holds the headings, the first cell of each a name
    note: str = ""


def profile(
    files: Annotated[
        list[Path], typer.Argument(metavar="IN.conllu...", exists=True, dir_okay=False)
    ],
    all_su: AllSu = False,
    su_relations: SuRelations = None,
    json_path: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="OUT", dir_okay=False, help="Write counts and ratios (0-1), by genre."
        ),
    ] = None,
) -> None:
    """Count units of treebank files: SUs, NSUs and their B, I, O labels (the paper's Table 3).

    Then noun phrase units, omitted and other end punctuation, also by genre where the treebank
    tells it.

    Example: spacy-sentid profile train.conllu dev.conllu --json profile.json
    """
    from ..files.atomic import open_output

    relations = parse_su_relations(su_relations)
    found = [
        (name, *profile_file(file, relations, all_su=all_su))
        for name, file in zip(name_files(files), files, strict=True)
    ]
    sections = list_sections(found)
    typer.echo(format_table(sections[0].rows))  # Table 3 is first, and bare
    for section in sections[1:]:
        typer.echo(f"\n{section.title}\n{format_table(section.rows)}\n{fill(section.note, 100)}")
    if json_path is not None:
        report = {
            "all_su": all_su,
            "su_relations": sorted(relations),
            "files": [
                {"file": str(file), "table_3": counts._asdict(), **tallies.as_dict()}
                for file, (_, counts, tallies) in zip(files, found, strict=True)
            ],
        }
        with open_output(json_path) as out:
            json.dump(report, out, indent=2, ensure_ascii=False)
            out.write("\n")


def profile_file(
    file: Path, relations: frozenset[str], *, all_su: bool
) -> tuple["UnitCounts", "Profile"]:
    """Count the units of a file for both papers; it is read once, so that it may be a pipe."""
    from ..corpus_augmenter.profile import Profiler
    from ..sentence_identifier.convert import label_units
    from ..sentence_identifier.rule import count_units
    from ..treebank import read_treebank

    profiler = Profiler()

    def watched() -> Iterator["TreebankUnit"]:
        for unit in read_treebank(file):
            profiler.add(unit)
            yield unit

    labelled = label_units(watched(), su_relations=relations, all_su=all_su)
    counts = count_units((unit.text, label) for unit, label in labelled)
    return counts, profiler.finish()


def list_sections(found: list[tuple[str, "UnitCounts", "Profile"]]) -> list[Section]:
    """Lay out the tables: those of all files, by name, then the genres of each that has some."""
    from ..corpus_augmenter.profile import mark_rows, ratio_rows

    names = [name for name, _, _ in found]
    table_3 = [["", *names]]
    table_3 += [
        [name, *(f"{getattr(counts, field):,}" for _, counts, _ in found)]
        for name, field in ROWS.items()
    ]
    wholes = [(name, tallies.whole) for name, (_, _, tallies) in zip(names, found, strict=True)]
    sections = [
        Section("Sentential units and labels", table_3),
        Section("Noun phrase units, omitted punctuation", ratio_rows(wholes), RATIOS_NOTE),
        Section("End punctuation", mark_rows(wholes), MARKS_NOTE),
    ]
    for name, _, tallies in found:
        if tallies.genres_from is not None:
            columns = [*tallies.genres.items(), ("all", tallies.whole)]
            # A row a genre, for there may be many.
            marks = mark_rows(columns, n_marks=GENRE_MARKS, counts=False)[1:]
            rows = list(zip(*ratio_rows(columns), *marks, strict=True))
            title = f"{name} by genre"
            sections.append(Section(title, rows, GENRE_NOTES[tallies.genres_from]))
    return sections

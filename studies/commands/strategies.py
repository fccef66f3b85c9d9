"""Measure the strategies of Grefenstette and Tapanainen (1994) next to the paper's figures."""

import json
from collections.abc import Iterable
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from spacy_sentid.cli.table import format_table

if TYPE_CHECKING:
    from studies.strategies.gold import GoldText
    from studies.strategies.tables import Table

COLUMNS = 100
ABBREVIATIONS = "abbreviations.tsv"
ABOUT = (
    "# The rule ladder\n\nMade by `python -m studies strategies`: the experiments of "
    "Grefenstette and Tapanainen, What is a word, what is a\nsentence? (1994), "
    "sections 2 and 4. Shares are in percent. Numbers in brackets are sections of the paper.\n\n"
)


def ladder(
    corpus: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS.jsonl",
            help='Texts with gold, one a line: {"id", "text", "sent_ends", "para_ends"}. '
            "It may be in the folder SENTID_DATA.",
        ),
    ] = "brown/brown.jsonl",
    abbreviations: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Gold abbreviations, tab-separated: token, count. Default: abbreviations.tsv "
            "next to the corpus.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(file_okay=False, help="Folder for ladder.json and ladder.md.")
    ] = Path("metrics"),
    typesetting: Annotated[
        bool,
        typer.Option(
            "--typesetting/--no-typesetting",
            help="Typeset the corpus and join the hyphenated words; needs the extra 'ladder'.",
        ),
    ] = True,
) -> None:
    """Measure the paper's ways to find abbreviations, and print its tables with its figures.

    Example: python -m studies strategies brown.jsonl --out metrics
    """
    from spacy_sentid.files.atomic import open_output
    from studies.harness import find_corpus
    from studies.strategies import ladder as experiments
    from studies.strategies.ladder_tables import make_tables
    from studies.strategies.tables import format_markdown, format_rows
    from studies.strategies.typesetting import check_patterns

    if typesetting:
        check_patterns()
    path = find_corpus(corpus)
    found = experiments.read_corpus(path, abbreviations or path.with_name(ABBREVIATIONS))
    rungs = experiments.learn_rungs(found)
    outcomes = experiments.measure_rungs(found, rungs)
    steps = experiments.measure_steps(found, rungs.complete)
    tables = make_tables(found, rungs, outcomes, steps=steps)
    if typesetting:
        tables.insert(0, typeset(found.texts, is_brown=found.is_brown()))
    report = {
        "corpus": str(path),
        "tables": {table.name: table._asdict() for table in tables},
        "rungs": {name: outcome.to_json() for name, outcome in outcomes.items()},
    }
    with open_output(out / "ladder.json") as file:
        json.dump(report, file, indent=1, ensure_ascii=False)
        file.write("\n")
    with open_output(out / "ladder.md") as file:
        file.write(ABOUT + format_markdown(tables))
    for table in tables:
        typer.echo(f"{table.title}\n{format_table(format_rows(table))}")
        for note in table.notes:
            typer.echo(fill(note, COLUMNS, initial_indent="- ", subsequent_indent="  "))
        typer.echo()


def typeset(texts: "list[GoldText]", *, is_brown: bool) -> "Table":
    """Run the experiment of section 2, with progress bars."""
    from tqdm import tqdm

    from studies.strategies import typesetting

    hyphenate = typesetting.make_hyphenate()
    paragraphs = list(typesetting.list_paragraphs(texts))

    def watch(name: str) -> "Iterable[str]":
        return tqdm(paragraphs, desc=name, unit="paragraph", disable=None)

    lines = [list(typesetting.fill_lines(text, hyphenate)) for text in watch("typeset")]
    words = typesetting.list_whole_words(lines)
    return typesetting.table_joining(
        typesetting.join_lines(watch("join"), lines, lexicon=None),
        typesetting.join_lines(watch("join with lexicon"), lines, lexicon=words),
        is_brown=is_brown,
    )

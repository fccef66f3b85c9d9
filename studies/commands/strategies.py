"""`python -m studies strategies`: the strategies of Grefenstette and Tapanainen (1994)."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from studies.strategies.gold import GoldText
    from studies.strategies.tables import Table

ABBREVIATIONS = "abbreviations.tsv"


def strategies(
    corpus: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS.jsonl",
            help='Gold texts, one per line: {"id", "text", "sent_ends", "para_ends"}. The file is '
            "here or in $SENTID_DATA.",
        ),
    ] = "brown/brown.jsonl",
    abbreviations: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Gold abbreviations, as a token, a tab and a count per line. Default: "
            "abbreviations.tsv next to the corpus.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Stem of the results (JSON and Markdown).")] = Path(
        "metrics/studies/strategies"
    ),
    typesetting: Annotated[
        bool,
        typer.Option(
            "--typesetting/--no-typesetting",
            help="Typeset the corpus and join hyphenated words. Requires the extra 'strategies'.",
        ),
    ] = True,
) -> None:
    """Measure the ways of the 1994 paper to find abbreviations, next to its figures.

    Example: python -m studies strategies brown.jsonl
    """
    from studies.harness import find_corpus, show_results
    from studies.strategies import experiments
    from studies.strategies.strategy_tables import make_tables
    from studies.strategies.tables import make_results
    from studies.strategies.typesetting import check_patterns

    if typesetting:
        check_patterns()
    path = find_corpus(corpus)
    found = experiments.read_corpus(path, abbreviations or path.with_name(ABBREVIATIONS))
    knowledge = experiments.learn_all(found)
    outcomes = experiments.measure_variants(found, knowledge)
    steps = experiments.measure_steps(found, knowledge.complete_words)
    tables = make_tables(found, knowledge, outcomes, steps=steps)
    if typesetting:
        tables.insert(0, typeset(found.texts, is_brown=found.is_brown()))
    show_results(make_results(tables, corpus=path.name), out)


def typeset(texts: "list[GoldText]", *, is_brown: bool) -> "Table":
    """Run the experiment of section 2 of the paper, with progress bars."""
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

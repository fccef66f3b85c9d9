"""`spacy-sentid evaluate documents`: scores on whole documents in their layout."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from . import options as opt
from .printing import format_table, write_json


def documents(
    source: Annotated[
        Path,
        Argument(
            metavar="DOCUMENTS",
            exists=True,
            help="Whole documents with marked units: .txt (marked text), .jsonl, .spacy, .conllu, "
            "or a folder of them.",
        ),
    ],
    model: opt.AnyModel = None,
    layout: Annotated[
        list[str] | None,
        Option(
            help="Also lay the documents out in another way: wrap, join, one_a_line, tighten, "
            "upper, lower, end_marks, punctuation ...; repeatable."
        ),
    ] = None,
    by_kind: Annotated[bool, Option("--by-kind", help="Add a row for each kind of text.")] = False,
    split: Annotated[
        str | None, Option(help="In a folder, only the files or the folder of that name.")
    ] = None,
    ignore_list_marks: opt.IgnoreListMarks = False,
    json_path: opt.JsonPath = None,
) -> None:
    """Score units on whole documents in their layout, in percent.

    SU: exact spans. noise kept: words of NSUs that stand inside SUs. words lost: words of SUs that
    stand outside of SUs. starts: starts of units and of sentences. A pipeline without a sentence
    identifier is scored by its sentences.

    Example: spacy-sentid evaluate documents assets/everyday/dev --layout wrap --by-kind
    """
    from ..pipelines import load
    from ..sentence_identifier.document_evaluation import AS_IS, evaluate_layouts, score_rows
    from ..sentence_identifier.documents import read_documents

    nlp = load(model or "en")
    gold = list(read_documents(source, nlp, split=split, ignore_list_marks=ignore_list_marks))
    report = evaluate_layouts(nlp, gold, layouts=[AS_IS, *(layout or [])])
    typer.echo(format_table(score_rows(report, by_kind=by_kind)))
    write_json(json_path, {"model": model or "en", "documents": str(source), "scores": report})

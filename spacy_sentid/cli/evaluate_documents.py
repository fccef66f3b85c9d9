"""`spacy-sentid evaluate documents`: score whole documents in their layout."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from . import options as opt
from .terminal.printing import format_table, progress, write_json


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
    model: opt.Models = None,
    layout: Annotated[
        list[str] | None,
        Option(
            help="Additional layout of the documents: wrap, join, one_a_line, tighten, "
            "upper, lower, end_marks, punctuation ... Repeatable."
        ),
    ] = None,
    by_kind: Annotated[bool, Option("--by-kind", help="Add a row for each kind of text.")] = False,
    nsu_kinds: Annotated[
        bool, Option("--nsu-kinds", help="Add a table of the kinds of NSU.")
    ] = False,
    split: Annotated[
        str | None, Option(help="Read only the files or the subfolder of this name.")
    ] = None,
    ignore_list_marks: opt.IgnoreListMarks = False,
    predictions: Annotated[
        Path | None,
        opt.in_option(
            metavar="FILE.jsonl",
            help="Score the units that any system has found in these documents, instead of a "
            "pipeline: one line {'id', 'units'} per document, as 'identify' writes it.",
        ),
    ] = None,
    json_path: opt.JsonPath = None,
) -> None:
    """Score units on whole documents in their layout, in percent.

    SU, NSU: exact spans. noise kept: share of the words of NSUs that are in predicted SUs. words
    lost: share of the words of SUs that are not in predicted SUs. kinds F: NSUs with exact span and
    kind. kinds right: NSUs that are mostly in units of their kind. starts: starts of units and of
    sentences. In a pipeline without a sentence identifier, sentences count as SUs.

    The scores of the paper (macro F1 of B, I, O, and exact units) are in the file of --json.

    Example: spacy-sentid evaluate documents texts/ --layout wrap --by-kind
    """
    import spacy

    from ..components.pipelines import load
    from ..scores import summarise_scores
    from ..sentence_identifier.data.documents import read_documents
    from ..sentence_identifier.data.records import read_predictions
    from ..sentence_identifier.evaluation import documents as evaluation
    from ..sentence_identifier.evaluation.scorer import score_documents

    found = read_documents(
        source, spacy.blank("xx"), split=split, ignore_list_marks=ignore_list_marks
    )
    gold = list(found)
    models = model or ["en"]
    if predictions is None:
        layouts = [evaluation.AS_IS, *(layout or [])]
        reports = [
            evaluation.evaluate_layouts(load(name), gold, layouts=layouts)
            for name in progress(models, unit="model")
        ]
    else:
        opt.refuse_options({"--model": model, "--layout": layout}, "with --predictions")
        models = [str(predictions)]
        predicted = read_predictions(predictions, gold)
        reports = [{evaluation.AS_IS: score_documents(gold, predicted)}]
    summary = summarise_scores(reports)
    typer.echo(format_table(evaluation.tabulate_scores(summary, by_kind=by_kind)))
    if nsu_kinds:
        typer.echo("\n" + format_table(evaluation.nsu_kind_rows(summary), n_left=2))
    scores = summary["mean"][evaluation.AS_IS][""]
    found_share, kept, lost = (
        f"{100 * scores[name]:.0f} %" for name in ("su_r", "noise_kept", "words_lost")
    )
    typer.echo(
        f"{found_share} of the sentences are found exactly. {kept} of the other words are kept as "
        f"sentences, and {lost} of the words of sentences are lost.",
        err=True,
    )
    runs = reports if len(reports) > 1 else []
    write_json(json_path, {"models": models, "documents": str(source), **summary, "runs": runs})

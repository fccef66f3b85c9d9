"""`spacy-sentid evaluate`: score a pipeline as in the paper (section 6.2)."""

import json
from pathlib import Path
from typing import Annotated

import typer

from .options import (
    AllSu,
    Layout,
    Model,
    Split,
    SuRelations,
    Treebank,
    load_pipeline,
    parse_su_relations,
    read_labelled,
)
from .table import format_table


def evaluate(
    model: Model,
    source: Treebank,
    p_cc: Annotated[
        list[float] | None,
        typer.Option(
            "--p-cc",
            min=0,
            max=1,
            help="Units are joined by draws from a geometric distribution with this parameter; 0 "
            "= up to 400 words. Repeatable. Default: 0.5 and 0.",
        ),
    ] = None,
    seed: Annotated[
        list[int] | None,
        typer.Option("--seed", help="Seed of the draws; repeatable, for mean and sd. Default: 0."),
    ] = None,
    layout: Annotated[Layout, typer.Option(help="What stands between units.")] = Layout.space,
    split: Split = None,
    all_su: AllSu = False,
    su_relations: SuRelations = None,
    json_path: Annotated[
        Path | None, typer.Option("--json", metavar="OUT", help="Write scores (0-1) and settings.")
    ] = None,
) -> None:
    """Score a pipeline on texts assembled from treebank units; the table is in percent."""
    from ..output import open_output
    from ..sentence_identifier.report import evaluate_settings, score_rows

    labelled = read_labelled(source, split=split, all_su=all_su, su_relations=su_relations)
    nlp = load_pipeline(model)
    report = evaluate_settings(
        nlp, labelled, p_ccs=p_cc or [0.5, 0.0], seeds=seed or [0], layout=layout.value
    )
    typer.echo(format_table(score_rows(report["summary"]), n_left=1))
    if json_path is not None:
        report["settings"] |= {
            "model": model,
            "treebank": str(source),
            "split": split,
            "all_su": all_su,
            "su_relations": sorted(parse_su_relations(su_relations)),
        }
        with open_output(json_path) as file:
            json.dump(report, file, indent=2)
            file.write("\n")

"""`spacy-sentid evaluate`: score a pipeline as in the paper (section 6.2)."""

import json
from pathlib import Path
from typing import Annotated

import typer

from .options import (
    AllSu,
    Layout,
    Model,
    SegmenterName,
    Split,
    SuRelations,
    Treebank,
    parse_su_relations,
    read_documents,
    warn_without_nsu,
)
from .table import format_table

DEFAULT_P_CCS = (0.5, 0.0)


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
    segmenter: SegmenterName = None,
    layout: Annotated[Layout, typer.Option(help="What stands between units.")] = Layout.space,
    split: Split = None,
    all_su: AllSu = False,
    su_relations: SuRelations = None,
    json_path: Annotated[
        Path | None, typer.Option("--json", metavar="OUT", help="Write scores (0-1) and settings.")
    ] = None,
) -> None:
    """Score a pipeline on texts assembled from treebank units; the table is in percent.

    Example: spacy-sentid evaluate en assets/sample --split test --json scores.json
    """
    from tqdm import tqdm

    from ..files.atomic import open_output
    from ..pipelines import load
    from ..sentence_identifier.evaluation import (
        Setting,
        count_characters,
        evaluate_settings,
        score_rows,
    )

    settings = [Setting(p_cc=p) for p in p_cc or DEFAULT_P_CCS]
    settings += [Setting(segmenter=segmenter)] if segmenter is not None else []
    seeds = seed or [0]
    documents = read_documents(source, split=split, all_su=all_su, su_relations=su_relations)
    warn_without_nsu(
        {label for document in documents for _, label in document}, source, segmenter=segmenter
    )
    nlp = load(model)
    total = count_characters(documents, settings=settings, seeds=seeds)
    with tqdm(total=total, desc="evaluate", unit="char", unit_scale=True, disable=None) as bar:
        report = evaluate_settings(
            nlp,
            documents,
            settings=settings,
            seeds=seeds,
            layout=layout.value,
            on_text=lambda text: bar.update(len("".join(text.split()))),
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

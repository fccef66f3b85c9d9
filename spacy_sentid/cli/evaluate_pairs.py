"""`spacy-sentid evaluate-pairs`: score paraphrase taggers as in Table 3 of the ParaTag paper."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .table import format_table

if TYPE_CHECKING:
    from ..paraphrase_tagger.evaluation import PairProbs

SCORES = ("paraphrase_acc", "unparaphrased_f")


def evaluate_pairs(
    test: Annotated[
        Path,
        typer.Argument(exists=True, dir_okay=False, help="Tagged pairs, one JSON object a line."),
    ],
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="Folder or package of a pipeline with a paraphrase_tagger; repeatable: the seeds "
            "of one recipe, for mean and sd. Default: the embedded weights."
        ),
    ] = None,
    dev: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="Tagged pairs that the tuned threshold comes from."
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="The fixed threshold. Default: the first pipeline's."),
    ] = None,
    by_source: Annotated[bool, typer.Option(help="Also a row for each source of pairs.")] = False,
    json_path: Annotated[
        Path | None, typer.Option("--json", metavar="OUT", help="Write the scores (0-1).")
    ] = None,
) -> None:
    """Score word accuracy and F1 of the highlighted class, beside plain overlap; in percent.

    Example: spacy-sentid evaluate-pairs test.jsonl --dev dev.jsonl
    """
    from tqdm import tqdm

    from ..files.atomic import open_output
    from ..paraphrase_tagger.corpus import read_pairs
    from ..paraphrase_tagger.evaluation import (
        predict_pairs,
        score_at,
        split_by_source,
        summarise_scores,
        tag_by_overlap,
        tune_on,
    )
    from ..pipelines import find, load

    if json_path is not None and json_path.resolve() in (test.resolve(), dev and dev.resolve()):
        raise ValueError(f"Found {json_path} as input and output. Name another with --json.")
    pairs = list(read_pairs(test, allow_identical=True))
    dev_pairs = list(read_pairs(dev, allow_identical=True)) if dev is not None else []
    if not pairs or (dev is not None and not dev_pairs):
        raise ValueError(f"Found no pairs in {test if not pairs else dev}, expected one a line.")
    fixed_at = threshold or 0.0
    runs: dict[str, list[tuple[list[PairProbs], float | None]]] = {}
    for name, function_words in (("overlap", True), ("overlap, content words", False)):
        found = [tag_by_overlap(pair, function_words=function_words) for pair in pairs]
        runs[name] = [(found, None)]
    for name in tqdm(model or [""], desc="evaluate", unit="model", disable=None):
        nlp = load(name, "paraphrase_tagger")
        settings = find(nlp, "paraphrase_tagger").cfg
        if threshold is None and "tagger" not in runs:
            fixed_at = settings["threshold"]
        tuned = tune_on(predict_pairs(nlp, dev_pairs)) if dev_pairs else None
        runs.setdefault("tagger", []).append((predict_pairs(nlp, pairs), tuned))
    entries: list[dict[str, Any]] = []
    for system, results in runs.items():
        groups = ["all", *split_by_source(results[0][0])] if by_source else ["all"]
        for group in groups:
            fixed, at_tuned = [], []
            for found, tuned in results:
                chosen = found if group == "all" else split_by_source(found)[group]
                fixed.append(score_at(chosen, fixed_at))
                if tuned is not None:
                    at_tuned.append(score_at(chosen, tuned))
            entry: dict[str, Any] = {"system": system, "pairs": group, "seeds": len(results)}
            entry["thresholds"] = [tuned for _, tuned in results]
            entry |= {"fixed": summarise_scores(fixed), "tuned": summarise_scores(at_tuned)}
            entries.append(entry)
    heading = ["system", "pairs", "seeds", f"acc {fixed_at:g}", f"F1 {fixed_at:g}"]
    rows = [[*heading, "acc tuned", "F1 tuned"]]
    for row in entries:
        cells = [
            _format_cell(row[kind].get(name), row["seeds"])
            for kind in ("fixed", "tuned")
            for name in SCORES
        ]
        rows.append([row["system"], row["pairs"], str(row["seeds"]), *cells])
    typer.echo(format_table(rows, n_left=2))
    if dev is not None:
        tuned_on_dev = [f"{tuned:.3f}" for _, tuned in runs["tagger"] if tuned is not None]
        typer.echo(f"Tuned thresholds: {', '.join(tuned_on_dev)}")
    if json_path is not None:
        with open_output(json_path) as file:
            json.dump({"test": test.name, "threshold": fixed_at, "rows": entries}, file, indent=2)
            file.write("\n")


def _format_cell(score: dict[str, float] | None, n_seeds: int) -> str:
    if score is None:
        return "-"
    spread = f"±{100 * score['sd']:.1f}" if n_seeds > 1 else ""
    return f"{100 * score['mean']:.1f}{spread}"

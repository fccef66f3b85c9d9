"""Measure paraphrase taggers on tagged pairs, next to plain overlap (the paper's Table 3).

pairs, pipelines -> scores at a fixed and at a tuned threshold -> rows
"""

from collections.abc import Iterable, Sequence
from typing import Any

from spacy.language import Language

from ..pipelines import find
from .corpus import TaggedPair
from .evaluation import (
    PairProbs,
    predict_pairs,
    score_at,
    split_by_source,
    summarise_scores,
    tag_by_overlap,
    tune_on,
)

SCORES = ("paraphrase_acc", "unparaphrased_f")


def evaluate_taggers(
    nlps: Iterable[Language],
    pairs: Sequence[TaggedPair],
    *,
    dev: Sequence[TaggedPair] | None = None,
    threshold: float | None = None,
    by_source: bool = False,
) -> dict[str, Any]:
    """Score the seeds of one recipe, and plain overlap with and without function words.

    nlps: At least one, each with a paraphrase tagger.
    dev: Pairs to tune the threshold of each pipeline on.
    threshold: The fixed one; None = that of the first pipeline.
    by_source: Also score the pairs of each source.
    RETURNS: "threshold"; "rows": "system", "pairs" ("all" or a source), "seeds" (their number),
        "thresholds" (tuned, or None) and "fixed" and "tuned" scores (0 to 1, see
        `summarise_scores`) of each.
    """
    runs: dict[str, list[tuple[list[PairProbs], float | None]]] = {}
    for name, function_words in (("overlap", True), ("overlap, content words", False)):
        found = [tag_by_overlap(pair, function_words=function_words) for pair in pairs]
        runs[name] = [(found, None)]
    runs["tagger"] = []
    for nlp in nlps:
        if threshold is None:
            threshold = find(nlp, "paraphrase_tagger").cfg["threshold"]
        tuned = None if dev is None else tune_on(predict_pairs(nlp, dev))
        runs["tagger"].append((predict_pairs(nlp, pairs), tuned))
    rows = []
    for system, results in runs.items():
        groups = ["all", *split_by_source(results[0][0])] if by_source else ["all"]
        for group in groups:
            chosen = [
                (found if group == "all" else split_by_source(found)[group], tuned)
                for found, tuned in results
            ]
            fixed = [score_at(found, threshold or 0.0) for found, _ in chosen]
            at_tuned = [score_at(found, tuned) for found, tuned in chosen if tuned is not None]
            row: dict[str, Any] = {"system": system, "pairs": group, "seeds": len(results)}
            row["thresholds"] = [tuned for _, tuned in results]
            row |= {"fixed": summarise_scores(fixed), "tuned": summarise_scores(at_tuned)}
            rows.append(row)
    return {"threshold": threshold, "rows": rows}


def score_rows(report: dict[str, Any]) -> list[list[str]]:
    """Lay a report out as the rows of a table, in percent, the heading first."""
    fixed = f"{report['threshold']:g}"
    heading = ["system", "pairs", "seeds", f"acc {fixed}", f"F1 {fixed}", "acc tuned", "F1 tuned"]
    rows = [heading]
    for row in report["rows"]:
        cells = [
            _format_cell(row[kind].get(name), row["seeds"])
            for kind in ("fixed", "tuned")
            for name in SCORES
        ]
        rows.append([row["system"], row["pairs"], str(row["seeds"]), *cells])
    return rows


def _format_cell(score: dict[str, float] | None, n_seeds: int) -> str:
    if score is None:
        return "-"
    spread = f"±{100 * score['sd']:.1f}" if n_seeds > 1 else ""
    return f"{100 * score['mean']:.1f}{spread}"

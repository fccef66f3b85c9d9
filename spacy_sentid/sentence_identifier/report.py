"""Measure a pipeline at several settings and seeds, and sum it up.

labelled units, p_CC x seeds -> a run each (see `evaluation`) -> mean and sd over the seeds -> rows
"""

import platform
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

import spacy
from spacy.language import Language

from ..about import __version__
from .evaluation import MAX_WORDS, assemble_texts, evaluate_pipeline
from .identify import find_identifier, find_span_keys

LEVELS = {"word": "", "character": "char_"}


def evaluate_settings(
    nlp: Language,
    labelled: Sequence[tuple[str, str]],
    *,
    p_ccs: Sequence[float],
    seeds: Sequence[int],
    layout: str,
) -> dict[str, Any]:
    """Score a pipeline once for each p_CC and seed.

    labelled: (text, label) of each unit, in text order.
    seeds: Each draws other runs of units; p_cc = 0 draws nothing, so all seeds are the same there.
    RETURNS: "settings"; "runs": "p_cc", "seed", "texts" (their number) and "scores" of each;
        "summary": for each p_CC the "mean" and, with two seeds or more, the sample "sd" of each
        score. Scores are 0 to 1; their names are those of `scorer.score_units` with the keys "su"
        and "nsu".

    Raises ValueError without units, or if the pipeline has no sentence identifier.
    """
    if not labelled:
        raise ValueError("Found no units to evaluate on, expected at least one. Check the file.")
    su_key, nsu_key = find_span_keys(nlp)
    runs, summary = [], []
    for p_cc in p_ccs:
        scores = []
        for seed in seeds:
            texts = list(assemble_texts(labelled, p_cc=p_cc, seed=seed, layout=layout))
            scores.append(evaluate_pipeline(nlp, texts, su_key=su_key, nsu_key=nsu_key))
            runs.append({"p_cc": p_cc, "seed": seed, "texts": len(texts), "scores": scores[-1]})
        summary.append({"p_cc": p_cc, **summarise_scores(scores)})
    settings = {
        "layout": layout,
        "max_words": MAX_WORDS,
        "units": len(labelled),
        "component": find_identifier(nlp).cfg,
        "pipeline": {name: nlp.meta.get(name) for name in ("lang", "name", "version")},
        "versions": {
            "spacy_sentid": __version__,
            "spacy": spacy.__version__,
            "python": platform.python_version(),
        },
    }
    return {"settings": settings, "runs": runs, "summary": summary}


def summarise_scores(scores: Sequence[dict[str, float]]) -> dict[str, dict[str, float]]:
    """Take mean and sample standard deviation of each score; no "sd" for a single run.

    >>> summarise_scores([{"f": 0.5}, {"f": 0.5}])
    {'mean': {'f': 0.5}, 'sd': {'f': 0.0}}
    """
    summary = {"mean": {name: fmean(run[name] for run in scores) for name in scores[0]}}
    if len(scores) > 1:
        summary["sd"] = {name: stdev(run[name] for run in scores) for name in scores[0]}
    return summary


def score_rows(summary: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Lay a summary out as the rows of a table, in percent, the heading first.

    RETURNS: For each level and p_CC a row of means, and one of sd if there are any.
    """
    names = {
        "macro": "bio_macro_f",
        "weighted": "bio_weighted_f",
        **{label: f"bio_{label.lower()}_f" for label in "BIO"},
        **{f"SU {x.upper()}": f"spans_su_{x}" for x in "prf"},
        **{f"NSU {x.upper()}": f"spans_nsu_{x}" for x in "prf"},
    }
    rows = [["level", "p_CC", *names]]
    for level, prefix in LEVELS.items():
        for entry in summary:
            for kind in ("mean", "sd"):
                if kind in entry:
                    head = [level, f"{entry['p_cc']:g}"] if kind == "mean" else ["", "sd"]
                    scores = [100 * entry[kind][prefix + name] for name in names.values()]
                    rows.append(head + [f"{score:.1f}" for score in scores])
    return rows

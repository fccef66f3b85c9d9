"""Measure a pipeline at several settings and seeds, and sum it up.

documents, settings x seeds -> a run each (see `evaluation`) -> mean and sd over the seeds -> rows
"""

import platform
from collections.abc import Callable, Sequence
from statistics import fmean, stdev
from typing import Any

import spacy
from spacy.language import Language

from ..about import __version__
from ..pipelines import find
from .evaluation import (
    MAX_WORDS,
    LabelledDocument,
    Setting,
    assemble_setting,
    evaluate_pipeline,
)
from .identify import FACTORY, find_span_keys

LEVELS = {"word": "", "character": "char_"}


def evaluate_settings(
    nlp: Language,
    documents: Sequence[LabelledDocument],
    *,
    settings: Sequence[Setting],
    seeds: Sequence[int],
    layout: str,
    on_text: Callable[[str], object] | None = None,
) -> dict[str, Any]:
    """Score a pipeline once for each setting and seed.

    documents: (text, label) of each unit of each document, in text order.
    seeds: Each draws other runs of units; p_cc = 0 draws nothing, so all seeds are the same there,
        and a segmenter is run once, with the seed None.
    on_text: Is called with each text that is done, for progress (see `count_characters`).
    RETURNS: "settings"; "runs": "setting" (its name), "p_cc", "segmenter", "seed", "texts" (their
        number) and "scores" of each; "summary": for each setting the "mean" and, with two runs or
        more, the sample "sd" of each score. Scores are 0 to 1; their names are those of
        `scorer.score_units` with the keys "su" and "nsu".

    Raises ValueError without units, or if the pipeline has no sentence identifier.
    """
    n_units = sum(map(len, documents))
    if not n_units:
        raise ValueError("Found no units to evaluate on, expected at least one. Check the file.")
    su_key, nsu_key = find_span_keys(nlp)
    runs, summary = [], []
    for setting in settings:
        head = {"setting": setting.name, "p_cc": setting.p_cc, "segmenter": setting.segmenter}
        scores = []
        for seed in _seeds_of(setting, seeds):
            texts = assemble_setting(
                documents, setting, seed=seed or 0, layout=layout, lang=nlp.lang or "xx"
            )
            scores.append(
                evaluate_pipeline(nlp, texts, su_key=su_key, nsu_key=nsu_key, on_text=on_text)
            )
            runs.append({**head, "seed": seed, "texts": len(texts), "scores": scores[-1]})
        summary.append({**head, **summarise_scores(scores)})
    described = {
        "layout": layout,
        "max_words": MAX_WORDS,
        "units": n_units,
        "component": find(nlp, FACTORY).cfg,
        "pipeline": {name: nlp.meta.get(name) for name in ("lang", "name", "version")},
        "versions": {
            "spacy_sentid": __version__,
            "spacy": spacy.__version__,
            "python": platform.python_version(),
        },
    }
    return {"settings": described, "runs": runs, "summary": summary}


def count_characters(
    documents: Sequence[LabelledDocument], *, settings: Sequence[Setting], seeds: Sequence[int]
) -> int:
    """Count the characters, white space aside, of all texts that `evaluate_settings` goes over.

    >>> count_characters([[("Hi Bo.", "NSU")]], settings=[Setting(p_cc=0.5)], seeds=[0, 1])
    10
    """
    once = sum(len("".join(text.split())) for document in documents for text, _ in document)
    return once * sum(len(_seeds_of(setting, seeds)) for setting in settings)


def summarise_scores(scores: Sequence[dict[str, float]]) -> dict[str, dict[str, float]]:
    """Take mean and sample standard deviation of each score; no "sd" for a single run.

    >>> summarise_scores([{"f": 0.5}, {"f": 0.5}])
    {'mean': {'f': 0.5}, 'sd': {'f': 0.0}}
    """
    summary = {"mean": {name: fmean(run[name] for run in scores) for name in scores[0]}}
    if len(scores) > 1:
        summary["sd"] = {name: stdev(run[name] for run in scores) for name in scores[0]}
    return summary


def score_rows(summary: Sequence[dict[str, Any]], *, heading: str = "p_CC") -> list[list[str]]:
    """Lay a summary out as the rows of a table, in percent, the heading first.

    heading: Of the column that names the settings.
    RETURNS: For each level and setting a row of means, and one of sd if there are any.
    """
    names = {
        "macro": "bio_macro_f",
        "weighted": "bio_weighted_f",
        **{label: f"bio_{label.lower()}_f" for label in "BIO"},
        **{f"SU {x.upper()}": f"spans_su_{x}" for x in "prf"},
        **{f"NSU {x.upper()}": f"spans_nsu_{x}" for x in "prf"},
    }
    rows = [["level", heading, *names]]
    for level, prefix in LEVELS.items():
        for entry in summary:
            for kind in ("mean", "sd"):
                if kind in entry:
                    head = [level, entry["setting"]] if kind == "mean" else ["", "sd"]
                    scores = [100 * entry[kind][prefix + name] for name in names.values()]
                    rows.append(head + [f"{score:.1f}" for score in scores])
    return rows


def _seeds_of(setting: Setting, seeds: Sequence[int]) -> Sequence[int | None]:
    return [None] if setting.segmenter is not None else seeds

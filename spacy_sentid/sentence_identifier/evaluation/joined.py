"""Evaluate a pipeline as in the paper, on texts assembled from a treebank's units (section 6.2).

CoNLL-U -> labelled units -> texts of random numbers of units (p_CC) -> pipeline -> scores
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from spacy.language import Language

from ...components.pipelines import find
from ...components.settings import check_range
from ...conllu.treebank import find_treebank_files, read_treebank
from ...scores import summarise_scores
from ...text.units import UNSPACED_LANGS, count_words
from ..access.units import FACTORY, find_span_keys, units_from_doc
from ..corpora.concatenation import assemble_text, group_units
from ..data.convert import label_units
from ..data.gold_document import GoldDocument
from .scorer import score_units

MAX_WORDS = 400
LEVELS = {"word": "", "character": "char_"}


def read_labelled(path: Path, *, split: str | None = None, **rule: Any) -> list[tuple[str, str]]:
    """Read the (text, label) of each unit of a treebank; see `find_treebank_files`.

    rule: Arguments of `label_units`.
    """
    return [
        (unit.text, label)
        for file in find_treebank_files(path, split)
        for unit, label in label_units(read_treebank(file), **rule)
    ]


def assemble_texts(
    labelled: Sequence[tuple[str, str]],
    *,
    p_cc: float,
    seed: int,
    layout: str = "space",
    max_words: int = MAX_WORDS,
    lang: str = "",
) -> Iterator[GoldDocument]:
    """Join consecutive units into evaluation texts, across documents.

    labelled: (text, label) of each unit.
    p_cc: Parameter of the geometric distribution of the number of units. 0 = as many as fit in
        `max_words` words (see `units.word_spans`).
    layout: Separator of units: "space", "line", "paragraph" or "none" (see `concatenation`).
        "space" means "none" in languages written without spaces.
    YIELDS: Texts with ids such as "p0.5-seed0-1".
    """
    check_range("p_cc", p_cc, high=1)
    if layout == "space" and lang in UNSPACED_LANGS:
        layout = "none"
    rng = Random(seed)
    labelled = [(text, label) for text, label in labelled if text.strip()]
    lengths = [count_words(text) for text, _ in labelled]
    groups = group_units(lengths, p_cc=[p_cc], max_length=max_words, rng=rng)
    for number, group in enumerate(groups, start=1):
        document = assemble_text([labelled[i] for i in group], layout=layout, rng=rng)
        yield document._replace(id=f"p{p_cc:g}-seed{seed}-{number}")


def evaluate_settings(
    nlp: Language,
    labelled: Sequence[tuple[str, str]],
    *,
    p_ccs: Sequence[float],
    seeds: Sequence[int],
    layout: str,
    watch: Callable[[list], Iterable] = iter,
) -> dict[str, Any]:
    """Score a pipeline once for each p_CC and seed.

    labelled: (text, label) of each unit, in text order.
    seeds: Random seeds, one run each. With p_cc = 0 there is nothing random, so all runs are the
        same.
    watch: Function that the list of runs passes through, for progress.
    RETURNS: "settings"; "runs", each with "p_cc", "seed", "texts" (their number) and "scores";
        "summary", for each p_CC the "mean" and, for two runs or more, the sample "sd" of each
        score. Scores are those of `scorer.score_units`, from 0 to 1.

    Raises ValueError if the pipeline has no sentence identifier.
    """
    keys = find_span_keys(nlp)
    described = {
        "layout": layout,
        "max_words": MAX_WORDS,
        "units": len(labelled),
        "component": find(nlp, FACTORY).cfg,
        "pipeline": {name: nlp.meta.get(name) for name in ("lang", "name", "version")},
    }
    runs = []
    for p_cc, seed in watch(list(product(p_ccs, seeds))):
        texts = list(
            assemble_texts(labelled, p_cc=p_cc, seed=seed, layout=layout, lang=nlp.lang or "")
        )
        pairs = zip(texts, nlp.pipe(text.text for text in texts), strict=True)
        scores = score_units(
            (gold.text, gold.units, units_from_doc(doc, keys)) for gold, doc in pairs
        )
        runs.append({"p_cc": p_cc, "seed": seed, "texts": len(texts), "scores": scores})
    summary = [
        {"p_cc": p_cc, **summarise_scores([run["scores"] for run in runs if run["p_cc"] == p_cc])}
        for p_cc in p_ccs
    ]
    return {"settings": described, "runs": runs, "summary": summary}


def tabulate_scores(summary: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Format a summary as rows of a table, in percent, with the heading first.

    RETURNS: For each level and p_CC, a row of means, and a row of deviations if there are any.
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

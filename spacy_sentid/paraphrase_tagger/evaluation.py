"""Evaluate taggers on tagged pairs, and compare them with word overlap (Table 3 of the paper).

pairs, pipelines -> P(unparaphrased) of each word -> scores at a fixed and a tuned threshold -> rows

Scores are 0 to 1.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language

from ..arrays import Floats1d, Ints1d, sigmoid
from ..components.pipelines import find, list_factories
from ..scores import summarise_scores
from .corpus import SUPPORT, UNPARAPHRASED_KEY, TaggedPair
from .decode import find_spans
from .matching.words import FUNCTION_WORDS, describe_word
from .pairs import make_pair
from .scorer import score_tags

# Candidate thresholds for tuning.
THRESHOLDS = np.linspace(0.01, 0.99, 99)
SCORES = ("paraphrase_acc", "unparaphrased_f")


class PairProbs(NamedTuple):
    """A tagged pair with P(unparaphrased) of its words, text 1 first."""

    pair: TaggedPair
    probs: Floats1d
    extend: float | None = None  # the setting of the tagger


def predict_pairs(nlp: Language, pairs: Iterable[TaggedPair]) -> list[PairProbs]:
    """Run a pipeline over pairs."""
    pairs = list(pairs)
    settings = find_settings(nlp)
    key, extend = settings["key"], settings["extend"]
    docs = nlp.pipe(make_pair(nlp, p.words1, p.words2, pair_id=p.id) for p in pairs)
    found = []
    for pair, doc in zip(pairs, docs, strict=True):
        if key not in doc.spans or SUPPORT not in doc.spans[key].attrs:
            raise ValueError(
                f"The pipeline must write doc.spans[{key!r}] with support, as 'paraphrase_tagger' "
                f"does, got the keys {', '.join(doc.spans)}."
            )
        found.append(PairProbs(pair, sigmoid(-doc.spans[key].attrs[SUPPORT]), extend))
    return found


def find_settings(nlp: Language) -> dict[str, Any]:
    """Find the settings of a pipeline's tagger. They always include "key" and "extend"."""
    if "paraphrase_tagger" in list_factories(nlp):
        settings: dict[str, Any] = find(nlp, "paraphrase_tagger").cfg
        return settings
    return {"key": UNPARAPHRASED_KEY, "extend": None}


def gold_tags(pairs: Iterable[TaggedPair]) -> Ints1d:
    """Concatenate the tags of all words; ValueError with its id if a pair has no tags."""
    tags: list[int] = []
    for pair in pairs:
        if pair.tags1 is None or pair.tags2 is None:
            raise ValueError(f"Pair {pair.id!r} must have tags, got none.")
        tags += pair.tags1 + pair.tags2
    return np.asarray(tags, dtype="int64")


def tune_on(found: Sequence[PairProbs]) -> float:
    """Find the threshold, of THRESHOLDS, with the highest F1; the lowest of several."""
    scores = [score_at(found, float(t))["unparaphrased_f"] for t in THRESHOLDS]
    return float(THRESHOLDS[int(np.argmax(scores))])


def score_at(found: Sequence[PairProbs], threshold: float) -> dict[str, float]:
    """Score predictions at a threshold (see `scorer.score_tags`)."""
    golds, preds = [], []
    for pair, probs, extend in found:
        cut = len(pair.words1)
        gold = gold_tags([pair])
        golds += [gold[:cut], gold[cut:]]
        for part in (probs[:cut], probs[cut:]):
            pred = np.zeros(len(part), dtype="int64")
            for start, end in find_spans(part.tolist(), threshold, extend):
                pred[start:end] = 1
            preds.append(pred)
    return score_tags(golds, preds)


def tag_by_overlap(pair: TaggedPair, *, function_words: bool) -> PairProbs:
    """Tag words by overlap: 1 if no word of the other text has the same core.

    function_words: Also tag function words and punctuation; otherwise they are always 0.
    """
    sides = [[describe_word(word) for word in words] for words in (pair.words1, pair.words2)]
    tags = []
    for own, other in (sides, sides[::-1]):
        cores = {word.core for word in other}
        for word in own:
            is_bare = word.core in FUNCTION_WORDS or not any(map(str.isalnum, word.core))
            tags.append(word.core not in cores and (function_words or not is_bare))
    return PairProbs(pair, np.asarray(tags, dtype="float32"))


def evaluate_taggers(
    nlps: Iterable[Language],
    pairs: Sequence[TaggedPair],
    *,
    dev: Sequence[TaggedPair] | None = None,
    threshold: float | None = None,
    by_source: bool = False,
) -> dict[str, Any]:
    """Score the pipelines of one recipe (its seeds), and word overlap for comparison.

    nlps: At least one pipeline, each with a paraphrase tagger.
    dev: Pairs to tune the threshold of each pipeline on.
    threshold: The fixed threshold; None = the setting of the first pipeline.
    by_source: Also score the pairs of each source separately.
    RETURNS: "threshold" and "rows". A row has "system", "pairs" ("all" or a source), "seeds" (their
        number), "thresholds" (tuned, or None), and the scores "fixed" and "tuned", 0 to 1 (see
        `summarise_scores`; {} = not tuned).
    """
    runs: dict[str, list[tuple[list[PairProbs], float | None]]] = {
        name: [([tag_by_overlap(pair, function_words=function_words) for pair in pairs], None)]
        for name, function_words in (("overlap", True), ("overlap, content words", False))
    }
    runs["tagger"] = []
    for nlp in nlps:
        if threshold is None:
            threshold = find(nlp, "paraphrase_tagger").cfg["threshold"]
        tuned = None if dev is None else tune_on(predict_pairs(nlp, dev))
        runs["tagger"].append((predict_pairs(nlp, pairs), tuned))
    # Sources in order of first appearance; None = all pairs.
    sources = [None, *dict.fromkeys(pair.source for pair in pairs if by_source)]
    rows = []
    for system, results in runs.items():
        for source in sources:
            fixed, at_tuned = [], []
            for found, tuned in results:
                chosen = [row for row in found if source in (None, row.pair.source)]
                fixed.append(score_at(chosen, threshold or 0.0))
                if tuned is not None:
                    at_tuned.append(score_at(chosen, tuned))
            row: dict[str, Any] = {"system": system, "pairs": "all" if source is None else source}
            row |= {"seeds": len(results), "thresholds": [tuned for _, tuned in results]}
            row["fixed"] = summarise_scores(fixed)
            row["tuned"] = summarise_scores(at_tuned) if at_tuned else {}
            rows.append(row)
    return {"threshold": threshold, "rows": rows}


def score_rows(report: dict[str, Any]) -> list[list[str]]:
    """Format a report as the rows of a table, with scores in percent and the heading first."""
    fixed = f"{report['threshold']:g}"
    heading = ["system", "pairs", "seeds", f"acc {fixed}", f"F1 {fixed}", "acc tuned", "F1 tuned"]
    rows = [heading]
    for row in report["rows"]:
        summaries = [(row[kind], name) for kind in ("fixed", "tuned") for name in SCORES]
        cells = [_format_cell(summary, name) for summary, name in summaries]
        rows.append([row["system"], row["pairs"], str(row["seeds"]), *cells])
    return rows


def _format_cell(summary: dict[str, dict[str, float]], name: str) -> str:
    if not summary:
        return "-"
    spread = f"±{100 * summary['sd'][name]:.1f}" if "sd" in summary else ""
    return f"{100 * summary['mean'][name]:.1f}{spread}"

"""Evaluate a tagger on tagged pairs as Table 3 does.

pairs -> pipeline -> P(unparaphrased) of each word -> scores at a fixed and a tuned threshold

Scores are 0 to 1.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language

from ..arrays import Floats1d, Ints1d, sigmoid
from ..pipelines import find, list_factories
from .corpus import SUPPORT, UNPARAPHRASED_KEY, TaggedPair
from .decode import tag_words
from .pairs import make_pair
from .scorer import score_tags
from .words import FUNCTION_WORDS, describe_word

# Thresholds that are tried when one is tuned.
THRESHOLDS = np.linspace(0.01, 0.99, 99)


class PairProbs(NamedTuple):
    """A tagged pair and P(unparaphrased) of its words, text 1 first."""

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
                f"The pipeline wrote no spans[{key!r}] with support (found keys: "
                f"{', '.join(doc.spans)}). Give one with the component 'paraphrase_tagger'."
            )
        found.append(PairProbs(pair, sigmoid(-doc.spans[key].attrs[SUPPORT]), extend))
    return found


def find_settings(nlp: Language) -> dict[str, Any]:
    """Find the settings of the tagger of a pipeline; "key" and "extend" are always there."""
    if "paraphrase_tagger" in list_factories(nlp):
        settings: dict[str, Any] = find(nlp, "paraphrase_tagger").cfg
        return settings
    return {"key": UNPARAPHRASED_KEY, "extend": None}


def gold_tags(pairs: Iterable[TaggedPair]) -> Ints1d:
    """Lay the tags of all words end to end; ValueError with the id of a pair that has none."""
    tags: list[int] = []
    for pair in pairs:
        if pair.tags1 is None or pair.tags2 is None:
            raise ValueError(f"Pair {pair.id!r} has no tags, expected tagged pairs. Tag it.")
        tags += pair.tags1 + pair.tags2
    return np.asarray(tags, dtype="int64")


def tune_on(found: Sequence[PairProbs]) -> float:
    """Find the threshold of highest F1 on pairs, of THRESHOLDS; the lowest of equals."""
    scores = [score_at(found, float(t))["unparaphrased_f"] for t in THRESHOLDS]
    return float(THRESHOLDS[int(np.argmax(scores))])


def score_at(found: Sequence[PairProbs], threshold: float) -> dict[str, float]:
    """Score predictions at a threshold; see `scorer.score_tags`."""
    golds, preds = [], []
    for pair, probs, extend in found:
        cut = len(pair.words1)
        gold = gold_tags([pair])
        golds += [gold[:cut], gold[cut:]]
        preds += [tag_words(part, threshold, extend) for part in (probs[:cut], probs[cut:])]
    return score_tags(golds, preds)


def split_by_source(found: Sequence[PairProbs]) -> dict[str, list[PairProbs]]:
    """Group predictions by the source of the pairs, in order of first appearance."""
    groups: dict[str, list[PairProbs]] = {}
    for row in found:
        groups.setdefault(row.pair.source, []).append(row)
    return groups


def tag_by_overlap(pair: TaggedPair, *, function_words: bool) -> PairProbs:
    """Tag by plain overlap: 1 = the other text has no word of this core.

    function_words: Whether function words and punctuation may be tagged 1 too.
    """
    sides = [[describe_word(word) for word in words] for words in (pair.words1, pair.words2)]
    tags = []
    for own, other in (sides, sides[::-1]):
        cores = {word.core for word in other}
        for word in own:
            is_bare = word.core in FUNCTION_WORDS or not any(map(str.isalnum, word.core))
            tags.append(word.core not in cores and (function_words or not is_bare))
    return PairProbs(pair, np.asarray(tags, dtype="float32"))


def summarise_scores(scores: Sequence[dict[str, float]]) -> dict[str, dict[str, float]]:
    """Give mean and standard deviation (of the sample; 0 of one run) of each score; {} of none."""
    names = scores[0] if scores else {}
    summary = {}
    for name in names:
        values = np.asarray([score[name] for score in scores])
        spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        summary[name] = {"mean": float(values.mean()), "sd": spread}
    return summary

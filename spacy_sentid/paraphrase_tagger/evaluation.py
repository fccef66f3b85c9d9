"""Evaluate a tagger on tagged pairs as Table 3 does; agreement of annotators; Table 2.

pairs -> pipeline -> P(unparaphrased) of each word -> scores at a fixed and a tuned threshold

Scores are 0 to 1.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language

from ..arrays import Floats1d, Ints1d
from ..pipelines import find, list_factories
from .corpus import SUPPORT, UNPARAPHRASED_KEY, TaggedPair
from .decode import tag_words
from .pairs import make_pair
from .scorer import score_tags
from .tags import sigmoid
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


def compute_kappa(first: Sequence[int], second: Sequence[int]) -> float:
    """Compute Cohen's kappa of two annotations of the same words (section 4.2).

    NaN if both gave every word the same single tag, where agreement by chance is certain.

    >>> compute_kappa([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    a, b = np.asarray(first), np.asarray(second)
    if len(a) != len(b) or not len(a):
        raise ValueError(
            f"Found annotations of {len(a)} and {len(b)} words, expected two of the same words."
        )
    observed = float((a == b).mean())
    by_chance = float(sum((a == tag).mean() * (b == tag).mean() for tag in {*a, *b}))
    return (observed - by_chance) / (1 - by_chance) if by_chance < 1 else float("nan")


def compare_annotations(
    first: Sequence[TaggedPair], second: Sequence[TaggedPair]
) -> dict[str, Any]:
    """Compare two annotations of the same pairs, the first as gold (section 4.2).

    RETURNS: "pairs", "words", "kappa" and the scores of `scorer.score_tags`.

    Pairs are matched by their ids if all of them have one, else line by line.

    Raises ValueError with the id if the two are not of the same sentences, or an id comes twice.
    """
    pairs = _match_annotations(first, second)
    golds, preds = [], []
    for pair, other in pairs:
        gold_tags([pair, other])  # both have tags
        golds += [pair.tags1, pair.tags2]
        preds += [other.tags1, other.tags2]
    flat = [[tag for row in rows for tag in row or []] for rows in (golds, preds)]
    return {
        "pairs": len(first),
        "words": len(flat[0]),
        "kappa": compute_kappa(*flat),
        **score_tags(golds, preds),
    }


def _match_annotations(
    first: Sequence[TaggedPair], second: Sequence[TaggedPair]
) -> list[tuple[TaggedPair, TaggedPair]]:
    # The id of a pair without one is its place, "file:line".
    places = [re.sub(r"^.*:(\d+)$", r":\1", pair.id) for pair in second]
    others = dict(zip(places, second, strict=True))
    names = [re.sub(r"^.*:(\d+)$", r":\1", pair.id) for pair in first]
    for kind, found in (("first", names), ("second", places)):
        twice = [name for name, count in Counter(found).items() if count > 1]
        if twice:
            raise ValueError(
                f"The id {twice[0]!r} comes more than once in the {kind} annotation, expected "
                "each pair once. Give the pairs ids of their own."
            )
    matched = []
    for name, pair in zip(names, first, strict=True):
        other = others.get(name)
        if other is None or (pair.words1, pair.words2) != (other.words1, other.words2):
            raise ValueError(
                f"Pair {pair.id!r} of the first annotation is not in the second, or of other "
                "words. Give two annotations of the same pairs."
            )
        matched.append((pair, other))
    if len(first) != len(second):
        raise ValueError(
            f"Found annotations of {len(first)} and {len(second)} pairs, expected two of the same "
            "pairs. Leave out those that only one has."
        )
    return matched


def count_pairs(pairs: Iterable[TaggedPair]) -> dict[str, float]:
    """Count what Table 2 counts.

    RETURNS: "pairs"; "paraphrases": pairs where no word is tagged 1; "words" in all and
        "words_per_pair"; "para_tag_rate": share of words tagged 0.
    """
    n_pairs = n_paraphrases = n_words = n_ones = 0
    for pair in pairs:
        tags = gold_tags([pair])
        n_pairs += 1
        n_paraphrases += not tags.any()
        n_words += len(tags)
        n_ones += int(tags.sum())
    return {
        "pairs": n_pairs,
        "paraphrases": n_paraphrases,
        "words": n_words,
        "words_per_pair": n_words / n_pairs if n_pairs else 0.0,
        "para_tag_rate": 1 - n_ones / n_words if n_words else 0.0,
    }


def summarise_scores(scores: Sequence[dict[str, float]]) -> dict[str, dict[str, float]]:
    """Give mean and standard deviation (of the sample; 0 of one run) of each score; {} of none."""
    names = scores[0] if scores else {}
    summary = {}
    for name in names:
        values = np.asarray([score[name] for score in scores])
        spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        summary[name] = {"mean": float(values.mean()), "sd": spread}
    return summary

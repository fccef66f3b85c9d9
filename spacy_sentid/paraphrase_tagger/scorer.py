"""Score tagged pairs by word accuracy, F1 of unparaphrased words (Table 3) and exact spans.

gold and predicted tags of the words of both texts -> counts -> accuracy, precision, recall, F1

Scores are 0 to 1.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.training import Example

from ..arrays import Floats1d, Ints1d, sigmoid
from ..scores import precision_recall_f
from .corpus import (
    SUPPORT,
    UNPARAPHRASED_KEY,
    TaggedPair,
    doc_from_pair,
    find_key,
    tags_from_spans,
)
from .decode import runs_of_ones
from .pairs import PAIR_KEY, get_pair, make_pair


def make_paraphrase_scorer() -> Callable:
    """Make the scorer of the paraphrase tagger, for configs."""
    return score_examples


def score_tagger(nlp: Language, pairs: Iterable[TaggedPair]) -> dict[str, float]:
    """Run a pipeline over pairs with tags, and score its tags (see `score_examples`)."""
    key, pairs = find_key(nlp), list(pairs)
    docs = nlp.pipe(make_pair(nlp, p.words1, p.words2, pair_id=p.id) for p in pairs)
    golds = (doc_from_pair(nlp, pair, key=key) for pair in pairs)
    return score_examples(map(Example, docs, golds), key=key)


def score_examples(
    examples: Iterable[Example], *, key: str = UNPARAPHRASED_KEY, **_: Any
) -> dict[str, Any]:
    """Score the predicted spans of Examples against the gold ones.

    Examples whose reference has no spans under `key` are skipped.
    RETURNS: The keys of `score_tags`. If all predictions have support, also
        `unparaphrased_best_f`, the highest F1 of these Examples over all thresholds, and its
        `unparaphrased_best_threshold`. {} if no Example is left.
    """
    golds, preds, probs = [], [], []
    for example in examples:
        if key not in example.reference.spans:
            continue
        gold = align_tags(example, key=key)
        first = get_pair(example.predicted)[0]
        found: Any = example.predicted.spans
        group = found.get(key)
        pred = np.asarray(tags_from_spans(group or (), len(example.predicted)))
        n = len(first)
        golds += [gold[:n], gold[n:]]
        preds += [pred[:n], pred[n:]]
        support = None if group is None else group.attrs.get(SUPPORT)
        if support is not None:
            probs.append(sigmoid(-np.asarray(support))[gold >= 0])
    if not golds:
        return {}
    scores = score_tags(golds, preds)
    if len(probs) * 2 == len(golds):
        words = np.concatenate(golds)
        threshold, best = tune_threshold(words[words >= 0], np.concatenate(probs))
        scores["unparaphrased_best_threshold"] = threshold
        scores["unparaphrased_best_f"] = best
    return scores


def align_tags(example: Example, *, key: str = UNPARAPHRASED_KEY) -> Ints1d:
    """Align the gold tags with the predicted tokens.

    RETURNS: A tag for each predicted token: 1 or 0 if all gold tokens that it overlaps have that
        tag, -1 (unknown) otherwise and for white space.

    Raises ValueError if the reference is not a pair with gold spans, or has another text.
    """
    gold, pred = example.reference, example.predicted
    if key not in gold.spans:
        raise ValueError(
            f"No Doc has spans[{key!r}] to learn from (found keys: {', '.join(gold.spans)}). Read "
            "the pairs with the reader 'spacy_sentid.PairCorpus.v1', or set 'key' to the key that "
            "holds the gold spans."
        )
    if gold.text != pred.text or PAIR_KEY not in pred.spans:
        raise ValueError(
            f"Both Docs of an Example must be the same pair, made with spacy_sentid.make_pair, got "
            f"{gold.text[:30]!r} and {pred.text[:30]!r}."
        )
    tags = np.asarray(tags_from_spans(gold.spans[key], len(gold)))
    if [token.idx for token in gold] != [token.idx for token in pred]:
        tags = _tags_of_other_tokens(example, tags)
    is_space = np.asarray([token.is_space for token in pred])
    return np.where(is_space, -1, tags)


def _tags_of_other_tokens(example: Example, tags: Ints1d) -> Ints1d:
    """Map gold tags to predicted tokens with other boundaries."""
    aligned = np.full(len(example.predicted), -1)
    for i in range(len(aligned)):
        found = tags[np.asarray(example.alignment.x2y[i], dtype="int64")]
        if len(found) and (found == found[0]).all():
            aligned[i] = found[0]
    return aligned


def score_tags(golds: Iterable[Any], preds: Iterable[Any]) -> dict[str, float]:
    """Score the tags of texts.

    golds, preds: 0 or 1 for each word of each text. Words with gold tag -1 are ignored.
    RETURNS: `paraphrase_acc` over all words, `unparaphrased_p/r/f` of the words of tag 1, and
        `spans_unparaphrased_p/r/f` of their runs. F1 is 1 if neither gold nor prediction has any.

    >>> scores = score_tags([[0, 1, 1]], [[0, 1, 0]])
    >>> round(scores["paraphrase_acc"], 2), scores["unparaphrased_p"], scores["unparaphrased_r"]
    (0.67, 1.0, 0.5)
    """
    right = total = both = found = there = 0
    spans = [0, 0, 0]
    for gold_row, pred_row in zip(golds, preds, strict=True):
        gold, pred = np.asarray(gold_row), np.asarray(pred_row)
        pred = np.where(gold >= 0, pred, 0)
        right += int((gold == pred).sum())
        total += int((gold >= 0).sum())
        both += int(((gold == 1) & (pred == 1)).sum())
        found += int((pred == 1).sum())
        there += int((gold == 1).sum())
        gold_runs, pred_runs = set(runs_of_ones(gold == 1)), set(runs_of_ones(pred == 1))
        spans[0] += len(gold_runs & pred_runs)
        spans[1] += len(pred_runs)
        spans[2] += len(gold_runs)
    scores = {"paraphrase_acc": right / total if total else 0.0}
    for name, counts in (
        ("unparaphrased", (both, found, there)),
        ("spans_unparaphrased", tuple(spans)),
    ):
        p, r, f = precision_recall_f(*counts, empty=1.0)
        scores.update({f"{name}_p": p, f"{name}_r": r, f"{name}_f": f})
    return scores


def tune_threshold(tags: Ints1d, probs: Floats1d) -> tuple[float, float]:
    """Find the threshold with the highest F1.

    tags: (n_words,) gold tags, 0 or 1.
    probs: (n_words,) probabilities of tag 1.
    RETURNS: (threshold, F1). Words of at least that probability are tagged 1.

    >>> tune_threshold(np.array([0, 1, 0, 1]), np.array([0.1, 0.4, 0.2, 0.9]))
    (0.4, 1.0)
    """
    order = np.argsort(-probs, kind="stable")
    both = np.cumsum(tags[order])
    f = 2 * both / (np.arange(1, len(tags) + 1) + tags.sum())
    # Words of equal probability are on the same side of any threshold.
    is_last = np.append(probs[order][1:] < probs[order][:-1], True)
    best = int(np.argmax(np.where(is_last, f, -1)))
    return float(probs[order][best]), float(f[best])

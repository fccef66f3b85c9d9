"""Score units: BIO F1 of words and characters, exact SUs, merged NSUs (6.2, App. C, E), kinds.

gold and predicted units in characters -> labels and spans of words or characters -> counts -> F1

Words are those of `units.word_spans`: text between white space, and single characters in scripts
without spaces. White-space characters are not counted. Scores are 0 to 1.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spacy.training import Example

from ...scores import precision_recall_f
from ...text.units import BIO, NSU, NSU_KINDS, SU, Unit, label_text, units_from_bio, word_spans
from ..access.spans import read_units
from ..learning.gold import check_same_text

LEVELS = ("word", "char")


def make_unit_scorer() -> Callable:
    """Return the scorer of the sentence identifier, for configs."""
    return score_examples


def score_examples(
    examples: Iterable[Example], *, su_key: str = "su", nsu_key: str = "nsu", **_: Any
) -> dict[str, Any]:
    """Score the predicted span groups of Examples against the gold ones.

    Examples whose reference has no group `su_key` are skipped.
    RETURNS: The scores of `score_units` and, if gold has kinds of NSUs, of `score_kinds`. The names
        `spans_<key>_...` contain the span keys. {} if all Examples are skipped.
    """
    pairs = []
    for example in examples:
        gold, pred = example.reference, example.predicted
        if su_key in gold.spans:
            check_same_text(gold, pred)
            gold_units, pred_units = (
                read_units(doc, su_key=su_key, nsu_key=nsu_key, with_kinds=True)
                for doc in (gold, pred)
            )
            pairs.append((gold.text, gold_units, pred_units))
    if not pairs:
        return {}
    scores: dict[str, Any] = dict(score_units(pairs, su_key=su_key, nsu_key=nsu_key))
    return scores | score_kinds(pairs, nsu_key=nsu_key)


def score_units(
    documents: Iterable[tuple[str, Sequence[Unit], Sequence[Unit]]],
    *,
    su_key: str = "su",
    nsu_key: str = "nsu",
) -> dict[str, float]:
    """Score predicted against gold units.

    documents: (text, gold units, predicted units), with units in characters of the text. Characters
        outside of all units count as NSU.
    RETURNS: `bio_macro_f` (mean over the labels in gold: B, I, O, or B, I if gold has no NSU;
        footnote 11), `bio_weighted_f` (mean weighted by gold frequency), `bio_b_f`, `bio_i_f`,
        `bio_o_f`, `spans_su_p/r/f` (exact SUs) and `spans_nsu_p/r/f` (exact NSUs, with neighbouring
        ones merged). These are at word level; names with the prefix `char_` are at character level.
        0.0 if there is nothing to count.

    >>> gold = [Unit(0, 6, "NSU"), Unit(7, 15, "SU")]
    >>> scores = score_units([("Page 3 I sleep.", gold, [Unit(0, 15, "SU")])])
    >>> scores["spans_su_f"], round(scores["bio_i_f"], 2)
    (0.0, 0.5)
    """
    confusion: dict[str, Counter] = {level: Counter() for level in LEVELS}
    spans: Counter[tuple[str, str, str]] = Counter()
    for text, gold, pred in documents:
        gold_levels, pred_levels = label_text(text, gold), label_text(text, pred)
        for level in LEVELS:
            confusion[level].update(zip(gold_levels[level], pred_levels[level], strict=True))
            in_gold = set(units_from_bio(gold_levels[level]))
            in_pred = set(units_from_bio(pred_levels[level]))
            found = {"both": in_gold & in_pred, "pred": in_pred, "gold": in_gold}
            for name, units in found.items():
                spans.update((level, unit.label, name) for unit in units)
    scores: dict[str, float] = {}
    for level in LEVELS:
        prefix = "" if level == "word" else f"{level}_"
        scores.update({prefix + name: f for name, f in _bio_scores(confusion[level]).items()})
        for label, key in ((SU, su_key), (NSU, nsu_key)):
            counts = (spans[level, label, name] for name in ("both", "pred", "gold"))
            for letter, score in zip("prf", precision_recall_f(*counts), strict=True):
                scores[f"{prefix}spans_{key}_{letter}"] = score
    return scores


def score_kinds(
    documents: Iterable[tuple[str, Sequence[Unit], Sequence[Unit]]], *, nsu_key: str = "nsu"
) -> dict[str, Any]:
    """Score the kinds of predicted NSUs, if gold has kinds.

    documents: See `score_units`; labels are SU, NSU or one of NSU_KINDS.
    RETURNS: `spans_nsu_kind_acc` (share of the gold NSUs of a known kind with most of their words
        in predicted units of that kind), and `spans_nsu_per_type` ({kind: {"p", "r", "f"}} of exact
        spans, by words). Predicted NSUs that overlap gold NSUs of unknown kind do not count. {} if
        gold has no kinds.

    >>> gold = [Unit(0, 6, "METADATA"), Unit(7, 15, "SU")]
    >>> score_kinds([("Page 3 I sleep.", gold, gold)])
    {'spans_nsu_kind_acc': 1.0, 'spans_nsu_per_type': {'METADATA': {'p': 1.0, 'r': 1.0, 'f': 1.0}}}
    """
    counts: Counter[tuple[str, str]] = Counter()  # by (kind or "" for all, name of the count)
    for text, gold, pred in documents:
        words = word_spans(text)
        in_gold, in_pred = _units_of_words(words, gold), _units_of_words(words, pred)
        labels = [SU] * len(words)
        for start, end, label in in_pred:
            labels[start:end] = [label] * (end - start)
        unknown = {n for unit in in_gold if unit.label == NSU for n in range(*unit[:2])}
        in_pred = {unit for unit in in_pred if unknown.isdisjoint(range(*unit[:2]))}
        found = {"both": in_gold & in_pred, "pred": in_pred, "gold": in_gold}
        for name, units in found.items():
            counts.update((unit.label, name) for unit in units)
        for start, end, label in in_gold:
            if label in NSU_KINDS:
                counts["", "known"] += 1
                counts["", "right"] += 2 * labels[start:end].count(label) > end - start
    if not counts["", "known"]:
        return {}
    per_type = {}
    for kind in NSU_KINDS:
        numbers = [counts[kind, name] for name in ("both", "pred", "gold")]
        if any(numbers):
            per_type[kind] = dict(zip("prf", precision_recall_f(*numbers), strict=True))
    return {
        f"spans_{nsu_key}_kind_acc": counts["", "right"] / counts["", "known"],
        f"spans_{nsu_key}_per_type": per_type,
    }


def _units_of_words(words: Sequence[tuple[int, int]], units: Iterable[Unit]) -> set[Unit]:
    """Convert units in characters to units in words; a word belongs to all units that touch it."""
    starts, ends = zip(*words, strict=True) if words else ((), ())
    found = (
        Unit(bisect_right(ends, unit.start), bisect_left(starts, unit.end), unit.label)
        for unit in units
    )
    return {unit for unit in found if unit.start < unit.end}


def _bio_scores(confusion: Counter) -> dict[str, float]:
    f_of, support = {}, {}
    for label in BIO:
        support[label] = sum(n for (gold, _), n in confusion.items() if gold == label)
        predicted = sum(n for (_, pred), n in confusion.items() if pred == label)
        right = confusion[label, label]
        f_of[label] = precision_recall_f(right, predicted, support[label])[2]
    total = sum(support.values())
    present = [label for label in BIO if support[label]]
    return {
        "bio_macro_f": sum(f_of[label] for label in present) / len(present) if present else 0.0,
        "bio_weighted_f": sum(f_of[x] * support[x] for x in BIO) / total if total else 0.0,
        **{f"bio_{label.lower()}_f": f_of[label] for label in BIO},
    }

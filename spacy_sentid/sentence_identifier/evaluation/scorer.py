"""Score predicted units: labels of words, exact units, kinds of NSUs, noise kept, words lost.

gold and predicted units in characters -> counts of each document -> scores from 0 to 1

Units are compared in two ways, and the names of the scores say which:

bio_, spans_su_, spans_nsu_   as in the paper (6.2, App. C, E): by words, or with the prefix `char_`
                              by characters; neighbouring NSUs are merged
su_, nsu_, and all of kinds   as a reader judges them: element by element, by characters, without
                              list marks, quote marks, and a time stamp or speaker label at the
                              start, and without emoji at the end

Words are those of `units.word_spans`: text between white space, and single characters in scripts
without spaces.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from spacy.training import Example

from ...scores import precision_recall_f
from ...text.units import BIO, NSU, NSU_KINDS, SU, Unit, label_text, units_from_bio, word_spans
from ..access.units import Keys, units_from_doc
from ..data.gold_document import GoldDocument
from ..learning.gold import check_same_text

OPENING = re.compile(
    r"(?:[>|]\s*|(?:[-*•–·+o]|\d{1,3}(?:\.\d{1,3})+\.?(?=[ \t]+[A-Z])|\(?\d{1,3}[.)]"
    r"|\(?[a-zA-Z]\)|[a-z]\.|\(?[ivx]+\))[ \t]+)+(?=\S)"
)
CLOSING = re.compile(
    "[\\s\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff"
    "\u200d\u20e3\ufe0f]+$"
)
BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
PREFIXES = {"word": "", "char": "char_"}


def make_unit_scorer() -> Callable:
    """Return the scorer of the sentence identifier, for configs."""
    return score_examples


def score_examples(
    examples: Iterable[Example], *, su_key: str = "su", nsu_key: str = "nsu", **_: Any
) -> dict[str, Any]:
    """Score the predicted span groups of Examples against the gold ones.

    Examples whose reference has no group `su_key` are skipped.
    RETURNS: See `score_units`; {} if all Examples are skipped.
    """
    keys = Keys(su_key, nsu_key)
    pairs = []
    for example in examples:
        gold, pred = example.reference, example.predicted
        if su_key in gold.spans:
            check_same_text(gold, pred)
            pairs.append((gold.text, units_from_doc(gold, keys), units_from_doc(pred, keys)))
    return score_units(pairs, keys) if pairs else {}


def score_units(
    documents: Iterable[tuple[str, Sequence[Unit], Sequence[Unit]]],
    keys: tuple[str, str] = Keys(),
) -> dict[str, Any]:
    """Score predicted against gold units.

    documents: (text, gold units, predicted units), with units in characters of the text. Characters
        outside of all units count as NSU. Labels are SU, NSU or one of NSU_KINDS.
    keys: Keys of the span groups, for the names `spans_<key>_...`.
    RETURNS: `bio_macro_f` (mean over the labels in gold: B, I, O, or B, I if gold has no NSU;
        footnote 11), `bio_weighted_f` (mean weighted by gold frequency), `bio_b_f`, `bio_i_f`,
        `bio_o_f`, `spans_su_p/r/f` (exact SUs) and `spans_nsu_p/r/f` (exact NSUs, with neighbouring
        ones merged), all by words, and by characters with the prefix `char_`. White space does not
        count. 0.0 if there is nothing to count.

        If gold has kinds of NSUs, also `spans_nsu_kind_acc` (share of the gold NSUs of a known kind
        that are mostly in predicted units of that kind), and `spans_nsu_per_type` ({kind: {"p",
        "r", "f", "gold"}} of exact elements; "gold" is their number). Predicted NSUs that overlap
        gold NSUs of unknown kind do not count there.

    >>> gold = [Unit(0, 6, "METADATA"), Unit(7, 15, "SU")]
    >>> scores = score_units([("Page 3 I sleep.", gold, [Unit(0, 15, "SU")])])
    >>> scores["spans_su_f"], round(scores["bio_i_f"], 2), scores["spans_nsu_kind_acc"]
    (0.0, 0.5, 0.0)
    """
    counts: Counter[tuple[str, ...]] = Counter()
    for text, gold, pred in documents:
        counts.update(_count_units(text, gold, pred))
    return _find_unit_scores(counts, keys)


def score_documents(
    documents: Iterable[GoldDocument], predicted: Iterable[Sequence[Unit]]
) -> dict[str, dict[str, Any]]:
    """Score the units that any system has found in documents, for all and by kind of text.

    predicted: The units of each document, in characters. Systems without NSUs only have SUs.
    RETURNS: For "" (all documents) and each kind of text, the scores of `score_units`, and
        `su_p/r/f` (exact SUs), `nsu_p/r/f` (exact elements of any kind), `nsu_kinds_p/r/f` (exact
        elements with their kind, if gold has kinds), `noise_kept` (share of the words of NSUs that
        are in predicted SUs), `words_lost` (share of the words of SUs that are not in predicted
        SUs), `boundary_p/r/f` (starts of units and of sentences, except the first of a document),
        `blank_lines` (number of predicted units that contain a blank line), and `documents`.

    >>> gold = GoldDocument("Page 3 I sleep.", [Unit(0, 6, "HEADING"), Unit(7, 15, "SU")])
    >>> scores = score_documents([gold], [[Unit(0, 15, "SU")]])[""]
    >>> scores["su_f"], scores["noise_kept"], scores["words_lost"]
    (0.0, 1.0, 0.0)
    """
    by_genre: defaultdict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for gold, units in zip(documents, predicted, strict=True):
        counts = _count_units(gold.text, gold.units, units)
        counts.update(_count_document(gold, units))
        for genre in {"", gold.genre}:
            by_genre[genre].update(counts)
    return {
        genre: _find_unit_scores(counts, Keys()) | _find_document_scores(counts)
        for genre, counts in sorted(by_genre.items())
    }


def _count_units(text: str, gold: Sequence[Unit], pred: Sequence[Unit]) -> Counter[tuple[str, ...]]:
    """Count the labels, spans and kinds in one text."""
    counts: Counter[tuple[str, ...]] = Counter()
    gold_levels, pred_levels = label_text(text, gold), label_text(text, pred)
    for level in PREFIXES:
        labels = gold_levels[level], pred_levels[level]
        counts.update((level, *pair) for pair in zip(*labels, strict=True))
        for label in (SU, NSU):
            found = (
                {unit for unit in units_from_bio(side) if unit.label == label} for side in labels
            )
            _count_matches(counts, f"{level}_{label}", *found)
    speakers = _find_speakers(gold)
    of_gold, of_pred = _label_characters(text, gold, ""), _label_characters(text, pred, NSU)
    judged = [unit for unit in pred if NSU not in of_gold[unit.start : unit.end]]
    for kind in NSU_KINDS:
        sides = ([unit for unit in units if unit.label == kind] for units in (gold, judged))
        _count_matches(counts, kind, *(_trim_units(text, units, speakers) for units in sides))
    for start, end, label in gold:
        if label in NSU_KINDS:
            [(found_label, _)] = Counter(of_pred[start:end]).most_common(1)
            counts["kinds", "gold"] += 1
            counts["kinds", "both"] += found_label == label
    return counts


def _count_document(gold: GoldDocument, pred: Sequence[Unit]) -> Counter[tuple[str, ...]]:
    """Count the elements, words and boundaries in one document."""
    text = gold.text
    counts: Counter[tuple[str, ...]] = Counter({("documents", "gold"): 1})
    speakers = _find_speakers(gold.units)
    for name, is_su in (("su", True), ("nsu", False)):
        sides = ([u for u in units if (u.label == SU) == is_su] for units in (gold.units, pred))
        _count_matches(counts, name, *(_trim_units(text, units, speakers) for units in sides))
    of_gold, of_pred = (_label_characters(text, units, NSU) for units in (gold.units, pred))
    for start, _ in word_spans(text):
        in_su = of_gold[start] == SU
        name = "words_lost" if in_su else "noise_kept"
        counts[name, "gold"] += 1
        counts[name, "both"] += in_su != (of_pred[start] == SU)
    first = {unit.start for unit in gold.units[:1]}
    starts = ({unit.start for unit in units} - first for units in (gold.units, pred))
    _count_matches(counts, "boundary", *starts)
    counts["blank_lines", "pred"] = sum(
        BLANK_LINE.search(text, unit.start, unit.end) is not None for unit in pred
    )
    return counts


def _count_matches(counts: Counter[tuple[str, ...]], name: str, gold: set, pred: set) -> None:
    for of, found in (("both", gold & pred), ("pred", pred), ("gold", gold)):
        counts[name, of] += len(found)


def _find_speakers(gold: Iterable[Unit]) -> dict[int, int]:
    """Map the starts of time stamps and speaker labels to their ends.

    They may be part of the unit after them.
    """
    return {unit.start: unit.end for unit in gold if unit.label == "METADATA"}


def _trim_units(
    text: str, units: Iterable[Unit], speakers: Mapping[int, int]
) -> set[tuple[int, int]]:
    """Find the spans of units without the parts that are ignored in comparisons."""
    spans = set()
    for start, end, _ in units:
        if speakers.get(start, end) < end:
            start = speakers[start]
            start += len(text[start:end]) - len(text[start:end].lstrip())
        opening = OPENING.match(text, start, end)
        if opening and opening.end() < end:
            start = opening.end()
        closing = CLOSING.search(text[start:end])
        if closing and closing.start():
            end = start + closing.start()
        spans.add((start, end))
    return spans


def _label_characters(text: str, units: Iterable[Unit], outside: str) -> list[str]:
    labels = [outside] * len(text)
    for start, end, label in units:
        labels[start:end] = [label] * (end - start)
    return labels


def _find_unit_scores(counts: Counter[tuple[str, ...]], keys: tuple[str, str]) -> dict[str, Any]:
    scores: dict[str, Any] = {}
    for level, prefix in PREFIXES.items():
        scores.update(_find_bio_scores(counts, level, prefix))
        for label, key in zip((SU, NSU), keys, strict=True):
            scores.update(_find_prf(counts, f"{level}_{label}", f"{prefix}spans_{key}_"))
    if counts["kinds", "gold"]:
        scores[f"spans_{keys[1]}_kind_acc"] = counts["kinds", "both"] / counts["kinds", "gold"]
        scores[f"spans_{keys[1]}_per_type"] = {
            kind: {**_find_prf(counts, kind), "gold": counts[kind, "gold"]}
            for kind in NSU_KINDS
            if counts[kind, "gold"] or counts[kind, "pred"]
        }
    return scores


def _find_bio_scores(counts: Counter[tuple[str, ...]], level: str, prefix: str) -> dict[str, float]:
    support = {label: sum(counts[level, label, pred] for pred in BIO) for label in BIO}
    f_of = {}
    for label in BIO:
        predicted = sum(counts[level, gold, label] for gold in BIO)
        f_of[label] = precision_recall_f(counts[level, label, label], predicted, support[label])[2]
    total = sum(support.values())
    present = [label for label in BIO if support[label]]
    macro = sum(f_of[label] for label in present) / len(present) if present else 0.0
    weighted = sum(f_of[x] * support[x] for x in BIO) / total if total else 0.0
    return {
        f"{prefix}bio_macro_f": macro,
        f"{prefix}bio_weighted_f": weighted,
        **{f"{prefix}bio_{label.lower()}_f": f_of[label] for label in BIO},
    }


def _find_document_scores(counts: Counter[tuple[str, ...]]) -> dict[str, float]:
    for of in ("both", "pred", "gold"):
        counts["nsu_kinds", of] = sum(counts[kind, of] for kind in NSU_KINDS)
    scores: dict[str, float] = {"documents": counts["documents", "gold"]}
    for name in ("su", "nsu", *["nsu_kinds"] * (counts["kinds", "gold"] > 0), "boundary"):
        scores.update(_find_prf(counts, name, f"{name}_"))
    for name in ("noise_kept", "words_lost"):
        n_words = counts[name, "gold"]
        scores[name] = counts[name, "both"] / n_words if n_words else 0.0
    return scores | {"blank_lines": counts["blank_lines", "pred"]}


def _find_prf(counts: Counter[tuple[str, ...]], name: str, prefix: str = "") -> dict[str, float]:
    numbers = (counts[name, of] for of in ("both", "pred", "gold"))
    values = precision_recall_f(*numbers)
    return {f"{prefix}{letter}": value for letter, value in zip("prf", values, strict=True)}

"""Score units on whole documents, as a reader judges them: right spans, noise kept, words lost.

gold documents, predicted units -> counts for all and by kind of text -> scores

Some parts of a unit are ignored when spans are compared: list marks, quote marks, and a time stamp
or speaker label at the start, and emoji at the end.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ...scores import precision_recall_f
from ...text.units import NSU, NSU_KINDS, SU, Unit, word_spans
from ..data.marked_text import MarkedDocument

OPENING = re.compile(
    r"(?:[>|]\s*|(?:[-*•–·+o]|\d{1,3}(?:\.\d{1,3})+\.?(?=[ \t]+[A-Z])|\(?\d{1,3}[.)]"
    r"|\(?[a-zA-Z]\)|[a-z]\.|\(?[ivx]+\))[ \t]+)+(?=\S)"
)
CLOSING = re.compile(
    "[\\s\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff"
    "\u200d\u20e3\ufe0f]+$"
)
BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


def score_documents(
    documents: Iterable[tuple[MarkedDocument, Sequence[Unit], Sequence[int]]],
) -> dict[str, dict[str, float]]:
    """Score predicted units against gold documents.

    documents: (gold, predicted units, predicted starts of sentences), in characters of the text.
        The labels of units are SU, NSU or kinds of NSU. Systems without NSUs only have SUs.
    RETURNS: For "" (all documents) and each kind of text: `su_p/r/f` (exact spans), `nsu_p/r/f`
        (exact elements of any kind), `nsu_kinds_p/r/f` (exact elements with their kind), `kind_acc`
        (share of the gold NSUs of a known kind that are mostly in predicted units of that kind),
        `noise_kept` (share of the words of NSUs that are in predicted SUs), `words_lost` (share of
        the words of SUs that are not in predicted SUs), `boundary_p/r/f` (starts of units and of
        sentences, except the first of a document), `blank_lines` (number of predicted units that
        contain a blank line), `documents`. For each kind of NSU in gold, such as HEADING, also
        `nsu_heading_p/r/f` and `nsu_heading_gold` (their number). Shares are 0 to 1.

    >>> gold = MarkedDocument("Page 3 I sleep.", [Unit(0, 6, "HEADING"), Unit(7, 15, "SU")], "a")
    >>> scores = score_documents([(gold, [Unit(0, 15, "SU")], [0])])[""]
    >>> scores["su_f"], scores["noise_kept"], scores["words_lost"]
    (0.0, 1.0, 0.0)
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for gold, units, starts in documents:
        found = count_document(gold, units, starts)
        counts[""].update(found)
        if gold.genre:
            counts[gold.genre].update(found)
    return {genre: _find_scores(count) for genre, count in sorted(counts.items())}


def count_document(
    gold: MarkedDocument, units: Sequence[Unit], starts: Iterable[int]
) -> Counter[str]:
    """Count the right and wrong predictions in one document."""
    text = gold.text
    # Start -> end of time stamps and speaker labels, which may be part of the unit after them.
    labels = {unit.start: unit.end for unit in gold.units if unit.label == "METADATA"}
    counts: Counter[str] = Counter(documents=1)
    for name, is_su in (("su", True), ("nsu", False)):
        in_gold, in_pred = (
            {_trim(text, unit, labels) for unit in found if (unit.label == SU) == is_su}
            for found in (gold.units, units)
        )
        counts += Counter(
            {f"{name}_both": len(in_gold & in_pred), f"{name}_pred": len(in_pred)}
        ) + Counter({f"{name}_gold": len(in_gold)})
    _count_kinds(counts, gold, units, labels)
    of_gold, of_pred = (_label_characters(text, found) for found in (gold.units, units))
    for start, _ in word_spans(text):
        in_su = of_gold[start] == SU
        counts["su_words" if in_su else "nsu_words"] += 1
        counts["words_lost"] += in_su and of_pred[start] != SU
        counts["noise_kept"] += not in_su and of_pred[start] == SU
    for unit in gold.units:
        if unit.label not in (SU, NSU):
            found_labels = Counter(of_pred[unit.start : unit.end])
            counts["kinds"] += 1
            counts["kinds_right"] += found_labels.most_common(1)[0][0] == unit.label
    gold_starts = {unit.start for unit in gold.units[1:]}
    pred_starts = set(starts) - {unit.start for unit in gold.units[:1]}
    counts["boundary_both"] += len(gold_starts & pred_starts)
    counts["boundary_pred"] += len(pred_starts)
    counts["boundary_gold"] += len(gold_starts)
    counts["blank_lines"] += sum(
        BLANK_LINE.search(text, unit.start, unit.end) is not None for unit in units
    )
    return counts


def _count_kinds(
    counts: Counter[str], gold: MarkedDocument, units: Sequence[Unit], labels: Mapping[int, int]
) -> None:
    """Count the elements of each kind of NSU, except where the gold kind is unknown."""
    unknown = np.zeros(len(gold.text) + 1, dtype="int64")
    for start, end, label in gold.units:
        unknown[start + 1 : end + 1] = label == NSU
    n_unknown = np.cumsum(unknown)  # characters before each place
    judged = [
        unit
        for unit in units
        if unit.label in NSU_KINDS and n_unknown[unit.end] == n_unknown[unit.start]
    ]
    in_gold, in_pred = (
        {(_trim(gold.text, unit, labels), unit.label) for unit in found if unit.label in NSU_KINDS}
        for found in (gold.units, judged)
    )
    for of, found in (("both", in_gold & in_pred), ("pred", in_pred), ("gold", in_gold)):
        for _, label in found:
            counts[f"{name_kind(label)}_{of}"] += 1
            counts[f"nsu_kinds_{of}"] += 1


def name_kind(kind: str) -> str:
    """Return the name of the scores of a kind of NSU.

    >>> name_kind("LIST_ITEM")
    'nsu_list_item'
    """
    return f"nsu_{kind.lower()}"


def _trim(text: str, unit: Unit, labels: Mapping[int, int]) -> tuple[int, int]:
    """Find the span of a unit without the parts that are ignored in comparisons."""
    start, end, _ = unit
    if labels.get(start, end) < end:
        start = labels[start]
        start += len(text[start:end]) - len(text[start:end].lstrip())
    opening = OPENING.match(text, start, end)
    if opening and opening.end() < end:
        start = opening.end()
    closing = CLOSING.search(text[start:end])
    if closing and closing.start():
        end = start + closing.start()
    return start, end


def _label_characters(text: str, units: Iterable[Unit]) -> list[str]:
    labels = [NSU] * len(text)
    for start, end, label in units:
        labels[start:end] = [label] * (end - start)
    return labels


def _find_scores(counts: Counter[str]) -> dict[str, float]:
    scores: dict[str, float] = {"documents": counts["documents"]}
    kinds = [name for name in map(name_kind, NSU_KINDS) if counts[f"{name}_gold"]]
    scores.update({f"{name}_gold": counts[f"{name}_gold"] for name in kinds})
    for name in ("su", "nsu", "nsu_kinds", "boundary", *kinds):
        prf = precision_recall_f(*(counts[f"{name}_{of}"] for of in ("both", "pred", "gold")))
        scores.update({f"{name}_{x}": value for x, value in zip("prf", prf, strict=True)})
    for name, part, whole in (
        ("kind_acc", "kinds_right", "kinds"),
        ("noise_kept", "noise_kept", "nsu_words"),
        ("words_lost", "words_lost", "su_words"),
    ):
        scores[name] = counts[part] / counts[whole] if counts[whole] else 0.0
    scores["blank_lines"] = counts["blank_lines"]
    return scores

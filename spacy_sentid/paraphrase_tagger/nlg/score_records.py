"""Records of the scores of pairs, and totals over records.

score of a pair -> {"id", "p", ..., "hyp_spans", ...}; records -> sums of scores, spans by kind
"""

from collections.abc import Iterable, Sequence
from typing import Any

from spacy.language import Language

from ..matching.severity import KINDS
from .comparison import SCORES, Side
from .evaluator import PairScore, TextPair, check_texts, stream_scores

N_DIGITS = 4
IDENTICAL = "the text is its own reference. Delete the pair, or allow it with --allow-identical."
# Scores that are only computed on request.
OPTIONAL = ("chrf", "blend")
SIDES = ("hyp", "ref")
# The totals of `sum_totals`: sums of scores (None counts as 0), and spans of each kind.
TOTALS = (*SCORES, *((side, kind) for side in SIDES for kind in KINDS))


def score_records(
    nlp: Language, pairs: Sequence[TextPair], *, allow_identical: bool = False, **settings: Any
) -> list[dict[str, Any] | ValueError]:
    """Score pairs, and return the record of each, or the error that prevents scoring.

    allow_identical: Also score texts that are equal to one of their references.
    settings: Settings of `stream_scores`.
    """
    errors = [_find_error(pair, nlp.max_length, allow_identical) for pair in pairs]
    good = [pair for pair, error in zip(pairs, errors, strict=True) if error is None]
    scores = stream_scores(nlp, good, **settings)
    return [error or score_record(next(scores)) for error in errors]


def _find_error(pair: TextPair, max_length: int, allow_identical: bool) -> ValueError | None:
    try:
        check_texts(pair, max_length)
    except ValueError as error:
        return error
    is_identical = pair.hyp.split() in [ref.split() for ref in pair.list_refs()]
    return ValueError(IDENTICAL) if is_identical and not allow_identical else None


def score_record(score: PairScore) -> dict[str, Any]:
    """Make the record of a score, with character offsets into the texts.

    With several references, "refs" has the scores against each. "best" is the index of the
    reference, from 0, that the spans and words belong to.
    """
    best = score.comparisons[score.best]
    refs = score.pair.list_refs()
    record: dict[str, Any] = {"id": score.pair.id, **_list_scores(score)}
    record["score"] = _round(score.score)
    if len(refs) > 1:
        record["refs"] = [_list_scores(one) for one in score.comparisons]
        record["best"] = score.best
    record |= _side_record("hyp", score.pair.hyp, best.hyp)
    return record | _side_record("ref", refs[score.best], best.ref)


def _list_scores(scores: Any) -> dict[str, float | None]:
    values = ((name, getattr(scores, name)) for name in SCORES)
    return {
        name: _round(value) for name, value in values if value is not None or name not in OPTIONAL
    }


def _side_record(name: str, text: str, side: Side) -> dict[str, Any]:
    spans = [
        {
            "start_char": start,
            "end_char": end,
            "text": text[start:end],
            "score": _round(prob),
            "kind": kind,
        }
        for start, end, prob, kind in side.spans
    ]
    # Lists of [text, start_char, end_char, support] keep records short, as there are many words.
    words = [[text[start:end], start, end, _round(support)] for start, end, support in side.words]
    return {f"{name}_spans": spans, f"{name}_words": words}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, N_DIGITS)


def sum_totals(records: Iterable[dict[str, Any]]) -> list[float]:
    """Sum the scores of records and count their spans; returns a value for each of TOTALS."""
    totals = dict.fromkeys(TOTALS, 0.0)
    for record in records:
        for name in SCORES:
            totals[name] += record.get(name) or 0.0
        for side in SIDES:
            for span in record[f"{side}_spans"]:
                totals[side, span["kind"]] += 1
    return list(totals.values())

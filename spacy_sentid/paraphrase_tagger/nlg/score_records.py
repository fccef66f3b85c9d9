"""Write the score of a pair as a record."""

from typing import Any

from .comparison import PERSPECTIVES, Side
from .evaluator import PairScore, TextPair

N_DIGITS = 4


def is_identical(pair: TextPair) -> bool:
    """Tell whether a text is one of its references, word for word."""
    words = pair.hyp.split()
    return bool(words) and any(words == ref.split() for ref in pair.list_refs())


def score_record(name: str | int, score: PairScore) -> dict[str, Any]:
    """Make the record of a score, in characters of the texts.

    With several references, "refs" has the scores against each, and "best" tells which of them
    (from 0) the spans and words are about.
    """
    best = score.comparisons[score.best]
    refs = score.pair.list_refs()
    record: dict[str, Any] = {"id": name}
    record |= {side: _round(getattr(score, side)) for side in (*PERSPECTIVES, "score")}
    if len(refs) > 1:
        record["refs"] = [
            {side: _round(getattr(one, side)) for side in PERSPECTIVES} for one in score.comparisons
        ]
        record["best"] = score.best
    record |= _side_record("hyp", score.pair.hyp, best.hyp)
    return record | _side_record("ref", refs[score.best], best.ref)


def _side_record(name: str, text: str, side: Side) -> dict[str, Any]:
    spans = [
        {"start_char": start, "end_char": end, "text": text[start:end], "score": _round(prob)}
        for start, end, prob in side.spans
    ]
    # Short, as there are many: text, start_char, end_char, support.
    words = [[text[start:end], start, end, _round(support)] for start, end, support in side.words]
    return {f"{name}_spans": spans, f"{name}_words": words}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, N_DIGITS)

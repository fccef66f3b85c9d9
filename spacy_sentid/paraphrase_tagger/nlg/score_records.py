"""Write the score of a pair as a record."""

from typing import Any

from .comparison import PERSPECTIVES, Side
from .evaluator import PairScore, TextPair

N_DIGITS = 4
WORD_FIELDS = ("text", "start_char", "end_char", "support")


def is_identical(pair: TextPair) -> bool:
    """Tell whether a text is one of its references, word for word."""
    refs = [pair.refs] if isinstance(pair.refs, str) else pair.refs
    words = pair.hyp.split()
    return bool(words) and any(words == ref.split() for ref in refs)


def score_record(name: str | int, score: PairScore) -> dict[str, Any]:
    """Make the record of a score, in characters of the texts.

    With several references, "refs" has the scores against each, and "best" tells which of them
    (from 0) the spans and words are about.
    """
    best = score.comparisons[score.best]
    refs = [score.pair.refs] if isinstance(score.pair.refs, str) else score.pair.refs
    record: dict[str, Any] = {"id": name}
    record |= {side: _round(getattr(score, side)) for side in (*PERSPECTIVES, "score")}
    if len(refs) > 1:
        record["refs"] = [
            {side: _round(getattr(one, side)) for side in PERSPECTIVES} for one in score.comparisons
        ]
        record["best"] = score.best
    for side, text, found in (
        ("hyp", score.pair.hyp, best.hyp), ("ref", refs[score.best], best.ref)
    ):  # fmt: skip
        record |= _side_record(side, text, found)
    return record


def _side_record(name: str, text: str, side: Side) -> dict[str, Any]:
    spans = [
        {
            "start_char": span.start_char,
            "end_char": span.end_char,
            "text": text[span.start_char : span.end_char],
            "score": _round(span.score),
        }
        for span in side.spans
    ]
    # Short, as there are many: text, start_char, end_char, support.
    words = [
        [text[word.start_char : word.end_char], *word[:2], _round(word.support)]
        for word in side.words
    ]
    return {f"{name}_spans": spans, f"{name}_words": words}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, N_DIGITS)


def name_words(record: dict[str, Any]) -> dict[str, Any]:
    """Name the fields of the words of a record: a list in Arrow has one type."""
    named = {
        key: [dict(zip(WORD_FIELDS, word, strict=True)) for word in record[key]]
        for key in ("hyp_words", "ref_words")
    }
    return {**record, **named}

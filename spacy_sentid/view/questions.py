"""What the page to try asks, and what it is told.

JSON -> Question -> LivePipeline -> HTML fragment, summary
"""

import json
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..batch.tasks import SCORES, SENTENCES, UNITS
from ..units import NSU, SU
from .live import AS_LOADED, NEWLINES, LivePipeline, LiveSettings
from .pairs import write_side
from .reading import PairView
from .units import UnitView, render_text


class Question(NamedTuple):
    """What the page asks."""

    pipeline: LivePipeline
    text: str
    settings: LiveSettings
    ref: str  # "" = there is none

    def count_chars(self) -> int:
        """Count the characters that are looked at."""
        return len(self.text) + len(self.ref)


def read_question(body: bytes, pipelines: dict[str, LivePipeline]) -> Question:
    """Read what the page asks; ValueError if it is none of its questions.

    body: JSON {"pipeline", "text", "threshold", "newline", "ref"}; the last three may be missing or
        null, but for pairs, which have a "ref".
    """
    try:
        row = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"Found no JSON ({error}), expected an object. Mend it.") from error
    text, name = (row.get("text"), row.get("pipeline")) if isinstance(row, dict) else (None, None)
    if not isinstance(text, str):
        raise ValueError('Found no "text", expected an object with a string of it. Mend it.')
    if not isinstance(name, str) or name not in pipelines:
        raise ValueError(
            f"Found the pipeline {_tell(name)}, expected one of {', '.join(pipelines)}. Load the "
            "page anew."
        )
    pipeline = pipelines[name]
    settings = LiveSettings(row.get("threshold"), row.get("newline"))
    _check_settings(settings, pipeline)
    return Question(pipeline, text, settings, _read_ref(row.get("ref"), pipeline))


def _read_ref(ref: Any, pipeline: LivePipeline) -> str:
    is_pair = pipeline.name.task == SCORES
    if isinstance(ref, str) if is_pair else ref is None:
        return ref or ""
    raise ValueError(
        f'Found the "ref" {_tell(ref)} for {str(pipeline.name)!r}, expected '
        f"{'the text to compare with' if is_pair else 'none'}. Mend it."
    )


def _tell(value: Any) -> str:
    """Write a wrong value for a message; of what may be nested too deep to write, its type."""
    if isinstance(value, (list, dict)):
        return f"of type {type(value).__name__}"
    return repr(str(value)[:100])


def _check_settings(settings: LiveSettings, pipeline: LivePipeline) -> None:
    threshold, newline = settings
    if pipeline.defaults is None and settings != AS_LOADED:
        raise ValueError(
            f"Found settings for {str(pipeline.name)!r}, expected none, as it has no sentence "
            "identifier. Leave them out."
        )
    is_number = isinstance(threshold, (int, float)) and not isinstance(threshold, bool)
    if threshold is not None and not (is_number and 0 <= threshold <= 1):
        raise ValueError(
            f"Found the threshold {_tell(threshold)}, expected a number in [0, 1]. Mend it."
        )
    if newline is not None and newline not in NEWLINES:
        raise ValueError(
            f"Found newline {_tell(newline)}, expected one of {', '.join(NEWLINES)}. Mend it."
        )


def answer(question: Question) -> dict[str, Any]:
    """Answer a question: {"html": a fragment, "summary": plain text, "seconds"}.

    Raises ValueError if the pipeline fails on the text.
    """
    pipeline = question.pipeline
    start = time.perf_counter()
    if pipeline.name.task == SCORES:
        pair = pipeline.compare(question.text, question.ref)
        seconds = time.perf_counter() - start
        html, summary = write_columns(pair, lang=pipeline.lang), summarize_pair(pair)
    else:
        view = pipeline(question.text, question.settings)
        seconds = time.perf_counter() - start
        html = render_text(view.text, view.units, probs=view.probs, lang=pipeline.lang)
        summary = summarize(view.units, pipeline.name.task)
    return {"html": html, "summary": summary, "seconds": round(seconds, 3)}


def write_columns(pair: PairView, *, lang: str) -> str:
    """Write the two texts of a pair beside each other."""
    columns = "".join(
        f"<section><h3>{name}</h3>{write_side(side, lang=lang)}</section>"
        for name, side in (("Text", pair.hyp), ("Reference", pair.ref))
    )
    return f'<div class="pair columns">{columns}</div>'


def summarize_pair(pair: PairView) -> str:
    """Say the scores of a pair.

    >>> summarize_pair(PairView("", {"p": 1, "r": -0.5, "f": 0.25}, None, None))
    'P 1.00, R -0.50, F 0.25'
    """
    return ", ".join(f"{name.upper()} {score:.2f}" for name, score in pair.scores.items())


def summarize(units: Sequence[UnitView], task: str) -> str:
    """Say in words how much was found.

    >>> summarize([UnitView(0, 1, "SU", 1), UnitView(1, 2, "SU", 1)], "units")
    '2 SUs, 0 NSUs'
    >>> summarize([UnitView(0, 1, "SU", None)], "sentences")
    '1 sentence'
    """
    if task == UNITS:
        counts = Counter(unit.label for unit in units)
        return ", ".join(_count(counts[label], label) for label in (SU, NSU))
    return _count(len(units), "sentence" if task == SENTENCES else "word")


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"

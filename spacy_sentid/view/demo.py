"""Render the demo page, read its requests and answer them.

pipelines -> HTML, content security policy
JSON -> Request -> DemoPipeline -> HTML fragment, summary
"""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..batch.records import readable_text
from ..batch.tasks import SCORES, SENTENCES, UNITS, WORDS
from ..messages import shorten
from ..settings import check_choice, check_range
from .demo_pipelines import AS_LOADED, DemoPipeline, DemoSettings
from .kinds import KIND_NAMES
from .page import FOLDER, call_macro, format_count, make_page, make_policy, read_part
from .pages import FIXED, HIDE_NSU, PROBS, count_units, render_side
from .units import UnitView, render_text

TITLE = "Try spacy-sentid"
TASK_NAMES = {UNITS: "SUs and NSUs", SENTENCES: "Sentences", WORDS: "Words", SCORES: "Two texts"}
NOTES = {
    UNITS: "Shaded: sentences (SUs). Grey: not sentences (NSUs), such as headings and signatures.",
    SENTENCES: "Shaded: sentences.",
    WORDS: "Underlined: words.",
    SCORES: "Marked: words that the other text does not support. P, R and F are the mean support "
    "of the words of the text, of the reference, and of both. Above 0: supported.",
}
KEYS = ("pipeline", "text", "threshold", "newline", "ref")
# Meaning of line ends for each value of `newline`.
NEWLINE_NAMES = {
    "paragraph": "are evidence, blank lines end a unit",
    "learned": "are evidence",
    "break": "end a unit",
    "ignore": "are spaces",
}
PAIR_CHARS, PAIR_FACTOR = 5000, 20


class Request(NamedTuple):
    """A text, or a pair of texts, and the pipeline to run on it."""

    pipeline: DemoPipeline
    text: str
    settings: DemoSettings
    ref: str  # "" without one


def make_demo_page(
    pipelines: Mapping[str, DemoPipeline], *, max_chars: int, max_bytes: int, path: str
) -> tuple[str, str]:
    """Render the page, and return it with its content security policy.

    pipelines: Pipelines by their names in requests.
    max_chars, max_bytes: Maximum length of a text, and maximum size of a request.
    path: URL path of the requests.
    """
    data = {
        "path": path,
        "max_bytes": max_bytes,
        "pipelines": {key: _describe(pipeline, max_chars) for key, pipeline in pipelines.items()},
    }
    scripts = [read_part("page.js"), read_part("demo.js")]
    page = make_page(
        TITLE,
        template="demo.html",
        data=data,
        style=read_part("demo.css"),
        scripts=scripts,
        connect=True,
        names=[(key, _format_name(pipeline)) for key, pipeline in pipelines.items()],
        newlines=NEWLINE_NAMES.items(),
        toggles=[PROBS, HIDE_NSU, FIXED],
        kinds=KIND_NAMES.values(),
    )
    return page, f"{make_policy(scripts, True)}; frame-ancestors 'none'"


def count_max_chars(task: str, max_chars: int) -> int:
    """Return the maximum length of a text, or of a text and its reference together.

    Pairs take much longer, as each sentence is compared with several of the other text.

    >>> count_max_chars("units", 100_000), count_max_chars("scores", 100_000)
    (100000, 5000)
    >>> count_max_chars("scores", 1000), count_max_chars("scores", 1_000_000)
    (1000, 50000)
    """
    is_pair = task == SCORES
    return min(max_chars, max(PAIR_CHARS, max_chars // PAIR_FACTOR)) if is_pair else max_chars


def _describe(pipeline: DemoPipeline, max_chars: int) -> dict[str, object]:
    is_pair = pipeline.task == SCORES
    example = FOLDER / "examples" / f"{pipeline.lang}{'.pair' * is_pair}.txt"
    text = example.read_text(encoding="utf8") if example.is_file() else None
    return {
        "settings": None if pipeline.defaults is None else pipeline.defaults._asdict(),
        # The files of pairs have the text on the first line and its reference on the second.
        "example": text.splitlines() if text and is_pair else text and (text, ""),
        "is_pair": is_pair,
        "max_chars": count_max_chars(pipeline.task, max_chars),
        "note": NOTES[pipeline.task],
    }


def _format_name(pipeline: DemoPipeline) -> str:
    """Format the name of a pipeline for the menu. A bundled pipeline is named by its language."""
    task = TASK_NAMES[pipeline.task]
    if pipeline.model != pipeline.lang:
        return f"{task}: {pipeline.model}"
    return f"{task}{' by rules' * (pipeline.task == SENTENCES)}: {pipeline.language}"


def read_request(body: bytes, pipelines: Mapping[str, DemoPipeline]) -> Request:
    """Read a request of the page; raise ValueError if it is invalid.

    body: JSON {"pipeline", "text", "threshold", "newline", "ref"}. The last three may be missing or
        null, but a pair needs a "ref" that differs from the text.
    """
    try:
        row = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"The request must be a JSON object ({error}).") from error
    text, name = (row.get("text"), row.get("pipeline")) if isinstance(row, dict) else (None, None)
    if not isinstance(text, str):
        raise ValueError('The request must be a JSON object with a string "text".')
    if not isinstance(name, str) or name not in pipelines:
        known = ", ".join(pipelines)
        raise ValueError(
            f"The pipeline must be one of {known}, got {shorten(name)}. Reload the page."
        )
    if unknown := [key for key in row if key not in KEYS]:
        names = ", ".join(map(repr, KEYS))
        raise ValueError(f"The request must have only {names}, got {shorten(unknown[0])} too.")
    pipeline = pipelines[name]
    settings = DemoSettings(row.get("threshold"), row.get("newline"))
    _check_settings(settings, pipeline)
    ref = row.get("ref")
    is_pair = pipeline.task == SCORES
    if not (isinstance(ref, str) if is_pair else ref is None):
        allowed = "the text to compare with" if is_pair else "missing"
        raise ValueError(f'"ref" must be {allowed} for {pipeline.name!r}, got {shorten(ref)}.')
    if is_pair:
        _check_pair(text, ref)
    return Request(pipeline, text, settings, ref or "")


def _check_pair(text: str, ref: str) -> None:
    """Raise ValueError for texts that cannot be compared."""
    words = [readable_text(side).split() for side in (text, ref)]
    for key, found in zip(("text", "ref"), words, strict=True):
        if not found:
            raise ValueError(f"{key!r} must have words, got none.")
    if words[0] == words[1]:
        raise ValueError("'ref' must differ from 'text', got the same words.")


def _check_settings(settings: DemoSettings, pipeline: DemoPipeline) -> None:
    if pipeline.defaults is None and settings != AS_LOADED:
        raise ValueError(
            f"{pipeline.name!r} has no sentence identifier. Do not send 'threshold' or 'newline'."
        )
    check_range("threshold", settings.threshold, high=1, optional=True)
    if settings.newline is not None:
        check_choice("newline", settings.newline, NEWLINE_NAMES)


def answer(request: Request) -> dict[str, Any]:
    """Answer a request: {"html": a fragment, "summary": plain text, "seconds"}.

    Raises ValueError if the pipeline fails on the text.
    """
    pipeline = request.pipeline
    start = time.perf_counter()
    if pipeline.task == SCORES:
        pair = pipeline.compare(request.text, request.ref)
        seconds = time.perf_counter() - start
        sides = {key: render_side(getattr(pair, key), lang=pipeline.lang) for key in ("hyp", "ref")}
        html = call_macro("macros.html", "columns", sides, css="pair columns")
        summary = ", ".join(f"{key.upper()} {score:.2f}" for key, score in pair.scores.items())
    else:
        view = pipeline(request.text, request.settings)
        seconds = time.perf_counter() - start
        html = render_text(view.text, view.units, probs=view.probs, lang=pipeline.lang)
        summary = summarize(view.units, pipeline.task)
    return {"html": html, "summary": summary, "seconds": round(seconds, 3)}


def summarize(units: Sequence[UnitView], task: str) -> str:
    """Count the results in words.

    >>> summarize([UnitView(0, 1, "SU", 1), UnitView(1, 2, "SU", 1)], "units")
    '2 SUs, 0 NSUs'
    >>> summarize([UnitView(0, 1, "SU", None)], "sentences")
    '1 sentence'
    """
    if task == UNITS:
        return count_units(units)
    return format_count(len(units), "sentence" if task == SENTENCES else "word")

"""Render the demo page, read its requests and answer them.

pipelines -> HTML, content security policy
JSON -> Request -> DemoPipeline -> HTML fragment, summary, record, Python code
"""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...batch.formats.records import readable_text
from ...batch.tasks import SCORES, SENTENCES, TASKS, UNITS, WORDS
from ...components.settings import check_choice, check_range
from ...messages import shorten
from ...text.kinds import KINDS
from ...text.units import SU
from ..pages.documents import FIXED, PROBS, render_side
from ..pages.documents import SCORES as SHOW_SCORES
from ..text.page import call_macro, format_count, make_page, make_policy, read_part
from ..text.reading import PairView
from ..text.units import UnitView, render_text
from .gallery import TEXT_KINDS, list_examples
from .pipelines import SETTINGS, DemoPipeline
from .snippets import write_snippet

TITLE = "Find the sentences in any text, and what is not a sentence"
# Endings of the names in the menu. Finding units is the subject of the page.
TASK_NAMES = {
    UNITS: "",
    SENTENCES: ": sentences by rules",
    WORDS: ": words",
    SCORES: ": compare two texts",
}
NOTES = {
    UNITS: "",
    SENTENCES: "Rules cut the text into sentences. They do not say what is not a sentence.",
    WORDS: "Each word is underlined.",
    SCORES: "Marked words have no counterpart in the other text.",
}
# Meaning of line ends for each value of `newline`.
NEWLINE_NAMES = {
    "paragraph": "A blank line ends a sentence. Other line ends are hints.",
    "learned": "All line ends are hints.",
    "break": "Every line end ends a sentence.",
    "ignore": "Line ends mean nothing.",
}
PAIR_CHARS, PAIR_FACTOR = 5000, 20


class Request(NamedTuple):
    """A text, or a pair of texts, and the pipeline to run on it."""

    pipeline: DemoPipeline
    text: str
    settings: dict[str, Any]  # see `DemoPipeline`
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
        "kinds": {kind: found._asdict() for kind, found in TEXT_KINDS.items()},
        "pipelines": {key: _describe(pipeline, max_chars) for key, pipeline in pipelines.items()},
    }
    names = ("page.js", "jumps.js", "demo.js", "demo_copy.js", "demo_files.js")
    scripts = list(map(read_part, names))
    page = make_page(
        TITLE,
        template="demo.html",
        data=data,
        style=read_part("demo.css"),
        scripts=scripts,
        connect=True,
        names=[(key, _format_name(pipeline)) for key, pipeline in pipelines.items()],
        newlines=NEWLINE_NAMES.items(),
        text_kinds=TEXT_KINDS.items(),
        toggles=[SHOW_SCORES, PROBS, FIXED],
        kinds=KINDS.values(),
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
    is_pair = TASKS[task].is_of_pairs
    return min(max_chars, max(PAIR_CHARS, max_chars // PAIR_FACTOR)) if is_pair else max_chars


def _describe(pipeline: DemoPipeline, max_chars: int) -> dict[str, object]:
    examples = list_examples(pipeline.task, pipeline.lang)
    return {
        "settings": pipeline.defaults or None,
        "examples": [example._asdict() for example in examples],
        "is_pair": pipeline.is_pair,
        "max_chars": count_max_chars(pipeline.task, max_chars),
        "note": NOTES[pipeline.task],
    }


def _format_name(pipeline: DemoPipeline) -> str:
    """Format the name of a pipeline for the menu. A bundled pipeline is named by its language."""
    is_bundled = pipeline.model == pipeline.lang
    return f"{pipeline.language if is_bundled else pipeline.model}{TASK_NAMES[pipeline.task]}"


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
    pipeline = pipelines[name]
    settings = {name: row[name] for name in SETTINGS if row.get(name) is not None}
    _check_settings(settings, pipeline)
    ref = row.get("ref")
    if not (isinstance(ref, str) if pipeline.is_pair else ref is None):
        allowed = "the text to compare with" if pipeline.is_pair else "missing"
        raise ValueError(f'"ref" must be {allowed} for {pipeline.name!r}, got {shorten(ref)}.')
    if pipeline.is_pair:
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


def _check_settings(settings: dict[str, Any], pipeline: DemoPipeline) -> None:
    if settings and not pipeline.defaults:
        raise ValueError(
            f"{pipeline.name!r} has no sentence identifier. Do not send 'threshold' or 'newline'."
        )
    check_range("threshold", settings.get("threshold"), high=1, optional=True)
    if "newline" in settings:
        check_choice("newline", settings["newline"], NEWLINE_NAMES)


def answer(request: Request) -> dict[str, Any]:
    """Answer a request: {"html": a fragment, "summary", "seconds", "record", "python"}.

    "summary" is plain text, and "python" is code that repeats the result.

    Raises ValueError if the pipeline fails on the text.
    """
    pipeline, text, settings, ref = request
    start = time.perf_counter()
    view, record = pipeline(text, ref, settings=settings)
    seconds = time.perf_counter() - start
    if isinstance(view, PairView):
        sides = {key: render_side(getattr(view, key), lang=pipeline.lang) for key in ("hyp", "ref")}
        html = call_macro("macros.html", "columns", sides, css="pair columns")
        summary = summarize_pair(record)
    else:
        html = render_text(view.text, view.units, probs=view.probs, lang=pipeline.lang)
        summary = summarize(view.units, pipeline.task)
    return {
        "html": html,
        "summary": summary,
        "seconds": round(seconds, 3),
        "record": record,
        "python": write_snippet(pipeline.task, pipeline.model, text, ref=ref, **settings),
    }


def summarize(units: Sequence[UnitView], task: str) -> str:
    """Count the results in words. `page.js` counts the unsure units.

    >>> summarize([UnitView(0, 1, "SU", 1), UnitView(1, 2, "NSU", 0.4)], "units")
    '1 sentence, 1 other unit'
    >>> summarize([UnitView(0, 1, "SU", None)], "sentences")
    '1 sentence'
    """
    if task != UNITS:
        return format_count(len(units), "sentence" if task == SENTENCES else "word")
    n_sentences = sum(unit.label == SU for unit in units)
    n_others = len(units) - n_sentences
    return f"{format_count(n_sentences, 'sentence')}, {format_count(n_others, 'other unit')}"


def summarize_pair(record: Mapping[str, Any]) -> str:
    """Format the share of each text of a pair that the other supports.

    >>> summarize_pair({"supported_p": 0.9, "supported_r": 1})
    'The reference supports 90 % of the text, and the text 100 % of the reference'
    """
    text, reference = (f"{100 * record[f'supported_{side}']:.0f} %" for side in "pr")
    return f"The reference supports {text} of the text, and the text {reference} of the reference"

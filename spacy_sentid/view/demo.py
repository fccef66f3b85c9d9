"""The demo page, its requests and its answers.

pipelines -> HTML, content security policy
JSON -> Request -> DemoPipeline -> HTML fragment, summary
"""

import json
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..batch.tasks import SCORES, SENTENCES, UNITS, WORDS
from ..units import NSU, SU
from .demo_pipelines import AS_LOADED, NEWLINES, DemoPipeline, DemoSettings
from .page import call_macro, make_page, make_policy, read_part
from .pages import FIXED, HIDE_NSU, PROBS, render_side
from .reading import PairView
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
# What line ends mean, for the three values of `newline`.
NEWLINE_NAMES = {"learned": "are evidence", "break": "end a unit", "ignore": "are spaces"}
EXAMPLES = {
    "en": """\
From: Anna Weber <anna@example.org>
To: team@example.org
Subject: RE: Offsite in June

Good morning everyone

I have booked the house for June 12-14
It has room for twelve people, and we can
bring the dog. Could you tell me by Friday
if you need a ride?

Costs
- house: 900 EUR
- food: ca. 25 EUR p.p.

Mr. Lee will bring the projector. He arrives
at 4 p.m. on Wednesday.

> Will there be wifi?
Yes, there is.

Best regards
Anna

--
Anna Weber | Example Corp. | +49 30 1234567
http://www.example.org
""",
    "zh": "我们在学校学习汉语。昨天下午下了一场大雨，很多人没有带伞。\n",
}
# Of pairs: a text and its reference.
PAIR_EXAMPLES = {
    "en": (
        "Sales rose by 5 percent in May. The company opened two shops in Berlin.",
        "In May, sales went up five percent. It also closed a shop in Berlin.",
    )
}


class Request(NamedTuple):
    """A text, or a pair of texts, and the pipeline to run on it."""

    pipeline: DemoPipeline
    text: str
    settings: DemoSettings
    ref: str  # "" = there is none

    def count_chars(self) -> int:
        """Count the characters of the texts."""
        return len(self.text) + len(self.ref)


def make_demo_page(
    pipelines: Sequence[DemoPipeline], *, max_chars: int, max_bytes: int, path: str
) -> tuple[str, str]:
    """Make the page, and the content security policy to send with it.

    max_chars, max_bytes: Limits of a text, and of a request.
    path: Where the page sends its requests.
    """
    named = name_pipelines(pipelines)
    data = {
        "path": path,
        "max_chars": max_chars,
        "max_bytes": max_bytes,
        "pipelines": {key: _describe(pipeline) for key, pipeline in named.items()},
    }
    scripts = [read_part("page.js"), read_part("demo.js")]
    page = make_page(
        TITLE,
        template="demo.html",
        data=data,
        style=read_part("demo.css"),
        scripts=scripts,
        connect=True,
        names=[(key, _format_name(pipeline)) for key, pipeline in named.items()],
        newlines=NEWLINE_NAMES.items(),
        toggles=[PROBS, HIDE_NSU, FIXED],
    )
    return page, f"{make_policy(scripts, True)}; frame-ancestors 'none'"


def name_pipelines(pipelines: Sequence[DemoPipeline]) -> dict[str, DemoPipeline]:
    """Give each pipeline the short name that the page uses in requests: "p0", "p1", ...

    The name of a folder may hold what HTML or a script cannot.
    """
    return {f"p{n}": pipeline for n, pipeline in enumerate(pipelines)}


def _describe(pipeline: DemoPipeline) -> dict[str, object]:
    is_pair = pipeline.name.task == SCORES
    examples = PAIR_EXAMPLES if is_pair else {lang: (text, "") for lang, text in EXAMPLES.items()}
    return {
        "settings": None if pipeline.defaults is None else pipeline.defaults._asdict(),
        "example": examples.get(pipeline.lang),
        "is_pair": is_pair,
        "note": NOTES[pipeline.name.task],
    }


def _format_name(pipeline: DemoPipeline) -> str:
    """Write the name of a pipeline to choose; one of a language alone is called by the language."""
    task = TASK_NAMES[pipeline.name.task]
    if pipeline.name.model != pipeline.lang:
        return f"{task}: {pipeline.name.model}"
    return f"{task}{' by rules' * (pipeline.name.task == SENTENCES)}: {pipeline.language}"


def read_request(body: bytes, pipelines: dict[str, DemoPipeline]) -> Request:
    """Read a request of the page; ValueError if the page would not send it.

    body: JSON {"pipeline", "text", "threshold", "newline", "ref"}; the last three may be missing or
        null, except for pairs, which have a "ref".
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
            f"The pipeline must be one of {known}, got {_shorten(name)}. Reload the page."
        )
    pipeline = pipelines[name]
    settings = DemoSettings(row.get("threshold"), row.get("newline"))
    _check_settings(settings, pipeline)
    return Request(pipeline, text, settings, _check_ref(row.get("ref"), pipeline))


def _check_ref(ref: Any, pipeline: DemoPipeline) -> str:
    is_pair = pipeline.name.task == SCORES
    if isinstance(ref, str) if is_pair else ref is None:
        return ref or ""
    allowed = "the text to compare with" if is_pair else "missing"
    raise ValueError(f'"ref" must be {allowed} for {str(pipeline.name)!r}, got {_shorten(ref)}.')


def _shorten(value: Any) -> str:
    """Write a wrong value for a message; of what may be nested too deep to write, its type."""
    if isinstance(value, (list, dict)):
        return f"a {type(value).__name__}"
    return repr(str(value)[:100])


def _check_settings(settings: DemoSettings, pipeline: DemoPipeline) -> None:
    threshold, newline = settings
    if pipeline.defaults is None and settings != AS_LOADED:
        raise ValueError(
            f"{str(pipeline.name)!r} has no sentence identifier: leave out 'threshold' and "
            "'newline'."
        )
    is_number = isinstance(threshold, (int, float)) and not isinstance(threshold, bool)
    if threshold is not None and not (is_number and 0 <= threshold <= 1):
        raise ValueError(f"'threshold' must be in [0, 1], got {_shorten(threshold)}.")
    if newline is not None and newline not in NEWLINES:
        allowed = ", ".join(NEWLINES)
        raise ValueError(f"'newline' must be one of {allowed}, got {_shorten(newline)}.")


def answer(request: Request) -> dict[str, Any]:
    """Answer a request: {"html": a fragment, "summary": plain text, "seconds"}.

    Raises ValueError if the pipeline fails on the text.
    """
    pipeline = request.pipeline
    start = time.perf_counter()
    if pipeline.name.task == SCORES:
        pair = pipeline.compare(request.text, request.ref)
        seconds = time.perf_counter() - start
        sides = {key: render_side(getattr(pair, key), lang=pipeline.lang) for key in ("hyp", "ref")}
        html = call_macro("macros.html", "columns", sides, css="pair columns")
        summary = summarize_pair(pair)
    else:
        view = pipeline(request.text, request.settings)
        seconds = time.perf_counter() - start
        html = render_text(view.text, view.units, probs=view.probs, lang=pipeline.lang)
        summary = summarize(view.units, pipeline.name.task)
    return {"html": html, "summary": summary, "seconds": round(seconds, 3)}


def summarize_pair(pair: PairView) -> str:
    """Write the scores of a pair.

    >>> summarize_pair(PairView("", {"p": 1, "r": -0.5, "f": 0.25}, None, None))
    'P 1.00, R -0.50, F 0.25'
    """
    return ", ".join(f"{name.upper()} {score:.2f}" for name, score in pair.scores.items())


def summarize(units: Sequence[UnitView], task: str) -> str:
    """Count the results, in words.

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

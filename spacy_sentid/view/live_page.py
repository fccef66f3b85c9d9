"""The page to try pipelines: its form. What it shows comes from `questions.answer`.

pipelines -> HTML, content security policy
"""

from collections.abc import Sequence

from ..batch.tasks import SCORES, SENTENCES, UNITS, WORDS
from .controls import FIXED, HIDE_NSU, PROB_LEGEND, PROBS
from .escaping import escape_text
from .live import LivePipeline
from .page import make_page, make_policy, read_part

TITLE = "Try spacy-sentid"
TASK_NAMES = {
    UNITS: "SUs and NSUs",
    SENTENCES: "Sentences",
    WORDS: "Words",
    SCORES: "Two texts",
}
NOTES = {
    UNITS: "Shaded: sentences (SUs). Grey: what is none (NSUs), such as headings and signatures.",
    SENTENCES: "Shaded: sentences.",
    WORDS: "Underlined: words.",
    SCORES: "Marked: words that the other text does not support. P, R and F are the mean support "
    "of the words of the text, of the reference, and of both: above 0, rather supported.",
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


def make_live_page(
    pipelines: Sequence[LivePipeline], *, max_chars: int, max_bytes: int, path: str
) -> tuple[str, str]:
    """Make the page, and the content security policy to send with it.

    max_chars, max_bytes: Of a text, and of a request.
    path: Where it asks.
    """
    data = {
        "path": path,
        "max_chars": max_chars,
        "max_bytes": max_bytes,
        "pipelines": {key: _describe(one) for key, one in name_pipelines(pipelines).items()},
    }
    style, scripts = read_part("live.css"), [read_part("page.js"), read_part("live.js")]
    page = make_page(
        TITLE, _make_body(pipelines), data=data, style=style, scripts=scripts, connect=True
    )
    return page, f"{make_policy(scripts, True)}; frame-ancestors 'none'"


def name_pipelines(pipelines: Sequence[LivePipeline]) -> dict[str, LivePipeline]:
    """Give each pipeline the short name that the page asks for it by: "p0", "p1", ...

    The name of a folder may hold what HTML or a script cannot.
    """
    return {f"p{n}": pipeline for n, pipeline in enumerate(pipelines)}


def _describe(pipeline: LivePipeline) -> dict[str, object]:
    is_pair = pipeline.name.task == SCORES
    examples = PAIR_EXAMPLES if is_pair else {lang: (text, "") for lang, text in EXAMPLES.items()}
    return {
        "settings": None if pipeline.defaults is None else pipeline.defaults._asdict(),
        "example": examples.get(pipeline.lang),
        "is_pair": is_pair,
        "note": NOTES[pipeline.name.task],
    }


def _make_body(pipelines: Sequence[LivePipeline]) -> str:
    options = "".join(
        f'<option value="{key}">{_write_name(pipeline)}</option>'
        for key, pipeline in name_pipelines(pipelines).items()
    )
    choices = "".join(
        f'<label><input type="radio" name="newline" value="{value}" autocomplete="off">'
        f"<span>{escape_text(name)}</span></label>"
        for value, name in NEWLINE_NAMES.items()
    )
    toggles = "".join(
        f'<label class="toggle"><input type="checkbox" data-class="{toggle.name}" '
        f'autocomplete="off"> {escape_text(toggle.label)}</label>'
        for toggle in (PROBS, HIDE_NSU, FIXED)
    )
    legend = "".join(f'<span><i class="{kind}"></i> {told}</span>' for kind, told in PROB_LEGEND)
    return BODY.format(options=options, choices=choices, toggles=toggles, legend=legend)


def _write_name(pipeline: LivePipeline) -> str:
    """Write the name of a pipeline to choose; one of a language alone is called by the language."""
    task = TASK_NAMES[pipeline.name.task]
    if pipeline.name.model != pipeline.lang:
        return escape_text(f"{task}: {pipeline.name.model}")
    rules = " by rules" * (pipeline.name.task == SENTENCES)
    return escape_text(f"{task}{rules}: {pipeline.language}")


BODY = """\
<noscript><p class="error">This page needs JavaScript to ask the pipelines.</p></noscript>
<div class="live">
<section class="ask" aria-labelledby="ask-title">
<h2 id="ask-title">Your text</h2>
<div class="acts">
<button type="button" id="example">Example</button>
<button type="button" id="open">Open file…</button>
<button type="button" id="clear">Clear</button>
<input type="file" id="file" accept="text/*,.txt,.md,.eml,.csv" hidden aria-label="Text file">
</div>
<textarea id="text" aria-labelledby="ask-title" aria-describedby="length" dir="auto"
 spellcheck="false" autocomplete="off" autocapitalize="off"
 placeholder="Type or paste a text, or drop a file here."></textarea>
<div id="pair" hidden><label for="ref">Reference</label>
<textarea id="ref" dir="auto" spellcheck="false" autocomplete="off" autocapitalize="off"
 aria-describedby="length" placeholder="Type or paste what the text is compared with."></textarea>
</div>
<p id="length" class="quiet"></p>
<div class="settings">
<p class="row"><label for="pipeline">Pipeline</label>
<select id="pipeline" autocomplete="off">{options}</select></p>
<fieldset id="settings">
<legend>Settings of the sentence identifier</legend>
<div class="row" role="radiogroup" aria-labelledby="newline-title">
<span id="newline-title">Line ends</span><span class="choices">{choices}</span></div>
<p class="row"><label for="threshold">Threshold</label><span class="slide">
<input type="range" id="threshold" min="0" max="1" step="0.01" autocomplete="off"
 aria-describedby="threshold-note">
<output id="threshold-value" for="threshold"></output></span></p>
<p class="quiet"><span id="threshold-note">Units begin and end only where that is at least so
probable.</span> <button type="button" id="reset" class="link" hidden>Set back</button></p>
</fieldset>
</div>
</section>
<section class="found" aria-labelledby="found-title">
<div class="told"><h2 id="found-title">What was found</h2>
<span id="status" role="status"></span> <span id="time" class="quiet"></span></div>
<form class="tools" id="tools" aria-label="What is shown" hidden>{toggles}
<p class="legend">{legend}</p></form>
<p id="error" class="error" role="alert" hidden></p>
<div id="result" class="doc"></div>
<p id="note" class="quiet"></p>
</section>
</div>
<p class="quiet foot">What you type goes only to the program that serves this page, and is not
stored.</p>
"""

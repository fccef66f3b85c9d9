"""Render pages as single HTML files, from escaped templates and with a content security policy.

title, values -> templates/*.html with scripts and style sheets -> HTML
"""

import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from .kinds import UNSURE

FOLDER = Path(__file__).parents[1]
# HTML cannot contain these characters. Each is replaced by a single one, so offsets stay valid.
# A CR before a LF is written as a character reference, because the parser would drop it.
UNWRITABLE = re.compile("[\0\ud800-\udfff]|\r(?!\n)")
SCORE_DIGITS = 4  # the filter uses all of them; `page.js` shows two
PROB_LEGEND = (("bos", "P(BOS), at the left of a token"), ("eos", "P(EOS), at its right"))


def escape_text(value: object) -> Markup:
    """Escape a value for an element or a quoted attribute; HTML (`Markup`) is not changed.

    Templates call this function for every value.

    >>> print(repr(str(escape_text("<b> \\0 \\r\\n \\ud800"))))
    '&lt;b&gt; \ufffd &#13;\\n \ufffd'
    """
    if isinstance(value, Markup):
        return value
    return escape_piece(replace_unwritable(str(value)))


def replace_unwritable(text: str) -> str:
    """Replace each character that HTML cannot contain by a single one that it can contain."""
    return UNWRITABLE.sub(lambda found: "\n" if found[0] == "\r" else "\ufffd", text)


def escape_piece(text: str) -> Markup:
    """Escape a piece of a text without unwritable characters; it may end between CR and LF."""
    return Markup("&#13;").join(map(escape, text.split("\r"))) if "\r" in text else escape(text)


def format_score(score: float) -> str:
    """Format a score with at most four digits after the point.

    >>> format_score(0.5), format_score(0.98765), format_score(1)
    ('0.5', '0.9877', '1')
    """
    return f"{round(score, SCORE_DIGITS):g}"


def format_count(n: int, noun: str) -> str:
    """Format a count with its noun.

    >>> format_count(1, "SU"), format_count(2000, "error")
    ('1 SU', '2,000 errors')
    """
    return f"{n:,} {noun}{'s' * (n != 1)}"


@cache
def load_templates() -> Environment:
    """Load the templates of this folder."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        auto_reload=False,
        finalize=escape_text,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["score"] = format_score
    environment.filters["count"] = "{:,}".format
    environment.globals["PROB_LEGEND"] = PROB_LEGEND
    environment.globals["UNSURE"] = UNSURE
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return environment


def call_macro(template: str, macro: str, *args: Any, **kwargs: Any) -> Markup:
    """Render a macro of a template as a fragment."""
    return getattr(load_templates().get_template(template).module, macro)(*args, **kwargs)


def make_page(
    title: str,
    *,
    template: str = "base.html",
    data: Any = None,
    style: str = "",
    scripts: Sequence[str] | None = None,
    connect: bool = False,
    **values: Any,
) -> str:
    """Render a self-contained page. It follows the light or dark mode of the system, or a switch.

    title: Plain text, also used as the heading.
    template: A template that extends "base.html" with `values`.
    data: Data for scripts, written as JSON to `<script type="application/json" id="data">`.
    style: CSS to add to that of all pages.
    scripts: JavaScript code. Default: the scripts of the controls in "macros.html".
    connect: Let scripts and forms connect only to the server of the page. False blocks all.

    >>> page = make_page("A <b>")
    >>> "<title>A &lt;b&gt;</title>" in page, "default-src &#39;none&#39;" in page
    (True, True)
    """
    if scripts is None:
        scripts = [read_part("page.js"), read_part("search.js"), read_part("jumps.js")]
    return (
        load_templates()
        .get_template(template)
        .render(
            title=title,
            policy=make_policy(scripts, connect),
            style=Markup(read_part("unit.css") + read_part("page.css") + style),
            scripts=[Markup(code) for code in scripts],
            data=data,
            **values,
        )
    )


def make_policy(scripts: Sequence[str], connect: bool) -> str:
    """Format the content security policy of a page with these scripts.

    >>> make_policy([""], False)[:55]
    "default-src 'none'; style-src 'unsafe-inline'; img-src "
    """
    hashes = " ".join(f"'sha256-{_hash(code)}'" for code in scripts)
    own = "'self'" if connect else "'none'"
    return (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        f"script-src {hashes}; connect-src {own}; form-action {own}; base-uri 'none'"
    )


def _hash(code: str) -> str:
    return b64encode(sha256(code.encode("utf8")).digest()).decode("ascii")


@cache
def read_part(name: str) -> str:
    """Read a script or style sheet of the package."""
    return (FOLDER / name).read_text(encoding="utf8")

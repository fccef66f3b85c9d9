"""A whole page, in one file: nothing in it comes from elsewhere, and its policy forbids to load.

title, body -> HTML with page.css, page.js and search.js inside
"""

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from .escaping import dump_data, escape_text

FOLDER = Path(__file__).parent


def make_page(
    title: str,
    body: str,
    *,
    data: Any = None,
    style: str = "",
    scripts: Sequence[str] | None = None,
    connect: bool = False,
) -> str:
    """Write a self-contained page, light or dark as the reader's system is, or by its switch.

    title: Plain text; it is the heading too.
    body: HTML, such as of `render_text`; what is not mark-up in it must be escaped.
    data: For scripts: JSON, in `<script type="application/json" id="data">`.
    style: Is put behind that of all pages.
    scripts: Code; None = that of pages with the controls of `controls.write_controls`.
    connect: Scripts and forms may talk to the server that the page came from, and to no other.

    >>> page = make_page("A <b>", "<p>Text</p>")
    >>> "<title>A &lt;b&gt;</title>" in page, "default-src 'none'" in page
    (True, True)
    """
    if scripts is None:
        scripts = [read_part("page.js"), read_part("search.js")]
    heading = escape_text(title)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{make_policy(scripts, connect)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{heading}</title>",
        f"<style>\n{read_part('page.css')}{style}</style>",
        "</head>",
        "<body>",
        '<a class="skip" href="#main">Skip to the text</a>',
        f'<header class="top"><h1><bdi>{heading}</bdi></h1>',
        '<button type="button" id="theme" hidden>Dark</button></header>',
        '<main id="main" tabindex="-1">',
        body,
        "</main>",
    ]
    if data is not None:
        parts.append(f'<script type="application/json" id="data">{dump_data(data)}</script>')
    # The hash of a script is that of all between its tags.
    parts += [f"<script>{code}</script>" for code in scripts]
    return "\n".join(parts) + "\n</body>\n</html>\n"


def make_policy(scripts: Sequence[str], connect: bool) -> str:
    """Write the content security policy of a page with these scripts, for an attribute or a header.

    >>> make_policy([""], False)[:55]
    "default-src 'none'; style-src 'unsafe-inline'; img-src "
    """
    hashes = " ".join(f"'sha256-{_digest(code)}'" for code in scripts)
    own = "'self'" if connect else "'none'"
    return (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        f"script-src {hashes}; connect-src {own}; form-action {own}; base-uri 'none'"
    )


def _digest(code: str) -> str:
    return b64encode(sha256(code.encode("utf8")).digest()).decode("ascii")


@cache
def read_part(name: str) -> str:
    """Read a script or style sheet of the package."""
    return (FOLDER / name).read_text(encoding="utf8")

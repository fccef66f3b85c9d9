"""Any text as text in HTML: escaped, and its bidi controls kept to their place."""

import json
import re
from html import escape
from itertools import islice
from typing import Any
from unicodedata import bidirectional

# What HTML cannot hold is replaced, one character for one, so that offsets hold. A CR before a LF
# stays, as a reference: the parser would drop it.
UNWRITABLE = re.compile("[\0\ud800-\udfff]|\r(?!\n)")
DIRECTION_CHARS = 5000  # looked at to tell which way a text runs
RTL = {"R", "AL"}
# Controls of the bidirectional algorithm: what opens, and what closes it.
ISOLATES, POP_ISOLATE = "\u2066\u2067\u2068", "\u2069"
EMBEDDINGS, POP_EMBEDDING = "\u202a\u202b\u202d\u202e", "\u202c"
CONTROLS = re.compile(f"[{ISOLATES}{POP_ISOLATE}{EMBEDDINGS}{POP_EMBEDDING}]")


def escape_text(text: str) -> str:
    """Escape text to stand in an element or in a quoted attribute.

    >>> escape_text("<b> \\0 \\r\\n \\ud800")
    '&lt;b&gt; \ufffd &#13;\\n \ufffd'
    """
    text = UNWRITABLE.sub(lambda found: "\n" if found[0] == "\r" else "\ufffd", text)
    return escape(text).replace("\r", "&#13;")


def isolate(text: str) -> str:
    """Write a name so that it reorders nothing around it, whatever its script and controls.

    >>> isolate("a&b.txt")
    '<bdi>a&amp;b.txt</bdi>'
    """
    return f"<bdi>{escape_text(text)}</bdi>"


def dump_data(data: Any) -> str:
    """Write JSON that can stand in a `<script type="application/json">`.

    >>> dump_data(["</script>"])
    '["\\\\u003c/script>"]'
    """
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def find_direction(text: str) -> str:
    """Tell which way a text runs, by its letters: "ltr" or "rtl".

    >>> find_direction("(1) \u05d0\u05d1\u05d2 a"), find_direction("12")
    ('rtl', 'ltr')
    """
    found = [bidirectional(char) for char in islice(text, DIRECTION_CHARS)]
    return "rtl" if sum(kind in RTL for kind in found) > found.count("L") else "ltr"


def close_controls(text: str) -> str:
    """Give the characters that close what bidi controls of a text leave open at its end.

    Style sheets isolate units from each other, but an isolate left open in one takes the end of
    the unit for its own. A line end closes everything.

    >>> close_controls("a \u202e b \u2066 c") == "\u2069\u202c", close_controls("\u202e a\\n b")
    (True, '')
    """
    opened: list[str] = []
    for control in CONTROLS.findall(text[text.rfind("\n") + 1 :]):
        if control in ISOLATES:
            opened.append(POP_ISOLATE)
        elif control in EMBEDDINGS:
            opened.append(POP_EMBEDDING)
        elif control == POP_EMBEDDING:
            if opened and opened[-1] == POP_EMBEDDING:
                opened.pop()
        else:
            while opened and opened.pop() != POP_ISOLATE:
                pass
    return "".join(reversed(opened))

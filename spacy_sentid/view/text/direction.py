"""Find the direction of a text, and close the controls of the bidirectional algorithm in it."""

import re
from itertools import islice
from unicodedata import bidirectional

DIRECTION_CHARS = 5000  # the first characters, which decide the direction of a text
RTL = {"R", "AL"}
# Opening and closing controls of the Unicode bidirectional algorithm.
ISOLATES, POP_ISOLATE = "\u2066\u2067\u2068", "\u2069"
EMBEDDINGS, POP_EMBEDDING = "\u202a\u202b\u202d\u202e", "\u202c"
CONTROLS = re.compile(f"[{ISOLATES}{POP_ISOLATE}{EMBEDDINGS}{POP_EMBEDDING}]")


def find_direction(text: str) -> str:
    """Find the direction of a text from its letters: "ltr" or "rtl".

    >>> find_direction("(1) \u05d0\u05d1\u05d2 a"), find_direction("12")
    ('rtl', 'ltr')
    """
    found = [bidirectional(char) for char in islice(text, DIRECTION_CHARS)]
    return "rtl" if sum(kind in RTL for kind in found) > found.count("L") else "ltr"


def close_controls(text: str) -> str:
    """Return the characters that close the bidi controls that are open at the end of a text.

    The style sheet isolates units from each other. The end of a unit would however close an isolate
    that is open inside the unit, and leave the unit itself open. A line end closes all controls.

    >>> close_controls("a \u202e b \u2066 c") == "\u2069\u202c", close_controls("\u202e a\\n b")
    (True, '')
    """
    if text.isascii():
        return ""
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

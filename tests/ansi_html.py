"""Convert the coloured output of our commands to HTML, for pictures of a terminal.

Only the codes that the package writes are known: bold, dim and the 256 colours.
"""

import re
from html import escape

CODE = re.compile(r"\x1b\[([0-9;]*)m")
ISOLATES = re.compile("[\u2066-\u2069]")
# The first 16 colours depend on the terminal. These are in the order black to white.
BASIC = (
    "#000000", "#c0392b", "#3f8f3f", "#a06a00", "#2f6fb7", "#8e44ad", "#16808a", "#c8ccd0",
    "#767676", "#e05a4c", "#5fb05f", "#c98f1d", "#5b9ae0", "#b573d6", "#3fb3bd", "#ffffff",
)  # fmt: skip
LEVELS = (0, 95, 135, 175, 215, 255)
STYLE = """
.terminal { margin: 0; padding: 1rem 1.25rem; border-radius: .5rem; width: max-content;
  font: 14px/1.35 "DejaVu Sans Mono", monospace; white-space: pre; }
.terminal.dark { background: #13161b; color: #e3e7ed; }
.terminal.light { background: #ffffff; color: #1c232d; }
.terminal b { font-weight: 700; }
.terminal i { font-style: normal; opacity: .7; }
"""


def color_of(number: int) -> str:
    """Return one of the 256 colours of a terminal.

    >>> color_of(32), color_of(244)
    ('#0087d7', '#808080')
    """
    if number < len(BASIC):
        return BASIC[number]
    if number >= 232:
        return f"#{8 + 10 * (number - 232):02x}" + f"{8 + 10 * (number - 232):02x}" * 2
    rest = number - 16
    red, green, blue = rest // 36, rest // 6 % 6, rest % 6
    return "#" + "".join(f"{LEVELS[level]:02x}" for level in (red, green, blue))


def render_ansi(text: str) -> str:
    r"""Convert a text with codes of colours to HTML, without the element around it.

    Raises ValueError for codes that are not known.

    >>> render_ansi("\x1b[38;5;32m<a>\x1b[0m \x1b[1mb\x1b[0m")
    '<span style="color:#0087d7">&lt;a&gt;</span> <b>b</b>'
    """
    parts: list[str] = []
    closing: list[str] = []
    position = 0
    for code in CODE.finditer(text):
        parts.append(escape(text[position : code.start()], quote=False))
        position = code.end()
        numbers = [int(number or 0) for number in code[1].split(";")]
        while numbers:
            number = numbers.pop(0)
            if number == 0:
                parts += reversed(closing)
                closing = []
            elif number in (1, 2):
                name = "b" if number == 1 else "i"
                parts.append(f"<{name}>")
                closing.append(f"</{name}>")
            elif (number == 38 and numbers[:1] == [5]) or 30 <= number <= 37:
                color = numbers[1] if number == 38 else number - 30
                del numbers[: 2 * (number == 38)]
                parts.append(f'<span style="color:{color_of(color)}">')
                closing.append("</span>")
            else:
                raise ValueError(f"Codes must be those of our commands, got {code[0]!r}.")
    parts += [escape(text[position:], quote=False), *reversed(closing)]
    return ISOLATES.sub("", "".join(parts))


def make_picture(text: str, *, is_dark: bool) -> str:
    """Make an element that looks like a terminal; its style sheet is STYLE."""
    scheme = "dark" if is_dark else "light"
    return f'<pre class="terminal {scheme}">{render_ansi(text.rstrip())}</pre>'

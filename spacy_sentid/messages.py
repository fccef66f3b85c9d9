"""How values are shown in messages: on one line, and never long.

value, such as a cell of 300,000 characters -> a short text
"""

from reprlib import Repr

MAX_SHOWN = 40  # characters of a string or number
MAX_LENGTH = 120  # of all that is shown of a value
MAX_LINE = 200  # of a text, such as the message of another package


def shorten_line(text: object) -> str:
    """Show a text in a message: its lines and blanks as single spaces, its end cut off.

    >>> shorten_line("no such" + chr(10) + "file"), len(shorten_line("x" * 999))
    ('no such file', 200)
    """
    line = " ".join(str(text).split())
    return line if len(line) <= MAX_LINE else f"{line[: MAX_LINE - 3]}..."


def shorten(value: object) -> str:
    """Show a value in a message, however long or deep it is.

    >>> shorten({"id": None, "text": ["x" * 99]})
    "{'id': None, 'text': ['xxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxx']}"
    """
    shown = Repr()
    shown.maxlevel, shown.maxstring, shown.maxlong = 2, MAX_SHOWN, MAX_SHOWN
    text = shown.repr(value)
    return text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH - 3]}..."

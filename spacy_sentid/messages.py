"""Format values for messages, as short text on one line.

value, such as a cell of 300,000 characters -> a short text
"""

from reprlib import Repr

MAX_SHOWN = 40  # maximum number of characters of a string or number
MAX_LENGTH = 120  # maximum length of a formatted value
MAX_LINE = 200  # maximum length of a text, such as the message of another package


def shorten_line(text: object) -> str:
    """Format a text for a message: replace white space by single spaces, and cut off a long end.

    >>> shorten_line("no such" + chr(10) + "file"), len(shorten_line("x" * 999))
    ('no such file', 200)
    """
    line = " ".join(str(text).split())
    return line if len(line) <= MAX_LINE else f"{line[: MAX_LINE - 3]}..."


def shorten(value: object) -> str:
    """Format a value for a message, with long strings and deep objects shortened.

    >>> shorten({"id": None, "text": ["x" * 99]})
    "{'id': None, 'text': ['xxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxx']}"
    """
    shown = Repr()
    shown.maxlevel, shown.maxstring, shown.maxlong = 2, MAX_SHOWN, MAX_SHOWN
    text = shown.repr(value)
    return text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH - 3]}..."

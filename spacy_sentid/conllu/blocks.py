"""Read CoNLL-U files block by block.

file -> blocks of bytes with their line -> lines -> `UnitRows`: comments and columns

Other modules read units with `treebank`. Only `augment` uses blocks directly, to write them byte by
byte.
"""

from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple, cast

from ..files.records import split_carriage_returns
from ..messages import shorten

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SPACE = ord(" ")


class Block(NamedTuple):
    """Lines of one unit, with the blank lines after it; the last block may have no blank line."""

    raw: bytes
    line: int  # number of the first line, from 1


class UnitRows(NamedTuple):
    """One unit: its comments, and the columns of its rows."""

    comments: list[str]
    rows: list[list[str]]  # all rows: words, multiword tokens ("3-4"), empty nodes ("8.1")
    words: list[list[str]]  # the rows of the syntactic words, which are numbered 1, 2, 3, ...
    # Index of each word's head in `words`; its own index for the root; None for "_".
    heads: list[int | None]

    def column(self, column: int) -> list[str]:
        """Return one column of the words."""
        return [word[column] for word in self.words]

    @property
    def tree(self) -> list[int]:
        """The heads of a unit that was parsed with `strict`, without None."""
        return cast("list[int]", self.heads)


def read_blocks(file: BinaryIO) -> Iterator[Block]:
    """Split a file after blank lines.

    The joined blocks are the same as the file, without a byte order mark and with other line
    endings if a CR alone ends its lines.
    """
    lines: list[bytes] = []
    first, blank = 1, False
    for number, line in enumerate(split_carriage_returns(file), start=1):
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
            if not line:
                return
        # Nearly all lines start with a digit, so check the first character before isspace().
        if line[0] <= SPACE and line.isspace():
            blank = True
        elif blank:
            yield Block(b"".join(lines), first)
            lines, first, blank = [], number, False
        lines.append(line)
    if lines:
        yield Block(b"".join(lines), first)


def block_lines(block: Block, name: str) -> list[str]:
    """Decode the lines of a block, without blank lines.

    Raises ValueError with file, line and sent_id if lines are not UTF-8 or have a CR inside.
    """
    try:
        text = block.raw.decode("utf8")
    except UnicodeDecodeError as error:
        number = block.line + block.raw.count(b"\n", 0, error.start)
        sent_id = get_sent_id(block.raw.decode("utf8", errors="replace").split("\n"))
        raise ValueError(
            f"{name}:{number} ({format_id(sent_id)}): CoNLL-U must be UTF-8, got other bytes "
            f"({error.reason}). Convert the file to UTF-8."
        ) from error
    # Do not use splitlines(), as a form may contain a Unicode line separator.
    lines = text.split("\n")
    if "\r" in text:
        lines = [line.rstrip("\r") for line in lines]
        for number, line in enumerate(lines, start=block.line):
            if "\r" in line:
                fault = "lines must end with LF or CRLF, got a CR inside a line"
                raise ValueError(f"{name}:{number} ({format_id(get_sent_id(lines))}): {fault}.")
    # Blank lines are at the end of a block, and also at the start of the first block.
    while lines and not lines[-1].strip():
        del lines[-1]
    while lines and not lines[0].strip():
        del lines[0]
    return lines


def has_words(lines: Iterable[str]) -> bool:
    """Check if a block has words, not only comments."""
    return any(not line.startswith("#") for line in lines)


def get_sent_id(lines: Iterable[str]) -> str | None:
    """Read the value of `# sent_id`.

    >>> get_sent_id(["# sent_id = a-1", "# text = Yes"]), get_sent_id(["# text = Yes"])
    ('a-1', None)
    """
    return get_comment(lines, "sent_id")


def get_comment(lines: Iterable[str], key: str) -> str | None:
    """Read the value of the comment `# key = value`; None if it is missing."""
    for line in lines:
        if key in line and line.startswith("#"):
            name, equals, value = line[1:].partition("=")
            if equals and name.strip() == key:
                return value.strip()
    return None


def split_unit(lines: list[str]) -> UnitRows:
    """Split the lines of a unit into columns, without checks and without reading heads."""
    comments = [line for line in lines if line[0] == "#"]
    rows = [line.split("\t") for line in lines if line[0] != "#"]
    words = rows
    if not "".join([row[ID] for row in rows]).isdecimal():
        words = [row for row in rows if row[ID].isdecimal()]
    return UnitRows(comments, rows, words, [])


def format_id(sent_id: str | None) -> str:
    """Format the id of a unit for a message."""
    if sent_id is None:
        return "no sent_id"
    return f"sent_id {sent_id if sent_id.isprintable() and len(sent_id) < 80 else shorten(sent_id)}"


def no_units(name: str) -> ValueError:
    """Create the error for a file without units."""
    return ValueError(f"{name} must have units in CoNLL-U, got none. Check the file.")

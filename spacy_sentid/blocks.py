"""Read CoNLL-U files block by block.

file -> blocks of bytes with their line -> lines -> `UnitRows`: comments and columns

`treebank` reads units for everyone; `augment` needs the blocks too, to write them byte by byte.
"""

from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple, cast

from .files.records import split_carriage_returns
from .messages import shorten

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SPACE = ord(" ")
HEADER = "# global.columns"  # of CoNLL-U Plus


class Block(NamedTuple):
    """Lines up to and with the blank lines that end them; the last may have none."""

    raw: bytes
    line: int  # number of the first line, from 1


class UnitRows(NamedTuple):
    """One unit: its comments, and the columns of its rows."""

    comments: list[str]
    rows: list[list[str]]  # all: words, multiword tokens ("3-4"), empty nodes ("8.1")
    words: list[list[str]]  # the rows of the syntactic words, which are numbered 1, 2, 3, ...
    heads: list[int | None]  # index in `words` of each word's head; the root's own; None for "_"

    def column(self, column: int) -> list[str]:
        """One column of the words."""
        return [word[column] for word in self.words]

    @property
    def tree(self) -> list[int]:
        """The heads of a unit that was parsed strictly."""
        return cast("list[int]", self.heads)


def read_blocks(file: BinaryIO) -> Iterator[Block]:
    """Split a file after blank lines.

    The blocks, joined, are the file, but for a byte order mark, and for CRs that end its lines.
    """
    lines: list[bytes] = []
    first, blank = 1, False
    for number, line in enumerate(split_carriage_returns(file), start=1):
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
            if not line:
                return
        # Nearly all lines start with a digit: quicker to see than that they are not white space.
        if line[0] <= SPACE and line.isspace():
            blank = True
        elif blank:
            yield Block(b"".join(lines), first)
            lines, first, blank = [], number, False
        lines.append(line)
    if lines:
        yield Block(b"".join(lines), first)


def block_lines(block: Block, name: str) -> list[str]:
    """Decode the lines of a block, without the blank ones.

    Raises ValueError that names file, line and sent_id if they are not UTF-8, have a CR inside, or
    begin with the header of another format.
    """
    try:
        text = block.raw.decode("utf8")
    except UnicodeDecodeError as error:
        number = block.line + block.raw.count(b"\n", 0, error.start)
        sent_id = get_sent_id(block.raw.decode("utf8", errors="replace").split("\n"))
        raise ValueError(
            f"{name}:{number} ({format_id(sent_id)}): CoNLL-U must be UTF-8, got other bytes "
            f"({error.reason}). Convert the file."
        ) from error
    # Not splitlines(): a form may hold a line separator of Unicode.
    lines = text.split("\n")
    if "\r" in text:
        lines = [line.rstrip("\r") for line in lines]
        for number, line in enumerate(lines, start=block.line):
            if "\r" in line:
                fault = "lines must end in LF or CRLF, got a CR inside of one"
                raise ValueError(f"{name}:{number} ({format_id(get_sent_id(lines))}): {fault}.")
    # Blank lines end a block; only before the first of a file are there others.
    while lines and not lines[-1].strip():
        del lines[-1]
    while lines and not lines[0].strip():
        del lines[0]
    if lines and lines[0].startswith(HEADER):
        columns = get_comment(lines, "global.columns") or ""
        if tuple(columns.split()) != COLUMNS:
            raise ValueError(
                f"{name}:{block.line}: the columns must be {' '.join(COLUMNS)}, got "
                f"{shorten(columns)}."
            )
    return lines


def has_words(lines: Iterable[str]) -> bool:
    """Whether a block is a unit, not comments alone or nothing."""
    return any(not line.startswith("#") for line in lines)


def get_sent_id(lines: Iterable[str]) -> str | None:
    """Read the value of `# sent_id`.

    >>> get_sent_id(["# sent_id = a-1", "# text = Yes"]), get_sent_id(["# text = Yes"])
    ('a-1', None)
    """
    return get_comment(lines, "sent_id")


def get_comment(lines: Iterable[str], key: str) -> str | None:
    """Read the value of the comment `# key = value`; None without one."""
    for line in lines:
        if key in line and line.startswith("#"):
            name, equals, value = line[1:].partition("=")
            if equals and name.strip() == key:
                return value.strip()
    return None


def split_unit(lines: list[str]) -> UnitRows:
    """Split the lines of a unit that was checked into columns; it has no heads."""
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
    """Make the error of a file without units."""
    return ValueError(f"{name} must have units in CoNLL-U, got none. Check the file.")

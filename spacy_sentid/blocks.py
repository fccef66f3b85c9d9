"""Blocks of a CoNLL-U file as they stand, and the checks that a unit must pass.

file -> blocks of bytes with their line -> lines -> `UnitRows`: columns, checked

Nothing is interpreted beyond what the checks need: `treebank` reads the fields.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import eq
from typing import BinaryIO, NamedTuple, NoReturn, cast

ID, FORM, UPOS, HEAD, DEPREL, DEPS, MISC = 0, 1, 3, 6, 7, 8, 9
N_COLUMNS = 10
SPACE = ord(" ")


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
    """Split a file behind blank lines. The blocks, laid end to end, are the file."""
    lines: list[bytes] = []
    first, blank = 1, False
    for number, line in enumerate(file, start=1):
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

    Raises ValueError that names file, line and sent_id if they are not UTF-8.
    """
    try:
        text = block.raw.decode("utf8")
    except UnicodeDecodeError as error:
        line = block.line + block.raw.count(b"\n", 0, error.start)
        sent_id = get_sent_id(block.raw.decode("utf8", errors="replace").split("\n"))
        raise ValueError(
            f"{name}:{line} ({_say_id(sent_id)}): found bytes that are not UTF-8 "
            f"({error.reason}). CoNLL-U is UTF-8; convert the file."
        ) from error
    # Not splitlines(): a form may hold a line separator of Unicode.
    lines = text.split("\n")
    if "\r" in text:
        lines = [line.rstrip("\r") for line in lines]
    # Blank lines end a block; only before the first of a file are there others.
    while lines and not lines[-1].strip():
        del lines[-1]
    while lines and not lines[0].strip():
        del lines[0]
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


def parse_unit(lines: list[str], place: str, *, strict: bool = True) -> UnitRows:
    """Split the lines of a unit into columns, and check them.

    place: "file:line" of the first line, for messages.
    strict: HEADs must be one tree, and DEPS right; else heads may be missing and roots be several.

    Raises ValueError that names file, line and sent_id: a wrong number of columns, ids out of
    order, a HEAD that is no word, no root, a second root, a circle, a broken enhanced dependency.
    """
    unit = split_unit(lines)
    rows, words = unit.rows, unit.words
    n_words = len(words)
    # What is right is found right for all words at once; what is not is looked for line by line.
    if set(map(len, rows)) != {N_COLUMNS} or [row[ID] for row in words] != _word_ids(n_words):
        _fail_at_row(lines, place)
    if len(rows) > n_words or not words:
        _check_ids(lines, place, rows)
    heads: list[int | None]
    values = [word[HEAD] for word in words]
    if _known_heads(n_words).issuperset(values) and not any(map(eq, values, _word_ids(n_words))):
        heads = [int(value) - 1 if value != "0" else word for word, value in enumerate(values)]
    else:
        heads = [_parse_head(lines, place, word, n_words) for word in words]
    _check_tree(lines, place, heads, strict=strict)
    if strict:
        _check_enhanced(lines, place, rows, words)
    return UnitRows(unit.comments, rows, words, heads)


@lru_cache(maxsize=256)
def _word_ids(n_words: int) -> list[str]:
    return [str(number) for number in range(1, n_words + 1)]


@lru_cache(maxsize=256)
def _known_heads(n_words: int) -> frozenset[str]:
    return frozenset(["0", *_word_ids(n_words)])


def check_columns(block: Block, lines: list[str], place: str) -> None:
    """Check that no column is empty; what is not annotated is "_".

    Raises ValueError that names file, line and sent_id.
    """
    if any(empty in block.raw for empty in (b"\t\t", b"\t\n", b"\t\r")):
        for number, line in enumerate(lines):
            if not line.startswith("#") and "" in line.split("\t"):
                _fail(lines, place, number, "an empty column", "'_' for nothing", "Mend the line")


def _fail_at_row(lines: list[str], place: str) -> NoReturn:
    """Raise for the first row with a wrong number of columns, or word with a wrong id."""
    n_words = 0
    for number, line in enumerate(lines):
        row = line.split("\t")
        if line.startswith("#"):
            continue
        if len(row) != N_COLUMNS:
            _fail(
                lines, place, number, f"{len(row)} columns", "10 separated by tabs", "Mend the line"
            )
        n_words += row[ID].isdecimal()
        if row[ID].isdecimal() and row[ID] != str(n_words):
            _fail(lines, place, number, f"word id {row[ID]}", f"{n_words}", "Mend the ID column")
    _fail(lines, place, 0, "no words", "at least one", "Mend the unit")


def _parse_head(lines: list[str], place: str, word: list[str], n_words: int) -> int | None:
    """Read the index of a head; a root's is its own, None stands for "_"."""
    value, own = word[HEAD], int(word[ID])
    if value == "_":
        return None
    if value not in _known_heads(n_words):
        _fail(
            lines, place, _line_of(lines, word), f"HEAD {value!r} of word {own}",
            f"a number from 0 to {n_words}", "Mend the HEAD column",
        )  # fmt: skip
    if int(value) == own:
        found = f"a circle of heads: word {own} is its own"
        _fail(lines, place, _line_of(lines, word), found, "a tree", "Mend the HEAD column")
    return int(value) - 1 if int(value) else own - 1


def _check_tree(lines: list[str], place: str, heads: list[int | None], *, strict: bool) -> None:
    """Check that there is a root, and no circle; with `strict`, one root and all heads."""
    if strict and None in heads:
        word = heads.index(None) + 1
        _fail(lines, place, 0, f"'_' in HEAD of word {word}", "a tree", "Annotate it")
    roots = [word for word, head in enumerate(heads) if head == word]
    if not roots and any(head is not None for head in heads):
        # With heads and no root there is a circle; that is what is to be mended.
        _check_circles(lines, place, heads)
        _fail(lines, place, 0, "no root", "one word with HEAD 0", "Mend the HEAD column")
    if strict and len(roots) > 1:
        found = f"{len(roots)} roots (words {', '.join(str(word + 1) for word in roots[:5])})"
        _fail(lines, place, 0, found, "one word with HEAD 0", "Mend the HEAD column")
    _check_circles(lines, place, heads)


def _check_circles(lines: list[str], place: str, heads: list[int | None]) -> None:
    """Check that every word leads to a root, or to a word without a head."""
    above = [word if head is None else head for word, head in enumerate(heads)]
    reached = above
    for _ in range(len(heads).bit_length()):  # each time twice as far up
        reached = [reached[word] for word in reached]
        if reached.count(reached[0]) == len(reached):
            break  # soon, as trees are flat
    for word in reached:
        if above[word] != word:
            found = f"a circle of heads at word {word + 1}"
            _fail(lines, place, 0, found, "a tree", "Mend the HEAD column")


def _check_ids(lines: list[str], place: str, rows: list[list[str]]) -> None:
    """Check the ids of multiword tokens and empty nodes, which stand where they belong."""
    n_words = sum(row[ID].isdecimal() for row in rows)
    last = covered = n_empty = 0
    for row in rows:
        name = row[ID]
        if name.isdecimal():
            last, n_empty = last + 1, 0
            continue
        first, dash, second = name.partition("-")
        if dash and first.isdecimal() and second.isdecimal():
            if int(first) == last + 1 > covered and int(first) < int(second) <= n_words:
                covered = int(second)
                continue
        elif name == f"{last}.{n_empty + 1}":
            n_empty += 1
            continue
        _fail(
            lines, place, _line_of(lines, row), f"id {name!r} behind word {last}",
            "a multiword token before its words, or an empty node behind its word",
            "Mend the ID column",
        )  # fmt: skip
    if not n_words:
        _fail(lines, place, 0, "no words", "at least one", "Mend the unit")


def _check_enhanced(
    lines: list[str], place: str, rows: list[list[str]], words: list[list[str]]
) -> None:
    # Nearly all are the basic relation once more.
    others = [row for row in rows if row[DEPS] != "_" and row[DEPS] != f"{row[HEAD]}:{row[DEPREL]}"]
    if not others:
        return
    known = _known_heads(len(words))
    if len(rows) > len(words):
        known |= {row[ID] for row in rows if "." in row[ID]}
    for row in others:
        for part in row[DEPS].split("|"):
            head, colon, relation = part.partition(":")
            if not colon or not relation or head not in known:
                _fail(
                    lines, place, _line_of(lines, row), f"{part!r} in DEPS of {row[ID]}",
                    "HEAD:RELATION of a word or empty node of the unit", "Mend the DEPS column",
                )  # fmt: skip


def _line_of(lines: list[str], row: list[str]) -> int:
    return lines.index("\t".join(row))


def _fail(
    lines: list[str], place: str, number: int, found: str, expected: str, mend: str
) -> NoReturn:
    """Raise for the line `number` (from 0) of a unit."""
    name, first = place.rsplit(":", 1)
    sent_id = _say_id(get_sent_id(lines))
    raise ValueError(
        f"{name}:{int(first) + number} ({sent_id}): found {found}, expected {expected}. {mend}."
    )


def _say_id(sent_id: str | None) -> str:
    return "no sent_id" if sent_id is None else f"sent_id {sent_id}"

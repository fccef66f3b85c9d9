"""Read CoNLL-U files block by block, and check each unit.

file -> blocks of bytes with their line -> lines -> `UnitRows`: columns, checked

`treebank` reads units for everyone; `augment` needs the blocks too, to write them byte by byte.
"""

from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from typing import Any, BinaryIO, NamedTuple, NoReturn, cast

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
N_COLUMNS = 10
ROOT = -1  # of HEAD, before it is the index of the root itself
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
    """Split a file after blank lines. The blocks, joined, are the file."""
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
            f"{name}:{line} ({format_id(sent_id)}): CoNLL-U must be UTF-8, got other bytes "
            f"({error.reason}). Convert the file."
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
    """Split the lines of a unit into columns, check them, and read the heads.

    place: "file:line" of the first line, for messages.
    strict: Heads must be one tree, DEPS must be valid and no column may be empty; otherwise heads
        may be missing, and there may be several roots.

    Raises ValueError that names file, line and sent_id.
    """
    unit = split_unit(lines)
    checks = _Checks(lines, place, unit)
    checks.check_ids()
    heads = checks.read_tree()
    if heads is None:
        heads = checks.read_heads()
        checks.check_tree(heads, strict=strict)
    unit = UnitRows(unit.comments, unit.rows, unit.words, heads)
    if strict:
        checks.check_enhanced()
    return unit


class _Checks:
    """The checks of one unit. Each raises ValueError for the first fault that it finds."""

    def __init__(self, lines: list[str], place: str, unit: UnitRows) -> None:
        self.lines, self.place = lines, place
        self.rows, self.words = unit.rows, unit.words
        self.n_words = len(unit.words)

    def fail(self, fault: str, row: list[str] | None = None) -> NoReturn:
        """Raise for a row; None = for the unit."""
        file, first = self.place.rsplit(":", 1)
        line = int(first)
        if row is not None:
            numbers = [n for n, line in enumerate(self.lines) if not line.startswith("#")]
            line += numbers[next(n for n, other in enumerate(self.rows) if other is row)]
        sent_id = format_id(get_sent_id(self.lines))
        raise ValueError(f"{file}:{line} ({sent_id}): {fault}.")

    def check_ids(self) -> None:
        """Check the number of columns and the ID of words, multiword tokens and empty nodes."""
        if set(map(len, self.rows)) != {N_COLUMNS}:
            for row in self.rows:
                if len(row) != N_COLUMNS:
                    self.fail(f"a line must have 10 columns with tabs between, got {len(row)}", row)
        if [row[ID] for row in self.words] != _word_ids(self.n_words):
            for number, row in enumerate(self.words, start=1):
                if row[ID] != str(number):
                    self.fail(f"the ID of word {number} must be {number}, got {row[ID]}", row)
        if len(self.rows) == self.n_words:
            if not self.words:
                self.fail("a unit must have words, got none")
            return
        last = covered = n_empty = 0
        for row in self.rows:
            name = row[ID]
            first, dash, second = name.partition("-")
            if name.isdecimal():
                last, n_empty = last + 1, 0
            elif name == f"{last}.{n_empty + 1}":
                n_empty += 1
            elif dash and first.isdecimal() and second.isdecimal():
                if not int(first) == last + 1 > covered or not last + 1 < int(second):
                    self.fail(f"a multiword token must be before its words, got {name!r}", row)
                covered = int(second)
                if covered > self.n_words:
                    self.fail(f"a multiword token must have its words, got {name!r}", row)
            else:
                self.fail(
                    "the ID of a row must be that of the next word, multiword token or empty "
                    f"node, got {name!r} after word {last}",
                    row,
                )
        if not self.words:
            self.fail("a unit must have words, got none")

    def read_tree(self) -> list[int | None] | None:
        """Read the index of each head, the root's is its own; None if they are not one tree."""
        indices = _head_indices(self.n_words)
        heads = [indices.get(word[HEAD]) for word in self.words]
        if heads.count(ROOT) != 1 or None in heads:
            return None
        root = heads.index(ROOT)
        heads[root] = root
        reached: Any = heads
        for _ in range(self.n_words.bit_length()):  # each time twice as far up
            reached = [reached[word] for word in reached]
            if reached.count(root) == self.n_words:
                return heads  # soon, as trees are flat
        return None

    def read_heads(self) -> list[int | None]:
        """Read the index of each head; a root's is its own, None means "_"."""
        indices = _head_indices(self.n_words)
        for word in self.words:
            if word[HEAD] == word[ID] or word[HEAD] not in indices:
                fault = f"HEAD of word {word[ID]} must be another word or 0"
                self.fail(f"{fault}, got {word[HEAD]!r}", word)
        heads = [indices[word[HEAD]] for word in self.words]
        return [number if head == ROOT else head for number, head in enumerate(heads)]

    def check_tree(self, heads: list[int | None], *, strict: bool) -> None:
        """Check that there is a root and no circle; with `strict`, one root and all heads."""
        if strict and None in heads:
            self.fail(f"the heads must be a tree, got '_' for word {heads.index(None) + 1}")
        above = [word if head is None else head for word, head in enumerate(heads)]
        reached = above
        for _ in range(self.n_words.bit_length()):
            reached = [reached[word] for word in reached]
        for word in reached:
            if above[word] != word:
                self.fail(f"the heads must be a tree, got a circle at word {word + 1}")
        roots = [str(word + 1) for word, head in enumerate(heads) if head == word]
        if not roots and any(head is not None for head in heads):
            self.fail("a unit must have a word with HEAD 0, got no root")
        if strict and len(roots) > 1:
            self.fail(f"a unit must have one root, got {len(roots)}: words {', '.join(roots[:5])}")

    def check_enhanced(self) -> None:
        """Check that DEPS name nodes of the unit, and that no column is empty."""
        for row in self.rows:
            if "" in row:
                self.fail("a column must not be empty ('_' means nothing)", row)
        nodes: Container[str] = _head_indices(self.n_words)
        if len(self.rows) > self.n_words:
            nodes = {*_head_indices(self.n_words), *(r[ID] for r in self.rows if "." in r[ID])}
        # Nearly all are the basic relation once more.
        for row in [row for row in self.rows if row[DEPS] != f"{row[HEAD]}:{row[DEPREL]}"]:
            for part in row[DEPS].split("|") if row[DEPS] != "_" else ():
                head, _, relation = part.partition(":")
                if not relation or head not in nodes or head == "_":
                    self.fail(f"DEPS must be HEAD:RELATION of nodes here, got {part!r}", row)


@lru_cache(maxsize=256)
def _word_ids(n_words: int) -> list[str]:
    return [str(number) for number in range(1, n_words + 1)]


@lru_cache(maxsize=256)
def _head_indices(n_words: int) -> dict[str, int | None]:
    return {"_": None, "0": ROOT, **{name: n for n, name in enumerate(_word_ids(n_words))}}


def format_id(sent_id: str | None) -> str:
    """Format the id of a unit for a message."""
    return "no sent_id" if sent_id is None else f"sent_id {sent_id}"

"""Blocks of a CoNLL-U file as they stand, and the checks that a unit must pass.

file -> blocks of bytes with their line -> lines -> `UnitRows`: columns, checked

Nothing is interpreted beyond what the checks need: `treebank` reads the fields.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple, NoReturn

ID, FORM, UPOS, HEAD, DEPREL, DEPS, MISC = 0, 1, 3, 6, 7, 8, 9
N_COLUMNS = 10


class Block(NamedTuple):
    """Lines up to and with the blank lines that end them; the last may have none."""

    raw: bytes
    line: int  # number of the first line, from 1


@dataclass(frozen=True)
class UnitRows:
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
        return [head for head in self.heads if head is not None]


def read_blocks(file: BinaryIO) -> Iterator[Block]:
    """Split a file behind blank lines. The blocks, laid end to end, are the file."""
    lines: list[bytes] = []
    first, blank = 1, False
    for number, line in enumerate(file, start=1):
        if line.isspace():
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
    return [line.rstrip("\r") for line in text.split("\n") if line and not line.isspace()]


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
        if line.startswith("#"):
            name, equals, value = line[1:].partition("=")
            if equals and name.strip() == key:
                return value.strip()
    return None


def parse_unit(lines: list[str], place: str, *, strict: bool = True) -> UnitRows:
    """Split the lines of a unit into columns, and check them.

    place: "file:line" of the first line, for messages.
    strict: HEADs must be one tree, and DEPS right; else heads may be missing and roots be several.

    Raises ValueError that names file, line and sent_id: a wrong number of columns, ids out of
    order, a HEAD that is no word, no root, a second root, a circle, a broken enhanced dependency.
    """
    comments: list[str] = []
    rows: list[list[str]] = []
    words: list[list[str]] = []
    numbers: list[int] = []  # of the line of each row
    for number, line in enumerate(lines):
        if line.startswith("#"):
            comments.append(line)
            continue
        row = line.split("\t")
        if len(row) != N_COLUMNS:
            _fail(
                lines, place, number, f"{len(row)} columns", "10 separated by tabs", "Mend the line"
            )
        rows.append(row)
        numbers.append(number)
        if row[0].isdecimal():
            words.append(row)
            if row[0] != str(len(words)):
                found = f"word id {row[0]}"
                _fail(lines, place, number, found, f"{len(words)}", "Mend the ID column")
    _check_ids(lines, place, rows, numbers)
    if not words:
        _fail(lines, place, 0, "no words", "at least one", "Mend the unit")
    heads = _parse_heads(lines, place, rows, numbers, len(words))
    _check_tree(lines, place, heads, strict=strict)
    if strict:
        _check_enhanced(lines, place, rows, numbers)
    return UnitRows(comments, rows, words, heads)


def _parse_heads(
    lines: list[str], place: str, rows: list[list[str]], numbers: list[int], n_words: int
) -> list[int | None]:
    heads: list[int | None] = []
    for row, number in zip(rows, numbers, strict=True):
        if not row[ID].isdecimal():
            continue
        value = row[HEAD]
        if value == "_":
            heads.append(None)
            continue
        head = int(value) if value.isdecimal() else -1
        if not 0 <= head <= n_words:
            _fail(
                lines, place, number, f"HEAD {value!r} of word {row[ID]}",
                f"a number from 0 to {n_words}", "Mend the HEAD column",
            )  # fmt: skip
        heads.append(head - 1 if head else len(heads))
    return heads


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
    # 0: not seen, 1: on the path that is followed, 2: leads to a root
    state = [0] * len(heads)
    for start in range(len(heads)):
        path = []
        word: int | None = start
        while word is not None and not state[word]:
            state[word] = 1
            path.append(word)
            head = heads[word]
            if head == word:
                break
            word = head
        else:
            if word is not None and state[word] == 1:
                found = f"a circle of heads at word {word + 1}"
                _fail(lines, place, 0, found, "a tree", "Mend the HEAD column")
        for word in path:
            state[word] = 2


def _check_ids(lines: list[str], place: str, rows: list[list[str]], numbers: list[int]) -> None:
    """Check the ids of multiword tokens and empty nodes, which stand where they belong."""
    n_words = sum(row[ID].isdecimal() for row in rows)
    last = covered = n_empty = 0
    for row, number in zip(rows, numbers, strict=True):
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
            lines, place, number, f"id {name!r} behind word {last}",
            "a multiword token before its words, or an empty node behind its word",
            "Mend the ID column",
        )  # fmt: skip


def _check_enhanced(
    lines: list[str], place: str, rows: list[list[str]], numbers: list[int]
) -> None:
    known: set[str] | None = None
    for row, number in zip(rows, numbers, strict=True):
        deps = row[DEPS]
        # Nearly all are the basic relation once more.
        if deps == "_" or deps == f"{row[HEAD]}:{row[DEPREL]}":
            continue
        if known is None:
            known = {row[ID] for row in rows if "-" not in row[ID]} | {"0"}
        for part in deps.split("|"):
            head, colon, relation = part.partition(":")
            if not colon or not relation or head not in known:
                _fail(
                    lines, place, number, f"{part!r} in DEPS of {row[ID]}",
                    "HEAD:RELATION of a word or empty node of the unit", "Mend the DEPS column",
                )  # fmt: skip


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

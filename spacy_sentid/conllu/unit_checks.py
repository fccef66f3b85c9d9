"""Check the rows of a CoNLL-U unit, and read its heads.

lines of a unit -> columns -> IDs, tags, tree, enhanced relations -> `UnitRows`, or ValueError
"""

from collections.abc import Container
from functools import lru_cache
from typing import Any, NoReturn

from ..messages import shorten
from .blocks import (
    COLUMNS,
    DEPREL,
    DEPS,
    FEATS,
    FORM,
    HEAD,
    ID,
    UPOS,
    UnitRows,
    format_id,
    get_sent_id,
    split_unit,
)

ROOT = -1  # value for HEAD 0, which is later replaced by the index of the root itself
# Tags of UD, other tags of spaCy, and "_" for no tag.
UPOS_TAGS = frozenset(
    ["ADJ", "ADP", "ADV", "AUX", "CCONJ", "CONJ", "DET", "EOL", "INTJ", "NOUN", "NUM", "PART",
     "PRON", "PROPN", "PUNCT", "SCONJ", "SPACE", "SYM", "VERB", "X", "_"]
)  # fmt: skip


def parse_unit(lines: list[str], place: str, *, strict: bool = True) -> UnitRows:
    """Split the lines of a unit into columns, check them, and read the heads.

    place: "file:line" of the first line, for messages.
    strict: Require that the heads are one tree and that DEPS are valid. Otherwise heads may be
        missing, and there may be several roots.

    Raises ValueError with file, line and sent_id.
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
    """The checks of one unit. Each raises ValueError for the first error that it finds."""

    def __init__(self, lines: list[str], place: str, unit: UnitRows) -> None:
        self.lines, self.place = lines, place
        self.rows, self.words = unit.rows, unit.words
        self.n_words = len(unit.words)

    def fail(self, fault: str, row: list[str] | None = None) -> NoReturn:
        """Raise ValueError with the place of a row; None = with that of the unit."""
        file, first = self.place.rsplit(":", 1)
        line = int(first)
        if row is not None:
            numbers = [n for n, line in enumerate(self.lines) if not line.startswith("#")]
            line += numbers[next(n for n, other in enumerate(self.rows) if other is row)]
        sent_id = format_id(get_sent_id(self.lines))
        raise ValueError(f"{file}:{line} ({sent_id}): {fault}.")

    def check_ids(self) -> None:
        """Check the columns, UPOS and FEATS of words, and the ID of all rows."""
        if set(map(len, self.rows)) != {len(COLUMNS)}:
            for row in self.rows:
                if len(row) != len(COLUMNS):
                    self.fail(f"a line must have 10 columns separated by tabs, got {len(row)}", row)
        for row in self.rows:
            if "" in row or row[FORM].isspace():
                self.fail("a column must not be empty; use '_' for no value", row)
        if not UPOS_TAGS.issuperset([row[UPOS] for row in self.words]):
            for row in self.words:
                if row[UPOS] not in UPOS_TAGS:
                    fault = "UPOS must be a universal tag, or '_' for none"
                    self.fail(f"{fault}, got {shorten(row[UPOS])}", row)
        for row in self.words:
            if not _are_features(row[FEATS]):
                fault = "FEATS must be NAME=VALUE separated by |, or '_' for none"
                self.fail(f"{fault}, got {shorten(row[FEATS])}", row)
        if [row[ID] for row in self.words] != _word_ids(self.n_words):
            for number, row in enumerate(self.words, start=1):
                if row[ID] != str(number):
                    fault = f"the ID of word {number} must be {number}"
                    self.fail(f"{fault}, got {shorten(row[ID])}", row)
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
                if first != str(last + 1) or last < covered:
                    self.fail(f"a multiword token must precede its words, got {shorten(name)}", row)
                if second not in _word_ids(self.n_words)[last + 1 :]:
                    self.fail(f"a multiword token must have its words, got {shorten(name)}", row)
                covered = int(second)
            else:
                self.fail(
                    "the ID of a row must be that of the next word, multiword token or empty "
                    f"node, got {shorten(name)} after word {last}",
                    row,
                )
        if not self.words:
            self.fail("a unit must have words, got none")

    def read_tree(self) -> list[int | None] | None:
        """Read the index of each head (the root has its own); None if they are not one tree."""
        indices = _head_indices(self.n_words)
        heads = [indices.get(word[HEAD]) for word in self.words]
        if heads.count(ROOT) != 1 or None in heads:
            return None
        root = heads.index(ROOT)
        heads[root] = root
        reached: Any = heads
        for _ in range(self.n_words.bit_length()):  # each step doubles the distance to the word
            reached = [reached[word] for word in reached]
            if reached.count(root) == self.n_words:
                return heads  # usually after few steps, as trees are flat
        return None

    def read_heads(self) -> list[int | None]:
        """Read the index of each head; a root has its own index, and None means "_"."""
        indices = _head_indices(self.n_words)
        for word in self.words:
            if word[HEAD] == word[ID] or word[HEAD] not in indices:
                fault = f"HEAD of word {word[ID]} must be another word or 0"
                self.fail(f"{fault}, got {shorten(word[HEAD])}", word)
        heads = [indices[word[HEAD]] for word in self.words]
        return [number if head == ROOT else head for number, head in enumerate(heads)]

    def check_tree(self, heads: list[int | None], *, strict: bool) -> None:
        """Check that there is a root and no cycle; with `strict`, one root and all heads."""
        if strict and None in heads:
            self.fail(f"the heads must be a tree, got '_' for word {heads.index(None) + 1}")
        above = [word if head is None else head for word, head in enumerate(heads)]
        reached = above
        for _ in range(self.n_words.bit_length()):
            reached = [reached[word] for word in reached]
        for word in reached:
            if above[word] != word:
                self.fail(f"the heads must be a tree, got a cycle at word {word + 1}")
        roots = [str(word + 1) for word, head in enumerate(heads) if head == word]
        if not roots and any(head is not None for head in heads):
            self.fail("a unit must have a word with HEAD 0, got no root")
        if strict and len(roots) > 1:
            self.fail(f"a unit must have one root, got {len(roots)}: words {', '.join(roots[:5])}")

    def check_enhanced(self) -> None:
        """Check that the heads in DEPS are nodes of the unit."""
        nodes: Container[str] = _head_indices(self.n_words)
        if len(self.rows) > self.n_words:
            nodes = {*_head_indices(self.n_words), *(r[ID] for r in self.rows if "." in r[ID])}
        # Nearly all DEPS repeat the basic relation, so skip these.
        for row in [row for row in self.rows if row[DEPS] != f"{row[HEAD]}:{row[DEPREL]}"]:
            for part in row[DEPS].split("|") if row[DEPS] != "_" else ():
                head, _, relation = part.partition(":")
                if not relation or head not in nodes or head == "_":
                    fault = "DEPS must be HEAD:RELATION with nodes of the unit as heads"
                    self.fail(f"{fault}, got {shorten(part)}", row)


@lru_cache(maxsize=1000)
def _are_features(value: str) -> bool:
    return value == "_" or all(part.count("=") == 1 for part in value.split("|"))


@lru_cache(maxsize=256)
def _word_ids(n_words: int) -> list[str]:
    return [str(number) for number in range(1, n_words + 1)]


@lru_cache(maxsize=256)
def _head_indices(n_words: int) -> dict[str, int | None]:
    return {"_": None, "0": ROOT, **{name: n for n, name in enumerate(_word_ids(n_words))}}

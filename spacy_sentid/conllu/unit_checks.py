"""Check the rows of a CoNLL-U unit, and read its heads.

lines of a unit -> columns -> IDs, tags, tree, enhanced relations -> `UnitRows`, or ValueError
"""

from collections.abc import Container
from functools import lru_cache
from typing import NoReturn

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
    heads = checks.read_heads(strict=strict)
    if strict:
        checks.check_enhanced()
    return unit._replace(heads=heads)


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
        for row in self.rows:
            if len(row) != len(COLUMNS):
                self.fail(f"a line must have 10 columns separated by tabs, got {len(row)}", row)
            if "" in row or row[FORM].isspace():
                self.fail("a column must not be empty; use '_' for no value", row)
        for number, row in enumerate(self.words, start=1):
            fault = ""
            if row[UPOS] not in UPOS_TAGS:
                fault = f"UPOS must be a universal tag, or '_' for none, got {shorten(row[UPOS])}"
            elif not _are_features(row[FEATS]):
                fault = "FEATS must be NAME=VALUE separated by |, or '_' for none, got "
                fault += shorten(row[FEATS])
            elif row[ID] != str(number):
                fault = f"the ID of word {number} must be {number}, got {shorten(row[ID])}"
            if fault:
                self.fail(fault, row)
        if len(self.rows) > self.n_words:
            self._check_other_ids()
        if not self.words:
            self.fail("a unit must have words, got none")

    def _check_other_ids(self) -> None:
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

    def read_heads(self, *, strict: bool) -> list[int | None]:
        """Read the index of each head; a root has its own index, and None means "_".

        strict: Require one root and all heads. There must never be a cycle.
        """
        indices = _head_indices(self.n_words)
        heads: list[int | None] = []
        for number, word in enumerate(self.words):
            head = indices.get(word[HEAD], number)
            if head == number:
                fault = f"HEAD of word {word[ID]} must be another word or 0"
                self.fail(f"{fault}, got {shorten(word[HEAD])}", word)
            heads.append(number if head == ROOT else head)
        if strict and None in heads:
            self.fail(f"the heads must be a tree, got '_' for word {heads.index(None) + 1}")
        above = [word if head is None else head for word, head in enumerate(heads)]
        reached = above
        for _ in range(self.n_words.bit_length()):  # each step doubles the distance to the word
            reached = [reached[word] for word in reached]
        for index in reached:
            if above[index] != index:
                self.fail(f"the heads must be a tree, got a cycle at word {index + 1}")
        roots = [str(word + 1) for word, head in enumerate(heads) if head == word]
        if not roots and any(head is not None for head in heads):
            self.fail("a unit must have a word with HEAD 0, got no root")
        if strict and len(roots) > 1:
            self.fail(f"a unit must have one root, got {len(roots)}: words {', '.join(roots[:5])}")
        return heads

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

"""The first pass over treebanks, which finds removable end punctuation and noun phrases.

blocks of the files -> checked units -> numbers: eligible units, unit, words and head of each phrase

Only numbers are kept in memory: 16 bytes for each unit and 24 for each noun phrase, plus about 40
for each noun phrase while duplicates are dropped.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..arrays import Bools1d, Ints1d, Ints2d
from ..conllu.blocks import (
    DEPREL,
    UPOS,
    Block,
    UnitRows,
    block_lines,
    format_id,
    get_sent_id,
    no_units,
    read_blocks,
)
from ..conllu.unit_checks import parse_unit
from .rewriting import Change, find_removable_marks, lay_out

# Ids of units from earlier runs, such as "x-np7" and "x-nopunct", and "x-np7.2" of a second run.
MADE_ID = re.compile(r"-(?:np\d+|nopunct)(?:\.(\d+))?$")
# A line that is neither a comment nor blank, after any line end.
ROW = re.compile(rb"(?:^|[\r\n])(?!#)[^\r\n]*[^\s]")
N_REASONS = 5


class TreebankFile(NamedTuple):
    """A file with its name for messages, which is its path unless it is standard input."""

    name: str
    path: Path


class NumberedBlock(NamedTuple):
    """A block of one of several files."""

    file: int  # index of the file
    name: str  # name of the file
    block: Block
    number: int | None  # index of the unit over all files; None for only comments or blank lines

    @property
    def place(self) -> str:
        """The place of the first line, as "file:line"."""
        return f"{self.name}:{self.block.line}"

    def parse(self) -> UnitRows:
        """Parse the unit; ValueError if it is invalid."""
        return parse_unit(block_lines(self.block, self.name), self.place)


class Survey(NamedTuple):
    """The possible changes to the units of the files. Units are identified by their index."""

    n_blocks: int  # number of units, including the dropped ones
    # (n_eligible, 2) each unit with removable end punctuation, and the first word to remove
    eligible: Ints2d
    # (n_pool, 4) unit of each distinct noun phrase, ascending, and its start, end and head there
    phrases: Ints2d
    n_duplicates: int  # noun phrases with the same text as an earlier one
    n_cut: int  # noun phrases with an edge inside a multiword token
    has_documents: bool  # a unit has `newdoc`
    ids: Ints1d  # (n,) hashes of all ids, ascending
    id_suffix: str  # suffix that keeps new ids distinct from those of earlier runs
    dropped: frozenset[int]  # invalid units
    reasons: list[str]  # errors of the first invalid units

    @property
    def n_units(self) -> int:
        """Number of valid units."""
        return self.n_blocks - len(self.dropped)

    def name_origin(self, numbered: NumberedBlock, sent_id: str | None) -> str:
        """Return the id of a unit, or make a unique one from its file and index."""
        if sent_id:
            return sent_id
        name = f"{Path(numbered.name).stem}-{(numbered.number or 0) + 1}"
        while True:
            value = np.uint64(_hash(name))
            first, after = (np.searchsorted(self.ids, value, side) for side in ("left", "right"))
            if first == after:
                return name
            name += "-"


def number_blocks(
    files: Iterable[TreebankFile], on_bytes: Callable[[int], object] | None = None
) -> Iterator[NumberedBlock]:
    """Read the blocks of files, and number the units.

    on_bytes: Function that is called with the size of each block.

    Raises ValueError at the end of a file without units.
    """
    number = 0
    for n, (name, path) in enumerate(files):
        before = number
        with path.open("rb") as file:
            for block in read_blocks(file):
                is_unit = _has_rows(block.raw) or not _is_utf8(block.raw)
                yield NumberedBlock(n, name, block, number if is_unit else None)
                number += is_unit
                if on_bytes is not None:
                    on_bytes(len(block.raw))
        if number == before:
            raise no_units(name)


def survey_treebanks(
    files: list[TreebankFile],
    change: Change,
    *,
    skip_invalid: bool,
    on_bytes: Callable[[int], object] | None = None,
) -> Survey:
    """Read all units, and find the possible changes.

    Raises ValueError for an invalid unit, unless `skip_invalid`. Units that repeat the `sent_id` of
    an earlier unit are invalid too.
    """
    reading = _Reading(change)
    n_blocks = 0
    dropped: set[int] = set()
    reasons: list[str] = []
    for numbered in number_blocks(files, on_bytes):
        if numbered.number is None:
            continue
        n_blocks += 1
        try:
            reading.add(numbered, numbered.number)
        except ValueError as error:
            if not skip_invalid:
                raise
            reading.ids.append(0)
            dropped.add(numbered.number)
            reasons = [*reasons, str(error)][:N_REASONS]
    repeated = np.flatnonzero(~_is_first(reading.id_hashes) & (reading.id_hashes != 0))
    if len(repeated):
        messages = _describe_repeated(files, set(repeated[:N_REASONS].tolist()))
        if not skip_invalid:
            raise ValueError(messages[0])
        dropped.update(repeated.tolist())
        reasons = [*reasons, *messages][:N_REASONS]
    return reading.summarise(n_blocks, dropped, reasons)


class _Reading:
    """The state of the first pass. Arrays take a fifth of the memory of lists."""

    def __init__(self, change: Change) -> None:
        self.change = change
        self.ids = array("Q")  # hash of the id of each unit, 0 without one
        self.eligible, self.phrases = array("I"), array("I")  # rows of `Survey`, concatenated
        self.texts = array("Q")  # hash of the text of each noun phrase
        self.cut = array("I")  # unit of each noun phrase with an edge inside a multiword token
        self.round = 1
        self.has_documents = False

    @property
    def id_hashes(self) -> Ints1d:
        return np.frombuffer(self.ids, dtype="uint64")

    def add(self, numbered: NumberedBlock, number: int) -> None:
        unit = numbered.parse()
        first = find_removable_marks(unit, self.change)
        phrases = self.change.find_phrases(unit.column(UPOS), unit.tree, unit.column(DEPREL))
        if first is not None or phrases:
            layout = lay_out(unit, numbered.place)
            for phrase in phrases:
                if layout.ranges and not layout.is_cut_clean(phrase):
                    self.cut.append(number)
                    continue
                self.phrases.extend((number, *phrase))
                self.texts.append(_hash(layout.phrase_text(phrase)))
        if first is not None:
            self.eligible.extend((number, first))
        sent_id = get_sent_id(unit.comments)
        self.ids.append(_hash(sent_id) if sent_id else 0)
        made = MADE_ID.search(sent_id) if sent_id and "-n" in sent_id else None
        if made:
            self.round = max(self.round, int(made[1] or 1) + 1)
        if not self.has_documents:
            self.has_documents = any(line[1:].split()[:1] == ["newdoc"] for line in unit.comments)

    def summarise(self, n_blocks: int, dropped: set[int], reasons: list[str]) -> Survey:
        phrases = np.frombuffer(self.phrases, dtype="uint32").reshape(-1, 4)
        eligible = np.frombuffer(self.eligible, dtype="uint32").reshape(-1, 2)
        texts = np.frombuffer(self.texts, dtype="uint64")
        cut = np.frombuffer(self.cut, dtype="uint32")
        if dropped:
            gone = np.asarray(sorted(dropped), dtype="uint32")
            kept = ~np.isin(phrases[:, 0], gone)
            phrases, texts = phrases[kept], texts[kept]
            eligible = eligible[~np.isin(eligible[:, 0], gone)]
            cut = cut[~np.isin(cut, gone)]
        is_first = _is_first(texts)
        return Survey(
            n_blocks=n_blocks,
            eligible=eligible,
            phrases=phrases[is_first],
            n_duplicates=len(texts) - int(is_first.sum()),
            n_cut=len(cut),
            has_documents=self.has_documents,
            ids=np.sort(self.id_hashes),
            id_suffix=f".{self.round}" if self.round > 1 else "",
            dropped=frozenset(dropped),
            reasons=reasons,
        )


def _has_rows(raw: bytes) -> bool:
    # Nearly all units have a word 1 after their comments, which is faster to find.
    return b"\n1\t" in raw or ROW.search(raw) is not None


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf8")
    except UnicodeDecodeError:
        return False
    return True


def _describe_repeated(files: list[TreebankFile], numbers: set[int]) -> list[str]:
    """Format the errors of units that repeat the id of an earlier unit."""
    return [
        f"{numbered.place} ({format_id(get_sent_id(block_lines(numbered.block, numbered.name)))}): "
        "each sent_id must be unique, got that of an earlier unit."
        for numbered in number_blocks(files)
        if numbered.number in numbers
    ]


def _hash(text: str) -> int:
    """Hash a text to 64 bits other than 0. Hashes differ between processes."""
    return hash(text) & 0xFFFFFFFFFFFFFFFF or 1


def _is_first(values: Ints1d) -> Bools1d:
    """Mark the first occurrence of each value, (n,) bool."""
    is_first = np.zeros(len(values), dtype=bool)
    is_first[np.unique(values, return_index=True)[1]] = True
    return is_first

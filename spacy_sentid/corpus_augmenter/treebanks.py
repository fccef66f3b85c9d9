"""Augment treebanks for training with fewer end marks and more noun phrases (section 5).

files -> blocks and what can be changed in them -> draws -> the units, changed or as they are; then
the noun phrases
"""

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from ..components.settings import check_range
from ..conllu.blocks import (
    DEPREL,
    UPOS,
    Block,
    block_lines,
    format_id,
    get_sent_id,
    has_words,
    no_units,
    read_blocks,
    split_unit,
)
from ..conllu.unit_checks import parse_unit
from ..files.atomic import open_binary_output
from .noun_phrases import NounPhrase, find_noun_phrases
from .punctuation import END_MARKS
from .rewriting import extract_phrase, find_removable_marks, lay_out, remove_end_marks

# Ids of units from earlier runs, such as "x-np7" and "x-nopunct", and "x-np7.2" of a second run.
MADE_ID = re.compile(r"-(?:np\d+|nopunct)(?:\.(\d+))?$")


class Report(NamedTuple):
    """The counts of an augmentation."""

    n_units: int
    n_eligible: int  # units whose end punctuation can be removed
    n_removed: int  # units whose end punctuation was removed
    n_pool: int  # noun phrases that can be added, with distinct texts
    n_wanted: int  # noun phrases that were asked for
    n_added: int  # noun phrases that were added
    n_cut: int  # noun phrases with an edge inside a multiword token, like "le" in "du"


def augment_treebanks(
    files: Sequence[Path],
    output: Path,
    *,
    remove_punct: float = 0.0,
    add_np: float = 0.0,
    seed: int = 0,
    marks: Collection[str] = END_MARKS,
    on_bytes: Callable[[int], object] | None = None,
) -> Report:
    """Write the units of CoNLL-U files, some without end punctuation, followed by noun phrases.

    Units without their end punctuation have the id `ID-nopunct`. Noun phrases have `ID-npK`, where
    K is the number of their head in the unit ID. With P = N = 0, the output is the concatenation
    of the files. The draws of units and of noun phrases are independent. The files are held in
    memory.

    output: May be one of the files. It is written in one step, and not at all if a file is invalid.
    remove_punct: P, the share of the eligible units whose end punctuation is removed. The seed
        determines the round(P * n_eligible) units that are drawn.
    add_np: N, the number of noun phrases to add per unit. The seed determines the
        min(n_pool, round(N * n_units)) phrases that are drawn. They are appended in corpus order,
        with the words of the original units.
    marks: Words that are end punctuation.
    on_bytes: Function that is called with the size of each block that is read.

    Raises ValueError with file, line and sent_id of the first invalid unit.
    """
    check_range("remove_punct", remove_punct, high=1)
    check_range("add_np", add_np, high=float("inf"), below=True)
    survey = _Survey(marks)
    for file in files:
        survey.read(file, on_bytes)
    n_removed = round(remove_punct * len(survey.eligible))
    n_wanted = round(add_np * survey.n_units)
    n_added = min(len(survey.pool), n_wanted)
    removed = _draw(n_removed, len(survey.eligible), Random(f"punctuation {seed}"))
    added = _draw(n_added, len(survey.pool), Random(f"noun phrases {seed}"))
    firsts = dict(survey.eligible[n] for n in removed)
    phrases: dict[int, list[NounPhrase]] = {}
    for index, phrase in (survey.pool[n] for n in added):
        phrases.setdefault(index, []).append(phrase)
    with open_binary_output(output) as out:
        written: list[bytes] = []
        for n, (name, block, number) in enumerate(survey.blocks):
            raw = block.raw
            if n in firsts or n in phrases:
                unit = split_unit(block_lines(block, name))
                origin = get_sent_id(unit.comments) or survey.make_id(name, number)
                end = "\r\n" if b"\r\n" in raw else "\n"
                for phrase in phrases.get(n, ()):
                    lines = extract_phrase(
                        unit,
                        phrase,
                        lay_out(unit, f"{name}:{block.line}"),
                        sent_id=f"{origin}-np{phrase.head + 1}{survey.id_suffix}",
                        newdoc=survey.has_documents,
                    )
                    written.append(end.join([*lines, "", ""]).encode("utf8"))
                if n in firsts:
                    sent_id = f"{origin}-nopunct{survey.id_suffix}"
                    raw = _replace_lines(raw, remove_end_marks(unit, firsts[n], sent_id=sent_id))
            out.write(raw)
        if written:
            out.write(_missing_end(raw) + b"".join(written))
    return Report(
        n_units=survey.n_units,
        n_eligible=len(survey.eligible),
        n_removed=n_removed,
        n_pool=len(survey.pool),
        n_wanted=n_wanted,
        n_added=n_added,
        n_cut=survey.n_cut,
    )


class _FileBlock(NamedTuple):
    """A block of one of several files."""

    name: str  # name of the file, for messages
    block: Block
    number: int  # number of units up to this block, from 1


class _Survey:
    """The blocks of all files, and the possible changes to their units."""

    def __init__(self, marks: Collection[str]) -> None:
        self.marks = marks
        self.blocks: list[_FileBlock] = []
        self.n_units = 0
        self.eligible: list[tuple[int, int]] = []  # index of the block, first word to remove
        self.pool: list[tuple[int, NounPhrase]] = []  # index of the block, and the noun phrase
        self.texts: set[str] = set()  # of the noun phrases
        self.n_cut = 0  # noun phrases with an edge inside a multiword token
        self.ids: set[str] = set()
        self.round = 1  # one more than the number of earlier runs that made some of the units
        self.has_documents = False  # a unit has `newdoc`

    @property
    def id_suffix(self) -> str:
        """The suffix that keeps new ids distinct from those of earlier runs."""
        return f".{self.round}" if self.round > 1 else ""

    def read(self, path: Path, on_bytes: Callable[[int], object] | None) -> None:
        """Read and check a file, which may be a pipe."""
        n_before, name = self.n_units, str(path)
        if self.blocks:
            last = self.blocks[-1]
            self.blocks.append(last._replace(block=Block(_missing_end(last.block.raw), 0)))
        with path.open("rb") as file:
            for block in read_blocks(file):
                lines = block_lines(block, name)
                if has_words(lines):
                    self.n_units += 1
                    self._find_changes(lines, f"{name}:{block.line}")
                self.blocks.append(_FileBlock(name, block, self.n_units))
                if on_bytes is not None:
                    on_bytes(len(block.raw))
        if self.n_units == n_before:
            raise no_units(name)

    def _find_changes(self, lines: list[str], place: str) -> None:
        index = len(self.blocks)
        unit = parse_unit(lines, place)
        first = find_removable_marks(unit, self.marks)
        phrases = find_noun_phrases(unit.column(UPOS), unit.tree, unit.column(DEPREL))
        if first is not None or phrases:
            layout = lay_out(unit, place)
            for phrase in phrases:
                text = layout.phrase_text(phrase)
                if not layout.is_cut_clean(phrase):
                    self.n_cut += 1
                elif text not in self.texts:
                    self.texts.add(text)
                    self.pool.append((index, phrase))
        if first is not None:
            self.eligible.append((index, first))
        sent_id = get_sent_id(unit.comments)
        if sent_id in self.ids:
            raise ValueError(
                f"{place} ({format_id(sent_id)}): each sent_id must be unique, got that of an "
                "earlier unit."
            )
        if sent_id:
            self.ids.add(sent_id)
            if made := MADE_ID.search(sent_id):
                self.round = max(self.round, int(made[1] or 1) + 1)
        self.has_documents |= any(line[1:].split()[:1] == ["newdoc"] for line in unit.comments)

    def make_id(self, name: str, number: int) -> str:
        """Make a unique id for a unit without one, from its file and its number."""
        made = f"{Path(name).stem}-{number}"
        while made in self.ids:
            made += "-"
        return made


def _draw(n: int, population: int, rng: Random) -> list[int]:
    """Draw n of a population without replacement, in ascending order.

    Selection sampling only uses `Random.random`, whose numbers are the same in all versions of
    Python.
    """
    if n == population:
        return list(range(population))
    drawn: list[int] = []
    for i in range(population):
        if len(drawn) < n and rng.random() * (population - i) < n - len(drawn):
            drawn.append(i)
    return drawn


def _replace_lines(raw: bytes, lines: list[str]) -> bytes:
    """Replace the lines of a block, and keep its line ends and the blank lines after it."""
    old = raw.splitlines(keepends=True)
    n_blank = next(n for n, line in enumerate(reversed(old)) if not line.isspace())
    end = "\r\n" if old[0].endswith(b"\r\n") else "\n"
    body = end.join(lines).encode("utf8")
    last = old[-n_blank - 1]
    return body + last[len(last.rstrip(b"\r\n")) :] + b"".join(old[len(old) - n_blank :])


def _missing_end(raw: bytes) -> bytes:
    """Return the line ends that a file lacks after its last block, so that another can follow."""
    lines = raw.splitlines(keepends=True)
    if not lines or lines[-1].isspace():
        return b""
    return b"\n" if lines[-1].endswith(b"\n") else b"\n\n"

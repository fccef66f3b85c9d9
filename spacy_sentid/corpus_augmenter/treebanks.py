"""Augment treebanks to train on: fewer end marks, more noun phrases (section 5).

files -> survey -> draws -> second pass: the units, changed or as they are; then the noun phrases
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import BinaryIO, NamedTuple

import numpy as np

from ..arrays import Bools1d, Ints1d, Ints2d
from ..blocks import block_lines, get_sent_id, split_unit
from ..files.atomic import open_binary_output
from ..settings import check_choice, check_range
from .noun_phrases import NounPhrase
from .rewriting import Change, extract_phrase, lay_out, remove_end_marks
from .survey import NumberedBlock, Survey, TreebankFile, number_blocks, survey_treebanks

NP_BASES = ("units", "pool")
# Comments that hold for what follows, in the order in which they stand.
MARKS = (b"global.columns", b"global.Entity", b"newdoc", b"newpar")


class Report(NamedTuple):
    """What an augmentation did."""

    n_units: int  # of the input, without the dropped ones
    n_eligible: int  # units that can lose their end punctuation
    n_removed: int  # units that lost it
    n_pool: int  # different noun phrases that can be added
    n_added: int  # noun phrases that were added
    n_duplicates: int  # noun phrases with the text of another
    n_cut: int  # noun phrases that end inside a multiword token, like "le" in "du"
    n_dropped: int  # invalid units that were skipped
    reasons: list[str]  # what is wrong with the first of them


def augment_treebanks(
    files: list[Path] | list[TreebankFile],
    output: Path | BinaryIO,
    *,
    remove_punct: float = 0.0,
    add_np: float = 0.0,
    seed: int = 0,
    np_base: str = "units",
    change: Change | None = None,
    skip_invalid: bool = False,
    on_bytes: Callable[[int], object] | None = None,
) -> Report:
    """Write the units of CoNLL-U files, some without end punctuation, and noun phrases behind them.

    output: Written in one step, and not at all if a file is invalid; it may be one of the files.
    remove_punct: P, the share of the units with removable end punctuation that lose it:
        round(P * n_eligible) of them, drawn by the seed.
    add_np: N; min(n_pool, round(N * n_units)) noun phrases are drawn by the seed and appended in
        the order of the corpus, as they stand in the units before any lost its punctuation.
    np_base: "units", or "pool": then it is round(N * n_pool).
    skip_invalid: Leave invalid units out, and count them; a `newdoc` or `newpar` of theirs goes to
        the next unit.
    on_bytes: Called with the size of each block that is read; each file is read twice.

    With P = N = 0 the output is the files, laid end to end. A unit that lost its punctuation has
    the id `ID-nopunct`; a noun phrase `ID-npK`, where K is the number of its head in the unit ID.
    The draws of one kind do not depend on those of the other.

    Raises ValueError that names file, line and sent_id of the first invalid unit.
    """
    check_choice("np_base", np_base, NP_BASES)
    check_range("remove_punct", remove_punct, high=1)
    highest = 1 if np_base == "pool" else float("inf")
    check_range("add_np", add_np, high=highest, below=np_base != "pool")
    named = [
        file if isinstance(file, TreebankFile) else TreebankFile(str(file), file) for file in files
    ]
    survey = survey_treebanks(
        named, change or Change(), skip_invalid=skip_invalid, on_bytes=on_bytes
    )
    n_eligible, n_pool = len(survey.eligible), len(survey.phrases)
    n_removed = round(remove_punct * n_eligible)
    n_added = min(n_pool, round(add_np * (survey.n_units if np_base == "units" else n_pool)))
    removed = _draw(n_removed, n_eligible, Random(f"punctuation {seed}"))
    added = _draw(n_added, n_pool, Random(f"noun phrases {seed}"))
    first_removed = np.zeros(survey.n_blocks, dtype="uint32")
    first_removed[survey.eligible[removed, 0]] = survey.eligible[removed, 1]
    phrases = survey.phrases[added]
    blocks = number_blocks(named, on_bytes)
    if isinstance(output, Path):
        with open_binary_output(output) as file:
            _write(blocks, survey, first_removed, phrases, file)
    else:
        _write(blocks, survey, first_removed, phrases, output)
    return Report(
        n_units=survey.n_units,
        n_eligible=n_eligible,
        n_removed=n_removed,
        n_pool=n_pool,
        n_added=n_added,
        n_duplicates=survey.n_duplicates,
        n_cut=survey.n_cut,
        n_dropped=len(survey.dropped),
        reasons=survey.reasons,
    )


def _draw(n: int, population: int, rng: Random) -> Bools1d:
    """Draw n of a population, each set with the same probability: (population,) bool.

    By selection sampling, which needs no more memory than this, and `Random.random`, whose numbers
    Python promises to keep from version to version.
    """
    if n == population:
        return np.ones(population, dtype=bool)
    drawn = np.zeros(population, dtype=bool)
    for i in range(population):
        if not n:
            break
        if rng.random() * (population - i) < n:
            drawn[i] = True
            n -= 1
    return drawn


def _write(
    blocks: Iterator[NumberedBlock],
    survey: Survey,
    first_removed: Ints1d,
    phrases: Ints2d,
    output: BinaryIO,
) -> None:
    """Write the units; the noun phrases wait in a temporary file, for they come last.

    first_removed: (n_blocks,) the word of each unit from which on it loses all; 0 = none.
    phrases: Rows of `Survey.phrases`.
    """
    n_done = 0
    n_phrases = np.bincount(phrases[:, 0], minlength=survey.n_blocks)
    carried: list[bytes] = []  # marks of documents and paragraphs of units that were dropped
    last: NumberedBlock | None = None
    with tempfile.TemporaryFile() as waiting:
        for numbered in blocks:
            raw, number = numbered.block.raw, numbered.number
            if number in survey.dropped:
                carried += _marks(raw)
                continue
            if last is not None and last.file != numbered.file:
                output.write(_missing_end(last.block.raw))
            last = numbered
            if number is not None:
                first, n_own = first_removed.item(number), n_phrases.item(number)
                if n_own or first:
                    unit = split_unit(block_lines(numbered.block, numbered.name))
                    origin = survey.name_origin(numbered, get_sent_id(unit.comments))
                if n_own:
                    end = "\r\n" if b"\r\n" in raw else "\n"
                    layout = lay_out(unit, numbered.place)
                own = phrases[n_done : n_done + n_own, 1:].tolist() if n_own else []
                for phrase in map(NounPhrase._make, own):
                    sent_id = f"{origin}-np{phrase.head + 1}{survey.id_suffix}"
                    lines = extract_phrase(
                        unit, phrase, layout, sent_id=sent_id, newdoc=survey.has_documents
                    )
                    waiting.write(end.join([*lines, "", ""]).encode("utf8"))
                n_done += n_own
                if first:
                    sent_id = f"{origin}-nopunct{survey.id_suffix}"
                    raw = _replace_lines(raw, remove_end_marks(unit, first, sent_id=sent_id))
                raw = _add_marks(raw, carried)
                carried = []
            output.write(raw)
        if waiting.tell():
            if last is not None:
                output.write(_missing_end(last.block.raw))
            waiting.seek(0)
            shutil.copyfileobj(waiting, output)


def _replace_lines(raw: bytes, lines: list[str]) -> bytes:
    """Put other lines into a block, with its line ends and the blank lines behind it."""
    old = raw.splitlines(keepends=True)
    n_blank = next(n for n, line in enumerate(reversed(old)) if not line.isspace())
    end = "\r\n" if old[0].endswith(b"\r\n") else "\n"
    body = end.join(lines).encode("utf8")
    last = old[-n_blank - 1]
    return body + last[len(last.rstrip(b"\r\n")) :] + b"".join(old[len(old) - n_blank :])


def _missing_end(raw: bytes) -> bytes:
    """Line ends that the last block of a file lacks before another can follow."""
    lines = raw.splitlines(keepends=True)
    if not lines or lines[-1].isspace():
        return b""
    return b"\n" if lines[-1].endswith(b"\n") else b"\n\n"


def _marks(raw: bytes) -> list[bytes]:
    """Pick the comments of a block that say more than of its unit: newdoc, newpar, global.*"""
    return [line for line in raw.splitlines(keepends=True) if _key(line) in MARKS]


def _add_marks(raw: bytes, marks: list[bytes]) -> bytes:
    """Put marks in front of a unit that does not start a document, or a paragraph, itself."""
    if not marks:
        return raw
    own = {_key(line) for line in _marks(raw)}
    if b"newdoc" in own:
        own.add(b"newpar")
    # Of several that were dropped, the last document and the last paragraph count.
    last = {_key(line): line for line in marks}
    return b"".join([last[key] for key in MARKS if key in last and key not in own]) + raw


def _key(line: bytes) -> bytes:
    """Name what a comment tells: "# newdoc id = d" is newdoc."""
    words = line[1:].split() if line[:1] == b"#" else []
    return words[0] if words else b""

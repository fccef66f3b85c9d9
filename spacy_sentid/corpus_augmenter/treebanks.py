"""Augment treebanks for training with fewer end marks and more noun phrases (section 5).

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
from ..components.settings import check_choice, check_range
from ..conllu.blocks import block_lines, get_sent_id, split_unit
from ..files.atomic import open_binary_output
from .noun_phrases import NounPhrase
from .rewriting import Change, extract_phrase, lay_out, remove_end_marks
from .survey import NumberedBlock, Survey, TreebankFile, number_blocks, survey_treebanks

NP_BASES = ("units", "pool")
# Comments that apply to all following units, in the order in which they are written.
MARKS = (b"global.columns", b"global.Entity", b"newdoc", b"newpar")


class Report(NamedTuple):
    """The counts of an augmentation."""

    n_units: int  # valid units of the input
    n_eligible: int  # units whose end punctuation can be removed
    n_removed: int  # units whose end punctuation was removed
    n_pool: int  # distinct noun phrases that can be added
    n_added: int  # noun phrases that were added
    n_duplicates: int  # noun phrases with the same text as an earlier one
    n_cut: int  # noun phrases with an edge inside a multiword token, like "le" in "du"
    n_dropped: int  # invalid units that were skipped
    reasons: list[str]  # errors of the first invalid units


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
    """Write the units of CoNLL-U files, some without end punctuation, followed by noun phrases.

    Units without their end punctuation have the id `ID-nopunct`. Noun phrases have `ID-npK`, where
    K is the number of their head in the unit ID. With P = N = 0, the output is the concatenation
    of the files. The draws of units and of noun phrases are independent.

    output: A path, which may be one of the files, or a binary file. A path is written in one step,
        and not at all if a file is invalid.
    remove_punct: P, the share of the eligible units whose end punctuation is removed. The seed
        determines the round(P * n_eligible) units that are drawn.
    add_np: N, the number of noun phrases to add per unit. The seed determines the
        min(n_pool, round(N * n_units)) phrases that are drawn. They are appended in corpus order,
        with the words of the original units.
    np_base: "units", or "pool" to add round(N * n_pool) noun phrases.
    skip_invalid: Skip and count invalid units. Their `newdoc` and `newpar` move to the next unit.
    on_bytes: Function that is called with the size of each block that is read. Each file is read
        twice.

    Raises ValueError with file, line and sent_id of the first invalid unit.
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
    """Draw n of a population without replacement, as a mask of (population,) bool.

    Selection sampling needs no memory besides the mask. It only uses `Random.random`, whose numbers
    are the same in all versions of Python.
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
    """Write the units, and then the noun phrases, which are collected in a temporary file.

    first_removed: (n_blocks,) first word to remove from each unit; 0 = keep all words.
    phrases: Rows of `Survey.phrases`.
    """
    n_done = 0
    n_phrases = np.bincount(phrases[:, 0], minlength=survey.n_blocks)
    carried: list[bytes] = []  # document and paragraph comments of dropped units
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


def _marks(raw: bytes) -> list[bytes]:
    """List the comments of a block that apply beyond its unit: newdoc, newpar and global.*"""
    return [line for line in raw.splitlines(keepends=True) if _key(line) in MARKS]


def _add_marks(raw: bytes, marks: list[bytes]) -> bytes:
    """Insert document and paragraph comments before a unit, unless it has such comments."""
    if not marks:
        return raw
    own = {_key(line) for line in _marks(raw)}
    if b"newdoc" in own:
        own.add(b"newpar")
    # If several units were dropped, the last document and the last paragraph count.
    last = {_key(line): line for line in marks}
    return b"".join([last[key] for key in MARKS if key in last and key not in own]) + raw


def _key(line: bytes) -> bytes:
    """Return the first word of a comment, such as newdoc for "# newdoc id = d"."""
    words = line[1:].split() if line[:1] == b"#" else []
    return words[0] if words else b""

"""Files of alignments and of pauses, in and out.

alignments, transcripts -> pauses of each utterance -> OUT.jsonl
OUT.jsonl, source model -> pauses to believe -> segmented text
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language

from ...files.atomic import open_output
from ...files.records import BadLine, bad_line, format_record, write_errors
from .alignments import Kind, bad_alignment, is_alignment, read_alignments
from .completion import Filter, complete, cut_chunks, find_gaps
from .matching import add_offsets, pauses_from_alignment
from .pauses import PauseRecord, format_pauses, pause_gaps, read_pause_lines


class AlignmentFile(NamedTuple):
    """A file of alignments, or of pauses."""

    path: Path
    id: str | None  # of its utterance: the path in the folder that was named; None for a file


class PauseCounts(NamedTuple):
    """Numbers of utterances, of their pauses, of the pauses that were kept, and of bad ones."""

    n_records: int
    n_pauses: int
    n_kept: int
    n_errors: int


def find_alignments(
    paths: Iterable[Path], *, leave_out: Iterable[Path | None] = ()
) -> list[AlignmentFile]:
    """List the alignments among files and folders.

    leave_out: Files that are not alignments though they are named so, such as the output.

    Raises ValueError for another file, and for a folder without any.
    """
    excluded = {path.resolve() for path in leave_out if path is not None}
    files = []
    for path in paths:
        if not path.is_dir():
            if path.resolve() in excluded:
                raise ValueError(f"{path} must be an alignment, got the output or a transcript.")
            if not _has_pauses(path):
                raise ValueError(f"Alignments must be .TextGrid, .ctm or .jsonl, got {path}.")
            files.append(AlignmentFile(path, None))
            continue
        inside = [
            AlignmentFile(found, found.relative_to(path).with_suffix("").as_posix())
            for found in sorted(path.rglob("*"))
            if _has_pauses(found) and found.resolve() not in excluded
        ]
        if not inside:
            raise ValueError(f"{path} must have .TextGrid, .ctm or .jsonl files, got none.")
        files += inside
    return files


def _has_pauses(path: Path) -> bool:
    return is_alignment(path) or path.suffix == ".jsonl"


def read_utterances(
    file: AlignmentFile, *, texts: dict[str, str] | None, kind: Kind, tier: str | None
) -> Iterator[PauseRecord | BadLine]:
    """Read the pauses of the utterances of a file.

    texts: Transcripts by id; the records then have their text and offsets.
    """
    if is_alignment(file.path):
        for alignment in read_alignments(file.path, kind=kind, tier=tier, id=file.id):
            if isinstance(alignment, BadLine):
                yield alignment
                continue
            try:
                text = None if texts is None else _look_up(alignment.id, texts, alignment.place())
                yield pauses_from_alignment(alignment, text, kind=kind)
            except ValueError as error:
                yield bad_alignment(file.path, error)
        return
    for record in read_pause_lines(file.path):
        if isinstance(record, BadLine):
            yield record
            continue
        place = f"{file.path}, utterance {record.id!r}"
        try:
            text = record.text if texts is None else _look_up(record.id, texts, place)
            yield record if text is None else add_offsets(record, text, place=place)
        except ValueError as error:
            yield bad_line(place, error)


def _look_up(name: str, texts: dict[str, str], place: str) -> str:
    """Look up a transcript by id, then by the last part of a path; ValueError without one."""
    text = texts.get(name, texts.get(name.rpartition("/")[2]))
    if text is None:
        raise ValueError(f"{place}: the transcripts must have {name!r}, got none.")
    return text


def write_pauses(
    files: Iterable[AlignmentFile],
    output: Path,
    *,
    texts: dict[str, str] | None = None,
    kind: Kind = Kind.words,
    tier: str | None = None,
) -> PauseCounts:
    """Write the pauses of alignments, and the utterances without to the file of errors.

    Raises ValueError, and leaves an older output as it is, if no utterance can be read.
    """
    errors: list[BadLine] = []
    n_records = n_pauses = 0
    with open_output(output) as out:
        for file in files:
            for found in read_utterances(file, texts=texts, kind=kind, tier=tier):
                if isinstance(found, BadLine):
                    errors.append(found)
                    continue
                out.write(format_pauses(found) + "\n")
                n_records += 1
                n_pauses += len(pause_gaps(found))
        n_errors = write_errors(output, errors)
        _check_any(n_records, errors, "utterance must have pauses")
    return PauseCounts(n_records, n_pauses, n_pauses, n_errors)


def write_completed(
    nlp: Language,
    pauses: Path,
    output: Path,
    *,
    keep: Filter,
    partial: bool = False,
    on_line: Callable[[], object] = lambda: None,
) -> PauseCounts:
    """Write the sentences of a file of pauses as segmented text, and bad lines to that of errors.

    nlp: The source model, with a word segmenter.
    keep: The pauses that are boundaries.
    partial: Write the pieces between these pauses as JSON lines, for the partial CRF.

    Raises ValueError, and leaves an older output as it is, if no line can be read.
    """
    suffix = ".jsonl" if partial else ".txt"
    if output.suffix != suffix:
        raise ValueError(f"The name of the output must end in {suffix}, got {output}.")
    errors: list[BadLine] = []
    n_records = n_pauses = n_kept = 0

    def read() -> Iterator[PauseRecord]:
        nonlocal n_pauses
        for line in read_pause_lines(pauses):
            on_line()
            if isinstance(line, BadLine):
                errors.append(line)
            else:
                n_pauses += len(pause_gaps(line))
                yield line

    def count() -> Iterator[tuple[PauseRecord, list[int]]]:
        nonlocal n_records, n_kept
        for record, gaps in find_gaps(nlp, read(), keep):
            n_records += 1
            n_kept += len(gaps)
            yield record, gaps

    with open_output(output) as file:
        if partial:
            for record, gaps in count():
                file.write(format_record({"chunks": cut_chunks(record, gaps)}) + "\n")
        else:
            for words in complete(nlp, count()):
                file.write(" ".join(words) + "\n")
        n_errors = write_errors(output, errors)
        _check_any(n_records, errors, f"line of {pauses} must be a record of pauses")
    return PauseCounts(n_records, n_pauses, n_kept, n_errors)


def _check_any(n_records: int, errors: Sequence[BadLine], what: str) -> None:
    if not n_records:
        first = f" The first error: {errors[0].place}: {errors[0].reason}" if errors else ""
        raise ValueError(f"At least one {what}, got none.{first}")

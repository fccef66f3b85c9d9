"""Write a file of pauses from files of alignments.

alignments, transcripts -> pauses of each utterance -> OUT.jsonl, OUT.jsonl.errors.jsonl
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ...files.atomic import open_output
from ...files.records import BadLine, write_errors
from .alignments import read_textgrid
from .matching import pauses_from_alignment
from .pauses import format_pauses, pause_gaps
from .transcripts import find_text


class PauseCounts(NamedTuple):
    """Numbers of utterances, of their pauses, and of the utterances that were skipped."""

    n_records: int
    n_pauses: int
    n_errors: int


def find_alignments(paths: Iterable[Path]) -> list[tuple[Path, str]]:
    """List the TextGrids in files and folders, with their ids: the path inside a given folder.

    Raises ValueError for a file of another type, and for a folder without TextGrids.
    """
    files = []
    for path in paths:
        folder = path if path.is_dir() else path.parent
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        found = [file for file in inside if file.suffix.lower() == ".textgrid"]
        if not found:
            raise ValueError(f"Alignments must be .TextGrid files, got {path}.")
        files += [(file, file.relative_to(folder).with_suffix("").as_posix()) for file in found]
    return files


def write_pauses(
    files: Iterable[tuple[Path, str]],
    output: Path,
    *,
    texts: dict[str, str] | None = None,
    tier: str | None = None,
) -> PauseCounts:
    """Write the pauses of alignments to a file, and invalid utterances to the file of errors.

    files: Paths and ids, as from `find_alignments`.
    texts: Transcripts by id. With them, the records have a text and offsets.

    Raises ValueError if no utterance is valid. An existing output is then unchanged.
    """
    errors: list[BadLine] = []
    n_records = n_pauses = 0
    with open_output(output) as out:
        for path, id in files:
            try:
                alignment = read_textgrid(path, tier=tier, id=id)
                text = None if texts is None else find_text(id, texts, place=alignment.place())
                record = pauses_from_alignment(alignment, text)
            except ValueError as error:
                place, _, reason = str(error).removeprefix(str(path)).partition(": ")
                errors.append(BadLine(f"{path}{place}", reason))
                continue
            out.write(format_pauses(record) + "\n")
            n_records += 1
            n_pauses += len(pause_gaps(record))
        n_errors = write_errors(output, errors)
        if not n_records:
            first = f", but not {': '.join(errors[0])}" if errors else ", got nothing."
            raise ValueError(f"At least one utterance must be valid{first}")
    return PauseCounts(n_records, n_pauses, n_errors)

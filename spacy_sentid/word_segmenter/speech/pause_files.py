"""Read and write files of alignments and of pauses.

alignments, transcripts -> pauses of each utterance -> OUT.jsonl
OUT.jsonl, source model -> accepted pauses -> segmented text
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language

from ...files.atomic import open_output
from ...files.records import BadLine, format_record, write_errors
from .alignments import Alignment, Kind, bad_alignment, read_alignments
from .completion import Filter, complete, cut_chunks, find_gaps
from .matching import add_offsets, pauses_from_alignment
from .pauses import PauseRecord, format_pauses, pause_gaps, read_pause_lines
from .transcripts import find_text

SUFFIXES = (".textgrid", ".ctm", ".jsonl")


class AlignmentFile(NamedTuple):
    """A file of alignments, or of pauses."""

    path: Path
    id: str | None  # id of the utterance: path inside the given folder; None for a given file


@dataclass
class PauseCounts:
    """Numbers of utterances, pauses and accepted pauses, and the errors of skipped utterances."""

    n_records: int = 0
    n_pauses: int = 0
    n_kept: int = 0
    errors: list[BadLine] = field(default_factory=list)

    def take(
        self, found: Iterable[PauseRecord | BadLine], on_item: Callable[[], object] = lambda: None
    ) -> Iterator[PauseRecord]:
        """Count records and errors, and yield the records."""
        for item in found:
            on_item()
            if isinstance(item, BadLine):
                self.errors.append(item)
                continue
            self.n_records += 1
            self.n_pauses += len(pause_gaps(item))
            yield item

    def finish(self, output: Path, what: str) -> None:
        """Write the file of errors. Raises ValueError if there are no records."""
        write_errors(output, self.errors)
        if not self.n_records:
            first = ": ".join(["", *self.errors[0]]) if self.errors else ""
            raise ValueError(f"At least one {what} must be valid{first or ', got nothing.'}")


def find_alignments(
    paths: Iterable[Path], *, exclude: Iterable[Path | None] = ()
) -> list[AlignmentFile]:
    """List the alignments in files and folders.

    exclude: Files to skip although they have a suffix of alignments, such as the output.

    Raises ValueError for a file of another type, and for a folder without alignments.
    """
    excluded = {path.resolve() for path in exclude if path is not None}
    files = []
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        found = [file for file in inside if file.suffix.lower() in SUFFIXES]
        found = [file for file in found if file.resolve() not in excluded]
        if not found:
            raise ValueError(
                "Alignments must be .TextGrid, .ctm or .jsonl files, other than the output and "
                f"the transcripts, got {path}."
            )
        for file in found:
            name = file.relative_to(path).with_suffix("").as_posix() if path.is_dir() else None
            files.append(AlignmentFile(file, name))
    return files


def read_utterances(
    file: AlignmentFile, *, texts: dict[str, str] | None, kind: Kind, tier: str | None
) -> Iterator[PauseRecord | BadLine]:
    """Read the pauses of the utterances of a file.

    texts: Transcripts by id. With them, the records have a text and offsets.
    """
    found: Iterator[PauseRecord | Alignment | BadLine]
    if file.path.suffix.lower() == ".jsonl":
        found = read_pause_lines(file.path)
    else:
        found = read_alignments(file.path, kind=kind, tier=tier, id=file.id)
    for item in found:
        try:
            if isinstance(item, Alignment):
                text = None if texts is None else find_text(item.id, texts, place=item.place())
                yield pauses_from_alignment(item, text, kind=kind)
            elif isinstance(item, PauseRecord):
                place = f"{file.path}, utterance {item.id!r}"
                text = item.text if texts is None else find_text(item.id, texts, place=place)
                yield item if text is None else add_offsets(item, text, place=place)
            else:
                yield item
        except ValueError as error:
            yield bad_alignment(file.path, error)


def write_pauses(
    files: Iterable[AlignmentFile],
    output: Path,
    *,
    texts: dict[str, str] | None = None,
    kind: Kind = Kind.words,
    tier: str | None = None,
) -> PauseCounts:
    """Write the pauses of alignments to a file, and invalid utterances to the file of errors.

    Raises ValueError if no utterance is valid. An existing output is then unchanged.
    """
    counts = PauseCounts()
    with open_output(output) as out:
        found = (read_utterances(file, texts=texts, kind=kind, tier=tier) for file in files)
        for record in counts.take(chain.from_iterable(found)):
            out.write(format_pauses(record) + "\n")
        counts.finish(output, "utterance")
    return counts


def write_completed(
    nlp: Language,
    pauses: Path,
    output: Path,
    *,
    keep: Filter,
    partial: bool = False,
    on_line: Callable[[], object] = lambda: None,
) -> PauseCounts:
    """Write a file of pauses as segmented text, and its invalid lines to the file of errors.

    nlp: The source model, with a word segmenter.
    keep: The filter of pauses that are boundaries.
    partial: Write the chunks between these pauses as JSON lines, for the partial CRF.

    Raises ValueError if no line is valid. An existing output is then unchanged.
    """
    suffix = ".jsonl" if partial else ".txt"
    if output.suffix != suffix:
        raise ValueError(f"The name of the output must end in {suffix}, got {output}.")
    counts = PauseCounts()

    def filter_records() -> Iterator[tuple[PauseRecord, list[int]]]:
        for record, gaps in find_gaps(nlp, counts.take(read_pause_lines(pauses), on_line), keep):
            counts.n_kept += len(gaps)
            yield record, gaps

    with open_output(output) as file:
        if partial:
            for record, gaps in filter_records():
                file.write(format_record({"chunks": cut_chunks(record, gaps)}) + "\n")
        else:
            file.writelines(" ".join(words) + "\n" for words in complete(nlp, filter_records()))
        counts.finish(output, f"line of {pauses}")
    return counts

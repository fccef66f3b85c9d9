"""`spacy-sentid pauses`: the pauses between characters, of forced alignments."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..word_segmenter.speech.alignments import Kind
from .long_jobs import echo_errors

if TYPE_CHECKING:
    from ..files.records import BadLine
    from ..word_segmenter.speech.pauses import PauseRecord


def pauses(
    alignments: Annotated[
        list[Path],
        typer.Argument(
            metavar="ALIGNMENT...",
            exists=True,
            help="Files, or folders of them: .TextGrid, .ctm, or .jsonl of 'chars' and 'pause_ms'.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="OUT.jsonl", dir_okay=False, help="The pauses."),
    ],
    text: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Transcripts: lines of id and text, or .jsonl with 'id' and 'text'. Phones need "
            "them.",
        ),
    ] = None,
    kind: Annotated[Kind, typer.Option(help="What an interval is.")] = Kind.words,
    tier: Annotated[
        str | None,
        typer.Option(help="The tier of TextGrids, or how its name ends. Default: by --kind."),
    ] = None,
) -> None:
    """Find the pauses between the characters of aligned speech.

    Writes {"id", "chars", "pause_ms"} a line: the silence after each character but the last, in
    ms; with transcripts also "offsets" and "text". An utterance whose alignment is wrong or does
    not match its transcript is left out and told in OUT.jsonl.errors.jsonl, with file, tier and
    time.

    Example: spacy-sentid pauses aligned/alignments --text aligned/transcripts.jsonl -o pauses.jsonl
    """
    from tqdm import tqdm

    from ..files.atomic import open_output
    from ..files.records import BadLine, write_errors
    from ..word_segmenter.speech.pauses import MIN_PAUSE_MS, format_pauses, pause_gaps
    from ..word_segmenter.speech.transcripts import read_transcripts

    files = find_files(alignments, output=output, text=text)
    texts = None if text is None else read_transcripts(text)
    errors: list[BadLine] = []
    n_records = n_pauses = 0
    with open_output(output) as file:
        for path, name in tqdm(files, desc="pauses", unit="file", disable=None):
            for found in read_records(path, name=name, texts=texts, kind=kind, tier=tier):
                if isinstance(found, BadLine):
                    errors.append(found)
                    continue
                file.write(format_pauses(found) + "\n")
                n_records += 1
                n_pauses += len(pause_gaps(found))
        n_errors = write_errors(output, errors)
        if not n_records:  # inside, so that an older output stays
            first = f" The first: {errors[0].place}: {errors[0].reason}" if errors else ""
            raise ValueError(f"None of {n_errors:,} utterances could be read.{first}")
    echo_errors(output, n_errors)
    typer.echo(
        f"{n_records:,} utterances with {n_pauses:,} pauses of {MIN_PAUSE_MS} ms or more.", err=True
    )


def find_files(
    paths: list[Path], *, output: Path, text: Path | None
) -> list[tuple[Path, str | None]]:
    """List the files to read; those of a folder with their ids, the paths in it."""
    from ..files.records import errors_path
    from ..word_segmenter.speech.alignments import is_alignment

    files: list[tuple[Path, str | None]] = []
    own = {path.resolve() for path in (output, errors_path(output), text) if path is not None}
    for path in paths:
        if not path.is_dir():
            if path.resolve() in own:
                raise ValueError(
                    f"Found {path} as alignment and as --out or --text, expected an alignment. "
                    "Name another."
                )
            if not is_alignment(path) and path.suffix != ".jsonl":
                raise ValueError(
                    f"Found {path}, expected a .TextGrid, .ctm or .jsonl. Rename or convert it."
                )
            files.append((path, None))
            continue
        inside = [
            (found, found.relative_to(path).with_suffix("").as_posix())
            for found in sorted(path.rglob("*"))
            if (is_alignment(found) or found.suffix == ".jsonl") and found.resolve() not in own
        ]
        if not inside:
            raise ValueError(
                f"Found no alignments in {path}, expected .TextGrid, .ctm or .jsonl. Name another "
                "folder."
            )
        files += inside
    return files


def read_records(
    path: Path,
    *,
    name: str | None,
    texts: dict[str, str] | None,
    kind: Kind,
    tier: str | None,
) -> "Iterator[PauseRecord | BadLine]":
    """Read the utterances of a file, with their transcripts."""
    from ..files.records import BadLine, bad_line
    from ..word_segmenter.speech.alignments import bad_alignment, is_alignment, read_alignments
    from ..word_segmenter.speech.matching import add_offsets, pauses_from_alignment
    from ..word_segmenter.speech.pauses import read_pause_lines

    if not is_alignment(path):
        for record in read_pause_lines(path):
            if isinstance(record, BadLine):
                yield record
                continue
            place = f"{path}, utterance {record.id!r}"
            try:
                text = record.text
                if texts is not None:
                    text = look_up(record.id, texts, place=place)
                yield record if text is None else add_offsets(record, text, place=place)
            except ValueError as error:
                yield bad_line(place, error)
        return
    for alignment in read_alignments(path, kind=kind, tier=tier, id=name):
        if isinstance(alignment, BadLine):
            yield alignment
            continue
        try:
            text = None if texts is None else look_up(alignment.id, texts, place=alignment.place())
            yield pauses_from_alignment(alignment, text, kind=kind)
        except ValueError as error:
            yield bad_alignment(path, error)


def look_up(name: str, texts: dict[str, str], *, place: str) -> str:
    """Look up a transcript by id, then by the last part of a path; ValueError without one."""
    text = texts.get(name, texts.get(name.rpartition("/")[2]))
    if text is None:
        raise ValueError(f"{place}: found no transcript of {name!r}, expected one. Add it.")
    return text

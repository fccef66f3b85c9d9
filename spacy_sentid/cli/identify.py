"""`spacy-sentid identify`: the units of people's files, to read or as JSONL."""

import shutil
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from .options import Newline, load_pipeline

if TYPE_CHECKING:
    from ..sentence_identifier.identify import Document

MAX_COLUMNS = 100
Found: TypeAlias = Iterator[tuple["Document", list[dict[str, Any]]]]


def identify(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            exists=True,
            dir_okay=False,
            help="Text files, or .jsonl with 'text' and optionally 'id' in each line.",
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write JSONL here, in one step.")
    ] = None,
    model: Annotated[
        str,
        typer.Option(help="Folder or package of a pipeline, or a language with embedded weights."),
    ] = "en",
    lines: Annotated[
        bool, typer.Option("--lines", help="Each line of a text file is a document.")
    ] = False,
    newline: Annotated[
        Newline | None,
        typer.Option(help="Line ends are evidence (learned), end a unit (break), or are spaces."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Least probability of a candidate border of a unit."),
    ] = None,
) -> None:
    """Find the SUs and NSUs of files.

    On a terminal: the units as laid out in the text, NSUs dimmed, scores at the right. Else, or
    with -o, one line of JSON a document: {"id", "units": [{"start_char", "end_char", "label",
    "score"}]}; offsets are code points of the original text.
    """
    from ..output import open_output
    from ..sentence_identifier.identify import (
        find_identifier,
        identify_documents,
        read_documents,
        record_line,
    )

    nlp = load_pipeline(model)
    chosen = {"newline": newline.value if newline else None, "threshold": threshold}
    settings = {name: value for name, value in chosen.items() if value is not None}
    find_identifier(nlp).cfg.update(settings)
    found = identify_documents(nlp, read_documents(files, lines=lines))
    if output is not None:
        if sys.stderr.isatty():
            found = _with_progress(found, n_bytes=sum(path.stat().st_size for path in files))
        with open_output(output) as file:
            for document, units in found:
                file.write(record_line(document, units) + "\n")
    elif sys.stdout.isatty():
        _show(found)
    else:
        for document, units in found:
            typer.echo(record_line(document, units))


def _with_progress(found: Found, *, n_bytes: int) -> Found:
    with typer.progressbar(length=n_bytes, label="identify", file=sys.stderr) as bar:
        for document, units in found:
            yield document, units
            bar.update(len(document.text.encode("utf8", "surrogatepass")))


def _show(found: Found) -> None:
    width = min(shutil.get_terminal_size().columns, MAX_COLUMNS)
    for n, (document, units) in enumerate(found):
        if n:
            typer.echo()
        typer.secho(str(document.id), bold=True)
        for line, is_nsu in lay_out_units(document.text, units, width=width):
            encoding = sys.stdout.encoding or "utf8"
            typer.secho(line.encode(encoding, "replace").decode(encoding), dim=is_nsu or None)


def lay_out_units(
    text: str, units: Sequence[dict[str, Any]], *, width: int
) -> Iterator[tuple[str, bool]]:
    """Lay units out to read: each starts a line, with its score at the right of its first line.

    width: Columns of the terminal. Longer lines are left to it.
    YIELDS: (line, whether it is of an NSU). Line ends inside units and blank lines between them
        are kept; control characters are replaced.

    >>> units = [{"start_char": 0, "end_char": 6, "label": "NSU", "score": 0.9},
    ...          {"start_char": 7, "end_char": 15, "label": "SU", "score": 0.98}]
    >>> list(lay_out_units("Page 3 I sleep.", units, width=16))
    [('Page 3      0.90', True), ('I sleep.    0.98', False)]
    """
    before = 0
    for unit in units:
        start, end = unit["start_char"], unit["end_char"]
        if before and len(text[before:start].splitlines()) > 1:
            yield "", False
        for i, line in enumerate(text[start:end].splitlines()):
            line = _printable(line)
            if not i:
                line = f"{line:<{max(width - 6, 0)}}  {unit['score']:.2f}"
            yield line, unit["label"] == "NSU"
        before = end


def _printable(line: str) -> str:
    """Replace what could disturb a terminal: escape sequences, other controls, lone surrogates."""
    return "".join(
        "\ufffd" if unicodedata.category(char) in ("Cc", "Cs") and char != "\t" else char
        for char in line
    )

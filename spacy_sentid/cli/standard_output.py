"""Results of `spacy-sentid identify` on standard output: JSON lines, or units to read."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from . import long_jobs as jobs
from .terminal.pager import open_pager
from .terminal.printing import warn

if TYPE_CHECKING:
    from ..batch.input.documents import Document
    from ..batch.job import JobSettings

# Characters of a batch whose units are shown. Small batches appear soon.
SHOWN_CHARS = 10_000


def write_records(settings: "JobSettings") -> None:
    """Write records to standard output as JSON lines."""
    from ..batch.formats.formats import encode_json

    for _, record in _read_records(settings):
        typer.echo(encode_json(record), nl=False)


def show_units(settings: "JobSettings") -> None:
    """Show the units of each text on standard output, as soon as they are found."""
    from ..batch.tasks import move_rows
    from .terminal.layout import lay_out_texts, make_console

    texts = (
        (document.name, document.text, move_rows(row["units"], -document.start_char))
        for document, row in _read_records(replace(settings, shard_size=SHOWN_CHARS))
    )
    console = make_console(sys.stdout)
    with open_pager(is_wanted=sys.stdout.isatty()) as file:
        for line in lay_out_texts(texts, console):
            with console.capture() as shown:
                console.print(line, soft_wrap=True)
            print(shown.get(), end="", file=file, flush=True)


def _read_records(settings: "JobSettings") -> Iterator[tuple["Document", dict[str, Any]]]:
    """Run a job in this process. Report on stderr what is skipped.

    Raises ValueError if there are no good records.
    """
    from ..batch.input.documents import add_counts, count_left_out
    from ..batch.job import stream_records
    from ..files.records import BadLine
    from ..view.text.page import format_count

    n_done = n_bad = 0
    left_out: dict[str, int] = {}
    for document, record in stream_records(settings):
        left_out = add_counts([left_out, count_left_out([document] if document else [])])
        if isinstance(record, BadLine):
            n_bad += 1
            message = f"Skipped {record.place}: {record.reason}"
            typer.secho(message, fg=typer.colors.YELLOW, err=True)
        elif document is not None:
            n_done += 1
            yield document, record
    jobs.echo_left_out(left_out)
    jobs.check_records(n_done, n_bad, "records")
    if n_bad:
        warn(f"skipped {format_count(n_bad, 'bad record')}.")

"""`spacy-sentid identify`: run a pipeline on files, and show or write the results."""

import shlex
import shutil
import sys
import time
import unicodedata
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from . import long_jobs as jobs
from . import options as opt
from .help import MODEL, OUTPUT
from .printing import warn

if TYPE_CHECKING:
    from ..batch.documents import Document
    from ..batch.job import JobSettings, Summary

MAX_COLUMNS = 100
# Maximum length of the command that is printed after a job.
MAX_SHOWN = 120


def identify(
    inputs: Annotated[list[str], opt.Inputs],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write to a .jsonl, .csv or .tsv file (also with .gz or .zst), to .json or "
            ".parquet, or to a folder (OUT/). Tables have a row for each unit.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="Folder or package of a pipeline, or a language. Default: en, or zh for words.",
            rich_help_panel=MODEL,
        ),
    ] = None,
    task: Annotated[
        Literal["units", "sentences", "words"],
        typer.Option(
            help="units: SUs and NSUs. sentences: those of the pipeline, or of the rule "
            "sentencizer for a language. words: Chinese words.",
            rich_help_panel=MODEL,
        ),
    ] = "units",
    keep: Annotated[
        Literal["su"] | None,
        typer.Option(
            help="su: write the text without its NSUs as {'id', 'text', 'offsets'}, not units.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    text: Annotated[
        bool,
        typer.Option(
            "--text",
            help="Add the text of each unit. Tables always have it.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    format_: opt.InputFormat = None,
    lines: opt.Lines = False,
    text_key: opt.TextKey = "text",
    id_key: opt.IdKey = "id",
    newline: opt.NewlineSetting = None,
    settings: opt.Settings = None,
    n_process: jobs.NProcess = None,
    batch_size: opt.BatchSize = None,
    errors: jobs.OnErrors = "skip",
    max_record_bytes: jobs.MaxRecordBytes = jobs.MAX_RECORD_SIZE,
    overwrite: jobs.Overwrite = False,
    shard_size: jobs.ShardSize = 4,
    folder_format: Annotated[
        str,
        typer.Option(
            metavar="FORMAT",
            help="Format of the files in an output folder: jsonl, csv, tsv (also .gz or .zst), "
            "json or parquet.",
            rich_help_panel=OUTPUT,
        ),
    ] = "jsonl",
    export: Annotated[
        Literal["prodigy", "doccano", "label-studio"] | None,
        typer.Option(
            help="Write tasks for this annotation tool, with the units as predictions, to a .jsonl "
            "or .json file. Label Studio reads .json.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    engine: jobs.Engine = "local",
    ray_address: jobs.RayAddress = None,
    ray_gpus: jobs.RayGpus = 0,
    gpu_id: opt.GpuId = -1,
) -> None:
    """Find the sentences of files, and what is not a sentence.

    With --task, finds the sentences of any pipeline, or words.

    On a terminal, shows each unit on its own line, with NSUs dimmed and scores on the right.
    Otherwise, or with -o, writes one line of JSON for each document: {"id", "units":
    [{"start_char", "end_char", "label", "kind", "score", "label_score", "kind_score"}]}. Offsets
    count code points of the original text. With -o, the same command resumes an interrupted job.

    From HTML it reads the text that a browser shows, with offsets in the file. From mail (.eml) it
    reads the main headers and the decoded text; records include this text, with offsets in it.
    Skipped parts are counted on stderr.

    Example: spacy-sentid identify mail/ reviews.jsonl.gz -o out.jsonl --n-process 8
    """
    from ..batch.documents import ReadSettings
    from ..batch.job import JobSettings
    from ..batch.work_settings import WorkSettings

    job = JobSettings(
        inputs,
        output or "",
        WorkSettings(
            task=task,
            model=model,
            **opt.parse_settings(settings, newline),
            keep=keep,
            with_text=text,
            export=export,
            batch_size=batch_size,
            gpu_id=gpu_id,
        ),
        ReadSettings(
            text_key=text_key,
            id_key=id_key,
            max_record_bytes=jobs.parse_bytes(max_record_bytes),
        ),
        format=format_,
        lines=lines,
        engine=engine,
        n_process=n_process,
        ray_address=ray_address,
        ray_gpus=ray_gpus,
        folder_suffix=f".{folder_format}",
        shard_size=round(shard_size * 1_000_000),
        raise_errors=errors == "raise",
        overwrite=overwrite,
    )
    if output is None:
        if n_process is not None or engine == "ray" or overwrite or export:
            raise ValueError(
                "--n-process, --engine, --overwrite and --export must come with an output (-o), "
                "got none."
            )
        _write_here(job)
        return
    if output in ("", "-"):
        raise ValueError(
            f"The output must be a file or a folder, got {output!r}. Without -o, records go to "
            "standard output."
        )
    started = time.perf_counter()
    summary = jobs.run(job, "identify", unit="docs")
    _report(summary, output, _format_found(summary.sums, task), time.perf_counter() - started)
    reads_as_view = not (format_ or lines) and (text_key, id_key) == ("text", "id")
    has_units = task == "units" and keep is export is None and output.endswith(".jsonl")
    if has_units and reads_as_view and "-" not in inputs:
        shown = shlex.join(["spacy-sentid", "view", *inputs, "--units", output, "-o", "page.html"])
        if len(shown) <= MAX_SHOWN:
            typer.echo(f"To view them: {shown}", err=True)


def _format_found(numbers: Sequence[float], task: str) -> str:
    """Format the number of results, "" if they were not counted.

    >>> _format_found([412, 96], "units"), _format_found([1], "words")
    ('412 sentences and 96 other units in ', '1 word in ')
    """
    from ..view.page import format_count

    names = ("sentence", "other unit") if task == "units" else (task.removesuffix("s"),)
    found = [format_count(int(n), name) for n, name in zip(numbers, names, strict=False)]
    return f"{' and '.join(found)} in " if found else ""


def _report(summary: "Summary", output: str, found: str, seconds: float) -> None:
    """Report on stderr how much was processed."""
    from ..view.page import format_count as count

    memory = f", at most {summary.peak_bytes / 1e6:,.0f} MB per process" * bool(summary.peak_bytes)
    shards = count(summary.n_shards, "shard")
    if summary.n_shards_before == summary.n_shards:
        shards = "finished before"
    elif summary.n_shards_before:
        shards += f", {summary.n_shards_before:,} of them finished before"
    typer.echo(
        f"{output}: {found}{count(summary.n_records, 'record')}, {seconds:.1f} s "
        f"({count(summary.n_chars, 'character')}, {shards}{memory})",
        err=True,
    )
    jobs.echo_left_out(summary.left_out)
    hint = jobs.tell_errors(summary, summary.errors)
    jobs.check_records(summary.n_records, summary.n_errors, "records", hint)
    if summary.n_errors:
        warn(
            f"skipped {count(summary.n_errors, 'bad record')}. See {summary.errors} for places and "
            "reasons."
        )


def _write_here(settings: "JobSettings") -> None:
    """Write records to standard output, or show units on a terminal."""
    from ..batch.documents import add_counts, count_left_out
    from ..batch.formats import encode_json
    from ..batch.job import stream_records
    from ..files.records import BadLine
    from ..view.page import format_count

    show = sys.stdout.isatty() and settings.work.task == "units" and not settings.work.keep
    n_done = n_bad = 0
    left_out: dict[str, int] = {}
    with jobs.show_loading() as on_ready:
        records = stream_records(settings, of_file=not show, on_ready=on_ready)
        for document, record in records:
            left_out = add_counts([left_out, count_left_out([document] if document else [])])
            if isinstance(record, BadLine):
                n_bad += 1
                message = f"{record.place}: {record.reason}"
                if settings.raise_errors:
                    raise ValueError(message)
                typer.secho(f"Skipped {message}", fg=typer.colors.YELLOW, err=True)
                continue
            n_done += 1
            if show and document is not None:
                _show(document, record, is_first=n_done == 1)
            else:
                for piece in encode_json(record):
                    typer.echo(piece, nl=False)
    jobs.echo_left_out(left_out)
    jobs.check_records(n_done, n_bad, "records")
    if n_bad:
        warn(f"skipped {format_count(n_bad, 'bad record')}.")


def _show(document: "Document", record: dict[str, Any], *, is_first: bool) -> None:
    from ..batch.tasks import move_rows

    width = min(shutil.get_terminal_size().columns, MAX_COLUMNS)
    if not is_first:
        typer.echo()
    typer.secho(str(document.id), bold=True)
    units = move_rows(record["units"], -document.start_char)
    for line, is_nsu in lay_out_units(document.text, units, width=width):
        typer.secho(line, dim=is_nsu or None)


def lay_out_units(
    text: str, units: Sequence[dict[str, Any]], *, width: int
) -> Iterator[tuple[str, bool]]:
    """Lay out units for a terminal. Each starts a line, with its score at the end of the line.

    width: Columns of the terminal, which wraps longer lines.
    YIELDS: (line, whether it belongs to an NSU). Line ends inside units and blank lines between
        them are kept. Control characters are replaced.

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
    """Replace characters that could disturb a terminal: controls and lone surrogates."""
    return "".join(
        "\ufffd" if unicodedata.category(char) in ("Cc", "Cs") and char != "\t" else char
        for char in line
    )

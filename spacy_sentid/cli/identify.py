"""`spacy-sentid identify`: run a pipeline on files, and show or write the results."""

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from . import long_jobs as jobs
from . import options as opt
from . import standard_output
from .terminal.printing import warn

if TYPE_CHECKING:
    from ..batch.job import Summary


@jobs.takes_job_options
def identify(
    inputs: Annotated[list[str], opt.Inputs],
    output: Annotated[
        str | None,
        opt.output_option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write to a .jsonl, .csv or .tsv file (also with .gz or .zst), to .json or "
            ".parquet, or to a folder (OUT/). Tables have a row for each unit.",
        ),
    ] = None,
    task: Annotated[
        Literal["units", "sentences", "words"],
        opt.model_option(
            help="units: SUs and NSUs. sentences: those of the pipeline, or of the rule "
            "sentencizer for a language. words: Chinese words."
        ),
    ] = "units",
    keep: Annotated[
        Literal["su"] | None,
        opt.output_option(
            help="su: write the text without its NSUs as {'id', 'text', 'offsets'}, not units."
        ),
    ] = None,
    text: Annotated[
        bool, opt.output_option("--text", help="Add the text of each unit. Tables always have it.")
    ] = False,
    show: Annotated[
        bool, opt.output_option("--show", help="Show the units as on a terminal, also in a pipe.")
    ] = False,
    text_key: opt.TextKey = "text",
    folder_format: Annotated[
        str,
        opt.output_option(
            metavar="FORMAT",
            help="Format of the files in an output folder: jsonl, csv, tsv (also .gz or .zst), "
            "json or parquet.",
        ),
    ] = "jsonl",
    export: Annotated[
        Literal["prodigy", "doccano", "label-studio"] | None,
        opt.output_option(
            help="Write tasks for this annotation tool, with the units as predictions, to a .jsonl "
            "or .json file. Label Studio reads .json."
        ),
    ] = None,
    *,
    options: jobs.JobOptions,
) -> None:
    """Find the sentences of files, and what is not a sentence.

    With --task, finds the sentences of any pipeline, or words.

    On a terminal, or with --show, shows each unit with a line at its left: sentences
    in blue, others with their kind, scores at the right. Long output goes through a pager (less or
    $PAGER). Set NO_COLOR or FORCE_COLOR to change when there are colours.

    Otherwise, or with -o, writes one line of JSON for each document: {"id", "units":
    [{"start_char", "end_char", "label", "kind", "score", "label_score", "kind_score"}]}. Offsets
    count code points of the original text. With -o, the same command resumes an interrupted job.

    From HTML it reads the text that a browser shows, and from mail (.eml) the main headers and the
    decoded text. Records of both include this text, with offsets in it. Skipped parts are counted
    on stderr.

    Example: spacy-sentid identify mail/ reviews.jsonl.gz -o out.jsonl --n-process 8
    """
    job = options.make_job(
        inputs,
        output or "",
        text_key=text_key,
        folder_format=folder_format,
        task=task,
        keep=keep,
        with_text=text,
        export=export,
    )
    is_units = task == "units" and keep is None
    if output is None:
        if job.n_process is not None or job.engine == "ray" or job.overwrite or export:
            raise ValueError(
                "--n-process, --engine, --overwrite and --export must come with an output (-o), "
                "got none."
            )
        if show and not is_units:
            raise ValueError("--show must be for units, got another --task or --keep.")
        if show or (sys.stdout.isatty() and is_units):
            standard_output.show_units(job)
        else:
            standard_output.write_records(job)
        return
    if output in ("", "-"):
        raise ValueError(
            f"The output must be a file or a folder, got {output!r}. Without -o, records go to "
            "standard output."
        )
    opt.refuse_options({"--show": show}, "with an output (-o)")
    started = time.perf_counter()
    summary = jobs.run(job, "identify", unit="docs")
    _report(summary, output, _format_found(summary.sums, task), time.perf_counter() - started)


def _format_found(numbers: Sequence[float], task: str) -> str:
    """Format the number of results, "" if they were not counted.

    >>> _format_found([412, 96], "units"), _format_found([1], "words")
    ('412 sentences and 96 other units in ', '1 word in ')
    """
    from ..view.text.page import format_count

    names = ("sentence", "other unit") if len(numbers) > 1 else (task.removesuffix("s"),)
    found = [format_count(int(n), name) for n, name in zip(numbers, names, strict=False)]
    return f"{' and '.join(found)} in " if found else ""


def _report(summary: "Summary", output: str, found: str, seconds: float) -> None:
    """Report on stderr how much was processed."""
    from ..view.text.page import format_count as count

    shards = count(summary.n_shards, "shard")
    if summary.n_shards_before == summary.n_shards:
        shards = "finished before"
    elif summary.n_shards_before:
        shards += f", {summary.n_shards_before:,} of them finished before"
    typer.echo(
        f"{output}: {found}{count(summary.n_records, 'record')}, {seconds:.1f} s "
        f"({count(summary.n_chars, 'character')}, {shards})",
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

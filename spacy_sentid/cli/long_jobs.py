"""Options, progress bars and reports that the commands of long jobs share."""

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..files.records import MAX_RECORD_BYTES
from .terminal.help import CLUSTER, INPUT, OUTPUT, SPEED
from .terminal.printing import format_error, warn

if TYPE_CHECKING:
    from ..batch.job import JobSettings, OnProgress, Summary

MAX_RECORD_SIZE = f"{MAX_RECORD_BYTES // 1_000_000}MB"
# Powers of 1000.
UNITS = ("", "k", "m", "g", "t")
SIZE = re.compile(r"(\d{1,20}(?:\.\d{1,20})?) ?([kmgt]?)b?", re.ASCII | re.IGNORECASE)
SECONDS = 30  # between lines of progress
LOADING_SECONDS = 1.0  # loading that takes longer is reported
MAX_SHOWN = 120  # maximum length of a command that is printed

Hyp = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Texts, one per line, instead of --pairs.", rich_help_panel=INPUT
    ),
]
Refs = Annotated[
    list[str] | None,
    typer.Option(
        "--ref",
        metavar="FILE",
        help="References of the texts, line by line. Repeatable, for several references.",
        rich_help_panel=INPUT,
    ),
]
Pairs = Annotated[
    list[str] | None,
    typer.Option(
        metavar="INPUT",
        help="Files, folders and globs of records {'id', 'hyp', 'ref'}, or -; 'ref' is a string or "
        "a list. Repeatable.",
        rich_help_panel=INPUT,
    ),
]
NProcess = Annotated[
    int | None,
    typer.Option(
        "--n-process",
        min=1,
        help="Number of processes or Ray workers. Default: 1; with Ray, one per core or GPU.",
        rich_help_panel=SPEED,
    ),
]
OnErrors = Annotated[
    Literal["skip", "raise"],
    typer.Option(
        "--errors",
        help="skip: list invalid records in OUT.errors.jsonl. raise: stop at the first one, with "
        "exit code 1.",
        rich_help_panel=OUTPUT,
    ),
]
MaxRecordBytes = Annotated[
    str,
    typer.Option(
        metavar="SIZE",
        help="Skip lines, rows, mails and HTML files above this size, such as 500kB or 2GB.",
        rich_help_panel=INPUT,
    ),
]
Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite", help="Delete the output of a previous job.", rich_help_panel=OUTPUT
    ),
]
ShardSize = Annotated[
    float,
    typer.Option(
        min=0.001,
        help="Million characters per shard. A crash loses at most the unfinished shards.",
        rich_help_panel=SPEED,
    ),
]
Engine = Annotated[
    Literal["local", "ray"],
    typer.Option(
        help="local: processes on this computer. ray: a Ray cluster (extra 'ray').",
        rich_help_panel=CLUSTER,
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        help="Address of the Ray cluster, or 'auto'. Default: start a local cluster.",
        rich_help_panel=CLUSTER,
    ),
]
RayGpus = Annotated[
    float, typer.Option(min=0, help="Number of GPUs per Ray worker.", rich_help_panel=CLUSTER)
]


def run(settings: "JobSettings", label: str, *, unit: str) -> "Summary":
    """Run a job with a progress bar. If it is interrupted, print how to resume it."""
    from ..batch.job import run_job

    try:
        with show_progress(label, unit) as on_progress:
            return run_job(settings, on_progress=on_progress)
    except KeyboardInterrupt:
        typer.secho(
            "Interrupted. Finished work is kept. Run the same command again to resume.",
            fg=typer.colors.YELLOW,
            err=True,
        )
        raise typer.Exit(130) from None
    except OSError as error:
        if not Path(f"{settings.output.rstrip('/')}.job").exists():
            raise
        raise ValueError(
            f"{format_error(error)}. Finished work is kept. Fix the problem, then run the same "
            "command again."
        ) from error


@contextmanager
def show_loading() -> Iterator[Callable[[], object]]:
    """Report on stderr that a pipeline is loading, if it takes long.

    YIELDS: Function to call when the pipeline is loaded.
    """
    timer = Timer(LOADING_SECONDS, typer.echo, ["Loading the pipeline ..."], {"err": True})
    timer.daemon = True
    timer.start()
    try:
        yield timer.cancel
    finally:
        timer.cancel()


@contextmanager
def show_progress(label: str, unit: str) -> "Iterator[OnProgress]":
    """Show the progress of a job on stderr: a bar on a terminal, else a line every 30 seconds.

    The bar starts when the pipeline is loaded, so that its rate excludes loading.
    """
    from tqdm import tqdm

    lines = {"delay": SECONDS, "mininterval": SECONDS, "bar_format": "{l_bar}{bar}{r_bar}\n"}
    shown: Any = {} if sys.stderr.isatty() else lines
    with show_loading() as on_ready, ExitStack() as stack:
        bar: Any = None

        def show(done: int, total: int, n_records: int) -> None:
            nonlocal bar
            if bar is None:
                on_ready()
                # Standard input has an unknown size, so there is no percentage and no time left.
                settings = {"total": total or None, "initial": done, "desc": label, **shown}
                bar = stack.enter_context(tqdm(unit="B", unit_scale=True, **settings))
            bar.set_postfix_str(f"{n_records:,} {unit}", refresh=False)
            bar.update(done - bar.n)

        yield show


def suggest_view(settings: "JobSettings") -> str:
    """Format the command that makes a page of the same texts; "" if it would be too long.

    If the job has an output, the page shows its units.
    """
    from ..batch.input.sources import STDIN

    if STDIN in settings.inputs:
        return ""
    read, work = settings.read, settings.work
    options: dict[str, Any] = {
        "--units": settings.output,
        "--format": settings.format,
        "--text-key": read.text_key if read.text_key != "text" else None,
        "--id-key": read.id_key if read.id_key != "id" else None,
    }
    words = ["--lines"] if settings.lines else []
    if not settings.output:
        changed = work.identifier_settings
        options |= {"--model": work.model, "--newline": changed.pop("newline", None)}
        words += [f"--setting={name}={value}" for name, value in changed.items()]
    for name, value in options.items():
        words += [name, value] if value else []
    command = shlex.join(["spacy-sentid", "view", *settings.inputs, *words, "-o", "page.html"])
    hint = f"To see a page: {command}"
    return hint if len(hint) <= MAX_SHOWN else ""


def parse_bytes(size: str) -> int:
    """Read a number of bytes.

    >>> parse_bytes("100MB"), parse_bytes("1.5 GB"), parse_bytes("5000")
    (100000000, 1500000000, 5000)
    """
    found = SIZE.fullmatch(size)
    n_bytes = round(float(found[1]) * 1000 ** UNITS.index(found[2].casefold())) if found else 0
    if n_bytes < 1:
        raise ValueError(f"A size must be a number of bytes, such as 500kB or 2GB, got {size!r}.")
    return n_bytes


def list_inputs(hyp: str | None, refs: Sequence[str], pairs: Sequence[str]) -> list[str]:
    """List the inputs. They must be either --hyp with --ref, or --pairs."""
    if bool(pairs) == (hyp is not None or bool(refs)) or (hyp is None) != (not refs):
        raise ValueError(
            "Inputs must be either --hyp and --ref (files of lines), or --pairs (records)."
        )
    return [hyp] if hyp is not None else list(pairs)


def device_name(gpu_id: int) -> str:
    """Name a device as torch does.

    >>> device_name(-1), device_name(0)
    ('cpu', 'cuda:0')
    """
    return "cpu" if gpu_id < 0 else f"cuda:{gpu_id}"


def tell_errors(summary: "Summary", where: str | None) -> str:
    """Describe why records were skipped.

    where: Path of the file of errors, if it is kept.
    """
    hint = f" See {where} for the reasons." if where else ""
    return hint + (f" The first error: {summary.first_error}" if summary.first_error else "")


def check_records(n_records: int, n_errors: int, unit: str, hint: str = "") -> None:
    """Raise ValueError if no record was processed, so that the exit code is 1."""
    if not n_records:
        raise ValueError(
            f"None of {n_errors:,} {unit} could be processed.{hint}"
            if n_errors
            else f"There must be {unit} in the inputs, got none. Check the files."
        )


def echo_left_out(counts: Mapping[str, int]) -> None:
    """Report on stderr which parts of HTML and mail were skipped, if any."""
    if counts:
        names = ", ".join(f"{name} ({n:,})" for name, n in counts.items())
        typer.echo(f"Skipped in HTML and mail: {names}.", err=True)


def echo_errors(output: Path, n: int) -> None:
    """Report on stderr the number of skipped lines, if any, and the file that lists them."""
    from ..files.records import errors_path

    if n:
        warn(f"skipped {n:,} bad lines. See {errors_path(output)} for the reasons.")

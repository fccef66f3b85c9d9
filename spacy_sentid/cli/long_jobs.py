"""Options, progress bars and reports that the commands of long jobs share."""

import re
import shlex
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer
from typer import Option

from ..files.records import MAX_RECORD_BYTES
from . import options as opt
from .terminal.help import CLUSTER, INPUT, MODEL, OUTPUT, SPEED
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


class JobOptions(NamedTuple):
    """The options that `identify` and `score` share. `takes_job_options` adds them to a command."""

    model: Annotated[
        str | None,
        Option(
            help="Folder or package of a pipeline, or a language. Default: en, or zh for words.",
            rich_help_panel=MODEL,
        ),
    ] = None
    settings: opt.Settings = None
    format_: opt.InputFormat = None
    id_key: opt.IdKey = "id"
    max_record_bytes: Annotated[
        str,
        Option(
            metavar="SIZE",
            help="Skip lines, mails and HTML files above this size, such as 500kB or 2GB.",
            rich_help_panel=INPUT,
        ),
    ] = MAX_RECORD_SIZE
    overwrite: Annotated[
        bool,
        Option("--overwrite", help="Delete the output of a previous job.", rich_help_panel=OUTPUT),
    ] = False
    n_process: Annotated[
        int | None,
        Option(
            "--n-process",
            min=1,
            help="Number of processes or Ray workers. Default: 1; with Ray, one per core or GPU.",
            rich_help_panel=SPEED,
        ),
    ] = None
    shard_size: Annotated[
        float,
        Option(
            min=0.001,
            help="Million characters per shard. A crash loses at most the unfinished shards.",
            rich_help_panel=SPEED,
        ),
    ] = 4
    gpu_id: opt.GpuId = -1
    engine: Annotated[
        Literal["local", "ray"],
        Option(
            help="local: processes on this computer. ray: the Ray cluster at RAY_ADDRESS, or one "
            "that is started here (extra 'ray').",
            rich_help_panel=CLUSTER,
        ),
    ] = "local"
    ray_gpus: Annotated[
        float, Option(min=0, help="Number of GPUs per Ray worker.", rich_help_panel=CLUSTER)
    ] = 0

    def make_job(
        self,
        inputs: Sequence[str],
        output: str,
        *,
        text_key: str = "text",
        refs: Sequence[str] = (),
        folder_format: str = "jsonl",
        **work: Any,
    ) -> "JobSettings":
        """Make the settings of a job. work: More `WorkSettings`."""
        from ..batch.input.documents import ReadSettings
        from ..batch.job import JobSettings
        from ..batch.work.work_settings import WorkSettings

        settings = opt.parse_settings(self.settings)
        return JobSettings(
            inputs,
            output,
            WorkSettings(model=self.model, settings=settings, gpu_id=self.gpu_id, **work),
            ReadSettings(
                text_key, self.id_key, max_record_bytes=parse_bytes(self.max_record_bytes)
            ),
            format=self.format_,
            refs=refs,
            engine=self.engine,
            n_process=self.n_process,
            ray_gpus=self.ray_gpus,
            folder_suffix=f".{folder_format}",
            shard_size=round(self.shard_size * 1_000_000),
            overwrite=self.overwrite,
        )


def takes_job_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of JobOptions to a command, as its argument `options`."""
    own = signature(command).parameters.values()
    shared = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=JobOptions._field_defaults[name],
            annotation=annotation,
        )
        for name, annotation in JobOptions.__annotations__.items()
    ]

    @wraps(command)
    def run_command(**given: Any) -> None:
        options = JobOptions(**{name: given.pop(name) for name in JobOptions._fields})
        command(**given, options=options)

    parameters = [one for one in own if one.name != "options"] + shared
    run_command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run_command


def run(settings: "JobSettings", label: str, *, unit: str) -> "Summary":
    """Run a job with a progress bar. If it is interrupted, print how to resume it."""
    from ..batch.job import run_job

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C
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
    finally:
        signal.signal(signal.SIGTERM, before)


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
    words = []
    if not settings.output:
        options["--model"] = work.model
        words = [f"--setting={name}={value}" for name, value in work.settings.items()]
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

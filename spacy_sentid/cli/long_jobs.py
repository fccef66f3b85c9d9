"""Options, progress bars and reports that the commands of long jobs share."""

import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from ..files.records import MAX_RECORD_BYTES
from . import options as opt
from .terminal.printing import format_error, warn

if TYPE_CHECKING:
    from ..batch.job import JobSettings, OnProgress, Summary

SECONDS = 30  # between lines of progress


class JobOptions(NamedTuple):
    """The options that `identify` and `score` share. `takes_job_options` adds them to a command."""

    model: opt.AnyModel = None
    settings: opt.Settings = None
    format_: opt.InputFormat = None
    id_key: opt.IdKey = "id"
    max_record_bytes: Annotated[
        int,
        opt.input_option(min=1, help="Skip lines, mails and HTML files with more bytes than this."),
    ] = MAX_RECORD_BYTES
    overwrite: Annotated[
        bool, opt.output_option("--overwrite", help="Delete the output of a previous job.")
    ] = False
    n_process: Annotated[
        int | None,
        opt.speed_option(
            "--n-process",
            min=1,
            help="Number of processes or Ray workers. Default: 1; with Ray, one per core or GPU.",
        ),
    ] = None
    shard_size: Annotated[
        float,
        opt.speed_option(
            min=0.001,
            help="Million characters per shard. A crash loses at most the unfinished shards.",
        ),
    ] = 4
    gpu_id: opt.GpuId = -1
    engine: Annotated[
        Literal["local", "ray"],
        opt.cluster_option(
            help="local: processes on this computer. ray: the Ray cluster at RAY_ADDRESS, or one "
            "that is started here (extra 'ray')."
        ),
    ] = "local"
    ray_gpus: Annotated[float, opt.cluster_option(min=0, help="Number of GPUs per Ray worker.")] = 0

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
            ReadSettings(text_key, self.id_key, max_record_bytes=self.max_record_bytes),
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
def show_progress(label: str, unit: str) -> "Iterator[OnProgress]":
    """Show the progress of a job on stderr: a bar on a terminal, else a line every 30 seconds.

    The bar starts when the pipeline is loaded, so that its rate excludes loading.
    """
    from tqdm import tqdm

    lines = {"delay": SECONDS, "mininterval": SECONDS, "bar_format": "{l_bar}{bar}{r_bar}\n"}
    shown: Any = {} if sys.stderr.isatty() else lines
    with ExitStack() as stack:
        bar: Any = None

        def show(done: int, total: int, n_records: int) -> None:
            nonlocal bar
            if bar is None:
                # Standard input has an unknown size, so there is no percentage and no time left.
                settings = {"total": total or None, "initial": done, "desc": label, **shown}
                bar = stack.enter_context(tqdm(unit="B", unit_scale=True, **settings))
            bar.set_postfix_str(f"{n_records:,} {unit}", refresh=False)
            bar.update(done - bar.n)

        yield show


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

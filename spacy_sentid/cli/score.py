"""`spacy-sentid score`: score texts against references by what is paraphrased."""

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from . import long_jobs as jobs
from . import options as opt
from .printing import format_table, warn

if TYPE_CHECKING:
    from ..batch.job import Summary

STDOUT = "-"


def score(
    hyp: jobs.Hyp = None,
    ref: jobs.Refs = None,
    pairs: jobs.Pairs = None,
    perspective: Annotated[
        Literal["p", "r", "f"],
        typer.Option(
            help="p: does the reference support the text (factuality); r: does the text cover the "
            "reference; f: both, which writes all three."
        ),
    ] = "f",
    out: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write a record for each pair: .jsonl (also .gz, .zst), .parquet, a folder (OUT/) "
            "or standard output (-).",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="Folder or package of a pipeline with a tagger. Default: English."),
    ] = None,
    aggregate: Annotated[
        Literal["max", "mean"],
        typer.Option(help="With several references, score the best, or the mean of all."),
    ] = "max",
    allow_identical: Annotated[
        bool, typer.Option("--allow-identical", help="Score texts equal to their reference.")
    ] = False,
    format_: opt.InputFormat = None,
    id_key: opt.IdKey = "id",
    n_process: jobs.NProcess = None,
    batch_size: opt.BatchSize = None,
    errors: jobs.OnErrors = "skip",
    overwrite: jobs.Overwrite = False,
    shard_size: jobs.ShardSize = 4,
    engine: jobs.Engine = "local",
    ray_address: jobs.RayAddress = None,
    ray_gpus: jobs.RayGpus = 0,
    gpu_id: opt.GpuId = -1,
) -> None:
    """Score texts by how well references support their words.

    PScore, RScore and FScore are the mean support of the words. Prints the means over all pairs.
    OUT has {"id", "p", "r", "f", "score", "hyp_spans", "ref_spans", "hyp_words", "ref_words"} for
    each pair: the spans that the other text does not support, and all words as [text, start_char,
    end_char, support]. Pairs that cannot be scored are skipped and reported in OUT.errors.jsonl.
    The same command resumes an interrupted job.

    Example: spacy-sentid score --hyp hyp.txt --ref ref.txt --perspective p -o scores.jsonl
    """
    from ..batch.documents import ReadSettings
    from ..batch.job import JobSettings
    from ..batch.worker import WorkSettings

    inputs = jobs.list_inputs(hyp, ref or [], pairs or [])
    with TemporaryDirectory() as folder:
        is_kept = out is not None and out != STDOUT
        output = out if out is not None and is_kept else str(Path(folder, "scores.jsonl"))
        settings = JobSettings(
            inputs,
            output,
            WorkSettings(
                task="scores",
                model=model,
                perspective=perspective,
                aggregate=aggregate,
                allow_identical=allow_identical,
                batch_size=batch_size,
                gpu_id=gpu_id,
            ),
            ReadSettings(id_key=id_key, pairs=True),
            format=format_,
            refs=ref or [],
            engine=engine,
            n_process=n_process,
            ray_address=ray_address,
            ray_gpus=ray_gpus,
            shard_size=round(shard_size * 1_000_000),
            raise_errors=errors == "raise",
            overwrite=overwrite,
        )
        summary = jobs.run(settings, "score", unit="pairs")
        if out == STDOUT:
            with Path(output).open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
        report(summary, perspective, where=summary.errors if is_kept else None, err=out == STDOUT)


def report(summary: "Summary", perspective: str, *, where: str | None, err: bool) -> None:
    """Print the means, and what was skipped; ValueError if that is all.

    where: The file of errors that stays, if there is one. err: Print to stderr.
    """
    hint = f" Their reasons are in {where}." if where else ""
    hint += f" The first: {summary.first_error}" if summary.first_error else ""
    if not summary.n_records:
        raise ValueError(
            f"None of {summary.n_errors:,} pairs could be scored.{hint}"
            if summary.n_errors
            else "There must be pairs to score, got no lines. Check the files."
        )
    means = dict(zip("PRF", (total / summary.n_records for total in summary.sums), strict=True))
    sides = [perspective.upper()] if perspective != "f" else list(means)
    table = [["pairs", *sides]]
    table.append([f"{summary.n_records:,}", *(f"{means[side]:.4f}" for side in sides)])
    typer.echo(format_table(table, n_left=0), err=err)
    if summary.n_errors:
        warn(
            f"{summary.n_errors:,} of {summary.n_errors + summary.n_records:,} pairs could not be "
            f"scored and do not count.{hint}"
        )

"""`spacy-sentid score`: score texts against references by what is paraphrased."""

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .long_jobs import (
    Engine,
    Hyp,
    NProcess,
    OnErrors,
    Overwrite,
    Pairs,
    RayAddress,
    RayGpus,
    Refs,
    ShardSize,
    list_inputs,
    run,
)
from .options import GpuId, IdKey, InputFormat
from .printing import format_table, warn

if TYPE_CHECKING:
    from ..batch.job import Summary

STDOUT = "-"


def score(
    hyp: Hyp = None,
    ref: Refs = None,
    pairs: Pairs = None,
    perspective: Annotated[
        Literal["p", "r", "f"],
        typer.Option(
            help="p: is the text supported by the reference (factuality); r: does it cover the "
            "reference; f: both, and all three are written."
        ),
    ] = "f",
    out: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write a record for each pair: .jsonl (also .gz, .zst), .parquet, a folder (OUT/) "
            "or - for standard output.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="Folder or package of a pipeline with a tagger. Default: English."),
    ] = None,
    aggregate: Annotated[
        Literal["max", "mean"],
        typer.Option(help="Of several references: the best, or the mean."),
    ] = "max",
    allow_identical: Annotated[
        bool, typer.Option("--allow-identical", help="Score texts that are their own reference.")
    ] = False,
    format_: InputFormat = None,
    id_key: IdKey = "id",
    n_process: NProcess = None,
    batch_size: Annotated[
        int | None, typer.Option(min=1, help="Pairs of sentences that the tagger gets at once.")
    ] = None,
    errors: OnErrors = "skip",
    overwrite: Overwrite = False,
    shard_size: ShardSize = 4,
    engine: Engine = "local",
    ray_address: RayAddress = None,
    ray_gpus: RayGpus = 0,
    gpu_id: GpuId = -1,
) -> None:
    """Score texts by how well references support their words.

    PScore, RScore and FScore are the mean support of the words. Prints their means. OUT has for
    each pair {"id", "p", "r", "f", "score", "hyp_spans",
    "ref_spans", "hyp_words", "ref_words"}: spans that the other text does not support, and all
    words as [text, start_char, end_char, support]. Pairs that cannot be scored are skipped and
    reported in OUT.errors.jsonl. The same command resumes where it was interrupted.

    Example: spacy-sentid score --hyp hyp.txt --ref ref.txt --perspective p -o scores.jsonl
    """
    from ..batch.documents import ReadSettings
    from ..batch.job import JobSettings
    from ..batch.worker import WorkSettings

    inputs = list_inputs(hyp, ref or [], pairs or [])
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
        summary = run(settings, "score", unit="pairs")
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

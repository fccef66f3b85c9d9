"""A batch job from end to end: inputs in, one output; it can be interrupted and resumed.

inputs -> sources -> splits -> engine -> shards in OUT.job/ -> OUT, OUT.errors.jsonl

OUT.job/ is there while the job is not done; OUT.manifest.json says what OUT was made of.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from ..files.atomic import open_binary_output
from ..files.records import BadLine
from ..files.resume import lock_output
from ..files.store import Store, is_url
from ..settings import check_choice
from .batches import make_batches
from .documents import Document, ReadSettings
from .inputs import Source, find_sources
from .job_files import JobPaths, begin_or_resume, check_done, fingerprint_job, read_first_error
from .listing import JSONL as JSONL_FORMAT
from .listing import TEXT
from .local import one_thread, work_on_batches
from .output import (
    ERRORS,
    JSONL,
    PARQUET,
    SUFFIXES,
    ShardFolder,
    ShardInfo,
    find_resume_point,
    find_suffix,
    merge_files,
    write_shards,
)
from .progress import OnProgress, report_progress
from .split import InputSplit, plan_splits
from .tasks import SCORES, make_schema
from .worker import Worker, WorkSettings

LOCAL, RAY = "local", "ray"
SHARD_SIZE = 4_000_000


@dataclass(frozen=True)
class JobSettings:
    """A job.

    inputs: Files, folders, globs; "-" is standard input. output: See `output.find_suffix`.
    format, lines: As in `find_sources`.
    refs: The one input has a text on each line, and these files their references, line by line.
    n_process: None = this process alone; with Ray, a worker for each core, or GPU, of the cluster.
    folder_suffix: How the files of an output folder are written.
    shard_size: Bytes of input to a shard: what is lost when the job is killed, for each process.
    raise_errors: The first bad record ends the job.
    overwrite: Delete what is at the output, of another job or of this one.
    """

    inputs: Sequence[str]
    output: str
    work: WorkSettings = field(default_factory=WorkSettings)
    read: ReadSettings = field(default_factory=ReadSettings)
    format: str | None = None
    lines: bool = False
    refs: Sequence[str] = ()
    engine: str = LOCAL
    n_process: int | None = None
    ray_address: str | None = None
    ray_gpus: float = 0
    folder_suffix: str = JSONL
    shard_size: int = SHARD_SIZE
    raise_errors: bool = False
    overwrite: bool = False


class Summary(NamedTuple):
    """What a job has done."""

    n_records: int
    n_errors: int
    n_chars: int
    n_shards: int
    n_shards_before: int  # of them, those that an earlier run had finished
    sums: list[float]  # of the task "scores": P, R, F of the records
    peak_bytes: int  # most memory of a worker
    errors: str | None  # file of errors, if there are any
    first_error: str  # its place and reason, "" if there is none


def run_job(settings: JobSettings, *, on_progress: OnProgress | None = None) -> Summary:
    """Run a job, or resume it where it was interrupted; when it is done, nothing is done.

    on_progress: Called with (bytes of the inputs done, bytes in all, records), also at the start.

    Raises ValueError if the output, or what is there of it, is of another job: of other inputs, or
    ones that changed since, another pipeline or other settings. ValueError and OSError also for
    what is wrong with an input file, or the disk; finished shards are kept then.
    """
    # Also around what loads numpy, which reads its number of threads once: with more of them the
    # last digits of scores would depend on the number of processes.
    with one_thread():
        return _run_job(settings, on_progress or (lambda *_: None))


def _run_job(settings: JobSettings, on_progress: OnProgress) -> Summary:
    settings = _complete(settings)
    paths = JobPaths(settings.output)
    sources = _find_sources(settings, exclude=paths.all())
    suffix = find_suffix(settings.output) or settings.folder_suffix
    key = fingerprint_job(
        sources, settings.work, settings.read, suffix=suffix, size=settings.shard_size
    )
    folder = ShardFolder(
        paths.name,
        is_folder=find_suffix(settings.output) is None,
        suffix=suffix,
        schema=make_schema(settings.work.task, keep=settings.work.keep)
        if suffix == PARQUET
        else None,
    )
    with lock_output(paths.name):
        done = check_done(paths, key, sources, overwrite=settings.overwrite)
        if done is not None:
            summary = Summary(**done["summary"])
            if summary.n_errors and settings.raise_errors:
                raise _record_error(paths.parent_store, paths.errors_name)
            folder.job.store.clear()  # if the job was killed at this
            return summary._replace(n_shards_before=summary.n_shards)
        splits = plan_splits(sources, size=settings.shard_size)
        begin_or_resume(folder.job, paths, key, sources, overwrite=settings.overwrite)
        before = folder.read_manifests()
        folder.delete_stale(before)
        for info in chain(before, _run_engine(settings, splits, folder, before, on_progress)):
            _check_errors(info, folder, settings)
        return _finish(settings, paths, key, folder, n_splits=len(splits), n_before=len(before))


def stream_records(
    settings: JobSettings,
) -> Iterator[tuple[Document | None, dict[str, Any] | BadLine]]:
    """Do a job without an output, in this process: records, and what is wrong with others.

    YIELDS: (document, its record), (document or None, what is wrong with it).
    """
    settings = replace(settings, read=_complete_reading(settings))
    worker = Worker(settings.work)
    counts: dict[str, int] = {}
    for split in plan_splits(_find_sources(settings), size=settings.shard_size):
        for batch in make_batches(
            split, settings.read, shard_size=settings.shard_size, counts=counts
        ):
            yield from ((None, bad) for bad in batch.bad)
            records = worker.make_records(batch.documents)
            yield from zip(batch.documents, records, strict=True)


def _find_sources(settings: JobSettings, exclude: Sequence[str] = ()) -> list[Source]:
    return find_sources(
        settings.inputs,
        format=settings.format,
        lines=settings.lines,
        default=JSONL_FORMAT if settings.work.task == SCORES else TEXT,
        refs=settings.refs,
        exclude=exclude,
    )


def _complete_reading(settings: JobSettings) -> ReadSettings:
    return settings.read._replace(pairs=settings.work.task == SCORES)


def _complete(settings: JobSettings) -> JobSettings:
    """Fill in what follows from other settings; ValueError if they do not go together."""
    suffix = find_suffix(settings.output)
    if suffix is not None and is_url(settings.output):
        raise ValueError(
            "An output on a remote file system must be a folder, which ends in '/' and which the "
            f"workers write to side by side, got {settings.output!r}."
        )
    if suffix is not None and Path(settings.output).is_dir():
        raise ValueError(
            f"The output must be a file to write, got the folder {settings.output!r}. Name another "
            "output; one that is a folder ends in '/'."
        )
    check_choice("engine", settings.engine, (LOCAL, RAY))
    check_choice("folder_suffix", settings.folder_suffix, SUFFIXES)
    work = replace(settings.work, columns=(suffix or settings.folder_suffix) == PARQUET)
    if settings.engine == RAY and settings.ray_gpus:
        work = replace(work, gpu_id=0)
    return replace(settings, work=work, read=_complete_reading(settings))


def _run_engine(
    settings: JobSettings,
    splits: list[InputSplit],
    folder: ShardFolder,
    before: list[ShardInfo],
    on_progress: OnProgress,
) -> Iterator[ShardInfo]:
    """Do the splits that are not done."""
    first_split, first_shard = find_resume_point(before)
    sizes = [split.size for split in splits]
    n_done, n_records = sum(sizes[:first_split]), sum(info.n_records for info in before)
    if first_split == len(splits):
        on_progress(n_done, sum(sizes), n_records)
        return
    counts = next((dict(info.counts) for info in reversed(before) if info.ends_split), {})
    batches = (
        batch
        for split in splits[first_split:]
        for batch in make_batches(
            split,
            settings.read,
            shard_size=settings.shard_size,
            counts=counts,
            first_shard=first_shard if split.number == first_split else 0,
        )
    )
    if settings.engine == RAY:
        from .ray_engine import work_on_ray

        finished = work_on_ray(
            batches,
            settings.work,
            address=settings.ray_address,
            n_actors=settings.n_process,
            num_gpus=settings.ray_gpus,
        )
    else:
        finished = work_on_batches(batches, settings.work, n_process=settings.n_process or 1)
    with closing(finished):
        counted = report_progress(finished, on_progress, sizes, n_done, n_records)
        yield from write_shards(counted, folder)


def _check_errors(info: ShardInfo, folder: ShardFolder, settings: JobSettings) -> None:
    """Raise ValueError for the first bad record of a shard, if it is to end the job."""
    if info.n_errors and settings.raise_errors:
        raise _record_error(folder.job.store, info.name + ERRORS)


def _record_error(store: Store, name: str) -> ValueError:
    """Make the error of the first bad record of a file of errors."""
    return ValueError(
        f"{read_first_error(store, name)} What is finished is kept; without --errors raise bad "
        "records are skipped and reported next to the output."
    )


def _finish(
    settings: JobSettings,
    paths: JobPaths,
    key: dict[str, Any],
    folder: ShardFolder,
    *,
    n_splits: int,
    n_before: int,
) -> Summary:
    """Merge the shards, write the manifest, delete the shards."""
    shards = folder.read_manifests()
    if find_resume_point(shards) != (n_splits, 0):
        raise ValueError(
            f"Shards in {folder.job.path} were deleted or changed while the job ran. Run the same "
            "command again."
        )
    folder.delete_stale(shards)
    if find_suffix(settings.output) is not None:
        path = Path(settings.output)
        with open_binary_output(path) as file:
            files = (folder.data.open(folder.data_name(info)) for info in shards)
            merge_files(files, file, folder.suffix, folder.schema)
    names = [info.name + ERRORS for info in shards if info.n_errors]
    summary = Summary(
        n_records=sum(info.n_records for info in shards),
        n_errors=sum(info.n_errors for info in shards),
        n_chars=sum(info.n_chars for info in shards),
        n_shards=len(shards),
        n_shards_before=n_before,
        sums=[sum(sums) for sums in zip(*(info.sums for info in shards), strict=True)],
        peak_bytes=max((info.peak_bytes for info in shards), default=0),
        errors=paths.write_errors(folder.job.store, names),
        first_error=read_first_error(paths.parent_store, paths.errors_name) if names else "",
    )
    manifest = {"job": key, "n_bytes": paths.output_bytes(), "summary": summary._asdict()}
    paths.write_manifest(manifest)
    folder.job.store.clear()
    return summary

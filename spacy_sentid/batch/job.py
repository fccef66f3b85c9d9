"""A batch job from end to end: inputs in, one output, that can be interrupted and gone on with.

inputs -> sources -> splits -> engine -> shards in OUT.job/ -> OUT, OUT.errors.jsonl

OUT.job/ is there while the job is not done; OUT.manifest.json tells what OUT was made of.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from ..files.atomic import open_binary_output
from ..files.records import BadLine, Line, parse_record
from .encoding import JSONL, PARQUET, SUFFIXES, find_suffix, make_schema, merge_files
from .local import work_on_parcels
from .parcels import make_parcels
from .plan import Split, number_lines, plan_splits, split_size
from .progress import OnProgress, ProgressCount
from .reading import Document, ReadSettings
from .shards import ERRORS, ShardFolder, ShardInfo, find_starts, write_shards
from .sources import STDIN, find_sources
from .state import JobPaths, check_done, describe_job, lock_job, open_plan
from .store import is_url, name_file
from .tasks import SCORES
from .work import Worker, WorkSettings

LOCAL, RAY = "local", "ray"
SHARD_SIZE = 4_000_000


@dataclass(frozen=True)
class JobSettings:
    """A job.

    inputs: Files, folders, globs; "-" is standard input. output: See `encoding.find_suffix`.
    format, lines: As in `find_sources`.
    n_process: None = this process alone; with Ray, a worker for each core, or GPU, of the cluster.
    folder_suffix: How the files of an output folder are written.
    shard_size: Bytes of input to a shard: what is lost when the job is killed, for each process.
    raise_errors: The first bad record ends the job.
    overwrite: What stands at the output, of another job or of this one, goes.
    """

    inputs: Sequence[str]
    output: str
    work: WorkSettings = field(default_factory=WorkSettings)
    read: ReadSettings = field(default_factory=ReadSettings)
    format: str | None = None
    lines: bool = False
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
    peak_bytes: int  # most memory of a worker
    errors: str | None  # file of errors, if there are any


def run_job(settings: JobSettings, *, on_progress: OnProgress | None = None) -> Summary:
    """Run a job, or go on with it where it was interrupted; when it is done, nothing is done.

    on_progress: Called with (bytes of the inputs done, bytes in all, records), also at the start.

    Raises ValueError if the output, or what is there of it, is of another job: of other inputs, or
    ones that changed since, another pipeline or other settings. ValueError and OSError also for
    what is wrong with an input file, or the disk; finished shards are kept then.
    """
    settings = _complete(settings)
    paths = JobPaths(settings.output)
    sources = find_sources(
        settings.inputs, format=settings.format, lines=settings.lines, leave_out=paths.all()
    )
    suffix = find_suffix(settings.output) or settings.folder_suffix
    key = describe_job(
        sources, settings.work, settings.read, suffix=suffix, size=settings.shard_size
    )
    folder = _open_folder(settings, paths)
    with lock_job(paths):
        done = check_done(paths, key, sources, overwrite=settings.overwrite)
        if done is not None:
            summary = Summary(**done["summary"])
            if summary.n_errors and settings.raise_errors:
                raise _tell_error(paths.first_error())
            folder.job.clear()  # if the job was killed at this
            return summary._replace(n_shards_before=summary.n_shards)

        def make_splits() -> list[Split]:
            return _number(plan_splits(sources, size=settings.shard_size), settings)

        with _start_engine(settings):
            splits = open_plan(paths, key, sources, make_splits, overwrite=settings.overwrite)
            before = folder.read_manifests()
            folder.sweep(before)
            for info in before:
                _check_errors(info, folder, settings)
            for info in _run_engine(settings, splits, folder, before, on_progress or _ignore):
                _check_errors(info, folder, settings)
            return _finish(settings, paths, key, folder, n_splits=len(splits), n_before=len(before))


def stream_records(
    settings: JobSettings,
) -> Iterator[tuple[Document | None, dict[str, Any] | BadLine]]:
    """Do a job without an output, in this process: records, and what is wrong with others.

    YIELDS: (document, its record), (document or None, what is wrong with it).
    """
    sources = find_sources(settings.inputs, format=settings.format, lines=settings.lines)
    splits = number_lines(plan_splits(sources, size=settings.shard_size))
    worker = Worker(settings.work)
    for split in splits:
        for parcel in make_parcels(split, settings.read, shard_size=settings.shard_size):
            yield from ((None, bad) for bad in parcel.bad)
            records = worker.make_records(parcel.documents)
            yield from zip(parcel.documents, records, strict=True)


def _ignore(*_: Any) -> None:
    pass


def _complete(settings: JobSettings) -> JobSettings:
    """Fill in what follows from other settings; ValueError if they do not go together."""
    suffix = find_suffix(settings.output)
    if suffix is not None and is_url(settings.output):
        raise ValueError(
            f"Found the single file {settings.output!r} on a remote file system, expected a "
            "folder, which the workers write to side by side. Name one that ends in '/'."
        )
    if settings.engine == RAY and STDIN in settings.inputs:
        raise ValueError(
            "Found standard input with the engine Ray, whose workers cannot read it, expected "
            "files. Write it to a file first, or take the local engine."
        )
    if suffix is not None and Path(settings.output).is_dir():
        raise ValueError(
            f"Found a folder at {settings.output!r}, expected a file to write. Name another "
            "output; one that is a folder ends in '/'."
        )
    choices = {"engine": (LOCAL, RAY), "folder_suffix": SUFFIXES}
    for name, values in choices.items():
        if getattr(settings, name) not in values:
            raise ValueError(
                f"Found {name} {getattr(settings, name)!r}, expected one of {', '.join(values)}."
            )
    work, read = settings.work, settings.read
    work = replace(work, plain_strings=(suffix or settings.folder_suffix) == PARQUET)
    if settings.engine == RAY and settings.ray_gpus:
        work = replace(work, gpu_id=0)
    read = read._replace(pairs=work.task == SCORES)
    return replace(settings, work=work, read=read)


def _start_engine(settings: JobSettings) -> AbstractContextManager[Any]:
    """Start Ray once for all that it does in a job."""
    if settings.engine == RAY:
        from .ray_running import use_ray

        return use_ray(settings.ray_address, n_cpus=settings.n_process)
    return nullcontext()


def _number(splits: list[Split], settings: JobSettings) -> list[Split]:
    """Count lines, so that each document without an id is named by the number of its line."""
    if settings.engine == RAY:
        from .ray_engine import number_lines_with_ray

        return number_lines_with_ray(splits, address=settings.ray_address)
    return number_lines(splits)


def _open_folder(settings: JobSettings, paths: JobPaths) -> ShardFolder:
    suffix = find_suffix(settings.output)
    chosen = suffix or settings.folder_suffix
    schema = None
    if chosen == PARQUET:
        schema = make_schema(settings.work.task, keep=settings.work.keep)
    data = settings.output if suffix is None else None
    return ShardFolder(paths.job, data=data, suffix=chosen, schema=schema)


def _run_engine(
    settings: JobSettings,
    splits: list[Split],
    folder: ShardFolder,
    before: list[ShardInfo],
    on_progress: OnProgress,
) -> Iterator[ShardInfo]:
    """Do the splits that are not done."""
    done, starts = find_starts(before)
    rest = [split for split in splits if split.number not in done]
    sizes = {split.number: split_size(split) for split in splits}
    progress = ProgressCount(on_progress, sizes, done, sum(info.n_records for info in before))
    if not rest:
        return
    if settings.engine == RAY:
        from .ray_engine import do_splits

        shards = do_splits(
            rest,
            settings.work,
            settings.read,
            folder,
            starts=starts,
            shard_size=settings.shard_size,
            address=settings.ray_address,
            n_actors=settings.n_process,
            num_gpus=settings.ray_gpus,
        )
        with closing(shards):
            for info in shards:
                progress.add_shard(info)
                yield info
        return
    parcels = (
        parcel
        for split in rest
        for parcel in make_parcels(
            split,
            settings.read,
            shard_size=settings.shard_size,
            start=starts.get(split.number),
        )
    )
    finished = work_on_parcels(parcels, settings.work, n_process=settings.n_process or 1)
    with closing(finished):
        watched = (progress.add_parcel(parcel, result) for parcel, result in finished)
        yield from write_shards(watched, folder)


def _check_errors(info: ShardInfo, folder: ShardFolder, settings: JobSettings) -> None:
    """Raise ValueError for the first bad record of a shard, if it is to end the job."""
    if info.n_errors and settings.raise_errors:
        data = folder.job.read(info.name + ERRORS) or b""
        raise _tell_error(Line(info.name, data.decode("ascii").partition("\n")[0]))


def _tell_error(line: Line) -> ValueError:
    """Make the error of a bad record from its line in a file of errors."""
    first = parse_record(line)
    return ValueError(
        f"{first['place']}: {first['reason']} What is finished is kept; without --errors raise bad "
        "records are left out and told beside the output."
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
    """Make the output of the shards, then say that it is there, then take the shards away."""
    shards = folder.read_manifests()
    if len(find_starts(shards)[0]) < n_splits:
        raise ValueError(
            f"Found shards in {paths.job} gone or changed while the job ran, expected them as they "
            "were written. Run the same command again."
        )
    folder.sweep(shards)
    if find_suffix(settings.output) is not None:
        path = Path(settings.output)
        with name_file(path), open_binary_output(path) as file:
            files = (folder.data.open(folder.data_name(info)) for info in shards)
            merge_files(files, file, folder.suffix, folder.schema)
            file.flush()
            os.fsync(file.fileno())
    names = [info.name + ERRORS for info in shards if info.n_errors]
    summary = Summary(
        n_records=sum(info.n_records for info in shards),
        n_errors=sum(info.n_errors for info in shards),
        n_chars=sum(info.n_chars for info in shards),
        n_shards=len(shards),
        n_shards_before=n_before,
        peak_bytes=max((info.peak_bytes for info in shards), default=0),
        errors=paths.write_errors(folder.job, names),
    )
    manifest = {"job": key, "n_bytes": paths.output_bytes(), "summary": summary._asdict()}
    paths.write_manifest(manifest)
    folder.job.clear()
    return summary

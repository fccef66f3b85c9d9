"""Run a batch job from its inputs to its output; it can be interrupted and resumed.

inputs -> sources -> documents -> batches -> engine -> shards in OUT.job/ -> OUT, OUT.errors.jsonl

OUT.job/ exists until the job is done. OUT.manifest.json has the fingerprint and the counts of the
job.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from ..components.settings import check_choice
from ..files.records import BadLine
from ..files.resume import lock_output
from .formats.formats import DIALECTS, JSONL, SUFFIXES, check_suffix, find_encoding
from .input.documents import Document, ReadSettings
from .input.listing import JSONL as JSONL_FORMAT
from .input.listing import TEXT
from .input.readers import DocumentBatch, DocumentReader, make_batches
from .input.sources import Source, find_sources
from .output import JobOutput, Summary
from .resume import fingerprint_job, open_output
from .work.local import one_thread, work_on_batches
from .work.work_settings import WorkSettings
from .work.worker import Result, Worker

LOCAL, RAY = "local", "ray"
SHARD_SIZE = 4_000_000

# Called while a job runs, with (bytes of the inputs done, bytes in total, records so far).
OnProgress: TypeAlias = Callable[[int, int, int], object]


@dataclass(frozen=True)
class JobSettings:
    """Settings of a job.

    inputs: Files, folders, globs; "-" is standard input. output: See `find_suffix`.
    format, refs: As in `find_sources`.
    n_process: Number of processes. None = only this process; with Ray, one worker for each core, or
        GPU, of the cluster.
    folder_suffix: Suffix of the files of an output folder, which sets their format.
    shard_size: Characters of text per shard, which is about the work lost when the job is killed.
    overwrite: Delete an existing output, of this or another job.
    """

    inputs: Sequence[str]
    output: str
    work: WorkSettings = field(default_factory=WorkSettings)
    read: ReadSettings = field(default_factory=ReadSettings)
    format: str | None = None
    refs: Sequence[str] = ()
    engine: str = LOCAL
    n_process: int | None = None
    ray_gpus: float = 0
    folder_suffix: str = JSONL
    shard_size: int = SHARD_SIZE
    overwrite: bool = False

    def __post_init__(self) -> None:
        check_choice("engine", self.engine, (LOCAL, RAY))
        check_choice("folder_suffix", self.folder_suffix, SUFFIXES)
        read = self.read._replace(pairs=self.work.of_task.is_of_pairs)
        object.__setattr__(self, "read", read)


def run_job(settings: JobSettings, *, on_progress: OnProgress = lambda *_: None) -> Summary:
    """Run a job, or resume it where it was interrupted. Nothing happens if it is already done.

    on_progress: Called with (bytes of the inputs done, bytes in total, records). The first call is
        when the pipeline is loaded, or when an earlier run had finished all shards.

    Raises ValueError if the output, or a part of it, belongs to another job: one with other or
    changed inputs, another pipeline or other settings. Raises ValueError and OSError for errors of
    an input file or the disk; finished shards are kept then.
    """
    # This also covers the import of numpy, which reads its number of threads only once. With more
    # threads the last digits of scores would depend on the number of processes.
    with one_thread():
        output = JobOutput(settings.output, settings.folder_suffix, task=settings.work.task)
        check_suffix(output.suffix, keep=settings.work.keep, export=settings.work.export)
        encoding = find_encoding(output.suffix)
        gpu_id = 0 if settings.engine == RAY and settings.ray_gpus else settings.work.gpu_id
        # A table row without its text is hard to read. Words always have their text.
        is_table = encoding in DIALECTS and settings.work.of_task.has_text
        with_text = settings.work.with_text or is_table
        work = replace(settings.work, encoding=encoding, with_text=with_text, gpu_id=gpu_id)
        settings = replace(settings, work=work)
        sources = _find_sources(settings, exclude=output.list_paths())
        key = fingerprint_job(
            sources, work, settings.read, suffix=output.suffix, size=settings.shard_size
        )
        with lock_output(output.name):
            done = open_output(output, key, sources, overwrite=settings.overwrite)
            if done is not None:
                summary = Summary(**done["summary"])
                output.job.store.clear()  # in case the job was killed while deleting it
                return summary._replace(n_shards_before=summary.n_shards)
            n_before = len(output.shards)
            with closing(_work(settings, sources, output, on_progress)) as finished:
                output.write_shards(finished)
            output.read_shards()
            if output.end.source < len(sources):
                raise ValueError(
                    f"Shards in {output.job.path} were deleted or changed while the job ran. Run "
                    "the same command again."
                )
            return output.finish(key, n_before=n_before)


def stream_records(
    settings: JobSettings,
) -> Iterator[tuple[Document | None, dict[str, Any] | BadLine]]:
    """Run a job in this process without an output file, and yield its records and errors.

    YIELDS: (document, its record) or (document or None, its error).
    """
    worker = Worker(settings.work)
    reader = DocumentReader(_find_sources(settings), settings.read)
    for batch in make_batches(reader, shard_size=settings.shard_size):
        yield from ((None, bad) for bad in batch.bad)
        yield from zip(batch.documents, worker.make_records(batch.documents), strict=True)


def _find_sources(settings: JobSettings, exclude: Sequence[str] = ()) -> list[Source]:
    return find_sources(
        settings.inputs,
        format=settings.format,
        default=JSONL_FORMAT if settings.read.pairs else TEXT,
        refs=settings.refs,
        exclude=exclude,
    )


def _work(
    settings: JobSettings, sources: Sequence[Source], output: JobOutput, on_progress: OnProgress
) -> Generator[tuple[DocumentBatch, Result], None, None]:
    """Run the engine on the remaining batches, report progress, and yield the results in order."""
    reader = DocumentReader(sources, settings.read, output.end)
    n_records = sum(shard.summary.n_records for shard in output.shards)
    on_ready = partial(on_progress, reader.n_stored, reader.n_total, n_records)
    if output.end.source == len(sources):
        on_ready()
        return
    batches = make_batches(reader, shard_size=settings.shard_size)
    if settings.engine == RAY:
        from .work.ray_engine import work_on_ray

        finished = work_on_ray(
            batches,
            settings.work,
            n_actors=settings.n_process,
            num_gpus=settings.ray_gpus,
            on_ready=on_ready,
        )
    else:
        n_process = settings.n_process or 1
        finished = work_on_batches(batches, settings.work, n_process=n_process, on_ready=on_ready)
    with closing(finished):
        for batch, result in finished:
            n_records += result.n_records
            on_progress(batch.n_stored, reader.n_total, n_records)
            yield batch, result

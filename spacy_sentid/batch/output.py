"""Write the records of a job: shards, each with a manifest, then one file or a folder.

batches with their results -> OUT.job/0000000-00000.jsonl, then 0000000-00000.json -> OUT

A shard counts when its manifest is there, which is written last. A job that is resumed does the
shards that have none.
"""

import gzip
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any, NamedTuple

from ..files.records import BadLine
from ..files.resume import JobFolder
from ..files.store import import_extra, open_store
from .batches import DocumentBatch
from .worker import Result

JSONL, PARQUET, ERRORS = ".jsonl", ".parquet", ".errors.jsonl"
# A file of each may follow another: the result is a file of the same kind.
SUFFIXES = (JSONL, ".jsonl.gz", ".jsonl.zst", PARQUET)
SHARD_NAME = re.compile(r"\d+-\d+\.")


def find_suffix(name: str) -> str | None:
    """Find how an output is written by its name; None for a folder.

    Raises ValueError for another suffix.

    >>> find_suffix("out.jsonl"), find_suffix("out.jsonl.gz"), find_suffix("out/")
    ('.jsonl', '.jsonl.gz', None)
    """
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return suffix
    last = name.rsplit("/", 1)[-1]
    if "." in last.lstrip("."):
        raise ValueError(
            f"The output must end in {', '.join(SUFFIXES)}, or be a folder, which ends in '/', got "
            f"{name!r}."
        )
    return None


def encode_shard(parts: Sequence[bytes], suffix: str, schema: Any) -> bytes:
    """Make the bytes of a file from those of workers; the same records give the same bytes.

    parts: Lines of JSON; with a schema, for Parquet, Arrow streams.
    """
    if suffix == PARQUET:
        pa, parquet = import_extra("pyarrow"), import_extra("pyarrow.parquet")
        tables = [pa.ipc.open_stream(part).read_all() for part in parts]
        stream = pa.BufferOutputStream()
        table = pa.concat_tables([schema.empty_table(), *tables]).combine_chunks()
        parquet.write_table(table, stream, compression="zstd")
        data: bytes = stream.getvalue().to_pybytes()
        return data
    lines = b"".join(parts)
    if suffix == ".jsonl.gz":
        return gzip.compress(lines, mtime=0)
    if suffix == ".jsonl.zst":
        compressed: bytes = import_extra("zstandard").ZstdCompressor().compress(lines)
        return compressed
    return lines


def merge_files(files: Iterable[IO[bytes]], output: IO[bytes], suffix: str, schema: Any) -> None:
    """Write the contents of files one after the other; only one is read at a time."""
    if suffix != PARQUET:
        for file in files:
            with file:
                shutil.copyfileobj(file, output, 1 << 20)
        return
    parquet = import_extra("pyarrow.parquet")
    with parquet.ParquetWriter(output, schema, compression="zstd") as writer:
        for file in files:
            with file:
                writer.write_table(parquet.read_table(file))


class ShardInfo(NamedTuple):
    """The manifest of a shard."""

    split: int
    shard: int
    ends_split: bool
    n_records: int
    n_errors: int
    n_chars: int
    n_bytes: int  # of its file
    sums: list[float]  # of the task "scores": P, R, F of its records
    peak_bytes: int  # most memory of a worker so far
    counts: dict[str, int]  # see DocumentBatch

    @property
    def name(self) -> str:
        """Its name, without a suffix; names are in the order of the input."""
        return f"{self.split:07}-{self.shard:05}"


class ShardFolder:
    """Where the shards of a job are.

    output: Of the job. OUT.job/ has manifests, errors, and records that are merged in the end.
    is_folder: The output is a folder, which holds the records from the start.
    suffix: How records are written. schema: For Parquet.
    """

    def __init__(
        self, output: str, *, is_folder: bool = False, suffix: str = JSONL, schema: Any = None
    ) -> None:
        self.job = JobFolder(output)
        self.data = open_store(output) if is_folder else self.job.store
        self.prefix = "part-" if is_folder else ""
        self.suffix = suffix
        self.schema = schema

    def data_name(self, info: ShardInfo) -> str:
        """Name the file of a shard's records."""
        return f"{self.prefix}{info.name}{self.suffix}"

    def write(self, info: ShardInfo, parts: Sequence[bytes], errors: list[BadLine]) -> ShardInfo:
        """Write a shard, its manifest last."""
        data = encode_shard(parts, self.suffix, self.schema)
        info = info._replace(n_bytes=len(data))
        self.data.write(self.data_name(info), [data])
        if errors:
            rows = [json.dumps(error._asdict()).encode("ascii") + b"\n" for error in errors]
            self.job.store.write(info.name + ERRORS, rows)
        self.job.write(info.name, info._asdict())
        return info

    def read_manifests(self) -> list[ShardInfo]:
        """Read what is finished, in the order of the input.

        A shard counts if its records are there as they were written, and all shards before it are:
        what was deleted or damaged is done again, with all after it.
        """
        sizes = self.data.sizes()
        found: list[ShardInfo] = []
        infos = map(self._read_info, self.job.entry_names())
        for info in sorted(info for info in infos if info is not None):
            is_next = (info.split, info.shard) == find_resume_point(found)
            if not is_next or sizes.get(self.data_name(info)) != info.n_bytes:
                break
            found.append(info)
        return found

    def _read_info(self, name: str) -> ShardInfo | None:
        try:
            return ShardInfo(**(self.job.read(name) or {}))
        except TypeError:  # missing or damaged
            return None

    def delete_stale(self, shards: Iterable[ShardInfo]) -> None:
        """Delete all other shards: of an earlier job, damaged, or not written to their end."""
        shards = list(shards)
        counted = {info.name for info in shards}
        for name in self.job.entry_names():
            if name not in counted:
                self.job.store.delete(f"{name}.json")
        keep = {self.data_name(info) for info in shards}
        for name in self.data.names(partial=True) if self.prefix else ():
            if SHARD_NAME.match(name.removeprefix(self.prefix)) and name not in keep:
                self.data.delete(name)


def find_resume_point(shards: Sequence[ShardInfo]) -> tuple[int, int]:
    """Find the split and the shard that come after finished ones."""
    if not shards:
        return 0, 0
    last = shards[-1]
    return (last.split + 1, 0) if last.ends_split else (last.split, last.shard + 1)


def write_shards(
    finished: Iterable[tuple[DocumentBatch, Result]], folder: ShardFolder
) -> Iterator[ShardInfo]:
    """Write batches, which come in their order, as shards."""
    parts: list[bytes] = []
    errors: list[BadLine] = []
    n_records = n_chars = peak = 0
    sums: list[float] = []
    for batch, result in finished:
        parts.append(result.data)
        errors += batch.bad + result.errors
        n_records += result.n_records
        n_chars += batch.n_chars
        sums = [a + b for a, b in zip(sums or [0.0] * len(result.sums), result.sums, strict=True)]
        peak = max(peak, result.peak_bytes)
        if batch.ends_shard:
            info = ShardInfo(
                batch.split, batch.shard, batch.ends_split,
                n_records, len(errors), n_chars, 0, sums, peak, batch.counts,
            )  # fmt: skip
            yield folder.write(info, parts, errors)
            parts, errors, sums = [], [], []
            n_records = n_chars = 0

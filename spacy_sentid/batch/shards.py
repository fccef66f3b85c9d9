"""Shards: finished pieces of the output, each with a manifest, in the folder of a job.

parcels with their results -> OUT.job/00000-000.jsonl, then 00000-000.json -> one file, or a folder

A shard counts when its manifest is there, which is written last. The manifest tells where its
input ended, so that a job goes on behind it.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..files.records import BadLine
from .encoding import encode_lines
from .parcels import Parcel, Start
from .reading import Position
from .store import Store, open_store
from .work import Result

MANIFEST, ERRORS = ".json", ".errors.jsonl"
SHARD_NAME = re.compile(r"\d+-\d+\.")


class ShardInfo(NamedTuple):
    """The manifest of a shard."""

    split: int
    shard: int
    ends_split: bool
    after: Position
    n_records: int
    n_errors: int
    n_chars: int
    n_bytes: int  # of its file
    peak_bytes: int  # most memory of a worker so far

    @property
    def name(self) -> str:
        """Its name, without a suffix."""
        return shard_name(self.split, self.shard)


def shard_name(split: int, shard: int) -> str:
    """Name a shard; names are in the order of the input.

    >>> shard_name(3, 12)
    '0000003-00012'
    """
    return f"{split:07}-{shard:05}"


class ShardFolder:
    """Where the shards of a job are.

    job: Folder of the job: manifests, errors, and records that are merged in the end.
    data: Folder that stays, if the output is one; None = as `job`.
    suffix: How records are written; see `encoding`. schema: for Parquet.
    """

    def __init__(self, job: str, *, data: str | None, suffix: str, schema: Any = None) -> None:
        self.job: Store = open_store(job)
        self.data: Store = self.job if data is None else open_store(data)
        self.prefix = "" if data is None else "part-"
        self.suffix = suffix
        self.schema = schema

    def data_name(self, info: ShardInfo) -> str:
        """Name the file of a shard's records."""
        return f"{self.prefix}{info.name}{self.suffix}"

    def write(self, info: ShardInfo, lines: bytes, errors: list[BadLine]) -> ShardInfo:
        """Write a shard, its manifest last."""
        data = encode_lines(lines, self.suffix, self.schema)
        info = info._replace(n_bytes=len(data))
        self.data.write(self.data_name(info), data)
        if errors:
            rows = [json.dumps(error._asdict()) + "\n" for error in errors]
            self.job.write(info.name + ERRORS, "".join(rows).encode("ascii"))
        self.job.write(info.name + MANIFEST, json.dumps(info._asdict()).encode("ascii"))
        return info

    def read_manifests(self) -> list[ShardInfo]:
        """Read what is finished, in the order of the input.

        A shard counts if its records are there as they were written, and all shards of its split
        before it are: what is deleted or damaged is done anew.
        """
        sizes = self.data.sizes()
        names = [name for name in self.job.names() if is_manifest(name)]
        found: list[ShardInfo] = []
        for info in sorted(filter(None, (read_info(self.job.read(name)) for name in names))):
            expected = 0
            if found and found[-1].split == info.split:
                expected = found[-1].shard + 1
            if info.shard == expected and sizes.get(self.data_name(info)) == info.n_bytes:
                found.append(info)
        return found

    def read_manifest(self, split: int, shard: int) -> ShardInfo | None:
        """Read what is told of a shard; None if it is not finished, or damaged."""
        return read_info(self.job.read(shard_name(split, shard) + MANIFEST))

    def sweep(self, shards: Iterable[ShardInfo]) -> None:
        """Delete all other shards: of an earlier job, damaged, or not written to their end."""
        shards = list(shards)
        counted = {info.name + MANIFEST for info in shards}
        for name in filter(is_manifest, self.job.names()):
            if name not in counted:
                self.job.delete(name)
        keep = {self.data_name(info) for info in shards}
        for name in self.data.names(partial=True) if self.prefix else ():
            if SHARD_NAME.match(name.removeprefix(self.prefix)) and name not in keep:
                self.data.delete(name)


def is_manifest(name: str) -> bool:
    """Tell the manifest of a shard by its name.

    >>> is_manifest("0000003-00012.json"), is_manifest("plan.json")
    (True, False)
    """
    return name.endswith(MANIFEST) and SHARD_NAME.match(name) is not None


def read_info(data: bytes | None) -> ShardInfo | None:
    """Read a manifest; None if it is damaged."""
    try:
        row = json.loads(data or b"")
        return ShardInfo(**{**row, "after": Position(*row["after"])})
    except (ValueError, TypeError, KeyError):
        return None


def find_starts(manifests: Iterable[ShardInfo]) -> tuple[set[int], dict[int, Start]]:
    """Find the splits that are done, and where to go on in those that were begun."""
    done: set[int] = set()
    begun: dict[int, Start] = {}
    for info in manifests:  # in order, so that the last of a split counts
        if info.ends_split:
            done.add(info.split)
            begun.pop(info.split, None)
        else:
            begun[info.split] = Start(info.after, info.shard + 1)
    return done, begun


def write_shards(
    finished: Iterable[tuple[Parcel, Result]], folder: ShardFolder
) -> Iterator[ShardInfo]:
    """Write parcels, which come in their order, as shards."""
    lines: list[bytes] = []
    errors: list[BadLine] = []
    n_records = n_chars = peak = 0
    for parcel, result in finished:
        lines.append(result.lines)
        errors += parcel.bad + result.errors
        n_records += result.n_records
        n_chars += parcel.n_chars
        peak = max(peak, result.peak_bytes)
        if parcel.ends_shard:
            info = ShardInfo(
                parcel.split, parcel.shard, parcel.ends_split, parcel.after,
                n_records, len(errors), n_chars, 0, peak,
            )  # fmt: skip
            yield folder.write(info, b"".join(lines), errors)
            lines, errors = [], []
            n_records = n_chars = 0

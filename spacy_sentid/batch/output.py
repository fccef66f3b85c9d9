"""The output of a job: shards while the job runs, then a file or folder with a manifest.

batches with their results -> shards in OUT.job/ -> OUT, OUT.errors.jsonl, OUT.manifest.json

The entry of a shard in OUT.job/ is written last. A shard without an entry is ignored. A resumed job
continues after the last shard.
"""

import glob
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..files.atomic import PARTIAL, open_binary_output
from ..files.records import BadLine
from ..files.resume import JobFolder, entry_name
from ..files.store import is_url, open_store
from .formats.formats import JSON, JSONL, encode_header, encode_shard, find_suffix, merge_files
from .input.documents import add_counts
from .input.readers import START, DocumentBatch, ResumePoint
from .tasks import UNITS
from .work.worker import Result

SHARD_NAME = re.compile(r"part-\d{8}\.(jsonl|json|csv|tsv|parquet)")


class Summary(NamedTuple):
    """Counts of the work of a job, or of a part of it."""

    n_records: int
    n_errors: int
    n_chars: int
    sums: list[float]  # see `Task.count`
    first_error: str  # its place and reason; "" without errors
    left_out: dict[str, int]  # counts of items that were skipped when text was extracted
    n_shards: int = 0
    n_shards_before: int = 0  # how many of them an earlier run had finished
    errors: str | None = None  # file of errors, if there are any


def sum_up(parts: Sequence[Summary]) -> Summary:
    """Sum the counts of the parts of a job."""
    return Summary(
        n_records=sum(part.n_records for part in parts),
        n_errors=sum(part.n_errors for part in parts),
        n_chars=sum(part.n_chars for part in parts),
        sums=[sum(sums) for sums in zip(*(part.sums for part in parts), strict=True)],
        first_error=next((part.first_error for part in parts if part.first_error), ""),
        left_out=add_counts(part.left_out for part in parts),
    )


class Shard(NamedTuple):
    """A finished shard."""

    summary: Summary
    n_bytes: int  # size of its records as written
    end: ResumePoint  # where the next one begins


class JobOutput:
    """The output of a job: a file, or a folder of shards.

    The shards of an output file are in OUT.job/ until they are merged. Those of an output folder
    are written to the folder, and are not merged.

    output: File or folder. suffix: Suffix of the files of a folder, which sets their format.
    task: Task of the records, which sets the columns of tables.

    Raises ValueError if the output cannot be written.
    """

    def __init__(self, output: str, suffix: str = JSONL, *, task: str = UNITS) -> None:
        own = find_suffix(output)
        if own is not None and is_url(output):
            raise ValueError(
                "An output on a remote file system must be a folder, whose name ends in '/', got "
                f"{output!r}."
            )
        if own is not None and Path(output).is_dir():
            raise ValueError(
                f"The output must be a file, got the folder {output!r}. Name another output, or "
                "end the name of an output folder with '/'."
            )
        self.path = output
        self.name = output.rstrip("/")
        self.suffix = own or suffix
        self.header = encode_header(self.suffix, task)
        self.is_folder = own is None
        # Arrays cannot be concatenated, so the shards of an array are JSON lines.
        self.shard_suffix = JSONL if own == JSON else self.suffix
        self.job = JobFolder(self.name)
        self.data = open_store(output) if self.is_folder else self.job.store
        self.prefix = "part-" if self.is_folder else ""
        folder, _, base = self.name.rpartition("/")
        self.parent = open_store(folder or ("/" if output.startswith("/") else "."))
        self.manifest_name = f"{base}.manifest.json"
        self.errors_name = f"{base}.errors.jsonl"
        self.shards: list[Shard] = []

    @property
    def end(self) -> ResumePoint:
        """The place in the sources where the next shard begins."""
        return self.shards[-1].end if self.shards else START

    def list_paths(self) -> list[str]:
        """List the paths that a job writes to, with the partial files of a killed job."""
        ends = ("", ".job", ".manifest.json", ".errors.jsonl", ".job.lock")
        paths = [f"{self.name}{end}" for end in ends]
        return paths + glob.glob(f"{glob.escape(self.name)}*{PARTIAL}")

    def count_bytes(self) -> int | None:
        """Count the bytes of the output file, or of all files of a folder; None without files."""
        if not is_url(self.path) and Path(self.path).is_file():
            return Path(self.path).stat().st_size
        sizes = open_store(self.path).sizes()
        return sum(sizes.values()) if sizes else None

    def _data_name(self, number: int) -> str:
        return f"{self.prefix}{entry_name(number)}{self.shard_suffix}"

    def read_shards(self) -> None:
        """Read which shards are finished, and delete all others.

        A shard counts if its file has the size that was written, and all shards before it count.
        A shard that was deleted or damaged is written again, with all shards after it.
        """
        self.shards = []
        names = self.job.entry_names()
        sizes = self.data.sizes()
        for number, name in enumerate(names):
            entry = self.job.read(name) or {}
            is_whole = sizes.get(self._data_name(number)) == entry.get("n_bytes", -1)
            if name != entry_name(number) or not is_whole:
                break
            summary, n_bytes, end = (entry[field] for field in Shard._fields)
            self.shards.append(Shard(Summary(*summary), n_bytes, ResumePoint(*end)))
        for name in names[len(self.shards) :]:
            self.job.store.delete(f"{name}.json")
        counted = {self._data_name(number) for number in range(len(self.shards))}
        for name in self.data.names(partial=True) if self.is_folder else ():
            if SHARD_NAME.match(name) and name not in counted:
                self.data.delete(name)

    def write_shards(self, finished: Iterable[tuple[DocumentBatch, Result]]) -> None:
        """Write batches as shards. The batches must come in their order."""
        parts: list[Any] = []
        errors: list[BadLine] = []
        done: list[Summary] = []
        for batch, result in finished:
            bad = batch.bad + result.errors
            first_error = ": ".join(bad[0]) if bad else ""
            counts = result.n_records, len(bad), batch.n_chars, result.sums
            done.append(Summary(*counts, first_error, batch.left_out))
            parts.append(result.data)
            errors += bad
            if batch.end is not None:
                number = len(self.shards)
                # The shards of a file are concatenated, so only the first one has a header.
                has_header = self.header and (self.is_folder or number == 0)
                rows = [self.header, *parts] if has_header else parts
                data = encode_shard(rows, self.shard_suffix)
                self.data.write(self._data_name(number), [data])
                shard = Shard(sum_up(done), len(data), batch.end)
                self.job.write(entry_name(number), {**shard._asdict(), "errors": errors})
                self.shards.append(shard)
                parts, errors, done = [], [], []

    def finish(self, key: dict[str, Any], *, n_before: int) -> Summary:
        """Merge the shards, write the manifest, delete the shards.

        key: Fingerprint of the job. n_before: Number of shards that an earlier run had finished.
        """
        shards = self.shards
        if not self.is_folder:
            with open_binary_output(Path(self.path)) as file:
                names = map(self._data_name, range(len(shards)))
                merge_files(map(self.data.open, names), file, self.suffix)
        summary = sum_up([shard.summary for shard in shards])
        summary = summary._replace(n_shards=len(shards), n_shards_before=n_before)
        if summary.n_errors:
            entries = (self.job.read(entry_name(number)) or {} for number in range(len(shards)))
            errors = (BadLine(*error) for entry in entries for error in entry["errors"])
            rows = (json.dumps(bad._asdict()).encode("ascii") + b"\n" for bad in errors)
            self.parent.write(self.errors_name, rows)
            summary = summary._replace(errors=f"{self.name}.errors.jsonl")
        else:
            self.parent.delete(self.errors_name)
        manifest = {"job": key, "n_bytes": self.count_bytes(), "summary": summary._asdict()}
        self.parent.write(self.manifest_name, [json.dumps(manifest, indent=2).encode() + b"\n"])
        self.job.store.clear()
        return summary

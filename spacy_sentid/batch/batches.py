"""Put documents into batches, each for a worker, and the batches into shards.

Where batches and shards end depends on the input alone, so that a job that is resumed makes the
same.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ..files.records import BadLine
from .documents import Document
from .readers import DocumentReader, ResumePoint

# A batch takes a worker a third of a second or so: long against sending it, short to wait for.
BATCH_CHARS = 100_000
BATCH_RECORDS = 2_000


class DocumentBatch(NamedTuple):
    """Documents that a worker gets at once."""

    documents: list[Document]
    bad: list[BadLine]
    n_chars: int
    n_stored: int  # bytes of the inputs read so far, as stored, for progress
    end: ResumePoint | None  # of the last batch of a shard: where the next one begins


def make_batches(reader: DocumentReader, *, shard_size: int) -> Iterator[DocumentBatch]:
    """Read documents in batches.

    shard_size: A shard ends when it has so many characters.
    YIELDS: At least one batch; the last one may be empty.
    """
    if shard_size < 1:
        raise ValueError(f"The size of a shard must be at least 1 character, got {shard_size}.")
    batch_size = min(BATCH_CHARS, shard_size)
    documents: list[Document] = []
    bad: list[BadLine] = []
    n_chars = shard_chars = n_stored = 0
    full: tuple[int, ResumePoint] | None = None
    for found in reader:
        # Only when there is more: the last batch is the one that ends the job.
        if full is not None:
            n_stored, point = full
            shard_chars += max(n_chars, batch_size)  # many short records are a full batch too
            ends_shard = shard_chars >= shard_size
            yield DocumentBatch(documents, bad, n_chars, n_stored, point if ends_shard else None)
            documents, bad, n_chars, full = [], [], 0, None
            if ends_shard:
                shard_chars = 0
        if isinstance(found, BadLine):
            bad.append(found)
        else:
            documents.append(found)
            n_chars += found.n_chars
        if n_chars >= batch_size or len(documents) + len(bad) >= BATCH_RECORDS:
            full = max(n_stored, reader.n_stored), reader.resume_point
    yield DocumentBatch(documents, bad, n_chars, reader.n_stored, reader.resume_point)

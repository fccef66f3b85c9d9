"""Put the documents of a split into batches, each for a worker, and the batches into shards.

Where batches and shards end depends on the input alone, so that a job that is resumed makes the
same.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ..files.records import BadLine
from .documents import Document, ReadSettings
from .readers import SplitReader
from .split import InputSplit

# A batch takes a worker a third of a second or so: long against sending it, short to wait for.
BATCH_CHARS = 100_000
BATCH_RECORDS = 2_000


class DocumentBatch(NamedTuple):
    """Documents that a worker gets at once."""

    split: int
    shard: int
    documents: list[Document]
    bad: list[BadLine]
    n_stored: int  # bytes of the split read so far, as stored, for progress
    n_chars: int
    ends_shard: bool
    ends_split: bool
    counts: dict[str, int]  # at the end of a split: lines so far of a file that goes on


def make_batches(
    split: InputSplit,
    settings: ReadSettings,
    *,
    shard_size: int,
    counts: dict[str, int],
    first_shard: int = 0,
) -> Iterator[DocumentBatch]:
    """Read a split in batches.

    shard_size: A shard ends when it has so many characters; small splits are one shard.
    counts: As in `SplitReader`; of the first split that is read, what the split before it has.
    first_shard: Where to resume: what is in the shards before is read, and skipped.
    YIELDS: At least one batch; the last ends the split, and may be empty.
    """
    batch_size = min(BATCH_CHARS, shard_size)
    documents: list[Document] = []
    bad: list[BadLine] = []
    shard = n_stored = n_chars = shard_chars = 0
    reader = SplitReader(split, settings, counts)
    for found in reader:
        # Only when there is more: the last batch is the one that ends the split.
        if n_chars >= batch_size or len(documents) + len(bad) >= BATCH_RECORDS:
            shard_chars += max(n_chars, batch_size)  # many short records are a full batch too
            ends = shard_chars >= shard_size
            if shard >= first_shard:
                yield DocumentBatch(
                    split.number, shard, documents, bad, n_stored, n_chars, ends, False, {}
                )
            documents, bad, n_chars = [], [], 0
            if ends:
                shard, shard_chars = shard + 1, 0
        if isinstance(found, BadLine):
            bad.append(found)
        else:
            documents.append(found)
            n_chars += count_characters(found)
        n_stored = reader.n_stored
    yield DocumentBatch(
        split.number, shard, documents, bad, split.size, n_chars, True, True, dict(counts)
    )


def count_characters(document: Document) -> int:
    """Count the characters of a document, in a pair those of all its texts."""
    return len(document.text) + sum(map(len, document.refs or ()))

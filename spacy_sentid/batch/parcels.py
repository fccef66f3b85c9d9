"""Put the documents of a split into parcels, each for a worker, and the parcels into shards.

entries of a split -> parcels; the last parcel of a shard, and of the split, says so

Where parcels and shards end depends on the input alone, so that a job that goes on makes the same.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ..files.records import BadLine
from .plan import Split
from .reading import Document, Position, ReadSettings, read_split

# A parcel takes a worker a third of a second or so: long against sending it, short to wait for.
PARCEL_CHARS = 100_000
PARCEL_RECORDS = 2_000


class Start(NamedTuple):
    """Where to go on in a split."""

    position: Position
    shard: int  # number of the next shard


class Parcel(NamedTuple):
    """Documents that a worker gets at once."""

    split: int
    shard: int
    documents: list[Document]
    bad: list[BadLine]
    after: Position  # where the next parcel begins
    stored: int  # bytes of the split read so far, as stored, for progress
    n_chars: int
    ends_shard: bool
    ends_split: bool


def make_parcels(
    split: Split, settings: ReadSettings, *, shard_size: int, start: Start | None = None
) -> Iterator[Parcel]:
    """Read a split in parcels.

    shard_size: A shard ends when it has so many characters; small splits are one shard.
    YIELDS: At least one parcel; the last ends the split, and may be empty.
    """
    position, shard = start if start is not None else (Position(), 0)
    parcel_size = min(PARCEL_CHARS, shard_size)
    documents: list[Document] = []
    bad: list[BadLine] = []
    stored = n_chars = shard_chars = 0
    for entry in read_split(split, settings, start=position):
        # Only when there is more: the last parcel is the one that ends the split.
        if n_chars >= parcel_size or len(documents) + len(bad) >= PARCEL_RECORDS:
            shard_chars += max(n_chars, parcel_size)  # many short records are a full parcel too
            ends = shard_chars >= shard_size
            yield Parcel(
                split.number, shard, documents, bad, position, stored, n_chars,
                ends_shard=ends, ends_split=False,
            )  # fmt: skip
            documents, bad, n_chars = [], [], 0
            if ends:
                shard, shard_chars = shard + 1, 0
        if isinstance(entry.document, BadLine):
            bad.append(entry.document)
        else:
            documents.append(entry.document)
            n_chars += count_characters(entry.document)
        position, stored = entry.after, entry.stored
    yield Parcel(
        split.number, shard, documents, bad, position, stored, n_chars,
        ends_shard=True, ends_split=True,
    )  # fmt: skip


def count_characters(document: Document) -> int:
    """Count the characters of a document, in a pair those of all its texts."""
    return len(document.text) + sum(map(len, document.refs or ()))

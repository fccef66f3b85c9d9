"""Small files, and reading them, for the tests of batch reading."""

from pathlib import Path
from typing import Any

from spacy_sentid.batch.plan import Piece, Split, number_lines, plan_splits
from spacy_sentid.batch.reading import Document, Entry, ReadSettings, read_split
from spacy_sentid.batch.sources import find_sources
from spacy_sentid.files.records import BadLine


def one_split(path: Path, **settings: Any) -> Split:
    """Plan a file as one piece."""
    [source] = find_sources([str(path)], **settings)
    return Split(0, (Piece(source),))


def read_entries(path: Path, *, lines: bool = False, **settings: Any) -> list[Entry]:
    return list(read_split(one_split(path, lines=lines), ReadSettings(**settings)))


def read_pieces(path: Path, *, size: int, lines: bool = False, **settings: Any) -> list[Any]:
    """Read a file in splits of some size; what is read, without positions."""
    splits = number_lines(plan_splits(find_sources([str(path)], lines=lines), size=size))
    chosen = ReadSettings(**settings)
    return [entry.document for split in splits for entry in read_split(split, chosen)]


def read_file(path: Path, **settings: Any) -> list[Document | BadLine]:
    return [entry.document for entry in read_entries(path, **settings)]


def read_texts(path: Path, **settings: Any) -> list[str]:
    """Read the texts; of a bad record its reason."""
    found = read_file(path, **settings)
    return [each.reason if isinstance(each, BadLine) else each.text for each in found]


def check_resuming(split: Split, settings: ReadSettings) -> list[Entry]:
    """Assert that reading goes on behind each entry as it did; gives the entries."""
    entries = list(read_split(split, settings))
    for n, entry in enumerate(entries, start=1):
        rest = list(read_split(split, settings, start=entry.after))
        assert [each[:2] for each in rest] == [each[:2] for each in entries[n:]]
        if not any(piece.source.compression for piece in split.pieces):
            assert rest == entries[n:]
    return entries

"""Small files, and reading them, for the tests of batch reading."""

from pathlib import Path
from typing import Any

from spacy_sentid.batch.documents import Document, ReadSettings
from spacy_sentid.batch.inputs import find_sources
from spacy_sentid.batch.readers import SplitReader, read_documents
from spacy_sentid.batch.split import InputSplit, plan_splits
from spacy_sentid.files.records import BadLine


def read_split(
    split: InputSplit, settings: ReadSettings, counts: dict[str, int] | None = None
) -> list[Document | BadLine]:
    """Read a split."""
    return list(SplitReader(split, settings, {} if counts is None else counts))


def read_pieces(
    path: Path | str, *, size: int, lines: bool = False, **settings: Any
) -> list[Document | BadLine]:
    """Read a file in splits of some size."""
    splits = plan_splits(find_sources([str(path)], lines=lines), size=size)
    chosen = ReadSettings(**settings)
    counts: dict[str, int] = {}
    return [each for split in splits for each in read_split(split, chosen, counts)]


def read_file(path: Path, *, lines: bool = False, **settings: Any) -> list[Document | BadLine]:
    sources = find_sources([str(path)], lines=lines)
    return list(read_documents(sources, ReadSettings(**settings)))


def read_texts(path: Path, **settings: Any) -> list[str]:
    """Read the texts; of a bad record its reason."""
    found = read_file(path, **settings)
    return [each.reason if isinstance(each, BadLine) else each.text for each in found]

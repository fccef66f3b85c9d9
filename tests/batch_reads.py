"""Write and read small files for the tests of batch reading."""

from pathlib import Path
from typing import Any

from spacy_sentid.batch.input.documents import Document, ReadSettings
from spacy_sentid.batch.input.readers import START, DocumentReader
from spacy_sentid.batch.input.sources import find_sources
from spacy_sentid.files.records import BadLine


def read_resumed(
    path: Path | str, *, lines: bool = False, **settings: Any
) -> list[Document | BadLine]:
    """Read a file with a new reader for each document, starting at the previous resume point."""
    sources = find_sources([str(path)], format="lines" if lines else None)
    found: list[Document | BadLine] = []
    point = START
    while True:
        reader = DocumentReader(sources, ReadSettings(**settings), point)
        one = next(iter(reader), None)
        if one is None:
            return found
        found.append(one)
        point = reader.resume_point


def read_file(path: Path, *, lines: bool = False, **settings: Any) -> list[Document | BadLine]:
    sources = find_sources([str(path)], format="lines" if lines else None)
    return list(DocumentReader(sources, ReadSettings(**settings)))


def read_texts(path: Path, **settings: Any) -> list[str]:
    """Read the texts, and the reasons of bad records."""
    found = read_file(path, **settings)
    return [each.reason if isinstance(each, BadLine) else each.text for each in found]

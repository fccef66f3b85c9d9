"""Read the documents of sources, streaming; what is wrong with one is a BadLine.

sources -> documents, and the mark after each, where reading can go on

Offsets count code points of the text as it is in the file: line ends are not translated.
"""

import codecs
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import Any, NamedTuple

from ..files.records import BYTE_ORDER_MARK, BadLine
from .documents import NOT_UTF8, Document, ReadSettings, make_document, show
from .listing import CSV, JSONL, LINES, PARQUET, TEXT
from .long_texts import find_cut
from .sources import Source, SourceFile, open_source
from .tables import read_csv, read_parquet

CHUNK_BYTES = 1 << 20
LINE_ENDS = ("\n", "", "\r\n")


class Mark(NamedTuple):
    """A place in the sources where reading can go on."""

    source: int = 0  # number of the source
    number: int = 0  # of its lines, rows or documents that are before
    n_bytes: int = 0  # of its lines that are before


START = Mark()


class DocumentReader:
    """Iterates over the documents of sources in order, and says how far it is.

    mark: Where to begin. What is before it in the same source is read again and skipped, except in
        lines that are not compressed and in whole row groups of Parquet.

    Raises ValueError for an error of a file: broken or truncated compression, no such column, a
    quote that is not closed; OSError.
    """

    def __init__(
        self, sources: Sequence[Source], settings: ReadSettings, mark: Mark = START
    ) -> None:
        self.sources = sources
        self.settings = settings
        self.n_total = sum(source.size for source in sources)
        self._source, self._number, self._n_bytes = mark
        self._n_before = sum(source.size for source in sources[: mark.source])
        self._file: SourceFile | None = None

    @property
    def mark(self) -> Mark:
        """The place of the next document."""
        return Mark(self._source, self._number, self._n_bytes)

    @property
    def n_stored(self) -> int:
        """Bytes as stored that were read so far; standard input counts only if it is alone."""
        n_bytes = self._file.n_stored if self._file is not None else self._n_bytes
        if n_bytes and self.n_total:
            n_bytes = min(n_bytes, self.sources[self._source].size)
        return self._n_before + n_bytes

    def __iter__(self) -> Iterator[Document | BadLine]:
        for source in self.sources[self._source :]:
            if self.settings.pairs and source.format in (TEXT, LINES):
                raise ValueError(
                    f"{source.path}: pairs must be .jsonl, .csv or .parquet with 'hyp' and 'ref', "
                    "got a text."
                )
            is_lines = source.format in (LINES, JSONL)
            can_seek = is_lines and source.size > 0 and not source.compression
            with open_source(source, start=self._n_bytes if can_seek else 0) as file:
                self._file = file
                if is_lines:
                    n_skip = 0 if can_seek else self._number
                    yield from self._read_lines(file, source, n_skip=n_skip)
                else:
                    for found in self._read(file, source):
                        self._number += 1
                        yield found
            self._file = None
            self._n_before += source.size
            self._source, self._number, self._n_bytes = self._source + 1, 0, 0

    def _read_lines(
        self, file: SourceFile, source: Source, *, n_skip: int
    ) -> Iterator[Document | BadLine]:
        """Read lines, or JSON lines."""
        is_json = source.format == JSONL
        parse = _parse_json_line if is_json else _parse_text_line
        for raw in islice(file, n_skip, None):
            self._number += 1
            self._n_bytes += len(raw)
            if self._number == 1 and is_json:
                raw = raw.removeprefix(BYTE_ORDER_MARK.encode())
            document = parse(raw, f"{source.path}:{self._number}", self.settings)
            if document is not None:
                yield document

    def _read(self, file: SourceFile, source: Source) -> Iterator[Document | BadLine]:
        """Read what is not lines, from the mark on."""
        settings = self.settings
        if source.format == PARQUET:
            return read_parquet(file, source.path, settings, first=self._number)
        if source.format == CSV:
            found = read_csv(file, source.path, settings)
        elif source.format == TEXT:
            found = read_text(file, source.path, settings.part_chars)
        else:
            found = read_parallel(file, source)
        return islice(found, self._number, None)


def read_text(file: SourceFile, path: str, size: int) -> Iterator[Document | BadLine]:
    """Read a text file, as one document, or in parts of at most `size` characters.

    A part with bytes that are not UTF-8 is a BadLine; each such byte counts as a character.
    """
    decoder = codecs.getincrementaldecoder("utf8")("surrogateescape")
    buffer, at_end = "", False
    line = char = part = 0
    while True:
        # One more character tells whether the text goes on.
        while not at_end and len(buffer) <= size:
            data = file.read(max(size + 1 - len(buffer), CHUNK_BYTES))
            at_end = not data
            buffer += decoder.decode(data, final=at_end)
        if part and not buffer:
            return
        is_whole = not part and len(buffer) <= size
        cut = find_cut(buffer, size)
        text, buffer = buffer[:cut], buffer[cut:]
        try:
            text.encode("utf8")
        except UnicodeEncodeError as error:
            place = f"{path}:{line + text.count(chr(10), 0, error.start) + 1}"
            yield BadLine(place, NOT_UTF8.format(reason="invalid byte"))
        else:
            yield Document(path, text, path, None, None if is_whole else part, char)
        char, part = char + len(text), part + 1
        line += text.count("\n")


def _parse_text_line(raw: bytes, place: str, _: ReadSettings) -> Document | BadLine:
    try:
        text = raw.decode("utf8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        return BadLine(place, NOT_UTF8.format(reason=error.reason))
    return tuple.__new__(Document, (place, text, place, None, None, 0))


def _parse_json_line(raw: bytes, place: str, settings: ReadSettings) -> Document | BadLine | None:
    """Make a document of a line; None if it is blank."""
    try:
        line = raw.decode("utf8")
    except UnicodeDecodeError as error:
        return BadLine(place, NOT_UTF8.format(reason=error.reason))
    try:
        record = _parse_json(line)
    except (ValueError, RecursionError) as error:
        if not line.strip():
            return None
        reason = str(error)
        if isinstance(error, json.JSONDecodeError):
            reason = f"{error.msg}: character {error.pos + 1}"
        return BadLine(place, f"the line must be a JSON object ({reason}). Fix the line.")
    if not isinstance(record, dict):
        return BadLine(place, f"the line must be a JSON object, got {show(record)}. Fix the line.")
    return make_document(record, settings, place)


_decode: Callable[[str], tuple[Any, int]] = json.JSONDecoder().raw_decode


def _parse_json(line: str) -> Any:
    """Parse JSON as json.loads does, in half the time if there is nothing around it."""
    if line[:1] == "{":
        value, end = _decode(line)
        if line[end:] in LINE_ENDS:
            return value
    return json.loads(line)


def read_parallel(file: SourceFile, source: Source) -> Iterator[Document | BadLine]:
    """Read texts and their references, line by line; the id is the number of the line, from 1."""
    sources = (source, *source.refs)
    with ExitStack() as stack:
        refs = [stack.enter_context(open_source(ref)) for ref in source.refs]
        for number, raw in enumerate(zip(file, *refs, strict=True), start=1):
            yield _parse_parallel(sources, raw, number)


def _parse_parallel(
    sources: Sequence[Source], raw: Sequence[bytes], number: int
) -> Document | BadLine:
    texts = []
    for source, line in zip(sources, raw, strict=True):
        try:
            text = line.decode("utf8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            return BadLine(f"{source.path}:{number}", NOT_UTF8.format(reason=error.reason))
        texts.append(text.removeprefix(BYTE_ORDER_MARK) if number == 1 else text)
    return Document(number, texts[0], f"{sources[0].path}:{number}", tuple(texts[1:]))

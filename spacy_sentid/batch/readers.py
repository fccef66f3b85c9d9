"""Read the documents of a split, streaming; what is wrong with one is a BadLine.

split -> ranges -> documents

Offsets count code points of the text as it is in the file: line ends are not translated.
"""

import codecs
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from ..files.records import BYTE_ORDER_MARK, BadLine
from .documents import (
    CHUNK_BYTES,
    NOT_UTF8,
    Document,
    ReadSettings,
    make_document,
    show,
)
from .inputs import Source, SourceFile, open_source
from .listing import CSV, JSONL, LINES, PARALLEL, PARQUET, TEXT
from .long_texts import find_cut
from .split import InputRange, InputSplit
from .tables import read_csv, read_parquet

LINE_ENDS = ("\n", "", "\r\n")


def read_documents(
    sources: Iterable[Source], settings: ReadSettings
) -> Iterator[Document | BadLine]:
    """Read the documents of sources, in order."""
    whole = InputSplit(0, tuple(InputRange(source, size=source.size) for source in sources))
    return iter(SplitReader(whole, settings, {}))


class SplitReader:
    """Iterates over the documents of a split in order, and says how far it is.

    counts: Lines so far of the file that goes on in the next split; this is updated.

    Raises ValueError for an error of a file: broken or truncated compression, no such column, a
    quote that is not closed; OSError.
    """

    def __init__(self, split: InputSplit, settings: ReadSettings, counts: dict[str, int]) -> None:
        self.split = split
        self.settings = settings
        self.counts = counts
        self._n_before = 0
        self._now: tuple[InputRange, SourceFile] | None = None

    @property
    def n_stored(self) -> int:
        """Bytes of the split as stored that were read so far, about."""
        if self._now is None:
            return self._n_before
        each, file = self._now
        return self._n_before + min(file.n_stored, each.size or file.n_stored)

    def __iter__(self) -> Iterator[Document | BadLine]:
        for each in self.split.ranges:
            source = each.source
            if self.settings.pairs and source.format in (TEXT, LINES):
                raise ValueError(
                    f"{source.path}: pairs must be .jsonl, .csv or .parquet with 'hyp' and 'ref', "
                    "got a text."
                )
            start, end = (0, None) if source.format == PARQUET else (each.start, each.end)
            # The line before may end where the range starts.
            with open_source(source, start=max(start - 1, 0), end=end) as file:
                self._now = each, file
                yield from self._read(each, file)
            self._now = None
            self._n_before += each.size

    def _read(self, each: InputRange, file: SourceFile) -> Iterator[Document | BadLine]:
        source, settings = each.source, self.settings
        if source.format == PARQUET:
            return read_parquet(file, source.path, settings, each.start, each.end)
        if source.format == CSV:
            return read_csv(file, source.path, settings)
        if source.format == TEXT:
            return read_text(file, source.path, settings.part_chars)
        if source.format == PARALLEL:
            return read_parallel(file, each)
        return read_lines(file, each, settings, self.counts)


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


def read_lines(
    file: SourceFile, each: InputRange, settings: ReadSettings, counts: dict[str, int]
) -> Iterator[Document | BadLine]:
    """Read lines, or JSON lines: those that begin in the range."""
    source, end = each.source, each.end
    byte = each.start
    if not byte:
        counts.clear()
    else:
        # The range before has the line that the byte before this one belongs to. Where that goes
        # on to the end of this range, no line begins here; the rest of it may be long.
        byte -= 1
        data = b""
        while not data.endswith(b"\n"):
            size = CHUNK_BYTES if end is None else min(end - byte, CHUNK_BYTES)
            data = file.readline(size)
            if not data:
                return
            byte += len(data)
    if end is not None and byte >= end:
        return
    number = counts.get(source.path, 0)
    parse = _parse_json_line if source.format == JSONL else _parse_text_line
    for number, raw in enumerate(file, start=number + 1):  # noqa: B020
        byte += len(raw)
        if byte == len(raw) and source.format == JSONL:
            raw = raw.removeprefix(BYTE_ORDER_MARK.encode())
        document = parse(raw, f"{source.path}:{number}", settings)
        if document is not None:
            yield document
        if end is not None and byte >= end:
            counts[source.path] = number
            break


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


def read_parallel(file: SourceFile, each: InputRange) -> Iterator[Document | BadLine]:
    """Read texts and their references, line by line; the id is the number of the line, from 1."""
    sources = (each.source, *each.source.refs)
    with ExitStack() as stack:
        refs = [stack.enter_context(open_source(source)) for source in each.source.refs]
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

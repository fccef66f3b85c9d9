"""Read the documents of sources in batches; a document with an error becomes a BadLine.

sources -> documents, and after each the resume point -> batches, each for a worker

Offsets count code points of the text as it is in the file: line ends are not translated. The
boundaries of batches and shards depend only on the input, so they do not change when a job is
resumed.
"""

import codecs
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from typing import NamedTuple

from ...files.records import BYTE_ORDER_MARK, SKIP_BYTES, BadLine, LongLine, read_raw_lines
from ...messages import shorten
from ...text.long_texts import find_cut
from .documents import NOT_UTF8, Document, ReadSettings, count_left_out, leave_out, make_document
from .html_text import decode_html, extract_html
from .listing import CSV, HTML, JSONL, LINES, MAIL, PARQUET, TEXT
from .mail import extract_mail
from .sources import Source, SourceFile, count_stored, open_source
from .tables import read_csv, read_parquet

READ_BYTES = 1 << 20
# A worker needs about a third of a second for a batch: much longer than sending it takes, and short
# enough to wait for.
BATCH_CHARS = 100_000
BATCH_RECORDS = 2_000


class ResumePoint(NamedTuple):
    """A place in the sources where reading can go on."""

    source: int = 0  # number of the source
    number: int = 0  # number of its lines, rows or documents before this point
    n_bytes: int = 0  # size of its lines before this point


START = ResumePoint()


class DocumentReader:
    """An iterator over the documents of sources, in order, which also reports its position.

    start: Where to begin. Earlier documents of the same source are read again and skipped, except
        in uncompressed lines and whole row groups of Parquet.

    Raises ValueError for an error of a file: broken or truncated compression, a missing column, a
    quote that is not closed. Raises OSError as well.
    """

    def __init__(
        self, sources: Sequence[Source], settings: ReadSettings, start: ResumePoint = START
    ) -> None:
        self.sources = sources
        self.settings = settings
        self.n_total = sum(source.size for source in sources)
        self._source, self._number, self._n_bytes = start
        self._n_before = sum(source.size for source in sources[: start.source])
        self._file: SourceFile | None = None

    @property
    def resume_point(self) -> ResumePoint:
        """The position of the next document."""
        return ResumePoint(self._source, self._number, self._n_bytes)

    @property
    def n_stored(self) -> int:
        """The number of stored bytes read so far; standard input counts only if it is alone."""
        n_bytes = (count_stored(self._file) if self._file is not None else 0) or self._n_bytes
        if n_bytes and self.n_total:
            n_bytes = min(n_bytes, self.sources[self._source].size)
        return self._n_before + n_bytes

    def __iter__(self) -> Iterator[Document | BadLine]:
        for source in self.sources[self._source :]:
            if self.settings.pairs and source.format in (TEXT, LINES, HTML, MAIL):
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
        for raw in islice(read_raw_lines(file, self.settings.max_record_bytes), n_skip, None):
            self._number += 1
            self._n_bytes += raw.n_bytes if isinstance(raw, LongLine) else len(raw)
            if self._number == 1 and is_json and isinstance(raw, bytes):
                raw = raw.removeprefix(BYTE_ORDER_MARK.encode())
            document = parse(raw, f"{source.path}:{self._number}", self.settings)
            raw = b""  # free the memory, as it may be long
            if document is not None:
                yield document

    def _read(self, file: SourceFile, source: Source) -> Iterator[Document | BadLine]:
        """Read formats other than lines, from the resume point on."""
        settings = self.settings
        if source.format == PARQUET:
            return read_parquet(file, source.path, settings, first=self._number)
        if source.format == CSV:
            found = read_csv(file, source.path, settings)
        elif source.format == TEXT:
            found = read_text(file, source.path, settings.part_chars)
        elif source.format in (HTML, MAIL):
            found = read_extracted(file, source, settings.max_record_bytes)
        else:
            found = read_parallel(file, source, settings)
        return islice(found, self._number, None)


class DocumentBatch(NamedTuple):
    """Documents that a worker receives together."""

    documents: list[Document]
    bad: list[BadLine]
    n_chars: int
    n_stored: int  # stored bytes of the inputs that were read so far, for progress
    end: ResumePoint | None  # where the next shard begins, if this batch is the last of its shard

    @property
    def left_out(self) -> dict[str, int]:
        """Counts of the items that were skipped when its texts were extracted from files."""
        return count_left_out(self.documents)


def make_batches(reader: DocumentReader, *, shard_size: int) -> Iterator[DocumentBatch]:
    """Read documents in batches.

    shard_size: Number of characters at which a shard ends.
    YIELDS: At least one batch; the last one may be empty.
    """
    if shard_size < 1:
        raise ValueError(f"The shard size must be at least 1 character, got {shard_size}.")
    batch_size = min(BATCH_CHARS, shard_size)
    documents: list[Document] = []
    bad: list[BadLine] = []
    n_chars = shard_chars = n_stored = 0
    full: tuple[int, ResumePoint] | None = None
    for found in reader:
        # A full batch is yielded once there is another document, as the last batch ends the job.
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


def read_text(file: SourceFile, path: str, size: int) -> Iterator[Document | BadLine]:
    """Read a text file as one document, or in parts of at most `size` characters.

    A part with bytes that are not UTF-8 becomes a BadLine; each such byte counts as a character.
    """
    decoder = codecs.getincrementaldecoder("utf8")("surrogateescape")
    buffer, at_end = "", False
    line = char = part = 0
    while True:
        # Read one more character, to find out if the text continues.
        while not at_end and len(buffer) <= size:
            data = file.read(max(size + 1 - len(buffer), READ_BYTES))
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


def read_extracted(
    file: SourceFile, source: Source, max_bytes: int
) -> Iterator[Document | BadLine]:
    """Read an HTML file or a mail as one document of at most `max_bytes`."""
    path, data = source.path, file.read(max_bytes + 1)
    if len(data) > max_bytes:
        n_bytes = len(data) + sum(map(len, iter(partial(file.read, SKIP_BYTES), b"")))
        yield leave_out(path, "file", n_bytes, max_bytes)
        return
    try:
        is_html = source.format == HTML
        text, left_out = extract_html(decode_html(data)) if is_html else extract_mail(data)
    except MemoryError:  # concerns the job, not one document
        raise
    except Exception as error:  # Python's parsers fail on broken files in many ways
        found = f"Python cannot parse the file ({type(error).__name__}: {error})."
        yield BadLine(path, str(error) if isinstance(error, ValueError) else found)
    else:
        yield Document(path, text, path, left_out=left_out)


def _parse_text_line(
    raw: bytes | LongLine, place: str, settings: ReadSettings
) -> Document | BadLine:
    if isinstance(raw, LongLine):
        return leave_out(place, "line", raw.n_bytes, settings.max_record_bytes)
    try:
        text = raw.decode("utf8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        return BadLine(place, NOT_UTF8.format(reason=error.reason))
    return tuple.__new__(Document, (place, text, place, None, None, 0, None))


def _parse_json_line(
    raw: bytes | LongLine, place: str, settings: ReadSettings
) -> Document | BadLine | None:
    """Build a document from a line; return None if the line is blank."""
    if isinstance(raw, LongLine):
        return leave_out(place, "line", raw.n_bytes, settings.max_record_bytes)
    try:
        line = raw.decode("utf8").strip(" \t\r\n")
        if not line:
            return None
        record, end = _decode(line)  # takes half the time of json.loads
        if end < len(line):
            raise json.JSONDecodeError("Extra data", line, end)
    except UnicodeDecodeError as error:
        return BadLine(place, NOT_UTF8.format(reason=error.reason))
    except (ValueError, RecursionError) as error:
        reason = str(error)
        if isinstance(error, json.JSONDecodeError):
            reason = f"{error.msg}: character {error.pos + 1}"
        return BadLine(place, f"the line must be a JSON object ({reason}). Fix the line.")
    if not isinstance(record, dict):
        reason = f"the line must be a JSON object, got {shorten(record)}. Fix the line."
        return BadLine(place, reason)
    return make_document(record, settings, place)


_decode = json.JSONDecoder().raw_decode


def read_parallel(
    file: SourceFile, source: Source, settings: ReadSettings
) -> Iterator[Document | BadLine]:
    """Read texts and their references, line by line; ids are line numbers, from 1."""
    paths = [each.path for each in (source, *source.refs)]
    with ExitStack() as stack:
        files = [file, *(stack.enter_context(open_source(ref)) for ref in source.refs)]
        sides = [read_raw_lines(each, settings.max_record_bytes) for each in files]
        for number, lines in enumerate(zip(*sides, strict=True), start=1):
            places = [f"{path}:{number}" for path in paths]
            found = [
                _parse_text_line(raw, place, settings)
                for raw, place in zip(lines, places, strict=True)
            ]
            bad = [one for one in found if isinstance(one, BadLine)]
            texts = [one[1].removeprefix(BYTE_ORDER_MARK if number == 1 else "") for one in found]
            yield bad[0] if bad else Document(number, texts[0], places[0], tuple(texts[1:]))

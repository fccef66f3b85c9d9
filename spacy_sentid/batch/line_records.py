"""Read documents that are a line each: plain lines and JSON lines."""

import json
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from ..files.records import BYTE_ORDER_MARK, BadLine
from .compression import DecompressedFile
from .documents import NOT_UTF8, Document, Entry, Position, ReadSettings, make_document, show
from .formats import JSONL
from .pieces import CHUNK_BYTES, PieceRead, skip_bytes
from .sources import Source

LINE_ENDS = ("\n", "", "\r\n")


def read_lines(read: PieceRead, file: BinaryIO) -> Iterator[Entry]:
    """Read lines, or JSON lines: those that begin in the piece."""
    piece, index, first = read.piece, read.start.piece, read.piece.start
    byte, line = _find_first_line(read, file)
    parse = _make_parser(piece.source, read.settings)
    end = piece.end
    base = read.stored - first
    compressed = file if isinstance(file, DecompressedFile) else None
    # Faster than Position(...), Entry(...), which count for short lines.
    new = tuple.__new__
    if end is not None and byte >= end:
        return
    for raw in file:
        byte += len(raw)
        line += 1
        document = parse(raw, line)
        if document is not None:
            after = new(Position, (index, byte, line, 0, 0))
            stored = base + (byte if compressed is None else compressed.n_stored)
            yield new(Entry, (document, after, stored))
        if end is not None and byte >= end:
            return


def _find_first_line(read: PieceRead, file: BinaryIO) -> tuple[int, int]:
    """Go to the first line to read; gives (its byte, the lines before it)."""
    piece = read.piece
    if not read.is_new:
        skip_bytes(file, piece.source, read.start.byte)
        return read.start.byte, read.start.line
    if piece.first_line is None:
        raise ValueError(
            f"{piece.source.path}: the lines before byte {piece.start:,} are not counted, expected "
            "a split of number_lines. Call it first."
        )
    if not piece.start:
        return 0, 0
    # The piece before has the line that the byte before this piece belongs to. Where that goes on
    # to the end of this one, no line begins here; the rest of it may be long.
    byte = piece.start - 1
    skip_bytes(file, piece.source, byte)
    while (piece.end is None or byte < piece.end) and (data := file.readline(CHUNK_BYTES)):
        byte += len(data)
        if data.endswith(b"\n"):
            break
    return byte, piece.first_line + (byte > piece.start)


def _make_parser(
    source: Source, settings: ReadSettings
) -> Callable[[bytes, int], Document | BadLine | None]:
    """Make what makes a document of a line and its number, from 1; None for a blank JSON line."""
    path = source.path
    new = tuple.__new__
    decode = json.JSONDecoder().raw_decode

    def parse_text(raw: bytes, number: int) -> Document | BadLine:
        place = f"{path}:{number}"
        try:
            text = raw.decode("utf8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            return BadLine(place, NOT_UTF8.format(reason=error.reason))
        return new(Document, (place, text, place, None, None, 0))

    def parse_json(raw: bytes, number: int) -> Document | BadLine | None:
        place = f"{path}:{number}"
        try:
            line = raw.decode("utf8")
        except UnicodeDecodeError as error:
            return BadLine(place, NOT_UTF8.format(reason=error.reason))
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
        try:
            record = _parse_json(line, decode)
        except (ValueError, RecursionError) as error:
            if not line.strip():
                return None
            fault = str(error)
            if isinstance(error, json.JSONDecodeError):
                fault = f"{error.msg}: character {error.pos + 1}"
            return BadLine(place, f"found no JSON ({fault}), expected an object. Mend the line.")
        if not isinstance(record, dict):
            return BadLine(place, f"found {show(record)}, expected a JSON object. Mend the line.")
        return make_document(record, settings, place)

    return parse_json if source.format == JSONL else parse_text


def _parse_json(line: str, decode: Callable[[str], tuple[Any, int]]) -> Any:
    """Parse JSON as json.loads does, in half the time where nothing is around it.

    decode: JSONDecoder.raw_decode.
    """
    if line[:1] == "{":
        value, end = decode(line)
        if line[end:] in LINE_ENDS:
            return value
    return json.loads(line)

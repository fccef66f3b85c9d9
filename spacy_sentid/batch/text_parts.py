"""Read text files: each is one document, or several if it is long."""

import codecs
from collections.abc import Iterator
from typing import BinaryIO

from ..files.records import BadLine
from .documents import NOT_UTF8, Document, Entry, Position
from .long_texts import find_cut
from .pieces import CHUNK_BYTES, PieceRead, count_stored, skip_bytes


def read_text(read: PieceRead, file: BinaryIO) -> Iterator[Entry]:
    """Read a text file, as one document or in parts.

    A part with bytes that are not UTF-8 is a BadLine; each such byte counts as a character.
    """
    path, size, index = read.piece.source.path, read.settings.part_chars, read.start.piece
    _, byte, line, char, part = read.start
    skip_bytes(file, read.piece.source, byte)
    decoder = codecs.getincrementaldecoder("utf8")("surrogateescape")
    buffer, at_end = "", False
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
        document: Document | BadLine
        if is_whole:
            document = Document(path, text, path)
        else:
            document = Document(path, text, path, part=part, start_char=char)
        try:
            n_bytes = len(text.encode("utf8"))
        except UnicodeEncodeError as error:
            n_bytes = len(text.encode("utf8", "surrogateescape"))
            place = f"{path}:{line + text.count(chr(10), 0, error.start) + 1}"
            document = BadLine(place, NOT_UTF8.format(reason="invalid byte"))
        byte, char, part = byte + n_bytes, char + len(text), part + 1
        line += text.count("\n")
        stored = read.stored + count_stored(file, byte)
        yield Entry(document, Position(index, byte, line, char, part), stored)

"""Raw text files of any size: bytes -> blocks of text, cut at line ends. No spaCy."""

from collections.abc import Callable, Iterator
from pathlib import Path

BLOCK = 1 << 20  # bytes
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_blocks(
    path: Path, *, size: int = BLOCK, on_bytes: Callable[[int], object] | None = None
) -> Iterator[str]:
    """Read a UTF-8 file in blocks; laid end to end they are the file, without a byte order mark.

    A block that others follow is cut behind the last line end in it, else behind the last blank,
    else between two characters.
    size: Bytes to read at once.
    on_bytes: Called with the number of bytes of each block.

    Raises ValueError that names file and byte, from 0, for what is not UTF-8 and for binary data;
    and for a path that is no file.
    """
    rest = b""
    offset = 0  # of `rest` in the file
    try:
        opened = path.open("rb")
    except OSError as error:
        raise ValueError(
            f"{path}: found no file to read ({error.strerror}), expected text in UTF-8. Check the "
            "path."
        ) from error
    with opened as file:
        block = file.read(size)
        while block:
            ahead = file.read(size)
            raw = rest + block
            if offset == 0 and raw.startswith(_BYTE_ORDER_MARK):
                raw, offset = raw[len(_BYTE_ORDER_MARK) :], len(_BYTE_ORDER_MARK)
            cut = _find_cut(raw) if ahead else len(raw)
            yield _decode(raw[:cut], path, offset)
            rest, offset = raw[cut:], offset + cut
            if on_bytes is not None:
                on_bytes(len(block))
            block = ahead


def _find_cut(raw: bytes) -> int:
    """Find where to cut a block: what is left is no longer than a line, or a character."""
    for sign in (b"\n", b" "):
        cut = raw.rfind(sign) + 1
        if cut:
            return cut
    # Of an unfinished character there are up to three bytes, the first of them from 0xC0 up.
    for place in range(len(raw) - 1, max(len(raw) - 4, -1), -1):
        if raw[place] >= 0xC0:
            return place
        if raw[place] < 0x80:
            break
    return len(raw)


def _decode(raw: bytes, path: Path, offset: int) -> str:
    place = raw.find(b"\0")
    try:
        text = raw.decode("utf8")
    except UnicodeDecodeError as error:
        if not 0 <= place < error.start:
            wide = offset == 0 and raw.startswith(_WIDE_MARKS)
            kind, source = (" (UTF-16?)", "UTF-16") if wide else ("", "LATIN1")
            raise ValueError(
                f"{path}: byte {offset + error.start:,}: found 0x{raw[error.start]:02x}{kind}, "
                f"expected text in UTF-8. Convert the file, for instance with 'iconv -f {source} "
                "-t UTF-8'."
            ) from error
    if place >= 0:
        raise ValueError(
            f"{path}: byte {offset + place:,}: found a zero byte, expected text in UTF-8. Is it "
            "UTF-16, or no text? Convert the file, for instance with 'iconv -f UTF-16 -t UTF-8'."
        )
    return text

"""Data that the strategies learn from: raw text of any size, a lexicon, saved results.

file -> blocks of text, cut at line ends; JSON file -> `Learned`
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from ..files.reading import name_file
from .strategies import Learned

BLOCK = 1 << 20  # characters


def read_blocks(
    path: Path, *, size: int = BLOCK, on_bytes: Callable[[int], object] | None = None
) -> Iterator[str]:
    """Read a UTF-8 file in blocks of lines, which together are the file without a byte order mark.

    size: Approximate number of characters of a block, which is at least one line.
    on_bytes: Called with the number of bytes of each block.

    Raises ValueError if the file does not exist, is binary, or is not UTF-8.
    """
    expected, advice = "text in UTF-8", "Convert it, for example with 'iconv -f LATIN1 -t UTF-8'."
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            while lines := file.readlines(size):
                block = "".join(lines)
                if "\0" in block:
                    raise ValueError(f"{path} must be {expected}, got a zero byte. {advice}")
                yield block
                if on_bytes is not None:
                    on_bytes(len(block.encode()))
    except FileNotFoundError as error:
        raise ValueError(f"{path} must be {expected}, got no such file. Check the path.") from error
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise ValueError(f"{path} must be {expected}, got 0x{byte:02x}. {advice}") from error


def read_learned(path: Path) -> Learned:
    """Read the JSON file of `spacy-sentid train abbreviations --json`.

    Raises ValueError for any other file.
    """
    expected = "a JSON file of 'abbreviations'"
    with name_file(path, expected=expected, advice="Run 'spacy-sentid train abbreviations'."):
        data = json.loads(path.read_text(encoding="utf-8-sig"))
        if not isinstance(data, dict) or not isinstance(data.get("learned"), dict):
            raise ValueError("no 'learned' in it")
        return Learned.from_dict(data["learned"])


def read_lexicon(path: Path) -> frozenset[str]:
    """Read a text file with one word per line, for the strategy `lexicon`.

    Raises ValueError if the file has no words.
    """
    words = frozenset(line.strip() for line in "".join(read_blocks(path)).splitlines()) - {""}
    if not words:
        raise ValueError(f"{path} must have one word per line, got no words.")
    return words

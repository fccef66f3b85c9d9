"""Data that the strategies learn from: raw text of any size, or saved results.

file -> parts of the text, cut at line ends; JSON file -> `Learned`
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from ..files.reading import name_file
from .strategies import Learned

PART = 1 << 20  # characters


def read_parts(
    path: Path, *, size: int = PART, on_bytes: Callable[[int], object] | None = None
) -> Iterator[str]:
    """Read a UTF-8 file in parts of whole lines. Joined, they are its text without the BOM.

    size: Approximate number of characters of a part, which is at least one line.
    on_bytes: Called with the number of bytes of each part.

    Raises ValueError if the file does not exist, is binary, or is not UTF-8.
    """
    expected, advice = "text in UTF-8", "Convert it, for example with 'iconv -f LATIN1 -t UTF-8'."
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            while lines := file.readlines(size):
                part = "".join(lines)
                if "\0" in part:
                    raise ValueError(f"{path} must be {expected}, got a zero byte. {advice}")
                yield part
                if on_bytes is not None:
                    on_bytes(len(part.encode()))
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

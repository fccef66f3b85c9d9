"""Data that the strategies learn from: raw text of any size, Examples, a lexicon, saved results.

file -> blocks of text, cut at line ends; Examples -> texts; JSON file -> `Learned`
"""

import json
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from ..files.reading import name_file
from .strategies import Learned

if TYPE_CHECKING:
    from spacy.training import Example
    from spacy.vocab import Vocab

BLOCK = 1 << 20  # bytes
# The text of the Doc that spaCy makes for `nlp.initialize()` without examples.
_DUMMY = "x y z"


def read_blocks(
    path: Path, *, size: int = BLOCK, on_bytes: Callable[[int], object] | None = None
) -> Iterator[str]:
    """Read a UTF-8 file in blocks, which together are the file without its byte order mark.

    Each block but the last is cut after its last line end. Without line ends it is cut after the
    last space, and without spaces between two characters.

    size: Bytes to read at once.
    on_bytes: Called with the number of bytes of each block.

    Raises ValueError if the path is not a file, or if the data are binary or not UTF-8. In the
    latter cases the message has the file and the byte, counted from 0.
    """
    try:
        opened = path.open("rb")
    except OSError as error:
        raise ValueError(
            f"{path} must be a text file in UTF-8, but it cannot be opened ({error.strerror}). "
            "Check the path."
        ) from error
    decoder = getincrementaldecoder("utf-8-sig")()
    rest, n_read = "", 0
    with opened as file:
        block = file.read(size)
        while block:
            ahead = file.read(size)
            n_read += len(block)
            zero = block.find(b"\0")
            try:
                text = rest + decoder.decode(block, final=not ahead)
            except UnicodeDecodeError as error:
                wrong = n_read - len(error.object) + error.start
                if not 0 <= zero < wrong - n_read + len(block):
                    raise _wrong_byte(path, wrong, error.object[error.start]) from error
            if zero >= 0:
                raise _wrong_byte(path, n_read - len(block) + zero, 0)
            cut = text.rfind("\n") + 1 or text.rfind(" ") + 1 or len(text)
            if not ahead:
                cut = len(text)
            yield text[:cut]
            rest = text[cut:]
            if on_bytes is not None:
                on_bytes(len(block))
            block = ahead


def _wrong_byte(path: Path, place: int, byte: int) -> ValueError:
    """Make the error for a byte that is not valid in a UTF-8 text."""
    is_wide = byte == 0 or (place == 0 and byte in (0xFE, 0xFF))
    source = "UTF-16" if is_wide else "LATIN1"
    return ValueError(
        f"{path}: byte {place:,}: text must be UTF-8, got 0x{byte:02x}"
        f"{' (UTF-16?)' if is_wide else ''}. Convert the file, for example with 'iconv -f "
        f"{source} -t UTF-8'."
    )


def read_example_texts(get_examples: Callable[[], Iterable["Example"]], name: str) -> Iterator[str]:
    """Read the texts of training examples.

    name: Name of the component, for messages.

    Raises ValueError for the dummy examples that spaCy makes when there are no others.
    """
    from spacy.training import validate_get_examples

    validate_get_examples(get_examples, "RuleSentencizer.initialize")
    first = [example.reference.text.strip() for example in islice(get_examples(), 2)]
    if first == [_DUMMY]:
        raise ValueError(
            f"{name!r} must have texts to learn from, got no examples. Set 'corpus' to a text file "
            f"in [initialize.components.{name}]."
        )
    return (example.reference.text for example in get_examples())


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


def read_lexicon(source: str, vocab: "Vocab", learned: Learned) -> frozenset[str]:
    """Read words for the strategy `lexicon`.

    source: The name of a table in `vocab.lookups`, or a text file with one word per line. A table
        has only hashes of its words, so only words that are in the vocab or the corpus are found.
    learned: The data learned from the corpus.

    Raises ValueError if there is no such table or file, or if no words are found.
    """
    if vocab.lookups.has_table(source):
        table = vocab.lookups.get_table(source)
        seen = chain(learned.lexicon, learned.likely, learned.known, vocab.strings)
        words = frozenset(word for word in seen if word in table)
    elif Path(source).is_file():
        lines = "".join(read_blocks(Path(source))).splitlines()
        words = frozenset(line.strip() for line in lines) - {""}
    else:
        raise ValueError(
            f"The lexicon must be a text file or one of the lookups tables {vocab.lookups.tables}, "
            f"got {source!r}."
        )
    if not words:
        raise ValueError(
            f"The lexicon must be a file with one word per line, or a table with words that are "
            f"in the vocab or the corpus, but no words were found in {source!r}."
        )
    return words

"""Reader of pairs with brackets around unparaphrased words, as in assets/paraphrase.

"class | domain | first [marked] sentence | second sentence" -> words and tags of both
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import spacy
from spacy.language import Language

from spacy_sentid.paraphrase_tagger.corpus import TaggedPair

SEPARATOR = " | "
# Marks at the end of a span that belong to a number next to them.
PARTS_OF_NUMBERS = "$%&"


def read_marked_pairs(path: Path) -> Iterator[TaggedPair]:
    """Read the pairs of a file. Their source is the class, and their id is from file and line.

    Raises ValueError if a line has another format.
    """
    for number, line in enumerate(path.read_text(encoding="utf8").splitlines(), 1):
        fields = line.split(SEPARATOR)
        if len(fields) != 4:
            raise ValueError(
                f"{path}:{number}: a line must have a class, a domain and two sentences, separated "
                f"by {SEPARATOR!r}, got {len(fields)} fields."
            )
        name, _, first, second = fields
        (words1, tags1), (words2, tags2) = (read_marked_text(text) for text in (first, second))
        yield TaggedPair(f"{path.stem}-{number:03}", words1, words2, tags1, tags2, name)


def read_marked_text(text: str) -> tuple[list[str], list[int]]:
    """Split a marked text into words and their tags. Marks at the end of a span have tag 0.

    >>> read_marked_text("Prices [fell by 5%], [he says].")
    (['Prices', 'fell', 'by', '5', '%', ',', 'he', 'says', '.'], [0, 1, 1, 1, 1, 0, 1, 1, 0])
    """
    plain, spans, start = "", [], 0
    for character in text:
        if character == "[":
            start = len(plain)
        elif character == "]":
            spans.append((start, len(plain)))
        else:
            plain += character
    ends = {end for _, end in spans}
    words, tags = [], []
    for token in _load_tokenizer()(plain):
        if token.is_space:
            continue
        end = token.idx + len(token)
        is_inside = any(token.idx < stop and end > start for start, stop in spans)
        is_edge = token.is_punct and token.text not in PARTS_OF_NUMBERS and end in ends
        words.append(token.text)
        tags.append(int(is_inside and not is_edge))
    return words, tags


@lru_cache(maxsize=1)
def _load_tokenizer() -> Language:
    return spacy.blank("en")

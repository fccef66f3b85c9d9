"""From characters to tokens: the text of a Doc, quickly, and the tokens that sentences start at."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from spacy.attrs import ORTH, SPACY
from spacy.strings import StringStore
from spacy.tokens import Doc

_BLANK = 1 << 63
_MAX_PIECES = 100_000


class TextReader:
    """Gives the text of Docs as `Doc.text` does, without making Token objects, which take longer.

    strings: Those of the vocab. What is kept does not grow without bound.
    """

    def __init__(self, strings: StringStore) -> None:
        self.pieces = _Pieces(strings)

    def __call__(self, doc: Doc) -> str:
        """Put together the text of a Doc."""
        if not len(doc):
            return ""
        rows: Any = doc.to_array([ORTH, SPACY])
        keys = rows[:, 0] ^ rows[:, 1] * np.uint64(_BLANK)
        return "".join(map(self.pieces.__getitem__, keys.tolist()))


class _Pieces(dict[int, str]):
    """Words with the blank that follows, by hash; the highest bit is turned if there is one."""

    def __init__(self, strings: StringStore) -> None:
        super().__init__()
        self.strings: Any = strings

    def __missing__(self, key: int) -> str:
        # Of two hashes that differ in one bit, one is a word's.
        has_blank = key not in self.strings
        piece = self.strings[key ^ _BLANK] + " " if has_blank else self.strings[key]
        if len(self) < _MAX_PIECES:
            self[key] = piece
        return piece


def find_token_starts(doc: Doc, starts: Iterable[int]) -> list[int]:
    """Find the tokens that sentences start at, ascending; [] for an empty Doc.

    starts: Characters, ascending, of the sentences but the first. One that would start inside a
        token starts with the next.
    """
    tokens = [0] if len(doc) else []
    for char in starts:
        span: Any = doc.char_span(char, char + 1, alignment_mode="expand")
        token = span.start + (span.start_char < char)
        if tokens[-1] < token < len(doc):
            tokens.append(token)
    return tokens

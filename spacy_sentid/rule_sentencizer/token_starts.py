"""From characters to tokens: the text of a Doc, quickly, and the tokens that sentences start at."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from spacy.attrs import LENGTH, ORTH, SPACY
from spacy.strings import StringStore
from spacy.tokens import Doc

from ..arrays import Ints1d

_BLANK = 1 << 63
_MAX_PIECES = 100_000
# Longer ones are rare, and may be of any length.
_MAX_PIECE = 40


class TextReader:
    """Reads the text of Docs without making Token objects, as `Doc.text` does; that takes longer.

    strings: Those of the vocab. What is kept does not grow without bound.
    """

    def __init__(self, strings: StringStore) -> None:
        self.pieces = _Pieces(strings)

    def __call__(self, doc: Doc) -> tuple[str, Ints1d]:
        """Give the text of a Doc, and the character that each token starts at, (n_tokens,)."""
        rows: Any = doc.to_array([ORTH, SPACY, LENGTH]).reshape(len(doc), 3)
        keys = rows[:, 0] ^ (rows[:, 1] << np.uint64(63))
        text = "".join(map(self.pieces.__getitem__, keys.tolist()))
        lengths = (rows[:, 1] + rows[:, 2]).astype("int64")
        return text, lengths.cumsum() - lengths


class _Pieces(dict[int, str]):
    """Words with the blank that follows, by hash; the highest bit is turned if there is one."""

    def __init__(self, strings: StringStore) -> None:
        super().__init__()
        self.strings: Any = strings

    def __missing__(self, key: int) -> str:
        # Of two hashes that differ in one bit, one is a word's.
        has_blank = key not in self.strings
        piece = self.strings[key ^ _BLANK] + " " if has_blank else self.strings[key]
        if len(piece) <= _MAX_PIECE and len(self) < _MAX_PIECES:
            self[key] = piece
        return piece


def find_token_starts(firsts: Ints1d, starts: Sequence[int]) -> Ints1d:
    """Find the tokens that sentences start at, ascending; [] for no tokens.

    A token may be there twice, where two sentences start inside it.

    firsts: (n_tokens,) the character that each token starts at.
    starts: Characters, ascending, of the sentences but the first. One that would start inside a
        token starts with the next.
    """
    tokens = np.searchsorted(firsts, np.asarray([0, *starts]))
    return tokens[tokens < len(firsts)]

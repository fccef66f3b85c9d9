"""Wordpieces of pairs, with classes of their words. This module does not need torch.

Doc of a pair -> wordpieces of both texts, joined as the tokenizer joins a pair -> arrays of a batch
"""

from collections.abc import Iterable
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc

from ...arrays import Ints2d
from ...layers.word_case import N_CASES, find_case
from ..matching.words import find_stem
from ..pairs import get_pair, pair_id

# Maximum numbers of wordpieces per word, tried in turn when a pair has too many wordpieces.
CAPS = (8, 4, 2, 1)
# Number of classes by kind: the match in the other text, and the case; 0 = not a word.
CLASSES = {"matches": 5, "cases": 1 + N_CASES}


class PairPieces(NamedTuple):
    """The wordpieces of a pair, including the special ones around and between the texts.

    ids, types, matches, cases: One number for each wordpiece.
    firsts: Index of the first wordpiece of each word.
    tokens: Index of each word in the Doc. White space is not a word.
    """

    ids: list[int]
    types: list[int]
    matches: list[int]
    cases: list[int]
    firsts: list[int]
    tokens: list[int]

    def add(self, ids: list[int], kind: int, match: int, case: int) -> None:
        """Add wordpieces with the same type, match and case."""
        self.ids.extend(ids)
        self.types.extend([kind] * len(ids))
        self.matches.extend([match] * len(ids))
        self.cases.extend([case] * len(ids))


class FramePiece(NamedTuple):
    """A slot in the wordpieces of a pair: a special wordpiece, or all wordpieces of a text."""

    side: int | None  # 0 or 1 = the text, None = a special wordpiece
    id: int
    type: int


class PairTokenizer(NamedTuple):
    """A tokenizer that turns pairs into wordpieces.

    backend: A tokenizer of the package `tokenizers`, without truncation and padding.
    frame: The slots of two joined texts.
    padding, unknown: Ids for padding and for a word that has no wordpieces.
    limit: Maximum number of wordpieces of the encoder, with the special ones; None = no limit.
    has_types: Whether the encoder takes token types, which mark the two texts.
    """

    backend: Any
    frame: list[FramePiece]
    padding: int
    unknown: int
    limit: int | None
    has_types: bool

    def read(self, doc: Doc) -> PairPieces:
        """Split the words of a pair into wordpieces, and join the two texts.

        If the encoder takes fewer wordpieces, the longest words lose their last ones first. Raises
        ValueError with the pair's id if one wordpiece per word is still too many.
        """
        texts = [[token for token in text if not token.is_space] for text in get_pair(doc)]
        words = [[token.text for token in text] for text in texts]
        n_first, n_words = len(words[0]), len(words[0]) + len(words[1])
        room = None
        if self.limit is not None:
            room = self.limit - sum(place.side is None for place in self.frame)
            if n_words > room:
                raise ValueError(
                    f"Pair {pair_id(doc)!r} must have at most {room} words, as the encoder takes "
                    f"only {room} wordpieces, got {n_words} words. Compare shorter texts, or set a "
                    "smaller 'window'."
                )
        split = cap_pieces(self.split(words[0]) + self.split(words[1]), room)
        pieces = split[:n_first], split[n_first:]
        matches = [find_matches(*words), find_matches(*reversed(words))]
        found = PairPieces([], [], [], [], [], [])
        for side, special, kind in self.frame:
            if side is None:
                found.add([special], kind, 0, 0)
                continue
            for token, ids, match in zip(texts[side], pieces[side], matches[side], strict=True):
                found.firsts.append(len(found.ids))
                found.tokens.append(token.i)
                found.add(ids, kind, match, 1 + find_case(token.text))
        return found

    def split(self, words: list[str]) -> list[list[int]]:
        """Split each word into wordpieces, at least one."""
        # encode_batch would start threads, which do not work together with forked processes.
        encoding = self.backend.encode(words, is_pretokenized=True, add_special_tokens=False)
        pieces: list[list[int]] = [[] for _ in words]
        for piece, word in zip(encoding.ids, encoding.word_ids, strict=True):
            pieces[word].append(piece)
        return [found or [self.unknown] for found in pieces]


def find_frame(backend: Any) -> list[FramePiece]:
    """Find how a tokenizer joins two texts. The result lacks a side if it cannot join texts."""
    encoding = backend.encode(["a"], ["a"], is_pretokenized=True)
    places = zip(encoding.sequence_ids, encoding.ids, encoding.type_ids, strict=True)
    frame = []
    for side, run in groupby(
        (FramePiece(*place) for place in places), key=lambda place: place.side
    ):
        found = list(run)
        frame.extend(found if side is None else found[:1])
    return frame


def cap_pieces(pieces: list[list[int]], room: int | None) -> list[list[int]]:
    """Cut the wordpieces of long words until all fit, or each word has only one.

    room: Maximum number of wordpieces of all words; None = no limit.

    >>> cap_pieces([[1] * 9, [2, 3, 4]], 8)
    [[1, 1, 1, 1], [2, 3, 4]]
    """
    if room is None:
        return pieces
    caps = iter(CAPS)
    while sum(map(len, pieces)) > room and (cap := next(caps, None)):
        pieces = [word[:cap] for word in pieces]
    return pieces


def find_matches(words: list[str], others: list[str]) -> list[int]:
    """Find the best match of each word among the words of the other text.

    RETURNS: 4 = the same word, 3 = the same in another case, 2 = another form, 1 = no match.

    >>> find_matches(["Sales", "rose", "again"], ["sales", "Rose", "and", "rose"])
    [3, 4, 1]
    >>> find_matches(["It", "rains"], ["Raining"])
    [1, 2]
    """
    exact = set(others)
    lower = {word.lower() for word in others}
    stems = {find_stem(word) for word in lower}
    return [
        1 + (find_stem(word.lower()) in stems) + (word.lower() in lower) + (word in exact)
        for word in words
    ]


def batch_by_length(lengths: list[int], n_places: int | None) -> list[list[int]]:
    """Group the indices of similar lengths into batches.

    n_places: Maximum number of wordpieces of a batch with its padding, unless it has only one
        index; None = all in one batch.

    >>> batch_by_length([3, 9, 2, 3], 9)
    [[2, 0, 3], [1]]
    """
    batches: list[list[int]] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        n_padded = lengths[i] * (len(batches[-1]) + 1) if batches else 0
        if not batches or (n_places is not None and n_padded > n_places):
            batches.append([])
        batches[-1].append(i)
    return batches


def stack_pairs(
    pairs: list[PairPieces], tokenizer: PairTokenizer, classes: Iterable[str]
) -> dict[str, Any]:
    """Make the inputs of `WordEncoder.forward`, padded to the length of the longest pair.

    classes: The kinds of CLASSES that the encoder takes.
    """
    lengths = np.array([len(pair.ids) for pair in pairs])
    longest = int(lengths.max())

    def pad(rows: list[list[int]], value: int = 0) -> Ints2d:
        return np.array([row + [value] * (longest - len(row)) for row in rows])

    # (n_pairs, longest)
    inputs = {
        "input_ids": pad([pair.ids for pair in pairs], tokenizer.padding),
        "attention_mask": (np.arange(longest) < lengths[:, None]).astype("int64"),
        **{kind: pad([getattr(pair, kind) for pair in pairs]) for kind in classes},
    }
    if tokenizer.has_types:
        inputs["token_type_ids"] = pad([pair.types for pair in pairs])
    # (n_words,)
    inputs["places"] = np.concatenate(
        [i * longest + np.array(pair.firsts) for i, pair in enumerate(pairs)]
    )
    return inputs

"""The wordpieces of pairs, with classes of their words. No torch.

Doc of a pair -> wordpieces of both texts, joined as the tokenizer joins a pair -> arrays of a batch
"""

from collections.abc import Iterable
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc

from ..arrays import Ints2d
from ..layers.word_case import N_CASES, find_case
from .pairs import get_pair, pair_id
from .words import find_stem

# The most wordpieces that a word keeps where all of a pair do not fit; tried in turn.
CAPS = (8, 4, 2, 1)
# Classes of words by kind, 0 = no word: what the other text has of it, and its case.
CLASSES = {"matches": 5, "cases": 1 + N_CASES}


class PairPieces(NamedTuple):
    """The wordpieces of a pair, with the special ones around and between the texts.

    ids, types, matches, cases: One number for each wordpiece.
    firsts: Index of the first wordpiece of each word, among the wordpieces.
    tokens: Index of each word in the Doc; white space is no word.
    """

    ids: list[int]
    types: list[int]
    matches: list[int]
    cases: list[int]
    firsts: list[int]
    tokens: list[int]

    def add(self, ids: list[int], kind: int, match: int, case: int) -> None:
        """Add wordpieces that share the rest."""
        self.ids.extend(ids)
        self.types.extend([kind] * len(ids))
        self.matches.extend([match] * len(ids))
        self.cases.extend([case] * len(ids))


class FramePiece(NamedTuple):
    """A place in the wordpieces of any pair: a special wordpiece, or all those of a text."""

    side: int | None  # 0 or 1: the text; None: a special wordpiece
    id: int
    type: int


class PairTokenizer(NamedTuple):
    """What turns pairs into wordpieces.

    backend: A tokenizer of the package `tokenizers`, without truncation and padding.
    frame: How it joins two texts.
    padding, unknown: Ids of what fills short pairs, and of a word that has no wordpieces.
    limit: The most wordpieces that the encoder takes, with the special ones; None = no limit.
    has_types: Whether the encoder is told which text a wordpiece is of.
    """

    backend: Any
    frame: list[FramePiece]
    padding: int
    unknown: int
    limit: int | None
    has_types: bool

    def read(self, doc: Doc) -> PairPieces:
        """Split the words of a pair and join the texts.

        If that is more than the encoder takes, words lose their last wordpieces, the longest ones
        first. Raises ValueError with the pair's id if not even one for each word fits.
        """
        texts = [[token for token in text if not token.is_space] for text in get_pair(doc)]
        words = [[token.text for token in text] for text in texts]
        n_first, n_words = len(words[0]), len(words[0]) + len(words[1])
        room = None
        if self.limit is not None:
            room = self.limit - sum(place.side is None for place in self.frame)
            if n_words > room:
                raise ValueError(
                    f"Pair {pair_id(doc)!r} has {n_words} words, and the encoder takes {room} "
                    "wordpieces of both texts. Compare shorter texts, or read them in windows."
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
        # One text after the other: the tokenizer's threads and forked processes do not go together.
        encoding = self.backend.encode(words, is_pretokenized=True, add_special_tokens=False)
        pieces: list[list[int]] = [[] for _ in words]
        for piece, word in zip(encoding.ids, encoding.word_ids, strict=True):
            pieces[word].append(piece)
        return [found or [self.unknown] for found in pieces]


def find_frame(backend: Any) -> list[FramePiece]:
    """Find how a tokenizer joins two texts; both sides are in it if it can join any."""
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
    """Shorten long words until all fit, or to one wordpiece a word.

    room: The most wordpieces of all words; None = no limit.

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
    """Find what the other text has of each word, in 1 to 4.

    RETURNS: 4 = the word itself, 3 = it in another case, 2 = another form of it, 1 = nothing.

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
    """Group indices of like lengths: in each batch one, or padded to one length at most n_places.

    n_places: None = all in one batch.

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
    """Make the inputs of `WordEncoder.forward`, all of the length of the longest pair.

    classes: The kinds that the encoder sees, of CLASSES.
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

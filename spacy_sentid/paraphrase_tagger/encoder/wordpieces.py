"""Wordpieces of pairs, with classes of their words. This module does not need torch.

Doc of a pair -> wordpieces of both texts, joined as the tokenizer joins a pair -> arrays of a batch
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc

from ...arrays import Ints2d
from ...layers.word_case import N_CASES, find_case
from ..matching.words import find_stem
from ..pairs import get_pair, pair_id

# Number of classes by kind: the match in the other text, and the case; 0 = not a word.
CLASSES = {"matches": 5, "cases": 1 + N_CASES}


class PairPieces(NamedTuple):
    """The wordpieces of a pair, including the special ones around and between the texts.

    ids, types, matches, cases: One number for each wordpiece.
    firsts: Index of the first wordpiece of each word.
    tokens: Index of each word in the Doc, without white space and words without wordpieces.
    """

    ids: list[int]
    types: list[int]
    matches: list[int]
    cases: list[int]
    firsts: list[int]
    tokens: list[int]


class PairTokenizer(NamedTuple):
    """A tokenizer that turns pairs into wordpieces.

    backend: A tokenizer of the package `tokenizers`, without truncation and padding.
    padding: Id for padding.
    limit: Maximum number of wordpieces of the encoder, with the special ones; None = no limit.
    has_types: Whether the encoder takes token types, which mark the two texts.
    """

    backend: Any
    padding: int
    limit: int | None
    has_types: bool

    def read(self, doc: Doc) -> PairPieces:
        """Split the words of a pair into wordpieces, and join the two texts.

        Raises ValueError with the pair's id if the encoder takes fewer wordpieces.
        """
        texts = [[token for token in text if not token.is_space] for text in get_pair(doc)]
        words = [[token.text for token in text] for text in texts]
        # encode_batch would start threads, which do not work together with forked processes.
        found = self.backend.encode(*words, is_pretokenized=True)
        if self.limit is not None and len(found.ids) > self.limit:
            raise ValueError(
                f"Pair {pair_id(doc)!r} must have at most {self.limit} wordpieces, which the "
                f"encoder takes, got {len(found.ids)}. Compare shorter texts, or set a smaller "
                "'window'."
            )
        matches = [find_matches(*words), find_matches(*reversed(words))]
        classes = {
            (side, i): (matches[side][i], 1 + find_case(word))
            for side in (0, 1)
            for i, word in enumerate(words[side])
        }
        # The side and the word of each wordpiece; None for special ones.
        owners = list(zip(found.sequence_ids, found.word_ids, strict=True))
        rows = [classes.get(owner, (0, 0)) for owner in owners]
        firsts = {owner: i for i, owner in reversed([*enumerate(owners)]) if owner in classes}
        places = sorted((first, texts[side][word].i) for (side, word), first in firsts.items())
        return PairPieces(
            found.ids,
            found.type_ids,
            [match for match, _ in rows],
            [case for _, case in rows],
            [first for first, _ in places],
            [token for _, token in places],
        )


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
        [i * longest + np.array(pair.firsts, dtype="int64") for i, pair in enumerate(pairs)]
    )
    return inputs

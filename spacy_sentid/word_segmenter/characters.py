"""The characters of Docs, and the places where words must or must not end.

docs -> concatenated characters without white space -> codes, kinds, constraints
tags -> the tokens of each Doc merged into words -> a new Doc

A Doc may have any tokens; blank("zh") makes one for each character. White space ends a word, and a
token is never split. The new Doc has the same text.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from spacy.attrs import ORTH, SPACY
from spacy.tokens import Doc, Span
from spacy.util import filter_spans

from ..arrays import Bools1d, Bools2d, Ints1d
from .crf import B, E, M, S

# Kinds of characters.
HAN, NUMERAL, DIGIT, LATIN, SYMBOL, LETTER, OTHER = range(7)
N_KINDS = 7
NUMERALS = frozenset("一二三四五六七八九十百千万亿零〇两")
# Signs with the same meaning are folded into one, and all rare signs into "~", because other kinds
# of text have other signs.
SAME_SIGNS = {
    **dict.fromkeys("“”「」『』‘’", '"'),
    **dict.fromkeys("《〈", "<"),
    **dict.fromkeys("》〉", ">"),
    **dict.fromkeys("—–", "-"),
    "、": ",", "∶": ":", "～": "~", "•": "·", "・": "·",
}  # fmt: skip
KNOWN_SIGNS = frozenset(',.。()!?:;"<>-·/%')
OTHER_SIGN = "~"
# A batch takes about 5 kB per character.
MAX_CHARACTERS = 50_000
Item = TypeVar("Item", str, Doc)
# The key of the vectors of spacy-transformers, which belong to characters and not to words.
TRANSFORMER_KEY = ("._.", "trf_data", None, None)
# The neighbour of characters at the ends of a text and next to white space.
EDGE = ord("^")


class Characters(NamedTuple):
    """The concatenated characters of a batch of Docs, without white space."""

    docs: list[Doc]
    codes: Ints1d  # (n,) int64: code points, folded (see `fold`)
    kinds: Ints1d  # (n,) int64: HAN, NUMERAL, ...
    starts: Bools1d  # (n,) True for the first character of a Doc, which starts a chain of the CRF
    must_end: Bools1d  # (n,) True before white space and at the end of a Doc: a word must end
    must_not_end: Bools1d  # (n,) True if the token continues after the character
    lengths: Ints1d  # (n_docs,) number of characters of each Doc
    tokens: "Tokens"
    # In training, the gold words of each Doc; an empty list where they are not fully known.
    words: list[list[str]] | None = None


class Tokens(NamedTuple):
    """The concatenated tokens of a batch of Docs."""

    strings: list[str]
    lengths: Ints1d  # (n_tokens,) number of characters without white space
    spaces: Bools1d  # (n_tokens,) True if a space follows
    stops: Ints1d  # (n_docs,) end of the tokens of each Doc

    def split(self) -> "list[Tokens]":
        """Split the tokens by Doc."""
        return [
            Tokens(self.strings[a:b], self.lengths[a:b], self.spaces[a:b], np.array([b - a]))
            for a, b in pairwise([0, *self.stops.tolist()])
        ]


class Words(NamedTuple):
    """The words of a Doc. White space is included, so the text can be joined from them."""

    strings: list[str]
    spaces: list[bool]  # True if a space follows


@cache
def fold(character: str) -> tuple[int, int]:
    """Return the code point and the kind of a character for the model.

    Digits are folded into 0, Latin letters into a, signs into their plain form (NFKC), and rare
    signs into "~".

    >>> chr(fold("７")[0]), chr(fold("Z")[0]), chr(fold("，")[0]), chr(fold("语")[0])
    ('0', 'a', ',', '语')
    """
    plain = unicodedata.normalize("NFKC", character)
    char = plain if len(plain) == 1 else character
    char = SAME_SIGNS.get(char, char)
    if unicodedata.category(char)[0] in "PSC":
        return ord(char if char in KNOWN_SIGNS else OTHER_SIGN), SYMBOL
    if char in NUMERALS:
        return ord(char), NUMERAL
    if char.isdigit():
        return ord("0"), DIGIT
    if char.isascii() and char.isalpha():
        return ord("a"), LATIN
    if "\u3400" <= char <= "\u9fff" or char >= "\U00020000":
        return ord(char), HAN
    return ord(char), LETTER if char.isalpha() else OTHER


def without_symbols(words: Iterable[str]) -> list[str]:
    """Remove words that have only punctuation or other signs.

    >>> without_symbols(["好", "，", "走", "吧", "！"])
    ['好', '走', '吧']
    """
    return [word for word in words if any(fold(char)[1] != SYMBOL for char in word)]


def cut_batches(stream: Iterable[Item], *, size: int) -> Iterator[list[Item]]:
    """Split a stream into batches of at most `size` texts and MAX_CHARACTERS characters.

    A longer text is a batch of its own. For a Doc, the number of tokens is used.

    >>> list(cut_batches(["a", "b", "c"], size=2))
    [['a', 'b'], ['c']]
    """
    batch: list[Item] = []
    n_characters = 0
    for item in stream:
        n = len(item)
        if batch and (len(batch) == size or n_characters + n > MAX_CHARACTERS):
            yield batch
            batch, n_characters = [], 0
        batch.append(item)
        n_characters += n
    if batch:
        yield batch


def read_characters(docs: Sequence[Doc]) -> Characters:
    """Read the characters of a batch of Docs, which may be empty."""
    docs = list(docs)
    arrays = [doc.to_array([ORTH, SPACY]).reshape(len(doc), 2) for doc in docs]
    n_tokens = [len(array) for array in arrays]
    rows: Any = np.concatenate(arrays) if docs else np.zeros((0, 2), dtype="uint64")
    # Each different string is read once, as a text has few different characters.
    orths, inverse = np.unique(rows[:, 0], return_inverse=True)
    stores = list({id(doc.vocab): doc.vocab.strings for doc in docs}.values())
    strings = [next(s[orth] for s in stores if orth in s) for orth in orths.tolist()]
    texts = ["".join(text.split()) for text in strings]
    sizes = np.array([len(text) for text in texts], dtype="int64")
    folded = np.array([fold(char) for text in texts for char in text], dtype="int64")
    first = np.cumsum(sizes) - sizes  # where the characters of each string start in `folded`
    token_lengths = sizes[inverse]
    ends = np.cumsum(token_lengths)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(
        ends - token_lengths, token_lengths
    )
    chars = folded.reshape(-1, 2)[np.repeat(first[inverse], token_lengths) + within]

    doc_of_token = np.repeat(np.arange(len(docs)), n_tokens)
    lengths = np.bincount(doc_of_token, weights=token_lengths, minlength=len(docs)).astype("int64")
    doc_ends = np.cumsum(lengths)
    starts = np.zeros(len(chars), dtype=bool)
    starts[(doc_ends - lengths)[lengths > 0]] = True
    must_end = np.zeros(len(chars), dtype=bool)
    must_end[doc_ends[lengths > 0] - 1] = True
    # Words end before a space, and before and after a token of white space. `ends - 1` is the last
    # character up to a token. It may be in an earlier Doc, where a word ends anyway.
    broken = (rows[:, 1] == 1) | (token_lengths == 0)
    last = ends[broken] - 1
    must_end[last[last >= 0]] = True
    must_not_end = np.ones(len(chars), dtype=bool)
    must_not_end[ends[token_lengths > 0] - 1] = False

    tokens = Tokens(
        list(map(strings.__getitem__, inverse.tolist())),
        token_lengths,
        rows[:, 1] == 1,
        np.cumsum(n_tokens, dtype="int64"),
    )
    return Characters(
        docs, chars[:, 0], chars[:, 1], starts, must_end, must_not_end, lengths, tokens
    )


def find_new(batch: Characters, seen: set[bytes]) -> Bools1d:
    """Find the characters of new texts: (n,).

    Repeated texts, perhaps without punctuation, would make all of their words look frequent.

    seen: The texts seen before. Those of the batch are added.
    """
    is_symbol = batch.kinds == SYMBOL
    new = np.zeros(len(batch.codes), dtype=bool)
    for start, end in pairwise([0, *np.cumsum(batch.lengths).tolist()]):
        text = batch.codes[start:end][~is_symbol[start:end]].tobytes()
        new[start:end] = text not in seen
        seen.add(text)
    return new


def allow_tags(must_end: Bools1d, must_not_end: Bools1d) -> Bools2d:
    """Find the tags that are consistent with the places where words must or must not end: (n, 4).

    must_end, must_not_end: (n,), for the gap after each character. There is no constraint before
        the first character.

    >>> allow_tags(np.array([True, False]), np.array([False, False]))[:, B].tolist()
    [False, True]
    """
    allowed = np.ones((len(must_end), 4), dtype=bool)
    for tags, ending in (([B, M], must_end), ([E, S], must_not_end)):
        allowed[:, tags] &= ~ending[:, None]
    for tags, ending in (([M, E], must_end), ([B, S], must_not_end)):
        allowed[1:, tags] &= ~ending[:-1, None]
    return allowed


def join_tokens(tokens: Tokens, ends: Bools1d) -> list[Words]:
    """Merge the tokens of each Doc of a batch into words.

    ends: (n,), True if a word ends after the character.
    """
    last = np.cumsum(tokens.lengths) - 1  # last character up to each token
    # A token of white space is a word, and words end before and after it.
    is_end = tokens.lengths == 0
    is_end[~is_end] = ends[last[~is_end]]
    # Words are slices of the text without the spaces between tokens.
    text = "".join(tokens.strings)
    places = np.cumsum([len(string) for string in tokens.strings], dtype="int64")[is_end]
    words = [text[a:b] for a, b in pairwise([0, *places.tolist()])]
    spaces = tokens.spaces[is_end].tolist()
    stops = np.append(0, np.cumsum(is_end))[tokens.stops].tolist()
    return [Words(words[a:b], spaces[a:b]) for a, b in pairwise([0, *stops])]


def make_doc_of_words(doc: Doc, words: Words) -> Doc:
    """Make a Doc of words from a Doc of characters.

    It is a new Doc because retokenising in place takes quadratic time.

    RETURNS: A Doc with the same text, `user_data`, categories and spans. Spans that begin or end
        inside words are expanded to whole words. If each token is a word, `doc` is returned.
    """
    if len(words.strings) == len(doc):
        return doc
    user_data = {key: doc.user_data[key] for key in doc.user_data if key != TRANSFORMER_KEY}
    joined = Doc(doc.vocab, words=words.strings, spaces=words.spaces, user_data=user_data)
    joined.user_hooks, joined.user_span_hooks = doc.user_hooks, doc.user_span_hooks
    joined.user_token_hooks = doc.user_token_hooks
    joined.cats = doc.cats
    if doc.ents:
        joined.ents = filter_spans(_move_span(span, joined) for span in doc.ents)
    joined._context = doc._context  # used by nlp.pipe(as_tuples=True)
    for key, group in doc.spans.items() if doc.spans else ():
        joined.spans[key] = [_move_span(span, joined) for span in group]
        joined.spans[key].attrs.update(group.attrs)
    return joined


def _move_span(span: Span, joined: Doc) -> Span:
    """Find the span of words that covers a span of characters."""
    found = joined.char_span(
        span.start_char,
        span.end_char,
        label=span.label,
        kb_id=span.kb_id,
        span_id=span.id,
        alignment_mode="expand",
    )
    if found is None:  # an empty span at an end of the text
        place = len(joined) if span.start_char else 0
        return Span(joined, place, place, span.label, kb_id=span.kb_id, span_id=span.id)
    return found

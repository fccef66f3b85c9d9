"""The plain form of a text: composed (NFC), and without the characters of format in its words.

text -> plain text -> tokens -> the same tokens in the text, which is never changed
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from spacy.attrs import NORM
from spacy.tokens import Doc

# Characters that do not print: soft hyphen, zero-width space, word joiner, marks of direction, byte
# order mark. Without the joiners of emoji and of Persian and Indic words, which have a meaning.
FORMAT = re.compile("[\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_WORD = re.compile(r"\S+")


def is_plain(text: str) -> bool:
    """Check if a text is its own plain form, as nearly all texts are."""
    if text.isascii():
        return True
    return unicodedata.is_normalized("NFC", text) and not FORMAT.search(text)


def make_plain(text: str) -> str:
    """Make the plain form of a text; a word of nothing but characters of format stays.

    >>> make_plain("zo\\u00ade\\u0308n \\u200b")
    'zoën \\u200b'
    """
    shown = _WORD.sub(lambda word: FORMAT.sub("", word[0]) or word[0], text)
    return unicodedata.normalize("NFC", shown)


def tokenize_plain(tokenize: Callable[[str], Doc], text: str) -> Doc:
    """Tokenize the plain form of a text, and return a Doc of the text with these tokens.

    Characters of format belong to the token before them. The norms are those of the plain tokens.
    """
    doc = tokenize(make_plain(text))
    # Both forms have the same canonical decomposition, in whose characters places are counted.
    sizes = [len(unicodedata.normalize("NFD", char)) for char in doc.text]
    before = list(accumulate(sizes, initial=0))
    ends = [before[token.idx + len(token)] for token in doc]
    sizes = _measure(text)
    words, start = [], 0
    for token, size in zip(doc, ends, strict=True):
        # A word takes the characters of format after it, and white space leaves them to the next.
        end = bisect_left(sizes, size) if token.is_space else bisect_right(sizes, size) - 1
        words.append(text[start:end])
        start = end + bool(token.whitespace_)
    if not all(words):  # a token ends within a character that has no composed form
        return tokenize(text)
    found = Doc(doc.vocab, words=words, spaces=[bool(token.whitespace_) for token in doc])
    norms: Any = doc.to_array([NORM])
    return found.from_array([NORM], norms)


def _measure(text: str) -> list[int]:
    """Count the decomposed characters of the plain form before each place of a text."""
    sizes = [len(unicodedata.normalize("NFD", char)) for char in text]
    for word in _WORD.finditer(text):
        if FORMAT.sub("", word[0]):
            for mark in FORMAT.finditer(text, *word.span()):
                sizes[mark.start()] = 0
    return list(accumulate(sizes, initial=0))


def read_plain(doc: Doc) -> Doc:
    """Return a Doc with the same tokens in their plain form: the Doc itself if it is plain."""
    strings = doc.vocab.strings
    words = [token.text for token in doc]
    plain = [make_plain(word) for word in words]
    if words == plain:
        return doc
    spaces = [bool(token.whitespace_) for token in doc]
    found = Doc(doc.vocab, words=plain, spaces=spaces)
    # A norm that a tokenizer has set stays; another is that of the plain word.
    for token, read in zip(doc, found, strict=True):
        if token.norm != token.lex.norm:
            read.norm_ = strings[token.norm]
    return found

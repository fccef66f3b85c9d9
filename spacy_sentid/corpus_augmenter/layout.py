"""Where the words of a unit are in its text, and its multiword tokens."""

from itertools import pairwise
from typing import NamedTuple

from ..blocks import FORM, UnitRows
from ..treebank import Token, find_text, list_tokens
from .noun_phrases import NounPhrase


class Layout(NamedTuple):
    """The text of a unit, word by word, and its multiword tokens."""

    # The characters of each word and the white space after it: joined, they are the text. Of the
    # words of a token that they do not spell, the first has all and the others nothing.
    pieces: list[str]
    ranges: list[Token]  # the multiword tokens

    def phrase_text(self, phrase: NounPhrase) -> str:
        """The characters from the first word of a phrase to its last."""
        return "".join(self.pieces[phrase.start : phrase.end]).rstrip()

    def is_cut_clean(self, phrase: NounPhrase) -> bool:
        """Whether the edges of a phrase are between characters: not inside "zum" = "zu" + "dem"."""
        return all(
            token.is_spelled or not token.start < edge < token.end
            for token in self.ranges
            for edge in (phrase.start, phrase.end)
        )


def lay_out(unit: UnitRows, place: str) -> Layout:
    """Find the words of a unit in its text.

    Raises ValueError that names the place if words and text differ.
    """
    tokens = list_tokens(unit)
    text, starts = find_text(unit, tokens, place)
    characters = [text[start:end] for start, end in pairwise([*starts, len(text)])]
    if len(tokens) == len(unit.words):
        return Layout(characters, [])
    pieces = [""] * len(unit.words)
    ranges = [token for token in tokens if token.end - token.start > 1]
    for token, chars in zip(tokens, characters, strict=True):
        pieces[token.start] = chars
        if token.is_spelled:
            pieces[token.start : token.end] = [
                row[FORM] for row in unit.words[token.start : token.end]
            ]
            pieces[token.end - 1] += chars[len(token.row[FORM]) :]
    return Layout(pieces, ranges)

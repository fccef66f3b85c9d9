"""Where the words of a unit are in its text, and its multiword tokens."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ..blocks import FORM, ID, MISC, UnitRows, get_comment
from .noun_phrases import NounPhrase


class Layout(NamedTuple):
    """The text of a unit, word by word, and its multiword tokens."""

    # The characters of each word and the white space behind it: end to end, they are the text. Of
    # the words of a token that they do not spell, the first has all and the others nothing.
    pieces: list[str]
    ranges: list["Range"]

    def phrase_text(self, phrase: NounPhrase) -> str:
        """The characters from the first word of a phrase to its last."""
        return "".join(self.pieces[phrase.start : phrase.end]).rstrip()


class Range(NamedTuple):
    """A multiword token: words `[start, end)`."""

    start: int
    end: int
    spelled: bool  # its words, laid end to end, are its form
    row: list[str]


def lay_out(unit: UnitRows, place: str) -> Layout:
    """Find the words of a unit in its `# text`, which is put together if there is none.

    Raises ValueError that names the place if words and text differ.
    """
    tokens, ranges = _find_tokens(unit)
    spelled = [
        row[FORM] if "SpaceAfter=No" in row[MISC] else f"{row[FORM]} " for _, _, row in tokens
    ]
    text = get_comment(unit.comments, "text")
    if text is not None and "".join(spelled).rstrip() != text:
        spelled = _search_tokens(unit, tokens, text, place)
    if not ranges:
        return Layout(spelled, [])
    pieces = [""] * len(unit.words)
    spelled_ranges = {(piece.start, piece.end) for piece in ranges if piece.spelled}
    for (start, end, row), characters in zip(tokens, spelled, strict=True):
        if (start, end) in spelled_ranges:
            pieces[start:end] = [word[FORM] for word in unit.words[start:end]]
            pieces[end - 1] += characters[len(row[FORM]) :]
        else:
            pieces[start] = characters
    return Layout(pieces, ranges)


Token = tuple[int, int, list[str]]  # words `[start, end)`, and the row with the form


def _find_tokens(unit: UnitRows) -> tuple[list[Token], list[Range]]:
    """List what is written: words, or multiword tokens in their place."""
    if len(unit.rows) == len(unit.words):
        return [(n, n + 1, row) for n, row in enumerate(unit.words)], []
    tokens: list[Token] = []
    ranges: list[Range] = []
    n_words = covered = 0
    for row in unit.rows:
        name = row[ID]
        if "-" in name:
            start, covered = parse_range(name)
            spelled = row[FORM] == "".join(word[FORM] for word in unit.words[start:covered])
            ranges.append(Range(start, covered, spelled, row))
            tokens.append((start, covered, row))
        elif "." not in name:
            n_words += 1
            if n_words > covered:
                tokens.append((n_words - 1, n_words, row))
    return tokens, ranges


def _search_tokens(unit: UnitRows, tokens: list[Token], text: str, place: str) -> list[str]:
    """Find the tokens in the text one by one: the characters of each up to the next."""
    starts = []
    position = 0
    for _, _, row in tokens:
        form = row[FORM]
        start = text.find(form, position)
        if start < 0 or text[position:start].strip():
            raise ValueError(
                f"{place} (sent_id {get_comment(unit.comments, 'sent_id')}): '# text' and the "
                f"words differ: found {text[position : position + 20]!r} at character {position}, "
                f"expected {form!r}. Mend the text or the FORM column."
            )
        starts.append(start)
        position = start + len(form)
    if text[position:].strip():
        raise ValueError(
            f"{place} (sent_id {get_comment(unit.comments, 'sent_id')}): '# text' goes on after "
            f"the last word: {text[position : position + 20]!r}. Mend the text or add the words."
        )
    return [text[start:end] for start, end in pairwise([*starts, len(text)])]


def is_cut_clean(phrase: NounPhrase, layout: Layout) -> bool:
    """Whether the edges of a phrase fall between characters: not inside "zum" = "zu" + "dem"."""
    return all(
        piece.spelled or not piece.start < edge < piece.end
        for piece in layout.ranges
        for edge in (phrase.start, phrase.end)
    )


def parse_range(name: str) -> tuple[int, int]:
    """Read the id of a multiword token: "3-4" is the words `[2, 4)`."""
    first, _, last = name.partition("-")
    return int(first) - 1, int(last)


def compare_range(piece: Range, phrase: NounPhrase) -> str:
    """Say whether the "whole" of a multiword token is in a phrase, "part" of it, or "none"."""
    if piece.end <= phrase.start or piece.start >= phrase.end:
        return "none"
    return "whole" if phrase.start <= piece.start and piece.end <= phrase.end else "part"


def has_space_after(row: Sequence[str]) -> bool:
    """Whether white space follows a token."""
    return "SpaceAfter=No" not in row[MISC].split("|")

"""The tags of characters, and the words that they stand for.

words <-> B, M, E, S of their characters, words -> spans

BMES: B begins a word of several characters, M is inside it, E ends it; S is a word by itself. The
integers of the tags, which index the columns of all scores, are defined here.
Characters are those of the words, one after the other; there is no white space among them.
"""

from collections.abc import Iterable, Sequence

B, M, E, S = range(4)
TAGS = ("B", "M", "E", "S")
# Span group of a partly annotated Doc: inside its spans the word boundaries are unknown.
CHUNKS_KEY = "chunks"
# The tags that may follow a tag, and those that may stand first or last.
NEXT = {B: (M, E), M: (M, E), E: (B, S), S: (B, S)}
FIRST = (B, S)
LAST = (E, S)


def bmes_from_words(words: Iterable[str]) -> list[int]:
    """Tag the characters of words.

    RETURNS: A tag (0 to 3) for each character; [] without words. ValueError for an empty word.

    >>> bmes_from_words(["邀请", "上", "朋友"]) == [B, E, S, B, E]
    True
    """
    tags: list[int] = []
    for start, end in spans_from_words(words):
        tags += [S] if end - start == 1 else [B, *[M] * (end - start - 2), E]
    return tags


def words_from_bmes(text: str, tags: Sequence[int]) -> list[str]:
    """Cut a text into the words that tags stand for.

    tags: (n_characters,) legal: each word is S, or B, any number of M, and E.

    >>> words_from_bmes("邀请上朋友", [B, E, S, B, E])
    ['邀请', '上', '朋友']
    """
    if len(text) != len(tags):
        raise ValueError(
            f"Found {len(tags)} tags for the {len(text)} characters of {text[:30]!r}, expected a "
            "tag for each. Check the tags."
        )
    words: list[str] = []
    start, allowed = 0, FIRST
    for i, tag in enumerate(tags):
        if tag not in allowed:
            raise _illegal(f"tag {_name(tag)} of character {i}", tags[: i + 1], allowed)
        if tag in LAST:
            words.append(text[start : i + 1])
            start = i + 1
        allowed = NEXT[tag]
    if start < len(text):
        raise _illegal("the end", tags, allowed)
    return words


def _illegal(what: str, tags: Sequence[int], allowed: Sequence[int]) -> ValueError:
    """Make the error of tags that are no words."""
    return ValueError(
        f"Found {what} in {' '.join(map(_name, tags[-12:]))}, expected "
        f"{' or '.join(map(_name, allowed))}. Give tags in which each word is S or B, M..., E."
    )


def _name(tag: int) -> str:
    """Write a tag as its letter, what is none as it is."""
    return TAGS[tag] if tag in NEXT else repr(tag)


def spans_from_words(words: Iterable[str]) -> list[tuple[int, int]]:
    """Find (start, end) of words, in characters, in the text that they make without white space.

    RETURNS: Half-open spans that tile the text. ValueError for an empty word.

    >>> spans_from_words(["邀请", "上"])
    [(0, 2), (2, 3)]
    """
    spans: list[tuple[int, int]] = []
    end = 0
    for word in words:
        if not word:
            raise ValueError(
                f"Found an empty word after {len(spans)} words, expected a character or more in "
                "each. Leave it out."
            )
        start, end = end, end + len(word)
        spans.append((start, end))
    return spans

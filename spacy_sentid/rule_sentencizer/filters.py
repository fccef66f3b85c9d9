"""Filters: text -> another text, mapped to the original (section 2). No spaCy, no numpy.

text -> edits (start, end, new text) -> filtered text and offset map; maps compose in a chain

A filter is any function that takes a text and returns a `MappedText`. Its offset map maps spans of
the filtered text to the original text:

>>> clean = chain([strip_markup, decode_entities, join_hyphens])
>>> filtered = clean("<p>A jour-\\nney &amp; a &lt;tag&gt;.")
>>> filtered.text
'A journey & a <tag>.'
>>> filtered.offsets.map_span(2, 9)
(5, 14)

A filter of your own needs two lines:

>>> def drop_notes(text: str) -> MappedText:
...     return replace_matches(text, r"\\[\\d+\\]", "")
>>> chain([drop_notes, strip_markup])("So it is.[12]<br>").text
'So it is.'

For any text, the time and memory of the filters are proportional to its length.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Set
from functools import partial
from html.entities import html5
from typing import NamedTuple

from ..text.offsets import Edit, MappedText, OffsetMap, apply_edits

# "<" does not start mark-up before white space, a digit or one of these signs: "a < b", "p <0.05",
# "<-", "<=". Nor are addresses mark-up: <john@x.com>, <mailto:john@x.com>, <https://x.com>.
_ADDRESS = r"(?:[^\s<>/=\"']{1,100}@|[A-Za-z][A-Za-z\d+.-]{1,15}://)[^\s<>]+>"
_TAG = re.compile(rf"<(?![\s\d=.+~-]|{_ADDRESS})[^\n<>]+>")
_TAG_OR_COMMENT = re.compile(rf"<!--|{_TAG.pattern}")
_COMMENT, _COMMENT_END = "<!--", "-->"
# html.unescape fails on numbers with thousands of digits, and decodes "&notit;", which is not an
# entity.
_ENTITY = re.compile(r"&(?:#\d{1,8}|#[xX][\da-fA-F]{1,8}|[a-zA-Z][a-zA-Z\d]{1,31});", re.ASCII)

_SOFT_HYPHEN = "\u00ad"
_LINE_END = re.compile(rf"[-\u2010{_SOFT_HYPHEN}][ \t]*\r?\n[ \t]*")
_IN_WORD = r"[\w\u0300-\u036f]"
_HYPHENS = r"[-\u2010]"
_COMPOUND = re.compile(rf"{_IN_WORD}+(?:(?:['’]|{_HYPHENS}){_IN_WORD}+)*")
_PART = re.compile(rf"{_IN_WORD}+")
# Number of characters of a word that are read on each side of a line end.
_MAX_HALF = 60

Filter = Callable[[str], MappedText]


def replace_matches(
    text: str, pattern: str | re.Pattern[str], replacement: str | Callable[[re.Match[str]], str]
) -> MappedText:
    r"""Replace the matches of a regular expression, as `re.sub` does.

    The offset map treats the whole match as replaced. Put characters that are kept into a
    look-around. The time depends on the pattern.

    >>> replace_matches("so--and so", "--", " - ").text
    'so - and so'
    >>> replace_matches("1.000.000", r"(?<=\d)\.(?=\d)", "").offsets.map_span(0, 4)
    (0, 5)
    """

    def expand(match: re.Match[str]) -> str:
        return match.expand(replacement) if isinstance(replacement, str) else replacement(match)

    return apply_edits(text, ((*m.span(), expand(m)) for m in re.finditer(pattern, text)))


def strip_markup(text: str, *, replacement: str = "") -> MappedText:
    """Remove SGML-like mark-up, `<[^\\n<>]+>` (Figure 2), and comments with their content.

    A "<" is kept if no ">" follows on its line. It is also kept before white space, a digit, or one
    of `=.+~-`, because mark-up does not begin like that. A comment without an end is kept, and,
    unlike in the paper, so are addresses (`<john@x.com>`). Text between two tags is kept, including
    scripts and styles.

    replacement: Replaces adjacent tags and comments. Use " " if only tags separate the sentences,
        as in the third example. Without it, "One.Two." would be one sentence.

    >>> strip_markup("<s id=1>If a < b, <i>stop</i>.</s> <!-- no <b> -->").text
    'If a < b, stop. '
    >>> strip_markup("<b>From</b>: John <john@x.com>").text
    'From: John <john@x.com>'
    >>> strip_markup("<p>One.</p><p>Two.</p>", replacement=" ").text
    ' One. Two. '
    """
    return apply_edits(text, ((start, end, replacement) for start, end in _find_markup(text)))


def _find_markup(text: str) -> Iterator[tuple[int, int]]:
    """Find the spans of mark-up; adjacent tags and comments are one span."""
    row_start = row_end = position = 0
    comments_end = True
    while match := _TAG_OR_COMMENT.search(text, position):
        start, position = match.span()
        if match[0] == _COMMENT:
            # If there is no end of a comment, do not search again at each of a million "<!--".
            # "<!-->" is a whole comment.
            close = text.find(_COMMENT_END, start + 2) if comments_end else -1
            comments_end = close >= 0
            if comments_end:
                position = close + len(_COMMENT_END)
            elif tag := _TAG.match(text, start):
                position = tag.end()
            else:
                continue
        if start > row_end:
            if row_end:
                yield row_start, row_end
            row_start = start
        row_end = position
    if row_end:
        yield row_start, row_end


def decode_entities(text: str) -> MappedText:
    """Replace HTML entities that end in a semicolon by their characters.

    As in HTML, an invalid character number becomes U+FFFD or nothing. Unknown names are kept. Strip
    mark-up first, because "&lt;b&gt;" is not a tag.

    >>> decode_entities("AT&amp;T &#233; &unknown; &co")
    ... # doctest: +ELLIPSIS
    MappedText(text='AT&T é &unknown; &co', offsets=...)
    """
    matches = _ENTITY.finditer(text)
    return apply_edits(
        text,
        (
            (*match.span(), html.unescape(match[0]))
            for match in matches
            if match[0][1] == "#" or match[0][1:] in html5
        ),
    )


def join_hyphens(text: str, *, lexicon: Set[str] | None = None) -> MappedText:
    """Join words that are hyphenated at line ends (Figure 3).

    A hyphen after a lower-case letter of any script is removed, with the spaces and the one line
    end after it. U+2010 counts as a hyphen, and so does a soft hyphen (U+00AD).

    lexicon: Known words, lower-case unless always capitalised. With a lexicon, a hyphen is kept,
        and only the line end removed, in two cases: the word is known with its hyphen, or both
        parts are known and the joined word is not. Numbers count as known. Soft hyphens are always
        removed. If no letter or digit follows, nothing is changed.

    >>> text = "the small-\\ntown jour-\\n  ney"
    >>> join_hyphens(text).text
    'the smalltown journey'
    >>> join_hyphens(text, lexicon={"small", "town", "journey"}).text
    'the small-town journey'
    """
    return apply_edits(text, _find_hyphenated(text, lexicon))


def _find_hyphenated(text: str, lexicon: Set[str] | None) -> Iterator[Edit]:
    for match in _LINE_END.finditer(text):
        hyphen, end = match.span()
        if not _ends_lower_case(text, hyphen):
            continue
        if lexicon is None or text[hyphen] == _SOFT_HYPHEN:
            yield hyphen, end, ""
        # The reversed text begins with the word before the hyphen, also reversed.
        elif (after := _COMPOUND.match(text, end, end + _MAX_HALF)) and (
            before := _COMPOUND.match(text[max(0, hyphen - _MAX_HALF) : hyphen][::-1])
        ):
            keeps = _keeps_hyphen(before[0][::-1], after[0], lexicon)
            yield hyphen + keeps, end, ""


def _ends_lower_case(text: str, end: int) -> bool:
    """Check if `text[:end]` ends in a lower-case letter, with its combining marks."""
    last = end - 1
    while last >= 0 and unicodedata.category(text[last])[0] == "M":
        last -= 1
    return last >= 0 and text[last].islower() and text[last].isalpha()


def _keeps_hyphen(before: str, after: str, lexicon: Set[str]) -> bool:
    """Check if the hyphen at a line end belongs to the word.

    before, after: The halves of the word. The parts next to the hyphen are looked up too: "go" and
        "round" of "merry-go-" and "round".
    """

    def is_known(word: str) -> bool:
        return word in lexicon or word.lower() in lexicon

    parts = _PART.findall(before)[-1], _PART.findall(after)[0]
    pairs = [parts, (before, after)]
    if any(is_known(f"{one}-{other}") for one, other in pairs):
        return True
    if any(is_known(one + other) for one, other in pairs):
        return False
    return all(part.isdecimal() or is_known(part) for part in parts)


class FilterChain(NamedTuple):
    """A filter that applies several filters, each to the output of the one before. See `chain`."""

    filters: tuple[Filter, ...]

    def __call__(self, text: str) -> MappedText:
        filtered = MappedText(text, OffsetMap.identity(len(text)))
        for function in self.filters:
            step = function(filtered.text)
            _check_filtered(step, filtered.text, function)
            filtered = MappedText(step.text, filtered.offsets.compose(step.offsets))
        return filtered


def chain(filters: Iterable[Filter]) -> FilterChain:
    """Combine filters into one, which applies them in this order. Without any, texts are unchanged.

    Raises ValueError if one of them is not a function. The combined filter raises ValueError if one
    of them does not return a `MappedText`, or if its map does not fit its text.

    >>> chain([])("a <b>").text
    'a <b>'
    """
    functions = tuple(filters)
    for function in functions:
        if not callable(function):
            raise ValueError(
                f"Filters must be functions text -> MappedText, got {function!r}. Pass the "
                "function itself."
            )
    return FilterChain(functions)


def _check_filtered(step: object, text: str, function: Filter) -> None:
    """Raise ValueError if a filter did not return a text and its offset map."""
    named = function.func if isinstance(function, partial) else function
    name = getattr(named, "__name__", type(named).__name__)
    if not (isinstance(step, MappedText) and isinstance(step.offsets, OffsetMap)):
        raise ValueError(f"Filter {name!r} must return a MappedText, got {type(step).__name__}.")
    offsets = step.offsets
    offsets.check()
    if (offsets.n_chars, offsets.n_original) != (len(step.text), len(text)) or any(
        step.text[start : start + length] != text[original : original + length]
        for start, original, length in offsets.pieces
    ):
        raise ValueError(
            f"Filter {name!r} must return the offset map of its changes, got one that does not fit "
            "its text. Make both with 'replace_matches' or 'apply_edits'."
        )


def make_strip_markup(replacement: str = "") -> Filter:
    """Make the filter `strip_markup`."""
    return partial(strip_markup, replacement=replacement)


def make_join_hyphens(lexicon: list[str] | None = None) -> Filter:
    """Make the filter `join_hyphens`."""
    return partial(join_hyphens, lexicon=None if lexicon is None else frozenset(lexicon))


def make_decode_entities() -> Filter:
    """Make the filter `decode_entities`."""
    return decode_entities

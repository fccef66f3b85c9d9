"""Filters: text -> another text, mapped to the original (section 2). No spaCy, no numpy.

text -> edits (start, end, new text) -> filtered text and offset map; maps compose in a chain

A filter is any function of a text that returns a `MappedText`. Spans of the filtered text are
mapped to the original:

>>> clean = chain([strip_markup, decode_entities, join_hyphens])
>>> filtered = clean("<p>A jour-\\nney &amp; a &lt;tag&gt;.")
>>> filtered.text
'A journey & a <tag>.'
>>> filtered.offsets.map_span(2, 9)
(5, 14)

A user's filter is two lines:

>>> def drop_notes(text: str) -> MappedText:
...     return replace_matches(text, r"\\[\\d+\\]", "")
>>> chain([drop_notes, strip_markup])("So it is.[12]<br>").text
'So it is.'

All filters take time and memory in proportion to the text, whatever it holds.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Set
from functools import partial
from html.entities import html5
from typing import NamedTuple

from ..offsets import Edit, MappedText, OffsetMap, apply_edits

# Behind white space, a digit or one of these, "<" is no mark-up: "a < b", "p <0.05", "<-", "<=".
# Nor is an address in angle brackets: <john@x.com>, <mailto:john@x.com>, <https://x.com>.
_ADDRESS = r"(?:[^\s<>/=\"']{1,100}@|[A-Za-z][A-Za-z\d+.-]{1,15}://)[^\s<>]+>"
_TAG = re.compile(rf"<(?![\s\d=.+~-]|{_ADDRESS})[^\n<>]+>")
_TAG_OR_COMMENT = re.compile(rf"<!--|{_TAG.pattern}")
_COMMENT, _COMMENT_END = "<!--", "-->"
# html.unescape fails on numbers of thousands of digits, and decodes "&notit;", which is no entity.
_ENTITY = re.compile(r"&(?:#\d{1,8}|#[xX][\da-fA-F]{1,8}|[a-zA-Z][a-zA-Z\d]{1,31});", re.ASCII)

_SOFT_HYPHEN = "\u00ad"
_LINE_END = re.compile(rf"[-\u2010{_SOFT_HYPHEN}][ \t]*\r?\n[ \t]*")
_IN_WORD = r"[\w\u0300-\u036f]"
_HYPHENS = r"[-\u2010]"
_COMPOUND = re.compile(rf"{_IN_WORD}+(?:(?:['’]|{_HYPHENS}){_IN_WORD}+)*")
_PART = re.compile(rf"{_IN_WORD}+")
# How much of a word is looked at on each side of a line end.
_MAX_HALF = 60

Filter = Callable[[str], MappedText]


def replace_matches(
    text: str, pattern: str | re.Pattern[str], replacement: str | Callable[[re.Match[str]], str]
) -> MappedText:
    r"""Replace what a regular expression matches, as `re.sub` does.

    A whole match is replaced: what is to count as kept belongs in a look-around. The time is that
    of the pattern.

    >>> replace_matches("so--and so", "--", " - ").text
    'so - and so'
    >>> replace_matches("1.000.000", r"(?<=\d)\.(?=\d)", "").offsets.map_span(0, 4)
    (0, 5)
    """

    def expand(match: re.Match[str]) -> str:
        return match.expand(replacement) if isinstance(replacement, str) else replacement(match)

    return apply_edits(text, ((*m.span(), expand(m)) for m in re.finditer(pattern, text)))


def strip_markup(text: str, *, replacement: str = "") -> MappedText:
    """Take out SGML-like mark-up: `<[^\\n<>]+>` (Figure 2), and comments with all that is in them.

    A "<" that no ">" follows on its line stays, and one before white space, a digit, or one of
    `=.+~-`: no mark-up begins like that. So do a comment that never ends and, unlike in the paper,
    addresses (`<john@x.com>`). What stands between two tags stays, scripts and styles too.

    replacement: What stands for a row of mark-up. Give " " where tags alone part sentences, as in
        the third example: "One.Two." would be one sentence.

    >>> strip_markup("<s id=1>If a < b, <i>stop</i>.</s> <!-- no <b> -->").text
    'If a < b, stop. '
    >>> strip_markup("<b>From</b>: John <john@x.com>").text
    'From: John <john@x.com>'
    >>> strip_markup("<p>One.</p><p>Two.</p>", replacement=" ").text
    ' One. Two. '
    """
    return apply_edits(text, ((start, end, replacement) for start, end in _find_markup(text)))


def _find_markup(text: str) -> Iterator[tuple[int, int]]:
    """Find rows of mark-up that touch."""
    row_start = row_end = position = 0
    comments_end = True
    while match := _TAG_OR_COMMENT.search(text, position):
        start, position = match.span()
        if match[0] == _COMMENT:
            # Looked for in vain once: not again, at each of a million "<!--". "<!-->" is a comment.
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
    """Replace the entities of HTML, with their semicolon, by their characters.

    A number that stands for no character becomes U+FFFD or nothing, as in HTML; a name that HTML
    does not know stays. Strip mark-up first: "&lt;b&gt;" is no tag.

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

    A hyphen behind a lower-case letter of any script goes, with the blanks and the one line end
    behind it. So goes a soft hyphen (U+00AD); U+2010 counts as a hyphen.

    lexicon: Known words, lower-case unless always capitalised. With it, the hyphen of a word that
        is known with it stays, and one between two known words that are none when joined; only the
        line end goes. Numbers are known. What no letter or digit follows is left alone.

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
        # Read backwards, the word before the hyphen begins at it.
        elif (after := _COMPOUND.match(text, end, end + _MAX_HALF)) and (
            before := _COMPOUND.match(text[max(0, hyphen - _MAX_HALF) : hyphen][::-1])
        ):
            keeps = _keeps_hyphen(before[0][::-1], after[0], lexicon)
            yield hyphen + keeps, end, ""


def _ends_lower_case(text: str, end: int) -> bool:
    """Whether `text[:end]` ends in a lower-case letter, with its combining marks."""
    last = end - 1
    while last >= 0 and unicodedata.category(text[last])[0] == "M":
        last -= 1
    return last >= 0 and text[last].islower() and text[last].isalpha()


def _keeps_hyphen(before: str, after: str, lexicon: Set[str]) -> bool:
    """Whether a word has a hyphen there of its own.

    before, after: Its halves; of "merry-go-" and "round", the parts "go" and "round" count too.
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
    """Filters as one: each works on what the one before it gave. See `chain`."""

    filters: tuple[Filter, ...]

    def __call__(self, text: str) -> MappedText:
        filtered = MappedText(text, OffsetMap.identity(len(text)))
        for function in self.filters:
            step = function(filtered.text)
            _check_filtered(step, filtered.text, function)
            filtered = MappedText(step.text, filtered.offsets.compose(step.offsets))
        return filtered


def chain(filters: Iterable[Filter]) -> FilterChain:
    """Join filters, in this order, into one, which is a filter too; without any, texts stay.

    Raises ValueError if one is no function; and, when it runs, if one returns something else than
    `MappedText`, or a map that does not fit its text.

    >>> chain([])("a <b>").text
    'a <b>'
    """
    functions = tuple(filters)
    for function in functions:
        if not callable(function):
            raise ValueError(
                f"Filters must be functions text -> MappedText, got {function!r}. Give the "
                "function itself."
            )
    return FilterChain(functions)


def _check_filtered(step: object, text: str, function: Filter) -> None:
    """Raise ValueError if a filter did not return the text and map that it must."""
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
            f"Filter {name!r} must return the map of its changes, got one of another text. Make "
            "text and map with 'replace_matches' or 'apply_edits'."
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

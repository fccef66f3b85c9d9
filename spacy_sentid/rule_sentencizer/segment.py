"""Split text into sentences by rules: half-open character offsets, with `re` only.

text -> runs of end signs, closing signs and white space -> a decision about each -> sentences

One regular expression finds the runs. There are few different runs, so each is read once and
cached. Words before periods are cached too.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..components.settings import check_choice
from ..text.kept_strings import find_kept
from ..text.language_data import Rules, load_rules
from ..text.marks import ENDS
from .counts import split_word
from .periods import (
    BREAK,
    INITIAL,
    LETTER,
    LINE,
    MAYBE,
    NOTHING,
    NUMBERED,
    NUMERAL,
    OPENERS,
    PERIOD,
    PLAIN,
    RUN,
    STRONG,
    TITLE,
    WORD,
    PeriodRules,
    Place,
    Run,
    read_run,
)
from .strategies import BEST, CORPUS, STRATEGIES, Learned, Period

NEWLINES = ("ignore", "break", "blank-line")
# Signs that direct speech starts with.
_SPEECH = "—–-«"
# Signs that can precede the first word of a sentence, after the closing or opening sign of the run.
_LEAD = re.compile(rf"[{re.escape(OPENERS)}]*(?:[-–—•]+\s*)?[{re.escape(OPENERS)}]*")
_QUOTES = set("\"'“‘„‚«»‹›")
_SMILEY_STARTS = set(":;=><^")
# A smiley after a sentence belongs to it.
_SMILEY = re.compile(r"(?:>?[:;=]['’]?-?[()\[\]DPpOo/|*]+|<3+|\^_*\^)(?:\s+|\Z)")
# A line that starts with one of these starts a list item. A weak mark can also start a line of
# wrapped prose. It counts if the line before leads to it, or if another such line follows.
_ITEM = re.compile(r"(?:[*•‣▪◦·]|\d{1,3}[.)]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})\))[ \t]+\S")
_WEAK_ITEM = re.compile(r"(?:[-–—]|(?:[a-zA-Z]|[ivxIVX]{2,5})\.)[ \t]+\S")
_LEADS = ":;,"
_MAX_LINE = 200
# Longer words are not abbreviations.
_MAX_WORD = 40
# Limits of the caches, which must not grow with the text: entries, and characters of a run.
_MAX_CACHED = 50_000
_MAX_RUN = 16
# Number of signs that can precede the first word of a sentence.
_MAX_SIGNS = 8


def segment(
    text: str,
    lang: str = "en",
    *,
    strategy: str = BEST,
    newline: str = "blank-line",
    learned: Learned | None = None,
    extra: Mapping[str, Any] | str | Path | None = None,
    never_split: Sequence[str] = (),
    abbreviations: Sequence[str] = (),
) -> list[tuple[int, int]]:
    r"""Split a text into sentences.

    lang: One of `list_languages()`.
    strategy: "best", or one of the paper: "structure", "corpus", "lexicon+abbreviations" (see
        `strategies`).
    newline: "ignore": a line end (\n, \r\n) is white space. "break": it ends a sentence.
        "blank-line": an empty line ends a sentence, and so does a line end before a list item.
    learned: The data that `learn` found in a corpus. "corpus" needs it.
    extra: More data for the language, as in `load_rules`.
    never_split: Strings inside which no sentence starts, such as "Yahoo! Inc.".
    abbreviations: Words after whose period no sentence starts, such as "approx.".
    RETURNS: Half-open character offsets that tile the text. White space belongs to the sentence
        before it. [] for an empty text.

    Raises ValueError for an unknown language, strategy or newline policy.

    >>> text = "Dr. Wu paid $3.5 million. She left at 5 p.m. He stayed."
    >>> [text[start:end] for start, end in segment(text)]
    ['Dr. Wu paid $3.5 million. ', 'She left at 5 p.m. ', 'He stayed.']
    """
    if learned is None and extra is None and not never_split and not abbreviations:
        return _make_segmenter(lang, strategy, newline)(text)
    rules = load_rules(lang, extra=extra)
    options: dict[str, Any] = {"never_split": never_split, "abbreviations": abbreviations}
    return Segmenter(rules, strategy=strategy, newline=newline, learned=learned, **options)(text)


@lru_cache(maxsize=32)
def _make_segmenter(lang: str, strategy: str, newline: str) -> "Segmenter":
    return Segmenter(load_rules(lang), strategy=strategy, newline=newline)


def check_settings(strategy: str, newline: str, *, name: str = "") -> None:
    """Raise ValueError for an unknown strategy or newline policy.

    name: Name of the component, for messages.
    """
    check_choice("strategy", strategy, (BEST, *STRATEGIES), name=name)
    check_choice("newline", newline, NEWLINES, name=name)


class Segmenter:
    """A sentence splitter with the settings of `segment`, to reuse for many texts."""

    def __init__(
        self,
        rules: Rules,
        *,
        strategy: str = BEST,
        newline: str = "blank-line",
        learned: Learned | None = None,
        never_split: Sequence[str] = (),
        abbreviations: Sequence[str] = (),
    ) -> None:
        check_settings(strategy, newline)
        if strategy == CORPUS and learned is None:
            raise ValueError(
                f"'learned' must be set for the strategy {strategy!r}, got None. Pass the data "
                "that 'learn' returns, or choose another strategy."
            )
        self.rules = rules
        self.newline = newline
        self.learned = learned or Learned()
        self.never_split, self.abbreviations = never_split, abbreviations
        self.is_abbreviation = STRATEGIES.get(strategy)
        self.periods = PeriodRules(rules, learned)
        self.runs = _BoundedCache(partial(read_run, newline=newline), _MAX_RUN)
        self.kinds = _BoundedCache(self.periods.classify_token, _MAX_WORD)

    def __call__(self, text: str) -> list[tuple[int, int]]:
        """Split a text into sentences, as `segment` does."""
        if not text:
            return []
        return list(pairwise([0, *self.find_starts(text), len(text)]))

    def find_starts(self, text: str) -> list[int]:
        """Find the offsets at which sentences start, in ascending order, without the first (0)."""
        starts: list[int] = []
        start, length = 0, len(text)
        runs, kinds, is_best = self.runs, self.kinds, self.is_abbreviation is None
        for match in RUN.finditer(text):
            run = runs[match[0]]
            kind = run[0]
            if kind == NOTHING:
                continue
            first, last = match.span()
            if last == length:
                break
            if kind == PLAIN and is_best and text[last].isupper():
                # Most runs are a period and a space before a capital. For them, this shortcut
                # gives the same result as the code below.
                place = text.rfind(" ", max(start, first - _MAX_WORD), first) + 1
                if place and kinds[text[place:first]] == WORD:
                    start = last
                    starts.append(start)
                    continue
            if first - start < _MAX_SIGNS:
                # Signs before any word belong to the text that follows on the same line.
                before = text[start:first].strip(None if kind == BREAK else _SIGNS)
                if not before and (kind != BREAK or text[first] == "\n"):
                    continue
            if kind != BREAK and not self._decide(text, start, first, last, run):
                continue
            start = first + run[1]
            if text[start] in _SMILEY_STARTS:
                smiley = _SMILEY.match(text, start)
                start = smiley.end() if smiley else start
                if start == length:
                    break
            starts.append(start)
        if self.never_split or self.abbreviations:
            for kept in find_kept(text, self.never_split, self.abbreviations):
                low, high = (bisect_left(starts, char) for char in kept)
                del starts[low:high]
        return starts

    def _decide(self, text: str, start: int, first: int, last: int, run: Run) -> bool:
        """Decide whether a sentence that starts at `start` ends with the run [first, last)."""
        kind = run.kind
        if kind == LINE:
            return self.newline == "blank-line" and _starts_item(text, start, first, run.cut)
        follow = last
        quoted = run.quoted
        if not text[last].isalnum():
            lead = _LEAD.match(text, last)
            follow = lead.end() if lead is not None else last
            quoted = quoted or not _QUOTES.isdisjoint(text[last:follow])
            if follow == len(text):
                return False
        if kind in (PLAIN, PERIOD):
            if self.is_abbreviation is not None:
                return not self._is_abbreviation(text, start, first, first + run.cut)
            return self._decide_period(text, start, first, follow, run.closed, quoted)
        if text[follow].islower():
            # In informal text a sentence can end before a lower-case letter, but direct speech
            # goes on there: "Why?" he asked.
            return kind == STRONG and not run.closed and text[start] not in _SPEECH
        return kind == STRONG or text[follow].isalnum()

    def _decide_period(
        self, text: str, start: int, first: int, follow: int, closed: bool, quoted: bool
    ) -> bool:
        floor = max(start, first - _MAX_WORD)
        token = text.rfind(" ", floor, first) + 1 or floor
        kind = self.kinds[text[token:first]]
        if closed:
            if text[follow].islower() or kind == TITLE:
                return False
            return kind not in (MAYBE, INITIAL) or quoted or text[first + 1] not in ")]}"
        # The number of characters is bounded, so a long text of "A. A. A." does not take longer.
        is_first = (
            kind in (INITIAL, LETTER, NUMERAL, NUMBERED)
            and token - start < _MAX_SIGNS
            and not text[start:token].strip(_SIGNS)
        )
        place = Place(token, first, follow, quoted)
        return self.periods.ends_sentence(kind, text, place, is_first=is_first)

    def _is_abbreviation(self, text: str, start: int, first: int, cut: int) -> bool:
        """Ask a strategy of the paper about a word, split as in the counts of the corpus."""
        assert self.is_abbreviation is not None
        begin = max(start, first - _MAX_WORD)
        strings = text[begin:cut].split()
        word, rest = split_word(strings[-1] if strings else "")
        if rest is None:
            return False
        follow = rest or text[cut : cut + 20]
        return self.is_abbreviation(Period(word, follow), self.rules, self.learned)


def _starts_item(text: str, start: int, first: int, n_signs: int) -> bool:
    """Check if a list item follows the line end at `first`, in a sentence from `start`."""
    line = first + n_signs
    if _ITEM.match(text, line):
        return True
    if not _WEAK_ITEM.match(text, line):
        return False
    if text[first - 1] in _LEADS or _WEAK_ITEM.match(text, start):
        return True
    end = text.find("\n", line, line + _MAX_LINE)
    return end >= 0 and _WEAK_ITEM.match(text, end + 1) is not None


class _BoundedCache(dict[str, Any]):
    """A cache of limited size for the values of a function of short strings."""

    def __init__(self, function: Callable[[str], Any], max_length: int) -> None:
        super().__init__()
        self.function = function
        self.max_length = max_length

    def __missing__(self, key: str) -> Any:
        value = self.function(key)
        if len(key) <= self.max_length and len(self) < _MAX_CACHED:
            self[key] = value
        return value


_SIGNS = OPENERS + ENDS + "-–—•)]} \t\r\n"

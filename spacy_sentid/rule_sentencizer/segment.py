"""Cut text into sentences by rules: characters in, half-open characters out, nothing but `re`.

text -> runs of end signs, closing signs and white space -> a decision about each -> sentences

One regular expression finds the runs. There are few different ones, so each is read once and kept;
the same goes for the words before periods.
"""

import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from .language import Rules, load_rules
from .periods import INITIAL, LETTER, MAYBE, NUMERAL, OPENERS, TITLE, WORD, PeriodRules
from .strategies import STRATEGIES, Learned, Period

BEST = "best"
NEWLINES = ("ignore", "break", "blank-line")
_ENDS = ".!?…"
_WIDE_ENDS = "。！？｡"  # no white space follows these
_CLOSERS = "\"'“”‘’„‚«»‹›)]}"
_CLOSING = "\"'”’»›)]}"  # those that open nothing
_RUN = re.compile(rf"[{_ENDS}{_WIDE_ENDS}\n][{_ENDS}{_WIDE_ENDS}{re.escape(_CLOSERS)}\s]*")
# What may stand before the first word of a sentence, beyond a closing or opening sign of the run.
_LEAD = re.compile(rf"[{re.escape(OPENERS)}]*(?:[-–—•]+\s*)?[{re.escape(OPENERS)}]*")
_QUOTES = set("\"'“‘„‚«»‹›")
_SMILEY_STARTS = set(":;=><^")
# A smiley after a sentence belongs to it.
_SMILEY = re.compile(r"(?:>?[:;=]['’]?-?[()\[\]DPpOo/|*]+|<3+|\^_*\^)(?:\s+|\Z)")
# A line that starts with one of these starts a list item.
_ITEM = re.compile(r"(?:[-*•‣▪◦·–—]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})[.)])[ \t]+\S")
# A longer word is no abbreviation.
_MAX_WORD = 40
# More words, or runs, than these are not kept: what is kept must not grow with the text.
_MAX_KEPT = 50_000
_MAX_RUN = 16
# So many signs may stand before the first word of a sentence.
_MAX_SIGNS = 8

# What a run may be. LINE: a line end alone. BREAK: a sentence ends whatever follows. PLAIN: ". ".
NOTHING, LINE, BREAK, PLAIN, PERIOD, ELLIPSIS, STRONG = range(7)


class Run(NamedTuple):
    """End signs with the closing signs and the white space that follow."""

    kind: int
    cut: int  # the next sentence would start so many characters after the run's start
    closed: bool  # whether a closing sign stands before the white space
    quoted: bool  # whether a sign stands before the next word


def segment(
    text: str,
    lang: str = "en",
    *,
    strategy: str = BEST,
    newline: str = "blank-line",
    learned: Learned | None = None,
) -> list[tuple[int, int]]:
    """Cut a text into sentences.

    lang: One of `list_languages()`.
    strategy: "best", or a rung of the paper: "structure", "corpus", "lexicon",
        "lexicon+abbreviations" (see `strategies`).
    newline: "ignore": a line end is white space; "break": it ends a sentence; "blank-line": an
        empty line does, and so does a line end before a list item.
    learned: What `learn` found in a corpus; "corpus" and "lexicon" need it.
    RETURNS: Half-open characters that tile the text; white space belongs to the sentence before it.
        [] for no text.

    Raises ValueError for an unknown language, strategy or newline policy.

    >>> text = "Dr. Wu paid $3.5 million. She left at 5 p.m. He stayed."
    >>> [text[start:end] for start, end in segment(text)]
    ['Dr. Wu paid $3.5 million. ', 'She left at 5 p.m. ', 'He stayed.']
    """
    rules = load_rules(lang)
    return Segmenter(rules, strategy=strategy, newline=newline, learned=learned)(text)


class Segmenter:
    """Cuts texts into sentences. The settings are those of `segment`; make one for many texts."""

    def __init__(
        self,
        rules: Rules,
        *,
        strategy: str = BEST,
        newline: str = "blank-line",
        learned: Learned | None = None,
    ) -> None:
        _check_choice("strategy", strategy, (BEST, *STRATEGIES))
        _check_choice("newline", newline, NEWLINES)
        self.rules = rules
        self.newline = newline
        self.learned = learned
        self.is_abbreviation = STRATEGIES.get(strategy)
        self.periods = PeriodRules(rules, learned)
        self.runs = _Kept(partial(read_run, newline=newline), _MAX_RUN)
        self.kinds = _Kept(self.periods.classify_token, _MAX_WORD)

    def __call__(self, text: str) -> list[tuple[int, int]]:
        """Cut a text into sentences, as `segment` does."""
        if not text:
            return []
        return list(pairwise([0, *self.find_starts(text), len(text)]))

    def find_starts(self, text: str) -> list[int]:
        """Find the character that each sentence but the first starts at, ascending."""
        starts: list[int] = []
        start, length = 0, len(text)
        runs, kinds, is_best = self.runs, self.kinds, self.is_abbreviation is None
        for match in _RUN.finditer(text):
            run = runs[match[0]]
            kind = run[0]
            if kind == NOTHING:
                continue
            first, last = match.span()
            if last == length:
                break
            if kind == PLAIN and is_best and text[last].isupper():
                # Most runs are a period and a blank before a capital: decided here, as below.
                place = text.rfind(" ", max(start, first - _MAX_WORD), first) + 1
                if place and kinds[text[place:first]] == WORD:
                    start = last
                    starts.append(start)
                    continue
            # Nothing but signs so far: these belong to what follows.
            if first - start < _MAX_SIGNS and not text[start:first].strip(_SIGNS):
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
        return starts

    def _decide(self, text: str, start: int, first: int, last: int, run: Run) -> bool:
        """Decide whether a sentence that starts at `start` ends with the run [first, last)."""
        kind = run.kind
        if kind == LINE:
            return self.newline == "blank-line" and _ITEM.match(text, first + run.cut) is not None
        follow = last
        quoted = run.quoted
        if not text[last].isalnum():
            lead = _LEAD.match(text, last)
            follow = lead.end() if lead is not None else last
            quoted = quoted or not _QUOTES.isdisjoint(text[last:follow])
            if follow == len(text):
                return False
        if kind in (PLAIN, PERIOD):
            return self._decide_period(text, start, first, follow, run.closed, quoted)
        if text[follow].islower():
            return kind == STRONG and not run.closed
        return kind == STRONG or text[follow].isalnum()

    def _decide_period(
        self, text: str, start: int, first: int, follow: int, closed: bool, quoted: bool
    ) -> bool:
        floor = max(start, first - _MAX_WORD)
        place = text.rfind(" ", floor, first) + 1 or floor
        token = text[place:first]
        if self.is_abbreviation is not None:
            word = token.split()[-1:] or [""]
            period = Period(word[0].strip(OPENERS), text[follow : follow + 20])
            return not self.is_abbreviation(period, self.rules, self.learned)
        kind = self.kinds[token]
        if closed:
            if text[follow].islower() or kind == TITLE:
                return False
            return kind not in (MAYBE, INITIAL) or quoted or text[first + 1] not in ")]}"
        # The stretch is bounded, so that a long text of "A. A. A." takes no longer than others.
        is_first = (
            kind in (INITIAL, LETTER, NUMERAL)
            and place - start < _MAX_SIGNS
            and not text[start:place].strip(_SIGNS)
        )
        return self.periods.ends_sentence(
            kind, token, text, follow, is_first=is_first, quoted=quoted
        )


class _Kept(dict[str, Any]):
    """What a function gives for short strings, kept; it does not grow without bound."""

    def __init__(self, function: Callable[[str], Any], max_length: int) -> None:
        super().__init__()
        self.function = function
        self.max_length = max_length

    def __missing__(self, key: str) -> Any:
        value = self.function(key)
        if len(key) <= self.max_length and len(self) < _MAX_KEPT:
            self[key] = value
        return value


_SIGNS = OPENERS + _ENDS + "-–—•)]} \t\r\n"


def read_run(run: str, newline: str) -> Run:
    """Read a run of signs and white space that starts with an end sign or a line end.

    >>> read_run('." ', "ignore") == Run(PERIOD, 3, closed=True, quoted=False)
    True
    >>> read_run('. "', "ignore") == Run(PERIOD, 2, closed=False, quoted=True)
    True
    """
    if run == ". ":
        return Run(PLAIN, 2, closed=False, quoted=False)
    head = run.split(None, 1)[0] if not run[0].isspace() else ""
    rest = run[len(head) :].lstrip()
    cut = len(run) - len(rest)
    gap = run[len(head) : cut]
    kind = _read_head(head)
    if not gap:
        # "3.5", "e.g": only wide signs end a sentence without white space.
        kind = STRONG if head.rstrip(_CLOSERS)[-1:] in _WIDE_ENDS else NOTHING
        return Run(kind, len(run), closed=False, quoted=False)
    if _is_break(gap, newline):
        return Run(BREAK, cut, closed=False, quoted=False)
    has_ends = any(sign in rest for sign in _ENDS) and not rest.startswith(("..", "…"))
    if rest[-1:].isspace() and (has_ends or rest[0] in _CLOSING):
        # ". . . " and "! ! " are one ellipsis, one end; in ". » " the sign still belongs to it.
        kind = max(kind, ELLIPSIS) if has_ends and head else kind
        head, rest = run.rstrip(), ""
        gap, cut = run[len(head) :], len(run)
        if _is_break(gap, newline):
            kind = BREAK
    return Run(kind, cut, closed=head[-1:] in _CLOSERS if head else False, quoted=bool(rest))


def _is_break(gap: str, newline: str) -> bool:
    return "\n" in gap if newline == "break" else newline == "blank-line" and gap.count("\n") > 1


def _read_head(head: str) -> int:
    if not head:
        return LINE
    ends = head.rstrip(_CLOSERS)
    if any(sign not in ".…" for sign in ends):
        return STRONG
    return PERIOD if ends == "." else ELLIPSIS


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(
            f"Found {name}={value!r}, expected one of {', '.join(choices)}. Choose one of these."
        )

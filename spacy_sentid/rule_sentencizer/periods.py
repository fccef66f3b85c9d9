"""Candidate boundaries: runs of end signs, and whether a sentence ends at a period.

text -> RUN -> read_run -> kind of a run, and where the next sentence would start
word before a period -> kind; kind and what follows -> does a sentence end?

This is the strategy `best`. It differs from the strategies of the paper in that an abbreviation may
end a sentence: it does so where the next word often begins sentences.
"""

import re
from typing import NamedTuple

from ..language_data import Rules
from .strategies import Learned

ENDS = ".!?…"
_WIDE_ENDS = "。！？｡"  # no white space follows these
_CLOSERS = "\"'“”‘’„‚«»‹›)]}」』）】"
# Those of them that open nothing, with white space after them: they belong to the sentence before.
_CLOSING = re.compile(r"[\"'”’»›)\]}」』）】]+\s*")
RUN = re.compile(rf"[{ENDS}{_WIDE_ENDS}\n][{ENDS}{_WIDE_ENDS}{re.escape(_CLOSERS)}\s]*")
_WIDE = re.compile(rf"[{_WIDE_ENDS}]+[”’»›)\]}}」』）】]*")

# What a run may be. LINE: a line end alone. BREAK: a sentence ends whatever follows. PLAIN: ". ".
NOTHING, LINE, BREAK, PLAIN, PERIOD, ELLIPSIS, STRONG = range(7)

# Kinds of words before a period. MAYBE: an abbreviation that may end a sentence. NUMERAL: a number
# or Roman numeral, which may be that of a list item. CAPITALS: a word of capitals, as in "MR. LI".
WORD, TITLE, INNER, NUMBERED, MAYBE, INITIAL, LETTER, NUMERAL, CAPITALS = range(9)

# Signs that may stand before a word.
OPENERS = "\"'“”‘’„‚«»‹›([{¿¡*_`"
# A word is known by what stands behind the last of these: "ex-Gov", "36-in", "and/or".
_JOINTS = re.compile(r"[-–—/(\[{\"“«]")
_LETTERS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
# The third class of section 4.2.1, no longer than abbreviations are, and not "Act", "Art", "End".
_CONSONANTS = re.compile(r"[B-DF-HJ-NP-TV-Z][bcdfghj-np-tvxz]{1,4}")
_NUMERAL = re.compile(r"\d+(?:\.\d+)*|[ivxIVX]{2,5}|[IVXLC]{2,6}")
# Not "No. I won't": a pronoun or an article.
_NUMBER_AHEAD = re.compile(r"[#§]?\d|(?![IA] [a-z])(?:[IVXLCM]+|[A-Z])\b")
_LETTER_AHEAD = re.compile(r"[^\W\d_]\.")
_LETTER_BEFORE = re.compile(r"(?<![^\W_])([^\W\d_])\.\s$")
_DATE_AHEAD = re.compile(r"\d{1,2}\.|\d{4}\b")
_NEXT_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# A shorter lower-case word before a lower-case word may be an abbreviation that is not known.
_MIN_LETTERS = 3


class Place(NamedTuple):
    """Where a period stands, in characters of the text."""

    token: int  # start of the word before it
    period: int
    follow: int  # start of the next word
    quoted: bool  # whether an opening sign stands before the next word


class PeriodRules:
    """Decide whether sentences end at periods, in one language."""

    def __init__(self, rules: Rules, learned: Learned | None = None) -> None:
        self.rules = rules
        maybe = rules.others | rules.months
        titles = rules.titles
        if learned is not None:
            maybe |= learned.likely - rules.titles - rules.inner - rules.numbered
            titles |= learned.titles - maybe
        self.kinds = dict.fromkeys(maybe, MAYBE)
        self.kinds.update(dict.fromkeys(rules.numbered, NUMBERED))
        self.kinds.update(dict.fromkeys(rules.inner, INNER))
        self.kinds.update(dict.fromkeys(titles, TITLE))

    def classify(self, token: str) -> int:
        """Tell the kind of a word.

        token: What stands before the period, without white space.

        >>> from ..language_data import load_rules
        >>> periods = PeriodRules(load_rules("en"))
        >>> [periods.classify(word) == TITLE for word in ("Mr", "(Dr", "ex-Gov", "end")]
        [True, True, True, False]
        """
        word = token.lstrip(OPENERS).replace("’", "'")
        for prefix in self.rules.prefixes:
            word = word[len(prefix) :] if word.lower().startswith(prefix) else word
        for part in (word, _JOINTS.split(word)[-1]):
            if part in self.kinds:
                return self.kinds[part]
        if len(part) == 1 and part.isalpha():
            return INITIAL if part.isupper() else LETTER
        if _NUMERAL.fullmatch(part):
            return NUMERAL
        if _LETTERS.fullmatch(part) or _CONSONANTS.fullmatch(part):
            return MAYBE
        return CAPITALS if part.isupper() else WORD

    def classify_token(self, token: str) -> int:
        """Tell the kind of the last word of a short stretch of text."""
        return self.classify(token.split()[-1] if token and not token[-1].isspace() else "")

    def ends_sentence(self, kind: int, text: str, place: Place, *, is_first: bool) -> bool:
        """Decide about a period that white space follows, and no closing sign.

        kind: Of the word before it. is_first: Whether the sentence has no other word so far.
        """
        token, follow = text[place.token : place.period], place.follow
        if kind == CAPITALS:
            # Only among others: "SEC. The" is no "Sec.".
            is_among = text[follow : follow + 2].isupper()
            kind = self.classify_token(token.capitalize()) if is_among else WORD
        elif kind == LETTER:
            kind = self._classify_spaced(token, text, place.token)
        if text[follow].islower():
            return kind == WORD and self._ends_before_lower(token, text, follow)
        if kind == WORD:
            return True
        if kind in (TITLE, INNER):
            return False
        if kind == NUMERAL:
            return not is_first and not self._is_ordinal(token, text, place)
        if kind == LETTER:
            return not is_first and not _LETTER_AHEAD.match(text, follow)
        if kind == NUMBERED:
            if _NUMBER_AHEAD.match(text, follow):
                return False
            is_answer = is_first and len(token) > 1 and token.isalpha()  # "No."
            return is_answer or place.quoted or token.islower() or self.is_starter(text, follow)
        if kind == INITIAL:
            # "I." and "A." ahead are initials; before them stands one more often than a sentence.
            is_alone = text[follow + 1 : follow + 2] == "."
            return not is_first and self.is_starter(text, follow) and not is_alone
        return place.quoted or self.is_starter(text, follow)

    def is_starter(self, text: str, follow: int) -> bool:
        """Tell whether the next word is one that begins sentences."""
        match = _NEXT_WORD.match(text, follow)
        if match is None:
            return False
        word = match[0][0].upper() + match[0][1:].replace("’", "'")
        head, apostrophe, tail = word.partition("'")
        if word in self.rules.starters or head in self.rules.starters:
            return True
        # "L'homme"; but "D'Angelo" is a name.
        return tail[:1].islower() and head.lower() + apostrophe in self.rules.prefixes

    def _classify_spaced(self, letter: str, text: str, place: int) -> int:
        """Tell the kind of a letter by the letter before it: "a" in "u. a."."""
        before = _LETTER_BEFORE.search(text, max(place - 4, 0), place)
        return LETTER if before is None else self.kinds.get(f"{before[1]}.{letter}", LETTER)

    def _ends_before_lower(self, token: str, text: str, follow: int) -> bool:
        """Decide about a word that is no known abbreviation, before a lower-case word."""
        if self.rules.ordinals or any(sign.isdigit() for sign in token):
            return False
        return len(token.lstrip(OPENERS)) >= _MIN_LETTERS or self.is_starter(text, follow)

    def _is_ordinal(self, token: str, text: str, place: Place) -> bool:
        """Tell "3." in "3. Oktober", "3. 10." and "der 3. Mann", where ordinals have a period."""
        if not self.rules.ordinals or not token[-1:].isdigit():
            return False
        if _DATE_AHEAD.match(text, place.follow):
            return True
        match = _NEXT_WORD.match(text, place.follow)
        ahead = match[0] if match else ""
        if ahead in self.rules.ordinal_nouns or ahead in self.rules.months:
            return True
        words = text[max(place.token - 15, 0) : place.token].split()
        is_led = len(token) <= 2 and bool(words) and words[-1].lower() in self.rules.ordinal_heads
        return is_led and not self.is_starter(text, place.follow)


class Run(NamedTuple):
    """End signs with the closing signs and the white space that follow."""

    kind: int
    cut: int  # the next sentence would start so many characters after the run's start
    closed: bool  # whether a closing sign is before the white space
    quoted: bool  # whether a sign is before the next word


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
        own = _WIDE.match(run)
        if own is None:
            return Run(NOTHING, len(run), closed=False, quoted=False)
        return Run(STRONG, own.end(), closed=False, quoted=own.end() < len(run))
    if _is_break(gap, newline):
        return Run(BREAK, cut, closed=False, quoted=False)
    has_ends = any(sign in rest for sign in ENDS) and not rest.startswith(("..", "…"))
    closing = _CLOSING.match(rest) if rest[-1:].isspace() and not has_ends else None
    if closing is not None:
        # In ". » " the sign still belongs to the sentence.
        head, gap = head + closing[0].strip(), closing[0]
        cut, rest = cut + closing.end(), rest[closing.end() :]
    elif has_ends and rest[-1:].isspace():
        # ". . . " and "! ! " are one ellipsis, one end.
        kind = max(kind, ELLIPSIS) if head else kind
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

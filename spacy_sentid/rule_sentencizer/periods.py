"""Candidate boundaries (runs of end signs), and the decision if a sentence ends at a period.

text -> RUN -> read_run -> kind of a run, and where the next sentence would start
word before a period -> kind; kind and what follows -> does a sentence end?

This is the strategy `best`. Unlike in the strategies of the paper, an abbreviation can end a
sentence. It does so if the next word is one that often begins sentences.
"""

import re
from typing import NamedTuple

from ..text.language_data import Rules
from ..text.marks import CLOSERS, ENDS, WIDE_ENDS
from .strategies import Learned

# The opening quotes are closers too: in German, “ and « close quotes.
_CLOSERS = CLOSERS + "“‘„‚«‹"
_CLOSING = re.compile(rf"[{re.escape(CLOSERS)}]+\s*")
RUN = re.compile(rf"[{ENDS}{WIDE_ENDS}\n][{ENDS}{WIDE_ENDS}{re.escape(_CLOSERS)}\s]*")
_WIDE = re.compile(rf"[{WIDE_ENDS}]+[{re.escape(CLOSERS[2:])}]*")

# Kinds of runs. LINE: only a line end. BREAK: a sentence ends in any context. PLAIN: ". ".
NOTHING, LINE, BREAK, PLAIN, PERIOD, ELLIPSIS, STRONG = range(7)

# Kinds of words before a period. MAYBE: an abbreviation that may end a sentence. NUMERAL: an Arabic
# or Roman number, perhaps of a list item. CAPITALS: a word in capitals, as in "MR. LI".
WORD, TITLE, INNER, NUMBERED, MAYBE, INITIAL, LETTER, NUMERAL, CAPITALS = range(9)

# Signs that can precede a word.
OPENERS = "\"'“”‘’„‚«»‹›([{¿¡*_`"
# Words are also looked up by the part after the last of these: "ex-Gov", "36-in", "and/or".
_JOINTS = re.compile(r"[-–—/(\[{\"“«]")
_LETTERS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
# The third class of section 4.2.1, limited in length and without words like "Act", "Art", "End".
_CONSONANTS = re.compile(r"[B-DF-HJ-NP-TV-Z][bcdfghj-np-tvxz]{1,4}")
_NUMERAL = re.compile(r"\d+(?:\.\d+)*|[ivxIVX]{2,5}|[IVXLC]{2,6}")
# The "I" in "No. I won't" is a pronoun; "A" may be an article.
_NUMBER_AHEAD = re.compile(r"[#§]?\d|(?![IA] [a-z])(?:[IVXLCM]+|[A-Z])\b")
_LETTER_AHEAD = re.compile(r"[^\W\d_]\.")
_LETTER_BEFORE = re.compile(r"(?<![^\W_])([^\W\d_])\.\s$")
_DATE_AHEAD = re.compile(r"\d{1,2}\.|\d{4}\b")
_NEXT_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# A shorter word before a lower-case word may be an unknown abbreviation.
_MIN_LETTERS = 3


class Place(NamedTuple):
    """The place of a period: character offsets in the text."""

    token: int  # start of the word before it
    period: int
    follow: int  # start of the next word
    quoted: bool  # True if an opening sign precedes the next word


class PeriodRules:
    """Rules of one language that decide if sentences end at periods."""

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
        """Find the kind of a word.

        token: The string before the period, without white space.

        >>> from ..text.language_data import load_rules
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
        """Find the kind of the last word of a short excerpt of a text."""
        return self.classify(token.split()[-1] if token and not token[-1].isspace() else "")

    def ends_sentence(self, kind: int, text: str, place: Place, *, is_first: bool) -> bool:
        """Decide if a sentence ends at a period before white space, without a closing sign.

        kind: Kind of the word before the period.
        is_first: True if this word is the first of the sentence.
        """
        token, follow = text[place.token : place.period], place.follow
        if kind == CAPITALS:
            # Only before another word in capitals: "SEC. The" has no "Sec.".
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
            # "I." and "A." as next words are initials, and the word before is more likely an
            # initial too than the end of a sentence.
            is_alone = text[follow + 1 : follow + 2] == "."
            return not is_first and self.is_starter(text, follow) and not is_alone
        return place.quoted or self.is_starter(text, follow)

    def is_starter(self, text: str, follow: int) -> bool:
        """Check if the next word is one that often begins sentences."""
        match = _NEXT_WORD.match(text, follow)
        if match is None:
            return False
        word = match[0][0].upper() + match[0][1:].replace("’", "'")
        head, apostrophe, tail = word.partition("'")
        if word in self.rules.starters or head in self.rules.starters:
            return True
        # "L'homme" counts; "D'Angelo" is a name.
        return tail[:1].islower() and head.lower() + apostrophe in self.rules.prefixes

    def _classify_spaced(self, letter: str, text: str, place: int) -> int:
        """Find the kind of a letter from the letter before it: "a" in "u. a."."""
        before = _LETTER_BEFORE.search(text, max(place - 4, 0), place)
        return LETTER if before is None else self.kinds.get(f"{before[1]}.{letter}", LETTER)

    def _ends_before_lower(self, token: str, text: str, follow: int) -> bool:
        """Decide if a sentence ends between an unknown word and a lower-case word."""
        if self.rules.ordinals or any(sign.isdigit() for sign in token):
            return False
        return len(token.lstrip(OPENERS)) >= _MIN_LETTERS or self.is_starter(text, follow)

    def _is_ordinal(self, token: str, text: str, place: Place) -> bool:
        """Check if a number is an ordinal: "3. Oktober", "3. 10.", "der 3. Mann".

        Always False in languages that write ordinals without a period.
        """
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
    """End signs, and the closing signs and white space after them."""

    kind: int
    cut: int  # length up to the start of the next sentence, in characters
    closed: bool  # True if a closing sign precedes the white space
    quoted: bool  # True if a sign precedes the next word


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
        # "3.5", "e.g": only wide signs can end a sentence without white space.
        own = _WIDE.match(run)
        if own is None:
            return Run(NOTHING, len(run), closed=False, quoted=False)
        return Run(STRONG, own.end(), closed=False, quoted=own.end() < len(run))
    if _is_break(gap, newline):
        return Run(BREAK, cut, closed=False, quoted=False)
    has_ends = any(sign in rest for sign in ENDS) and not rest.startswith(("..", "…"))
    closing = _CLOSING.match(rest) if rest[-1:].isspace() and not has_ends else None
    if closing is not None:
        # In ". » " the closing sign belongs to the sentence before.
        head, gap = head + closing[0].strip(), closing[0]
        cut, rest = cut + closing.end(), rest[closing.end() :]
    elif has_ends and rest[-1:].isspace():
        # ". . . " is one ellipsis, and "! ! " is one end.
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

"""Find the tokens of a text and their kinds (sections 3, 4.1, 4.3 and 5). No spaCy, no numpy.

text -> the expression of `token_classes` -> periods to abbreviations, clitics split, names joined

See `token_classes` for a list of the kinds.
"""

import re
from itertools import pairwise
from typing import NamedTuple

from ..components.settings import check_choice
from ..text.language_data import Rules
from . import periods
from . import token_classes as classes
from .segment import Segmenter

KEEP, SPLIT, JOIN = "keep", "split", "join"

# The gap before the next word of the same paragraph.
_GAP = re.compile(rf"[^\S\n]*\n?[^\S\n]*[{re.escape(periods.OPENERS)}]{{0,3}}")
_QUOTES = frozenset("\"'“‘«„‹")
_NAMED = frozenset({classes.WORD, classes.ABBREVIATION, classes.ACRONYM, classes.REFERENCE})


class Token(NamedTuple):
    """Characters `[start, end)` of a text, and their kind."""

    start: int
    end: int
    kind: str


def find_tokens(text: str, rules: Rules, *, clitics: str = KEEP, names: str = KEEP) -> list[Token]:
    """Find the tokens of a text. For many texts, call one `TokenFinder` for all.

    clitics: "keep": "it's" and "l'addition" are one token each. "split": they are split by `rules`.
    names: "keep": each word is a token. "join": capitalised words with single spaces between them
        are one token, without the first word of a sentence (section 5).
    RETURNS: Tokens in text order that cover every character except white space. Numbers, money,
        percents, names and ellipses may have spaces in them.

    Raises ValueError for unknown settings.

    >>> from ..text.language_data import load_rules
    >>> text = "Mr. Li's 5.5 % is up."
    >>> [(text[start:end], kind) for start, end, kind in find_tokens(text, load_rules("en"))][:3]
    [('Mr.', 'abbreviation'), ("Li's", 'word'), ('5.5 %', 'percent')]
    """
    return TokenFinder(rules, clitics=clitics, names=names)(text)


class TokenFinder:
    """A token finder with the settings of `find_tokens`, to reuse for many texts."""

    def __init__(self, rules: Rules, *, clitics: str, names: str) -> None:
        check_choice("clitics", clitics, (KEEP, SPLIT))
        check_choice("names", names, (KEEP, JOIN))
        self.rules = rules
        self.clitics = clitics
        self.names = names
        self._expression = classes.compile_classes(rules)
        self._known = classes.list_dotted(rules)
        self._periods = periods.PeriodRules(rules)
        self._segmenter = Segmenter(rules)
        self._prefixes = tuple(sorted(map(str.lower, rules.prefixes), key=len, reverse=True))
        self._suffixes = tuple(sorted(map(str.lower, rules.suffixes), key=len, reverse=True))

    def __call__(self, text: str) -> list[Token]:
        """Find the tokens of a text, as `find_tokens` does."""
        tokens: list[Token] = []
        for match in self._expression.finditer(text):
            kind = match.lastgroup
            start, end = match.span()
            if kind == classes.PLAIN:
                tokens.append(Token(start, end, classes.WORD))
            elif kind in (classes.RUN, classes.DOTTED):
                self._add_run(tokens, text, start, end)
            elif kind == classes.NUMBER and text[end - 1] == ".":
                # An ordinal keeps the period that follows it.
                stop = end if self._keeps_period(text, start, end - 1) else end - 1
                tokens.append(Token(start, stop, classes.NUMBER))
                if stop < end:
                    tokens.append(Token(stop, end, classes.PUNCTUATION))
            else:
                tokens.append(Token(start, end, kind or classes.PUNCTUATION))
        return self._join_names(tokens, text) if self.names == JOIN else tokens

    def _add_run(self, tokens: list[Token], text: str, start: int, end: int) -> None:
        """Add a run of letters and digits, which may end in a period and have clitics."""
        stop = end - 1 if text[end - 1] == "." else end
        before, behind = self._cut_clitics(text[start:stop])
        first, last = start + before[-1], start + behind[0]
        kind = self._classify(text[first:last])
        if last == stop < end and self._keeps_period(text, first, stop):
            last = stop = end
            kind = classes.ABBREVIATION
        if self.clitics == KEEP:
            tokens.append(Token(start, stop, kind))
        else:
            tokens += [Token(start + a, start + b, classes.CLITIC) for a, b in pairwise(before)]
            tokens.append(Token(first, last, kind))
            tokens += [Token(start + a, start + b, classes.CLITIC) for a, b in pairwise(behind)]
        if stop < end:
            tokens.append(Token(stop, end, classes.PUNCTUATION))

    def _cut_clitics(self, word: str) -> tuple[list[int], list[int]]:
        """Find the clitics at both ends of a word.

        RETURNS: Two lists of offsets: 0 and the ends of the clitics at the start; the starts of the
            clitics at the end, and the length of the word.
        """
        start, end = 0, len(word)
        before, behind = [start], [end]
        lower = word.replace("’", "'").lower()
        # Lower-casing can add characters ("İ"). Clitics have no such letters.
        if word.isalpha() or len(lower) != len(word):
            return before, behind
        while True:
            size = next((len(part) for part in self._prefixes if lower.startswith(part, start)), 0)
            if not 0 < size < end - start:
                break
            start += size
            before.append(start)
        while True:
            fits = (len(part) for part in self._suffixes if lower.endswith(part, start, end))
            size = next(fits, 0)
            if not 0 < size < end - start or not word[end - size - 1].isalnum():
                break
            end -= size
            behind.append(end)
        return before, behind[::-1]

    def _keeps_period(self, text: str, start: int, place: int) -> bool:
        """Decide whether the period at `place` belongs to the word from `start` on."""
        kind = self._periods.classify(text[start:place])
        if kind in (periods.TITLE, periods.INNER, periods.MAYBE):
            return True
        ahead = text[place + 1 : place + 2]
        if ahead in (",", ";"):  # section 4.2.3
            return kind != periods.NUMERAL
        if kind in (periods.WORD, periods.CAPITALS):
            return False
        if kind == periods.NUMERAL and not self.rules.ordinals:
            return False
        gap = _GAP.match(text, place + 1)
        follow = gap.end() if gap else place + 1
        if not text[follow : follow + 1].isalnum() or not (ahead.isspace() or ahead.isalnum()):
            return False
        is_first = kind != periods.NUMERAL and text[start - 1 : start] in ("", "\n")
        found = periods.Place(start, place, follow, quoted=False)
        return not self._periods.ends_sentence(kind, text, found, is_first=is_first)

    def _classify(self, word: str) -> str:
        """Find the kind of a run without its period and its clitics."""
        if word.isalpha():
            return classes.WORD
        if "&" in word:
            return classes.ACRONYM
        if any(map(str.isnumeric, word)):
            return classes.REFERENCE if any(map(str.isalpha, word)) else classes.NUMBER
        if "." in word and ".-" not in word:
            known = word in self._known or classes.LETTER_PERIODS.fullmatch(word)
            return classes.ABBREVIATION if known else classes.REFERENCE
        return classes.WORD

    def _join_names(self, tokens: list[Token], text: str) -> list[Token]:
        joined: list[Token] = []
        starts = iter(self._segmenter.find_starts(text))
        sentence: int | None = 0
        is_first = grows = False
        for token in tokens:
            while sentence is not None and sentence <= token.start:
                is_first, sentence = True, next(starts, None)
            word = text[token.start : token.end]
            if token.kind in (classes.PUNCTUATION, classes.ELLIPSIS):
                # Direct speech starts a sentence.
                opens = word in _QUOTES and not text[token.end : token.end + 1].isspace()
                is_first |= opens and bool(joined) and text[joined[-1].start] in ",:"
                grows = False
                joined.append(token)
                continue
            capital = not is_first and token.kind in _NAMED and word[0].isupper()
            if word == "I" and word in self.rules.starters:
                capital = False
            if capital and grows and text[joined[-1].end : token.start] == " ":
                joined[-1] = Token(joined[-1].start, token.end, classes.NAME)
            else:
                joined.append(token)
            is_first = False
            grows = capital and not word.replace("’", "'").endswith(self._suffixes)
        return joined

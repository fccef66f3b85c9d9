"""What the word before a period is, and whether a sentence ends there.

word before a period -> kind; kind and what follows -> does a sentence end?

This is the strategy `best`. It differs from the rungs of the paper (`strategies`) in that an
abbreviation may end a sentence: it does where a word follows that begins sentences.
"""

import re

from .language import Rules
from .strategies import Learned

# Kinds of words before a period. MAYBE: an abbreviation that may end a sentence. NUMERAL: a number
# or Roman numeral, which may be that of a list item.
WORD, TITLE, INNER, NUMBERED, MAYBE, INITIAL, LETTER, NUMERAL = range(8)

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
_NEXT_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# A shorter lower-case word before a lower-case word may be an abbreviation that is not known.
_MIN_LETTERS = 3


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

        >>> from .language import load_rules
        >>> periods = PeriodRules(load_rules("en"))
        >>> [periods.classify(word) == TITLE for word in ("Mr", "(Dr", "ex-Gov", "end")]
        [True, True, True, False]
        """
        word = token.lstrip(OPENERS)
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
        return WORD

    def classify_token(self, token: str) -> int:
        """Tell the kind of the last word of a short stretch of text."""
        return self.classify(token.split()[-1] if token and not token[-1].isspace() else "")

    def ends_sentence(
        self, kind: int, token: str, text: str, follow: int, *, is_first: bool, quoted: bool
    ) -> bool:
        """Decide about a period that white space follows, and no closing sign.

        kind, token: Of the word before it. follow: Character of `text` where the next word starts.
        is_first: Whether the sentence has no other word so far. quoted: Whether an opening sign
        stands before the next word.
        """
        ahead = text[follow]
        if ahead.islower():
            return kind == WORD and self._ends_before_lower(token, text, follow)
        if kind == WORD:
            return True
        if kind in (TITLE, INNER):
            return False
        if kind == NUMERAL:
            return not is_first and not self._is_ordinal(token, text, follow)
        if kind == LETTER:
            return not is_first and not _LETTER_AHEAD.match(text, follow)
        if kind == NUMBERED:
            if _NUMBER_AHEAD.match(text, follow):
                return False
            return quoted or token.islower() or self.is_starter(text, follow)
        if kind == INITIAL:
            # "I." and "A." ahead are initials; before them stands one more often than a sentence.
            return not is_first and self.is_starter(text, follow) and not _is_alone(text, follow)
        return quoted or self.is_starter(text, follow)

    def is_starter(self, text: str, follow: int) -> bool:
        """Tell whether the next word is one that begins sentences."""
        match = _NEXT_WORD.match(text, follow)
        if match is None:
            return False
        word = match[0][0].upper() + match[0][1:]
        return word in self.rules.starters or re.split("['’]", word)[0] in self.rules.starters

    def _ends_before_lower(self, token: str, text: str, follow: int) -> bool:
        """Decide about a word that is no known abbreviation, before a lower-case word."""
        if self.rules.ordinals or any(sign.isdigit() for sign in token):
            return False
        return len(token.lstrip(OPENERS)) >= _MIN_LETTERS or self.is_starter(text, follow)

    def _is_ordinal(self, token: str, text: str, follow: int) -> bool:
        if not self.rules.ordinals or not token[-1:].isdigit():
            return False
        match = _NEXT_WORD.match(text, follow)
        return match is not None and match[0] in self.rules.ordinal_nouns


def _is_alone(text: str, follow: int) -> bool:
    """Whether the next word is a single letter with a period."""
    return text[follow + 1 : follow + 2] == "."

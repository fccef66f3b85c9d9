"""The kinds of tokens, and one regular expression for all of them (sections 3, 4.1 and 4.2.1).

number        123,456.78 in English, 123 456,78 in French; -5, 10:30; "3." in "3. Oktober"
date          02/02/94, 1994-02-02, and, as in the paper, 12/3 and 1/2; 02.02.94 in languages with
              a decimal comma
percent       5.5 %, +3%, 5.%
money         $4.50, 4,50 €, $3m
acronym       AT&T: capitals joined by "&"
reference     T-1-AB.1.2, 24-hr, draft_v3.docx: letters with digits, or with a period inside
abbreviation  U.S., m.p.h., Mr.: with its period
word          a word, with inner hyphens and apostrophes
clitic        's, l': split off a word, or after a sign
name          Mary Ann Lee: joined words
url, email    an address, without the sign that ends the sentence
ellipsis      ..., …, . . .
punctuation   everything else: a sign, a repeated sign, a smiley

Like the expressions of the paper, these overgenerate: "12,45.678" is a number.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from ..text.language_data import KINDS as ABBREVIATIONS
from ..text.language_data import Rules

NUMBER, DATE, PERCENT, MONEY = "number", "date", "percent", "money"
ACRONYM, REFERENCE, ABBREVIATION = "acronym", "reference", "abbreviation"
WORD, CLITIC, NAME = "word", "clitic", "name"
URL, EMAIL, ELLIPSIS, PUNCTUATION = "url", "email", "ellipsis", "punctuation"
# Groups of the expression that are not kinds yet. PLAIN: certainly a word. RUN: letters and digits
# with the period after them. DOTTED: a listed abbreviation with periods inside, like "op.cit".
PLAIN, RUN, DOTTED = "plain", "run", "dotted"

# Before Python 3.11, `re` has no atomic groups to prevent backtracking. To be fast on any text,
# each alternative has a bounded length, or is followed by one that matches all characters that it
# read before it failed. `re` also stores each repeat of a group, so this limit of repeats bounds
# the memory.
_SOME = "{0,1000}"
_LETTER = r"[^\W\d_]"
_CAPITAL = "A-ZÀ-ÖØ-Þ"
_BLANK = "[ \u00a0\u2009\u202f]"
_CURRENCY = "[$¢£¤¥\u20a0-\u20cf]"
_HYPHEN = "-\u2010\u2011"
_APOSTROPHE = "'’"
# A sign, or a period before the first digit, belongs to a number only after white space, an opening
# sign or the like.
_FREE = r"(?<![^\s(\[{<>=\"'“‘«$€£+−-])"
_SIGN = rf"(?:{_FREE}[-+−±])?"
# The end of a number: it does not continue, and is not the beginning of a word.
_NUMBER_END = rf"(?![.,:]?\d|\.[ªº]|[{_HYPHEN}{_APOSTROPHE}_]?{_LETTER})"
_URL_CHAR = r"[^\s<>\"“”«»()\[\]{}.,;:!?'’…]"
_URL_SIGN = "[.,;:!?'’]"
_URL_BRACKETS = r"\([^\s()<>]*\)|\[[^\s\[\]<>]*\]"
_URL_REST = (
    rf"{_URL_SIGN}*(?:{_URL_CHAR}|{_URL_BRACKETS}){_URL_CHAR}*"
    rf"(?:(?:{_URL_SIGN}+(?:{_URL_CHAR}|{_URL_BRACKETS})|{_URL_BRACKETS}){_URL_CHAR}*){_SOME}"
)
_DOMAIN = (
    r"(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,5}"
    r"(?:(?:com|org|net|edu|gov|co)(?:\.[a-z]{2})?|mil|info|biz|io|eu|uk|de|fr|es|pt|nl|ch)"
    r"(?!\.?[\w-])(?::\d{1,5})?"
)
_URL = (
    rf"(?:[A-Za-z][A-Za-z0-9+.-]{{1,15}}://|www\.(?=\w)){_URL_REST}|{_DOMAIN}(?:/(?:{_URL_REST})?)?"
)
_EMAIL = rf"[^\W_][\w.+%-]{{0,63}}@(?:[^\W_][\w-]{{0,62}}\.){{1,8}}{_LETTER}{{2,63}}(?!\w)"
# Signs inside tokens of letters and digits: "re-use", "it's", "file.doc", "AB.1", "U.S", "J.-P".
_JOINT = rf"""(?:
      [{_HYPHEN}{_APOSTROPHE}_](?=[^\W_])
    | \.(?: (?<!\.[a-z]\.)(?=[a-zß-öø-ÿ])
          | (?<=[{_CAPITAL}\d]\.)(?=\d)
          | (?<=\d\.)(?=[ªº])
          | (?<={_LETTER}\.)(?<!\w\w\.)(?:(?={_LETTER}(?!\w))|[{_HYPHEN}](?=[^\W_])) )
    | (?<=\d)[,:](?=\d)
    | (?<=[{_CAPITAL}])&(?=[{_CAPITAL}])
)"""
# Signs that are always tokens of their own; other signs are one token if repeated. Emoji keep their
# modifiers.
_SINGLE = r"[()\[\]{}«»“”„‟‹›¿¡]"
_CHANGES = r"[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff]|\u200d\S"
_SMILEY = r"(?<!\S)[:;=]['’]?-?[()\[\]DPp|/*](?!\w)"
_SIGNS = rf"[?!]+|{_SMILEY}|{_SINGLE}|(?P<sign>\S)(?:(?P=sign)|{_CHANGES}){_SOME}"

LETTER_PERIODS = re.compile(rf"(?:{_LETTER}\.)+{_LETTER}")


def compile_classes(rules: Rules) -> re.Pattern[str]:
    """Build the expression of a language. The first class that matches wins."""
    number = _write_number(rules)
    date = r"\d+(?:/\d+){1,1000}|\d{4}-\d\d?-\d\d?|\d\d?-\d\d?-(?:\d{4}|\d\d)"
    if rules.decimal == ",":
        date += r"|\d\d?\.\d\d?\.(?:\d{4}|\d\d)"
    money = (
        rf"{_SIGN}{_CURRENCY}[-−]?{_BLANK}?{number}(?:(?:[kKmMbB]|[bm]n)(?!\w))?{_NUMBER_END}"
        rf"|{_SIGN}{number}{_BLANK}?{_CURRENCY}(?!\d)"
    )
    run = rf"[^\W_]+(?:[{_find_marks()}][^\W_]*){_SOME}"
    suffixes = _write_words(part[1:] for part in rules.suffixes if part[0] == "'")
    prefixes = _write_words(part[:-1] for part in rules.prefixes if part[-1] == "'")
    classes = {
        PLAIN: rf"[a-zßà-öø-ÿœ{_CAPITAL}]+(?=[\s,;)\"”»]|\Z)",
        ELLIPSIS: rf"\.{{2,}}|…+|\.(?:{_BLANK}\.){{2,1000}}",
        URL: _URL,
        EMAIL: _EMAIL,
        DATE: rf"(?:{date})(?!-\d){_NUMBER_END}",
        PERCENT: rf"{_SIGN}{number}\.?{_BLANK}?[%‰](?!\w)",
        MONEY: money,
        NUMBER: rf"{_SIGN}{number}(?:/\d+)?{_NUMBER_END}(?:\.(?![.\w]))?",
        CLITIC: rf"(?<=[.!?…)\]\"”»%])[{_APOSTROPHE}]{suffixes}(?!\w)"
        rf"|(?i:{prefixes})[{_APOSTROPHE}](?=\s?[«“\"(\[‹])",
        DOTTED: rf"{_write_words(list_dotted(rules))}(?!\w)(?:\.(?!\.))?",
        RUN: rf"{run}(?:{_JOINT}{run}){_SOME}(?:\.(?!\.))?",
        PUNCTUATION: _SIGNS,
    }
    named = "|".join(f"(?P<{name}>{expression})" for name, expression in classes.items())
    # For speed: the classes are not tried at white space.
    return re.compile(rf"(?!\s)(?:{named})", re.VERBOSE)


def _write_number(rules: Rules) -> str:
    """Write the expression of a number without its sign.

    A space, or another group sign with other uses, must be between groups of three digits.
    """
    number = rf"(?:{_FREE}\.)?\d+(?:[.,:]\d+){_SOME}"
    if rules.group in ("", ",", "."):
        return rf"(?:{number})"
    group = _BLANK if rules.group.isspace() else re.escape(rules.group)
    fraction = re.escape(rules.decimal)
    return rf"(?:\d{{1,3}}(?:{group}\d{{3}}){{1,1000}}(?!\d)(?:{fraction}\d+)?|{number})"


def _write_words(words: Iterable[str]) -> str:
    """Write an expression that matches any of the words, longest first; without words, nothing."""
    longest = sorted(set(words), key=lambda word: (-len(word), word))
    return rf"(?:{'|'.join(map(re.escape, longest))})" if longest else r"(?!)"


def list_dotted(rules: Rules) -> frozenset[str]:
    """List the abbreviations with periods inside, except single letters with periods ("U.S")."""
    words = frozenset().union(*(getattr(rules, kind) for kind in ABBREVIATIONS))
    return frozenset(word for word in words if "." in word and not LETTER_PERIODS.fullmatch(word))


@lru_cache(maxsize=1)
def _find_marks() -> str:
    """Find the signs that continue a word, other than letters: accents, vowel signs, joiners."""
    marks = [c for c in map(chr, range(0x300, 0xFE00)) if unicodedata.category(c)[0] == "M"]
    return "\xad\u200c\u200d" + "".join(marks)

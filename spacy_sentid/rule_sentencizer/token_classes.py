"""The classes of tokens, and one regular expression for all of them (sections 3, 4.1 and 4.2.1).

number        123,456.78 in English, 123 456,78 in French; -5, 10:30; "3." in "3. Oktober"
date          02/02/94, 1994-02-02, as in the paper also 12/3 and 1/2; 02.02.94 where fractions
              have a comma
percent       5.5 %, +3%, 5.%
money         $4.50, 4,50 €, $3m
acronym       AT&T: capitals joined by "&"
reference     T-1-AB.1.2, 24-hr, draft_v3.docx: letters with digits, or with a period inside
abbreviation  U.S., m.p.h., Mr.: with its period
word          with inner hyphens and apostrophes
clitic        what is split off a word, or stands behind a sign: 's, l'
name          what is joined: Mary Ann Lee
url, email    without the sign that ends a sentence
ellipsis      ..., …, . . .
punctuation   all else: a sign, a run of one sign, a smiley

As the paper's expressions, these overgenerate: "12,45.678" is a number.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from ..language_data import KINDS as ABBREVIATIONS
from ..language_data import Rules

NUMBER, DATE, PERCENT, MONEY = "number", "date", "percent", "money"
ACRONYM, REFERENCE, ABBREVIATION = "acronym", "reference", "abbreviation"
WORD, CLITIC, NAME = "word", "clitic", "name"
URL, EMAIL, ELLIPSIS, PUNCTUATION = "url", "email", "ellipsis", "punctuation"
# Groups of the expression that are no kinds yet: a word, known at once; any run of letters and
# digits, with the period behind it; such an abbreviation with other periods inside.
PLAIN, RUN, DOTTED = "plain", "run", "dotted"

# An expression cannot give up its backtracking (before Python 3.11). So that no text takes long, an
# alternative is bounded, or what reads on where it failed goes as far as it did. It also remembers
# each repeat of a group; so that no text takes much memory, there are no more than these.
_SOME = "{0,1000}"
_LETTER = r"[^\W\d_]"
_CAPITAL = "A-ZÀ-ÖØ-Þ"
_BLANK = "[ \u00a0\u2009\u202f]"
_CURRENCY = "[$¢£¤¥\u20a0-\u20cf]"
_HYPHEN = "-\u2010\u2011"
_APOSTROPHE = "'’"
# A sign, or a period before the first digit, belongs to a number that nothing stands before.
_FREE = r"(?<![^\s(\[{<>=\"'“‘«$€£+−-])"
_SIGN = rf"(?:{_FREE}[-+−±])?"
# Where a number ends: it does not continue, and is not the beginning of a word.
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
# What joins runs of letters and digits: "re-use", "it's", "file.doc", "AB.1", "U.S", "J.-P".
_JOINT = rf"""(?:
      [{_HYPHEN}{_APOSTROPHE}_](?=[^\W_])
    | \.(?: (?<!\.[a-z]\.)(?=[a-zß-öø-ÿ])
          | (?<=[{_CAPITAL}\d]\.)(?=\d)
          | (?<=\d\.)(?=[ªº])
          | (?<={_LETTER}\.)(?<!\w\w\.)(?:(?={_LETTER}(?!\w))|[{_HYPHEN}](?=[^\W_])) )
    | (?<=\d)[,:](?=\d)
    | (?<=[{_CAPITAL}])&(?=[{_CAPITAL}])
)"""
# Signs of which each is a token; of others a run is. Emoji keep what changes them.
_SINGLE = r"[()\[\]{}«»“”„‟‹›¿¡]"
_CHANGES = r"[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff]|\u200d\S"
_SMILEY = r"(?<!\S)[:;=]['’]?-?[()\[\]DPp|/*](?!\w)"
_SIGNS = rf"[?!]+|{_SMILEY}|{_SINGLE}|(?P<sign>\S)(?:(?P=sign)|{_CHANGES}){_SOME}"

LETTER_PERIODS = re.compile(rf"(?:{_LETTER}\.)+{_LETTER}")


def compile_classes(rules: Rules) -> re.Pattern[str]:
    """Write the expression of a language; a class that comes first wins."""
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
    # White space is passed over at once, not tried with each class.
    return re.compile(rf"(?!\s)(?:{named})", re.VERBOSE)


def _write_number(rules: Rules) -> str:
    """Write a number without its sign.

    Blanks (and other signs that have more uses) stand between groups of three digits only.
    """
    number = rf"(?:{_FREE}\.)?\d+(?:[.,:]\d+){_SOME}"
    if rules.group in ("", ",", "."):
        return rf"(?:{number})"
    group = _BLANK if rules.group.isspace() else re.escape(rules.group)
    fraction = re.escape(rules.decimal)
    return rf"(?:\d{{1,3}}(?:{group}\d{{3}}){{1,1000}}(?!\d)(?:{fraction}\d+)?|{number})"


def _write_words(words: Iterable[str]) -> str:
    """Write an alternative for each word, the longest first; without words what never matches."""
    longest = sorted(set(words), key=lambda word: (-len(word), word))
    return rf"(?:{'|'.join(map(re.escape, longest))})" if longest else r"(?!)"


def list_dotted(rules: Rules) -> frozenset[str]:
    """List the abbreviations with a period inside that are more than letters with periods."""
    words = frozenset().union(*(getattr(rules, kind) for kind in ABBREVIATIONS))
    return frozenset(word for word in words if "." in word and not LETTER_PERIODS.fullmatch(word))


@lru_cache(maxsize=1)
def _find_marks() -> str:
    """Find what continues with a word though it is no letter: accents, vowel signs, joiners."""
    marks = [c for c in map(chr, range(0x300, 0xFE00)) if unicodedata.category(c)[0] == "M"]
    return "\xad\u200c\u200d" + "".join(marks)

"""Properties of English words out of context: core, stem, number and signs.

word -> core (lower case, no punctuation at the edges, one form for "%" and "percent") -> stem

Words are compared by these keys (`matches`). The signs are also features (`features`).
"""

import math
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

# Punctuation that is stripped from the edges of a word to get its core.
EDGES = ".,;:!?'\"()[]{}`-\u2018\u2019\u201c\u201d\u2026"
PREFIX_LENGTH = 4
# Variant forms -> the form that they are replaced with.
SAME = {
    "%": "percent", "pct": "percent", "&": "and", "n't": "not", "cannot": "not", "'re": "are",
    "'ve": "have", "'ll": "will", "'m": "am", "u.s": "usa", "u.s.a": "usa", "u.k": "uk",
    "usd": "$", "dollar": "$", "dollars": "$", "euro": "\u20ac", "euros": "\u20ac",
    "bn": "billion", "mn": "million", "mln": "million",
    "km": "kilometres", "kms": "kilometres", "kilometers": "kilometres",
    "kilometer": "kilometre", "cm": "centimetres", "centimeters": "centimetres",
    "mm": "millimetres", "millimeters": "millimetres", "meters": "metres", "meter": "metre",
    "liters": "litres", "liter": "litre", "kg": "kilograms", "kgs": "kilograms",
    "kilo": "kilograms", "kilos": "kilograms", "lb": "pounds", "lbs": "pounds", "oz": "ounces",
    "ft": "feet", "hr": "hours", "hrs": "hours", "mins": "minutes", "secs": "seconds",
    "govt": "government", "dept": "department", "approx": "approximately",
}  # fmt: skip
# Abbreviated names. They need a capital, as "sat" and "sun" are also ordinary words.
ABBREVIATIONS = {
    "jan": "january", "feb": "february", "mar": "march", "apr": "april", "jun": "june",
    "jul": "july", "aug": "august", "sep": "september", "sept": "september", "oct": "october",
    "nov": "november", "dec": "december", "mon": "monday", "tue": "tuesday", "tues": "tuesday",
    "wed": "wednesday", "thu": "thursday", "thurs": "thursday", "fri": "friday",
    "sat": "saturday", "sun": "sunday",
}  # fmt: skip
# The start of a number, where a point or a minus is not punctuation.
NUMBER_START = re.compile(r"[-+\u2212]?\.?\d")
UNITS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
"""
NUMBERS = {word: float(n) for n, word in enumerate(UNITS.split())}
NUMBERS |= {
    "thirty": 30.0, "forty": 40.0, "fifty": 50.0, "sixty": 60.0, "seventy": 70.0, "eighty": 80.0,
    "ninety": 90.0, "hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9,
    "trillion": 1e12, "half": 0.5, "dozen": 12.0, "first": 1.0, "second": 2.0,
    "third": 3.0, "fourth": 4.0, "fifth": 5.0,
}  # fmt: skip
# "twenty-one" has the core "twentyone".
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBERS |= {
    tens + unit: NUMBERS[tens] + NUMBERS[unit] for tens in TENS for unit in UNITS.split()[1:10]
}
ORDINAL_ENDINGS = ("st", "nd", "rd", "th", "s")
# If one suffix ends with another, the longer comes first.
SUFFIXES = (
    "'s", "ings", "ing", "edly", "ed", "ions", "ion", "ments", "ment", "ers", "er", "es", "s",
    "ly", "al", "ian", "e", "y",
)  # fmt: skip
INFLECTIONS = ("s", "es", "'s")

FUNCTION_LIST = """
a an the of to in on at by for from with as and or but if that which who whom whose this these those
it its he she they his her hers their them him we us our you your i me my is are was were be been
being am do does did has have had having will would can could may might shall should must than then
there so such into about over under also more most very just up out off not no
"""
NEGATION_LIST = """
not no never none nobody nothing without neither nor cannot denied deny denies refused refuse
refuses failed fail fails
"""
FUNCTION_WORDS = frozenset(FUNCTION_LIST.split())
NEGATIONS = frozenset(NEGATION_LIST.split())
# Auxiliary verbs by tense.
PAST = frozenset(["was", "were", "had", "did"])
PRESENT = frozenset(["is", "are", "am", "has", "have", "do", "does"])
FUTURE = frozenset(["will", "shall", "wo"])
MODALS = frozenset(["will", "would", "can", "could", "may", "might", "shall", "should", "must"])
CURRENCIES = frozenset("$%&£€¥")
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
MONTHS = """
january february march april may june july august september october november december
"""
OTHER_TIMES = "spring summer autumn winter yesterday today tomorrow morning afternoon evening night"
CALENDAR = frozenset([*WEEKDAYS.split(), *MONTHS.split(), *OTHER_TIMES.split()])
# Maximum number of letters of an abbreviation.
MAX_CAPITALS = 6
# The signs of a word, in the order of `WordForm.signs`.
SIGNS = (
    "has_digit", "is_number", "is_punct", "is_function_word", "is_negation", "is_modal",
    "is_title", "is_upper", "length", "is_currency", "has_inner_mark", "is_possessive",
    "is_calendar", "is_past", "is_present", "is_future", "has_past_ending", "has_ing",
)  # fmt: skip
# Prepositions, grouped by how they change the role of the next word; 0 = no preposition.
NO_MARKER, BY, TO, OF, OTHER, AND = range(6)
N_MARKERS = 6
MARKERS = {"by": BY, "to": TO, "from": TO, "into": TO, "of": OF, "and": AND, "or": AND}
OTHER_MARKERS = ["in", "on", "at", "for", "with", "as", "about", "over", "under", "after"]
MARKERS |= dict.fromkeys([*OTHER_MARKERS, "before", "than"], OTHER)


class WordForm(NamedTuple):
    """The properties of a word out of context. Keys are 32-bit hashes."""

    core: str
    orth_key: int
    core_key: int
    stem_key: int
    prefix_key: int  # -1 if the core is shorter than the prefix
    number: float  # NaN if the word is not a number
    signs: tuple[float, ...]
    marker: int  # group of a preposition, or NO_MARKER
    initial: int  # code of the first letter if it is a capital, else 0
    abbreviation: int  # for words of a few capitals, their code (see `encode_letters`), else 0


@lru_cache(maxsize=2**16)
def describe_word(text: str) -> WordForm:
    """Compute the properties of a word.

    >>> word = describe_word("2,000th")
    >>> word.core, word.number
    ('2,000th', 2000.0)
    """
    core = find_core(text)
    number = find_number(core)
    prefix_key = crc32(core[:PREFIX_LENGTH].encode()) if len(core) >= PREFIX_LENGTH else -1
    signs = (
        any(character.isdigit() for character in text),
        number == number,
        not any(character.isalnum() for character in text),
        core in FUNCTION_WORDS,
        core in NEGATIONS,
        core in MODALS,
        text[:1].isupper(),
        text.isupper() and len(text) > 1,
        min(len(text), 15) / 10,
        text in CURRENCIES,
        "-" in text or "'" in text,
        text in ("'s", "'", "\u2019s"),
        # "may" and "march" are months only with a capital.
        core in CALENDAR and (core not in ("may", "march") or text[:1].isupper()),
        core in PAST,
        core in PRESENT,
        core in FUTURE,
        core.endswith("ed"),
        core.endswith("ing"),
    )
    capitals = text.replace(".", "")
    is_short = capitals.isupper() and capitals.isalpha() and 2 <= len(capitals) <= MAX_CAPITALS
    return WordForm(
        core,
        crc32(text.encode("utf8", "surrogatepass")),
        hash_core(core),
        crc32(find_stem(core).encode("utf8", "surrogatepass")),
        prefix_key,
        number,
        tuple(map(float, signs)),
        MARKERS.get(core, NO_MARKER),
        ord(text[0]) if text[:1].isupper() else 0,
        encode_letters(map(ord, capitals)) if is_short else 0,
    )


def encode_letters(letters: Iterable[int]) -> int:
    """Encode the codes of up to MAX_CAPITALS letters as one number; 0 if one is not Latin."""
    number = 0
    for letter in letters:
        if letter >= 256:
            return 0
        number = number * 256 + letter
    return number


def hash_core(core: str) -> int:
    """Hash a core into [0, 2**32). The hash is its key here and in the lexicon."""
    return crc32(core.encode("utf8", "surrogatepass"))


def find_core(text: str) -> str:
    """Normalise a word to the form that comparisons use.

    >>> [find_core(word) for word in ('"Sales', "U.S.", "us", "%", "rebel-held", "2.5", "...")]
    ['sales', 'usa', 'us', 'percent', 'rebelheld', '2.5', '...']
    >>> [find_core(word) for word in (".5", "-5", "+5.", "(5)", "Sat.", "sat")]
    ['0.5', '-5', '5', '5', 'saturday', 'sat']
    """
    lower = text.lower().replace("\u2019", "'").replace("\u2212", "-")
    if lower in SAME:
        return SAME[lower]
    core = lower.strip(EDGES)
    if not core:
        return lower
    if NUMBER_START.match(lower):
        number = lower.rstrip(EDGES).lstrip("+")
        return number.replace(".", "0.", 1) if number.lstrip("-").startswith(".") else number
    core = SAME.get(core, core)
    if text.lstrip(EDGES)[:1].isupper():
        core = ABBREVIATIONS.get(core, core)
        core = "usa" if core == "us" and text.strip(EDGES).isupper() else core
    if core[0].isdigit():
        return core
    if not any(character.isdigit() for character in core):
        core = core.replace(".", "") or core
    return core.replace("-", "") or core


def find_stem(core: str) -> str:
    """Strip the ending of a word. Stems are crude, and only meant to be tested for equality.

    >>> find_stem("predictions") == find_stem("predicted") == find_stem("predict")
    True
    """
    if core.endswith("ies") and len(core) > 5:
        return core[:-3] + "i"
    stem = core
    for suffix in SUFFIXES:
        rest = len(core) - len(suffix)
        short = suffix in INFLECTIONS and rest >= 3 and not core.endswith("ss")
        if core.endswith(suffix) and (rest >= 4 or short):
            stem = core[:rest]
            break
    if len(stem) > 3 and stem[-1] == stem[-2]:
        stem = stem[:-1]
    return stem[:-1] + "i" if stem.endswith("y") and len(stem) > 3 else stem


def find_number(core: str) -> float:
    """Parse the number that a word expresses; NaN if it is not a number.

    >>> [find_number(core) for core in ("two", "2.50", "1,000", "3rd", "$5", "may")]
    [2.0, 2.5, 1000.0, 3.0, 5.0, nan]
    """
    if core in NUMBERS:
        return NUMBERS[core]
    digits = core.replace(",", "").lstrip("$#£€").rstrip("%")
    for ending in ORDINAL_ENDINGS:
        if digits.endswith(ending) and digits[: -len(ending)].isdigit():
            digits = digits[: -len(ending)]
    if not digits[:1].isdigit() and digits[:1] not in ("-", "+", "."):
        return math.nan
    try:
        number = float(digits)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan

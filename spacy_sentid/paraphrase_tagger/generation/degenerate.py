"""Detection of degenerate text: loops, garbage and unfinished sentences of a generator.

source, text -> checks of CHECKS -> a reason to refuse the text, or none
"""

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from .options import Filters

EMPTY, NO_LETTERS, GARBLED = "empty", "no letters", "garbled"
REPETITION, UNFINISHED, LENGTHS = "repetition", "unfinished", "lengths too different"

# "Acccccording", "hahahaha"; "! ! ! ! ! !"
LOOP_IN_WORD = re.compile(r"([^\W\d_]{1,12}?)\1{3}|([^\w\s])(?:\s*\2){5}")
WORD = re.compile(r"\w+(?:['’]\w+)*")
# Number of words in a phrase -> number of times in a row that make a loop: "the the the" is a loop,
# but "had had" is not.
MIN_REPEATS = {1: 3, 2: 3, **dict.fromkeys(range(3, 21), 2)}
MAX_PHRASE_COUNT = 2  # maximum occurrences of a phrase of four words, anywhere in a text
CLOSERS = "\"'”’»)]} \n"
OPEN_ENDS = tuple(",;:-–—(&/[{")
# Extra characters beyond the length ratio, for short texts such as "Yes." / "Yes, she did."
LENGTH_SLACK = 10


class Check(NamedTuple):
    """A check, and the reason to refuse a text. It is ignored if it also applies to the source."""

    reason: str
    applies: Callable[[str], bool]


def is_empty(text: str) -> bool:
    """Check if a text has only white space."""
    return not text.strip()


def lacks_letters(text: str) -> bool:
    """Check if a text has no letters of any script."""
    return not any(map(str.isalpha, text))


def is_garbled(text: str) -> bool:
    """Check if a text has replacement characters, from bytes that could not be decoded."""
    return "\ufffd" in text


def repeats_letters(text: str) -> bool:
    """Check if a group of up to 12 letters occurs four times in a row, or a sign six times."""
    return LOOP_IN_WORD.search(text.casefold()) is not None


def repeats_words(text: str) -> bool:
    """Check if a text repeats phrases, by MIN_REPEATS and MAX_PHRASE_COUNT.

    >>> repeats_words("the cat in the house in the house"), repeats_words("He had had the cat.")
    (True, False)
    """
    words = WORD.findall(text.casefold())
    for size, n in MIN_REPEATS.items():
        # Number of consecutive words that equal the word `size` places before.
        same = 0
        for word, earlier in zip(words[size:], words, strict=False):
            same = same + 1 if word == earlier else 0
            if same == size * (n - 1):
                return True
    phrases = Counter(zip(words, words[1:], words[2:], words[3:], strict=False))
    return max(phrases.values(), default=0) > MAX_PHRASE_COUNT


def lacks_final_mark(text: str) -> bool:
    """Check if a text ends with a letter or digit, ignoring closing quotes and brackets."""
    return text.rstrip(CLOSERS)[-1:].isalnum()


def ends_open(text: str) -> bool:
    """Check if a text ends with a sign that needs a continuation, such as a comma."""
    return text.rstrip(CLOSERS).endswith(OPEN_ENDS)


CHECKS = (
    Check(EMPTY, is_empty),
    Check(NO_LETTERS, lacks_letters),
    Check(GARBLED, is_garbled),
    Check(REPETITION, repeats_letters),
    Check(REPETITION, repeats_words),
    Check(UNFINISHED, lacks_final_mark),
    Check(UNFINISHED, ends_open),
)


def find_fault(source: str, text: str) -> str | None:
    """Find the first reason to refuse a paraphrase of a source; None if it is good.

    >>> find_fault("He left the house.", "He left the the the house.")
    'repetition'
    >>> find_fault("No, no, no!", "No, no, no, never!") is None
    True
    """
    for check in CHECKS:
        if check.applies(text) and not check.applies(source):
            return check.reason
    # Lengths are in characters, as some languages have no spaces between words.
    shorter, longer = sorted(len("".join(found.split())) for found in (source, text))
    is_far = longer > Filters().max_length_ratio * shorter + LENGTH_SLACK
    return LENGTHS if is_far else None

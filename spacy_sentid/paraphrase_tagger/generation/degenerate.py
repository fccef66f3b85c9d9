"""Texts that a generator writes when it fails: loops, garbage, half sentences.

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
# How often a run of so many words comes in a row in a loop: "the the the", but not "had had".
MIN_REPEATS = {1: 3, 2: 3, **dict.fromkeys(range(3, 21), 2)}
MAX_PHRASE_COUNT = 2  # of four words, anywhere in a text
CLOSERS = "\"'”’»)]} \n"
OPEN_ENDS = tuple(",;:-–—(&/[{")
# Characters that a short text may be longer than the ratio allows: "Yes." / "Yes, she did."
LENGTH_SLACK = 10


class Check(NamedTuple):
    """A reason to refuse a text; it does not count if it is one to refuse the source too."""

    reason: str
    applies: Callable[[str], bool]


def is_empty(text: str) -> bool:
    """Whether a text has nothing but white space."""
    return not text.strip()


def lacks_letters(text: str) -> bool:
    """Whether no character of a text is a letter, of any script."""
    return not any(map(str.isalpha, text))


def is_garbled(text: str) -> bool:
    """Whether bytes of a text were no characters."""
    return "\ufffd" in text


def repeats_letters(text: str) -> bool:
    """Whether a few letters come four times in a row, or a sign six times."""
    return LOOP_IN_WORD.search(text.casefold()) is not None


def repeats_words(text: str) -> bool:
    """Whether words come in a row as MIN_REPEATS says, or four words again and again.

    >>> repeats_words("the cat in the house in the house"), repeats_words("He had had the cat.")
    (True, False)
    """
    words = WORD.findall(text.casefold())
    for size, n in MIN_REPEATS.items():
        # How many words in a row are the same as the one `size` words before.
        same = 0
        for word, earlier in zip(words[size:], words, strict=False):
            same = same + 1 if word == earlier else 0
            if same == size * (n - 1):
                return True
    phrases = Counter(zip(words, words[1:], words[2:], words[3:], strict=False))
    return max(phrases.values(), default=0) > MAX_PHRASE_COUNT


def lacks_final_mark(text: str) -> bool:
    """Whether a text ends in a letter or digit, quotes and brackets aside."""
    return text.rstrip(CLOSERS)[-1:].isalnum()


def ends_open(text: str) -> bool:
    """Whether a text ends in a sign after which something must come."""
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
    """Find the first reason to refuse a text that was written for a source; None for a good one.

    >>> find_fault("He left the house.", "He left the the the house.")
    'repetition'
    >>> find_fault("No, no, no!", "No, no, no, never!") is None
    True
    """
    for check in CHECKS:
        if check.applies(text) and not check.applies(source):
            return check.reason
    # Characters, as not every language has spaces between words.
    shorter, longer = sorted(len("".join(found.split())) for found in (source, text))
    is_far = longer > Filters().max_length_ratio * shorter + LENGTH_SLACK
    return LENGTHS if is_far else None

"""Decide which paraphrased copies of a row to keep, with a reason for each that is dropped.

texts of a row, of its copies -> new and not degenerate (loops, unfinished) -> tagger -> kept
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spacy.language import Language

from ...files.resume import DUPLICATE
from .candidates import LENGTHS, MAX_LENGTH_RATIO, highlighted_share, tag_pairs
from .options import THETA
from .sentence_pairs import SentencePair

SAME = "same text"
OTHER, LESS, UNTAGGED = "says something else", "leaves something out", "not tagged"
NO_LETTERS, REPETITION, UNFINISHED = "no letters", "repetition", "unfinished"

# "Acccccording", "hahahaha"; "! ! ! ! ! !"
LOOP_IN_WORD = re.compile(r"([^\W\d_]{1,12}?)\1{3}|([^\w\s])(?:\s*\2){5}")
WORD = re.compile(r"\w+(?:['’]\w+)*")
# Number of words in a phrase -> number of times in a row that make a loop: "the the the" is a loop,
# but "had had" is not.
MIN_REPEATS = {1: 3, 2: 3, **dict.fromkeys(range(3, 21), 2)}
MAX_PHRASE_COUNT = 2  # maximum occurrences of a phrase of four words, anywhere in a text
CLOSERS = "\"'”’»)]} \n"
OPEN_ENDS = frozenset(",;:-–—(&/[{")
# Extra characters beyond the length ratio, for short texts such as "Yes." / "Yes, she did."
LENGTH_SLACK = 10


def lacks_letters(text: str) -> bool:
    """Check if a text has no letters of any script."""
    return not any(map(str.isalpha, text))


def repeats(text: str) -> bool:
    """Check if a text repeats letters (LOOP_IN_WORD), or phrases (MIN_REPEATS, MAX_PHRASE_COUNT).

    >>> repeats("the cat in the house in the house"), repeats("He had had the cat.")
    (True, False)
    """
    if LOOP_IN_WORD.search(text.casefold()):
        return True
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


def is_unfinished(text: str) -> bool:
    """Check if a text ends in a letter, a digit or a comma, without its closing quotes."""
    last = text.rstrip(CLOSERS)[-1:]
    return last.isalnum() or last in OPEN_ENDS


# Checks, and the reasons to refuse a text. A check is ignored if it also applies to the source.
CHECKS = {
    lacks_letters: NO_LETTERS,
    repeats: REPETITION,
    is_unfinished: UNFINISHED,
}


def find_fault(source: str, text: str) -> str | None:
    """Find the first reason to refuse a paraphrase of a source; None if it is good.

    >>> find_fault("He left the house.", "He left the the the house.")
    'repetition'
    >>> find_fault("No, no, no!", "No, no, no, never!") is None
    True
    """
    for check, reason in CHECKS.items():
        if check(text) and not check(source):
            return reason
    # Lengths are in characters, as some languages have no spaces between words.
    shorter, longer = sorted(len("".join(found.split())) for found in (source, text))
    return LENGTHS if longer > MAX_LENGTH_RATIO * shorter + LENGTH_SLACK else None


class Copy(NamedTuple):
    """A paraphrased copy of a row: its source texts, its own texts, and the judgement."""

    sources: Sequence[str]
    texts: Sequence[str]
    reason: str | None = None  # reason to drop the copy; None = keep it

    @property
    def changed(self) -> list[tuple[str, str]]:
        """The pairs of source and text that differ in their words."""
        pairs = zip(self.sources, self.texts, strict=True)
        return [pair for pair in pairs if text_key(pair[0]) != text_key(pair[1])]


def text_key(text: str) -> str:
    """Normalise the case and punctuation of a text, to compare it with others.

    >>> text_key("He left, it is said.")
    'he left it is said'
    """
    return " ".join(WORD.findall(text.casefold())) or text


def judge_copies(sources: Sequence[str], copies: Iterable[Sequence[str]]) -> list[Copy]:
    """Judge the copies of one row without a tagger.

    >>> [copy.reason for copy in judge_copies(["He left."], [["He left!"], ["He went away."]])]
    ['same text', None]
    """
    judged = []
    seen: set[tuple[str, ...]] = set()
    for texts in copies:
        copy = Copy(sources, texts)
        key = tuple(map(text_key, texts))
        reason = next(filter(None, (find_fault(*pair) for pair in copy.changed)), None)
        if not copy.changed:
            reason = SAME
        elif reason is None and key in seen:
            reason = DUPLICATE
        seen.add(key)
        judged.append(copy._replace(reason=reason))
    return judged


def compare_copies(
    nlp: Language, copies: Sequence[Sequence[Copy]], *, theta: float = THETA
) -> list[list[Copy]]:
    """Judge the remaining copies of some rows with a paraphrase tagger, in a single batch.

    theta: Maximum share of unparaphrased words, both in a source and in its copy.
    """
    good = [copy for some in copies for copy in some if copy.reason is None]
    pairs = [SentencePair(str(n), *pair) for n, copy in enumerate(good) for pair in copy.changed]
    for pair, found in zip(pairs, tag_pairs(nlp, pairs), strict=True):
        if isinstance(found, ValueError):
            reason = UNTAGGED
        elif highlighted_share(found.tags2) > theta:
            reason = OTHER
        elif highlighted_share(found.tags1) > theta:
            reason = LESS
        else:
            continue
        good[int(pair.id)] = good[int(pair.id)]._replace(reason=reason)
    compared = iter(good)
    return [[next(compared) if copy.reason is None else copy for copy in some] for some in copies]

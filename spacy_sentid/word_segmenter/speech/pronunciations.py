"""A pronunciation dictionary of characters for an aligner of words (footnote 6).

the aligner's dictionary of words -> phones of each pinyin syllable -> phones of each reading of
each character -> dictionary

The Mandarin dictionary of MFA has many characters with their most frequent reading only. We learn
the phones of a syllable from entries of one character with a single reading. A character then gets
its own entries and the phones of all its readings in pypinyin. Readings with a syllable that was
not learned are skipped.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ...components.settings import require_extra
from ...files.records import read_good_lines
from ...messages import shorten

Phones: TypeAlias = tuple[str, ...]

# The phones of silence and noise. Entries with them are ignored.
NO_SPEECH = frozenset({"sil", "spn", "sp"})


class Pronunciation(NamedTuple):
    """A pronunciation of a word."""

    word: str
    prob: float  # relative to the most probable pronunciation of the word, 1 if not given
    phones: Phones


def read_dictionary(path: Path) -> list[Pronunciation]:
    """Read the entries of an MFA dictionary: word, up to four probabilities, phones.

    Raises ValueError, with file and line, for an entry without phones, and for an empty file.
    """
    entries = []
    for line in read_good_lines(path):
        word, *fields = line.text.split()
        n_probs = next((n for n, field in enumerate(fields) if not _is_prob(field)), len(fields))
        phones = tuple(fields[n_probs:])
        if not phones:
            raise ValueError(
                f"{line.place}: an entry must be a word and its phones, got {shorten(line.text)}."
            )
        entries.append(Pronunciation(word, float(fields[0]) if n_probs else 1.0, phones))
    if not entries:
        raise ValueError(f"{path}: the dictionary must have entries, got an empty file.")
    return entries


def learn_syllables(entries: Sequence[Pronunciation]) -> dict[str, Phones]:
    """Learn the phones of pinyin syllables (hang2) from the entries of one character.

    First, characters with a single reading are used. Some syllables have no such characters (hao3,
    da3). They are learned from characters with exactly one unknown reading and one unknown
    pronunciation. Of several candidates, the most frequent one is chosen, weighted by probability.

    Raises ValueError if the package pypinyin is not installed.
    """
    spoken: dict[str, dict[Phones, float]] = {}
    for entry in entries:
        if len(entry.word) == 1 and not NO_SPEECH & set(entry.phones):
            found = spoken.setdefault(entry.word, {})
            found[entry.phones] = max(entry.prob, found.get(entry.phones, 0.0))
    readings = {char: list_readings(char) for char in spoken}
    learned = _choose_phones(
        (names[0], phones, prob)
        for char, names in readings.items()
        if len(names) == 1
        for phones, prob in spoken[char].items()
    )
    known = set(learned.values())
    rest = []
    for char, names in readings.items():
        unknown = [name for name in names if name not in learned]
        unexplained = [
            (phones, prob) for phones, prob in spoken[char].items() if phones not in known
        ]
        if len(unknown) == len(unexplained) == 1:
            rest.append((unknown[0], *unexplained[0]))
    return learned | _choose_phones(rest)


def _choose_phones(candidates: Iterable[tuple[str, Phones, float]]) -> dict[str, Phones]:
    """Choose the phones of each syllable by the largest sum of weights, then alphabetically."""
    weights: dict[str, dict[Phones, float]] = {}
    for syllable, phones, weight in candidates:
        found = weights.setdefault(syllable, {})
        found[phones] = found.get(phones, 0.0) + weight
    return {
        syllable: max(sorted(found), key=found.__getitem__) for syllable, found in weights.items()
    }


def list_readings(char: str) -> list[str]:
    """List the readings of a character as pinyin with a tone digit, 5 for the neutral tone.

    The list is empty for anything but a Chinese character. Raises ValueError if the package
    pypinyin is not installed.
    """
    with require_extra("the reading of a character", extra="speech"):
        from pypinyin import Style, pinyin
    found = pinyin(
        char, style=Style.TONE3, heteronym=True, neutral_tone_with_five=True, errors="ignore"
    )
    return list(dict.fromkeys(chain.from_iterable(found)))


def pronounce(chars: Iterable[str], entries: Sequence[Pronunciation]) -> dict[str, list[Phones]]:
    """Find all pronunciations of characters, with those of the dictionary first.

    Unknown characters have an empty list.
    """
    wanted = sorted(set(chars))
    syllables = learn_syllables(entries)
    found: dict[str, dict[Phones, None]] = {char: {} for char in wanted}
    for entry in entries:
        if entry.word in found and not NO_SPEECH & set(entry.phones):
            found[entry.word][entry.phones] = None
    for char, own in found.items():
        own.update((syllables[name], None) for name in list_readings(char) if name in syllables)
    return {char: list(own) for char, own in found.items()}


def format_dictionary(pronunciations: dict[str, list[Phones]]) -> str:
    r"""Format a dictionary for MFA, without probabilities.

    >>> format_dictionary({"行": [("ɕ", "i˧˥", "ŋ"), ("x", "a˧˥", "ŋ")]})
    '行\tɕ i˧˥ ŋ\n行\tx a˧˥ ŋ\n'
    """
    return "".join(
        f"{char}\t{' '.join(phones)}\n"
        for char, readings in pronunciations.items()
        for phones in readings
    )


def _is_prob(field: str) -> bool:
    """Check if a field is a probability; phones are never numbers."""
    return field.replace(".", "", 1).isdigit()

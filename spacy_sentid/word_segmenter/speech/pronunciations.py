"""A pronunciation dictionary of characters for an aligner of words (footnote 6).

the aligner's dictionary of words -> phones of each pinyin syllable -> phones of each reading of
each character -> dictionary

The Mandarin dictionary of MFA has many characters with their most frequent reading only. Here, a
character has its own entries and the phones of all its readings in pypinyin. Readings with a
syllable that was not learned are skipped.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ...extras import require_extra
from ...files.records import read_good_lines
from ...messages import shorten

Phones: TypeAlias = tuple[str, ...]

# The phones of silence and noise.
NO_SPEECH = frozenset({"sil", "spn", "sp"})


class Pronunciation(NamedTuple):
    """A pronunciation of a word."""

    word: str
    prob: float  # relative to the most probable pronunciation of the word, 1 if not given
    phones: Phones


def read_dictionary(path: Path) -> list[Pronunciation]:
    """Read the entries of an MFA dictionary: word, up to four probabilities, phones.

    Entries of silence and noise are skipped.
    Raises ValueError, with file and line, for an entry without phones, and for an empty file.
    """
    entries = []
    for line in read_good_lines(path):
        word, *fields = line.text.split()
        # Phones are never numbers.
        phones = tuple(field for field in fields if not field.replace(".", "", 1).isdigit())
        if not phones:
            raise ValueError(
                f"{line.place}: an entry must be a word and its phones, got {shorten(line.text)}."
            )
        if not NO_SPEECH & set(phones):
            prob = float(fields[0]) if fields[0] != phones[0] else 1.0
            entries.append(Pronunciation(word, prob, phones))
    if not entries:
        raise ValueError(f"{path}: the dictionary must have entries, got an empty file.")
    return entries


def learn_syllables(entries: Sequence[Pronunciation]) -> dict[str, Phones]:
    """Learn the phones of pinyin syllables (hang2) from the entries of one character.

    First, characters with a single reading are used. Some syllables have no such characters (hao3,
    da3). In the second pass, they are learned from characters with exactly one unknown reading and
    one unknown pronunciation. Of several candidates, the most frequent one is chosen, weighted by
    probability.
    """
    spoken: dict[str, dict[Phones, float]] = {}
    for entry in entries:
        if len(entry.word) == 1:
            found = spoken.setdefault(entry.word, {})
            found[entry.phones] = max(entry.prob, found.get(entry.phones, 0.0))
    readings = {char: list_readings(char) for char in spoken}
    learned: dict[str, Phones] = {}
    for _ in range(2):
        known = set(learned.values())
        weights: dict[str, Counter[Phones]] = {}
        for char, names in readings.items():
            unknown = [name for name in names if name not in learned]
            new = {phones: p for phones, p in spoken[char].items() if phones not in known}
            if len(unknown) == 1 and (len(names) == 1 or len(new) == 1):
                weights.setdefault(unknown[0], Counter()).update(new)
        for name, own in weights.items():
            learned[name] = max(sorted(own), key=own.__getitem__)
    return learned


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
    syllables = learn_syllables(entries)
    found: dict[str, list[Phones]] = {char: [] for char in sorted(set(chars))}
    for entry in entries:
        if entry.word in found:
            found[entry.word].append(entry.phones)
    for char, own in found.items():
        own += [syllables[name] for name in list_readings(char) if name in syllables]
    return {char: list(dict.fromkeys(own)) for char, own in found.items()}

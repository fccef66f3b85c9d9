"""Score word segmenters on files of segmented text (section 4.2).

gold words -> text -> words of a segmenter -> scores

Scores are 0 to 1.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from .corpus import read_words
from .scorer import InVocabulary, WordCounts

# A function that segments texts and returns the words of each.
Segment: TypeAlias = Callable[[Iterable[str]], Iterable[Sequence[str]]]


def read_vocabulary(paths: Iterable[Path]) -> InVocabulary:
    """Build a function that checks if a word occurs in files of segmented text."""
    return {word for path in paths for words in read_words(path) for word in words}.__contains__


def read_golds(paths: Iterable[Path]) -> dict[str, list[list[str]]]:
    """Read the words of files, by file name. Raises ValueError for a file without sentences."""
    golds = {str(path): read_words(path) for path in paths}
    for name, sentences in golds.items():
        if not sentences:
            raise ValueError(f"{name} must have sentences of words, got an empty file.")
    return golds


def evaluate_sentences(
    segment: Segment,
    gold: Sequence[Sequence[str]],
    *,
    in_vocabulary: InVocabulary | None = None,
) -> dict[str, Any]:
    """Score a segmenter on sentences, which it gets without spaces between words.

    in_vocabulary: Checks if a word was seen in training, for separate scores of the others (out of
        vocabulary, OOV).
    RETURNS: The numbers of `sentences`, `words` and `characters`, the keys of `WordCounts.scores`,
        and `gold_single_rate`, the share of characters that are single-character gold words.

    Raises ValueError if the segmenter changes a text, or the number of texts.
    """
    counts = WordCounts()
    found = segment("".join(words) for words in gold)
    for words, pred in zip(gold, found, strict=True):
        counts.add(words, pred, in_vocabulary=in_vocabulary)
    return {
        "sentences": counts.sentences,
        "words": counts.gold,
        "characters": counts.characters,
        **counts.scores(with_unknown=in_vocabulary is not None),
        "gold_single_rate": counts.gold_single / max(counts.characters, 1),
    }


def score_rows(report: Iterable[dict[str, Any]]) -> list[list[str]]:
    """Format scores of `evaluate_sentences`, each with its `file`, as a table in percent.

    >>> row = {"file": "a.txt", "sentences": 1, "words": 2, "characters": 3, "word_p": 1.0}
    >>> row |= {"word_r": 0.5, "word_f": 2 / 3, "single_rate": 0.25, "gold_single_rate": 0.0}
    >>> score_rows([row])[1]
    ['a.txt', '1', '2', '100.0', '50.0', '66.7', '-', '-', '25.0', '0.0']
    """
    heading = ["file", "sentences", "words", "P", "R", "F1", "OOV R", "OOV", "S", "gold S"]
    names = ("word_p", "word_r", "word_f", "oov_r", "oov_rate", "single_rate", "gold_single_rate")
    rows = [heading]
    for entry in report:
        scores = {name: entry.get(name) for name in names}
        if not scores["oov_rate"]:
            scores["oov_r"] = None
        cells = ["-" if score is None else f"{100 * score:.1f}" for score in scores.values()]
        rows.append([entry["file"], f"{entry['sentences']:,}", f"{entry['words']:,}", *cells])
    return rows

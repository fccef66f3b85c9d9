"""Score segmented text: precision, recall and F1 of words, recall of unknown words (section 4.2).

gold and predicted words of sentences, or of Examples -> counts -> scores

A word is correct if its span is exactly that of a gold word. White space does not count as text.
Scores are 0 to 1.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

from spacy.training import Example

from ..scores import precision_recall_f

# Span group of a partly annotated Doc: inside its spans the word boundaries are unknown.
CHUNKS_KEY = "chunks"

# A function that checks if a word was seen in training.
InVocabulary: TypeAlias = Callable[[str], bool]


@dataclass
class WordCounts:
    """Counts of words and of correct words in any number of sentences.

    >>> counts = WordCounts()
    >>> counts.add(["邀请", "上", "朋友"], ["邀", "请上", "朋友"])
    >>> scores = counts.scores(with_unknown=False)
    >>> round(scores["word_p"], 2), scores["single_rate"]
    (0.33, 0.2)

    characters: Characters that are not white space.
    single, gold_single: Predicted and gold words of one character.
    unknown, unknown_right: Gold words not seen in training, and those of them that were found.
    """

    sentences: int = 0
    characters: int = 0
    gold: int = 0
    pred: int = 0
    right: int = 0
    single: int = 0
    gold_single: int = 0
    unknown: int = 0
    unknown_right: int = 0

    def add(
        self,
        gold: Iterable[str],
        pred: Iterable[str],
        *,
        in_vocabulary: InVocabulary | None = None,
    ) -> None:
        """Count a sentence.

        gold, pred: Its words. White space, and words of only white space, are ignored.
        in_vocabulary: Checks if a word was seen in training.

        Raises ValueError if gold and pred have different texts.
        """
        gold_words, pred_words = strip_words(gold), strip_words(pred)
        text = "".join(gold_words)
        check_text(text, "".join(pred_words))
        found = set(spans_from_words(pred_words))
        self.sentences += 1
        self.characters += len(text)
        self.gold += len(gold_words)
        self.pred += len(pred_words)
        self.single += sum(len(word) == 1 for word in pred_words)
        self.gold_single += sum(len(word) == 1 for word in gold_words)
        for word, span in zip(gold_words, spans_from_words(gold_words), strict=True):
            is_right = span in found
            self.right += is_right
            if in_vocabulary is not None and not in_vocabulary(word):
                self.unknown += 1
                self.unknown_right += is_right

    def scores(self, *, with_unknown: bool) -> dict[str, float]:
        """Compute the scores.

        RETURNS: `word_p`, `word_r`, `word_f`; `single_rate`, the share of characters that are
            predicted single-character words (tag S). With `with_unknown`, also `oov_rate`, the
            share of gold words not seen in training, and `oov_r`, their recall. If there is nothing
            to find and nothing was found, precision, recall and F1 are 1, and the rates are 0.
        """
        p, r, f = precision_recall_f(self.right, self.pred, self.gold, empty=1.0)
        scores = {"word_p": p, "word_r": r, "word_f": f}
        if with_unknown:
            scores["oov_r"] = self.unknown_right / self.unknown if self.unknown else 1.0
            scores["oov_rate"] = self.unknown / max(self.gold, 1)
        scores["single_rate"] = self.single / max(self.characters, 1)
        return scores


def evaluate_sentences(
    segment: Callable[[Iterable[str]], Iterable[Sequence[str]]],
    gold: Sequence[Sequence[str]],
    *,
    in_vocabulary: InVocabulary | None = None,
) -> dict[str, Any]:
    """Score a segmenter on sentences, which it gets without spaces between words.

    segment: Function that segments texts and returns the words of each.
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


def spans_from_words(words: Iterable[str]) -> list[tuple[int, int]]:
    """Find the spans of words, in characters of their concatenated text.

    RETURNS: Half-open spans (start, end) that tile the text.

    >>> spans_from_words(["邀请", "上"])
    [(0, 2), (2, 3)]
    """
    return list(pairwise([0, *accumulate(map(len, words))]))


def strip_words(words: Iterable[str]) -> list[str]:
    """Remove white space from words, and words that are only white space.

    >>> strip_words(["New York", " ", "上\\u3000"])
    ['NewYork', '上']
    """
    stripped = ("".join(word.split()) for word in words)
    return [word for word in stripped if word]


def check_text(gold: str, pred: str) -> None:
    """Raise ValueError, with the place, if two texts without white space differ."""
    if gold == pred:
        return
    pairs = zip(gold, pred, strict=False)
    at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(gold), len(pred)))
    start = max(0, at - 10)
    raise ValueError(
        f"Words must be of the same text, got {pred[start : at + 10]!r} instead of "
        f"{gold[start : at + 10]!r} around character {at} of {gold[:60]!r}. A segmenter must not "
        "change the text."
    )


# Scores of Docs


def make_word_scorer() -> Callable:
    """Build the scorer of the word segmenter, for configs."""
    return score_examples


def score_examples(
    examples: Iterable[Example], *, in_vocabulary: InVocabulary | None = None, **_: Any
) -> dict[str, float]:
    """Score the tokens of predicted Docs against those of gold Docs. White space does not count.

    Partly annotated references, which have spans in the group `chunks`, are skipped.

    in_vocabulary: Checks if a word was seen in training.
    RETURNS: The keys of `WordCounts.scores`; {} if no Example has a full reference.
    """
    counts = WordCounts()
    for example in examples:
        if not example.reference.spans.get(CHUNKS_KEY):
            docs = (example.reference, example.predicted)
            gold, pred = ([token.text for token in doc] for doc in docs)
            counts.add(gold, pred, in_vocabulary=in_vocabulary)
    return counts.scores(with_unknown=in_vocabulary is not None) if counts.sentences else {}


def tabulate_scores(report: Iterable[dict[str, Any]]) -> list[list[str]]:
    """Format scores of `evaluate_sentences`, each with its `file`, as a table in percent.

    >>> row = {"file": "a.txt", "sentences": 1, "words": 2, "characters": 3, "word_p": 1.0}
    >>> row |= {"word_r": 0.5, "word_f": 2 / 3, "single_rate": 0.25, "gold_single_rate": 0.0}
    >>> tabulate_scores([row])[1]
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

"""Score segmented text: precision, recall and F1 of words, recall of unknown words (section 4.2).

gold and predicted words of each sentence, or of Examples -> counts -> scores

A word is right if its exact span is. White space is no part of the text. Scores are 0 to 1.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, TypeAlias

from spacy.tokens import Doc
from spacy.training import Example

from ..scores import precision_recall_f
from .tags import CHUNKS_KEY, spans_from_words

# Tells the words that were seen in training.
InVocabulary: TypeAlias = Callable[[str], bool]


@dataclass
class WordCounts:
    """Counts of words and of those that are right, over any number of sentences.

    characters: Without white space. single: Predicted words of one character; gold_single: gold
        ones. unknown: Gold words that are not known; unknown_right: those that were found.
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
        """Count a sentence; ValueError if gold and pred are of other texts."""
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
        """Make the scores.

        RETURNS: `word_p`, `word_r`, `word_f`; `single_rate`, the share of characters that `pred`
            makes words by themselves (tag S); `with_unknown`, `oov_rate`, the share of gold words
            that are not known, and `oov_r`, the recall of those. Precision, recall and F1 are 1
            where there is nothing to find and nothing was found, the rates 0.
        """
        p, r, f = precision_recall_f(self.right, self.pred, self.gold, empty=1.0)
        scores = {"word_p": p, "word_r": r, "word_f": f}
        if with_unknown:
            scores["oov_r"] = self.unknown_right / self.unknown if self.unknown else 1.0
            scores["oov_rate"] = _share(self.unknown, self.gold)
        scores["single_rate"] = _share(self.single, self.characters)
        return scores


def count_words(
    gold: Iterable[Iterable[str]],
    pred: Iterable[Iterable[str]],
    in_vocabulary: InVocabulary | None = None,
) -> WordCounts:
    """Count the words of sentences.

    gold, pred: The words of each sentence; the same text cut in two ways. White space in words,
        and words of nothing else, do not count.
    in_vocabulary: Tells the words seen in training; the others are out of vocabulary (OOV).
    Raises ValueError if a sentence of `gold` and `pred` is not the same text, or there are more of
    one.

    >>> counts = count_words([["邀请", "上", "朋友"]], [["邀", "请上", "朋友"]])
    >>> scores = counts.scores(with_unknown=False)
    >>> round(scores["word_p"], 2), round(scores["word_r"], 2), scores["single_rate"]
    (0.33, 0.33, 0.2)
    >>> counts = count_words([["邀请", "上"]], [["邀请", "上"]], {"上"}.__contains__)
    >>> scores = counts.scores(with_unknown=True)
    >>> scores["oov_r"], scores["oov_rate"]
    (1.0, 0.5)
    """
    counts = WordCounts()
    for words, found in zip_longest(gold, pred):
        if words is None or found is None:
            more = "".join(found if words is None else words)
            raise ValueError(
                f"gold and pred must have as many sentences, got {counts.sentences} and then, in "
                f"one of them, {more[:40]!r}."
            )
        counts.add(words, found, in_vocabulary=in_vocabulary)
    return counts


def strip_words(words: Iterable[str]) -> list[str]:
    """Take white space out of words; words of nothing else go.

    >>> strip_words(["New York", " ", "上\\u3000"])
    ['NewYork', '上']
    """
    stripped = ("".join(word.split()) for word in words)
    return [word for word in stripped if word]


def check_text(gold: str, pred: str) -> None:
    """Raise ValueError if two texts, both without white space, differ; it shows where."""
    if gold == pred:
        return
    pairs = zip(gold, pred, strict=False)
    at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(gold), len(pred)))
    start = max(0, at - 10)
    raise ValueError(
        f"Words must be of the same text, got {pred[start : at + 10]!r} for "
        f"{gold[start : at + 10]!r}, from character {at} of {gold[:60]!r}. A segmenter must not "
        "change it."
    )


def _share(part: int, whole: int) -> float:
    """Divide; 0 of nothing."""
    return part / whole if whole else 0.0


# Of Docs


def make_word_scorer() -> Callable:
    """Make the scorer of the word segmenter, for configs."""
    return score_examples


def score_examples(
    examples: Iterable[Example], *, in_vocabulary: InVocabulary | None = None, **_: Any
) -> dict[str, float]:
    """Score the tokens of predicted Docs against those of gold ones; white space does not count.

    Partly annotated references, those with spans in the group `chunks`, are passed over.
    in_vocabulary: Tells the words seen in training.
    RETURNS: The keys of `WordCounts.scores`; {} if there is no Example with a full reference.
    """
    counts = WordCounts()
    for example in examples:
        if is_partial(example.reference):
            continue
        counts.add(
            get_words(example.reference), get_words(example.predicted), in_vocabulary=in_vocabulary
        )
    return counts.scores(with_unknown=in_vocabulary is not None) if counts.sentences else {}


def is_partial(doc: Doc) -> bool:
    """Tell whether some of a gold Doc's word boundaries are unknown."""
    return CHUNKS_KEY in doc.spans and len(doc.spans[CHUNKS_KEY]) > 0


def get_words(doc: Doc) -> list[str]:
    """List the tokens that are no white space.

    >>> import spacy
    >>> get_words(spacy.blank("zh")("好 的"))
    ['好', '的']
    """
    return [token.text for token in doc if not token.is_space]

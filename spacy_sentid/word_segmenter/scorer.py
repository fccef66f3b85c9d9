"""Score predicted Docs against gold ones: words of exact spans, unknown words.

Examples -> words of both Docs -> precision, recall, F1, OOV recall

Scores are 0 to 1.
"""

from collections.abc import Callable, Iterable
from typing import Any

from spacy.tokens import Doc
from spacy.training import Example

from .scoring import WordCounts
from .tags import CHUNKS_KEY


def make_word_scorer() -> Callable:
    """Make the scorer of the word segmenter, for configs."""
    return score_examples


def score_examples(
    examples: Iterable[Example], *, known: Callable[[str], bool] | None = None, **_: Any
) -> dict[str, float]:
    """Score the tokens of predicted Docs against those of gold ones; white space does not count.

    Partly annotated references, those with spans in the group `chunks`, are passed over.
    known: Tells the words seen in training.
    RETURNS: The keys of `score_words`; {} if there is no Example with a full reference.
    """
    counts = WordCounts()
    for example in examples:
        if is_partial(example.reference):
            continue
        counts.add(get_words(example.reference), get_words(example.predicted), known=known)
    return counts.scores(with_unknown=known is not None) if counts.sentences else {}


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

"""Gold words of Examples, with full or partial annotation.

Examples -> characters, tags that are consistent with the gold words

The gold words are the tokens of the reference Doc. If only some boundaries are known, for example
from pauses in speech, the tokens are the strings between known boundaries. The span group "chunks"
then covers the tokens with unknown boundaries inside (section 3, Figure 3).
"""

from collections.abc import Iterable, Sequence

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..arrays import Bools1d, Bools2d, Ints1d
from .characters import Characters, allow_tags, read_characters
from .scorer import CHUNKS_KEY, check_text


def read_gold(examples: Sequence[Example]) -> tuple[Characters, Bools2d]:
    """Read the characters of the predicted Docs, with the tags that the gold words allow.

    If a gold word ends inside a token, this boundary is ignored, as tokens cannot be split.

    RETURNS: Characters, with the gold words where they are known; allowed tags, (n, 4).

    Raises ValueError if a reference has another text than its Doc, apart from white space.
    """
    batch = read_characters([eg.predicted for eg in examples])
    gold = read_characters([eg.reference for eg in examples])
    # Words end after the tokens of the reference, and not inside of them.
    must_end = ~gold.must_not_end
    must_not_end = gold.must_not_end.copy()
    words, start = [], 0
    for example, tokens in zip(examples, gold.tokens.split(), strict=True):
        check_text(*("".join(d.text.split()) for d in (example.reference, example.predicted)))
        strings = [s for s, n in zip(tokens.strings, tokens.lengths.tolist(), strict=True) if n]
        unknown = _unknown_characters(example.reference, tokens.lengths)
        must_not_end[start : start + len(unknown)][unknown] = False
        words.append([] if unknown.any() else strings)
        start += len(unknown)
    must_not_end = (must_not_end | batch.must_not_end) & ~batch.must_end
    must_end = (must_end & ~must_not_end) | batch.must_end
    return batch._replace(words=words), allow_tags(must_end, must_not_end)


def _unknown_characters(reference: Doc, lengths: Ints1d) -> Bools1d:
    """Find the characters of a reference after which word boundaries are unknown."""
    ends = np.cumsum(lengths)
    unknown = np.zeros(ends[-1] if len(ends) else 0, dtype=bool)
    for span in reference.spans.get(CHUNKS_KEY, ()):
        first = ends[span.start] - lengths[span.start]
        unknown[first : ends[span.end - 1]] = True
    return unknown


def make_partial_doc(vocab: Vocab, chunks: Iterable[str]) -> Doc:
    """Make a reference Doc with partly known word boundaries.

    chunks: The strings between known boundaries. Words may also end inside of them.
    """
    words = list(chunks)
    doc = Doc(vocab, words=words, spaces=[False] * len(words))
    doc.spans[CHUNKS_KEY] = [doc[k : k + 1] for k, word in enumerate(words) if len(word) > 1]
    return doc

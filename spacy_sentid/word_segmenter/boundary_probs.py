"""Boundary probabilities and words of texts, by the word segmenter of a pipeline.

texts -> batches of characters -> p_B of each gap; or words that end at given gaps

Gap i is between text[i] and text[i + 1].
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise, repeat

import numpy as np
from spacy.language import Language

from ..arrays import Bools1d, Floats1d
from ..components.pipelines import find, list_factories
from .characters import Characters, allow_tags, cut_batches, read_characters
from .component import WordSegmenter
from .crf import CLOSED, find_marginals

BATCH_SIZE = 256


def boundary_probs(nlp: Language, texts: Iterable[str]) -> Iterator[Floats1d]:
    """Compute p_B of equation (3) for each gap of each text: (n_characters - 1,), in [0, 1].

    It is 1 next to white space, and 0 inside a token of the tokenizer.
    """
    segmenter = find(nlp, WordSegmenter.factory)
    for part in cut_batches(texts, size=BATCH_SIZE):
        batch = read_batch(nlp, part)
        scores = segmenter.score_tags(batch)
        allowed = allow_tags(batch.must_end, batch.must_not_end)
        marginals = find_marginals(scores.emissions, scores.transitions, batch.starts, allowed)
        probs = np.clip(marginals.tags[:, CLOSED].sum(axis=1), 0.0, 1.0)
        ends = np.cumsum(batch.lengths)
        for text, own in zip(part, np.split(probs, ends[:-1]), strict=True):
            full = np.ones(len(text))
            full[_find_characters(text)] = own
            yield full[:-1]


def segment_texts(
    nlp: Language, texts: Iterable[str], boundaries: Iterable[Sequence[int]] | None = None
) -> Iterator[list[str]]:
    """Segment texts into words. White space is not a word.

    boundaries: For each text, the gaps where a word must end (constrained Viterbi, section 3.2).
    RETURNS: The words of each text.

    Raises ValueError for a gap that a text does not have.
    """
    segmenter = find(nlp, WordSegmenter.factory)
    gaps = repeat(()) if boundaries is None else iter(boundaries)
    for part in cut_batches(texts, size=BATCH_SIZE):
        batch = read_batch(nlp, part)
        ends = segmenter.find_ends(batch, _mark_gaps(part, islice(gaps, len(part))))
        cuts = np.cumsum(batch.lengths)[:-1]
        for text, own in zip(part, np.split(ends, cuts), strict=True):
            chars = "".join(text.split())
            stops = (np.flatnonzero(own) + 1).tolist()
            yield [chars[a:b] for a, b in pairwise([0, *stops])]


def read_batch(nlp: Language, texts: Sequence[str]) -> Characters:
    """Read the characters of texts, after running the components before the segmenter.

    A segmenter that listens to an encoder needs the encoder's output.
    """
    before = nlp.pipe_names[: list_factories(nlp).index(WordSegmenter.factory)]
    with nlp.select_pipes(enable=before):
        return read_characters(list(nlp.pipe(texts)))


def _mark_gaps(texts: Sequence[str], boundaries: Iterable[Sequence[int]]) -> Bools1d:
    """Mark the characters that are not white space after which a word must end: (n,)."""
    marks = [np.zeros(0, dtype=bool)]
    for text, gaps in zip(texts, boundaries, strict=True):
        n_before = np.cumsum(_find_characters(text))  # up to each character
        found = np.zeros(n_before[-1] if text else 0, dtype=bool)
        for gap in gaps:
            if not 0 <= gap < len(text) - 1:
                raise ValueError(
                    f"A gap of {text[:40]!r} must be one of its {max(len(text) - 1, 0)} gaps, got "
                    f"{gap}. Gap i is after character i."
                )
            if n_before[gap]:  # a gap in white space counts as the one after the character before
                found[n_before[gap] - 1] = True
        marks.append(found)
    return np.concatenate(marks)


def _find_characters(text: str) -> Bools1d:
    """Find the characters that are not white space: (n,)."""
    return np.array([not char.isspace() for char in text], dtype=bool)

"""Compare a text with one reference, sentence by sentence.

two passages -> short pairs -> tagger -> support of each word, unsupported spans -> scores

Each sentence is compared with those of the other text that share most with it. Only the
comparisons made for a sentence count for its words, so that PScore is the same whether RScore is
asked for or not.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy
from spacy.tokens import Doc

from ...arrays import Floats1d
from ..corpus import SUPPORT, runs_of_ones
from ..pairs import get_pair
from .passages import Passage, match_sentences

# Whose words the scores are over: of the text (precision), of the reference (recall), of both.
PERSPECTIVES = ("p", "r", "f")


class Word(NamedTuple):
    """A word, in characters of the text as given."""

    start_char: int
    end_char: int
    support: float  # below 0: rather not paraphrased by the other text


class UnsupportedSpan(NamedTuple):
    """What the other text has no paraphrase of, in characters of the text as given."""

    start_char: int
    end_char: int
    score: float  # probability


class Side(NamedTuple):
    """The words of one of two texts and its unsupported spans, both in text order."""

    words: list[Word]
    spans: list[UnsupportedSpan]


class Comparison(NamedTuple):
    """A text against one reference; None and empty sides for what the perspective leaves out."""

    p: float | None
    r: float | None
    f: float | None
    hyp: Side
    ref: Side


# A short pair: the numbers of a sentence of the text, and of one of the reference.
Key: TypeAlias = tuple[int, int]


class Plan(NamedTuple):
    """The short pairs of a text and one reference."""

    hyp: Passage
    ref: Passage
    hyp_keys: list[list[Key]]  # for each sentence of the text; it is all of the first side
    ref_keys: list[list[Key]]  # for each sentence of the reference; it is all of the second side
    keys: list[Key]  # each once

    def list_words(self) -> Iterator[tuple[list[str], list[str]]]:
        """List the words of each short pair."""
        hyp, ref = self.hyp.split_words(), self.ref.split_words()
        for first, second in self.keys:
            yield hyp[first], ref[second]


class Tags(NamedTuple):
    """What the tagger says of the words of a text."""

    support: Floats1d  # (n_words,)
    prob: Floats1d  # (n_words,) of the span that the word is in; NaN = in none


def make_plan(hyp: Passage, ref: Passage, *, perspective: str, matches: int) -> Plan:
    """Choose what to compare; the settings are those of `score_pairs`."""
    of_hyp, of_ref = hyp.split_words(), ref.split_words()
    hyp_keys: list[list[Key]] = []
    ref_keys: list[list[Key]] = []
    if perspective != "r":
        for i, found in enumerate(match_sentences(of_hyp, of_ref, k=matches)):
            hyp_keys.append([(i, j) for j in found])
    if perspective != "p":
        for j, found in enumerate(match_sentences(of_ref, of_hyp, k=matches)):
            ref_keys.append([(i, j) for i in found])
    keys = list(dict.fromkeys(key for group in hyp_keys + ref_keys for key in group))
    return Plan(hyp, ref, hyp_keys, ref_keys, keys)


def read_tags(doc: Doc, *, key: str) -> tuple[Tags, Tags]:
    """Read what the tagger wrote about either text of a pair; ValueError if it wrote nothing."""
    group = doc.spans.get(key)
    if group is None or SUPPORT not in group.attrs:
        raise ValueError(
            f"The pipeline must write the support of the words into doc.spans[{key!r}], as a "
            "'paraphrase_tagger' does, got none."
        )
    support = numpy.asarray(group.attrs[SUPPORT], dtype="float64")
    prob = numpy.full(len(doc), numpy.nan)
    for span, score in zip(group, group.attrs["scores"], strict=True):
        prob[span.start : span.end] = score
    first, second = (slice(text.start, text.end) for text in get_pair(doc))
    return Tags(support[first], prob[first]), Tags(support[second], prob[second])


def compare(plan: Plan, tags: Sequence[tuple[Tags, Tags]]) -> Comparison:
    """Put together what the tagger says of the short pairs.

    tags: Of each of `plan.keys`.
    """
    tags_of = dict(zip(plan.keys, tags, strict=True))
    hyp = _merge(plan.hyp, [[tags_of[key][0] for key in keys] for keys in plan.hyp_keys])
    ref = _merge(plan.ref, [[tags_of[key][1] for key in keys] for keys in plan.ref_keys])
    f = _mean_support(hyp.words + ref.words) if hyp.words and ref.words else None
    return Comparison(_mean_support(hyp.words), _mean_support(ref.words), f, hyp, ref)


def _merge(passage: Passage, tags: Sequence[Sequence[Tags]]) -> Side:
    """Take for each word the comparison that supports it best.

    tags: For each sentence those of all its comparisons; [] if this side was not compared.
    """
    words: list[Word] = []
    spans: list[UnsupportedSpan] = []
    for (start, end), found in zip(passage.sentences, tags, strict=False):
        offsets = passage.offsets[start:end]
        support = numpy.stack([one.support for one in found])  # (n_comparisons, n_words)
        best = support.argmax(axis=0), numpy.arange(end - start)
        prob = numpy.stack([one.prob for one in found])[best]  # (n_words,)
        words += [
            Word(*offset, float(value))
            for offset, value in zip(offsets, support[best], strict=True)
        ]
        spans += [
            UnsupportedSpan(offsets[i][0], offsets[j - 1][1], float(prob[i:j].mean()))
            for i, j in runs_of_ones(int(not gap) for gap in numpy.isnan(prob))
        ]
    return Side(words, spans)


def _mean_support(words: Sequence[Word]) -> float | None:
    return float(numpy.mean([word.support for word in words])) if words else None

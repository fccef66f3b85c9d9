"""Compare a text with one reference, sentence by sentence.

two passages -> short pairs -> tagger -> support of each word, unsupported spans -> scores

Each sentence is compared with the sentences of the other text that share most words with it. Only
the comparisons made for a sentence count for its words. PScore is therefore the same with and
without RScore.

A word is supported if it is not in an unsupported span, which depends on the tagger's threshold.
The share of supported words ignores function words and punctuation, which even unrelated texts
share. A sentence that occurs verbatim in the other text is supported.
"""

from collections.abc import Container, Iterator, Sequence
from itertools import compress
from typing import NamedTuple, TypeAlias

import numpy
from spacy.tokens import Doc

from ...arrays import Floats1d, sigmoid
from ..corpus import SUPPORT, runs_of_ones
from ..matching.lexicon import Lexicon
from ..matching.severity import FUNCTION, KINDS, find_kinds, find_own_kind, find_severest
from ..pairs import get_pair, pair_id
from .overlap import score_chrf, score_rouge_precision
from .passages import Passage, match_sentences

# The words that are scored: those of the text (precision), of the reference (recall), or of both.
PERSPECTIVES = ("p", "r", "f")
# Weight of the tagger in the blend with chrF, see `_blend`.
BLEND_WEIGHT = 0.5


class Word(NamedTuple):
    """A word, with character offsets into the original text."""

    start_char: int
    end_char: int
    support: float  # log-odds of being paraphrased in the other text


class UnsupportedSpan(NamedTuple):
    """A span without a paraphrase in the other text, with offsets into the original text."""

    start_char: int
    end_char: int
    score: float  # probability that it is unparaphrased
    kind: str  # kind of its most severe word, one of `severity.KINDS`


class Side(NamedTuple):
    """The words and unsupported spans of one of the two texts."""

    words: list[Word]  # in text order
    spans: list[UnsupportedSpan]  # the most severe kind first, each kind in text order
    supported: float | None  # share of supported words, in [0, 1]; None = not compared
    prob: float | None  # mean probability that its words are supported


class Comparison(NamedTuple):
    """A comparison of a text with one reference.

    Scores that the perspective does not need are missing (None), and their sides are empty.
    """

    p: float | None  # mean support of the words of the text (precision)
    r: float | None  # mean support of the words of the reference (recall)
    f: float | None  # mean support of all words
    supported_p: float | None  # share of supported words, in [0, 1]
    supported_r: float | None
    supported_f: float | None  # harmonic mean of the two
    rouge1_p: float | None  # share of the words of the text that the reference has
    rouge2_p: float | None  # share of its word bigrams that the reference has
    chrf: float | None  # chrf and blend are only computed on request
    blend: float | None
    hyp: Side
    ref: Side


# The fields of a comparison that are scores.
SCORES = Comparison._fields[:-2]


# A short pair: the indices of a sentence of the text and of a sentence of the reference.
Key: TypeAlias = tuple[int, int]


class Plan(NamedTuple):
    """The short pairs of a text and one reference."""

    hyp: Passage
    ref: Passage
    hyp_keys: list[list[Key]]  # for each sentence of the text, the pairs that count for its words
    ref_keys: list[list[Key]]  # the same for each sentence of the reference
    keys: list[Key]  # all distinct pairs

    def list_words(self) -> Iterator[tuple[list[str], list[str]]]:
        """List the words of each short pair."""
        hyp, ref = self.hyp.split_words(), self.ref.split_words()
        for first, second in self.keys:
            yield hyp[first], ref[second]


class Tags(NamedTuple):
    """The tagger's output for the words of a text."""

    support: Floats1d  # (n_words,)
    prob: Floats1d  # (n_words,) score of the span that the word is in; NaN = not in a span


def make_plan(hyp: Passage, ref: Passage, *, perspective: str, matches: int) -> Plan:
    """Choose the sentences to compare. The settings are those of `stream_scores`."""
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
    """Read the tagger's output for both texts of a pair; ValueError if it is missing."""
    group = doc.spans.get(key)
    if group is None or SUPPORT not in group.attrs:
        raise ValueError(
            f"The pipeline must write the support of the words into doc.spans[{key!r}], as a "
            "'paraphrase_tagger' does, got none."
        )
    support = numpy.asarray(group.attrs[SUPPORT], dtype="float64")
    if not numpy.isfinite(support).all():
        raise ValueError(
            f"Pair {pair_id(doc)!r}: the support of words must be finite, got NaN or infinity. "
            "Check the weights of the tagger."
        )
    prob = numpy.full(len(doc), numpy.nan)
    for span, score in zip(group, group.attrs["scores"], strict=True):
        prob[span.start : span.end] = score
    first, second = (slice(text.start, text.end) for text in get_pair(doc))
    return Tags(support[first], prob[first]), Tags(support[second], prob[second])


def compare(
    plan: Plan,
    tags: Sequence[tuple[Tags, Tags]],
    *,
    lexicon: Lexicon,
    blend: bool,
) -> Comparison:
    """Combine the tagger's output for the short pairs of two texts.

    tags: The output for each of `plan.keys`.
    blend: Also compute chrF and the blend, which needs both sides.
    """
    tags_of = dict(zip(plan.keys, tags, strict=True))
    sentences = plan.hyp.split_words(), plan.ref.split_words()
    hyp, ref = (
        _merge(
            passage,
            [[tags_of[key][side] for key in keys] for keys in groups],
            [[sentences[1 - side][key[1 - side]] for key in keys] for keys in groups],
            verbatim={tuple(words) for words in sentences[1 - side]},
            lexicon=lexicon,
        )
        for side, passage, groups in ((0, plan.hyp, plan.hyp_keys), (1, plan.ref, plan.ref_keys))
    )
    texts = plan.hyp.text, plan.ref.text
    rouge1, rouge2 = (score_rouge_precision(*texts, size=n) if hyp.words else None for n in (1, 2))
    chrf = score_chrf(*texts) if blend else None
    return Comparison(
        _mean_support(hyp.words),
        _mean_support(ref.words),
        _mean_support(hyp.words + ref.words) if hyp.words and ref.words else None,
        hyp.supported,
        ref.supported,
        _harmonic_mean(hyp.supported, ref.supported),
        rouge1,
        rouge2,
        chrf,
        None if chrf is None else _blend(hyp, ref, chrf),
        hyp,
        ref,
    )


def _blend(hyp: Side, ref: Side, chrf: float) -> float:
    """Average chrF and the mean probability that a word is supported.

    The share of supported words has too few distinct values to rank texts, and the mean log-odds
    have no fixed scale. A mean of probabilities has neither problem. The weight was chosen on WMT19
    lt-en (the study `text-scores` of the repository), where 0.4 to 0.6 are equally good.
    """
    n_hyp, n_ref = len(hyp.words), len(ref.words)
    prob = ((hyp.prob or 0.0) * n_hyp + (ref.prob or 0.0) * n_ref) / (n_hyp + n_ref)
    return BLEND_WEIGHT * prob + (1 - BLEND_WEIGHT) * chrf


def _merge(
    passage: Passage,
    tags: Sequence[Sequence[Tags]],
    others: Sequence[Sequence[list[str]]],
    *,
    verbatim: Container[tuple[str, ...]],
    lexicon: Lexicon,
) -> Side:
    """Merge the comparisons of each sentence. For each word, the highest support counts.

    tags: The tagger's output for each comparison of each sentence; [] if this side was not
        compared.
    others: For each sentence, the words of the sentences that it was compared with.
    verbatim: The sentences of the other text.
    """
    if not tags:
        return Side([], [], None, None)
    words: list[Word] = []
    spans: list[UnsupportedSpan] = []
    probs: list[float] = []
    is_supported: list[bool] = []
    for sentence, (start, _), found, compared in zip(
        passage.split_words(), passage.sentences, tags, others, strict=True
    ):
        offsets = passage.offsets[start : start + len(sentence)]
        support, prob = _take_best(found)
        is_free = numpy.isnan(prob)
        paraphrased = sigmoid(support)
        if tuple(sentence) in verbatim:
            is_free[:] = True
            paraphrased[:] = 1
        words += [Word(*offset, value) for offset, value in zip(offsets, support.tolist())]  # noqa: B905
        probs += paraphrased.tolist()
        is_supported += is_free.tolist()
        runs = runs_of_ones(~is_free)
        if runs:
            near = [word for other in compared for word in other]
            kinds = find_kinds(sentence, near, lexicon=lexicon)
            spans += [
                UnsupportedSpan(
                    offsets[i][0],
                    offsets[j - 1][1],
                    float(prob[i:j].mean()),
                    find_severest(kinds[i:j]),
                )
                for i, j in runs
            ]
    spans.sort(key=lambda span: KINDS.index(span.kind))
    share = _share_of_supported(passage.words, is_supported)
    return Side(words, spans, share, sum(probs) / len(probs))


def _take_best(tags: Sequence[Tags]) -> Tags:
    """Take, for each word of a sentence, the values of the comparison with the highest support."""
    if len(tags) == 1:
        return tags[0]
    support = numpy.stack([one.support for one in tags])  # (n_comparisons, n_words)
    best = support.argmax(axis=0), numpy.arange(support.shape[1])
    return Tags(support[best], numpy.stack([one.prob for one in tags])[best])


def _share_of_supported(words: Sequence[str], is_supported: Sequence[bool]) -> float:
    """Compute the share of supported words, without function words and punctuation if possible."""
    counted = [find_own_kind(word) != FUNCTION for word in words]
    if not any(counted):
        counted = [word[:1].isalnum() for word in words]
    found = list(compress(is_supported, counted)) or is_supported
    return sum(found) / len(found)


def _harmonic_mean(first: float | None, second: float | None) -> float | None:
    if first is None or second is None:
        return None
    return 2 * first * second / (first + second) if first + second else 0.0


def _mean_support(words: Sequence[Word]) -> float | None:
    return float(numpy.mean([word.support for word in words])) if words else None

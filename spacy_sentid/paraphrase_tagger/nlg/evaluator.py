"""Score texts against references with a paraphrase tagger (section 5.2 of the paper).

texts -> sentences -> short pairs -> support of each word -> PScore, RScore, FScore

The support of a word is S of eq. (4), the logit of paraphrase minus that of non-paraphrase. PScore
is its mean over the words of the text (eq. 6), RScore over those of the reference (7), FScore over
both (5). The shares of supported words measure the same on a scale from 0 to 1. Texts of several
sentences are compared by sentence. Each sentence is compared with the MATCHES sentences of the
other text that share most words with it.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple

import numpy
from spacy.language import Language
from spacy.tokens import Doc

from ...components.pipelines import load
from ...components.settings import check_choice, check_range
from ...messages import shorten
from ..corpus import find_key
from ..matching.severity import read_lexicon
from ..pairs import make_pair
from .comparison import (
    PERSPECTIVES,
    SCORES,
    Comparison,
    Plan,
    Tags,
    compare,
    make_plan,
    read_tags,
)
from .passages import list_sentence_pipes, read_passage

# Number of sentences of the other text that each sentence is compared with.
MATCHES = 5
# Size of the cache of references, as several systems are often scored against the same ones.
MAX_KEPT_REFERENCES = 64
AGGREGATIONS = ("max", "mean")
BLENDED = ("f",)  # perspectives that allow a blend with chrF, which needs both sides


class TextPair(NamedTuple):
    """A text to score, with one or more references."""

    hyp: str
    refs: str | Sequence[str]
    id: str | int = ""  # for error messages

    def list_refs(self) -> list[str]:
        """List the references, also if there is only one."""
        return [self.refs] if isinstance(self.refs, str) else list(self.refs)


class PairScore(NamedTuple):
    """Scores over all references (see `Comparison`), and the comparison with each."""

    pair: TextPair
    score: float  # p, r or f, as the setting `perspective` says
    p: float | None
    r: float | None
    f: float | None
    supported_p: float | None
    supported_r: float | None
    supported_f: float | None
    rouge1_p: float | None
    rouge2_p: float | None
    chrf: float | None
    blend: float | None
    comparisons: list[Comparison]  # in the order of the references
    best: int  # index of the reference with the highest score, the first if several have it


def score_pairs(
    hyps: Iterable[str],
    refs: Iterable[str | Sequence[str]],
    *,
    nlp: Language | None = None,
    lang: str = "en",
    **settings: Any,
) -> list[PairScore]:
    """Score texts against their references.

    hyps, refs: Texts and their references, in equal number. Each item of `refs` is a string, or a
        list of several references.
    nlp: A pipeline with a `paraphrase_tagger`. None = load the bundled weights of `lang`, in each
        call.
    settings: Settings of `stream_scores`.
    RETURNS: A score for each pair, in order.

    Raises ValueError for a pair that cannot be scored (such as a text without words).

    >>> score, = score_pairs(["Sales rose in May."], ["Sales fell in May."])
    >>> score.supported_p
    0.6666666666666666
    >>> [(span.start_char, span.end_char, span.kind) for span in score.comparisons[0].hyp.spans]
    [(6, 10, 'opposite')]
    """
    texts, others = list(hyps), list(refs)
    if isinstance(hyps, str) or isinstance(refs, str) or len(texts) != len(others):
        raise ValueError(
            "'hyps' and 'refs' must be lists of texts of the same length, got "
            f"{shorten(hyps)} and {shorten(refs)}. Write score_pairs([text], [reference])."
        )
    nlp = nlp if nlp is not None else load(lang, "paraphrase_tagger")
    pairs = (TextPair(*pair, i) for i, pair in enumerate(zip(texts, others, strict=True)))
    return list(stream_scores(nlp, pairs, **settings))


def stream_scores(
    nlp: Language,
    pairs: Iterable[TextPair | tuple[str, str | Sequence[str]]],
    *,
    perspective: str = "f",
    aggregate: str = "max",
    blend: bool = False,
    matches: int = MATCHES,
    batch_size: int | None = None,
    n_process: int = 1,
) -> Iterator[PairScore]:
    """Score a stream of texts against their references.

    nlp: A pipeline with a `paraphrase_tagger`.
    pairs: (text, reference or list of references), or TextPair.
    perspective: "p" = how well the references support the text (factuality), "r" = how well the
        text covers the references, "f" = both. Only "f" computes all of p, r and f. For "p", a text
        of three sentences takes at most three times `matches` short pairs, even if the reference is
        long.
    aggregate: How to combine the scores against several references, "max" or "mean".
    blend: Also compute chrF and its mean with the tagger's probabilities, for ranking systems. This
        needs the perspective "f".
    matches: Number of sentences of the other text that each sentence is compared with. A word gets
        the highest support of these comparisons.
    batch_size: Number of short pairs in a batch. None = the setting of `nlp`.
    YIELDS: A score for each pair, in order.

    Raises ValueError for a pair that cannot be scored. Check pairs first to skip such ones, see
    `check_texts`.
    """
    sides = BLENDED if blend else PERSPECTIVES
    check_choice("perspective", perspective, sides, name="blend" * blend)
    check_choice("aggregate", aggregate, AGGREGATIONS)
    check_range("matches", matches, low=1)
    read = partial(read_passage, nlp, pipes=list_sentence_pipes(nlp))
    read_ref = lru_cache(MAX_KEPT_REFERENCES)(read)
    key = find_key(nlp)
    lexicon = read_lexicon(nlp)
    # The pairs whose Docs are in the pipeline, with a plan for each reference.
    jobs: deque[tuple[TextPair, list[Plan]]] = deque()

    def make_docs() -> Iterator[Doc]:
        for given in pairs:
            pair = TextPair(*given)
            check_texts(pair, nlp.max_length)
            hyp = read(pair.hyp)
            plans = [
                make_plan(hyp, read_ref(ref), perspective=perspective, matches=matches)
                for ref in pair.list_refs()
            ]
            jobs.append((pair, plans))
            for plan in plans:
                for words in plan.list_words():
                    yield make_pair(nlp, *words, pair_id=str(pair.id))

    tags: list[tuple[Tags, Tags]] = []
    for doc in nlp.pipe(make_docs(), batch_size=batch_size, n_process=n_process):
        tags.append(read_tags(doc, key=key))
        pair, plans = jobs[0]
        if len(tags) == sum(len(plan.keys) for plan in plans):
            rest = iter(tags)
            comparisons = [
                compare(plan, list(islice(rest, len(plan.keys))), lexicon=lexicon, blend=blend)
                for plan in plans
            ]
            yield _combine(pair, comparisons, perspective, aggregate)
            jobs.popleft()
            tags = []


def check_texts(pair: TextPair, max_length: int) -> None:
    """Raise ValueError if a text of a pair is missing, has no words or is too long."""
    texts = [("text", pair.hyp), *(("reference", ref) for ref in pair.list_refs())]
    if len(texts) == 1:
        raise ValueError(f"Pair {pair.id!r} must have a reference, got none.")
    for name, text in texts:
        where = f"Pair {pair.id!r}: the {name} must"
        if not isinstance(text, str):
            raise ValueError(f"{where} be a string, got {shorten(text)}.")
        if not text.strip():
            raise ValueError(f"{where} have words, got none.")
        if len(text) > max_length:
            raise ValueError(
                f"{where} have at most {max_length:,} characters (nlp.max_length), got "
                f"{len(text):,}. Score its parts."
            )


def _combine(
    pair: TextPair, comparisons: list[Comparison], perspective: str, aggregate: str
) -> PairScore:
    """Combine the comparisons of a text with its references."""
    of_refs = {name: [getattr(one, name) for one in comparisons] for name in SCORES}
    scores = {name: _aggregate(values, aggregate) for name, values in of_refs.items()}
    best = int(numpy.argmax(of_refs[perspective]))
    return PairScore(pair, scores[perspective], **scores, comparisons=comparisons, best=best)


def _aggregate(values: Sequence[Any], aggregate: str) -> Any:
    if None in values:
        return None
    return max(values) if aggregate == "max" else float(numpy.mean(values))

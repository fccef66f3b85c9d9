"""Score texts against references with a paraphrase tagger (section 5.2 of the paper).

texts -> sentences -> short pairs -> support of each word -> PScore, RScore, FScore

The support of a word is S of eq. (4), the logit of paraphrase minus that of non-paraphrase. PScore
is its mean over the words of the text (eq. 6), RScore over those of the reference (7), FScore over
both (5). The shares of supported words measure the same on a scale from 0 to 1. Texts of several
sentences are compared by sentence. Each sentence is compared with the MATCHES sentences of the
other text that share most words with it.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy
from spacy.language import Language
from spacy.tokens import Doc

from ...components.pipelines import load
from ...components.settings import check_choice, check_range
from ..evaluation import find_settings
from ..matching.severity import read_opposites
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
from .passages import Splitter, list_sentence_pipes, read_passage

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


class _Job(NamedTuple):
    """A pair in progress: the comparisons to make, or the error that prevents scoring."""

    pair: TextPair
    plans: list[Plan]  # one for each reference
    error: ValueError | None

    @property
    def n_docs(self) -> int:
        """Number of short pairs."""
        return sum(len(plan.keys) for plan in self.plans)


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
    texts: list[str] = _list_texts("hyps", hyps)
    others: list[str | Sequence[str]] = _list_texts("refs", refs, lists=True)
    if len(texts) != len(others):
        raise ValueError(
            f"'hyps' and 'refs' must have the same length, got {len(texts):,} and {len(others):,}."
        )
    pairs = zip(texts, others, strict=True)
    found = [TextPair(hyp, ref, i) for i, (hyp, ref) in enumerate(pairs)]
    nlp = nlp if nlp is not None else load(lang, "paraphrase_tagger")
    return list(stream_scores(nlp, found, **settings))


def _list_texts(name: str, texts: Any, *, lists: bool = False) -> list[Any]:
    """Check and list texts.

    lists: Allow lists of strings as items.
    """
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise ValueError(
            f"{name!r} must be a list of texts, got {type(texts).__name__}. Write "
            "score_pairs([text], [reference], nlp=nlp)."
        )
    found = list(texts)
    for i, text in enumerate(found):
        parts = text if lists and isinstance(text, (list, tuple)) else [text]
        if not all(isinstance(part, str) for part in parts):
            allowed = "a string or a list of strings" if lists else "a string"
            raise ValueError(f"{name}[{i}] must be {allowed}, got {type(text).__name__}.")
    return found


def stream_scores(
    nlp: Language,
    pairs: Iterable[TextPair | tuple[str, str | Sequence[str]]],
    *,
    perspective: str = "f",
    aggregate: str = "max",
    blend: bool = False,
    matches: int = MATCHES,
    split: Splitter | None = None,
    batch_size: int | None = None,
    n_process: int = 1,
    on_error: Callable[[TextPair, ValueError], None] | None = None,
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
    split: Sentence splitter, see `make_splitter`. None = the one of `nlp`.
    batch_size: Number of short pairs in a batch. None = the setting of `nlp`.
    on_error: Function that is called, in order, with each pair that cannot be scored and its error
        (such as a text without words). The pair is then skipped. None = raise the ValueError.
    YIELDS: A score for each pair, in order.
    """
    sides = BLENDED if blend else PERSPECTIVES
    check_choice("perspective", perspective, sides, name="blend" * blend)
    check_choice("aggregate", aggregate, AGGREGATIONS)
    check_range("matches", matches, low=1)
    plan_pair = partial(make_plan, perspective=perspective, matches=matches)
    read = partial(read_passage, nlp, pipes=list_sentence_pipes(nlp), split=split)
    read_ref = lru_cache(MAX_KEPT_REFERENCES)(read)
    key = find_settings(nlp)["key"]
    join = partial(compare, opposites=read_opposites(nlp), blend=blend)
    jobs: deque[_Job] = deque()

    def make_docs() -> Iterator[Doc]:
        for given in pairs:
            pair = TextPair(*given)
            try:
                check_texts(pair, nlp.max_length)
            except ValueError as error:
                jobs.append(_Job(pair, [], error))
                continue
            hyp = read(pair.hyp)
            plans = [plan_pair(hyp, read_ref(ref)) for ref in pair.list_refs()]
            jobs.append(_Job(pair, plans, None))
            for plan in plans:
                for words in plan.list_words():
                    yield make_pair(nlp, *words, pair_id=str(pair.id))

    tags: deque[tuple[Tags, Tags]] = deque()

    def finish_jobs() -> Iterator[PairScore]:
        while jobs and jobs[0].n_docs <= len(tags):
            job = jobs.popleft()
            own = [tags.popleft() for _ in range(job.n_docs)]
            error = job.error or _find_error(job.pair, own)
            if error is None:
                yield _score_job(job, own, join, perspective, aggregate)
            elif on_error is None:
                raise error
            else:
                on_error(job.pair, error)

    for doc in nlp.pipe(make_docs(), batch_size=batch_size, n_process=n_process):
        tags.append(read_tags(doc, key=key))
        yield from finish_jobs()
    yield from finish_jobs()


def check_texts(pair: TextPair, max_length: int) -> None:
    """Validate the texts of a pair: they must exist, have words, and not be too long."""
    refs = [("reference", ref) for ref in pair.list_refs()]
    if not refs:
        raise ValueError(f"Pair {pair.id!r} must have a reference, got none.")
    for name, text in [("text", pair.hyp), *refs]:
        if not text.strip():
            raise ValueError(f"Pair {pair.id!r}: the {name} must have words, got none.")
        if len(text) > max_length:
            raise ValueError(
                f"Pair {pair.id!r}: the {name} must have at most {max_length:,} characters "
                f"(nlp.max_length), got {len(text):,}. Score its parts."
            )


def _find_error(pair: TextPair, tags: Sequence[tuple[Tags, Tags]]) -> ValueError | None:
    support = numpy.concatenate([side.support for sides in tags for side in sides])
    n_wrong = int((~numpy.isfinite(support)).sum())
    if not n_wrong:
        return None
    return ValueError(
        f"Pair {pair.id!r}: the support of words must be finite, got NaN or infinity for {n_wrong} "
        f"of {len(support)} words. Check the weights of the tagger."
    )


def _score_job(
    job: _Job,
    tags: Sequence[tuple[Tags, Tags]],
    join: Callable[[Plan, Sequence[tuple[Tags, Tags]]], Comparison],
    perspective: str,
    aggregate: str,
) -> PairScore:
    left = iter(tags)
    comparisons = [join(plan, [next(left) for _ in plan.keys]) for plan in job.plans]
    of_refs = {name: [getattr(one, name) for one in comparisons] for name in SCORES}
    scores = {name: _aggregate(values, aggregate) for name, values in of_refs.items()}
    best = int(numpy.argmax(of_refs[perspective]))
    return PairScore(job.pair, scores[perspective], **scores, comparisons=comparisons, best=best)


def _aggregate(values: Sequence[Any], aggregate: str) -> Any:
    if None in values:
        return None
    return max(values) if aggregate == "max" else float(numpy.mean(values))

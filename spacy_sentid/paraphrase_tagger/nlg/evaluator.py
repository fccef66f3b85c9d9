"""Score texts against references by what the tagger finds paraphrased (paper, section 5.2).

texts -> sentences -> short pairs -> support of each word -> PScore, RScore, FScore

The support of a word is S of eq. (4), the logit of paraphrase minus that of non-paraphrase. PScore
is its mean over the words of the text (eq. 6), RScore over those of the reference (7), FScore over
both (5). Texts of several sentences are compared sentence by sentence: each with the MATCHES
sentences of the other text that share most with it.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy
from spacy.language import Language
from spacy.tokens import Doc

from ...settings import check_choice, check_range
from ..evaluation import find_settings
from ..pairs import make_pair
from .comparison import (
    PERSPECTIVES,
    Comparison,
    Plan,
    Tags,
    compare,
    make_plan,
    read_tags,
)
from .passages import Splitter, make_splitter, read_passage

# Sentences of the other text that a sentence is compared with.
MATCHES = 5
# References whose words are kept: several systems are often scored against the same ones.
MAX_KEPT_REFERENCES = 64
AGGREGATIONS = ("max", "mean")


class TextPair(NamedTuple):
    """A text to score and its reference, or several."""

    hyp: str
    refs: str | Sequence[str]
    id: str | int = ""  # named in errors

    def list_refs(self) -> list[str]:
        """List the references, also of a pair with one."""
        return [self.refs] if isinstance(self.refs, str) else list(self.refs)


class PairScore(NamedTuple):
    """Scores over all references, and the comparison with each.

    p, r, f: None if the perspective leaves it out.
    """

    pair: TextPair
    score: float  # of the perspective that was asked for
    p: float | None
    r: float | None
    f: float | None
    comparisons: list[Comparison]  # in the order of the references
    best: int  # number of the reference with the highest score, the first of equals


class _Job(NamedTuple):
    """A pair on its way through the pipeline: what to compare, or why it cannot be scored."""

    pair: TextPair
    plans: list[Plan]  # one for each reference
    error: ValueError | None

    @property
    def n_docs(self) -> int:
        """Number of its short pairs."""
        return sum(len(plan.keys) for plan in self.plans)


def score_pairs(
    nlp: Language,
    pairs: Iterable[TextPair | tuple[str, str | Sequence[str]]],
    *,
    perspective: str = "f",
    aggregate: str = "max",
    matches: int = MATCHES,
    split: Splitter | None = None,
    batch_size: int | None = None,
    n_process: int = 1,
    on_error: Callable[[TextPair, ValueError], None] | None = None,
) -> Iterator[PairScore]:
    """Score texts against references, streaming.

    nlp: A pipeline with a `paraphrase_tagger`.
    pairs: (text, reference or list of references), or TextPair.
    perspective: "p", how far the references support the text (factuality); "r", how far the text
        covers them; "f", both: only then p, r and f are all computed. "p" of a text of three
        sentences takes three times `matches` short pairs, however long the reference is.
    aggregate: Of several references, take the "max" or the "mean" of each score.
    matches: Sentences of the other text that each sentence is compared with, one by one. The
        comparison that supports a word best counts for it.
    split: Sentence splitter, see `make_splitter`. None: that of `nlp`.
    batch_size: Short pairs at once. None: that of `nlp`.
    on_error: Called in its turn with a pair that cannot be scored (a text without words, support
        that is not a number), which is then skipped. None: the ValueError is raised.
    YIELDS: A score for each pair, in order.
    """
    check_choice("perspective", perspective, PERSPECTIVES)
    check_choice("aggregate", aggregate, AGGREGATIONS)
    check_range("matches", matches, low=1)
    plan_pair = partial(make_plan, perspective=perspective, matches=matches)
    read = partial(read_passage, nlp, split=split or make_splitter(nlp))
    read_ref = lru_cache(MAX_KEPT_REFERENCES)(read)
    key = find_settings(nlp)["key"]
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
                yield _score_job(job, own, perspective, aggregate)
            elif on_error is None:
                raise error
            else:
                on_error(job.pair, error)

    for doc in nlp.pipe(make_docs(), batch_size=batch_size, n_process=n_process):
        tags.append(read_tags(doc, key=key))
        yield from finish_jobs()
    yield from finish_jobs()


def check_texts(pair: TextPair, max_length: int) -> None:
    """Raise ValueError if a text or reference is missing, has no words or too many characters."""
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
        f"Pair {pair.id!r}: the support of words must be finite, got {n_wrong} of {len(support)} "
        "that are not. Check the weights of the tagger."
    )


def _score_job(
    job: _Job, tags: Sequence[tuple[Tags, Tags]], perspective: str, aggregate: str
) -> PairScore:
    left = iter(tags)
    comparisons = [compare(plan, [next(left) for _ in plan.keys]) for plan in job.plans]
    of_refs = {name: [getattr(one, name) for one in comparisons] for name in PERSPECTIVES}
    scores = {name: _aggregate(values, aggregate) for name, values in of_refs.items()}
    best = int(numpy.argmax(of_refs[perspective]))
    return PairScore(job.pair, scores[perspective], **scores, comparisons=comparisons, best=best)


def _aggregate(values: Sequence[Any], aggregate: str) -> Any:
    if None in values:
        return None
    return max(values) if aggregate == "max" else float(numpy.mean(values))

"""Metrics to compare the tagger with.

pairs of texts -> precision, recall, F

Metrics with only one number return it for all three.
"""

import importlib.util
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from spacy_sentid.scores import precision_recall_f

BERTSCORE = "BERTScore"
# The encoder of BERTScore in the paper.
BERTSCORE_MODEL = "roberta-large"
BERTSCORE_BATCH = 64
NO_BERTSCORE = (
    f"{BERTSCORE} is skipped, because it needs the package bert-score and local weights of "
    f"{BERTSCORE_MODEL}."
)


class Scores(NamedTuple):
    """Scores of a text against its references. None = not requested, or of another metric."""

    p: float | None
    r: float | None
    f: float | None
    # Only for the tagger: shares of supported words, and the blend with chrF.
    supported_p: float | None = None
    supported_r: float | None = None
    supported_f: float | None = None
    blend_f: float | None = None


Metric: TypeAlias = Callable[[Iterable[tuple[str, str]]], Iterator[Scores]]


def make_baselines() -> dict[str, Metric]:
    """Make the metrics of the installed libraries, by name."""
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics import BLEU, CHRF

    metrics: dict[str, Metric] = {"overlap": partial(map, _score_overlap)}
    for name in ("1", "2", "L"):
        scorer = RougeScorer([f"rouge{name}"])
        metrics[f"ROUGE-{name}"] = partial(map, partial(_score_rouge, scorer))
    metrics["BLEU"] = partial(map, partial(_score_sacrebleu, BLEU(effective_order=True)))
    metrics["chrF"] = partial(map, partial(_score_sacrebleu, CHRF()))
    if has_bertscore():
        metrics[BERTSCORE] = score_bertscore
    return metrics


def _score_overlap(pair: tuple[str, str]) -> Scores:
    """Score the overlap of the words, which are separated by white space and lower-cased."""
    hyp, ref = (Counter(text.lower().split()) for text in pair)
    return Scores(*precision_recall_f((hyp & ref).total(), hyp.total(), ref.total()))


def _score_rouge(scorer: Any, pair: tuple[str, str]) -> Scores:
    hyp, ref = pair
    ((_, found),) = scorer.score(ref, hyp).items()
    return Scores(found.precision, found.recall, found.fmeasure)


def _score_sacrebleu(metric: Any, pair: tuple[str, str]) -> Scores:
    hyp, ref = pair
    score = metric.sentence_score(hyp, [ref]).score / 100
    return Scores(score, score, score)


def has_bertscore() -> bool:
    """Check if bert-score is installed and its encoder is in the cache, without a download."""
    if any(importlib.util.find_spec(name) is None for name in ("bert_score", "huggingface_hub")):
        return False
    from huggingface_hub import try_to_load_from_cache

    names = ("model.safetensors", "pytorch_model.bin")
    return any(isinstance(try_to_load_from_cache(BERTSCORE_MODEL, name), str) for name in names)


def score_bertscore(pairs: Iterable[tuple[str, str]]) -> Iterator[Scores]:
    """Score with BERTScore, in batches."""
    from bert_score import BERTScorer

    scorer = BERTScorer(model_type=BERTSCORE_MODEL)
    waiting = list(pairs)
    for start in range(0, len(waiting), BERTSCORE_BATCH):
        hyps, refs = zip(*waiting[start : start + BERTSCORE_BATCH], strict=True)
        found = scorer.score(list(hyps), list(refs))
        yield from (Scores(*values) for values in zip(*(x.tolist() for x in found), strict=True))

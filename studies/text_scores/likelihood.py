"""Generation to score (5.2): the likelihood of a text given its reference, under a generator.

texts and references -> mean log-likelihoods P and R, F -> one line per text
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spacy_sentid.files.records import BadLine, write_errors, write_records
from spacy_sentid.files.resume import do_parts, open_job
from spacy_sentid.paraphrase_tagger.nlg.evaluator import TextPair

if TYPE_CHECKING:
    from spacy_sentid.paraphrase_tagger.generation.seq2seq import Seq2Seq

N_DIGITS = 6


class Entry(NamedTuple):
    """A pair in a file, or the reason why it cannot be read."""

    place: str  # e.g. "hyps.txt:7"
    id: str | int
    pair: TextPair | None
    reason: str  # "" for a pair


class Likelihood(NamedTuple):
    """Mean log-likelihoods of wordpieces. They are at most 0, and higher is better."""

    p: float  # of the text given the reference
    r: float  # of the reference given the text
    f: float


class LikelihoodReport(NamedTuple):
    """Summary of the scores of files."""

    n: int
    mean: Likelihood | None  # mean over all texts, if there are any
    n_cut: int  # texts and references too long for the model, scored by their beginning
    n_errors: int  # lines that were skipped


def score_likelihood(
    generator: "Seq2Seq", pairs: Sequence[tuple[str, str]], *, batch_size: int
) -> list[Likelihood]:
    """Score (text, reference) pairs in order, with `batch_size` pairs per forward pass."""
    scores = []
    for start in range(0, len(pairs), batch_size):
        hyps, refs = map(list, zip(*pairs[start : start + batch_size], strict=True))
        ps, rs = mean_logps(generator, refs, hyps), mean_logps(generator, hyps, refs)
        scores += [Likelihood(p, r, f_from_logps(p, r)) for p, r in zip(ps, rs, strict=True)]
    return scores


def mean_logps(generator: "Seq2Seq", sources: Sequence[str], targets: Sequence[str]) -> list[float]:
    """Compute the mean log-likelihood of the wordpieces of each target, given its source.

    The special pieces at the start and end of a target also count, as in BARTScore.
    """
    import torch

    inputs = generator.encode_pairs(sources, targets)
    counted = generator.encode(targets)["attention_mask"]
    generator.model.eval()
    with torch.inference_mode():
        # (n_texts, n_pieces, n_vocabulary)
        logp = generator.model(**inputs).logits.float().log_softmax(-1)
    # (n_texts, n_pieces): log-likelihood of each target piece; labels of padding are negative
    pieces = inputs["labels"].clamp(min=0).unsqueeze(-1)
    logp = logp.gather(-1, pieces).squeeze(-1) * counted
    return (logp.sum(-1) / counted.sum(-1)).tolist()


def f_from_logps(p_logp: float, r_logp: float) -> float:
    """Compute F of two log-likelihoods like F1: 2 P R / (P + R), or 0 if both are 0.

    Like F1, it is between both values and rises with each. The values are negative, so it is nearer
    to the higher one, whereas F1 is nearer to the lower one. It is twice `harm_f` in the code of
    BARTScore, which gives the same ranking. `avg_f` in that code is the mean of P and R.

    >>> f_from_logps(-1.0, -3.0)
    -1.5
    """
    total = p_logp + r_logp
    return 2 * p_logp * r_logp / total if total else 0.0


def score_entries(
    generator: "Seq2Seq", entries: Sequence[Entry], *, batch_size: int
) -> list[Likelihood]:
    """Score texts by the highest P, R and F over their references.

    If the scores of one reference are not finite, they are returned as the scores of the text.

    batch_size: Number of pairs of a text and a reference per forward pass.
    """
    pairs: list[tuple[str, str]] = []
    ends = []
    for entry in entries:
        if entry.pair is not None:
            pairs += [(entry.pair.hyp, ref) for ref in entry.pair.list_refs()]
        ends.append(len(pairs))
    scores = score_likelihood(generator, pairs, batch_size=batch_size)
    return [_best(scores[start:end]) for start, end in zip([0, *ends], ends, strict=False)]


def _best(scores: Sequence[Likelihood]) -> Likelihood:
    for found in scores:
        if not is_finite(found):
            return found
    return Likelihood(*map(max, zip(*scores, strict=True)))


def is_finite(scores: Likelihood) -> bool:
    """Check if all scores are finite numbers.

    >>> is_finite(Likelihood(-1.0, -3.0, -1.5)), is_finite(Likelihood(-1.0, math.nan, math.nan))
    (True, False)
    """
    return all(map(math.isfinite, scores))


def problem_of(entry: Entry) -> str:
    """Return the reason why an entry cannot be scored, or "" if it can."""
    if entry.pair is None:
        return entry.reason
    texts = [entry.pair.hyp, *entry.pair.list_refs()]
    if len(texts) < 2 or not all(text.strip() for text in texts):
        return "The text and at least one reference must have words. Remove the entry."
    return ""


def no_number(name: str | int, scores: Likelihood) -> str:
    """Format the error for an entry whose scores are not finite numbers."""
    shown = ", ".join(f"{side} {score:g}" for side, score in zip("PRF", scores, strict=True))
    return (
        f"id {name}: scores must be finite numbers, got {shown}. Check the texts and the weights "
        "of the model."
    )


def write_likelihoods(
    entries: Iterable[Entry],
    output: Path,
    *,
    generator: "Seq2Seq",
    batch_size: int,
    settings: dict[str, Any],
    on_entries: Callable[[int], object] | None = None,
) -> LikelihoodReport:
    """Write {"id", "p", "r", "f"} for each text. An interrupted job resumes.

    batch_size: Number of texts per part of the job, and of pairs per forward pass.
    settings: The generator and the files, as JSON data.
    on_entries: Called with the number of entries after each part.
    """

    def work(some: Sequence[Entry]) -> dict[str, Any]:
        good = [entry for entry in some if not problem_of(entry)]
        found = iter(score_entries(generator, good, batch_size=batch_size))
        scored: list[tuple[Entry, Likelihood]] = []
        errors: list[BadLine] = []
        for entry in some:
            if reason := problem_of(entry):
                errors.append(BadLine(entry.place, reason))
            elif is_finite(scores := next(found)):
                scored.append((entry, scores))
            else:
                errors.append(BadLine(entry.place, no_number(entry.id, scores)))
        pairs = [entry.pair for entry, _ in scored if entry.pair is not None]
        sizes = generator.count_tokens([t for pair in pairs for t in (pair.hyp, *pair.list_refs())])
        return {
            "ids": [entry.id for entry, _ in scored],
            "scores": [scores for _, scores in scored],
            "n_cut": sum(size > generator.max_tokens for size in sizes),
            "errors": errors,
        }

    n, n_cut, sums = 0, 0, [0.0, 0.0, 0.0]
    errors: list[Sequence[str]] = []

    def list_records(parts: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        nonlocal n, n_cut, sums
        for part in parts:
            n_cut += part["n_cut"]
            errors.extend(part["errors"])
            for name, scores in zip(part["ids"], part["scores"], strict=True):
                n += 1
                sums = [total + score for total, score in zip(sums, scores, strict=True)]
                p, r, f = (round(score, N_DIGITS) for score in scores)
                yield {"id": name, "p": p, "r": r, "f": f}

    known = {"command": "likelihood", "batch_size": batch_size, **settings}
    with open_job(output, known) as job:
        parts = do_parts(job, entries, work, size=batch_size, on_items=on_entries)
        write_records(output, list_records(parts))
        n_errors = write_errors(output, errors)
    mean = Likelihood(*(total / n for total in sums)) if n else None
    return LikelihoodReport(n, mean, n_cut, n_errors)

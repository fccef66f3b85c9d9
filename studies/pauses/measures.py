"""The measures of the pause study.

segmenter, gold words -> counts of each sentence -> scores
segmenter, held-out pauses -> share of pauses at a boundary, and share of gaps that are boundaries
segmenter, pauses and gaps inside its words -> shares that the filter keeps and drops

Scores and shares are in [0, 1].
"""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from spacy.language import Language

from spacy_sentid.arrays import Ints2d
from spacy_sentid.components.pipelines import find
from spacy_sentid.word_segmenter.boundary_probs import boundary_probs, segment_texts
from spacy_sentid.word_segmenter.scorer import WordCounts
from spacy_sentid.word_segmenter.speech.pauses import PauseRecord, pause_gaps
from studies.pauses.simulation import boundaries
from studies.pauses.targets import punctuation_gaps

# Columns of the counts of each sentence. The significance test uses the first three.
COLUMNS = ("right", "gold", "pred", "single", "characters", "unknown", "unknown_right")
# Columns of the counts of held-out pauses. `off` counts pauses that are not at punctuation.
PAUSE_COLUMNS = ("pauses", "found", "off", "off_found", "single", "characters", "words")
BINS = (0.0, 0.1, 0.5, 0.9)  # start of each bin of p_B


def count_sentences(nlp: Language, gold: Sequence[Sequence[str]]) -> Ints2d:
    """Count the words of each sentence, as an int32 array of shape (n_sentences, len(COLUMNS)).

    Unknown words are words that are not in the vocabulary of the segmenter.
    """
    known = find(nlp, "word_segmenter").in_vocabulary
    rows = []
    texts = ("".join(words) for words in gold)
    for words, pred in zip(gold, segment_texts(nlp, texts), strict=True):
        counts = WordCounts()
        counts.add(words, pred, in_vocabulary=known)
        rows.append([getattr(counts, name) for name in COLUMNS])
    return np.array(rows, dtype="int32").reshape(-1, len(COLUMNS))


def score_counts(counts: Ints2d) -> dict[str, float]:
    """Compute scores from `count_sentences`: the keys of `WordCounts.scores`, and `sentences`."""
    totals = dict(zip(COLUMNS, counts.sum(axis=0).tolist(), strict=True))
    found = WordCounts(sentences=len(counts), **totals)
    return {"sentences": len(counts), **found.scores(with_unknown=bool(found.unknown))}


def count_pauses(nlp: Language, records: Sequence[PauseRecord]) -> Ints2d:
    """Count the pauses of each record at which a segmenter has a boundary.

    If the punctuation of a record is not known, none of its pauses counts as `off`.
    RETURNS: Array of shape (n_records, len(PAUSE_COLUMNS)).
    """
    rows = []
    texts = ("".join(record.chars) for record in records)
    for record, words in zip(records, segment_texts(nlp, texts), strict=True):
        ends, pauses = set(boundaries(words)), set(pause_gaps(record))
        at_punctuation = punctuation_gaps(record)
        off = set() if at_punctuation is None else pauses - set(at_punctuation)
        single = sum(len(word) == 1 for word in words)
        found = [len(some) for some in (pauses, pauses & ends, off, off & ends)]
        rows.append([*found, single, sum(map(len, words)), len(words)])
    return np.array(rows, dtype="int32").reshape(-1, len(PAUSE_COLUMNS))


def score_pauses(counts: Ints2d) -> dict[str, float]:
    """Compute the recall at all pauses and at pauses off punctuation, from `count_pauses`.

    RETURNS: `recall` and `off_recall` (1 without pauses), with the numbers of pauses;
        `single_rate`, the share of characters tagged S; `boundary_rate`, the share of gaps that are
        boundaries. The last two show if a system has a high recall only because it splits more.
    """
    total = dict(zip(PAUSE_COLUMNS, counts.sum(axis=0).tolist(), strict=True))
    n_gaps = total["characters"] - len(counts)
    return {
        "sentences": len(counts),
        "pauses": total["pauses"],
        "off_punctuation": total["off"],
        "recall": total["found"] / total["pauses"] if total["pauses"] else 1.0,
        "off_recall": total["off_found"] / total["off"] if total["off"] else 1.0,
        "single_rate": total["single"] / total["characters"] if total["characters"] else 0.0,
        "boundary_rate": (total["words"] - len(counts)) / n_gaps if n_gaps else 0.0,
    }


def measure_filter(nlp: Language, records: Sequence[PauseRecord], *, seed: int) -> dict[str, Any]:
    """Measure the pauses that a filter with the p_B of a base keeps, and the noise that it drops.

    Noise is drawn from the gaps without a pause inside the words that the base predicts. There is
    at most as much noise as pauses. (Its p_B is below .5, except for rare ties of many paths.)

    RETURNS: Numbers of `pauses` and `noise`; `pause_bins` and `noise_bins`, their shares in each of
        BINS; `kept` and `dropped`, the share of pauses kept and of noise dropped at .5.
    """
    rng = random.Random(seed)
    real: list[float] = []
    inside: list[float] = []
    texts = ["".join(record.chars) for record in records]
    rows = zip(records, boundary_probs(nlp, texts), segment_texts(nlp, texts), strict=True)
    for record, probs, words in rows:
        ends = set(boundaries(words))
        for gap, (prob, pause) in enumerate(zip(probs.tolist(), record.pause_ms, strict=True)):
            if pause == 0 and gap not in ends:
                inside.append(prob)
        real += [float(probs[gap]) for gap in pause_gaps(record)]
    noise = rng.sample(inside, min(len(real), len(inside)))
    return {
        "pauses": len(real),
        "noise": len(noise),
        "pause_bins": _share_bins(real),
        "noise_bins": _share_bins(noise),
        "kept": _share(sum(prob >= 0.5 for prob in real), len(real)),
        "dropped": _share(sum(prob < 0.5 for prob in noise), len(noise)),
    }


def _share_bins(probs: Sequence[float]) -> list[float]:
    ends = [*BINS[1:], float("inf")]
    counts = [sum(start <= p < end for p in probs) for start, end in zip(BINS, ends, strict=True)]
    return [_share(count, len(probs)) for count in counts]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0

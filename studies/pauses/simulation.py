"""Simulated pauses for gold words, to test the method or if you have no speech.

words -> some gaps between words, and some inside words -> PauseRecords

This is not a model of speech. True pauses are equally likely at all boundaries, false pauses are
equally likely at all gaps inside words, and durations do not depend on the position.
"""

import random
from collections.abc import Iterable, Sequence
from itertools import accumulate

from spacy_sentid.word_segmenter.speech.pauses import PauseRecord

FRAME_MS = 10  # time between two frames in MFA and in the paper
# Durations are log-normal with a median of 150 ms, rounded to frames, similar to read speech.
MEDIAN_MS, SPREAD = 150, 0.8


def simulate_pauses(
    sentences: Sequence[Sequence[str]], *, rate: float, noise: float = 0.0, seed: int = 0
) -> list[PauseRecord]:
    """Draw pauses for sentences.

    sentences: Words without white space, and without punctuation because it is not spoken.
    rate: Probability of a pause between two words, in [0, 1].
    noise: Share of false pauses (inside words) in all pauses, in [0, 1).
    RETURNS: A record for each sentence that is not empty, with ids "0", "1", ... The same seed
        gives the same pauses.

    Raises ValueError if there are too few gaps inside words for the share of noise.

    >>> [record] = simulate_pauses([["细细", "地", "听"]], rate=1.0)
    >>> [pause > 0 for pause in record.pause_ms]
    [False, True, True]
    """
    if not 0 <= rate <= 1 or not 0 <= noise < 1:
        raise ValueError(
            f"rate must be in [0, 1] and noise in [0, 1), got rate {rate} and noise {noise}."
        )
    rng = random.Random(seed)
    kept = [words for words in sentences if words]
    true: list[tuple[int, int]] = []
    inside: list[tuple[int, int]] = []
    for number, words in enumerate(kept):
        ends = set(boundaries(words))
        n_gaps = sum(map(len, words)) - 1
        for gap in range(n_gaps):
            if gap not in ends:
                inside.append((number, gap))
            elif rng.random() < rate:
                true.append((number, gap))
    n_false = round(len(true) * noise / (1 - noise))
    if n_false > len(inside):
        raise ValueError(
            f"The text must have {n_false} gaps inside words for noise {noise} and {len(true)} "
            f"true pauses, got {len(inside)} gaps. Lower the rate or the noise."
        )
    pauses = [[0] * (sum(map(len, words)) - 1) for words in kept]
    for number, gap in [*true, *rng.sample(inside, n_false)]:
        pauses[number][gap] = _draw_duration(rng)
    return [
        PauseRecord(str(number), [*"".join(words)], found)
        for number, (words, found) in enumerate(zip(kept, pauses, strict=True))
    ]


def _draw_duration(rng: random.Random) -> int:
    frames = round(rng.lognormvariate(0, SPREAD) * MEDIAN_MS / FRAME_MS)
    return max(frames, 1) * FRAME_MS


def boundaries(words: Iterable[str]) -> list[int]:
    """List the gaps between words.

    >>> boundaries(["细细", "地", "听"])
    [1, 2]
    """
    return [end - 1 for end in accumulate(map(len, words))][:-1]

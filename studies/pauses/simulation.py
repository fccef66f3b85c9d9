"""Pauses drawn from gold words, for people without speech, and to test the method.

words -> some gaps between them, and some inside -> PauseRecords

Nothing of this is a model of speech: true pauses fall on any boundary alike, false ones on any gap
inside a word, and durations are drawn without regard to either.
"""

import random
from collections.abc import Iterable, Sequence
from itertools import accumulate

from spacy_sentid.word_segmenter.speech.pauses import PauseRecord

FRAME_MS = 10  # the offset of two frames in MFA, and in the paper
# Durations: log-normal around 150 ms, in frames, about as in read speech.
MEDIAN_MS, SPREAD = 150, 0.8


def simulate_pauses(
    sentences: Sequence[Sequence[str]], *, rate: float, noise: float = 0.0, seed: int = 0
) -> list[PauseRecord]:
    """Draw pauses for sentences.

    sentences: In words, without white space and, as it is not said, without punctuation.
    rate: Probability of a pause between two words, in [0, 1].
    noise: Share of false pauses, inside words, in all that are drawn: in [0, 1).
    RETURNS: A record for each sentence, with ids "0", "1", ...; the same for the same seed.

    Raises ValueError if there are too few gaps inside words for that much noise.

    >>> [record] = simulate_pauses([["细细", "地", "听"]], rate=1.0)
    >>> [pause > 0 for pause in record.pause_ms]
    [False, True, True]
    """
    if not 0 <= rate <= 1 or not 0 <= noise < 1:
        raise ValueError(
            f"Found rate {rate} and noise {noise}, expected a rate in [0, 1] and a share of noise "
            "in [0, 1)."
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
            f"Found {len(inside)} gaps inside words, expected {n_false} for a share of noise of "
            f"{noise} next to {len(true)} true pauses. Lower the rate or the noise."
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

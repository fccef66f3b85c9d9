"""The systems of the pause study, and the pairs of them to compare.

name -> sentences of the target, their known boundaries, and completion or partial CRF
"""

import math
from typing import NamedTuple

from spacy_sentid.arrays import Floats1d
from spacy_sentid.word_segmenter.speech.pauses import MIN_PAUSE_MS, PauseRecord, pause_gaps


class Filter(NamedTuple):
    """A range of pauses that are used as word boundaries."""

    # Range of p_B of the base, in [0, 1], both ends included. With 0 to 1, all pauses are used.
    min_p: float = 0.5
    max_p: float = 1.0
    min_ms: int = MIN_PAUSE_MS  # the threshold of section 2.3, for comparison


def filter_gaps(record: PauseRecord, probs: Floats1d, keep: Filter) -> list[int]:
    """List the gaps of a record whose pauses are used as word boundaries.

    probs: (n_characters - 1,), p_B of each gap.

    >>> record = PauseRecord("a", list("有人在细细地"), [0, 230, 0, 110, 0])
    >>> filter_gaps(record, [0.4, 0.9, 0.8, 0.1, 0.9], Filter(min_p=0.5))
    [1]
    """
    gaps = pause_gaps(record, min_ms=keep.min_ms)
    return [gap for gap in gaps if keep.min_p <= probs[gap] <= keep.max_p]


class System(NamedTuple):
    """The target data that a segmenter is trained on, besides the source."""

    title: str
    has_target: bool = True
    keep: Filter | None = None  # the pauses to use as boundaries; None = no pauses
    with_punctuation: bool = False  # use all gaps at punctuation as boundaries
    is_partial: bool = False  # train a partial CRF instead of completing the words
    only: Filter | None = None  # use only sentences with such a pause (Table 4)


def _interval(start: float, end: float) -> Filter:
    """Make the filter of [start, end)."""
    return Filter(start, math.nextafter(end, 0.0))


BASE, SOURCE_ONLY, SELF_TRAINING = "base", "source-only", "self-training"
NO_FILTER, FILTERED, PUNCTUATION = "no-filter", "p0.5", "punctuation"
BOTH = "pauses+punctuation"
EVERYTHING = Filter(0.0, 1.0)
LOW, MIDDLE = _interval(0.1, 0.5), _interval(0.5, 0.9)

SYSTEMS = {
    BASE: System("base", has_target=False),
    SOURCE_ONLY: System("source only", has_target=False),
    SELF_TRAINING: System("self-training"),
    NO_FILTER: System("no filter", keep=EVERYTHING),
    "p0.1": System("p >= .1", keep=Filter(0.1)),
    FILTERED: System("p >= .5", keep=Filter(0.5)),
    "p0.9": System("p >= .9", keep=Filter(0.9)),
    "duration50": System("duration >= 50 ms", keep=Filter(0.0, 1.0, 50)),
    "partial-p0.5": System("partial CRF, p >= .5", keep=Filter(0.5), is_partial=True),
    "partial-no-filter": System("partial CRF, no filter", keep=EVERYTHING, is_partial=True),
    PUNCTUATION: System("punctuation gaps, no speech", with_punctuation=True),
    BOTH: System("p >= .5 and punctuation gaps", keep=Filter(0.5), with_punctuation=True),
    "p0.1-0.5-self": System("self-training", only=LOW),
    "p0.1-0.5": System("our method", keep=LOW, only=LOW),
    "p0.5-0.9-self": System("self-training", only=MIDDLE),
    "p0.5-0.9": System("our method", keep=MIDDLE, only=MIDDLE),
}  # fmt: skip
# The rows of Table 3, and those of Table 4 as (interval, system without its pauses, system with).
MAIN = tuple(name for name, system in SYSTEMS.items() if system.only is None)
INTERVALS = (
    (".1 <= p < .5", "p0.1-0.5-self", "p0.1-0.5"),
    (".5 <= p < .9", "p0.5-0.9-self", "p0.5-0.9"),
)
# Systems to train on simulated pauses.
SIMULATED = (SELF_TRAINING, NO_FILTER, FILTERED)
# Each system is compared with these.
REFERENCES = (BASE, SELF_TRAINING)
# Other pairs to compare, which show the effect of the target text, the filter, the completion and
# the speech.
PAIRS = (
    (FILTERED, SOURCE_ONLY),
    (FILTERED, NO_FILTER),
    (FILTERED, "partial-p0.5"),
    (NO_FILTER, "partial-no-filter"),
    (FILTERED, PUNCTUATION),
    (BOTH, PUNCTUATION),
)


def parse_systems(text: str) -> tuple[str, ...]:
    """Read names of systems, separated by commas, or "all". The base is always included.

    >>> parse_systems("p0.5, self-training")
    ('base', 'self-training', 'p0.5')
    """
    names = {name.strip() for name in text.split(",")} - {""}
    if "all" in names:
        return tuple(SYSTEMS)
    unknown = sorted(names - set(SYSTEMS))
    if unknown:
        raise ValueError(
            f"--systems must be some of {', '.join(SYSTEMS)}, got {', '.join(unknown)}."
        )
    return tuple(name for name in SYSTEMS if name in names | {BASE})

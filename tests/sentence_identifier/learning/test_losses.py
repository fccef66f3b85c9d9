"""Targets of a batch, the flag loss and its gradient, the gold path in the lattice."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.arrays import sigmoid
from spacy_sentid.sentence_identifier.learning.gold import Gold
from spacy_sentid.sentence_identifier.learning.losses import (
    allowed_segments,
    build_targets,
    flag_loss,
    kind_loss,
)
from spacy_sentid.sentence_identifier.network.bos_eos import log_odds
from spacy_sentid.sentence_identifier.network.boundaries import (
    BOS,
    EOS,
    INSIDE,
    N_FLAGS,
    UNIT_START,
    Boundaries,
    Candidates,
    propose_segments,
)
from spacy_sentid.sentence_identifier.network.semi_markov import SU_COLUMN, best_path, build_lattice
from spacy_sentid.text.units import NSU_KINDS, Unit, bio_from_units

WEIGHTS = {"bos": 1.0, "eos": 1.0, "context": 0.3}


def gold(units: list[tuple[int, int, str]] | None, known: list[int]) -> Gold:
    found = None if units is None else [Unit(*unit) for unit in units]
    return Gold(found, np.asarray(known, dtype=bool), np.arange(len(known)))


def test_flags_of_su_and_nsu() -> None:
    targets = build_targets([gold([(0, 2, "SU"), (2, 3, "NSU")], [1, 1, 1])])
    assert targets.flags[:, BOS].tolist() == [1, 0, 0]
    assert targets.flags[:, EOS].tolist() == [0, 1, 0]
    assert targets.flags[:, INSIDE].tolist() == [1, 1, 0]
    assert targets.flags[:, UNIT_START].tolist() == [1, 0, 1]


def test_documents_are_concatenated() -> None:
    golds = [gold([(0, 1, "SU")], [1]), gold(None, [0] * 3), gold([(0, 2, "NSU")], [1, 1])]
    targets = build_targets(golds)
    assert targets.known.tolist() == [True, False, False, False, True, True]
    assert targets.paths == [[(0, 1, "SU")], None, [(4, 6, "NSU")]]


@pytest.mark.parametrize(
    "units", [[], [(0, 1, "SU")], [(1, 3, "SU")], [(0, 1, "SU"), (2, 3, "SU")]]
)
def test_gold_that_covers_a_part_has_no_path(units: list) -> None:
    targets = build_targets([gold(units, [1, 1, 1])])
    assert targets.paths == [None]


def test_the_gradient_of_the_flags_is_that_of_the_loss() -> None:
    rng = np.random.default_rng(0)
    golds = [gold([(0, 2, "SU"), (2, 3, "NSU")], [1, 0, 1]), gold(None, [0])]
    targets = build_targets(golds)
    logits = rng.normal(size=(4, N_FLAGS))
    _, gradient = flag_loss(logits, targets, WEIGHTS)
    for row, column in np.ndindex(logits.shape):
        step = np.zeros_like(logits)
        step[row, column] = 1e-5
        up, down = (flag_loss(logits + s, targets, WEIGHTS)[0] for s in (step, -step))
        assert (up - down) / 2e-5 == pytest.approx(gradient[row, column], abs=1e-6)


KINDS = np.asarray([2, -1, 0, 6])
SHARES = np.asarray([1, 1, 0.5, 0.5], dtype="float32")


def test_the_gradient_of_the_kinds_is_that_of_the_loss() -> None:
    logits = np.random.default_rng(0).normal(size=(4, len(NSU_KINDS)))
    _, gradient = kind_loss(logits, KINDS, SHARES, weight=0.7)
    for row, column in np.ndindex(logits.shape):
        step = np.zeros_like(logits)
        step[row, column] = 1e-5
        up, down = (kind_loss(logits + s, KINDS, SHARES, weight=0.7)[0] for s in (step, -step))
        assert (up - down) / 2e-5 == pytest.approx(gradient[row, column], abs=1e-6)


def test_the_loss_of_kinds_is_the_mean_over_nsus_of_a_known_kind() -> None:
    n_kinds = len(NSU_KINDS)
    loss, _ = kind_loss(np.zeros((4, n_kinds)), KINDS, SHARES, weight=0.5)
    assert loss == pytest.approx(0.5 * np.log(n_kinds))
    sure = np.eye(n_kinds)[KINDS] * 50
    assert kind_loss(sure, KINDS, SHARES, weight=1.0)[0] == pytest.approx(0, abs=1e-9)
    sure[2:] = 0  # the kind of an NSU with two tokens is unsure, that of one token is right
    half = kind_loss(sure, KINDS, SHARES, weight=1.0)[0]
    assert half == pytest.approx(0.5 * np.log(n_kinds))


@pytest.mark.parametrize(
    ("logits", "kinds", "weight"),
    [
        (np.ones((2, 7)), np.asarray([-1, -1]), 1.0),
        (np.ones((2, 7)), np.asarray([1, 2]), 0.0),
        (np.ones((2, 0)), np.asarray([1, 2]), 1.0),
        (np.ones((0, 7)), np.zeros(0, dtype="int64"), 1.0),
    ],
)
def test_unknown_kinds_have_no_gradient(
    logits: np.ndarray, kinds: np.ndarray, weight: float
) -> None:
    shares = np.ones(len(kinds), dtype="float32")
    loss, gradient = kind_loss(logits, kinds, shares, weight=weight)
    assert loss == 0
    assert gradient.shape == logits.shape
    assert not gradient.any()


def test_kinds_are_those_of_known_tokens_of_nsus() -> None:
    units = [(0, 1, "SU"), (1, 2, "NSU"), (2, 5, "CODE")]
    targets = build_targets([gold(None, [0]), gold(units, [1, 1, 1, 0, 1])])
    code = NSU_KINDS.index("CODE")
    assert targets.kinds.tolist() == [-1, -1, -1, code, -1, code]
    assert targets.flags[:, INSIDE].tolist() == [0, 1, 0, 0, 0, 0]


def test_unknown_tokens_have_no_gradient() -> None:
    targets = build_targets([gold([(0, 2, "SU")], [1, 0])])
    _, gradient = flag_loss(np.ones((2, N_FLAGS)), targets, WEIGHTS)
    assert gradient[0].all()
    assert not gradient[1].any()


def test_no_tokens_have_no_loss() -> None:
    targets = build_targets([gold([], [])])
    loss, gradient = flag_loss(np.zeros((0, N_FLAGS)), targets, WEIGHTS)
    assert (loss, gradient.shape) == (0, (0, N_FLAGS))


@given(
    st.lists(st.tuples(st.integers(1, 8), st.sampled_from(["SU", "NSU"])), min_size=1, max_size=5),
    st.randoms(use_true_random=False),
)
def test_paths_that_agree_with_gold_are_those_of_its_units(
    sizes: list[tuple[int, str]], rng: Random
) -> None:
    units, n = [], 0
    for size, label in sizes:
        units.append(Unit(n, n + size, label))
        n += size
    nothing = np.zeros(n, dtype=bool)
    flags = log_odds(np.asarray([[rng.random() for _ in range(N_FLAGS)] for _ in range(n)]))
    known = Boundaries(np.asarray([n]), nothing, nothing)
    cuts = [unit[:2] for unit in units]
    lattice = propose_segments(flags, Candidates(known, 0.5, cuts))
    allowed = allowed_segments(lattice, [units])
    # The other scores are so small that the best path agrees with gold.
    (path,) = best_path(lattice, np.where(allowed, 0.0, -1e6))
    assert allowed[path].any(axis=1).all()
    found = [
        Unit(int(lattice.starts[i]), int(lattice.ends[i]), "SU" if allowed[i, SU_COLUMN] else "NSU")
        for i in path
    ]
    assert bio_from_units(found, n) == bio_from_units(units, n)


def test_documents_without_a_path_allow_all_segments() -> None:
    golds = [gold(None, [0, 0]), gold([(0, 2, "SU")], [1, 1])]
    lattice = build_lattice(np.zeros(4, dtype=bool), np.asarray([2, 2]), 3)
    allowed = allowed_segments(lattice, build_targets(golds).paths)
    assert allowed.tolist() == [[True, True], [True, False]]


@given(st.floats(-1e6, 1e6))
def test_sigmoid_is_a_probability_without_overflow(value: float) -> None:
    with np.errstate(all="raise", under="ignore"):
        assert 0 <= sigmoid(np.asarray([value]))[0] <= 1

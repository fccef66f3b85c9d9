"""Targets of a batch, the flag loss and its gradient, the gold path in the lattice."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.sentence_identifier.alignment import AlignedGold
from spacy_sentid.sentence_identifier.decode import sigmoid
from spacy_sentid.sentence_identifier.losses import (
    build_targets,
    flag_loss,
    gold_lattice,
)
from spacy_sentid.sentence_identifier.model import BOS, EOS, INSIDE, N_FLAGS, UNIT_START
from spacy_sentid.sentence_identifier.semi_markov import NSU_COLUMN, SU_COLUMN, best_path
from spacy_sentid.units import Unit, merge_nsu_runs

WEIGHTS = {"bos": 1.0, "eos": 1.0, "context": 0.3}


def gold(units: list[tuple[int, int, str]], known: list[int]) -> AlignedGold:
    return AlignedGold([Unit(*unit) for unit in units], np.asarray(known, dtype=bool))


def lengths(*values: int) -> np.ndarray:
    return np.asarray(values, dtype="int64")


def test_flags_of_su_and_nsu() -> None:
    targets = build_targets([gold([(0, 2, "SU"), (2, 3, "NSU")], [1, 1, 1])], lengths(3))
    assert targets.flags[:, BOS].tolist() == [1, 0, 0]
    assert targets.flags[:, EOS].tolist() == [0, 1, 0]
    assert targets.flags[:, INSIDE].tolist() == [1, 1, 0]
    assert targets.flags[:, UNIT_START].tolist() == [1, 0, 1]


def test_documents_are_laid_end_to_end() -> None:
    golds = [gold([(0, 1, "SU")], [1]), None, gold([(0, 2, "NSU")], [1, 1])]
    targets = build_targets(golds, lengths(1, 3, 2))
    assert targets.known.tolist() == [True, False, False, False, True, True]
    assert targets.paths == [[(0, 1, SU_COLUMN)], None, [(4, 6, NSU_COLUMN)]]


@pytest.mark.parametrize(
    "units", [[], [(0, 1, "SU")], [(1, 3, "SU")], [(0, 1, "SU"), (2, 3, "SU")]]
)
def test_gold_that_covers_a_part_has_no_path(units: list) -> None:
    targets = build_targets([gold(units, [1, 1, 1])], lengths(3))
    assert targets.paths == [None]


def test_the_gradient_of_the_flags_is_that_of_the_loss() -> None:
    rng = np.random.default_rng(0)
    golds = [gold([(0, 2, "SU"), (2, 3, "NSU")], [1, 0, 1]), None]
    targets = build_targets(golds, lengths(3, 1))
    logits = rng.normal(size=(4, N_FLAGS))
    _, gradient = flag_loss(logits, targets, WEIGHTS)
    for row, column in np.ndindex(logits.shape):
        step = np.zeros_like(logits)
        step[row, column] = 1e-5
        up, down = (flag_loss(logits + s, targets, WEIGHTS)[0] for s in (step, -step))
        assert (up - down) / 2e-5 == pytest.approx(gradient[row, column], abs=1e-6)


def test_unknown_tokens_have_no_gradient() -> None:
    targets = build_targets([gold([(0, 2, "SU")], [1, 0])], lengths(2))
    _, gradient = flag_loss(np.ones((2, N_FLAGS)), targets, WEIGHTS)
    assert gradient[0].all()
    assert not gradient[1].any()


def test_no_tokens_have_no_loss() -> None:
    targets = build_targets([gold([], [])], lengths(0))
    loss, gradient = flag_loss(np.zeros((0, N_FLAGS)), targets, WEIGHTS)
    assert (loss, gradient.shape) == (0, (0, N_FLAGS))


@given(
    st.lists(st.tuples(st.integers(1, 8), st.sampled_from(["SU", "NSU"])), min_size=1, max_size=5),
    st.integers(1, 4),
    st.randoms(use_true_random=False),
)
def test_paths_that_agree_with_gold_are_those_of_its_units(
    sizes: list[tuple[int, str]], max_atoms: int, rng: Random
) -> None:
    units, position = [], 0
    for size, label in sizes:
        units.append((position, position + size, label))
        position += size
    targets = build_targets([gold(units, [1] * position)], lengths(position))
    is_cut = np.asarray([rng.random() < 0.5 for _ in range(position)])
    lattice, allowed = gold_lattice(targets, is_cut, lengths(position), max_atoms)
    # Scores so small elsewhere that the best path is one that agrees with gold.
    (path,) = best_path(lattice, np.where(allowed, 0.0, -1e6))
    assert allowed[path].any(axis=1).all()
    found = [
        Unit(int(lattice.starts[i]), int(lattice.ends[i]), "SU" if allowed[i, SU_COLUMN] else "NSU")
        for i in path
    ]
    assert merge_nsu_runs(found) == merge_nsu_runs(Unit(*unit) for unit in units)


def test_documents_without_a_path_allow_everything() -> None:
    golds = [None, gold([(0, 2, "SU")], [1, 1])]
    targets = build_targets(golds, lengths(2, 2))
    _, allowed = gold_lattice(targets, np.zeros(4, dtype=bool), lengths(2, 2), 3)
    assert allowed.tolist() == [[True, True], [True, False]]


@given(st.floats(-1e6, 1e6))
def test_sigmoid_is_a_probability_without_overflow(value: float) -> None:
    with np.errstate(all="raise", under="ignore"):
        assert 0 <= sigmoid(np.asarray([value]))[0] <= 1

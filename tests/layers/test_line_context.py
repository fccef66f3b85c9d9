"""The layer for lines."""

import numpy as np
import pytest
from thinc.api import fix_random_seed

from spacy_sentid.layers.cpu import run_on_cpu
from spacy_sentid.layers.lines import LineInput, line_context


def make_input(rows: np.ndarray, starts: list[int], n_lines: list[int]) -> LineInput:
    return LineInput(rows, np.asarray(starts, dtype="int64"), np.asarray(n_lines, dtype="int64"))


def build(dilations: list[int]):
    fix_random_seed(0)
    model = line_context(5, 2, dilations)
    run_on_cpu(model)
    model.initialize(X=make_input(np.ones((1, 4), dtype="f"), [0], [1]))
    return model


ROWS = np.random.default_rng(0).normal(size=(6, 4)).astype("f")


def test_rows_are_kept_and_lines_are_concatenated() -> None:
    out = build([1]).predict(make_input(ROWS, [0, 2, 3], [2, 1]))
    assert out.shape == (6, 9)
    assert np.array_equal(out[:, :4], ROWS)
    assert np.array_equal(out[0, 4:], out[1, 4:])
    assert not np.allclose(out[1, 4:], out[2, 4:])


@pytest.mark.parametrize(("changed", "seen"), [(1, [0, 1, 2]), (2, [0, 1, 2]), (4, [3, 4, 5])])
def test_a_line_sees_its_neighbours_of_the_same_text(changed: int, seen: list[int]) -> None:
    model = build([1])
    other = ROWS.copy()
    other[changed] += 1
    before, after = (model.predict(make_input(rows, [0, 2, 3], [2, 1])) for rows in (ROWS, other))
    differ = np.abs(before[:, 4:] - after[:, 4:]).max(axis=1) > 1e-5
    assert np.flatnonzero(differ).tolist() == seen


@pytest.mark.parametrize("n_lines", [[], [0], [0, 0]])
def test_no_rows_have_no_output(n_lines: list[int]) -> None:
    out = build([1]).predict(make_input(ROWS[:0], [], n_lines))
    assert out.shape == (0, 9)


def test_gradients_are_those_of_the_output() -> None:
    model = build([1, 2])
    weights = np.random.default_rng(1).normal(size=(6, 9)).astype("f")

    def objective(rows: np.ndarray) -> float:
        out, _ = model.begin_update(make_input(rows, [0, 2, 3], [2, 1]))
        return float((out.astype("d") * weights).sum())

    _, backprop = model.begin_update(make_input(ROWS, [0, 2, 3], [2, 1]))
    gradient = backprop(weights)
    direction = gradient / np.linalg.norm(gradient)
    up, down = objective(ROWS + 1e-3 * direction), objective(ROWS - 1e-3 * direction)
    assert (up - down) / 2e-3 == pytest.approx(float((gradient * direction).sum()), rel=0.02)

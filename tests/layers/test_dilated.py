"""The gated window layer: gradients, text boundaries, prediction in groups of rows."""

import numpy as np
import pytest

from spacy_sentid.layers import dilated
from spacy_sentid.layers.dilated import TextRows, gated_dilated_window

WIDTH, STEP = 4, 0.01


def make_layer(dilation: int):
    np.random.seed(0)
    layer = gated_dilated_window(WIDTH, dilation)
    layer.initialize()
    return layer


def make_rows(lengths: list[int]) -> TextRows:
    rows = np.random.default_rng(1).normal(size=(sum(lengths), WIDTH)).astype("float32")
    return TextRows(rows, np.repeat(np.arange(len(lengths)), lengths))


@pytest.mark.parametrize("dilation", [1, 2, 9])
@pytest.mark.parametrize("lengths", [[3, 4], [1, 1], [7]])
def test_gradients_are_those_of_finite_differences(dilation: int, lengths: list[int]) -> None:
    layer, X = make_layer(dilation), make_rows(lengths)
    weights = np.random.default_rng(2).normal(size=X.rows.shape).astype("float32")

    def value(rows: np.ndarray) -> float:
        return float((layer.predict(X._replace(rows=rows)).rows * weights).sum())

    Y, backprop = layer(X, True)
    np.testing.assert_allclose(Y.rows, layer.predict(X).rows, atol=1e-5)
    dX = backprop(X._replace(rows=weights.copy())).rows
    for place in np.ndindex(dX.shape):
        moved = np.zeros_like(dX)
        moved[place] = STEP
        slope = (value(X.rows + moved) - value(X.rows - moved)) / (2 * STEP)
        assert slope == pytest.approx(dX[place], abs=0.02)
    for name in ("W", "b", "G", "beta"):
        param, gradient = layer.get_param(name), layer.get_grad(name)
        for place in list(np.ndindex(param.shape))[::5]:
            before = param[place]
            param[place] = before + STEP
            high = value(X.rows)
            param[place] = before - STEP
            low = value(X.rows)
            param[place] = before
            assert (high - low) / (2 * STEP) == pytest.approx(gradient[place], abs=0.02)


def test_windows_end_at_text_boundaries() -> None:
    layer = make_layer(1)
    both = make_rows([3, 5])
    first = TextRows(both.rows[:3], both.texts[:3])
    np.testing.assert_allclose(layer.predict(both).rows[:3], layer.predict(first).rows, atol=1e-6)


def test_groups_of_rows_do_not_matter(monkeypatch) -> None:
    layer, X = make_layer(2), make_rows([40, 3, 17])
    whole = layer.predict(X).rows
    monkeypatch.setattr(dilated, "GROUP_SIZE", 5 * layer.get_param("W").shape[1])
    np.testing.assert_allclose(layer.predict(X).rows, whole, atol=1e-6)


def test_no_rows() -> None:
    assert len(make_layer(1).predict(make_rows([])).rows) == 0


def test_large_numbers_stay_finite() -> None:
    layer = make_layer(1)
    X = make_rows([3])
    layer.set_param("W", layer.get_param("W") * 1e6)
    assert np.isfinite(layer.predict(X).rows).all()


def test_weights_are_saved_the_same_before_and_after_prediction() -> None:
    layer, X = make_layer(1), make_rows([3, 4])
    before = layer.to_bytes()
    Y = layer.predict(X).rows
    assert layer.to_bytes() == before
    assert np.array_equal(make_layer(1).from_bytes(before).predict(X).rows, Y)

"""Scores of segments: steps, training compared with prediction, gradients."""

import numpy as np
import pytest
from thinc.api import Model, fix_random_seed

from spacy_sentid.sentence_identifier.network import segment_scorer
from spacy_sentid.sentence_identifier.network.segment_scorer import (
    SegmentInput,
    build_segment_scorer,
)
from spacy_sentid.sentence_identifier.network.semi_markov import build_lattice

WIDTH = 6


def build(dropout: float = 0.0) -> Model:
    fix_random_seed(0)
    model = build_segment_scorer(8, dropout)
    model.set_dim("nI", WIDTH)
    model.initialize()
    rng = np.random.default_rng(2)
    for node in model.walk():
        for name in node.param_names:
            param = node.get_param(name)
            node.set_param(name, param + rng.normal(size=param.shape).astype("f") * 0.2)
    return model


def draw(lengths: tuple[int, ...] = (9, 0, 1, 14), cuts: float = 0.5) -> SegmentInput:
    rng = np.random.default_rng(3)
    n = sum(lengths)
    lattice = build_lattice(rng.random(n) < cuts, np.asarray(lengths), 3)
    vectors = rng.normal(size=(n, WIDTH)).astype("f")
    bos, eos, unit_start = (rng.normal(size=n).astype("f") * 2 for _ in range(3))
    return SegmentInput(vectors, bos, eos, unit_start, lattice, np.asarray(lengths))


def test_each_segment_has_two_scores() -> None:
    X = draw()
    assert build().predict(X).shape == (len(X.lattice.first_atom), 2)


def test_training_and_prediction_compute_the_same() -> None:
    model, X = build(), draw()
    assert np.allclose(model.begin_update(X)[0], model.predict(X), atol=1e-5)


@pytest.mark.parametrize("n_atoms", [1, 2, 5, 1000])
def test_atoms_per_step_do_not_matter(n_atoms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model, X = build(), draw()
    expected = model.predict(X)
    monkeypatch.setattr(segment_scorer, "ATOMS_PER_STEP", n_atoms)
    assert np.allclose(model.predict(X), expected, atol=1e-5)


def test_no_tokens_have_no_scores() -> None:
    assert build().predict(draw((0, 0))).shape == (0, 2)


def test_scores_of_a_doc_do_not_depend_on_its_neighbours() -> None:
    model, X = build(), draw((9, 14), cuts=1.0)
    both = model.predict(X)
    parts = []
    for rows, length in ((slice(0, 9), 9), (slice(9, 23), 14)):
        lengths = np.asarray([length])
        lattice = build_lattice(np.ones(length, dtype=bool), lengths, 3)
        arrays = (array[rows] for array in (X.vectors, X.bos, X.eos, X.unit_start))
        alone = SegmentInput(*arrays, lattice, lengths)
        bounds = zip(lattice.starts + rows.start, lattice.ends + rows.start, strict=True)
        parts.append(dict(zip(bounds, model.predict(alone), strict=True)))
    for bounds, score in zip(zip(X.lattice.starts, X.lattice.ends, strict=True), both, strict=True):
        (expected,) = [part[bounds] for part in parts if bounds in part]
        assert np.allclose(score, expected, atol=1e-5)


def test_higher_boundary_logits_raise_the_su_score() -> None:
    model, X = build(), draw()
    model.set_param("gain", np.asarray([0.5, 0.5, 0.5], dtype="f"))
    higher = model.predict(X._replace(bos=X.bos + 1, eos=X.eos + 1))
    difference = higher - model.predict(X)
    assert (difference[:, 0] > 0).all()
    assert np.allclose(difference[:, 1], 0, atol=1e-5)


def objective(model: Model, X: SegmentInput, weights: np.ndarray) -> float:
    return float((model.begin_update(X)[0].astype("d") * weights).sum())


def test_gradients_of_the_parameters_are_those_of_the_scores() -> None:
    model, X = build(), draw()
    scores, backprop = model.begin_update(X)
    weights = np.random.default_rng(4).normal(size=scores.shape).astype("f")
    backprop(weights)
    for node in model.walk():
        for name in node.param_names:
            gradient, param = node.get_grad(name), node.get_param(name).copy()
            direction = gradient / (np.linalg.norm(gradient) + 1e-9)
            values = []
            for step in (1e-3, -1e-3):
                node.set_param(name, (param + step * direction).astype("f"))
                values.append(objective(model, X, weights))
            node.set_param(name, param)
            expected = float((gradient * direction).sum())
            assert (values[0] - values[1]) / 2e-3 == pytest.approx(expected, rel=0.03, abs=0.02)


@pytest.mark.parametrize("name", ["vectors", "bos", "eos", "unit_start"])
def test_gradients_of_the_input_are_those_of_the_scores(name: str) -> None:
    model, X = build(), draw()
    scores, backprop = model.begin_update(X)
    weights = np.random.default_rng(4).normal(size=scores.shape).astype("f")
    d_vectors, d_boundaries = backprop(weights)
    names = ("bos", "eos", "unit_start")
    gradient = {"vectors": d_vectors, **dict(zip(names, d_boundaries, strict=True))}[name]
    value = getattr(X, name)
    assert gradient.shape == value.shape
    direction = gradient / np.linalg.norm(gradient)
    up, down = (
        objective(model, X._replace(**{name: (value + step * direction).astype("f")}), weights)
        for step in (1e-3, -1e-3)
    )
    expected = float((gradient * direction).sum())
    assert (up - down) / 2e-3 == pytest.approx(expected, rel=0.03, abs=0.02)


def test_dropout_is_only_for_training() -> None:
    model, X = build(dropout=0.5), draw()
    assert np.allclose(model.predict(X), model.predict(X))
    assert not np.allclose(model.begin_update(X)[0], model.begin_update(X)[0])


def test_a_prediction_cannot_be_trained_on() -> None:
    model, X = build(), draw()
    _, backprop = model(X, is_train=False)
    with pytest.raises(RuntimeError, match="backpropagated"):
        backprop(np.zeros((len(X.lattice.first_atom), 2), dtype="f"))

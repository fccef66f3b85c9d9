"""Best path, posteriors and loss of the lattice, compared with all paths."""

import itertools
import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest

from spacy_sentid.sentence_identifier.network.semi_markov import (
    NSU_COLUMN,
    SU_COLUMN,
    Lattice,
    best_path,
    build_lattice,
    minimum_bayes_risk_scores,
    path_loss,
    segment_posteriors,
)

SEEDS = range(12)


def partitions(n: int, width: int) -> Iterator[list[tuple[int, int]]]:
    """Yield all ways to cut n atoms into segments of at most `width`."""
    if not n:
        yield []
    for size in range(1, min(width, n) + 1):
        for before in partitions(n - size, width):
            yield [*before, (n - size, n)]


def draw(seed: int, width: int = 3) -> tuple[Lattice, np.ndarray]:
    """Draw a batch of three documents of up to five tokens, some of them empty."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 6, size=3)
    lattice = build_lattice(rng.random(lengths.sum()) < 0.6, lengths, width)
    return lattice, rng.normal(size=(len(lattice.first_atom), 2)) * 2


def all_paths(lattice: Lattice, scores: np.ndarray) -> list[list[tuple[float, list, tuple]]]:
    """List (score, segments, labels) of every labelled path, for each document."""
    documents, offset = [], 0
    for n in lattice.doc_atoms.tolist():
        index = {
            (int(first) - offset, int(last) + 1 - offset): i
            for i, (first, last) in enumerate(
                zip(lattice.first_atom, lattice.last_atom, strict=True)
            )
            if offset <= first < offset + n
        }
        paths = []
        for path in partitions(n, lattice.max_segment_atoms):
            segments = [index[span] for span in path]
            for labels in itertools.product((0, 1), repeat=len(segments)):
                score = sum(scores[i, label] for i, label in zip(segments, labels, strict=True))
                paths.append((float(score), segments, labels))
        documents.append(paths)
        offset += n
    return documents


@pytest.mark.parametrize("seed", SEEDS)
def test_best_path_matches_brute_force(seed: int) -> None:
    lattice, scores = draw(seed)
    expected = [max(paths, key=lambda path: path[0])[1] for paths in all_paths(lattice, scores)]
    assert best_path(lattice, scores) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_posteriors_match_brute_force(seed: int) -> None:
    lattice, scores = draw(seed)
    posteriors, log_partition = segment_posteriors(lattice, scores)
    expected = np.zeros_like(scores)
    for n, paths in enumerate(all_paths(lattice, scores)):
        total = np.logaddexp.reduce([score for score, _, _ in paths])
        assert log_partition[n] == pytest.approx(total, abs=1e-6)
        for score, segments, labels in paths:
            expected[segments, list(labels)] += np.exp(score - total)
    assert np.allclose(posteriors, expected, atol=1e-6)


def draw_allowed(lattice: Lattice, scores: np.ndarray, seed: int) -> np.ndarray:
    """Draw labelled segments that agree with gold, with at least one path in each document."""
    rng = np.random.default_rng(seed)
    allowed = rng.random(scores.shape) < 0.3
    for paths in all_paths(lattice, scores):
        _, segments, labels = paths[rng.integers(len(paths))]
        allowed[segments, list(labels)] = True
    return allowed


@pytest.mark.parametrize("seed", SEEDS)
def test_loss_is_the_negative_log_likelihood_of_the_gold_paths(seed: int) -> None:
    lattice, scores = draw(seed)
    allowed = draw_allowed(lattice, scores, seed)
    losses, _ = path_loss(lattice, scores, allowed)
    for loss, paths in zip(losses, all_paths(lattice, scores), strict=True):
        gold = [s for s, segments, labels in paths if allowed[segments, list(labels)].all()]
        total = np.logaddexp.reduce([score for score, _, _ in paths])
        assert loss == pytest.approx(total - np.logaddexp.reduce(gold), abs=1e-6)


def test_if_all_segments_agree_with_gold_nothing_is_learned() -> None:
    lattice, scores = draw(3)
    losses, gradient = path_loss(lattice, scores, np.ones(scores.shape, dtype=bool))
    assert not losses.any()
    assert not gradient.any()


@pytest.mark.parametrize("seed", SEEDS)
def test_gradient_is_that_of_the_loss(seed: int) -> None:
    lattice, scores = draw(seed)
    allowed = draw_allowed(lattice, scores, seed)
    _, gradient = path_loss(lattice, scores, allowed)
    for cell in np.ndindex(scores.shape):
        step = np.zeros_like(scores)
        step[cell] = 1e-4
        up, down = (path_loss(lattice, scores + s, allowed)[0].sum() for s in (step, -step))
        assert (up - down) / 2e-4 == pytest.approx(gradient[cell], abs=1e-4)


def bio_of_path(lattice: Lattice, segments: list, labels: tuple) -> dict[int, str]:
    """Label each token of a path with B, I or O."""
    bio = {}
    for i, label in zip(segments, labels, strict=True):
        start, end = int(lattice.starts[i]), int(lattice.ends[i])
        bio.update(dict.fromkeys(range(start, end), "O" if label == NSU_COLUMN else "I"))
        if label == SU_COLUMN:
            bio[start] = "B"
    return bio


@pytest.mark.parametrize("seed", SEEDS)
def test_the_score_of_a_path_is_its_expected_number_of_correct_labels(seed: int) -> None:
    lattice, scores = draw(seed)
    posterior, _ = segment_posteriors(lattice, scores)
    gains = minimum_bayes_risk_scores(
        lattice, posterior, span_weight=3.0, span_cost=0.3, nsu_weight=1.7
    )
    for paths in all_paths(lattice, scores):
        total = np.logaddexp.reduce([score for score, _, _ in paths])
        _, segments, labels = paths[seed % len(paths)]
        guess = bio_of_path(lattice, segments, labels)
        expected = -3.0 * 0.3 * labels.count(SU_COLUMN)
        for score, gold_segments, gold_labels in paths:
            gold = bio_of_path(lattice, gold_segments, gold_labels)
            right = sum({"O": 1.7}.get(guess[t], 1.0) for t in gold if gold[t] == guess[t])
            gold_sus = {s for s, x in zip(gold_segments, gold_labels, strict=True) if not x}
            sus = {s for s, x in zip(segments, labels, strict=True) if not x}
            expected += np.exp(score - total) * (right + 3.0 * len(sus & gold_sus))
        assert gains[segments, list(labels)].sum() == pytest.approx(expected, abs=1e-6)


def test_segments_stay_inside_documents_and_start_at_cuts() -> None:
    is_cut = np.asarray([0, 0, 1, 0, 0, 1], dtype=bool)
    lattice = build_lattice(is_cut, np.asarray([4, 0, 2]), 2)
    bounds = set(zip(lattice.starts.tolist(), lattice.ends.tolist(), strict=True))
    assert bounds == {(0, 2), (2, 4), (0, 4), (4, 5), (5, 6), (4, 6)}
    assert lattice.doc_atoms.tolist() == [2, 0, 2]


def test_an_empty_lattice_has_no_paths() -> None:
    lattice = build_lattice(np.zeros(0, dtype=bool), np.asarray([0, 0]), 3)
    scores = np.zeros((0, 2))
    assert best_path(lattice, scores) == [[], []]
    assert path_loss(lattice, scores, np.zeros((0, 2), dtype=bool))[0].tolist() == [0, 0]


def test_no_documents_have_no_paths() -> None:
    lattice = build_lattice(np.zeros(0, dtype=bool), np.zeros(0, dtype="int64"), 3)
    assert best_path(lattice, np.zeros((0, 2))) == []


def test_large_scores_stay_finite() -> None:
    lattice, scores = draw(1)
    posteriors, log_partition = segment_posteriors(lattice, scores * 1e4)
    assert np.isfinite(posteriors).all()
    assert np.isfinite(log_partition).all()


def test_one_long_document_among_many_short_ones_takes_little_memory() -> None:
    lengths = np.asarray([5_000, *[1] * 999])
    lattice = build_lattice(np.ones(lengths.sum(), dtype=bool), lengths, 6)
    scores = np.zeros((len(lattice.first_atom), 2), dtype="float32")
    tracemalloc.start()
    segment_posteriors(lattice, scores)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20e6

"""The CRF: comparison with all paths, gradients, long chains, many chains, bad constraints."""

import math
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
import pytest

from spacy_sentid.word_segmenter.crf import (
    BEFORE,
    CLOSED,
    B,
    E,
    M,
    Marginals,
    S,
    compute_loss,
    find_best_tags,
    find_marginals,
)

LENGTHS = range(1, 7)
# The tags that may follow a tag, and those that may be first or last.
NEXT = {B: (M, E), M: (M, E), E: (B, S), S: (B, S)}
FIRST = (B, S)
LAST = (E, S)
# Pairs of tags with a boundary between them (equation 3), and without one (equation 4).
APART = [(S, S), (S, B), (E, S), (E, B)]
TOGETHER = [(B, M), (B, E), (M, M), (M, E)]


def boundary_probs(marginals: Marginals) -> np.ndarray:
    return np.clip(marginals.tags[:, CLOSED].sum(axis=1), 0, 1)


def bigram_probs(marginals: Marginals) -> np.ndarray:
    """Lay out p(a_b | y, i) of equation (2) for each gap i: (n - 1, 4, 4); 0 for illegal pairs."""
    probs = np.zeros((max(len(marginals.tags) - 1, 0), 4, 4))
    for k in range(2):
        probs[:, BEFORE[k], np.arange(4)] = marginals.pairs[1:, k]
    return probs


class Case(NamedTuple):
    """A batch of chains, with its legal paths and their scores."""

    emissions: np.ndarray
    transitions: np.ndarray
    starts: np.ndarray
    allowed: np.ndarray | None  # allows at least one path
    paths: np.ndarray  # (n_paths, n), the allowed paths
    scores: np.ndarray  # (n_paths,)

    @property
    def inputs(self) -> tuple:
        return self.emissions, self.transitions, self.starts, self.allowed

    @property
    def probs(self) -> np.ndarray:
        return np.exp(self.scores - np.logaddexp.reduce(self.scores))


@cache
def legal_paths(starts: tuple[bool, ...]) -> np.ndarray:
    """List all paths of the chains, (n_paths, n), by adding the tags that can follow."""
    paths: list[tuple[int, ...]] = [()]
    for i, start in enumerate(starts):
        is_last = i + 1 == len(starts) or starts[i + 1]
        paths = [
            (*path, tag)
            for path in paths
            for tag in (FIRST if start else NEXT[path[-1]])
            if tag in LAST or not is_last
        ]
    return np.array(paths)


def score(paths: np.ndarray, emissions: np.ndarray, transitions: np.ndarray, starts: np.ndarray):
    """Score paths by definition: (n_paths,)."""
    scores = emissions[np.arange(paths.shape[1]), paths].sum(axis=1)
    inside = transitions[paths[:, :-1], paths[:, 1:]] * ~starts[1:]
    return scores + inside.sum(axis=1)


def case(starts: tuple[bool, ...], seed: int, *, is_held: bool, scale: float = 2.0) -> Case:
    rng = np.random.default_rng([seed, *starts])
    # Also the scores of illegal pairs are drawn: they must not matter.
    emissions = rng.normal(size=(len(starts), 4)) * scale
    transitions = rng.normal(size=(4, 4)) * scale
    paths, allowed = legal_paths(starts), None
    if is_held:
        allowed = rng.random((len(starts), 4)) < 0.5
        allowed[np.arange(len(starts)), paths[rng.integers(len(paths))]] = True
        paths = paths[allowed[np.arange(len(starts)), paths].all(axis=1)]
    array = np.array(starts)
    scores = score(paths, emissions, transitions, array)
    return Case(emissions, transitions, array, allowed, paths, scores)


def cases(n: int) -> Iterator[Case]:
    """Generate batches of n characters, in all divisions into chains, free and constrained."""
    for rest in product((False, True), repeat=n - 1):
        for is_held in (False, True):
            yield case((True, *rest), n, is_held=is_held)


def draw(lengths: list[int], seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    starts = np.zeros(sum(lengths), dtype=bool)
    starts[np.cumsum([0, *lengths[:-1]])] = True
    return rng.normal(size=(len(starts), 4)) * 2, rng.normal(size=(4, 4)), starts


# Against all paths


@pytest.mark.parametrize("n", LENGTHS)
def test_a_text_has_a_path_for_each_segmentation(n: int) -> None:
    paths = legal_paths((True, *[False] * (n - 1)))
    assert len({tuple(path) for path in paths}) == 2 ** (n - 1)


@pytest.mark.parametrize("n", LENGTHS)
def test_the_log_partition_is_the_sum_over_all_paths(n: int) -> None:
    for c in cases(n):
        expected = pytest.approx(np.logaddexp.reduce(c.scores), abs=1e-9)
        assert find_marginals(*c.inputs).log_partition == expected


@pytest.mark.parametrize("n", LENGTHS)
def test_the_marginals_of_tags_are_those_of_all_paths(n: int) -> None:
    for c in cases(n):
        expected = (c.probs[:, None, None] * (c.paths[:, :, None] == np.arange(4))).sum(axis=0)
        assert np.allclose(find_marginals(*c.inputs).tags, expected, atol=1e-9)


@pytest.mark.parametrize("n", LENGTHS)
def test_equation_2_the_bigrams_of_tags_are_those_of_all_paths(n: int) -> None:
    for c in cases(n):
        expected = np.zeros((n - 1, 4, 4))
        for path, prob in zip(c.paths, c.probs, strict=True):
            expected[np.arange(n - 1), path[:-1], path[1:]] += prob
        assert np.allclose(bigram_probs(find_marginals(*c.inputs)), expected, atol=1e-9)


@pytest.mark.parametrize("n", LENGTHS)
def test_equations_3_and_4_the_boundaries_are_those_of_all_paths(n: int) -> None:
    for c in cases(n):
        marginals = find_marginals(*c.inputs)
        found, bigrams = boundary_probs(marginals), bigram_probs(marginals)
        assert np.allclose(found, c.probs @ np.isin(c.paths, LAST), atol=1e-9)
        apart = sum((bigrams[:, a, b] for a, b in APART), np.zeros(n - 1))
        together = sum((bigrams[:, a, b] for a, b in TOGETHER), np.zeros(n - 1))
        assert np.allclose(found[:-1], apart, atol=1e-9)
        assert np.allclose(1 - found[:-1], together, atol=1e-9)


@pytest.mark.parametrize("n", LENGTHS)
def test_the_best_path_is_the_best_of_all_paths(n: int) -> None:
    for c in cases(n):
        assert find_best_tags(*c.inputs).tolist() == c.paths[c.scores.argmax()].tolist()


@pytest.mark.parametrize("n", LENGTHS)
def test_the_loss_is_the_share_of_the_allowed_paths_in_all_paths(n: int) -> None:
    for c in cases(n):
        if c.allowed is None:
            continue
        every = score(legal_paths(tuple(c.starts.tolist())), *c.inputs[:3])
        expected = np.logaddexp.reduce(every) - np.logaddexp.reduce(c.scores)
        assert compute_loss(*c.inputs).value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("n", LENGTHS)
def test_forbidden_tags_have_no_probability(n: int) -> None:
    for c in cases(n):
        if c.allowed is not None:
            assert not find_marginals(*c.inputs).tags[~c.allowed].any()


# Gradients


def loss_value(*inputs: np.ndarray) -> float:
    return compute_loss(*inputs).value


@pytest.mark.parametrize("lengths", [[1], [6], [3, 1, 4], [1, 1, 1], [2, 9]])
@pytest.mark.parametrize("which", [0, 1], ids=["emissions", "transitions"])
def test_gradients_are_those_of_the_loss(lengths: list[int], which: int) -> None:
    inputs = draw(lengths)
    rng = np.random.default_rng(1)
    allowed = rng.random(inputs[0].shape) < 0.4
    allowed[:, S] = True
    gradient = compute_loss(*inputs, allowed)[1 + which]
    for cell in np.ndindex(gradient.shape):
        values = []
        for step in (1e-5, -1e-5):
            moved = [array.copy() for array in inputs]
            moved[which][cell] += step
            values.append(loss_value(*moved, allowed))
        assert (values[0] - values[1]) / 2e-5 == pytest.approx(gradient[cell], abs=1e-6)


def test_where_all_is_allowed_nothing_is_learned() -> None:
    inputs = draw([5, 2])
    loss = compute_loss(*inputs, np.ones_like(inputs[0], dtype=bool))
    assert loss.value == 0
    assert not loss.d_emissions.any()
    assert not loss.d_transitions.any()


def test_scores_of_illegal_pairs_never_matter() -> None:
    emissions, transitions, starts = draw([7, 3])
    others = transitions.copy()
    legal = [(a, b) for a in NEXT for b in NEXT[a]]
    for a, b in product(range(4), repeat=2):
        if (a, b) not in legal:
            others[a, b] = 1e6
    one, other = (find_marginals(emissions, t, starts) for t in (transitions, others))
    assert one.log_partition == other.log_partition
    assert (one.tags == other.tags).all()
    gold = np.zeros_like(emissions, dtype=bool)
    gold[:, S] = True
    gradient = compute_loss(emissions, others, starts, gold).d_transitions
    assert {pair for pair in product(range(4), repeat=2) if gradient[pair]} == set(legal)


# Batches, long and short


def test_each_chain_alone_has_the_results_of_the_batch() -> None:
    lengths = [3, 1, 40, 2, 1, 1, 17, 6]
    emissions, transitions, starts = draw(lengths)
    cuts = np.cumsum(lengths)[:-1]
    allowed = np.random.default_rng(2).random(emissions.shape) < 0.5
    allowed[:, S] = True
    parts = [
        (part, transitions, own_starts, own)
        for part, own_starts, own in zip(
            np.split(emissions, cuts), np.split(starts, cuts), np.split(allowed, cuts), strict=True
        )
    ]
    for held in (slice(3), slice(4)):  # without and with the constraint
        batch = (emissions, transitions, starts, allowed)[held]
        assert find_best_tags(*batch).tolist() == [
            tag for part in parts for tag in find_best_tags(*part[held]).tolist()
        ]
        alone = [find_marginals(*part[held]) for part in parts]
        together = find_marginals(*batch)
        assert together.log_partition == pytest.approx(sum(m.log_partition for m in alone))
        assert np.allclose(together.tags, np.concatenate([m.tags for m in alone]))
        for one, rows in zip(alone, np.split(together.pairs, cuts), strict=True):
            assert np.allclose(rows[1:], one.pairs[1:])
    losses = [compute_loss(*part) for part in parts]
    loss = compute_loss(emissions, transitions, starts, allowed)
    assert loss.value == pytest.approx(sum(one.value for one in losses))
    assert np.allclose(loss.d_emissions, np.concatenate([one.d_emissions for one in losses]))
    assert np.allclose(loss.d_transitions, sum(one.d_transitions for one in losses))


def step_by_step(emissions: np.ndarray, transitions: np.ndarray) -> tuple[float, float]:
    """Compute the log-partition and the best score of one chain, character by character."""
    rows, weights = emissions.tolist(), transitions.tolist()
    total = best = [rows[0][tag] if tag in FIRST else -math.inf for tag in range(4)]
    before = {tag: [a for a in NEXT if tag in NEXT[a]] for tag in range(4)}
    for row in rows[1:]:
        ways = [[total[a] + weights[a][tag] for a in before[tag]] for tag in range(4)]
        peaks = [max(way) for way in ways]
        total = [
            row[tag] + peak + math.log(sum(math.exp(x - peak) for x in way)) if peak > -1e300
            else -math.inf
            for tag, (peak, way) in enumerate(zip(peaks, ways, strict=True))
        ]  # fmt: skip
        best = [row[tag] + max(best[a] + weights[a][tag] for a in before[tag]) for tag in range(4)]
    ends = [total[tag] for tag in LAST]
    return float(np.logaddexp.reduce(ends)), max(best[tag] for tag in LAST)


def test_a_long_chain_is_exact() -> None:
    emissions, transitions, starts = draw([50_000])
    total, best = step_by_step(emissions, transitions)
    marginals = find_marginals(emissions, transitions, starts)
    assert marginals.log_partition == pytest.approx(total, rel=1e-12)
    assert np.allclose(marginals.tags.sum(axis=1), 1)
    tags = find_best_tags(emissions, transitions, starts)
    assert all(b in NEXT[a] for a, b in pairwise(tags.tolist()))
    assert (tags[0] in FIRST, tags[-1] in LAST) == (True, True)
    assert score(tags[None], emissions, transitions, starts)[0] == pytest.approx(best, rel=1e-12)


def test_without_scores_every_gap_of_a_long_chain_is_even() -> None:
    n = 30_000
    marginals = find_marginals(np.zeros((n, 4)), np.zeros((4, 4)), np.arange(n) == 0)
    assert marginals.log_partition == pytest.approx((n - 1) * math.log(2))
    assert np.allclose(boundary_probs(marginals), [*[0.5] * (n - 1), 1])


def test_many_short_chains_are_the_sum_of_each() -> None:
    lengths = np.random.default_rng(3).integers(1, 4, size=20_000)
    emissions, transitions, starts = draw(lengths.tolist())
    expected = np.empty(len(starts))
    firsts = np.flatnonzero(starts)
    best = np.empty(len(starts), dtype=int)
    for length in (1, 2, 3):
        paths = legal_paths((True, *[False] * (length - 1)))
        places = firsts[lengths == length][:, None] + np.arange(length)
        scores = sum(emissions[places[:, [k]], paths[:, k]] for k in range(length))
        scores = scores + transitions[paths[:, :-1], paths[:, 1:]].sum(axis=1)
        expected[places] = np.logaddexp.reduce(scores, axis=1)[:, None] / length
        best[places] = paths[scores.argmax(axis=1)]
    log_partition = find_marginals(emissions, transitions, starts).log_partition
    assert log_partition == pytest.approx(expected.sum(), rel=1e-12)
    assert (find_best_tags(emissions, transitions, starts) == best).all()


def test_arguments_are_not_changed() -> None:
    emissions, transitions, starts = draw([4, 3])
    allowed = np.ones_like(emissions, dtype=bool)
    arrays = [emissions.astype("float32"), transitions.astype("float32"), starts, allowed]
    for array in arrays:
        array.setflags(write=False)
    find_best_tags(*arrays)
    assert np.isfinite(compute_loss(*arrays).value)


# Extremes


@pytest.mark.parametrize("scale", [1e4, -1e4, 1e6])
def test_large_scores_stay_finite(scale: float) -> None:
    for seed in range(20):
        c = case((True, False, False, True, False, False), seed, is_held=True, scale=scale)
        marginals = find_marginals(*c.inputs)
        assert np.allclose(marginals.tags.sum(axis=1), 1)
        assert marginals.log_partition == pytest.approx(np.logaddexp.reduce(c.scores))
        probs = boundary_probs(marginals)
        assert ((probs >= 0) & (probs <= 1)).all()
        loss = compute_loss(*c.inputs)
        assert loss.value >= 0
        assert all(np.isfinite(part).all() for part in loss)
        best = find_best_tags(*c.inputs)
        assert score(best[None], *c.inputs[:3])[0] == pytest.approx(c.scores.max())


def test_probabilities_of_a_large_batch_with_large_scores_sum_to_1() -> None:
    emissions, transitions, starts = draw([400] * 50)
    tags = find_marginals(emissions * 1e4, transitions * 1e4, starts).tags
    assert np.allclose(tags.sum(axis=1), 1, atol=1e-3)


def test_an_empty_batch_has_no_tags() -> None:
    nothing = (np.zeros((0, 4)), np.zeros((4, 4)), np.zeros(0, dtype=bool))
    assert find_best_tags(*nothing).shape == (0,)
    marginals = find_marginals(*nothing)
    assert marginals.log_partition == 0
    assert boundary_probs(marginals).shape == (0,)
    loss = compute_loss(*nothing, np.zeros((0, 4), dtype=bool))
    assert (loss.value, loss.d_emissions.shape, loss.d_transitions.any()) == (0, (0, 4), False)


def test_of_equally_good_paths_a_chain_has_the_same_in_any_batch() -> None:
    rng = np.random.default_rng(4)
    lengths = rng.integers(1, 9, size=60).tolist()
    _, _, starts = draw(lengths)
    emissions = rng.integers(0, 2, size=(len(starts), 4)).astype(float)
    none = np.zeros((4, 4))
    alone = [
        find_best_tags(part, none, np.arange(len(part)) == 0).tolist()
        for part in np.split(emissions, np.cumsum(lengths)[:-1])
    ]
    assert find_best_tags(emissions, none, starts).tolist() == [t for part in alone for t in part]


# What is wrong


@pytest.mark.parametrize(
    ("tags", "starts"),
    [
        ([M], [True]),  # no word is only the middle of a word
        ([B, B], [True, False]),
        ([S, E], [True, False]),
        ([B, E], [True, True]),  # a word cannot cross the boundary of two chains
        ([B, M, M], [True, False, False]),
    ],
)
def test_constraints_without_a_path_are_an_error(tags: list[int], starts: list[bool]) -> None:
    n = len(tags)
    allowed = np.zeros((n, 4), dtype=bool)
    allowed[np.arange(n), tags] = True
    inputs = (np.zeros((n, 4)), np.zeros((4, 4)), np.array(starts))
    for function in (find_best_tags, find_marginals, compute_loss):
        with pytest.raises(ValueError, match="contradict"):
            function(*inputs, allowed)


@pytest.mark.parametrize("place", [0, 1, 57, 98, 99])
def test_the_error_names_the_place(place: int) -> None:
    allowed = np.ones((100, 4), dtype=bool)
    allowed[place] = False
    with pytest.raises(ValueError, match="contradict") as error:
        find_best_tags(np.zeros((100, 4)), np.zeros((4, 4)), np.arange(100) == 0, allowed)
    first, last = map(int, re.findall(r"\d+", str(error.value)))
    assert first <= place < last <= 100
    assert last - first <= 10


def test_a_first_character_that_starts_no_chain_is_an_error() -> None:
    with pytest.raises(ValueError, match="chain"):
        find_best_tags(np.zeros((2, 4)), np.zeros((4, 4)), np.array([False, True]))

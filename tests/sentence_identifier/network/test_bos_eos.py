"""The dynamic program, compared with all legal label paths."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.sentence_identifier.network.bos_eos import decode_bos_eos, log_odds


def legal_paths(n: int) -> list[tuple[tuple[int, ...], tuple[int, ...], list[tuple[int, int]]]]:
    """List (BOS flags, EOS flags, spans) of all paths of n tokens with alternating BOS and EOS."""
    paths = []
    for flags in itertools.product(itertools.product((0, 1), repeat=2), repeat=n):
        spans, opened, legal = [], None, True
        for i, (begins, ends) in enumerate(flags):
            legal = legal and not (begins and opened is not None)
            opened = i if begins else opened
            legal = legal and not (ends and opened is None)
            if ends and opened is not None:
                spans.append((opened, i + 1))
                opened = None
        if legal and opened is None:
            paths.append((tuple(b for b, _ in flags), tuple(e for _, e in flags), spans))
    return paths


PATHS = [legal_paths(n) for n in range(6)]


def eq_4(bos: list[float], eos: list[float], path: tuple) -> float:
    """Compute the log-probability of a path by eq. 4."""
    terms = [
        p if flag else 1 - p for p, flag in zip([*bos, *eos], [*path[0], *path[1]], strict=True)
    ]
    return sum(math.log(term) if term > 0 else -math.inf for term in terms)


def best_by_brute_force(bos: list[float], eos: list[float], threshold: float) -> float:
    bos, eos = ([p if p >= threshold else 0.0 for p in row] for row in (bos, eos))
    return max(eq_4(bos, eos, path) for path in PATHS[len(bos)])


def path_of(spans: list[tuple[int, int]], n: int) -> tuple:
    (path,) = [path for path in PATHS[n] if path[2] == spans]
    return path


probs = st.floats(0.001, 0.999)


@given(st.lists(st.tuples(probs, probs), max_size=5), st.sampled_from([0.0, 0.1, 0.4]))
def test_the_dynamic_program_finds_the_best_legal_path(
    pairs: list[tuple[float, float]], threshold: float
) -> None:
    bos, eos = [b for b, _ in pairs], [e for _, e in pairs]
    spans = decode_bos_eos(bos, eos, threshold=threshold)
    kept = [[p if p >= threshold else 0.0 for p in row] for row in (bos, eos)]
    found = eq_4(*kept, path_of(spans, len(pairs)))
    assert found == pytest.approx(best_by_brute_force(bos, eos, threshold), abs=1e-9)


def test_random_inputs_have_the_same_path_as_brute_force() -> None:
    rng = np.random.default_rng(0)
    for _ in range(150):
        n = int(rng.integers(0, 6))
        bos, eos = rng.random(n).tolist(), rng.random(n).tolist()
        spans = max(PATHS[n], key=lambda path: eq_4(bos, eos, path))[2]
        assert decode_bos_eos(bos, eos, threshold=0.0) == spans


@pytest.mark.parametrize(
    ("bos", "eos", "spans"),
    [
        pytest.param([], [], [], id="no tokens"),
        pytest.param([0.9], [0.9], [(0, 1)], id="BOS and EOS on one word"),
        pytest.param([0.9], [0.05], [], id="no EOS"),
        pytest.param([0.9, 0.0], [0.0, 0.9], [(0, 2)], id="one SU"),
        pytest.param([0.9, 0.0, 0.9], [0.0, 0.9, 0.9], [(0, 2), (2, 3)], id="two SUs"),
        pytest.param([0.0, 0.9, 0.0], [0.9, 0.0, 0.9], [(1, 3)], id="EOS before BOS"),
        pytest.param([1.0, 0.0], [0.0, 1.0], [(0, 2)], id="certain"),
        pytest.param([1.0, 1.0], [1.0, 1.0], [(0, 1), (1, 2)], id="certain words"),
        pytest.param([0.5], [0.5], [], id="of equals, the one with fewer SUs"),
        pytest.param([0.3, 0.0], [0.0, 0.9], [(0, 2)], id="a sure EOS makes up for BOS"),
    ],
)
def test_small_cases(bos: list[float], eos: list[float], spans: list[tuple[int, int]]) -> None:
    assert decode_bos_eos(bos, eos) == spans


def test_tokens_below_the_threshold_are_not_candidates() -> None:
    bos, eos = [0.09, 0.0], [0.0, 0.99]
    assert decode_bos_eos(bos, eos, threshold=0.1) == []
    assert decode_bos_eos(bos, eos, threshold=0.09) == [(0, 2)]


def test_decoding_is_linear_in_length() -> None:
    rng = np.random.default_rng(0)
    spans = decode_bos_eos(rng.random(200_000), rng.random(200_000))
    assert spans


@given(st.lists(st.floats(0, 1)))
def test_log_odds_are_finite(values: list[float]) -> None:
    assert np.isfinite(log_odds(values)).all()

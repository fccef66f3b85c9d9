"""Words, matches, alignment and features of pairs."""

import itertools

import numpy as np
import pytest

from spacy_sentid.paraphrase_tagger.matching.features import N_FEATURES, NAMES, compute_features
from spacy_sentid.paraphrase_tagger.matching.lexicon import EMPTY, WIDTH, Lexicon
from spacy_sentid.paraphrase_tagger.matching.matches import align_in_order
from spacy_sentid.paraphrase_tagger.matching.word_table import N_BINS, build_word_table
from spacy_sentid.paraphrase_tagger.matching.words import find_core, find_number, find_stem
from studies.paraphrase_data.lexicon import build_lexicon

LEXICON = build_lexicon(
    {
        "rose": (5.0, (["rise"], ["rise.v"], ["move.v"], ["fall"])),
        "fell": (5.0, (["fall"], ["fall.v"], ["move.v"], ["rise"])),
        "probe": (4.0, (["probe"], ["inquiry.n"], ["investigation.n"], [])),
        "inquiry": (4.0, (["inquiry"], ["inquiry.n"], [], [])),
        "investigation": (4.5, (["investigation"], ["investigation.n"], [], [])),
    },
    np.random.default_rng(0).normal(size=(5, WIDTH)) / WIDTH**0.5,
    np.random.default_rng(1).normal(size=(N_BINS, WIDTH)) / WIDTH**0.5,
)


def extract_features(pairs: list, lexicon: Lexicon) -> list[np.ndarray]:
    """Compute the features of all words of each pair, with text 1 first."""
    words = [word for pair in pairs for side in pair for word in side]
    forms, rows = np.unique(words, return_inverse=True)
    lengths = np.array([(len(first), len(second)) for first, second in pairs])
    table = build_word_table(forms.tolist(), lexicon)
    features = compute_features(table, rows, lengths, lexicon)
    return np.split(features, np.cumsum(lengths.sum(axis=1))[:-1])


def features_of(text1: str, text2: str) -> dict[str, np.ndarray]:
    rows = extract_features([(text1.split(), text2.split())], LEXICON)[0]
    return dict(zip(NAMES, rows.T, strict=True))


@pytest.mark.parametrize(
    ("one", "other"),
    [("%", "percent"), ("U.S.", "USA"), ("US", "U.S."), ("Sat.", "Saturday"), (".5", "0.5"),
     ("\u22125", "-5"), ("Jan.", "January"), ("rebel-held", "rebelheld"), ("n't", "not"),
     ('"Sales', "sales"), ("&", "and"), ("km", "kilometres"), ("bn", "billion")],
)  # fmt: skip
def test_forms_of_one_word_have_the_same_core(one: str, other: str) -> None:
    assert find_core(one) == find_core(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (".5", "5"),
        ("-5", "5"),
        ("sat", "Saturday"),
        ("sun", "Sunday"),
        ("us", "US"),
        ("mar", "March"),
    ],
)
def test_different_words_have_different_cores(one: str, other: str) -> None:
    assert find_core(one) != find_core(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("predicted", "predictions"), ("cities", "city"), ("runs", "running"), ("closes", "closed")],
)
def test_forms_of_one_word_have_the_same_stem(one: str, other: str) -> None:
    assert find_stem(one) == find_stem(other)


@pytest.mark.parametrize(
    ("core", "number"),
    [("1,514.77", 1514.77), ("12", 12.0), ("twelve", 12.0), ("2nd", 2.0), ("1990s", 1990.0)],
)
def test_numbers_are_parsed(core: str, number: float) -> None:
    assert find_number(core) == number


@pytest.mark.parametrize("core", ["", "may", "nan", "inf", "infinity", "-", "$", "1e999", "1-2"])
def test_other_words_are_not_numbers(core: str) -> None:
    assert np.isnan(find_number(core))


def best_sum(gain: np.ndarray) -> float:
    """Compute the highest sum over all alignments without crossings, by trying all of them."""
    n, m = gain.shape
    sums = [0.0]
    for size in range(1, min(n, m) + 1):
        for rows in itertools.combinations(range(n), size):
            for columns in itertools.combinations(range(m), size):
                sums.append(sum(gain[i, j] for i, j in zip(rows, columns, strict=True)))
    return max(sums)


@pytest.mark.parametrize("seed", range(20))
def test_the_alignment_is_the_best_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    gain = rng.choice([0, 0, 1, 0.5, 2], size=(3, *rng.integers(1, 6, 2))).astype("float32")
    aligned = align_in_order(np.moveaxis(gain, 0, 2))
    for cells, gains in zip(np.moveaxis(aligned, 2, 0), gain, strict=True):
        assert (gains * cells).sum() == pytest.approx(best_sum(gains))
        places = np.argwhere(cells)
        assert (np.diff(places, axis=0) > 0).all()
        assert gains[cells].all()


def test_features_do_not_depend_on_the_other_pairs_of_a_batch() -> None:
    pairs = [
        (["Sales", "rose", "."], ["Sales", "fell", "sharply", "in", "May", "."]),
        (["x"], ["y"]),
        (["a"] * 40, ["b", "a"]),
    ]
    together = extract_features(pairs, LEXICON)
    for pair, rows in zip(pairs, together, strict=True):
        assert np.allclose(extract_features([pair], LEXICON)[0], rows, atol=1e-6)
        assert rows.shape == (len(pair[0]) + len(pair[1]), N_FEATURES)


def test_features_of_swapped_sides_are_swapped() -> None:
    pair = (
        ["The", "probe", "into", "Coke", "continues", "."],
        ["An", "inquiry", "of", "Coke", "goes", "on", "."],
    )
    rows, swapped = extract_features([pair, pair[::-1]], LEXICON)
    n = len(pair[0])
    # Ties could be resolved in another way, but this example has no ties.
    assert np.allclose(rows[:n], swapped[-n:], atol=1e-6)
    assert np.allclose(rows[n:], swapped[:-n], atol=1e-6)


def test_features_are_finite_for_odd_words() -> None:
    odd = ["", " ", "\u200b", "😀", "...", "x" * 200, "日本", "\ud800", "1e999", "-5", "'", "''"]
    rows = extract_features([(odd, odd[::-1]), (["."], ["!"])], LEXICON)
    assert all(np.isfinite(row).all() for row in rows)


def test_matches_of_forms_and_numbers() -> None:
    seen = features_of("Two dogs ran", "2 DOGS are running")
    assert seen["number"].tolist() == [1, 0, 0, 1, 0, 0, 0]
    assert seen["core"].tolist() == [0, 1, 0, 0, 1, 0, 0]
    assert seen["orth"].sum() == 0


def test_relations_of_the_lexicon() -> None:
    seen = features_of("a probe rose", "an inquiry fell")
    assert seen["synonym"].tolist() == [0, 1, 0, 0, 1, 0]
    assert seen["opposite"].tolist() == [0, 0, 1, 0, 0, 1]
    assert seen["sibling"].tolist() == [0, 0, 1, 0, 0, 1]
    assert features_of("probe", "investigation")["broader"].tolist() == [1, 1]
    assert not extract_features([(["rose"], ["fell"])], EMPTY)[0][:, 7:11].any()


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("They paid three thousand dollars", "They paid $ 3,000", "three thousand 3,000"),
        ("They owe $ 2 million", "They owe two million dollars", "2 million two million"),
        ("It has twenty-one rooms", "It has 21 rooms", "twenty-one 21"),
        ("In 2019 5 left", "In 2020 5 left", "5 5"),
        ("It cost $ 4bn", "It cost 4 billion", ""),
    ],
)
def test_numbers_of_several_words(one: str, other: str, words: str) -> None:
    is_same = features_of(one, other)["number"] > 0
    found = [word for word, same in zip(f"{one} {other}".split(), is_same, strict=True) if same]
    assert " ".join(found) == words


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("The EU met", "The European Union met", "EU European Union"),
        ("The U.N. met", "The United Nations met", "U.N. United Nations"),
        ("The EU met", "Every European met the union", ""),
        ("EU", "Eastern European Union", "EU European Union"),
        ("WHO met", "We Had One met", "WHO We Had One"),
    ],
)
def test_initials_are_synonyms_of_their_words(one: str, other: str, words: str) -> None:
    is_same = features_of(one, other)["synonym"] > 0
    found = [word for word, same in zip(f"{one} {other}".split(), is_same, strict=True) if same]
    assert " ".join(found) == words


def test_coordination_in_another_order_is_not_an_exchange() -> None:
    seen = features_of("So Lena and Paul opened it", "So Paul and Lena opened it")
    names = [0, 1, 0, 1, 0, 0] * 2
    assert seen["coordinated_names"].tolist() == names
    assert not seen["exchanged_names"].any()
    seen = features_of("So Lena sent it to Paul", "So Paul sent it to Lena")
    assert not seen["coordinated_names"].any()
    assert seen["exchanged_names"].any()


def test_meanings_are_cosines_of_vectors() -> None:
    vectors = np.zeros((3, WIDTH))
    vectors[[0, 1, 2], [0, 0, 1]] = 1
    vectors[1, 1] = 1
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    words = ("boat", "ship", "moon")
    lexicon = build_lexicon({word: (4.0, ([], [], [], [])) for word in words}, vectors)
    rows = extract_features([(["boat", "zq"], ["ship", "moon"])], lexicon)[0]
    seen = dict(zip(NAMES, rows.T, strict=True))
    assert seen["meaning"] == pytest.approx([0.5**0.5, 0, 0.5**0.5, 0], abs=0.01)
    assert seen["own_0"] == pytest.approx([1, 0, 0.5**0.5, 0], abs=0.01)
    assert seen["meaning_free"] == pytest.approx(seen["meaning"])


def test_vectors_of_unknown_words_are_estimated_from_their_letters() -> None:
    groups = np.zeros((N_BINS, WIDTH))
    groups[:, 0] = 0.1
    lexicon = build_lexicon({"boat": (4.0, ([], [], [], []))}, np.eye(1, WIDTH), groups)
    vectors = build_word_table(["boat", "sailboats"], lexicon).vectors
    assert vectors[0].tolist() == np.eye(1, WIDTH)[0].tolist()
    assert 0 < vectors[1, 0] < 1


def test_gaps_between_aligned_words() -> None:
    seen = features_of("He left on Monday .", "He left early yesterday evening .")
    assert seen["is_aligned"].tolist() == [1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1]
    assert seen["gap_own"] == pytest.approx([0, 0, 0.2, 0.2, 0, 0, 0, 0.3, 0.3, 0.3, 0])
    assert seen["gap_other"] == pytest.approx([0, 0, 0.3, 0.3, 0, 0, 0, 0.2, 0.2, 0.2, 0])


def test_negation_is_seen_by_both_sides() -> None:
    seen = features_of("He did not go", "He went")
    assert seen["has_negation_own"].tolist() == [1, 1, 1, 1, 0, 0]
    assert seen["negations_more"].tolist() == [1, 1, 1, 1, -1, -1]

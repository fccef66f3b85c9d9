"""The lexicon: building from files of WordNet, saving and loading, lookup, and the command."""

from pathlib import Path

import numpy as np
import pytest
from tiny_wordnet import write_wordnet
from typer.testing import CliRunner

from spacy_sentid.paraphrase_tagger.matching.lexicon import (
    BROADER,
    EMPTY,
    LEMMA,
    N_KINDS,
    OPPOSITE,
    SENSE,
    Lexicon,
    load_lexicon,
    save_lexicon,
)
from spacy_sentid.paraphrase_tagger.matching.words import hash_core
from studies.__main__ import app
from studies.paraphrase_data.lexicon import build_lexicon
from studies.paraphrase_data.wordnet import keys_of_lemma, list_entries, read_wordnet


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_wordnet(tmp_path / "dict")


def rows_of(lexicon: Lexicon, *words: str) -> np.ndarray:
    return lexicon.find(np.asarray([hash_core(word) for word in words]))


def share(lexicon: Lexicon, first: tuple[str, int], second: tuple[str, int]) -> bool:
    """Check if two words share a key, given the kind of key for each."""
    keys = [
        set(lexicon.find_keys(rows_of(lexicon, word), kind)[1].tolist())
        for word, kind in (first, second)
    ]
    return bool(keys[0] & keys[1])


def test_wordnet_is_read_with_senses_in_order_and_without_its_licence(folder: Path) -> None:
    wordnet = read_wordnet(folder)
    assert wordnet.senses["dog", "n"] == [("n", "00000020")]
    assert wordnet.words["n", "00000020"] == ["dog", "hound"]
    assert [pointer.symbol for pointer in wordnet.pointers["n", "00000010"]] == ["~", "~"]


@pytest.mark.parametrize(
    ("lemma", "part", "keys"),
    [
        ("dog", "n", (["dog"], ["n00000020"], ["n00000010"], [])),
        ("rise", "v", (["rise"], ["v00000040"], [], ["fall"])),
        ("climb", "v", (["climb"], ["v00000040"], [], [])),  # the pointer only applies to "rise"
        ("unknown", "n", (["unknown"], [], [], [])),
    ],
)
def test_keys_of_a_lemma(folder: Path, lemma: str, part: str, keys: tuple) -> None:
    assert tuple(list(names) for names in keys_of_lemma(read_wordnet(folder), lemma, part)) == keys


def test_the_error_names_a_missing_file_of_wordnet(folder: Path) -> None:
    (folder / "data.verb").unlink()
    with pytest.raises(ValueError, match=r"data\.verb"):
        read_wordnet(folder)


def test_lexicon_survives_saving_and_loading(tmp_path: Path) -> None:
    lexicon = build_lexicon({"rose": (5.1, (["rise"], ["s"], [], ["fall"]))})
    save_lexicon(lexicon, tmp_path / "lexicon.npz")
    loaded = load_lexicon(tmp_path / "lexicon.npz")
    for before, after in zip(lexicon, loaded, strict=True):
        assert before.dtype == after.dtype
        assert (before == after).all()


def test_an_invalid_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "lexicon.npz").write_bytes(b"no lexicon")
    with pytest.raises(ValueError, match=r"lexicon\.npz"):
        load_lexicon(tmp_path / "lexicon.npz")


def test_unknown_words_have_no_row_frequency_or_keys() -> None:
    lexicon = build_lexicon({"rose": (4.0, (["rise"], [], [], []))})
    rows = rows_of(lexicon, "zyzzyva", "rose")
    assert rows.tolist() == [-1, 0]
    assert lexicon.find_frequency(rows).tolist() == [0, 0.5]
    assert lexicon.find_keys(rows, LEMMA)[0].tolist() == [1]


def test_the_empty_lexicon_has_no_words() -> None:
    rows = rows_of(EMPTY, "rose")
    assert rows.tolist() == [-1]
    assert EMPTY.find_frequency(rows).tolist() == [0]
    assert all(not len(EMPTY.find_keys(rows, kind)[0]) for kind in range(N_KINDS))


@pytest.mark.slow
def test_lexicon_cli(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("lemminflect")
    pytest.importorskip("wordfreq")
    output = tmp_path / "out" / "lexicon.npz"
    result = CliRunner().invoke(app, ["lexicon", str(folder), str(output), "--forms", "20000"])
    assert result.exit_code == 0, result.output
    lexicon = load_lexicon(output)
    assert share(lexicon, ("climbed", SENSE), ("rose", SENSE))
    assert share(lexicon, ("dogs", BROADER), ("cat", BROADER))
    assert share(lexicon, ("rose", OPPOSITE), ("fell", LEMMA))
    assert not share(lexicon, ("dog", SENSE), ("cat", SENSE))


def test_entries_are_words_with_their_frequency(folder: Path) -> None:
    pytest.importorskip("lemminflect")
    pytest.importorskip("wordfreq")
    entries = list_entries(read_wordnet(folder), 200)
    assert all(core[0].isalpha() for core in entries)
    assert entries["the"][0] > entries["because"][0] > 0


def test_lexicon_cli_needs_the_name_of_a_numpy_file(folder: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["lexicon", str(folder), str(tmp_path / "lexicon.bin")])
    assert result.exit_code == 1
    assert ".npz" in result.output

"""Tagged pairs: reading and writing JSON lines, gold spans, and the corpus reader."""

import json
import random
from pathlib import Path

import pytest
import spacy
import tiny_pairs
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.paraphrase_tagger.corpus import (
    UNPARAPHRASED_KEY,
    TaggedPair,
    doc_from_pair,
    format_pair,
    make_pair_corpus,
    pair_from_doc,
    parse_pair,
    read_pairs,
    swap_sides,
)

NLP = spacy.blank("en")
SAMPLE = Path(__file__).parents[2] / "assets" / "sample" / "paraphrase"
GOOD = {"id": "a", "sent1": ["x", "y"], "sent2": ["x"], "tags1": [0, 1], "tags2": [0]}


def line(**changes: object) -> str:
    return json.dumps({key: value for key, value in (GOOD | changes).items() if value != "-"})


@pytest.mark.parametrize("name", ["train", "dev", "test"])
def test_the_sample_survives_reading_and_writing(name: str) -> None:
    path = SAMPLE / f"{name}.jsonl"
    pairs = list(read_pairs(path))
    assert [json.loads(format_pair(pair)) for pair in pairs] == [
        json.loads(text) for text in path.read_text(encoding="utf8").splitlines()
    ]


@given(st.lists(st.booleans(), min_size=1), st.lists(st.booleans(), min_size=1))
def test_tags_survive_a_round_trip_over_spans(tags1: list[bool], tags2: list[bool]) -> None:
    pair = TaggedPair(
        "1", ["a"] * len(tags1), ["b"] * len(tags2), [*map(int, tags1)], [*map(int, tags2)]
    )
    assert pair_from_doc(doc_from_pair(NLP, pair)) == pair


def test_gold_spans_do_not_cross_from_one_text_to_the_other() -> None:
    doc = doc_from_pair(NLP, tiny_pairs.pair("a [b]", "[c] d"))
    assert [span.text for span in doc.spans[UNPARAPHRASED_KEY]] == ["b", "c"]


def test_a_pair_without_tags_becomes_a_doc_without_gold() -> None:
    pair = parse_pair(line(tags1="-", tags2="-"), "f:1")
    assert UNPARAPHRASED_KEY not in doc_from_pair(NLP, pair).spans
    assert pair_from_doc(doc_from_pair(NLP, pair)) == pair


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "JSON"),
        ("[]", "object"),
        ('{"id": "\\ud800"}', "character"),
        (line(sent1=["x", " "], tags1=[0, 0]), "'sent1'"),
        (line(sent1="-"), "'sent1'"),
        (line(sent1="x y"), "'sent1'"),
        (line(sent1=[]), "'sent1'"),
        (line(sent1=["x", ""]), "'sent1'"),
        (line(sent1=[" "]), "'sent1'"),
        (line(tags1=[0]), "'tags1'"),
        (line(tags1=[0, 2]), "'tags1'"),
        (line(tags1=[0, True]), "list of 0 and 1"),
        (line(tags1=[0, float("nan")]), "list of 0 and 1"),
        (line(tags2="-"), "tags"),
        (line(sent1=["x"], tags1=[0]), "identical"),
    ],
)
def test_a_bad_line_is_an_error_with_file_and_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(f"{line()}\n\n{text}\n", encoding="utf8")
    with pytest.raises(ValueError, match=rf"pairs\.jsonl:3.*{message}"):
        list(read_pairs(path))


def test_invalid_utf8_is_an_error_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + line().encode() + b'\n{"id": "\xff"}\n')
    with pytest.raises(ValueError, match=r"pairs\.jsonl:2: .*UTF-8"):
        list(read_pairs(path))


def test_identical_sentences_are_a_pair_if_allowed() -> None:
    text = line(sent1=["x"], tags1=[0])
    assert parse_pair(text, "f:1", allow_identical=True).words1 == ["x"]


def test_the_reader_yields_examples_with_gold(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f"{format_pair(pair)}\n" for pair in tiny_pairs.PAIRS))
    examples = list(make_pair_corpus(path, shuffle=False, swap=False)(NLP))
    assert [pair_from_doc(eg.reference) for eg in examples] == tiny_pairs.PAIRS
    assert all(UNPARAPHRASED_KEY not in eg.predicted.spans for eg in examples)
    folder = list(make_pair_corpus(tmp_path, shuffle=False, swap=False)(NLP))
    assert len(folder) == len(examples)


def test_the_reader_shuffles_and_swaps_by_the_seed(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f"{format_pair(pair)}\n" for pair in tiny_pairs.PAIRS))
    corpus = make_pair_corpus(path, shuffle=True, swap=True)

    def epoch(seed: int) -> list[TaggedPair]:
        random.seed(seed)
        return [pair_from_doc(eg.reference) for eg in corpus(NLP)]

    assert epoch(1) == epoch(1) != epoch(2)
    both_ways = tiny_pairs.PAIRS + [swap_sides(pair) for pair in tiny_pairs.PAIRS]
    assert all(pair in both_ways for pair in epoch(3))


def test_the_reader_needs_a_path_and_tags(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"--paths\.train"):
        make_pair_corpus(None, shuffle=False, swap=False)
    path = tmp_path / "pairs.jsonl"
    path.write_text(line(tags1="-", tags2="-"))
    with pytest.raises(ValueError, match="'tags1'"):
        list(make_pair_corpus(path, shuffle=False, swap=False)(NLP))
    path.write_text("\n")
    with pytest.raises(ValueError, match="pairs"):
        list(make_pair_corpus(path, shuffle=False, swap=False)(NLP))

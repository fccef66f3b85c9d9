"""Sentences that two models segment differently: marks, offsets, hidden order, the command."""

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from spacy_sentid.components import pipelines
from spacy_sentid.files.records import BadLine, errors_path
from studies.__main__ import app
from studies.words import differences
from studies.words.differences import (
    TextLine,
    compare_words,
    find_differences,
    key_path,
    mark_words,
    read_sentences,
)

TEXT = "邀请上朋友办个晚宴"
A = ["邀", "请上", "朋友", "办", "个", "晚宴"]
B = ["邀", "请", "上", "朋友", "办", "个", "晚宴"]


def compare(text: str, a: list[str], b: list[str], **settings: int) -> dict:
    """Compare one sentence, and return its results by model."""
    (found,) = compare_words([TextLine("1", text)], [a], [b], **settings)
    results = zip(found.order, found.record["results"], strict=True)
    return {**found.record, **{model: result["marked"] for model, result in results}}


def test_words_that_differ_are_marked_as_in_table_2() -> None:
    found = compare(TEXT, A, B)
    assert found["A"] == "邀/请上*/朋友/办/个/晚宴/"
    assert found["B"] == "邀/请*/上*/朋友/办/个/晚宴/"
    assert {tuple(result["words"]) for result in found["results"]} == {tuple(A), tuple(B)}


def test_a_word_is_marked_by_its_span_and_not_by_its_letters() -> None:
    assert mark_words(["上", "上上"], ["上上", "上"]) == "上*/上上*/"


def test_sentences_with_equal_words_are_skipped() -> None:
    sentences = [TextLine(n, TEXT) for n in range(3)]
    found = list(compare_words(sentences, [A, A, B], [A, B, B]))
    assert [comparison.record["id"] for comparison in found] == [1]


@pytest.mark.parametrize(
    ("text", "a", "b", "places"),
    [
        (TEXT, A, B, ["请上"]),
        ("请 上\u3000朋友", ["请", "上", "朋友"], ["请上", "朋", "友"], ["请 上", "朋友"]),
        ("  请上 ", ["请", "上"], ["请上"], ["请上"]),
        ("请上朋友", ["请上", "朋友"], ["请", "上", "朋", "友"], ["请上", "朋友"]),
        ("请上朋友", ["请上", "朋友"], ["请", "上朋", "友"], ["请上朋友"]),
        ("好请上", ["好", "请上"], ["好", "请上"], []),
    ],
)
def test_differences_are_offsets_in_the_text(
    text: str, a: list[str], b: list[str], places: list[str]
) -> None:
    found = find_differences(text, a, b)
    assert [text[row["start_char"] : row["end_char"]] for row in found] == places


def cut(text: str, rng: random.Random) -> list[str]:
    """Split a text at random places, without its white space."""
    words: list[str] = []
    for character in "".join(text.split()):
        if words and rng.random() < 0.5:
            words[-1] += character
        else:
            words.append(character)
    return words


@given(st.text("上下 ", max_size=12), st.randoms(use_true_random=False))
def test_differences_cover_exactly_the_marked_words(text: str, rng: random.Random) -> None:
    a, b = cut(text, rng), cut(text, rng)
    found = find_differences(text, a, b)
    differing = "".join("".join(text[r["start_char"] : r["end_char"]].split()) for r in found)
    for one, other in ((a, b), (b, a)):
        marked = mark_words(one, other).split("/")
        assert "".join(word[:-1] for word in marked if word.endswith("*")) == differing
    for row in found:
        assert not text[row["start_char"]].isspace()
        assert not text[row["end_char"] - 1].isspace()


def test_white_space_between_and_around_words_is_ignored() -> None:
    found = compare(" 请上\t朋友 ", ["请上", "\t", "朋友"], ["请", "上", " 朋友"])
    assert found["text"] == " 请上\t朋友 "
    assert (found["A"], found["B"]) == ("请上*/朋友/", "请*/上*/朋友/")


def test_the_order_is_drawn_for_each_sentence_from_the_seed() -> None:
    sentences = [TextLine(n, TEXT) for n in range(200)]

    def orders(seed: int) -> list[tuple[str, ...]]:
        found = compare_words(sentences, [A] * 200, [B] * 200, seed=seed)
        return [comparison.order for comparison in found]

    first = orders(0)
    assert set(first) == {("A", "B"), ("B", "A")}
    assert 60 < first.count(("A", "B")) < 140
    assert first == orders(0) != orders(1)


def test_the_record_does_not_reveal_the_models() -> None:
    """Check that swapping the models changes only the order of the results."""
    one, turned = compare(TEXT, A, B), compare(TEXT, B, A)
    assert (one["A"], one["B"]) == (turned["B"], turned["A"])
    (found,) = compare_words([TextLine("1", TEXT)], [A], [B])
    assert set(found.record) == {"id", "text", "differences", "results"}
    assert all(set(result) == {"words", "marked"} for result in found.record["results"])
    assert found.to_key() == {"id": "1", "order": list(found.order)}


@pytest.mark.parametrize(("words", "message"), [([["邀请"]], "character 2"), ([], "words")])
def test_words_of_another_text_are_an_error(words: list[list[str]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(compare_words([TextLine("1", TEXT)], [A], words))


def test_sentences_are_read_and_bad_lines_reported(tmp_path: Path) -> None:
    lines = tmp_path / "a.txt"
    lines.write_bytes("\ufeff请上 朋友\n\n \u3000\n".encode() + b"\xff\n" + "上\r\n".encode())
    records = tmp_path / "b.jsonl"
    rows = [
        '{"id": 7, "text": "请"}', '{"text": "上\\n下"}', '{"id": "x"}', "nonsense", '{"text": ""}',
    ]  # fmt: skip
    records.write_text("\n".join(rows), encoding="utf8")
    bad: list[BadLine] = []
    assert list(read_sentences([lines, records], on_error=bad.append)) == [
        (f"{lines}:1", "请上 朋友"),
        (f"{lines}:5", "上"),
        (7, "请"),
        (f"{records}:2", "上\n下"),
    ]
    assert [line.place for line in bad] == [f"{lines}:4", f"{records}:3", f"{records}:4"]
    assert '"text"' in bad[1].reason
    assert "JSON" in bad[2].reason


# The command, with stand-ins for models: one returns characters, one pairs of characters.


def segment(nlp: SimpleNamespace, texts: Iterable[str]) -> Iterator[list[str]]:
    for text in texts:
        yield nlp.cut("".join(text.split()))


MODELS = {
    "characters": SimpleNamespace(cut=list),
    "pairs": SimpleNamespace(cut=lambda text: [text[i : i + 2] for i in range(0, len(text), 2)]),
}


@pytest.fixture
def _stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipelines, "load", lambda name, component: MODELS[name])
    monkeypatch.setattr(differences, "segment_texts", segment)


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["compare-words", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def read_records(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_bytes("请上\n\n好\n朋友 们\n".encode() + b"\xff\n" + "晚宴\n".encode())
    return path


@pytest.mark.usefixtures("_stand_ins")
def test_the_command_writes_sentences_key_and_errors(tmp_path: Path, texts: Path) -> None:
    out = tmp_path / "new" / "out.jsonl"
    result = run(texts, "--model", "characters", "--model", "pairs", "-o", out)
    records, keys = read_records(out), read_records(key_path(out))
    assert [record["text"] for record in records] == ["请上", "朋友 们", "晚宴"]
    assert [record["id"] for record in records] == [key["id"] for key in keys]
    for record, key in zip(records, keys, strict=True):
        one = dict(zip(key["order"], record["results"], strict=True))
        assert all(len(word) == 1 for word in one["A"]["words"])
    assert [row["place"] for row in read_records(errors_path(out))] == [f"{texts}:5"]
    assert "3 of 4" in result.stderr
    assert "1 bad" in result.stderr


@pytest.mark.usefixtures("_stand_ins")
def test_the_output_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    texts = tmp_path / "many.txt"
    texts.write_text("请上\n" * 40, encoding="utf8")
    outs = [tmp_path / f"{n}.jsonl" for n in range(3)]
    for out, seed in zip(outs, (3, 3, 4), strict=True):
        run(texts, "--model", "characters", "--model", "pairs", "-o", out, "--seed", seed)
    assert outs[0].read_bytes() == outs[1].read_bytes() != outs[2].read_bytes()


@pytest.mark.usefixtures("_stand_ins")
def test_the_command_stops_at_the_limit(tmp_path: Path, texts: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert (
        "2 of 3"
        in run(texts, "--model", "characters", "--model", "pairs", "-o", out, "--limit", 2).stderr
    )
    assert len(read_records(out)) == len(read_records(key_path(out))) == 2


@pytest.mark.usefixtures("_stand_ins")
def test_equal_models_give_an_empty_file_and_a_message(tmp_path: Path, texts: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert "4 sentences" in run(texts, "--model", "pairs", "--model", "pairs", "-o", out).stderr
    assert out.read_bytes() == key_path(out).read_bytes() == b""


@pytest.mark.usefixtures("_stand_ins")
def test_an_empty_file_gives_a_message(tmp_path: Path) -> None:
    texts = tmp_path / "empty.txt"
    texts.write_text("\n \n", encoding="utf8")
    out = tmp_path / "out.jsonl"
    assert "sentences" in run(texts, "--model", "characters", "--model", "pairs", "-o", out).stderr


@pytest.mark.usefixtures("_stand_ins")
def test_nothing_is_written_after_an_error(
    tmp_path: Path, texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "wrong", SimpleNamespace(cut=lambda text: [text[:1]]))
    out = tmp_path / "out.jsonl"
    assert (
        "segmenter"
        in run(texts, "--model", "characters", "--model", "wrong", "-o", out, code=1).stderr
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == [texts.name]


@pytest.mark.usefixtures("_stand_ins")
def test_the_input_is_not_overwritten(tmp_path: Path, texts: Path) -> None:
    before = texts.read_bytes()
    for out in (texts, tmp_path / "texts"):
        files = [texts] if out == texts else [key_path(out)]
        if out != texts:
            files[0].write_text("请上\n", encoding="utf8")
        assert (
            "output"
            in run(*files, "--model", "characters", "--model", "pairs", "-o", out, code=1).stderr
        )
    assert texts.read_bytes() == before

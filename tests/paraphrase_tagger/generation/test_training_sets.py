"""Labelled training sets: dropped and kept copies, resuming."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from spacy_sentid.files.resume import JobReport
from spacy_sentid.paraphrase_tagger.generation.copies import SAME
from spacy_sentid.paraphrase_tagger.generation.training_sets import NONE, augment_rows


def write(path: Path, *rows: dict | str) -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf8")
    return path


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf8").split("\n")[:-1]]


def stub(texts: list[str]) -> list[list[str]]:
    """Return three paraphrases: with a new word, in upper case, with the words reversed."""
    return [[f"{text} too", text.upper(), " ".join(reversed(text.split()))] for text in texts]


def augment(
    source: Path,
    output: Path,
    texts: tuple[str, ...] = ("sentence",),
    paraphrase: Callable = stub,
    n: int = 1,
) -> JobReport:
    return augment_rows(
        source,
        output,
        paraphrase,
        texts=texts,
        n=n,
        batch_size=2,
        models={"model": "stub"},
    )


SST2 = [
    {"sentence": text, "label": label, "idx": n}
    for n, (text, label) in enumerate(
        [("the cat sat", 1), ("a b, c", 0), (" ", 0), ("it is so", 1)]
    )
]


def test_copies_follow_their_row_with_its_labels(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", *SST2, "nonsense")
    report = augment(source, tmp_path / "out.jsonl", n=3)
    rows = read(tmp_path / "out.jsonl")
    assert [row["origin"] for row in rows[:4]] == [
        f"{source}:1", f"{source}:1#1", f"{source}:1#2", f"{source}:2"
    ]  # fmt: skip
    assert [row["sentence"] for row in rows if "#" not in row["origin"]] == [
        "the cat sat", "a b, c", "it is so"
    ]  # fmt: skip
    assert rows[2]["sentence"] == "sat cat the"
    for row in rows:
        number = {"1": (1, 0), "2": (0, 1), "4": (1, 3)}
        assert (row["label"], row["idx"]) == number[row["origin"].rpartition(":")[2][0]]
    assert report == (6, {SAME: 3}, 2)
    errors = read(tmp_path / "out.jsonl.errors.jsonl")
    assert errors[0] == {
        "place": f"{source}:3",
        "reason": "'sentence' must be a string with words, got ' '.",
    }
    assert errors[1]["place"] == f"{source}:5"


def test_labels_of_any_type_are_unchanged(tmp_path: Path) -> None:
    rows = [
        {"premise": "a b c", "hypothesis": "d e", "label": 2, "gold": {"votes": [1, None, 0.1]}},
        {"premise": "f g", "hypothesis": "h i", "label": None, "gold": "é\u2028\n"},
    ]
    source = write(tmp_path / "in.jsonl", *rows)
    augment(source, tmp_path / "out.jsonl", ("premise", "hypothesis"))
    found = [{**row, "origin": None} for row in read(tmp_path / "out.jsonl")]
    assert [found[0], found[2]] == [{**row, "origin": None} for row in rows]
    for row, copy in zip(rows, [found[1], found[3]], strict=True):
        assert list(copy) == [*row, "origin"]
        assert copy["label"] == row["label"]
        assert copy["gold"] == row["gold"]
        assert copy["premise"] == f"{row['premise']} too"
        assert copy["hypothesis"] == f"{row['hypothesis']} too"


def test_missing_paraphrases_are_counted(tmp_path: Path) -> None:
    rows = [{"a": "x y z", "b": "u v w"}, {"a": "x y", "b": "u v"}]
    source = write(tmp_path / "in.jsonl", *rows)

    def write_some(texts: list[str]) -> list[list[str]]:
        return [
            ["new words here", "more words here"] if text == "x y z" else ["words"]
            for text in texts
        ]

    report = augment(source, tmp_path / "out.jsonl", ("a", "b"), write_some, n=2)
    # The first row has one paraphrase of b, so one copy; the second has one of each.
    assert report == (2, {NONE: 2}, 0)


@pytest.mark.parametrize("n_calls", [0, 1, 2])
def test_an_interrupted_augmentation_ends_in_the_same_bytes(tmp_path: Path, n_calls: int) -> None:
    rows = [{"sentence": f"row number {n}" if n != 3 else " ", "label": n} for n in range(5)]
    source = write(tmp_path / "in.jsonl", *rows)
    whole, output = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    report = augment(source, whole, n=3)
    calls = 0

    def stop(texts: list[str]) -> list[list[str]]:
        nonlocal calls
        calls += 1
        if calls > n_calls:
            raise KeyboardInterrupt
        return stub(texts)

    with pytest.raises(KeyboardInterrupt):
        augment(source, output, paraphrase=stop, n=3)
    assert not output.exists()
    calls = -9
    assert augment(source, output, paraphrase=stop, n=3) == report
    assert calls == -9 + 3 - n_calls  # nothing is written twice
    for end in ("", ".errors.jsonl"):
        ours, other = (path.with_name(path.name + end) for path in (output, whole))
        assert ours.read_bytes() == other.read_bytes()
    assert not list(tmp_path.glob("*.job"))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"a": "x", "label": 1}, "'sentence'"),
        ({"sentence": "x", "origin": 1}, "'origin'"),
        ("", "in.jsonl:1"),
        ("sentence,label", "in.jsonl:1.*JSON"),
    ],
)
def test_invalid_input_is_an_error_before_anything_is_written(
    tmp_path: Path, row: dict | str, message: str
) -> None:
    source = write(tmp_path / "in.jsonl", row)
    with pytest.raises(ValueError, match=message):
        augment(source, tmp_path / "out.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]

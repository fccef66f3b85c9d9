"""Labelled training sets: formats, dropped and kept copies, diversity, resuming."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from spacy_sentid.files.records import BadLine
from spacy_sentid.paraphrase_tagger.generation.copies import SAME
from spacy_sentid.paraphrase_tagger.generation.rows import Row, read_rows
from spacy_sentid.paraphrase_tagger.generation.training_sets import (
    NONE,
    Augmentation,
    AugmentationReport,
    Diversity,
    augment_rows,
)

# Formats


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf8"))
    return path


def test_rows_of_json_lines_keep_their_types(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"s": "é", "label": 1, "more": [null, 2.5]}\n\n{"s": "b"}')
    assert list(read_rows(path)) == [
        Row(f"{path}:1", {"s": "é", "label": 1, "more": [None, 2.5]}),
        Row(f"{path}:3", {"s": "b"}),
    ]


def test_rows_of_csv_may_span_lines(tmp_path: Path) -> None:
    text = '\ufeffs,label\r\n"a ""b"", c\nd",0\r\n\r\ne,1\r\n'
    path = write(tmp_path / "a.csv", text)
    assert list(read_rows(path)) == [
        Row(f"{path}:2", {"s": 'a "b", c\nd', "label": "0"}),
        Row(f"{path}:5", {"s": "e", "label": "1"}),
    ]


def test_rows_of_tsv_have_no_quoting(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", 's\tlabel\n"a" he said, "b\t0\n\'\t1\n')
    assert [row.fields for row in read_rows(path) if isinstance(row, Row)] == [
        {"s": '"a" he said, "b', "label": "0"},
        {"s": "'", "label": "1"},
    ]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.jsonl", b'{"s": "x"}\nnonsense\n', "invalid JSON"),
        ("a.jsonl", b'{"s": "x"}\n["s"]\n', "each line must be a JSON object"),
        ("a.jsonl", b'{"s": "x"}\n{"s": "\xff"}\n', "the line must be UTF-8"),
        ("a.csv", b"s,label\na\n", "must have 2 cells, got 1."),
        ("a.csv", b"s,label\na,b,c\n", "must have 2 cells, got 3"),
        ("a.csv", b"s,label\n\xff,b\n", "the row must be UTF-8"),
        ("a.csv", b"s,label\n" + b"x" * 200_000 + b",1\n", "invalid CSV"),
        ("a.tsv", b"s\tlabel\na\n", "must have 2 cells, got 1"),
        ("a.tsv", b"s\tlabel\n\xff\tb\n", "the line must be UTF-8"),
    ],
)
def test_bad_rows_have_place_and_reason(
    tmp_path: Path, name: str, text: bytes, reason: str
) -> None:
    path = write(tmp_path / name, text)
    (bad,) = [row for row in read_rows(path) if isinstance(row, BadLine)]
    assert bad.place == f"{path}:2"
    assert bad.reason.startswith(reason)


@pytest.mark.parametrize(
    ("text", "last", "rows"),
    [
        ('s,label\n5,"He said no\n' + "x,1\n" * 994, 996, 0),
        ('s,label\n5,"He said no\nx,1\n7,"y",1\nz,1\n', 4, 1),
        ('s,label\n5,"He said" no\nz,1\n', 2, 1),
        ('s,label\n5,"He said no\n' + "x,1\n" * 50_000, None, None),
    ],
)
def test_rows_lost_to_a_stray_quote_are_reported(
    tmp_path: Path, text: str, last: int | None, rows: int | None
) -> None:
    path = write(tmp_path / "a.csv", text)
    found = list(read_rows(path))
    (bad,) = [row for row in found if isinstance(row, BadLine)]
    assert bad.place == f"{path}:2"
    assert "CSV" in bad.reason
    reported = re.search(r"spans line 2 to line ([\d,]+)", bad.reason)
    n_lines = text.count("\n")
    end = int(reported[1].replace(",", "")) if reported else 2
    if last is not None:
        assert end == last
        assert len(found) - 1 == rows
    # Each line is a row, or reported as lost.
    assert 1 + (end - 2 + 1) + len(found) - 1 == n_lines


def test_lost_rows_are_errors_of_an_augmentation(tmp_path: Path) -> None:
    rows = [f"{n},text {n}" for n in range(1000)]
    rows[5] = '5,"He said no'
    source = write(tmp_path / "in.csv", "id,sentence\n" + "\n".join(rows) + "\n")
    report = augment(source, tmp_path / "out.csv")
    assert (report.n_rows, report.n_errors) == (5, 1)
    (error,) = (tmp_path / "out.csv.errors.jsonl").read_text().splitlines()
    assert "line 7 to line 1,001" in json.loads(error)["reason"]


# The job


def stub(texts: list[str], seed: int) -> list[list[str]]:
    """Return three paraphrases: with a new word, in upper case, with the words reversed."""
    return [
        [f"{text} {seed % 1000}", text.upper(), " ".join(reversed(text.split()))] for text in texts
    ]


def augment(
    source: Path,
    output: Path,
    texts: tuple[str, ...] = ("sentence",),
    paraphrase: Callable = stub,
    **settings,
) -> AugmentationReport:
    return augment_rows(
        source,
        output,
        paraphrase,
        augmentation=Augmentation(texts, **settings),
        batch_size=2,
        settings={"model": "stub"},
    )


SST2 = 'sentence,label,idx\nthe cat sat,1,0\n"a b, c",0,1\n ,0,2\nit is so,1,3\n'


def test_copies_follow_their_row_with_its_labels(tmp_path: Path) -> None:
    source = write(tmp_path / "in.csv", SST2)
    report = augment(source, tmp_path / "out.csv", n=3)
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["origin"] for row in rows[:4]] == [
        f"{source}:2", f"{source}:2#1", f"{source}:2#2", f"{source}:3"
    ]  # fmt: skip
    assert [row["sentence"] for row in rows if "#" not in row["origin"]] == [
        "the cat sat", "a b, c", "it is so"
    ]  # fmt: skip
    assert rows[2]["sentence"] == "sat cat the"
    for row in rows:
        number = {"2": ("1", "0"), "3": ("0", "1"), "5": ("1", "3")}
        assert (row["label"], row["idx"]) == number[row["origin"].rpartition(":")[2][0]]
    assert (report.n_rows, report.n_copies, report.n_errors) == (3, 6, 1)
    assert report.dropped == {SAME: 3}
    (error,) = (tmp_path / "out.csv.errors.jsonl").read_text().splitlines()
    assert json.loads(error) == {
        "place": f"{source}:4",
        "reason": "'sentence' must be a string with words, got ' '.",
    }


def test_labels_of_any_type_are_unchanged(tmp_path: Path) -> None:
    rows = [
        {"premise": "a b c", "hypothesis": "d e", "label": 2, "gold": {"votes": [1, None, 0.1]}},
        {"premise": "f g", "hypothesis": "h i", "label": None, "gold": "é\u2028\n"},
    ]
    source = write(tmp_path / "in.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    augment(source, tmp_path / "out.jsonl", ("premise", "hypothesis"), n=1, origin=None)
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf8").split("\n")[:-1]
    found = [json.loads(line) for line in lines]
    assert [found[0], found[2]] == rows
    for row, copy in zip(rows, [found[1], found[3]], strict=True):
        assert list(copy) == list(row)
        assert copy["label"] == row["label"]
        assert copy["gold"] == row["gold"]
        assert copy["premise"].startswith(f"{row['premise']} ")
        assert copy["hypothesis"].startswith(f"{row['hypothesis']} ")


def test_tsv_can_become_csv(tmp_path: Path) -> None:
    source = write(tmp_path / "in.tsv", 'sentence\tlabel\nthe "cat", sat\t1\n')
    augment(source, tmp_path / "out.tsv", origin=None)
    assert (tmp_path / "out.tsv").read_text().startswith(source.read_text())
    augment(source, tmp_path / "out.csv", origin=None)
    assert (tmp_path / "out.csv").read_text().startswith('sentence,label\n"the ""cat"", sat",1\n')


def test_missing_paraphrases_are_counted(tmp_path: Path) -> None:
    source = write(tmp_path / "in.csv", "a,b,label\nx y z,u v w,1\nx y,u v,0\n")

    def write_some(texts: list[str], seed: int) -> list[list[str]]:
        return [
            ["new words here", "more words here"] if text == "x y z" else ["words"]
            for text in texts
        ]

    report = augment(source, tmp_path / "out.csv", ("a", "b"), write_some, n=2)
    # The first row has one paraphrase of b, so one copy; the second has one of each.
    assert (report.n_copies, report.dropped) == (2, {NONE: 2})


def test_diversity_is_the_mean_over_all_and_over_kept_copies(
    tmp_path: Path,
) -> None:
    source = write(tmp_path / "in.csv", "a,b,label\nx y z,u v,1\nx y,u v,0\n")

    def rewrite(texts: list[str], seed: int) -> list[list[str]]:
        return [[{"x y z": "x y w"}.get(text, text)] for text in texts]

    report = augment(source, tmp_path / "out.csv", ("a", "b"), rewrite)
    # a shares one of two bigrams, then all; b shares all. The second copy is the row itself.
    assert report.dropped == {SAME: 1}
    assert report.diversity == [Diversity("a", 2, 0.75, 1, 0.5), Diversity("b", 2, 1, 1, 1)]


def test_diversity_without_copies_is_none(tmp_path: Path) -> None:
    source = write(tmp_path / "in.csv", SST2)
    report = augment(source, tmp_path / "out.csv", paraphrase=lambda t, s: [[] for _ in t])
    assert report.diversity == [Diversity("sentence", 0, None, 0, None)]
    assert report.dropped == {NONE: 3}


def test_the_seed_reaches_each_block_and_field(tmp_path: Path) -> None:
    source = write(tmp_path / "in.csv", "a,b\n" + "x y,u v\n" * 5)
    seeds: dict[str, list[int]] = {}
    for name, seed in (("one", 0), ("two", 0), ("three", 1)):

        def note(texts: list[str], block_seed: int, name: str = name) -> list[list[str]]:
            seeds.setdefault(name, []).append(block_seed)
            return stub(texts, block_seed)

        augment(source, tmp_path / f"{name}.csv", ("a", "b"), note, seed=seed)
    assert len(set(seeds["one"])) == 6
    assert seeds["one"] == seeds["two"] != seeds["three"]
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    assert (tmp_path / "one.csv").read_bytes() != (tmp_path / "three.csv").read_bytes()


@pytest.mark.parametrize("n_calls", [0, 1, 2])
@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_an_interrupted_augmentation_ends_in_the_same_bytes(
    tmp_path: Path, n_calls: int, suffix: str
) -> None:
    rows = [{"sentence": f"row number {n}" if n != 3 else " ", "label": str(n)} for n in range(5)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if suffix == ".csv":
        text = "sentence,label\n" + "".join(",".join(row.values()) + "\n" for row in rows)
    source = write(tmp_path / f"in{suffix}", text)
    whole, output = tmp_path / f"whole{suffix}", tmp_path / f"out{suffix}"
    report = augment(source, whole, n=3)
    calls = 0

    def stop(texts: list[str], seed: int) -> list[list[str]]:
        nonlocal calls
        calls += 1
        if calls > n_calls:
            raise KeyboardInterrupt
        return stub(texts, seed)

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
    ("name", "text", "output", "settings", "message"),
    [
        ("in.txt", "", "out.csv", {}, r"in\.txt"),
        ("in.csv", SST2, "out.tsv", {}, r"\.csv"),
        ("in.jsonl", "{}", "out.csv", {}, r"\.jsonl"),
        ("in.csv", SST2, "in.csv", {}, "output"),
        ("in.csv", "", "out.csv", {}, "header"),
        ("in.csv", "sentence,label\n", "out.csv", {}, "row"),
        ("in.csv", "a,a\nx,y\n", "out.csv", {}, "in.csv:1: .*'a'"),
        ("in.csv", "a,label\nx,y\n", "out.csv", {}, "'sentence'"),
        ("in.csv", SST2, "out.csv", {"origin": "idx"}, "'idx'"),
    ],
)  # fmt: skip
def test_invalid_input_is_an_error_before_anything_is_written(
    tmp_path: Path, name: str, text: str, output: str, settings: dict, message: str
) -> None:
    source = write(tmp_path / name, text)
    with pytest.raises(ValueError, match=message):
        augment(source, tmp_path / output, **settings)
    assert [path.name for path in tmp_path.iterdir()] == [name]

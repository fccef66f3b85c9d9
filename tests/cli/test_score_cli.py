"""The command `spacy-sentid score`: input files, records, errors, and resuming."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from stand_in import PROB, make_stand_in
from typer.testing import CliRunner, Result

from spacy_sentid.arrays import sigmoid
from spacy_sentid.cli import app
from spacy_sentid.paraphrase_tagger.nlg import score_records

pytestmark = pytest.mark.usefixtures("light_processes")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "stand_in"
    make_stand_in().to_disk(folder)
    return folder


@pytest.fixture
def run(model: Path):
    def invoke(*arguments: object, code: int = 0) -> Result:
        command = ["score", *map(str, arguments), "--model", str(model)]
        result = CliRunner().invoke(app, command)
        assert result.exit_code == code, (result.output, result.exception)
        return result

    return invoke


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


SCORE = re.compile(r"-?\d+\.\d+")


def assert_same_files(folder: Path, *names: str) -> None:
    for end in ("jsonl", "jsonl.errors.jsonl"):
        first, second = (folder / f"{name}.{end}" for name in names)
        assert first.read_bytes() == second.read_bytes()


@pytest.fixture
def files(tmp_path: Path) -> list[object]:
    hyp = write(tmp_path / "hyp.txt", "Sales rose .\nIt rains\n")
    ref = write(tmp_path / "ref.txt", "Sales fell sharply .\nIt pours\n")
    return ["--hyp", hyp, "--ref", ref]


def test_records_have_scores_spans_and_words(run, files, tmp_path):
    out = tmp_path / "new" / "out.jsonl"
    done = run(*files, "--output", out)
    first, second = read(out)
    assert first == {
        "id": 1, "p": 1.0, "r": 0.0, "f": 0.4286,
        "supported_p": 0.5, "supported_r": 0.3333, "supported_f": 0.4,
        "rouge1_p": 0.5, "rouge2_p": 0.0, "score": 0.4286,
        "hyp_spans": [
            {"start_char": 6, "end_char": 10, "text": "rose", "score": PROB, "kind": "content"}
        ],
        "hyp_words": [["Sales", 0, 5, 3.0], ["rose", 6, 10, -3.0], [".", 11, 12, 3.0]],
        "ref_spans": [
            {
                "start_char": 6, "end_char": 18, "text": "fell sharply", "score": PROB,
                "kind": "content",
            }
        ],
        "ref_words": [
            ["Sales", 0, 5, 3.0], ["fell", 6, 10, -3.0], ["sharply", 11, 18, -3.0],
            [".", 19, 20, 3.0],
        ],
    }  # fmt: skip
    assert (second["id"], second["p"], second["r"], second["f"]) == (2, 0, 0, 0)
    assert done.stdout.splitlines() == [
        "2 pairs               P       R       F",
        "supported words  25.0 %  16.7 %  20.0 %",
        "log-odds           0.50    0.00    0.21",
        "ROUGE-1          50.0 %",
        "ROUGE-2           0.0 %",
        "",
        "unsupported spans  text  reference",
        "content               2          2",
    ]
    assert done.stderr.splitlines() == [
        "The references support 25% of the words of the texts.",
        "The texts support 17% of the words of the references.",
    ]
    names = sorted(path.name for path in out.parent.iterdir())
    assert names == ["out.jsonl", "out.jsonl.manifest.json"]


def test_without_out_the_most_severe_spans_are_printed(run, tmp_path):
    texts = ["Sales rose a lot .", "It cost 3 euros .", "It will rain ."]
    hyp = write(tmp_path / "hyp.txt", "\n".join(texts))
    ref = write(tmp_path / "ref.txt", "Sales rose .\nIt cost euros .\nIt rain .")
    before = sorted(tmp_path.iterdir())
    lines = run("--hyp", hyp, "--ref", ref, "--perspective", "p").stdout.splitlines()
    rows = [line.split() for line in lines]
    assert rows[:2] == [["3", "pairs", "P"], ["supported", "words", "61.1", "%"]]
    assert rows[6:] == [
        ["unsupported", "spans", "text"], ["number", "1"], ["modality", "1"], ["content", "1"],
        [], ["kind", "id", "of", "span"], ["number", "2", "text", "3"],
        ["modality", "3", "text", "will"], ["content", "1", "text", "a", "lot"],
    ]  # fmt: skip
    assert sorted(tmp_path.iterdir()) == before


def test_the_blend_is_printed_and_written(run, files, tmp_path):
    out = tmp_path / "out.jsonl"
    done = run(*files, "--blend", "--output", out)
    first, _ = read(out)
    prob = (4 * sigmoid(3) + 3 * sigmoid(-3)) / 7
    assert first["blend"] == pytest.approx((first["chrf"] + prob) / 2, abs=1e-4)
    assert "chrF" in done.stdout
    assert "blend" in run(*files, "--blend", "--perspective", "p", code=1).stderr


def test_scores_are_written_as_a_table(run, files, tmp_path):
    run(*files, "--output", tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0].split(",")[:5] == ["id", "p", "r", "f", "supported_p"]
    assert lines[1].split(",")[:5] == ["1", "1.0", "0.0", "0.4286", "0.5"]
    assert len(lines) == 3


def test_scores_of_other_perspectives_are_empty(run, files, tmp_path):
    out = tmp_path / "out.jsonl"
    run(*files, "--perspective", "r", "--output", out)
    first = read(out)[0]
    assert (first["p"], first["r"], first["f"], first["score"]) == (None, 0, None, 0)
    assert first["hyp_words"] == first["hyp_spans"] == []


def test_a_file_of_pairs_has_the_same_scores_as_files_of_lines(run, files, tmp_path):
    lines = [
        {"hyp": "Sales rose .", "ref": "Sales fell sharply .", "id": 1},
        {"hyp": "It rains", "ref": ["It pours"], "id": 2},
    ]
    text = "\ufeff" + "\n\n".join(map(json.dumps, lines))
    run("--pairs", write(tmp_path / "pairs.jsonl", text), "--output", tmp_path / "a.jsonl")
    run(*files, "--output", tmp_path / "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


@pytest.mark.parametrize(("aggregate", "p"), [("max", 3), ("mean", 1.5)])
def test_several_references_are_aggregated(run, tmp_path, aggregate, p):
    hyp = write(tmp_path / "hyp.txt", "It rains")
    refs = [write(tmp_path / f"{i}.txt", text) for i, text in enumerate(["It pours", "It rains !"])]
    out = tmp_path / "out.jsonl"
    options = ["--aggregate", aggregate, "--output", out]
    run("--hyp", hyp, "--ref", refs[0], "--ref", refs[1], *options)
    (record,) = read(out)
    assert (record["p"], record["best"]) == (p, 1)
    assert [(one["p"], one["r"], one["f"]) for one in record["refs"]] == [(0, 0, 0), (3, 1, 1.8)]
    assert [word[0] for word in record["ref_words"]] == ["It", "rains", "!"]


def test_files_must_have_the_same_number_of_lines(run, files, tmp_path):
    write(tmp_path / "ref.txt", "a\n")
    message = run(*files, "--output", tmp_path / "out.jsonl", code=1).stderr
    assert "same number of lines, got 2" in message
    assert not (tmp_path / "out.jsonl").exists()


BAD_PAIRS = b"""{"id": "good", "hyp": "a b", "ref": "a"}
nonsense
["a"]
{"id": 3, "hyp": "a"}
{"id": [1], "hyp": "a", "ref": "b"}
{"id": "empty", "hyp": " ", "ref": "a"}
{"id": "same", "hyp": "a b", "ref": ["b", "a  b"]}
{"id": "nan", "hyp": "a nan", "ref": "a"}
{"id": "bytes", "hyp": "\xff", "ref": "a"}
{"id": "last", "hyp": "b", "ref": "a"}
"""


def test_bad_lines_are_reported_and_do_not_end_the_run(run, tmp_path):
    source = write(tmp_path / "pairs.jsonl", BAD_PAIRS)
    out = tmp_path / "out.jsonl"
    done = run("--pairs", source, "--output", out)
    assert [record["id"] for record in read(out)] == ["good", "last"]
    errors = read(tmp_path / "out.jsonl.errors.jsonl")
    errors.sort(key=lambda error: error["place"])
    assert [error["place"] for error in errors] == [f"{source}:{n}" for n in range(2, 10)]
    parts = [
        "JSON object", "JSON object", "'hyp'", "'id'", "have words", "its own reference",
        "finite", "UTF-8",
    ]  # fmt: skip
    for error, part in zip(errors, parts, strict=True):
        assert part in error["reason"]
    assert "8 of 10" in done.stderr
    assert "out.jsonl.errors.jsonl" in done.stderr


def test_only_the_faulty_pair_of_a_failed_batch_is_lost(run, tmp_path):
    hyps = ["a", "b", "refuse", "c", "nan", "d", "refuse"]
    hyp = write(tmp_path / "hyp.txt", "\n".join(hyps))
    ref = write(tmp_path / "ref.txt", "x\n" * len(hyps))
    out = tmp_path / "out.jsonl"
    run("--hyp", hyp, "--ref", ref, "--output", out)
    assert [record["id"] for record in read(out)] == [1, 2, 4, 6]
    errors = read(tmp_path / "out.jsonl.errors.jsonl")
    assert [error["place"] for error in errors] == [f"{hyp}:{n}" for n in (3, 5, 7)]
    assert "refuse" in errors[0]["reason"]


def test_shards_do_not_change_the_bytes(run, tmp_path):
    source = write(tmp_path / "pairs.jsonl", many(200))
    run("--pairs", source, "--output", tmp_path / "a.jsonl")
    run("--pairs", source, "--output", tmp_path / "b.jsonl", "--shard-size", 0.001)
    assert_same_files(tmp_path, "a", "b")


def test_bad_lines_of_text_files_are_reported(run, tmp_path):
    hyp = write(tmp_path / "hyp.txt", b"a\n\nb\nsame\n\xff\nlast")
    ref = write(tmp_path / "ref.txt", b"b\na\n\xff\nsame\na\na\r\n")
    out = tmp_path / "out.jsonl"
    run("--hyp", hyp, "--ref", ref, "--output", out)
    assert [record["id"] for record in read(out)] == [1, 6]
    errors = read(tmp_path / "out.jsonl.errors.jsonl")
    assert {error["place"] for error in errors} == {
        f"{hyp}:2", f"{ref}:3", f"{hyp}:4", f"{hyp}:5"
    }  # fmt: skip
    run("--hyp", hyp, "--ref", ref, "--output", out, "--allow-identical", "--overwrite")
    assert [record["id"] for record in read(out)] == [1, 4, 6]


def test_a_run_without_errors_removes_those_of_an_earlier_one(run, files, tmp_path):
    errors = write(tmp_path / "out.jsonl.errors.jsonl", "{}\n")
    run(*files, "--output", tmp_path / "out.jsonl")
    assert not errors.exists()


def test_only_bad_lines_are_an_error(run, tmp_path):
    source = write(tmp_path / "pairs.jsonl", "nonsense\n{}\n")
    out = tmp_path / "out.jsonl"
    message = run("--pairs", source, "--output", out, code=1).stderr
    assert "2 pairs" in message
    assert "pairs.jsonl:1" in message
    assert len(read(tmp_path / "out.jsonl.errors.jsonl")) == 2


def many(n: int, *, boom: int | None = None) -> str:
    rows = []
    for i in range(n):
        hyp = "" if i % 7 == 3 else "nan" if i % 11 == 5 else f"a b {i}"
        rows.append({"id": i, "hyp": "boom" if i == boom else hyp, "ref": f"a {i}. c {i % 3}."})
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_an_interrupted_run_resumes(run, tmp_path, monkeypatch):
    source = write(tmp_path / "pairs.jsonl", many(300))
    run("--pairs", source, "--output", tmp_path / "whole.jsonl")
    out = tmp_path / "out.jsonl"
    scored: list[Any] = []
    stream_scores = score_records.stream_scores

    def stop_after_150(nlp, pairs, **settings):
        scored.extend(pairs)
        if len(scored) > 150:
            raise KeyboardInterrupt
        return stream_scores(nlp, pairs, **settings)

    command = ["--pairs", source, "--output", out, "--shard-size", 0.001]
    with monkeypatch.context() as patch:
        patch.setattr(score_records, "stream_scores", stop_after_150)
        run(*command, code=130)
    assert not out.exists()
    assert "perspective" in run(*command, "--perspective", "p", code=1).stderr

    def count(nlp, pairs, **settings):
        scored.extend(pairs)
        return stream_scores(nlp, pairs, **settings)

    scored.clear()
    monkeypatch.setattr(score_records, "stream_scores", count)
    run(*command)
    assert len({pair.id for pair in scored}) < 200
    assert_same_files(tmp_path, "whole", "out")
    assert not (tmp_path / "out.jsonl.job").exists()
    run(*command)  # prints the means again


def test_records_go_to_standard_output_and_means_to_stderr(run, files):
    done = run(*files, "--output", "-")
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]
    assert "0.21" in done.stderr


def test_scores_are_written_as_parquet(run, files, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    run(*files, "--output", tmp_path / "out.parquet")
    first, _ = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert (first["id"], first["p"], first["refs"]) == ("1", 1.0, None)
    assert first["hyp_words"][0] == {
        "text": "Sales", "start_char": 0, "end_char": 5, "support": 3.0
    }  # fmt: skip


@pytest.mark.parametrize("names", [[], ["--hyp"], ["--ref"], ["--pairs", "--hyp"]])
def test_exactly_one_source_of_pairs_is_needed(run, tmp_path, names):
    path = write(tmp_path / "a.txt", "a\n")
    arguments = [argument for name in names for argument in (name, path)]
    assert "--pairs" in run(*arguments, code=1).stderr


def test_the_output_must_not_be_an_input(run, tmp_path):
    source = write(tmp_path / "pairs.jsonl", many(2))
    assert "output" in run("--pairs", source, "--output", source, code=1).stderr
    assert source.read_text() == many(2)


def test_empty_files_are_errors(run, tmp_path):
    empty = write(tmp_path / "a.txt", "")
    assert "pairs" in run("--hyp", empty, "--ref", empty, code=1).stderr
    assert "pairs" in run("--pairs", write(tmp_path / "a.jsonl", ""), code=1).stderr


def test_several_processes_write_the_same_records(tmp_path):
    # This test uses the bundled tagger, as new processes do not have the mocked one.
    source = write(tmp_path / "pairs.data", many(200))
    for name, options in {"a": [], "b": ["--n-process", "2"]}.items():
        command = ["score", "--pairs", str(source), "--output", str(tmp_path / f"{name}.jsonl")]
        command += ["--shard-size", "0.001"]
        done = CliRunner().invoke(app, [*command, *options])
        assert done.exit_code == 0, done.output
    one, two = ((tmp_path / f"{name}.jsonl").read_text(encoding="utf8") for name in "ab")
    # New processes compute with one thread each, this one with all that numpy finds. The number of
    # threads changes the last bits of a product, and rarely the last printed digit.
    assert SCORE.split(one) == SCORE.split(two)
    scores = [[float(score) for score in SCORE.findall(text)] for text in (one, two)]
    assert scores[0] == pytest.approx(scores[1], abs=2e-4)

"""The commands of paraphrase generation: a small run of the paper's loop, bad lines, resuming."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from spacy.language import Language
from stand_in import make_stand_in
from typer.testing import CliRunner, Result

pytest.importorskip("transformers")

from tiny_seq2seq import PAIRS, make_bart

from spacy_sentid.cli import app
from spacy_sentid.paraphrase_tagger.generation.options import Training
from spacy_sentid.paraphrase_tagger.generation.prompts import build_prompt
from spacy_sentid.paraphrase_tagger.generation.seq2seq import train_generator

G1 = "It covers some of the same ground as Spotlight but has nothing new to add."
G2 = "It revisits the same topic as Spotlight, but does not say anything new."


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result


def fail(*arguments: object) -> str:
    """Run a command that must fail, and return its message."""
    message = run(*arguments, code=1).stderr
    assert message.splitlines()[-1].startswith("Error: ")
    return message


def write_records(path: Path, *records: object) -> Path:
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf8")
    return path


def read_records(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A file of 24 paraphrases, a pair of unrelated texts, and a bad line."""
    records = [{"text1": f"it rose {n}", "text2": f"it grew {n}"} for n in range(24)]
    words = ["not", "the", "same"]
    wrong = {"sent1": words, "sent2": ["x"], "tags1": [0, 1, 0], "tags2": [1]}
    return write_records(tmp_path / "pairs.jsonl", *records, wrong, "nonsense")


@pytest.fixture(scope="module")
def generator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a tiny generator that has learned four pairs."""
    folder = tmp_path_factory.mktemp("generator")
    start = make_bart(folder / "start", dropout=0.0)
    training = Training(epochs=60, batch_size=4, learning_rate=0.01)
    train_generator(PAIRS, folder / "model", model=str(start), training=training)
    return folder / "model"


# paraphrase prompts


def test_prompts_are_written_and_bad_lines_reported(pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "prompts.jsonl"
    done = run("paraphrase", "prompts", pairs, out, "--n", 3, "--seed", 4)
    assert "24 of 25 pairs" in done.stderr
    assert f"{out}.errors.jsonl" in done.stderr
    prompts = read_records(out)
    assert [record["id"] for record in prompts] == ["prompt-1", "prompt-2", "prompt-3"]
    assert all(record["prompt"].count("Premise: ") == 20 for record in prompts)
    assert read_records(tmp_path / "prompts.jsonl.errors.jsonl")[0]["place"] == f"{pairs}:26"
    before = out.read_bytes()
    run("paraphrase", "prompts", pairs, out, "--n", 3, "--seed", 4)
    assert out.read_bytes() == before
    run("paraphrase", "prompts", pairs, out, "--n", 3, "--seed", 5)
    assert out.read_bytes() != before
    few = write_records(tmp_path / "few.jsonl", {"text1": "a", "text2": "b"})
    assert "20" in fail("paraphrase", "prompts", few, out)


def language_model(folder: Path, *, broken: bool = False) -> str:
    """Write a program that continues a prompt, and ends in the middle of a pair."""
    program = folder / "model.py"
    answer = build_prompt([(G1, G2)]) + "Premise: It co"
    program.write_text(
        "import sys\n"
        "prompt = sys.stdin.read()\n"
        f"if {broken}: sys.exit('too long')\n"
        f"print(prompt.splitlines()[0]); print(prompt.splitlines()[1]); print({answer!r})\n"
    )
    return shlex.join([sys.executable, str(program)])


def test_answers_of_a_command_become_candidates(pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    done = run("paraphrase", "prompts", pairs, out, "--n", 4, "--command", language_model(tmp_path))
    assert "4 answers." in done.stderr
    kept = tmp_path / "candidates.jsonl"
    done = run("paraphrase", "select", out, kept)
    rows = [line.rsplit(maxsplit=1) for line in done.stderr.splitlines()]
    assert ["kept", "1"] in rows
    assert ["dropped: duplicate", "3"] in rows
    (record,) = read_records(kept)
    assert (record["id"], record["text1"], record["text2"]) == ("prompt-1.2", G1, G2)


def test_a_command_that_never_answers_is_one_error(pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    command = language_model(tmp_path, broken=True)
    assert "too long" in fail("paraphrase", "prompts", pairs, out, "--command", command)
    assert "no-such-program" in fail(
        "paraphrase", "prompts", pairs, out, "--command", "no-such-program -x"
    )
    assert "--command" in fail("paraphrase", "prompts", pairs, out, "--command", " ")
    assert not list(tmp_path.glob("answers*"))


def test_prompts_do_not_overwrite_their_pairs(pairs: Path, tmp_path: Path) -> None:
    before = pairs.read_bytes()
    other = write_records(tmp_path / "other.jsonl", {"text1": "a", "text2": "b"})
    (tmp_path / "link.jsonl").symlink_to(pairs)
    for out in (pairs, tmp_path / "link.jsonl"):
        for more in ([], ["--command", language_model(tmp_path)]):
            assert "output" in fail("paraphrase", "prompts", other, pairs, out, *more)
    assert pairs.read_bytes() == before


# paraphrase select


def test_pairs_are_filtered_and_then_chosen_by_the_tagger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tagger = "my-tagger"

    def load(name: str, component: str) -> Language:
        assert name == tagger
        return make_stand_in()

    monkeypatch.setattr("spacy_sentid.components.pipelines.load", load)
    same = {"id": "same", "text1": "it rose in the hall", "text2": "in the hall it rose"}
    source = write_records(tmp_path / "in.jsonl", {"id": "g", "text1": G1, "text2": G2}, same)
    out = tmp_path / "out.jsonl"
    run("paraphrase", "select", source, out, "--tagger", tagger, "--theta", 0, "--no-filters")
    assert [record["id"] for record in read_records(out)] == ["same"]
    run("paraphrase", "select", source, out, "--tagger", tagger, "--theta", 1, "--no-filters")
    tagged = read_records(out)
    assert [record["id"] for record in tagged] == ["g", "same"]
    run("paraphrase", "select", out, tmp_path / "chosen.jsonl")
    assert [record["id"] for record in read_records(tmp_path / "chosen.jsonl")] == ["same"]


def test_the_bundled_tagger_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str, component: str) -> Language:
        assert name == "en"
        return make_stand_in()

    monkeypatch.setattr("spacy_sentid.components.pipelines.load", load)
    source = write_records(tmp_path / "in.jsonl", {"text1": G1, "text2": G2})
    out = tmp_path / "out.jsonl"
    run("paraphrase", "select", source, out, "--tagger", "en", "--theta", 1)
    assert read_records(out)[0]["tags1"][:3] == [0, 1, 1]


def test_invalid_selections_are_an_error(tmp_path: Path) -> None:
    source = write_records(tmp_path / "in.jsonl", {"text1": G1, "text2": G2})
    out = tmp_path / "out.jsonl"
    assert "output" in fail("paraphrase", "select", source, source)
    assert "no-such" in fail("paraphrase", "select", source, out, "--tagger", "no-such")
    run("paraphrase", "select", source, out, "--theta", 2, code=2)
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_help_lists_the_possible_taggers() -> None:
    text = " ".join(run("paraphrase", "select", "--help").stdout.split())
    assert "language with bundled weights ('en')" in text


# paraphrase train, generate


def test_a_training_does_not_overwrite_a_foreign_folder(tmp_path: Path) -> None:
    start = make_bart(tmp_path / "start")
    source = write_records(tmp_path / "pairs.jsonl", {"text1": "it rose", "text2": "it grew"})
    names = {path.name for path in start.iterdir()}
    message = fail("paraphrase", "train", source, start, "--model", start, "--epochs", 1)
    assert str(start) in message
    assert {path.name for path in start.iterdir()} == names


def test_a_training_saves_a_model_and_reports_skipped_pairs(tmp_path: Path) -> None:
    start = make_bart(tmp_path / "start")
    records = [{"text1": one, "text2": other} for one, other in PAIRS]
    wrong = {"sent1": ["the"], "sent2": ["rain"], "tags1": [1], "tags2": [1]}
    source = write_records(tmp_path / "pairs.jsonl", *records, wrong, "nonsense")
    out = tmp_path / "model"
    settings = ["--model", start, "--epochs", 2, "--batch-size", 2]
    done = run("paraphrase", "train", source, out, *settings, "--both-directions")
    assert "1 of 5 pairs" in done.stderr
    assert "1 bad" in done.stderr
    assert "10 examples" in done.stderr
    log = json.loads((out / "training.json").read_text())
    assert log["settings"]["both_directions"] is True
    assert log["settings"]["learning_rate"] == 5e-5
    empty = write_records(tmp_path / "empty.jsonl", "nonsense")
    assert "pair" in fail("paraphrase", "train", empty, out, *settings)
    assert "seq2seq" in fail("paraphrase", "train", source, out, "--model", tmp_path)


def test_a_missing_package_is_an_error(tmp_path: Path) -> None:
    source = write_records(tmp_path / "pairs.jsonl", {"text1": "it rose", "text2": "it grew"})
    # The patch ends within the test, as plugins of pytest use torch after it.
    with pytest.MonkeyPatch.context() as patch:
        module = "spacy_sentid.paraphrase_tagger.generation.seq2seq"
        patch.delitem(sys.modules, module, raising=False)
        patch.setitem(sys.modules, "torch", None)
        message = fail("paraphrase", "train", source, tmp_path / "out")
    assert "'torch'" in message
    assert "spacy-sentid[transformers]" in message


ROWS = [
    {"sentence": "the cat sat on the mat", "label": 1},
    {"sentence": "", "label": 0},
    {"sentence": "he left the house", "label": 0},
]


def table_of(result: Result) -> dict[str, str]:
    """Read the table of kept and dropped copies."""
    rows = [line.rsplit(maxsplit=1) for line in result.stderr.splitlines()]
    return dict(row for row in rows if row[0].startswith(("kept", "dropped")))


def test_a_training_set_gets_copies(generator: Path, tmp_path: Path) -> None:
    source, out = write_records(tmp_path / "in.jsonl", *ROWS), tmp_path / "out.jsonl"
    arguments = ["paraphrase", "generate", source, out, "--model", generator, "--text", "sentence"]
    done = run(*arguments)
    assert [(row["sentence"], row["label"]) for row in read_records(out)] == [
        ("the cat sat on the mat", 1),
        ("a cat was sitting on the mat", 1),
        ("he left the house", 0),
        ("he went out of the house", 0),
    ]
    assert table_of(done) == {"kept": "2"}
    assert "1 bad" in done.stderr
    assert "output" in fail("paraphrase", "generate", source, source, *arguments[4:])


def test_a_tagger_drops_copies_with_another_meaning(
    generator: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str, component: str) -> Language:
        assert (name, component) == ("en", "paraphrase_tagger")
        return make_stand_in()

    monkeypatch.setattr("spacy_sentid.components.pipelines.load", load)
    source, out = write_records(tmp_path / "in.jsonl", *ROWS), tmp_path / "out.jsonl"
    arguments = ["paraphrase", "generate", source, out, "--model", generator, "--text", "sentence"]
    # In the first copy, 3 of 7 words are new (a, was, sitting); in the second, 3 of 6 (went, out,
    # of).
    for theta, n in [(0, 0), (0.43, 1), (0.5, 2), (0.05, 0)]:
        table = table_of(run(*arguments, "--tagger", "en", "--theta", theta))
        assert table["kept"] == str(n)
        assert table.get("dropped: says something else", "0") == str(2 - n)


def test_degenerate_copies_are_dropped_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that loops, which a poorly trained generator writes, do not become rows."""
    from spacy_sentid.paraphrase_tagger.generation import seq2seq

    written = ["Acccccccording to the the the", "the the the the the the", "he went out of it."]
    monkeypatch.setattr(
        seq2seq.Seq2Seq, "generate", lambda self, texts, *_, **__: [written for _ in texts]
    )
    source = write_records(tmp_path / "in.jsonl", {"sentence": "he left the house."})
    out = tmp_path / "out.jsonl"
    model = make_bart(tmp_path / "start")
    done = run(
        "paraphrase", "generate", source, out, "--model", model, "--text", "sentence", "--n", 3
    )
    assert table_of(done) == {"kept": "1", "dropped: repetition": "2"}
    assert read_records(out)[1] == {"sentence": "he went out of it.", "origin": f"{source}:1#1"}


def test_an_interrupted_paraphrase_job_resumes(
    generator: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spacy_sentid.paraphrase_tagger.generation import seq2seq

    source = write_records(tmp_path / "in.jsonl", *ROWS)
    settings = ["--model", generator, "--text", "sentence", "--batch-size", 1]
    run("paraphrase", "generate", source, tmp_path / "whole.jsonl", *settings)
    generate = seq2seq.Seq2Seq.generate
    calls = 0

    def stop(*arguments, **settings):
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        return generate(*arguments, **settings)

    monkeypatch.setattr(seq2seq.Seq2Seq, "generate", stop)
    out = tmp_path / "out.jsonl"
    result = CliRunner().invoke(
        app, list(map(str, ["paraphrase", "generate", source, out, *settings]))
    )
    assert result.exit_code != 0
    assert not out.exists()
    assert "theta" in fail("paraphrase", "generate", source, out, *settings, "--theta", 0.3)
    run("paraphrase", "generate", source, out, *settings)
    assert calls == 4  # the row that was done is not paraphrased again
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_the_whole_loop(tmp_path: Path) -> None:
    """Run all commands: prompts, answers, candidates, chosen pairs, a generator, and copies."""
    records = [{"text1": f"it rose {n}", "text2": f"it grew {n}"} for n in range(20)]
    pairs = write_records(tmp_path / "pairs.jsonl", *records)
    answers, candidates = tmp_path / "answers.jsonl", tmp_path / "candidates.jsonl"
    run("paraphrase", "prompts", pairs, answers, "--n", 3, "--command", language_model(tmp_path))
    run("paraphrase", "select", answers, candidates)
    start = make_bart(tmp_path / "start")
    model, out = tmp_path / "model", tmp_path / "out.jsonl"
    run("paraphrase", "train", candidates, model, "--model", start, "--epochs", 1)
    row = {"sentence1": "the cat sat", "sentence2": "a cat sat", "label": 1}
    source = write_records(tmp_path / "rte.jsonl", row)
    settings = ["--text", "sentence1", "--text", "sentence2"]
    assert "kept" in run("paraphrase", "generate", source, out, "--model", model, *settings).stderr
    assert read_records(out)[0] == {**row, "origin": f"{source}:1"}

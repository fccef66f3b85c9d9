"""Likelihood of texts under a tiny BART: from logits, by file, and the command."""

import json
import math
from pathlib import Path

import pytest

pytest.importorskip("transformers")

import torch
from tiny_seq2seq import PAIRS, make_bart
from typer.testing import CliRunner, Result

from spacy_sentid.paraphrase_tagger.generation.options import Training
from spacy_sentid.paraphrase_tagger.generation.seq2seq import (
    Seq2Seq,
    load_generator,
    train_generator,
)
from spacy_sentid.paraphrase_tagger.nlg.evaluator import TextPair
from studies.__main__ import app
from studies.text_scores import likelihood
from studies.text_scores.likelihood import (
    Entry,
    f_from_logps,
    mean_logps,
    score_entries,
    score_likelihood,
    write_likelihoods,
)

SOURCES = [source for source, _ in PAIRS]
TARGETS = [target for _, target in PAIRS]
OVERFIT = Training(epochs=60, batch_size=4, learning_rate=0.01)


@pytest.fixture(scope="module")
def bart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bart(tmp_path_factory.mktemp("bart") / "tiny")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a generator that is overfitted to the four pairs."""
    folder = tmp_path_factory.mktemp("trained")
    start = make_bart(folder / "start", dropout=0.0)
    train_generator(PAIRS, folder / "model", model=str(start), training=OVERFIT)
    return folder / "model"


@pytest.fixture(scope="module")
def generator(trained: Path) -> Seq2Seq:
    return load_generator(str(trained))


def by_hand(generator: Seq2Seq, source: str, target: str) -> float:
    """Compute the mean log-likelihood of one target from the logits of a pass without padding."""
    tokenizer, model = generator.tokenizer, generator.model
    pieces = tokenizer(target)["input_ids"]
    before = [model.config.decoder_start_token_id, *pieces[:-1]]
    with torch.no_grad():
        logits = model(
            input_ids=torch.tensor([tokenizer(source)["input_ids"]]),
            decoder_input_ids=torch.tensor([before]),
        ).logits[0]
    total = 0.0
    for row, piece in zip(logits.double(), pieces, strict=True):
        total += row[piece].item() - math.log(sum(math.exp(x) for x in row.tolist()))
    return total / len(pieces)


def test_likelihood_is_computed_from_the_logits(generator: Seq2Seq, bart: Path) -> None:
    pairs = [(TARGETS[0], SOURCES[0]), (SOURCES[3], TARGETS[2]), ("a mat", "the cat sat")]
    for model in (generator, load_generator(str(bart))):
        scores = score_likelihood(model, pairs, batch_size=3)
        for (hyp, ref), score in zip(pairs, scores, strict=True):
            assert score.p == pytest.approx(by_hand(model, ref, hyp), abs=1e-4)
            assert score.r == pytest.approx(by_hand(model, hyp, ref), abs=1e-4)
            assert score.f == pytest.approx(2 * score.p * score.r / (score.p + score.r))


def test_learned_targets_are_the_likeliest(generator: Seq2Seq) -> None:
    right = mean_logps(generator, SOURCES, TARGETS)
    wrong = mean_logps(generator, SOURCES, TARGETS[1:] + TARGETS[:1])
    assert min(right) > -0.1 > -0.4 > max(wrong)


@pytest.mark.parametrize(("p", "r", "f"), [(-1.0, -3.0, -1.5), (-2, -2, -2), (0.0, 0.0, 0.0)])
def test_f_is_the_harmonic_mean(p: float, r: float, f: float) -> None:
    assert f_from_logps(p, r) == f_from_logps(r, p) == f
    assert min(p, r) <= f <= max(p, r)
    assert f_from_logps(p, r + 0.0) >= f_from_logps(p, r - 0.5)


def entry(number: int, hyp: str, refs: object) -> Entry:
    return Entry(f"in:{number}", number, TextPair(hyp, refs, number), "")  # type: ignore[arg-type]


def test_the_best_of_several_references_counts(generator: Seq2Seq) -> None:
    refs = SOURCES[:3]
    (found,) = score_entries(generator, [entry(1, TARGETS[0], refs)], batch_size=3)
    pairs = [(TARGETS[0], ref) for ref in refs]
    each = score_likelihood(generator, pairs, batch_size=3)
    assert found == pytest.approx([max(side) for side in zip(*each, strict=True)], abs=1e-5)


def likelihoods(output: Path, generator: Seq2Seq, entries: list[Entry], on_entries=None):
    return write_likelihoods(
        entries, output, generator=generator, batch_size=2, settings={}, on_entries=on_entries
    )


def test_likelihoods_of_files_resume_and_skip_bad_entries(
    tmp_path: Path, generator: Seq2Seq
) -> None:
    entries = [
        entry(1, TARGETS[0], SOURCES[0]),
        entry(2, " ", SOURCES[0]),
        Entry("in:3", "in:3", None, "found no JSON."),
        entry(4, "the " * 100, SOURCES[1]),
        entry(5, TARGETS[1], []),
        entry(6, TARGETS[1], [SOURCES[1]]),
    ]
    report = likelihoods(tmp_path / "whole.jsonl", generator, entries)
    assert (report.n, report.n_cut, report.n_errors) == (3, 1, 3)
    records = [json.loads(line) for line in (tmp_path / "whole.jsonl").read_text().splitlines()]
    assert [record["id"] for record in records] == [1, 4, 6]
    assert report.mean is not None
    assert report.mean.p == pytest.approx(sum(r["p"] for r in records) / 3, abs=1e-5)

    def stop(n: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        likelihoods(tmp_path / "out.jsonl", generator, entries, stop)
    assert likelihoods(tmp_path / "out.jsonl", generator, entries) == report
    for end in ("", ".errors.jsonl"):
        ours, other = (tmp_path / f"{name}.jsonl{end}" for name in ("out", "whole"))
        assert ours.read_bytes() == other.read_bytes()


def test_many_references_are_scored_in_batches(
    tmp_path: Path, generator: Seq2Seq, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [entry(n, TARGETS[n % 4], SOURCES * (n + 1)) for n in range(3)]
    passes: list[tuple[str, ...]] = []

    def note(generator: Seq2Seq, sources: list[str], targets: list[str]) -> list[float]:
        passes.append(tuple(sources))
        return mean_logps(generator, sources, targets)

    monkeypatch.setattr(likelihood, "mean_logps", note)
    for name in ("a", "b"):
        likelihoods(tmp_path / name, generator, entries)
    assert {len(found) for found in passes} == {2}
    assert len(passes) == 2 * 2 * 12  # two runs, two directions, 24 references
    assert passes[:24] == passes[24:]
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


class Scores:
    """A stand-in for a generator."""

    max_tokens = 1000

    def count_tokens(self, texts: list[str]) -> list[int]:
        return [1 for _ in texts]


def read_logps(generator: Scores, sources: list[str], targets: list[str]) -> list[float]:
    """Read the likelihood of each target from its text, in place of `mean_logps`."""
    return [float(target) for target in targets]


@pytest.mark.parametrize("bad", ["nan", "-inf", "inf"])
def test_a_likelihood_that_is_not_finite_is_an_error(
    tmp_path: Path, bad: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(likelihood, "mean_logps", read_logps)
    entries = [
        entry(1, "-1", "-3"),
        entry(2, bad, "-1"),
        entry(3, "-1", ["-2", bad]),
        entry(4, "-1", [bad, "-2"]),
        entry(5, "-2", "-2"),
    ]
    report = likelihoods(tmp_path / "out", Scores(), entries)  # type: ignore[arg-type]
    assert (report.n, report.mean, report.n_errors) == (2, (-1.5, -2.5, -1.75), 3)
    records = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert records == [
        {"id": 1, "p": -1.0, "r": -3.0, "f": -1.5},
        {"id": 5, "p": -2.0, "r": -2.0, "f": -2.0},
    ]
    lines = (tmp_path / "out.errors.jsonl").read_text().splitlines()
    for number, error in zip((2, 3, 4), map(json.loads, lines), strict=True):
        assert error["place"] == f"in:{number}"
        assert f"id {number}: " in error["reason"]
        assert bad in error["reason"]


# The command


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["likelihood", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def fail(*arguments: object) -> str:
    message = run(*arguments, code=1).stderr
    assert message.splitlines()[-1].startswith("Error: ")
    return message


def read_records(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


def write_records(path: Path, *records: dict) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf8")
    return path


def test_likelihoods_of_texts_and_of_a_file_of_pairs(trained: Path, tmp_path: Path) -> None:
    hyps, refs = tmp_path / "hyps.txt", tmp_path / "refs.txt"
    hyps.write_text("".join(f"{target}\n" for _, target in PAIRS))
    refs.write_text("".join(f"{source}\n" for source, _ in PAIRS))
    out = tmp_path / "out.jsonl"
    done = run("--hyp", hyps, "--ref", refs, "--model", trained, "-o", out)
    records = read_records(out)
    assert [record["id"] for record in records] == [1, 2, 3, 4]
    assert all(-0.2 < record["p"] < 0 for record in records)
    assert all(record["r"] < record["f"] < record["p"] for record in records)
    mean = sum(record["p"] for record in records) / 4
    assert done.stdout.startswith(f"4 texts: P {mean:.4f}, R ")
    pairs = write_records(
        tmp_path / "pairs.jsonl",
        {"id": "x", "hyp": PAIRS[0][1], "ref": [PAIRS[1][0], PAIRS[0][0]]},
        {"id": "y", "hyp": PAIRS[0][1]},
    )
    done = run("--pairs", pairs, "--model", trained, "-o", out)
    assert "1 bad" in done.stderr
    (record,) = read_records(out)
    assert record["p"] == pytest.approx(records[0]["p"], abs=1e-4)
    both = ["--hyp", hyps, "--pairs", pairs]
    assert "--pairs" in fail(*both, "--model", trained, "-o", out)
    assert "output" in fail("--pairs", pairs, "--model", trained, "-o", pairs)
    refs.write_text("one\n")
    assert "same number of lines, got 4" in fail(
        "--hyp", hyps, "--ref", refs, "--model", trained, "-o", out
    )

"""The scale of the share of supported words, on the sample's dev pairs with the bundled weights."""

from pathlib import Path

from typer.testing import CliRunner

from spacy_sentid.components.pipelines import load
from spacy_sentid.paraphrase_tagger.corpus import read_pairs
from studies.__main__ import app
from studies.text_scores.scale import measure_scale

PAIRS = Path(__file__).parents[2] / "assets" / "sample" / "paraphrase" / "dev.jsonl"


def test_identical_texts_have_all_words_supported_and_unrelated_texts_few() -> None:
    found = measure_scale(load("en", "paraphrase_tagger"), list(read_pairs(PAIRS)))
    identical, real, unrelated = found
    assert identical[1:] == (1, 1, 1)
    assert unrelated.mean < 0.3 < 0.5 < real.mean < 1
    assert unrelated.median < 0.1


def test_the_command_prints_the_scale() -> None:
    done = CliRunner().invoke(app, ["score-scale", str(PAIRS)])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[1].split() == ["identical", "100.0", "100.0", "100.0"]

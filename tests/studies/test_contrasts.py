"""The classes of contrasts that a tagger gets right."""

from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from typer.testing import CliRunner

from spacy_sentid.paraphrase_tagger.corpus import TaggedPair
from studies.__main__ import app
from studies.text_scores.contrasts import is_right


@pytest.fixture(scope="module")
def nlp() -> Language:
    pipeline = spacy.blank("en")
    pipeline.add_pipe("paraphrase_tagger")
    return pipeline


@pytest.mark.parametrize(
    ("first", "second", "tags1", "tags2", "right"),
    [
        ("Sales rose in May", "Sales fell in May", [0, 1, 0, 0], [0, 1, 0, 0], True),
        # The tagger finds the contrast, but tags the wrong word.
        ("Sales rose in May", "Sales fell in May", [1, 0, 0, 0], [0, 1, 0, 0], False),
        ("Sales rose in May", "In May sales rose", [0] * 4, [0] * 4, True),
        ("Sales rose in May", "Sales fell in May", [0] * 4, [0] * 4, False),
    ],
)
def test_pairs_are_right_or_wrong(nlp, first, second, tags1, tags2, right) -> None:
    pair = TaggedPair("1", first.split(), second.split(), tags1, tags2)
    assert is_right(nlp, pair) is right


def test_classes_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    path.write_text(
        "opposite | news | Sales [rose] in May. | Sales [fell] in May.\n"
        "opposite | news | Sales rose in May. | In May, sales rose.\n"
        "other | news | Sales rose in May. | Sales fell in May.\n"
    )
    done = CliRunner().invoke(app, ["contrasts", str(path)])
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[1] == ["opposite", "1.0", "of", "1", "1.0", "of", "1", "100", "%", "right"]
    assert lines[2] == ["other", "0.0", "of", "0", "0.0", "of", "1", "0", "%"]
    assert lines[3] == ["1", "of", "2", "classes", "are", "right"]

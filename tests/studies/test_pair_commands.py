"""Tables of tagged pairs: counts, and the agreement of two annotations."""

from pathlib import Path

import pytest
import tiny_pairs
from stand_in import make_stand_in
from typer.testing import CliRunner

from spacy_sentid.paraphrase_tagger.corpus import format_pair
from studies.__main__ import app


@pytest.mark.parametrize(
    ("name", "n_files", "row"),
    [
        ("pair-statistics", 1, "pairs.jsonl      6            1"),
        ("agreement", 2, "1.000"),
        # The highest shares of words in only one of the texts are 1/3, 2/5, 1/5, 1/4 and 1/6.
        ("theta", 1, "others refused         5  5     5     5     5    5     5    3    2"),
    ],
)
def test_the_commands_print_tables(
    name: str, n_files: int, row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spacy_sentid.components.pipelines.load", lambda *_: make_stand_in())
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f"{format_pair(pair)}\n" for pair in tiny_pairs.PAIRS))
    result = CliRunner().invoke(app, [name, *[str(path)] * n_files])
    assert result.exit_code == 0, result.output
    assert row in result.output

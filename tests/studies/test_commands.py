"""The commands of the studies: their summaries, and errors for missing data."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from studies.__main__ import COMMANDS, app

runner = CliRunner()


def test_every_summary_fits_on_a_line() -> None:
    text = runner.invoke(app, ["--help"], terminal_width=80).output
    assert "..." not in text.partition("Commands:")[2]
    for name, (_, summary) in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(summary)}$", text, flags=re.MULTILINE), name


@pytest.mark.parametrize("name", ["identifier", "downstream", "languages", "parser", "words"])
def test_a_missing_corpus_is_named(name: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    monkeypatch.delenv("SENTID_DATA", raising=False)
    found = runner.invoke(app, [name, "no/such/corpus"])
    assert found.exit_code == 1
    assert "no/such/corpus" in found.output
    assert "SENTID_DATA" in found.output

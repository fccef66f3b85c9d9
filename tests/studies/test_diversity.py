"""The diversity of paraphrased copies."""

import json
from pathlib import Path

from typer.testing import CliRunner

from studies.__main__ import app


def test_the_mean_is_over_the_copies(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [
        {"text": "the cat sat down", "origin": "a:1"},
        {"text": "the cat lay down now", "origin": "a:1#1"},
        {"text": "the cat sat down", "origin": "a:1#2"},
        {"text": "it rose", "origin": "a:2"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = CliRunner().invoke(app, ["diversity", str(path), "--text", "text"])
    assert found.exit_code == 0, found.output
    # The first copy shares one of 3 and 4 bigrams.
    assert found.stdout == f"text: ROUGE-2 F {100 * (2 / 7 + 1) / 2:.2f} (2 copies)\n"

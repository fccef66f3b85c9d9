"""The notebook of the docs runs, and its outputs are those that it shows."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nbclient", reason="nbclient is not installed: pip install -e '.[dev]'")
pytest.importorskip("ipykernel", reason="ipykernel is not installed: pip install -e '.[dev]'")

from notebook import NOTEBOOK, SKIP, read_notebook, run_notebook

NUMBER = re.compile(r"\d+\.\d+")  # scores, which differ a little between processors


def list_texts(notebook: Any) -> list[str]:
    """List the output of each code cell as plain text, without the numbers in it."""
    return [
        NUMBER.sub("0.0", "".join(map(read_text, cell.outputs)))
        for cell in notebook.cells
        if cell.cell_type == "code" and SKIP not in cell.metadata.get("tags", [])
    ]


def read_text(output: Any) -> str:
    """Return the text of an output. A stream may have several, cut anywhere."""
    return output.text if output.output_type == "stream" else output.data["text/plain"]


def test_the_notebook_runs_and_shows_what_it_did_before(tmp_path: Path) -> None:
    found = list_texts(run_notebook(tmp_path))
    assert any(found)
    assert found == list_texts(read_notebook())


def test_the_notebook_shows_units_as_html() -> None:
    outputs = [output for cell in read_notebook().cells for output in cell.get("outputs", [])]
    pages = [output["data"]["text/html"] for output in outputs if "data" in output]
    assert sum("<style" in page for page in map("".join, pages)) >= 2
    assert "script" not in json.dumps(pages)


def test_the_notebook_is_small() -> None:
    assert NOTEBOOK.stat().st_size < 200_000

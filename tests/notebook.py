"""Run the notebook of the docs, and write its outputs into it.

    python -m tests.notebook

`tests/docs/test_notebook.py` runs it in the same way and compares the outputs.
"""

import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "docs" / "tour.ipynb"
SKIP = "skip-execution"  # the tag of cells that install packages
TIMEOUT_S = 120


def read_notebook() -> Any:
    """Read the notebook with its outputs."""
    import nbformat

    return nbformat.read(NOTEBOOK, as_version=4)


def run_notebook(folder: Path) -> Any:
    """Run all cells in a folder, in a new process.

    RETURNS: The notebook with new outputs. Raises CellExecutionError if a cell fails.
    """
    from nbclient import NotebookClient

    notebook = read_notebook()
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT_S,
        kernel_name="python3",
        skip_cells_with_tag=SKIP,
        resources={"metadata": {"path": str(folder)}},
    )
    # Where tqdm is installed without ipywidgets, it warns in the first cell.
    settings = {"PYTHONWARNINGS": "ignore:IProgress not found", "OMP_NUM_THREADS": "1"}
    client.execute(env={**os.environ, **settings})
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times, which differ in each run
    return notebook


def main() -> None:
    """Run the notebook and write it."""
    import tempfile

    import nbformat

    with tempfile.TemporaryDirectory() as folder:
        notebook = run_notebook(Path(folder))
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    nbformat.write(notebook, NOTEBOOK)


if __name__ == "__main__":
    main()

"""docs/layout.md matches the docstrings of the modules."""

import runpy
from pathlib import Path


def test_the_layout_page_matches_the_docstrings_of_modules(root: Path) -> None:
    made = runpy.run_path(str(root / ".mkdocs" / "layout.py"))["make_page"]()
    kept = (root / "docs" / "layout.md").read_text(encoding="utf8")
    assert kept == made, "run: python .mkdocs/layout.py"

"""The page of which file holds what is the one that the modules' docstrings make."""

import runpy
from pathlib import Path


def test_the_layout_page_is_made_of_the_modules(root: Path) -> None:
    made = runpy.run_path(str(root / ".mkdocs" / "layout.py"))["make_page"]()
    kept = (root / "docs" / "layout.md").read_text(encoding="utf8")
    assert kept == made, "run: python .mkdocs/layout.py"

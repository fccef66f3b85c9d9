"""Write docs/layout.md: which file holds what, in the words of the modules' own docstrings.

python .mkdocs/layout.py
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "layout.md"
INTRO = """# Which file holds what

`corpus -> model -> decode -> component -> scorer` in each part. Imports go from the parts to the
spine (what all share), from `batch`, `view` and `cli` to the parts, from `studies` to the package;
never from part to part, and never back.

This page is made of the first lines of the modules by `python .mkdocs/layout.py`.
"""


def make_page() -> str:
    """Make the page of the modules as they are."""
    sections = [INTRO]
    for top in ("spacy_sentid", "studies"):
        for folder in sorted({file.parent for file in (ROOT / top).rglob("*.py")}):
            files = sorted(folder.glob("*.py"))
            rows = [(file.name, first_line(file)) for file in files if file.stem != "__init__"]
            about = first_line(folder / "__init__.py")
            if rows or about:
                name = folder.relative_to(ROOT).as_posix()
                sections.append("\n".join([f"## {name}/", "", *([about, ""] if about else [])]))
                sections[-1] += "\n" + "".join(f"- `{file}`: {line}\n" for file, line in rows)
    return "\n".join(sections)


def first_line(file: Path) -> str:
    """Read the first line of a module's docstring; "" if it has none."""
    docstring = ast.get_docstring(ast.parse(file.read_text("utf8"))) if file.is_file() else None
    return (docstring or "").partition("\n")[0]


if __name__ == "__main__":
    PAGE.write_text(make_page(), encoding="utf8")

"""Write docs/layout.md, which lists all modules with the first lines of their docstrings.

python .mkdocs/layout.py
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "layout.md"
INTRO = """# Which file holds what

Each part is a folder, with a room for each step. Parts import the shared rooms, but not each other.
`batch`, `view` and `cli` import the parts, and `studies` imports the package. There are no imports
in the opposite direction.

`python .mkdocs/layout.py` writes this page from the first lines of the docstrings of all modules.
"""


def make_page() -> str:
    """Build the page from the current modules."""
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
    """Read the first line of the docstring of a module; "" without a docstring."""
    docstring = ast.get_docstring(ast.parse(file.read_text("utf8"))) if file.is_file() else None
    return (docstring or "").partition("\n")[0]


if __name__ == "__main__":
    PAGE.write_text(make_page(), encoding="utf8")

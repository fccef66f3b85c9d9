"""Generate the pages of all modules from their docstrings, one for each folder of the package."""

import ast
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "spacy_sentid"
# Commands have their own page, and the weights are data.
NO_API = {"cli", "pretrained"}


class ApiPage(NamedTuple):
    """The page of a folder of the package, with dotted names of its modules."""

    folder: str  # "spacy_sentid.batch"
    modules: list[str]

    @property
    def title(self) -> str:
        """The title in the nav."""
        return self.folder.removeprefix("spacy_sentid.").replace(".", " / ")

    @property
    def path(self) -> str:
        """The path of the page in the docs."""
        return f"api/{self.folder.removeprefix('spacy_sentid.')}.md"


def list_api_pages() -> list[ApiPage]:
    """List the folders of the package with documented functions or classes."""
    pages = []
    for folder in [PACKAGE, *sorted(path for path in PACKAGE.rglob("*") if path.is_dir())]:
        parts = folder.relative_to(ROOT).parts
        if NO_API.intersection(parts) or not (folder / "__init__.py").is_file():
            continue
        modules = [
            ".".join(parts if file.stem == "__init__" else (*parts, file.stem))
            for file in sorted(folder.glob("*.py"))
            if _has_docs(file)
        ]
        if modules:
            pages.append(ApiPage(".".join(parts), modules))
    return pages


def _has_docs(file: Path) -> bool:
    """Check if a file has a documented public function or class, or is the package itself."""
    if file.parent == PACKAGE and file.name == "__init__.py":
        return True
    return any(
        isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and ast.get_docstring(node)
        for node in ast.parse(file.read_text(encoding="utf8")).body
    )


def format_api_page(page: ApiPage) -> str:
    """Format a page of the API as Markdown."""
    import spacy_sentid

    lines = [f"# {page.title}", ""]
    for module in page.modules:
        lines.append(f"::: {module}")
        if module == "spacy_sentid":
            # The package imports its public names lazily, so they are taken from __all__.
            names = [name for name in spacy_sentid.__all__ if name != "__version__"]
            lines += ["    options:", f"      members: {names}"]
        lines.append("")
    return "\n".join(lines)

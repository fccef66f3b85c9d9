"""Generate pages from the code when the site is built: the commands, and the API by folder.

mkdocs calls the functions `on_...`. The nav and the pages come from the same lists.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

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


def format_commands() -> str:
    """Format the page of all commands as Markdown, with the texts of their --help."""
    from spacy_sentid.cli import list_commands

    lines = [
        "---",
        "hide: [navigation]",
        "---",
        "",
        "# Commands",
        "",
        "`spacy-sentid COMMAND --help` prints the same.",
        "",
    ]
    for name, command in list_commands().items():
        lines += [f"## {name}", "", *_format_help(inspect.cleandoc(command.help or ""))]
        lines += [*_format_params(list_params(command)), ""]
    return "\n".join(lines)


def list_params(command: Any) -> list[tuple[str, str]]:
    """List (names, text) of the arguments and options of a command, as in its --help."""
    context = command.context_class(command)
    records = [param.get_help_record(context) for param in command.params]
    return [record for record in records if record]


def _format_help(text: str) -> Iterator[str]:
    """Format the text of a command, with its example as code."""
    text, _, example = text.partition("Example: ")
    yield from [escape_cell(line) for line in text.rstrip().splitlines()]
    yield ""
    if example:
        yield from ["```shell", " ".join(example.split()), "```", ""]


def _format_params(rows: list[tuple[str, str]]) -> Iterator[str]:
    """Format a table of arguments and options."""
    if rows:
        yield from ["| | |", "| --- | --- |"]
    for names, text in rows:
        yield f"| `{names}` | {escape_cell(' '.join(text.split()))} |"


def escape_cell(text: str) -> str:
    r"""Escape plain text for Markdown, mark options as code, and keep code as it is.

    >>> escape_cell("<b> *c* with --out")
    '&lt;b> \\*c\\* with `--out`'
    >>> escape_cell("the key `su_key` [required]")
    'the key `su_key` \\[required]'
    """
    plain, *rest = re.split(r"(`[^`\n]+`)", text)
    cells = [_escape_plain(plain)]
    for code, after in zip(rest[::2], rest[1::2], strict=True):
        cells += [code, _escape_plain(after)]
    return "".join(cells)


def _escape_plain(text: str) -> str:
    text = re.sub(r"([|*_`\[])", r"\\\1", text).replace("<", "&lt;")
    return re.sub(r"(?<![\w'-])(--?[a-z][a-z-]*)", r"`\1`", text)


def on_config(config: Any) -> Any:
    """Add the generated pages to the nav."""
    pages = [{page.title: page.path} for page in list_api_pages()]
    config.nav += [{"Commands": "commands.md"}, {"API": pages}]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages and the figures to the site."""
    from mkdocs.structure.files import File

    made = {"commands.md": format_commands()}
    made |= {page.path: format_api_page(page) for page in list_api_pages()}
    for path, content in made.items():
        files.append(File.generated(config, path, content=content))
    for figure in sorted(path for folder in FIGURES for path in (ROOT / folder).glob("*.svg")):
        files.append(File.generated(config, f"figures/{figure.name}", abs_src_path=str(figure)))
    return files


FIGURES = ("studies/published", "benchmarks/results")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Rewrite the links of a page to figures of the repository, for the site."""
    for folder in FIGURES:
        markdown = markdown.replace(f"](../{folder}/", "](figures/")
    return markdown


def on_post_page(output: str, **_: Any) -> str:
    """Label the search dialog of the theme, for screen readers."""
    return output.replace('role="dialog"', 'role="dialog" aria-label="Search"')

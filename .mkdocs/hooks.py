"""Add the pages that are generated from the code, and prepare pages for the site and its search.

mkdocs calls the functions `on_...`. Other modules of this folder make the pages.
"""

from pathlib import Path
from typing import Any

from api_pages import format_api_page, list_api_pages
from command_page import format_commands
from figures import inline_figures
from gallery import ENTRIES, make_page

ROOT = Path(__file__).parent.parent
# Folders of figures in the repository, which the site shows.
FIGURES = ("studies/published", "benchmarks/results")
# The search ranks the pages for users first. Values are factors of the score of a page; 0 removes
# the page from the search. The first match counts.
BOOSTS = {
    "start/": 6.0,
    "faq.md": 2.5,
    "guides/": 2.5,
    "reference/": 2.0,
    "glossary.md": 3.0,
    "index.md": 1.5,
    "commands.md": 1.2,
    "api/": 0,
    "layout.md": 0,
    "licences.md": 0.5,
    "changelog.md": 0.3,
    "robustness.md": 0.3,
}


def make_pages() -> dict[str, str]:
    """Make the generated pages: {path in the docs: Markdown}."""
    made = {"commands.md": format_commands(), "changelog.md": format_changelog()}
    return made | {page.path: format_api_page(page) for page in list_api_pages()}


def format_changelog() -> str:
    """Format CHANGELOG.md as a page of the site."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf8")
    return text.replace("](docs/", "](")


def on_config(config: Any) -> Any:
    """Add the pages of all modules to the nav, at the end of the reference."""
    pages = [{page.title: page.path} for page in list_api_pages()]
    reference = next(entry["Reference"] for entry in config.nav if "Reference" in entry)
    reference.append({"All modules": pages})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages, the gallery and the figures to the site."""
    from mkdocs.structure.files import File

    for path, content in make_pages().items():
        files.append(File.generated(config, path, content=content))
    for entry in ENTRIES:
        files.append(File.generated(config, entry.path, content=make_page(entry)))
    for figure in sorted(path for folder in FIGURES for path in (ROOT / folder).glob("*.svg")):
        files.append(File.generated(config, f"figures/{figure.name}", abs_src_path=str(figure)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Set the rank of a page in the search, and rewrite its links to figures of the repository."""
    path = page.file.src_uri
    boost = next((value for start, value in BOOSTS.items() if path.startswith(start)), None)
    if boost is not None:
        page.meta["search"] = {"boost": boost} if boost else {"exclude": True}
    for folder in FIGURES:
        markdown = markdown.replace(f"](../{folder}/", "](figures/")
    return markdown


def on_page_content(html: str, **_: Any) -> str:
    """Put the figures of the studies into a page, where they follow the colors of the site."""
    return inline_figures(html, [ROOT / folder for folder in FIGURES])


def on_post_page(output: str, **_: Any) -> str:
    """Label the search dialog of the theme, for screen readers."""
    return output.replace('role="dialog"', 'role="dialog" aria-label="Search"')

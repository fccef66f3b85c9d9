"""Put the figures of the studies into pages of the site, so that they follow its colors.

page with <img src=".../figures/NAME.svg"> -> page with the figure, and one style sheet for all
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent))  # mkdocs does not add the current folder

from studies.svg import DARK, LIGHT, embed, format_colors

IMAGE = re.compile(r'(?:<p>)?<img [^>]*src="[^"]*figures/([\w-]+\.svg)"[^>]*>(?:</p>)?')
SLATE = '[data-md-color-scheme="slate"]'  # the dark mode of the theme
SIZE = (
    ".md-typeset .study{margin:1.5em 0;width:auto;max-width:580px}"
    ".md-typeset .study svg{width:100%;height:auto}"
)


def inline_figures(html: str, folders: Sequence[Path]) -> str:
    """Replace the images of figures with the figures, which the search leaves out.

    folders: The folders that have the figures.
    """
    inlined = IMAGE.sub(lambda found: _read_figure(found[1], folders), html)
    return html if inlined == html else f"<style>{format_style()}</style>\n{inlined}"


def _read_figure(name: str, folders: Sequence[Path]) -> str:
    path = next(folder / name for folder in folders if (folder / name).is_file())
    figure = embed(path.read_text(encoding="utf8"))
    return f'<figure class="study" data-search-exclude>{figure}</figure>'


def format_style() -> str:
    """Format the colors of figures for the light and the dark mode of the site, light on paper."""
    return f"{SIZE}{format_colors(LIGHT)}@media screen{{{format_colors(DARK, SLATE)}}}"

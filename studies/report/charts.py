"""The charts of a report: SVG for the page, whose colours are the page's, and files for papers.

Chart -> Figure -> SVG element; SVG, PDF, PNG
"""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO, StringIO

from spacy_sentid.plotting import SVG_SETTINGS, use_own_settings
from studies.report.drawing import PRINT, Palette, make_figure
from studies.report.parts import Chart

# Of files: the same for the same numbers, so without a date.
METADATA = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
SETTINGS = {
    **SVG_SETTINGS,
    "text.parse_math": False,  # "$" stands for itself
    "font.size": 9,
    "pdf.fonttype": 42,  # text that can be searched
}
# On white: readable for the colour-blind, and each at least 3:1 against the ground.
PAPER = Palette(
    "#1a202c", "#5a6472", "#d5dae1",
    ("#2563c9", "#c2571a", "#0f8a6d", "#8a4fc4", "#6b7280", "#b8336a"),
)  # fmt: skip
DARK_SERIES = ("#7db3ff", "#f4a261", "#4ecfa9", "#c6a4ff", "#a8b2bf", "#ff8fb8")
# Stand for variables of the page, which has one colour for light and one for dark.
PAGE = Palette(
    "#fe0001", "#fe0002", "#fe0003", tuple(f"#fe001{n}" for n in range(len(PAPER.series)))
)
VARIABLES = {
    PAGE.ink: "var(--plot-ink)",
    PAGE.soft: "var(--plot-soft)",
    PAGE.rule: "var(--plot-rule)",
    **{color: f"var(--plot-{n})" for n, color in enumerate(PAGE.series)},
}


def draw_svg(chart: Chart, *, width: float, prefix: str) -> str:
    """Draw a chart as an SVG element to stand in HTML; the same chart gives the same bytes.

    width: One of `drawing.MAX_COLUMNS`.
    prefix: Of ids, so that several may stand in one page.
    """
    out = StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with _settings():
        figure = make_figure(chart, width=width, palette=PAGE)
        figure.savefig(out, format="svg", metadata=nothing, transparent=True)
    return _fit_into_page(out.getvalue(), prefix)


def draw_files(chart: Chart) -> dict[str, bytes]:
    """Draw a chart for a paper: format -> the file, on white."""
    files = {}
    with _settings():
        figure = make_figure(chart, width=PRINT, palette=PAPER)
        for name, metadata in METADATA.items():
            out = BytesIO()
            figure.savefig(out, format=name, metadata=metadata, dpi=200)
            files[name] = out.getvalue()
    return files


@contextmanager
def _settings() -> Iterator[None]:
    with use_own_settings(SETTINGS), warnings.catch_warnings():
        # The reader's fonts draw the text, not ours: they may well have what ours lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        yield


def _fit_into_page(text: str, prefix: str) -> str:
    """Make matplotlib's file an element of a page: its colours, its font, no id twice."""
    svg = text[text.index("<svg") :].strip()
    svg = re.sub(r"<!--.*?-->|<style[^>]*>.*?</style>", "", svg, flags=re.DOTALL)
    used = set(re.findall(r'(?:url\(|href=")#([^)"]+)', svg))

    def keep_id(name: re.Match[str]) -> str:
        return f' id="{prefix}{name[1]}"' if name[1] in used else ""

    def fit_tag(tag: re.Match[str]) -> str:
        found = re.sub(r' xmlns(:\w+)?="[^"]*"', "", tag[0]).replace("xlink:href", "href")
        found = re.sub(r' id="([^"]*)"', keep_id, found)
        found = re.sub(r'(url\(|href=")#', rf"\1#{prefix}", found)
        found = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", found)
        found = re.sub(r"#fe00\d\d", lambda color: VARIABLES[color[0]], found)
        return re.sub(r"'DejaVu Sans'[^;\"]*", "inherit", found)

    # Only what stands in tags: text between them may look like anything.
    svg = re.sub(r"<[^>]*>", fit_tag, svg)
    return svg.replace("<svg ", '<svg aria-hidden="true" ', 1)

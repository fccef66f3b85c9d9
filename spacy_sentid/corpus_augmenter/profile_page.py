"""A page of tables and a bar plot about treebanks: HTML that needs no other file.

tallies -> bars -> SVG; sections -> HTML
"""

import warnings
from collections.abc import Sequence
from html import escape
from io import StringIO
from typing import Any, NamedTuple

from ..plotting import SVG_METADATA, import_matplotlib, use_own_settings
from .profile import UNKNOWN, Profile, Tally

# What is drawn: name in the legend, attribute of a Tally, colour (readable for the colour-blind).
BARS = (
    ("NPU", "npu_ratio", "#2b6cb0"),
    ("POU: last word not PUNCT", "pou_ratio", "#dd6b20"),
    ("last word not an end mark", "no_end_mark_ratio", "#f6bb7f"),
)
BAR_HEIGHT = 0.26  # of a row
ROW_INCHES = 0.5
FILE_GAP = 0.5  # rows between two files
MAX_LABEL = 32  # characters

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem;
  color: #1a202c; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .4rem; }
p { max-width: 46rem; margin: .4rem 0; color: #4a5568; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .8rem; text-align: right; white-space: nowrap; font-weight: normal;
  border-bottom: 1px solid #e2e8f0; }
thead th { font-weight: 600; border-bottom: 2px solid #a0aec0; }
th:first-child { text-align: left; padding-left: 0; }
figure { margin: 1rem 0; padding: 1rem; background: #fff; border: 1px solid #e2e8f0;
  border-radius: .5rem; }
figure svg { display: block; max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) {
  body { color: #e2e8f0; background: #171923; }
  p { color: #a0aec0; }
  th, td { border-color: #2d3748; } thead th { border-color: #718096; }
}
"""


class Row(NamedTuple):
    """Bars of one file, or of one of its genres."""

    y: float  # on the axis, downwards
    name: str
    tally: Tally
    is_file: bool


class Section(NamedTuple):
    """One table and what to say about it."""

    title: str
    rows: Sequence[Sequence[str]]  # the first holds the headings, the first cell of each a name
    note: str = ""


def build_page(title: str, sections: Sequence[Section], *, svg: str = "", label: str = "") -> str:
    """Write the page: the plot first, then the tables.

    svg: Of `draw_ratios`.
    label: What the plot shows, for those who do not see it.

    >>> page = build_page("A <b>", [Section("Units", [["", "dev"], ["units", "4"]])])
    >>> "<title>A &lt;b&gt;</title>" in page, '<th scope="row">units</th><td>4</td>' in page
    (True, True)
    """
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        '<head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style></head>",
        f"<body><h1>{escape(title)}</h1>",
    ]
    if svg:
        parts.append(f'<figure role="img" aria-label="{escape(label)}">{svg}</figure>')
    for section in sections:
        parts.append(f"<h2>{escape(section.title)}</h2>")
        if section.note:
            parts.append(f"<p>{escape(section.note)}</p>")
        parts.append(_format_table(section.rows))
    return "\n".join(parts) + "\n</body></html>\n"


def draw_ratios(profiles: Sequence[tuple[str, Profile]]) -> str:
    """Draw the ratios of each file and of its genres as bars: an SVG element, to stand in HTML.

    profiles: (name, profile) of each file. The same profiles give the same bytes.
    Raises ValueError without matplotlib.
    """
    out = StringIO()
    with use_own_settings(), warnings.catch_warnings():
        # The reader's fonts draw the text, not ours: they may well have what ours lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        make_figure(profiles).savefig(out, format="svg", metadata=SVG_METADATA)
    text = out.getvalue()
    return text[text.index("<svg") :].strip()


def make_figure(profiles: Sequence[tuple[str, Profile]]) -> Any:
    """Draw the bars as a matplotlib Figure; see `draw_ratios`."""
    matplotlib = import_matplotlib()
    rows = _place_rows(profiles)
    bottom = rows[-1].y if rows else 0.0
    height = ROW_INCHES * (bottom + 1) + 0.9  # legend and axis
    figure = matplotlib.figure.Figure(figsize=(9, height), layout="constrained")
    axes = figure.subplots()
    for n, (name, ratio, color) in enumerate(BARS):
        places = [row.y + (n - 1) * BAR_HEIGHT for row in rows]
        values = [getattr(row.tally, ratio) for row in rows]
        axes.barh(
            places, [100 * (value or 0.0) for value in values], BAR_HEIGHT, color=color, label=name
        )
        for y, value in zip(places, values, strict=True):
            text = UNKNOWN if value is None else f"{100 * value:.1f}"
            axes.annotate(
                text, (100 * (value or 0.0), y), (3, 0), textcoords="offset points",
                va="center_baseline", fontsize=7, color="#4a5568",
            )  # fmt: skip
    axes.set_yticks(
        [row.y for row in rows],
        [_shorten(row.name) for row in rows],
        fontsize=9,
        parse_math=False,  # "$" stands for itself
    )
    for tick, row in zip(axes.get_yticklabels(), rows, strict=True):
        tick.set_fontweight("bold" if row.is_file else "normal")
    axes.set_ylim(bottom + 0.6, -0.6)
    longest = max((patch.get_width() for patch in axes.patches), default=0.0)
    axes.set_xlim(0, max(1.08 * longest, 1.0))  # room for the number
    axes.set_xlabel("% of the units")
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#e2e8f0", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    figure.legend(loc="outside upper left", ncols=len(BARS), frameon=False, fontsize=9)
    return figure


def _format_table(rows: Sequence[Sequence[str]]) -> str:
    """Write a table in HTML; wide ones scroll on their own."""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in rows[0])
    lines = [f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>']
    for name, *cells in rows[1:]:
        data = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{escape(name)}</th>{data}</tr>')
    return "\n".join([*lines, "</tbody></table></div>"])


def _place_rows(profiles: Sequence[tuple[str, Profile]]) -> list[Row]:
    """Put files and, below each, its genres on the axis."""
    rows: list[Row] = []
    y = 0.0
    for name, profile in profiles:
        rows.append(Row(y, name, profile.whole, True))
        for genre, tally in profile.genres.items():
            y += 1
            rows.append(Row(y, genre, tally, False))
        y += 1 + FILE_GAP
    return rows


def _shorten(name: str) -> str:
    """Cut out the middle of a long name.

    >>> _shorten("a" * 20 + "b" * 20)
    'aaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbb'
    """
    half = MAX_LABEL // 2
    return name if len(name) <= MAX_LABEL else f"{name[:half]}…{name[-(half - 1) :]}"

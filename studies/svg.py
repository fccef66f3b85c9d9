"""Shapes and texts of SVG figures, with colors that follow the light or dark mode of the reader.

shapes -> SVG with classes for the colors -> colors by a style sheet, in the file or in a page

A figure names no color. Its classes are "chart-ink", "chart-soft" and "chart-rule", and "chart-s0"
to "chart-s5" for the series. The same shapes give the same bytes.
"""

import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple


class Palette(NamedTuple):
    """The colors of a figure."""

    ink: str
    soft: str
    rule: str
    series: tuple[str, ...]


# Color-blind readers can tell these apart, and each has a contrast of at least 3:1.
LIGHT = Palette(
    "#1a202c", "#5a6472", "#d5dae1",
    ("#2563c9", "#c2571a", "#0f8a6d", "#8a4fc4", "#6b7280", "#b8336a"),
)  # fmt: skip
DARK = Palette(
    "#e6eaf0", "#a8b2bf", "#3a424e",
    ("#7db3ff", "#f4a261", "#4ecfa9", "#c6a4ff", "#a8b2bf", "#ff8fb8"),
)  # fmt: skip
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
# Mean widths of a letter, as shares of the font size, in DejaVu Sans, the widest of common fonts.
LETTER, BOLD_LETTER = 0.6, 0.68
MARKERS = ("circle", "diamond", "square", "up", "down", "cross")
# XML cannot contain these characters.
UNWRITABLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def format_colors(palette: Palette, scope: str = "") -> str:
    """Format the rules that give the classes of a figure their colors.

    scope: Selector of the part of a page that has these colors; "" = everywhere.

    >>> format_colors(LIGHT, "[dark]")[:32]
    '[dark] .chart-ink{fill:#1a202c}['
    """
    rules = {
        "ink": f"fill:{palette.ink}",
        "soft": f"fill:{palette.soft}",
        "rule": f"stroke:{palette.rule}",
        **{f"s{n}": f"color:{color}" for n, color in enumerate(palette.series)},
    }
    start = f"{scope} " if scope else ""
    return "".join(f"{start}.chart-{name}{{{rule}}}" for name, rule in rules.items())


def format_style() -> str:
    """Format the style sheet of a file or page that follows the mode of the system."""
    dark = format_colors(DARK)
    return f"{format_colors(LIGHT)}@media screen and (prefers-color-scheme:dark){{{dark}}}"


def clean(text: str) -> str:
    """Escape a text for XML, and replace the characters that XML cannot contain."""
    return escape(UNWRITABLE.sub("\ufffd", text), quote=True)


def show(number: float) -> str:
    """Format a coordinate.

    >>> show(3.0), show(2.346), show(-0.001)
    ('3', '2.35', '0')
    """
    return f"{round(number, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def draw_text(
    x: float,
    y: float,
    text: str,
    *,
    color: str = "ink",
    size: float = 13,
    anchor: str = "start",
    bold: bool = False,
) -> str:
    """Draw a line of text. `y` is its base line.

    color: A class of a color without its prefix, for example "ink" or "s0".
    """
    weight = ' font-weight="600"' if bold else ""
    fill = ' fill="currentColor"' if color.startswith("s") and color != "soft" else ""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return (
        f'<text x="{show(x)}" y="{show(y)}" class="chart-{color}" font-size="{show(size)}"'
        f"{fill}{place}{weight}>{clean(text)}</text>"
    )


def draw_rule(x1: float, y1: float, x2: float, y2: float, *, width: float = 1) -> str:
    """Draw a line of the frame."""
    return (
        f'<line class="chart-rule" x1="{show(x1)}" y1="{show(y1)}" x2="{show(x2)}" '
        f'y2="{show(y2)}" stroke-width="{show(width)}"/>'
    )


def draw_path(series: int, path: str, *, width: float = 1.6) -> str:
    """Draw a path in the color of a series.

    path: The commands of the path, as in SVG.
    """
    return (
        f'<path class="chart-s{series}" d="{path}" fill="none" stroke="currentColor" '
        f'stroke-width="{show(width)}"/>'
    )


def draw_area(series: int, path: str, *, opacity: float = 0.18) -> str:
    """Fill a path with the color of a series."""
    return (
        f'<path class="chart-s{series}" d="{path}" fill="currentColor" '
        f'fill-opacity="{show(opacity)}"/>'
    )


def make_rectangle(x1: float, y1: float, x2: float, y2: float) -> str:
    """Make the path of a rectangle.

    >>> make_rectangle(0, 0, 2, 1)
    'M0 0H2V1H0Z'
    """
    return f"M{show(x1)} {show(y1)}H{show(x2)}V{show(y2)}H{show(x1)}Z"


def make_line(points: Sequence[tuple[float, float]]) -> str:
    """Make the path of a line through points.

    >>> make_line([(0, 0), (1, 2.5)])
    'M0 0L1 2.5'
    """
    return "M" + "L".join(f"{show(x)} {show(y)}" for x, y in points)


def draw_marker(x: float, y: float, series: int, shape: int, *, size: float = 4.5) -> str:
    """Draw a marker. Series differ in shape as well as in color.

    shape: Index of MARKERS, which repeat.
    """
    s = size
    name = MARKERS[shape % len(MARKERS)]
    if name == "circle":
        return (
            f'<circle class="chart-s{series}" cx="{show(x)}" cy="{show(y)}" r="{show(s)}" '
            'fill="currentColor"/>'
        )
    if name == "cross":
        a, b = (x - s, y - s), (x - s, y + s)
        ends = (make_line([a, (x + s, y + s)]), make_line([b, (x + s, y - s)]))
        return draw_path(series, "".join(ends), width=2)
    corners = {
        "diamond": [(0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)],
        "square": [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        "up": [(0, -1.1), (1.1, 0.9), (-1.1, 0.9)],
        "down": [(0, 1.1), (1.1, -0.9), (-1.1, -0.9)],
    }[name]
    path = make_line([(x + s * dx, y + s * dy) for dx, dy in corners]) + "Z"
    return draw_area(series, path, opacity=1)


def make_figure(parts: Sequence[str], width: float, height: float, *, summary: str) -> str:
    """Make an SVG file of shapes, with a transparent background.

    summary: What the figure shows, for screen readers.
    """
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="{show(width)}" '
        f'height="{show(height)}" viewBox="0 0 {show(width)} {show(height)}" role="img" '
        f'aria-label="{clean(summary)}" font-family="{FONT}">\n'
        f"<style>{format_style()}</style>\n{body}\n</svg>\n"
    )


def embed(figure: str) -> str:
    """Remove the style sheet of a figure, for a page that has its own.

    >>> embed("<svg>\\n<style>a{}</style>\\n<g/></svg>")
    '<svg>\\n<g/></svg>'
    """
    return re.sub(r"<style>.*?</style>\n", "", figure, count=1, flags=re.DOTALL)

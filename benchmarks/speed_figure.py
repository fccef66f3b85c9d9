"""Draw the figure of speed.py: words per second against SU F1, one panel per set of documents.

points of each set -> places of their labels -> SVG that is readable on light and dark pages
"""

from collections.abc import Sequence
from io import BytesIO
from typing import Any, NamedTuple

from studies.charts import DARK, LIGHT, METADATA, SETTINGS
from studies.plotting import import_matplotlib, use_own_settings

SIZE = (9.6, 4.3)  # inches
FRAME = {"left": 0.05, "right": 0.985, "bottom": 0.13, "top": 0.92, "wspace": 0.06}
SHEETS = {"light": "#ffffff", "dark": "#13161b"}  # backgrounds of the site
GROUPS = {"the identifier": 0, "ours": 0, "spaCy": 1, "others": 4}  # colors of the series
# Places of a label around its point: (offset in points, horizontal and vertical alignment).
PLACES = (
    ((7, 0), "left", "center"), ((-7, 0), "right", "center"), ((0, 7), "center", "bottom"),
    ((0, -7), "center", "top"), ((6, 7), "left", "bottom"), ((6, -7), "left", "top"),
    ((-6, 7), "right", "bottom"), ((-6, -7), "right", "top"), ((0, 16), "center", "bottom"),
    ((0, -16), "center", "top"), ((6, 16), "left", "bottom"), ((6, -16), "left", "top"),
    ((-6, 16), "right", "bottom"), ((-6, -16), "right", "top"),
)  # fmt: skip
FONT, LETTER, LINE = 8.0, 4.5, 10.0  # font size, width of a letter, height of a label, in points


class Point(NamedTuple):
    """A system in a panel. A line joins points with the same name."""

    name: str
    group: str  # one of GROUPS
    words_per_second: float
    su_f: float  # percent


class Box(NamedTuple):
    """A rectangle on the page, in points."""

    left: float
    low: float
    right: float
    high: float

    def meets(self, other: "Box") -> bool:
        """Check if two rectangles overlap."""
        return (
            self.left < other.right and other.left < self.right
            and self.low < other.high and other.low < self.high
        )  # fmt: skip


def draw_figure(panels: dict[str, Sequence[Point]]) -> str:
    """Draw the figure as SVG."""
    matplotlib = import_matplotlib()
    ink = {
        "axes.edgecolor": LIGHT.rule, "axes.labelcolor": LIGHT.soft, "text.color": LIGHT.ink,
        "xtick.color": LIGHT.soft, "ytick.color": LIGHT.soft, "grid.color": LIGHT.rule,
        "axes.grid": True, "axes.axisbelow": True, "grid.linewidth": 0.6,
        "axes.spines.top": False, "axes.spines.right": False, "axes.titlelocation": "left",
        "axes.titleweight": "bold", "axes.titlesize": 9.5, "xtick.minor.size": 0,
    }  # fmt: skip
    with use_own_settings({**SETTINGS, **ink}):
        figure = matplotlib.figure.Figure(figsize=SIZE, dpi=72)
        figure.patch.set_facecolor(SHEETS["light"])
        axes = figure.subplots(1, len(panels), squeeze=False, sharey=True, gridspec_kw=FRAME)[0]
        everything = [point for points in panels.values() for point in points]
        speeds = [point.words_per_second for point in everything]
        scores = [point.su_f for point in everything]
        for axis, (title, points) in zip(axes, panels.items(), strict=True):
            axis.set_facecolor("none")
            axis.set_title(title)
            axis.set_xscale("log")
            axis.set_xlim(min(speeds) / 2, max(speeds) * 2)
            axis.xaxis.set_major_formatter(lambda number, _: shorten(number))
            axis.set_xlabel("words a second on one core")
            axis.set_ylim(min(scores) - 4, max(scores) + 4)
            for same in _join_points(points).values():
                group = same[0].group
                axis.plot(
                    [point.words_per_second for point in same], [point.su_f for point in same],
                    color=LIGHT.series[GROUPS[group]], linewidth=1.2,
                    marker="D" if group == "the identifier" else "o", markersize=6,
                )  # fmt: skip
            _write_labels(axis, points)
        axes[0].set_ylabel("SU F1, percent")
        out = BytesIO()
        figure.savefig(out, format="svg", metadata=METADATA["svg"])
    return add_dark(out.getvalue().decode("utf8"))


def shorten(number: float) -> str:
    """Format a large number for an axis.

    >>> shorten(10_000), shorten(10_000_000)
    ('10k', '10M')
    """
    return f"{number / 1000:g}k" if number < 1e6 else f"{number / 1e6:g}M"


def _join_points(points: Sequence[Point]) -> dict[str, list[Point]]:
    joined: dict[str, list[Point]] = {}
    for point in points:
        joined.setdefault(point.name, []).append(point)
    return joined


def _write_labels(axis: Any, points: Sequence[Point]) -> None:
    """Write the names of points at free places."""
    where = axis.transData.transform([(p.words_per_second, p.su_f) for p in points])
    bounds = Box(*axis.get_window_extent().extents)
    first = {point.name: n for n, point in reversed(list(enumerate(points)))}
    names = [point.name if first[point.name] == n else "" for n, point in enumerate(points)]
    offsets = place_labels([(x, y) for x, y in where], names, bounds)
    for point, name, (offset, across, along) in zip(points, names, offsets, strict=True):
        axis.annotate(
            name, (point.words_per_second, point.su_f), offset, textcoords="offset points",
            ha=across, va=along, fontsize=FONT, color=LIGHT.series[GROUPS[point.group]],
            fontweight="bold" if point.group == "the identifier" else "normal",
        )  # fmt: skip


def place_labels(
    where: Sequence[tuple[float, float]], names: Sequence[str], bounds: Box
) -> list[tuple[tuple[float, float], str, str]]:
    """Choose for each label the first of PLACES that is inside the bounds and overlaps nothing.

    where: Coordinates of the points, in points of the page. If no place is free, the first is used.

    >>> place_labels([(50, 50), (60, 50)], ["a", "b"], Box(0, 0, 100, 100))[0][1:]
    ('right', 'center')
    """
    taken = [Box(x - 4, y - 4, x + 4, y + 4) for x, y in where]
    chosen = []
    for n, ((x, y), name) in enumerate(zip(where, names, strict=True)):
        free = (
            (place, box)
            for place in PLACES
            for box in [_find_box(x, y, name, place)]
            if bounds.left <= box.left and box.right <= bounds.right
            and bounds.low <= box.low and box.high <= bounds.high
            and not any(box.meets(other) for m, other in enumerate(taken) if m != n)
        )  # fmt: skip
        place, box = next(free, (PLACES[0], _find_box(x, y, name, PLACES[0])))
        taken.append(box)
        chosen.append(place)
    return chosen


def _find_box(x: float, y: float, name: str, place: Any) -> Box:
    (right, up), across, along = place
    width = LETTER * len(name)
    left = x + right - width * {"left": 0, "center": 0.5, "right": 1}[across]
    low = y + up - LINE * {"bottom": 0, "center": 0.5, "top": 1}[along]
    return Box(left, low, left + width, low + LINE)


def add_dark(svg: str) -> str:
    """Add style rules, so that a figure changes its colors in dark mode."""
    colors = dict(zip((*LIGHT[:3], *LIGHT.series), (*DARK[:3], *DARK.series), strict=True))
    colors[SHEETS["light"]] = SHEETS["dark"]
    rules = "".join(
        f'[style*="{what}: {light}"]{{{what}:{dark}!important}}'
        for light, dark in colors.items()
        for what in ("fill", "stroke")
    )
    head, opening, rest = svg.partition("<defs>")
    style = f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"
    return f"{head}{style}\n {opening}{rest}"

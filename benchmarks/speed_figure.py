"""Draw the figure of speed.py: words per second against SU F1, one panel per set of documents.

points of each set -> places of their labels -> SVG that is readable on light and dark pages
"""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any, NamedTuple

from studies.svg import draw_marker, draw_path, draw_rule, draw_text, make_figure, make_line

# Sizes in pixels: the figure, a panel, and its margins.
WIDTH, HEIGHT, LEFT, TOP, GAP = 640.0, 300.0, 34.0, 94.0, 66.0
GROUPS = {"the identifier": 0, "ours": 0, "spaCy": 1, "others": 4}  # colors of the series
SHAPES = {"the identifier": 1, "ours": 0, "spaCy": 0, "others": 0}  # markers
# People's words for the names in the report.
NAMES = {
    "sentence_identifier": "our model", "rule_sentencizer": "our rules in spaCy",
    "segment": "our rules", "senter w16 d2": "senter, small", "senter w96 d4": "senter, large",
}  # fmt: skip
KEY = {"ours": 0, "spaCy": 1, "others": 4}
STEP = 20  # percent between two horizontal lines
# Places of a label around its point: (offset, horizontal and vertical alignment).
PLACES = (
    ((7, 0), "left", "center"), ((-7, 0), "right", "center"), ((0, 7), "center", "bottom"),
    ((0, -7), "center", "top"), ((6, 7), "left", "bottom"), ((6, -7), "left", "top"),
    ((-6, 7), "right", "bottom"), ((-6, -7), "right", "top"), ((0, 16), "center", "bottom"),
    ((0, -16), "center", "top"), ((6, 16), "left", "bottom"), ((6, -16), "left", "top"),
    ((-6, 16), "right", "bottom"), ((-6, -16), "right", "top"),
)  # fmt: skip
FONT, LETTER, LINE = 12.0, 6.6, 14.0  # font size, width of a letter, height of a label


class Point(NamedTuple):
    """A system in a panel. A line joins points with the same name."""

    name: str
    group: str  # one of GROUPS
    words_per_second: float
    su_f: float  # percent


class Box(NamedTuple):
    """A rectangle in a panel, in pixels."""

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
    """Draw the figure as SVG, with the panels one below the other, on the same axes."""
    everything = [point for points in panels.values() for point in points]
    speeds = [point.words_per_second for point in everything]
    frame = Frame(log10(min(speeds) / 3), log10(max(speeds) * 2), 0.0, 100.0)
    parts = [
        draw_text(0, 22, "How fast are splitters, and how many sentences do they find?",
                  size=16, bold=True),
        draw_text(0, 42, "F1 of exact sentences in percent, against words a second on one core.",
                  color="soft", size=12),
        draw_text(0, 58, "Up is better, right is faster. A line joins two libraries for matrices.",
                  color="soft", size=12),
    ]  # fmt: skip
    x = 0.0
    for name, color in KEY.items():
        parts += [draw_marker(x + 6, 76, color, 0), draw_text(x + 18, 80, name, size=12)]
        x += 18 + LETTER * len(name) + 22
    top = TOP
    for title, points in panels.items():
        parts += _draw_panel(frame, title, points, top + 26)
        top += HEIGHT + GAP
    return make_figure(parts, WIDTH, top, summary=summarize(panels))


def summarize(panels: dict[str, Sequence[Point]]) -> str:
    """Describe the figure for readers who cannot see it."""
    texts = [
        f"{title}: "
        + "; ".join(
            f"{point.name}: {point.su_f:.1f} percent, {point.words_per_second:,.0f} words a second"
            for point in points
        )
        for title, points in panels.items()
    ]
    return f"Chart: F1 of exact sentences against speed. {'. '.join(texts)}."


class Frame(NamedTuple):
    """The limits of the axes: log10 of words per second, and percent."""

    slow: float
    fast: float
    low: float
    high: float

    def place(self, speed: float, score: float) -> tuple[float, float]:
        """Convert a point to coordinates in a panel, from its lower left corner."""
        across = (log10(speed) - self.slow) / (self.fast - self.slow)
        along = (score - self.low) / (self.high - self.low)
        return across * (WIDTH - LEFT - 8), along * HEIGHT


def _draw_panel(frame: Frame, title: str, points: Sequence[Point], top: float) -> list[str]:
    bottom = top + HEIGHT
    parts = [draw_text(0, top - 10, title, bold=True)]
    for score in range(int(frame.low), int(frame.high) + 1, STEP):
        y = bottom - frame.place(1, score)[1]
        parts += [
            draw_rule(LEFT, y, WIDTH - 8, y),
            draw_text(LEFT - 8, y + 4, f"{score}", color="soft", size=11.5, anchor="end"),
        ]
    for power in range(ceil(frame.slow), floor(frame.fast) + 1):
        x = LEFT + frame.place(10**power, 0)[0]
        parts += [
            draw_rule(x, top, x, bottom),
            draw_text(x, bottom + 16, shorten(10**power), color="soft", size=11.5,
                      anchor="middle"),
        ]  # fmt: skip
    parts.append(draw_text(WIDTH - 8, bottom + 34, "words a second", color="soft", size=11.5,
                           anchor="end"))  # fmt: skip
    places = {point: frame.place(point.words_per_second, point.su_f) for point in points}
    for same in _join_points(points).values():
        where = [(LEFT + x, bottom - y) for x, y in (places[point] for point in same)]
        color = GROUPS[same[0].group]
        if len(where) > 1:
            parts.append(draw_path(color, make_line(where), width=1.2))
        parts += [draw_marker(x, y, color, SHAPES[same[0].group]) for x, y in where]
    return [*parts, *_draw_labels(points, list(places.values()), bottom)]


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


def _draw_labels(
    points: Sequence[Point], where: Sequence[tuple[float, float]], bottom: float
) -> list[str]:
    """Write the names of points at free places. Coordinates are from the lower left corner."""
    bounds = Box(0, 0, WIDTH - LEFT - 8, HEIGHT)
    first = {point.name: n for n, point in reversed(list(enumerate(points)))}
    names = [
        NAMES.get(point.name, point.name) if first[point.name] == n else ""
        for n, point in enumerate(points)
    ]
    anchors = {"left": "start", "center": "middle", "right": "end"}
    below = {"bottom": 0.0, "center": 4.0, "top": 9.0}  # from the place to the base line
    parts = []
    chosen = place_labels(where, names, bounds)
    for point, name, (x, y), ((right, up), across, along) in zip(
        points, names, where, chosen, strict=True
    ):
        if name:
            parts.append(
                draw_text(
                    LEFT + x + right,
                    bottom - y - up + below[along],
                    name,
                    size=FONT,
                    color=f"s{GROUPS[point.group]}",
                    anchor=anchors[across],
                    bold=point.group == "the identifier",
                )
            )
    return parts


def place_labels(
    where: Sequence[tuple[float, float]], names: Sequence[str], bounds: Box
) -> list[tuple[tuple[float, float], str, str]]:
    """Choose for each label the first of PLACES that is inside the bounds and overlaps nothing.

    where: Coordinates of the points, upwards. If no place is free, the first is used.

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

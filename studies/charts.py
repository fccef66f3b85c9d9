"""Charts with a marker and a bar for each value, for the report, the docs and papers.

entries with marks -> panels with limits and ticks -> shapes -> SVG that follows the reader's theme
"""

import textwrap
from collections.abc import Iterator, Sequence

from studies.panels import Chart, Mark, Panel, Role, find_limits, list_ticks
from studies.svg import (
    BOLD_LETTER,
    LETTER,
    draw_area,
    draw_marker,
    draw_path,
    draw_rule,
    draw_text,
    make_figure,
    make_line,
    make_rectangle,
)

# Series of a role: index of the color and of the marker.
ROLES: dict[Role, int] = {"ours": 0, "paper": 1, "other": 4}
ROLE_NAMES: dict[Role, str] = {"ours": "ours", "paper": "the paper", "other": "others"}
# Sizes in pixels. A figure is narrow enough to be readable on a phone.
WIDTH, LABEL, VALUE = 520.0, 178.0, 100.0
LEFT, RIGHT = LABEL + 12, WIDTH - VALUE - 8
ROW, GROUP, LINE = 26.0, 10.0, 17.0  # heights of a row, of a group in it, of a line of text
CURVES = 170.0  # height of a panel of lines
BETWEEN = 28.0  # height between two charts
LARGE, NORMAL, SMALL = 17.0, 14.0, 12.0  # font sizes of titles, of labels, of axes and notes


def draw_chart(chart: Chart) -> str:
    """Draw one chart as an SVG file."""
    return draw_charts([chart])


def draw_charts(charts: Sequence[Chart]) -> str:
    """Draw charts as one SVG file, one below the other."""
    parts: list[str] = []
    y = 6.0
    for chart in charts:
        drawn, y = _draw(chart, y + (BETWEEN if parts else 0))
        parts += drawn
    return make_figure(parts, WIDTH, y, summary=" ".join(map(summarize, charts)))


def summarize(chart: Chart) -> str:
    """Describe a chart in a sentence for each panel, for readers who cannot see it."""
    texts = [f"Chart: {chart.title} {chart.about}".strip()]
    for panel in chart.panels:
        values = "; ".join(f"{row.label}: {row.text}" for row in panel.entries if row.text)
        if values:
            texts.append(f"{panel.title or panel.unit}: {values}.")
    return " ".join(texts)


def _draw(chart: Chart, y: float) -> tuple[list[str], float]:
    """Draw a chart below `y`. Return its shapes and its lower end."""
    limits, notes = find_limits(chart.panels)
    parts: list[str] = []
    for line in _wrap(chart.title, LARGE, bold=True):
        y += 20
        parts.append(draw_text(0, y, line, size=LARGE, bold=True))
    y += 4
    for line in _wrap(" ".join([chart.about, *notes]).strip(), SMALL):
        y += LINE
        parts.append(draw_text(0, y, line, color="soft", size=SMALL))
    drawn, y = _draw_key(chart, y + 8)
    parts += drawn
    for panel, found in zip(chart.panels, limits, strict=True):
        draw = _draw_curves if panel.lines else _draw_panel
        drawn, y = draw(chart, panel, found, y + 8)
        parts += drawn
    return parts, y


def _draw_key(chart: Chart, y: float) -> tuple[list[str], float]:
    """Draw the names of the series or roles, and of the band."""
    keys = [(n, n, name) for n, name in enumerate(chart.series)]
    if not keys and _has_roles(chart):
        roles = _list_roles(chart)
        keys = [(n, n, ROLE_NAMES[role]) for role, n in ROLES.items() if role in roles]
    if chart.band:
        keys.append((-1, -1, chart.band))
    parts: list[str] = []
    x = 0.0
    for color, shape, name in keys:
        width = 20 + len(name) * LETTER * SMALL + 16
        if x and x + width > WIDTH:
            x, y = 0.0, y + LINE + 2
        if color < 0:
            parts.append(draw_area(4, make_rectangle(x, y + 2, x + 12, y + 14), opacity=0.22))
        else:
            parts.append(draw_marker(x + 6, y + 8, color, shape))
        parts.append(draw_text(x + 18, y + 12, name, size=SMALL))
        x += width
    return parts, y + (LINE + 4 if keys else 0)


def _wrap(text: str, size: float, width: float = WIDTH, *, bold: bool = False) -> list[str]:
    """Split a text into lines that are not wider than a part of the figure."""
    letter = size * (BOLD_LETTER if bold else LETTER)
    return textwrap.wrap(text, int(width / letter), break_on_hyphens=False)


def _list_roles(chart: Chart) -> set[Role]:
    return {entry.role for panel in chart.panels for entry in panel.entries}


def _has_roles(chart: Chart) -> bool:
    """Check if a chart compares ours with others. If not, all rows look alike."""
    return len(_list_roles(chart)) > 1


def _place(value: float, limits: tuple[float, float], start: float, end: float) -> float:
    """Convert a value to a coordinate. Values outside the limits are put on them."""
    share = (value - limits[0]) / ((limits[1] - limits[0]) or 1.0)
    return start + min(max(share, 0.0), 1.0) * (end - start)


def _draw_panel(
    chart: Chart, panel: Panel, limits: tuple[float, float], y: float
) -> tuple[list[str], float]:
    """Draw a panel of rows."""
    parts: list[str] = []
    for line in _wrap(panel.title, NORMAL, bold=True):
        y += LINE + 2
        parts.append(draw_text(0, y, line, size=NORMAL, bold=True))
    top = y = y + (6 if panel.title else 0)
    n_groups = max(len(chart.series), 1)
    rows: list[str] = []
    for entry in panel.entries:
        bold = entry.role == "ours" and _has_roles(chart)
        lines = _wrap(entry.label, NORMAL, LABEL, bold=bold) or [""]
        height = max(ROW, GROUP * n_groups + 8, LINE * len(lines) + 6)
        middle = y + height / 2
        for n, line in enumerate(lines):
            base = middle + 4.5 + LINE * (n - (len(lines) - 1) / 2)
            rows.append(draw_text(LABEL, base, line, size=NORMAL, anchor="end", bold=bold))
        for mark in entry.marks:
            shift = (mark.series - (n_groups - 1) / 2) * GROUP
            series = ROLES[entry.role] if _has_roles(chart) and not chart.series else mark.series
            rows += _draw_mark(mark, series, limits, middle + shift)
        rows.append(draw_text(RIGHT + 12, middle + 4.5, entry.text, size=13, bold=bold))
        y += height
    if panel.band:
        ends = [_place(x, limits, LEFT, RIGHT) for x in (panel.band.low, panel.band.high)]
        middle = (ends[0] + ends[1]) / 2
        half = max(ends[1] - ends[0], 1.5) / 2
        parts.append(draw_area(4, make_rectangle(middle - half, top, middle + half, y),
                               opacity=0.22))  # fmt: skip
    for tick in list_ticks(limits):
        x = _place(tick, limits, LEFT, RIGHT)
        parts += [
            draw_rule(x, top, x, y, width=1 if tick or panel.possible else 2.5),
            draw_text(x, y + 15, f"{tick:g}", color="soft", size=SMALL, anchor="middle"),
        ]
    parts.append(draw_text(RIGHT + 24, y + 15, panel.unit, color="soft", size=SMALL))
    return [*parts, *rows], y + 20


def _draw_mark(mark: Mark, series: int, limits: tuple[float, float], y: float) -> Iterator[str]:
    """Draw a marker and its bar, which ends at the limits of the axis."""
    low, x, high = (_place(v, limits, LEFT, RIGHT) for v in (mark.low, mark.value, mark.high))
    if high - low > 1:
        yield draw_path(series, make_line([(low, y), (high, y)]), width=2)
        for end in (low, high):
            yield draw_path(series, make_line([(end, y - 3.5), (end, y + 3.5)]), width=1.4)
    yield draw_marker(x, y, series, series)


def _draw_curves(
    chart: Chart, panel: Panel, limits: tuple[float, float], y: float
) -> tuple[list[str], float]:
    """Draw a panel of lines, with the labels of the entries as their places on the x axis."""
    places = [float(entry.label) for entry in panel.entries]
    across, left, right = (min(places), max(places)), 40.0, WIDTH - 60.0
    y += LINE + 2
    top, bottom = y + 8, y + 8 + CURVES
    parts: list[str] = []
    for line in _wrap(f"{panel.title}, {panel.unit}", NORMAL, bold=True):
        parts.append(draw_text(0, y, line, size=NORMAL, bold=True))
        y += LINE
    y -= LINE
    for tick in list_ticks(limits):
        height = _place(tick, limits, bottom, top)
        parts += [
            draw_rule(left, height, right, height),
            draw_text(left - 8, height + 4, f"{tick:g}", color="soft", size=SMALL, anchor="end"),
        ]
    for tick in list_ticks(across):
        x = _place(tick, across, left, right)
        parts.append(draw_text(x, bottom + 16, f"{tick:g}", color="soft", size=SMALL,
                               anchor="middle"))  # fmt: skip
    parts.append(draw_text(right + 10, bottom + 16, chart.x, color="soft", size=SMALL))
    for series in range(max(len(chart.series), 1)):
        found = [
            (_place(place, across, left, right), mark)
            for place, entry in zip(places, panel.entries, strict=True)
            for mark in entry.marks
            if mark.series == series
        ]
        if not found:
            continue
        low = [(x, _place(mark.low, limits, bottom, top)) for x, mark in found]
        high = [(x, _place(mark.high, limits, bottom, top)) for x, mark in found]
        points = [(x, _place(mark.value, limits, bottom, top)) for x, mark in found]
        parts.append(draw_area(series, make_line([*low, *reversed(high)]) + "Z"))
        parts.append(draw_path(series, make_line(points)))
        parts += [draw_marker(x, height, series, series, size=3) for x, height in points]
    return parts, bottom + 22

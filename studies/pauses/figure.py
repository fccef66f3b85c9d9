"""Figure 2 as SVG, drawn from the statistics of pauses."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from spacy_sentid.files.atomic import open_output
from studies.pauses.statistics import DURATION_BINS, ProbBin
from studies.svg import draw_area, draw_rule, draw_text, make_figure, make_rectangle

# Longer pauses are darker, so that the figure can be read without color.
SHADES = (0.22, 0.42, 0.66, 1.0)
# Sizes in pixels. A bar is as high as a percent is HEIGHT / 100.
WIDTH, LEFT, HEIGHT, BAR, TOP = 640.0, 40.0, 300.0, 84.0, 112.0
TITLE = "Are the pauses of speech between words, and how long are they?"
FULL = 100


def draw_pauses(bins: Sequence[ProbBin], path: Path) -> None:
    """Draw Figure 2 as SVG, with a bar for each probability bin, stacked by duration, in percent.

    The label below a bar shows its bin and its share of all pauses. The label above shows its
    accuracy if there is gold.
    """
    bottom = TOP + HEIGHT
    total = sum(row.n for row in bins)
    parts = [
        draw_text(0, 22, TITLE, size=16, bold=True),
        draw_text(0, 42, f"{total:,} pauses, by the probability of a word boundary; percent of "
                  "each bin.", color="soft", size=12),
        *_draw_key(),
    ]  # fmt: skip
    for percent in range(0, FULL + 1, 20):
        y = bottom - percent * HEIGHT / FULL
        parts += [
            draw_rule(LEFT, y, WIDTH, y),
            draw_text(LEFT - 8, y + 4, f"{percent}", color="soft", size=11.5, anchor="end"),
        ]
    for n, row in enumerate(bins):
        middle = LEFT + (n + 0.5) * (WIDTH - LEFT) / len(bins)
        parts += _draw_bar(row, middle, bottom)
    figure = make_figure(parts, WIDTH, bottom + 62, summary=f"Chart: {TITLE} {_summarize(bins)}")
    with open_output(path) as file:
        file.write(figure)


def _summarize(bins: Sequence[ProbBin]) -> str:
    return "; ".join(f"{row.name}: {FULL * row.overall:.1f} percent of all" for row in bins)


def _draw_key() -> Iterator[str]:
    x = 0.0
    for name, shade in zip(DURATION_BINS, SHADES, strict=True):
        yield draw_area(0, make_rectangle(x, 58, x + 14, 72), opacity=shade)
        yield draw_text(x + 20, 70, f"{name} ms", size=12)
        x += 20 + 7 * len(f"{name} ms") + 14


def _draw_bar(row: ProbBin, middle: float, bottom: float) -> Iterator[str]:
    below = bottom
    for name, shade in zip(DURATION_BINS, SHADES, strict=True):
        percent = FULL * row.internal[name]
        above = below - percent * HEIGHT / FULL
        path = make_rectangle(middle - BAR / 2, above, middle + BAR / 2, below)
        yield draw_area(0, path, opacity=shade)
        if percent:
            text = f"{percent:.1f}"
            yield draw_text(middle + BAR / 2 + 5, (above + below) / 2 + 4, text, size=11)
        below = above
    if row.accuracy is not None:
        text = f"accuracy {FULL * row.accuracy:.1f}"
        yield draw_text(middle, TOP - 8, text, size=12, color="s1", anchor="middle", bold=True)
    labels = (row.name, f"{FULL * row.overall:.1f}% of all", f"n = {row.n:,}")
    for n, label in enumerate(labels):
        color = "soft" if n else "ink"
        yield draw_text(middle, bottom + 18 + 17 * n, label, size=12, color=color, anchor="middle")

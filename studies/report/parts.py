"""What a report is made of: tables and charts as plain data, in sections.

scores (0 to 1) -> cells in percent; values -> charts that are still to be drawn
"""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple, TypeAlias

NONE = "-"  # in tables, where there is no value
MAX_DRAWN = 1e15  # far beyond, matplotlib fails to draw


class Source(NamedTuple):
    """One JSON file that was read, or one part of it."""

    name: str  # as it is called on the page
    data: Any
    file: str = ""  # that it is a part of; "" = it is the whole file


class Table(NamedTuple):
    """A table of text."""

    title: str
    rows: Sequence[Sequence[str]]  # the heading first
    notes: Sequence[str] = ()
    n_left: int = 1  # columns that are words


class Value(NamedTuple):
    """What is drawn as a mark: a mean, and the deviation around it where it is known.

    Numbers of a file are made marks by `make_value`, which looks at them.
    """

    mean: float
    sd: float | None = None


class Series(NamedTuple):
    """Marks that look the same, one a row (a line: one an x); None where there is none."""

    name: str  # in the legend; series of one name stand there once
    values: Sequence[Value | None]
    color: int | None = None  # number of the colour; None = by the place in the panel
    is_hollow: bool = False  # for what others have measured


class Panel(NamedTuple):
    """One pair of axes."""

    title: str
    series: Sequence[Series]
    band: Value | None = None  # to compare with, shaded: mean and sd


class Dots(NamedTuple):
    """Marks on horizontal axes, a row for each name."""

    title: str
    rows: Sequence[str]
    panels: Sequence[Panel]
    axis: str = "percent"
    from_zero: bool = False
    is_log: bool = False
    side_by_side: bool = True  # the series of a row, else one over the other


class Lines(NamedTuple):
    """Lines over a number, with bands of the deviation."""

    title: str
    xs: Sequence[float]
    x_axis: str
    panels: Sequence[Panel]
    axis: str = "percent"


Chart: TypeAlias = Dots | Lines
Part: TypeAlias = Table | Dots | Lines


class Section(NamedTuple):
    """What one kind of result has to show."""

    title: str
    about: str
    files: Sequence[str]
    parts: Sequence[Part]


def percent(value: Any, digits: int = 1) -> str:
    """Write a share in percent.

    >>> percent(0.9774), percent(None)
    ('97.7', '-')
    """
    return NONE if value is None else f"{100 * value:.{digits}f}"


def percent_of(value: Value | None, digits: int = 1) -> str:
    """Write mean and deviation of what is drawn (already in percent).

    >>> percent_of(Value(93.04, 1.36)), percent_of(Value(93.04)), percent_of(None)
    ('93.0±1.4', '93.0', '-')
    """
    if value is None:
        return NONE
    text = f"{value.mean:.{digits}f}"
    return text if value.sd is None else f"{text}±{value.sd:.{digits}f}"


def summarise(values: Sequence[float]) -> Value | None:
    """Take mean and sample standard deviation of shares, in percent; the latter from two on.

    >>> summarise([0.5, 0.52]), summarise([0.5]), summarise([])
    (Value(mean=51.0, sd=1.4142135623730963), Value(mean=50.0, sd=None), None)
    """
    if not values:
        return None
    sd = 100 * stdev(values) if len(values) > 1 else None
    return make_value(100 * fmean(values), sd)


def in_percent(mean: float | None, sd: float | None = None) -> Value | None:
    """Make a mark of a share and its deviation; None for none.

    >>> in_percent(0.5), in_percent(None)
    (Value(mean=50.0, sd=None), None)
    """
    return make_value(None if mean is None else 100 * mean, None if sd is None else 100 * sd)


def make_value(mean: float | None, sd: float | None = None) -> Value | None:
    """Make a mark of a number and its deviation; None for none. NaN counts as none.

    Raises ValueError for what cannot be drawn: a number beyond MAX_DRAWN, a deviation below 0.

    >>> make_value(90.0, float("nan")), make_value(None)
    (Value(mean=90.0, sd=None), None)
    """
    if mean is None or math.isnan(mean):
        return None
    sd = None if sd is None or math.isnan(sd) else sd
    if abs(mean) > MAX_DRAWN or not 0 <= (sd or 0) <= MAX_DRAWN:
        raise ValueError(
            f"Found {mean!r} with deviation {sd!r}, expected numbers up to {MAX_DRAWN:g}, the "
            "deviation 0 or more. Make the file again."
        )
    return Value(mean, sd)


def has_keys(data: Any, **types: type) -> bool:
    """Tell whether JSON is an object with these keys, of these types.

    float: any number, for JSON of other programs has 1 for 1.0.

    >>> has_keys({"runs": [], "n": 1}, runs=list, n=float), has_keys({"runs": {}}, runs=list)
    (True, False)
    """
    return isinstance(data, Mapping) and all(
        _is_a(data.get(key), expected) for key, expected in types.items()
    )


def _is_a(value: Any, expected: type) -> bool:
    if isinstance(value, bool):  # for Python an int
        return expected is bool
    return isinstance(value, int | float if expected is float else expected)


def with_name(name: str, label: str, *, several: bool) -> str:
    """Put the name of a file before a label, where there are several files.

    >>> with_name("seed-1", "ours", several=True), with_name("seed-1", "ours", several=False)
    ('seed-1: ours', 'ours')
    """
    return f"{name}: {label}" if several else label

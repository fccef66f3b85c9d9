"""The results of studies, in one schema, and the tables that show them.

rows (study, system, seed, setting, metric, value) -> cells: mean and deviation -> Markdown

A file of results is JSON. It has a description (study, title, about, command, version, settings),
the tables that show the results, and the rows, one per line. All rows of a file are of one study,
so its name is written once.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from spacy_sentid.about import __version__
from spacy_sentid.files.atomic import open_output
from spacy_sentid.files.reading import name_file
from spacy_sentid.messages import shorten
from studies.summaries import Summary, compare_means, find_interval

Setting = Mapping[str, str | int | float]
ROW = ("system", "seed", "setting", "metric", "value")
# If a value is a mean over seeds: the metric with the number of seeds, and the suffix of the metric
# with the deviation.
SEEDS, SD = "seeds", "_sd"
LEVEL = 0.05  # significance level


class Row(NamedTuple):
    """One number of a study."""

    system: str
    seed: int | None  # seed of the training; None = no training, or the value is a mean
    setting: Setting  # other keys that identify a row, e.g. the language or the test set
    metric: str
    value: int | float  # shares are in [0, 1]


class Part(BaseModel):
    """A part of a table."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Column(Part):
    """A column of a table, which shows a metric, optionally of one setting or system."""

    title: str
    metric: str
    system: str = ""  # "" = the system of the line
    setting: Setting = {}
    group: str = ""  # prefix of the heading; the columns of a group are one series of a chart
    percent: bool = True
    digits: int = 1
    signed: bool = False
    higher_is_better: bool = True
    # Metric with the number of items, for a share of few items. The cell then shows the interval of
    # the share, which is inside [0, 1], instead of the deviation. All seeds use the same items, so
    # more seeds do not make the interval narrower.
    trials: str = ""

    @property
    def heading(self) -> str:
        """The title, after that of the group if there is one."""
        return f"{self.group}: {self.title}" if self.group else self.title


class Line(Part):
    """A row of a table, which shows a system, optionally in one setting."""

    labels: list[str]
    system: str = ""  # "" = the system of the column
    setting: Setting = {}
    role: Literal["ours", "paper", "other"] = "other"  # charts emphasize ours


class Table(Part):
    """A table or a chart. Each cell summarizes the rows with the settings of its line and column.

    A chart has a panel for each column title, and a series for each group. Its title is a question.
    In a chart of lines, the first label of each line is a number, its position on the x axis.
    """

    title: str
    about: str = ""  # what a chart shows, in a sentence below its title
    ranked: bool = False  # whether the rows of a chart are sorted by value
    heads: list[str]  # headings of the labels
    lines: list[Line]
    columns: list[Column]
    notes: list[str] = []
    show: Literal["table", "dots", "lines"] = "table"
    # Index of the line to compare with. A bold + or - marks a mean that is better or worse by more
    # than the deviation of this line.
    baseline: int | None = None
    # Letter -> setting of the rows "difference" and "p" of a test. The letter marks significant
    # differences.
    tests: dict[str, Setting] = {}


class Results(BaseModel):
    """The results of a study."""

    model_config = ConfigDict(extra="forbid")

    study: str
    title: str
    about: list[str] = []  # paragraphs that describe what was measured, and how
    command: str = ""  # the command that computes the results
    version: str = __version__  # version of spacy-sentid
    settings: dict[str, Any] = {}  # the settings that the results depend on
    tables: list[Table] = []
    rows: list[Row] = []

    @cached_property
    def _by_place(self) -> dict[Any, list[Row]]:
        places: dict[Any, list[Row]] = {}
        for row in self.rows:
            places.setdefault(_place(row.system, row.setting, row.metric), []).append(row)
        return places

    def values(self, system: str, metric: str, setting: Mapping[str, Any] | None = None) -> list:
        """List the values of a metric over the seeds, from rows with exactly this setting."""
        rows = self._by_place.get(_place(system, setting or {}, metric), [])
        return [row.value for row in rows]

    def summarize(self, line: Line, column: Column) -> Summary | None:
        """Compute the mean and the deviation of a cell. Return None if it has no values."""
        setting = {**line.setting, **column.setting}
        system = column.system or line.system
        rows = self._by_place.get(_place(system, setting, column.metric), [])
        if not rows:
            return None
        values = [row.value for row in rows]
        sds = self.values(system, column.metric + SD, setting)
        sd = stdev(values) if len(values) > 1 else next(iter(sds), None)
        n_seeds = len({row.seed for row in rows} - {None})
        known = self.values(system, SEEDS, setting)
        found = Summary(fmean(values), sd, n_seeds or next(iter(known), 0))
        n_trials = max(self.values(system, column.trials, setting), default=0)
        return found._replace(interval=find_interval(found.mean, n_trials)) if n_trials else found


def _place(system: str, setting: Mapping[str, Any], metric: str) -> Any:
    return system, frozenset(setting.items()), metric


def list_rows(
    system: str, seed: int | None, setting: Mapping[str, Any], scores: Mapping[str, float | None]
) -> list[Row]:
    """Make a row for each score of a run, except scores of None."""
    return [
        Row(system, seed, dict(setting), metric, value)
        for metric, value in scores.items()
        if value is not None
    ]


def read_results(path: Path) -> Results:
    """Read a file of results. Raise ValueError with its name if it is not one."""
    with name_file(path, expected="results of a study", advice="Run the study again."):
        data = json.loads(path.read_text(encoding="utf8"))
        columns = data.pop("columns", None) if isinstance(data, dict) else None
        if columns != list(ROW):
            raise ValueError(f"columns must be {', '.join(ROW)}, got {shorten(columns)}")
        return Results(**data)


def write_results(results: Results, path: Path) -> list[Path]:
    """Write results as JSON, and next to it their tables as Markdown and their charts as SVG.

    path: Path of the JSON file, with or without the suffix ".json".
    RETURNS: The paths of the files.
    """
    data = results.model_dump(exclude={"rows"}, exclude_defaults=True)
    data |= {"version": results.version, "columns": ROW, "rows": []}
    head = json.dumps(data, indent=1, ensure_ascii=False).removesuffix("[]\n}")
    rows = (json.dumps(row, ensure_ascii=False) for row in results.rows)
    files = [add_suffix(path, suffix) for suffix in ("json", "md")]
    with open_output(files[0]) as file:
        file.write(head + "[\n" + ",\n".join(rows) + "\n]}\n")
    with open_output(files[1]) as file:
        file.write(format_markdown(results))
    if any(table.show != "table" for table in results.tables):
        from studies.table_charts import draw_results

        files.append(add_suffix(path, "svg"))
        with open_output(files[-1]) as file:
            file.write(draw_results(results))
    return files


def add_suffix(path: Path, suffix: str) -> Path:
    """Replace the suffix ".json" or append a suffix. Other dots are part of the name.

    >>> add_suffix(Path("study-2.8"), "md").name, add_suffix(Path("a.json"), "md").name
    ('study-2.8.md', 'a.md')
    """
    return path.with_name(f"{path.name.removesuffix('.json')}.{suffix}")


def format_markdown(results: Results) -> str:
    """Format the tables of results as Markdown, except those without values."""
    parts = [f"# {results.title}", *results.about]
    if results.command:
        parts.append(f"Made by `{results.command}` (spacy-sentid {results.version}).")
    for table in results.tables:
        rows = list_cells(results, table) if table.show == "table" else []
        if len(rows) > 1:
            parts += [f"## {table.title}", format_table(rows, n_left=len(table.heads))]
            parts += table.notes
    return "\n\n".join(parts) + "\n"


def format_table(rows: Sequence[Sequence[str]], *, n_left: int = 1) -> str:
    """Format a table as Markdown. The first `n_left` columns are left-aligned.

    >>> print(format_table([["system", "F1"], ["ours", "51.0"]]))
    | system | F1 |
    | --- | ---: |
    | ours | 51.0 |
    """
    head, *others = rows
    rule = ["---"] * n_left + ["---:"] * (len(head) - n_left)
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *others))


def list_cells(results: Results, table: Table) -> list[list[str]]:
    """Lay out a table as rows of cells, the heading first.

    Lines and columns without values are omitted. The number of seeds comes after the labels.
    """
    found = [[results.summarize(line, column) for column in table.columns] for line in table.lines]
    columns = [n for n in range(len(table.columns)) if any(row[n] for row in found)]
    lines = [n for n, row in enumerate(found) if any(row)]
    n_seeds = [max((cell.n_seeds for cell in row if cell), default=0) for row in found]
    with_seeds = any(n_seeds[n] for n in lines)
    heads = [*table.heads, *(["seeds"] if with_seeds else [])]
    rows = [[*heads, *(table.columns[n].heading for n in columns)]]
    for n in lines:
        cells = [
            " ".join(
                [format_cell(found[n][c], table.columns[c]), *_list_marks(results, table, n, c)]
            )
            for c in columns
        ]
        seeds = [str(n_seeds[n] or "")] if with_seeds else []
        rows.append([*table.lines[n].labels, *seeds, *cells])
    return rows


def format_cell(found: Summary | None, column: Column) -> str:
    """Format a mean and its deviation.

    >>> format_cell(Summary(0.51, 0.0141, 2), Column(title="F1", metric="f"))
    '51.0±1.4'
    >>> format_cell(Summary(12345), Column(title="words", metric="n", percent=False, digits=0))
    '12,345'
    """
    if found is None:
        return ""
    scale = 100 if column.percent else 1
    mean = round(scale * found.mean, column.digits) or 0.0  # no "-0.0"
    text = f"{mean:{'+' if column.signed and mean else ''},.{column.digits}f}"
    if found.interval is not None:
        low, high = (f"{scale * bound:.{column.digits}f}" for bound in found.interval)
        return f"{text} [{low}-{high}]"
    return text if found.sd is None else f"{text}±{scale * found.sd:,.{column.digits}f}"


def _list_marks(results: Results, table: Table, n_line: int, n_column: int) -> Iterable[str]:
    """List the marks of a cell for the comparison with the baseline and for the tests."""
    line, column = table.lines[n_line], table.columns[n_column]
    if table.baseline is not None and n_line != table.baseline:
        mark = compare_means(
            results.summarize(line, column),
            results.summarize(table.lines[table.baseline], column),
            higher_is_better=column.higher_is_better,
        )
        if mark:
            yield f"**{mark}**"
    for letter, versus in table.tests.items():
        setting = {**line.setting, **column.setting, **versus}
        difference = results.values(line.system, "difference", setting)
        p = results.values(line.system, "p", setting)
        if difference and difference[0] and p[0] < LEVEL:
            yield f"{letter}{'+' if difference[0] > 0 else '-'}"

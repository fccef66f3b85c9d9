"""The page of a report: sections as HTML, their charts as SVG.

Sections -> HTML that `make_page` puts into a page; figure files
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

from spacy_sentid.files.atomic import open_binary_output
from spacy_sentid.view.page import escape_text, make_page
from studies.report.charts import DARK_SERIES, PAPER, draw_files, draw_svg
from studies.report.drawing import NARROW, WIDE
from studies.report.parts import Chart, Part, Section, Table

LONG_HEADING, LONG_CELL = 14, 34  # characters: longer ones are broken
MAX_FILE_NAME = 180  # bytes: file systems allow 255, with number and suffix
STYLE_FILE = Path(__file__).parent / "report.css"


def build_page(title: str, sections: Sequence[Section]) -> str:
    """Write the page: contents, then a section for each kind of result."""
    body = [_list_contents(sections)]
    for number, section in enumerate(sections):
        body += _write_section(section, f"s{number}")
    return make_page(title, "\n".join(body), style=make_style())


def make_style() -> str:
    """Write the style of reports: the colours of the charts and what is in report.css."""
    pairs = zip(PAPER.series, DARK_SERIES, strict=True)
    colors = " ".join(
        f"--plot-{n}: light-dark({light}, {dark});" for n, (light, dark) in enumerate(pairs)
    )
    return STYLE_FILE.read_text(encoding="utf8").replace("/* series */", colors)


def list_charts(sections: Sequence[Section]) -> dict[str, Chart]:
    """List the charts of a page, in its order, by names that files can have."""
    charts: dict[str, Chart] = {}
    for section in sections:
        for part in section.parts:
            if isinstance(part, Table):
                continue
            stem = _file_name(f"{section.title} {part.title}")
            numbered = (f"{stem}-{number}" for number in count(2))
            name = stem if stem not in charts else next(n for n in numbered if n not in charts)
            charts[name] = part
    return charts


def write_figures(charts: Mapping[str, Chart], folder: Path) -> Iterator[Path]:
    """Write charts as SVG, PDF and PNG, on white; yield each file when it is there."""
    for name, chart in charts.items():
        for suffix, content in draw_files(chart).items():
            path = folder / f"{name}.{suffix}"
            with open_binary_output(path) as file:
                file.write(content)
            yield path


def _list_contents(sections: Sequence[Section]) -> str:
    """Write what is on the page, with the files of each section."""
    items = [
        f'<li><a href="#s{n}">{escape_text(section.title)}</a> '
        f'<span class="files">{_files(section)}</span></li>'
        for n, section in enumerate(sections)
    ]
    return f'<nav class="contents" aria-label="Contents"><ol>{"".join(items)}</ol></nav>'


def _files(section: Section) -> str:
    return ", ".join(f"<bdi>{escape_text(name)}</bdi>" for name in dict.fromkeys(section.files))


def _write_section(section: Section, name: str) -> Iterator[str]:
    yield f'<section class="result" id="{name}" aria-labelledby="{name}-title">'
    yield f'<h2 id="{name}-title">{escape_text(section.title)}</h2>'
    yield f'<p class="about">{escape_text(section.about)}</p>'
    yield f'<p class="files">Files: {_files(section)}</p>'
    yield '<div class="parts">'
    for number, part in enumerate(section.parts):
        yield _write_part(part, f"{name}-{number}")
    yield "</div></section>"


def _write_part(part: Part, name: str) -> str:
    return _write_table(part) if isinstance(part, Table) else _write_chart(part, name)


def _write_chart(chart: Chart, name: str) -> str:
    """Write a chart for wide and for narrow windows; the page shows one of them."""
    title = escape_text(chart.title)
    variants = [
        f'<div class="{kind}">{draw_svg(chart, width=width, prefix=f"{name}{kind}-")}</div>'
        for kind, width in (("for-wide", WIDE), ("for-narrow", NARROW))
    ]
    label = f"Chart: {title}. The numbers are in the tables."
    return (
        f'<figure class="chart"><figcaption>{title}</figcaption>'
        f'<div role="img" aria-label="{label}">{"".join(variants)}</div></figure>'
    )


def _write_table(table: Table) -> str:
    """Write a table; a wide one scrolls on its own, also by keyboard."""
    title = escape_text(table.title)
    head, *rows = table.rows
    heads = "".join(
        f'<th scope="col"{_side(n, table, str(cell), LONG_HEADING)}>{escape_text(str(cell))}</th>'
        for n, cell in enumerate(head)
    )
    lines = [f'<figure class="numbers"><figcaption>{title}</figcaption>']
    lines.append(f'<div class="scroll" tabindex="0" role="region" aria-label="Table: {title}">')
    lines.append(f"<table><thead><tr>{heads}</tr></thead><tbody>")
    for row in rows:
        cells = "".join(
            f"<{tag}{_side(n, table, str(cell), LONG_CELL)}>{_write_cell(str(cell))}</{tag[:2]}>"
            for n, cell in enumerate(row)
            for tag in ('th scope="row"' if n == 0 else "td",)
        )
        lines.append(f"<tr>{cells}</tr>")
    lines.append("</tbody></table></div>")
    if table.notes:
        notes = "".join(f"<li><bdi>{escape_text(str(note))}</bdi></li>" for note in table.notes)
        lines.append(f'<ul class="notes">{notes}</ul>')
    return "\n".join([*lines, "</figure>"])


def _write_cell(cell: str) -> str:
    """Write a cell: a deviation is smaller than its mean.

    >>> _write_cell("93.0±1.4"), _write_cell("a < b")
    ('93.0<span class="sd">±1.4</span>', 'a &lt; b')
    """
    number, sign, rest = cell.partition("±")
    if not sign:
        return str(escape_text(cell))
    deviation, space, marks = rest.partition(" ")
    spread = f'<span class="sd">±{escape_text(deviation)}</span>'
    return f"{escape_text(number)}{spread}{escape_text(space + marks)}"


def _side(column: int, table: Table, cell: str, longest: int) -> str:
    """Choose the class of a cell: words stand at the left, and what is long is broken."""
    names = ["words"] if column < table.n_left else []
    if len(cell) > longest:
        names.append("wordy" if names else "long")
    return f' class="{" ".join(names)}"' if names else ""


def _file_name(title: str) -> str:
    """Make a title the name of a file.

    >>> _file_name("Trained in-domain: F1 of words, SUs")
    'trained-in-domain-f1-of-words-sus'
    """
    raw = re.sub(r"[^\w]+", "-", title.casefold()).encode()[:MAX_FILE_NAME]
    return raw.decode(errors="ignore").strip("-") or "figure"

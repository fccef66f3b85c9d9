"""Layout of texts with their units for a terminal.

text, units -> rows of each unit -> lines with a gutter at the left, kind and score at the right

A sentence is blue. Its line ends are soft: it is wrapped where the terminal needs it. Other units
are grey, and keep their lines and columns. A unit with a score below UNSURE has a question mark.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TextIO
from unicodedata import bidirectional

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ...text.kinds import KINDS
from ...text.units import NSU, SU
from ...view.text.kinds import UNSURE, format_short_score
from ...view.text.page import format_count
from .printing import escape

# Longer lines are hard to read. Lines of tables may be longer.
MAX_COLUMNS = 100
MIN_COLUMNS = 32  # narrower terminals wrap our lines
GAP = "  "
SCORE_COLUMNS = 5  # such as "0.46?"
# Signs of units of one line, and of the first, middle and last line of longer ones.
SIGNS, ASCII_SIGNS = "[┌│└", "[/|\\"
LOW = "unsure"  # not a label, but counted as one
QUOTED = re.compile("\n[ \t]*>")  # a quoted line in a mail
NAMELESS = "not a sentence"  # the kind of an NSU, if the model has learned no kinds
UNCOUNTABLE = ("METADATA", "CODE")
# Controls (except tabs and line ends), controls of the direction of text, and lone surrogates.
CONTROLS = re.compile(
    "[\0-\x08\x0b-\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
RTL = {"R", "AL"}
ISOLATE, POP_ISOLATE = "\u2068", "\u2069"

# Numbers of the 256 colours. All can be read on black and on white.
STYLES: Mapping[str, str] = {
    SU: "color(32)",
    NSU: "dim",
    LOW: "bold color(136)",
    "title": "bold",
    **{label: f"color({kind.color})" for label, kind in KINDS.items()},
}


def make_console(file: TextIO) -> Console:
    """Make the console of an output. Colours follow rich: NO_COLOR and FORCE_COLOR change them."""
    console = Console(file=file, highlight=False)
    if console.is_terminal and not console.is_dumb_terminal:
        console = Console(file=file, highlight=False, force_terminal=True, color_system="256")
    return console


def count_units(units: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Count the units by label or, for NSUs, by kind; unsure ones are also counted under LOW.

    >>> sorted(count_units([{"label": "NSU", "kind": "CODE", "score": 0.2}]))
    ['CODE', 'unsure']
    """
    found: Counter[str] = Counter()
    for unit in units:
        found[_kind_of(unit)] += 1
        found[LOW] += _is_low(unit)
    return +found


def format_counts(counts: Mapping[str, int]) -> str:
    """Format the counts of `count_units`.

    >>> format_counts({"SU": 21, "METADATA": 5, "LIST_ITEM": 1, "unsure": 2})
    '21 sentences, 6 other units (5 metadata, 1 list item), 2 unsure'
    """
    kinds = {kind: n for kind, n in counts.items() if kind in KINDS}
    n_other = sum(kinds.values()) + counts.get(NSU, 0)
    parts = [format_count(counts.get(SU, 0), "sentence"), format_count(n_other, "other unit")]
    if kinds:
        ordered = sorted(kinds.items(), key=lambda item: -item[1])
        parts[-1] += f" ({', '.join(_format_kind(kind, n) for kind, n in ordered)})"
    if counts.get(LOW):
        parts.append(f"{counts[LOW]:,} unsure")
    return ", ".join(parts)


def _format_kind(kind: str, n: int) -> str:
    name = KINDS[kind].name
    return f"{n:,} {name}" if kind in UNCOUNTABLE else format_count(n, name)


def lay_out_texts(
    texts: Iterable[tuple[str, str, Sequence[Mapping[str, Any]]]], console: Console
) -> Iterator[Text]:
    """Lay out (title, text, units) one after the other, after a legend, with the counts at the end.

    Texts are read one at a time.
    """
    line = _signs_of(console)[2]
    legend = Text.assemble(
        (line, STYLES[SU]), " sentence   ", (f"{line} not a sentence, with its kind", STYLES[NSU]),
        "   ", ("?", STYLES[LOW]), f" unsure: score below {UNSURE:.2f}",
    )  # fmt: skip
    for row in legend.wrap(console, _page_columns(console)):
        row.rstrip()
        yield row
    total: Counter[str] = Counter()
    n_texts = 0
    for title, text, units in texts:
        yield Text()
        yield Text(isolate(escape(title)), STYLES["title"])
        yield from lay_out_units(text, units, console)
        if not units:
            yield Text("(empty)", STYLES[NSU])
        total += count_units(units)
        n_texts += 1
    of_all = f"{format_count(n_texts, 'text')}: " if n_texts > 1 else ""
    yield Text()
    counts = f"{of_all}{format_counts(total)}."
    yield from map(Text, wrap(counts, _page_columns(console), console))


def lay_out_units(
    text: str, units: Sequence[Mapping[str, Any]], console: Console
) -> Iterator[Text]:
    """Lay out the units of a text, one below the other. Blank lines between them are kept.

    units: Rows with "start_char", "end_char", "label", "score" and perhaps "kind", in text order.

    >>> text = "Page 3\\n\\nThe van left Brest at nine, and the crate never did."
    >>> units = [{"start_char": 0, "end_char": 6, "label": "NSU", "score": 0.9},
    ...          {"start_char": 8, "end_char": 60, "label": "SU", "score": 0.4}]
    >>> for line in lay_out_units(text, units, Console(width=40)):
    ...     print(line)
    [ Page 3           not a sentence  0.90
    <BLANKLINE>
    ┌ The van left Brest at nine, and  0.40?
    └ the crate never did.
    """
    label_columns = max((len(_label_of(unit)) for unit in units), default=0)
    end = 0
    for unit in units:
        # The last line before the unit is empty or its indentation, unless another unit is on it.
        *lines, indent = f"{text[end : unit['start_char']]}|".splitlines()
        if end and len(lines) > 1:
            yield Text()
        indent = indent[:-1] if lines or not end else ""
        indent *= indent.isspace()
        end = unit["end_char"]
        yield from _lay_out_unit(
            text[unit["start_char"] : end], unit, indent, label_columns, console
        )


def _lay_out_unit(
    text: str, unit: Mapping[str, Any], indent: str, label_columns: int, console: Console
) -> Iterator[Text]:
    is_su, is_low = unit["label"] == SU, _is_low(unit)
    label = "" if is_su else f"{_label_of(unit):{label_columns}}{GAP}"
    score = f"{format_short_score(unit['score'])}{'?' * is_low}"
    room = _page_columns(console) - len(f"{label}{GAP}") - SCORE_COLUMNS - 2
    edge = ((label, STYLES[_kind_of(unit)]), (score, STYLES[LOW if is_low else NSU]))
    # Lines of NSUs, and those of a quoted mail, are kept.
    if is_su and not QUOTED.search(text):
        rows = wrap(" ".join(clean(text).split()), room, console)
    else:
        columns = room if is_su else max(console.width, MIN_COLUMNS) - 2
        rows = wrap(clean(text if is_su else f"{indent}{text}"), columns, console)
    # The first row with enough room has the kind and the score.
    marked = next((i for i, row in enumerate(rows) if cell_len(row) <= room), len(rows))
    rows += [""] * (marked == len(rows))
    signs = _signs_of(console)
    for i, row in enumerate(rows):
        is_last = i == len(rows) - 1
        sign = signs[0 if len(rows) == 1 else 1 if not i else 3 if is_last else 2]
        line = Text.assemble(
            (sign, STYLES[unit["label"]]), " ", (isolate(row), "" if is_su else STYLES[NSU])
        )
        if i == marked:
            line = Text.assemble(line, " " * (room - cell_len(row)), GAP, *edge)
        line.rstrip()
        yield line


def clean(text: str) -> str:
    r"""Replace characters that could disturb a terminal. Tabs and line ends remain.

    >>> clean("a\x1b[31m\tb\n")
    'a\ufffd[31m\tb\n'
    """
    return CONTROLS.sub("\ufffd", text)


def isolate(text: str) -> str:
    """Add characters around a text with right-to-left letters that isolate it from other text.

    Otherwise, a terminal could reverse a whole line, with the signs before and after the text.
    """
    if text.isascii() or not any(bidirectional(char) in RTL for char in text):
        return text
    return f"{ISOLATE}{text}{POP_ISOLATE}"


def wrap(text: str, columns: int, console: Console) -> list[str]:
    """Wrap each line of a text at white space; only words that are longer than a line are cut.

    A line that is too wide loses its indentation first.

    >>> wrap("Item    Due   Cost\\n     Oak    May", 12, Console())
    ['Item    Due', 'Cost', '  Oak    May']
    """
    rows: list[str] = []
    for line in text.expandtabs().splitlines():
        line = line.rstrip()
        excess = max(cell_len(line) - columns, 0)
        line = line[min(excess, len(line) - len(line.lstrip(" "))) :]
        rows += [row.plain.rstrip() for row in Text(line).wrap(console, columns)]
    return rows


def _page_columns(console: Console) -> int:
    """Return the columns up to the right margin."""
    return max(min(console.width, MAX_COLUMNS), MIN_COLUMNS)


def _signs_of(console: Console) -> str:
    return ASCII_SIGNS if console.options.ascii_only else SIGNS


def _is_low(unit: Mapping[str, Any]) -> bool:
    return bool(unit["score"] < UNSURE)


def _kind_of(unit: Mapping[str, Any]) -> str:
    """Return the kind of an NSU; its label, if it has none, or for an SU."""
    kind = unit.get("kind")
    return kind if kind in KINDS and unit["label"] == NSU else unit["label"]


def _label_of(unit: Mapping[str, Any]) -> str:
    """Return the name of the kind of an NSU; "" for an SU."""
    kind = _kind_of(unit)
    return "" if kind == SU else KINDS[kind].name if kind in KINDS else NAMELESS

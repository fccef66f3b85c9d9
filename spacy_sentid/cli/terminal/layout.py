"""Layout of texts with their units for a terminal.

text, units -> rows of each unit -> lines with a gutter at the left, kind and score at the right

A sentence is blue. Its line ends are soft: it is wrapped where the terminal needs it. Other units
are grey, and keep their lines and columns. A unit with a score below UNSURE has a question mark.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import typer

from ...text.units import NSU, SU
from ...view.text.kinds import KIND_NAMES, UNSURE, format_short_score
from ...view.text.page import format_count
from .columns import clean, count_columns, isolate, wrap_flowing, wrap_kept
from .printing import escape

# Longer lines are hard to read. Lines of tables may be longer.
MAX_COLUMNS = 100
MIN_COLUMNS = 32  # narrower terminals wrap our lines
GUTTER_COLUMNS = 2
GAP = "  "
SCORE_COLUMNS = 5  # such as "0.46?"
# Signs of units of one line, and of the first, middle and last line of longer ones.
SIGNS = "[┌│└"
ASCII_SIGNS = "[/|\\"
LOW = "unsure"  # not a label, but counted as one
QUOTED = re.compile("\n[ \t]*>")  # a quoted line in a mail
NAMELESS = "not a sentence"  # the kind of an NSU, if the model has learned no kinds
UNCOUNTABLE = ("METADATA", "CODE")

# Numbers of the 256 colours. All can be read on black and on white.
STYLES: Mapping[str, Mapping[str, Any]] = {
    SU: {"fg": 32},
    NSU: {"dim": True},
    LOW: {"fg": 136, "bold": True},
    "title": {"bold": True},
    **{label: {"fg": kind.color} for label, kind in KIND_NAMES.items()},
}


class Look(NamedTuple):
    """Size, colours and signs of a terminal."""

    columns: int = 80
    has_color: bool = False
    signs: str = SIGNS

    @property
    def page_columns(self) -> int:
        """Columns up to the right margin."""
        return max(min(self.columns, MAX_COLUMNS), MIN_COLUMNS)

    def paint(self, text: str, style: str) -> str:
        """Add the codes of a style, if there are colours."""
        return typer.style(text, **STYLES[style]) if self.has_color and text else text


def find_look(
    columns: int, *, encoding: str, is_terminal: bool, environ: Mapping[str, str]
) -> Look:
    """Find what the standard output can show.

    Colours are for terminals, unless NO_COLOR or FORCE_COLOR is set.

    >>> find_look(80, encoding="ascii", is_terminal=True, environ={"NO_COLOR": "1"})
    Look(columns=80, has_color=False, signs='[/|\\\\')
    """
    is_able = is_terminal and environ.get("TERM") != "dumb"
    has_color = not environ.get("NO_COLOR") and (bool(environ.get("FORCE_COLOR")) or is_able)
    try:
        SIGNS.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return Look(columns, has_color, ASCII_SIGNS)
    return Look(columns, has_color)


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
    kinds = {kind: n for kind, n in counts.items() if kind in KIND_NAMES}
    n_other = sum(kinds.values()) + counts.get(NSU, 0)
    parts = [format_count(counts.get(SU, 0), "sentence"), format_count(n_other, "other unit")]
    if kinds:
        ordered = sorted(kinds.items(), key=lambda item: -item[1])
        parts[-1] += f" ({', '.join(_format_kind(kind, n) for kind, n in ordered)})"
    if counts.get(LOW):
        parts.append(f"{counts[LOW]:,} unsure")
    return ", ".join(parts)


def _format_kind(kind: str, n: int) -> str:
    name = KIND_NAMES[kind].name
    return f"{n:,} {name}" if kind in UNCOUNTABLE else format_count(n, name)


def list_signs(counts: Mapping[str, int]) -> list[str]:
    """List the signs that a legend must explain: SU, NSU, LOW.

    >>> list_signs({"METADATA": 5})
    ['NSU']
    """
    has_nsu = any(kind not in (SU, LOW) for kind in counts)
    return [SU] * (SU in counts) + [NSU] * has_nsu + [LOW] * (LOW in counts)


def lay_out_legend(signs: Iterable[str], look: Look) -> list[str]:
    """Lay out a legend of some signs.

    >>> lay_out_legend(["SU", "unsure"], Look())
    ['│ sentence   ? unsure: score below 0.50']
    """
    line = look.signs[2]
    texts = {
        SU: (line, "sentence"),
        NSU: (line, "not a sentence, with its kind"),
        LOW: ("?", f"unsure: score below {UNSURE:.2f}"),
    }
    rows: list[str] = []
    used = 0
    for name in signs:
        sign, text = texts[name]
        columns = len(f"{sign} {text}")
        entry = f"{look.paint(sign, name)} {look.paint(text, NSU) if name == NSU else text}"
        if rows and used + 3 + columns <= look.page_columns:
            rows[-1] += f"   {entry}"
            used += 3 + columns
        else:
            rows.append(entry)
            used = columns
    return rows


def lay_out_texts(
    texts: Iterable[tuple[str, str, Sequence[Mapping[str, Any]]]], look: Look
) -> Iterator[str]:
    """Lay out (title, text, units) one after the other, with a legend, and the counts at the end.

    A sign is explained before the first text that has it. Texts are read one at a time.
    """
    total: Counter[str] = Counter()
    n_texts = 0
    for title, text, units in texts:
        counts = count_units(units)
        signs = [sign for sign in list_signs(counts) if sign not in list_signs(total)]
        if n_texts:
            yield ""
        yield from lay_out_legend(signs, look)
        yield from [""] * bool(signs)
        yield lay_out_title(title, look)
        yield from lay_out_units(text, units, look)
        if not units:
            yield look.paint("(empty)", NSU)
        total += counts
        n_texts += 1
    yield ""
    of_all = f"{format_count(n_texts, 'text')}: " if n_texts > 1 else ""
    yield from wrap_flowing(f"{of_all}{format_counts(total)}.", look.page_columns)


def lay_out_title(title: str, look: Look) -> str:
    """Lay out the title of a text."""
    return look.paint(isolate(escape(title)), "title")


def lay_out_units(text: str, units: Sequence[Mapping[str, Any]], look: Look) -> Iterator[str]:
    """Lay out the units of a text, one below the other. Blank lines between them are kept.

    units: Rows with "start_char", "end_char", "label", "score" and perhaps "kind", in text order.

    >>> text = "Page 3\\n\\nThe van left Brest at nine, and the crate never did."
    >>> units = [{"start_char": 0, "end_char": 6, "label": "NSU", "score": 0.9},
    ...          {"start_char": 8, "end_char": 60, "label": "SU", "score": 0.4}]
    >>> for line in lay_out_units(text, units, Look(columns=40)):
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
            yield ""
        indent = indent[:-1] if lines or not end else ""
        indent *= indent.isspace()
        end = unit["end_char"]
        yield from _lay_out_unit(text[unit["start_char"] : end], unit, indent, label_columns, look)


def _lay_out_unit(
    text: str, unit: Mapping[str, Any], indent: str, label_columns: int, look: Look
) -> Iterator[str]:
    label, is_su = _label_of(unit), unit["label"] == SU
    margin = len(GAP) + SCORE_COLUMNS + (0 if is_su else label_columns + len(GAP))
    room = look.page_columns - GUTTER_COLUMNS - margin
    rows = _lay_out_rows(clean(text), room, look, indent=clean(indent), is_su=is_su)
    kind = look.paint(label, _kind_of(unit)) + " " * (label_columns - len(label)) + GAP
    mark = _format_score(unit)
    edge = GAP + ("" if is_su else kind) + look.paint(mark, LOW if _is_low(unit) else NSU)
    # The first row with enough room has the kind and the score.
    marked = next((i for i, row in enumerate(rows) if count_columns(row) <= room), len(rows))
    rows += [""] * (marked == len(rows))
    for i, row in enumerate(rows):
        is_last = i == len(rows) - 1
        sign = look.signs[0 if len(rows) == 1 else 1 if not i else 3 if is_last else 2]
        shown = isolate(row) if is_su else look.paint(isolate(row), NSU)
        line = f"{look.paint(sign, unit['label'])} {shown}"
        yield f"{line}{' ' * (room - count_columns(row))}{edge}" if i == marked else line.rstrip()


def _lay_out_rows(text: str, room: int, look: Look, *, indent: str, is_su: bool) -> list[str]:
    """Wrap the text of a unit. Lines of NSUs, and those of a quoted mail, are kept.

    room: Columns of wrapped lines. Lines of NSUs that fit on the terminal are not wrapped, and on a
        narrow terminal the other ones need more room.
    indent: White space before the text.
    """
    if is_su and not QUOTED.search(text):
        return wrap_flowing(text, room)
    whole = room if is_su else max(look.columns, MIN_COLUMNS) - GUTTER_COLUMNS
    if 2 * room <= look.page_columns:
        room = look.page_columns - GUTTER_COLUMNS
    rows: list[str] = []
    for line in f"{'' if is_su else indent}{text}".expandtabs().splitlines():
        rows += wrap_kept(line, whole if count_columns(line) <= whole else room)
    return rows


def _format_score(unit: Mapping[str, Any]) -> str:
    """Format a score with two digits, and a question mark if it is low."""
    return f"{format_short_score(unit['score'])}{'?' * _is_low(unit)}"


def _is_low(unit: Mapping[str, Any]) -> bool:
    return bool(unit["score"] < UNSURE)


def _kind_of(unit: Mapping[str, Any]) -> str:
    """Return the kind of an NSU; its label, if it has none, or for an SU."""
    kind = unit.get("kind")
    return kind if kind in KIND_NAMES and unit["label"] == NSU else unit["label"]


def _label_of(unit: Mapping[str, Any]) -> str:
    """Return the name of the kind of an NSU; "" for an SU."""
    kind = _kind_of(unit)
    return "" if kind == SU else KIND_NAMES[kind].name if kind in KIND_NAMES else NAMELESS

"""Render a text with its units as an HTML fragment.

text, units -> parts of whole lines -> elements, one for each unit

The fragment contains every character of the text, in order, and none becomes mark-up. Units are
written in Python, as a template takes four times as long if there are many. Every value that is not
a number is escaped here. The browser creates elements for tokens only where the reader looks at
their probabilities, so that long texts stay fast.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from markupsafe import Markup

from ...files.records import BYTE_ORDER_MARK
from ...text.kinds import KINDS
from ...text.units import NSU, SU
from .columns import find_columns
from .kinds import UNSURE, format_short_score, name_kind
from .page import call_macro, escape_piece, escape_text, format_score, replace_unwritable

CSS = {SU: "su", NSU: "nsu"}
PART_LENGTH = 3000  # characters of a part of a page
MAX_PART_LENGTH = 8000  # limit if there is no line end
LINE_CHARS = 85  # approximate length of a line on a wide screen
MAX_COLUMN_CHARS = 160  # longest line of a table with aligned columns
NO_LANG = "xx"  # spaCy's code of multi-language pipelines


class UnitView(NamedTuple):
    """One unit to show, or another span of text with a label and a score."""

    start_char: int
    end_char: int
    label: str
    score: float | None  # in [0, 1]; None = no score
    css: str = ""  # class in the style sheet, such as "unsupported"; "" = class of the label
    kind: str = ""  # kind of an NSU, one of NSU_KINDS; "" = unknown
    label_score: float | None = None
    kind_score: float | None = None


class TokenProb(NamedTuple):
    """P(BOS) and P(EOS) of one token."""

    start_char: int
    end_char: int
    bos_prob: float
    eos_prob: float


class Mark(NamedTuple):
    """A highlighted span of text, independent of units. An empty mark is a position."""

    start_char: int
    end_char: int
    kind: str  # class in the style sheet
    label: str  # shown before the mark
    note: str  # shown on hover and focus


def render_text(
    text: str,
    units: Sequence[UnitView],
    *,
    probs: Iterable[TokenProb] | None = None,
    marks: Sequence[Mark] = (),
    lang: str = "",
    with_scores: bool = False,
) -> Markup:
    """Render a text with its layout: SUs as sentences, and NSUs dimmed and labelled.

    units: Units in text order, without overlaps, in code points of the text.
    probs: Probabilities of tokens, in text order. The page has a switch to show them.
    marks: Marks in text order, without overlaps. They may cross boundaries of units.
    lang: Language code of the text, for fonts and screen readers; "" or spaCy's "xx" = any.
    with_scores: Write the rounded score of each unit, which style sheets can show. False = of
        unsure units only.

    Raises ValueError if units or marks are out of order, overlap or leave the text.

    >>> print(render_text("Page 3\\nI <b>", [UnitView(0, 6, "NSU", 0.9), UnitView(7, 12, "SU", 1)]))
    <div class="text" dir="auto"><div class="part" style="--lines:2"><span class="u nsu first" \
data-label="NSU" data-s="0.9" data-c="0–6" tabindex="0">Page 3</span>
    <span class="u su first" data-label="SU" data-s="1" data-c="7–12" tabindex="-1">I \
&lt;b&gt;</span></div></div>
    """
    check_order(text, units)
    check_order(text, marks)
    text = replace_unwritable(text)
    return call_macro(
        "macros.html",
        "text",
        Markup("".join(_write_parts(text, units, _Writer(text, marks, with_scores)))),
        has_kinds=any(unit.kind for unit in units),
        lang="" if lang == NO_LANG else lang,
        probs=None if probs is None else _prob_rows(text, units, probs),
    )


def _is_blank(text: str) -> bool:
    return not text.strip().strip(BYTE_ORDER_MARK)


def check_order(text: str, spans: Sequence[UnitView] | Sequence[Mark]) -> None:
    """Raise ValueError if spans are not in text order, overlap or leave the text."""
    end = 0
    for span in spans:
        if not end <= span.start_char <= span.end_char <= len(text):
            raise ValueError(
                f"Units must be in text order, must not overlap, and must end before {len(text)}, "
                f"got {span.start_char} to {span.end_char} after {end}."
            )
        end = span.end_char


def _write_parts(text: str, units: Sequence[UnitView], writer: "_Writer") -> Iterator[str]:
    """Write parts of whole units and whole lines, which the browser lays out one by one.

    Tables are parts of their own. Only very long lines are split, since the browser wraps them
    anyway.
    """
    tables = find_columns(text)
    position = opened = n_su = 0
    is_table = was_in_table = False  # of the part, and of the previous unit
    parts: list[str] = []
    for n, unit in enumerate(units):
        while tables and tables[0][1] <= unit.start_char:
            del tables[0]
        in_table = bool(tables) and tables[0][0] < unit.end_char
        gap = text[position : unit.start_char]
        is_border = n > 0 and in_table != was_in_table
        cut = _find_cut(gap, unit.start_char - opened, is_border)
        if cut:
            parts.append(writer.write_gap(position, position + cut))
            yield _wrap_part(parts, text[opened : position + cut], is_table)
            parts, is_table = [], False
            position = opened = position + cut
        was_in_table = in_table
        is_table |= in_table
        n_su += unit.label == SU
        classes = unit.css or CSS.get(unit.label, "other")
        classes += f" {KINDS[unit.kind].css}" if unit.kind in KINDS else ""
        classes += " even" if unit.label == SU and n_su % 2 == 0 else ""
        classes += " low" if is_unsure(unit) else ""
        if (not n or "\n" in gap) and _is_blank(gap[gap.rfind("\n") + 1 :]):
            classes += " first"  # the first unit of its line
        parts.append(writer.write_gap(position, unit.start_char))
        parts.append(writer.write_unit(unit, classes, tab_index=-1 if n else 0))
        position = unit.end_char
    parts.append(writer.write_gap(position, len(text)))
    yield _wrap_part(parts, text[opened:], is_table)


def is_unsure(unit: UnitView) -> bool:
    """Check that the score of an SU or NSU is low."""
    return unit.label in CSS and unit.score is not None and unit.score < UNSURE


def _find_cut(gap: str, n_chars: int, is_border: bool) -> int:
    """Find how much of the gap before a unit to add to a part of n_chars; 0 = do not cut."""
    if n_chars > MAX_PART_LENGTH and "\n" not in gap:
        return len(gap)
    return gap.rfind("\n") + 1 if is_border or n_chars > PART_LENGTH else 0


def _wrap_part(parts: Sequence[str], text: str, is_table: bool) -> str:
    """Wrap a part, with its approximate number of lines, which the scroll bar needs."""
    lines = text.split("\n")
    n_lines = sum(1 + len(line) // LINE_CHARS for line in lines)
    attributes = f'class="part" style="--lines:{n_lines}"'
    if is_table and max(map(len, lines)) <= MAX_COLUMN_CHARS:
        attributes = (
            f'class="part aligned" style="--lines:{len(lines)}" tabindex="0" role="group" '
            'aria-label="Table"'
        )
    return f"<div {attributes}>{''.join(parts)}</div>"


class _Writer:
    """A writer of the consecutive spans of a text, with their marks."""

    def __init__(self, text: str, marks: Sequence[Mark], with_scores: bool) -> None:
        self.text = text
        self.marks = marks
        self.with_scores = with_scores
        self.next = 0  # number of the first mark that is not completely written

    def write_unit(self, unit: UnitView, classes: str, *, tab_index: int) -> str:
        """Write a unit."""
        start, end = unit[:2]
        found = (("s", unit.score), ("l", unit.label_score), ("k", unit.kind_score))
        scores = [f' data-{x}="{format_score(score)}"' for x, score in found if score is not None]
        if unit.score is not None and (self.with_scores or is_unsure(unit)):
            scores.append(f' data-p="{format_short_score(unit.score)}"')
        label = name_kind(unit.kind) or unit.label
        return (
            f'{_open_unit(classes, label)}{"".join(scores)} data-c="{start}–{end}" '
            f'tabindex="{tab_index}">{self.write(start, end)}</span>'
        )

    def write_gap(self, start: int, end: int) -> str:
        """Write the text between two units. Text other than white space is isolated."""
        text = self.text[start:end]
        written = self.write(start, end) if text else ""
        return written if _is_blank(text) else f"<bdi>{written}</bdi>"

    def write(self, start: int, end: int) -> str:
        """Write the characters from start to end, with their marks."""
        parts: list[str] = []
        while self.next < len(self.marks) and start < end:
            mark = self.marks[self.next]
            if mark.start_char >= end:
                break
            begin, stop = max(mark.start_char, start), min(mark.end_char, end)
            parts += [escape_piece(self.text[start:begin]), self._write_mark(mark, begin, stop)]
            start = stop
            if mark.end_char > end:
                break
            self.next += 1
        return "".join([*parts, escape_piece(self.text[start:end])])

    def _write_mark(self, mark: Mark, start: int, end: int) -> str:
        # A mark that crosses boundaries of units has its label only before its first part.
        label = f' data-label="{escape_text(mark.label)}"' if start == mark.start_char else ""
        return (
            f'<mark class="m {escape_text(mark.kind)}"{label} data-note="{escape_text(mark.note)}" '
            f'tabindex="-1">{escape_piece(self.text[start:end])}</mark>'
        )


@lru_cache(maxsize=100)  # most units have one of a few labels
def _open_unit(classes: str, label: str) -> str:
    return f'<span class="u {escape_text(classes)}" data-label="{escape_text(label)}"'


def _prob_rows(text: str, units: Sequence[UnitView], probs: Iterable[TokenProb]) -> list[list[int]]:
    """List a row [gap, length, BOS, EOS, ...] for each unit, with four values for each token.

    gap, length: UTF-16 code units, as the browser counts. The gap is the distance to the previous
        token, or to the start of the unit.
    BOS, EOS: Probabilities in percent.
    """
    rows: list[list[int]] = []
    rest = iter(probs)
    token = next(rest, None)
    for unit in units:
        row: list[int] = []
        position = unit.start_char
        while token is not None and token.end_char <= unit.end_char:
            if token.start_char >= position:
                row.append(_count_utf16(text[position : token.start_char]))
                row.append(_count_utf16(text[token.start_char : token.end_char]))
                row += [round(100 * token.bos_prob), round(100 * token.eos_prob)]
                position = token.end_char
            token = next(rest, None)
        rows.append(row)
    return rows


def _count_utf16(text: str) -> int:
    return len(text) + (0 if text.isascii() else sum(char > "\uffff" for char in text))

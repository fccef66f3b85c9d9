"""Text with its units, as an HTML fragment.

text, units -> chunks of whole lines -> elements, one a unit

Every character of the text stands in the fragment, in its order, and is never mark-up. A unit is
one element; tokens become elements in the browser, and only where their probabilities are looked
at, so that long texts stay quick.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..files.records import BYTE_ORDER_MARK
from ..units import NSU, SU
from .escaping import close_controls, dump_data, escape_text, find_direction

KIND = re.compile("[a-z][a-z-]*")
KINDS = {SU: "su", NSU: "nsu"}
CHUNK_CHARS = 3000
MAX_CHUNK_CHARS = 8000  # where no line ends
LINE_CHARS = 85  # of a line on a wide screen, about
SCORE_DIGITS = 4  # for the filter; `page.js` shows two
NO_LANG = "xx"  # spaCy's, of no language in particular
# Shown as a line end, as browsers do.
LONE_CR = re.compile("\r(?!\n)")


class UnitView(NamedTuple):
    """One unit to show, or another stretch of text with a label and a score."""

    start_char: int
    end_char: int
    label: str
    score: float | None  # in [0, 1]; None = there is none
    kind: str = ""  # class in the style sheet, such as "unsupported"; "" = that of the label


class TokenProb(NamedTuple):
    """P(BOS) and P(EOS) of one token."""

    start_char: int
    end_char: int
    bos_prob: float
    eos_prob: float


class Mark(NamedTuple):
    """What is to be seen inside the text beside its units; empty = a place between characters."""

    start_char: int
    end_char: int
    kind: str  # class in the style sheet
    label: str  # written before it
    note: str  # told on hover and focus


def render_text(
    text: str,
    units: Sequence[UnitView],
    *,
    probs: Iterable[TokenProb] | None = None,
    marks: Sequence[Mark] = (),
    lang: str = "",
) -> str:
    """Write a text as laid out, its SUs as sentences, NSUs dimmed and labelled.

    units: In text order, not overlapping, in code points of the text; else ValueError.
    probs: Of tokens, in text order; shown in the page when its "Probabilities" are switched on.
    marks: In text order, not overlapping; they may go over borders of units.
    lang: Code of the language of the text, for fonts and screen readers; "" or spaCy's "xx" = any.

    >>> print(render_text("Page 3\\nI <b>", [UnitView(0, 6, "NSU", 0.9), UnitView(7, 12, "SU", 1)]))
    <div class="text" dir="ltr"><div class="chunk" style="--lines:2"><span class="u nsu first" \
data-label="NSU" data-s="0.9" data-c="0–6" tabindex="0">Page 3</span>
    <span class="u su first" data-label="SU" data-s="1" data-c="7–12" tabindex="-1">I \
&lt;b&gt;</span></div></div>
    """
    _check(text, units)
    _check(text, marks)
    text = LONE_CR.sub("\n", text)
    parts = [f'<div class="text" dir="{find_direction(text)}"']
    parts.append(f' lang="{escape_text(lang)}">' if lang not in ("", NO_LANG) else ">")
    parts += _chunks(text, units, marks)
    parts.append("</div>")
    if probs is not None:
        rows = _prob_rows(text, units, probs)
        parts.append(f'<script type="application/json" class="probs">{dump_data(rows)}</script>')
    return "".join(parts)


def format_score(score: float) -> str:
    """Write a score as short as four digits after the point allow.

    >>> format_score(0.5), format_score(0.98765), format_score(1)
    ('0.5', '0.9877', '1')
    """
    return f"{round(score, SCORE_DIGITS):g}"


def _is_blank(text: str) -> bool:
    return not text.strip().strip(BYTE_ORDER_MARK)


def _check(text: str, stretches: Sequence[UnitView] | Sequence[Mark]) -> None:
    end = 0
    for stretch in stretches:
        if not end <= stretch.start_char <= stretch.end_char <= len(text):
            raise ValueError(
                f"Found a unit of the characters {stretch.start_char} to {stretch.end_char} after "
                f"{end} in a text of {len(text)}, expected units in text order that do not "
                "overlap. Sort them, or look for units of another text."
            )
        end = stretch.end_char


def _chunks(text: str, units: Sequence[UnitView], marks: Sequence[Mark]) -> Iterator[str]:
    """Write blocks that the browser lays out one by one: of whole units, and of whole lines.

    Only very long lines are cut; they are wrapped anyway.
    """
    writer = _Writer(text, marks)
    position = opened = n_su = 0
    parts: list[str] = []
    for n, unit in enumerate(units):
        gap = text[position : unit.start_char]
        cut = _find_cut(gap, unit.start_char - opened)
        if cut:
            parts.append(writer.write_gap(position, position + cut))
            yield _wrap_chunk(parts, text[opened : position + cut])
            parts = []
            position = opened = position + cut
        parts.append(writer.write_gap(position, unit.start_char))
        n_su += unit.label == SU
        classes = " even" if unit.label == SU and n_su % 2 == 0 else ""
        if _is_blank(gap[gap.rfind("\n") + 1 :]) and (not n or "\n" in gap):
            classes += " first"  # of its line
        closing = _close_attribute(text[unit.start_char : unit.end_char])
        parts.append(_open_unit(unit, classes, closing, tab_index=-1 if n else 0))
        parts.append(writer.write(unit.start_char, unit.end_char) + "</span>")
        position = unit.end_char
    parts.append(writer.write_gap(position, len(text)))
    yield _wrap_chunk(parts, text[opened:])


def _find_cut(gap: str, n_chars: int) -> int:
    """Find how much of the gap before a unit still belongs to a block of n_chars; 0 = no cut."""
    if n_chars > MAX_CHUNK_CHARS and "\n" not in gap:
        return len(gap)
    return gap.rfind("\n") + 1 if n_chars > CHUNK_CHARS else 0


def _wrap_chunk(parts: Sequence[str], text: str) -> str:
    """Write a block, with about how many lines it takes, for the scroll bar."""
    n_lines = sum(1 + len(line) // LINE_CHARS for line in text.split("\n"))
    return f'<div class="chunk" style="--lines:{n_lines}">{"".join(parts)}</div>'


def _close_attribute(text: str) -> str:
    closing = close_controls(text)
    return f' data-close="{closing}"' if closing else ""


def _open_unit(unit: UnitView, classes: str, closing: str, *, tab_index: int) -> str:
    kind = unit.kind or KINDS.get(unit.label, "other")
    _check_kind(kind)
    score = "" if unit.score is None else f' data-s="{format_score(unit.score)}"'
    return (
        f'<span class="u {kind}{classes}" data-label="{escape_text(unit.label)}"{score} '
        f'data-c="{unit.start_char}–{unit.end_char}"{closing} tabindex="{tab_index}">'
    )


def _check_kind(kind: str) -> None:
    if not KIND.fullmatch(kind):
        raise ValueError(f"Found the kind {kind!r}, expected small letters and '-'. Rename it.")


class _Writer:
    """Writes stretches of a text one after the other, with the marks that lie in them."""

    def __init__(self, text: str, marks: Sequence[Mark]) -> None:
        for mark in marks:
            _check_kind(mark.kind)
        self.text = text
        self.marks = marks
        self.next = 0  # first mark that is not written to its end

    def write_gap(self, start: int, end: int) -> str:
        """Write what stands between units; letters there, which no unit should leave, apart."""
        written = self.write(start, end)
        piece = self.text[start:end]
        return written if _is_blank(piece) else f"<bdi{_close_attribute(piece)}>{written}</bdi>"

    def write(self, start: int, end: int) -> str:
        """Write the characters from start to end."""
        parts: list[str] = []
        while self.next < len(self.marks) and start < end:
            mark = self.marks[self.next]
            if mark.start_char >= end:
                break
            begin, stop = max(mark.start_char, start), min(mark.end_char, end)
            parts += [self._plain(start, begin), self._mark(mark, begin, stop)]
            start = stop
            if mark.end_char > end:
                break
            self.next += 1
        return "".join([*parts, self._plain(start, end)])

    def _mark(self, mark: Mark, start: int, end: int) -> str:
        # Of a mark that goes over borders only the first part has its label.
        label = f' data-label="{escape_text(mark.label)}"' if start == mark.start_char else ""
        return (
            f'<mark class="m {mark.kind}"{label} data-note="{escape_text(mark.note)}" '
            f'tabindex="-1">{self._plain(start, end)}</mark>'
        )

    def _plain(self, start: int, end: int) -> str:
        return escape_text(self.text[start:end])


def _prob_rows(text: str, units: Sequence[UnitView], probs: Iterable[TokenProb]) -> list[list[int]]:
    """List for each unit [gap, length, BOS, EOS, ...] of its tokens, in one row.

    gap, length: In UTF-16, as the browser counts; the gap is that to the token before, or to the
        start of the unit. BOS, EOS: in percent.
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
    return len(text) + sum(char > "\uffff" for char in text)

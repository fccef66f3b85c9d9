"""Vary the layout of documents, as the same text occurs in many layouts. No spaCy, no numpy.

units with the white space before each -> wrapped, joined, indented, quoted, in capitals ... -> text

The changes are independent, each with its own probability, and applied in the order of
LAYOUT_CHANGES.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import NamedTuple, TypeAlias

from ...text.units import NSU, SU, Unit
from .edits import change_case, draw_alphabet, remove_final_marks

LIST_MARK = re.compile(r"(?:[-*•–·+]|\(?\d{1,2}[.)]|\(?[a-z]\))[ \t]+(?=\S)")
BULLETS = ("- ", "* ", "• ", "– ", "· ", "o ", "")
INNER_BREAK = re.compile(r"[ \t]*\r?\n[ \t]*(?:>[> ]*)?")
PUNCTUATION = re.compile(r"(?<!\d)[^\w\s'’@#/-]|[^\w\s'’@#/-](?!\d)")
BLANK_LINES = re.compile(r"(\s*?\n)\s*?(\r?\n[^\n]*)")
WIDE_SPACE = re.compile(r"\S(?:\t| {2,})\S")
QUOTE_MARKS = ("> ", "> ", "> > ", ">> ", "| ")
WRAP_WIDTHS = (40, 100)
INDENTS = (1, 2, 3, 4, 8)


class Piece(NamedTuple):
    """A unit and the white space before it."""

    gap: str
    text: str
    label: str


Pieces: TypeAlias = list[Piece]
Change: TypeAlias = Callable[[Pieces, Random], Pieces]


def split_document(text: str, units: Sequence[Unit]) -> Pieces:
    """Split a document into its units and the white space before each.

    Text outside of all units becomes an NSU of unknown kind, so no text is lost.
    """
    pieces: Pieces = []
    position = 0
    for start, end, label in [*units, Unit(len(text), len(text), "")]:
        between = text[position:start]
        if between.strip():
            n_before = len(between) - len(between.lstrip())
            n_after = len(between.rstrip())
            pieces.append(Piece(between[:n_before], between[n_before:n_after], NSU))
            between = between[n_after:]
        if label:
            pieces.append(Piece(between, text[start:end], label))
        position = end
    return pieces


def join_pieces(pieces: Pieces) -> tuple[str, list[Unit]]:
    """Join pieces to a text and its units in characters."""
    parts: list[str] = []
    units: list[Unit] = []
    position = 0
    for gap, text, label in pieces:
        start = position + len(gap)
        position = start + len(text)
        units.append(Unit(start, position, label))
        parts += [gap, text]
    return "".join(parts), units


def change_layout(pieces: Pieces, rates: Mapping[str, float], rng: Random) -> Pieces:
    """Apply random changes of the layout.

    rates: Probability of each of LAYOUT_CHANGES; missing ones have 0.
    """
    for name, change in LAYOUT_CHANGES.items():
        if pieces and rng.random() < rates.get(name, 0.0):
            pieces = change(pieces, rng)
    return pieces


def _unwrap(pieces: Pieces, rng: Random) -> Pieces:
    return [piece._replace(text=INNER_BREAK.sub(" ", piece.text).strip()) for piece in pieces]


def _wrap(pieces: Pieces, rng: Random, *, keeps_rows: bool = False) -> Pieces:
    """Wrap the lines at spaces, at a random width.

    keeps_rows: Do not wrap units with wide spaces, which are rows of tables.
    """
    width = rng.randint(*WRAP_WIDTHS)
    column = 0
    indent = ""
    wrapped: Pieces = []
    for gap, text, label in _unwrap(pieces, rng):
        if "\n" in gap or not wrapped:
            indent = gap.rpartition("\n")[2]
            column = len(indent)
        words = [text] if keeps_rows and WIDE_SPACE.search(text) else text.split(" ")
        first = words[0]
        if gap.strip(" ") == "" and gap and wrapped and column + len(gap) + len(first) > width:
            gap, column = "\n" + indent, len(indent)
        elif "\n" not in gap and wrapped:
            column += len(gap)
        parts = [first]
        column += len(first)
        for word in words[1:]:
            if column + 1 + len(word) > width:
                parts += ["\n" + indent, word]
                column = len(indent) + len(word)
            else:
                parts += [" ", word]
                column += 1 + len(word)
        wrapped.append(Piece(gap, "".join(parts), label))
    return wrapped


def _join(pieces: Pieces, rng: Random) -> Pieces:
    """Join all lines, as when a page is pasted into a form field."""
    return [piece._replace(gap=" " if piece.gap else "") for piece in _unwrap(pieces, rng)]


def _one_a_line(pieces: Pieces, rng: Random) -> Pieces:
    return [piece._replace(gap="\n" if n else "") for n, piece in enumerate(_unwrap(pieces, rng))]


def _tighten(pieces: Pieces, rng: Random) -> Pieces:
    """Remove the blank lines."""
    return [piece._replace(gap=re.sub(r"\n\s*\n", "\n", piece.gap)) for piece in pieces]


def _loosen(pieces: Pieces, rng: Random) -> Pieces:
    """Replace single line breaks between units by blank lines."""
    return [
        piece._replace(
            gap=piece.gap.replace("\n", "\n\n", 1) if piece.gap.count("\n") == 1 else piece.gap
        )
        for piece in pieces
    ]


def _after_breaks(pieces: Pieces, prefix: str, *, in_unit: bool) -> Pieces:
    """Put a prefix before each line.

    in_unit: The prefix is part of the unit of that line.
    """
    changed: Pieces = []
    for n, (gap, text, label) in enumerate(pieces):
        text = text.replace("\n", "\n" + prefix)
        if "\n" in gap or not n:
            if in_unit:
                text = prefix + text
            else:
                gap += prefix
        changed.append(Piece(gap, text, label))
    return changed


def _indent(pieces: Pieces, rng: Random) -> Pieces:
    return _after_breaks(pieces, " " * rng.choice(INDENTS), in_unit=False)


def _quote(pieces: Pieces, rng: Random) -> Pieces:
    return _after_breaks(pieces, rng.choice(QUOTE_MARKS), in_unit=True)


def _reply(pieces: Pieces, rng: Random) -> Pieces:
    """Quote the text after a blank line, or sometimes before it, as replies to mails do.

    Most writers of mails also have a quote mark on each blank line. It becomes an NSU.
    """
    places = [n for n, piece in enumerate(pieces) if n and BLANK_LINES.fullmatch(piece.gap)]
    cut = rng.choice(places) if places else 0
    quotes_end = not cut or rng.random() < 0.75
    mark = rng.choice(QUOTE_MARKS)
    marks_blank_lines = rng.random() < 0.75
    quoted: Pieces = []
    for piece in _after_breaks(pieces[cut:] if quotes_end else pieces[:cut], mark, in_unit=True):
        blank = BLANK_LINES.fullmatch(piece.gap) if quoted and marks_blank_lines else None
        if blank:
            quoted.append(Piece(blank[1], mark.strip(), "CODE"))
            piece = piece._replace(gap=blank[2])
        quoted.append(piece)
    return pieces[:cut] + quoted if quotes_end else quoted + pieces[cut:]


def _mark_lists(pieces: Pieces, rng: Random) -> Pieces:
    """Replace or remove the marks of all list items."""
    bullet = rng.choice([*BULLETS, "1"])
    number = 0
    changed: Pieces = []
    for n, (gap, text, label) in enumerate(pieces):
        found = LIST_MARK.match(text) if "\n" in gap or not n else None
        if found:
            number += 1
            mark = f"{number}. " if bullet == "1" else bullet
            text = mark + text[found.end() :]
        elif "\n" in gap:
            number = 0
        changed.append(Piece(gap, text, label))
    return changed


def _use_tabs(pieces: Pieces, rng: Random) -> Pieces:
    """Replace wide spaces by tabs, or tabs by spaces."""
    if rng.random() < 0.5:
        return [piece._replace(gap=re.sub(" {2,}", "\t", piece.gap)) for piece in pieces]
    spaces = " " * rng.choice([1, 2, 4, 8])
    return [piece._replace(gap=piece.gap.replace("\t", spaces)) for piece in pieces]


def _use_crlf(pieces: Pieces, rng: Random) -> Pieces:
    return [Piece(_to_crlf(gap), _to_crlf(text), label) for gap, text, label in pieces]


def _to_crlf(text: str) -> str:
    return re.sub(r"\r?\n", "\r\n", text)


def _change_case(pieces: Pieces, rng: Random) -> Pieces:
    return _set_case(pieces, rng, case=rng.choice(["lower", "upper"]))


def _set_case(pieces: Pieces, rng: Random, *, case: str) -> Pieces:
    return [piece._replace(text=change_case(piece.text, case).text) for piece in pieces]


def _drop_end_marks(pieces: Pieces, rng: Random) -> Pieces:
    return [
        piece._replace(text=remove_final_marks(piece.text).text) if piece.label == SU else piece
        for piece in pieces
    ]


def _drop_punctuation(pieces: Pieces, rng: Random) -> Pieces:
    """Remove the punctuation, and units that have nothing else."""
    lower = rng.random() < 0.7
    changed: Pieces = []
    for gap, text, label in pieces:
        text = re.sub(r"[ \t]{2,}", " ", PUNCTUATION.sub("", text)).strip()
        text = text.lower() if lower else text
        if text:
            changed.append(Piece(gap if changed else "", text, label))
    return changed


def _change_letters(pieces: Pieces, rng: Random) -> Pieces:
    """Replace all words by unknown ones, so that the model learns from layout and punctuation."""
    alphabet = draw_alphabet(rng)
    return [piece._replace(text=piece.text.translate(alphabet)) for piece in pieces]


LAYOUT_CHANGES: dict[str, Change] = {
    "unwrap": _unwrap,
    "wrap": _wrap,
    "join": _join,
    "one_a_line": _one_a_line,
    "tighten": _tighten,
    "loosen": _loosen,
    "lists": _mark_lists,
    "end_marks": _drop_end_marks,
    "punctuation": _drop_punctuation,
    "case": _change_case,
    "upper": partial(_set_case, case="upper"),
    "lower": partial(_set_case, case="lower"),
    "letters": _change_letters,
    "indent": _indent,
    "quote": _quote,
    "tabs": _use_tabs,
    "flow": partial(_wrap, keeps_rows=True),
    "reply": _reply,
    "crlf": _use_crlf,
}

"""Read and write marked text: whole documents in their layout with marked units. No spaCy.

text with marks <-> documents: the text without marks, units in characters
"""

import re
from collections.abc import Iterator

from ...messages import shorten
from ...text.kinds import KINDS
from ...text.units import NSU, SU, Unit, trim_span
from .gold_document import GoldDocument

# "=== ID | kind of text: a few words". The words after the colon are for human readers only.
HEAD = re.compile(r"(?m)^=== (?P<id>[^|\n]+?)(?: \| (?P<genre>[^:\n]*)[^\n]*)?\n")
MARK = re.compile(r"⟦(?P<su>[^⟦⟧⟪⟫]*)⟧|⟪(?P<kind>\w+)\|(?P<nsu>[^⟦⟧⟪⟫]*)⟫")
# Kinds of NSU in marked text, with their names in `NSU_KINDS`.
MARK_KINDS = {**{kind.mark: label for label, kind in KINDS.items()}, "nsu": NSU}
KIND_MARKS = {kind: mark for mark, kind in MARK_KINDS.items()}


def parse_marked_text(text: str, *, name: str) -> Iterator[GoldDocument]:
    """Parse marked text: `=== ID | kind of text`, then the document with `⟦SU⟧` and `⟪kind|NSU⟫`.

    name: Name of the file, for messages.

    Raises ValueError with `name` and line for text outside of marks, and for unknown kinds.

    >>> next(parse_marked_text("=== a | chat: short\\n⟪meta|Bo⟫ ⟦I am in.⟧\\n", name="a.txt"))[:2]
    ('Bo I am in.', [Unit(start=0, end=2, label='METADATA'), Unit(start=3, end=11, label='SU')])
    """
    heads = list(HEAD.finditer(text))
    if text[: heads[0].start() if heads else None].strip():
        raise ValueError(
            f"{name}:1: marked text must begin with '=== ID | kind of text', got "
            f"{shorten(text.strip().split(chr(10))[0])}."
        )
    if not heads:
        return
    ends = [head.start() for head in heads[1:]] + [len(text)]
    line, counted = 1, 0  # the number of the line at the character `counted`
    for head, end in zip(heads, ends, strict=True):
        pieces: list[str] = []
        units: list[Unit] = []
        length, position = 0, head.end()
        body_end = head.end() + len(text[head.end() : end].rstrip())
        for mark in MARK.finditer(text, head.end(), end):
            gap = text[position : mark.start()]
            line += text.count("\n", counted, mark.start())
            counted = mark.start()
            place = f"{name}:{line}"
            _check_gap(gap, place)
            kind = mark["kind"]
            if kind is not None and kind not in MARK_KINDS:
                raise ValueError(
                    f"{place}: the kind of an NSU must be one of {', '.join(MARK_KINDS)}, "
                    f"got {shorten(kind)}."
                )
            content = mark["su"] if kind is None else mark["nsu"]
            start = length + len(gap)
            length = start + len(content)
            trimmed_start, trimmed_end = trim_span(content, 0, len(content))
            if trimmed_end > trimmed_start:
                label = SU if kind is None else MARK_KINDS[kind]
                units.append(Unit(start + trimmed_start, start + trimmed_end, label))
            pieces += [gap, content]
            position = mark.end()
        rest = text[position:body_end]
        _check_gap(rest, f"{name}:{line + text.count(chr(10), counted, position)}")
        yield GoldDocument("".join([*pieces, rest]), units, head["id"].strip(), head["genre"] or "")


def _check_gap(gap: str, place: str) -> None:
    if gap.strip():
        found = shorten(gap.strip())
        raise ValueError(f"{place}: all text must be inside exactly one mark, got {found} outside.")


def format_marked_text(document: GoldDocument) -> str:
    """Write a document as marked text, with a blank line after it.

    White space at the end of the text is lost, and line ends become "\\n".

    Raises ValueError with the id for documents that marked text cannot represent: those with text
    outside of all units, with one of the four mark characters, with a line that looks like the head
    of a document, or with '|', ':' or line breaks in their id or kind of text.

    >>> format_marked_text(GoldDocument("Hi. I am", [Unit(0, 3, "NSU"), Unit(4, 8, "SU")], "a"))
    '=== a\\n⟪nsu|Hi.⟫ ⟦I am⟧\\n\\n'
    """
    text, units, name, genre = document
    pieces: list[str] = []
    position = 0
    for start, end, label in units:
        mark = "⟦" if label == SU else f"⟪{KIND_MARKS.get(label, label)}|"
        pieces += [text[position:start], mark, text[start:end], "⟧" if label == SU else "⟫"]
        position = end
    body = "".join([*pieces, text[position:]]).rstrip().replace("\r\n", "\n")
    marked = f"=== {name} | {genre}\n{body}\n\n" if genre else f"=== {name}\n{body}\n\n"
    plain = text.rstrip().replace("\r\n", "\n")
    labels = [unit.label for unit in units]
    reason = "got another document when reading it back"
    try:
        [(again, found, *head)] = parse_marked_text(marked, name=name)
        if (again, [unit.label for unit in found], head) == (plain, labels, [name, genre]):
            return marked
    except ValueError as error:
        reason = str(error)
    raise ValueError(
        f"{name}: marked text must keep the document as it is: no text outside of units, no marks "
        "⟦⟧⟪⟫ or lines like '=== ' in the text, no '|', ':' or line break in the id and the kind "
        f"of text. Write .jsonl instead ({reason})."
    )

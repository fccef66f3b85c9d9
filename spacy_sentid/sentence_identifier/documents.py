"""Read whole documents with their units marked: marked text, JSON lines, .spacy, CoNLL-U.

file -> documents: text as people see it, units in characters, each an SU or an NSU of some kind
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, DocBin

from ..files.records import Line, parse_record, read_good_lines
from ..treebank import TreebankUnit, read_treebank
from ..units import NSU, NSU_KINDS, SU, Unit, trim_span
from .convert import group_documents, label_units

SUFFIXES = (".txt", ".jsonl", ".spacy", ".conllu")
HEAD = re.compile(r"(?m)^=== (?P<id>[^|\n]+?)(?: \| (?P<genre>[^:\n]*)[^\n]*)?\n")
MARK = re.compile(r"⟦(?P<su>[^⟦⟧⟪⟫]*)⟧|⟪(?P<kind>\w+)\|(?P<nsu>[^⟦⟧⟪⟫]*)⟫")
# The kinds of NSU in marked text, as `NSU_KINDS` names them.
MARK_KINDS = {
    "head": "HEADING",
    "item": "LIST_ITEM",
    "meta": "METADATA",
    "sign": "SALUTATION",
    "ref": "REFERENCE",
    "code": "CODE",
    "frag": "FRAGMENT",
    "nsu": NSU,
}
LABELS = frozenset([SU, NSU, *NSU_KINDS])


class MarkedDocument(NamedTuple):
    """A text with its units; what lies in no unit is white space, or of no known label."""

    text: str
    units: list[Unit]  # in characters, in text order; label: SU, NSU, or one of NSU_KINDS
    id: str
    genre: str = ""  # the kind of text, such as "recipe"; "" where the file does not say


def read_documents(
    path: Path,
    nlp: Language,
    *,
    split: str | None = None,
    su_key: str = "su",
    nsu_key: str = "nsu",
    **rule: Any,
) -> Iterator[MarkedDocument]:
    """Read the documents of a file, or of the files in a folder, sorted by their names.

    split: Of a folder, read only the files named `split` or `...-split`, or the folder of that name
        in it.
    rule: Arguments of `convert.label_units`, for .conllu.
    Files: .txt (marked text), .jsonl, .spacy (gold in span groups), .conllu.

    Raises ValueError, with file and line, for what is no document, and if there are none.
    """
    folder = path
    if split is not None and (path / split).is_dir():
        folder, split = path / split, None
    files = [path] if path.is_file() else sorted(filter(_has_documents, folder.glob("*")))
    if split is not None and path.is_dir():
        files = [file for file in files if file.stem == split or file.stem.endswith(f"-{split}")]
    if not files or files[0].suffix not in SUFFIXES:
        raise ValueError(
            f"Documents must be a file or a folder of {', '.join(SUFFIXES)}"
            f"{f' with a split {split!r}' if split else ''}, got {path}."
        )
    for file in files:
        if file.suffix == ".txt":
            yield from parse_marked_text(file.read_text(encoding="utf8"), name=str(file))
        elif file.suffix == ".jsonl":
            yield from map(parse_document, read_good_lines(file))
        elif file.suffix == ".conllu":
            labelled = label_units(read_treebank(file), **rule)
            yield from map(lay_out_document, group_documents(labelled))
        else:
            for number, doc in enumerate(DocBin().from_disk(file).get_docs(nlp.vocab), start=1):
                yield _read_doc(doc, f"{file}:{number}", su_key, nsu_key)


def _has_documents(file: Path) -> bool:
    """Tell if a file of a folder is one of documents; other texts, such as a licence, are not."""
    if file.suffix != ".txt":
        return file.suffix in SUFFIXES and file.is_file()
    with file.open("rb") as lines:
        return lines.readline().startswith(b"=== ")


def parse_marked_text(text: str, *, name: str) -> Iterator[MarkedDocument]:
    """Read marked text: `=== ID | kind of text`, then the document with `⟦SU⟧`, `⟪kind|NSU⟫`.

    Raises ValueError, with `name` and the line, for text outside of marks and unknown kinds.

    >>> next(parse_marked_text("=== a | chat: short\\n⟪meta|Bo⟫ ⟦I am in.⟧\\n", name="a.txt"))[:2]
    ('Bo I am in.', [Unit(start=0, end=2, label='METADATA'), Unit(start=3, end=11, label='SU')])
    """
    heads = list(HEAD.finditer(text))
    if text[: heads[0].start() if heads else None].strip():
        raise ValueError(f"{name}:1: marked text must begin with '=== ID | kind of text'.")
    ends = [head.start() for head in heads[1:]] + [len(text)]
    for head, end in zip(heads, ends, strict=True):
        pieces: list[str] = []
        units: list[Unit] = []
        length, position = 0, head.end()
        body_end = head.end() + len(text[head.end() : end].rstrip())
        for mark in MARK.finditer(text, head.end(), end):
            gap = text[position : mark.start()]
            place = f"{name}:{text.count(chr(10), 0, mark.start()) + 1}"
            _check_gap(gap, place)
            kind = mark["kind"]
            if kind is not None and kind not in MARK_KINDS:
                raise ValueError(
                    f"{place}: the kind of an NSU must be one of {', '.join(MARK_KINDS)}, "
                    f"got {kind!r}."
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
        _check_gap(rest, f"{name}:{text.count(chr(10), 0, position) + 1}")
        yield MarkedDocument(
            "".join([*pieces, rest]), units, head["id"].strip(), head["genre"] or ""
        )


def _check_gap(gap: str, place: str) -> None:
    if gap.strip():
        raise ValueError(
            f"{place}: all text must be inside exactly one mark, got {gap.strip()[:40]!r} outside."
        )


def parse_document(line: Line) -> MarkedDocument:
    """Read a document from a line of JSON: ours, or an export of Prodigy, doccano or Label Studio.

    Ours: {"id", "text", "units": [{"start_char", "end_char", "label"}]}, as `identify` writes it.
    Labels are SU, NSU, and the kinds of NSU. Spans that overlap are a ValueError.

    >>> row = '{"text": "Hi. I am in.", "spans": [{"start": 4, "end": 12, "label": "SU"}]}'
    >>> parse_document(Line("a.jsonl:1", row)).units
    [Unit(start=4, end=12, label='SU')]
    """
    record = parse_record(line)
    text = record.get("text", record.get("data"))
    if isinstance(text, dict):  # Label Studio
        text = text.get("text")
    if not isinstance(text, str):
        raise ValueError(f"{line.place}: 'text' must be a string, got {str(text)[:40]!r}.")
    units = []
    for span in _list_spans(record):
        start, end, label = span
        if label not in LABELS:
            raise ValueError(
                f"{line.place}: the label of a span must be SU, NSU or one of "
                f"{', '.join(NSU_KINDS)}, got {label!r}."
            )
        if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text)):
            raise ValueError(
                f"{line.place}: a span must lie in the text of {len(text)} characters, got "
                f"[{start}, {end})."
            )
        start, end = trim_span(text, start, end)
        if end > start:
            units.append(Unit(start, end, label))
    units.sort()
    for before, after in pairwise(units):
        if after.start < before.end:
            raise ValueError(
                f"{line.place}: spans must not overlap, got {text[before.start : before.end]!r} "
                f"and {text[after.start : after.end]!r}."
            )
    return MarkedDocument(
        text, units, str(record.get("id", line.place)), str(record.get("genre", ""))
    )


def _list_spans(record: dict[str, Any]) -> Iterable[tuple[Any, Any, Any]]:
    """List (start, end, label) of the spans of a record, whoever wrote it."""
    if "units" in record:
        for unit in record["units"]:
            yield unit.get("start_char"), unit.get("end_char"), unit.get("label")
    elif "spans" in record:  # Prodigy
        for span in record["spans"]:
            yield span.get("start"), span.get("end"), span.get("label")
    elif "annotations" in record:  # Label Studio
        for annotation in record["annotations"][:1]:
            for result in annotation.get("result", ()):
                value = result.get("value", {})
                if value.get("labels"):
                    yield value.get("start"), value.get("end"), value["labels"][0]
    else:  # doccano
        for key in ("label", "labels", "entities"):
            for span in record.get(key) or ():
                if isinstance(span, dict):
                    yield span.get("start_offset"), span.get("end_offset"), span.get("label")
                else:
                    yield tuple(span)  # type: ignore[misc]


def _read_doc(doc: Doc, place: str, su_key: str, nsu_key: str) -> MarkedDocument:
    if su_key not in doc.spans:
        raise ValueError(
            f"{place}: a Doc must have spans[{su_key!r}] to learn from, got the keys "
            f"{', '.join(doc.spans) or 'none'}."
        )
    units = [Unit(span.start_char, span.end_char, SU) for span in doc.spans[su_key]]
    units += [
        Unit(span.start_char, span.end_char, span.label_ if span.label_ in NSU_KINDS else NSU)
        for span in doc.spans.get(nsu_key, [])
    ]
    return MarkedDocument(doc.text, sorted(units), place)


# Kinds of the NSUs in a block of a treebank, as GUM names blocks; in others they are fragments.
BLOCK_KINDS = {
    "head": "HEADING",
    "item": "LIST_ITEM",
    "row": "LIST_ITEM",
    "cell": "LIST_ITEM",
    "bibl": "REFERENCE",
    "ref": "REFERENCE",
    "opener": "SALUTATION",
    "closer": "SALUTATION",
    "signed": "SALUTATION",
    "code": "CODE",
}
TIGHT_BLOCKS = ("item", "row", "cell", "sp", "l")


def lay_out_document(labelled: Iterable[tuple[TreebankUnit, str]]) -> MarkedDocument:
    """Make the text of a document of a treebank, by its paragraphs and blocks.

    `# newpar` starts a paragraph; `# newpar_block` (GUM) says what it is: items, rows and turns of
    speakers follow each other without a blank line, items have a mark, turns a speaker label.
    Without blocks the kinds of NSUs are not known.
    """
    pieces: list[str] = []
    units: list[Unit] = []
    position = 0
    blocks: tuple[str, ...] = ()
    gap, doc_id, genre = "", "", ""

    def add(text: str, label: str) -> None:
        nonlocal position
        units.append(Unit(position + len(gap), position + len(gap) + len(text), label))
        pieces.extend([gap, text])
        position += len(gap) + len(text)

    for unit, label in labelled:
        doc_id = doc_id or unit.newdoc or unit.sent_id
        genre = genre or unit.genre or ""
        text = unit.text
        if unit.newpar:
            before, blocks = blocks, unit.blocks
            if pieces:
                tight = set(TIGHT_BLOCKS)
                gap = "\n" if tight & set(before) and tight & set(blocks) else "\n\n"
            if unit.speaker:
                add(f"{unit.speaker}:", "METADATA")
                gap = " "
            if "item" in blocks and text[:1].isalpha():
                text = f"- {text}"
        if label == NSU and blocks:
            kinds = [BLOCK_KINDS[block] for block in blocks if block in BLOCK_KINDS]
            label = kinds[-1] if kinds else "FRAGMENT"
        add(text, label)
        gap = " " if unit.space_after else ""
    return MarkedDocument("".join(pieces), units, doc_id, genre)

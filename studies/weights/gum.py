"""Lay out the documents of GUM by the blocks that it annotates, with the kinds of their NSUs.

CoNLL-U with `# newpar_block` and `# speaker` -> documents for `train_identifier`
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from spacy_sentid.conllu.blocks import block_lines, get_comment, has_words, read_blocks
from spacy_sentid.conllu.treebank import TreebankUnit, read_treebank
from spacy_sentid.sentence_identifier.data.convert import group_documents, label_units
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.text.units import NSU, Unit

# Kinds of NSUs by block, with GUM's names. NSUs in other blocks are fragments.
KINDS = {
    "head": "HEADING",
    **dict.fromkeys(("item", "row", "cell"), "LIST_ITEM"),
    **dict.fromkeys(("opener", "closer", "signed"), "SALUTATION"),
    **dict.fromkeys(("bibl", "ref"), "REFERENCE"),
    "code": "CODE",
}
TIGHT = {"item", "row", "cell", "sp", "l"}
# Matches "list" and "item" in "list type:::"ordered" (3 s) | item (1 s)".
BLOCK = re.compile(r"(?:^|\|\s*)([a-z]+)")


class Comments(NamedTuple):
    """The comments of GUM about a unit."""

    blocks: tuple[str, ...]  # of the paragraph that starts here, the outermost first
    speaker: str | None


def lay_out_gum(path: Path) -> Iterator[GoldDocument]:
    """Read the documents of a file of GUM, laid out by their paragraphs and blocks."""
    comments = read_comments(path)
    for document in group_documents(label_units(read_treebank(path))):
        yield lay_out_document((unit, label, next(comments)) for unit, label in document)


def read_comments(path: Path) -> Iterator[Comments]:
    """Read the comments about each unit of a file."""
    with path.open("rb") as file:
        for block in read_blocks(file):
            lines = block_lines(block, str(path))
            if has_words(lines):
                names = tuple(BLOCK.findall(get_comment(lines, "newpar_block") or ""))
                yield Comments(names, get_comment(lines, "speaker"))


def lay_out_document(labelled: Iterable[tuple[TreebankUnit, str, Comments]]) -> GoldDocument:
    """Lay out a document by its paragraphs and blocks.

    There is no blank line between items, rows, or turns of speakers. Items get a list mark, and
    turns get a speaker label. Without blocks, the kinds of NSUs are unknown.
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

    for unit, label, comments in labelled:
        doc_id = doc_id or unit.newdoc or unit.sent_id
        genre = genre or unit.genre or ""
        text = unit.text
        if unit.newpar:
            before, blocks = blocks, comments.blocks
            if pieces:
                gap = "\n" if TIGHT & set(before) and TIGHT & set(blocks) else "\n\n"
            if comments.speaker:
                add(f"{comments.speaker}:", "METADATA")
                gap = " "
            if "item" in blocks and text[:1].isalpha():
                text = f"- {text}"
        if label == NSU and blocks:
            kinds = [KINDS[block] for block in blocks if block in KINDS]
            label = kinds[-1] if kinds else "FRAGMENT"
        add(text, label)
        gap = " " if unit.space_after else ""
    return GoldDocument("".join(pieces), units, doc_id, genre)

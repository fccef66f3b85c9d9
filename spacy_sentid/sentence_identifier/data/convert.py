"""Convert treebanks to gold Docs with words, tags, trees, and the units as span groups.

units of a treebank -> one Doc a document -> doc.spans["su"], doc.spans["nsu"] -> .spacy file
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ...conllu.blocks import format_id
from ...conllu.treebank import (
    TreebankUnit,
    TreebankWord,
    known_value,
    read_treebank,
    word_annotations,
)
from ...files.atomic import open_binary_output
from ...files.reading import name_file
from ...text.units import SU, Unit
from ..access.units import set_units
from .rule import SU_RELATIONS, label_unit

# Number of units in a document, if the treebank does not mark where documents start.
UNITS_PER_DOC = 20
# Keys of the id and of the kind of text of a document: `doc.user_data[NEWDOC]`.
NEWDOC, GENRE = "spacy_sentid.newdoc", "spacy_sentid.genre"
# Annotation of white space, and of tokens that cover several words.
NO_WORD = TreebankWord("", "_", "_", "_", "", None, "_", 0, 0)


def label_units(
    units: Iterable[TreebankUnit],
    *,
    su_relations: Collection[str] = SU_RELATIONS,
    all_su: bool = False,
    ignore_list_marks: bool = False,
) -> Iterator[tuple[TreebankUnit, str]]:
    """Label each unit of a treebank SU or NSU by the rule.

    all_su: Label every unit SU, for corpora without relations.
    ignore_list_marks: Do not count a list mark annotated as `discourse` as evidence for an SU.

    Raises ValueError for a unit without HEAD and DEPREL, unless `all_su`.
    """
    for unit in units:
        if all_su:
            yield unit, SU
        elif not unit.has_relations:
            raise ValueError(
                f"{unit.place} ({format_id(unit.sent_id)}): DEPREL must hold UD relations, got '_' "
                "for every word. If every unit of the corpus is a sentence, use --all-su."
            )
        else:
            forms = [word.form for word in unit.words] if ignore_list_marks else None
            yield unit, label_unit(unit.relations, su_relations=su_relations, forms=forms)


def convert_treebank(path: Path, nlp: Language, **rule: Any) -> Iterator[Doc]:
    """Convert a CoNLL-U file to Docs, one for each `newdoc`.

    rule: Arguments of `label_units`.

    Units are joined by a space, by nothing after SpaceAfter=No, and by a blank line before
    `newpar`. Tokens are the words of the treebank. A multiword token that its words do not spell
    becomes one token without tag and relation, with the head of its outermost word. Gold is aligned
    by characters, so the predicted side of an Example can have any tokenizer.
    """
    for document in group_documents(label_units(read_treebank(path), **rule)):
        yield make_gold_doc(document, nlp)


def group_documents(
    labelled: Iterable[tuple[TreebankUnit, str]],
) -> Iterator[list[tuple[TreebankUnit, str]]]:
    """Group the units of a file by `newdoc`, or by UNITS_PER_DOC if it has none."""
    document: list[tuple[TreebankUnit, str]] = []
    has_newdoc = False
    for unit, label in labelled:
        has_newdoc = has_newdoc or unit.newdoc is not None
        full = not has_newdoc and len(document) == UNITS_PER_DOC
        if document and (unit.newdoc is not None or full):
            yield document
            document = []
        document.append((unit, label))
    if document:
        yield document


def make_gold_doc(units: list[tuple[TreebankUnit, str]], nlp: Language) -> Doc:
    """Create one Doc of labelled units, with tags, trees, both span groups and the document id."""
    rows: list[_Row] = []
    bounds: list[tuple[int, int]] = []
    for n, (unit, _) in enumerate(units):
        if n:
            separator = "\n\n" if unit.newpar else " " if units[n - 1][0].space_after else ""
            _append_gap(rows, separator)
        start = len(rows)
        _append_unit(rows, unit)
        bounds.append((start, len(rows)))
    with_tree = all(unit.has_relations for unit, _ in units)
    starts = {start for start, _ in bounds}
    heads: Any = [row.head for row in rows] if with_tree else None
    deps: Any = [known_value(row.dep) or None for row in rows] if with_tree else None
    doc = Doc(
        nlp.vocab,
        words=[row.text for row in rows],
        spaces=[row.space for row in rows],
        **word_annotations(row.word for row in rows),
        heads=heads,
        deps=deps,
        sent_starts=None if with_tree else [i in starts for i in range(len(rows))],
    )
    doc.user_data[NEWDOC] = units[0][0].newdoc or units[0][0].sent_id
    doc.user_data[GENRE] = next((unit.genre for unit, _ in units if unit.genre), "")
    set_units(doc, [Unit(*span, label) for span, (_, label) in zip(bounds, units, strict=True)])
    return doc


def write_docs(docs: Iterable[Doc], path: Path) -> int:
    """Write a .spacy file in one step, and return the number of Docs."""
    doc_bin = DocBin(store_user_data=True)
    for doc in docs:
        doc_bin.add(doc)
    if not len(doc_bin):
        raise ValueError(f"The input for {path} must have units, got none. Check the input.")
    with open_binary_output(path) as file:
        file.write(doc_bin.to_bytes())
    return len(doc_bin)


def read_docs(path: Path, vocab: Vocab) -> Iterator[Doc]:
    """Read the Docs of a .spacy file. Raises ValueError with the path for any other file."""
    with name_file(path, expected="a .spacy file", advice="Convert the corpus again."):
        yield from DocBin(store_user_data=True).from_disk(path).get_docs(vocab)


@dataclass
class _Row:
    """One token of the Doc that is being built."""

    text: str
    word: TreebankWord = NO_WORD
    dep: str = "_"
    head: int | None = None
    space: bool = False


def _append_gap(rows: list[_Row], gap: str) -> None:
    """Put white space after the last token: its own space, then a white-space token if needed."""
    if gap.startswith(" ") and rows:
        rows[-1].space = True
        gap = gap[1:]
    if gap:
        rows.append(_Row(gap, head=max(len(rows) - 1, 0)))


def _append_unit(rows: list[_Row], unit: TreebankUnit) -> None:
    words = unit.words
    places: dict[int, int] = {}  # the row of each word
    outermost: dict[int, TreebankWord] = {}  # by their rows
    position = 0

    def get_characters(i: int) -> object:
        return words[i][-2:] if words[i].end_char > words[i].start_char else i

    # Words with the same characters (a multiword token that they do not spell) share a token.
    for _, group in groupby(range(len(words)), get_characters):
        indices = list(group)
        start, end = words[indices[0]][-2:]
        if start > position and places:
            _append_gap(rows, unit.text[position:start])
        # The outermost word is the first with a head outside of the token.
        heads = [None if words[i].head == i else words[i].head for i in indices]
        outer = words[
            next((i for i, h in zip(indices, heads, strict=True) if h not in indices), indices[0])
        ]
        is_one = len(indices) == 1
        # Keep the relation of the root, as each tree needs it.
        dep = outer.deprel if is_one or outer.head in indices else "_"
        places |= dict.fromkeys(indices, len(rows))
        outermost[len(rows)] = outer
        rows.append(_Row(unit.text[start:end], outer if is_one else NO_WORD, dep))
        position = end
    for row, word in outermost.items():
        rows[row].head = None if word.head is None else places[word.head]

"""Turn treebanks into Docs with gold: words, tags, trees, and the units as span groups.

units of a treebank -> one Doc a document -> doc.spans["su"], doc.spans["nsu"] -> .spacy file
"""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span, SpanGroup

from ..files.atomic import open_binary_output
from ..treebank import TreebankUnit, Word, read_treebank
from ..units import NSU, SU
from .rule import SU_RELATIONS, label_unit

SU_KEY, NSU_KEY = "su", "nsu"
# Size of the documents made of a treebank that does not say where documents start.
UNITS_PER_DOC = 20
# Where a Doc keeps the id of its `newdoc`: `doc.user_data[NEWDOC]`.
NEWDOC = "spacy_sentid.newdoc"


def label_units(
    units: Iterable[TreebankUnit],
    *,
    su_relations: Collection[str] = SU_RELATIONS,
    all_su: bool = False,
) -> Iterator[tuple[TreebankUnit, str]]:
    """Label each unit of a treebank SU or NSU by the rule.

    all_su: Every unit is an SU; for corpora without relations.
    Raises ValueError at a unit without HEAD and DEPREL unless `all_su`.
    """
    for unit in units:
        if all_su:
            yield unit, SU
        elif not unit.has_relations:
            raise ValueError(
                f"{unit.place} (sent_id {unit.sent_id}): DEPREL must hold UD relations, got '_' "
                "for every word. If all units of a corpus without them are sentences, use --all-su."
            )
        else:
            yield unit, label_unit(unit.relations, su_relations=su_relations)


def convert_treebank(
    path: Path,
    nlp: Language,
    *,
    su_relations: Collection[str] = SU_RELATIONS,
    all_su: bool = False,
) -> Iterator[Doc]:
    """Make the Docs of a CoNLL-U file, one for each `newdoc`.

    Units are joined by a space, by nothing after SpaceAfter=No, by a blank line before `newpar`.
    Tokens are the words of the treebank; a multiword token that its words do not spell is one
    token without tag and relation, with the head of its outermost word. Labels go by characters,
    so any tokenizer can be the predicted side of an Example.
    """
    labelled = label_units(read_treebank(path), su_relations=su_relations, all_su=all_su)
    for document in group_documents(labelled):
        yield make_gold_doc(document, nlp)


def group_documents(
    labelled: Iterable[tuple[TreebankUnit, str]],
) -> Iterator[list[tuple[TreebankUnit, str]]]:
    """Group the units of a file by document: at each `newdoc`, else by UNITS_PER_DOC."""
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
    """Make one Doc of labelled units, with tags, trees, both span groups and the document's id."""
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
    deps: Any = [row.dep for row in rows] if with_tree else None
    doc = Doc(
        nlp.vocab,
        words=[row.text for row in rows],
        spaces=[row.space for row in rows],
        tags=[row.tag for row in rows],
        pos=[row.pos for row in rows],
        morphs=[row.morph for row in rows],
        lemmas=[row.lemma for row in rows],
        heads=heads,
        deps=deps,
        sent_starts=None if with_tree else [i in starts for i in range(len(rows))],
    )
    if units[0][0].newdoc is not None:
        doc.user_data[NEWDOC] = units[0][0].newdoc
    for key, kind in ((SU_KEY, SU), (NSU_KEY, NSU)):
        spans = [
            Span(doc, start, end, label=kind)
            for (start, end), (_, label) in zip(bounds, units, strict=True)
            if label == kind
        ]
        doc.spans[key] = SpanGroup(doc, name=key, spans=spans)
    return doc


def write_docs(docs: Iterable[Doc], path: Path) -> int:
    """Write a .spacy file in one step and count the Docs."""
    doc_bin = DocBin(store_user_data=True)
    for doc in docs:
        doc_bin.add(doc)
    if not len(doc_bin):
        raise ValueError(f"There must be units to write to {path}, got none. Check the input.")
    with open_binary_output(path) as file:
        file.write(doc_bin.to_bytes())
    return len(doc_bin)


class _Row:
    """One token of a Doc to be."""

    def __init__(self, text: str, words: list[Word], head: int | None) -> None:
        word = words[0] if len(words) == 1 else None
        self.text = text
        self.space = False
        self.pos = word.upos if word and word.upos != "_" else ""
        self.tag = word.xpos if word and word.xpos != "_" else ""
        self.morph = word.feats if word else ""
        self.lemma = word.lemma if word and word.lemma != "_" else ""
        self.dep = word.deprel if word and word.deprel != "_" else None
        self.head = head


def _append_gap(rows: list[_Row], gap: str) -> None:
    """Put white space after the last token: its own space, the rest as a white-space token."""
    if not gap:
        return
    if gap.startswith(" ") and rows:
        rows[-1].space = True
        gap = gap[1:]
    if gap:
        rows.append(_Row(gap, [], max(len(rows) - 1, 0)))


def _append_unit(rows: list[_Row], unit: TreebankUnit) -> None:
    # Words with the same characters (a multiword token spelled otherwise) share a token.
    tokens: list[list[int]] = []
    for i, word in enumerate(unit.words):
        if (
            tokens
            and word[-2:] == unit.words[tokens[-1][0]][-2:]
            and word.end_char > word.start_char
        ):
            tokens[-1].append(i)
        else:
            tokens.append([i])
    position = 0
    places: dict[int, int] = {}
    pending: list[tuple[_Row, Word]] = []
    for indices in tokens:
        words = [unit.words[i] for i in indices]
        start, end = words[0].start_char, words[0].end_char
        if start > position and rows and pending:
            _append_gap(rows, unit.text[position:start])
        row = _Row(unit.text[start:end], words, None)
        for i in indices:
            places[i] = len(rows)
        rows.append(row)
        outer = _outermost(unit, indices)
        if len(words) > 1 and outer.head in indices:  # the root; each tree needs one
            row.dep = outer.deprel
        pending.append((row, outer))
        position = end
    for row, word in pending:
        row.head = None if word.head is None else places[word.head]


def _outermost(unit: TreebankUnit, indices: list[int]) -> Word:
    """Pick the first of the words of one token whose head is not another of them."""
    for i in indices:
        if unit.words[i].head == i or unit.words[i].head not in indices:
            return unit.words[i]
    return unit.words[indices[0]]

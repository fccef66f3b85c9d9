"""Raw documents of a treebank in two layouts: Docs to train on, gold to measure on.

treebank -> documents -> with their blank lines, or on one line -> train.spacy, dev.spacy; GoldText
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_sentid.sentence_identifier.convert import (
    group_documents,
    label_units,
    make_gold_doc,
    write_docs,
)
from spacy_sentid.treebank import TreebankUnit, find_treebank_files, read_treebank
from studies.downstream.scores import Word
from studies.downstream.systems import find_words

# Blank lines between paragraphs, as the treebank has them; or everything on one line.
PARAGRAPHS, ONE_LINE = LAYOUTS = ("paragraphs", "one line")

TRAINED = ("train", "dev")
SPLITS = (*TRAINED, "test")

Document: TypeAlias = list[tuple[TreebankUnit, str]]  # with SU or NSU


class GoldText(NamedTuple):
    """A raw document, and what it should become."""

    text: str
    words: list[Word]
    units: list[tuple[int, int]]  # characters, NSUs too
    sus: list[tuple[int, int]]


def corpus_path(out: Path, split: str, *, in_layouts: bool) -> Path:
    """Name the Docs of a split that is trained with: as they are, or in both layouts."""
    return out / "corpus" / f"{split}{'-layouts' if in_layouts else ''}.spacy"


def write_corpora(treebank: Path, out: Path, *, lang: str) -> None:
    """Turn train and dev into Docs: one file as the treebank is, one in both layouts.

    Files that are there are kept.
    """
    nlp = spacy.blank(lang)
    for split in TRAINED:
        documents = list(read_documents(find_treebank_files(treebank, split)))
        for layouts in ((PARAGRAPHS,), LAYOUTS):
            path = corpus_path(out, split, in_layouts=layouts == LAYOUTS)
            if path.exists():
                continue
            docs = (
                _name_relations(make_gold_doc(set_layout(document, layout), nlp))
                for layout in layouts
                for document in documents
                if layout == PARAGRAPHS or has_paragraphs(document)
            )
            write_docs(docs, path)


def read_documents(paths: Iterable[Path]) -> Iterator[Document]:
    """Read the documents of some CoNLL-U files; see `convert.group_documents`."""
    for path in paths:
        yield from group_documents(label_units(read_treebank(path)))


def has_paragraphs(document: Document) -> bool:
    """Tell whether a paragraph starts inside a document: whether its layouts differ."""
    return any(unit.newpar for unit, _ in document[1:])


def set_layout(document: Document, layout: str) -> Document:
    """Give a document without its paragraphs, if it is to be on one line."""
    if layout == PARAGRAPHS:
        return document
    return [(replace(unit, newpar=False), label) for unit, label in document]


def read_gold(treebank: Path, nlp: Language) -> dict[str, list[GoldText]]:
    """Read the raw documents of the test split with their trees and units, by layout.

    A treebank without paragraphs has one layout. A multiword token that its words do not spell is
    one word, that no parser can get right.
    """
    documents = list(read_documents(find_treebank_files(treebank, "test")))
    layouts = LAYOUTS if any(map(has_paragraphs, documents)) else (ONE_LINE,)
    return {
        layout: [_make_gold(make_gold_doc(set_layout(doc, layout), nlp)) for doc in documents]
        for layout in layouts
    }


def _make_gold(doc: Doc) -> GoldText:
    spans = {key: [(s.start_char, s.end_char) for s in doc.spans[key]] for key in ("su", "nsu")}
    return GoldText(doc.text, find_words(doc), sorted(spans["su"] + spans["nsu"]), spans["su"])


def _name_relations(doc: Doc) -> Doc:
    """Name relations as spaCy's parser does: "ROOT", and "dep" of white space.

    Of white space without a relation spaCy's scorer of trees leaves out words of other Docs.
    """
    for token in doc:
        if token.dep_ == "root":
            token.dep_ = "ROOT"
        elif token.is_space:
            token.dep_ = "dep"
    return doc

"""Raw documents of a treebank in two layouts, as Docs for training and gold for evaluation.

treebank -> documents -> with their blank lines, or on one line -> train.spacy, dev.spacy; GoldText
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_sentid.conllu.treebank import TreebankUnit, find_treebank_files, read_treebank
from spacy_sentid.sentence_identifier.data.convert import (
    group_documents,
    label_units,
    make_gold_doc,
    write_docs,
)
from studies.downstream.scores import Word
from studies.downstream.systems import find_words

# The layouts have blank lines between the paragraphs of the treebank, or everything on one line.
PARAGRAPHS, ONE_LINE = LAYOUTS = ("paragraphs", "one line")

TRAINED = ("train", "dev")
SPLITS = (*TRAINED, "test")

Document: TypeAlias = list[tuple[TreebankUnit, str]]  # units with their label, SU or NSU


class GoldText(NamedTuple):
    """A raw document with its gold words and units."""

    text: str
    words: list[Word]
    units: list[tuple[int, int]]  # characters of SUs and NSUs
    sus: list[tuple[int, int]]  # characters of SUs


def corpus_path(out: Path, split: str, *, in_layouts: bool) -> Path:
    """Return the path of the Docs of a training split, in the original or in both layouts."""
    return out / "corpus" / f"{split}{'-layouts' if in_layouts else ''}.spacy"


def write_corpora(treebank: Path, out: Path, *, lang: str) -> None:
    """Convert train and dev to Docs, with one file in the original layout and one in both layouts.

    Existing files are kept.
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
    """Read the documents of CoNLL-U files. See `convert.group_documents`."""
    for path in paths:
        yield from group_documents(label_units(read_treebank(path)))


def has_paragraphs(document: Document) -> bool:
    """Check if a document has more than one paragraph, so that its layouts differ."""
    return any(unit.newpar for unit, _ in document[1:])


def set_layout(document: Document, layout: str) -> Document:
    """Return a document in a layout. The layout with one line has no paragraphs."""
    if layout == PARAGRAPHS:
        return document
    return [(replace(unit, newpar=False), label) for unit, label in document]


def read_gold(treebank: Path, nlp: Language) -> dict[str, list[GoldText]]:
    """Read the raw documents of the test split with their trees and units, by layout.

    A treebank without paragraphs has only one layout. If the words of a multiword token do not
    spell it, the token is one word, which no parser can get right.
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
    """Rename relations as in spaCy's parser: "ROOT", and "dep" for white space.

    If white space has no relation, spaCy's dependency scorer skips words of other Docs.
    """
    for token in doc:
        if token.dep_ == "root":
            token.dep_ = "ROOT"
        elif token.is_space:
            token.dep_ = "dep"
    return doc

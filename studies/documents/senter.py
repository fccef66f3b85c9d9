"""Training of spaCy's senter for the documents study, on a treebank in many layouts.

treebank -> documents in the original and in random layouts -> sentence starts -> `spacy train`
"""

from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from random import Random

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_config

from spacy_sentid.components.sentence_starts import write_sentence_starts
from spacy_sentid.conllu.treebank import find_treebank_files
from spacy_sentid.sentence_identifier.corpora.layout import (
    change_layout,
    join_pieces,
    split_document,
)
from spacy_sentid.sentence_identifier.data.convert import write_docs
from spacy_sentid.sentence_identifier.data.documents import read_documents
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from studies import training

# Rates of the layout changes, similar to the recipe of the bundled weights.
RATES = {
    "wrap": 0.3, "join": 0.1, "one_a_line": 0.1, "tighten": 0.2, "loosen": 0.05, "lists": 0.3,
    "end_marks": 0.12, "punctuation": 0.1, "case": 0.12, "indent": 0.1, "quote": 0.05, "tabs": 0.1,
    "crlf": 0.03,
}  # fmt: skip
N_DRAWS = 2  # number of random layouts of each document, besides the original


def train_senter(
    treebank: Path, config: Path, folder: Path, *, seed: int, max_steps: int, threads: int | None
) -> dict[str, int]:
    """Train a senter with `spacy train` into a folder.

    treebank: Folder with train and dev.
    RETURNS: The number of words to train on, as "train_words".
    """
    n_words = {}
    nlp = spacy.blank("en")
    for split in ("train", "dev"):
        docs = list(make_docs(treebank, split, nlp))
        n_words[split] = sum(map(len, docs))
        write_docs(docs, folder / f"{split}.spacy")
    filled = folder / "config.cfg"
    training.fill_config(config, filled, lang="en")
    overrides = {
        "system.seed": seed,
        "paths.train": folder / "train.spacy",
        "paths.dev": folder / "dev.spacy",
        **training.list_step_overrides(load_config(filled), max_steps),
    }
    training.train_pipeline(filled, folder, overrides, threads=threads)
    return {"train_words": n_words["train"]}


def make_docs(treebank: Path, split: str, nlp: Language) -> Iterator[Doc]:
    """Make Docs from the documents of a split, each in its original and in random layouts."""
    for file in find_treebank_files(treebank, split):
        for document in read_documents(file, nlp):
            yield make_doc(document, nlp)
            for draw in range(N_DRAWS):
                rng = Random(f"{draw}-{document.id}")
                pieces = split_document(document.text, document.units)
                text, units = join_pieces(change_layout(pieces, RATES, rng))
                if text.strip():
                    yield make_doc(document._replace(text=text, units=units), nlp)


def make_doc(document: GoldDocument, nlp: Language) -> Doc:
    """Make a Doc with a sentence start at each unit, SU or NSU."""
    doc = nlp.make_doc(document.text)
    offsets = [token.idx for token in doc]
    starts = sorted({bisect_right(offsets, unit.start) - 1 for unit in document.units})
    write_sentence_starts(doc, starts, overwrite=True)
    return doc

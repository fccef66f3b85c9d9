"""Training texts of several languages in one training."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import DocBin
from spacy.training import Example

from spacy_sentid.sentence_identifier.corpora.documents import (
    DocumentCorpus,
    MixedCorpus,
)
from spacy_sentid.sentence_identifier.corpora.units import UnitCorpus
from spacy_sentid.sentence_identifier.data.documents import make_doc
from spacy_sentid.sentence_identifier.data.marked_text import parse_marked_text
from studies.weights.languages import (
    batch_by_language,
    make_language_corpus,
)

TEXTS = {"de": "Wir sehen uns z.B. am Montag.", "nl": "Wij zien elkaar a.s. maandag."}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for lang, text in TEXTS.items():
        part = tmp_path / lang
        part.mkdir()
        documents = "".join(f"=== {lang}-{n} | chat\n⟪head|Nr {n}⟫\n⟦{text}⟧\n\n" for n in range(9))
        (part / "a.txt").write_text(documents, encoding="utf8")
    return tmp_path


def document_corpus(folder: Path) -> Any:
    return DocumentCorpus(folder, max_words=50, p_excerpt=0.0, p_layout={}, redraw=False, seed=0)


def read(reader: Any) -> list[Example]:
    return list(reader(spacy.blank("xx")))


def test_each_language_has_its_own_tokenizer(folder):
    examples = read(make_language_corpus(document_corpus(folder), list(TEXTS)))
    assert [example.predicted.lang_ for example in examples] == ["de"] * 9 + ["nl"] * 9
    words = {example.predicted.lang_: [t.text for t in example.predicted] for example in examples}
    assert "z.B." in words["de"]
    assert "a.s." in words["nl"]
    assert all(example.reference.spans["su"] for example in examples)


def test_languages_have_their_shares_of_the_tokens(folder):
    reader = make_language_corpus(document_corpus(folder), list(TEXTS), {"de": 1, "nl": 3})
    n_tokens = dict.fromkeys(TEXTS, 0)
    for example in read(reader):
        n_tokens[example.predicted.lang_] += len(example.predicted)
    assert n_tokens["nl"] / n_tokens["de"] == pytest.approx(3, rel=0.2)


def test_units_and_mixtures_are_read_in_the_folder_of_a_language(folder):
    for lang in TEXTS:
        nlp = spacy.blank(lang)
        marked = parse_marked_text(
            (folder / lang / "a.txt").read_text(encoding="utf8"), name="a.txt"
        )
        docs = [make_doc(document, nlp) for document in marked]
        DocBin(docs=docs, store_user_data=True).to_disk(folder / lang / "a.spacy")
    units = UnitCorpus(
        folder, p_cc=[0], max_words=50, shuffle=[], layouts={"space": 1.0}, p_wrap=0, p_quote=0,
        p_no_space=0, redraw=False, seed=0, p_synthetic_nsu=1.0, nsu_documents=folder,
    )  # fmt: skip
    for lang in TEXTS:
        (folder / lang / "a.txt").rename(folder / lang / "b.txt")
    mixed = MixedCorpus({"units": units}, {"units": 1.0})
    examples = read(make_language_corpus(mixed, ["nl"]))
    assert examples
    assert all("z.B." not in example.text for example in examples)
    assert any("a.s." in example.text for example in examples)


def test_a_batch_has_one_language_and_no_example_is_lost(folder):
    examples = read(make_language_corpus(document_corpus(folder), list(TEXTS), {"de": 1, "nl": 1}))
    batches = list(batch_by_language(30)(examples))
    for batch in batches:
        assert len({example.predicted.vocab for example in batch}) == 1
    sizes = [sum(len(example.predicted) for example in batch) for batch in batches]
    assert sum(size < 30 for size in sizes) <= len(TEXTS)
    assert max(sizes) < 60
    assert sum(map(len, batches)) == len(examples)


def test_docs_of_several_vocabularies_may_be_one_batch():
    identifier = spacy.blank("en").add_pipe("sentence_identifier")
    texts = [("de", TEXTS["de"]), ("en", "It rains a lot. Page 3"), ("de", "Seite 3")]
    units = []
    for size in (1, 3):
        docs = [spacy.blank(lang).make_doc(text) for lang, text in texts]
        for start in range(0, 3, size):
            batch = docs[start : start + size]
            identifier.set_annotations(batch, identifier.predict(batch))
        units.append(
            [[(span.start, span.end, span.label_) for span in doc.spans["nsu"]] for doc in docs]
        )
    assert units[0] == units[1]
    assert any(units[0])


def test_a_language_is_needed(folder):
    with pytest.raises(ValueError, match="'langs' must have at least one"):
        make_language_corpus(document_corpus(folder), [])

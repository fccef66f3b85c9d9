"""The spaCy augmenter: Docs made of parts of Docs, and the Examples for training."""

import pickle
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Corpus, Example
from spacy.util import registry

from spacy_sentid.corpus_augmenter.augmenter import make_np_punct_augmenter
from spacy_sentid.corpus_augmenter.doc_parts import extract_tokens, keep_tokens
from studies.parser.phrases import read_parsing_docs

NLP = spacy.blank("en")
WORDS = ["She", "lives", "in", "the", "old", "city", "of", "Bern", ".", "Really", "!"]
SPACES = [True, True, True, True, True, True, True, False, True, False, False]
HEADS = [1, 1, 5, 5, 5, 1, 7, 5, 1, 9, 9]
DEPS = ["nsubj", "ROOT", "case", "det", "amod", "obl", "case", "nmod", "punct", "ROOT", "punct"]
POS = ["PRON", "VERB", "ADP", "DET", "ADJ", "NOUN", "ADP", "PROPN", "PUNCT", "ADV", "PUNCT"]
AugmentFunction = Callable[[spacy.Language, Example], list[Example]]


def make_doc(**options: object) -> Doc:
    values: dict = {
        "words": WORDS,
        "spaces": SPACES,
        "heads": HEADS,
        "deps": DEPS,
        "pos": POS,
        "tags": [f"T{n}" for n in range(len(WORDS))],
        "lemmas": [word.lower() for word in WORDS],
        "morphs": [f"Case=C{n}" for n in range(len(WORDS))],
        "ents": ["O"] * 5 + ["B-LOC", "I-LOC", "I-LOC", "O", "O", "O"],
    }
    doc = Doc(NLP.vocab, **{**values, **options})
    doc.cats = {"good": 1.0}
    return doc


def augment(doc: Doc, *, predicted: Doc | None = None, **options: float) -> list[Example]:
    augmenter = make_np_punct_augmenter(**{"remove_punct": 0.0, "add_np": 0.0, **options})  # type: ignore[arg-type]
    return list(augmenter(NLP, Example(predicted or NLP.make_doc(doc.text), doc)))


def texts(examples: list[Example]) -> list[str]:
    assert all(eg.predicted.text == eg.reference.text for eg in examples)
    return [eg.reference.text for eg in examples]


def test_the_end_mark_of_each_sentence_is_removed() -> None:
    doc = make_doc()
    before = doc.to_bytes()
    (eg,) = augment(doc, remove_punct=1.0)
    assert texts([eg]) == ["She lives in the old city of Bern Really"]
    assert [sent.text for sent in eg.reference.sents] == [
        "She lives in the old city of Bern",
        "Really",
    ]
    assert doc.to_bytes() == before


def test_all_annotation_stays_on_its_words() -> None:
    (eg,) = augment(make_doc(), remove_punct=1.0)
    kept = [i for i in range(len(WORDS)) if WORDS[i] not in ".!"]
    new = eg.reference
    assert [token.text for token in new] == [WORDS[i] for i in kept]
    assert [token.tag_ for token in new] == [f"T{i}" for i in kept]
    assert [str(token.morph) for token in new] == [f"Case=C{i}" for i in kept]
    assert [token.lemma_ for token in new] == [WORDS[i].lower() for i in kept]
    assert [token.pos_ for token in new] == [POS[i] for i in kept]
    assert [token.dep_ for token in new] == [DEPS[i] for i in kept]
    assert [kept[token.head.i] for token in new] == [HEADS[i] for i in kept]
    assert [(ent.text, ent.label_) for ent in new.ents] == [("city of Bern", "LOC")]
    assert new.cats == {"good": 1.0}


def test_nothing_to_do_yields_the_example_itself() -> None:
    example = Example(NLP.make_doc("x"), make_doc(words=["x"] + [""] * 0, spaces=[False], heads=[0],
        deps=["ROOT"], pos=["X"], tags=["T"], lemmas=["x"], morphs=[""], ents=["O"]))  # fmt: skip
    augmenter = make_np_punct_augmenter(remove_punct=1.0, add_np=5.0)
    assert list(augmenter(NLP, example)) == [example]


def test_noun_phrases_are_examples_with_their_trees() -> None:
    first, phrase = augment(make_doc(), add_np=1.0)
    assert texts([first, phrase]) == [make_doc().text, "the old city of Bern"]
    new = phrase.reference
    assert [token.head.i for token in new] == [2, 2, 2, 4, 2]
    assert [token.dep_ for token in new] == ["det", "amod", "ROOT", "case", "nmod"]
    assert [token.pos_ for token in new] == POS[3:8]
    assert [(ent.text, ent.label_) for ent in new.ents] == [("city of Bern", "LOC")]
    assert new.cats == {}
    assert len(list(new.sents)) == 1


def test_the_number_of_noun_phrases_is_right_on_average() -> None:
    random.seed(0)
    doc = make_doc()
    n_added = sum(len(augment(doc, add_np=0.2)) - 1 for _ in range(1000))
    assert 340 < n_added < 460  # 0.2 for each of two sentences


def test_the_global_random_determines_the_output() -> None:
    doc = make_doc()

    def run(seed: int) -> list[list[str]]:
        random.seed(seed)
        return [texts(augment(doc, remove_punct=0.5, add_np=0.3)) for _ in range(20)]

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_levels_of_0_draw_nothing() -> None:
    state = random.getstate()
    assert len(augment(make_doc())) == 1
    assert random.getstate() == state


@pytest.mark.parametrize("options", [{"remove_punct": 1.5}, {"remove_punct": -1}, {"add_np": -1}])
def test_levels_out_of_range_raise(options: dict) -> None:
    with pytest.raises(ValueError, match="augmenter"):
        augment(make_doc(), **options)


def test_sentence_starts_without_a_parse_stay() -> None:
    starts = [n in (0, 9) for n in range(len(WORDS))]
    doc = make_doc(heads=None, deps=None, sent_starts=starts)
    (eg,) = augment(doc, remove_punct=1.0, add_np=1.0)
    new = eg.reference
    assert [token.is_sent_start for token in new].count(True) == 2
    assert new[8].is_sent_start
    assert not new.has_annotation("DEP")


def test_without_sentences_the_doc_is_one_unit() -> None:
    doc = make_doc(heads=None, deps=None)
    assert texts(augment(doc, remove_punct=1.0)) == ["She lives in the old city of Bern. Really"]


def test_without_tags_and_tree_nothing_is_changed() -> None:
    doc = Doc(NLP.vocab, words=WORDS, spaces=SPACES)
    assert texts(augment(doc, remove_punct=1.0, add_np=2.0)) == [doc.text]


def test_a_mark_with_dependents_is_kept() -> None:
    heads = [*HEADS[:9], 10, 10]
    deps = [*DEPS[:9], "dep", "ROOT"]
    (eg,) = augment(make_doc(heads=heads, deps=deps), remove_punct=1.0)
    assert eg.reference.text == "She lives in the old city of Bern Really!"


@pytest.mark.parametrize(
    ("words", "spaces", "expected"),
    [
        (["Hi", ".", "\n\n", "Bo"], [False, False, False, False], "Hi\n\nBo"),
        (["Hi", ".", "Bo", "x"], [False, False, False, False], "Hi Box"),
        (["Hi", ".", "\n", " "], [False, True, False, False], "Hi \n "),
    ],
)
def test_white_space_after_the_mark_is_kept(
    words: list[str], spaces: list[bool], expected: str
) -> None:
    doc = Doc(NLP.vocab, words=words, spaces=spaces, pos=["X", "PUNCT", "", "X"],
              heads=[0, 0, 0, 3], deps=["ROOT", "punct", "", "ROOT"])  # fmt: skip
    assert keep_tokens(doc, [0, 2, 3]).text == expected


def test_an_empty_doc_stays_empty() -> None:
    doc = Doc(NLP.vocab)
    assert len(augment(doc, remove_punct=1.0, add_np=1.0)) == 1
    assert len(keep_tokens(doc, [])) == 0


def test_spans_keep_label_ids_and_place() -> None:
    doc = make_doc()
    spans = [
        Span(doc, 0, 9, label="SU", span_id="first", kb_id="Q1"),
        Span(doc, 8, 9, label="MARK"),
        Span(doc, 9, 11, label="NSU"),
    ]
    doc.spans["units"] = spans
    doc.spans["none"] = []
    new = augment(doc, remove_punct=1.0)[0].reference
    group = new.spans["units"]
    assert [(s.text, s.label_, s.id_, s.kb_id_) for s in group] == [
        ("She lives in the old city of Bern", "SU", "first", "Q1"),
        ("Really", "NSU", "", ""),
    ]
    assert list(new.spans["none"]) == []


def test_a_part_only_has_annotations_that_apply_to_it() -> None:
    doc = make_doc()
    doc.spans["units"] = [Span(doc, 0, 9, label="SU")]
    doc.spans["places"] = [Span(doc, 7, 8, label="CITY"), Span(doc, 9, 10, label="X")]
    part = extract_tokens(doc, 6, 9)
    assert "units" not in part.spans
    assert [span.text for span in part.spans["places"]] == ["Bern"]
    # The entity "city of Bern" was cut, so the entity tags of these words are missing.
    assert [token.ent_iob for token in part] == [0, 0, 2]


def test_white_space_that_depends_on_a_mark_does_not_become_a_sentence() -> None:
    doc = Doc(NLP.vocab, words=["Dogs", "bark", ".", "\n"], spaces=[True, False, False, False],
              pos=["NOUN", "VERB", "PUNCT", "SPACE"], heads=[1, 1, 1, 2],
              deps=["nsubj", "ROOT", "punct", "dep"])  # fmt: skip
    new = augment(doc, remove_punct=1.0)[0].reference
    assert [token.text for token in new] == ["Dogs", "bark", "\n"]
    assert [token.head.i for token in new] == [1, 1, 1]
    assert [token.dep_ for token in new] == ["nsubj", "ROOT", "dep"]
    assert len(list(new.sents)) == 1


def test_a_mark_with_dependents_is_kept_if_the_parse_is_partial() -> None:
    doc = Doc(NLP.vocab, words=["and", "so", "bark", "."], pos=["CCONJ", "ADV", "VERB", "PUNCT"],
              heads=[3, 1, 2, 2], deps=["cc", "", "ROOT", "punct"])  # fmt: skip
    example = Example(NLP.make_doc(doc.text), doc)
    augmenter = make_np_punct_augmenter(remove_punct=1.0, add_np=1.0)
    assert list(augmenter(NLP, example)) == [example]


def test_the_augmenter_can_be_pickled() -> None:
    augmenter = pickle.loads(pickle.dumps(make_np_punct_augmenter(remove_punct=1.0, add_np=0.0)))
    doc = make_doc()
    assert len(list(augmenter(NLP, Example(NLP.make_doc(doc.text), doc)))) == 1


def test_an_entity_without_its_first_word_begins_later() -> None:
    doc = make_doc()
    assert [ent.text for ent in keep_tokens(doc, [0, 1, 6, 7]).ents] == ["of Bern"]
    assert [ent.text for ent in keep_tokens(doc, [0, 1, 5, 7]).ents] == ["city Bern"]


def test_missing_entities_stay_missing() -> None:
    doc = make_doc(ents=None)
    doc.set_ents([], missing=[doc[0:3]], default="outside")
    new = keep_tokens(doc, [1, 2, 3])
    assert [token.ent_iob for token in new] == [doc[i].ent_iob for i in (1, 2, 3)]


def test_gold_words_are_kept() -> None:
    doc = make_doc(words=["Sh", *WORDS[1:]], spaces=SPACES)
    predicted = Doc(NLP.vocab, words=["Sh", *WORDS[1:]], spaces=SPACES)
    examples = augment(doc, predicted=predicted, remove_punct=1.0, add_np=1.0)
    for eg in examples:
        assert [t.text for t in eg.predicted] == [t.text for t in eg.reference]


def test_a_text_with_other_words_is_tokenized_again() -> None:
    doc = make_doc()
    predicted = Doc(NLP.vocab, words=[doc.text], spaces=[False])
    (eg, phrase) = augment(doc, predicted=predicted, remove_punct=1.0, add_np=1.0)
    assert [t.text for t in eg.predicted] == [t.text for t in NLP.make_doc(eg.reference.text)]
    assert phrase.predicted.text == "the old city of Bern"


@given(st.data())
def test_a_doc_without_some_leaves_is_valid(data: st.DataObject) -> None:
    """Check that leaves can be removed from random trees."""
    n = data.draw(st.integers(1, 8))
    heads = [data.draw(st.integers(0, i)) for i in range(n)]
    deps = ["ROOT" if i == head else f"d{i}" for i, head in enumerate(heads)]
    spaces = [data.draw(st.booleans()) for _ in range(n)]
    doc = Doc(NLP.vocab, words=[f"w{i}" for i in range(n)], spaces=spaces, heads=heads, deps=deps)
    leaves = [i for i in range(n) if i not in heads]
    gone = set(data.draw(st.lists(st.sampled_from(leaves), unique=True))) if leaves else set()
    kept = [i for i in range(n) if i not in gone]
    new = keep_tokens(doc, kept)
    assert [token.text for token in new] == [f"w{i}" for i in kept]
    assert [kept[token.head.i] for token in new] == [heads[i] for i in kept]
    assert [token.dep_ for token in new] == [deps[i] for i in kept]
    assert Doc(NLP.vocab).from_bytes(new.to_bytes()).text == new.text


def test_the_augmenter_makes_the_same_units_as_the_treebank_augmenter(
    sample: Path, tmp_path: Path
) -> None:
    """Compare the units of both augmenters, with P = 1 and all noun phrases."""
    from spacy_sentid.corpus_augmenter.treebanks import augment_treebanks

    file = sample / "train.conllu"
    augment_treebanks([file], tmp_path / "all.conllu", remove_punct=1, add_np=99)
    by_file = [doc.text.strip() for doc in read_parsing_docs(tmp_path / "all.conllu", NLP.vocab)]
    augmenter = make_np_punct_augmenter(remove_punct=1.0, add_np=99.0)
    by_spacy = []
    for doc in read_parsing_docs(file, NLP.vocab):
        predicted = Doc(
            NLP.vocab, words=[t.text for t in doc], spaces=[bool(t.whitespace_) for t in doc]
        )
        by_spacy += [eg.reference.text.strip() for eg in augmenter(NLP, Example(predicted, doc))]
    # Sets are compared, as a file has each noun phrase only once.
    assert set(by_spacy) == set(by_file)


def test_it_is_a_registered_augmenter_of_a_corpus(sample: Path, tmp_path: Path) -> None:
    docs = list(read_parsing_docs(sample / "train.conllu", NLP.vocab))
    DocBin(docs=docs).to_disk(tmp_path / "train.spacy")
    make = registry.get("augmenters", "spacy_sentid.np_punct_augmenter.v1")
    augmenter = make(remove_punct=1.0, add_np=0.5)
    random.seed(0)
    egs = list(Corpus(tmp_path / "train.spacy", gold_preproc=True, augmenter=augmenter)(NLP))
    assert len(docs) < len(egs) < 2 * len(docs)
    assert not any(eg.reference[-1].text == "." for eg in egs[: len(docs)])


@pytest.mark.parametrize("n_units", [1, 10])
@pytest.mark.parametrize("add_np", [0.2, 0.5])
def test_the_number_of_phrases_does_not_depend_on_units_per_example(
    sample: Path, n_units: int, add_np: float
) -> None:
    """Check the average number. The sample has 0.57 noun phrases per unit, and units without."""
    random.seed(0)
    docs = list(read_parsing_docs(sample / "train.conllu", NLP.vocab))
    docs = [Doc.from_docs(docs[i : i + n_units]) for i in range(0, len(docs), n_units)]
    augmenter = make_np_punct_augmenter(remove_punct=0.0, add_np=add_np)
    n_added = []
    for _ in range(10):
        egs = [eg for doc in docs for eg in augmenter(NLP, Example(NLP.make_doc(doc.text), doc))]
        n_added.append((len(egs) - len(docs)) / 301)
    assert np.mean(n_added) == pytest.approx(add_np, rel=0.1)


def test_each_noun_phrase_is_added_once(sample: Path) -> None:
    augmenter = make_np_punct_augmenter(remove_punct=0.0, add_np=99.0)
    docs = list(read_parsing_docs(sample / "train.conllu", NLP.vocab))
    counts = [
        len(list(augmenter(NLP, Example(NLP.make_doc(doc.text), doc)))) - 1
        for doc in docs
        for _ in range(2)
    ]
    assert counts[::2] == counts[1::2]  # all phrases of the Example, and no phrase twice


def test_a_full_pool_drops_other_phrases(monkeypatch: pytest.MonkeyPatch, sample: Path) -> None:
    monkeypatch.setattr("spacy_sentid.corpus_augmenter.augmenter.MAX_POOL", 3)
    augmenter = make_np_punct_augmenter(remove_punct=0.0, add_np=0.01)
    for doc in read_parsing_docs(sample / "train.conllu", NLP.vocab):
        list(augmenter(NLP, Example(NLP.make_doc(doc.text), doc)))
        assert len(augmenter.pool) <= 3


def test_spacy_trains_with_it(root: Path, sample: Path, tmp_path: Path) -> None:
    from spacy.cli.train import train

    docs = list(read_parsing_docs(sample / "dev.conllu", NLP.vocab))
    DocBin(docs=docs).to_disk(tmp_path / "dev.spacy")
    short = (root / "configs/parser.cfg").read_text()
    augmenter = (
        '[corpora.train.augmenter]\n@augmenters = "spacy_sentid.np_punct_augmenter.v1"\n'
        "remove_punct = 0.2\nadd_np = 0.2\n\n[corpora.dev]"
    )
    (tmp_path / "config.cfg").write_text(short.replace("[corpora.dev]", augmenter))
    overrides = {
        "paths.train": str(tmp_path / "dev.spacy"),
        "paths.dev": str(tmp_path / "dev.spacy"),
        "training.max_steps": 3,
        "training.eval_frequency": 2,
    }
    train(tmp_path / "config.cfg", tmp_path / "out", overrides=overrides)
    nlp = spacy.load(tmp_path / "out" / "model-last")
    assert nlp.config["corpora"]["train"]["augmenter"]["add_np"] == 0.2
    assert nlp("The old town").has_annotation("DEP")

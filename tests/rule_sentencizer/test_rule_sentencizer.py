"""The component `rule_sentencizer`: sentence starts, settings, saving, values set before."""

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_sentid.rule_sentencizer.segment import segment

TEXT = "Dr. Wu left at 5 p.m. He paid $3.50. Nobody (not even I) knew."
SENTENCES = ["Dr. Wu left at 5 p.m.", "He paid $3.50.", "Nobody (not even I) knew."]


def make_nlp(code: str = "en", **config: object) -> Language:
    nlp = spacy.blank(code)
    nlp.add_pipe("rule_sentencizer", config=config)
    return nlp


NLP = make_nlp()


def sentences(doc: Doc) -> list[str]:
    return [sent.text.strip() for sent in doc.sents]


def test_it_works_at_once() -> None:
    assert sentences(make_nlp()(TEXT)) == SENTENCES


@pytest.mark.parametrize("lang", ["de", "es", "fr", "it", "nl", "pt"])
def test_the_language_of_the_pipeline_is_the_default(lang: str) -> None:
    nlp = make_nlp(lang)
    assert nlp.get_pipe("rule_sentencizer").rules.lang == lang
    assert len(list(nlp("Xab xcd. Xef xgh.").sents)) == 2


def test_another_language_can_be_set() -> None:
    nlp = make_nlp("xx", lang="de")
    assert sentences(nlp("Am 3. Oktober war es. Er ging.")) == ["Am 3. Oktober war es.", "Er ging."]


def test_a_language_without_data_is_refused_with_the_valid_ones() -> None:
    with pytest.raises(ValueError, match="de, en, es, fr, it, nl, pt"):
        make_nlp("xx")("One.")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"strategy": "structure"}, ["Dr. Wu left at 5 p.m. He paid $3.50.", *SENTENCES[2:]]),
        ({"extra": {"others": ["knew", "Nobody"]}}, SENTENCES),
        ({"extra": ["knew", "Nobody"]}, SENTENCES),
        ({"extra": {"titles": ["p.m"]}}, [" ".join(SENTENCES[:2]), SENTENCES[2]]),
    ],
)
def test_settings_reach_the_rules(config: dict[str, object], expected: list[str]) -> None:
    nlp = make_nlp(**config)
    assert sentences(nlp(TEXT)) == expected


def test_a_list_that_is_changed_in_place_is_read_again() -> None:
    nlp = make_nlp(extra=["Xyz"])
    assert len(list(nlp("He saw Abcd. a dog.").sents)) == 2
    nlp.get_pipe("rule_sentencizer").cfg["extra"].append("Abcd")
    assert len(list(nlp("He saw Abcd. a dog.").sents)) == 1


def test_newlines_are_read_as_set() -> None:
    text = "one\ntwo\n\nthree"
    counts = [
        len(list(make_nlp(newline=newline)(text).sents))
        for newline in ("ignore", "blank-line", "break")
    ]
    assert counts == [1, 2, 3]


def test_every_token_has_a_value() -> None:
    doc = make_nlp()(TEXT)
    assert doc.has_annotation("SENT_START", require_complete=True)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "a", "  Hi. There."])
def test_short_texts(text: str) -> None:
    doc = make_nlp()(text)
    assert doc.text == text
    assert "".join(sent.text_with_ws for sent in doc.sents) == text


@pytest.mark.parametrize(("overwrite", "expected"), [(False, [0, 1]), (True, [0, 3])])
def test_existing_starts_are_kept_unless_overwritten(overwrite: bool, expected: list[int]) -> None:
    nlp = make_nlp(overwrite=overwrite)
    doc = nlp.make_doc("It rained. We left.")
    doc[1].is_sent_start, doc[3].is_sent_start = True, False
    doc = nlp.get_pipe("rule_sentencizer")(doc)
    assert [token.i for token in doc if token.is_sent_start] == expected


@pytest.mark.parametrize("n_copies", [1, 30])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_parsed_doc_is_unchanged_unless_overwritten(overwrite: bool, n_copies: int) -> None:
    nlp = make_nlp(overwrite=overwrite)
    words = ["It", "rained", ".", "We", "left", "."] * n_copies
    n = len(words)
    doc = Doc(
        nlp.vocab, words=words, heads=[1] * n, deps=["ROOT" if i == 1 else "dep" for i in range(n)]
    )
    assert len(list(doc.sents)) == 1
    doc = nlp.get_pipe("rule_sentencizer")(doc)
    assert len(list(doc.sents)) == (2 * n_copies if overwrite else 1)


def test_pipe_and_processes_give_the_same() -> None:
    nlp = make_nlp()
    texts = [TEXT, "", "One. Two."] * 5
    expected = [sentences(nlp(text)) for text in texts]
    assert [sentences(doc) for doc in nlp.pipe(texts, batch_size=2)] == expected
    assert [sentences(doc) for doc in nlp.pipe(texts, n_process=2)] == expected


def test_starts_survive_a_docbin() -> None:
    nlp = make_nlp()
    docs = DocBin(docs=[nlp(TEXT)]).get_docs(spacy.blank("en").vocab)
    assert sentences(next(docs)) == SENTENCES


def test_it_is_scored_as_sentence_recognizers_are() -> None:
    nlp = make_nlp()
    example = Example(nlp.make_doc(TEXT), nlp(TEXT))
    assert nlp.evaluate([example])["sents_f"] == 1.0


def test_the_first_stage_leaves_its_starts_to_the_identifier() -> None:
    nlp = make_nlp()
    nlp.add_pipe("sentence_identifier")
    with pytest.warns(UserWarning, match="'rule_sentencizer'"):
        doc = nlp(TEXT)
    assert sentences(doc) == SENTENCES


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=50), st.sampled_from([1, 50]))
def test_starts_of_tokens_are_those_of_characters(text: str, n_copies: int) -> None:
    text *= n_copies
    doc = NLP(text)
    firsts = [start for start, _ in segment(text)]
    tokens = [token.idx for token in doc]
    expected = {min((idx for idx in tokens if idx >= first), default=-1) for first in firsts[1:]}
    found = {sent.start_char for sent in doc.sents} - {0}
    assert found == expected - {-1, 0}


def test_a_start_inside_a_token_moves_to_the_next() -> None:
    for words, starts in ((["Hi. Yes. No", "x"], [0, 1]), (["Hi.", "Yes. No"], [0, 1]), ([], [])):
        doc = NLP.get_pipe("rule_sentencizer")(Doc(NLP.vocab, words=words))
        assert [token.i for token in doc if token.is_sent_start] == starts

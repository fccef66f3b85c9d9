"""Docs with only the SUs, and offsets in the original text."""

import pytest
import spacy
import tiny
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_sentid import original_offset, strip_nsu

NLP = spacy.blank("en")


def marked(text: str, spans: list[tuple[int, int]]) -> Doc:
    doc = NLP.make_doc(text)
    doc.spans["su"] = [Span(doc, start, end, label="SU") for start, end in spans]
    return doc


def test_the_doc_only_has_the_sus() -> None:
    doc = marked("Page 3\nI sleep. -- x --\nHe sings.", [(3, 6), (10, 13)])
    stripped = strip_nsu(doc)
    assert stripped.text == "I sleep. He sings."
    assert [sent.text for sent in stripped.sents] == ["I sleep.", "He sings."]
    assert [(span.text, span.label_) for span in stripped.spans["su"]] == [
        ("I sleep.", "SU"),
        ("He sings.", "SU"),
    ]


def test_words_keep_their_norms() -> None:
    doc = marked("Page 3\nI don't. -- I can't.", [(3, 7), (8, 12)])
    stripped = strip_nsu(doc)
    norms = [token.norm_ for span in doc.spans["su"] for token in span]
    assert [token.norm_ for token in stripped] == norms
    assert norms.count("not") == 2
    assert [sent.text for sent in stripped.sents] == ["I don't.", "I can't."]


def test_adjacent_sus_are_separated_by_a_space() -> None:
    doc = Doc(NLP.vocab, words=["Hi!", "No."], spaces=[False, False])
    doc.spans["su"] = [doc[:1], doc[1:]]
    assert strip_nsu(doc).text == "Hi! No."


def test_line_ends_inside_an_su_are_kept() -> None:
    stripped = strip_nsu(marked("I\nsleep . Page", [(0, 4)]))
    assert stripped.text == "I\nsleep ."


@pytest.mark.parametrize("text", ["", "Page 3"])
def test_without_sus_the_doc_is_empty(text: str) -> None:
    stripped = strip_nsu(marked(text, []))
    assert len(stripped) == 0
    assert list(stripped.spans["su"]) == []


def test_a_component_with_other_keys_has_its_own_group() -> None:
    doc = tiny.trained(su_key="a", nsu_key="b")(tiny.TEXT)
    stripped = strip_nsu(doc, su_key="a")
    assert [span.text for span in stripped.spans["a"]] == [span.text for span in doc.spans["a"]]
    assert stripped.text == "I like cats. They sleep a lot."


def test_a_doc_without_the_key_raises() -> None:
    with pytest.raises(ValueError, match="must have spans"):
        strip_nsu(NLP.make_doc("Hi"))


@given(st.data())
def test_every_character_of_a_token_maps_to_the_original(data: st.DataObject) -> None:
    doc = NLP.make_doc("Page 3\nI sleep. -- x --\n\nHe  sings!So do I.")
    words = [token.i for token in doc if not token.is_space]
    borders = sorted(data.draw(st.sets(st.sampled_from(range(len(words))), max_size=6)))
    pairs = zip(borders[::2], borders[1::2], strict=False)
    spans = [(words[a], words[b - 1] + 1) for a, b in pairs]
    doc.spans["su"] = [doc[start:end] for start, end in spans]
    stripped = strip_nsu(doc)
    for token in stripped:
        for char in range(token.idx, token.idx + len(token)):
            assert doc.text[original_offset(stripped, char)] == stripped.text[char]


def test_the_end_of_an_su_maps_to_its_end() -> None:
    stripped = strip_nsu(marked("Page 3\nI sleep. -- x", [(3, 6)]))
    assert original_offset(stripped, len(stripped.text)) == len("Page 3\nI sleep.")


@pytest.mark.parametrize("char", [-1, 100])
def test_offsets_outside_the_text_raise(char: int) -> None:
    stripped = strip_nsu(marked("I sleep.", [(0, 3)]))
    with pytest.raises(ValueError, match="must be within"):
        original_offset(stripped, char)


def test_a_doc_that_was_not_stripped_raises() -> None:
    with pytest.raises(ValueError, match="must have an offset map"):
        original_offset(NLP.make_doc("Hi"), 0)


def test_the_map_survives_bytes() -> None:
    stripped = strip_nsu(marked("Page 3\nI sleep.", [(3, 6)]))
    copy = Doc(NLP.vocab).from_bytes(stripped.to_bytes())
    assert original_offset(copy, 0) == original_offset(stripped, 0) == 7


def test_other_components_can_run_on_it() -> None:
    sentencizer = NLP.create_pipe("sentencizer")
    stripped = strip_nsu(marked("Page 3\nI sleep.", [(3, 6)]))
    assert sentencizer(stripped).text == "I sleep."


@pytest.fixture(scope="module")
def trained() -> Language:
    """A pipeline that finds units, and entities with a label that no other pipeline has."""
    nlp = spacy.blank("en")
    nlp.add_pipe("ner")
    gold = nlp.make_doc("I sleep in Brest.")
    gold.ents = [Span(gold, 3, 4, label="PORT_TO_CALL_AT")]
    example = Example(nlp.make_doc(gold.text), gold)
    optimizer = nlp.initialize(lambda: [example])
    for _ in range(20):
        nlp.update([example], sgd=optimizer)
    nlp.add_pipe("sentence_identifier", first=True)
    return nlp


def find_ents(doc: Doc) -> list[tuple[str, str]]:
    return [(ent.text, ent.label_) for ent in doc.ents]


def test_other_components_of_the_same_pipeline_run_on_it(trained: Language) -> None:
    docs = trained.pipe(["Page 3\nI sleep in Brest."], disable=["ner"])
    docs = trained.pipe(map(strip_nsu, docs), disable=["sentence_identifier"])
    assert find_ents(next(docs)) == [("Brest", "PORT_TO_CALL_AT")]


def test_another_pipeline_runs_on_it_if_the_vocab_is_the_same(trained: Language) -> None:
    identify = spacy.blank("en", vocab=trained.vocab)
    identify.add_pipe("sentence_identifier")
    stripped = strip_nsu(identify("Page 3\nI sleep in Brest."))
    doc = trained(stripped, disable=["sentence_identifier"])
    assert find_ents(doc) == [("Brest", "PORT_TO_CALL_AT")]


def test_a_pipeline_with_another_vocab_raises_on_it(trained: Language) -> None:
    # The mailbox guide warns about this.
    stripped = strip_nsu(marked("Page 3\nI sleep in Brest.", [(3, 8)]))
    with pytest.raises(ValueError, match="E084"):
        trained(stripped, disable=["sentence_identifier"])

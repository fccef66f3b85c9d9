"""The tokenizer that filters texts first: configs, saving, processes, sources of tokens."""

import copy
import pickle
from pathlib import Path

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.util import DummyTokenizer, registry
from thinc.api import Config

from spacy_sentid import make_pair, original_offset, original_span, strip_nsu
from spacy_sentid.rule_sentencizer.filtered_tokenizer import (
    FilteredTokenizer,
    make_filtered_tokenizer,
)
from spacy_sentid.rule_sentencizer.filters import replace_matches, strip_markup
from spacy_sentid.text.offsets import MappedText, source_span

CONFIG = """
[nlp]
lang = "en"

[nlp.tokenizer]
@tokenizers = "spacy_sentid.FilteredTokenizer.v1"
filters = [{"@misc":"spacy_sentid.strip_markup.v1"},{"@misc":"spacy_sentid.decode_entities.v1"},\
{"@misc":"spacy_sentid.join_hyphens.v1","lexicon":["small","town"]}]
"""
TEXT = "<p>A small-\ntown <b>jour</b>-\nney&hellip;</p>"
SOURCES = ["A", "small-\ntown", "jour</b>-\nney", "&hellip;"]
TEXTS = [TEXT, "", "<p>", "plain text", "a &lt; b\n<hr>\n"]


@pytest.fixture(scope="module")
def nlp() -> Language:
    return make_nlp(CONFIG)


def make_nlp(config: str) -> Language:
    lang = Config().from_str(config)["nlp"]["lang"]
    return spacy.blank(lang).from_config(Config().from_str(config))


def sources_of(doc: Doc, text: str) -> list[str]:
    return [text[slice(*source_span(token))] for token in doc if not token.is_space]


def assert_same(a: Language, b: Language) -> None:
    for text in TEXTS:
        one, other = a(text), b(text)
        assert [token.text for token in one] == [token.text for token in other]
        assert [source_span(token) for token in one] == [source_span(token) for token in other]


def test_tokens_have_their_source(nlp: Language) -> None:
    doc = nlp(TEXT)
    assert doc.text == "A small-town journey…"
    assert [token.text for token in doc] == ["A", "small", "-", "town", "journey", "…"]
    assert sources_of(doc, TEXT) == ["A", "small", "-", "town", "jour</b>-\nney", "&hellip;"]


def test_spans_and_docs_have_their_source(nlp: Language) -> None:
    doc = nlp(TEXT)
    assert TEXT[slice(*source_span(doc[1:4]))] == "small-\ntown"
    assert TEXT[slice(*source_span(doc[:]))] == TEXT[3:-4]
    assert source_span(doc) == (0, len(TEXT))
    assert source_span(doc[0:0]) == (3, 3)
    assert source_span(nlp("")) == source_span(nlp("")[:]) == (0, 0)
    assert source_span(nlp("<p>")) == (0, 3)


def test_sentences_are_reported_in_the_original(nlp: Language) -> None:
    text = "<p>One <i>he-\nre</i>.</p> <p>Two.</p>"
    sentencizer = spacy.blank("en").add_pipe("sentencizer")
    doc = sentencizer(nlp(text))
    assert [text[slice(*source_span(sent))] for sent in doc.sents] == [
        "One <i>he-\nre</i>.",
        "Two.",
    ]


def test_a_saved_pipeline_filters(nlp: Language, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path)
    assert_same(nlp, spacy.load(tmp_path))


def test_bytes_give_the_same_tokens(nlp: Language) -> None:
    assert_same(nlp, make_nlp(CONFIG).from_bytes(nlp.to_bytes()))
    assert_same(nlp, spacy.blank("en", config=nlp.config))


def test_settings_of_the_inner_tokenizer_are_saved(tmp_path: Path) -> None:
    nlp = make_nlp(CONFIG)
    nlp.tokenizer.add_special_case("small-town", [{"ORTH": "small-town"}])
    assert sources_of(nlp(TEXT), TEXT) == SOURCES
    nlp.to_disk(tmp_path)
    assert sources_of(spacy.load(tmp_path)(TEXT), TEXT) == SOURCES
    blank = make_nlp(CONFIG)
    blank.tokenizer.from_bytes(nlp.tokenizer.to_bytes())
    assert sources_of(blank(TEXT), TEXT) == SOURCES


def test_the_map_survives_docbin_bytes_and_pickle(nlp: Language) -> None:
    docs = [nlp(text) for text in TEXTS]
    stored = DocBin(store_user_data=True, docs=docs).to_bytes()
    for copies in (
        list(DocBin().from_bytes(stored).get_docs(nlp.vocab)),
        [Doc(nlp.vocab).from_bytes(doc.to_bytes()) for doc in docs],
        [pickle.loads(pickle.dumps(doc)) for doc in docs],
        [doc.copy() for doc in docs],
    ):
        for doc, other in zip(docs, copies, strict=True):
            assert [source_span(token) for token in doc] == [source_span(token) for token in other]
            assert source_span(doc) == source_span(other)


def test_two_processes_give_the_same_sources(nlp: Language) -> None:
    for doc, text in zip(nlp.pipe(TEXTS, n_process=2, batch_size=2), TEXTS, strict=True):
        assert [source_span(token) for token in doc] == [source_span(token) for token in nlp(text)]


def test_the_tokenizer_copies_and_pickles(nlp: Language) -> None:
    for other in (pickle.loads(pickle.dumps(nlp.tokenizer)), copy.copy(nlp.tokenizer)):
        assert sources_of(other(TEXT), TEXT) == sources_of(nlp(TEXT), TEXT)
    docs = list(nlp.tokenizer.pipe(TEXTS))
    assert [doc.text for doc in docs] == [nlp(text).text for text in TEXTS]


def test_methods_of_the_inner_tokenizer_are_found(nlp: Language) -> None:
    assert nlp.tokenizer.vocab is nlp.vocab
    assert not hasattr(nlp.tokenizer, "initialize")
    assert nlp.tokenizer.explain("a b")
    nlp.initialize()


def split_words(nlp: Language) -> "WordTokenizer":
    return WordTokenizer(nlp)


class WordTokenizer(DummyTokenizer):
    """A tokenizer with nothing to save."""

    def __init__(self, nlp: Language) -> None:
        self.vocab = nlp.vocab

    def __call__(self, text: str) -> Doc:
        words = text.split()
        return Doc(self.vocab, words=words, spaces=[True] * (len(words) - 1) + [False])


def test_any_tokenizer_can_be_the_inner_one(nlp: Language) -> None:
    tokenizer = make_filtered_tokenizer([strip_markup], split_words)(nlp)
    assert sources_of(tokenizer("<p>A <b>b.c</b>"), "<p>A <b>b.c</b>") == ["A", "b.c"]


def test_the_inner_block_of_a_config_is_used() -> None:
    inner = '[nlp.tokenizer.tokenizer]\n@tokenizers = "spacy.Tokenizer.v1"\n'
    assert_same(make_nlp(CONFIG + inner), make_nlp(CONFIG))


def test_the_default_inner_tokenizer_is_that_of_the_language() -> None:
    nlp = make_nlp(CONFIG.replace('"en"', '"zh"'))
    doc = nlp("<p>我喜欢猫</p>")
    assert type(nlp.tokenizer.tokenizer).__name__ == "ChineseTokenizer"
    assert source_span(doc[1]) == (4, 5)
    nlp.initialize()


def drop_notes(text: str) -> MappedText:
    return replace_matches(text, r"\[\d+\]", "")


def make_drop_notes() -> object:
    return drop_notes


def test_a_filter_of_the_user_is_used() -> None:
    registry.misc("spacy_sentid_test.drop_notes.v1", func=make_drop_notes)
    config = Config().from_str(CONFIG)
    config["nlp"]["tokenizer"]["filters"].append({"@misc": "spacy_sentid_test.drop_notes.v1"})
    text = "So[1] it[2] is."
    doc = spacy.blank("en").from_config(config)(text)
    assert doc.text == "So it is."
    assert source_span(doc[1]) == (6, 8)


def test_settings_reach_the_filters() -> None:
    for block, text, filtered in [
        ({"@misc": "spacy_sentid.strip_markup.v1", "replacement": " "}, "a<b>c", "a c"),
        ({"@misc": "spacy_sentid.join_hyphens.v1", "lexicon": ["a", "b"]}, "a-\nb", "a-b"),
        ({"@misc": "spacy_sentid.join_hyphens.v1"}, "a-\nb", "ab"),
        ({"@misc": "spacy_sentid.decode_entities.v1"}, "&lt;", "<"),
    ]:
        config = {"@tokenizers": "spacy_sentid.FilteredTokenizer.v1", "filters": [block]}
        assert spacy.blank("en", config={"nlp": {"tokenizer": config}})(text).text == filtered


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ('["spacy_sentid.strip_markup.v1"]', "Filters must be functions"),
        ('[{"@misc":"spacy_sentid.strip_mark_up.v1"}]', "spacy_sentid.strip_mark_up.v1"),
        ('[{"@misc":"spacy_sentid.join_hyphens.v1","lexicon":3}]', "lexicon"),
        ('{"@misc":"spacy_sentid.strip_markup.v1"}', "must be a list"),
    ],
)
def test_anything_but_a_filter_raises(filters: str, message: str) -> None:
    head = CONFIG.partition("filters = ")[0]
    with pytest.raises(ValueError, match=message):
        make_nlp(f"{head}filters = {filters}\n")


def other_docs(nlp: Language) -> list[Doc]:
    doc = nlp(TEXT)
    return [
        spacy.blank("en")("plain"),
        doc[1:3].as_doc(copy_user_data=True),
        Doc.from_docs([doc, nlp("more")]),
    ]


@pytest.mark.filterwarnings("ignore:.W102")  # spaCy warns that joined Docs lose user data
@pytest.mark.parametrize("number", range(3))
def test_docs_without_a_map_raise(nlp: Language, number: int) -> None:
    doc = other_docs(nlp)[number]
    for found in (doc, doc[0], doc[:]):
        with pytest.raises(ValueError, match="must have an offset map"):
            source_span(found)


likely_text = st.lists(
    st.sampled_from(
        ["<p>", "</b>", "<", "-\n", "\u00ad\n", " ", "\n", "small", "town", "don't", "é", "&amp;",
         "&acE;", "&#1;", ".", "😀", "http://x.org", "我"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@given(likely_text | st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_token_sources_ascend_and_contain_the_token(nlp: Language, text: str) -> None:
    doc = nlp(text)
    assert isinstance(nlp.tokenizer, FilteredTokenizer)
    assert source_span(doc) == (0, len(text))
    before = (0, 0)
    pieces = list(nlp.tokenizer.filter(text).offsets.pieces)
    for token in doc:
        start, end = source_span(token)
        assert before[0] <= start < end <= len(text)
        assert before[1] <= end
        before = start, end
        first, last = token.idx, token.idx + len(token)
        if any(f <= first and last <= f + length for f, _, length in pieces):
            assert text[start:end] == token.text


def test_many_characters_have_sources(nlp: Language) -> None:
    text = "<b>small</b> town &amp; " * (200_000 // 24)
    doc = nlp.tokenizer(text)
    assert len(sources_of(doc, text)) == 3 * (200_000 // 24)


def stripped_docs(nlp: Language) -> list[Doc]:
    """Make filtered Docs of an SU between two NSUs, and strip the NSUs."""
    docs = []
    for text in ("<p>Page 3</p>\n<b>A &lt; B.</b> -- x", "<p>"):
        doc = nlp(text)
        spans = [doc[3:6]] if len(doc) > 6 else []
        doc.spans["su"] = spans
        docs.append(strip_nsu(doc))
    return docs


def test_a_stripped_doc_maps_through_the_filters_to_the_original(nlp: Language) -> None:
    text = "<p>Page 3</p>\n<b>A &lt; B.</b> -- x"
    stripped, empty = stripped_docs(nlp)
    assert stripped.text == "A < B."
    assert text[slice(*source_span(stripped[1]))] == "&lt;"
    assert [original_offset(stripped, i) for i in (0, 2, 3, 6)] == [17, 19, 23, 26]
    assert source_span(stripped) == (0, len(text))
    assert original_offset(empty, 0) == 0
    again = Doc(nlp.vocab).from_bytes(stripped.to_bytes())
    stored = DocBin(store_user_data=True, docs=[stripped]).to_bytes()
    [binned] = DocBin().from_bytes(stored).get_docs(nlp.vocab)
    assert original_offset(again, 2) == original_offset(binned, 2) == 19
    stripped.spans["su"] = [stripped[1:2]]
    assert original_offset(strip_nsu(stripped), 0) == 19


def test_a_stripped_doc_keeps_its_map_in_other_processes(nlp: Language) -> None:
    docs = list(nlp.pipe(stripped_docs(nlp), n_process=2, batch_size=1))
    assert [original_offset(docs[0], i) for i in (0, 2, 3)] == [17, 19, 23]


def test_part_of_a_filtered_doc_cannot_be_stripped_with_the_map_of_the_whole(
    nlp: Language,
) -> None:
    part = nlp(TEXT)[1:3].as_doc(copy_user_data=True)
    part.spans["su"] = [part[:]]
    with pytest.raises(ValueError, match="offset map"):
        strip_nsu(part)


@pytest.mark.parametrize("first", ["<b>Sales</b> &lt; 3.", "Sales < 3. <br>"])
def test_pairs_map_to_both_texts_before_the_filters(nlp: Language, first: str) -> None:
    texts = (first, "<p>They <i>fell</i>.")
    pair = make_pair(nlp, *texts)
    found = []
    for span in (pair[0:1], pair[1:2], pair[4:5], pair[5:7]):
        side, start, end = original_span(span)
        found.append((side, texts[side - 1][start:end]))
    sign = "&lt;" if "&" in first else "<"
    assert found == [(1, "Sales"), (1, sign), (2, "They"), (2, "fell</i>.")]
    assert original_span(make_pair(nlp, "So it is.", ["no"])[4:]) == (2, 0, 2)
    plain = spacy.blank("en").make_doc("So it is. ")
    assert original_span(make_pair(nlp, plain, "<b>no")[4:]) == (2, 3, 5)

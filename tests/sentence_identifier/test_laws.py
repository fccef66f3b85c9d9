"""Properties of the whole pipeline with any text and any settings."""

import string

import pytest
import tiny
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language

from spacy_sentid import original_offset, strip_nsu
from spacy_sentid.sentence_identifier.network.boundaries import find_quoted_blank_lines
from spacy_sentid.sentence_identifier.network.tokens import BLANK, read_tokens

SEEDS = (0, 1)


@pytest.fixture(scope="module")
def pipelines() -> list[Language]:
    """The trained pipeline, and some with random weights, which predict odd units."""
    nlps = [tiny.trained()]
    for seed in SEEDS:
        tok2vec = {**tiny.MODEL["tok2vec"], "line_features": True, "abbreviations": True}
        model = {**tiny.MODEL, "nsu_kinds": True, "tok2vec": tok2vec}
        nlp = tiny.blank(threshold=0.3, model=model)
        tiny.train(nlp, 0)
        for node in tiny.pipe_of(nlp).model.walk():
            for name in node.param_names:
                param = node.get_param(name)
                noise = node.ops.xp.random.RandomState(seed).normal(size=param.shape)
                node.set_param(name, (param + noise * 0.5).astype("f"))
        nlps.append(nlp)
    return nlps


# spaCy accepts any text except lone surrogates.
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
likely_text = st.lists(
    st.sampled_from(
        ["I", "like", "cats", "sleep", "Page", "3", ".", "?", "--", "\n", "\n\n", "  ", " ", "\t",
         "file.doc", "> ", "\n>\n", "don't", "\r\n", "(", ")", "😀", "שלום", "\x00", "http://x.org"]
    ),
    max_size=60,
).map("".join)  # fmt: skip
texts = any_text | likely_text | st.text(string.printable, max_size=200)
changes = st.fixed_dictionaries(
    {
        "decoder": st.sampled_from(["semi_markov", "bos_eos"]),
        "newline": st.sampled_from(["paragraph", "learned", "break", "ignore"]),
        "nsu_span": st.sampled_from(["element", "merged", "line"]),
        "threshold": st.sampled_from([0.0, 0.02, 0.5, 1.0]),
        "max_length": st.sampled_from([None, 1, 4]),
        "decode_weights": st.sampled_from(
            [None, {"span_weight": 3.0, "span_cost": 0.3, "nsu_weight": 1.7}]
        ),
        "nsu_kinds": st.booleans(),
        "store_probs": st.booleans(),
        "overwrite": st.booleans(),
    }
)


@given(texts, changes, st.sampled_from(range(1 + len(SEEDS))))
def test_units_tile_any_text_under_any_settings(
    pipelines: list[Language], text: str, change: dict, n: int
) -> None:
    nlp = pipelines[n]
    tiny.pipe_of(nlp).cfg.update(change)
    doc = nlp(text)
    tiny.assert_sane(doc, text)
    assert "".join(sent.text_with_ws for sent in doc.sents) == text
    longest = max((sum(not t.is_space for t in span) for span in doc.spans["su"]), default=0)
    assert change["max_length"] is None or longest <= change["max_length"]
    if change["newline"] in ("paragraph", "break"):
        keys = ["su"] if change["nsu_span"] == "merged" else ["su", "nsu"]
        (indices,) = (tokens := read_tokens([doc])).indices
        blank = {*indices[(tokens.gaps == BLANK) | find_quoted_blank_lines(tokens)].tolist()}
        for span in (span for key in keys for span in doc.spans[key]):
            assert not blank & {*range(span.start + 1, span.end)}


@given(st.lists(texts, max_size=5), changes, st.sampled_from(range(1 + len(SEEDS))))
def test_units_do_not_depend_on_the_other_docs_of_the_batch(
    pipelines: list[Language], batch: list[str], change: dict, n: int
) -> None:
    nlp = pipelines[n]
    tiny.pipe_of(nlp).cfg.update(change)
    for doc, text in zip(nlp.pipe(batch), batch, strict=True):
        tiny.assert_sane(doc, text)
        assert tiny.unit_texts(doc) == tiny.unit_texts(nlp(text))


@given(texts, st.data())
def test_starts_that_are_set_are_kept(
    pipelines: list[Language], text: str, data: st.DataObject
) -> None:
    nlp = pipelines[1]
    tiny.pipe_of(nlp).cfg.update(decoder="semi_markov", overwrite=False)
    doc = nlp.make_doc(text)
    preset = {}
    for token in list(doc)[1:]:
        value = data.draw(st.sampled_from([None, None, True, False]))
        if value is not None:
            doc[token.i].is_sent_start = value
            preset[token.i] = value
    doc = tiny.pipe_of(nlp)(doc)
    tiny.assert_sane(doc, text)
    assert {i: doc[i].is_sent_start for i in preset} == preset


@given(texts)
def test_a_stripped_doc_has_the_sus_and_maps_back(pipelines: list[Language], text: str) -> None:
    nlp = pipelines[2]
    doc = nlp(text)
    stripped = strip_nsu(doc)
    tokens = [token.text for span in doc.spans["su"] for token in span]
    assert [token.text for token in stripped] == tokens
    for token in stripped:
        assert text[original_offset(stripped, token.idx)] == token.text[0]

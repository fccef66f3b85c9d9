"""The component in prediction: settings, `doc.spans`, sentence starts, decoders."""

import inspect
import re
from typing import Any

import numpy as np
import pytest
import spacy
import tiny
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from thinc.api import ConfigValidationError

from spacy_sentid.sentence_identifier.component import make_sentence_identifier
from spacy_sentid.sentence_identifier.evaluation.scorer import score_examples
from spacy_sentid.sentence_identifier.settings import DEFAULT_LOSS_WEIGHTS

# Every setting of the factory, with a value that is not the default.
SETTINGS: dict[str, Any] = {
    "su_key": "sentences",
    "nsu_key": "other",
    "decoder": "bos_eos",
    "threshold": 0.3,
    "max_length": 7,
    "decode_weights": {"span_weight": 1.0, "span_cost": 0.1, "nsu_weight": 1.2},
    "newline": "break",
    "nsu_span": "line",
    "nsu_kinds": False,
    "never_split": ["St. John"],
    "abbreviations": ["Rd."],
    "overwrite": True,
    "store_probs": True,
    "loss_weights": {**DEFAULT_LOSS_WEIGHTS, "dep": 0.0},
}
DECODERS = ["semi_markov", "bos_eos"]
ODD_TEXTS = {
    "nothing": "",
    "a space": " ",
    "white space": " \n\n\t \n",
    "emoji": "👍🏽👩‍👩‍👧 😀",
    "one word": "x",
    "one long word": "x" * 100_000,
    "many line ends": "\n" * 5000,
    "NULs": "I like\x00cats.\x00 \x00",
    "right to left": "שלום עולם. مرحبا بالعالم؟\nעמוד 3",
    "byte order mark": "\ufeffI like cats.\u200b They sleep.\u2028Page 3",
    "combining": "e\u0301" * 50,
    "white space around": "  \n I like cats. \n\n ",
    "control characters": "".join(map(chr, range(32))) + "\x7f\x85\xa0",
}


@pytest.fixture(scope="module")
def nlp() -> Language:
    return tiny.trained()


# Settings


def test_the_table_of_settings_is_complete() -> None:
    parameters = set(inspect.signature(make_sentence_identifier).parameters)
    assert set(SETTINGS) == parameters - {"nlp", "name", "model", "pretrained", "scorer"}


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_setting_reaches_the_component(setting: str) -> None:
    default = tiny.pipe_of(tiny.blank()).cfg[setting]
    assert default != SETTINGS[setting]
    pipe = tiny.pipe_of(tiny.blank(**{setting: SETTINGS[setting]}))
    assert pipe.cfg[setting] == SETTINGS[setting]


def test_only_the_factory_has_defaults_of_settings() -> None:
    parameters = inspect.signature(make_sentence_identifier).parameters.values()
    assert all(parameter.default is inspect.Parameter.empty for parameter in parameters)
    meta = Language.get_factory_meta(tiny.NAME)
    assert {*SETTINGS, "model", "pretrained", "scorer"} == set(meta.default_config)


def test_name_and_model_reach_the_component() -> None:
    nlp = spacy.blank("en")
    config = {"model": tiny.MODEL, "pretrained": None, "scorer": None}
    pipe = nlp.add_pipe(tiny.NAME, name="units", config=config)
    assert pipe.name == "units"  # type: ignore[attr-defined]
    assert pipe.scorer is None  # type: ignore[attr-defined]
    assert pipe.model.get_ref("tok2vec").get_dim("nO") == 24  # type: ignore[attr-defined]


def test_the_scorer_is_ours_by_default() -> None:
    assert tiny.pipe_of(tiny.blank()).scorer is score_examples


@pytest.mark.parametrize("threshold", [-0.1, 1.1])
def test_a_threshold_outside_zero_to_one_raises(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        tiny.blank(threshold=threshold)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_length": 0}, "max_length"),
        ({"nsu_key": "su"}, "'su'"),
    ],
)
def test_settings_that_cannot_work_raise(settings: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tiny.blank(**settings)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (
            {"loss_weights": {"bos": 1.0}},
            "loss_weights.*segments",
        ),
        (
            {"decode_weights": {"span_cost": 1.0}},
            "span_cost.*span_weight",
        ),
    ],
)
def test_missing_parts_of_a_setting_are_named(part: dict, message: str) -> None:
    model = spacy.util.registry.resolve({"model": tiny.MODEL})["model"]
    settings = {**SETTINGS, **part}
    with pytest.raises(ValueError, match=message):
        make_sentence_identifier(
            spacy.blank("en"), "x", model, pretrained=None, scorer=None, **settings
        )


@pytest.mark.parametrize(
    "settings", [{"decoder": "viterbi"}, {"newline": "maybe"}, {"nsu_span": "x"}, {"tresh": 1}]
)
def test_unknown_settings_raise(settings: dict) -> None:
    with pytest.raises(ConfigValidationError):
        tiny.blank(**settings)


# Span groups


@pytest.mark.parametrize("name", ODD_TEXTS)
@pytest.mark.parametrize("decoder", DECODERS)
def test_odd_texts_have_valid_units(name: str, decoder: str) -> None:
    text = ODD_TEXTS[name]
    tiny.assert_sane(tiny.trained(decoder=decoder)(text), text)


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_both_keys_are_written_for_empty_docs(nlp: Language, text: str) -> None:
    doc = nlp(text)
    assert [list(doc.spans[key]) for key in ("su", "nsu")] == [[], []]
    assert [len(doc.spans[key].attrs["scores"]) for key in ("su", "nsu")] == [0, 0]


def test_a_batch_can_have_only_empty_docs(nlp: Language) -> None:
    assert all("nsu" in doc.spans for doc in nlp.pipe(["", " ", ""]))


def test_what_was_learned_is_found(nlp: Language) -> None:
    assert tiny.unit_texts(nlp(tiny.TEXT)) == [
        ("-- file.doc --", "NSU"),
        ("I like cats.", "SU"),
        ("They sleep a lot.", "SU"),
        ("Page 3", "NSU"),
    ]


def test_lone_surrogates_fail_in_spacy_before_they_reach_us(nlp: Language) -> None:
    # No Doc can contain them, but 'spacy-sentid identify' accepts such files.
    with pytest.raises(UnicodeEncodeError):
        spacy.blank("en")("\ud800")


def test_docs_made_without_the_tokenizer_work(nlp: Language) -> None:
    doc = Doc(nlp.vocab, words=["I", "like", "cats", ".", "\n", "Page", "3"])
    tiny.assert_sane(tiny.pipe_of(nlp)(doc), doc.text)


def test_span_keys_come_from_the_settings() -> None:
    doc = tiny.trained(su_key="a", nsu_key="b")(tiny.TEXT)
    assert (len(doc.spans["a"]), len(doc.spans["b"])) == (2, 2)
    assert set(doc.spans) == {"a", "b"}


def test_a_second_run_has_the_same_result(nlp: Language) -> None:
    doc = nlp(tiny.TEXT)
    before = tiny.unit_texts(doc)
    assert tiny.unit_texts(tiny.pipe_of(nlp)(doc)) == before
    assert len(doc.spans["su"]) == 2


def test_a_batch_has_the_same_result_as_single_docs(nlp: Language) -> None:
    texts = [tiny.TEXT, "", "Page 4", " \n", "She saw them. It rained.\nPage 9", *["Hi."] * 20]
    for together, text in zip(nlp.pipe(texts, batch_size=7), texts, strict=True):
        alone = nlp(text)
        assert tiny.unit_texts(together) == tiny.unit_texts(alone)
        for key in ("su", "nsu"):
            scores = [doc.spans[key].attrs["scores"] for doc in (together, alone)]
            assert np.allclose(*scores, atol=1e-4)


def test_predict_does_not_change_the_docs(nlp: Language) -> None:
    doc = nlp.make_doc(tiny.TEXT)
    before = doc.to_bytes()
    tiny.pipe_of(nlp).predict([doc])
    assert doc.to_bytes() == before


@pytest.mark.parametrize("newline", ["paragraph", "learned", "break", "ignore"])
def test_prediction_does_not_change_the_model(newline: str) -> None:
    nlp = tiny.trained(newline=newline)
    before = tiny.pipe_of(nlp).model.to_bytes()
    nlp(tiny.TEXT)
    assert tiny.pipe_of(nlp).model.to_bytes() == before


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("decoder", "viterbi"),
        ("nsu_span", "run"),
        ("max_length", 1.5),
        ("threshold", "0.5"),
        ("nsu_kinds", "yes"),
        ("overwrite", 1),
    ],
)
def test_settings_changed_after_loading_are_checked(setting: str, value: Any) -> None:
    pipe = tiny.pipe_of(tiny.trained())
    before = pipe.cfg[setting]
    with pytest.raises(ValueError, match=setting):
        pipe.cfg[setting] = value
    assert pipe.cfg[setting] == before


def test_time_is_linear_enough_for_a_long_document(nlp: Language) -> None:
    text = (tiny.TEXT + "\n") * 1500
    tiny.assert_sane(nlp(text), text)


# Line breaks


@pytest.mark.parametrize("decoder", DECODERS)
def test_with_break_no_su_crosses_a_line_break(decoder: str) -> None:
    nlp = tiny.trained(newline="break", decoder=decoder)
    doc = nlp("I like\ncats. They\n\nsleep a lot. Page\r\n3")
    tiny.assert_sane(doc, doc.text)
    assert not any("\n" in span.text for span in doc.spans["su"])


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("nsu_span", ["element", "line"])
def test_with_paragraph_no_unit_crosses_a_blank_line(decoder: str, nsu_span: str) -> None:
    nlp = tiny.trained(decoder=decoder, nsu_span=nsu_span)
    doc = nlp("I like\n\ncats. They\r\n\t\r\nsleep a lot. Page\n\n\n3\n \nPage")
    tiny.assert_sane(doc, doc.text)
    assert not any("\n\n" in text or "\t" in text for text, _ in tiny.unit_texts(doc))
    assert len(list(doc.sents)) >= 5


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("nsu_span", ["element", "line"])
def test_with_paragraph_no_unit_crosses_a_line_of_quote_marks(decoder: str, nsu_span: str) -> None:
    nlp = tiny.trained(decoder=decoder, nsu_span=nsu_span)
    text = "> I like\n>\n> cats.\n>>\n>\nThey > sleep\n> >\n> >> a lot"
    doc = nlp(text)
    tiny.assert_sane(doc, text)
    units = [(span.start_char, span.end_char) for key in ("su", "nsu") for span in doc.spans[key]]
    bare = [match.span() for match in re.finditer(r"(?m)^[> ]+$", text)]
    assert [text[start:end] for start, end in bare] == [">", ">>", ">", "> >"]
    for first, last in bare:
        touching = [(start, end) for start, end in units if start < last and first < end]
        assert (min(touching)[0], max(touching)[1]) == (first, last)


def test_with_paragraph_a_quote_mark_belongs_to_the_unit_of_its_line() -> None:
    text = "Page\n> I like cats.\n> Page 3\n>> They sleep.\n>\n> a lot"
    doc = tiny.trained()(text)
    starts = [span.start_char for key in ("su", "nsu") for span in doc.spans[key]]
    places = [match.end() for match in re.finditer(r"(?m)^> (?!>)", text)]
    assert len(places) == 3
    assert not {*starts} & {*places}


def test_with_paragraph_each_row_of_a_table_is_an_nsu_or_in_an_su() -> None:
    text = "Page   3   4\nPage   5   6\nPage   7   8"
    doc = tiny.trained()(text)
    tiny.assert_sane(doc, text)
    assert not any("\n" in span.text for span in doc.spans["nsu"])
    assert len(doc.spans["nsu"]) >= 3


def test_paragraph_and_learned_only_differ_at_blank_lines() -> None:
    paragraph, learned = tiny.trained(), tiny.trained(newline="learned")
    text = "I like\ncats. Page 3\nThey sleep\na lot."
    assert tiny.unit_texts(paragraph(text)) == tiny.unit_texts(learned(text))
    text = "I like\n\ncats."
    assert [text for text, _ in tiny.unit_texts(paragraph(text))] == ["I like", "cats."]
    assert [text for text, _ in tiny.unit_texts(learned(text))] == ["I like\n\ncats."]


def test_with_break_and_line_no_unit_crosses_a_line_break() -> None:
    doc = tiny.trained(newline="break", nsu_span="line")(
        "I like\ncats. They\n\nsleep a lot. Page\r\n3"
    )
    assert not any("\n" in text for text, _ in tiny.unit_texts(doc))


def test_with_ignore_line_breaks_are_spaces() -> None:
    nlp = tiny.trained(newline="ignore")
    texts = [tiny.TEXT, "Page 3 I like\ncats.\n\nThey sleep a lot."]
    for text in texts:
        lines = [(unit.split(), label) for unit, label in tiny.unit_texts(nlp(text))]
        spaces = tiny.unit_texts(nlp(" ".join(text.split())))
        assert lines == [(unit.split(), label) for unit, label in spaces]


def test_with_learned_line_breaks_are_evidence(nlp: Language) -> None:
    texts = ["I like cats They sleep", "I like cats\nThey sleep"]
    pipe = tiny.pipe_of(nlp)
    flags = [pipe.predict([nlp.make_doc(text)])[0].flags for text in texts]
    assert not np.allclose(*flags)


def test_nsus_can_be_split_into_lines() -> None:
    text = "Page 3\nPage 4 \n\n-- file.doc --\nI like cats."
    runs = tiny.trained(nsu_span="merged")(text)
    assert [span.text for span in runs.spans["nsu"]] == ["Page 3\nPage 4 \n\n-- file.doc --"]
    lines = tiny.trained(nsu_span="line")(text)
    assert [span.text for span in lines.spans["nsu"]] == ["Page 3", "Page 4", "-- file.doc --"]
    assert [span.text for span in lines.spans["su"]] == ["I like cats."]
    tiny.assert_sane(lines, text)


def test_elements_are_the_default_and_each_starts_a_sentence(nlp: Language) -> None:
    doc = nlp("-- note.txt --\nPage 4\n\nPage 3\nI like cats.")
    elements = ["-- note.txt --", "Page 4", "Page 3"]
    assert [span.text for span in doc.spans["nsu"]] == elements
    assert [sent.text.strip() for sent in doc.sents] == [*elements, "I like cats."]


# Label scores


def test_label_scores_of_clear_units_are_high(nlp: Language) -> None:
    doc = nlp(tiny.TEXT)
    for key in ("su", "nsu"):
        assert min(doc.spans[key].attrs["label_scores"]) > 0.9


def test_label_scores_do_not_depend_on_the_edges(nlp: Language) -> None:
    whole = nlp("I like cats. They sleep a lot.")
    cut = tiny.trained(max_length=2)(whole.text)
    assert min(cut.spans["su"].attrs["label_scores"]) > 0.9
    assert min(cut.spans["su"].attrs["scores"]) < 0.1


# Sentence starts


def starts(doc: Doc) -> list[int]:
    return [token.i for token in doc if token.is_sent_start]


def test_each_unit_starts_a_sentence(nlp: Language) -> None:
    doc = nlp(tiny.TEXT)
    assert [sent.text.strip() for sent in doc.sents] == [text for text, _ in tiny.unit_texts(doc)]


@pytest.mark.parametrize("text", ["x", " ", "\n\n I like cats.", "", "\n"])
def test_every_doc_has_sentences(nlp: Language, text: str) -> None:
    assert "".join(sent.text_with_ws for sent in nlp(text).sents) == text


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize(("token", "value"), [(6, True), (9, False), (6, False), (2, True)])
def test_starts_that_are_set_are_kept(decoder: str, token: int, value: bool) -> None:
    nlp = tiny.trained(decoder=decoder)
    doc = nlp.make_doc("-- file.doc -- I like cats. They sleep a lot.")
    doc[token].is_sent_start = value
    doc = tiny.pipe_of(nlp)(doc)
    tiny.assert_sane(doc, doc.text)
    assert bool(doc[token].is_sent_start) is value
    unit_starts = {span.start for key in ("su", "nsu") for span in doc.spans[key]}
    # Two NSUs with the start between them are merged, but the sentence still starts there.
    if not value:
        assert token not in unit_starts
    else:
        assert not any(span.start < token < span.end for span in doc.spans["su"])


def with_sentencizer(**settings: Any) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer", name="rules")
    nlp.add_pipe(tiny.NAME, config={"model": tiny.MODEL, "pretrained": None, **settings})
    tiny.pipe_of(nlp).from_bytes(tiny.pipe_of(tiny.trained(**settings)).to_bytes())
    return nlp


def test_one_warning_names_the_component_that_set_starts() -> None:
    nlp = with_sentencizer()
    with pytest.warns(UserWarning, match="'rules'") as warned:
        docs = [nlp(tiny.TEXT), *nlp.pipe([tiny.TEXT] * 2)]
    assert len(warned) == 1
    assert all(len(list(doc.sents)) == 3 for doc in docs)


@pytest.mark.filterwarnings("error")
def test_there_is_no_warning_if_no_starts_are_kept() -> None:
    for nlp in (with_sentencizer(overwrite=True), tiny.trained()):
        assert len(list(nlp(tiny.TEXT).sents)) == 4
    nlp = with_sentencizer()
    nlp.disable_pipe("rules")
    assert len(list(nlp(tiny.TEXT).sents)) == 4


def test_overwrite_replaces_starts(nlp: Language) -> None:
    over = tiny.trained(overwrite=True)
    doc = over.make_doc(tiny.TEXT)
    for token in doc:
        token.is_sent_start = True
    assert starts(tiny.pipe_of(over)(doc)) == starts(nlp(tiny.TEXT))


def parsed(nlp: Language) -> Doc:
    words = ["I", "like", "cats", ".", "They", "sleep", "a", "lot", "."]
    return Doc(nlp.vocab, words=words, heads=[1] * len(words), deps=["dep"] * len(words))


def test_a_parsed_doc_is_not_rewritten(nlp: Language) -> None:
    doc = tiny.pipe_of(nlp)(parsed(nlp))
    assert len(list(doc.sents)) == 1
    assert [token.head.i for token in doc] == [1] * len(doc)
    assert [span.text for span in doc.spans["su"]] == ["I like cats .", "They sleep a lot ."]


def test_a_parsed_doc_is_rewritten_on_request() -> None:
    nlp = tiny.trained(overwrite=True)
    doc = tiny.pipe_of(nlp)(parsed(nlp))
    assert len(list(doc.sents)) == 2


# Decoders and limits


@pytest.mark.parametrize("decoder", ["semi_markov", "bos_eos"])
@pytest.mark.parametrize("max_length", [1, 3])
def test_sus_do_not_exceed_the_limit(decoder: str, max_length: int) -> None:
    doc = tiny.trained(decoder=decoder, max_length=max_length)("I like cats.\n" * 4)
    assert all(len(span) <= max_length for span in doc.spans["su"])
    tiny.assert_sane(doc, doc.text)
    # The parts of an SU that is too long are SUs.
    assert list(doc.spans["nsu"]) == []


def test_a_long_su_is_not_cut_at_forbidden_starts() -> None:
    nlp = tiny.trained(max_length=3)
    doc = nlp.make_doc("I like cats.")
    for token in doc[1:]:
        token.is_sent_start = False
    doc = tiny.pipe_of(nlp)(doc)
    assert tiny.unit_texts(doc) == [("I like cats.", "SU")]


@pytest.mark.parametrize("decoder", DECODERS)
def test_clear_sus_are_found_by_every_decoder(decoder: str) -> None:
    doc = tiny.trained(decoder=decoder)("I like cats.\nThey sleep a lot.\n")
    assert [span.text for span in doc.spans["su"]] == ["I like cats.", "They sleep a lot."]


def test_the_most_probable_path_can_be_decoded() -> None:
    doc = tiny.trained(decode_weights=None)(tiny.TEXT)
    assert [span.text for span in doc.spans["su"]] == ["I like cats.", "They sleep a lot."]


@pytest.mark.parametrize("threshold", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("decoder", ["semi_markov", "bos_eos"])
def test_any_threshold_has_valid_units(threshold: float, decoder: str) -> None:
    doc = tiny.trained(decoder=decoder, threshold=threshold)(tiny.TEXT * 3)
    tiny.assert_sane(doc, doc.text)


def test_the_papers_model_needs_no_segment_scorer() -> None:
    model = {**tiny.MODEL, "segment_hidden": None}
    nlp = tiny.blank(model=model, decoder="bos_eos")
    tiny.train(nlp, 80)
    doc = nlp(tiny.TEXT)
    assert [span.text for span in doc.spans["nsu"]] == ["-- file.doc --", "Page 3"]


def test_the_semi_markov_decoder_without_a_scorer_raises() -> None:
    nlp = tiny.blank(model={**tiny.MODEL, "segment_hidden": None})
    tiny.train(nlp, 1)
    with pytest.raises(ValueError, match="bos_eos"):
        nlp("Hi")


# Probabilities


def test_probabilities_are_stored_on_request_and_survive_docbin() -> None:
    nlp = tiny.trained(store_probs=True)
    doc = nlp(tiny.TEXT)
    (copy,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(nlp.vocab)
    for name in ("bos_prob", "eos_prob"):
        values = copy.spans["su"].attrs[name]
        assert len(values) == len(doc)
        assert all(0 <= value <= 1 for value in values)
        assert np.allclose(values, doc.spans["su"].attrs[name])
    first, last = doc.spans["su"][0].start, doc.spans["su"][0].end - 1
    assert np.argmax(copy.spans["su"].attrs["bos_prob"][: last + 1]) == first


def test_probabilities_are_not_stored_by_default(nlp: Language) -> None:
    doc = nlp(tiny.TEXT)
    assert set(doc.spans["su"].attrs) == {"scores", "label_scores"}


def test_spans_and_scores_survive_docbin(nlp: Language) -> None:
    doc = nlp(tiny.TEXT)
    (copy,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(nlp.vocab)
    assert tiny.unit_texts(copy) == tiny.unit_texts(doc)
    tiny.assert_sane(copy, tiny.TEXT)


def test_low_thresholds_do_not_cut_long_units() -> None:
    words = "I like cats and dogs and birds and fish and frogs and bees and they sleep a lot now"
    for threshold in (0.0, 0.001, 0.02):
        nlp = tiny.trained(threshold=threshold)
        tiny.assert_sane(nlp(words), words)
        assert len(tiny.unit_texts(nlp("I like cats. They sleep a lot."))) == 2


def test_a_start_on_white_space_is_kept(nlp: Language) -> None:
    doc = nlp.make_doc("I like cats\n\nThey sleep a lot.")
    assert doc[3].is_space
    doc[3].is_sent_start = True
    doc = tiny.pipe_of(nlp)(doc)
    assert not any("\n" in text for text, _ in tiny.unit_texts(doc))


def test_relations_of_white_space_are_not_a_parse() -> None:
    nlp = tiny.trained()
    ruler = nlp.add_pipe("attribute_ruler", first=True)
    ruler.add([[{"IS_SPACE": True}]], {"DEP": "dep"})  # type: ignore[attr-defined]
    doc = nlp("I like cats.\nThey sleep a lot.")
    assert len(list(doc.sents)) == len(tiny.unit_texts(doc))


def test_large_batches_are_processed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from spacy_sentid.sentence_identifier.network import tokens as features

    nlp = tiny.trained()
    texts = ["I like cats. Page 3", "", "They sleep a lot.", "Page 4"] * 3
    whole = [tiny.unit_texts(doc) for doc in nlp.pipe(texts)]
    monkeypatch.setattr(features, "PART_TOKENS", 6)
    assert [tiny.unit_texts(doc) for doc in nlp.pipe(texts)] == whole

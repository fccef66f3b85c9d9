"""Texts in a notebook: what they show, and that they change nothing around them."""

import re
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, Span, SpanGroup
from view_pages import NASTY, Page, shown

from spacy_sentid import make_pair, show
from spacy_sentid.view.pages.show import CSS, make_style

NLP = spacy.blank("en")
WORDS = ["Page", "3", "\n\n", "I", "sleep", ".", "You", "too", "."]


@pytest.fixture
def doc() -> Doc:
    """Make a Doc with a number, a sentence, and an unsure sentence."""
    doc = Doc(NLP.vocab, words=WORDS, spaces=[1, 0, 0, 1, 0, 1, 1, 0, 0])
    doc.spans["su"] = SpanGroup(
        doc, spans=[Span(doc, 3, 6, "SU"), Span(doc, 6, 9, "SU")], attrs={"scores": [0.98, 0.31]}
    )
    doc.spans["nsu"] = SpanGroup(doc, spans=[Span(doc, 0, 2, "METADATA")], attrs={"scores": [0.7]})
    return doc


@pytest.fixture
def pair() -> Doc:
    """Make a pair with a marked word in each text."""
    doc = make_pair(NLP, "Sales rose.", "Sales fell.", pair_id="sales")
    spans = [Span(doc, 1, 2, "UNPARAPHRASED"), Span(doc, 4, 5, "UNPARAPHRASED")]
    doc.spans["unparaphrased"] = SpanGroup(doc, spans=spans)
    return doc


def read(docs: object, **settings: object) -> Page:
    return Page(show(docs, **settings)._repr_html_())  # type: ignore[arg-type]


def test_units_have_their_text_label_and_score(doc: Doc) -> None:
    page = read(doc)
    assert page.text_of("div", "text") == [doc.text]
    assert page.text_of("span", "su") == ["I sleep.", "You too."]
    assert page.text_of("span", "k-meta") == ["Page 3"]
    assert page.text_of("span", "low") == ["You too."]
    assert page.values("data-p")[-3:] == ["0.70", "0.98", "0.31"]
    assert not page.open


def test_the_legend_has_the_signs_that_occur(doc: Doc) -> None:
    page = read(doc)
    assert page.text_of("b", "sample") == ["sentence", "not a sentence", "metadata", "unsure"]
    assert page.text_of("span", "note") == ["2", "1", "1", "1, score below 0.5"]
    del doc.spans["nsu"], doc.spans["su"].attrs["scores"]
    assert read(doc).text_of("b", "sample") == ["sentence"]


def test_scores_of_all_units_are_shown_on_request(doc: Doc) -> None:
    classes = [value for value in read(doc, scores=True).values("class") if value]
    assert "doc scores-on" in classes
    assert "doc scores-on" not in read(doc).values("class")


def test_the_representation_counts_units(doc: Doc, pair: Doc) -> None:
    assert repr(show(doc)) == "Shown(1 text: 2 sentences, 1 other, 1 unsure)"
    assert repr(show([doc, doc, pair])) == (
        "Shown(2 texts and 1 pair: 4 sentences, 2 others, 2 unsure, 2 marked spans)"
    )
    assert repr(show([])) == "Shown(no texts)"


def test_several_texts_are_named_and_streams_are_read(doc: Doc) -> None:
    page = read(one for one in [doc, doc])
    assert page.text_of("p", "name")[1] == "Text 2: 2 sentences, 1 other, 1 unsure"
    assert page.text_of("div", "text") == [doc.text] * 2


def test_pairs_are_next_to_each_other_with_their_marks(pair: Doc) -> None:
    page = read(pair)
    assert page.text_of("div", "text") == ["Sales rose.", "Sales fell."]
    assert page.text_of("h3") == ["Text 1", "Text 2"]
    assert page.text_of("span", "unsupported") == ["rose", "fell"]
    assert page.text_of("b", "sample") == ["marked"]


def test_the_probability_of_a_mark_is_that_of_its_words(pair: Doc) -> None:
    pair.spans["unparaphrased"].attrs["support"] = [9.0, 0.0, 9.0, 9.0, 0.0, 9.0]
    assert read(pair).values("data-p") == ["0.50", "0.50"]


def test_groups_with_other_keys_are_shown(doc: Doc, pair: Doc) -> None:
    doc.spans["sentences"] = doc.spans.pop("su")
    doc.spans["others"] = doc.spans.pop("nsu")
    page = read(doc, keys=("sentences", "others"))
    assert page.text_of("span", "su") == ["I sleep.", "You too."]
    pair.spans["mine"] = [pair[0:1]]
    assert read(pair, key="mine").text_of("span", "unsupported") == ["Sales"]


@pytest.mark.parametrize("text", [text for text in NASTY if text == shown(text)])
def test_no_text_becomes_mark_up(text: str) -> None:
    doc = Doc(NLP.vocab, words=["a", text])
    doc.spans["su"] = [doc[0:2]]
    page = read(doc)
    assert page.text_of("div", "text") == [shown(doc.text)]
    assert not page.open
    assert not page.others


def test_there_are_no_scripts_and_nothing_is_loaded(doc: Doc, pair: Doc) -> None:
    for html in (show(doc)._repr_html_(), show(pair)._repr_html_()):
        page = Page(html)
        assert {tag for tag, _ in page.elements}.isdisjoint({"script", "link", "iframe", "img"})
        assert not any(name.startswith("on") or name == "src" for _, name, _ in page.attributes)
        assert not re.search(r"https?:|url\(|@import", html)


def test_all_rules_of_the_style_apply_only_inside() -> None:
    style = make_style()
    assert style.count("{") == style.count("}")
    assert ":root" not in style
    depth, outside = 0, ""
    for piece in re.split("([{}])", style):
        depth += {"{": 1, "}": -1}.get(piece, 0)
        outside += piece if not depth else ""
    selectors = [rule.strip() for rule in outside.split("}") if rule.strip()]
    assert all(selector.endswith(f".{CSS}") for selector in selectors)
    assert len(selectors) == 3  # the rules, dark, light


def test_a_text_without_units_is_refused() -> None:
    with pytest.raises(ValueError, match="'su'"):
        show(NLP("I sleep."))
    with pytest.raises(ValueError, match=r"'unparaphrased'.*paraphrase_tagger"):
        show(make_pair(NLP, "I sleep.", "You sleep."))


@pytest.mark.parametrize("wrong", ["text", ["text"], 3, None])
def test_only_docs_are_shown(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"'docs' must be .* show\(nlp\(text\)\)"):
        show(wrong)  # type: ignore[arg-type]


def test_texts_or_pairs_are_saved_as_a_page(doc: Doc, pair: Doc, tmp_path: Path) -> None:
    path = tmp_path / "new" / "page.html"
    show(doc).save(path, title="Mail")
    page = Page(path.read_text(encoding="utf8"))
    assert page.text_of("h1") == ["Mail"]
    assert page.text_of("div", "text") == [doc.text]
    show([pair, pair]).save(str(path))
    assert Page(path.read_text(encoding="utf8")).text_of("h2") == ["sales", "sales"]
    with pytest.raises(ValueError, match="only texts or only pairs, got 1 and 1"):
        show([doc, pair]).save(path)

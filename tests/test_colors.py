"""Colours of displaCy: labels of our components, found without options."""

import pytest
import spacy
from spacy import displacy
from spacy.tokens import Doc, Span
from spacy.util import registry

from spacy_sentid.view.colors import COLORS, make_label_colors

NAME = "spacy_sentid.LabelColors.v1"


def luminance(color: str) -> float:
    """Relative luminance as WCAG has it."""
    parts = [int(color[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    bright, dark = sorted(map(luminance, (one, other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.fixture(scope="module")
def doc() -> Doc:
    doc = spacy.blank("en")("Page 3 I like <b>cats</b> .")
    doc.spans["nsu"] = [Span(doc, 0, 2, label="NSU")]
    doc.spans["su"] = [Span(doc, 2, len(doc), label="SU")]
    doc.spans["unparaphrased"] = [Span(doc, 3, 4, label="UNPARAPHRASED")]
    return doc


def render(doc: Doc, **options: object) -> str:
    return displacy.render(doc, style="span", jupyter=False, options=options)


def test_the_entry_point_is_found() -> None:
    assert registry.get("displacy_colors", NAME) is make_label_colors


@pytest.mark.parametrize(
    ("key", "label"), [("nsu", "NSU"), ("su", "SU"), ("unparaphrased", "UNPARAPHRASED")]
)
def test_displacy_takes_our_colour_without_options(doc: Doc, key: str, label: str) -> None:
    page = render(doc, spans_key=key)
    assert page.count(COLORS[label]) > 1
    assert "#ddd" not in page  # displaCy's, for labels that it does not know


def test_our_components_write_these_labels_and_no_others() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentence_identifier")
    found = nlp("Page 3\n\nI like cats.")
    written = {span.label_ for group in found.spans.values() for span in group}
    assert written == {"SU", "NSU"}
    assert set(make_label_colors()) == written | {"UNPARAPHRASED"}


def test_colours_of_the_options_win(doc: Doc) -> None:
    page = render(doc, spans_key="nsu", colors={"NSU": "#123456"})
    assert "#123456" in page
    assert COLORS["NSU"] not in page


def test_entities_take_the_colours_too(doc: Doc) -> None:
    found = doc.copy()
    found.set_ents([Span(found, 0, 2, label="NSU")])
    assert COLORS["NSU"] in displacy.render(found, style="ent", jupyter=False)


def test_the_text_stays_text(doc: Doc) -> None:
    assert "<b>" not in render(doc, spans_key="su")


@pytest.mark.parametrize("color", COLORS.values(), ids=list(COLORS))
def test_labels_can_be_read_and_lines_seen(color: str) -> None:
    assert contrast(color, "#000000") >= 4.5  # displaCy's text on the label
    assert contrast(color, "#ffffff") >= 3
    assert contrast(color, "#111111") >= 3  # a dark notebook


def test_a_change_of_what_is_given_changes_nothing() -> None:
    make_label_colors()["SU"] = "black"
    assert make_label_colors()["SU"] == COLORS["SU"]

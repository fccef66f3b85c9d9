"""Colours of the labels of our components in displaCy, which finds them without options."""

import re

import pytest
import spacy
from spacy import displacy
from spacy.tokens import Doc, Span
from spacy.util import registry

from spacy_sentid.text.kinds import KINDS
from spacy_sentid.text.units import NSU_KINDS
from spacy_sentid.view.text.colors import COLORS, make_label_colors
from spacy_sentid.view.text.page import read_part

NAME = "spacy_sentid.LabelColors.v1"


def luminance(color: str) -> float:
    """Compute the relative luminance as defined by WCAG."""
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
def test_displacy_uses_our_colours_without_options(doc: Doc, key: str, label: str) -> None:
    page = render(doc, spans_key=key)
    assert page.count(COLORS[label]) > 1
    assert "#ddd" not in page  # displaCy's colour for unknown labels


def test_our_components_write_exactly_these_labels() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentence_identifier")
    found = nlp("Page 3\n\nI like cats.")
    written = {span.label_ for group in found.spans.values() for span in group}
    assert written <= {"SU", *NSU_KINDS}
    assert set(make_label_colors()) == {"SU", "NSU", *NSU_KINDS, "UNPARAPHRASED"}


def test_colours_of_the_options_have_priority(doc: Doc) -> None:
    page = render(doc, spans_key="nsu", colors={"NSU": "#123456"})
    assert "#123456" in page
    assert COLORS["NSU"] not in page


def test_entities_have_the_colours_too(doc: Doc) -> None:
    found = doc.copy()
    found.set_ents([Span(found, 0, 2, label="NSU")])
    assert COLORS["NSU"] in displacy.render(found, style="ent", jupyter=False)


def test_text_is_escaped(doc: Doc) -> None:
    assert "<b>" not in render(doc, spans_key="su")


@pytest.mark.parametrize("color", COLORS.values(), ids=list(COLORS))
def test_labels_are_readable_and_lines_visible(color: str) -> None:
    assert contrast(color, "#000000") >= 4.5  # text of displaCy on the label
    assert contrast(color, "#ffffff") >= 3
    assert contrast(color, "#111111") >= 3  # a dark notebook


def page_color(css: str, name: str, scheme: str) -> str:
    """Find the light or dark value of a custom property, in the rule for the selector `css`."""
    sheet = read_part("unit.css")
    pattern = rf"{re.escape(css)} {{[^}}]*--{name}: light-dark\((#\w+), (#\w+)\)"
    return re.search(pattern, sheet)[["light", "dark"].index(scheme) + 1]  # type: ignore[index]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", NSU_KINDS)
def test_kinds_are_readable_on_pages(kind: str, scheme: str) -> None:
    sheet = page_color(":root", "sheet", scheme)
    color = page_color(f".{KINDS[kind].css}", "kind", scheme)
    for back in (sheet, *(page_color(":root", name, scheme) for name in ("paper", "nsu"))):
        assert contrast(color, back) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("name", "back"),
    [
        ("ink", "su"), ("ink", "su-even"), ("nsu-ink", "nsu"), ("nsu-ink", "nsu-chip"),
        ("low-ink", "low-back"), ("soft", "sheet"), ("soft", "paper"),
    ],
)  # fmt: skip
def test_signs_are_readable_on_pages(name: str, back: str, scheme: str) -> None:
    color, behind = (page_color(":root", found, scheme) for found in (name, back))
    assert contrast(color, behind) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["su-edge", "nsu-edge", "low"])
def test_bars_and_lines_are_visible_on_pages(name: str, scheme: str) -> None:
    assert contrast(page_color(":root", name, scheme), page_color(":root", "sheet", scheme)) >= 3


def test_each_kind_can_be_hidden_on_pages() -> None:
    assert set(KINDS) == set(NSU_KINDS)
    for kind in KINDS.values():
        assert f".{kind.css}-off .u.{kind.css}" in read_part("page.css")


def test_changing_the_returned_colours_changes_nothing() -> None:
    make_label_colors()["SU"] = "black"
    assert make_label_colors()["SU"] == COLORS["SU"]

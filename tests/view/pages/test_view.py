"""Pages of documents: their contents, and that no text ever becomes mark-up."""

import json
import re
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from view_pages import HIDDEN, NASTY, Page, plain, shown

from spacy_sentid.text.kinds import KINDS
from spacy_sentid.text.units import NSU_KINDS, Unit
from spacy_sentid.view.pages.documents import make_document_page, make_pair_page
from spacy_sentid.view.pages.error_types import NAMES
from spacy_sentid.view.pages.errors import make_error_page
from spacy_sentid.view.text.page import make_page, make_policy
from spacy_sentid.view.text.reading import DocumentView, PairView, SideView
from spacy_sentid.view.text.units import Mark, TokenProb, UnitView, render_text

BOUNDARIES = ("boundary moved", "boundary missing", "extra boundary")
TEXTS = st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=8)), max_size=12).map("".join)


def cut(text: str, places: list[int]) -> list[tuple[int, int]]:
    """Cut a text at random places; some pieces are left out."""
    bounds = sorted({min(place, len(text)) for place in places})
    return [(a, b) for n, (a, b) in enumerate(pairwise(bounds)) if n % 3 < 2]


def make_view(text: str, places: list[int], name: str, label: str) -> DocumentView:
    spans = cut(text, places)
    units = [UnitView(*span, ("SU", "NSU", label)[n % 3], 0.5) for n, span in enumerate(spans)]
    probs = [TokenProb(n, n + 1, 0.25, 1.0) for n in range(len(text))]
    gold = [Unit(a, b, "SU") for a, b in spans[1:]]
    return DocumentView(name, text, units, probs, gold)


def make_pages(view: DocumentView, title: str) -> list[str]:
    side = SideView(view.text, [(*unit[:2], 0.5) for unit in view.units], [])
    pair = PairView(view.name, {"p": 0.5, "r": -0.5, "f": 0.1}, side, side)
    return [
        make_document_page(title, [view, view], note=title, lang="en"),
        make_error_page(title, [view, view], note=title),
        make_pair_page(title, [pair, pair], note=title),
    ]


PLACES = st.lists(st.integers(0, 100), max_size=8)


@settings(max_examples=25)
@example("\ufeff", [0, 1], "", "", "")
@example("a\r\nb", [0, 2], "", "", "")  # a unit ends within a line end
@given(TEXTS, PLACES, TEXTS, TEXTS, TEXTS)
def test_no_text_name_label_or_title_becomes_mark_up(text, places, name, label, title):
    label = f"x{label}"  # neither SU nor NSU
    nasty = make_pages(make_view(text, places, name, label), title)
    tame = make_pages(make_view(plain(text), places, "x", "x"), "x" * bool(title))
    for html, twin in zip(nasty, tame, strict=True):
        page = Page(html)
        assert page.elements == Page(twin).elements
        assert not page.others
        assert not page.open
        texts = page.text_of("div", "text")
        assert texts == [shown(text)] * len(texts)
        assert len(texts) in ((2, 4) if text else (0,))
        assert page.text_of("h2") == [shown(name)] * 2 * bool(name)
        assert page.text_of("title") == [shown(title)] * bool(title)
        known = {
            "SU",
            "NSU",
            "supported",
            "unsupported",
            *NAMES.values(),
            *BOUNDARIES,
            shown(label),
        }
        assert set(page.values("data-label")) <= known


@settings(max_examples=25)
@given(TEXTS)
def test_data_of_scripts_ends_no_script_and_reads_back(text):
    page = Page(make_page("A", data={text: [text]}, scripts=[]))
    assert not page.open
    [found] = page.text_of("script")
    assert json.loads(found) == {text: [text]}


@pytest.mark.parametrize("nasty", NASTY)
def test_notes_and_labels_of_marks_are_escaped(nasty):
    html = render_text("I sleep.", [], marks=[Mark(0, 1, "missed", nasty, nasty)])
    page = Page(html)
    assert page.values("data-note") == page.values("data-label") == [shown(nasty)]
    assert page.elements == [
        ("div", ("class", "dir")),
        ("div", ("class", "style")),
        ("bdi", ()),
        ("mark", ("class", "data-label", "data-note", "tabindex")),
    ]


def test_the_code_for_many_languages_is_not_written():
    assert Page(render_text("a", [], lang="xx")).values("lang") == []


def test_a_lone_cr_is_a_line_end_in_the_layout():
    units = [UnitView(0, 6, "NSU", 0.9), UnitView(7, 15, "SU", 1.0)]
    html = render_text("Page 3\rI sleep.", units)
    assert html == render_text("Page 3\nI sleep.", units)
    assert Page(html).text_of("span", "first") == ["Page 3", "I sleep."]


def test_a_unit_after_a_byte_order_mark_is_the_first_of_its_line():
    page = Page(render_text("\ufeffPage 3", [UnitView(1, 7, "NSU", 0.9)]))
    assert page.text_of("span", "first") == ["Page 3"]
    assert page.text_of("bdi") == []


@pytest.mark.parametrize("nasty", NASTY)
def test_a_language_is_escaped(nasty):
    assert Page(render_text("", [], lang=nasty)).values("lang") == [shown(nasty)]


def test_a_page_loads_nothing_and_its_policy_forbids_everything_else():
    html = make_document_page("Mail", [make_view("Page 3\nI sleep.", [0, 6, 7, 15], "a", "b")])
    page = Page(html)
    names = {name for _, name, _ in page.attributes}
    assert not names & {"src", "srcset", "onclick", "onload", "action", "data", "poster"}
    assert all(value.startswith("#") for value in page.values("href"))
    assert not re.search(r"https?:|//[a-z]|url\(|@import", html)
    [policy] = [value for value in page.values("content") if "default-src" in value]
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy
    assert "'unsafe-inline'" not in policy.split("script-src")[1]


def test_the_policy_allows_the_scripts_of_the_page_by_their_hashes():
    page = Page(make_page("A", scripts=["let a = 1;", "let b;"]))
    [policy] = [value for value in page.values("content") if "default-src" in value]
    assert policy == make_policy(page.text_of("script"), False)
    assert policy.count("sha256-") == 2


def test_a_page_that_connects_may_use_only_its_own_server():
    [policy] = [v for v in Page(make_page("A", connect=True)).values("content") if "src" in v]
    assert "connect-src 'self'; form-action 'self'" in policy


def test_the_elements_of_a_text_are_its_units():
    units = [
        UnitView(0, 6, "NSU", 0.9),
        UnitView(7, 15, "SU", 0.98764),
        UnitView(16, 24, "SU", 1.0),
    ]
    page = Page(render_text("Page 3\nI sleep. You too.", units))
    assert page.text_of("span", "nsu") == ["Page 3"]
    assert page.text_of("span", "su") == ["I sleep.", "You too."]
    assert page.text_of("span", "even") == ["You too."]
    assert page.text_of("span", "first") == ["Page 3", "I sleep."]
    assert page.values("data-s") == ["0.9", "0.9876", "1"]
    assert page.values("tabindex") == ["0", "-1", "-1"]


def test_letters_between_units_are_kept_apart():
    page = Page(render_text("I sleep. \u202exyz", [UnitView(0, 8, "SU", 1.0)]))
    assert page.text_of("bdi") == [" \u202exyz"]


@pytest.mark.parametrize(
    "units",
    [
        [UnitView(0, 3, "SU", 1.0), UnitView(2, 4, "SU", 1.0)],
        [UnitView(0, 9, "SU", 1.0)],
        [UnitView(3, 2, "SU", 1.0)],
        [UnitView(-1, 2, "SU", 1.0)],
    ],
)
def test_units_that_do_not_fit_the_text_are_refused(units):
    with pytest.raises(ValueError, match="text order"):
        render_text("text", units)


@pytest.mark.parametrize("nasty", NASTY)
def test_kinds_are_escaped(nasty):
    marks = [Mark(0, 1, nasty, "", "")]
    page = Page(render_text("text", [UnitView(0, 4, "SU", 1.0, nasty)], marks=marks))
    assert [tag for tag, _ in page.elements] == ["div", "div", "span", "mark"]
    kinds = [f"u {shown(nasty)} first", f"m {shown(nasty)}"]
    assert page.values("class") == ["text", "part", *kinds]


@pytest.mark.parametrize("kind", NSU_KINDS)
def test_kinds_of_nsus_have_their_name_and_scores(kind):
    units = [UnitView(0, 6, "NSU", 0.9, "", kind, 0.98765, 0.75), UnitView(7, 15, "SU", 1.0)]
    page = Page(render_text("Page 3\nI sleep.", units))
    css, name = KINDS[kind][:2]
    assert page.values("data-label") == [name, "SU"]
    assert page.text_of("span", css) == page.text_of("span", "nsu") == ["Page 3"]
    assert (page.values("data-s"), page.values("data-l"), page.values("data-k")) == (
        ["0.9", "1"], ["0.9877"], ["0.75"],
    )  # fmt: skip


def test_the_legend_shows_the_kinds_on_the_page():
    units = [UnitView(0, 6, "NSU", 0.9, kind="METADATA"), UnitView(7, 15, "NSU", 0.9)]
    view = DocumentView("a", "Page 3\nI sleep.", units, None, [Unit(0, 6, "HEADING")])
    page = Page(make_document_page("A", [view]))
    assert page.text_of("b", "sample") == ["sentence", "not a sentence", "metadata", "unsure"]
    assert "k-meta-off" in page.values("data-class")
    page = Page(make_error_page("A", [view]))
    assert page.text_of("mark", "kind") == ["Page 3"]
    assert "wrong kind" in page.text_of("th", None)
    assert "Kinds of NSUs, accuracy" in page.text_of("th", None)
    plain = make_error_page("A", [view._replace(gold=[Unit(0, 6, "NSU")])])
    assert "Wrong kind" not in plain
    empty = Page(make_document_page("A", [view._replace(units=[])]))
    assert empty.text_of("b", "sample") == ["sentence", "not a sentence", "unsure"]


def test_a_unit_may_have_no_score():
    assert Page(render_text("text", [UnitView(0, 4, "SU", None)])).values("data-s") == []


@pytest.mark.parametrize("joint", ["\n", " "])
def test_a_long_text_is_written_in_blocks(joint):
    text = joint.join(["I sleep."] * 4000)
    units = [UnitView(n, n + 8, "SU", 1.0) for n in range(0, len(text), 9)]
    page = Page(render_text(text, units))
    blocks = page.text_of("div", "part")
    assert "".join(blocks) == text
    assert max(map(len, blocks)) < 10_000
    assert all(block.endswith(joint) for block in blocks[:-1])


def test_probabilities_count_as_the_browser_does():
    text = "\N{GRINNING FACE}\N{GRINNING FACE} a  b"
    units = [UnitView(0, 2, "NSU", 1.0), UnitView(3, 7, "SU", 1.0)]
    probs = [
        TokenProb(0, 1, 0.0, 0.5), TokenProb(1, 2, 0.0, 0.0),
        TokenProb(3, 4, 1.0, 0.126), TokenProb(6, 7, 0.0, 1.0),
    ]  # fmt: skip
    [data] = Page(render_text(text, units, probs=probs)).text_of("script")
    assert json.loads(data) == [[0, 2, 0, 50, 0, 2, 0, 0], [0, 1, 100, 13, 2, 1, 0, 100]]


def test_a_mark_over_a_boundary_is_labelled_once():
    units = [UnitView(0, 2, "SU", 1.0), UnitView(3, 5, "SU", 1.0)]
    page = Page(render_text("ab cd", units, marks=[Mark(1, 4, "missed", "missed NSU", "why")]))
    assert page.text_of("mark") == ["b", " ", "c"]
    assert page.values("data-label") == ["SU", "missed NSU", "SU"]


def test_an_empty_mark_is_where_its_boundary_is():
    units = [UnitView(0, 2, "SU", 1.0), UnitView(3, 5, "SU", 1.0)]
    html = render_text("ab cd", units, marks=[Mark(3, 3, "moved", "extra", "why")])
    assert re.search(r'tabindex="-1"><mark [^>]+></mark>cd</span>', html)


def test_the_browser_finds_the_direction_of_a_text():
    assert 'dir="auto"' in render_text("שלום עולם. a", [])


def test_hidden_elements_contain_no_text_of_a_document():
    page = Page(make_pages(make_view("secret words", [0, 6, 7, 12], "name", "b"), "t")[0])
    for tag in HIDDEN:
        assert not any("secret" in text for text in page.text_of(tag))


def test_a_page_can_have_no_documents():
    for page in (make_document_page("A", []), make_error_page("A", []), make_pair_page("A", [])):
        assert Page(page).text_of("h1") == ["A"]
        assert "There is nothing to show." in Page(page).text_of("p")
        assert "No document has an error." not in page


def test_documents_with_most_errors_for_their_length_are_first():
    right = make_view("I sleep. " * 9, [0, 8], "right", "SU")
    gold = [Unit(0, 6, "NSU")]
    views = [
        DocumentView("long", "Page 3" + " " * 90, [UnitView(0, 6, "SU", 1.0)], None, gold),
        right._replace(gold=[Unit(*unit[:2], "SU") for unit in right.units]),
        DocumentView("short", "Page 3", [UnitView(0, 6, "SU", 1.0)], None, gold),
    ]
    page = Page(make_error_page("A", views))
    assert page.text_of("h2") == ["short", "long", "right"]
    assert "1 error, 10.4 per 1,000 characters" in page.text_of("p")


def test_pairs_with_the_least_support_are_first():
    side = SideView("Sales rose.", [], [])
    shares = {"a": 0.9, "b": None, "c": 0.31}
    pairs = [PairView(name, {"supported_f": share}, side, side) for name, share in shares.items()]
    page = Page(make_pair_page("A", pairs))
    assert page.text_of("h2") == ["c", "a", "b"]
    assert page.values("data-s") == ["31", "90"]
    assert page.text_of("dd")[2::3] == ["31 %", "90 %", "–"]


@pytest.mark.parametrize(
    ("score", "label", "chip"),
    [(0.4, "SU", ["0.40"]), (0.4, "NSU", ["0.40"]), (0.5, "SU", []), (None, "SU", []),
     (0.1, "unsupported", [])],
)  # fmt: skip
def test_unsure_units_have_their_score(score, label, chip):
    page = Page(render_text("text", [UnitView(0, 4, label, score)]))
    assert page.values("data-p") == chip
    assert page.text_of("span", "low") == ["text"] * len(chip)


TABLE = "Dear all,\n\nitem     due\noak      20 Sept\n\nI sleep. You too."


def list_units(text: str, *pieces: str) -> list[UnitView]:
    starts = [text.index(piece) for piece in pieces]
    return [
        UnitView(start, start + len(piece), "NSU", 1.0)
        for start, piece in zip(starts, pieces, strict=True)
    ]


@pytest.mark.parametrize(
    ("pieces", "blocks"),
    [
        (["Dear all,", "item     due", "oak      20 Sept", "I sleep."],
         ["item     due\noak      20 Sept\n\n"]),
        # Units are not divided, and units on one line stay together.
        (["Dear all,", "item", "due\noak", "20 Sept", "I sleep."],
         ["item     due\noak      20 Sept\n\n"]),
        (["Dear all,\n\nitem     due", "oak      20 Sept\n\nI sleep.", "You too."], [TABLE]),
        ([], []),
    ],
)  # fmt: skip
def test_tables_are_blocks_of_their_own(pieces, blocks):
    page = Page(render_text(TABLE, list_units(TABLE, *pieces)))
    assert page.text_of("div", "aligned") == blocks
    assert page.text_of("div", "text") == [TABLE]


def test_very_wide_tables_are_wrapped_as_other_text():
    text = "a   b\na   b" + " b" * 200
    page = Page(render_text(text, list_units(text, text)))
    assert page.text_of("div", "aligned") == []

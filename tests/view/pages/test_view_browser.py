"""Pages in a real browser."""

import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from browser import DESKTOP, PHONE, Shown, list_grave_faults, open_browser, set_screen
from view_pages import NASTY

from spacy_sentid.text.units import Unit
from spacy_sentid.view.pages.documents import make_document_page, make_pair_page
from spacy_sentid.view.pages.errors import make_error_page
from spacy_sentid.view.pages.pairs import TaggedView, make_tagged_page
from spacy_sentid.view.text.reading import PAIR_SCORES, DocumentView, PairView, SideView
from spacy_sentid.view.text.units import TokenProb, UnitView

pytestmark = pytest.mark.slow

TEXT = "Page 3\n\nI sleep.  You \N{GRINNING FACE}\ntoo.\r\nRegards"
UNITS = [
    UnitView(0, 6, "NSU", 0.7),
    UnitView(8, 16, "SU", 0.98),
    UnitView(18, 28, "SU", 0.4),
    UnitView(30, 37, "NSU", 0.9),
]
WORDS = [
    (0, 4),
    (5, 6),
    (8, 9),
    (10, 15),
    (15, 16),
    (18, 21),
    (22, 23),
    (24, 27),
    (27, 28),
    (30, 37),
]
PROBS = [TokenProb(*word, 0.75, 0.25) for word in WORDS]
GOLD = [Unit(0, 6, "NSU"), Unit(8, 28, "SU"), Unit(30, 37, "SU")]
VIEW = DocumentView("mail <1>.txt", TEXT, UNITS, PROBS, GOLD)
HYP = SideView("Sales rose.", [(6, 10, 0.9)], [(0, 5, 4.0), (6, 10, -2.0), (10, 11, 3.0)])
PAIRS = [
    PairView(f"pair-{n}", dict.fromkeys(PAIR_SCORES, score), HYP, HYP)
    for n, score in enumerate([0.9, 0.3])
]
TAGGED_WORDS = [
    TokenProb(0, 5, 0.88, 0.0),
    TokenProb(6, 10, 0.12, 0.0),
    TokenProb(11, 15, 0.27, 0.0),
    TokenProb(16, 20, 0.73, 0.0),
]
SIDE_KINDS = [["supported", "right", "wrong", "missed"]] * 2
SIDE_TAGS = [[0, 1, 0, 1]] * 2, [[0, 1, 1, 0]] * 2
TAGGED = [
    TaggedView(name, ["Sales rose once more"] * 2, [TAGGED_WORDS] * 2, SIDE_KINDS, *SIDE_TAGS)
    for name in ("a", "b")
]
KIND_UNITS = [
    UnitView(0, 6, "NSU", 0.7, "", "METADATA", 0.987, 0.5),
    *UNITS[1:3],
    UnitView(30, 37, "NSU", 0.9, "", "SALUTATION", 0.9, 0.8),
]
KIND_GOLD = [Unit(0, 6, "HEADING"), Unit(8, 28, "SU"), Unit(30, 37, "SALUTATION")]
KINDS = VIEW._replace(units=KIND_UNITS, gold=KIND_GOLD)
ROWS = [
    "Item       Due       Cost",
    "oak        20 Sept   EUR 96",
    "LED ring   -         EUR 3,621",
]
TABLES = []
for more in ("", "      more" * 8):
    table = "\n".join([ROWS[0] + more, *ROWS[1:]])
    head, end = len("Dear all,\n\n"), len("Dear all,\n\n") + len(table)
    units = [
        UnitView(0, 9, "NSU", 0.9),
        UnitView(head, head + len(ROWS[0] + more), "NSU", 0.7, "", "LIST_ITEM"),
        UnitView(head + len(ROWS[0] + more) + 1, end - 9, "NSU", 0.3, "", "LIST_ITEM"),
        UnitView(end - 9, end, "NSU", 0.6, "", "CODE"),
        UnitView(end + 2, end + 10, "SU", 0.9),
    ]
    TABLES.append(DocumentView("table", f"Dear all,\n\n{table}\n\nI sleep.", units))
PAGES = {
    "tables": make_document_page("Tables", TABLES, lang="en"),
    "kinds": make_document_page("Mail", [KINDS], lang="en"),
    "errors of kinds": make_error_page("Gold", [KINDS], lang="en"),
    "documents": make_document_page("Mail", [VIEW, VIEW._replace(name="b")], lang="en"),
    "one document": make_document_page("Mail", [VIEW], lang="en"),
    "errors": make_error_page("Gold", [VIEW, VIEW], lang="en"),
    "pairs": make_pair_page("Pairs", PAIRS, lang="en"),
    "tagged pairs": make_tagged_page("Pairs", TAGGED, lang="en"),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as driver:
        yield driver


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """A function that opens a page. At the end the console must be empty."""

    def open_page(html: str, size: tuple[int, int] = DESKTOP, scheme: str = "light") -> Shown:
        set_screen(browser, size, scheme=scheme)
        path = tmp_path / "page.html"
        path.write_bytes(html.encode("utf8"))
        return Shown(browser, path)

    yield open_page
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", PAGES)
def test_pages_are_accessible_and_fit_the_screen(show, name, size, scheme):
    page = show(PAGES[name], size, scheme)
    assert page.run("return document.documentElement.scrollWidth") <= size[0]
    for box in page.driver.find_elements("css selector", ".toggle input:not(:checked)"):
        if box.get_attribute("data-class") == "probs-on":
            box.click()
    if "pairs" not in name:
        page.set_score(0.8)
    assert list_grave_faults(page.driver) == []


def test_the_text_is_that_of_the_document(show):
    page = show(PAGES["one document"])
    assert page.run("return document.querySelector('.text').textContent") == TEXT
    assert page.find("h2").text == "mail <1>.txt"
    assert page.find("#counts").text == "1 unsure"


def test_kinds_are_named_counted_and_hidden_separately(show):
    page = show(PAGES["kinds"])
    assert [text.split() for text in page.visible("#kinds label")] == [
        ["sentence", "2"],
        ["not", "a", "sentence", "2"],
        ["metadata", "1"],
        ["greeting", "1"],
    ]
    page.find("[data-kind=k-meta]").click()
    assert page.visible(".u.nsu") == ["Regards"]
    page.find("#query").send_keys("page")
    page.wait(lambda: page.find("#matches").text == "0, 1 hidden")
    page.find("[data-kind=k-meta]").click()
    assert page.visible(".u.nsu") == ["Page 3", "Regards"]
    page.find("#kinds summary").click()
    assert page.visible("#kinds dt") == ["sentence", "not a sentence", "metadata", "greeting"]
    page.run("document.querySelector('.u.k-meta').focus()")
    assert page.find("#tip").text == (
        "not a sentence: metadata · score 0.7 · label 0.99 · kind 0.5 · characters 0–6"
    )


def test_wrong_kinds_are_marked_and_marks_can_be_hidden(show):
    page = show(PAGES["errors of kinds"])
    page.find("#mark-next").click()
    page.wait(lambda: "gold: heading, predicted: metadata" in page.find("#tip").text)
    page.find("[data-class=kind-on]").click()
    assert not page.run("return document.querySelector('.errors').classList.contains('kind-on')")


def test_nasty_texts_run_no_script_and_are_shown(show):
    text = "".join(piece for piece in NASTY if piece.isprintable())
    view = DocumentView(text, text, [UnitView(0, len(text), text, 1.0)], [], [])
    page = show(make_document_page(text, [view], note=text))
    for selector in ("h1", "h2", ".text"):
        assert page.run(f"return document.querySelector('{selector}').textContent") == text
    assert page.driver.title == " ".join(text.split())
    assert page.count("img") == 0


@pytest.mark.parametrize(
    "opened", ["\u202e", "\u2066", "\u2067", "\u202e \u2066// \u2069 \u2067", "\u2069\u202e"]
)
def test_bidi_controls_do_not_move_the_units_after_them(show, opened):
    first, second, third = f'A "user{opened} check.', "B stays.", "C too."
    text = " ".join([first, second, third])
    begin = len(first) + 1
    units = [
        UnitView(0, len(first), "SU", 1.0),
        UnitView(begin, begin + 8, "SU", 1.0),
        UnitView(begin + 9, len(text), "SU", 1.0),
    ]
    page = show(make_document_page("x", [DocumentView("x", text, units)]))
    places = "return [...document.querySelectorAll('.u')].map((u) => u.getBoundingClientRect())"
    boxes = page.run(places)
    assert all(a["right"] <= b["left"] + 3 for a, b in pairwise(boxes))
    assert all(box["height"] < 30 for box in boxes)


def test_the_score_is_shown_on_hover_and_on_focus(show):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    page = show(PAGES["one document"])
    ActionChains(page.driver).move_to_element(page.find(".u.su.even")).perform()
    assert page.find("#tip").text == "sentence · score 0.4 (unsure) · characters 18–28"
    page.press(Keys.ESCAPE)
    assert not page.find("#tip").is_displayed()
    page.run("document.activeElement.blur()")
    for _ in range(20):
        page.press(Keys.TAB)
        if page.run("return document.activeElement.matches('.u')"):
            break
    tip = page.find("#tip")
    assert tip.text == "not a sentence · score 0.7 · characters 0–6"
    assert page.run("return document.activeElement.getAttribute('aria-describedby')") == "tip"
    page.press(Keys.ARROW_RIGHT)
    assert tip.text == "sentence · score 0.98 · characters 8–16"
    page.press(Keys.END)
    assert tip.text == "not a sentence · score 0.9 · characters 30–37"


def test_probabilities_are_created_on_request(show):
    page = show(PAGES["one document"])
    assert page.count(".t") == 0
    page.find("input[data-class=probs-on]").click()
    page.wait(lambda: page.count(".t") == len(WORDS))
    assert page.visible(".t") == [TEXT[start:end] for start, end in WORDS]
    assert page.run("return document.querySelector('.text').textContent") == TEXT
    assert page.run("return document.querySelector('.t').style.getPropertyValue('--b')") == "0.75"
    page.find("input[data-class=probs-on]").click()
    assert (
        page.run("return getComputedStyle(document.querySelector('.t')).backgroundImage") == "none"
    )


def test_units_are_filtered_by_score(show):
    from selenium.webdriver.support.ui import Select

    page = show(PAGES["one document"])
    page.set_score(0.8)
    assert page.find("#counts").text == "2 below 0.80"
    assert page.visible(".u.low") == ["Page 3", "You \N{GRINNING FACE}\ntoo."]
    Select(page.find("#low")).select_by_value("hide")
    assert page.visible(".u") == ["I sleep.", "Regards"]
    Select(page.find("#low")).select_by_value("only")
    assert page.visible(".u") == ["Page 3", "You \N{GRINNING FACE}\ntoo."]


LINES = """const boxes = [...document.querySelectorAll('.u')[arguments[0]].getClientRects()];
return boxes.map(({ left, right, top, bottom }) => ({ left, right, top, bottom }))"""
STYLE = "return getComputedStyle(document.querySelectorAll('.u')[arguments[0]])[arguments[1]]"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("box", ["", "fixed-on", "probs-on"])
def test_the_lines_of_a_unit_touch_each_other(show, box, scheme):
    page = show(PAGES["one document"], scheme=scheme)
    if box:
        page.find(f"[data-class={box}]").click()
    first, second, *_ = (line for line in page.run(LINES, 2) if line["right"] - line["left"] > 9)
    assert -2 < first["bottom"] - second["top"] < 2


def test_a_unit_over_two_lines_is_highlighted_as_one(show):
    from selenium.webdriver.common.action_chains import ActionChains

    page = show(PAGES["one document"])
    assert page.run(STYLE, 2, "outlineWidth") == "1px"
    assert page.run(STYLE, 2, "boxDecorationBreak") == "clone"
    unit = page.driver.find_elements("css selector", ".u")[2]
    lines = page.run(LINES, 2)
    for line in (lines[0], lines[-1]):
        ActionChains(page.driver).move_to_element(page.find("h1")).perform()
        x, y = (line["left"] + line["right"]) / 2, (line["top"] + line["bottom"]) / 2
        page.driver.execute_cdp_cmd(
            "Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y}
        )
        page.wait(lambda: page.run(STYLE, 2, "outlineWidth") == "2px")
        assert unit.value_of_css_property("background-color") != "rgba(234, 242, 251, 1)"
    assert page.run(STYLE, 1, "outlineWidth") == "1px"


def test_signs_are_not_part_of_a_selected_text(show):
    page = show(PAGES["kinds"])
    page.find("[data-class=scores-on]").click()
    page.run("getSelection().selectAllChildren(document.querySelector('.text'))")
    assert page.run("return getSelection().toString()").split() == TEXT.split()


def test_scores_are_shown_without_hovering(show):
    page = show(PAGES["one document"])
    chip = (
        "return getComputedStyle(document.querySelectorAll('.u')[arguments[0]], '::after').content"
    )
    assert [page.run(chip, n) for n in range(4)] == ["none", "none", '"0.40"', "none"]
    page.find("[data-class=scores-on]").click()
    chips = [page.run(chip, n) for n in range(4)]
    assert chips == ['"0.70"', '"0.98"', '"0.40"', '"0.90"']
    page.find("[data-class=scores-on]").click()
    page.set_score(0.8)
    assert [page.run(chip, n) for n in range(4)] == ['"0.70"', "none", '"0.40"', "none"]


FOCUSED = "return document.activeElement.dataset.c"


def test_unsure_units_are_visited_by_buttons_and_keys(show):
    page = show(PAGES["documents"])
    assert page.find("#counts").text == "2 unsure"
    page.find("#low-next").click()
    assert page.run(FOCUSED) == "18–28"
    assert page.find("#counts").text == "1 of 2 unsure"
    page.press("n")
    assert page.find("#counts").text == "2 of 2 unsure"
    assert page.run("return document.activeElement.closest('.doc').id") == "d2"
    page.press("p")
    assert page.find("#counts").text == "1 of 2 unsure"
    page.press("k")
    assert page.run(FOCUSED) == "8–16"
    page.press("j", "j")
    assert page.run(FOCUSED) == "30–37"
    page.press("/")
    assert page.run("return document.activeElement.id") == "query"
    page.press("n")
    assert page.run("return document.activeElement.value") == "n"


def test_there_are_no_buttons_to_go_to_nothing(show):
    page = show(make_document_page("x", [VIEW._replace(units=UNITS[:2])]))
    assert page.find("#counts").text == "0 unsure"
    assert not page.find("#low-next").is_enabled()
    page.press("n")
    assert page.run("return document.activeElement.tagName") == "BODY"


def test_units_without_scores_have_no_controls_of_scores(show):
    units = [unit._replace(score=None) for unit in UNITS]
    page = show(make_document_page("x", [VIEW._replace(units=units)]))
    for selector in ("#score", "#low-next", "#counts", "[data-class=scores-on]", ".sample.low"):
        assert not page.find(selector).is_displayed()
    assert page.find("#query").is_displayed()


def test_tables_keep_their_columns(show):
    page = show(PAGES["tables"])
    place = """const text = document.querySelector('.aligned'), range = document.createRange();
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const start = walker.currentNode.data.indexOf(arguments[0]);
      if (start < 0) continue;
      range.setStart(walker.currentNode, start);
      range.setEnd(walker.currentNode, start + 1);
      return range.getBoundingClientRect().left;
    }"""
    for column in (["Due", "20 Sept", "-"], ["Cost", "EUR 96", "EUR 3,621"]):
        first, *rest = (page.run(place, cell) for cell in column)
        assert rest == [pytest.approx(first, abs=1)] * 2
    font = "return getComputedStyle(document.querySelector('.part:not(.aligned)')).fontFamily"
    assert "mono" not in page.run(font)


def test_wide_tables_scroll_on_a_phone(show):
    page = show(PAGES["tables"], PHONE)
    assert page.run("return document.documentElement.scrollWidth") <= PHONE[0]
    sizes = (
        "const t = document.querySelector('#d2 .aligned'); return [t.scrollWidth, t.clientWidth]"
    )
    whole, visible = page.run(sizes)
    assert whole > visible


def test_units_are_visible_on_paper(show):
    page = show(PAGES["kinds"])
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert not page.find("#tools").is_displayed()
        assert page.visible("#kinds .sample")[:2] == ["sentence", "not a sentence"]
        assert not page.visible("#kinds input")
        for n in range(4):
            assert page.run(STYLE, n, "outlineStyle") == "solid"
        colors = {page.run(STYLE, n, "outlineColor") for n in range(4)}
        assert len(colors) == 3  # two sentences, two kinds of NSUs
        before = (
            "return getComputedStyle(document.querySelector('.su'), '::before').borderLeftWidth"
        )
        assert page.run(before) == "3px"
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_errors_are_counted_and_begin_in_the_first_screen(show):
    page = show(PAGES["errors"])
    assert page.find("#mark-count").text == "4 errors"
    assert page.find("mark").rect["y"] < DESKTOP[1]
    page.press("n")
    assert page.find("#mark-count").text == "1 of 4 errors"
    page.find("[data-class=false-on]").click()
    assert page.find("#mark-count").text == "2 errors"


def test_nsus_can_be_hidden(show):
    page = show(PAGES["one document"])
    page.find("#kinds [data-kind=nsu]").click()
    assert page.visible(".u") == ["I sleep.", "You \N{GRINNING FACE}\ntoo."]


def test_search_crosses_line_ends_and_steps_through_matches(show):
    from selenium.webdriver.common.keys import Keys

    page = show(PAGES["documents"])
    box = page.find("#query")
    box.send_keys("\N{GREEK SMALL LETTER ALPHA}")
    page.wait(lambda: page.find("#matches").text == "0")
    box.clear()
    box.send_keys("SLEEP.  you")
    page.wait(lambda: page.find("#matches").text == "2")
    box.send_keys(Keys.ENTER)
    assert page.find("#matches").text == "1 of 2"
    box.send_keys(Keys.ENTER)
    assert page.find("#matches").text == "2 of 2"
    found = "return [...CSS.highlights.get('found-now')].map(String)"
    assert page.run(found) == ["sleep.  You"]


NOW = "return [...CSS.highlights.get('found-now') ?? []].map(String)"


def test_immediate_enter_goes_to_a_match_and_stays_there(show):
    from selenium.webdriver.common.keys import Keys

    page = show(PAGES["documents"])
    page.find("#query").send_keys("sleep", Keys.ENTER)
    assert page.find("#matches").text == "1 of 2"
    time.sleep(0.3)
    assert page.find("#matches").text == "1 of 2"


def test_the_match_is_kept_when_tokens_are_created(show):
    from selenium.webdriver.common.keys import Keys

    page = show(PAGES["documents"])
    page.find("#query").send_keys("sleep", Keys.ENTER)
    page.find("input[data-class=probs-on]").click()
    page.wait(lambda: page.count(".t") == 2 * len(WORDS))
    time.sleep(0.3)
    assert page.find("#matches").text == "1 of 2"
    assert page.run(NOW) == ["sleep"]


def test_hidden_matches_are_counted_and_skipped(show):
    from selenium.webdriver.common.keys import Keys

    page = show(PAGES["one document"])
    page.find("#query").send_keys("e", Keys.ENTER)
    assert page.find("#matches").text == "1 of 4"
    page.find("#kinds [data-kind=nsu]").click()
    page.wait(lambda: page.find("#matches").text == "2, 2 hidden")
    page.find("#next").click()
    assert page.run(NOW) == ["e"]
    assert page.find("#matches").text == "1 of 2, 2 hidden"


def test_a_match_deep_in_a_long_unit_is_scrolled_into_view(show):
    from selenium.webdriver.common.keys import Keys

    text = "word " * 3000 + "needle" + " word" * 4000
    page = show(
        make_document_page("x", [DocumentView("x", text, [UnitView(0, len(text), "SU", 1.0)])])
    )
    page.find("#query").send_keys("needle", Keys.ENTER)
    box = page.run("return [...CSS.highlights.get('found-now')][0].getBoundingClientRect().top")
    assert 0 < box < DESKTOP[1]


def test_a_long_page_is_searched_quickly(show):
    text = "I sleep. " * 12_000
    units = [UnitView(n, n + 8, "SU", 1.0) for n in range(0, len(text), 9)]
    page = show(make_document_page("x", [DocumentView("x", text, units)]))
    took = page.run(
        "const box = document.getElementById('query'); box.value = 'sleep';"
        "const start = performance.now(); document.getElementById('next').click();"
        "return performance.now() - start"
    )
    assert page.find("#matches").text == "1 of 12,000"
    assert took < 3000


def test_a_text_is_reached_by_tab_whatever_is_hidden(show):
    from selenium.webdriver.support.ui import Select

    page = show(PAGES["documents"])
    stops = "return [...document.querySelectorAll('.u[tabindex=\"0\"]')].map((u) => u.dataset.c)"
    page.find("#kinds [data-kind=nsu]").click()
    assert page.run(stops) == ["8–16"] * 2
    page.set_score(0.99)
    Select(page.find("#low")).select_by_value("hide")
    page.set_score(0.5)
    Select(page.find("#low")).select_by_value("only")
    assert page.visible(".u") == ["You \N{GRINNING FACE}\ntoo."] * 2
    assert page.run(stops) == ["18–28"] * 2


def test_the_filter_uses_more_digits_than_are_shown(show):
    unit = UnitView(0, 8, "SU", 0.7996)
    page = show(make_document_page("x", [DocumentView("x", "I sleep.", [unit])]))
    page.set_score(0.8)
    assert "1 below 0.80" in page.find("#counts").text
    page.run("document.querySelector('.u').focus()")
    assert page.find("#tip").text == "sentence · score 0.8 (unsure) · characters 0–8"


def test_the_tip_stays_with_what_has_the_focus(show):
    from selenium.webdriver.common.action_chains import ActionChains

    text = "I sleep.\n" * 200
    units = [UnitView(n, n + 8, "SU", 1.0) for n in range(0, len(text), 9)]
    page = show(make_document_page("x", [DocumentView("x", text, units)]))
    page.run("document.querySelectorAll('.u')[6].focus()")
    before = page.find("#tip").rect["y"]
    ActionChains(page.driver).move_to_element(page.find(".u")).perform()
    assert page.find("#tip").text.endswith("characters 0–8")
    ActionChains(page.driver).move_to_element(page.find("h1")).perform()
    assert page.find("#tip").text.endswith("characters 54–62")
    top = "return document.getElementById('tip').getBoundingClientRect().top"
    before = page.run(top)
    page.run("scrollBy(0, 40)")
    page.wait(lambda: abs(page.run(top) - before + 40) < 2)
    page.run("scrollBy(0, 4000)")
    page.wait(lambda: not page.find("#tip").is_displayed())


def test_arrows_continue_from_an_error_and_from_a_click(show):
    from selenium.webdriver.common.keys import Keys

    page = show(PAGES["errors"])
    page.find("#mark-next").click()
    page.press(Keys.ARROW_RIGHT)
    assert page.run("return document.activeElement.matches('.u')")
    page.find(".u.su").click()
    assert page.run("return document.activeElement.tabIndex") == 0


def test_the_next_error_is_after_the_position_of_the_reader(show):
    page = show(PAGES["errors"])
    number = "return document.activeElement.closest('.doc').id"
    page.find(".index a[href='#d2']").click()
    page.find("#mark-next").click()
    assert page.run(number) == "d2"
    page.find(".index a[href='#d2']").click()
    page.find("#mark-back").click()
    assert page.run(number) == "d1"
    page.run("document.querySelectorAll('#d2 .u')[3].focus()")
    page.find("#mark-next").click()
    assert "predicted: NSU" in page.find("#tip").text
    assert page.run(number) == "d2"


def test_the_theme_can_be_switched_and_is_kept(show):
    page = show(PAGES["one document"], scheme="dark")
    color = "return getComputedStyle(document.body).backgroundColor"
    dark = page.run(color)
    page.find("#theme").click()
    assert page.find("#theme").text == "Dark mode"
    light = page.run(color)
    assert light != dark
    page.driver.refresh()
    assert page.run(color) == light
    page.run("localStorage.clear()")


def test_errors_are_shown_by_kind_and_can_be_visited(show):
    page = show(PAGES["errors"])
    labels = [mark.get_attribute("data-label") for mark in
              page.driver.find_elements("css selector", "mark")]  # fmt: skip
    assert labels == ["extra boundary", "false NSU"] * 2
    page.find("#mark-next").click()
    assert page.find("#tip").text.startswith("gold has no boundary here")
    page.find("#mark-next").click()
    assert page.find("#tip").text.startswith("gold: SU, predicted: NSU")
    color = "return getComputedStyle(document.querySelector('mark.false')).backgroundColor"
    before = page.run(color)
    page.find("input[data-class=false-on]").click()
    assert page.run(color) != before


def test_a_link_leads_to_the_document(show):
    page = show(PAGES["errors"])
    page.find(".index a[href='#d2']").click()
    top = "return document.getElementById('d2').getBoundingClientRect().top"
    assert page.run(top) < DESKTOP[1]


def test_pairs_are_filtered_and_the_support_of_words_is_shown(show):
    from selenium.webdriver.support.ui import Select

    page = show(PAGES["pairs"])
    assert page.visible(".pair h2") == ["pair-1", "pair-0"]
    page.set_score(50)
    Select(page.find("#low")).select_by_value("only")
    assert page.find("#counts").text == "1 of 2 below 50 %"
    assert page.visible(".pair h2") == ["pair-1"]
    assert page.visible(".pair .unsupported") == ["rose", "rose"]
    page.find("input[data-class=probs-on]").click()
    page.wait(lambda: page.visible("#p1 .t") == ["Sales", "rose", "."] * 2)
    page.find("#mark-next").click()
    assert page.find("#tip").text == "unsupported · probability 0.9 · characters 6–10"


def test_words_of_tagged_pairs_are_visited_one_after_the_other(show):
    page = show(PAGES["tagged pairs"])
    told = []
    for _ in range(3):
        page.find("#mark-next").click()
        told.append(page.find("#tip").text)
    assert told == [
        "unsupported · probability 0.88 · characters 6–10",
        "unsupported, gold: supported · probability 0.73 · characters 11–15",
        "supported, gold: unsupported · probability 0.27 · characters 16–20",
    ]
    page.set_score(60)
    assert page.count(".pair.low") == 2


def test_texts_can_be_replaced(show):
    page = show(PAGES["one document"])
    page.find("input[data-class=probs-on]").click()
    other = make_document_page("x", [VIEW, VIEW])
    page.run(
        "const page = new DOMParser().parseFromString(arguments[0], 'text/html');"
        "document.querySelector('.doc').replaceWith(...page.querySelectorAll('.doc'));"
        "document.dispatchEvent(new Event('units-changed'))",
        other,
    )
    assert page.find("#counts").text == "2 unsure"
    page.wait(lambda: page.count(".t") == 2 * len(WORDS))


def test_a_page_works_without_scripts(browser, show):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page = show(PAGES["one document"])
        assert "I sleep." in page.find(".text").text
        assert not page.find("#tools").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

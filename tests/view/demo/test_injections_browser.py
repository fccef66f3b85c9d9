"""Strings never become mark-up on any page: 1,000 injections into each, in a real browser.

The script policy of the pages is switched off, so that only escaping protects them.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from browser import open_browser
from hostile_markup import ELEMENTS, RUN, URL, injections, is_attacked
from injected_pages import COMMANDS, PAGES, make_injected
from markupsafe import Markup
from view_pages import plain, shown

from spacy_sentid.view.demo.pipelines import load_pipelines
from spacy_sentid.view.demo.server import listen, make_app, run_server
from spacy_sentid.view.text.page import make_page

pytestmark = pytest.mark.slow
N = 1000
SEED = 23
# Of the page after its scripts have run, and after all switches were used.
DESCRIBE = """
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_COMMENT
    | NodeFilter.SHOW_PROCESSING_INSTRUCTION | NodeFilter.SHOW_CDATA_SECTION);
  const all = [...document.querySelectorAll("*")];
  return {
    // Tokens (.t) are made of what was scrolled into view, which depends on the height of texts.
    elements: all.filter((one) => one.className !== "t").map((one) =>
      [one.namespaceURI, one.localName, ...one.getAttributeNames()].join(" ")),
    values: all.flatMap((one) => [...one.attributes].map(({ value }) => value)),
    text: document.documentElement.textContent,
    others: walker.nextNode() ? 1 : 0,
    place: location.href,
  };
"""
SWITCH = """
  for (const box of document.querySelectorAll("input[data-class]")) box.click();
  for (const one of [...document.querySelectorAll(".u, mark")].slice(0, 200)) one.focus();
  for (const one of document.querySelectorAll("details")) one.open = !one.open;
"""


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with open_browser() as driver:
        driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
        yield driver


def show(driver: Any, html: str, path: Path) -> Any:
    path.write_bytes(html.encode("utf8"))
    driver.get(path.as_uri())
    driver.execute_script(SWITCH)
    found = driver.execute_script(DESCRIBE)
    assert found["place"] == path.as_uri()
    assert is_attacked(driver) == []
    return found


@pytest.mark.parametrize("name", [*PAGES, *COMMANDS])
def test_no_string_becomes_mark_up(driver, name, tmp_path: Path):
    values = [text for _, text in injections(N, SEED * len(name))]
    page = make_injected(name, values, tmp_path / "hostile")
    twin = make_injected(name, list(map(plain, values)), tmp_path / "harmless")
    found = show(driver, page.html, tmp_path / "page.html")
    expected = show(driver, twin.html, tmp_path / "twin.html")
    assert found["elements"] == expected["elements"]
    assert found["others"] == expected["others"] == 0
    assert [text for text in page.texts if shown(text) not in found["text"]] == []
    known = set(found["values"])
    assert [value for value in page.values if shown(value) not in known] == []


# The page of `serve`: fragments that its script inserts, and messages

TASKS = {"p0": "units:en", "p1": "sentences:en", "p2": "words:zh", "p3": "scores:en"}
TAGS = {"div", "span", "bdi", "script", "section", "h3"}
ATTRIBUTES = {
    "class", "dir", "lang", "style", "tabindex", "type", "data-label", "data-s", "data-l", "data-k",
    "data-c", "data-p",
}  # fmt: skip
# JSON, because lone surrogates cannot be sent unescaped.
ASK = """
  const done = arguments[1], box = document.getElementById("result");
  const ask = async (row) => {
    const answer = await fetch("/find", {method: "POST", body: JSON.stringify(row),
      headers: {"Content-Type": "application/json"}});
    if (!answer.ok) return [answer.status, answer.headers.get("Content-Type")];
    box.innerHTML = (await answer.json()).html;
    const all = [...box.querySelectorAll("*")];
    return [200, [...box.querySelectorAll(".text")].map((one) => one.textContent),
      [...new Set(all.map((one) => one.localName))],
      [...new Set(all.flatMap((one) => one.getAttributeNames()))]];
  };
  (async () => {
    const found = [];
    for (const row of JSON.parse(arguments[0])) found.push(await ask(row));
    setTimeout(() => done(found), 300);
  })();
"""


@pytest.fixture(scope="module")
def url() -> str:
    pytest.importorskip("flask", reason="the extra 'serve' is not installed")
    pytest.importorskip("waitress", reason="the extra 'serve' is not installed")
    place = listen(0)
    app = make_app(load_pipelines(list(TASKS.values())), max_chars=100_000)
    Thread(target=run_server, args=(app, place), daemon=True).start()
    return f"http://127.0.0.1:{place.getsockname()[1]}/"


def ask(driver: Any, url: str, rows: list[dict[str, str]]) -> list[Any]:
    driver.set_script_timeout(300)
    driver.get(url)
    found = driver.execute_async_script(ASK, json.dumps(rows))
    assert set(is_attacked(driver)) <= {f"{url}find", f"{url}favicon.ico"}
    return list(found)


@pytest.mark.parametrize("pipeline", TASKS)
def test_no_text_becomes_mark_up_in_a_fragment(driver, url, pipeline):
    values = [text[:1000] for _, text in injections(N, SEED)]
    rows = [{"pipeline": pipeline, "text": text} for text in values]
    if TASKS[pipeline].startswith("scores"):
        rows = [{**row, "ref": f"{row['text']} b"} for row in rows]
    for row, (status, texts, tags, names) in zip(rows, ask(driver, url, rows), strict=True):
        assert status == 200
        assert texts == [shown(row[key]) for key in ("text", "ref") if key in row]
        assert set(tags) <= TAGS
        assert set(names) <= ATTRIBUTES


def test_no_message_of_an_error_is_mark_up(driver, url):
    rows = [{"pipeline": text[:1000], "text": "a"} for _, text in injections(N, SEED)]
    assert {tuple(one) for one in ask(driver, url, rows)} == {(400, "text/plain; charset=utf-8")}


# The tests can fail, and the policy protects pages if escaping fails

ATTACKS = [one for one in ELEMENTS if RUN in one or URL in one]


def open_attacked(driver: Any, element: str, path: Path, *, with_policy: bool) -> list[str]:
    page = make_page(
        "a", template="documents.html", documents=[], toggles=[], kinds=[], index_title="",
        note=Markup(element),
    )  # fmt: skip
    path.write_text(page, encoding="utf8")
    driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": not with_policy})
    try:
        driver.get(path.as_uri())
        time.sleep(0.1)
        return is_attacked(driver) + ["left"] * (driver.current_url != path.as_uri())
    finally:
        driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})


def test_raw_mark_up_attacks_only_without_the_policy(driver, tmp_path: Path):
    path = tmp_path / "page.html"
    found = [open_attacked(driver, one, path, with_policy=False) for one in ATTACKS]
    assert sum("ran" in one for one in found) >= 12
    assert sum(any("canary" in name for name in one) for one in found) >= 8
    for element in ATTACKS:
        assert "ran" not in open_attacked(driver, element, path, with_policy=True), element

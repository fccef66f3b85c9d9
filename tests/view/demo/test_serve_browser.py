"""`spacy-sentid serve` in a real browser, used like by a person."""

import http.client
import json
import re
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser import DESKTOP, PHONE, list_grave_faults, open_browser, set_screen

from spacy_sentid.text.kinds import KINDS
from spacy_sentid.view.demo.demo import NEWLINE_NAMES
from spacy_sentid.view.demo.gallery import TEXT_KINDS, list_examples
from spacy_sentid.view.demo.pipelines import DEFAULT_MODELS, load_pipelines
from spacy_sentid.view.demo.server import count_max_bytes, listen, make_app, run_server
from spacy_sentid.view.text.kinds import UNSURE
from spacy_sentid.view.text.page import read_part

pytestmark = pytest.mark.slow
pytest.importorskip("flask", reason="the extra 'serve' is not installed")
pytest.importorskip("waitress", reason="the extra 'serve' is not installed")
MAX_CHARS = 20_000


@pytest.fixture(scope="module")
def url() -> str:
    app = make_app(load_pipelines(), max_chars=MAX_CHARS)
    urls: list[str] = []
    place, settings = listen(0), {"on_ready": urls.append}
    Thread(target=run_server, args=(app, place), kwargs=settings, daemon=True).start()
    for _ in range(200):
        if urls:
            return urls[0]
        time.sleep(0.05)
    raise TimeoutError("The server does not start.")


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with open_browser() as driver:
        yield driver


class Page:
    """The page in the browser."""

    def __init__(self, driver: Any, url: str) -> None:
        self.driver = driver
        set_screen(driver)
        driver.get(url)
        self.wait("return document.querySelectorAll('#result .u').length")

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def wait(self, script: str, *arguments: Any) -> Any:
        for _ in range(200):
            found = self.run(script, *arguments)
            if found:
                return found
            time.sleep(0.05)
        raise TimeoutError(script)

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def text_of(self, selector: str) -> str:
        return str(self.find(selector).text)

    def write(self, text: str) -> None:
        """Insert a text into the box, like pasting."""
        self.run(
            "const box = document.getElementById('text'); box.value = arguments[0];"
            "box.dispatchEvent(new Event('input', {bubbles: true}))",
            text,
        )

    def wait_for_text(self, text: str) -> None:
        self.wait(
            "return document.querySelector('#result .text')?.textContent === arguments[0]", text
        )

    def choose(self, name: str) -> None:
        self.find(f"#pipeline option[value='p{DEFAULT_MODELS.index(name)}']").click()

    def check(self) -> None:
        """Check that scripts log nothing, and that nothing is stored."""
        assert self.driver.get_log("browser") == []
        assert self.driver.get_cookies() == []


@pytest.fixture
def page(driver: Any, url: str) -> Iterator[Page]:
    page = Page(driver, url)
    yield page
    page.check()


def test_example_is_found_when_the_page_opens(page):
    assert re.match(r"\d+ sentences, \d+ other units", page.text_of("#status"))
    assert page.find("#result .nsu").get_attribute("data-label") in {
        kind.name for kind in KINDS.values()
    }


def test_typed_text_is_found(page):
    page.find("#clear").click()
    page.wait("return document.getElementById('status').textContent === 'No text yet.'")
    page.find("#text").send_keys("Page 3\nI like cats. You like dogs.")
    page.wait_for_text("Page 3\nI like cats. You like dogs.")
    assert page.text_of("#status").startswith("2 sentences, 1 other unit")
    assert page.text_of("#length") == "34 of 20,000 characters"


def test_last_of_many_changes_is_shown(page):
    for n in range(30):
        page.write(f"I have {n} cats.")
        time.sleep(0.02)
    page.wait_for_text("I have 29 cats.")


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>"])
def test_pasted_mark_up_is_text(page, text):
    page.write(text)
    page.wait_for_text(text)
    assert page.run("return document.querySelectorAll('#result img, #result b').length") == 0


def test_direction_controls_stay_in_their_unit(page):
    text = "See \u202etxt.exe now. I like cats."
    page.write(text)
    page.wait("return document.querySelectorAll('#result .u').length")
    page.wait_for_text(text)


def test_settings_change_what_is_found(page):
    page.find("#more summary").click()
    told = page.text_of("#status")
    page.find("input[value='break']").click()
    page.wait("return document.getElementById('status').textContent !== arguments[0]", told)
    page.find("#reset").click()
    page.wait("return document.getElementById('status').textContent === arguments[0]", told)
    page.run(
        "const slider = document.getElementById('threshold'); slider.value = 1;"
        "slider.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    page.wait("return document.getElementById('status').textContent !== arguments[0]", told)
    assert page.text_of("#threshold-value") == "100 %"


def test_unsure_units_are_counted_and_found(page):
    unsure = page.driver.find_elements("css selector", "#result .u.low")
    assert unsure
    assert all(float(unit.get_attribute("data-s")) < UNSURE for unit in unsure)
    assert page.text_of("#counts") == f"{len(unsure)} unsure"
    page.find("#low-next").click()
    assert page.run("return document.activeElement.classList.contains('low')")
    assert page.text_of("#counts") == f"1 of {len(unsure)} unsure"
    page.run(
        "const slider = document.getElementById('score'); slider.value = 1;"
        "slider.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    page.wait("return document.getElementById('counts').textContent.endsWith('below 1.00')")
    page.choose("sentences:en")
    page.wait("return document.getElementById('status').textContent.endsWith('sentences')")
    assert not page.find("#counts").is_displayed()


def test_switches_change_what_is_shown(page):
    assert page.find("#result .nsu").is_displayed()
    assert page.find("#result .low").is_displayed()
    page.find("input[data-class='scores-on']").click()
    assert page.find("#result .su").get_attribute("data-p")
    page.find("input[data-class='nsu-off']").click()
    assert not page.find("#result .nsu").is_displayed()
    page.find("input[data-class='probs-on']").click()
    page.wait("return document.querySelectorAll('#result .t').length > 20")
    page.write("I like cats. You like dogs.")
    page.wait("return document.querySelectorAll('#result .t').length === 8")


def test_other_pipelines_can_be_chosen(page):
    page.choose("sentences:en")
    page.wait("return document.getElementById('status').textContent.endsWith('sentences')")
    assert not page.find("#settings").is_displayed()
    page.choose("words:zh")
    page.wait("return document.getElementById('status').textContent.endsWith('words')")
    assert page.find("#result .text").get_attribute("lang") == "zh"


def test_every_example_can_be_clicked(page):
    names = [button.text for button in page.driver.find_elements("css selector", "#gallery button")]
    assert names == [kind.title for kind in TEXT_KINDS.values()]
    for n, example in enumerate(list_examples("units", "en")):
        page.find(f"#gallery button:nth-child({n + 1})").click()
        page.wait_for_text(example.text)
        page.wait("return !document.getElementById('copy-json').disabled")
        assert page.text_of("#gallery [aria-pressed=true]") == example.title
        assert page.run("return document.getElementById('kind').value") == example.kind
        newline = TEXT_KINDS[example.kind].newline or "paragraph"
        assert page.run("return document.querySelector('input[name=newline]:checked').value") == (
            newline
        )
    page.write("I like cats.")
    assert page.driver.find_elements("css selector", "#gallery [aria-pressed=true]") == []


def test_kind_of_text_sets_the_line_ends(page):
    text = "We have the house for three days and can\nbring the dog."
    page.write(text)
    page.wait_for_text(text)
    page.find("#kind option[value='chat']").click()
    page.wait("return document.getElementById('status').textContent.startsWith('2 sentences')")
    assert page.text_of("#kind-note") == NEWLINE_NAMES["break"]
    page.find("#more summary").click()
    page.find("input[value='ignore']").click()
    page.wait("return document.getElementById('status').textContent.startsWith('1 sentence,')")
    assert page.run("return document.getElementById('kind').value") == ""
    page.find("#kind option[value='chat']").click()
    page.find("#clear").click()
    assert page.run("return document.getElementById('kind').value") == "chat"
    page.find("#reset").click()
    assert page.run("return document.getElementById('kind').value") == ""
    assert not page.find("#reset").is_displayed()


def test_pasted_text_does_not_keep_the_kind_of_the_example(page):
    page.find("#gallery button:nth-child(6)").click()
    assert page.run("return document.getElementById('kind').value") == "speech"
    page.run(
        "const box = document.getElementById('text'); box.select();"
        "box.dispatchEvent(new ClipboardEvent('paste', {bubbles: true}))"
    )
    assert page.run("return document.getElementById('kind').value") == ""


def test_example_stays_when_the_language_changes(page):
    page.find("#gallery button:nth-child(4)").click()
    page.choose("units:de")
    page.wait_for_text(read_part("examples/de/minutes.txt"))
    assert page.find("#result .text").get_attribute("lang") == "de"


READ = "const done = arguments[0]; navigator.clipboard.readText().then(done, () => done(null))"


@pytest.mark.parametrize("with_permission", [True, False])
def test_results_can_be_copied(page, with_permission):
    names = ["clipboardReadWrite", "clipboardSanitizedWrite"]
    page.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": names})
    if not with_permission:  # as in a page that is not from this computer
        page.run("Object.defineProperty(navigator.clipboard, 'writeText', {value: undefined})")
    page.write("Page 3\nI like cats.")
    page.wait_for_text("Page 3\nI like cats.")
    page.find("#copy-json").click()
    page.wait("return document.getElementById('copy-json').textContent === 'Copied'")
    assert page.run("return document.getElementById('copied').textContent") == "Copied"
    record = json.loads(page.driver.execute_async_script(READ))
    assert [unit["text"] for unit in record["units"]] == ["Page 3", "I like cats."]
    page.wait("return document.getElementById('copy-json').textContent === 'Copy as JSON'")
    page.find("#copy-python").click()
    page.wait("return document.getElementById('copy-python').textContent === 'Copied'")
    assert page.run("return document.activeElement.id") == "copy-python"
    code = page.driver.execute_async_script(READ)
    output = StringIO()
    with redirect_stdout(output):
        exec(code, {})
    assert "I like cats." in output.getvalue()
    assert "load('en')" in code
    page.find("#clear").click()
    page.wait("return document.getElementById('copy-json').disabled")


def test_help_opens_and_closes(page):
    from selenium.webdriver import ActionChains, Keys

    page.find("#help-open").click()
    assert "What the page shows" in page.text_of("#help")
    assert list_grave_faults(page.driver) == []
    ActionChains(page.driver).send_keys(Keys.ESCAPE).perform()
    assert not page.find("#help").is_displayed()
    assert page.run("return document.activeElement.id") == "help-open"
    page.find("#help-open").click()
    page.find("#help-close").click()
    assert not page.find("#help").is_displayed()


def test_pairs_can_be_compared(page):
    page.choose("scores:en")
    page.wait("return document.getElementById('status').textContent.startsWith('The reference')")
    assert page.find("#ref").is_displayed()
    assert [mark.text for mark in page.driver.find_elements("css selector", ".unsupported")]
    page.find("#clear").click()
    page.wait("return document.getElementById('status').textContent === 'Both texts are needed.'")


def test_own_text_stays_when_the_pipeline_changes(page):
    page.write("I like cats.")
    page.choose("words:zh")
    page.wait("return document.getElementById('status').textContent.endsWith('words')")
    page.wait_for_text("I like cats.")


def test_too_long_text_is_refused_without_a_request(page):
    page.write("a " * MAX_CHARS)
    page.wait("return !document.getElementById('error').hidden")
    assert "20,000" in page.text_of("#error")
    assert not page.find("#result").is_displayed()
    page.write("I like cats.")
    page.wait_for_text("I like cats.")
    assert not page.find("#error").is_displayed()


def test_file_is_read_into_the_box(page, tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("I like cats.\r\nYou like dogs.\r\n", newline="")
    page.find("#file").send_keys(str(path))
    page.wait_for_text("I like cats.\nYou like dogs.\n")


def drop_file(page: Page, selector: str, content: bytes) -> None:
    page.run(
        "const moved = new DataTransfer();"
        "moved.items.add(new File([new Uint8Array(arguments[1])], 'a.txt'));"
        "document.querySelector(arguments[0]).dispatchEvent(new DragEvent('drop',"
        "  {dataTransfer: moved, bubbles: true, cancelable: true}))",
        selector, list(content),
    )  # fmt: skip


def test_dropped_file_goes_into_its_box(page):
    page.choose("scores:en")
    drop_file(page, "#ref", "Café".encode())
    page.wait("return document.getElementById('ref').value === 'Café'")
    drop_file(page, "h1", b"I like cats.")
    page.wait("return document.getElementById('text').value === 'I like cats.'")


def test_dropped_file_that_is_not_text_is_refused(page):
    drop_file(page, "#text", b"Caf\xe9")
    page.wait("return !document.getElementById('error').hidden")
    assert "a.txt" in page.text_of("#error")


def test_words_without_a_label_have_no_empty_tip(page):
    page.choose("words:zh")
    page.wait("return document.getElementById('status').textContent.endsWith('words')")
    page.run("document.querySelector('#result .u').focus()")
    assert page.text_of("#tip") == "characters 0–2"


def test_message_when_the_server_is_gone(page):
    page.run("window.fetch = () => Promise.reject(new TypeError('gone'))")
    page.write("I like cats.")
    page.wait("return !document.getElementById('error').hidden")
    assert "spacy-sentid serve" in page.text_of("#error")


def test_all_controls_can_be_reached_by_keys(page):
    from selenium.webdriver import ActionChains, Keys

    page.find("#more summary").click()
    page.run("document.activeElement.blur(); scrollTo(0, 0)")
    ids = set()
    for _ in range(40):
        ActionChains(page.driver).send_keys(Keys.TAB).perform()
        name = "return a.id || a.className || a.name || ''"
        ids.add(page.run(f"const a = document.activeElement; {name}"))
    expected = {"help-open", "open", "clear", "text", "pipeline", "kind", "newline", "threshold"}
    assert expected | {"copy-json", "copy-python"} <= ids
    assert any(name.startswith("u ") for name in ids)


@pytest.mark.parametrize("size", [DESKTOP, PHONE, (320, 600)])
def test_page_fits_its_window(page, size):
    set_screen(page.driver, size)
    assert page.run("return document.documentElement.scrollWidth") <= size[0]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_axe_finds_no_serious_violations(page, scheme, size):
    set_screen(page.driver, size, scheme=scheme)
    assert list_grave_faults(page.driver) == []
    page.find("input[data-class='probs-on']").click()
    assert list_grave_faults(page.driver) == []
    page.choose("scores:en")
    page.wait("return document.getElementById('status').textContent.startsWith('The reference')")
    assert list_grave_faults(page.driver) == []
    page.write("a" * (MAX_CHARS + 1))
    page.wait("return !document.getElementById('error').hidden")
    assert list_grave_faults(page.driver) == []


def test_too_large_request_is_refused_before_it_is_sent(url):
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    connection.putrequest("POST", "/find")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(100 * count_max_bytes(MAX_CHARS)))
    connection.endheaders()
    assert connection.getresponse().status == 413


def test_server_does_not_reveal_its_software(url):
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    connection.request("GET", "/")
    assert connection.getresponse().headers.get("Server") is None

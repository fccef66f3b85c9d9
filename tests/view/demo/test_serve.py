"""`spacy-sentid serve`: the demo page, with requests from a test client."""

import json
import re
import shutil
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner
from view_pages import Page

from spacy_sentid.cli import app as cli
from spacy_sentid.cli import list_commands
from spacy_sentid.cli.view import serve
from spacy_sentid.view.demo.demo import PAIR_CHARS
from spacy_sentid.view.demo.pipelines import DemoPipeline, load_pipelines
from spacy_sentid.view.demo.server import (
    check_packages,
    count_max_bytes,
    listen,
    make_app,
    run_server,
)
from spacy_sentid.view.text.page import read_part

pytest.importorskip("flask", reason="the extra 'serve' is not installed")
pytest.importorskip("waitress", reason="the extra 'serve' is not installed")

MAX_CHARS = 2000
EXAMPLE = read_part("examples/en/mail.txt")
SENTENCES, PAIRS = "p1", "p2"  # names in the fixture `pipelines`
RTL_OVERRIDE, ISOLATE = "\u202e", "\u2066"
NASTY = [
    "<script>alert(1)</script>",
    "</div></script><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)" \' x=',
    "&lt;b&gt; &amp; &#x3c;script&#x3e; <!-- -->",
    f"A {RTL_OVERRIDE}txt.exe{ISOLATE} b \u200f\u202b c.",
    "{{ 7 * 7 }} {% x %} ${x} %s {0}",
]


@pytest.fixture(scope="module")
def pipelines(tiny_pipeline: Path) -> list[DemoPipeline]:
    return load_pipelines([str(tiny_pipeline), "sentences:en", "scores:en"])


@pytest.fixture(scope="module")
def client(pipelines: list[DemoPipeline]) -> Any:
    return make_app(pipelines, max_chars=MAX_CHARS).test_client()


@pytest.fixture(scope="module")
def english() -> DemoPipeline:
    """The bundled identifier, for tests that depend on good units."""
    return load_pipelines(["en"])[0]


def ask(client: Any, text: str = "Page 3\nI like cats.", *, code: int = 200, **row: Any) -> Any:
    """Send a request, and return the answer, or the message if an error is expected."""
    response = client.post("/find", json={"pipeline": "p0", "text": text, **row})
    assert response.status_code == code, response.text
    return response.json if code == 200 else response.text


class Reader(HTMLParser):
    """A parser that splits a fragment like a browser."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        assert tag != "script" or ("type", "application/json") in attrs

    def handle_data(self, data: str) -> None:
        if not self.cdata_elem:  # without the probabilities
            self.text += data


# Results


def test_units_are_found(client):
    answer = ask(client)
    assert Reader(answer["html"]).text == "Page 3\nI like cats."
    assert re.match(r"\d sentences?, \d other units?", answer["summary"])


def test_sentences_are_found(client):
    answer = ask(client, "I sleep. You sleep.", pipeline=SENTENCES)
    assert answer["summary"] == "2 sentences"
    assert answer["html"].count('data-label="SU"') == 2


def test_words_are_found():
    client = make_app(load_pipelines(["words:zh"]), max_chars=MAX_CHARS).test_client()
    answer = ask(client, "我们在学校学习。")
    assert answer["summary"] == "5 words"
    assert Reader(answer["html"]).text == "我们在学校学习。"


def test_text_without_tokens_has_no_units(client):
    assert ask(client, " \n")["summary"] == "0 sentences, 0 other units"
    assert ask(client, "", pipeline=SENTENCES)["summary"] == "0 sentences"


def test_probabilities_come_with_units(client):
    assert 'class="probs"' in ask(client)["html"]
    assert 'class="probs"' not in ask(client, pipeline=SENTENCES)["html"]


def test_pairs_are_compared(client):
    texts = ("Sales rose in May.", "Sales fell in May.")
    answer = ask(client, texts[0], ref=texts[1], pipeline=PAIRS)
    assert answer["summary"].startswith("The reference supports 67 % of the text")
    assert Reader(answer["html"]).text == f"Text{texts[0]}Reference{texts[1]}"


def test_lone_surrogates_are_replaced(client):
    assert "a\ufffd b" in Reader(ask(client, "a\ud800 b")["html"]).text


# Copies of results


@pytest.mark.parametrize("settings", [{}, {"newline": "break", "threshold": 0.3}])
def test_record_is_that_of_identify(english, tmp_path, settings):
    client = make_app([english], max_chars=MAX_CHARS).test_client()
    record = ask(client, EXAMPLE, **settings)["record"]
    path, output = tmp_path / "a.txt", tmp_path / "a.jsonl"
    path.write_text(EXAMPLE, encoding="utf8", newline="")
    options = ["--setting", "newline=break", "--setting", "threshold=0.3"] if settings else []
    words = ["identify", str(path), "--text", "-o", str(output), *options]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0, result.output
    expected = json.loads(output.read_text(encoding="utf8"))
    assert record == {**expected, "id": "text"}


def test_record_of_a_pair_is_that_of_score(client):
    record = ask(client, "Sales rose.", ref="Sales fell.", pipeline=PAIRS)["record"]
    assert {"p", "r", "f", "supported_p", "hyp_spans", "ref_words"} <= set(record)
    assert record["hyp_spans"][0]["text"] == "rose"


def test_code_has_only_changed_settings(english):
    client = make_app([english], max_chars=MAX_CHARS).test_client()
    assert "load('en')" in ask(client)["python"]
    assert "load('en', newline='break')" in ask(client, newline="break")["python"]


# Hostile texts


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("n", [0, 1])
def test_no_text_becomes_mark_up(client, text, n):
    found = Reader(ask(client, text, pipeline=f"p{n}")["html"])
    assert found.text == text
    assert found.tags <= {"div", "span", "script"}
    assert not any(name.startswith("on") or name in ("src", "href") for name in found.attributes)


@pytest.mark.parametrize("text", NASTY)
def test_no_pair_becomes_mark_up(client, text):
    found = Reader(ask(client, text, ref=f"{text} b", pipeline=PAIRS)["html"])
    assert found.text == f"Text{text}Reference{text} b"
    assert found.tags <= {"div", "span", "script", "section", "h3"}
    assert not any(name.startswith("on") or name in ("src", "href") for name in found.attributes)


@pytest.mark.parametrize("name", NASTY)
def test_no_text_of_an_error_is_mark_up(client, name):
    response = client.post("/find", json={"pipeline": name, "text": "a"})
    assert response.status_code == 400
    assert response.mimetype == "text/plain"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_name_of_a_pipeline_is_escaped(pipelines, monkeypatch):
    monkeypatch.setattr(pipelines[0], "model", "</script><b>\r\n\ud800")
    client = make_app(pipelines, max_chars=9).test_client()
    page = client.get("/").text
    assert "<b>" not in page
    assert "&lt;/script&gt;&lt;b&gt;" in page
    ask(client, "I sleep.")


# Settings


def units_of(pipeline: DemoPipeline, **settings: Any) -> Any:
    return pipeline(EXAMPLE, settings=settings).view.units


def test_newline_has_an_effect(english):
    text, units = EXAMPLE, units_of(english, newline="break")
    assert not any("\n" in text[u.start_char : u.end_char] for u in units if u.label == "SU")
    assert units_of(english, newline="ignore") != units_of(english, newline="learned")


def test_threshold_has_an_effect(english):
    assert len(units_of(english, threshold=1.0)) < len(units_of(english))


def test_settings_reach_the_pipeline(english):
    client = make_app([english], max_chars=MAX_CHARS).test_client()
    told = {
        ask(client, EXAMPLE, threshold=threshold, newline=newline)["summary"]
        for threshold, newline in ((None, None), (1, "learned"), (0.02, "break"))
    }
    assert len(told) == 3


def test_settings_apply_only_to_one_text(english):
    before = units_of(english)
    units_of(english, threshold=1.0, newline="break")
    assert units_of(english) == before
    assert english.defaults == {"threshold": 0.02, "newline": "paragraph"}


def test_settings_are_reset_after_an_error(english, monkeypatch):
    before = units_of(english)
    with monkeypatch.context() as patch:
        patch.setattr(english._worker.nlp, "pipe", None)
        with pytest.raises(ValueError, match="failed"):
            units_of(english, newline="break")
    assert units_of(english) == before


def test_settings_are_kept_when_the_pipeline_is_reloaded(tiny_pipeline, monkeypatch):
    pipeline = load_pipelines([str(tiny_pipeline)])[0]
    before = units_of(pipeline)
    once = units_of(pipeline, threshold=1.0, newline="ignore")
    assert once != before
    monkeypatch.setattr(pipeline._worker, "max_new_words", -1)
    assert units_of(pipeline, threshold=1.0, newline="ignore") == once
    assert units_of(pipeline) == before


def test_a_missing_pipeline_is_reported_until_it_is_back(tiny_pipeline, tmp_path, monkeypatch):
    folder = Path(shutil.copytree(tiny_pipeline, tmp_path / "model"))
    monkeypatch.setattr("spacy_sentid.view.demo.pipelines.MAX_PAGE_WORDS", -1)
    client = make_app(load_pipelines([str(folder)]), max_chars=MAX_CHARS).test_client()
    folder.rename(tmp_path / "away")
    for _ in range(2):
        assert "The pipeline must be" in ask(client, code=500)
    Path(tmp_path, "away").rename(folder)
    ask(client)


def test_threads_do_not_mix_settings(english):
    settings = [{}, {"threshold": 1.0}, {"newline": "break"}, {"newline": "ignore"}] * 4
    alone = [units_of(english, **one) for one in settings]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda one: units_of(english, **one), settings)) == alone


# Sizes


def test_longest_text_is_accepted(client):
    ask(client, "\U0001f600" * MAX_CHARS, pipeline=SENTENCES)


def test_longer_text_is_refused(client):
    message = ask(client, "a" * (MAX_CHARS + 1), code=413)
    assert "2,001" in message
    assert "2,000" in message
    assert "--max-chars" in message


def test_longer_pair_is_refused(client):
    half = "a" * (MAX_CHARS // 2)
    assert "2,001" in ask(client, half, ref=half + "a", pipeline=PAIRS, code=413)


class Unreadable(BytesIO):
    """A request body that must not be read."""

    def read(self, size: int | None = -1) -> bytes:
        raise AssertionError("read")


def test_large_request_is_refused_unread(client):
    response = client.post(
        "/find",
        input_stream=Unreadable(b"a" * (count_max_bytes(MAX_CHARS) + 1)),
        content_type="application/json",
    )
    assert response.status_code == 413
    assert "at most 2,000 characters" in response.text


# Requests that do not come from the page


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:8000", "localhost.", "192.0.2.7", "", "[::1"]
)
@pytest.mark.parametrize("path", ["/", "/find"])
def test_other_hosts_are_refused(client, host, path):
    response = client.get(path, headers={"Host": host})
    assert response.status_code == 421
    assert "<" not in response.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_other_sites_are_refused(client, headers):
    assert client.post("/find", json={}, headers=headers).status_code == 403


def test_own_origin_is_accepted(client):
    headers = {"Host": "localhost:8000", "Origin": "http://localhost:8000"}
    row = {"pipeline": SENTENCES, "text": "a"}
    assert client.post("/find", json=row, headers=headers).status_code == 200


def test_failing_pipeline_is_reported(client, pipelines, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(pipelines[0]._worker.nlp, "pipe", None)
        assert "The pipeline failed on it: TypeError" in ask(client, code=500)
    ask(client)


@pytest.mark.parametrize("error", [RuntimeError, KeyError, RecursionError, MemoryError])
def test_texts_are_never_logged(client, pipelines, monkeypatch, caplog, capfd, error):
    def fail(*args: Any, **kwargs: Any) -> None:
        raise error("secret words")

    monkeypatch.setattr(pipelines[0]._worker, "make_records", fail)
    assert error.__name__ in ask(client, "secret words", code=500)
    assert error.__name__ in caplog.text
    assert "secret" not in caplog.text + "".join(capfd.readouterr())


@pytest.mark.parametrize("key", ["ref", "pipeline", "threshold", "newline"])
def test_values_nested_to_the_limit_are_refused(client, key):
    limit = sys.getrecursionlimit()
    for depth in range(limit - 150, limit, 10):
        row = {"text": '"a"', "pipeline": f'"{PAIRS if key == "ref" else "p0"}"'}
        row[key] = "[" * depth + "]" * depth
        body = "{" + ",".join(f'"{name}": {value}' for name, value in row.items()) + "}"
        response = client.post("/find", data=body, content_type="application/json")
        assert response.status_code == 400


# Responses


@pytest.mark.parametrize(("method", "path"), [("get", "/"), ("get", "/x"), ("post", "/find")])
def test_every_response_has_security_headers(client, method, path):
    headers = getattr(client, method)(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in headers
    assert "Access-Control-Allow-Origin" not in headers


def test_only_the_scripts_of_the_page_may_run(client):
    response = client.get("/")
    policy = response.headers["Content-Security-Policy"]
    [own] = [value for value in Page(response.text).values("content") if "default-src" in value]
    assert policy == f"{own}; frame-ancestors 'none'"
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert all(source.startswith("'sha256-") for source in rules["script-src"].split())
    assert rules["connect-src"] == "'self'"


def test_page_refers_to_nothing_elsewhere(client):
    page = client.get("/").text
    assert not any(part in page for part in ("src=", "@import", "url("))
    assert 'href="http' not in page


def test_help_names_pages_and_commands_that_exist(client):
    page = client.get("/").text
    docs = Path(__file__).parents[3] / "docs"
    named = re.findall(r"<dt>([\w/]+\.md)</dt>", page)
    assert len(named) >= 4
    assert not [name for name in named if not (docs / name).is_file()]
    commands = set(re.findall(r"spacy-sentid (\w+) ", page))
    assert {"identify", "view", "serve"} <= commands <= {*list_commands(), "marks"}


def test_code_in_the_help_runs(client, capsys):
    [code] = re.findall(r"<pre [^>]*Python code[^>]*>(.*?)</pre>", client.get("/").text, re.DOTALL)
    exec(unescape(code), {})
    assert capsys.readouterr().out.splitlines() == [
        "['the roof leaks again.', 'We need a ladder!']",
        "['Dear all,']",
    ]


# Names, places, packages


@pytest.mark.parametrize(
    ("name", "found"),
    [("en", "units:en"), ("de", "units:de"), ("words:zh",) * 2, ("sentences:de",) * 2],
)
def test_model_alone_finds_units(name, found):
    assert load_pipelines([name])[0].name == found


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["no/such"], "'no/such'"),
        (["words:en"], "'en'"),
        (["units:"], "units:"),
        (["sentences:en", "sentences:en"], "twice"),
    ],
)
def test_wrong_models_are_errors(names, message):
    with pytest.raises(ValueError, match=message):
        load_pipelines(names)


def test_server_listens_before_its_address_is_shown(client):
    def stop(url: str) -> None:
        place = url.removeprefix("http://").strip("/").split(":")
        socket.create_connection((place[0], int(place[1])), timeout=5).close()
        raise InterruptedError(url)

    with pytest.raises(InterruptedError, match=r"127\.0\.0\.1"):
        run_server(client.application, listen(0), on_ready=stop)


def test_taken_port_is_an_error():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"--port must be free, got {port}"):
            listen(port)


@pytest.mark.parametrize("package", ["flask", "waitress"])
def test_missing_package_is_an_error(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ValueError, match=r"spacy-sentid\[serve\]"):
        check_packages()


@pytest.fixture
def run(monkeypatch) -> Any:
    """Run the command up to the point where it would serve."""
    served: dict[str, Any] = {}
    opened: list[str] = []

    def run_only(app: Any, place: socket.socket, **settings: Any) -> None:
        served.update(settings, app=app, host=place.getsockname()[0])
        settings["on_ready"]("http://127.0.0.1:1/")

    monkeypatch.setattr("spacy_sentid.view.demo.server.run_server", run_only)
    monkeypatch.setattr("webbrowser.open", opened.append)
    app = typer.Typer()
    app.command()(serve)

    def run_command(*arguments: str) -> tuple[str, dict[str, Any], list[str]]:
        words = ["--model", "sentences:en", "--port", "0", *arguments]
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
        return result.stderr, served, opened

    return run_command


def test_command_serves_here_and_opens_the_page(run):
    told, served, opened = run()
    assert served["host"] == "127.0.0.1"
    assert "http://127.0.0.1:1/" in told
    assert "Warning" not in told
    for _ in range(100):  # another thread opens the browser
        if opened:
            break
        time.sleep(0.01)
    assert opened == ["http://127.0.0.1:1/"]


def test_command_opens_no_browser_if_requested(run):
    assert run("--no-browser")[2] == []


def test_command_checks_the_port_before_loading():
    app = typer.Typer()
    app.command()(serve)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(app, ["--model", "no/such", "--port", port])
    assert "--port" in str(result.exception)
    assert "Loading" not in result.stderr


def test_help_and_guide_name_the_limits():
    app = typer.Typer()
    app.command()(serve)
    told = CliRunner().invoke(app, ["--help"]).output
    guide = (Path(__file__).parents[3] / "docs/robustness.md").read_text(encoding="utf8")
    assert f" {PAIR_CHARS:,}" in told
    assert f"| {PAIR_CHARS:,} " in guide


def test_command_limits_the_text(run):
    client = run("--max-chars", "5", "--no-browser")[1]["app"].test_client()
    assert "at most 5 characters" in ask(client, "abcdef", code=413)

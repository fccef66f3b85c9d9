"""Invalid requests to `serve`, which are refused with status 4xx and a message."""

import json
import socket
from collections.abc import Iterator
from itertools import pairwise
from threading import Thread
from typing import Any

import pytest
from hostile import hostile_texts

from spacy_sentid.view.demo.pipelines import load_pipelines
from spacy_sentid.view.demo.server import count_max_bytes, listen, make_app, run_server

pytest.importorskip("flask", reason="the extra 'serve' is not installed")
pytest.importorskip("waitress", reason="the extra 'serve' is not installed")

MAX_CHARS = 200
UNITS, SENTENCES, PAIRS = "p0", "p1", "p2"
JSON = {"Content-Type": "application/json"}
OBJECT, TEXT = "must be a JSON object", 'a JSON object with a string "text"'
THRESHOLD = "'threshold' must be in [0, 1] or null, got "
NEWLINE = "'newline' must be one of 'paragraph', 'learned', 'break', 'ignore'"
BODIES = [
    (b"", OBJECT),
    (b"{", OBJECT),
    (b"[]", TEXT),
    (b"1", TEXT),
    (b"null", TEXT),
    (b'"text"', TEXT),
    (b"\xff", OBJECT),
    (b"\x00", OBJECT),
    (b"[" * 9999, OBJECT),
    (b'{"a":' * 2000, OBJECT),
    (b'{"text": 1e999}', TEXT),
    (b'{"text": ' + b"1" * 5000 + b"}", OBJECT),
    (b"text=a&pipeline=p0", OBJECT),
    ('{"text": "a", "pipeline": "p0"}'.encode("utf-16")[1:], OBJECT),
    (b"\x1f\x8b\x08\x00" * 9, OBJECT),
]
ROWS = [
    ({}, TEXT),
    ({"text": None}, TEXT),
    ({"text": 1}, TEXT),
    ({"text": True}, TEXT),
    ({"text": ["a"]}, TEXT),
    ({"text": {"a": "b"}}, TEXT),
    ({"text": "a"}, "The pipeline must be one of p0, p1, p2, got None."),
    ({"text": "a", "pipeline": 0}, "must be one of p0, p1, p2, got 0."),
    ({"text": "a", "pipeline": ["p0"]}, "must be one of p0, p1, p2, got ['p0']."),
    ({"text": "a", "pipeline": "p9"}, "must be one of p0, p1, p2, got 'p9'."),
    ({"text": "a", "pipeline": "\ud800"}, "must be one of p0, p1, p2, got '\\ud800'."),
    ({"text": "a", "pipeline": "<b>" * 999}, "must be one of p0, p1, p2, got '<b>"),
    *[
        ({"text": "a", "pipeline": UNITS, "threshold": value}, THRESHOLD)
        for value in (-0.1, 1.1, float("nan"), float("inf"), True, "0.5", [], {}, 10**400)
    ],
    *[
        ({"text": "a", "pipeline": UNITS, "newline": value}, NEWLINE)
        for value in ("", "other", "BREAK", 1, False, ["break"], {}, "\ud800")
    ],
    ({"text": "a", "pipeline": SENTENCES, "threshold": 0.5}, "no sentence identifier"),
    ({"text": "a", "pipeline": SENTENCES, "newline": "break"}, "no sentence identifier"),
    ({"text": "a", "pipeline": SENTENCES, "ref": "b"}, '"ref" must be missing'),
    ({"text": "a", "pipeline": UNITS, "ref": ""}, '"ref" must be missing'),
    *[
        ({"text": "a", "pipeline": PAIRS, "ref": value}, '"ref" must be the text to compare with')
        for value in (None, 1, [], ["b"], {})
    ],
    *[
        ({"text": "a", "pipeline": PAIRS, "ref": value}, "'ref' must have words, got none.")
        for value in ("", " ", "\n\t", "\ufeff", "\u3000\u2028")
    ],
    ({"text": "\r\n", "pipeline": PAIRS, "ref": "a"}, "'text' must have words, got none."),
    ({"text": "a b", "pipeline": PAIRS, "ref": " a\nb "}, "'ref' must differ from 'text'"),
    ({"text": "a\ud800", "pipeline": PAIRS, "ref": "a\udfff"}, "must differ from 'text'"),
]
# (method, path, other headers, status, part of the message)
REQUESTS = [
    *[
        (method, "/find", JSON, 405, "method is not allowed")
        for method in ("GET", "PUT", "DELETE", "PATCH", "TRACE", "QUERY")
    ],
    *[
        (method, "/", JSON, 405, "method is not allowed")
        for method in ("POST", "PUT", "DELETE", "CONNECT")
    ],
    *[
        ("GET", path, JSON, 404, "not found")
        for path in ("/x", "/static/x", "/../setup.cfg", "/find/", "/%00", "/%2e%2e/", "/\\")
    ],
    *[
        ("POST", "/find", {"Content-Type": kind}, 415, "The content type must be application/json")
        for kind in ("text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data")
    ],
    ("POST", "/find", JSON | {"Origin": "http://evil.example"}, 403, "must come from this page"),
    ("POST", "/find", JSON | {"Sec-Fetch-Site": "cross-site"}, 403, "must come from this page"),
    ("GET", "//find", {}, 421, "The host must be this computer"),
    ("GET", "/", {"Host": "evil.example"}, 421, "The host must be this computer"),
]  # fmt: skip
HEAD = b"POST /find HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
# Requests that waitress refuses: (bytes, status).
RAW = [
    (b"\r\n\r\nGET\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\n\r\n", 421),
    (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
    (b"get / http/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),  # the start of a TLS handshake
    (HEAD + b"Content-Length: -1\r\n\r\n", 400),
    (HEAD + b"Content-Length: 1e9\r\n\r\n", 400),
    (HEAD + b"Content-Length: 9999999999\r\n\r\n", 413),
    (HEAD + b"Content-Length: %d\r\n\r\n" % (2 * count_max_bytes(MAX_CHARS)), 413),
    (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
    (HEAD + b"Transfer-Encoding: chunked\r\n\r\nfffff\r\n" + b"a" * 0xFFFFF, 413),
    # HTTP requires "Not implemented" here (RFC 9112, 6.1).
    (HEAD + b"Transfer-Encoding: gzip\r\n\r\n", 501),
]


@pytest.fixture(scope="module")
def app(tiny_pipeline: Any) -> Any:
    return make_app(
        load_pipelines([str(tiny_pipeline), "sentences:en", "scores:en"]), max_chars=MAX_CHARS
    )


@pytest.fixture(scope="module")
def client(app: Any) -> Any:
    return app.test_client()


@pytest.fixture(scope="module")
def port(app: Any) -> Iterator[int]:
    place = listen(0)
    number = place.getsockname()[1]
    Thread(target=run_server, args=(app, place), daemon=True).start()
    return number


def check(response: Any, status: int, message: str) -> None:
    """Check that the message is a short line of plain text, without a traceback."""
    assert response.status_code == status, response.text
    assert message in response.text
    assert response.mimetype == "text/plain"
    assert response.text.count("\n") == 1
    assert len(response.text) < 500
    assert "Traceback" not in response.text
    assert 'File "' not in response.text


@pytest.mark.parametrize(("body", "message"), BODIES)
def test_other_bodies_are_refused(client, body, message):
    check(client.post("/find", data=body, headers=JSON), 400, message)


@pytest.mark.parametrize(("row", "message"), ROWS)
def test_other_rows_are_refused(client, row, message):
    check(client.post("/find", data=json.dumps(row), headers=JSON), 400, message)


@pytest.mark.parametrize(("method", "path", "headers", "status", "message"), REQUESTS)
def test_other_requests_are_refused(client, method, path, headers, status, message):
    response = client.open(path, method=method, data=b'{"text": ""}', headers=headers)
    check(response, status, message)
    assert status != 405 or response.headers["Allow"]


@pytest.mark.parametrize(
    ("pipeline", "text", "ref"),
    [
        (UNITS, "a" * 201, None),
        (SENTENCES, "😀" * 201, None),
        (PAIRS, "a" * 100, "b" * 101),
    ],
)
def test_longer_texts_are_refused(client, pipeline, text, ref):
    row = {"pipeline": pipeline, "text": text, "ref": ref}
    check(client.post("/find", json=row), 413, "at most 200 characters, got 201 characters.")


@pytest.mark.parametrize(("sent", "status"), RAW)
def test_what_is_not_http_is_refused(port, sent, status):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as found:
        found.sendall(sent)
        answer = found.recv(65_536)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert int(head.split()[1]) == status, answer
    assert b"Content-Type: text/plain" in head
    assert b"Traceback" not in body


def test_hostile_texts_are_answered_or_refused(client):
    """Check that the status is 200, or 400 for pairs that cannot be compared."""
    texts = [text[: MAX_CHARS // 2] for _, text in hostile_texts(120, seed=23)]
    for text, ref in pairwise(texts):
        for pipeline in (UNITS, SENTENCES):
            row = {"pipeline": pipeline, "text": text}
            assert client.post("/find", json=row).status_code == 200
        response = client.post("/find", json={"pipeline": PAIRS, "text": text, "ref": ref})
        assert response.status_code in (200, 400), (text, ref, response.text)

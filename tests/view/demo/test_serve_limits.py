"""`serve` with slow, silent and very many connections: normal ones are always answered."""

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

import pytest

from spacy_sentid.view.demo.pipelines import MAX_WAITING, load_pipelines
from spacy_sentid.view.demo.server import listen, make_app, run_server

pytest.importorskip("flask", reason="the extra 'serve' is not installed")
pytest.importorskip("waitress", reason="the extra 'serve' is not installed")
from spacy_sentid.view.demo.connections import MAX_HEADER_BYTES, Limits

GET = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
POST = b"POST /find HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
PATIENT = Limits(header_seconds=600, request_seconds=600, answer_seconds=600)
HASTY, HASTY_BODY = PATIENT._replace(header_seconds=0.3), PATIENT._replace(request_seconds=0.3)
TIMEOUT = b"HTTP/1.0 408 Request Timeout\r\n"
GUARD = 20  # seconds, after which a test fails
HUGE = 30_000_000  # bytes: more than the buffers of the system take


@pytest.fixture(scope="module")
def app() -> Any:
    app = make_app(load_pipelines(["sentences:en"]), max_chars=2000)
    app.add_url_rule("/huge", view_func=lambda: b"x" * HUGE)
    return app


@pytest.fixture
def serve(app: Any) -> Iterator[Callable[[Limits], int]]:
    """A function that starts a server with limits, and returns its port."""
    from spacy_sentid.view.demo import connections

    threads = []
    stop = threading.Event()

    def start(limits: Limits) -> int:
        ready: list[str] = []
        place = listen("127.0.0.1", 0)
        settings = {"limits": limits, "on_ready": ready.append}
        thread = Thread(target=run_until, args=(place, settings), daemon=True)
        thread.start()
        threads.append(thread)
        return int(place.getsockname()[1])

    def run_until(place: socket.socket, settings: Any) -> None:
        run_server(app, place, **settings)

    class Stopping(connections.Server):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.adj.asyncore_loop_timeout = 0.05  # seconds between two checks for late connections

        def readable(self) -> bool:
            if stop.is_set():
                raise KeyboardInterrupt  # like Ctrl+C
            return bool(super().readable())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "Server", Stopping)
        yield start
        stop.set()
        for thread in threads:
            thread.join(GUARD)
            assert not thread.is_alive()


def open_socket(port: int, start: bytes = b"") -> socket.socket:
    found = socket.create_connection(("127.0.0.1", port), timeout=GUARD)
    found.sendall(start)
    return found


def ask(port: int, method: str = "GET", path: str = "/", body: str | None = None) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=GUARD)
    connection.request(method, path, body, {"Content-Type": "application/json"})
    status = connection.getresponse().status
    connection.close()
    return status


def read_all(found: socket.socket) -> bytes:
    """Read until the server closes."""
    parts = []
    while True:
        try:
            part = found.recv(65_536)
        except ConnectionResetError:
            part = b""
        if not part:
            return b"".join(parts)
        parts.append(part)


def trickle(found: socket.socket, piece: bytes) -> bytes:
    """Send a piece every 50 ms until there is an answer, and return the whole answer."""
    found.settimeout(0.05)
    end = time.monotonic() + GUARD
    while time.monotonic() < end:
        try:
            first = found.recv(65_536)
        except TimeoutError:
            found.sendall(piece)
        else:
            found.settimeout(GUARD)
            return first + read_all(found)
    raise AssertionError("The connection is not cut off.")


@pytest.mark.parametrize(
    ("start", "piece", "limits", "answer"),
    [
        (GET, b"X-A: 1\r\n", HASTY, TIMEOUT),
        (b"", b"\r", HASTY, TIMEOUT),
        (b"", b"\r\n\r\n", HASTY, b""),
        (b"", b"", HASTY, b""),
        (GET + b"\r\n", b"", HASTY, b"HTTP/1.1 200 OK\r\n"),  # kept open for another request
        (POST + b"Content-Length: 9999\r\n\r\n", b"a", HASTY_BODY, TIMEOUT),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n", HASTY_BODY, TIMEOUT),
    ],
)
def test_slow_senders_are_cut_off(serve, start, piece, limits, answer):
    port = serve(limits)
    with open_socket(port, start) as slow:
        assert trickle(slow, piece).startswith(answer)
    assert ask(port) == 200


def open_deaf(port: int) -> socket.socket:
    """Send a request for a huge answer, and never read the answer."""
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.settimeout(GUARD)
    deaf.connect(("127.0.0.1", port))
    deaf.sendall(b"GET /huge HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    return deaf


def test_clients_that_do_not_read_are_cut_off_and_block_no_thread(serve, app):
    port = serve(PATIENT._replace(answer_seconds=0.3))
    deaf = [open_deaf(port) for _ in range(app.config["N_THREADS"] + 1)]
    assert ask(port) == 200
    time.sleep(1)
    for found in deaf:
        with found:
            assert len(read_all(found)) < HUGE


def test_slow_readers_get_the_whole_answer(serve):
    with open_deaf(serve(Limits())) as late:
        time.sleep(0.3)
        late.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        assert len(read_all(late)) > HUGE


def test_normal_requests_are_answered_among_too_many_slow_ones(serve):
    port = serve(PATIENT._replace(connections=10))
    slow = []
    for _ in range(30):
        slow.append(open_socket(port, GET))
        assert ask(port) == 200
    first, last = slow[0], slow[-1]
    assert b" 503 Service Unavailable" in read_all(first)
    last.sendall(b"\r\n")
    assert last.recv(99).startswith(b"HTTP/1.1 200 OK")
    for found in slow:
        found.close()


def test_500_connections_at_once_are_answered(serve):
    port = serve(PATIENT)
    found = [open_socket(port) for _ in range(500)]
    assert ask(port) == 200
    for one in found[450:]:
        one.sendall(GET + b"Connection: close\r\n\r\n")
    heads = [read_all(one)[:13].decode() for one in found[450:]]
    assert heads.count("HTTP/1.1 200 ") >= 48  # some may be refused
    assert ask(port, "POST", "/find", '{"pipeline": "p0", "text": "I sleep."}') == 200
    for one in found:
        one.close()


def test_a_busy_pipeline_refuses_texts_at_once(serve, monkeypatch):
    from spacy_sentid.view.demo import server

    goes_on = threading.Event()
    work = server.answer

    def wait(request: Any) -> Any:
        assert goes_on.wait(GUARD)
        return work(request)

    monkeypatch.setattr(server, "answer", wait)
    port = serve(Limits())
    row = '{"pipeline": "p0", "text": "I sleep."}'
    statuses: list[int] = []
    threads = [
        Thread(target=lambda: statuses.append(ask(port, "POST", "/find", row))) for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    while len(statuses) < 20 - MAX_WAITING:
        time.sleep(0.01)
    assert set(statuses) == {503}
    assert ask(port) == 200  # the page is still served
    goes_on.set()
    for thread in threads:
        thread.join(GUARD)
    assert sorted(statuses) == [200] * MAX_WAITING + [503] * (20 - MAX_WAITING)


def test_long_headers_are_refused(serve):
    with open_socket(serve(PATIENT), GET + b"X: " + b"a" * MAX_HEADER_BYTES) as found:
        assert read_all(found).startswith(b"HTTP/1.0 431 ")

"""Serve the demo page, a small web application for this computer.

request -> checks (host, sender, type, size) -> answer

The server stores nothing of a request: it has no cookies, sessions, files or logs of texts. It
listens only on the loopback address, so other computers cannot reach it.
"""

import logging
import socket
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ...extras import require_extra
from .demo import answer, count_max_chars, make_demo_page, read_request
from .pipelines import DemoPipeline

if TYPE_CHECKING:
    from flask import Flask, Response

HOST = "127.0.0.1"
LOCAL_NAMES = frozenset({HOST, "localhost"})
# JSON needs up to 12 bytes for a character (two escapes), and a few for the other fields.
BYTES_A_CHAR = 12
OTHER_BYTES = 10_000
# Threads for each pipeline. A pipeline processes one text at a time, and other texts wait.
N_THREADS = 4
FIND = "/find"
JSON_TYPE = "application/json"
# Headers of every response. The page itself also has a policy for scripts.
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
NO_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
IN_MEMORY = 2**62  # bytes; requests and answers are never written to temporary files


def check_packages() -> None:
    """Raise ValueError if Flask and waitress are not installed."""
    with require_extra("the page", extra="serve"):
        import flask  # noqa: F401
        import waitress  # noqa: F401


def count_max_bytes(max_chars: int) -> int:
    """Return the maximum size of a request for a text of at most `max_chars` characters."""
    return BYTES_A_CHAR * max_chars + OTHER_BYTES


def make_app(pipelines: Sequence[DemoPipeline], *, max_chars: int) -> "Flask":
    """Create the Flask application.

    pipelines: At least one; the first is selected when the page opens.
    max_chars: Maximum length of a text, in code points; see `count_max_chars` for pairs.

    Raises ValueError if Flask is not installed.
    """
    check_packages()
    from flask import Flask, abort, request
    from werkzeug.exceptions import HTTPException, InternalServerError

    app = Flask(__name__, static_folder=None, template_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = count_max_bytes(max_chars)
    app.config["N_THREADS"] = N_THREADS * (len(pipelines) + 1)
    # Short names, because the name of a folder may have characters that HTML cannot contain.
    by_name = {f"p{n}": pipeline for n, pipeline in enumerate(pipelines)}
    page, policy = make_demo_page(
        by_name, max_chars=max_chars, max_bytes=count_max_bytes(max_chars), path=FIND
    )

    @app.before_request
    def check_host() -> None:
        found = request.headers.get("Host", "")
        if not is_local(found):
            abort(
                421,
                f"The host must be this computer, got {found[:100]!r}. Open the address that the "
                "command shows.",
            )

    @app.after_request
    def add_headers(response: "Response") -> "Response":
        response.headers.setdefault("Content-Security-Policy", NO_POLICY)
        for name, value in HEADERS.items():
            response.headers[name] = value
        return response

    @app.errorhandler(HTTPException)
    def format_http_error(error: HTTPException) -> Any:
        response = error.get_response()  # includes headers such as Allow
        response.data = f"{error.description}\n".encode("utf8", "replace")
        response.content_type = "text/plain; charset=utf-8"
        return response

    @app.errorhandler(Exception)
    def format_failure(error: Exception) -> Any:
        # Flask would log the message with the traceback, which may contain the text.
        name = type(error).__name__
        app.logger.error("A request failed: %s", name)
        failure = InternalServerError(f"The request failed ({name}). Try another text.")
        return format_http_error(failure)

    @app.get("/")
    def show_page() -> Any:
        return page, {"Content-Security-Policy": policy}

    @app.get("/favicon.ico")
    def show_icon() -> Any:
        return "", 204

    @app.post(FIND)
    def find() -> Any:
        if not is_own_sender(request.headers):
            abort(403, "The request must come from this page, got another site. Reload the page.")
        if request.mimetype != JSON_TYPE:
            abort(415, f"The content type must be {JSON_TYPE}, got {request.mimetype!r}.")
        if (request.content_length or 0) > app.config["MAX_CONTENT_LENGTH"]:
            abort(413, _too_long(f"{request.content_length:,} bytes", max_chars))
        try:
            wanted = read_request(request.get_data(cache=False), by_name)
        except ValueError as error:
            abort(400, str(error))
        pipeline, n_chars = wanted.pipeline, len(wanted.text) + len(wanted.ref)
        limit = count_max_chars(pipeline.task, max_chars)
        if n_chars > limit:
            abort(413, _too_long(f"{n_chars:,} characters", limit))
        try:
            return answer(wanted)
        except ValueError as error:
            abort(500, str(error))

    return app


def _too_long(found: str, max_chars: int) -> str:
    return (
        f"The text must have at most {max_chars:,} characters, got {found}. Try a part of it, "
        "start the page with a higher --max-chars, or use 'spacy-sentid identify' for files."
    )


def is_local(header: str) -> bool:
    """Check if a Host header names this computer, on any port.

    Otherwise a web site whose name points to this computer could read the answers.

    >>> is_local("localhost:8000"), is_local("evil.example"), is_local("")
    (True, False, False)
    """
    try:
        return urlsplit(f"//{header}").hostname in LOCAL_NAMES
    except ValueError:
        return False


def is_own_sender(headers: Any) -> bool:
    """Check if a request comes from the page itself, or from no page at all.

    >>> is_own_sender({"Host": "127.0.0.1:8000", "Origin": "http://127.0.0.1:8000"})
    True
    >>> is_own_sender({"Host": "127.0.0.1:8000", "Origin": "http://evil.example"})
    False
    """
    if headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("Origin")
    return origin is None or origin.partition("://")[2] == headers.get("Host")


def listen(port: int) -> socket.socket:
    """Open the port of the page. Connections wait until the application runs.

    port: 0 = any free port.

    Raises ValueError if the port cannot be used.
    """
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise ValueError(
            f"--port must be free, got {port} ({error}). Use --port 0 for any free port."
        ) from error


def run_server(
    app: "Flask", place: socket.socket, *, on_ready: Callable[[str], None] = lambda url: None
) -> None:
    """Serve the application until it is interrupted (Ctrl+C).

    place: The socket of `listen`, which is closed at the end.
    on_ready: Called with the URL of the page as soon as it can be opened.
    """
    import waitress

    # waitress warns about each request that arrives while others are answered.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    server: Any = waitress.create_server(
        app,
        sockets=[place],
        ident=None,
        threads=app.config["N_THREADS"],
        # The application refuses slightly too long requests itself, with a better message.
        max_request_body_size=2 * app.config["MAX_CONTENT_LENGTH"],
        inbuf_overflow=IN_MEMORY,
        outbuf_overflow=IN_MEMORY,
        log_socket_errors=False,
    )
    try:
        on_ready(f"http://{HOST}:{place.getsockname()[1]}/")
        server.run()
    finally:
        server.close()

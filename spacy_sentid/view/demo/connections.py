"""Limit the number and the duration of the connections of the demo page.

new connection -> request within a time -> answer, received within a time

waitress only limits the time without any traffic. A client that sends a byte now and then could
therefore keep a connection forever, and new clients would wait once all connections are in use.
"""

import socket
import time
from contextlib import suppress
from operator import attrgetter
from typing import Any, NamedTuple

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.utilities import Error

MAX_HEADER_BYTES = 65_536
NO_LIMIT = 2**62  # bytes


class Limits(NamedTuple):
    """Limits of connections. Times are totals, no matter how often a byte is sent."""

    connections: int = 50
    header_seconds: float = 10
    request_seconds: float = 60  # includes the header
    answer_seconds: float = 60  # from when the last part is written until the client has it all


class RequestTimeout(Error):
    """The answer to a request that arrives too slowly."""

    code = 408
    reason = "Request Timeout"


class TooManyConnections(Error):
    """The answer to the slowest client when there are too many connections."""

    code = 503
    reason = "Service Unavailable"


class Channel(HTTPChannel):
    """A connection, and the time at which the server began to wait for the client."""

    request: Any  # the request that is arriving; None = nothing has arrived yet
    will_close: bool

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.since: float = self.creation_time

    def write_soon(self, data: Any) -> int:
        """Write a part of an answer."""
        self.since = time.time()
        written: int = super().write_soon(data)
        return written

    def is_late(self, now: float, limits: Limits) -> bool:
        """Check if the client has used up its time. Waiting for an answer does not count."""
        if self.requests:
            return False
        allowed = limits.header_seconds
        if self.total_outbufs_len:
            allowed = limits.answer_seconds
        elif self.request is not None and self.request.headers_finished:
            allowed = limits.request_seconds
        return now - self.since > allowed

    def refuse(self, error: Error) -> None:
        """Answer with an error if a request has begun to arrive, and close the connection."""
        is_silent = self.request is None
        if is_silent or self.total_outbufs_len or self.close_when_flushed or self.will_close:
            self.will_close = True
            # Triggers an event at which the server closes the connection, even if the client reads
            # nothing.
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_RDWR)
            return
        request = self.parser_class(self.adj)
        request.parse_header(b"GET / HTTP/1.0\r\n")  # waitress requires a path
        request.error = error
        self.request = None
        self.requests.append(request)
        self.server.add_task(self)


class Server(TcpWSGIServer):
    """A server that always accepts new connections, and closes those that take too long."""

    channel_class = Channel
    limits = Limits()

    def handle_accept(self) -> None:
        """Take a connection. If there are too many, refuse the slowest one.

        The slowest client is the one that has kept the server waiting longest. It may be the new
        one, if the server is busy with requests of all others.
        """
        super().handle_accept()
        if len(self.active_channels) > self.limits.connections:
            waiting = [one for one in self.active_channels.values() if not one.requests]
            if waiting:
                slowest = min(waiting, key=attrgetter("since"))
                slowest.refuse(TooManyConnections("Too many connections. Try again in a moment."))

    def maintenance(self, now: float) -> None:
        """Close connections that take too long. The loop of the server calls this every second."""
        for channel in list(self.active_channels.values()):
            if channel.is_late(now, self.limits):
                channel.refuse(RequestTimeout("The request must arrive faster. Try again."))


def make_server(
    app: Any, place: socket.socket, *, n_threads: int, max_body_bytes: int, limits: Limits
) -> Server:
    """Create the server of an application on a listening socket.

    max_body_bytes: Longer requests are refused without reading them.
    """
    settings = Adjustments(
        sockets=[place],
        ident=None,
        threads=n_threads,
        max_request_header_size=MAX_HEADER_BYTES,
        max_request_body_size=max_body_bytes,
        # Requests and answers are never written to files, and no thread waits for slow clients.
        inbuf_overflow=NO_LIMIT,
        outbuf_overflow=NO_LIMIT,
        outbuf_high_watermark=NO_LIMIT,
        # With a limit, waitress would not accept new connections until others end.
        connection_limit=NO_LIMIT,
        cleanup_interval=0,
        log_socket_errors=False,
    )
    kind = (place.family, place.type, place.proto, place.getsockname())
    server = Server(app, _sock=place, adj=settings, sockinfo=kind, bind_socket=False)
    server.limits = limits
    return server

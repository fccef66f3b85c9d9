"""Connections of the demo page: none holds its place for longer than it may.

new connection -> request within a time -> answer, taken within a time

waitress only measures silence, which each byte ends: who sends a byte now and then keeps a
connection for ever, and those that come when all are taken wait unheard.
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
    """What connections may take; seconds are in all, however often a byte comes or goes."""

    connections: int = 50
    header_seconds: float = 10
    request_seconds: float = 60  # with the header
    answer_seconds: float = 60  # from its last part until all parts are taken


class RequestTimeout(Error):
    """Answer to a request that comes too slowly."""

    code = 408
    reason = "Request Timeout"


class TooManyConnections(Error):
    """Answer to the slowest when there are too many connections."""

    code = 503
    reason = "Service Unavailable"


class Channel(HTTPChannel):
    """A connection that knows since when the other side has had to send or to take something."""

    request: Any  # the one that is coming; None = nothing of it is there
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
        """Check whether the other side has had its time; it has all time while it waits."""
        if self.requests:
            return False
        allowed = limits.header_seconds
        if self.total_outbufs_len:
            allowed = limits.answer_seconds
        elif self.request is not None and self.request.headers_finished:
            allowed = limits.request_seconds
        return now - self.since > allowed

    def refuse(self, error: Error) -> None:
        """Answer with an error if a request has begun to come, and close the connection."""
        is_silent = self.request is None
        if is_silent or self.total_outbufs_len or self.close_when_flushed or self.will_close:
            self.will_close = True
            # Makes an event that the server closes at, also if the other side takes nothing.
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_RDWR)
            return
        request = self.parser_class(self.adj)
        request.parse_header(b"GET / HTTP/1.0\r\n")  # waitress wants a path
        request.error = error
        self.request = None
        self.requests.append(request)
        self.server.add_task(self)


class Server(TcpWSGIServer):
    """A server that always takes new connections, and closes those that are late."""

    channel_class = Channel
    limits = Limits()

    def handle_accept(self) -> None:
        """Take a connection; of too many, the one goes that has kept the server waiting longest.

        That may be the new one, if the server works for all others.
        """
        super().handle_accept()
        if len(self.active_channels) > self.limits.connections:
            waiting = [one for one in self.active_channels.values() if not one.requests]
            if waiting:
                slowest = min(waiting, key=attrgetter("since"))
                slowest.refuse(TooManyConnections("Too many connections. Try again in a moment."))

    def maintenance(self, now: float) -> None:
        """Close the connections that are late; the loop of the server calls this every second."""
        for channel in list(self.active_channels.values()):
            if channel.is_late(now, self.limits):
                channel.refuse(RequestTimeout("The request must come faster. Try again."))


def make_server(
    app: Any, place: socket.socket, *, n_threads: int, max_body_bytes: int, limits: Limits
) -> Server:
    """Make the server of an application on a socket that listens.

    max_body_bytes: Longer requests are refused unread.
    """
    settings = Adjustments(
        sockets=[place],
        ident=None,
        threads=n_threads,
        max_request_header_size=MAX_HEADER_BYTES,
        max_request_body_size=max_body_bytes,
        # Requests and answers are in no file, and no thread waits until an answer is taken.
        inbuf_overflow=NO_LIMIT,
        outbuf_overflow=NO_LIMIT,
        outbuf_high_watermark=NO_LIMIT,
        # The limit of waitress would leave new connections waiting.
        connection_limit=NO_LIMIT,
        cleanup_interval=0,
        log_socket_errors=False,
    )
    kind = (place.family, place.type, place.proto, place.getsockname())
    server = Server(app, _sock=place, adj=settings, sockinfo=kind, bind_socket=False)
    server.limits = limits
    return server

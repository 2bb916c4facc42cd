"""What one connection may cost: uvicorn counts time between requests only, so the rest is counted here.

A connection that has not become a whole request soon after its start is closed, one that does not read what it is sent is
dropped, and neither one address nor all of them together hold more than their share.
"""

from __future__ import annotations

import errno
import socket
from collections import Counter
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = [
    "MOST_ALL",
    "MOST_BODY",
    "MOST_HEADERS",
    "MOST_OF_ONE",
    "MOST_PHOTO",
    "PHOTO_PATH",
    "PHOTO_S",
    "REQUEST_S",
    "STALLED_S",
    "LimitedListener",
    "LimitedProtocol",
    "limited",
]

MOST_OF_ONE, MOST_ALL = 8, 96
"""Connections of one address, and in all; whoever sits at this machine itself is never shut out by the others."""
MOST_HEADERS, MOST_BODY = 8 << 10, 4 << 10
"""Bytes of a request's headers, and of what it posts."""
MOST_PHOTO, PHOTO_S = 6 << 20, 60.0
"""Bytes of a photo, and the seconds that it may take to come."""
PHOTO_PATH = "/photo"
REQUEST_S, STALLED_S = 5.0, 15.0
"""Seconds that a whole request may take to come, and that a reader may be behind."""


class LimitedListener(socket.socket):
    """A listening socket that holds the limits on connections from their first packet: over TLS a protocol only
    hears of those who have shaken hands, and whoever never does would hold his connection for a minute."""

    _held: tuple[tuple[str, socket.socket], ...] = ()

    def accept(self) -> tuple[socket.socket, Any]:
        """Take a connection; ConnectionAbortedError for one too many, which is closed at once."""
        made, address = super().accept()
        self._held = tuple(one for one in self._held if one[1].fileno() != -1)
        of_one = sum(host == address[0] for host, _made in self._held)
        own = self.getsockname()[0]
        others = sum(host != own for host, _made in self._held)
        if of_one >= MOST_OF_ONE or (others >= MOST_ALL and address[0] != own):
            made.close()
            raise ConnectionAbortedError(errno.ECONNABORTED, "too many connections")
        self._held += ((address[0], made),)
        return made, address


class LimitedProtocol(H11Protocol):
    """One connection, with its limits."""

    held: Counter[str] = Counter()
    """Connections by address."""

    def connection_made(self, transport: Any) -> None:
        """Take a connection, or drop it where there are too many."""
        super().connection_made(transport)
        self._late: Any = None
        self._stalled: Any = None
        self._is_counted = self._is_photo = False
        address = self.client[0] if self.client else ""
        is_own = self.server is not None and address == self.server[0]
        if self.held[address] >= MOST_OF_ONE or (self.held.total() >= MOST_ALL and not is_own):
            transport.abort()
            return
        self.held[address] += 1
        self._is_counted = True
        self._start_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        if self._is_counted:
            address = self.client[0] if self.client else ""
            self.held[address] -= 1
            if not self.held[address]:
                del self.held[address]
        for timer in (self._late, self._stalled):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; the time of a request runs from its first one, or from the connection's start."""
        if self._late is None and self.conn.our_state is h11.IDLE:
            self._start_waiting()
        if self.conn.their_state is h11.IDLE and _head_bytes(self.conn.trailing_data[0], data) > MOST_HEADERS:
            self.send_400_response("The headers are too large.")
            return
        super().data_received(data)
        if self._late is not None and not self._is_photo and self._takes_photo():
            self._is_photo = True
            self._stop_waiting()
            self._late = self.loop.call_later(PHOTO_S, self.transport.abort)
        if self.conn.their_state in (h11.DONE, h11.MUST_CLOSE, h11.CLOSED):
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """After an answer the next request has its own time, or the connection is let go."""
        self._stop_waiting()
        self._is_photo = False
        super().on_response_complete()

    def pause_writing(self) -> None:
        """A reader that falls behind has a while to catch up."""
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(STALLED_S, self.transport.abort)

    def resume_writing(self) -> None:
        """It caught up."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _takes_photo(self) -> bool:
        """Say whether the head of a photo's request is there, and its body is not."""
        scope = self.scope if self.conn.their_state is h11.SEND_BODY else None
        return scope is not None and (scope["method"], scope["path"]) == ("POST", PHOTO_PATH)

    def _start_waiting(self) -> None:
        self._late = self.loop.call_later(REQUEST_S, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def _head_bytes(before: bytes, data: bytes) -> int:
    """Return how many bytes of a request's head have come; h11 bounds only a head that comes in parts."""
    end = (before[-3:] + data).find(b"\r\n\r\n")
    return len(before) + (len(data) if end < 0 else end)


def limited(app: Any) -> Any:
    """Return uvicorn's configuration of a server of `app` that holds these limits, tells nobody what it is, and logs no request."""
    return uvicorn.Config(
        app,
        http=LimitedProtocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        backlog=64,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=MOST_HEADERS,
    )

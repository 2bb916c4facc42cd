"""One connection at the socket of the phones, or of the hall: bounded frames in, and out no more than the other side takes."""

from __future__ import annotations

import selectors
import socket
from collections.abc import Callable
from contextlib import suppress

from companion.gateway import wire

__all__ = ["Caller"]


class Caller:
    """One connection at the socket."""

    def __init__(self, made: socket.socket, most: int = wire.MOST_UP) -> None:
        self._socket = made
        self._frames = wire.Frames(most)
        self._out = bytearray()
        self._next: dict[str, bytes] = {}
        self._is_open = True

    def hear(self) -> list[bytes]:
        """Return the frames that came. OSError at its end."""
        try:
            data = self._socket.recv(1 << 16)
        except BlockingIOError:
            return []
        if not data:
            raise ConnectionResetError("")
        return self._frames.feed(data)

    def say(self, said: wire.Down) -> None:
        """Send a value, in order."""
        self.send(wire.packed(said))

    def send(self, frame: bytes) -> None:
        """Send a frame, in order."""
        self._out += frame
        with suppress(OSError):
            self.flush()

    def put(self, channel: str, frame: bytes) -> None:
        """Send a frame as soon as there is room; of a channel only the newest."""
        self._next.pop(channel, None)
        self._next[channel] = frame

    def flush(self) -> None:
        """Send as much as the other side takes now."""
        while self._out or self._next:
            if not self._out:
                channel = next(iter(self._next))
                self._out += self._next.pop(channel)
            try:
                sent = self._socket.send(self._out)
            except BlockingIOError:
                return
            del self._out[:sent]

    def watch(self, watch: selectors.BaseSelector, heard: Callable[[int], None]) -> None:
        """Be told when it can take more, while there is more."""
        if not self._is_open:
            return
        mask = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._out or self._next else 0)
        with suppress(KeyError, ValueError):
            watch.modify(self._socket, mask, heard)

    def close(self, watch: selectors.BaseSelector) -> None:
        """Hang up; twice is safe."""
        if self._is_open:
            self._is_open = False
            with suppress(KeyError, ValueError):
                watch.unregister(self._socket)
            self._socket.close()

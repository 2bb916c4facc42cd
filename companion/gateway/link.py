"""The gateway's end of the socket to the app: says who it is, takes frames, says what is looked at, and begins again when it breaks."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path

from companion.gateway.hub import Hub
from companion.gateway.wire import (
    MOST_DOWN,
    PROTOCOL,
    Alive,
    Answered,
    Ask,
    Evening,
    Frame,
    Frames,
    Greeting,
    Joined,
    PhotoPart,
    Pressed,
    Scanned,
    SealedPress,
    Seated,
    Stop,
    Up,
    Wanted,
    Way,
    WireError,
    decode_down,
    packed,
)

__all__ = ["SILENT_S", "End", "Link"]

_log = logging.getLogger("companion.gateway")
_AGAIN_S, _ALIVE_S = 0.3, 2.0
SILENT_S = 7.0
"""The app says every two seconds that it lives."""
_MOST_WAITING = 1 << 20
"""Bytes that wait for an app that stands still; what comes then is dropped."""


class End(IntEnum):
    """Why the gateway ends: its exit codes."""

    STOPPED = 0
    PORT_TAKEN = 3
    NO_APP = 4
    OTHER_PROTOCOL = 5


class Link:
    """Holds the hub against the app."""

    def __init__(
        self,
        path: Path,
        hub: Hub,
        bound: str,
        *,
        give_up_s: float,
        on_end: Callable[[End, str], None],
        silent_s: float = SILENT_S,
    ) -> None:
        """Call the app at a socket; without it for `give_up_s`, or when it says so, `on_end` is told why all ends.

        An app that says nothing for `silent_s` stands still.
        """
        self._path, self._hub, self._bound = path, hub, bound
        self._give_up_s, self._on_end, self._silent_s = give_up_s, on_end, silent_s
        self._writer: asyncio.StreamWriter | None = None
        hub.on_wanted = self._tell_wanted
        hub.on_joined = lambda: self._send(Joined())

    def ask(self, channel: str) -> None:
        """Have a channel made anew."""
        self._send(Ask(channel))

    def press(self, token: str, act: str, at_ms: int, answers: dict[str, str]) -> None:
        """Hand a press on."""
        self._send(Pressed(token, act, at_ms, answers))

    def scan(self, token: str, ticket: str) -> None:
        """Hand on that a phone uses up a ticket."""
        self._send(Scanned(token, ticket))

    def press_sealed(self, token: str, sealed: str, at_ms: int) -> None:
        """Hand on what only the app can open."""
        self._send(SealedPress(token, sealed, at_ms))

    async def photo(self, token: str, number: int, data: bytes, *, is_last: bool) -> None:
        """Hand a part of a photo on, no faster than the app takes it."""
        self._send(PhotoPart(token, number, is_last, data))
        if self._writer is not None:
            await self._writer.drain()

    async def run(self) -> None:
        """Hold the link until told to end."""
        loop = asyncio.get_running_loop()
        alone_since = loop.time()
        while True:
            try:
                reader, writer = await asyncio.open_unix_connection(self._path)
            except OSError as fault:
                if loop.time() - alone_since > self._give_up_s:
                    self._on_end(
                        End.NO_APP, f"the app does not answer at {self._path}: {fault.strerror or fault}"
                    )
                    return
                await asyncio.sleep(_AGAIN_S)
                continue
            self._writer = writer
            beating = asyncio.create_task(self._beat())
            try:
                if await self._talk(reader):
                    return
            except (OSError, WireError) as fault:
                _log.warning("the app hung up: %s", fault)
            finally:
                beating.cancel()
                self._writer = None
                self._hub.lose()
                writer.close()
            alone_since = loop.time()
            await asyncio.sleep(_AGAIN_S)

    async def _beat(self) -> None:
        """Say every few seconds that this process lives."""
        while True:
            await asyncio.sleep(_ALIVE_S)
            self._send(Alive())

    async def _talk(self, reader: asyncio.StreamReader) -> bool:
        """Take what the app says until it hangs up; return whether it said that all ends."""
        frames = Frames(MOST_DOWN)
        self._send(Greeting(PROTOCOL, os.getpid(), self._bound))
        while True:
            try:
                data = await asyncio.wait_for(reader.read(1 << 16), self._silent_s)
            except TimeoutError:
                self._hub.lose()  # it stands still; what it missed is refused as too old when it goes on
                continue
            if not data:
                return False
            self._hub.heard()
            for body in frames.feed(data):
                said = decode_down(body)
                match said:
                    case Evening():
                        if said.protocol != PROTOCOL:
                            why = f"the app speaks protocol {said.protocol}; expected {PROTOCOL}"
                            self._on_end(End.OTHER_PROTOCOL, why)
                            return True
                        self._hub.begin(said)
                        self._tell_wanted()
                    case Frame():
                        self._hub.publish(said)
                    case Seated():
                        self._hub.seat(said.seats)
                    case Way():
                        self._hub.way = said
                    case Answered():
                        self._hub.answered(said.token, is_taken=said.is_taken)
                    case Stop():
                        self._on_end(End.STOPPED, said.why)
                        return True
                    case Alive():
                        pass

    def _tell_wanted(self) -> None:
        if self._hub.is_joined:
            self._send(Wanted(self._hub.channels, len(self._hub.viewers)))

    def _send(self, said: Up) -> None:
        writer = self._writer
        if writer is None or writer.is_closing() or writer.transport.get_write_buffer_size() > _MOST_WAITING:
            return
        writer.write(packed(said))

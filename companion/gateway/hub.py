"""What the gateway holds: the evening, the newest frame of every channel, who looks at which, and wrong codes.

Pure of sockets and of time: instants come in. The newest frame wins; nothing older is ever sent after it.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from companion.gateway.wire import Evening, Frame, Way

__all__ = ["MOST_VIEWERS", "PAGES", "Held", "Hub", "Tries", "Viewer", "phone_id"]

PAGES = ("table", "clocks", "score", "log", "seat")
"""What a phone that watches may look at, in the order of its links."""
MOST_VIEWERS = 64
"""Streams that are served at once; a further phone is told so."""

_TRIES_OF_ONE, _TRIES_OF_ALL, _TRIES_MS = 5, 20, 60_000
_MOST_ADDRESSES = 1000


SEAT, MINE = "seat", ("mine-", "own-")
"""The page of a phone's own side, and what begins its channel once it holds one: in the open, or sealed."""


def phone_id(token: str) -> str:
    """Return what names a phone to the app: it cannot be shown as its cookie."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


class Held(NamedTuple):
    """A frame, and when it came by the gateway's own clock."""

    frame: Frame
    came_ms: int

    def box_ms(self, now_ms: int) -> int:
        """Return the app's instant that is shown now: what the frame says, and what has passed since it came."""
        return self.frame.at_ms + now_ms - self.came_ms


class Viewer:
    """One live page."""

    def __init__(self, channel: str, token: str) -> None:
        """Look at a channel with a cookie's token; an empty token may look any number of times."""
        self.channel, self.token = channel, token
        self.is_replaced = False
        self.wake = asyncio.Event()
        self.is_ended = False


class Tries:
    """Wrong codes within the last minute, by address and in all."""

    def __init__(self) -> None:
        """Nobody has tried yet."""
        self._at: deque[tuple[int, str]] = deque(maxlen=_MOST_ADDRESSES)

    def wait_ms(self, address: str, now_ms: int) -> int:
        """Return for how long nothing more is looked at from an address; 0: it may try."""
        while self._at and self._at[0][0] <= now_ms - _TRIES_MS:
            self._at.popleft()
        own = [at for at, one in self._at if one == address]
        waits = [0]
        if len(own) >= _TRIES_OF_ONE:
            waits.append(own[-_TRIES_OF_ONE] + _TRIES_MS - now_ms)
        if len(self._at) >= _TRIES_OF_ALL:
            waits.append(self._at[-_TRIES_OF_ALL][0] + _TRIES_MS - now_ms)
        return max(waits)

    def add(self, address: str, now_ms: int) -> None:
        """A code was wrong."""
        self._at.append((now_ms, address))


class Hub:
    """All that is known to the gateway."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        """Read instants from `now_ms`."""
        self.now_ms = now_ms
        self.evening: Evening | None = None
        self.is_joined = False
        """Whether the app is there."""
        self.frames: dict[str, Held] = {}
        self.way = Way()
        """What a phone reads that comes in."""
        self.viewers: list[Viewer] = []
        self.tries = Tries()
        self.seats: dict[str, str] = {}
        """The page of their side, by the id of the phones that hold one."""
        self._asked: dict[str, asyncio.Future[bool]] = {}
        self.on_wanted: Callable[[], None] = lambda: None
        self.on_joined: Callable[[], None] = lambda: None

    # From the app

    def begin(self, evening: Evening) -> None:
        """Take an evening; of another one than before nothing is kept."""
        if self.evening is not None and self.evening.id != evening.id:
            self.frames.clear()
            self.way = Way()
            self.tries = Tries()
            for viewer in tuple(self.viewers):
                self._end(viewer)
        self.evening, self.is_joined = evening, True
        self.frames = {
            channel: held._replace(frame=_older(held.frame)) for channel, held in self.frames.items()
        }
        self._wake()

    def seat(self, seats: dict[str, str]) -> None:
        """Take who holds a side; what they look at changes with it."""
        self.seats = dict(seats)
        for viewer in self.viewers:
            page, _dot, language = viewer.channel.partition(".")
            if page == SEAT or page.startswith(MINE):
                viewer.channel = self.channel(SEAT, language, viewer.token)
        self._wake()
        self.on_wanted()

    def channel(self, page: str, language: str, token: str) -> str:
        """Return what a phone looks at on a page: at its seat it is its own."""
        held = self.seats.get(phone_id(token), "") if page == SEAT and token else ""
        return f"{held or page}.{language}"

    def answered(self, token: str, *, is_taken: bool) -> None:
        """Take the app's answer to what a phone asked."""
        asked = self._asked.pop(token, None)
        if asked is not None and not asked.done():
            asked.set_result(is_taken)

    async def answer(self, token: str, within_s: float) -> bool | None:
        """Wait for the app's answer to a phone; None where none came in time, or the phone asked again."""
        before = self._asked.pop(token, None)
        if before is not None:
            before.cancel()
        asked = self._asked[token] = asyncio.get_running_loop().create_future()
        done, _late = await asyncio.wait((asked,), timeout=within_s)
        if self._asked.get(token) is asked:
            del self._asked[token]
        return asked.result() if done and not asked.cancelled() else None

    def lose(self) -> None:
        """The app is gone; what is shown stays, and says so."""
        self.is_joined = False
        self._wake()

    def heard(self) -> None:
        """The app has said something: it is there, also where it was silent for a while."""
        if self.evening is not None and not self.is_joined:
            self.is_joined = True
            self._wake()

    def close(self) -> None:
        """All ends: nobody looks anymore."""
        for viewer in tuple(self.viewers):
            self._end(viewer)

    def publish(self, frame: Frame) -> None:
        """Take the newest frame of a channel; an older one is dropped."""
        held = self.frames.get(frame.channel)
        if held is not None and held.frame.rev > frame.rev:
            return
        self.frames[frame.channel] = Held(frame, self.now_ms())
        self._wake(frame.channel)

    def _wake(self, channel: str = "") -> None:
        for viewer in self.viewers:
            if not channel or viewer.channel == channel:
                viewer.wake.set()

    # Viewers

    def look(self, channel: str, token: str) -> Viewer | None:
        """Let somebody look; the page that was open with the same cookie ends. None: too many look already."""
        if token:
            for other in tuple(self.viewers):
                if other.token == token:
                    other.is_replaced = True
                    self._end(other)
        if len(self.viewers) >= MOST_VIEWERS:
            return None
        viewer = Viewer(channel, token)
        self.viewers.append(viewer)
        self.on_wanted()
        return viewer

    def leave(self, viewer: Viewer) -> None:
        """Somebody looks no more."""
        if viewer in self.viewers:
            self.viewers.remove(viewer)
            self.on_wanted()

    def _end(self, viewer: Viewer) -> None:
        viewer.is_ended = True
        viewer.wake.set()
        self.leave(viewer)

    @property
    def channels(self) -> tuple[str, ...]:
        """What somebody looks at."""
        return tuple(sorted({viewer.channel for viewer in self.viewers}))

    # Who may look

    def is_code(self, typed: str) -> bool:
        """Say whether this is tonight's code, however it was typed."""
        if self.evening is None:
            return False
        wanted = self.evening.code
        given = "".join(sign for sign in typed.upper() if sign.isalnum())
        return _is_same(given, wanted)

    def is_tv(self, ticket: str) -> bool:
        """Say whether this opens the spectators' page."""
        return self.evening is not None and _is_same(ticket, self.evening.tv)

    def new_token(self) -> str:
        """Return the cookie of a phone that may watch this evening."""
        nonce = secrets.token_hex(16)
        return f"{nonce}.{self._signed(nonce)}"

    def is_token(self, token: str) -> bool:
        """Say whether a cookie was given out this evening."""
        nonce, _dot, signed = token.partition(".")
        return self.evening is not None and _is_same(signed, self._signed(nonce))

    def _signed(self, nonce: str) -> str:
        assert self.evening is not None, "a cookie belongs to an evening"
        told = f"watch {self.evening.id} {nonce}".encode(errors="replace")
        return hmac.new(bytes.fromhex(self.evening.key), told, hashlib.sha256).hexdigest()[:32]

    def language(self, accepted: str) -> str:
        """Return the first language that a browser accepts and the app speaks; else the box's own."""
        known = self.evening.languages if self.evening is not None else ("en",)
        for part in accepted.split(",")[:20]:
            code = part.partition(";")[0].strip().partition("-")[0].lower()
            if code in known:
                return code
        return known[0] if known else "en"


def _is_same(given: str, wanted: str) -> bool:
    return bool(wanted) and hmac.compare_digest(given.encode(errors="replace"), wanted.encode())


def _older(frame: Frame) -> Frame:
    """Return a frame that any other is newer than: an app that began again counts from the start."""
    return Frame(frame.channel, -1, frame.at_ms, frame.html)

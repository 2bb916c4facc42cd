"""Makes the pages that phones look at, each once for all who look, and holds back what spectators see later."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import companion
from companion.adapters.phone_own import OwnSeat
from companion.adapters.phone_seats import Seats
from companion.adapters.phone_way import way_in
from companion.core.state import GameState
from companion.gateway import wire
from companion.pages.html import page_html, without_digits
from companion.pages.html_known import Known, Names
from companion.pages.i18n import LANGUAGES, speaking
from companion.pages.page import Page, Sight, Viewer
from companion.pages.phone_pages import WATCHED, Look, Seating, mine_page, seat_page, unsealed_page
from companion.pages.speak import Voice
from companion.pages.viewing import sight_of
from companion.pages.watch import warning_at

if TYPE_CHECKING:
    from companion.adapters.phones import PhoneLink

__all__ = ["Frames"]

_ALIVE_S = 2.0
"""So often the gateway is told that the program lives."""
_BURST, _BURST_S = 3, 0.3
"""Pages are made at most ten times a second; a few changes that come together are shown at once all the same."""
_MOST_WANTED = 24
"""Channels that are made; there are as many pages times languages."""
_MOST_LATE = 5000
_TV = "tv"
_SETTINGS = ("hide_clock", "tenths", "phones_delay_s")
"""What changes the pages without a change of the game."""
_WATCHER = Viewer("watch", may_act=False)


def _drawn_symbols() -> frozenset[str]:
    """Return the names that the sprite has."""
    top = Path(companion.__file__).parent
    icons = (top / "gateway" / "static" / "icons.svg").read_text(encoding="utf-8").split('<symbol id="')[1:]
    units = (f"unit.{path.stem}" for path in (top / "ui" / "art" / "units").glob("*.svg"))
    return frozenset((*(one.partition('"')[0] for one in icons), *units))


class _Said(NamedTuple):
    """What a channel was sent."""

    after: object
    """What else it depends on."""
    html: str
    page: Page
    names: Names


class Frames:
    """The newest page of each channel that somebody looks at."""

    def __init__(
        self,
        link: PhoneLink,
        seats: Seats,
        own: Callable[[str], OwnSeat],
        put: Callable[[str, bytes], None],
    ) -> None:
        """Make nothing until something is wanted.

        Args:
            link: The desk and the wall time; takes faults.
            seats: Who sits where, with keys.
            own: Returns a side's own screen.
            put: Sends a channel's frame; of a channel only the newest counts.
        """
        self._link, self._seats, self._own, self._put = link, seats, own, put
        self._alive_at_s = 0.0
        self._desk: Any = link.desk
        self.is_dirty = True
        """Something has changed."""
        self._wanted: tuple[str, ...] = ()
        self._rev = 0
        self._made_at_s = deque([0.0] * _BURST, maxlen=_BURST)
        """When pages were made last, the eldest first."""
        self._due_at_s: float | None = None
        self._late: dict[str, deque[tuple[float, str]]] = {}
        self._shown: dict[str, str] = {}
        self._symbols = _drawn_symbols()
        self._seen: tuple[Any, ...] = ()
        self._said: dict[str, _Said] = {}
        """What a channel was sent last, see `_is_said`."""
        self._way: tuple[Any, tuple[str, ...]] | None = None
        self._known: dict[str, Known] = {}
        """What was written before, by language; of a seat's own pages by channel."""

    def want(self, channels: tuple[str, ...]) -> None:
        """Take which channels are looked at."""
        fresh = channels[:_MOST_WANTED]
        added = set(fresh) - set(self._wanted)
        if added:
            self.is_dirty = True
            self._made_at_s.extend([0.0] * _BURST)
        for channel in added:
            self._said.pop(channel, None)
        self._wanted = fresh

    def ask(self, channel: str) -> None:
        """Make a channel's page again."""
        self._said.pop(channel, None)
        self._make((channel,), is_asked=True)

    def lose(self) -> None:
        """Nobody looks anymore."""
        self._wanted = ()
        self._said.clear()
        self._way = None

    def wait_s(self) -> float:
        """Return in how many seconds something is due; at most half of one."""
        now, waits = time.monotonic(), [0.5]
        if self.is_dirty and self._wanted:
            waits.append(self._made_at_s[0] + _BURST_S - now)
        if self._due_at_s is not None:
            waits.append(self._due_at_s - now)
        waits += [queue[0][0] + self._delay_s() - now for queue in self._late.values() if queue]
        return max(0.0, min(waits))

    def _delay_s(self) -> float:
        return float(self._desk.settings().get("phones_delay_s") or 0)

    def make_due(self) -> None:
        """Make the pages that are looked at, where something has changed or a clock has reached a warning."""
        now = time.monotonic()
        if now - self._alive_at_s >= _ALIVE_S:
            self._alive_at_s = now
            self._put("alive", wire.packed(wire.Alive()))
        self._send_late(now)
        self._tell_way()
        settings = self._desk.settings()
        seen = (self._desk.change, *(settings.get(name) for name in _SETTINGS))
        if any(one is not other for one, other in zip(seen, self._seen or (None,) * len(seen), strict=True)):
            self._seen, self.is_dirty = seen, True
        is_due = self._due_at_s is not None and now >= self._due_at_s
        if not (self.is_dirty or is_due) or not self._wanted or now - self._made_at_s[0] < _BURST_S:
            return
        self.is_dirty, self._due_at_s = False, None
        self._made_at_s.append(now)
        change = self._desk.change
        if change is not None and change.state.setup is not None:
            _warning, wait_ms = warning_at(change.state, self._desk.now_ms())
            self._due_at_s = None if wait_ms is None else now + wait_ms / 1000 + 0.05
        self._make(self._wanted)

    def _tell_way(self) -> None:
        """Tell what a phone reads that comes in, where it is another than before."""
        change = self._desk.change
        setup = change.state.setup if change is not None else None
        shown = setup, tuple(one.seat for one in self._seats.held.values())
        if self._way is None or self._way[0] is not setup or self._way[1] != shown[1]:
            self._way = shown
            self._put("way", wire.packed(way_in(change, self._seats)))

    def _make(self, channels: tuple[str, ...], *, is_asked: bool = False) -> None:
        change, desk = self._desk.change, self._desk
        sight = Sight(_WATCHER, change, desk.rules, desk=desk, wall_ms=self._link.wall_ms())
        state = change.state if change is not None else None
        game = state.setup.game if state is not None and state.setup is not None else ""
        delay_s, now_ms = self._delay_s(), desk.now_ms()
        looks: dict[str, Look] = {}
        for channel in channels:
            key, _dot, code = channel.partition(".")
            where, _dash, seat = key.partition("-")
            if code not in LANGUAGES or not (key in WATCHED or key == "seat" or key in self._held_pages()):
                continue
            if key == _TV and delay_s and is_asked:
                self._repeat_late(channel, delay_s)
                continue
            try:
                with speaking(code) as spoken:
                    voice = Voice(spoken, game, state)
                    if where == "own":
                        html = self._sealed(channel, seat, sight, voice)
                    else:
                        look = looks.get(code)
                        if look is None:
                            look = looks[code] = Look(sight, now_ms, next(iter(looks.values()), None))
                        page = _page(key, seat, look, self._seats.seating)
                        if self._is_shown(channel, delay_s, page, state):
                            continue
                        known = self._known.setdefault(code, Known())
                        html = page_html(page, voice, now_ms=now_ms, symbols=self._symbols, known=known)
                        if self._is_said(channel, delay_s, html, page, state):
                            continue
            except Exception as fault:
                self._link.on_fault(fault)
                continue
            if not html:
                continue
            if key == _TV and delay_s:
                queue = self._late.setdefault(channel, deque(maxlen=_MOST_LATE))
                queue.append((time.monotonic(), html))
            else:
                self._send(channel, html, now_ms)

    def _held_pages(self) -> set[str]:
        return {self._seats.page_of(token) for token in self._seats.held}

    def _sealed(self, channel: str, seat: str, sight: Sight, voice: Voice) -> str:
        """Return a seat's own page, sealed for the phone that has its key; empty where the phone has it as it is."""
        token = next(token for token, one in self._seats.held.items() if one.seat == seat)
        line = self._seats.line(token)
        assert line is not None, "a page of one's own has a key"
        own = self._own(seat)
        seen = sight_of(self._desk, own.viewer, wall_ms=sight.wall_ms)
        page = own.page(seen, self._desk.now_ms())
        # Its clocks are counted there.
        known = self._known.setdefault(channel, Known())
        after = line.key, line.last, own.stamp
        if self._is_shown(channel, after, page, voice.state):
            return ""
        html = page_html(page, voice, symbols=self._symbols, hidden={"page": own.stamp}, known=known)
        if self._is_said(channel, after, html, page, voice.state):
            return ""
        hint = page_html(unsealed_page(seat), voice, known=known)
        return hint.replace("<main ", f'<main data-sealed="{line.seal(html)}" ', 1)

    def _is_shown(self, channel: str, after: object, page: Page, state: GameState | None) -> bool:
        """Say whether just this page was sent last, in the same words: it need not be written to know that."""
        said = self._said.get(channel)
        return said is not None and said.after == after and said.names.hold(state) and said.page == page

    def _is_said(  # what was sent, and what it was written from
        self, channel: str, after: object, html: str, page: Page, state: GameState | None
    ) -> bool:
        """Say whether just this was sent last; if not, it is now.

        Nobody is sent a frame that says nothing new: it would tell that somebody else has done something. Digits of a clock
        are no news, since they are counted on from its anchor.
        """
        before, said = self._said.get(channel), _Said(after, without_digits(html), page, Names(state))
        self._said[channel] = said
        return before is not None and (before.after, before.html) == (said.after, said.html)

    def _send_late(self, now: float) -> None:
        """Send what spectators may see by now."""
        delay_s = self._delay_s()
        for channel, queue in self._late.items():
            newest = None
            while queue and queue[0][0] + delay_s <= now:
                newest = queue.popleft()[1]
            if newest is not None:
                self._shown[channel] = newest
                self._send(channel, newest, self._desk.now_ms() - int(delay_s * 1000))

    def _repeat_late(self, channel: str, delay_s: float) -> None:
        if channel in self._shown:
            self._send(channel, self._shown[channel], self._desk.now_ms() - int(delay_s * 1000))
        elif channel not in self._late:
            self._make_first_late(channel)

    def _make_first_late(self, channel: str) -> None:
        self._late[channel] = deque(maxlen=_MOST_LATE)
        self._make((channel,))

    def _send(self, channel: str, html: str, at_ms: int) -> None:
        self._rev += 1
        try:
            frame = wire.packed(wire.Frame(channel, self._rev, at_ms, html))
        except wire.WireError as fault:
            self._link.on_fault(fault)
            return
        self._put(channel, frame)


def _page(key: str, seat: str, look: Look, seating: Seating) -> Page:
    """Return what a channel shows."""
    if seat:
        return mine_page(seat, look.sight, look.now_ms)
    return seat_page(look.sight, seating) if key == "seat" else look.page(key)

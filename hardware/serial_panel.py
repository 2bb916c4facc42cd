"""The panel as a microcontroller box on USB: finds it, talks to it, and never minds when it goes away.

One thread owns the port. Raw edges are judged in the box's own time by the same filter as on GPIO pins, so a
late line costs nobody anything; only then is the press's time turned into ours.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict

from companion.core.text import Say, Typed
from hardware import edges, frames
from hardware.base import PanelBase
from hardware.errors import DeviceLostError
from hardware.link import BoxLink, LinkDamage, LinkDown, LinkEdge, LinkEvent, LinkMark, LinkNote, LinkUp
from hardware.ports import (
    Button,
    Display,
    Lamp,
    Listener,
    NoticeKind,
    PanelEvent,
    PanelNotice,
    PanelState,
    PanelStatus,
    Part,
    PressEdge,
    part_of,
)
from hardware.transport import SerialTransport, Transport, find_boxes
from hardware.words import PART_TITLES

__all__ = ["PART_ORDER", "SerialPanel", "open_serial_panel"]

PART_ORDER = tuple(Part)
"""Bit order of the parts in a box's hello."""
BUTTON_ORDER = tuple(Button)
LAMP_ORDER = tuple(Lamp)
DISPLAY_ORDER = tuple(Display)

_MS = 1_000_000
LATE_MS = 2_000
"""A press that is older than this when it arrives is not used."""
ANSWER_MS = 2_500
"""A port that does not answer a hello within this is given up for the next candidate."""
SEARCH_FAST_MS, SEARCH_SLOW_MS, SEARCH_FAST_FOR_MS = 250, 2_000, 10_000
"""Looking for a box: quickly at first and after a loss, then calmly."""
OTHERS_EVERY_MS = 10_000
NOISE_LINES, NOISE_WITHIN_MS, NOISE_AGAIN_MS = 10, 10_000, 60_000


class SerialPanel(PanelBase):
    """Buttons, lamps, displays, buzzer and tray light of a box on a serial port."""

    def __init__(
        self,
        *,
        candidates: Callable[[], Sequence[str]] = find_boxes,
        open_transport: Callable[[str], Transport] = SerialTransport,
        settings: edges.FilterSettings | None = None,
        now_ns: Callable[[], int] = time.monotonic_ns,
        host: int | None = None,
        answer_ms: int = ANSWER_MS,
    ) -> None:
        """Prepare a panel; nothing is opened before ``start()``.

        Args:
            candidates: Gives the paths to try, best first; asked again and again.
            open_transport: Opens one of them; raises DeviceLostError.
            settings: Times of the edge filter.
            now_ns: The monotonic clock.
            host: Number of this host in the protocol, drawn by chance where None.
            answer_ms: How long a port may take to answer the first hello.
        """
        super().__init__(now_ns)
        self._candidates = candidates
        self._open = open_transport
        self._settings = settings or edges.FilterSettings()
        self._answer_ms = answer_ms
        self._link = BoxLink(host or 1 + secrets.randbelow(0xFFFFFFFF))
        self._filter: edges.FilterState | None = None
        self._thread: threading.Thread | None = None
        self._transport: Transport | None = None
        self._path = ""
        self._box = ""
        self._guest = ""
        self._parts: frozenset[Part] = frozenset()
        self._dirty: set[Lamp | Display | Part] = set()
        self._last_press_ns = 0
        self._pressed_ns: dict[Button, int] = {}
        self._dropped: set[Button] = set()
        self._told: set[tuple[NoticeKind, Say]] = set()
        self._damage_ns: list[int] = []
        self._noise_ns: int | None = None
        self._others_ns = 0
        self._turn = 0

    def __repr__(self) -> str:
        return f"SerialPanel(path={self._path!r}, box={self._box!r}, is_up={self._link.is_up})"

    def start(self, listener: Listener) -> None:
        """Begin to look for a box and to report."""
        self.begin(listener)
        self._thread = threading.Thread(target=self._run, name="panel-serial", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Tell the box to go dark and let go of the port; calling it again is safe."""
        if not self.end():
            return
        transport = self._transport
        if transport is not None:
            transport.wake()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def output_changed(self, what: Lamp | Display | Part) -> None:
        """Note what has to be sent and end the thread's wait."""
        self._dirty.add(what)
        if self._transport is not None:
            self._transport.wake()

    def status(self) -> PanelStatus:
        """Say how the box is."""
        with self.changed:
            up, path, box = self._link.is_up, self._path, self._box
            down = edges.down(self._filter) if self._filter and up else frozenset()
            counters = dict(self.counters())
            if self._filter:
                counters |= asdict(self._filter.counts)
            counters |= {"resent": self._link.resent, "repeated": self._link.repeated}
            error_ns = self._link.clock.uncertainty_ns(self.now_ns())
            if error_ns is not None:
                counters["clock_uncertainty_us"] = error_ns // 1000
        told = tuple(sorted(counters.items()))
        if not self.is_open:
            return PanelStatus("serial", PanelState.CLOSED, Say("The serial panel is not open."))
        if up:
            line = Say("The button box {box} on {path} works.", box=Typed(box), path=Typed(path))
            return PanelStatus("serial", PanelState.WORKING, line, self._parts, down, told, guest=self._guest)
        if box:
            line = Say("The button box {box} does not respond; plug it in again.", box=Typed(box))
            return PanelStatus("serial", PanelState.LOST, line, frozenset(), down, told)
        return PanelStatus(
            "serial", PanelState.WAITING, Say("No button box is plugged in."), frozenset(), down, told
        )

    # -- the panel's thread -------------------------------------------------------------------------------

    def _run(self) -> None:
        fast_until_ns = self.now_ns() + SEARCH_FAST_FOR_MS * _MS
        while not self._closed:
            try:
                answered = self._try_next_path()
            except Exception as error:  # a bug here must not silence the box
                self.stumbled(error)
                answered = False
            if answered:
                fast_until_ns = self.now_ns() + SEARCH_FAST_FOR_MS * _MS
            with self.changed:
                if not self._closed:
                    fast = self.now_ns() < fast_until_ns
                    self.changed.wait((SEARCH_FAST_MS if fast else SEARCH_SLOW_MS) / 1000)

    def _try_next_path(self) -> bool:
        """Open the next port and talk to what is there until it is gone; True where a box answered."""
        path = self._next_path()
        if path is None:
            return False
        try:
            transport = self._open(path)
        except DeviceLostError as error:
            self.count("open_failures")
            if error.is_denied:
                detail = Say("This user may not open {path} (add it to the group dialout).", path=Typed(path))
                self._tell_once(NoticeKind.ABSENT, detail)
            return False
        return self._serve(path, transport)

    def _next_path(self) -> str | None:
        paths = list(self._candidates())
        if not paths:
            return None
        self._turn += 1
        if self._path in paths and self._box:
            # The box that was here comes first, every other time: another may have taken its place.
            if self._turn % 2:
                return self._path
            paths.remove(self._path)
            paths = paths or [self._path]
        return paths[(self._turn // 2 if self._box else self._turn - 1) % len(paths)]

    def _serve(self, path: str, transport: Transport) -> bool:
        """Talk on one port until it is lost or closed; True where a box answered on it."""
        with self.changed:
            self._transport = transport
        opened_ns = self.now_ns()
        answered = False
        try:
            self._link.opened(opened_ns)
            while not self._closed:
                self._flush(transport)
                now = self.now_ns()
                wait_ns = min(self._link.next_due_ns() - now, 1_000 * _MS)
                data = transport.read(max(wait_ns, 0) / 1e9)
                now = self.now_ns()
                was_up = self._link.is_up
                for event in self._link.receive(data, now) + self._link.tick(now):
                    if isinstance(event, LinkDown):
                        self._went_down(event, path, was_up)
                    else:
                        self._handle(event, path, now)
                answered = answered or self._link.is_up
                if not self._link.is_up and now - opened_ns > self._answer_ms * _MS and not answered:
                    return False
                if self._link.is_up:
                    self._look_for_others(now)
            self._link.opened(self.now_ns())  # drops what is queued; only the farewell goes out
            self._link.take_output()
            transport.write(frames.encode(frames.Frame(None, "X")))
        except DeviceLostError:
            was_up, self._link.is_up = self._link.is_up, False  # whoever hears of it finds it gone
            if was_up:
                self._went_down(LinkDown("silence"), path, True)
        finally:
            self._link.is_up = False
            with self.changed:
                self._transport = None
            transport.close()
        return answered

    def _flush(self, transport: Transport) -> None:
        """Hand changed outputs to the link and its bytes to the port."""
        with self.changed:
            dirty, self._dirty = self._dirty, set()
        if self._link.is_up:
            now = self.now_ns()
            for what in sorted(dirty, key=str):
                self._send(what, now)
        data = self._link.take_output()
        if data:
            transport.write(data)

    def _send(self, what: Lamp | Display | Part, now_ns: int) -> None:
        with self.changed:
            wanted = self.wanted
            if isinstance(what, Lamp):
                pattern = wanted.lamps[what][0]
                kind, fields = "L", frames.lamp_fields(LAMP_ORDER.index(what), pattern)
            elif isinstance(what, Display):
                text = frames.text_field(wanted.displays[what])
                kind, fields = "D", (str(DISPLAY_ORDER.index(what)), text)
            elif what is Part.TRAY_LIGHT:
                kind, fields = "T", (str(round(wanted.tray_level * 255)),)
            elif wanted.buzzer is not None:
                kind, fields = "B", frames.tone_fields(wanted.buzzer[0])
            else:
                return
        self._link.command(str(what), kind, fields, now_ns)

    def _handle(self, event: LinkEvent, path: str, now_ns: int) -> None:
        match event:
            case LinkUp():
                self._came_up(event, path)
            case LinkEdge() if self._filter is not None and event.button < len(BUTTON_ORDER):
                raw = edges.RawEdge(BUTTON_ORDER[event.button], event.closed, event.box_ns)
                self._take(edges.feed(self._filter, raw), now_ns)
            case LinkMark() if self._filter is not None:
                self._mark(event, now_ns)
            case LinkDamage():
                self.count(f"bad_{event.code}")
                self._noise(now_ns)
            case LinkNote():
                self.count(f"box_{event.code}"[:40])

    def _came_up(self, event: LinkUp, path: str) -> None:
        hello = event.hello
        parts = frozenset(part for bit, part in enumerate(PART_ORDER) if hello.parts & (1 << bit))
        levels = {
            button: bool(hello.levels & (1 << bit))
            for bit, button in enumerate(BUTTON_ORDER)
            if part_of(button) in parts
        }
        before, known = self._filter, self._box
        with self.changed:
            self._guest = f"{hello.box} {hello.boot:08X}"  # before any edge is told as this box's
        if event.same_boot and before is not None:
            for button, closed in levels.items():
                self._take(edges.resync(self._state, button, closed, hello.us * 1000), self.now_ns())
        else:
            told = edges.told_down(before) if before else frozenset()
            for button in sorted(told, key=str):
                if not levels.get(button):
                    self.deliver(PressEdge(button, False, self.now_ns()))
            with self.changed:
                self._filter = edges.start_filter(levels, hello.us * 1000, self._settings, told)
        with self.changed:
            self._path, self._box, self._parts = path, hello.box, parts
            self._dirty = {*self.wanted.lamps, *self.wanted.displays, Part.TRAY_LIGHT}
        self._others_ns = self.now_ns()
        if not known:
            self.notice(
                NoticeKind.CONNECTED,
                Say("The button box {box} on {path} is connected.", box=Typed(hello.box), path=Typed(path)),
            )
        elif known == hello.box:
            self.notice(NoticeKind.REGAINED, Say("The button box {box} works again.", box=Typed(hello.box)))
        else:
            self.notice(
                NoticeKind.OTHER_BOX,
                Say(
                    "Another button box, {box}, has replaced {old}; it is used now.",
                    box=Typed(hello.box),
                    old=Typed(known),
                ),
            )

    def _went_down(self, event: LinkDown, path: str, was_up: bool) -> None:
        if event.reason == "version" and event.detail is not None:
            detail = Say(
                "The button box on {path} cannot be used: {why}.", path=Typed(path), why=event.detail
            )
            self._tell_once(NoticeKind.WRONG_VERSION, detail)
        elif was_up:
            if event.reason == "restarted":
                detail = Say("The button box {box} restarted; the game goes on.", box=Typed(self._box))
            else:
                detail = Say("The button box {box} does not respond; the game goes on.", box=Typed(self._box))
            self.notice(NoticeKind.LOST, detail)

    @property
    def _state(self) -> edges.FilterState:
        assert self._filter is not None
        return self._filter

    def _mark(self, mark: LinkMark, now_ns: int) -> None:
        for button, closed in edges.raw_levels(self._state).items():
            is_closed = bool(mark.levels & (1 << BUTTON_ORDER.index(button)))
            if is_closed != closed:
                self._take(edges.feed(self._state, edges.RawEdge(button, is_closed, mark.box_ns)), now_ns)
                detail = Say(
                    "{part} changed without a signal; its time may be late.",
                    part=PART_TITLES[part_of(button)],
                )
                self.notice(NoticeKind.EDGES_MISSED, detail, part_of(button))
        self._take(edges.advance(self._state, mark.box_ns), now_ns)

    def _take(self, step: tuple[edges.FilterState, tuple[PanelEvent, ...]], now_ns: int) -> None:
        """Keep the filter's new state and deliver what it said, in our time."""
        with self.changed:
            self._filter = step[0]
        for event in step[1]:
            if isinstance(event, PanelNotice):
                self.deliver(PanelNotice(event.kind, event.detail, now_ns, event.part))
                continue
            at_ns = self._link.clock.to_ours_ns(event.at_ns, now_ns)
            if event.pressed and now_ns - at_ns > LATE_MS * _MS:
                self._dropped.add(event.button)
                detail = Say(
                    "{part} was pressed, but the signal arrived {seconds} s late and was ignored.",
                    part=PART_TITLES[part_of(event.button)],
                    seconds=round((now_ns - at_ns) / 1e9, 1),
                )
                self.notice(NoticeKind.LATE_DROPPED, detail, part_of(event.button))
            elif event.button in self._dropped:
                self._dropped.discard(event.button)
            elif event.pressed:
                self._last_press_ns = self._pressed_ns[event.button] = max(self._last_press_ns, at_ns)
                self.deliver(PressEdge(event.button, True, self._last_press_ns))
            else:
                # Told later than a press that came after it, a release must not push that press's time back.
                at_ns = max(self._pressed_ns.get(event.button, 0), at_ns)
                self.deliver(PressEdge(event.button, False, at_ns))

    def _tell_once(self, kind: NoticeKind, detail: Say) -> None:
        if (kind, detail) not in self._told:
            self._told.add((kind, detail))
            self.notice(kind, detail)

    def _noise(self, now_ns: int) -> None:
        self._damage_ns = [at for at in self._damage_ns if now_ns - at < NOISE_WITHIN_MS * _MS] + [now_ns]
        if len(self._damage_ns) < NOISE_LINES:
            return
        self._damage_ns.clear()
        if self._noise_ns is None or now_ns - self._noise_ns > NOISE_AGAIN_MS * _MS:
            self._noise_ns = now_ns
            detail = Say(
                "The button box's cable delivers damaged data, which is requested again; try another cable."
            )
            self.notice(NoticeKind.NOISE, detail)

    def _look_for_others(self, now_ns: int) -> None:
        if now_ns < self._others_ns:
            return
        self._others_ns = now_ns + OTHERS_EVERY_MS * _MS
        for path in self._candidates():
            if path != self._path:
                detail = Say(
                    "A second button box on {path} is not used; {box} is the panel.",
                    path=Typed(path),
                    box=Typed(self._box),
                )
                self._tell_once(NoticeKind.SECOND_BOX, detail)


def open_serial_panel(port: str, settings: edges.FilterSettings | None = None) -> SerialPanel:
    """Make the serial panel for a pin map's port: ``auto`` or a path. Nothing is opened yet."""
    if port == "auto":
        return SerialPanel(settings=settings)
    return SerialPanel(candidates=lambda: (port,), settings=settings)

"""The panel on the Pi's own pins, through gpiozero.

Raw edges come from ``pin.when_changed`` with the kernel's monotonic time (gpiozero's ``bounce_time`` delays
and loses presses, so it stays off). One thread judges edges, runs lamp patterns, plays tones, looks after the
pins and talks to the listener; callers never wait for a device. A callback that raises would end the pin
library's thread for every pin, so each is wrapped; a line whose level moved without an edge is noticed anyway.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from companion.core.text import Say, Typed, several
from hardware import edges
from hardware.base import PanelBase
from hardware.null import NullPanel
from hardware.patterns import cells, level_at, next_change_ms, tone_at
from hardware.pinfactory import make_pin_factory, short_reason, why_no_pins
from hardware.pinmap import PinMap
from hardware.pins import ButtonDevice, BuzzerDevice, DigitsDevice, LampDevice, PinDevice, TrayDevice
from hardware.ports import (
    Button,
    Display,
    DisplayText,
    Lamp,
    Listener,
    NoticeKind,
    Panel,
    PanelState,
    PanelStatus,
    Part,
    part_of,
)
from hardware.words import PART_TITLES, titles

__all__ = ["GpioPanel", "open_gpio_panel"]

_MS = 1_000_000
LOOK_EVERY_MS = 500
"""How often levels are read to find edges that never came, and parts that went away."""
RETRY_EVERY_MS = 2_000
"""How often a lost part is tried again."""
MISSED_LOOKS = 2
"""Looks in a row that must disagree with the last edge before it counts as missed."""
LATE_LOOK_MS = 100
"""A look that comes so late tells that the machine stood still: its edges may still be on their way, and the row begins anew."""
CONFIRM_AGAIN_MS = 5
"""Wait before a press is judged again whose pin already reads otherwise: its edge is still on the way."""


class GpioPanel(PanelBase):
    """Buttons, lamps, buzzer, tray light and digits on GPIO pins."""

    def __init__(
        self,
        pinmap: PinMap,
        factory: Any,
        now_ns: Callable[[], int] = time.monotonic_ns,
        look_every_ms: int = LOOK_EVERY_MS,
        retry_every_ms: int = RETRY_EVERY_MS,
    ) -> None:
        """Prepare a panel on a gpiozero pin factory; nothing is opened before ``start()``."""
        super().__init__(now_ns)
        self._pinmap = pinmap
        self._factory = factory
        self._look_ns = look_every_ms * _MS
        self._retry_ns = retry_every_ms * _MS
        self._raw: deque[edges.RawEdge] = deque()
        self._filter: edges.FilterState | None = None
        self._devices: dict[Part, PinDevice] = {}
        for button, button_pin in pinmap.buttons.items():
            device = ButtonDevice(button, button_pin, factory, self._edge_seen)
            self._devices[part_of(button)] = device
        for lamp, lamp_pin in pinmap.lamps.items():
            self._devices[part_of(lamp)] = LampDevice(part_of(lamp), lamp_pin, factory)
        if pinmap.buzzer:
            self._devices[Part.BUZZER] = BuzzerDevice(pinmap.buzzer, factory)
        if pinmap.tray_light:
            self._devices[Part.TRAY_LIGHT] = TrayDevice(pinmap.tray_light, factory)
        if pinmap.displays:
            self._devices[Part.DISPLAY_LEFT] = DigitsDevice(pinmap.displays, factory)
        self._lost: set[Part] = set()
        self._wrong_looks: dict[Button, int] = {}
        self._thread: threading.Thread | None = None
        self._next_look_ns = 0
        self._next_retry_ns = 0
        self._recheck_ns: int | None = None
        self._dirty = False

    def __repr__(self) -> str:
        return f"GpioPanel(pinmap={self._pinmap.source!r}, factory={type(self._factory).__name__})"

    def start(self, listener: Listener) -> None:
        """Open the pins and begin to report; a pin that cannot be opened is a notice and tried again."""
        self.begin(listener)
        failures: list[tuple[Part, Exception]] = []
        for part, device in self._devices.items():
            try:
                device.open()
            except Exception as error:
                self._lost.add(part)
                failures.append((part, error))
        now = self.now_ns()
        self._filter = edges.start_filter(self._read_levels(), now, self._pinmap.filter)
        self._next_look_ns = now + self._look_ns
        self._next_retry_ns = now + self._retry_ns
        for part, why in failures:
            gpios = several(self._devices[part].gpios, "comma")
            self.notice(
                NoticeKind.ABSENT,
                Say(
                    "{part} on GPIO {gpios} cannot be used ({reason}); trying again.",
                    part=PART_TITLES[part],
                    gpios=gpios,
                    reason=Typed(short_reason(why)),
                ),
                part,
            )
        self._thread = threading.Thread(target=self._run, name="panel-gpio", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Turn everything off and release the pins; calling it again is safe."""
        if not self.end():
            return
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)
        for device in self._devices.values():
            with contextlib.suppress(Exception):
                device.close()

    def status(self) -> PanelStatus:
        """Say how the panel is."""
        with self.changed:
            parts = self._working_parts()
            down = edges.down(self._filter) if self._filter else frozenset()
            counters = dict(self.counters()) | (asdict(self._filter.counts) if self._filter else {})
        if not self.is_open:
            state, line = PanelState.CLOSED, Say("The panel on the GPIO pins is not open.")
        elif self._all_lost():
            state, line = PanelState.LOST, Say("The GPIO pins do not respond; trying again every 2 s.")
        elif self._lost:
            gone = tuple(self._lost)
            state, line = (
                PanelState.WORKING,
                Say("The panel on the GPIO pins works, except: {parts}.", parts=titles(gone)),
            )
        else:
            state, line = PanelState.WORKING, Say("The panel on the GPIO pins works.")
        told = tuple(sorted(counters.items()))
        return PanelStatus("gpio", state, line, parts, down, told, missing=self._pinmap.parts - parts)

    def _all_lost(self) -> bool:
        """True where nothing answers of what could."""
        answering = {part for part, device in self._devices.items() if device.can_answer}
        return bool(answering) and answering <= self._lost

    def _working_parts(self) -> frozenset[Part]:
        parts = self._pinmap.parts - self._lost
        if Part.DISPLAY_LEFT in self._lost:
            parts -= {Part.DISPLAY_RIGHT}
        return parts

    # -- the pin library's thread -------------------------------------------------------------------------

    def _edge_seen(self, button: Button, closed: bool, ticks: float | None) -> None:
        """Queue one raw edge. Runs in the pin library's thread: as little as possible, and it never raises."""
        now = self.now_ns()
        at_ns = now if ticks is None else round(ticks * 1_000_000_000)
        if not now - 5_000 * _MS <= at_ns <= now + 50 * _MS:
            at_ns = now  # a pin factory whose time is not the monotonic clock
        with self.changed:
            self._raw.append(edges.RawEdge(button, closed, min(at_ns, now)))
            self.changed.notify_all()

    # -- the panel's thread -------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self.changed:
                if self._closed:
                    return
                raw = list(self._raw)
                self._raw.clear()
            try:
                due_ns = self._work(raw)
            except Exception as error:  # a bug here must not silence the box
                self.stumbled(error)
                due_ns = self.now_ns() + self._look_ns
            with self.changed:
                if not self._raw and not self._closed:
                    wait_s = (due_ns - self.now_ns()) / 1e9
                    if wait_s > 0 and not self._dirty:
                        self.changed.wait(wait_s)

    def output_changed(self, _what: Lamp | Display | Part) -> None:
        """Wake the thread, also where it is just about to wait."""
        self._dirty = True
        self.changed.notify_all()

    def _work(self, raw: list[edges.RawEdge]) -> int:
        """Do what is due and say when something will be due again."""
        self._judge(raw)
        with self.changed:
            self._dirty = False
        due_ns = self._show()
        now = self.now_ns()
        if now >= self._next_look_ns:
            if now - self._next_look_ns >= LATE_LOOK_MS * _MS:
                self._wrong_looks.clear()
            self._next_look_ns = now + self._look_ns
            self._look()
        if self._lost and now >= self._next_retry_ns:
            self._next_retry_ns = now + self._retry_ns
            self._retry()
        times = [due_ns, self._next_look_ns, self._recheck_ns, edges.next_due_ns(self._state)]
        if self._lost:
            times.append(self._next_retry_ns)
        if self._recheck_ns is not None:
            times[3] = None
        return min(time_ns for time_ns in times if time_ns is not None)

    @property
    def _state(self) -> edges.FilterState:
        assert self._filter is not None
        return self._filter

    def _judge(self, raw: list[edges.RawEdge]) -> None:
        """Feed edges to the filter, then let time pass where no edge can still be on its way."""
        for edge in raw:
            self._wrong_looks[edge.button] = 0  # its line tells: what a look found was on its way
            self._take(edges.feed(self._state, edge))
        now = self.now_ns()
        due_ns = edges.next_due_ns(self._state)
        if self._recheck_ns is not None and now < self._recheck_ns:
            return
        self._recheck_ns = None
        if due_ns is None or due_ns > now:
            return
        if self._read_levels() != {
            button: closed
            for button, closed in edges.raw_levels(self._state).items()
            if part_of(button) not in self._lost
        }:
            self._recheck_ns = now + CONFIRM_AGAIN_MS * _MS
            return
        with self.changed:
            if self._raw:
                return
        self._take(edges.advance(self._state, now))

    def _take(self, step: tuple[edges.FilterState, tuple[Any, ...]]) -> None:
        with self.changed:
            self._filter = step[0]
        for event in step[1]:
            self.deliver(event)

    def _read_levels(self) -> dict[Button, bool]:
        """Read every button that works; one that cannot be read is lost."""
        levels = {}
        for part, device in self._devices.items():
            if isinstance(device, ButtonDevice) and part not in self._lost:
                try:
                    levels[device.button] = device.is_closed()
                except Exception as error:
                    self._lose(part, error)
        if self._filter is None:  # at the start a button that cannot be read is taken to be up
            return dict.fromkeys(self._pinmap.buttons, False) | levels
        return levels

    def _look(self) -> None:
        """Compare levels with the last edges, and see whether outputs still answer."""
        known = edges.raw_levels(self._state)
        for button, closed in self._read_levels().items():
            with self.changed:
                waiting = bool(self._raw)
            if closed == known[button] or waiting:
                self._wrong_looks[button] = 0
                continue
            self._wrong_looks[button] = self._wrong_looks.get(button, 0) + 1
            if self._wrong_looks[button] >= MISSED_LOOKS:
                self._wrong_looks[button] = 0
                self._recheck_ns = None
                with contextlib.suppress(Exception):
                    self._devices[part_of(button)].renew()
                self._take(edges.feed(self._state, edges.RawEdge(button, closed, self.now_ns())))
                detail = Say(
                    "{part} changed without a signal; check its wire.", part=PART_TITLES[part_of(button)]
                )
                self.notice(NoticeKind.EDGES_MISSED, detail, part_of(button))
        for part, device in self._devices.items():
            if part not in self._lost:
                try:
                    device.check()
                except Exception as error:
                    self._lose(part, error)

    def _lose(self, part: Part, error: Exception) -> None:
        """Note a part as lost; look at all others at once, so that a dead chip is one notice and not ten."""
        gone = {part: error} if part not in self._lost else {}
        for other, device in self._devices.items():
            if other not in self._lost and other not in gone:
                try:
                    device.check()
                except Exception as too:
                    gone[other] = too
        with self.changed:
            self._lost |= set(gone)
        for lost in gone:
            with contextlib.suppress(Exception):
                self._devices[lost].close()
        if len(gone) > 1 and self._all_lost():
            self.notice(
                NoticeKind.LOST,
                Say(
                    "The GPIO pins do not respond ({reason}); the game goes on.",
                    reason=Typed(short_reason(error)),
                ),
            )
            return
        for lost, why in gone.items():
            line = Say(
                "{part} does not respond ({reason}); the game goes on.",
                part=PART_TITLES[lost],
                reason=Typed(short_reason(why)),
            )
            self.notice(NoticeKind.LOST, line, lost)

    def _retry(self) -> None:
        """Try every lost part again."""
        back: list[Part] = []
        all_were_lost = self._all_lost()
        for part in sorted(self._lost, key=lambda one: one.value):
            device = self._devices[part]
            try:
                device.open()
                if isinstance(device, ButtonDevice):
                    level = device.is_closed()
                    self._take(edges.resync(self._state, device.button, level, self.now_ns()))
            except Exception:
                with contextlib.suppress(Exception):
                    device.close()
            else:
                back.append(part)
        with self.changed:
            self._lost -= set(back)
            self._dirty = self._dirty or bool(back)
        if len(back) > 1 and all_were_lost and not self._lost:
            self.notice(NoticeKind.REGAINED, Say("The GPIO pins work again."))
            return
        for part in back:
            self.notice(NoticeKind.REGAINED, Say("{part} works again.", part=PART_TITLES[part]), part)

    # -- outputs ------------------------------------------------------------------------------------------

    def _show(self) -> int | None:
        """Bring every output to what is wanted now; say when the next pattern step is due."""
        with self.changed:
            lamps = dict(self.wanted.lamps)
            texts = dict(self.wanted.displays)
            tray = self.wanted.tray_level
            buzzer = self.wanted.buzzer
        now = self.now_ns()
        due: list[int] = []
        for lamp, (pattern, since_ns) in lamps.items():
            elapsed_ms = (now - since_ns) // _MS
            self._put(part_of(lamp), level_at(pattern, elapsed_ms))
            left_ms = next_change_ms(pattern, elapsed_ms)
            if left_ms is not None and part_of(lamp) in self._devices:
                due.append(since_ns + (elapsed_ms + left_ms) * _MS)
        self._put(Part.TRAY_LIGHT, tray)
        if buzzer is not None:
            elapsed_ms = (now - buzzer[1]) // _MS
            hz, left_ms = tone_at(buzzer[0], elapsed_ms)
            self._put(Part.BUZZER, hz)
            if left_ms is not None:
                due.append(buzzer[1] + (elapsed_ms + left_ms) * _MS)
        if self._pinmap.displays and texts:
            digits = self._pinmap.displays.digits_per_side
            row = [cells(texts.get(display, DisplayText()), digits) for display in Display]
            self._put(Part.DISPLAY_LEFT, row[0] + row[1])
        return min(due) if due else None

    def _put(self, part: Part, value: Any) -> None:
        device = self._devices.get(part)
        if device is None or part in self._lost:
            return
        try:
            device.put(value)
        except Exception as error:
            self._lose(part, error)


def open_gpio_panel(pinmap: PinMap, factory: Any = None) -> Panel:
    """Make the panel on this machine's pins, or a `NullPanel` with one line that says why there is none.

    Args:
        pinmap: The wiring.
        factory: A gpiozero pin factory; by default the machine's own (see ``make_pin_factory``).
    """
    if factory is None:
        try:
            factory = make_pin_factory()
        except Exception as error:
            return NullPanel(why_no_pins(error))
    return GpioPanel(pinmap, factory)

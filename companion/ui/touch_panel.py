"""The touch panel on the box itself, read by Kivy's mtdev provider: its touches are stamped by the kernel, turned, and none is lost.

Kivy reads a panel in a thread, which cannot read while a frame is being drawn: two touches then come at once, and late.
The kernel has noted when each came, on the monotonic clock if it is asked for that.
"""

from __future__ import annotations

import array
import fcntl
import os
import struct
import sys
import threading
from collections import deque
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from companion.pages.corners import STRAIGHT, TURNS, turned
from companion.ui.inputs import monotonic_ns

__all__ = ["TouchTurn", "look_for_panels", "new_panels", "stamp_mtdev_touches"]

_SET_CLOCK = 0x400445A0
"""EVIOCSCLOCKID of linux/input.h: by which clock the kernel stamps this reader's events."""
_MONOTONIC = 1
_VERSION = 0x80044501
"""EVIOCGVERSION of linux/input.h: asked of a device that was pulled, it is an error."""
_ABS, _SLOT, _X, _Y, _FINGER = 3, 0x2F, 0x35, 0x36, 0x39
_POINTER, _DIRECT = 1, 2
"""Properties of an input device (linux/input-event-codes.h): it moves a pointer; what it feels is on the screen."""
_MOST_SLOTS = 64
"""Fingers whose last places are asked for; no panel feels more, and one that claims a thousand million gets no memory."""
_SYSFS = Path("/sys/class/input")
LOOK_S = 2
"""How often a panel is looked for that was plugged in, or switched on, after the program."""


def _held_values(count: int) -> int:
    """Return EVIOCGMTSLOTS of linux/input.h: read what the kernel holds of one axis, for so many slots."""
    return 2 << 30 | 4 * (1 + count) << 16 | ord("E") << 8 | 0x0A


class TouchTurn:
    """How the touch panel's coordinates are turned before the window sees them; may change at any time."""

    def __init__(self, turn: object = STRAIGHT) -> None:
        """Take a stored turn; what is none turns nothing."""
        self.turn = turn if isinstance(turn, str) and turn in TURNS else STRAIGHT

    def apply(self, args: dict[str, float]) -> dict[str, float]:
        """Return a touch's raw values with the position turned."""
        if self.turn == STRAIGHT or "x" not in args or "y" not in args:
            return args
        x, y = turned(self.turn, args["x"], args["y"])
        return {**args, "x": x, "y": y}


def keep_time(file: int) -> bool:
    """Have the kernel stamp the events of an open input device by the monotonic clock; False where it does not."""
    try:
        fcntl.ioctl(file, _SET_CLOCK, struct.pack("i", _MONOTONIC))
    except OSError:
        return False
    return True


def held_places(file: int, slots: int) -> Iterator[tuple[int, int]]:
    """Tell code and value of the events that say where each slot's last finger was.

    A panel reports only what changed: a first touch in the row or the column of the last one before the program started would
    come without that half of its place.
    """
    slots = min(slots, _MOST_SLOTS)
    for slot in range(slots):
        for axis in (_X, _Y):
            values = array.array("i", [axis, *[0] * slots])
            try:
                fcntl.ioctl(file, _held_values(slots), values)
            except OSError:
                return  # a panel without slots, or one that is gone again
            yield from ((_SLOT, slot), (axis, values[1 + slot]))


def is_gone(file: int) -> bool:
    """Say whether an open input device was pulled."""
    try:
        fcntl.ioctl(file, _VERSION, bytes(4))
    except OSError:
        return True
    return False


def is_pad(entry: Path) -> bool:
    """Say whether an input device of sysfs is a touchpad: a finger on it is nowhere on the screen."""
    properties = _bits(entry / "device/properties")
    return bool(properties & _POINTER) and not properties & _DIRECT


def _bits(file: Path) -> int:
    """Return a line of sysfs as a number; 0 where there is none, or none that can be read."""
    bits = 0
    try:
        for word in file.read_text().split():
            bits = bits << 64 | int(word, 16)
    except (OSError, ValueError):
        return 0
    return bits


def stamp_mtdev_touches(turn: TouchTurn) -> None:
    """Make each touch of the panel carry when the kernel noted it (`seen_ns`, monotonic), and turn it.

    Call before the window opens.
    """
    from kivy.input.providers import mtdev
    from kivy.lib.mtdev import input_event
    from kivy.logger import Logger

    plain_touch, plain_device = mtdev.MTDMotionEvent, mtdev.Device
    # Each panel has a thread of its own, which makes the touch right after it has read it.
    read = threading.local()
    told: set[str] = set()

    class StampedDevice(plain_device):  # type: ignore[misc, valid-type]
        """A panel that notes when the kernel stamped what was read last.

        One that is pulled ends its thread. Kivy would go on with the next device of that name by the edges of the old one, and
        take the places that it was told for touches.
        """

        def __init__(self, filename: str) -> None:
            if is_pad(_SYSFS / Path(filename).name):
                sys.exit()
            try:
                super().__init__(filename)
            except Exception as fault:  # Kivy raises just that
                if filename not in told:
                    told.add(filename)
                    Logger.info("MTD: <%s> is not read: %s", filename, fault)
                sys.exit()  # of this thread: it is tried again as long as it may be read
            self._down: set[int] = set()
            self._slot = 0
            self._is_over = False
            self._is_stamped = keep_time(self._fd)
            self._held: deque[tuple[int, int]] = deque()
            if self.has_slot():
                slot = self.get_slot()
                self._slot = slot.value
                self._held.extend((*held_places(self._fd, slot.maximum + 1), (_SLOT, slot.value)))

        def idle(self, ms: int) -> bool:
            return not self._held and bool(super().idle(ms))

        def get(self) -> object:
            if self._held:
                code, value = self._held.popleft()
                return input_event(type=_ABS, code=code, value=value)
            event = super().get()
            if event is None and is_gone(self._fd):
                if self._is_over:
                    self.close()
                    sys.exit()
                self._is_over = not self._down
                for slot in self._down:  # no finger stays on a panel that is gone
                    self._held.extend(((_SLOT, slot), (_FINGER, -1)))
                self._down.clear()
            if event is not None:
                self._note_finger(event)
                at = event.time
                is_told = self._is_stamped and (at.tv_sec or at.tv_usec)
                read.at_ns = at.tv_sec * 1_000_000_000 + at.tv_usec * 1000 if is_told else monotonic_ns()
            return event

        def _note_finger(self, event: Any) -> None:
            if event.type == _ABS and event.code == _SLOT:
                self._slot = event.value
            elif event.type == _ABS and event.code == _FINGER:
                (self._down.discard if event.value == -1 else self._down.add)(self._slot)

    class StampedTouch(plain_touch):  # type: ignore[misc, valid-type]
        """A touch of the panel that knows when it came."""

        def __init__(self, *args: object, **kwargs: object) -> None:
            super().__init__(*args, **kwargs)
            self.seen_ns = getattr(read, "at_ns", None) or monotonic_ns()

        def depack(self, args: dict[str, float]) -> None:
            super().depack(turn.apply(args))

    mtdev.MTDMotionEvent = StampedTouch
    mtdev.Device = StampedDevice


def new_panels(known: Collection[str], sysfs: Path = _SYSFS, dev: Path = Path("/dev/input")) -> list[str]:
    """Return the devices of multitouch panels that may be read and are not known, by their names."""
    found = []
    for entry in sorted(sysfs.glob("event*")):
        device = str(dev / entry.name)
        is_panel = _bits(entry / "device/capabilities/abs") >> _X & 1 and not is_pad(entry)
        if device not in known and is_panel and os.access(device, os.R_OK):
            found.append(device)
    return found


def renew_panels(loop: Any, provider: Any, sysfs: Path = _SYSFS, dev: Path = Path("/dev/input")) -> None:
    """Give each panel that may be read and is not a provider in Kivy's loop, and let go of those whose panel is gone."""
    panels = [entry for entry in loop.input_providers if isinstance(entry, provider)]
    over = [panel for panel in panels if not panel.thread.is_alive() and not panel.queue]
    for panel in over:
        loop.remove_input_provider(panel)
    for device in new_panels({panel.input_fn for panel in panels if panel not in over}, sysfs, dev):
        fresh = provider(Path(device).name, device)
        fresh.start()
        loop.add_input_provider(fresh)


def look_for_panels() -> None:
    """Have Kivy read the panels that came after the start, or came back, from now on."""
    from kivy.base import EventLoop
    from kivy.clock import Clock
    from kivy.input.providers.mtdev import MTDMotionEventProvider

    Clock.schedule_interval(lambda _dt: renew_panels(EventLoop, MTDMotionEventProvider), LOOK_S)

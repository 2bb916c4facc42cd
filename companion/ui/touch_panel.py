"""The touch panel on the box itself, read by Kivy's mtdev provider: its touches are stamped by the kernel, turned, and none is lost.

Kivy reads a panel in a thread, which cannot read while a frame is being drawn: two touches then come at once, and late.
The kernel has noted when each came, on the monotonic clock if it is asked for that.
"""

from __future__ import annotations

import array
import fcntl
import os
import struct
import threading
from collections import deque
from collections.abc import Collection, Iterator
from pathlib import Path

from companion.pages.corners import STRAIGHT, TURNS, turned
from companion.ui.inputs import monotonic_ns

__all__ = ["TouchTurn", "look_for_panels", "new_panels", "stamp_mtdev_touches"]

_SET_CLOCK = 0x400445A0
"""EVIOCSCLOCKID of linux/input.h: by which clock the kernel stamps this reader's events."""
_MONOTONIC = 1
_ABS, _SLOT, _X, _Y = 3, 0x2F, 0x35, 0x36
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
    for slot in range(slots):
        for axis in (_X, _Y):
            values = array.array("i", [axis, *[0] * slots])
            try:
                fcntl.ioctl(file, _held_values(slots), values)
            except OSError:
                return  # a panel without slots, or one that is gone again
            yield from ((_SLOT, slot), (axis, values[1 + slot]))


def stamp_mtdev_touches(turn: TouchTurn) -> None:
    """Make each touch of the panel carry when the kernel noted it (`seen_ns`, monotonic), and turn it.

    Call before the window opens.
    """
    from kivy.input.providers import mtdev
    from kivy.lib.mtdev import input_event

    plain_touch, plain_device = mtdev.MTDMotionEvent, mtdev.Device
    read = (
        threading.local()
    )  # each panel has a thread of its own, which makes the touch right after it has read it

    class StampedDevice(plain_device):  # type: ignore[misc, valid-type]
        """A panel that notes when the kernel stamped what was read last."""

        def __init__(self, filename: str) -> None:
            super().__init__(filename)
            self._is_stamped = keep_time(self._fd)
            self._held: deque[tuple[int, int]] = deque()
            if self.has_slot():
                slot = self.get_slot()
                self._held.extend((*held_places(self._fd, slot.maximum + 1), (_SLOT, slot.value)))

        def idle(self, ms: int) -> bool:
            return not self._held and bool(super().idle(ms))

        def get(self) -> object:
            if self._held:
                code, value = self._held.popleft()
                return input_event(type=_ABS, code=code, value=value)
            event = super().get()
            if event is not None:
                at = event.time
                is_told = self._is_stamped and (at.tv_sec or at.tv_usec)
                read.at_ns = at.tv_sec * 1_000_000_000 + at.tv_usec * 1000 if is_told else monotonic_ns()
            return event

    class StampedTouch(plain_touch):  # type: ignore[misc, valid-type]
        """A touch of the panel that knows when it came."""

        def __init__(self, *args: object, **kwargs: object) -> None:
            super().__init__(*args, **kwargs)
            self.seen_ns = getattr(read, "at_ns", None) or monotonic_ns()

        def depack(self, args: dict[str, float]) -> None:
            super().depack(turn.apply(args))

    mtdev.MTDMotionEvent = StampedTouch
    mtdev.Device = StampedDevice


def new_panels(
    known: Collection[str], sysfs: Path = Path("/sys/class/input"), dev: Path = Path("/dev/input")
) -> list[str]:
    """Return the devices of multitouch panels that may be read and are not known, by their names."""
    found = []
    for entry in sorted(sysfs.glob("event*")):
        device = str(dev / entry.name)
        try:
            words = (entry / "device/capabilities/abs").read_text().split()
        except OSError:
            continue  # it is gone again
        axes = 0
        for word in words:
            axes = axes << 64 | int(word, 16)
        if device not in known and axes >> _X & 1 and os.access(device, os.R_OK):
            found.append(device)
    return found


def look_for_panels() -> None:
    """Have Kivy read the panels that came after the start, from now on; one that was pulled and is back it reads by itself."""
    from kivy.base import EventLoop
    from kivy.clock import Clock
    from kivy.input.providers.mtdev import MTDMotionEventProvider

    def look(_dt: float) -> None:
        known = {getattr(provider, "input_fn", "") for provider in EventLoop.input_providers}
        for device in new_panels(known):
            provider = MTDMotionEventProvider(Path(device).name, device)
            EventLoop.add_input_provider(provider)
            provider.start()

    Clock.schedule_interval(look, LOOK_S)

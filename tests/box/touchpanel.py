"""A touch panel of ten fingers (protocol B) that a real kernel shows, made with uinput."""

from __future__ import annotations

import fcntl
import os
import struct

from companion.pages.corners import STRAIGHT, turned

__all__ = ["TouchPanel"]

_SET_EV, _SET_KEY, _SET_ABS, _SET_PROP = 0x40045564, 0x40045565, 0x40045567, 0x4004556E
_SETUP, _ABS_SETUP, _CREATE = 0x405C5503, 0x401C5504, 0x5501
_SYN, _KEY, _ABS = 0, 1, 3
_TOUCH = 0x14A
_X, _Y, _SLOT, _MT_X, _MT_Y, _MT_ID = 0, 1, 0x2F, 0x35, 0x36, 0x39
_DIRECT = 1


class TouchPanel:
    """A panel of so many points; places are counted from the upper left corner of the glass.

    `turn` says how the panel is mounted behind it: it takes each place for the one that the turn makes of it.
    """

    def __init__(self, width: int, height: int) -> None:
        self.turn = STRAIGHT
        self._size = (width, height)
        self._file = os.open("/dev/uinput", os.O_WRONLY)
        for kind in (_SYN, _KEY, _ABS):
            fcntl.ioctl(self._file, _SET_EV, kind)
        fcntl.ioctl(self._file, _SET_KEY, _TOUCH)
        fcntl.ioctl(self._file, _SET_PROP, _DIRECT)
        ends = {_X: width - 1, _Y: height - 1, _SLOT: 9, _MT_X: width - 1, _MT_Y: height - 1, _MT_ID: 65535}
        for axis, most in ends.items():
            fcntl.ioctl(self._file, _SET_ABS, axis)
            fcntl.ioctl(self._file, _ABS_SETUP, struct.pack("<HHiiiiii", axis, 0, 0, 0, most, 0, 0, 0))
        named = struct.pack("<HHHH80sI", 3, 0x1234, 0x5678, 1, b"panel of the tests", 0)
        fcntl.ioctl(self._file, _SETUP, named)
        fcntl.ioctl(self._file, _CREATE)
        self._fingers = 0
        self._down: set[int] = set()

    def down(self, finger: int, x: int, y: int) -> None:
        """Put a finger on a point."""
        x, y = self._felt(x, y)
        self._fingers += 1
        first = not self._down
        self._down.add(finger)
        self._send((_ABS, _SLOT, finger), (_ABS, _MT_ID, self._fingers), (_ABS, _MT_X, x), (_ABS, _MT_Y, y),
                   *(((_KEY, _TOUCH, 1), (_ABS, _X, x), (_ABS, _Y, y)) if first else ()))  # fmt: skip

    def up(self, finger: int) -> None:
        """Lift a finger."""
        self._down.discard(finger)
        last = () if self._down else ((_KEY, _TOUCH, 0),)
        self._send((_ABS, _SLOT, finger), (_ABS, _MT_ID, -1), *last)

    def _felt(self, x: int, y: int) -> tuple[int, int]:
        """Return where the panel takes a point of the glass to be."""
        width, height = (one - 1 for one in self._size)
        across, up = turned(self.turn, x / width, 1 - y / height)
        return round(across * width), round((1 - up) * height)

    def _send(self, *events: tuple[int, int, int]) -> None:
        for event in (*events, (_SYN, 0, 0)):
            os.write(self._file, struct.pack("<qqHHi", 0, 0, *event))

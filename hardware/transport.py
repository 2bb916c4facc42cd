"""Bytes to and from a serial port: the port as a Protocol, pyserial's as the real one, a scripted one for tests.

A lost port is always DeviceLostError, whatever pyserial or the kernel call it.
"""

from __future__ import annotations

import errno
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from hardware.errors import DeviceLostError

__all__ = ["PICO_USB_IDS", "ScriptedTransport", "SerialTransport", "Transport", "find_boxes"]

BAUD = 115_200  # USB ports ignore it; a box behind a real UART uses this
PICO_USB_IDS = frozenset({(0x2E8A, 0x0005), (0x2E8A, 0x000A)})
"""USB vendor and product of a Raspberry Pi Pico running MicroPython, or the C SDK's serial port."""


class Transport(Protocol):
    """An open port. Methods raise DeviceLostError once it is gone."""

    def read(self, timeout_s: float) -> bytes:
        """Wait for bytes at most `timeout_s` seconds; return what is there, empty after the wait or a `wake`."""

    def write(self, data: bytes) -> None:
        """Write everything, or raise."""

    def wake(self) -> None:
        """End a read that waits in another thread, or the next one."""

    def close(self) -> None:
        """Close the port; safe twice, never raises."""


class SerialTransport:
    """A serial port through pyserial. Modem lines are left alone: a pseudo-terminal has none."""

    def __init__(self, path: str) -> None:
        """Open `path` for this program alone. Raises DeviceLostError where that fails."""
        import serial

        try:
            self._port: Any = serial.Serial(path, BAUD, timeout=0, write_timeout=0.5, exclusive=True)
        except (OSError, ValueError) as error:
            is_denied = getattr(error, "errno", None) in (errno.EACCES, errno.EPERM)
            raise DeviceLostError(f"{path}: cannot be opened ({error})", is_denied=is_denied) from error
        self.path = path

    def read(self, timeout_s: float) -> bytes:
        """Wait for bytes at most `timeout_s` seconds; nothing when that is over, DeviceLostError once the port is gone."""
        try:
            if self._port.timeout != timeout_s:
                self._port.timeout = timeout_s
            first: bytes = self._port.read(1)
            if not first:
                return b""
            waiting: int = self._port.in_waiting
            return first + (bytes(self._port.read(min(waiting, 4096))) if waiting else b"")
        except (OSError, TypeError, ValueError) as error:  # pyserial: TypeError where closed meanwhile
            raise DeviceLostError(f"{self.path}: {error}") from error

    def write(self, data: bytes) -> None:
        """Write everything within half a second; DeviceLostError where that cannot be done."""
        try:
            self._port.write(data)
        except (OSError, TypeError, ValueError) as error:
            raise DeviceLostError(f"{self.path}: {error}") from error

    def wake(self) -> None:
        """End a waiting read."""
        try:
            self._port.cancel_read()
        except (OSError, TypeError, AttributeError):
            return  # closed meanwhile: nothing waits

    def close(self) -> None:
        """Close the port."""
        try:
            self._port.close()
        except (OSError, TypeError):
            return


class ScriptedTransport:
    """A port that follows a script: expect these bytes, answer with those. For tests.

    Example:
        >>> port = ScriptedTransport().expect(b"PING\\n", reply=b"PONG\\n")
        >>> port.write(b"PING\\n"); port.read(0)
        b'PONG\\n'
        >>> port.assert_done()
    """

    def __init__(self) -> None:
        self._script: deque[tuple[bytes, bytes]] = deque()
        self._arrived: deque[bytes] = deque()
        self._ready = threading.Condition()
        self.written = bytearray()
        self.is_lost = False
        self.is_closed = False

    def expect(self, data: bytes, reply: bytes = b"") -> ScriptedTransport:
        """Expect `data` to be written next, and answer."""
        self._script.append((data, reply))
        return self

    def arrive(self, data: bytes) -> None:
        """Let bytes arrive unasked."""
        with self._ready:
            self._arrived.append(data)
            self._ready.notify_all()

    def lose(self) -> None:
        """Pull the plug."""
        with self._ready:
            self.is_lost = True
            self._ready.notify_all()

    def read(self, timeout_s: float) -> bytes:
        """Return the next piece that arrived, nothing after `timeout_s` seconds; DeviceLostError once `lose` was called."""
        with self._ready:
            if not self._arrived and not self.is_lost and timeout_s > 0:
                self._ready.wait(timeout_s)
            if self.is_lost:
                raise DeviceLostError("the scripted port was unplugged")
            return self._arrived.popleft() if self._arrived else b""

    def write(self, data: bytes) -> None:
        """Check what is written against the script; DeviceLostError once `lose` was called."""
        if self.is_lost:
            raise DeviceLostError("the scripted port was unplugged")
        self.written += data
        while self._script and self.written.endswith(self._script[0][0]):
            self.arrive(self._script.popleft()[1])

    def wake(self) -> None:
        """End a waiting read."""
        with self._ready:
            self._ready.notify_all()

    def close(self) -> None:
        """Note that the port was closed."""
        self.is_closed = True

    def assert_done(self) -> None:
        """Raise AssertionError where something expected was never written."""
        assert not self._script, f"never written: {[data for data, _ in self._script]!r}"


def find_boxes(
    list_ports: Callable[[], Sequence[Any]] | None = None,
) -> tuple[str, ...]:
    """Paths of the ports that look like a box (a Raspberry Pi Pico), in a fixed order; none is opened."""
    if list_ports is None:
        from serial.tools.list_ports import comports

        list_ports = comports
    try:
        ports = list_ports()
    except OSError:
        return ()
    return tuple(sorted(port.device for port in ports if (port.vid, port.pid) in PICO_USB_IDS))

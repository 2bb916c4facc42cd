"""Where instants come from: the machine's monotonic clock, or a clock moved by hand.

Nothing else in the program reads a clock for the game. Wall time is a label only.
"""

from __future__ import annotations

import threading
import time
import uuid
from pathlib import Path
from typing import Protocol

from companion.core.ids import Millis

__all__ = ["ManualTime", "SystemTime", "TimeSource"]

_BOOT_ID_FILE = Path("/proc/sys/kernel/random/boot_id")
_NS_PER_MS = 1_000_000
_SURE_NS = 5 * _NS_PER_MS
_TRIES = 10


class TimeSource(Protocol):
    """What the session needs to know about time."""

    @property
    def boot_id(self) -> str:
        """Name of this boot of the machine; monotonic instants compare only within one."""
        ...

    def now_ms(self) -> Millis:
        """Monotonic now. On the real machine it counts from the boot and stands while the machine sleeps."""
        ...

    def slept_ms(self) -> Millis:
        """How long the machine has slept since its boot."""
        ...

    def wall_ms(self) -> int:
        """Wall time since 1970, as a label."""
        ...

    def wait(self, condition: threading.Condition, until_ms: Millis | None) -> None:
        """Wait, the condition held, until it is notified or the instant has come. May return early."""
        ...


class SystemTime:
    """The machine's own clocks."""

    def __init__(self, boot_id_file: Path = _BOOT_ID_FILE) -> None:
        """Read the boot's name; where the system gives none, this process counts as a boot of its own."""
        try:
            self._boot_id = boot_id_file.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            self._boot_id = ""
        self._boot_id = self._boot_id or f"process-{uuid.uuid4()}"

    @property
    def boot_id(self) -> str:
        """Name of this boot."""
        return self._boot_id

    def now_ms(self) -> Millis:
        """Monotonic now."""
        return time.monotonic_ns() // _NS_PER_MS

    def slept_ms(self) -> Millis:
        """Boot time less monotonic time; 0 where the system has no boot-time clock."""
        if not hasattr(time, "CLOCK_BOOTTIME"):
            return 0
        slept_ns = 0
        for _ in range(_TRIES):
            before_ns = time.monotonic_ns()
            slept_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - before_ns
            if time.monotonic_ns() - before_ns < _SURE_NS:
                break  # the two clocks were read together: nothing came in between
        return max(0, slept_ns // _NS_PER_MS)

    def wall_ms(self) -> int:
        """Wall time."""
        return time.time_ns() // _NS_PER_MS

    def wait(self, condition: threading.Condition, until_ms: Millis | None) -> None:
        """Wait until notified or until the instant."""
        timeout_s = None if until_ms is None else max(0, until_ms - self.now_ms()) / 1000
        condition.wait(timeout_s)


class ManualTime:
    """A clock that moves only by hand, for tests, replays and the demo."""

    def __init__(
        self, now_ms: Millis = 0, *, boot_id: str = "boot-1", wall_ms: int = 1_700_000_000_000
    ) -> None:
        """Stand at an instant of a boot."""
        self._lock = threading.Lock()
        self._now_ms = now_ms
        self._slept_ms = 0
        self._wall_ms = wall_ms
        self._boot_id = boot_id
        self._waiting: set[threading.Condition] = set()

    @property
    def boot_id(self) -> str:
        """Name of the boot that is played."""
        return self._boot_id

    def now_ms(self) -> Millis:
        """The instant that was set."""
        return self._now_ms

    def slept_ms(self) -> Millis:
        """The sleep that was played so far."""
        return self._slept_ms

    def wall_ms(self) -> int:
        """The wall time that was set."""
        return self._wall_ms

    def wait(self, condition: threading.Condition, until_ms: Millis | None) -> None:
        """Wait until notified; moving the clock notifies."""
        with self._lock:
            self._waiting.add(condition)
            if until_ms is not None and self._now_ms >= until_ms:
                return
        condition.wait()

    def advance(self, delta_ms: Millis) -> None:
        """Let monotonic and wall time pass."""
        if delta_ms < 0:
            raise ValueError(f"monotonic time never goes back: {delta_ms} ms asked")
        self._move(delta_ms, delta_ms, 0)

    def to(self, at_ms: Millis) -> None:
        """Advance to an instant; nothing happens when it has passed."""
        self.advance(max(0, at_ms - self._now_ms))

    def jump_wall(self, delta_ms: int) -> None:
        """Set the wall clock forward or back, as a time server would."""
        self._move(0, delta_ms, 0)

    def sleep_machine(self, delta_ms: Millis) -> None:
        """Suspend the machine: monotonic time stands, boot time and wall time go on."""
        self._move(0, delta_ms, delta_ms)

    def reboot(self, boot_id: str, now_ms: Millis = 0, *, away_ms: int = 0) -> None:
        """Start a new boot after `away_ms` of wall time; nobody may be waiting on the old one."""
        with self._lock:
            self._waiting.clear()
            self._boot_id, self._now_ms, self._slept_ms = boot_id, now_ms, 0
            self._wall_ms += away_ms

    def _move(self, now_ms: Millis, wall_ms: int, slept_ms: Millis) -> None:
        with self._lock:
            self._now_ms += now_ms
            self._wall_ms += wall_ms
            self._slept_ms += slept_ms
            waiting = tuple(self._waiting)
        for condition in waiting:
            with condition:
                condition.notify_all()

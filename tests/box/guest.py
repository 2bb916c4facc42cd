"""What every program in the machine does alike: it says and hears one JSON value a line, and tells how it failed."""

from __future__ import annotations

import fcntl
import json
import struct
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["SimulatedChip", "heard", "main", "say", "until"]

_LINE_INFO = 0xC100B405
"""GPIO_V2_GET_LINEINFO_IOCTL: 256 bytes, the line's number at 64, its flags at 72. Source: include/uapi/linux/gpio.h."""
_GADGETS = Path("/sys/kernel/config")


def say(kind: str, value: Any = None) -> None:
    """Tell the test one value."""
    sys.stdout.write(json.dumps([kind, value]) + "\n")
    sys.stdout.flush()


def heard() -> Iterator[list[Any]]:
    """Yield what the test tells, until it ends."""
    for line in sys.stdin:
        yield json.loads(line)


def until(condition: Callable[[], Any], seconds: float = 300) -> Any:
    """Wait until something holds, and return it; raises where it never does."""
    latest = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > latest:
            raise TimeoutError(f"never came true within {seconds} s")
        time.sleep(0.005)
    return value


def main(act: Callable[[], None]) -> None:
    """Run a program and tell how it ended."""
    try:
        act()
        say("done")
    except BaseException:
        say("failed", traceback.format_exc())


class SimulatedChip:
    """A GPIO chip of the kernel's gpio-sim, whose pins are pulled by whoever holds this."""

    def __init__(self, name: str, label: str, lines: int) -> None:
        bank = _GADGETS / "gpio-sim" / name / "bank0"
        bank.mkdir(parents=True)
        (bank / "label").write_text(label)
        (bank / "num_lines").write_text(str(lines))
        (bank.parent / "live").write_text("1")
        self.number = int((bank / "chip_name").read_text().strip().removeprefix("gpiochip"))
        device = (bank.parent / "dev_name").read_text().strip()
        self._lines = Path("/sys/devices/platform") / device / f"gpiochip{self.number}"
        until((Path("/dev") / f"gpiochip{self.number}").exists)

    def pull(self, line: int, high: bool) -> tuple[int, int]:
        """Pull a line up or down; returns the time just before and just after, in monotonic nanoseconds."""
        path = self._lines / f"sim_gpio{line}" / "pull"
        with path.open("wb", buffering=0) as file:
            before = time.monotonic_ns()
            file.write(b"pull-up" if high else b"pull-down")
            return before, time.monotonic_ns()

    def is_used(self, line: int) -> bool:
        """Say whether a program has opened a line."""
        info = bytearray(256)
        struct.pack_into("=I", info, 64, line)
        with Path(f"/dev/gpiochip{self.number}").open("rb", buffering=0) as chip:
            fcntl.ioctl(chip, _LINE_INFO, info)
        return bool(struct.unpack_from("=Q", info, 72)[0] & 1)

    def value(self, line: int) -> bool:
        """Read a line as its other end sees it."""
        return (self._lines / f"sim_gpio{line}" / "value").read_text().strip() == "1"

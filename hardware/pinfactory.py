"""The library behind this machine's pins: how it is opened, and in one line why it cannot be."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from companion.core.text import Say, Typed, several
from hardware.errors import NoHeaderError

__all__ = ["HEADER_LABELS", "header_chip", "make_pin_factory", "short_reason", "why_no_pins"]

HEADER_LABELS = frozenset({"pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"})
"""What the kernel calls the chip behind the 40-pin header: on a Pi 5, on a Pi 4, on those before."""
_CHIP_INFO = 0x8044B401
"""GPIO_GET_CHIPINFO_IOCTL: name and label, 32 bytes each, and the number of lines.

Source: the kernel's include/uapi/linux/gpio.h."""


def chip_label(path: Path) -> str:
    """Ask the kernel what a GPIO chip is called; raises OSError where it cannot be opened or is no chip."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        told = fcntl.ioctl(handle, _CHIP_INFO, bytes(68))
    finally:
        os.close(handle)
    return told[32:64].split(b"\0", 1)[0].decode(errors="replace")


def header_chip(devices: Path = Path("/dev")) -> int:
    """Return the number of the GPIO chip that the header's pins are on.

    Chips are numbered as their drivers come, and on a Pi 5 that has changed between kernels, so the label decides.

    Raises:
        NoHeaderError: no chip here is a header's.
        OSError: none could be found, and one could not be asked.
    """
    labels: list[str] = []
    refused: OSError | None = None
    for number in sorted(
        int(path.name[8:]) for path in devices.glob("gpiochip*") if path.name[8:].isdecimal()
    ):
        try:
            label = chip_label(devices / f"gpiochip{number}")
        except OSError as error:
            refused = refused or error
            continue
        if label in HEADER_LABELS:
            return number
        labels.append(label)
    if refused is not None:
        raise refused
    raise NoHeaderError(tuple(dict.fromkeys(labels)))


def make_pin_factory(
    environment: MutableMapping[str, str] | None = None, devices: Path = Path("/dev")
) -> Any:
    """Make the gpiozero pin factory of this machine.

    ``GPIOZERO_PIN_FACTORY=mock`` gives pretended pins. lgpio writes a file into its working directory and, told
    another one by LG_WD, changes the whole process into it; so LG_WD is set to a place that can be written, and
    the working directory is restored.

    Raises whatever the libraries raise where there are no usable pins; callers catch Exception.
    """
    env = os.environ if environment is None else environment
    if env.get("GPIOZERO_PIN_FACTORY") == "mock":
        from gpiozero.pins.mock import MockFactory, MockPWMPin

        return MockFactory(pin_class=MockPWMPin)
    chip = header_chip(devices)
    if "LG_WD" not in env:
        runtime = env.get("RUNTIME_DIRECTORY") or env.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
        env["LG_WD"] = runtime.split(":")[0]
    before = Path.cwd()
    try:
        from gpiozero.pins.lgpio import LGPIOFactory
    finally:
        os.chdir(before)
    factory = LGPIOFactory(chip=chip)
    try:
        _ = (
            factory.board_info
        )  # told the chip, gpiozero does not ask which board this is before its first pin
    except Exception:
        factory.close()
        raise
    return factory


def why_no_pins(error: Exception) -> Say:
    """Say in one line why there are no pins here and what holds instead."""
    name = type(error).__name__
    if isinstance(error, ModuleNotFoundError):
        return Say(
            "The GPIO library {library} is not installed; use the on-screen buttons.",
            library=Typed(str(error.name)),
        )
    if isinstance(error, NoHeaderError) and error.labels:
        return Say(
            "None of this machine's GPIO chips ({labels}) is a Raspberry Pi header; use the on-screen buttons.",
            labels=several((Typed(label) for label in error.labels), "comma"),
        )
    if isinstance(error, NoHeaderError) or name == "PinUnknownPi":
        return Say("This machine has no Raspberry Pi pins; use the on-screen buttons.")
    if isinstance(error, PermissionError) or "ermission" in str(error):
        return Say(
            "This user may not use the GPIO pins (add it to the group gpio); use the on-screen buttons."
        )
    return Say(
        "The GPIO pins cannot be opened ({reason}); use the on-screen buttons.",
        reason=Typed(short_reason(error)),
    )


def short_reason(error: Exception) -> str:
    """The words of an error without their quotes; its name where it has none."""
    return str(error).strip("'\"") or type(error).__name__

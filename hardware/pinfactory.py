"""The library behind this machine's pins: how it is opened, and in one line why it cannot be."""

from __future__ import annotations

import os
import tempfile
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from companion.core.text import Say, Typed

__all__ = ["make_pin_factory", "short_reason", "why_no_pins"]


def make_pin_factory(environment: MutableMapping[str, str] | None = None) -> Any:
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
    if "LG_WD" not in env:
        runtime = env.get("RUNTIME_DIRECTORY") or env.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
        env["LG_WD"] = runtime.split(":")[0]
    before = Path.cwd()
    try:
        from gpiozero.pins.lgpio import LGPIOFactory
    finally:
        os.chdir(before)
    return LGPIOFactory()


def why_no_pins(error: Exception) -> Say:
    """Say in one line why there are no pins here and what holds instead."""
    name = type(error).__name__
    if isinstance(error, ModuleNotFoundError):
        return Say(
            "The GPIO library {library} is not installed; use the on-screen buttons.",
            library=Typed(str(error.name)),
        )
    if name == "PinUnknownPi":
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

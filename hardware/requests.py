"""What the box's screen may ask of the system: shut down, restart, update, go back. The program itself may do nothing.

A word in a file of the service's runtime folder; a systemd path unit obeys it as root (deploy/request).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

__all__ = ["Answer", "Request", "SystemRequests"]


class Request(Enum):
    """A thing that can be asked for."""

    POWER_OFF = "poweroff"
    """Shut the machine down."""
    RESTART = "reboot"
    """Start the machine again."""
    UPDATE = "update"
    """Install the newest package on a USB stick; answered."""
    BACK = "back"
    """Go back to the version before; answered."""
    PHONES_ON = "phoneson"
    """Open the port for phones, and start what stands between it and the program."""
    PHONES_OFF = "phonesoff"
    """Close that port."""
    ADDRESSES = "addresses"
    """Write down at which addresses phones could ask."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How an update or going back ended."""

    done: bool
    text: str
    """One line for the screen."""


class SystemRequests:
    """The line to the system; on a machine that is no box it is not there, and asking returns False."""

    def __init__(self, folder: Path | None) -> None:
        """Use `folder`, the service's runtime folder; None for a machine that is no box."""
        self.folder = folder

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> SystemRequests:
        """Take RUNTIME_DIRECTORY as systemd sets it."""
        env = os.environ if environment is None else environment
        first = env.get("RUNTIME_DIRECTORY", "").split(":")[0]
        return cls(Path(first) if first else None)

    @property
    def is_available(self) -> bool:
        """True on a box."""
        return self.folder is not None and self.folder.is_dir()

    def ask(self, request: Request) -> bool:
        """Ask; False where nobody can hear it. What comes of it is told by ``answer()``, or by the lights going out."""
        if self.folder is None:
            return False
        try:
            (self.folder / "answer").unlink(missing_ok=True)
            part = self.folder / "request.new"
            part.write_text(request.value + "\n", encoding="ascii")
            part.replace(self.folder / "request")
        except OSError:
            return False
        return True

    def forget(self) -> None:
        """Take the answer away, once it has been told."""
        if self.folder is not None:
            with contextlib.suppress(OSError):
                (self.folder / "answer").unlink(missing_ok=True)

    def answer(self) -> Answer | None:
        """The answer to the last request; None while there is none."""
        if self.folder is None:
            return None
        try:
            code, _, text = (self.folder / "answer").read_text(encoding="utf-8").strip().partition(" ")
        except (OSError, UnicodeDecodeError):
            return None
        return Answer(code == "0", text)

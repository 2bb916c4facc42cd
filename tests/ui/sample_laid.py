"""The sample game in a window, and what was sent last."""

from __future__ import annotations

from typing import Any

from companion.core.commands import Command
from companion.testing import harness
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import sample_setup


def lay(screen: str = "table", desk: MemoryDesk | None = None, **look: Any) -> Laid:
    """Lay a screen of the sample game, or of another desk."""
    return harness.lay(desk or MemoryDesk(sample_setup()), screen=screen, **look)


def last(laid: Laid) -> Command:
    """Return what was sent last."""
    command: Command = laid.desk.sent[-1].command
    return command

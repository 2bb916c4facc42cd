"""Whether a machine could play a simulated hall at all: without it, a hall that lags and a machine that does look the same."""

from __future__ import annotations

import asyncio
import time
from typing import NamedTuple

__all__ = ["Load", "wakes"]

_WAKE_S = 0.1


class Load(NamedTuple):
    """What a run has asked of the machine, and got."""

    late_s: list[float]
    """How late this process was woken, ten times a second."""
    cpu_s: float
    """Its processor time: all tables together."""
    caught_up_s: float
    """How long the hall took to have all after the last act, or -1 where it never had."""

    @property
    def late_p99_ms(self) -> float:
        """So late at most, but for one time in a hundred; -1 where it was not measured."""
        late = sorted(self.late_s)
        return round(late[len(late) * 99 // 100] * 1000, 1) if late else -1


async def wakes(late_s: list[float]) -> None:
    """Measure until cancelled how late this process is woken."""
    while True:
        due = time.monotonic() + _WAKE_S
        await asyncio.sleep(_WAKE_S)
        late_s.append(time.monotonic() - due)

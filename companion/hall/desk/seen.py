"""A table as the director sees it: its newest state, whether it is there, how its clock stands to his, what went wrong of late."""

from __future__ import annotations

from collections import deque

from companion.hall.messages import State

__all__ = ["MOST_AT_ONCE", "Seen"]

MOST_AT_ONCE = 2_000
"""So many messages may come at once."""
_PPM = 50
"""Two crystals drift apart by so many millionths."""


class Seen:
    """A table as the director sees it."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.is_up = False
        self.state: State | None = None
        self.state_ms = 0
        """When the state came, by the director's clock."""
        self.heard_ms = 0
        """When anything came last."""
        self.since_ms = 0
        """When it came or went."""
        self.boot = ""
        self.samples: deque[tuple[int, int, int]] = deque(maxlen=8)
        """Of this boot: when, the offset of the box's clock, and how long the answer took."""
        self.told: deque[str] = deque(maxlen=20)
        self.allowed = float(MOST_AT_ONCE)
        self.allowed_ms = 0

    def offset(self, now_ms: int) -> tuple[int, int] | None:
        """Return what to add to the director's clock for the box's, and how wrong that may be; None: not known."""
        if not self.samples:
            return None

        def doubt(one: tuple[int, int, int]) -> int:
            return one[2] // 2 + 1 + (now_ms - one[0]) * _PPM // 1_000_000

        best = min(self.samples, key=doubt)
        return best[1], doubt(best)

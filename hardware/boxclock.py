"""What time it was here when the box's clock said so: clock skew without trusting any delivery time.

Every exchange with the box gives certain bounds: its time stamp was taken after our question left and before
its answer came, and whatever arrives was stamped before it arrived. The best bounds are kept and widened by the
drift two crystals can have; the estimate is the middle. However late frames come, an edge's time is wrong by
at most half the round trip of the quickest recent exchange.
"""

from __future__ import annotations

__all__ = ["DRIFT_PPM", "BoxClock"]

DRIFT_PPM = 200
"""Drift allowed between the two clocks, parts per million; crystals keep within 100 together."""


class BoxClock:
    """Bounds on (our time - box time), both in nanoseconds. Pure arithmetic; times come from outside."""

    def __init__(self) -> None:
        self._low: tuple[int, int] | None = None
        """Best lower bound and when it was learned."""
        self._high: tuple[int, int] | None = None
        self.resets = 0
        """How often the bounds contradicted each other (a clock that jumped) and were begun anew."""

    @property
    def is_set(self) -> bool:
        """True once one exchange has been completed."""
        return self._low is not None and self._high is not None

    def exchange(self, sent_ns: int, box_ns: int, received_ns: int) -> None:
        """Learn from a question sent at `sent_ns` whose answer, stamped `box_ns`, came at `received_ns`."""
        low, high = sent_ns - box_ns, received_ns - box_ns
        known_low, known_high = self._bounds(received_ns)
        if (known_low is not None and high < known_low) or (known_high is not None and low > known_high):
            self.resets += 1
            self._low, self._high = (low, received_ns), (high, received_ns)
            return
        if known_low is None or low > known_low:
            self._low = (low, received_ns)
        if known_high is None or high < known_high:
            self._high = (high, received_ns)

    def arrival(self, box_ns: int, received_ns: int) -> None:
        """Learn from a frame stamped `box_ns` that came at `received_ns`: it cannot be from the future."""
        high = received_ns - box_ns
        known_low, known_high = self._bounds(received_ns)
        if known_low is not None and high < known_low:
            return  # only an exchange can show that a clock jumped
        if known_high is None or high < known_high:
            self._high = (high, received_ns)

    def _bounds(self, now_ns: int) -> tuple[int | None, int | None]:
        low = high = None
        if self._low is not None:
            low = self._low[0] - (now_ns - self._low[1]) * DRIFT_PPM // 1_000_000
        if self._high is not None:
            high = self._high[0] + (now_ns - self._high[1]) * DRIFT_PPM // 1_000_000
        return low, high

    def to_ours_ns(self, box_ns: int, now_ns: int) -> int:
        """Our time of a stamp of the box, never later than `now_ns`; `now_ns` itself before any exchange."""
        low, high = self._bounds(now_ns)
        if low is None or high is None:
            return now_ns
        return min(box_ns + (low + high) // 2, now_ns)

    def uncertainty_ns(self, now_ns: int) -> int | None:
        """How far an estimate can be off, either way; None before any exchange."""
        low, high = self._bounds(now_ns)
        return None if low is None or high is None else max((high - low) // 2, 0)

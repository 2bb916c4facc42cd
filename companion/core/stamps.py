"""From the clock that a press is seen with to the clock that a game counts by."""

from __future__ import annotations

from collections.abc import Callable

from companion.core.ids import Millis

__all__ = ["game_ms"]

_NS_PER_MS = 1_000_000
_SURE_NS = _NS_PER_MS
_TRIES = 10


def game_ms(seen_ns: int, now_ns: Callable[[], int], game_now_ms: Callable[[], Millis]) -> Millis:
    """Return when in the game's time something was seen that happened at `seen_ns` by the clock `now_ns`.

    Both clocks are read together, and again where the processor was someone else's in between: else what passed there
    would be charged to whoever pressed.
    """
    for _ in range(_TRIES):
        read_ns = now_ns()
        game_now = game_now_ms()
        if now_ns() - read_ns < _SURE_NS:
            break
    return game_now - max(0, (read_ns - seen_ns) // _NS_PER_MS)

"""Warnings of the running clock: which one holds now, and when to look again."""

from __future__ import annotations

import msgspec

from companion.core import clock as ck
from companion.core.ids import Millis, Side
from companion.core.state import GameState
from companion.pages.frame import mark
from companion.pages.i18n import _

__all__ = ["Warning_", "warning_at"]


class Warning_(msgspec.Struct, frozen=True):  # noqa: N801 - Python's own Warning is another thing
    """A warning that holds now."""

    side: Side
    level: str
    """``low``, ``last`` or ``fallen``; also the name of its sound."""
    text: str


def warning_at(state: GameState, now_ms: Millis) -> tuple[Warning_ | None, Millis | None]:
    """Return the warning that holds, and after how long the next one is due (None: nothing counts down)."""
    if state.flag_prompt is not None:
        side = state.flag_prompt
        who = mark(state.frozen_setup, side)
        return Warning_(side, "fallen", _("{side}: the flag has fallen").format(side=who.name)), None
    running = state.clocks.running
    if running is None:
        return None, None
    left = ck.remaining(state.clocks, running, now_ms)
    if left is None:
        return None, None
    due = sorted(state.clocks.config.warnings_ms, reverse=True)
    reached = [at for at in due if left <= at]
    ahead = [left - at for at in due if left > at]
    wait = min(ahead) if ahead else None
    if not reached:
        return None, wait
    level = "last" if len(reached) == len(due) else "low"
    who = mark(state.frozen_setup, running)
    minutes = reached[-1] // 60_000
    text = _("{side}: {n} min left").format(side=who.name, n=minutes)
    return Warning_(running, level, text if left > reached[-1] - 5_000 else ""), wait

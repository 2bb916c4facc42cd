"""What the shelf shows of a game without opening it."""

from __future__ import annotations

import msgspec

from companion.core import clock as ck
from companion.core.ids import Millis
from companion.core.state import GameState

__all__ = ["Summary", "summary_of"]


class Summary(msgspec.Struct, frozen=True):
    """A game in a few words."""

    game: str = ""
    scenario: str = ""
    title: str = ""
    step: str = ""
    is_over: bool = False
    remaining_ms: dict[str, Millis | None] = {}
    players: tuple[str, ...] = ()
    """Who plays, where the table gave names."""
    turn: int = 0
    """Games of one box in the order in which they were last opened: one more each time. 0: not known."""
    what_if: str = ""
    """Name of the game that this one goes on from, as a copy; empty: it is no copy."""


def summary_of(state: GameState, now_ms: Millis, turn: int = 0) -> Summary:
    """Describe a state; an empty summary before the game has started."""
    if state.setup is None:
        return Summary(turn=turn)
    return Summary(
        game=state.setup.game,
        scenario=state.setup.scenario,
        title=state.setup.title,
        step=state.step.id,
        is_over=state.ending is not None,
        remaining_ms={side: ck.remaining(state.clocks, side, now_ms) for side in state.clocks.sides},
        players=tuple(name for side in state.setup.sides for name in side.seats),
        turn=turn,
        what_if=state.setup.what_if,
    )

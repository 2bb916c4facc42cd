"""What of a state stays as it is while clocks run, stand and are paused: pages are made of it once, however often that happens."""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.clock import make_clocks
from companion.core.newest import Newest
from companion.core.state import GameState

__all__ = ["still"]

_STILL: Newest[GameState] = Newest(8)
_REST = tuple(name for name in GameState.__struct_fields__ if name != "clocks")


def still(state: GameState) -> GameState:
    """Return a state without time used, running or paused: the very same value for all states that differ in that alone.

    Whose flag fell, what the arbiter gave and the turns of a time control are kept. Of a game that is over it is the state itself,
    since the time used is told then.
    """
    if state.ending is not None:
        return state
    clocks = state.clocks
    kept = (clocks.config, clocks.sides, clocks.ordinal, clocks.corrected_ms, clocks.falls, clocks.turns)
    return _STILL.of(*(getattr(state, name) for name in _REST), *kept, make=lambda: _stilled(state))


def _stilled(state: GameState) -> GameState:
    was = state.clocks
    clocks = replace(
        make_clocks(was.config, was.sides),
        ordinal=was.ordinal,
        corrected_ms=was.corrected_ms,
        falls=was.falls,
        turns=was.turns,
    )
    return replace(state, clocks=clocks)

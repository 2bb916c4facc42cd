"""Scenes of time controls: clocks with turn time, delay, tokens and periods, and their options in New game."""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.control import TimeControl
from companion.core.presets import ControlPreset
from companion.pages.new_game import opened
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import sample_setup
from companion.testing.scenes import empty_desk, play, scene

__all__ = ["controlled_desk"]

TOKENS = TimeControl(
    turn_ms={"allies": 600_000, "axis": 900_000},
    tokens=8,
    token_ms=300_000,
    token_use="ask",
    at_zero="only_mark",
)
PERIODS = TimeControl(unit="step", periods=5, period_ms=30_000, at_zero="lose")
DELAY = TimeControl(unit="step", delay_ms=20_000, delay="simple", increment_ms=0)


def controlled_desk(control: TimeControl, bank_min: int, acts: int, then_ms: int) -> MemoryDesk:
    """Return a desk whose game has a control, some acts and a while later."""
    desk = MemoryDesk(sample_setup(minutes=bank_min, control=control))
    play(desk, acts)
    desk.advance(then_ms)
    return desk


scene("control-tokens", "clocks", lambda: controlled_desk(TOKENS, 0, 4, 97_000))
scene("control-tokens-table", "table", lambda: controlled_desk(TOKENS, 5, 4, 97_000))
scene("control-periods", "clocks", lambda: controlled_desk(PERIODS, 1, 5, 45_000))
scene("control-delay", "clocks", lambda: controlled_desk(DELAY, 20, 4, 5_000))

_PRESETS = (
    ControlPreset(
        "standard_90_30", "90 min + 30 s", "90 minutes a side; every turn adds 30 seconds.", "", bank_min=90
    ),
    ControlPreset("whole_game", "Minutes for the whole game", "One clock a side.", "", ask=("bank_min",)),
    ControlPreset("byo_yomi", "Byo-yomi", "", "", ask=("bank_min", "periods", "period_s")),
)


def _choosing(laid: Laid, control: str) -> None:
    info = next(one for one in laid.root.desk.scenarios() if one.scenario == "italy")
    laid.root.go("new_game", draft=opened(info, tab="clock").put("control", control))


def _offering_desk() -> MemoryDesk:
    desk = empty_desk()
    desk._scenarios = tuple(replace(info, controls=_PRESETS) for info in desk.scenarios())
    return desk


@scene("control-options", "new_game", _offering_desk)
def _options(laid: Laid) -> None:
    _choosing(laid, "byo_yomi")


@scene("control-own", "new_game", _offering_desk)
def _own(laid: Laid) -> None:
    _choosing(laid, "own")

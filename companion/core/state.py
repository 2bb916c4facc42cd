"""The whole state of a game as one frozen value with one slice for the game itself."""

from __future__ import annotations

from typing import Any

import msgspec

from companion.core.clock import ClockConfig, Clocks
from companion.core.flow import Itinerary, Step
from companion.core.ids import Millis, Side
from companion.core.setup import Setup

__all__ = ["Confirmed", "EMPTY_STATE", "Ending", "GameState", "Gap"]


class Ending(msgspec.Struct, frozen=True):
    """How a game ended."""

    winner: Side | None
    reason: str
    level: str = ""


class Gap(msgspec.Struct, frozen=True):
    """Time that nobody measured: a power cut, a crash, a sleeping machine."""

    cause: str
    last_ms: Millis
    gap_ms: Millis | None
    was_running: Side | None
    """Whose clock ran when the machine was last seen alive."""


class Confirmed(msgspec.Struct, frozen=True):
    """What a side has confirmed of the result: figures, and the slip that they belong to."""

    told: str
    slip: str = ""


class GameState(msgspec.Struct, frozen=True):
    """Everything that is true now. Instants belong to the boot of the newest entry."""

    setup: Setup | None = None
    """None before the game has started."""
    itinerary: Itinerary = Itinerary()
    index: int = 0
    """Position in the itinerary."""
    clocks: Clocks = Clocks(config=ClockConfig(), sides=())
    ticked: dict[str, frozenset[str]] = {}
    """Step id to the checklist lines ticked there."""
    rulings: dict[str, str] = {}
    printed: dict[str, Any] = {}
    flag_prompt: Side | None = None
    """A side whose fallen flag the table has not yet carried out."""
    gap: Gap | None = None
    """The newest gap until the arbiter has decided it."""
    is_adjourned: bool = False
    ending: Ending | None = None
    confirmed: dict[Side, Confirmed] = {}
    """Sides that have confirmed the result, each as it was shown to it."""
    disputed: frozenset[Side] = frozenset()
    """Sides that say that the result is not as shown."""
    game: Any = None
    """The game's own slice; only its rules read it."""

    @property
    def step(self) -> Step:
        """The current step. IndexError before the game has started."""
        return self.itinerary.steps[self.index]

    @property
    def frozen_setup(self) -> Setup:
        """The setup of a started game. ValueError before the start."""
        if self.setup is None:
            raise ValueError("the game has not started")
        return self.setup


EMPTY_STATE = GameState()

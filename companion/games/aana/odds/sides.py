"""What the sides of a North Africa combat have at a moment, and what they would do."""

from __future__ import annotations

from typing import NamedTuple

from companion.games.aana.odds.tables import Floats, Ints
from companion.games.aana.rules.casualties import Cargo
from companion.games.aana.rules.combat import Counts
from companion.games.aana.rules.rounds import AttackPlan, DefencePlan, Pools

__all__ = ["Attacking", "Defending", "Joint", "Leaving", "Plans"]


class Attacking(NamedTuple):
    """What the attacking side has."""

    own: Counts
    """Pieces in the combat, by the arena's kinds."""
    out: Counts
    """Pieces that have left it alive."""
    supply: tuple[int, ...]
    """Tokens left for pressing, by pool; `UNLIMITED` where nobody counts."""
    start: Counts = ()
    """Within a round at sea: destroyers when it began, which decide what aircraft may hit."""
    struck: tuple[int, ...] = ()
    """Within a round at sea: kinds that have struck by surprise."""
    scored: bool = False
    """After the fire: the defender scored a hit; kept only where Vichy may surrender."""
    payable: Counts = ()
    """After the fire: the pieces if a unit had been spared that can be paid for in the next round ..."""
    unspared: Counts = ()
    """... and if nobody had been spared for moving in, where either differs and may matter."""


class Defending(NamedTuple):
    """What the defending side has."""

    own: Counts
    out: Counts
    supply: int
    cargo: Cargo
    """Reinforcements on transports within reach of the enemy."""
    cargo_out: Cargo
    """Reinforcements that have escaped."""
    start: Counts = ()
    struck: tuple[int, ...] = ()
    leaves: str = ""
    """After the fire: how the last defenders left."""


class Joint(NamedTuple):
    """A joint distribution over numbered states."""

    a: Ints
    """Numbers of attacking states, sorted."""
    d: Ints
    """Numbers of defending states, sorted."""
    p: Floats
    """Chances, shape (attacking states, defending states)."""


class Plans(NamedTuple):
    """What both sides would do, and who pays for what."""

    attack: AttackPlan
    defence: DefencePlan
    pools: Pools


class Leaving(NamedTuple):
    """What the defender ordered, as far as it decides what becomes of those whom the fire leaves."""

    kinds: tuple[bool, ...]
    """Kinds that retreat."""
    supply_left: int
    """Tokens left after the orders; raids come off later."""
    swept: bool = False
    """Artillery that is alone and stays: it dies in this round."""

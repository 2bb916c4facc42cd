"""Commands and events of The Soft Underbelly."""

from __future__ import annotations

from typing import Literal

import msgspec

from companion.core.commands import Command
from companion.core.events import Event
from companion.core.ids import Nation, Side, StepId
from companion.games.tsu.rules.forces import Attack
from companion.games.tsu.rules.units import Unit

__all__ = [
    "COMMANDS",
    "EVENTS",
    "AttackDeclared",
    "AttackDropped",
    "AttackResolved",
    "BoxChanged",
    "ChangeBox",
    "ClearOverstack",
    "ControlStar",
    "DeclareAttack",
    "DeclareReorganization",
    "DropAttack",
    "Happening",
    "HappeningReported",
    "OverstackCleared",
    "ReorganizationDeclared",
    "Replace",
    "Replaced",
    "ReportHappening",
    "ResolveAttack",
    "Result",
    "RetreatBefore",
    "RetreatedBefore",
    "StarControlled",
    "StarMoved",
    "TakeStar",
]

Happening = Literal[
    "landed_in_europe",
    "invaded_vichy",
    "no_garrison",
    "no_germans",
    "allies_gone",
    "path_open",
    "path_cut",
]
"""What the table reports because only the map knows it."""


class Replace(Command, frozen=True, tag=True):
    """Spend stars on a unit from a nation's replacement box."""

    step: StepId
    nation: Nation
    unit: str
    lent: int = 0
    """Stars lent by the ally that count into the price (lend-lease, a German star for Italy): 0 or 1."""


class ChangeBox(Command, frozen=True, tag=True):
    """Correct a replacement box by hand: lost in movement, overrun, withdrawn."""

    nation: Nation
    unit: str
    by: int


class TakeStar(Command, frozen=True, tag=True):
    """A star changed hands, or its production was assigned to another nation."""

    star: str
    holder: Nation | None
    """None: nobody's (neutral)."""
    name: str = ""
    """Name of a star that the data do not list yet."""


class ControlStar(Command, frozen=True, tag=True):
    """Ships or aircraft alone stand on a star (control), or do so no more."""

    star: str
    side: Side | None


class DeclareAttack(Command, frozen=True, tag=True):
    """Put an attack on the list with its supply; the supply is spent."""

    step: StepId
    attack: Attack
    """How many supplies it has is counted from the next two."""
    spent: tuple[Unit, ...] = ()
    """Supply units, Convoys and empty Landing Craft used up for it."""
    shared: tuple[int, ...] = ()
    """Numbers of supplies spent earlier in this turn that support it too."""


class DropAttack(Command, frozen=True, tag=True):
    """Not attack after all; the supply stays spent."""

    step: StepId
    attack: int


class RetreatBefore(Command, frozen=True, tag=True):
    """Units of value 0 leave before the combat; the defender's choice."""

    step: StepId
    attack: int
    units: tuple[Unit, ...]


class ResolveAttack(Command, frozen=True, tag=True):
    """Carry out a declared attack with the attacker's choice of losses."""

    step: StepId
    attack: int
    choice: int | None = None
    """Index into the verdict's removals; None when the attack fails."""
    lost_in_retreat: tuple[Unit, ...] = ()
    """Survivors without a legal place to retreat to."""
    advance: tuple[int, ...] = ()
    """Places of the attackers that advance, in the attack's list."""


class ClearOverstack(Command, frozen=True, tag=True):
    """Lose one of two armies that stand in one area after a combat."""

    step: StepId
    attack: int
    origin: str
    unit: Unit


class ReportHappening(Command, frozen=True, tag=True):
    """Report what only the map shows."""

    step: StepId
    what: Happening


class DeclareReorganization(Command, frozen=True, tag=True):
    """Germany reorganizes its army from its next turn on."""

    step: StepId


class Replaced(Event, frozen=True, tag=True):
    """A unit came back from a box."""

    nation: Nation
    unit: str
    cost: int
    lent: int = 0
    lender: Nation | None = None


class BoxChanged(Event, frozen=True, tag=True):
    """Units went into a replacement box or out of it."""

    nation: Nation
    unit: str
    by: int
    why: str = ""


class StarMoved(Event, frozen=True, tag=True):
    """A star has another holder."""

    star: str
    holder: Nation | None
    before: Nation | None = None
    name: str = ""


class AttackDeclared(Event, frozen=True, tag=True):
    """An attack is on the list."""

    number: int
    attack: Attack
    spent: tuple[Unit, ...] = ()
    shared: tuple[int, ...] = ()


class AttackDropped(Event, frozen=True, tag=True):
    """An attack was given up."""

    number: int


class Result(msgspec.Struct, frozen=True):
    """What an attack came to."""

    attack_value: int
    defence_value: int
    removed: tuple[Unit, ...] = ()
    survivors: tuple[Unit, ...] = ()
    retreated: tuple[Unit, ...] = ()
    """Survivors that left the area."""
    attackers_lost: tuple[Unit, ...] = ()
    advanced: tuple[Unit, ...] = ()
    is_taken: bool = False
    """No defender is left in the area."""
    overstacked: dict[str, tuple[Unit, ...]] = {}
    """Origins where two armies stand now; one of them must go."""


class AttackResolved(Event, frozen=True, tag=True):
    """An attack was carried out."""

    number: int
    side: Side
    result: Result


class OverstackCleared(Event, frozen=True, tag=True):
    """An area is no longer overstacked."""

    number: int
    origin: str


class RetreatedBefore(Event, frozen=True, tag=True):
    """Units left before the combat."""

    number: int
    units: tuple[Unit, ...]


class StarControlled(Event, frozen=True, tag=True):
    """A side's ships or aircraft alone stand on a star, or nobody's."""

    star: str
    side: Side | None


class HappeningReported(Event, frozen=True, tag=True):
    """Something on the map was reported, or followed from a report (``italy_fell``, ``invasion_served``)."""

    what: str
    season: str


class ReorganizationDeclared(Event, frozen=True, tag=True):
    """Germany's army is reorganized from this stage on."""

    from_stage: int


COMMANDS: tuple[type[Command], ...] = (
    ChangeBox,
    ClearOverstack,
    ControlStar,
    DeclareAttack,
    DeclareReorganization,
    DropAttack,
    Replace,
    ReportHappening,
    ResolveAttack,
    RetreatBefore,
    TakeStar,
)

EVENTS: tuple[type[Event], ...] = (
    AttackDeclared,
    AttackDropped,
    AttackResolved,
    BoxChanged,
    HappeningReported,
    OverstackCleared,
    ReorganizationDeclared,
    Replaced,
    RetreatedBefore,
    StarControlled,
    StarMoved,
)

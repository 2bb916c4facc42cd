"""Commands and events of The Soft Underbelly."""

from __future__ import annotations

from typing import Literal

import msgspec

from companion.core.commands import Command
from companion.core.events import Event
from companion.core.ids import Nation, Side, StepId
from companion.games.tsu.attack import Attack
from companion.games.tsu.units import Unit

__all__ = [
    "COMMANDS",
    "EVENTS",
    "AttackDeclared",
    "AttackDropped",
    "AttackResolved",
    "BoxChanged",
    "ChangeBox",
    "DeclareAttack",
    "DeclareReorganization",
    "DropAttack",
    "Happening",
    "HappeningReported",
    "ReorganizationDeclared",
    "Replace",
    "Replaced",
    "ReportHappening",
    "ResolveAttack",
    "StarMoved",
    "TakeStar",
]

Happening = Literal[
    "landed_in_europe",
    "invaded_vichy",
    "no_garrison",
    "no_germans",
    "allies_gone",
    "romania_taken",
    "romania_lost",
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


class DeclareAttack(Command, frozen=True, tag=True):
    """Put an attack on the list with its supply; the supply is spent."""

    step: StepId
    attack: Attack
    spent: tuple[Unit, ...] = ()
    """Supply units and Convoys used up."""


class DropAttack(Command, frozen=True, tag=True):
    """Not attack after all; the supply stays spent."""

    step: StepId
    attack: int


class ResolveAttack(Command, frozen=True, tag=True):
    """Carry out a declared attack with the attacker's choice of losses."""

    step: StepId
    attack: int
    choice: int | None = None
    """Index into the verdict's removals; None when the attack fails."""
    lost_in_retreat: tuple[Unit, ...] = ()
    """Survivors without a legal place to retreat to."""


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


class AttackDropped(Event, frozen=True, tag=True):
    """An attack was given up."""

    number: int


class Result(msgspec.Struct, frozen=True):
    """What an attack came to."""

    attack_value: int
    defence_value: int
    removed: tuple[Unit, ...] = ()
    survivors: tuple[Unit, ...] = ()
    landing_craft_lost: bool = False


class AttackResolved(Event, frozen=True, tag=True):
    """An attack was carried out."""

    number: int
    side: Side
    result: Result


class HappeningReported(Event, frozen=True, tag=True):
    """Something on the map was reported, or followed from a report (``italy_fell``, ``invasion_served``)."""

    what: str
    season: str


class ReorganizationDeclared(Event, frozen=True, tag=True):
    """Germany's army is reorganized from this stage on."""

    from_stage: int


COMMANDS: tuple[type[Command], ...] = (
    ChangeBox,
    DeclareAttack,
    DeclareReorganization,
    DropAttack,
    Replace,
    ReportHappening,
    ResolveAttack,
    TakeStar,
)

EVENTS: tuple[type[Event], ...] = (
    AttackDeclared,
    AttackDropped,
    AttackResolved,
    BoxChanged,
    HappeningReported,
    ReorganizationDeclared,
    Replaced,
    StarMoved,
)

"""The values of a roll: volleys, aims and reasons, and what a hit may be aimed at.

Which units roll on a step is worked out in `companion.games.sfw.rules.battle_fire`.
Source: rulebook v0.96, Firepower, Standard Unit Abilities, Battle Steps.
"""

from __future__ import annotations

import msgspec

from companion.games.sfw.rules.battle import DEFENDING, Battle, Counts, Fight, Kind, other_side
from companion.games.sfw.rules.battle_edition import Edition

__all__ = [
    "BATTLE_STEPS",
    "OBJECTIVE",
    "Aim",
    "Reason",
    "Rolls",
    "Silent",
    "Volley",
    "ambushes",
    "armour_against",
    "can_hit",
    "has_cover",
    "is_full_retreat",
    "plain_aim",
    "steps",
]

BATTLE_STEPS = ("1", "2", "3", "4", "5", "retreat", "6", "7A", "7B", "7C")
"""Steps of a battle in order; the retreat window lies between 5 and 6."""

OBJECTIVE = "objective"
"""Aim of targeted bombing: the resupply values of the objective instead of units."""


class Reason:
    """Why a unit does not roll, as codes."""

    OTHER_STEP = "other_step"
    NO_FIREPOWER = "no_firepower"
    NO_TARGET = "no_target"
    """No enemy that it may hit is in the battle and in range."""
    ATTACK_ONLY = "attack_only"
    DEFENCE_ONLY = "defence_only"
    NO_SONAR = "no_sonar"
    SPENT = "spent"
    MOVED = "moved"
    """Deployed: artillery that moved on this step does not roll."""
    COMBINED = "combined"
    """It has put its roll into combined fire on 7A."""
    ALONE = "alone"
    """Too few units declared for combined fire are left."""
    CANNOT_HIT = "cannot_hit"
    """It would need more than 12."""
    BOMBING = "bombing"
    """All its dice are aimed at the objective's resupply."""
    UNLOADING = "unloading"
    """Units on their way ashore never roll."""
    MOVERS = "movers"
    """Units that move in or leave never roll."""
    NOT_LAND = "not_land"
    """Only land units roll at those who leave in full."""
    OUT_OF_SPACE = "out_of_space"
    """Nobody supports this roll from a distance."""


class Aim(msgspec.Struct, frozen=True):
    """What a hit may be paid with: unit types in one active place."""

    types: tuple[str, ...]
    sonar: bool
    place: str
    air: bool
    """The shooter is an air unit (a covered carrier is harder to hit)."""
    role: str = "start"
    landed_from: str = ""
    """At units on their way ashore: the sea space that they must come from, ``sea`` for any; empty: all."""


class Volley(msgspec.Struct, frozen=True):
    """Dice that like units roll together: one colour, one number, one aim."""

    side: str
    kind: int
    """Index of the kind that fires; -1 for an airfield, a line or a mine."""
    source: str
    """Unit id, ``airfield``, ``defensive_line`` or ``mine``."""
    nation: str
    units: int
    dice: int
    level: int
    number: int
    aim: Aim
    extra_shot: bool = False
    level_up: bool = False
    precise: bool = False
    is_chained: bool = True
    """A 12 on the bonus roll of an extra shot gives another."""

    @property
    def has_twelves(self) -> bool:
        """Whether a 12 does more than hit, so that every die has to be known."""
        return self.extra_shot or self.level_up or self.precise


class Silent(msgspec.Struct, frozen=True):
    """A kind that does not roll on this step, and why."""

    side: str
    kind: int
    units: int
    reason: str


class Rolls(msgspec.Struct, frozen=True):
    """What one side rolls on one battle step."""

    volleys: tuple[Volley, ...]
    silent: tuple[Silent, ...] = ()
    needs: tuple[str, ...] = ()
    """Unknown figures without which the dice cannot be told, as printed value keys."""


def steps(fight: Fight) -> tuple[str, ...]:
    """Return the steps of a fight in order; bonus rolls during movement have steps of their own.

    Movement: the defensive line first, then the bridge, then each mine, then push through.
    """
    battle = fight.battle
    if battle.occasion == "battle":
        return BATTLE_STEPS
    if battle.occasion == "disengage":
        return ("disengage",)
    found = ["line"] if battle.lines or any(battle.line_dice) else []
    found += ["bridge"] if battle.bridge else []
    found += ["mine"] * battle.mines
    found += ["push"] if battle.push_through else []
    return tuple(found)


def can_hit(kind: Kind, aim: Aim) -> bool:
    """Say whether a hit with this aim may be paid with units of a kind, armour aside."""
    return (
        kind.place == aim.place
        and kind.role == aim.role
        and _comes_from(kind, aim)
        and kind.unit.type in aim.types
        and (aim.sonar or not kind.unit.has("submerged"))
    )


def plain_aim(fight: Fight, side: str, aim: Aim) -> Aim:
    """Return an aim without what makes no difference against the enemies of a side in this fight.

    Shots that can be paid with the same units are then of the same class, whatever unit they come from.
    """
    enemies = [
        kind for kind in fight.kinds(other_side(side)) if kind.place == aim.place and kind.role == aim.role
    ]
    present = {kind.unit.type for kind in enemies if _comes_from(kind, aim)}
    return Aim(
        tuple(sorted(kind for kind in aim.types if kind in present)),
        aim.sonar and any(kind.unit.has("submerged") for kind in enemies),
        aim.place,
        aim.air and any(kind.unit.has("coverage") for kind in enemies),
        aim.role,
        aim.landed_from if any(not _comes_from(kind, aim) for kind in enemies) else "",
    )


def _comes_from(kind: Kind, aim: Aim) -> bool:
    """Say whether a unit on its way ashore comes from where an aim wants it."""
    by = "air" if kind.landed_from == "air" else "sea"
    return aim.landed_from in ("", by, kind.landed_from)


def ambushes(battle: Battle, edition: Edition, kind: Kind, role: str) -> bool:
    """Say whether a submarine fires from ambush: one level stronger, since it did not move in this movement step.

    On a step on which it is not active it cannot have moved; otherwise the table has to say so.
    """
    if not kind.unit.has("ambush") or battle.movement_step not in edition.ambush_steps:
        return False
    moved = kind.group.moved
    if moved is None:
        moved = battle.movement_step in kind.unit.movement_steps
    return not moved and (edition.ambush == "both" or role == "attack")


def has_cover(fight: Fight, kind: Kind, counts: Counts) -> bool:
    """Say whether a carrier has a fighter of its own nation in its space."""
    if not kind.unit.has("coverage"):
        return False
    return any(
        counts[other.index] and other.place == kind.place and other.nation == kind.nation
        for other in fight.kinds(kind.side)
        if other.unit.standard == "fighter"
    )


def armour_against(fight: Fight, kind: Kind, aim: Aim, counts: Counts) -> int:
    """Return a kind's armour level against a hit, coverage considered."""
    if (aim.air or fight.edition.coverage == "all") and has_cover(fight, kind, counts):
        return max(kind.unit.armour, fight.edition.coverage_level)
    return kind.unit.armour


def is_full_retreat(fight: Fight, counts: Counts) -> bool:
    """Say whether the defenders leave no control-capable unit behind."""
    return not any(
        counts[kind.index] and kind.holds and kind.role == "start" for kind in fight.kinds(DEFENDING)
    )

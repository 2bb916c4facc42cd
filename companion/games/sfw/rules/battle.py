"""A battle as the table describes it, and the fight that the rules work on.

`Battle` is what was declared and who is there: groups of like units by side. `companion.games.sfw.rules.battle_setup`
checks it and resolves it to a `Fight`: numbered kinds of units, each with its figures, place and condition. The
strength of a side at any moment is a tuple of counts, one for each of its kinds; nothing else changes.
Source: rulebook v0.96, Declaring Battles, Resolving Battles, Push Through, Disengage.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from companion.core.text import Say, unit
from companion.games.sfw.rules.battle_edition import Edition
from companion.games.sfw.rules.named import battle_side
from companion.games.sfw.rules.units import UnitSpec, UnitTable

__all__ = [
    "ATTACKING",
    "DEFENDING",
    "MAX_COUNT",
    "NOBODY",
    "SIDES",
    "SUPPORT",
    "TERRAINS",
    "Battle",
    "Counts",
    "Fight",
    "Group",
    "Kind",
    "Load",
    "Problem",
    "ProblemCode",
    "home_of",
    "may_unload",
    "other_side",
]

ATTACKING = "attacking"
DEFENDING = "defending"
SIDES = (ATTACKING, DEFENDING)
NOBODY = "nobody"
"""No side: the table says that the airfield does not roll."""
SUPPORT = "support"
"""Place of a unit that supports from a space in which no battle is declared."""

TERRAINS = ("land", "sea", "mountain", "desert", "road", "impassable")
MAX_COUNT = 99
"""Most units of one group; more than the box holds of any."""

Counts = tuple[int, ...]
Occasion = Literal["battle", "movement", "disengage"]


class ProblemCode:
    """Codes of what can be wrong with a battle; also used when a command is refused."""

    NOBODY = "nobody"
    BAD_COUNT = "bad_count"
    BAD_STEP = "bad_movement_step"
    BAD_DISTANCE = "bad_distance"
    UNKNOWN_UNIT = "unknown_unit"
    UNKNOWN_TERRAIN = "unknown_terrain"
    WRONG_TERRAIN = "wrong_terrain"
    WRONG_NATION = "wrong_nation"
    UPGRADED = "upgraded_unit"
    """The nation has upgraded all its units of this sort."""
    OUT_OF_RANGE = "out_of_range"
    NOT_A_TRANSPORT = "not_a_transport"
    NESTED_TRANSPORT = "nested_transport"
    CARGO_LIMIT = "cargo_limit"
    BAD_CHOICE = "bad_choice"
    BAD_SPLIT = "bad_split"
    BAD_BOMBING = "bad_bombing"
    COMBINED_FIRE = "combined_fire"
    COMBINED_TOO_FEW = "combined_too_few"
    NO_RETREAT = "no_retreat"
    NOT_IN_EDITION = "not_in_edition"
    EMPTY_TRANSPORTS = "empty_transports"
    """Empty transports neither declare a battle nor enter a space with enemies."""
    INACTIVE = "inactive"
    """Only units that are active in the movement step declare a battle."""
    PRINTED_VALUE_MISSING = "printed_value_missing"


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong with a battle, and where."""

    code: str
    say: Say
    side: str = ""
    """Side of the battle that it is about; empty: the whole battle."""
    group: int | None = None
    """Index of the group that it is about; None: all of the side."""
    unit: str = ""
    """Unit of that group."""

    def sentence(self) -> Say:
        """Return what is wrong, with the unit and side that it is about."""
        if self.group is None:
            return self.say
        where = battle_side(self.side)
        if not self.unit:
            return Say("{side}: {fault}", side=where, fault=self.say)
        return Say("{side}, {unit}: {fault}", side=where, unit=unit(self.unit), fault=self.say)


class Load(msgspec.Struct, frozen=True):
    """Units of one sort aboard each transport of a group."""

    unit: str
    count: int


class Group(msgspec.Struct, frozen=True, omit_defaults=True):
    """Like units of one nation in one place and in the same condition."""

    unit: str
    count: int = 1
    nation: str = ""
    distance: int = 0
    """Spaces from the battle space: 0 in it, more = supporting fire, unless `origin` is set."""
    origin: str = ""
    """Name of an active space of a paired marker (declared from range, or the transports' sea space)."""
    terrain: str = ""
    """Terrain of the unit's own space; empty: that of the battle, or unknown for a supporter."""
    moved: bool | None = None
    """Whether it moved in this movement step; None: not said, neither ambush nor deployed applies."""
    spent: bool = False
    """It has used its one attack (attacking) or one defence (defending) of this movement step."""
    choice: str = ""
    """Line that a light bomber defends with: ``surface`` or ``air``; empty: surface while there is any."""
    bombing: int = 0
    """Dice that each heavy bomber aims at the objective's resupply instead of at units."""
    dice: tuple[str, ...] = ()
    """Split rolls: colours of the dice used here by a supporter with several; empty: all of them."""
    combined: bool = False
    """Declared for combined fire."""
    cargo: tuple[Load, ...] = ()
    """What is aboard each transport of the group."""
    home: str = ""
    """Name of the space in which a supporter stands, where the table gives it."""
    fresh: bool = False
    """The table says that these are not the units known to have fired in this movement step."""
    unload: bool = True
    """An attacking air or sea transport means to unload on battle step 7B."""


def may_unload(battle: Battle, spec: UnitSpec) -> bool:
    """Say whether a kind of transport may unload in a battle: only in its own movement steps, else cargo stays aboard.

    A land transport's cargo is unloaded as soon as a battle begins, in any step.

    Source: rulebook v0.96, Transporting Units (Loading, Moving, and Unloading); first edition, Transporting Units
    """
    return battle.occasion == "battle" and (spec.has("mobile") or battle.movement_step in spec.movement_steps)


def home_of(group: Group) -> str:
    """Return the space in which units from outside the battle stand; empty where nobody has said."""
    return group.home or group.origin


class Battle(msgspec.Struct, frozen=True, omit_defaults=True):
    """One declared battle, or one bonus roll during movement, with everybody involved.

    occasion ``battle``: battle steps 1-7. ``movement``: attacking units move into or through a space and only
    the other side rolls. ``disengage``: the attacking side's land units roll once at the defending ones, who
    leave.
    """

    movement_step: int
    terrain: str
    attacking: tuple[Group, ...]
    defending: tuple[Group, ...]
    occasion: Occasion = "battle"
    airfield: str = ""
    """Side that controls the airfield fought over; it gets one anti-air roll on battle step 1. Empty: none, or not said."""
    sea_walls: int = 0
    """Defensive lines that fire at units landing from the sea on battle step 7B."""
    wall_facing: tuple[str, ...] = ()
    """Sea space that each of `sea_walls` faces, by the names of the origins; missing or empty: all of them."""
    lines: int = 0
    """Defensive lines whose dice are used on this entry (movement only)."""
    line_dice: tuple[int, ...] = ()
    """Where contiguous lines spread their dice: how many of each sort fire here; empty: all of `lines`."""
    bridge: bool = False
    """The movers cross an intact bridge into a space with enemies only (movement only)."""
    mines: int = 0
    push_through: bool = False
    contested: bool = False
    """Friends of the movers stand in the space (movement only)."""
    air_cancels_landing: bool = False
    """Table ruling: friendly air units alone make the space contested, so that landing defence falls away."""
    came_from: str = ""
    """Space from which the movers come, or the landing; empty: not said."""
    revealed: bool | None = None
    """Whether the attacking ships are a Hidden Fleet that was revealed there, so that they fight in any step; None: not said."""
    retreat: tuple[str, ...] = ()
    """Defending unit ids that retreat between battle steps 5 and 6 if attackers are left."""

    @property
    def movers(self) -> str:
        """The side that only moves under fire, of which some get through or none; empty in a battle for the space."""
        return {"movement": ATTACKING, "disengage": DEFENDING}.get(self.occasion, "")


class Kind(msgspec.Struct, frozen=True):
    """One kind of unit of a side during the fight."""

    index: int
    side: str
    unit: UnitSpec
    nation: str
    start: int
    """Count at the beginning; landing and leaving kinds begin at 0."""
    place: str
    """Empty in the battle space, `SUPPORT`, or the name of an active origin space."""
    distance: int
    terrain: str
    group: Group
    reach: int | None
    """Range from where it stands; None: unknown."""
    cost: int
    """Cost with everything aboard."""
    role: str = "start"
    """``start``; ``landing``: cargo on its way ashore; ``leaving``: in retreat."""
    source: int = -1
    """Kind that a landing or leaving kind comes from."""
    per: int = 0
    """Units of it for each one of its source."""
    landed_from: str = ""
    """A landing kind: ``air``, or the sea space of its transports."""
    is_ashore: bool = False
    """It was landed where friends stand: it is there, but its units never roll in this battle."""

    @property
    def is_active(self) -> bool:
        """It stands in a space activated for battle and can be lost."""
        return self.place != SUPPORT

    @property
    def holds(self) -> bool:
        """Control-capable in the battle space; `is_there` spelled out, since exact odds ask it very often."""
        return self.unit.control and self.place == "" and self.role != "leaving"

    @property
    def is_there(self) -> bool:
        """In the battle space, and not about to leave it."""
        return self.place == "" and self.role != "leaving"


class Fight(msgspec.Struct, frozen=True):
    """A checked battle in the form in which the rules work on it."""

    battle: Battle
    edition: Edition
    table: UnitTable
    attacking: tuple[Kind, ...]
    defending: tuple[Kind, ...]

    def kinds(self, side: str) -> tuple[Kind, ...]:
        """Return the kinds of a side, in the order given."""
        return self.attacking if side == ATTACKING else self.defending

    def start(self, side: str) -> Counts:
        """Return a side's counts at the beginning."""
        return tuple(kind.start for kind in self.kinds(side))

    def in_space(self, side: str, counts: Counts) -> int:
        """Return how many units of a side stand in the battle space."""
        return sum(
            count
            for kind, count in zip(self.kinds(side), counts, strict=True)
            if kind.place == "" and kind.role != "leaving"
        )


def other_side(side: str) -> str:
    """Return the side opposite."""
    return DEFENDING if side == ATTACKING else ATTACKING

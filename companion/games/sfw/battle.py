"""A battle as the table describes it, and the fight that the rules work on.

`Battle` is what was declared and who is there: groups of like units by side. `set_up` checks it and resolves it
to a `Fight`: numbered kinds of units, each with its figures, place and condition. The strength of a side at any
moment is a tuple of counts, one for each of its kinds; nothing else changes during a battle.
Source: rulebook v0.96, Declaring Battles, Resolving Battles, Push Through, Disengage.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from companion.games.sfw.battle_edition import Edition
from companion.games.sfw.units import UnitSpec, UnitTable

__all__ = [
    "ATTACKING",
    "DEFENDING",
    "MAX_COUNT",
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
    "other_side",
    "set_up",
]

ATTACKING = "attacking"
DEFENDING = "defending"
SIDES = (ATTACKING, DEFENDING)
SUPPORT = "support"
"""Place of a unit that supports from a space in which no battle is declared."""

TERRAINS = ("land", "sea", "mountain", "desert", "road", "impassable")
MAX_COUNT = 99
"""Most units of one group; more than the box holds of any."""

Counts = tuple[int, ...]
Occasion = Literal["battle", "movement", "disengage"]
_Wrong = Callable[[str, str], None]


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
    OUT_OF_RANGE = "out_of_range"
    NOT_A_TRANSPORT = "not_a_transport"
    NESTED_TRANSPORT = "nested_transport"
    CARGO_LIMIT = "cargo_limit"
    BAD_CHOICE = "bad_choice"
    BAD_SPLIT = "bad_split"
    BAD_BOMBING = "bad_bombing"
    COMBINED_FIRE = "combined_fire"
    NO_RETREAT = "no_retreat"
    NOT_IN_EDITION = "not_in_edition"
    PRINTED_VALUE_MISSING = "printed_value_missing"


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong with a battle: a code and a line that names the place."""

    code: str
    detail: str


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
    unload: bool = True
    """An attacking air or sea transport means to unload on battle step 7B."""


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
    """Side that controls the airfield fought over; it gets one anti-air roll on battle step 1."""
    sea_walls: int = 0
    """Defensive lines that fire at landing units on battle step 7B."""
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
    retreat: tuple[str, ...] = ()
    """Defending unit ids that retreat between battle steps 5 and 6 if attackers are left."""


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

    @property
    def is_active(self) -> bool:
        """It stands in a space activated for battle and can be lost."""
        return self.place != SUPPORT

    @property
    def holds(self) -> bool:
        """Control-capable in the battle space."""
        return self.unit.control and self.place == "" and self.role != "leaving"


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


def set_up(battle: Battle, edition: Edition, table: UnitTable) -> Fight | tuple[Problem, ...]:
    """Check a battle and resolve it, or say everything that is wrong with it.

    Not checked: whether the battle may be declared at all (movement, contested spaces), which only the board
    knows, and unknown figures (`companion.games.sfw.battle_rolls.missing`).
    """
    problems: list[Problem] = []
    _check_battle(battle, edition, problems)
    sides: dict[str, tuple[Kind, ...]] = {}
    for side in SIDES:
        groups = battle.attacking if side == ATTACKING else battle.defending
        kinds: list[Kind] = []
        for number, group in enumerate(groups):
            where = f"{side}[{number}] {group.unit}"
            kinds.extend(_kinds(battle, table, side, group, where, problems))
        sides[side] = _numbered(battle, edition, table, side, kinds)
        if not any(kind.start for kind in sides[side]) and not any(
            p.code == "unknown_unit" for p in problems
        ):
            if battle.occasion == "battle" or side == ATTACKING or not _tokens(battle):
                problems.append(Problem(ProblemCode.NOBODY, f"{side}: nobody is there"))
    problems.extend(_combined_problems(battle, edition, sides))
    for unit in battle.retreat:
        if unit not in table.units or not table.units[unit].has("retreat"):
            detail = f"retreat: {unit} has no retreat icon; if its tile shows one, enter {unit}.abilities"
            problems.append(Problem(ProblemCode.NO_RETREAT, detail))
    problems.extend(_nation_problems(sides))
    if problems:
        return tuple(problems)
    return Fight(battle, edition, table, sides[ATTACKING], sides[DEFENDING])


def _tokens(battle: Battle) -> int:
    return battle.lines + battle.mines + sum(battle.line_dice)


def _check_battle(battle: Battle, edition: Edition, problems: list[Problem]) -> None:
    if not 1 <= battle.movement_step <= 5:
        detail = f"movement_step: expected 1-5 (no battles on step 6), got {battle.movement_step}"
        if battle.occasion != "movement" or battle.movement_step != 6:
            problems.append(Problem(ProblemCode.BAD_STEP, detail))
    if battle.terrain not in TERRAINS:
        detail = f"terrain: expected one of {', '.join(TERRAINS)}, got {battle.terrain!r}"
        problems.append(Problem(ProblemCode.UNKNOWN_TERRAIN, detail))
    if battle.airfield not in ("", *SIDES):
        detail = f"airfield: expected attacking or defending, got {battle.airfield!r}"
        problems.append(Problem(ProblemCode.BAD_CHOICE, detail))
    for key in ("sea_walls", "lines", "mines"):
        value = getattr(battle, key)
        if not 0 <= value <= 24:
            problems.append(Problem(ProblemCode.BAD_COUNT, f"{key}: expected 0-24, got {value}"))
        if value and not (edition.mine if key == "mines" else edition.line_dice):
            problems.append(Problem(ProblemCode.NOT_IN_EDITION, f"{key}: {edition.key} has no such tokens"))
    if battle.mines > 6:
        problems.append(Problem(ProblemCode.BAD_COUNT, f"mines: at most 6 in a space, got {battle.mines}"))
    if any(count < 0 for count in battle.line_dice) or len(battle.line_dice) not in (
        0,
        len(edition.line_dice),
    ):
        detail = f"line_dice: expected {len(edition.line_dice)} counts, got {list(battle.line_dice)}"
        problems.append(Problem(ProblemCode.BAD_COUNT, detail))
    if battle.occasion == "movement" and battle.bridge and battle.contested:
        detail = "bridge: crossing into a contested space draws no fire"
        problems.append(Problem(ProblemCode.BAD_CHOICE, detail))
    if battle.retreat and not edition.has_retreat:
        problems.append(Problem(ProblemCode.NOT_IN_EDITION, f"retreat: {edition.key} has none"))
    if battle.occasion == "disengage":
        if not edition.has_disengage:
            problems.append(Problem(ProblemCode.NOT_IN_EDITION, f"disengage: {edition.key} has none"))
        if battle.movement_step not in (4, 5):
            detail = f"movement_step: land units disengage on steps 4 and 5, got {battle.movement_step}"
            problems.append(Problem(ProblemCode.BAD_STEP, detail))


def _kinds(
    battle: Battle, table: UnitTable, side: str, group: Group, where: str, problems: list[Problem]
) -> list[Kind]:
    spec = table.units.get(group.unit)
    if spec is None:
        detail = f"{where}: expected one of {', '.join(table.units)}, got {group.unit!r}"
        problems.append(Problem(ProblemCode.UNKNOWN_UNIT, detail))
        return []
    if not 0 <= group.count <= MAX_COUNT:
        detail = f"{where}: count: expected 0-{MAX_COUNT}, got {group.count}"
        problems.append(Problem(ProblemCode.BAD_COUNT, detail))
        return []
    if spec.nation and group.nation and group.nation != spec.nation:
        detail = f"{where}: {spec.name} belongs to {spec.nation} alone"
        problems.append(Problem(ProblemCode.WRONG_NATION, detail))
    if not 0 <= group.distance <= 9:
        detail = f"{where}: distance: expected 0-9, got {group.distance}"
        problems.append(Problem(ProblemCode.BAD_DISTANCE, detail))
        return []
    origin = group.origin
    if not origin and group.distance and group.cargo and spec.type == "sea":
        origin = "transports"
    place = "" if group.distance == 0 else origin or SUPPORT
    terrain = group.terrain or (battle.terrain if group.distance == 0 else "")
    reach = _reach(spec, terrain)
    _check_group(battle, table, spec, group, place, terrain, reach, where, problems)
    own = [_kind(side, spec, group, place, terrain, reach, group.count, spec.cost + _load_cost(table, group))]
    if spec.has("mobile"):
        # A land transport's cargo is unloaded as soon as the battle begins.
        own = [_kind(side, spec, group, place, terrain, reach, group.count, spec.cost)]
        for load in group.cargo:
            aboard = table.units.get(load.unit)
            if aboard is not None:
                riding = Group(
                    load.unit,
                    load.count * group.count,
                    group.nation,
                    group.distance,
                    group.origin,
                    group.terrain,
                    moved=group.moved,
                )
                count = max(0, min(MAX_COUNT, riding.count))
                reach = _reach(aboard, terrain)
                own.append(_kind(side, aboard, riding, place, terrain, reach, count, aboard.cost))
    return own


def _kind(
    side: str,
    spec: UnitSpec,
    group: Group,
    place: str,
    terrain: str,
    reach: int | None,
    count: int,
    cost: int,
) -> Kind:
    return Kind(
        index=-1,
        side=side,
        unit=spec,
        nation=group.nation,
        start=count,
        place=place,
        distance=group.distance,
        terrain=terrain,
        group=group,
        reach=reach,
        cost=cost,
    )


def _load_cost(table: UnitTable, group: Group) -> int:
    return sum(table.units[load.unit].cost * load.count for load in group.cargo if load.unit in table.units)


def _reach(spec: UnitSpec, terrain: str) -> int | None:
    if spec.range is not None and spec.has("long_range") and terrain == "mountain":
        return spec.range + 1
    return spec.range


def _check_group(
    battle: Battle,
    table: UnitTable,
    spec: UnitSpec,
    group: Group,
    place: str,
    terrain: str,
    reach: int | None,
    where: str,
    problems: list[Problem],
) -> None:
    def wrong(code: str, detail: str) -> None:
        problems.append(Problem(code, f"{where}: {detail}"))

    if group.terrain and group.terrain not in TERRAINS:
        wrong(ProblemCode.UNKNOWN_TERRAIN, f"terrain: expected one of {', '.join(TERRAINS)}")
    fault = _terrain_fault(spec, terrain)
    if fault:
        wrong(ProblemCode.WRONG_TERRAIN, fault)
    carries = bool(group.cargo) and bool(spec.capacity)
    if place == SUPPORT and not carries:
        if reach == 0:
            wrong(ProblemCode.OUT_OF_RANGE, f"{spec.name} has no range and cannot support from a distance")
        elif reach is not None and group.distance > reach:
            wrong(ProblemCode.OUT_OF_RANGE, f"range {reach}, {group.distance} spaces away")
    if group.choice not in ("", "surface", "air"):
        wrong(ProblemCode.BAD_CHOICE, f"choice: expected surface or air, got {group.choice!r}")
    if group.choice and not any(line.choice for line in spec.fire):
        wrong(ProblemCode.BAD_CHOICE, f"choice: {spec.name} has nothing to choose")
    if group.bombing:
        most = sum(line.dice for line in spec.fire if line.role != "defence")
        if not spec.has("targeted_bombing"):
            wrong(ProblemCode.BAD_BOMBING, f"bombing: {spec.name} has no targeted bombing")
        elif not 0 <= group.bombing <= most:
            wrong(ProblemCode.BAD_BOMBING, f"bombing: expected 0-{most} dice, got {group.bombing}")
        elif group in battle.defending:
            wrong(ProblemCode.BAD_BOMBING, "bombing: only when attacking")
    if group.dice:
        colours = [table.level_name(line.level) for line in spec.fire if line.level is not None]
        if place != SUPPORT:
            wrong(ProblemCode.BAD_SPLIT, "dice: only supporting fire may be split")
        elif len(colours) < 2 or any(group.dice.count(c) > colours.count(c) for c in group.dice):
            wrong(ProblemCode.BAD_SPLIT, f"dice: expected some of {colours}, got {list(group.dice)}")
    _check_cargo(table, spec, group, terrain, wrong)


def _terrain_fault(spec: UnitSpec, terrain: str) -> str:
    if not terrain or spec.type == "air":
        return ""
    if terrain == "impassable":
        return f"{spec.name} in an impassable space: only air units may be there"
    if spec.type == "sea" and terrain != "sea":
        return f"{spec.name} is a sea unit and cannot be on {terrain}"
    if spec.type == "land" and terrain == "sea":
        return f"{spec.name} is a land unit and cannot be at sea outside a transport"
    if spec.has("heavy") and terrain == "mountain":
        return f"{spec.name} cannot be in the mountains"
    return ""


def _check_cargo(table: UnitTable, spec: UnitSpec, group: Group, terrain: str, wrong: _Wrong) -> None:
    if not group.cargo:
        return
    if not spec.capacity:
        wrong(ProblemCode.NOT_A_TRANSPORT, f"cargo: {spec.name} carries nothing")
        return
    room = [capacity.count for capacity in spec.capacity]
    for load in group.cargo:
        aboard = table.units.get(load.unit)
        if aboard is None:
            wrong(ProblemCode.UNKNOWN_UNIT, f"cargo: {load.unit!r} is unknown")
            continue
        if load.count < 1:
            wrong(ProblemCode.BAD_COUNT, f"cargo: expected 1 or more {aboard.name}, got {load.count}")
            continue
        slot = next((n for n, c in enumerate(spec.capacity) if aboard.standard in c.units), None)
        if slot is None:
            code = ProblemCode.NESTED_TRANSPORT if aboard.capacity else ProblemCode.CARGO_LIMIT
            wrong(code, f"cargo: {spec.name} cannot carry {aboard.name}")
            continue
        room[slot] -= load.count
        if room[slot] < 0:
            limit = ", ".join(f"{c.count} of {'/'.join(c.units)}" for c in spec.capacity)
            wrong(ProblemCode.CARGO_LIMIT, f"cargo: at most {limit}; {load.count} {aboard.name} is too much")
    if terrain == "mountain" and not spec.has("mobile") and group.unload:
        wrong(ProblemCode.WRONG_TERRAIN, f"cargo: {spec.name} cannot unload to a mountain")


def _numbered(
    battle: Battle, edition: Edition, table: UnitTable, side: str, kinds: list[Kind]
) -> tuple[Kind, ...]:
    """Number the kinds and add those that come into being: landing cargo and units in retreat."""
    numbered = [msgspec.structs.replace(kind, index=n) for n, kind in enumerate(kinds)]
    extra: list[Kind] = []
    for kind in numbered:
        if side == ATTACKING and battle.occasion == "battle" and kind.group.unload:
            if kind.unit.type in ("air", "sea") and kind.group.cargo and kind.group.unit == kind.unit.id:
                extra.extend(_landing(battle, table, kind))
        if side == DEFENDING and kind.unit.id in battle.retreat and kind.place == "":
            if kind.unit.type == "land" and edition.has_retreat:
                extra.append(msgspec.structs.replace(kind, start=0, role="leaving", source=kind.index, per=1))
    first = len(numbered)
    later = [msgspec.structs.replace(kind, index=first + n) for n, kind in enumerate(extra)]
    return (*numbered, *later)


def _landing(battle: Battle, table: UnitTable, transport: Kind) -> list[Kind]:
    found = []
    for load in transport.group.cargo:
        spec = table.units.get(load.unit)
        if spec is None:
            continue
        group = Group(load.unit, 0, transport.nation)
        kind = _kind(
            transport.side, spec, group, "", battle.terrain, _reach(spec, battle.terrain), 0, spec.cost
        )
        found.append(msgspec.structs.replace(kind, role="landing", source=transport.index, per=load.count))
    return found


def _combined_problems(battle: Battle, edition: Edition, sides: dict[str, tuple[Kind, ...]]) -> list[Problem]:
    found = []
    for side in SIDES:
        kinds = [kind for kind in sides[side] if kind.group.combined and kind.role == "start"]
        if not kinds:
            continue
        if battle.occasion != "battle" or side not in edition.combined_sides:
            found.append(Problem(ProblemCode.COMBINED_FIRE, f"{side}: only attackers may combine fire"))
            continue
        if sum(kind.start for kind in kinds) < edition.combined_minimum:
            detail = f"{side}: combined fire needs {edition.combined_minimum} units or more"
            found.append(Problem(ProblemCode.COMBINED_FIRE, detail))
        levels = set()
        for kind in kinds:
            lines = [line for line in kind.unit.fire if line.role != "defence"]
            levels.update(line.level for line in lines)
            if not lines:
                detail = f"{side}: {kind.unit.name} has no attack to combine"
                found.append(Problem(ProblemCode.COMBINED_FIRE, detail))
            if kind.group.dice or kind.group.bombing:
                detail = f"{side}: {kind.unit.name} must put all its rolls into combined fire"
                found.append(Problem(ProblemCode.COMBINED_FIRE, detail))
        if not edition.combined_mixed and len(levels) > 1:
            detail = f"{side}: only units of one firepower colour may combine"
            found.append(Problem(ProblemCode.COMBINED_FIRE, detail))
    return found


def _nation_problems(sides: dict[str, tuple[Kind, ...]]) -> list[Problem]:
    nations = {side: {kind.nation for kind in sides[side] if kind.nation} for side in SIDES}
    both = sorted(nations[ATTACKING] & nations[DEFENDING])
    return [Problem(ProblemCode.WRONG_NATION, f"{nation} stands on both sides") for nation in both]

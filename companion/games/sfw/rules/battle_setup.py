"""From a battle as the table describes it to a fight, or to everything that is wrong with it.

Source: rulebook v0.96, Terrain, Transporting Units, Supporting Fire, Combined Fire, Targeted Bombing.
"""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.places import folded
from companion.core.text import Count, Name, Range, Say, Several, nation, several, unit
from companion.games.sfw.rules.battle import (
    ATTACKING,
    DEFENDING,
    MAX_COUNT,
    SIDES,
    SUPPORT,
    TERRAINS,
    Battle,
    Fight,
    Group,
    Kind,
    Problem,
    ProblemCode,
    may_unload,
)
from companion.games.sfw.rules.battle_conditions import condition_faults, no_terrain
from companion.games.sfw.rules.battle_edition import Edition
from companion.games.sfw.rules.battle_rolls import ambushes
from companion.games.sfw.rules.loads import fits, load_of, load_say
from companion.games.sfw.rules.named import battle_side, colour, terrain
from companion.games.sfw.rules.named import found as as_found
from companion.games.sfw.rules.units import Capacity, UnitSpec, UnitTable

__all__ = ["TRANSPORTS", "bombing_dice", "reach_of", "set_up"]

TRANSPORTS = ("air_transport", "sea_transport", "land_transport")
"""What the rules call transports: an Aircraft Carrier carries aircraft too, and fights."""

_TOKENS = 24
"""Most lines or mines that a roll could involve: all tokens in the box."""


def reach_of(spec: UnitSpec, terrain: str) -> int | None:
    """Return from how many spaces away a unit fights in a kind of terrain; None where its range is not known.

    Source: rulebook v0.96, Abilities, Range, Long Range
    """
    if spec.range is None or not (spec.has("long_range") and terrain == "mountain"):
        return spec.range
    return spec.range + 1


def bombing_dice(spec: UnitSpec) -> int:
    """Return how many dice each of a unit may aim at an Objective; 0 where it has no targeted bombing.

    Source: rulebook v0.96, Targeted Bombing
    """
    has_it = spec.has("targeted_bombing")
    return sum(line.dice for line in spec.fire if line.role != "defence") if has_it else 0


def set_up(
    battle: Battle, edition: Edition, table: UnitTable, *, has_begun: bool = False
) -> Fight | tuple[Problem, ...]:
    """Check a battle and resolve it, or say everything that is wrong with it.

    `has_begun`: units that were upgraded since keep their figures in it.

    Not checked: whether the battle may be declared at all (movement, contested spaces), which only the board
    knows, and unknown figures (`companion.games.sfw.rules.battle_fire.missing`).
    """
    work = _SetUp(battle, edition, table, has_begun=has_begun)
    work.check_battle()
    attacking, defending = work.side(ATTACKING), work.side(DEFENDING)
    work.check_both({ATTACKING: attacking, DEFENDING: defending})
    work.check_transports()
    work.check_declarers()
    work.check_bridge()
    if work.problems:
        return tuple(work.problems)
    return Fight(battle, edition, table, attacking, defending)


class _SetUp:
    """One check of one battle; gathers problems as it goes."""

    def __init__(self, battle: Battle, edition: Edition, table: UnitTable, *, has_begun: bool) -> None:
        self.battle = battle
        self.edition = edition
        self.table = table
        self.has_begun = has_begun
        self.problems: list[Problem] = []
        self.at: tuple[str, int | None, str] = ("", None, "")
        """Side, group and unit being looked at."""

    def wrong(self, code: str, say: Say) -> None:
        """Note a problem at the place being looked at."""
        self.problems.append(Problem(code, say, *self.at))

    def wrong_side(self, code: str, side: str, say: Say) -> None:
        """Note a problem of a whole side."""
        self.problems.append(Problem(code, Say("{side}: {fault}", side=battle_side(side), fault=say), side))

    def check_battle(self) -> None:
        """Check what does not hang on the units."""
        for code, say in condition_faults(self.battle, self.edition, self.table):
            self.wrong(code, say)

    def check_transports(self) -> None:
        """Refuse empty transports that would declare a battle or enter a contested or enemy-held space.

        Source: rulebook v0.96, Transports in Battle; table ruling "empty_transports"
        """
        battle, groups = self.battle, [group for group in self.battle.attacking if group.count]
        bars, stay = self.edition.bars_empty_transports, self.edition.empty_transports_stay
        if (
            self.has_begun
            or battle.occasion == "disengage"
            or (not bars and (stay or battle.occasion != "battle"))
        ):
            return
        empty = [n for n, group in enumerate(battle.attacking) if group.count and self._is_empty(group)]
        if battle.occasion == "battle":
            # Units that only support from a space without a marker declare nothing.
            declarers = [group for group in groups if not group.distance or group.origin or group.cargo]
            if bars and empty and all(self._is_empty(group) for group in declarers):
                self.wrong_side(
                    ProblemCode.EMPTY_TRANSPORTS,
                    ATTACKING,
                    Say("Empty transports cannot declare a battle. Load them, or add another unit."),
                )
                return
            barred = not stay
        else:
            there = any(group.count and not group.distance for group in battle.defending)
            barred = there or battle.push_through or battle.bridge or battle.contested or bool(battle.lines)
        for n in empty if barred else ():
            unit_id = battle.attacking[n].unit
            if not battle.attacking[n].distance:
                self.at = (ATTACKING, n, unit_id)
                self.wrong(
                    ProblemCode.EMPTY_TRANSPORTS,
                    Say("Empty transports must leave a contested space before a battle is declared there.")
                    if battle.occasion == "battle"
                    else Say("Empty transports cannot enter a space with enemy units. They stay out."),
                )
        self.at = ("", None, "")

    def check_declarers(self) -> None:
        """Refuse a battle that Land and Air Units would declare in a movement step in which none of them is active.

        Ships may be a Hidden Fleet that was revealed, with the aircraft aboard, which fights in any step, unless it is said
        that they are none.

        Source: rulebook v0.96, Declaring Battles; first edition, Declaring Battles, Fundamentals
        """
        battle = self.battle
        there = {group.unit for group in battle.attacking if group.count} & set(self.table.units)
        specs = [self.table.units[unit_id] for unit_id in there]
        if battle.occasion != "battle" or self.has_begun or not specs:
            return
        is_idle = all(battle.movement_step not in spec.movement_steps for spec in specs)
        active = [
            one
            for one, spec in self.table.units.items()
            if battle.movement_step in spec.movement_steps and not spec.base
        ]
        if is_idle and (battle.revealed is False or all(spec.type != "sea" for spec in specs)):
            self.wrong_side(
                ProblemCode.INACTIVE,
                ATTACKING,
                Say(
                    "None of these units is active in movement step {step}. Add one that is: {units}.",
                    step=battle.movement_step,
                    units=several(map(unit, active), "or"),
                ),
            )

    def check_bridge(self) -> None:
        """Refuse a bridge that nobody crosses: aircraft fly over it.

        Source: rulebook v0.96, Bridges, Moving Over a Bridge and Combat
        """
        battle = self.battle
        there = {group.unit for group in battle.attacking if group.count} & set(self.table.units)
        is_told_already = self.has_begun or battle.terrain == "sea"
        if battle.occasion != "movement" or not battle.bridge or is_told_already or not there:
            return
        if all(self.table.units[unit_id].type != "land" for unit_id in there):
            self.wrong_side(ProblemCode.BAD_CHOICE, ATTACKING, Say("Only Land Units cross a bridge."))

    def _is_empty(self, group: Group) -> bool:
        """Say whether a group is transports without anything aboard."""
        spec = self.table.units.get(group.unit)
        is_transport = spec is not None and spec.standard in TRANSPORTS
        return is_transport and not any(load.count > 0 for load in group.cargo)

    def side(self, side: str) -> tuple[Kind, ...]:
        """Check and resolve one side's groups."""
        battle = self.battle
        groups = battle.attacking if side == ATTACKING else battle.defending
        before = len(self.problems)
        kinds: list[Kind] = []
        for number, group in enumerate(groups):
            self.at = (side, number, group.unit if group.unit in self.table.units else "")
            kinds.extend(self._kinds(side, group))
        self.at = ("", None, "")
        tokens = battle.occasion == "movement" and side == DEFENDING and _tokens(battle)
        if not any(kind.start for kind in kinds) and len(self.problems) == before and not tokens:
            self.wrong_side(ProblemCode.NOBODY, side, Say("Nobody is there."))
        return self._numbered(side, kinds)

    def _kinds(self, side: str, group: Group) -> list[Kind]:
        spec = self.table.units.get(group.unit)
        if spec is None:
            self.wrong(
                ProblemCode.UNKNOWN_UNIT,
                Say(
                    "There is no such unit: {found}. The units are {units}.",
                    found=as_found(group.unit),
                    units=several(map(unit, self.table.units)),
                ),
            )
            return []
        if not 0 <= group.count <= MAX_COUNT:
            self.wrong(
                ProblemCode.BAD_COUNT,
                Say("Enter {most} units, not {count}.", most=Range(0, MAX_COUNT), count=group.count),
            )
            return []
        if not 0 <= group.distance <= 9:
            self.wrong(
                ProblemCode.BAD_DISTANCE,
                Say(
                    "Enter a distance of {spaces} spaces, not {distance}.",
                    spaces=Range(0, 9),
                    distance=group.distance,
                ),
            )
            return []
        if spec.nation and group.nation and group.nation != spec.nation:
            self.wrong(
                ProblemCode.WRONG_NATION,
                Say("Only one nation has this unit: {nation}.", nation=nation(spec.nation)),
            )
        self._check_upgrade(group.nation, group.unit)
        own = self._kind(side, spec, group)
        self._check_group(side, own)
        if not spec.has("mobile"):
            return [own]
        # A land transport's cargo is unloaded as soon as a battle begins, unless its owner may keep it aboard; while
        # it moves it stays aboard, and is set down where its transport is lost.
        stays = self.battle.occasion == "movement" or (self.edition.is_cargo_chosen and not group.unload)
        if stays:
            return [replace(own, cost=spec.weight)]
        found = [replace(own, cost=spec.weight, group=replace(group, cargo=()))]
        for load in group.cargo:
            aboard = self.table.units.get(load.unit)
            if aboard is not None and load.count > 0:
                count = min(MAX_COUNT, load.count * group.count)
                riding = replace(group, unit=load.unit, count=count, cargo=())
                found.append(self._kind(side, aboard, riding))
        return found

    def _check_upgrade(self, of: str, id_: str) -> None:
        """Refuse a unit that its nation has upgraded; one of no nation cannot be told."""
        now = self.table.owned(of, id_)
        if now != id_ and not self.has_begun:
            self.wrong(
                ProblemCode.UPGRADED,
                Say(
                    "{nation} has upgraded this unit. It now has: {unit}.", nation=nation(of), unit=unit(now)
                ),
            )

    def _kind(self, side: str, spec: UnitSpec, group: Group) -> Kind:
        origin = group.origin
        if not origin and group.distance and group.cargo and spec.type == "sea":
            origin = "transports"
        place = "" if group.distance == 0 else origin or SUPPORT
        terrain = group.terrain or (self.battle.terrain if group.distance == 0 else "")
        reach = reach_of(spec, terrain)
        units = self.table.units
        aboard = sum(units[load.unit].weight * load.count for load in group.cargo if load.unit in units)
        return Kind(
            index=-1,
            side=side,
            unit=spec,
            nation=group.nation,
            start=group.count,
            place=place,
            distance=group.distance,
            terrain=terrain,
            group=group,
            reach=reach,
            cost=spec.weight + aboard,
        )

    def _check_group(self, side: str, kind: Kind) -> None:
        spec, group = kind.unit, kind.group
        if group.terrain and group.terrain not in TERRAINS:
            self.wrong(ProblemCode.UNKNOWN_TERRAIN, no_terrain(group.terrain))
        fault = _terrain_fault(spec, kind.terrain)
        if fault is not None:
            self.wrong(ProblemCode.WRONG_TERRAIN, fault)
        if kind.place == SUPPORT and kind.reach == 0:
            self.wrong(
                ProblemCode.OUT_OF_RANGE,
                Say("This unit has no range, so it cannot support from a distance."),
            )
        elif kind.place == SUPPORT and kind.reach is not None and kind.distance > kind.reach:
            self.wrong(
                ProblemCode.OUT_OF_RANGE,
                Say.counted(
                    "Out of range: {n} space away, range {range}.",
                    "Out of range: {n} spaces away, range {range}.",
                    kind.distance,
                    range=kind.reach,
                ),
            )
        if group.choice not in ("", "surface", "air"):
            self.wrong(
                ProblemCode.BAD_CHOICE,
                Say(
                    "The unit fires at one of these: {targets}. Not {found}.",
                    targets=several((Name("target_choice", "surface"), Name("target_choice", "air")), "or"),
                    found=as_found(group.choice),
                ),
            )
        elif group.choice and not any(line.choice for line in spec.fire):
            self.wrong(ProblemCode.BAD_CHOICE, Say("This unit has no choice of targets."))
        if group.bombing:
            self._check_bombing(side, spec, group)
        if group.dice:
            colours = [self.table.level_name(line.level) for line in spec.fire if line.level is not None]
            if not self.edition.has_split_support:
                self.wrong(
                    ProblemCode.NOT_IN_EDITION, Say("Supporting fire cannot be split in this edition.")
                )
            elif kind.place != SUPPORT:
                self.wrong(ProblemCode.BAD_SPLIT, Say("Only supporting fire can be split."))
            elif len(colours) < 2 or any(group.dice.count(c) > colours.count(c) for c in group.dice):
                self.wrong(
                    ProblemCode.BAD_SPLIT,
                    Say(
                        "Choose from these dice: {dice}. Not {found}.",
                        dice=several(map(colour, colours)),
                        found=several(map(colour, group.dice)),
                    ),
                )
        self._check_cargo(kind)

    def _check_bombing(self, side: str, spec: UnitSpec, group: Group) -> None:
        most = bombing_dice(spec)
        if not spec.has("targeted_bombing"):
            self.wrong(ProblemCode.BAD_BOMBING, Say("This unit has no targeted bombing."))
        elif not 0 <= group.bombing <= most:
            self.wrong(
                ProblemCode.BAD_BOMBING,
                Say(
                    "{most} dice can aim at the objective, not {count}.",
                    most=Range(0, most),
                    count=group.bombing,
                ),
            )
        elif side == DEFENDING:
            self.wrong(ProblemCode.BAD_BOMBING, Say("Only attackers can bomb the objective."))

    def _check_cargo(self, kind: Kind) -> None:
        spec, group = kind.unit, kind.group
        if not group.cargo:
            return
        if not spec.capacity:
            self.wrong(ProblemCode.NOT_A_TRANSPORT, Say("This unit carries no cargo."))
            return
        room = [MAX_COUNT if capacity.count is None else capacity.count for capacity in spec.capacity]
        for load in group.cargo:
            aboard = self.table.units.get(load.unit)
            if aboard is None:
                self.wrong(
                    ProblemCode.UNKNOWN_UNIT,
                    Say("There is no such cargo: {found}.", found=as_found(load.unit)),
                )
                continue
            if load.count < 1:
                self.wrong(
                    ProblemCode.BAD_COUNT,
                    Say(
                        "Load at least {least} of this cargo: {unit}. Not {count}.",
                        least=1,
                        unit=unit(load.unit),
                        count=load.count,
                    ),
                )
                continue
            self._check_upgrade(group.nation, load.unit)
            slot = next((n for n, c in enumerate(spec.capacity) if aboard.standard in c.units), None)
            if slot is None:
                code = ProblemCode.NESTED_TRANSPORT if aboard.capacity else ProblemCode.CARGO_LIMIT
                self.wrong(
                    code,
                    Say("{transport} cannot carry {cargo}.", transport=unit(spec.id), cargo=unit(aboard.id)),
                )
                continue
            room[slot] -= load.count
            if room[slot] < 0:
                self.wrong(
                    ProblemCode.CARGO_LIMIT,
                    Say(
                        "Too much cargo: {load}. There is room for {room}.",
                        load=Count(load.count, unit(aboard.id)),
                        room=several(_room(capacity) for capacity in spec.capacity),
                    ),
                )
        whole = load_of(self.table, group)
        if not self.has_begun and fits(spec, whole) is False:
            self.wrong(
                ProblemCode.CARGO_LIMIT,
                Say(
                    "{transport} does not carry this together: {load}.",
                    transport=unit(spec.id),
                    load=load_say(whole),
                ),
            )
        lands = kind.side == ATTACKING and group.unload and not spec.has("mobile")
        if self.battle.terrain == "mountain" and lands and may_unload(self.battle, spec):
            self.wrong(
                ProblemCode.WRONG_TERRAIN, Say("{unit} cannot unload in the mountains.", unit=unit(spec.id))
            )

    def _numbered(self, side: str, kinds: list[Kind]) -> tuple[Kind, ...]:
        """Number the kinds and add those that come into being: landing cargo and units in retreat."""
        battle = self.battle
        numbered = [replace(kind, index=n) for n, kind in enumerate(kinds)]
        extra: list[Kind] = []
        lands_at_once = self.edition.contested_landing == "at_once" and self._has_friends(numbered)
        for kind in tuple(numbered):
            if battle.occasion != "battle":
                break
            carries = kind.unit.type in ("air", "sea") and bool(kind.unit.capacity)
            if side == ATTACKING and carries and kind.group.unload and may_unload(battle, kind.unit):
                if lands_at_once and any(load.count > 0 for load in kind.group.cargo):
                    extra.extend(self._ashore(kind))
                    numbered[kind.index] = replace(
                        kind, group=replace(kind.group, cargo=()), cost=kind.unit.weight
                    )
                else:
                    extra.extend(self._landing(kind))
            retreats = side == DEFENDING and kind.unit.id in battle.retreat and kind.place == ""
            if retreats and kind.unit.type == "land":
                extra.append(replace(kind, start=0, role="leaving", source=kind.index, per=1))
        first = len(numbered)
        return (*numbered, *(replace(kind, index=first + n) for n, kind in enumerate(extra)))

    def _landing(self, transport: Kind) -> list[Kind]:
        found = []
        for load in transport.group.cargo:
            spec = self.table.units.get(load.unit)
            if spec is not None and spec.type == "land":
                kind = self._kind(transport.side, spec, Group(load.unit, 0, transport.nation))
                by = "air" if transport.unit.type == "air" else folded(transport.place)
                found.append(
                    replace(kind, role="landing", source=transport.index, per=load.count, landed_from=by)
                )
        return found

    def _has_friends(self, attackers: list[Kind]) -> bool:
        """Say whether friends of a landing stand in the space; aircraft alone only where the table says so."""
        cancels = ("air", "sea", "land") if self.battle.air_cancels_landing else ("sea", "land")
        return any(
            kind.start and kind.place == "" and kind.unit.type in cancels and not kind.group.cargo
            for kind in attackers
        )

    def _ashore(self, transport: Kind) -> list[Kind]:
        """Return the cargo of a transport as units that stand in the space already and never roll."""
        found = []
        for load in transport.group.cargo:
            spec = self.table.units.get(load.unit)
            if spec is not None and spec.type == "land":
                count = min(MAX_COUNT, load.count * transport.start)
                group = Group(load.unit, count, transport.nation)
                found.append(replace(self._kind(transport.side, spec, group), is_ashore=True))
        return found

    def check_both(self, sides: dict[str, tuple[Kind, ...]]) -> None:
        """Check what hangs on all units together."""
        for side in SIDES:
            self._check_combined(side, [kind for kind in sides[side] if kind.group.combined])
        nations = {side: {kind.nation for kind in sides[side] if kind.nation} for side in SIDES}
        for both in sorted(nations[ATTACKING] & nations[DEFENDING]):
            self.wrong(
                ProblemCode.WRONG_NATION,
                Say("A nation cannot be on both sides: {nation}.", nation=nation(both)),
            )

    def _check_combined(self, side: str, kinds: list[Kind]) -> None:
        edition = self.edition
        if not kinds:
            return
        if self.battle.occasion != "battle" or side not in edition.combined_sides:
            why = (
                Say("Only units in battle can combine fire.")
                if side in edition.combined_sides
                else Say("Only attackers can combine fire.")
            )
            self.wrong_side(ProblemCode.COMBINED_FIRE, side, why)
            return
        if sum(kind.start for kind in kinds) < edition.combined_minimum:
            self.wrong_side(
                ProblemCode.COMBINED_TOO_FEW,
                side,
                Say("Combined fire needs at least {least} units.", least=edition.combined_minimum),
            )
        role = "attack" if side == ATTACKING else "defence"
        shared: set[int | None] | None = None
        for kind in kinds:
            lines = [line for line in kind.unit.fire if line.role in ("both", role)]
            raised = ambushes(self.battle, edition, kind, role)
            levels = {None if line.level is None else line.level + raised for line in lines}
            shared = levels if shared is None else shared & levels
            if not lines:
                self.wrong_side(
                    ProblemCode.COMBINED_FIRE,
                    side,
                    Say("No attack to combine: {unit}.", unit=unit(kind.unit.id))
                    if role == "attack"
                    else Say("No defence to combine: {unit}.", unit=unit(kind.unit.id)),
                )
            if kind.group.dice or kind.group.bombing:
                self.wrong_side(
                    ProblemCode.COMBINED_FIRE,
                    side,
                    Say("{unit} must put all its rolls into combined fire.", unit=unit(kind.unit.id)),
                )
        if not edition.combined_mixed and not shared:
            self.wrong_side(
                ProblemCode.COMBINED_FIRE,
                side,
                Say("Only units of the same firepower colour can combine fire."),
            )


def _tokens(battle: Battle) -> int:
    return battle.lines + battle.mines + sum(battle.line_dice)


def _room(capacity: Capacity) -> Say:
    """Return what there is room for aboard, as ``2 of Infantry or Tank``."""
    units = Several(tuple(map(unit, capacity.units)), "or")
    if capacity.count is None:
        return Say("{units}", units=units)
    return Say("{count} × {units}", count=capacity.count, units=units)


def _terrain_fault(spec: UnitSpec, on: str) -> Say | None:
    if not on or spec.type == "air":
        return None
    if on == "impassable":
        return Say("Only air units can be in an impassable space.")
    if spec.type == "sea" and on != "sea":
        return Say("A sea unit cannot be in this terrain: {terrain}.", terrain=terrain(on))
    if spec.type == "land" and on == "sea":
        return Say("A land unit can be at sea only aboard a transport.")
    if spec.has("heavy") and on == "mountain":
        return Say("This unit cannot be in the mountains.")
    return None

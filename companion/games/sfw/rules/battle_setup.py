"""From a battle as the table describes it to a fight, or to everything that is wrong with it.

Source: rulebook v0.96, Terrain, Transporting Units, Supporting Fire, Combined Fire, Targeted Bombing.
"""

from __future__ import annotations

from msgspec.structs import replace

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
)
from companion.games.sfw.rules.battle_edition import Edition
from companion.games.sfw.rules.battle_rolls import ambushes
from companion.games.sfw.rules.units import UnitSpec, UnitTable

__all__ = ["set_up"]

_TOKENS = 24
"""Most lines or mines that a roll could involve: all tokens in the box."""


def set_up(battle: Battle, edition: Edition, table: UnitTable) -> Fight | tuple[Problem, ...]:
    """Check a battle and resolve it, or say everything that is wrong with it.

    Not checked: whether the battle may be declared at all (movement, contested spaces), which only the board
    knows, and unknown figures (`companion.games.sfw.rules.battle_fire.missing`).
    """
    work = _SetUp(battle, edition, table)
    work.check_battle()
    attacking, defending = work.side(ATTACKING), work.side(DEFENDING)
    work.check_both({ATTACKING: attacking, DEFENDING: defending})
    if work.problems:
        return tuple(work.problems)
    return Fight(battle, edition, table, attacking, defending)


class _SetUp:
    """One check of one battle; gathers problems as it goes."""

    def __init__(self, battle: Battle, edition: Edition, table: UnitTable) -> None:
        self.battle = battle
        self.edition = edition
        self.table = table
        self.problems: list[Problem] = []
        self.where = ""

    def wrong(self, code: str, detail: str) -> None:
        """Note a problem at the place being looked at."""
        self.problems.append(Problem(code, f"{self.where}: {detail}" if self.where else detail))

    def check_battle(self) -> None:
        """Check what does not hang on the units."""
        battle, edition = self.battle, self.edition
        if not 1 <= battle.movement_step <= 5 and (battle.occasion, battle.movement_step) != ("movement", 6):
            self.wrong(
                ProblemCode.BAD_STEP,
                f"movement_step: expected 1-5 (no battles on step 6), got {battle.movement_step}",
            )
        if battle.terrain not in TERRAINS:
            self.wrong(
                ProblemCode.UNKNOWN_TERRAIN,
                f"terrain: expected one of {', '.join(TERRAINS)}, got {battle.terrain!r}",
            )
        if battle.airfield not in ("", *SIDES):
            self.wrong(
                ProblemCode.BAD_CHOICE, f"airfield: expected attacking or defending, got {battle.airfield!r}"
            )
        elif battle.airfield and not edition.has_airfield_fire:
            self.wrong(ProblemCode.NOT_IN_EDITION, f"airfield: {edition.key} gives airfields no roll")
        for key, most in (("sea_walls", _TOKENS), ("lines", _TOKENS), ("mines", 6)):
            value = getattr(battle, key)
            if not 0 <= value <= most:
                self.wrong(ProblemCode.BAD_COUNT, f"{key}: expected 0-{most}, got {value}")
            if value and not (edition.mine if key == "mines" else edition.line_dice):
                self.wrong(ProblemCode.NOT_IN_EDITION, f"{key}: {edition.key} has no such tokens")
        sorts = len(edition.line_dice)
        if any(count < 0 for count in battle.line_dice) or len(battle.line_dice) not in (0, sorts):
            self.wrong(
                ProblemCode.BAD_COUNT, f"line_dice: expected {sorts} counts, got {list(battle.line_dice)}"
            )
        elif any(
            count > dice.dice * _TOKENS
            for count, dice in zip(battle.line_dice, edition.line_dice, strict=False)
        ):
            self.wrong(
                ProblemCode.BAD_COUNT,
                f"line_dice: {list(battle.line_dice)} are more than {_TOKENS} lines together roll",
            )
        if battle.bridge and not edition.has_bridges:
            self.wrong(ProblemCode.NOT_IN_EDITION, f"bridge: {edition.key} has none")
        if battle.push_through and battle.contested and not edition.push_contested:
            self.wrong(
                ProblemCode.BAD_CHOICE, "push_through: units move freely through a contested space here"
            )
        if battle.occasion == "movement" and battle.bridge and battle.contested:
            self.wrong(ProblemCode.BAD_CHOICE, "bridge: crossing into a contested space draws no fire")
        if battle.retreat and not edition.has_retreat:
            self.wrong(ProblemCode.NOT_IN_EDITION, f"retreat: {edition.key} has none")
        if battle.occasion == "disengage":
            if not edition.has_disengage:
                self.wrong(ProblemCode.NOT_IN_EDITION, f"disengage: {edition.key} has none")
            if battle.movement_step not in (4, 5):
                self.wrong(
                    ProblemCode.BAD_STEP,
                    f"movement_step: land units disengage on steps 4 and 5, got {battle.movement_step}",
                )
        for unit in battle.retreat:
            if unit not in self.table.units or not self.table.units[unit].has("retreat"):
                self.wrong(
                    ProblemCode.NO_RETREAT,
                    f"retreat: {unit} has no retreat icon (enter {unit}.abilities if its tile shows one)",
                )

    def side(self, side: str) -> tuple[Kind, ...]:
        """Check and resolve one side's groups."""
        battle = self.battle
        groups = battle.attacking if side == ATTACKING else battle.defending
        before = len(self.problems)
        kinds: list[Kind] = []
        for number, group in enumerate(groups):
            self.where = f"{side}[{number}] {group.unit}"
            kinds.extend(self._kinds(side, group))
        self.where = ""
        tokens = battle.occasion == "movement" and side == DEFENDING and _tokens(battle)
        if not any(kind.start for kind in kinds) and len(self.problems) == before and not tokens:
            self.wrong(ProblemCode.NOBODY, f"{side}: nobody is there")
        return self._numbered(side, kinds)

    def _kinds(self, side: str, group: Group) -> list[Kind]:
        spec = self.table.units.get(group.unit)
        if spec is None:
            self.wrong(
                ProblemCode.UNKNOWN_UNIT,
                f"expected one of {', '.join(self.table.units)}, got {group.unit!r}",
            )
            return []
        if not 0 <= group.count <= MAX_COUNT:
            self.wrong(ProblemCode.BAD_COUNT, f"count: expected 0-{MAX_COUNT}, got {group.count}")
            return []
        if not 0 <= group.distance <= 9:
            self.wrong(ProblemCode.BAD_DISTANCE, f"distance: expected 0-9, got {group.distance}")
            return []
        if spec.nation and group.nation and group.nation != spec.nation:
            self.wrong(ProblemCode.WRONG_NATION, f"{spec.name} belongs to {spec.nation} alone")
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

    def _kind(self, side: str, spec: UnitSpec, group: Group) -> Kind:
        origin = group.origin
        if not origin and group.distance and group.cargo and spec.type == "sea":
            origin = "transports"
        place = "" if group.distance == 0 else origin or SUPPORT
        terrain = group.terrain or (self.battle.terrain if group.distance == 0 else "")
        reach = spec.range
        if reach is not None and spec.has("long_range") and terrain == "mountain":
            reach += 1
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
            self.wrong(ProblemCode.UNKNOWN_TERRAIN, f"terrain: expected one of {', '.join(TERRAINS)}")
        fault = _terrain_fault(spec, kind.terrain)
        if fault:
            self.wrong(ProblemCode.WRONG_TERRAIN, fault)
        if kind.place == SUPPORT and kind.reach == 0:
            self.wrong(
                ProblemCode.OUT_OF_RANGE, f"{spec.name} has no range and cannot support from a distance"
            )
        elif kind.place == SUPPORT and kind.reach is not None and kind.distance > kind.reach:
            self.wrong(ProblemCode.OUT_OF_RANGE, f"range {kind.reach}, {kind.distance} spaces away")
        if group.choice not in ("", "surface", "air"):
            self.wrong(ProblemCode.BAD_CHOICE, f"choice: expected surface or air, got {group.choice!r}")
        elif group.choice and not any(line.choice for line in spec.fire):
            self.wrong(ProblemCode.BAD_CHOICE, f"choice: {spec.name} has nothing to choose")
        if group.bombing:
            self._check_bombing(side, spec, group)
        if group.dice:
            colours = [self.table.level_name(line.level) for line in spec.fire if line.level is not None]
            if not self.edition.has_split_support:
                self.wrong(
                    ProblemCode.NOT_IN_EDITION, f"dice: {self.edition.key} does not split supporting fire"
                )
            elif kind.place != SUPPORT:
                self.wrong(ProblemCode.BAD_SPLIT, "dice: only supporting fire may be split")
            elif len(colours) < 2 or any(group.dice.count(c) > colours.count(c) for c in group.dice):
                self.wrong(ProblemCode.BAD_SPLIT, f"dice: expected some of {colours}, got {list(group.dice)}")
        self._check_cargo(kind)

    def _check_bombing(self, side: str, spec: UnitSpec, group: Group) -> None:
        most = sum(line.dice for line in spec.fire if line.role != "defence")
        if not spec.has("targeted_bombing"):
            self.wrong(ProblemCode.BAD_BOMBING, f"bombing: {spec.name} has no targeted bombing")
        elif not 0 <= group.bombing <= most:
            self.wrong(ProblemCode.BAD_BOMBING, f"bombing: expected 0-{most} dice, got {group.bombing}")
        elif side == DEFENDING:
            self.wrong(ProblemCode.BAD_BOMBING, "bombing: only when attacking")

    def _check_cargo(self, kind: Kind) -> None:
        spec, group = kind.unit, kind.group
        if not group.cargo:
            return
        if not spec.capacity:
            self.wrong(ProblemCode.NOT_A_TRANSPORT, f"cargo: {spec.name} carries nothing")
            return
        room = [MAX_COUNT if capacity.count is None else capacity.count for capacity in spec.capacity]
        for load in group.cargo:
            aboard = self.table.units.get(load.unit)
            if aboard is None:
                self.wrong(ProblemCode.UNKNOWN_UNIT, f"cargo: {load.unit!r} is unknown")
                continue
            if load.count < 1:
                self.wrong(
                    ProblemCode.BAD_COUNT, f"cargo: expected 1 or more {aboard.name}, got {load.count}"
                )
                continue
            slot = next((n for n, c in enumerate(spec.capacity) if aboard.standard in c.units), None)
            if slot is None:
                code = ProblemCode.NESTED_TRANSPORT if aboard.capacity else ProblemCode.CARGO_LIMIT
                self.wrong(code, f"cargo: {spec.name} cannot carry {aboard.name}")
                continue
            room[slot] -= load.count
            if room[slot] < 0:
                limit = ", ".join(f"{c.count} of {'/'.join(c.units)}" for c in spec.capacity)
                self.wrong(
                    ProblemCode.CARGO_LIMIT,
                    f"cargo: at most {limit}, {load.count} {aboard.name} is too much",
                )
        lands = kind.side == ATTACKING and group.unload and not spec.has("mobile")
        if self.battle.terrain == "mountain" and lands and self.battle.occasion == "battle":
            self.wrong(ProblemCode.WRONG_TERRAIN, f"cargo: {spec.name} cannot unload to a mountain")

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
            if side == ATTACKING and carries and kind.group.unload:
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
                found.append(replace(kind, role="landing", source=transport.index, per=load.count))
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
        for nation in sorted(nations[ATTACKING] & nations[DEFENDING]):
            self.wrong(ProblemCode.WRONG_NATION, f"{nation} stands on both sides")

    def _check_combined(self, side: str, kinds: list[Kind]) -> None:
        edition = self.edition
        if not kinds:
            return
        if self.battle.occasion != "battle" or side not in edition.combined_sides:
            who = "units in battle" if side in edition.combined_sides else "attackers"
            self.wrong(ProblemCode.COMBINED_FIRE, f"{side}: only {who} may combine fire")
            return
        if sum(kind.start for kind in kinds) < edition.combined_minimum:
            self.wrong(
                ProblemCode.COMBINED_TOO_FEW,
                f"{side}: combined fire needs {edition.combined_minimum} units or more",
            )
        role = "attack" if side == ATTACKING else "defence"
        shared: set[int | None] | None = None
        for kind in kinds:
            lines = [line for line in kind.unit.fire if line.role in ("both", role)]
            raised = ambushes(self.battle, edition, kind, role)
            levels = {None if line.level is None else line.level + raised for line in lines}
            shared = levels if shared is None else shared & levels
            if not lines:
                self.wrong(ProblemCode.COMBINED_FIRE, f"{side}: {kind.unit.name} has no {role} to combine")
            if kind.group.dice or kind.group.bombing:
                self.wrong(
                    ProblemCode.COMBINED_FIRE,
                    f"{side}: {kind.unit.name} must put all its rolls into combined fire",
                )
        if not edition.combined_mixed and not shared:
            self.wrong(ProblemCode.COMBINED_FIRE, f"{side}: only units of one firepower colour may combine")


def _tokens(battle: Battle) -> int:
    return battle.lines + battle.mines + sum(battle.line_dice)


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

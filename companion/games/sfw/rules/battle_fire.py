"""Who rolls which dice at which number, and why a unit does not roll.

One battle step of one side at one moment: `rolls` lists the volleys (like units, dice of one colour, one number,
one aim) and the silent kinds with a reason. It looks only at the counts of both sides. Play and odds both use it.
Source: rulebook v0.96, Firepower, Standard Unit Abilities, Battle Steps, Supporting Fire, Combined Fire.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from msgspec.structs import replace

from companion.core.places import folded
from companion.games.sfw.rules.battle import (
    ATTACKING,
    DEFENDING,
    SIDES,
    SUPPORT,
    Battle,
    Counts,
    Fight,
    Kind,
    other_side,
)
from companion.games.sfw.rules.battle_edition import BonusDice, Edition
from companion.games.sfw.rules.battle_rolls import (
    OBJECTIVE,
    Aim,
    Reason,
    Rolls,
    Silent,
    Volley,
    ambushes,
    can_hit,
    plain_aim,
    steps,
)
from companion.games.sfw.rules.units import ABILITIES, Fire, UnitSpec, number_figure

__all__ = ["contributors", "has_twelves", "inferred", "missing", "rolls", "unpriced"]

_TOKEN_STEPS = ("line", "mine", "7B")
_NORMAL_STEPS = ("1", "2", "3", "4", "5", "6")


def rolls(fight: Fight, step: str, side: str, own: Counts, enemy: Counts) -> Rolls:
    """Return what a side rolls on a step, given the counts of both sides.

    On ``retreat`` the counts are those after the retreating units were set apart, on 7B and 7C those after
    unloading. Whether the step is due at all is not asked.
    """
    if step in _TOKEN_STEPS:
        return _token_rolls(fight, step, side, enemy)
    return _Roller(fight, step, side, enemy).all(own)


class _Roller:
    """One side's rolls on one step against the enemies there are."""

    def __init__(self, fight: Fight, step: str, side: str, enemy: Counts) -> None:
        self.fight = fight
        self.step = step
        self.side = side
        self.enemy = enemy
        self.role = _role(step, side)
        self.volleys: list[Volley] = []
        self.needs: list[str] = []

    def all(self, own: Counts) -> Rolls:
        """Return every volley, and every kind that does not roll."""
        silent: list[Silent] = []
        if self.step == "1":
            self._airfield()
        combiners = sum(own[kind.index] for kind in self.fight.kinds(self.side) if kind.group.combined)
        for kind in self.fight.kinds(self.side):
            count = own[kind.index]
            if not count:
                continue
            if self._has_symbols and kind.role == "start":
                self._anti_air(kind, count)
            reason = self.silence(kind, combiners)
            if reason is None:
                reason = self._fire(kind, count)
            if reason is not None:
                silent.append(Silent(self.side, kind.index, count, reason))
        return Rolls(tuple(self.volleys), tuple(silent), tuple(dict.fromkeys(self.needs)))

    def silence(self, kind: Kind, combiners: int) -> str | None:
        """Return why a kind has no roll on the step whatever the enemy is; None when it may have one."""
        reason = self._barred(kind, combiners)
        return Reason.MOVED if reason is None and self._has_moved(kind) else reason

    def _has_moved(self, kind: Kind) -> bool:
        """Say whether a deployed unit moved in this movement step, so that it does not roll.

        Source: rulebook v0.96, Abilities, Deployed; table ruling "deployed_step"
        """
        edition = self.fight.edition
        if (
            not (kind.unit.has("deployed") and kind.group.moved)
            or self._movement_step not in edition.deployed_steps
        ):
            return False
        is_bonus = self.step not in (*_NORMAL_STEPS, "7A")
        if not edition.deployed_whole_step:
            return self.role == "attack" and not is_bonus
        return edition.deployed_bonus or not is_bonus

    def _barred(self, kind: Kind, combiners: int) -> str | None:
        step, edition = self.step, self.fight.edition
        if kind.role != "start":
            return Reason.UNLOADING if kind.role == "landing" else Reason.MOVERS
        if kind.is_ashore and self.role == "attack":
            return Reason.UNLOADING
        if not kind.unit.fire:
            return Reason.NO_FIREPOWER
        if step in ("bridge", "push"):
            return Reason.MOVERS if self.side == ATTACKING else None
        if step == "7C":
            return Reason.OTHER_STEP if self.side == ATTACKING else None
        if step in ("retreat", "disengage"):
            if self.side == DEFENDING:
                return Reason.MOVERS if step == "disengage" else Reason.OTHER_STEP
            land_only = edition.disengage_land_only if step == "disengage" else edition.retreat_land_only
            if land_only and kind.unit.type != "land":
                return Reason.NOT_LAND
            return None if kind.place == "" else Reason.OUT_OF_SPACE
        if step == "7A":
            if not kind.group.combined:
                return Reason.OTHER_STEP
            if combiners < edition.combined_left:
                return Reason.ALONE
        elif int(step) not in kind.unit.battle_steps:
            return Reason.OTHER_STEP
        elif kind.group.combined:
            return Reason.COMBINED
        if kind.group.spent:
            return Reason.SPENT
        return None

    @property
    def _has_symbols(self) -> bool:
        """Anti-air symbols roll on this step."""
        edition = self.fight.edition
        return self.step == "1" or (self.step == "push" and edition.push_anti_air and self.side == DEFENDING)

    @property
    def _movement_step(self) -> int:
        return self.fight.battle.movement_step

    def _fire(self, kind: Kind, count: int) -> str | None:
        """Add a kind's volleys; return the reason when there are none."""
        before = len(self.volleys) + len(self.needs)
        lines = [line for line in kind.unit.fire if line.role in ("both", self.role)]
        bombing = kind.group.bombing if self.step in _NORMAL_STEPS and self.role == "attack" else 0
        if not lines:
            return Reason.ATTACK_ONLY if self.role == "defence" else Reason.DEFENCE_ONLY
        if bombing:
            self._add(kind, lines[0], Aim((OBJECTIVE,), False, "", True), bombing * count, count=count)
        reasons: list[str] = []
        ready: list[tuple[Fire, Aim, int]] = []
        for line in _selected(self.fight, kind, lines):
            aimed = self._aim(kind, line)
            if isinstance(aimed, tuple):
                ready.append((line, *aimed))
            elif aimed.startswith("?"):
                self.needs.append(f"{kind.unit.id}.{aimed[1:]}")
            else:
                reasons.append(aimed)
        for line, aim, distance in _chosen(kind, ready):
            if line.dice <= bombing:
                reasons.append(Reason.BOMBING)
            elif not self._add(
                kind, line, aim, (line.dice - bombing) * count, count=count, distance=distance
            ):
                reasons.append(Reason.CANNOT_HIT)
        return None if len(self.volleys) + len(self.needs) > before else _weightiest(reasons)

    def _aim(self, kind: Kind, line: Fire) -> tuple[Aim, int] | str:
        """Return the aim of a line and its distance, a reason, or ``?figure`` when a figure is unknown."""
        targets = line.targets or kind.unit.targets_at_least
        if self.step == "bridge":
            targets = tuple(type_ for type_ in targets if type_ == "land")
        role, others = _target_role(self.step), self._targets
        reason = Reason.NO_TARGET
        for place, distance in _places(kind, others):
            fault = _distance_fault(kind, distance)
            if fault:
                reason = "?range" if fault == "range" else reason
                continue
            full = Aim(tuple(targets), kind.unit.has("sonar"), place, kind.unit.type == "air", role)
            aim = plain_aim(self.fight, self.side, full)
            here = [other for other in others if other.place == place]
            if any(can_hit(other, aim) for other in here):
                return aim, distance
            if line.targets is None:
                return "?targets"
            if any(other.unit.type in targets for other in here):
                reason = Reason.NO_SONAR
        return reason

    @cached_property
    def _targets(self) -> list[Kind]:
        """The enemies there are that may be fired at on the step, aims aside."""
        role = _target_role(self.step)
        return [
            other
            for other in self.fight.kinds(other_side(self.side))
            if self.enemy[other.index] and other.is_active and other.role == role
        ]

    def _add(self, kind: Kind, line: Fire, aim: Aim, dice: int, *, count: int, distance: int = 0) -> bool:
        """Add a volley of a line, or the figure it lacks; False when it would need more than the die shows."""
        edition, number = self.fight.edition, line.number
        if edition.high_ground == "number" and self._is_on_high_ground(kind):
            number = min(number or 12, edition.high_ground_number)
        if line.level is None or number is None:
            figure = "level" if line.level is None else number_figure(self.fight.table, kind.unit, line.level)
            self.needs.append(f"{kind.unit.id}.{figure}")
            return True
        level = line.level + ambushes(self.fight.battle, edition, kind, self.role)
        if edition.high_ground == "level" and self._is_on_high_ground(kind):
            level += 1
        penalised = self.step == "7A" and kind.unit.standard == "heavy_bomber"
        if penalised and edition.combined_heavy_bomber is not None:
            number = max(number, edition.combined_heavy_bomber)
        number += edition.range_penalty * distance
        if number > 12:
            return False
        takes_units = aim.types != (OBJECTIVE,)
        self.volleys.append(
            Volley(
                side=self.side,
                kind=kind.index,
                source=kind.unit.id,
                nation=kind.nation,
                units=count,
                dice=dice,
                level=min(level, len(edition.capacity)),
                number=number,
                aim=aim,
                extra_shot=kind.unit.has("extra_shot"),
                is_chained=edition.extra_shot_again,
                level_up=takes_units and kind.unit.has("level_up"),
                precise=takes_units and kind.unit.has("precise_hit"),
            )
        )
        return True

    def _is_on_high_ground(self, kind: Kind) -> bool:
        return kind.unit.has("high_ground") and self.role == "defence" and kind.terrain == "mountain"

    def _has_air_enemy(self, place: str) -> bool:
        return any(
            self.enemy[other.index]
            and other.place == place
            and other.unit.type == "air"
            and other.role == "start"
            for other in self.fight.kinds(other_side(self.side))
        )

    def _anti_air(self, kind: Kind, count: int) -> None:
        """Add the bonus rolls of anti-air icons: standard anti-air firepower, against air in the same space."""
        icons = kind.unit.anti_air
        if icons == 0 or kind.place == SUPPORT or not self._has_air_enemy(kind.place):
            return
        if kind.group.spent and self.step == "1" and not self.fight.edition.is_anti_air_free:
            return
        if icons is None:
            self.needs.append(f"{kind.unit.id}.anti_air")
            return
        found = self._standard(kind.index, kind.unit.id, kind.nation, kind.place, count=count, icons=icons)
        if found is not None and self.fight.edition.anti_air_abilities:
            found = replace(
                found,
                extra_shot=kind.unit.has("extra_shot"),
                is_chained=self.fight.edition.extra_shot_again,
                level_up=kind.unit.has("level_up"),
                precise=kind.unit.has("precise_hit"),
            )
        self.volleys.extend([] if found is None else [found])

    def _airfield(self) -> None:
        """Add the bonus roll of an airfield for the side that controls it."""
        if self.fight.battle.airfield == self.side and self._has_air_enemy(""):
            found = self._standard(-1, "airfield", "", "", count=1, icons=1)
            self.volleys.extend([] if found is None else [found])

    def _standard(
        self, index: int, source: str, nation: str, place: str, *, count: int, icons: int
    ) -> Volley | None:
        line = self.fight.table.units["anti_air"].fire[0]
        if line.level is None or line.number is None:
            self.needs.append(f"anti_air.{'level' if line.level is None else 'number'}")
            return None
        aim = plain_aim(self.fight, self.side, Aim(("air",), False, place, False))
        return Volley(self.side, index, source, nation, count, count * icons, line.level, line.number, aim)


def has_twelves(spec: UnitSpec) -> bool:
    """Say whether a unit has an ability that a rolled 12 brings."""
    return any(spec.has(ability) for ability in ("extra_shot", "level_up", "precise_hit"))


def _role(step: str, side: str) -> str:
    """Return the role in which a kind fires: bonus rolls at those who leave are attack rolls."""
    if step in ("retreat", "disengage"):
        return "attack"
    return "attack" if side == ATTACKING else "defence"


def _target_role(step: str) -> str:
    if step == "7C":
        return "landing"
    return "leaving" if step == "retreat" else "start"


def _weightiest(reasons: list[str]) -> str:
    for reason in (Reason.BOMBING, Reason.CANNOT_HIT, Reason.NO_SONAR, Reason.NO_TARGET):
        if reason in reasons:
            return reason
    return reasons[0] if reasons else Reason.NO_TARGET


def _selected(fight: Fight, kind: Kind, lines: list[Fire]) -> list[Fire]:
    """Return the lines that a split supporter uses here."""
    if not kind.group.dice:
        return lines
    left = list(kind.group.dice)
    found = []
    for line in lines:
        name = "" if line.level is None else fight.table.level_name(line.level)
        if name in left:
            left.remove(name)
            found.append(line)
    return found


def _chosen(kind: Kind, ready: list[tuple[Fire, Aim, int]]) -> list[tuple[Fire, Aim, int]]:
    """Keep one of the lines that exclude each other: the owner's choice, else the first with a target."""
    choices = [line.choice for line, _, _ in ready if line.choice]
    if len(set(choices)) < 2:
        return ready
    wanted = kind.group.choice if kind.group.choice in choices else choices[0]
    return [item for item in ready if item[0].choice in ("", wanted)]


def _distance_fault(kind: Kind, distance: int) -> str:
    """Return why a distance cannot be reached: ``range`` when that is not known, ``far``, or nothing."""
    if distance == 0:
        return ""
    if kind.reach is None:
        return "" if distance <= kind.unit.range_at_least else "range"
    return "" if distance <= kind.reach else "far"


def _places(kind: Kind, others: Sequence[Kind]) -> list[tuple[str, int]]:
    """Return the active places with enemies and their distance, nearest first, the battle space before others."""
    found: dict[str, int] = {}
    for other in others:
        if other.place == kind.place:
            found[other.place] = 0
        elif other.place == "":
            found[""] = kind.distance
        elif kind.place == "":
            found[other.place] = other.distance
    return sorted(found.items(), key=lambda item: (item[1], item[0]))


def _token_rolls(fight: Fight, step: str, side: str, enemy: Counts) -> Rolls:
    """Return the dice of lines and mines; they only ever fire at those who come in."""
    if side == ATTACKING:
        return Rolls(())
    battle, edition = fight.battle, fight.edition
    if step == "mine":
        sets = [] if edition.mine is None else [(edition.mine, edition.mine.dice, "")]
    elif step == "7B":
        sets = _wall_dice(battle, edition)
    elif battle.line_dice:
        sets = [(dice, count, "") for dice, count in zip(edition.line_dice, battle.line_dice, strict=True)]
    else:
        sets = [(dice, dice.dice * battle.lines, "") for dice in edition.line_dice]
    source, role = "mine" if step == "mine" else "defensive_line", "landing" if step == "7B" else "start"
    found = []
    for dice, count, of in sets:
        aim = plain_aim(fight, DEFENDING, Aim(dice.targets, True, "", False, role, of))
        hittable = any(enemy[kind.index] and can_hit(kind, aim) for kind in fight.kinds(ATTACKING))
        if count and hittable:
            found.append(_token(dice, count, source, aim))
    return Rolls(tuple(found))


def _wall_dice(battle: Battle, edition: Edition) -> list[tuple[BonusDice, int, str]]:
    """Return the dice of sea walls, each at units landing from the sea space that it faces, never at air drops.

    Source: rulebook v0.96, Defensive Lines, Sea wall
    """
    facing = [folded(space) or "sea" for space in battle.wall_facing]
    facing += ["sea"] * (battle.sea_walls - len(facing))
    return [
        (dice, dice.dice * facing.count(space), space)
        for space in dict.fromkeys(facing)
        for dice in edition.line_dice
    ]


def _token(dice: BonusDice, count: int, source: str, aim: Aim) -> Volley:
    return Volley(
        side=DEFENDING,
        kind=-1,
        source=source,
        nation="",
        units=1,
        dice=count,
        level=dice.level,
        number=dice.number,
        aim=aim,
        level_up=dice.level_up,
        precise=dice.precise,
    )


def contributors(fight: Fight, step: str, side: str) -> tuple[bool, ...]:
    """Say of each kind of a side whether its count can change what the side rolls on a step."""
    kinds = fight.kinds(side)
    if step in _TOKEN_STEPS:
        return (False,) * len(kinds)
    roller = _Roller(fight, step, side, (0,) * len(fight.kinds(other_side(side))))
    return tuple([kind.role == "start" and _contributes(roller, kind) for kind in kinds])


def _contributes(roller: _Roller, kind: Kind) -> bool:
    if roller.step in ("1", "push") and kind.unit.anti_air != 0:
        return True
    if roller.step == "7A":
        return kind.group.combined
    return roller.silence(kind, 0) is None


def missing(fight: Fight) -> tuple[str, ...]:
    """Return the printed value keys that the fight needs and nobody has entered, in the order needed."""
    needs: list[str] = []
    for step in dict.fromkeys(steps(fight)):
        for side in SIDES:
            own = _everybody(fight, side)
            enemy = _everybody(fight, other_side(side))
            needs.extend(rolls(fight, step, side, own, enemy).needs)
    return tuple(dict.fromkeys(needs))


def _everybody(fight: Fight, side: str) -> Counts:
    """Return a side's counts with everything that may still land or leave in place."""
    start = fight.start(side)
    return tuple(
        start[kind.source] * kind.per if kind.source >= 0 else start[kind.index] for kind in fight.kinds(side)
    )


def unpriced(fight: Fight) -> tuple[str, ...]:
    """Return the costs that nobody has entered of units that can be lost, as ``unit.cost``.

    Their loss is weighed by armour level instead, which is no cost.
    """
    units = fight.table.units
    found: list[str] = []
    for side in SIDES:
        for kind in fight.kinds(side):
            aboard = [load.unit for load in kind.group.cargo if load.unit in units]
            for unit in (kind.unit.id, *aboard) if kind.is_active else ():
                if units[unit].cost is None:
                    found.append(f"{unit}.cost")
    return tuple(dict.fromkeys(found))


def inferred(fight: Fight) -> tuple[str, ...]:
    """Return the inferred figures and abilities of the units involved, as ``unit.figure``: to be checked against the tiles."""
    found: list[str] = []
    for side in SIDES:
        for kind in fight.kinds(side):
            for figure in ("armour", "level", "number", "targets", "range", "anti_air", "cost", *ABILITIES):
                if kind.unit.status_of(figure).status == "inferred":
                    found.append(f"{kind.unit.id}.{figure}")
    return tuple(dict.fromkeys(found))

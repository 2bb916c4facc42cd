"""Who rolls which dice at which number, and why a unit does not roll.

One battle step of one side at one moment: `rolls` lists the volleys (like units, dice of one colour, one number,
one aim) and the silent kinds with a reason. It looks only at the counts of both sides. Play and odds both use it.
Source: rulebook v0.96, Firepower, Standard Unit Abilities, Battle Steps, Supporting Fire, Combined Fire.
"""

from __future__ import annotations

import msgspec

from companion.games.sfw.battle import ATTACKING, DEFENDING, SIDES, SUPPORT, Counts, Fight, Kind, other_side
from companion.games.sfw.battle_edition import BonusDice
from companion.games.sfw.units import Fire

__all__ = [
    "BATTLE_STEPS",
    "OBJECTIVE",
    "REASON_TEXTS",
    "Aim",
    "Reason",
    "Rolls",
    "Silent",
    "Volley",
    "armour_against",
    "can_hit",
    "contributes",
    "has_cover",
    "inferred",
    "is_full_retreat",
    "missing",
    "plain_aim",
    "rolls",
    "steps",
]

BATTLE_STEPS = ("1", "2", "3", "4", "5", "retreat", "6", "7A", "7B", "7C")
"""Steps of a battle in order; the retreat window lies between 5 and 6."""

OBJECTIVE = "objective"
"""Aim of targeted bombing: the resupply values of the objective instead of units."""

_TOKEN_STEPS = ("line", "mine", "7B")
_NORMAL_STEPS = ("1", "2", "3", "4", "5", "6")


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


REASON_TEXTS = {
    Reason.OTHER_STEP: "rolls on another battle step",
    Reason.NO_FIREPOWER: "has no firepower",
    Reason.NO_TARGET: "no enemy that it may hit is in the battle and in range",
    Reason.ATTACK_ONLY: "its firepower is for attack only",
    Reason.DEFENCE_ONLY: "its firepower is for defence only",
    Reason.NO_SONAR: "only submerged submarines are left and it has no sonar",
    Reason.SPENT: "has used its one attack or defence of this movement step",
    Reason.MOVED: "moved on this movement step and is deployed",
    Reason.COMBINED: "rolls in combined fire on 7A",
    Reason.ALONE: "too few units for combined fire are left",
    Reason.CANNOT_HIT: "would need more than 12 from so far away",
    Reason.BOMBING: "aims all its dice at the objective",
    Reason.UNLOADING: "is on its way ashore",
    Reason.MOVERS: "those who move never roll",
    Reason.NOT_LAND: "only land units roll at those who leave",
    Reason.OUT_OF_SPACE: "this roll is for units in the space only",
}
"""Reasons in words: English source texts for the catalogue."""


class Aim(msgspec.Struct, frozen=True):
    """What a hit may be paid with: unit types in one active place."""

    types: tuple[str, ...]
    sonar: bool
    place: str
    air: bool
    """The shooter is an air unit (a covered carrier is harder to hit)."""
    role: str = "start"


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
    present = {kind.unit.type for kind in enemies}
    return Aim(
        tuple(sorted(kind for kind in aim.types if kind in present)),
        aim.sonar and any(kind.unit.has("submerged") for kind in enemies),
        aim.place,
        aim.air and any(kind.unit.has("coverage") for kind in enemies),
        aim.role,
    )


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


def rolls(fight: Fight, step: str, side: str, own: Counts, enemy: Counts) -> Rolls:
    """Return what a side rolls on a step, given the counts of both sides.

    On ``retreat`` the counts are those after the retreating units were set apart, on 7B and 7C those after
    unloading. Whether the step is due at all is not asked.
    """
    if step in _TOKEN_STEPS:
        return _token_rolls(fight, step, side, enemy)
    volleys: list[Volley] = []
    silent: list[Silent] = []
    needs: list[str] = []
    if step == "1":
        volleys.extend(_airfield(fight, side, enemy))
    combiners = sum(own[kind.index] for kind in fight.kinds(side) if kind.group.combined)
    for kind in fight.kinds(side):
        count = own[kind.index]
        if not count:
            continue
        if step == "1" and kind.role == "start":
            _anti_air(fight, kind, count, enemy, volleys, needs)
        reason = _silence(fight, step, kind, own, combiners)
        if reason is None:
            reason = _fire(fight, step, kind, count, enemy, volleys, needs)
        if reason is not None:
            silent.append(Silent(side, kind.index, count, reason))
    return Rolls(tuple(volleys), tuple(silent), tuple(dict.fromkeys(needs)))


def _silence(fight: Fight, step: str, kind: Kind, own: Counts, combiners: int) -> str | None:
    """Return why a kind has no roll on a step whatever the enemy is; None when it may have one."""
    if kind.role != "start":
        return Reason.UNLOADING if kind.role == "landing" else Reason.MOVERS
    if not kind.unit.fire:
        return Reason.NO_FIREPOWER
    if step in ("bridge", "push"):
        return Reason.MOVERS if kind.side == ATTACKING else None
    if step == "disengage":
        if kind.side == DEFENDING:
            return Reason.MOVERS
        if fight.edition.disengage_land_only and kind.unit.type != "land":
            return Reason.NOT_LAND
        return None if kind.place == "" else Reason.OUT_OF_SPACE
    if step == "retreat":
        if kind.side == DEFENDING:
            return Reason.OTHER_STEP
        if fight.edition.retreat_land_only and kind.unit.type != "land":
            return Reason.NOT_LAND
        return None if kind.place == "" else Reason.OUT_OF_SPACE
    if step == "7C":
        return Reason.OTHER_STEP if kind.side == ATTACKING else None
    if step == "7A":
        if not kind.group.combined:
            return Reason.OTHER_STEP
        if combiners < fight.edition.combined_minimum:
            return Reason.ALONE
    elif int(step) not in kind.unit.battle_steps:
        return Reason.OTHER_STEP
    elif kind.group.combined:
        return Reason.COMBINED
    if kind.group.spent:
        return Reason.SPENT
    if (
        kind.unit.has("deployed")
        and kind.group.moved
        and _movement_step(fight) in fight.edition.deployed_steps
    ):
        return Reason.MOVED
    return None if own[kind.index] else Reason.OTHER_STEP


def _movement_step(fight: Fight) -> int:
    return fight.battle.movement_step


def _role(step: str, kind: Kind) -> str:
    """Return the role in which a kind fires: bonus rolls at those who leave are attack rolls."""
    if step in ("retreat", "disengage"):
        return "attack"
    return "attack" if kind.side == ATTACKING else "defence"


def _target_role(step: str) -> str:
    if step == "7C":
        return "landing"
    return "leaving" if step == "retreat" else "start"


def _fire(
    fight: Fight,
    step: str,
    kind: Kind,
    count: int,
    enemy: Counts,
    volleys: list[Volley],
    needs: list[str],
) -> str | None:
    """Add a kind's volleys; return the reason when there are none."""
    role = _role(step, kind)
    lines = [line for line in kind.unit.fire if line.role in ("both", role)]
    if kind.group.bombing and step in _NORMAL_STEPS and role == "attack":
        _bomb(kind, count, lines, volleys)
    if not lines:
        return Reason.ATTACK_ONLY if role == "defence" else Reason.DEFENCE_ONLY
    reasons: list[str] = []
    fired = False
    ready: list[tuple[Fire, Aim, int]] = []
    for line in _selected(fight, kind, lines):
        aimed = _aim(fight, step, kind, line, enemy)
        if isinstance(aimed, str):
            if aimed.startswith("?"):
                needs.append(f"{kind.unit.id}.{aimed[1:]}")
            else:
                reasons.append(aimed)
            continue
        ready.append((line, *aimed))
    for line, aim, distance in _chosen(kind, ready):
        dice = line.dice - (kind.group.bombing if step in _NORMAL_STEPS and role == "attack" else 0)
        if dice <= 0:
            reasons.append(Reason.BOMBING)
            continue
        fired = (
            _add_volley(fight, step, kind, count, line, aim, distance, dice, volleys, needs, reasons) or fired
        )
    if fired or any(need.startswith(f"{kind.unit.id}.") for need in needs):
        return None
    return _weightiest(reasons)


def _bomb(kind: Kind, count: int, lines: list[Fire], volleys: list[Volley]) -> None:
    """Add the dice that heavy bombers aim at the objective's resupply; they take no unit."""
    for line in lines:
        if line.level is not None and line.number is not None:
            volleys.append(
                Volley(
                    side=kind.side,
                    kind=kind.index,
                    source=kind.unit.id,
                    nation=kind.nation,
                    units=count,
                    dice=kind.group.bombing * count,
                    level=line.level,
                    number=line.number,
                    aim=Aim((OBJECTIVE,), False, "", True),
                    extra_shot=kind.unit.has("extra_shot"),
                )
            )
            return


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


def _aim(fight: Fight, step: str, kind: Kind, line: Fire, enemy: Counts) -> tuple[Aim, int] | str:
    """Return the aim of a line and its distance, a reason, or ``?figure`` when a figure is unknown."""
    targets = line.targets or kind.unit.targets_at_least
    others = [
        other
        for other in fight.kinds(other_side(kind.side))
        if enemy[other.index] and other.is_active and other.role == _target_role(step)
    ]
    if not others:
        return Reason.NO_TARGET
    sonar = kind.unit.has("sonar")
    air = kind.unit.type == "air"
    blocked = False
    reached_unknown = False
    for place, distance in _places(fight, kind, others):
        found = _distance_fault(kind, distance)
        if found == "range":
            reached_unknown = True
            continue
        if found:
            continue
        aim = plain_aim(fight, kind.side, Aim(tuple(targets), sonar, place, air, _target_role(step)))
        here = [other for other in others if other.place == place]
        if any(can_hit(other, aim) for other in here):
            return aim, distance
        if line.targets is None:
            return "?targets"
        blocked = blocked or any(other.unit.type in targets for other in here)
    if reached_unknown:
        return "?range"
    return Reason.NO_SONAR if blocked else Reason.NO_TARGET


def _distance_fault(kind: Kind, distance: int) -> str:
    """Return why a distance cannot be reached: ``range`` when that is not known, ``far``, or nothing."""
    if distance == 0:
        return ""
    if kind.reach is None:
        return "" if distance <= kind.unit.range_at_least else "range"
    return "" if distance <= kind.reach else "far"


def _places(fight: Fight, kind: Kind, others: list[Kind]) -> list[tuple[str, int]]:
    """Return the active places with enemies and their distance, nearest first, the battle space before others."""
    found: dict[str, int] = {}
    for other in others:
        if other.place == kind.place:
            found[other.place] = 0
        elif other.place == "":
            found[""] = kind.distance
        elif kind.place == "":
            found[other.place] = other.distance
    del fight
    return sorted(found.items(), key=lambda item: (item[1], item[0]))


def _add_volley(
    fight: Fight,
    step: str,
    kind: Kind,
    count: int,
    line: Fire,
    aim: Aim,
    distance: int,
    dice: int,
    volleys: list[Volley],
    needs: list[str],
    reasons: list[str],
) -> bool:
    edition = fight.edition
    if line.level is None or line.number is None:
        figure = "level" if line.level is None else "number"
        needs.append(f"{kind.unit.id}.{figure}")
        return False
    level, number = line.level, line.number
    role = _role(step, kind)
    if _ambushes(fight, kind, role):
        level += 1
    if kind.unit.has("high_ground") and role == "defence" and kind.terrain == "mountain":
        if edition.high_ground == "level":
            level += 1
        else:
            number = min(number, edition.high_ground_number)
    if step == "7A" and kind.unit.standard == "heavy_bomber" and edition.combined_heavy_bomber is not None:
        number = max(number, edition.combined_heavy_bomber)
    number += edition.range_penalty * distance
    if number > 12:
        reasons.append(Reason.CANNOT_HIT)
        return False
    volleys.append(
        Volley(
            side=kind.side,
            kind=kind.index,
            source=kind.unit.id,
            nation=kind.nation,
            units=count,
            dice=dice * count,
            level=min(level, len(edition.capacity)),
            number=number,
            aim=aim,
            extra_shot=kind.unit.has("extra_shot"),
            level_up=kind.unit.has("level_up"),
            precise=kind.unit.has("precise_hit"),
        )
    )
    return True


def _ambushes(fight: Fight, kind: Kind, role: str) -> bool:
    if not kind.unit.has("ambush") or kind.group.moved is not False:
        return False
    if _movement_step(fight) not in fight.edition.ambush_steps:
        return False
    return fight.edition.ambush == "both" or role == "attack"


def _air_enemy(fight: Fight, side: str, place: str, enemy: Counts) -> bool:
    return any(
        enemy[other.index] and other.place == place and other.unit.type == "air" and other.role == "start"
        for other in fight.kinds(other_side(side))
    )


def _anti_air(
    fight: Fight, kind: Kind, count: int, enemy: Counts, volleys: list[Volley], needs: list[str]
) -> None:
    """Add the bonus rolls of anti-air icons: standard anti-air firepower, against air in the same space."""
    if kind.unit.anti_air == 0 or kind.place == SUPPORT:
        return
    if not _air_enemy(fight, kind.side, kind.place, enemy):
        return
    if kind.unit.anti_air is None:
        needs.append(f"{kind.unit.id}.anti_air")
        return
    line = _standard_anti_air(fight)
    if line.level is None or line.number is None:
        needs.append("anti_air.level" if line.level is None else "anti_air.number")
        return
    aim = plain_aim(fight, kind.side, Aim(("air",), False, kind.place, kind.unit.type == "air"))
    volleys.append(
        Volley(
            side=kind.side,
            kind=kind.index,
            source=kind.unit.id,
            nation=kind.nation,
            units=count,
            dice=count * kind.unit.anti_air,
            level=line.level,
            number=line.number,
            aim=aim,
        )
    )


def _standard_anti_air(fight: Fight) -> Fire:
    return fight.table.units["anti_air"].fire[0]


def _airfield(fight: Fight, side: str, enemy: Counts) -> list[Volley]:
    """Return the bonus roll of an airfield for the side that controls it."""
    if fight.battle.airfield != side or not _air_enemy(fight, side, "", enemy):
        return []
    line = _standard_anti_air(fight)
    if line.level is None or line.number is None:
        return []
    aim = Aim(("air",), False, "", False)
    return [Volley(side, -1, "airfield", "", 1, 1, line.level, line.number, aim)]


def _token_rolls(fight: Fight, step: str, side: str, enemy: Counts) -> Rolls:
    """Return the dice of lines and mines; they only ever fire at those who come in."""
    if side == ATTACKING:
        return Rolls(())
    battle, edition = fight.battle, fight.edition
    role = "landing" if step == "7B" else "start"
    if step == "mine":
        sets = [] if edition.mine is None else [(edition.mine, edition.mine.dice)]
    elif step == "7B":
        sets = [(dice, dice.dice * battle.sea_walls) for dice in edition.line_dice]
    elif battle.line_dice:
        sets = list(zip(edition.line_dice, battle.line_dice, strict=True))
    else:
        sets = [(dice, dice.dice * battle.lines) for dice in edition.line_dice]
    source = "mine" if step == "mine" else "defensive_line"
    found = []
    for dice, count in sets:
        aim = plain_aim(fight, DEFENDING, Aim(dice.targets, True, "", False, role))
        hittable = any(enemy[kind.index] and can_hit(kind, aim) for kind in fight.kinds(ATTACKING))
        if count and hittable:
            found.append(_token(dice, count, source, aim))
    return Rolls(tuple(found))


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


def contributes(fight: Fight, step: str, kind: Kind) -> bool:
    """Say whether the count of a kind can change what its side rolls on a step."""
    if step in _TOKEN_STEPS or kind.role != "start":
        return False
    if step == "1" and kind.unit.anti_air != 0:
        return True
    if step == "7A":
        return kind.group.combined
    return _silence(fight, step, kind, tuple(1 for _ in fight.kinds(kind.side)), 99) is None


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


def inferred(fight: Fight) -> tuple[str, ...]:
    """Return the inferred figures of the units involved, as ``unit.figure``: to be checked against the tiles."""
    found: list[str] = []
    for side in SIDES:
        for kind in fight.kinds(side):
            for figure in ("armour", "level", "number", "targets", "anti_air", "extra_shot", "cost"):
                if kind.unit.status_of(figure).status == "inferred":
                    found.append(f"{kind.unit.id}.{figure}")
    return tuple(dict.fromkeys(found))

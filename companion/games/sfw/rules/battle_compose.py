"""Deciding what is declared and who is there, before a battle begins.

Source: rulebook v0.96, Declaring Battles, Activated Spaces for Battle, Firepower (one attack, one defence).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from companion.core.ids import Nation, Side
from companion.core.rules import Accepted, Decision, Rejected
from companion.core.state import GameState
from companion.core.text import Count, Range, Say, Typed, nation, several, unit
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import (
    ATTACKING,
    DEFENDING,
    MAX_COUNT,
    SIDES,
    Battle,
    Fight,
    Group,
    ProblemCode,
)
from companion.games.sfw.rules.battle_commands import BattleCode
from companion.games.sfw.rules.battle_known import airfield_side, known_mines
from companion.games.sfw.rules.battle_legal import (
    is_late,
    why_dice_used,
    why_not_again,
    why_not_bomb,
    why_used,
)
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_setup import set_up
from companion.games.sfw.rules.battle_state import (
    acting_side,
    as_now,
    battles_of,
    edition_of,
    returning_side,
    side_id,
)
from companion.games.sfw.rules.named import battle_side
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.places import ground_fault, same_place, spelled
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.upgrades import owned_groups

__all__ = ["COMPOSING", "open_battle"]


def _now(state: GameState, occasion: str) -> Side | Rejected:
    side = acting_side(state)
    if side is None and occasion == "movement":
        side = returning_side(state)
    if side is None:
        return Rejected(
            BattleCode.NOT_NOW,
            Say(
                "You can declare battles only in movement steps {steps}, while your side acts.",
                steps=Range(1, 5),
            ),
        )
    return side


def open_battle(state: GameState, battle: str) -> Declared | Rejected:
    """Return a battle whose composition can still be changed, or why there is none."""
    found = battles_of(state).find(battle)
    if found is None:
        return Rejected(BattleCode.NO_BATTLE, Say("There is no battle {battle}.", battle=Typed(battle)))
    if found.status != "declared":
        return Rejected(
            BattleCode.NOT_OPEN,
            Say("Battle {battle} has begun. Its units can no longer be changed.", battle=Typed(battle)),
        )
    return as_now(state, found)


def _declare(state: GameState, command: bc.DeclareBattle) -> Decision:
    side = _now(state, command.occasion)
    if isinstance(side, Rejected):
        return side
    own = battles_of(state)
    space = spelled(state, command.space)
    if not space:
        return Rejected("bad_value", Say("Name the space."))
    wrong = ground_fault(state, space, is_sea=command.terrain == "sea")
    if wrong is not None:
        return Rejected(ProblemCode.WRONG_TERRAIN, wrong)
    for entry in own.battles:
        taken = same_place(entry.space, space) and entry.status in ("declared", "fighting")
        if taken and entry.battle.occasion == command.occasion:
            return Rejected(
                BattleCode.SPACE_TAKEN,
                Say(
                    "Battle {battle} is already declared in {space}.",
                    battle=Typed(entry.id),
                    space=space_of(space),
                ),
            )
    again = why_not_again(state, space) if command.occasion == "battle" else None
    if again is not None:
        return again
    step = state.step.movement_step or 0
    cancels = state.rulings.get("landing_air") == "falls_away"
    pushes = command.occasion == "movement" and edition_of(state).only_pushes
    battle = Battle(
        step,
        command.terrain,
        (),
        (),
        command.occasion,
        airfield=airfield_side(state, space, side) if command.occasion == "battle" else "",
        push_through=pushes,
        mines=known_mines(state, space, side) if command.occasion == "movement" else 0,
        air_cancels_landing=cancels,
    )
    problem = _terrain_problem(battle, state)
    if problem is not None:
        return problem
    # At a full disengage the side that acts is the one that leaves: the others roll their bonus attack.
    attacker = side_id(state, side, DEFENDING) if command.occasion == "disengage" else side
    late = command.forced if command.occasion == "battle" and is_late(state) else ""
    return Accepted((bc.BattleDeclared(_letter(own.count), space, attacker, battle, late),))


def _terrain_problem(battle: Battle, state: GameState) -> Rejected | None:
    found = set_up(battle, edition_of(state), unit_table_of(state))
    if isinstance(found, Fight):
        return None
    problem = next((p for p in found if p.code != ProblemCode.NOBODY), None)
    return None if problem is None else Rejected(problem.code, problem.sentence())


def _letter(count: int) -> str:
    letter = chr(ord("A") + count % 26)
    return letter if count < 26 else f"{letter}{count // 26 + 1}"


def _change(state: GameState, command: bc.ChangeUnits) -> Decision:
    declared = open_battle(state, command.battle)
    if isinstance(declared, Rejected):
        return declared
    if command.side not in SIDES:
        return _no_side(command.side)
    wrong = _nation_problem(state, declared, command.side, command.nation)
    if wrong is not None:
        return wrong
    if not command.by or abs(command.by) > MAX_COUNT:
        most = Range(1, MAX_COUNT)
        return Rejected(
            ProblemCode.BAD_COUNT,
            Say("Add or remove {most} units at a time, not {count}.", most=most, count=command.by),
        )
    command = replace(command, home=spelled(state, command.home), origin=spelled(state, command.origin))
    groups = list(_groups(declared.battle, command.side))
    wanted = Group(
        command.unit,
        0,
        command.nation,
        command.distance,
        command.origin,
        home=command.home,
        fresh=command.others,
    )
    locked = _locked(state, declared, command)
    if locked is not None:
        return locked
    refused = why_used(state, declared, command.side, wanted)
    if command.by > 0 and refused is not None and command.distance and not command.others:
        return refused
    spent = refused is not None and not command.distance and not command.others
    wanted = replace(wanted, spent=spent)
    index = _like(groups, wanted)
    if index is None:
        if command.by < 0:
            gone = Say(
                "There is nothing to remove: {unit}, {nation}.",
                unit=unit(command.unit),
                nation=nation(command.nation),
            )
            return Rejected(BattleCode.TOO_FEW, gone)
        groups.append(replace(wanted, count=command.by))
    else:
        count = groups[index].count + command.by
        if count < 0:
            have = Count(groups[index].count, unit(command.unit))
            return Rejected(
                BattleCode.TOO_FEW,
                Say("Only {have} here; you cannot remove {count}.", have=have, count=-command.by),
            )
        if count:
            groups[index] = replace(groups[index], count=count)
        else:
            del groups[index]
    return _changed(state, declared, _with_groups(declared.battle, command.side, tuple(groups)))


def _like(groups: list[Group], wanted: Group) -> int | None:
    """Return the newest group of the same unit, nation and place."""
    for index in range(len(groups) - 1, -1, -1):
        group = groups[index]
        same = (group.unit, group.nation, group.distance, group.origin, group.home)
        if same == (wanted.unit, wanted.nation, wanted.distance, wanted.origin, wanted.home):
            return index
    return None


def _no_side(side: str) -> Rejected:
    attackers, defenders = battle_side(ATTACKING), battle_side(DEFENDING)
    choices = several((attackers, defenders), "or")
    return Rejected(
        ProblemCode.BAD_CHOICE,
        Say("A battle has these sides: {sides}. Not {found}.", sides=choices, found=Typed(side)),
    )


def _nation_problem(state: GameState, declared: Declared, side: str, of: str) -> Rejected | None:
    game_side = side_id(state, declared.attacker, side)
    known = {info.id: info.side for info in state.frozen_setup.nations}
    if known.get(Nation(of)) == game_side:
        return None
    names = several((nation(name) for name, on in known.items() if on == game_side), "or")
    return Rejected(
        BattleCode.WRONG_NATION,
        Say(
            "{side}: choose {nations}, not {found}.", side=battle_side(side), nations=names, found=nation(of)
        ),
    )


def _locked(state: GameState, declared: Declared, command: bc.ChangeUnits) -> Rejected | None:
    """Refuse support out of a space that is itself activated and not yet resolved."""
    if command.by < 0 or not command.distance or command.origin or not command.home:
        return None
    if not edition_of(state).is_support_locked:
        return None
    for entry in battles_of(state).battles:
        active = entry.status in ("declared", "fighting") and entry.battle.occasion == "battle"
        places = (entry.space, *_origins(entry.battle))
        if active and entry.id != declared.id and any(same_place(command.home, one) for one in places):
            return Rejected(
                BattleCode.LOCKED_IN_BATTLE,
                Say(
                    "{space} is active in battle {battle}; its units can fight only there.",
                    space=space_of(command.home),
                    battle=Typed(entry.id),
                ),
            )
    return None


def _origins(battle: Battle) -> tuple[str, ...]:
    return tuple(group.origin for group in (*battle.attacking, *battle.defending) if group.origin)


def _groups(battle: Battle, side: str) -> tuple[Group, ...]:
    return battle.attacking if side == ATTACKING else battle.defending


def _with_groups(battle: Battle, side: str, groups: tuple[Group, ...]) -> Battle:
    if side == ATTACKING:
        return replace(battle, attacking=groups)
    return replace(battle, defending=groups)


def _changed(state: GameState, declared: Declared, battle: Battle) -> Decision:
    """Accept a composition unless something in it can never be right."""
    found = set_up(battle, edition_of(state), unit_table_of(state))
    if not isinstance(found, Fight):
        # Nobody yet, or a first unit of two for combined fire: that is settled when the battle begins.
        later = (
            ProblemCode.NOBODY,
            ProblemCode.COMBINED_TOO_FEW,
            ProblemCode.EMPTY_TRANSPORTS,
            ProblemCode.INACTIVE,
        )
        problem = next((p for p in found if p.code not in later), None)
        if problem is not None:
            return Rejected(problem.code, problem.sentence())
    bombs = why_not_bomb(state, declared.attacker, declared.space, battle)
    if bombs is not None:
        return bombs
    known = battles_of(state).find(declared.id)
    if known is not None and battle == known.battle:
        return Accepted(())
    return Accepted((bc.BattleChanged(declared.id, battle),))


def _group_of(
    state: GameState, command: bc.SetGroup | bc.SplitGroup
) -> tuple[Declared, list[Group]] | Rejected:
    """Return the battle and the side's groups for a command about one of them, or why there is none."""
    declared = open_battle(state, command.battle)
    if isinstance(declared, Rejected):
        return declared
    if command.side not in SIDES:
        return _no_side(command.side)
    groups = list(_groups(declared.battle, command.side))
    if not 0 <= command.index < len(groups):
        return Rejected(
            BattleCode.NO_GROUP,
            Say(
                "{side}: there is no group {number}.",
                side=battle_side(command.side),
                number=command.index + 1,
            ),
        )
    return declared, groups


def _set_group(state: GameState, command: bc.SetGroup) -> Decision:
    found = _group_of(state, command)
    if isinstance(found, Rejected):
        return found
    declared, groups = found
    old, group = groups[command.index], command.group
    group = replace(group, home=spelled(state, group.home), origin=spelled(state, group.origin))
    wrong = _nation_problem(state, declared, command.side, group.nation)
    if wrong is not None:
        return wrong
    if group.count < 1:
        return Rejected(
            ProblemCode.BAD_COUNT,
            Say("Enter {most} units, not {count}.", most=Range(1, MAX_COUNT), count=group.count),
        )
    if group.home != old.home:
        asked = bc.ChangeUnits(
            command.battle,
            command.side,
            group.unit,
            group.nation,
            1,
            group.distance,
            group.origin,
            group.home,
        )
        refused = _locked(state, declared, asked)
        # A supporter with several dice may give the rest of them to another battle.
        if refused is None and not group.dice and group.distance and not group.fresh:
            refused = why_used(state, declared, command.side, group) or why_dice_used(
                state, command.side, group
            )
        if refused is not None:
            return refused
    groups[command.index] = group
    return _changed(state, declared, _with_groups(declared.battle, command.side, tuple(groups)))


def _split_group(state: GameState, command: bc.SplitGroup) -> Decision:
    found = _group_of(state, command)
    if isinstance(found, Rejected):
        return found
    declared, groups = found
    whole = groups[command.index]
    if not 1 <= command.count < whole.count:
        there = Count(whole.count, unit(whole.unit))
        if whole.count < 2:
            return Rejected(ProblemCode.BAD_COUNT, Say("Only {units} here; none to set apart.", units=there))
        part = Range(1, whole.count - 1)
        return Rejected(
            ProblemCode.BAD_COUNT,
            Say(
                "Of {units}, you can set apart {part}, not {count}.",
                units=there,
                part=part,
                count=command.count,
            ),
        )
    parts = (replace(whole, count=whole.count - command.count), replace(whole, count=command.count))
    groups[command.index : command.index + 1] = parts
    return _changed(state, declared, _with_groups(declared.battle, command.side, tuple(groups)))


def _set_circumstances(state: GameState, command: bc.SetCircumstances) -> Decision:
    declared = open_battle(state, command.battle)
    if isinstance(declared, Rejected):
        return declared
    given = {
        name: value
        for name in command.__struct_fields__
        if name != "battle" and (value := getattr(command, name)) is not None
    }
    if "came_from" in given:
        given["came_from"] = spelled(state, given["came_from"])
    if "sea_walls" in given:
        given.setdefault("wall_facing", declared.battle.wall_facing[: given["sea_walls"]])
    if "lines" in given:
        # How contiguous lines share out their dice is said anew when their number changes.
        given.setdefault("line_dice", ())
    return _changed(state, declared, replace(declared.battle, **given))


def _repeat(state: GameState, command: bc.RepeatComposition) -> Decision:
    declared = open_battle(state, command.battle)
    if isinstance(declared, Rejected):
        return declared
    known = battles_of(state).last_known(declared.space)
    if not known:
        return Rejected(
            BattleCode.NOTHING_KNOWN,
            Say("No units are known in {space} yet.", space=space_of(declared.space)),
        )
    battle, table = declared.battle, unit_table_of(state)
    for side in SIDES:
        groups = owned_groups(table, known.get(side_id(state, declared.attacker, side), ()))
        battle = _with_groups(battle, side, tuple(_as_used(state, declared, side, group) for group in groups))
    return _changed(state, declared, battle)


def _as_used(state: GameState, declared: Declared, side: str, group: Group) -> Group:
    """Mark a known group whose one attack or defence of this movement step is spent, and that moved or stayed in it."""
    home = group.home if group.distance else declared.space
    used = any(
        (entry.role, entry.nation, entry.unit) == (side, group.nation, group.unit)
        and same_place(entry.home, home)
        for entry in battles_of(state).used
    )
    return replace(group, spent=used, moved=_moved_before(state, declared, side, group))


def _moved_before(state: GameState, declared: Declared, side: str, group: Group) -> bool | None:
    """Return what the table said of a defender's move in its own half of this movement step: it has not moved since.

    Source: rulebook v0.96, Movement Steps; Abilities, Ambush, Deployed; table ruling "deployed_step"
    """
    if side != DEFENDING:
        return None
    said = {
        other.moved
        for entry in battles_of(state).history
        if (entry.stage, entry.movement_step) == (declared.stage, declared.movement_step)
        and entry.attacker != declared.attacker
        and same_place(entry.space, declared.space)
        for other in entry.battle.attacking
        if (other.unit, other.nation, other.distance) == (group.unit, group.nation, group.distance)
    }
    return said.pop() if len(said) == 1 else None


def _withdraw(state: GameState, command: bc.WithdrawBattle) -> Decision:
    declared = open_battle(state, command.battle)
    if isinstance(declared, Rejected):
        return declared
    return Accepted((bc.BattleWithdrawn(declared.id),))


COMPOSING: dict[type, Callable[[GameState, Any], Decision]] = {
    bc.ChangeUnits: _change,
    bc.DeclareBattle: _declare,
    bc.RepeatComposition: _repeat,
    bc.SetCircumstances: _set_circumstances,
    bc.SetGroup: _set_group,
    bc.SplitGroup: _split_group,
    bc.WithdrawBattle: _withdraw,
}
"""Command to its decider."""

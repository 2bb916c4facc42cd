"""What a running game knows that may forbid a battle: fights in this act, fire already used, what bombs may aim at.

Each function returns the refusal that the table is told, or None; the battle itself is checked in
`companion.games.sfw.rules.battle_setup`.
Source: rulebook v0.96, Declaring Battles; Firepower (one attack, one defence); Targeted Bombing.
"""

from __future__ import annotations

from collections.abc import Iterable

from companion.core.ids import ARBITER, Actor, Side
from companion.core.rules import Code, Rejected, not_known
from companion.core.state import GameState
from companion.core.text import Count, Say, Typed, site, unit
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, SIDES, Battle, Group, home_of
from companion.games.sfw.rules.battle_commands import BattleCode
from companion.games.sfw.rules.battle_known import is_revealed
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.control import held_by
from companion.games.sfw.rules.ledger import ruling
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.places import same_place, site_at

__all__ = [
    "is_late",
    "used_count",
    "why_dice_used",
    "why_not_again",
    "why_not_bomb",
    "why_not_fire",
    "why_not_late",
    "why_used",
]

_BEGUN = ("fighting", "over", "broken_off")


# The space and the moment


def why_not_again(state: GameState, space: str) -> Rejected | None:
    """Refuse a second battle of a side in one space in one movement step, naming the first.

    Source: rulebook v0.96, Declaring Battles; Resolving Battles; table ruling "same_space_again"
    """
    for entry in battles_of(state).battles:
        fought = entry.status in ("over", "broken_off") and entry.battle.occasion == "battle"
        if not fought or not same_place(entry.space, space):
            continue
        if ruling(state, "same_space_again", "never") == "revealed" and is_revealed(state, space):
            continue
        return Rejected(
            BattleCode.FOUGHT_HERE,
            Say(
                "Battle {battle} was fought in {space} in this movement step. A new one belongs to a later step.",
                battle=Typed(entry.id),
                space=space_of(entry.space),
            ),
        )
    return None


def is_late(state: GameState) -> bool:
    """Say whether a battle declared now comes after the first battle of the act has begun."""
    return any(
        entry.status in _BEGUN and entry.battle.occasion == "battle" for entry in battles_of(state).battles
    )


def why_not_late(state: GameState, forced: str, actor: Actor) -> Rejected | None:
    """Refuse a forgotten marker that the rules do not force, or that the arbiter has to allow.

    `forced`: what forces the declaration, one of `battle_commands.FORCED_BY`; empty: nothing.
    Source: rulebook v0.96, Declaring Battles; table ruling "late_marker"
    """
    if forced and forced not in bc.FORCED_BY:
        return Rejected(Code.BAD_VALUE, Say("Nothing forces a battle in this way: {why}.", why=Typed(forced)))
    if not is_late(state):
        return None
    if ruling(state, "late_marker", "forced") == "refused" or not forced:
        return Rejected(
            BattleCode.TOO_LATE,
            Say(
                "The first battle of this act has begun. Only a battle that the rules force can still be declared: "
                "units moved in, were unloaded or were revealed there."
            )
            if ruling(state, "late_marker", "forced") == "forced"
            else Say("The first battle of this act has begun. No more battles can be declared."),
        )
    if state.clocks.config.tournament and actor != ARBITER:
        return Rejected(Code.ARBITER_ONLY)
    return None


# One attack, one defence


def used_count(state: GameState, declared: Declared, side: str, group: Group) -> int:
    """Return how many of these units are known to have used their attack or defence in this movement step.

    A supporter of which nobody has said where it stands may be any that has fired in the step; one that gave only
    some of its dice has not used it up.
    """
    home = home_of(group) if group.distance else declared.space
    return sum(
        entry.count
        for entry in battles_of(state).used
        if (entry.role, entry.nation, entry.unit) == (side, group.nation, group.unit)
        and not entry.dice
        and (not home or same_place(entry.home, home))
    )


def why_used(state: GameState, declared: Declared, side: str, group: Group) -> Rejected | None:
    """Refuse units that have attacked or defended in this step; where they stand is asked if nobody has said.

    Source: rulebook v0.96, Firepower: 1 Attack, 1 Defense Limit; Supporting Fire
    """
    used = used_count(state, declared, side, group)
    if not used:
        return None
    units, where = Count(used, unit(group.unit)), home_of(group) if group.distance else declared.space
    if not where:
        return Rejected(
            BattleCode.ALREADY_USED,
            Say("Already attacked in this movement step: {units}. If this is another one, say where it is.", units=units)
            if side == ATTACKING
            else Say("Already defended in this movement step: {units}. If this is another one, say where it is.", units=units),
        )  # fmt: skip
    return Rejected(
        BattleCode.ALREADY_USED,
        Say("Already attacked in this movement step: {units} in {space}.", units=units, space=space_of(where))
        if side == ATTACKING
        else Say(
            "Already defended in this movement step: {units} in {space}.", units=units, space=space_of(where)
        ),
    )


def why_not_fire(state: GameState, declared: Declared, battle: Battle) -> Rejected | None:
    """Refuse supporters that have used their attack or defence since they were put into a battle."""
    for side in SIDES:
        for group in battle.attacking if side == ATTACKING else battle.defending:
            if not group.distance or group.spent or group.fresh or not group.count:
                continue
            refused = why_used(state, declared, side, group) or why_dice_used(state, side, group)
            if refused is not None:
                return refused
    return None


def why_dice_used(state: GameState, side: str, group: Group) -> Rejected | None:
    """Refuse dice of a supporter that it has given to another battle of the step."""
    home = home_of(group)
    used: Iterable[str] = (
        colour
        for entry in battles_of(state).used
        if (entry.role, entry.nation, entry.unit) == (side, group.nation, group.unit)
        and (not home or not entry.home or same_place(entry.home, home))
        for colour in entry.dice
    )
    taken = [colour for colour in used if not group.dice or colour in group.dice]
    if not taken:
        return None
    return Rejected(
        BattleCode.ALREADY_USED,
        Say(
            "{unit} has given some of its dice to another battle in this movement step. Choose the others, or say where it is.",
            unit=unit(group.unit),
        ),
    )


# Bombing


def why_not_bomb(state: GameState, attacker: Side, space: str, battle: Battle) -> Rejected | None:
    """Refuse bombing dice that have nothing to aim at: they need an Objective that the enemy controls.

    Source: rulebook v0.96, Targeted Bombing; Objective and Airfield Control
    """
    if not any(group.bombing for group in battle.attacking):
        return None
    here = site_at(state, space)
    if here is None or here.kind != "objective":
        return Rejected(
            BattleCode.NO_OBJECTIVE,
            Say("Targeted bombing needs an Objective. {space} is none.", space=space_of(space)),
        )
    mine = held_by(state, here.id, attacker)
    if mine.is_unknown:
        return not_known(mine)
    if mine.is_yes:
        return Rejected(
            BattleCode.NO_OBJECTIVE,
            Say("{site} is on your own side. Bombs may aim at an enemy Objective only.", site=site(here.id)),
        )
    return None

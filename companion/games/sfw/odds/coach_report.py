"""What ``companion odds --coach`` tells of a Song for War battle file, as plain data and as lines."""

from __future__ import annotations

from typing import Any

from companion.core.text import Count, Name, Say, Value, nation, several
from companion.games.sfw.odds.advice import (
    Advice,
    Force,
    Line,
    Reinforced,
    advise,
    reinforced,
    smallest_force,
)
from companion.games.sfw.odds.coach import GOALS
from companion.games.sfw.odds.file import BattleFile
from companion.games.sfw.odds.file_play import unit_word
from companion.games.sfw.odds.states import TooLargeError
from companion.games.sfw.rules.battle import Fight, other_side
from companion.games.sfw.rules.named import battle_side
from companion.odds.battle_file import TOO_LARGE, BattleAnswer, BattleFileError
from companion.odds.coaching import CHANCES, Question, goal_say, worth_say

__all__ = ["coached", "group_say", "line_say", "more_say"]


def coached(found: BattleFile, question: Question) -> BattleAnswer:
    """Return what is best in a battle file for a side and a goal. BattleFileError where it is too large."""
    side, enemy = question.side, found.policies[other_side(question.side)]
    goal = next(goal for goal in GOALS if goal == question.goal)
    try:
        advice = advise(found.fight, side, goal, enemy=enemy, position=found.position)
        more = () if found.position else reinforced(found.fight, side, goal, enemy=enemy)
        force = None
        if question.wanted is not None and goal in CHANCES and not found.position:
            force = smallest_force(found.fight, side, goal, question.wanted, enemy=enemy)
    except TooLargeError as error:
        fault = Say("This battle is too large for the coach. Name fewer kinds of units, or fewer units.")
        raise BattleFileError(TOO_LARGE, [fault]) from error
    data = _data(advice, more, question, force)
    return BattleAnswer(data, tuple(_lines(found, advice, more, question, force)))


def _data(
    advice: Advice, more: tuple[Reinforced, ...], question: Question, force: Force | None
) -> dict[str, Any]:
    data: dict[str, Any] = {
        "side": advice.side,
        "goal": advice.goal,
        "usual": advice.usual,
        "best": advice.best,
        "at_least": advice.least,
        "at_most": advice.most,
        "if_nobody_retreats": advice.stays,
        "rules": [
            {
                "lost_last": line.last,
                "policy": line.policy.name,
                "order": list(line.policy.order),
                "value": line.value,
            }
            for line in advice.lines
        ],
        "with_more": [
            {"unit": one.unit, "count": one.count, "value": one.value} for one in more if one.bombing is None
        ],
        "bombing": [
            {"unit": one.unit, "dice": one.bombing, "value": one.value}
            for one in more
            if one.bombing is not None
        ],
    }
    if question.wanted is not None:
        units = [] if force is None else [
            {"unit": group.unit, "nation": group.nation, "count": group.count} for group in force.units
        ]  # fmt: skip
        data["smallest_force"] = None if force is None else {
            "units": units, "cost": force.cost, "value": force.value, "is_smallest": force.is_smallest
        }  # fmt: skip
    return data


def _lines(
    found: BattleFile, advice: Advice, more: tuple[Reinforced, ...], question: Question, force: Force | None
) -> list[Say]:
    goal = advice.goal
    lines = [
        Say(
            "Coach, {side}: {goal}",
            side=battle_side(advice.side),
            goal=goal_say(goal, is_attacking=advice.side == "attacking"),
        ),
        Say("  cheapest losses: {value}", value=worth_say(goal, advice.usual)),
        Say("  best losses at every step: {value}", value=worth_say(goal, advice.best))
        if advice.best is not None
        else _bounds(goal, advice),
    ]
    if advice.stays is not None:
        lines.append(Say("  if nobody retreats: {value}", value=worth_say(goal, advice.stays)))
    lines += [
        Say("  {rule}: {value}", rule=line_say(found.fight, line), value=worth_say(goal, line.value))
        for line in advice.lines
    ]
    lines += [
        Say("  {more}: {value}", more=more_say(found.fight, one), value=worth_say(goal, one.value))
        for one in more
    ]
    if question.wanted is not None and goal in CHANCES:
        lines.append(_force_line(found, question.wanted, goal, force))
    return lines


def _bounds(goal: str, advice: Advice) -> Say:
    least = worth_say(goal, advice.least)
    if advice.most is None:
        return Say("  best losses: at least {value}; too many choices for more", value=least)
    most = worth_say(goal, advice.most)
    return Say("  best losses: {least} to {most}; too many choices for more", least=least, most=most)


def _force_line(found: BattleFile, wanted: float, goal: str, force: Force | None) -> Say:
    chance = worth_say(goal, wanted)
    if force is None:
        return Say("  No part of these units reaches {chance}.", chance=chance)
    units = several(
        (group_say(found.fight, group.unit, group.nation, group.count) for group in force.units), "comma"
    )
    reached = worth_say(goal, force.value)
    if not force.is_smallest:
        return Say(
            "  {units} reach {reached}; not every smaller force could be tried.", units=units, reached=reached
        )
    return Say(
        "  smallest force for {chance}: {units} (cost {cost}), {reached}",
        chance=chance, units=units, cost=force.cost, reached=reached,
    )  # fmt: skip


def group_say(fight: Fight, id_: str, of: str, count: int) -> Value:
    """Return so many units in words, with their nation where one is given."""
    word = unit_word(fight, id_)
    units: Value = Count(count, word) if isinstance(word, Name) else Say("{n} {unit}", n=count, unit=word)
    return Say("{units} ({nation})", units=units, nation=nation(of)) if of else units


def line_say(fight: Fight, line: Line) -> Say:
    """Return a simple rule for losses in words."""
    if not line.last:
        return Say("Keep one unit that can hold the space")
    return Say("Lose {unit} last", unit=unit_word(fight, line.last))


def more_say(fight: Fight, one: Reinforced) -> Say:
    """Return what was added, or spent on bombing, in words."""
    if one.bombing is not None:
        return Say.counted(
            "{unit}: {n} die on bombing",
            "{unit}: {n} dice on bombing",
            one.bombing,
            unit=unit_word(fight, one.unit),
        )
    return Say("With {units} more", units=group_say(fight, one.unit, "", one.count))

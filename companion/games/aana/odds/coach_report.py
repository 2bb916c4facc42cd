"""What ``companion odds --coach`` tells of a North Africa battle file, as plain data and as lines."""

from __future__ import annotations

from typing import Any

from companion.core.text import Count, Say, Value, several, unit
from companion.games.aana.odds.coach import Advice, Tried, advise, reinforced
from companion.games.aana.odds.file import AanaBattle
from companion.games.aana.odds.force import Force, smallest_force
from companion.games.aana.odds.goals import Combat, UnknownCostError
from companion.games.aana.odds.report import SIDE_WORDS, pieces_say
from companion.games.aana.odds.round import TooLargeError
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Role
from companion.odds.battle_file import TOO_LARGE, BattleAnswer, BattleFileError
from companion.odds.coaching import CHANCES, Question, goal_say, worth_say

__all__ = ["coached", "combat_of", "notes_of", "tried_say"]


def combat_of(found: AanaBattle) -> Combat:
    """Return the combat of a battle file."""
    return Combat(
        found.arena,
        found.attackers,
        found.defenders,
        found.attack,
        found.defence,
        found.cargo,
        found.costs,
        found.attack_supply,
        found.defence_supply,
        found.pools,
    )


def coached(found: AanaBattle, question: Question) -> BattleAnswer:
    """Return what is best in a battle file for a side and a goal.

    Raises:
        BattleFileError: The battle is too large, or a cost is missing that the goal needs.
    """
    role: Role = ATTACKER if question.side == "attacking" else DEFENDER
    combat, goal = combat_of(found), question.goal
    force = None
    try:
        advice, more = advise(combat, role, goal), reinforced(combat, role, goal)
        if question.wanted is not None and goal in CHANCES:
            force = smallest_force(combat, role, goal, question.wanted)
    except TooLargeError as error:
        fault = Say("This battle is too large for the coach. Name fewer kinds of pieces, or fewer pieces.")
        raise BattleFileError(TOO_LARGE, [fault]) from error
    except UnknownCostError as error:
        fault = Say(
            "A goal by cost needs the cost of every unit. Missing: {units}.",
            units=several(map(unit, error.units), "comma"),
        )
        raise BattleFileError("cost_missing", [fault]) from error
    return BattleAnswer(_data(advice, more, question, force), tuple(_lines(advice, more, question, force)))


def _data(advice: Advice, more: tuple[Tried, ...], question: Question, force: Force | None) -> dict[str, Any]:
    data: dict[str, Any] = {
        "side": question.side,
        "goal": advice.goal,
        "usual": advice.usual,
        "best": advice.best,
        "best_lost_last": advice.best_last,
        "at_least": advice.least,
        "rules": [
            {"rule": line.kind, "unit": line.unit, "rounds": line.rounds, "value": line.value}
            for line in advice.lines
        ],
        "with_more": [{"unit": line.unit, "count": line.rounds, "value": line.value} for line in more],
    }
    if question.wanted is not None:
        data["smallest_force"] = None if force is None else {
            "units": force.units, "cost": force.cost, "value": force.value, "is_smallest": force.is_smallest
        }  # fmt: skip
    return data


def _lines(advice: Advice, more: tuple[Tried, ...], question: Question, force: Force | None) -> list[Say]:
    goal = advice.goal
    lines = [
        Say(
            "Coach, {side}: {goal}",
            side=SIDE_WORDS[question.side],
            goal=goal_say(goal, is_attacking=question.side == "attacking"),
        ),
        Say("  as the file has it: {value}", value=worth_say(goal, advice.usual)),
    ]
    if advice.best is not None:
        value = worth_say(goal, advice.best)
        lines.append(
            Say(
                "  best times to press and cease, {unit} lost last: {value}",
                unit=unit(advice.best_last),
                value=value,
            )
            if advice.best_last
            else Say("  best times to press and cease: {value}", value=value)
        )
        lines += [Say("  {note}", note=note) for note in notes_of(advice)[1 if advice.best_last else 0 :]]
    elif advice.role == ATTACKER:
        lines.append(
            Say("  best: at least {value}; too many states for more", value=worth_say(goal, advice.least))
        )
    lines += [
        Say("  {rule}: {value}", rule=tried_say(line), value=worth_say(goal, line.value))
        for line in (*advice.lines, *more)
    ]
    if question.wanted is not None:
        lines.append(_force_line(question.wanted, goal, force))
    return lines


def _force_line(wanted: float, goal: str, force: Force | None) -> Say:
    chance = worth_say(goal, wanted)
    if force is None:
        return Say("  No part of these units reaches {chance}.", chance=chance)
    units = pieces_say(force.units)
    reached = worth_say(goal, force.value)
    if not force.is_smallest:
        return Say(
            "  {units} reach {reached}; not every smaller force could be tried.", units=units, reached=reached
        )
    if force.cost is None:
        return Say(
            "  smallest force for {chance}: {units}, {reached}", chance=chance, units=units, reached=reached
        )
    return Say(
        "  smallest force for {chance}: {units} (cost {cost}), {reached}",
        chance=chance, units=units, cost=force.cost, reached=reached,
    )  # fmt: skip


def notes_of(advice: Advice) -> list[Say]:
    """Return what the best value found was reckoned with: the unit lost last, and who was kept for moving in."""
    notes = [Say("Lose {unit} last", unit=unit(advice.best_last))] if advice.best_last else []
    if advice.keeps_throughout:
        notes.append(Say("The last unit that may move in is kept in every round or in none"))
    return notes


def tried_say(line: Tried) -> Value:
    """Return a simple rule in words."""
    if line.kind == "last":
        return Say("Lose {unit} last", unit=unit(line.unit))
    if line.kind == "more":
        return Say("With {units} more", units=Count(line.rounds, unit(line.unit)))
    if line.kind == "rounds":
        return Say("Stop after round {n}", n=line.rounds)
    return Say("Retreat from round {n} on", n=line.rounds)

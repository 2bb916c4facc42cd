"""Deciding what is done in a battle being fought: dice, casualties, combined fire, retreat.

Source: rulebook v0.96, Resolving Battles, Removing Casualties, Combined Fire, Retreat.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.dice import DieKind
from companion.core.events import Event
from companion.core.ids import Nation
from companion.core.rules import Accepted, Decision, Rejected
from companion.core.state import GameState
from companion.core.text import Count, Range, Say, Typed, several, unit
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, SIDES, Battle, Counts, Fight, ProblemCode
from companion.games.sfw.rules.battle_combine import combinations
from companion.games.sfw.rules.battle_commands import BattleCode
from companion.games.sfw.rules.battle_compose import open_battle
from companion.games.sfw.rules.battle_edition import Edition
from companion.games.sfw.rules.battle_fire import missing
from companion.games.sfw.rules.battle_known import with_ledger
from companion.games.sfw.rules.battle_legal import why_not_bomb, why_not_fire
from companion.games.sfw.rules.battle_losses import merge_hits
from companion.games.sfw.rules.battle_play import expected_hits
from companion.games.sfw.rules.battle_progress import (
    END,
    Course,
    begin,
    combined,
    due_rolls,
    groups_left,
    losses_chosen,
    may_retreat,
    open_losses,
    passed,
    retreated,
    rolled,
    used_in,
    volley_of,
)
from companion.games.sfw.rules.battle_record import Declared, Luck, Progress
from companion.games.sfw.rules.battle_settle import settled
from companion.games.sfw.rules.battle_state import (
    battles_of,
    conduct_of,
    edition_of,
    fight_of,
    loss_tables,
    resolved,
    side_id,
)
from companion.games.sfw.rules.named import colour as colour_name
from companion.games.sfw.rules.named import figure_of, figures_of, some_dice
from companion.games.sfw.rules.places import spelled
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import UnitTable

__all__ = ["FIGHTING"]


def _begin(state: GameState, command: bc.BeginBattle) -> Decision:
    declared = open_battle(state, command.battle)
    if isinstance(declared, Rejected):
        return declared
    other = next((entry for entry in battles_of(state).battles if entry.status == "fighting"), None)
    if other is not None:
        return Rejected(
            BattleCode.ANOTHER_BATTLE, Say("Finish battle {battle} first.", battle=Typed(other.id))
        )
    table = unit_table_of(state)
    told = with_ledger(state, declared)
    if isinstance(told, Rejected):
        return told
    battle = with_retreats(told, table, edition_of(state))
    fight = resolved(battle, edition_of(state), table)
    if isinstance(fight, Rejected):
        return fight
    refused = why_not_fire(state, declared, battle) or why_not_bomb(
        state, declared.attacker, declared.space, battle
    )
    if refused is not None:
        return refused
    needs = missing(fight)
    if needs:
        figures = several((figure_of(needs[0]),), "comma") if len(needs) == 1 else figures_of(needs)
        return Rejected(
            ProblemCode.PRINTED_VALUE_MISSING,
            Say.counted(
                "The rules do not give this value. Enter it from your copy: {figures}.",
                "The rules do not give these {n} values. Enter them from your copy: {figures}.",
                len(needs),
                figures=figures,
            ),
        )
    started = replace(declared, battle=battle)
    progress = begin(Course(fight, conduct_of(state, declared), loss_tables(fight)))
    known = battles_of(state).find(declared.id)
    is_same = known is not None and battle == known.battle
    first: tuple[Event, ...] = () if is_same else (bc.BattleChanged(declared.id, battle),)
    events = (*first, bc.BattleBegun(declared.id, progress), *_end(fight, started, progress, state))
    return Accepted(events)


def with_retreats(battle: Battle, table: UnitTable, edition: Edition) -> Battle:
    """Name the defending units that may retreat: land units whose tile shows the icon."""
    if battle.occasion != "battle" or not edition.has_retreat:
        return battle
    units = dict.fromkeys(
        group.unit
        for group in battle.defending
        if group.unit in table.units
        and table.units[group.unit].has("retreat")
        and table.units[group.unit].type == "land"
    )
    return replace(battle, retreat=tuple(units))


class _Fighting(msgspec.Struct):
    """A battle being fought with what the deciders need."""

    declared: Declared
    progress: Progress
    course: Course

    @property
    def fight(self) -> Fight:
        """The fight as it was begun."""
        return self.course.fight


def _fighting(state: GameState, battle: str) -> _Fighting | Rejected:
    declared = battles_of(state).find(battle)
    if declared is None:
        return Rejected(BattleCode.NO_BATTLE, Say("There is no battle {battle}.", battle=Typed(battle)))
    if declared.status != "fighting" or declared.progress is None:
        return Rejected(
            BattleCode.NOT_FIGHTING, Say("Battle {battle} is not being fought.", battle=Typed(battle))
        )
    fight = fight_of(state, declared)
    if isinstance(fight, Rejected):
        return fight
    course = Course(fight, conduct_of(state, declared), loss_tables(fight))
    return _Fighting(declared, declared.progress, course)


def _record(state: GameState, command: bc.RecordRoll) -> Decision:
    found = _fighting(state, command.battle)
    if isinstance(found, Rejected):
        return found
    progress = found.progress
    if not progress.lines or progress.owed:
        if progress.owed:
            return Rejected(BattleCode.LOSSES_FIRST, Say("Choose casualties first."))
        return Rejected(BattleCode.NO_LINE, Say("Nobody rolls now."))
    shared = _hits_fault(found, command) or _shared(progress, command)
    if isinstance(shared, Rejected):
        return shared
    after = rolled(found.course, progress, shared)
    luck = _luck_of_dice(state, found, shared)
    return _progressed(state, found, after, luck, dice=True)


def _hits_fault(found: _Fighting, command: bc.RecordRoll) -> Rejected | None:
    """Say why the hits alone cannot be told of a roll: for one line at a time, and only where no 12 does more than hit."""
    hits, dice = command.roll.origin.hits, command.roll.dice
    lines = found.progress.lines
    if hits is None or not all(0 <= number < len(lines) for number in command.lines):
        return None
    if len(command.lines) != 1 or not 0 <= hits <= len(dice) or any(command.roll.values()):
        why = Say("Enter how many of {dice} hit.", dice=Say.counted("{n} die", "{n} dice", len(dice)))
        return Rejected(BattleCode.WRONG_COUNT, why)
    line = lines[command.lines[0]]
    if volley_of(line, due_rolls(found.course, found.progress)).has_twelves:
        return Rejected(BattleCode.WRONG_DIE, Say("A 12 does more than hit here. Enter each die."))
    return None


def _shared(progress: Progress, command: bc.RecordRoll) -> list[tuple[int, Any]] | Rejected:
    """Share dice out to the lines, checking number, colour and value."""
    roll = command.roll
    if roll.kind != DieKind.D12:
        return Rejected(
            BattleCode.WRONG_DIE,
            Say("Battles are rolled with twelve-sided dice, not {kind}.", kind=Typed(str(roll.kind))),
        )
    for die in roll.dice:
        if not 1 <= die.value <= 12 and roll.origin.hits is None:
            return Rejected(
                BattleCode.WRONG_DIE,
                Say("A battle die shows {faces}, not {value}.", faces=Range(1, 12), value=die.value),
            )
    wanted: dict[str, int] = {}
    if not command.lines or len(set(command.lines)) != len(command.lines):
        return Rejected(BattleCode.NO_LINE, Say("Name each line of the roll list once."))
    for number in command.lines:
        if not 0 <= number < len(progress.lines) or not progress.thrown[number].waiting:
            return Rejected(
                BattleCode.NO_LINE, Say("Line {line} of the roll list needs no dice now.", line=number + 1)
            )
        colour = progress.lines[number].colour
        wanted[colour] = wanted.get(colour, 0) + progress.thrown[number].waiting
    given: dict[str, list[Any]] = {}
    for die in roll.dice:
        given.setdefault(str(die.colour), []).append(die)
    strange = next((colour for colour in given if colour not in wanted), None)
    asked = several(some_dice(count, colour) for colour, count in wanted.items())
    if strange is not None:
        got = some_dice(len(given[strange]), strange)
        return Rejected(BattleCode.WRONG_COLOUR, Say("Roll {dice}, not {got}.", dice=asked, got=got))
    for colour, count in wanted.items():
        if len(given.get(colour, ())) != count:
            got = some_dice(len(given.get(colour, ())), colour)
            return Rejected(BattleCode.WRONG_COUNT, Say("Roll {dice}, not {got}.", dice=asked, got=got))
    shared = []
    for number in command.lines:
        line = progress.lines[number]
        rivals = [progress.lines[other] for other in command.lines if other != number]
        if any(other.colour == line.colour and _differ(other, line) for other in rivals):
            return Rejected(
                BattleCode.SAME_COLOUR,
                Say(
                    "Several lines roll dice of one colour at different numbers: {colour}. Roll them separately.",
                    colour=colour_name(line.colour),
                ),
            )
        dice = given[line.colour]
        count = progress.thrown[number].waiting
        shared.append((number, replace(roll, dice=tuple(dice[:count]))))
        del dice[:count]
    return shared


def _differ(left: Any, right: Any) -> bool:
    return (left.number, left.side, left.nation) != (right.number, right.side, right.nation)


def _luck_of_dice(state: GameState, found: _Fighting, shared: list[tuple[int, Any]]) -> dict[str, Luck]:
    """Return the new totals of the nations whose lines were begun or went on."""
    luck = dict(battles_of(state).luck)
    both = due_rolls(found.course, found.progress)
    changed: dict[str, Luck] = {}
    for number, roll in shared:
        line = found.progress.lines[number]
        nation = Nation(line.nation)
        if nation not in luck:
            continue
        expected = 0
        if not found.progress.thrown[number].rolls:
            part = both[0 if line.side == ATTACKING else 1]
            for volley in line.volleys:
                numerator, denominator = expected_hits(part.volleys[volley])
                expected += round(numerator * 132 / denominator)
        old = luck[nation]
        luck[nation] = changed[nation] = replace(
            old,
            dice=old.dice + len(roll.dice),
            expected_132=old.expected_132 + expected,
            hits=old.hits + roll.hits(line.number),
        )
    return changed


def _progressed(
    state: GameState, found: _Fighting, after: Progress, luck: dict[str, Luck], *, dice: bool = False
) -> Decision:
    """Wrap a new progress into events: losses into the luck, and the end of the battle where it is reached."""
    luck = _luck_of_losses(state, found, after, luck)
    kind = bc.DiceRecorded if dice else bc.BattleProgressed
    done = after.records[len(found.progress.records) :]
    event = kind(found.declared.id, replace(after, records=()), done, luck)
    return Accepted((event, *_end(found.fight, found.declared, after, state)))


def _luck_of_losses(
    state: GameState, found: _Fighting, after: Progress, changed: dict[str, Luck]
) -> dict[str, Luck]:
    luck = {**{str(nation): value for nation, value in battles_of(state).luck.items()}, **changed}
    result = dict(changed)
    for record in after.records[len(found.progress.records) :]:
        for side in SIDES:
            for kind in found.fight.kinds(side):
                lost = record.losses[side][kind.index]
                nation = kind.nation
                if lost and nation in luck:
                    old = luck[nation]
                    luck[nation] = result[nation] = replace(
                        old, lost_cost=old.lost_cost + lost * kind.cost, lost_units=old.lost_units + lost
                    )
    return result


def _end(fight: Fight, declared: Declared, progress: Progress, state: GameState) -> tuple[Event, ...]:
    if progress.step != END:
        return ()
    ended = _ended(fight, declared, progress, state, "over")
    return (ended, *settled(state, fight, declared, progress, "over"))


def _ended(
    fight: Fight, declared: Declared, progress: Progress, state: GameState, reason: str
) -> bc.BattleEnded:
    left = {
        str(side_id(state, declared.attacker, side)): groups_left(fight, side, progress) for side in SIDES
    }
    return bc.BattleEnded(declared.id, reason, left, used_in(fight, progress, declared.space))


def _combine(state: GameState, command: bc.CombineHits) -> Decision:
    found = _fighting(state, command.battle)
    if isinstance(found, Rejected):
        return found
    owed = next((entry for entry in found.progress.owed if entry.to_combine), None)
    if owed is None:
        return Rejected(BattleCode.NOTHING_OWED, Say("There are no hits to combine."))
    hits = merge_hits(command.hits)
    if hits not in combinations((*owed.precise, *owed.plain), len(found.fight.edition.capacity)):
        return Rejected(
            BattleCode.BAD_COMBINATION, Say("Two hits of one colour combine to one hit of the next colour.")
        )
    after = combined(found.course, found.progress, owed.side, hits)
    return _progressed(state, found, after, {})


def _choose(state: GameState, command: bc.ChooseLosses) -> Decision:
    found = _fighting(state, command.battle)
    if isinstance(found, Rejected):
        return found
    if any(entry.to_combine and entry.side == command.side for entry in found.progress.owed):
        return Rejected(BattleCode.COMBINE_FIRST, Say("Combine the hits first."))
    choice = open_losses(found.progress, command.side)
    if choice is None:
        rolls_first = found.progress.lines and not found.progress.owed
        why = Say("Roll first.") if rolls_first else Say("There are no casualties to choose.")
        return Rejected(BattleCode.NOTHING_OWED, why)
    counts, hits, _ = choice
    losses = _by_kind(command.losses, len(counts))
    if losses is None:
        return Rejected(BattleCode.ILLEGAL_LOSSES, Say("One of these units is not in this battle."))
    fault = found.course.tables[command.side].fault(counts, hits, losses)
    if fault is not None:
        return Rejected(BattleCode.ILLEGAL_LOSSES, fault)
    after = losses_chosen(found.course, found.progress, command.side, losses)
    return _progressed(state, found, after, {})


def _by_kind(entries: tuple[bc.UnitLosses, ...], kinds: int) -> Counts | None:
    found = [0] * kinds
    for entry in entries:
        if not 0 <= entry.kind < kinds or entry.count < 0:
            return None
        found[entry.kind] += entry.count
    return tuple(found)


def _retreat(state: GameState, command: bc.RetreatUnits) -> Decision:
    found = _fighting(state, command.battle)
    if isinstance(found, Rejected):
        return found
    if not may_retreat(found.fight, found.progress):
        return Rejected(
            BattleCode.NO_RETREAT,
            Say(
                "Units retreat between battle steps {steps}, and only if they have the icon.",
                steps=several((5, 6)),
            ),
        )
    kinds = found.fight.defending
    leaving = _by_kind(command.leaving, len(kinds))
    movable = {kind.source for kind in kinds if kind.role == "leaving"}
    if leaving is None or not any(leaving):
        return Rejected(BattleCode.NO_RETREAT, Say("Name the units that leave."))
    for index, count in enumerate(leaving):
        if count and (index not in movable or count > found.progress.defending[index]):
            return Rejected(
                BattleCode.NO_RETREAT,
                Say("That many cannot retreat: {units}.", units=Count(count, unit(kinds[index].unit.id))),
            )
    after = retreated(found.course, found.progress, leaving, spelled(state, command.to))
    return _progressed(state, found, after, {})


def _stand(state: GameState, command: bc.StandFast) -> Decision:
    found = _fighting(state, command.battle)
    if isinstance(found, Rejected):
        return found
    if not may_retreat(found.fight, found.progress):
        return Rejected(BattleCode.NO_RETREAT, Say("Nobody can retreat now."))
    return _progressed(state, found, passed(found.course, found.progress), {})


def _pass(state: GameState, command: bc.PassStep) -> Decision:
    found = _fighting(state, command.battle)
    if isinstance(found, Rejected):
        return found
    if found.progress.lines:
        if found.progress.owed:
            return Rejected(BattleCode.LOSSES_FIRST, Say("Choose casualties first."))
        return Rejected(BattleCode.ROLL_FIRST, Say("Roll the dice of this battle step first."))
    if may_retreat(found.fight, found.progress):
        return Rejected(BattleCode.RETREAT_FIRST, Say("Decide first whether anyone retreats."))
    return _progressed(state, found, passed(found.course, found.progress), {})


def _break_off(state: GameState, command: bc.BreakOff) -> Decision:
    found = _fighting(state, command.battle)
    if isinstance(found, Rejected):
        return found
    ended = _ended(found.fight, found.declared, found.progress, state, "broken_off")
    return Accepted((ended, *settled(state, found.fight, found.declared, found.progress, "broken_off")))


FIGHTING: dict[type, Callable[[GameState, Any], Decision]] = {
    bc.BeginBattle: _begin,
    bc.BreakOff: _break_off,
    bc.ChooseLosses: _choose,
    bc.CombineHits: _combine,
    bc.PassStep: _pass,
    bc.RecordRoll: _record,
    bc.RetreatUnits: _retreat,
    bc.StandFast: _stand,
}
"""Command to its decider."""

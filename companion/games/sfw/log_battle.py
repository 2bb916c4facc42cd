"""What battles, desert rolls and the order of play say in the log and behind "Undo"."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.core.commands import Command
from companion.core.history import Entry
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Count, Name, Say, Several, Typed, Value, nation, several, side, unit
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import SIDES
from companion.games.sfw.rules.battle_record import Declared, Line
from companion.games.sfw.rules.battle_state import battles_of, fight_of, side_id
from companion.games.sfw.rules.desert import RollDesert, SettleDesert
from companion.games.sfw.rules.flow import SetFirstSide, SetTogether
from companion.games.sfw.rules.named import colour, units_of
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.support import unit_table_of
from companion.pages.words import LogLines

__all__ = ["BATTLE_LOG", "BATTLE_LOG_AFTER", "BATTLE_LOG_ENTRY"]


def _battle(state: GameState, battle: str) -> Value:
    found = battles_of(state).find(battle)
    if found is None:
        return Typed(battle)
    return Say("{id} {space}", id=Typed(battle), space=space_of(found.space))


def _declare(command: bc.DeclareBattle, state: GameState) -> Say:  # noqa: ARG001
    what = Name("declared", command.occasion)
    if command.forced:
        return Say("{what}, noted late: {space}", what=what, space=space_of(command.space))
    return Say("{what}: {space}", what=what, space=space_of(command.space))


def _change(command: bc.ChangeUnits, state: GameState) -> Say:  # noqa: ARG001
    battle, of = Typed(command.battle), nation(command.nation)
    units = Count(abs(command.by), unit(command.unit))
    if command.by < 0:
        return Say("{battle}: removed {units}, {nation}", battle=battle, units=units, nation=of)
    return Say("{battle}: added {units}, {nation}", battle=battle, units=units, nation=of)


def _set_group(command: bc.SetGroup, state: GameState) -> Say:  # noqa: ARG001
    return Say("{battle}: {unit} set", battle=Typed(command.battle), unit=unit(command.group.unit))


def _split_group(command: bc.SplitGroup, state: GameState) -> Say:
    return Say("Battle {battle}: {n} set apart", battle=_battle(state, command.battle), n=command.count)


def _circumstances(command: bc.SetCircumstances, state: GameState) -> Say:
    return Say("Battle {battle}: circumstances", battle=_battle(state, command.battle))


def _repeat(command: bc.RepeatComposition, state: GameState) -> Say:
    return Say("Battle {battle}: same units as last time", battle=_battle(state, command.battle))


def _withdraw(command: bc.WithdrawBattle, state: GameState) -> Say:
    return Say("Battle {battle} taken back", battle=_battle(state, command.battle))


def _begin(command: bc.BeginBattle, state: GameState) -> Say:
    return Say("Battle {battle} begins", battle=_battle(state, command.battle))


def _roll(entry: Entry, state: GameState) -> Say:
    command = entry.command
    assert isinstance(command, bc.RecordRoll)
    battle, values = _battle(state, command.battle), several(command.roll.values(), "comma")
    lines = _rolled_lines(entry, command)
    if not lines:
        return Say("Battle {battle}: rolled {values}", battle=battle, values=values)
    who = several((_shooters(state, command.battle, line) for line in lines), "comma")
    hits = command.roll.origin.hits
    if hits is not None:
        return Say.counted(
            "Battle {battle}, {who}: {hits} of {n} die hit",
            "Battle {battle}, {who}: {hits} of {n} dice hit",
            len(command.roll.dice),
            battle=battle,
            who=who,
            hits=hits,
        )
    return Say("Battle {battle}, {who}: rolled {values}", battle=battle, who=who, values=values)


def _forced(entry: Entry, state: GameState) -> Say | None:
    """Return the losses that dice brought and that nobody could choose."""
    event = next((event for event in entry.events if isinstance(event, bc.DiceRecorded)), None)
    found = None if event is None else _fought(state, event)
    fight = None if found is None else fight_of(state, found)
    if event is None or found is None or fight is None or isinstance(fight, Rejected):
        return None
    parts = []
    for at in SIDES:
        taken = [record.losses.get(at, ()) for record in event.done]
        taken += [owed.taken for owed in event.progress.owed if owed.side == at and owed.is_settled]
        kinds = fight.kinds(at)
        lost = [sum(losses[kind.index] for losses in taken if losses) for kind in kinds]
        units = [Count(n, unit(kind.unit.id)) for kind, n in zip(kinds, lost, strict=True) if n]
        if units:
            name = side(side_id(state, found.attacker, at))
            parts.append(Say("{side}: lost {units}", side=name, units=several(units)))
    return Say("{losses}", losses=Several(tuple(parts), "dots")) if parts else None


def _fought(state: GameState, event: bc.DiceRecorded) -> Declared | None:
    """Return the battle of an event: one of this movement step by its letter, an earlier one by what was rolled there."""
    found = battles_of(state).find(event.battle)
    known: tuple[Declared, ...] = (
        *((found,) if found is not None else ()),
        *reversed(battles_of(state).history),
    )
    for battle in known:
        records = battle.progress.records if battle.progress is not None else ()
        if battle.id != event.battle:
            continue
        if all(record in records for record in event.done) and (event.done or battle is found):
            return battle
    return None


def _rolled_lines(entry: Entry, command: bc.RecordRoll) -> tuple[Line, ...]:
    """Return the lines of the roll list that dice were for: those of the step that they ended, else of the one at hand."""
    event = next((event for event in entry.events if isinstance(event, bc.DiceRecorded)), None)
    if event is None:
        return ()
    lines = event.done[0].lines if event.done else event.progress.lines
    return tuple(lines[index] for index in command.lines if index < len(lines))


def _shooters(state: GameState, battle: str, line: Line) -> Say:
    """Return whose units a line is for."""
    units = Several(tuple(map(unit, line.units)), "comma")
    found = battles_of(state).find(battle)
    if line.nation:
        return Say("{owner}, {units}", owner=nation(line.nation), units=units)
    if found is None:
        return Say("{units}", units=units)
    return Say("{owner}, {units}", owner=side(side_id(state, found.attacker, line.side)), units=units)


def _combine(command: bc.CombineHits, state: GameState) -> Say:
    levels = unit_table_of(state).levels
    totals: dict[int, int] = {}
    for hit in command.hits:
        totals[hit.level] = totals.get(hit.level, 0) + hit.count
    hits = several(
        (
            Say("{n} {colour}", n=count, colour=colour(levels[level - 1]))
            for level, count in sorted(totals.items(), reverse=True)
        ),
        "comma",
    )
    return Say("Battle {battle}: combined into {hits}", battle=Typed(command.battle), hits=hits)


def _lose(command: bc.ChooseLosses, state: GameState) -> Say:
    found = battles_of(state).find(command.battle)
    fight = None if found is None else fight_of(state, found)
    if found is None or fight is None or isinstance(fight, Rejected):
        return Say("Battle {battle}: casualties", battle=Typed(command.battle))
    kinds = fight.kinds(command.side)
    lost = several(
        Count(entry.count, unit(kinds[entry.kind].unit.id))
        for entry in command.losses
        if entry.kind < len(kinds)
    )
    loser = side(side_id(state, found.attacker, command.side))
    if not lost.items:
        return Say("{side}: nothing lost", side=loser)
    return Say("{side}: lost {units}", side=loser, units=lost)


def _retreat(command: bc.RetreatUnits, state: GameState) -> Say:
    battle = _battle(state, command.battle)
    if command.to:
        return Say("Battle {battle}: retreat to {space}", battle=battle, space=Typed(command.to))
    return Say("Battle {battle}: retreat", battle=battle)


def _stand(command: bc.StandFast, state: GameState) -> Say:
    return Say("Battle {battle}: nobody retreats", battle=_battle(state, command.battle))


def _pass(command: bc.PassStep, state: GameState) -> Say:
    return Say("Battle {battle}: next battle step", battle=_battle(state, command.battle))


def _break_off(command: bc.BreakOff, state: GameState) -> Say:
    return Say("Battle {battle} broken off", battle=_battle(state, command.battle))


def _rolled_desert(command: RollDesert, state: GameState) -> Say:  # noqa: ARG001
    values = several(command.roll.values(), "comma")
    return Say("Desert roll in {space}: {values}", space=space_of(command.space), values=values)


def _settled_desert(command: SettleDesert, state: GameState) -> Say:  # noqa: ARG001
    return Say("Halted in the desert: {units}", units=units_of(command.halted))


def _first(command: SetFirstSide, state: GameState) -> Say:  # noqa: ARG001
    return Say("Stage {stage}: {side} first", stage=command.stage, side=side(command.side))


def _together(command: SetTogether, state: GameState) -> Say:  # noqa: ARG001
    if not command.phases:
        return Say("Sides act one after the other")
    return Say("Both at once: {phases}", phases=several(Name("phase", phase) for phase in command.phases))


BATTLE_LOG: LogLines = {
    bc.BeginBattle: _begin,
    bc.BreakOff: _break_off,
    bc.ChangeUnits: _change,
    bc.ChooseLosses: _lose,
    bc.CombineHits: _combine,
    bc.DeclareBattle: _declare,
    bc.PassStep: _pass,
    bc.RepeatComposition: _repeat,
    bc.RetreatUnits: _retreat,
    bc.SetCircumstances: _circumstances,
    bc.SetGroup: _set_group,
    bc.SplitGroup: _split_group,
    bc.StandFast: _stand,
    bc.WithdrawBattle: _withdraw,
    RollDesert: _rolled_desert,
    SettleDesert: _settled_desert,
    SetFirstSide: _first,
    SetTogether: _together,
}
"""Command to its line."""

BATTLE_LOG_ENTRY: Mapping[type[Command], Callable[[Entry, GameState], Say]] = {bc.RecordRoll: _roll}
"""The same where the events tell more than the command."""

BATTLE_LOG_AFTER: Mapping[type[Command], Callable[[Entry, GameState], Say | None]] = {bc.RecordRoll: _forced}
"""What followed by itself."""

"""The battles of a running game as a part of its rules: its slice, and applying the battle events.

Who attacks is the side whose movement step it is. What only the board knows (who stands where, who moved) is what
the table enters; what follows from the rules is computed and refused where it does not fit.

Source: rulebook v0.96, Declaring Battles; Resolving Battles; Battle Steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from companion.core.commands import Command
from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import Nation, Side
from companion.core.parts import ForeignKeyError, Part
from companion.core.rules import Accepted, Code, Context, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say, Typed, several
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import DEFENDING, Group
from companion.games.sfw.rules.battle_compose import COMPOSING
from companion.games.sfw.rules.battle_fighting import FIGHTING
from companion.games.sfw.rules.battle_legal import why_not_late
from companion.games.sfw.rules.battle_record import BattleSlice, Declared, Luck
from companion.games.sfw.rules.battle_state import ACTS, RETURN, battles_of, side_id
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import printed_fault

__all__ = ["BattlePart"]

_DECIDERS = {**COMPOSING, **FIGHTING}


class BattlePart(Part):
    """Battles as a part of the game's rules."""

    name = "battle"
    commands: tuple[type[Command], ...] = bc.BATTLE_COMMANDS
    events: tuple[type[Event], ...] = bc.BATTLE_EVENTS

    def initial(self, setup: Setup) -> BattleSlice:
        """Return a slice without battles."""
        return BattleSlice(luck={info.id: Luck() for info in setup.nations})

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:
        """Decide one of the battle commands."""
        decided = _DECIDERS[type(command)](state, command)
        if not isinstance(command, bc.DeclareBattle) or command.occasion != "battle":
            return decided
        # A space that cannot be fought for says so; being late matters only for the others.
        late = why_not_late(state, command.forced, ctx.actor) if isinstance(decided, Accepted) else None
        return late or decided

    def evolve(self, own: Any, event: Event, state: GameState) -> BattleSlice:
        """Apply one of the battle events."""
        return _evolve(own, event, state)

    def step_entered(self, own: Any, step: Step, state: GameState) -> BattleSlice:
        """Put the battles of the last movement step away when another side or step begins."""
        slice_: BattleSlice = own
        if not slice_.battles and not slice_.used:
            return slice_
        last = slice_.battles[-1] if slice_.battles else None
        same_step = last is None or (last.stage, last.movement_step) == (step.stage, step.movement_step)
        same_side = last is None or step.owners == (_acting(last, state),)
        if step.movement_step is not None and same_step and same_side and step.act in ACTS:
            return slice_
        kept = slice_.used if step.movement_step is not None and same_step else ()
        past = tuple(_put_away(entry) for entry in slice_.battles)
        return replace(slice_, battles=(), history=(*slice_.history, *past), used=kept, count=0)

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """Name the battles that are still to be fought when the side resolves them."""
        if step.act not in ("resolve", RETURN):
            return None
        waiting = [
            entry.id for entry in battles_of(state).battles if entry.status in ("declared", "fighting")
        ]
        if not waiting:
            return None
        battles = several(map(Typed, waiting))
        return Rejected(Code.STILL_OPEN, Say("Battles still to be resolved: {battles}.", battles=battles))

    def is_irreversible(self, event: Event) -> bool:
        """Dice that were rolled cannot be unrolled."""
        return isinstance(event, bc.DiceRecorded)

    def printed_fault(self, state: GameState, key: str, value: object) -> Say | None:
        """Check a printed value of the unit table; ForeignKeyError for what is no unit of it."""
        table = unit_table_of(state)
        if key.partition(".")[0] not in table.units:
            raise ForeignKeyError(key)
        return printed_fault(table, key, value)


def _acting(entry: Declared, state: GameState) -> Side:
    """Return whose movement step a battle belongs to: at a disengage the side that leaves, else the attacker."""
    return (
        side_id(state, entry.attacker, DEFENDING) if entry.battle.occasion == "disengage" else entry.attacker
    )


def _put_away(entry: Declared) -> Declared:
    """Return a battle as it is remembered: one that was not finished when its side's time was over is broken off."""
    return replace(entry, status="broken_off") if entry.status in ("declared", "fighting") else entry


def _evolve(own: BattleSlice, event: Event, state: GameState) -> BattleSlice:
    match event:
        case bc.BattleDeclared():
            declared = Declared(
                event.battle,
                event.space,
                state.step.stage,
                event.composition.movement_step,
                event.attacker,
                event.composition,
                late=event.late,
            )
            return replace(own, battles=(*own.battles, declared), count=own.count + 1)
        case bc.BattleChanged():
            return _replaced(own, event.battle, battle=event.composition)
        case bc.BattleWithdrawn():
            return replace(own, battles=tuple(b for b in own.battles if b.id != event.battle))
        case bc.BattleBegun():
            begun = own.find(event.battle)
            started = begun.battle if begun is not None else None
            return _replaced(own, event.battle, status="fighting", progress=event.progress, started=started)
        case bc.DiceRecorded() | bc.BattleProgressed():
            found = own.find(event.battle)
            before = () if found is None or found.progress is None else found.progress.records
            progress = replace(event.progress, records=(*before, *event.done))
            after = _replaced(own, event.battle, progress=progress)
            luck = {**own.luck, **{Nation(nation): value for nation, value in event.luck.items()}}
            return replace(after, luck=luck) if event.luck else after
        case bc.BattleEnded():
            return _after_end(own, event)
        case _:
            return own


def _after_end(own: BattleSlice, event: bc.BattleEnded) -> BattleSlice:
    ended = own.find(event.battle)
    if ended is None:
        return own
    after = _replaced(own, event.battle, status=event.reason)
    compositions = own.compositions
    if ended.battle.occasion == "battle":
        compositions = {**compositions, ended.space: event.left}
    elif ended.battle.occasion == "movement" and not ended.battle.push_through:
        compositions = {**compositions, ended.space: _with_entered(own, ended, event.left)}
    return replace(after, compositions=compositions, used=(*own.used, *event.used))


def _with_entered(
    own: BattleSlice, entry: Declared, left: Mapping[str, tuple[Group, ...]]
) -> dict[str, tuple[Group, ...]]:
    """Return the units known in a space once those who came through the fire of an entry stand there too."""
    known = own.last_known(entry.space)
    counts: dict[Group, int] = {}
    for group in (*known.get(entry.attacker, ()), *left.get(entry.attacker, ())):
        kind = replace(group, count=0)
        counts[kind] = counts.get(kind, 0) + group.count
    entered = tuple(replace(kind, count=count) for kind, count in counts.items())
    return {**left, **known, entry.attacker: entered}


def _replaced(own: BattleSlice, battle_id: str, **changes: Any) -> BattleSlice:
    battles = tuple(replace(entry, **changes) if entry.id == battle_id else entry for entry in own.battles)
    return replace(own, battles=battles)

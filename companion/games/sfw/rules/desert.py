"""Desert rolls of the first edition: what land units that enter a desert space lose of their move.

One yellow die is rolled at once for each land unit that enters. Each 10 or more sends 2 Infantry back to where they
came from; only where no 2 Infantry are left does it halt 1 Tank, Artillery or Land Transport in the desert space,
with whatever is aboard. Which of those halt is the nation's choice; the rest follows by itself.

Not checked: whether the space is desert and who stood in it before, which only the board knows.
Source: first edition, Terrain, Desert Land Space.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.commands import Command
from companion.core.dice import DieColour, DieKind, Roll
from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import Nation, StepId
from companion.core.parts import Part
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Range, Say, nation, several, side, unit
from companion.games.sfw.rules.ledger import nation_side
from companion.games.sfw.rules.named import some_dice, units_of
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.places import spelled
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import UnitTable

__all__ = [
    "HALTING",
    "NUMBER",
    "DesertCode",
    "DesertPart",
    "DesertRoll",
    "DesertRolled",
    "DesertSettled",
    "DesertState",
    "RollDesert",
    "SettleDesert",
    "can_roll",
    "dice_needed",
    "open_roll",
]

NUMBER = 10
"""Least value of a yellow die that penalises."""

HALTING = ("tank", "artillery", "land_transport")
"""Standard units that halt where no 2 Infantry are left to go back."""

_MOST = 99


class DesertCode(StrEnum):
    """Why a desert roll was refused."""

    NOT_NOW = "not_now"
    NOT_YOUR_ACT = "not_your_act"
    WRONG_DICE = "wrong_dice"
    NO_ROLL = "no_roll"
    ILLEGAL_HALT = "illegal_halt"
    """Other units halt than the rule asks for, or too few or too many."""
    SETTLE_FIRST = "settle_first"


class DesertRoll(msgspec.Struct, frozen=True, omit_defaults=True):
    """One nation's units entering one desert space, with their roll."""

    id: int
    step: StepId
    stage: int
    space: str
    nation: Nation
    units: dict[str, int]
    roll: Roll
    penalties: int
    """Dice of 10 or more."""
    sent_back: int
    """Infantry that go back: 2 for each penalty, as far as there are 2."""
    to_halt: int
    """Units of `HALTING` that halt in the desert space."""
    halted: dict[str, int] = {}
    is_settled: bool = False


class DesertState(msgspec.Struct, frozen=True):
    """The part's slice: every desert roll of the game, oldest first."""

    rolls: tuple[DesertRoll, ...] = ()


class RollDesert(Command, frozen=True, tag=True):
    """Units of a nation enter a desert space; their yellow dice, one for each, have been rolled."""

    space: str
    nation: Nation
    units: dict[str, int]
    roll: Roll


class SettleDesert(Command, frozen=True, tag=True):
    """Say which units halt."""

    id: int
    halted: dict[str, int]


class DesertRolled(Event, frozen=True, tag=True):
    """A desert roll was made; it is settled already where it leaves no choice."""

    entry: DesertRoll


class DesertSettled(Event, frozen=True, tag=True):
    """A nation said which units halt."""

    id: int
    halted: dict[str, int]


# Questions


def _own(state: GameState) -> DesertState:
    own: DesertState = state.game["desert"]
    return own


def can_roll(state: GameState) -> bool:
    """Say whether units may enter a desert space now: while a side moves or declares, steps 1-5."""
    step = state.step
    return step.phase == "tactical" and step.movement_step != 6 and step.act in ("move", "declare")


def dice_needed(units: Mapping[str, int]) -> int:
    """Return how many yellow dice some units roll: one each."""
    return sum(units.values())


def open_roll(state: GameState) -> DesertRoll | None:
    """Return the roll whose halting units are still to be named; None when there is none."""
    return next((entry for entry in _own(state).rolls if not entry.is_settled), None)


def _halting(table: UnitTable, units: Mapping[str, int]) -> dict[str, int]:
    return {unit: count for unit, count in units.items() if table.units[unit].standard in HALTING and count}


def _entry(state: GameState, command: RollDesert) -> DesertRoll:
    table, step = unit_table_of(state), state.step
    penalties = sum(value >= NUMBER for value in command.roll.values())
    infantry = sum(n for unit, n in command.units.items() if table.units[unit].standard == "infantry")
    pairs = min(penalties, infantry // 2)
    halting = _halting(table, command.units)
    to_halt = min(penalties - pairs, sum(halting.values()))
    is_free = len(halting) > 1 and 0 < to_halt < sum(halting.values())
    one = dict.fromkeys(halting, to_halt) if len(halting) == 1 and to_halt else {}
    return DesertRoll(
        id=len(_own(state).rolls) + 1,
        step=step.id,
        stage=step.stage,
        space=spelled(state, command.space),
        nation=command.nation,
        units={unit: count for unit, count in command.units.items() if count},
        roll=command.roll,
        penalties=penalties,
        sent_back=2 * pairs,
        to_halt=to_halt,
        halted={} if is_free or not to_halt else one or halting,
        is_settled=not is_free,
    )


def _who_halts(entry: DesertRoll) -> Say:
    """Ask for the units of a roll that halt."""
    return Say.counted(
        "Choose first which unit halts in {space}.",
        "Choose first which {n} units halt in {space}.",
        entry.to_halt,
        space=space_of(entry.space),
    )


def _roll(state: GameState, command: RollDesert) -> Decision:
    setup, table = state.frozen_setup, unit_table_of(state)
    if not can_roll(state):
        return Rejected(
            DesertCode.NOT_NOW,
            Say("Desert rolls are made while units move, in movement steps {steps}.", steps=Range(1, 5)),
        )
    if command.nation not in {info.id for info in setup.nations} or not command.space.strip():
        return Rejected(Code.BAD_VALUE, Say("Choose a nation of this game and name the desert space."))
    if nation_side(setup, command.nation) not in state.step.owners:
        return Rejected(
            DesertCode.NOT_YOUR_ACT,
            Say("It is another side's turn to move: {sides}.", sides=several(map(side, state.step.owners))),
        )
    waiting = open_roll(state)
    if waiting is not None:
        return Rejected(DesertCode.SETTLE_FIRST, _who_halts(waiting))
    for id_, count in command.units.items():
        spec = table.units.get(id_)
        if spec is None or spec.type != "land" or not table.fields(command.nation, id_):
            return Rejected(
                Code.BAD_VALUE,
                Say(
                    "No land unit of this nation: {unit}, {nation}.",
                    unit=unit(id_),
                    nation=nation(command.nation),
                ),
            )
        if not 0 <= count <= _MOST:
            return Rejected(
                Code.BAD_VALUE,
                Say("{unit}: choose {most}, not {count}.", unit=unit(id_), most=Range(0, _MOST), count=count),
            )
    wanted = dice_needed(command.units)
    if not wanted:
        return Rejected(Code.BAD_VALUE, Say("Name the land units that enter."))
    roll = command.roll
    is_fit = roll.kind == DieKind.D12 and all(
        die.colour == DieColour.YELLOW and 1 <= die.value <= 12 for die in roll.dice
    )
    if not is_fit or len(roll.dice) != wanted:
        return Rejected(
            DesertCode.WRONG_DICE,
            Say(
                "Roll {dice}, not {got}.",
                dice=some_dice(wanted, DieColour.YELLOW.value),
                got=Say.counted("{n} die", "{n} dice", len(roll.dice)),
            ),
        )
    return Accepted((DesertRolled(_entry(state, command)),))


def _settle(state: GameState, command: SettleDesert) -> Decision:
    entry = open_roll(state)
    if entry is None or entry.id != command.id:
        return Rejected(DesertCode.NO_ROLL, Say("No desert roll is waiting for units to halt."))
    could = _halting(unit_table_of(state), entry.units)
    halted = {unit: count for unit, count in command.halted.items() if count}
    fits = all(0 <= count <= could.get(unit, 0) for unit, count in halted.items())
    if not fits or sum(halted.values()) != entry.to_halt:
        return Rejected(
            DesertCode.ILLEGAL_HALT,
            Say.counted(
                "{n} of these units must halt: {units}.",
                "{n} of these units must halt: {units}.",
                entry.to_halt,
                units=units_of(could),
            ),
        )
    return Accepted((DesertSettled(entry.id, halted),))


class DesertPart(Part):
    """Desert rolls as a part of the first edition's rules."""

    name = "desert"
    deciders = {
        RollDesert: _roll,
        SettleDesert: _settle,
    }
    commands = tuple(deciders)
    events: tuple[type[Event], ...] = (DesertRolled, DesertSettled)

    def initial(self, setup: Setup) -> DesertState:  # noqa: ARG002
        """Return a slice without rolls."""
        return DesertState()

    def evolve(self, own: Any, event: Event, state: GameState) -> DesertState:  # noqa: ARG002
        """Apply an event of this part."""
        slice_: DesertState = own
        match event:
            case DesertRolled():
                return replace(slice_, rolls=(*slice_.rolls, event.entry))
            case DesertSettled():
                rolls = tuple(
                    replace(entry, halted=event.halted, is_settled=True) if entry.id == event.id else entry
                    for entry in slice_.rolls
                )
                return replace(slice_, rolls=rolls)
        return slice_

    def leaving(self, state: GameState, step: Step) -> Rejected | None:  # noqa: ARG002
        """Ask which units halt before the act ends."""
        waiting = open_roll(state)
        if waiting is None:
            return None
        return Rejected(Code.STILL_OPEN, _who_halts(waiting))

    def is_irreversible(self, event: Event) -> bool:
        """Dice that were rolled cannot be unrolled."""
        return isinstance(event, DesertRolled)

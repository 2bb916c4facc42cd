"""What the table may ask in battles, and what happened: the closed union of the battle part.

Declaring and composing: `DeclareBattle`, `ChangeUnits` (a tap adds or takes one), `SetGroup` and `SplitGroup` for everything
that is not a count, `SetCircumstances`, `RepeatComposition`, `WithdrawBattle`. Fighting: `BeginBattle`, `RecordRoll`,
`CombineHits`, `ChooseLosses`, `RetreatUnits`, `StandFast`, `PassStep`, `BreakOff`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec

from companion.core.commands import Command
from companion.core.dice import Roll
from companion.core.events import Event
from companion.core.ids import Side
from companion.games.sfw.rules.battle import Battle, Group
from companion.games.sfw.rules.battle_losses import Hit
from companion.games.sfw.rules.battle_record import Luck, Progress, StepRecord, Used

__all__ = [
    "BATTLE_COMMANDS",
    "BATTLE_EVENTS",
    "FORCED_BY",
    "BattleBegun",
    "BattleChanged",
    "BattleCode",
    "BattleDeclared",
    "BattleEnded",
    "BattleProgressed",
    "BattleWithdrawn",
    "BeginBattle",
    "BreakOff",
    "ChangeUnits",
    "ChooseLosses",
    "CombineHits",
    "DeclareBattle",
    "DiceRecorded",
    "PassStep",
    "RecordRoll",
    "RepeatComposition",
    "RetreatUnits",
    "SetCircumstances",
    "SetGroup",
    "SplitGroup",
    "StandFast",
    "UnitLosses",
    "WithdrawBattle",
]


class BattleCode(StrEnum):
    """Why a battle command was refused; `ProblemCode` names what can be wrong with a battle itself."""

    NOT_NOW = "not_now"
    """Battles belong to movement steps 1-5."""
    NO_BATTLE = "no_battle"
    FOUGHT_HERE = "fought_here"
    """This side has fought in the space in this movement step."""
    TOO_LATE = "too_late"
    """The first battle of the act has begun, and nothing forces this one."""
    NO_OBJECTIVE = "no_objective"
    """Bombing dice have no enemy Objective to aim at."""
    SPACE_TAKEN = "space_taken"
    """There is a marker in the space already."""
    NOT_OPEN = "not_open"
    """The battle has begun or is over: its composition stands."""
    NOT_FIGHTING = "not_fighting"
    ANOTHER_BATTLE = "another_battle"
    WRONG_NATION = "wrong_nation"
    TOO_FEW = "too_few"
    NO_GROUP = "no_group"
    LOCKED_IN_BATTLE = "locked_in_battle"
    """Units in an active space fight there and support nobody else."""
    ALREADY_USED = "already_used"
    """Its one attack or defence of this movement step is spent."""
    NOTHING_KNOWN = "nothing_known"
    BRIDGE_BLOWN = "bridge_blown"
    """Nobody crosses a blown bridge into a space that control-capable enemies hold alone."""
    NO_LINE = "no_line"
    WRONG_COUNT = "wrong_count"
    WRONG_COLOUR = "wrong_colour"
    WRONG_DIE = "wrong_die"
    SAME_COLOUR = "same_colour"
    """Dice of one colour with different numbers: roll them apart."""
    NOTHING_OWED = "nothing_owed"
    ILLEGAL_LOSSES = "illegal_losses"
    COMBINE_FIRST = "combine_first"
    BAD_COMBINATION = "bad_combination"
    NO_RETREAT = "no_retreat"
    RETREAT_FIRST = "retreat_first"
    ROLL_FIRST = "roll_first"
    LOSSES_FIRST = "losses_first"


class UnitLosses(msgspec.Struct, frozen=True):
    """Units lost, or leaving, of one kind of a fight."""

    kind: int
    count: int


class DeclareBattle(Command, frozen=True, tag=True):
    """Place a marker, or call for a bonus roll (``movement``, ``disengage``)."""

    space: str
    terrain: str
    occasion: Literal["battle", "movement", "disengage"] = "battle"
    forced: str = ""
    """Where the marker was forgotten until the first battle had begun: what forces the battle (`FORCED_BY`)."""


FORCED_BY = ("moved", "unloaded", "revealed")
"""What the rules force a declaration for: units moved in, were unloaded there, or were revealed there."""


class ChangeUnits(Command, frozen=True, tag=True):
    """Add units of one kind to a battle (or take them out with a negative count)."""

    battle: str
    side: str
    """``attacking`` or ``defending``."""
    unit: str
    nation: str
    by: int = 1
    distance: int = 0
    origin: str = ""
    home: str = ""
    others: bool = False
    """These are not the units known to have fired already."""


class SetGroup(Command, frozen=True, tag=True):
    """Replace one group of a battle: its condition, cargo, choice, split, combined fire."""

    battle: str
    side: str
    index: int
    group: Group


class SplitGroup(Command, frozen=True, tag=True):
    """Set units of a group apart, so that something can be said of them alone."""

    battle: str
    side: str
    index: int
    count: int = 1


class SetCircumstances(Command, frozen=True, tag=True):
    """Say what else bears on a battle; None leaves a point as it is."""

    battle: str
    terrain: str | None = None
    airfield: str | None = None
    sea_walls: int | None = None
    wall_facing: tuple[str, ...] | None = None
    lines: int | None = None
    line_dice: tuple[int, ...] | None = None
    bridge: bool | None = None
    mines: int | None = None
    push_through: bool | None = None
    contested: bool | None = None
    air_cancels_landing: bool | None = None
    came_from: str | None = None
    revealed: bool | None = None


class RepeatComposition(Command, frozen=True, tag=True):
    """Take the units last known in the space, to be edited."""

    battle: str


class WithdrawBattle(Command, frozen=True, tag=True):
    """Take back a marker placed by mistake."""

    battle: str


class BeginBattle(Command, frozen=True, tag=True):
    """The composition stands: go to the first battle step that is due."""

    battle: str


class RecordRoll(Command, frozen=True, tag=True):
    """Dice for one line of the roll list, or for several at once whose colours tell them apart."""

    battle: str
    lines: tuple[int, ...]
    roll: Roll


class CombineHits(Command, frozen=True, tag=True):
    """The shooters of 7A say to what their hits combine."""

    battle: str
    hits: tuple[Hit, ...]


class ChooseLosses(Command, frozen=True, tag=True):
    """Casualties of a side on this step: precise hits as the shooters want, then the rest as the owner wants."""

    battle: str
    side: str
    losses: tuple[UnitLosses, ...]


class RetreatUnits(Command, frozen=True, tag=True):
    """Defending land units leave between battle steps 5 and 6, all to one adjacent space without enemies."""

    battle: str
    leaving: tuple[UnitLosses, ...]
    to: str = ""


class StandFast(Command, frozen=True, tag=True):
    """Nobody retreats."""

    battle: str


class PassStep(Command, frozen=True, tag=True):
    """Go on from a step on which nobody rolls (table ruling: every step is gone through)."""

    battle: str


class BreakOff(Command, frozen=True, tag=True):
    """End a battle before its time; survivors stay, the space may be contested."""

    battle: str
    reason: str = ""


class BattleDeclared(Event, frozen=True, tag=True):
    """A marker was placed."""

    battle: str
    space: str
    attacker: Side
    composition: Battle
    late: str = ""
    """Why it was declared after the first battle of the act had begun; empty: it was in time."""


class BattleChanged(Event, frozen=True, tag=True):
    """A battle's composition or circumstances are now these."""

    battle: str
    composition: Battle


class BattleWithdrawn(Event, frozen=True, tag=True):
    """A marker was taken back."""

    battle: str


class BattleBegun(Event, frozen=True, tag=True):
    """A battle is being fought."""

    battle: str
    progress: Progress


class DiceRecorded(Event, frozen=True, tag=True):
    """Dice were rolled; `progress` stands after them and after all that followed by itself.

    Its `records` are empty: those that the dice completed are in `done`, earlier ones in earlier events.
    """

    battle: str
    progress: Progress
    done: tuple[StepRecord, ...] = ()
    luck: dict[str, Luck] = {}
    """New totals of the nations that rolled or lost units."""


class BattleProgressed(Event, frozen=True, tag=True):
    """A choice was made: hits combined, casualties, retreat, a step passed; as `DiceRecorded` otherwise."""

    battle: str
    progress: Progress
    done: tuple[StepRecord, ...] = ()
    luck: dict[str, Luck] = {}


class BattleEnded(Event, frozen=True, tag=True):
    """A battle is over; its marker comes off."""

    battle: str
    reason: str
    """``over`` or ``broken_off``."""
    left: dict[str, tuple[Group, ...]]
    """Units left by side id, as the space's new composition."""
    used: tuple[Used, ...]
    """Units in the space or in support that have used their attack or defence in it."""


BATTLE_COMMANDS: tuple[type[Command], ...] = (
    BeginBattle,
    BreakOff,
    ChangeUnits,
    ChooseLosses,
    CombineHits,
    DeclareBattle,
    PassStep,
    RecordRoll,
    RepeatComposition,
    RetreatUnits,
    SetCircumstances,
    SetGroup,
    SplitGroup,
    StandFast,
    WithdrawBattle,
)

BATTLE_EVENTS: tuple[type[Event], ...] = (
    BattleBegun,
    BattleChanged,
    BattleDeclared,
    BattleEnded,
    BattleProgressed,
    BattleWithdrawn,
    DiceRecorded,
)

"""What the table may ask of any game. Commands are imperative values; games add their own.

Every command that changes the position names the step that it was aimed at, and every command that touches a
clock carries the instant of its press. `kind` says how undo treats the entry that a command leaves:
``act`` entries are undone one by one, ``sticky`` ones (corrections, rulings, printed values) always count, and
``clock`` ones (pause, settle, resume) are neither undone nor named.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import msgspec

from companion.core.ids import CheckId, Millis, RulingId, Side, StepId
from companion.core.setup import Setup

__all__ = [
    "CORE_COMMANDS",
    "AcknowledgeFlag",
    "AddNote",
    "Adjourn",
    "Command",
    "ConfirmResult",
    "CorrectTime",
    "DecideGap",
    "DisputeResult",
    "EndAct",
    "EndGame",
    "EnterPrintedValue",
    "EntryKind",
    "JumpTo",
    "Pause",
    "Redo",
    "Resume",
    "ResumeGame",
    "LockCoach",
    "SetArbiterPin",
    "SetRuling",
    "SettleClock",
    "SpendToken",
    "StartGame",
    "StopForSleep",
    "TickCheck",
    "Undo",
]

EntryKind = Literal["act", "sticky", "clock", "history"]


class Command(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Base of every command, of the core and of the games."""

    kind: ClassVar[EntryKind] = "act"


class StartGame(Command, frozen=True, tag=True):
    """Begin a game with everything it will ever need, frozen."""

    kind: ClassVar[EntryKind] = "sticky"
    setup: Setup
    at_ms: Millis


class EndAct(Command, frozen=True, tag=True):
    """End the current step and go on to the next: the main button."""

    step: StepId
    at_ms: Millis
    confirmed: bool = False
    """The table has seen what is still undone and goes on all the same."""
    also: str = ""
    """The step that follows, ended with this one, since nothing happens in it; empty: only this one."""


class JumpTo(Command, frozen=True, tag=True):
    """Move the position (arbiter, or anyone outside tournaments); reverts nothing else."""

    step: StepId
    to: StepId
    at_ms: Millis


class TickCheck(Command, frozen=True, tag=True):
    """Tick a line of the current step's checklist, or untick it."""

    step: StepId
    check: CheckId
    done: bool = True


class Pause(Command, frozen=True, tag=True):
    """Stop all clocks; the big buttons are dead until `Resume`."""

    kind: ClassVar[EntryKind] = "clock"
    at_ms: Millis
    reason: str = ""


class Resume(Command, frozen=True, tag=True):
    """Let the clock run on whose turn it is."""

    kind: ClassVar[EntryKind] = "clock"
    at_ms: Millis


class Adjourn(Command, frozen=True, tag=True):
    """Pause for another day."""

    kind: ClassVar[EntryKind] = "clock"
    at_ms: Millis


class SettleClock(Command, frozen=True, tag=True):
    """Let every flag fall that is due at this instant, the grace considered."""

    kind: ClassVar[EntryKind] = "clock"
    at_ms: Millis


class AcknowledgeFlag(Command, frozen=True, tag=True):
    """The table has carried out what a fallen flag costs and goes on."""

    side: Side
    step: StepId
    at_ms: Millis
    ticked: tuple[str, ...] = ()


class CorrectTime(Command, frozen=True, tag=True):
    """Give (positive) or take (negative) a side's time; arbiter only under tournament time."""

    kind: ClassVar[EntryKind] = "sticky"
    side: Side
    delta_ms: Millis
    at_ms: Millis
    reason: str = ""


class SpendToken(Command, frozen=True, tag=True):
    """Spend one of a side's extension tokens in the turn that goes on, where its control leaves that to the side."""

    kind: ClassVar[EntryKind] = "sticky"
    side: Side
    step: StepId
    at_ms: Millis


class ResumeGame(Command, frozen=True, tag=True):
    """The log was opened again: clocks stand at the last known time and the gap is named."""

    kind: ClassVar[EntryKind] = "sticky"
    at_ms: Millis
    """Now, on the new boot's monotonic clock."""
    last_ms: Millis
    """The last instant known before, on the old one (heartbeat or last entry)."""
    gap_ms: Millis | None = None
    """Length of the gap by wall time, None when the wall clock cannot be trusted."""
    cause: Literal["closed", "crash", "power"] = "power"


class StopForSleep(Command, frozen=True, tag=True):
    """The machine slept while clocks ran: they stand at the last known time and the gap is named."""

    kind: ClassVar[EntryKind] = "sticky"
    at_ms: Millis
    last_ms: Millis
    gap_ms: Millis


class DecideGap(Command, frozen=True, tag=True):
    """The arbiter charges an unmeasured gap to a side, or to nobody."""

    kind: ClassVar[EntryKind] = "sticky"
    charged_to: Side | None
    charged_ms: Millis
    at_ms: Millis


class SetRuling(Command, frozen=True, tag=True):
    """Decide an open point of the rulebook for this table."""

    kind: ClassVar[EntryKind] = "sticky"
    ruling: RulingId
    value: str


class SetArbiterPin(Command, frozen=True, tag=True):
    """Give a game that has an arbiter's PIN a new one, as on a box that cannot check the old one."""

    kind: ClassVar[EntryKind] = "sticky"
    pin: str = ""
    """What the box calls it; neither the PIN nor anything made of it."""


class LockCoach(Command, frozen=True, tag=True):
    """Forbid advice in this game, or allow it again; the arbiter's."""

    kind: ClassVar[EntryKind] = "sticky"
    is_locked: bool = True


class EnterPrintedValue(Command, frozen=True, tag=True):
    """Enter a figure from the table's own box; None takes it back."""

    kind: ClassVar[EntryKind] = "sticky"
    key: str
    value: Any


class AddNote(Command, frozen=True, tag=True):
    """Write a line into the log."""

    kind: ClassVar[EntryKind] = "sticky"
    text: str
    to_seq: int | None = None
    """Number of the entry that it is about; None: of none."""


class EndGame(Command, frozen=True, tag=True):
    """End the game by hand: resignation, agreement, the arbiter's word."""

    at_ms: Millis
    winner: Side | None
    reason: str


class ConfirmResult(Command, frozen=True, tag=True):
    """A side says that the result is as shown."""

    side: Side
    told: str
    """The figures as they stood there, see `companion.pages.result`."""
    slip: str = ""
    """Code of the tournament's slip; empty: none."""


class DisputeResult(Command, frozen=True, tag=True):
    """A side says that the result is not as shown."""

    side: Side


class Undo(Command, frozen=True, tag=True):
    """Take back the newest act, or every act down to the entry `to_seq`, that one included."""

    kind: ClassVar[EntryKind] = "history"
    at_ms: Millis
    to_seq: int | None = None
    confirmed: bool = False
    """The table has been told that a roll or a reveal is taken back."""
    keeps_clock: bool = False
    """What is taken back is an entry of the act at hand, such as a unit tapped by mistake: no clock stops for it.

    Where it is more, a change of position or a roll, tournament time pauses all the same.
    """


class Redo(Command, frozen=True, tag=True):
    """Do again what the newest undo took back."""

    kind: ClassVar[EntryKind] = "history"
    at_ms: Millis


CORE_COMMANDS: tuple[type[Command], ...] = (
    AcknowledgeFlag,
    AddNote,
    Adjourn,
    ConfirmResult,
    CorrectTime,
    DecideGap,
    DisputeResult,
    EndAct,
    EndGame,
    EnterPrintedValue,
    JumpTo,
    LockCoach,
    Pause,
    Redo,
    Resume,
    ResumeGame,
    SetArbiterPin,
    SetRuling,
    SettleClock,
    SpendToken,
    StartGame,
    StopForSleep,
    TickCheck,
    Undo,
)

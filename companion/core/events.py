"""What happened, in the past tense. Events carry what evolve needs: it reads nothing but them and the state."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from companion.core.clock import Clocks
from companion.core.flow import Step
from companion.core.ids import CheckId, Millis, RulingId, Side, StepId
from companion.core.setup import Setup

__all__ = [
    "ArbiterPinSet",
    "CoachLocked",
    "CORE_EVENTS",
    "ActEnded",
    "Adjourned",
    "CheckTicked",
    "ClockStarted",
    "ClockStopped",
    "ClocksPaused",
    "ClocksResumed",
    "Event",
    "FlagAcknowledged",
    "FlagFell",
    "FlagLifted",
    "GameEnded",
    "GameResumed",
    "GameStarted",
    "GapDecided",
    "NoteAdded",
    "PeriodBegan",
    "PrintedValueEntered",
    "Redone",
    "ResultConfirmed",
    "ResultDisputed",
    "RulingSet",
    "SegmentAppended",
    "StepEntered",
    "StepsReplaced",
    "TimeCorrected",
    "TimeKept",
    "TimeOverrun",
    "TokenSpent",
    "TurnBegan",
    "TurnEnded",
    "Undone",
]


class Event(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Base of every event, of the core and of the games."""


class GameStarted(Event, frozen=True, tag=True):
    """A game began with this frozen setup, at its first step."""

    setup: Setup
    at_ms: Millis


class ActEnded(Event, frozen=True, tag=True):
    """A step was ended by its owner."""

    step: StepId
    at_ms: Millis
    clamped_ms: Millis = 0
    """How far a stamp from before the last clock event was moved forward."""


class StepEntered(Event, frozen=True, tag=True):
    """The position moved to a step."""

    step: StepId
    how: Literal["next", "jump", "flag"] = "next"


class ClockStarted(Event, frozen=True, tag=True):
    """A side's clock began to run."""

    side: Side
    at_ms: Millis


class ClockStopped(Event, frozen=True, tag=True):
    """The running clock stopped; its interval is charged to its side."""

    side: Side
    at_ms: Millis
    charged_ms: Millis
    step: StepId


class ClocksPaused(Event, frozen=True, tag=True):
    """All clocks stand until resumed."""

    at_ms: Millis
    reason: str = ""


class ClocksResumed(Event, frozen=True, tag=True):
    """The pause is over."""

    at_ms: Millis


class Adjourned(Event, frozen=True, tag=True):
    """The game was put away for another day."""

    at_ms: Millis


class FlagFell(Event, frozen=True, tag=True):
    """A side ran out of time at exactly its deadline."""

    side: Side
    stage: int
    at_ms: Millis
    step: StepId
    turn: str = ""
    """The one turn that it is about, where turns have time of their own."""


class TurnBegan(Event, frozen=True, tag=True):
    """A turn of a time control began and gave its time; one that began before gives none again."""

    side: Side
    turn: str
    at_ms: Millis
    increment_ms: Millis = 0
    free_ms: Millis = 0
    """Time of the turn itself, and delay."""


class TurnEnded(Event, frozen=True, tag=True):
    """A turn ended; the rests that end with it were taken back."""

    side: Side
    turn: str
    at_ms: Millis
    back_ms: Millis = 0
    """Negative where the time was overrun and that is only marked."""


class TokenSpent(Event, frozen=True, tag=True):
    """A side spent an extension token; this many are left."""

    side: Side
    left: int
    at_ms: Millis


class PeriodBegan(Event, frozen=True, tag=True):
    """A period of byo-yomi began; this many are left, this one included."""

    side: Side
    left: int
    at_ms: Millis


class TimeOverrun(Event, frozen=True, tag=True):
    """A side's time ran out, and play goes on: its control only marks it."""

    side: Side
    stage: int
    at_ms: Millis
    step: StepId


class FlagAcknowledged(Event, frozen=True, tag=True):
    """The table carried out what the fallen flag costs."""

    side: Side
    ticked: tuple[str, ...] = ()


class FlagLifted(Event, frozen=True, tag=True):
    """A correction gave a fallen side time again."""

    side: Side
    stage: int


class TimeCorrected(Event, frozen=True, tag=True):
    """Time was given to a side or taken from it."""

    side: Side
    delta_ms: Millis
    reason: str = ""


class TimeKept(Event, frozen=True, tag=True):
    """After an undo or redo the clocks are set to this, whatever the entries that count say."""

    clocks: Clocks


class Undone(Event, frozen=True, tag=True):
    """These entries no longer count."""

    seqs: tuple[int, ...]


class Redone(Event, frozen=True, tag=True):
    """These entries count again."""

    seqs: tuple[int, ...]


class GameResumed(Event, frozen=True, tag=True):
    """The log was opened again, or the machine woke; a gap is named and charged to nobody."""

    at_ms: Millis
    last_ms: Millis
    gap_ms: Millis | None
    cause: str
    was_running: Side | None = None
    """Whose clock ran when the machine was last seen alive."""


class GapDecided(Event, frozen=True, tag=True):
    """The arbiter settled the newest gap."""

    charged_to: Side | None
    charged_ms: Millis


class ArbiterPinSet(Event, frozen=True, tag=True):
    """The game has a new arbiter's PIN."""

    pin: str


class CoachLocked(Event, frozen=True, tag=True):
    """Advice is forbidden in this game, or allowed again."""

    is_locked: bool = True


class CheckTicked(Event, frozen=True, tag=True):
    """A checklist line was ticked or unticked."""

    step: StepId
    check: CheckId
    done: bool = True


class RulingSet(Event, frozen=True, tag=True):
    """The table settled an open point."""

    ruling: RulingId
    value: str
    before: str = ""


class PrintedValueEntered(Event, frozen=True, tag=True):
    """A figure from the table's own box; None = taken back."""

    key: str
    value: Any


class SegmentAppended(Event, frozen=True, tag=True):
    """The sequence of play grew at its end."""

    steps: tuple[Step, ...]


class StepsReplaced(Event, frozen=True, tag=True):
    """From a step on, the sequence of play goes as given: the table settled a point that decides it."""

    first: StepId
    """The step that was current then; what lies before it stays."""
    steps: tuple[Step, ...]


class NoteAdded(Event, frozen=True, tag=True):
    """A line in the log."""

    text: str


class GameEnded(Event, frozen=True, tag=True):
    """The game is over. No winner = a draw, or broken off."""

    winner: Side | None
    reason: str
    level: str = ""
    """Degree of victory in the game's own word, where it has degrees."""
    at_ms: Millis = 0


class ResultConfirmed(Event, frozen=True, tag=True):
    """A side has confirmed the result as it was shown."""

    side: Side
    told: str
    slip: str = ""


class ResultDisputed(Event, frozen=True, tag=True):
    """A side has said that the result is not as shown."""

    side: Side


CORE_EVENTS: tuple[type[Event], ...] = (
    ActEnded,
    Adjourned,
    CheckTicked,
    ClockStarted,
    ClockStopped,
    ClocksPaused,
    ClocksResumed,
    FlagAcknowledged,
    FlagFell,
    FlagLifted,
    GameEnded,
    GameResumed,
    GameStarted,
    ArbiterPinSet,
    CoachLocked,
    GapDecided,
    NoteAdded,
    PeriodBegan,
    PrintedValueEntered,
    Redone,
    ResultConfirmed,
    ResultDisputed,
    RulingSet,
    SegmentAppended,
    StepEntered,
    StepsReplaced,
    TimeCorrected,
    TimeKept,
    TimeOverrun,
    TokenSpent,
    TurnBegan,
    TurnEnded,
    Undone,
)

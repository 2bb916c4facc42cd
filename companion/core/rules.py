"""The port that a game implements, and the values that travel through it.

A game package offers one `GameRules`. The core calls it for the game's own commands and events and asks it at
the few moments where games differ: entering and leaving a step, skipping one, and what a fallen flag costs.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from companion.core.commands import Command
from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import SYSTEM, Actor, Millis, RulingId, Side
from companion.core.judgement import Judgement, Need
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say, Typed

__all__ = [
    "Accepted",
    "Code",
    "Context",
    "Decision",
    "GameRules",
    "Hooks",
    "Loss",
    "Rejected",
    "no_printed_value",
    "not_known",
]


class Code(StrEnum):
    """Why a command was refused by the core. Games use their own codes as plain strings beside these."""

    NOT_STARTED = "not_started"
    ALREADY_STARTED = "already_started"
    STALE_STEP = "stale_step"
    """The step aimed at has gone: a bounce, a second finger, a late press."""
    UNKNOWN_STEP = "unknown_step"
    UNKNOWN_CHECK = "unknown_check"
    UNKNOWN_RULING = "unknown_ruling"
    UNKNOWN_SIDE = "unknown_side"
    NOT_YOUR_ACT = "not_your_act"
    ARBITER_ONLY = "arbiter_only"
    PAUSED = "paused"
    NOT_PAUSED = "not_paused"
    GAME_OVER = "game_over"
    FLAG_PENDING = "flag_pending"
    """A flag has fallen and the table has not yet carried it out."""
    FLAG_DUE = "flag_due"
    """A flag is due and its grace has not run out: a press from before the deadline may still arrive."""
    NO_FLAG = "no_flag"
    NO_GAP = "no_gap"
    NO_CLOCK = "no_clock"
    NO_TOKEN = "no_token"
    """There is no extension token to spend now."""
    END_OF_PLAY = "end_of_play"
    NOTHING_TO_UNDO = "nothing_to_undo"
    NOTHING_TO_REDO = "nothing_to_redo"
    CONFIRM_UNDO = "confirm_undo"
    """The undo would take back a roll or a reveal: ask, then send again confirmed."""
    STILL_OPEN = "still_open"
    """Something of this step is still to do: ask, then send again confirmed."""
    BAD_VALUE = "bad_value"
    NOT_KNOWN = "not_known"
    """A value decides it that nobody has entered: ask for it, then send again."""
    UNKNOWN_COMMAND = "unknown_command"
    IN_SECRET = "in_secret"
    """Somebody asked for something that only he may know of; why it was refused, only he is told."""


class Context(msgspec.Struct, frozen=True):
    """What surrounds a command: who acted, and the instant at which it is decided."""

    actor: Actor = SYSTEM
    now_ms: Millis | None = None
    """Decision time; stamps later than it are clamped to it. None: not known (replay)."""


class Accepted(msgspec.Struct, frozen=True):
    """A command was taken; these events happened, in order."""

    events: tuple[Event, ...]


class Rejected(msgspec.Struct, frozen=True):
    """A command was refused. Nothing changed."""

    code: str
    detail: Say | None = None
    """One sentence with the figures that matter; none where the code says it all in the game's words."""
    needs: tuple[Need, ...] = ()
    """The values that decide it and that nobody has entered. Whoever shows it asks for the first and sends again."""


Decision = Accepted | Rejected


class Loss(msgspec.Struct, frozen=True):
    """What a fallen flag costs: one line for the table to carry out and tick off."""

    id: str
    """Stable within the game; it is stored when the table has ticked it."""
    text: Say


def not_known(judgement: Judgement, code: str = Code.NOT_KNOWN) -> Rejected:
    """Refuse what hangs on values that are not known, with the question of the first. ValueError where all is known."""
    if not judgement.is_unknown:
        raise ValueError("only an unknown judgement has something to ask for")
    return Rejected(code, judgement.needs[0].question, judgement.needs)


def no_printed_value(key: str) -> Say:
    """Refuse a key that names no printed value of the game."""
    return Say("This game has no printed value {key}.", key=Typed(key))


class Hooks:
    """The moments at which a game, or a part of one, may have something to say; by default nothing.

    Override what there is an opinion on. All of it is pure, and total over states that the game produced.
    """

    commands: tuple[type[Command], ...] = ()
    """Its own commands."""
    events: tuple[type[Event], ...] = ()
    """Its own events."""

    def entering(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:  # noqa: ARG002
        """Return what happens by itself when a step is entered (the state stands at the step already)."""
        return ()

    def leaving(self, state: GameState, step: Step) -> Rejected | None:  # noqa: ARG002
        """Say what is still to do in a step about to be ended; None when nothing is."""
        return None

    def ending(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:  # noqa: ARG002
        """Return what happens by itself when a step is ended (the state still stands at it), such as a victory."""
        return ()

    def ruled(self, state: GameState, ruling: RulingId) -> tuple[Event, ...]:  # noqa: ARG002
        """Return what follows by itself from a ruling that was just set (the state has it)."""
        return ()

    def skips(self, state: GameState, step: Step) -> bool:  # noqa: ARG002
        """Say whether a step does not take place (fallen flags are the core's matter)."""
        return False

    def flag_losses(self, state: GameState, side: Side) -> tuple[Loss, ...]:  # noqa: ARG002
        """Return what a side loses whose flag fell at the current step."""
        return ()

    def is_irreversible(self, event: Event) -> bool:  # noqa: ARG002
        """Say whether undoing an event must be asked first: a roll, a reveal."""
        return False


class GameRules(Hooks):
    """What a game offers to the core; as it stands, a game that needs nothing beyond its sequence of play."""

    game: str = ""
    version: str = ""
    """Which rules they are, as `companion.games.registry` tells them apart; stored with every entry. Empty: not told."""

    def initial(self, setup: Setup) -> object:  # noqa: ARG002
        """Return the game's slice at the start. ValueError when the frozen tables are broken."""
        return None

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:  # noqa: ARG002
        """Decide one of the game's own commands."""
        return Rejected(Code.UNKNOWN_COMMAND)

    def evolve(self, state: GameState, event: Event) -> object:  # noqa: ARG002
        """Return the new slice after one of the game's own events, or after StepEntered (position moved already)."""
        return state.game

    def printed_fault(self, state: GameState, key: str, value: object) -> Say | None:  # noqa: ARG002
        """Say what is wrong with a printed value about to be entered; None when it can be taken."""
        return no_printed_value(key)

"""What travels to and from the one writer: envelopes in, changes out."""

from __future__ import annotations

import msgspec

from companion.core.commands import Command
from companion.core.history import Entry
from companion.core.ids import TABLE, Actor
from companion.core.rules import Rejected
from companion.core.state import GameState

__all__ = ["Change", "Envelope"]


class Envelope(msgspec.Struct, frozen=True):
    """A command on its way to the writer, with who acted and where it came from."""

    command: Command
    actor: Actor = TABLE
    source: str = "touch"


class Change(msgspec.Struct, frozen=True):
    """Published after the commit: the new state and the entries that led to it. Every output only listens.

    A refused command publishes a Change with `rejected` set; it may still carry entries (a flag that was due).
    """

    seq: int
    """Number of the newest entry."""
    state: GameState
    entries: tuple[Entry, ...] = ()
    envelope: Envelope | None = None
    """The envelope that was answered; None for what the program did by itself."""
    rejected: Rejected | None = None
    undo: Entry | None = None
    """The entry that an undo would take back now."""
    redo: Entry | None = None
    """The entry that a redo would bring back now."""

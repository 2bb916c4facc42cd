"""The words of one game: what its ids are called, what its acts and commands say, why it refuses.

Each game has one table in its folder (``games/<g>/words.py``); an edition overrides single rows. Two games may use one id
with different words, so nothing here is shared between them but the words of the core itself (`SHARED`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from companion.core.commands import Command
from companion.core.history import Entry
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import N_, Name, Noun, Say, Value

__all__ = ["GameWords", "Help", "LogLines", "Line", "Word", "merged"]

Word = str | Noun
"""What an id is called: a text marked for the catalogue, or one and many where it is counted."""

Line = tuple[str, str]
"""What, and why or how: a line of the help, as texts marked for the catalogue."""

Help = Mapping[str, tuple[Line, ...]]
"""Key of a screen to the lines of its help."""

LogLines = Mapping[type[Command], Say | Callable[[Any, GameState], Say]]
"""Command to its line in the log, or to what makes a line of it."""


class GameWords(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that one game says in its own words."""

    names: Mapping[str, Mapping[str, Word]] = {}
    """Kind to id to word. Kinds: ``unit``, ``nation``, ``side``, ``site``, ``phase``, ``act`` (headline), ``done`` (what the
    button says that ends the act), ``strip`` (a phase where room is short), ``strip_nation``, ``refusal`` (by code), ``undone`` (what
    undo takes back in a few words, by the command's class); of a
    step's id by which a saved game tells where it stands, ``place`` (a part) and ``place_count`` (what stands before a number);
    and what else a game's own sentences name."""
    stage: str = N_("Stage")
    """The game's word for the number printed on its track."""
    stages: Noun = Noun("{n} stage", "{n} stages")
    """So many of them."""
    stage_name: Callable[[Setup, int], Say] | None = None
    """Names a stage otherwise than by its number, such as by season and year."""
    symbols: Mapping[str, str] = {}
    """Kind of unit or token to its symbol, where it is not called like it."""
    symbol: Callable[[str, GameState], str | None] | None = None
    """Returns the symbol of what stands in the game itself, such as a unit of a card; None: not its own. One that
    ends in a plus has a bar above it: it stands above its kind."""
    name: Callable[[Name, GameState | None], Value | None] | None = None
    """Names what stands in the game itself, such as a card that was entered; None: not its own."""
    log: LogLines = {}
    """Command to its line in the log, which also stands behind "Undo"."""
    log_entry: Mapping[type[Command], Callable[[Entry, GameState], Say]] = {}
    """The same where the events tell more than the command."""
    log_after: Mapping[type[Command], Callable[[Entry, GameState], Say | None]] = {}
    """What followed by itself from an entry and was nobody's choice, such as losses that nothing could change; it stands
    below the entry's line in the log."""
    help: Help = {}
    """Help for its own screens."""

    def word(self, kind: str, id_: str) -> Word | None:
        """Return what an id is called; None where the game has no word for it."""
        return self.names.get(kind, {}).get(id_)


def merged(
    base: Mapping[str, Mapping[str, Word]], rows: Mapping[str, Mapping[str, Word]]
) -> dict[str, dict[str, Word]]:
    """Return words with single rows put over them, as an edition of a game has them."""
    return {kind: {**base.get(kind, {}), **rows.get(kind, {})} for kind in {**base, **rows}}

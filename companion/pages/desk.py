"""The port through which screens and panels reach the shell: what they may ask, never how it is done.

`companion.app` implements it over the session; tests drive screens with an in-memory desk over the real core.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import msgspec

from companion.core.change import Change
from companion.core.commands import Command
from companion.core.history import Entry
from companion.core.ids import TABLE, Actor, Millis
from companion.core.rules import GameRules
from companion.core.scenario import ScenarioInfo
from companion.core.secrecy import Eyes, Seen
from companion.core.setup import Setup
from companion.core.text import Say, Typed

__all__ = ["Desk", "Notice", "Photos", "SavedGame", "ScenarioInfo", "Silent", "Subscription", "Watched"]


class Notice(msgspec.Struct, frozen=True):
    """One line for the table that is not part of the game: a device lost, a disk full."""

    level: str
    """``info``, ``warning`` or ``error``."""
    text: Say | Typed
    hint: Say | Typed | None = None
    """What to do next."""
    report: str = ""
    """A long text that is nowhere else, to be read on the screen, again by a tap on the notice; empty: none."""
    screen: str = ""
    """What a tap on it shows; empty: it only goes away."""
    draft: object = None
    """What that screen is entered with."""


class SavedGame(msgspec.Struct, frozen=True):
    """A game in the data folder, as the Home screen lists it."""

    path: Path
    game: str
    scenario: str
    title: str
    step: str
    """Id of the step it stands at; empty when the file cannot be opened."""
    saved_wall_ms: int
    is_over: bool
    remaining_ms: dict[str, Millis | None] = {}
    fault: Say | None = None
    """Why it cannot be opened, and what to do; None when it can. The file stands in it as `file`."""
    players: tuple[str, ...] = ()
    """Who plays, as the seats were named; those that nobody named have the names that games give by themselves."""
    what_if: str = ""
    """Name of the game that this one goes on from, as a copy; empty: it is no copy."""


class Watched(msgspec.Struct, frozen=True):
    """A saved game that was read to be watched, not to be played."""

    change: Change
    entries: tuple[Entry, ...]
    counts: Callable[[int], bool]
    loss: Say | None = None
    """What a damaged file has lost; None when it is whole."""


class Photos(Protocol):
    """Photos that are kept beside games; of the open one where no path is named. Slow but for `names`; any thread."""

    def of(self, path: Path | None, entries: tuple[Entry, ...]) -> Mapping[int, tuple[bytes, ...]]:
        """Return a game's photos by entry, as JPEG files, and those of dice readings in `entries` that were corrected."""
        ...

    def names(self, path: Path | None) -> tuple[tuple[int, int], ...]:
        """Return entry and number of each photo that is kept with a game."""
        ...

    def keep(self, seq: int, jpeg: bytes) -> Say | None:
        """Keep a photo with an entry of the open game; return why not, None when it is kept."""
        ...

    def drop(self, path: Path | None, seq: int, index: int) -> Say | None:
        """Delete one of an entry's kept photos, counted from 0; return why not, None when it is gone."""
        ...


class Subscription(Protocol):
    """A held subscription."""

    def cancel(self) -> None:
        """Stop listening; twice is safe."""
        ...


class Silent:
    """Base of ports that stand where there is nothing: nobody ever hears of a change."""

    def subscribe(self, listener: Callable[[], None]) -> Subscription:  # noqa: ARG002
        """Nothing ever changes."""
        return _Nothing()


class _Nothing:
    def cancel(self) -> None:
        """There is nothing to stop."""


class Desk(Protocol):
    """The game at the table and the shelf of saved games."""

    @property
    def rules(self) -> GameRules | None:
        """The rules of the open game, or None."""
        ...

    @property
    def change(self) -> Change | None:
        """The newest change of the open game as everybody may know it, or None when none is open."""
        ...

    def now_ms(self) -> Millis:
        """The monotonic instant now, in the open game's time."""
        ...

    def entries(self) -> tuple[Entry, ...]:
        """All entries of the open game, oldest first, as everybody may know them."""
        ...

    def seen(self, eyes: Eyes) -> Seen | None:
        """The open game as somebody may know it who sees the hidden things of these sides; None when none is open."""
        ...

    def counts(self, seq: int) -> bool:
        """Whether an entry counts (was not undone)."""
        ...

    def send(self, command: Command, *, actor: Actor = TABLE, source: str = "touch") -> None:
        """Hand a command to the writer. Returns at once; the answer comes as a Change."""
        ...

    def subscribe(self, listener: Callable[[Change], None]) -> Subscription:
        """Call a listener on the interface thread after every Change, which tells what everybody may know."""
        ...

    def subscribe_notices(self, listener: Callable[[Notice], None]) -> Subscription:
        """Call a listener on the interface thread for every notice."""
        ...

    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Every scenario that the data folder offers."""
        ...

    def make_setup(self, game: str, scenario: str, options: Mapping[str, Any]) -> Setup:
        """Freeze a new game. Raises ValueError with every fault of the data or the options in its text."""
        ...

    def saved_games(self) -> tuple[SavedGame, ...]:
        """Saved games, newest first."""
        ...

    def start(self, setup: Setup, *, arbiter_pin: str = "") -> None:
        """Create a game file and start; a Change follows."""
        ...

    def open(self, path: Path) -> None:
        """Open a saved game; a Change follows, or a notice that says why not."""
        ...

    def close(self) -> None:
        """Put the open game away; twice is safe."""
        ...

    def watch(self, path: Path) -> Watched | Say:
        """Read a saved game without opening it; a sentence that says why not. Slow; any thread."""
        ...

    @property
    def photos(self) -> Photos:
        """Photos of evenings."""
        ...

    def branch(self, path: Path, seq: int) -> Path | None:
        """Copy a saved game up to an entry, the original untouched, and return the copy; a notice says how it went."""
        ...

    def bin(self) -> tuple[int, int]:
        """How many games lie in the bin, and the bytes that they take."""
        ...

    def empty_bin(self) -> None:
        """Delete what lies in the bin for good; a notice says how it went."""
        ...

    def delete(self, path: Path) -> None:
        """Move a saved game to the bin folder."""
        ...

    def export(self, path: Path, to: Path) -> None:
        """Write a saved game as one portable file; a notice says how it went."""
        ...

    def import_game(self, path: Path) -> None:
        """Take a portable file into the data folder; a notice says how it went."""
        ...

    def check_arbiter(self, pin: str) -> bool:
        """Whether this is the arbiter's PIN of the open game; wrong ones slow down. Slow; any thread."""
        ...

    def knows_arbiter_pin(self) -> bool:
        """Whether this box can check the PIN of the open game: one set on another box it cannot."""
        ...

    def new_arbiter_pin(self, pin: str) -> str:
        """Keep a PIN on this box and return its name for a setup or `SetArbiterPin`; empty where it cannot be kept.

        Slow; any thread.
        """
        ...

    def settings(self) -> Mapping[str, Any]:
        """Settings of this box."""
        ...

    def change_setting(self, name: str, value: Any) -> None:
        """Store one setting."""
        ...

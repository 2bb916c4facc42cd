"""A desk in memory over the core's timeline: the shipped fake of the `Desk` port.

It drives screens in tests, in the gallery and in benches, records what was sent, and moves its time by hand. Nothing
is stored. Changes are published at once, in the caller's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from companion.core.change import Change, Envelope
from companion.core.clock import deadline
from companion.core.commands import Command, SettleClock, StartGame
from companion.core.history import Entry, Timeline
from companion.core.ids import SYSTEM, TABLE, Actor, Millis
from companion.core.rules import Context, GameRules
from companion.core.secrecy import Eyes, Seen, Views
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say, Typed
from companion.pages.desk import Notice, SavedGame, ScenarioInfo, Watched
from companion.pages.modules import secrets_of

__all__ = ["HeldListener", "MemoryDesk"]


class HeldListener:
    """A subscription that a list holds."""

    def __init__(self, held: list[Any], listener: Any) -> None:
        """Add the listener."""
        self._held, self._listener = held, listener
        held.append(listener)

    def cancel(self) -> None:
        """Stop listening; twice is safe."""
        if self._listener in self._held:
            self._held.remove(self._listener)


class MemoryPhotos:
    """Photos of whatever game."""

    def __init__(self) -> None:
        """There are none."""
        self.kept: dict[int, tuple[bytes, ...]] = {}

    def of(self, path: Path | None, entries: tuple[Entry, ...]) -> Mapping[int, tuple[bytes, ...]]:
        """Return all of them."""
        del path, entries
        return self.kept

    def names(self, path: Path | None) -> tuple[tuple[int, int], ...]:
        """Return the entries, and a number for each photo."""
        del path
        return tuple((seq, n) for seq, photos in self.kept.items() for n in range(len(photos)))

    def keep(self, seq: int, jpeg: bytes) -> Say | None:
        """Keep a photo."""
        self.kept[seq] = (*self.kept.get(seq, ()), jpeg)
        return None

    def drop(self, path: Path | None, seq: int, index: int) -> Say | None:
        """Forget a photo."""
        del path
        self.kept[seq] = (*self.kept[seq][:index], *self.kept[seq][index + 1 :])
        return None


class MemoryDesk:
    """A game at a table that exists in memory only.

    Drive it with `advance` and `send`; look at `sent`, `change` and `entries()`. `pin` is the arbiter's PIN.
    """

    def __init__(
        self,
        setup: Setup | None = None,
        rules: GameRules | None = None,
        *,
        start_ms: Millis = 1_000_000,
        wall_ms: int = 1_795_000_000_000,
        pin: str = "1234",
        scenarios: tuple[ScenarioInfo, ...] = (),
        saved: tuple[SavedGame, ...] = (),
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Lay the table; with a setup the game starts at once."""
        self._rules = rules if rules is not None else GameRules()
        self.watched: dict[Path, Watched] = {}
        """Saved games that can be watched, by path."""
        self.branched: list[tuple[Path, int]] = []
        self.photos = MemoryPhotos()
        """What was copied to go on from an earlier act: game and entry."""
        self._now_ms = start_ms
        self._wall_ms = wall_ms - start_ms
        self._pin = pin
        self._scenarios = scenarios
        self._saved = list(saved)
        self._settings: dict[str, Any] = dict(settings or {})
        self._setups: dict[tuple[str, str], Callable[[Mapping[str, Any]], Setup]] = {}
        self._listeners: list[Callable[[Change], None]] = []
        self._notice_listeners: list[Callable[[Notice], None]] = []
        self._timeline: Timeline | None = None
        self._views: Views | None = None
        self.knows_pin = True
        """Set to False for a game whose PIN was set on another box."""
        self.sent: list[Envelope] = []
        """Everything that was sent, in order."""
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.binned = (0, 0)
        """Games in the bin, and their bytes."""
        """Shelf calls in order: ``open``, ``delete``, ``export`` ... with their arguments."""
        if setup is not None:
            self.start(setup)

    # Driving

    def advance(self, ms: Millis) -> None:
        """Let time pass; flags that are due fall, as the writer would let them."""
        self._now_ms += ms
        timeline = self._timeline
        if timeline is None:
            return
        while (due := deadline(timeline.state.clocks)) is not None:
            if due + timeline.state.clocks.config.grace_ms > self._now_ms:
                break
            self._handle(Envelope(SettleClock(at_ms=self._now_ms), SYSTEM, "app"))

    def notify(self, notice: Notice) -> None:
        """Publish a notice."""
        for listener in tuple(self._notice_listeners):
            listener(notice)

    def offer(self, game: str, scenario: str, make: Callable[[Mapping[str, Any]], Setup]) -> None:
        """Answer `make_setup` for a scenario."""
        self._setups[game, scenario] = make

    # The port

    @property
    def rules(self) -> GameRules | None:
        """The rules of the open game, or None."""
        return self._rules if self._timeline is not None else None

    @property
    def change(self) -> Change | None:
        """The newest change as everybody may know it, or None when no game is open."""
        return None if self._views is None else self._views.change()

    @property
    def true_state(self) -> GameState:
        """The state that the rules decide by, with everything that is hidden."""
        assert self._timeline is not None
        return self._timeline.state

    def now_ms(self) -> Millis:
        """The instant that `advance` has reached."""
        return self._now_ms

    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first, as everybody may know them."""
        return () if self._views is None else self._views.seen().entries

    def seen(self, eyes: Eyes) -> Seen | None:
        """The game as somebody may know it who sees the hidden things of these sides."""
        return None if self._views is None else self._views.seen(eyes)

    def watch(self, path: Path) -> Watched | Say:
        """Return a game that was laid in `watched`, or that there is none."""
        return self.watched.get(path, Say("there is no saved game {file}", file=Typed(path.name)))

    def branch(self, path: Path, seq: int) -> Path | None:
        """Note what was to be copied; there is no copy."""
        self.branched.append((path, seq))
        return None

    def counts(self, seq: int) -> bool:
        """Whether an entry counts."""
        return self._timeline is not None and self._timeline.counts(seq)

    def send(self, command: Command, *, actor: Actor = TABLE, source: str = "touch") -> None:
        """Decide a command at once and publish the answer."""
        envelope = Envelope(command, actor, source)
        self.sent.append(envelope)
        self._handle(envelope)

    def subscribe(self, listener: Callable[[Change], None]) -> HeldListener:
        """Call a listener after every change."""
        return HeldListener(self._listeners, listener)

    def subscribe_notices(self, listener: Callable[[Notice], None]) -> HeldListener:
        """Call a listener for every notice."""
        return HeldListener(self._notice_listeners, listener)

    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """The scenarios given at the start."""
        return self._scenarios

    def make_setup(self, game: str, scenario: str, options: Mapping[str, Any]) -> Setup:
        """Ask what `offer` was given; ValueError where nothing was."""
        make = self._setups.get((game, scenario))
        if make is None:
            raise ValueError(f"{game}/{scenario}: no data for this scenario")
        return make(options)

    def saved_games(self) -> tuple[SavedGame, ...]:
        """The saved games given at the start, less the deleted ones."""
        return tuple(self._saved)

    def start(self, setup: Setup, *, arbiter_pin: str = "") -> None:
        """Start a game at this instant."""
        self.calls.append(("start", (setup.scenario, arbiter_pin)))
        if arbiter_pin:
            self._pin = arbiter_pin
        self._timeline, self._views = Timeline(self._rules), None
        self._handle(Envelope(StartGame(setup, self._now_ms), SYSTEM, "app"))

    def open(self, path: Path) -> None:
        """Record the wish, and say that nothing is stored here."""
        self.calls.append(("open", (path,)))

    def close(self) -> None:
        """Put the game away."""
        self._timeline = None
        self._views = None

    def bin(self) -> tuple[int, int]:
        """What was laid in `binned`."""
        return self.binned

    def empty_bin(self) -> None:
        """Forget what lay there."""
        self.binned = (0, 0)

    def delete(self, path: Path) -> None:
        """Take a game off the list."""
        self.calls.append(("delete", (path,)))
        self._saved = [game for game in self._saved if game.path != path]

    def export(self, path: Path, to: Path) -> None:
        """Record the wish and say that it went well."""
        self.calls.append(("export", (path, to)))
        self.notify(Notice("info", Typed(f"Written to {to}")))

    def import_game(self, path: Path) -> None:
        """Record the wish."""
        self.calls.append(("import", (path,)))

    def check_arbiter(self, pin: str) -> bool:
        """Compare with the PIN; nothing slows down here."""
        return pin == self._pin

    def knows_arbiter_pin(self) -> bool:
        """Whether `knows_pin` was left as it is."""
        return self.knows_pin

    def new_arbiter_pin(self, pin: str) -> str:
        """Take another PIN, which is known from now on."""
        self._pin, self.knows_pin = pin, True
        return f"pin:{len(pin):016x}"

    def settings(self) -> Mapping[str, Any]:
        """The settings as they stand."""
        return dict(self._settings)

    def change_setting(self, name: str, value: Any) -> None:
        """Set one setting."""
        self._settings[name] = value

    # The writer's part

    def _handle(self, envelope: Envelope) -> None:
        timeline = self._timeline
        if timeline is None:
            return
        ctx = Context(actor=envelope.actor, now_ms=self._now_ms)
        handled = timeline.handle(envelope.command, ctx)
        stored = []
        for draft in handled.drafts:
            is_own = draft.command is envelope.command
            entry = Entry(
                seq=timeline.next_seq,
                command=draft.command,
                events=draft.events,
                actor=envelope.actor if is_own else SYSTEM,
                source=envelope.source if is_own else "app",
                at_ms=self._now_ms,
                wall_ms=self._wall_ms + self._now_ms,
            )
            timeline.append(entry)
            stored.append(entry)
        change = Change(
            seq=timeline.next_seq - 1,
            state=timeline.state,
            entries=tuple(stored),
            envelope=envelope,
            rejected=handled.rejected,
            undo=timeline.undo_target(),
            redo=timeline.redo_target(),
        )
        if self._views is None:
            game = timeline.state.setup.game if timeline.state.setup is not None else ""
            self._views = Views(self._rules, secrets_of(game), timeline.entries, change)
        else:
            self._views.take(change)
        for listener in tuple(self._listeners):
            listener(self._views.change())

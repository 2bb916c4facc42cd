"""The desk of the running program: the port that screens and panels use, over the session and the data folder.

Knows no window and no device. Callbacks reach the interface thread through an injected `post`; the games and
their data through an injected `Catalogue`.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from companion.adapters.covering import check_may_leave, views_of
from companion.adapters.game_pictures import GamePhotos
from companion.adapters.printed_codes import code_for
from companion.core.change import Change, Envelope
from companion.core.commands import Command, EnterPrintedValue
from companion.core.events import GameStarted, PrintedValueEntered
from companion.core.evolve import evolve
from companion.core.history import Entry
from companion.core.ids import TABLE, Actor, Millis
from companion.core.rules import GameRules
from companion.core.scenario import Fault
from companion.core.secrecy import NOBODY, Eyes, Seen, Views
from companion.core.setup import Setup
from companion.core.state import EMPTY_STATE, GameState
from companion.core.text import Say, Typed, several
from companion.pages.desk import Notice, SavedGame, ScenarioInfo, Watched
from companion.pages.modules import secrets_of
from companion.pages.new_game import fault_lines
from companion.pages.notices import without_file
from companion.pages.settings import SETTING_KINDS
from companion.session.crash import CrashFolder
from companion.session.errors import FileValueError, SessionError
from companion.session.files import explain, write_whole
from companion.session.game_session import GameSession, Told
from companion.session.journal import is_open_elsewhere
from companion.session.listeners import Listeners, Listening
from companion.session.pin import ArbiterPins, PinGuard, is_pin_name
from companion.session.portable import exported_line
from companion.session.printed import PrintedValues
from companion.session.seals import TableVault, Vault
from companion.session.settings import Settings, read_json_object
from companion.session.shelf import Shelf
from companion.session.summary import summary_of
from companion.session.timesource import SystemTime, TimeSource

__all__ = ["Catalogue", "Post", "ShellDesk"]

Post = Callable[[Callable[[], None]], None]
"""Runs a callable on the interface thread, in the order of the calls; callable from any thread."""


class Catalogue(Protocol):
    """The games that this version has and what their data offer."""

    def rules_of(self, game: str) -> GameRules:
        """Return the rules of a game; KeyError when this version does not have it."""
        ...

    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Return every scenario that can be started."""
        ...

    def faults(self) -> Sequence[Fault]:
        """Return what is wrong in the data files, each with a text for the table."""
        ...

    def make_setup(self, game: str, scenario: str, options: Mapping[str, Any]) -> Setup:
        """Freeze a new game; ValueError with every fault of the data or the options."""
        ...


class ShellDesk:
    """The `Desk` over a data folder.

    Whatever it tells is covered: what only some may know comes by `seen` alone (`companion.core.secrecy`).
    `send`, `now_ms`, `change`, `entries`, `seen` and `subscribe` may be called from any thread, the rest from the interface thread.
    """

    def __init__(
        self,
        data_folder: Path,
        catalogue: Catalogue,
        *,
        post: Post,
        app_version: str = "",
        time: TimeSource | None = None,
        settings_defaults: Mapping[str, Any] | None = None,
    ) -> None:
        """Lay out the data folder; nothing is opened yet."""
        self.data_folder = data_folder
        self.time: TimeSource = time if time is not None else SystemTime()
        self.crashes = CrashFolder(data_folder / "crashes", app_version, self._show_report)
        self.printed = PrintedValues(data_folder / "printed")
        self._catalogue, self._post, self._app_version = catalogue, post, app_version
        self._shelf = Shelf(data_folder / "games", catalogue.rules_of, app_version)
        self._settings = Settings(
            data_folder / "settings.json", settings_defaults, SETTING_KINDS, is_strict=True
        )
        self._guard = PinGuard(data_folder / "pin-tries.json", self.time, self._warn)
        self._pins = ArbiterPins(data_folder / "keys", self._guard, self._warn)
        self.vault = TableVault(Vault(data_folder / "keys", self.time, tell=self._warn))
        """Seals and opens secrets; its device key lies beside the games, never in one."""
        self.photos = GamePhotos(data_folder / "photos", lambda: self.path)
        self._open_note = data_folder / "open-game.json"
        self._noted: Path | None = None
        self._changes: Listeners[Change] = Listeners(lambda fault: self._on_crash(fault, "a screen"))
        self._at_once: Listeners[Change] = Listeners(lambda fault: self._on_crash(fault, "a device"))
        self._notices: Listeners[Notice] = Listeners(
            lambda fault: self.crashes.write(fault, "a notice", is_shown=False)
        )
        self._session: GameSession | None = None
        self._lock, self._views_lock = threading.Lock(), threading.Lock()
        self._views: Views | None = None
        self._copying: threading.Thread | None = None
        self._told_faults: set[str] = set()
        self._binned: tuple[Path, Path] | None = None
        """Where the game that was moved to the bin last lies now, and where it lay."""
        if self._settings.warning is not None:
            self._notify("warning", self._settings.warning)

    # The open game

    @property
    def rules(self) -> GameRules | None:
        """The rules of the open game, or None."""
        session = self._session
        return None if session is None else session.rules

    @property
    def change(self) -> Change | None:
        """The newest change of the open game as everybody may know it, or None when none is open."""
        with self._views_lock:
            return None if self._session is None or self._views is None else self._views.change()

    @property
    def session(self) -> GameSession:
        """The session of the open game, for a replay on this desk. ValueError when none is open."""
        if self._session is None:
            raise ValueError("no game is open")
        return self._session

    def session_now(self) -> GameSession | None:
        """Return the session of the open game, or None. Any thread."""
        return self._session

    @property
    def path(self) -> Path | None:
        """The open game's file, or None."""
        session = self._session
        return None if session is None else session.path

    def now_ms(self) -> Millis:
        """The monotonic instant now."""
        return self.time.now_ms()

    def entries(self) -> tuple[Entry, ...]:
        """All entries of the open game, oldest first, as everybody may know them."""
        seen = self.seen(NOBODY)
        return () if seen is None else seen.entries

    def seen(self, eyes: Eyes) -> Seen | None:
        """The open game as somebody may know it who sees the hidden things of these sides; None when none is open."""
        with self._views_lock:
            return None if self._session is None or self._views is None else self._views.seen(eyes)

    def counts(self, seq: int) -> bool:
        """Whether an entry counts (was not undone)."""
        session = self._session
        return session is not None and session.counts(seq)

    def send(self, command: Command, *, actor: Actor = TABLE, source: str = "touch") -> None:
        """Hand a command to the writer. Without an open game nothing happens."""
        session = self._session
        if session is not None:
            session.send(Envelope(command, actor, source))

    def subscribe(self, listener: Callable[[Change], None]) -> Listening:
        """Call a listener on the interface thread after every Change."""
        return self._changes.add(listener)

    def subscribe_at_once(self, listener: Callable[[Change], None]) -> Listening:
        """Call a listener in the writer's own thread right after every Change, for lamps that wait for no window.

        It must return quickly and never call back into the desk but `now_ms` and `settings`.
        """
        return self._at_once.add(listener)

    def subscribe_notices(self, listener: Callable[[Notice], None]) -> Listening:
        """Call a listener on the interface thread for every notice."""
        return self._notices.add(listener)

    def start(self, setup: Setup, *, arbiter_pin: str = "") -> None:
        """Create a game file and start; a Change follows, or a notice that says why not.

        The PIN is kept here unless the setup names it already, as `new_arbiter_pin` made it.
        """
        self.close()
        try:
            pin = (setup.arbiter_hash if arbiter_pin else "") or self._pins.new(arbiter_pin)
            path = self._shelf.new_path(setup, self.time.wall_ms())
            setup = replace(
                setup, arbiter_hash=pin, game_id=self._game_id(path), app_version=self._app_version
            )
            session = GameSession.create(
                path,
                setup,
                self._catalogue.rules_of,
                self.time,
                app_version=self._app_version,
                on_crash=self._on_crash,
                refuge=self._shelf.folder,
                turn=self._shelf.next_turn(),
            )
        except (SessionError, OSError, ValueError) as fault:
            self._notify_fault(Say("The game could not be started"), fault)
            return
        self._take(session)

    def _game_id(self, path: Path) -> str:
        """Return what tells a new game from every other; nothing secret hangs on it."""
        told = f"{path.name} {self.time.wall_ms()} {self.time.boot_id} {self.time.now_ms()}"
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    def open(self, path: Path) -> None:
        """Open a saved game; a Change follows, or a notice that says why not."""
        self.close()
        try:
            session = GameSession.open(
                path,
                self._catalogue.rules_of,
                self.time,
                app_version=self._app_version,
                on_crash=self._on_crash,
                refuge=self._shelf.folder,
                turn=self._shelf.next_turn(),
                take_over=self._pins.take_over,
            )
        except (SessionError, OSError) as fault:
            self._notify_fault(Say("The game could not be opened"), fault)
            return
        if session.recovery is not None:
            self._notify("warning", session.recovery.text)
        self._take(session)

    def close(self) -> None:
        """Put the open game away; twice is safe."""
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            session.close()
            self.crashes.note("", 0, "")
            self._note_open(None)

    def watch(self, path: Path) -> Watched | Say:
        """Read a saved game without opening it; the open one as it stands. A sentence says why not. Slow; any thread."""
        session = self._session
        seen = self.seen(NOBODY)
        if session is not None and seen is not None and path == session.path:
            return Watched(seen.change, seen.entries, session.counts)
        try:
            read = self._shelf.read(path)
        except (SessionError, OSError) as fault:
            return fault.say if isinstance(fault, SessionError) else SessionError(*explain(fault)).say
        shown = views_of(read.timeline).seen()
        return Watched(shown.change, shown.entries, read.timeline.counts, read.loss)

    def log_of(self, path: Path) -> tuple[bytes, ...]:
        """Return a saved game's entries as lines of a portable game; none where it cannot be read. Slow; any thread.

        They end before what is still hidden.
        """
        try:
            timeline, codec, _loss, _beat = self._shelf.read(path)
        except (SessionError, OSError):
            return ()
        free = views_of(timeline).free_until()
        return tuple(exported_line(entry, codec) for entry in timeline.entries[:free])

    def free_until(self) -> int:
        """Return the number of the newest entry of the open game up to which its log may leave the box now."""
        with self._views_lock:
            return 0 if self._views is None else self._views.free_until()

    def branch(self, path: Path, seq: int) -> Path | None:
        """Copy a saved game up to an entry, the original untouched, and return the copy; a notice says how it went.

        The open game is put away first, so that it is read as it stands.
        """
        try:
            if self._session is not None and path == self._session.path:
                with self._views_lock:
                    check_may_leave(self._views, seq)
                self.close()
            read = self._shelf.read(path)
            check_may_leave(views_of(read.timeline), seq)
            made = self._shelf.branch(read, path.stem, seq, path=path)
        except (SessionError, OSError) as fault:
            self._notify_fault(Say("{file} could not be copied", file=Typed(path.stem)), fault)
            return None
        self._notify(
            "info",
            Say("{file} continues from there", file=Typed(made.stem)),
            Say("{file} stays as it was", file=Typed(path.stem)),
        )
        return made

    def cut_power(self) -> None:
        """Drop the open game as a power cut would; the demo shows it, tests rely on it."""
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            session.cut_power()

    def left_open(self) -> Path | None:
        """Return the game that was open when the program last ended without putting it away."""
        noted = read_json_object(self._open_note)[0].get("path")
        with suppress(OSError, ValueError):  # what no file can be called
            if isinstance(noted, str) and Path(noted).is_file():
                return Path(noted)
        return None

    # New games and the shelf

    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Every scenario that can be started; notices name the files that keep others away, once."""
        new = [fault for fault in self._catalogue.faults() if str(fault) not in self._told_faults]
        self._told_faults.update(map(str, new))
        for text, hint in fault_lines(new):
            self._notify("warning", text, hint)
        return self._catalogue.scenarios()

    def make_setup(self, game: str, scenario: str, options: Mapping[str, Any]) -> Setup:
        """Freeze a new game with the printed values that this box remembers.

        Values that this scenario's rules do not take are left out, and a notice names them. ValueError with every
        fault of the data or the options.
        """
        setup = self._catalogue.make_setup(game, scenario, options)
        remembered = self.printed.of(game)
        self._tell_of_printed()
        if not remembered:
            return setup
        rules = self._catalogue.rules_of(game)
        begun = evolve(rules, EMPTY_STATE, GameStarted(setup, 0))
        fitting = _fitting(rules, begun, remembered)
        left_out = [key for key in remembered if key not in fitting]
        if left_out:
            names = several(map(Typed, left_out), "comma")
            self._notify(
                "info",
                Say("Remembered printed values that do not fit this game were skipped: {names}", names=names),
            )
        return replace(setup, printed={**begun.printed, **fitting})

    def saved_games(self) -> tuple[SavedGame, ...]:
        """Saved games: the open one as it stands now, then the others, last opened first."""
        session = self._session
        games = []
        for stored in self._shelf.games():
            summary, wall_ms, fault = stored.summary, stored.saved_wall_ms, stored.fault
            if session is not None and stored.path == session.path:
                summary, fault = summary_of(session.change.state, self.now_ms()), None
                wall_ms = self.time.wall_ms()
            games.append(
                SavedGame(
                    path=stored.path,
                    game=summary.game,
                    scenario=summary.scenario,
                    title=summary.title or stored.path.stem,
                    step=summary.step,
                    saved_wall_ms=wall_ms,
                    is_over=summary.is_over,
                    remaining_ms=summary.remaining_ms,
                    players=summary.players,
                    fault=fault,
                    what_if=summary.what_if,
                )
            )
        here = self.path
        return tuple(sorted(games, key=lambda game: game.path != here))

    def bin(self) -> tuple[int, int]:
        """How many games lie in the bin, and the bytes that they take."""
        return self._shelf.bin()

    def empty_bin(self) -> None:
        """Delete what lies in the bin for good."""
        try:
            self._shelf.empty_bin()
        except OSError as fault:
            self._notify_fault(Say("The bin could not be emptied"), fault)
        else:
            self._notify("info", Say("The bin is empty"))

    def delete(self, path: Path) -> None:
        """Move a saved game to the bin folder; the open one is put away first."""
        if path == self.path:
            self.close()
        try:
            kept = self._shelf.delete(path)
        except (SessionError, OSError) as fault:
            self._notify_fault(Say("{file} could not be deleted", file=Typed(path.name)), fault)
            return
        self._binned = (kept, path)
        self._notify(
            "info",
            Say("{file} was moved to the bin", file=Typed(path.name)),
            Say("it can be restored from {folder}", folder=Typed(str(kept.parent))),
        )

    @property
    def can_restore(self) -> bool:
        """Whether the game that was moved to the bin last can be taken back."""
        return self._binned is not None and self._binned[0].exists()

    def restore(self) -> None:
        """Take back the game that was moved to the bin last; nothing happens where there is none."""
        if self._binned is None:
            return
        kept, path = self._binned
        self._binned = None
        try:
            self._shelf.restore(kept, path)
        except OSError as fault:
            self._notify_fault(Say("{file} could not be restored", file=Typed(path.name)), fault)

    def export(self, path: Path, to: Path) -> None:
        """Write a saved game as one portable file into a folder or stick; a notice says how it went.

        Slow sticks keep nobody waiting: the copy is made in the background.
        """
        session, views = self._session, self._views
        entries = session.entries() if session is not None and path == session.path else None

        def copy() -> None:
            try:
                if session is not None and entries is not None:
                    with self._views_lock:
                        check_may_leave(views)
                    written, loss = self._shelf.export_entries(entries, session.codec, to, path.stem), None
                else:
                    read = self._shelf.read(path)
                    check_may_leave(views_of(read.timeline))
                    written = self._shelf.export_entries(read.timeline.entries, read.codec, to, path.stem)
                    loss = read.loss
            except (SessionError, OSError) as fault:
                self._notify_fault(Say("{file} could not be exported", file=Typed(path.stem)), fault)
                return
            if loss:
                text = Say("{file} contains only what could be read", file=Typed(written.name))
                self._notify("warning", text, loss)
                return
            self._notify_written(written)

        self._copying = threading.Thread(target=copy, name="copy")
        self._copying.start()

    def move_game(self, folder: Path) -> None:
        """Keep the open game in another folder from now on, whole; a notice says how that went."""
        session = self._session
        if session is not None:
            session.move_to(folder)

    def wait_for_copy(self, timeout_s: float = 60.0) -> None:
        """Wait until the newest copy has been made or has failed."""
        if self._copying is not None:
            self._copying.join(timeout_s)

    def import_game(self, path: Path) -> None:
        """Take a portable file into the data folder; a notice says how it went."""
        from companion.pages.tryout import show_once

        try:
            taken = self._shelf.import_game(path, show_once)
        except (SessionError, OSError, ValueError) as fault:
            self._notify_fault(Say("{file} could not be imported", file=Typed(path.name)), fault)
            return
        text = Say("{file} was imported", file=Typed(taken.path.stem))
        self._notify("info", text, taken.told or Say("it is now among the saved games"))

    def export_printed(self, game: str, to: Path) -> None:
        """Copy the remembered printed values of a game to a folder or stick; a notice says how it went."""
        try:
            written = self.printed.export(game, to)
        except (SessionError, OSError) as fault:
            self._notify_fault(Say("The printed values could not be exported"), fault)
            return
        self._notify_written(written)

    def import_printed(self, path: Path) -> None:
        """Take the printed values of another box for the games to come; a notice says how it went.

        An open game of theirs takes what it has not been told yet.
        """
        try:
            game, count = self.printed.import_file(path)
        except (SessionError, OSError, ValueError) as fault:
            self._notify_fault(Say("{file} could not be imported", file=Typed(path.name)), fault)
            return
        self._use_printed(game, count)

    def import_printed_code(self, text: str) -> None:
        """Take the printed values of a QR code as those of a file; a notice says how it went."""
        state = self.change.state if self.change is not None and self.change.state.setup is not None else None
        try:
            code = code_for(text, state, self._catalogue.scenarios())
            self.printed.take(code.game, code.values)
        except (SessionError, OSError) as fault:
            self._notify_fault(Say("The code was not taken"), fault)
            return
        self._use_printed(code.game, len(code.values))

    def _use_printed(self, game: str, count: int) -> None:
        """Say what was imported, and let an open game of theirs take what it has not been told yet."""
        self._tell_of_printed()
        self._notify(
            "info",
            Say.counted(
                "{n} printed value of {game} was imported",
                "{n} printed values of {game} were imported",
                count,
                game=Typed(game),
            ),
            Say("they apply to every game started from now on"),
        )
        change = self.change
        if change is None or change.state.setup is None or change.state.frozen_setup.game != game:
            return
        open_ = {
            key: value for key, value in self.printed.of(game).items() if key not in change.state.printed
        }
        for key, value in _fitting(self._catalogue.rules_of(game), change.state, open_).items():
            self.send(EnterPrintedValue(key, value))

    # The arbiter and the settings

    def check_arbiter(self, pin: str) -> bool:
        """Whether this is the arbiter's PIN of the open game; wrong ones slow down."""
        session = self._session
        if session is None or session.change.state.setup is None:
            return False
        stored = session.change.state.setup.arbiter_hash
        key = stored if is_pin_name(stored) else session.path.name  # a copy of the game gives no more tries
        if not self._pins.is_known(stored):
            self._notify(
                "warning",
                Say("This box cannot check the arbiter's PIN of this game"),
                Say("set a new one: More, Arbiter"),
            )
            return False
        is_right = self._pins.check(key, pin, stored)
        wait_ms = self._guard.wait_ms(key)
        if not is_right and wait_ms:
            seconds = -(-wait_ms // 1000)
            text = Say("Too many wrong PINs: try again in {seconds} s", seconds=seconds)
            self._notify("warning", text)
        return is_right

    def knows_arbiter_pin(self) -> bool:
        """Whether this box can check the PIN of the open game: one set on another box it cannot."""
        change = self.change
        return change is None or self._pins.is_known(change.state.frozen_setup.arbiter_hash)

    def new_arbiter_pin(self, pin: str) -> str:
        """Keep a PIN on this box and return its name; empty, with a notice, where it cannot be kept. Any thread; slow."""
        try:
            return self._pins.new(pin)
        except (SessionError, OSError) as fault:
            self._notify_fault(Say("The PIN could not be saved"), fault)
            return ""

    def settings(self) -> Mapping[str, Any]:
        """Settings of this box."""
        return self._settings.all()

    def change_setting(self, name: str, value: Any) -> None:
        """Store one setting; where the disk does not take it, it holds until the program ends, and a notice says so."""
        try:
            self._settings.change(name, value)
        except OSError as fault:
            text = Say(
                "The setting {name} holds until the program ends, but could not be saved", name=Typed(name)
            )
            self._notify_fault(text, fault)

    # Between the writer and the screens

    def _take(self, session: GameSession) -> None:
        with self._views_lock:
            self._views = None
        with self._lock:
            self._session = session
        session.subscribe(lambda change: self._on_change(session, change))
        with self._views_lock:
            game = session.change.state.frozen_setup.game
            self._views = Views(session.rules, secrets_of(game), session.entries(), session.change)
        session.subscribe_notices(lambda told: self._on_told(session, told))
        self._note_open(session.path)
        if session.trouble is not None:
            self._on_told(session, session.trouble)
        self._note_command(session.change)
        shown = self.change
        assert shown is not None, "a game was just opened"
        self._at_once.tell(shown)
        self._deliver_later(session, shown)

    def _on_change(self, session: GameSession, change: Change) -> None:
        """Hand a change on as everybody may know it. On the writer's thread."""
        self._note_command(change)
        with self._views_lock:
            if self._views is None or self._session is not session:
                return
            self._views.take(change)
            shown = self._views.change()
        self._at_once.tell(shown)
        self._remember_printed(change)
        self._deliver_later(session, shown)

    def _note_command(self, change: Change) -> None:
        """Keep for a crash file where the game stands: by names and numbers alone, never by what was entered."""
        last = change.envelope.command if change.envelope is not None else None
        if last is None and change.entries:
            last = change.entries[-1].command
        if last is not None and change.state.setup is not None:
            self.crashes.note(change.state.setup.game, change.seq, type(last).__name__)

    def _deliver_later(self, session: GameSession, change: Change) -> None:
        def deliver() -> None:
            if self._session is session:
                self._changes.tell(change)

        self._post(deliver)

    def _remember_printed(self, change: Change) -> None:
        if not any(isinstance(entry.command, EnterPrintedValue) for entry in change.entries):
            return
        try:
            self.printed.remember(change.state.frozen_setup.game, change.entries)
        except OSError as fault:
            self._notify_fault(
                Say("The printed value applies to this game but could not be remembered"), fault
            )
        self._tell_of_printed()

    def _tell_of_printed(self) -> None:
        """Say what happened to a damaged file of printed values, once."""
        warning = self.printed.take_warning()
        if warning is not None:
            self._notify("warning", warning)

    def _on_told(self, session: GameSession, told: Told) -> None:
        if self._session is session and session.path != self._noted:
            self._note_open(session.path)  # the game goes on in another file
        self._notify(told.level, told.text, told.hint)

    def _on_crash(self, fault: BaseException, where: str) -> None:
        self.crashes.write(fault, where)

    def _show_report(self, report: str) -> None:
        """Show the report of a fault that the disk did not take, whichever part of the program met it."""
        notice = Notice(
            "error",
            Say("The program met an error and could not save its report"),
            Say("Play can continue. Photograph the report; a tap here shows it again."),
            report=report,
        )
        self._post(lambda: self._notices.tell(notice))

    def _note_open(self, path: Path | None) -> None:
        """Keep the name of the open game for the next start; without it Home simply opens instead.

        The note of a game that another Table Companion has open on the same data folder is left alone.
        """
        noted = self.left_open()
        if noted is not None and noted != path and is_open_elsewhere(noted):
            return
        try:
            self._noted = path
            if path is None:
                self._open_note.unlink(missing_ok=True)
            else:
                self._open_note.parent.mkdir(parents=True, exist_ok=True)
                write_whole(self._open_note, msgspec.json.encode({"path": str(path)}))
        except (OSError, UnicodeError) as fault:
            self._notify_fault(Say("The open game could not be recorded"), fault)

    def _notify_written(self, written: Path) -> None:
        self._notify(
            "info",
            Say("{file} was written and checked", file=Typed(written.name)),
            Say("it is in {folder}", folder=Typed(str(written.parent))),
        )

    def _notify_fault(self, what: Say, fault: Exception) -> None:
        why: Say | Typed
        hint: Say | None = None
        if isinstance(fault, SessionError):
            why, hint = fault.text, fault.hint
            if isinstance(fault, FileValueError) and isinstance(why, Say):
                why = without_file(why)  # it is named by what failed
        elif isinstance(fault, OSError):
            why, hint = explain(fault)
        else:
            why = Typed(str(fault))
        self._notify("error", Say("{what}: {why}", what=what, why=why), hint)

    def _warn(self, text: Say, hint: Say | None) -> None:
        self._notify("warning", text, hint)

    def _notify(self, level: str, text: Say | Typed, hint: Say | None = None) -> None:
        self._post(lambda: self._notices.tell(Notice(level, text, hint)))


def _fitting(rules: GameRules, state: GameState, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the printed values that a game takes, in an order in which it does: one may fit only after another."""
    found: dict[str, Any] = {}
    is_new = True
    while is_new:
        is_new = False
        for key, value in values.items():
            if key not in found and rules.printed_fault(state, key, value) is None:
                state = evolve(rules, state, PrintedValueEntered(key, value))
                found[key], is_new = value, True
    return found

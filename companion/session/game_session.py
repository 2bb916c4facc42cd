"""One open game: the inbox, the one writer, the journal behind it and the listeners in front of it.

Every command of every device arrives through `GameSession.send`. The writer thread takes them in order, lets the
core decide, stores all that one command led to in one transaction, applies it and only then publishes. It also
does what time asks for: flags that are due, the heartbeat, and noticing that the machine slept.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core.change import Change, Envelope
from companion.core.codec import Codec
from companion.core.history import Entry, Timeline
from companion.core.ids import SYSTEM, TABLE, Millis
from companion.core.rules import Code, Context, Rejected
from companion.core.setup import Setup
from companion.core.sound import setup_misfit
from companion.core.text import Name, Say, Typed
from companion.session import chain
from companion.session.errors import JournalLostError, NotStoredError, SessionError
from companion.session.files import explain, free_path
from companion.session.journal import Heartbeat, Journal, Recovery
from companion.session.listeners import Listeners, Listening
from companion.session.opening import RulesOf, fold, resume_command, rules_for
from companion.session.outcome import entries_of, made_by, outcome_misfit, size_of, stamped
from companion.session.rows import size_of_rows
from companion.session.summary import summary_of
from companion.session.timesource import TimeSource

__all__ = ["BUG", "NOT_STORED", "GameSession", "RulesOf", "Told", "fold", "rules_for"]

NOT_STORED = "not_stored"
"""Code of a refusal: the disk did not take the entry; nothing changed."""

BUG = "bug"
"""Code of a refusal: deciding raised an exception; nothing changed and a crash file was written."""

_LOG = logging.getLogger(__name__)
_BEAT_MS = 5_000
_LOOK_MS = 1_000
_RETRY_MS = 1_000
_SLEPT_FROM_MS = 1_000
_QUIET_MS = 200
"""After so long without a command nobody waits while the journal tidies up."""


class Told(NamedTuple):
    """One line for the table that is not part of the game."""

    level: Literal["info", "warning", "error"]
    text: Say
    hint: Say | None = None


class _Item(NamedTuple):
    envelope: Envelope | None
    """None: only wait until everything before it has been answered."""
    answer: Future[Change] | None
    is_beat: bool = False
    """Write the heartbeat now."""
    move_to: Path | None = None
    """Keep the game in this folder from now on."""


class GameSession:
    """A game that is open for play.

    Thread-safe: `send`, `ask`, `sync`, `subscribe`, `change`, `entries`, `close`. Listeners are called on the
    writer thread and must hand over quickly.
    """

    def __init__(
        self,
        journal: Journal,
        timeline: Timeline,
        codec: Codec,
        time: TimeSource,
        *,
        app_version: str,
        on_crash: Callable[[BaseException, str], None],
        refuge: Path | None = None,
        turn: int = 0,
        held: int | None = None,
    ) -> None:
        """Use `create` or `open` instead. `held` is the size of the entries as JSON, where it is known."""
        self.rules = timeline.rules
        self.recovery: Recovery | None = journal.recovery
        """What was lost when the file was opened; None when it was sound."""
        self._journal, self._timeline, self._codec, self._time = journal, timeline, codec, time
        self._app_version, self._on_crash, self._refuge = made_by(app_version, self.rules), on_crash, refuge
        self._turn_here = turn
        self._held = size_of(timeline.entries, codec) if held is None else held
        self._unsaved: tuple[Entry, ...] = ()
        """Newest entries of the timeline that count, but that no disk has taken yet: a clock that was stopped."""
        self._changes: Listeners[Change] = Listeners(lambda fault: on_crash(fault, "a listener of changes"))
        self._notices: Listeners[Told] = Listeners(lambda fault: on_crash(fault, "a listener of notices"))
        self._wake = threading.Condition()
        self._inbox: deque[_Item] = deque()
        self._is_stopping = False
        self._is_silent = False
        self.trouble: Told | None = None
        """Why nothing can be saved at present, as it was told; None while the disk takes what comes."""
        self._looked_ms = time.now_ms()
        self._slept_ms = time.slept_ms()
        self._beat_ms = time.now_ms()
        self._asked_ms, self._tidied_ms = time.now_ms(), -1
        self._retry_ms: Millis | None = None
        self._change = self._change_now()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)

    # Opening and closing

    @classmethod
    def create(
        cls,
        path: Path,
        setup: Setup,
        rules_of: RulesOf,
        time: TimeSource,
        *,
        app_version: str = "",
        on_crash: Callable[[BaseException, str], None] | None = None,
        refuge: Path | None = None,
        turn: int = 0,
    ) -> GameSession:
        """Make a game file and start the game in it; `refuge` is where it goes on when its own place is lost.

        `on_crash` hears of every bug; `turn` orders the shelf (`Summary`).

        NotStoredError when the place takes no file, SessionError when the rules refuse the setup; no file is left then.
        """
        rules = rules_for(rules_of, setup.game)
        timeline, codec, now = Timeline(rules), Codec(rules), time.now_ms()
        misfit = setup_misfit(setup)
        if misfit is not None:
            raise SessionError(Say("the game cannot be started: {why}", why=misfit.say))
        envelope = Envelope(cm.StartGame(setup=setup, at_ms=now), TABLE, "app")
        try:
            handled = timeline.handle(envelope.command, Context(TABLE, now))
        except (ValueError, LookupError, TypeError, ArithmeticError, AttributeError) as fault:
            raise SessionError(
                Say("the game cannot be started: {why}", why=Typed(f"{type(fault).__name__}: {fault}"))
            ) from fault
        if handled.rejected is not None:
            detail = handled.rejected.detail
            why = detail if isinstance(detail, Say) else Name("refusal", handled.rejected.code)
            raise SessionError(Say("the game cannot be started: {why}", why=why))
        entries = entries_of(handled, envelope, timeline.next_seq, time, made_by(app_version, rules))
        journal = Journal.create(path, entries, codec)
        for entry in entries:
            timeline.append(entry)
        session = cls(
            journal,
            timeline,
            codec,
            time,
            app_version=app_version,
            on_crash=on_crash or _log_crash,
            refuge=refuge,
            turn=turn,
        )
        session._begin(session._change_now(entries, envelope))
        return session

    @classmethod
    def open(
        cls,
        path: Path,
        rules_of: RulesOf,
        time: TimeSource,
        *,
        app_version: str = "",
        on_crash: Callable[[BaseException, str], None] | None = None,
        refuge: Path | None = None,
        turn: int = 0,
        take_over: Callable[[str], str] | None = None,
    ) -> GameSession:
        """Open a saved game: clocks stand at the last known time, and the gap is named; `refuge` and `turn` as in `create`.

        `take_over` keeps the hash of a PIN that a game of before holds, and names it (`fold`).

        Raises what `Journal.open` raises, and JournalUnreadableError when this version cannot play the game.
        """
        journal = Journal.open(path)
        try:
            rows = journal.rows
            timeline, codec = fold(journal, rules_of, take_over)
            session = cls(
                journal,
                timeline,
                codec,
                time,
                app_version=app_version,
                on_crash=on_crash or _log_crash,
                refuge=refuge,
                turn=turn,
                held=size_of_rows(rows),
            )
            resume = resume_command(timeline, journal.heartbeat(), time)
            session._begin(session._resumed(Envelope(resume, SYSTEM, "app")))
        except BaseException:
            journal.close()
            raise
        return session

    def close(self) -> None:
        """Answer what has arrived, put the game away in order and let the file go; twice is safe."""
        self._stop(is_silent=False)
        self._journal.close()

    def cut_power(self) -> None:
        """Drop everything at this instant and leave the files as a power cut would."""
        self._stop(is_silent=True)
        self._journal.cut_power()

    # The way in and the ways out

    @property
    def path(self) -> Path:
        """The game file."""
        return self._journal.path

    @property
    def claim(self) -> chain.Claim:
        """The newest stored entry and the digest of the chain there; any thread. Its number of heartbeats is not told."""
        return self._journal.claim

    @property
    def game(self) -> bytes:
        """The game's id in the chain of its entries."""
        return self._journal.game

    @property
    def time(self) -> TimeSource:
        """Where this session's instants come from."""
        return self._time

    @property
    def codec(self) -> Codec:
        """The JSON form of this game's commands and events."""
        return self._codec

    @property
    def change(self) -> Change:
        """The newest change."""
        return self._change

    def send(self, envelope: Envelope) -> None:
        """Hand a command to the writer and return at once. A closed session drops it."""
        self._put(_Item(envelope, None))

    def ask(self, envelope: Envelope) -> Future[Change]:
        """Hand a command to the writer and return the promise of its answer."""
        answer: Future[Change] = Future()
        self._put(_Item(envelope, answer))
        return answer

    def move_to(self, folder: Path) -> None:
        """Write the whole game anew into a folder and keep it there from now on; a notice says how that went."""
        self._put(_Item(None, None, move_to=folder))

    def sync(self, timeout_s: float = 30.0, *, beat: bool = False) -> Change:
        """Wait until everything that was sent, or was due by now, has been answered; return the newest change.

        With `beat` the heartbeat is written as well, whether it is due or not.
        """
        answer: Future[Change] = Future()
        self._put(_Item(None, answer, beat))
        return answer.result(timeout_s)

    def subscribe(self, listener: Callable[[Change], None]) -> Listening:
        """Call a listener on the writer thread after every commit and every refusal."""
        return self._changes.add(listener)

    def subscribe_notices(self, listener: Callable[[Told], None]) -> Listening:
        """Call a listener on the writer thread for every notice."""
        return self._notices.add(listener)

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries, oldest first."""
        return tuple(self._timeline.entries)

    def counts(self, seq: int) -> bool:
        """Say whether an entry counts (was not undone)."""
        return self._timeline.counts(seq)

    # The writer

    def _begin(self, change: Change) -> None:
        """Begin to take commands; the first entry of this sitting is stored already."""
        self._change = change
        self._beat()
        self._thread.start()

    def _put(self, item: _Item) -> None:
        with self._wake:
            if not self._is_stopping:
                self._inbox.append(item)
                self._wake.notify_all()
                return
        if item.answer is not None:
            item.answer.cancel()

    def _stop(self, *, is_silent: bool) -> None:
        with self._wake:
            self._is_silent = self._is_silent or is_silent
            self._is_stopping = True
            self._wake.notify_all()
        if self._thread.ident is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._wake:
                while not self._inbox and not self._is_stopping and self._time.now_ms() < self._due_ms():
                    self._time.wait(self._wake, self._due_ms())
                if self._is_stopping and (self._is_silent or not self._inbox):
                    break
                item = self._inbox.popleft() if self._inbox else None
            try:
                self._turn(item)
            except Exception as fault:  # a bug: what was asked stays undone, and the writer lives on
                self._on_crash(fault, "the writer")
                if item is not None and item.answer is not None and not item.answer.done():
                    item.answer.set_exception(fault)
        for item in self._inbox:
            if item.answer is not None:
                item.answer.cancel()
        if not self._is_silent:
            try:
                self._beat(is_closed=True)
            except Exception as fault:  # the next opening finds a crash instead of an orderly end
                self._on_crash(fault, "putting the game away")

    def _turn(self, item: _Item | None) -> None:
        """Do one thing that was asked, and what time asks for."""
        if item is not None and item.move_to is not None:
            self._move(item.move_to)
        self._notice_sleep()
        if item is None or item.envelope is None:
            self._do_what_is_due()
        else:
            self._answer(item)
        self._beat_if_due(at_once=item is not None and item.is_beat)
        if item is not None and item.envelope is None:
            self._answer(item)

    def _answer(self, item: _Item) -> None:
        if item.envelope is not None:
            self._asked_ms = self._time.now_ms()
            self._publish(self._attempt(item.envelope))
        if item.answer is not None and item.answer.set_running_or_notify_cancel():
            item.answer.set_result(self._change)

    def _attempt(self, envelope: Envelope) -> Change:
        """Decide and store, or refuse; whatever happens, the writer goes on."""
        try:
            change = self._decide(envelope)
        except NotStoredError as fault:
            self._retry_ms = self._time.now_ms() + _RETRY_MS
            self._tell_failing(fault)
            return self._unstored(envelope, fault)
        except Exception as fault:
            name = type(envelope.command).__name__
            self._on_crash(fault, f"deciding {name}")
            text = Say("{command} hit an error in the program and was not carried out", command=Typed(name))
            self._notices.tell(Told("error", text, Say("play can continue")))
            return self._change_now((), envelope, Rejected(BUG, Say("{why}", why=Typed(str(fault)))))
        if change.entries:
            self._tell_working()
        return change

    def _unstored(self, envelope: Envelope, fault: NotStoredError) -> Change:
        """Refuse a command that no disk takes, but stop a clock all the same: nobody is to lose time by a full disk."""
        if not isinstance(envelope.command, cm.Pause):
            return self._change_now((), envelope, Rejected(NOT_STORED, Say("{why}", why=fault.text)))
        change = self._decide(envelope, is_stored=False)
        if change.entries:
            self._notices.tell(
                Told(
                    "error",
                    Say("The clocks are paused, but this is not saved yet: {why}", why=fault.text),
                    fault.hint,
                )
            )
        return change

    def _resumed(self, envelope: Envelope) -> Change:
        """Name the gap; a disk that is full when the game is opened hides no game from the table."""
        try:
            return self._decide(envelope)
        except NotStoredError as fault:
            if not fault.is_full:
                raise
            self._tell_failing(fault)
            return self._decide(envelope, is_stored=False)

    def _decide(self, envelope: Envelope, *, is_stored: bool = True) -> Change:
        """Decide one command and store what it led to. NotStoredError leaves everything as it was.

        What is not stored counts in memory, and is stored in front of what comes next.
        """
        now = self._time.now_ms()
        envelope = replace(envelope, command=stamped(envelope.command, now))
        handled = self._timeline.handle(envelope.command, Context(envelope.actor, now))
        misfit = outcome_misfit(self._timeline, handled, self._codec, self._held) if handled.drafts else None
        if misfit is not None:
            self._retry_ms = now + _RETRY_MS
            return self._change_now((), envelope, Rejected(Code.BAD_VALUE, misfit.say))
        entries = entries_of(handled, envelope, self._timeline.next_seq, self._time, self._app_version)
        if entries:
            if is_stored:
                self._store(entries)
            else:
                self._unsaved += entries
            for entry in entries:
                self._timeline.append(entry)
            self._held += size_of(entries, self._codec)
        return self._change_now(entries, envelope, handled.rejected)

    def _store(self, entries: tuple[Entry, ...]) -> None:
        """Store entries behind those that no disk took so far. NotStoredError when no place takes them."""
        try:
            self._journal.append((*self._unsaved, *entries), self._codec)
        except JournalLostError as fault:
            self._write_anew(fault, entries)
        self._unsaved = ()

    def _write_anew(self, lost: JournalLostError, entries: tuple[Entry, ...] = ()) -> None:
        """Write the whole game anew: where it was, or, where that place is gone, in the refuge.

        What stands there is never overwritten. NotStoredError when neither place takes the game.
        """
        left = self._journal
        if not left.is_named:
            left.abandon()
        folders = [left.path.parent] if left.is_home else []
        if self._refuge is not None and self._refuge not in folders:
            folders.append(self._refuge)
        for folder in folders:
            if self._write_to(folder, entries) is None:
                left.abandon()
                self._beat_ms = self._time.now_ms() - _BEAT_MS  # its heartbeat is due
                self._tell_written("warning", Say("{what}. The whole game was saved again", what=lost.text))
                return
        raise NotStoredError(
            Say("{what}, and the game could not be saved again", what=lost.text),
            Say("choose another place for it, such as a USB stick"),
        )

    def _write_to(self, folder: Path, entries: tuple[Entry, ...] = ()) -> OSError | SessionError | None:
        """Go on in a new file in a folder; return why that failed."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = free_path(folder / self._journal.path.name)
            whole = (*self._timeline.entries, *entries)
            self._journal = Journal.create(path, whole, self._codec, self._journal.game)
        except (OSError, SessionError) as fault:
            return fault
        self._unsaved = ()
        self.trouble, self._retry_ms = None, None
        return None

    def _move(self, folder: Path) -> None:
        """Go on in a folder that the table chose; a file that is whole is put away where it was."""
        left = self._journal
        try:
            left.check()
        except JournalLostError:
            left.abandon()
        fault = self._write_to(folder)
        if fault is not None:
            why, hint = (fault.text, fault.hint) if isinstance(fault, SessionError) else explain(fault)
            self._notices.tell(Told("error", Say("The game could not be saved there: {why}", why=why), hint))
            return
        left.close()
        self._beat()
        self._tell_written("info", Say("The whole game was saved"))

    def _tell_written(self, level: Literal["info", "warning"], text: Say) -> None:
        path = self._journal.path
        hint = Say("It is now {file} in {folder}", file=Typed(path.name), folder=Typed(str(path.parent)))
        self._notices.tell(Told(level, text, hint))

    def _change_now(
        self,
        entries: tuple[Entry, ...] = (),
        envelope: Envelope | None = None,
        rejected: Rejected | None = None,
    ) -> Change:
        line = self._timeline
        return Change(
            seq=len(line.entries),
            state=line.state,
            entries=entries,
            envelope=envelope,
            rejected=rejected,
            undo=line.undo_target(),
            redo=line.redo_target(),
        )

    def _publish(self, change: Change) -> None:
        self._change = change
        self._changes.tell(change)

    # What time asks for

    def _due_ms(self) -> Millis:
        """Return the instant at which the writer must look again."""
        due = self._beat_ms + _BEAT_MS
        if self._journal.is_untidy and self._tidied_ms < self._asked_ms:
            due = min(due, self._asked_ms + _QUIET_MS)
        clocks = self._timeline.state.clocks
        if clocks.running is not None:
            due = min(due, max(self._looked_ms + _LOOK_MS, self._retry_ms or 0))
        deadline = self._settle_due_ms()
        return due if deadline is None else min(due, deadline)

    def _settle_due_ms(self) -> Millis | None:
        clocks = self._timeline.state.clocks
        deadline = ck.deadline(clocks)
        if deadline is None:
            return None
        return max(deadline + clocks.config.grace_ms, self._retry_ms or 0)

    def _notice_sleep(self) -> None:
        """Stop the clocks when the machine slept since the last look."""
        now, slept = self._time.now_ms(), self._time.slept_ms()
        gap = slept - self._slept_ms
        looked, self._looked_ms = self._looked_ms, now
        if gap < _SLEPT_FROM_MS:
            return
        if self._timeline.state.clocks.running is None:
            self._slept_ms = slept
            return
        if self._retry_ms is not None and now < self._retry_ms:
            self._looked_ms = looked
            return
        stop = cm.StopForSleep(at_ms=now, last_ms=looked, gap_ms=gap + now - looked)
        change = self._attempt(Envelope(stop, SYSTEM, "app"))
        if change.rejected is None:
            self._slept_ms = slept
        else:
            self._looked_ms = looked
        self._publish(replace(change, envelope=None))

    def _do_what_is_due(self) -> None:
        """Settle every border of the clock that is due: after a long wait there may be several."""
        while (due := self._settle_due_ms()) is not None and due <= self._time.now_ms():
            change = self._attempt(Envelope(cm.SettleClock(at_ms=self._time.now_ms()), SYSTEM, "app"))
            if change.entries or change.rejected is not None:
                self._publish(replace(change, envelope=None))
            if not change.entries:
                return

    def _beat_if_due(self, *, at_once: bool) -> None:
        if at_once or self._time.now_ms() >= self._beat_ms + _BEAT_MS:
            self._beat()
        now = self._time.now_ms()
        if self._journal.is_very_untidy or now >= self._asked_ms + _QUIET_MS:
            self._tidied_ms = now
            self._journal.tidy()

    def _beat(self, *, is_closed: bool = False) -> None:
        now = self._time.now_ms()
        self._beat_ms = now
        beat = Heartbeat(
            boot_id=self._time.boot_id,
            at_ms=now,
            wall_ms=self._time.wall_ms(),
            seq=len(self._timeline.entries),
            is_closed=is_closed,
            summary=msgspec.json.encode(summary_of(self._timeline.state, now, self._turn_here)).decode(),
        )
        try:
            if self._unsaved:
                self._store(())
                self._tell_working()
            self._journal.beat(beat)
        except JournalLostError as fault:
            self._save_again(fault)
        except NotStoredError as fault:
            self._tell_failing(fault)

    def _save_again(self, lost: JournalLostError) -> None:
        """Write the whole game anew because a heartbeat found its file gone; try again with the next one."""
        try:
            self._write_anew(lost)
        except NotStoredError as fault:
            self._tell_failing(fault)

    def _tell_failing(self, fault: NotStoredError) -> None:
        was, self.trouble = (
            self.trouble,
            Told("error", Say("Nothing can be saved: {why}", why=fault.text), fault.hint),
        )
        if was is None:
            self._notices.tell(self.trouble)

    def _tell_working(self) -> None:
        self._retry_ms = None
        if self.trouble is not None:
            self._notices.tell(Told("info", Say("Saving works again")))
        self.trouble = None


def _log_crash(fault: BaseException, where: str) -> None:
    _LOG.error("%s raised an exception", where, exc_info=fault)

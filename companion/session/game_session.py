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
from companion.core.decide import Handled
from companion.core.history import Entry, Timeline
from companion.core.ids import SYSTEM, TABLE, Millis
from companion.core.rules import Context, Rejected
from companion.core.setup import Setup
from companion.core.sound import setup_misfit
from companion.core.text import Name, Say, Typed
from companion.session.errors import NotStoredError, SessionError
from companion.session.journal import Heartbeat, Journal, Recovery
from companion.session.listeners import Listeners, Listening
from companion.session.opening import RulesOf, fold, resume_command, rules_for
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
    ) -> None:
        """Use `create` or `open` instead."""
        self.rules = timeline.rules
        self.recovery: Recovery | None = journal.recovery
        """What was lost when the file was opened; None when it was sound."""
        self._journal, self._timeline, self._codec, self._time = journal, timeline, codec, time
        self._app_version, self._on_crash = app_version, on_crash
        self._changes: Listeners[Change] = Listeners(lambda fault: on_crash(fault, "a listener of changes"))
        self._notices: Listeners[Told] = Listeners(lambda fault: on_crash(fault, "a listener of notices"))
        self._wake = threading.Condition()
        self._inbox: deque[_Item] = deque()
        self._is_stopping = False
        self._is_silent = False
        self._is_failing = False
        self._looked_ms = time.now_ms()
        self._slept_ms = time.slept_ms()
        self._beat_ms = time.now_ms()
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
    ) -> GameSession:
        """Make a game file and start the game in it.

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
        entries = _entries(handled, envelope, timeline.next_seq, time, app_version)
        journal = Journal.create(path, entries, codec)
        for entry in entries:
            timeline.append(entry)
        session = cls(
            journal, timeline, codec, time, app_version=app_version, on_crash=on_crash or _log_crash
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
    ) -> GameSession:
        """Open a saved game: clocks stand at the last known time, and the gap is named.

        Raises what `Journal.open` raises, and JournalUnreadableError when this version cannot play the game.
        """
        journal = Journal.open(path)
        try:
            timeline, codec = fold(journal, rules_of)
            session = cls(
                journal, timeline, codec, time, app_version=app_version, on_crash=on_crash or _log_crash
            )
            resume = resume_command(timeline, journal.heartbeat(), time)
            session._begin(session._decide(Envelope(resume, SYSTEM, "app")))
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
            return self._change_now((), envelope, Rejected(NOT_STORED, Say("{why}", why=fault.text)))
        except Exception as fault:
            name = type(envelope.command).__name__
            self._on_crash(fault, f"deciding {name}")
            text = Say("{command} hit an error in the program and was not carried out", command=Typed(name))
            self._notices.tell(Told("error", text, Say("play can continue")))
            return self._change_now((), envelope, Rejected(BUG, Say("{why}", why=Typed(str(fault)))))
        if change.entries:
            self._tell_working()
        return change

    def _decide(self, envelope: Envelope) -> Change:
        """Decide one command and store what it led to. NotStoredError leaves everything as it was."""
        now = self._time.now_ms()
        envelope = replace(envelope, command=_stamped(envelope.command, now))
        handled = self._timeline.handle(envelope.command, Context(envelope.actor, now))
        entries = _entries(handled, envelope, self._timeline.next_seq, self._time, self._app_version)
        if entries:
            self._journal.append(entries, self._codec)
            for entry in entries:
                self._timeline.append(entry)
        return self._change_now(entries, envelope, handled.rejected)

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
        due = self._settle_due_ms()
        if due is None or self._time.now_ms() < due:
            return
        change = self._attempt(Envelope(cm.SettleClock(at_ms=self._time.now_ms()), SYSTEM, "app"))
        if change.entries or change.rejected is not None:
            self._publish(replace(change, envelope=None))

    def _beat_if_due(self, *, at_once: bool) -> None:
        if at_once or self._time.now_ms() >= self._beat_ms + _BEAT_MS:
            self._beat()
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
            summary=msgspec.json.encode(summary_of(self._timeline.state, now)).decode(),
        )
        try:
            self._journal.beat(beat)
        except NotStoredError as fault:
            self._tell_failing(fault)

    def _tell_failing(self, fault: NotStoredError) -> None:
        if not self._is_failing:
            self._notices.tell(Told("error", Say("Nothing can be saved: {why}", why=fault.text), fault.hint))
        self._is_failing = True

    def _tell_working(self) -> None:
        self._retry_ms = None
        if self._is_failing:
            self._notices.tell(Told("info", Say("Saving works again")))
        self._is_failing = False


def _entries(
    handled: Handled, envelope: Envelope, seq: int, time: TimeSource, app_version: str
) -> tuple[Entry, ...]:
    """Return the entries that one command leads to; a flag that was due is the program's own."""
    now, wall = time.now_ms(), time.wall_ms()
    return tuple(
        Entry(
            seq=seq + index,
            command=draft.command,
            events=draft.events,
            actor=envelope.actor if draft.command is envelope.command else SYSTEM,
            source=envelope.source if draft.command is envelope.command else "app",
            at_ms=now,
            boot_id=time.boot_id,
            wall_ms=wall,
            app_version=app_version,
        )
        for index, draft in enumerate(handled.drafts)
    )


def _stamped(command: cm.Command, now_ms: Millis) -> cm.Command:
    """Move a stamp that lies in the future back to now: it must not let a flag fall early."""
    at_ms = getattr(command, "at_ms", None)
    if at_ms is not None and at_ms > now_ms:
        return replace(command, at_ms=now_ms)
    return command


def _log_crash(fault: BaseException, where: str) -> None:
    _LOG.error("%s raised an exception", where, exc_info=fault)

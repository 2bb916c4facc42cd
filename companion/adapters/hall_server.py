"""Holds the table's end of its hall: the socket that the link calls, the log as the hall is to have it, and orders.

The writer only leaves its changes with the thread that serves, so no press ever waits for the hall.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from companion.adapters.child_server import RESTARTS_S, Caller, ChildServer
from companion.adapters.hall_orders import SOURCE, OrderBook
from companion.adapters.hall_orders import Desk as OrderDesk
from companion.adapters.result_signer import ResultSigner
from companion.core import commands as cm
from companion.core.change import Change, Envelope
from companion.core.ids import ARBITER
from companion.core.rules import Rejected
from companion.core.text import Say, Typed
from companion.gateway.wire import WireError
from companion.hall import orders as od
from companion.hall import wire
from companion.hall.book import Book
from companion.hall.messages import Did, MessageError, encode
from companion.hall.outbox import Cursor
from companion.pages.desk import Notice
from companion.pages.hall import HallAsk
from companion.pages.hall_state import state_of
from companion.pages.result import is_agreed, outcome_of
from companion.session.files import read_at_most, write_whole
from companion.session.limits import MOST_SMALL_BYTES
from companion.session.portable import exported_line
from companion.session.reading import peek_beat
from companion.session.signing_key import SigningKeyFile

if TYPE_CHECKING:
    from companion.adapters.hall import HallPort, Membership

__all__ = ["HallServing"]

_log = logging.getLogger(__name__)
_APART_S = 0.5
"""The state is made at most twice a second."""
_LOOK_S = 1.0
_SAVE_S = 5.0
_EXITS = {
    1: Say("The hall needs a part that is not installed: table-companion[hall]."),
    5: Say("Program and link are of different versions. Restart the program."),
}


class _KeptGame(msgspec.Struct, frozen=True):
    """A game that the hall may not have whole yet."""

    cursor: Cursor
    file: str


class HallServing(ChildServer):
    """The hall's serving thread. Nobody else touches it but by `take`, `wake`, `later` and `stop`."""

    def __init__(self, port: HallPort, member: Membership, path: Path) -> None:
        super().__init__(path, lambda: ["hall-link"], froze=port.froze, most=wire.MOST)
        self._port, self._member = port, member
        self._desk: Any = port.desk
        self._changes: deque[Change] = deque()
        self._session: Any = None
        self._change: Change | None = None
        self._lines: dict[str, list[bytes]] = {}
        kept = self._kept_games()
        self._files = {one.cursor.game: one.file for one in kept}
        self._old = [one for one in kept if one.file]
        self._book = Book([one.cursor for one in kept], self._lines_of)
        self._signer = ResultSigner(port.desk, port.keys, self.branch_of)
        self._proved: object = None
        self._state_at_s = 0.0
        self._saved: tuple[Cursor, ...] = self._book.cursors
        self._save_at_s = 0.0
        self._orders = OrderBook(
            port.keys / "hall-orders.json",
            OrderDesk(
                self._desk.now_ms, self._standing, self._hall_entries, self._send, port.seat, port.is_begun
            ),
            member.hall,
            member.table,
            director=bytes.fromhex(member.director),
            key=SigningKeyFile(port.keys).ensure(),
            say=self._say_did,
            show=self._show,
            ask=self._ask,
            later=self.later,
            tell=lambda text: port.tell(Notice("warning", text)),
        )

    # From other threads

    def take(self, change: Change) -> None:
        """Take a change; the writer goes on at once."""
        self._changes.append(change)
        self.wake()

    def branch_of(self, game: bytes) -> bytes:
        """Return the digest that the game at the table forks off from; empty where it never did, or is another game."""
        course = self._book.course
        return b"" if course is None or course.game != game.hex() else course.fork

    def answer(self, n: int, *, is_yes: bool) -> None:
        """Take the table's answer to a late order."""
        self._port.moved(asks=tuple(one for one in self._port.state.asks if one.n != n))
        self._orders.answer(n, is_yes=is_yes)

    def decline(self, n: int) -> None:
        """Take that others sit here than an order has seated."""
        self._orders.decline(n)

    # The thread

    def _step(self) -> None:
        try:
            self._look_round()
        except Exception as fault:  # it is noted, and the table plays on
            self._port.on_fault(fault)

    def _look_round(self) -> None:
        self._take_changes()
        self._do_waiting()
        self._look_after_child()
        now = time.monotonic()
        if self._is_dirty and now >= self._state_at_s + _APART_S:
            self._is_dirty, self._state_at_s = False, now
            self._say_state()
        if now >= self._save_at_s + _SAVE_S:
            self._save_at_s = now
            self._save()
        waiting = self._book.waiting()
        if waiting != self._port.state.waiting:
            self._port.moved(waiting=waiting)

    def _wait_s(self) -> float:
        if self._is_dirty:
            return max(0.0, self._state_at_s + _APART_S - time.monotonic())
        return _LOOK_S

    def _bye(self) -> bytes:
        _log.info("%s", self._why)
        self._save()
        return wire.packed(wire.Stop("the app ends"))

    def _on_fault(self, fault: Exception) -> None:
        self._port.on_fault(fault)

    # The game

    def _take_changes(self) -> None:
        """Take what the writer left: entries of the game at the table, or another game."""
        while self._changes:
            change = self._changes.popleft()
            self._change = change
            session = self._desk.session_now()
            if session is None or change.state.setup is None:
                continue
            if session is not self._session:
                self._open(session)
                continue
            course = self._book.course
            # The log itself, not what everybody may know of it: the hall compares lines. What lies hidden waits.
            upto = min(change.seq, self._desk.free_until())
            fresh = session.entries()[course.end : upto] if course is not None else ()
            if fresh:
                lines = [exported_line(entry, session.codec) for entry in fresh]
                self._lines[session.game.hex()] += lines
                for frame in self._book.grow(lines):
                    self._say(frame)

    def _open(self, session: Any) -> None:
        """Take another game; what the hall has not of the one before is kept until it has."""
        self._session = session
        game = session.game
        free = session.entries()[: self._desk.free_until()]
        lines = [exported_line(entry, session.codec) for entry in free]
        self._lines[game.hex()] = lines
        self._files[game.hex()] = str(session.path)
        self._say(self._book.play(game, lines))
        self._save()
        self._port.moved(is_last_round=False)
        for old in [one for one in self._lines if one not in self._book.games]:
            del self._lines[old]

    def _lines_of(self, game: str, first: int, last: int) -> Sequence[bytes]:
        return self._lines.get(game, [])[first - 1 : last]

    def _say_state(self) -> None:
        course, change = self._book.course, self._change
        if course is None or change is None or change.state.setup is None:
            return
        if self._session is None or self._desk.session_now() is not self._session:
            return
        state = self._port.state
        said = state_of(
            change,
            course.standing,
            self._desk.now_ms(),
            self._desk.time.boot_id,
            round_=state.seated_round,
            wants=state.wants,
            wants_ms=state.wants_ms,
            is_last_round=state.is_last_round,
        )
        self._say(wire.Shown(encode(said).decode()))
        self._say_result(change)

    def _say_result(self, change: Change) -> None:
        """Send the result once everybody has confirmed it, and anew where it was confirmed anew."""
        if not is_agreed(change.state):
            return
        slip, outcome = next(iter(change.state.confirmed.values())).slip, outcome_of(change.state)
        told = (change.state.confirmed, self._session)
        if outcome is None or not slip or told == self._proved:
            return
        made = self._signer.text(change, outcome, slip)
        if not isinstance(made, Say):
            self._proved = told
            self._say(wire.Proof(made[0]))

    # What is kept

    def _kept_games(self) -> tuple[_KeptGame, ...]:
        """Return how far the hall had come; a file that cannot be read only lets it be asked again."""
        try:
            data = read_at_most(self._port.keys / "hall-cursor.json", MOST_SMALL_BYTES)
            return msgspec.json.decode(data, type=tuple[_KeptGame, ...])
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return ()

    def _take_up_old(self) -> None:
        """Have the hall get what an earlier sitting could not send, of games that are not at the table now."""
        old, self._old = self._old, []
        for one in old:
            path = Path(one.file)
            now = self._session
            if (now is not None and now.game.hex() == one.cursor.game) or not path.exists():
                continue
            beat = peek_beat(path)
            if beat is not None and (
                beat.game.hex() != one.cursor.game or (beat.is_whole_file and beat.seq <= one.cursor.acked)
            ):
                continue
            lines = list(self._desk.log_of(path))
            if len(lines) > one.cursor.acked:
                self._lines[one.cursor.game] = lines
                self._say(self._book.play(bytes.fromhex(one.cursor.game), lines, is_at_table=False))

    def _save(self) -> None:
        cursors = self._book.cursors
        if cursors == self._saved:
            return
        self._saved = cursors
        kept = [_KeptGame(one, self._files.get(one.game, "")) for one in cursors]
        with suppress(OSError):  # without it the hall is asked again
            write_whole(self._port.keys / "hall-cursor.json", msgspec.json.encode(kept), mode=0o600)

    # Orders

    def _standing(self) -> tuple[str, int]:
        course = self._book.course
        return ("", 0) if course is None else (course.game, course.end)

    def _hall_entries(self, after: int) -> int:
        return sum(one.seq > after and one.source == SOURCE for one in self._desk.entries())

    def _send(self, command: cm.Command, answered: Callable[[Rejected | None], None]) -> bool:
        session = self._desk.session_now()
        if session is None:
            return False

        def done(answer: Future[Change]) -> None:
            try:
                answered(answer.result().rejected)
            except (CancelledError, Exception) as fault:
                answered(Rejected("bug", Say("{why}", why=Typed(str(fault)))))

        session.ask(Envelope(command, ARBITER, SOURCE)).add_done_callback(done)
        return True

    def _say_did(self, did: Did) -> None:
        self._say(wire.Answer(encode(did).decode()))

    def _ask(self, order: od.Order) -> None:
        kind = str(type(order.what).__struct_config__.tag)
        self._port.moved(asks=(*self._port.state.asks, HallAsk(order.n, kind)))
        self._port.tell(
            Notice("warning", Say("An order of the director came late."), Say("Answer on the Hall page."))
        )

    def _show(self, order: od.Order) -> str:
        """Do what an order asks of the table itself; return its code."""
        match order.what:
            case od.Message(text=text):
                self._port.moved(message=text)
                self._port.tell(Notice("info", Say("The director: {text}", text=Typed(text))))
            case od.LastRound():
                self._port.moved(is_last_round=True)
            case od.AskLog():
                self._say(self._book.again())
            case od.Retire():
                self._port.left()
            case _:
                return "unknown"
        return "done"

    # The socket

    def _say(self, said: wire.Down) -> None:
        try:
            self._tell(wire.packed(said))
        except WireError as fault:
            self._port.on_fault(fault)

    def _heard(self, caller: Caller, frame: bytes) -> None:
        try:
            self._answer(caller, wire.decode_up(frame))
        except (OSError, WireError):
            raise
        except MessageError as fault:
            _log.warning("%s", fault)
        except Exception as fault:
            self._port.on_fault(fault)

    def _lost(self) -> None:
        self._port.moved(is_linked=False, is_director_there=False, since_ms=self._desk.now_ms())

    def _answer(self, caller: Caller, said: wire.Up) -> None:
        match said:
            case wire.Met():
                self._meet(caller, said)
            case _ if caller is not self._caller:
                raise WireError("a caller spoke before it said who it is")
            case wire.Linked():
                state = self._port.state
                told = (said.is_up, said.is_director_there, said.why)
                if (state.is_linked, state.is_director_there, state.why) != told:
                    self._port.moved(
                        is_linked=said.is_up,
                        is_director_there=said.is_director_there,
                        since_ms=self._desk.now_ms(),
                        why=said.why,
                    )
                if said.is_director_there:
                    self._orders.greet()
                if said.is_director_there and self._old:
                    self._take_up_old()
            case wire.Acked() | wire.Wanted():
                for frame in self._book.hear(said):
                    self._say(frame)
            case wire.Ordered():
                self._orders.take(said.data.encode(), said.now_ms)
            case wire.Told():
                fields: dict[str, Any] = {"message": said.text} if said.text else {}
                if said.round:
                    fields |= {
                        "round": said.round,
                        "round_left_ms": said.left_ms,
                        "round_at_ms": said.at_ms,
                    }
                self._port.moved(**fields)

    def _meet(self, caller: Caller, said: wire.Met) -> None:
        """Take the link's process, and tell it all that it has to know."""
        if said.protocol != wire.PROTOCOL:
            raise WireError(f"the link speaks protocol {said.protocol}; expected {wire.PROTOCOL}")
        if self._caller is not None:
            self._lose(self._caller)
        self._know(caller)
        one = self._member
        self._say(
            wire.Enrolment(
                protocol=wire.PROTOCOL,
                hall=one.hall,
                table=one.table,
                host=one.host,
                port=one.port,
                password=one.password,
                ca=one.ca,
                user=one.user,
                boot=self._desk.time.boot_id[:120],
            )
        )
        self._say(self._book.known())
        self._is_dirty, self._proved = True, None

    # The link's process

    def _ended(self, code: int) -> None:
        if code in _EXITS:
            self._port.tell(Notice("warning", _EXITS[code]))
            self._child_at_s = float("inf")

    def _ends_again_and_again(self) -> None:
        self._child_at_s = self._starts[0] + RESTARTS_S

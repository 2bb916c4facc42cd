"""Orders of the director at this table: genuine ones become ordinary commands of the arbiter, each once; late ones ask first.

What was taken is written down before it is done, with where the log stood, so that after a power cut the journal itself says
whether it was done. Where that list is damaged nobody can know what was done, so only what is ordered from then on is.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from companion.core import commands as cm
from companion.core.ids import Millis, Side
from companion.core.rules import Rejected
from companion.core.scenario import Fault
from companion.core.text import Say, Typed
from companion.hall import orders as od
from companion.hall.messages import Did
from companion.pages.i18n import speaking
from companion.pages.labels import refusal
from companion.pages.speak import speak
from companion.session.files import read_at_most, write_whole
from companion.session.limits import MOST_SMALL_BYTES
from companion.session.settings import set_aside

__all__ = ["SOURCE", "Begun", "Desk", "Kept", "OrderBook", "command_of"]

SOURCE = "hall"
_MOST_DIDS = 128
_LONG, _AGAIN = 1_500, 8
_SLACK_MS = 15_000
"""No order lies on a link for longer than this before the link is given up."""
_THEN = Say("Nothing that was ordered before now is done; the director orders it anew.")
_FORGOTTEN = Say(
    "The table's list of orders was damaged, so it may have done this. Order it anew if it has not."
)


class Begun(msgspec.Struct, frozen=True):
    """An order that was handed to the writer: where its game's log stood then."""

    n: int
    game: str
    seq: int


class Kept(msgspec.Struct, frozen=True):
    """What is kept of orders in a file."""

    window: od.Window = od.Window()
    begun: Begun | None = None
    dids: tuple[Did, ...] = ()
    floor: int = 0
    """Of numbers up to this one it is not known whether they were done: the list before this one was damaged."""
    is_unsure: bool = False
    """The list before was damaged, and no order has come since of which it is sure that it was issued later."""
    check: int = 0
    """Over all the rest; 0 in a list of before there was one."""


class Desk(NamedTuple):
    """What orders need of the table."""

    now_ms: Callable[[], Millis]
    standing: Callable[[], tuple[str, int]]
    """The id of the game at the table and its newest entry; ("", 0) without one."""
    hall_entries: Callable[[int], int]
    """How many entries of the hall the log has after an entry."""
    ask: Callable[[cm.Command, Callable[[Rejected | None], None]], bool]
    """Hands a command to the writer and tells the refusal; False without a game."""
    seat: Callable[[od.Order, Callable[[Rejected | None], None]], None]
    """Prepares or begins a game at the table, and tells the refusal."""
    is_begun: Callable[[int], bool | None]
    """Whether the game of a round's seat was begun here; None: no such seat."""


def command_of(order: od.Order, now_ms: Millis) -> cm.Command | None:
    """Return what an order asks of the game; None where it asks something of the table instead."""
    match order.what:
        case od.Pause(reason=reason):
            return cm.Pause(at_ms=now_ms, reason=reason)
        case od.Resume():
            return cm.Resume(at_ms=now_ms)
        case od.AddTime(side=side, ms=ms, reason=reason):
            why = f"{reason} (#{order.n})" if reason else f"#{order.n}"
            return cm.CorrectTime(side=Side(side), delta_ms=ms, at_ms=now_ms, reason=why)
        case od.Adjourn():
            return cm.Adjourn(at_ms=now_ms)
        case od.End(winner=winner, reason=reason):
            return cm.EndGame(at_ms=now_ms, winner=None if winner is None else Side(winner), reason=reason)
        case od.LastRound(reason=reason):
            told = speak(Say("The director: last round."))
            return cm.AddNote(text=f"{told} {reason}".strip())
    return None


class OrderBook:
    """Takes orders one after another. Belongs to one thread; `Desk.ask` may answer on another, through `later`."""

    def __init__(
        self,
        path: Path,
        desk: Desk,
        hall: str,
        table: str,
        *,
        director: bytes,
        key: od.Signs,
        say: Callable[[Did], None],
        show: Callable[[od.Order], str],
        ask: Callable[[od.Order], None],
        later: Callable[[Callable[[], None]], None],
        tell: Callable[[Say], None],
    ) -> None:
        """Read what is kept.

        Args:
            director: Checks the orders' signatures; `key` signs what became of them.
            say: Sends what became of an order, signed.
            show: Does what an order asks of the table rather than of the game; returns its code.
            ask: Puts a late order to the table.
            later: Runs a call on the thread of this book.
            tell: Tells the table that the list was damaged, and where it is kept.
        """
        self._path, self._desk, self._hall, self._table = path, desk, hall, table
        self._director, self._key = director, key
        self._say, self._show, self._ask, self._later = say, show, ask, later
        self._kept, warning = _read(path)
        self._read_ms = desk.now_ms()
        if warning is not None:
            tell(warning)
            self._keep(self._kept)
        self._asked: dict[int, od.Order] = {}
        self._queue: list[od.Order] = []
        self._doing: int | None = None

    def take(self, data: bytes, director_ms: Millis | None) -> None:
        """Take an order as it came. MessageError for one that is not genuine; nothing is done then."""
        order = od.order_in(data, self._director, self._hall, self._table, f"table {self._table}, order")
        match self._kept.window.judge(order.n):
            case "replay":
                self._say(self._signed(order.n, "replay"))
            case "done":
                self._repeat(order)
            case "new" if self._is_forgotten(order, director_ms):
                with speaking("en"):
                    self._finish(order.n, "forgotten", speak(_FORGOTTEN))
            case "new" if order.n not in self._asked and order not in self._queue:
                now = max(
                    order.sent, director_ms or order.sent
                )  # it is never kept by a broker, so it was sent now
                if od.is_late(order, now):
                    self._late(order, now)
                else:
                    self._queue.append(order)
                    self._next()

    def _is_forgotten(self, order: od.Order, director_ms: Millis | None) -> bool:
        """Say whether a damaged list may have held this number. Numbers rise, so one that is surely newer makes all later ones sure."""
        kept = self._kept
        if order.n <= kept.floor or not kept.is_unsure:
            return order.n <= kept.floor
        now = max(order.sent, director_ms or order.sent)
        if order.issued <= now - (self._desk.now_ms() - self._read_ms) + _SLACK_MS:
            return True
        self._keep(replace(kept, floor=order.n - 1, is_unsure=False))
        return False

    def _late(self, order: od.Order, now: Millis) -> None:
        if order.until is not None and now > order.until:
            self._finish(order.n, "late", "")
            return
        self._asked[order.n] = order
        self._ask(order)

    def answer(self, n: int, *, is_yes: bool) -> None:
        """The table has answered a late order."""
        order = self._asked.pop(n, None)
        if order is None:
            return
        if is_yes:
            self._queue.append(order)
            self._next()
        else:
            self._finish(n, "declined", "")

    def _next(self) -> None:
        """Do the next order; one at a time, so that each entry of the hall belongs to one."""
        if self._doing is not None or not self._queue:
            return
        order = self._queue.pop(0)
        command, is_seat = command_of(order, self._desk.now_ms()), isinstance(order.what, od.Seat | od.Start)
        if command is None and not is_seat:
            self._finish(order.n, self._show(order), "")
            return
        game, seq = self._desk.standing()
        window = self._kept.window.with_taken(order.n)
        if not self._keep(replace(self._kept, window=window, begun=Begun(order.n, game, seq))):
            with speaking("en"):  # what is not written down is not done; it may be ordered again
                no_room = speak(Say("The table's disk takes nothing, so nothing was done."))
            self._say(self._signed(order.n, "not_kept", no_room))
            self._next()
            return
        self._doing = order.n

        def answered(rejected: Rejected | None) -> None:
            self._later(lambda: self._answered(order, rejected))

        if command is None:
            self._desk.seat(order, answered)
        elif not self._desk.ask(command, answered):
            self._doing = None
            self._finish(order.n, "no_game", "")

    def _answered(self, order: od.Order, rejected: Rejected | None) -> None:
        self._doing = None
        if rejected is None:
            if isinstance(order.what, od.LastRound):
                self._show(order)
            self._finish(order.n, "done", "")
        else:
            with speaking("en"):
                self._finish(order.n, str(rejected.code), refusal(rejected)[:_LONG])

    def _repeat(self, order: od.Order) -> None:
        """Say again what became of an order; of one that a power cut met, the journal says it."""
        found = next((one for one in self._kept.dids if one.n == order.n), None)
        if found is not None:
            self._say(found)
            return
        begun = self._kept.begun
        if self._doing == order.n or begun is None or begun.n != order.n:
            if self._doing is None:
                self._say(self._signed(order.n, "done"))  # long ago: what became of it is not kept any more
            return
        if isinstance(order.what, od.Start):
            if self._desk.is_begun(order.what.round):
                self._finish(order.n, "done", "")
            elif order.n not in self._asked:  # whether its game was begun only the table can see
                self._asked[order.n] = order
                self._ask(order)
            return
        if not isinstance(order.what, od.Seat):  # preparing it twice is as good as once
            game, _seq = self._desk.standing()
            if game != begun.game:
                return  # the director asks again; the game may be opened yet
            if self._desk.hall_entries(begun.seq):
                self._finish(order.n, "done", "")
                return
        window = self._kept.window
        self._keep(replace(self._kept, begun=None, window=od.Window(window.high, window.taken - {order.n})))
        self._queue.append(order)
        self._next()

    def _finish(self, n: int, code: str, said: str) -> None:
        did, kept = self._signed(n, code, said), self._kept
        begun = None if kept.begun is not None and kept.begun.n == n else kept.begun
        self._kept = replace(
            kept,
            window=kept.window.with_taken(n),
            begun=begun,
            dids=(*(one for one in kept.dids if one.n != n), did)[-_MOST_DIDS:],
        )
        self._keep(self._kept)  # without it the journal says after a power cut what became of it
        self._say(did)
        self._next()

    def decline(self, n: int) -> None:
        """Others sit at the table than an order seated there; it had been answered before."""
        with speaking("en"):
            self._finish(n, "declined", speak(Say("Others sit at this table.")))

    def greet(self) -> None:
        """The director is there: tell anew what the table declined, as he does not ask for it."""
        for did in self._kept.dids[-_AGAIN:]:
            if did.code == "declined":
                self._say(did)

    def _signed(self, n: int, code: str, said: str = "") -> Did:
        did = Did(n=n, code=code, said=said, at=self._desk.now_ms())
        return od.did_signed(did, self._key, self._hall, self._table)

    def _keep(self, kept: Kept) -> bool:
        """Write down what is kept; False where the disk takes nothing: then all stands as before."""
        try:
            write_whole(self._path, msgspec.json.encode(replace(kept, check=_check(kept))), mode=0o600)
        except OSError:
            return False
        self._kept = kept
        return True


def _check(kept: Kept) -> int:
    return zlib.crc32(msgspec.json.encode(replace(kept, check=0), order="deterministic")) or 1


def _read(path: Path) -> tuple[Kept, Say | None]:
    """Return what is kept, and what to tell of a list that cannot be read; it is set aside then, and nothing of it counts."""
    try:
        data = read_at_most(path, MOST_SMALL_BYTES)
        found = msgspec.json.decode(data, type=Kept)
        if found.check in (0, _check(found)):
            return found, None
        fault = Fault(path.name, "check", found.check, _check(found))
    except FileNotFoundError:
        return Kept(), None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        fault = Fault(path.name, "", Say("what became of the director's orders"), Typed(str(error)))
    return Kept(is_unsure=True), set_aside(path, (fault,), _THEN)

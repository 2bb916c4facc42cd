"""The table's place in a hall: the port that the Hall page uses, and the file that says which hall.

While that file is missing nothing of the hall is imported, no thread runs and no socket is open.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec.structs import replace

from companion.adapters.child_port import ChildPort
from companion.adapters.phones import runtime_folder
from companion.core.rules import Rejected
from companion.core.text import Say, Typed
from companion.pages.desk import Notice
from companion.pages.hall import HallState
from companion.pages.parts import refusal_words
from companion.session.errors import SessionError
from companion.session.files import explain, read_at_most, write_whole
from companion.session.limits import MOST_SMALL_BYTES

if TYPE_CHECKING:
    from companion.adapters.hall_seat import Seats
    from companion.adapters.hall_server import HallServing
    from companion.hall.orders import Order

__all__ = ["HallFileError", "HallPort", "Membership", "forget", "keep", "membership"]

FILE, _OTHERS = "hall.json", ("hall-cursor.json", "hall-orders.json", "hall-seat.json")
_Hex = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}\\Z")]


class HallFileError(SessionError, ValueError):
    """The file that says which hall a table is in cannot be used."""


class Membership(msgspec.Struct, frozen=True):
    """Which hall a table is in, and as whom; nobody else's to read."""

    hall: str
    table: str
    host: str
    port: int
    password: str
    ca: str
    director: _Hex
    """The public key of the director's orders."""
    user: str = ""
    """At a venue's broker, where all tables share it; empty: the table's name."""


def membership(keys: Path) -> Membership | None:
    """Return which hall a table is in, None where it is in none. HallFileError for a file that cannot be read."""
    path = keys / FILE
    try:
        return msgspec.json.decode(read_at_most(path, MOST_SMALL_BYTES), type=Membership)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise HallFileError(
            Say("{file} cannot be read: {why}", file=Typed(str(path)), why=Typed(str(fault))),
            Say("enrol this table again"),
        ) from fault


def keep(keys: Path, made: Membership) -> None:
    """Keep which hall a table is in. OSError where the place takes no file."""
    keys.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(keys / FILE, msgspec.json.encode(made), mode=0o600)


def forget(keys: Path) -> bool:
    """Leave no trace of a hall; return whether there was one."""
    was = (keys / FILE).exists()
    for name in (FILE, *_OTHERS):
        with suppress(FileNotFoundError):
            (keys / name).unlink()
    return was


class HallPort(ChildPort[HallState]):
    """The `Hall` of a machine whose app starts the link itself."""

    name = "hall"
    _serving: HallServing | None

    def __init__(
        self,
        desk: Any,
        keys: Path,
        *,
        post: Callable[[Callable[[], None]], None],
        on_fault: Callable[[BaseException], object] = lambda _fault: None,
        folder: Callable[[], Path] = runtime_folder,
        notify: Callable[[Notice], None] = lambda _notice: None,
        begin: Callable[[Any], None] = lambda _setup: None,
        come: Callable[[], None] = lambda: None,
    ) -> None:
        """Wait to be started; see `ChildPort`.

        Args:
            begin: Begins a game that was prepared and shows it; called on the interface thread.
            come: Shows the Hall page where nothing else is at hand; called on the interface thread.
        """
        super().__init__(desk, keys, HallState(), post=post, on_fault=on_fault, folder=folder, notify=notify)
        self._begin, self._come = begin, come
        self._seats: Seats | None = None

    # The port

    def call(self, reason: str) -> None:
        """Call the director for a reason; an empty one: no longer."""
        if self._serving is not None and reason in ("", "rule", "clock", "dice", "other"):
            self.moved(wants=reason, wants_ms=self.desk.now_ms())
            self._serving.wake()

    def read(self) -> None:
        """The table has read the director's message."""
        self.moved(message="")

    def answer(self, n: int, yes: str) -> None:
        """Say whether a late order is done."""
        if self._serving is not None:
            serving = self._serving
            serving.later(lambda: serving.answer(n, is_yes=yes == "yes"))

    def begin(self) -> None:
        """Begin the game for which the table was seated."""
        rejected = None if self._seats is None else self._seats.start()
        if rejected is not None:
            self._notify(Notice("warning", Say("{why}", why=refusal_words(rejected))))

    def decline(self) -> None:
        """Others sit here than the director has seated."""
        n = 0 if self._seats is None else self._seats.decline()
        if n and self._serving is not None:
            serving = self._serving
            serving.later(lambda: serving.decline(n))

    def leave(self) -> None:
        """Leave the hall, and forget it."""
        self._stop("the table has left the hall")
        with suppress(OSError):
            forget(self.keys)
        self._seats = None
        self._set(HallState())

    # With the program

    def start(self) -> None:
        """Take the link up where this table is in a hall; nothing else happens where it is in none."""
        try:
            found = membership(self.keys)
        except HallFileError as fault:
            self._notify(
                Notice("warning", Say("The hall cannot be reached: {why}", why=fault.text), fault.hint)
            )
            return
        if found is None or self._serving is not None:
            return
        from companion.adapters.hall_seat import Seats
        from companion.adapters.hall_server import HallServing

        self._state = HallState(True, found.hall, found.table)
        self._seats = Seats(self.desk, self.keys, self._begin, self.moved)
        self._seats.show()
        try:
            serving = HallServing(self, found, self.socket_path())
        except (OSError, SessionError) as fault:
            why = fault.text if isinstance(fault, SessionError) else explain(fault)[0]
            self._notify(Notice("warning", Say("The hall cannot be reached: {why}", why=why)))
            return
        self._serve(serving, serving.take)
        if self.desk.change is not None:  # a game that was open before
            serving.take(self.desk.change)
        self._tell_listeners()

    def close(self) -> None:
        """The program ends; the table stays in its hall."""
        self._stop("the program ends")

    # From the serving thread

    def moved(self, **fields: Any) -> None:
        """Take what has changed of how the table stands in its hall."""
        self._set(replace(self._state, **fields))

    def seat(self, order: Order, answered: Callable[[Rejected | None], None]) -> None:
        """Prepare or begin a game as the director orders it, on the interface thread, and tell the refusal."""
        from companion.hall.orders import Seat, Start

        def do() -> None:
            rejected: Rejected | None = None
            if self._seats is not None and isinstance(order.what, Seat):
                rejected = self._seats.take(order.n, order.what)
                if rejected is None:
                    self._come()
            elif self._seats is not None and isinstance(order.what, Start):
                rejected = self._seats.start(order.what.round)
            answered(rejected)

        self._post(do)

    def branch_of(self, game: bytes) -> bytes:
        """Return the digest that the game at the table forks off from; empty where no hall knows of any."""
        serving = self._serving
        return b"" if serving is None else serving.branch_of(game)

    def is_begun(self, number: int) -> bool | None:
        """Say whether the game of a round's seat was begun here; None: there is no such seat."""
        return None if self._seats is None else self._seats.is_begun(number)

    def froze(self) -> None:
        """Tell the table that the link's process stood still."""
        text = Say("The link to the hall stood still. It was started again; play goes on.")
        self.tell(Notice("warning", text))

    def left(self) -> None:
        """The director has retired this table."""

        def off() -> None:
            self.leave()
            self._notify(Notice("info", Say("The director has taken this table out of the hall.")))

        self._post(off)


def new_password() -> str:
    """Return a password that only this box knows."""
    return secrets.token_urlsafe(32)

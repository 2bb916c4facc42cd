"""The port through which the director's page hears of the tables and wishes things of them; without a link it says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from companion.core.text import Say, Typed
from companion.hall.desk.web.view import Playable
from companion.hall.errors import HallError
from companion.hall.orders import Seat
from companion.hall.wall import Live

__all__ = ["Lives", "NoLink", "Sent"]


class Sent(NamedTuple):
    """An order and what has come of it."""

    n: int
    to: str
    text: Say
    asked: int
    """How many tables it is for."""
    done: int
    refused: tuple[Say, ...]
    open: tuple[str, ...]
    """Tables that have not answered."""


class Lives(Protocol):
    """What is heard of the tables."""

    def live(self) -> Mapping[str, Live]:
        """Return every table that was ever heard, by its id."""
        ...

    def log(self, table: str) -> tuple[str, ...]:
        """Return the newest lines of a table's log, newest first."""
        ...

    def order(self, to: str, fields: Mapping[str, str], sides: Sequence[str] = ()) -> Say:
        """Wish something of a table or of ``all``, as a form says it; return in a line what was sent. HallError: nothing was.

        `sides` are the names of the tournament's sides.
        """
        ...

    def seat(self, each: Sequence[tuple[str, Seat]]) -> Say:
        """Seat tables, all or none; return in a line what was sent. HallError: nothing was."""
        ...

    @property
    def games(self) -> Sequence[Playable]:
        """What tables can be seated for."""
        ...

    def sent(self, sides: Sequence[str] = ()) -> tuple[Sent, ...]:
        """Return the newest orders, newest first, with the names of the tournament's `sides`."""
        ...

    def cards(self) -> tuple[tuple[str, bytes, bool], ...]:
        """Return table and public key of every box that came with its card, and whether it is in; else it was shut out."""
        ...

    def asking(self) -> tuple[tuple[str, str], ...]:
        """Return table and fingerprint of every box that shows its card and waits to be let in."""
        ...

    @property
    def admit(self) -> Callable[[str], None]:
        """What lets the box of a table in that shows its card; HallError where it does not."""
        ...

    @property
    def why_not(self) -> Say | str:
        """Why tables are not heard; empty: they are."""
        ...


class NoLink:
    """A hall with a laptop and paper."""

    def __init__(self, why_not: Say | None = None) -> None:
        """Say why."""
        self.why_not = why_not or Say("Without a link to the tables: results come by code or by slip.")

    def live(self) -> Mapping[str, Live]:
        """Return nothing."""
        return {}

    def log(self, table: str) -> tuple[str, ...]:  # noqa: ARG002
        """Return nothing."""
        return ()

    def order(self, to: str, fields: Mapping[str, str], sides: Sequence[str] = ()) -> Say:  # noqa: ARG002
        """Say that nothing can be sent."""
        raise HallError(Say("no table is reached from here; go there"))

    games: Sequence[Playable] = ()

    def seat(self, each: Sequence[tuple[str, Seat]]) -> Say:  # noqa: ARG002
        """Say that nothing can be sent."""
        raise HallError(Say("no table is reached from here; go there"))

    def sent(self, sides: Sequence[str] = ()) -> tuple[Sent, ...]:  # noqa: ARG002
        """Return nothing."""
        return ()

    def cards(self) -> tuple[tuple[str, bytes, bool], ...]:
        """Return nothing."""
        return ()

    def asking(self) -> tuple[tuple[str, str], ...]:
        """Return nothing."""
        return ()

    def admit(self, table: str) -> None:
        """Say that nobody asks."""
        raise HallError(Say("the box of table {table} does not ask to be let in", table=Typed(table)))

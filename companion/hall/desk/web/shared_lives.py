"""Tables that report to other directors of a shared record, beside one's own: seen as they see them, asked for what they order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

import msgspec

from companion.core.text import Say
from companion.hall import orders as od
from companion.hall.desk.director import Director
from companion.hall.desk.sharing import Asked, Sharing
from companion.hall.desk.web.lives import is_late_soon, log_in, order_of, sent_in
from companion.hall.desk.web.port import Lives, Sent
from companion.hall.desk.web.view import Playable
from companion.hall.errors import HallError
from companion.hall.wall import SILENT_MS, Live

__all__ = ["SharedLives"]

_EACH_S, _END_S = 1.0, 5.0


class SharedLives:
    """The `Lives` of a director who shares a record. Used on his loop alone."""

    def __init__(
        self, own: Lives, sharing: Sharing, now_ms: Callable[[], int], director: Director | None = None
    ) -> None:
        """Add to one's `own` tables what the others tell; `director` gives the orders that they ask for, where tables report here."""
        self.own, self._sharing, self._now_ms, self._director = own, sharing, now_ms, director
        self._fault: Say | None = None

    async def run(self) -> None:
        """Share until cancelled; what cannot be shared now is shared later."""
        step: asyncio.Task[list[Asked]] | None = None
        try:
            while True:
                try:
                    work = asyncio.to_thread(self._sharing.step, self._now_ms, self.own.live())
                    step = asyncio.create_task(work)
                    self._give(await asyncio.shield(step))
                    self._fault = None
                except HallError as fault:
                    self._fault = fault.say
                await asyncio.sleep(_EACH_S)
        finally:
            if step is not None and not step.done():  # its thread still holds the files
                await asyncio.wait({step}, timeout=_END_S)
            self._sharing.close()

    def _give(self, asked: Sequence[Asked]) -> None:
        if self._director is not None:
            for one in asked:
                is_soon = any(is_late_soon(what) for _to, what in one.each)
                until = self._director.now_ms() + od.LATE_MS - one.age_ms if is_soon else None
                self._director.order_asked(one.id, one.each, until)

    @property
    def why_not(self) -> Say | str:
        """Why tables are not heard now; empty: they are."""
        if self._fault is not None:
            return self._fault
        others = self._sharing.others
        if not others or (self._director is not None and self.own.why_not):
            return self.own.why_not
        if all(one.age_ms > SILENT_MS for one in others.values()):
            return Say("The director whose tables report is not heard.")
        return "" if self._director is None else self.own.why_not

    def live(self) -> Mapping[str, Live]:
        """Return every table, one's own before another's of the same name."""
        found: dict[str, Live] = {}
        for one in self._sharing.others.values():
            found |= one.live
        return {**found, **self.own.live()}

    def _desk_of(self, table: str) -> str:
        """Return whose table it is: the name of another desk, or empty for one's own."""
        if table in self.own.live():
            return ""
        return next((desk for desk, one in self._sharing.others.items() if table in one.live), "")

    def log(self, table: str) -> tuple[str, ...]:
        """Return the newest lines of a table's log, newest first."""
        desk = self._desk_of(table)
        if not desk:
            return self.own.log(table)
        other = self._sharing.others[desk]
        state = other.live[table].state
        return log_in(other.logs, table, None if state is None else state.game)

    def cards(self) -> tuple[tuple[str, bytes, bool], ...]:
        """Return table and public key of every box that came with its card, at whichever desk, and whether it is in."""
        others = (card for one in self._sharing.others.values() for card in one.logs.cards())
        return (*self.own.cards(), *others)

    def asking(self) -> tuple[tuple[str, str], ...]:
        """Return the boxes that wait to be let in at one's own desk; at another's only he can compare."""
        return self.own.asking()

    def admit(self, table: str) -> None:
        """Let in a box that asks here."""
        self.own.admit(table)

    @property
    def games(self) -> Sequence[Playable]:
        """What tables can be seated for."""
        return self.own.games

    # Wishes

    def order(self, to: str, fields: Mapping[str, str], sides: Sequence[str] = ()) -> Say:
        """Wish something of a table or of ``all``: of one's own at once, of others by asking their desks."""
        what = order_of(fields)
        told = None
        if self._director is not None and (to == "all" or not self._desk_of(to)):
            told = self.own.order(to, fields, sides)
        desks = list(self._sharing.others) if to == "all" else [self._desk_of(to)]
        for desk in filter(None, desks):
            self._sharing.ask(desk, ((to, msgspec.json.encode(what)),))
            told = told or Say("The director whose tables report there is asked to order it.")
        if told is None:
            return self.own.order(to, fields, sides)
        return told

    def seat(self, each: Sequence[tuple[str, od.Seat]]) -> Say:
        """Seat tables, each by the desk to which it reports."""
        mine = [one for one in each if not self._desk_of(one[0])]
        told = self.own.seat(mine) if mine else None
        for desk in self._sharing.others:
            theirs = [(to, msgspec.json.encode(what)) for to, what in each if self._desk_of(to) == desk]
            if theirs:
                self._sharing.ask(desk, theirs)
                told = told or Say("The director whose tables report there is asked to order it.")
        if told is None:
            raise HallError(Say("no table is reached from here; go there"))
        return told

    def sent(self, sides: Sequence[str] = ()) -> tuple[Sent, ...]:
        """Return the newest orders of every desk, one's own first."""
        found = list(self.own.sent(sides))
        for one in self._sharing.others.values():
            found += sent_in(one.logs, one.live, sides, self.games)
        return tuple(found)

"""What is heard of the tables and wished of them, over the director's end of the link."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from companion.core.text import Say, Typed
from companion.hall import orders as od
from companion.hall.desk.director import Director
from companion.hall.desk.logs import Logs
from companion.hall.desk.web.port import Sent
from companion.hall.desk.web.view import Playable
from companion.hall.errors import HallError
from companion.hall.orders import legible
from companion.hall.typed import figure_in, whole_in
from companion.hall.wall import Live

__all__ = ["DirectorLives", "is_late_soon", "log_in", "order_of", "sent_in"]

_LINES, _SENT = 60, 8
_NO_TITLES: Mapping[tuple[str, str], str] = {}


class DirectorLives:
    """The `Lives` of a hall whose tables report by themselves. Used on the director's loop alone."""

    def __init__(
        self,
        director: Director,
        logs: Logs,
        admit: Callable[[str], None] = lambda _table: None,
        games: asyncio.Future[list[Playable]] | None = None,
    ) -> None:
        """Look through a director's eyes; `admit` lets a box in that shows its card, `games` can be seated once they are read."""
        self._director, self._logs, self.admit, self._games = director, logs, admit, games

    @property
    def director(self) -> Director:
        """The director's end of the link."""
        return self._director

    @property
    def why_not(self) -> Say | str:
        """Why no table is heard now; empty: they are."""
        return "" if self._director.is_linked else Say("The broker is not reached; tables keep all.")

    def on_result(self, take: Callable[[str, str], str]) -> None:
        """Hand every signed result that comes to `take`: the table and the text."""
        self._director.on_result = take
        for table, text in tuple(self._director.results.items()):
            take(table, text)

    def on_round(self, ask: Callable[[], tuple[int, int | None]]) -> None:
        """Have every table told which round is played and what is left of it, as `ask` says it."""
        self._director.round_now = ask

    def live(self) -> Mapping[str, Live]:
        """Return every table that was ever heard, by its id."""
        now = self._director.now_ms()
        found = {}
        for table, seen in self._director.seen.items():
            offset = seen.offset(now)
            ahead, doubt = (
                (None, 0) if offset is None or seen.state is None or seen.boot != seen.state.boot else offset
            )
            found[table] = Live(
                seen.state, seen.is_up, seen.heard_ms, seen.state_ms, ahead, doubt, tuple(seen.told)
            )
        return found

    def log(self, table: str) -> tuple[str, ...]:
        """Return the newest lines of a table's log, newest first."""
        seen = self._director.seen.get(table)
        game = seen.state.game if seen is not None and seen.state is not None else None
        return log_in(self._logs, table, game)

    def cards(self) -> tuple[tuple[str, bytes, bool], ...]:
        """Return table and public key of every box that came with its card, and whether it is in."""
        return self._logs.cards()

    def asking(self) -> tuple[tuple[str, str], ...]:
        """Return table and fingerprint of every box that shows its card and waits to be let in."""
        return tuple(
            (table, legible(one.key)) for table, one in self._logs.tables().items() if one.state == "asks"
        )

    # Wishes

    def order(self, to: str, fields: Mapping[str, str], sides: Sequence[str] = ()) -> Say:
        """Wish something of a table or of ``all``, as a form says it; return in a line what was sent."""
        what = order_of(fields)
        told = _kind(what, sides)
        until = self._director.now_ms() + od.LATE_MS if isinstance(what, _SOON) else None
        n = self._director.order(to, what, until)
        if to == "all":
            return Say("Order {n} is on its way: {what}, to every table.", n=n, what=told)
        return Say("Order {n} is on its way: {what}, to table {table}.", n=n, what=told, table=Typed(to))

    @property
    def games(self) -> Sequence[Playable]:
        """What tables can be seated for; nothing while that is still being read, or where it cannot be."""
        games = self._games
        return () if games is None or not games.done() or games.exception() else games.result()

    def seat(self, each: Sequence[tuple[str, od.Seat]]) -> Say:
        """Seat tables; return in a line what was sent."""
        self._director.order_each(each)
        return Say.counted(
            "Seats are on their way to {n} table; it begins with a tap there, or when you start the round.",
            "Seats are on their way to {n} tables; each begins with a tap there, or when you start the round.",
            len(each),
        )

    def sent(self, sides: Sequence[str] = ()) -> tuple[Sent, ...]:
        """Return the newest orders, newest first, with who has done them, who refused, and who has not answered.

        Seats that were ordered together are one.
        """
        return sent_in(self._logs, self._director.seen, sides, self.games)


def sent_in(
    logs: Logs, seen: Iterable[str], sides: Sequence[str] = (), games: Iterable[Playable] = ()
) -> tuple[Sent, ...]:
    """Return the newest orders of a desk, newest first, to which of the tables that it has `seen`; seats that went together are one.

    A side, and what is played, are told by their names where they are among the `sides` and the `games`, else by their ids.
    """
    answers = logs.answers()
    titles = {(one.game, one.scenario): one.title for one in games}
    together: dict[object, list[tuple[int, str, od.Any_]]] = {}
    for n, to, what, issued, _until in reversed(logs.orders()[-od.WINDOW // 2 :]):
        order = msgspec.json.decode(what, type=od.Any_)
        together.setdefault(("seat", issued) if isinstance(order, od.Seat) else n, []).append((n, to, order))
        if len(together) > _SENT:
            together.popitem()
            break
    found = []
    for orders in together.values():
        n, to, order = orders[-1]
        ids = {one for one, _to, _order in orders}
        told = {table: answer for (one, table), answer in answers.items() if one in ids}
        everybody = seen if to == "all" else {one for _n, one, _order in orders}
        asked, text = sorted(everybody, key=_as_number), _kind(order, sides, titles)
        to = to if len(orders) == 1 else "round"
        done = sum(answer[0] == "done" for answer in told.values())
        refused = tuple(
            Say("table {table} says: {why}", table=Typed(table), why=_why(*told[table][:2]))
            for table in sorted(told, key=_as_number)
            if told[table][0] != "done"
        )
        open_ = tuple(table for table in asked if table not in told)
        found.append(Sent(n, to, text, len(asked), done, refused, open_))
    return tuple(found)


def log_in(logs: Logs, table: str, game: str | None) -> tuple[str, ...]:
    """Return the newest lines of a table's game, newest first; of whichever is longest where none is named."""
    branches = [one for one in logs.branches(table) if game is None or one.game == game]
    if not branches:
        return ()
    lines = logs.course(max(branches, key=lambda one: one.seq))
    newest = list(enumerate(lines, 1))[-_LINES:]
    return tuple(_line(number, line) for number, line in reversed(newest))


def order_of(fields: Mapping[str, str]) -> od.Any_:
    """Return the order that a form says. HallError where it is none."""
    make = _MAKERS.get(fields.get("kind", ""))
    if make is None:
        raise HallError("there is no such order")
    return make(fields)


_SOON = (od.Pause, od.Resume)
"""Orders that come too late to be done without asking, once a minute has gone."""


def is_late_soon(what: bytes) -> bool:
    """Say whether an order, as it is stored, is one that must come soon."""
    return isinstance(msgspec.json.decode(what, type=od.Any_), _SOON)


def _as_number(table: str) -> tuple[int, str]:
    return whole_in(table) or 0, table


def _why(code: str, said: str) -> Say | Typed:
    """Return why a table has not done an order: what it says itself, or what its code stands for."""
    return Typed(said) if said else _WHYS.get(code) or Typed(code.replace("_", " "))


_WHYS: Mapping[str, Say] = {
    "declined": Say("the table declined it"),
    "late": Say("it came too late"),
    "no_game": Say("no game is open there"),
    "replay": Say("the order is too old to be done"),
    "unknown": Say("its program is older and does not know this order"),
}


def _kind(
    what: od.Any_, sides: Sequence[str] = (), titles: Mapping[tuple[str, str], str] = _NO_TITLES
) -> Say:
    def named(side: str) -> Typed:
        return Typed(next((one for one in sides if one.casefold() == side), side))

    match what:
        case od.Message(text):
            return Say("message: {text}", text=Typed(text))
        case od.AddTime(side, ms, _reason) if ms >= 0:
            return Say("add {n} s, {side}", n=ms // 1000, side=named(side))
        case od.AddTime(side, ms, _reason):
            return Say("take {n} s, {side}", n=-ms // 1000, side=named(side))
        case od.End(winner=str(winner)):
            return Say("end the game, won by {side}", side=named(winner))
        case od.End():
            return Say("end the game, a draw")
        case od.Seat(round=number, game=game, scenario=scenario):
            title = titles.get((game, scenario), scenario)
            return Say("seat round {n}: {scenario}", n=number, scenario=Typed(title))
        case _:
            tag = str(type(what).__struct_config__.tag)
            return _KINDS.get(tag) or Say("{what}", what=Typed(tag.replace("_", " ")))


_KINDS: Mapping[str, Say] = {
    "pause": Say("pause"),
    "resume": Say("resume"),
    "last_round": Say("last round"),
    "start": Say("start"),
    "adjourn": Say("adjourn"),
    "ask_log": Say("send the whole log again"),
    "retire": Say("leave the hall"),
}


def _add_time(fields: Mapping[str, str]) -> od.Any_:
    text, side = fields.get("seconds", "").strip(), fields.get("side", "").casefold()
    seconds = figure_in(text)
    if seconds is None or not side or not 0 < abs(seconds) <= 86_400:
        raise HallError(
            Say(
                "time: expected whole seconds such as 300 or -60 and a side, got {got}",
                got=Typed(repr(text[:20])),
            )
        )
    if not fields.get("reason", "").strip():
        raise HallError(Say("time is given or taken with a reason"))
    return od.AddTime(side[:120], seconds * 1000, fields["reason"][:120])


def _message(fields: Mapping[str, str]) -> od.Any_:
    text = " ".join(fields.get("text", "").split())
    if not text:
        raise HallError(Say("a message has words"))
    return od.Message(text[:500])


def _start(fields: Mapping[str, str]) -> od.Any_:
    number = whole_in(fields.get("round", ""))
    if not number:
        raise HallError("start: expected the round")
    return od.Start(number)


def _end(fields: Mapping[str, str]) -> od.Any_:
    winner, reason = fields.get("side", "").casefold(), fields.get("reason", "").strip()
    if not winner or not reason:
        raise HallError(Say("a game is ended with who has won it, or a draw, and a reason"))
    return od.End(None if winner == "draw" else winner[:120], reason[:120])


_MAKERS: Mapping[str, Callable[[Mapping[str, str]], od.Any_]] = {
    "end": _end,
    "pause": lambda fields: od.Pause(fields.get("reason", "")[:120]),
    "resume": lambda _fields: od.Resume(),
    "last_round": lambda fields: od.LastRound(fields.get("reason", "")[:120]),
    "message": _message,
    "start": _start,
    "add_time": _add_time,
    "adjourn": lambda _fields: od.Adjourn(),
    "ask_log": lambda _fields: od.AskLog(),
    "retire": lambda _fields: od.Retire(),
}


def _line(number: int, line: bytes) -> str:
    """Return an entry as a line for a director: its number, who, and what, in the words of the file."""
    try:
        entry = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return f"{number}  cannot be read"
    words = "".join(
        f" {sign.lower()}" if sign.isupper() else sign for sign in str(entry.get("command", ""))
    ).strip()
    return f"{number}  {entry.get('actor', '')}: {words}"

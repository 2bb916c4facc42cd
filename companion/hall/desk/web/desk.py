"""What the director's page works on: the record, what is heard of the tables, and what a form asks for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from companion.core.text import Say, Typed
from companion.hall import happenings as hp
from companion.hall import outcome as oc
from companion.hall import record as re
from companion.hall.desk.web.port import Lives
from companion.hall.desk.web.view import View
from companion.hall.errors import HallError
from companion.hall.intake import carded, doubt_of, reported, taken, told
from companion.hall.orders import Seat
from companion.hall.pairing import exchanged, next_round
from companion.hall.record import code_of
from companion.hall.result import hall_mark, read_result
from companion.hall.store import Store
from companion.hall.typed import figure_in, line_in, reason_in, shown_in, whole_in

__all__ = ["Desk"]


class Desk:
    """One tournament. Each act reads the record anew, so that another command's entry is never written over."""

    def __init__(
        self, folder: Path, lives: Lives, *, now_ms: Callable[[], int], wall: Callable[[], datetime]
    ) -> None:
        """Read the record. RecordError where it cannot be."""
        self.folder, self.lives, self.now_ms, self._wall = folder, lives, now_ms, wall
        self._store = Store(folder)
        self._stamp = self._store.stamp()
        self._zero: tuple[str, int | None] = ("", None)
        self._doing = asyncio.Lock()
        self.fault: Say | None = None
        """Why the record cannot be read any more; what was read last is still shown."""

    def reread(self) -> bool:
        """Take what another command or director has written; return whether anything is new."""
        try:
            stamp = self._store.stamp()
            if stamp == self._stamp and self.fault is None:
                return False
            self._store, self.fault = self._store.again(), None
        except (HallError, OSError) as fault:
            why = fault.say if isinstance(fault, HallError) else Say("{why}", why=Typed(str(fault)))
            is_new, self.fault = self.fault != why, why
            return is_new
        self._stamp = stamp
        return True

    def close(self) -> None:
        """Let a shared record go."""
        self._store.close()

    @property
    def now(self) -> re.Tournament:
        """The tournament as it stands."""
        return self._store.tournament

    def view(self) -> View:
        """Return all that pages are made of."""
        link = self.fault or self.lives.why_not
        return View(self.now, self.lives.live(), self.now_ms(), self._zero_ms(), link)

    def round_now(self) -> tuple[int, int | None]:
        """Return the newest round, 0 for none, and what is left of it; None where no round clock runs."""
        zero = self._zero_ms()
        return len(self.now.rounds), None if zero is None else zero - self.now_ms()

    def _zero_ms(self) -> int | None:
        """Return when the round is over by the director's clock, the same for as long as the round runs."""
        now = self.now
        at = now.started.get(len(now.rounds), "") if now.rules.minutes else ""
        key = f"{at} {now.rules.minutes}"
        if key != self._zero[0]:
            zero = None
            if at:
                gone_s = (self._wall() - datetime.fromisoformat(at)).total_seconds()
                zero = self.now_ms() + round((now.rules.minutes * 60 - gone_s) * 1000)
            self._zero = (key, zero)
        return self._zero[1]

    def _at(self) -> str:
        return self._wall().isoformat(timespec="seconds")

    def _add(self, *what: hp.Happening) -> None:
        self.reread()
        if self.fault is not None:
            raise HallError(self.fault)
        try:
            self._store.add(what, self._at())
        except OSError as fault:
            raise HallError(
                Say(
                    "{file}: {why}; nothing was changed: make room and do it again",
                    file=Typed(self._store.path.name),
                    why=Typed(str(fault.strerror)),
                )
            ) from None
        else:
            self._stamp = self._store.stamp()

    async def do(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Do what a form asks, as `act`, one after another; nobody else waits while a round is being paired."""
        async with self._doing:
            if fields.get("act") != "pair":  # the link and its file live on this loop
                return self.act(fields)
            return await asyncio.to_thread(self.act, fields)

    def act(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Do what a form asks; return what came of it in a line, and the page that shows it. HallError where it cannot be."""
        self.reread()
        work = _ACTS.get(fields.get("act", ""))
        if work is None:
            raise HallError("there is no such act")
        return work(self, {name: shown_in(text) for name, text in fields.items()})

    # What forms ask for

    def pair(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Pair the next round."""
        system = fields.get("system", "swiss")
        if system not in ("swiss", "robin", "knockout"):
            raise HallError(f"system: expected swiss, robin or knockout, got {system!r}")
        paired = next_round(self.now, system)  # type: ignore[arg-type]
        self._add(paired)
        return Say.counted(
            "Round {round} is paired: {n} table.",
            "Round {round} is paired: {n} tables.",
            len(paired.tables),
            round=paired.round,
        ), "/round"

    def start(self, _fields: Mapping[str, str]) -> tuple[Say, str]:
        """Start the round's clock."""
        number = len(self.now.rounds)
        self._add(hp.RoundStarted(number, self._at()))
        return Say("Round {n} runs.", n=number), "/round"

    def cancel(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Take the newest round back."""
        number = len(self.now.rounds)
        self._add(hp.RoundCancelled(number, reason_in(fields.get("reason", ""))))
        return Say("Round {n} was taken back.", n=number), "/round"

    def swap(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Exchange two players of the newest round."""
        one, other = (_number(fields, name) for name in ("one", "other"))
        again = exchanged(self.now, one, other)
        self._add(hp.RoundCancelled(again.round, reason_in(fields.get("reason", ""))), again)
        names = (Typed(self.now.players[player].name) for player in (one, other))
        return Say(
            "{one} and {other} were exchanged.", **dict(zip(("one", "other"), names, strict=True))
        ), "/round"

    def announce(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Tell the hall."""
        self._add(hp.Announced(fields.get("text", "")))
        return (
            Say("The hall sees it.") if self.now.announcement else Say("The announcement is gone.")
        ), "/round"

    def enter(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Enter a player."""
        name = " ".join(fields.get("name", "").split())
        player = hp.Player(
            max(self.now.players, default=0) + 1, name, line_in(Say("Club"), fields.get("club", ""))
        )
        self._add(hp.Entered(player))
        return Say("{name} is player {n}.", name=Typed(name), n=player.id), "/players"

    def withdraw(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Pair a player no more."""
        player = _number(fields, "player")
        self._add(hp.Withdrawn(player))
        return Say("{player} has withdrawn.", player=self._name(player)), "/players"

    def bring_back(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Pair a player again."""
        player = _number(fields, "player")
        self._add(hp.Returned(player))
        return Say("{player} is back.", player=self._name(player)), "/players"

    def paper(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Enter a slip that two people have read."""
        number, table = self._table(fields)
        what = reported(
            self.now, number, table, _result(fields), (fields.get("eye1", ""), fields.get("eye2", ""))
        )
        return self._report(what), f"/t/{table}"

    def take(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Take a result that a table has signed."""
        fresh = carded(self.now, self.lives.cards())
        if fresh:
            self._add(*fresh)
        what = taken(self.now, read_result(fields.get("text", "").strip().upper()), "code")
        return self._report(what), f"/t/{what.table}"

    def take_by_link(self, table: str, text: str) -> str:
        """Take a result that a table has sent; return what is to be told of it, empty where it was known already."""
        try:
            self.reread()
            fresh = carded(self.now, self.lives.cards())
            if fresh:
                self._add(*fresh)
            what = taken(self.now, read_result(text), "link")
            if str(what.table) != table:
                raise HallError(f"table {table} sends a result of table {what.table}; thrown away")
            before = self.now
            if re.happen(before, what) is before:
                return ""
            return str(self._report(what))
        except HallError as fault:
            return f"table {table}, result: {fault}"

    def _name(self, player: int) -> Typed:
        return Typed(self.now.players[player].name)

    def _report(self, what: hp.Reported) -> Say:
        before = self.now
        after = re.happen(before, what)
        if after is not before:
            self._add(what)
        done = Say("Table {table}: {what}.", table=what.table, what=told(before, after, what))
        return self._doubted(what.round, what.table, what.report.result, done)

    def _doubted(self, number: int, table: int, result: oc.Result, done: Say) -> Say:
        doubt = doubt_of(re.pairing_at(self.now, number, table), result)
        return done if doubt is None else Say("{done} {doubt}", done=done, doubt=doubt)

    def decide(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Decide a result, whatever was reported."""
        number, table = self._table(fields)
        result, why = _result(fields), reason_in(fields.get("reason", ""))
        self._add(hp.ResultCorrected(number, table, result, why))
        return self._doubted(
            number, table, result, Say("Table {table}: decided.", table=table)
        ), f"/t/{table}"

    def box(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Say which box signs for a table."""
        signs = "".join(sign for sign in fields.get("box", "").upper() if sign.isalnum())
        if len(signs) != 16:
            raise HallError(
                Say(
                    "expected the fingerprint that the box shows, such as {one}",
                    one=Typed("K7QF-2MHD-X4PR-9TBC"),
                )
            )
        table = _number(fields, "table")
        self._add(hp.BoxKnown(table, "-".join(signs[at : at + 4] for at in range(0, 16, 4))))
        return Say("This box signs for table {table}.", table=table), f"/t/{table}"

    def order(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Wish something of a table, or of all."""
        to = fields.get("to", "")
        if to != "all" and not to.isalnum():
            raise HallError(f"to: expected a table or all, got {to[:20]!r}")
        if to == "all" and fields.get("kind") in _OF_ONE:
            raise HallError(f"to: expected one table, got {to!r}")
        return self.lives.order(to, fields, self.now.rules.sides), "/round" if to == "all" else f"/t/{to}"

    def seat(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Seat every table of the newest round that has no result yet."""
        number = _number(fields, "round")
        if number != len(self.now.rounds):
            raise HallError(
                Say(
                    "this form is of round {round}, and round {now} is played now",
                    round=number,
                    now=len(self.now.rounds),
                )
            )
        game = next((g for g in self.lives.games if f"{g.game}/{g.scenario}" == fields.get("game")), None)
        control, minutes = fields.get("control", ""), fields.get("minutes", "").strip()
        if game is None:
            raise HallError(f"game: expected one of those shown, got {fields.get('game', '')[:40]!r}")
        if control and control not in dict(game.controls):
            raise HallError(
                Say(
                    "{game} cannot be played with the time control {control}",
                    game=Typed(game.title),
                    control=Typed(repr(control[:40])),
                )
            )
        each_min = (whole_in(minutes) or 0) if minutes else 0
        if minutes and not 0 < each_min <= 600:
            raise HallError(Say("minutes: expected 1 to 600, got {got}", got=Typed(repr(minutes[:20]))))
        found, mark = self.now.rounds[-1], hall_mark(self.now.id)
        sides = [side.casefold() for side in self.now.rules.sides]
        each = []
        for pairing in found.tables:
            if pairing.second is not None and pairing.table in found.missing:
                players = (self.now.players[pairing.first], self.now.players[pairing.second])
                names = {side: one.name for side, one in zip(sides, players, strict=True)}
                code = f"{mark}.{code_of(self.now, number, pairing)}"
                seat = Seat(
                    number, game.game, game.scenario, names, minutes=each_min, control=control, code=code
                )
                each.append((str(pairing.table), seat))
        return self.lives.seat(each), "/round"

    def let_in(self, fields: Mapping[str, str]) -> tuple[Say, str]:
        """Let a box in whose fingerprint was compared."""
        table = fields.get("table", "")
        if (table, fields.get("box", "")) not in self.lives.asking():
            raise HallError(
                Say(
                    "the box of table {table} does not ask to be let in any more, or is another one; look again",
                    table=Typed(repr(table[:12])),
                )
            )
        self.lives.admit(table)
        return Say("The box of table {table} is let in.", table=Typed(table)), "/round"

    def _table(self, fields: Mapping[str, str]) -> tuple[int, int]:
        number, table = _number(fields, "round"), _number(fields, "table")
        if number != len(self.now.rounds):
            raise HallError(
                Say(
                    "this form is of round {round}, and round {now} is played now; open the table again",
                    round=number,
                    now=len(self.now.rounds),
                )
            )
        return number, re.pairing_at(self.now, number, table).table


def _number(fields: Mapping[str, str], name: str) -> int:
    found = whole_in(fields.get(name, ""))
    if found is None:
        raise HallError(
            Say(
                "{field}: expected a number, got {got}",
                field=Typed(name),
                got=Typed(repr(fields.get(name, "")[:20])),
            )
        )
    return found


def _result(fields: Mapping[str, str]) -> oc.Result:
    """Return the result that a form says. HallError names what cannot be read."""
    winner, how = fields.get("winner", ""), fields.get("how", "played")
    if how not in ("played", "conceded", "forfeit"):
        raise HallError(f"how: expected played, conceded or forfeit, got {how[:20]!r}")
    points = [fields.get(name, "").strip() for name in ("vp1", "vp2")]
    vp = None
    if any(points):
        one, other = (figure_in(text) for text in points)
        if one is None or other is None:
            raise HallError(
                Say(
                    "VP: expected a whole number for both sides or none, got {one} and {other}",
                    one=Typed(repr(points[0][:20])),
                    other=Typed(repr(points[1][:20])),
                )
            )
        vp = (one, other)
    if winner == "nobody":
        return oc.Result(None, "double_forfeit")
    return oc.Result(None if winner == "draw" else _number(fields, "winner"), how, vp)  # type: ignore[arg-type]


_OF_ONE = ("add_time", "adjourn", "end", "ask_log", "retire")
"""Orders that pages offer for one table alone; one for every table would be no slip that can be taken back."""
_ACTS: Mapping[str, Callable[[Desk, Mapping[str, str]], tuple[Say, str]]] = {
    "pair": Desk.pair,
    "start": Desk.start,
    "cancel": Desk.cancel,
    "swap": Desk.swap,
    "announce": Desk.announce,
    "enter": Desk.enter,
    "withdraw": Desk.withdraw,
    "return": Desk.bring_back,
    "paper": Desk.paper,
    "take": Desk.take,
    "decide": Desk.decide,
    "box": Desk.box,
    "order": Desk.order,
    "admit": Desk.let_in,
    "seat": Desk.seat,
}

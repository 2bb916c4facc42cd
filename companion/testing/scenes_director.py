"""Scenes of the director's window: a hall of sixty-four tables in the second of four rounds, in memory.

They stand apart from the scenes of a table, whose window has none of this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.core.text import Say, Typed
from companion.director.look import DirectorDraft, Look
from companion.director.pages import entry_of
from companion.hall import happenings as hp
from companion.hall.desk.web.port import Sent
from companion.hall.desk.web.view import Playable, View
from companion.hall.messages import State
from companion.hall.outcome import Report, Result
from companion.hall.record import Tournament, fold, happen
from companion.hall.wall import Live
from companion.pages.desk import Silent
from companion.pages.page import Refuse, Tell
from companion.testing import harness
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.ui import registry

__all__ = ["DRAFTS", "SceneDirector", "cup", "lay_director", "look_of"]

NOW_MS = 10_000_000
_HASH = "0" * 64
_FIRST = ("Anna", "Ben", "Clara", "David", "Emil", "Fanny", "Georg", "Hanna", "Ivo", "Julia", "Karl", "Lena")
_LAST = ("Berg", "Conti", "de Vries", "Eriksson", "Fischer", "García-López", "Hofmann", "Ivanova", "Janssen")


def cup(tables: int, rounds: int = 2) -> Tournament:
    """Return a tournament in which the last round is played, the others are over."""
    players = [
        hp.Player(
            n, f"{_FIRST[n % len(_FIRST)]} {_LAST[n * 7 % len(_LAST)]} {n}", ("Lions", "", "Tigers")[n % 3]
        )
        for n in range(1, 2 * tables + 1)
    ]
    now = fold(
        [
            hp.TournamentBegun("a" * 32, "Autumn Cup", hp.Rules(minutes=270), "2026"),
            *(hp.Entered(one) for one in players),
        ]
    )
    for number in range(1, rounds + 1):
        seats = [players[(n * (2 * number - 1)) % len(players)].id for n in range(len(players))]
        order = seats if len(set(seats)) == len(players) else [one.id for one in players]
        pairs = tuple(hp.Pairing(n, order[2 * n - 2], order[2 * n - 1]) for n in range(1, tables + 1))
        now = happen(now, hp.Paired(number, "swiss", pairs))
        now = happen(now, hp.RoundStarted(number, "2026-05-02T10:00:00+02:00"))
        if number < rounds:
            for one in pairs:
                won = Result(one.first if one.table % 3 else one.second, "played", (12, one.table % 11))
                now = happen(now, hp.ResultTaken(number, one.table, won))
    if not rounds:
        return now
    last = now.rounds[-1]
    if tables > 1:
        two = last.tables[1]
        for winner, eyes in ((two.first, ("Ida", "Kim")), (two.second, ("Jo", "Lu"))):
            report = Report("paper", Result(winner, "played", (14, 9)), eyes=eyes)
            now = happen(now, hp.Reported(last.number, 2, report))
    for table in range(6, tables + 1, 5):
        pair = last.tables[table - 1]
        now = happen(now, hp.ResultTaken(last.number, table, Result(pair.first, "played", (11, 7))))
    return now


def _live(table: int) -> Live:
    """Return what is heard of a table; some of them want the director."""
    wants = {4: "rule", 9: "dice"}.get(table, "")
    left = {7: 200_000, 13: 45_000}.get(table, 3_600_000 - table * 41_000)
    state = State(
        game="aa", branch=_HASH, seq=40 + table, digest=_HASH, boot="b", now=500_000, round=2,
        kind="sfw96", scenario="italy", title="Italy", stage=1 + table % 4,
        phase="Tactical", act="Combat" if table % 2 else "Movement",
        limit={"axis": left, "allies": 4_000_000}, spent={"allies": 900_000},
        run=("axis", "allies")[table % 2], since=500_000, wants=wants, wants_at=440_000 + table,
        vp={"axis": 8 + table % 5, "allies": 6 + table % 7}, flag=("axis",) if table == 5 else (),
        gap=table == 10,
    )  # fmt: skip
    heard = NOW_MS - 95_000 if table in (8, 21) else NOW_MS - 1_000
    return Live(
        state,
        table != 8,
        heard,
        heard,
        None,
        0,
        ("table 3, log: seq: expected at most 100000",) if table == 3 else (),
    )


_PAUSED = Say("table {table} says: {why}", table=Typed("12"), why=Say("The game is already paused."))
_SENT = (
    Sent(7, "all", Say("pause"), 64, 61, (_PAUSED,), ("8", "21")),
    Sent(6, "4", Say("message: {text}", text=Say("Lunch at one")), 1, 1, (), ()),
    Sent(5, "round", Say("seat round {n}: {scenario}", n=2, scenario=Say("Italy")), 64, 64, (), ()),
)
_LOG = tuple(
    f"{n}  {('allies', 'axis')[n % 2]}: {('end act', 'begin battle', 'record roll')[n % 3]}"
    for n in range(60, 0, -1)
)


def look_of(now: Tournament, *, has_link: bool = True, table: int = 0) -> Look:
    """Return what a window shows of a tournament."""
    numbers = [one.table for one in now.rounds[-1].tables] if now.rounds else []
    live = {str(n): _live(n) for n in numbers} if has_link else {}
    view = View(now, live, NOW_MS, NOW_MS + 72 * 60_000 if now.rounds else None)
    games = (Playable("sfw96", "italy", "Song for War: Italy", (("wbc", "WBC"),)),) if has_link else ()
    asking = (("17", "K7QF-2MHD-X4PR-9TBC"),) if has_link else ()
    return Look(view, 1_000_000, _SENT if has_link else (), asking, games, table, _LOG if table else ())


class SceneDirector(Silent):
    """A director whose desk keeps what is asked of it."""

    def __init__(self, make: Callable[[int], Look]) -> None:
        """Show what `make` returns for the table that is looked at."""
        self._make, self._table = make, 0
        self.asked: list[Mapping[str, str]] = []

    @property
    def look(self) -> Look:
        """What there is to show."""
        return self._make(self._table)

    def turn_to(self, table: int) -> None:
        """Show the log of a table."""
        self._table = table

    def act(self, fields: Mapping[str, str]) -> Tell | Refuse:
        """Keep what is asked."""
        self.asked.append(dict(fields))
        return Tell(Say("Round {n} runs.", n=2))


DRAFTS = {
    "wall": DirectorDraft(),
    "table": DirectorDraft(table=4),
    "dispute": DirectorDraft(table=2),
    "round": DirectorDraft("round"),
    "orders": DirectorDraft("orders"),
    "standings": DirectorDraft("standings"),
    "sums": DirectorDraft("standings", player=3),
    "players": DirectorDraft("players"),
}
"""Every page of the window."""


def lay_director(
    page: str, tables: int = 64, *, has_link: bool = True, **look: object
) -> tuple[Laid, SceneDirector]:
    """Lay a page of the director's window; `look` as for `harness.lay`."""
    now = cup(tables)
    director = SceneDirector(lambda table: look_of(now, has_link=has_link, table=table))
    director.turn_to(DRAFTS[page].table)
    registry.offer(entry_of(director))
    laid = harness.lay(MemoryDesk(), screen="director", draft=DRAFTS[page], **look)  # type: ignore[arg-type]
    return laid, director


def main() -> None:
    """Make a picture of each page: ``python -m companion.testing.scenes_director FOLDER [LANGUAGE ...]``."""
    import sys
    from pathlib import Path

    folder, *languages = sys.argv[1:]
    for language in languages or ["en"]:
        for size in harness.SIZES:
            for page in DRAFTS:
                laid, _director = lay_director(page, size=size, language=language)
                laid.save(Path(folder) / f"director-{page}-{size[0]}x{size[1]}-{language}.png")
                for fault in laid.faults():
                    print(f"{page} {size} {language}: {fault.kind}: {fault.what!r}: {fault.detail}")


if __name__ == "__main__":
    main()

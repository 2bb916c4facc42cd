"""``companion hall``: a tournament at many tables with a laptop and paper.

Exit codes: 0 done, 1 it could not be done and one line says why, 2 the call itself was wrong, 3 done with what could be read of a
damaged record or game.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path

from companion.hall import happenings as hp
from companion.hall import record as re
from companion.hall.errors import HallError
from companion.hall.pairing import exchanged, next_round, reasons
from companion.hall.paper import page
from companion.hall.shared import SHARED
from companion.hall.standings import points_text, standings
from companion.hall.store import FILE, Store, repaired
from companion.hall.typed import reason_in
from companion.hall_link_command import SLOW, add_commands, check_logs, whole
from companion.hall_players import (
    add_player,
    begin,
    forbid,
    import_players,
    join,
    set_rules,
    take_back,
    withdraw,
)
from companion.hall_results import PARTLY, adjudicate, correct, enter
from companion.hall_run import run
from companion.hall_take import box, counted, now_text, take
from companion.progress import working
from companion.start_checks import window_size

__all__ = ["main"]


def main(argv: Sequence[str]) -> int:
    """Run one command of a director."""
    args = _parser().parse_args(argv)
    try:
        work: Callable[[argparse.Namespace], int] = args.work
        # What a command has opened ends with it.
        with ExitStack() as args.opened, working("companion hall") if work in _SLOW else nullcontext():
            return work(args)
    except HallError as fault:
        print(f"companion hall: {fault}", file=sys.stderr)
    except OSError as fault:
        print(
            f"companion hall: {fault.filename or ''}: {fault.strerror}; nothing was changed", file=sys.stderr
        )
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="companion hall",
        description="Run a tournament with a laptop and paper; FOLDER keeps its record.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, work: Callable[[argparse.Namespace], int], help_: str) -> argparse.ArgumentParser:
        found = commands.add_parser(name, help=help_, description=help_)
        found.add_argument("folder", type=Path, metavar="FOLDER")
        found.set_defaults(work=work)
        return found

    new = command("new", begin, "begin a tournament")
    new.add_argument("--name", required=True)
    _add_rules(new)
    new.add_argument("--seed", help="what lots are drawn from; made up when not given, always shown")
    shared = (
        "a PostgreSQL database that several directors share, as libpq reads it: host=IP dbname=cup user=hall"
    )
    new.add_argument("--postgres", default="", metavar="WHERE", help=shared)
    join_ = command("join", join, "make a folder for one more director of a record that is shared")
    join_.add_argument("--postgres", required=True, metavar="WHERE", help=shared)
    join_.add_argument("--tournament", metavar="ID", help="which one, where the database holds several")
    rules = command("rules", set_rules, "change the rules; after round 1 with a reason")
    _add_rules(rules)
    rules.add_argument("--reason", default="")
    add = command("add", add_player, "enter a player")
    add.add_argument("name")
    add.add_argument("--club", default="")
    add.add_argument("--country", default="")
    add.add_argument("--rating", type=whole, default=0)
    read = command(
        "import", import_players, "enter players from a CSV file: name, and club, country, rating where known"
    )
    read.add_argument("file", type=Path)
    command("withdraw", withdraw, "a player is not paired any more").add_argument("player")
    command("return", take_back, "a player who had withdrawn is paired again").add_argument("player")
    never = command("forbid", forbid, "two players must not meet")
    never.add_argument("one")
    never.add_argument("other")
    never.add_argument("--allow", action="store_true", help="they may meet again")
    pair = command("pair", _pair, "pair the next round")
    pair.add_argument("--system", choices=("swiss", "robin", "knockout"), default="swiss")
    pair.add_argument("--dry-run", action="store_true", help="show it and change nothing")
    pair.add_argument("--json", action="store_true")
    cancel = command("cancel", _cancel, "take the newest round back before its first result")
    cancel.add_argument("--reason", required=True)
    swap = command("swap", _swap, "exchange two players of the newest round before its first result")
    swap.add_argument("one")
    swap.add_argument("other")
    swap.add_argument("--reason", required=True)
    cut = command("cut", _cut, "only the best go on, in brackets")
    cut.add_argument("count", type=whole)
    for name, work, text in (
        ("result", enter, "enter a result by the code of its slip, or by table of the newest round"),
        ("correct", correct, "correct a result"),
    ):
        one = command(name, work, text)
        one.add_argument("table", help="the slip's code (2-14-K7QF) or a table number")
        one.add_argument("winner", help="a player's name or number, draw, or nobody where neither came")
        one.add_argument("--vp", help="victory points in the order of the sides, such as 12:8")
        one.add_argument("--left", help="minutes and seconds left on the clocks, such as 4:30,0:00")
        one.add_argument("--forfeit", action="store_true", help="the other player did not come")
        one.add_argument("--conceded", action="store_true")
        one.add_argument("--reason", default="", required=name == "correct")
        if name == "result":
            one.add_argument(
                "--paper",
                nargs="*",
                metavar="NAME",
                help="a slip that two people have read; their names, asked for when not given",
            )
    take_ = command(
        "take", take, "take a result that a table has signed: its text, a file, or a photo of its code"
    )
    take_.add_argument("what", metavar="TEXT|FILE|PHOTO")
    box_ = command(
        "box", box, "say whose signature counts for a table, by the fingerprint that its box shows"
    )
    box_.add_argument("table", type=whole, nargs="?")
    box_.add_argument("box", nargs="?", default="", metavar="FINGERPRINT")
    box_.add_argument("--retire", action="store_true", help="nothing that this box signs counts any more")
    judge = command("adjudicate", adjudicate, "judge a game that time has ended, by the table's own figures")
    judge.add_argument("table", help="the slip's code or a table number")
    judge.add_argument("--game", type=Path, help="the table's saved game, or what companion export wrote")
    judge.add_argument("--now", action="store_true", help="as it stands, not as of the last whole stage")
    judge.add_argument("--winner", help="the director's decision: a player or draw")
    judge.add_argument("--take", action="store_true", help="decide as the figures say")
    judge.add_argument("--reason", default="")
    for name, work, text in (
        ("standings", _standings, "print the standings"),
        ("show", _show, "print players, rounds and what is missing"),
        ("log", _log, "print every entry of the record"),
    ):
        one = command(name, work, text)
        if name != "log":
            one.add_argument("--round", type=whole)
        if name != "show":
            one.add_argument("--json", action="store_true")
    paper = command("paper", _paper, "write pairings, slips, standings and place cards as one page to print")
    paper.add_argument("--round", type=whole)
    paper.add_argument("--out", type=Path, help="folder of the page (the tournament's own)")
    run_ = command("run", run, "show the director's page and the hall's display in a browser")
    run_.add_argument(
        "--address",
        default="127.0.0.1",
        help="an address of this machine in the hall's network (127.0.0.1: this machine alone)",
    )
    run_.add_argument("--port", type=whole, default=8800)
    run_.add_argument(
        "--tables",
        metavar="IP[:PORT]",
        help="where tables call that report by themselves (8883); said once, it stays",
    )
    run_.add_argument(
        "--each-address",
        type=whole,
        metavar="N",
        help="so many connections of one address at a broker of its own (8); said once, it stays",
    )
    run_.add_argument(
        "--broker",
        metavar="HOST:PORT",
        help="the venue's broker, which tables call instead of one of its own; said once, it stays until --tables",
    )
    run_.add_argument("--ca", type=Path, metavar="FILE", help="of --broker: its authority's certificate")
    run_.add_argument(
        "--user", metavar="NAME", help="of --broker: the user that director and tables share there"
    )
    run_.add_argument(
        "--password-file", type=Path, metavar="FILE", help="of --broker: its password, one line"
    )
    run_.add_argument("--headless", action="store_true", help="open no browser here")
    run_.add_argument(
        "--window", action="store_true", help="show the director's pages in a window, such as on a box"
    )
    run_.add_argument(
        "--size", type=window_size, default=(1280, 720), metavar="WxH", help="of --window: its size in pixels"
    )
    run_.add_argument("--fullscreen", action="store_true", help="of --window: fill the screen")
    run_.add_argument(
        "--touch", action="store_true", help="of --window: take the touch panel as the only input"
    )
    run_.add_argument(
        "--rotation", type=int, choices=(0, 90, 180, 270), default=0, help="of --window: turn the picture"
    )
    check = command("check", _check, "hold the record against its chain, its copy and the tables' own files")
    check.add_argument("--games", type=Path, metavar="DIR", help="saved games of the tables, in any folders")
    check.add_argument(
        "--out", type=Path, metavar="DIR", help="write what the hall has of each table as portable games"
    )
    check.add_argument("--json", action="store_true")
    command("repair", _repair, "make a whole record of what is left of a damaged one")
    add_commands(commands)
    return parser


def _add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sides", help="the two sides, such as Axis,Allies")
    parser.add_argument("--rounds", type=whole, help="planned rounds")
    parser.add_argument("--minutes", type=whole, help="minutes of a round")
    parser.add_argument("--order", choices=("fold", "slide", "random"), help="who meets whom among equals")
    parser.add_argument("--tie-breaks", help=f"in their order, of {','.join(hp.TIE_BREAKS)}")
    parser.add_argument("--points", help="win,draw,loss,bye,forfeit won,forfeit lost, such as 1,0.5,0,1,1,0")
    parser.add_argument(
        "--by-difference", help="points by VP difference: 1=11:9,5=15:5,10=20:0 (the winner's first)"
    )


def _pair(args: argparse.Namespace) -> int:
    store = Store(args.folder)
    now = store.tournament
    paired = next_round(now, args.system)
    told = {reason.table: str(reason.text) for reason in reasons(now, paired)}
    if not args.dry_run:
        store.add([paired], now_text())
    if args.json:
        tables = [
            {
                "table": p.table,
                "code": re.code_of(now, paired.round, p),
                "first": now.players[p.first].name,
                "second": None if p.second is None else now.players[p.second].name,
                "why": told[p.table],
            }
            for p in paired.tables
        ]
        print(
            json.dumps(
                {"round": paired.round, "system": paired.system, "sides": now.rules.sides, "tables": tables}
            )
        )
        return 0
    print(f"Round {paired.round} ({paired.system}), seed {now.seed}")
    print("\n".join(_seats(now, paired, told)))
    if not args.dry_run:
        print(f"next: companion hall paper {args.folder}")
    return 0


def _cancel(args: argparse.Namespace) -> int:
    why = reason_in(args.reason)
    store = Store(args.folder)
    number = len(store.tournament.rounds)
    store.add([hp.RoundCancelled(number, why)], now_text())
    print(f"round {number} was taken back; companion hall pair {args.folder} pairs it again")
    return 0


def _swap(args: argparse.Namespace) -> int:
    """Exchange two players' seats; the round as it was paired stays in the record."""
    why = reason_in(args.reason)
    store = Store(args.folder)
    now = store.tournament
    one, other = (re.player_named(now, name).id for name in (args.one, args.other))
    again = exchanged(now, one, other)
    store.add([hp.RoundCancelled(again.round, why), again], now_text())
    print("\n".join(_seats(now, again)))
    return 0


def _seats(now: re.Tournament, paired: hp.Paired, why: Mapping[int, str] | None = None) -> list[str]:
    """Return who sits where, under the names of the sides."""
    lines = [f"table  {' - '.join(now.rules.sides)}"]
    for one in paired.tables:
        second = "bye" if one.second is None else now.players[one.second].name
        reason = f"  [{why[one.table]}]" if why else ""
        lines.append(f"{one.table:>5}  {now.players[one.first].name} - {second}{reason}")
    return lines


def _cut(args: argparse.Namespace) -> int:
    store = Store(args.folder)
    rows = [row for row in standings(store.tournament) if not row.is_withdrawn]
    if not 2 <= args.count <= len(rows):
        raise HallError(f"a cut needs 2 to {len(rows)} players, got {args.count}")
    store.add([hp.Cut(tuple(row.player.id for row in rows[: args.count]))], now_text())
    print(", ".join(row.player.name for row in rows[: args.count]))
    return 0


def _standings(args: argparse.Namespace) -> int:
    now = Store(args.folder).tournament
    if args.round is not None and not 0 <= args.round <= len(now.rounds):
        raise HallError(f"--round: expected 0 to {len(now.rounds)}, got {args.round}")
    rows, unit = standings(now, args.round), now.rules.score.unit
    if args.json:
        print(
            json.dumps(
                [
                    {
                        "rank": row.rank,
                        "player": row.player.name,
                        "points": row.units / unit,
                        "sum": str(row.sums[0]),
                        "tie_breaks": {
                            name: {"value": value, "sum": str(text)}
                            for name, value, text in zip(
                                now.rules.tie_breaks, row.figures, row.sums[1:], strict=True
                            )
                        },
                        "withdrawn": row.is_withdrawn,
                    }
                    for row in rows
                ]
            )
        )
        return 0
    for row in rows:
        gone = " (withdrawn)" if row.is_withdrawn else ""
        print(f"{row.rank:>4}  {points_text(row.units, unit):>5}  {row.player.name}{gone}")
    return 0


def _show(args: argparse.Namespace) -> int:
    now = Store(args.folder).tournament
    _check_round(args.round, now)
    print(
        f"{now.name}: {len(now.active)} of {len(now.players)} players, {counted(len(now.rounds), 'round')}, seed {now.seed}"
    )
    for player in now.players.values():
        gone = "  (withdrawn)" if player.id in now.withdrawn else ""
        print(f"{player.id:>4}  {player.name}{f', {player.club}' if player.club else ''}{gone}")
    for one in now.rounds[(args.round or 1) - 1 : args.round]:
        state = f"lacks table {', '.join(map(str, one.missing))}" if one.missing else "complete"
        if one.disputed:
            state += f", in dispute: table {', '.join(map(str, one.disputed))}"
        print(f"round {one.number} ({one.system}): {counted(len(one.tables), 'table')}, {state}")
    return 0


def _check_round(number: int | None, now: re.Tournament) -> None:
    if number is not None and not 1 <= number <= len(now.rounds):
        raise HallError(
            f"--round: expected 1 to {len(now.rounds)}, got {number}"
            if now.rounds
            else "--round: no round has been paired"
        )


def _log(args: argparse.Namespace) -> int:
    store = Store(args.folder)
    for number, kept in enumerate(store.kept, 1):
        if args.json:
            print(kept.line.decode())
        else:
            print(f"{number:>4}  {kept.at}  {kept.happening}")
    return 0


def _paper(args: argparse.Namespace) -> int:
    now = Store(args.folder).tournament
    _check_round(args.round, now)
    folder = args.out or args.folder
    folder.mkdir(parents=True, exist_ok=True)
    number = args.round or len(now.rounds)
    path: Path = folder / f"round-{number}.html"
    path.write_text(page(now, args.round, at=now_text()), encoding="utf-8")
    print(path)
    return 0


def _check(args: argparse.Namespace) -> int:
    from companion.hall_check import desks_in

    has_logs = bool(desks_in(args.folder))
    if args.games is not None and not has_logs:
        raise HallError(f"no table has reported to {args.folder} by itself; there is nothing to compare")
    if has_logs and not any((args.folder / name).exists() for name in (FILE, SHARED)):
        return check_logs(args)
    store = Store(args.folder)
    fault = store.check()
    if fault:
        raise HallError(fault)
    if not args.json:
        print(f"{len(store.kept)} entries, whole; the copy says the same")
    return check_logs(args) if has_logs else 0


def _repair(args: argparse.Namespace) -> int:
    count, source = repaired(args.folder, now_text)
    print(f"{count} entries from {source}; what was there stays beside it")
    return PARTLY


_SLOW = (*SLOW, _check, _cut, _pair, _paper, _repair, _standings, adjudicate, import_players, join, take)
"""What may take longer than a second and asks nobody anything."""

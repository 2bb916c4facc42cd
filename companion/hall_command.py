"""``companion hall``: a tournament at many tables with a laptop and paper.

Exit codes: 0 done, 1 it could not be done and one line says why, 2 the call itself was wrong, 3 done with what could be read of a
damaged record or game.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import secrets
import sys
import uuid
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from companion.core.plaintext import NoTextError, text_of
from companion.hall import record as re
from companion.hall.adjudicate import Proposal, SideFigure, propose
from companion.hall.errors import HallError
from companion.hall.intake import reported, told
from companion.hall.pairing import exchanged, next_round, reasons
from companion.hall.paper import page
from companion.hall.standings import points_text, standings
from companion.hall.store import FILE, Store, repaired
from companion.hall.typed import figure_in, whole_in
from companion.hall_link_command import add_commands, check_logs
from companion.hall_run import run
from companion.hall_take import box, take, two_eyes
from companion.session.files import read_source

__all__ = ["main"]

_PARTLY = 3
_MOST_FILE = 4 << 20
"""Bytes of a file of players."""


def main(argv: Sequence[str]) -> int:
    """Run one command of a director."""
    args = _parser().parse_args(argv)
    try:
        work: Callable[[argparse.Namespace], int] = args.work
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

    new = command("new", _new, "begin a tournament")
    new.add_argument("--name", required=True)
    _add_rules(new)
    new.add_argument("--seed", help="what lots are drawn from; made up when not given, always shown")
    rules = command("rules", _rules, "change the rules; after round 1 with a reason")
    _add_rules(rules)
    rules.add_argument("--reason", default="")
    add = command("add", _add, "enter a player")
    add.add_argument("name")
    add.add_argument("--club", default="")
    add.add_argument("--country", default="")
    add.add_argument("--rating", type=int, default=0)
    take = command(
        "import", _import, "enter players from a CSV file: name, and club, country, rating where known"
    )
    take.add_argument("file", type=Path)
    command("withdraw", _withdraw, "a player is not paired any more").add_argument("player")
    command("return", _return, "a player who had withdrawn is paired again").add_argument("player")
    forbid = command("forbid", _forbid, "two players must not meet")
    forbid.add_argument("one")
    forbid.add_argument("other")
    forbid.add_argument("--allow", action="store_true", help="they may meet again")
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
    cut.add_argument("count", type=int)
    for name, work, text in (
        ("result", _result, "enter a result by the code of its slip, or by table of the newest round"),
        ("correct", _correct, "correct a result"),
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
        "take", _take, "take a result that a table has signed: its text, a file, or a photo of its code"
    )
    take_.add_argument("what", metavar="TEXT|FILE|PHOTO")
    box_ = command(
        "box", _box, "say whose signature counts for a table, by the fingerprint that its box shows"
    )
    box_.add_argument("table", type=int, nargs="?")
    box_.add_argument("box", nargs="?", default="", metavar="FINGERPRINT")
    box_.add_argument("--retire", action="store_true", help="nothing that this box signs counts any more")
    judge = command("adjudicate", _adjudicate, "judge a game that time has ended, by the table's own figures")
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
        one.add_argument("--round", type=int)
        one.add_argument("--json", action="store_true")
    paper = command("paper", _paper, "write pairings, slips, standings and place cards as one page to print")
    paper.add_argument("--round", type=int)
    paper.add_argument("--out", type=Path, help="folder of the page (the tournament's own)")
    run_ = command("run", run, "show the director's page and the hall's display in a browser")
    run_.add_argument(
        "--address",
        default="127.0.0.1",
        help="an address of this machine in the hall's network (127.0.0.1: this machine alone)",
    )
    run_.add_argument("--port", type=int, default=8800)
    run_.add_argument(
        "--tables",
        metavar="IP[:PORT]",
        help="where tables call that report by themselves (8883); said once, it stays",
    )
    run_.add_argument("--headless", action="store_true", help="open no browser here")
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
    parser.add_argument("--rounds", type=int, help="planned rounds")
    parser.add_argument("--minutes", type=int, help="minutes of a round")
    parser.add_argument("--order", choices=("fold", "slide", "random"), help="who meets whom among equals")
    parser.add_argument("--tie-breaks", help=f"in their order, of {','.join(re.TIE_BREAKS)}")
    parser.add_argument("--points", help="win,draw,loss,bye,forfeit won,forfeit lost, such as 1,0.5,0,1,1,0")
    parser.add_argument(
        "--by-difference", help="points by VP difference: 1=11:9,5=15:5,10=20:0 (the winner's first)"
    )


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")


def _rules_from(args: argparse.Namespace, before: re.Rules) -> re.Rules:
    """Return rules with what the call changes. HallError names the option that cannot be read."""
    from msgspec.structs import replace

    changed: dict[str, Any] = {}
    if args.sides is not None:
        sides = tuple(part.strip() for part in args.sides.split(","))
        if len(sides) != 2 or not all(sides):
            raise HallError(f"--sides: expected two names with a comma, got {args.sides!r}")
        changed["sides"] = sides
    for name in ("rounds", "minutes", "order"):
        if getattr(args, name) is not None:
            changed[name] = getattr(args, name)
    if args.tie_breaks is not None:
        changed["tie_breaks"] = tuple(part.strip() for part in args.tie_breaks.split(",") if part.strip())
    score = before.score
    if args.points is not None:
        score = replace(score, **_points(args.points))
    if args.by_difference is not None:
        score = replace(score, by_difference=_differences(args.by_difference, score.unit))
    return replace(before, score=score, **changed)


def _points(text: str) -> dict[str, int]:
    names = ("win", "draw", "loss", "bye", "forfeit_win", "forfeit_loss")
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) != len(names) or any(value < 0 or value * 2 != int(value * 2) for value in values):
        raise HallError(
            f"--points: expected six numbers in halves with commas ({', '.join(names)}), got {text!r}"
        )
    return {"unit": 2, **{name: int(value * 2) for name, value in zip(names, values, strict=True)}}


def _differences(text: str, unit: int) -> tuple[tuple[int, int, int], ...]:
    rows = []
    try:
        for part in text.split(","):
            least, _equals, points = part.partition("=")
            winner, _colon, loser = points.partition(":")
            rows.append((int(least), int(winner) * unit, int(loser) * unit))
    except ValueError:
        raise HallError(f"--by-difference: expected rows like 5=15:5 with commas, got {text!r}") from None
    return tuple(rows)


def _new(args: argparse.Namespace) -> int:
    seed = args.seed or secrets.token_hex(4)
    begun = re.TournamentBegun(uuid.uuid4().hex, args.name, _rules_from(args, re.Rules()), seed)
    store = Store.begin(args.folder, begun, _now())
    print(f"{store.tournament.name}: record in {store.path}, seed {seed}")
    print(f"next: companion hall import {args.folder} PLAYERS.csv")
    return 0


def _rules(args: argparse.Namespace) -> int:
    store = Store(args.folder)
    rules = _rules_from(args, store.tournament.rules)
    if rules == store.tournament.rules:
        raise HallError("the rules are so already")
    if store.tournament.rounds and not args.reason.strip():
        raise HallError(
            "after the first round a change of the rules needs --reason; it is printed with the standings"
        )
    store.add([re.RulesSet(rules, args.reason)], _now())
    return 0


def _add(args: argparse.Namespace) -> int:
    store = Store(args.folder)
    player = re.Player(_next_id(store.tournament), args.name.strip(), args.club, args.country, args.rating)
    store.add([re.Entered(player)], _now())
    print(f"{player.id}  {player.name}")
    return 0


def _next_id(now: re.Tournament) -> int:
    return max(now.players, default=0) + 1


def _import(args: argparse.Namespace) -> int:
    """Enter every player of a file, or none."""
    store = Store(args.folder)
    try:
        data = read_source(args.file, _MOST_FILE)
        if len(data) > _MOST_FILE:
            raise HallError(f"{args.file}: expected at most {_MOST_FILE} bytes, got more; nobody was entered")
        text = text_of(data)
    except NoTextError as fault:
        raise HallError(f"{args.file}: expected {fault.expected}, got {fault.got}") from None
    first = text.splitlines()[0] if text.strip() else ""
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=None), delimiter=";" if ";" in first else ","))
    except csv.Error as fault:
        raise HallError(
            f"{args.file}: expected a table of players, got what is none ({fault}); nobody was entered"
        ) from None
    if not rows or "name" not in {(key or "").strip().lower() for key in rows[0]}:
        raise HallError(
            f"{args.file}: expected a first line with the column name (and club, country, rating), got {first!r}"
        )
    entered: list[re.Happening] = []
    seen: dict[str, int] = {}
    for number, row in enumerate(rows, 2):
        cells = {
            (key or "").strip().lower(): (value or "").strip()
            for key, value in row.items()
            if isinstance(value, str)
        }
        name, rating = cells.get("name", ""), cells.get("rating", "") or "0"
        if not name:
            raise HallError(f"{args.file}, line {number}: expected a name, got nothing; nobody was entered")
        rated = whole_in(rating)
        if rated is None:
            raise HallError(
                f"{args.file}, line {number}, rating: expected a whole number, got {rating[:40]!r}; nobody was entered"
            )
        key = " ".join(name.casefold().split())
        if key in seen:
            raise HallError(
                f"{args.file}, line {number}: {name!r} stands on line {seen[key]} too; write the names so "
                "that both can be told apart; nobody was entered"
            )
        seen[key] = number
        player = re.Player(
            _next_id(store.tournament) + len(entered),
            name,
            cells.get("club", ""),
            cells.get("country", ""),
            rated,
        )
        entered.append(re.Entered(player))
    try:
        store.add(entered, _now())
    except HallError as fault:
        raise HallError(f"{args.file}: {fault}; nobody was entered") from None
    print(f"{len(entered)} players entered, {len(store.tournament.players)} in all")
    return 0


def _withdraw(args: argparse.Namespace) -> int:
    store = Store(args.folder)
    store.add([re.Withdrawn(re.player_named(store.tournament, args.player).id)], _now())
    return 0


def _return(args: argparse.Namespace) -> int:
    store = Store(args.folder)
    store.add([re.Returned(re.player_named(store.tournament, args.player).id)], _now())
    return 0


def _forbid(args: argparse.Namespace) -> int:
    store = Store(args.folder)
    one, other = (re.player_named(store.tournament, name) for name in (args.one, args.other))
    store.add([re.Forbidden(one.id, other.id, args.allow)], _now())
    print(f"{one.name} and {other.name} {'may meet again' if args.allow else 'are not paired'}")
    return 0


def _pair(args: argparse.Namespace) -> int:
    store = Store(args.folder)
    now = store.tournament
    paired = next_round(now, args.system)
    told = {reason.table: reason.text for reason in reasons(now, paired)}
    if not args.dry_run:
        store.add([paired], _now())
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
    for p in paired.tables:
        second = "bye" if p.second is None else now.players[p.second].name
        print(f"{p.table:>4}  {now.players[p.first].name} - {second}  [{told[p.table]}]")
    if not args.dry_run:
        print(f"next: companion hall paper {args.folder}")
    return 0


def _cancel(args: argparse.Namespace) -> int:
    store = Store(args.folder)
    store.add([re.RoundCancelled(len(store.tournament.rounds), args.reason)], _now())
    return 0


def _swap(args: argparse.Namespace) -> int:
    """Exchange two players' seats; the round as it was paired stays in the record."""
    store = Store(args.folder)
    now = store.tournament
    one, other = (re.player_named(now, name).id for name in (args.one, args.other))
    again = exchanged(now, one, other)
    store.add([re.RoundCancelled(again.round, args.reason), again], _now())
    for pairing in again.tables:
        second = "bye" if pairing.second is None else now.players[pairing.second].name
        print(f"{pairing.table:>4}  {now.players[pairing.first].name} - {second}")
    return 0


def _cut(args: argparse.Namespace) -> int:
    store = Store(args.folder)
    rows = [row for row in standings(store.tournament) if not row.is_withdrawn]
    if not 2 <= args.count <= len(rows):
        raise HallError(f"a cut needs 2 to {len(rows)} players, got {args.count}")
    store.add([re.Cut(tuple(row.player.id for row in rows[: args.count]))], _now())
    print(", ".join(row.player.name for row in rows[: args.count]))
    return 0


def _at(now: re.Tournament, text: str) -> tuple[int, re.Pairing]:
    """Return round and table by the code of a slip, or by a table of the newest round."""
    table = whole_in(text)
    if table is None:
        return re.read_code(now, text)
    if not now.rounds:
        raise HallError("no round has been paired")
    return len(now.rounds), re.pairing_at(now, len(now.rounds), table)


def _read_result(args: argparse.Namespace, now: re.Tournament, pairing: re.Pairing) -> re.Result:
    word = args.winner.strip().casefold()
    if args.forfeit and args.conceded:
        raise HallError("a game is forfeit or conceded, not both")
    if word == "nobody":
        return re.Result(None, "double_forfeit")
    winner = None if word == "draw" else _seated(now, pairing, args.winner)
    vp = left = None
    if args.vp is not None:
        parts = args.vp.split(":")
        one, other = (figure_in(part) for part in (*parts, "", "")[:2])
        if len(parts) != 2 or one is None or other is None:
            raise HallError(f"--vp: expected two whole numbers like 12:8, got {args.vp[:40]!r}")
        vp = (one, other)
    if args.left is not None:
        times = [[whole_in(part) for part in time.split(":")] for time in args.left.split(",")]
        seconds = [m * 60 + s for m, s in times if m is not None and s is not None] if _is_two(times) else []
        if len(seconds) != 2:
            raise HallError(f"--left: expected two times like 4:30,0:00, got {args.left[:40]!r}")
        left = (seconds[0], seconds[1])
    return re.Result(
        winner, "forfeit" if args.forfeit else "conceded" if args.conceded else "played", vp, left
    )


def _is_two(times: list[list[int | None]]) -> bool:
    return [len(one) for one in times] == [2, 2]


def _seated(now: re.Tournament, pairing: re.Pairing, name: str) -> int:
    """Return which of a table's two players is meant; a name that only begins so is enough there."""
    seats = [now.players[player] for player in (pairing.first, pairing.second) if player is not None]
    key = " ".join(name.casefold().split())
    fits = [p for p in seats if " ".join(p.name.casefold().split()).startswith(key) or name == str(p.id)]
    if len(fits) == 1:
        return fits[0].id
    sit = " and ".join(p.name for p in seats)
    raise HallError(f"at table {pairing.table} sit {sit}: {name!r} {'may be both' if fits else 'is neither'}")


def _result(args: argparse.Namespace) -> int:
    store = Store(args.folder)
    number, pairing = _at(store.tournament, args.table)
    result = _read_result(args, store.tournament, pairing)
    before, ending = store.tournament, ""
    what: re.Happening = re.ResultTaken(number, pairing.table, result)
    if args.paper is not None:
        what = reported(before, number, pairing.table, result, two_eyes(args.paper, sys.stdin))
        ending = f": {told(before, re.happen(before, what), what)}"
    now = before if re.happen(before, what) is before else store.add([what], _now())
    print(f"{_told(now, pairing, result)}{ending}")
    missing = now.rounds[number - 1].missing
    print(f"round {number}: " + (f"to come: table {', '.join(map(str, missing))}" if missing else "complete"))
    return 0


def _take(args: argparse.Namespace) -> int:
    return take(args, _now)


def _box(args: argparse.Namespace) -> int:
    return box(args, _now)


def _told(now: re.Tournament, pairing: re.Pairing, result: re.Result) -> str:
    """Return a result as it was understood, so that a slip read wrongly is seen at once."""
    seats = [now.players[player].name for player in (pairing.first, pairing.second) if player is not None]
    if result.vp is not None:
        seats = [f"{name} {points}" for name, points in zip(seats, result.vp, strict=True)]
    won = "nobody came" if result.how == "double_forfeit" else "draw"
    if result.winner is not None:
        won = f"{now.players[result.winner].name} wins"
    how = f" ({result.how})" if result.how in ("forfeit", "conceded") else ""
    return f"table {pairing.table}: {' - '.join(seats)}: {won}{how}"


def _correct(args: argparse.Namespace) -> int:
    store = Store(args.folder)
    number, pairing = _at(store.tournament, args.table)
    result = _read_result(args, store.tournament, pairing)
    now = store.add([re.ResultCorrected(number, pairing.table, result, args.reason)], _now())
    print(_told(now, pairing, result))
    if number < len(store.tournament.rounds):
        print(f"round {number} was corrected; later rounds stay as they were paired")
    return 0


def _adjudicate(args: argparse.Namespace) -> int:
    store = Store(args.folder)
    now = store.tournament
    number, pairing = _at(now, args.table)
    if pairing.second is None:
        raise HallError(f"table {pairing.table} of round {number} is a bye")
    seats = (pairing.first, pairing.second)
    proposal = Proposal(None, False, ("No game file was given: by the director.",))
    loss = ""
    if args.game is not None:
        proposal, loss = _proposal(args.game, now, is_now=args.now)
    print("\n".join(proposal.sum))
    winner: int | None = None
    if args.winner is not None:
        is_draw = args.winner.strip().casefold() == "draw"
        winner = None if is_draw else _seated(now, pairing, args.winner)
    elif args.take and proposal.is_known:
        names = [side.casefold() for side in now.rules.sides]
        if proposal.winner is not None:
            winner = seats[names.index(proposal.winner)]
    else:
        print("nothing was entered: --take decides as the figures say, --winner as the director says")
        return _PARTLY if loss else 0
    result = re.Result(winner, "adjudicated", proposal.vp)
    store.add([re.Adjudicated(number, pairing.table, result, proposal.sum, args.reason)], _now())
    print("draw" if winner is None else f"{now.players[winner].name} wins")
    return _PARTLY if loss else 0


def _proposal(path: Path, now: re.Tournament, *, is_now: bool) -> tuple[Proposal, str]:
    """Return what a game's own figures say, its sides in the tournament's order, and what a damaged file has lost."""
    import tempfile

    from companion.adapters.catalogue import GameCatalogue
    from companion.pages.modules import game_view
    from companion.session.errors import SessionError
    from companion.session.portable import PORTABLE_SUFFIX
    from companion.session.shelf import Shelf

    rules_of = GameCatalogue().rules_of
    try:
        with tempfile.TemporaryDirectory() as scratch:
            shelf = Shelf(Path(scratch), rules_of, "hall")
            if path.name.endswith(PORTABLE_SUFFIX):
                path = shelf.import_file(path)
            timeline, _codec, loss, _beat = shelf.read(path)
    except SessionError as fault:
        raise HallError(str(fault)) from None
    state = timeline.state
    setup = state.frozen_setup
    as_of = f"the last entry ({len(timeline.entries)})"
    stage = state.step.stage
    if not is_now and state.ending is None:
        for entry in timeline.entries:
            if timeline.counts(entry.seq) and timeline.state_at(entry.seq).step.stage == stage:
                state = timeline.state_at(entry.seq)
                as_of = f"the end of the stage before stage {stage} (entry {entry.seq})"
                break
    if state.ending is not None:
        as_of = "the end of the game"
    names = {str(info.id): info.name for info in setup.sides}
    wanted = [side.casefold() for side in now.rules.sides]
    by_name = {info.name.casefold(): str(info.id) for info in setup.sides} | {
        str(i.id): str(i.id) for i in setup.sides
    }
    order = [by_name.get(side, "") for side in wanted]
    if not all(order):
        raise HallError(
            f"{path.name}: its sides are {', '.join(names.values())}, the tournament's {', '.join(now.rules.sides)}"
        )
    figures = [
        SideFigure(figure.side, figure.amount, figure.lines, figure.is_points)
        for figure in game_view(setup.game).figures(state)
    ]
    if state.ending is not None and state.ending.winner is not None:
        told = (f"The game has ended: {names[state.ending.winner]} has won.",)
        proposal = Proposal(str(state.ending.winner), True, told)
    else:
        proposal = propose(figures, order, names, as_of)
    side = None if proposal.winner is None else wanted[order.index(proposal.winner)]
    lost = "" if loss is None else str(loss)
    lines = (*proposal.sum, *((f"The file is damaged: {lost}",) if lost else ()))
    return Proposal(side, proposal.is_known, lines, proposal.vp), lost


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
                        "sum": row.sums[0],
                        "tie_breaks": {
                            name: {"value": value, "sum": text}
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
    print(
        f"{now.name}: {len(now.active)} of {len(now.players)} players, {len(now.rounds)} rounds, seed {now.seed}"
    )
    for player in now.players.values():
        gone = "  (withdrawn)" if player.id in now.withdrawn else ""
        print(f"{player.id:>4}  {player.name}{f', {player.club}' if player.club else ''}{gone}")
    for one in now.rounds[(args.round or 1) - 1 : args.round]:
        state = f"lacks table {', '.join(map(str, one.missing))}" if one.missing else "complete"
        if one.disputed:
            state += f", in dispute: table {', '.join(map(str, one.disputed))}"
        print(f"round {one.number} ({one.system}): {len(one.tables)} tables, {state}")
    return 0


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
    if args.round is not None and not 1 <= args.round <= len(now.rounds):
        raise HallError(f"--round: expected 1 to {len(now.rounds)}, got {args.round}")
    folder = args.out or args.folder
    folder.mkdir(parents=True, exist_ok=True)
    number = args.round or len(now.rounds)
    path: Path = folder / f"round-{number}.html"
    path.write_text(page(now, args.round, at=_now()), encoding="utf-8")
    print(path)
    return 0


def _check(args: argparse.Namespace) -> int:
    has_logs = (args.folder / "desk" / "tables.sqlite").exists()
    if args.games is not None and not has_logs:
        raise HallError(f"no table has reported to {args.folder} by itself; there is nothing to compare")
    if has_logs and not (args.folder / FILE).exists():
        return check_logs(args)
    store = Store(args.folder)
    fault = store.check()
    if fault:
        raise HallError(fault)
    if not args.json:
        print(f"{len(store.kept)} entries, whole; the copy says the same")
    return check_logs(args) if has_logs else 0


def _repair(args: argparse.Namespace) -> int:
    count, source = repaired(args.folder, _now)
    print(f"{count} entries from {source}; what was there stays beside it")
    return _PARTLY

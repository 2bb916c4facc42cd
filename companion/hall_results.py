"""What a director says of one table: its result, read or corrected, and a game that is adjudicated."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from companion.hall import happenings as hp
from companion.hall import outcome as oc
from companion.hall import record as re
from companion.hall.adjudicate import Proposal, SideFigure, propose
from companion.hall.errors import HallError
from companion.hall.intake import doubt_of, reported, told
from companion.hall.store import Store
from companion.hall.typed import figure_in, reason_in, whole_in
from companion.hall_take import now_text, two_eyes

__all__ = ["PARTLY", "adjudicate", "correct", "enter"]


PARTLY = 3


def _at(now: re.Tournament, text: str) -> tuple[int, hp.Pairing]:
    """Return round and table by the code of a slip, or by a table of the newest round."""
    table = whole_in(text)
    if table is None:
        return re.read_code(now, text)
    if not now.rounds:
        raise HallError("no round has been paired")
    return len(now.rounds), re.pairing_at(now, len(now.rounds), table)


def _read_result(args: argparse.Namespace, now: re.Tournament, pairing: hp.Pairing) -> oc.Result:
    word = args.winner.strip().casefold()
    if args.forfeit and args.conceded:
        raise HallError("a game is forfeit or conceded, not both")
    if word == "nobody":
        return oc.Result(None, "double_forfeit")
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
    return oc.Result(
        winner, "forfeit" if args.forfeit else "conceded" if args.conceded else "played", vp, left
    )


def _is_two(times: list[list[int | None]]) -> bool:
    return [len(one) for one in times] == [2, 2]


def _seated(now: re.Tournament, pairing: hp.Pairing, name: str) -> int:
    """Return which of a table's two players is meant; a name that only begins so is enough there."""
    seats = [now.players[player] for player in (pairing.first, pairing.second) if player is not None]
    key = " ".join(name.casefold().split())
    fits = [p for p in seats if " ".join(p.name.casefold().split()).startswith(key) or name == str(p.id)]
    if len(fits) == 1:
        return fits[0].id
    sit = " and ".join(p.name for p in seats)
    raise HallError(f"at table {pairing.table} sit {sit}: {name!r} {'may be both' if fits else 'is neither'}")


def enter(args: argparse.Namespace) -> int:
    """Enter the result of a table."""
    store = Store(args.folder)
    number, pairing = _at(store.tournament, args.table)
    result = _read_result(args, store.tournament, pairing)
    before, ending = store.tournament, ""
    what: hp.Happening = hp.ResultTaken(number, pairing.table, result)
    if args.paper is not None:
        what = reported(before, number, pairing.table, result, two_eyes(args.paper, sys.stdin))
        ending = f": {told(before, re.happen(before, what), what)}"
    now = before if re.happen(before, what) is before else store.add([what], now_text())
    print(f"{_told(now, pairing, result)}{ending}")
    _tell_doubt(pairing, result)
    missing = now.rounds[number - 1].missing
    print(f"round {number}: " + (f"to come: table {', '.join(map(str, missing))}" if missing else "complete"))
    return 0


def _told(now: re.Tournament, pairing: hp.Pairing, result: oc.Result) -> str:
    """Return a result as it was understood, so that a slip read wrongly is seen at once."""
    seats = [now.players[player].name for player in (pairing.first, pairing.second) if player is not None]
    if result.vp is not None:
        seats = [f"{name} {points}" for name, points in zip(seats, result.vp, strict=True)]
    won = "nobody came" if result.how == "double_forfeit" else "draw"
    if result.winner is not None:
        won = f"{now.players[result.winner].name} wins"
    how = f" ({result.how})" if result.how in ("forfeit", "conceded") else ""
    return f"table {pairing.table}: {' - '.join(seats)}: {won}{how}"


def _tell_doubt(pairing: hp.Pairing, result: oc.Result) -> None:
    doubt = doubt_of(pairing, result)
    if doubt is not None:
        print(doubt)


def correct(args: argparse.Namespace) -> int:
    """Enter another result for a table, with a reason."""
    why = reason_in(args.reason)
    store = Store(args.folder)
    number, pairing = _at(store.tournament, args.table)
    result = _read_result(args, store.tournament, pairing)
    before = store.tournament.rounds[number - 1].results.get(pairing.table)
    now = store.add([hp.ResultCorrected(number, pairing.table, result, why)], now_text())
    print(_told(now, pairing, result))
    _tell_doubt(pairing, result)
    if before is not None:
        print(f"before: {_told(now, pairing, before)}")
    if number < len(store.tournament.rounds):
        print(f"round {number} was corrected; later rounds stay as they were paired")
    return 0


def adjudicate(args: argparse.Namespace) -> int:
    """Propose a result for a game that is not over, and enter it where the call says so."""
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
        return PARTLY if loss else 0
    result = oc.Result(winner, "adjudicated", proposal.vp)
    store.add([hp.Adjudicated(number, pairing.table, result, proposal.sum, args.reason)], now_text())
    print("draw" if winner is None else f"{now.players[winner].name} wins")
    return PARTLY if loss else 0


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
                as_of = f"the beginning of stage {stage} (entry {entry.seq})"
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

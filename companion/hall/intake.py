"""Taking in what tables and slips report: whatever does not belong to this hall, round, table or key is refused in one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.core.text import Say, Several, Typed
from companion.hall.errors import HallError
from companion.hall.happenings import BoxKnown, BoxRetired, Happening, Pairing, Reported
from companion.hall.orders import legible
from companion.hall.outcome import Report, Result, Way
from companion.hall.record import Tournament, code_of, pairing_at
from companion.hall.result import Signed, SignedResult, hall_mark
from companion.hall.typed import MOST_FIGURE, whole_in

__all__ = ["WAYS", "carded", "doubt_of", "reported", "taken", "told"]


def taken(now: Tournament, signed: Signed, way: Way) -> Reported:
    """Return the report that a signed result is. HallError, in one line, where it cannot be taken."""
    result, box = signed.result, signed.box
    known = now.boxes.get(box)
    if known is None:
        raise HallError(
            Say(
                "box {box} is unknown here; compare this with its own screen, and say: companion hall box FOLDER {table} {box}",
                box=Typed(box),
                table=result.table,
            )
        )
    if not known:
        raise HallError(
            Say("box {box} is retired; enter the result by its slip, or know the box anew", box=Typed(box))
        )
    if known != result.table:
        raise HallError(
            Say(
                "box {box} belongs to table {table}, and signs for table {other}; ask at both tables",
                box=Typed(box),
                table=known,
                other=result.table,
            )
        )
    mark, _dot, sign = result.hall.rpartition(".")
    if mark and mark != hall_mark(now.id):
        raise HallError(
            Say(
                "the result is of another hall ({mark}); this one is {own}",
                mark=Typed(mark),
                own=Typed(hall_mark(now.id)),
            )
        )
    pairing = pairing_at(now, result.round, result.table)
    if code_of(now, result.round, pairing).rpartition("-")[2] != sign:
        raise HallError(
            Say(
                "the result names code {code}, which is of another hall or pairing; here it is {own}",
                code=Typed(f"{result.round}-{result.table}-{sign}"),
                own=Typed(code_of(now, result.round, pairing)),
            )
        )
    report = Report(
        way, _result(now, pairing, result), box, result.game.hex(), result.seq, result.digest.hex()
    )
    return Reported(result.round, result.table, report)


def carded(now: Tournament, cards: Iterable[tuple[str, bytes, bool]]) -> list[Happening]:
    """Return what the record does not know yet of boxes that came with a table's card.

    Each is its table, its public key, and whether it is in; one that was shut out signs nothing more. A box that was retired
    here stays so, and a table whose id is no number is none of a round's.
    """
    found: list[Happening] = []
    for table, key, is_in in cards:
        box = legible(key) if key else ""
        number = whole_in(table)
        if not box or not number:
            continue
        if is_in and box not in now.boxes:
            found.append(BoxKnown(number, box))
        elif not is_in and now.boxes.get(box) == number:
            found.append(BoxRetired(box))
    return found


def _result(now: Tournament, pairing: Pairing, told: SignedResult) -> Result:
    """Return what sides have reached as what players have. HallError where the game has other sides."""
    sides = [side.casefold() for side in now.rules.sides]
    named = {*told.vp, *told.left, *told.flags, *((told.winner,) if told.winner else ())}
    strange = sorted(named - set(sides))
    if strange:
        raise HallError(
            f"table {told.table} plays with side {strange[0]!r}; the sides here are {', '.join(now.rules.sides)}"
        )
    high = [one for one in (*told.vp.values(), *told.left.values()) if abs(one) > MOST_FIGURE]
    if high:
        raise HallError(f"table {told.table} names {high[0]}; expected at most {MOST_FIGURE}")
    seats = dict(zip(sides, (pairing.first, pairing.second), strict=True))
    vp = tuple(told.vp[side] for side in sides if side in told.vp)
    left = tuple(told.left[side] for side in sides if side in told.left)
    return Result(
        seats[told.winner] if told.winner else None,
        told.how,
        (vp[0], vp[1]) if len(vp) == 2 else None,
        (left[0], left[1]) if len(left) == 2 else None,
    )


def reported(now: Tournament, number: int, table: int, result: Result, eyes: tuple[str, ...]) -> Reported:
    """Return the report of a slip that two people have read. HallError where they are not two."""
    names = tuple(" ".join(name.split()) for name in eyes)
    if len(names) != 2 or not all(names) or names[0].casefold() == names[1].casefold():
        raise HallError(Say("a slip is entered by two people: expected two different names"))
    pairing_at(now, number, table)
    return Reported(number, table, Report("paper", result, eyes=tuple(sorted(names))))


def told(before: Tournament, after: Tournament, what: Reported) -> Say:
    """Return in one line what a report has done to the record."""
    number, table = what.round, what.table
    was, now = before.rounds[number - 1], after.rounds[number - 1]
    if after is before:
        return Say("reported already; nothing was changed")
    if table in now.decided:
        return Say("kept beside the director's decision, which stands")
    if table in now.disputed:
        ways = dict.fromkeys(WAYS[one.way] for one in now.reports[table])
        return Say(
            "DISPUTE at table {table} of round {round}: different results by {ways}; decide with companion hall correct",
            table=table,
            round=number,
            ways=Several(tuple(ways), "comma"),
        )
    return Say("the same as reported before") if table in was.results else Say("taken")


def doubt_of(pairing: Pairing, result: Result) -> Say | None:
    """Return what looks like a slip read wrongly; it may be right, as some games are won with fewer points."""
    if result.vp is None or result.how not in ("played", "forfeit"):
        return None
    first, second = result.vp
    if result.winner is None:
        return Say("A draw with different points: correct it if that is wrong.") if first != second else None
    lead = first - second if result.winner == pairing.first else second - first
    return None if lead > 0 else Say("Won without more points: correct it if that is wrong.")


WAYS: Mapping[Way, Say] = {"code": Say("code of the box"), "link": Say("link"), "paper": Say("paper")}
"""How a result came to the director."""

"""One table in the director's window: its clocks, how it stands, what was reported, its log, and what he may do there."""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.text import Duration, Say, Typed, several
from companion.director.look import NEED_MARKS, Director, Look, chosen, done, filled, options, to
from companion.director.wall import tables_of
from companion.hall.desk.web.view import (
    HOWS,
    numbers,
    place_of,
    points_of,
    reasons_of,
    second_of,
    source_of,
    told_of,
)
from companion.hall.happenings import Pairing
from companion.hall.intake import WAYS
from companion.hall.record import Round, code_of
from companion.hall.wall import Tile
from companion.pages.page import (
    Act,
    Acts,
    Ask,
    Banner,
    Block,
    Button,
    Clock,
    ClockAnchor,
    Clocks,
    Field,
    Head,
    Item,
    Notice,
    Page,
    Rows,
    Shown,
    Side,
    Sides,
    Words,
    asked,
)
from companion.pages.parts import far_mark

__all__ = ["order_ways", "table_page"]

_LOW_MS, _LAST_MS = 5 * 60_000, 60_000


def table_page(look: Look, number: int, director: Director) -> Shown:
    """Return one table of the newest round. LookupError where it is none."""
    acts, now = Acts(), look.view.now
    found = now.rounds[-1]
    pairing = next((one for one in found.tables if one.table == number), None)
    if pairing is None:
        raise LookupError(number)
    tile = next((one for one in tables_of(look) if one.table == number), None)
    first, second = now.players[pairing.first].name, second_of(now, pairing)
    if pairing.second is not None:
        first, second = (
            f"{name} ({side})" for name, side in zip((first, second), now.rules.sides, strict=True)
        )
    names = Typed(f"{first} – {second}")
    code = Typed(code_of(now, found.number, pairing)) if pairing.second is not None else None
    lead = names if code is None else several((names, Say("code {code}", code=code)), "dots")
    left: list[Block] = []
    if tile is not None:
        left += _live(look, tile, is_brief=pairing.table in found.reports or pairing.table in found.results)
    left += _reported(look, found, pairing)
    log = tuple(Item(str(n), Typed(line)) for n, line in enumerate(look.log)) if look.table == number else ()
    right = Side(
        "log",
        Head("log", Say("Log")),
        (Rows("log", log, empty=Say("Nothing has been heard of this table yet."), is_dense=True),),
        1.1,
    )
    blocks: tuple[Block, ...] = tuple(left)
    if tile is not None and tile.live.state is not None:
        stands = Side("stands", Head("stands", tile.word, mark=NEED_MARKS[tile.need]), blocks)
        blocks = (Sides("table", (stands, right)),)
    page = Page(
        "director.table",
        Say("Table {n}", n=number),
        several((Say("Table {n}", n=number), lead), "dots"),
        "text",
        blocks=blocks,
        back=acts.put("back", to(table=0)),
        main=_main(look, found, pairing, director, acts),
        second=_second(look, number, director, acts),
    )
    return Shown(page, acts)


def _live(look: Look, tile: Tile, *, is_brief: bool) -> list[Block]:
    """Return a table's clocks and how its game stands."""
    blocks: list[Block] = []
    state = tile.live.state
    if tile.clocks:
        names = dict(zip((side.casefold() for side in tile.sides), tile.names, strict=True))
        blocks.append(
            Clocks(
                "clocks",
                tuple(
                    Clock(
                        one.side,
                        far_mark(one.side),
                        ClockAnchor(one.left_ms, look.at_ms, is_running=one.zero_ms is not None),
                        "fallen"
                        if state is not None and one.side in state.flag
                        else "last"
                        if one.left_ms < _LAST_MS
                        else "low"
                        if one.left_ms < _LOW_MS
                        else "calm",
                        Typed(names[one.side]),
                    )
                    for one in tile.clocks
                ),
                is_large=not is_brief,
            )
        )
    if state is not None:
        points = points_of(state, tile.sides)
        rows = [Item("place", Typed(place_of(state) or state.title), value=Typed(points) if points else None)]
        if (heard := _heard(look, tile)) is not None:
            rows.append(heard)
        blocks.append(Rows("stands", tuple(rows), is_dense=True))
    blocks += [Notice(f"told.{n}", Typed(text), state="danger") for n, text in enumerate(tile.live.told[-2:])]
    return blocks


def _heard(look: Look, tile: Tile) -> Item | None:
    """Return how old what is shown is, once that matters."""
    if not tile.is_silent:
        return None
    age = Duration(max(0, look.view.now_ms - tile.live.heard_ms) // 1000 * 1000)
    return Item("heard", Say("last seen {time} ago", time=age), state="danger")


def _reported(look: Look, found: Round, pairing: Pairing) -> list[Block]:
    """Return why these two meet, and what was reported of their game."""
    now, table = look.view.now, pairing.table
    blocks: list[Block] = []
    if table in found.disputed:
        words = Say("Different results are reported. The table has none until you decide.")
        blocks.append(Notice("disputed", Say("In dispute"), words, "danger"))
    elif (result := found.results.get(table)) is not None:
        sub = Say("The result is your decision.") if table in found.decided else None
        blocks.append(Banner("result", Typed(told_of(now, result)), sub, symbol="trophy"))
    rows = [
        Item(
            f"report.{n}",
            WAYS[one.way],
            source_of(one),
            Typed(told_of(now, one.result)),
        )
        for n, one in enumerate(found.reports.get(table, ()))
    ]
    if rows:
        blocks.append(Rows("reports", tuple(rows), Say("Reported"), is_dense=True))
    if not blocks and pairing.second is not None:
        why = Item("why", Say("Why they meet"), reasons_of(now, found)[table])
        blocks.append(Rows("about", (why,)))
    return blocks


# What he may do


def _main(look: Look, found: Round, pairing: Pairing, director: Director, acts: Acts) -> Button | None:
    """Return the way in which a result comes in here: by a slip, or by his decision where there is one already or several."""
    table = pairing.table
    if pairing.second is None:
        return None
    if table in found.results or table in found.disputed:
        ask = _result(look, found, pairing, director, "decide")
        return Button(Say("Decide"), acts.put("decide", ask), "edit")
    ask = _result(look, found, pairing, director, "paper")
    return Button(Say("Enter the slip"), acts.put("paper", ask), "edit")


def _result(look: Look, found: Round, pairing: Pairing, director: Director, act: str) -> Ask:
    """Return the questions of a result: who won, and what goes with that."""
    now = look.view.now
    fixed = {"act": act, "round": str(found.number), "table": str(pairing.table)}
    seats = [
        (one, f"{now.players[one].name} ({side})")
        for one, side in zip((pairing.first, pairing.second), now.rules.sides, strict=True)
        if one is not None
    ]
    points = tuple(
        Field(
            f"vp{n}", Say("VP {side}", side=Typed(side)), "number", most=5, has_sign=True, may_be_empty=True
        )
        for n, side in enumerate(now.rules.sides, 1)
    )
    how = Field(
        "how", Say("How"), "choose",
        options=options([(one, HOWS[one]) for one in ("played", "conceded", "forfeit")]),
    )  # fmt: skip
    last = (
        (Field("reason", Say("Reason"), "text", most=120),)
        if act == "decide"
        else (Field("eye1", Say("Read by"), "text", most=60), Field("eye2", Say("and by"), "text", most=60))
    )
    title = Say("Table {n}", n=pairing.table)

    def more(winner: str) -> Act:
        asks = last if winner == "nobody" else (*points, *last) if winner == "draw" else (how, *points, *last)
        return filled(director, "result", title, asks, {**fixed, "winner": winner})

    who = options([*seats, ("draw", Say("Draw")), ("nobody", Say("Nobody came"))])
    sub = (
        Say("Your decision stands, whatever is reported later.")
        if act == "decide"
        else Say("From the slip, read by two")
    )
    return asked("winner", Say("Who won?"), who, more, sub=sub)


def _second(look: Look, table: int, director: Director, acts: Acts) -> Button | None:
    """Return what else he may do at a table: order something of it, or say which box signs."""
    if next(one for one in look.view.now.rounds[-1].tables if one.table == table).second is None:
        return None
    ways: dict[str, tuple[Words, Act]] = {}
    if str(table) in look.view.live:
        ways |= order_ways(str(table), look.view.now.rules.sides, director)
    text = Field("text", Say("Text of its code"), "text", most=900)
    ways["take"] = (
        Say("Take its code"),
        filled(director, "take", Say("Take its code"), (text,), {"act": "take"}),
    )
    boxes = [box for box, at in look.view.now.boxes.items() if at == table]
    mine = (
        Say("Box of this table: {boxes}", boxes=numbers(boxes))
        if boxes
        else Say("Box of this table: none is known")
    )
    box = Field("box", Say("Fingerprint that the box shows"), "text", mine, most=24)
    ways["box"] = (
        Say("Its box"),
        filled(
            director, "box", Say("This box signs for table {table}", table=table), (box,),
            {"act": "box", "table": str(table)},
        ),
    )  # fmt: skip
    if "retire" in ways:  # done least often, so it stands last
        ways["retire"] = ways.pop("retire")
    choices = tuple(Item(key, words) for key, (words, _act) in ways.items())
    ask = asked("ways", Say("Table {n}", n=table), choices, lambda key: ways[key][1], is_wide=False)
    return Button(Say("Orders") if len(ways) > 2 else Say("More"), acts.put("ways", ask), "more")


def order_ways(to_: str, sides: tuple[str, ...], director: Director) -> dict[str, tuple[Words, Act]]:
    """Return what may be wished of a table, or of ``all``; each asks before it goes."""
    is_all, table = to_ == "all", Typed(to_)

    def fixed(kind: str) -> Mapping[str, str]:
        return {"act": "order", "to": to_, "kind": kind}

    pause, resume, last = (
        (
            Say("Pause every table? Each pauses when the order arrives."),
            Say("Let the clocks run at every table?"),
            Say("Tell every table that this round is the last?"),
        )
        if is_all
        else (
            Say("Pause table {table}? It pauses when the order arrives.", table=table),
            Say("Let the clocks run at table {table}?", table=table),
            Say("Tell table {table} that this round is the last?", table=table),
        )
    )
    ways: dict[str, tuple[Words, Act]] = {
        "pause": (Say("Pause the clocks"), chosen(director, pause, fixed("pause"), is_danger=True)),
        "resume": (Say("Let the clocks run"), chosen(director, resume, fixed("resume"))),
        "last_round": (Say("This round is the last"), chosen(director, last, fixed("last_round"))),
        "message": (
            Say("Message"),
            filled(
                director, "message", Say("Message"),
                (Field("text", Say("Message"), "text", most=300),), fixed("message"), yes=Say("Send it"),
            ),
        ),
    }  # fmt: skip
    if not is_all:
        seconds = Field("seconds", Say("Seconds, or -seconds"), "number", most=6, has_sign=True)
        which = Field("side", Say("Side"), "choose", options=options([(side, side) for side in sides]))
        reason = Field("reason", Say("Reason"), "text", most=120)
        ways["add_time"] = (
            Say("Correct the clock"),
            filled(director, "time", Say("Correct the clock"), (which, seconds, reason), fixed("add_time")),
        )
        adjourn = Say("Adjourn the game at table {table}?", table=table)
        ways["adjourn"] = (
            Say("Adjourn the game"),
            chosen(director, adjourn, fixed("adjourn"), is_danger=True),
        )
        end = Say("End the game at table {table}? It is over then.", table=table)
        winners = options([*((side, side) for side in sides), ("draw", Say("Draw"))])
        won = Field("side", end, "choose", options=winners)
        ways["end"] = (
            Say("End the game"),
            filled(director, "end", Say("End the game"), (won, reason), fixed("end")),
        )
        again = Say("Have the whole log sent again")
        ways["ask_log"] = (again, done(director, fixed("ask_log")))
        out = Say(
            "Take the box of table {table} out of the hall? Only a new card lets it in again.", table=table
        )
        ways["retire"] = (
            Say("Take the box out of the hall"),
            chosen(director, out, fixed("retire"), is_danger=True),
        )
    return ways

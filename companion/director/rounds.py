"""Round control, orders to all and the announcement in the director's window."""

from __future__ import annotations

from companion.core.text import Say, Typed, sentences, several
from companion.director.look import Director, Look, chosen, done, filled, opened, options
from companion.director.table import order_ways
from companion.director.wall import left_of
from companion.hall.desk.web.view import SYSTEMS, numbers, reasons_of, round_says, second_of, told_of
from companion.hall.happenings import Pairing
from companion.hall.record import Round, Tournament
from companion.pages.page import (
    Act,
    Acts,
    Ask,
    Banner,
    Block,
    Button,
    Field,
    Form,
    Item,
    Notice,
    Rows,
    State,
    Tiles,
    Words,
    asked,
)

__all__ = ["order_blocks", "round_blocks", "round_main", "round_second"]


def round_blocks(look: Look, director: Director, acts: Acts) -> tuple[Block, ...]:
    """Return the newest round: what is missing, who asks to be let in, and its tables with the reason for each."""
    now, blocks = look.view.now, list[Block]()
    if not now.rounds:
        blocks.append(
            Banner(
                "none",
                Say("No round has been paired yet."),
                Say.counted("{n} player is entered.", "{n} players are entered.", len(now.active)),
            )
        )
    else:
        blocks.append(_head(look, now.rounds[-1]))
    for table, box in look.asking:
        fixed = {"act": "admit", "table": table, "box": box}
        words = Say("Compare each with what its own screen shows.")
        let = Button(Say("Let it in"), acts.put(f"admit.{table}", done(director, fixed)))
        title = Say("The box of table {table} asks to be let in: {box}", table=Typed(table), box=Typed(box))
        blocks.append(Notice(f"asks.{table}", title, words, "chosen", (let,)))
    if now.rounds:
        found = now.rounds[-1]
        why = reasons_of(now, found)
        rows = tuple(_pair(now, found, one, why[one.table], acts, director=director) for one in found.tables)
        blocks.append(Rows("pairs", rows, is_wide=False))
    return tuple(blocks)


_NAMED = 12
"""So many tables are named; of more only the number is told."""


def _head(look: Look, found: Round) -> Banner:
    if len(found.missing) > _NAMED:
        missing = Say.counted("{n} result to come.", "{n} results to come.", len(found.missing))
    elif found.missing:
        missing = Say("Results to come: table {tables}.", tables=numbers(found.missing))
    else:
        missing = Say("Every result is in.")
    told = missing
    if found.disputed:
        disputed = Say("In dispute: table {tables}.", tables=numbers(found.disputed))
        told = sentences((missing, disputed))
    left = look.view.left_ms
    title = Say("Round {n} ({system})", n=found.number, system=SYSTEMS[found.system])
    if left is None:
        return Banner("round", title, told)
    return Banner(
        "round",
        title,
        told,
        left_of(left) if left > 0 else Say("time is up"),
        Say("left") if left > 0 else None,
    )


def _pair(now: Tournament, found: Round, one: Pairing, why: Say, acts: Acts, *, director: Director) -> Item:
    names = Typed(f"{one.table} · {now.players[one.first].name} – {second_of(now, one)}")
    state: State = "plain"
    if one.second is None:
        value: Words | None = None
    elif one.table in found.disputed:
        value, state = Say("dispute"), "danger"
    elif (result := found.results.get(one.table)) is not None:
        value, state = Typed(told_of(now, result)), "muted"
    else:
        value = Say("to come")
    act = acts.put(f"table.{one.table}", opened(director, one.table)) if one.second is not None else None
    return Item(str(one.table), names, why, value, state=state, act=act, may_shorten=True)


def round_main(look: Look, director: Director, acts: Acts) -> Button | None:
    """Return what comes next: the next round, or the clock of this one."""
    now = look.view.now
    if not now.rounds or not now.rounds[-1].missing:
        number = len(now.rounds) + 1
        ask = asked(
            "system",
            Say("Pair round {n}", n=number),
            options(list(SYSTEMS.items())),
            lambda system: done(director, {"act": "pair", "system": system}),
        )
        return Button(Say("Pair round {n}", n=number), acts.put("pair", ask), "plus")
    if len(now.rounds) not in now.started:
        act = done(director, {"act": "start"})
        return Button(Say("Start the round clock"), acts.put("start", act), "play")
    return None


def round_second(look: Look, director: Director, acts: Acts) -> Button | None:
    """Return what else can be done with a round."""
    now, ways = look.view.now, dict[str, tuple[Words, Act]]()
    if not now.rounds:
        return None
    found = now.rounds[-1]
    if look.games and found.missing:
        ways["seat"] = (Say("Seat every table"), _seating(look, director))
        begin = {"act": "order", "to": "all", "kind": "start", "round": str(found.number)}
        sure = Say("Begin round {n} at every table that is seated?", n=found.number)
        ways["begin"] = (Say("Begin at every table"), chosen(director, sure, begin))
    if not found.results and not found.reports:
        people = [(p.id, p.name) for p in sorted(now.active, key=lambda p: p.name.casefold())]
        reason = Field("reason", Say("because"), "text", most=120)
        pick = options(people)
        ways["swap"] = (
            Say("Exchange"),
            filled(
                director,
                "swap",
                Say("Exchange"),
                (
                    Field("one", Say("Exchange"), "choose", options=pick, is_wide=False),
                    Field("other", Say("with"), "choose", options=pick, is_wide=False),
                    reason,
                ),
                {"act": "swap"},
            ),
        )
        ways["cancel"] = (
            Say("Take the round back"),
            filled(director, "cancel", Say("Take the whole round back?"), (reason,), {"act": "cancel"}),
        )
    if not ways:
        return None
    choices = tuple(Item(key, words) for key, (words, _act) in ways.items())
    title = round_says(found.number)
    ask = asked("round", title, choices, lambda key: ways[key][1], is_wide=False)
    return Button(Say("More"), acts.put("ways", ask), "more")


def _seating(look: Look, director: Director) -> Ask:
    """Return the questions by which every table is seated: what is played, by which clock."""
    number, games = look.view.now.rounds[-1].number, {f"{one.game}/{one.scenario}": one for one in look.games}

    def which(key: str) -> Act:
        controls: list[tuple[object, Say | str]] = [
            ("", Say("as the scenario says")),
            *games[key].controls,
            ("minutes", Say("Minutes a side and stage")),
        ]
        return asked("control", Say("Time control"), options(controls), lambda control: clock(key, control))

    def clock(key: str, control: str) -> Act:
        fixed = {"act": "seat", "round": str(number), "game": key, "control": control}
        if control != "minutes":
            return done(director, fixed)
        field = Field("minutes", Say("Minutes a side and stage"), "number", most=4)
        return filled(director, "minutes", Say("Time control"), (field,), {**fixed, "control": ""})

    titles = options([(key, one.title) for key, one in games.items()])
    hint = Say("Each shows who plays what, and begins with one tap.")
    return asked("game", Say("Seat the boxes"), titles, which, sub=hint)


# Orders


_SYMBOLS = {"pause": "pause", "resume": "play", "last_round": "trophy", "message": "edit"}


def order_blocks(look: Look, director: Director, acts: Acts) -> tuple[Block, ...]:
    """Return the announcement, what may be wished of all tables, and what came of it with an honest count."""
    now, blocks = look.view.now, list[Block]()
    field = Field(
        "text", Say("On the hall display"), "text", value=now.announcement, most=300, may_be_empty=True
    )
    ask = Ask(
        Form("announce", Say("Announcement"), (field,), yes=Say("Show it")),
        lambda answers: done(director, {"act": "announce", **answers}),
    )
    keys = [Button(Say("Change"), acts.put("announce", ask), "edit")]
    if now.announcement:
        gone = done(director, {"act": "announce", "text": ""})
        keys.append(Button(Say("Clear it"), acts.put("silent", gone), "close"))
    text = Typed(now.announcement) if now.announcement else Say("Nothing is announced.")
    blocks.append(Notice("announcement", Say("Announcement"), text, acts=tuple(keys)))
    if look.view.live:
        tiles = tuple(
            Item(key, words, symbol=_SYMBOLS[key], act=acts.put(f"all.{key}", act))
            for key, (words, act) in order_ways("all", now.rules.sides, director).items()
        )
        blocks.append(Tiles("all", tiles, Say("To all tables"), columns=len(tiles)))
    rows = []
    for one in look.sent:
        told: list[Words] = []
        if one.open:
            told.append(Say("no answer from table {tables}", tables=numbers(one.open)))
        told += one.refused
        whom = _TO.get(one.to) or Say("table {table}", table=Typed(one.to))
        rows.append(
            Item(
                str(one.n),
                several((Typed(str(one.n)), one.text, whom), "dots"),
                several(told, "dots") if told else None,
                Say("{done} of {all}", done=one.done, all=one.asked),
                state="danger" if one.refused else "plain",
            )
        )
    empty = (
        Say("Nothing has been ordered yet.")
        if look.view.live
        else Say("No table reports by itself here, so there is nobody to order.")
    )
    blocks.append(Rows("sent", tuple(rows), Say("Orders") if rows else None, empty))
    return tuple(blocks)


_TO = {"all": Say("all"), "round": Say("round")}

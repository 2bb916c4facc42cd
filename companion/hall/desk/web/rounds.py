"""The Round page: what is missing, pairings with their reasons, seating, orders to all, the announcement. Pure, every text escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from companion.core.text import Say, Typed
from companion.hall.desk.web.html import choice, field, form, grid, hidden, key, opens
from companion.hall.desk.web.view import (
    SYSTEMS,
    Playable,
    SentOrder,
    View,
    numbers,
    reasons_of,
    second_of,
    told_of,
)
from companion.hall.happenings import Pairing
from companion.hall.record import Round, Tournament, code_of
from companion.hall.voice import shown

__all__ = ["orders_of", "round_page", "sent_of"]


def round_page(
    view: View,
    token: str,
    sent: Sequence[SentOrder] = (),
    asking: Sequence[tuple[str, str]] = (),
    games: Sequence[Playable] = (),
) -> str:
    """Return round control: what is missing, the pairings with their reasons, the next round, the announcement."""
    now = view.now
    body = _round(view, now.rounds[-1], token) if now.rounds else ""
    if games and now.rounds and now.rounds[-1].missing:
        body += _seating(now.rounds[-1].number, token, games)
    if not now.rounds or not now.rounds[-1].missing:
        systems = choice(Say("System"), "system", SYSTEMS.items())
        title = Say("Pair round {n}", n=len(now.rounds) + 1)
        body += _title(title) + form("pair", token, systems, key(Say("Pair it"), "main"))
    text = field(
        Say("On the hall display"), "text", "long", value=now.announcement, most=300, is_needed=False
    )
    body += _title(Say("Announcement")) + form("announce", token, text, key(Say("Show it")))
    if asking:
        body += _title(Say("Boxes that ask to be let in"))
        body += f"<p>{shown(Say('Compare each with what its own screen shows.'))}</p>"
        for table, box in asking:
            body += form(
                "admit",
                token,
                hidden("table", table),
                hidden("box", box),
                key(Say("Table {table}: {box}, let it in", table=Typed(table), box=Typed(box))),
            )
    if view.live:
        body += _title(Say("All tables")) + orders_of("all", token, now.rules.sides) + sent_of(sent)
    return f'<div class="narrow">{body}</div>'


def _round(view: View, found: Round, token: str) -> str:
    now = view.now
    missing = (
        Say("Results to come: table {tables}.", tables=numbers(found.missing))
        if found.missing
        else Say("Every result is in.")
    )
    title = Say("Round {n} ({system})", n=found.number, system=SYSTEMS[found.system])
    paper = f'<a href="/paper" target="_blank">{shown(Say("Print this round"))}</a>'
    body = f"<h1>{shown(title)}</h1><p>{shown(missing)} {paper}</p>"
    if found.disputed:
        disputed = Say("In dispute: table {tables}.", tables=numbers(found.disputed))
        body += f'<p class="fault">{shown(disputed)}</p>'
    if found.number not in now.started:
        body += form("start", token, key(Say("Start the round clock"), "main"))
    reason_of = reasons_of(now, found)
    rows = [
        (
            f'<a href="/t/{p.table}">{p.table}</a>',
            escape(now.players[p.first].name),
            escape(second_of(now, p)),
            _outcome(now, found, p),
            opens(_code(now, found, p), reason_of[p.table]),
        )
        for p in found.tables
    ]
    body += grid((Say("Table"), *now.rules.sides, Say("Result"), Say("Code")), rows, (0,))
    if not found.results and not found.reports:
        people = [(p.id, p.name) for p in sorted(now.active, key=lambda p: p.name.casefold())]
        because = field(Say("because"), "reason")
        body += _title(Say("Before the first result")) + form(
            "swap",
            token,
            choice(Say("Exchange"), "one", people),
            choice(Say("with"), "other", people),
            because,
            key(Say("Exchange")),
        )
        sure = Say("Take the whole round back?")
        body += form("cancel", token, because, key(Say("Take the round back"), "risk"), sure=sure)
    return body


def _seating(number: int, token: str, games: Sequence[Playable]) -> str:
    """Return how the tables of a round are seated, and how they begin together."""
    titles = choice(Say("Scenario"), "game", ((f"{one.game}/{one.scenario}", one.title) for one in games))
    controls = dict.fromkeys(control for one in games for control in one.controls)
    control = choice(Say("Time control"), "control", (("", Say("as the scenario says")), *controls))
    minutes = field(Say("or minutes a side and stage"), "minutes", "short", most=4, is_needed=False)
    hint = Say("Each shows who plays what, and begins with one tap.")
    body = f"{_title(Say('Seat the boxes'))}<p>{shown(hint)}</p>"
    body += form(
        "seat", token, hidden("round", number), titles, control, minutes, key(Say("Seat every table"))
    )
    begin = (hidden("to", "all"), hidden("kind", "start"), hidden("round", number))
    sure = Say("Begin round {n} at every table that is seated?", n=number)
    return body + form("order", token, *begin, key(Say("Begin at every table")), sure=sure)


def orders_of(to: str, token: str, sides: Sequence[str]) -> str:
    """Return what may be wished of a table, or of all."""

    def order(kind: str, *inside: str, sure: Say | str = "") -> str:
        return form("order", token, hidden("to", to), hidden("kind", kind), *inside, sure=sure)

    reason, table = field(Say("Reason"), "reason", is_needed=False), Typed(to)
    if to == "all":
        pause = Say("Pause every table? Each pauses when the order arrives.")
        resume = Say("Let the clocks run at every table?")
        last = Say("Tell every table that this round is the last?")
    else:
        pause = Say("Pause table {table}? It pauses when the order arrives.", table=table)
        resume = Say("Let the clocks run at table {table}?", table=table)
        last = Say("Tell table {table} that this round is the last?", table=table)
    body = order("pause", reason, key(Say("Pause the clocks"), "risk"), sure=pause)
    body += order("resume", key(Say("Let the clocks run")), sure=resume)
    body += order("last_round", reason, key(Say("This round is the last")), sure=last)
    body += order("message", field(Say("Message"), "text", "long", most=300), key(Say("Send it")))
    if to != "all":
        which = choice(Say("Side"), "side", ((side, side) for side in sides))
        seconds = field(Say("Seconds, or -seconds"), "seconds", "short", most=6)
        body += order(
            "add_time", which, seconds, field(Say("Reason"), "reason"), key(Say("Correct the clock"))
        )
        adjourn = Say("Adjourn the game at table {table}?", table=table)
        body += order("adjourn", key(Say("Adjourn the game"), "risk"), sure=adjourn)
        won = choice(Say("Winner"), "side", (*((side, side) for side in sides), ("draw", Say("Draw"))))
        end = Say("End the game at table {table}? It is over then.", table=table)
        why = field(Say("Reason"), "reason")
        body += order("end", won, why, key(Say("End the game"), "risk"), sure=end)
        body += order("ask_log", key(Say("Have the whole log sent again")))
        out = Say(
            "Take the box of table {table} out of the hall? Only a new card lets it in again.", table=table
        )
        body += order("retire", key(Say("Take the box out of the hall"), "risk"), sure=out)
    return body


def sent_of(sent: Sequence[SentOrder]) -> str:
    """Return what has come of orders, with an honest count."""
    if not sent:
        return ""
    rows = []
    for one in sent:
        rest = (Say("no answer from table {tables}", tables=numbers(one.open)),) if one.open else ()
        open_ = "<br>".join(map(shown, (*one.refused, *rest)))
        to = _TO.get(one.to) or Say("table {table}", table=Typed(one.to))
        done = Say("{done} of {all}", done=one.done, all=one.asked)
        rows.append((str(one.n), shown(one.text), shown(to), shown(done), open_))
    heads = (Say("Order no."), Say("What"), Say("To"), Say("Done"), Say("Not done"))
    return grid(heads, rows, (0,))


_TO = {"all": Say("all"), "round": Say("round")}


def _title(words: Say) -> str:
    return f"<h2>{shown(words)}</h2>"


def _code(now: Tournament, found: Round, pairing: Pairing) -> Say:
    if pairing.second is None:
        return Say("bye, why")
    return Say("{code}, why", code=Typed(code_of(now, found.number, pairing)))


def _outcome(now: Tournament, found: Round, pairing: Pairing) -> str:
    if pairing.second is None:
        return ""
    if pairing.table in found.disputed:
        return f'<b class="fault">{shown(Say("dispute"))}</b>'
    result = found.results.get(pairing.table)
    return shown(Say("to come")) if result is None else escape(told_of(now, result))

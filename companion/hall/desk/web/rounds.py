"""The Round page: what is missing, pairings with their reasons, seating, orders to all, the announcement. Pure, every text escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from msgspec.structs import replace

from companion.hall.desk.web.html import choice, field, form, grid, hidden, key, opens
from companion.hall.desk.web.view import Playable, SentOrder, View, second_of, told_of
from companion.hall.pairing import reasons
from companion.hall.record import Paired, Pairing, Round, Tournament, code_of

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
        systems = choice("System", "system", ((one, one) for one in ("swiss", "robin", "knockout")))
        body += f"<h2>Pair round {len(now.rounds) + 1}</h2>" + form(
            "pair", token, systems, key("Pair it", "main")
        )
    text = field("On the hall display", "text", "long", value=now.announcement, most=300, is_needed=False)
    body += "<h2>Announcement</h2>" + form("announce", token, text, key("Show it"))
    if asking:
        body += "<h2>Boxes that ask to be let in</h2><p>Compare each with what its own screen shows.</p>"
        for table, box in asking:
            body += form(
                "admit",
                token,
                hidden("table", table),
                hidden("box", box),
                key(f"Table {table}: {box}, let it in"),
            )
    if view.live:
        body += "<h2>All tables</h2>" + orders_of("all", token, now.rules.sides) + sent_of(sent)
    return f'<div class="narrow">{body}</div>'


def _round(view: View, found: Round, token: str) -> str:
    now = view.now
    missing = (
        f"Results to come: table {', '.join(map(str, found.missing))}."
        if found.missing
        else "Every result is in."
    )
    body = f'<h1>Round {found.number} ({found.system})</h1><p>{missing} <a href="/paper" target="_blank">Print this round</a></p>'
    if found.disputed:
        body += f'<p class="fault">In dispute: table {", ".join(map(str, found.disputed))}.</p>'
    if found.number not in now.started:
        body += form("start", token, key("Start the round clock", "main"))
    why = reasons(_before(now, found), Paired(found.number, found.system, found.tables))
    told = {one.table: one.text for one in why}
    rows = [
        (
            f'<a href="/t/{p.table}">{p.table}</a>',
            escape(now.players[p.first].name),
            escape(second_of(now, p)),
            _outcome(now, found, p),
            opens(f"{code_of(now, found.number, p) if p.second is not None else 'bye'}, why", told[p.table]),
        )
        for p in found.tables
    ]
    body += grid(("Table", *now.rules.sides, "Result", "Code"), rows, (0,))
    if not found.results and not found.reports:
        people = [(p.id, p.name) for p in sorted(now.active, key=lambda p: p.name.casefold())]
        because = field("because", "reason")
        body += "<h2>Before the first result</h2>" + form(
            "swap",
            token,
            choice("Exchange", "one", people),
            choice("with", "other", people),
            because,
            key("Exchange"),
        )
        sure = "Take the whole round back?"
        body += form("cancel", token, because, key("Take the round back", "risk"), sure=sure)
    return body


def _seating(number: int, token: str, games: Sequence[Playable]) -> str:
    """Return how the tables of a round are seated, and how they begin together."""
    titles = choice("Scenario", "game", ((f"{one.game}/{one.scenario}", one.title) for one in games))
    controls = dict.fromkeys(control for one in games for control in one.controls)
    control = choice("Time control", "control", (("", "as the scenario says"), *controls))
    minutes = field("or minutes a side and stage", "minutes", "short", most=4, is_needed=False)
    body = "<h2>Seat the boxes</h2><p>Each shows who plays what, and begins with one tap.</p>"
    body += form("seat", token, hidden("round", number), titles, control, minutes, key("Seat every table"))
    begin = (hidden("to", "all"), hidden("kind", "start"), hidden("round", number))
    sure = f"Begin round {number} at every table that is seated?"
    return body + form("order", token, *begin, key("Begin at every table"), sure=sure)


def orders_of(to: str, token: str, sides: Sequence[str]) -> str:
    """Return what may be wished of a table, or of all."""

    def order(kind: str, *inside: str, sure: str = "") -> str:
        return form("order", token, hidden("to", to), hidden("kind", kind), *inside, sure=sure)

    every = "every table" if to == "all" else f"table {to}"
    reason = field("Reason", "reason", is_needed=False)
    body = order(
        "pause",
        reason,
        key("Pause the clocks", "risk"),
        sure=f"Pause {every}? Each pauses when the order arrives.",
    )
    body += order("resume", key("Let the clocks run"), sure=f"Let the clocks run at {every}?")
    body += order(
        "last_round", reason, key("This round is the last"), sure=f"Tell {every} that this round is the last?"
    )
    body += order("message", field("Message", "text", "long", most=300), key("Send it"))
    if to != "all":
        which = choice("Side", "side", ((side, side) for side in sides))
        seconds = field("Seconds, or -seconds", "seconds", "short", most=6)
        body += order("add_time", which, seconds, field("Reason", "reason"), key("Correct the clock"))
    return body


def sent_of(sent: Sequence[SentOrder]) -> str:
    """Return what has come of orders, with an honest count."""
    if not sent:
        return ""
    rows = []
    for one in sent:
        rest = f"no answer from table {', '.join(one.open)}" if one.open else ""
        told = "; ".join(part for part in (*one.refused, rest) if part)
        to = one.to if one.to in ("all", "round") else f"table {one.to}"
        rows.append((str(one.n), escape(one.text), to, f"{one.done} of {one.asked}", escape(told)))
    return grid(("Order", "What", "To", "Done", "Not done"), rows, (0,))


def _before(now: Tournament, found: Round) -> Tournament:
    return replace(now, rounds=now.rounds[: found.number - 1])


def _outcome(now: Tournament, found: Round, pairing: Pairing) -> str:
    if pairing.second is None:
        return ""
    if pairing.table in found.disputed:
        return '<b class="fault">dispute</b>'
    result = found.results.get(pairing.table)
    return "to come" if result is None else escape(told_of(now, result))

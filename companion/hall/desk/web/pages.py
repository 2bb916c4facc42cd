"""The director's pages and the display of the hall as HTML: pure, every text escaped, no script and no style inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from companion.hall.desk.web.html import choice, digits_of, field, form, grid, hidden, key, page
from companion.hall.outcome import Report, Result
from companion.hall.pairing import reasons
from companion.hall.record import Paired, Pairing, Round, Tournament, code_of
from companion.hall.standings import TIE_BREAK_NAMES, points_text, standings
from companion.hall.wall import NEEDS, Clock, Live, Tile, tiles

__all__ = [
    "Parts",
    "View",
    "document",
    "login",
    "players",
    "round_page",
    "score",
    "second_of",
    "table_page",
    "table_parts",
    "wall",
    "wall_page",
]

_NAV = (("/", "Wall"), ("/round", "Round"), ("/standings", "Standings"), ("/players", "Players"))


class View(NamedTuple):
    """All that pages are made of."""

    now: Tournament
    live: Mapping[str, Live]
    now_ms: int
    """The director's clock."""
    zero_ms: int | None = None
    """When the round is over by that clock; None: no round clock."""
    link: str = ""
    """Why tables are not heard; empty: they are."""

    @property
    def left_ms(self) -> int | None:
        """What is left of the round; below zero once it is over."""
        return None if self.zero_ms is None else self.zero_ms - self.now_ms


class Parts(NamedTuple):
    """A live page: pieces by their key, in order, and when the tables among them were heard last."""

    order: tuple[str, ...]
    html: dict[str, str]
    heard: dict[str, int] = {}


def document(
    view: View, path: str, body: str, *, told: str = "", is_fault: bool = False, css: str = ""
) -> str:
    """Return a whole page with its head; `told` is what came of the last act."""
    links = "".join(
        f'<a href="{href}"{" aria-current=page" if href == path else ""}>{name}</a>' for href, name in _NAV
    )
    line = (
        f'<p id="told" role="status"{" class=fault" if is_fault else ""}>{escape(told)}</p>' if told else ""
    )
    head = (
        f'<header><b>{escape(view.now.name)}</b>{_clock(view)}<span id="link"></span>'
        f'<nav>{links}<a href="/hall" target="_blank">Hall display</a></nav></header>'
    )
    return page(view.now.name, f"{head}{line}<main>{body}</main>", css, view.now_ms)


def login(name: str, told: str = "", code: str = "") -> str:
    """Return the way in."""
    fault = f'<p class="fault">{escape(told)}</p>' if told else ""
    hint = '<p class="muted">The code stands where companion hall run was begun.</p>'
    line = field("Director's code", "code", value=code, most=16)
    ask = f'<form method="post" action="/in">{line}{key("Enter", "main")}</form>'
    body = f'<h1>{escape(name)}</h1>{hint}{fault}{ask}<p><a href="/hall">Hall display</a></p>'
    return page(name, f'<main class="narrow">{body}</main>')


def _clock(view: View) -> str:
    if not view.now.rounds:
        return ""
    number = view.now.rounds[-1].number
    if view.zero_ms is None:
        return f"<span>Round {number}</span>"
    left = view.zero_ms - view.now_ms
    shown = "time is up" if left < 0 else digits_of(left)
    return f'<span>Round {number}: <b class="clock" data-zero="{view.zero_ms}" data-over="time is up">{shown}</b></span>'


# The wall


def wall(view: View) -> Parts:
    """Return the wall: a line that counts, then a tile a table, the one that needs the director most first."""
    found = tiles(view.now, view.live, view.now_ms, view.left_ms)
    density = "most" if len(found) > 90 else "many" if len(found) > 30 else "few" if len(found) <= 12 else ""
    counts = {need: sum(tile.need == need for tile in found) for need in NEEDS}
    keys = "".join(
        f'<button type="button" class="{need}" data-need="{need}" aria-pressed="false"><i class="shape"></i>{count} {NEEDS[need]}</button>'
        for need, count in counts.items()
        if count
    )
    link = f'<span class="muted">{escape(view.link)}</span>' if view.link else ""
    html = {
        "sum": f'<div id="sum" data-part="sum">{keys or "<span>No round has been paired yet.</span>"}{link}</div>'
    }
    for tile in found:
        html[f"t{tile.table}"] = _tile(tile)
    html["wall"] = f'<div class="wall {density}"></div>'
    heard = {f"t{tile.table}": tile.live.heard_ms for tile in found if tile.live.state is not None}
    return Parts(("sum", *(f"t{tile.table}" for tile in found)), html, heard)


def wall_page(view: View) -> str:
    """Return the wall as a whole page, to begin with."""
    parts = wall(view)
    inside = "".join(parts.html[key] for key in parts.order[1:])
    tiles_ = parts.html["wall"].replace("></div>", f">{inside}</div>")
    return f'<div id="parts" data-live="/live/wall">{parts.html["sum"]}{tiles_}</div>'


def _tile(tile: Tile) -> str:
    state, key = tile.live.state, f"t{tile.table}"
    clocks = {one.side: one for one in tile.clocks}
    names = "".join(
        f'<p class="who"><span class="side" title="{escape(side)}">{escape(side[:2])}</span><span class="name">{escape(name)}</span>'
        f"{_digits(clocks[side.casefold()]) if side.casefold() in clocks else ''}</p>"
        for name, side in zip(tile.names, tile.sides, strict=True)
    )
    where = ""
    if state is not None:
        words = [f"Stage {state.stage}" if state.stage else "", state.phase, state.act]
        where = f'<p class="where">{escape(" · ".join(word for word in words if word))}</p>'
        if state.vp:
            points = " : ".join("–" if one is None else str(one) for one in state.vp.values())
            far = ", ".join(one for one in state.far.values() if one)
            where += f'<p class="vp">{escape(points)} VP{f" · {escape(far)}" if far else ""}</p>'
    css = " ".join(
        one
        for one, is_on in (
            ("tile", True),
            (tile.need, True),
            ("urgent", tile.need in _URGENT),
            ("silent", tile.is_silent),
        )
        if is_on
    )
    return (
        f'<a class="{css}" id="{key}" data-part="{key}" data-table="{tile.table}" href="/t/{tile.table}">'
        f'<div class="top"><b>{tile.table}</b><i class="shape"></i><span class="word">{escape(tile.word)}</span></div>'
        f'{names}{where}<p class="age"{_heard(tile.live)}></p></a>'
    )


_URGENT = ("dispute", "called", "flag", "gap", "lost")


def _heard(live: Live) -> str:
    return "" if live.state is None else f' data-heard="{live.heard_ms}"'


def _digits(one: Clock) -> str:
    if one.zero_ms is None:
        return f'<b class="digits">{digits_of(one.left_ms)}</b>'
    return f'<b class="digits run" data-zero="{one.zero_ms}">{digits_of(one.left_ms)}</b>'


# The round


def round_page(
    view: View, token: str, sent: Sequence[SentOrder] = (), asking: Sequence[tuple[str, str]] = ()
) -> str:
    """Return round control: what is missing, the pairings with their reasons, the next round, the announcement."""
    now = view.now
    body = _round(view, now.rounds[-1], token) if now.rounds else ""
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
        body += "<h2>All tables</h2>" + _orders("all", token, now.rules.sides) + _sent(sent)
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
            _opens(f"{code_of(now, found.number, p) if p.second is not None else 'bye'}, why", told[p.table]),
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


def _orders(to: str, token: str, sides: Sequence[str]) -> str:
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


def _sent(sent: Sequence[SentOrder]) -> str:
    """Return what has come of orders, with an honest count."""
    if not sent:
        return ""
    rows = []
    for one in sent:
        rest = f"no answer from table {', '.join(one.open)}" if one.open else ""
        told = "; ".join(part for part in (*one.refused, rest) if part)
        to = "all" if one.to == "all" else f"table {one.to}"
        rows.append((str(one.n), escape(one.text), to, f"{one.done} of {one.asked}", escape(told)))
    return grid(("Order", "What", "To", "Done", "Not done"), rows, (0,))


class SentOrder(Protocol):
    """An order and what has come of it."""

    @property
    def n(self) -> int: ...
    @property
    def to(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def asked(self) -> int: ...
    @property
    def done(self) -> int: ...
    @property
    def refused(self) -> tuple[str, ...]: ...
    @property
    def open(self) -> tuple[str, ...]: ...


def _before(now: Tournament, found: Round) -> Tournament:
    return replace(now, rounds=now.rounds[: found.number - 1])


def second_of(now: Tournament, pairing: Pairing) -> str:
    """Return the second player of a pairing, or that it is a bye."""
    return "bye" if pairing.second is None else now.players[pairing.second].name


def _outcome(now: Tournament, found: Round, pairing: Pairing) -> str:
    if pairing.second is None:
        return ""
    if pairing.table in found.disputed:
        return '<b class="fault">dispute</b>'
    result = found.results.get(pairing.table)
    return "to come" if result is None else escape(_told(now, result))


def _told(now: Tournament, result: Result) -> str:
    won = "nobody came" if result.how == "double_forfeit" else "draw"
    if result.winner is not None:
        won = now.players[result.winner].name
    points = "" if result.vp is None else f" {result.vp[0]}:{result.vp[1]}"
    how = "" if result.how in ("played", "double_forfeit") else f" ({result.how})"
    return f"{won}{points}{how}"


# One table


def table_page(view: View, table: int, token: str, log: Sequence[str], sent: Sequence[SentOrder] = ()) -> str:
    """Return one table of the newest round: its clocks and log where it is heard, its reports, and how a result is entered."""
    now = view.now
    found = now.rounds[-1]
    pairing = next(one for one in found.tables if one.table == table)
    tile = next((one for one in tiles(now, view.live, view.now_ms, view.left_ms) if one.table == table), None)
    names = f"{now.players[pairing.first].name} - {second_of(now, pairing)}"
    body = f"<h1>Table {table}</h1><p>Round {found.number}, {escape(names)}"
    if pairing.second is None:
        return f'<div class="narrow">{body}</p></div>'
    body += f", code {code_of(now, found.number, pairing)}</p>"
    if tile is not None:
        live = f'<div id="parts" data-live="/live/table?n={table}">'
        body += f'{live}<div class="wall">{_tile(tile)}</div></div>'
        body += "".join(f'<p class="fault">{escape(one)}</p>' for one in tile.live.told[-3:])
    reports = [
        (_way(one), escape(_told(now, one.result)), escape(_from(one)))
        for one in found.reports.get(table, ())
    ]
    if reports:
        body += "<h2>Reported</h2>" + grid(("Way", "Result", "From"), reports)
    if table in found.disputed:
        body += '<p class="fault">Different results are reported. The table has none until you decide.</p>'
    if table in found.decided:
        body += "<p>The result is your decision.</p>"
    body += _entry(now, found, pairing, token)
    if str(table) in view.live:
        mine = [one for one in sent if one.to in ("all", str(table))]
        body += "<h2>Orders to this table</h2>" + _orders(str(table), token, now.rules.sides) + _sent(mine)
    if log:
        body += (
            '<h2>Log</h2><ol class="log" reversed>'
            + "".join(f"<li>{escape(one)}</li>" for one in log)
            + "</ol>"
        )
    return f'<div class="narrow">{body}</div>'


def _entry(now: Tournament, found: Round, pairing: Pairing, token: str) -> str:
    """Return the ways in which a result comes in here: a decision, a slip read by two, the box's code."""
    table = pairing.table
    seats = [
        (one, f"{now.players[one].name} ({side})")
        for one, side in zip((pairing.first, pairing.second), now.rules.sides, strict=True)
        if one is not None
    ]
    winner = choice("Winner", "winner", (*seats, ("draw", "Draw"), ("nobody", "Nobody came")))
    how = choice("How", "how", ((one, one) for one in ("played", "conceded", "forfeit")))
    points = "".join(
        field(f"VP {side}", f"vp{n}", "short", most=5, is_needed=False)
        for n, side in enumerate(now.rules.sides, 1)
    )
    where = hidden("round", found.number) + hidden("table", table)
    body = ""
    if table in found.results or table in found.disputed:
        sure = "Your decision stands, whatever is reported later. Decide so?"
        reason = field("Reason", "reason", "long")
        body += "<h2>Decide</h2>" + form(
            "decide", token, where, winner, how, points, reason, key("Decide so", "risk"), sure=sure
        )
    eyes = field("Read by", "eye1", most=60) + field("and by", "eye2", most=60)
    body += "<h2>From the slip, read by two</h2>" + form(
        "paper", token, where, winner, how, points, eyes, key("Enter", "main")
    )
    boxes = ", ".join(box for box, at in now.boxes.items() if at == table) or "none is known"
    body += f'<h2>From the table\'s box</h2><p class="muted">Box of this table: {escape(boxes)}</p>'
    body += form("take", token, where, field("Text of its code", "text", "long", most=900), key("Take it"))
    body += form(
        "box",
        token,
        where,
        field("Fingerprint that the box shows", "box"),
        key(f"This box signs for table {table}"),
    )
    return body


def table_parts(view: View, table: int) -> Parts:
    """Return the live part of a table's page."""
    found = [tile for tile in tiles(view.now, view.live, view.now_ms, view.left_ms) if tile.table == table]
    key = f"t{table}"
    heard = {key: found[0].live.heard_ms} if found and found[0].live.state is not None else {}
    return Parts((key,) if found else (), {key: _tile(found[0])} if found else {}, heard)


def _way(one: Report) -> str:
    return {"code": "code of the box", "link": "link", "paper": "paper"}[one.way]


def _from(one: Report) -> str:
    return f"box {one.box}, entry {one.seq}" if one.box else " and ".join(one.eyes) or "the desk"


# Standings, players


def score(view: View) -> str:
    """Return the standings; each figure opens its sum."""
    now, unit = view.now, view.now.rules.score.unit
    upto = len(now.rounds) - (1 if now.rounds and now.rounds[-1].missing else 0)
    names = [TIE_BREAK_NAMES[name] for name in now.rules.tie_breaks]
    rows = []
    for row in standings(now, None if now.cut_after else upto):
        figures = [
            _opens(points_text(value, unit) if name in _IN_POINTS else _figure(name, value), text)
            for name, value, text in zip(now.rules.tie_breaks, row.figures, row.sums[1:], strict=True)
        ]
        name = escape(row.player.name) + (" (withdrawn)" if row.is_withdrawn else "")
        total = _opens(points_text(row.units, unit), row.sums[0])
        rows.append((str(row.rank), name, escape(row.player.club), total, *figures))
    notes = "".join(f"<p>{escape(note)}</p>" for note in now.notes)
    title = f"Standings after round {upto}" if upto else "Players"
    told = f"Each figure opens its sum. Lots are drawn from the seed {now.seed}."
    table = grid(("", "Player", "Club", "Points", *names), rows, (0, *range(3, 4 + len(names))))
    return f'<h1>{title}</h1><p class="muted">{escape(told)}</p>{table}{notes}'


_IN_POINTS = ("head_to_head", "buchholz", "median", "sonneborn_berger")


def _opens(figure: str, text: str) -> str:
    return f"<details><summary>{escape(figure)}</summary>{escape(text)}</details>" if text else escape(figure)


def _figure(name: str, value: float) -> str:
    if name == "time_left":
        return f"{int(value) // 60}:{int(value) % 60:02d}"
    return "by lot" if name == "lot" else f"{value:g}"


def players(view: View, token: str) -> str:
    """Return who plays, and the forms to enter, withdraw and bring back."""
    rows = []
    for one in view.now.players.values():
        act, word = ("return", "Bring back") if one.id in view.now.withdrawn else ("withdraw", "Withdraw")
        rows.append(
            (
                str(one.id),
                escape(one.name),
                escape(one.club),
                form(act, token, hidden("player", one.id), key(word)),
            )
        )
    enter = form(
        "enter",
        token,
        field("Name", "name", most=60),
        field("Club", "club", most=60, is_needed=False),
        key("Enter", "main"),
    )
    head = f"<h1>{len(view.now.active)} players</h1>{enter}"
    return f'<div class="narrow">{head}{grid(("No.", "Name", "Club", ""), rows, (0,))}</div>'

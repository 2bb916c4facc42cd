"""The director's pages and the display of the hall as HTML: pure, every text escaped, no script and no style inside."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from companion.hall.desk.web.html import (
    choice,
    digits_of,
    field,
    form,
    grid,
    hidden,
    key,
    opens,
    page,
    short_name,
)
from companion.hall.desk.web.rounds import orders_of, sent_of
from companion.hall.desk.web.view import Parts, SentOrder, View, second_of, told_of
from companion.hall.outcome import Report
from companion.hall.record import Pairing, Round, Tournament, code_of
from companion.hall.standings import TIE_BREAK_NAMES, points_text, standings
from companion.hall.wall import NEEDS, Clock, Live, Tile, tiles

__all__ = [
    "document",
    "login",
    "players",
    "score",
    "table_page",
    "table_parts",
    "wall",
    "wall_page",
]

_NAV = (("/", "Wall"), ("/round", "Round"), ("/standings", "Standings"), ("/players", "Players"))


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
        html[f"t{tile.table}"] = _tile(tile, _LINE_MOST[density])
    html["wall"] = f'<div class="wall {density}"></div>'
    heard = {f"t{tile.table}": tile.live.heard_ms for tile in found if tile.live.state is not None}
    return Parts(("sum", *(f"t{tile.table}" for tile in found)), html, heard)


def wall_page(view: View) -> str:
    """Return the wall as a whole page, to begin with."""
    parts = wall(view)
    inside = "".join(parts.html[key] for key in parts.order[1:])
    tiles_ = parts.html["wall"].replace("></div>", f">{inside}</div>")
    return f'<div id="parts" data-live="/live/wall">{parts.html["sum"]}{tiles_}</div>'


_LINE_MOST = {"most": 19, "many": 18, "": 20, "few": 22}
"""Characters of a name and a clock together that stand in a line, by how dense the wall is."""


def _tile(tile: Tile, most: int = 20) -> str:
    state, key = tile.live.state, f"t{tile.table}"
    clocks = {one.side: one for one in tile.clocks}
    names = ""
    for name, side in zip(tile.names, tile.sides, strict=True):
        clock = clocks.get(side.casefold())
        shown = short_name(name, most - (0 if clock is None else len(digits_of(clock.left_ms))))
        names += (
            f'<p class="who"><span class="side" title="{escape(side)}">{escape(side[:2])}</span>'
            f'<span class="name" title="{escape(name)}">{escape(shown)}</span>'
            f"{'' if clock is None else _digits(clock)}</p>"
        )
    where = ""
    if state is not None:
        words = [f"Stage {state.stage}" if state.stage else "", state.phase, state.act]
        where = f'<p class="where">{escape(" · ".join(word for word in words if word))}</p>'
        if state.vp:
            points = " : ".join("–" if one is None else f"{one:g}" for one in state.vp.values())
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
        f'{names}{where}<p class="age"{_heard(tile.live)}><span>last seen </span><b></b><span> ago</span></p></a>'
    )


_URGENT = ("dispute", "called", "flag", "gap", "lost")


def _heard(live: Live) -> str:
    return "" if live.state is None else f' data-heard="{live.heard_ms}"'


def _digits(one: Clock) -> str:
    if one.zero_ms is None:
        return f'<b class="digits">{digits_of(one.left_ms)}</b>'
    return f'<b class="digits run" data-zero="{one.zero_ms}">{digits_of(one.left_ms)}</b>'


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
        (_way(one), escape(told_of(now, one.result)), escape(_from(one)))
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
        mine = [one for one in sent if one.to in ("all", "round", str(table))]
        body += (
            "<h2>Orders to this table</h2>" + orders_of(str(table), token, now.rules.sides) + sent_of(mine)
        )
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
            opens(points_text(value, unit) if name in _IN_POINTS else _figure(name, value), text)
            for name, value, text in zip(now.rules.tie_breaks, row.figures, row.sums[1:], strict=True)
        ]
        name = escape(row.player.name) + (" (withdrawn)" if row.is_withdrawn else "")
        total = opens(points_text(row.units, unit), row.sums[0])
        rows.append((str(row.rank), name, escape(row.player.club), total, *figures))
    notes = "".join(f"<p>{escape(note)}</p>" for note in now.notes)
    title = f"Standings after round {upto}" if upto else "Players"
    told = f"Each figure opens its sum. Lots are drawn from the seed {now.seed}."
    table = grid(("", "Player", "Club", "Points", *names), rows, (0, *range(3, 4 + len(names))))
    return f'<h1>{title}</h1><p class="muted">{escape(told)}</p>{table}{notes}'


_IN_POINTS = ("head_to_head", "buchholz", "median", "sonneborn_berger")


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

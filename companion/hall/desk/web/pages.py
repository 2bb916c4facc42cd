"""The director's pages and the display of the hall as HTML: pure, every text escaped, no script and no style inside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from companion.core.text import Say, Typed
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
from companion.hall.desk.web.view import (
    HOWS,
    Parts,
    SentOrder,
    View,
    figure_of,
    numbers,
    place_of,
    points_of,
    round_says,
    second_of,
    source_of,
    told_of,
    whole_rounds,
)
from companion.hall.happenings import Pairing
from companion.hall.intake import WAYS
from companion.hall.record import Round, Tournament, code_of
from companion.hall.standings import TIE_BREAK_NAMES, points_text, standings
from companion.hall.voice import line_of, shown
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

_NAV = (
    ("/", Say("Wall")),
    ("/round", Say("This round")),
    ("/standings", Say("Standings")),
    ("/players", Say("Players")),
)


def document(
    view: View,
    path: str,
    body: str,
    *,
    told: Say | str = "",
    is_fault: bool = False,
    css: str = "",
    language: str = "en",
) -> str:
    """Return a whole page with its head; `told` is what came of the last act."""
    links = "".join(
        f'<a href="{href}"{" aria-current=page" if href == path else ""}>{shown(name)}</a>'
        for href, name in _NAV
    )
    line = (
        f'<p id="told" role="status"{" class=fault" if is_fault else ""}>{escape(line_of(told))}</p>'
        if told
        else ""
    )
    head = (
        f'<header><b>{escape(view.now.name)}</b>{_clock(view)}<span id="link"></span>'
        f'<nav>{links}<a href="/hall" target="_blank">{shown(Say("Hall display"))}</a></nav></header>'
    )
    return page(view.now.name, f"{head}{line}<main>{body}</main>", css, view.now_ms, language)


def login(
    name: str,
    told: Say | None = None,
    code: str = "",
    language: str = "en",
    languages: Iterable[tuple[str, str]] = (),
) -> str:
    """Return the way in; `languages` are those of the page, by code and own name."""
    fault = "" if told is None else f'<p class="fault">{shown(told)}</p>'
    hint = f'<p class="muted">{shown(Say("The code stands where companion hall run was begun."))}</p>'
    line = field(Say("Director's code"), "code", value=code, most=16)
    ask = f'<form method="post" action="/in">{line}{key(Say("Enter"), "main")}</form>'
    body = f'<h1>{escape(name)}</h1>{hint}{fault}{ask}<p><a href="/hall">{shown(Say("Hall display"))}</a></p>'
    body += _languages(language, languages)
    return page(name, f'<main class="narrow">{body}</main>', language=language)


def _languages(language: str, languages: Iterable[tuple[str, str]]) -> str:
    """Return the way to the page's other languages, each by its own name."""
    links = (
        f'<a href="?lang={code}" lang="{code}">{escape(name)}</a>'
        for code, name in languages
        if code != language
    )
    return f"<p>{' · '.join(links)}</p>"


def _title(words: Say) -> str:
    return f"<h2>{shown(words)}</h2>"


def _clock(view: View) -> str:
    if not view.now.rounds:
        return ""
    number = view.now.rounds[-1].number
    word = shown(round_says(number))
    if view.zero_ms is None:
        return f"<span>{word}</span>"
    left, over = view.zero_ms - view.now_ms, shown(Say("time is up"))
    digits = over if left < 0 else digits_of(left)
    return f'<span>{word}: <b class="clock" data-zero="{view.zero_ms}" data-over="{over}">{digits}</b></span>'


# The wall


def wall(view: View) -> Parts:
    """Return the wall: a line that counts, then a tile a table, the one that needs the director most first."""
    found = tiles(view.now, view.live, view.now_ms, view.left_ms)
    density = "most" if len(found) > 90 else "many" if len(found) > 30 else "few" if len(found) <= 12 else ""
    counts = {need: sum(tile.need == need for tile in found) for need in NEEDS}
    keys = "".join(
        f'<button type="button" class="{need}" data-need="{need}" aria-pressed="false">'
        f'<i class="shape"></i>{count} {shown(NEEDS[need])}</button>'
        for need, count in counts.items()
        if count
    )
    link = f'<span class="muted">{shown(view.link)}</span>' if view.link else ""
    none = f"<span>{shown(Say('No round has been paired yet.'))}</span>"
    html = {"sum": f'<div id="sum" data-part="sum">{keys or none}{link}</div>'}
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
        short = short_name(name, most - (0 if clock is None else len(digits_of(clock.left_ms))))
        names += (
            f'<p class="who"><span class="side" title="{escape(side)}">{escape(side[:2])}</span>'
            f'<span class="name" title="{escape(name)}">{escape(short)}</span>'
            f"{'' if clock is None else _digits(clock)}</p>"
        )
    where = ""
    if state is not None:
        where = f'<p class="where">{escape(place_of(state))}</p>'
        if points := points_of(state, tile.sides):
            where += f'<p class="vp">{escape(points)}</p>'
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
    age = shown(Say("last seen {time} ago", time=Typed("\0"))).replace("\0", "</span><b></b><span>")
    return (
        f'<a class="{css}" id="{key}" data-part="{key}" data-table="{tile.table}" href="/t/{tile.table}">'
        f'<div class="top"><b>{tile.table}</b><i class="shape"></i><span class="word">{shown(tile.word)}</span></div>'
        f'{names}{where}<p class="age"{_heard(tile.live)}><span>{age}</span></p></a>'
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
    head = Say("Round {n}, {names}", n=found.number, names=Typed(names))
    body = f"<h1>{shown(Say('Table {n}', n=table))}</h1><p>{shown(head)}"
    if pairing.second is None:
        return f'<div class="narrow">{body}</p></div>'
    code = Say("code {code}", code=Typed(code_of(now, found.number, pairing)))
    body += f", {shown(code)}</p>"
    if tile is not None:
        live = f'<div id="parts" data-live="/live/table?n={table}">'
        body += f'{live}<div class="wall">{_tile(tile)}</div></div>'
        body += "".join(f'<p class="fault">{escape(one)}</p>' for one in tile.live.told[-3:])
    reports = [
        (shown(WAYS[one.way]), escape(told_of(now, one.result)), shown(source_of(one)))
        for one in found.reports.get(table, ())
    ]
    if reports:
        body += _title(Say("Reported")) + grid((Say("Way"), Say("Result"), Say("From")), reports)
    if table in found.disputed:
        words = Say("Different results are reported. The table has none until you decide.")
        body += f'<p class="fault">{shown(words)}</p>'
    if table in found.decided:
        body += f"<p>{shown(Say('The result is your decision.'))}</p>"
    body += _entry(now, found, pairing, token)
    if str(table) in view.live:
        mine = [one for one in sent if one.to in ("all", "round", str(table))]
        body += (
            _title(Say("Orders to this table"))
            + orders_of(str(table), token, now.rules.sides)
            + sent_of(mine)
        )
    if log:
        body += (
            _title(Say("Log"))
            + '<ol class="log" reversed>'
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
    winner = choice(Say("Winner"), "winner", (*seats, ("draw", Say("Draw")), ("nobody", Say("Nobody came"))))
    how = choice(Say("How"), "how", ((one, HOWS[one]) for one in ("played", "conceded", "forfeit")))
    points = "".join(
        field(Say("VP {side}", side=Typed(side)), f"vp{n}", "short", most=5, is_needed=False)
        for n, side in enumerate(now.rules.sides, 1)
    )
    where = hidden("round", found.number) + hidden("table", table)
    body = ""
    if table in found.results or table in found.disputed:
        sure = Say("Your decision stands, whatever is reported later. Decide so?")
        reason = field(Say("Reason"), "reason", "long")
        body += _title(Say("Decide")) + form(
            "decide", token, where, winner, how, points, reason, key(Say("Decide so"), "risk"), sure=sure
        )
    eyes = field(Say("Read by"), "eye1", most=60) + field(Say("and by"), "eye2", most=60)
    body += _title(Say("From the slip, read by two")) + form(
        "paper", token, where, winner, how, points, eyes, key(Say("Enter"), "main")
    )
    boxes = [box for box, at in now.boxes.items() if at == table]
    mine = (
        Say("Box of this table: {boxes}", boxes=numbers(boxes))
        if boxes
        else Say("Box of this table: none is known")
    )
    body += _title(Say("From the table's box")) + f'<p class="muted">{shown(mine)}</p>'
    body += form(
        "take", token, where, field(Say("Text of its code"), "text", "long", most=900), key(Say("Take it"))
    )
    body += form(
        "box",
        token,
        where,
        field(Say("Fingerprint that the box shows"), "box"),
        key(Say("This box signs for table {table}", table=table)),
    )
    return body


def table_parts(view: View, table: int) -> Parts:
    """Return the live part of a table's page."""
    found = [tile for tile in tiles(view.now, view.live, view.now_ms, view.left_ms) if tile.table == table]
    key = f"t{table}"
    heard = {key: found[0].live.heard_ms} if found and found[0].live.state is not None else {}
    return Parts((key,) if found else (), {key: _tile(found[0])} if found else {}, heard)


# Standings, players


def score(view: View) -> str:
    """Return the standings; each figure opens its sum."""
    now, unit = view.now, view.now.rules.score.unit
    upto = whole_rounds(now)
    names = [TIE_BREAK_NAMES[name] for name in now.rules.tie_breaks]
    rows = []
    for row in standings(now, None if now.cut_after else upto):
        figures = [
            opens(figure_of(now, name, value), text)
            for name, value, text in zip(now.rules.tie_breaks, row.figures, row.sums[1:], strict=True)
        ]
        name = escape(row.player.name) + (f" ({shown(Say('withdrawn'))})" if row.is_withdrawn else "")
        total = opens(points_text(row.units, unit), row.sums[0])
        rows.append((str(row.rank), name, escape(row.player.club), total, *figures))
    notes = "".join(f"<p>{shown(note)}</p>" for note in now.notes)
    title = Say("Standings after round {n}", n=upto) if upto else Say("Players")
    hint = Say("Each figure opens its sum. Lots are drawn from the seed {seed}.", seed=Typed(now.seed))
    table = grid(
        ("", Say("Player"), Say("Club"), Say("Points"), *names), rows, (0, *range(3, 4 + len(names)))
    )
    return f'<h1>{shown(title)}</h1><p class="muted">{shown(hint)}</p>{table}{notes}'


def players(view: View, token: str, language: str = "en", languages: Iterable[tuple[str, str]] = ()) -> str:
    """Return who plays, and the forms to enter, withdraw and bring back."""
    rows = []
    for one in view.now.players.values():
        act, word = (
            ("return", Say("Bring back")) if one.id in view.now.withdrawn else ("withdraw", Say("Withdraw"))
        )
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
        field(Say("Name"), "name", most=60),
        field(Say("Club"), "club", most=60, is_needed=False),
        key(Say("Enter"), "main"),
    )
    count = Say.counted("{n} player", "{n} players", len(view.now.active))
    head = f"<h1>{shown(count)}</h1>{enter}"
    table = grid((Say("No."), Say("Name"), Say("Club"), ""), rows, (0,))
    return f'<div class="narrow">{head}{table}{_languages(language, languages)}</div>'

"""The hall's display, for a browser in kiosk without a login: the round's clock, the announcement, who plays where, the standings."""

from __future__ import annotations

from html import escape

from companion.core.text import Say
from companion.hall.desk.web.html import cells, digits_of, page
from companion.hall.desk.web.view import Parts, View, round_says, second_of, whole_rounds
from companion.hall.record import Tournament
from companion.hall.standings import points_text, standings
from companion.hall.voice import shown

__all__ = ["display", "display_page"]

_ROWS_A_SLIDE = 28


def display(view: View) -> Parts:
    """Return what the hall sees: the round's clock, the announcement, where everybody plays, and the standings in turn."""
    now = view.now
    head = f'<header data-part="head"><b>{escape(now.name)}</b>'
    if now.rounds:
        head += f"<span>{shown(round_says(now.rounds[-1].number))}</span>"
    if view.left_ms is not None:
        over = shown(Say("Time is up"))
        digits = over if view.left_ms < 0 else digits_of(view.left_ms)
        head += f'<b class="clock left" data-zero="{view.zero_ms}" data-over="{over}">{digits}</b>'
    head += '<span id="link"></span></header>'
    said = f'<p class="say">{escape(now.announcement)}</p>' if now.announcement else ""
    slides = "".join(
        f'<section class="slide{" on" if at == 0 else ""}"><h2>{shown(title)}</h2><div class="columns">{inside}</div></section>'
        for at, (title, inside) in enumerate(_slides(now))
    )
    html = {
        "head": head,
        "say": f'<div data-part="say">{said}</div>',
        "slides": f'<div data-part="slides">{slides}</div>',
    }
    return Parts(tuple(html), html)


def display_page(view: View, language: str = "en") -> str:
    """Return the display as a whole page, to begin with."""
    parts = display(view)
    inside = "".join(parts.html[key] for key in parts.order)
    main = f'<main id="parts" data-live="/live/hall">{inside}</main>'
    return page(view.now.name, main, "hall", view.now_ms, language)


def _slides(now: Tournament) -> list[tuple[Say, str]]:
    """Return titles and what stands below them, HTML."""
    found: list[tuple[Say, str]] = []
    if now.rounds:
        newest, (first, second) = now.rounds[-1], now.rules.sides
        seats = []
        for p in newest.tables:
            side = "" if p.second is None else first
            seats.append((now.players[p.first].name, p.table, side, second_of(now, p)))
            if p.second is not None:
                seats.append((now.players[p.second].name, p.table, second, now.players[p.first].name))
        seats.sort(key=lambda seat: seat[0].casefold())
        rows = [
            cells((escape(name), f"<b>{table}</b>", escape(side), escape(other)), (1,))
            for name, table, side, other in seats
        ]
        found += _cut(Say("Round {n}: where you play", n=newest.number), rows)
    upto = whole_rounds(now)
    if upto:
        unit = now.rules.score.unit
        rows = [
            cells((str(row.rank), escape(row.player.name), f"<b>{points_text(row.units, unit)}</b>"), (0, 2))
            for row in standings(now, None if now.cut_after else upto)
            if not row.is_withdrawn
        ]
        found += _cut(Say("Standings after round {n}", n=upto), rows)
    return found or [(Say("Welcome"), f"<p>{shown(Say('The first round has not been paired yet.'))}</p>")]


def _cut(title: Say, rows: list[str]) -> list[tuple[Say, str]]:
    chunks = [rows[at : at + _ROWS_A_SLIDE] for at in range(0, len(rows), _ROWS_A_SLIDE)]
    return [
        (
            title if len(chunks) == 1 else Say("{title} ({n} of {all})", title=title, n=at, all=len(chunks)),
            f"<table><tbody>{''.join(chunk)}</tbody></table>",
        )
        for at, chunk in enumerate(chunks, 1)
    ]

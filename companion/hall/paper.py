"""Paper: pairings, slips, standings and place cards of a tournament as one page that needs nothing else.

One file of HTML with its style inside; a browser prints it on A4 or Letter. Every part begins on a new sheet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from msgspec.structs import replace

from companion.core.text import Say, Typed
from companion.hall.happenings import Paired, Pairing, Player
from companion.hall.pairing import reasons
from companion.hall.record import Round, Tournament, code_of
from companion.hall.result import hall_mark
from companion.hall.standings import TIE_BREAK_NAMES, Game, games_of, points_text, scores, standings
from companion.hall.voice import shown

__all__ = ["STYLE", "page"]

STYLE = """
@page { margin: 12mm }
body { font: 11pt/1.35 system-ui, sans-serif; margin: 0; color: #000; background: #fff }
section { break-before: page } section:first-of-type { break-before: auto }
h1 { font-size: 18pt; margin: 0 0 2mm } p { margin: 0 0 3mm }
table { border-collapse: collapse; width: 100% } th { text-align: left; border-bottom: 1.5pt solid }
td, th { padding: 1mm 2mm; vertical-align: top } tr { break-inside: avoid } tbody tr:nth-child(even) { background: #eee }
.n { text-align: right; font-variant-numeric: tabular-nums } .sum { font-size: 8pt; color: #444 }
.slips, .cards { display: grid; grid-template-columns: 1fr 1fr; gap: 4mm }
.slip, .card { border: 1pt dashed #000; padding: 4mm; break-inside: avoid }
.slip b, .card b { font-size: 14pt } .code { font: bold 14pt monospace; float: right }
.box { display: inline-block; width: 4mm; height: 4mm; border: 1pt solid; margin: 0 1.5mm 0 4mm; vertical-align: -1mm }
.square { display: block; width: 22mm; height: 22mm; margin-left: auto }
.line { display: inline-block; width: 26mm; border-bottom: 1pt solid } .short { width: 12mm }
.sign { display: block; margin: 3mm 0 0 4mm; white-space: nowrap }
.ends span { white-space: nowrap } .ends .box { margin-left: 1.5mm } .card b { font-size: 26pt; display: block }
@media screen { body { max-width: 190mm; margin: 8mm auto; padding: 0 4mm } section { margin-bottom: 14mm } }
@media print { nav { display: none } }
"""
"""The only style of the page; whoever serves it may allow it by its hash."""


def page(now: Tournament, number: int | None = None, *, at: str = "", language: str = "en") -> str:
    """Return the whole page for a round (the newest one: None): pairings, slips, standings so far, place cards."""
    found = now.rounds[(number or len(now.rounds)) - 1] if now.rounds else None
    parts: list[str] = []
    if found is not None:
        parts += [_by_name(now, found), _by_table(now, found), _slips(now, found)]
    complete = 0 if found is None else found.number - bool(found.missing)
    parts += [_standings(now, complete), _cards(now)]
    title = escape(now.name)
    return (
        f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body>\n"
        + "\n".join(parts)
        + (f"\n<p>{shown(Say('Printed {time}', time=Typed(at[:16].replace('T', ', '))))}</p>" if at else "")
        + "</body></html>\n"
    )


def _head(now: Tournament, text: Say) -> str:
    return f"<h1>{shown(text)}</h1><p>{escape(now.name)}</p>"


def _rows(head: Iterable[Say | str], rows: Iterable[Iterable[str]], numbers: int = 0) -> str:
    """Return a table; the last `numbers` columns hold figures. Cells are HTML already."""
    names = list(head)
    first = len(names) - numbers

    def cells(tag: str, row: Iterable[str]) -> str:
        return "".join(
            f"<{tag}{' class=n' if index >= first else ''}>{cell}</{tag}>" for index, cell in enumerate(row)
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', map(shown, names))}</tr></thead><tbody>{body}</tbody></table>"


def _by_name(now: Tournament, found: Round) -> str:
    rows = []
    for pairing in found.tables:
        seats = [(pairing.first, pairing.second, 0)]
        if pairing.second is not None:
            seats.append((pairing.second, pairing.first, 1))
        for player, against, side in seats:
            other = shown(Say("bye")) if against is None else escape(now.players[against].name)
            plays = "" if against is None else escape(now.rules.sides[side])
            rows.append((escape(now.players[player].name), str(pairing.table), plays, other))
    rows.sort(key=lambda row: row[0].casefold())
    heads = (Say("Player"), Say("Table"), Say("Side"), Say("Opponent"))
    title = Say("Round {n}: where you play", n=found.number)
    return f"<section>{_head(now, title)}{_rows(heads, rows)}</section>"


def _by_table(now: Tournament, found: Round) -> str:
    why = {
        one.table: one.text
        for one in reasons(_before(now, found), Paired(found.number, found.system, found.tables))
    }
    rows = [
        (
            str(pairing.table),
            escape(now.players[pairing.first].name),
            shown(Say("bye")) if pairing.second is None else escape(now.players[pairing.second].name),
            f'<span class="sum">{shown(why[pairing.table])}</span>',
        )
        for pairing in found.tables
    ]
    minutes = now.rules.minutes
    hours = Say("The round lasts {time} hours.", time=Typed(f"{minutes // 60}:{minutes % 60:02d}"))
    lasts = f"<p>{shown(hours)}</p>" if minutes else ""
    title = Say("Round {n}: tables", n=found.number)
    return f"<section>{_head(now, title)}{lasts}{_rows((Say('Table'), *now.rules.sides, Say('Why')), rows)}</section>"


def _before(now: Tournament, found: Round) -> Tournament:
    return replace(now, rounds=now.rounds[: found.number - 1])


def _slips(now: Tournament, found: Round) -> str:
    slips = "".join(_slip(now, found, pairing) for pairing in found.tables if pairing.second is not None)
    return f'<section>{_head(now, Say("Round {n}: slips", n=found.number))}<div class="slips">{slips}</div></section>'


def _slip(now: Tournament, found: Round, pairing: Pairing) -> str:
    assert pairing.second is not None
    names = [escape(now.players[player].name) for player in (pairing.first, pairing.second)]
    lines = "".join(
        f'<p>{escape(side)}: <b>{name}</b><br><span class="box"></span>{shown(Say("won, VP"))} <span class="line short"></span> '
        f'<span class="sign">{shown(Say("signed"))} <span class="line"></span></span></p>'
        for side, name in zip(now.rules.sides, names, strict=True)
    )
    head = shown(Say("Table {n}, round {round}", n=Typed("\0"), round=found.number))
    head = head.replace("\0", f"<b>{pairing.table}</b>")
    return (
        f'<div class="slip"><span class="code">{code_of(now, found.number, pairing)}{_square(now, found, pairing)}</span>'
        f"{head}{lines}"
        + '<p class="ends">'
        + " ".join(
            f'<span><span class="box"></span>{shown(end)}</span>'
            for end in (Say("draw"), Say("conceded"), Say("time ran out"))
        )
        + "</p></div>"
    )


def _square(now: Tournament, found: Round, pairing: Pairing) -> str:
    """Return what the table's box reads from the slip: the hall's mark and the code."""
    import segno

    text = f"{hall_mark(now.id)}.{code_of(now, found.number, pairing)}"
    made = segno.make(text, error="m", micro=False)
    return str(made.svg_inline(border=2, svgclass="square", lineclass=None, omitsize=True))


def _standings(now: Tournament, upto: int) -> str:
    unit = now.rules.score.unit
    names = [TIE_BREAK_NAMES[name] for name in now.rules.tie_breaks]
    rows = []
    for row in standings(now, upto):
        figures = [
            f"{points_text(value, unit) if name in ('head_to_head', 'buchholz', 'median', 'sonneborn_berger') else _figure(name, value)}"
            f'<br><span class="sum">{shown(text)}</span>'
            for name, value, text in zip(now.rules.tie_breaks, row.figures, row.sums[1:], strict=True)
        ]
        name = escape(row.player.name) + (f" ({shown(Say('withdrawn'))})" if row.is_withdrawn else "")
        total = f'{points_text(row.units, unit)}<br><span class="sum">{shown(row.sums[0])}</span>'
        rows.append((str(row.rank), name, escape(row.player.club), total, *figures))
    if upto:
        head = _rows(("", Say("Player"), Say("Club"), Say("Points"), *names), rows, 1 + len(names))
    else:  # nobody has a figure before a round is over
        head = _rows(("", Say("Player"), Say("Club")), (row[:3] for row in rows))
    unplayed = Say(
        "A round that was not played (bye, forfeit, absence) counts for tie-breaks as an opponent who ends with the "
        "player's own score. Lots are drawn from the seed {seed}.",
        seed=Typed("\0"),
    )
    rule = f"<p>{shown(unplayed)}</p>".replace("\0", f"<b>{escape(now.seed)}</b>")
    notes = "".join(f"<p>{shown(note)}</p>" for note in now.notes)
    title = Say("Standings after round {n}", n=upto) if upto else Say("Players")
    return f"<section>{_head(now, title)}{rule}{head}{notes}</section>"


def _figure(name: str, value: float) -> str:
    if name == "time_left":
        return f"{int(value) // 60}:{int(value) % 60:02d}"
    return "" if name == "lot" else f"{value:g}"


def _about(player: Player, games: Sequence[Game], units: int, unit: int) -> list[str]:
    """Return what stands below a name on a place card."""
    points = Say("Points: {points}", points=Typed(points_text(units, unit)))
    parts = [escape(player.club), shown(Say("no. {n}", n=player.id)), shown(points) if games else ""]
    return [part for part in parts if part]


def _cards(now: Tournament) -> str:
    games, units, unit = games_of(now), scores(now), now.rules.score.unit
    cards = "".join(
        f'<div class="card"><b>{escape(player.name)}</b>{" · ".join(_about(player, games[player.id], units[player.id], unit))}</div>'
        for player in now.active
    )
    return f'<section>{_head(now, Say("Place cards"))}<div class="cards">{cards}</div></section>'

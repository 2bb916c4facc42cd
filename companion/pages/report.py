"""The report of a game: one self-contained HTML page of named sections.

A section is a function of a `ReportSource` that returns HTML or an empty text. Those of every game stand here, a game lists
its own in its module (`GameModule.sections`). The page needs no network and no script.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from companion.core.change import Change
from companion.core.history import Entry
from companion.pages import plots
from companion.pages.arbiter import sheet_rows, total_used
from companion.pages.clocks import clock_face
from companion.pages.frame import mark
from companion.pages.i18n import N_, _, language
from companion.pages.labels import entry_label, side_name, stage_name
from companion.pages.modules import game_view, modules
from companion.pages.times import duration, wall

__all__ = [
    "ReportSource",
    "Section",
    "bars_svg",
    "lines_svg",
    "report_html",
    "section",
    "shared_sections",
    "table_html",
]

_TONES = {
    "allies": "#0A5186",
    "axis": "#96211A",
    "third": "#1C6340",
    "fourth": "#5B3A92",
    "fifth": "#6B5200",
    "sixth": "#8A2A68",
}


@dataclass(frozen=True, slots=True)
class ReportSource:
    """What a section may read."""

    change: Change
    entries: tuple[Entry, ...]
    counts: Callable[[int], bool]
    now_wall_ms: int


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the report."""

    key: str
    title: str
    """English source text."""
    rank: int
    make: Callable[[ReportSource], str]


def section(key: str, title: str, rank: int) -> Callable[[Callable[[ReportSource], str]], Section]:
    """Make a section of a function. Sections stand by rank, lowest first."""
    return lambda make: Section(key, title, rank, make)


def table_html(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; every text is escaped. The last column is set to the right."""
    cells = "".join(f"<th>{escape(text)}</th>" for text in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def lines_svg(model: plots.Lines, *, width: int = 720, height: int = 260) -> str:
    """Return lines as an inline picture."""
    left, right, top, bottom = 44, 110, 12, 26
    (x_low, x_high), (y_low, y_high) = model.x_range, model.y_range

    def place(x: float, y: float) -> tuple[float, float]:
        along, up = (x - x_low) / ((x_high - x_low) or 1), (y - y_low) / ((y_high - y_low) or 1)
        return left + along * (width - left - right), height - bottom - up * (height - top - bottom)

    parts = []
    for y, text in model.y_ticks:
        _px, py = place(x_low, y)
        parts.append(f'<line x1="{left}" y1="{py:.1f}" x2="{width - right}" y2="{py:.1f}" class="grid"/>')
        parts.append(f'<text x="{left - 8}" y="{py + 4:.1f}" class="right">{escape(text)}</text>')
    for x, text in model.x_ticks:
        px, _py = place(x, y_low)
        parts.append(f'<text x="{px:.1f}" y="{height - 6}" class="mid">{escape(text)}</text>')
    for line in model.lines:
        colour = _TONES.get(line.tone, "#444")
        points = " ".join("{:.1f},{:.1f}".format(*place(x, y)) for x, y in line.points)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
    ended = [line for line in model.lines if line.points]
    ends = [place(*line.points[-1]) for line in ended]
    heights = plots.label_places([-py for _px, py in ends], 15, -float(top))
    for line, (px, _py), up in zip(ended, ends, heights, strict=True):
        colour = _TONES.get(line.tone, "#444")
        parts.append(f'<text x="{px + 8:.1f}" y="{4 - up:.1f}" fill="{colour}">{escape(line.name)}</text>')
    return f'<svg viewBox="0 0 {width} {height}" role="img">{"".join(parts)}</svg>'


def bars_svg(model: plots.Bars, *, width: int = 720) -> str:
    """Return rows of bars as an inline picture."""
    left, right, thick, gap = 150, 80, 16, 10
    parts, y = [], 6.0
    for row in model.rows:
        middle = y + len(row.bars) * thick / 2
        parts.append(f'<text x="{left - 10}" y="{middle + 4:.1f}" class="right">{escape(row.name)}</text>')
        for bar in row.bars:
            length = max(1.0, (width - left - right) * bar.value / (model.most or 1))
            colour = _TONES.get(bar.tone, "#444")
            parts.append(
                f'<rect x="{left}" y="{y:.1f}" width="{length:.1f}" height="{thick - 3}" fill="{colour}"/>'
            )
            parts.append(
                f'<text x="{left + length + 6:.1f}" y="{y + thick - 5:.1f}">{escape(bar.text)}</text>'
            )
            y += thick
        y += gap
    return f'<svg viewBox="0 0 {width} {y:.0f}" role="img">{"".join(parts)}</svg>'


@section("summary", N_("The game"), 10)
def _summary(source: ReportSource) -> str:
    state = source.change.state
    setup = state.frozen_setup
    rows = [(_("Scenario"), _(setup.title)), (_("Status"), stage_name(setup, state.step.stage))]
    for info in setup.sides:
        names = ", ".join(_(name) for name in info.seats)
        rows.append((_(info.name), names or "–"))
    return table_html(("", ""), rows)


@section("result", N_("Result"), 20)
def _result(source: ReportSource) -> str:
    state = source.change.state
    setup = state.frozen_setup
    view = game_view(setup.game)
    parts = []
    if state.ending is not None:
        own = view.ending(state)
        winner = state.ending.winner
        text = own or (
            _("The game has ended without a winner")
            if winner is None
            else _("Victory: {side}").format(side=mark(setup, winner).name)
        )
        parts.append(f"<p><strong>{escape(text)}</strong></p>")
    scores = view.scores(state)
    if scores:
        rows = [(mark(setup, one.side).name, f"{one.text} {one.goal}".strip()) for one in scores]
        parts.append(table_html((_("Side"), _("Points")), rows))
    model = plots.score_lines(source.entries, state)
    if model is not None:
        parts.append(lines_svg(model))
    return "".join(parts)


@section("time", N_("Time"), 60)
def _time(source: ReportSource) -> str:
    state = source.change.state
    if state.clocks.config.mode == "none":
        return ""
    setup = state.frozen_setup
    used = total_used(source.change, source.entries)
    now = state.clocks.last_ms
    rows = [
        (mark(setup, info.id).name, duration(used[info.id]), clock_face(state, info.id, now).text)
        for info in setup.sides
    ]
    parts = [
        table_html((_("Side"), _("Used"), _("Clock")), rows),
        f"<h3>{escape(_('By phase'))}</h3>",
        bars_svg(plots.time_by_phase(source.entries, state)),
        f"<h3>{escape(_('By stage'))}</h3>",
        bars_svg(plots.time_by_stage(source.entries, state)),
    ]
    if state.clocks.falls:
        falls = [(mark(setup, f.side).name, stage_name(setup, f.stage)) for f in state.clocks.falls]
        parts.append(f"<h3>{escape(_('Flags, in the order in which they fell'))}</h3>")
        parts.append(table_html((_("Side"), _("Stage")), falls))
    return "".join(parts)


@section("arbiter", N_("Arbiter's sheet"), 80)
def _arbiter(source: ReportSource) -> str:
    rows = [
        (row.when, row.text, row.amount)
        for row in sheet_rows(source.change, source.entries, source.now_wall_ms)
    ]
    return table_html((_("When"), _("What"), _("Time")), rows) if rows else ""


@section("log", N_("Log"), 90)
def _log(source: ReportSource) -> str:
    state = source.change.state
    rows = []
    for entry in source.entries:
        label = entry_label(entry, state)
        if not source.counts(entry.seq):
            label = _("{what} (undone)").format(what=label)
        who = side_name(state.frozen_setup, entry.actor)
        rows.append((str(entry.seq), wall(entry.wall_ms, source.now_wall_ms), label, who))
    return table_html(("#", _("When"), _("What"), _("Who")), rows)


def shared_sections() -> tuple[Section, ...]:
    """Return the sections of every game."""
    from companion.pages.dice_report import SECTIONS as DICE

    return (_summary, _result, _time, *DICE, _arbiter, _log)


_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;color:#12303f;background:#f4efe3;margin:0}
main{max-width:780px;margin:0 auto;padding:32px 20px}
h1{font-size:32px;margin:0 0 4px}h2{margin:40px 0 8px;border-bottom:2px solid #7f4507;padding-bottom:4px}h3{margin:24px 0 6px}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:4px 10px 4px 0;border-bottom:1px solid #d5ccb8;vertical-align:top}
td:last-child,th:last-child{text-align:right;font-variant-numeric:tabular-nums}svg{width:100%;height:auto;font-size:13px}
.grid{stroke:#8fa3a8;stroke-opacity:.5}.right{text-anchor:end}.mid{text-anchor:middle}.quiet{color:#455d68}
"""


def report_html(
    change: Change, entries: Sequence[Entry], counts: Callable[[int], bool], now_wall_ms: int
) -> str:
    """Return the whole report as one page."""
    setup = change.state.frozen_setup
    game = modules().get(setup.game)
    own = game.sections() if game is not None else ()
    source = ReportSource(change, tuple(entries), counts, now_wall_ms)
    parts = []
    for one in sorted((*shared_sections(), *own), key=lambda one: one.rank):
        body = one.make(source)
        if body:
            parts.append(f'<section id="{escape(one.key)}"><h2>{escape(_(one.title))}</h2>{body}</section>')
    title = escape(_(setup.title))
    return (
        f'<!doctype html><html lang="{language()}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body><main><h1>{title}</h1>"
        f'<p class="quiet">{escape(_("Table Companion"))} {escape(setup.app_version)}</p>{"".join(parts)}</main></body></html>\n'
    )

"""The report of a game: one self-contained HTML page of named sections.

A section is a function of a `ReportSource` that returns HTML or an empty text. Those of every game stand here, a game lists
its own in its module (`GameModule.sections`). Story, film and luck come first (`companion.pages.film`). The page needs no network
and no script; its script only turns the acts that stand in it into a film.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from companion.core.change import Change
from companion.core.history import Entry
from companion.core.text import Say
from companion.pages import plots
from companion.pages.arbiter import sheet_rows, total_used
from companion.pages.clocks import clock_face
from companion.pages.frame import mark
from companion.pages.i18n import N_, _, language, ngettext
from companion.pages.labels import entry_label, side_name, stage_name
from companion.pages.modules import game_view, modules
from companion.pages.player_names import seats_of
from companion.pages.report_parts import ReportSource, Section, section, table_html
from companion.pages.speak import sentence
from companion.pages.svg import bars_svg
from companion.pages.times import duration, wall

__all__ = [
    "bars_svg",
    "report_html",
    "shared_sections",
]


@section("summary", N_("The game"), 10)
def _summary(source: ReportSource) -> str:
    state = source.change.state
    setup = state.frozen_setup
    rows = [(_("Scenario"), _(setup.title)), (_("Status"), stage_name(setup, state.step.stage))]
    for info in setup.sides:
        names = ", ".join(map(str, seats_of(setup, info)))
        if names != _(info.name):  # where a player is a side, one name says both
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


MOST_BYTES = 5_000_000
"""The largest report: a message or a mail still takes it."""
_LEAST_ACT_BYTES = 250
"""No act is written in fewer: a page that cannot fit is not made to find that out."""


def report_html(
    change: Change,
    entries: Sequence[Entry],
    counts: Callable[[int], bool],
    now_wall_ms: int,
    *,
    loss: Say | None = None,
    pictures: Mapping[int, tuple[bytes, ...]] | None = None,
    most_bytes: int = MOST_BYTES,
    with_decisions: bool = False,
) -> str:
    """Return the whole report as one page, at most so large; it says what was left out to keep it so.

    Args:
        loss: What a damaged game has lost, to be told at the head.
        pictures: Entry to the photos that belong to it.
    """
    from companion.pages.film.html import FilmParts
    from companion.pages.film.sections import evening_of

    source = ReportSource(change, tuple(entries), counts, now_wall_ms, loss, pictures or {}, with_decisions)
    evening = evening_of(source)
    page = ""
    acts = len(evening.film.acts)
    for cut in _cuts(acts):
        if _LEAST_ACT_BYTES * (acts if cut.most_acts is None else cut.most_acts) > most_bytes:
            continue
        photos = _photos_within(source.pictures, most_bytes * cut.photo_share)
        cut.photos_left_out = _count(source.pictures) - _count(photos)
        parts = FilmParts(small=not cut.small, pictures=not cut.pictures, most=cut.most_acts, photos=photos)
        told = tuple(evening.parts(parts, figures=not cut.figures))
        page = _page(source, told, cut)
        if len(page.encode()) <= most_bytes:
            break
    return page


def _count(pictures: Mapping[int, tuple[bytes, ...]]) -> int:
    return sum(map(len, pictures.values()))


def _photos_within(
    pictures: Mapping[int, tuple[bytes, ...]], most_bytes: float
) -> dict[int, tuple[bytes, ...]]:
    """Return the first photos that fit when they are written into a page."""
    found: dict[int, tuple[bytes, ...]] = {}
    written = 0
    for seq, jpegs in sorted(pictures.items()):
        for jpeg in jpegs:
            written += 4 * len(jpeg) // 3 + 200
            if written > most_bytes:
                return found
            found[seq] = (*found.get(seq, ()), jpeg)
    return found


@dataclass(slots=True)
class _Cut:
    """What is left out of a report."""

    photo_share: float = 0.9
    """Share of the page that photos may take."""
    photos_left_out: int = 0

    log: bool = False
    figures: bool = False
    small: bool = False
    pictures: bool = False
    most_acts: int | None = None
    sections: bool = False

    def words(self) -> list[str]:
        """Return what is left out in words."""
        told = []
        if self.photos_left_out:
            left = self.photos_left_out
            told.append(ngettext("{n} photo", "{n} photos", left).format(n=left))
        if self.log:
            told.append(_("the table of the log"))
        if self.figures:
            told.append(_("the figures as CSV"))
        if self.small:
            told.append(_("the lines of checklists"))
        if self.pictures:
            told.append(_("the pictures of dice"))
        if self.most_acts is not None:
            told.append(_("all but the last {n} actions of the film").format(n=self.most_acts))
        if self.sections:
            told.append(_("the tables of the report"))
        return told


def _cuts(acts: int) -> Iterator[_Cut]:
    """Yield ever more to leave out, nothing first."""
    yield _Cut()
    yield _Cut(log=True)
    yield _Cut(photo_share=0.6, log=True)
    yield _Cut(photo_share=0.6, log=True, figures=True, small=True)
    yield _Cut(photo_share=0.3, log=True, figures=True, small=True)
    yield _Cut(photo_share=0.1, log=True, figures=True, small=True, pictures=True)
    while acts > 1:
        acts //= 2
        yield _Cut(photo_share=0.1, log=True, figures=True, small=True, pictures=True, most_acts=acts)
    yield _Cut(0.0, log=True, figures=True, small=True, pictures=True, most_acts=0, sections=True)


def _page(source: ReportSource, told: tuple[tuple[str, str, str], ...], cut: _Cut) -> str:
    from companion.pages.film.script import policy, script, style

    state = source.change.state
    setup = state.frozen_setup
    game = modules().get(setup.game)
    own = game.sections() if game is not None else ()
    parts = [_section(key, title, body) for key, title, body in told]
    for one in sorted((*shared_sections(), *own), key=lambda one: one.rank):
        if cut.sections or (cut.log and one.key == "log"):
            continue
        body = one.make(source)
        if body:
            parts.append(_section(one.key, _(one.title), body))
    notes = []
    if setup.what_if:
        notes.append(
            _("What if: this game continues from an earlier action of {name}.").format(name=setup.what_if)
        )
    if source.loss is not None:
        text = _("This game is damaged; here is what could be read of it. {loss}")
        notes.append(text.format(loss=sentence(source.loss)))
    if cut.words():
        notes.append(_("Left out, to keep this page small: {what}.").format(what=", ".join(cut.words())))
    said = "".join(f'<p class="left-out">{escape(note)}</p>' for note in notes)
    title = escape(_(setup.title))
    return (
        f'<!doctype html><html lang="{language()}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy()}">'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><title>{title}</title>'
        f"<style>{style()}</style></head><body><main><h1>{title}</h1>"
        f'<p class="quiet">{escape(_("Table Companion"))} {escape(setup.app_version)}</p>{said}{"".join(parts)}</main>'
        f"<script>{script()}</script></body></html>\n"
    )


def _section(key: str, title: str, body: str) -> str:
    return f'<section id="{escape(key)}"><h2>{escape(title)}</h2>{body}</section>'

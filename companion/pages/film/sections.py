"""Story, film and luck as parts of the report, made once for one evening and written as large as there is room."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape

from companion.core.text import Say
from companion.pages import frame
from companion.pages.film.fold import Film, film_game, film_of, photo_places
from companion.pages.film.html import FilmParts, film_html, symbols
from companion.pages.film.luck import GROUPS, luck_say
from companion.pages.film.story import Story, story_html, story_of
from companion.pages.film.telling import Costly, GameFilm, Luck, LuckRow, die_face
from companion.pages.i18n import N_, _, labelled, ngettext
from companion.pages.labels import side_name, stage_name
from companion.pages.numbers import figure
from companion.pages.report_parts import ReportSource
from companion.pages.speak import sentence, speak
from companion.pages.svg import spread_svg

__all__ = ["Evening", "evening_of", "figures_csv"]


@dataclass(frozen=True, slots=True)
class Evening:
    """Everything that is told of one evening."""

    own: GameFilm
    film: Film
    luck: Luck
    story: Story
    costly: tuple[Costly, ...] | Say | None = None
    """The decisions that cost most, where they were asked for."""
    pictures: Mapping[int, tuple[bytes, ...]] = field(default_factory=dict)
    """Entry to its photos, as JPEG files."""

    @property
    def photos(self) -> tuple[tuple[int, int, int], ...]:
        """Return each photo in order: index of the act that it stands with, its entry, its number there from 0."""
        places = photo_places([act.seq for act in self.film.acts], self.pictures)
        return tuple(
            (at, seq, n)
            for at, seqs in places.items()
            for seq in seqs
            for n in range(len(self.pictures[seq]))
        )

    def parts(self, parts: FilmParts, *, figures: bool = True) -> Iterator[tuple[str, str, str]]:
        """Yield key, title and HTML of each part that has something to show; `figures`: a link that saves them too."""
        link = _csv_link(self.film) if figures else ""
        yield "story", _("The evening in short"), story_html(self.story, self.film) + link
        film = film_html(self.film, self.own, parts)
        if film:
            yield "film", _("The film"), symbols() + _taken_back(self.film) + film
        if self.costly is not None:
            yield (
                "decisions",
                _("The decisions that cost most"),
                decisions_html(self.film, self.own, self.costly),
            )
        luck = _luck_html(self.film, self.luck)
        if luck:
            yield "luck-ranks", _("How lucky it was"), luck


def evening_of(source: ReportSource) -> Evening:
    """Return all that is told of an evening. Slow the first time: odds of every battle are worked out."""
    own = film_game(source.change.state.frozen_setup.game)
    film, luck = film_of(source), own.luck(source)
    costly = own.costly(source) if source.with_decisions and own.judges_decisions else None
    return Evening(own, film, luck, story_of(film, own, luck), costly, source.pictures)


def _taken_back(film: Film) -> str:
    if not film.taken_back:
        return ""
    text = ngettext(
        "{n} action was undone and is not shown.",
        "{n} actions were undone and are not shown.",
        film.taken_back,
    )
    return f'<p class="quiet">{escape(text.format(n=film.taken_back))}</p>'


# Luck


def _luck_html(film: Film, luck: Luck) -> str:
    notes = "".join(f'<p class="quiet">{escape(sentence(note, film.state))}</p>' for note in luck.notes)
    scopes = (("evening", N_("The whole evening")), ("nation", N_("By nation")), ("battle", N_("By battle")))
    parts = []
    for scope, title in scopes:
        rows = [row for row in luck.rows if row.scope == scope]
        if not rows:
            continue
        body = f'<div class="luck">{"".join(_luck_card(film, row) for row in rows)}</div>'
        if scope == "battle":
            parts.append(f'<details class="more"><summary>{escape(_(title))}</summary>{body}</details>')
        else:
            parts.append(f"<h3>{escape(_(title))}</h3>{body}")
    return "".join(parts) + notes


def _luck_card(film: Film, row: LuckRow) -> str:
    tone = frame.tone(film.state.frozen_setup, row.side)
    what = f"{sentence(row.who, film.state)} · {_(GROUPS[row.group])}"
    of = f"<p>{escape(sentence(row.what, film.state))}</p>" if row.what is not None else ""
    if row.group == "hits":
        what_it_was = ngettext("{n} hit, {expected} expected", "{n} hits, {expected} expected", row.actual)
    else:
        what_it_was = _("Losses: {n}, {expected} expected")
    told = what_it_was.format(n=row.actual, expected=figure(row.expected))
    if not row.is_exact:
        told += f" ({_('partly from virtual battles')})"
    return (
        f'<div class="b-{escape(tone)}"><p><b class="t-{escape(tone)}">{escape(what)}</b></p>{of}'
        f'<p class="rank">{escape(sentence(luck_say(row), film.state))}</p>{spread_svg(row.spread)}'
        f'<p class="quiet">{escape(told)}</p></div>'
    )


def decisions_html(film: Film, own: GameFilm, found: tuple[Costly, ...] | Say) -> str:
    """Return the decisions that cost most, each as an act is shown, or why they are not told."""
    state = film.state
    if isinstance(found, Say):
        return f"<p>{escape(sentence(found, state))}</p>"
    if not found:
        return f"<p>{escape(sentence(own.no_better, state))}</p>"
    return f'<ol class="acts">{"".join(_decision(film, own, one) for one in found)}</ol>'


def _decision(film: Film, own: GameFilm, one: Costly) -> str:
    state, side = film.state, frame.mark(film.state.frozen_setup, one.side)
    better = _("Better: {what}").format(what=speak(one.better, state))
    judged = labelled(speak(own.decisions_head, state), speak(one.chances, state))
    return (
        f'<li class="act b-{escape(side.tone)}"><p class="head"><span class="where">{escape(side.name)} · '
        f'{escape(speak(one.battle, state))}</span><span class="time quiet">#{one.seq}</span></p>'
        f'<p class="what">{escape(sentence(one.chosen, state))}</p><p>{escape(better)}</p><p>{escape(judged)}</p></li>'
    )


# Figures


def figures_csv(film: Film) -> str:
    """Return acts, times, rolls, losses and points as comma-separated values with a head, one act a line.

    Milliseconds and points are plain figures whatever the language; a text that a spreadsheet might take for a formula is quoted.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    sides = film.sides
    head = ["entry", "stage", "step", "side", "act", "battle"]
    head += [f"used_ms_{side}" for side in sides] + [f"points_{side}" for side in sides]
    head += ["dice", "hits", "expected_hits"] + [f"lost_{side}" for side in sides]
    writer.writerow(head)
    setup = film.state.frozen_setup
    chapters = {one.fought.key: one for one in film.chapters}
    for n, act in enumerate(film.acts):
        chapter = chapters.get(act.battle)
        ends = chapter is not None and n == chapter.last
        lost = {one.side: one.count for one in chapter.fought.lost} if chapter is not None and ends else {}
        hitting = [one for one in act.throws if one.hits is not None]
        writer.writerow(
            [
                act.seq,
                _cell(stage_name(setup, act.stage)),
                _cell(speak(act.where, film.state)),
                _cell(side_name(setup, act.by)) if act.by else "",
                _cell(speak(act.what, film.state)),
                _cell(speak(chapter.fought.title, film.state)) if chapter is not None else "",
                *(side.spent_ms for side in act.sides),
                *("" if amount is None else f"{amount:g}" for amount in act.points or (None,) * len(sides)),
                " ".join(die_face(die) for one in act.throws for die in one.dice),
                sum(one.hits or 0 for one in hitting) if hitting else "",
                f"{sum(one.expected for one in hitting):.3f}" if hitting else "",
                *(lost.get(side, "") for side in sides),
            ]
        )
    return out.getvalue()


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _csv_link(film: Film) -> str:
    """Return a link that saves the figures; they stand in the page itself."""
    packed = base64.b64encode(figures_csv(film).encode("utf-8-sig")).decode()
    return (
        f'<p><a download="figures.csv" href="data:text/csv;base64,{packed}">'
        f"{escape(_('Save the figures (CSV)'))}</a></p>"
    )

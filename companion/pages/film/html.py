"""The film as a part of the report: one board that follows the act at hand, and every act below it.

Without script it reads as a page: where the evening stands, then all acts in order. The script of `companion.pages.film.script`
turns the same page into a film; it reads nothing but what stands here.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape

from msgspec.structs import replace

from companion.core.text import Value
from companion.pages import frame, plots
from companion.pages.film.fold import Act, Chapter, Film, photo_places
from companion.pages.film.telling import GameFilm, Held, Throw, die_face
from companion.pages.i18n import _, labelled, ngettext
from companion.pages.labels import has_clocks, stage_name
from companion.pages.modules import words_of
from companion.pages.numbers import figure
from companion.pages.page import Die
from companion.pages.player_names import seated
from companion.pages.speak import sentence, speak
from companion.pages.svg import lines_svg
from companion.pages.times import wall

__all__ = ["FilmParts", "dice_html", "film_html", "symbols"]


_NOBODY = "\N{EN DASH}"
"""Stands where nobody holds a thing."""


class FilmParts:
    """What of a film is written; a long one leaves something out."""

    def __init__(
        self,
        *,
        small: bool = True,
        pictures: bool = True,
        most: int | None = None,
        photos: Mapping[int, tuple[bytes, ...]] | None = None,
    ) -> None:
        """Say what is written.

        Args:
            small: Lines of checklists too.
            pictures: Dice as pictures, else as numbers.
            most: So many acts at most, the last ones; None: all.
            photos: Entry to its photos, as JPEG files.
        """
        self.small, self.pictures, self.most, self.photos = small, pictures, most, photos or {}


def film_html(film: Film, own: GameFilm, parts: FilmParts) -> str:
    """Return the film; empty where the evening has no act."""
    shown = [n for n, act in enumerate(film.acts) if parts.small or not act.is_small or act.battle]
    if parts.most is not None:
        shown = shown[-parts.most :] if parts.most else []
    if not shown:
        return ""
    places = _Places(film, shown, parts)
    acts = "".join(_act(film, n, places, parts, shown[at - 1] if at else None) for at, n in enumerate(shown))
    all_acts = ngettext(
        "Every action of the evening: {n} action", "Every action of the evening: {n} actions", len(shown)
    ).format(n=len(shown))
    return (
        f"{_board(film, own, shown)}"
        f'<details class="all" open><summary>{escape(all_acts)}</summary>'
        f'<ol class="acts">{acts}</ol></details>'
    )


def symbols() -> str:
    """Return the outlines of dice, to be used by every die of the page."""
    shapes = {
        12: "M16 1 25 4 31 12 31 20 25 28 16 31 7 28 1 20 1 12 7 4Z",
        10: "M16 1 31 14 16 31 1 14Z",
        6: "M5 2H27Q30 2 30 5V27Q30 30 27 30H5Q2 30 2 27V5Q2 2 5 2Z",
    }
    found = "".join(
        f'<symbol id="d{faces}" viewBox="0 0 32 32"><path d="{path}"/></symbol>'
        for faces, path in shapes.items()
    )
    return f'<svg class="none" aria-hidden="true">{found}</svg>'


def dice_html(throw: Throw, film: Film, *, pictures: bool = True) -> str:
    """Return the dice that one side threw together, drawn as dice."""
    side = frame.mark(film.state.frozen_setup, throw.side)
    who = sentence(throw.who, film.state) if throw.who is not None else side.name
    told = ""
    if throw.hits is not None:
        told = ngettext("{n} hit", "{n} hits", throw.hits).format(n=throw.hits)
        told += ", " + _("{n} expected").format(n=figure(throw.expected))
    values = " ".join(die_face(die) for die in throw.dice)
    drawn = "".join(map(_die, throw.dice)) if pictures else escape(values)
    label = escape(labelled(who, values), quote=True)
    return (
        f'<div class="throw"><span class="who t-{escape(side.tone)}">{escape(who)}</span>'
        f'<span class="dice" role="img" aria-label="{label}">{drawn}</span>'
        f'<span class="quiet">{escape(told)}</span></div>'
    )


def _die(die: Die) -> str:
    tone = die.colour if die.colour.isalpha() else "any"
    return (
        f'<svg class="die c-{tone} {die.state}" viewBox="0 0 32 32"><use href="#d{die.faces}"/>'
        f'<text x="16" y="21.5">{die_face(die)}</text></svg>'
    )


# The board


def _board(film: Film, own: GameFilm, shown: Sequence[int]) -> str:
    """Return where the evening stands at its end; the script has it follow the act at hand."""
    last = film.acts[shown[-1]]
    setup = film.state.frozen_setup
    sides = []
    for n, (id_, side) in enumerate(zip(film.sides, last.sides, strict=True)):
        who = frame.mark(setup, id_)
        names = ", ".join(seated(setup, setup.sides[n]))
        seats = f'<span class="quiet">{escape(names)}</span>' if names and names != who.name else ""
        sides.append(
            f'<div class="side b-{escape(who.tone)}"><b class="t-{escape(who.tone)}">{escape(who.name)}</b>{seats}'
            f'<span class="clock" data-clock="{n}">{escape(side.clock)}</span>'
            f'<span class="score" data-score="{n}">{escape(side.score)}</span></div>'
        )
    return (
        f'<div class="board"><p class="where" data-where></p><h3 data-what></h3>'
        f'<div class="sides">{"".join(sides)}</div>{_bar(film, own, last)}'
        f'{_player(film, shown)}<div class="now" data-now></div></div>'
        f'<div class="beside">{_chart(film, own, shown)}{_holders(film, own, shown[-1])}</div>'
    )


def _bar(film: Film, own: GameFilm, act: Act) -> str:
    """Return the points as one bar in two or more parts."""
    if own.points_title is None or all(amount is None for amount in act.points):
        return ""
    setup, parts, x = film.state.frozen_setup, [], 0.0
    total = sum(amount or 0.0 for amount in act.points)
    for n, (id_, amount) in enumerate(zip(film.sides, act.points, strict=True)):
        width = 1000 * ((amount or 0.0) / total if total else 1 / len(film.sides))
        tone = frame.tone(setup, id_)
        parts.append(
            f'<rect class="f-{escape(tone)}" data-bar="{n}" x="{x:.1f}" y="0" width="{width:.1f}" height="14"/>'
        )
        x += width
    title = escape(speak(own.points_title, film.state))
    return (
        f'<svg class="bar" viewBox="0 0 1000 14" preserveAspectRatio="none" role="img" aria-label="{title}">'
        f"{''.join(parts)}</svg>"
    )


def _player(film: Film, shown: Sequence[int]) -> str:
    """Return the keys of the film, hidden until the script shows them: nothing moves without it."""
    most = len(shown) - 1
    marks = []
    places = {n: at for at, n in enumerate(shown)}
    stage = None
    for at, n in enumerate(shown):
        act = film.acts[n]
        if act.stage != stage:
            stage = act.stage
            x = 1000 * at / max(1, most)
            marks.append(f'<line class="stage" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="20"/>')
    for chapter in film.chapters:
        inside = [places[n] for n in range(chapter.first, chapter.last + 1) if n in places]
        if inside:
            x = 1000 * inside[0] / max(1, most)
            width = max(4.0, 1000 * (inside[-1] - inside[0]) / max(1, most))
            tone = frame.tone(film.state.frozen_setup, chapter.fought.side)
            marks.append(
                f'<rect class="f-{escape(tone)}" x="{min(x, 996):.1f}" y="5" width="{width:.1f}" height="10"/>'
            )
    keys = (
        ("battle-back", _("Previous battle"), "M7 5H10V19H7ZM20 5V19L11 12Z"),
        ("back", _("Previous action"), "M17 5V19L7 12Z"),
        ("play", _("Play or pause"), "M8 4V20L20 12Z"),
        ("on", _("Next action"), "M7 5V19L17 12Z"),
        ("battle-on", _("Next battle"), "M14 5H17V19H14ZM4 5V19L13 12Z"),
    )
    buttons = "".join(
        f'<button type="button" data-key="{key}" title="{escape(word, quote=True)}" aria-label="{escape(word, quote=True)}">'
        f'<svg viewBox="0 0 24 24"><path d="{path}"/></svg></button>'
        for key, word, path in keys
    )
    label = escape(_("Action"), quote=True)
    return (
        f'<div class="player" hidden><svg class="marks" viewBox="0 0 1000 20" preserveAspectRatio="none" '
        f'aria-hidden="true">{"".join(marks)}</svg>'
        f'<input type="range" min="0" max="{most}" value="{most}" aria-label="{label}">'
        f'<div class="keys">{buttons}<output></output></div>'
        f'<p class="quiet keyhelp">{escape(_("Arrow keys: action by action. Page keys: battle by battle. Space: play."))}</p></div>'
    )


def _chart(film: Film, own: GameFilm, shown: Sequence[int]) -> str:
    """Return the points over the evening, with a place for the line that marks the act at hand."""
    if own.points_title is None:
        return ""
    setup = film.state.frozen_setup
    model = plots.act_lines(
        [
            (
                frame.mark(setup, id_),
                [act.points[n] if act.points else None for act in map(film.acts.__getitem__, shown)],
            )
            for n, id_ in enumerate(film.sides)
        ]
    )
    if model is None:
        return ""
    starts: dict[int, int] = {}
    for at, index in enumerate(shown):
        starts.setdefault(film.acts[index].stage, at)
    # A stage of a few acts has no room for its number.
    ticks, free = [], 0.0
    has_names = words_of(setup.game).stage_name is not None
    for stage, at in starts.items():
        if stage and at >= free:
            ticks.append((float(at), stage_name(setup, stage) if has_names else str(stage)))
            free = at + len(shown) / (5 if has_names else 14)
    model = replace(model, x_ticks=tuple(ticks))
    title = escape(sentence(own.points_title, film.state))
    return f'<figure class="chart"><figcaption>{title}</figcaption>{lines_svg(model, width=500, height=240, has_marker=True)}</figure>'


def _holders(film: Film, own: GameFilm, last: int) -> str:
    held = film.held_at(last)
    if not held:
        return ""
    first = {one.key: one for one in film.held}
    rows = "".join(
        f'<li data-held="{n}" data-first="{_tone(film, first[one.key].side) if one.key in first else ""}" '
        f'data-name="{escape(_holder(film, first[one.key]) if one.key in first else _NOBODY, quote=True)}" '
        f'class="h-{_tone(film, one.side)}"><span>{escape(sentence(one.what, film.state))}</span>'
        f"<b>{escape(_holder(film, one))}</b></li>"
        for n, one in enumerate(held)
    )
    title = escape(sentence(own.held_title, film.state))
    return f'<details class="held" open><summary>{title}</summary><ul>{rows}</ul></details>'


def _tone(film: Film, side: str) -> str:
    return escape(frame.tone(film.state.frozen_setup, side)) if side else "nobody"


def _holder(film: Film, one: Held) -> str:
    if one.holder is not None:
        return sentence(one.holder, film.state)
    return frame.mark(film.state.frozen_setup, one.side).name if one.side else _NOBODY


# Acts


class _Places:
    """Numbers by which the script finds a holder or a battle, and each act's photos; looked up once for all acts."""

    def __init__(self, film: Film, shown: Sequence[int], parts: FilmParts) -> None:
        found = photo_places([film.acts[n].seq for n in shown], parts.photos)
        self.photos = {shown[at]: seqs for at, seqs in found.items()}
        self.held = {one.key: n for n, one in enumerate(film.held_at(len(film.acts) - 1))}
        self.chapters = {one.fought.key: (n, one) for n, one in enumerate(film.chapters)}


def _photo(jpeg: bytes) -> str:
    packed = base64.b64encode(jpeg).decode()
    return f'<img class="photo" alt="{escape(_("Photo"), quote=True)}" src="data:image/jpeg;base64,{packed}">'


def _act(film: Film, n: int, places: _Places, parts: FilmParts, last: int | None) -> str:
    """Return one act; what the script needs of it stands in its data."""
    act, setup = film.acts[n], film.state.frozen_setup
    before = film.acts[last] if last is not None else None
    changes = "".join(
        f'<li data-h="{places.held[one.key]}" data-t="{_tone(film, one.side)}" data-n="{escape(_holder(film, one), quote=True)}">'
        f"{escape(sentence(one.what, film.state))} \N{RIGHTWARDS ARROW} {escape(_holder(film, one))}</li>"
        for one in act.changed
    )
    stage = (
        f"<h4>{escape(stage_name(setup, act.stage))}</h4>"
        if before is None or before.stage != act.stage
        else ""
    )
    number, chapter = places.chapters.get(act.battle, (0, None))
    battle = _battle(film, chapter, n) if chapter is not None else ""
    throws = "".join(dice_html(throw, film, pictures=parts.pictures) for throw in act.throws)
    by = frame.mark(setup, act.by) if act.by else None
    clocks = "|".join(side.clock for side in act.sides)
    scores = "|".join(side.score.replace("|", "/") for side in act.sides)
    points = "|".join("" if amount is None else f"{amount:g}" for amount in act.points)
    is_new = before is None
    said = (
        []
        if is_new or clocks.strip("|") == "" or not has_clocks(film.state)
        else [clocks.replace("|", " · ")]
    )
    data = f'data-c="{escape(clocks, quote=True)}" data-s="{escape(scores, quote=True)}" data-p="{points}"'
    if chapter is not None:
        data += f' data-b="{number}"'
    note = "".join(f"<blockquote>{escape(one)}</blockquote>" for one in (act.note, *act.notes) if one)
    note += "".join(_photo(jpeg) for seq in places.photos.get(n, ()) for jpeg in parts.photos[seq])
    what = "" if act.note else escape(sentence(act.what, film.state))
    head = (
        f'<p class="head"><span class="where">{escape(stage_name(setup, act.stage))} · '
        f"{escape(sentence(act.where, film.state))}</span>"
        f'<span class="time quiet">{escape(wall(act.wall_ms, act.wall_ms))}{"" if not said else " · " + escape(said[0])}</span></p>'
    )
    tone = f" b-{escape(by.tone)}" if by is not None else ""
    return (
        f'<li class="act{tone}" id="a{act.seq}" {data}>{stage}{head}<p class="what">{what}</p>{note}{throws}'
        f"{battle}{f'<ul class=changes>{changes}</ul>' if changes else ''}</li>"
    )


def _battle(film: Film, chapter: Chapter, n: int) -> str:
    """Return what stands with a battle's first and last act: its odds before, and what came of it."""
    fought, state = chapter.fought, film.state
    lines: list[str] = []
    if n in (chapter.first, chapter.last):
        lines.append(f"<b>{escape(sentence(fought.title, state))}</b>")
        if fought.before is not None:
            lines.append(escape(sentence(fought.before, state)))
    if n == chapter.last:
        if fought.result is not None:
            lines.append(f"<b>{escape(sentence(fought.result, state))}</b>")
        lines += [escape(_lost(film, one.side, one.units)) for one in fought.lost]
    return f'<div class="battle">{"<br>".join(lines)}</div>' if lines else ""


def _lost(film: Film, side: str, units: Value | None) -> str:
    who = frame.mark(film.state.frozen_setup, side).name
    told = _("nothing") if units is None else speak(units, film.state)
    return _("{side} lost: {units}").format(side=who, units=told)

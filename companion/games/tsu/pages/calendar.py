"""The Calendar screen of The Soft Underbelly: this turn's lines, reports from the map, victory, all seasons."""

from __future__ import annotations

from companion.core.change import Change
from companion.core.commands import Command, TickCheck
from companion.core.state import GameState
from companion.games.tsu.pages.rows import Page, Row
from companion.games.tsu.pages.words import (
    counts_text,
    outcome_text,
    reorganized_text,
    season_name,
    star_name,
    word,
)
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.new_game import season_id
from companion.games.tsu.rules.schema import DateId, season_at
from companion.games.tsu.rules.state import (
    ALLIES,
    AXIS,
    GERMANY,
    TsuSlice,
    holds_from,
    is_reorganized,
    season_of,
    slice_of,
)
from companion.games.tsu.rules.victory import (
    if_ended_now,
    is_free_french,
    lost_italian_star,
    reorganization_fault,
    report_fault,
    took_romania_in_time,
    victory_stars,
)
from companion.pages.frame import mark, nation_mark
from companion.pages.i18n import N_, _
from companion.pages.labels import check_text, done_name, refusal

__all__ = ["calendar_page", "if_ended_line", "news_rows", "report_command", "victory_rows"]

_TABS = {
    "now": N_("This turn"),
    "reports": N_("Reports"),
    "victory": N_("Victory"),
    "seasons": N_("Seasons"),
}
_FOLLOWS: dict[str, str] = {
    "landed_in_europe": N_(
        "In the next Axis turn Germany gets {units} and its whole box on the northern edge"
    ),
    "invaded_vichy": N_("Vichy turns Free French; areas that stand empty are Axis"),
    "no_garrison": N_(
        "Greece, Albania, Belgrade turn Allied, Crete too without an Axis land unit; both markers go"
    ),
    "no_germans": N_("Allied Strategic Victory when this step ends"),
    "allies_gone": N_("Axis Strategic Victory when this step ends"),
}
_WHEN: dict[str, str] = {
    "landed_in_europe": N_("From {season} on"),
    "no_garrison": N_("From {season} on, at the end of an Axis turn"),
    "no_germans": N_("At the end of an Axis turn"),
    "allies_gone": N_("At the end of an Allied turn"),
}
_BEGINS: dict[str, DateId] = {"landed_in_europe": "invasion_units", "no_garrison": "garrison"}
"""Report to the date from which it can be made."""


def calendar_page(change: Change, tab: str, season: str = "") -> Page:
    """Return a tab: ``now``, ``reports``, ``victory`` or ``seasons``, there with one season opened."""
    state = change.state
    maker = {"now": _now_rows, "reports": _report_rows, "victory": victory_rows}
    rows = _season_rows(state, season) if tab == "seasons" else maker[tab](state)
    ends = state.step.phase == "end" and state.ending is None
    return Page(
        season_name(season_of(slice_of(state), state.step.stage)),
        if_ended_line(state),
        "accent",
        tuple((key, _(text)) for key, text in _TABS.items()),
        tab,
        rows,
        done_name(state.step.act, "tsu") if ends else _("Back to the table"),
        ends_act=ends,
        columns=1,
        empty=_("Nothing is dated in this turn"),
        key=f"{tab}.{season}",
    )


def if_ended_line(state: GameState) -> str:
    """Return how the game would be judged if it ended now."""
    if state.ending is not None:
        return outcome_text(state.ending.winner, state.ending.level, state.ending.reason)
    found = if_ended_now(state)
    return _("If it ended now: {outcome}").format(
        outcome=outcome_text(found.winner, found.level, found.reason)
    )


def _lines(state: GameState, season: str, side: str) -> tuple[str, ...]:
    """Return the checks of a side's dated lines of a season, in order."""
    start = f"{season_id(season)}.{side}."
    return tuple(check for check in state.frozen_setup.checks if check.startswith(start))


def _now_rows(state: GameState) -> tuple[Row, ...]:
    own, step = slice_of(state), state.step
    season = season_of(own, step.stage)
    ticked = state.ticked.get(step.id, frozenset())
    rows = []
    for side in (AXIS, ALLIES):
        badge = mark(state.frozen_setup, side)
        for check in _lines(state, season, side) if step.stage else ():
            text, done = check_text(state, check), check in ticked
            if check in step.checks:
                command = TickCheck(step.id, check, not done)
                rows.append(Row(check, text, "", "tick", command, is_on=done, mark=badge))
            else:
                rows.append(Row(check, text, "", mark=badge))
    return (*news_rows(state), *rows, *_status_rows(state))


def news_rows(state: GameState) -> tuple[Row, ...]:
    """Return what happened by itself in this turn and asks something of the table, newest rules first."""
    own, stage = slice_of(state), state.step.stage
    rows = list(_invasion_rows(state))
    if own.happened.get("italy_fell") == stage:
        text = _("Italy has fallen: take all its units off the map")
        rows.append(Row("fell", text, _("Then say who possesses each Italian star"), tone="danger"))
    if own.happened.get("free_french") == stage:
        text = _("Vichy has turned Free French, under the United States")
        rows.append(Row("french", text, _("Check the star of Algiers"), tone="danger"))
    if own.happened.get("soviets") == stage:
        text = _("The Red Army takes Romania and Bulgaria")
        rows.append(Row("red", text, _("Romania's star is no longer Axis"), tone="danger"))
    return tuple(rows)


def _invasion_units(state: GameState) -> str:
    return counts_text(state.frozen_setup.tables["game"]["invasion"]["units"])


def _begins(own: TsuSlice, date: DateId) -> str:
    """Return the season from which a rule holds, in words."""
    return season_name(season_at(own.dates[date]))


def _invasion_rows(state: GameState) -> tuple[Row, ...]:
    own, step = slice_of(state), state.step
    badge = nation_mark(state.frozen_setup, GERMANY)
    if own.happened.get("invasion_served") != step.stage:
        return ()
    back = counts_text(own.invasion_units) or _("nothing")
    return (
        Row(
            "invasion",
            _("Invasion turn: {units} to the northern edge").format(units=_invasion_units(state)),
            _("and out of the box, without stars: {units}").format(units=back),
            tone="danger",
            mark=badge,
        ),
    )


def _status_rows(state: GameState) -> tuple[Row, ...]:
    own, step = slice_of(state), state.step
    rows = []
    weather = f"weather.{season_of(own, step.stage).partition(' ')[0]}."
    for check in state.frozen_setup.checks:
        if check.startswith(weather):
            rows.append(Row(weather, check_text(state, check)))
            break
    if own.reorganized_from is not None:
        text = (
            _("Germany's army is reorganized")
            if is_reorganized(own, step.stage)
            else _("Germany's army is reorganized from the next turn on")
        )
        rows.append(Row("army", text, reorganized_text(own.tables), tone="danger"))
    if own.italy_fallen:
        rows.append(Row("italy", _("Italy has fallen"), _("Its units are out of the game for good")))
    if is_free_french(state):
        vichy = _("Vichy has turned Free French, under the United States")
    elif holds_from(own, "vichy", step.stage):
        vichy = _("Vichy is neutral: closed to the Axis")
    else:
        vichy = _("France is allied until {season}").format(season=_begins(own, "vichy"))
    rows.append(Row("vichy", vichy))
    if holds_from(own, "garrison", step.stage) and "no_garrison" not in own.happened:
        text = _("Garrison: an Axis unit in Greece, Albania or Belgrade")
        rows.append(Row("garrison", text, _("Occupation markers do not count")))
    if "soviets" in own.happened:
        rows.append(Row("soviets", _("The Red Army holds Romania and Bulgaria")))
    return tuple(rows)


def _report_rows(state: GameState) -> tuple[Row, ...]:
    own = slice_of(state)
    rows = []
    for what, follows in _FOLLOWS.items():
        fault = report_fault(state, what)
        sub = _(follows).format(units=_invasion_units(state))
        if fault is not None:
            season = _begins(own, _BEGINS[what]) if what in _BEGINS else ""
            sub = _(_WHEN[what]).format(season=season) if what in _WHEN else refusal(fault, state)
            if what in own.happened and fault.code == "already_done":
                season = season_name(season_of(own, own.happened[what]))
                sub = _("Reported in {season}").format(season=season)
        rows.append(Row(what, word("happening", what), sub, "tap", ask="report", is_enabled=fault is None))
    rows.append(_reorganize_row(state))
    return tuple(sorted(rows, key=lambda row: not row.is_enabled))


def _reorganize_row(state: GameState) -> Row:
    own = slice_of(state)
    able = reorganization_fault(state) is None
    if own.reorganized_from is not None:
        season = season_name(season_of(own, own.reorganized_from))
        sub = _("In force from {season} on").format(season=season)
    elif able:
        sub = _("From the next turn on, for good. {values}").format(values=reorganized_text(own.tables))
    else:
        sub = _("From {season} on, in an Axis turn").format(season=_begins(own, "reorganization"))
    return Row("reorganize", _("Germany reorganizes its army"), sub, "tap", ask="report", is_enabled=able)


def report_command(state: GameState, what: str) -> Command:
    """Return the command of a row of the Reports tab."""
    if what == "reorganize":
        return cm.DeclareReorganization(state.step.id)
    return cm.ReportHappening(state.step.id, what)  # type: ignore[arg-type]


def _met(is_met: bool) -> str:
    return _("met") if is_met else _("not met")


def victory_rows(state: GameState) -> tuple[Row, ...]:
    """Return every condition of victory with how it stands."""
    own = slice_of(state)
    allied, axis = victory_stars(state, ALLIES), victory_stars(state, AXIS)
    needed = own.star_roles["victory"]
    missing = "; ".join(star_name(state, star) for star in needed if star not in allied)
    allies_mark, axis_mark = (mark(state.frozen_setup, side) for side in (ALLIES, AXIS))
    bonus = took_romania_in_time(own)
    italy = (
        _("Italy has fallen")
        if own.italy_fallen
        else _("an Italian star is Allied: Italy falls at the end of an Axis turn from 1943 on")
        if lost_italian_star(state)
        else _("no Italian star is Allied")
    )
    return (
        Row(
            "four",
            _("Allies: Italy's three stars and Algiers, at the end of an Axis turn"),
            _("met") if not missing else _("{n} of 4; missing: {stars}").format(n=len(allied), stars=missing),
            tone="ok" if not missing else "text",
            mark=allies_mark,
        ),
        Row(
            "bonus",
            _("Strategic Victory: Romania as well before Summer 1944"),
            _met(bonus),
            tone="ok" if bonus else "text",
            mark=allies_mark,
        ),
        Row(
            "no_germans",
            _("Allies, Strategic Victory: no German unit, no German area, at the end of an Axis turn"),
            _("Report it on the Reports tab"),
            mark=allies_mark,
        ),
        Row(
            "one",
            _("Axis: one star at the end of Spring 1945"),
            _("holds {n} of the four").format(n=len(axis)),
            tone="ok" if axis else "text",
            mark=axis_mark,
        ),
        Row(
            "allies_gone",
            _(
                "Axis, Strategic Victory: the Allies off the map, every area Axis, at the end of an Allied turn"
            ),
            _("Report it on the Reports tab"),
            mark=axis_mark,
        ),
        Row("italy", _("Italy falls with one star in Allied hands after 1942"), italy),
    )


def _season_rows(state: GameState, opened: str) -> tuple[Row, ...]:
    own = slice_of(state)
    now = season_of(own, state.step.stage)
    if opened:
        rows = [Row("back", _("All seasons"), "", "tap", ask="season")]
        for side in (AXIS, ALLIES):
            badge = mark(state.frozen_setup, side)
            for check in _lines(state, opened, side):
                rows.append(Row(check, check_text(state, check), "", mark=badge))
        if len(rows) == 1:
            rows.append(Row("none", _("Nothing is dated in this turn"), tone="muted"))
        return tuple(rows)
    found = []
    for season in state.frozen_setup.tables["seasons"]:
        texts = [check_text(state, check) for side in (AXIS, ALLIES) for check in _lines(state, season, side)]
        found.append(
            Row(
                season,
                season_name(season),
                " ".join(texts) or "–",
                "choice",
                ask="season",
                is_on=season == now,
                shortens=True,
            )
        )
    return tuple(found)

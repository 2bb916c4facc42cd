"""The Calendar screen of The Soft Underbelly: this turn's lines, reports from the map, victory, all seasons."""

from __future__ import annotations

from companion.core.change import Change
from companion.core.commands import Command, TickCheck
from companion.core.state import GameState
from companion.games.tsu import commands as cm
from companion.games.tsu.new_game import season_id
from companion.games.tsu.schema import season_key
from companion.games.tsu.state import (
    ALLIES,
    AXIS,
    GERMANY,
    ITALIAN_STARS,
    VICTORY_STARS,
    is_reorganized,
    season_now,
    season_of,
    slice_of,
)
from companion.games.tsu.victory import (
    if_ended_now,
    is_free_french,
    report_fault,
    star_side,
    took_romania_in_time,
)
from companion.presenters.frame import mark, nation_mark
from companion.presenters.i18n import N_, _
from companion.presenters.labels import REFUSALS, check_text, done_name
from companion.presenters.tsu_rows import Page, Row
from companion.presenters.tsu_words import (
    HAPPENING_WORDS,
    outcome_text,
    season_name,
    star_name,
    unit_word,
)

__all__ = ["calendar_page", "if_ended_line", "news_rows", "report_command", "victory_rows"]

_TABS = {
    "now": N_("This turn"),
    "reports": N_("Reports"),
    "victory": N_("Victory"),
    "seasons": N_("Seasons"),
}
_FOLLOWS: dict[str, str] = {
    "landed_in_europe": N_(
        "In the next Axis turn Germany gets 5 Infantry and its whole box on the northern edge"
    ),
    "invaded_vichy": N_("Vichy turns Free French; areas that stand empty are Axis"),
    "no_garrison": N_(
        "Greece, Albania, Belgrade turn Allied, Crete too without an Axis land unit; both markers go"
    ),
    "no_germans": N_("Allied Strategic Victory when this step ends"),
    "allies_gone": N_("Axis Strategic Victory when this step ends"),
}
_WHEN: dict[str, str] = {
    "landed_in_europe": N_("From Fall 1942 on"),
    "no_garrison": N_("From Spring 1941 on, at the end of an Axis turn"),
    "no_germans": N_("At the end of an Axis turn"),
    "allies_gone": N_("At the end of an Allied turn"),
}


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
        done_name(state.step.act) if ends else _("Back to the table"),
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


def _invasion_rows(state: GameState) -> tuple[Row, ...]:
    own, step = slice_of(state), state.step
    badge = nation_mark(state.frozen_setup, GERMANY)
    if own.happened.get("invasion_served") != step.stage or not own.invasion_served:
        return ()
    box = [f"{n} {unit_word(unit)}" for unit, n in own.invasion_units.items()]
    back = ", ".join(box) or _("nothing")
    return (
        Row(
            "invasion",
            _("Invasion turn: 5 Infantry to the northern edge"),
            _("and out of the box, without stars: {units}").format(units=back),
            tone="danger",
            mark=badge,
        ),
    )


def _status_rows(state: GameState) -> tuple[Row, ...]:
    own, step = slice_of(state), state.step
    key = season_now(own, step.stage)
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
        rows.append(Row("army", text, _("German Infantry: attack 0, defence 2"), tone="danger"))
    if own.italy_fallen:
        rows.append(Row("italy", _("Italy has fallen"), _("Its units are out of the game for good")))
    if is_free_french(state):
        vichy = _("Vichy has turned Free French, under the United States")
    elif key >= season_key("summer 1940"):
        vichy = _("Vichy is neutral: closed to the Axis")
    else:
        vichy = _("France is allied until Summer 1940")
    rows.append(Row("vichy", vichy))
    if key >= season_key("spring 1941") and "no_garrison" not in own.happened:
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
        sub = _(follows)
        if fault is not None:
            sub = _(_WHEN[what]) if what in _WHEN else _(REFUSALS[fault.code])
            if what in own.happened and fault.code == "already_done":
                season = season_name(season_of(own, own.happened[what]))
                sub = _("Reported in {season}").format(season=season)
        rows.append(Row(what, _(HAPPENING_WORDS[what]), sub, "tap", ask="report", is_enabled=fault is None))
    rows.append(_reorganize_row(state))
    return tuple(sorted(rows, key=lambda row: not row.is_enabled))


def _reorganize_row(state: GameState) -> Row:
    own, step = slice_of(state), state.step
    text = _("Germany reorganizes its army")
    if own.reorganized_from is not None:
        season = season_name(season_of(own, own.reorganized_from))
        return Row(
            "reorganize", text, _("In force from {season} on").format(season=season), "tap", is_enabled=False
        )
    early = season_now(own, step.stage) < season_key("spring 1943")
    able = step.owners == (AXIS,) and not early
    sub = _("From the next turn on, for good: German Infantry attacks with 0 and defends with 2")
    if not able:
        sub = _("From Spring 1943 on, in an Axis turn")
    return Row("reorganize", text, sub, "tap", ask="report", is_enabled=able)


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
    allied = [star for star in VICTORY_STARS if star_side(state, star) == ALLIES]
    axis = [star for star in VICTORY_STARS if star_side(state, star) == AXIS]
    missing = ", ".join(star_name(state, star) for star in VICTORY_STARS if star not in allied)
    allies_mark, axis_mark = (mark(state.frozen_setup, side) for side in (ALLIES, AXIS))
    bonus = took_romania_in_time(own)
    lost = any(star_side(state, star) == ALLIES for star in ITALIAN_STARS)
    italy = (
        _("Italy has fallen")
        if own.italy_fallen
        else _("an Italian star is Allied: Italy falls at the end of an Axis turn from 1943 on")
        if lost
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

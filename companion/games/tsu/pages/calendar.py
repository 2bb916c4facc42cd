"""The Calendar screen of The Soft Underbelly: this turn's lines, reports from the map, all seasons."""

from __future__ import annotations

import msgspec

from companion.core.commands import Command, TickCheck
from companion.core.ids import CheckId, Side
from companion.core.state import GameState
from companion.core.text import N_, Name, Say, Typed, Value
from companion.games.tsu.names import outcome, season, season_within
from companion.games.tsu.pages.tell import counts_say, reorganized_say
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.new_game import season_id
from companion.games.tsu.rules.schema import DateId, season_at
from companion.games.tsu.rules.state import (
    ALLIES,
    AXIS,
    GERMANY,
    TsuSlice,
    holds_from,
    is_free_french,
    is_reorganized,
    season_now,
    season_of,
    slice_of,
)
from companion.games.tsu.rules.victory import (
    Outcome,
    if_ended_now,
    reorganization_fault,
    report_fault,
)
from companion.pages.page import (
    Acts,
    Block,
    Draft,
    Item,
    Page,
    Rows,
    Send,
    Shown,
    Sight,
    Tick,
    Tiles,
    Words,
    sure,
)
from companion.pages.parts import back_button, end_button, nation_mark, refusal_words, side_mark
from companion.pages.rulings import deciding, ruling_items

__all__ = ["CalendarDraft", "calendar_page", "if_ended_line", "news_rows"]

_TABS = {
    "now": N_("This turn"),
    "reports": N_("Reports"),
    "seasons": N_("Seasons"),
}
_FOLLOWS: dict[str, str] = {
    "landed_in_europe": N_(
        "In the next Axis turn Germany gets {units} and its whole box on the northern edge"
    ),
    "invaded_vichy": N_("Vichy becomes Free French; empty areas become Axis"),
    "no_garrison": N_(
        "Greece, Albania and Belgrade become Allied, and Crete if no Axis land unit is there; "
        "both markers are removed"
    ),
    "no_germans": N_("Allied Strategic Victory when this step ends"),
    "allies_gone": N_("Axis Strategic Victory when this step ends"),
}
_WHEN: dict[str, str] = {
    "landed_in_europe": N_("From {season} on"),
    "invaded_vichy": N_("From {season} on"),
    "no_garrison": N_("From {season} on, at the end of an Axis turn"),
    "no_germans": N_("At the end of an Axis turn"),
    "allies_gone": N_("At the end of an Allied turn"),
}
_BEGINS: dict[str, DateId] = {
    "landed_in_europe": "invasion_units",
    "invaded_vichy": "vichy",
    "no_garrison": "garrison",
}
"""Report to the date from which it can be made."""


class CalendarDraft(msgspec.Struct, frozen=True):
    """What is looked at."""

    tab: str = ""
    """``now``, ``reports`` or ``seasons``; empty: what the phase asks for."""
    season: str = ""
    """The season that is opened; empty: all of them."""


def _show(tab: str, opened: str = "") -> Draft[CalendarDraft]:
    return Draft(lambda _draft: CalendarDraft(tab, opened), CalendarDraft())


def calendar_page(sight: Sight) -> Shown:
    """Return the tab at hand; at the end of a turn the reports first."""
    state, acts = sight.state, Acts()
    draft = sight.entered(CalendarDraft())
    tab = draft.tab or ("reports" if state.step.phase == "end" else "now")
    block: Block
    if tab == "seasons" and not draft.season:
        block = Tiles("seasons", _season_tiles(state, acts), columns=_SEASONS)
    elif tab == "seasons":
        block = Rows(tab, _season_rows(state, acts, draft.season))
    else:
        rows = (_now_rows if tab == "now" else _report_rows)(state, acts)
        rows = (*rows, *ruling_items(state, acts, _ruled(state)))
        block = Rows(tab, rows, empty=Say("Nothing is scheduled for this turn"), is_wide=False)
    ends = state.step.phase == "end" and state.ending is None
    page = Page(
        f"{tab}.{draft.season}",
        season(season_of(slice_of(state), state.step.stage)),
        tabs=tuple(
            Item(key, Say(text), act=acts.put(f"tab.{key}", _show(key))) for key, text in _TABS.items()
        ),
        tab=tab,
        blocks=(block,),
        main=end_button(state, acts) if ends else back_button(acts),
    )
    return Shown(page, acts)


def _ruled(state: GameState) -> tuple[str, ...]:
    """Return the rulings that decide here: what counts as a landing while it can be reported, and whether Vichy has turned."""
    can_land = report_fault(state, "landed_in_europe") is None
    vichy = deciding(state, ("vichy_free",), lambda s: (is_free_french(s), report_fault(s, "invaded_vichy")))
    return (*(("europe",) if can_land else ()), *vichy)


def if_ended_line(state: GameState) -> Say:
    """Return how the game would be judged if it ended now."""
    if state.ending is not None:
        return outcome(Outcome(state.ending.winner, state.ending.reason, state.ending.level))
    found = if_ended_now(state)
    return Say("If the game ended now: {outcome}", outcome=outcome(found))


def _lines(state: GameState, which: str, side: Side) -> tuple[str, ...]:
    """Return the checks of a side's dated lines of a season, in order."""
    start = f"{season_id(which)}.{side}."
    return tuple(check for check in state.frozen_setup.checks if check.startswith(start))


def _now_rows(state: GameState, acts: Acts) -> tuple[Item, ...]:
    own, step = slice_of(state), state.step
    now = season_of(own, step.stage)
    ticked = state.ticked.get(step.id, frozenset())
    rows = []
    for side in (AXIS, ALLIES):
        badge = side_mark(state.frozen_setup, side)
        for check in _lines(state, now, side) if step.stage else ():
            done = check in ticked
            if check in step.checks:
                act = acts.put(check, Send(TickCheck(step.id, CheckId(check), not done)))
                rows.append(Item(check, Name("check", check), mark=badge, act=act, facet=Tick(done)))
            else:
                rows.append(Item(check, Name("check", check), mark=badge))
    return (*news_rows(state), *rows, *_status_rows(state))


def news_rows(state: GameState) -> tuple[Item, ...]:
    """Return what happened by itself in this turn and asks something of the table, newest rules first."""
    own, stage = slice_of(state), state.step.stage
    rows = list(_invasion_rows(state))
    if own.happened.get("italy_fell") == stage:
        text = Say("Italy has fallen: take all its units off the map")
        rows.append(Item("fell", text, Say("Then say who possesses each Italian star"), state="danger"))
    if own.happened.get("free_french") == stage:
        text = Say("Vichy is now Free French, under the United States")
        rows.append(Item("french", text, Say("Check the star of Algiers"), state="danger"))
    if own.happened.get("soviets") == stage:
        text = Say("The Red Army takes Romania and Bulgaria")
        rows.append(Item("red", text, Say("Romania's star is no longer Axis"), state="danger"))
    return tuple(rows)


def _invasion_units(state: GameState) -> Value:
    return counts_say(state.frozen_setup.tables["game"]["invasion"]["units"])


def _begins(own: TsuSlice, date: DateId) -> Say:
    """Return the season from which a rule holds, in words."""
    return season_within(season_at(own.dates[date]))


def _invasion_rows(state: GameState) -> tuple[Item, ...]:
    own, step = slice_of(state), state.step
    badge = nation_mark(state.frozen_setup, GERMANY)
    if own.happened.get("invasion_served") != step.stage:
        return ()
    back: Value = counts_say(own.invasion_units) if own.invasion_units else Say("nothing")
    return (
        Item(
            "invasion",
            Say("Invasion turn: {units} to the northern edge", units=_invasion_units(state)),
            Say("and from the box, at no cost in stars: {units}", units=back),
            state="danger",
            mark=badge,
        ),
    )


def _status_rows(state: GameState) -> tuple[Item, ...]:
    own, step = slice_of(state), state.step
    rows = []
    weather = f"weather.{season_of(own, step.stage).partition(' ')[0]}."
    for check in state.frozen_setup.checks:
        if check.startswith(weather):
            rows.append(Item(weather, Name("check", check)))
            break
    if own.reorganized_from is not None:
        text = (
            Say("Germany's army is reorganized")
            if is_reorganized(own, step.stage)
            else Say("Germany's army is reorganized from the next turn on")
        )
        rows.append(Item("army", text, reorganized_say(own.tables), state="danger"))
    if own.italy_fallen and own.happened.get("italy_fell") != step.stage:
        rows.append(Item("italy", Say("Italy has fallen"), Say("Its units are out of the game for good")))
    if is_free_french(state):
        vichy = Say("Vichy is now Free French, under the United States")
    elif holds_from(own, "vichy", step.stage):
        vichy = Say("Vichy is neutral: closed to the Axis")
    else:
        vichy = Say("France is allied until {season}", season=_begins(own, "vichy"))
    begins = season_now(own, step.stage) == own.dates["vichy"]
    if not (step.stage == 1 or begins or own.happened.get("free_french") == step.stage):
        # else a dated line or the news of the season says it already
        rows.append(Item("vichy", vichy))
    if holds_from(own, "garrison", step.stage) and "no_garrison" not in own.happened:
        text = Say("Garrison: an Axis unit in Greece, Albania or Belgrade")
        rows.append(Item("garrison", text, Say("Occupation markers do not count")))
    if own.happened.get("soviets", step.stage) != step.stage:
        rows.append(Item("soviets", Say("The Red Army holds Romania and Bulgaria")))
    return tuple(rows)


def _report_rows(state: GameState, acts: Acts) -> tuple[Item, ...]:
    own = slice_of(state)
    rows = []
    for what, follows in _FOLLOWS.items():
        fault = report_fault(state, what)
        units = {"units": _invasion_units(state)} if "{units}" in follows else {}
        sub: Words = Say(follows, **units)
        if fault is not None:
            since = {"season": _begins(own, _BEGINS[what])} if what in _BEGINS else {}
            sub = Say(_WHEN[what], **since) if what in _WHEN else refusal_words(fault)
            if what in own.happened and fault.code == "already_done":
                sub = Say("Reported in {season}", season=season_within(season_of(own, own.happened[what])))
        command = cm.ReportHappening(state.step.id, what)  # type: ignore[arg-type]
        rows.append(_report(acts, what, Name("happening", what), sub, command, is_able=fault is None))
    rows.append(_reorganize_row(state, acts))
    return tuple(sorted(rows, key=lambda row: row.why_not is not None))


def _report(acts: Acts, key: str, title: Words, sub: Words, command: Command, *, is_able: bool) -> Item:
    if not is_able:
        return Item(key, title, why_not=sub)
    return Item(key, title, sub, act=acts.put(key, sure(title, Send(command), sub=sub, yes=Say("Report it"))))


def _reorganize_row(state: GameState, acts: Acts) -> Item:
    own = slice_of(state)
    is_able = reorganization_fault(state) is None
    if own.reorganized_from is not None:
        sub = Say("In force from {season} on", season=season_within(season_of(own, own.reorganized_from)))
    elif is_able:
        sub = Say("From the next turn on, for good. {values}", values=reorganized_say(own.tables))
    else:
        sub = Say("From {season} on, in an Axis turn", season=_begins(own, "reorganization"))
    command = cm.DeclareReorganization(state.step.id)
    return _report(acts, "reorganize", Say("Germany reorganizes its army"), sub, command, is_able=is_able)


_SEASONS = 7
"""Seasons side by side, so that all of them stand on one page."""


def _season_tiles(state: GameState, acts: Acts) -> tuple[Item, ...]:
    """Return every season with how many of its lines are dated; a tap opens it."""
    now = season_of(slice_of(state), state.step.stage)
    is_past, found = bool(state.step.stage), []
    for one in state.frozen_setup.tables["seasons"]:
        is_past = is_past and one != now
        lines = sum(len(_lines(state, one, side)) for side in (AXIS, ALLIES))
        found.append(
            Item(
                one,
                season(one),
                Say.counted("{n} event", "{n} events", lines) if lines else Typed("–"),
                state="chosen" if one == now else "muted" if is_past else "plain",
                act=acts.put(f"season.{one}", _show("seasons", one)),
            )
        )
    return tuple(found)


def _season_rows(state: GameState, acts: Acts, opened: str) -> tuple[Item, ...]:
    """Return what happens in a season, and the way back to all of them."""
    rows = [Item("back", Say("All seasons"), act=acts.put("back", _show("seasons")))]
    for side in (AXIS, ALLIES):
        badge = side_mark(state.frozen_setup, side)
        rows += [Item(check, Name("check", check), mark=badge) for check in _lines(state, opened, side)]
    if len(rows) == 1:
        rows.append(Item("none", Say("Nothing is scheduled for this turn"), state="muted"))
    return tuple(rows)

"""The Score screen of The Soft Underbelly: the victory stars on one bar, every condition, who holds which star."""

from __future__ import annotations

from companion.core.state import GameState
from companion.core.text import Say
from companion.games.tsu.pages.calendar import CalendarDraft
from companion.games.tsu.pages.stars import star_rows
from companion.games.tsu.pages.tell import star_say
from companion.games.tsu.rules.state import ALLIES, AXIS, slice_of
from companion.games.tsu.rules.victory import (
    if_ended_now,
    lost_italian_star,
    took_romania_in_time,
    victory_stars,
)
from companion.pages.page import Acts, Button, Go, Item, Shown, Sight
from companion.pages.parts import apart, back_button, side_mark
from companion.pages.rulings import deciding, ruling_items
from companion.pages.score import score_shown

__all__ = ["score_page", "victory_rows"]

_RULINGS = ("hold_stars", "last_turn", "one_star")
_PLACES: dict[str, tuple[float, float]] = {
    "algiers": (3.1, 36.8), "romania": (26.1, 44.2),
    "italy_1": (12.2, 42.2), "italy_2": (14.7, 41.3), "italy_3": (16.1, 39.4),
}  # fmt: skip
"""Roughly where the stars lie that the rules name: of Italy's three they say no more than the country."""


def score_page(sight: Sight) -> Shown:
    """Return the bar of the victory stars over the coast with their holders, or the conditions one by one."""
    state, acts = sight.state, Acts()
    main = back_button(acts)
    if state.step.phase == "end" and state.ending is None:
        main = Button(
            Say("To the reports"), acts.put("reports", Go("tsu_calendar", CalendarDraft("reports")))
        )
    return score_shown(
        sight,
        acts,
        main=main,
        conditions=(
            *victory_rows(state, acts),
            *ruling_items(state, acts, deciding(state, _RULINGS, _judged)),
        ),
        places=star_rows(state, acts),
        where=_PLACES,
    )


def _judged(state: GameState) -> object:
    """Return what rulings may decide: how each condition stands, and how the game would end now or after its last turn."""
    return victory_rows(state), if_ended_now(state)


def victory_rows(state: GameState, acts: Acts | None = None) -> tuple[Item, ...]:
    """Return every condition of victory with how it stands; what only the map shows leads to its report."""
    own = slice_of(state)
    allied, axis = victory_stars(state, ALLIES), victory_stars(state, AXIS)
    needed = own.star_roles["victory"]
    missing = [star_say(state, star) for star in needed if star not in allied]
    allies_mark, axis_mark = (side_mark(state.frozen_setup, side) for side in (ALLIES, AXIS))
    bonus = took_romania_in_time(own)
    report = None if acts is None else acts.put("report", Go("tsu_calendar", CalendarDraft("reports")))
    italy = (
        Say("Italy has fallen")
        if own.italy_fallen
        else Say("an Italian star is Allied: Italy falls at the end of an Axis turn from 1943 on")
        if lost_italian_star(state)
        else Say("no Italian star is Allied")
    )
    return (
        Item(
            "four",
            Say("Allies: Italy's three stars and Algiers, at the end of an Axis turn"),
            Say("held: met")
            if not missing
            else Say("{n} of 4; missing: {stars}", n=len(allied), stars=apart(missing)),
            state="plain" if missing else "ok",
            mark=allies_mark,
        ),
        Item(
            "one",
            Say("Axis: one star at the end of Spring 1945"),
            Say("holds {n} of the four", n=len(axis)),
            state="ok" if axis else "plain",
            mark=axis_mark,
        ),
        Item(
            "bonus",
            Say("Allies, Strategic Victory: Romania as well before Summer 1944"),
            Say("met") if bonus else Say("not met"),
            state="ok" if bonus else "plain",
            mark=allies_mark,
        ),
        Item(
            "no_germans",
            Say("Allies, Strategic Victory: no German unit, no German area, at the end of an Axis turn"),
            Say("not reported"),
            mark=allies_mark,
            act=report,
        ),
        Item(
            "allies_gone",
            Say(
                "Axis, Strategic Victory: the Allies off the map, every area Axis, at the end of an Allied turn"
            ),
            Say("not reported"),
            mark=axis_mark,
            act=report,
        ),
        Item("italy", Say("Italy falls with one star in Allied hands after 1942"), italy),
    )

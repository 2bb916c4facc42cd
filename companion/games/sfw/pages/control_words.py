"""How the Control screen, reports and scores say who holds what, what has changed hands, and how far a side is from victory."""

from __future__ import annotations

from companion.core.ids import SiteId
from companion.core.judgement import Need
from companion.core.state import GameState
from companion.core.text import Range, Say, nation, several, side, site
from companion.games.sfw.pages.ledger_view import points_value, stage_say
from companion.games.sfw.rules.control import holder, totals_line
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.victory import Condition
from companion.pages.page import Mark
from companion.pages.parts import nation_mark, side_mark

__all__ = ["change_says", "condition_says", "holder_mark", "site_notes", "unknown_say"]


def site_notes(state: GameState, one: SiteId) -> tuple[Say, ...]:
    """Return what is open about a site: whose it is, or what was only inferred."""
    held, notes = holder(state, one), []
    is_start = one not in state.game["control"].holders
    if held.side is None:
        notes.append(Say("whose?"))
    elif is_start and any(key in tables(state).sites[one].status for key in ("side", "nation")):
        notes.append(Say("inferred, check"))
    if any(item.site == one for item in state.game["control"].pending):
        notes.append(Say("changes after step 6"))
    return tuple(notes)


def holder_mark(state: GameState, one: SiteId) -> Mark:
    """Return whose a site is: its nation, or its side while nobody has told the nation."""
    held, setup = holder(state, one), state.frozen_setup
    if held.nation is not None:
        return nation_mark(setup, held.nation)
    known = None if held.side is None else side_mark(setup, held.side)
    return known or Mark("?", "muted", Say("whose?"))


def unknown_say(needs: tuple[Need, ...]) -> Say:
    """Say that something is not known, and which value decides it."""
    return Say("not known: {question}", question=needs[0].question) if needs else Say("unknown")


def condition_says(state: GameState, item: Condition) -> tuple[Say, Say]:
    """Return a victory condition and how far its side is from it."""
    stages, short = Range(item.stages[0], item.stages[-1]), item.short_by
    has, missing = points_value(item.has), points_value(short)
    match item.kind:
        case "points":
            text = Say("{n} VP, stages {stages}", n=points_value(item.needs), stages=stages)
            detail = Say("has {n}, {m} short", n=has, m=missing) if short else Say("has {n}: met", n=has)
        case "control":
            wanted = tables(state).victory.control[item.side]
            text = Say("{sites}, stages {stages}", sites=several(map(site, wanted)), stages=stages)
            open_ = several(map(site, item.sites), "comma")
            detail = Say("still to take: {sites}", sites=open_) if item.sites else Say("held: met")
        case "most":
            text = Say("most VP at the end of stage {n}", n=stages)
            if item.sites and item.sites[0]:
                text = Say("{condition}; tie: {site}", condition=text, site=site(item.sites[0]))
            detail = Say("{n} short", n=missing) if short else Say("ahead as things stand")
        case _:
            text = Say("no victory of the other side by the end of stage {n}", n=stages)
            as_is = Say("{side} as things stand", side=side(item.side))
            detail = as_is if item.is_met else Say("the other side has it")
    if item.is_met is not None:
        return text, detail
    return text, unknown_say(item.asks)


def change_says(state: GameState) -> tuple[Say, ...]:
    """Return every change of control with the totals after it, newest first."""
    sides = state.frozen_setup.sides
    rows = [
        Say(
            "{stage}: {site} to {nation} ({one} : {other})",
            stage=stage_say(change.stage),
            site=site(change.site),
            nation=nation(change.nation),
            one=points_value(now.quarters.get(sides[0].id)),
            other=points_value(now.quarters.get(sides[1].id)),
        )
        for change, now in totals_line(state)
        if change is not None
    ]
    return tuple(reversed(rows))

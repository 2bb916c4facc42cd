"""How each value is asked for that a rule needs: a holder by its nation, a link by yes or no, a figure as its row asks."""

from __future__ import annotations

from companion.core.commands import EnterPrintedValue
from companion.core.judgement import Need
from companion.core.state import GameState
from companion.core.text import Say, nation
from companion.games.sfw.pages.units import ask_figure, figures_of
from companion.games.sfw.rules.ledger import printed_fault, tables
from companion.games.sfw.rules.support import unit_table_of
from companion.pages.page import Ask, Item, Send, asked
from companion.pages.parts import nation_mark

__all__ = ["entry"]


def entry(state: GameState, need: Need) -> Ask | None:
    """Return the question for a value; None where it is a plain number, or nothing of this game."""
    if need.kind != "printed":
        return None
    group, _dot, rest = need.id.partition(".")
    if group == "holder":
        return _holder(state, need)
    if group == "link":
        return _link(need)
    units = unit_table_of(state).units
    if group in units and rest in figures_of(state, units[group]):
        return ask_figure(state, group, rest)
    return None


def _holder(state: GameState, need: Need) -> Ask:
    """Ask which nation holds a site; only those that the stated set-up leaves open are offered."""
    setup, table = state.frozen_setup, tables(state)
    options = tuple(
        Item(info.id, nation(info.id), mark=nation_mark(setup, info.id))
        for info in setup.nations
        if printed_fault(table, setup, need.id, info.id) is None
    )
    sub = Say("It has not changed hands in this game.")
    return asked("holder", need.question, options, lambda who: Send(EnterPrintedValue(need.id, who)), sub=sub)


def _link(need: Need) -> Ask:
    answers = (Item("yes", Say("Yes, within three spaces")), Item("no", Say("No, farther apart")))
    return asked("apart", need.question, answers, lambda key: Send(EnterPrintedValue(need.id, key == "yes")))

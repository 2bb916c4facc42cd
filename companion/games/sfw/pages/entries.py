"""How each value is asked for that a rule needs: a holder by its nation, a link by yes or no, a figure as its row asks."""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.commands import EnterPrintedValue
from companion.core.ids import Nation
from companion.core.judgement import Need
from companion.core.state import GameState
from companion.core.text import Say, nation
from companion.core.text import nation as nation_of
from companion.games.sfw.pages.battle_group import ask_came_from
from companion.games.sfw.pages.units import ask_figure, figures_of
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.ledger_values import printed_fault, tables
from companion.games.sfw.rules.resupply_record import ReportAtSea
from companion.games.sfw.rules.seal_messages import SayOnDial
from companion.games.sfw.rules.support import unit_table_of
from companion.pages.page import Act, Ask, Item, Refuse, Send, asked
from companion.pages.parts import nation_mark

__all__ = ["ask_clear", "entry"]


def entry(state: GameState, need: Need) -> Ask | None:
    """Return the question for a value; None where it is a plain number, or nothing of this game."""
    if need.kind == "came_from":
        declared = battles_of(state).find(need.id)
        return None if declared is None else ask_came_from(state, need.id, declared.space, need.question)
    if need.kind == "moved":
        return _moved(state, need)
    if need.kind == "revealed":
        return _revealed(need)
    if need.kind == "dial":
        return _dial(need)
    if need.kind == "clear":
        return ask_clear(need.id, Refuse(Say("Contested, or an enemy adjacent")))
    if need.kind != "printed":
        return None
    group, _dot, rest = need.id.partition(".")
    if group == "holder":
        return _holder(state, need)
    if need.kind == "printed" and rest.startswith("load."):
        return _yes_no(need, is_link=False)
    if group in ("link", "icon"):
        return _yes_no(need, is_link=group == "link")
    units = unit_table_of(state).units
    if group in units and rest in figures_of(state, units[group]):
        return ask_figure(state, group, rest)
    return None


def _moved(state: GameState, need: Need) -> Ask | None:
    """Ask whether submarines moved; some of several may be told apart first."""
    battle, side, index = need.id.rsplit(".", 2)
    declared, place = battles_of(state).find(battle), int(index)
    if declared is None:
        return None
    group = (declared.battle.attacking if side == ATTACKING else declared.battle.defending)[place]
    apart = (Item("apart", Say("Some of them: set one apart")),) if group.count > 1 else ()
    options = (Item("stayed", Say("No: in ambush")), Item("moved", Say("Yes, moved")), *apart)

    def said(key: str) -> Act:
        if key == "apart":
            return Send(bc.SplitGroup(battle, side, place))
        return Send(bc.SetGroup(battle, side, place, replace(group, moved=key == "moved")))

    return asked("moved", need.question, options, said)


def _revealed(need: Need) -> Ask:
    """Ask whether ships that are not active were just revealed: else nobody there declares the battle."""
    options = (Item("yes", Say("Yes, just revealed")), Item("no", Say("No")))
    return asked(
        "revealed",
        need.question,
        options,
        lambda key: Send(bc.SetCircumstances(need.id, revealed=key == "yes")),
    )


def _holder(state: GameState, need: Need) -> Ask:
    """Ask which nation holds a site; only those that the stated set-up leaves open are offered."""
    setup, table = state.frozen_setup, tables(state)
    options = tuple(
        Item(info.id, nation(info.id), mark=nation_mark(setup, info.id))
        for info in setup.nations
        if printed_fault(table, setup, need.id, info.id) is None
    )
    sub = Say("It has not changed hands in this game.")
    return asked(
        "holder",
        need.question,
        options,
        lambda who: Send(EnterPrintedValue(need.id, who)),
        sub=sub,
        is_wide=False,
    )


def ask_clear(source: str, otherwise: Act) -> Ask:
    """Ask the owner of a resupply at sea whether its space is free of enemies, and none beside it."""
    options = (
        Item("yes", Say("Not contested, and no enemy adjacent")),
        Item("no", Say("Contested, or an enemy adjacent")),
    )
    clear = Send(ReportAtSea(source, is_clear=True))
    return asked("clear", Say("The fleet's space"), options, lambda key: clear if key == "yes" else otherwise)


def _dial(need: Need) -> Ask:
    """Ask whether a fleet is on its printed dial: the table's word is taken."""
    options = (Item("yes", Say("Yes, it is on the dial")), Item("no", Say("No, there is none")))

    def said(key: str) -> Act:
        nation = Nation(need.id)
        none = Refuse(Say("{nation} has no Hidden Fleet.", nation=nation_of(nation)))
        return Send(SayOnDial(nation, is_there=True)) if key == "yes" else none

    return asked("dial", need.question, options, said)


def _yes_no(need: Need, *, is_link: bool) -> Ask:
    answers = (Item("yes", Say("Yes")), Item("no", Say("No")))
    if is_link:
        answers = (Item("yes", Say("Yes, within three spaces")), Item("no", Say("No, farther apart")))
    return asked("apart", need.question, answers, lambda key: Send(EnterPrintedValue(need.id, key == "yes")))

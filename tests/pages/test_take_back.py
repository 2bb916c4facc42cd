"""Undo takes back what the table entered since the newest act, and says of the rest why it stays."""

from __future__ import annotations

from companion.core import commands as cm
from companion.games.sfw.rules.game_rules import sfw96_rules
from companion.games.sfw.rules.new_game import SfwFamily
from companion.pages.modules import game_view
from companion.pages.take_back import stays, take_back, undo_label
from companion.session.scenario_loader import load_game, make_setup
from companion.testing.memory_desk import MemoryDesk

_FAMILY = SfwFamily()


def _desk() -> MemoryDesk:
    game_view("sfw96")  # its words
    desk = MemoryDesk(make_setup(_FAMILY, load_game(_FAMILY), "apr43", {}), sfw96_rules())
    desk.send(cm.EndAct(desk.change.state.step.id, desk.now_ms(), confirmed=True))
    return desk


def _undo(desk: MemoryDesk) -> bool:
    found = take_back(desk.change, desk.entries())
    if found is not None:
        desk.send(found[1])
    return found is not None


def test_undo_enters_the_value_that_stood_there_before() -> None:
    desk = _desk()
    for value in (8, 9):
        desk.send(cm.EnterPrintedValue("tank.number", value))
    assert undo_label(desk.change, desk.entries()) == "Tank, Hit number 9"
    assert _undo(desk)
    assert desk.change.state.printed == {"tank.number": 8}
    assert _undo(desk)
    assert desk.change.state.printed == {}
    assert not _undo(desk)
    assert undo_label(desk.change, desk.entries()) != ""
    assert desk.change.undo is not None


def test_going_back_over_acts_loses_no_figure_of_the_box() -> None:
    desk = _desk()
    desk.send(cm.EnterPrintedValue("tank.number", 8))
    desk.send(cm.EndAct(desk.change.state.step.id, desk.now_ms(), confirmed=True))
    assert take_back(desk.change, desk.entries()) is None
    desk.send(cm.Undo(at_ms=desk.now_ms()))
    assert not _undo(desk)
    assert desk.change.state.printed == {"tank.number": 8}
    desk.send(cm.EnterPrintedValue("tank.number", 9))
    assert _undo(desk)
    assert desk.change.state.printed == {"tank.number": 8}


def test_values_that_the_program_remembers_are_left_alone() -> None:
    desk = _desk()
    desk.send(cm.EnterPrintedValue("tank.number", 8), source="app")
    assert take_back(desk.change, desk.entries()) is None


def test_what_undo_leaves_in_place_says_so() -> None:
    desk = _desk()
    assert stays(desk.change) == ""
    desk.send(cm.AddNote("Malta is contested"))
    assert stays(desk.change) == (
        "Note: Malta is contested. Undo does not change this; enter it again to change it."
    )

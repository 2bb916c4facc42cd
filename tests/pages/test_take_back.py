"""Undo takes back what the table entered since the newest act, and says of the rest why it stays."""

from __future__ import annotations

from companion.core import commands as cm
from companion.core.text import Name
from companion.games.sfw.rules.game_rules import sfw96_rules
from companion.games.sfw.rules.new_game import SfwFamily
from companion.pages.i18n import LANGUAGES, speaking
from companion.pages.modules import game_view, modules
from companion.pages.shared_words import SHARED
from companion.pages.speak import speak
from companion.pages.take_back import stays, take_back, undo_kind, undo_label
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
    assert undo_kind(desk.change, desk.entries()) == "a value"
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


def test_undo_says_in_a_few_words_what_it_takes_back() -> None:
    desk = _desk()
    ended = desk.change.undo
    assert ended is not None
    assert undo_kind(desk.change, desk.entries()) == speak(
        Name("done", ended.command.step.rsplit(".")[-1]), desk.change.state
    )
    check = desk.change.state.step.checks[0]
    desk.send(cm.TickCheck(desk.change.state.step.id, check, True))
    assert undo_kind(desk.change, desk.entries()) == "a tick"


def test_every_entry_that_undo_takes_back_has_its_few_words() -> None:
    for module in modules().values():
        for command in module.rules().commands:
            if command.kind not in ("sticky", "clock"):
                assert module.words().word("undone", command.__name__), (module.key, command)
    kinds = [
        name for name, one in vars(cm).items() if getattr(one, "kind", "") == "act" and name != "Command"
    ]
    assert kinds
    assert not [name for name in kinds if SHARED.word("undone", name) is None]
    for language in LANGUAGES:
        with speaking(language):
            for module in modules().values():
                for name in module.words().names["undone"]:
                    text = speak(Name("undone", name), game=module.key)
                    assert len(text) <= 24, text
                    assert ":" not in text

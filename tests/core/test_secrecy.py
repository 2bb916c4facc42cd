"""Views on a small game in which a roll is hidden until the step ends: what they tell, and what they tell once it is open."""

from __future__ import annotations

import pytest
from core_table import ALLIES, AXIS, Grow, Roll, Rolled, Table

from companion.core import commands as cm
from companion.core import events as ev
from companion.core.change import Change, Envelope
from companion.core.ids import Actor
from companion.core.rules import Code
from companion.core.secrecy import Happened, Secret, Secrets, View, Views
from companion.core.state import GameState


def _no_value(act: Happened, _state: GameState, eyes: frozenset[str]) -> Happened:
    """Take the value of a roll from an act, unless the Axis looks on."""
    if AXIS in eyes:
        return act
    command = Roll(0) if isinstance(act.command, Roll) else act.command
    return Happened(command, tuple(Rolled(0) if isinstance(e, Rolled) else e for e in act.events))


def _no_name(act: Happened, _state: GameState, _eyes: frozenset[str]) -> Happened:
    """Take the name of a step that is added from an act."""
    return Happened(Grow("?"), act.events) if isinstance(act.command, Grow) else act


SECRETS = Secrets(
    held=(
        Secret(key="name", text="A step's name.", kept="covered", held_in=(Grow,), cover=_no_name),
        Secret(
            key="roll", text="A roll.", kept="covered", held_in=(Roll, Rolled), opened_by=(ev.StepEntered,),
            cover=_no_value,
        ),
    )
)  # fmt: skip


@pytest.fixture
def rolled() -> Table:
    table = Table()
    table.press_to("s1.t1.allies.move")
    table.do(Roll(7))
    return table


def view_of(table: Table, eyes: frozenset[str] = frozenset()) -> View:
    view = View(table.rules, SECRETS, eyes)
    view.take(table.entries)
    return view


def test_what_is_closed_is_covered_for_all_eyes_but_those_that_may_know(rolled: Table) -> None:
    log = tuple(rolled.entries)
    shown = view_of(rolled).entries(log)
    assert (shown[-1].command, shown[-1].events) == (Roll(0), (Rolled(0),))
    assert shown[:-1] == log[:-1]
    assert view_of(rolled).first_held() == len(log)
    assert view_of(rolled, frozenset({AXIS})).entries(log) is log


def test_a_copy_may_leave_the_box_up_to_the_first_secret_of_which_none_may(rolled: Table) -> None:
    log = rolled.entries
    views = Views(rolled.rules, SECRETS, log, Change(len(log), rolled.state, tuple(log[-1:])))
    assert views.free_until() == len(log) - 1
    rolled.press()
    log = rolled.entries
    views.take(Change(len(log), rolled.state, tuple(log[-1:])))
    assert views.free_until() == len(log)


@pytest.mark.parametrize("is_kept_up", [True, False])
def test_what_was_opened_is_told_as_it_was_and_may_leave_the_box(rolled: Table, is_kept_up: bool) -> None:
    view = view_of(rolled)
    rolled.press()
    if is_kept_up:
        view.take(rolled.entries)
    else:
        view = view_of(rolled)
    log = tuple(rolled.entries)
    assert view.first_held() is None
    assert view.entries(log) is log
    change = Change(len(log), rolled.state, log[-1:])
    assert view.change(change) is change


@pytest.mark.parametrize(
    ("asked", "told"), [(Roll(13), Roll(0)), (Grow("x"), Grow("?")), (cm.AddNote("x"), cm.AddNote("x"))]
)
def test_of_what_is_refused_nothing_hidden_is_told(
    rolled: Table, asked: cm.Command, told: cm.Command
) -> None:
    """Whichever of the game's secrets it holds."""
    refused = rolled.refused(Roll(13))
    change = Change(len(rolled.entries), rolled.state, (), Envelope(asked, Actor(ALLIES)), refused)
    shown = view_of(rolled).change(change)
    assert shown.envelope is not None
    assert shown.envelope.command == told
    assert shown.rejected is not None
    assert shown.rejected.code == (refused.code if asked == told else Code.IN_SECRET)

"""Rules made of parts: each part changes its own slice only, and answers for its own commands and events."""

from __future__ import annotations

from typing import Any

import pytest
from core_table import Finish, Grow, Roll, Rolled, Table, toy_setup

from companion.core import events as ev
from companion.core.events import Event
from companion.core.flow import Step
from companion.core.parts import ComposedRules, Part
from companion.core.rules import Accepted, Code, Context, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState


class Dice(Part):
    """Keeps what was rolled, and does not ask about steps."""

    name = "dice"
    commands = (Roll,)
    events = (Rolled,)

    def initial(self, setup: Setup) -> Any:  # noqa: ARG002
        return ()

    def decide(self, state: GameState, command: Any, ctx: Context) -> Decision:  # noqa: ARG002
        return Accepted((Rolled(command.value),))

    def evolve(self, own: Any, event: Any, state: GameState) -> Any:  # noqa: ARG002
        return (*own, event.value)

    def is_irreversible(self, event: Event) -> bool:
        return isinstance(event, Rolled) and event.value > 6


class Steps(Part):
    """Keeps the tactical steps that were entered."""

    name = "steps"
    commands = (Grow, Finish)

    def initial(self, setup: Setup) -> Any:  # noqa: ARG002
        return ()

    def step_entered(self, own: Any, step: Step, state: GameState) -> Any:
        assert state.step is step
        return (*own, step.act) if step.phase == "tactical" else own


@pytest.fixture
def parted() -> Table:
    return Table(toy_setup(), ComposedRules("toy", (Dice(), Steps())))


def test_a_step_is_told_to_the_parts_that_ask_and_changes_their_slices_only(parted: Table) -> None:
    parted.press_to("s1.t1.allies.resolve")
    assert parted.state.game == {"dice": (), "steps": ("move", "resolve")}
    before = parted.state
    parted.press_to("s1.v.check")
    assert parted.state.game["dice"] is before.game["dice"]


def test_an_event_changes_the_slice_of_its_part(parted: Table) -> None:
    rules = parted.rules
    assert rules.evolve(parted.state, Rolled(4)) == {**parted.state.game, "dice": (4,)}
    assert rules.evolve(parted.state, ev.NoteAdded("x")) is parted.state.game


def test_only_the_part_of_an_event_says_whether_it_can_be_taken_back(parted: Table) -> None:
    events = (Rolled(6), Rolled(7), ev.NoteAdded("x"))
    assert [parted.rules.is_irreversible(event) for event in events] == [False, True, False]


def test_a_command_goes_to_its_part(parted: Table) -> None:
    assert parted.rules.decide(parted.state, Roll(3), Context()) == Accepted((Rolled(3),))
    assert parted.rules.decide(parted.state, Grow("x"), Context()) == Rejected(Code.UNKNOWN_COMMAND)


class Thrown(Dice):
    """Rolls by itself whenever a step begins."""

    def entering(self, state: GameState, step: Step, at_ms: int) -> tuple[Event, ...]:  # noqa: ARG002
        return (Rolled(5),)


class Told(Steps):
    """Notes what the part before it has rolled."""

    def entering(self, state: GameState, step: Step, at_ms: int) -> tuple[Event, ...]:  # noqa: ARG002
        return (ev.NoteAdded(str(state.game["dice"])),)


def test_what_happens_by_itself_at_a_step_comes_from_all_parts_in_their_order() -> None:
    rules = ComposedRules("toy", (Thrown(), Told()))
    table = Table(toy_setup(), rules)
    before = table.state.game["dice"]
    happened = rules.entering(table.state, table.state.step, 0)
    assert happened == (Rolled(5), ev.NoteAdded(str((*before, 5))))


def test_two_parts_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="share a name"):
        ComposedRules("toy", (Dice(), Dice()))

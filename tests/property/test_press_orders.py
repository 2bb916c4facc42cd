"""Presses and flags in every order of arrival: what counts is the stamp, within the grace."""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import pytest
from core_table import ALLIES, AXIS, MINUTE, Table, check_log, toy_setup

from companion.core import commands as cm
from companion.core.ids import SYSTEM, TABLE, Actor, Side
from companion.core.rules import Code

GRACE_MS = 250


class Press(NamedTuple):
    """A press on its way: who, when it was stamped, from where."""

    actor: Actor
    stamp_ms: int
    """Relative to the deadline of the Allies."""


EARLY = Press(Actor("allies"), -1)
LATE = Press(Actor("allies"), 0)
LATER = Press(TABLE, 40)
OTHER = Press(Actor("axis"), 20)


def at_the_deadline() -> tuple[Table, int]:
    """A tournament in which the Allies resolve, their last act before the other side; and their deadline."""
    table = Table(toy_setup(grace_ms=GRACE_MS))
    table.press_to("s1.t1.allies.resolve")
    return table, table.state.clocks.since_ms + MINUTE


@pytest.mark.parametrize("presses", list(permutations((EARLY, LATE, LATER, OTHER))))
@pytest.mark.parametrize("delay_ms", [41, 120, 249])
def test_a_press_from_before_the_deadline_counts_in_every_order_of_arrival(
    presses: tuple[Press, ...], delay_ms: int
) -> None:
    table, due = at_the_deadline()
    step = table.state.step.id
    for i, press in enumerate(presses):
        table.now = due + delay_ms + i * (GRACE_MS - 1 - delay_ms) // 3
        table.send(cm.EndAct(step, due + press.stamp_ms), press.actor)
    table.now = due + GRACE_MS
    table.send(cm.SettleClock(table.now), SYSTEM)
    assert table.state.clocks.falls == ()
    assert table.state.step.id == "s1.t1.axis.move"
    assert (table.left(ALLIES), table.state.clocks.spent_ms[ALLIES][0]) == (1, MINUTE - 1)
    assert table.state.clocks.running == AXIS
    assert len([e for e in table.entries if isinstance(e.command, cm.EndAct)]) == 4  # no step was skipped
    check_log(table)


@pytest.mark.parametrize("presses", list(permutations((LATE, LATER, OTHER))))
@pytest.mark.parametrize("told_first", [0, 1, 2, 3])
def test_without_such_a_press_the_flag_falls_at_its_deadline_in_every_order(
    presses: tuple[Press, ...], told_first: int
) -> None:
    table, due = at_the_deadline()
    step = table.state.step.id
    for i in range(4):
        table.now = due + 41 + i * 100
        if i == told_first:
            table.send(cm.SettleClock(table.now), SYSTEM)
        else:
            press = presses[i - (i > told_first)]
            assert table.send(cm.EndAct(step, due + press.stamp_ms), press.actor) is not None
    table.now = due + 1_000
    table.send(cm.SettleClock(table.now), SYSTEM)
    assert [(fall.side, fall.at_ms) for fall in table.state.clocks.falls] == [(ALLIES, due)]
    assert (table.state.step.id, table.state.flag_prompt, table.left(ALLIES)) == (step, ALLIES, 0)
    check_log(table)


@pytest.mark.parametrize("delivered_ms", [GRACE_MS, GRACE_MS + 1, 5_000])
def test_a_press_that_comes_after_the_grace_comes_too_late(delivered_ms: int) -> None:
    table, due = at_the_deadline()
    table.now = due + GRACE_MS
    table.send(cm.SettleClock(table.now), SYSTEM)
    table.now = due + delivered_ms
    rejected = table.send(cm.EndAct(table.state.step.id, due - 1), Actor("allies"))
    assert rejected is not None
    assert rejected.code == Code.FLAG_PENDING


@pytest.mark.parametrize("order", list(permutations(("allies", "allies again", "axis", "pause", "undo"))))
def test_any_order_of_five_inputs_in_one_millisecond_charges_every_millisecond_once(
    order: tuple[str, ...],
) -> None:
    table = Table()
    table.press_to("s1.t1.allies.resolve", 1_000)
    table.now += 7_000
    step, now = table.state.step.id, table.now
    inputs = {
        "allies": (cm.EndAct(step, now), Actor("allies")),
        "allies again": (cm.EndAct(step, now), TABLE),
        "axis": (cm.EndAct(step, now), Actor("axis")),
        "pause": (cm.Pause(now), TABLE),
        "undo": (cm.Undo(now), TABLE),
    }
    before = table.used(ALLIES)
    for name in order:
        table.send(*inputs[name])
    assert table.used(ALLIES) == before
    assert table.used(AXIS) == 0
    assert table.state.step.id in ("s1.t1.allies.move", "s1.t1.allies.resolve", "s1.t1.axis.move")
    check_log(table)


@pytest.mark.parametrize("tournament", [True, False])
def test_who_fell_first_is_kept(tournament: bool) -> None:
    table = Table(toy_setup(tournament=tournament))
    first: list[Side] = []
    for stage in (1, 2, 3):
        table.press_to(f"s{stage}.t1.{ALLIES if stage % 2 else AXIS}.move")
        for _ in range(2):
            table.now += 3 * MINUTE + GRACE_MS
            table.send(cm.SettleClock(table.now), SYSTEM)
            side = table.state.flag_prompt
            assert side is not None
            first.append(side)
            table.do(cm.AcknowledgeFlag(side, table.state.step.id, table.now))
    assert (
        [fall.side for fall in table.state.clocks.falls]
        == first
        == [ALLIES, AXIS, AXIS, ALLIES, ALLIES, AXIS]
    )
    check_log(table)

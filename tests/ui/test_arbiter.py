"""The arbiter's screen, by taps."""

from __future__ import annotations

from sample_laid import last, lay

from companion.core import commands as cm
from companion.core.ids import ARBITER
from companion.pages import labels
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import sample_setup
from companion.testing.scenes import busy_desk, late_desk

# Arbiter


def _arbiter(laid: Laid) -> None:
    laid.tap(laid.find(text="Arbiter"))


def test_arbiter_needs_the_pin_and_a_wrong_one_is_refused() -> None:
    laid = lay("clocks", busy_desk())
    _arbiter(laid)
    for digit in "9999":
        laid.tap(laid.find(text=digit))
    laid.tap(laid.find(text="Unlock"))
    assert laid.has("Wrong PIN")
    for digit in "1234":
        laid.tap(laid.find(text=digit))
    assert not laid.has("1234")
    laid.tap(laid.find(text="Unlock"))
    assert laid.has("Correct a clock")


def test_the_coach_is_not_locked_by_hand_in_a_tournament_where_it_is_locked_already() -> None:
    for desk, is_offered in ((busy_desk(), False), (MemoryDesk(sample_setup(tournament=False)), True)):
        laid = lay("clocks", desk)
        laid.root.unlock_arbiter()
        _arbiter(laid)
        assert laid.has("Lock the coach") is is_offered


def test_arbiter_is_trusted_for_a_while_and_can_lock_again() -> None:
    laid = lay("clocks", busy_desk())
    laid.root.unlock_arbiter()
    _arbiter(laid)
    laid.tap(laid.find(text="Lock again"))
    _arbiter(laid)
    assert laid.has("Arbiter's PIN")


def test_arbiter_corrects_to_the_second() -> None:
    laid = lay("clocks", busy_desk())
    laid.root.unlock_arbiter()
    _arbiter(laid)
    laid.tap(laid.find(text="Correct a clock"))
    for digit in "0101":
        laid.tap(laid.find(text=digit))
    assert laid.has("+1:01")
    laid.tap(laid.find(text="Say why"))
    assert laid.root.dialogs, "under tournament time a reason is asked"
    laid.tap(laid.find(text="The clock was pressed too late"))
    assert laid.faults() == []
    laid.tap(laid.find(text="Correct"))
    command = last(laid)
    assert isinstance(command, cm.CorrectTime)
    assert (command.side, command.delta_ms, command.reason) == ("allies", 61_000, "late_press")
    assert laid.desk.sent[-1].actor == ARBITER
    assert laid.desk.change is not None
    entry = laid.desk.entries()[-1]
    assert (
        labels.entry_label(entry, laid.desk.change.state)
        == "Allies: time +1:01 (The clock was pressed too late)"
    )


def test_arbiter_takes_time_for_a_reason_of_his_own() -> None:
    laid = lay("clocks", busy_desk())
    laid.root.unlock_arbiter()
    _arbiter(laid)
    laid.tap(laid.find(text="Correct a clock"))
    for text in ("2", "0", "Less time", "Another reason"):
        laid.tap(laid.find(text=text))
    for key in ("B", "E", "L", "L", "Done"):
        laid.tap(laid.find(text=key))
    assert laid.has("-0:20") or laid.has("−0:20")
    laid.tap(laid.find(text="Correct"))
    command = last(laid)
    assert isinstance(command, cm.CorrectTime)
    assert (command.delta_ms, command.reason) == (-20_000, "Bell")


def test_arbiter_steps_back_and_jumps_without_reverting() -> None:
    laid = lay("clocks", busy_desk())
    laid.root.unlock_arbiter()
    _arbiter(laid)
    laid.tap(laid.find(text="Step back"))
    assert laid.desk.change.state.step.id == "s1.t3.allies.declare"
    _arbiter(laid)
    laid.tap(laid.find(text="Jump to a step"))
    laid.tap(laid.find(text="Stage 2"))
    laid.tap(laid.find(text="Step 1, Axis: Declare battles"))
    assert laid.desk.change.state.step.id == "s2.t1.axis.declare"
    assert laid.root.dialogs == []


def test_arbiter_without_a_pin_is_asked_for_none() -> None:
    laid = lay("clocks")
    _arbiter(laid)
    assert laid.has("Correct a clock")


def test_time_sheet_lists_steps_corrections_and_undos() -> None:
    laid = lay("clocks", late_desk())
    laid.root.unlock_arbiter()
    _arbiter(laid)
    laid.tap(laid.find(text="Time sheet"))
    seen = set()
    for _n in range(8):
        seen |= {w.text for w in laid.walk() if getattr(w, "text", "")}
        down = laid.find(icon="forward")
        if not down.is_enabled:
            break
        laid.tap(down)
    assert {"Correction: Allies", "+1:30", "1 entry undone"} <= seen

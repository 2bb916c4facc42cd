"""Presses that are not meant: the whole gesture that wakes a screen, and the main button right after its act changed."""

from __future__ import annotations

import msgspec
import pytest

from companion.core import commands as cm
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import sample_setup
from companion.ui.rest import BOUNCE_MS, CONTACT_MS, LONGEST_MS, WAKE_REST_MS, Contacts, MainRest, WakeGesture

_MS = 1_000_000


def test_every_finger_of_the_gesture_that_wakes_is_swallowed_and_the_next_one_counts() -> None:
    waking = WakeGesture()
    assert waking.down("a", 0, woke=True)
    assert waking.down("b", 40 * _MS, woke=False)
    waking.up("a", 60 * _MS)
    assert waking.down("c", 2_000 * _MS, woke=False), "a finger is still down"
    waking.up("b", 2_100 * _MS)
    waking.up("c", 2_200 * _MS)
    assert waking.down("d", (2_200 + WAKE_REST_MS - 1) * _MS, woke=False)
    waking.up("d", 2_600 * _MS)
    assert not waking.down("e", (2_600 + WAKE_REST_MS) * _MS, woke=False)


def test_a_lifted_finger_that_woke_nothing_delays_nothing() -> None:
    waking = WakeGesture()
    assert not waking.down("a", 0, woke=False)
    waking.up("a", 10 * _MS)
    assert not waking.down("b", 20 * _MS, woke=False)


def _changes() -> tuple[MainRest, MemoryDesk]:
    desk, rest = MemoryDesk(sample_setup()), MainRest()
    rest.changed(desk.change, 300)
    rest.drawn(0)
    return rest, desk


def test_the_button_rests_after_a_step_and_longer_when_the_act_passes_to_the_other_side() -> None:
    rest, desk = _changes()
    assert rest.takes(BOUNCE_MS * _MS)
    lengths = set()
    for n in range(1, 12):
        before = desk.change.state.step.owners
        desk.send(cm.EndAct(step=desk.change.state.step.id, at_ms=desk.now_ms(), confirmed=True))
        at = n * 1_000 * _MS
        assert rest.changed(desk.change, 300)
        assert not rest.takes(at), "pressed before the new act was drawn"
        rest.drawn(at)
        rest.drawn(at + 5_000 * _MS)
        wanted = BOUNCE_MS if desk.change.state.step.owners == before else 300
        lengths.add(wanted)
        assert not rest.takes(at + (wanted - 1) * _MS)
        assert rest.takes(at + wanted * _MS)
    assert lengths == {BOUNCE_MS, 300}


def test_what_ends_no_step_lets_the_button_be() -> None:
    rest, desk = _changes()
    desk.send(cm.AddNote("a note"))
    assert not rest.changed(desk.change, 300)
    assert rest.takes(5_000 * _MS)
    assert MainRest().takes(0)
    nothing = msgspec.structs.replace(
        desk.change, state=msgspec.structs.replace(desk.change.state, setup=None)
    )
    assert not MainRest().changed(nothing, 300)


@pytest.mark.parametrize("rest_ms", [200, 500])
def test_the_setting_sets_how_long(rest_ms: int) -> None:
    rest, desk = _changes()
    while True:
        before = desk.change.state.step.owners
        desk.send(cm.EndAct(step=desk.change.state.step.id, at_ms=desk.now_ms(), confirmed=True))
        rest.changed(desk.change, rest_ms)
        rest.drawn(0)
        if desk.change.state.step.owners != before:
            break
    assert not rest.takes((rest_ms - 1) * _MS)
    assert rest.takes(rest_ms * _MS)


def _send_to(rest: MainRest, desk: MemoryDesk, command: cm.Command) -> bool:
    desk.send(command)
    return rest.changed(desk.change, 300)


def test_the_button_rests_too_when_a_pause_or_an_undo_has_changed_what_it_does() -> None:
    """A double contact on Resume must not end the act that Resume has just brought under the finger."""
    rest, desk = _changes()
    for number, command in enumerate(
        (
            lambda: cm.Pause(at_ms=desk.now_ms()),
            lambda: cm.Resume(at_ms=desk.now_ms()),
            lambda: cm.EndAct(step=desk.change.state.step.id, at_ms=desk.now_ms(), confirmed=True),
            lambda: cm.Undo(at_ms=desk.now_ms(), confirmed=True),
        ),
        start=1,
    ):
        at = number * 10_000 * _MS
        assert rest.takes(at)
        assert _send_to(rest, desk, command())
        assert not rest.takes(at)
        rest.drawn(at)
        assert not rest.takes(at + 150 * _MS)
        assert rest.takes(at + 300 * _MS)


def test_two_contacts_of_one_finger_on_one_button_are_one_press_whatever_it_says_by_then() -> None:
    contacts, at = Contacts(), 5_000 * _MS
    assert contacts.is_first("main", at)
    for apart_ms in (0, 30, 80, 150, CONTACT_MS - 1):
        assert not contacts.is_first("main", at + apart_ms * _MS)
        assert Contacts().is_first("main", at + apart_ms * _MS)
    assert contacts.is_first("half axis", at + 30 * _MS), "another button, another finger"
    assert contacts.is_first("main", at + CONTACT_MS * _MS)


def test_a_palm_that_stays_on_the_glass_does_not_lock_it() -> None:
    waking = WakeGesture()
    assert waking.down("palm", 0, woke=True)
    assert waking.down("finger", (LONGEST_MS - 1) * _MS, woke=False)
    waking.up("finger", LONGEST_MS * _MS)
    assert not waking.down("finger", (2 * LONGEST_MS) * _MS, woke=False)

"""What travels to and from the writer."""

from __future__ import annotations

from companion.core.change import Change, Envelope
from companion.core.commands import AddNote
from companion.core.ids import TABLE
from companion.core.state import EMPTY_STATE


def test_an_envelope_says_who_acted_and_where_it_came_from() -> None:
    envelope = Envelope(AddNote("x"))
    assert (envelope.actor, envelope.source) == (TABLE, "touch")


def test_a_change_that_says_no_more_is_the_programs_own_doing() -> None:
    change = Change(3, EMPTY_STATE)
    assert (change.entries, change.envelope, change.rejected, change.undo, change.redo) == (
        (),
        None,
        None,
        None,
        None,
    )

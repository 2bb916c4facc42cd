"""Saved games as everybody may know them, and copies that have to wait until what is hidden was shown."""

from __future__ import annotations

from companion.core.change import Change
from companion.core.history import Timeline
from companion.core.secrecy import Views
from companion.core.text import Say
from companion.pages.modules import secrets_of
from companion.session.errors import SessionError

__all__ = ["check_may_leave", "views_of"]


def views_of(timeline: Timeline) -> Views:
    """Return the views of a game that was read and is not played."""
    state = timeline.state
    game = state.setup.game if state.setup is not None else ""
    change = Change(len(timeline.entries), state)
    return Views(timeline.rules, secrets_of(game), timeline.entries, change)


def check_may_leave(views: Views | None, upto: int | None = None) -> None:
    """Let a copy of a game, up to an entry or whole, be made; SessionError while it would show what is hidden."""
    if views is not None and views.free_until() < (views.length if upto is None else min(upto, views.length)):
        raise SessionError(
            Say("something in it is still hidden from the others"), Say("copy it once that was turned over")
        )

"""What a viewer may see: the sight that a page for one seat is made of.

The box, whoever watches and every page, label and report are given what everybody may know: the desk itself tells no more.
A page that is for one seat alone is made of that seat's sight, and of nothing else:

    viewer = Viewer("p1", sees=frozenset({"p1"}))
    sight = sight_of(desk, viewer, draft=drafts.get(viewer, "med"), wall_ms=wall_ms)
    shown = med_page(sight)

Its `state`, its change and the log that its desk lists then hold what is hidden from the others but not from `viewer.sees`:
the cards that he laid face down, the pile under his Operations. What others hide is in none of them. A viewer who sees
nothing hidden gets what the box shows. A refusal comes to such a page by the change of its own sight; the box is only told
that something was refused. `Secret.kept` says what a log never holds: what is sealed opens with its PIN at the vault,
and what is kept outside belongs to whoever enters it.
"""

from __future__ import annotations

from typing import Any

from companion.core.change import Change
from companion.core.history import Entry
from companion.core.secrecy import Seen
from companion.pages.desk import Desk
from companion.pages.page import Sight, Viewer

__all__ = ["SeenDesk", "sight_of"]


class SeenDesk:
    """A desk whose change and log are those that somebody may know; all else is the desk's own."""

    def __init__(self, desk: Desk, seen: Seen) -> None:
        """Take the desk and what is seen of its game."""
        self._desk, self._seen = desk, seen

    @property
    def change(self) -> Change:
        """The newest change as this viewer may know it."""
        return self._seen.change

    def entries(self) -> tuple[Entry, ...]:
        """The log as this viewer may know it."""
        return self._seen.entries

    def __getattr__(self, name: str) -> Any:
        return getattr(self._desk, name)


def sight_of(desk: Desk, viewer: Viewer, **more: Any) -> Sight:
    """Return what a page for a viewer is made of, and of nothing else; `more` as in `Sight`. Without a game: no change."""
    seen = desk.seen(viewer.sees)
    if seen is None:
        return Sight(viewer, None, desk.rules, desk=desk, **more)
    own: Any = SeenDesk(desk, seen)
    return Sight(viewer, seen.change, desk.rules, desk=own, **more)

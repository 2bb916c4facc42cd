"""How far aircraft and ships moved into an attack, asked where neither the borders nor a ruling say it."""

from __future__ import annotations

from typing import Final

import msgspec

from companion.core.ids import SiteId
from companion.core.options import says
from companion.core.state import GameState
from companion.core.text import Say, Typed, area
from companion.games.aana.pages.draft import press
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.admission import reach_fault
from companion.games.aana.rules.ledger import figures, split
from companion.games.aana.rules.routes import routes
from companion.pages.page import Act, Answers, Ask, Field, Form, Item

__all__ = ["ask_flown", "flown_from"]


def flown_from(state: GameState, target: SiteId, groups: tuple[bm.AttackGroup, ...]) -> tuple[SiteId, ...]:
    """Return the places from which aircraft or ships come, where neither the borders nor a ruling say how far it is."""
    ways, book = routes(state), figures(state)
    if says(state, "aana.direct_attack", "one"):
        return ()
    return tuple(
        group.origin
        for group in groups
        if group.origin != target
        and any(book.row(*split(piece)[:2]).type != "land" for piece in group.units)
        and not (ways is not None and ways.knows(group.origin) and ways.knows(target))
    )


_FARTHEST: Final = 6
"""Spaces that the farthest of all pieces moves into an attack."""


def ask_flown(state: GameState, command: bm.DeclareAttack, origins: tuple[SiteId, ...]) -> Ask:
    """Ask how far aircraft and ships moved into an attack, place by place, and declare it: it counts against their way home."""
    book = figures(state)

    def reached(origin: SiteId) -> tuple[Item, ...]:
        """Offer the spaces that none of those from there is refused for."""
        units = [piece for group in command.groups if group.origin == origin for piece in group.units]
        rows = [book.row(*split(piece)[:2]) for piece in units]
        far = range(1, _FARTHEST + 1)
        able = [n for n in far if all(reach_fault(row, n) is None for row in rows)]
        return tuple(Item(str(n), Typed(str(n))) for n in able or far)

    sub = Say("They count against the flight home")
    fields = tuple(
        Field(
            origin,
            Say("Spaces moved from {origin} to {space}?", origin=area(origin), space=area(command.space)),
            "choose",
            sub,
            options=reached(origin),
            is_wide=False,
        )
        for origin in origins
    )

    def told(answers: Answers) -> Act:
        groups = (
            msgspec.structs.replace(one, spaces=int(answers.get(one.origin, "0"))) for one in command.groups
        )
        return press(msgspec.structs.replace(command, groups=tuple(groups)))

    return Ask(Form("flown", fields[0].title, fields), told)

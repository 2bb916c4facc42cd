"""What a battle file of North Africa leaves unsaid although its odds hang on it, and what is counted meanwhile.

Source: rulebook, Phase 4: Conduct Combat (supply, press or cease, retreat), Defence Bonus, Air Movement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from companion.core.text import Say
from companion.games.aana.odds.checks import Group
from companion.games.aana.rules.combat import Arena, Counts
from companion.games.aana.rules.figures import FigureBook
from companion.games.aana.rules.rounds import DefencePlan, aaa_alone, needs_supply, press_cost
from companion.games.aana.rules.routes import Routes

__all__ = ["UNSAID", "unsaid_keys"]

UNSAID: Final[Mapping[str, Say]] = {
    "supply.attacking": Say("Not stated: supply of the attackers; counted as enough for every round"),
    "supply.defending": Say("Not stated: supply of the defenders; counted as enough for every round"),
    "territory": Say("Not stated: the territory; counted as one without a defence bonus"),
    "spaces": Say("Not stated: how far aircraft and ships moved; counted as within their reach"),
    "can_retreat": Say("Not stated: whether the defenders can retreat; counted as yes"),
}
"""What is told of each key that was left out."""


def unsaid_keys(
    raw: Mapping[str, Any],
    book: FigureBook,
    routes: Routes | None,
    groups: Sequence[Group],
    *,
    arena: Arena,
    attackers: Counts,
    defenders: Counts,
    defence: DefencePlan,
) -> tuple[str, ...]:
    """Return the keys that the file leaves out and that decide something in this battle, in the order of `UNSAID`."""
    supply = raw.get("supply")
    given = supply if isinstance(supply, dict) else {}
    on_land = arena.rules.domain == "land"

    def found() -> Iterator[str]:
        if given.get("attacking") is None and any(press_cost(arena, attackers).values()):
            yield "supply.attacking"
        if on_land and given.get("defending") is None and needs_supply(arena, defenders):
            yield "supply.defending"
        if on_land and not raw.get("territory") and "bonus_reroll" not in raw:
            yield "territory"
        if any(not group.spaces and _moves_unseen(group, book, routes) for group in groups):
            yield "spaces"
        leaves = defence.retreat_round is not None or defence.retreat_at_most is not None
        if on_land and "can_retreat" not in raw and (leaves or _has_guns(arena, defenders)):
            yield "can_retreat"

    return tuple(found())


def _moves_unseen(group: Group, book: FigureBook, routes: Routes | None) -> bool:
    """Say whether nothing tells how far aircraft or ships came."""
    if not book.has(group.nation, group.unit) or book.row(group.nation, group.unit).type == "land":
        return False
    return routes is None or not routes.knows(group.origin)


def _has_guns(arena: Arena, defenders: Counts) -> bool:
    """Say whether anti-aircraft artillery stands there, whose end hangs on a way out once it is left alone."""
    guns = tuple(
        n if "cannot_attack" in row.traits else 0
        for row, n in zip(arena.defender_rows, defenders, strict=True)
    )
    return aaa_alone(arena, guns)

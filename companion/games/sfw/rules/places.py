"""The places of the board: Objectives and Airfields, the sea spaces that the text names, and what the table has named itself.

Every command that names a space is decided with its one spelling, so battles, homes, tokens, bridges, seals, hubs, placing and
bombing mean the same space by the same name, however it was typed and in whatever language it was shown.

Source: rulebook v0.96, Phase 2: Victory; Scenarios and Set Up; German Resupply at Sea; rulebook 1, Game Board Setup.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.newest import Newest
from companion.core.places import Place, Places, folded, same_place
from companion.core.state import GameState
from companion.core.text import Say
from companion.games.sfw.rules.ledger import LedgerTable, Site
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.named import space as space_of

__all__ = ["folded", "ground_fault", "places_of", "same_place", "site_at", "spelled", "stated_places"]

_LISTS: Newest[Places] = Newest(8)


def stated_places(table: LedgerTable) -> Iterator[Place]:
    """Yield the places that the text or the table's printed values name, in board order."""
    for site in table.sites.values():
        yield Place(site.name, site.id, site.kind)
    for item in table.at_sea:
        for space in item.spaces:
            yield Place(space, kind="sea")
    for spaces in table.start_spaces.values():
        for space in spaces:
            yield Place(space, kind="sea")
    for space in table.sea_spaces:
        yield Place(space, kind="sea")


def places_of(state: GameState) -> Places:
    """Return every place that is known in a game: those stated, then those that the table has named, oldest first."""
    table, slices = tables(state), state.game
    return _LISTS.of(table, slices, make=lambda: Places((*stated_places(table), *_named(slices))))


def _named(slices: dict[str, object]) -> Iterator[Place]:
    """Yield what the table has named in this game."""
    for name in _names(slices):
        if name.strip():
            yield Place(" ".join(name.split()))


def _names(slices: dict[str, object]) -> Iterator[str]:
    battle, tokens = slices.get("battle"), slices.get("tokens")
    if battle is not None:
        for entry in (*battle.history, *battle.battles):  # type: ignore[attr-defined]
            yield entry.space
            for group in (*entry.battle.attacking, *entry.battle.defending):
                yield group.home
                yield group.origin
        yield from battle.compositions  # type: ignore[attr-defined]
    if tokens is not None:
        for token in tokens.tokens:  # type: ignore[attr-defined]
            yield token.where
            yield token.facing
        for bridge in tokens.bridges:  # type: ignore[attr-defined]
            yield from bridge.spaces
    for part, field in (("supply", "mobile"), ("resupply", "records"), ("desert", "rolls")):
        for item in getattr(slices.get(part), field, ()):
            yield getattr(item, "where", "") or getattr(item, "space", "")


def spelled(state: GameState, space: str) -> str:
    """Return the one spelling of a space; empty for a blank name."""
    return places_of(state).spelled(space)


def site_at(state: GameState, space: str) -> Site | None:
    """Return the Objective, Airfield or line that a space is, however it is spelled; None for any other space."""
    found = places_of(state).find(space)
    return None if found is None else tables(state).sites.get(found.id)


def ground_fault(state: GameState, space: str, *, is_sea: bool) -> Say | None:
    """Say that a space which the board knows is the other of land and sea; None where it fits, or nobody has told.

    Source: rulebook v0.96, Terrain; Phase 2: Victory; rulebook 1, Terrain
    """
    found = places_of(state).find(space)
    if found is None or not found.kind or (found.kind == "sea") == is_sea:
        return None
    name = space_of(found.name)
    if is_sea:
        return Say("{space} is a land space. Name the sea space beside it.", space=name)
    return Say("{space} is a sea space.", space=name)

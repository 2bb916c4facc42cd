"""What North Africa calls the things that stand in a game itself: spaces, pieces, steps and printed values."""

from __future__ import annotations

from companion.core.ids import SiteId
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, area, nation, unit
from companion.games.aana.rules.board import POOL, RESERVE_ZONE, board_key, landing_space, zone_number
from companion.games.aana.rules.figures import FigureBook
from companion.games.aana.rules.ledger import board
from companion.games.aana.rules.pieces import is_piece, split
from companion.games.aana.shipped import shipped_board, unofficial_names

__all__ = ["SYMBOLS", "name_of", "symbol_of"]

SYMBOLS = {
    "mechanized": "mech",
    "anti_tank": "at_gun",
    "aaa": "aa",
    "scout_car": "scout",
    "bomber": "light_bomber",
    "transport": "sea_transport",
    "supply5": "supply",
}
"""Kinds that are not called like their symbol."""


def name_of(name: Name, state: GameState | None) -> Say | None:
    """Name a space, a piece, a step or a printed value; None: the table of words has it, or nobody."""
    match name.kind:
        case "area":
            return _area(SiteId(name.id), state)
        case "piece":
            return _piece(name.id)
        case "step":
            return _step(name.id, state)
        case "key":
            return _key(name.id)
        case _:
            return None


def symbol_of(kind: str, _state: GameState) -> str | None:
    """Return the symbol of a piece, which is named by its power and its kind; None for a kind alone."""
    if not is_piece(kind):
        return None
    of = split(kind)[1]
    return SYMBOLS.get(of, of)


def _area(space: SiteId, state: GameState | None) -> Say | None:
    if space == RESERVE_ZONE:
        return Say("Reinforcements Zone")
    if space == POOL:
        return Say("Game box")
    landing, number = landing_space(space), zone_number(space)
    if landing is not None:
        return Say("{space}, landing force", space=area(landing))
    if number is not None:
        return Say("Sea zone {n}", n=number)
    row = (board(state) if state is not None and state.setup is not None else shipped_board()).space(space)
    if row is None:
        name = unofficial_names().get(space) if state is None else None
        return Say("{name}", name=Typed(name)) if name else None
    entered = state.printed.get(f"space.{space}") if state is not None else None
    return Say("{name}", name=Typed(row.name)) if entered == row.name else Say(row.name)


def _piece(id_: str) -> Say | None:
    if not is_piece(id_):
        return None
    power, kind, damaged = split(id_)
    if damaged:
        return Say("{unit}, damaged ({power})", unit=unit(kind), power=nation(power))
    return Say("{unit} ({power})", unit=unit(kind), power=nation(power))


def _step(id_: str, state: GameState | None) -> Say | None:
    if state is None or id_ not in state.itinerary:
        return None
    found = state.itinerary.steps[state.itinerary.index(id_)]  # type: ignore[arg-type]
    phase, act = Name("phase", found.phase), Name("act", found.act)
    if found.nation is None:
        return Say("{phase}: {act}", phase=phase, act=act)
    return Say("{power}, {phase}: {act}", power=nation(found.nation), phase=phase, act=act)


def _key(id_: str) -> Say | None:
    figure = FigureBook.key_parts(id_)
    if figure is not None:
        power, kind, what = figure
        return Say(
            "{unit} {figure} ({power})", unit=unit(kind), figure=Name("figure", what), power=nation(power)
        )
    head, of = board_key(id_) or ("", "")
    match head:
        case "rp":
            return Say("reinforcement points of {space}", space=area(of))
        case "limit":
            return Say("stacking limit of {space}", space=area(of))
        case "free":
            return Say("points of the free set-up in {space}", space=area(of))
        case "base":
            return Say("National Basic points ({power})", power=nation(of))
        case "bonus":
            return Say("lowest face that defenders reroll in {space}", space=area(of))
        case "space":
            return Say("name of {space}", space=area(of))
        case _:
            return None

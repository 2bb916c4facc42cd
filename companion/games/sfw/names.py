"""Names that stand in the game itself: places of its tables, units of its cards, secrets, printed values."""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, nation, site, unit
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.loads import load_say
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.places import site_at
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import load_counts

SYMBOLS = {"land_transport": "truck", "anti_air": "aa"}
"""Kinds that are not called like their symbol."""

__all__ = ["name_of", "symbol_of"]


def name_of(name: Name, state: GameState | None) -> Say | None:
    """Return what a thing of a running game is called; None where the game's own words or the setup tell.

    A place that the table named itself, and a unit of a card, is called as it was typed in.
    """
    if name.kind == "key":
        return _key(name.id, state)
    if name.kind == "space":
        return _space(name.id, state)
    if state is None or state.setup is None or not isinstance(state.game, dict):
        return None
    match name.kind:
        case "site":
            return _site(name.id, state)
        case "unit":
            spec = unit_table_of(state).units.get(name.id)
            return Say("{name}", name=Typed(spec.name)) if spec is not None and spec.base else None
        case "secret":
            secret = state.game["seals"].secrets.get(name.id)
            return Say("{name}", name=Typed(secret.label)) if secret is not None else None
    return None


def symbol_of(kind: str, state: GameState) -> str | None:
    """Return the symbol of a unit of a card, that of its standard unit under a bar; None for every other."""
    if not isinstance(state.game, dict):
        return None
    spec = unit_table_of(state).units.get(kind)
    if spec is None or not spec.base:
        return None
    return f"{SYMBOLS.get(spec.standard, spec.standard)}+"


def _space(name: str, state: GameState | None) -> Say:
    """Name a space: an Objective or Airfield in the language at hand, any other as it was typed."""
    is_running = state is not None and state.setup is not None and isinstance(state.game, dict)
    found = site_at(state, name) if is_running and state is not None else None
    return Say("{name}", name=Typed(name)) if found is None else Say(found.name)


def _site(id_: str, state: GameState) -> Say | None:
    table = tables(state)
    if id_ in table.sites:
        return Say(table.sites[id_].name)
    sea = next((item for item in table.at_sea if item.id == id_), None)
    if sea is not None:
        return Say(sea.name)
    mobile = state.game["supply"].mobile if "supply" in state.game else ()
    where = next((hub.where for hub in mobile if hub.id == id_), None)
    return Say("mobile hub at {space}", space=space_of(where)) if where is not None else None


def _key(key: str, state: GameState | None) -> Say | None:
    """Name a printed value: a figure of a unit, or one of the ledger's with its place, lane or nation."""
    group, *rest = key.split(".")
    match group, rest:
        case "vp", [_board, place]:
            return Say("{site}, tile value", site=site(place))
        case "holder", [_scenario, place]:
            return Say("{site}, who holds it at the start", site=site(place))
        case "resupply", [_board, place, kind]:
            return Say("{site}, {kind} resupply", site=site(place), kind=Name("kind", kind))
        case "site", [_board, place]:
            return Say("{site}, name and kind", site=site(place))
        case "start_space", [_scenario, power]:
            return Say("{nation}, where its fleet starts", nation=nation(power))
        case "link", [one, other]:
            return Say("{site} and {other}, within three spaces", site=site(one), other=site(other))
        case "lane", [lane]:
            return Say("Sea spaces of lane {lane}", lane=Typed(lane))
        case "lane_sites", [lane]:
            return Say("Objectives of lane {lane}", lane=Typed(lane))
        case "bridges", [power]:
            return Say("Bridge tokens, {nation}", nation=nation(power))
        case "card", [power, *name]:
            return Say(
                "Card of {nation}: {name}", nation=nation(power), name=_card(key, ".".join(name), state)
            )
        case "deck", [power]:
            return Say("Cards in the deck, {nation}", nation=nation(power))
        case _, ["load", load] if _is_unit(group, state) and load_counts(load):
            return Say("{unit} carries {load}", unit=unit(group), load=load_say(load_counts(load)))
        case _, [figure] if _is_unit(group, state):
            return Say("{unit}, {figure}", unit=unit(group), figure=Name("figure", figure))
        case _, [figure, colour] if _is_unit(group, state):
            return Say(
                "{unit}, {figure} ({colour})",
                unit=unit(group), figure=Name("figure", figure), colour=Name("colour", colour),
            )  # fmt: skip
    return None


def _card(key: str, slug: str, state: GameState | None) -> Typed:
    """Return a remembered card's name as it was typed, else as its key has it."""
    value = None if state is None else state.printed.get(key)
    name = value.get("name") if isinstance(value, Mapping) else None
    return Typed(name if isinstance(name, str) else slug)


def _is_unit(id_: str, state: GameState | None) -> bool:
    is_running = state is not None and state.setup is not None and isinstance(state.game, dict)
    return is_running and state is not None and id_ in unit_table_of(state).units

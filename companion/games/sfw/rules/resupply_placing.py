"""Placing what was bought in Resupply, and the mines among which new ships come to stand.

Source: rulebook v0.96, Purchasing and Placing Units; US Fleet and German Resupply at Sea; Mines.
"""

from __future__ import annotations

from companion.core.ids import Nation
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.state import GameState
from companion.core.text import Count, Say, several
from companion.core.text import nation as nation_of
from companion.core.text import site as site_of
from companion.core.text import unit as unit_of
from companion.games.sfw.rules.ledger import TYPES, kind_of
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.places import site_at, spelled
from companion.games.sfw.rules.resupply_record import (
    MinesResolved,
    Place,
    Placed,
    Placement,
    Record,
    ReserveSet,
    ResolveMines,
    ResupplyCode,
    slot,
)
from companion.games.sfw.rules.resupply_values import (
    at_sea,
    cost_of,
    is_placed,
    no_fleet,
    own_of,
    refuse_now,
    tray,
)

__all__ = ["place", "resolve_mines", "space_at_sea"]


def place(state: GameState, command: Place) -> Decision:
    """Decide where what was bought stands: on its Objective, in a sea space beside it, or at sea.

    Source: rulebook v0.96, Purchasing and Placing Units; US Fleet and German Resupply at Sea
    """
    refused = refuse_now(state, command.nation)
    if refused is not None:
        return refused
    own, key = own_of(state), slot(command.nation, command.unit_type)
    basket = {unit: count for unit, count in own.baskets.get(key, {}).items() if count}
    source = own.choices.get(key)
    if key in own.placed:
        return is_placed(command.nation, command.unit_type)
    if source is None or not basket:
        return Rejected(
            ResupplyCode.NOTHING_BOUGHT,
            Say(
                "{nation} has no {kind} units to place.",
                nation=nation_of(command.nation),
                kind=kind_of(command.unit_type),
            ),
        )
    sea = at_sea(state, source)
    where = _where(state, command, source)
    if isinstance(where, Rejected):
        return where
    sealed = state.game.get("seals")
    if command.into_fleet and sealed is not None and not sealed.has_fleet(command.nation):
        is_new = sea is not None and sea.kind == "point"  # there ships may come in hidden
        if not is_new:
            return no_fleet(state, command.nation)
    if command.mines < 0 or (command.mines and (command.unit_type != "sea" or (sea and sea.kind == "fleet"))):
        return Rejected(
            Code.BAD_VALUE,
            Say.counted(
                "{n} mine cannot be under {kind} units.",
                "{n} mines cannot be under {kind} units.",
                command.mines,
                kind=kind_of(command.unit_type),
            ),
        )
    record = Record(
        own.stage, command.nation, command.unit_type, source, basket, cost_of(state, basket), where
    )
    placement = Placement(where, command.into_fleet, command.mines, command.mines == 0)
    # What was said of a tray before its units were upgraded is carried over to the upgrade's own count.
    trays = tuple(
        ReserveSet(command.nation, unit, left)
        for unit in basket
        if f"{command.nation}.{unit}" not in own.reserve
        and (left := tray(state, command.nation, unit)) is not None
    )
    return Accepted((*trays, Placed(record, placement)))


def _where(state: GameState, command: Place, source: str) -> str | Rejected:
    """Return where new units are placed: a source's id for its own space, else a sea space by its one spelling.

    Land and Air Units stand on the Objective itself, ships beside it; at sea all stand in one of the source's spaces.

    Source: rulebook v0.96, Purchasing and Placing Units; US Fleet and German Resupply at Sea
    """
    sea = at_sea(state, source)
    named = spelled(state, command.where)
    if command.into_fleet:
        return named or source  # the fleet's place is secret
    if sea is not None and sea.spaces:
        first = space_at_sea(state, command.nation, source)
        spaces = (first,) if first else sea.spaces
        return named if named in spaces else _wrong_space(spaces, named)
    if sea is not None:
        return named or source
    own = site_at(state, named)
    if command.unit_type != "sea":
        return (
            source if not named or (own is not None and own.id == source) else _wrong_space((source,), named)
        )
    if not named:
        return Rejected(Code.BAD_VALUE, Say("Name a sea space that shares an edge with the Objective."))
    return (
        named
        if own is None
        else Rejected(Code.BAD_VALUE, Say("{site} is no sea space.", site=site_of(own.id)))
    )


def space_at_sea(state: GameState, nation: Nation, source: str) -> str:
    """Return the sea space in which a nation has placed what it took from a source at sea; empty where it has not.

    All that comes from there stands in one space: Land Units aboard the transports, aircraft on the carriers.

    Source: rulebook v0.96, German Resupply at Sea
    """
    sea, own = at_sea(state, source), own_of(state)
    placed = (own.placed.get(key) for kind in TYPES if own.choices.get(key := slot(nation, kind)) == source)
    spaces = () if sea is None else sea.spaces
    return next((one.where for one in placed if one is not None and one.where in spaces), "")


def _wrong_space(spaces: tuple[str, ...], named: str) -> Rejected:
    right = several((space_of(space) for space in spaces), "or")
    if not named:
        return Rejected(ResupplyCode.WRONG_SPACE, Say("These units are placed in {spaces}.", spaces=right))
    return Rejected(
        ResupplyCode.WRONG_SPACE,
        Say("These units are placed in {spaces}, not in {named}.", spaces=right, named=space_of(named)),
    )


def resolve_mines(state: GameState, command: ResolveMines) -> Decision:
    """Decide what new ships lose to the enemy mines among which they were placed.

    Source: rulebook v0.96, Mines, Detonation
    """
    key = slot(command.nation, "sea")
    placement, basket = own_of(state).placed.get(key), own_of(state).baskets.get(key, {})
    if placement is None or placement.is_resolved:
        return Rejected(
            ResupplyCode.NOT_NOW,
            Say("New ships of {nation} have no mines to roll for.", nation=nation_of(command.nation)),
        )
    for unit, lost in command.lost.items():
        if not 0 <= lost <= basket.get(unit, 0):
            return Rejected(
                Code.BAD_VALUE,
                Say(
                    "Placed there: {units}; {n} cannot be lost.",
                    units=Count(basket.get(unit, 0), unit_of(unit)),
                    n=lost,
                ),
            )
    return Accepted((MinesResolved(command.nation, command.lost),))

"""What stands where: control, units, supply and mines, with their limits.

What the table has told is checked; what it has not told is not. A space is *told* once its whole content is known;
then nothing leaves it that is not there, and the stacking limit is watched. Borders and distances stay with the
table. Source: rulebook, Component Limits; Spaces on the Game Board; Supply Tokens; Mine Tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from companion.core.ids import Nation, Side, SiteId
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Say, area
from companion.core.text import unit as named
from companion.games.aana.rules import figures as fg
from companion.games.aana.rules.board import POOL, Board, board_of
from companion.games.aana.rules.ledger_messages import SupplyChanged
from companion.games.aana.rules.pieces import Piece, counted, split
from companion.games.aana.rules.tables import ScenarioFile

__all__ = [
    "Ledger",
    "acting_power",
    "acting_side",
    "board",
    "box_empty",
    "chip_stack",
    "figures",
    "held_units",
    "holding_side",
    "in_play",
    "known_supply",
    "ledger_of",
    "limit_passed",
    "mines_of",
    "moved",
    "no_space",
    "not_there",
    "occupants",
    "over_limit",
    "piece_limit",
    "room",
    "row_of",
    "scenario_of",
    "shares",
    "sources",
    "split",
    "stacked",
    "supply_key",
    "supply_spent",
]


class Ledger(msgspec.Struct, frozen=True):
    """The slice of this part."""

    control: dict[SiteId, Nation] = {}
    """Territory to power."""
    unmarked: frozenset[SiteId] = frozenset()
    """Territories of which the table has said that they bear no marker; of all others nobody knows."""
    units: dict[SiteId, dict[Piece, int]] = {}
    """Place to piece key to count."""
    supply: dict[str, int] = {}
    """Place, or ``zone@power`` for convoys, to tokens; a place that is missing was never told."""
    mines: dict[str, int] = {}
    """``territory>neighbour`` to icons, ``zone@power`` to tokens."""
    told: frozenset[SiteId] = frozenset()
    """Spaces whose whole content is known."""
    arrived: dict[SiteId, dict[Piece, int]] = {}
    """Sea zone to what was moved or deployed into it in the phase at hand, supply as POWER.supply."""
    detonated: frozenset[str] = frozenset()
    """Keys of `mines` that have gone off against those who have come in."""
    phase: str = ""
    """Turn and phase that `arrived` is about."""


def ledger_of(state: GameState) -> Ledger:
    """Return the ledger of a state."""
    ledger: Ledger = state.game["ledger"]
    return ledger


def scenario_of(state: GameState) -> ScenarioFile:
    """Return the frozen scenario."""
    return msgspec.convert(state.frozen_setup.tables["scenario"], ScenarioFile)


def figures(state: GameState) -> fg.FigureBook:
    """Return the unit figures with what the table entered."""
    return fg.figure_book(state.frozen_setup.tables["units"], state.printed)


def acting_power(state: GameState) -> Nation:
    """Return the power whose turn it is, an empty id outside of turns."""
    return state.step.nation or fg.NO_POWER


def acting_side(state: GameState) -> Side:
    """Return the side of the power whose turn it is; the Axis moves first, so it stands before the first turn."""
    return fg.SIDE_OF[acting_power(state) or fg.POWERS[0]]


def board(state: GameState) -> Board:
    """Return the board with what the table entered."""
    return board_of(state.frozen_setup.tables["board"], state.printed)


def supply_key(board_: Board, space: SiteId, power: Nation) -> str:
    """Return where tokens are counted: convoys by power, land by space."""
    return f"{space}@{power}" if board_.type_of(space) == "convoy" else space


def holding_side(state: GameState, space: SiteId) -> Side:
    """Return the side that holds a territory, by its emblem or by a control marker; empty where neither is known."""
    marker = ledger_of(state).control.get(space, fg.NO_POWER)
    return board(state).owner_side(space) or fg.SIDE_OF.get(marker, fg.NO_SIDE)


def known_supply(ledger: Ledger, place: str) -> int | None:
    """Return the tokens of a place; None when nobody told. Convoys and landings start at none."""
    return ledger.supply.get(place, 0 if "@" in place else None)


def held_units(ledger: Ledger, space: SiteId, powers: Iterable[Nation] | None = None) -> dict[Piece, int]:
    """Return the pieces of some powers in a space."""
    wanted = None if powers is None else set(powers)
    return {
        piece: n
        for piece, n in ledger.units.get(space, {}).items()
        if n and (wanted is None or split(piece)[0] in wanted)
    }


def occupants(ledger: Ledger, book: fg.FigureBook, space: SiteId, side: Side) -> dict[Piece, int]:
    """Return a side's combat units in a space."""
    return {
        piece: n
        for piece, n in ledger.units.get(space, {}).items()
        if n and fg.SIDE_OF.get(split(piece)[0]) == side and row_of(book, piece).is_combat
    }


def stacked(ledger: Ledger, book: fg.FigureBook, space: SiteId, side: Side) -> int:
    """Return what counts against the stacking limit: combat land and air units."""
    return sum(
        n for piece, n in occupants(ledger, book, space, side).items() if not row_of(book, piece).is_sea
    )


def room(state: GameState, space: SiteId, side: Side) -> int:
    """Return how many more units of a side a territory takes before its stacking limit."""
    return max(0, board(state).limit(space) - stacked(ledger_of(state), figures(state), space, side))


def in_play(ledger: Ledger, power: Nation, unit: str) -> int:
    """Return how many pieces of a power's colour are in play, the Reinforcements Zone included."""
    colour = fg.colour_of(power)
    return sum(
        n
        for place in ledger.units.values()
        for piece, n in place.items()
        if split(piece)[1] == unit and fg.colour_of(split(piece)[0]) == colour
    )


def row_of(book: fg.FigureBook, piece: Piece) -> fg.Row:
    """Return the figures of a piece. KeyError where its power has no such piece."""
    power, unit, _ = split(piece)
    return book.row(power, unit)


def over_limit(
    state: GameState, space: SiteId, arriving: Mapping[Piece, int], side: Side, *, aloft: int = 0
) -> Say | None:
    """Say how a space would pass its stacking limit, or None when it would not or is not told.

    Args:
        aloft: Aircraft of the side there that are in the air and count for nothing.
    """
    ledger, book, own = ledger_of(state), figures(state), board(state)
    if own.type_of(space) != "land":
        return None
    more = sum(
        n for piece, n in arriving.items() if row_of(book, piece).is_combat and not row_of(book, piece).is_sea
    )
    there, limit = stacked(ledger, book, space, side) - aloft, own.limit(space)
    if not more or there + more <= limit:
        return None
    return limit_passed(space, limit, there, more)


def limit_passed(space: SiteId, limit: int, there: int, more: int) -> Say:
    """Say that a space would pass its stacking limit."""
    return Say(
        "{space}: the stacking limit is {limit}; {have} there and {need} more to come.",
        space=area(space),
        limit=limit,
        have=there,
        need=more,
    )


def no_space(space: SiteId) -> Say:
    """Say that the board has no such space yet."""
    return Say("{space} is not on the board yet. Add it by its name first.", space=area(space))


def not_there(space: SiteId, piece: Piece, there: int, need: int) -> Rejected:
    """Refuse pieces that are not where they are taken from."""
    return Rejected(
        "not_there",
        Say(
            "{space}: {have} there; you chose {need}.",
            space=area(space),
            have=counted(piece, there),
            need=need,
        ),
    )


def moved(
    units: Mapping[SiteId, Mapping[Piece, int]], origin: SiteId, to: SiteId, pieces: Mapping[Piece, int]
) -> dict[SiteId, dict[Piece, int]]:
    """Return the places after pieces have gone from one to another; what is not there simply appears."""
    after = {place: dict(content) for place, content in units.items()}
    for piece, n in pieces.items():
        if origin != POOL:
            left = after.setdefault(origin, {}).get(piece, 0) - n
            if left > 0:
                after[origin][piece] = left
            else:
                after[origin].pop(piece, None)
        if to != POOL:
            place = after.setdefault(to, {})
            place[piece] = place.get(piece, 0) + n
    return {place: content for place, content in after.items() if content}


def supply_spent(state: GameState, place: str, count: int) -> SupplyChanged | Rejected | None:
    """Return the event of spending tokens of a place; a refusal when it is known to hold fewer; None for 0."""
    if count <= 0:
        return None
    there = known_supply(ledger_of(state), place)
    if there is not None and there < count:
        space = area(place.partition("@")[0])
        return Rejected(
            "no_supply",
            Say("{space} has {have} supply; you need {need}.", space=space, have=there, need=count),
        )
    return SupplyChanged(place, -count)


def sources(source: str) -> tuple[str, ...]:
    """Return the places that pay by turns, named as one: ``A+B`` is A, and B for what A has not."""
    return tuple(source.split("+"))


def mines_of(key: str) -> tuple[SiteId, str, bool]:
    """Return the place of a key of mines, the territory across the border or the power, and whether it is a border."""
    is_border = ">" in key
    place, _sign, owner = key.partition(">" if is_border else "@")
    return SiteId(place), owner, is_border


def shares(state: GameState, source: str, cost: int) -> dict[str, int]:
    """Split a payment over its source: one place, or ``A+B``, where B pays what A has not."""
    first, *rest = sources(source)
    if not rest:
        return {source: cost}
    second = rest[0]
    there = known_supply(ledger_of(state), first)
    own = cost if there is None else min(cost, there)
    return {place: n for place, n in ((first, own), (second, cost - own)) if n}


def chip_stack(count: int) -> tuple[int, int]:
    """Return the (green, gray) chips under the figure that shows a stack of land units: three and one unit each."""
    return divmod(max(0, count - 1), 3)


def box_empty(unit: str, limit: int, in_play: int, more: int) -> Say:
    """Say that the box holds too few pieces."""
    return Say(
        "{unit}: only {limit} in the box; {have} in play and {need} more wanted.",
        unit=named(unit),
        limit=limit,
        have=in_play,
        need=more,
    )


def piece_limit(state: GameState, units: Mapping[Piece, int]) -> Rejected | None:
    """Refuse pieces that the box does not hold: air, sea and trucks by figure, land units by figure and chips."""
    ledger, book, own = ledger_of(state), figures(state), board(state)
    for piece, n in units.items():
        power, unit, _ = split(piece)
        row = book.row(power, unit)
        have = in_play(ledger, power, unit)
        limit = _truck_limit(state, power, unit, row.limit)
        if row.type == "land":
            chips = own.file.chips
            limit += max(0, chips.gray + chips.green * chips.green_worth - _chips_elsewhere(state, row))
        if have + n > limit:
            return Rejected("piece_limit", box_empty(unit, limit, have, n))
    return None


def _chips_elsewhere(state: GameState, row: fg.Row) -> int:
    """Count the units of other kinds that chips must stand for already, as there are not figures enough."""
    ledger = ledger_of(state)
    return sum(
        max(0, in_play(ledger, other.power, other.unit) - other.limit)
        for other in figures(state).rows()
        if other.type == "land" and other is not row
    )


def _truck_limit(state: GameState, power: Nation, unit: str, limit: int) -> int:
    scenario = scenario_of(state)
    if unit != "truck" or state.step.stage >= 7:
        return limit
    return min(limit, scenario.trucks.get(power, limit))

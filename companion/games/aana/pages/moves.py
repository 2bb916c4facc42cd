"""Moves by the rules on North Africa's Board screen: how far pieces may go, where to, blitzes, bombers that carry."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from companion.core.commands import Command
from companion.core.ids import Nation, SiteId
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Say, Value, area
from companion.games.aana.pages.tell import pieces_say
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.figures import SIDE_OF, TURN_POWERS, MissingFiguresError, enemy_of
from companion.games.aana.rules.movement import (
    CARGO_UNITS,
    LANDING_PHASES,
    free_moves,
    is_hostile,
    movement_of,
    stranded,
)
from companion.games.aana.rules.pieces import Piece, piece_key
from companion.games.aana.rules.routes import routes
from companion.games.aana.rules.tables import NO_SPACE
from companion.games.aana.rules.travel import AirTransport, LoseAircraft, air_transport, make_move
from companion.games.aana.rules.turn import turn_powers
from companion.games.aana.rules.ways import MOVE_PHASES, MakeMove
from companion.pages.page import Item, Words
from companion.pages.parts import apart, refusal_words

__all__ = [
    "BoardDraft",
    "Where",
    "blitz_targets",
    "can_blitz",
    "carry_destinations",
    "carry_units",
    "is_mapped",
    "lose_aircraft",
    "move_destinations",
    "move_note",
    "moves_by_rule",
    "room_to_move",
]

_TELLING = ("too_far", "no_room", "no_truck", "has_moved", "printed_value_missing", "no_blitz", "no_attack")
"""Refusals that say more than one about a single space."""


class Where(msgspec.Struct, frozen=True):
    """Where pieces may go: a command for each space, or why there is none."""

    found: tuple[tuple[Command, Item], ...]
    why_not: Words | None


class BoardDraft(msgspec.Struct, frozen=True):
    """What is looked at on the Board screen, and what is being counted or moved there."""

    tab: str = "land"
    space: SiteId = NO_SPACE
    """The space that is counted or moved from; empty: the list of all."""
    mode: str = "count"
    """``count``, ``move`` by the rules or, where none are on, freely, ``correct``: freely in spite of them."""
    power: Nation = TURN_POWERS[0]
    counts: Mapping[Piece, int] = {}
    """Piece to how many there are, or how many go."""
    is_taking: bool = False
    """A tap on a piece takes one off."""
    supply: int | None = None
    spaces: int = 1
    """Spaces on the way as the table counts them, where the borders are not known."""
    road: bool = False
    blitz: bool = False
    via: SiteId = NO_SPACE
    """The territory that a blitz takes."""
    where: Where | None = None
    """Set once it was asked where they go."""


def moves_by_rule(state: GameState) -> bool:
    """Say whether pieces move in the step at hand."""
    step = state.step
    return step.phase in MOVE_PHASES and step.act != "declare" and state.ending is None


def is_mapped(state: GameState) -> bool:
    """Say whether the game knows which spaces touch."""
    return routes(state) is not None


def can_blitz(state: GameState, space: SiteId) -> bool:
    """Say whether tanks that blitz stand in a space in phase 3."""
    if state.step.phase != "combat_move" or state.step.act == "declare":
        return False
    book = lg.figures(state)
    held = lg.held_units(lg.ledger_of(state), space, turn_powers(state))
    return any("blitz" in book.row(*lg.split(piece)[:2]).traits for piece in held)


def room_to_move(
    state: GameState, space: SiteId, piece: Piece, *, road: bool, blitz: bool
) -> tuple[int, Say]:
    """Return how many pieces of a kind may move now, and how far in words."""
    if lg.split(piece)[0] not in turn_powers(state):
        return 0, Say("not in this turn")
    try:
        left = free_moves(state, space, piece, road=road)
    except MissingFiguresError:
        return 0, Say("move not entered")
    row = lg.figures(state).row(*lg.split(piece)[:2])
    able = [n for n in left if n]
    aboard = movement_of(state).aboard.get(space, {}).get(piece, 0) if state.step.phase == "noncombat" else 0
    if aboard:
        return len(able) + aboard, Say("{n} aboard a truck", n=aboard)
    if not able:
        return 0, Say("may not move now")
    far = max(able) + (1 if blitz and row.traits & {"blitz", "blitz_pair"} else 0)
    return len(able), Say.counted("up to {n} space", "up to {n} spaces", far)


def move_note(state: GameState) -> Say:
    """Return what the phase asks of a move."""
    words = {
        "convoys": Say("Escorts land; it does not use their move of this turn"),
        "combat_move": Say("Land units keep one space for the attack, aircraft enough to land"),
        "noncombat": Say("Units that moved or fought stay; aircraft land, a truck carries six"),
        "deploy": Say("Aircraft that stayed may escort an open convoy up to two spaces away"),
    }
    return words[state.step.phase]


def _command(state: GameState, draft: BoardDraft, to: SiteId, *, confirmed: bool = False) -> MakeMove:
    """Return the move to a space: units that trucks can carry ride with them."""
    units = {piece: n for piece, n in draft.counts.items() if n}
    trucks = any(lg.split(piece)[1] == "truck" for piece in units)
    riders = {p: n for p, n in units.items() if trucks and lg.split(p)[1] in CARGO_UNITS}
    return MakeMove(
        state.step.id,
        draft.space,
        to,
        {piece: n for piece, n in units.items() if piece not in riders},
        0 if is_mapped(state) else draft.spaces,
        draft.via,
        draft.road,
        riders,
        draft.supply or 0,
        confirmed,
    )


def move_destinations(state: GameState, draft: BoardDraft) -> Where:
    """Return the moves that the rules allow; those that pass a stacking limit say so."""
    own, ledger = lg.board(state), lg.ledger_of(state)
    found: list[tuple[Command, Item]] = []
    for space in (*(row.id for row in own.territories()), *own.sea_zones(), *own.convoys):
        command = _command(state, draft, space)
        refused = make_move(state, command)
        sub: Words | None = pieces_say(lg.held_units(ledger, space))
        if isinstance(refused, Rejected):
            command = _command(state, draft, space, confirmed=True)
            if refused.code != "over_limit" or isinstance(make_move(state, command), Rejected):
                continue
            sub = Say("over its limit")
        found.append((command, Item(space, area(space), sub)))
    return Where(tuple(found), None if found else _why_not(state, draft))


def _why_not(state: GameState, draft: BoardDraft) -> Words:
    """Return why a move has no destination: what holds of the pieces themselves rather than of some space."""
    own, ways = lg.board(state), routes(state)
    spaces = ways.neighbours(draft.space) if ways is not None else tuple(r.id for r in own.territories())
    reasons: dict[str, Rejected] = {}
    for space in spaces:
        refused = make_move(state, _command(state, draft, space))
        if isinstance(refused, Rejected):
            reasons.setdefault(refused.code, refused)
    told = next((reasons[code] for code in _TELLING if code in reasons), next(iter(reasons.values()), None))
    return refusal_words(told) if told is not None else Say("Nowhere to go")


def blitz_targets(state: GameState, space: SiteId) -> tuple[SiteId, ...]:
    """Return the empty hostile territories, next to a space where borders are known, that a blitz may take."""
    side = lg.acting_side(state)
    own, ways, ledger, book = lg.board(state), routes(state), lg.ledger_of(state), lg.figures(state)
    near = None if ways is None or not ways.knows(space) else ways.neighbours(space)
    foe = enemy_of(side)
    found = []
    for row in own.territories():
        if row.owner or row.id == space or (near is not None and row.id not in near):
            continue
        trucks = any(SIDE_OF[lg.split(p)[0]] == foe for p in lg.held_units(ledger, row.id))
        if lg.occupants(ledger, book, row.id, foe) or not (is_hostile(state, row.id, side) or trucks):
            continue
        found.append(row.id)
    return tuple(found)


def carry_units(state: GameState, space: SiteId) -> tuple[str, ...]:
    """Return the units that an Axis bomber may carry out of Italy now (optional rule)."""
    power = lg.acting_power(state)
    chosen = state.frozen_setup.options.get("optional", ())
    if space != "italy" or "air_transport" not in chosen or state.step.phase != "noncombat":
        return ()
    if SIDE_OF.get(power) != "axis" or not lg.ledger_of(state).units.get(space, {}).get(
        piece_key(power, "bomber")
    ):
        return ()
    held = lg.held_units(lg.ledger_of(state), space, (power,))
    units = [lg.split(piece)[1] for piece in held]
    return tuple(kind for kind in units if kind in (*CARGO_UNITS, "mechanized"))


def carry_destinations(state: GameState, kind: str, spaces: int) -> tuple[AirTransport, ...]:
    """Return the flights of a unit that the rules allow."""
    told = 0 if is_mapped(state) else spaces
    flights = (AirTransport(state.step.id, kind, row.id, told) for row in lg.board(state).territories())
    return tuple(flight for flight in flights if not isinstance(air_transport(state, flight), Rejected))


def lose_aircraft(state: GameState) -> tuple[LoseAircraft, Value] | None:
    """Return the act that takes stranded aircraft away and their names; None when there are none."""
    if state.step.phase not in LANDING_PHASES:
        return None
    lost = stranded(state, lg.acting_power(state))
    places = [
        Say("{space}: {units}", space=area(place), units=planes)
        for place, pieces in lost.items()
        if (planes := pieces_say(pieces)) is not None
    ]
    return (LoseAircraft(state.step.id), apart(places)) if places else None

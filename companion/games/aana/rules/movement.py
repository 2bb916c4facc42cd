"""Moving by the rules: how far a piece may go in the phase at hand, and what stops it.

Pieces that the rules hold alike are told apart by how much of their move they have used this turn. Distances are the
table's count, or worked out where the borders are known (`companion.games.aana.rules.routes`).
Source: rulebook, Phase 3 (Land, Air and Sea Unit Movement; Blitzing), Phase 5, Phase 6 (Convoy Escorts), Trucks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from companion.core.ids import Nation, Side, SiteId
from companion.core.state import GameState
from companion.core.text import Say, area
from companion.games.aana.rules import figures as fg
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.battle_messages import battles_of, declared_units
from companion.games.aana.rules.pieces import Piece
from companion.games.aana.rules.routes import routes

__all__ = [
    "CARGO_UNITS",
    "LANDING_PHASES",
    "ROAD_SPACES",
    "TRUCK_CAPACITY",
    "Movement",
    "allowance",
    "closed_west",
    "distance",
    "free_moves",
    "free_to_attack",
    "grounded",
    "in_the_air",
    "is_hostile",
    "is_hunted",
    "is_mined",
    "landed_where_unknown",
    "may_land",
    "movement_of",
    "standing",
    "stranded",
    "taken_now",
    "truck_load",
]

ROAD_SPACES: Final = 5
TRUCK_CAPACITY: Final = 6
CARGO_UNITS: Final = ("infantry", "artillery", "anti_tank", "aaa")
ESCORT_SPACES: Final = 2
LANDING_PHASES: Final = ("convoys", "noncombat")
"""At the end of these, aircraft stand where they may, or are lost."""
_AIRBORNE_PHASES: Final = ("combat_move", "combat", "noncombat")


class Movement(msgspec.Struct, frozen=True):
    """The slice of movement: what moved this turn, and what was blitzed."""

    turn: str = ""
    used: dict[SiteId, dict[Piece, tuple[int, ...]]] = {}
    """Place to piece to the spaces that each moved piece has used; pieces that stayed are not listed."""
    late: dict[SiteId, dict[Piece, tuple[int, ...]]] = {}
    """The same, of pieces that have moved in phase 5 and go no further."""
    stopped: dict[SiteId, dict[Piece, tuple[int, ...]]] = {}
    """The same, of ships that have stopped before enemy mines in the phase at hand and may go on."""
    escaped: dict[str, dict[Piece, int]] = {}
    """Place to the ships that left a hostile zone in phase 3 and stand there: they owe no attack."""
    by_road: dict[SiteId, dict[Piece, tuple[int, ...]]] = {}
    """The same, of trucks in `late` that have come along the coast road alone."""
    aboard: dict[str, dict[Piece, int]] = {}
    """Place to what trucks have brought there in phase 5, tokens as ``supply``: aboard until their truck's move is over."""
    vichy_left: frozenset[SiteId] = frozenset()
    """Territories of which it was decided this turn that they stay with Vichy France."""
    blitzed: dict[SiteId, Nation] = {}
    """Territories that were blitzed this turn to who held them before: nobody retreats into them."""
    crossed: frozenset[tuple[SiteId, SiteId]] = frozenset()
    """Borders over which they were blitzed: origin and territory, as far as moves told."""


def movement_of(state: GameState) -> Movement:
    """Return the slice of a state."""
    own: Movement = state.game["movement"]
    return own


def in_the_air(state: GameState, space: SiteId) -> dict[Piece, int]:
    """Return the acting side's aircraft that attack a territory and do not stand in it: they will leave it.

    In the air is who came in phase 3, and whoever is where the enemy is, where an attack was declared this turn, or
    where the territory was taken this turn.
    """
    if lg.board(state).type_of(space) != "land" or state.step.phase not in _AIRBORNE_PHASES:
        return {}
    ledger, book = lg.ledger_of(state), lg.figures(state)
    side = lg.acting_side(state)
    holder = lg.holding_side(state, space)
    contested = holder == fg.enemy_of(side) or bool(lg.occupants(ledger, book, space, fg.enemy_of(side)))
    contested = contested or space in taken_now(state)
    contested = contested or any(item.space == space for item in battles_of(state).attacks)
    came = movement_of(state).used.get(space, {})
    found = {}
    for piece, n in lg.occupants(ledger, book, space, side).items():
        flying = n if contested else min(n, len(came.get(piece, ())))
        if flying and book.row(*lg.split(piece)[:2]).type == "air":
            found[piece] = flying
    return found


def grounded(state: GameState, space: SiteId, side: Side) -> dict[Piece, int]:
    """Return a side's combat units in a space, aircraft in the air left out."""
    if not lg.ledger_of(state).units.get(space):
        return {}
    aloft = in_the_air(state, space)
    there = lg.occupants(lg.ledger_of(state), lg.figures(state), space, side)
    return {piece: n - aloft.get(piece, 0) for piece, n in there.items() if n > aloft.get(piece, 0)}


def is_hostile(state: GameState, space: SiteId, side: Side) -> bool:
    """Say whether a space is hostile: an enemy marker or combat unit on land, enemy warships or aircraft at sea."""
    own, book = lg.board(state), lg.figures(state)
    foe = fg.enemy_of(side)
    there = grounded(state, space, foe)
    if own.type_of(space) != "land":
        return any(book.row(*lg.split(piece)[:2]).type in ("surface", "air") for piece in there)
    holder = lg.holding_side(state, space)
    return holder == foe or bool(there)


def is_mined(state: GameState, zone: SiteId, side: Side) -> bool:
    """Say whether enemies of a side have mines in a sea zone."""
    ledger = lg.ledger_of(state)
    return any(
        ledger.mines.get(f"{zone}@{power}") for power, of in fg.SIDE_OF.items() if of == fg.enemy_of(side)
    )


def closed_west(state: GameState, space: SiteId, side: Side) -> Say | None:
    """Say why a side may not enter a territory west of the white border yet; None when it may."""
    row, scenario = lg.board(state).territory(space), lg.scenario_of(state)
    if row is None or not row.west:
        return None
    first = scenario.axis_west_from if side == fg.AXIS else scenario.west_closed_until
    if state.step.stage >= first:
        return None
    return Say("Your side cannot enter {space} before round {n}.", space=area(space), n=first)


def is_hunted(state: GameState, zone: SiteId, side: Side) -> bool:
    """Say whether an enemy destroyer is in a sea zone: a submarine that enters stops there.

    Source: rulebook, Submarines; Phase 5 (Sea Unit Movement).
    """
    ledger, book = lg.ledger_of(state), lg.figures(state)
    return any(
        "anti_submarine" in book.row(*lg.split(piece)[:2]).traits
        for piece in lg.occupants(ledger, book, zone, fg.enemy_of(side))
    )


def distance(
    state: GameState,
    row: fg.Row,
    origin: SiteId,
    to: SiteId,
    *,
    through_mines: bool = False,
    hunted: bool = False,
) -> int | None:
    """Return the fewest spaces that a piece enters from one space to another; None where borders are unknown.

    Ships go round zones that the enemy has mined, unless `through_mines`, and submarines round those with enemy
    destroyers, unless `hunted`: there they have to stop.
    """
    ways = routes(state)
    if ways is None or not ways.knows(origin) or not ways.knows(to):
        return None
    side = lg.acting_side(state)
    own = lg.board(state)

    def may_pass(space: SiteId) -> bool:
        kind = own.type_of(space)
        if row.type == "air":
            return space not in ways.sahara
        if row.is_sea:
            if kind == "land" or (not through_mines and is_mined(state, space, side)):
                return False
            if row.type == "submarine":
                return hunted or not is_hunted(state, space, side)
            return not is_hostile(state, space, side)
        if kind != "land" or (space in ways.sahara and "sahara" not in row.traits):
            return False
        return not is_hostile(state, space, side)

    def may_cross(here: SiteId, there: SiteId) -> bool:
        strait = own.strait(here, there) if row.is_sea else None
        return own.may_cross(here, there) and (strait is None or strait.side == side)

    return ways.distances(origin, may_pass, may_cross).get(to)


def allowance(state: GameState, row: fg.Row, *, used: int, fought: bool, road: bool = False) -> int:
    """Return how many spaces a piece may still move in the phase at hand; 0 = not at all.

    Args:
        used: Spaces that it has moved in phase 3 of this turn.
        fought: It took part in a combat, or attacks.
        road: It moves along the coast road only (phase 5).

    Raises:
        MissingFiguresError: The piece's move is a printed value that is still to be entered.
    """
    phase = state.step.phase
    if row.move is None:
        raise fg.MissingFiguresError((fg.FigureBook.key(row, "move"),))
    if phase == "convoys":
        return row.move if row.type == "air" else 0
    if phase == "deploy":
        return ESCORT_SPACES if row.type == "air" and not used and not fought else 0
    if phase == "combat_move":
        if not row.is_combat or "cannot_attack" in row.traits or used or fought:
            return 0
        return row.move if row.is_sea else row.move - 1
    if phase != "noncombat":
        return 0
    if row.type == "air":
        return row.move - used
    if "patrol" in row.traits and fought:
        return max(0, row.move - used - 1)
    if used or fought:
        return 0
    return ROAD_SPACES if road and "road" in row.traits else row.move


def standing(
    state: GameState, place: SiteId, piece: Piece, *, road: bool = False
) -> tuple[tuple[int, int], ...]:
    """Return (spaces left, spaces used) for each piece of a kind in a space, farthest first.

    Raises:
        MissingFiguresError: The piece's move is still to be entered.
    """
    there = lg.ledger_of(state).units.get(place, {}).get(piece, 0)
    row = lg.figures(state).row(*lg.split(piece)[:2])
    own = movement_of(state)
    used = own.used.get(place, {}).get(piece, ())
    late = own.late.get(place, {}).get(piece, ())
    turned = battles_of(state).turned.get(place, {}).get(piece, 0)
    fought = declared_units(state).get((place, piece), 0)
    if row.type in ("land", "truck") and place in taken_now(state):
        # Whoever stands in a territory taken this turn has moved in, and captured trucks stay for the turn.
        # A unit that blitzed and was not turned back may take its second step.
        on = state.step.phase == "combat_move" and bool(row.traits & {"blitz", "blitz_pair"})
        rest = [((row.move or 0) - spent if on else 0, spent) for spent in used[:there]]
        return tuple(sorted((*rest, *(((0, 0),) * (there - len(rest)))), reverse=True))
    going_on = list(own.stopped.get(place, {}).get(piece, ()))

    def left(spent: int, otherwise: int) -> int:
        if spent not in going_on:
            return otherwise
        going_on.remove(spent)
        return max(0, (row.move or 0) - spent)

    def goes_on(spent: int) -> int:
        # A truck stops to load and goes on with what it carries; no other piece does in phase 5.
        if row.type != "truck" or state.step.phase != "noncombat":
            return 0
        if road:
            on_road = own.by_road.get(place, {}).get(piece, ())
            return max(0, ROAD_SPACES - spent) if spent in on_road else 0
        return max(0, (row.move or 0) - spent)

    found: list[tuple[int, int]] = []
    for i in range(there - len(late) - turned):
        spent = used[i] if i < len(used) else 0
        most = allowance(state, row, used=spent, fought=i < fought, road=road)
        found.append((left(spent, most) if i < len(used) else most, spent))
    found += [(n, spent) for spent in late if (n := left(spent, goes_on(spent)))]
    found += [(0, 0)] * (there - len(found))
    return tuple(sorted(found, reverse=True)[:there])


def free_moves(state: GameState, place: SiteId, piece: Piece, *, road: bool = False) -> tuple[int, ...]:
    """Return how far each piece of a kind in a space may still move now, farthest first; as `standing`."""
    return tuple(left for left, _ in standing(state, place, piece, road=road))


def free_to_attack(state: GameState, place: SiteId, piece: Piece) -> int:
    """Return how many pieces of a kind in a space may still attack, as far as the ledger knows what stands there.

    Not free is who attacks or has fought already, whom mines turned back, who moved in after a combat, and land
    units that have no movement point left for the attack, as after a blitz of two spaces.
    """
    row, own = lg.figures(state).row(*lg.split(piece)[:2]), movement_of(state)
    there = lg.ledger_of(state).units.get(place, {}).get(piece, 0)
    free = there - declared_units(state).get((place, piece), 0)
    free -= battles_of(state).turned.get(place, {}).get(piece, 0)
    if row.type == "land":
        if place in taken_now(state) and place not in own.blitzed:
            return 0
        if row.move is not None:
            free -= sum(spent >= row.move for spent in own.used.get(place, {}).get(piece, ()))
    return max(0, free)


def taken_now(state: GameState) -> frozenset[SiteId]:
    """Return the territories that were captured this turn, by combat or by a blitz."""
    fought = {
        f.space for f in battles_of(state).fought if f.result == "attacker" and f.rules.domain == "land"
    }
    return frozenset(movement_of(state).blitzed) | fought


def may_land(state: GameState, space: SiteId, side: Side) -> bool:
    """Say whether aircraft may land: a territory that their side controlled when the turn began."""
    own = lg.board(state)
    if own.type_of(space) != "land":
        return False
    if own.owner_side(space):
        return own.owner_side(space) == side
    return fg.SIDE_OF.get(
        lg.ledger_of(state).control.get(space, fg.NO_POWER)
    ) == side and space not in taken_now(state)


def truck_load(units: Mapping[Piece, int], supply: int) -> int:
    """Return how much a truck's cargo counts: one a unit, one a token."""
    return sum(units.values()) + supply


def landed_where_unknown(state: GameState, power: Nation) -> tuple[SiteId, ...]:
    """Return the territories with aircraft of a power of which nobody has told whose marker they bear."""
    own, ledger = lg.board(state), lg.ledger_of(state)
    return tuple(
        place
        for place in _with_aircraft(state, power)
        if own.is_open_to_capture(place) and not ledger.control.get(place) and place not in ledger.unmarked
    )


def stranded(state: GameState, power: Nation) -> dict[SiteId, dict[Piece, int]]:
    """Return the power's aircraft that stand where they may not stay: place to pieces.

    At the end of phases 1 and 5 aircraft stand in territories that their side held when the turn began. Where nobody has
    told who holds a territory they are not judged (`landed_where_unknown`).
    """
    unknown = landed_where_unknown(state, power)
    return {
        place: planes
        for place, planes in _with_aircraft(state, power).items()
        if place not in unknown and not may_land(state, place, fg.SIDE_OF[power])
    }


def _with_aircraft(state: GameState, power: Nation) -> dict[SiteId, dict[Piece, int]]:
    own, book = lg.board(state), lg.figures(state)
    found: dict[SiteId, dict[Piece, int]] = {}
    for place, content in lg.ledger_of(state).units.items():
        if own.type_of(place) == "zone":
            continue
        planes = {
            piece: n
            for piece, n in content.items()
            if n and lg.split(piece)[0] == power and book.row(*lg.split(piece)[:2]).type == "air"
        }
        if planes:
            found[place] = planes
    return found

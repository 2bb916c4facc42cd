"""Moves by the rules on North Africa's Board screen: how far pieces may go, where to, blitzes, bombers that carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.games.aana.pages.words import pieces_text, space_name, unit_word
from companion.games.aana.rules.figures import SIDE_OF, MissingFiguresError, enemy_of
from companion.games.aana.rules.ledger import (
    acting_side,
    board,
    figures,
    held_units,
    ledger_of,
    occupants,
    split,
)
from companion.games.aana.rules.movement import CARGO_UNITS, LANDING_PHASES, free_moves, is_hostile, stranded
from companion.games.aana.rules.routes import routes
from companion.games.aana.rules.travel import AirTransport, LoseAircraft, air_transport, make_move
from companion.games.aana.rules.turn import turn_powers
from companion.games.aana.rules.ways import MOVE_PHASES, MakeMove
from companion.pages.i18n import _, ngettext
from companion.pages.labels import refusal

__all__ = [
    "MoveDraft",
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
    "why_not",
]

_TELLING = ("too_far", "no_room", "no_truck", "has_moved", "printed_value_missing", "no_blitz", "no_attack")
"""Refusals that say more than one about a single space."""


@dataclass(frozen=True, slots=True)
class MoveDraft:
    """A move that is being entered."""

    origin: str
    counts: Mapping[str, int]
    supply: int = 0
    spaces: int = 0
    """Spaces on the way as the table counts them; 0 where the borders tell."""
    road: bool = False
    via: str = ""


def moves_by_rule(state: GameState) -> bool:
    """Say whether pieces move in the step at hand."""
    step = state.step
    return step.phase in MOVE_PHASES and step.act != "declare" and state.ending is None


def is_mapped(state: GameState) -> bool:
    """Say whether the game knows which spaces touch."""
    return routes(state) is not None


def can_blitz(state: GameState, space: str) -> bool:
    """Say whether tanks that blitz stand in a space in phase 3."""
    if state.step.phase != "combat_move" or state.step.act == "declare":
        return False
    book = figures(state)
    held = held_units(ledger_of(state), space, turn_powers(state))
    return any("blitz" in book.row(*split(piece)[:2]).traits for piece in held)


def room_to_move(state: GameState, space: str, piece: str, *, road: bool, blitz: bool) -> tuple[int, str]:
    """Return how many pieces of a kind may move now, and how far in words."""
    if split(piece)[0] not in turn_powers(state):
        return 0, _("not in this turn")
    try:
        left = free_moves(state, space, piece, road=road)
    except MissingFiguresError:
        return 0, _("its move is still to be entered")
    row = figures(state).row(*split(piece)[:2])
    able = [n for n in left if n]
    if not able:
        return 0, _("may not move now")
    far = max(able) + (1 if blitz and row.traits & {"blitz", "blitz_pair"} else 0)
    text = ngettext("up to {n} space", "up to {n} spaces", far).format(n=far)
    return len(able), text


def move_note(state: GameState) -> str:
    """Return what the phase asks of a move, as one line."""
    words = {
        "convoys": _("Escorts land; it does not use their move of this turn"),
        "combat_move": _("Land units keep one space for the attack, aircraft enough to land"),
        "noncombat": _("Whoever moved or fought stays; aircraft land, trucks carry six"),
        "deploy": _("Aircraft that stayed may escort an open convoy, two spaces"),
    }
    return words[state.step.phase]


def _command(state: GameState, draft: MoveDraft, to: str, *, confirmed: bool = False) -> MakeMove:
    """Return the move to a space: units that trucks can carry ride with them."""
    units = {piece: n for piece, n in draft.counts.items() if n}
    trucks = any(split(piece)[1] == "truck" for piece in units)
    riders = {p: n for p, n in units.items() if trucks and split(p)[1] in CARGO_UNITS}
    return MakeMove(
        state.step.id,
        draft.origin,
        to,
        {piece: n for piece, n in units.items() if piece not in riders},
        draft.spaces,
        draft.via,
        draft.road,
        riders,
        draft.supply,
        confirmed,
    )


def move_destinations(state: GameState, draft: MoveDraft) -> tuple[tuple[MakeMove, str], ...]:
    """Return the moves that the rules allow, by destination; those that pass a stacking limit say so."""
    own, ledger = board(state), ledger_of(state)
    spaces = [*(row.id for row in own.territories()), *own.sea_zones(), *own.convoys]
    found = []
    for space in spaces:
        command = _command(state, draft, space)
        refused = make_move(state, command)
        text = space_name(state, space)
        if isinstance(refused, Rejected):
            if refused.code != "over_limit":
                continue
            command = _command(state, draft, space, confirmed=True)
            if isinstance(make_move(state, command), Rejected):
                continue
            text = _("{space}: over its limit").format(space=text)
        elif held := pieces_text(state, held_units(ledger, space)):
            text = f"{text}: {held}"
        found.append((command, text))
    return tuple(sorted(found, key=lambda option: option[1]))


def why_not(state: GameState, draft: MoveDraft) -> str:
    """Return why a move has no destination: what holds of the pieces themselves rather than of some space."""
    own, ways = board(state), routes(state)
    spaces = ways.neighbours(draft.origin) if ways is not None else tuple(r.id for r in own.territories())
    reasons: dict[str, Rejected] = {}
    for space in spaces:
        refused = make_move(state, _command(state, draft, space))
        if isinstance(refused, Rejected):
            reasons.setdefault(refused.code, refused)
    told = next((reasons[code] for code in _TELLING if code in reasons), next(iter(reasons.values()), None))
    return refusal(told, state) if told is not None else ""


def blitz_targets(state: GameState, space: str) -> tuple[tuple[str, str], ...]:
    """Return the empty hostile territories, next to a space where borders are known, that a blitz may take."""
    side = acting_side(state)
    own, ways, ledger, book = board(state), routes(state), ledger_of(state), figures(state)
    near = None if ways is None or not ways.knows(space) else ways.neighbours(space)
    foe = enemy_of(side)
    found = []
    for row in own.territories():
        if row.owner or row.id == space or (near is not None and row.id not in near):
            continue
        trucks = any(SIDE_OF[split(p)[0]] == foe for p in held_units(ledger, row.id))
        if occupants(ledger, book, row.id, foe) or not (is_hostile(state, row.id, side) or trucks):
            continue
        found.append((row.id, space_name(state, row.id)))
    return tuple(sorted(found, key=lambda option: option[1]))


def carry_units(state: GameState, space: str) -> tuple[tuple[str, str], ...]:
    """Return the units that an Axis bomber may carry out of Italy now (optional rule)."""
    power = state.step.nation or ""
    chosen = state.frozen_setup.options.get("optional", ())
    if space != "italy" or "air_transport" not in chosen or state.step.phase != "noncombat":
        return ()
    if SIDE_OF.get(power) != "axis" or not ledger_of(state).units.get("italy", {}).get(f"{power}.bomber"):
        return ()
    held = held_units(ledger_of(state), "italy", (power,))
    units = [split(piece)[1] for piece in held]
    return tuple((unit, unit_word(unit)) for unit in units if unit in (*CARGO_UNITS, "mechanized"))


def carry_destinations(state: GameState, unit: str, spaces: int) -> tuple[tuple[AirTransport, str], ...]:
    """Return the flights that the rules allow."""
    found = []
    for row in board(state).territories():
        command = AirTransport(state.step.id, unit, row.id, spaces)
        if not isinstance(air_transport(state, command), Rejected):
            found.append((command, space_name(state, row.id)))
    return tuple(sorted(found, key=lambda option: option[1]))


def lose_aircraft(state: GameState) -> tuple[LoseAircraft, str] | None:
    """Return the act that takes stranded aircraft away and their names; None when there are none."""
    if state.step.phase not in LANDING_PHASES:
        return None
    lost = stranded(state, state.step.nation or "")
    if not lost:
        return None
    places = [f"{space_name(state, place)}: {pieces_text(state, planes)}" for place, planes in lost.items()]
    return LoseAircraft(state.step.id), ", ".join(places)

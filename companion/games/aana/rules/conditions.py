"""Hostile, friendly or neutral: how a space stands to a side, with a third answer where nobody has told.

A marker or a content that nobody entered is neither there nor not there. Whoever judges by it gets the value to ask for.
Source: rulebook, Spaces on the Game Board (Territories, Sea Zones).
"""

from __future__ import annotations

from typing import Final

from companion.core.ids import Side, SiteId
from companion.core.judgement import NO, YES, Judgement, Need, judged, unknown
from companion.core.state import GameState
from companion.core.text import Say, area
from companion.games.aana.rules.figures import SIDE_OF, enemy_of
from companion.games.aana.rules.ledger import board, holding_side, known_supply, ledger_of, split
from companion.games.aana.rules.movement import grounded, is_hostile, taken_now

__all__ = [
    "CONTENT",
    "MARKER",
    "SUPPLY",
    "content_need",
    "enemies",
    "held_by",
    "hostile",
    "landing",
    "marker_known",
    "marker_need",
    "neutral",
    "route_open",
    "supply_need",
    "supplied",
]

MARKER: Final = "marker"
CONTENT: Final = "content"
SUPPLY: Final = "supply"
"""Kinds of `Need` of this game: a control marker, what stands in a space, the tokens there."""


def marker_need(space: SiteId) -> Need:
    """Return the question for a control marker."""
    return Need(MARKER, space, Say("Whose control marker is on {space}?", space=area(space)))


def content_need(space: SiteId) -> Need:
    """Return the question for what stands in a space."""
    return Need(CONTENT, space, Say("Which pieces stand in {space}?", space=area(space)))


def supply_need(space: SiteId) -> Need:
    """Return the question for the tokens of a territory."""
    return Need(SUPPLY, space, Say("How many supply tokens are in {space}?", space=area(space)))


def marker_known(state: GameState, space: SiteId) -> bool:
    """Say whether it is known who holds a territory, nobody included; a territory without a value is nobody's."""
    own, ledger = board(state), ledger_of(state)
    if own.owner_side(space) or not own.is_controllable(space):
        return True
    return bool(ledger.control.get(space)) or space in ledger.unmarked


def held_by(state: GameState, space: SiteId, side: Side) -> Judgement:
    """Judge whether a side holds a territory: by its emblem, or by a control marker.

    Source: rulebook, Territories.
    """
    holder = holding_side(state, space)
    return judged(holder == side) if holder or marker_known(state, space) else unknown(marker_need(space))


def hostile(state: GameState, space: SiteId, side: Side) -> Judgement:
    """Judge whether a space is hostile to a side.

    A territory that the side holds, or in which its land units stand, is not: no enemy stands there beside them.
    Source: rulebook, Spaces on the Game Board.
    """
    if is_hostile(state, space, side):
        return YES
    ledger = ledger_of(state)
    if board(state).type_of(space) != "land":
        return NO if space in ledger.told else unknown(content_need(space))
    if held_by(state, space, side).is_yes or grounded(state, space, side):
        return NO
    needs = [] if marker_known(state, space) else [marker_need(space)]
    needs += [] if space in ledger.told else [content_need(space)]
    return unknown(*needs) if needs else NO


def neutral(state: GameState, space: SiteId, side: Side) -> Judgement:
    """Judge whether a territory bears neither a marker nor combat units of either side.

    Source: rulebook, Territories.
    """
    foe = enemy_of(side)
    if any(held_by(state, space, one).is_yes or grounded(state, space, one) for one in (side, foe)):
        return NO
    return ~hostile(state, space, side)


def enemies(state: GameState, zone: SiteId, side: Side) -> Judgement:
    """Judge whether a sea zone holds anything of the enemy: warships, aircraft, submarines or transports.

    Source: rulebook, Sea Unit Movement.
    """
    foe, ledger = enemy_of(side), ledger_of(state)
    there = ledger.units.get(zone, {})
    if any(n and SIDE_OF[split(piece)[0]] == foe for piece, n in there.items()):
        return YES
    if any(ledger.supply.get(f"{zone}@{power}") for power, of in SIDE_OF.items() if of == foe):
        return YES
    return NO if zone in ledger.told else unknown(content_need(zone))


def landing(state: GameState, space: SiteId, side: Side) -> Judgement:
    """Judge whether aircraft may land: a territory that their side controlled when the turn began.

    Source: rulebook, Phase 5 (Air Unit Movement).
    """
    own = board(state)
    if own.type_of(space) != "land" or not (own.owner_side(space) or own.is_controllable(space)):
        return NO
    if space in taken_now(state):
        return NO
    return held_by(state, space, side)


def route_open(state: GameState, zone: SiteId) -> Judgement:
    """Judge whether a convoy route is open: its port is held by a power that the zone depicts.

    Source: rulebook, Convoy Sea Zones.
    """
    own = board(state)
    row = own.convoys[zone]
    if not row.port or not row.direct or own.owner_side(row.port):
        return judged(own.is_convoy_open(zone, ledger_of(state).control))
    if not marker_known(state, row.port):
        return unknown(marker_need(row.port))
    return judged(own.is_convoy_open(zone, ledger_of(state).control))


def supplied(state: GameState, space: SiteId) -> Judgement:
    """Judge whether supply tokens lie in a territory."""
    tokens = known_supply(ledger_of(state), space)
    return unknown(supply_need(space)) if tokens is None else judged(tokens > 0)

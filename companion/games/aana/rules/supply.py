"""Whose supply may pay for a fight: the territory's own, or that of a friendly or neutral one next to it.

Source: rulebook, Supply Tokens; Declaration of Attacks; General Combat Sequence steps 1 and 5.
"""

from __future__ import annotations

from companion.core.ids import Side, SiteId
from companion.core.rules import Rejected, not_known
from companion.core.state import GameState
from companion.core.text import Say, area
from companion.games.aana.rules.battle_messages import attack_of
from companion.games.aana.rules.combat import Arena
from companion.games.aana.rules.conditions import held_by
from companion.games.aana.rules.fight import Fight
from companion.games.aana.rules.figures import enemy_of
from companion.games.aana.rules.ledger import board, known_supply, ledger_of
from companion.games.aana.rules.movement import grounded, is_hostile
from companion.games.aana.rules.rounds import UNLIMITED, Pools, press_cost
from companion.games.aana.rules.routes import routes

__all__ = ["attack_pools", "near_supply", "payer_fault"]


def payer_fault(state: GameState, place: str, space: SiteId, side: Side) -> Rejected | None:
    """Say why supply of a place may not pay for a side's units in a territory; None when it may.

    Args:
        place: Where the tokens lie, a landing force's own (``SPACE@landing``) included.
        space: Where the units stand that attack or defend.
    """
    own, ways = board(state), routes(state)
    if place.partition("@")[0] == space:
        return None
    other = SiteId(place)
    if own.type_of(other) != "land":
        return Rejected("unknown_space", Say("{space} is not a territory.", space=area(place)))
    if ways is not None and ways.knows(space) and place not in ways.neighbours(space):
        return Rejected(
            "far_supply",
            Say(
                "{place} is not next to {space}, so its supply is out of reach.",
                place=area(place),
                space=area(space),
            ),
        )
    held = held_by(state, other, enemy_of(side))
    if held.is_unknown and not grounded(state, other, side) and not is_hostile(state, other, side):
        return not_known(held)
    if is_hostile(state, other, side):
        return Rejected(
            "enemy_supply", Say("{place} is hostile: its supply belongs to the enemy.", place=area(place))
        )
    return None


def attack_pools(
    state: GameState, fight: Fight, arena: Arena, side: Side
) -> tuple[tuple[Pools, tuple[int, ...]], ...]:
    """Return the pools that pay for pressing, the fewest tokens and the most."""
    if fight.rules.must_press:
        return ((Pools(), (UNLIMITED,)),)  # pressed also where nothing is left to pay with
    ledger = ledger_of(state)
    costs = press_cost(arena, fight.a)
    if attack_of(state, fight).is_landing:
        # All of them go on or none: clear where one token pays for all.
        tokens = [known_supply(ledger, f"{origin}@landing") or 0 for origin in costs]
        return ((Pools(), (tokens[0],)),) if list(costs.values()) == [1] else ()
    own = {origin: known_supply(ledger, origin) for origin in sorted(costs)}
    counted = {origin: n for origin, n in own.items() if n is not None}
    pools = Pools(tuple((origin, i) for i, origin in enumerate(own)))
    near = {origin: dict(_friendly(state, origin, side)) for origin in counted}
    may_pay = {origin: {*near[origin], *([origin] if n else [])} for origin, n in counted.items()}
    sources = {place: n for row in near.values() for place, n in row.items()} | counted
    stores = {frozenset(row) for row in may_pay.values()}
    if len(counted) == len(own) > 1 and len(stores) == 1 and all(_knows(state, origin) for origin in own):
        store = next(iter(stores))
        # One token a round comes from wherever there is one; more come from the territory and one other at most.
        if all(n < 2 or len(store) < 2 or (len(store) == 2 and at in store) for at, n in costs.items()):
            return ((Pools(tuple((at, 0) for at in own)), (sum(sources[place] for place in store),)),)
    least, most = [], []
    for origin, there in own.items():
        if there is None:
            least.append(UNLIMITED)
            most.append(UNLIMITED)
            continue
        others = [row for other, row in may_pay.items() if other != origin]
        alone = [
            n
            for place, n in near[origin].items()
            if _knows(state, origin) and not any(place in row for row in others)
        ]
        least.append(there + (sum(alone) if costs[origin] < 2 else max(alone, default=0)))
        most.append(there + sum(near[origin].values()))
    return tuple(dict.fromkeys(((pools, tuple(least) or (UNLIMITED,)), (pools, tuple(most) or (UNLIMITED,)))))


def near_supply(state: GameState, space: SiteId, side: Side) -> tuple[int, ...]:
    """Return the tokens next to a space that may pay for a side: one number, two where borders are not known."""
    tokens = sum(tokens for _place, tokens in _friendly(state, space, side))
    return (tokens,) if _knows(state, space) or not tokens else (0, tokens)


def _friendly(state: GameState, space: SiteId, side: Side) -> tuple[tuple[str, int], ...]:
    """Return the other territories that may pay for one, with their tokens: none that is hostile to the side."""
    return tuple(
        (place, tokens)
        for place, tokens in ledger_of(state).supply.items()
        if tokens and place != space and "@" not in place and payer_fault(state, place, space, side) is None
    )


def _knows(state: GameState, space: SiteId) -> bool:
    """Say whether the borders of a space are known."""
    ways = routes(state)
    return ways is not None and ways.knows(space)

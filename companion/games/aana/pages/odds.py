"""Odds of the North Africa combat under way from where it stands, with the supply that may still pay for it.

Both sides fight on for as long as they can pay; aircraft do not go on alone where no land unit is paid for. Tokens in
the space itself and in friendly or neutral territories next to it pay, as far as the ledger tells them. Where it is
open which of them pay, the odds are worked out with the fewest and with the most, and told only where that makes no
difference.

Source: rulebook, Declaration of Attacks; General Combat Sequence steps 1 and 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from msgspec.structs import replace

from companion.core.state import GameState
from companion.core.text import Say, Share, key, several
from companion.games.aana.odds.goals import Combat, UnknownCostError
from companion.games.aana.odds.play import TooLargeError
from companion.games.aana.odds.stopping import Stopping
from companion.games.aana.rules.battle_messages import attack_of
from companion.games.aana.rules.casualties import Cargo
from companion.games.aana.rules.combat import Arena
from companion.games.aana.rules.combat_acts import attack_plan
from companion.games.aana.rules.fight import Fight, arena_for, costs_of
from companion.games.aana.rules.fight_flow import is_round_ahead, leave
from companion.games.aana.rules.figures import SIDE_OF, MissingFiguresError, enemy_of
from companion.games.aana.rules.ledger import figures, known_supply, ledger_of
from companion.games.aana.rules.rounds import (
    UNLIMITED,
    Field,
    Pools,
    needs_supply,
    press,
    raids,
)
from companion.games.aana.rules.supply import attack_pools, near_supply

__all__ = ["chances_before", "coach_say", "combats_here", "end_shares", "odds_say"]

_CEASED = {"attacker": 0.0, "defender": 0.0, "both": 0.0, "ceased": 1.0, "stalemate": 0.0}


class _Supply(NamedTuple):
    """Tokens that pay for the rest of a combat."""

    pools: Pools
    attack: tuple[int, ...]
    """By pool."""
    defence: int


def odds_say(state: GameState, fight: Fight) -> Say:
    """Return the odds of the combat from here on, or why there are none.

    They are told where a round begins and where one is over: at the orders, at an escape, before pressing.
    """
    if fight.stage not in ("leave", "press") and not is_round_ahead(figures(state), fight):
        return Say("No odds during a round; check again when it ends")
    if any(fight.retreating):
        return Say("No odds during a round; check again when it ends")
    try:
        found = {_told(fight, chances) for chances in _worked(state, fight)}
    except TooLargeError:
        return Say("Too many kinds of pieces for exact odds")
    except MissingFiguresError as error:
        return Say("Printed values are missing: {keys}.", keys=several(map(key, error.keys)))
    return found.pop() if len(found) == 1 else Say("No odds: choose which supply pays first")


def chances_before(state: GameState, fight: Fight) -> tuple[float, float] | None:
    """Return the chances that nobody is left to defend, and that the territory is taken, from where a round begins.

    None where `odds_say` tells no odds.
    """
    if not is_round_ahead(figures(state), fight) or any(fight.retreating):
        return None
    try:
        worked = _worked(state, fight)
        found = {_told(fight, one): (one[0]["attacker"], one[1]) for one in worked}
    except (TooLargeError, MissingFiguresError):
        return None
    return next(iter(found.values())) if len(found) == 1 else None


def _worked(state: GameState, fight: Fight) -> list[tuple[dict[str, float], float]]:
    """Return the chances of a combat with each supply that may pay for it."""
    fight = _after_leaving(state, fight)
    if fight.stage == "over":
        return [({**_CEASED, "ceased": 0.0, fight.result: 1.0}, 0.0)]
    found = []
    for combat in combats_here(state, fight):
        if not any(combat.attackers):
            found.append((_CEASED, 0.0))
        else:
            odds = combat.odds()
            found.append((dict(odds.results), odds.p_capture))
    return found


def _after_leaving(state: GameState, fight: Fight) -> Fight:
    return leave(figures(state), fight) if fight.stage == "leave" else fight


def combats_here(state: GameState, fight: Fight) -> tuple[Combat, ...]:
    """Return the combat from here on with each supply that may pay for it, pressed where that is what is asked.

    It has no attackers where nobody can be paid for. Nothing where a large landing ceases that cannot be paid for.
    """
    fight = _after_leaving(state, fight)
    if fight.rules.must_press and state.rulings.get("aana.landing_unpaid", "pressed") != "pressed":
        fight = replace(fight, rules=replace(fight.rules, must_press=False))
    book = figures(state)
    arena = arena_for(book, fight)
    plan, found = attack_plan(state), []
    for supply in _supplies(state, fight, arena):
        attackers, tokens, round_no = fight.a, supply.attack, fight.round_no
        if fight.stage == "press":
            after = press(arena, plan, supply.pools, _field(fight, supply))
            attackers = (0,) * len(fight.a) if after is None else after.attackers
            tokens = tokens if after is None else after.attack_supply
            round_no = round_no + 1 if after is None else after.round_no
        found.append(
            Combat(
                arena,
                attackers,
                fight.d,
                plan,
                cargo=fight.cargo,
                costs=costs_of(book, fight.cargo),
                attack_supply=tokens,
                defence_supply=supply.defence,
                pools=supply.pools,
                from_round=round_no,
                is_opened=fight.stage != "air_defence",
            )
        )
    return tuple(found)


def _told(fight: Fight, chances: tuple[dict[str, float], float]) -> Say:
    """Tell the chances of a combat; nobody takes a sea zone."""
    chance, captured = chances
    a, d, both, neither = end_shares(chance)
    if fight.rules.domain == "sea":
        if not both.of_one:
            return Say("Defender eliminated {a}, attacker eliminated {d}, neither {n}", a=a, d=d, n=neither)
        return Say(
            "Defender eliminated {a}, attacker eliminated {d}, both {b}, neither {n}",
            a=a,
            d=d,
            b=both,
            n=neither,
        )
    if not both.of_one:
        return Say(
            "Defender eliminated {a}, attacker eliminated {d}, neither {n}; territory taken {c}",
            a=a,
            d=d,
            n=neither,
            c=Share(round(captured, 2)),
        )
    return Say(
        "Defender eliminated {a}, attacker eliminated {d}, both {b}, neither {n}; territory taken {c}",
        a=a,
        d=d,
        b=both,
        n=neither,
        c=Share(round(captured, 2)),
    )


def coach_say(state: GameState, fight: Fight) -> Say:
    """Return whether to press or to cease by the exchange at the best times to cease, with the chance to take the territory.

    Losses are counted from here on. Where it is open which supply pays, or a cost is missing, that is said instead.
    """
    try:
        combats = combats_here(state, fight)
        if len(combats) != 1:
            return Say("No advice: choose which supply pays first")
        (combat,) = combats
        if not any(combat.attackers):
            return Say("Cease: nobody can be paid for")
        taken = Share(round(Stopping(combat, "space").value, 2))
        gain = Stopping(combat, "exchange").value
    except TooLargeError:
        return Say("Too many kinds of pieces for exact odds")
    except MissingFiguresError as error:
        return Say("Printed values are missing: {keys}.", keys=several(map(key, error.keys)))
    except UnknownCostError:
        return Say("No advice by cost: costs are missing. Territory taken {taken}", taken=taken)
    if gain <= 0:
        return Say("Cease: pressing never destroys more than it costs. Territory taken {taken}", taken=taken)
    return Say(
        "Press: {gain} more destroyed than lost by cost, on average. Territory taken {taken}",
        gain=round(gain, 1),
        taken=taken,
    )


def _field(fight: Fight, supply: _Supply) -> Field:
    return Field(
        fight.a,
        fight.d,
        fight.a_out,
        fight.d_out,
        fight.cargo,
        Cargo(),
        supply.attack,
        supply.defence,
        fight.round_no,
    )


def end_shares(results: Mapping[str, float]) -> tuple[Share, Share, Share, Share]:
    """Return the chances that the defender alone, the attacker alone, both and neither are eliminated.

    In whole percent that make 100 together: the largest remainders round up.
    """
    ends = (
        results["attacker"],
        results["defender"],
        results["both"],
        results["ceased"] + results["stalemate"],
    )
    exact = [100 * chance / sum(ends) for chance in ends]
    percent = [int(share) for share in exact]
    order = sorted(range(len(exact)), key=lambda n: percent[n] - exact[n])
    for n in order[: 100 - sum(percent)]:
        percent[n] += 1
    a, d, both, neither = (Share(n / 100) for n in percent)
    return a, d, both, neither


# Supply


def _supplies(state: GameState, fight: Fight, arena: Arena) -> tuple[_Supply, ...]:
    """Return the supply to reckon with: one where it is clear, else the fewest and the most tokens that may pay.

    Empty for a large landing under the ruling that it ceases where it cannot be paid for.
    """
    if fight.rules.domain == "sea":
        return (_Supply(Pools(), (UNLIMITED,), UNLIMITED),)
    side = SIDE_OF[attack_of(state, fight).power]
    attack = attack_pools(state, fight, arena, side)
    defence = [
        _after_raids(arena, fight, known_supply(ledger_of(state), fight.space), near)
        for near in near_supply(state, fight.space, enemy_of(side))
    ]
    return tuple(
        dict.fromkeys(_Supply(pools, tokens, there) for pools, tokens in attack for there in defence)
    )


def _after_raids(arena: Arena, fight: Fight, own: int | None, near: int) -> int:
    """Return the defender's tokens, with those added that a raid cannot reach: it destroys in the space alone."""
    if own is None:
        return UNLIMITED
    raided = raids(arena, fight.a) if fight.stage == "orders" and fight.round_no == 1 else 0
    paid = int(needs_supply(arena, fight.d))
    if own + near < paid:
        return own + near
    return own + near + raided - min(raided, max(0, own - paid))

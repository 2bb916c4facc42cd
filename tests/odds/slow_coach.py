"""The best play of a battle by plain recursion: every result of the dice, every legal loss, nothing shared.

Slower than the coach and built on nothing of its arrays; who rolls and what is legal is asked of the rules.
"""

from __future__ import annotations

import numpy as np

from companion.games.sfw.odds.answer import SideEnd
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, SIDES, Counts, Fight, other_side
from companion.games.sfw.rules.battle_losses import CHEAPEST, Hit, LossTable, Policy
from companion.games.sfw.rules.battle_play import best_combination, retreating, step_rolls, unloaded
from companion.games.sfw.rules.battle_rolls import steps
from tests.odds.plain_grid import _lose, _spread

__all__ = ["best_value"]

_MOST_PAIRS = 10_000
"""Pairs of both sides' results of one step that are gone through, for every pair of strengths."""


def best_value(
    fight: Fight, side: str, goal: str, enemy: Policy = CHEAPEST, *, most: int = 20_000
) -> float | None:
    """Return what the goal comes to with the best play; None when more than `most` positions are met."""
    foe = other_side(side)
    tables = {side: LossTable(fight, side), foe: LossTable(fight, foe, enemy)}
    order = steps(fight)
    known: dict[tuple[int, Counts, Counts], float] = {}

    def value(number: int, attacking: Counts, defending: Counts) -> float:
        if len(known) > most:
            raise OverflowError
        if number == len(order):
            return _end(fight, side, goal, attacking, defending)
        key = (number, attacking, defending)
        if key not in known:
            known[key] = _before(number, attacking, defending)
        return known[key]

    def _before(number: int, attacking: Counts, defending: Counts) -> float:
        step = order[number]
        if step == "7B":
            attacking = unloaded(fight, attacking)
        if step == "retreat" and fight.battle.retreat and fight.in_space(ATTACKING, attacking):
            gone = retreating(fight, defending)
            if side == DEFENDING:
                return max(_fire(number, step, attacking, gone), _fire(number, step, attacking, defending))
            defending = gone
        return _fire(number, step, attacking, defending)

    def _fire(number: int, step: str, attacking: Counts, defending: Counts) -> float:
        both = step_rolls(fight, step, attacking, defending)
        counts = {ATTACKING: attacking, DEFENDING: defending}
        on = {
            ATTACKING: _spread(step, both[1].volleys, fight),
            DEFENDING: _spread(step, both[0].volleys, fight),
        }
        if len(on[ATTACKING]) * len(on[DEFENDING]) > _MOST_PAIRS:
            raise OverflowError(f"step {step}: {len(on[ATTACKING])} x {len(on[DEFENDING])} pairs of results")
        found = 0.0
        for shots, p in on[foe]:
            enemy_after = _lose(tables[foe], step, counts[foe], shots)
            for hits, q in on[side]:
                values = []
                for left in _options(tables[side], step, counts[side], hits):
                    after = {side: left, foe: enemy_after}
                    values.append(value(number + 1, after[ATTACKING], after[DEFENDING]))
                found += p * q * max(values)
        return found

    try:
        return value(0, fight.start(ATTACKING), fight.start(DEFENDING))
    except OverflowError:
        return None


def _options(table: LossTable, step: str, counts: Counts, hits: tuple[Hit, ...]) -> list[Counts]:
    if step == "7A":
        hits = best_combination(hits, counts, table)
    precise = tuple(hit for hit in hits if hit.precise)
    if precise:
        counts = table.after(counts, precise)
    plain = tuple(hit for hit in hits if not hit.precise)
    if not plain:
        return [counts]
    legal = table.legal(counts, plain)
    return [tuple(n - lost for n, lost in zip(counts, losses, strict=True)) for losses in legal]


def _end(fight: Fight, side: str, goal: str, attacking: Counts, defending: Counts) -> float:
    ashore = "7B" in steps(fight)
    ends = {
        each: SideEnd(fight, each, np.array([counts], dtype=np.int64), ashore=ashore)
        for each, counts in zip(SIDES, (attacking, defending), strict=True)
    }
    own, enemy = ends[side], ends[other_side(side)]
    if goal == "space":
        taken = bool(ends[ATTACKING].is_holding()[0]) and not ends[DEFENDING].is_holding()[0]
        return float(taken == (side == ATTACKING))
    if goal == "clear":
        return float(enemy.is_cleared()[0])
    if goal == "keep":
        return float(own.worth - own.costs_lost()[0])
    return float(enemy.costs_lost()[0] - own.costs_lost()[0])

"""Seeded virtual battles: dice rolled one by one through the same course of battle as the exact odds.

Used only where a battle is too large to be worked exactly, and to compare with. The same seed gives the same
battles.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from companion.games.sfw.odds.answer import Odds, summarise
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Counts, Fight
from companion.games.sfw.rules.battle_losses import CHEAPEST, Hit, LossTable, Policy, merge_hits
from companion.games.sfw.rules.battle_play import (
    best_combination,
    hits_of,
    read_dice,
    retreating,
    step_rolls,
    unloaded,
)
from companion.games.sfw.rules.battle_rolls import Rolls, Volley, steps
from companion.odds.arrays import np

__all__ = ["RUNS", "simulated_odds", "throw"]

RUNS = 20_000


def throw(volley: Volley, chance: random.Random, levels: int) -> tuple[Hit, ...]:
    """Roll a volley, extra shots included, and return its hits."""
    hits = twelves = 0
    dice, is_bonus = volley.dice, False
    while dice:
        read = read_dice(volley, [chance.randint(1, 12) for _ in range(dice)], is_bonus=is_bonus)
        is_bonus = True
        hits += read.hits
        twelves += read.twelves
        dice = read.again
    return hits_of(volley, hits, twelves, levels)


def simulated_odds(
    fight: Fight,
    policies: dict[str, Policy] | None = None,
    *,
    position: int = 0,
    attacking: Counts | None = None,
    defending: Counts | None = None,
    runs: int = RUNS,
    seed: int = 1,
) -> Odds:
    """Return the odds of a fight from virtual battles, with the standard error of its probabilities.

    Arguments as for `companion.games.sfw.odds.play.exact_odds`; `runs` battles with the given seed.
    """
    chance = random.Random(seed)
    chosen = policies or {}
    tables = {side: LossTable(fight, side, chosen.get(side, CHEAPEST)) for side in (ATTACKING, DEFENDING)}
    start = (attacking or fight.start(ATTACKING), defending or fight.start(DEFENDING))
    ends: Counter[tuple[Counts, Counts]] = Counter()
    known: _Known = {}
    for _ in range(runs):
        ends[_battle(tables, position, start, chance, known)] += 1
    rows = sorted({pair[0] for pair in ends})
    columns = sorted({pair[1] for pair in ends})
    p = np.zeros((len(rows), len(columns)))
    row_of, column_of = {r: n for n, r in enumerate(rows)}, {c: n for n, c in enumerate(columns)}
    for (row, column), count in ends.items():
        p[row_of[row], column_of[column]] = count / runs
    odds = summarise(fight, rows, columns, p, ashore="7B" in steps(fight))
    worst = max(
        (
            q * (1 - q)
            for q in (odds.p_defender_cleared, odds.p_attacker_cleared, odds.p_capture, odds.p_hold)
        ),
        default=0.0,
    )
    return replace(odds, method="simulation", runs=runs, error=(worst / runs) ** 0.5, seed=seed)


_Known = dict[tuple[int, Counts, Counts], tuple[Rolls, Rolls]]
"""Who rolls what on a step at given strengths: battles of the same fight pass through the same ones often."""

_MOST_KNOWN = 50_000


def _battle(
    tables: dict[str, LossTable],
    position: int,
    start: tuple[Counts, Counts],
    chance: random.Random,
    known: _Known,
) -> tuple[Counts, Counts]:
    attacking, defending = start
    fight = tables[ATTACKING].fight
    levels = len(fight.edition.capacity)
    for number, step in enumerate(steps(fight)[position:]):
        if step == "7B":
            attacking = unloaded(fight, attacking)
        if step == "retreat" and fight.battle.retreat and fight.in_space(ATTACKING, attacking):
            defending = retreating(fight, defending)
        key = (number, attacking, defending)
        both = known.get(key)
        if both is None:
            both = step_rolls(fight, step, attacking, defending)
            if len(known) < _MOST_KNOWN:
                known[key] = both
        on_defender, on_attacker = (
            merge_hits(tuple(hit for volley in side.volleys for hit in throw(volley, chance, levels)))
            for side in both
        )
        if step == "7A":
            on_defender = best_combination(on_defender, defending, tables[DEFENDING])
            on_attacker = best_combination(on_attacker, attacking, tables[ATTACKING])
        if on_defender:
            defending_after = tables[DEFENDING].after(defending, on_defender)
        else:
            defending_after = defending
        if on_attacker:
            attacking = tables[ATTACKING].after(attacking, on_attacker)
        defending = defending_after
    return attacking, defending

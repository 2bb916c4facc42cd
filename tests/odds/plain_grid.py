"""A plain grid of a battle: one dictionary of both sides' counts, every pair of results of every step.

Slower than the exact odds and built on nothing of theirs but the dice; casualties are asked of `LossTable` one by
one.
"""

from __future__ import annotations

import time

from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Counts, Fight
from companion.games.sfw.rules.battle_losses import CHEAPEST, Hit, LossTable, Policy, merge_hits
from companion.games.sfw.rules.battle_play import best_combination, retreating, step_rolls, unloaded
from companion.games.sfw.rules.battle_rolls import Volley, steps
from companion.odds.distributions import Part, combine

__all__ = ["States", "plain_grid"]

States = dict[tuple[Counts, Counts], float]

_MOST_CELLS = 300_000
"""Results of one step that are told apart: 2.4 MB, which `combine` keeps 256 times."""


def plain_grid(
    fight: Fight, policies: dict[str, Policy] | None = None, *, seconds: float = 60.0
) -> States | None:
    """Return the chance of every pair of counts at the end; None when it takes longer than `seconds`, or too much memory."""
    try:
        return _grid(fight, policies or {}, time.perf_counter() + seconds)
    except OverflowError:
        return None


def _grid(fight: Fight, chosen: dict[str, Policy], end: float) -> States | None:
    tables = {side: LossTable(fight, side, chosen.get(side, CHEAPEST)) for side in (ATTACKING, DEFENDING)}
    states: States = {(fight.start(ATTACKING), fight.start(DEFENDING)): 1.0}
    for step in steps(fight):
        after: States = {}
        for (attacking, defending), chance in states.items():
            if step == "7B":
                attacking = unloaded(fight, attacking)
            if step == "retreat" and fight.battle.retreat and fight.in_space(ATTACKING, attacking):
                defending = retreating(fight, defending)
            both = step_rolls(fight, step, attacking, defending)
            on_attacker = [
                (_lose(tables[ATTACKING], step, attacking, shots), q)
                for shots, q in _spread(step, both[1].volleys, fight)
            ]
            for shots, p in _spread(step, both[0].volleys, fight):
                lost = _lose(tables[DEFENDING], step, defending, shots)
                for left, q in on_attacker:
                    after[(left, lost)] = after.get((left, lost), 0.0) + chance * p * q
            if time.perf_counter() > end:
                return None
        states = after
    return states


def _lose(table: LossTable, step: str, counts: Counts, hits: tuple[Hit, ...]) -> Counts:
    if step == "7A":
        hits = best_combination(hits, counts, table)
    return table.after(counts, hits)


def _spread(step: str, volleys: tuple[Volley, ...], fight: Fight) -> list[tuple[tuple[Hit, ...], float]]:
    if not volleys:
        return [((), 1.0)]
    levels = len(fight.edition.capacity)
    kinds = fight.kinds(DEFENDING if volleys[0].side == ATTACKING else ATTACKING)
    most = sum(kinds[kind.source].start * kind.per if kind.source >= 0 else kind.start for kind in kinds)
    if step == "7A":
        # Combined fire puts more hits to use than there are units; an extra shot can bring any number.
        most = 64
    pairs = [
        ((v.level, v.aim, False), (min(levels, v.level + v.level_up), v.aim, v.precise)) for v in volleys
    ]
    classes = sorted({one for pair in pairs for one in pair}, key=lambda one: (one[0], one[2], repr(one[1])))
    if (most + 1) ** len(classes) > _MOST_CELLS:
        raise OverflowError(f"step {step}: a grid of {most + 1} hits in each of {len(classes)} classes")
    joint = combine(
        tuple(
            Part(v.dice, v.number, classes.index(plain), classes.index(special), v.extra_shot, v.is_chained)
            for v, (plain, special) in zip(volleys, pairs, strict=True)
        ),
        12,
        (most + 1,) * len(classes),
    )
    return [
        (
            merge_hits(
                tuple(
                    Hit(level, aim, int(count), precise)
                    for (level, aim, precise), count in zip(classes, index, strict=True)
                )
            ),
            float(joint[index]),
        )
        for index in zip(*joint.nonzero(), strict=True)
    ]

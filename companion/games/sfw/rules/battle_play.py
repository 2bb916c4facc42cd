"""How a fight runs from step to step: what happens before the dice, whether they are due, and what they did.

These few functions are the whole course of a battle; the table's commands, the virtual battles and the exact
odds all go through them.
Source: rulebook v0.96, Battle Steps, Retreat, Air Drops, Amphibious Assaults, and Landing Defense.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Counts, Fight, Kind
from companion.games.sfw.rules.battle_combine import each_combination
from companion.games.sfw.rules.battle_fire import rolls
from companion.games.sfw.rules.battle_losses import Hit, LossTable, merge_hits
from companion.games.sfw.rules.battle_rolls import Rolls, Volley, is_full_retreat, steps

__all__ = [
    "NO_ROLLS",
    "Throw",
    "best_combination",
    "expected_hits",
    "hits_of",
    "is_over",
    "read_dice",
    "retreating",
    "step_rolls",
    "survivors",
    "unloaded",
]

NO_ROLLS = Rolls(())


def unloaded(fight: Fight, counts: Counts) -> Counts:
    """Return the attackers' counts on 7B, cargo of the transports that are left now on its way ashore."""
    kinds = fight.attacking
    if all(kind.role != "landing" for kind in kinds):
        return counts
    return tuple(
        counts[kind.source] * kind.per if kind.role == "landing" else counts[kind.index] for kind in kinds
    )


def retreating(fight: Fight, counts: Counts, leaving: Counts | None = None) -> Counts:
    """Return the defenders' counts with units set apart for a retreat.

    `leaving` says how many of each kind go; None: all that the battle names.
    """
    after = list(counts)
    for kind in fight.defending:
        if kind.role != "leaving":
            continue
        gone = counts[kind.source] if leaving is None else leaving[kind.source]
        after[kind.source] -= gone
        after[kind.index] += gone
    return tuple(after)


def step_rolls(fight: Fight, step: str, attacking: Counts, defending: Counts) -> tuple[Rolls, Rolls]:
    """Return what both sides roll on a step, with nothing where the step is not due.

    For ``retreat`` the leaving units, for 7B and 7C the unloaded units are expected to be set apart already.
    """
    if step == "retreat" and not (
        is_full_retreat(fight, defending) and _any(fight.defending, defending, "leaving")
    ):
        return NO_ROLLS, NO_ROLLS
    if step in ("7B", "7C") and not _any(fight.attacking, attacking, "landing"):
        return NO_ROLLS, NO_ROLLS
    if step == "7C" and not _landing_defended(fight, attacking, defending):
        return NO_ROLLS, NO_ROLLS
    return (
        rolls(fight, step, ATTACKING, attacking, defending),
        rolls(fight, step, DEFENDING, defending, attacking),
    )


def _any(kinds: Sequence[Kind], counts: Counts, role: str) -> bool:
    return any(counts[kind.index] and kind.role == role for kind in kinds)


def _landing_defended(fight: Fight, attacking: Counts, defending: Counts) -> bool:
    """Say whether the units that land face landing defence: enemies in the space, and no friends there."""
    if not fight.in_space(DEFENDING, defending):
        return False
    if not fight.edition.landing_needs_empty:
        return True
    cancels = ("air", "sea", "land") if fight.battle.air_cancels_landing else ("sea", "land")
    transports = {kind.source for kind in fight.attacking if kind.role == "landing"}
    return not any(
        attacking[kind.index]
        and kind.role == "start"
        and kind.place == ""
        and kind.index not in transports
        and kind.unit.type in cancels
        for kind in fight.attacking
    )


def is_over(fight: Fight, position: int, attacking: Counts, defending: Counts) -> bool:
    """Say whether no roll, unloading or retreat is left from a position of `steps` on.

    Looks only at what is certain now: a step that may become due keeps the battle open.
    """
    for step in steps(fight)[position:]:
        if step == "retreat":
            if _any_leavers(fight, defending) and fight.in_space(ATTACKING, attacking):
                return False
            continue
        if step in ("7B", "7C"):
            ashore = unloaded(fight, attacking) if step == "7B" else attacking
            if _any(fight.attacking, ashore, "landing"):
                return False
            continue
        if any(part.volleys for part in step_rolls(fight, step, attacking, defending)):
            return False
    return True


def _any_leavers(fight: Fight, defending: Counts) -> bool:
    return any(kind.role == "leaving" and defending[kind.source] for kind in fight.defending)


class Throw(msgspec.Struct, frozen=True):
    """What one volley's dice came to."""

    hits: int
    twelves: int
    """Dice that showed 12."""
    again: int
    """Bonus dice still to be rolled (extra shot)."""


def read_dice(volley: Volley, values: Sequence[int], *, is_bonus: bool = False) -> Throw:
    """Count hits and twelves of one roll of a volley; values are 1-12. `is_bonus`: dice of an extra shot."""
    hits = sum(value >= volley.number for value in values)
    twelves = sum(value == 12 for value in values)
    rolls_again = volley.extra_shot and (volley.is_chained or not is_bonus)
    return Throw(hits, twelves, twelves if rolls_again else 0)


def hits_of(volley: Volley, hits: int, twelves: int, levels: int) -> tuple[Hit, ...]:
    """Return the hits of a volley, those of its twelves leveled up or precise where it has the ability.

    Every 12 is among the hits: no volley needs more than 12.
    """
    special = volley.level_up or volley.precise
    plain = hits - twelves if special else hits
    found = [Hit(volley.level, volley.aim, plain)]
    if special:
        level = min(levels, volley.level + 1) if volley.level_up else volley.level
        found.append(Hit(level, volley.aim, twelves, volley.precise))
    return merge_hits(tuple(found))


def best_combination(hits: tuple[Hit, ...], counts: Counts, table: LossTable) -> tuple[Hit, ...]:
    """Return the combination of the hits of 7A that costs the enemy most under his own policy.

    Ties: most control-capable units lost, then the hits combined least.
    """
    levels = len(table.fight.edition.capacity)
    best: tuple[Hit, ...] = merge_hits(hits)
    value = (-1, -1)
    # All that can be hit at all: a hit made of two may be aimed at nothing that neither of them could.
    every = (msgspec.structs.replace(hit, level=levels, count=sum(counts)) for hit in best)
    most = _worth(table, table.proposal(counts, merge_hits(tuple(every))))
    for option in each_combination(hits, levels):
        worth = _worth(table, table.proposal(counts, option))
        if worth > value:
            best, value = option, worth
        if value == most:  # twenty hits combine in thousands of ways, and nobody is left to be hit
            break
    return best


def _worth(table: LossTable, lost: Sequence[int]) -> tuple[int, int]:
    """Return the cost of losses, and how many of them can hold a space."""
    kinds = list(zip(table.kinds, lost, strict=True))
    return sum(kind.cost * n for kind, n in kinds), sum(n for kind, n in kinds if kind.unit.control)


def expected_hits(volley: Volley) -> tuple[int, int]:
    """Return the hits to be expected of a volley as an exact fraction: numerator and denominator."""
    chance = 13 - volley.number
    if volley.extra_shot and not volley.is_chained:
        return (volley.dice * chance * 13, 144)
    # With the extra shot every 12 brings another die: 12/11 dice for each.
    return (volley.dice * chance, 11 if volley.extra_shot else 12)


def survivors(
    fight: Fight, side: str, counts: Counts, *, ashore: bool, supporters: bool = True
) -> dict[tuple[str, str], int]:
    """Return how many units of each (nation, unit) a side has left, cargo aboard counted.

    `ashore`: battle step 7B is past, so that the cargo of unloading transports is counted on its own.
    `supporters`: also count units that support from spaces without a battle; they can never be lost.
    """
    found: dict[tuple[str, str], int] = {}
    kinds = fight.kinds(side)
    unloading = {kind.source for kind in kinds if kind.role == "landing"}
    for kind in kinds:
        count = counts[kind.index]
        if not (supporters or kind.is_active):
            continue
        if count:
            _add(found, kind.nation, kind.unit.id, count)
        # Cargo kept aboard a land transport outlives it.
        carriers = kind.start if kind.unit.has("mobile") else count
        aboard = carriers and kind.group.unit == kind.unit.id and kind.role == "start"
        if aboard and not (ashore and kind.index in unloading):
            for load in kind.group.cargo:
                _add(found, kind.nation, load.unit, load.count * carriers)
    return found


def _add(found: dict[tuple[str, str], int], nation: str, unit: str, count: int) -> None:
    found[(nation, unit)] = found.get((nation, unit), 0) + count

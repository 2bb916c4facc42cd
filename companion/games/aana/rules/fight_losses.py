"""How the hits of a combat under way are paid: what is proposed, and which other choices the rules allow.

Source: rulebook, General Combat Sequence steps 2 to 4; Transports.
"""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.text import Name, Say, unit
from companion.games.aana.rules.casualties import (
    TRANSPORT,
    Cargo,
    LossPolicy,
    Paid,
    Payer,
    cargo_after_hits,
    is_target,
)
from companion.games.aana.rules.combat import (
    ATTACKER,
    DEFENDER,
    Arena,
    Counts,
    Role,
)
from companion.games.aana.rules.fight import (
    Fight,
    arena_for,
    costs_of,
    firing,
)
from companion.games.aana.rules.figures import FigureBook
from companion.games.aana.rules.rounds import UNLIMITED, AttackPlan, Field, Pools, Sparing, sparing

__all__ = [
    "has_choice",
    "hits_taken",
    "loser",
    "loser_counts",
    "losses_fault",
    "not_assigned",
    "proposed",
    "ruled",
    "spared",
]


def loser(fight: Fight) -> Role:
    """Return the side that pays the hits at hand."""
    return ATTACKER if firing(fight.fired_stage) == DEFENDER else DEFENDER


def loser_counts(fight: Fight) -> Counts:
    """Return the counts of the side that pays."""
    return fight.counts(loser(fight))


def spared(
    book: FigureBook, fight: Fight, plan: AttackPlan, pools: Pools, supply: tuple[int, ...]
) -> Sparing:
    """Return what it comes to that the attacker spares a unit for moving in (ruling aana.last_ground).

    Args:
        fight: With the attackers as they are after losses that spare it.
        supply: Tokens left for pressing, by pool.
    """
    arena = arena_for(book, fight)
    if fight.fired_stage == "air_defence" or not plan.may_give_up(arena, pools):
        return "helps"
    going = fight.retreating or (0,) * len(fight.d)
    staying = tuple(n - min(n, g) for n, g in zip(fight.d, going, strict=True))
    field = Field(
        fight.a,
        staying,
        fight.a_out,
        fight.d_out,
        fight.cargo,
        Cargo(),
        supply,
        UNLIMITED,
        fight.round_no,
    )
    return sparing(arena, plan, pools, field)


def ruled(
    book: FigureBook,
    fight: Fight,
    plan: AttackPlan,
    pools: Pools,
    supply: tuple[int, ...],
    *,
    aiming: LossPolicy | None = None,
) -> tuple[Counts, Cargo, Sparing]:
    """Return an attacker's losses under ruling aana.last_ground, with the transports, and what they come to.

    Spared is the dearest unit where the territory is taken, else one that can be paid for where that lets the attack
    go on with it, else nobody.
    """
    left, cargo = proposed(book, fight, plan.first_losses, aiming)
    first = spared(book, replace(fight, a=left), plan, pools, supply)
    if first == "helps":
        return left, cargo, first
    other, _ = proposed(book, fight, plan.payable(arena_for(book, fight), pools, supply), aiming)
    if other != left and spared(book, replace(fight, a=other), plan, pools, supply) == "helps":
        return other, cargo, "helps"
    return proposed(book, fight, plan.unspared, aiming)[0], cargo, first


def proposed(
    book: FigureBook, fight: Fight, policy: LossPolicy | None = None, aiming: LossPolicy | None = None
) -> tuple[Counts, Cargo]:
    """Return the payer's counts and the transports after the losses that the loss policy proposes."""
    arena, load = arena_for(book, fight), fight.cargo
    paid = _paid(_payer(arena, fight, policy, aiming), arena, fight)
    if loser(fight) == DEFENDER and load.count:
        lost = paid.sunk + (paid.unpaid if fight.rules.spill or not any(paid.left) else 0)
        load = cargo_after_hits(load, lost, costs_of(book, load))
    return paid.left, load


def _payer(
    arena: Arena, fight: Fight, policy: LossPolicy | None = None, aiming: LossPolicy | None = None
) -> Payer:
    return Payer(arena, loser(fight), policy=policy or LossPolicy(), firing=aiming or LossPolicy())


def _paid(payer: Payer, arena: Arena, fight: Fight) -> Paid:
    own, only = loser_counts(fight), None
    if fight.fired_stage == "air_defence":
        air = arena.of_type(ATTACKER, "air")
        only = tuple(n if i in air else 0 for i, n in enumerate(own))
    return payer.pay(own, fight.hits, only, _transports(fight))


def _transports(fight: Fight) -> int:
    return fight.cargo.transports if loser(fight) == DEFENDER else 0


def has_choice(book: FigureBook, fight: Fight) -> bool:
    """Say whether the hits at hand may be paid in more ways than one; yes wherever that is not plain.

    It is plain where all that can be hit is lost, and where it is of one kind and no ship that takes two hits.
    Source: rulebook, General Combat Sequence (owners choose their losses).
    """
    left, cargo = proposed(book, fight)
    if cargo != fight.cargo:
        return True
    rows, counts = arena_for(book, fight).rows(loser(fight)), loser_counts(fight)
    may_fall = [i for i, row in enumerate(rows) if fight.fired_stage != "air_defence" or row.type == "air"]
    if not any(left[i] for i in may_fall):
        return False
    able = [i for i in may_fall if counts[i]]
    return len(able) != 1 or ("two_hits" in rows[able[0]].traits and counts[able[0]] > 1)


def hits_taken(arena: Arena, role: Role, before: Counts, after: Counts) -> Counts | None:
    """Return the hits by kind that lead from one set of counts to another; None when none do.

    A whole battleship that is sunk takes one as a whole one and one as a damaged one.
    """
    kinds, rows = arena.kinds(role), arena.rows(role)
    taken = [was - is_left for was, is_left in zip(before, after, strict=True)]
    for i, kind in enumerate(kinds):
        if "two_hits" in rows[i].traits and not kind.damaged:
            taken[kinds.index(replace(kind, damaged=True))] += taken[i]
    return None if min(taken, default=0) < 0 else tuple(taken)


def _slots(arena: Arena, role: Role, taken: Counts) -> dict[str, int]:
    """Count hits by category of what they fell on."""
    slots = {"air": 0, "submarine": 0, "surface": 0}
    for row, n in zip(arena.rows(role), taken, strict=True):
        slots[row.hit_class] += n
    return slots


def losses_fault(book: FigureBook, fight: Fight, left: Counts) -> Say | None:
    """Say why counts are no legal payment of the hits at hand: as many as possible, aims and reach respected."""
    arena, role = arena_for(book, fight), loser(fight)
    before, hits, payer = loser_counts(fight), fight.hits, _payer(arena, fight)
    best = _paid(payer, arena, fight)
    taken, proposal = hits_taken(arena, role, before, left), hits_taken(arena, role, before, best.left)
    if taken is None or proposal is None or any(n < 0 for n in left):
        return Say("Pieces can only be lost, except that the first hit on a battleship damages it.")
    if sum(taken) != sum(proposal):
        return not_assigned(sum(proposal), sum(taken))
    named = payer.named(before, hits, _transports(fight))
    spare = {"any": hits.any, "no_air": hits.no_air, "no_sub": hits.no_sub}
    for _, reach, n in hits.aimed:
        spare[reach] += n
    for aim, reach, n in named:
        spare[reach] -= n if aim == TRANSPORT else 0
    mine = _slots(arena, role, taken)
    if mine["air"] > spare["any"] + spare["no_sub"]:
        return Say("Hits by submarines never fall on aircraft.")
    if mine["submarine"] > spare["any"] + spare["no_air"]:
        return Say("Hits by aircraft never fall on submarines here.")
    if fight.fired_stage == "air_defence" and mine["air"] != sum(mine.values()):
        return Say("Air defence hits only aircraft.")
    free = list(taken)
    # A type lies within tanks or aircraft or outside them: the narrowest first, every aim finds its hits if any may.
    for aim, _, wanted in sorted(named, key=lambda item: ":" not in item[0]):
        if aim == TRANSPORT:
            continue
        at, left_over = [i for i in range(len(free)) if _is_aimed(arena, role, i, aim)], wanted
        for i in at:
            used = min(free[i], left_over)
            free[i] -= used
            left_over -= used
        if left_over:
            fallen = sum(taken[i] for i in at)
            return Say.counted(
                "{n} aimed hit must fall on this: {target}. You assigned {have}.",
                "{n} aimed hits must fall on this: {target}. You assigned {have}.",
                wanted,
                target=_target(aim),
                have=fallen,
            )
    return None


def not_assigned(hits: int, assigned: int) -> Say:
    """Say that not as many hits were assigned as fell."""
    return Say.counted(
        "{n} hit to assign; you assigned {have}.",
        "{n} hits to assign; you assigned {have}.",
        hits,
        have=assigned,
    )


def _target(aim: str) -> Name:
    what, _, kind = aim.partition(":")
    return unit(kind) if kind else Name("aim", what)


def _is_aimed(arena: Arena, role: Role, i: int, aim: str) -> bool:
    what, _, unit = aim.partition(":")
    return is_target(arena.rows(role)[i], what) and unit in ("", arena.kinds(role)[i].unit)

"""How the hits of a combat under way are paid: what is proposed, and which other choices the rules allow.

Source: rulebook, General Combat Sequence steps 2 to 4; Transports.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from companion.games.aana.casualties import (
    Cargo,
    Hits,
    LossPolicy,
    after_hits,
    cargo_after_hits,
    is_target,
)
from companion.games.aana.combat import (
    ATTACKER,
    DEFENDER,
    Arena,
    Counts,
    Kind,
    Role,
)
from companion.games.aana.fight import (
    TRANSPORT,
    Fight,
    arena_for,
    costs_of,
    firing,
)
from companion.games.aana.figures import FigureBook

__all__ = [
    "loser",
    "loser_counts",
    "losses_fault",
    "proposed",
    "transport_hits",
]


def loser(fight: Fight) -> Role:
    """Return the side that pays the hits at hand."""
    return ATTACKER if firing(fight.fired_stage) == DEFENDER else DEFENDER


def loser_counts(fight: Fight) -> Counts:
    """Return the counts of the side that pays."""
    return fight.counts(loser(fight))


def proposed(
    book: FigureBook, fight: Fight, policy: LossPolicy | None = None, aiming: LossPolicy | None = None
) -> tuple[Counts, Cargo]:
    """Return the payer's counts and the transports after the losses that the loss policy proposes."""
    arena, role = arena_for(book, fight), loser(fight)
    own = loser_counts(fight)
    only = None
    if fight.fired_stage == "air_defence":
        air = arena.of_type(ATTACKER, "air")
        only = tuple(n if i in air else 0 for i, n in enumerate(own))
    left, unpaid = after_hits(
        arena,
        role,
        own,
        fight.hits,
        policy=policy or LossPolicy(),
        firing=aiming or LossPolicy(),
        fire_on=only,
    )
    load = fight.cargo
    if role == DEFENDER and load.count:
        lost = transport_hits(fight.hits) + (unpaid if fight.rules.spill or not any(left) else 0)
        load = cargo_after_hits(load, lost, costs_of(book, load))
    return left, load


def transport_hits(hits: Hits) -> int:
    """Return the hits that were aimed at transports."""
    return sum(n for aim, _, n in hits.aimed if aim == TRANSPORT)


def _slots(arena: Arena, role: Role, before: Counts, after: Counts) -> dict[str, int] | None:
    """Count the hits by category that lead from one set of counts to another; None when none does."""
    slots = {"air": 0, "submarine": 0, "surface": 0}
    kinds, rows = arena.kinds(role), arena.rows(role)
    carried: dict[Kind, int] = {}
    for i, kind in enumerate(kinds):
        if "two_hits" in rows[i].traits and not kind.damaged:
            lost = before[i] - after[i]
            if lost < 0:
                return None
            slots["surface"] += lost
            carried[replace(kind, damaged=True)] = lost
    for i, kind in enumerate(kinds):
        if "two_hits" in rows[i].traits and not kind.damaged:
            continue
        lost = before[i] + carried.get(kind, 0) - after[i]
        if lost < 0:
            return None
        slots[rows[i].hit_class] += lost
    return slots


def losses_fault(book: FigureBook, fight: Fight, left: Counts) -> str | None:
    """Say why counts are no legal payment of the hits at hand: as many as possible, aims and reach respected."""
    arena, role = arena_for(book, fight), loser(fight)
    before = loser_counts(fight)
    best, _ = proposed(book, fight)
    mine, theirs = _slots(arena, role, before, left), _slots(arena, role, before, best)
    if mine is None or theirs is None or any(n < 0 for n in left):
        return "pieces may only be lost, a battleship by way of its first hit"
    if sum(mine.values()) != sum(theirs.values()):
        return f"{sum(theirs.values())} hits to assign, {sum(mine.values())} assigned"
    hits = fight.hits
    spare = {"any": hits.any, "no_air": hits.no_air, "no_sub": hits.no_sub}
    for aim, reach, n in hits.aimed:
        spare[reach] += 0 if aim == TRANSPORT else n
    if mine["air"] > spare["any"] + spare["no_sub"]:
        return "hits of submarines never fall on aircraft"
    if mine["submarine"] > spare["any"] + spare["no_air"]:
        return "hits of aircraft never fall on submarines here"
    if fight.fired_stage == "air_defence" and mine["air"] != sum(mine.values()):
        return "air defence hits aircraft only"
    for aim, wanted in _aim_minimum(arena, role, before, hits).items():
        lost = sum(before[i] - left[i] for i in range(len(left)) if _is_aimed(arena, role, i, aim))
        if lost < wanted:
            return f"{wanted} aimed hits must fall on {aim.partition(':')[2] or aim}, {lost} do"
    return None


def _is_aimed(arena: Arena, role: Role, i: int, aim: str) -> bool:
    what, _, unit = aim.partition(":")
    return is_target(arena.rows(role)[i], what) and unit in ("", arena.kinds(role)[i].unit)


def _aim_minimum(arena: Arena, role: Role, before: Counts, hits: Hits) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for aim, _, n in hits.aimed:
        if aim in ("sea", TRANSPORT):
            continue
        there = sum(count for i, count in enumerate(before) if _is_aimed(arena, role, i, aim))
        found[aim] = min(n, there)
    return found

"""Which pieces pay for hits: as many hits as possible are assigned, by one loss policy for play, odds and advice.

Source: rulebook, General Combat Sequence steps 1 to 4; Transports; Targeted Fire and Targeted Attack.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from companion.games.aana.combat import ATTACKER, Arena, Counts, Role

__all__ = [
    "SUPPLY",
    "SUPPLY_BUNDLE",
    "Cargo",
    "Hits",
    "LossPolicy",
    "after_hits",
    "cargo_after_hits",
    "cargo_value",
    "escape",
    "loss_order",
    "transports_hit",
]

SUPPLY: Final = "supply"
SUPPLY_BUNDLE: Final = 5


class Hits(msgspec.Struct, frozen=True, order=True):
    """Hits of one fire, by what they may fall on; aimed ones are named by their aim."""

    any: int = 0
    no_air: int = 0
    no_sub: int = 0
    aimed: tuple[tuple[str, str, int], ...] = ()
    """(aim, reach, hits); the aim is ``tanks``, ``air``, ``land`` or ``sea``."""

    @property
    def count(self) -> int:
        """All hits together."""
        return self.any + self.no_air + self.no_sub + sum(n for _, _, n in self.aimed)


class LossPolicy(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a side picks its losses and aims its fire. The default loses the least useful pieces first."""

    order: tuple[str, ...] = ()
    """Units named here are lost first, in this order; the rest follows by worth."""
    keep_land: bool = True
    """An attacker keeps one land unit that may move in for as long as something else can be lost."""
    aim: bool = True
    """Aimed hits are forced on their target while there is one."""
    aim_at: tuple[str, ...] = ()
    """Units that aimed bombers pick first; the rest follows by worth, dearest first."""


class Cargo(msgspec.Struct, frozen=True, order=True):
    """Reinforcements on transports: units (power, unit, count), and supply by power."""

    units: tuple[tuple[str, str, int], ...] = ()
    supply: tuple[tuple[str, int], ...] = ()

    @property
    def count(self) -> int:
        """Units plus bundles of up to five supply."""
        tokens = sum(n for _, n in self.supply)
        return sum(n for _, _, n in self.units) + -(-tokens // SUPPLY_BUNDLE)

    @property
    def tokens(self) -> int:
        """Supply tokens."""
        return sum(n for _, n in self.supply)


def loss_order(arena: Arena, role: Role, policy: LossPolicy) -> tuple[int, ...]:
    """Return the kinds of a side, first loss first.

    Worth is fighting value, then cost where it is known. A whole battleship comes first: its first hit removes
    nothing.
    """
    values = arena.attack_values if role == ATTACKER else arena.defence_values
    named = {unit: i for i, unit in enumerate(policy.order)}
    rows, kinds = arena.rows(role), arena.kinds(role)

    def worth(i: int) -> tuple[int, int, int, int, int]:
        spare = 0 if "two_hits" in rows[i].traits and not kinds[i].damaged else 1
        return (spare, named.get(kinds[i].unit, len(named)), values[i], rows[i].cost or 0, i)

    return tuple(sorted(range(len(kinds)), key=worth))


def _category(arena: Arena, role: Role, i: int) -> str:
    kind = arena.rows(role)[i].type
    return kind if kind in ("air", "submarine") else "surface"


def after_hits(
    arena: Arena,
    role: Role,
    counts: Counts,
    hits: Hits,
    *,
    policy: LossPolicy,
    firing: LossPolicy,
    fire_on: Counts | None = None,
) -> tuple[Counts, int]:
    """Pay for hits as the policies say.

    Args:
        role: The side that loses.
        policy: The loser's policy.
        firing: The firer's policy: whether and at what it aims.
        fire_on: What the hits may fall on, when some pieces in `counts` are out of reach; None = all.

    Returns:
        The counts after the losses (a whole battleship turns into a damaged one), and the hits that no piece
        could take, transports aside.
    """
    own = list(counts)
    out = [0] * len(own) if fire_on is None else [c - f for c, f in zip(counts, fire_on, strict=True)]
    order = loss_order(arena, role, policy)
    spare = {"any": hits.any, "no_air": hits.no_air, "no_sub": hits.no_sub}
    for aim, reach, n in hits.aimed:
        left = n
        if firing.aim:
            target = (aim, reach, n)
            left = _pay_aimed(arena, role, own, out, target=target, order=order, firing=firing)
        spare[reach] += left
    unpaid = _pay(arena, role, own, out, spare=spare, order=order, policy=policy)
    return tuple(own), unpaid


def _lose(arena: Arena, role: Role, own: list[int], i: int) -> None:
    own[i] -= 1
    kind = arena.kinds(role)[i]
    if "two_hits" in arena.rows(role)[i].traits and not kind.damaged:
        own[arena.kinds(role).index(msgspec.structs.replace(kind, damaged=True))] += 1


def _pay_aimed(
    arena: Arena,
    role: Role,
    own: list[int],
    out: Sequence[int],
    *,
    target: tuple[str, str, int],
    order: Sequence[int],
    firing: LossPolicy,
) -> int:
    """Force aimed hits on their targets; return the hits for which there was none."""
    aim, reach, n = target
    rows, kinds = arena.rows(role), arena.kinds(role)
    named = {unit: i for i, unit in enumerate(firing.aim_at)}
    while n:
        able = [i for i in order if own[i] > out[i]]
        if aim == "tanks":
            able = [i for i in able if rows[i].is_tank]
        elif aim == "air":
            able = [i for i in able if rows[i].type == "air"]
        elif aim == "land":
            able = [i for i in able if rows[i].type == "land"]
        else:
            able = [i for i in able if rows[i].is_sea and (reach == "any" or rows[i].type != "submarine")]
        if not able:
            return n
        if aim in ("land", "sea"):
            units = {kinds[i].unit for i in able}
            dear = min(units, key=lambda u: (named.get(u, len(named)), -_dearness(arena, role, u), u))
            able = [i for i in able if kinds[i].unit == dear]
        _lose(arena, role, own, able[0])
        n -= 1
    return 0


def _dearness(arena: Arena, role: Role, unit: str) -> int:
    values = arena.attack_values if role == ATTACKER else arena.defence_values
    return max(
        values[i] * 100 + (arena.rows(role)[i].cost or 0)
        for i, kind in enumerate(arena.kinds(role))
        if kind.unit == unit
    )


def _fits(taken: Mapping[str, int], spare: Mapping[str, int]) -> bool:
    """Say whether hits can be matched to chosen slots, one each (Hall's condition over three categories)."""
    every = spare["any"] + spare["no_air"] + spare["no_sub"]
    return (
        taken["air"] <= spare["any"] + spare["no_sub"]
        and taken["submarine"] <= spare["any"] + spare["no_air"]
        and sum(taken.values()) <= every
    )


def _pay(
    arena: Arena,
    role: Role,
    own: list[int],
    out: Sequence[int],
    *,
    spare: Mapping[str, int],
    order: Sequence[int],
    policy: LossPolicy,
) -> int:
    """Pay plain hits greedily; slots that can be paid together form a matroid, so greedy pays the most hits."""
    every = sum(spare.values())
    taken = {"air": 0, "submarine": 0, "surface": 0}
    rows = arena.rows(role)
    for _ in range(every):
        able = []
        for i in order:
            if own[i] <= out[i]:
                continue
            category = _category(arena, role, i)
            taken[category] += 1
            if _fits(taken, spare):
                able.append(i)
            taken[category] -= 1
        if not able:
            break
        pick = able[0]
        if role == ATTACKER and policy.keep_land and arena.rules.domain == "land":
            holders = [
                i
                for i, row in enumerate(rows)
                if own[i] and row.type == "land" and "hit_and_run" not in row.traits
            ]
            if sum(own[i] for i in holders) == 1:
                pick = next((i for i in able if i not in holders), pick)
        taken[_category(arena, role, pick)] += 1
        _lose(arena, role, own, pick)
    return every - sum(taken.values())


def cargo_value(costs: Mapping[tuple[str, str], int], power: str, unit: str) -> int:
    """Return what a reinforcement is worth; unknown costs count as the dearest unit of the convoy."""
    known = costs.get((power, unit))
    return known if known is not None else max((*costs.values(), SUPPLY_BUNDLE))


def _options(cargo: Cargo, costs: Mapping[tuple[str, str], int]) -> list[tuple[int, str, str]]:
    """List (worth, power, unit) of everything one bay may be, supply as one bundle."""
    options = [(cargo_value(costs, power, unit), power, unit) for power, unit, n in cargo.units if n]
    if cargo.tokens:
        options.append((min(SUPPLY_BUNDLE, cargo.tokens), "", SUPPLY))
    return sorted(options)


def _without(cargo: Cargo, power: str, unit: str) -> Cargo:
    if unit == SUPPLY:
        left = min(SUPPLY_BUNDLE, cargo.tokens)
        kept: list[tuple[str, int]] = []
        for owner, n in cargo.supply:
            gone = min(left, n)
            left -= gone
            if n > gone:
                kept.append((owner, n - gone))
        return Cargo(cargo.units, tuple(kept))
    units = tuple(
        (p, u, n - (p == power and u == unit)) for p, u, n in cargo.units if n - (p == power and u == unit)
    )
    return Cargo(units, cargo.supply)


def cargo_after_hits(cargo: Cargo, hits: int, costs: Mapping[tuple[str, str], int]) -> Cargo:
    """Destroy one transport a hit: the owner gives the cheapest bay, then the firer names the dearest type."""
    for _ in range(hits):
        options = _options(cargo, costs)
        if not options:
            break
        _, power, unit = options[0]
        cargo = _without(cargo, power, unit)
        options = _options(cargo, costs)
        if not options:
            break
        dear = options[-1][2]
        _, power, unit = next(option for option in options if option[2] == dear)
        cargo = _without(cargo, power, unit)
    return cargo


def escape(
    cargo: Cargo, costs: Mapping[tuple[str, str], int], away: Cargo | None = None, bays: int = 2
) -> tuple[Cargo, Cargo]:
    """Let one transport escape with the two dearest bays; return what stays behind and all that is away."""
    gone = away or Cargo()
    for _ in range(bays):
        options = _options(cargo, costs)
        if not options:
            break
        _, power, unit = options[-1]
        left = _without(cargo, power, unit)
        gone = _joined(gone, _difference(cargo, left))
        cargo = left
    return cargo, gone


def transports_hit(before: Cargo, after: Cargo, away: Cargo | None = None) -> Cargo:
    """Return what left a convoy between two states, added to what was away before."""
    return _joined(away or Cargo(), _difference(before, after))


def _difference(before: Cargo, after: Cargo) -> Cargo:
    units = {(p, u): n for p, u, n in after.units}
    supply = dict(after.supply)
    return Cargo(
        tuple((p, u, n - units.get((p, u), 0)) for p, u, n in before.units if n > units.get((p, u), 0)),
        tuple((p, n - supply.get(p, 0)) for p, n in before.supply if n > supply.get(p, 0)),
    )


def _joined(one: Cargo, other: Cargo) -> Cargo:
    units: dict[tuple[str, str], int] = {}
    supply: dict[str, int] = {}
    for cargo in (one, other):
        for power, unit, n in cargo.units:
            units[power, unit] = units.get((power, unit), 0) + n
        for power, n in cargo.supply:
            supply[power] = supply.get(power, 0) + n
    return Cargo(
        tuple(sorted((power, unit, n) for (power, unit), n in units.items())), tuple(sorted(supply.items()))
    )

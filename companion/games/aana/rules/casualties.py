"""Which pieces pay for hits: as many hits as possible are assigned, by one loss policy for play, odds and advice.

Source: rulebook, General Combat Sequence steps 1 to 4; Transports; Targeted Fire and Targeted Attack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from companion.core.ids import Nation, SiteId
from companion.games.aana.rules.combat import ATTACKER, Arena, Counts, Role
from companion.games.aana.rules.figures import NO_POWER, Row

__all__ = [
    "BAYS",
    "SUPPLY",
    "SUPPLY_BUNDLE",
    "TRANSPORT",
    "Cargo",
    "Hits",
    "LossPolicy",
    "Paid",
    "Payer",
    "after_hits",
    "cargo_after_hits",
    "cargo_value",
    "escape",
    "in_bundles",
    "is_target",
    "loss_order",
    "transports_hit",
]

SUPPLY: Final = "supply"
SUPPLY_BUNDLE: Final = 5
BAYS: Final = 2
"""Cargo bays of a transport: each holds one unit, or up to five supply."""
TRANSPORT: Final = "transport"
"""What a targeted attack at sea names to hit reinforcements past their escort."""


class Hits(msgspec.Struct, frozen=True, order=True):
    """Hits of one fire, by what they may fall on; aimed ones are named by their aim."""

    any: int = 0
    no_air: int = 0
    no_sub: int = 0
    aimed: tuple[tuple[str, str, int], ...] = ()
    """(aim, reach, hits); the aim is ``tanks``, ``air``, ``land``, ``land:UNIT``, ``sea``, ``sea:UNIT`` or `TRANSPORT`."""

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
    unpaid_from: tuple[SiteId, ...] = ()
    """Territories whose supply is spent: what attacks from there is not the unit to keep."""
    aim: bool = True
    """Aimed hits are forced on their target while there is one."""
    aim_at: tuple[str, ...] = ()
    """Units that aimed bombers pick first; the rest follows by worth, dearest first. Transports only if named here."""


class Cargo(msgspec.Struct, frozen=True, order=True):
    """Reinforcements on transports: units (power, unit, count), and supply by power."""

    units: tuple[tuple[Nation, str, int], ...] = ()
    supply: tuple[tuple[Nation, int], ...] = ()

    @property
    def count(self) -> int:
        """Units plus bundles of up to five supply."""
        tokens = sum(n for _, n in self.supply)
        return sum(n for _, _, n in self.units) + -(-tokens // SUPPLY_BUNDLE)

    @property
    def transports(self) -> int:
        """Transports that carry it, two bays each."""
        return -(-self.count // BAYS)

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


class Paid(NamedTuple):
    """What hits leave of a side."""

    left: Counts
    unpaid: int
    """Hits that no piece could take."""
    sunk: int = 0
    """Hits that were aimed at transports, one transport each."""


class Payer:
    """Pays for hits on one side of a combat, as the policies of both sides say."""

    def __init__(self, arena: Arena, role: Role, *, policy: LossPolicy, firing: LossPolicy) -> None:
        """Work out the order of losses once.

        Args:
            role: The side that loses.
            policy: The loser's policy.
            firing: The firer's policy: whether and at what it aims.
        """
        self._rows = rows = arena.rows(role)
        self._kinds = kinds = arena.kinds(role)
        self._order = loss_order(arena, role, policy)
        self._firing = firing
        self._category = tuple(row.hit_class for row in rows)
        self._orders = {
            spared: tuple([i for i in self._order if not spared or self._category[i] != spared])
            for spared in ("", "air", "submarine")
        }
        self._twin = tuple(
            kinds.index(msgspec.structs.replace(kind, damaged=True))
            if "two_hits" in row.traits and not kind.damaged
            else -1
            for kind, row in zip(kinds, rows, strict=True)
        )
        self._holders: tuple[int, ...] = ()
        if role == ATTACKER and policy.keep_land and arena.rules.domain == "land":
            spent = policy.unpaid_from
            self._holders = tuple(
                i for i, row in enumerate(rows) if row.holds_ground and kinds[i].origin not in spent
            )
        named = {unit: i for i, unit in enumerate(firing.aim_at)}
        values = arena.attack_values if role == ATTACKER else arena.defence_values
        dearness: dict[str, int] = {}
        for i, kind in enumerate(kinds):
            worth = values[i] * 100 + (rows[i].cost or 0)
            dearness[kind.unit] = max(worth, dearness.get(kind.unit, 0))
        self._wanted = {unit: (named.get(unit, len(named)), -worth, unit) for unit, worth in dearness.items()}
        self._at_transports = (named[TRANSPORT], 0, TRANSPORT) if TRANSPORT in named else None

    @property
    def aims_at_transports(self) -> bool:
        """Say whether the firer's policy aims at transports."""
        return self._firing.aim and self._at_transports is not None

    def pay(self, counts: Counts, hits: Hits, fire_on: Counts | None = None, transports: int = 0) -> Paid:
        """Return what the hits leave; a whole battleship that is hit turns into a damaged one.

        Args:
            fire_on: What the hits may fall on, when some pieces in `counts` are out of reach; None = all.
            transports: Transports that hits may be aimed at; an aimed hit beyond them falls as one that is not aimed.
        """
        own = list(counts)
        out = [0] * len(own) if fire_on is None else [c - f for c, f in zip(counts, fire_on, strict=True)]
        spare = {"any": hits.any, "no_air": hits.no_air, "no_sub": hits.no_sub}
        sunk = 0
        for _, reach, n, found in self._aims(own, out, hits, transports):
            sunk += found.get(TRANSPORT, 0)
            spare[reach] += n - sum(found.values())
        unpaid = self._plain(own, out, spare)
        return Paid(tuple(own), unpaid, sunk)

    def pay_one(self, counts: Counts, spared: str = "") -> Counts | None:
        """Return what one hit leaves that is not aimed and spares a hit class, as `pay` does; None where nobody can pay."""
        order = self._orders[spared]
        for pick in order:
            if counts[pick]:
                break
        else:
            return None
        if self._is_last_to_hold(counts, pick):
            pick = self._pick(counts, [i for i in order if counts[i]])
        own = list(counts)
        self._lose(own, pick)
        return tuple(own)

    def force_one(self, counts: Counts, aim: str, reach: str, transports: int = 0) -> Paid | None:
        """Return what one aimed hit leaves, as `pay` does; None where it has no target."""
        if not self._firing.aim and aim != TRANSPORT:
            return None
        own = list(counts)
        found = self._aimed(own, (0,) * len(own), aim, reach, n=1, transports=transports)
        return Paid(tuple(own), 0, found.get(TRANSPORT, 0)) if any(found.values()) else None

    def named(self, counts: Counts, hits: Hits, transports: int = 0) -> tuple[tuple[str, str, int], ...]:
        """Return the aimed hits that have a target, those at land or sea units by the type that they fall on."""
        out = [0] * len(counts)
        found: dict[tuple[str, str], int] = {}
        for aim, reach, _, taken in self._aims(list(counts), out, hits, transports):
            what = aim.partition(":")[0]
            for unit, n in taken.items():
                name = unit if unit == TRANSPORT else f"{what}:{unit}" if what in ("land", "sea") else what
                found[name, reach] = found.get((name, reach), 0) + n
        return tuple((name, reach, n) for (name, reach), n in found.items())

    def _aims(
        self, own: list[int], out: Sequence[int], hits: Hits, transports: int
    ) -> Iterator[tuple[str, str, int, dict[str, int]]]:
        """Force aimed hits on their targets, a named type first; yield each aim with the hits by unit that it made."""
        for aim, reach, n in sorted(hits.aimed, key=lambda aimed: ":" not in aimed[0]):
            found = {}
            if self._firing.aim or aim == TRANSPORT:
                found = self._aimed(own, out, aim, reach, n=n, transports=transports)
            transports -= found.get(TRANSPORT, 0)
            yield aim, reach, n, found

    def _lose(self, own: list[int], i: int) -> None:
        own[i] -= 1
        if self._twin[i] >= 0:
            own[self._twin[i]] += 1

    def _aimed(
        self, own: list[int], out: Sequence[int], aim: str, reach: str, *, n: int, transports: int
    ) -> dict[str, int]:
        """Force aimed hits on their targets; return how many fell on each unit, transports among them."""
        what, _, unit = aim.partition(":")
        if what == TRANSPORT:
            return {TRANSPORT: min(n, transports)}
        found: dict[str, int] = {}
        for _hit in range(n):
            able = [i for i in self._order if own[i] > out[i] and self._is_target(i, what, reach)]
            if unit:
                able = [i for i in able if self._kinds[i].unit == unit]
            wanted = self._at_transports if what == "sea" and not unit and transports else None
            if able and what in ("land", "sea"):
                dear = min((self._kinds[i].unit for i in able), key=lambda name: self._wanted[name])
                able = [i for i in able if self._kinds[i].unit == dear]
                wanted = None if wanted is None or self._wanted[dear] < wanted else wanted
            if wanted is not None:
                transports -= 1
            elif able:
                self._lose(own, able[0])
            else:
                break
            name = TRANSPORT if wanted is not None else self._kinds[able[0]].unit
            found[name] = found.get(name, 0) + 1
        return found

    def _is_target(self, i: int, what: str, reach: str) -> bool:
        return is_target(self._rows[i], what) and (reach == "any" or self._category[i] != "submarine")

    def _plain(self, own: list[int], out: Sequence[int], spare: Mapping[str, int]) -> int:
        """Pay plain hits greedily; slots that can be paid together form a matroid, so greedy pays the most hits."""
        every = spare["any"] + spare["no_air"] + spare["no_sub"]
        most = {"air": spare["any"] + spare["no_sub"], "submarine": spare["any"] + spare["no_air"]}
        most["surface"] = every
        taken = {"air": 0, "submarine": 0, "surface": 0}
        for paid in range(every):
            able = [
                i
                for i in self._order
                if own[i] > out[i] and taken[self._category[i]] < most[self._category[i]]
            ]
            pick = self._pick(own, able)
            if pick < 0:
                return every - paid
            taken[self._category[pick]] += 1
            self._lose(own, pick)
        return 0

    def _pick(self, own: Sequence[int], able: Sequence[int]) -> int:
        """Return the first of the kinds that can pay, the last unit that may move in only where nobody else can; -1: none."""
        if not able:
            return -1
        pick = able[0]
        if self._is_last_to_hold(own, pick):
            return next((i for i in able if i not in self._holders), pick)
        return pick

    def _is_last_to_hold(self, own: Sequence[int], kind: int) -> bool:
        return kind in self._holders and sum([own[i] for i in self._holders]) == 1


def is_target(row: Row, aim: str) -> bool:
    """Say whether aimed fire may be forced on a piece; the aim is ``tanks``, ``air``, ``land`` or ``sea``."""
    if aim == "tanks":
        return row.is_tank
    if aim == "air":
        return row.type == "air"
    return row.type == "land" if aim == "land" else row.is_sea


def after_hits(
    arena: Arena,
    role: Role,
    counts: Counts,
    hits: Hits,
    *,
    policy: LossPolicy,
    firing: LossPolicy,
    fire_on: Counts | None = None,
    transports: int = 0,
) -> Paid:
    """Pay for hits once, as `Payer.pay` does."""
    return Payer(arena, role, policy=policy, firing=firing).pay(counts, hits, fire_on, transports)


def cargo_value(costs: Mapping[tuple[Nation, str], int], power: Nation, unit: str) -> int:
    """Return what a reinforcement is worth; unknown costs count as the dearest unit of the convoy."""
    known = costs.get((power, unit))
    return known if known is not None else max((*costs.values(), SUPPLY_BUNDLE))


def _options(cargo: Cargo, costs: Mapping[tuple[Nation, str], int]) -> list[tuple[int, Nation, str]]:
    """List (worth, power, unit) of everything one bay may be, supply as one bundle."""
    options = [(cargo_value(costs, power, unit), power, unit) for power, unit, n in cargo.units if n]
    if cargo.tokens:
        options.append((min(SUPPLY_BUNDLE, cargo.tokens), NO_POWER, SUPPLY))
    return sorted(options)


def _without(cargo: Cargo, power: Nation, unit: str) -> Cargo:
    if unit == SUPPLY:
        left = min(SUPPLY_BUNDLE, cargo.tokens)
        kept: list[tuple[Nation, int]] = []
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


def in_bundles(before: Cargo, after: Cargo) -> bool:
    """Say whether supply left a convoy in bundles of five, fewer only where that was all there was."""
    return (before.tokens - after.tokens) % SUPPLY_BUNDLE == 0 or not after.tokens


def cargo_after_hits(cargo: Cargo, hits: int, costs: Mapping[tuple[Nation, str], int]) -> Cargo:
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
    cargo: Cargo, costs: Mapping[tuple[Nation, str], int], away: Cargo | None = None, bays: int = BAYS
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
    units: dict[tuple[Nation, str], int] = {}
    supply: dict[Nation, int] = {}
    for cargo in (one, other):
        for power, unit, n in cargo.units:
            units[power, unit] = units.get((power, unit), 0) + n
        for power, n in cargo.supply:
            supply[power] = supply.get(power, 0) + n
    return Cargo(
        tuple(sorted((power, unit, n) for (power, unit), n in units.items())), tuple(sorted(supply.items()))
    )

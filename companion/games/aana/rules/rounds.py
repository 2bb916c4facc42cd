"""What happens between the dice of a combat: orders, supply, retreats, pressing, ceasing and the end.

The same functions serve play (as proposals and checks), odds and advice. Plans say what a side would do; the
table decides. Source: rulebook, Declaration of Attacks, General Combat Sequence, Special Rules for the Scenarios.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

import msgspec

from companion.core.ids import SiteId
from companion.games.aana.rules.casualties import Cargo, LossPolicy
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Arena, Counts, can_act, total

__all__ = [
    "ENDINGS",
    "UNLIMITED",
    "UNITS_PER_SUPPLY",
    "AttackPlan",
    "DefencePlan",
    "Field",
    "Orders",
    "Pools",
    "Sparing",
    "aaa_alone",
    "aaa_fate",
    "bound",
    "aaa_stands",
    "ending",
    "has_surrendered",
    "moves_in",
    "needs_supply",
    "orders",
    "press",
    "press_cost",
    "presses_on",
    "raids",
    "sparing",
    "supply_cost",
    "wants_to_cease",
    "without_scouts",
]

UNITS_PER_SUPPLY: Final = 5
UNLIMITED: Final = -1
"""A pool of supply that nobody counts."""

ENDINGS: Final = ("attacker", "defender", "both", "ceased", "stalemate")
"""Nobody left to defend; nobody left to attack; neither; broken off by the attacker; nobody can hit or leave."""

Sparing = Literal["helps", "ceases", "in_vain"]
"""The territory is taken, or the attack goes on with somebody who may move in; it ceases; else there is no use in it."""


class Pools(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which supply pays for which attacking territory; one pool for all where `by_origin` is empty."""

    by_origin: tuple[tuple[SiteId, int], ...] = ()

    def of(self, origin: SiteId) -> int:
        """Return the number of the pool that pays for a territory."""
        return dict(self.by_origin).get(origin, 0)


class AttackPlan(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the attacker would do. The default presses for as long as it can."""

    losses: LossPolicy = LossPolicy()
    rounds: int | None = None
    """Most rounds fought."""
    cease_at_most: int | None = None
    """Cease when so few attacking units are left, or fewer."""
    press_at_most: int | None = None
    """Press only while the defender has at most so many units."""
    submerge: bool = False
    """Submarines submerge where they could strike."""
    air_alone: bool = False
    """Aircraft go on when no land unit can be paid for."""
    keep: Literal["useful", "always", "never"] = "always"
    """When the cheapest losses spare the last unit that may move in (ruling aana.last_ground); ``useful``: where the
    territory is taken in the round, or the attack goes on with somebody who may move in, such a unit then."""

    @property
    def first_losses(self) -> LossPolicy:
        """How losses are chosen before it is known what a round comes to."""
        return self.unspared if self.keep == "never" else self.losses

    @property
    def unspared(self) -> LossPolicy:
        """How losses are chosen where nobody is spared for moving in."""
        return msgspec.structs.replace(self.losses, keep_land=False)

    def payable(self, arena: Arena, pools: Pools, supply: tuple[int, ...]) -> LossPolicy:
        """Return how losses are chosen where a unit is spared that can be paid for in the next round."""
        spent = {kind.origin for kind in arena.attackers if kind.origin and not supply[pools.of(kind.origin)]}
        return msgspec.structs.replace(self.losses, unpaid_from=tuple(sorted(spent)))

    def may_give_up(self, arena: Arena, pools: Pools) -> bool:
        """Whether losses hang on what a round comes to: on land, where some of the attackers may move in and some not,
        or where not all are paid for by the same supply.
        """
        if self.keep != "useful" or not self.losses.keep_land or arena.rules.must_press:
            return False
        mixed = len({row.holds_ground for row in arena.attacker_rows}) > 1
        return arena.rules.domain == "land" and (mixed or len(pools.by_origin) > 1)

    def may_end(self, round_no: int) -> bool:
        """Whether the attack may be broken off after a round for other reasons than supply."""
        last = self.rounds is not None and round_no >= self.rounds
        return last or self.cease_at_most is not None or self.press_at_most is not None


class DefencePlan(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the defender would do. The default fights for as long as it can pay."""

    losses: LossPolicy = LossPolicy()
    retreat_round: int | None = None
    """Retreat from this round on."""
    retreat_at_most: int | None = None
    """Retreat when so few defending units are left, or fewer."""
    exempt_fight: bool = False
    """Units that need no supply fight on when the others retreat."""
    submerge: bool = False


class Field(NamedTuple):
    """A combat at the start of a round. Counts are by the arena's kinds."""

    attackers: Counts
    defenders: Counts
    attackers_out: Counts
    """Retreated or submerged: alive, no longer in the combat."""
    defenders_out: Counts
    cargo: Cargo
    cargo_out: Cargo
    """Escaped: back with the convoy when the combat is over."""
    attack_supply: tuple[int, ...]
    """Tokens by pool; `UNLIMITED` where nobody counts them."""
    defence_supply: int
    round_no: int


class Orders(NamedTuple):
    """What the defender chose in step 1."""

    fighting: Counts
    retreating: Counts
    supply_left: int
    paid: int


def needs_supply(arena: Arena, defenders: Counts) -> bool:
    """Say whether the defence costs a token this round; of a sea space it never does."""
    return any(n and not free for n, free in zip(defenders, arena.exempt, strict=True))


def supply_cost(units: int) -> int:
    """Return the tokens for so many attacking units of one territory: one for every five or fraction."""
    return -(-units // UNITS_PER_SUPPLY)


def _payers(arena: Arena, attackers: Counts) -> dict[SiteId, int]:
    """Count the attacking land units by territory, scout cars left out."""
    found: dict[SiteId, int] = {}
    for kind, row, n in zip(arena.attackers, arena.attacker_rows, attackers, strict=True):
        if n and row.holds_ground:
            found[kind.origin] = found.get(kind.origin, 0) + n
    return found


def press_cost(arena: Arena, attackers: Counts) -> dict[SiteId, int]:
    """Return the tokens by territory to attack, or to press, with these pieces."""
    if arena.rules.domain == "sea":
        return {}
    return {origin: supply_cost(n) for origin, n in _payers(arena, attackers).items()}


def aaa_alone(arena: Arena, defenders: Counts) -> bool:
    """Say whether anti-aircraft artillery stands there with no other combat unit: it dies once it has fired."""
    guns = arena.having(DEFENDER, "cannot_attack")
    if not guns or arena.rules.domain != "land":
        return False
    return any(defenders) and sum(defenders) == sum([defenders[i] for i in guns])


def aaa_fate(arena: Arena, defenders: Counts) -> str:
    """Return how a round ends that leaves artillery alone before attackers: ``attacker``, ``stalemate``, or empty.

    Without a way out it dies, under ruling aana.aaa_last; with one the attack has to be pressed first.
    Source: rulebook, Phase 4: Conduct Combat; Press or Cease the Attack.
    """
    rule = arena.rules.aaa_last
    if not rule or not aaa_alone(arena, defenders):
        return ""
    if rule == "ends":
        return "stalemate"
    return "attacker" if rule == "at_once" or not arena.rules.can_retreat else ""


def aaa_stands(arena: Arena, defenders: Counts, round_no: int) -> bool:
    """Say whether artillery left alone dies in a round in which it stays: under the ruling, when it was pressed."""
    return arena.rules.aaa_last == "refuge" and round_no > 1 and aaa_alone(arena, defenders)


def raids(arena: Arena, attackers: Counts) -> int:
    """Return the tokens that may be destroyed before the first dice: one by scout cars, one by bombers."""
    if arena.rules.domain == "sea":
        return 0
    return sum(any(attackers[i] for i in arena.having(ATTACKER, trait)) for trait in ("raider", "collateral"))


def bound(arena: Arena, defenders: Counts) -> bool:
    """Say whether units that need no supply have to do as the Vichy French among them, who never retreat.

    Ruling aana.vichy_beside. Source: rulebook, Step 1 (Exception); Vichy French Units.
    """
    if not arena.rules.vichy_binds:
        return False
    return any(n and kind.power == "vichy" for kind, n in zip(arena.defenders, defenders, strict=True))


def orders(arena: Arena, plan: DefencePlan, field: Field) -> Orders:
    """Return what a defender on this plan orders in step 1 of a land combat; at sea everybody fights."""
    defenders = field.defenders
    nobody = (0,) * len(defenders)
    if arena.rules.domain == "sea":
        return Orders(defenders, nobody, field.defence_supply, 0)
    wants = not (
        (plan.retreat_round is not None and field.round_no >= plan.retreat_round)
        or (plan.retreat_at_most is not None and total(defenders) <= plan.retreat_at_most)
    )
    costs = needs_supply(arena, defenders)
    if wants and (not costs or field.defence_supply != 0):
        paid = 1 if costs else 0
        left = field.defence_supply - paid if field.defence_supply != UNLIMITED else UNLIMITED
        return Orders(defenders, nobody, left, paid)
    stays = tuple(kind.power == "vichy" for kind in arena.defenders)
    if (costs and plan.exempt_fight) or bound(arena, defenders):
        stays = tuple(stay or is_free for stay, is_free in zip(stays, arena.exempt, strict=True))
    fighting = tuple(n if stay else 0 for n, stay in zip(defenders, stays, strict=True))
    retreating = tuple(n - f for n, f in zip(defenders, fighting, strict=True))
    return Orders(fighting, retreating, field.defence_supply, 0)


def has_surrendered(arena: Arena, defenders: Counts, defenders_hit: bool) -> bool:
    """Say whether lone Vichy survivors give up after a round in which the defenders scored no hit."""
    alive = [kind for kind, n in zip(arena.defenders, defenders, strict=True) if n]
    return bool(alive) and not defenders_hit and all(kind.power == "vichy" for kind in alive)


def ending(arena: Arena, field: Field, *, acts: Callable[..., bool] = can_act) -> str | None:
    """Return how a combat has ended after step 4, or None when it may be pressed.

    `acts` answers as `can_act` does; whoever asks about many fields may keep its answers.
    """
    cargo = field.cargo.count
    attackers, defenders = total(field.attackers), total(field.defenders)
    if not defenders and not cargo:
        return "attacker" if attackers else "both"
    if not attackers:
        return "defender"
    if not acts(arena, ATTACKER, field.attackers, field.defenders, cargo):
        return "stalemate"
    if not acts(arena, DEFENDER, field.defenders, field.attackers, cargo):
        return "stalemate"
    return None


def press(arena: Arena, plan: AttackPlan, pools: Pools, field: Field) -> Field | None:
    """Return the next round's field for an attacker on this plan, or None when it ceases.

    Scout cars leave after round 1. Where supply falls short the least useful land units retreat, territory by
    territory, until the rest can be paid for.
    """
    must = arena.rules.must_press
    attackers, out = map(list, without_scouts(arena, field.attackers, field.attackers_out))
    if not any(attackers):
        return None
    if not must and wants_to_cease(plan, field.round_no, sum(attackers), total(field.defenders)):
        return None
    supply = list(field.attack_supply)
    if arena.rules.domain == "land" and supply.count(UNLIMITED) < len(supply):
        payers = _payers(arena, tuple(attackers))
        for origin, units in sorted(payers.items()):
            pool = pools.of(origin)
            cost = supply_cost(units)
            if supply[pool] == UNLIMITED:
                continue
            if supply[pool] < cost and not must:
                _leave_behind(arena, attackers, out, origin, supply[pool] * UNITS_PER_SUPPLY)
                cost = supply[pool]
            supply[pool] = max(0, supply[pool] - cost)
        if payers and not plan.air_alone and not _payers(arena, tuple(attackers)):
            return None
        if not any(attackers):
            return None
    return Field(
        tuple(attackers),
        field.defenders,
        tuple(out),
        field.defenders_out,
        field.cargo,
        field.cargo_out,
        tuple(supply),
        field.defence_supply,
        field.round_no + 1,
    )


def presses_on(arena: Arena, plan: AttackPlan, supply: tuple[int, ...], round_no: int) -> bool:
    """Say whether attackers press as they are, for as long as any are left: nobody leaves or waits, or has to be paid for."""
    if arena.rules.domain == "land" and (
        supply.count(UNLIMITED) < len(supply) or arena.having(ATTACKER, "hit_and_run")
    ):
        return False
    return arena.rules.must_press or not plan.may_end(round_no)


def moves_in(arena: Arena, attackers: Counts) -> bool:
    """Say whether somebody is among attackers who may move in."""
    return any(map(attackers.__getitem__, arena.holding_ground))


def sparing(arena: Arena, plan: AttackPlan, pools: Pools, field: Field) -> Sparing:
    """Return what sparing a unit for moving in comes to after step 4 (ruling aana.last_ground)."""
    ended = aaa_fate(arena, field.defenders) or ending(arena, field)
    if ended:
        return "helps" if ended in ("attacker", "both") else "in_vain"
    following = press(arena, plan, pools, field)
    if following is None:
        return "ceases"
    return "helps" if moves_in(arena, following.attackers) else "in_vain"


def without_scouts(arena: Arena, attackers: Counts, out: Counts) -> tuple[Counts, Counts]:
    """Return attackers, and those out of the combat, once hit-and-run units have left a land combat."""
    gone = arena.having(ATTACKER, "hit_and_run") if arena.rules.domain == "land" else ()
    if not gone:
        return attackers, out
    return (
        tuple(0 if i in gone else n for i, n in enumerate(attackers)),
        tuple(o + attackers[i] if i in gone else o for i, o in enumerate(out)),
    )


def wants_to_cease(plan: AttackPlan, round_no: int, attackers: int, defenders: int) -> bool:
    """Say whether an attacker on this plan breaks off after a round."""
    if plan.rounds is not None and round_no >= plan.rounds:
        return True
    if plan.cease_at_most is not None and attackers <= plan.cease_at_most:
        return True
    return plan.press_at_most is not None and defenders > plan.press_at_most


def _leave_behind(arena: Arena, attackers: list[int], out: list[int], origin: SiteId, keep: int) -> None:
    """Turn the least useful land units of a territory aside until `keep` are left."""
    own = [
        i
        for i, (kind, row) in enumerate(zip(arena.attackers, arena.attacker_rows, strict=True))
        if kind.origin == origin and row.type == "land"
    ]
    surplus = sum(attackers[i] for i in own) - keep
    for i in sorted(own, key=lambda i: (arena.attack_values[i], arena.attacker_rows[i].cost or 0, i)):
        gone = min(max(0, surplus), attackers[i])
        attackers[i] -= gone
        out[i] += gone
        surplus -= gone

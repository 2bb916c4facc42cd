"""A North Africa combat that advice is asked for, and what its odds are worth for a goal."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from companion.core.ids import Nation
from companion.games.aana.odds.answer import Odds
from companion.games.aana.odds.play import Work, exact_odds, start_work
from companion.games.aana.odds.sides import Plans
from companion.games.aana.odds.tables import Floats
from companion.games.aana.rules.casualties import Cargo
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Arena, Counts, Role
from companion.games.aana.rules.rounds import UNLIMITED, AttackPlan, DefencePlan, Pools
from companion.odds.arrays import np

__all__ = ["Combat", "UnknownCostError", "goal_value", "prices_of"]


class UnknownCostError(ValueError):
    """A goal by cost needs figures that nobody has entered; `units` names them."""

    def __init__(self, units: tuple[str, ...]) -> None:
        """Keep the units."""
        super().__init__(", ".join(units))
        self.units = units


class Combat(msgspec.Struct, frozen=True):
    """A combat before a round, and what both sides would do; as for `exact_odds`."""

    arena: Arena
    attackers: Counts
    defenders: Counts
    attack: AttackPlan = AttackPlan()
    defence: DefencePlan = DefencePlan()
    cargo: Cargo = Cargo()
    costs: Mapping[tuple[Nation, str], int] = {}
    attack_supply: tuple[int, ...] = (UNLIMITED,)
    defence_supply: int = UNLIMITED
    pools: Pools = Pools()
    from_round: int = 1
    """The round that is fought first; after round 1 the air defence is over."""
    is_opened: bool = False
    """The air defence of round 1 is over too."""

    def work(self, beside: Work | None = None) -> Work:
        """Return its rounds, to be fought one by one, with what another combat of the same pieces knows."""
        plans = Plans(self.attack, self.defence, self.pools)
        if beside is not None:
            return beside.under(plans)
        return start_work(self.arena, plans, self.costs, self.cargo)

    def odds(self, work: Work | None = None, *, tells_ends: bool = True) -> Odds:
        """Return its odds; `work` and `tells_ends` as for `exact_odds`."""
        return exact_odds(
            self.arena,
            self.attackers,
            self.defenders,
            attack=self.attack,
            defence=self.defence,
            cargo=self.cargo,
            costs=self.costs,
            attack_supply=self.attack_supply,
            defence_supply=self.defence_supply,
            pools=self.pools,
            from_round=self.from_round,
            opened=self.is_opened,
            work=work,
            tells_ends=tells_ends,
        )

    def start(self, role: Role) -> Counts:
        """Return the pieces of a role."""
        return self.attackers if role == ATTACKER else self.defenders


def prices_of(combat: Combat, role: Role, goal: str) -> Floats:
    """Return what a piece of each kind costs, in reinforcement points; zeros where the goal is a chance.

    Raises:
        UnknownCostError: The goal needs a cost that nobody has entered.
    """
    rows = combat.arena.rows(role)
    if goal not in ("keep", "exchange"):
        return np.zeros(len(rows))
    unknown = [row.unit for row, n in zip(rows, combat.start(role), strict=True) if n and row.cost is None]
    if unknown:
        raise UnknownCostError(tuple(dict.fromkeys(unknown)))
    return np.array([float(row.cost or 0) for row in rows])


def goal_value(combat: Combat, odds: Odds, role: Role, goal: str) -> float:
    """Return what odds are worth for a side's goal: a chance, 0 to 1, or a cost on average, in reinforcement points.

    Under ``exchange`` a cost may be below 0. A convoy's cargo does not count.

    Raises:
        UnknownCostError: The goal needs a cost that nobody has entered.
    """
    foe: Role = DEFENDER if role == ATTACKER else ATTACKER
    if goal == "space":
        return odds.p_capture if role == ATTACKER else 1 - odds.p_capture
    if goal == "clear":
        return odds.results[role] + odds.results["both"]
    lost = {
        each: float(
            prices_of(combat, each, goal) @ (np.array(combat.start(each)) - np.array(odds.survivors[each]))
        )
        for each in (role, foe)
    }
    if goal == "exchange":
        return lost[foe] - lost[role]
    return float(prices_of(combat, role, goal) @ np.array(combat.start(role))) - lost[role]

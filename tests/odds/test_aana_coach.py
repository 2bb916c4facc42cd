"""The coach of North Africa: the best times to press and cease are at least as good as every fixed stop rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from companion.games.aana.odds.coach import _orders, advise
from companion.games.aana.odds.coach_report import combat_of
from companion.games.aana.odds.file import AanaBattle, read_aana
from companion.games.aana.odds.force import smallest_force
from companion.games.aana.odds.goals import Combat, UnknownCostError, goal_value
from companion.games.aana.odds.play_report import _Play
from companion.games.aana.odds.sides import Attacking, Defending
from companion.games.aana.odds.stopping import Stopping
from companion.games.aana.rules.casualties import LossPolicy, loss_order
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Role
from companion.games.aana.rules.fight import Fight
from tests.bench.bench_aana import made_up

GOALS = ("space", "clear", "keep", "exchange")
PLANS: tuple[dict[str, int], ...] = (
    {},
    *({"rounds": n} for n in (1, 2, 3)),
    *({"cease_at_most": n} for n in (1, 2, 4)),
    *({"press_at_most": n} for n in (1, 3, 5)),
)
SMALL: dict[str, Any] = {
    "game": "aana",
    "values": "unofficial",
    "attacking": [
        {"nation": "germany", "unit": "infantry", "count": 3, "origin": "west"},
        {"nation": "germany", "unit": "tank", "count": 2, "origin": "west"},
    ],
    "defending": [
        {"nation": "uk", "unit": "infantry", "count": 2},
        {"nation": "uk", "unit": "artillery", "count": 1},
    ],
    "supply": {"attacking": 3, "defending": 4},
}


def planned(combat: Combat, **plan: int) -> Combat:
    """Return the same combat with a stop rule, its losses chosen alike in every round."""
    return replace(combat, attack=replace(combat.attack, keep="always", **plan))


def compare(seed: int) -> None:
    """Compare the best times to cease with fixed stop rules in a battle made up by chance."""
    combat, goal = planned(combat_of(read_aana(made_up(seed), "made up"))), GOALS[seed % 4]
    best = Stopping(combat, goal).value
    for plan in PLANS:
        one = planned(combat, **plan)
        assert goal_value(one, one.odds(), ATTACKER, goal) <= best + 1e-9, f"seed {seed}: {plan} is better"


def test_no_stop_rule_is_better_than_the_best_times() -> None:
    for seed in range(1, 15):
        compare(seed)


@pytest.mark.long
def test_no_stop_rule_is_better_in_a_thousand_battles() -> None:
    for seed in range(100, 1100):
        compare(seed)


def test_combats_that_share_what_they_know_come_to_what_each_comes_to_alone() -> None:
    """Stop rules and orders of loss are worked with the tables of another plan, and in any order."""
    attacking = [("infantry", 2), ("tank", 2), ("fighter", 1)]
    defending = [("infantry", 2), ("anti_tank", 1)]
    raw = {
        "attacking": [
            {"nation": "germany", "unit": u, "count": n, "origin": "" if n == 1 else "west"}
            for u, n in attacking
        ],
        "defending": [{"nation": "uk", "unit": u, "count": n} for u, n in defending],
    }
    combat = combat_of(read_aana({**SMALL, **raw}, "shared"))
    shared = combat.work()
    plans: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"losses": LossPolicy(("tank",)), "rounds": 1}, {"losses": LossPolicy(("anti_tank",))}),
        ({"keep": "useful", "rounds": 3}, {}),
        ({"keep": "never"}, {"retreat_round": 2}),
    ]
    for attack, defence in plans:
        one = replace(combat, attack=replace(combat.attack, **attack))
        one = replace(one, defence=replace(combat.defence, **defence))
        alone = one.odds(one.work())
        for other in (one.odds(), one.odds(one.work(shared), tells_ends=False)):
            assert other.results == pytest.approx(alone.results), (attack, defence)
            assert other.rounds == pytest.approx(alone.rounds), (attack, defence)
            for role in (ATTACKER, DEFENDER):
                assert other.survivors[role] == pytest.approx(alone.survivors[role]), (attack, defence)
        assert alone.endings
        assert not other.endings
        stopping = replace(one, attack=replace(one.attack, rounds=None))
        assert Stopping(stopping, "exchange", shared).value == pytest.approx(
            Stopping(stopping, "exchange").value
        )
    own = [vars(part) for part in (shared.onward, *shared.fires.values(), *shared.regimes.values())]
    assert all(own)
    shared.leave()
    assert not any(own), "what hangs on its plans is let go of"
    assert combat.odds(combat.work(shared)).results == pytest.approx(combat.odds().results), "the rest stays"


class Coached(_Play):
    """One combat in which the coach says when to press."""

    def __init__(self, found: AanaBattle, stopping: Stopping) -> None:
        super().__init__(found)
        self.stopping = stopping

    def next(self, fight: Fight) -> Fight | None:
        if fight.stage != "press":
            return super().next(fight)
        nothing = (0,) * len(fight.a_out)
        a = Attacking(fight.a, fight.a_out or nothing, self.attack_supply)
        d = Defending(fight.d, fight.d_out, self.defence_supply, fight.cargo, fight.cargo_out)
        if not self.stopping.presses(fight.round_no, a, d):
            return replace(fight, stage="over", result="ceased")
        return super().next(fight)


def follow(goal: str, runs: int) -> tuple[float, float, float]:
    """Return the coach's figure, the mean of combats that follow it, and the standard error of that."""
    found = read_aana({**SMALL, "seed": 1}, "small")
    combat = combat_of(found)
    stopping = Stopping(combat, goal)
    prices = {
        role: np.array([row.cost or 0 for row in combat.arena.rows(role)]) for role in (ATTACKER, DEFENDER)
    }
    values = []
    for seed in range(runs):
        told = Coached(replace(found, seed=seed), stopping)
        final = told.run()
        assert final["finished"]
        left = {
            role: [final["survivors"][side].get(f"{kind.power}.{kind.unit}{'@' + kind.origin if kind.origin else ''}", 0)
                   for kind in combat.arena.kinds(role)]
            for role, side in ((ATTACKER, "attacking"), (DEFENDER, "defending"))
        }  # fmt: skip
        lost = {
            role: float(prices[role] @ (np.array(combat.start(role)) - np.array(left[role]))) for role in left
        }
        values.append(
            float(final["result"] == "attacker") if goal == "clear" else lost[DEFENDER] - lost[ATTACKER]
        )
    return stopping.value, float(np.mean(values)), float(np.std(values) / runs**0.5)


@pytest.mark.parametrize("goal", ["clear", "exchange"])
def test_combats_that_follow_the_advice_come_to_its_figure(goal: str) -> None:
    value, mean, error = follow(goal, 500)
    assert abs(value - mean) < 4 * error + 1e-12


@pytest.mark.long
@pytest.mark.parametrize("goal", ["clear", "exchange"])
def test_twenty_thousand_combats_that_follow_the_advice_come_to_its_figure(goal: str) -> None:
    value, mean, error = follow(goal, 20_000)
    assert abs(value - mean) < 4 * error + 1e-12


def test_the_advice_never_promises_less_than_a_rule_it_names() -> None:
    combat = combat_of(read_aana(SMALL, "small"))
    for role in (ATTACKER, DEFENDER):
        for goal in GOALS:
            advice = advise(combat, role, goal)
            assert all(advice.usual < line.value <= advice.least + 1e-12 for line in advice.lines)
            assert (advice.best is None) == (role == DEFENDER)


@pytest.mark.parametrize("role", [ATTACKER, DEFENDER])
def test_no_order_of_loss_is_tried_twice_and_none_is_left_out(role: Role) -> None:
    twice = 0
    for seed in range(1, 5):
        combat = combat_of(read_aana(made_up(seed), "made up"))
        tried = {last: loss_order(combat.arena, role, one) for last, one in _orders(combat, role).items()}
        assert next(iter(tried)) == ""
        assert len(set(tried.values())) == len(tried)
        every = units(combat, role)
        for last in every:
            order = loss_order(combat.arena, role, LossPolicy(order=tuple(u for u in every if u != last)))
            assert len(every) == 1 or order in tried.values()
            twice += last not in tried
    assert twice


def units(combat: Combat, role: Role) -> list[str]:
    """Return the units that a side has, cheapest first."""
    rows = [row for row, n in zip(combat.arena.rows(role), combat.start(role), strict=True) if n]
    return list(dict.fromkeys(row.unit for row in sorted(rows, key=lambda row: row.cost or 0)))


def test_the_smallest_force_is_smallest() -> None:
    combat = combat_of(read_aana({**SMALL, "supply": {}}, "small"))
    whole = goal_value(combat, combat.odds(), ATTACKER, "space")
    force = smallest_force(combat, ATTACKER, "space", whole - 0.2)
    assert force is not None
    assert force.is_smallest
    assert force.value >= whole - 0.2
    costs = [row.cost or 1 for row in combat.arena.attacker_rows]
    for infantry in range(4):
        for tank in range(3):
            one = replace(combat, attackers=(infantry, tank))
            if infantry + tank and goal_value(one, one.odds(), ATTACKER, "space") >= whole - 0.2:
                assert infantry * costs[0] + tank * costs[1] >= force.cost
    assert smallest_force(combat, ATTACKER, "space", 1.0) is None


def test_a_goal_by_cost_asks_for_costs_that_nobody_entered() -> None:
    raw = {**SMALL, "values": "unofficial", "printed_values": {}}
    combat = combat_of(read_aana(raw, "small"))
    rows = tuple(replace(row, cost=None) for row in combat.arena.attacker_rows)
    unknown = replace(combat, arena=replace(combat.arena, attacker_rows=rows))
    with pytest.raises(UnknownCostError) as caught:
        Stopping(unknown, "exchange")
    assert caught.value.units == ("infantry", "tank")
    assert 0 < Stopping(unknown, "space").value < 1

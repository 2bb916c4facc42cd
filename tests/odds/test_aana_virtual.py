"""A battle with virtual dice, played many times through the real commands, agrees with the exact odds."""

from __future__ import annotations

import math
import random

import pytest

from companion.games.aana.odds.answer import Odds
from companion.games.aana.odds.play import exact_odds
from companion.games.aana.rules.battle_messages import AttackGroup, Cease, Conclude, Press
from companion.games.aana.rules.combat import arena_of
from companion.games.aana.rules.fight import Fight
from companion.games.aana.rules.fight_dice import expected_volleys, rolled
from companion.games.aana.rules.ledger import figures
from companion.games.aana.rules.ledger_messages import CountSpace
from companion.games.aana.rules.rounds import AttackPlan, Pools
from tests.games.aana.aana_table import Table

ATTACKERS = (
    AttackGroup("el_agheila", {"germany.tank": 2, "germany.infantry": 2, "germany.artillery": 1}),
    AttackGroup("zella", {"germany.anti_tank": 1}),
    AttackGroup("tripoli", {"germany.fighter": 1}),
)
DEFENDERS = {"uk.infantry": 3, "uk.matilda": 1, "uk.aaa": 1}
SUPPLY = {"el_agheila": 4, "zella": 3}
DEFENCE = 3


def ready() -> Table:
    """Return a table at the first dice of the battle."""
    table = Table(values="unofficial")
    table.jump("r1.germany.combat_move.declare")
    for group in ATTACKERS:
        table.ok(CountSpace(group.origin, dict(group.units), SUPPLY.get(group.origin, 0)))
    table.ok(CountSpace("mersa_brega", DEFENDERS, DEFENCE))
    attack = table.attack("mersa_brega", *ATTACKERS)
    table.jump("r1.germany.combat.resolve")
    table.open(attack)
    return table


def odds(table: Table) -> Odds:
    fight = table.fight
    arena, _, _ = arena_of(figures(table.state), fight.rules, fight.attackers, fight.defenders)
    # What is left after the declaration, by attacking territory.
    pools = Pools((("el_agheila", 0), ("zella", 1)))
    return exact_odds(
        arena,
        fight.a,
        fight.d,
        attack=AttackPlan(rounds=3, air_alone=True),
        attack_supply=(SUPPLY["el_agheila"] - 1, SUPPLY["zella"] - 1),
        defence_supply=DEFENCE,
        pools=pools,
    )


def fought(table: Table, dice: random.Random) -> Fight:
    """Play until the end: fight while there is supply, press for three rounds."""
    while table.fight.stage != "over":
        stage = table.fight.stage
        if stage == "orders":
            table.orders()
        elif stage == "losses":
            table.lose()
        elif stage == "press":
            table.ok(Cease(table.step) if table.fight.round_no == 3 else Press(table.step))
        else:
            table.roll(
                *(
                    rolled(volley, lambda: dice.randint(1, 10))
                    for volley in expected_volleys(figures(table.state), table.fight)
                )
            )
    found = table.fight
    table.ok(Conclude(table.step))
    return found


@pytest.mark.parametrize("battles", [120, pytest.param(2500, marks=pytest.mark.long)])
def test_virtual_battles_agree_with_the_odds(battles: int) -> None:
    dice = random.Random(20261128)
    exact = odds(ready())
    results: dict[str, int] = {}
    lost_a = lost_d = 0
    for _n in range(battles):
        fight = fought(ready(), dice)
        results[fight.result] = results.get(fight.result, 0) + 1
        lost_a += sum(fight.start_a) - sum(fight.a) - sum(fight.a_out)
        lost_d += sum(fight.start_d) - sum(fight.d) - sum(fight.d_out)
    assert math.isclose(sum(exact.results.values()), 1, abs_tol=1e-12)
    for result, p in exact.results.items():
        spread = math.sqrt(p * (1 - p) * battles)
        assert abs(results.get(result, 0) - p * battles) <= 4 * spread + 0.5, (result, p, results)
    assert abs(lost_a / battles - exact.expected_loss["attacker"]) < 4 * 2 / math.sqrt(battles)
    assert abs(lost_d / battles - exact.expected_loss["defender"]) < 4 * 2 / math.sqrt(battles)

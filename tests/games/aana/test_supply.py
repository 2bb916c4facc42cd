"""Whose supply pays for attack, defence and pressing: never the enemy's, and never from afar."""

from __future__ import annotations

from companion.games.aana.pages.declare import pay_options, payers
from companion.games.aana.rules.battle_messages import AttackGroup, DeclareAttack, GiveOrders, Press
from companion.games.aana.rules.ledger_messages import SupplyChanged
from tests.games.aana.aana_table import Table


def _front(**options: object) -> Table:
    """Germany in Mersa Brega, the United Kingdom in Bir Hacheim and Benghazi, supply everywhere."""
    table = Table(values="unofficial", **options)
    table.tell("mersa_brega", supply=4, germany_infantry=3)
    table.tell("el_agheila", supply=2, germany_infantry=1)
    table.tell("bir_hacheim", supply=4, uk_infantry=3)
    table.tell("benghazi", supply=5, uk_infantry=1)
    table.tell("jalo", supply=3)
    table.jump("r2.germany.combat_move.declare")
    return table


def test_enemy_supply_pays_no_attack_and_is_not_offered() -> None:
    table = _front()
    group = AttackGroup("mersa_brega", {"germany.infantry": 3}, "benghazi")
    table.no(
        DeclareAttack(table.step, "bir_hacheim", (group,)),
        "enemy_supply",
        "Benghazi is hostile: its supply belongs to the enemy.",
    )
    offered = {place for place, _n in payers(table.state, "mersa_brega")}
    assert "el_agheila" in offered
    assert not offered & {"benghazi", "bir_hacheim"}
    assert "benghazi" not in {item.key for item in pay_options(table.state, "mersa_brega", 1)}
    table.attack("bir_hacheim", AttackGroup("mersa_brega", {"germany.infantry": 3}, "el_agheila"))
    assert table.ledger.supply["el_agheila"] == 1


def test_supply_out_of_reach_pays_no_attack() -> None:
    table = _front()
    table.tell("tripoli", supply=5)
    group = AttackGroup("mersa_brega", {"germany.infantry": 3}, "tripoli")
    table.no(
        DeclareAttack(table.step, "bir_hacheim", (group,)),
        "far_supply",
        "Tripoli is not next to Mersa Brega, so its supply is out of reach.",
    )


def test_a_raid_takes_no_token_that_the_defence_has_paid() -> None:
    for source in ("", "bir_hacheim"):
        table = _front()
        table.tell("bir_hacheim", supply=1, uk_infantry=3)
        table.tell("mersa_brega", supply=4, germany_infantry=3, germany_scout_car=1)
        attack = table.attack(
            "bir_hacheim", AttackGroup("mersa_brega", {"germany.infantry": 3, "germany.scout_car": 1})
        )
        table.jump("r2.germany.combat.resolve")
        table.open(attack)
        before = table.line.next_seq
        table.ok(GiveOrders(table.step, supply_from=source, raids=1))
        spent = [
            event.delta
            for entry in table.line.entries
            if entry.seq >= before
            for event in entry.events
            if isinstance(event, SupplyChanged)
        ]
        assert spent == [-1], "one token was there"
        assert table.ledger.supply["bir_hacheim"] == 0


def test_enemy_supply_pays_neither_a_defence_nor_pressing() -> None:
    table = _front()
    attack = table.attack("bir_hacheim", AttackGroup("mersa_brega", {"germany.infantry": 3}))
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    table.no(GiveOrders(table.step, supply_from="mersa_brega"), "enemy_supply", "Mersa Brega is hostile")
    assert {place for place, _n in payers(table.state, "bir_hacheim", "allies")} >= {"benghazi"}
    assert "mersa_brega" not in {place for place, _n in payers(table.state, "bir_hacheim", "allies")}
    table.orders(supply_from="benghazi")
    while table.fight.stage != "press":
        table.roll(*[(10,) * dice for dice, _need in table.needs()])
    table.no(Press(table.step, {}, {"mersa_brega": "benghazi"}), "enemy_supply", "Benghazi is hostile")
    table.ok(Press(table.step, {}, {"mersa_brega": "el_agheila"}))
    assert table.ledger.supply["benghazi"] == 4
    assert table.ledger.supply["el_agheila"] == 1

"""Who may still attack: not whom mines turned back, nor a blitz of two spaces, nor who has moved in."""

from __future__ import annotations

from companion.games.aana.pages.declare import ask_join, declare_page
from companion.games.aana.pages.draft import CombatDraft
from companion.games.aana.rules.battle_messages import AttackGroup, DeclareAttack, JoinAttack, RollMines
from companion.games.aana.rules.ledger_messages import SetMines
from companion.games.aana.rules.ways import MakeMove
from companion.pages.page import Ask, Counter, Send
from companion.testing.reading import items_of
from tests.games.aana.aana_table import Table


def test_units_that_mines_turned_back_do_not_join_an_attack() -> None:
    table = Table(values="unofficial", reinforce_attacks=True)
    table.tell("bir_hacheim", supply=9, uk_infantry=4, uk_anti_tank=1)
    table.tell("mersa_brega", supply=9, germany_infantry=4, germany_tank=1)
    table.ok(SetMines("bir_hacheim", "mersa_brega", 1))
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack(
        "bir_hacheim", AttackGroup("mersa_brega", {"germany.infantry": 3, "germany.tank": 1})
    )
    mines = RollMines(
        table.step, "bir_hacheim", "mersa_brega", 1, (1, 9, 9), attack=attack, hit={"germany.tank": 1}
    )
    table.ok(mines)
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    table.orders(fight=True)
    while table.fight.stage != "press":
        table.roll(*[(10,) * dice for dice, _need in table.needs()])
    ask = ask_join(table.state, table.fight)
    assert isinstance(ask, Ask)
    acts = [ask.answered({"one": option.key}) for option in ask.form.fields[0].options]
    joins = [act.command for act in acts if isinstance(act, Send)]
    offered = [join.group for join in joins if isinstance(join, JoinAttack)]
    assert len(offered) == len(acts)
    mine = [group.units for group in offered if group.origin == "mersa_brega"]
    assert mine == [{"germany.infantry": 1}]
    turned = JoinAttack(table.step, AttackGroup("mersa_brega", {"germany.tank": 1}))
    table.no(turned, "not_there", "None of these can join: Tank (Germany).")
    table.ok(JoinAttack(table.step, AttackGroup("mersa_brega", {"germany.infantry": 1})))


def test_a_tank_that_blitzed_two_spaces_has_no_point_left_for_an_attack() -> None:
    table = Table(values="unofficial")
    table.tell("benghazi", supply=1)
    table.tell("bir_hacheim", supply=1, germany_tank=1)
    table.tell("mersa_brega", supply=2, germany_tank=1)
    table.tell("tobruk", supply=1, uk_infantry=1)
    table.jump("r2.germany.combat_move.move")
    table.ok(MakeMove(table.step, "mersa_brega", "bir_hacheim", {"germany.tank": 1}, via="benghazi"))
    table.jump("r2.germany.combat_move.declare")
    shown = declare_page(table.state, CombatDraft(target="tobruk", key="declare.tobruk"))
    tanks = next(row.facet for row in items_of(shown.page) if row.key == "bir_hacheim|germany.tank")
    assert isinstance(tanks, Counter)
    assert tanks.most == 1
    both = AttackGroup("bir_hacheim", {"germany.tank": 2})
    table.no(
        DeclareAttack(table.step, "tobruk", (both,)),
        "not_there",
        "Bir Hacheim: only 1 Tank (Germany) can attack; you chose 2.",
    )
    table.attack("tobruk", AttackGroup("bir_hacheim", {"germany.tank": 1}))


def test_a_tank_that_blitzed_one_space_attacks_from_there() -> None:
    table = Table(values="unofficial")
    table.tell("benghazi", supply=1)
    table.tell("mersa_brega", supply=2, germany_tank=1)
    table.tell("tobruk", supply=1, uk_infantry=1)
    table.jump("r2.germany.combat_move.move")
    table.ok(MakeMove(table.step, "mersa_brega", "benghazi", {"germany.tank": 1}, via="benghazi"))
    table.jump("r2.germany.combat_move.declare")
    table.attack("tobruk", AttackGroup("benghazi", {"germany.tank": 1}))

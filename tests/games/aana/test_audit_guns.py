"""Anti-aircraft artillery that is left alone after a round: with a way out, without one, and as the table rules."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.commands import JumpTo
from companion.core.ids import StepId
from companion.games.aana.pages.board import board_page
from companion.games.aana.pages.closing import press_page
from companion.games.aana.pages.combat import combat_page
from companion.games.aana.pages.draft import CombatDraft, stage_key
from companion.games.aana.pages.moves import BoardDraft
from companion.games.aana.pages.reinforce import reinforce_page
from companion.games.aana.pages.stages import losses_page
from companion.games.aana.rules.battle_messages import (
    AttackGroup,
    Conclude,
    DeclareAttack,
    LeaveCombat,
    Press,
)
from companion.games.aana.rules.combat_acts import offered
from companion.games.aana.rules.fight_dice import expected_volleys
from companion.games.aana.rules.ledger import figures
from companion.games.aana.rules.ledger_messages import CountSpace
from companion.games.aana.rules.ways import MakeMove
from companion.pages.page import TABLE_VIEWER, Ask, Send, Sight
from companion.testing.reading import items_of, read
from tests.games.aana.aana_table import Table
from tests.odds.test_aana_play import agree, battle, played
from tests.pages.test_aana import change, desk


def left_alone(*, way_out: bool = True, **options: Any) -> Table:
    """A tank kills the infantry of Benghazi in round 1; its artillery is left."""
    table = Table(values="unofficial", **options)
    table.tell("benghazi", supply=3, uk_infantry=1, uk_aaa=1)
    table.tell("mersa_brega", supply=5, germany_tank=2)
    table.tell("bir_hacheim", supply=0, **({} if way_out else {"germany_infantry": 1}))
    table.tell("tobruk", supply=0, **({} if way_out else {"germany_infantry": 1}))
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack("benghazi", AttackGroup("mersa_brega", {"germany.tank": 2}))
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    table.orders()
    table.roll((1, 9))
    table.lose({"uk.infantry": 1})
    table.roll((9,))
    return table


def test_with_a_way_out_the_attack_is_pressed_and_paid_and_who_stays_dies() -> None:
    table = left_alone()
    assert table.fight.stage == "press"
    before = table.ledger.supply["mersa_brega"]
    table.ok(Press(table.step))
    assert table.ledger.supply["mersa_brega"] == before - 1
    table.orders(fight=True)
    assert (table.fight.stage, table.fight.result) == ("over", "attacker")
    table.ok(Conclude(table.step))
    assert table.count("benghazi", "uk.aaa") == 0
    assert table.ledger.control["benghazi"] == "germany"


def test_with_a_way_out_it_may_leave_when_the_attack_is_pressed() -> None:
    table = left_alone()
    table.ok(Press(table.step))
    table.orders(fight=False)
    table.roll((9, 9))
    table.ok(LeaveCombat(table.step, {"tobruk": {"uk.aaa": 1}}))
    table.ok(Conclude(table.step))
    assert table.count("tobruk", "uk.aaa") == 1
    assert table.ledger.control["benghazi"] == "germany"


@pytest.mark.parametrize(
    ("options", "result", "guns"),
    [
        ({"way_out": False}, "attacker", 0),
        ({"rulings.aana.aaa_last": "at_once"}, "attacker", 0),
        ({"rulings.aana.aaa_last": "ends"}, "stalemate", 1),
    ],
)
def test_without_a_way_out_it_dies_at_once_or_as_the_table_rules(
    options: dict[str, Any], result: str, guns: int
) -> None:
    table = left_alone(**options)
    assert (table.fight.stage, table.fight.result) == ("over", result)
    table.ok(Conclude(table.step))
    assert table.count("benghazi", "uk.aaa") == guns


@pytest.mark.parametrize("ruling", ["refuge", "at_once", "ends"])
@pytest.mark.parametrize("can_retreat", [True, False])
def test_the_odds_and_the_play_agree_on_artillery_left_alone(ruling: str, can_retreat: bool) -> None:
    found = battle(
        [("germany", "tank", 1, "west"), ("germany", "bomber", 1, "")],
        [("uk", "infantry", 1, ""), ("uk", "aaa", 1, "")],
        rounds=3,
        can_retreat=can_retreat,
        supply={"attacking": 4, "defending": 2},
        rulings={"aana.aaa_last": ruling},
    )
    agree(found, *played(found))


# Rulings are shown where they decide, one tap to change, and stored with the game


def shown(made: Any, page: Any, **draft: Any) -> set[str]:
    seen = read(page, change(made), **draft).page
    acts = {row.key for row in items_of(seen)} | {tool.act for tool in seen.tools if tool.act is not None}
    return {act for act in acts if act.startswith("ruling.")}


def test_a_ruling_on_lone_guns_stands_at_the_combat_and_changes_it_with_one_tap() -> None:
    table = left_alone()
    page = press_page(table.state, table.fight, CombatDraft())
    item = next(row for row in items_of(page.page) if row.key == "ruling.aana.aaa_last")
    assert item.act is not None
    ask = page.act(item.act)
    assert isinstance(ask, Ask)
    send = ask.answered({"one": "at_once"})
    assert isinstance(send, Send)
    table.ok(send.at(table.now))
    assert table.state.rulings["aana.aaa_last"] == "at_once"
    assert (table.fight.stage, table.fight.result) == ("over", "attacker")


def test_rulings_stand_where_a_duty_a_move_or_a_flight_hangs_on_them() -> None:
    made = desk("r2.uk.combat_move.move", values="unofficial")
    made.send(CountSpace("sz.14", {"italy.submarine": 1, "uk.submarine": 1}))
    made.send(CountSpace("sz.21", {"uk.destroyer": 1}))
    step = change(made).state.step.id
    made.send(MakeMove(step, "sz.21", "sz.14", {"uk.destroyer": 1}))
    made.send(JumpTo(step, StepId("r2.uk.combat_move.declare"), 0))
    assert not shown(made, combat_page), "both must attack as it stands, whoever must"
    step = change(made).state.step.id
    made.send(DeclareAttack(step, "sz.14", (AttackGroup("sz.14", {"uk.destroyer": 1}),)))
    assert shown(made, combat_page) == {"ruling.aana.join_hunt"}
    own = desk("r2.uk.combat_move.declare")
    own.send(CountSpace("siwa", {"germany.tank": 1}))
    draft = CombatDraft(target="siwa", key="declare.siwa", counts={"cairo|uk.fighter": 1})
    assert shown(own, combat_page, draft=draft) == {"ruling.aana.direct_attack"}
    board = desk("r2.italy.noncombat.move", values="unofficial")
    board.send(CountSpace("sz.14", {"italy.submarine": 1, "uk.destroyer": 1}))
    assert shown(board, board_page, draft=BoardDraft("sea", "sz.14", "move")) == {"ruling.aana.hunted_sub"}
    buy = reinforce_page(
        Sight(TABLE_VIEWER, change(desk("r1.uk.requisition.buy", values="unofficial")), None)
    )
    (tool,) = buy.page.tools
    assert tool.act == "ruling.aana.malta_asked"


# The last unit that may move in is offered as a loss where pressing cannot be paid for


def hit_without_supply(supply: int, ruling: str) -> Table:
    """Infantry and a fighter miss the infantry of Benghazi and are hit once; one token declared the attack."""
    table = Table(values="unofficial", **{"rulings.aana.last_ground": ruling})
    for place in table.ledger.supply:
        table.tell(place, supply=0)
    table.tell("benghazi", supply=3, uk_infantry=2)
    table.tell("mersa_brega", supply=supply, germany_infantry=1, germany_fighter=1)
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack(
        "benghazi",
        AttackGroup("mersa_brega", {"germany.infantry": 1}),
        AttackGroup("mersa_brega", {"germany.fighter": 1}, spaces=1),
    )
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    table.orders()
    table.roll((9,), (9,))
    table.roll((1, 9))
    return table


@pytest.mark.parametrize(
    ("supply", "ruling", "lost"),
    [(1, "useful", "infantry"), (2, "useful", "fighter"), (1, "always", "fighter"), (2, "never", "infantry")],
)
def test_the_last_unit_that_may_move_in_is_spared_while_pressing_can_be_paid_for(
    supply: int, ruling: str, lost: str
) -> None:
    table = hit_without_supply(supply, ruling)
    page = losses_page(table.state, table.fight, CombatDraft())
    assert "ruling.aana.last_ground" in {tool.act for tool in page.page.tools}, "it decides here"
    assert page.page.main is not None
    assert page.page.main.act is not None
    send = page.act(page.page.main.act)
    assert isinstance(send, Send)
    table.ok(send.at(table.now))
    left = {
        unit
        for unit in ("infantry", "fighter")
        for place in ("mersa_brega", "benghazi")
        if table.count(place, f"germany.{unit}")
    }
    assert left == {"infantry", "fighter"} - {lost}


def test_a_whole_battleship_may_take_two_hits_while_a_destroyer_is_kept() -> None:
    """The owner chooses who pays: the page offers a second hit on the battleship beside the usual losses."""
    table = Table(values="unofficial")
    table.tell("sz.14", italy_submarine=2, uk_battleship=1, uk_submarine=1)
    table.jump("r2.italy.combat_move.declare")
    table.open(_declared(table, "sz.14", "italy.submarine", 2))
    table.orders()
    table.roll((1, 1))
    usual = losses_page(table.state, table.fight, CombatDraft())
    assert {row.key for row in items_of(usual.page)} >= {
        "uk.battleship",
        "uk.battleship.damaged",
        "uk.submarine",
    }
    draft = CombatDraft(
        key=stage_key(table.fight),
        counts={"uk.battleship": 1, "uk.battleship.damaged": 1, "uk.submarine": 0},
    )
    page = losses_page(table.state, table.fight, draft)
    assert page.page.main is not None
    assert page.page.main.act is not None
    send = page.act(page.page.main.act)
    assert isinstance(send, Send)
    table.ok(send.at(table.now))
    assert table.count("sz.14", "uk.submarine") == 1
    assert not [piece for piece in table.ledger.units["sz.14"] if "battleship" in piece]


def _declared(table: Table, space: str, piece: str, n: int) -> int:
    attack = table.attack(space, AttackGroup(space, {piece: n}))
    table.jump("r2.italy.combat.resolve")
    return attack


def test_the_table_is_offered_to_keep_a_unit_that_can_still_be_paid_for() -> None:
    table = Table(values="unofficial")
    for place in ("mersa_brega", "siwa", "zella", "el_agheila", "tobruk"):
        table.tell(place, supply=0)
    table.tell("bir_hacheim", supply=3, uk_infantry=3)
    table.tell("benghazi", supply=1, germany_tank=1)
    table.tell("jalo", supply=3, germany_infantry=1)
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack(
        "bir_hacheim",
        AttackGroup("benghazi", {"germany.tank": 1}),
        AttackGroup("jalo", {"germany.infantry": 1}),
    )
    table.jump("r2.germany.combat.resolve")
    table.open(attack, main_origin="benghazi")
    table.orders()
    table.roll(*((7,) for _volley in expected_volleys(figures(table.state), table.fight)))
    table.roll((1, 9, 9))
    taken = offered(table.state, table.fight)
    left = {kind.unit: n for kind, n in zip(table.fight.attackers, taken.left, strict=True)}
    assert left == {"tank": 0, "infantry": 1}, "the tank's only token declared the attack"
    assert taken.is_ruled

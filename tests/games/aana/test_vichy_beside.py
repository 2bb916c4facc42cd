"""Units that need no supply beside Vichy French ones, who never retreat: apart, or bound to them, as the table rules.

Source: rulebook, Step 1 (Exception); Vichy French Units.
"""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.commands import SetRuling
from companion.games.aana.pages.draft import CombatDraft
from companion.games.aana.pages.stages import orders_page
from companion.games.aana.rules.battle_messages import AttackGroup, GiveOrders
from companion.games.aana.rules.ledger_messages import CountSpace
from companion.pages.page import Ask, Send
from tests.games.aana.aana_table import Table
from tests.odds.test_aana_play import agree, battle, played

RULING = "aana.vichy_beside"


def attacked(**defenders: int) -> Table:
    """The United Kingdom attacks Tunis, where Vichy French infantry stands with others of the Axis."""
    table = Table("torch", values="unofficial")
    table.jump("r8.uk.combat_move.declare")
    table.ok(CountSpace("tunis", {f"{key.replace('__', '.')}": n for key, n in defenders.items()}, 4))
    table.tell("kasserine", supply=5, uk_infantry=3)
    attack = table.attack("tunis", AttackGroup("kasserine", {"uk.infantry": 3}))
    table.jump("r8.uk.combat.resolve")
    table.open(attack)
    return table


def retreating(table: Table, **given: Any) -> dict[str, int]:
    """Order everybody away who may go, and return who goes."""
    fight = table.orders(fight=False, **given)
    return {
        f"{kind.power}.{kind.unit}": n for kind, n in zip(fight.defenders, fight.retreating, strict=True) if n
    }


def test_scouts_beside_vichy_french_units_leave_or_stay_as_the_table_rules() -> None:
    there = {"vichy__infantry": 1, "germany__scout_car": 1, "germany__infantry": 1}
    assert retreating(attacked(**there)) == {"germany.scout_car": 1, "germany.infantry": 1}
    assert retreating(attacked(**there), exempt_fight=True) == {"germany.infantry": 1}
    bound = attacked(**there)
    bound.ok(SetRuling(RULING, "bound"))
    assert retreating(bound) == {"germany.infantry": 1}


def test_where_all_need_no_supply_nobody_leaves_vichy_french_units_that_bind_them() -> None:
    there = {"vichy__infantry": 1, "germany__scout_car": 1}
    assert retreating(attacked(**there)) == {"germany.scout_car": 1}
    bound = attacked(**there)
    bound.ok(SetRuling(RULING, "bound"))
    bound.no(GiveOrders(bound.step, fight=False), "no_retreat", "stay with Vichy French units")


@pytest.mark.parametrize(
    ("there", "is_shown"),
    [
        ({"vichy__infantry": 1, "germany__scout_car": 1}, True),
        ({"vichy__infantry": 1, "germany__infantry": 1}, False),
        ({"germany__fighter": 1, "germany__scout_car": 1}, False),
    ],
)
def test_the_ruling_stands_at_the_decision_and_changes_it_with_one_tap(
    there: dict[str, int], is_shown: bool
) -> None:
    table = attacked(**there)
    page = orders_page(table.state, table.fight, CombatDraft())
    tools = [tool.act for tool in page.page.tools if tool.act == f"ruling.{RULING}"]
    assert len(tools) == is_shown
    for tool in tools:
        ask = page.act(tool)
        assert isinstance(ask, Ask)
        send = ask.answered({"one": "bound"})
        assert isinstance(send, Send)
        table.ok(send.at(table.now))
        assert table.fight.rules.vichy_binds


@pytest.mark.parametrize("ruling", ["apart", "bound"])
def test_the_odds_and_the_play_agree_on_units_beside_vichy_french_ones(ruling: str) -> None:
    found = battle(
        [("uk", "infantry", 2, "west")],
        [("vichy", "infantry", 1, ""), ("germany", "scout_car", 1, ""), ("germany", "infantry", 1, "")],
        rounds=2,
        supply={"attacking": 4, "defending": 0},
        rulings={RULING: ruling},
    )
    agree(found, *played(found))

"""When land mines may go off: only along the border that land units cross.

Source: rulebook, Mine Token Detonation, Land Mine Tokens, Detonation Triggers.
"""

from __future__ import annotations

import pytest

from companion.core.ids import SiteId
from companion.games.aana.rules.battle_messages import AttackGroup, RollMines
from companion.games.aana.rules.ledger_messages import SetMines
from companion.games.aana.rules.victory import SetControl
from companion.games.aana.rules.ways import MakeMove
from tests.games.aana.aana_table import Table

MISSES = (9, 9, 9)


def mined(step: str) -> Table:
    """Tobruk is British, and mined toward Benghazi."""
    table = Table(values="unofficial")
    table.jump(step)
    table.ok(SetControl(SiteId("tobruk"), "uk"))
    table.ok(SetMines("tobruk", "benghazi", 1))
    table.tell("tobruk", uk_infantry=1)
    return table


@pytest.mark.parametrize(
    "phase", ["requisition.buy", "combat_move.declare", "noncombat.move", "deploy.place"]
)
def test_land_mines_wait_until_land_units_cross_their_border(phase: str) -> None:
    table = mined(f"r2.germany.{phase}")
    table.no(
        RollMines(table.step, "tobruk", "benghazi", 1, MISSES),
        "nobody_entered",
        "Tobruk: no land unit attacks or blitzes from Benghazi.",
    )


def test_an_attack_over_another_border_or_from_the_air_sets_none_off() -> None:
    table = mined("r2.germany.combat_move.declare")
    table.tell("bir_hacheim", supply=3, germany_infantry=1)
    table.tell("tripoli", supply=1, germany_bomber=1)
    table.tell("benghazi", supply=3, germany_infantry=1)
    table.ok(SetControl(SiteId("benghazi"), "germany"))
    attack = table.attack("tobruk", AttackGroup("bir_hacheim", {"germany.infantry": 1}))
    mines = RollMines(table.step, "tobruk", "benghazi", 1, MISSES, attack)
    table.no(mines, "nobody_entered")
    table.attack("tobruk", AttackGroup("benghazi", {"germany.infantry": 1}))
    table.ok(mines)


def test_a_blitz_sets_off_the_mines_of_the_border_that_it_crosses() -> None:
    table = mined("r2.germany.combat_move.move")
    table.ok(SetControl(SiteId("benghazi"), "uk"))
    table.tell("benghazi", supply=0)
    table.tell("mersa_brega", supply=0, germany_tank=1)
    for origin in ("mersa_brega", "bir_hacheim"):
        table.ok(SetMines("benghazi", origin, 1))
    table.ok(MakeMove(table.step, "mersa_brega", "benghazi", {"germany.tank": 1}, via="benghazi"))
    table.no(RollMines(table.step, "benghazi", "bir_hacheim", 1, MISSES), "nobody_entered")
    table.ok(RollMines(table.step, "benghazi", "mersa_brega", 1, MISSES))

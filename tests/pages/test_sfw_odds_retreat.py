"""The Odds screen of Song for War has the retreat rule: before the battle and while it is fought, where a tile shows the icon."""

from __future__ import annotations

import pytest

from companion.games.sfw.odds.play import exact_odds
from companion.games.sfw.pages.battle import battle_page
from companion.games.sfw.pages.battle_draft import BattleDraft
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import SIDES, Fight
from companion.games.sfw.rules.battle_losses import CHEAPEST
from companion.games.sfw.rules.battle_state import battles_of, fight_of
from companion.pages.page import TABLE_VIEWER, Draft, Shown, Sight, Split
from companion.testing.sfw_evenings import SfwGame


def evening(*, icon: bool = True) -> SfwGame:
    game = SfwGame("apr43", {"seats": ["Anna", "Ben"]})
    game.enter({"tank.number": 8, "infantry.abilities": ["retreat"] if icon else []})
    game.go("s3.t4.allies.declare")
    game.do(bc.DeclareBattle("Tunis", "land"))
    for side, unit, nation, count in (
        ("attacking", "tank", "us", 2),
        ("attacking", "infantry", "us", 3),
        ("defending", "infantry", "italy", 3),
        ("defending", "tank", "germany", 1),
    ):
        game.do(bc.ChangeUnits("A", side, unit, nation, count))
    return game


def look(game: SfwGame, draft: BattleDraft) -> Shown:
    return battle_page(Sight(TABLE_VIEWER, game.desk.change, game.desk.rules, draft, game.desk))


def taken(shown: Shown) -> float:
    return next(block for block in shown.page.blocks if isinstance(block, Split)).parts[0].amount


def test_a_switch_has_all_who_may_retreat_do_so_before_the_battle_and_in_it() -> None:
    game, stays = evening(), BattleDraft("A", "odds")
    figures = []
    for _moment in range(2):
        switch = look(game, stays).act("retreats")
        assert isinstance(switch, Draft)
        goes = switch.change(stays)
        figures.append((taken(look(game, stays)), taken(look(game, goes))))
        if _moment == 0:
            game.do(bc.BeginBattle("A"))
    assert figures[0] == pytest.approx(figures[1])
    assert figures[0][1] > figures[0][0], "whoever leaves does not hold the space"
    fight = fight_of(game.state, battles_of(game.state).battles[0])
    assert isinstance(fight, Fight)
    assert figures[1][1] == pytest.approx(
        exact_odds(fight, dict.fromkeys(SIDES, CHEAPEST), retreats=True).p_capture
    )


def test_where_nobody_may_retreat_there_is_no_switch() -> None:
    assert look(evening(icon=False), BattleDraft("A", "odds")).act("retreats") is None

"""A blitz that comes back: the second space may be any friendly or neutral territory next to the one that was taken.

Source: rulebook, Phase 3, Tanks, Mechanized Infantry, and Blitzing.
"""

from __future__ import annotations

import pytest

from companion.core.ids import SiteId
from companion.games.aana.odds.file import read_aana
from companion.games.aana.pages.moves import BoardDraft, move_destinations
from companion.games.aana.rules.declare import undeclared
from companion.games.aana.rules.movement import free_to_attack
from companion.games.aana.rules.victory import SetControl
from companion.games.aana.rules.ways import MakeMove
from companion.odds.battle_file import BattleFileError
from tests.games.aana.aana_table import Table


def test_a_blitz_takes_a_territory_and_comes_back() -> None:
    table = Table(values="unofficial")
    table.jump("r2.germany.combat_move.move")
    table.ok(SetControl(SiteId("benghazi"), "uk"))
    table.tell("mersa_brega", supply=9, germany_tank=2, germany_mechanized=1, germany_infantry=5)
    table.tell("benghazi", supply=0)
    table.tell("tobruk", supply=0, uk_infantry=1)
    pair = {"germany.tank": 1, "germany.mechanized": 1}
    draft = BoardDraft(space="mersa_brega", mode="move", counts=pair, blitz=True, via="benghazi")
    offered = {item.key for _, item in move_destinations(table.state, draft).found}
    assert offered == {"mersa_brega", "benghazi"}, "British hold what else touches Benghazi"
    table.ok(MakeMove(table.step, "mersa_brega", "mersa_brega", pair, via="benghazi"))
    assert table.ledger.control["benghazi"] == "germany"
    assert (table.count("mersa_brega", "germany.tank"), table.count("benghazi", "germany.tank")) == (2, 0)
    assert free_to_attack(table.state, "mersa_brega", "germany.tank") == 1, "who came back has no point left"
    table.end()
    assert undeclared(table.state) == ()
    table.jump("r2.germany.noncombat.move")
    back = MakeMove(table.step, "mersa_brega", "el_agheila", {"germany.tank": 2})
    table.no(back, "too_far")


def test_nobody_moves_to_where_he_stands_without_a_blitz() -> None:
    table = Table(values="unofficial")
    table.jump("r2.germany.combat_move.move")
    table.tell("mersa_brega", supply=9, germany_tank=1)
    for via in ("", "mersa_brega"):
        table.no(
            MakeMove(table.step, "mersa_brega", "mersa_brega", {"germany.tank": 1}, via=via), "bad_value"
        )


def test_a_blitz_goes_over_borders_that_touch() -> None:
    table = Table(values="unofficial")
    table.jump("r2.germany.combat_move.move")
    table.ok(SetControl(SiteId("benghazi"), "uk"))
    table.tell("benghazi", supply=0)
    table.tell("bir_hacheim")
    table.tell("siwa")
    for origin, to in (("tripoli", "bir_hacheim"), ("mersa_brega", "siwa")):
        table.tell(origin, supply=9, germany_tank=1)
        table.no(MakeMove(table.step, origin, to, {"germany.tank": 1}, via="benghazi"), "no_way")
    table.ok(MakeMove(table.step, "mersa_brega", "bir_hacheim", {"germany.tank": 1}, via="benghazi"))


def test_no_way_is_shorter_than_the_borders_make_it() -> None:
    """Movement: each time a unit crosses a border it uses a point; a longer way may be stated, a shorter one not."""
    table = Table(values="unofficial")
    table.jump("r2.uk.noncombat.move")
    table.tell("cairo", supply=1, uk_infantry=1, uk_fighter=1)
    table.tell("siwa")
    table.no(MakeMove(table.step, "cairo", "siwa", {"uk.infantry": 1}, 1), "too_far", "2 spaces")
    table.no(MakeMove(table.step, "cairo", "malta", {"uk.fighter": 1}, 1), "too_far")


@pytest.mark.parametrize(
    ("origin", "spaces", "is_taken"),
    [("malta", 1, False), ("cairo", 1, True), ("cairo", 3, True), ("cairo", 4, False)],
)
def test_the_odds_shorten_no_flight_either(origin: str, spaces: int, is_taken: bool) -> None:
    battle = {
        "game": "aana",
        "values": "unofficial",
        "territory": "tobruk",
        "attacking": [
            {"unit": "fighter", "nation": "uk", "origin": origin, "spaces": spaces},
            {"unit": "infantry", "nation": "uk", "origin": "mersa_matruh"},
        ],
        "defending": [{"unit": "infantry", "nation": "italy"}],
    }
    if is_taken:
        assert read_aana(battle, "battle")
        return
    with pytest.raises(BattleFileError, match="to get there"):
        read_aana(battle, "battle")

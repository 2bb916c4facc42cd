"""The ledger flows: what one screen knows, a battle proposes and settles, and the table confirms it without typing twice."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.dice import Die, DieColour, DieKind, Roll
from companion.core.ids import TABLE, Nation
from companion.games.sfw.pages.battle import battle_page
from companion.games.sfw.pages.battle_odds import odds_blocks
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Load
from companion.games.sfw.rules.battle_losses import CHEAPEST
from companion.games.sfw.rules.battle_settle import capture_offer, doubtful_lines
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.control import holder
from companion.games.sfw.rules.tokens import BlowBridge, PlaceToken, mines_in, reserve
from companion.pages.needs import ask_again
from companion.pages.page import TABLE_VIEWER, Ask, Send, Sight, Split
from companion.pages.speak import speak
from companion.testing.reading import read
from tests.games.sfw_editions import NEWER, Evening, Fought

GB, US, GERMANY, ITALY = (Nation(one) for one in ("gb", "us", "germany", "italy"))


def laid(*tokens: PlaceToken, then: str) -> Evening:
    """Return an evening in which tokens were laid, each on its nation's own step, at a later step."""
    evening = Evening(NEWER)
    evening.enter()
    for token in tokens:
        side = "allies" if token.nation in (GB, US) else "axis"
        step = (
            2 if token.face == "mine" and token.where == "E5" else 4
        )  # by a Destroyer at sea, by Infantry ashore
        evening.jump(f"s3.t{step}.{side}.move")
        evening.do(token)
    evening.jump(then)
    return evening


def answered(evening: Evening, command: Any, *answers: dict[str, str]) -> None:
    """Send a command that hangs on something, give the answers that its questions want, and do what comes of them."""
    rejected, _events = evening.send(command)
    assert rejected is not None
    act: Any = ask_again(evening.state, rejected, command, TABLE)
    for answer in answers:
        assert isinstance(act, Ask), act
        act = act.answered(answer)
    while isinstance(act, Send):
        evening.do(act.at(evening.desk.now_ms()))
        act = act.then


def declared(evening: Evening) -> Any:
    return battles_of(evening.state).battles[-1]


# Mines


def mined() -> Fought:
    evening = laid(*[PlaceToken(GB, "mine", "E5")] * 2, then="s3.t3.axis.move")
    return Fought(NEWER, space="e5", terrain="sea", occasion="movement", evening=evening)


def test_known_mines_are_proposed_and_those_that_went_off_go_back() -> None:
    battle = mined()
    assert battle.declared.battle.mines == 2
    battle.evening.do(bc.ChangeUnits(battle.id, ATTACKING, "destroyer", "italy"), bc.BeginBattle(battle.id))
    battle.roll("mine", "gray", 6)
    assert battle.declared.status == "over"  # the Destroyer is gone, so the second mine does not roll
    assert len(mines_in(battle.evening.state, "E5")) == 1
    assert reserve(battle.evening.state, "gb").left == 5


def test_odds_of_an_entry_tell_who_gets_through_and_not_who_takes_the_space() -> None:
    battle = mined()
    evening = battle.evening
    evening.do(bc.ChangeUnits(battle.id, ATTACKING, "destroyer", "italy"))
    sight = Sight(TABLE_VIEWER, evening.desk.change, evening.desk.rules)
    (bar,) = (block for block in odds_blocks(sight, battle.declared, CHEAPEST) if isinstance(block, Split))
    # Two mines that hit at 6 or more: the destroyer is through when both miss, 5/12 times 5/12.
    assert [(part.key, round(part.amount, 4)) for part in bar.parts] == [("through", 0.1736), ("not", 0.8264)]
    sides = [speak(part.sub, evening.state) for part in bar.parts if part.sub is not None]
    assert sides == ["some get through", "nobody gets through"]


def test_all_mines_that_rolled_are_spent_whether_they_hit_or_not() -> None:
    battle = mined()
    battle.evening.do(bc.ChangeUnits(battle.id, ATTACKING, "destroyer", "italy"), bc.BeginBattle(battle.id))
    battle.miss()
    assert mines_in(battle.evening.state, "E5") == ()
    assert reserve(battle.evening.state, "gb").left == 6


def test_own_mines_and_aircraft_set_nothing_off() -> None:
    evening = laid(PlaceToken(ITALY, "mine", "E5"), then="s3.t3.axis.move")
    assert (
        Fought(NEWER, space="E5", terrain="sea", occasion="movement", evening=evening).declared.battle.mines
        == 0
    )
    evening = laid(PlaceToken(GB, "mine", "Tunis"), then="s3.t1.axis.move")
    battle = Fought(NEWER, space="Tunis", occasion="movement", evening=evening)
    battle.evening.do(bc.ChangeUnits(battle.id, ATTACKING, "fighter", "italy"), bc.BeginBattle(battle.id))
    assert len(mines_in(battle.evening.state, "Tunis")) == 1


# Lines


def behind_a_line(step: str = "s3.t4.allies.declare") -> Fought:
    evening = laid(PlaceToken(GERMANY, "line", "Tunis", "Bone"), then=step)
    return Fought(NEWER, space="Tunis", evening=evening)


def test_a_line_falls_with_the_last_control_capable_unit_behind_it() -> None:
    battle = (
        behind_a_line().attack(("us", "tank", 2)).defend(("germany", "infantry", 1), ("germany", "tank", 1))
    )
    battle.begin().roll("tank", "gray", 12, 12, side=ATTACKING).roll("tank", "gray", 1, side=DEFENDING)
    if battle.declared.status == "fighting":
        battle.miss()
    assert battle.left(DEFENDING) == {}
    assert battle.evening.state.game["tokens"].tokens == ()
    assert reserve(battle.evening.state, "germany").left == 6


def test_a_contested_line_stays() -> None:
    battle = (
        behind_a_line().attack(("us", "tank", 2)).defend(("germany", "infantry", 1), ("germany", "tank", 1))
    )
    battle.begin().miss()
    assert battle.left(DEFENDING) == {"infantry": 1, "tank": 1}
    assert len(battle.evening.state.game["tokens"].tokens) == 1


def test_a_line_that_no_entered_unit_could_hold_is_asked_about() -> None:
    battle = behind_a_line().attack(("us", "tank", 1)).defend(("germany", "anti_air", 1))
    battle.begin().miss()
    evening = battle.evening
    assert [token.facing for token in doubtful_lines(evening.state, battle.declared)] == ["Bone"]
    page = read(battle_page, evening.desk.change, evening.desk.rules)
    act = page.shown.act("line.1")
    assert isinstance(act, Send)
    evening.do(act.at(0))
    assert reserve(evening.state, "germany").left == 6


@pytest.mark.parametrize(("from_", "lines"), [("Bone", 1), ("bizerte", 0)])
def test_a_line_fires_at_those_who_come_from_the_space_that_it_faces(from_: str, lines: int) -> None:
    evening = laid(PlaceToken(GERMANY, "line", "Tunis", "Bone"), then="s3.t4.allies.move")
    battle = Fought(NEWER, space="Tunis", occasion="movement", evening=evening).attack(("us", "tank", 1))
    battle.defend(("germany", "infantry", 1))
    battle.evening.refuse(bc.BeginBattle(battle.id), "not_known", "From which space do they enter Tunis?")
    other = {"one": "other"}
    answers = ({"one": "0"},) if from_ == "Bone" else (other, {"name": from_})
    answered(battle.evening, bc.BeginBattle(battle.id), *answers)
    assert battle.declared.started is not None
    assert battle.declared.started.lines == lines
    assert (battle.declared.status == "fighting") == bool(lines)


def test_ships_are_not_asked_for_the_border_that_they_cross() -> None:
    evening = laid(PlaceToken(GERMANY, "line", "Bone", "E5"), then="s3.t3.allies.move")
    battle = Fought(NEWER, space="E5", terrain="sea", occasion="movement", evening=evening)
    battle.attack(("us", "destroyer", 1)).defend(("germany", "submarine", 1)).begin()


@pytest.mark.parametrize(("from_", "walls"), [("E5", 1), ("E6", 0)])
def test_a_line_facing_the_sea_is_the_wall_of_a_landing_from_there(from_: str, walls: int) -> None:
    evening = laid(PlaceToken(GERMANY, "line", "Tunis", "E5"), then="s3.t2.allies.declare")
    battle = Fought(NEWER, space="Tunis", evening=evening)
    battle.attack(("us", "sea_transport", 1), distance=1, origin="sea").load(0, ("tank", 1))
    battle.defend(("germany", "infantry", 1))
    evening.refuse(bc.BeginBattle(battle.id), "not_known", "From which sea space do they land")
    evening.do(bc.SetCircumstances(battle.id, came_from=from_))
    battle.begin()
    assert battle.declared.started is not None
    assert battle.declared.started.sea_walls == walls


# Won Objectives


def fought_out(*attackers: tuple[str, str, int], defender: str = "anti_air") -> Fought:
    evening = Evening(NEWER)
    evening.enter()
    evening.jump("s3.t4.allies.declare")
    battle = Fought(NEWER, space="tunis", evening=evening).attack(*attackers).defend(("germany", defender, 1))
    return battle.begin().miss()


def taken(battle: Fought, key: str = "take") -> None:
    """Take the won space by an act of the battle's page, its points left for later."""
    page = read(battle_page, battle.evening.desk.change, battle.evening.desk.rules)
    act = page.shown.act(key)
    assert isinstance(act, Ask)
    act = act.answered({"one": "later"})
    assert isinstance(act, Send)
    battle.evening.do(act.at(0))


def test_a_won_objective_is_offered_to_the_nation_with_most_units_there() -> None:
    battle = fought_out(("us", "tank", 2), ("gb", "infantry", 1), ("us", "anti_air", 3))
    state = battle.evening.state
    offer = capture_offer(state, battle.declared)
    assert offer is not None
    assert (offer.site, offer.takers, offer.own) == ("tunis", ("us",), {"us": 2, "gb": 1})
    # Nobody has entered which side's nation holds it, but the side is stated: only the tile's points are asked.
    taken(battle)
    assert holder(battle.evening.state, "tunis").nation == "us"
    assert capture_offer(battle.evening.state, battle.declared) is None


def test_teammates_with_equal_numbers_choose_who_takes_it() -> None:
    battle = fought_out(("us", "tank", 1), ("gb", "infantry", 1))
    offer = capture_offer(battle.evening.state, battle.declared)
    assert offer is not None
    assert set(offer.takers) == {"gb", "us"}
    taken(battle, "take.gb")
    assert holder(battle.evening.state, "tunis").nation == "gb"


@pytest.mark.parametrize(
    ("attackers", "defender"),
    [((("us", "tank", 1),), "infantry"), ((("us", "anti_air", 2),), "anti_air")],
    ids=["still contested", "no unit that could hold it"],
)
def test_nothing_is_offered_while_it_is_held_or_nobody_could_hold_it(
    attackers: tuple[tuple[str, str, int], ...], defender: str
) -> None:
    battle = fought_out(*attackers, defender=defender)
    assert capture_offer(battle.evening.state, battle.declared) is None


def test_infantry_kept_aboard_a_land_transport_takes_an_objective() -> None:
    evening = Evening(NEWER)
    evening.enter()
    evening.jump("s3.t4.allies.declare")
    battle = Fought(NEWER, space="Tunis", evening=evening).attack(("us", "land_transport", 1))
    battle.set(ATTACKING, 0, cargo=(Load("infantry", 1),)).defend(("germany", "anti_air", 1))
    battle.begin().miss()
    offer = capture_offer(evening.state, battle.declared)
    assert offer is not None
    assert offer.own == {"us": 1}


# Bridges


def bridged(*defenders: tuple[str, str, int], ruling: str = "", then: str = "s1.t4.allies.move") -> Fought:
    evening = Evening(NEWER, "italy")
    evening.enter()
    evening.jump("s1.t4.axis.move")
    axis = next(info.id for info in evening.state.frozen_setup.nations if info.side == "axis")
    evening.do(BlowBridge(axis, spaces=("X", "Y")))
    evening.jump(then)
    if ruling:
        evening.rule("blown_bridge", ruling)
    battle = Fought(NEWER, space="y", occasion="movement", evening=evening).attack(("us", "tank", 1))
    for _nation, unit, count in defenders:
        battle.defend((axis, unit, count))
    return battle


def test_over_a_blown_bridge_nobody_enters_a_space_that_the_enemy_holds_alone() -> None:
    battle = bridged(("axis", "infantry", 1))
    battle.evening.refuse(bc.BeginBattle(battle.id), "not_known", "From which space do they enter")
    battle.evening.do(bc.SetCircumstances(battle.id, came_from="x"))
    battle.evening.refuse(bc.BeginBattle(battle.id), "bridge_blown", "X – Y is blown")


def test_over_a_blown_bridge_into_a_contested_space_draws_no_fire() -> None:
    battle = bridged(("axis", "infantry", 1))
    battle.evening.do(bc.SetCircumstances(battle.id, came_from="X", contested=True))
    battle.begin()
    assert battle.declared.status == "over"  # nobody rolls
    assert battle.declared.started is not None
    assert not battle.declared.started.bridge


@pytest.mark.parametrize(("ruling", "may"), [("may_cross", True), ("may_not", False)])
def test_enemies_that_cannot_hold_it_bar_the_way_only_where_the_table_says_so(ruling: str, may: bool) -> None:
    battle = bridged(("axis", "anti_air", 1), ruling=ruling)
    battle.evening.do(bc.SetCircumstances(battle.id, came_from="X"))
    if may:
        battle.begin()
    else:
        battle.evening.refuse(bc.BeginBattle(battle.id), "bridge_blown")


@pytest.mark.parametrize(("came_from", "fires"), [("X", False), ("Z", True)])
def test_only_an_intact_bridge_draws_fire(came_from: str, fires: bool) -> None:
    battle = bridged(("axis", "light_bomber", 1))
    battle.evening.do(bc.SetCircumstances(battle.id, came_from=came_from, bridge=True))
    battle.begin()
    assert (battle.declared.status == "fighting") == fires


def test_those_who_come_another_way_are_not_held_up() -> None:
    battle = bridged(("axis", "infantry", 1))
    battle.evening.do(bc.SetCircumstances(battle.id, came_from="Z"))
    battle.begin()


def test_bridges_are_no_matter_on_the_other_boards() -> None:
    evening = Evening(NEWER)
    evening.enter()
    evening.jump("s3.t4.allies.move")
    battle = Fought(NEWER, space="Tunis", occasion="movement", evening=evening)
    evening.refuse(bc.SetCircumstances(battle.id, bridge=True), "not_in_edition", "Italy board")


def test_the_dice_of_a_mine_are_rolled_one_mine_at_a_time() -> None:
    battle = mined()
    battle.evening.do(bc.ChangeUnits(battle.id, ATTACKING, "destroyer", "italy"), bc.BeginBattle(battle.id))
    two = Roll(DieKind.D12, (Die(DieColour.GRAY, 1),) * 2)
    battle.evening.refuse(bc.RecordRoll(battle.id, (0,), two), "wrong_count")


def test_nobody_pushes_through_behind_a_blown_bridge() -> None:
    """Whoever crosses it ends the move, also where the space is contested and so open."""
    battle = bridged(("axis", "infantry", 1))
    battle.evening.do(bc.SetCircumstances(battle.id, came_from="X", contested=True, push_through=True))
    battle.evening.refuse(bc.BeginBattle(battle.id), "bridge_blown", "cannot push through")
    battle.evening.do(bc.SetCircumstances(battle.id, came_from="Z"))
    battle.begin()


@pytest.mark.parametrize("pushes", [False, True], ids=["into the space", "through it"])
def test_who_came_through_the_fire_of_an_entry_is_proposed_for_the_battle_there(pushes: bool) -> None:
    evening = laid(PlaceToken(GERMANY, "line", "Tunis", "Bone"), then="s3.t4.allies.move")
    entry = Fought(NEWER, space="Tunis", occasion="movement", evening=evening).attack(("us", "tank", 3))
    evening.do(bc.SetCircumstances(entry.id, came_from="Bone", push_through=pushes))
    entry.defend(("germany", "anti_air", 1)).begin()
    entry.roll("defensive_line", "white", 1, 1).roll("defensive_line", "gray", 8)
    evening.jump("s3.t4.allies.declare")
    battle = Fought(NEWER, space="tunis", evening=evening)
    if pushes:
        evening.refuse(bc.RepeatComposition(battle.id), "nothing_known")
        return
    evening.do(bc.RepeatComposition(battle.id))
    groups = battle.declared.battle
    assert [(one.nation, one.unit, one.count) for one in groups.attacking] == [("us", "tank", 2)]
    assert [(one.nation, one.unit, one.count) for one in groups.defending] == [("germany", "anti_air", 1)]


def test_who_enters_joins_those_known_there() -> None:
    evening = laid(PlaceToken(GERMANY, "line", "Tunis", "Bone"), then="s3.t4.allies.declare")
    first = Fought(NEWER, space="Tunis", evening=evening).attack(("us", "tank", 1), ("gb", "infantry", 2))
    first.defend(("germany", "infantry", 1)).begin().miss()
    evening.jump("s3.t5.allies.move")
    entry = Fought(NEWER, space="Tunis", occasion="movement", evening=evening).attack(("us", "tank", 2))
    evening.do(bc.SetCircumstances(entry.id, came_from="Bone"))
    entry.begin().miss()
    evening.jump("s3.t5.allies.declare")
    battle = Fought(NEWER, space="Tunis", evening=evening)
    evening.do(bc.RepeatComposition(battle.id))
    groups = battle.declared.battle
    assert {(one.nation, one.unit): one.count for one in groups.attacking} == {
        ("us", "tank"): 3,
        ("gb", "infantry"): 2,
    }
    assert [(one.nation, one.unit, one.count) for one in groups.defending] == [("germany", "infantry", 1)]

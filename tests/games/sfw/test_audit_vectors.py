"""Worked examples of an audit, each played as it is told: given, when, then; and what lies beside it."""

from __future__ import annotations

import pytest

from companion.core.dice import Die, DieColour, DieKind, Roll
from companion.core.ids import Nation
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules import resupply_record as rs
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING
from companion.games.sfw.rules.control import CorrectControl
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.resupply_values import budget
from companion.games.sfw.rules.supply import network
from companion.games.sfw.rules.support import PlayCard, unit_table_of
from companion.games.sfw.rules.tokens import BlowBridge, PlaceToken, mines_in, reserve
from tests.games.sfw.test_audit_ledger_flow import laid
from tests.games.sfw_editions import BOTH, FIRST, NEWER, Evening, Fought

GB, US, GERMANY, ITALY = (Nation(one) for one in ("gb", "us", "germany", "italy"))
KINDS = ("land", "sea", "air")


@pytest.mark.parametrize("game", BOTH)
def test_s67_a_card_that_prints_a_cost_has_it_and_a_type_is_upgraded_once(game: str) -> None:
    """National Support, Unit Upgrade: from then on the nation fields, buys and loses the upgraded unit alone."""
    level = "yellow" if game == FIRST else "gray"
    card = {"id": "panzer", "name": "Panzer IV", "base": "tank", "nation": "germany", "cost": 7,
            "fire": [{"level": level, "number": 6, "targets": ["land"]}]}  # fmt: skip
    evening = Evening(game)
    evening.enter()
    evening.jump("s3.ns.axis.play")
    evening.do(PlayCard(GERMANY, "Panzer IV", "upgrade", 1, unit=card))
    again = {**card, "id": "p5", "name": "Panzer V"}
    evening.refuse(PlayCard(GERMANY, "Panzer V", "upgrade", 1, unit=again), "upgraded", "once per game")
    evening.do(PlayCard(ITALY, "Carro", "upgrade", 1, unit={**again, "id": "carro", "nation": "italy"}))
    assert unit_table_of(evening.state).units["panzer"].cost == 7
    evening.jump("s4.t4.allies.declare")
    fought = Fought(game, evening=evening)
    evening.refuse(bc.ChangeUnits(fought.id, DEFENDING, "tank", "germany", 1), "upgraded_unit")
    evening.refuse(bc.ChangeUnits(fought.id, DEFENDING, "panzer", "italy", 1), "wrong_nation")
    fought.defend(("germany", "panzer", 1), ("italy", "carro", 1)).attack(("us", "tank", 1)).begin()


@pytest.mark.parametrize(
    ("game", "high", "distance", "number"),
    [
        (NEWER, "mountain", 0, 8),
        (NEWER, "mountain", 1, 9),
        (NEWER, "mountain", 2, 10),
        (FIRST, "mountain", 2, 8),
        (NEWER, "", 2, 0),
        (NEWER, "mountain", 3, 0),
        (FIRST, "mountain", 3, 0),
    ],
)
def test_s68_a_defending_artillery_reaches_as_far_as_an_attacking_one(
    game: str, high: str, distance: int, number: int
) -> None:
    fought = Fought(game, "s3.t4.allies.declare").attack(("us", "tank", 1)).defend(("italy", "infantry", 2))
    fought.defend(("italy", "artillery", 1), distance=min(distance, 1))
    placed = fought.group(DEFENDING, 1, terrain=high, distance=distance)
    if not number:
        fought.evening.refuse(placed, "out_of_range")
        return
    fought.evening.do(placed)
    fought.begin()
    while not fought.dice("artillery"):
        fought.miss(until=str(int(fought.progress.step) + 1))
    assert [need for _colour, need, _dice in fought.dice("artillery")] == [number]


def test_s71_a_mine_that_rolls_12_reaches_a_battleship_and_each_token_goes_back_to_its_nation() -> None:
    mine = PlaceToken(GB, "mine", "E5")
    evening = laid(mine, PlaceToken(US, "mine", "E5"), then="s3.t2.axis.move")
    entry = Fought(NEWER, space="e5", terrain="sea", occasion="movement", evening=evening)
    assert entry.declared.battle.mines == 2
    entry.attack(("italy", "submarine", 1), ("italy", "battleship", 1)).begin()
    entry.roll("mine", "gray", 12)
    assert entry.left(ATTACKING) == {"submarine": 1}
    entry.roll("mine", "gray", 1)
    assert mines_in(evening.state, "E5") == ()
    assert [reserve(evening.state, nation).left for nation in ("gb", "us")] == [6, 6]


@pytest.mark.parametrize(
    ("rolled", "stays"), [((8, 1, 1), False), ((1, 1, 1), True)], ids=["both fall", "contested"]
)
def test_s72_an_italian_line_stands_as_long_as_a_german_can_hold_the_space(
    rolled: tuple[int, ...], stays: bool
) -> None:
    evening = laid(PlaceToken(ITALY, "line", "Tunis", "Bone"), then="s3.t4.allies.declare")
    battle = Fought(NEWER, space="Tunis", evening=evening).attack(("us", "tank", 3))
    battle.defend(("italy", "infantry", 1), ("germany", "infantry", 1)).begin()
    battle.roll("tank", "gray", *rolled).miss()
    assert (len(evening.state.game["tokens"].tokens) == 1) is stays
    assert reserve(evening.state, "italy").left == 5 + (not stays)


@pytest.mark.parametrize(
    ("defenders", "contested", "crosses"),
    [
        ((("germany_10", "infantry", 1),), False, False),
        ((("germany_10", "infantry", 1),), True, True),
        ((("germany_10", "artillery", 1),), False, False),
        ((("germany_10", "land_transport", 1), ("germany_14", "anti_air", 1)), False, True),
    ],
    ids=["held alone", "with a British one", "artillery holds too", "nobody who could hold it"],
)
def test_s75_over_a_blown_bridge(
    defenders: tuple[tuple[str, str, int], ...], contested: bool, crosses: bool
) -> None:
    evening = Evening(NEWER, "italy")
    evening.enter()
    evening.jump("s1.t4.axis.move")
    evening.do(BlowBridge(Nation("germany_10"), spaces=("X", "Y")))
    evening.jump("s1.t4.allies.move")
    entry = Fought(NEWER, space="Y", occasion="movement", evening=evening).attack(("us", "tank", 1))
    entry.defend(*defenders)
    evening.do(bc.SetCircumstances(entry.id, came_from=" x ", contested=contested))
    if not crosses:
        evening.refuse(bc.BeginBattle(entry.id), "bridge_blown")
        return
    entry.begin()
    assert entry.declared.status == "over", "nobody fires at those who cross"
    evening.jump("s1.t4.allies.declare")
    evening.do(bc.DeclareBattle("Y", "land"), bc.RepeatComposition("B"))


def test_s76_hits_on_an_objective_are_taken_off_each_type_of_its_resupply() -> None:
    evening = Evening(NEWER)
    evening.enter()
    evening.jump("s3.t2.allies.declare")
    evening.do(CorrectControl("naples", ITALY))
    evening.enter({f"resupply.{tables(evening.state).board}.naples.{kind}": 5 for kind in KINDS})
    fought = Fought(NEWER, space="naples", evening=evening).attack(("us", "heavy_bomber", 1))
    fought.defend(("italy", "infantry", 1)).set(ATTACKING, 0, bombing=3).begin()
    while (line := fought.progress.lines[0]).dice != 3:
        fought.miss(until=str(int(fought.progress.step) + 1))
    dice = (Die(DieColour(line.colour), 9),) * 3
    evening.do(bc.RecordRoll(fought.id, (0,), Roll(DieKind.D12, dice)))
    fought.miss()
    evening.jump("s3.r.axis.choose")
    for kind in KINDS:
        evening.do(rs.ChooseResupply(ITALY, kind, "naples"))
        assert budget(evening.state, "italy", kind).limit == 2  # type: ignore[union-attr]


@pytest.mark.parametrize("game", BOTH)
def test_s77_a_space_fought_for_says_so_whether_or_not_a_battle_could_be_forced_there(game: str) -> None:
    fought = Fought(game, "s3.t4.allies.declare", "Tunis").attack(("us", "tank", 1))
    evening = fought.defend(("italy", "infantry", 1)).begin().miss().evening
    for forced in ("", "moved"):
        evening.refuse(bc.DeclareBattle(" TUNIS", "land", forced=forced), "fought_here", "Battle A")
    evening.refuse(bc.DeclareBattle("Bone", "land"), "too_late")
    for step in ("s3.t4.axis.declare", "s3.t5.allies.declare", "s4.t4.allies.declare"):
        evening.jump(step)
        evening.do(bc.DeclareBattle("tunis", "land"))


@pytest.mark.parametrize(("entered", "answer"), [(None, "yes"), (True, "yes"), (False, "not known")])
def test_s78_the_link_that_the_text_states_counts_until_the_table_says_otherwise(
    entered: bool | None, answer: str
) -> None:
    """Supply Line Example: Mersa Brega is three spaces from Tripoli. Without it, other hubs may still link it."""
    evening = Evening(NEWER, "nafrica")
    evening.do(CorrectControl("mersa_brega", GERMANY))
    if entered is not None:
        evening.enter({f"link.mersa_brega.tripoli_{one}": entered for one in ("germany", "italy")})
    found = network(evening.state, "axis").judge("mersa_brega")
    assert not found.is_no
    assert ("not known" if found.is_unknown else "yes") == answer

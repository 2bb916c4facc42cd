"""The worked examples of the first edition's rulebook as vectors, played through the commands (EXAMPLES B)."""

from __future__ import annotations

import pytest

from companion.core.dice import Die, DieColour, DieKind, Roll
from companion.core.ids import Nation
from companion.core.ledger import quarters_text
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING
from companion.games.sfw.rules.battle_fire import rolls
from companion.games.sfw.rules.battle_losses import Hit
from companion.games.sfw.rules.battle_progress import END
from companion.games.sfw.rules.battle_rolls import Reason
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.control import TakeControl, holder, totals
from companion.games.sfw.rules.desert import DesertRoll, RollDesert, SettleDesert, open_roll
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.resupply_record import ChooseResupply, Place, Purchase
from companion.games.sfw.rules.resupply_values import adjusted
from tests.games.sfw_editions import FIRST, Evening, Fought

GB, US, GERMANY, ITALY = (Nation(name) for name in ("gb", "us", "germany", "italy"))


def test_o01_a_fighter_needs_seven_against_air() -> None:
    fought = Fought(FIRST, "s3.t1.allies.declare").attack(("us", "fighter", 1))
    fought.defend(("germany", "air_transport", 2)).begin()
    assert fought.asked() == [(ATTACKING, "fighter", "blue", 7, 1)]
    fought.roll("fighter", "blue", 7)
    assert fought.left(DEFENDING) == {"air_transport": 1}


def test_o02_submarine_and_destroyer() -> None:
    fought = Fought(FIRST, "s3.t3.allies.declare", "C4", "sea")
    fought.attack(("us", "submarine", 1), ("us", "destroyer", 1)).defend(
        ("italy", "sea_transport", 3)
    ).begin()
    assert fought.dice("submarine") == [("blue", 9, 1)]
    assert fought.dice("destroyer") == [("blue", 8, 1)]
    fought.roll("submarine", "blue", 8).roll("destroyer", "blue", 8)
    assert fought.left(DEFENDING) == {"sea_transport": 2}


def test_o04_a_cruisers_twelve_destroys_a_battleship() -> None:
    fought = Fought(FIRST, "s3.t3.allies.declare", "C4", "sea").attack(("us", "cruiser", 1))
    fought.defend(("italy", "battleship", 1)).begin()
    fought.roll("battleship", "red", 1).roll("battleship", "yellow", 1).roll("cruiser", "blue", 11)
    fought.roll("cruiser", "yellow", 12)
    assert fought.left(DEFENDING) == {}


def test_o05_a_battleship_hits_up_to_twice() -> None:
    fought = Fought(FIRST, "s3.t3.allies.declare", "C4", "sea").attack(("us", "battleship", 1))
    fought.defend(("italy", "cruiser", 2), ("italy", "destroyer", 3)).begin().miss(until="5")
    fought.roll("cruiser", "blue", 1, 1).roll("cruiser", "yellow", 1, 1)
    fought.roll("battleship", "red", 8).roll("battleship", "yellow", 6)
    assert fought.progress.owed[1].plain == (
        Hit(2, fought.progress.owed[1].plain[0].aim),
        Hit(3, fought.progress.owed[1].plain[0].aim),
    )
    # Red takes 2 Cruisers or 3 Destroyers, yellow then 2 Destroyers or 1 Cruiser.
    fought.evening.refuse(
        fought.losses(DEFENDING, ("italy", "cruiser", 1)),
        "illegal_losses",
        "The hits remove more units.",
    )
    fought.lose(DEFENDING, ("italy", "cruiser", 2), ("italy", "destroyer", 2))
    assert fought.left(DEFENDING) == {"destroyer": 1}


def test_o07_a_precise_hit_is_the_shooters_choice() -> None:
    fought = Fought(FIRST, "s3.t1.allies.declare").attack(("us", "fighter", 1))
    fought.defend(("germany", "fighter", 1), ("germany", "heavy_bomber", 1)).begin()
    fought.roll("fighter", "blue", 1, side=DEFENDING).roll("fighter", "blue", 12, side=ATTACKING)
    assert fought.progress.owed[1].precise
    fought.lose(DEFENDING, ("germany", "heavy_bomber", 1))
    assert fought.left(DEFENDING) == {"fighter": 1}


def test_o08_who_acts_first() -> None:
    steps = [step.id for step in Evening(FIRST, "nov42").state.itinerary]
    for stage, sides in ((1, ("allies", "axis")), (2, ("axis", "allies"))):
        for number in (1, 2, 3, 4, 5):
            acts = [
                f"s{stage}.t{number}.{side}.{act}" for side in sides for act in ("move", "declare", "resolve")
            ]
            at = steps.index(acts[0])
            assert steps[at : at + 6] == acts
        assert steps.index(f"s{stage}.t6.{sides[0]}.return") + 1 == steps.index(
            f"s{stage}.t6.{sides[1]}.return"
        )


def test_o09_a_landing_with_paired_markers() -> None:
    fought = Fought(FIRST, "s3.t2.axis.declare", "Tobruk")
    fought.attack(("italy", "sea_transport", 1), ("germany", "sea_transport", 1), distance=1, origin="E5")
    fought.load(0, ("tank", 3)).load(1, ("artillery", 1), ("infantry", 1)).defend(
        ("gb", "infantry", 1)
    ).begin()
    assert fought.progress.step == "7C"
    fought.roll("infantry", "blue", 1)
    left = battles_of(fought.evening.state).compositions["Tobruk"]["axis"]
    ashore = {(group.nation, group.unit): group.count for group in left if not group.distance}
    assert ashore == {("italy", "tank"): 3, ("germany", "artillery"): 1, ("germany", "infantry"): 1}


def test_o10_push_through() -> None:
    fought = Fought(FIRST, "s3.t1.axis.move", "Bir Hakeim", occasion="movement")
    fought.attack(("germany", "fighter", 3)).defend(("gb", "light_bomber", 1), ("gb", "anti_air", 1)).begin()
    assert fought.asked() == [
        (DEFENDING, "light_bomber", "blue", 10, 1),
        (DEFENDING, "anti_air", "blue", 9, 1),
    ]
    fought.roll("light_bomber", "blue", 9).roll("anti_air", "blue", 9)
    assert fought.left(ATTACKING) == {"fighter": 2}
    assert fought.progress.step == END
    assert not battles_of(fought.evening.state).used  # a bonus roll is no defence spent


def test_o11_a_tank_against_a_bomber() -> None:
    fought = Fought(FIRST).attack(("us", "tank", 1)).defend(("germany", "light_bomber", 1)).begin()
    assert fought.asked() == [(DEFENDING, "light_bomber", "yellow", 8, 1)]
    progress = fought.progress
    silent = rolls(fought.fight, "6", ATTACKING, progress.attacking, progress.defending).silent
    assert [entry.reason for entry in silent] == [Reason.NO_TARGET]


def test_o12_one_marker_in_a_contested_space() -> None:
    fought = Fought(FIRST, "s3.t3.allies.declare", "D5", "sea")
    fought.attack(("gb", "destroyer", 1), ("gb", "submarine", 1)).defend(("italy", "submarine", 2))
    fought.evening.refuse(bc.DeclareBattle("D5", "sea"), "space_taken", "Battle A is already declared in D5.")
    assert len(fought.begin().asked()) == 3


def test_o13_artillery_from_a_mountain_reaches_two_spaces() -> None:
    fought = Fought(FIRST, "s3.t4.axis.declare", "E2", "sea")
    fought.attack(("italy", "artillery", 1), distance=2, origin="Monte").defend(("us", "cruiser", 1))
    fought.set(ATTACKING, 0, terrain="mountain").begin()
    assert fought.asked() == [(ATTACKING, "artillery", "yellow", 8, 1)]  # the Cruiser's range is 1


def test_o14_tanks_land_at_naples() -> None:
    fought = Fought(FIRST, "s3.t2.allies.declare", "Naples")
    fought.attack(("us", "sea_transport", 1), distance=1, origin="C4").load(0, ("tank", 2))
    fought.defend(("germany", "infantry", 3)).begin()
    assert fought.asked() == [(DEFENDING, "infantry", "blue", 9, 3)]
    fought.roll("infantry", "blue", 9, 9, 12)
    # Blue hits cannot take a Tank; the 12 levels up and does.
    assert fought.left(ATTACKING) == {"sea_transport": 1, "tank": 1}
    assert fought.declared.status == "over"
    assert holder(fought.evening.state, "naples").nation == "germany"


def test_o16_two_submarines_concentrate_on_a_cruiser() -> None:
    fought = Fought(FIRST, "s3.t3.allies.declare", "C4", "sea").attack(("us", "submarine", 2))
    fought.defend(("italy", "cruiser", 1)).set(ATTACKING, 0, combined=True).begin()
    assert fought.progress.step == "7A"  # the Cruiser has no sonar; they wait for the last step
    fought.roll("submarine", "blue", 9, 9)
    aim = fought.progress.owed[1].plain[0].aim
    fought.evening.refuse(bc.CombineHits(fought.id, (Hit(3, aim),)), "bad_combination")
    fought.evening.do(bc.CombineHits(fought.id, (Hit(2, aim),)))
    assert fought.left(DEFENDING) == {}


def test_four_infantry_stack_to_one_red_hit() -> None:
    fought = Fought(FIRST).attack(("us", "infantry", 4)).defend(("germany", "tank", 3))
    fought.set(ATTACKING, 0, combined=True).begin().miss(until="7A").roll("infantry", "blue", 9, 9, 9, 9)
    aim = fought.progress.owed[1].plain[0].aim
    fought.evening.do(bc.CombineHits(fought.id, (Hit(3, aim),)))
    assert fought.left(DEFENDING) == {"tank": 1}


def test_example_6_a_basic_battle() -> None:
    """A German Light Bomber over Malta: the gun's 5 misses, the bomber's 11 takes the Tank, not the gun."""
    fought = Fought(FIRST, "s3.t2.axis.declare", "Malta").attack(("germany", "light_bomber", 1))
    fought.defend(("gb", "anti_air", 1), ("us", "tank", 1)).begin()
    assert fought.progress.step == "1"
    fought.roll("anti_air", "blue", 5)
    assert fought.progress.step == "3"
    fought.roll("light_bomber", "yellow", 11)
    assert fought.left(DEFENDING) == {"anti_air": 1}
    assert (fought.declared.status, fought.progress.step) == ("over", END)


def test_o18_both_guns_may_support() -> None:
    fought = Fought(FIRST, "s3.t4.axis.declare").attack(("italy", "tank", 2)).defend(("gb", "tank", 1))
    fought.attack(("germany", "artillery", 1), distance=1, home="South")
    fought.defend(("us", "artillery", 1), distance=1, home="North").begin()
    assert fought.asked() == [
        (ATTACKING, "artillery", "yellow", 8, 1),
        (DEFENDING, "artillery", "yellow", 8, 1),
    ]
    fought.miss()
    used = {(entry.role, entry.home, entry.unit) for entry in battles_of(fought.evening.state).used}
    assert {(ATTACKING, "South", "artillery"), (DEFENDING, "North", "artillery")} <= used


def test_o19_tripoli_is_kept_by_one_infantry() -> None:
    evening = Evening(FIRST, "nov42")
    evening.jump("s1.t4.allies.resolve")
    evening.refuse(TakeControl("tripoli", US, {"us": 15}, {"italy": 1}), "still_defended")
    evening.refuse(TakeControl("tripoli", US, {"us": 2, "gb": 2}), "teammates_agree")
    evening.do(TakeControl("tripoli", US, {"us": 15}))
    assert holder(evening.state, "tripoli").nation == "us"
    now = totals(evening.state).quarters
    assert (quarters_text(now["allies"]), quarters_text(now["axis"])) == ("31", "48")


@pytest.mark.parametrize(("scenario", "allies", "axis"), [("nov42", "26", "53"), ("apr43", "38.5", "40.5")])
def test_o20_totals_are_the_sums_of_the_tiles(scenario: str, allies: str, axis: str) -> None:
    state = Evening(FIRST, scenario).state
    sites = tables(state).sites.values()
    for side, told in (("allies", allies), ("axis", axis)):
        held = sum(site.vp or 0 for site in sites if holder(state, site.id).side == side)
        assert quarters_text(held) == told == quarters_text(totals(state).quarters[side])
        assert all(holder(state, site.id).nation is not None for site in sites)
    assert sum(site.vp or 0 for site in sites) == 79 * 4


def test_o22_tripolis_values_and_the_halving_of_a_contested_objective() -> None:
    state = Evening(FIRST, "nov42").state
    assert [adjusted(state, "tripoli", kind).value for kind in ("land", "sea", "air")] == [16, 12, 10]


def test_o23_three_resupplies_at_three_objectives() -> None:
    evening = Evening(FIRST)
    values = {
        f"resupply.theater.{site}.{kind}": 9
        for site in ("naples", "athens", "palermo")
        for kind in ("land", "sea", "air")
    }
    evening.enter({**values, "tank.cost": 4})
    evening.jump("s3.r.axis.choose")
    for kind, site in (("land", "naples"), ("sea", "athens"), ("air", "palermo")):
        evening.do(ChooseResupply(GERMANY, kind, site))
    evening.refuse(ChooseResupply(ITALY, "land", "naples"), "not_yours")
    evening.jump("s3.r.axis.place")
    evening.refuse(Purchase(GERMANY, "land", "infantry", 1), "cost_unknown", "The cost of infantry")
    evening.do(Purchase(GERMANY, "land", "tank", 2))
    evening.refuse(
        Purchase(GERMANY, "land", "tank", 1), "over_budget", "Only 9 to spend on land units; you need 12"
    )
    evening.do(Place(GERMANY, "land"))


# Deserts (O24)


def _roll_of(*colours: DieColour) -> Roll:
    return Roll(DieKind.D12, tuple(Die(colour, 3) for colour in colours))


def _enter(evening: Evening, units: dict[str, int], *values: int, nation: Nation = ITALY) -> DesertRoll:
    dice = tuple(Die(DieColour.YELLOW, value) for value in values)
    evening.do(RollDesert("Siwa", nation, units, Roll(DieKind.D12, dice)))
    found: DesertRoll = evening.state.game["desert"].rolls[-1]
    return found


@pytest.mark.parametrize(
    ("units", "values", "back", "to_halt", "halted", "is_settled"),
    [
        ({"infantry": 2, "tank": 1}, (9, 9, 9), 0, 0, {}, True),
        ({"infantry": 2, "tank": 1}, (10, 9, 1), 2, 0, {}, True),
        ({"infantry": 2, "tank": 1}, (10, 11, 1), 2, 1, {"tank": 1}, True),
        ({"infantry": 1, "tank": 1}, (12, 1), 0, 1, {"tank": 1}, True),
        ({"infantry": 1, "anti_air": 1}, (12, 12), 0, 0, {}, True),
        ({"infantry": 3, "tank": 2}, (10, 10, 1, 1, 1), 2, 1, {"tank": 1}, True),
        ({"tank": 1, "artillery": 1}, (10, 9), 0, 1, {}, False),
        ({"tank": 1, "artillery": 1}, (10, 12), 0, 2, {"tank": 1, "artillery": 1}, True),
        ({"land_transport": 3}, (10, 9, 9), 0, 1, {"land_transport": 1}, True),
    ],
)
def test_o24_what_a_desert_roll_costs(
    units: dict[str, int],
    values: tuple[int, ...],
    back: int,
    to_halt: int,
    halted: dict[str, int],
    *,
    is_settled: bool,
) -> None:
    evening = Evening(FIRST)
    evening.jump("s3.t4.axis.move")
    entry = _enter(evening, units, *values)
    assert (entry.sent_back, entry.to_halt, entry.halted, entry.is_settled) == (
        back,
        to_halt,
        halted,
        is_settled,
    )


def test_o24_the_nation_names_who_halts_before_the_act_ends() -> None:
    evening = Evening(FIRST)
    evening.jump("s3.t4.axis.move")
    entry = _enter(evening, {"tank": 2, "artillery": 1}, 10, 1, 1)
    assert open_roll(evening.state) == entry
    rules = evening.desk.rules
    assert rules is not None
    left = rules.leaving(evening.state, evening.state.step)
    assert left is not None
    assert "Choose first which unit halts in Siwa." in str(left.detail)
    again = RollDesert("Siwa", ITALY, {"tank": 1}, Roll(DieKind.D12, (Die(DieColour.YELLOW, 3),)))
    evening.refuse(again, "settle_first", "which unit halts in Siwa")
    evening.refuse(
        SettleDesert(entry.id, {"tank": 2}),
        "illegal_halt",
        "1 of these units must halt: 2 tank, 1 artillery.",
    )
    evening.refuse(SettleDesert(9, {"tank": 1}), "no_roll")
    evening.do(SettleDesert(entry.id, {"tank": 1}))
    assert evening.state.game["desert"].rolls[-1].halted == {"tank": 1}
    evening.do(again)


@pytest.mark.parametrize(
    ("step", "command", "code", "words"),
    [
        ("s3.t4.allies.move", RollDesert("Siwa", ITALY, {"tank": 1}, _roll_of()), "not_your_act", "turn to move: allies."),
        ("s3.t4.axis.resolve", RollDesert("Siwa", ITALY, {"tank": 1}, _roll_of()), "not_now", "while units move"),
        ("s3.t6.axis.return", RollDesert("Siwa", ITALY, {"tank": 1}, _roll_of()), "not_now", "in movement steps 1-5."),
        ("s3.t4.axis.move", RollDesert(" ", ITALY, {"tank": 1}, _roll_of()), "bad_value", "desert space"),
        ("s3.t4.axis.move", RollDesert("Siwa", ITALY, {"fighter": 1}, _roll_of()), "bad_value", "No land unit of this nation"),
        ("s3.t4.axis.move", RollDesert("Siwa", ITALY, {"tank": -1}, _roll_of()), "bad_value", "tank: choose 0-99, not -1."),
        ("s3.t4.axis.move", RollDesert("Siwa", ITALY, {}, _roll_of()), "bad_value", "land units that enter"),
        ("s3.t4.axis.move", RollDesert("Siwa", ITALY, {"tank": 1}, _roll_of(DieColour.BLUE)), "wrong_dice", "1 yellow"),
        ("s3.t4.axis.move", RollDesert("Siwa", ITALY, {"tank": 2}, _roll_of(DieColour.YELLOW)), "wrong_dice", "2 yellow dice, not 1 die"),
    ],
)  # fmt: skip
def test_o24_nonsense_is_refused(step: str, command: RollDesert, code: str, words: str) -> None:
    evening = Evening(FIRST)
    evening.jump(step)
    evening.refuse(command, code, words)

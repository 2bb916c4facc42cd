"""The attack calculator against the rulebook's examples U01-U18 and the permissible attacks chart."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.games.tsu.rules.attack import planner, supply_needed, verdict
from companion.games.tsu.rules.forces import Attack, Attacker
from companion.games.tsu.rules.game_rules import tables_of
from companion.games.tsu.rules.losses import removals
from companion.games.tsu.rules.new_game import TsuFamily
from companion.games.tsu.rules.units import Unit
from companion.session.scenario_loader import load_game

LOADED = load_game(TsuFamily())
TABLES = tables_of({"game": LOADED.data.raw["game"]})


def unit(kind: str, nation: str = "britain", name: str = "", **more: Any) -> Unit:
    return Unit(kind, nation, name, **more)


def by_rail(kind: str, nation: str = "britain", origin: str = "A", **more: Any) -> Attacker:
    return Attacker(unit(kind, nation), origin, "black", **more)


def by_sea(kind: str, nation: str = "britain", origin: str = "Sea", **more: Any) -> Attacker:
    return Attacker(unit(kind, nation), origin, "blue", from_sea=True, **more)


def landing(kind: str, nation: str = "us", origin: str = "Sea") -> tuple[Attacker, ...]:
    army = Attacker(Unit(kind, nation, loaded=True), origin, "blue", from_sea=True, landing=True)
    craft = Attacker(Unit("landing_craft", nation), origin, "blue", from_sea=True, landing=True)
    return army, craft


def attack(attackers: tuple[Attacker, ...], *defenders: Unit, **more: Any) -> Attack:
    more = {"target": "T", "area": "coastal", "season": "summer", "supplies": 1, **more}
    return Attack(attackers=attackers, defenders=defenders, **more)


def faults(made: Attack) -> tuple[str, ...]:
    return tuple(str(fault) for fault in verdict(made, TABLES).faults)


GERMAN_PANZER = unit("panzer", "germany")
GERMAN_TACTICAL = unit("tactical", "germany")


class TestExamples:
    def test_u01_a_partial_loss_kills(self) -> None:
        judged = verdict(attack((by_rail("panzer"), by_rail("tactical")), GERMAN_PANZER), TABLES)
        assert (judged.attack_value, judged.defence_value, judged.difference) == (3, 2, 1)
        assert [r.units for r in judged.removals] == [(GERMAN_PANZER,)]

    def test_example_2_both_go_or_the_panzer_alone(self) -> None:
        made = attack(
            (by_rail("panzer"), by_rail("panzer"), by_rail("tactical")), GERMAN_PANZER, GERMAN_TACTICAL
        )
        judged = verdict(made, TABLES)
        assert judged.difference == 2
        assert [{u.kind for u in r.units} for r in judged.removals] == [{"panzer"}, {"panzer", "tactical"}]

    def test_u03_equal_values_change_nothing(self) -> None:
        judged = verdict(attack((by_rail("panzer"),), GERMAN_PANZER), TABLES)
        assert judged.allowed
        assert not judged.wins
        assert judged.removals == ()

    def test_u04_malta_falls_to_flotilla_tactical_and_parachute(self) -> None:
        inside = (
            Attacker(unit("flotilla", "italy"), "Malta", "inside"),
            Attacker(unit("tactical", "germany"), "Malta", "inside"),
            Attacker(unit("parachute", "germany"), "Malta", "inside", landing=True),
        )
        judged = verdict(
            attack(inside, unit("fort", name="Malta", fort_value=1), season="spring", target="Malta"), TABLES
        )
        assert (judged.attack_value, judged.defence_value) == (2, 1)
        assert judged.possession
        assert judged.supplies_needed == 1
        assert [u.kind for u in judged.removals[0].units] == ["fort"]

    def test_u05_tobruk_falls_to_panzer_and_tactical(self) -> None:
        made = attack(
            (by_rail("panzer", "germany"), by_rail("tactical", "italy")), unit("panzer", name="8th Army")
        )
        judged = verdict(made, TABLES)
        assert judged.wins
        assert judged.removals[0].units[0].name == "8th Army"

    def test_u11_two_land_units_by_road_need_two_supplies(self) -> None:
        road = tuple(Attacker(unit(kind), "Western Desert", "road") for kind in ("panzer", "infantry"))
        fleet = by_sea("flotilla", origin="Eastern Mediterranean")
        made = attack((*road, fleet), GERMAN_PANZER, GERMAN_TACTICAL, supplies=2, season="spring")
        judged = verdict(made, TABLES)
        assert judged.allowed
        assert (judged.attack_value, judged.defence_value, judged.supplies_needed) == (4, 3, 2)
        assert [{u.kind for u in r.units} for r in judged.removals] == [{"panzer"}, {"tactical"}]
        assert judged.removals[0].retreats, "the Tactical leaves for the Ionian Sea"

    def test_u16_a_carrier_may_attack_a_flotilla_but_not_the_other_way_alone(self) -> None:
        carrier, flotilla = unit("carrier"), unit("flotilla", "italy")
        assert verdict(attack((by_sea("carrier"),), flotilla), TABLES).allowed
        refused = verdict(attack((by_sea("flotilla", "italy", "Taranto"),), carrier, area="sea"), TABLES)
        assert not refused.allowed
        escorted = (
            by_sea("flotilla", "italy", "Taranto"),
            Attacker(unit("tactical", "italy"), "Taranto", "blue"),
        )
        assert verdict(attack(escorted, carrier, area="sea"), TABLES).allowed

    def test_u18_two_landings_of_one_attack_need_two_supplies(self) -> None:
        drop = Attacker(unit("parachute", "us"), "Malta", "blue", landing=True)
        made = attack((*landing("panzer"), drop), unit("infantry", "italy"))
        assert supply_needed(made, TABLES) == 2


class TestLandings:
    def test_a_landing_craft_counts_when_landing_and_is_lost(self) -> None:
        judged = verdict(attack(landing("panzer"), unit("infantry", "italy")), TABLES)
        assert judged.attack_value == 3
        assert judged.landing_craft_lost

    def test_no_landing_in_the_winter_zone_in_winter(self) -> None:
        made = attack(
            landing("panzer"), unit("infantry", "italy"), season="winter", winter_zone=True, supplies=2
        )
        assert "No landings in the winter zone in Winter." in faults(made)

    def test_no_sea_landing_against_a_tactical_without_aircraft(self) -> None:
        bare = attack(landing("panzer"), unit("infantry", "italy"), unit("tactical", "italy"))
        assert any("without one of your own" in fault for fault in faults(bare))
        covered = attack(
            (*landing("panzer"), by_sea("carrier")), unit("infantry", "italy"), unit("tactical", "italy")
        )
        assert verdict(covered, TABLES).allowed

    def test_a_land_unit_never_crosses_a_sea_lane_without_landing(self) -> None:
        made = attack((by_sea("infantry"),), unit("infantry", "italy"))
        assert "only in a landing" in faults(made)[0]

    def test_an_army_without_a_craft_cannot_land(self) -> None:
        army, _ = landing("panzer")
        assert any("needs its own Landing Craft" in f for f in faults(attack((army,), unit("supply"))))


class TestWeatherAndSupply:
    def test_winter_doubles_supply_north_of_the_line_only(self) -> None:
        made = attack((by_rail("panzer"),), unit("infantry", "italy"), season="winter", winter_zone=True)
        assert faults(made) == ("This attack needs 2 supplies; it has 1.",)
        south = attack((by_rail("panzer"),), unit("infantry", "italy"), season="winter")
        assert verdict(south, TABLES).allowed

    def test_spring_mud_parts_two_armies(self) -> None:
        made = attack(
            (by_rail("panzer"), by_rail("infantry")),
            unit("infantry", "italy"),
            season="spring",
            winter_zone=True,
        )
        assert "spring mud" in faults(made)[0]

    def test_without_supply_there_is_no_attack(self) -> None:
        assert not verdict(
            attack((by_rail("panzer"),), unit("infantry", "italy"), supplies=0), TABLES
        ).allowed


class TestFortsAndArmies:
    def test_a_panzer_is_worth_1_against_a_fort(self) -> None:
        judged = verdict(attack((by_rail("panzer"),), unit("fort", name="Gibraltar", fort_value=1)), TABLES)
        assert judged.attack_value == 1

    def test_an_unknown_fort_value_stops_the_attack_by_name(self) -> None:
        made = attack((by_rail("panzer"),), unit("fort", name="Gibraltar"))
        assert faults(made) == ("Enter the printed value of this Fort first: Gibraltar.",)

    def test_a_fort_is_taken_last(self) -> None:
        defenders = (unit("infantry"), unit("fort", name="Malta", fort_value=1))
        choices = removals(defenders, defenders, 1, TABLES)
        assert [[u.kind for u in r.units] for r in choices] == [["infantry"]]
        assert not choices[0].retreats

    def test_a_reorganized_german_infantry_attacks_with_0_and_defends_with_2(self) -> None:
        infantry = unit("infantry", "germany")
        judged = verdict(attack((by_rail("panzer"),), infantry, reorganized=True), TABLES)
        assert judged.defence_value == 2
        weak = verdict(attack((by_rail("infantry", "germany"),), unit("supply"), reorganized=True), TABLES)
        assert weak.attack_value == 0

    def test_a_loaded_unit_has_no_value(self) -> None:
        judged = verdict(attack((by_sea("flotilla"),), unit("convoy"), unit("infantry", loaded=True)), TABLES)
        assert judged.defence_value == 0

    def test_units_of_value_0_may_leave_before_the_combat_when_no_aircraft_attacks(self) -> None:
        made = attack((by_rail("panzer"),), unit("supply"), unit("infantry"))
        assert [u.kind for u in verdict(made, TABLES).may_retreat_before] == ["supply"]
        flown = attack((by_rail("panzer"), by_rail("tactical")), unit("supply"), unit("infantry"))
        assert verdict(flown, TABLES).may_retreat_before == ()


@pytest.mark.parametrize(
    ("attackers", "defenders", "allowed"),
    [
        ((by_rail("tactical"),), (unit("infantry", "italy"),), False),
        ((by_sea("flotilla"),), (unit("infantry", "italy"),), False),
        ((by_rail("tactical"),), (GERMAN_TACTICAL,), True),
        ((by_rail("panzer"),), (GERMAN_TACTICAL,), False),
        ((by_rail("panzer"),), (unit("flotilla", "italy"),), False),
        ((by_rail("tactical"),), (unit("infantry", "italy"), GERMAN_TACTICAL), True),
        ((by_rail("tactical"),), (unit("infantry", "italy"), unit("flotilla", "italy")), True),
        ((by_sea("carrier"),), (GERMAN_TACTICAL,), True),
        ((by_rail("convoy"),), (GERMAN_TACTICAL,), False),
    ],
)
def test_the_chart(attackers: tuple[Attacker, ...], defenders: tuple[Unit, ...], allowed: bool) -> None:
    assert verdict(attack(attackers, *defenders), TABLES).allowed is allowed


def test_air_combat_leaves_the_land_units_out() -> None:
    made = attack((by_rail("tactical"),), unit("infantry", "italy"), GERMAN_TACTICAL)
    judged = verdict(made, TABLES)
    assert judged.facing == (GERMAN_TACTICAL,)
    assert not judged.possession


def test_nobody_and_nothing_are_refused() -> None:
    assert faults(attack((), GERMAN_PANZER)) == ("Nobody attacks.",)
    assert "Move in instead" in faults(attack((by_rail("panzer"),)))[0]
    assert faults(attack((by_rail("elephant"),), GERMAN_PANZER)) == ("elephant is not a kind of unit.",)


def test_the_planner_names_the_single_unit_that_would_win() -> None:
    failing = attack((by_rail("panzer"),), GERMAN_PANZER)
    found = planner(failing, TABLES)
    assert [r.kind for r in found] == [
        "infantry",
        "panzer",
        "tactical",
        "carrier",
        "flotilla",
        "landing_craft",
    ]
    assert found[0].attack_value == 3
    assert found[0].supplies_needed == 1


KINDS = st.sampled_from(
    ["panzer", "infantry", "parachute", "supply", "tactical", "flotilla", "carrier", "convoy"]
)


@given(st.lists(KINDS, min_size=1, max_size=6), st.integers(1, 8))
def test_every_choice_of_losses_pays_and_no_more_than_it_must(kinds: list[str], loss: int) -> None:
    defenders = tuple(unit(kind, "italy") for kind in kinds)
    values = {kind: TABLES.units[kind].value or 0 for kind in kinds}
    total = sum(values[kind] for kind in kinds)
    choices = removals(defenders, defenders, loss, TABLES)
    assert choices
    for choice in choices:
        assert len(choice.units) + len(choice.survivors) == len(defenders)
        assert choice.value == sum(values[u.kind] for u in choice.units)
        if total < loss:
            assert not choice.survivors
        else:
            assert choice.value >= loss
            assert any(values[u.kind] and choice.value - values[u.kind] < loss for u in choice.units)

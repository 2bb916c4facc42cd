"""Fine points of The Soft Underbelly that a rules lawyer asks about, each with its section in the name or docstring."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from companion.core.commands import SetRuling
from companion.core.ids import Side
from companion.games.tsu.rules.attack import landing_supply, planner, supply_needed, verdict
from companion.games.tsu.rules.commands import (
    ChangeBox,
    ControlStar,
    DeclareAttack,
    DropAttack,
    Replace,
    ReportHappening,
    ResolveAttack,
    RetreatBefore,
    TakeStar,
)
from companion.games.tsu.rules.forces import Attack, Attacker
from companion.games.tsu.rules.game_rules import tables_of
from companion.games.tsu.rules.losses import removals
from companion.games.tsu.rules.state import budget
from companion.games.tsu.rules.units import Unit
from companion.games.tsu.rules.victory import if_ended_now
from tests.games.tsu.test_tsu_attack import TABLES, attack, by_rail, by_sea, faults, landing, unit
from tests.games.tsu.test_tsu_play import BRITAIN, GERMANY, ITALY, US, Table

GERMAN_SUPPLY = Unit("supply", "germany")


def rail(kind: str = "panzer", nation: str = "germany", origin: str = "A", name: str = "") -> Attacker:
    return Attacker(Unit(kind, nation, name), origin, "black")


def against(target: str, *attackers: Attacker, defenders: tuple[Unit, ...] = ()) -> Attack:
    return Attack(target, "coastal", "", attackers, defenders or (Unit("infantry", "britain"),))


class TestSupply:
    """Supply; Dedicated Supply."""

    def table(self) -> Table:
        table = Table()
        table.to_step("su1941.axis.supply")
        return table

    def test_one_supply_supports_two_attacks(self) -> None:
        table = self.table()
        table.do(DeclareAttack(table.at, against("X", rail(origin="A")), (GERMAN_SUPPLY,)))
        table.do(DeclareAttack(table.at, against("Y", rail(origin="B")), (), (1,)))
        assert [d.supplies for d in table.own.attacks] == [(1,), (1,)]
        assert table.own.boxes[GERMANY] == {"supply": 1}

    def test_a_number_without_a_unit_is_no_supply(self) -> None:
        table = self.table()
        claimed = Attack("X", "coastal", "", (rail(),), (Unit("infantry", "britain"),), supplies=3)
        assert "This attack needs 1 supply; it has 0." in str(
            table.refusal(DeclareAttack(table.at, claimed)).detail
        )

    def test_a_landings_supply_supports_nothing_else(self) -> None:
        table = Table()
        table.to_step("su1943.allies.supply")
        convoy = (Unit("convoy", "us"),)
        italian = (Unit("infantry", "italy"),)
        sea = against("Naples", *landing("panzer"), defenders=italian)
        table.do(DeclareAttack(table.at, sea, convoy))
        other = against("Y", rail("panzer", "us", "Sicily"), defenders=italian)
        assert "cannot support another attack" in str(
            table.refusal(DeclareAttack(table.at, other, (), (1,))).detail
        )

    def test_a_landing_is_not_fed_by_another_attacks_supply(self) -> None:
        table = Table()
        table.to_step("su1943.allies.supply")
        italian = (Unit("infantry", "italy"),)
        table.do(
            DeclareAttack(
                table.at,
                against("Y", rail("panzer", "us", "Sicily"), defenders=italian),
                (Unit("supply", "us"),),
            )
        )
        sea = against("Naples", *landing("panzer"), defenders=italian)
        refused = table.refusal(DeclareAttack(table.at, sea, (), (1,)))
        assert "The landing needs 1 supply that supports nothing else; it has 0." in str(refused.detail)

    def test_u13_one_convoy_feeds_everything_that_it_touches(self) -> None:
        """Example 1: Sicily to Naples by rail, the Ionian stack and the Sicilian flotilla to Taranto."""
        table = Table()
        table.to_step("su1943.allies.supply")
        naples = against(
            "Naples",
            rail("panzer", "britain", "Sicily", "8th Army"),
            defenders=(Unit("infantry", "italy"),),
        )
        fleet = (
            Attacker(Unit("carrier", "britain"), "Ionian Sea", "blue", from_sea=True),
            Attacker(Unit("tactical", "britain"), "Ionian Sea", "blue", from_sea=True),
            Attacker(Unit("flotilla", "britain"), "Sicily", "blue"),
        )
        taranto = against("Taranto", *fleet, defenders=(Unit("flotilla", "italy"),))
        table.do(DeclareAttack(table.at, naples, (Unit("convoy", "britain"),)))
        table.do(DeclareAttack(table.at, taranto, (), (1,)))
        assert table.own.boxes[BRITAIN] == {"convoy": 1}

    def test_supply_is_named_before_the_first_combat(self) -> None:
        table = self.table()
        table.do(DeclareAttack(table.at, against("X", rail(origin="A")), (GERMAN_SUPPLY,)))
        table.next()
        table.do(ResolveAttack(table.at, 1, 0))
        late = table.refusal(DeclareAttack(table.at, against("Y", rail(origin="B")), (), (1,)))
        assert "Name every attack of a supply before the first of them is fought." in str(late.detail)
        table.do(DeclareAttack(table.at, against("Y", rail(origin="B")), (Unit("convoy", "italy"),)))

    def test_supply_stays_spent_when_the_attack_is_given_up(self) -> None:
        table = self.table()
        table.do(DeclareAttack(table.at, against("X", rail(origin="A")), (GERMAN_SUPPLY,)))
        table.do(DropAttack(table.at, 1))
        assert table.own.boxes[GERMANY] == {"supply": 1}
        for number in (1, 2):  # given up already, and never declared
            assert table.refusal(DropAttack(table.at, number)).code == "attack_over"
        table.do(DeclareAttack(table.at, against("Y", rail(origin="A")), (), (1,)))

    def test_an_enemys_supply_and_a_loaded_convoy_feed_nobody(self) -> None:
        table = self.table()
        made = against("X", rail())
        foreign = table.refusal(DeclareAttack(table.at, made, (Unit("supply", "britain"),)))
        assert foreign.code == "not_your_act"
        loaded = (Unit("convoy", "italy", loaded=True),)
        assert "carry nothing" in str(table.refusal(DeclareAttack(table.at, made, loaded)).detail)

    def test_u18_two_landings_at_two_targets_need_two_supplies(self) -> None:
        drop = attack(
            (Attacker(unit("parachute", "us"), "Malta", "blue", landing=True),), unit("supply", "italy")
        )
        naples = attack(landing("panzer"), unit("infantry", "italy"))
        assert (supply_needed(drop, TABLES), supply_needed(naples, TABLES)) == (1, 1)
        assert (landing_supply(drop), landing_supply(naples)) == (1, 1)

    def test_a_parachute_in_the_landing_stack_shares_its_supply(self) -> None:
        drop = Attacker(unit("parachute", "us"), "Sea", "blue", from_sea=True, landing=True)
        assert supply_needed(attack((*landing("panzer"), drop), unit("infantry", "italy")), TABLES) == 1


class TestWhoMayAttack:
    def test_nobody_attacks_twice_in_a_turn(self) -> None:
        table = Table()
        table.to_step("su1941.axis.supply")
        army = rail(origin="A", name="Panzerarmee Afrika")
        table.do(DeclareAttack(table.at, against("X", army), (GERMAN_SUPPLY,)))
        refused = table.refusal(DeclareAttack(table.at, against("Y", army), (), (1,)))
        assert str(refused.detail) == "Panzerarmee Afrika may attack only once per turn."
        air = rail("tactical", origin="B")
        table.do(DeclareAttack(table.at, against("Z", rail(origin="B"), air), (), (1,)))
        again = table.refusal(
            DeclareAttack(table.at, against("W", rail("infantry", origin="B"), air), (), (1,))
        )
        assert str(again.detail) == "B: An area can hold only one unit of this kind: tactical."

    def test_own_units_are_no_defenders(self) -> None:
        table = Table()
        table.to_step("su1941.axis.supply")
        made = against("X", rail(), defenders=(Unit("infantry", "italy"),))
        assert "own side" in str(table.refusal(DeclareAttack(table.at, made, (GERMAN_SUPPLY,))).detail)

    def test_free_french_attack_before_the_united_states_only_where_the_table_rules_so(self) -> None:
        """US-Britain-France: they join in attacks, and count as American."""
        made = against("X", rail("infantry", "us"), rail("tactical", "britain"), defenders=(GERMAN_SUPPLY,))
        made = replace(made, defenders=(Unit("infantry", "germany"),))
        for ruling, invaded in product(("with_us", "at_once"), (False, True)):
            table = Table()
            table.do(SetRuling("french_attacks", ruling))
            table.to_step("su1941.allies.supply")
            if invaded:
                table.do(ReportHappening(table.at, "invaded_vichy"))
            command = DeclareAttack(table.at, made, (Unit("supply", "britain"),))
            if invaded and ruling == "at_once":
                table.do(command)
            else:
                assert table.refusal(command).code == "not_at_war", (ruling, invaded)

    @pytest.mark.parametrize("ruling", ["yes", "no"])
    def test_a_landing_craft_attacks_from_a_port_unless_the_table_rules_it_unloaded_there(
        self, ruling: str
    ) -> None:
        """Stacking; Convoys and Landing Craft; Naval Combat: where nobody defends it lands while it moves."""
        table = Table()
        table.do(SetRuling("port_landing", ruling))
        table.to_step("su1943.allies.supply")
        in_port = tuple(replace(one, from_sea=False) for one in landing("panzer", origin="Malta"))
        italian = (Unit("infantry", "italy"),)
        supply = (Unit("convoy", "us"),)
        table.do(DeclareAttack(table.at, against("Rome", *landing("infantry"), defenders=italian), supply))
        table.do(DeclareAttack(table.at, Attack("Crete", "coastal", "", in_port, ()), supply))
        other = tuple(replace(one, origin="Algiers") for one in in_port)
        attacks = DeclareAttack(table.at, against("Naples", *other, defenders=italian), supply)
        if ruling == "yes":
            table.do(attacks)
        else:
            assert table.refusal(attacks).code == "illegal_attack"

    def test_a_ship_is_no_cargo(self) -> None:
        """Convoys and Landing Craft: they carry land units and Tactical ones."""
        ships = (unit("convoy", "italy"), unit("flotilla", "italy", loaded=True))
        assert "flotilla never goes aboard ship." in faults(attack((by_sea("carrier"),), *ships, area="sea"))
        army = (unit("convoy", "italy"), unit("infantry", "italy", loaded=True))
        assert not any("aboard" in told for told in faults(attack((by_sea("carrier"),), *army, area="sea")))

    def test_a_game_of_before_knows_what_ships_carry(self) -> None:
        """Its frozen data do not say it: the rulebook's list are the kinds that can be replaced and are no ships."""
        tables = Table().state.frozen_setup.tables
        units = [{k: v for k, v in row.items() if k != "cargo"} for row in tables["game"]["units"]]
        before = {**tables, "game": {**tables["game"], "units": units}}
        assert tables_of(before) == tables_of(tables)
        carried = {kind for kind, row in tables_of(tables).units.items() if row.cargo}
        assert carried == {"panzer", "infantry", "parachute", "supply", "tactical"}

    def test_fallen_italy_does_not_attack(self) -> None:
        table = Table()
        table.stars(US, "italy_1")
        table.to_step("su1943.axis.supply")
        made = against("X", rail("infantry", "italy"))
        assert table.refusal(DeclareAttack(table.at, made, (GERMAN_SUPPLY,))).code == "not_at_war"

    def test_malta_is_attacked_from_inside_while_its_fort_stands_alone(self) -> None:
        inside = (
            Attacker(unit("tactical", "germany"), "Malta", "inside"),
            rail("panzer", origin="B"),
        )
        fort = unit("fort", name="Malta", fort_value=1)
        ok = attack(inside, fort, target="Malta")
        assert not any("from inside" in fault for fault in faults(ok))
        guarded = attack(inside, fort, unit("flotilla"), target="Malta")
        assert any("from inside" in fault for fault in faults(guarded))
        elsewhere = attack(inside, unit("fort", name="Gibraltar", fort_value=1), target="Gibraltar")
        assert any("from inside" in fault for fault in faults(elsewhere))

    def test_a_landing_craft_without_its_army_counts_nothing(self) -> None:
        craft = Attacker(Unit("landing_craft", "us"), "Sea", "blue", from_sea=True, landing=True)
        made = attack((craft, by_rail("infantry", "us")), unit("infantry", "italy"))
        assert "Sea: a Landing Craft counts only with the land unit that it lands." in faults(made)

    def test_a_parachute_on_top_overland_is_a_paradrop_too(self) -> None:
        top = Attacker(unit("parachute"), "T", "inside")
        made = attack(
            (top, by_rail("panzer"), by_rail("tactical")), GERMAN_TACTICAL_STACK[0], GERMAN_TACTICAL_STACK[1]
        )
        assert "A parachute cannot enter an area with an enemy Tactical." in faults(made)

    def test_no_parachute_flies_out_of_the_winter_zone_in_winter(self) -> None:
        drop = Attacker(unit("parachute"), "Turin", "blue", in_winter_zone=True, landing=True)
        made = attack(
            (drop, *landing("panzer", "britain", "Sea")),
            unit("infantry", "italy"),
            season="winter",
            supplies=4,
        )
        assert "No landings in the winter zone in Winter." in faults(made)

    def test_a_flotilla_that_takes_no_part_needs_no_escort(self) -> None:
        made = attack(
            (by_rail("tactical"), by_sea("flotilla")), unit("infantry", "italy"), unit("tactical", "italy")
        )
        judged = verdict(made, TABLES)
        assert judged.allowed
        assert [a.unit.kind for a in judged.fighting] == ["tactical"]

    def test_cargo_at_sea_does_not_make_the_target_coastal(self) -> None:
        made = attack((by_sea("flotilla"),), unit("convoy"), unit("infantry", loaded=True), area="sea")
        assert verdict(made, TABLES).allowed

    def test_in_a_port_nothing_is_aboard_ship(self) -> None:
        """Stacking; Convoys and Landing Craft: a convoy in a coastal area is unloaded, so its army counts."""
        for kind in ("infantry", "tactical"):
            cargo = (unit("convoy", "italy"), unit(kind, "italy", loaded=True))
            told = f"{kind} is not aboard ship: in a port ships are unloaded."
            assert (told in faults(attack((by_sea("carrier"),), *cargo))) is True
            assert told not in faults(attack((by_sea("carrier"),), *cargo, area="sea"))


GERMAN_TACTICAL_STACK = (unit("infantry", "germany"), unit("tactical", "germany"))


class TestLosses:
    def test_cargo_sinks_with_its_ship(self) -> None:
        convoy, army = unit("convoy", "italy"), unit("infantry", "italy", loaded=True)
        (only,) = removals((convoy,), (convoy, army), 1, TABLES)
        assert only.units == (convoy, army)
        assert only.survivors == ()

    def test_of_two_cargoes_either_may_sink_with_one_ship(self) -> None:
        """The stack does not tell which cargo lies under which ship."""
        ships = (unit("flotilla", "italy"), unit("convoy", "italy"), unit("landing_craft", "italy"))
        cargo = (unit("infantry", "italy", loaded=True), unit("supply", "italy", loaded=True))
        choices = removals(ships, (*ships, *cargo), 1, TABLES)
        kinds = [{u.kind for u in choice.units} for choice in choices]
        assert {"flotilla"} in kinds
        assert {"flotilla", "convoy", "infantry"} in kinds
        assert {"flotilla", "convoy", "supply"} in kinds

    def test_who_took_no_part_does_not_retreat(self) -> None:
        """Air Combat: the land units below stay."""
        made = attack((by_rail("tactical"), rail("tactical", "us", "B")), *GERMAN_TACTICAL_STACK)
        (choice,) = verdict(made, TABLES).removals
        assert [u.kind for u in choice.units] == ["tactical"]
        assert choice.retreating == ()
        assert [u.kind for u in choice.staying] == ["infantry"]

    def test_zero_value_units_may_be_picked_on_the_way(self) -> None:
        """The attacker may choose units in an order that costs more."""
        stack = (unit("infantry", "italy"), unit("supply", "italy"))
        kinds = [{u.kind for u in r.units} for r in removals(stack, stack, 1, TABLES)]
        assert kinds == [{"infantry"}, {"infantry", "supply"}]


class TestAfterCombat:
    def won(self, attackers: tuple[Attacker, ...], defenders: tuple[Unit, ...], **rulings: str) -> Table:
        table = Table()
        for name, value in rulings.items():
            table.do(SetRuling(name, value))
        table.to_step("su1943.allies.supply")
        origins = len({a.origin for a in attackers})
        table.do(
            DeclareAttack(
                table.at,
                against("Naples", *attackers, defenders=defenders),
                (Unit("supply", "us"),) * origins,
            )
        )
        table.next()
        return table

    def test_one_land_unit_leads_the_advance(self) -> None:
        armies = (rail("panzer", "us", "A"), rail("infantry", "us", "B"), rail("tactical", "us", "A"))
        table = self.won(armies, (Unit("infantry", "italy"),))
        two = table.refusal(ResolveAttack(table.at, 1, 0, advance=(0, 1)))
        assert (two.code, str(two.detail)) == ("no_advance", "At most one land unit may advance.")
        first = table.refusal(ResolveAttack(table.at, 1, 0, advance=(2,)))
        assert str(first.detail) == "A land unit must advance first, then others."
        table.do(ResolveAttack(table.at, 1, 0, advance=(0, 2)))
        assert table.own.attacks[0].result.is_taken

    def test_nobody_advances_into_an_area_that_a_fort_holds(self) -> None:
        made = (rail("panzer", "us", "A"), rail("infantry", "us", "A"), rail("tactical", "us", "A"))
        held = (Unit("infantry", "germany"), Unit("fort", "germany", "Malta", 1))
        table = self.won(made, held)
        refused = table.refusal(ResolveAttack(table.at, 1, 0, advance=(0,)))
        assert str(refused.detail) == "Nobody advances while a defender stays."
        table.do(ResolveAttack(table.at, 1, 0))
        assert table.own.attacks[0].result.overstacked.keys() == {"A"}

    def test_a_failed_landing_from_the_sea_costs_craft_and_army(self) -> None:
        table = self.won(landing("infantry"), (Unit("panzer", "germany"), Unit("infantry", "germany")))
        table.do(ResolveAttack(table.at, 1))
        result = table.own.attacks[0].result
        assert {u.kind for u in result.attackers_lost} == {"landing_craft", "infantry"}
        assert table.own.boxes[US] == {"supply": 1, "landing_craft": 1, "infantry": 1}

    def test_the_ruling_lets_the_army_go_back(self) -> None:
        table = self.won(
            landing("infantry"),
            (Unit("panzer", "germany"), Unit("infantry", "germany")),
            failed_landing="stays",
        )
        table.do(ResolveAttack(table.at, 1))
        assert [u.kind for u in table.own.attacks[0].result.attackers_lost] == ["landing_craft"]

    def test_the_armies_that_get_ashore_live(self) -> None:
        table = self.won(landing("panzer"), (Unit("infantry", "italy"),))
        table.do(ResolveAttack(table.at, 1, 0, advance=(0,)))
        assert [u.kind for u in table.own.attacks[0].result.attackers_lost] == ["landing_craft"]

    @pytest.mark.parametrize(("ruling", "lost"), [("removed", []), ("landing", [BRITAIN]), ("box", [])])
    def test_a_landing_where_nobody_defends_uses_the_british_craft_up_only_where_the_table_rules_so(
        self, ruling: str, lost: list[str]
    ) -> None:
        """Convoys and Landing Craft (its label); Losses and Disruption (undefended areas)."""
        for nation in (BRITAIN, US):
            table = Table()
            table.do(SetRuling("one_use", ruling))
            table.to_step("su1943.allies.supply")
            made = Attack("Crete", "coastal", "", landing("panzer", nation), ())
            table.do(DeclareAttack(table.at, made, (Unit("convoy", nation),)))
            table.next()
            table.do(ResolveAttack(table.at, 1, advance=(0,)))
            gone = table.own.attacks[0].result.attackers_lost
            assert [u.nation for u in gone] == [one for one in lost if one == nation]
            assert all(u.kind == "landing_craft" for u in gone)
            assert table.own.boxes[nation] == {"convoy": 1}, "its supply alone"

    @pytest.mark.parametrize(
        ("ruling", "box"), [("removed", {}), ("landing", {}), ("box", {"landing_craft": 1})]
    )
    def test_the_british_landing_craft_is_used_once(self, ruling: str, box: dict[str, int]) -> None:
        table = self.won(landing("panzer", "britain"), (Unit("infantry", "italy"),), one_use=ruling)
        table.do(ResolveAttack(table.at, 1, 0, advance=(0,)))
        assert table.own.boxes[BRITAIN] == box

    def test_u15_a_lone_tactical_is_not_attacked_by_an_army_but_overrun(self) -> None:
        table = Table()
        table.to_step("su1943.allies.supply")
        made = against("Naples", rail("panzer", "us", "Sicily"), defenders=(Unit("tactical", "germany"),))
        refused = table.refusal(DeclareAttack(table.at, made, (Unit("supply", "us"),)))
        assert "overrun or displace in movement" in str(refused.detail)

    def test_units_of_value_0_leave_and_the_area_falls_without_a_fight(self) -> None:
        table = self.won((rail("panzer", "us", "A"),), (Unit("convoy", "italy"), Unit("supply", "italy")))
        bad = table.refusal(RetreatBefore(table.at, 1, (Unit("panzer", "italy"),)))
        assert bad.code == "may_not_retreat"
        table.do(RetreatBefore(table.at, 1, (Unit("convoy", "italy"),)), Side("axis"))
        table.do(RetreatBefore(table.at, 1, (Unit("supply", "italy"),)), Side("axis"))
        table.do(ResolveAttack(table.at, 1, advance=(0,)))
        result = table.own.attacks[0].result
        assert (result.removed, result.is_taken) == ((), True)

    def test_a_stray_retreater_is_refused(self) -> None:
        table = self.won((rail("panzer", "us", "A"),), (Unit("infantry", "italy"),))
        refused = table.refusal(ResolveAttack(table.at, 1, 0, (Unit("panzer", "italy"),)))
        assert str(refused.detail) == "panzer does not retreat."


class TestStarsAndVictory:
    def test_romania_in_time_counts_for_a_later_victory_unless_it_is_lost(self) -> None:
        table = Table()
        table.to_step("sp1944.allies.move")
        table.stars(US, "romania")
        table.to_step("fa1944.axis.end")
        table.stars(US, "italy_1", "italy_2", "italy_3")
        table.do(TakeStar("algiers", BRITAIN))
        table.next()
        assert table.state.ending.level == "strategic"

    def test_romania_taken_too_late_is_no_bonus(self) -> None:
        table = Table()
        table.to_step("su1944.axis.move")
        table.stars(US, "italy_1", "italy_2", "italy_3", "romania")
        table.to_step("su1944.axis.end")
        table.next()
        assert table.state.ending.level == "victory"

    def test_the_red_army_takes_romanias_star_in_summer_1944(self) -> None:
        table = Table()
        table.to_step("su1944.axis.reinforcements")
        assert budget(table.own, GERMANY, 18) == 3
        table.to_step("su1944.allies.reinforcements")
        assert table.own.stars["romania"] is None
        assert budget(table.own, GERMANY, 19) == 2
        assert table.refusal(TakeStar("romania", GERMANY)).code == "soviet"

    def test_vichy_turns_free_french_in_fall_1942_and_brings_algiers(self) -> None:
        table = Table()
        table.to_step("su1942.allies.end")
        assert table.own.stars["algiers"] is None
        table.next()
        assert table.own.stars["algiers"] == US

    def test_after_an_invasion_the_table_says_who_has_algiers(self) -> None:
        table = Table()
        table.to_step("fa1941.allies.move")
        table.do(ReportHappening(table.at, "invaded_vichy"))
        assert "free_french" in table.own.happened
        table.to_step("fa1942.allies.move")
        assert table.own.stars["algiers"] is None

    def test_allies_in_europe_already_bring_the_units_at_once_in_fall_1942(self) -> None:
        table = Table()
        table.give(GERMANY, "infantry", 2)
        table.to_step("fa1942.axis.reinforcements")
        table.do(ReportHappening(table.at, "landed_in_europe"))
        assert table.own.boxes[GERMANY] == {}
        assert table.own.invasion_units == {"infantry": 2}

    def test_a_star_is_not_used_twice_by_passing_it_on(self) -> None:
        table = Table()
        table.stars(BRITAIN, "algiers")
        table.give(BRITAIN, "panzer", 2)
        table.to_step("wi1942.allies.reinforcements")
        table.do(Replace(table.at, BRITAIN, "panzer"))
        table.do(Replace(table.at, BRITAIN, "panzer"))
        assert table.refusal(TakeStar("algiers", US)).code == "star_spent"

    def test_only_algiers_is_shared_between_germany_and_italy(self) -> None:
        table = Table()
        table.stars(GERMANY, "algiers")
        table.do(TakeStar("algiers", ITALY))
        assert table.refusal(TakeStar("italy_1", GERMANY)).code == "star_fixed"

    def test_control_by_ships_counts_only_under_its_ruling_and_never_produces(self) -> None:
        table = Table()
        table.to_step("su1943.axis.end")
        table.stars(US, "italy_1", "italy_2")
        table.do(TakeStar("algiers", US))
        table.do(ControlStar("italy_3", Side("allies")))
        assert budget(table.own, ITALY, 14) == 1
        assert if_ended_now(table.state).reason == "holds_a_star"
        table.do(SetRuling("hold_stars", "control"))
        assert if_ended_now(table.state).winner == "allies"
        table.next()
        assert table.state.ending.reason == "four_stars"

    def test_u14_ships_over_empty_rome_control_it_and_leave_when_a_unit_is_placed(self) -> None:
        table = Table()
        table.to_step("su1943.allies.move")
        table.do(ControlStar("italy_1", Side("allies")))
        assert table.own.stars["italy_1"] == ITALY, "control is no possession"
        table.to_step("fa1943.axis.reinforcements")
        assert budget(table.own, ITALY, 15) == 3, "the dispossessed owner still gets its star"
        assert "reinforcements.drive_off" in table.state.step.checks
        table.give(ITALY, "infantry")
        table.do(Replace(table.at, ITALY, "infantry"))
        table.do(ControlStar("italy_1", None))
        assert table.own.controlled == {}

    def test_any_star_wins_for_the_axis_only_under_its_ruling(self) -> None:
        table = Table()
        table.stars(US, "italy_1", "italy_2", "italy_3", "algiers")
        table.do(TakeStar("ploesti", GERMANY, "Ploesti"))
        assert if_ended_now(table.state).winner == "allies"
        table.do(SetRuling("one_star", "any"))
        assert if_ended_now(table.state).winner == "axis"

    def test_happenings_are_reported_once(self) -> None:
        table = Table()
        table.to_step("fa1942.allies.move")
        table.do(ReportHappening(table.at, "landed_in_europe"))
        assert table.refusal(ReportHappening(table.at, "landed_in_europe")).code == "already_done"


def test_the_planner_reaches_a_sea_area_with_aircraft() -> None:
    made = attack((by_sea("flotilla"),), unit("flotilla", "italy"), area="sea")
    kinds = [found.kind for found in planner(made, TABLES)]
    assert kinds == ["tactical", "carrier", "flotilla"]


@pytest.mark.parametrize(("nation", "foe"), [("germany", "britain"), ("italy", "us"), ("us", "germany")])
def test_the_planner_names_no_unit_that_its_nation_never_has(nation: str, foe: str) -> None:
    """Reinforcements/Withdrawals: no Carrier and no Landing Craft ever comes to the Axis."""
    even = attack((by_rail("infantry", nation),), unit("infantry", foe))
    kinds = {found.kind for found in planner(even, TABLES, nation)}
    assert {"infantry", "panzer", "tactical", "flotilla"} <= kinds
    assert (kinds & {"carrier", "landing_craft"}) == (
        {"carrier", "landing_craft"} if nation == "us" else set()
    )


def test_the_planner_gives_nothing_where_no_single_unit_is_enough() -> None:
    strong = (unit("panzer", "germany"), unit("infantry", "germany"), unit("fort", name="X", fort_value=9))
    assert planner(attack((by_rail("infantry"),), *strong), TABLES) == ()


@pytest.mark.parametrize(
    ("step", "check", "there"),
    [
        ("wi1940.axis.end", "end.garrison", False),
        ("sp1941.axis.end", "end.garrison", True),
        ("sp1941.allies.end", "end.garrison", False),
        ("sp1944.allies.move", "move.soviets", False),
        ("su1944.allies.move", "move.soviets", True),
        ("wi1943.axis.supply", "weather.winter.supply", True),
        ("fa1943.axis.breakthrough", "weather.fall.breakthrough", True),
        ("su1943.axis.breakthrough", "weather.fall.breakthrough", False),
        ("su1944.allies.reinforcements", "su1944.allies.1", True),
    ],
)
def test_lines_stand_in_their_side_season_and_phase(step: str, check: str, there: bool) -> None:
    itinerary: Any = Table().state.itinerary
    assert (check in itinerary.steps[itinerary.index(step)].checks) is there


class TestUnopposedLandings:
    """Dedicated Supply; Losses and Disruption: an empty area needs supply too, and costs no Landing Craft."""

    def landed(self, *attackers: Attacker, **more: Any) -> Attack:
        return Attack("Sardinia", "coastal", "", attackers, (), **more)

    def test_it_uses_up_supply_and_keeps_the_craft(self) -> None:
        table = Table()
        table.to_step("su1943.allies.supply")
        made = self.landed(*landing("panzer"))
        assert "This attack needs 1 supply; it has 0." in str(
            table.refusal(DeclareAttack(table.at, made)).detail
        )
        table.do(DeclareAttack(table.at, made, (Unit("convoy", "us"),)))
        table.next()
        table.do(ResolveAttack(table.at, 1, advance=(0,)))
        result = table.own.attacks[0].result
        assert (result.is_taken, result.attackers_lost) == (True, ())
        assert table.own.boxes[US] == {"convoy": 1}

    def test_winter_weather_forbids_it_too(self) -> None:
        table = Table()
        table.to_step("wi1943.allies.supply")
        made = self.landed(*landing("panzer"), winter_zone=True)
        refused = table.refusal(DeclareAttack(table.at, made, (Unit("convoy", "us"),) * 2))
        assert str(refused.detail) == "No landings in the winter zone in Winter."

    def test_an_empty_area_is_not_attacked_overland(self) -> None:
        table = Table()
        table.to_step("su1943.allies.supply")
        refused = table.refusal(
            DeclareAttack(table.at, self.landed(rail("panzer", "us")), (Unit("supply", "us"),))
        )
        assert "Move in instead" in str(refused.detail)


def test_the_united_states_replace_nothing_before_they_are_at_war() -> None:
    table = Table()
    table.stars(US, "algiers")
    table.give(US, "infantry")
    table.to_step("fa1941.allies.reinforcements")
    assert table.refusal(Replace(table.at, US, "infantry")).code == "not_at_war"
    table.to_step("wi1941.allies.reinforcements")
    table.do(Replace(table.at, US, "infantry"))


GROUPS = ("land", "tactical", "naval", "land_tactical", "land_naval", "tactical_naval", "all")
CHART = """
    yes/O  none/O  none/O  yes/O  yes     none/OC  yes/C
    none   air     yes     air    naval   yes      both/1
    none   cv/1    yes/1   cv     naval   yes/1    both/1
    yes    air/O   naval/O yes/O  yes/C   both/OC  yes/C
    yes    cv/O    yes/C   yes    yes/C   none/OC  yes/C
    none   yes/1   yes/1   air    naval   yes/1    both/1
    yes    cv/O    yes     yes    yes     both/O   yes
"""
"""The permissible attacks chart: O overrun or displacing in movement, C coastal only, 1 no possession."""
COMBATS = {
    "yes": "full",
    "none": "none",
    "air": "air",
    "cv": "carrier_air",
    "naval": "naval",
    "both": "air_naval",
}


def test_all_49_fields_of_the_chart() -> None:
    for attacker, line in zip(GROUPS, CHART.split("\n")[1:-1], strict=True):
        for defender, field in zip(GROUPS, line.split(), strict=True):
            combat, _slash, marks = field.partition("/")
            cell = TABLES.chart[attacker][defender]
            where = f"{attacker} against {defender}"
            assert cell.combat == COMBATS[combat], where
            assert (cell.coastal, cell.no_possession) == ("C" in marks, "1" in marks), where
            assert cell.overrun == ("O" in marks), where


def test_in_a_landing_everybody_counts_and_the_army_gets_ashore() -> None:
    """Against aircraft alone the chart names air combat and, apart from it, the invasion."""
    made = attack((*landing("panzer"), by_sea("carrier", "us", "Sea")), unit("tactical", "germany"))
    judged = verdict(made, TABLES)
    assert judged.allowed, judged.faults
    assert (judged.attack_value, judged.defence_value) == (4, 1)
    assert judged.possession


@pytest.mark.parametrize(
    ("step", "star", "nation", "code"),
    [
        ("fa1940.axis.move", "algiers", GERMANY, "vichy_closed"),
        ("su1941.axis.move", "algiers", ITALY, "vichy_closed"),
        ("sp1940.axis.move", "algiers", ITALY, "not_at_war"),
        ("su1941.allies.move", "italy_1", US, "not_at_war"),
        ("su1941.allies.move", "italy_1", BRITAIN, ""),
        ("sp1940.allies.move", "italy_1", BRITAIN, "not_at_war"),
        ("su1940.allies.move", "italy_1", BRITAIN, ""),
        ("wi1942.axis.move", "algiers", GERMANY, ""),
        ("wi1942.allies.move", "italy_1", US, ""),
    ],
)
def test_a_star_is_taken_by_those_who_may_enter_its_area(
    step: str, star: str, nation: Any, code: str
) -> None:
    """Set Up; Status of All Nations: the Axis cannot enter Vichy territory, but may enter Free French areas."""
    table = Table()
    table.to_step(step)
    if code:
        assert table.refusal(TakeStar(star, nation)).code == code
    else:
        table.do(TakeStar(star, nation))


def test_what_no_game_knows_is_refused_by_the_word_that_was_typed() -> None:
    table = Table()
    table.to_step("su1941.axis.reinforcements")
    for command, word in (
        (Replace(table.at, "france", "infantry"), "france"),  # type: ignore[arg-type]
        (Replace(table.at, GERMANY, "elephant"), "elephant"),
        (ChangeBox("france", "infantry", 1), "france"),  # type: ignore[arg-type]
        (ChangeBox(GERMANY, "elephant", 1), "elephant"),
    ):
        assert word in str(table.refusal(command).detail)


@pytest.mark.parametrize(
    ("target", "origin", "fort", "told"),
    [
        (" ", "A", 1, "An area has a name of 1-60 letters, not 0."),
        ("Y" * 61, "A", 1, "An area has a name of 1-60 letters, not 61."),
        ("Y", " y ", 1, "attacks from another area than"),
        ("Y", "A", 99, "A fort is worth 0-9, not 99."),
        ("Y", "A", -5, "A fort is worth 0-9, not -5."),
    ],
)
def test_what_no_map_and_no_counter_shows_is_refused(target: str, origin: str, fort: int, told: str) -> None:
    table = Table()
    table.to_step("su1943.allies.supply")
    made = against(target, rail("panzer", "us", origin), defenders=(Unit("fort", "italy", fort_value=fort),))
    assert told in str(table.refusal(DeclareAttack(table.at, made, (Unit("supply", "us"),))).detail)

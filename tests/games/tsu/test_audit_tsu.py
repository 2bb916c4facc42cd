"""What an audit of The Soft Underbelly found: supply of a landing and its supporters, who is at war."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.core.commands import SetRuling
from companion.core.ids import Side
from companion.games.tsu.pages.draft import AttackDraft, draft_of
from companion.games.tsu.rules.attack import supply_needed, verdict
from companion.games.tsu.rules.commands import DeclareAttack, Replace, ResolveAttack, RetreatBefore
from companion.games.tsu.rules.forces import Attack, Attacker
from companion.games.tsu.rules.state import may_attack
from companion.games.tsu.rules.units import Unit
from companion.pages.page import Ask, Send
from tests.games.tsu.test_tsu_attack import TABLES, attack, by_rail, landing, unit
from tests.games.tsu.test_tsu_lawyer import against, rail
from tests.games.tsu.test_tsu_play import ITALY, US, Table
from tests.pages.test_tsu import attacks, change, desk

GERMAN = unit("infantry", "germany")
US_SUPPLY = Unit("supply", "us")
DROP = Attacker(unit("parachute", "us"), "Malta", "blue", landing=True)


class TestLandingAndItsSupporters:
    """Dedicated Supply; Roads."""

    def test_u20_one_supply_serves_the_landing_and_an_overland_unit(self) -> None:
        made = attack((*landing("panzer"), by_rail("panzer", "us")), GERMAN)
        judged = verdict(made, TABLES)
        assert (judged.supplies_needed, judged.attack_value, judged.defence_value) == (1, 5, 1)
        assert judged.wins

    def test_u20_by_road_the_supporter_needs_its_own(self) -> None:
        road = Attacker(unit("panzer", "us"), "A", "road")
        assert supply_needed(attack((*landing("panzer"), road), GERMAN), TABLES) == 2

    def test_two_landings_stay_two(self) -> None:
        made = attack((*landing("panzer"), *landing("infantry", origin="Other"), by_rail("panzer")), GERMAN)
        assert supply_needed(made, TABLES) == 2

    def test_winter_doubles_the_one_supply_in_the_winter_zone(self) -> None:
        made = attack((*landing("panzer"), by_rail("panzer")), GERMAN, season="winter", winter_zone=True)
        assert supply_needed(made, TABLES) == 2

    def test_a_parachute_alone_has_its_own_supply(self) -> None:
        assert supply_needed(attack((DROP, by_rail("panzer", "us")), GERMAN), TABLES) == 2
        assert supply_needed(attack((DROP,), GERMAN), TABLES) == 1

    @pytest.mark.parametrize(
        ("ruling", "choice", "attackers", "supplies"),
        [
            ("landing_supply", "shared", landing("panzer"), 1),
            ("landing_supply", "each", landing("panzer"), 2),
            ("parachute_supply", "own", (DROP,), 2),
            ("parachute_supply", "shared", (DROP,), 1),
        ],
    )
    def test_the_table_rules(
        self, ruling: str, choice: str, attackers: tuple[Attacker, ...], supplies: int
    ) -> None:
        table = Table()
        table.do(SetRuling(ruling, choice))
        table.to_step("su1943.allies.supply")
        made = against("Naples", *attackers, rail("panzer", "us"), defenders=(GERMAN,))
        if supplies > 1:
            short = table.refusal(DeclareAttack(table.at, made, (US_SUPPLY,)))
            assert "This attack needs 2 supplies; it has 1." in str(short.detail)
        table.do(DeclareAttack(table.at, made, (US_SUPPLY,) * supplies))


class TestWhoIsAtWar:
    """Set Up: one question for attacks, supply and replacements."""

    def test_us_units_attack_from_winter_1941(self) -> None:
        table = Table()
        made = against("X", rail("infantry", "us"), defenders=(GERMAN,))
        table.to_step("fa1941.allies.supply")
        refused = table.refusal(DeclareAttack(table.at, made, (US_SUPPLY,)))
        assert (refused.code, str(refused.detail)) == ("not_at_war", "us: neutral until winter 1941.")
        table.to_step("wi1941.allies.supply")
        table.do(DeclareAttack(table.at, made, (US_SUPPLY,)))

    def test_us_supply_serves_nobody_before(self) -> None:
        table = Table()
        table.to_step("fa1941.allies.supply")
        british = against("X", rail("infantry", "britain"), defenders=(GERMAN,))
        assert table.refusal(DeclareAttack(table.at, british, (US_SUPPLY,))).code == "not_at_war"

    def test_germans_use_italian_supply_while_italy_is_neutral(self) -> None:
        """Supply binds Italian units alone."""
        table = Table()
        table.to_step("sp1940.axis.supply")
        made = against("X", rail())
        table.do(DeclareAttack(table.at, made, (Unit("supply", "italy"),)))
        italian = against("Y", rail("infantry", "italy"))
        assert (
            table.refusal(DeclareAttack(table.at, italian, (Unit("supply", "germany"),))).code == "not_at_war"
        )

    def test_a_table_may_wait_for_the_first_us_units(self) -> None:
        table = Table()
        table.do(SetRuling("us_attacks", "first_units"))
        made = against("X", rail("infantry", "us"), defenders=(GERMAN,))
        table.to_step("su1942.allies.supply")
        refused = table.refusal(DeclareAttack(table.at, made, (US_SUPPLY,)))
        assert str(refused.detail) == "us: no attacks until fall 1942."
        table.to_step("fa1942.allies.supply")
        table.do(DeclareAttack(table.at, made, (US_SUPPLY,)))

    def test_replacements_ask_the_same(self) -> None:
        table = Table()
        table.give(US, "infantry")
        table.to_step("fa1941.allies.reinforcements")
        assert table.refusal(Replace(table.at, US, "infantry")).code == "not_at_war"

    def test_a_fallen_italy_attacks_no_more(self) -> None:
        table = Table()
        table.to_step("sp1940.axis.supply")
        assert not may_attack(table.state, ITALY)
        table.to_step("su1940.axis.supply")
        assert may_attack(table.state, ITALY)
        assert table.state.step.owners == (Side("axis"),)

    @pytest.mark.parametrize("ruling", ["spared", "open"])
    def test_a_neutral_italy_is_attacked_as_the_table_rules(self, ruling: str) -> None:
        """Source: The Soft Underbelly, Set Up: Italy is neutral in Spring 1940; who may attack it is not said."""
        table = Table()
        table.do(SetRuling("neutral_target", ruling))
        made = against("X", rail("infantry", "britain"), defenders=(Unit("infantry", "italy"),))
        mixed = against("Y", rail("infantry", "britain", "B"), defenders=(GERMAN,))
        supply = (Unit("supply", "britain"),)
        table.to_step("sp1940.allies.supply")
        refused = table.attempt(DeclareAttack(table.at, made, supply))
        told = None if refused is None else (refused.code, str(refused.detail))
        assert told == (("not_at_war", "italy: neutral until summer 1940.") if ruling == "spared" else None)
        table.do(DeclareAttack(table.at, mixed, supply))
        later = Table()
        later.to_step("su1940.allies.supply")
        later.do(DeclareAttack(later.at, made, supply))

    @pytest.mark.parametrize(
        ("step", "ruling", "told"),
        [
            ("sp1940.axis.supply", "spared", None),
            (
                "su1940.axis.supply",
                "spared",
                "Vichy French units are neutral: the Axis cannot enter their areas.",
            ),
            (
                "su1942.axis.supply",
                "spared",
                "Vichy French units are neutral: the Axis cannot enter their areas.",
            ),
            ("su1940.axis.supply", "open", None),
            ("wi1942.axis.supply", "spared", None),
        ],
    )
    def test_vichy_is_attacked_as_the_table_rules(self, step: str, ruling: str, told: str | None) -> None:
        """Source: The Soft Underbelly, Status of All Nations: the Axis cannot enter Vichy, but may enter Free French areas."""
        table = Table()
        table.do(SetRuling("vichy_target", ruling))
        table.to_step(step)
        made = against("Algiers", rail("infantry", "germany"), defenders=(Unit("infantry", "us"),))
        refused = table.attempt(DeclareAttack(table.at, made, (Unit("supply", "germany"),)))
        assert (None if refused is None else str(refused.detail)) == told

    def test_a_table_may_hold_italian_supply_back_too(self) -> None:
        table = Table()
        table.do(SetRuling("italian_supply", "at_war"))
        table.to_step("sp1940.axis.supply")
        supply = (Unit("supply", "italy"),)
        refused = table.refusal(DeclareAttack(table.at, against("X", rail()), supply))
        assert str(refused.detail) == "italy: neutral until summer 1940."
        table.to_step("su1940.axis.supply")
        table.do(DeclareAttack(table.at, against("X", rail()), supply))


class TestOneSpelling:
    """An area has one spelling, however it was typed."""

    def test_a_named_area_keeps_its_name(self) -> None:
        table = Table()
        table.to_step("su1941.axis.supply")
        made = against("  tobruk ", rail(origin="TRIPOLI"), rail("infantry", origin="tripoli"))
        table.do(DeclareAttack(table.at, made, (Unit("supply", "germany"),)))
        attack = table.own.attacks[0].attack
        assert attack.target == "Tobruk"
        assert {attacker.origin for attacker in attack.attackers} == {"Tripoli"}

    def test_a_free_name_keeps_its_first_spelling_in_the_turn(self) -> None:
        table = Table()
        table.to_step("su1941.axis.supply")
        table.do(DeclareAttack(table.at, against("Our Bay", rail(origin="A")), (Unit("supply", "germany"),)))
        table.do(DeclareAttack(table.at, against("our  bay", rail(origin="B")), (), (1,)))
        assert [d.attack.target for d in table.own.attacks] == ["Our Bay", "Our Bay"]


class TestSpringMud:
    """Stacking; Supply and Weather Exceptions: even if the two attack in different directions."""

    @pytest.mark.parametrize(
        ("step", "origin", "in_zone", "allowed"),
        [
            ("sp1943", " rome ", True, False),
            ("sp1943", "Rome", False, True),
            ("sp1943", "Naples", True, True),
            ("su1943", "Rome", True, True),
        ],
    )
    def test_two_armies_of_one_area_each_against_another(
        self, step: str, origin: str, in_zone: bool, allowed: bool
    ) -> None:
        table = Table()
        table.to_step(f"{step}.axis.supply")
        first = Attacker(Unit("panzer", "germany"), "Rome", "black", in_winter_zone=in_zone)
        second = Attacker(Unit("infantry", "germany"), origin, "black", in_winter_zone=in_zone)
        table.do(DeclareAttack(table.at, against("X", first), (Unit("supply", "germany"),)))
        refused = table.attempt(DeclareAttack(table.at, against("Y", second), (), (1,)))
        assert (refused is None) is allowed
        assert refused is None or "spring mud" in str(refused.detail)


class TestCargoBeforeCombat:
    """Retreat Before Combat; Convoys: a unit aboard goes where its ship goes."""

    ARMY = Unit("infantry", "italy", loaded=True)
    CONVOY = Unit("convoy", "italy")

    def table(self, *more: Unit) -> Table:
        table = Table()
        table.to_step("su1943.allies.supply")
        fleet = Attacker(Unit("flotilla", "britain"), "Malta", "blue")
        made = Attack("Ionian Sea", "sea", "", (fleet,), (self.CONVOY, self.ARMY, *more))
        table.do(DeclareAttack(table.at, made, (Unit("supply", "britain"),)))
        table.next()
        return table

    def test_a_convoy_that_leaves_takes_its_cargo_along(self) -> None:
        table = self.table()
        table.do(RetreatBefore(table.at, 1, (self.CONVOY,)), Side("axis"))
        assert table.own.attacks[0].attack.defenders == ()
        table.do(ResolveAttack(table.at, 1, advance=(0,)))
        assert table.own.attacks[0].result is not None
        assert table.own.attacks[0].result.is_taken

    def test_no_cargo_leaves_without_a_ship(self) -> None:
        table = self.table()
        for units in ((self.ARMY,), (self.CONVOY, self.ARMY, self.ARMY)):
            assert table.refusal(RetreatBefore(table.at, 1, units), Side("axis")).code == "may_not_retreat"

    def test_cargo_that_another_ship_can_carry_may_stay(self) -> None:
        craft = Unit("landing_craft", "italy")
        table = self.table(craft)
        table.do(RetreatBefore(table.at, 1, (self.CONVOY,)), Side("axis"))
        assert table.own.attacks[0].attack.defenders == (self.ARMY, craft)


def test_nobody_attacks_units_of_fallen_italy() -> None:
    """Italy: all its units are removed from the game."""
    table = Table()
    table.stars(US, "italy_1")
    table.to_step("su1943.allies.supply")
    foes = (Unit("infantry", "germany"), Unit("infantry", "italy"))
    army = rail("panzer", "us", "Rome")
    refused = table.refusal(DeclareAttack(table.at, against("X", army, defenders=foes), (US_SUPPLY,)))
    assert "italy has fallen and is out of the game." in str(refused.detail)
    table.do(DeclareAttack(table.at, against("X", army, defenders=foes[:1]), (US_SUPPLY,)))


LANDS = draft_of(against("Naples", *landing("panzer"), rail("panzer", "us"), defenders=(GERMAN,)))
DROPS = draft_of(against("Naples", DROP, rail("panzer", "us"), defenders=(GERMAN,)))
RAIL = draft_of(against("Naples", rail("infantry", "us"), defenders=(GERMAN,)))
GERMANS = replace(
    draft_of(against("Malta", rail("infantry", "germany"), defenders=(unit("infantry", "britain"),))),
    spent={"italy.supply": 1},
)


AT_ITALY = replace(
    draft_of(against("Tripoli", rail("infantry", "britain"), defenders=(unit("infantry", "italy"),))),
    spent={"britain.supply": 1},
)


AT_VICHY = replace(
    draft_of(against("Algiers", rail("infantry", "germany"), defenders=(unit("infantry", "us"),))),
    spent={"germany.supply": 1},
)


@pytest.mark.parametrize("tab", ["forces", "supply", "result"])
@pytest.mark.parametrize(
    ("step", "draft", "ruling", "choice"),
    [
        ("su1943.allies.supply", LANDS, "landing_supply", "each"),
        ("su1943.allies.supply", DROPS, "parachute_supply", "shared"),
        ("su1943.allies.supply", RAIL, "", ""),
        ("sp1942.allies.supply", RAIL, "us_attacks", "first_units"),
        ("sp1940.axis.supply", GERMANS, "italian_supply", "at_war"),
        ("sp1941.axis.supply", GERMANS, "", ""),
        ("sp1940.allies.supply", AT_ITALY, "neutral_target", "open"),
        ("su1940.allies.supply", AT_ITALY, "", ""),
        ("fa1940.axis.supply", AT_VICHY, "vichy_target", "open"),
        ("wi1942.axis.supply", AT_VICHY, "", ""),
    ],
)
def test_a_ruling_stands_at_the_attack_that_it_decides_and_one_tap_changes_it(
    step: str, draft: AttackDraft, ruling: str, choice: str, tab: str
) -> None:
    made = desk(step)
    draft = replace(draft, mode="edit", tab=tab)
    page = attacks(made, draft).shown
    shown = [tool.act for tool in page.page.tools if tool.act and tool.act.startswith("ruling.")]
    assert shown == ([f"ruling.{ruling}"] if ruling else [])
    if not ruling:
        return
    ask = page.act(shown[0])
    assert isinstance(ask, Ask)
    send = ask.answered({"one": choice})
    assert isinstance(send, Send)
    made.send(send.at(made.now_ms()))
    assert change(made).state.rulings[ruling] == choice
    after = attacks(made, draft).page
    assert f"ruling.{ruling}" in {tool.act for tool in after.tools}, "it can be put back"


def test_the_page_refuses_who_is_not_at_war_as_the_declaration_does() -> None:
    page = attacks(desk("fa1941.allies.supply"), replace(RAIL, mode="edit", tab="result"))
    assert "United States: neutral until the winter of 1941." in {page.say(row.title) for row in page.items}

"""The Soft Underbelly played through commands: the example turn, stars, the calendar and every victory."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.commands import Command, EndAct, EnterPrintedValue, SetRuling, Undo
from companion.core.ids import TABLE, Actor, Nation, Side
from companion.core.rules import Rejected
from companion.games.tsu.rules.commands import (
    ChangeBox,
    DeclareAttack,
    DeclareReorganization,
    DropAttack,
    Replace,
    ReportHappening,
    ResolveAttack,
    TakeStar,
)
from companion.games.tsu.rules.forces import Attack, Attacker
from companion.games.tsu.rules.game_rules import RULES
from companion.games.tsu.rules.new_game import TsuFamily
from companion.games.tsu.rules.state import TsuSlice, budget, slice_of
from companion.games.tsu.rules.units import Unit
from companion.pages.needs import ask_again
from companion.pages.page import Send
from companion.session.scenario_loader import load_game, make_setup
from companion.testing.tsu_turn import MALTA, TOBRUK, TOBRUK_BACK
from tests.games.game_table import GameTable
from tests.games.said import assert_told

LOADED = load_game(TsuFamily())
GERMANY, ITALY, BRITAIN, US = Nation("germany"), Nation("italy"), Nation("britain"), Nation("us")


class Table(GameTable):
    def __init__(self, **options: Any) -> None:
        super().__init__(RULES, make_setup(TsuFamily(), LOADED, "campaign", options))

    def attempt(self, command: Command, actor: Actor = TABLE) -> Rejected | None:
        rejected = super().attempt(command, actor)
        if rejected is not None:
            assert_told(rejected, self.state)
        return rejected

    @property
    def own(self) -> TsuSlice:
        return slice_of(self.state)

    @property
    def at(self) -> Any:
        return self.state.step.id

    def give(self, nation: Nation, unit: str, count: int = 1) -> None:
        self.do(ChangeBox(nation, unit, count))

    def stars(self, holder: Nation | None, *names: str) -> None:
        for name in names:
            self.do(TakeStar(name, holder))


def test_the_data_are_whole() -> None:
    assert LOADED.faults == ()


def test_21_seasons_axis_first_six_phases_each() -> None:
    table = Table()
    steps = table.state.itinerary.steps
    assert len(steps) == 1 + 21 * 12
    assert [s.owners[0] for s in steps[1:13]] == ["axis"] * 6 + ["allies"] * 6
    assert steps[-1].id == "sp1945.allies.end"


def test_the_spring_1941_example_turn_of_both_sides() -> None:
    table = Table()
    table.to_step("sp1941.axis.supply")
    table.do(ChangeBox(ITALY, "infantry", 1))  # Tripoli was overstacked
    table.do(DeclareAttack(table.at, MALTA, (Unit("supply", "germany"),)))
    table.do(DeclareAttack(table.at, TOBRUK, (Unit("convoy", "italy"),)))
    table.next()
    held = table.refusal(EndAct(table.at, table.now_ms))
    assert "still to be fought or given up" in str(held.detail)
    table.do(ResolveAttack(table.at, 1, 0))
    table.do(ResolveAttack(table.at, 2, 0, advance=(0, 1)))
    assert [u.name or u.kind for u in table.own.attacks[1].result.advanced] == [
        "Panzerarmee Afrika",
        "tactical",
    ]
    assert table.own.boxes[GERMANY] == {"supply": 1}
    assert table.own.boxes[ITALY] == {"convoy": 2, "infantry": 1}
    assert table.own.boxes[BRITAIN] == {"panzer": 1}, "the fort never comes back, the army waits"
    table.to_step("sp1941.allies.reinforcements")
    table.give(BRITAIN, "convoy")
    assert budget(table.own, BRITAIN, 5) == 5
    table.do(Replace(table.at, BRITAIN, "convoy"))
    table.do(Replace(table.at, BRITAIN, "panzer"))
    table.give(BRITAIN, "infantry")
    assert (
        str(table.refusal(Replace(table.at, BRITAIN, "infantry")).detail)
        == "britain has 0 stars left; this takes 1."
    )
    table.to_step("sp1941.allies.supply")
    table.do(DeclareAttack(table.at, TOBRUK_BACK, (Unit("convoy", "britain"), Unit("supply", "britain"))))
    table.next()
    table.do(ResolveAttack(table.at, 1, 0, advance=(1,)))
    result = table.own.attacks[0].result
    assert [unit.kind for unit in result.retreated] == ["tactical"]
    assert [unit.name for unit in result.advanced] == ["ANZAC"]
    assert result.overstacked == {}, "one army alone is left in the Western Desert"
    assert table.own.boxes[GERMANY]["panzer"] == 1
    assert "tactical" not in table.own.boxes[ITALY], "it retreats to the Ionian Sea"
    assert table.own.boxes[BRITAIN] == {"convoy": 1, "infantry": 1, "supply": 1}


class TestStars:
    def test_italy_replaces_nothing_before_it_is_at_war(self) -> None:
        table = Table()
        table.to_step("sp1940.axis.reinforcements")
        assert table.refusal(Replace(table.at, ITALY, "convoy")).code == "not_at_war"
        table.to_step("su1940.axis.reinforcements")
        table.do(Replace(table.at, ITALY, "convoy"))
        assert table.own.boxes[ITALY] == {}

    @pytest.mark.parametrize(
        ("stage", "stars"), [(1, 3), (2, 3), (3, 5), (4, 5), (7, 5), (8, 3), (11, 3), (21, 3)]
    )
    def test_british_stars_over_the_years(self, stage: int, stars: int) -> None:
        assert budget(Table().own, BRITAIN, stage) == stars

    @pytest.mark.parametrize(("stage", "stars"), [(10, 0), (11, 3), (21, 3)])
    def test_american_stars_come_with_fall_1942(self, stage: int, stars: int) -> None:
        assert budget(Table().own, US, stage) == stars

    def test_unspent_stars_are_lost(self) -> None:
        table = Table()
        table.to_step("su1940.axis.reinforcements")
        table.do(Replace(table.at, ITALY, "convoy"))
        table.to_step("fa1940.axis.reinforcements")
        assert table.own.spent == {}

    def test_lend_lease_from_winter_1941_one_star_a_turn(self) -> None:
        table = Table()
        for _ in range(2):
            table.give(BRITAIN, "panzer")
        table.give(BRITAIN, "infantry")
        table.to_step("fa1941.allies.reinforcements")
        assert table.refusal(Replace(table.at, BRITAIN, "panzer", lent=1)).code == "not_lendable"
        table.to_step("wi1941.allies.reinforcements")
        table.do(Replace(table.at, BRITAIN, "panzer", lent=1))
        assert table.refusal(Replace(table.at, BRITAIN, "panzer", lent=1)).code == "not_lendable"
        table.do(Replace(table.at, BRITAIN, "panzer"))
        assert table.own.spent == {BRITAIN: 3, US: 1}
        assert table.refusal(Replace(table.at, BRITAIN, "infantry")).code == "too_few_stars"

    def test_a_german_star_for_italy_needs_an_open_path(self) -> None:
        table = Table()
        table.give(ITALY, "panzer", 2)
        table.to_step("su1940.axis.reinforcements")
        table.do(ReportHappening(table.at, "path_cut"))
        assert table.refusal(Replace(table.at, ITALY, "panzer", lent=1)).code == "not_lendable"
        table.do(ReportHappening(table.at, "path_open"))
        table.do(Replace(table.at, ITALY, "panzer", lent=1))
        assert table.own.spent == {ITALY: 1, GERMANY: 1}

    def test_a_path_that_nobody_has_told_of_is_asked_for_and_then_serves(self) -> None:
        """Not known is neither open nor cut: the loan waits for the one answer that decides it."""
        table = Table()
        table.give(ITALY, "panzer", 2)
        table.to_step("su1940.axis.reinforcements")
        loan = Replace(table.at, ITALY, "panzer", lent=1)
        refused = table.refusal(loan)
        assert (refused.code, [need.kind for need in refused.needs]) == ("not_known", ["axis_path"])
        for answer, taken in (("path_cut", False), ("path_open", True)):
            ask = ask_again(table.state, refused, loan, TABLE)
            assert ask is not None
            act = ask.answered({ask.form.fields[0].key: answer})
            assert isinstance(act, Send)
            assert act.then == Send(loan)
            table.do(act.at(0))
            assert table.own.axis_path is taken
        table.do(loan)
        assert table.own.spent == {ITALY: 1, GERMANY: 1}

    def test_captured_stars_count_for_whoever_they_are_assigned_to(self) -> None:
        table = Table()
        table.stars(US, "algiers")
        assert budget(table.own, US, 11) == 4
        table.stars(BRITAIN, "algiers")
        assert (budget(table.own, US, 11), budget(table.own, BRITAIN, 11)) == (3, 4)

    def test_a_star_that_the_data_do_not_list_can_be_added(self) -> None:
        table = Table()
        assert table.refusal(TakeStar("ploesti", GERMANY)).code == "bad_value"
        table.do(TakeStar("ploesti", GERMANY, "Ploesti"))
        assert budget(table.own, GERMANY, 1) == 4

    def test_a_fort_is_never_replaced(self) -> None:
        table = Table()
        table.to_step("sp1940.allies.reinforcements")
        assert table.refusal(Replace(table.at, BRITAIN, "fort")).code == "not_replaceable"

    def test_a_box_never_falls_below_zero(self) -> None:
        assert (
            str(Table().refusal(ChangeBox(ITALY, "convoy", -2)).detail)
            == "The box holds 1. It cannot change by -2."
        )


class TestCalendar:
    def test_the_invasion_turn_empties_the_german_box_once(self) -> None:
        table = Table()
        table.give(GERMANY, "infantry", 3)
        table.give(GERMANY, "panzer", 1)
        table.to_step("su1942.allies.move")
        assert table.refusal(ReportHappening(table.at, "landed_in_europe")).code == "too_early"
        table.to_step("fa1942.allies.move")
        table.do(ReportHappening(table.at, "landed_in_europe"))
        assert table.own.boxes[GERMANY] == {"infantry": 3, "panzer": 1}
        table.to_step("wi1942.axis.reinforcements")
        assert table.own.boxes[GERMANY] == {}
        table.give(GERMANY, "infantry", 1)
        table.to_step("sp1943.axis.reinforcements")
        assert table.own.boxes[GERMANY] == {"infantry": 1}

    def test_the_reorganization_holds_from_the_next_turn(self) -> None:
        table = Table()
        table.to_step("wi1942.axis.move")
        assert table.refusal(DeclareReorganization(table.at)).code == "too_early"
        table.to_step("sp1943.axis.move")
        table.do(DeclareReorganization(table.at))
        assert table.refusal(DeclareReorganization(table.at)).code == "already_done"
        target = (Unit("infantry", "germany"),)
        rail = (Attacker(Unit("panzer", "us"), "A", "black"),)
        attack = Attack("Rome", "coastal", "", rail, target, supplies=1)
        table.to_step("sp1943.allies.supply")
        supply = (Unit("supply", "us"),)
        table.do(DeclareAttack(table.at, attack, supply))
        assert not table.own.attacks[0].attack.reorganized
        table.do(DropAttack(table.at, 1))
        table.to_step("su1943.allies.supply")
        table.do(DeclareAttack(table.at, attack, supply))
        assert table.own.attacks[0].attack.reorganized

    def test_the_season_of_an_attack_is_the_logs(self) -> None:
        table = Table()
        table.to_step("wi1940.axis.supply")
        rail = (Attacker(Unit("panzer", "germany"), "A", "black"),)
        attack = Attack(
            "Athens", "land", "summer", rail, (Unit("infantry", "britain"),), winter_zone=True, supplies=1
        )
        supply = (Unit("supply", "germany"),)
        assert "needs 2 supplies" in str(table.refusal(DeclareAttack(table.at, attack, supply)).detail)

    def test_every_season_has_its_lines(self) -> None:
        table = Table()
        step = table.state.itinerary.steps[table.state.itinerary.index("sp1941.axis.reinforcements")]  # type: ignore[arg-type]
        texts = [table.state.frozen_setup.checks[check].text for check in step.checks]
        assert any("Panzer Army" in text for text in texts)
        assert any("garrison" in text for text in texts)


class TestVictory:
    def end(self, table: Table) -> tuple[Any, str, str] | None:
        ending = table.state.ending
        return None if ending is None else (ending.winner, ending.reason, ending.level)

    def test_four_stars_win_at_an_axis_end(self) -> None:
        table = Table()
        table.to_step("su1943.axis.end")
        table.stars(US, "italy_1", "italy_2", "italy_3", "algiers")
        assert self.end(table) is None
        table.next()
        assert self.end(table) == (Side("allies"), "four_stars", "victory")

    def test_with_romania_before_summer_1944_it_is_strategic(self) -> None:
        table = Table()
        table.to_step("sp1944.axis.end")
        table.stars(US, "romania")
        table.stars(US, "italy_1", "italy_2", "italy_3", "algiers")
        table.next()
        assert self.end(table) == (Side("allies"), "four_stars", "strategic")

    def test_no_germans_at_an_axis_end(self) -> None:
        table = Table()
        table.to_step("fa1944.axis.move")
        assert table.refusal(ReportHappening(table.at, "no_germans")).code == "other_phase"
        table.to_step("fa1944.axis.end")
        table.do(ReportHappening(table.at, "no_germans"))
        table.next()
        assert self.end(table) == (Side("allies"), "no_germans", "strategic")

    def test_allies_off_the_map_at_an_allied_end(self) -> None:
        table = Table()
        table.to_step("su1941.allies.end")
        table.do(ReportHappening(table.at, "allies_gone"))
        table.next()
        assert self.end(table) == (Side("axis"), "allies_gone", "strategic")

    def test_one_axis_star_at_the_very_end(self) -> None:
        table = Table()
        table.stars(US, "italy_1", "italy_2", "algiers")
        table.to_step("sp1945.allies.end")
        table.do(TakeStar("italy_3", GERMANY))
        table.next()
        assert self.end(table) == (Side("axis"), "holds_a_star", "victory")

    def test_neither_is_a_draw_unless_the_allies_hold_the_four(self) -> None:
        table = Table()
        table.to_step("sp1945.allies.end")
        table.stars(None, "italy_1", "italy_2", "italy_3")
        table.next()
        assert self.end(table) == (None, "neither", "draw")

    def test_the_ruling_decides_the_last_turn(self) -> None:
        table = Table()
        table.to_step("sp1945.allies.end")
        table.stars(US, "italy_1", "italy_2", "italy_3", "algiers")
        table.next()
        assert self.end(table) == (Side("allies"), "four_stars", "victory")
        table.do(Undo(table.now_ms))
        table.do(SetRuling("last_turn", "draw"))
        table.next()
        assert self.end(table) == (None, "neither", "draw")

    def test_italy_falls_with_one_star_lost_after_1942(self) -> None:
        table = Table()
        table.stars(US, "italy_1")
        table.to_step("wi1942.axis.end")
        table.next()
        assert not table.own.italy_fallen, "not before 1943"
        table.to_step("sp1943.axis.end")
        table.next()
        assert table.own.italy_fallen
        assert table.own.boxes[ITALY] == {}
        assert table.own.stars["italy_2"] is None
        assert table.own.stars["italy_1"] == US
        table.to_step("su1943.axis.reinforcements")
        assert table.refusal(Replace(table.at, ITALY, "convoy")).code == "box_empty"
        table.do(TakeStar("italy_2", GERMANY))
        assert budget(table.own, GERMANY, 14) == 4

    def test_the_garrison_is_judged_at_an_axis_end_from_spring_1941(self) -> None:
        table = Table()
        table.to_step("wi1940.axis.end")
        assert table.refusal(ReportHappening(table.at, "no_garrison")).code == "too_early"
        table.to_step("sp1941.axis.end")
        table.do(ReportHappening(table.at, "no_garrison"))
        assert table.own.happened["no_garrison"] == 5


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("fort.gibraltar.value", 12, "is a whole number, 0-9. Entered: 12."),
        ("fort.gibraltar.value", "2", "Entered: '2'."),
        ("fort.gibraltar", 2, "This game has no printed value"),
    ],
)
def test_broken_printed_values_are_refused(key: str, value: object, text: str) -> None:
    assert text in str(Table().refusal(EnterPrintedValue(key, value)).detail)


def test_a_printed_fort_value_counts_in_the_next_attack() -> None:
    table = Table()
    table.to_step("su1940.axis.supply")
    rail = (Attacker(Unit("panzer", "germany"), "A", "black"),)
    attack = Attack("Gibraltar", "coastal", "", rail, (Unit("fort", "britain", "Gibraltar"),), supplies=1)
    supply = (Unit("supply", "germany"),)
    assert "Enter the printed value of this Fort first" in str(
        table.refusal(DeclareAttack(table.at, attack, supply)).detail
    )
    table.enter("fort.gibraltar.value", 2)
    table.do(DeclareAttack(table.at, attack, supply))
    assert table.own.attacks[0].attack.defenders[0].fort_value == 2

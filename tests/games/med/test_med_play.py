"""The card game played through commands: vectors M01-M16 of the rulebook and what surrounds them."""

from __future__ import annotations

import pytest

from companion.core.commands import EndAct, EnterPrintedValue, Redo, Undo
from companion.core.ids import Side
from companion.games.med.rules.cards import Card
from companion.games.med.rules.commands import (
    DiscardHand,
    DropInvalid,
    RollDice,
    TakeTrick,
    TurnOver,
    UseEffect,
)
from companion.games.med.rules.effects import EFFECTS
from companion.games.med.rules.engagement import Options
from companion.games.med.rules.points import hand_size
from tests.games.med.table import Table, battle, bonus, convoy, force

P1, P2, P3 = Side("p1"), Side("p2"), Side("p3")


def trophies(table: Table, player: Side) -> list[str]:
    return [trophy.card for trophy in table.own.piles[player]]


def special(number: str, effect: str, kind: str = "special", frame: str = "all") -> Card:
    return Card(number, kind, effect=effect, frame=frame)  # type: ignore[arg-type]


STORMS = [
    Card(number, "storm", effect=effect)
    for number, effect in (
        ("S01", "sirocco"),
        ("S02", "fog"),
        ("S03", "explosion"),
        ("S04", "lost"),
        ("S05", "night_action"),
        ("S06", "bomb_alley"),
        ("S07", "shallows"),
    )
]


class TestConvoy:
    def test_the_higher_side_wins_and_its_highest_card_takes_the_trick(self) -> None:
        table = Table(
            convoy(), force("A01", 1, 3, 0), force("X01", 0, 2, 0), force("A02", 0, 4, 0, victory_points=5)
        )
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.play("allies", "A02")
        table.decide()
        assert trophies(table, P3) == ["O01", "X01"]
        assert trophies(table, P1) == trophies(table, P2) == []
        assert table.state.step.id == "g1.e2.turn"
        assert table.state.step.owners == (P2,)

    def test_a_tie_for_the_highest_card_goes_to_who_played_first(self) -> None:
        table = Table(convoy(), force("A01", 0, 3, 0), force("A02", 0, 3, 0), force("X01", 0, 1, 0))
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("allies", "A02")
        table.play("axis", "X01")
        table.decide()
        assert trophies(table, P1) == ["O01", "X01"]

    def test_combined_adds_all_three_values(self) -> None:
        table = Table(convoy(), force("A01", 1, 1, 1), force("X01", 2, 0, 0))
        table.turn_over("O01", "air", "surface", "sub")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.discard()
        table.decide()
        assert trophies(table, P1) == ["O01", "X01"]

    def test_only_cards_of_value_0_means_that_nobody_wins(self) -> None:
        table = Table(convoy(), force("A01", 3, 0, 0))
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.discard()
        table.discard("all")
        table.decide()
        assert all(trophies(table, player) == [] for player in table.own.players)
        assert table.own.engagement is not None
        assert table.state.step.id == "g1.e2.turn"

    def test_the_wrong_year_is_refused_in_the_open(self) -> None:
        table = Table(convoy(), force("A01", years=(1942, 1943)))
        table.turn_over("O01", "air")
        assert str(table.refused("allies", "A01").detail) == "A01 may not be played in 1941."

    def test_an_invalid_card_noticed_later_drops_out(self) -> None:
        table = Table(convoy(), force("A01", 0, 5, 0), force("X01", 0, 2, 0))
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.do(DropInvalid("A01"))
        table.discard()
        table.decide()
        assert trophies(table, P2) == ["O01"]

    def test_an_unknown_card_is_asked_for(self) -> None:
        table = Table(convoy())
        table.turn_over("O01", "air")
        assert table.refused("allies", "A09").code == "unknown_card"

    def test_going_on_without_playing_is_held_back(self) -> None:
        table = Table(convoy())
        table.turn_over("O01", "air")
        refused = table.attempt(EndAct(table.state.step.id, table.now_ms))
        assert refused is not None
        assert str(refused.detail) == "Play or discard first."

    def test_a_convoy_type_is_one_or_all_three(self) -> None:
        table = Table(convoy())
        refused = table.attempt(TurnOver(table.state.step.id, "O01", ("air", "sub")))
        assert refused is not None
        assert refused.code == "bad_value"

    def test_one_side_a_play(self) -> None:
        table = Table(convoy(), force("A01"), force("X01"))
        table.turn_over("O01", "air")
        assert "X01 is a card of one side only: axis. The side chosen is: allies." in str(
            table.refused("allies", "X01").detail
        )

    def test_two_force_cards_need_an_admiral(self) -> None:
        table = Table(convoy(), force("A01"), force("A02"), special("A40", "cunningham"))
        table.turn_over("O01", "air")
        assert "At most 1 Force card may be played here; 2 are chosen." in str(
            table.refused("allies", "A01", "A02").detail
        )
        table.play("allies", "A01", "A02", "A40", admiral="two")


class TestBattle:
    def test_two_rounds_the_second_hidden_and_always_combined(self) -> None:
        cards = [force(f"A0{n}", 1, 0, 0) for n in (1, 2)] + [force(f"X0{n}", 0, 1, 1) for n in (1, 2)]
        table = Table(battle(), *cards, force("A03"), force("A04", 0, 0, 0), players=3)
        table.turn_over("O02", "air")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.play("allies", "A03")
        assert table.state.step.act == "draw_cards"
        table.next()
        assert table.state.step.act == "play_hidden"
        table.play("allies", "A02")
        table.play("axis", "X02")
        table.play("allies", "A04")
        table.decide()
        # Allies 1 + 1 + 3 + 0 = 5, Axis 2 + 2 = 4; the highest allied card is A03.
        assert trophies(table, P3) == ["O02", "X01", "X02"]

    def test_nobody_passes_in_a_battle(self) -> None:
        table = Table(battle())
        table.turn_over("O02")
        refused = table.attempt(DiscardHand(table.state.step.id, "one"))
        assert refused is not None
        assert refused.code == "must_play"

    def test_without_a_valid_card_a_player_sits_out(self) -> None:
        table = Table(battle(), force("A01"), force("X01"), force("A02"), force("X02"))
        table.turn_over("O02")
        table.discard("out")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.next()
        assert table.state.step.id == "g1.e1.r2.p2"

    def test_a_hidden_card_of_the_wrong_year_is_a_bluff_without_effect(self) -> None:
        table = Table(
            battle(),
            force("A01", 1, 0, 0),
            force("X01", 2, 0, 0),
            force("A02", 6, 6, 6, years=(1943,)),
            force("X02", 0, 0, 0),
            players=2,
        )
        table.turn_over("O02")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.next()
        table.play("allies", "A02")
        table.play("axis", "X02")
        table.decide()
        assert trophies(table, P2) == ["O02", "A01"]

    def test_the_same_side_over_both_rounds(self) -> None:
        table = Table(battle(), force("A01"), force("X01"), force("X02"), players=2)
        table.turn_over("O02")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.next()
        table.play("axis", "X02")
        engagement = table.own.engagement
        assert engagement is not None
        assert [(gone.card, gone.why) for gone in engagement.removed] == [("X02", "invalid")]

    def test_the_renegade_changes_side_when_hidden(self) -> None:
        table = Table(battle(), force("A01"), force("X01"), force("X02"), force("X03"), *STORMS)
        table.turn_over("O02")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.play("axis", "X03")
        table.next()
        table.play("axis", "X02", "S05")

    def test_battles_as_convoys_have_one_round(self) -> None:
        table = Table(battle(), force("A01"), force("X01", 0, 1, 0), fast=True)
        table.turn_over("O02", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.discard()
        assert table.state.step.act == "trick"

    def test_m12_historicity_prescribes_the_printed_types(self) -> None:
        table = Table(battle("O28", historic=("air", "surface")), historicity=True)
        table.turn_over("O28")
        assert table.own.engagement is not None
        assert table.own.engagement.elements == ("air", "surface")


class TestTies:
    def test_m09_a_tie_is_fought_again_from_the_left_and_the_cards_stay(self) -> None:
        table = Table(
            convoy(),
            *(force(f"A0{n}", 0, n, 0) for n in (1, 2, 3)),
            *(force(f"X0{n}", 0, n, 0) for n in (1, 2)),
        )
        table.turn_over("O01", "surface")
        table.play("allies", "A02")
        table.play("axis", "X02")
        table.discard()
        table.decide()
        assert table.state.step.id == "g1.e1.again1.r1.p2"
        table.play("axis", "X01")
        table.discard()
        table.play("allies", "A03")
        table.decide()
        # Both rounds' losing cards are won; the winners' first card is discarded.
        assert trophies(table, P1) == ["O01", "X02", "X01"]
        assert table.state.step.owners == (P2,)

    def test_a_player_may_change_sides_in_the_replay(self) -> None:
        table = Table(convoy(), force("A01", 0, 1, 0), force("X01", 0, 1, 0), force("A02", 0, 2, 0))
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.discard()
        table.decide()
        table.play("allies", "A02")

    def test_nobody_winning_the_replay_discards_what_lay_beneath(self) -> None:
        table = Table(convoy(), force("A01", 0, 1, 0), force("X01", 0, 1, 0))
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.discard()
        table.decide()
        for _ in range(3):
            table.discard()
        table.decide()
        assert all(trophies(table, player) == [] for player in table.own.players)

    def test_a_draw_is_lost_by_the_side_of_the_intelligence_card(self) -> None:
        table = Table(
            convoy(),
            force("A01", 0, 2, 0),
            force("X01", 0, 2, 0),
            special("A41", "ultra"),
            force("X02", 0, 0, 0),
        )
        table.turn_over("O01", "surface")
        table.play("allies", "A41")
        table.play("axis", "X01")
        table.play("axis", "X02")
        assert table.state.step.id == "g1.e1.r1.p1.again"
        table.play("allies", "A01")
        table.decide()
        assert trophies(table, P2) == ["O01", "A01"]

    def test_one_intelligence_card_on_each_side_is_an_ordinary_draw(self) -> None:
        table = Table(
            convoy(),
            force("A01", 0, 2, 0),
            force("X01", 0, 2, 0),
            special("A41", "ultra"),
            special("X41", "b_dienst"),
            players=2,
        )
        table.turn_over("O01", "surface")
        table.play("allies", "A41")
        table.play("axis", "X41")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.next()
        for _ in range(2):
            table.discard()
        table.to("trick")
        table.do(TakeTrick(table.state.step.id))
        assert table.own.decided is not None
        assert table.own.decided.kind == "tie"


class TestDestiny:
    def test_a_victim_that_lies_there_is_lost_in_a_convoy(self) -> None:
        table = Table(convoy(), force("A01", 0, 6, 0, victory_points=4), force("X01", 0, 1, 0, victim="A01"))
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.discard()
        table.decide()
        assert trophies(table, P2) == ["A01", "O01"]

    def test_a_victim_played_later_in_a_convoy_is_safe(self) -> None:
        table = Table(convoy(), force("A01", 0, 6, 0), force("X01", 0, 1, 0, victim="A01"))
        table.turn_over("O01", "surface")
        table.play("axis", "X01")
        table.play("allies", "A01")
        table.discard()
        table.decide()
        assert trophies(table, P2) == ["O01", "X01"]

    def test_a_victims_bonus_is_discarded_and_a_victim_that_is_a_bonus_brings_nothing(self) -> None:
        table = Table(
            convoy(),
            force("A01", 0, 2, 0),
            bonus("A20", 0, 4, 0),
            force("X01", 0, 3, 0, victim="A20"),
        )
        table.turn_over("O01", "surface")
        table.play("allies", "A01", "A20")
        table.play("axis", "X01")
        table.discard()
        table.decide()
        # 2 against 3 once the Bonus is gone.
        assert trophies(table, P2) == ["O01", "A01"]

    def test_m08_the_operation_as_victim_doubles_value_and_die_but_no_bonus(self) -> None:
        table = Table(
            convoy(),
            force("A01", 0, "?", 0, victim="O01"),
            bonus("A20", 0, 1, 0),
            force("X01", 0, 6, 0),
        )
        table.turn_over("O01", "surface")
        table.play("allies", "A01", "A20")
        table.play("axis", "X01")
        table.discard()
        table.to("trick")
        table.roll("A01", "surface", 3)
        table.do(TakeTrick(table.state.step.id))
        assert table.own.decided is not None
        assert table.own.decided.totals == {"allies": 7, "axis": 6}


class TestDice:
    def test_every_question_mark_is_rolled_before_the_decision(self) -> None:
        table = Table(convoy(), force("A01", "?", "??", 1), force("X01", 3, 3, 3))
        table.turn_over("O01", "air", "surface", "sub")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.discard()
        table.to("trick")
        missing = table.attempt(TakeTrick(table.state.step.id))
        assert missing is not None
        assert str(missing.detail) == "Roll the dice first for A01 (air), A01 (surface)."
        table.roll("A01", "air", 4)
        wrong = table.attempt(RollDice(table.state.step.id, "A01", "surface", (4,)))
        assert wrong is not None
        assert str(wrong.detail) == "Enter exactly 2 dice, not 1."
        table.roll("A01", "surface", 6, 5)
        table.do(TakeTrick(table.state.step.id))
        assert table.own.decided is not None
        assert table.own.decided.totals == {"allies": 16, "axis": 9}

    @pytest.mark.parametrize("dice", [(0,), (7,), (13,)])
    def test_impossible_dice_are_refused(self, dice: tuple[int, ...]) -> None:
        table = Table(convoy(), force("A01", "?", 0, 0))
        table.turn_over("O01", "air")
        table.play("allies", "A01")
        table.discard()
        table.discard()
        table.to("trick")
        refused = table.attempt(RollDice(table.state.step.id, "A01", "air", dice))
        assert refused is not None
        assert refused.code == "bad_dice"

    def test_m06_bomb_alley_turns_one_die_into_two(self) -> None:
        table = Table(convoy(), force("A01", "?", 0, 0), force("X01", 1, 0, 0), *STORMS)
        table.turn_over("O01", "air")
        table.play("allies", "A01", "S06", bomb_alley_on="A01")
        table.play("axis", "X01")
        table.discard()
        table.to("trick")
        table.roll("A01", "air", 1, 2)
        table.do(TakeTrick(table.state.step.id))
        assert table.own.decided is not None
        assert table.own.decided.totals["allies"] == 3

    def test_bomb_alley_doubles_first_and_the_operation_adds_after(self) -> None:
        table = Table(
            convoy("O32"),
            force("A01", 2, 0, 0, frame="air"),
            bonus("A20", 1, 0, 0, frame="air"),
            force("X01", 1, 0, 0),
            *STORMS,
        )
        table.turn_over("O32", "air")
        table.play("allies", "A01", "A20", "S06", bomb_alley_on="A01")
        table.play("axis", "X01")
        table.discard()
        table.to("trick")
        table.do(TakeTrick(table.state.step.id))
        assert table.own.decided is not None
        # (2 doubled + 1) + (1 doubled + 1) against 1 + 1.
        assert table.own.decided.totals == {"allies": 8, "axis": 2}


class TestStorms:
    def test_m03_a_sirocco_at_3_cancels_and_at_4_passes_left(self) -> None:
        table = Table(convoy(), force("A01", 0, 5, 0), force("X01", 0, 1, 0), force("X02", 0, 1, 0), *STORMS)
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.lay("axis", "X01", "S01")
        table.do(UseEffect(table.state.step.id, "sirocco", (4,)))
        table.next()
        table.lay("axis", "X02")
        held = table.attempt(EndAct(table.state.step.id, table.now_ms))
        assert held is not None
        assert "sirocco" in str(held.detail)
        table.do(UseEffect(table.state.step.id, "sirocco", (3,), P1))
        table.next()
        table.decide()
        assert trophies(table, P2) == ["O01"]

    def test_a_player_whom_a_sirocco_bars_is_skipped(self) -> None:
        table = Table(convoy(), force("A01"), force("X01"), *STORMS)
        table.turn_over("O01", "surface")
        table.lay("allies", "A01", "S01")
        table.do(UseEffect(table.state.step.id, "sirocco", (1,), P2))
        table.next()
        assert table.state.step.owners == (P3,)

    def test_m04_an_admiral_blown_away_gives_the_type_back(self) -> None:
        table = Table(
            convoy(), force("X01", 0, 0, 1), special("X42", "iachino"), force("A01", 6, 0, 2), *STORMS
        )
        table.turn_over("O01", "sub")
        table.play("axis", "X01", "X42", admiral="combined")
        assert table.own.engagement is not None
        assert table.own.engagement.combined()
        table.lay("allies", "A01", "S01")
        table.do(UseEffect(table.state.step.id, "sirocco", (2,), P1))
        assert table.own.engagement.current_elements() == ("sub",)

    @pytest.mark.parametrize(("dice", "hit"), [((1, 2), P1), ((6, 5), P3)])
    def test_m11_an_explosion_hits_the_right_below_7_and_the_left_above(
        self, dice: tuple[int, int], hit: Side
    ) -> None:
        table = Table(convoy(), force("A01"), force("X01"), force("A02"), *STORMS)
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01", "S03")
        table.play("allies", "A02")
        target = {P1: "A01", P3: "A02"}[hit]
        other = {P1: "A02", P3: "A01"}[hit]
        refused = table.attempt(UseEffect(table.state.step.id, "explosion", dice, card=other))
        assert refused is not None
        assert f"hits {hit}" in str(refused.detail)
        table.do(UseEffect(table.state.step.id, "explosion", dice, card=target))
        assert table.own.engagement is not None
        assert target not in table.own.engagement.lying()

    def test_an_explosion_of_7_hits_its_own_player(self) -> None:
        table = Table(convoy(), force("A01"), force("X01"), *STORMS)
        table.turn_over("O01", "surface")
        table.play("allies", "A01", "S03")
        table.do(UseEffect(table.state.step.id, "explosion", (3, 4), card="A01"))
        assert table.own.engagement is not None
        assert "A01" not in table.own.engagement.lying()

    def test_shallows_clears_submarines_and_bars_them_for_the_round(self) -> None:
        table = Table(
            convoy(),
            force("A01", 0, 0, 3, frame="sub"),
            force("X01", 0, 1, 0),
            force("A02", frame="sub"),
            *STORMS,
        )
        table.turn_over("O01", "sub")
        table.play("allies", "A01")
        table.lay("axis", "X01", "S07")
        assert table.own.engagement is not None
        assert "A01" not in table.own.engagement.lying()
        table.next()
        assert "no submarine cards" in str(table.refused("allies", "A02").detail)

    def test_lost_cancels_one_bonus(self) -> None:
        table = Table(convoy(), force("A01", 0, 1, 0), bonus("A20", 0, 3, 0), force("X01", 0, 2, 0), *STORMS)
        table.turn_over("O01", "surface")
        table.play("allies", "A01", "A20")
        table.play("axis", "X01", "S04")
        table.do(UseEffect(table.state.step.id, "lost", card="A20"))
        table.discard()
        table.decide()
        assert trophies(table, P2) == ["O01", "A01"]

    def test_a_storm_that_does_not_lie_there_cannot_be_used(self) -> None:
        table = Table(convoy(), force("A01"), *STORMS)
        table.turn_over("O01", "air")
        refused = table.attempt(UseEffect(table.state.step.id, "lost", card="A20"))
        assert refused is not None
        assert refused.code == "not_in_play"


class TestSpecials:
    def test_m14_the_raid_and_the_fuel_are_never_both_played_by_one_player(self) -> None:
        table = Table(
            battle(), special("A43", "la_spezia"), special("X43", "romanian_fuel"), force("X01"), players=2
        )
        table.turn_over("O02")
        table.play("allies", "A43")
        refused = table.refused("axis", "X01")
        assert "Only cards of one side may be played now: allies." in str(refused.detail)

    def test_the_raid_holds_the_later_players_in_round_1_only(self) -> None:
        cards = [force(n) for n in ("A01", "A02", "A03", "A04", "X01")]
        table = Table(battle(), special("A43", "la_spezia"), *cards)
        table.turn_over("O02")
        table.play("allies", "A43", "A01")
        table.play("allies", "A02")
        table.play("allies", "A03")
        table.next()
        assert table.own.engagement is not None
        assert table.own.engagement.only_round == 1

    def test_a_raid_needs_a_surface_or_combined_engagement(self) -> None:
        table = Table(convoy(), special("A43", "la_spezia"))
        table.turn_over("O01", "air")
        assert "la_spezia needs a combined engagement or one of this type: surface." in str(
            table.refused("allies", "A43").detail
        )

    def test_a_winning_supply_card_takes_back_a_surface_card(self) -> None:
        table = Table(
            convoy(),
            special("A44", "medway", "supply"),
            force("A01", 0, 4, 0, frame="surface"),
            force("X01", 0, 1, 0),
        )
        table.turn_over("O01", "surface")
        table.play("allies", "A44")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.to("trick")
        refused = table.attempt(TakeTrick(table.state.step.id, picks={"p2": "A01"}))
        assert refused is not None
        assert "Only a player with a Supply card" in str(refused.detail)
        table.do(TakeTrick(table.state.step.id, picks={"p1": "A01"}))
        assert table.own.decided is not None
        assert table.own.decided.picked == {"p1": "A01"}

    def test_a_losing_supply_card_is_destroyed_like_the_others(self) -> None:
        table = Table(convoy(), special("A44", "medway", "supply"), force("X01", 0, 1, 0))
        table.turn_over("O01", "surface")
        table.play("allies", "A44")
        table.play("axis", "X01")
        table.discard()
        table.decide()
        assert trophies(table, P2) == ["O01", "A44"]

    def test_a_declined_second_play_discards_the_intelligence_card(self) -> None:
        table = Table(convoy(), special("A41", "ultra"), force("X01", 0, 1, 0))
        table.turn_over("O01", "surface")
        table.play("allies", "A41")
        table.play("axis", "X01")
        table.discard()
        table.discard()
        table.decide()
        assert trophies(table, P2) == ["O01"]

    def test_m15_fifteen_special_cards_of_three_kinds(self) -> None:
        kinds = [effect.kind for effect in EFFECTS.values()]
        assert (kinds.count("supply"), kinds.count("storm"), kinds.count("special")) == (2, 7, 6)


class TestBonuses:
    def test_an_axis_bonus_stays_with_its_nation_an_allied_one_does_not(self) -> None:
        table = Table(
            convoy(),
            force("X01", nation="italy"),
            bonus("X20", nation="germany"),
            force("A01", nation="us"),
            bonus("A20", nation="britain"),
        )
        table.turn_over("O01", "surface")
        assert "own nation" in str(table.refused("axis", "X01", "X20").detail)
        table.play("allies", "A01", "A20")

    def test_x54_goes_on_any_allied_force_card(self) -> None:
        table = Table(convoy(), force("A01"), bonus("X54"), force("X01"))
        table.turn_over("O01", "surface")
        assert "X54" in str(table.refused("axis", "X01", "X54").detail)
        table.play("allies", "A01", "X54")

    def test_a_bonus_fits_its_type_only(self) -> None:
        table = Table(convoy(), force("A01", frame="sub"), bonus("A20", frame="air"))
        table.turn_over("O01", "sub")
        assert "of different types: air and sub." in str(table.refused("allies", "A01", "A20").detail)


class TestPointsAndSeries:
    def test_m01_freighters_enlarge_the_hand(self) -> None:
        from companion.games.med.rules.commands import Trophy

        cards = {
            "O01": convoy(freighter="full"),
            **{f"O0{n}": convoy(f"O0{n}", freighter="half") for n in (2, 3, 4)},
        }
        pile = tuple(Trophy(number, 1, "trick") for number in cards)
        assert hand_size(pile, cards, Options()) == 8
        many = {f"O{n:02}": convoy(f"O{n:02}", freighter="full") for n in range(1, 9)}
        assert hand_size(tuple(Trophy(number, 1, "trick") for number in many), many, Options()) == 9

    def finished(self, **options: object) -> Table:
        operations = [convoy(f"O{n:02}") for n in range(1, 11)]
        table = Table(
            *operations, *(force(f"A{n:02}", 0, 1, 0) for n in range(1, 11)), operations=10, **options
        )
        for n in range(1, 11):
            table.turn_over(f"O{n:02}", "surface")
            first = table.own.engagement
            assert first is not None
            for player in first.order:
                if player == P1:
                    table.play("allies", f"A{n:02}")
                else:
                    table.discard()
            table.decide()
        return table

    def test_ten_operations_end_with_the_most_points(self) -> None:
        table = self.finished()
        assert table.state.ending is not None
        assert (table.state.ending.winner, table.state.ending.reason) == (P1, "points")

    def test_m16_a_series_goes_on_until_75_points(self) -> None:
        table = self.finished(series="points")
        assert table.state.ending is None
        assert table.state.step.act == "count"
        assert len(table.own.piles[P1]) == 10  # everybody looks at them before the next game
        table.next()
        assert table.own.series_points == {P1: 30, P2: 0, P3: 0}
        assert table.own.piles[P1] == ()
        assert table.state.step.id == "g2.e1.turn"
        assert table.state.step.owners == (P2,)

    def test_an_operation_comes_up_once_a_game(self) -> None:
        table = Table(convoy())
        table.turn_over("O01", "air")
        for _ in range(3):
            table.discard()
        table.decide()
        refused = table.attempt(TurnOver(table.state.step.id, "O01", ("air",)))
        assert refused is not None
        assert refused.code == "seen_before"

    def test_advanced_winners_share_one_each_before_a_second(self) -> None:
        table = Table(
            convoy(),
            force("A01", 0, 3, 0),
            force("A02", 0, 1, 0),
            force("X01", 0, 1, 0),
            advanced=True,
        )
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("allies", "A02")
        table.play("axis", "X01")
        table.to("trick")
        greedy = table.attempt(TakeTrick(table.state.step.id, shares={"p1": ("O01", "X01")}))
        assert greedy is not None
        assert greedy.code == "bad_sharing"
        outside = table.attempt(TakeTrick(table.state.step.id, shares={"p1": ("O01",), "p3": ("X01",)}))
        assert outside is not None
        assert outside.code == "bad_sharing"
        table.do(TakeTrick(table.state.step.id, shares={"p1": ("O01",), "p2": ("X01",)}))
        assert trophies(table, P2) == ["X01"]


class TestTwoPlayers:
    def test_a_convoy_has_two_open_rounds_and_the_highest_single_card_takes_it(self) -> None:
        table = Table(
            convoy(),
            force("A01", 0, 1, 0),
            force("X01", 0, 2, 0),
            force("A02", 0, 4, 0),
            force("X02", 0, 2, 0),
            players=2,
        )
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.next()
        assert table.state.step.act == "play"
        table.play("allies", "A02")
        table.play("axis", "X02")
        table.decide()
        assert trophies(table, P1) == ["O01", "X01", "X02"]

    def test_a_passed_sirocco_crosses_into_the_second_round(self) -> None:
        table = Table(convoy(), force("A01"), force("X01"), *STORMS, players=2)
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.lay("axis", "X01", "S01")
        table.do(UseEffect(table.state.step.id, "sirocco", (6,)))
        table.next()
        assert table.own.engagement is not None
        assert table.own.engagement.sirocco == P1


class TestLog:
    def test_undo_and_redo_walk_over_a_whole_engagement(self) -> None:
        table = Table(convoy(), force("A01", 0, 3, 0), force("X01", 0, 2, 0))
        start = table.own
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.discard()
        table.decide()
        end = table.own
        count = 0
        while table.attempt(Undo(table.now_ms, confirmed=True)) is None and table.own != start:
            count += 1
        assert table.own == start
        while table.attempt(Redo(table.now_ms)) is None:
            pass
        assert table.own == end
        assert count > 5

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (
                {"number": "A01", "kind": "force", "values": [7, 0, 0], "victory_points": 1},
                "must be 0-6, ? or ??. Entered: 7, 0, 0.",
            ),
            ({"number": "A01", "kind": "storm"}, "Possible: force, bonus, supply, special."),
            ({"number": "A02", "kind": "force"}, "under another number: A02."),
            ({"number": "A01", "kind": "force", "victory_points": 9}, "must be 1-5. Entered: 9."),
            (
                {"number": "A01", "kind": "force", "years": [1950], "victory_points": 1},
                "must be 1940-1943. Entered: 1950.",
            ),
            ("nonsense", "Expected `object`, got `str`"),
        ],
    )
    def test_a_broken_card_is_refused_with_key_expected_and_got(self, value: object, text: str) -> None:
        table = Table()
        refused = table.attempt(EnterPrintedValue("card.A01", value))
        assert refused is not None
        assert text in str(refused.detail)

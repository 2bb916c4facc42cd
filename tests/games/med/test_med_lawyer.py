"""The card game read closely: when a card does its work, what undoes it, and what the rules leave to the table."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core.commands import EndAct, SetRuling
from companion.core.ids import Side
from companion.core.scenario import DataError
from companion.core.secrecy import View
from companion.games.med.rules.cards import Card, is_victim
from companion.games.med.rules.commands import (
    DiscardHand,
    DropInvalid,
    EngagementDecided,
    LayStorm,
    PlayHand,
    TakeTrick,
    Trophy,
    TurnOver,
    UseEffect,
)
from companion.games.med.rules.engagement import Engagement, Options
from companion.games.med.rules.game_rules import RULES
from companion.games.med.rules.new_game import MedFamily
from companion.games.med.rules.outcome import sharers, spoils
from companion.games.med.rules.points import hand_size, ranking
from companion.games.med.rules.secrets import SECRETS
from companion.games.med.rules.slice import hands, known_cards, sharing, verdict
from companion.session.scenario_loader import make_setup
from tests.games.med.by_chance import act, random_deck
from tests.games.med.table import LOADED, Table, battle, bonus, convoy, force
from tests.games.med.test_med_play import STORMS, special, trophies

P1, P2, P3 = Side("p1"), Side("p2"), Side("p3")


def now(table: Table) -> Engagement:
    engagement = table.own.engagement
    assert engagement is not None
    return engagement


def apart(table: Table, player: Side, card: str, target: str = "") -> None:
    table.do(LayStorm(table.state.step.id, player, card, target))


def totals(table: Table) -> dict[str, int]:
    return verdict(table.state, now(table)).totals


class TestStormsAtAnyTime:
    """S02 at any point; S03, S04, S06 before the engagement is resolved; S01, S07 at the end of one's own play."""

    def table(self, *more: Card, **options: Any) -> Table:
        table = Table(
            convoy(),
            force("A01", 2, 2, 0),
            bonus("A20", 0, 3, 0),
            force("X01", 1, 4, 0),
            force("A02", "?", 0, 0),
            *STORMS,
            *more,
            **options,
        )
        table.turn_over("O01", "surface")
        return table

    def test_lost_is_laid_by_another_player_after_all_have_played(self) -> None:
        table = self.table()
        table.play("allies", "A01", "A20")
        table.play("axis", "X01")
        table.discard()
        assert table.state.step.act == "trick"
        assert totals(table) == {"allies": 5, "axis": 4}
        refused = table.refusal(LayStorm(table.state.step.id, P2, "S04", "A01"))
        assert str(refused.detail) == "Choose a Bonus that is on the table."
        apart(table, P2, "S04", "A20")
        assert totals(table) == {"allies": 2, "axis": 4}

    def test_bomb_alley_laid_apart_doubles_one_card(self) -> None:
        table = Table(convoy(), force("A01", 2, 0, 0), force("X01", 3, 0, 0), *STORMS)
        table.turn_over("O01", "air")
        table.play("allies", "A01")
        table.play("axis", "X01")
        refused = table.refusal(LayStorm(table.state.step.id, P3, "S06", "A09"))
        assert str(refused.detail) == "bomb_alley: choose the Force card whose Air value it doubles."
        apart(table, P3, "S06", "A01")
        table.discard()
        assert totals(table) == {"allies": 4, "axis": 3}

    def test_a_storm_laid_apart_is_not_its_players_play(self) -> None:
        table = self.table()
        apart(table, P1, "S03")
        held = table.refusal(EndAct(table.state.step.id, table.now_ms))
        assert str(held.detail) == "Play or discard first."
        table.play("allies", "A01")

    def test_no_card_is_laid_once_the_dice_roll(self) -> None:
        table = Table(convoy(), force("A01", "?", 0, "?"), force("X01", 3, 0, 0), *STORMS)
        table.turn_over("O01", "air", "surface", "sub")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.discard()
        table.roll("A01", "air", 4)
        refused = table.refusal(LayStorm(table.state.step.id, P3, "S06", "A01"))
        assert str(refused.detail) == "The dice have been rolled. Undo them before you play another card."

    def test_an_explosion_waits_for_its_dice_before_the_trick(self) -> None:
        table = self.table()
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.discard()
        apart(table, P3, "S03")
        held = table.refusal(TakeTrick(table.state.step.id))
        assert (held.code, str(held.detail)) == ("storm_waits", "Carry out this card first: explosion.")
        table.do(UseEffect(table.state.step.id, "explosion", (1, 1), card="X01"))
        assert totals(table) == {"allies": 2, "axis": 0}

    def test_an_explosion_at_home_destroys_no_special_and_no_storm_card(self) -> None:
        """Supply, Storm & Special Cards: they are never destroyed, so an Admiral's combination stays."""
        admiral, supply = special("A62", "cunningham"), Card("A63", "supply", effect="medway")
        table = self.table(admiral, supply, force("A03", 1, 2, 3))
        table.play("allies", "A03", "A62", "A63", "S06", "S03", admiral="combined", bomb_alley_on="A03")
        table.play("axis", "X01")
        table.discard()
        for kept in ("A62", "S06", "S03"):
            refused = table.refusal(UseEffect(table.state.step.id, "explosion", (3, 4), card=kept))
            assert str(refused.detail) == "7 hits p1. Choose the card that is destroyed."
        assert totals(table) == {"allies": 7, "axis": 5}
        table.do(UseEffect(table.state.step.id, "explosion", (3, 4), card="A63"))
        assert totals(table) == {"allies": 7, "axis": 5}

    def test_a_lost_without_any_bonus_does_not_hold_the_trick_up(self) -> None:
        table = self.table()
        table.play("allies", "A01", "S04")
        table.play("axis", "X01")
        table.discard()
        table.decide()
        assert trophies(table, P2) == ["O01", "A01"]

    def test_fog_leaves_no_trace_and_comes_between_engagements_too(self) -> None:
        table = self.table()
        apart(table, P3, "S02")
        assert now(table).used == ("fog",)
        for _player in range(3):
            table.discard()
        table.decide()
        apart(table, P3, "S02")
        assert table.state.step.act == "operation"

    @pytest.mark.parametrize("storm", ["S01", "S07"])
    def test_sirocco_and_shallows_come_at_the_end_of_their_own_players_play(self, storm: str) -> None:
        table = self.table()
        table.lay("allies", "A01")
        refused = table.refusal(LayStorm(table.state.step.id, P3, storm))
        assert str(refused.detail) == f"{storm} is played at the end of its player's own turn."
        apart(table, P1, storm)

    def test_a_sirocco_laid_in_the_face_down_round_is_used_there(self) -> None:
        table = Table(battle(), force("A01"), force("X01"), force("X02"), *STORMS, force("A02"))
        table.turn_over("O02")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.play("axis", "X02")
        table.next()
        apart(table, P1, "S01")
        held = table.refusal(EndAct(table.state.step.id, table.now_ms))
        assert str(held.detail) == "Roll the die of this card first: sirocco."
        table.do(UseEffect(table.state.step.id, "sirocco", (1,), P3))
        table.next()
        table.next()
        assert table.state.step.act == "reveal"
        table.do(DiscardHand(table.state.step.id, "bluff", P1))
        table.do(DiscardHand(table.state.step.id, "bluff", P2))
        table.next()
        assert table.state.step.act == "trick"

    def test_shallows_never_come_in_a_battles_second_round(self) -> None:
        table = Table(battle(), force("A01"), force("X01"), *STORMS, players=2)
        table.turn_over("O02")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.next()
        refused = table.refusal(LayStorm(table.state.step.id, P1, "S07"))
        assert str(refused.detail) == "shallows may not be played in round 2 of a battle."

    def test_night_action_is_laid_face_down_with_the_play(self) -> None:
        table = self.table()
        refused = table.refusal(LayStorm(table.state.step.id, P1, "S05"))
        assert str(refused.detail) == "S05 is played only together with other cards."

    def test_one_card_lies_once(self) -> None:
        table = self.table()
        apart(table, P1, "S03")
        refused = table.refusal(LayStorm(table.state.step.id, P2, "S03"))
        assert str(refused.detail) == "S03 is already on the table."

    def test_shallows_take_their_own_players_submarine_too_and_intelligence_comes_after_them(self) -> None:
        table = Table(
            convoy(),
            special("A41", "ultra"),
            force("X01", 0, 0, 2, frame="sub"),
            force("A02", 0, 0, 3, frame="sub"),
            *STORMS,
        )
        table.turn_over("O01", "sub")
        table.play("allies", "A41")
        table.play("axis", "X01", "S07")
        assert "X01" not in now(table).lying()
        table.discard()
        assert table.state.step.act == "play_again"
        assert "no submarine cards" in str(table.refused("allies", "A02").detail)


class TestSirocco:
    def test_it_passes_over_who_takes_no_part_any_more(self) -> None:
        table = Table(battle(), force("A01"), force("X01"), *STORMS)
        table.turn_over("O02")
        table.play("allies", "A01")
        table.discard("out")
        table.lay("axis", "X01", "S01")
        table.do(UseEffect(table.state.step.id, "sirocco", (5,)))
        # It is the first player's in the second round; the second player sits out.
        assert now(table).sirocco == P1
        table.next()
        table.next()
        assert table.state.step.id == "g1.e1.r2.p1"
        held = table.refusal(EndAct(table.state.step.id, table.now_ms))
        assert str(held.detail) == "Use or discard this card first: sirocco."
        table.do(UseEffect(table.state.step.id, "sirocco", put_away=True))
        table.next()
        assert table.state.step.owners == (P3,)

    def test_after_the_last_play_it_is_nobodys(self) -> None:
        table = Table(convoy(), force("A01"), force("X01"), force("X02"), *STORMS)
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.lay("axis", "X02", "S01")
        table.do(UseEffect(table.state.step.id, "sirocco", (6,)))
        assert now(table).sirocco is None
        table.next()
        assert table.state.step.act == "trick"

    @pytest.mark.parametrize(("reach", "is_in"), [("round", True), ("engagement", False)])
    def test_how_far_it_reaches_is_a_ruling(self, reach: str, is_in: bool) -> None:
        table = Table(
            battle(), force("A01"), force("X01"), *STORMS, players=2, rulings={"sirocco_reach": reach}
        )
        table.turn_over("O02")
        table.play("allies", "A01")
        table.lay("axis", "X01", "S01")
        table.do(UseEffect(table.state.step.id, "sirocco", (1,), P1))
        assert "A01" not in now(table).lying()
        table.next()
        table.next()
        assert table.state.step.owners == ((P1,) if is_in else (P2,))

    def test_a_lost_that_it_cancels_gives_the_bonus_back(self) -> None:
        table = Table(convoy(), force("A01", 0, 1, 0), bonus("A20", 0, 3, 0), force("X01", 0, 2, 0), *STORMS)
        table.turn_over("O01", "surface")
        table.play("allies", "A01", "A20")
        table.lay("axis", "X01", "S04")
        table.do(UseEffect(table.state.step.id, "lost", card="A20"))
        table.next()
        assert totals(table) == {"allies": 1, "axis": 2}
        table.lay("allies", "S01")
        table.do(UseEffect(table.state.step.id, "sirocco", (2,), P2))
        assert totals(table) == {"allies": 4, "axis": 0}


class TestAdmirals:
    def table(self) -> Table:
        table = Table(
            convoy(),
            force("X01", 0, 0, 1, nation="italy"),
            bonus("X20", 0, 0, 1),
            special("X42", "iachino"),
            force("A01", 6, 0, 2),
        )
        table.turn_over("O01", "sub")
        table.play("axis", "X01", "X20", "X42", admiral="combined")
        assert now(table).combined()
        return table

    def test_an_invalid_force_card_takes_admiral_and_bonus_with_it(self) -> None:
        table = self.table()
        table.do(DropInvalid("X01"))
        assert now(table).current_elements() == ("sub",)
        assert [gone.card for gone in now(table).removed] == ["X01", "X20", "X42"]

    def test_an_invalid_admiral_alone_gives_the_type_back(self) -> None:
        table = self.table()
        table.do(DropInvalid("X42"))
        assert now(table).current_elements() == ("sub",)
        assert "X01" in now(table).lying()

    def test_with_two_force_cards_one_may_be_invalid(self) -> None:
        table = Table(convoy(), force("X01"), force("X02"), special("X42", "iachino"))
        table.turn_over("O01", "surface")
        table.play("axis", "X01", "X02", "X42", admiral="two")
        table.do(DropInvalid("X01"))
        assert "X42" in now(table).lying()

    def test_the_admiral_of_a_battle_with_a_printed_type_makes_it_combined(self) -> None:
        table = Table(
            battle("O28", historic=("air", "surface")),
            force("A01"),
            special("A42", "cunningham"),
            historicity=True,
        )
        table.turn_over("O28")
        table.play("allies", "A01", "A42", admiral="combined")
        assert now(table).combined()


class TestDestiny:
    def convoy(self) -> Table:
        table = Table(
            convoy(),
            force("A01", 0, 6, 0, victory_points=4),
            force("X01", 0, 1, 0, victim="A01"),
            force("A02", 0, 2, 0),
            *STORMS,
        )
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01")
        return table

    def test_a_victim_lost_in_a_convoy_stays_lost_when_its_destroyer_is_cancelled(self) -> None:
        table = self.convoy()
        assert [(g.card, g.why, g.by) for g in now(table).removed] == [("A01", "destiny", P2)]
        table.lay("allies", "A02", "S01")
        table.do(UseEffect(table.state.step.id, "sirocco", (1,), P2))
        table.next()
        table.decide()
        assert trophies(table, P2) == ["A01"]
        assert trophies(table, P3) == ["O01"]

    def test_a_victim_is_its_destroyers_when_its_own_player_is_cancelled_later(self) -> None:
        table = self.convoy()
        table.lay("allies", "A02", "S01")
        table.do(UseEffect(table.state.step.id, "sirocco", (1,), P1))
        table.next()
        table.decide()
        assert trophies(table, P2) == ["A01"]

    def test_a_destiny_card_that_was_invalid_gives_its_victim_back(self) -> None:
        table = self.convoy()
        table.do(DropInvalid("X01"))
        assert "A01" in now(table).lying()
        table.discard()
        table.decide()
        assert trophies(table, P1) == ["O01"]

    def test_the_target_is_printed_as_a_name(self) -> None:
        ship = force("A01", 0, 6, 0, name="Ark Royal")
        assert is_victim(force("X01", victim="ark royal "), ship)
        assert is_victim(force("X01", victim="A01"), ship)
        assert not is_victim(force("X01"), force("A02"))
        table = Table(convoy(), ship, force("X01", 0, 1, 0, victim="Ark Royal"))
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01")
        assert "A01" not in now(table).lying()

    def test_an_operation_named_in_the_target_doubles(self) -> None:
        table = Table(
            convoy(name="Pedestal"), force("A01", 0, 2, 0, victim="Pedestal"), force("X01", 0, 3, 0)
        )
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.discard()
        assert totals(table) == {"allies": 4, "axis": 3}

    def test_in_a_battle_victims_fall_at_the_reveal_in_whatever_order(self) -> None:
        table = Table(
            battle(),
            force("X01", 0, 1, 0, victim="A01"),
            force("A01", 0, 6, 0),
            force("X02", 0, 0, 0),
            force("A02", 0, 1, 0, victim="X01"),
            players=2,
        )
        table.turn_over("O02")
        table.play("axis", "X01")
        table.play("allies", "A01")
        table.next()
        assert now(table).removed == ()
        table.play("axis", "X02")
        table.play("allies", "A02")
        table.to("trick")
        # Each strikes the other's victim, its own destroyer struck or not.
        assert [(gone.card, gone.by) for gone in now(table).removed] == [("A01", P1), ("X01", P2)]
        table.decide()
        assert trophies(table, P1) == ["A01"]
        assert trophies(table, P2) == ["X01", "O02", "X02"]

    def test_a_bonus_falls_with_the_victim_it_supports(self) -> None:
        table = Table(
            convoy(), force("A01", 0, 1, 0), bonus("A20", 0, 5, 0), force("X01", 0, 1, 0, victim="A01")
        )
        table.turn_over("O01", "surface")
        table.play("allies", "A01", "A20")
        table.play("axis", "X01")
        table.discard()
        assert totals(table) == {"allies": 0, "axis": 1}
        table.decide()
        assert trophies(table, P2) == ["A01", "O01"]


class TestFaceDown:
    def table(self, *cards: Card, **options: Any) -> Table:
        table = Table(
            battle(), force("A01", 1, 0, 0), force("X01", 2, 0, 0), *cards, **{"players": 2, **options}
        )
        table.turn_over("O02")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.next()
        table.next()
        table.next()
        assert table.state.step.act == "reveal"
        return table

    def test_a_bluff_need_not_be_entered(self) -> None:
        table = self.table()
        step = table.state.step.id
        assert table.refusal(DiscardHand(step, "one", P1)).code == "not_now"
        table.do(DiscardHand(step, "bluff", P1))
        table.do(DiscardHand(step, "bluff", P2))
        table.next()
        table.decide()
        assert trophies(table, P2) == ["O02", "A01"]

    def test_invalid_cards_of_a_hidden_play_drop_out_and_the_rest_counts(self) -> None:
        table = self.table(force("A02", 0, 4, 0), bonus("X20", 0, 3, 0), special("A43", "la_spezia"))
        step = table.state.step.id
        table.do(PlayHand(step, "allies", ("A02", "X20", "A43"), player=P1))
        gone = [(one.card, one.why) for one in now(table).removed]
        assert gone == [("X20", "invalid"), ("A43", "invalid")]
        table.do(DiscardHand(step, "bluff", P2))
        table.next()
        assert totals(table) == {"allies": 5, "axis": 2}

    def test_an_open_card_of_another_side_is_still_refused(self) -> None:
        table = Table(convoy(), force("A01"), force("X01"), force("X02"), force("A02"), players=2)
        table.turn_over("O01", "air")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.next()
        assert "This player has already chosen a side: allies." in str(table.refused("axis", "X02").detail)

    def test_changing_sides_is_for_the_second_round_only(self) -> None:
        cards = (special("A41", "ultra"), force("A01"), force("X01"), force("X02"), force("X03"))
        table = Table(battle(), *cards, change_sides=True)
        table.turn_over("O02")
        table.play("allies", "A41")
        table.play("axis", "X01")
        table.play("axis", "X02")
        assert table.state.step.act == "play_again"
        assert "This player has already chosen a side: allies." in str(table.refused("axis", "X03").detail)
        table.play("allies", "A01")
        table.next()
        table.lay("axis", "X03")
        assert now(table).removed == ()


def test_a_side_that_the_game_has_not_is_refused_by_its_name() -> None:
    table = Table(convoy(), force("A01", years=(1941,)))
    table.turn_over("O01", "surface")
    refused = table.refused("neutral", "A01")
    assert (refused.code, str(refused.detail)) == ("unknown_side", "This game has no such side: neutral.")


class TestRulings:
    def test_a_storm_alone_is_a_play_unless_the_table_says_no(self) -> None:
        for says, allowed in (("yes", True), ("no", False)):
            table = Table(convoy(), *STORMS, rulings={"storm_alone": says})
            table.turn_over("O01", "air")
            refused = table.attempt(PlayHand(table.state.step.id, "allies", ("S03",)))
            assert (refused is None) is allowed

    def test_load_lines_of_battles_count_where_the_table_says_so(self) -> None:
        pile = (Trophy("O01", 1, "trick"), Trophy("O02", 2, "trick"))
        cards = {"O01": convoy(freighter="full"), "O02": battle(freighter="full")}
        assert hand_size(pile, cards, Options()) == 7
        assert hand_size(pile, cards, Options(), battles=True) == 8
        for says, size in (("no", 6), ("yes", 7)):
            table = Table(
                battle(freighter="full"),
                force("A01", 0, 1, 0),
                *(force(n, 0, 0, 0) for n in ("X01", "X02", "A02", "X03", "X04")),
                rulings={"battle_freighters": says},
            )
            table.turn_over("O02")
            table.play("allies", "A01")
            table.play("axis", "X01")
            table.play("axis", "X02")
            table.next()
            for _player in range(3):
                table.next()
            for player in table.own.players:
                table.do(DiscardHand(table.state.step.id, "bluff", player))
            table.next()
            table.decide()
            assert hands(table.state)[P1] == size

    def test_an_explosion_reaches_only_its_own_round_of_two(self) -> None:
        table = Table(convoy(), *(force(n) for n in ("A01", "A02", "X01", "X02")), *STORMS, players=2)
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.next()
        table.play("allies", "A02")
        table.lay("axis", "X02", "S03")
        refused = table.refusal(UseEffect(table.state.step.id, "explosion", (1, 1), card="A01"))
        assert str(refused.detail) == "2 hits p1. Choose the card that is destroyed."
        table.do(UseEffect(table.state.step.id, "explosion", (1, 1), card="A02"))

    @pytest.mark.parametrize(("reach", "left"), [("engagement", []), ("round", ["A02"])])
    def test_how_many_rounds_shallows_clears_is_a_ruling(self, reach: str, left: list[str]) -> None:
        """Rules for 2 Players: the rounds are separate."""
        cards = (*(force(n, frame="sub") for n in ("A02", "A03")), force("X01"), force("X02"))
        table = Table(convoy(), *cards, *STORMS, players=2, rulings={"shallows_reach": reach})
        table.turn_over("O01", "sub")
        table.play("allies", "A02")
        table.play("axis", "X01")
        table.next()
        table.play("allies", "A03")
        table.lay("axis", "X02", "S07")
        assert [n for n in sorted(now(table).lying()) if n.startswith("A")] == left

    @pytest.mark.parametrize(("ruling", "may"), [("yes", True), ("no", False)])
    @pytest.mark.parametrize("storm", ["S01", "S07"])
    def test_a_discard_may_end_with_a_storm_card_where_one_may_be_played_alone(
        self, storm: str, ruling: str, may: bool
    ) -> None:
        """Sirocco: in addition to a Force card. One that he laid beside a card is his in either way."""
        for discards in (True, False):
            table = Table(convoy(), force("A01"), *STORMS, rulings={"storm_alone": ruling})
            table.turn_over("O01", "surface")
            if discards:
                table.do(DiscardHand(table.state.step.id, "one"))
            else:
                table.lay("allies", "A01")
            answer = table.attempt(LayStorm(table.state.step.id, P1, storm))
            assert (answer is None) == (may or not discards)
            assert answer is None or answer.code == "illegal_play"


class TestReplays:
    def drawn(self) -> Table:
        table = Table(
            convoy(),
            force("A01", 0, 2, 0, frame="surface"),
            force("X01", 0, 2, 0),
            special("A44", "medway", "supply"),
            force("A02", 0, 1, 0),
            force("X02", 0, 0, 0, victim="A01"),
            *STORMS,
        )
        table.turn_over("O01", "surface")
        table.play("allies", "A01", "A44")
        table.play("axis", "X01")
        table.discard()
        table.decide()
        return table

    def test_a_supply_card_of_a_drawn_round_still_takes_a_ship_back(self) -> None:
        table = self.drawn()
        table.discard()
        table.play("allies", "A02")
        table.discard()
        table.to("trick")
        table.do(TakeTrick(table.state.step.id, picks={"p1": "A01"}))
        assert table.own.decided is not None
        assert table.own.decided.picked == {"p1": "A01"}
        assert trophies(table, P3) == ["O01", "X01"]

    def test_a_card_that_was_taken_out_does_not_go_beneath(self) -> None:
        table = Table(convoy(), force("A01", 0, 2, 0), force("X01", 0, 2, 0), force("A02", 0, 1, 0))
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.lay("allies", "A02")
        table.do(DropInvalid("A02"))
        table.next()
        table.decide()
        assert sorted(carried.card for carried in now(table).carried) == ["A01", "X01"]

    def test_who_takes_a_trick_alone_knows_what_lies_in_it(self) -> None:
        """Winning the Trick: the cards under the Operation stay hidden, until the points are counted."""
        table = Table(convoy(), force("A01", 0, 3, 0), force("X01", 0, 2, 0), operations=2)
        table.turn_over("O01", "surface")
        table.play("allies", "A01")
        table.play("axis", "X01")
        table.discard()
        table.decide()
        piles = {}
        for player in (P1, P2):
            view = View(RULES, SECRETS, frozenset({player}))
            view.take(table.timeline.entries)
            decided = [
                event
                for entry in view.entries(tuple(table.timeline.entries))
                for event in entry.events
                if isinstance(event, EngagementDecided)
            ]
            piles[player] = [one.card for one in decided[0].trophies[P1]]
        assert piles == {P1: ["O01", "X01"], P2: ["O01", ""]}

    def test_cards_beneath_are_safe_from_destiny_and_not_in_any_hand(self) -> None:
        table = self.drawn()
        assert str(table.refused("allies", "A01").detail) == "A01 lies under the Operation."
        table.play("axis", "X02")
        assert now(table).removed == ()
        assert "A01" in [carried.card for carried in now(table).carried]

    def test_a_second_draw_starts_one_seat_further_and_the_next_engagement_with_the_second_seat(self) -> None:
        table = self.drawn()
        assert table.state.step.owners == (P2,)
        table.play("axis", "X02")
        table.discard()
        table.discard()
        table.decide()
        assert table.state.step.id == "g1.e2.turn"
        assert table.state.step.owners == (P2,)


class TestAdvanced:
    def test_the_other_operation_does_not_come_up_again(self) -> None:
        table = Table(convoy(), convoy("O03"), advanced=True)
        step = table.state.step.id
        refused = table.refusal(TurnOver(step, "O01", ("air",), put_away="O01"))
        assert str(refused.detail) == "The Operation that you put away must be a different one."
        for other, code in (("", "second_missing"), ("A03", "not_an_operation"), ("O3", "not_an_operation")):
            assert table.refusal(TurnOver(step, "O01", ("air",), put_away=other)).code == code
        table.do(TurnOver(step, "O01", ("air",), put_away="O03"))
        table.next()
        for _player in range(3):
            table.discard()
        table.decide()
        again = table.refusal(TurnOver(table.state.step.id, "O03", ("air",)))
        assert (again.code, str(again.detail)) == ("seen_before", "O03 has already come up in this game.")

    def test_who_was_hit_or_played_nothing_of_value_has_no_share(self) -> None:
        table = Table(
            convoy(),
            *(force(n, 0, v, 0) for n, v in (("A01", 3), ("A02", 0), ("A03", 1), ("A04", 2))),
            force("X01", 0, 1, 0, victim="A04"),
            advanced=True,
            players=5,
        )
        table.turn_over("O01", "surface")
        for card in ("A01", "A02", "A03", "A04"):
            table.play("allies", card)
        table.play("axis", "X01")
        won = verdict(table.state, now(table))
        cards = known_cards(table.state)
        assert sharers(now(table), won, table.own.options, cards) == (P1, P3)
        assert spoils(now(table), cards, won) == ("X01",)

    @pytest.mark.parametrize("others", [0, 1])
    def test_a_winner_who_was_hit_in_round_1_shares_the_prizes_out_and_gets_none(self, others: int) -> None:
        """Advanced Rules: whom a Sirocco hit receives no prize cards; alone on his side he keeps them."""
        table = Table(
            battle(),
            *(
                force(n, 0, v, 0)
                for n, v in (("A01", 1), ("A02", 6), ("A03", 1), ("A04", others), ("X01", 2))
            ),
            force("X02", 0, 0, 0),
            *STORMS,
            advanced=True,
        )
        table.turn_over("O02")
        table.play("allies", "A01")
        table.play("allies", "A03")
        table.lay("axis", "X01", "S01")
        table.do(UseEffect(table.state.step.id, "sirocco", (1,), P1))
        table.next()
        table.to("play_hidden")
        for side, card in (("allies", "A02"), ("allies", "A04"), ("axis", "X02")):
            table.play(side, card)
        table.do(SetRuling("prize_round", "last"))
        table.to("trick")
        won = verdict(table.state, now(table))
        assert (won.player, sharing(table.state, now(table), won)) == (P1, (P2,) if others else (P1,))
        table.do(TakeTrick(table.state.step.id))
        taken = {player: [one.card for one in pile] for player, pile in table.own.piles.items() if pile}
        assert taken == {P2 if others else P1: ["O02", "X01", "X02"]}


class TestNewGame:
    def options(self, **given: Any) -> Any:
        return make_setup(MedFamily(), LOADED, "match", given)

    def test_any_number_of_operations_that_the_deck_allows(self) -> None:
        assert self.options(operations=13).tables["options"]["operations"] == 13
        with pytest.raises(DataError, match=r"operations: expected a whole number from 1 to 44, got 45"):
            self.options(operations=45)
        with pytest.raises(DataError, match=r"operations: expected a whole number from 1 to 22, got 23"):
            self.options(operations=23, advanced=True)

    def test_the_dealer_starts_and_the_deal_passes_to_the_left(self) -> None:
        table = Table(convoy(), dealer=3, operations=1, series=2)
        assert table.state.step.owners == (P3,)
        table.turn_over("O01", "air")
        for _player in range(3):
            table.discard()
        table.decide()
        table.to("operation")
        assert table.state.step.owners == (P1,)
        with pytest.raises(DataError, match=r"dealer: expected a whole number from 1 to 2, got 3"):
            self.options(dealer=3, players=2)

    def test_an_option_without_effect_is_refused_with_its_reason(self) -> None:
        """Rules for 2 Players; Changing Sides During Battles; Faster Game; Historicity."""
        two = (
            r"change_sides: expected false, since two players never change sides between the rounds, got true"
        )
        with pytest.raises(DataError, match=two):
            self.options(players=2, change_sides=True)
        for name in ("change_sides", "historicity"):
            told = rf"{name}: expected false, since a fast game has no battles, got true"
            with pytest.raises(DataError, match=told):
                self.options(fast=True, **{name: True})
            assert self.options(players=3, **{name: True}).tables["options"][name]
        assert self.options(players=2, fast=True, historicity=False).tables["options"]["fast"]

    def test_a_series_may_go_to_another_number_of_points(self) -> None:
        assert self.options(series="points").tables["options"]["series_points"] == 75
        assert self.options(series="points", goal=100).tables["options"]["series_points"] == 100
        assert self.options(goal=100).tables["options"].get("series_points", 0) == 0


def test_equal_points_are_told_apart_by_operations_and_else_share_a_place() -> None:
    points = {P1: 10, P2: 12, P3: 12}
    assert [s.player for s in ranking(points, {P1: 5, P2: 1, P3: 2})] == [P3, P2, P1]
    assert [s.place for s in ranking(points, {P1: 5, P2: 2, P3: 2})] == [1, 1, 3]


@settings(max_examples=12)
@given(st.integers(0, 2**32), st.integers(2, 5))
def test_whole_games_by_chance_end_and_no_card_is_in_two_places(seed: int, players: int) -> None:
    chance = random.Random(seed)
    deck = random_deck(chance)
    table = Table(*deck, players=players, operations=6)
    for _ in range(2_000):
        if table.state.ending is not None:
            break
        act(table, chance, [card for card in deck if card.kind != "operation"])
    assert table.state.ending is not None
    won = [trophy.card for pile in table.own.piles.values() for trophy in pile]
    assert len(won) == len(set(won))
    assert not any(card[0] == "S" for card in won)
    cards = known_cards(table.state)
    assert all(cards[card].kind in ("operation", "force", "supply") for card in won)
    assert all(6 <= size <= 9 for size in hands(table.state).values())

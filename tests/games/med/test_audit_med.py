"""What an audit of the card game found: cards the text describes, and a game kept by totals."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core.commands import EndAct
from companion.core.ids import Side
from companion.core.scenario import DataError
from companion.games.med.pages.card import blank, remember
from companion.games.med.rules.by_totals import first_of
from companion.games.med.rules.commands import CountPoints, NoteOperation, PlayHand, TurnOver
from companion.games.med.rules.new_game import MedFamily
from companion.games.med.rules.slice import hands, totals
from companion.session.scenario_loader import make_setup
from tests.games.med.table import LOADED, Table

P1, P2, P3 = Side("p1"), Side("p2"), Side("p3")


def by_totals(**options: Any) -> Table:
    return Table(keep="totals", **options)


def note(table: Table, player: Side | None, result: Any = "won", freighter: Any = "") -> None:
    table.do(NoteOperation(table.state.step.id, result, player, freighter))
    table.next()


def count(table: Table, *points: int) -> None:
    table.do(CountPoints(table.state.step.id, dict(zip(table.own.players, points, strict=True))))


class TestStatedCards:
    def test_o28_is_a_battle_in_the_air_and_on_the_surface(self) -> None:
        """Historicity."""
        card = blank("O28")
        assert (card.operation, card.historic) == ("battle", ("air", "surface"))

    def test_bonuses_and_the_romanian_card(self) -> None:
        """Bonus Cards; Force Cards."""
        assert [blank(number).kind for number in ("X54", "A53", "X55")] == ["bonus", "bonus", "force"]
        assert blank("X55").nation == "romania"

    def test_what_the_text_does_not_say_is_still_asked(self) -> None:
        assert not isinstance(remember(blank("O28")), tuple)
        assert blank("O28").years == ()
        assert blank("O27").operation == ""


class TestTotals:
    """The Game; End of the Game; 1st Player; Tie; No Combat."""

    def test_three_operations_and_their_points(self) -> None:
        table = by_totals(operations=3)
        note(table, P1)
        note(table, None, "nobody")
        note(table, P2)
        assert table.state.step.act == "count"
        count(table, 5, 7, 0)
        table.next()
        assert table.state.ending is not None
        assert (table.state.ending.winner, table.state.ending.reason) == (P2, "points")

    def test_operations_decide_a_tie(self) -> None:
        table = by_totals(operations=3)
        for player in (P1, P2, P1):
            note(table, player)
        count(table, 9, 9, 4)
        table.next()
        assert table.state.ending is not None
        assert table.state.ending.winner == P1

    def test_after_a_draw_the_left_neighbour_starts_the_same_operation(self) -> None:
        table = by_totals(operations=2, dealer=3)
        assert first_of(table.own, 1) == P3
        note(table, None, "tie")
        assert (table.state.step.stage, table.state.step.id) == (1, "g1.e1.again1.taken")
        assert first_of(table.own, 1, 1) == P1
        note(table, None, "tie")
        assert table.state.step.id == "g1.e1.again2.taken"
        note(table, P1)
        assert table.state.step.stage == 2
        assert first_of(table.own, 2) == P1, "draws do not move the next first player"

    def test_a_slip_is_mended_before_going_on(self) -> None:
        table = by_totals(operations=1)
        table.do(NoteOperation(table.state.step.id, "won", P1))
        table.do(NoteOperation(table.state.step.id, "won", P2, "full"))
        table.next()
        assert [noted.player for noted in table.own.noted] == [P2]

    def test_a_series_to_75(self) -> None:
        table = by_totals(operations=1, series="points")
        note(table, P1)
        count(table, 40, 20, 10)
        table.next()
        assert (table.own.game, table.state.step.id) == (2, "g2.e1.taken")
        assert first_of(table.own, 1) == P2, "the deal passes to the left"
        note(table, P2)
        count(table, 30, 60, 0)
        table.next()
        assert table.state.ending is not None
        assert table.state.ending.winner == P2
        assert totals(table.state) == ({P1: 70, P2: 80, P3: 10}, {P1: 1, P2: 1, P3: 0})

    def test_hands_are_told_as_far_as_freighters_are_noted(self) -> None:
        """Size of the Hand."""
        table = by_totals(operations=5)
        note(table, P1, freighter="full")
        note(table, P2, freighter="half")
        note(table, P2, freighter="half")
        note(table, P3)
        assert hands(table.state) == {P1: 7, P2: 7}, "the third player's line was not noted"

    @pytest.mark.parametrize("wrong", [{}, {P1: 1}, {P1: 0, P2: 0, P3: 0}, {P1: 2, P2: -1, P3: 0}])
    def test_points_that_cannot_be(self, wrong: dict[Side, int]) -> None:
        table = by_totals(operations=1)
        note(table, P1)
        table.refusal(CountPoints(table.state.step.id, wrong))
        table.refusal(EndAct(table.state.step.id, table.now_ms))

    def test_nothing_goes_on_unsaid(self) -> None:
        table = by_totals(operations=1)
        assert "Note who takes" in str(table.refusal(EndAct(table.state.step.id, table.now_ms)).detail)
        for wrong in (
            NoteOperation(table.state.step.id, "won"),
            NoteOperation(table.state.step.id, "tie", P1),
            NoteOperation(table.state.step.id, "won", Side("p9")),
        ):
            table.refusal(wrong)

    def test_no_card_is_taken(self) -> None:
        table = by_totals(operations=1)
        table.refusal(TurnOver(table.state.step.id, "O01"))
        table.refusal(PlayHand(table.state.step.id, "allies", ("A01",)))

    def test_a_table_may_rule_that_every_card_is_entered(self) -> None:
        given = {"keep": "totals", "rulings": {"totals": "cards"}}
        with pytest.raises(DataError, match="keep: expected cards, got totals"):
            make_setup(MedFamily(), LOADED, "match", given)
        setup = make_setup(MedFamily(), LOADED, "match", {"keep": "totals"})
        assert setup.rulings["totals"] == "allowed", "stored with the game"

    def test_a_game_with_cards_notes_no_totals(self) -> None:
        table = Table()
        table.refusal(NoteOperation(table.state.step.id, "won", P1))

    def test_no_clock_runs_for_somebody_unknown(self) -> None:
        with pytest.raises(DataError, match="totals"):
            make_setup(MedFamily(), LOADED, "match", {"keep": "totals", "clock": 15})

    @given(st.lists(st.sampled_from(["p1", "p2", "p3", "tie", "nobody"]), min_size=1, max_size=30))
    @settings(max_examples=60)
    def test_any_evening_ends_with_every_operation_told_once(self, told: list[str]) -> None:
        table = by_totals(operations=6)
        for what in [*told, *["p1"] * 6]:
            if table.state.step.act != "taken":
                break
            player = Side(what) if what.startswith("p") else None
            note(table, player, "won" if player else what)
        ended = [noted.number for noted in table.own.noted if noted.result != "tie"]
        assert ended == [1, 2, 3, 4, 5, 6]
        count(table, 30, 31, 32)
        table.next()
        assert table.state.ending is not None
        assert table.state.ending.winner == P3

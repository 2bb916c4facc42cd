"""The card game's finer points: face-down cards, cancelled cards, raids in battles, what an Explosion wins."""

from __future__ import annotations

from companion.core.commands import EndAct
from companion.core.ids import Side
from companion.games.med.rules.commands import DiscardHand, PlayHand, UseEffect
from tests.games.med.table import Table, battle, bonus, convoy, force
from tests.games.med.test_med_play import STORMS, special, trophies

P1, P2, P3 = Side("p1"), Side("p2"), Side("p3")


def test_face_down_cards_are_entered_at_the_reveal_in_playing_order() -> None:
    table = Table(
        battle(),
        *(force(number, 0, 1, 0) for number in ("A01", "A02", "A03", "X03")),
        force("A04", 0, 3, 0),
        force("A05", 0, 3, 0),
    )
    table.turn_over("O02")
    table.play("allies", "A01")
    table.play("allies", "A02")
    table.play("axis", "X03")
    table.to("play_hidden")
    table.next()  # p1 lays face down
    table.play("allies", "A05")  # p2 is entered before p1
    table.next()
    assert table.state.step.act == "reveal"
    held = table.attempt(EndAct(table.state.step.id, table.now_ms))
    assert held is not None
    assert str(held.detail) == "Enter the face-down cards first."
    step = table.state.step.id
    again = table.attempt(PlayHand(step, "allies", ("A04",), player=P2))
    assert again is not None
    assert again.code == "already_played"
    table.do(PlayHand(step, "allies", ("A04",), player=P1))
    table.do(out_of_year(table))
    table.next()
    table.decide()
    # Both threes are equal; p1 was first to lay his down although he was entered last.
    assert trophies(table, P1)[0] == "O02"


def out_of_year(table: Table) -> PlayHand:
    """The third player's face-down card, of a year in which it counts for nothing."""
    table.enter("card.X09", force("X09", 0, 6, 0, years=(1943,)))
    return PlayHand(table.state.step.id, "axis", ("X09",), player=P3)


def test_a_raid_ends_when_a_sirocco_cancels_it() -> None:
    table = Table(
        convoy(),
        force("A01", 0, 3, 0, frame="surface"),
        special("A43", "la_spezia"),
        force("X01", 0, 2, 0),
        force("A02", 0, 1, 0),
        *STORMS,
    )
    table.turn_over("O01", "surface")
    table.play("allies", "A01", "A43")
    assert "Only cards of one side may be played now: allies." in str(table.refused("axis", "X01").detail)
    table.lay("allies", "A02", "S01")
    table.do(UseEffect(table.state.step.id, "sirocco", (1,), P1))
    table.next()
    table.lay("axis", "X01")


def test_a_sirocco_that_was_laid_is_used_before_the_next_player() -> None:
    table = Table(convoy(), force("A01", 0, 3, 0), *STORMS)
    table.turn_over("O01", "surface")
    table.lay("allies", "A01", "S01")
    held = table.attempt(EndAct(table.state.step.id, table.now_ms))
    assert held is not None
    assert str(held.detail) == "Roll the die of this card first: sirocco."
    table.do(UseEffect(table.state.step.id, "sirocco", (3,), P2))
    twice = table.attempt(UseEffect(table.state.step.id, "sirocco", (3,), P3))
    assert twice is not None
    assert twice.code == "already_used"


def test_a_raid_lets_a_player_discard_in_a_battle() -> None:
    table = Table(battle(), force("A01", 0, 3, 0, frame="surface"), special("A43", "la_spezia"))
    table.turn_over("O02")
    must = table.attempt(DiscardHand(table.state.step.id, "one"))
    assert must is not None
    assert must.code == "must_play"
    table.play("allies", "A01", "A43")
    table.do(DiscardHand(table.state.step.id, "one"))


def test_an_explosion_wins_the_neighbours_card() -> None:
    table = Table(convoy(), force("A01", 0, 3, 0), force("X01", 0, 2, 0), force("X02", 0, 1, 0), *STORMS)
    table.turn_over("O01", "surface")
    table.play("allies", "A01")
    table.play("axis", "X01", "S03")
    table.play("axis", "X02")
    table.do(UseEffect(table.state.step.id, "explosion", (1, 2), card="A01"))
    table.decide()
    assert "A01" in trophies(table, P2)


def test_bomb_alley_doubles_a_card_laid_before() -> None:
    table = Table(convoy(), force("A01", 3, 0, 0), force("X01", 4, 0, 0), force("A02", 0, 0, 0), *STORMS)
    table.turn_over("O01", "air")
    table.play("allies", "A01")
    table.play("axis", "X01")
    assert "choose the Force card" in str(table.refused("allies", "A02", "S06", bomb_alley_on="A09").detail)
    table.play("allies", "A02", "S06", bomb_alley_on="A01")
    table.decide()
    assert trophies(table, P1)[0] == "O01"


def test_a_destroyed_card_does_not_come_back() -> None:
    table = Table(convoy(), convoy("O03"), force("A01", 0, 3, 0), force("X01", 0, 2, 0), bonus("A20"))
    table.turn_over("O01", "surface")
    table.play("allies", "A01")
    table.play("axis", "X01")
    table.discard()
    table.decide()
    table.turn_over("O03", "surface")
    assert str(table.refused("axis", "X01").detail) == "X01 was destroyed and is out of the game."


def test_the_second_game_of_a_series_is_dealt_anew() -> None:
    cards = [convoy(f"O{n:02}") for n in range(1, 11)]
    table = Table(*cards, operations=10, series=2)
    for card in cards:
        table.turn_over(card.number, "air")
        for _player in range(3):
            table.discard()
        table.decide()
    table.to("operation")
    assert table.state.step.id == "g2.e1.turn"
    assert table.state.step.checks[:2] == ("setup.shuffle", "setup.deal")

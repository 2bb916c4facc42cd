"""What the card game's text says of cards laid together and of prizes, read closely: Admirals, Destiny with a Storm, shares."""

from __future__ import annotations

import pytest

from companion.games.med.rules.cards import Card
from companion.games.med.rules.commands import TakeTrick
from companion.games.med.rules.slice import sharing, verdict
from tests.games.med.table import Table, battle, convoy, force
from tests.games.med.test_med_lawyer import now
from tests.games.test_rulings_where_they_decide import engagement, ruled


def test_a_raid_is_laid_with_the_admiral_who_combines_the_engagement() -> None:
    """Source: Naval card game, Raid on La Spezia; Admiral Iachino – Admiral Cunningham"""
    raid, admiral = Card("A61", "special", effect="la_spezia"), Card("A62", "special", effect="cunningham")
    ships = force("A05", 2, 2, 2, frame="surface")
    table = Table(convoy(), ships, force("A06", 1, 1, 1, frame="surface"), raid, admiral)
    table.turn_over("O01", "sub")
    cards = ("A05", "A61", "A62")
    assert "combined" in str(table.refused("allies", "A05", "A61").detail)
    two = table.refused("allies", *cards, "A06", admiral="two")
    assert "needs a combined engagement" in str(two.detail)
    table.lay("allies", *cards, admiral="combined")
    assert now(table).combined()
    assert now(table).only_side == "allies"


@pytest.mark.parametrize(("ruling", "plain", "dice"), [("once", 9, 10), ("all", 12, 12), (None, 9, 10)])
def test_whether_destiny_doubles_what_a_storm_adds(ruling: str | None, plain: int, dice: int) -> None:
    """Source: Naval card game, Victim of Destiny; Bomb alley"""
    storm = Card("S06", "storm", effect="bomb_alley")
    for air, expected in ((3, plain), ("?", dice)):
        rulings = {} if ruling is None else {"destiny_storm": ruling}
        card = force("A07", air, 0, 0, victim="Convoy")
        table = Table(convoy(name="Convoy"), card, storm, rulings=rulings)
        table.turn_over("O01", "air")
        table.play("allies", "A07", "S06", bomb_alley_on="A07")
        table.discard()
        table.discard()
        table.to("trick")
        if air == "?":
            table.roll("A07", "air", 4, 2)
        assert verdict(table.state, now(table)).totals["allies"] == expected
        assert "destiny_storm" in ruled(engagement(table))


@pytest.mark.parametrize("ruling", ["any", "last"])
def test_in_which_round_the_card_lies_that_gives_a_share(ruling: str) -> None:
    """Source: Naval card game, Advanced Rules"""
    values = {"A01": 2, "A02": 0, "A09": 3, "A10": 1, "X01": 1, "X02": 1}
    known = [force(number, 0, value, 0) for number, value in values.items()]
    table = Table(battle(), *known, advanced=True, rulings={"prize_round": ruling})
    table.turn_over("O02")
    for side, card in (("allies", "A09"), ("allies", "A01"), ("axis", "X01")):
        table.play(side, card)
    table.to("play_hidden")
    for side, card in (("allies", "A10"), ("allies", "A02"), ("axis", "X02")):
        table.play(side, card)
    table.to("trick")
    shares = {"p1": ("O02", "X01"), "p2": ("X02",)}
    assert "prize_round" in ruled(engagement(table))
    refused = table.attempt(TakeTrick(table.state.step.id, shares=shares))
    assert (refused is None) == (ruling == "any")


def test_who_fights_for_the_losers_in_the_second_round_has_no_share() -> None:
    """Source: Naval card game, Advanced Rules; Changing Sides during Battles"""
    known = [force(number, 0, value, 0) for number, value in (("A01", 1), ("A09", 5), ("X01", 1), ("X02", 1))]
    table = Table(
        battle(), *known, force("A10", 0, 1, 0), force("X03", 0, 0, 0), advanced=True, change_sides=True
    )
    table.turn_over("O02")
    for side, card in (("allies", "A09"), ("allies", "A01"), ("axis", "X01")):
        table.play(side, card)
    table.to("play_hidden")
    for side, card in (("allies", "A10"), ("axis", "X03"), ("axis", "X02")):
        table.play(side, card)
    table.to("trick")
    assert sharing(table.state, now(table), verdict(table.state, now(table))) == ("p1",)

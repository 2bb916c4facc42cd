"""The unit of a card, entered figure by figure."""

from __future__ import annotations

from companion.core.commands import StartGame
from companion.core.decide import handle
from companion.core.rules import Context
from companion.core.state import EMPTY_STATE, GameState
from companion.core.text import Typed
from companion.games.sfw.pages.card_unit import Card, ask_card, card_fault, card_rows, new_card
from companion.games.sfw.rules.game_rules import sfw96_rules
from companion.games.sfw.rules.new_game import SfwFamily
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import Fire, with_card
from companion.pages.page import Ask, Refuse
from companion.pages.speak import speak
from companion.session.scenario_loader import load_game, make_setup

_FAMILY = SfwFamily()


def table() -> GameState:
    setup = make_setup(_FAMILY, load_game(_FAMILY), "apr43", {})
    return handle(sfw96_rules(), EMPTY_STATE, StartGame(setup=setup, at_ms=0), Context()).state


def choose(state: GameState, card: Card, row: str, option: str) -> Card:
    found = next(options for text, options in card_rows(state, card) if speak(text, state).startswith(row))
    return {speak(text, state): changed for text, changed in found}[option]


def test_a_card_is_entered_by_choices_and_makes_the_unit() -> None:
    state = table()
    card = new_card("Alpini 5", "infantry", "italy")
    assert card["id"] == "card_italy_alpini_5"
    for row, option in (
        ("Battle steps too: none", "+ 4"),
        ("Movement steps too: none", "+ 3"),
        ("Shot 1, colour: White", "Gray"),
        ("Shot 1, number: 9", "8"),
        ("Shots: 1", "Add a shot"),
        ("Shot 2, dice: 1", "2"),
        ("Armour: White", "Purple"),
        ("Cost: 1", "3"),
        ("Abilities: ", "+ Level up"),
    ):
        card = choose(state, card, row, option)
    assert card_fault(state, card) is None
    unit = with_card(unit_table_of(state), card).units["card_italy_alpini_5"]
    assert (unit.battle_steps, unit.movement_steps) == ((4, 6), (3, 4, 5))
    assert unit.fire == (Fire(2, 8, ("land",)), Fire(2, 8, ("land",), dice=2))
    assert (unit.armour, unit.cost, unit.nation) == (4, 3, "italy")
    assert unit.has("level_up")
    assert unit.has("high_ground"), "everything else is like the base unit"
    assert choose(state, card, "Battle steps too: 4", "– 4")["add_battle_steps"] == []


def test_a_shot_without_its_number_is_named_before_the_card_is_played() -> None:
    state = table()
    card = choose(state, new_card("Tiger", "tank", "germany"), "Shot 1, colour: Gray", "Black")
    fault = card_fault(state, card)
    assert fault is not None
    assert speak(fault, state) == "Tiger, Hit number: a value is missing."
    card = choose(state, card, "Shot 1, number: –", "7")
    assert card_fault(state, card) is None


def test_a_card_that_takes_every_shot_away_has_none() -> None:
    state = table()
    card = choose(state, new_card("Depot", "infantry", "us"), "Shots: 1", "Remove shot 1")
    assert card_fault(state, card) is None
    assert with_card(unit_table_of(state), card).units["card_us_depot"].fire == ()


def test_a_card_is_asked_for_until_it_can_be_played() -> None:
    state = table()

    def picked(ask: Ask, start: str) -> object:
        (field,) = ask.form.fields
        key = next(item.key for item in field.options if speak(item.title, state).startswith(start))
        return ask.answered({field.key: key})

    def play(card: Card) -> Refuse:
        return Refuse(Typed(str(card["fire"])))

    ask = ask_card(state, new_card("Tiger", "tank", "germany"), play)
    for row, option in (("Shot 1, colour", "Black"), ("Shot 1, number", "7")):
        values = picked(ask, row)
        assert isinstance(values, Ask)
        again = picked(values, option)
        assert isinstance(again, Ask)
        ask = again
    done = picked(ask, "Play the card as is")
    assert isinstance(done, Refuse)
    assert "'number': 7" in str(done.why)

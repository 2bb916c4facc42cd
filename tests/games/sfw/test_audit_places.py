"""One list of places: every screen and rule that names a space means the same one, however it was typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.core.commands import Undo
from companion.core.ids import Nation
from companion.games.sfw.pages.battle import battle_page
from companion.games.sfw.pages.battle_draft import BattleDraft
from companion.games.sfw.pages.resupply import resupply_page
from companion.games.sfw.pages.seal_draft import Note
from companion.games.sfw.pages.seal_writing import draft_fault
from companion.games.sfw.pages.spaces import ask_space, known_spaces, meant
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.places import places_of
from companion.games.sfw.rules.resupply_record import (
    ChooseResupply,
    Place,
    Purchase,
    RecordBombing,
    ReportAtSea,
)
from companion.games.sfw.rules.supply import SetUpHub
from companion.games.sfw.rules.tokens import BlowBridge, PlaceToken, enemy_mines, mines_in
from companion.pages import i18n
from companion.pages.page import Ask, Rows, Send, Tiles
from companion.testing.reading import read
from tests.games.sfw_editions import NEWER, Evening

GERMANY, ITALY, US = Nation("germany"), Nation("italy"), Nation("us")


def test_the_list_has_every_place_that_the_text_names(ledger_game: Callable[..., Any]) -> None:
    desert = {place.name for place in places_of(ledger_game("nafrica").state)}
    assert {"A1", "A2", "A9", "B1", "E5", "Tobruk", "Tobruk West", "Bir Hakeim", "Mersa Matruh"} <= desert
    theater = {place.name for place in places_of(ledger_game("apr43").state)}
    assert {"Malta", "Ajaccio", "Thessaloniki", "E5"} <= theater
    assert not {"A1", "Bir Hakeim"} & theater


def test_a_battle_is_looked_for_where_one_was_fought_then_at_the_towns_and_by_name_last(
    ledger_game: Callable[..., Any],
) -> None:
    game = ledger_game("tobruk41")
    game.jump("s1.t4.axis.declare")
    assert list(known_spaces(game.state)) == ["Tobruk", "E5"]
    game.do(bc.DeclareBattle("Hill 112", "land"))
    assert list(known_spaces(game.state)) == ["Hill 112", "Tobruk", "E5"]
    page = read(battle_page, game.desk.change, game.desk.rules, BattleDraft(page="where")).page
    (tiles,) = (block for block in page.blocks if isinstance(block, Tiles))
    assert [tile.key for tile in tiles.tiles] == ["Hill 112", "Tobruk", "E5", "other"]
    assert [tile.is_way for tile in tiles.tiles] == [False, False, False, True]
    ask = ask_space(game.state, i18n_title(), lambda space: Send(bc.DeclareBattle(space, "land")))
    assert ask.form.fields[0].options[-1].key == "other"


def test_outside_the_steps_of_battles_their_screen_says_when_they_are_declared(
    ledger_game: Callable[..., Any],
) -> None:
    game = ledger_game("tobruk41")
    page = read(battle_page, game.desk.change, game.desk.rules)
    (rows,) = (block for block in page.page.blocks if isinstance(block, Rows))
    assert (
        page.say(rows.empty) == "Battles are declared in movement steps 1 to 5, by the side whose step it is"
    )
    assert page.page.main is not None
    assert page.page.main.act is not None, "no dead key"


def test_battles_and_homes_are_known_by_one_spelling(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.jump("s3.t4.allies.declare")
    game.enter()
    game.do(bc.DeclareBattle("  tunis ", "land"))
    assert battles_of(game.state).battles[0].space == "Tunis"
    game.refuse(bc.DeclareBattle("TUNIS", "land"), "space_taken", "Tunis")
    game.do(bc.DeclareBattle("Hill 112", "land"))
    game.refuse(bc.DeclareBattle("hill  112", "land"), "space_taken", "Hill 112")
    support = bc.ChangeUnits("A", ATTACKING, "artillery", "us", 1, 1, home="HILL 112")
    game.refuse(support, "locked_in_battle", "Hill 112 is active in battle B")


def test_units_last_known_in_a_space_are_found_under_any_spelling(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.jump("s3.t4.allies.declare")
    game.enter()
    game.do(bc.DeclareBattle("Hill 112", "land"))
    for side, nation in ((ATTACKING, "us"), (DEFENDING, "germany")):
        game.do(bc.ChangeUnits("A", side, "anti_air", nation))
    game.do(bc.BeginBattle("A"))  # nobody can hit anybody
    game.jump("s3.t4.axis.declare")
    game.do(bc.DeclareBattle(" hill 112", "land"))
    game.do(bc.RepeatComposition("A"))
    assert [group.nation for group in battles_of(game.state).battles[0].battle.attacking] == ["germany"]


def test_tokens_bridges_and_hubs_share_the_list(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    game.jump("s1.t2.axis.move")
    game.do(PlaceToken(ITALY, "mine", "e5"), PlaceToken(GERMANY, "mine", " E5 "))
    assert {token.where for token in mines_in(game.state, "E5")} == {"E5"}
    assert len(enemy_mines(game.state, "e5", "gb_xiii")) == 2
    assert enemy_mines(game.state, "e5", "italy") == ()
    game.jump("s1.t4.axis.move")
    game.refuse(SetUpHub(ITALY, "e5", ()), "bad_value", "E5 is a sea space")
    game.do(SetUpHub(ITALY, "bir_hakeim", ()))
    assert game.state.game["supply"].mobile[0].where == "Bir Hakeim"
    board = ledger_game("italy")
    board.jump("s1.t4.allies.move")
    who = board.state.frozen_setup.nations[0].id
    board.do(BlowBridge(who, spaces=("salerno", "Hill 7")))
    board.refuse(BlowBridge(who, spaces=("HILL 7", "Salerno")), "already_blown", "Salerno – Hill 7")
    board.refuse(BlowBridge(who, spaces=("Salerno", "salerno")), "bad_value", "two spaces")
    assert "Hill 7" in {place.name for place in places_of(board.state)}


@pytest.mark.parametrize("where", ["Q7", "Timbuktu", "", "tobruk"])
def test_the_german_point_places_in_its_four_sea_spaces_only(
    ledger_game: Callable[..., Any], where: str
) -> None:
    game = ledger_game("nafrica")
    game.jump("s1.r.axis.choose")
    game.enter({"light_bomber.cost": 3})
    game.do(ReportAtSea("german_point", is_clear=True))
    game.do(ChooseResupply(GERMANY, "air", "german_point"))
    game.do(Purchase(GERMANY, "air", "light_bomber", 1))
    game.jump("s1.r.axis.place")
    game.refuse(Place(GERMANY, "air", where), "wrong_space", "A1, A2, A9, B1")
    game.do(Place(GERMANY, "air", " a9"))
    assert game.state.game["resupply"].records[-1].where == "A9"


def test_what_comes_in_at_sea_stands_in_one_space_and_is_asked_for_it_once(
    ledger_game: Callable[..., Any],
) -> None:
    game = ledger_game("nafrica")
    game.jump("s1.r.axis.choose")
    game.enter({"infantry.cost": 2, "sea_transport.cost": 3})
    game.do(ReportAtSea("german_point", is_clear=True))
    for kind, unit in (("sea", "sea_transport"), ("land", "infantry")):
        game.do(ChooseResupply(GERMANY, kind, "german_point"), Purchase(GERMANY, kind, unit, 1))
    game.jump("s1.r.axis.place")
    for first, then in (("sea", "land"), ("land", "sea")):
        game.do(Place(GERMANY, first, "a2"))
        game.refuse(Place(GERMANY, then, "A1"), "wrong_space", "placed in A2, not in A1")
        page = read(resupply_page, game.desk.change, game.desk.rules)
        main = page.page.main
        assert main is not None
        act: Any = page.shown.acts[main.act]
        assert page.main == "Place 1 unit: A2, no mines"
        assert act.command == Place(GERMANY, then, "A2")
        assert not any(
            page.say(button.title) == "Elsewhere" for button in (*page.page.aside, *page.page.tools)
        )
        game.do(act.command)
        game.do(Undo(game.desk.now_ms(), confirmed=True), Undo(game.desk.now_ms(), confirmed=True))


def test_land_and_air_are_placed_on_the_chosen_objective(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.jump("s3.r.axis.choose")
    game.enter({"holder.apr43.rome": "italy", "resupply.theater.rome.land": 9, "infantry.cost": 2})
    game.do(ChooseResupply(ITALY, "land", "rome"), Purchase(ITALY, "land", "infantry", 2))
    game.jump("s3.r.axis.place")
    game.refuse(Place(ITALY, "land", "Naples"), "wrong_space", "not in Naples")
    game.do(Place(ITALY, "land", "rome"))


def test_bombing_and_answers_in_another_language_mean_the_same_place(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    state = game.state
    i18n.use_language("de")
    try:
        assert meant(state, "neapel") == "Naples"
        ask = ask_space(state, i18n_title(), lambda space: Send(bc.DeclareBattle(space, "land")))
        other = ask.answered({"one": "other"})
        assert isinstance(other, Ask)
        sent = other.answered({"name": "ROM"})
        assert isinstance(sent, Send)
        assert sent.command == bc.DeclareBattle("Rome", "land")
    finally:
        i18n.use_language("en")
    assert known_spaces(state)["Naples"] == "land"
    assert known_spaces(state)["E5"] == "sea"
    game.jump("s3.r.allies.lanes")
    game.do(RecordBombing("naples", 2))


@pytest.mark.parametrize(("kind", "space", "words"), [
    ("fleet", "tunis", "Tunis is a land space"), ("fleet", "J4", ""), ("units", "E5", "E5 is a sea space"),
])  # fmt: skip
def test_a_note_names_a_space_in_which_its_units_can_be(
    ledger_game: Callable[..., Any], kind: Any, space: str, words: str
) -> None:
    game = ledger_game("apr43")
    game.jump("s3.t3.allies.move")
    units = {"destroyer": 3} if kind == "fleet" else {"infantry": 1}
    note = Note(US, kind, space=space, units=units)
    fault = draft_fault(game.state, note)
    assert words in str(fault) if words else fault is None


def i18n_title() -> Any:
    from companion.core.text import Say

    return Say("Which space?")


@pytest.mark.parametrize(
    ("space", "terrain", "is_taken"),
    [
        ("e5", "land", False),
        (" E5 ", "sea", True),
        ("E5", "road", False),
        ("Rome", "sea", False),
        ("rome", "land", True),
        ("Bone", "mountain", True),
        ("Q9", "sea", True),
        ("Q9", "land", True),
    ],
)
def test_a_space_that_the_board_knows_is_not_the_other_of_land_and_sea(
    space: str, terrain: str, is_taken: bool
) -> None:
    evening = Evening(NEWER)
    evening.jump("s3.t4.allies.declare")
    if is_taken:
        evening.do(bc.DeclareBattle(space, terrain))
    else:
        evening.refuse(bc.DeclareBattle(space, terrain), "wrong_terrain", "space")

"""Control, Resupply, Support and Sealed: no fault at any size, theme and language, and what the fingers do there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.core.commands import EndAct, EnterPrintedValue
from companion.core.ids import Nation
from companion.games.sfw.pages.control import Capture, ControlDraft
from companion.games.sfw.pages.resupply import ResupplyDraft
from companion.games.sfw.pages.seal_draft import Note, SealedDraft
from companion.games.sfw.pages.support import SupportDraft
from companion.games.sfw.rules import resupply_record as rs
from companion.games.sfw.rules import resupply_values as rv
from companion.games.sfw.rules import support as su
from companion.pages.report import report_html
from companion.pages.score import ScoreDraft
from companion.session.seals import TableVault, Vault
from companion.session.timesource import ManualTime
from companion.testing import harness
from companion.testing.scenes import open_scene
from companion.testing.sfw_evenings import in_africa, in_resupply, in_support, theater
from tests.games.sfw_editions import NEWER, Evening

US, ITALY = Nation("us"), Nation("italy")
LOOKS = [
    ((800, 480), "night", 0, "en"),
    ((800, 480), "day", 2, "de"),
    ((1280, 720), "contrast", 1, "de"),
    ((720, 1280), "day", 0, "de"),
]


def with_fleet(make: Callable[..., Any], folder: Path) -> Any:
    from companion.games.sfw.rules.seal_messages import SealSecret

    game = make("apr43")
    vault = vault_in(folder)
    envelope, _code = vault.seal("{}", "sfw96|us|fleet", side="allies", side_pin="1234")
    game.do(SealSecret(US, "fleet", "Hidden Fleet, United States", envelope))
    game.go("s3.t3.allies.move")
    return game


def vault_in(folder: Path) -> TableVault:
    return TableVault(Vault(folder, ManualTime(1), kdf_n=1 << 10))


@pytest.mark.parametrize("look", LOOKS, ids=lambda v: "-".join(map(str, v)))
def test_no_screen_has_a_fault(
    ledger_game: Callable[..., Any], look: tuple[tuple[int, int], str, int, str], tmp_path: Path
) -> None:
    size, theme, step, language = look
    theater_game, buying, cards = theater(), in_resupply(), in_support()
    scenes: list[tuple[Any, str, dict[str, Any]]] = [
        (theater_game, "control", {"draft": ControlDraft("sites")}),
        (theater_game, "score", {"draft": ScoreDraft("list")}),
        (theater_game, "control", {"draft": ControlDraft("changes")}),
        (theater_game, "control", {"draft": ControlDraft("sites", Capture("rome", own={"us": 1, "gb": 1}))}),
        (ledger_game("crete41"), "score", {"draft": ScoreDraft("list")}),
        (buying, "resupply", {"draft": ResupplyDraft("lanes", "us")}),
        (buying, "resupply", {"draft": ResupplyDraft("board", "us")}),
        (buying, "resupply", {"draft": ResupplyDraft("buy", "us")}),
        (buying, "resupply", {"draft": ResupplyDraft("buy", "gb", is_taking=True)}),
        (cards, "support", {"draft": SupportDraft("cards")}),
        (cards, "support", {"draft": SupportDraft("tokens")}),
        (cards, "support", {"draft": SupportDraft("box")}),
        (in_africa(), "support", {"draft": SupportDraft("supply")}),
        (ledger_game("italy"), "support", {"draft": SupportDraft("bridges")}),
        (with_fleet(ledger_game, tmp_path), "sealed", {}),
        (ledger_game("italy"), "sealed", {}),
    ]
    found = []
    for game, screen, args in scenes:
        laid = harness.lay(
            game.desk, size=size, screen=screen, look=theme, text_step=step, language=language, **args
        )
        found += [(screen, args, fault) for fault in laid.faults()]
        if args.get("draft") == ResupplyDraft("lanes", "us") and (size, step) != ((800, 480), 2):
            assert laid.root.screen.sheet.pages == 1, "all lanes are counted on one page"
        if args.get("draft") == ScoreDraft("list"):
            turns = laid.root.screen.sheet.stack.widget_of("conditions").grid.pages - 1
            assert turns <= ((size, step) == ((800, 480), 2)), "what wins stays whole but in the largest text"
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize("look", LOOKS, ids=lambda v: "-".join(map(str, v)))
def test_no_form_or_keyboard_has_a_fault(look: tuple[tuple[int, int], str, int, str], tmp_path: Path) -> None:
    size, theme, step, language = look
    game = Evening(NEWER)  # at set-up, when a fleet may be formed
    game.desk.vault = vault_in(tmp_path)
    laid = harness.lay(game.desk, size=size, screen="sealed", look=theme, text_step=step, language=language)
    laid.tap(new_fleet(laid, "us"))
    assert laid.faults() == []  # the pad of its place
    laid.tap(line(laid, "ItemTile", lambda w: w.item.key == "name"))
    assert laid.faults() == []  # the keyboard
    laid.root.dialogs[-1].close()
    laid.root.go("sealed", draft=SealedDraft(Note(US, "fleet", "", "J4", {"destroyer": 3})))
    laid.settle()
    assert laid.faults() == []  # the draft


def new_fleet(laid: Any, nation: str) -> Any:
    return line(laid, "ItemRow", lambda w: w.item.key == f"new.{nation}.fleet")


def walk(widget: Any) -> Iterator[Any]:
    yield widget
    for child in widget.children:
        yield from walk(child)


def line(laid: Any, cls: str, wanted: Callable[[Any], bool]) -> Any:
    return next(w for w in laid.walk() if type(w).__name__ == cls and wanted(w))


def test_a_tile_tells_what_a_unit_costs_beside_how_many_are_bought() -> None:
    game = theater()
    game.go("s3.r.allies.choose")
    game.do(rs.ChooseResupply(US, "land", "algiers"), rs.Purchase(US, "land", "artillery", 2))
    laid = harness.lay(game.desk, screen="resupply")
    laid.tap(laid.find(text="United States"))
    tile = line(laid, "ItemTile", lambda w: w.item.key == "artillery")
    texts = [w.text for w in walk(tile) if getattr(w, "text", "")]
    assert {"Artillery", "costs 3", "2"} <= set(texts)
    tile = line(laid, "ItemTile", lambda w: w.item.key == "tank")
    assert not any(getattr(w, "text", "").isdigit() for w in walk(tile)), "no number that could be a count"


def test_no_place_to_resupply_at_is_broken_inside_its_name() -> None:
    game = Evening(NEWER)
    game.go("s3.r.axis.choose")
    laid = harness.lay(game.desk, screen="resupply")
    assert laid.has("Thessaloniki")
    assert laid.faults() == []
    laid.tap(laid.find(text="Land: where?"))
    assert laid.has("Messina: say which nation holds it")


def destroyers(laid: Any, count: int) -> None:
    for _n in range(count):
        laid.tap(line(laid, "ItemTile", lambda w: w.item.key == "destroyer"))


def pin(laid: Any, text: str) -> None:
    """Type a PIN that its last digit enters."""
    for sign in text:
        laid.tap(laid.find(text=sign))


def at_j4(laid: Any) -> None:
    for key in "J4":
        laid.tap(line(laid, "ItemTile", lambda w, key=key: w.item.key == key))


def write(laid: Any, text: str) -> None:
    for sign in text:
        laid.tap(laid.find(text="Space bar" if sign == " " else sign.upper()))
    laid.tap(laid.find(text="Done"))


def test_teammates_with_equal_numbers_agree_by_tap(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.t4.allies.resolve")
    game.enter({"vp.theater.tunis": 4})
    laid = harness.lay(game.desk, screen="control", draft=ControlDraft("sites", Capture("tunis")))
    for nation in ("us", "gb"):
        laid.tap(line(laid, "ItemTile", lambda w, nation=nation: w.item.key == f"own.{nation}"))
    assert laid.has("Equal numbers: who takes it by agreement?")
    assert not laid.root.screen.main_enabled
    laid.tap(laid.find(text="Great Britain", nth=1))
    laid.tap(laid.find(text="Great Britain takes Tunis"))
    assert game.state.game["control"].holders["tunis"] == "gb"


def test_a_missing_resupply_value_is_entered_where_it_is_missed() -> None:
    game = in_resupply()
    game.go("s3.r.allies.choose")
    game.do(EnterPrintedValue("resupply.theater.algiers.air", None))
    laid = harness.lay(game.desk, screen="resupply", draft=ResupplyDraft("buy"))
    laid.tap(line(laid, "ItemTile", lambda w: w.item.key == "air.algiers"))
    assert laid.has("Algiers: Air resupply")
    for code in (49, 52, 13):
        laid.key(code)
    assert game.state.printed["resupply.theater.algiers.air"] == 14
    assert game.state.game["resupply"].choices["us.air"] == "algiers"
    assert [entry.source for entry in game.desk.entries()[-2:]] == ["key", "key"]


def test_who_holds_a_site_at_the_start_can_be_taken_back() -> None:
    game = theater()
    game.do(EnterPrintedValue("holder.apr43.malta", "gb"))
    laid = harness.lay(game.desk, screen="control")
    before = game.state.printed
    laid.tap(laid.find(text="Undo: a value"))
    assert "holder.apr43.malta" in before
    assert "holder.apr43.malta" not in game.state.printed


def test_what_is_undone_is_asked_and_gone_over() -> None:
    game = in_resupply()
    laid = harness.lay(game.desk, screen="resupply")
    laid.tap(laid.find(text="Lanes checked"))
    assert game.state.step.id == "s3.r.allies.lanes"
    assert laid.has("Allies won lane 2 by 2: name the Objective that suffers.")
    laid.tap(laid.find(text="End the step"))
    assert game.state.step.id == "s3.r.allies.choose"


def test_phases_open_their_screens_and_the_table_comes_back(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.t6.axis.return")
    laid = harness.lay(game.desk, screen="table")
    shown = []
    while game.state.step.id != "s4.t1.axis.move":
        game.desk.send(EndAct(game.state.step.id, game.desk.now_ms(), confirmed=True))
        shown.append((game.state.step.phase, laid.root.screen.key))
        if game.state.step.phase == "national_support":  # two acts on one page: its title tells them apart
            laid.settle()
            assert laid.has({"draw": "Take tokens and cards", "play": "Play cards"}[game.state.step.act])
    assert set(shown) == {
        ("victory", "score"), ("national_support", "support"), ("resupply", "resupply"),
        ("begin", "table"), ("tactical", "table"),
    }  # fmt: skip


def test_a_screen_opened_by_hand_is_left_alone(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.t6.axis.return")
    laid = harness.lay(game.desk, screen="clocks")
    game.next()
    assert laid.root.screen.key == "clocks"


def test_an_upgrade_is_played_from_its_card(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.ns.axis.play")
    laid = harness.lay(game.desk, screen="support")
    laid.tap(line(laid, "ItemTile", lambda w: w.item.act == "play.italy"))
    write(laid, "Alpini")
    laid.tap(laid.find(text="Unit upgrade"))
    laid.tap(laid.find(text="1"))
    laid.tap(laid.find(text="Done"))
    while not any(getattr(w, "text", "") == "Infantry" for w in laid.walk()):
        laid.tap(laid.find(icon="down"))
    laid.tap(laid.find(text="Infantry"))
    laid.tap(laid.find(text="Battle steps too: none"))
    laid.tap(laid.find(text="+ 4"))
    assert laid.faults() == []
    laid.tap(laid.find(text="Play the card as is"))
    assert su.unit_table_of(game.state).units["card_italy_alpini"].battle_steps == (4, 6)


def test_a_mobile_hub_and_a_watched_group_are_set_up_by_tap(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    game.go("s1.t4.axis.move")
    laid = harness.lay(game.desk, size=(720, 1280), screen="support", draft=SupportDraft("supply"))
    laid.tap(line(laid, "ToolPlate", lambda w: w.button.act == "hub.axis"))
    laid.tap(laid.find(text="Italy"))
    laid.tap(laid.find(text="Another space"))
    write(laid, "Sirte")
    laid.tap(laid.find(text="Tripoli (Italy)"))
    laid.tap(laid.find(text="That is all: 1"))
    assert game.state.game["supply"].mobile[0].near == ("tripoli_italy",)
    laid.tap(line(laid, "ToolPlate", lambda w: w.button.act == "watch.axis"))
    laid.tap(laid.find(text="Italy"))
    write(laid, "Tanks")
    laid.tap(laid.find(text="Mobile hub at Sirte"))
    laid.tap(laid.find(text="That is all: 1"))
    assert laid.has("Tanks: may move")
    assert laid.has("mobile hub at Sirte")


def test_supply_of_both_sides_stands_on_one_page() -> None:
    assert open_scene("sfw-support-supply").root.screen.sheet.pages == 1


def test_without_a_vault_nothing_can_be_sealed(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    laid = harness.lay(game.desk, screen="sealed")
    laid.tap(new_fleet(laid, "us"))
    assert laid.has("This box cannot seal anything here")
    assert not laid.root.dialogs


def test_pin_and_space_show_on_screen_only_to_their_owner(
    ledger_game: Callable[..., Any], tmp_path: Path
) -> None:
    # The dot keeps it apart from whatever ciphertext in base64 may spell.
    space = "J.4"
    game = ledger_game("apr43")
    game.desk.vault = vault_in(tmp_path)
    laid = harness.lay(game.desk, screen="sealed")
    laid.tap(new_fleet(laid, "us"))
    laid.tap(line(laid, "ItemTile", lambda w: w.item.key == "name"))
    write(laid, space)
    destroyers(laid, 3)
    laid.tap(laid.find(text="Seal"))
    for _turn in range(2):
        for n, sign in enumerate("4829"):
            laid.tap(laid.find(text=sign))
            assert laid.has("•" * (n + 1)) == (n < 3), "the fourth digit enters it"
            assert not laid.has("48")
    assert laid.faults() == []
    assert not laid.root.dialogs[-1].text.count("-"), "the code stands there on request only"
    assert laid.has("Done")
    assert not laid.has("Cancel"), "nothing would take the sealing back"
    laid.tap(laid.find(text="Show the recovery code"))
    laid.tap(laid.find(text="Written down"))
    assert not laid.has(space)
    assert space not in repr(game.desk.sent)
    report = report_html(game.desk.change, game.desk.entries(), game.desk.counts, 0)
    assert space not in report
    assert "4829" not in report
    laid.tap(laid.find(text="Hidden Fleet, United States"))
    laid.tap(laid.find(text="Look: the side's PIN"))
    for sign in "4829":
        laid.tap(laid.find(text=sign))
    laid.tap(laid.find(text="Done"))
    assert laid.has(f"Space {space}")
    laid.tap(laid.find(text="Hide again"))
    assert not laid.has(space)
    assert game.state.game["seals"].secrets["us.fleet.1"].openings[-1].is_right
    assert space not in repr(game.desk.sent)


def test_a_note_that_is_being_written_is_forgotten_when_the_screen_is_left(
    ledger_game: Callable[..., Any], tmp_path: Path
) -> None:
    game = ledger_game("apr43")
    game.desk.vault = vault_in(tmp_path)
    laid = harness.lay(game.desk, screen="sealed", draft=SealedDraft(Note(US, "fleet", "", "J.4")))
    assert laid.has("J.4")
    laid.root.go("table")
    laid.root.go("sealed")
    laid.settle()
    assert not laid.has("J.4")
    assert laid.has("Seal a Hidden Fleet")


def digits(laid: Any, text: str) -> None:
    for sign in text:
        laid.tap(laid.find(text=sign))
    laid.tap(laid.find(text="Done"))


def test_a_site_that_the_text_does_not_name_is_added(ledger_game: Callable[..., Any]) -> None:
    from companion.games.sfw.rules.ledger_values import tables

    game = ledger_game("italy")
    laid = harness.lay(game.desk, screen="control")
    laid.tap(laid.find(text="Add one"))
    write(laid, "Monte X")
    laid.tap(laid.find(text="Airfield"))
    assert tables(game.state).sites["monte_x"].kind == "airfield"
    assert laid.has("Monte X")


def test_a_cards_effect_a_tray_and_room_aboard_are_entered() -> None:
    game = in_resupply()
    laid = harness.lay(game.desk, size=(720, 1280), screen="resupply", draft=ResupplyDraft("board", "us"))
    assert laid.faults() == []
    laid.tap(laid.find(text="Card"))
    write(laid, "Storm")
    laid.tap(laid.find(text="Algiers"))
    laid.tap(laid.find(text="Land"))
    laid.tap(laid.find(text="-"))
    digits(laid, "1")
    assert rv.adjusted(game.state, "algiers", "land").value == 3
    laid.tap(laid.find(text="Room aboard"))
    digits(laid, "4")
    digits(laid, "2")
    assert game.state.game["resupply"].at_sea["us_fleet"].land_room == 4
    laid.tap(laid.find(text="Buying"))
    laid.tap(laid.find(text="Tray"))
    laid.tap(laid.find(text="Infantry"))
    digits(laid, "2")
    assert game.state.game["resupply"].reserve == {"us.infantry": 2}


def test_a_search_that_finds_is_answered_on_the_screen(
    ledger_game: Callable[..., Any], tmp_path: Path
) -> None:
    game = with_fleet(ledger_game, tmp_path)
    game.go("s3.t3.axis.move")
    laid = harness.lay(game.desk, screen="sealed")
    laid.tap(laid.find(text="Search a sea space"))
    laid.tap(laid.find(text="Germany"))
    at_j4(laid)
    assert laid.faults() == []
    laid.tap(laid.find(text="Found: Hidden Fleet, United States"))
    assert game.state.game["seals"].secrets["us.fleet.1"].owed == "detected"
    assert laid.has("Found by an enemy search")


def test_commanders_pick_their_abilities_by_tap(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43", {"commander": True})
    laid = harness.lay(game.desk, size=(1280, 720), screen="resupply", draft=ResupplyDraft("board"))
    laid.tap(laid.find(text="Abilities"))
    laid.tap(laid.find(text="Allies, Sea"))
    write(laid, "Sonar")
    assert game.state.game["resupply"].abilities == {"allies.sea": "Sonar"}


def test_the_arbiter_can_hold_a_key_too(ledger_game: Callable[..., Any], tmp_path: Path) -> None:
    from msgspec.structs import replace

    game = ledger_game("apr43")
    game.desk.start(replace(game.state.frozen_setup, arbiter_hash="x"))
    game.desk.vault = vault_in(tmp_path)
    laid = harness.lay(game.desk, screen="sealed")
    laid.tap(new_fleet(laid, "us"))
    at_j4(laid)
    destroyers(laid, 3)
    laid.tap(laid.find(text="Seal"))
    pin(laid, "4829")
    pin(laid, "4829")
    laid.tap(laid.find(text="The arbiter's PIN"))
    digits(laid, "1234")
    keys = game.state.game["seals"].secrets["us.fleet.1"].versions[0].envelope.keys
    assert [key.holder for key in keys] == ["allies", "arbiter", "recovery"]
    laid.tap(laid.find(text="Show the recovery code"))
    assert laid.faults() == []  # the code
    laid.tap(laid.find(text="Written down"))
    laid.tap(laid.find(text="Hidden Fleet, United States"))
    laid.tap(laid.find(text="Look: the arbiter's PIN"))
    digits(laid, "1234")
    assert laid.has("Space J4")


def test_sealing_again_asks_the_owner_first(ledger_game: Callable[..., Any], tmp_path: Path) -> None:
    game = with_fleet(ledger_game, tmp_path)
    game.desk.vault = vault_in(tmp_path)
    laid = harness.lay(game.desk, size=(720, 1280), screen="sealed")

    def again(pin: str) -> None:
        laid.tap(laid.find(text="Hidden Fleet, United States"))
        laid.tap(laid.find(text="It moved or changed: seal it again"))
        laid.tap(laid.find(text="The side's PIN"))
        digits(laid, pin)

    again("4321")
    secret = game.state.game["seals"].secrets["us.fleet.1"]
    assert [item.is_right for item in secret.openings] == [False]
    assert not laid.root.dialogs, "nobody without the PIN gets to write"
    again("1234")
    for key in "J5":
        laid.tap(line(laid, "ItemTile", lambda w, key=key: w.item.key == key))
    destroyers(laid, 3)
    laid.tap(laid.find(text="Seal"))
    pin(laid, "9999")
    assert laid.has(
        "This is not the PIN of Hidden Fleet, United States. To use it all the same, enter it again."
    )
    assert laid.faults() == []
    pin(laid, "9999")
    laid.tap(laid.find(text="Done"))
    assert len(game.state.game["seals"].secrets["us.fleet.1"].versions) == 2
    laid.tap(laid.find(text="Hidden Fleet, United States"))
    laid.tap(laid.find(text="Look: the side's PIN"))
    digits(laid, "9999")
    assert laid.has("Space J5")


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", harness.SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
def test_all_nations_have_room_for_their_names_over_the_board(size: tuple[int, int], language: str) -> None:
    """Outside Resupply every nation has its tab, in the largest type."""
    for draft in (ResupplyDraft("board"), ResupplyDraft("buy")):
        laid = harness.lay(
            in_support().desk, size=size, screen="resupply", text_step=2, language=language, draft=draft
        )
        page = laid.root.screen.page
        assert len(page.tabs if draft.tab == "buy" else page.blocks[0].options) == 4
        assert laid.faults() == []


def test_the_hidden_fleet_is_one_tick_on_the_table_and_no_question_then(
    ledger_game: Callable[..., Any], tmp_path: Path
) -> None:
    game = with_fleet(ledger_game, tmp_path)
    laid = harness.lay(game.desk, screen="table")
    laid.tap(laid.find(text="Moves done"))
    assert laid.root.dialogs, "not ticked: it is asked"
    laid.root.dialogs[-1].close()
    laid.settle()
    laid.tap(laid.find(text="Allies: the Hidden Fleet stays hidden"))
    assert game.state.game["seals"].confirmed == {"s3.t3.allies.move.allies"}
    laid.tap(laid.find(text="Moves done"))
    assert not laid.root.dialogs
    assert game.state.step.id == "s3.t3.allies.declare"

"""Home and New game, by taps."""

from __future__ import annotations

from pathlib import Path

import msgspec
from sample_laid import lay

from companion.core.setup import Setup
from companion.pages.new_game import NewGameDraft
from companion.pages.page import TABLE_VIEWER
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import sample_setup
from companion.testing.scenes import empty_desk, open_scene
from companion.ui.widgets import Plate

# Home, New game


def test_home_resumes_the_newest_game_that_can_go_on() -> None:
    laid = lay("home", empty_desk())
    assert laid.has("20:04")
    assert laid.has("15:41")
    assert laid.has("Anna, Bert")
    assert laid.has("New game")
    laid.tap(laid.find(text="Resume Italy"))
    assert laid.desk.calls == [("open", (Path("/games/italy-1.game"),))]


def test_home_reads_dice_also_once_a_game_is_saved() -> None:
    laid = open_scene("home")
    laid.tap(laid.find(text="Read dice"))
    assert laid.root.screen.key == "dice"


def test_home_without_games_offers_a_new_one() -> None:
    laid = lay("home", MemoryDesk())
    assert laid.has("Clocks, turns, battles and score. The board stays yours.")
    laid.tap(laid.find(text="New game"))
    assert laid.root.screen.key == "new_game"


def test_home_offers_a_new_game_once_where_every_saved_game_is_over() -> None:
    over = [msgspec.structs.replace(game, is_over=True) for game in empty_desk().saved_games()]
    laid = lay("home", MemoryDesk(saved=over))
    assert [w.text for w in laid.walk() if isinstance(w, Plate)].count("New game") == 1
    laid.tap(laid.find(text="New game"))
    assert laid.root.screen.key == "new_game"


def test_home_asks_before_a_game_goes_to_the_bin() -> None:
    laid = lay("home", empty_desk())
    laid.tap(laid.find(text="Axis Siege of Tobruk (1941)"))
    laid.tap(laid.find(text="Move to bin"))
    assert laid.has("Move this game to the bin?")
    laid.tap(laid.find(text="Cancel"))
    assert laid.desk.calls == []
    laid.tap(laid.find(text="Axis Siege of Tobruk (1941)"))
    laid.tap(laid.find(text="Move to bin"))
    laid.tap(laid.find(text="Move to bin"))
    assert laid.desk.calls == [("delete", (Path("/games/tobruk.game"),))]


def test_home_offers_a_new_game_once_when_the_last_game_went_and_when_the_first_came() -> None:
    games = empty_desk().saved_games()
    laid = lay("home", MemoryDesk(saved=games[:1]))
    assert laid.has("Resume")
    laid.tap(laid.find(text="More"))
    laid.tap(laid.find(text="Move to bin"))
    laid.tap(laid.find(text="Move to bin"))
    assert laid.has("Two-minute tour")
    assert [w.text for w in laid.walk() if isinstance(w, Plate)].count("New game") == 1
    laid.desk._saved.extend(games[:1])
    laid.root.refresh()
    laid.settle()
    texts = [w.text for w in laid.walk() if isinstance(w, Plate)]
    assert (texts.count("New game"), texts.count("Resume Italy")) == (1, 1)


def test_home_copies_to_the_one_stick_there_is() -> None:
    laid = lay("home", empty_desk())
    laid.tap(laid.find(text="Axis Siege of Tobruk (1941)"))
    laid.tap(laid.find(text="Copy to a USB stick"))
    assert laid.has("No USB stick was found")
    laid.root.is_stick_unread = lambda: True
    laid.tap(laid.find(text="Axis Siege of Tobruk (1941)"))
    laid.tap(laid.find(text="Copy to a USB stick"))
    assert laid.has("This USB stick cannot be read")
    laid.root.sticks = lambda: [Path("/media/stick")]
    laid.tap(laid.find(text="Axis Siege of Tobruk (1941)"))
    laid.tap(laid.find(text="Copy to a USB stick"))
    assert laid.desk.calls == [("export", (Path("/games/tobruk.game"), Path("/media/stick")))]


def test_damaged_game_says_why_and_can_be_copied_but_not_opened() -> None:
    laid = lay("home", empty_desk())
    laid.tap(laid.find(text="November 1942"))
    assert laid.has("Nothing in this file can be read anymore")
    assert not laid.has("Open")


def test_new_game_starts_with_options_and_pin() -> None:
    desk = empty_desk()
    asked: list[dict[str, object]] = []

    def make(options: object) -> Setup:
        asked.append(dict(options))  # type: ignore[call-overload]
        return sample_setup()

    desk.offer("sfw96", "italy", make)
    laid = lay("new_game", desk)
    laid.tap(laid.find(text="Italy"))
    laid.tap(laid.find(text=laid.root.screen.second_text))
    laid.tap(laid.find(text="Clock"))
    laid.tap(laid.find(text="Custom minutes"))
    plus = [w for w in laid.walk() if getattr(w, "icon", "") == "plus"]
    laid.tap(plus[0])
    laid.tap(laid.find(text="Options"))
    laid.tap(laid.find(text="3"))
    while not laid.has("Set a PIN"):
        laid.tap(laid.find(icon="forward"))
    laid.tap(laid.find(text="Set a PIN"))
    for digit in "4711":
        laid.tap(laid.find(text=digit))
    laid.tap(laid.find(text="Done"))
    laid.tap(laid.find(text="Start the game"))
    assert asked[-1] == {"minutes": {"allies": 21, "axis": 20}, "players": 3}
    assert desk.calls[-1] == ("start", ("italy", "4711"))
    assert laid.root.screen.key == "table"


def test_new_game_takes_a_ruling() -> None:
    laid = open_scene("new-game-rulings")
    laid.tap(laid.find(text="Ask each time"))
    laid.tap(laid.find(text="It applies"))
    draft = laid.root.drafts.get(TABLE_VIEWER, "new_game")
    assert isinstance(draft, NewGameDraft)
    assert draft.chosen["rulings.landing_air"] == "applies"
    assert laid.has("It applies")


def test_short_pin_is_refused() -> None:
    laid = open_scene("new-game-options")
    while not laid.has("Set a PIN"):
        laid.tap(laid.find(icon="forward"))
    laid.tap(laid.find(text="Set a PIN"))
    for digit in "12":
        laid.tap(laid.find(text=digit))
    laid.tap(laid.find(text="Done"))
    assert laid.has("Four digits or more")
    assert len(laid.root.dialogs) == 1


def test_new_game_says_what_is_wrong_with_the_options() -> None:
    desk = empty_desk()

    def make(options: object) -> Setup:
        if options:
            raise ValueError("options: minutes.allies: expected minutes above 0, got 0\nand more")
        return sample_setup()

    desk.offer("sfw96", "italy", make)
    laid = lay("new_game", desk)
    laid.tap(laid.find(text="Italy"))
    laid.tap(laid.find(text="Start the game"))
    assert laid.has("options: minutes.allies: expected minutes above 0, got 0")
    assert laid.root.screen.key == "new_game"

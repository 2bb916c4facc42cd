"""Log, charts, printed values, settings, help, tour and frame, by taps: what is shown and what is sent."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from sample_laid import last, lay

from companion.core import commands as cm
from companion.core.ids import Side
from companion.core.rules import GameRules
from companion.core.text import Say
from companion.pages.desk import Notice
from companion.pages.tour import STOPS
from companion.testing import harness
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import AXIS, sample_setup
from companion.testing.scenes import busy_desk, empty_desk, late_desk, open_scene
from companion.ui import registry
from companion.ui.theme import theme
from companion.ui.widgets import BarPlot, Half, Plate
from companion.ui.widgets.basic import measure

# Log, charts, printed values, settings, more


def test_log_undoes_to_an_act_after_asking() -> None:
    laid = lay("log", busy_desk())
    row = laid.find(text="Step 2, Axis: Resolve battles")
    laid.tap(row)
    laid.tap(laid.find(text="Undo to here"))
    assert laid.has("This undoes 3 actions, back to and including: Step 2, Axis: Resolve battles.")
    laid.tap(laid.find(text="Undo to here"))
    command = last(laid)
    assert isinstance(command, cm.Undo)
    assert command.to_seq == 13
    assert laid.desk.change.state.step.id == "s1.t2.axis.resolve"
    assert laid.has("· undone")


def test_a_note_is_written_on_an_entry_of_the_log() -> None:
    laid = lay("log", busy_desk())
    laid.tap(laid.find(text="Step 2, Axis: Resolve battles"))
    laid.tap(laid.find(text="Write a note"))
    for key in "OK":
        laid.tap(laid.find(text=key))
    laid.tap(laid.find(text="Done"))
    command = last(laid)
    assert isinstance(command, cm.AddNote)
    assert (command.text.casefold(), command.to_seq) == ("ok", 13)
    assert laid.has(f"· {command.text}")


def test_settings_go_back_to_where_one_came_from() -> None:
    laid = lay("log", busy_desk())
    laid.root.go("more")
    laid.settle()
    laid.tap(laid.find(text="Settings"))
    laid.tap(laid.find(text="Done"))
    assert laid.root.screen.key == "more"
    laid.root.go("home")
    laid.settle()
    laid.tap(laid.find(text="Settings"))
    laid.tap(laid.find(text="Done"))
    assert laid.root.screen.key == "home"


def test_log_does_again_what_was_taken_back() -> None:
    laid = lay("log", busy_desk())
    laid.tap(laid.find(icon="undo"))
    laid.tap(laid.find(text="Redo"))
    assert isinstance(last(laid), cm.Redo)


def test_log_turns_pages() -> None:
    laid = lay("log", busy_desk())
    pages = laid.root.screen.sheet.pages
    assert laid.has(f"1/{pages}")
    laid.tap(laid.find(icon="forward"))
    assert laid.has(f"2/{pages}")
    laid.tap(laid.find(icon="back"))
    assert laid.has(f"1/{pages}")


def test_charts_show_the_time_of_each_side() -> None:
    laid = lay("charts", late_desk())
    bars = laid.find(cls=BarPlot).model
    assert [row.name for row in bars.rows] == ["Tactical", "Resupply"]
    laid.tap(laid.find(text="Time by stage"))
    bars = laid.find(cls=BarPlot).model
    assert [row.name for row in bars.rows][:2] == ["Stage 1", "Stage 2"]
    laid.tap(laid.find(text="Points"))
    assert laid.has("Victory points are not tracked for this game yet")


class _OnePrinted(GameRules):
    """Rules with one printed value."""

    def printed_fault(self, state: object, key: str, value: object) -> str | None:  # noqa: ARG002
        return None if isinstance(value, int) and value < 10 else "expected a number below 10"


def test_printed_value_is_checked_entered_and_taken_back() -> None:
    desk = MemoryDesk(sample_setup(), _OnePrinted())
    desk.send(cm.EnterPrintedValue("rome.vp", 4))
    laid = lay("printed", desk)
    laid.tap(laid.find(text="Rome vp"))
    laid.tap(laid.find(text="11"))
    assert laid.has("Expected a number below 10")
    assert desk.change.state.printed == {"rome.vp": 4}
    laid.tap(laid.find(text="1"))
    assert desk.change.state.printed == {"rome.vp": 1}
    laid.tap(laid.find(text="More than 11"))
    for digit in "12":
        laid.tap(laid.find(text=digit))
    assert laid.has("Expected a number below 10")
    assert desk.change.state.printed == {"rome.vp": 1}
    laid.tap(laid.find(text="Erase"))
    laid.tap(laid.find(text="Small numbers"))
    laid.tap(laid.find(text="Remove"))
    assert desk.change.state.printed == {}


def test_settings_hold_at_once_and_stay_on_their_page() -> None:
    laid = lay("settings", empty_desk())
    laid.tap(laid.find(text="Day"))
    assert theme.name == "day"
    laid.tap(laid.find(text="Deutsch"))
    assert laid.has("Sprache")
    laid.tap(laid.find(text="English"))
    laid.tap(laid.find(text="Clock"))
    laid.tap(laid.find(text="On", nth=1))
    assert laid.desk.settings()["hide_clock"] is True
    assert laid.has("Hide the clock")


def test_the_hardware_is_tested_and_dice_are_read_from_settings() -> None:
    laid = lay("home", empty_desk())
    laid.tap(laid.find(text="Settings"))
    laid.tap(laid.find(text="Box"))
    laid.tap(laid.find(text="Test"))
    assert laid.root.screen.key == "hardware"
    laid.tap(laid.find(text="Done"))
    laid.tap(laid.find(text="Settings"))
    laid.tap(laid.find(text="Dice"))
    for kind in ("d12", "d10", "d6"):
        laid.tap(laid.find(text=kind))
        assert (laid.root.screen.key, laid.root.screen.kind) == ("dice", kind)
        laid.tap(laid.find(text="Back"))
        assert laid.root.screen.key == "settings"
        assert laid.has("Dice set for reading"), "back to the same group"


@pytest.mark.parametrize("own", [s for s in registry.screens() if not s.needs_game], ids=lambda s: s.key)
def test_a_screen_that_no_menu_lists_is_opened_by_another(own: registry.AnyScreen) -> None:
    folder = Path(registry.__file__).parent
    files = [*(folder / "screens").glob("*.py"), *(folder.parent / "pages").glob("*.py"), folder / "root.py"]
    calls = re.compile(rf"""\b[gG]o\(["']{own.key}["']""")
    openers = [file for file in files if calls.search(file.read_text(encoding="utf-8"))]
    assert openers, f"nothing a person can tap opens {own.key!r}"


def test_shut_down_is_asked() -> None:
    laid = lay("settings", empty_desk())
    ended: list[int] = []
    laid.root.on_quit = lambda: ended.append(1)
    laid.tap(laid.find(text="Box"))
    laid.tap(laid.find(text="Shut down"))
    assert ended == []
    assert laid.has("Only the program closes; the computer stays on."), "this is no box"
    laid.tap(laid.find(text="Shut down"))
    assert ended == [1]


def test_adjourn_pauses_and_goes_home() -> None:
    laid = lay("more", busy_desk())
    laid.tap(laid.find(text="Adjourn"))
    laid.tap(laid.find(text="Adjourn"))
    assert isinstance(last(laid), cm.Adjourn)
    assert laid.root.screen.key == "home"
    assert laid.desk.change is None


# Help, tour, notices, frame


@pytest.mark.parametrize(
    "key", ["home", "new_game", "table", "clocks", "log", "charts", "printed", "settings"]
)
def test_every_screen_has_help_of_its_own(key: str) -> None:
    laid = lay(key, busy_desk())
    if key in (
        "log",
        "charts",
        "printed",
    ):  # the bar holds the clocks there, and More has the help of where one was
        laid.root.go("more")
        laid.settle()
    laid.tap(laid.find(text="Help") if laid.has("Help") else laid.find(icon="help"))
    from companion.pages.help import HELP

    assert laid.root.dialogs[-1].title == registry.spec(key).title
    assert laid.has(HELP[key][0][0])
    laid.tap(laid.find(text="Close"))
    assert laid.root.dialogs == []


def test_tour_walks_through_and_is_remembered() -> None:
    laid = open_scene("tour")
    for _n in STOPS[:-1]:
        laid.tap(laid.find(text="Next"))
    assert laid.has(STOPS[-1].title)
    laid.tap(laid.find(text="Done"))
    assert laid.root.tour is None
    assert laid.desk.settings()["tour_done"] is True


def test_tour_is_skipped_at_any_stop_and_swallows_the_rest() -> None:
    laid = open_scene("tour")
    laid.tap((780, 440))
    assert laid.desk.calls == []
    laid.tap(laid.find(text="Skip the tour"))
    assert laid.root.tour is None


def test_notice_goes_away_by_a_tap() -> None:
    laid = lay()
    laid.desk.notify(Notice("error", Say("The disk is full"), Say("Delete old games.")))
    laid.settle()
    assert laid.has("The disk is full")
    assert laid.sounds.played == ["error"]
    laid.tap(laid.root.toast)
    assert not laid.has("The disk is full")
    assert laid.desk.sent == []


def test_main_button_is_in_the_same_place_everywhere() -> None:
    places = set()
    for key in ("table", "log", "charts", "more", "printed", "settings"):
        laid = lay(key, busy_desk())
        bar = laid.root.frame._bottom.ids.main
        places.add((round(bar.right), round(bar.y), round(bar.height)))
    assert len(places) == 1


def test_screen_is_left_when_its_game_is_put_away() -> None:
    laid = lay("log", busy_desk())
    laid.desk.close()
    laid.root.refresh()
    assert laid.root.screen.key == "home"


def test_four_sides_share_the_window() -> None:
    setup = sample_setup(mode="none")
    sides = tuple(
        msgspec.structs.replace(setup.sides[0], id=Side(f"p{n}"), name=f"Player {n}", emblem=str(n))
        for n in range(1, 5)
    )
    steps = tuple(msgspec.structs.replace(s, owners=(Side("p2"),), clock=None) for s in setup.steps)
    laid = lay("clocks", MemoryDesk(msgspec.structs.replace(setup, sides=sides, steps=steps, nations=())))
    halves = [w for w in laid.walk() if isinstance(w, Half)]
    assert len(halves) == 4
    assert laid.faults() == []
    laid.tap(halves[1])
    assert laid.desk.sent[-1].actor == "p2"
    assert laid.desk.change.rejected is None


def test_other_side_is_axis_in_the_sample() -> None:
    assert sample_setup().sides[1].id == AXIS


def test_text_that_comes_to_an_empty_button_has_room() -> None:
    laid = lay("new_game", empty_desk())
    laid.tap(laid.find(text="Italy"))
    main = laid.root.frame._bottom.ids.main
    label = next(w for w in main.walk() if getattr(w, "text", "") == "Start the game" and hasattr(w, "wraps"))
    assert label.width > measure("Start the game", theme.font_px("heading"), True)[0]
    assert label.font_size > 18


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", harness.SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
def test_every_look_that_holds_has_its_tick_in_the_largest_text(size: tuple[int, int], language: str) -> None:
    laid = harness.lay(
        MemoryDesk(), size=size, screen="settings", look="contrast", text_step=2, language=language
    )
    ticked = [w.text for w in laid.walk() if isinstance(w, Plate) and w.icon == "check"]
    assert ticked == (
        ["High contrast", "Largest", "English", "On"]
        if language == "en"
        else ["Hoher Kontrast", "Sehr groß", "Deutsch", "An"]
    )
    assert laid.faults() == []

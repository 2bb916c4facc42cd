"""The shared screens, each by taps: what is shown and what is sent."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from companion.core import commands as cm
from companion.core.ids import ARBITER, Side
from companion.core.rules import GameRules, Rejected
from companion.core.setup import Setup
from companion.core.text import Say
from companion.pages import labels
from companion.pages.desk import Notice
from companion.pages.new_game import NewGameDraft
from companion.pages.page import TABLE_VIEWER
from companion.pages.tour import STOPS
from companion.testing import harness
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import ALLIES, AXIS, sample_setup
from companion.testing.scenes import busy_desk, empty_desk, late_desk, open_scene
from companion.ui import registry
from companion.ui.theme import theme
from companion.ui.widgets import BarPlot, ClockCard, Digits, Half, Plate, Strip
from companion.ui.widgets.basic import measure


def _lay(screen: str = "table", desk: MemoryDesk | None = None, **look: object) -> Laid:
    return harness.lay(desk or MemoryDesk(sample_setup()), screen=screen, **look)  # type: ignore[arg-type]


def _last(laid: Laid) -> cm.Command:
    return laid.desk.sent[-1].command


# Table


def test_table_shows_where_we_are_what_to_do_and_what_comes_next() -> None:
    laid = _lay()
    for text in ("Stage 1 of 4", "Move units", "Fighter", "Submarine", "Step 1, Allies: Declare battles"):
        assert laid.has(text), text


def test_table_ends_the_act_and_names_the_undo() -> None:
    laid = _lay()
    laid.tap(laid.find(text="Moves done"))
    assert laid.has("Declare battles")
    laid.tap(laid.find(text="Undo: Step 1, Allies: Move units"))
    assert isinstance(_last(laid), cm.Undo)
    assert laid.desk.change.state.step.id == "s1.t1.allies.move"


def test_table_ticks_and_unticks_a_line() -> None:
    laid = _lay()
    line = laid.find(text="Land units that enter a mountain stop there")
    laid.tap(line)
    assert laid.desk.change.state.ticked["s1.t1.allies.move"] == {"move.mountain"}
    laid.tap(laid.find(text="Land units that enter a mountain stop there"))
    assert laid.desk.change.state.ticked["s1.t1.allies.move"] == frozenset()


def test_table_counts_down_without_a_command() -> None:
    laid = _lay()
    digits = laid.find(cls=Digits)
    assert digits.text == "22:00"
    laid.pass_ms(61_500)
    assert digits.text == "20:59"
    assert laid.desk.sent == []


def test_table_resumes_with_the_main_button_when_paused() -> None:
    laid = _lay()
    laid.tap(laid.find(icon="pause"))
    assert laid.desk.change.state.clocks.is_paused
    laid.tap(laid.find(text="Resume"))
    assert not laid.desk.change.state.clocks.is_paused


def test_table_writes_the_report_when_the_game_is_over() -> None:
    laid = _lay()
    laid.desk.send(cm.EndGame(at_ms=laid.desk.now_ms(), winner=ALLIES, reason="agreed"))
    laid.settle()
    written: list[tuple[Path, str]] = []
    laid.root.on_report = lambda path, text: written.append((path, text))
    assert laid.has("Victory: Allies")
    laid.tap(laid.find(text="Write the report"))
    ((path, text),) = written
    assert path.name.startswith("italy-")
    assert path.suffix == ".html"
    assert "Victory: Allies" in text


def test_clock_cards_open_the_clocks() -> None:
    laid = _lay()
    laid.tap(laid.find(cls=ClockCard))
    assert laid.root.screen.key == "clocks"


def test_strip_tells_done_now_and_ahead() -> None:
    laid = _lay(desk=busy_desk())
    cells = laid.find(cls=Strip).cells
    assert [cell.state for cell in cells] == ["done", "done", "now", *["ahead"] * 5]
    assert 0 < cells[2].part < 1


class _Cautious(GameRules):
    """Rules that want every act confirmed."""

    def leaving(self, state: object, step: object) -> Rejected:  # noqa: ARG002
        return Rejected("still_open", Say("Two battles are still to be resolved"))

    def is_irreversible(self, event: object) -> bool:
        return type(event).__name__ == "ActEnded"


def test_table_asks_when_something_is_undone_and_sends_again_with_the_first_stamp() -> None:
    laid = _lay(desk=MemoryDesk(sample_setup(), _Cautious()))
    laid.tap(laid.find(text="Moves done"))
    first = _last(laid)
    assert laid.has("Two battles are still to be resolved")
    laid.pass_ms(3_000)
    laid.tap(laid.find(text="Continue"))
    assert _last(laid) == msgspec.structs.replace(first, confirmed=True)
    assert laid.desk.change.state.step.id == "s1.t1.allies.declare"


def test_undo_of_a_roll_is_asked_first() -> None:
    laid = _lay(desk=MemoryDesk(sample_setup(), _Cautious()))
    laid.tap(laid.find(text="Moves done"))
    laid.tap(laid.find(text="Continue"))
    laid.tap(laid.find(icon="undo"))
    assert laid.has("This would undo a roll or a reveal.")
    laid.tap(laid.find(text="Undo it"))
    assert laid.desk.change.state.step.id == "s1.t1.allies.move"


# Clocks


def test_half_ends_its_own_act_in_its_own_name() -> None:
    laid = _lay("clocks")
    laid.tap(laid.find(cls=Half))
    assert laid.desk.sent[-1].actor == "allies"
    assert laid.desk.change.state.step.id == "s1.t1.allies.declare"


@pytest.mark.parametrize("apart_ms", [30, 90, 150])
def test_a_fingers_second_contact_on_a_half_never_ends_a_second_act(apart_ms: int) -> None:
    laid = _lay("clocks")
    half = laid.find(cls=Half)
    laid.tap(half, settle=False)
    laid.clock.ns += apart_ms * 1_000_000
    laid.tap(half)
    assert laid.desk.change.state.step.id == "s1.t1.allies.declare"
    laid.tap(half)
    assert laid.desk.change.state.step.id != "s1.t1.allies.declare", "a press that is meant counts"


def test_half_of_the_other_side_changes_nothing_and_says_so() -> None:
    laid = _lay("clocks")
    laid.tap(laid.find(cls=Half, nth=1))
    assert laid.desk.change.state.step.id == "s1.t1.allies.move"
    assert laid.has("Only Allies can do this.")


def test_swapped_seats_exchange_sides_of_the_screen_and_nothing_else() -> None:
    laid = _lay("clocks")
    laid.tap(laid.find(text="Swap seats"))
    halves = [laid.find(cls=Half, nth=n) for n in (0, 1)]
    assert [half.face.mark.id for half in halves] == ["axis", "allies"]
    laid.tap(halves[1])
    assert laid.desk.sent[-1].actor == "allies"
    assert laid.desk.change.state.step.id == "s1.t1.allies.declare"


def test_hidden_clock_shows_no_digit_and_runs_on() -> None:
    laid = _lay("clocks")
    laid.tap(laid.find(text="Hide"))
    assert all(digits.is_hidden for digits in laid.walk() if isinstance(digits, Digits))
    laid.pass_ms(10_000)
    laid.tap(laid.find(text="Show"))
    assert laid.find(cls=Digits).text == "21:50"


def test_paused_halves_press_nothing() -> None:
    laid = _lay("clocks")
    laid.tap(laid.find(text="Pause"))
    laid.tap(laid.find(cls=Half))
    assert laid.desk.change.state.step.id == "s1.t1.allies.move"
    assert laid.has("The clocks are paused. Resume first.")


def test_tenths_in_the_last_minute_only_where_wanted() -> None:
    laid = _lay("clocks", MemoryDesk(sample_setup(minutes=1)))
    laid.pass_ms(20_400)
    assert laid.find(cls=Digits).text == "0:39.6"
    laid.root.set("tenths", False)
    laid.settle()
    assert laid.find(cls=Digits).text == "00:40"


def test_warnings_are_seen_and_heard_once() -> None:
    laid = _lay("clocks", MemoryDesk(sample_setup(minutes=6)))
    laid.pass_ms(60_500)
    laid.root._watch()
    laid.root._watch()
    assert laid.sounds.played == ["low"]
    assert laid.has("Allies: 5 min left")
    laid.pass_ms(240_000)
    laid.root._watch()
    assert laid.sounds.played == ["low", "last"]
    laid.settle()
    assert laid.has("Last minute")


def test_sound_of_a_press_and_of_a_fall() -> None:
    laid = _lay("clocks", MemoryDesk(sample_setup(minutes=6)))
    laid.tap(laid.find(cls=Half))
    assert laid.sounds.played == ["press"]
    laid.pass_ms(400_000)
    laid.root._watch()
    assert laid.sounds.played[-1] == "fallen"


# Prompts


def test_fallen_flag_is_ticked_off_before_play_goes_on() -> None:
    laid = open_scene("flag")
    assert laid.has("Allies: time is up")
    laid.tap(laid.find(text="1 left to tick off"))
    assert laid.desk.change.state.flag_prompt == "allies"
    laid.tap(laid.find(text="Nothing left to do in this stage"))
    laid.tap(laid.find(text="Done, continue"))
    assert laid.root.dialogs == []
    assert laid.desk.change.state.step.id == "s1.t1.axis.move"
    assert laid.desk.sent[-1].command.ticked == ("core.flag.stop",)


def test_fallen_flag_cannot_be_waved_away() -> None:
    laid = open_scene("flag")
    laid.key(27)
    laid.tap((5, 5))
    assert laid.has("Allies: time is up")


def test_gap_is_charged_to_nobody_with_one_tap() -> None:
    laid = open_scene("gap")
    assert laid.has("12\u00a0min")
    laid.tap(laid.find(text="Charge nobody"))
    assert laid.root.dialogs == []
    assert laid.desk.change.state.gap is None


def test_gap_is_charged_to_a_side_by_the_arbiter_only() -> None:
    laid = open_scene("gap")
    before = laid.desk.change.state.clocks.spent_ms["axis"][0]
    laid.tap(laid.find(text="Axis"))
    assert laid.has("Arbiter's PIN")
    for digit in "1234":
        laid.tap(laid.find(text=digit))
    laid.tap(laid.find(text="Unlock"))
    assert laid.desk.sent[-1].actor == ARBITER
    assert laid.desk.change.state.clocks.spent_ms["axis"][0] == before + 754_000


# Arbiter


def _arbiter(laid: Laid) -> None:
    laid.tap(laid.find(text="Arbiter"))


def test_arbiter_needs_the_pin_and_a_wrong_one_is_refused() -> None:
    laid = _lay("clocks", busy_desk())
    _arbiter(laid)
    for digit in "9999":
        laid.tap(laid.find(text=digit))
    laid.tap(laid.find(text="Unlock"))
    assert laid.has("Wrong PIN")
    for digit in "1234":
        laid.tap(laid.find(text=digit))
    assert not laid.has("1234")
    laid.tap(laid.find(text="Unlock"))
    assert laid.has("Correct a clock")


def test_arbiter_is_trusted_for_a_while_and_can_lock_again() -> None:
    laid = _lay("clocks", busy_desk())
    laid.root.unlock_arbiter()
    _arbiter(laid)
    laid.tap(laid.find(text="Lock again"))
    _arbiter(laid)
    assert laid.has("Arbiter's PIN")


def test_arbiter_corrects_to_the_second() -> None:
    laid = _lay("clocks", busy_desk())
    laid.root.unlock_arbiter()
    _arbiter(laid)
    laid.tap(laid.find(text="Correct a clock"))
    for digit in "0101":
        laid.tap(laid.find(text=digit))
    assert laid.has("+1:01")
    laid.tap(laid.find(text="Say why"))
    assert laid.root.dialogs, "under tournament time a reason is asked"
    laid.tap(laid.find(text="The clock was pressed too late"))
    assert laid.faults() == []
    laid.tap(laid.find(text="Correct"))
    command = _last(laid)
    assert isinstance(command, cm.CorrectTime)
    assert (command.side, command.delta_ms, command.reason) == ("allies", 61_000, "late_press")
    assert laid.desk.sent[-1].actor == ARBITER
    assert laid.desk.change is not None
    entry = laid.desk.entries()[-1]
    assert (
        labels.entry_label(entry, laid.desk.change.state)
        == "Allies: time +1:01 (The clock was pressed too late)"
    )


def test_arbiter_takes_time_for_a_reason_of_his_own() -> None:
    laid = _lay("clocks", busy_desk())
    laid.root.unlock_arbiter()
    _arbiter(laid)
    laid.tap(laid.find(text="Correct a clock"))
    for text in ("2", "0", "Less time", "Another reason"):
        laid.tap(laid.find(text=text))
    for key in ("B", "E", "L", "L", "Done"):
        laid.tap(laid.find(text=key))
    assert laid.has("-0:20") or laid.has("−0:20")
    laid.tap(laid.find(text="Correct"))
    command = _last(laid)
    assert isinstance(command, cm.CorrectTime)
    assert (command.delta_ms, command.reason) == (-20_000, "Bell")


def test_arbiter_steps_back_and_jumps_without_reverting() -> None:
    laid = _lay("clocks", busy_desk())
    laid.root.unlock_arbiter()
    _arbiter(laid)
    laid.tap(laid.find(text="Step back"))
    assert laid.desk.change.state.step.id == "s1.t3.allies.declare"
    _arbiter(laid)
    laid.tap(laid.find(text="Jump to a step"))
    laid.tap(laid.find(text="Stage 2"))
    laid.tap(laid.find(text="Step 1, Axis: Declare battles"))
    assert laid.desk.change.state.step.id == "s2.t1.axis.declare"
    assert laid.root.dialogs == []


def test_arbiter_without_a_pin_is_asked_for_none() -> None:
    laid = _lay("clocks")
    _arbiter(laid)
    assert laid.has("Correct a clock")


def test_time_sheet_lists_steps_corrections_and_undos() -> None:
    laid = _lay("clocks", late_desk())
    laid.root.unlock_arbiter()
    _arbiter(laid)
    laid.tap(laid.find(text="Time sheet"))
    seen = set()
    for _n in range(8):
        seen |= {w.text for w in laid.walk() if getattr(w, "text", "")}
        down = laid.find(icon="forward")
        if not down.is_enabled:
            break
        laid.tap(down)
    assert {"Correction: Allies", "+1:30", "1 entry undone"} <= seen


# Home, New game


def test_home_resumes_the_newest_game_that_can_go_on() -> None:
    laid = _lay("home", empty_desk())
    assert laid.has("20:04")
    assert laid.has("15:41")
    assert laid.has("Anna, Bert")
    assert laid.has("New game")
    laid.tap(laid.find(text="Resume Italy"))
    assert laid.desk.calls == [("open", (Path("/games/italy-1.game"),))]


def test_home_without_games_offers_a_new_one() -> None:
    laid = _lay("home", MemoryDesk())
    assert laid.has("Clocks, turns, battles and score. The board stays yours.")
    laid.tap(laid.find(text="New game"))
    assert laid.root.screen.key == "new_game"


def test_home_offers_a_new_game_once_where_every_saved_game_is_over() -> None:
    over = [msgspec.structs.replace(game, is_over=True) for game in empty_desk().saved_games()]
    laid = _lay("home", MemoryDesk(saved=over))
    assert [w.text for w in laid.walk() if isinstance(w, Plate)].count("New game") == 1
    laid.tap(laid.find(text="New game"))
    assert laid.root.screen.key == "new_game"


def test_home_asks_before_a_game_goes_to_the_bin() -> None:
    laid = _lay("home", empty_desk())
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
    laid = _lay("home", MemoryDesk(saved=games[:1]))
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
    laid = _lay("home", empty_desk())
    laid.tap(laid.find(text="Axis Siege of Tobruk (1941)"))
    laid.tap(laid.find(text="Copy to a USB stick"))
    assert laid.has("No USB stick was found")
    laid.root.sticks = lambda: [Path("/media/stick")]
    laid.tap(laid.find(text="Axis Siege of Tobruk (1941)"))
    laid.tap(laid.find(text="Copy to a USB stick"))
    assert laid.desk.calls == [("export", (Path("/games/tobruk.game"), Path("/media/stick")))]


def test_damaged_game_says_why_and_can_be_copied_but_not_opened() -> None:
    laid = _lay("home", empty_desk())
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
    laid = _lay("new_game", desk)
    laid.tap(laid.find(text="Italy"))
    laid.tap(laid.find(text=laid.root.screen.second_text))
    laid.tap(laid.find(text="Custom minutes"))
    plus = [w for w in laid.walk() if getattr(w, "icon", "") == "plus"]
    laid.tap(plus[0])
    laid.tap(laid.find(icon="forward"))
    laid.tap(laid.find(text="3"))
    while not laid.has("Set a PIN"):
        laid.tap(laid.find(icon="forward"))
    laid.tap(laid.find(text="Set a PIN"))
    for digit in "4711":
        laid.tap(laid.find(text=digit))
    laid.tap(laid.find(text="Done"))
    laid.tap(laid.find(text="Start"))
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
    laid = _lay("new_game", desk)
    laid.tap(laid.find(text="Italy"))
    laid.tap(laid.find(text="Start"))
    assert laid.has("options: minutes.allies: expected minutes above 0, got 0")
    assert laid.root.screen.key == "new_game"


# Log, charts, printed values, settings, more


def test_log_undoes_to_an_act_after_asking() -> None:
    laid = _lay("log", busy_desk())
    row = laid.find(text="Step 2, Axis: Resolve battles")
    laid.tap(row)
    laid.tap(laid.find(text="Undo to here"))
    assert laid.has("This undoes 3 actions, back to and including: Step 2, Axis: Resolve battles.")
    laid.tap(laid.find(text="Undo to here"))
    command = _last(laid)
    assert isinstance(command, cm.Undo)
    assert command.to_seq == 13
    assert laid.desk.change.state.step.id == "s1.t2.axis.resolve"
    assert laid.has("· undone")


def test_a_note_is_written_on_an_entry_of_the_log() -> None:
    laid = _lay("log", busy_desk())
    laid.tap(laid.find(text="Step 2, Axis: Resolve battles"))
    laid.tap(laid.find(text="Write a note"))
    for key in "OK":
        laid.tap(laid.find(text=key))
    laid.tap(laid.find(text="Done"))
    command = _last(laid)
    assert isinstance(command, cm.AddNote)
    assert (command.text.casefold(), command.to_seq) == ("ok", 13)
    assert laid.has(f"· {command.text}")


def test_settings_go_back_to_where_one_came_from() -> None:
    laid = _lay("log", busy_desk())
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
    laid = _lay("log", busy_desk())
    laid.tap(laid.find(icon="undo"))
    laid.tap(laid.find(text="Redo"))
    assert isinstance(_last(laid), cm.Redo)


def test_log_turns_pages() -> None:
    laid = _lay("log", busy_desk())
    pages = laid.root.screen.sheet.pages
    assert laid.has(f"1/{pages}")
    laid.tap(laid.find(icon="forward"))
    assert laid.has(f"2/{pages}")
    laid.tap(laid.find(icon="back"))
    assert laid.has(f"1/{pages}")


def test_charts_show_the_time_of_each_side() -> None:
    laid = _lay("charts", late_desk())
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
    laid = _lay("printed", desk)
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
    laid = _lay("settings", empty_desk())
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
    laid = _lay("home", empty_desk())
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
    laid = _lay("settings", empty_desk())
    ended: list[int] = []
    laid.root.on_quit = lambda: ended.append(1)
    laid.tap(laid.find(text="Box"))
    laid.tap(laid.find(text="Shut down"))
    assert ended == []
    assert laid.has("Only the program closes; the computer stays on."), "this is no box"
    laid.tap(laid.find(text="Shut down"))
    assert ended == [1]


def test_adjourn_pauses_and_goes_home() -> None:
    laid = _lay("more", busy_desk())
    laid.tap(laid.find(text="Adjourn"))
    laid.tap(laid.find(text="Adjourn"))
    assert isinstance(_last(laid), cm.Adjourn)
    assert laid.root.screen.key == "home"
    assert laid.desk.change is None


# Help, tour, notices, frame


@pytest.mark.parametrize(
    "key", ["home", "new_game", "table", "clocks", "log", "charts", "printed", "settings"]
)
def test_every_screen_has_help_of_its_own(key: str) -> None:
    laid = _lay(key, busy_desk())
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
    laid.tap(laid.find(text="Start"))
    assert laid.root.tour is None
    assert laid.desk.settings()["tour_done"] is True


def test_tour_is_skipped_at_any_stop_and_swallows_the_rest() -> None:
    laid = open_scene("tour")
    laid.tap((780, 440))
    assert laid.desk.calls == []
    laid.tap(laid.find(text="Skip the tour"))
    assert laid.root.tour is None


def test_notice_goes_away_by_a_tap() -> None:
    laid = _lay()
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
        laid = _lay(key, busy_desk())
        bar = laid.root.frame._bottom.ids.main
        places.add((round(bar.right), round(bar.y), round(bar.height)))
    assert len(places) == 1


def test_screen_is_left_when_its_game_is_put_away() -> None:
    laid = _lay("log", busy_desk())
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
    laid = _lay("clocks", MemoryDesk(msgspec.structs.replace(setup, sides=sides, steps=steps, nations=())))
    halves = [w for w in laid.walk() if isinstance(w, Half)]
    assert len(halves) == 4
    assert laid.faults() == []
    laid.tap(halves[1])
    assert laid.desk.sent[-1].actor == "p2"
    assert laid.desk.change.rejected is None


def test_other_side_is_axis_in_the_sample() -> None:
    assert sample_setup().sides[1].id == AXIS


def test_long_work_shows_how_far_it_is_and_can_be_stopped() -> None:
    from companion.ui.dialogs import Working
    from companion.ui.widgets import Progress

    laid = _lay()
    stopped: list[int] = []
    work = Working("Copying", lambda _touch: stopped.append(1))
    laid.root.ask(work)
    laid.settle()
    work.show_part(0.4)
    assert laid.find(cls=Progress).part == 0.4
    laid.key(32)
    assert stopped == []
    laid.tap(laid.find(text="Cancel"))
    assert stopped == [1]
    assert laid.root.dialogs == []
    again = Working("Copying", lambda _touch: stopped.append(1))
    laid.root.ask(again)
    again.show_part(1.0)
    assert laid.root.dialogs == []
    assert stopped == [1]


def test_text_that_comes_to_an_empty_button_has_room() -> None:
    laid = _lay("new_game", empty_desk())
    laid.tap(laid.find(text="Italy"))
    main = laid.root.frame._bottom.ids.main
    label = next(w for w in main.walk() if getattr(w, "text", "") == "Start" and hasattr(w, "wraps"))
    assert label.width > measure("Start", theme.font_px("heading"), True)[0]
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

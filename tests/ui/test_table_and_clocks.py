"""Table, Clocks and the prompts of the game, by taps: what is shown and what is sent."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from sample_laid import last, lay

from companion.core import commands as cm
from companion.core.ids import ARBITER
from companion.core.rules import GameRules, Rejected
from companion.core.text import Say
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import ALLIES, sample_setup
from companion.testing.scenes import busy_desk, open_scene
from companion.ui.widgets import ClockCard, Digits, Half, Strip

# Table


def test_table_shows_where_we_are_what_to_do_and_what_comes_next() -> None:
    laid = lay()
    for text in ("Stage 1 of 4", "Move units", "Fighter", "Submarine", "Step 1, Allies: Declare battles"):
        assert laid.has(text), text


def test_table_ends_the_act_and_names_the_undo() -> None:
    laid = lay()
    laid.tap(laid.find(text="Moves done"))
    assert laid.has("Declare battles")
    laid.tap(laid.find(text="Undo: Moves done"))
    assert isinstance(last(laid), cm.Undo)
    assert laid.desk.change.state.step.id == "s1.t1.allies.move"


def test_table_ticks_and_unticks_a_line() -> None:
    laid = lay()
    line = laid.find(text="Land units that enter a mountain stop there")
    laid.tap(line)
    assert laid.desk.change.state.ticked["s1.t1.allies.move"] == {"move.mountain"}
    laid.tap(laid.find(text="Land units that enter a mountain stop there"))
    assert laid.desk.change.state.ticked["s1.t1.allies.move"] == frozenset()


def test_table_counts_down_without_a_command() -> None:
    laid = lay()
    digits = laid.find(cls=Digits)
    assert digits.text == "22:00"
    laid.pass_ms(61_500)
    assert digits.text == "20:59"
    assert laid.desk.sent == []


def test_table_resumes_with_the_main_button_when_paused() -> None:
    laid = lay()
    laid.tap(laid.find(icon="pause"))
    assert laid.desk.change.state.clocks.is_paused
    laid.tap(laid.find(text="Resume"))
    assert not laid.desk.change.state.clocks.is_paused


def test_table_writes_the_report_when_the_game_is_over() -> None:
    laid = lay()
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
    laid = lay()
    laid.tap(laid.find(cls=ClockCard))
    assert laid.root.screen.key == "clocks"


def test_strip_tells_done_now_and_ahead() -> None:
    laid = lay(desk=busy_desk())
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
    laid = lay(desk=MemoryDesk(sample_setup(), _Cautious()))
    laid.tap(laid.find(text="Moves done"))
    first = last(laid)
    assert laid.has("Two battles are still to be resolved")
    laid.pass_ms(3_000)
    laid.tap(laid.find(text="End the step"))
    assert last(laid) == msgspec.structs.replace(first, confirmed=True)
    assert laid.desk.change.state.step.id == "s1.t1.allies.declare"


def test_undo_goes_back_to_the_screen_of_the_act_that_is_on_again() -> None:
    laid = open_scene("tsu-calendar")
    laid.root.go("table")
    desk = laid.desk
    for to, screen in (("supply", "tsu_attack"), ("end", "tsu_calendar")):
        step = next(one.id for one in desk.change.state.itinerary.steps if one.phase == to)
        desk.send(cm.JumpTo(desk.change.state.step.id, step, desk.now_ms()), actor=ARBITER)
        laid.settle()
        assert laid.root.screen.key == screen
    laid.root.go("table")
    laid.root.go("tsu_calendar")
    desk.send(cm.Undo(at_ms=desk.now_ms(), confirmed=True))
    laid.settle()
    assert laid.root.screen.key == "tsu_attack"
    laid.root.go("log")
    desk.send(cm.Undo(at_ms=desk.now_ms(), confirmed=True))
    laid.settle()
    assert laid.root.screen.key == "log", "who chose another screen stays there"


def test_undo_of_a_roll_is_asked_first() -> None:
    laid = lay(desk=MemoryDesk(sample_setup(), _Cautious()))
    laid.tap(laid.find(text="Moves done"))
    laid.tap(laid.find(text="End the step"))
    laid.tap(laid.find(icon="undo"))
    assert laid.has("This would undo a roll or a reveal.")
    assert laid.has(laid.root.undo_words(laid.desk.change) + "\n"), "it names what it would take back"
    laid.tap(laid.find(text="Undo it"))
    assert laid.desk.change.state.step.id == "s1.t1.allies.move"


# Clocks


def test_half_ends_its_own_act_in_its_own_name() -> None:
    laid = lay("clocks")
    laid.tap(laid.find(cls=Half))
    assert laid.desk.sent[-1].actor == "allies"
    assert laid.desk.change.state.step.id == "s1.t1.allies.declare"


@pytest.mark.parametrize("apart_ms", [30, 90, 150])
def test_a_fingers_second_contact_on_a_half_never_ends_a_second_act(apart_ms: int) -> None:
    laid = lay("clocks")
    half = laid.find(cls=Half)
    laid.tap(half, settle=False)
    laid.clock.ns += apart_ms * 1_000_000
    laid.tap(half)
    assert laid.desk.change.state.step.id == "s1.t1.allies.declare"
    laid.tap(half)
    assert laid.desk.change.state.step.id != "s1.t1.allies.declare", "a press that is meant counts"


def test_half_of_the_other_side_changes_nothing_and_says_so() -> None:
    laid = lay("clocks")
    laid.tap(laid.find(cls=Half, nth=1))
    assert laid.desk.change.state.step.id == "s1.t1.allies.move"
    assert laid.has("Only Allies can do this.")


def test_swapped_seats_exchange_sides_of_the_screen_and_nothing_else() -> None:
    laid = lay("clocks")
    laid.tap(laid.find(text="Swap seats"))
    halves = [laid.find(cls=Half, nth=n) for n in (0, 1)]
    assert [half.face.mark.id for half in halves] == ["axis", "allies"]
    laid.tap(halves[1])
    assert laid.desk.sent[-1].actor == "allies"
    assert laid.desk.change.state.step.id == "s1.t1.allies.declare"


def test_hidden_clock_shows_no_digit_and_runs_on() -> None:
    laid = lay("clocks")
    laid.tap(laid.find(text="Hide"))
    assert all(digits.is_hidden for digits in laid.walk() if isinstance(digits, Digits))
    laid.pass_ms(10_000)
    laid.tap(laid.find(text="Show"))
    assert laid.find(cls=Digits).text == "21:50"


def test_paused_halves_press_nothing() -> None:
    laid = lay("clocks")
    laid.tap(laid.find(text="Pause"))
    laid.tap(laid.find(cls=Half))
    assert laid.desk.change.state.step.id == "s1.t1.allies.move"
    assert laid.has("The clocks are paused. Resume first.")


def test_tenths_in_the_last_minute_only_where_wanted() -> None:
    laid = lay("clocks", MemoryDesk(sample_setup(minutes=1)))
    laid.pass_ms(20_400)
    assert laid.find(cls=Digits).text == "0:39.6"
    laid.root.set("tenths", False)
    laid.settle()
    assert laid.find(cls=Digits).text == "00:40"


def test_warnings_are_seen_and_heard_once() -> None:
    laid = lay("clocks", MemoryDesk(sample_setup(minutes=6)))
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
    laid = lay("clocks", MemoryDesk(sample_setup(minutes=6)))
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


def test_the_main_act_of_the_table_goes_to_the_attack_that_waits_and_the_second_ends_the_combat() -> None:
    laid = open_scene("tsu-table")
    screen = laid.root.screen
    assert (screen.main_text, screen.second_text) == ("Fight: Tobruk", "Combat is over")
    sent = len(laid.desk.sent)
    laid.tap(laid.find(text="Fight: Tobruk"))
    assert laid.root.screen.key == "tsu_attack"
    assert laid.root.screen.page.title.values["area"].text == "Tobruk"
    assert len(laid.desk.sent) == sent, "going there ends nothing"
    laid.root.go("table")
    laid.settle()
    laid.tap(laid.find(text="Combat is over"))
    assert [type(one.command) for one in laid.desk.sent[sent:]] == [cm.EndAct]

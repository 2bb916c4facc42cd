"""Frame, Clocks, Table and the labels of what is done, without a window."""

from __future__ import annotations

import msgspec
import pytest

from companion.core import commands as cm
from companion.core.ids import ARBITER, Side
from companion.core.rules import GameRules, Rejected
from companion.core.text import Name, Say
from companion.pages import frame, labels, prompts
from companion.pages.clocks import clock_face, clocks_view, press_half
from companion.pages.i18n import speaking
from companion.pages.speak import speak
from companion.pages.table import main_command, table_view
from companion.pages.watch import warning_at
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import ALLIES, AXIS, sample_setup
from companion.testing.sfw_evenings import SfwGame

# Frame


def test_frame_says_where_we_are() -> None:
    desk = MemoryDesk(sample_setup())
    desk.end_acts(8, each_ms=10_000)
    view = frame.frame(desk.change, desk.rules)
    assert view.crumbs == ("Stage 1 of 4", "Tactical", "Step 2", "Allies")
    assert view.actor is not None
    assert (view.actor.name, view.actor.emblem, view.actor.tone) == ("Allies", "circle", "allies")
    assert view.undo_text == "Step 2, Allies: Declare battles"
    assert [cell.text for cell in view.strip] == ["1", "2", "3", "4", "5", "6", "Victory", "Resupply"]
    assert view.strip[1].part == pytest.approx(2 / 6)


def test_the_set_up_says_which_scenario_is_set_up() -> None:
    desk = SfwGame("tobruk41").desk
    title = "Axis Siege of Tobruk (1941)"
    assert frame.crumbs(desk.change.state) == (title, "Set-up")  # type: ignore[union-attr]
    first = table_view(desk.change, desk.rules, 0).checks[0].text  # type: ignore[arg-type]
    assert first.startswith(f"Follow the set-up sheet “{title}”")
    with speaking("de"):
        assert "Tobruk" in frame.crumbs(desk.change.state)[0]  # type: ignore[union-attr]
        assert "{scenario}" not in speak(Name("check", "setup.short"), desk.change.state)  # type: ignore[union-attr]


def test_frame_of_no_game_is_empty() -> None:
    assert frame.frame(None, None) == frame.Frame()


def test_strip_leaves_out_what_a_fallen_flag_skips() -> None:
    desk = MemoryDesk(sample_setup(minutes=1))
    desk.advance(61_000)
    change = desk.change
    assert change is not None
    desk.send(prompts.flag_command(change.state, (), desk.now_ms()))
    change = desk.change
    assert change is not None
    assert change.state.step.id == "s1.t1.axis.move"
    cells = frame.strip(change.state, GameRules())
    assert cells[0].part == 0.0


def test_sides_without_a_token_take_them_in_order() -> None:
    setup = sample_setup()
    sides = tuple(msgspec.structs.replace(setup.sides[0], id=Side(f"p{n}"), emblem="") for n in range(1, 7))
    setup = msgspec.structs.replace(setup, sides=sides)
    assert [frame.tone(setup, f"p{n}") for n in range(1, 7)] == [
        "allies",
        "axis",
        "third",
        "fourth",
        "fifth",
        "sixth",
    ]
    assert frame.tone(setup, "nobody") == "muted"


def test_nation_has_its_own_shape_and_piece_colour() -> None:
    mark = frame.nation_mark(sample_setup(), "us")
    assert (mark.name, mark.tone, mark.emblem) == ("United States", "piece:green", "star")
    assert frame.nation_mark(sample_setup(), "none").tone == "muted"


# Clocks


def test_face_runs_acts_and_says_when_it_changes() -> None:
    desk = MemoryDesk(sample_setup())
    desk.advance(400)
    assert desk.change is not None
    state = desk.change.state
    allies, axis = (clock_face(state, side, desk.now_ms()) for side in (ALLIES, AXIS))
    assert (allies.text, allies.is_running, allies.is_acting, allies.changes_in_ms) == (
        "22:00",
        True,
        True,
        600,
    )
    assert (axis.text, axis.is_running, axis.is_acting, axis.changes_in_ms) == ("22:00", False, False, None)


@pytest.mark.parametrize(
    ("passed_ms", "level", "note"),
    [
        (0, "calm", ""),
        (1_020_001, "low", "Under 5 min"),
        (1_265_000, "last", "Last minute"),
        (1_320_300, "fallen", "Flag fallen"),
    ],
)
def test_face_warns(passed_ms: int, level: str, note: str) -> None:
    desk = MemoryDesk(sample_setup())
    desk.advance(passed_ms)
    assert desk.change is not None
    face = clock_face(desk.change.state, ALLIES, desk.now_ms())
    assert (face.level, face.note) == (level, note)


def test_face_tells_what_was_carried_over() -> None:
    desk = MemoryDesk(sample_setup())
    assert desk.change is not None
    desk.end_acts(35, each_ms=10_000)
    assert desk.change.state.step.stage == 2
    face = clock_face(desk.change.state, AXIS, desk.now_ms())
    assert face.note.endswith("carried over")
    assert face.text == "41:10"


def test_face_counts_up_without_a_limit_and_is_blank_without_a_clock() -> None:
    up = MemoryDesk(sample_setup(mode="count_up"))
    up.advance(61_500)
    assert up.change is not None
    face = clock_face(up.change.state, ALLIES, up.now_ms())
    assert (face.text, face.changes_in_ms, face.level) == ("01:01", 500, "calm")
    none = MemoryDesk(sample_setup(mode="none"))
    assert none.change is not None
    assert clock_face(none.change.state, ALLIES, none.now_ms()).text == ""


def test_face_before_the_first_stage_shows_what_it_will_have() -> None:
    setup = sample_setup()
    first = msgspec.structs.replace(setup.steps[0], id="setup", stage=0, clock=None, owners=())
    desk = MemoryDesk(msgspec.structs.replace(setup, steps=(first, *setup.steps)))
    assert desk.change is not None
    assert clock_face(desk.change.state, ALLIES, desk.now_ms()).text == "22:00"


def test_swapped_clocks_keep_who_they_are() -> None:
    desk = MemoryDesk(sample_setup())
    assert desk.change is not None
    view = clocks_view(desk.change, desk.now_ms(), swapped=True)
    assert [face.mark.id for face in view.faces] == ["axis", "allies"]
    command, actor = press_half(desk.change.state, "allies", 7)
    assert (command, actor) == (cm.EndAct(step=desk.change.state.step.id, at_ms=7), "allies")


def test_clocks_name_an_act_of_the_whole_table() -> None:
    desk = MemoryDesk(sample_setup())
    desk.end_acts(32, each_ms=10_000)
    assert desk.change is not None
    view = clocks_view(desk.change, desk.now_ms())
    assert (view.who, view.has_clock, view.is_one_sided) == ("The table", False, False)


def test_warnings_come_in_order_and_say_when_the_next_is_due() -> None:
    desk = MemoryDesk(sample_setup())
    assert desk.change is not None
    state, start = desk.change.state, desk.now_ms()
    assert warning_at(state, start) == (None, 1_020_000)
    low, wait = warning_at(state, start + 1_020_000)
    assert low is not None
    assert (low.level, low.side, low.text, wait) == ("low", "allies", "Allies: 5 min left", 240_000)
    last, wait = warning_at(state, start + 1_260_000)
    assert last is not None
    assert (last.level, wait) == ("last", None)
    desk.advance(1_321_000)
    fallen, _wait = warning_at(desk.change.state, desk.now_ms())
    assert fallen is not None
    assert fallen.level == "fallen"


# Table


def test_table_tells_act_units_checks_and_next() -> None:
    desk = MemoryDesk(sample_setup())
    assert desk.change is not None
    view = table_view(desk.change, GameRules(), desk.now_ms())
    assert (view.act, view.who, view.units) == ("Move units", "Allies", ("Fighter", "Submarine"))
    assert [check.is_done for check in view.checks] == [False, False]
    assert view.next_text == "Step 1, Allies: Declare battles"
    assert (view.main_text, view.can_act) == ("Moves done", True)


def test_table_names_the_next_stage_and_the_end() -> None:
    desk = MemoryDesk(sample_setup())
    desk.end_acts(34, each_ms=10_000)
    assert desk.change is not None
    view = table_view(desk.change, GameRules(), desk.now_ms())
    assert view.next_text == "Stage 2, Step 1, Axis: Move units"
    desk.send(
        cm.JumpTo(desk.change.state.step.id, desk.change.state.itinerary.steps[-1].id, desk.now_ms()),
        actor=ARBITER,
    )
    view = table_view(desk.change, GameRules(), desk.now_ms())
    assert view.next_text == "This is the last step of the game"


def test_main_command_resumes_when_paused() -> None:
    desk = MemoryDesk(sample_setup())
    desk.send(cm.Pause(at_ms=desk.now_ms()))
    assert desk.change is not None
    assert main_command(desk.change.state, 5) == cm.Resume(at_ms=5)


# Labels


def test_a_game_without_clocks_is_paused_itself() -> None:
    from companion.core.history import Entry
    from companion.core.ids import TABLE

    desk = MemoryDesk(sample_setup(mode="none"))
    assert desk.change is not None
    told = [
        labels.entry_label(Entry(1, command, (), TABLE, "touch", 1), desk.change.state)
        for command in (cm.Pause(at_ms=1), cm.Resume(at_ms=2))
    ]
    assert told == ["Paused", "Resumed"]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (cm.Pause(at_ms=1), "Clocks paused"),
        (cm.CorrectTime(ALLIES, -61_000, 1), "Allies: time −1:01"),
        (cm.DecideGap(None, 0, 1), "Gap charged to nobody"),
        (cm.DecideGap(AXIS, 61_000, 1), "Gap of 1:01 charged to Axis"),
        (cm.AddNote("hello"), "Note: hello"),
        (cm.AcknowledgeFlag(AXIS, "s1.t1.axis.move", 1), "Axis: penalty for fallen flag carried out"),
        (
            cm.TickCheck("s1.t1.axis.move", "move.units"),
            "Ticked: Move only the units that are active in this step",
        ),
        (cm.JumpTo("a", "s1.victory", 1), "Jumped to Victory: Count victory points"),
        (cm.EndAct("gone", 1), "Gone"),
    ],
)
def test_every_entry_is_named(command: cm.Command, text: str) -> None:
    from companion.core.history import Entry
    from companion.core.ids import TABLE

    desk = MemoryDesk(sample_setup())
    assert desk.change is not None
    entry = Entry(1, command, (), TABLE, "touch", 1)
    assert labels.entry_label(entry, desk.change.state) == text


def test_every_core_command_has_words() -> None:
    from companion.core.history import Entry
    from companion.core.ids import TABLE

    desk = MemoryDesk(sample_setup())
    assert desk.change is not None
    for kind in cm.CORE_COMMANDS:
        if kind in (cm.StartGame,):
            continue
        sample = {
            **{"at_ms": 1, "last_ms": 1, "gap_ms": 1, "delta_ms": 1000, "charged_to": None, "charged_ms": 0},
            **{"step": "s1.victory", "to": "s1.victory", "check": "move.units", "side": "allies"},
            **{
                "ruling": "x",
                "value": "y",
                "key": "k",
                "text": "t",
                "winner": None,
                "reason": "r",
                "told": "{}",
            },
        }
        fields = {f.name: sample[f.name] for f in msgspec.structs.fields(kind) if f.required}
        text = labels.entry_label(Entry(1, kind(**fields), (), TABLE, "touch", 1), desk.change.state)
        assert text
        assert kind in (cm.Undo, cm.Redo) or text != kind.__name__


def test_every_refusal_of_the_core_has_words() -> None:
    from companion.core.rules import Code

    for code in Code:
        assert labels.refusal(Rejected(code)).endswith(".")
    short = Say("{have} left; {need} asked.", have=10, need=11)
    assert labels.refusal(Rejected("over_budget", short)) == "10 left; 11 asked."
    assert labels.refusal(Rejected("odd_code")) == "Odd code"


def test_unknown_ids_stay_readable() -> None:
    assert labels.unit_name("snow_plough") == "Snow plough"
    assert labels.act_name("dance") == "Dance"

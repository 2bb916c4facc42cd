"""Fingers: what acts on press and what on release, two at once, palms, edges, transitions, waking."""

from __future__ import annotations

import pytest
from sample_laid import lay

from companion.core import commands as cm
from companion.core.text import Say, Typed
from companion.pages.desk import Notice
from companion.testing import harness, scenes
from companion.testing.harness import Laid
from companion.ui.dialogs import Confirm
from companion.ui.rest import CONTACT_MS, FRESH_MS
from companion.ui.root import IDLE_FPS, SETTLE_MS, TOUCH_FPS


def _sent(laid: Laid, kind: type = cm.EndAct) -> list[cm.Command]:
    return [envelope.command for envelope in laid.desk.sent if isinstance(envelope.command, kind)]


def test_main_act_acts_on_press_not_on_release() -> None:
    laid = lay()
    finger = laid.press(laid.find(text="Moves done"))
    assert len(_sent(laid)) == 1
    laid.lift(finger)
    assert len(_sent(laid)) == 1


def test_press_is_stamped_when_it_was_first_seen() -> None:
    laid = lay()
    seen_ms = laid.desk.now_ms()
    finger = harness.Finger(99, *map(float, laid.find(text="Moves done").center))
    finger.seen_ns = laid.clock.ns
    laid.clock.ns += 140 * 1_000_000
    laid.desk.advance(140)
    harness.EventLoop.post_dispatch_input("begin", finger)
    harness.EventLoop.post_dispatch_input("end", finger)
    (command,) = _sent(laid)
    assert isinstance(command, cm.EndAct)
    assert command.at_ms == seen_ms


def test_row_acts_on_release_without_a_drag() -> None:
    laid = lay()
    line = laid.find(text="Land units that enter a mountain stop there")
    finger = laid.press(line)
    assert _sent(laid, cm.TickCheck) == []
    laid.lift(finger)
    assert len(_sent(laid, cm.TickCheck)) == 1


def test_row_does_not_act_after_a_drag() -> None:
    laid = lay()
    line = laid.find(text="Move only the units that are active in this step")
    finger = laid.press(line)
    laid.move(finger, line.center_x + 60, line.center_y)
    laid.lift(finger)
    assert _sent(laid, cm.TickCheck) == []


def test_two_fingers_at_once_end_one_act_only() -> None:
    laid = lay("clocks")
    left, right = laid.find(cls=harness_half(), nth=0), laid.find(cls=harness_half(), nth=1)
    fingers = [laid.press(left), laid.press(right)]
    for finger in fingers:
        laid.lift(finger)
    state = laid.desk.change.state
    assert state.step.id == "s1.t1.allies.declare"
    assert len(laid.desk.sent) == 2


def harness_half() -> type:
    from companion.ui.widgets import Half

    return Half


def test_two_presses_of_one_half_end_two_acts() -> None:
    laid = lay("clocks")
    half = laid.find(cls=harness_half())
    laid.tap(half, settle=False)
    laid.frames(2)
    laid.clock.ns += CONTACT_MS * 1_000_000
    laid.tap(half, settle=False)
    assert laid.desk.change.state.step.id == "s1.t1.allies.resolve"


def test_resting_palm_blocks_nothing() -> None:
    laid = lay()
    palm = [laid.press((400, 300)), laid.press((430, 310)), laid.press((415, 280))]
    laid.tap(laid.find(text="Moves done"))
    assert len(_sent(laid)) == 1
    for finger in palm:
        laid.lift(finger)
    assert len(_sent(laid)) == 1


@pytest.mark.parametrize("size", harness.SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
def test_thumbs_at_the_very_edge_reach_the_halves(size: tuple[int, int]) -> None:
    laid = lay("clocks", size=size)
    half = laid.find(cls=harness_half())
    laid.tap((half.x + 1, half.y + 1))
    assert len(_sent(laid)) == 1


def test_second_half_of_a_double_tap_does_not_hit_what_has_just_appeared() -> None:
    laid = lay("more")
    plate = laid.find(text="Back to the table")
    laid.tap(plate, settle=False)
    assert laid.root.screen.key == "table"
    laid.frames(2)
    laid.tap(plate.center, settle=False)
    assert _sent(laid) == []
    laid.clock.ns += SETTLE_MS * 1_000_000
    laid.tap(laid.find(text="Moves done"))
    assert len(_sent(laid)) == 1


def test_what_one_frame_hands_over_was_pressed_before_the_first_of_it() -> None:
    laid = lay("more")
    plate = laid.find(text="Back to the table")
    laid.tap(plate, settle=False)
    laid.frames(2)
    for _n in range(3):  # heard one by one on a machine that has no time for it
        laid.lift(laid.press(plate.center, with_last=_n > 0))
        laid.clock.ns += SETTLE_MS * 1_000_000
    assert _sent(laid) == []
    laid.frames(1)
    laid.lift(laid.press(laid.find(text="Moves done")))
    assert len(_sent(laid)) == 1


def test_finger_that_went_down_before_a_change_of_screen_does_nothing_after_it() -> None:
    laid = lay()
    line = laid.find(text="Move only the units that are active in this step")
    finger = laid.press(line)
    laid.root.go("log")
    laid.frames(2)
    laid.lift(finger)
    assert _sent(laid, cm.TickCheck) == []
    assert laid.root.dialogs == []


def test_dialog_swallows_taps_on_its_edge_beside_it_and_behind_it() -> None:
    laid = lay()
    laid.root.ask(Confirm("Sure?", "Something is lost.", "Yes", lambda _t: None))
    laid.settle()
    behind = laid.root.frame
    main = next(w for w in behind.walk() if getattr(w, "text", "") == "Moves done")
    card = laid.root.dialogs[-1].children[0]
    for point in (main.center, (card.x + 1, card.y + 1), (card.x - 3, card.center_y), (5, 5)):
        laid.tap(point)
    assert _sent(laid) == []
    assert len(laid.root.dialogs) == 1


def test_dialog_button_acts_on_release_and_closes_once() -> None:
    laid = lay()
    done: list[str] = []
    laid.root.ask(Confirm("Sure?", "Something is lost.", "Yes", lambda _t: done.append("yes")))
    laid.settle()
    yes = laid.find(text="Yes")
    finger = laid.press(yes)
    assert done == []
    laid.lift(finger)
    assert done == ["yes"]
    assert laid.root.dialogs == []


def test_disabled_button_swallows_its_tap() -> None:
    laid = lay()
    undo = laid.find(text="Nothing to undo")
    laid.tap(undo)
    assert laid.desk.sent == []


def test_tap_that_wakes_the_screen_does_nothing_else() -> None:
    laid = lay()
    laid.desk.send(cm.Pause(at_ms=laid.desk.now_ms()))
    laid.desk.sent.clear()
    laid.clock.ns += 400 * 1_000_000_000
    laid.root.idle_check()
    assert laid.root.dark == pytest.approx(0.7)
    main = laid.find(text="Resume")
    laid.tap(main)
    assert laid.desk.sent == []
    assert laid.root.dark == 0
    laid.tap(main)
    assert len(_sent(laid, cm.Resume)) == 1


def test_screen_goes_dark_in_software_but_never_while_a_clock_runs() -> None:
    laid = lay()
    laid.clock.ns += 4_000 * 1_000_000_000
    laid.root.idle_check()
    assert laid.root.dark == 0
    laid.desk.send(cm.Pause(at_ms=laid.desk.now_ms()))
    laid.clock.ns += 4_000 * 1_000_000_000
    laid.root.idle_check()
    assert laid.root.dark == 1.0
    assert laid.pixels().max() == 0


def test_the_press_of_a_player_whose_clock_runs_counts_however_long_the_thought() -> None:
    laid = lay()
    for idle_s in (60, 299, 301, 610, 4_000):
        laid.clock.ns += idle_s * 1_000_000_000
        laid.root.idle_check()
        before = len(_sent(laid, cm.EndAct))
        laid.tap(laid.root.frame._bottom.ids.main)
        assert len(_sent(laid, cm.EndAct)) == before + 1, idle_s


def test_what_happens_without_a_touch_lights_a_dark_screen() -> None:
    laid = lay()
    laid.desk.send(cm.Pause(at_ms=laid.desk.now_ms()))
    for happens in (
        lambda: laid.desk.send(cm.Resume(at_ms=laid.desk.now_ms()), source="gpio"),
        lambda: laid.root.notify(Notice("warning", Say("The panel was unplugged."))),
    ):
        laid.root._darken(1.0)
        happens()
        laid.frames(1)
        assert laid.root.dark == 0


def test_key_that_wakes_the_screen_does_nothing_else() -> None:
    laid = lay()
    laid.root._darken(0.7)
    laid.key(32)
    assert laid.desk.sent == []
    assert laid.root.dark == 0


def test_frames_are_fast_after_a_touch_and_slow_when_idle() -> None:
    from kivy.clock import Clock

    laid = lay()
    try:
        laid.tap((400, 300))
        assert Clock._max_fps == TOUCH_FPS
        laid.root._calm(0)
        assert Clock._max_fps == IDLE_FPS
    finally:
        Clock._max_fps = 0


def test_touch_outside_the_window_is_ignored() -> None:
    laid = lay()
    laid.tap((-1279, -799))
    laid.tap((5_000, 200))
    assert laid.desk.sent == []


def test_right_click_is_no_touch() -> None:
    laid = lay()
    finger = harness.Finger(7, *map(float, laid.find(text="Moves done").center))
    finger.button = "right"
    harness.EventLoop.post_dispatch_input("begin", finger)
    harness.EventLoop.post_dispatch_input("end", finger)
    assert laid.desk.sent == []


def test_pressed_look_is_there_in_the_frame_of_the_press() -> None:
    laid = lay("clocks")
    laid.desk.send(cm.Pause(at_ms=laid.desk.now_ms()))
    laid.settle()
    half = laid.find(cls=harness_half())
    before = laid.pixels()[240, 100].copy()
    finger = laid.press(half)
    after = laid.pixels()[240, 100]
    assert (before != after).any()
    laid.lift(finger)


def test_a_report_that_could_not_be_saved_stays_on_the_screen_until_it_is_closed() -> None:
    laid = lay()
    text = "Table Companion 1\nwhere: the writer\ngame: sfw96, entry: 4, last command: EndAct\n\nValueError: a bug"
    for _ in range(2):
        laid.root.notify(Notice("error", Say("It could not be saved."), report=text))
    laid.settle()
    assert len(laid.root.dialogs) == 1
    assert laid.has("the writer")
    assert laid.has("a bug")
    laid.tap(laid.find(text="Close"))
    assert laid.root.dialogs == []
    laid.tap(laid.root.toast)
    assert laid.root.toast is None
    assert laid.has("the writer"), "a tap on the notice shows it again"
    laid.tap(laid.find(text="Close"))


def test_a_double_contact_on_resume_does_not_end_the_act() -> None:
    for apart_ms in (30, 80, 150):
        laid = lay()
        laid.desk.send(cm.Pause(at_ms=laid.desk.now_ms()))
        laid.settle()
        main = laid.root.frame._bottom.ids.main
        laid.tap(main, settle=False)
        laid.frames(1)
        laid.pass_ms(apart_ms)
        laid.tap(main, settle=False)
        assert len(_sent(laid, cm.Resume)) == 1
        assert _sent(laid, cm.EndAct) == []


def test_what_is_refused_and_a_dialog_light_a_dark_screen_too() -> None:
    laid = lay()
    laid.desk.send(cm.Pause(at_ms=laid.desk.now_ms()))
    for happens in (
        lambda: laid.desk.send(cm.EndAct(step="s9.nowhere", at_ms=laid.desk.now_ms()), source="gpio"),  # type: ignore[arg-type]
        lambda: laid.root.ask(Confirm("Sure?", "Something is lost.", "Yes", lambda _t: None)),
    ):
        laid.root._darken(1.0)
        happens()
        laid.frames(1)
        assert laid.root.dark == 0


def test_the_keys_that_follow_the_one_that_woke_the_screen_do_nothing_for_a_moment() -> None:
    laid = lay()
    laid.root._darken(0.7)
    for code, after_ms, acts in ((32, 0, 0), (13, 100, 0), (13, 400, 1)):
        laid.clock.ns += after_ms * 1_000_000
        laid.root.key_down(code)
        laid.root.key_up(code)
        assert len(_sent(laid)) == acts


_STARVED_MS = 4_000
"""How long a machine without time for the window may leave a press lie."""


def test_a_press_made_before_the_next_screen_was_drawn_does_not_count_for_it() -> None:
    laid = lay("more")
    where = laid.find(text="Back to the table").center
    laid.tap(where, settle=False)
    laid.clock.ns += _STARVED_MS * 1_000_000
    laid.tap(where, settle=False)
    laid.root.key_down(13)
    laid.root.key_up(13)
    laid.frames(2)
    laid.tap(laid.find(text="Moves done"), settle=False)  # a window tells of it only after its slow frame
    assert _sent(laid) == []
    laid.clock.ns += SETTLE_MS * 1_000_000
    laid.tap(laid.find(text="Moves done"))
    assert len(_sent(laid)) == 1


def test_a_press_made_before_the_page_was_drawn_does_not_count_for_what_is_new_on_it() -> None:
    laid = scenes.open_scene("tsu-calendar")
    screen = laid.root.screen
    old, new = dict(screen.shown.acts), [tab.act for tab in screen.page.tabs if tab.key != screen.page.tab]
    assert new
    finger = harness.Finger(98, 0.0, 0.0)
    finger.seen_ns = laid.clock.ns
    screen.press(new[0], finger)
    fresh = next(act for act in screen.shown.acts if act not in old)
    assert not screen._is_meant(fresh, finger)
    laid.frames(2)
    finger.seen_ns = laid.clock.ns
    assert not screen._is_meant(fresh, finger), "the window saw it late"
    finger.seen_ns += FRESH_MS * 1_000_000
    assert screen._is_meant(fresh, finger)
    screen.refresh(laid.desk.change)
    assert screen._is_meant(fresh, finger), "what stays takes every press, however slow the frames"


def test_a_half_pressed_again_before_the_next_act_was_drawn_ends_one_act() -> None:
    laid = lay("clocks")
    half = laid.find(cls=harness_half())
    laid.tap(half, settle=False)
    laid.clock.ns += _STARVED_MS * 1_000_000
    laid.tap(half, settle=False)
    assert laid.desk.change.state.step.id == "s1.t1.allies.declare"


def test_the_half_that_had_nothing_to_end_counts_at_once() -> None:
    laid = lay("clocks")
    ours, theirs = laid.find(cls=harness_half(), nth=0), laid.find(cls=harness_half(), nth=1)
    laid.tap(ours)
    assert laid.desk.change.state.step.owners == ("allies",)
    while True:
        laid.tap(ours, settle=False)
        if laid.desk.change.state.step.owners == ("axis",):
            break
        laid.settle()
    step = laid.desk.change.state.step.id
    laid.tap(theirs, settle=False)
    assert laid.desk.change.state.step.id != step


def test_undo_and_pause_pressed_again_before_they_say_something_new_are_one_press() -> None:
    laid = lay()
    bar, top = laid.root.frame._bottom, laid.root.frame._top
    for _n in range(2):
        laid.tap(bar.ids.main)
    laid.tap(bar.ids.undo, settle=False)
    laid.clock.ns += _STARVED_MS * 1_000_000
    laid.tap(bar.ids.undo)
    assert len(_sent(laid, cm.Undo)) == 1
    laid.tap(bar.ids.undo)
    assert len(_sent(laid, cm.Undo)) == 2
    for _n in range(2):
        laid.tap(top.ids.pause, settle=False)
        laid.clock.ns += _STARVED_MS * 1_000_000
    assert len(_sent(laid, cm.Pause)) + len(_sent(laid, cm.Resume)) == 1


def test_the_seconds_of_a_notice_count_from_the_frame_that_shows_it() -> None:
    laid = lay()
    for text, longer in (("Short.", False), ("A long one. " * 20, True)):
        laid.root.drop_toast()
        laid.root.notify(Notice("info", Typed(text)))
        toast = laid.root.toast
        assert not toast._event.is_triggered
        laid.frames(1)
        assert toast._event.is_triggered
        assert (toast._event.timeout > 5) is longer


def test_a_press_that_was_not_taken_outlines_what_lies_under_the_finger_for_a_moment() -> None:
    laid = lay("more")
    where = laid.find(text="Back to the table").center
    laid.tap(where)
    assert not laid.root._missed.is_shown, "a press that is taken gives no sign"
    main = laid.root.frame._bottom.ids.main
    laid.root._settle()
    before = laid.pixels().copy()
    laid.tap(main, settle=False)
    laid.frames(2)
    assert _sent(laid) == []
    assert laid.root._missed.is_shown
    high = laid.size[1]
    marked = (laid.pixels() != before).any(axis=2)
    box = marked[high - round(main.top) : high - round(main.y), round(main.x) : round(main.right)]
    assert box.sum() == marked.sum() > main.width, "its outline and nothing else"
    assert laid.root._missed._over.is_triggered, "it goes by itself"
    laid.root._missed.clear()
    assert (laid.pixels() == before).all()


def test_a_press_not_taken_beside_every_key_gives_no_sign() -> None:
    laid = lay()
    laid.root._settle()
    laid.tap(laid.root.screen.ids.act.center, settle=False)
    laid.frames(2)
    assert not laid.root._missed.is_shown

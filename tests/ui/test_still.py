"""What stands still is drawn once; what ticks is drawn over it; what is needed later is loaded in quiet moments."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable
from typing import ClassVar

import pytest
from kivy.animation import Animation
from kivy.base import EventLoop
from kivy.graphics import Color, Fbo, Rectangle

from companion.core import commands as cm
from companion.core.text import Say
from companion.pages.desk import Notice
from companion.pages.modules import modules
from companion.testing import harness
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import sample_setup
from companion.ui import registry
from companion.ui import still as still_layer
from companion.ui.drawn import is_software, wait_for_frames
from companion.ui.warm import LONGEST_S, QUIET_S, Tidy, WarmUp
from companion.ui.widgets import Half


@pytest.mark.parametrize("screen", ["clocks", "table", "log", "more"])
def test_a_new_digit_draws_nothing_else_anew(screen: str) -> None:
    laid = harness.lay(MemoryDesk(sample_setup()), screen=screen)
    before = laid.pixels()
    count = laid.root.still.redraws
    laid.pass_ms(3_000)
    after = laid.pixels()
    assert (before != after).any()
    assert laid.root.still.redraws == count


def test_a_change_draws_the_still_part_anew() -> None:
    laid = harness.lay(MemoryDesk(sample_setup()), screen="clocks")
    laid.pixels()
    count = laid.root.still.redraws
    laid.tap(laid.find(cls=Half))
    laid.pixels()
    assert laid.root.still.redraws > count


def test_picture_is_the_same_whether_digits_are_lifted_or_not() -> None:
    laid = harness.lay(MemoryDesk(sample_setup()), screen="clocks")
    lifted = laid.pixels().astype(int)
    laid.root.still.lift(())
    assert abs(lifted - laid.pixels().astype(int)).max() <= 2


def test_the_run_line_slides_once_when_the_act_passes_on_and_draws_nothing_else_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Three frames of a busy machine may take longer than the slide.
    monkeypatch.setattr(still_layer, "_SLIDE_S", 1.5)
    laid = harness.lay(MemoryDesk(sample_setup()), screen="log")
    still, side = laid.root.still, laid.desk.change.state.step.owners
    while laid.desk.change.state.step.owners == side or len(laid.desk.change.state.step.owners) != 1:
        side = laid.desk.change.state.step.owners
        laid.settle()
        assert still.slid == 1.0, "nothing moves while nothing passes on"
        laid.desk.send(cm.EndAct(laid.desk.change.state.step.id, laid.desk.now_ms(), confirmed=True))
    laid.frames(3)
    assert 0.0 < still.slid < 1.0
    drawn, count = laid.pixels(), still.redraws
    until = time.monotonic() + 20
    while still.slid < 1.0 and time.monotonic() < until:
        laid.frames(1)
    apart = abs(drawn.astype(int) - laid.pixels().astype(int)).max(axis=2)
    assert (still.slid, still.redraws) == (1.0, count), "what changed since is drawn by now"
    assert apart[:6].max() > 0
    assert not apart[6:].any(), "only the line moves"
    assert not [one for one in Animation._instances if one.have_properties_to_animate(still)]


def test_a_pause_and_another_screen_slide_nothing() -> None:
    laid = harness.lay(MemoryDesk(sample_setup()), screen="clocks")
    laid.tap(laid.find(cls=Half))
    for act in (lambda: laid.root.pause(None), lambda: laid.root.pause(None), lambda: laid.root.go("log")):
        act()
        laid.frames(1)
        assert laid.root.still.slid == 1.0


def test_digits_go_with_their_screen() -> None:
    laid = harness.lay(MemoryDesk(sample_setup()), screen="clocks")
    laid.root.go("home")
    assert laid.root.still.moving == ()
    laid.root.go("table")
    assert len(laid.root.still.moving) == 2


def test_a_game_that_keeps_no_time_shows_no_clocks() -> None:
    laid = harness.lay(MemoryDesk(sample_setup(mode="none")), screen="log")
    assert laid.root.still.moving == ()
    assert not laid.has("00:00")


def test_same_notice_again_stays_instead_of_being_built_anew() -> None:
    laid = harness.lay(MemoryDesk(sample_setup()))
    laid.root.notify(Notice("warning", Say("Not now")))
    toast = laid.root.toast
    laid.root.notify(Notice("warning", Say("Not now")))
    assert laid.root.toast is toast
    laid.root.notify(Notice("warning", Say("Not here")))
    assert laid.root.toast is not toast


def test_warm_up_loads_only_in_quiet_moments_and_ends() -> None:
    idle_s = [0.0]
    warm = WarmUp(lambda: idle_s[0])
    done: list[int] = []
    warm.left = [lambda: done.append(1), lambda: done.append(2)]
    assert warm._step(0.1) is True
    assert done == []
    idle_s[0] = QUIET_S
    assert warm._step(0.1) is True
    assert warm._step(0.1) is False
    assert done == [1, 2]
    warm.stop()
    warm.stop()


def test_fault_while_loading_ahead_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    warm = WarmUp(lambda: 9.0)
    done: list[int] = []
    warm.left = [lambda: 1 / 0, lambda: done.append(2)]
    warm._step(0.1)
    warm._step(0.1)
    assert done == [2]
    assert "could not be loaded ahead" in caplog.text


def test_warm_up_names_only_what_exists() -> None:
    warm = WarmUp(lambda: 9.0)
    while len(warm.left) > 2:
        warm.left.pop(0)()


def test_of_the_games_only_those_that_are_played_are_loaded_ahead_each_once() -> None:
    warm = WarmUp(lambda: 9.0, lambda: ("med", "med"))
    warm.left = warm.left[-3:]  # all but what belongs to no game
    warm.left.pop(0)()
    assert len(warm.left) == 2 + len(modules()["med"].screens) + 2
    warm.left.clear()
    warm.want("med")
    assert not warm.left
    warm.want("a game of the future")
    assert not warm.left
    warm.want("aana")
    assert len(warm.left) == 2 + len(modules()["aana"].screens) + 2


class Loop:
    """A screen in small: it refers to itself, so that only the collector ends it."""

    def __init__(self) -> None:
        self.me = self


def test_screens_that_were_left_are_cleared_away_in_a_quiet_moment() -> None:
    idle_s = [0.0]
    tidy = Tidy(lambda: idle_s[0])
    gc.disable()
    try:
        screen = weakref.ref(Loop())
        assert tidy._event is None
        tidy.left()
        tidy.left()
        tidy._look(0.5)
        assert screen() is not None
        idle_s[0] = QUIET_S
        tidy._look(0.5)
        assert screen() is None
        assert tidy._event is None
    finally:
        gc.enable()
        tidy.stop()


def test_screens_that_were_left_are_cleared_away_where_nobody_ever_rests() -> None:
    tidy = Tidy(lambda: 0.0)
    gc.disable()
    try:
        screen = weakref.ref(Loop())
        tidy.left()
        for _ in range(int(LONGEST_S / 0.5) - 1):
            tidy._look(0.5)
            assert screen() is not None
        tidy._look(0.5)
        assert screen() is None
        tidy.left()
        tidy._look(0.5)
        assert tidy._event is not None, "what is left next waits for a quiet moment again"
    finally:
        gc.enable()
        tidy.stop()


def test_a_change_and_a_closed_dialog_are_cleared_away_too() -> None:
    laid = harness.lay(MemoryDesk(sample_setup()), screen="clocks")
    tidy = laid.root._tidy
    tidy.stop()
    laid.tap(laid.find(cls=Half))
    assert tidy._event is not None
    tidy.stop()
    laid.root.help()
    assert tidy._event is None
    laid.root.dismiss()
    assert tidy._event is not None


@pytest.mark.parametrize(
    ("name", "is_so"),
    [
        ("llvmpipe (LLVM 15.0.6, 256 bits)", True),
        ("softpipe", True),
        ("V3D 4.2.14", False),
        ("V3D 7.1.7.0", False),
        ("Mesa Intel(R) UHD Graphics", False),
    ],
)
def test_only_a_renderer_on_the_processor_is_waited_for(name: str, is_so: bool) -> None:
    assert is_software(name) is is_so


def test_every_frame_is_waited_for_where_the_processor_draws() -> None:
    class Window:
        bound: ClassVar[list[str]] = []

        def bind(self, **events: object) -> None:
            self.bound.extend(events)

    harness.lay()
    assert wait_for_frames(Window()) is bool(Window.bound)
    assert set(Window.bound) <= {"on_flip"}


def test_other_threads_run_while_a_frame_is_waited_for() -> None:
    """The writer's too: an act is not stored the later because a picture is large."""
    waits = []

    class Window:
        def bind(self, *, on_flip: Callable[[], None]) -> None:
            waits.append(on_flip)

    harness.lay()
    if not wait_for_frames(Window()):
        pytest.skip("a chip draws here")
    ran_s: list[float] = []
    is_over, pause = threading.Event(), threading.Event()

    def run() -> None:
        while not is_over.is_set():
            ran_s.append(time.perf_counter())
            pause.wait(0.0005)

    beside = threading.Thread(target=run)
    beside.start()
    picture = Fbo(size=(2048, 2048))
    with picture:
        for _layer in range(60):
            Color(1, 1, 1, 0.1)
            Rectangle(size=(2048, 2048))
    picture.draw()
    from_s = time.perf_counter()
    waits[0]()
    to_s = time.perf_counter()
    is_over.set()
    beside.join()
    assert to_s - from_s > 0.02, "the picture was large enough to wait for"
    assert sum(from_s + 0.002 < at < to_s - 0.002 for at in ran_s) > 3


def test_closed_window_leaves_none_of_its_screens_behind() -> None:
    """What still refers to one, such as a clock's event or a device's listener, would keep every window for good."""
    laid = harness.lay(MemoryDesk(sample_setup()))
    game = laid.desk.change.state.frozen_setup.game
    held = [weakref.ref(laid.root)]
    for one in (*registry.for_game(game), *(one for one in registry.SCREENS if not one.needs_game)):
        laid.root.go(one.key)
        held.append(weakref.ref(laid.root.screen))
    laid.root.go("hardware")  # the one that listens and ticks closes with its window
    del laid, one
    harness.clear()
    EventLoop.idle()
    gc.collect()
    assert [ref() for ref in held if ref() is not None] == []


def test_press_of_a_side_that_is_not_to_act_says_so_once() -> None:
    laid = harness.lay(MemoryDesk(sample_setup()), screen="clocks")
    other = laid.find(cls=Half, nth=1)
    for _n in range(3):
        laid.tap(other)
    assert [type(e.command) for e in laid.desk.sent] == [cm.EndAct] * 3
    assert laid.root.toast is not None

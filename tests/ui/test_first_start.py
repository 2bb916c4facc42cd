"""The first start by real taps: the language, the corners, the tour; and a touch panel that is set right on the way."""

from __future__ import annotations

import errno
import fcntl
from array import array
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.pages import corners, i18n
from companion.testing import harness
from companion.testing.harness import SIZES, Laid
from companion.testing.memory_desk import MemoryDesk
from companion.ui import touch_panel
from companion.ui.corners import CornerTest
from companion.ui.first_start import LanguageQuestion, first_start
from companion.ui.touch_panel import TouchTurn
from companion.ui.tour import Tour


def first(size: tuple[int, int] = (800, 480), *, has_touch: bool = True, **settings: object) -> Laid:
    """Lay a window in which nothing has been chosen yet."""
    desk = MemoryDesk()
    laid = harness.lay(desk, screen="home", size=size)
    desk._settings.clear()
    desk._settings.update(settings)
    first_start(laid.root, has_touch=has_touch)
    laid.settle()
    return laid


def corner(laid: Laid, name: str) -> tuple[float, float]:
    width, height = laid.size
    return (20 if name.endswith("left") else width - 20), (height - 20 if name.startswith("top") else 20)


def touch_corners(laid: Laid, turn: str = corners.STRAIGHT) -> None:
    """Touch the corners asked for; the panel reports them turned."""
    width, height = laid.size
    for name in corners.CORNERS:
        x, y = corner(laid, name)
        x, y = corners.turned(turn, x / width, y / height)
        laid.tap((x * width, y * height))


@pytest.mark.parametrize("size", SIZES)
def test_language_then_corners_then_tour(size: tuple[int, int]) -> None:
    laid = first(size)
    assert isinstance(laid.root.dialogs[-1], LanguageQuestion)
    assert laid.faults() == []
    laid.tap((5, 5))
    assert isinstance(laid.root.dialogs[-1], LanguageQuestion), "a tap beside it answers nothing"
    laid.tap(laid.find(text="Deutsch"))
    assert laid.desk.settings()["language"] == "de"
    assert i18n.language() == "de"
    assert isinstance(laid.root.dialogs[-1], CornerTest)
    assert laid.faults() == []
    touch_corners(laid)
    assert laid.root.dialogs[-1].check.is_well
    assert laid.faults() == []
    laid.tap(laid.find(text=i18n._("Continue")))
    assert laid.root.dialogs == []
    assert isinstance(laid.root.tour, Tour)
    assert laid.desk.settings()["corners_done"] is True


def test_corners_touched_within_one_slow_frame_answer_nothing_else() -> None:
    """The button in the middle is made anew with each touch, and must not be met where it is not laid out yet."""
    laid = first(language="en")
    for name in corners.CORNERS:
        laid.clock.ns += 200 * 1_000_000
        laid.lift(laid.press(corner(laid, name)))
    laid.settle()
    assert laid.root.tour is None
    assert laid.root.dialogs[-1].check.is_well


def test_a_language_that_the_installer_chose_is_not_asked() -> None:
    laid = first(language="de")
    assert isinstance(laid.root.dialogs[-1], CornerTest)


def test_without_a_touch_panel_the_corners_are_not_asked() -> None:
    laid = first(has_touch=False)
    laid.tap(laid.find(text="English"))
    assert laid.root.dialogs == []
    assert isinstance(laid.root.tour, Tour)


def test_a_plug_pulled_after_the_corners_asks_neither_again() -> None:
    laid = first(language="en", corners_done=True)
    assert laid.root.dialogs == []
    assert isinstance(laid.root.tour, Tour)


def test_the_corners_can_be_skipped_by_the_middle_and_by_a_key() -> None:
    laid = first(language="en")
    laid.tap((laid.size[0] / 2, laid.size[1] / 2))
    assert isinstance(laid.root.tour, Tour)
    laid = first(language="en")
    laid.key(32)
    assert isinstance(laid.root.tour, Tour)


def test_the_language_by_key() -> None:
    laid = first()
    laid.key(50)
    assert laid.desk.settings()["language"] == "de"


@pytest.mark.parametrize("turn", corners.TURNS[1:])
def test_a_turned_panel_is_set_right_and_checked_again(turn: str) -> None:
    laid = first(language="en")
    panel = TouchTurn()

    def set_right(found: str) -> None:
        panel.turn = corners.corrected(panel.turn, found, 0)

    laid.root.turn_touch = set_right

    def arrives(x: float, y: float) -> tuple[float, float]:
        raw = corners.turned(turn, x / laid.size[0], y / laid.size[1])
        args = panel.apply({"x": raw[0], "y": raw[1], "pressure": 3})
        return args["x"] * laid.size[0], args["y"] * laid.size[1]

    for _round in range(2):
        for name in corners.CORNERS:
            laid.tap(arrives(*corner(laid, name)))
    check = laid.root.dialogs[-1].check
    assert check.is_well
    assert panel.turn != corners.STRAIGHT


def test_without_a_way_to_set_it_right_the_turn_is_named() -> None:
    laid = first(language="en")
    touch_corners(laid, "-x-y")
    assert laid.has("upside down")
    assert laid.faults() == []
    touch_corners(laid, "+x+y")  # the first of these begins anew
    assert not laid.root.dialogs[-1].check.is_well
    laid.tap((laid.size[0] / 2, laid.size[1] / 2))
    assert isinstance(laid.root.tour, Tour)


def test_one_tap_that_arrives_twice_is_named() -> None:
    laid = first(language="en")
    where = corner(laid, "top_left")
    laid.tap(where, settle=False)
    laid.clock.ns += 8_000_000
    laid.tap(where)
    assert laid.has("counted twice")
    assert laid.faults() == []


def test_the_window_turns_touches_as_the_correction_expects() -> None:
    from kivy.input.motionevent import MotionEvent

    for rotation, turn in corners._ROTATIONS.items():
        got = MotionEvent.to_absolute_pos(None, 0.2, 0.7, 1, 1, rotation)
        assert got == pytest.approx(corners.turned(turn, 0.2, 0.7)), rotation


def test_a_stored_turn_that_is_none_turns_nothing() -> None:
    for stored in (None, 7, "+x", "+x+x"):
        assert TouchTurn(stored).turn == corners.STRAIGHT
    half = TouchTurn("-x-y")
    assert half.apply({"x": 0.25}) == {"x": 0.25}, "half a position is left as it is"


class Panel:
    """A kernel's panel of two slots whose second finger was the last one, at the right edge, before the program started."""

    def __init__(self, _filename: str) -> None:
        self._fd = -1
        self.events: list[tuple[int, int, int, int]] = []
        """Stamp in microseconds, type, code and value of each event that is still to be read."""

    def close(self) -> None:
        self._fd = -1

    def has_slot(self) -> bool:
        return True

    def get_slot(self) -> Any:
        return SimpleNamespace(maximum=1, value=1)

    def get_abs(self, _axis: int) -> Any:
        return SimpleNamespace(minimum=0, maximum=100)

    def idle(self, _ms: int) -> bool:
        return not self.events

    def get(self) -> Any:
        if not self.events:
            return None
        at_us, kind, code, value = self.events.pop(0)
        time = SimpleNamespace(tv_sec=at_us // 1_000_000, tv_usec=at_us % 1_000_000)
        return SimpleNamespace(type=kind, code=code, value=value, time=time)


@pytest.fixture
def mtdev(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Kivy's own provider, as the box uses it, on a pretended panel; needs libmtdev only to be there."""
    provider = pytest.importorskip("kivy.input.providers.mtdev", exc_type=OSError)

    def ioctl(_file: int, order: int, data: Any) -> None:
        if order & 0xFF == 0x0A:  # EVIOCGMTSLOTS
            data[1:] = array("i", [0, 100] if data[0] == 0x35 else [0, 25])

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    monkeypatch.setattr(provider, "Device", Panel)
    monkeypatch.setattr(provider, "MTDMotionEvent", provider.MTDMotionEvent)
    return provider


def test_the_touch_provider_hands_over_turned_touches(mtdev: Any) -> None:
    turn = TouchTurn("-x-y")
    touch_panel.stamp_mtdev_touches(turn)
    touch = mtdev.MTDMotionEvent("panel", 1, {"x": 0.25, "y": 0.75})
    assert (touch.sx, touch.sy) == (0.75, 0.25)
    assert touch.seen_ns > 0
    turn.turn = corners.STRAIGHT
    touch.move({"x": 0.5, "y": 0.1})
    assert (touch.sx, touch.sy) == (0.5, 0.1)


def test_touches_read_late_keep_their_time_and_the_first_its_place(mtdev: Any) -> None:
    """Two touches are read at once, seconds after they came; the first is in the column of the last one before the start."""
    touch_panel.stamp_mtdev_touches(TouchTurn())
    panel = mtdev.Device("panel")
    panel.events = [
        (5_000_000, 3, 0x39, 7), (5_000_000, 3, 0x36, 75), (5_000_000, 0, 0, 0), (5_100_000, 3, 0x39, -1), (5_100_000, 0, 0, 0),
        (5_150_000, 3, 0x39, 8), (5_150_000, 3, 0x35, 10), (5_150_000, 0, 0, 0),
    ]  # fmt: skip
    provider = mtdev.MTDMotionEventProvider("panel", "/dev/input/event0")
    provider.queue = deque()

    class EndError(Exception):
        """All was read."""

    def open_panel(_name: str) -> Any:
        return panel

    def idle(_ms: int, really: Any = panel.idle) -> bool:
        if really(0):
            raise EndError
        return False

    panel.idle, mtdev.Device = idle, open_panel
    with pytest.raises(EndError):
        provider._thread_run(
            queue=provider.queue, input_fn="panel", device="panel", default_ranges={"rotation": 0}
        )
    begun = [touch for action, touch in provider.queue if action == "begin"]
    assert [touch.seen_ns for touch in begun] == [5_000_000_000, 5_150_000_000]
    assert [(touch.sx, touch.sy) for touch in begun] == [(1.0, 0.25), (0.1, 0.25)]


def test_a_panel_that_came_later_is_found_once_and_nothing_else_is(tmp_path: Path) -> None:
    sysfs, dev = tmp_path / "sysfs", tmp_path / "dev"
    for name, axes in {
        "event0": "260800000000003",
        "event1": "0",
        "event2": "260800000000003",
        "event3": "3",
    }.items():
        (sysfs / name / "device/capabilities").mkdir(parents=True)
        (sysfs / name / "device/capabilities/abs").write_text(axes + "\n")
    (sysfs / "event4").mkdir()  # gone while it is looked at
    dev.mkdir()
    for name in ("event0", "event1", "event3", "event4"):
        (dev / name).touch()
    assert touch_panel.new_panels({""}, sysfs, dev) == [str(dev / "event0")], "event2 may not be read yet"
    (dev / "event2").touch()
    assert touch_panel.new_panels({str(dev / "event0")}, sysfs, dev) == [str(dev / "event2")]


def test_a_pulled_panel_lifts_its_fingers_and_ends_its_thread(
    mtdev: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One finger was lifted and one is down when it is pulled: the one ends, and the other is not pressed anew."""
    held = fcntl.ioctl

    def ioctl(file: int, order: int, data: Any) -> None:
        if order == touch_panel._VERSION:
            raise OSError(errno.ENODEV, "No such device")
        held(file, order, data)

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    touch_panel.stamp_mtdev_touches(TouchTurn())
    panel = mtdev.Device("panel")
    panel.events = [
        (5_000_000, 3, 0x39, 7), (5_000_000, 3, 0x36, 75), (5_000_000, 0, 0, 0), (5_100_000, 3, 0x39, -1), (5_100_000, 0, 0, 0),
        (5_150_000, 3, 0x2F, 0), (5_150_000, 3, 0x39, 8), (5_150_000, 3, 0x35, 10), (5_150_000, 0, 0, 0),
    ]  # fmt: skip
    panel.idle = lambda _ms: False
    monkeypatch.setattr(mtdev, "Device", lambda _name: panel)
    provider = mtdev.MTDMotionEventProvider("panel", "/dev/input/event0")
    provider.queue = deque()
    with pytest.raises(SystemExit):
        provider._thread_run(
            queue=provider.queue, input_fn="panel", device="panel", default_ranges={"rotation": 0}
        )
    assert [(action, touch.id) for action, touch in provider.queue if action != "update"] == [
        ("begin", 7),
        ("end", 7),
        ("begin", 8),
        ("end", 8),
    ]


def test_a_panel_that_cannot_be_opened_ends_its_thread_in_one_line(
    mtdev: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_panel: Panel, _filename: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Panel, "__init__", refused)
    touch_panel.stamp_mtdev_touches(TouchTurn())
    with pytest.raises(SystemExit):
        mtdev.Device("/dev/input/event0")


def test_a_panel_that_comes_and_goes_is_read_anew_each_time(tmp_path: Path) -> None:
    (tmp_path / "event0/device/capabilities").mkdir(parents=True)
    (tmp_path / "event0/device/capabilities/abs").write_text("260800000000003\n")

    class Provider:
        """A provider whose thread runs as long as its panel is there."""

        def __init__(self, _name: str, input_fn: str) -> None:
            self.input_fn, self.is_there = input_fn, True
            self.queue: list[str] = []
            self.thread = SimpleNamespace(is_alive=lambda: self.is_there)

        def start(self) -> None:
            started.append(self)

    started: list[Provider] = []
    loop = SimpleNamespace(input_providers=[object()])
    loop.remove_input_provider = loop.input_providers.remove
    loop.add_input_provider = loop.input_providers.append
    for times in range(1, 4):
        for _ in range(2):
            touch_panel.renew_panels(loop, Provider, tmp_path, tmp_path)
        assert len(started) == times
        assert loop.input_providers[1:] == [started[-1]]
        started[-1].is_there = False
    started[-1].queue = ["what its last finger did"]
    touch_panel.renew_panels(loop, Provider, tmp_path, tmp_path)
    assert len(started) == 3, "what was felt is told first"


def test_what_claims_to_be_a_panel_and_is_none_is_passed_over(tmp_path: Path) -> None:
    """Lines of capabilities that are no numbers, and a touchpad, where a finger is nowhere on the screen."""
    for n, (axes, properties) in enumerate(
        [(b"nonsense\n", b"2\n"), (b"\xff\xfe\n", b"2\n"), (b"", b""), (b"260800000000003\n", b"5\n"), (b"260800000000003\n", b"\xff")]
    ):  # fmt: skip
        (tmp_path / f"event{n}/device/capabilities").mkdir(parents=True)
        (tmp_path / f"event{n}/device/capabilities/abs").write_bytes(axes)
        (tmp_path / f"event{n}/device/properties").write_bytes(properties)
    assert touch_panel.new_panels({""}, tmp_path, tmp_path) == [str(tmp_path / "event4")]


def test_a_panel_that_claims_a_thousand_million_slots_is_asked_for_a_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = []
    monkeypatch.setattr(fcntl, "ioctl", lambda _file, _order, data: sizes.append(len(data)))
    assert len(list(touch_panel.held_places(0, 1_000_000_000))) == 4 * touch_panel._MOST_SLOTS
    assert max(sizes) == 1 + touch_panel._MOST_SLOTS
    assert list(touch_panel.held_places(0, -5)) == []

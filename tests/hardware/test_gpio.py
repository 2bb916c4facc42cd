"""What only the panel on pins can get wrong: one part in trouble, lost edges, no pins at all."""

from __future__ import annotations

import os
import time
from dataclasses import replace

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from hardware import edges, gpio, pinfactory
from hardware.digits import DirectDigits, max7219_segments
from hardware.errors import NoHeaderError
from hardware.gpio import GpioPanel, open_gpio_panel
from hardware.null import NullPanel
from hardware.patterns import cells
from hardware.pinfactory import header_chip, make_pin_factory
from hardware.pinmap import ButtonPin, BuzzerPin, DisplayPins, default_pinmap, parse_pinmap
from hardware.ports import (
    Button,
    BuzzerPattern,
    DisplayText,
    Lamp,
    LampPattern,
    LampStep,
    NoticeKind,
    PanelState,
    Part,
    Tone,
)

FULL = LampPattern((LampStep(1.0, 1000),))


def of_kind(rig, kind):
    return [notice for notice in rig.listener.notices if notice.kind is kind]


def test_a_pin_that_is_taken_is_told_and_the_rest_works(kit):
    from gpiozero import LED

    rig = kit.GpioRig()
    taken = LED(rig.pinmap.lamps[Lamp.LEFT].gpio, pin_factory=rig.factory)
    rig.start()
    absent = of_kind(rig, NoticeKind.ABSENT)
    assert len(absent) == 1
    assert absent[0].part is Part.LAMP_LEFT
    assert str(absent[0].detail).startswith(
        "The left lamp on GPIO 5 cannot be used (pin GPIO5 is already in use"
    )
    assert Part.LAMP_LEFT not in rig.panel.status().parts
    assert str(rig.panel.status().line) == "The panel on the GPIO pins works, except: The left lamp."
    rig.press(Button.LEFT)
    rig.panel.set_lamp(Lamp.LEFT, FULL)
    taken.close()
    rig.wait_for(lambda: of_kind(rig, NoticeKind.REGAINED))
    rig.wait_for(lambda: rig.lamp_level(Lamp.LEFT) == 1.0)
    rig.close()


def test_a_chip_that_dies_is_one_notice_and_not_ten(gpio_rig):
    gpio_rig.lose()
    gpio_rig.wait_for(lambda: gpio_rig.panel.status().state is PanelState.LOST)
    gpio_rig.wait_for(lambda: of_kind(gpio_rig, NoticeKind.LOST))
    gpio_rig.let_pass_ms(100)
    assert len(of_kind(gpio_rig, NoticeKind.LOST)) == 1
    gpio_rig.regain()
    gpio_rig.wait_for(lambda: of_kind(gpio_rig, NoticeKind.REGAINED))
    assert [str(notice.detail) for notice in of_kind(gpio_rig, NoticeKind.REGAINED)] == [
        "The GPIO pins work again."
    ]


def test_a_line_that_moves_without_an_edge_is_found_by_looking(gpio_rig):
    pin = gpio_rig.factory.pin(gpio_rig.pinmap.buttons[Button.LEFT].gpio)
    pin._state = False  # closed, and nobody told us
    gpio_rig.wait_for(lambda: gpio_rig.listener.presses)
    assert [edge.button for edge in gpio_rig.listener.presses] == [Button.LEFT]
    assert str(of_kind(gpio_rig, NoticeKind.EDGES_MISSED)[0].detail) == (
        "The left button changed without a signal; check its wire."
    )
    gpio_rig.contact(Button.LEFT, False)
    gpio_rig.wait_for(lambda: len(gpio_rig.listener.edges) == 2)


class StillRig:
    """A panel whose own thread does not run: the test says when it works, and what the pin library has told by then."""

    def __init__(self, kit) -> None:
        self.rig = kit.GpioRig()
        self.panel, self.listener = self.rig.panel, self.rig.listener
        self.ns = 1_000_000_000
        self.panel.now_ns = lambda: self.ns
        self.panel.begin(self.listener)
        for device in self.panel._devices.values():
            device.open()
        self.panel._filter = edges.start_filter(self.panel._read_levels(), 0, self.rig.pinmap.filter)
        self.panel._next_look_ns = self.ns

    def work(self, after_ms: int, *told: edges.RawEdge, left_is_closed: bool = True) -> None:
        self.ns += after_ms * 1_000_000
        self.rig.factory.pin(self.rig.pinmap.buttons[Button.LEFT].gpio)._state = not left_is_closed
        self.panel._work(list(told))

    @property
    def missed(self):
        return of_kind(self, NoticeKind.EDGES_MISSED)


def test_an_edge_that_a_machine_standing_still_holds_up_is_not_taken_for_a_missed_one(kit):
    """Two looks while it stands still see the same undelivered edge; only then it comes, with its own time."""
    still = StillRig(kit)
    closed_ns = still.ns
    for _stall in range(4):
        still.work(1_000)
    assert still.missed == []
    still.work(10, edges.RawEdge(Button.LEFT, True, closed_ns))
    assert [edge.at_ns for edge in still.listener.presses] == [closed_ns]
    still.panel.close()


def test_edges_that_come_between_two_looks_show_that_none_was_missed(kit):
    """Pressed again and again on a busy machine, every look may find a level whose edge is on its way."""
    still = StillRig(kit)
    for _press in range(6):
        still.work(25)  # due for a look: closed, not told yet
        edge_ns = still.ns
        still.work(1, edges.RawEdge(Button.LEFT, True, edge_ns))
        still.work(1, edges.RawEdge(Button.LEFT, False, edge_ns + 1_000_000), left_is_closed=False)
    assert still.missed == []
    still.work(25)
    still.work(25)
    assert len(still.missed) == 1
    still.panel.close()


def test_a_callback_is_asked_for_again_after_edges_were_missed(gpio_rig):
    pin = gpio_rig.factory.pin(gpio_rig.pinmap.buttons[Button.RIGHT].gpio)
    pin.when_changed = None
    gpio_rig.contact(Button.RIGHT, True)
    gpio_rig.wait_for(lambda: of_kind(gpio_rig, NoticeKind.EDGES_MISSED) and gpio_rig.listener.presses)
    gpio_rig.release(Button.RIGHT)
    gpio_rig.let_pass_ms(30)
    assert len(of_kind(gpio_rig, NoticeKind.EDGES_MISSED)) == 1


def test_nothing_that_happens_in_a_callback_reaches_the_pin_library(gpio_rig):
    device = gpio_rig.panel._devices[Part.BUTTON_LEFT]

    def explode(*_):
        raise ZeroDivisionError

    seen, device._seen = device._seen, explode
    gpio_rig.contact(Button.LEFT, True)  # would raise here: pretended pins call back in the caller's thread
    device._seen = seen
    gpio_rig.contact(Button.LEFT, False)
    gpio_rig.press(Button.RIGHT)


def test_a_bug_of_the_panels_own_thread_is_one_notice_and_the_buttons_still_work(gpio_rig):
    look, faults = gpio_rig.panel._look, 3

    def explode():
        nonlocal faults
        if faults:
            faults -= 1
            raise ZeroDivisionError("a bug")
        look()

    gpio_rig.panel._look = explode
    gpio_rig.wait_for(lambda: not faults)
    gpio_rig.press(Button.LEFT)
    stumbles = [notice for notice in gpio_rig.listener.notices if "had an error" in str(notice.detail)]
    assert [str(notice.detail) for notice in stumbles] == [
        "The panel had an error (ZeroDivisionError('a bug')) and continues."
    ]
    assert dict(gpio_rig.panel.status().counters)["panel_failures"] == 3


def test_the_watchdog_level_of_lgpio_is_no_edge(gpio_rig):
    gpio_rig.panel._devices[Part.BUTTON_LEFT]._changed(0.0, 2)
    assert not gpio_rig.panel._raw


def move(rig, button, closed, at_s):
    """Move a contact whose edge the pin library tells late, with the kernel's time."""
    rig.factory.pin(rig.pinmap.buttons[button].gpio)._state = not closed
    rig.panel._edge_seen(button, closed, at_s)


def test_an_edge_that_is_told_late_keeps_its_time(gpio_rig):
    gpio_rig.let_pass_ms(200)
    at_s = time.monotonic() - 0.15
    move(gpio_rig, Button.LEFT, True, at_s)
    gpio_rig.wait_for(lambda: gpio_rig.listener.presses)
    assert gpio_rig.listener.presses[0].at_ns == round(at_s * 1e9)


def test_a_spike_whose_end_is_told_late_is_no_press(gpio_rig):
    at_s = time.monotonic()
    gpio_rig.panel._edge_seen(Button.LEFT, True, at_s)  # the pin itself is open again already
    gpio_rig.let_pass_ms(15)
    gpio_rig.panel._edge_seen(Button.LEFT, False, at_s + 0.001)
    gpio_rig.let_pass_ms(60)
    assert gpio_rig.listener.edges == []


def test_an_odd_time_stamp_is_replaced_by_now(gpio_rig):
    before = gpio_rig.now_ns()
    gpio_rig.panel._edge_seen(Button.PAUSE, True, 1_795_000_000.0)  # a wall clock's idea of time
    pin = gpio_rig.factory.pin(gpio_rig.pinmap.buttons[Button.PAUSE].gpio)
    pin._state = False
    gpio_rig.wait_for(lambda: gpio_rig.listener.presses)
    assert before <= gpio_rig.listener.presses[0].at_ns <= gpio_rig.now_ns()


def test_a_part_that_is_absent_takes_commands_and_does_nothing(kit):
    bare = replace(
        kit.wired_pinmap(), buttons={Button.LEFT: ButtonPin(17, "up", "low")}, lamps={}, buzzer=None
    )
    bare = replace(bare, tray_light=None, displays=None)
    rig = kit.GpioRig(pinmap=bare)
    rig.start()
    rig.panel.set_lamp(Lamp.LEFT, FULL)
    rig.panel.set_tray_light(0.5)
    rig.panel.buzz(BuzzerPattern((Tone(440, 10),)))
    assert rig.panel.status().parts == {Part.BUTTON_LEFT}
    rig.press(Button.LEFT)
    assert of_kind(rig, NoticeKind.LOST) == []
    rig.close()


def test_a_box_with_nothing_wired_opens_and_closes(kit):
    empty = replace(kit.wired_pinmap(), buttons={}, lamps={}, buzzer=None, tray_light=None, displays=None)
    rig = kit.GpioRig(pinmap=empty)
    rig.start()
    assert rig.panel.status().parts == frozenset()
    rig.close()


def test_other_wirings(kit):
    text = """
    version = 1
    [buttons.left]
    gpio = 17
    pull = "down"
    pressed = "high"
    [lamps.left]
    gpio = 5
    on = "low"
    [buzzer]
    gpio = 13
    kind = "active"
    """
    rig = kit.GpioRig(pinmap=replace(parse_pinmap(text, "t"), filter=kit.QUICK))
    rig.start()
    pin = rig.factory.pin(17)
    pin.drive_high()
    rig.wait_for(lambda: rig.listener.presses)
    pin.drive_low()
    rig.wait_for(lambda: len(rig.listener.edges) == 2)
    assert rig.factory.pin(5)._state == 1.0  # dark: this lamp lights at low
    rig.panel.set_lamp(Lamp.LEFT, FULL)
    rig.wait_for(lambda: rig.factory.pin(5)._state == 0.0)
    rig.panel.buzz(BuzzerPattern((Tone(440, 2000),)))
    rig.wait_for(lambda: rig.factory.pin(13)._state == 1)
    rig.close()


def test_the_pins_of_a_pi_5_are_the_same(kit):
    factory = MockFactory(revision="c04170", pin_class=MockPWMPin)
    panel = GpioPanel(replace(default_pinmap(), filter=kit.QUICK), factory)
    listener = kit.Listener()
    panel.start(listener)
    assert factory.board_info.model == "5B"
    assert panel.status().parts == default_pinmap().parts
    panel.close()


# -- digits -------------------------------------------------------------------------------------------------


def test_max7219_segments_are_turned_the_chips_way():
    assert max7219_segments("8", True) == 0xFF
    assert max7219_segments("1", False) == 0b0110000
    assert max7219_segments(" ", False) == 0


def test_two_chained_modules_show_eight_digits_a_side(kit):
    from hardware.digits import Max7219Digits

    factory = kit.RigFactory()
    words = []
    device = Max7219Digits(DisplayPins("max7219", 8, 1.0), factory)
    device._spi.write = words.append
    row = cells(DisplayText("12345678"), 8) + cells(DisplayText("9"), 8)
    device.show(row)
    first = [max7219_segments("1", False), max7219_segments(" ", False)]
    assert words[0] == [8, first[1], 8, first[0]]  # the far module's word goes first
    device.close()
    assert words[-1] == [0x0C, 0, 0x0C, 0]


def test_direct_digits_light_the_right_segments():
    factory = MockFactory(pin_class=MockPWMPin)
    factory.pin_class = MockFactory().pin_class
    pins = DisplayPins("direct", 2, 0.4, segments=(2, 3, 4, 5, 6, 7, 8, 9), digits=(10, 11, 12, 13))
    digits = DirectDigits(pins, factory)
    digits.show(cells(DisplayText("7.7"), 2) * 2)
    digits.show(
        tuple([("7", True)] * 4)
    )  # all the same: gpiozero stops multiplexing and lights them steadily
    assert [bool(factory.pin(number).state) for number in pins.segments] == [
        True, True, True, False, False, False, False, True,
    ]  # fmt: skip
    digits.close()


# -- no pins ------------------------------------------------------------------------------------------------


def test_without_pins_there_is_one_clear_line_and_a_panel_that_does_nothing(monkeypatch):
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    panel = open_gpio_panel(default_pinmap())
    assert isinstance(panel, NullPanel)
    status = panel.status()
    assert status.state is PanelState.ABSENT
    assert str(status.line).endswith("; use the on-screen buttons.")
    assert "\n" not in str(status.line)
    panel.start(lambda _event: None)
    panel.set_lamp(Lamp.LEFT, FULL)
    panel.close()


PinUnknownPi = type("PinUnknownPi", (RuntimeError,), {})


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            ModuleNotFoundError("No module named 'lgpio'", name="lgpio"),
            "The GPIO library lgpio is not installed; ",
        ),
        (PinUnknownPi("unable to locate Pi revision"), "This machine has no Raspberry Pi pins; "),
        (
            PermissionError(13, "Permission denied"),
            "This user may not use the GPIO pins (add it to the group gpio); ",
        ),
        (NoHeaderError(()), "This machine has no Raspberry Pi pins; "),
        (
            NoHeaderError(("pl061", "gpio-brcmstb")),
            "None of this machine's GPIO chips (pl061, gpio-brcmstb) is a Raspberry Pi header; ",
        ),
        (RuntimeError("'can not open gpiochip'"), "The GPIO pins cannot be opened (can not open gpiochip); "),
    ],
)
def test_why_there_are_no_pins(monkeypatch, error, line):
    def fail():
        raise error

    monkeypatch.setattr(gpio, "make_pin_factory", fail)
    assert str(open_gpio_panel(default_pinmap()).status().line) == line + "use the on-screen buttons."


def test_pretended_pins_by_environment(monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    panel = open_gpio_panel(default_pinmap())
    assert isinstance(panel, GpioPanel)
    panel.start(lambda _event: None)
    assert panel.status().state is PanelState.WORKING
    panel.close()


@pytest.fixture
def chips(monkeypatch, tmp_path):
    """Makes a folder of chips, each a file that holds its label; one without a label cannot be asked."""
    devices = tmp_path / "dev"
    devices.mkdir()

    def told(path):
        if not path.read_text():
            raise PermissionError(13, "Permission denied", str(path))
        return path.read_text()

    def make(**labels):
        for name, label in labels.items():
            (devices / name).write_text(label)
        return devices

    monkeypatch.setattr(pinfactory, "chip_label", told)
    return make


@pytest.mark.parametrize(
    ("labels", "number"),
    [
        ({"gpiochip0": "pinctrl-bcm2711", "gpiochip1": "raspberrypi-exp-gpio"}, 0),  # Pi 4
        ({"gpiochip0": "gpio-brcmstb@107d508500", "gpiochip4": "pinctrl-rp1"}, 4),  # Pi 5, first kernels
        ({"gpiochip0": "pinctrl-rp1", "gpiochip10": "gpio-brcmstb@107d508500"}, 0),  # Pi 5, later ones
        ({"gpiochip0": "pinctrl-rp1", "gpiochip4": "pinctrl-rp1"}, 0),  # a link for old programs
        ({"gpiochip2": "mcp23017", "gpiochip10": "pinctrl-bcm2835"}, 10),  # an expander came first
        ({"gpiochip0": "", "gpiochip1": "pinctrl-rp1"}, 1),  # one that this user may not open
    ],
)
def test_the_chip_of_the_header_is_found_by_what_it_is_called(chips, labels, number):
    assert header_chip(chips(**labels)) == number


def test_without_the_chip_of_a_header_there_are_no_pins(chips):
    with pytest.raises(NoHeaderError) as none_at_all:
        header_chip(chips())
    assert none_at_all.value.labels == ()
    with pytest.raises(NoHeaderError) as none_fits:
        header_chip(chips(gpiochip0="pinctrl-rp1-x", gpiochip1="pl061", gpiochipless="pinctrl-rp1"))
    assert none_fits.value.labels == ("pinctrl-rp1-x", "pl061")
    with pytest.raises(PermissionError):
        header_chip(chips(gpiochip2=""))


def test_what_is_no_chip_is_refused_by_the_kernel(tmp_path):
    (tmp_path / "gpiochip0").write_text("pinctrl-rp1")
    with pytest.raises(OSError, match="Inappropriate ioctl"):
        header_chip(tmp_path)


def test_lgpio_gets_a_place_to_write_and_the_working_directory_stays(monkeypatch, tmp_path, chips):
    """lgpio changes the process into LG_WD when it is imported; that must not be felt."""
    package = tmp_path / "site"
    (package / "lgpio").mkdir(parents=True)
    (package / "lgpio" / "__init__.py").write_text(
        "import os\nos.chdir(os.environ['LG_WD'])\nraise OSError('no chip')\n"
    )
    monkeypatch.syspath_prepend(str(package))
    runtime = tmp_path / "run"
    runtime.mkdir()
    env = {"RUNTIME_DIRECTORY": str(runtime)}
    monkeypatch.setenv("LG_WD", str(runtime))
    before = os.getcwd()
    with pytest.raises(OSError, match="no chip"):
        make_pin_factory(env, chips(gpiochip0="pinctrl-rp1"))
    assert os.getcwd() == before
    assert env["LG_WD"] == str(runtime)


def test_a_buzzer_kind_is_read():
    assert default_pinmap().buzzer == BuzzerPin(13, "passive")

"""The Hardware screen over a real panel link: every input live, every output by a tap, devices in both languages."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from companion.adapters.panel_link import PanelLink
from companion.core.text import Say, Typed
from companion.pages import i18n
from companion.pages.hardware import PARTS, DeviceState, HardwareDraft, NoCameras, hardware_page
from companion.pages.page import TABLE_VIEWER, Sight
from companion.testing import harness
from companion.testing.harness import SIZES, Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.reading import Reading
from companion.testing.sample import sample_setup
from companion.ui.render.items import ItemTile
from hardware.fake import FakePanel
from hardware.gpio import GpioPanel
from hardware.null import NullPanel
from hardware.pinmap import default_pinmap
from hardware.ports import Button, Display, Lamp, Part


class Tray(NoCameras):
    """One camera whose state is set by hand."""

    def __init__(self) -> None:
        self.state: Any = "working"
        self.tested: list[str] = []
        self.looks = 0
        self.listeners: list[Callable[[], None]] = []

    def devices(self) -> tuple[DeviceState, ...]:
        line = Typed(f"It {self.state}.")
        return (DeviceState("/dev/video0", Say("Camera"), self.state, line, can_test=True),)

    def look(self) -> None:
        self.looks += 1

    def test(self, key: str) -> None:
        self.tested.append(key)

    def subscribe(self, listener: Callable[[], None]) -> Any:
        self.listeners.append(listener)
        return super().subscribe(listener)


class Tile(NamedTuple):
    """A tile as it is read."""

    state: str
    is_on: bool


def reading(bench: Any, cameras: Any, tab: str = "panel") -> Reading:
    """Return the page over a panel and cameras, as text."""
    box: Any = SimpleNamespace(bench=bench, cameras=cameras)
    return Reading(hardware_page(Sight(TABLE_VIEWER, None, None, HardwareDraft(tab), box=box)), None)


class Wired:
    """The screen with a pretended panel that is driven by hand."""

    def __init__(
        self, *, size: tuple[int, int] = (800, 480), language: str = "en", tab: str = "panel", **panel: Any
    ):
        self.panel = FakePanel(**panel)
        self.laid: Laid = harness.lay(MemoryDesk(), screen="home", size=size, language=language)
        self.link = PanelLink(
            self.panel, self.laid.desk, now_ns=lambda: self.panel.at_ns, post=lambda call: call()
        )
        self.link.start(ticking=False)
        self.tray = Tray()
        self.laid.root.bench, self.laid.root.cameras = self.link, self.tray
        self.laid.root.go("hardware", draft=HardwareDraft(tab))
        self.laid.settle()

    def tile(self, title: str) -> Tile:
        tile = next(w for w in self.laid.walk() if isinstance(w, ItemTile) and w.text == title)
        return Tile(tile.pen.say(tile.item.why_not or tile.item.sub), tile.item.state == "chosen")

    def pass_ms(self, ms: int) -> None:
        self.panel.advance_ms(ms)
        self.link.show()
        self.laid.frames(2)


INPUTS = {
    Button.LEFT: "Left button",
    Button.RIGHT: "Right button",
    Button.PAUSE: "Pause button",
    Button.ARBITER: "Arbiter's key",
}


@pytest.mark.parametrize("size", SIZES)
def test_every_input_shows_at_once(size: tuple[int, int]) -> None:
    wired = Wired(size=size)
    for button, title in INPUTS.items():
        assert wired.tile(title).state == "ready"
        wired.panel.press(button)
        wired.pass_ms(20)
        assert (wired.tile(title).state, wired.tile(title).is_on) == ("pressed", True)
        assert wired.laid.faults() == []
        wired.panel.release(button)
        wired.pass_ms(100)
        assert (wired.tile(title).state, wired.tile(title).is_on) == ("pressed 1×", False)


def test_a_bouncing_press_counts_once_on_the_screen() -> None:
    wired = Wired()
    wired.panel.bounce(Button.LEFT, True)
    wired.panel.bounce(Button.LEFT, False)
    wired.pass_ms(100)
    assert wired.tile("Left button").state == "pressed 1×"


def test_every_output_is_tried_by_a_tap() -> None:
    wired = Wired()
    for key, name, is_output in PARTS:
        if not is_output:
            continue
        wired.laid.tap(wired.laid.find(text=name))
        kind, _, place = key.partition("_")
        if kind == "lamp":
            assert wired.panel.lamp_level(Lamp(place)) == 1.0
        elif kind == "display":
            assert wired.panel.display_row(Display(place)).strip() == "88.88"
        elif key == "buzzer":
            assert wired.panel.tone_hz() > 0
        else:
            assert wired.panel.tray_level() == 1.0
    wired.pass_ms(2_500)
    assert wired.panel.lamp_level(Lamp.LEFT) == 0.0
    assert wired.panel.tray_level() == 0.0
    assert wired.panel.display_row(Display.LEFT).strip() == ""


def test_what_is_not_wired_cannot_be_tried() -> None:
    wired = Wired(parts=frozenset({Part.BUTTON_LEFT, Part.LAMP_LEFT}))
    assert wired.tile("Right button").state == "not found"
    assert wired.laid.find(text="Left lamp").is_enabled
    assert not wired.laid.find(text="Right lamp").is_enabled
    assert wired.tile("Buzzer").state == "not found"


@pytest.mark.parametrize("size", SIZES)
def test_losing_the_panel_shows_at_once_and_so_does_its_return(size: tuple[int, int]) -> None:
    wired = Wired(size=size)
    wired.panel.lose()
    wired.laid.frames(3)
    assert wired.laid.has("The simulated panel is unplugged; still looking for it.")
    assert wired.tile("Left button").state == "does not answer"
    assert wired.laid.faults() == []
    wired.panel.regain()
    wired.laid.frames(3)
    assert not wired.laid.has("it keeps looking")
    assert wired.tile("Left button").state == "ready"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", ["en", "de"])
def test_devices_and_notices(size: tuple[int, int], language: str) -> None:
    wired = Wired(size=size, language=language, tab="devices")
    wired.panel.lose()
    wired.panel.regain()
    wired.laid.settle()
    expected = {
        "en": ("A simulated panel, for tests and demonstrations.", "The simulated panel works again."),
        "de": (
            "Ein simuliertes Bedienfeld für Tests und Vorführungen.",
            "Das simulierte Bedienfeld geht wieder.",
        ),
    }[language]
    for line in expected:
        assert wired.laid.has(line), line
    assert wired.laid.faults() == []


def test_the_camera_is_looked_for_tested_and_followed() -> None:
    wired = Wired(tab="devices")
    assert wired.tray.looks >= 1
    wired.laid.tap(wired.laid.find(text=i18n._("Test")))
    assert wired.tray.tested == ["/dev/video0"]
    wired.tray.state = "busy"
    for listener in wired.tray.listeners:
        listener()
    wired.laid.settle()
    assert wired.laid.has("It busy.")
    assert reading(wired.link, wired.tray).lead == "It busy."


def test_the_touch_test_opens_from_here() -> None:
    from companion.ui.corners import CornerTest

    wired = Wired()
    wired.laid.tap(wired.laid.find(text="Touch test"))
    assert isinstance(wired.laid.root.dialogs[-1], CornerTest)


def test_a_machine_without_any_panel_says_so_in_one_line_in_german_too() -> None:
    i18n.use_language("de")
    link = PanelLink(
        NullPanel(Say("This machine has no Raspberry Pi pins; use the on-screen buttons.")),
        MemoryDesk(),
        now_ns=lambda: 0,
        post=lambda call: call(),
    )
    devices = reading(link, NoCameras(), "devices")
    line = "Dieser Rechner hat keine Raspberry-Pi-Anschlüsse; nutze die Tasten auf dem Schirm."
    assert devices.sub("Anschlüsse") == line == reading(link, NoCameras()).lead
    assert devices.sub("Kamera") == "Keine Kamera ist angeschlossen; gib die Würfel von Hand ein."


def test_the_panel_tab_of_a_machine_without_one_says_why_and_asks_for_no_press() -> None:
    laid = harness.lay(MemoryDesk(), screen="home", size=(800, 480), language="en")
    laid.root.go("hardware")
    laid.settle()
    assert laid.has("No button panel; the on-screen buttons do everything.")
    assert not laid.has("Press the buttons")
    assert laid.faults() == []


def test_a_pin_that_is_taken_is_named_on_its_tile_and_in_its_line() -> None:
    """The real GPIO panel on pretended pins, one of which another program has."""
    from gpiozero import LED
    from gpiozero.pins.mock import MockFactory, MockPWMPin

    factory = MockFactory(pin_class=MockPWMPin)
    taken = LED(5, pin_factory=factory)
    panel = GpioPanel(default_pinmap(), factory)
    link = PanelLink(panel, MemoryDesk(), now_ns=lambda: 0, post=lambda call: call())
    link.start(ticking=False)
    try:
        view = reading(link, NoCameras())
    finally:
        link.close()
        taken.close()
    assert view.sub("Left lamp") == "does not answer"
    assert view.lead == "The panel on the GPIO pins works, except: The left lamp."


@pytest.mark.parametrize("size", SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
def test_a_plugged_in_box_is_paired_by_the_arbiters_pin_alone(size: tuple[int, int]) -> None:
    table = Wired(size=size, tab="devices", down=(Button.ARBITER,), guest="box-1 00000001")
    laid, desk = table.laid, table.laid.desk
    laid.tap(laid.find(text="Key: pair"))
    assert laid.has("Open the game first"), "no game, no arbiter"
    laid.root.drop_toast()
    desk.start(replace(sample_setup(), arbiter_hash="pin:0123456789abcdef"))
    laid.root.go("hardware", draft=HardwareDraft("devices"))
    laid.settle()
    for pin, is_paired in (("9999", False), ("1234", True)):
        laid.tap(laid.find(text="Key: pair"))
        for sign in pin:
            laid.tap(laid.find(text=sign))
        laid.tap(laid.find(text="Unlock"))
        assert table.link.devices()[0].is_paired is is_paired
        assert laid.has("Wrong PIN") is not is_paired
        if not is_paired:
            laid.root.dialogs[-1].close()
            laid.settle()
    assert laid.faults() == []
    laid.root.lock_arbiter()
    laid.tap(laid.find(text="Key: counts"))
    assert not table.link.devices()[0].is_paired, "that it counts no more needs no PIN"

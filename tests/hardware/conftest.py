"""Rigs: one way to press, look and unplug for every kind of panel, so that one contract test runs on all."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pty
import select
import sys
import threading
import time
import tty
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from hardware.edges import FilterSettings
from hardware.fake import FakePanel
from hardware.gpio import GpioPanel
from hardware.patterns import cells, level_at, tone_at
from hardware.pinmap import PinMap, default_pinmap
from hardware.ports import (
    Button,
    BuzzerPattern,
    Display,
    DisplayText,
    Lamp,
    LampPattern,
    LampStep,
    Panel,
    PanelEvent,
    PanelNotice,
    PanelState,
    PressEdge,
    Tone,
)
from hardware.serial_panel import SerialPanel

FIRMWARE = Path(__file__).parents[2] / "deploy" / "firmware"
QUICK = FilterSettings(quiet_ms=20)
PATIENCE_S = 8.0


def load_firmware(name: str) -> ModuleType:
    """Import a file of the firmware under CPython."""
    spec = importlib.util.spec_from_file_location(f"firmware_{name}", FIRMWARE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"firmware_{name}"] = module
    spec.loader.exec_module(module)
    return module


protocol = load_firmware("protocol")


class Listener:
    """Collects events and wakes whoever waits for one."""

    def __init__(self) -> None:
        self.events: list[PanelEvent] = []
        self.changed = threading.Condition()
        self.fail_next = 0

    def __call__(self, event: PanelEvent) -> None:
        with self.changed:
            self.events.append(event)
            self.changed.notify_all()
            if self.fail_next:
                self.fail_next -= 1
                raise ZeroDivisionError("the listener fails on purpose")

    @property
    def edges(self) -> list[PressEdge]:
        return [event for event in self.events if isinstance(event, PressEdge)]

    @property
    def presses(self) -> list[PressEdge]:
        return [edge for edge in self.edges if edge.pressed]

    @property
    def notices(self) -> list[PanelNotice]:
        return [event for event in self.events if isinstance(event, PanelNotice)]

    def kinds(self) -> list[str]:
        return [notice.kind.value for notice in self.notices]


class Rig:
    """What the contract needs of a rig; subclasses fill in the device."""

    name = "?"

    def __init__(self) -> None:
        self.listener = Listener()
        self.panel: Panel

    def start(self) -> None:
        self.panel.start(self.listener)
        self.wait_for(lambda: self.panel.status().state is PanelState.WORKING)
        self.settle()

    def settle(self) -> None:
        """Let the filter's quiet time pass."""
        self.let_pass_ms(QUICK.quiet_ms + 10)

    def let_pass_ms(self, ms: int) -> None:
        threading.Event().wait(ms / 1000)

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait until `condition` holds, for as long as is reasonable."""
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, f"{self.name}: waited too long; events {self.listener.events}"
            with self.listener.changed:
                self.listener.changed.wait(0.002)

    def now_ns(self) -> int:
        return time.monotonic_ns()

    def tolerance_ns(self) -> int:
        """How far a press's time may be off; ask before the press."""
        return 1_000  # the pin library counts seconds in floating point

    def contact(self, button: Button, closed: bool) -> None:
        raise NotImplementedError

    def train(self, *moves: tuple[Button, bool]) -> None:
        """Move contacts half a millisecond apart, however busy the machine is."""
        raise NotImplementedError

    def press(self, button: Button) -> None:
        count = len(self.listener.presses)
        self.contact(button, True)
        self.wait_for(lambda: len(self.listener.presses) > count)

    def release(self, button: Button) -> None:
        count = len(self.listener.edges)
        self.contact(button, False)
        self.wait_for(lambda: len(self.listener.edges) > count)

    def lamp_level(self, lamp: Lamp) -> float:
        raise NotImplementedError

    def display_row(self, display: Display) -> str:
        raise NotImplementedError

    def tone_hz(self) -> int:
        raise NotImplementedError

    def tray_level(self) -> float:
        raise NotImplementedError

    def lose(self) -> None:
        raise NotImplementedError

    def regain(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self.panel.close()


class FakeRig(Rig):
    name = "fake"

    def __init__(self, down: tuple[Button, ...] = ()) -> None:
        super().__init__()
        self.fake = FakePanel(down=down, settings=QUICK)
        self.panel = self.fake

    def let_pass_ms(self, ms: int) -> None:
        self.fake.advance_ms(ms)

    def wait_for(self, condition: Callable[[], bool]) -> None:
        for _ in range(5_000):
            if condition():
                return
            self.fake.advance_ms(1)
        raise AssertionError(f"never came true; events {self.listener.events}")

    def now_ns(self) -> int:
        return self.fake.at_ns

    def train(self, *moves: tuple[Button, bool]) -> None:
        for button, closed in moves:
            self.fake.raw(button, closed)
            self.fake.advance_ms(0.5)

    def contact(self, button: Button, closed: bool) -> None:
        self.fake.advance_ms(0.01)  # no two contacts move in the same nanosecond
        self.fake.raw(button, closed)

    def lamp_level(self, lamp: Lamp) -> float:
        return self.fake.lamp_level(lamp)

    def display_row(self, display: Display) -> str:
        return self.fake.display_row(display)

    def tone_hz(self) -> int:
        return self.fake.tone_hz()

    def tray_level(self) -> float:
        return self.fake.tray_level()

    def lose(self) -> None:
        self.fake.lose()

    def regain(self) -> None:
        self.fake.regain()


class MortalPin(MockPWMPin):
    """A pretended pin whose chip can be taken away."""

    def _check(self) -> None:
        if getattr(self.factory, "is_dead", False) and self.info.name != "GPIO9":  # SPI never answers anyway
            raise OSError(19, "No such device")

    def _get_state(self) -> Any:
        self._check()
        return super()._get_state()

    def _set_state(self, value: float) -> None:
        self._check()
        super()._set_state(value)

    def _set_function(self, value: str) -> None:
        self._check()
        super()._set_function(value)


class RigFactory(MockFactory):
    """Pretended pins of a Pi 4 where pins with PWM and pins of a pretended SPI chip stand side by side."""

    is_dead = False

    def __init__(self) -> None:
        super().__init__(revision="c03111", pin_class=MortalPin)

    def pin(self, name: Any, pin_class: Any = None, **kwargs: Any) -> Any:
        for _, info in self.board_info.find_pin(name):
            if info in self.pins:
                return self.pins[info]
        return super().pin(name, pin_class, **kwargs)


def wired_pinmap(**changes: Any) -> PinMap:
    """The shipped pin map with an arbiter's lamp and digits on a MAX7219, and a short quiet time."""
    from hardware.pinmap import DisplayPins, LampPin

    base = default_pinmap()
    return replace(
        base,
        lamps={**base.lamps, Lamp.ARBITER: LampPin(16, "high")},
        displays=DisplayPins("max7219", 4, 0.4),
        filter=QUICK,
        **changes,
    )


class Max7219Chip:
    """Listens on pretended SPI pins like the chip: sixteen bits a frame, taken when the select line rises."""

    def __init__(self, factory: MockFactory) -> None:
        from gpiozero.pins.mock import MockSPIDevice

        chip = self
        self.registers: dict[int, int] = {}

        class Device(MockSPIDevice):
            def on_bit(self) -> None:
                if len(self.rx_buf) == 16:
                    word = int("".join(str(int(bit)) for bit in self.rx_buf), 2)
                    chip.registers[word >> 8] = word & 0xFF

        self.device = Device(11, 10, select_pin=8, pin_factory=factory)

    def row(self) -> str:
        """What the eight digits show, leftmost first."""
        from hardware.digits import max7219_segments
        from hardware.patterns import _SEGMENTS

        if self.registers.get(0x0C) != 1:
            return ""
        shapes = {max7219_segments(character, False): character for character in reversed(_SEGMENTS)}
        out = ""
        for digit in range(8, 0, -1):
            bits = self.registers.get(digit, 0)
            out += shapes[bits & 0x7F] + ("." if bits & 0x80 else "")
        return out


class GpioRig(Rig):
    name = "gpio"

    def __init__(self, down: tuple[Button, ...] = (), pinmap: PinMap | None = None) -> None:
        super().__init__()
        self.pinmap = pinmap or wired_pinmap()
        self.factory = RigFactory()
        self.chip = Max7219Chip(self.factory) if self.pinmap.displays else None
        self._down = down
        self.panel = GpioPanel(self.pinmap, self.factory, look_every_ms=25, retry_every_ms=40)

    def start(self) -> None:
        for button in self._down:
            pin = self.factory.pin(self.pinmap.buttons[button].gpio)
            pin._set_pull = lambda _value: None  # held low by a finger: the pull-up does not lift it
            pin._pull = "up"
            pin._state = False
        super().start()

    def train(self, *moves: tuple[Button, bool]) -> None:
        assert isinstance(self.panel, GpioPanel)
        with self.panel.changed:  # the panel's thread sees all of it or nothing
            for button, closed in dict(moves).items():
                self.factory.pin(self.pinmap.buttons[button].gpio)._state = not closed
            first_s = time.monotonic() - 0.0005 * len(moves)
            for index, (button, closed) in enumerate(moves):
                self.panel._edge_seen(button, closed, first_s + 0.0005 * index)

    def contact(self, button: Button, closed: bool) -> None:
        pin = self.factory.pin(self.pinmap.buttons[button].gpio)
        if closed:
            pin.drive_low()
        else:
            pin.drive_high()

    def lamp_level(self, lamp: Lamp) -> float:
        return float(self.factory.pin(self.pinmap.lamps[lamp].gpio)._state)

    def display_row(self, display: Display) -> str:
        assert self.chip is not None
        cells_of: list[str] = []
        for character in self.chip.row():
            if character == ".":
                cells_of[-1] += "."
            else:
                cells_of.append(character)
        half = len(cells_of) // 2
        return "".join(cells_of[:half] if display is Display.LEFT else cells_of[half:])

    def tone_hz(self) -> int:
        assert self.pinmap.buzzer is not None
        pin = self.factory.pin(self.pinmap.buzzer.gpio)
        return int(pin._frequency or 0) if pin._state else 0

    def tray_level(self) -> float:
        assert self.pinmap.tray_light is not None
        return float(self.factory.pin(self.pinmap.tray_light.gpio)._state)

    def lose(self) -> None:
        self.factory.is_dead = True

    def regain(self) -> None:
        self.factory.is_dead = False


class BoxOutputs:
    """What the pretended box shows, in place of pins."""

    def __init__(self) -> None:
        self.lamps: dict[int, tuple[bool, list[tuple[int, int]], int]] = {}
        self.displays: dict[int, str] = {}
        self.tones: tuple[list[tuple[int, int]], int] = ([], 0)
        self.level = 0
        self.is_dark = True

    def lamp(self, index: int, repeat: bool, steps: list[tuple[int, int]]) -> None:
        self.is_dark = False
        self.lamps[index] = (repeat, steps, time.monotonic_ns())

    def display(self, index: int, text: str) -> None:
        self.is_dark = False
        self.displays[index] = text

    def buzz(self, tones: list[tuple[int, int]]) -> None:
        self.tones = (tones, time.monotonic_ns())

    def tray(self, level: int) -> None:
        self.is_dark = False
        self.level = level

    def dark(self) -> None:
        self.is_dark = True
        self.lamps.clear()
        self.displays.clear()
        self.level = 0
        self.tones = ([], 0)


class PtyBox:
    """A box at the other end of a pseudo-terminal: the firmware's own protocol, with its own clock."""

    def __init__(
        self,
        folder: Path,
        name: str = "box-1",
        skew_us: int = 7_000_000,
        levels: int = 0,
        path: Path | None = None,
    ) -> None:
        self.path = path or folder / f"tty-{name}"
        self.name = name
        self.outputs = BoxOutputs()
        self.lock = threading.Lock()
        self._skew_us = skew_us
        self._boot = 0
        self.levels = levels
        self.hold_output = False
        self.garble: Callable[[bytes], bytes] | None = None
        self.plug()

    def us(self) -> int:
        return time.monotonic_ns() // 1000 - self._t0_us + self._skew_us

    def plug(self) -> None:
        """Power the box: a new boot, a new terminal under the same path."""
        self._t0_us = time.monotonic_ns() // 1000
        self._boot += 1
        self.box = protocol.Box(self.outputs, self.name, self._boot, 0x7FF, self.levels)
        self._master, slave = pty.openpty()
        tty.setraw(slave)
        tty.setraw(self._master)
        self._slave = slave
        link = self.path.with_suffix(".new")
        link.symlink_to(os.ttyname(slave))
        link.replace(self.path)
        self._stop, self._stopper = os.pipe()
        self._running = True
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def unplug(self) -> None:
        """Pull the cable: terminal gone, power gone."""
        if not self._running:
            return
        self._running = False
        os.write(self._stopper, b"x")
        self._thread.join()
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()
        for handle in (self._slave, self._master, self._stop, self._stopper):
            os.close(handle)
        self.outputs.dark()

    def edge(self, button: Button, closed: bool) -> None:
        with self.lock:
            self.move(button, closed, self.us())
        if self._running:
            os.write(self._stopper, b"w")

    def move(self, button: Button, closed: bool, us: int) -> None:
        """Note one edge; the caller holds the lock."""
        index = list(Button).index(button)
        bit = 1 << index
        self.levels = self.levels | bit if closed else self.levels & ~bit
        if self._running:
            self.box.edge(index, closed, us)

    def say(self, data: bytes) -> None:
        """Put raw bytes on the line, as a fault would."""
        os.write(self._master, data)

    def _run(self) -> None:
        while self._running:
            with self.lock:
                self.box.poll(self.us())
                out = b"" if self.hold_output else self.box.take_output()
            if out:
                if self.garble is not None:
                    out = self.garble(out)
                with contextlib.suppress(OSError):
                    os.write(self._master, out)
            ready, _, _ = select.select([self._master, self._stop], [], [], 0.002)
            if self._stop in ready:
                os.read(self._stop, 1)
            if self._master in ready:
                try:
                    data = os.read(self._master, 4096)
                except OSError:
                    data = b""
                with self.lock:
                    self.box.feed(data, self.us())


class SerialRig(Rig):
    name = "serial"

    def __init__(self, folder: Path, down: tuple[Button, ...] = ()) -> None:
        super().__init__()
        levels = sum(1 << list(Button).index(button) for button in down)
        self.box = PtyBox(folder, levels=levels)
        self.panel = SerialPanel(candidates=lambda: (str(self.box.path),), settings=QUICK)

    def tolerance_ns(self) -> int:
        """What the box's clock is known by, on a busy machine as on a quiet one, and a millisecond for the wire."""
        clock = self.panel._link.clock
        self.wait_for(lambda: clock.is_set)
        bound_ns = clock.uncertainty_ns(self.now_ns())
        assert bound_ns is not None
        return bound_ns + 1_000_000

    def train(self, *moves: tuple[Button, bool]) -> None:
        with self.box.lock:
            first_us = self.box.us()
            for index, (button, closed) in enumerate(moves):
                self.box.move(button, closed, first_us + 500 * index)

    def contact(self, button: Button, closed: bool) -> None:
        self.box.edge(button, closed)

    def lamp_level(self, lamp: Lamp) -> float:
        shown = self.box.outputs.lamps.get(list(Lamp).index(lamp))
        if shown is None:
            return 0.0
        repeat, steps, since_ns = shown
        pattern = LampPattern(tuple(LampStep(level / 255, ms) for level, ms in steps), repeat)
        return level_at(pattern, (time.monotonic_ns() - since_ns) // 1_000_000)

    def display_row(self, display: Display) -> str:
        if self.box.outputs.is_dark:
            return ""
        text = DisplayText(self.box.outputs.displays.get(list(Display).index(display), ""))
        return "".join(character + ("." if point else "") for character, point in cells(text, 4))

    def tone_hz(self) -> int:
        tones, since_ns = self.box.outputs.tones
        pattern = BuzzerPattern(tuple(Tone(hz, ms) for hz, ms in tones))
        return tone_at(pattern, (time.monotonic_ns() - since_ns) // 1_000_000)[0]

    def tray_level(self) -> float:
        return self.box.outputs.level / 255

    def lose(self) -> None:
        self.box.unplug()

    def regain(self) -> None:
        self.box.plug()

    def close(self) -> None:
        super().close()
        self.box.unplug()


@pytest.fixture(params=["fake", "gpio", "serial"])
def rig_of(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Rig]]:
    """Makes a rig of each kind; ``rig_of(down=(Button.LEFT,))`` has buttons down before the start."""
    made: list[Rig] = []

    def make(down: tuple[Button, ...] = ()) -> Rig:
        rig: Rig
        if request.param == "fake":
            rig = FakeRig(down)
        elif request.param == "gpio":
            rig = GpioRig(down)
        else:
            rig = SerialRig(tmp_path, down)
        made.append(rig)
        rig.start()
        return rig

    yield make
    for rig in made:
        rig.close()


@pytest.fixture
def rig(rig_of: Callable[..., Rig]) -> Rig:
    """A started rig with nothing pressed."""
    return rig_of()


@pytest.fixture
def gpio_rig() -> Iterator[GpioRig]:
    """A started GPIO rig."""
    rig = GpioRig()
    rig.start()
    yield rig
    rig.close()


@pytest.fixture
def serial_rig(tmp_path: Path) -> Iterator[SerialRig]:
    """A started serial rig."""
    rig = SerialRig(tmp_path)
    rig.start()
    yield rig
    rig.close()


@pytest.fixture(scope="session")
def firmware() -> ModuleType:
    """The firmware's protocol module."""
    return protocol


@pytest.fixture
def kit() -> ModuleType:
    """This module, for tests that build their own rigs."""
    return sys.modules[__name__]

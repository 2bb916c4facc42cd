"""Single devices on pins: open, put a value, check, close. Private to the GPIO panel.

Each raises what gpiozero and the pin library raise; the panel turns that into a notice and tries again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, Protocol

from hardware.digits import Digits, open_digits
from hardware.pinmap import ButtonPin, BuzzerPin, DisplayPins, LampPin, TrayLightPin
from hardware.ports import Button, Part

__all__ = ["ButtonDevice", "BuzzerDevice", "DigitsDevice", "LampDevice", "PinDevice", "TrayDevice"]

LAMP_PWM_HZ = 200
"""High enough not to flicker in the corner of an eye, low enough for software PWM."""


class PinDevice(Protocol):
    """What the panel needs of a device."""

    gpios: tuple[int, ...]
    can_answer: bool
    """False where the device gives no sign of life."""

    def open(self) -> None:
        """Claim the pins."""

    def put(self, value: Any) -> None:
        """Bring an output to a value; the same value again costs nothing."""

    def check(self) -> None:
        """Raise where the device is gone."""

    def renew(self) -> None:
        """Ask for edges anew."""

    def close(self) -> None:
        """Release the pins; safe when not open."""


class _Device:
    """Common parts; a device keeps its gpiozero object in `_device`."""

    can_answer = True

    def __init__(self, gpios: tuple[int, ...], factory: Any) -> None:
        self.gpios = gpios
        self.factory = factory
        self._device: Any = None
        self._last: Any = None

    def put(self, value: Any) -> None:
        """Ignore values: inputs have none."""

    def check(self) -> None:
        """Read the pin, which raises where it is gone."""
        if self._device is not None:
            _ = self._device.pin.state

    def renew(self) -> None:
        """Do nothing: outputs have no edges."""

    def close(self) -> None:
        """Release the pins; safe when not open."""
        device, self._device, self._last = self._device, None, None
        if device is None:
            return
        try:
            device.close()
        except Exception:
            # The pin is gone. gpiozero would keep it reserved and try to close it again at every chance.
            with contextlib.suppress(Exception):
                device.pin_factory.release_pins(device, device.pin.info.name)
            device._pin = None

    def probe(self) -> None:
        """Raise where the pin does not answer, before gpiozero builds half a device on it."""
        for gpio in self.gpios:
            _ = self.factory.pin(gpio).state


class ButtonDevice(_Device):
    """A button or key switch; hands every edge to `seen` with its time."""

    def __init__(
        self,
        button: Button,
        pin: ButtonPin,
        factory: Any,
        seen: Callable[[Button, bool, float | None], None],
    ) -> None:
        super().__init__((pin.gpio,), factory)
        self.button = button
        self._pin = pin
        self._seen = seen

    def open(self) -> None:
        """Claim the pin, set its pull and ask for edges."""
        from gpiozero import InputDevice

        self.probe()
        pull_up = {"up": True, "down": False, "none": None}[self._pin.pull]
        active = None if pull_up is not None else self._pin.pressed == "high"
        self._device = InputDevice(
            self._pin.gpio, pull_up=pull_up, active_state=active, pin_factory=self.factory
        )
        self._listen()

    def _listen(self) -> None:
        pin = self._device.pin
        pin.bounce = None
        pin.edges = "both"
        pin.when_changed = self._changed  # kept weakly by gpiozero; bound to self, which the panel holds

    def _changed(self, ticks: float | None, level: int) -> None:
        with contextlib.suppress(Exception):  # an exception would end the pin library's thread for every pin
            if level in (0, 1):  # lgpio reports 2 for its own watchdog
                self._seen(self.button, self._closed_at(bool(level)), ticks)

    def _closed_at(self, high: bool) -> bool:
        return high == (self._pin.pressed == "high")

    def is_closed(self) -> bool:
        """Read the contact now."""
        return self._closed_at(bool(self._device.pin.state))

    def renew(self) -> None:
        """Ask for edges anew."""
        self._device.pin.when_changed = None
        self._listen()


class _PwmDevice(_Device):
    """An output with brightness."""

    def __init__(self, gpio: int, active_high: bool, hz: int, factory: Any) -> None:
        super().__init__((gpio,), factory)
        self._high = active_high
        self._hz = hz

    def open(self) -> None:
        """Claim the pin, dark."""
        from gpiozero import PWMOutputDevice

        self.probe()
        self._device = PWMOutputDevice(
            self.gpios[0],
            active_high=self._high,
            initial_value=0,
            frequency=self._hz,
            pin_factory=self.factory,
        )

    def put(self, value: float) -> None:
        """Set the brightness, 0.0 to 1.0."""
        if value != self._last:
            self._device.value = value
            self._last = value


class LampDevice(_PwmDevice):
    """A lamp."""

    def __init__(self, part: Part, pin: LampPin, factory: Any) -> None:
        super().__init__(pin.gpio, pin.on == "high", LAMP_PWM_HZ, factory)
        self.part = part


class TrayDevice(_PwmDevice):
    """The light over the dice tray."""

    def __init__(self, pin: TrayLightPin, factory: Any) -> None:
        super().__init__(pin.gpio, pin.on == "high", pin.pwm_hz, factory)


class BuzzerDevice(_Device):
    """A passive buzzer (given its tone by PWM) or an active one (on while any tone is due)."""

    def __init__(self, pin: BuzzerPin, factory: Any) -> None:
        super().__init__((pin.gpio,), factory)
        self._passive = pin.kind == "passive"

    def open(self) -> None:
        """Claim the pin, silent."""
        from gpiozero import DigitalOutputDevice, PWMOutputDevice

        self.probe()
        if self._passive:
            self._device = PWMOutputDevice(
                self.gpios[0], initial_value=0, frequency=440, pin_factory=self.factory
            )
        else:
            self._device = DigitalOutputDevice(self.gpios[0], pin_factory=self.factory)

    def put(self, value: int) -> None:
        """Sound a frequency in Hz; 0 is silence."""
        if value == self._last:
            return
        if self._passive and value:
            self._device.frequency = value
            self._device.value = 0.5
        else:
            self._device.value = 1 if value else 0
        self._last = value


class DigitsDevice(_Device):
    """The row of digits of both sides."""

    can_answer = False

    def __init__(self, pins: DisplayPins, factory: Any) -> None:
        super().__init__(pins.gpios, factory)
        self._pins = pins
        self._row: Digits | None = None

    def open(self) -> None:
        """Claim the pins and wake the digits."""
        self._row = open_digits(self._pins, self.factory)

    def put(self, value: Any) -> None:
        """Show a row of cells."""
        if value != self._last and self._row is not None:
            self._row.show(value)
            self._last = value

    def check(self) -> None:
        """Do nothing: the digits never answer, and a failed write is found when it happens."""

    def close(self) -> None:
        """Turn the digits off and release the pins; safe when not open."""
        row, self._row, self._last = self._row, None, None
        if row is not None:
            row.close()

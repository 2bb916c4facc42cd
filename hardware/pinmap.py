"""The pin map: one TOML file, checked whole, turned into frozen values.

Every fault of a file is told at once, each with file, key, what was expected, what was found and what to do.
Whether a pin is free on the machine at hand is not checked here: that shows when a panel opens it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any

from companion.core.plaintext import NoTextError, has_long_key, text_of
from hardware.edges import FilterSettings
from hardware.errors import PinMapError
from hardware.ports import Button, Lamp, Part, part_of

__all__ = [
    "BuzzerPin",
    "ButtonPin",
    "DisplayPins",
    "LampPin",
    "PinMap",
    "TrayLightPin",
    "default_pinmap",
    "load_pinmap",
    "parse_pinmap",
]

HEADER_GPIOS = frozenset(range(2, 28))
"""GPIO numbers that the 40-pin header brings out, but for the two of the HAT's own memory chip."""
MAX7219_GPIOS = {0: (8, 9, 10, 11), 1: (7, 9, 10, 11)}
"""Pins that SPI port 0 takes, by select line; 9 brings data back, which the chip has none of."""
MOST_BYTES = 1_000_000
"""A larger file is no pin map."""


@dataclass(frozen=True, slots=True)
class ButtonPin:
    """Where a button is wired."""

    gpio: int
    pull: str
    """``up``, ``down`` or ``none``."""
    pressed: str
    """``low`` or ``high``: the level while pressed."""


@dataclass(frozen=True, slots=True)
class LampPin:
    """Where a lamp is wired."""

    gpio: int
    on: str
    """``low`` or ``high``: the level that lights it."""


@dataclass(frozen=True, slots=True)
class BuzzerPin:
    """Where the buzzer is wired."""

    gpio: int
    kind: str
    """``passive`` (the pin gives the tone) or ``active`` (on or off)."""


@dataclass(frozen=True, slots=True)
class TrayLightPin:
    """Where the tray light is wired."""

    gpio: int
    on: str
    pwm_hz: int


@dataclass(frozen=True, slots=True)
class DisplayPins:
    """How the seven-segment digits are driven."""

    driver: str
    """``max7219`` or ``direct``."""
    digits_per_side: int
    brightness: float
    """0.0 to 1.0; the direct driver has none and does not read it."""
    spi_port: int = 0
    spi_device: int = 0
    segments: tuple[int, ...] = ()
    digits: tuple[int, ...] = ()
    active_high: bool = True

    @property
    def gpios(self) -> tuple[int, ...]:
        """The pins it takes."""
        if self.driver == "max7219":
            return MAX7219_GPIOS[self.spi_device]
        return self.segments + self.digits


@dataclass(frozen=True, slots=True)
class PinMap:
    """The whole box as wired. A part that is missing here is absent."""

    source: str
    """Where it was read, for messages."""
    buttons: Mapping[Button, ButtonPin]
    lamps: Mapping[Lamp, LampPin]
    buzzer: BuzzerPin | None
    tray_light: TrayLightPin | None
    displays: DisplayPins | None
    filter: FilterSettings
    serial_port: str | None
    """``auto``, a path, or None for never."""

    @property
    def parts(self) -> frozenset[Part]:
        """The parts that are wired."""
        found = {part_of(button) for button in self.buttons} | {part_of(lamp) for lamp in self.lamps}
        if self.buzzer:
            found.add(Part.BUZZER)
        if self.tray_light:
            found.add(Part.TRAY_LIGHT)
        if self.displays:
            found |= {Part.DISPLAY_LEFT, Part.DISPLAY_RIGHT}
        return frozenset(found)


def default_pinmap() -> PinMap:
    """Read the pin map that ships with the package."""
    text = resources.files("hardware").joinpath("pinmap.toml").read_text(encoding="utf-8")
    return parse_pinmap(text, "hardware/pinmap.toml")


def load_pinmap(path: Path | None = None) -> PinMap:
    """Read a pin map file, or the shipped one where `path` is None.

    Raises:
        PinMapError: The file is missing, not TOML, or wrong; the text has one line for every fault.
    """
    if path is None:
        return default_pinmap()
    try:
        if path.exists() and not path.is_file():
            raise OSError("it is not a file")  # a pipe would wait for its writer, for ever
        if path.stat().st_size > MOST_BYTES:
            raise OSError(f"it has more than {MOST_BYTES // 1000} kB")
        text = text_of(path.read_bytes())
    except NoTextError as error:
        raise PinMapError(
            f"{path}, line {error.line}: not saved as UTF-8; save it so with your editor"
        ) from error
    except OSError as error:
        raise PinMapError(
            f"{path}: cannot be read ({error}); copy hardware/pinmap.toml there and edit the copy"
        ) from error
    return parse_pinmap(text, str(path))


def parse_pinmap(text: str, source: str) -> PinMap:
    """Turn the text of a pin map into values; `source` names it in messages. Raises PinMapError."""
    try:
        return _parsed(text, source)
    except RecursionError as error:
        raise PinMapError(f"{source}: nested too deeply; compare it with hardware/pinmap.toml") from error


def _parsed(text: str, source: str) -> PinMap:
    try:
        if has_long_key(text):
            raise RecursionError("a key with dots without end")
        data = tomllib.loads(text)
    except ValueError as error:
        why = error if isinstance(error, tomllib.TOMLDecodeError) else "a number has too many digits"
        raise PinMapError(
            f"{source}: not a TOML file ({why}); compare it with hardware/pinmap.toml"
        ) from error
    reader = _Reader(source)
    pinmap = reader.read(data)
    if reader.faults:
        raise PinMapError("\n".join(reader.faults))
    return pinmap


class _Reader:
    """Reads one file and collects its faults instead of stopping at the first."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.faults: list[str] = []
        self.used: dict[int, str] = {}

    def fault(self, key: str, expected: str, got: object, then: str) -> None:
        self.faults.append(f"{self.source}: {key}: expected {expected}, got {got!r}; {then}")

    def read(self, data: Mapping[str, Any]) -> PinMap:
        known = {"version", "buttons", "lamps", "buzzer", "tray_light", "displays", "filter", "serial"}
        self.no_strangers("", data, known)
        if data.get("version") != 1:
            self.fault("version", "1", data.get("version"), "use a pin map made for this version")
        buttons = {}
        table = self.entry(data, "", "buttons", {button.value for button in Button})
        for button in Button:
            entry = self.entry(table, "buttons", button.value, {"gpio", "pull", "pressed"})
            gpio = self.gpio(entry, f"buttons.{button.value}.gpio")
            pull = self.choice(entry, f"buttons.{button.value}.pull", ("up", "down", "none"))
            pressed = self.choice(entry, f"buttons.{button.value}.pressed", ("low", "high"))
            if gpio is not None:
                buttons[button] = ButtonPin(gpio, pull, pressed)
        lamps = {}
        table = self.entry(data, "", "lamps", {lamp.value for lamp in Lamp})
        for lamp in Lamp:
            entry = self.entry(table, "lamps", lamp.value, {"gpio", "on"})
            gpio = self.gpio(entry, f"lamps.{lamp.value}.gpio")
            on = self.choice(entry, f"lamps.{lamp.value}.on", ("high", "low"))
            if gpio is not None:
                lamps[lamp] = LampPin(gpio, on)
        return PinMap(
            source=self.source,
            buttons=buttons,
            lamps=lamps,
            buzzer=self.buzzer(data),
            tray_light=self.tray_light(data),
            displays=self.displays(data),
            filter=self.filter(data),
            serial_port=self.serial(data),
        )

    def buzzer(self, data: Mapping[str, Any]) -> BuzzerPin | None:
        entry = self.entry(data, "", "buzzer", {"gpio", "kind"})
        gpio = self.gpio(entry, "buzzer.gpio")
        kind = self.choice(entry, "buzzer.kind", ("passive", "active"))
        return None if gpio is None else BuzzerPin(gpio, kind)

    def tray_light(self, data: Mapping[str, Any]) -> TrayLightPin | None:
        entry = self.entry(data, "", "tray_light", {"gpio", "on", "pwm_hz"})
        gpio = self.gpio(entry, "tray_light.gpio")
        on = self.choice(entry, "tray_light.on", ("high", "low"))
        hz = self.whole(entry, "tray_light.pwm_hz", 50, 10_000, 500)
        return None if gpio is None else TrayLightPin(gpio, on, hz)

    def displays(self, data: Mapping[str, Any]) -> DisplayPins | None:
        keys = {"driver", "digits_per_side", "brightness", "max7219", "direct"}
        entry = self.entry(data, "", "displays", keys)
        driver = self.choice(entry, "displays.driver", ("none", "max7219", "direct"))
        digits = self.whole(entry, "displays.digits_per_side", 2, 8, 4)
        brightness = entry.get("brightness", 0.4)
        if (
            isinstance(brightness, bool)
            or not isinstance(brightness, int | float)
            or not 0 <= brightness <= 1
        ):
            self.fault("displays.brightness", "0.0 to 1.0", brightness, "write 0.4 for a dim room")
            brightness = 0.4
        spi = self.entry(entry, "displays", "max7219", {"spi_port", "spi_device"})
        port = self.whole(spi, "displays.max7219.spi_port", 0, 0, 0)
        device = self.whole(spi, "displays.max7219.spi_device", 0, 1, 0)
        direct = self.entry(entry, "displays", "direct", {"segments", "digits", "active_high"})
        segments = self.gpios(direct, "displays.direct.segments", driver == "direct")
        chosen = self.gpios(direct, "displays.direct.digits", driver == "direct")
        high = direct.get("active_high", True)
        if not isinstance(high, bool):
            self.fault("displays.direct.active_high", "true or false", high, "true for common cathode")
            high = True
        if driver == "none":
            return None
        if driver == "max7219":
            for gpio in MAX7219_GPIOS[device]:
                self.claim(gpio, "displays.max7219")
        else:
            if len(segments) != 8:
                self.fault(
                    "displays.direct.segments", "8 pins", len(segments), "list a b c d e f g and the point"
                )
            if len(chosen) != 2 * digits:
                self.fault(
                    "displays.direct.digits",
                    f"{2 * digits} pins",
                    len(chosen),
                    "list the left half, then the right",
                )
        return DisplayPins(driver, digits, float(brightness), port, device, segments, chosen, high)

    def filter(self, data: Mapping[str, Any]) -> FilterSettings:
        names = [field.name for field in fields(FilterSettings) if field.name.endswith("_ms")]
        entry = self.entry(data, "", "filter", set(names))
        base = FilterSettings()
        values: dict[str, Any] = {
            name: self.whole(entry, f"filter.{name}", 1, 60_000, getattr(base, name)) for name in names
        }
        settings = replace(base, **values)
        if not settings.press_ms <= settings.gap_ms <= settings.release_ms <= settings.max_bounce_ms:
            self.fault(
                "filter",
                "press_ms <= gap_ms <= release_ms <= max_bounce_ms",
                tuple(values.values())[:4],
                "leave the whole table out to get the tested times",
            )
        return settings

    def serial(self, data: Mapping[str, Any]) -> str | None:
        entry = self.entry(data, "", "serial", {"port"})
        port = entry.get("port", "auto")
        if not isinstance(port, str) or not (port in ("auto", "none") or port.startswith("/")):
            self.fault("serial.port", '"auto", "none" or a path', port, "look under /dev/serial/by-id/")
            return None
        return None if port == "none" else port

    def entry(self, data: Mapping[str, Any], parent: str, key: str, known: set[str]) -> Mapping[str, Any]:
        name = f"{parent}.{key}" if parent else key
        entry = data.get(key, {})
        if not isinstance(entry, dict):
            self.fault(name, "a table", entry, f"write it as [{name}]")
            return {}
        self.no_strangers(name, entry, known)
        return entry

    def no_strangers(self, name: str, entry: Mapping[str, Any], known: set[str]) -> None:
        for key in sorted(set(entry) - known):
            full = f"{name}.{key}" if name else key
            self.fault(full, f"one of {', '.join(sorted(known))}", key, "correct the spelling or remove it")

    def gpio(self, entry: Mapping[str, Any], key: str) -> int | None:
        value = entry.get("gpio", "none")
        if value == "none":
            return None
        return self.claim(value, key)

    def gpios(self, entry: Mapping[str, Any], key: str, claim: bool) -> tuple[int, ...]:
        values = entry.get(key.rsplit(".", 1)[1], [])
        if not isinstance(values, list):
            self.fault(key, "a list of GPIO numbers", values, "write [] for none")
            return ()
        if not claim:
            return ()
        return tuple(gpio for value in values if (gpio := self.claim(value, key)) is not None)

    def claim(self, value: object, key: str) -> int | None:
        if isinstance(value, bool) or not isinstance(value, int) or value not in HEADER_GPIOS:
            self.fault(
                key, 'a GPIO number from 2 to 27 or "none"', value, "see the table in deploy/WIRING.md"
            )
            return None
        if value in self.used:
            self.fault(key, "a free pin", value, f"GPIO {value} is already taken by {self.used[value]}")
            return None
        self.used[value] = key
        return value

    def choice(self, entry: Mapping[str, Any], key: str, allowed: tuple[str, ...]) -> str:
        value = entry.get(key.rsplit(".", 1)[1], allowed[0])
        if value not in allowed:
            self.fault(key, " or ".join(f'"{one}"' for one in allowed), value, "correct the spelling")
            return allowed[0]
        return str(value)

    def whole(self, entry: Mapping[str, Any], key: str, low: int, high: int, default: int) -> int:
        value = entry.get(key.rsplit(".", 1)[1], default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.fault(key, f"a whole number from {low} to {high}", value, f"write {default} if unsure")
            return default
        return value

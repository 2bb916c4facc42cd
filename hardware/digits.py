"""Seven-segment digits on the Pi: a MAX7219 on SPI or bare pins, both through gpiozero.

The MAX7219 is spoken to directly (sixteen-bit writes over gpiozero's SPI): it needs no further library, and
works wherever the chosen pin factory works, the Pi 5 included.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any, Protocol

from hardware.patterns import segment_bits
from hardware.pinmap import DisplayPins

__all__ = ["Digits", "DirectDigits", "Max7219Digits", "max7219_segments", "open_digits"]

Cells = tuple[tuple[str, bool], ...]

_DECODE, _INTENSITY, _SCAN_LIMIT, _SHUTDOWN, _TEST = 0x09, 0x0A, 0x0B, 0x0C, 0x0F


class Digits(Protocol):
    """One row of digits, left side first."""

    def show(self, row: Cells) -> None:
        """Show characters and points, leftmost first; as many cells as both sides have digits."""

    def close(self) -> None:
        """Turn the digits off and release the pins."""


@contextlib.contextmanager
def _default_factory(factory: Any) -> Iterator[None]:
    """Make `factory` gpiozero's default for a moment: software SPI and composite devices forget their own."""
    from gpiozero import Device

    before, Device.pin_factory = Device.pin_factory, factory
    try:
        yield
    finally:
        Device.pin_factory = before


def max7219_segments(character: str, point: bool) -> int:
    """Segments as the MAX7219 wants them undecoded: bit 7 the point, bit 6 a, down to bit 0 g."""
    bits = segment_bits(character, point)
    turned = 0
    for index in range(7):
        if bits & (1 << index):
            turned |= 1 << (6 - index)
    return turned | (bits & 0x80)


class Max7219Digits:
    """MAX7219 modules in a chain; digit 1 of each is its rightmost, and the first module shows the left."""

    def __init__(self, pins: DisplayPins, factory: Any) -> None:
        from gpiozero import SPIDevice, SPISoftwareFallback

        self._modules = -(-2 * pins.digits_per_side // 8)
        with _default_factory(factory), warnings.catch_warnings():
            warnings.simplefilter("ignore", SPISoftwareFallback)  # slower, and quick enough for digits
            self._device = SPIDevice(port=pins.spi_port, device=pins.spi_device, pin_factory=factory)
        self._spi = (
            self._device._spi
        )  # gpiozero's own devices use it so; there is no public way to write words
        for register, value in (
            (_TEST, 0),
            (_SCAN_LIMIT, 7),
            (_DECODE, 0),
            (_INTENSITY, round(pins.brightness * 15)),
            (_SHUTDOWN, 1),
        ):
            self._write(register, [value] * self._modules)

    def _write(self, register: int, values: list[int]) -> None:
        words: list[int] = []
        for value in reversed(values):  # the first word ends up in the last module of the chain
            words += [register, value]
        self._spi.write(words)

    def show(self, row: Cells) -> None:
        """Show characters and points, leftmost first."""
        padded = row + ((" ", False),) * (8 * self._modules - len(row))
        for position in range(8):
            values = [max7219_segments(*padded[8 * module + position]) for module in range(self._modules)]
            self._write(8 - position, values)

    def close(self) -> None:
        """Turn the digits off and release the pins."""
        try:
            self._write(_SHUTDOWN, [0] * self._modules)
        finally:
            self._device.close()


class DirectDigits:
    """Digits on bare pins, multiplexed by gpiozero's own thread (3.5 % of a core while characters differ)."""

    def __init__(self, pins: DisplayPins, factory: Any) -> None:
        from gpiozero import LEDCharDisplay, LEDCharFont, LEDMultiCharDisplay

        font = LEDCharFont(
            {
                character: tuple(
                    int(bool(segment_bits(character, False) & (1 << index))) for index in range(7)
                )
                for character in "0123456789 -_AbCdEFGHhIiJLlnNoOPqrStuUyY="
            }
        )
        *segments, point = pins.segments
        with _default_factory(factory):
            self._char = LEDCharDisplay(
                *segments, dp=point, font=font, active_high=pins.active_high, pin_factory=factory
            )
            self._row = LEDMultiCharDisplay(self._char, *pins.digits, pin_factory=factory)

    def show(self, row: Cells) -> None:
        """Show characters and points, leftmost first."""
        self._row.value = tuple(character + ("." if point else "") for character, point in row)

    def close(self) -> None:
        """Turn the digits off and release the pins."""
        self._row.close()
        self._char.close()


def open_digits(pins: DisplayPins, factory: Any) -> Digits:
    """Open the digits that the pin map asks for; raises what gpiozero raises."""
    if pins.driver == "max7219":
        return Max7219Digits(pins, factory)
    return DirectDigits(pins, factory)

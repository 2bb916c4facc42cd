"""The wiring of a pin map as a table and as a picture, so that neither can disagree with the file."""

from __future__ import annotations

from collections.abc import Iterable

from hardware.pinmap import PinMap

__all__ = ["HEADER_PINS", "svg", "table", "wires"]

HEADER_PINS: tuple[str, ...] = (
    "3V3", "5V", "GPIO2", "5V", "GPIO3", "GND", "GPIO4", "GPIO14", "GND", "GPIO15",
    "GPIO17", "GPIO18", "GPIO27", "GND", "GPIO22", "GPIO23", "3V3", "GPIO24", "GPIO10", "GND",
    "GPIO9", "GPIO25", "GPIO11", "GPIO8", "GND", "GPIO7", "ID_SD", "ID_SC", "GPIO5", "GND",
    "GPIO6", "GPIO12", "GPIO13", "GND", "GPIO19", "GPIO16", "GPIO26", "GPIO20", "GND", "GPIO21",
)  # fmt: skip
"""What each pin of the 40-pin header is, pin 1 first."""


def wires(pinmap: PinMap) -> list[tuple[int, int, str, str]]:
    """Every wire: header pin, GPIO number, what it is for, and how it is connected; by header pin."""
    found: list[tuple[int, str, str]] = []
    for button, pin in pinmap.buttons.items():
        name = "arbiter's key switch" if button.value == "arbiter" else f"{button.value} button"
        other = "GND" if pin.pressed == "low" else "3V3"
        pull = {"up": "pull-up of the pin", "down": "pull-down of the pin", "none": "your own resistor"}
        found.append((pin.gpio, name, f"contact to {other}; {pull[pin.pull]}"))
    for lamp, lamp_pin in pinmap.lamps.items():
        how = "330 ohm and LED to GND" if lamp_pin.on == "high" else "330 ohm and LED to 3V3"
        found.append((lamp_pin.gpio, f"{lamp.value} lamp", f"{how}, or a MOSFET's gate"))
    if pinmap.buzzer:
        found.append(
            (pinmap.buzzer.gpio, f"buzzer ({pinmap.buzzer.kind})", "1 kilohm to the transistor's base")
        )
    if pinmap.tray_light:
        found.append((pinmap.tray_light.gpio, "tray light", "gate of a logic-level MOSFET, 10 kilohm to GND"))
    if pinmap.displays and pinmap.displays.driver == "max7219":
        select, _, data, clock = pinmap.displays.gpios
        for gpio, name in ((data, "digits DIN"), (clock, "digits CLK"), (select, "digits CS/LOAD")):
            found.append((gpio, name, "MAX7219 module, powered from 5V and GND"))
    elif pinmap.displays:
        for letter, gpio in zip("abcdefgp", pinmap.displays.segments, strict=True):
            found.append(
                (gpio, f"digits segment {'point' if letter == 'p' else letter}", "330 ohm to the segment")
            )
        for index, gpio in enumerate(pinmap.displays.digits, 1):
            found.append((gpio, f"digit {index} from the left", "transistor to the digit's common pin"))
    numbered = ((HEADER_PINS.index(f"GPIO{gpio}") + 1, gpio, name, how) for gpio, name, how in found)
    return sorted(numbered)


def table(pinmap: PinMap) -> str:
    """The wires as a Markdown table."""
    lines = ["| header pin | GPIO | wire | connected by |", "|---:|---:|---|---|"]
    lines += [f"| {pin} | {gpio} | {name} | {how} |" for pin, gpio, name, how in wires(pinmap)]
    return "\n".join(lines) + "\n"


_ROW, _LEFT, _TOP = 24, 390, 70
_COLOURS = {"3V3": "#c98a1b", "5V": "#b03a2e", "GND": "#30363d"}


def svg(pinmap: PinMap) -> str:
    """The header from above, as it lies when the USB sockets point down, with a label for every wire."""
    used = {pin: name for pin, _, name, _ in wires(pinmap)}
    height = _TOP + 20 * _ROW + 60
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 840 {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="840" height="{height}" fill="#fffdf7"/>',
        '<text x="420" y="28" text-anchor="middle" font-size="18" fill="#12303f">'
        "Raspberry Pi 4 and 5: wires of the box</text>",
        '<text x="420" y="50" text-anchor="middle" fill="#4a626d">'
        "pin 1 is nearest the corner and the power socket's edge; USB sockets point down</text>",
        f'<rect x="{_LEFT - 22}" y="{_TOP - 12}" width="104" height="{20 * _ROW + 12}" rx="8" fill="#1c6b43"/>',
    ]
    for index, name in enumerate(HEADER_PINS):
        parts.extend(_pin(index + 1, name, used.get(index + 1)))
    parts.append(
        f'<text x="420" y="{height - 20}" text-anchor="middle" fill="#4a626d">'
        "every button's second wire goes to any GND; the lamps' and the buzzer's too</text>"
    )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _pin(number: int, name: str, wire: str | None) -> Iterable[str]:
    left = number % 2 == 1
    x = _LEFT if left else _LEFT + 60
    y = _TOP + (number - 1) // 2 * _ROW + 6
    fill = _COLOURS.get(name, "#f2b33d" if wire else "#e7e0cf")
    shape = "rect" if number == 1 else "circle"
    if shape == "rect":
        yield f'<rect x="{x - 8}" y="{y - 8}" width="16" height="16" fill="{fill}" stroke="#12303f"/>'
    else:
        yield f'<circle cx="{x}" cy="{y}" r="8" fill="{fill}" stroke="#12303f"/>'
    anchor, text_x = ("end", x - 30) if left else ("start", x + 30)
    weight = ' font-weight="bold" fill="#12303f"' if wire else ' fill="#8fa3a8"'
    label = f"{wire} ({name})" if wire else name
    number_text = f"{number}  {label}" if not left else f"{label}  {number}"
    yield f'<text x="{text_x}" y="{y + 4}" text-anchor="{anchor}"{weight}>{number_text}</text>'
    if wire:
        x1, x2 = (text_x + 4, x - 9) if left else (x + 9, text_x - 4)
        yield f'<line x1="{x1}" y1="{y}" x2="{x2}" y2="{y}" stroke="#8a4b08" stroke-width="2"/>'

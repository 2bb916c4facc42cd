"""Several panels as one: the pins and a serial box at the same time, and the right one for this machine."""

from __future__ import annotations

from collections.abc import Sequence

from companion.core.text import Say, several
from hardware.gpio import open_gpio_panel
from hardware.null import NullPanel
from hardware.pinmap import PinMap
from hardware.ports import (
    BuzzerPattern,
    Display,
    DisplayText,
    Lamp,
    LampPattern,
    Listener,
    Panel,
    PanelState,
    PanelStatus,
    Part,
)
from hardware.serial_panel import open_serial_panel

__all__ = ["PanelGroup", "open_panel"]

_RANK = (PanelState.WORKING, PanelState.LOST, PanelState.WAITING, PanelState.ABSENT, PanelState.CLOSED)


class PanelGroup:
    """Panels that act as one: every command goes to all, every event comes from each.

    Edges of one panel are in the order of their times; two panels are not put in order with each other.
    """

    def __init__(self, panels: Sequence[Panel]) -> None:
        """Join `panels`; at least one."""
        if not panels:
            raise ValueError("PanelGroup needs at least one panel")
        self.panels = tuple(panels)

    def __repr__(self) -> str:
        return f"PanelGroup({list(self.panels)!r})"

    def start(self, listener: Listener) -> None:
        """Start every panel."""
        for panel in self.panels:
            panel.start(listener)

    def close(self) -> None:
        """Close every panel."""
        for panel in self.panels:
            panel.close()

    def set_lamp(self, lamp: Lamp, pattern: LampPattern) -> None:
        """Show `pattern` everywhere."""
        for panel in self.panels:
            panel.set_lamp(lamp, pattern)

    def set_display(self, display: Display, text: DisplayText) -> None:
        """Show `text` everywhere."""
        for panel in self.panels:
            panel.set_display(display, text)

    def buzz(self, pattern: BuzzerPattern) -> None:
        """Play `pattern` everywhere."""
        for panel in self.panels:
            panel.buzz(pattern)

    def set_tray_light(self, level: float) -> None:
        """Light every tray, 0.0 dark to 1.0 full; ValueError outside of that where there is any panel."""
        for panel in self.panels:
            panel.set_tray_light(level)

    def status(self) -> PanelStatus:
        """The best state of all, their lines together, their parts and buttons united."""
        told = [panel.status() for panel in self.panels]
        state = min((one.state for one in told), key=_RANK.index)
        parts: frozenset[Part] = frozenset().union(*(one.parts for one in told))
        return PanelStatus(
            "group",
            state,
            told[0].line
            if len(told) == 1
            else Say("{lines}", lines=several((one.line for one in told), "sentences")),
            parts,
            frozenset().union(*(one.down for one in told)),
            tuple((f"{one.name}.{name}", value) for one in told for name, value in one.counters),
            missing=frozenset().union(*(one.missing for one in told)) - parts,
            members=tuple(told),
        )


def open_panel(pinmap: PinMap) -> Panel:
    """Make the panel of this machine: its pins where it has some, a serial box where the pin map allows one.

    Never raises and opens nothing but the GPIO chip. Without either, a `NullPanel` says in one line why.
    """
    pins = open_gpio_panel(pinmap)
    if pinmap.serial_port is None:
        return pins
    box = open_serial_panel(pinmap.serial_port, pinmap.filter)
    return PanelGroup((pins, box)) if not isinstance(pins, NullPanel) else PanelGroup((box, pins))

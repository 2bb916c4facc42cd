"""The Hardware screen: every part of the panel as it is now, and the port through which the screen tests it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from companion.presenters.desk import Notice, Subscription
from companion.presenters.i18n import N_, _

__all__ = ["PARTS", "Bench", "HardwareView", "NoBench", "PartRow", "PartState", "hardware_view"]


@dataclass(frozen=True, slots=True)
class PartState:
    """One part of the panel as the bench reports it."""

    key: str
    """``button_left`` ... ``tray_light``; see `PARTS`."""
    is_present: bool
    is_down: bool = False
    """A button that is pressed now."""


class Bench(Protocol):
    """What the screen may ask of the panel. Every method returns at once and never raises for a missing device."""

    def line(self) -> str:
        """Return one sentence on how the panel is."""
        ...

    def parts(self) -> tuple[PartState, ...]:
        """Return every part."""
        ...

    def counters(self) -> tuple[tuple[str, int], ...]:
        """Return what was counted since the start, by name."""
        ...

    def notices(self) -> tuple[Notice, ...]:
        """Return the newest notices, newest first."""
        ...

    def test(self, key: str) -> None:
        """Let an output show itself for a moment: a lamp, digits, buzzer or the tray light."""
        ...

    def subscribe(self, listener: Callable[[], None]) -> Subscription:
        """Call a listener on the interface thread whenever something changed."""
        ...


class _Nothing:
    def cancel(self) -> None:
        """There is nothing to stop."""


class NoBench:
    """A machine without a panel: the on-screen buttons are all there is."""

    def line(self) -> str:
        """Say so."""
        return _("No panel here; the buttons on the screen do everything.")

    def parts(self) -> tuple[PartState, ...]:
        """Return every part as absent."""
        return tuple(PartState(key, False) for key, _name, _is_output in PARTS)

    def counters(self) -> tuple[tuple[str, int], ...]:
        """Return nothing."""
        return ()

    def notices(self) -> tuple[Notice, ...]:
        """Return nothing."""
        return ()

    def test(self, key: str) -> None:
        """There is nothing to test."""

    def subscribe(self, listener: Callable[[], None]) -> Subscription:  # noqa: ARG002
        """Nothing ever changes."""
        return _Nothing()


PARTS: tuple[tuple[str, str, bool], ...] = (
    ("button_left", N_("Left button"), False),
    ("button_right", N_("Right button"), False),
    ("button_pause", N_("Pause button"), False),
    ("button_arbiter", N_("Arbiter's key"), False),
    ("lamp_left", N_("Left lamp"), True),
    ("lamp_right", N_("Right lamp"), True),
    ("lamp_arbiter", N_("Arbiter's lamp"), True),
    ("display_left", N_("Left digits"), True),
    ("display_right", N_("Right digits"), True),
    ("buzzer", N_("Buzzer"), True),
    ("tray_light", N_("Tray light"), True),
)
"""Key, name and whether it is an output that can be tested."""


@dataclass(frozen=True, slots=True)
class PartRow:
    """One row of the screen."""

    key: str
    name: str
    state: str
    """In words: pressed, ready, not there."""
    tone: str
    can_test: bool


@dataclass(frozen=True, slots=True)
class HardwareView:
    """The Hardware screen."""

    line: str = ""
    rows: tuple[PartRow, ...] = ()
    counters: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()


def hardware_view(bench: Bench) -> HardwareView:
    """Return the screen's view of a bench."""
    states = {part.key: part for part in bench.parts()}
    rows = []
    for key, name, is_output in PARTS:
        part = states.get(key, PartState(key, False))
        if not part.is_present:
            words, tone = _("not there"), "muted"
        elif part.is_down:
            words, tone = _("pressed"), "accent"
        else:
            words, tone = (_("ready"), "ok")
        rows.append(PartRow(key, _(name), words, tone, part.is_present and is_output))
    counters = tuple(f"{name.replace('_', ' ')}: {count}" for name, count in bench.counters() if count)
    return HardwareView(bench.line(), tuple(rows), counters, bench.notices())

"""The Hardware screen: every part of the panel and every device as it is now, and the ports through which it is tested."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from companion.pages.desk import Notice, Subscription
from companion.pages.i18n import N_, _
from companion.pages.notices import in_words
from companion.pages.numbers import figure

__all__ = [
    "DEVICE_STATES",
    "PARTS",
    "Bench",
    "Cameras",
    "DeviceRow",
    "DeviceState",
    "HardwareView",
    "NoBench",
    "NoCameras",
    "PartRow",
    "PartState",
    "counted",
    "hardware_view",
]


@dataclass(frozen=True, slots=True)
class PartState:
    """One part of the panel as the bench reports it."""

    key: str
    """``button_left`` ... ``tray_light``; see `PARTS`."""
    is_present: bool
    is_down: bool = False
    """A button that is pressed now."""
    presses: int = 0
    """How often a button was pressed since the start."""
    is_missing: bool = False
    """It should be there and does not answer."""


State = Literal["working", "partly", "waiting", "lost", "absent", "busy", "denied", "trying", "failed"]

DEVICE_STATES: dict[State, tuple[str, str]] = {
    "working": (N_("works"), "ok"),
    "partly": (N_("works in part"), "danger"),
    "waiting": (N_("not plugged in"), "muted"),
    "lost": (N_("unplugged"), "danger"),
    "absent": (N_("not there"), "muted"),
    "busy": (N_("busy"), "danger"),
    "denied": (N_("not allowed"), "danger"),
    "trying": (N_("is tried"), "accent"),
    "failed": (N_("does not work"), "danger"),
}
"""State of a device to its word and tone."""


@dataclass(frozen=True, slots=True)
class DeviceState:
    """Something that is plugged in, or should be: the pins, the box on USB, a camera."""

    key: str
    name: str
    """In the table's language."""
    state: State
    line: str
    """One sentence on how it is and what to do, in the table's language."""
    facts: str = ""
    """What was counted or measured."""
    can_test: bool = False


class Bench(Protocol):
    """What the screen may ask of the panel. Every method returns at once and never raises for a missing device."""

    def parts(self) -> tuple[PartState, ...]:
        """Return every part."""
        ...

    def devices(self) -> tuple[DeviceState, ...]:
        """Return the panels that there are or could be: pins and box."""
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


class Cameras(Protocol):
    """What the screen may ask of the cameras. Every method returns at once; answers come through the listeners."""

    def devices(self) -> tuple[DeviceState, ...]:
        """Return every camera, or one line that there is none."""
        ...

    def look(self) -> None:
        """Look again which cameras are there, and whether another program uses them."""
        ...

    def test(self, key: str) -> None:
        """Take a picture with a camera and say how that went."""
        ...

    def subscribe(self, listener: Callable[[], None]) -> Subscription:
        """Call a listener on the interface thread whenever something changed."""
        ...


class _Nothing:
    def cancel(self) -> None:
        """There is nothing to stop."""


class NoBench:
    """A machine without a panel: the on-screen buttons are all there is."""

    def parts(self) -> tuple[PartState, ...]:
        """Return every part as absent."""
        return tuple(PartState(key, False) for key, _name, _is_output in PARTS)

    def devices(self) -> tuple[DeviceState, ...]:
        """Say so in one line."""
        line = _("No panel here; the buttons on the screen do everything.")
        return (DeviceState("panel", _("Panel"), "absent", line),)

    def notices(self) -> tuple[Notice, ...]:
        """Return nothing."""
        return ()

    def test(self, key: str) -> None:
        """There is nothing to test."""

    def subscribe(self, listener: Callable[[], None]) -> Subscription:  # noqa: ARG002
        """Nothing ever changes."""
        return _Nothing()


class NoCameras:
    """A program that looks for no camera: dice are typed."""

    def devices(self) -> tuple[DeviceState, ...]:
        """Say so in one line."""
        line = _("No camera is plugged in; dice are typed.")
        return (DeviceState("camera", _("Camera"), "absent", line),)

    def look(self) -> None:
        """There is nowhere to look."""

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
    ("display_left", N_("Left display"), True),
    ("display_right", N_("Right display"), True),
    ("buzzer", N_("Buzzer"), True),
    ("tray_light", N_("Tray light"), True),
)
"""Key, name and whether it is an output that can be tested."""

_COUNTED: tuple[tuple[str, str], ...] = (
    ("presses", N_("presses {n}")),
    ("bounces", N_("bounces filtered {n}")),
    ("glitches", N_("spikes ignored {n}")),
    ("chatters", N_("flickers {n}")),
    ("damaged", N_("damaged lines {n}")),
    ("resent", N_("sent again {n}")),
)


def counted(counters: dict[str, int]) -> str:
    """Return what was counted, in words; what never happened is left out.

    ``bad_...`` counters are damaged lines of the serial box; ``clock_uncertainty_us`` is how well its clock is known.
    """
    sums = dict(counters)
    sums["damaged"] = sum(count for name, count in counters.items() if name.startswith("bad_"))
    told = [_(words).format(n=sums[name]) for name, words in _COUNTED if sums.get(name)]
    if "clock_uncertainty_us" in counters:
        told.append(_("clock ±{n} ms").format(n=figure(counters["clock_uncertainty_us"] / 1000)))
    return " · ".join(told)


@dataclass(frozen=True, slots=True)
class PartRow:
    """One part on the screen."""

    key: str
    name: str
    state: str
    """In words: pressed, ready, not there."""
    tone: str
    is_on: bool
    """Pressed now, or could be tested."""


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """One device, or one notice, on the screen."""

    key: str
    name: str
    state: str
    tone: str
    line: str
    facts: str = ""
    can_test: bool = False


@dataclass(frozen=True, slots=True)
class HardwareView:
    """The Hardware screen."""

    inputs: tuple[PartRow, ...] = ()
    outputs: tuple[PartRow, ...] = ()
    devices: tuple[DeviceRow, ...] = ()
    """Pins, box and cameras, then the newest notices."""
    trouble: str = ""
    """The first device that should work and does not, in one line; empty while all is well."""
    absence: str = ""
    """Why there is no panel here, in one line; empty where any part of one is there or should be."""


_TROUBLE: tuple[State, ...] = ("lost", "partly", "busy", "denied", "failed")
_MOST_NOTICES = 6
_LEVELS = {"info": "muted", "warning": "accent", "error": "danger"}


def hardware_view(bench: Bench, cameras: Cameras) -> HardwareView:
    """Return the screen's view of a bench and the cameras."""
    states = {part.key: part for part in bench.parts()}
    rows: dict[bool, list[PartRow]] = {False: [], True: []}
    for key, name, is_output in PARTS:
        part = states.get(key, PartState(key, False))
        is_on = part.is_present and (is_output or part.is_down)
        rows[is_output].append(PartRow(key, _(name), *_part_words(part, is_output=is_output), is_on))
    panels = bench.devices()
    devices = (*panels, *cameras.devices())
    bad = [one for one in devices if one.state in _TROUBLE]
    notices = tuple(
        DeviceRow(f"notice_{n}", "", "", _LEVELS.get(notice.level, "muted"), in_words(notice.text))
        for n, notice in enumerate(bench.notices()[:_MOST_NOTICES])
    )
    return HardwareView(
        tuple(rows[False]),
        tuple(rows[True]),
        (*map(_device_row, devices), *notices),
        bad[0].line if bad else "",
        "" if any(part.is_present or part.is_missing for part in states.values()) else panels[-1].line,
    )


def _part_words(part: PartState, *, is_output: bool) -> tuple[str, str]:
    if part.is_missing:
        return _("does not answer"), "danger"
    if not part.is_present:
        return _("not there"), "muted"
    if is_output:
        return _("Test"), "ok"
    if part.is_down:
        return _("pressed"), "accent"
    return (_("pressed {n}×").format(n=part.presses), "ok") if part.presses else (_("ready"), "ok")


def _device_row(device: DeviceState) -> DeviceRow:
    words, tone = DEVICE_STATES[device.state]
    return DeviceRow(device.key, device.name, _(words), tone, device.line, device.facts, device.can_test)

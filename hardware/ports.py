"""The ports of the box: what a panel can report and what it can be told, as values and one Protocol.

Owns the words every panel shares: buttons, lamps, displays, patterns, edges and notices. Knows nothing of
games, clocks or sides: left and right are places on the box, and the application says whose they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable

from companion.core.text import Say

__all__ = [
    "Button",
    "BuzzerPattern",
    "Display",
    "DisplayText",
    "Lamp",
    "LampPattern",
    "LampStep",
    "Listener",
    "NoticeKind",
    "Panel",
    "PanelEvent",
    "PanelNotice",
    "PanelState",
    "PanelStatus",
    "Part",
    "PressEdge",
    "Tone",
    "part_of",
]

DISPLAY_CHARACTERS = frozenset("0123456789 -_AbCdEFGHhIiJLlnNoOPqrStuUyY=")
"""Characters that seven segments can show; a point or colon joins the character before it."""


class Button(Enum):
    """A thing on the box that a hand can press."""

    LEFT = "left"
    """The big button on the left."""
    RIGHT = "right"
    """The big button on the right."""
    PAUSE = "pause"
    """The small pause button."""
    ARBITER = "arbiter"
    """The arbiter's key switch: pressed means turned on. Commands while it is on act for the arbiter."""


class Lamp(Enum):
    """A light that shows a pattern."""

    LEFT = "left"
    """The LED in or beside the left button."""
    RIGHT = "right"
    """The LED in or beside the right button."""
    ARBITER = "arbiter"
    """The LED beside the arbiter's key."""


class Display(Enum):
    """A row of seven-segment digits."""

    LEFT = "left"
    """The digits on the left."""
    RIGHT = "right"
    """The digits on the right."""


class Part(Enum):
    """One part of a panel, present or absent."""

    BUTTON_LEFT = "button_left"
    BUTTON_RIGHT = "button_right"
    BUTTON_PAUSE = "button_pause"
    BUTTON_ARBITER = "button_arbiter"
    LAMP_LEFT = "lamp_left"
    LAMP_RIGHT = "lamp_right"
    LAMP_ARBITER = "lamp_arbiter"
    DISPLAY_LEFT = "display_left"
    DISPLAY_RIGHT = "display_right"
    BUZZER = "buzzer"
    TRAY_LIGHT = "tray_light"


def part_of(thing: Button | Lamp | Display) -> Part:
    """Name the part that a button, lamp or display is.

    Example:
        >>> part_of(Lamp.LEFT)
        <Part.LAMP_LEFT: 'lamp_left'>
    """
    return Part(f"{type(thing).__name__.lower()}_{thing.value}")


@dataclass(frozen=True, slots=True)
class PressEdge:
    """A button that went down or came up, after the edge filter, with the time it really happened."""

    button: Button
    """Which button."""
    pressed: bool
    """True for down, False for up."""
    at_ns: int
    """When the contact moved, in nanoseconds of ``time.monotonic_ns()``; never later than its delivery."""


class NoticeKind(Enum):
    """What a panel has to say besides edges. None of them stops a game."""

    CONNECTED = "connected"
    """The panel, or a part, works for the first time."""
    LOST = "lost"
    """The panel, or a part, was there and is gone; the panel keeps trying."""
    REGAINED = "regained"
    """The panel, or a part, is back; lamps and displays have been set again."""
    ABSENT = "absent"
    """A configured part could not be opened at start (a pin in use, for example)."""
    STUCK = "stuck"
    """A button has been down for longer than a hand would hold it."""
    UNSTUCK = "unstuck"
    """A stuck button came up again."""
    CHATTER = "chatter"
    """A line toggles without ever settling: loose wire or interference; it reports no press meanwhile."""
    EDGES_MISSED = "edges_missed"
    """The level changed without an edge being seen; the press was found by looking, its time is late."""
    LATE_DROPPED = "late_dropped"
    """A press came so late that it was not used."""
    SECOND_BOX = "second_box"
    """Another serial box is plugged in; only the first is used."""
    OTHER_BOX = "other_box"
    """After a replug a different box answers; it is used from now on."""
    WRONG_VERSION = "wrong_version"
    """A box answers in a protocol version that is not spoken here."""
    NOISE = "noise"
    """The serial line carries damaged data; what was damaged has been asked for again."""
    LISTENER_FAILED = "listener_failed"
    """The application's listener raised; the panel went on."""


@dataclass(frozen=True, slots=True)
class PanelNotice:
    """Something worth one line on the screen; never a reason to stop."""

    kind: NoticeKind
    """What happened."""
    detail: Say
    """One plain sentence that names the part and what to do."""
    at_ns: int
    """When it was noticed, in nanoseconds of ``time.monotonic_ns()``."""
    part: Part | None = None
    """The part concerned; None for the panel as a whole."""


PanelEvent = PressEdge | PanelNotice
Listener = Callable[[PanelEvent], None]
"""Called from the panel's own thread, presses in the order of ``at_ns``, a release after its press; post and leave."""


@dataclass(frozen=True, slots=True)
class LampStep:
    """One brightness held for a time."""

    level: float
    """Brightness, 0.0 dark to 1.0 full."""
    ms: int
    """How long, in milliseconds, 10 to 60,000; the length of a steady pattern's only step has no effect."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.level <= 1.0:
            raise ValueError(f"LampStep.level must be 0.0 to 1.0, got {self.level!r}")
        if not 10 <= self.ms <= 60_000:
            raise ValueError(f"LampStep.ms must be 10 to 60000, got {self.ms!r}")


@dataclass(frozen=True, slots=True)
class LampPattern:
    """What a lamp does over time; a pure function of the time since it was set (see ``patterns.level_at``)."""

    steps: tuple[LampStep, ...]
    """One to sixteen steps, in order. A single step is a steady light."""
    repeat: bool = True
    """True starts again after the last step; False stays on the last step's level."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.steps) <= 16:
            raise ValueError(f"LampPattern needs 1 to 16 steps, got {len(self.steps)}")

    @property
    def is_steady(self) -> bool:
        """True where the brightness never changes."""
        return len({step.level for step in self.steps}) == 1


@dataclass(frozen=True, slots=True)
class Tone:
    """One sound of the buzzer, or a rest."""

    hz: int
    """Frequency, 100 to 5,000 Hz; 0 is a rest."""
    ms: int
    """Length in milliseconds, 5 to 5,000."""

    def __post_init__(self) -> None:
        if self.hz != 0 and not 100 <= self.hz <= 5_000:
            raise ValueError(f"Tone.hz must be 0 or 100 to 5000, got {self.hz!r}")
        if not 5 <= self.ms <= 5_000:
            raise ValueError(f"Tone.ms must be 5 to 5000, got {self.ms!r}")


@dataclass(frozen=True, slots=True)
class BuzzerPattern:
    """Tones in order, played once; an empty one is silence and stops what is playing."""

    tones: tuple[Tone, ...] = ()
    """At most sixteen tones."""

    def __post_init__(self) -> None:
        if len(self.tones) > 16:
            raise ValueError(f"BuzzerPattern takes at most 16 tones, got {len(self.tones)}")

    @property
    def total_ms(self) -> int:
        """Length of the whole pattern in milliseconds."""
        return sum(tone.ms for tone in self.tones)


@dataclass(frozen=True, slots=True)
class DisplayText:
    """Text for a row of seven-segment digits; the panel shows it right-aligned."""

    text: str = ""
    """Characters that seven segments can show; ``.`` and ``:`` light the point of the digit before them."""

    def __post_init__(self) -> None:
        for character in self.text:
            if character not in DISPLAY_CHARACTERS and character not in ".:":
                raise ValueError(f"DisplayText cannot show {character!r} of {self.text!r} on seven segments")
        if len(self.text) > 16:
            raise ValueError(f"DisplayText takes at most 16 characters, got {len(self.text)}")


class PanelState(Enum):
    """Whether a panel works at the moment."""

    WORKING = "working"
    """Connected; at least one part can be used."""
    WAITING = "waiting"
    """Never connected so far; it keeps looking."""
    LOST = "lost"
    """Was connected and is gone; it keeps looking."""
    ABSENT = "absent"
    """There is nothing to connect to on this machine; the on-screen panel is used alone."""
    CLOSED = "closed"
    """``close()`` was called, or ``start()`` was not yet."""


@dataclass(frozen=True, slots=True)
class PanelStatus:
    """How a panel is, for the Hardware screen."""

    name: str
    """Which panel: ``gpio``, ``serial``, ``group``, ``none`` or ``fake``."""
    state: PanelState
    """Whether it works."""
    line: Say
    """One plain sentence for the screen."""
    parts: frozenset[Part] = frozenset()
    """The parts that can be used now."""
    down: frozenset[Button] = frozenset()
    """The buttons that are down now, after the filter."""
    counters: tuple[tuple[str, int], ...] = ()
    """What was counted since start, by name (presses, bounces, glitches, bad frames and so on)."""
    missing: frozenset[Part] = frozenset()
    """The parts that should be there and do not answer."""
    members: tuple[PanelStatus, ...] = ()
    """The statuses of the panels that a group is made of."""
    guest: str = ""
    """Which one answers, of panels that anybody can plug in; another one, or the same one restarted, has another text.
    Empty: wired to this machine."""


@runtime_checkable
class Panel(Protocol):
    """A set of buttons, lamps, displays, a buzzer and a tray light that the application talks to.

    Every method may be called from any thread, returns without waiting for a device and never raises for
    a device that is missing, lost or broken: those are notices. Commands to an absent part do nothing.
    A panel remembers the last pattern, text and tray level and sets them again when the device comes back.
    """

    def start(self, listener: Listener) -> None:
        """Open the devices and report edges and notices to `listener` until ``close()``.

        No press is reported for a button that is already down. Raises RuntimeError when called twice.
        """

    def close(self) -> None:
        """Turn everything off and release the devices; calling it again is safe."""

    def set_lamp(self, lamp: Lamp, pattern: LampPattern) -> None:
        """Show `pattern` from its beginning; setting the pattern that is already shown changes nothing."""

    def set_display(self, display: Display, text: DisplayText) -> None:
        """Show `text`; the panel shortens what does not fit, dropping characters on the left."""

    def buzz(self, pattern: BuzzerPattern) -> None:
        """Play `pattern` once, in place of what is playing."""

    def set_tray_light(self, level: float) -> None:
        """Light the dice tray, 0.0 dark to 1.0 full. Raises ValueError outside that range."""

    def status(self) -> PanelStatus:
        """Say how the panel is, with what is down and what was counted."""

"""What the box says with light and sound: one table of signals, one of cues.

The application maps its state to a `Signal` per lamp and its events to a `Cue`; the patterns are here so
that GPIO, serial box, loudspeaker and the on-screen lamps all speak the same language. No pattern flashes
more than three times a second, the limit below which flashing light is held to be safe for everyone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from hardware.ports import BuzzerPattern, LampPattern, LampStep, Tone

__all__ = [
    "CUE_PATTERNS",
    "SIGNAL_MEANINGS",
    "SIGNAL_PATTERNS",
    "Cue",
    "Signal",
    "SoundSettings",
    "cue_pattern",
]


class Signal(Enum):
    """What one lamp says. Ordered by urgency: where several are true, the application shows the highest."""

    OFF = "off"
    """Nothing to say: not this side's time and nothing asked of it."""
    PAUSED = "paused"
    """This side's clock is the one that will run on; everything stands still."""
    RUNNING = "running"
    """This side's clock is running."""
    WAITING = "waiting"
    """The table waits for this side and no clock says so (a choice, casualties, a confirmation)."""
    LOW_TIME = "low_time"
    """This side's clock is running and little time is left."""
    FLAG = "flag"
    """This side's flag has fallen."""
    ARBITER = "arbiter"
    """The arbiter is wanted or has the floor; all lamps show it together."""


def _steps(*pairs: tuple[float, int]) -> LampPattern:
    return LampPattern(tuple(LampStep(level, ms) for level, ms in pairs))


SIGNAL_PATTERNS: Mapping[Signal, LampPattern] = MappingProxyType(
    {
        Signal.OFF: _steps((0.0, 1000)),
        Signal.PAUSED: _steps((0.15, 1000)),
        Signal.RUNNING: _steps((1.0, 1000)),
        Signal.WAITING: _steps((1.0, 900), (0.25, 900)),
        Signal.LOW_TIME: _steps((1.0, 300), (0.1, 300)),
        Signal.FLAG: _steps((1.0, 170), (0.0, 170), (1.0, 170), (0.0, 170), (1.0, 170), (0.0, 650)),
        Signal.ARBITER: _steps((1.0, 200), (0.0, 200), (1.0, 200), (0.0, 1200)),
    }
)
"""The pattern of every signal. Told apart by rhythm, never by colour or brightness alone."""

SIGNAL_MEANINGS: Mapping[Signal, str] = MappingProxyType(
    {
        Signal.OFF: "dark: it is not your time",
        Signal.PAUSED: "dim and steady: paused, your clock is next",
        Signal.RUNNING: "bright and steady: your clock is running",
        Signal.WAITING: "slow wave: the table waits for you",
        Signal.LOW_TIME: "quick blink: your time is nearly gone",
        Signal.FLAG: "three flashes and a rest: your flag has fallen",
        Signal.ARBITER: "two flashes and a long rest, all lamps: the arbiter",
    }
)
"""Each pattern in words, for the Hardware screen, the wiring card and the README."""


class Cue(Enum):
    """A moment that has a sound."""

    PRESS = "press"
    """A press was taken. Immediate, before any rule has been asked."""
    REFUSED = "refused"
    """A press or command was refused."""
    YOUR_TURN = "your_turn"
    """The clock went to the other side."""
    PAUSED = "paused"
    """All clocks stopped."""
    RESUMED = "resumed"
    """A clock runs again after a pause."""
    WAITING = "waiting"
    """The table waits for a side."""
    LOW_TIME = "low_time"
    """Little time is left; once, when the limit is crossed."""
    FLAG = "flag"
    """A flag fell."""
    ARBITER = "arbiter"
    """The arbiter is wanted."""


CUE_PATTERNS: Mapping[Cue, BuzzerPattern] = MappingProxyType(
    {
        Cue.PRESS: BuzzerPattern((Tone(2000, 15),)),
        Cue.REFUSED: BuzzerPattern((Tone(330, 90), Tone(0, 40), Tone(330, 90))),
        Cue.YOUR_TURN: BuzzerPattern((Tone(880, 80), Tone(1319, 120))),
        Cue.PAUSED: BuzzerPattern((Tone(988, 120), Tone(659, 180))),
        Cue.RESUMED: BuzzerPattern((Tone(659, 120), Tone(988, 180))),
        Cue.WAITING: BuzzerPattern((Tone(784, 70), Tone(0, 70), Tone(784, 70))),
        Cue.LOW_TIME: BuzzerPattern((Tone(1760, 100), Tone(0, 100)) * 2 + (Tone(1760, 100),)),
        Cue.FLAG: BuzzerPattern((Tone(1319, 250), Tone(0, 60), Tone(988, 250), Tone(0, 60), Tone(659, 500))),
        Cue.ARBITER: BuzzerPattern((Tone(1047, 150), Tone(1568, 150), Tone(1047, 150), Tone(1568, 150))),
    }
)
"""The tones of every cue; the same for the buzzer and, rendered by ``sound.render_wav``, a loudspeaker."""


@dataclass(frozen=True, slots=True)
class SoundSettings:
    """Which sounds are made, and how loud; everything can be off."""

    enabled: bool = True
    """False silences every cue on buzzer and loudspeaker."""
    muted: frozenset[Cue] = field(default_factory=frozenset)
    """Cues that stay silent while the rest sounds."""
    volume: float = 0.6
    """Loudness of rendered sounds, 0.0 to 1.0. A passive buzzer has one loudness and does not read it."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.volume <= 1.0:
            raise ValueError(f"SoundSettings.volume must be 0.0 to 1.0, got {self.volume!r}")


def cue_pattern(cue: Cue, settings: SoundSettings) -> BuzzerPattern | None:
    """Tones to play for a cue, or None where the settings keep it silent.

    Example:
        >>> cue_pattern(Cue.FLAG, SoundSettings(enabled=False)) is None
        True
    """
    if not settings.enabled or cue in settings.muted or settings.volume == 0.0:
        return None
    return CUE_PATTERNS[cue]

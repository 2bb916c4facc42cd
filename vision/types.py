"""The values that pass between the steps: frozen, checked where they are made."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

from companion.core.text import Say

__all__ = [
    "COLOURS",
    "KINDS",
    "OTHER",
    "SURE",
    "Flag",
    "Found",
    "Pose",
    "Reading",
    "Readings",
    "Request",
    "legal_values",
]

KINDS = ("d12", "d10", "d6")
"""Kinds of dice that are read."""
OTHER = "other"
"""Kind of a die that is none of these, such as a d8 or a d20: it is shown and never read."""
COLOURS = ("white", "gray", "black", "blue", "yellow", "red", "purple", "green", "orange", "pink")
"""Body colours that are told apart, in the order of the colour net."""


SURE = 0.9
"""Confidence from which nobody is asked."""


class Flag(StrEnum):
    """What is the matter with a die."""

    COCKED = "cocked"
    """It leans on something: roll again or say what it shows."""
    CUT = "cut"
    """Part of it lies outside of the photo."""
    STACKED = "stacked"
    """It lies on another die."""
    GLARE = "glare"
    """The top face shines white."""
    BLURRED = "blurred"
    """The photo is too soft here to be sure."""
    TOO_SMALL = "too small"
    """Too few pixels for a numeral."""
    SIX_NINE = "6 or 9"
    """Neither a mark nor the face tells which of the two stands there; its value is the likelier."""


def legal_values(kind: str) -> range:
    """Return the values that a kind may show; a d10 counts 1 to 10, its 0 being 10. ValueError for an unknown kind."""
    try:
        return {"d12": range(1, 13), "d10": range(1, 11), "d6": range(1, 7)}[kind]
    except KeyError:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}") from None


@dataclass(frozen=True, slots=True)
class Found:
    """A place where a die may lie, in photo pixels."""

    x: float
    y: float
    radius: float
    score: float
    """0..1, how sure the finder is."""


_OTHER_AT = 0.7
"""Probability of being a die of another kind from which it is told as that: on scenes for choosing no known die came near."""


@dataclass(frozen=True, slots=True)
class Pose:
    """How a die lies: which face is up and where, in photo pixels."""

    found: Found
    kinds: tuple[float, ...]
    """Probabilities of d12, d10, d6, and of no die."""
    cocked: float
    """Probability that it leans."""
    top: tuple[float, float]
    """Middle of the top face."""
    ellipse: tuple[float, float, float]
    """xx, xy, yy of the symmetric matrix that makes the unit circle the top face's outline circle."""
    turn: float
    """Angle of the numeral's right, radians clockwise in the picture."""
    phase: float
    """Five-fold phase of the top pentagon, radians."""
    look: tuple[float, ...] = field(repr=False, default=())
    """Features for the colour step."""
    level: tuple[float, float] = (0.0, 0.0)
    """Where the top face looks by this die's own look: x and y of its normal, along the ray to the die."""
    faces: tuple[float, ...] = field(repr=False, default=())
    """How much each of ``vision.attitude.DIRECTIONS`` looks like a face."""
    stacked: float = 0.0
    """Probability that it lies flat on another die."""
    named: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0, 0.0)
    """The kind net's word: probabilities of d12, d10, d6, no die, and a die of another kind."""

    @property
    def die(self) -> float:
        """Probability, 0 to 1, that this is a die at all."""
        return 1.0 - self.kinds[3]

    @property
    def known(self) -> float:
        """Probability, 0 to 1, that it is a die of a kind that is read."""
        return sum(self.kinds[:3])

    @property
    def is_other(self) -> bool:
        """Whether the kind net surely holds it for a die of another kind."""
        return self.named[4] > _OTHER_AT


@dataclass(frozen=True, slots=True)
class Reading:
    """One die as read."""

    kind: str
    """d12, d10, d6, or other."""
    colour: str | None
    value: int | None
    """None when cocked, stacked or unreadable; a d10's 0 is 10."""
    confidence: float
    """0..1: the share of readings like this one that are right in value and colour."""
    x: float
    y: float
    """Centre in photo pixels."""
    radius: float
    """Of the outline, photo pixels."""
    outline: tuple[tuple[float, float], ...] = ()
    """The top face's corners (a circle's polygon where it has none), photo pixels."""
    flags: tuple[Flag, ...] = ()
    guess: int | None = None
    """The best value even where ``value`` is None; shown, never counted."""
    others: tuple[tuple[int, float], ...] = ()
    """Next best values with their probabilities, for the buttons beside a doubtful die."""
    value_confidence: float | None = None
    """0..1: the share of readings like this one whose value is right; None: `confidence` speaks of the value alone."""
    colour_confidence: float = 1.0
    """The same of the colour."""
    colour_decides: bool = False
    """The roll has dice of several colours, so that this die's colour tells what it counts for."""

    def __post_init__(self) -> None:
        """Check what later steps rely on."""
        if self.value is not None and self.value not in legal_values(self.kind):
            raise ValueError(f"a {self.kind} cannot show {self.value}")
        if not 0.0 <= self.confidence <= 1.0 or not math.isfinite(self.x + self.y + self.radius):
            raise ValueError(f"confidence must lie in 0..1 and places be finite, got {self!r}")

    @property
    def is_sure(self) -> bool:
        """Whether no tap is needed: the value is sure, and the colour too where it decides."""
        value = self.confidence if self.value_confidence is None else self.value_confidence
        is_colour_sure = not self.colour_decides or self.colour_confidence >= SURE
        return self.value is not None and value >= SURE and is_colour_sure


@dataclass(frozen=True, slots=True)
class Request:
    """What the caller expects; everything may be left open."""

    kinds: tuple[str, ...] = ()
    """Kinds that can lie there; empty = any."""
    colours: tuple[str, ...] = ()
    """Colours that can lie there; empty = any."""
    counts: tuple[tuple[str, int], ...] = ()
    """(colour, how many) as asked for: they name doubtful colours; too many or too few dice are reported."""

    @property
    def colour_decides(self) -> bool:
        """Whether dice of more than one colour are asked for."""
        return len({c for c, n in self.counts if n} or set(self.colours)) > 1

    def __post_init__(self) -> None:
        """Check names and numbers."""
        for kind in self.kinds:
            legal_values(kind)
        for colour in (*self.colours, *(c for c, _ in self.counts)):
            if colour not in COLOURS:
                raise ValueError(f"colour must be one of {', '.join(COLOURS)}, got {colour!r}")
        for colour, count in self.counts:
            if count < 0:
                raise ValueError(f"cannot ask for {count} {colour} dice")


@dataclass(frozen=True, slots=True)
class Readings:
    """All that was read from one photo."""

    width: int
    height: int
    dice: tuple[Reading, ...]
    mismatches: tuple[Say, ...] = ()
    """Sentences such as "asked for 4 white, see 3 white and 1 gray"."""
    advice: tuple[Say, ...] = ()
    """What to change for a better photo; empty when it is good."""

    @property
    def to_ask(self) -> tuple[Reading, ...]:
        """The dice that need a tap."""
        return tuple(d for d in self.dice if not d.is_sure)

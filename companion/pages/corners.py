"""The corner-touch test: do picture and touch agree, does one tap count once, and how a turned touch is set right.

A turn is written as two signed axes: ``-x-y`` takes both coordinates from the other end, ``+y-x`` exchanges them. It acts
on shares of width and height about the middle, so that the eight turns cover every way a panel can be mounted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.pages.i18n import N_, _

__all__ = [
    "CORNERS",
    "DOUBLE_MS",
    "STRAIGHT",
    "TURNS",
    "CornerCheck",
    "corrected",
    "found_turn",
    "touched",
    "turned",
]

CORNERS: tuple[str, ...] = ("top_left", "top_right", "bottom_right", "bottom_left")
"""The order in which the corners are asked for."""
STRAIGHT = "+x+y"
"""The turn that changes nothing."""
TURNS: tuple[str, ...] = (STRAIGHT, "-y+x", "-x-y", "+y-x", "-x+y", "+x-y", "+y+x", "-y-x")
"""Nothing, the three turns to the left by 90, 180 and 270 degrees, and the four mirrors."""
_NAMES: dict[str, str] = {
    "-x-y": N_("The touch panel was upside down."),
    "-y+x": N_("The touch panel was rotated by 90 degrees."),
    "+y-x": N_("The touch panel was rotated by 90 degrees."),
}
_MIRRORED = N_("The touch panel was mirrored.")

_REACH = 0.3
"""A touch belongs to a corner within this share of the width and height."""
DOUBLE_MS = 40
"""Two touches closer together than this are one tap that counted twice."""


def turned(turn: str, x: float, y: float) -> tuple[float, float]:
    """Return where a share of width and height lies after a turn."""
    axes = {"+x": x, "-x": 1 - x, "+y": y, "-y": 1 - y}
    return axes[turn[:2]], axes[turn[2:]]


def _after(first: str, then: str) -> str:
    """Return the one turn that does what two do, one after the other."""
    signs = {"+": "-", "-": "+"}
    parts = {"+x": first[:2], "+y": first[2:]}
    whole = {**parts, **{"-" + axis[1]: signs[part[0]] + part[1] for axis, part in parts.items()}}
    return whole[then[:2]] + whole[then[2:]]


def _back(turn: str) -> str:
    return next(one for one in TURNS if _after(turn, one) == STRAIGHT)


_ROTATIONS = {0: STRAIGHT, 90: "+y-x", 180: "-x-y", 270: "-y+x"}
"""What the window does with a touch when the picture is turned by so many degrees."""


def corrected(before: str, found: str, rotation: int) -> str:
    """Return the turn that makes the panel's own coordinates right.

    Args:
        before: The turn in force while the corners were touched.
        found: What the touches still needed on the screen, from `found_turn`.
        rotation: Degrees by which the picture is turned; the window turns touches with it.
    """
    window = _ROTATIONS[rotation]
    return _after(_after(_after(before, window), found), _back(window))


def found_turn(arrived: tuple[str, ...]) -> str | None:
    """Return the turn that moves four touches to the corners asked for; None when no turn does."""
    for turn in TURNS:
        if tuple(_turned_corner(turn, name) for name in arrived) == CORNERS:
            return turn
    return None


_SPOTS = {
    "top_left": (0.0, 1.0),
    "top_right": (1.0, 1.0),
    "bottom_right": (1.0, 0.0),
    "bottom_left": (0.0, 0.0),
}


def _turned_corner(turn: str, name: str) -> str:
    return _corner_of(*turned(turn, *_SPOTS[name]))


@dataclass(frozen=True, slots=True)
class CornerCheck:
    """How far the test is."""

    arrived: tuple[str, ...] = ()
    """The corners in which the touches arrived, in the order of `CORNERS`."""
    fault: str = ""
    """Why the test ended early, in words; empty while all is well."""
    note: str = ""
    """What was set right before, in words."""
    last_ms: int | None = None

    @property
    def asked(self) -> int:
        """Index into `CORNERS`; past the end: all were touched."""
        return len(self.arrived)

    @property
    def is_done(self) -> bool:
        """Whether the test has ended, well or not."""
        return bool(self.fault) or self.asked >= len(CORNERS)

    @property
    def is_well(self) -> bool:
        """Whether all four touches arrived where they were asked for."""
        return not self.fault and self.arrived == CORNERS

    @property
    def turn(self) -> str | None:
        """The turn that would set the touch right; None before the end, where it is right, and where none would."""
        if not self.is_done or self.fault or self.is_well:
            return None
        return found_turn(self.arrived)

    @property
    def text(self) -> str:
        """What the screen says now."""
        if self.fault:
            return self.fault + " " + _("Touch any corner to try again.")
        if self.is_well:
            return _("Touch matches the picture, and every tap counted once.")
        if self.is_done:
            return turn_words(self.turn) + " " + _("Touch any corner to try again.")
        ask = _("Touch the marked corner: {n} of {all}").format(n=self.asked + 1, all=len(CORNERS))
        return f"{self.note} {ask}" if self.note else ask


def turn_words(turn: str | None) -> str:
    """Say in words what was the matter with the touch."""
    if turn is None:
        return _("The touches do not match the picture.")
    return _(_NAMES.get(turn, _MIRRORED))


def _corner_of(x: float, y: float) -> str:
    column = "left" if x < _REACH else "right" if x > 1 - _REACH else ""
    row = "bottom" if y < _REACH else "top" if y > 1 - _REACH else ""
    return f"{row}_{column}" if row and column else ""


def touched(check: CornerCheck, x: float, y: float, at_ms: int) -> CornerCheck:
    """Return the test after a touch; a touch after a bad end begins anew.

    Args:
        x: Share of the width, 0 at the left.
        y: Share of the height, 0 at the bottom.
        at_ms: Monotonic instant of the touch.
    """
    is_double = check.last_ms is not None and at_ms - check.last_ms < DOUBLE_MS
    if is_double and not check.fault:
        found = _("One tap counted twice: two programs read the touch panel.")
        return replace(check, fault=found, last_ms=at_ms)
    if check.is_done:
        return check if is_double or check.is_well else CornerCheck(last_ms=at_ms)
    got = _corner_of(x, y)
    if not got:
        found = _("The touch was not near a corner.")
        return replace(check, fault=found, last_ms=at_ms)
    return replace(check, arrived=(*check.arrived, got), last_ms=at_ms)

"""The corner-touch test: do picture and touch agree, and does one tap count once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.presenters.i18n import _

__all__ = ["CORNERS", "CornerCheck", "touched"]

CORNERS: tuple[str, ...] = ("top_left", "top_right", "bottom_right", "bottom_left")
"""The order in which the corners are asked for."""

_REACH = 0.3
"""A touch belongs to a corner within this share of the width and height."""
DOUBLE_MS = 40
"""Two touches closer together than this are one tap that counted twice."""


@dataclass(frozen=True, slots=True)
class CornerCheck:
    """How far the test is."""

    asked: int = 0
    """Index into `CORNERS`; past the end: done."""
    verdict: str = ""
    """What was found wrong, in words; empty while all is well."""
    last_ms: int | None = None

    @property
    def is_done(self) -> bool:
        """Whether the test has ended, well or not."""
        return bool(self.verdict) or self.asked >= len(CORNERS)

    @property
    def text(self) -> str:
        """What the screen says now."""
        if self.verdict:
            return self.verdict
        if self.asked >= len(CORNERS):
            return _("Picture and touch agree, and every tap counted once.")
        return _("Touch the marked corner: {n} of {all}").format(n=self.asked + 1, all=len(CORNERS))


def _corner_of(x: float, y: float) -> str:
    column = "left" if x < _REACH else "right" if x > 1 - _REACH else ""
    row = "bottom" if y < _REACH else "top" if y > 1 - _REACH else ""
    return f"{row}_{column}" if row and column else ""


def touched(check: CornerCheck, x: float, y: float, at_ms: int) -> CornerCheck:
    """Return the test after a touch.

    Args:
        x: Share of the width, 0 at the left.
        y: Share of the height, 0 at the bottom.
        at_ms: Monotonic instant of the touch.
    """
    if check.is_done:
        return check
    if check.last_ms is not None and at_ms - check.last_ms < DOUBLE_MS:
        found = _("One tap counted twice: the touch panel is read by two sources. Start with --touch.")
        return replace(check, verdict=found)
    wanted, got = CORNERS[check.asked], _corner_of(x, y)
    if got == wanted:
        return replace(check, asked=check.asked + 1, last_ms=at_ms)
    if not got:
        return replace(check, verdict=_("The touch arrived away from the corner: the panel is not aligned."))
    turns = (CORNERS.index(got) - check.asked) % 4
    if turns == 2:
        found = _("The touch arrived in the opposite corner: the touch is turned by 180 degrees.")
    else:
        found = _("The touch arrived in another corner: the touch is turned or mirrored.")
    return replace(check, verdict=found)

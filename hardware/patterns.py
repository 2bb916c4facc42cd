"""Patterns as pure functions of time, and text as seven-segment cells.

Nothing here runs: a panel asks what a lamp's level is at a moment and when it changes next.
"""

from __future__ import annotations

from hardware.ports import BuzzerPattern, DisplayText, LampPattern, LampStep

__all__ = [
    "cells",
    "clock_text",
    "level_at",
    "next_change_ms",
    "period_ms",
    "segment_bits",
    "tone_at",
]

_SEGMENTS = {
    # bit 0 = a (top), then clockwise b c d e f, bit 6 = g (middle); bit 7 is the point.
    " ": 0x00, "0": 0x3F, "1": 0x06, "2": 0x5B, "3": 0x4F, "4": 0x66, "5": 0x6D, "6": 0x7D, "7": 0x07,
    "8": 0x7F, "9": 0x6F, "-": 0x40, "_": 0x08, "=": 0x48, "A": 0x77, "b": 0x7C, "C": 0x39, "d": 0x5E,
    "E": 0x79, "F": 0x71, "G": 0x3D, "H": 0x76, "h": 0x74, "I": 0x30, "i": 0x10, "J": 0x1E, "L": 0x38,
    "l": 0x30, "n": 0x54, "N": 0x37, "o": 0x5C, "O": 0x3F, "P": 0x73, "q": 0x67, "r": 0x50, "S": 0x6D,
    "t": 0x78, "u": 0x1C, "U": 0x3E, "y": 0x6E, "Y": 0x6E,
}  # fmt: skip


def period_ms(pattern: LampPattern) -> int:
    """Add up the steps of a pattern, in milliseconds."""
    return sum(step.ms for step in pattern.steps)


def _step_at(pattern: LampPattern, elapsed_ms: int) -> tuple[LampStep, int | None]:
    """Find the step shown `elapsed_ms` after the pattern was set and how long it still lasts."""
    last = pattern.steps[-1]
    whole = period_ms(pattern)
    if not pattern.repeat and elapsed_ms >= whole:
        return last, None
    at = elapsed_ms % whole
    for step in pattern.steps:
        if at < step.ms:
            return step, step.ms - at
        at -= step.ms
    raise AssertionError("unreachable: the steps cover the period")


def level_at(pattern: LampPattern, elapsed_ms: int) -> float:
    """Brightness `elapsed_ms` after the pattern was set, 0.0 to 1.0.

    Example:
        >>> blink = LampPattern((LampStep(1.0, 500), LampStep(0.0, 500)))
        >>> [level_at(blink, at) for at in (0, 499, 500, 1000)]
        [1.0, 1.0, 0.0, 1.0]
    """
    return _step_at(pattern, max(elapsed_ms, 0))[0].level


def next_change_ms(pattern: LampPattern, elapsed_ms: int) -> int | None:
    """Milliseconds from `elapsed_ms` until the step ends; None where the level never changes again.

    The level may be the same before and after (two steps of one brightness in a row).
    """
    elapsed_ms = max(elapsed_ms, 0)
    if pattern.is_steady:
        return None
    step, left = _step_at(pattern, elapsed_ms)
    if not pattern.repeat and step is pattern.steps[-1]:
        return None
    return left


def tone_at(pattern: BuzzerPattern, elapsed_ms: int) -> tuple[int, int | None]:
    """Frequency in Hz that sounds `elapsed_ms` after the start, and milliseconds until it changes.

    0 Hz is silence; None says that the pattern is over.
    """
    at = max(elapsed_ms, 0)
    for tone in pattern.tones:
        if at < tone.ms:
            return tone.hz, tone.ms - at
        at -= tone.ms
    return 0, None


def cells(text: DisplayText, digits: int) -> tuple[tuple[str, bool], ...]:
    """Lay text out on `digits` cells, right-aligned: per cell its character and whether its point is lit.

    Characters that do not fit are dropped on the left.

    Example:
        >>> cells(DisplayText("7:05"), 4)
        ((' ', False), ('7', True), ('0', False), ('5', False))
    """
    row: list[tuple[str, bool]] = []
    for character in text.text:
        if character in ".:":
            if row and not row[-1][1]:
                row[-1] = (row[-1][0], True)
            else:
                row.append((" ", True))
        else:
            row.append((character, False))
    row = row[-digits:] if digits else []
    return tuple([(" ", False)] * (digits - len(row)) + row)


def segment_bits(character: str, point: bool) -> int:
    """Segments of one cell as a byte: bit 0 is a (top), then clockwise to f, bit 6 the middle, bit 7 the point.

    A character without a shape of its own is shown blank.
    """
    return _SEGMENTS.get(character, 0) | (0x80 if point else 0)


def clock_text(seconds: int, digits: int = 4) -> DisplayText:
    """Write a whole number of seconds for a small display.

    Up to 99:59 as minutes and seconds; from 100 minutes on as hours, ``h`` and minutes where four digits
    are all there is, and as hours, minutes and seconds with six or more. Negative time (a flag that fell
    and a clock that runs on) has a minus sign and drops what does not fit. Which way the seconds are
    rounded is the caller's choice, so that the display and the screen agree.

    Example:
        >>> [clock_text(s).text for s in (0, 65, 5999, 6000, -5)]
        ['0.00', '1.05', '99.59', '1h40', '-0.05']
    """
    sign = "-" if seconds < 0 else ""
    total = abs(seconds)
    minutes, rest = divmod(total, 60)
    hours, minute = divmod(minutes, 60)
    if minutes < 100 and len(sign) + max(len(str(minutes)), 1) + 2 <= digits:
        return DisplayText(f"{sign}{minutes}.{rest:02d}")
    if len(sign) + len(str(hours)) + 4 <= digits:
        return DisplayText(f"{sign}{hours}.{minute:02d}.{rest:02d}")
    if len(sign) + len(str(hours)) + 3 <= digits:
        return DisplayText(f"{sign}{hours}h{minute:02d}")
    if len(sign) + len(str(hours)) + 1 <= digits:
        return DisplayText(f"{sign}{hours}h")
    return DisplayText("-" * min(digits, 16))

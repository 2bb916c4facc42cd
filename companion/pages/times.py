"""Durations and wall times as texts. Nothing here reads a clock.

There is one rounding: what is left is rounded up and what was used down, so that both together are what was given.
"""

from __future__ import annotations

import time

from companion.core.ids import MOST_MS, Millis
from companion.core.text import Duration
from companion.pages.speak import speak

__all__ = [
    "countdown",
    "countup",
    "duration",
    "next_change_ms",
    "short",
    "signed",
    "wall",
    "wall_brief",
]


def countdown(left_ms: Millis, *, tenths: bool = False) -> str:
    """Return time left as ``26:00`` or ``104:07``, rounded up, so that 00:00 means zero.

    With `tenths` a rest under one minute reads ``0:09.4``.
    """
    if tenths and left_ms < 60_000:
        whole = -(-max(0, left_ms) // 100)
        return f"{whole // 600}:{whole // 10 % 60:02d}.{whole % 10}"
    seconds = -(-max(0, left_ms) // 1000)
    return f"{seconds // 60:02d}:{seconds % 60:02d}"


def countup(used_ms: Millis) -> str:
    """Return time used as ``26:00`` or, from one hour on, ``1:04:07``; rounded down."""
    seconds = max(0, used_ms) // 1000
    if seconds >= 3600:
        return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{seconds // 60:02d}:{seconds % 60:02d}"


def next_change_ms(value_ms: Millis, *, down: bool, tenths: bool = False) -> Millis:
    """Return after how many milliseconds the text of a running clock changes next (at least 1)."""
    if not down:
        return 1000 - value_ms % 1000
    if tenths and value_ms == 60_000:
        return 1  # one minute sharp reads 01:00, and anything less has tenths
    grain = 100 if tenths and value_ms < 60_000 else 1000
    return (value_ms - 1) % grain + 1 if value_ms > 0 else grain


def short(ms: Millis) -> str:
    """Return an amount as ``3:20``."""
    return speak(Duration(ms, "clock"))


def signed(ms: Millis) -> str:
    """Return a correction as ``+0:30`` or ``-2:00``."""
    return speak(Duration(ms, "signed"))


def duration(ms: Millis) -> str:
    """Return an amount in words of the table: ``45 s``, ``12 min``, ``2 h 05 min``; no line ends inside it."""
    return speak(Duration(ms))


def wall(wall_ms: int, now_wall_ms: int) -> str:
    """Return a wall time as a label: the hour today, the date otherwise; a dash when it is not known."""
    if not 0 < wall_ms <= MOST_MS:
        return "–"
    then, now = time.localtime(wall_ms / 1000), time.localtime(now_wall_ms / 1000)
    if then[:3] == now[:3]:
        return time.strftime("%H:%M", then)
    return time.strftime("%Y-%m-%d %H:%M", then)


def wall_brief(wall_ms: int, now_wall_ms: int) -> str:
    """Return a wall time on a short line: as `wall` does, but without the year in the year that it is, else the date."""
    full = wall(wall_ms, now_wall_ms)
    date, between, hour = full.partition(" ")
    if not between:
        return full
    year = time.strftime("%Y-", time.localtime(now_wall_ms / 1000))
    return f"{date.removeprefix(year)} {hour}" if date.startswith(year) else date

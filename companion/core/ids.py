"""Names of things as distinct types, so that one kind of id is never taken for another."""

from __future__ import annotations

from typing import NewType

__all__ = [
    "ARBITER",
    "MOST_MS",
    "SYSTEM",
    "TABLE",
    "Actor",
    "CheckId",
    "Millis",
    "Nation",
    "RulingId",
    "Side",
    "SiteId",
    "StepId",
]

Side = NewType("Side", str)
"""A side with its own clock (Song for War: ``allies``, ``axis``) or a player where a game has no sides."""

Nation = NewType("Nation", str)
"""A nation or power of a side, such as ``us`` or ``germany``."""

StepId = NewType("StepId", str)
"""Stable id of one step of the sequence of play, such as ``s1.t4.allies.move``."""

CheckId = NewType("CheckId", str)
"""One line of a checklist, such as ``resupply.lanes.net``."""

RulingId = NewType("RulingId", str)
"""An open point of the rulebook that the table settles."""

SiteId = NewType("SiteId", str)
"""An objective, airfield, territory or other place that the game's data list."""

Actor = NewType("Actor", str)
"""Who acted: a side's id, `ARBITER`, `TABLE` (anyone at the touchscreen) or `SYSTEM` (the program itself)."""

Millis = int
"""Whole milliseconds. Instants are monotonic and belong to one boot of the machine; only differences mean anything."""

MOST_MS = 1 << 46
"""The largest instant, duration or wall time that is taken from a file: over 2,000 years, and sums of it stay in 64 bits."""

ARBITER = Actor("arbiter")
TABLE = Actor("table")
SYSTEM = Actor("system")

"""What came of a table, and who says so: several reports that agree are one result, and two that do not are a dispute.

No report goes before another because it came first or last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

__all__ = ["Report", "Result", "Way", "agreed"]

Way = Literal["code", "link", "paper"]


class Result(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of a table."""

    winner: int | None = None
    """None: a draw, or nobody came."""
    how: Literal["played", "forfeit", "double_forfeit", "conceded", "adjudicated"] = "played"
    vp: tuple[int, int] | None = None
    """Victory points of the first and the second player."""
    left_s: tuple[int, int] | None = None
    """Seconds left on both clocks."""


class Report(msgspec.Struct, frozen=True, omit_defaults=True):
    """A result as somebody reported it."""

    way: Way
    result: Result
    box: str = ""
    """Fingerprint of the box that signed it; empty: on paper."""
    game: str = ""
    """Id of the game, hexadecimal, and what its log was like: the entry and the digest of its chain there."""
    seq: int = 0
    digest: str = ""
    eyes: tuple[str, ...] = ()
    """Who has read the slip, where it came on paper."""


def agreed(reports: Sequence[Report]) -> Result | None:
    """Return the one result that all reports tell, with whatever any of them knows; None where two differ, or there is none.

    Times left that were read off by hand count only where no table has signed any: a second more or less is no dispute.
    """
    results = [report.result for report in reports]
    signed = {one.result.left_s for one in reports if one.box and one.result.left_s is not None}
    lefts = signed or {one.left_s for one in results if one.left_s is not None}
    points = {one.vp for one in results if one.vp is not None}
    if len({(one.winner, one.how) for one in results}) != 1 or len(points) > 1 or len(lefts) > 1:
        return None
    return Result(results[0].winner, results[0].how, next(iter(points), None), next(iter(lefts), None))

"""What several frames of one settled roll say together of each die."""

from __future__ import annotations

__all__ = ["vote"]

import math
from collections.abc import Sequence
from dataclasses import replace

from vision.types import OTHER, Reading, Readings

_SAME = 0.5
"""How far, in radii, a die may seem to have moved from frame to frame."""


def vote(frames: Sequence[Readings]) -> Readings:
    """Return the first frame's dice, each with the value that all frames together hold for likeliest.

    A frame that does not show a die has no vote on it. Number, kinds, places and colours are the first frame's: what
    was asked for named them together. Whether the dice lay still is not checked.

    Args:
        frames: Readings of one roll by one camera that stands still, at least one.
    """
    first, *more = frames
    return replace(first, dice=tuple(_voted(die, more) for die in first.dice))


def _voted(die: Reading, more: Sequence[Readings]) -> Reading:
    if die.kind == OTHER:
        return die
    seen = [die, *(same for frame in more if (same := _same(die, frame)) is not None)]
    read = [one for one in seen if one.value is not None]
    if 2 * len(read) <= len(seen):  # it leans, or is too small, in most frames
        best = next(one for one in seen if one.value is None)
        sure = _sure(best)
    else:
        said = {one.value: sum(_sure(same) for same in read if same.value == one.value) for one in read}
        best = max((one for one in read if one.value == max(said, key=lambda v: said[v])), key=_sure)
        sure = said[best.value] / len(seen)
    return replace(
        die, value=best.value, guess=best.guess, others=best.others, flags=best.flags,
        value_confidence=sure, confidence=sure * die.colour_confidence,
    )  # fmt: skip


def _same(die: Reading, frame: Readings) -> Reading | None:
    """Return the die of another frame that lies in the same place and is of the same kind."""
    near = [
        one for one in frame.dice
        if one.kind == die.kind and math.hypot(one.x - die.x, one.y - die.y) < _SAME * die.radius
    ]  # fmt: skip
    return min(near, key=lambda one: math.hypot(one.x - die.x, one.y - die.y), default=None)


def _sure(die: Reading) -> float:
    return die.confidence if die.value_confidence is None else die.value_confidence

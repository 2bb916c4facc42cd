"""Which of the things that were found are dice: told before any of them is read, since reading costs the most."""

from __future__ import annotations

__all__ = ["first_signs", "keep_dice", "overlap", "usual_radius"]

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.confidence import Signs
from vision.plane import Table
from vision.types import Found, Pose

_SETS_SIZE = 0.65
"""Finder's and pose net's word together from which a die says how large others are; one that lies alone seldom reaches 0.8."""
_APART = 1.0
"""Distance, in radii of the larger, under which two things cannot both be dice that lie beside one another."""


def keep_dice(found: Sequence[Found], poses: Sequence[Pose], doubt: Mapping[str, Any]) -> list[int]:
    """Choose what may be a die: finder and pose net must agree; one place holds one die."""
    kept: list[int] = []
    words = [f.score * p.die for f, p in zip(found, poses, strict=True)]
    for i in sorted(range(len(poses)), key=lambda j: -words[j]):
        p = poses[i]
        if words[i] < doubt.get("least_score", 0.25) or p.die < doubt.get("least_die", 0.35):
            continue
        near = [
            j for j in kept
            if math.hypot(p.found.x - poses[j].found.x, p.found.y - poses[j].found.y)
            < 0.55 * max(p.found.radius, poses[j].found.radius)
        ]  # fmt: skip
        if not near:
            kept.append(i)
    # dice of one table are of about one size: what is far off it has to be plain
    strong = [poses[i].found.radius for i in kept if words[i] > _SETS_SIZE]
    if strong:
        usual = float(np.median(strong))
        kept = [i for i in kept if 0.55 * usual < poses[i].found.radius < 1.8 * usual or words[i] > 0.9]
    return sorted(
        kept, key=lambda i: (round(poses[i].found.y / max(1.0, poses[i].found.radius) / 2), poses[i].found.x)
    )


def usual_radius(poses: Sequence[Pose]) -> float:
    """Return the radius, in photo pixels, in the middle of those that are surely dice, of all where none is."""
    strong = [p.found.radius for p in poses if p.found.score * p.die > 0.8]
    return float(np.median(strong or [p.found.radius for p in poses]))


def overlap(poses: Sequence[Pose]) -> list[bool]:
    """Say of each thing whether its middle and another's are so close that one of the two is no die, or lies on the other."""
    where = np.array([(p.found.x, p.found.y) for p in poses], np.float64).reshape(-1, 2)
    radius = np.array([p.found.radius for p in poses])
    apart = np.linalg.norm(where[:, None] - where[None], axis=2)
    near = apart < _APART * np.maximum(radius[:, None], radius[None])
    return [bool(row) for row in near.sum(axis=1) > 1]


def first_signs(
    poses: Sequence[Pose], kinds: Sequence[tuple[str, float]], table: Table, off: NDArray[np.float64]
) -> list[Signs]:
    """Return what is known about each die of a photo before it is read; nothing was read of any.

    Args:
        kinds: What each was named, with its probability, 0 to 1.
        off: How far each die's own idea of its top face lies from the table's.
    """
    usual = usual_radius(poses)
    return [
        Signs(
            winner=0.0, second=0.0, agree=0.0, spread=0.0, cocked=pose.cocked, off_plane=float(off[i]), face_px=0.0,
            is_six_nine=False, kind=kind_p * pose.known, kind_name=kind, lean=float(table.lean[i]),
            alike=float(table.alike[i]), peak=float(table.peak[i]), firm=float(table.firm[i]),
            backing=float(table.backing[i]), misfit=float(table.misfit[i]), stacked=pose.stacked, score=pose.found.score,
            die=pose.die, size_off=abs(math.log(pose.found.radius / usual)),
        )
        for i, (pose, (kind, kind_p)) in enumerate(zip(poses, kinds, strict=True))
    ]  # fmt: skip

"""Distributions of hits: convolution of dice, saturating where more hits change nothing.

Arrays have one axis for each class of hit; entry (i, j, ...) is the chance of exactly i, j, ... hits, the last
entry of an axis that of so many or more. Shapes are given by the caller, dtype float64, sums are 1.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from companion.odds.arrays import Array, np

__all__ = ["Array", "Part", "combine", "convolve", "dice", "die", "power"]


@lru_cache(maxsize=4096)
def die(
    number: int,
    faces: int,
    shape: tuple[int, ...],
    plain: int,
    special: int,
    *,
    extra_shot: bool,
    is_chained: bool = True,
) -> Array:
    """Return the distribution of one die that hits on `number` or higher.

    A highest face counts on axis `special`, every other hit on axis `plain` (they may be the same). With the
    extra shot each highest face brings another roll, as long as it counts.

    Args:
        number: Least value that hits, 1 to `faces`.
        faces: Number of faces.
        shape: Axis lengths: hits that matter plus one, at least 1 each.
        plain: Axis of ordinary hits.
        special: Axis of hits with the highest face.
        extra_shot: Whether the highest face is rolled again.
        is_chained: Whether the highest face of a bonus roll is rolled again too.
    """
    miss, hit, top = (number - 1) / faces, (faces - number) / faces, 1 / faces
    found = np.zeros(shape)
    if not extra_shot:
        _add(found, {}, miss)
        _add(found, {plain: 1}, hit)
        _add(found, {special: 1}, top)
        return found
    if not is_chained:
        _add(found, {}, miss)
        _add(found, {plain: 1}, hit)
        _add(found, {special: 1}, top * miss)
        _add_more(found, {special: 1}, {plain: 1}, top * hit)
        _add(found, {special: 2}, top * top)
        return found
    chance = 1.0
    for tops in range(shape[special] + 1):
        last = tops >= shape[special] - 1
        # From here on another highest face changes nothing: end the row of rolls with its exact remainder.
        scale = chance / (1 - top) if last else chance
        _add(found, {special: tops}, scale * miss)
        _add_more(found, {special: tops}, {plain: 1}, scale * hit)
        if last:
            break
        chance *= top
    return found


def _add(found: Array, hits: dict[int, int], chance: float) -> None:
    index = tuple(min(hits.get(axis, 0), length - 1) for axis, length in enumerate(found.shape))
    found[index] += chance


def _add_more(found: Array, hits: dict[int, int], more: dict[int, int], chance: float) -> None:
    total = dict(hits)
    for axis, count in more.items():
        total[axis] = total.get(axis, 0) + count
    _add(found, total, chance)


def convolve(left: Array, right: Array) -> Array:
    """Return the distribution of the sum of two independent counts, of the left one's shape, saturating.

    Where the right one is shorter on an axis, it never has more hits there.
    """
    if left.shape == right.shape and np.count_nonzero(left) < np.count_nonzero(right):
        left, right = right, left
    shape = left.shape
    if len(shape) == 1:
        every = np.convolve(left, right)
        every[shape[0] - 1] = every[shape[0] - 1 :].sum()
        return every[: shape[0]]
    steps = np.argwhere(right).tolist()
    # The whole sum first; what is more than the last entry stands for is gathered there afterwards.
    found = np.zeros(
        [length + most for length, most in zip(shape, map(max, zip(*steps, strict=True)), strict=True)]
    )
    for step, weight in zip(steps, right[right != 0].tolist(), strict=True):
        found[tuple([slice(n, n + length) for n, length in zip(step, shape, strict=True)])] += weight * left
    for axis, length in enumerate(shape):
        if found.shape[axis] > length:
            before = (slice(None),) * axis
            found[(*before, length - 1)] = found[(*before, slice(length - 1, None))].sum(axis=axis)
            found = found[(*before, slice(0, length))]
    return found


def power(one: Array, count: int) -> Array:
    """Return the distribution of `count` independent dice, each like `one`."""
    found, square = None, one
    while count:
        if count & 1:
            found = square if found is None else convolve(found, square)
        count >>= 1
        if count:
            square = convolve(square, square)
    if found is None:
        found = np.zeros(one.shape)
        found[(0,) * one.ndim] = 1.0
    return found


class Part(msgspec.Struct, frozen=True):
    """Like dice thrown together: how many, the number that hits, and on which axes their hits count."""

    dice: int
    number: int
    plain: int
    """Axis of ordinary hits."""
    special: int
    """Axis of hits with the highest face; the same as `plain` where they are nothing special."""
    extra_shot: bool = False
    is_chained: bool = True
    """The highest face of a bonus roll is rolled again too."""


@lru_cache(maxsize=8192)
def dice(part: Part, faces: int, lengths: tuple[int, ...]) -> Array:
    """Return the distribution of a part on its own axes: one axis, or plain and special.

    `lengths` are those of its axes: hits that matter plus one.
    """
    axis = len(lengths) - 1
    one = die(part.number, faces, lengths, 0, axis, extra_shot=part.extra_shot, is_chained=part.is_chained)
    return power(one, part.dice)


@lru_cache(maxsize=256)
def combine(parts: tuple[Part, ...], faces: int, shape: tuple[int, ...]) -> Array:
    """Return the joint distribution of all hits of several parts, an array of the given shape, saturating; not to be changed."""
    total = np.ones((1,) * len(shape))
    for part in parts:
        axes = (part.plain,) if part.plain == part.special else (part.plain, part.special)
        own = dice(part, faces, tuple(shape[axis] for axis in axes))
        if len(axes) == 2 and axes[0] > axes[1]:
            own = own.T
        spread = own.reshape(tuple(shape[axis] if axis in axes else 1 for axis in range(len(shape))))
        if all(total.shape[axis] == 1 for axis in axes):
            total = total * spread
            continue
        grown = tuple(shape[axis] if axis in axes else length for axis, length in enumerate(total.shape))
        wide = np.zeros(grown)
        wide[tuple(slice(0, length) for length in total.shape)] = total
        total = convolve(wide, spread)
    if total.shape != shape:
        wide = np.zeros(shape)
        wide[tuple(slice(0, length) for length in total.shape)] = total
        total = wide
    return total

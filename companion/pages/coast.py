"""The chart: a rough outline of the Mediterranean, drawn by hand from general knowledge, and how it lies in a box."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import resources

__all__ = ["LAND", "clipped", "coast_lines", "spot"]

Point = tuple[float, float]

WEST, EAST, SOUTH, NORTH = -8.5, 35.5, 29.8, 45.4
"""The part of the world that the whole chart shows, in degrees."""


def _coasts() -> Iterator[tuple[Point, ...]]:
    text = resources.files("companion.pages").joinpath("coast.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            pairs = (pair.split(",") for pair in line.split())
            yield tuple((float(lon), float(lat)) for lon, lat in pairs)


LAND: tuple[tuple[Point, ...], ...] = tuple(_coasts())
"""Coasts as longitude and latitude; each is closed, and those that go on beyond the chart end outside it."""


def spot(lon: float, lat: float) -> Point:
    """Return where a place lies on the whole chart, from its top left corner, 0 to 1."""
    return (lon - WEST) / (EAST - WEST), (NORTH - lat) / (NORTH - SOUTH)


def clipped(points: Sequence[Point], width: float, height: float) -> list[Point]:
    """Return a polygon of the chart inside a box of a size, in its pixels from the lower left corner."""
    lands = [((x - WEST) / (EAST - WEST) * width, (y - SOUTH) / (NORTH - SOUTH) * height) for x, y in points]
    for axis, bound, is_low in ((0, 0.0, True), (0, width, False), (1, 0.0, True), (1, height, False)):
        lands = _cut(lands, axis, bound, is_low=is_low)
    return lands


def _cut(points: list[Point], axis: int, bound: float, *, is_low: bool) -> list[Point]:
    """Return what of a polygon lies on one side of a line along an axis."""

    def inside(point: Point) -> bool:
        return point[axis] >= bound if is_low else point[axis] <= bound

    found: list[Point] = []
    for one, other in zip(points, [*points[1:], *points[:1]], strict=True):
        if inside(one):
            found.append(one)
        if inside(one) != inside(other):
            share = (bound - one[axis]) / (other[axis] - one[axis])
            found.append((one[0] + share * (other[0] - one[0]), one[1] + share * (other[1] - one[1])))
    return found


def coast_lines(points: Sequence[Point], width: float, height: float) -> list[list[Point]]:
    """Return the coast of a clipped polygon as lines, without the edges that only the box makes."""
    lines: list[list[Point]] = []
    run: list[Point] = []
    for one, other in zip(points, [*points[1:], *points[:1]], strict=True):
        if _on_edge(one, other, width, height):
            if len(run) > 1:
                lines.append(run)
            run = []
        else:
            run = run or [one]
            run.append(other)
    if len(run) > 1:
        lines.append(run)
    return lines


def _on_edge(one: Point, other: Point, width: float, height: float) -> bool:
    return any(
        abs(one[axis] - bound) < 0.01 and abs(other[axis] - bound) < 0.01
        for axis, bound in ((0, 0.0), (0, width), (1, 0.0), (1, height))
    )

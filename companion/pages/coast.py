"""The chart: a rough outline of the Mediterranean, drawn by hand from general knowledge, and how it lies in a box."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["LAND", "clipped", "coast_lines", "spot"]

Point = tuple[float, float]

WEST, EAST, SOUTH, NORTH = -8.5, 35.5, 29.8, 45.4
"""The part of the world that the whole chart shows, in degrees."""

LAND: tuple[tuple[Point, ...], ...] = (
    (
        (-10.0, 46.0),
        (-10.0, 44.0),
        (-9.2, 43.2),
        (-8.9, 41.5),
        (-9.4, 38.8),
        (-8.9, 37.0),
        (-7.4, 37.1),
        (-6.3, 36.6),
        (-5.4, 36.1),
        (-4.4, 36.7),
        (-2.2, 36.8),
        (-0.7, 37.7),
        (0.1, 38.8),
        (-0.3, 39.5),
        (0.8, 40.7),
        (3.2, 41.9),
        (3.1, 43.1),
        (4.6, 43.4),
        (6.2, 43.1),
        (7.5, 43.8),
        (8.8, 44.4),
        (10.2, 43.9),
        (10.6, 42.9),
        (12.2, 41.8),
        (13.6, 41.2),
        (14.4, 40.7),
        (15.6, 40.0),
        (16.1, 38.8),
        (15.7, 38.0),
        (16.6, 38.4),
        (17.1, 39.1),
        (16.6, 39.7),
        (17.0, 40.5),
        (18.4, 39.9),
        (18.4, 40.3),
        (16.0, 41.5),
        (16.1, 41.9),
        (14.5, 42.4),
        (13.5, 43.6),
        (12.4, 44.4),
        (12.4, 45.4),
        (13.6, 45.7),
        (13.7, 45.0),
        (14.8, 45.0),
        (15.3, 44.1),
        (17.5, 42.9),
        (19.4, 41.9),
        (19.4, 40.4),
        (20.2, 39.4),
        (21.2, 38.4),
        (22.8, 38.1),
        (21.4, 37.9),
        (21.7, 36.9),
        (22.5, 36.5),
        (23.1, 36.5),
        (22.9, 37.5),
        (24.0, 37.8),
        (23.0, 38.9),
        (22.8, 40.2),
        (23.8, 40.2),
        (24.2, 40.6),
        (26.1, 40.7),
        (26.4, 40.1),
        (27.3, 40.6),
        (29.0, 41.0),
        (28.1, 42.0),
        (28.0, 46.0),
    ),
    (
        (26.2, 39.7),
        (26.9, 38.5),
        (27.3, 37.2),
        (28.3, 36.7),
        (30.6, 36.8),
        (32.5, 36.1),
        (34.4, 36.7),
        (36.0, 36.6),
        (35.8, 35.0),
        (35.1, 33.0),
        (34.4, 31.5),
        (33.0, 31.1),
        (37.0, 31.0),
        (37.0, 41.0),
        (30.0, 41.0),
        (27.5, 40.3),
    ),
    (
        (-10.0, 29.0),
        (-10.0, 31.0),
        (-8.9, 33.0),
        (-6.8, 34.2),
        (-5.9, 35.8),
        (-5.2, 35.6),
        (-3.0, 35.3),
        (-1.8, 35.1),
        (0.1, 36.0),
        (3.1, 36.8),
        (6.3, 37.0),
        (9.8, 37.3),
        (11.0, 36.9),
        (10.6, 35.8),
        (11.1, 35.1),
        (10.1, 34.2),
        (11.2, 33.2),
        (13.2, 32.9),
        (15.3, 32.3),
        (15.8, 31.2),
        (18.5, 30.4),
        (20.1, 30.9),
        (20.0, 32.1),
        (21.7, 32.9),
        (23.2, 32.6),
        (25.0, 31.7),
        (27.5, 31.1),
        (29.0, 30.9),
        (31.0, 31.5),
        (33.1, 31.1),
        (33.5, 29.0),
    ),
    ((12.5, 37.9), (13.4, 38.2), (15.6, 38.25), (15.2, 37.3), (15.0, 36.7), (13.4, 37.2), (12.5, 37.6)),
    ((8.2, 40.9), (9.3, 41.2), (9.8, 40.5), (9.5, 39.2), (8.6, 38.9), (8.4, 40.0)),
    ((8.6, 42.4), (9.4, 43.0), (9.5, 42.0), (9.2, 41.4), (8.7, 41.8)),
    ((23.6, 35.5), (24.8, 35.4), (26.2, 35.2), (25.0, 34.95), (23.6, 35.2)),
    ((32.3, 35.0), (33.0, 35.35), (34.5, 35.65), (33.9, 34.95), (33.0, 34.6)),
    ((23.2, 38.9), (24.6, 38.0), (24.2, 38.5)),
    ((2.4, 39.6), (3.1, 39.95), (3.4, 39.6), (3.0, 39.3)),
    ((14.2, 36.05), (14.6, 35.95), (14.5, 35.8), (14.25, 35.85)),
    ((27.7, 36.2), (28.2, 36.4), (28.0, 36.0)),
)
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

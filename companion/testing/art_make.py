"""Draw the icon and emblem sheets: ``python -m companion.testing.art_make`` writes ``art/icons-<size>.png``.

Shapes live on a grid of 24 x 24 with y upward. They are drawn white on nothing by exact distance, so that edges are
smooth at every size without help from the graphics card; the screen tints them. The program itself only loads the
sheets. A test draws them again and compares.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from companion.ui import art
from companion.ui.art import COLUMNS, NAMES, SIZES
from companion.ui.picture import png_bytes

__all__ = ["draw", "main", "png", "sheet"]

Points = list[tuple[float, float]]


def _arc(cx: float, cy: float, r: float, start: float, end: float, n: int = 24) -> Points:  # noqa: PLR0917
    angles = np.radians(np.linspace(start, end, n))
    return [(cx + r * float(np.cos(a)), cy + r * float(np.sin(a))) for a in angles]


def _star(cx: float, cy: float, r: float, inner: float, n: int = 5) -> Points:
    points = []
    for i in range(2 * n):
        angle = np.pi / 2 + i * np.pi / n
        radius = r if i % 2 == 0 else inner
        points.append((cx + radius * float(np.cos(angle)), cy + radius * float(np.sin(angle))))
    return points


def _box(x0: float, y0: float, x1: float, y1: float) -> Points:
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]


def _rounded(x0: float, y0: float, x1: float, y1: float, r: float) -> Points:
    """Return a box with round corners."""
    corners = ((x1 - r, y1 - r, 0), (x0 + r, y1 - r, 90), (x0 + r, y0 + r, 180), (x1 - r, y0 + r, 270))
    return [point for x, y, start in corners for point in _arc(x, y, r, start, start + 90, 8)]


def _gear() -> Points:
    points: Points = []
    for i in range(8):
        a = 2 * np.pi * i / 8
        for off, r in ((-0.28, 6.6), (-0.2, 9.4), (0.2, 9.4), (0.28, 6.6)):
            points.append((12 + r * float(np.cos(a + off)), 12 + r * float(np.sin(a + off))))
    return [*points, points[0]]


# A shape is a list of parts: ("line", points, width) | ("fill", points) | ("disc", x, y, r) | ("cut", part)
SHAPES: dict[str, list[Any]] = {
    "circle": [("disc", 12, 12, 10)],
    "square": [("fill", _box(3, 3, 21, 21))],
    "star": [("fill", _star(12, 11.2, 11.4, 5.0))],
    "ring": [("disc", 12, 12, 10), ("cut", ("disc", 12, 12, 5.2))],
    "diamond": [("fill", [(12, 0.8), (22.4, 12), (12, 23.2), (1.6, 12)])],
    "triangle": [("fill", [(1.4, 3.2), (22.6, 3.2), (12, 22.2)])],
    "back": [("line", [(15, 5), (8, 12), (15, 19)], 2.2)],
    "forward": [("line", [(9, 5), (16, 12), (9, 19)], 2.2)],
    "up": [("line", [(5, 9), (12, 16), (19, 9)], 2.2)],
    "down": [("line", [(5, 15), (12, 8), (19, 15)], 2.2)],
    "home": [
        ("line", [(3, 12), (12, 20.5), (21, 12)], 2),
        ("line", [(5.5, 11), (5.5, 3.5), (18.5, 3.5), (18.5, 11)], 2),
        ("line", [(12, 3.5), (12, 9)], 2),
    ],
    "table": [
        ("line", _box(3, 4, 21, 20), 2),
        ("line", [(3, 14.5), (21, 14.5)], 2),
        ("line", [(10, 4), (10, 14.5)], 2),
    ],
    "clocks": [("line", _arc(12, 11.5, 9, 0, 360, 48), 2), ("line", [(12, 17), (12, 11.5), (16, 9)], 2)],
    "battle": [
        ("line", [(4, 20), (16.5, 7.5)], 2.2),
        ("line", [(20, 20), (7.5, 7.5)], 2.2),
        ("line", [(13.5, 4.5), (19.5, 10.5)], 2),
        ("line", [(10.5, 4.5), (4.5, 10.5)], 2),
        ("line", [(16.5, 7.5), (20, 4)], 2.2),
        ("line", [(7.5, 7.5), (4, 4)], 2.2),
    ],
    "dice": [
        ("line", _box(4, 4, 20, 20), 2.2),
        ("disc", 8.5, 15.5, 1.7),
        ("disc", 15.5, 15.5, 1.7),
        ("disc", 12, 12, 1.7),
        ("disc", 8.5, 8.5, 1.7),
        ("disc", 15.5, 8.5, 1.7),
    ],
    "control": [
        ("line", [(5, 2.5), (5, 21.5)], 2.2),
        ("line", [(5, 20), (19, 20), (15, 15.5), (19, 11), (5, 11)], 2),
    ],
    "resupply": [
        ("line", [(12, 2.5), (20.5, 7), (20.5, 17), (12, 21.5), (3.5, 17), (3.5, 7), (12, 2.5)], 2),
        ("line", [(3.5, 17), (12, 12.3), (20.5, 17)], 2),
        ("line", [(12, 12.3), (12, 2.5)], 2),
    ],
    "support": [
        ("line", _box(4, 3, 15, 18), 2),
        ("line", [(8.5, 21), (20, 21), (20, 6.5)], 2),
        ("fill", _star(9.5, 10.3, 3.4, 1.5)),
    ],
    "sealed": [
        ("line", _box(5, 3, 19, 13), 2),
        ("line", [(8, 13), (8, 16.5), *_arc(12, 16.5, 4, 180, 0, 16), (16, 13)], 2),
        ("disc", 12, 8, 1.8),
    ],
    "log": [
        ("line", [(9, 18), (21, 18)], 2),
        ("line", [(9, 12), (21, 12)], 2),
        ("line", [(9, 6), (21, 6)], 2),
        ("disc", 4.3, 18, 1.6),
        ("disc", 4.3, 12, 1.6),
        ("disc", 4.3, 6, 1.6),
    ],
    "units": [
        (
            "line",
            [
                (12, 21.5),
                (20, 18.5),
                (20, 11),
                (17, 5.5),
                (12, 2.5),
                (7, 5.5),
                (4, 11),
                (4, 18.5),
                (12, 21.5),
            ],
            2,
        ),
        ("line", [(12, 17), (12, 7)], 2),
        ("line", [(7.5, 13.5), (16.5, 13.5)], 2),
    ],
    "hardware": [
        ("line", _box(6.5, 6.5, 17.5, 17.5), 2),
        *[("line", [(x, 17.5), (x, 21.5)], 1.8) for x in (9, 12, 15)],
        *[("line", [(x, 2.5), (x, 6.5)], 1.8) for x in (9, 12, 15)],
        *[("line", [(17.5, y), (21.5, y)], 1.8) for y in (9, 12, 15)],
        *[("line", [(2.5, y), (6.5, y)], 1.8) for y in (9, 12, 15)],
    ],
    "settings": [("line", _gear(), 2), ("line", _arc(12, 12, 3, 0, 360, 32), 2)],
    "help": [
        ("line", [*_arc(12, 15.2, 4.8, 170, -55, 28), (12, 9.2), (12, 7.8)], 2.4),
        ("disc", 12, 3.6, 1.7),
    ],
    "undo": [
        ("line", [(8, 20), (3.5, 15.5), (8, 11)], 2.2),
        ("line", [(4, 15.5), *_arc(14, 10, 5.5, 90, -90, 24), (8, 4.5)], 2.2),
    ],
    "redo": [
        ("line", [(16, 20), (20.5, 15.5), (16, 11)], 2.2),
        ("line", [(20, 15.5), *_arc(10, 10, 5.5, 90, 270, 24), (16, 4.5)], 2.2),
    ],
    "pause": [("fill", _box(5.5, 4, 10, 20)), ("fill", _box(14, 4, 18.5, 20))],
    "play": [("fill", [(6, 3), (21, 12), (6, 21)])],
    "check": [("line", [(4, 12.5), (9.5, 6.5), (20, 18)], 2.8)],
    "close": [("line", [(5.5, 5.5), (18.5, 18.5)], 2.4), ("line", [(5.5, 18.5), (18.5, 5.5)], 2.4)],
    "plus": [("line", [(12, 4), (12, 20)], 2.6), ("line", [(4, 12), (20, 12)], 2.6)],
    "minus": [("line", [(4, 12), (20, 12)], 2.6)],
    "swap": [
        ("line", [(4, 16), (20, 16)], 2.2),
        ("line", [(16, 20), (20, 16), (16, 12)], 2.2),
        ("line", [(20, 8), (4, 8)], 2.2),
        ("line", [(8, 12), (4, 8), (8, 4)], 2.2),
    ],
    "more": [("disc", 5, 12, 2.1), ("disc", 12, 12, 2.1), ("disc", 19, 12, 2.1)],
    "arbiter": [
        ("line", [(12, 3.5), (12, 20.5)], 2),
        ("line", [(7.5, 3.5), (16.5, 3.5)], 2),
        ("line", [(4.5, 17.5), (19.5, 17.5)], 2),
        ("line", [(1.8, 10), (4.8, 17.5), (7.8, 10)], 1.6),
        ("line", [(16.2, 10), (19.2, 17.5), (22.2, 10)], 1.6),
        ("fill", [*_arc(4.8, 10, 3.2, 180, 360, 16)]),
        ("fill", [*_arc(19.2, 10, 3.2, 180, 360, 16)]),
    ],
    "backspace": [
        ("line", [(8.5, 4.5), (21.5, 4.5), (21.5, 19.5), (8.5, 19.5), (2, 12), (8.5, 4.5)], 2),
        ("line", [(11, 8.5), (17.5, 15.5)], 2),
        ("line", [(11, 15.5), (17.5, 8.5)], 2),
    ],
    "warning": [
        ("line", [(12, 21), (22, 3.5), (2, 3.5), (12, 21)], 2),
        ("line", [(12, 15), (12, 9.5)], 2.2),
        ("disc", 12, 6.5, 1.3),
    ],
    "info": [
        ("line", _arc(12, 12, 9.5, 0, 360, 48), 2),
        ("line", [(12, 12), (12, 7)], 2.4),
        ("disc", 12, 16.2, 1.5),
    ],
    "trophy": [
        ("line", [(7, 20.5), (17, 20.5), (17, 14), *_arc(12, 14, 5, 0, -180, 18), (7, 20.5)], 2),
        ("line", [(7, 18.5), (3.2, 18.5), (3.8, 14.5), (7.4, 12.4)], 1.8),
        ("line", [(17, 18.5), (20.8, 18.5), (20.2, 14.5), (16.6, 12.4)], 1.8),
        ("line", [(12, 9), (12, 4)], 2),
        ("line", [(7.5, 3.5), (16.5, 3.5)], 2.2),
    ],
    "power": [("line", [(12, 21.5), (12, 12)], 2.4), ("line", _arc(12, 11, 8, 125, 415, 40), 2.2)],
    "save": [
        ("line", [(4, 8), (4, 3.5), (20, 3.5), (20, 8)], 2.2),
        ("line", [(12, 20.5), (12, 8.5)], 2.2),
        ("line", [(7, 13), (12, 8.5), (17, 13)], 2.2),
    ],
    "eye": [
        (
            "line",
            [(2, 12), (6.5, 17), (12, 18.5), (17.5, 17), (22, 12), (17.5, 7), (12, 5.5), (6.5, 7), (2, 12)],
            2,
        ),
        ("disc", 12, 12, 3.2),
    ],
    "hide": [
        (
            "line",
            [(2, 12), (6.5, 17), (12, 18.5), (17.5, 17), (22, 12), (17.5, 7), (12, 5.5), (6.5, 7), (2, 12)],
            2,
        ),
        ("line", [(4, 3), (20, 21)], 2.2),
    ],
    "sound": [
        ("fill", [(3, 8.5), (7, 8.5), (12, 4), (12, 20), (7, 15.5), (3, 15.5)]),
        ("line", _arc(12.5, 12, 4.5, -50, 50, 12), 2),
        ("line", _arc(12.5, 12, 8.5, -50, 50, 16), 2),
    ],
    "trash": [
        ("line", [(4, 18.5), (20, 18.5)], 2),
        ("line", [(6, 18.5), (7, 3), (17, 3), (18, 18.5)], 2),
        ("line", [(9.5, 18.5), (9.5, 21.2), (14.5, 21.2), (14.5, 18.5)], 1.8),
        ("line", [(10.4, 7), (10.2, 14.5)], 1.6),
        ("line", [(13.6, 7), (13.8, 14.5)], 1.6),
    ],
    "edit": [("line", [(4, 4), (5, 9), (16.5, 20.5), (20.5, 16.5), (9, 5), (4, 4)], 2)],
    "camera": [
        ("line", [(3, 5), (21, 5), (21, 17), (16.5, 17), (15, 20), (9, 20), (7.5, 17), (3, 17), (3, 5)], 2),
        ("line", _arc(12, 11, 3.8, 0, 360, 32), 2),
    ],
    "flag": [("line", [(5, 2.5), (5, 21.5)], 2.2), ("fill", [(5, 21), (20, 16), (5, 11)])],
    "plug": [
        ("line", [(8.5, 21), (8.5, 16)], 2),
        ("line", [(15.5, 21), (15.5, 16)], 2),
        ("line", [(5.5, 16), (18.5, 16), (18.5, 11), (15, 7.5), (9, 7.5), (5.5, 11), (5.5, 16)], 2),
        ("line", [(12, 7.5), (12, 2.5)], 2),
    ],
    "jump": [
        ("line", [(4, 5), (4, 19)], 2.2),
        ("line", [(8, 5), (15, 12), (8, 19)], 2.2),
        ("line", [(14, 5), (21, 12), (14, 19)], 2.2),
    ],
    "chart": [
        ("line", [(3.5, 20.5), (3.5, 3.5), (20.5, 3.5)], 2),
        ("line", [(7, 8), (11, 13), (14.5, 10), (20, 18)], 2),
    ],
    "lock": [
        ("line", _box(5, 3, 19, 13), 2),
        ("line", [(8, 13), (8, 16.5), *_arc(12, 16.5, 4, 180, 0, 16), (16, 13)], 2),
    ],
    "die6": [("fill", _rounded(1.2, 1.2, 22.8, 22.8, 4.2))],
    "die10": [("fill", [(12, 0.6), (22.6, 9.6), (20.6, 15.4), (12, 23.4), (3.4, 15.4), (1.4, 9.6)])],
    "die12": [("fill", _star(12, 11.2, 11.9, 11.9 * 0.809))],
    "note": [
        ("line", [(5, 3), (19, 3), (19, 15.5), (13.5, 21), (5, 21), (5, 3)], 2),
        ("line", [(8.5, 12.5), (15.5, 12.5)], 1.8),
        ("line", [(8.5, 8), (15.5, 8)], 1.8),
    ],
}


def _segment_distance(x: Any, y: Any, a: tuple[float, float], b: tuple[float, float]) -> Any:
    ax, ay, bx, by = *a, *b
    length = max(1e-9, (bx - ax) ** 2 + (by - ay) ** 2)
    along = np.clip(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length, 0, 1)
    return np.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay))


def _part_distance(part: Any, x: Any, y: Any) -> Any:
    """Return the signed distance to a part in grid units, negative inside."""
    kind = part[0]
    if kind == "disc":
        return np.hypot(x - part[1], y - part[2]) - part[3]
    points = part[1]
    if kind == "line":
        edges = [_segment_distance(x, y, a, b) for a, b in pairwise(points)]
        return np.min(edges, axis=0) - part[2] / 2
    closed = [*points, points[0]]
    distance = np.min([_segment_distance(x, y, a, b) for a, b in pairwise(closed)], axis=0)
    inside = np.zeros(x.shape, bool)
    for (ax, ay), (bx, by) in pairwise(closed):
        crosses = (ay > y) != (by > y)
        with np.errstate(divide="ignore", invalid="ignore"):
            inside ^= crosses & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    return np.where(inside, -distance, distance)


def draw(name: str, size_px: int) -> Any:
    """Return the coverage of a shape, uint8 of shape (size_px, size_px), row 0 on top."""
    step = 24 / size_px
    centres = (np.arange(size_px) + 0.5) * step
    x, y = np.meshgrid(centres, centres[::-1])
    covered = np.zeros((size_px, size_px))
    for part in SHAPES[name]:
        is_cut = part[0] == "cut"
        alpha = np.clip(0.5 - _part_distance(part[1] if is_cut else part, x, y) / step, 0, 1)
        covered = np.minimum(covered, 1 - alpha) if is_cut else np.maximum(covered, alpha)
    return np.round(covered * 255).astype(np.uint8)


def sheet(size_px: int) -> Any:
    """Return all shapes of one size on a sheet with one pixel between them, uint8 coverage."""
    pitch = size_px + 2
    rows = -(-len(NAMES) // COLUMNS)
    out = np.zeros((rows * pitch, COLUMNS * pitch), np.uint8)
    for i, name in enumerate(NAMES):
        top, left = i // COLUMNS * pitch + 1, i % COLUMNS * pitch + 1
        out[top : top + size_px, left : left + size_px] = draw(name, size_px)
    return out


def png(alpha: Any) -> bytes:
    """Return white pixels with the given coverage as the bytes of a PNG file."""
    height, width = alpha.shape
    rgba = np.full((height, width, 4), 255, np.uint8)
    rgba[..., 3] = alpha
    return png_bytes(rgba, 9)


def main() -> None:
    """Write every sheet."""
    folder = Path(art.__file__).parent / "art"
    folder.mkdir(exist_ok=True)
    for size_px in SIZES:
        (folder / f"icons-{size_px}.png").write_bytes(png(sheet(size_px)))


if __name__ == "__main__":
    main()

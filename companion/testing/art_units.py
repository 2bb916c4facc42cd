"""Draw the sheets of unit symbols: ``python -m companion.testing.art_units`` writes ``art/units-<width>.png`` from ``art/units/*.svg``.

A symbol is an SVG file of 48 x 32 with paths of one colour; holes are even-odd. A line of a sheet is covered exactly from left
to right and eight times from top to bottom, so edges are smooth. The program itself only loads the sheets, white, and tints
them. A test draws them again and compares.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from companion.testing.art_make import png
from companion.ui import art
from companion.ui.art import UNIT_COLUMNS, UNIT_WIDTHS, UNITS, unit_high

__all__ = ["draw", "main", "sheet"]

Points = list[tuple[float, float]]
Span = tuple[float, float]

_FOLDER = Path(art.__file__).parent / "art"
_WIDE = 48
_LINES = 8
"""So many lines of a symbol are looked at for one line of pixels."""
_STEPS = 16
"""A curve is drawn as so many straight lines."""
_NUMBERS = {"M": 2, "L": 2, "H": 1, "V": 1, "Q": 4, "T": 2, "C": 6, "S": 4, "A": 7, "Z": 0}
_TOKEN = re.compile(r"[A-Za-z]|[-+]?(?:\d+\.?\d*|\.\d+)")


def _commands(path: str) -> Iterator[tuple[str, list[float]]]:
    """Yield the commands of a path, one a group of numbers."""
    tokens, at, command = _TOKEN.findall(path), 0, ""
    while at < len(tokens):
        if tokens[at].isalpha():
            command, at = tokens[at], at + 1
        count = _NUMBERS[command.upper()]
        yield command, [float(one) for one in tokens[at : at + count]]
        at += count
        command = {"M": "L", "m": "l"}.get(command, command)


def _arc(start: tuple[float, float], numbers: list[float]) -> Points:
    """Return the points of a circle's arc as SVG names it: radius, radius, turn, large, sweep, end."""
    radius, (x0, y0), (x1, y1) = numbers[0], start, (numbers[5], numbers[6])
    half = math.hypot(x1 - x0, y1 - y0) / 2
    radius = max(radius, half)
    away = math.sqrt(max(0.0, radius * radius - half * half))
    side = 1 if bool(numbers[3]) != bool(numbers[4]) else -1
    cx = (x0 + x1) / 2 - side * away * (y1 - y0) / (2 * half)
    cy = (y0 + y1) / 2 + side * away * (x1 - x0) / (2 * half)
    first, last = math.atan2(y0 - cy, x0 - cx), math.atan2(y1 - cy, x1 - cx)
    if numbers[4] and last < first:
        last += 2 * math.pi
    elif not numbers[4] and last > first:
        last -= 2 * math.pi
    angles = [first + (last - first) * n / (2 * _STEPS) for n in range(1, 2 * _STEPS + 1)]
    return [(cx + radius * math.cos(a), cy + radius * math.sin(a)) for a in angles]


def _curve(points: Points) -> Points:
    """Return the points of a curve with one or two handles, without its first."""
    found = []
    for n in range(1, _STEPS + 1):
        t, line = n / _STEPS, points
        while len(line) > 1:
            line = [(a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t) for a, b in pairwise(line)]
        found.append(line[0])
    return found


def _outlines(path: str) -> list[Points]:
    """Return the closed outlines of a path as points."""
    found: list[Points] = []
    x = y = 0.0
    handle = (0.0, 0.0)
    for command, given in _commands(path):
        kind, numbers = command.upper(), list(given)
        if command.islower():
            start = 5 if kind == "A" else 0
            for n in range(start, len(numbers)):
                is_across = kind != "V" and (n - start) % 2 == 0
                numbers[n] += x if is_across else y
        if kind == "M":
            found.append([(numbers[0], numbers[1])])
        elif kind == "Z":
            found[-1].append(found[-1][0])
        elif kind in "LHV":
            found[-1].append((x if kind == "V" else numbers[0], y if kind == "H" else numbers[-1]))
        elif kind == "A":
            found[-1] += _arc((x, y), numbers)
        else:
            pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
            if kind in "TS":
                pairs.insert(0, (2 * x - handle[0], 2 * y - handle[1]))
            found[-1] += _curve([(x, y), *pairs])
            handle = pairs[-2]
        x, y = found[-1][-1]
        if kind not in "QTCS":
            handle = (x, y)
    return [[*outline, outline[0]] for outline in found]


def _spans(outlines: list[Points], y: float) -> list[Span]:
    """Return what a line crosses of a path, from left to right."""
    crossed = sorted(
        ax + (y - ay) * (bx - ax) / (by - ay)
        for outline in outlines
        for (ax, ay), (bx, by) in pairwise(outline)
        if (ay > y) != (by > y)
    )
    return list(zip(crossed[::2], crossed[1::2], strict=True))


def _joined(spans: list[Span]) -> Iterator[Span]:
    """Yield spans that lie apart, from those that may lie over each other."""
    start, end = math.inf, -math.inf
    for low, high in sorted(spans):
        if low > end:
            if end > start:
                yield start, end
            start, end = low, high
        end = max(end, high)
    if end > start:
        yield start, end


def draw(name: str, wide_px: int) -> Any:
    """Return the coverage of a symbol, uint8 of shape (`unit_high(wide_px)`, wide_px), row 0 on top."""
    root = ElementTree.parse(_FOLDER / "units" / f"{name}.svg").getroot()
    paths = [_outlines(one.attrib["d"]) for one in root.iter("{http://www.w3.org/2000/svg}path")]
    high_px, scale = unit_high(wide_px), wide_px / _WIDE
    covered = np.zeros((high_px, wide_px))
    left = np.arange(wide_px)
    for row in range(high_px):
        for line in range(_LINES):
            y = (row + (line + 0.5) / _LINES) / scale
            spans = [span for outlines in paths for span in _spans(outlines, y)]
            for low, high in _joined(spans):
                covered[row] += np.clip(
                    np.minimum(left + 1, high * scale) - np.maximum(left, low * scale), 0, 1
                )
    return np.round(np.clip(covered / _LINES, 0, 1) * 255).astype(np.uint8)


def sheet(wide_px: int) -> Any:
    """Return all symbols of one size on a sheet with one pixel around each, uint8 coverage."""
    wide, high = wide_px + 2, unit_high(wide_px) + 2
    out = np.zeros((-(-len(UNITS) // UNIT_COLUMNS) * high, UNIT_COLUMNS * wide), np.uint8)
    for i, name in enumerate(UNITS):
        top, left = i // UNIT_COLUMNS * high + 1, i % UNIT_COLUMNS * wide + 1
        out[top : top + high - 2, left : left + wide_px] = draw(name, wide_px)
    return out


def main() -> None:
    """Write every sheet."""
    for wide_px in UNIT_WIDTHS:
        (_FOLDER / f"units-{wide_px}.png").write_bytes(png(sheet(wide_px)))


if __name__ == "__main__":
    main()

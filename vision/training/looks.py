"""Sets of dice as they are made: solids, colours, inks, numerals and finishes, and what a studio keeps for them.

Colours are linear, in BGR order, 0 to 1, unless said otherwise.
"""

from __future__ import annotations

__all__ = ["COLOURS", "F32", "DiceLook", "Rng", "Studio", "blank_cube", "make_set"]

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training import surfaces
from vision.training.glyphs import TILE_PX, FontBook, Style, draw_number, draw_pips
from vision.training.solids import Solid, cube, dodecahedron, icosahedron, octahedron, trapezohedron

F32 = NDArray[np.float32]
Rng = np.random.Generator
COLOURS = ("white", "gray", "black", "blue", "yellow", "red", "purple", "green", "orange", "pink")


@dataclass(slots=True)
class DiceLook:
    """One set of dice: solid, look, numerals."""

    solid: Solid
    colour: str
    body: F32
    ink: F32
    finish: str
    inradius_mm: float
    atlas: F32
    bump: F32
    values: tuple[int, ...]
    sphere: float
    edge: float
    gloss: float
    shine: float
    corner_below: bool
    mark: str
    pattern: tuple[F32, F32, float, float]
    second: F32
    glow: float
    set_id: int
    room: float = 0.0
    """How much of the room (windows, faces) is mirrored."""


def _linear(srgb: NDArray[np.floating] | list[float]) -> F32:
    return (np.asarray(srgb, np.float32) / 255.0) ** 2.2


def _body_colour(rng: Rng, colour: str, *, silvery: bool = False) -> F32:
    """Pick a body colour (sRGB in BGR order, 0..255) that people would call ``colour``."""
    if colour == "white":
        level = rng.uniform(212, 252)
        bgr = level - np.array([rng.uniform(-4, 28), rng.uniform(-2, 10), 0])
    elif colour == "gray":
        level = rng.uniform(120, 192) if silvery else rng.uniform(80, 158)  # silver is called gray
        bgr = level + rng.uniform(-9, 9) * np.array([1, 0.1, -1])
    elif colour == "black":
        level = rng.uniform(12, 54)
        bgr = level + rng.uniform(-6, 6) * np.array([1, 0.2, -1])
    else:
        hue, sat, val = {
            "blue": ((100, 121), (140, 255), (75, 225)),
            "yellow": ((23, 31), (150, 255), (175, 250)),
            "red": ((-6, 5), (170, 255), (110, 230)),
            "purple": ((130, 148), (110, 235), (60, 175)),
            "green": ((45, 88), (90, 255), (60, 200)),
            "orange": ((8, 16), (180, 255), (190, 250)),
            "pink": ((152, 172), (70, 220), (195, 250)),
        }[colour]
        hsv = [rng.uniform(*hue) % 180, rng.uniform(*sat), rng.uniform(*val)]
        bgr = cv2.cvtColor(np.array([[hsv]], np.uint8), cv2.COLOR_HSV2BGR)[0, 0].astype(float)
    return _linear(np.clip(bgr, 3, 253))


def _ink_colour(rng: Rng, body: F32) -> F32:
    names = {
        "white": (240, 242, 245), "black": (14, 14, 14), "red": (25, 25, 185), "gold": (60, 150, 205),
        "silver": (180, 180, 178), "blue": (150, 50, 25), "yellow": (40, 210, 235),
    }  # fmt: skip
    lum = float(body @ np.array([0.07, 0.72, 0.21]))
    for _ in range(20):
        weights = np.array([0.32, 0.28, 0.1, 0.12, 0.1, 0.04, 0.04])
        name = str(rng.choice(list(names), p=weights))
        ink = _linear(np.clip(np.array(names[name]) + rng.integers(-14, 15, 3), 4, 252))
        distance = float(np.abs(ink ** (1 / 2.2) - body ** (1 / 2.2)).sum())
        if distance > (0.45 if rng.random() < 0.12 else 0.8):
            return ink
    return _linear([10, 10, 10]) if lum > 0.2 else _linear([240, 240, 240])


@lru_cache(maxsize=32)
def _d10(elevation_deg: int, up_to_pole: bool) -> Solid:
    return trapezohedron(float(elevation_deg), up_to_pole=up_to_pole)


@lru_cache(maxsize=2)
def _d12(corner_below: bool) -> Solid:
    return dodecahedron(corner_below=corner_below)


@lru_cache(maxsize=1)
def _d6() -> Solid:
    return cube()


@lru_cache(maxsize=2)
def _other(faces: int) -> Solid:
    return octahedron() if faces == 8 else icosahedron()


class Studio:
    """What is made once and used for many scenes: fonts, surfaces, noise."""

    def __init__(
        self, seed: int, *, surfaces_count: int = 40, held_out: bool = False, book: FontBook | None = None
    ) -> None:
        self.book = book or FontBook.scan()
        if held_out:
            self.book = FontBook(train=list(self.book.held_out), held_out=list(self.book.held_out))
        rng = np.random.default_rng([seed, 77])
        self.surfaces = [surfaces.make_surface(rng, self.book) for _ in range(surfaces_count)]
        self.noise = surfaces.noise_field(rng, (256, 256), 24, 4)
        self.speckle = (rng.random((256, 256)) < 0.012).astype(np.float32)
        self.speckle = cv2.GaussianBlur(self.speckle, (3, 3), 0.7)
        self.speckle = np.clip(self.speckle * 2.5, 0, 1)
        self.grain = rng.standard_normal((1300, 1300, 3), dtype=np.float32)


def _layout(rng: Rng, solid: Solid) -> tuple[int, ...]:
    """Give every face a number; opposite faces sum to the usual total."""
    count = len(solid.faces)
    total = {20: 21, 12: 13, 10: 9, 8: 9, 6: 7}[count]
    pairs = [(a, total - a) for a in range(0 if count == 10 else 1, total // 2 + 1)]
    order = rng.permutation(len(pairs))
    values = [-1] * count
    k = 0
    for face in range(count):
        if values[face] < 0:
            a, b = pairs[order[k]]
            if rng.random() < 0.5:
                a, b = b, a
            values[face], values[solid.opposite[face]] = a, b
            k += 1
    return tuple(values)


_FINISHES = ("glossy", "satin", "matte", "pearl", "speckled", "marbled", "clear", "layered")
"""The last are two colours poured one on the other; the first of them names the die."""
_USUAL = (0.26, 0.17, 0.11, 0.12, 0.12, 0.1, 0.12, 0.0)
_NUMBERED = (0.2, 0.1, 0.05, 0.1, 0.15, 0.1, 0.15, 0.15)
"""How often d6 with numerals, which are sold in sets with d10 and d20, are made so; layered ones have two colours."""


def make_set(
    rng: Rng, studio: Studio, kind: str, colour: str, set_id: int, *, is_numbered: bool = False
) -> DiceLook:
    """Design one set of dice of one colour; ``is_numbered`` are d6 that have numerals, never pips."""
    corner_below = bool(rng.random() < 0.17)
    pips = False
    if kind == "d12":
        solid = _d12(corner_below)
        inradius = rng.uniform(7.6, 10.2)
        sphere = rng.uniform(1.2, 1.32)
    elif kind == "d10":
        solid = _d10(int(rng.integers(40, 52)), bool(rng.random() < 0.75))
        inradius = rng.uniform(6.0, 8.2)
        sphere = rng.uniform(1.35, 2.0)
    elif kind == "other":
        solid = _other(int(rng.choice([8, 20])))
        inradius = rng.uniform(5.5, 7.5) if len(solid.faces) == 8 else rng.uniform(7.5, 10.0)
        sphere = rng.uniform(1.4, 1.75) if len(solid.faces) == 8 else rng.uniform(1.16, 1.3)
    else:
        solid = _d6()
        inradius = rng.uniform(6.5, 9.0)
        sphere = rng.uniform(1.36, 1.78)
        pips = bool(rng.random() < 0.5)
    pips = pips and not is_numbered
    finish = str(rng.choice(_FINISHES, p=_NUMBERED if is_numbered else _USUAL))
    body = _body_colour(rng, colour, silvery=finish in ("pearl", "marbled"))
    ink = _ink_colour(rng, body)
    font = str(rng.choice(studio.book.train))
    thin = studio.book.text(font, "8", 48).mean() < 0.42
    height = (
        rng.uniform(0.72, 1.12)
        if kind == "d12"
        else rng.uniform(0.62, 1.0)
        if kind == "d10"
        else rng.uniform(0.55, 1.1)
        if kind == "d6"
        else rng.uniform(0.45, 0.75)
    )
    style = Style(
        font=font,
        height=height,
        mark=str(rng.choice(["underline", "dot", "none"], p=[0.46, 0.34, 0.2])),
        bold_px=int(rng.integers(0, 3)) + (2 if thin else 0),
        dot_side=float(rng.choice([1, 1, 1, 1, 1, 0, -1])),
        squeeze=rng.uniform(0.85, 1.1),
    )
    values = _layout(rng, solid)
    ten = bool(rng.random() < 0.4)
    mark_all = kind == "d6"
    tiles = []
    radius, spread = rng.uniform(0.11, 0.19), rng.uniform(0.34, 0.45)
    for value in values:
        if pips:
            tiles.append(
                draw_pips(
                    value, radius=radius * (1.35 if value == 1 and rng.random() < 0.2 else 1), spread=spread
                )
            )
        else:
            text = "10" if kind == "d10" and value == 0 and ten else str(value)
            tiles.append(
                draw_number(
                    studio.book, style, text, marked=value in (6, 9) and not (mark_all and rng.random() < 0.4)
                )
            )
    wear = rng.uniform(0.05, 0.4) if rng.random() < 0.28 else 0.0
    if wear:
        eaten = surfaces.noise_field(rng, (TILE_PX, TILE_PX * len(tiles)), 7, 2) < wear
        joined = np.concatenate(tiles, axis=1) * ~eaten
        tiles = np.split(joined, len(tiles), axis=1)
    atlas = cv2.GaussianBlur(np.concatenate(tiles, axis=1).astype(np.float32), (0, 0), 0.8)
    soft = cv2.GaussianBlur(atlas, (0, 0), 1.6)
    bump = np.dstack([cv2.Sobel(soft, cv2.CV_32F, 1, 0), -cv2.Sobel(soft, cv2.CV_32F, 0, 1)])
    bump *= rng.uniform(0.0, 0.35)
    a, b = rng.normal(size=(2, 3)).astype(np.float32)
    second = _linear(
        np.clip(255 * (body ** (1 / 2.2)) * rng.uniform(0.55, 1.5) + rng.uniform(-10, 30), 4, 250)
    )
    if finish == "speckled":
        second = _linear([225, 225, 225]) if body.mean() < 0.3 else _linear([30, 30, 30])
        if rng.random() < 0.4:  # flecks of another colour, as orange ones on red
            second = _linear(rng.integers(10, 246, 3).astype(np.float32))
    if finish == "layered":
        second = _body_colour(rng, str(rng.choice(COLOURS)))
    gloss = {
        "layered": 0.7,
        "glossy": 0.9,
        "satin": 0.4,
        "matte": 0.08,
        "pearl": 0.6,
        "speckled": 0.5,
        "marbled": 0.6,
        "clear": 0.9,
    }[finish]
    return DiceLook(
        solid, colour, body, ink, finish, inradius, atlas, bump, values, sphere,
        edge=rng.uniform(25, 110), gloss=gloss * rng.uniform(0.7, 1.3),
        shine={"glossy": 120.0, "satin": 25.0, "matte": 8.0}.get(finish, 60.0) * rng.uniform(0.5, 2.5),
        corner_below=corner_below and kind == "d12", mark=style.mark if not pips else "none",
        pattern=(a, b, rng.uniform(10, 45), rng.uniform(0.25, 0.9)), second=second,
        glow=float(rng.uniform(0.2, 0.75)) if finish == "clear" else 0.0, set_id=set_id,
        room=float(rng.uniform(0, 3)) if rng.random() < 0.5 else 0.0,
    )  # fmt: skip


def blank_cube(rng: Rng) -> DiceLook:
    """A wooden or plastic game cube without marks: no die."""
    body = _linear(rng.integers(15, 245, 3).astype(np.float32))
    empty = np.zeros((TILE_PX, TILE_PX * 6), np.float32)
    one = np.ones(3, np.float32)
    bump = np.zeros((*empty.shape, 2), np.float32)
    return DiceLook(
        _d6(), "none", body, body, "satin", rng.uniform(3.5, 6.5), empty, bump, (1,) * 6, rng.uniform(1.5, 1.8), 60,
        rng.uniform(0, 0.5), 25, False, "none", (one, one, 10, 0.3), body, 0.0, -1,
    )  # fmt: skip

"""Glyph tiles: what is engraved on a face, as masks; fonts from the system when there are any, strokes otherwise.

A tile is a float32 array (TILE_PX, TILE_PX), 1 = ink, whose half side stands for the face's ``unit``. Row 0 is the
numeral's top.
"""

from __future__ import annotations

__all__ = ["TILE_PX", "FontBook", "Style", "draw_number", "draw_pips"]

import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

TILE_PX = 96
Mask = NDArray[np.float32]

_SKIP = re.compile(
    r"noto|dingbat|symbol|d050000|math|emoji|icon|ocr|fallback|musix|cmsy|cmex|cmmi|barcode|braille|music|sketch",
    re.I,
)
_HEAVY = re.compile(r"bold|black|heavy|semi|demi|medium|book|regular|bd|roman", re.I)
_HERSHEY = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
)


@dataclass(frozen=True, slots=True)
class Style:
    """How the numerals of one set of dice are cut."""

    font: str
    height: float
    """Height of one digit in units of the face (0.6 to 1.1)."""
    mark: str
    """How 6 and 9 are told apart: underline, dot, none."""
    spacing: float = 0.0
    bold_px: int = 0
    dot_side: float = 1.0
    squeeze: float = 1.0


@dataclass
class FontBook:
    """The fonts found on this machine, split into those for training and those kept for validation.

    Falls back to OpenCV's stroke fonts when Pillow or fonts are missing, so that everything runs anywhere.
    """

    train: list[str] = field(default_factory=list)
    held_out: list[str] = field(default_factory=list)
    _cache: dict[tuple[str, str, int], Mask] = field(default_factory=dict, repr=False)

    @classmethod
    def scan(cls, root: str = "/usr/share/fonts", limit: int = 0) -> FontBook:
        """List usable fonts under ``root``: digits drawn, all different, not too thin; families split by name."""
        book = cls()
        try:
            import PIL  # noqa: F401
        except ImportError:
            return cls.strokes()
        names = sorted(str(p) for p in Path(root).rglob("*") if p.suffix.lower() in (".ttf", ".otf"))
        names = [n for n in names if not _SKIP.search(n) and _HEAVY.search(Path(n).stem)]
        reference = None
        for name in names[:limit] if limit else names:
            shapes = book._shapes(name)
            if shapes is None:
                continue
            if reference is None and "DejaVuSans-Bold.ttf" in name:
                reference = shapes
            family = re.split(r"[-_ ]", Path(name).stem)[0].lower()
            family = re.sub(r"(bold|italic|regular|medium)+$", "", family)
            (book.held_out if zlib.crc32(family.encode()) % 7 == 0 else book.train).append(name)
        if len(book.train) < 4 or len(book.held_out) < 2:
            return cls.strokes()
        return book

    @classmethod
    def strokes(cls) -> FontBook:
        """Return a book of OpenCV's own stroke fonts only."""
        return cls(train=[f"hershey:{f}" for f in _HERSHEY[:3]], held_out=[f"hershey:{_HERSHEY[3]}"])

    def _shapes(self, name: str) -> NDArray[np.float32] | None:
        """Return ten 24x24 digits of a font, or None when it cannot serve."""
        try:
            digits = [self.text(name, str(d), 48) for d in range(10)]
        except (OSError, ValueError, ZeroDivisionError):
            return None
        if any(d.size == 0 or d.max() < 0.5 for d in digits):
            return None
        small = np.stack([cv2.resize(d, (24, 24), interpolation=cv2.INTER_AREA) for d in digits])
        flat = small.reshape(10, -1)
        flat = (flat - flat.mean(axis=1, keepdims=True)) / (flat.std(axis=1, keepdims=True) + 1e-6)
        same = flat @ flat.T / flat.shape[1]
        np.fill_diagonal(same, 0)
        wide = [d.shape[1] / d.shape[0] for d in digits]
        ink = float(np.mean([d.mean() for d in digits[2:]]))
        if same.max() > 0.93 or max(wide) > 1.7 or not 0.2 < ink < 0.85:
            return None
        return small

    def text(self, font: str, text: str, height_px: int) -> Mask:
        """Draw ``text`` tightly cut: float32 mask whose digits are ``height_px`` tall; ValueError for a font without them."""
        key = (font, text, height_px)
        hit = self._cache.get(key)
        if hit is not None:
            return hit
        if font.startswith("hershey:"):
            face = int(font.split(":")[1])
            scale = height_px / 21.0
            thick = max(1, round(height_px / 8))
            (w, h), base = cv2.getTextSize(text, face, scale, thick)
            canvas = np.zeros((h + base + 2 * thick + 8, w + 2 * thick + 8), np.uint8)
            cv2.putText(canvas, text, (thick + 4, h + thick + 4), face, scale, 255, thick, cv2.LINE_AA)
        else:
            canvas = _pillow_text(font, text, height_px)
        ys, xs = np.nonzero(canvas > 64)
        if len(ys) == 0:
            raise ValueError(f"{font} draws nothing for {text!r}")
        cut: Mask = canvas[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1].astype(np.float32) / np.float32(
            255
        )
        if len(self._cache) > 4000:
            self._cache.clear()
        self._cache[key] = cut
        return cut


_FONTS: dict[tuple[str, int], Any] = {}


def _pillow_text(font: str, text: str, height_px: int) -> NDArray[np.uint8]:
    from PIL import Image, ImageDraw, ImageFont

    key = (font, height_px)
    if key not in _FONTS:
        probe = ImageFont.truetype(font, 100)
        box = probe.getbbox("0")
        tall = max(10, box[3] - box[1])
        if len(_FONTS) > 600:
            _FONTS.clear()
        _FONTS[key] = ImageFont.truetype(font, max(6, round(100 * height_px / tall)))
    face = _FONTS[key]
    box = face.getbbox(text)
    image = Image.new("L", (int(box[2] - box[0]) + 8, int(box[3] - box[1]) + 8))
    ImageDraw.Draw(image).text((4 - box[0], 4 - box[1]), text, fill=255, font=face)
    return np.asarray(image)


def draw_number(book: FontBook, style: Style, text: str, *, marked: bool) -> Mask:
    """Draw a numeral upright in the middle of a tile; ``marked`` adds the sign that tells 6 from 9."""
    size = TILE_PX
    height = max(8, round(style.height * size / 2))
    if len(text) == 2:
        height = round(height * 0.86)
    glyph = book.text(style.font, text, height)
    if style.squeeze != 1.0:
        glyph = cv2.resize(glyph, (max(2, round(glyph.shape[1] * style.squeeze)), glyph.shape[0]))
    limit = 0.66 * size
    if glyph.shape[1] > limit:
        shrink = limit / glyph.shape[1]
        glyph = cv2.resize(
            glyph, (int(limit), max(4, round(glyph.shape[0] * shrink))), interpolation=cv2.INTER_AREA
        )
    if style.bold_px:
        glyph = cv2.copyMakeBorder(glyph, 2, 2, 2, 2, cv2.BORDER_CONSTANT, value=0)
        glyph = cv2.dilate(glyph, np.ones((1 + style.bold_px, 1 + style.bold_px), np.uint8))
    tile = np.zeros((size, size), np.float32)
    h, w = glyph.shape
    y, x = (size - h) // 2, (size - w) // 2
    tile[y : y + h, x : x + w] = glyph
    if marked and style.mark == "underline":
        thick = max(2, round(h * 0.11))
        top = y + h + max(2, round(h * 0.1))
        half = round(w * 0.5)
        cv2.rectangle(tile, (size // 2 - half, top), (size // 2 + half, top + thick), 1.0, -1)
    elif marked and style.mark == "dot":
        r = max(2.0, h * 0.075)
        cx = size / 2 + style.dot_side * (w / 2 + r + max(1.5, h * 0.06))
        if style.dot_side == 0:
            centre = (size / 2, y + h + r + max(2.0, h * 0.1))
        else:
            centre = (cx, y + h - r)
        cv2.circle(tile, (round(centre[0] * 8), round(centre[1] * 8)), round(r * 8), 1.0, -1, cv2.LINE_AA, 3)
    return tile


def draw_pips(value: int, *, radius: float = 0.2, spread: float = 0.5) -> Mask:
    """Draw the pips of a d6 face; lengths in face units (half side of the tile)."""
    places = {
        1: [(0, 0)],
        2: [(-1, -1), (1, 1)],
        3: [(-1, -1), (0, 0), (1, 1)],
        4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
        5: [(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)],
        6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
    }[value]
    tile = np.zeros((TILE_PX, TILE_PX), np.float32)
    half = TILE_PX / 2
    for px, py in places:
        centre = (round((half + px * spread * half) * 8), round((half + py * spread * half) * 8))
        cv2.circle(tile, centre, round(radius * half * 8), 1.0, -1, cv2.LINE_AA, 3)
    return tile

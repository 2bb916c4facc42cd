"""Table surfaces and things that are no dice, as flat BGR pictures (uint8) to be laid on the table plane."""

from __future__ import annotations

__all__ = ["Sticker", "coin", "counter", "make_surface", "marker", "noise_field", "paper", "pencil"]

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.glyphs import FontBook

Image = NDArray[np.uint8]
Rng = np.random.Generator
_WORDS = (
    "north", "sea", "gulf", "hills", "pass", "fort", "bay", "cape", "isle", "river", "move", "fire", "unit", "turn",
    "record", "stage", "supply", "air", "land", "port",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sticker:
    """A flat thing on the table: its picture, cover (255 = there), size on the table and height."""

    image: Image
    cover: Image
    width_mm: float
    depth_mm: float
    height_mm: float
    name: str


def noise_field(rng: Rng, shape: tuple[int, int], scale_px: float, octaves: int = 3) -> NDArray[np.float32]:
    """Return smooth noise in 0..1 with features of about ``scale_px``."""
    h, w = shape
    total = np.zeros(shape, np.float32)
    weight = 1.0
    for _ in range(octaves):
        gh, gw = max(2, int(h / scale_px) + 2), max(2, int(w / scale_px) + 2)
        grid = rng.random((gh, gw), dtype=np.float32)
        total += weight * cv2.resize(grid, (w, h), interpolation=cv2.INTER_CUBIC)
        weight *= 0.5
        scale_px = max(2.0, scale_px / 2)
    low, high = float(total.min()), float(total.max())
    return np.asarray((total - low) / max(1e-6, high - low), np.float32)


def _tint(rng: Rng, bgr: tuple[int, int, int], spread: int = 18) -> NDArray[np.float32]:
    return np.clip(np.array(bgr, np.float32) + rng.integers(-spread, spread + 1, 3), 4, 250).astype(
        np.float32
    )


def _text(  # noqa: PLR0917 - drawing
    image: Image, book: FontBook, rng: Rng, text: str, at: tuple[int, int], px: int, bgr: tuple[int, ...]
) -> None:
    """Print a word into an image; what falls outside is cut."""
    font = str(rng.choice(book.train))
    try:
        mask = book.text(font, text, px)
    except (ValueError, OSError):
        return
    turn = rng.random()
    if turn < 0.15:
        mask = np.ascontiguousarray(np.rot90(mask))
    elif turn < 0.25:
        mask = np.ascontiguousarray(np.rot90(mask, 2))
    x, y = at
    h = min(mask.shape[0], image.shape[0] - y)
    w = min(mask.shape[1], image.shape[1] - x)
    if h <= 0 or w <= 0:
        return
    m = mask[:h, :w, None]
    spot = image[y : y + h, x : x + w]
    spot[:] = (spot * (1 - m) + np.array(bgr, np.float32) * m).astype(np.uint8)


def _felt(rng: Rng, size: int) -> Image:
    base = _tint(
        rng,
        [(40, 95, 25), (35, 60, 20), (30, 20, 130), (25, 22, 22), (110, 50, 25), (70, 70, 70)][
            rng.integers(6)
        ],
        25,
    )
    fibre = noise_field(rng, (size, size), rng.uniform(2, 5), 1)
    clump = noise_field(rng, (size, size), rng.uniform(8, 40), 2)
    shade = 1 + rng.uniform(0.1, 0.5) * (fibre - 0.5) + rng.uniform(0, 0.4) * (clump - 0.5)
    return np.clip(base * shade[..., None], 0, 255).astype(np.uint8)


def _wood(rng: Rng, size: int) -> Image:
    base = _tint(
        rng,
        [(60, 100, 150), (40, 65, 110), (90, 130, 170), (30, 45, 75), (120, 160, 195), (50, 70, 130)][
            rng.integers(6)
        ],
    )
    long = int(rng.integers(6, 14))
    grain = cv2.resize(noise_field(rng, (size // long, size), rng.uniform(3, 9), 2), (size, size))
    grain = grain if rng.random() < 0.5 else np.ascontiguousarray(grain.T)
    if grain.shape[0] == size and rng.random() < 0.7:
        warp = noise_field(rng, (size, size), 200, 1) * rng.uniform(0, 60)
        yy, xx = np.mgrid[0:size, 0:size].astype(np.float32)
        grain = cv2.remap(grain, xx + warp, yy + warp, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    shade = 1 + rng.uniform(0.15, 0.6) * (grain - 0.5)
    out = np.clip(base * shade[..., None], 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        step = int(rng.integers(size // 8, size // 3))
        for x in range(step, size, step):
            cv2.line(out, (x, 0), (x, size), (base * 0.35).tolist(), 2, cv2.LINE_AA)
    return out


def _plain(rng: Rng, size: int) -> Image:
    base = _tint(
        rng,
        [
            (235, 238, 240),
            (215, 220, 222),
            (180, 185, 190),
            (140, 140, 140),
            (30, 30, 30),
            (190, 210, 225),
            (60, 55, 150),
            (120, 90, 60),
        ][rng.integers(8)],
        14,
    )
    shade = 1 + rng.uniform(0, 0.12) * (noise_field(rng, (size, size), 300, 2) - 0.5)
    shade = shade + rng.uniform(0, 0.06) * rng.standard_normal((size, size), dtype=np.float32)
    return np.clip(base * shade[..., None], 0, 255).astype(np.uint8)


def _map(rng: Rng, size: int, book: FontBook) -> Image:
    sea = _tint(rng, [(170, 140, 90), (200, 190, 150), (150, 110, 60), (190, 200, 205)][rng.integers(4)], 25)
    land = [
        _tint(rng, c, 25)
        for c in (
            (150, 205, 225),
            (120, 180, 170),
            (170, 195, 235),
            (110, 160, 200),
            (190, 160, 210),
            (140, 190, 140),
        )
    ]
    field = noise_field(rng, (size, size), rng.uniform(120, 400), 4)
    tone = noise_field(rng, (size, size), rng.uniform(60, 200), 3)
    level = rng.uniform(0.35, 0.6)
    pick = (
        np.clip((tone * len(land)).astype(int), 0, len(land) - 1)
        if rng.random() < 0.6
        else np.zeros((size, size), int)
    )
    out = np.where((field > level)[..., None], np.stack(land)[pick], sea)
    out = out * (1 + rng.uniform(0, 0.5) * (noise_field(rng, (size, size), 30, 3)[..., None] - 0.5))
    out = np.clip(out, 0, 255).astype(np.uint8)
    edges, _ = cv2.findContours((field > level).astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    cv2.drawContours(out, edges, -1, rng.integers(0, 90, 3).tolist(), int(rng.integers(1, 4)), cv2.LINE_AA)
    if rng.random() < 0.4:
        step = int(rng.integers(60, 200))
        for a in range(0, size, step):
            cv2.line(out, (a, 0), (a, size), (90, 90, 90), 1, cv2.LINE_AA)
            cv2.line(out, (0, a), (size, a), (90, 90, 90), 1, cv2.LINE_AA)
    for _ in range(rng.integers(3, 14)):
        p = rng.integers(0, size, (rng.integers(2, 6), 2)).astype(np.int32)
        cv2.polylines(out, [p], False, rng.integers(0, 200, 3).tolist(), int(rng.integers(1, 4)), cv2.LINE_AA)
    for _ in range(rng.integers(10, 40)):
        text = str(rng.integers(0, 13)) if rng.random() < 0.5 else str(rng.choice(_WORDS)).title()
        at = (int(rng.integers(0, size)), int(rng.integers(0, size)))
        px = int(rng.integers(9, 46))
        ink = tuple(int(v) for v in rng.integers(0, 110, 3))
        style = rng.random()
        if len(text) < 3 and style < 0.75:
            fill = (
                rng.integers(60, 255, 3).tolist() if rng.random() < 0.7 else rng.integers(0, 60, 3).tolist()
            )
            r = int(px * rng.uniform(0.9, 1.5))
            centre = (at[0] + px // 3, at[1] + px // 2)
            if style < 0.3:
                cv2.circle(out, centre, r, fill, -1, cv2.LINE_AA)
                cv2.circle(out, centre, r, (20, 20, 20), 1, cv2.LINE_AA)
            elif style < 0.55:
                cv2.rectangle(out, (centre[0] - r, centre[1] - r), (centre[0] + r, centre[1] + r), fill, -1)
                cv2.rectangle(
                    out, (centre[0] - r, centre[1] - r), (centre[0] + r, centre[1] + r), (20, 20, 20), 1
                )
            else:
                sides = int(rng.choice([5, 6, 10]))
                turn = rng.uniform(0, 6.28)
                poly = [
                    (
                        centre[0] + r * np.cos(turn + 6.2832 * i / sides),
                        centre[1] + r * np.sin(turn + 6.2832 * i / sides),
                    )
                    for i in range(sides)
                ]
                cv2.fillPoly(out, [np.array(poly, np.int32)], fill, cv2.LINE_AA)
            if sum(fill) < 200:
                ink = (230, 230, 230)
        _text(out, book, rng, text, at, px, ink)
    for _ in range(rng.integers(0, 3)):
        x, y = rng.integers(0, size - 100, 2)
        w, h = rng.integers(80, 350, 2)
        fill = rng.integers(120, 255, 3).tolist()
        cv2.rectangle(out, (int(x), int(y)), (int(x + w), int(y + h)), fill, -1)
        cv2.rectangle(out, (int(x), int(y)), (int(x + w), int(y + h)), (20, 20, 30), int(rng.integers(1, 6)))
        _text(
            out,
            book,
            rng,
            str(rng.choice(_WORDS)).upper(),
            (int(x + 10), int(y + 10)),
            int(rng.integers(14, 60)),
            (10, 10, 20),
        )
    for _ in range(rng.integers(0, 2)):
        x, y = rng.integers(0, size - 60, 2)
        box = int(rng.integers(24, 70))
        dark = rng.random() < 0.35
        for i in range(1, 13):
            fill = (225, 230, 235) if rng.random() < 0.8 else (170, 180, 190)
            fill = tuple(int(v) for v in rng.integers(20, 75, 3)) if dark else fill
            cv2.rectangle(out, (int(x + i * box), int(y)), (int(x + i * box + box), int(y + box)), fill, -1)
            cv2.rectangle(
                out, (int(x + i * box), int(y)), (int(x + i * box + box), int(y + box)), (20, 20, 20), 1
            )
            _text(
                out,
                book,
                rng,
                str(i),
                (int(x + i * box + box // 4), int(y + box // 4)),
                box // 2,
                (235, 235, 235) if dark else (10, 10, 10),
            )
    return out


def make_surface(rng: Rng, book: FontBook, size: int = 1024) -> tuple[Image, str]:
    """Draw a table surface of ``size`` square pixels; returns it with its kind."""
    kind = str(rng.choice(["felt", "wood", "plain", "map", "map"]))
    if kind == "felt":
        return _felt(rng, size), kind
    if kind == "wood":
        return _wood(rng, size), kind
    if kind == "plain":
        return _plain(rng, size), kind
    return _map(rng, size, book), kind


def paper(rng: Rng, book: FontBook) -> Sticker:
    """Draw a sheet with a table of numbers and lines of words."""
    w, h = 420, int(rng.integers(420, 620))
    out = np.empty((h, w, 3), np.uint8)
    out[:] = _tint(rng, (232, 236, 240), 12).astype(np.uint8)
    y = 12
    _text(out, book, rng, str(rng.choice(_WORDS)).upper(), (20, y), int(rng.integers(16, 36)), (10, 10, 10))
    y += 50
    while y < h - 40:
        if rng.random() < 0.6:
            cell_w, cell_h = int(rng.integers(28, 60)), int(rng.integers(22, 40))
            for row in range(int(rng.integers(2, 6))):
                for column in range((w - 30) // cell_w):
                    x0, y0 = 15 + column * cell_w, y + row * cell_h
                    if rng.random() < 0.25:
                        cv2.rectangle(out, (x0, y0), (x0 + cell_w, y0 + cell_h), (200, 205, 210), -1)
                    cv2.rectangle(out, (x0, y0), (x0 + cell_w, y0 + cell_h), (40, 40, 40), 1)
                    text = (
                        str(rng.integers(1, 13))
                        if rng.random() < 0.7
                        else str(rng.choice(["EX", "D1", "A2", "-"]))
                    )
                    _text(out, book, rng, text, (x0 + 6, y0 + 5), int(cell_h * 0.5), (20, 20, 20))
            y += 6 * 30
        else:
            x = 15
            while x < w - 60:
                word = str(rng.choice(_WORDS))
                _text(out, book, rng, word, (x, y), 11, (40, 40, 40))
                x += 12 * len(word)
            y += 22
    wide = rng.uniform(110, 220)
    return Sticker(out, np.full((h, w), 255, np.uint8), wide, wide * h / w, 0.2, "paper")


def coin(rng: Rng, book: FontBook) -> Sticker:
    """Draw a coin: rim, beads, number."""
    s = 128
    base = _tint(
        rng,
        [(110, 150, 190), (80, 120, 180), (170, 180, 185), (120, 190, 215), (60, 90, 140)][rng.integers(5)],
    )
    out = np.zeros((s, s, 3), np.uint8)
    cover = np.zeros((s, s), np.uint8)
    cv2.circle(cover, (64, 64), 62, 255, -1, cv2.LINE_AA)
    out[:] = base.astype(np.uint8)
    shade = 1 + 0.25 * (noise_field(rng, (s, s), 30, 2)[..., None] - 0.5)
    out = np.clip(out * shade, 0, 255).astype(np.uint8)
    dark = (base * 0.6).tolist()
    cv2.circle(out, (64, 64), 61, (base * 0.75).tolist(), 3, cv2.LINE_AA)
    cv2.circle(out, (64, 64), int(rng.integers(46, 58)), dark, int(rng.integers(1, 4)), cv2.LINE_AA)
    if rng.random() < 0.6:
        for a in np.linspace(0, 6.2832, int(rng.integers(16, 40)), endpoint=False):
            cv2.circle(out, (int(64 + 54 * np.cos(a)), int(64 + 54 * np.sin(a))), 2, dark, -1, cv2.LINE_AA)
    _text(
        out,
        book,
        rng,
        str(rng.choice(["1", "2", "5", "10", "20", "50"])),
        (44, 40),
        int(rng.integers(30, 52)),
        tuple(dark),
    )
    if rng.random() < 0.65:
        out = _struck(rng, book, base)
    wide = rng.uniform(15, 30)
    return Sticker(out, cover, wide, wide, 1.8, "coin")


def _struck(rng: Rng, book: FontBook, base: NDArray[np.float32]) -> Image:
    """Draw a coin's face in relief: no ink, edges lit from one side, a sheen that turns around its middle."""
    s = 128
    tall = np.zeros((s, s, 3), np.uint8)
    cv2.circle(tall, (64, 64), 60, (255, 255, 255), int(rng.integers(3, 7)), cv2.LINE_AA)
    if rng.random() < 0.7:
        ring = int(rng.integers(48, 56))
        for a in np.linspace(0, 6.2832, int(rng.integers(14, 44)), endpoint=False):
            at = (int(64 + ring * np.cos(a)), int(64 + ring * np.sin(a)))
            cv2.circle(tall, at, int(rng.integers(1, 4)), (255, 255, 255), -1, cv2.LINE_AA)
    px = int(rng.integers(26, 60))
    if rng.random() < 0.8:
        number = str(rng.choice(["1", "2", "5", "10", "20", "50", "7", "3"]))
        _text(tall, book, rng, number, (64 - px // 3 * len(number), 64 - px // 2), px, (255, 255, 255))
    else:
        p = rng.integers(34, 96, (int(rng.integers(4, 10)), 2)).astype(np.int32)
        cv2.fillPoly(tall, [p], (255, 255, 255), cv2.LINE_AA)
    height = cv2.GaussianBlur(tall[..., 0].astype(np.float32), (0, 0), float(rng.uniform(0.8, 2.2)))
    turn = rng.uniform(0, 6.2832)
    relief = cv2.Sobel(height, cv2.CV_32F, 1, 0) * np.cos(turn) + cv2.Sobel(
        height, cv2.CV_32F, 0, 1
    ) * np.sin(turn)
    yy, xx = np.mgrid[0:s, 0:s].astype(np.float32) - 64
    sheen = np.cos(int(rng.integers(1, 3)) * (np.arctan2(yy, xx) - turn)) * rng.uniform(0, 0.3)
    shade = 1 + sheen + relief / 255 * rng.uniform(0.15, 0.7) - height / 255 * rng.uniform(-0.1, 0.3)
    shade += 0.2 * (noise_field(rng, (s, s), float(rng.uniform(3, 30)), 2) - 0.5)
    return np.clip(base * rng.uniform(0.4, 1.15) * shade[..., None], 0, 255).astype(np.uint8)


def counter(rng: Rng, book: FontBook) -> Sticker:
    """Draw a cardboard counter: symbol, figures, coloured."""
    s = 96
    out = np.empty((s, s, 3), np.uint8)
    fill = rng.integers(30, 240, 3) if rng.random() < 0.6 else np.repeat(rng.integers(20, 70), 3)
    out[:] = fill.astype(np.uint8)
    ink = (15, 15, 15) if fill.sum() > 330 else (235, 235, 235)
    kind = rng.random()
    if kind < 0.35:
        if rng.random() < 0.3:
            _text(out, book, rng, str(rng.integers(1, 99)), (int(rng.integers(4, 76)), 6), 14, ink)
        cv2.rectangle(out, (26, 22), (70, 52), (235, 235, 235) if rng.random() < 0.5 else fill.tolist(), -1)
        cv2.rectangle(out, (26, 22), (70, 52), ink, 2)
        if rng.random() < 0.5:
            cv2.line(out, (26, 22), (70, 52), ink, 2, cv2.LINE_AA)
            cv2.line(out, (26, 52), (70, 22), ink, 2, cv2.LINE_AA)
        else:
            cv2.ellipse(out, (48, 37), (15, 9), 0, 0, 360, ink, 2, cv2.LINE_AA)
        text = "-".join(str(v) for v in rng.integers(1, 10, int(rng.integers(2, 4))))
        _text(out, book, rng, text, (22, 64), 18, ink)
    elif kind < 0.45:
        if rng.random() < 0.5:
            cv2.circle(out, (48, 48), 32, ink, 2, cv2.LINE_AA)
        _text(out, book, rng, str(rng.integers(1, 13)), (30, 28), int(rng.integers(26, 46)), ink)
    else:
        p = rng.integers(20, 76, (int(rng.integers(4, 9)), 2)).astype(np.int32)
        cv2.fillPoly(out, [p], ink, cv2.LINE_AA)
    cover = np.full((s, s), 255, np.uint8)
    wide = rng.uniform(12, 24)
    return Sticker(out, cover, wide, wide, rng.uniform(1, 3), "tile")


def marker(rng: Rng, book: FontBook) -> Sticker:
    """Draw a flat regular polygon or disc with a number, the nearest thing to a die that is none."""
    s = 128
    sides = int(
        rng.choice([4, 5, 6, 10, 40], p=[0.06, 0.23, 0.23, 0.24, 0.24])
    )  # a square looks like a d6 from above
    turn = rng.uniform(0, 6.28)
    poly = np.array(
        [
            (64 + 60 * np.cos(turn + 6.2832 * i / sides), 64 + 60 * np.sin(turn + 6.2832 * i / sides))
            for i in range(sides)
        ]
    )
    cover = np.zeros((s, s), np.uint8)
    cv2.fillPoly(cover, [poly.astype(np.int32)], 255, cv2.LINE_AA)
    out = np.empty((s, s, 3), np.uint8)
    fill = rng.integers(10, 245, 3) if rng.random() < 0.6 else np.repeat(rng.integers(15, 245), 3)
    out[:] = fill.astype(np.uint8)
    ink = (15, 15, 15) if fill.sum() > 380 else (240, 240, 240)
    _text(out, book, rng, str(rng.integers(1, 13)), (42, 38), int(rng.integers(36, 60)), ink)
    if rng.random() < 0.5:
        cv2.polylines(out, [poly.astype(np.int32)], True, ink, 3, cv2.LINE_AA)
    wide = rng.uniform(10, 24)
    return Sticker(out, cover, wide, wide, 0.1 if rng.random() < 0.6 else 2.0, "marker")


def pencil(rng: Rng, book: FontBook) -> Sticker:  # noqa: ARG001 - one signature for all stickers
    """Draw a pencil from above."""
    out = np.empty((24, 480, 3), np.uint8)
    base = _tint(
        rng, [(30, 150, 220), (30, 30, 30), (170, 60, 30), (40, 40, 190), (60, 130, 50)][rng.integers(5)]
    ).astype(np.float32)
    band = np.array([0.55, 0.85, 1.1, 0.8, 0.5], np.float32)
    rows = cv2.resize(band[:, None], (1, 24), interpolation=cv2.INTER_NEAREST)
    out[:] = np.clip(base * rows[..., None], 0, 255).astype(np.uint8)
    cover = np.full((24, 480), 255, np.uint8)
    for i in range(50):
        cut = int(12 * (1 - i / 50))
        cover[: 12 - cut, 430 + i] = 0
        cover[12 + cut :, 430 + i] = 0
        out[:, 430 + i] = (150, 190, 220) if i < 36 else (40, 40, 40)
    return Sticker(out, cover, rng.uniform(110, 180), rng.uniform(6, 8), 6.0, "pencil")

"""A seeded renderer of dice scenes: true solids under a pinhole camera, ray by ray, on painted table planes.

Fast rather than exact: direct light, soft projected shadows, one bounce of made-up surroundings. Every scene is a
pure function of its seed and the fonts found. Truth comes with the picture (``DieTruth``).
"""

from __future__ import annotations

__all__ = ["COLOURS", "DiceLook", "DieTruth", "Scene", "Studio", "laid", "make_set", "render_scene"]

from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training import surfaces
from vision.training.glyphs import TILE_PX, FontBook, Style, draw_number, draw_pips
from vision.training.solids import Solid, cube, dodecahedron, rotation_between, trapezohedron

F32 = NDArray[np.float32]
Rng = np.random.Generator
COLOURS = ("white", "gray", "black", "blue", "yellow", "red", "purple", "green", "orange", "pink")


@dataclass(slots=True)
class DieTruth:
    """What is true of one die, or of one thing that is none (kind ``none``), in pixels of the picture."""

    kind: str
    colour: str
    value: int
    cocked: bool
    x: float
    y: float
    radius: float
    top_xy: tuple[float, float] = (0.0, 0.0)
    face_map: F32 = field(default_factory=lambda: np.zeros((2, 2), np.float32))
    """Columns: the picture vectors of one face unit to the numeral's right and downwards."""
    polygon: F32 = field(default_factory=lambda: np.zeros((0, 2), np.float32))
    visible_top: float = 1.0
    contrast: float = 99.0
    """Colour distance between numeral and face in the final 8-bit picture's units, before blur."""
    corner_below: bool = False
    mark: str = "none"
    set_id: int = 0


@dataclass(slots=True)
class Scene:
    """A picture with its truth."""

    image: NDArray[np.uint8]
    dice: list[DieTruth]
    surface: str
    light: str
    tilt_deg: float


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
        weights = np.array([0.34, 0.3, 0.13, 0.1, 0.04, 0.05, 0.04])
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


_TO_LINEAR = (np.arange(256, dtype=np.float32) / 255) ** np.float32(2.2)
_TO_TONE = (np.arange(4096, dtype=np.float32) / 4095) ** np.float32(1 / 2.2)
_TO_TONE_FLAT = np.sqrt(np.arange(4096, dtype=np.float32) / 4095)


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
    total = {12: 13, 10: 9, 6: 7}[count]
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


def make_set(rng: Rng, studio: Studio, kind: str, colour: str, set_id: int) -> DiceLook:
    """Design one set of dice of one colour."""
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
    else:
        solid = _d6()
        inradius = rng.uniform(6.5, 9.0)
        sphere = rng.uniform(1.36, 1.78)
        pips = bool(rng.random() < 0.8)
    finish = str(
        rng.choice(
            ["glossy", "satin", "matte", "pearl", "speckled", "marbled", "clear"],
            p=[0.29, 0.19, 0.12, 0.12, 0.1, 0.09, 0.09],
        )
    )
    body = _body_colour(rng, colour, silvery=finish in ("pearl", "marbled"))
    ink = _ink_colour(rng, body)
    font = str(rng.choice(studio.book.train))
    thin = studio.book.text(font, "8", 48).mean() < 0.42
    height = (
        rng.uniform(0.72, 1.12)
        if kind == "d12"
        else rng.uniform(0.62, 1.0)
        if kind == "d10"
        else rng.uniform(0.55, 0.95)
    )
    style = Style(
        font=font,
        height=height,
        mark=str(rng.choice(["underline", "dot", "none"], p=[0.52, 0.38, 0.1])),
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
    wear = rng.uniform(0.05, 0.35) if rng.random() < 0.22 else 0.0
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
    gloss = {
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
        glow=float(rng.uniform(0.2, 0.45)) if finish == "clear" else 0.0, set_id=set_id,
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


@dataclass(slots=True)
class _Camera:
    k: NDArray[np.float64]
    rotation: NDArray[np.float64]
    """World to camera, rows x (right), y (down), z (into the picture)."""
    centre: NDArray[np.float64]
    size: tuple[int, int]

    def project(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        cam = (np.atleast_2d(points) - self.centre) @ self.rotation.T
        return np.asarray((cam @ self.k.T)[:, :2] / cam[:, 2:3])

    def plane_to_image(self) -> NDArray[np.float64]:
        """Homography from table millimetres (x, y, 1) to pixels."""
        t = -self.rotation @ self.centre
        return np.asarray(self.k @ np.column_stack([self.rotation[:, 0], self.rotation[:, 1], t]))

    def to_plane(self, pixels: NDArray[np.float64]) -> NDArray[np.float64]:
        inverse = np.linalg.inv(self.plane_to_image())
        p = np.column_stack([pixels, np.ones(len(pixels))]) @ inverse.T
        return np.asarray(p[:, :2] / p[:, 2:3])


def _camera(rng: Rng, size: tuple[int, int], die_px: float, tilt_deg: float, die_mm: float) -> _Camera:
    w, h = size
    f = rng.uniform(0.72, 1.5) * max(w, h)
    distance = f * die_mm / die_px
    tilt, roll, around = np.radians(tilt_deg), rng.uniform(0, 2 * np.pi), rng.uniform(0, 2 * np.pi)
    look = np.array([np.sin(tilt) * np.cos(around), np.sin(tilt) * np.sin(around), -np.cos(tilt)])
    right = np.cross(look, [0, 1.0, 0.2])
    right /= np.linalg.norm(right)
    down = np.cross(look, right)
    r2 = np.cos(roll) * right + np.sin(roll) * down
    d2 = np.cross(look, r2)
    k = np.array(
        [[f, 0, w / 2 + rng.normal(0, w * 0.01)], [0, f, h / 2 + rng.normal(0, h * 0.01)], [0, 0, 1]]
    )
    return _Camera(k, np.stack([r2, d2, look]), -look * distance, size)


@dataclass(slots=True)
class _Light:
    to: F32
    colour: F32
    soft: float
    panel: float = 0.0
    """Half angle under which a broad lamp or window is seen, radians; 0 for a lamp too small to be mirrored whole."""
    panel_level: float = 0.0
    """How bright its mirror image on a polished face is."""


def _lights(rng: Rng) -> tuple[list[_Light], F32, str]:
    """Draw one or two lights, the ambient colour, and a name for the kind."""
    name = str(rng.choice(["overhead", "window", "bulb", "tungsten", "mixed", "glare", "dim", "flat"]))
    warm = np.array([0.55, 0.85, 1.15], np.float32)
    cool = np.array([1.15, 1.0, 0.88], np.float32)
    tint = {"tungsten": warm, "window": cool, "bulb": np.array([0.8, 0.95, 1.05], np.float32)}.get(
        name, np.ones(3, np.float32)
    )
    tint = tint ** rng.uniform(0.2, 1.0)
    ambient_level = {"bulb": 0.2, "glare": 0.3, "flat": 0.75, "dim": 0.35}.get(name, 0.45) * rng.uniform(
        0.55, 1.25
    )

    def light(low: float, high: float, level: float, colour: F32, soft: float) -> _Light:
        el, az = np.radians(rng.uniform(low, high)), rng.uniform(0, 2 * np.pi)
        to = np.array([np.cos(el) * np.cos(az), np.cos(el) * np.sin(az), np.sin(el)], np.float32)
        return _Light(to, colour * np.float32(level), soft)

    high = {"overhead": (60, 88), "glare": (65, 89), "window": (25, 50), "bulb": (40, 80)}.get(name, (30, 85))
    lights = [
        light(
            *high, 0.75, tint, rng.uniform(0.03, 0.12) if name in ("bulb", "glare") else rng.uniform(0.1, 0.5)
        )
    ]
    if name == "mixed" or rng.random() < 0.3:
        other = cool if name in ("tungsten", "bulb") else warm
        lights.append(
            light(25, 80, rng.uniform(0.15, 0.45), other ** rng.uniform(0.1, 1), rng.uniform(0.1, 0.5))
        )
    ambient = (tint**0.5) * np.float32(ambient_level)
    return lights, ambient.astype(np.float32), name


@dataclass(slots=True)
class _Placed:
    look: DiceLook
    rotation: NDArray[np.float64]
    position: NDArray[np.float64]
    face: int
    cocked: bool


def laid(
    rng: Rng, look: DiceLook, xy: NDArray[np.float64], *, lean_deg: float = 0.0, lift_mm: float = 0.0,
    value: int | None = None,
) -> _Placed:  # fmt: skip
    """Lay a die on the table at ``xy`` millimetres, upright or leaning, at any turn."""
    face = int(rng.integers(len(look.solid.faces))) if value is None else look.values.index(value)
    turn = rng.uniform(0, 2 * np.pi)
    yaw = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    rotation = yaw @ rotation_between(look.solid.faces[face].normal, np.array([0, 0, 1.0]))
    height = look.inradius_mm
    if lean_deg:
        axis = rng.uniform(0, 2 * np.pi)
        tilted = np.array(
            [
                np.sin(np.radians(lean_deg)) * np.cos(axis),
                np.sin(np.radians(lean_deg)) * np.sin(axis),
                np.cos(np.radians(lean_deg)),
            ]
        )
        rotation = rotation_between(np.array([0, 0, 1.0]), tilted) @ rotation
        height = -float((look.solid.vertices @ rotation.T)[:, 2].min()) * look.inradius_mm
        # what counts as its top face is the one most upright now; a wide lean can end up nearly level on another
        rise = (look.solid.normals @ rotation.T)[:, 2]
        face = int(np.argmax(rise))
        lean_deg = float(np.degrees(np.arccos(min(1.0, float(rise[face])))))
    return _Placed(look, rotation, np.array([xy[0], xy[1], height + lift_mm]), face, lean_deg > 5)


def _outline(camera: _Camera, die: _Placed) -> NDArray[np.float64]:
    v = die.look.solid.vertices
    length = np.linalg.norm(v, axis=1, keepdims=True)
    v = v * np.minimum(1, die.look.sphere * 1.03 / length)
    return camera.project(die.position + (v * die.look.inradius_mm) @ die.rotation.T)


def _paint_die(studio: Studio, camera: _Camera, die: _Placed, lights: list[_Light], ambient: F32, canvas: F32,  # noqa: PLR0917
               owner: NDArray[np.int16], index: int, env: F32, ao: float) -> DieTruth | None:  # fmt: skip
    """Ray-cast one die into the canvas; returns its truth, or None when nothing of it is in the picture."""
    look, solid = die.look, die.look.solid
    outline = _outline(camera, die)
    (cx, cy), radius = cv2.minEnclosingCircle(outline.astype(np.float32))
    w, h = camera.size
    x0, y0 = max(0, int(cx - radius - 2)), max(0, int(cy - radius - 2))
    x1, y1 = min(w, int(cx + radius + 3)), min(h, int(cy + radius + 3))
    if x1 - x0 < 4 or y1 - y0 < 4:
        return None
    ss = float(np.clip(96.0 / (2 * radius), 1.0, 3.0))
    gw, gh = max(4, round((x1 - x0) * ss)), max(4, round((y1 - y0) * ss))
    xs = x0 + (np.arange(gw, dtype=np.float32) + 0.5) * ((x1 - x0) / gw)
    ys = y0 + (np.arange(gh, dtype=np.float32) + 0.5) * ((y1 - y0) / gh)
    px, py = np.meshgrid(xs, ys)
    k = camera.k
    rays = np.stack([(px.ravel() - k[0, 2]) / k[0, 0], (py.ravel() - k[1, 2]) / k[1, 1], np.ones(px.size)], 1)
    rays = (rays @ camera.rotation).astype(np.float32)
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    to_die = die.rotation.astype(np.float32)
    d = rays @ to_die
    o = ((camera.centre - die.position) / look.inradius_mm).astype(np.float32) @ to_die
    normals = solid.normals.astype(np.float32)
    dn = d @ normals.T
    gap = 1.0 - normals @ o
    with np.errstate(divide="ignore", invalid="ignore"):
        t = gap / dn
    front = gap < 0  # the camera is outside of these planes
    t_in_all = np.where(dn[:, front] < -1e-6, t[:, front], np.float32(-1e9))
    fid_front = np.argmax(t_in_all, axis=1)
    t_in = np.take_along_axis(t_in_all, fid_front[:, None], 1)[:, 0]
    t_out = np.where(dn > 1e-6, t, np.float32(1e9)).min(axis=1)
    b = d @ o
    disc = b * b - (o @ o - look.sphere**2)
    root = np.sqrt(np.maximum(disc, 0))
    t_ball = -b - root
    hit = (disc > 0) & (np.maximum(t_in, t_ball) < np.minimum(t_out, -b + root))
    hi = np.nonzero(hit)[0]
    if len(hi) < 6:
        return None
    front_ids = np.nonzero(front)[0]
    fid = front_ids[fid_front[hi]]
    on_ball = t_ball[hi] > t_in[hi]
    t_hit = np.maximum(t_in, t_ball)[hi]
    p = o + d[hi] * t_hit[:, None]
    # soft edges: blend the normals of faces that are entered at nearly the same depth
    weight = np.exp(np.clip((t_in_all[hi] - t_in[hi][:, None]) * look.edge, -30, 0))
    n = weight @ normals[front]
    ball = np.clip((t_ball[hi] - t_in[hi]) * look.edge * 0.5, -3, 3)
    mix = (1 / (1 + np.exp(-ball * 2)))[:, None]
    n /= np.linalg.norm(n, axis=1, keepdims=True) + 1e-9
    n = n * (1 - mix) + mix * p / look.sphere
    # glyphs
    faces = solid.faces
    centre = np.stack([f.centre for f in faces]).astype(np.float32)
    right = np.stack([f.right for f in faces]).astype(np.float32)
    up = np.stack([f.up for f in faces]).astype(np.float32)
    unit = np.float32(faces[0].unit)
    rel = p - centre[fid]
    half = TILE_PX / 2
    u = np.einsum("ij,ij->i", rel, right[fid]) / unit * half + half - 0.5
    v = half - 0.5 - np.einsum("ij,ij->i", rel, up[fid]) / unit * half
    inside = (u > 1) & (u < TILE_PX - 2) & (v > 1) & (v < TILE_PX - 2)
    mu = (u + fid * TILE_PX).astype(np.float32).reshape(1, -1)
    mv = v.astype(np.float32).reshape(1, -1)
    wide = mu.shape[1]
    pad = (-wide) % 8192 if wide > 8192 else 0
    rows = 1 + wide // 8192 if wide > 8192 else 1
    if pad or rows > 1:
        mu = np.pad(mu, ((0, 0), (0, rows * 8192 - wide))).reshape(rows, 8192)
        mv = np.pad(mv, ((0, 0), (0, rows * 8192 - wide))).reshape(rows, 8192)
    mask = cv2.remap(look.atlas, mu, mv, cv2.INTER_LINEAR).ravel()[:wide] * inside
    groove = cv2.remap(look.bump, mu, mv, cv2.INTER_LINEAR).reshape(-1, 2)[:wide] * inside[:, None]
    n = n + groove[:, :1] * right[fid] + groove[:, 1:] * up[fid]
    n /= np.linalg.norm(n, axis=1, keepdims=True) + 1e-9
    # body
    a, bb, grain, depth = look.pattern
    body: F32 = np.broadcast_to(look.body, (len(hi), 3))
    if look.finish in ("speckled", "marbled", "pearl", "clear"):
        step = grain * (3.0 if look.finish == "speckled" else 1.0)
        qx = np.abs((p @ a * step + 600) % 510 - 255)
        qy = np.abs((p @ bb * step + 600) % 510 - 255)
        source = studio.speckle if look.finish == "speckled" else studio.noise
        field_ = source[qy.astype(np.int32), qx.astype(np.int32)]
        if look.finish != "speckled":
            field_ = np.clip((field_ - 0.35) * 2.2, 0, 1) * (
                depth if look.finish == "marbled" else 0.5 * depth
            )
        body = body + field_[:, None] * (look.second - look.body)
    albedo = body + mask[:, None] * (look.ink - body)
    # light, in world directions
    nw = n @ to_die.T
    view = -rays[hi]
    height = np.clip((p @ to_die.T)[:, 2] * 0.5 + 0.5, 0, 1)
    shade = ambient * (0.55 + 0.45 * nw[:, 2:3]) * (ao + (1 - ao) * height[:, None]) + 0.12 * env * np.clip(
        -nw[:, 2:3], 0, 1
    )
    shine = np.zeros((len(hi), 3), np.float32)
    reflect = 2 * np.einsum("ij,ij->i", nw, view)[:, None] * nw - view
    for lamp in lights:
        facing = np.clip(nw @ lamp.to, 0, 1)
        shade = shade + facing[:, None] * lamp.colour
        size = np.clip(look.shine * (0.12 / (0.05 + lamp.soft)), 4, 600)
        lobe = np.clip(reflect @ lamp.to, 0, 1) ** size
        shine += (
            (lobe * look.gloss * (1 - 0.55 * mask))[:, None]
            * lamp.colour
            * np.float32(min(1.6, 0.35 + 0.008 * size))
        )
        if lamp.panel:
            # flat faces mirror a broad lamp as a whole: one face turns pale, its numeral with it
            edge = np.float32(0.02 + 1.2 / (4 + look.shine))
            within = np.clip((reflect @ lamp.to - np.float32(np.cos(lamp.panel))) / edge + 0.5, 0, 1)
            level = np.float32(lamp.panel_level * min(1.0, look.gloss))
            shine += (within * level * (1 - 0.35 * mask))[:, None] * lamp.colour
    grazing = (1 - np.clip(np.einsum("ij,ij->i", nw, view), 0, 1)) ** 4
    fresnel = (0.03 + 0.55 * grazing)[:, None] * look.gloss
    around = studio.noise[
        ((reflect[:, 1] * 90 + 128).astype(np.int32)) & 255,
        ((reflect[:, 0] * 90 + 128).astype(np.int32)) & 255,
    ]
    around = np.clip((around - 0.5) * 4, 0, 1)[:, None]
    shine += fresnel * (
        ambient * (0.5 + 0.6 * np.clip(reflect[:, 2:3], 0, 1) + look.room * around) + 0.2 * env
    )
    colour = albedo * shade + shine
    if look.glow:
        ground = canvas[
            np.clip(py.ravel()[hi].astype(int), 0, h - 1), np.clip(px.ravel()[hi].astype(int), 0, w - 1)
        ]
        colour = (
            colour * (1 - look.glow * (1 - mask[:, None]))
            + look.glow * (1 - mask[:, None]) * ground * look.body**0.5
        )
    flat = np.zeros((gh * gw, 4), np.float32)
    flat[hi, :3] = colour
    flat[hi, 3] = 1
    small = cv2.resize(flat.reshape(gh, gw, 4), (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)
    alpha = small[..., 3:4]
    spot = canvas[y0:y1, x0:x1]
    spot[:] = spot * (1 - alpha) + small[..., :3]
    top = np.zeros(gh * gw, np.uint8)
    top[hi] = 1 + (fid == die.face) * ~on_ball
    tags = cv2.resize(top.reshape(gh, gw), (x1 - x0, y1 - y0), interpolation=cv2.INTER_NEAREST)
    mine = owner[y0:y1, x0:x1]
    mine[tags > 0] = index * 2
    mine[tags == 2] = index * 2 + 1
    # truth
    face = faces[die.face]
    where = die.position + (face.centre * look.inradius_mm) @ die.rotation.T
    eps = 0.05 * look.inradius_mm
    base = camera.project(where)[0]
    across = (camera.project(where + eps * (die.rotation @ face.right))[0] - base) / eps
    down = (camera.project(where - eps * (die.rotation @ face.up))[0] - base) / eps
    scale = float(unit) * look.inradius_mm
    on_top = (fid == die.face) & ~on_ball
    contrast = 0.0
    if on_top.any():
        tone = np.clip(colour, 0, 1) ** (1 / 2.2) * 255
        dark, light = on_top & (mask > 0.6), on_top & (mask < 0.15)
        if dark.any() and light.any():
            contrast = float(np.abs(tone[dark].mean(axis=0) - tone[light].mean(axis=0)).sum() / 3)
    polygon = camera.project(die.position + (face.polygon * look.inradius_mm) @ die.rotation.T)
    value = look.values[die.face]
    return DieTruth(
        "none" if look.set_id < 0 else solid.kind, look.colour, value, die.cocked, float(cx), float(cy), float(radius),
        (float(base[0]), float(base[1])), np.column_stack([across, down]).astype(np.float32) * np.float32(scale),
        polygon.astype(np.float32), 1.0, contrast, look.corner_below, look.mark, look.set_id,
    )  # fmt: skip


def _stick(rng: Rng, canvas: NDArray[np.uint8], shadow: F32, sticker: surfaces.Sticker, camera: _Camera,  # noqa: PLR0917
           xy: NDArray[np.float64], lamp: _Light) -> NDArray[np.float64]:  # fmt: skip
    """Lay a sticker on the table picture; returns its middle and half size in pixels."""
    turn = rng.uniform(0, 2 * np.pi)
    r = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    corners = (
        np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [sticker.width_mm / 2, sticker.depth_mm / 2] @ r.T
        + xy
    )
    flat = camera.project(np.column_stack([corners, np.full(4, sticker.height_mm)]))
    h, w = sticker.image.shape[:2]
    m = cv2.getPerspectiveTransform(
        np.array([[0, h], [w, h], [w, 0], [0, 0]], np.float32), flat.astype(np.float32)
    )
    size = camera.size
    x0, y0 = np.maximum(flat.min(axis=0).astype(int) - 1, 0)
    x1, y1 = np.minimum(flat.max(axis=0).astype(int) + 2, size)
    if x1 - x0 < 2 or y1 - y0 < 2:
        return np.array([*flat.mean(axis=0), 0.0])
    shift = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1]], float)
    picture = cv2.warpPerspective(sticker.image, shift @ m, (x1 - x0, y1 - y0), flags=cv2.INTER_AREA)
    cover = (
        cv2.warpPerspective(sticker.cover, shift @ m, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR).astype(
            np.float32
        )[..., None]
        / 255
    )
    spot = canvas[y0:y1, x0:x1]
    if sticker.height_mm > 0.5:
        ground = corners - lamp.to[:2] / max(0.25, lamp.to[2]) * sticker.height_mm
        cast = camera.project(np.column_stack([ground, np.zeros(4)]))
        cv2.fillConvexPoly(shadow, (cast / 2).astype(np.int32), 0.8)
        if sticker.name in ("tile", "marker") and sticker.cover.min() == 255:
            foot = camera.project(np.column_stack([corners, np.zeros(4)]))
            wall = cv2.convexHull(np.concatenate([foot, flat]).astype(np.float32)).astype(np.int32)
            tone = rng.uniform(0.35, 0.8) * sticker.image[:4].reshape(-1, 3).mean(axis=0)
            tone = rng.integers(20, 235, 3) if rng.random() < 0.4 else tone
            cv2.fillConvexPoly(canvas, wall, [float(t) for t in tone], cv2.LINE_AA)
    spot[:] = (spot * (1 - cover) + picture * cover).astype(np.uint8)
    if sticker.height_mm > 0.5:
        cv2.fillConvexPoly(shadow, (flat / 2).astype(np.int32), 0.0)
    return np.array([*flat.mean(axis=0), np.linalg.norm(flat[0] - flat[2]) / 2])


def _ground(rng: Rng, studio: Studio, camera: _Camera, mm_per_unit: float) -> tuple[NDArray[np.uint8], str]:
    """Lay a surface, perhaps a tray on it, under the camera."""
    w, h = camera.size
    picture, kind = studio.surfaces[rng.integers(len(studio.surfaces))]
    corners = camera.to_plane(np.array([[0, 0], [w, 0], [w, h], [0, h]], float))
    low, high = corners.min(axis=0), corners.max(axis=0)
    span = float((high - low).max()) * rng.uniform(1.0, 1.5)
    size = picture.shape[0]
    turn = rng.integers(4) * np.pi / 2 + rng.normal(0, 0.3)
    c, s = np.cos(turn) * size / span, np.sin(turn) * size / span
    middle = (low + high) / 2
    # the picture's rows run down while the table's y runs up: mirror one axis, or all print would read backwards
    to_texture = np.array(
        [
            [c, -s, size / 2 - c * middle[0] + s * middle[1]],
            [-s, -c, size / 2 + s * middle[0] + c * middle[1]],
            [0, 0, 1],
        ]
    )
    homography = camera.plane_to_image() @ np.linalg.inv(to_texture)
    out = cv2.warpPerspective(
        picture, homography, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101
    )
    gain = rng.uniform(0.75, 1.2, 3) if rng.random() < 0.4 else np.ones(3)
    out = np.clip(out * gain, 0, 255).astype(np.uint8)
    if rng.random() < 0.25:
        sides = int(rng.choice([4, 4, 6, 8]))
        reach = span * rng.uniform(0.25, 0.5)
        a = turn + np.pi / sides + 2 * np.pi * np.arange(sides) / sides
        wall = rng.uniform(4, 14) * mm_per_unit
        inner = np.column_stack([middle[0] + reach * np.cos(a), middle[1] + reach * np.sin(a)])
        outer = np.column_stack(
            [middle[0] + (reach + wall) * np.cos(a), middle[1] + (reach + wall) * np.sin(a)]
        )
        floor_picture, _ = studio.surfaces[rng.integers(len(studio.surfaces))]
        if rng.random() < 0.6:
            floor_picture = np.broadcast_to(rng.integers(15, 90, 3).astype(np.uint8), floor_picture.shape)
        floor_ = cv2.warpPerspective(
            np.ascontiguousarray(floor_picture), homography, (w, h), borderMode=cv2.BORDER_REFLECT_101
        )
        flat = camera.project(np.column_stack([inner, np.zeros(sides)]))
        rim = camera.project(np.column_stack([outer, np.full(sides, 15.0)]))
        tone = rng.integers(20, 150, 3)
        for i in range(sides):
            j = (i + 1) % sides
            quad = np.array([flat[i], flat[j], rim[j], rim[i]])
            cv2.fillConvexPoly(
                out, (quad * 8).astype(np.int32), (tone * rng.uniform(0.5, 1.1)).tolist(), cv2.LINE_AA, 3
            )
        cover = np.zeros((h, w), np.uint8)
        cv2.fillPoly(cover, [flat.astype(np.int32)], 255)
        out[cover > 0] = floor_[cover > 0]
        kind = "tray"
    return out, kind


def _finish(rng: Rng, studio: Studio, linear: F32, die_px: float, light: str) -> NDArray[np.uint8]:
    """Camera: exposure, white balance, blur, noise, tone, sharpening, JPEG."""
    h, w = linear.shape[:2]
    exposure = rng.uniform(0.75, 1.35) * (0.55 if light == "dim" else 1.0)
    if rng.random() < 0.75:  # most cameras set the exposure by what they see
        exposure = float(np.clip(rng.uniform(0.14, 0.36) / (float(linear[::8, ::8].mean()) + 0.02), 0.4, 1.7))
    if light == "dim" and rng.random() < 0.6:
        exposure *= rng.uniform(0.35, 0.8)
    balance = (1 + rng.normal(0, 0.07, 3)) * exposure
    yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
    r2 = ((xx / w - 0.5) ** 2 + (yy / h - 0.5) ** 2) * 2
    out = linear * balance.astype(np.float32) * (1 - rng.uniform(0, 0.3) * r2)[..., None]
    blur = rng.random()
    if blur < 0.22:
        out = cv2.GaussianBlur(out, (0, 0), float(rng.uniform(0.006, 0.022) * die_px * 2))
    elif blur < 0.29:
        length = max(3, int(rng.uniform(0.02, 0.1) * die_px * 2))
        kernel = np.zeros((length, length), np.float32)
        angle = rng.uniform(0, np.pi)
        c = (length - 1) / 2
        cv2.line(
            kernel,
            (round(c - c * np.cos(angle)), round(c - c * np.sin(angle))),
            (round(c + c * np.cos(angle)), round(c + c * np.sin(angle))),
            1.0,
            1,
        )
        out = cv2.filter2D(out, -1, kernel / kernel.sum())
    else:
        out = cv2.GaussianBlur(out, (0, 0), float(rng.uniform(0.35, 0.8)))
    out = np.clip(out, 0, 4)
    shoulder = rng.uniform(0.85, 1.0)
    over = out > shoulder
    out[over] = shoulder + (1 - shoulder) * (1 - np.exp(-(out[over] - shoulder) / (1.001 - shoulder)))
    table = _TO_TONE_FLAT if rng.random() < 0.2 else _TO_TONE
    tone = table[np.minimum(out * 4095 + 0.5, 4095).astype(np.int16)]
    grain = rng.uniform(0.002, 0.012) if rng.random() < 0.8 else rng.uniform(0.012, 0.04)
    if light == "dim":
        grain *= 1.6
    oy, ox = rng.integers(0, 1300 - h), rng.integers(0, 1300 - w)
    tone = tone + studio.grain[oy : oy + h, ox : ox + w] * (
        np.float32(1.4 * grain) - np.float32(0.8 * grain) * tone
    )
    style = rng.random()
    if style < 0.3:
        mean = tone.mean(axis=2, keepdims=True)
        tone = mean + (tone - mean) * np.float32(rng.uniform(0.8, 1.5))
    if style < 0.15:
        tone = np.float32(0.5) + (tone - np.float32(0.5)) * np.float32(rng.uniform(1.0, 1.5))
    if rng.random() < 0.07:
        # a cheap camera with its contrast and colours turned all the way up
        mean = tone.mean(axis=2, keepdims=True)
        tone = mean + (tone - mean) * np.float32(rng.uniform(1.5, 2.6))
        tone = np.float32(0.45) + (tone - np.float32(rng.uniform(0.3, 0.5))) * np.float32(
            rng.uniform(1.5, 2.5)
        )
    image = np.clip(tone * 255, 0, 255).astype(np.uint8)
    if rng.random() < 0.45:
        soft = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.8, 1.6)))
        amount = rng.uniform(0.2, 0.9)
        image = cv2.addWeighted(image, 1 + amount, soft, -amount, 0)
    ok, packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(58, 94))])
    if not ok:
        raise RuntimeError("the picture could not be packed as JPEG")
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def _kinds_and_colours(rng: Rng) -> list[tuple[str, str]]:
    """Choose which sets lie on the table: mostly one kind, one to four colours."""
    mixed = rng.random() < 0.15
    kind = str(rng.choice(["d12", "d10", "d6"], p=[0.6, 0.24, 0.16]))
    count = int(rng.choice([1, 2, 3, 4], p=[0.25, 0.25, 0.35, 0.15]))
    pick = rng.random()
    pool = COLOURS[:3] if pick < 0.5 else COLOURS[:7] if pick < 0.85 else COLOURS
    names = rng.choice(pool, size=min(count, len(pool)), replace=False)
    kinds = [str(rng.choice(["d12", "d10", "d6"])) if mixed else kind for _ in names]
    return [(k, str(c)) for k, c in zip(kinds, names, strict=True)]


def render_scene(seed: int | tuple[int, ...], studio: Studio, size: tuple[int, int] | None = None, *,
                 wanted: list[tuple[str, str]] | None = None, count: int | None = None,
                 deal: list[tuple[DiceLook, int]] | None = None, die_px: float | None = None) -> Scene:  # fmt: skip
    """Render one scene.

    Args:
        seed: Decides everything, together with the studio.
        size: Width and height in pixels; chosen when missing.
        wanted: Pairs of kind and colour to lay; chosen when missing.
        count: How many dice; chosen when missing.
        deal: Sets (``make_set``) and values to lay upright, in place of the above.
        die_px: Radius of the dice in the middle of the picture; chosen when missing.
    """
    rng = np.random.default_rng(seed)
    size = size or [(800, 600), (800, 600), (832, 468), (600, 800), (640, 640)][rng.integers(5)]
    w, h = size
    pairs = wanted or _kinds_and_colours(rng)
    sets = (
        [make_set(rng, studio, k, c, i) for i, (k, c) in enumerate(pairs)] if deal is None else [deal[0][0]]
    )
    same = rng.random() < 0.5
    if same:
        for s in sets:
            s.inradius_mm = sets[0].inradius_mm if s.solid.kind == sets[0].solid.kind else s.inradius_mm
    die_px = die_px or float(np.exp(rng.uniform(np.log(15), np.log(92))))
    tilt = float(min(30, abs(rng.normal(0, 12)))) if rng.random() < 0.8 else float(rng.uniform(0, 28))
    camera = _camera(rng, size, die_px, tilt, sets[0].inradius_mm * 1.3)
    lights, ambient, light = _lights(rng)
    mirrored = rng.random()
    if mirrored < 0.08:
        # a lamp that the top faces mirror into the camera
        eye = camera.centre / np.linalg.norm(camera.centre) * [-1, -1, 1] + rng.normal(0, 0.12, 3)
        eye[2] = max(eye[2], 0.3)
        lights[0].to = (eye / np.linalg.norm(eye)).astype(np.float32)
    elif mirrored < 0.5:
        # a broad lamp or window somewhere over the table, seen in top faces or in those beside them
        eye = camera.centre / np.linalg.norm(camera.centre) * [-1, -1, 1] + rng.normal(0, 0.3, 3)
        eye[2] = max(eye[2], 0.3)
        lights[0].to = (eye / np.linalg.norm(eye)).astype(np.float32)
        lights[0].panel = float(np.radians(rng.uniform(6, 30)))
        lights[0].panel_level = float(rng.uniform(0.08, 0.75))
    ground8, surface = _ground(rng, studio, camera, 1.0)
    shadow0 = np.zeros((h // 2, w // 2), np.float32)
    room = int(w * h * 0.6 / (3.4 * die_px**2))
    count = count if count is not None else int(min(24, room, 1 + rng.geometric(0.085)))
    count = max(0 if wanted is None and rng.random() < 0.05 else 1, count)
    count = len(deal) if deal is not None else count

    placed: list[_Placed] = []
    spots: list[tuple[NDArray[np.float64], float]] = []
    nothing: list[DieTruth] = []
    stickers = [surfaces.coin, surfaces.counter, surfaces.counter, surfaces.marker, surfaces.pencil]
    if rng.random() < 0.2:
        at = camera.to_plane(np.array([[rng.uniform(0, w), rng.uniform(0, h)]]))[0]
        _stick(rng, ground8, shadow0, surfaces.paper(rng, studio.book), camera, at, lights[0])
    things = int(rng.integers(1, 9)) if rng.random() < 0.65 else 0
    for _ in range(things):
        at = camera.to_plane(np.array([[rng.uniform(0, w), rng.uniform(0, h)]]))[0]
        if rng.random() < 0.2:
            placed.append(laid(rng, blank_cube(rng), at))
            spots.append((at, placed[-1].look.inradius_mm * 1.6))
            continue
        sticker = stickers[rng.integers(len(stickers))](rng, studio.book)
        x, y, half = _stick(rng, ground8, shadow0, sticker, camera, at, lights[0])
        if sticker.name != "pencil" and half > 6:
            nothing.append(DieTruth("none", "none", 0, False, float(x), float(y), float(half)))
        if sticker.height_mm > 0.5 and sticker.name != "pencil":
            spots.append((at, sticker.width_mm * 0.7))
    margin = die_px * (0.2 if rng.random() < 0.15 else 0.9)
    touching = rng.random() < 0.25
    leaning = 0.25 if rng.random() < 0.2 else 0.05
    for index in range(count):
        look = sets[rng.integers(len(sets))] if deal is None else deal[index][0]
        reach = look.inradius_mm * {"d12": 1.22, "d10": 1.35, "d6": 1.3}[look.solid.kind]
        for _try in range(14):
            if touching and placed and rng.random() < 0.6:
                other = placed[rng.integers(len(placed))]
                gap = reach + other.look.inradius_mm * 1.2
                a = rng.uniform(0, 2 * np.pi)
                at = other.position[:2] + gap * rng.uniform(1.0, 1.1) * np.array([np.cos(a), np.sin(a)])
            else:
                at = camera.to_plane(
                    np.array([[rng.uniform(margin, w - margin), rng.uniform(margin, h - margin)]])
                )[0]
            if all(np.linalg.norm(at - q) > reach + far - look.inradius_mm * 0.12 for q, far in spots):
                break
        else:
            continue
        odd = rng.random()
        if deal is not None:
            placed.append(laid(rng, look, at, value=deal[index][1]))
        elif odd < leaning:
            placed.append(laid(rng, look, at, lean_deg=float(rng.uniform(7, 40))))
        elif odd < leaning + 0.007 and placed and not placed[-1].cocked:
            under = placed[-1]
            at = under.position[:2] + rng.normal(0, look.inradius_mm * 0.25, 2)
            die = laid(rng, look, at, lift_mm=under.position[2] + under.look.inradius_mm)
            die.cocked = True
            placed.append(die)
        else:
            placed.append(laid(rng, look, at))
        spots.append((at, reach))

    # shadows on the table, half size
    shades = []
    for i, lamp in enumerate(lights):
        shadow = shadow0 if i == 0 else np.zeros_like(shadow0)
        for die in placed:
            v = die.position + (die.look.solid.vertices * die.look.inradius_mm) @ die.rotation.T
            flat = v[:, :2] - lamp.to[:2] / max(0.2, lamp.to[2]) * v[:, 2:3]
            hull = cv2.convexHull(
                (camera.project(np.column_stack([flat, np.zeros(len(flat))])) / 2).astype(np.int32)
            )
            cv2.fillConvexPoly(shadow, hull, 1.0)
        shades.append(cv2.GaussianBlur(shadow, (0, 0), max(0.6, float(lamp.soft * die_px * 0.35))))
    contact = np.zeros_like(shadow0)
    for die in placed:
        v = die.position + (die.look.solid.vertices * die.look.inradius_mm) @ die.rotation.T
        v[:, 2] = 0
        cv2.fillConvexPoly(contact, cv2.convexHull((camera.project(v) / 2).astype(np.int32)), 1.0)
    contact = cv2.GaussianBlur(contact, (0, 0), max(0.6, die_px * 0.13))
    full = [cv2.resize(s, (w, h))[..., None] for s in shades]
    dark = cv2.resize(contact, (w, h))[..., None]
    albedo = cv2.LUT(ground8, _TO_LINEAR)
    canvas: F32 = ambient * (1 - 0.65 * dark)
    for lamp, shadow in zip(lights, full, strict=True):
        canvas = canvas + lamp.colour * max(0.15, float(lamp.to[2])) * (1 - shadow)
    canvas = (albedo * canvas).astype(np.float32)
    env = albedo[:: max(1, h // 8), :: max(1, w // 8)].reshape(-1, 3).mean(axis=0)
    if rng.random() < 0.3:
        hot = camera.project(np.array([[*rng.normal(0, 40, 2), 0.0]]))[0]
        yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
        sheen = np.exp(-((xx - hot[0]) ** 2 + (yy - hot[1]) ** 2) / (2 * (rng.uniform(0.08, 0.3) * w) ** 2))
        canvas += (sheen * rng.uniform(0.02, 0.3))[..., None] * lights[0].colour

    owner = np.full((h, w), -1, np.int16)
    order = sorted(
        range(len(placed)), key=lambda i: -float(np.linalg.norm(placed[i].position - camera.centre))
    )
    truths: dict[int, DieTruth] = {}
    areas: dict[int, int] = {}
    ao = float(rng.uniform(0.45, 0.9))
    for i in order:
        truth = _paint_die(studio, camera, placed[i], lights, ambient, canvas, owner, i, env, ao)
        if truth is not None:
            truths[i] = truth
            areas[i] = int((owner == i * 2 + 1).sum()) if truth.kind != "none" else 0
    dice = []
    for i, truth in truths.items():
        if truth.kind != "none" and areas[i]:
            left = int((owner == i * 2 + 1).sum())
            ideal = max(areas[i], int(cv2.contourArea(truth.polygon) * 0.85))
            truth.visible_top = left / max(1, ideal)
        elif truth.kind != "none":
            truth.visible_top = 0.0
        dice.append(truth)
    image = _finish(rng, studio, canvas, die_px, light)
    return Scene(image, dice + nothing, surface, light, tilt)

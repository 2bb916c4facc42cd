"""A seeded renderer of dice scenes: true solids under a pinhole camera, ray by ray, on painted table planes.

Fast rather than exact: direct light, soft projected shadows, one bounce of made-up surroundings. Every scene is a
pure function of its seed and the fonts found. Truth comes with the picture (``DieTruth``).
"""

from __future__ import annotations

__all__ = ["Deal", "Scene", "laid_on", "render_scene"]

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training import surfaces
from vision.training.develop import develop, linear_light
from vision.training.looks import COLOURS, F32, DiceLook, Rng, Studio, blank_cube, make_set
from vision.training.paint import DieTruth, paint_die
from vision.training.stage import (
    Camera,
    Light,
    Lighting,
    Placed,
    draw_lights,
    laid,
    lay_ground,
    make_camera,
    stick,
)

Deal = list[tuple[DiceLook, int]]
"""Sets of dice and the values to lay upright."""


@dataclass(slots=True)
class Scene:
    """A picture with its truth."""

    image: NDArray[np.uint8]
    dice: list[DieTruth]
    surface: str
    light: str
    tilt_deg: float


@dataclass(slots=True)
class _Table:
    """What lies on the table so far."""

    ground: NDArray[np.uint8]
    """The table's picture as the camera sees it, things laid flat on it drawn in, (h, w, 3)."""
    shadow: F32
    """What those things keep from the first lamp, half size, (h // 2, w // 2)."""
    placed: list[Placed] = field(default_factory=list)
    spots: list[tuple[NDArray[np.float64], float]] = field(default_factory=list)
    """Middle and reach of what is taken, millimetres."""
    nothing: list[DieTruth] = field(default_factory=list)
    """Things that are no dice and might be taken for one."""


def _kinds_and_colours(rng: Rng) -> list[tuple[str, str]]:
    """Choose which sets lie on the table: mostly one kind, one to four colours."""
    mixed = rng.random() < 0.15
    kind = str(rng.choice(["d12", "d10", "d6", "other"], p=[0.47, 0.23, 0.25, 0.05]))
    count = int(rng.choice([1, 2, 3, 4], p=[0.25, 0.25, 0.35, 0.15]))
    pick = rng.random()
    pool = COLOURS[:3] if pick < 0.5 else COLOURS[:7] if pick < 0.85 else COLOURS
    names = rng.choice(pool, size=min(count, len(pool)), replace=False)
    kinds = [str(rng.choice(["d12", "d10", "d6", "other"])) if mixed else kind for _ in names]
    return [(k, str(c)) for k, c in zip(kinds, names, strict=True)]


def _mirror_lamp(rng: Rng, camera: Camera, lamp: Light) -> None:
    """Move a lamp, in every second scene, to where faces mirror it into the camera."""
    mirrored = rng.random()
    if mirrored >= 0.5:
        return
    is_broad = mirrored >= 0.08  # a broad lamp or window, seen in top faces or in those beside them
    eye = camera.centre / np.linalg.norm(camera.centre) * [-1, -1, 1]
    eye += rng.normal(0, 0.3 if is_broad else 0.12, 3)
    eye[2] = max(eye[2], 0.3)
    lamp.to = (eye / np.linalg.norm(eye)).astype(np.float32)
    if is_broad:
        lamp.panel = float(np.radians(rng.uniform(6, 30)))
        lamp.panel_level = float(rng.uniform(0.08, 0.75))


def _somewhere(rng: Rng, camera: Camera, margin_px: float = 0.0) -> NDArray[np.float64]:
    """Return a place on the table, millimetres, that is in the picture."""
    w, h = camera.size
    at = [rng.uniform(margin_px, w - margin_px), rng.uniform(margin_px, h - margin_px)]
    return camera.to_plane(np.array([at]))[0]


def _lay_things(
    rng: Rng, studio: Studio, camera: Camera, lamp: Light, table: _Table, *, things: int | None
) -> None:
    """Lay paper, blank cubes, coins, counters, markers and pencils, or nothing; so many where that is said."""
    if rng.random() < 0.2:
        at = _somewhere(rng, camera)
        stick(rng, table.ground, table.shadow, surfaces.paper(rng, studio.book), camera, at, lamp)
    stickers = [surfaces.coin, surfaces.counter, surfaces.counter, surfaces.marker, surfaces.pencil]
    drawn = int(rng.integers(1, 11)) if rng.random() < 0.75 else 0
    things = drawn if things is None else things
    for _ in range(things):
        at = _somewhere(rng, camera)
        if rng.random() < 0.12:
            cube = laid(rng, blank_cube(rng), at)
            table.placed.append(cube)
            table.spots.append((at, cube.look.inradius_mm * 1.6))
            continue
        sticker = stickers[rng.integers(len(stickers))](rng, studio.book)
        x, y, half = stick(rng, table.ground, table.shadow, sticker, camera, at, lamp)
        if sticker.name == "pencil":
            continue
        if half > 6:
            table.nothing.append(DieTruth("none", "none", 0, False, float(x), float(y), float(half)))
        if sticker.height_mm > 0.5:
            table.spots.append((at, sticker.width_mm * 0.7))


_ALONE = 0.16
"""Share of scenes with one die close up."""
_TOP_REACH = {"d12": 0.55, "d10": 0.45, "d6": 0.9, "other": 0.5}
"""How far, in inradii, a die's middle may lie beside the middle of another's top face and not fall off."""


def laid_on(rng: Rng, look: DiceLook, placed: list[Placed], under: int) -> Placed:
    """Lay a die flat on another, anywhere that holds it."""
    below = placed[under]
    reach = _TOP_REACH[below.look.solid.kind] * below.look.inradius_mm
    turn, far = rng.uniform(0, 2 * np.pi), reach * np.sqrt(rng.random())
    at = below.position[:2] + far * np.array([np.cos(turn), np.sin(turn)])
    die = laid(rng, look, at, lift_mm=below.position[2] + below.look.inradius_mm)
    die.cocked, die.on = True, under
    return die


def _lay_dice(
    rng: Rng,
    camera: Camera,
    table: _Table,
    sets: list[DiceLook],
    *,
    deal: Deal | None,
    count: int,
    die_px: float,
    odd: tuple[float, float] | None,
) -> None:
    """Lay dice where there is room: apart or touching, a few of them leaning or one on another."""
    margin = die_px * (0.2 if rng.random() < 0.15 else 0.9)
    touching = rng.random() < 0.25
    leaning, stacked = (0.25 if rng.random() < 0.2 else 0.05), 0.02
    if odd is not None:
        leaning, stacked = odd
    placed = table.placed
    for index in range(count):
        look = sets[rng.integers(len(sets))] if deal is None else deal[index][0]
        reach = look.inradius_mm * {"d12": 1.22, "d10": 1.35, "d6": 1.3, "other": 1.35}[look.solid.kind]
        for _try in range(14):
            if touching and placed and rng.random() < 0.6:
                other = placed[rng.integers(len(placed))]
                gap = reach + other.look.inradius_mm * 1.2
                a = rng.uniform(0, 2 * np.pi)
                at = other.position[:2] + gap * rng.uniform(1.0, 1.1) * np.array([np.cos(a), np.sin(a)])
            else:
                at = _somewhere(rng, camera, margin)
            if all(np.linalg.norm(at - q) > reach + far - look.inradius_mm * 0.12 for q, far in table.spots):
                break
        else:
            continue
        chance = rng.random()
        if deal is not None:
            die = laid(rng, look, at, value=deal[index][1])
        elif chance < leaning:
            die = laid(rng, look, at, lean_deg=float(rng.uniform(7, 40)))
        elif chance < leaning + stacked and placed and not placed[-1].cocked:
            die = laid_on(rng, look, placed, len(placed) - 1)
            at = die.position[:2]
        else:
            die = laid(rng, look, at)
        placed.append(die)
        table.spots.append((at, reach))


def _shades(camera: Camera, lights: list[Light], die_px: float, table: _Table) -> tuple[list[F32], F32]:
    """Return each light's shadow and the darkness where dice touch the table, each (h, w, 1), 0 to 1."""
    shades = []
    for i, lamp in enumerate(lights):
        shadow = table.shadow if i == 0 else np.zeros_like(table.shadow)
        for die in table.placed:
            v = die.corners()
            flat = v[:, :2] - lamp.to[:2] / max(0.2, lamp.to[2]) * v[:, 2:3]
            hull = cv2.convexHull(
                (camera.project(np.column_stack([flat, np.zeros(len(flat))])) / 2).astype(np.int32)
            )
            cv2.fillConvexPoly(shadow, hull, 1.0)
        shades.append(cv2.GaussianBlur(shadow, (0, 0), max(0.6, float(lamp.soft * die_px * 0.35))))
    contact = np.zeros_like(table.shadow)
    for die in table.placed:
        if die.on >= 0:
            continue
        v = die.corners()
        v[:, 2] = 0
        cv2.fillConvexPoly(contact, cv2.convexHull((camera.project(v) / 2).astype(np.int32)), 1.0)
    contact = cv2.GaussianBlur(contact, (0, 0), max(0.6, die_px * 0.13))
    full = [cv2.resize(s, camera.size)[..., None] for s in shades]
    return full, cv2.resize(contact, camera.size)[..., None]


def _lit_ground(
    rng: Rng, camera: Camera, table: _Table, lights: list[Light], *, ambient: F32, die_px: float
) -> tuple[F32, F32]:
    """Return the table in its light, (h, w, 3) linear, and its mean colour, which dice mirror."""
    w, h = camera.size
    shades, dark = _shades(camera, lights, die_px, table)
    albedo = linear_light(table.ground)
    canvas: F32 = ambient * (1 - 0.65 * dark)
    for lamp, shadow in zip(lights, shades, strict=True):
        canvas = canvas + lamp.colour * max(0.15, float(lamp.to[2])) * (1 - shadow)
    canvas = (albedo * canvas).astype(np.float32)
    mean = albedo[:: max(1, h // 8), :: max(1, w // 8)].reshape(-1, 3).mean(axis=0)
    if rng.random() < 0.3:
        hot = camera.project(np.array([[*rng.normal(0, 40, 2), 0.0]]))[0]
        yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
        sheen = np.exp(-((xx - hot[0]) ** 2 + (yy - hot[1]) ** 2) / (2 * (rng.uniform(0.08, 0.3) * w) ** 2))
        canvas += (sheen * rng.uniform(0.02, 0.3))[..., None] * lights[0].colour
    return canvas, mean


def _shade_below(
    camera: Camera, die: Placed, lamp: Light, canvas: F32, *, mine: NDArray[np.bool_], die_px: float
) -> None:
    """Darken what is seen of the die that another lies on, ``mine`` (h, w): where they touch, and in its shadow."""
    v = die.corners()
    base = float(die.position[2]) - die.look.inradius_mm
    slant = lamp.to[:2] / max(0.3, float(lamp.to[2])) * (v[:, 2:3] - base)
    for flat, soft, dark in ((v[:, :2], 0.13, 0.6), (v[:, :2] - slant, max(0.05, lamp.soft * 0.2), 0.45)):
        cast = np.zeros(mine.shape, np.float32)
        hull = cv2.convexHull(
            camera.project(np.column_stack([flat, np.full(len(flat), base)])).astype(np.int32)
        )
        cv2.fillConvexPoly(cast, hull, 1.0)
        cast = cv2.GaussianBlur(cast, (0, 0), max(0.6, soft * die_px))
        canvas[mine] *= 1 - dark * cast[mine][:, None]


def _paint_dice(
    studio: Studio, camera: Camera, placed: list[Placed], light: Lighting, canvas: F32
) -> list[DieTruth]:
    """Paint dice into the canvas, the farthest first, and return the truth of those in the picture."""
    w, h = camera.size
    owner = np.full((h, w), -1, np.int16)
    order = sorted(
        range(len(placed)), key=lambda i: -float(np.linalg.norm(placed[i].position - camera.centre))
    )
    truths: dict[int, DieTruth] = {}
    areas: dict[int, int] = {}
    for i in order:
        die = placed[i]
        if die.on >= 0 and die.on in truths:
            is_below = owner // 2 == die.on
            _shade_below(camera, die, light.lamps[0], canvas, mine=is_below, die_px=truths[die.on].radius)
        truth = paint_die(studio, camera, placed[i], light, canvas, owner=owner, index=i)
        if truth is not None:
            truths[i] = truth
            areas[i] = int((owner == i * 2 + 1).sum())
    for i, truth in truths.items():
        if truth.kind == "none":
            continue
        left = int((owner == i * 2 + 1).sum())
        ideal = max(areas[i], int(cv2.contourArea(truth.polygon) * 0.85))
        truth.visible_top = left / max(1, ideal) if areas[i] else 0.0
    return list(truths.values())


def render_scene(seed: int | tuple[int, ...], studio: Studio, size: tuple[int, int] | None = None, *,
                 wanted: list[tuple[str, str]] | None = None, count: int | None = None,
                 deal: Deal | None = None, die_px: float | None = None, is_harsh: bool = True,
                 odd: tuple[float, float] | None = None, things: int | None = None,
                 is_numbered: bool = False, tilt_deg: float | None = None) -> Scene:  # fmt: skip
    """Render one scene.

    Args:
        seed: Decides everything, together with the studio.
        size: Width and height in pixels; chosen when missing.
        wanted: Pairs of kind and colour to lay; chosen when missing.
        count: How many dice; chosen when missing.
        deal: Sets (``make_set``) and values to lay upright, in place of the above.
        die_px: Radius of the dice in the middle of the picture; chosen when missing.
        is_harsh: Whether the camera may be one with its contrast turned all the way up.
        odd: Shares of dice that lean and that lie on another, 0 to 1; a few when missing.
        things: How many coins, counters, markers and cubes lie there; up to ten when missing.
        is_numbered: Whether d6 have numerals, never pips.
        tilt_deg: How far the camera looks off straight down; mostly under 30 degrees when missing.
    """
    rng = np.random.default_rng(seed)
    size = size or [(800, 600), (800, 600), (832, 468), (600, 800), (640, 640)][rng.integers(5)]
    w, h = size
    pairs = wanted or _kinds_and_colours(rng)
    sets = (
        [make_set(rng, studio, k, c, i, is_numbered=is_numbered) for i, (k, c) in enumerate(pairs)]
        if deal is None
        else [deal[0][0]]
    )
    if rng.random() < 0.5:
        for s in sets:
            s.inradius_mm = sets[0].inradius_mm if s.solid.kind == sets[0].solid.kind else s.inradius_mm
    is_alone = count is None and deal is None and die_px is None and rng.random() < _ALONE
    if is_alone:  # one die that fills much of a small photo, often seen at a slant
        count, die_px = 1, float(min(size)) * float(rng.uniform(0.12, 0.32))
    die_px = die_px or float(np.exp(rng.uniform(np.log(15), np.log(92))))
    tilt = float(min(30, abs(rng.normal(0, 12)))) if rng.random() < 0.8 else float(rng.uniform(0, 28))
    if is_alone and rng.random() < 0.5:
        tilt = float(rng.uniform(15, 48))
    tilt = tilt if tilt_deg is None else tilt_deg
    camera = make_camera(rng, size, die_px, tilt, sets[0].inradius_mm * 1.3)
    lights, ambient, kind_of_light = draw_lights(rng)
    _mirror_lamp(rng, camera, lights[0])
    ground, surface = lay_ground(rng, studio, camera)
    table = _Table(ground, np.zeros((h // 2, w // 2), np.float32))
    room = int(w * h * 0.6 / (3.4 * die_px**2))
    count = count if count is not None else int(min(24, room, 1 + rng.geometric(0.085)))
    count = max(0 if wanted is None and rng.random() < 0.05 else 1, count)
    count = len(deal) if deal is not None else count
    _lay_things(rng, studio, camera, lights[0], table, things=things)
    _lay_dice(rng, camera, table, sets, deal=deal, count=count, die_px=die_px, odd=odd)
    canvas, mean = _lit_ground(rng, camera, table, lights, ambient=ambient, die_px=die_px)
    lighting = Lighting(lights, ambient, mean, at_foot=float(rng.uniform(0.45, 0.9)))
    dice = _paint_dice(studio, camera, table.placed, lighting, canvas)
    image = develop(rng, studio, canvas, die_px, kind_of_light, is_harsh=is_harsh)
    return Scene(image, dice + table.nothing, surface, kind_of_light, tilt)

"""The table under a camera: lights, how dice lie, what else lies there, and the surface below them all.

The table is the plane z = 0; lengths on it are millimetres, z points up to the camera.
"""

from __future__ import annotations

__all__ = [
    "Camera",
    "Light",
    "Lighting",
    "Placed",
    "draw_lights",
    "laid",
    "lay_ground",
    "make_camera",
    "stick",
]

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training import surfaces
from vision.training.looks import F32, DiceLook, Rng, Studio
from vision.training.solids import rotation_between


@dataclass(slots=True)
class Camera:
    """A pinhole camera."""

    k: NDArray[np.float64]
    rotation: NDArray[np.float64]
    """World to camera, rows x (right), y (down), z (into the picture)."""
    centre: NDArray[np.float64]
    size: tuple[int, int]

    def project(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where points (n, 3) in millimetres are seen, (n, 2) pixels."""
        cam = (np.atleast_2d(points) - self.centre) @ self.rotation.T
        return np.asarray((cam @ self.k.T)[:, :2] / cam[:, 2:3])

    def plane_to_image(self) -> NDArray[np.float64]:
        """Homography from table millimetres (x, y, 1) to pixels."""
        t = -self.rotation @ self.centre
        return np.asarray(self.k @ np.column_stack([self.rotation[:, 0], self.rotation[:, 1], t]))

    def to_plane(self, pixels: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the table's points under pixels (n, 2), (n, 2) millimetres."""
        inverse = np.linalg.inv(self.plane_to_image())
        p = np.column_stack([pixels, np.ones(len(pixels))]) @ inverse.T
        return np.asarray(p[:, :2] / p[:, 2:3])


def make_camera(rng: Rng, size: tuple[int, int], die_px: float, tilt_deg: float, die_mm: float) -> Camera:
    """Hang a camera over the table so that a die of a radius in millimetres is seen with a radius in pixels."""
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
    return Camera(k, np.stack([r2, d2, look]), -look * distance, size)


@dataclass(slots=True)
class Light:
    """A lamp or window, far away."""

    to: F32
    """Unit vector from the table to it."""
    colour: F32
    soft: float
    """How wide it is: 0 casts hard shadows."""
    panel: float = 0.0
    """Half angle under which a broad lamp or window is seen, radians; 0 for a lamp too small to be mirrored whole."""
    panel_level: float = 0.0
    """How bright its mirror image on a polished face is."""


@dataclass(slots=True)
class Lighting:
    """Everything that lights a die."""

    lamps: list[Light]
    ambient: F32
    """From the sky or ceiling, (3,)."""
    table: F32
    """The table's mean colour, which dice mirror, (3,)."""
    at_foot: float
    """Share of the ambient light that reaches the foot of a die."""


def draw_lights(rng: Rng) -> tuple[list[Light], F32, str]:
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

    def light(low: float, high: float, level: float, colour: F32, soft: float) -> Light:
        el, az = np.radians(rng.uniform(low, high)), rng.uniform(0, 2 * np.pi)
        to = np.array([np.cos(el) * np.cos(az), np.cos(el) * np.sin(az), np.sin(el)], np.float32)
        return Light(to, colour * np.float32(level), soft)

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
class Placed:
    """A die, or a cube that is none, as it lies."""

    look: DiceLook
    rotation: NDArray[np.float64]
    """Die to world."""
    position: NDArray[np.float64]
    """Its middle, millimetres."""
    face: int
    """Index of the face on top."""
    cocked: bool
    on: int = -1
    """Which of the dice laid before it lies under it; -1 for none."""

    def corners(self) -> NDArray[np.float64]:
        """Return its solid's vertices in the world, (n, 3) millimetres."""
        return self.position + (self.look.solid.vertices * self.look.inradius_mm) @ self.rotation.T


def laid(
    rng: Rng, look: DiceLook, xy: NDArray[np.float64], *, lean_deg: float = 0.0, lift_mm: float = 0.0,
    value: int | None = None,
) -> Placed:  # fmt: skip
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
    return Placed(look, rotation, np.array([xy[0], xy[1], height + lift_mm]), face, lean_deg > 5)


def stick(rng: Rng, canvas: NDArray[np.uint8], shadow: F32, sticker: surfaces.Sticker, camera: Camera,  # noqa: PLR0917
           xy: NDArray[np.float64], lamp: Light) -> NDArray[np.float64]:  # fmt: skip
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


def lay_ground(rng: Rng, studio: Studio, camera: Camera) -> tuple[NDArray[np.uint8], str]:
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
        wall = rng.uniform(4, 14)
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

"""One die, ray by ray, with its truth: true solids under a pinhole camera, direct light, one bounce of surroundings."""

from __future__ import annotations

__all__ = ["DieTruth", "paint_die", "seen_normals"]

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.glyphs import TILE_PX
from vision.training.looks import F32, DiceLook, Studio
from vision.training.solids import rotation_between
from vision.training.stage import Camera, Lighting, Placed

_ROW = 8192
"""Longest row that cv2.remap takes well."""


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
    stacked: bool = False
    """Whether it lies flat on another; it counts as cocked, too."""
    lean_deg: float = 0.0
    """Angle between its top face and the table."""
    normals: F32 = field(default_factory=lambda: np.zeros((6, 3), np.float32))
    """One face normal of each opposite pair, the top face's first, as ``vision.attitude`` counts directions; zeros for none."""


@dataclass(slots=True)
class _Hits:
    """The rays that meet a die, n of them, in the die's own directions and inradii."""

    ray: NDArray[np.intp]
    """Index of each into the window's rays."""
    point: F32
    face: NDArray[np.intp]
    on_ball: NDArray[np.bool_]
    """Whether the rounding sphere is met, and not a face."""
    normal: F32
    """With soft edges."""


def _outline(camera: Camera, die: Placed) -> NDArray[np.float64]:
    v = die.look.solid.vertices
    length = np.linalg.norm(v, axis=1, keepdims=True)
    v = v * np.minimum(1, die.look.sphere * 1.03 / length)
    return camera.project(die.position + (v * die.look.inradius_mm) @ die.rotation.T)


def _cast(look: DiceLook, o: F32, d: F32) -> _Hits | None:
    """Cast rays from ``o`` (3,) in directions ``d`` (m, 3) at a die; None where hardly any meets it."""
    normals = look.solid.normals.astype(np.float32)
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
    p = o + d[hi] * np.maximum(t_in, t_ball)[hi][:, None]
    # soft edges: blend the normals of faces that are entered at nearly the same depth
    weight = np.exp(np.clip((t_in_all[hi] - t_in[hi][:, None]) * look.edge, -30, 0))
    n = weight @ normals[front]
    ball = np.clip((t_ball[hi] - t_in[hi]) * look.edge * 0.5, -3, 3)
    mix = (1 / (1 + np.exp(-ball * 2)))[:, None]
    n /= np.linalg.norm(n, axis=1, keepdims=True) + 1e-9
    n = n * (1 - mix) + mix * p / look.sphere
    return _Hits(hi, p, np.nonzero(front)[0][fid_front[hi]], t_ball[hi] > t_in[hi], n)


def _carve(look: DiceLook, hits: _Hits) -> F32:
    """Return how much ink lies at each hit, (n,) 0 to 1, and bend the normals at the numerals' edges."""
    faces = look.solid.faces
    centre = np.stack([f.centre for f in faces]).astype(np.float32)
    right = np.stack([f.right for f in faces]).astype(np.float32)[hits.face]
    up = np.stack([f.up for f in faces]).astype(np.float32)[hits.face]
    unit = np.float32(faces[0].unit)
    rel = hits.point - centre[hits.face]
    half = TILE_PX / 2
    u = np.einsum("ij,ij->i", rel, right) / unit * half + half - 0.5
    v = half - 0.5 - np.einsum("ij,ij->i", rel, up) / unit * half
    inside = (u > 1) & (u < TILE_PX - 2) & (v > 1) & (v < TILE_PX - 2)
    mu = (u + hits.face * TILE_PX).astype(np.float32).reshape(1, -1)
    mv = v.astype(np.float32).reshape(1, -1)
    wide = mu.shape[1]
    if wide > _ROW:
        rows = 1 + wide // _ROW
        mu, mv = (np.pad(m, ((0, 0), (0, rows * _ROW - wide))).reshape(rows, _ROW) for m in (mu, mv))
    mask = cv2.remap(look.atlas, mu, mv, cv2.INTER_LINEAR).ravel()[:wide] * inside
    groove = cv2.remap(look.bump, mu, mv, cv2.INTER_LINEAR).reshape(-1, 2)[:wide] * inside[:, None]
    n = hits.normal + groove[:, :1] * right + groove[:, 1:] * up
    hits.normal = n / (np.linalg.norm(n, axis=1, keepdims=True) + 1e-9)
    return mask


_INDEX = 1.5
"""How much slower light is in resin than in air."""


def _see_through(look: DiceLook, hits: _Hits, d: F32) -> tuple[F32, F32]:
    """Follow rays (n, 3) through a clear die to the far side.

    Returns:
        How much ink is met there, (n,) 0 to 1, and how much light comes in there, (n,): hardly any where the far side mirrors.
    """
    n = hits.normal
    into = -np.einsum("ij,ij->i", n, d)[:, None]
    bent = d / _INDEX + n * (into / _INDEX - np.sqrt(np.maximum(0.0, 1 - (1 - into**2) / _INDEX**2)))
    bent /= np.linalg.norm(bent, axis=1, keepdims=True)
    normals = look.solid.normals.astype(np.float32)
    speed = bent @ normals.T
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.where(speed > 1e-6, (1.0 - hits.point @ normals.T) / speed, np.float32(1e9))
    face = far.argmin(axis=1)
    rows = np.arange(len(face))
    back = _Hits(
        hits.ray, hits.point + bent * far[rows, face][:, None], face, np.zeros(len(face), bool), normals[face]
    )
    slant = speed[rows, face]
    return _carve(look, back), np.clip((slant - 0.55) / 0.3, 0.25, 1.0)


def _albedo(studio: Studio, look: DiceLook, p: F32, mask: F32) -> F32:
    """Return the colour of body and ink at points (n, 3), before light."""
    a, b, grain, depth = look.pattern
    body: F32 = np.broadcast_to(look.body, (len(p), 3))
    if look.finish in ("speckled", "marbled", "pearl", "clear", "layered"):
        is_speckled = look.finish == "speckled"
        step = grain * (3.0 if is_speckled else 1.0)
        qx = np.abs((p @ a * step + 600) % 510 - 255).astype(np.int32)
        qy = np.abs((p @ b * step + 600) % 510 - 255).astype(np.int32)
        veins = (studio.speckle if is_speckled else studio.noise)[qy, qx]
        if look.finish == "layered":  # poured one on the other, with a wavy seam
            veins = np.clip((p @ a / np.linalg.norm(a) + (veins - 0.5) * depth - 0.25) * 12, 0, 1)
        elif not is_speckled:
            veins = np.clip((veins - 0.35) * 2.2, 0, 1) * (depth if look.finish == "marbled" else 0.5 * depth)
        body = body + veins[:, None] * (look.second - look.body)
    return body + mask[:, None] * (look.ink - body)


def _shine(noise: F32, look: DiceLook, light: Lighting, nw: F32, *, view: F32, mask: F32) -> F32:
    """Return what is mirrored: lamps, and by grazing light the room and the table."""
    shine = np.zeros((len(nw), 3), np.float32)
    reflect = 2 * np.einsum("ij,ij->i", nw, view)[:, None] * nw - view
    for lamp in light.lamps:
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
    around = noise[
        ((reflect[:, 1] * 90 + 128).astype(np.int32)) & 255,
        ((reflect[:, 0] * 90 + 128).astype(np.int32)) & 255,
    ]
    around = np.clip((around - 0.5) * 4, 0, 1)[:, None]
    return shine + fresnel * (
        light.ambient * (0.5 + 0.6 * np.clip(reflect[:, 2:3], 0, 1) + look.room * around) + 0.2 * light.table
    )


def _shade(light: Lighting, nw: F32, height: F32) -> F32:
    """Return the light that falls on each point, from the sky, the table and the lamps."""
    sky = light.ambient * (0.55 + 0.45 * nw[:, 2:3])
    sky = sky * (light.at_foot + (1 - light.at_foot) * height[:, None])
    shade = sky + 0.12 * light.table * np.clip(-nw[:, 2:3], 0, 1)
    for lamp in light.lamps:
        shade = shade + np.clip(nw @ lamp.to, 0, 1)[:, None] * lamp.colour
    return shade


def _contrast(colour: F32, mask: F32, on_top: NDArray[np.bool_]) -> float:
    """Return how far numeral and top face differ in the final 8-bit units; 0 where either is not seen."""
    inked, bare = on_top & (mask > 0.6), on_top & (mask < 0.15)
    if not (inked.any() and bare.any()):
        return 0.0
    tone = np.clip(colour, 0, 1) ** (1 / 2.2) * 255
    return float(np.abs(tone[inked].mean(axis=0) - tone[bare].mean(axis=0)).sum() / 3)


def seen_normals(camera: Camera, die: Placed) -> F32:
    """Return the die's face normals along the ray to it, one of each opposite pair, the top face's first: (6, 3)."""
    ray = camera.rotation @ (die.position - camera.centre)
    straight = rotation_between(ray / np.linalg.norm(ray), np.array([0, 0, 1.0]))
    solid = die.look.solid
    if solid.kind == "other":
        return np.zeros((6, 3), np.float32)
    pairs = [die.face, *(i for i, j in enumerate(solid.opposite) if i < j and die.face not in (i, j))]
    seen = (solid.normals[pairs] @ die.rotation.T) @ camera.rotation.T @ straight.T
    out = np.zeros((6, 3), np.float32)
    out[: len(pairs)] = seen * [1, 1, -1]
    return out


def _truth(camera: Camera, die: Placed, circle: tuple[float, float, float], contrast: float) -> DieTruth:
    look, face = die.look, die.look.solid.faces[die.face]
    where = die.position + (face.centre * look.inradius_mm) @ die.rotation.T
    eps = 0.05 * look.inradius_mm
    base = camera.project(where)[0]
    across = (camera.project(where + eps * (die.rotation @ face.right))[0] - base) / eps
    down = (camera.project(where - eps * (die.rotation @ face.up))[0] - base) / eps
    scale = float(np.float32(look.solid.faces[0].unit)) * look.inradius_mm
    rise = float((die.rotation @ face.normal)[2])
    polygon = camera.project(die.position + (face.polygon * look.inradius_mm) @ die.rotation.T)
    return DieTruth(
        "none" if look.set_id < 0 else look.solid.kind, look.colour, look.values[die.face], die.cocked, *circle,
        (float(base[0]), float(base[1])), np.column_stack([across, down]).astype(np.float32) * np.float32(scale),
        polygon.astype(np.float32), 1.0, contrast, look.corner_below, look.mark, look.set_id,
        die.on >= 0, float(np.degrees(np.arccos(min(1.0, rise)))), seen_normals(camera, die),
    )  # fmt: skip


def paint_die(
    studio: Studio, camera: Camera, die: Placed, light: Lighting, canvas: F32, *, owner: NDArray[np.int16],
    index: int,
) -> DieTruth | None:  # fmt: skip
    """Ray-cast one die into the canvas; returns its truth, or None when nothing of it is in the picture.

    Args:
        canvas: (h, w, 3) linear light, painted on.
        owner: (h, w), set to twice ``index`` where the die is seen, one more where its top face is.
    """
    look = die.look
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
    o = ((camera.centre - die.position) / look.inradius_mm).astype(np.float32) @ to_die
    d = rays @ to_die
    hits = _cast(look, o, d)
    if hits is None:
        return None
    hi = hits.ray
    mask = _carve(look, hits)
    nw = hits.normal @ to_die.T
    height = np.clip((hits.point @ to_die.T)[:, 2] * 0.5 + 0.5, 0, 1)
    colour = _albedo(studio, look, hits.point, mask) * _shade(light, nw, height)
    colour = colour + _shine(studio.noise, look, light, nw, view=-rays[hi], mask=mask)
    if look.glow:
        ground = canvas[
            np.clip(py.ravel()[hi].astype(int), 0, h - 1), np.clip(px.ravel()[hi].astype(int), 0, w - 1)
        ]
        ink, light_in = _see_through(look, hits, d[hi])
        behind = ground * look.body**0.5 * light_in[:, None]
        behind = behind + (ink * 0.8)[:, None] * (look.ink * _shade(light, nw, height) * 0.6 - behind)
        clear = look.glow * (1 - mask[:, None])
        colour = colour * (1 - clear) + clear * behind
    flat = np.zeros((gh * gw, 4), np.float32)
    flat[hi, :3] = colour
    flat[hi, 3] = 1
    small = cv2.resize(flat.reshape(gh, gw, 4), (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)
    alpha = small[..., 3:4]
    spot = canvas[y0:y1, x0:x1]
    spot[:] = spot * (1 - alpha) + small[..., :3]
    on_top = (hits.face == die.face) & ~hits.on_ball
    top = np.zeros(gh * gw, np.uint8)
    top[hi] = 1 + on_top
    tags = cv2.resize(top.reshape(gh, gw), (x1 - x0, y1 - y0), interpolation=cv2.INTER_NEAREST)
    mine = owner[y0:y1, x0:x1]
    mine[tags > 0] = index * 2
    mine[tags == 2] = index * 2 + 1
    circle = (float(cx), float(cy), float(radius))
    return _truth(camera, die, circle, _contrast(colour, mask, on_top))

"""From rendered scenes to training arrays, in shards on disk.

One shard (``.npz``) holds crops around every die and around things that are none, their labels, and the whole scenes
packed as JPEG for the finder. A shard is a pure function of (seed, shard number, fonts found).
"""

from __future__ import annotations

__all__ = [
    "CROP_PX",
    "CROP_REACH",
    "FIND_LONG_PX",
    "KINDS",
    "LABELS",
    "Shard",
    "load_shards",
    "make_shard",
    "render_shards",
    "rolls_among",
    "save_whole",
]

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import scene_statistics, square_crop
from vision.training.looks import COLOURS, Studio
from vision.training.paint import DieTruth
from vision.training.processes import in_processes
from vision.training.scene import render_scene

CROP_PX = 112
CROP_REACH = 1.45
"""Half side of a stored crop in die radii."""
FIND_LONG_PX = 640
KINDS = ("d12", "d10", "d6", "none", "other")
"""What the pose net tells apart; other dice, such as d8 and d20, are found and not read."""
LABELS = (
    "kind", "colour", "value", "cocked", "top_x", "top_y", "m00", "m01", "m10", "m11",
    "visible", "contrast", "corner_below", "mark", "radius_px", "set_id", "scene", "stacked",
    *(f"n{i}{axis}" for i in range(6) for axis in "xyz"),
)  # fmt: skip
_MARKS = ("none", "underline", "dot")
_CLUTTERED = 5
"""One shard in so many shows tables full of coins, counters and markers with no die or a few."""
_NUMBERED = 1
"""The second of as many shows d6 with numerals: in half of its scenes one die close up, in half a few."""
_SLANTED = 2
"""The third of as many shows one to four dice at a slant, d10 above all: which of a d10's faces is its top is hardest to tell there."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Arrays of one or more shards."""

    crops: NDArray[np.uint8]
    """(n, CROP_PX, CROP_PX, 3), BGR."""
    labels: NDArray[np.float32]
    """(n, len(LABELS))."""
    scenes: NDArray[np.float32]
    """(n, 12): what is known of the whole picture, for the colour."""
    pictures: list[bytes]
    """JPEG, long side FIND_LONG_PX."""
    boxes: list[NDArray[np.float32]]
    """For each picture (m, 4): x, y, radius, is_die, in that picture's pixels."""


def _label(d: DieTruth, scene: int) -> list[float]:
    r = d.radius
    return [
        KINDS.index(d.kind), COLOURS.index(d.colour) if d.kind != "none" else 0, d.value, float(d.cocked),
        (d.top_xy[0] - d.x) / r, (d.top_xy[1] - d.y) / r,
        *(d.face_map / r).ravel().tolist(), d.visible_top, d.contrast, float(d.corner_below), _MARKS.index(d.mark), r,
        d.set_id, scene, float(d.stacked), *d.normals.ravel().tolist(),
    ]  # fmt: skip


def _numbered(rng: np.random.Generator) -> dict[str, Any]:
    """Say what a scene of d6 with numerals shows."""
    is_close = rng.random() < 0.5
    wanted = [("d6", str(colour)) for colour in rng.choice(COLOURS, size=1 if is_close else 4, replace=False)]
    radius = np.exp(rng.uniform(np.log(45), np.log(130))) if is_close else rng.uniform(35, 75)
    count = 1 if is_close else int(rng.integers(2, 9))
    few = {"things": int(rng.integers(0, 3))} if rng.random() < 0.7 else {}
    size = (480, 480) if is_close else (800, 600)
    return {
        "size": size,
        "wanted": wanted,
        "count": count,
        "die_px": float(radius),
        "is_numbered": True,
        **few,
    }


def _slanted(rng: np.random.Generator) -> dict[str, Any]:
    """Say what a scene of a few dice seen at a slant shows."""
    count = int(rng.choice([1, 2, 3, 4], p=[0.55, 0.15, 0.15, 0.15]))
    kind = str(rng.choice(["d10", "d12", "d6", "other"], p=[0.62, 0.16, 0.16, 0.06]))
    colours = rng.choice(COLOURS, size=min(count, 2), replace=False)
    size = (480, 480) if count == 1 else (640, 480)
    radius = rng.uniform(0.1, 0.31) * 480 if count == 1 else rng.uniform(28, 85)
    return {
        "size": size,
        "wanted": [(kind, str(colour)) for colour in colours],
        "count": count,
        "die_px": float(radius),
        "tilt_deg": float(rng.uniform(5, 45)),
        "odd": (0.15, 0.01),
        "things": int(rng.integers(0, 4)),
    }


def make_shard(seed: int, number: int, scenes: int, studio: Studio) -> Shard:
    """Render ``scenes`` scenes and cut them up."""
    crops, labels, stats, pictures, boxes = [], [], [], [], []
    for i in range(scenes):
        rng = np.random.default_rng((seed, number, i, 9))
        full: dict[str, Any] = {}
        if number % _CLUTTERED == _CLUTTERED - 1:
            full = {"things": int(rng.integers(8, 31)), "count": int(rng.integers(0, 4))}
        elif number % _CLUTTERED == _NUMBERED:
            full = _numbered(rng)
        elif number % _CLUTTERED == _SLANTED:
            full = _slanted(rng)
        scene = render_scene((seed, number, i), studio, **full)
        image, (h, w) = scene.image, scene.image.shape[:2]
        real = [d for d in scene.dice if d.kind != "none"]
        inside = [
            d
            for d in real
            if -0.6 * d.radius < d.x < w + 0.6 * d.radius and -0.6 * d.radius < d.y < h + 0.6 * d.radius
        ]
        others = [d for d in scene.dice if d.kind == "none" and 0 < d.x < w and 0 < d.y < h]
        typical = float(np.median([d.radius for d in inside])) if inside else float(rng.uniform(12, 80))
        for _ in range(int(rng.integers(0, 3))):
            x, y, r = rng.uniform(0, w), rng.uniform(0, h), typical * rng.uniform(0.6, 1.5)
            if all((d.x - x) ** 2 + (d.y - y) ** 2 > (1.3 * d.radius + 0.3 * r) ** 2 for d in real):
                others.append(DieTruth("none", "none", 0, False, float(x), float(y), float(r)))
        if len(others) > 4:
            others = [others[j] for j in rng.choice(len(others), 4, replace=False)]
        where = np.array([[d.x, d.y, d.radius] for d in inside]) if inside else np.zeros((0, 3))
        known = scene_statistics(image, where)
        for d in inside + others:
            crops.append(square_crop(image, d.x, d.y, d.radius * CROP_REACH, CROP_PX))
            labels.append(_label(d, number * 100000 + i))
            stats.append(known)
        k = FIND_LONG_PX / max(h, w)
        small = cv2.resize(image, (round(w * k), round(h * k)), interpolation=cv2.INTER_AREA)
        pictures.append(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 94])[1].tobytes())
        rows = [[d.x * k, d.y * k, d.radius * k, 1.0] for d in real]
        boxes.append(np.array(rows, np.float32).reshape(-1, 4))
    return Shard(
        np.array(crops, np.uint8).reshape(-1, CROP_PX, CROP_PX, 3),
        np.array(labels, np.float32).reshape(-1, len(LABELS)),
        np.array(stats, np.float32).reshape(len(crops), -1),
        pictures,
        boxes,
    )


def rolls_among(paths: list[Path]) -> list[Path]:
    """Return those shards that show tables with whole rolls, from which colours are learnt: a lone die has no others to compare with."""
    return [path for path in paths if int(path.stem[-4:]) % _CLUTTERED not in (_NUMBERED, _SLANTED)]


def save_whole(path: Path, **arrays: NDArray[Any]) -> None:
    """Write arrays to an ``.npz`` file that appears under its name only when whole."""
    temporary = path.with_suffix(".tmp.npz")
    np.savez(temporary, **arrays)  # type: ignore[arg-type]
    temporary.rename(path)


def save_shard(shard: Shard, path: Path) -> None:
    """Write a shard; it appears under its name only when whole."""
    packed = np.frombuffer(b"".join(shard.pictures), np.uint8)
    ends = np.cumsum([len(p) for p in shard.pictures])
    counts = np.cumsum([len(b) for b in shard.boxes])
    boxes = np.concatenate(shard.boxes) if shard.boxes else np.zeros((0, 4), np.float32)
    save_whole(path, crops=shard.crops, labels=shard.labels, scenes=shard.scenes, packed=packed, ends=ends,
             boxes=boxes, counts=counts)  # fmt: skip


def load_shards(paths: list[Path], *, with_crops: bool = True) -> Shard:
    """Read shards back and join them; the finder needs no crops, most of the memory."""
    crops, labels, scenes, pictures, boxes = [], [], [], [], []
    for path in paths:
        with np.load(path) as z:
            crops.append(z["crops"] if with_crops else np.zeros((0, CROP_PX, CROP_PX, 3), np.uint8))
            labels.append(z["labels"])
            scenes.append(z["scenes"])
            packed, ends, all_boxes, counts = z["packed"], z["ends"], z["boxes"], z["counts"]
        pictures += [packed[a:b].tobytes() for a, b in zip([0, *ends][:-1], ends, strict=True)]
        boxes += [all_boxes[a:b] for a, b in zip([0, *counts][:-1], counts, strict=True)]
    return Shard(np.concatenate(crops), np.concatenate(labels), np.concatenate(scenes), pictures, boxes)


def _work(task: tuple[int, int, int, bool, str, float]) -> str:
    seed, number, scenes, held_out, folder, deadline = task
    path = Path(folder) / f"{'val' if held_out else 'train'}_{number:04d}.npz"
    if path.exists() or time.monotonic() > deadline:
        return str(path)
    cv2.setNumThreads(1)
    studio = Studio(seed * 1000 + number, surfaces_count=24, held_out=held_out)
    save_shard(make_shard(seed, number + (500 if held_out else 0), scenes, studio), path)
    return str(path)


def render_shards(
    seed: int, folder: Path, *, shards: int, scenes: int, held_out: bool, jobs: int, minutes: float
) -> list[Path]:
    """Render shards in parallel; those already there are kept, none is started after ``minutes``."""
    folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + minutes * 60
    tasks = [(seed, n, scenes, held_out, str(folder), deadline) for n in range(shards)]
    return [Path(n) for n in in_processes(_work, tasks, jobs) if Path(n).exists()]

"""Photos for the tests: own renders with fonts and seeds never trained on, with their truth in the scorer's form."""

from __future__ import annotations

__all__ = ["truth_row", "write_samples"]

import json
from pathlib import Path
from typing import Any

import cv2

from vision.training.looks import Studio
from vision.training.paint import DieTruth
from vision.training.scene import Scene, render_scene

_SEED = 424_242


def truth_row(d: DieTruth) -> dict[str, Any]:
    """Lay out one die's truth as the scorer reads it."""
    return {
        "kind": d.kind, "color": d.colour, "value": None if d.cocked else d.value, "cocked": d.cocked,
        "center": [round(d.x, 1), round(d.y, 1)], "radius": round(d.radius, 1),
        "legible": bool(d.visible_top > 0.8 and d.contrast > 14 and d.radius > 14), "mark69": d.mark,
    }  # fmt: skip


def _write(folder: Path, name: str, scene: Scene, quality: int) -> None:
    """Write one photo and its truth, dice that are more than half outside left out."""
    ok, data = cv2.imencode(".jpg", scene.image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not ok:
        raise RuntimeError("the picture could not be packed as JPEG")
    (folder / f"{name}.jpg").write_bytes(data.tobytes())
    h, w = scene.image.shape[:2]
    dice = [
        truth_row(d)
        for d in scene.dice
        if d.kind != "none"
        and 0.5 * d.radius < d.x < w - 0.5 * d.radius
        and 0.5 * d.radius < d.y < h - 0.5 * d.radius
    ]
    tags = {"surface": scene.surface, "light": scene.light, "tilt_deg": round(scene.tilt_deg, 1)}
    row = {"image": f"{name}.jpg", "set": "own", "width": w, "height": h, "dice": dice, "tags": tags}
    (folder / f"{name}.json").write_text(json.dumps(row, indent=1) + "\n", "utf-8")


def write_samples(
    folder: Path,
    *,
    count: int = 24,
    leaning: int = 9,
    stacked: int = 6,
    size: tuple[int, int] = (1024, 768),
    quality: int = 86,
) -> list[Scene]:
    """Render photos into ``folder``: ``count`` of all sorts (``own_00.jpg`` and its ``.json``), and some of odd dice.

    In those, d12, d10 and d6 in turn, nearly every third die leans and some lie on another (``leaning_00.jpg``), or many
    lie flat on others (``stacked_00.jpg``).
    """
    folder.mkdir(parents=True, exist_ok=True)
    studio = Studio(_SEED, surfaces_count=20, held_out=True)
    plan = [
        [("d12", "white"), ("d12", "gray"), ("d12", "black")], [("d12", "white"), ("d12", "black")], [("d12", "gray")],
        [("d12", "blue"), ("d12", "red"), ("d12", "yellow"), ("d12", "purple")], [("d10", "red"), ("d10", "white")],
        [("d6", "white"), ("d6", "black")],
    ]  # fmt: skip
    scenes = []
    for i in range(count):
        wanted = plan[i % len(plan)]
        scene = render_scene((_SEED, i), studio, size, wanted=wanted, die_px=26.0 + 7.0 * (i % 7))
        scenes.append(scene)
        _write(folder, f"own_{i:02d}", scene, quality)
    for name, photos, seed, odd in (
        ("leaning", leaning, 500, (0.3, 0.08)),
        ("stacked", stacked, 600, (0.0, 0.5)),
    ):
        for i in range(photos):
            colours = ("white", "black", "red")[: 1 + i // 3]
            scene = render_scene(
                (_SEED, seed + i),
                studio,
                size,
                wanted=[(("d12", "d10", "d6")[i % 3], colour) for colour in colours],
                die_px=40.0,
                count=12,
                is_harsh=False,
                odd=odd,
            )
            scenes.append(scene)
            _write(folder, f"{name}_{i:02d}", scene, quality)
    return scenes

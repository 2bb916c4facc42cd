"""Measuring calibrated sets: learn a set from two or three renders, then read other renders of the same dice."""

from __future__ import annotations

__all__ = ["measure_sets"]

from pathlib import Path
from typing import Any

import numpy as np

from vision.errors import SetError
from vision.models import Models, load_models
from vision.reader import examine
from vision.sets import DiceSet, Learner
from vision.training.looks import COLOURS, DiceLook, Studio, make_set
from vision.training.scene import Scene, render_scene
from vision.types import Request, legal_values


def _read(scene: Scene, kind: str, models: Models, dice_set: DiceSet | None) -> list[tuple[int, Any]]:
    """Return (true value, evidence or None) for every upright die in a scene."""
    read = list(examine(scene.image, Request(kinds=(kind,)), models, dice_set=dice_set))
    out = []
    for t in scene.dice:
        if t.kind != kind or t.cocked or t.visible_top < 0.8:
            continue
        near = [r for r in read if np.hypot(r.reading.x - t.x, r.reading.y - t.y) < t.radius]
        out.append((10 if kind == "d10" and t.value == 0 else t.value, near[0] if near else None))
    return out


def learn(
    look: DiceLook, kind: str, colour: str, *, seed: tuple[int, ...], studio: Studio, models: Models
) -> DiceSet | None:
    """Show every value once over two photos, as a user would; None where dice were hidden or missed."""
    values = list(look.values)
    learner = Learner("own", kind)
    half = (len(values) + 1) // 2
    for part in range(2):
        some = values[part * half : part * half + half]
        scene = render_scene((*seed, part), studio, (1024, 768), deal=[(look, v) for v in some], die_px=52.0)
        read = examine(scene.image, Request(kinds=(kind,)), models)
        kept = [r for r in read if r.reading.kind == kind and r.reading.value is not None]
        sure = [r.reading.value if r.reading.is_sure else None for r in kept]
        learner.add(colour, [r.vote for r in kept], sure)
    try:
        return learner.finish()
    except SetError:
        return None


def measure_sets(seed: int, sets: int, folder: Path | None = None, *, kind: str = "d12") -> dict[str, int]:
    """Count right values with and without the set, over sets whose fonts were never trained on."""
    studio = Studio(seed, surfaces_count=16, held_out=True)
    models = load_models(folder)
    count = {"sets": 0, "not learnt": 0, "wrongly learnt faces": 0, "dice": 0, "right without": 0, "right with": 0,
             "sure without": 0, "sure with": 0, "sure and wrong without": 0, "sure and wrong with": 0}  # fmt: skip
    for i in range(sets):
        rng = np.random.default_rng((seed, 31, i))
        colour = str(rng.choice(COLOURS[:7]))
        look = make_set(rng, studio, kind, colour, 0)
        dice_set = learn(look, kind, colour, seed=(seed, 32, i), studio=studio, models=models)
        count["sets"] += 1
        if dice_set is None:
            count["not learnt"] += 1
            continue
        for j in range(2):
            values = [int(v) for v in rng.choice(look.values, 10)]
            scene = render_scene(
                (seed, 33, i, j),
                studio,
                (1024, 768),
                deal=[(look, v) for v in values],
                die_px=float(rng.uniform(28, 60)),
            )
            for name, used in (("without", None), ("with", dice_set)):
                for truth, got in _read(scene, kind, models, used):
                    right = got is not None and got.reading.guess == truth
                    sure = got is not None and got.reading.is_sure
                    count["dice"] += name == "with"
                    count[f"right {name}"] += right
                    count[f"sure {name}"] += sure
                    count[f"sure and wrong {name}"] += sure and not right
    assert legal_values(kind)
    return count

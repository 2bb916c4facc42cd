"""Dice that lie flat on others, and the net that tells them from dice on the table.

Few dice of an evening do, and what tells of them, an edge of the lower die or a longer shadow, is small: so their net
has scenes of its own, in which every third die lies on another.
"""

from __future__ import annotations

__all__ = ["cut_stacks", "render_stacks", "stack_batch", "train_stack"]

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import square_crop
from vision.heights import STACK_PX, STACK_REACH
from vision.training.dataset import save_whole
from vision.training.jobs import in_processes
from vision.training.looks import Studio
from vision.training.scene import render_scene

Rng = np.random.Generator
_STORED_PX = 72
_STORED_REACH = 2.5
"""Half side of a stored crop in die radii."""
_ODD = (0.06, 0.34)
"""Shares of dice that lean and that lie on another."""
_HALF = 64
"""Dice of either sort in a batch."""


def cut_stacks(
    seed: int, number: int, scenes: int, studio: Studio
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Render scenes and cut out the dice that stand upright on the table or lie flat on others; all others teach nothing."""
    crops, stacked = [], []
    for i in range(scenes):
        scene = render_scene((seed, number, i, 7), studio, odd=_ODD, count=8 + i % 7)
        h, w = scene.image.shape[:2]
        for d in scene.dice:
            edge = 0.3 * d.radius
            is_seen = -edge < d.x < w + edge and -edge < d.y < h + edge and d.visible_top > 0.8
            if d.kind == "none" or not is_seen or (d.cocked and not d.stacked):
                continue
            crops.append(square_crop(scene.image, d.x, d.y, d.radius * _STORED_REACH, _STORED_PX))
            stacked.append(d.stacked)
    return np.array(crops, np.uint8).reshape(-1, _STORED_PX, _STORED_PX, 3), np.array(stacked, bool)


def _work(task: tuple[int, int, int, str]) -> str:
    seed, number, scenes, folder = task
    path = Path(folder) / f"stack_{number:04d}.npz"
    if not path.exists():
        cv2.setNumThreads(1)
        studio = Studio(seed * 1000 + 300 + number, surfaces_count=24)
        crops, stacked = cut_stacks(seed, number, scenes, studio)
        save_whole(path, crops=crops, stacked=stacked)
    return str(path)


def render_stacks(seed: int, folder: Path, *, shards: int, scenes: int, jobs: int) -> list[Path]:
    """Render shards of such scenes in parallel; those already there are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    tasks = [(seed, n, scenes, str(folder)) for n in range(shards)]
    return [Path(name) for name in in_processes(_work, tasks, jobs)]


def stack_batch(crops: NDArray[np.uint8], rows: NDArray[np.int64], rng: Rng) -> NDArray[np.uint8]:
    """Cut a batch (n, STACK_PX, STACK_PX, 3): turned, mirrored, scaled and shifted as finds are, a few blurred."""
    x = np.empty((len(rows), STACK_PX, STACK_PX, 3), np.uint8)
    radius = _STORED_PX / (2 * _STORED_REACH)
    for j, row in enumerate(rows):
        turn, mirror = rng.uniform(0, 2 * np.pi), -1 if rng.random() < 0.5 else 1
        step = 2 * STACK_REACH * radius / STACK_PX * float(np.exp(rng.normal(0, 0.05)))
        c, s = np.cos(turn) * step, np.sin(turn) * step
        a = np.array([[c * mirror, -s], [s * mirror, c]])
        middle = np.full(2, _STORED_PX / 2) + rng.normal(0, 0.05, 2) * radius
        m = np.column_stack([a, middle - a @ np.full(2, STACK_PX / 2)])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        cv2.warpAffine(crops[row], m, (STACK_PX, STACK_PX), x[j], flags, cv2.BORDER_REPLICATE)
        x[j] = cv2.convertScaleAbs(x[j], alpha=float(np.exp(rng.normal(0, 0.15))))
        if rng.random() < 0.15:
            x[j] = cv2.GaussianBlur(x[j], (0, 0), float(rng.uniform(0.4, 1.0)))
    return x


def train_stack(
    paths: list[Path], out: Path, *, seed: int, steps: int, threads: int, say: Callable[[str], None]
) -> None:
    """Train the net that tells dice on dice; every second die of a batch lies on another."""
    import torch
    import torch.nn.functional as f

    from vision.training.nets import StackNet
    from vision.training.train import Loop, as_image, keep, run_net, start_torch

    parts = [np.load(path) for path in paths]
    crops = np.concatenate([p["crops"] for p in parts])
    stacked = np.concatenate([p["stacked"] for p in parts])
    on, off = np.nonzero(stacked)[0], np.nonzero(~stacked)[0]
    start_torch(seed + 4, threads)
    net = StackNet().to(memory_format=torch.channels_last).train()
    loop = Loop(net, [net.answer], steps, 3e-3, say=say, name="stack", minutes=1e9)
    want = torch.cat([torch.ones(_HALF), torch.zeros(_HALF)])
    for i in range(steps):
        rng = np.random.default_rng((seed, 6, i))
        rows = np.concatenate([rng.choice(on, _HALF), rng.choice(off, _HALF)])
        said = run_net(net, as_image(stack_batch(crops, rows, rng)))[:, 0]
        loss = f.binary_cross_entropy_with_logits(said, 0.02 + 0.96 * want)
        right = ((said > 0) == (want > 0.5)).float().mean()
        if not loop.step(i, loss, f"(right {right.item():.3f})"):
            break
    keep(loop, out, "stack")

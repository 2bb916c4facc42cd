"""Dice that lie flat on others, and the net that tells them from dice on the table.

Few dice of an evening do, and what tells of them is small, an edge of the lower die or a longer shadow: so their net has
scenes of its own, in which more than every third die lies on another. It begins where the pose net's middle layers end,
which know dice well, and sees each die where the finder puts it: around two dice rather than around the upper one.
"""

from __future__ import annotations

__all__ = ["STORED", "StackCrops", "cut_stacks", "render_stacks", "stack_batch", "train_stack"]

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import square_crop
from vision.find import find_dice
from vision.pose import POSE_PX, POSE_REACH
from vision.training.dataset import save_whole
from vision.training.looks import Studio
from vision.training.paint import DieTruth
from vision.training.pairs import pair_up
from vision.training.scene import render_scene

Rng = np.random.Generator
Finder = Callable[[NDArray[np.float32]], NDArray[np.float32]]
_PARTS = ("crops", "stacked", "places")
STORED = "stack_[0-9]*.npz"
"""Names of stored shards."""
_STORED_PX = 112
_STORED_REACH = 2.3
"""Half side of a stored crop in die radii: room for places beside the die."""
_ODD = (0.05, 0.6)
"""Shares of dice that lean and that lie on another, where the one laid before lies on the table."""
_HALF = 64
"""Dice of either sort in a batch."""
_AS_FOUND = 0.6
"""Share of dice that are shown where the finder put them; the others are shown nearly where they are."""
_LEAST = 0.3
"""How sure the finder has to be."""
_AT_A_DIE = 0.6
"""How far a find may lie from a die that is meant, in radii."""


@dataclass(frozen=True, slots=True)
class StackCrops:
    """Dice with what lies around them."""

    crops: NDArray[np.uint8]
    """(n, 112, 112, 3), BGR, around the dice as they are."""
    stacked: NDArray[np.bool_]
    """(n,)."""
    places: NDArray[np.float32]
    """(n, 3): where the finder put each, x and y off its middle, and its radius, in radii; 0, 0, 1 for a die not found."""


def _found_places(
    dice: list[DieTruth], image: NDArray[np.uint8], finder: Finder
) -> dict[int, tuple[float, float, float]]:
    """Return where the finder puts each die, by the die's index, see ``StackCrops.places``."""
    found = find_dice(image, finder, least=_LEAST)
    pairs = pair_up([(d.x, d.y, d.radius) for d in dice], [(f.x, f.y) for f in found], _AT_A_DIE)
    out = {}
    for i, j in pairs.items():
        d, f = dice[i], found[j]
        out[i] = ((f.x - d.x) / d.radius, (f.y - d.y) / d.radius, f.radius / d.radius)
    return out


def cut_stacks(seed: int, number: int, scenes: int, studio: Studio, finder: Finder) -> StackCrops:
    """Render scenes and cut out the dice that stand upright on the table or lie flat on others; all others teach nothing.

    Neither do those that another lies on: what the finder finds there is the upper one, or both.
    """
    crops, stacked, places = [], [], []
    for i in range(scenes):
        scene = render_scene((seed, number, i, 7), studio, odd=_ODD, count=9 + i % 7)
        h, w = scene.image.shape[:2]
        dice = [d for d in scene.dice if d.kind != "none"]
        found = _found_places(dice, scene.image, finder)
        for index, d in enumerate(dice):
            edge = 0.3 * d.radius
            is_seen = -edge < d.x < w + edge and -edge < d.y < h + edge and d.visible_top > 0.8
            if not is_seen or (d.cocked and not d.stacked):
                continue
            crops.append(square_crop(scene.image, d.x, d.y, d.radius * _STORED_REACH, _STORED_PX))
            stacked.append(d.stacked)
            places.append(found.get(index, (0.0, 0.0, 1.0)))
    return StackCrops(
        np.array(crops, np.uint8).reshape(-1, _STORED_PX, _STORED_PX, 3),
        np.array(stacked, bool),
        np.array(places, np.float32).reshape(-1, 3),
    )


def render_stacks(seed: int, folder: Path, finder: Path, shards: int, scenes: int) -> list[Path]:
    """Render shards of such scenes, with the places where a finder's file sees the dice; those already there are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    net = cv2.dnn.readNetFromONNX(str(finder))

    def run(blob: NDArray[np.float32]) -> NDArray[np.float32]:
        net.setInput(blob)
        return np.asarray(net.forward(), np.float32)

    paths = []
    for number in range(shards):
        paths.append(folder / f"stack_{number:04d}.npz")
        if paths[-1].exists():
            continue
        studio = Studio(seed * 1000 + 300 + number, surfaces_count=24)
        made = cut_stacks(seed, number, scenes, studio, run)
        save_whole(paths[-1], **{name: getattr(made, name) for name in _PARTS})
    return paths


def stack_batch(
    made: StackCrops, rows: NDArray[np.int64], rng: Rng
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Cut a batch: turned, mirrored, as the finder or nearly as the dice lie, in other light, a few blurred.

    Returns:
        Crops (n, POSE_PX, POSE_PX, 3), and where the dice are, (n, 3): x, y and the logarithm of the radius, in radii of
        the place looked at.
    """
    x = np.empty((len(rows), POSE_PX, POSE_PX, 3), np.uint8)
    where = np.empty((len(rows), 3), np.float32)
    stored = _STORED_PX / (2 * _STORED_REACH)
    radius = POSE_PX / (2 * POSE_REACH)
    for j, row in enumerate(rows):
        turn, mirror = rng.uniform(0, 2 * np.pi), -1 if rng.random() < 0.5 else 1
        if rng.random() < _AS_FOUND:
            place = made.places[row] + rng.normal(0, 0.02, 3)
        else:
            place = np.array([*rng.normal(0, 0.07, 2), np.exp(rng.normal(0, 0.06))])
        step = stored * float(place[2]) / radius
        c, s = np.cos(turn) * step, np.sin(turn) * step
        a = np.array([[c * mirror, -s], [s * mirror, c]])
        middle = np.full(2, _STORED_PX / 2) + place[:2] * stored
        m = np.column_stack([a, middle - a @ np.full(2, POSE_PX / 2)])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        cv2.warpAffine(made.crops[row], m, (POSE_PX, POSE_PX), x[j], flags, cv2.BORDER_REPLICATE)
        x[j] = cv2.convertScaleAbs(x[j], alpha=float(np.exp(rng.normal(0, 0.15))))
        if rng.random() < 0.15:
            x[j] = cv2.GaussianBlur(x[j], (0, 0), float(rng.uniform(0.4, 1.0)))
        where[j, :2] = np.linalg.solve(a, -place[:2] * stored) / radius
        where[j, 2] = -np.log(max(0.3, float(place[2])))
    return x, where


def train_stack(
    paths: list[Path], out: Path, *, seed: int, steps: int, threads: int, say: Callable[[str], None],
    minutes: float = 1e9, start: Path | None = None, share: float = 1.0,
) -> None:  # fmt: skip
    """Train the net that tells dice on dice, on the finished pose net, which stays as it is.

    For ``minutes`` at most and at a ``share``, 0 to 1, of the full rates. Every second die of a batch lies on another.
    """
    import torch
    import torch.nn.functional as f

    from vision.training.again import take_up
    from vision.training.batches import prefetch
    from vision.training.nets import StackNet
    from vision.training.train import Loop, as_image, finished_pose, keep, run_net, start_torch

    parts = [np.load(path) for path in paths]
    made = StackCrops(**{name: np.concatenate([p[name] for p in parts]) for name in _PARTS})
    start_torch(seed + 4, threads)
    on, off = np.nonzero(made.stacked)[0], np.nonzero(~made.stacked)[0]
    rng = np.random.default_rng((seed, 6))
    seen = as_image(stack_batch(made, rng.choice(off, 384), rng)[0])
    pose = finished_pose(out, seen)
    net = StackNet()
    net.start_from(pose)
    if start:
        take_up(net, start, pose.half_way(seen))
    net = net.to(memory_format=torch.channels_last).train()
    loop = Loop(net, [net.answer], steps, 3e-3, say=say, name="stack", minutes=minutes, share=share)
    want = torch.cat([torch.ones(_HALF), torch.zeros(_HALF)])

    def make(i: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        rng = np.random.default_rng((seed, 6, i))
        return stack_batch(made, np.concatenate([rng.choice(rows, _HALF) for rows in (on, off)]), rng)

    for i, (crops, where) in enumerate(prefetch(make, steps)):
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            middle = pose.half_way(as_image(crops))
        said = run_net(net, middle)
        loss = f.binary_cross_entropy_with_logits(said[:, 0], 0.01 + 0.98 * want)
        place = f.smooth_l1_loss(said[:, 1:], torch.from_numpy(where).clamp(-0.6, 0.6), beta=0.05)
        right = ((said[:, 0] > 0) == (want > 0.5)).float().mean()
        if not loop.step(i, loss + 6 * place, f"(right {right.item():.3f}, place {place.item():.3f})"):
            break
    keep(loop, out, "stack")

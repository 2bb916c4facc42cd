"""One training, or a further one stage by stage, for a process of its own: torch is loaded there, and by nothing before it."""

from __future__ import annotations

__all__ = ["MINED", "train_one", "tune"]

import time
from pathlib import Path
from typing import Any

import cv2

MINED = "train_mined.npz"
"""Crops of what the finder takes for dice and is none."""
_TUNED_SHARE = {"finder": 0.05, "kind": 0.1}
"""Of the full rates, for nets that are trained further; at a quarter the finder's loss grew."""
_KEPT_OF_NEW = 0.3
"""Share of a finder trained further in what is left of it, the rest is the one before: of 0.3, 0.5 and 1 the first misreads none more."""


def _say(text: str) -> None:
    print(text, flush=True)


def train_one(task: tuple[str, str, str, int, int, int]) -> str:
    """Train one net: (name, work folder, models folder, seed, steps, threads)."""
    from vision.training import train
    from vision.training.dataset import Shard, load_shards

    name, work, out, seed, steps, threads = task
    cv2.setNumThreads(1)
    if name == "stack":
        from vision.training.stacks import STORED, train_stack

        train_stack(
            sorted(Path(work).glob(STORED)), Path(out), seed=seed, steps=steps, threads=threads, say=_say
        )
        return name
    paths = sorted(Path(work).glob("train_[0-9]*.npz"))
    if name == "kind":
        data = load_shards([*paths, Path(work) / MINED])
        pose = Path(out) / "pose.onnx"
        train.train_kind(data, Path(out), pose, seed=seed, steps=steps, threads=threads, say=_say)
        return name
    data = load_shards(paths, with_crops=name != "finder")
    if name == "pose":

        def mined() -> Shard:
            """Wait for the places that the finder, trained at the same time, takes for dice."""
            path = Path(work) / MINED
            while not path.exists():
                time.sleep(0.5)
            return load_shards([path])

        train.train_pose(data, Path(out), seed=seed, steps=steps, threads=threads, say=_say, later=mined)
    else:
        jobs = {"finder": train.train_finder, "read": train.train_read, "colour": train.train_colour}
        jobs[name](data, Path(out), seed=seed, steps=steps, threads=threads, say=_say)
    return name


def tune(work: Path, out: Path, start: Path, *, seed: int, steps: int, minutes: float) -> None:
    """Train the finder and the kind net of a folder further, stage by stage; a stage whose file is there is done.

    Args:
        work: Holds the shards.
        out: Takes the new nets, and copies of the others.
        start: The models that are trained further.
        minutes: The most that a stage may take; the rates fall to nothing by then.
    """
    from vision.training import train
    from vision.training.again import mix
    from vision.training.dataset import load_shards
    from vision.training.mine import mine_nothing

    cv2.setNumThreads(1)
    out.mkdir(parents=True, exist_ok=True)
    paths = sorted(work.glob("train_[0-9]*.npz"))
    more: dict[str, Any] = {"seed": seed, "steps": steps, "threads": 1, "say": _say, "minutes": minutes}
    if not (out / "finder.onnx").exists():
        data = load_shards(paths, with_crops=False)
        train.train_finder(data, out, start=start / "finder.onnx", share=_TUNED_SHARE["finder"], **more)
        mix(start / "finder.onnx", out / "finder.onnx", _KEPT_OF_NEW)
    if not (work / MINED).exists():
        mine_nothing(paths, out / "finder.onnx", work / MINED)
    if not (out / "kind.onnx").exists():
        data = load_shards([*paths, work / MINED])
        share, known = _TUNED_SHARE["kind"], start / "kind.onnx"
        train.train_kind(data, out, start / "pose.onnx", share=share, known=known, **more)
    for name in ("pose.onnx", "read.onnx", "colour.onnx", "stack.onnx", "confidence.json"):
        if not (out / name).exists():
            (out / name).write_bytes((start / name).read_bytes())

"""One training as a job for a process of its own (a spawned process cannot look into ``__main__``)."""

from __future__ import annotations

__all__ = ["train_one"]

import time
from pathlib import Path

import cv2

from vision.training.dataset import Shard, load_shards


def _say(text: str) -> None:
    print(text, flush=True)


def train_one(task: tuple[str, str, str, int, int, int]) -> str:
    """Train one net: (name, work folder, models folder, seed, steps, threads)."""
    from vision.training import train

    name, work, out, seed, steps, threads = task
    cv2.setNumThreads(1)
    if name == "stack":
        from vision.training.stacks import train_stack

        paths = sorted(Path(work).glob("stack_[0-9]*.npz"))
        train_stack(paths, Path(out), seed=seed, steps=steps, threads=threads, say=_say)
        return name
    data = load_shards(sorted(Path(work).glob("train_[0-9]*.npz")), with_crops=name != "finder")
    if name == "pose":

        def mined() -> Shard:
            """Wait for the places that the finder, trained at the same time, takes for dice."""
            path = Path(work) / "train_mined.npz"
            while not path.exists():
                time.sleep(0.5)
            return load_shards([path])

        train.train_pose(data, Path(out), seed=seed, steps=steps, threads=threads, say=_say, later=mined)
    else:
        jobs = {"finder": train.train_finder, "read": train.train_read, "colour": train.train_colour}
        jobs[name](data, Path(out), seed=seed, steps=steps, threads=threads, say=_say)
    return name

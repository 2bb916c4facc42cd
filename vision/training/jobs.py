"""One training as a job for a process of its own (a spawned process cannot look into ``__main__``)."""

from __future__ import annotations

__all__ = ["train_one"]

from pathlib import Path

import cv2

from vision.training.dataset import load_shards


def _say(text: str) -> None:
    print(text, flush=True)


def train_one(task: tuple[str, str, str, int, int, int]) -> str:
    """Train one net: (name, work folder, models folder, seed, steps, threads)."""
    from vision.training import train

    name, work, out, seed, steps, threads = task
    cv2.setNumThreads(1)
    paths = sorted(Path(work).glob("train_[0-9]*.npz"))
    if name == "pose":
        paths += sorted(Path(work).glob("train_mined.npz"))
    data = load_shards(paths)
    {"finder": train.train_finder, "pose": train.train_pose, "read": train.train_read}[name](
        data, Path(out), seed=seed, steps=steps, threads=threads, say=_say
    )
    return name

"""Work for processes of its own: one training, or many tasks (a spawned process cannot look into ``__main__``)."""

from __future__ import annotations

__all__ = ["in_processes", "train_one"]

import multiprocessing
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import cv2

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_processes(work: Callable[[Task], Result], tasks: Sequence[Task], jobs: int) -> list[Result]:
    """Do tasks in so many new processes, one after another where that is one; results in the order of the tasks."""
    if jobs <= 1:
        return [work(task) for task in tasks]
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        return pool.map(work, tasks, chunksize=1)


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

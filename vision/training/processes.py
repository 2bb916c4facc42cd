"""Many tasks over some processes (a spawned process cannot look into ``__main__``)."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["in_processes"]

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_processes(work: Callable[[Task], Result], tasks: Sequence[Task], jobs: int) -> list[Result]:
    """Do tasks in so many new processes, one after another where that is one; results in the order of the tasks."""
    if jobs <= 1:
        return [work(task) for task in tasks]
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        return pool.map(work, tasks, chunksize=1)

"""All trainings in their order, in up to two processes; torch is loaded there, and by nothing before it."""

from __future__ import annotations

__all__ = ["NETS", "train_all"]

import multiprocessing
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2

NETS = ("finder", "pose", "read", "colour", "stack", "kind")
_SHARDS = "train_[0-9]*.npz"
_MINED = "train_mined.npz"
"""Crops of what the finder takes for dice and is none."""
_FURTHER = {"finder": 0.25, "pose": 0.5, "read": 0.5}
"""Of the full rates, for nets that are trained further; the others begin anew, on what the pose net became."""
_ON_KEPT = {"stack": 0.1, "kind": 0.1}
"""Of the full rates, for nets that are trained further on a pose net that stays as it is."""
_KEPT_OF_NEW = {"finder": 0.75}
"""Share of a net trained further in what is left of it, where the rest is the one before."""


def _say(text: str) -> None:
    print(text, flush=True)


@dataclass(frozen=True, slots=True)
class _Job:
    """One training, for a process of its own."""

    name: str
    work: Path
    out: Path
    seed: int
    steps: int
    minutes: float
    start: Path | None
    """What it is trained further from; None to begin anew."""
    share: float
    """Of the full rates."""


def _mined(work: Path) -> Any:
    """Wait for the places that the finder, trained at the same time, takes for dice, and return them."""
    from vision.training.dataset import load_shards

    while not (work / _MINED).exists():
        time.sleep(0.5)
    return load_shards([work / _MINED])


def _train(job: _Job) -> None:
    """Train one net, from the start or further; one whose file is there is done."""
    from vision.training import train
    from vision.training.again import mix
    from vision.training.dataset import load_shards, rolls_among
    from vision.training.stacks import STORED, train_stack

    name, work = job.name, job.work
    if (job.out / f"{name}.onnx").exists():
        _say(f"{name}: there")
        return
    cv2.setNumThreads(1)
    more: dict[str, Any] = {"seed": job.seed, "steps": job.steps, "threads": 1, "say": _say}
    if name != "colour":
        more |= {"minutes": job.minutes, "start": job.start, "share": job.share}
    if name == "stack":
        train_stack(sorted(work.glob(STORED)), job.out, **more)
        return
    paths = sorted(work.glob(_SHARDS))
    paths = rolls_among(paths) if name == "colour" else paths
    data = load_shards([*paths, work / _MINED] if name == "kind" else paths, with_crops=name != "finder")
    if name == "pose":
        more["later"] = lambda: _mined(work)
    jobs = {
        "finder": train.train_finder, "pose": train.train_pose, "read": train.train_read,
        "colour": train.train_colour, "kind": train.train_kind,
    }  # fmt: skip
    jobs[name](data, job.out, **more)
    if job.start and name in _KEPT_OF_NEW:
        mix(job.start, job.out / f"{name}.onnx", _KEPT_OF_NEW[name])


def train_all(
    work: Path, out: Path, *, seed: int, steps: Mapping[str, int], stacks: tuple[int, int], processes: int,
    minutes: float = 1e9, start: Path | None = None, keep: Sequence[str] = (),
) -> None:  # fmt: skip
    """Train the nets, stage by stage; a stage whose file is there is done, so a run that was cut goes on.

    Args:
        work: Holds the shards, and takes what is made of them.
        out: Takes the nets.
        seed: Decides the batches.
        steps: Of each net, at the most.
        stacks: Shards, and scenes a shard, of dice on dice.
        processes: One or two.
        minutes: The most that a net may take; the rates fall to nothing by then.
        start: A folder of nets to train further.
        keep: Names of those of them that stay as they are.
    """
    from vision.training.mine import mine_nothing
    from vision.training.stacks import STORED, render_stacks

    begin = time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    if start:
        for name in keep:
            (out / f"{name}.onnx").write_bytes((start / f"{name}.onnx").read_bytes())
    finder = out / "finder.onnx"
    if not finder.exists():
        for old in (*work.glob(STORED), work / _MINED):
            old.unlink(missing_ok=True)
    further = {} if start is None else _FURTHER | (_ON_KEPT if "pose" in keep else {})
    job = {
        name: _Job(
            name, work, out, seed, steps[name], minutes,
            start / f"{name}.onnx" if start and name in further else None, further.get(name, 1.0),
        )
        for name in NETS
    }  # fmt: skip
    # The pose net waits for what the finder mistakes for dice: one process must train them after one another.
    early, late = (["pose"], ["read"]) if processes > 1 else ([], ["read", "pose"])
    with multiprocessing.get_context("spawn").Pool(min(2, max(1, processes))) as pool:
        running: dict[str, Any] = {name: pool.apply_async(_train, (job[name],)) for name in early}
        pool.apply(_train, (job["finder"],))
        _say(f"finder after {time.monotonic() - begin:.0f} s")
        running["stacks"] = pool.apply_async(render_stacks, (seed, work, finder, *stacks))
        running |= {name: pool.apply_async(_train, (job[name],)) for name in late}
        if not (work / _MINED).exists():
            count = mine_nothing(sorted(work.glob(_SHARDS)), finder, work / _MINED)
            _say(f"{count} places that are none after {time.monotonic() - begin:.0f} s")
        running["pose"].get()
        running["stacks"].get()
        _say(f"pose after {time.monotonic() - begin:.0f} s")
        running |= {name: pool.apply_async(_train, (job[name],)) for name in ("stack", "kind", "colour")}
        for task in running.values():
            task.get()
    _say(f"all trained after {time.monotonic() - begin:.0f} s")

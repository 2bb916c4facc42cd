"""One command makes the models again: ``python -m vision.training all``; see README.md beside this file."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vision.training.dataset import render_shards
from vision.training.jobs import MINED, train_one, tune
from vision.training.mine import mine_nothing
from vision.training.stacks import render_stacks

_PLAN = {
    # name: (training shards, scenes a shard, shards and scenes of dice on dice, validation scenes,
    # steps of finder, pose, reading, colour, stack and kind net)
    "full": (30, 120, 20, 80, 1000, 10000, 21000, 13000, 5000, 6000, 6000),
    "smoke": (2, 24, 2, 6, 12, 250, 250, 250, 200, 200, 200),
}

_MEASURED = 200
"""Scenes that are read at the end, with what was fitted, for the figures; no more of a small plan than half of those fitted on."""


def _say(text: str) -> None:
    print(text, flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Render, train, fit and report; returns the exit code."""
    p = argparse.ArgumentParser(prog="python -m vision.training", description="Make the dice models again.")
    p.add_argument("what", choices=("all", "render", "train", "tune", "fit", "smoke", "samples", "sets"))
    p.add_argument(
        "--work", type=Path, default=Path("build/vision-training"), help="where renders and weights go"
    )
    p.add_argument("--out", type=Path, default=None, help="where the models go (default: the work folder)")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=2, help="processes")
    p.add_argument("--scale", type=float, default=1.0, help="share of the full plan")
    p.add_argument(
        "--start", type=Path, default=Path("vision/models"), help="the models that `tune` trains further"
    )
    p.add_argument("--minutes", type=float, default=15.0, help="the most that a stage of `tune` may take")
    a = p.parse_args(argv)
    if a.what == "samples":
        from vision.training.samples import write_samples

        _say(f"{len(write_samples(a.out or a.work / 'samples'))} photos")
        return 0
    if a.what == "sets":
        from vision.training.own_sets import measure_sets

        for name, count in measure_sets(a.seed + 7000, max(2, round(30 * a.scale)), a.out).items():
            _say(f"{name:28s} {count}")
        return 0
    if a.what in ("all", "train", "tune", "smoke"):
        try:
            import torch  # noqa: F401
        except ImportError:
            print(
                "training needs torch, which the app never does; see vision/training/README.md",
                file=sys.stderr,
            )
            return 2
    shards, scenes, stack_shards, stack_scenes, held, *steps = _PLAN["smoke" if a.what == "smoke" else "full"]
    scale = a.scale if a.what != "smoke" else 1.0
    out = a.out or a.work / "models"
    a.work.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    if a.what in ("all", "render", "tune", "smoke"):
        paths = render_shards(
            a.seed,
            a.work,
            shards=max(1, round(shards * scale)),
            scenes=scenes,
            held_out=False,
            jobs=a.jobs,
            minutes=1e6,
        )
        _say(f"{len(paths)} shards after {time.monotonic() - begin:.0f} s")
    if a.what in ("all", "train", "smoke"):
        plan = {
            n: max(2, round(c * scale))
            for n, c in zip(("finder", "pose", "read", "colour", "stack", "kind"), steps, strict=True)
        }
        job = {n: (n, str(a.work), str(out), a.seed, count, 1) for n, count in plan.items()}
        (a.work / MINED).unlink(missing_ok=True)
        # The pose net waits for what the finder mistakes for dice: one process must train them after one another.
        early, late = (["pose"], ["read"]) if a.jobs > 1 else ([], ["read", "pose"])
        with multiprocessing.get_context("spawn").Pool(min(2, max(1, a.jobs))) as pool:
            running: dict[str, Any] = {name: pool.apply_async(train_one, (job[name],)) for name in early}
            pool.apply(train_one, (job["finder"],))
            _say(f"finder trained after {time.monotonic() - begin:.0f} s")
            where = (a.seed, a.work, out / "finder.onnx", max(1, round(stack_shards * scale)), stack_scenes)
            running["stacks"] = pool.apply_async(render_stacks, where)
            running |= {name: pool.apply_async(train_one, (job[name],)) for name in late}
            shown = sorted(a.work.glob("train_[0-9]*.npz"))
            mined = mine_nothing(shown, out / "finder.onnx", a.work / MINED)
            _say(f"{mined} places that are none after {time.monotonic() - begin:.0f} s")
            running["pose"].get()
            running["stacks"].get()
            _say(f"pose trained after {time.monotonic() - begin:.0f} s")
            running |= {
                name: pool.apply_async(train_one, (job[name],)) for name in ("stack", "kind", "colour")
            }
            for task in running.values():
                task.get()
            _say(f"all trained after {time.monotonic() - begin:.0f} s")
    if a.what == "tune":
        tune(a.work, out, a.start, seed=a.seed, steps=max(2, round(steps[0] * scale)), minutes=a.minutes)
    if a.what in ("all", "fit", "smoke"):
        from vision.training.evaluate import START, fit_confidence, gather, interval, summary

        (out / "confidence.json").write_text(json.dumps(START), "utf-8")
        first = gather("choose", a.seed + 5000, held, out, jobs=a.jobs)
        fitted = fit_confidence(first, out / "confidence.json")
        from vision import models

        models._LOADED.clear()
        cases = gather("test", a.seed + 6000, max(4, min(_MEASURED, held // 2)), out, jobs=a.jobs)
        for name, (right, count) in summary(cases).items():
            low, high = interval(right, count)
            share = 100 * right / max(1, count)
            _say(
                f"{name:40s} {right:5d} of {count:5d}  {share:6.2f} %  ({100 * low:.2f} to {100 * high:.2f})"
            )
        for row in fitted["reliability"]:
            _say(
                f"stated {row['from']:.3f} to {row['to']:.3f}: {row['n']} readings, {100 * row['right']:.2f} % right"
            )
    _say(f"done after {(time.monotonic() - begin) / 60:.1f} minutes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

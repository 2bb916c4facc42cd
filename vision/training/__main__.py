"""One command makes the models again: ``python -m vision.training all``; see README.md beside this file."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from vision.training.dataset import render_shards
from vision.training.jobs import NETS, train_all

_PLAN = {
    # name: (training shards, scenes a shard, shards and scenes of dice on dice, validation scenes,
    # steps of the nets, in the order of ``NETS``)
    "full": (60, 120, 20, 80, 1000, 10000, 26000, 16000, 5000, 6000, 6000),
    "smoke": (2, 24, 2, 6, 12, 250, 250, 250, 200, 200, 200),
}

_MEASURED = 200
"""Scenes that are read at the end, with what was fitted, for the figures; no more of a small plan than half of those fitted on."""


def _say(text: str) -> None:
    print(text, flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Render, train, fit and report; returns the exit code."""
    p = argparse.ArgumentParser(prog="python -m vision.training", description="Make the dice models again.")
    p.add_argument("what", choices=("all", "render", "train", "fit", "smoke", "samples", "sets"))
    p.add_argument(
        "--work", type=Path, default=Path("build/vision-training"), help="where renders and weights go"
    )
    p.add_argument("--out", type=Path, default=None, help="where the models go (default: the work folder)")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=2, help="processes")
    p.add_argument("--scale", type=float, default=1.0, help="share of the full plan")
    p.add_argument(
        "--start", type=Path, default=None, help="a folder of models to train further (default: none)"
    )
    p.add_argument("--keep", choices=NETS, nargs="*", default=[], help="those of them that stay as they are")
    p.add_argument("--minutes", type=float, default=1e9, help="the most that one net's training may take")
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
    if a.what in ("all", "train", "smoke"):
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
    if a.what in ("all", "render", "smoke"):
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
        train_all(
            a.work, out, seed=a.seed,
            steps={n: max(2, round(c * scale)) for n, c in zip(NETS, steps, strict=True)},
            stacks=(max(1, round(stack_shards * scale)), stack_scenes),
            processes=a.jobs, minutes=a.minutes, start=a.start, keep=a.keep,
        )  # fmt: skip
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

"""Stated confidence against the share that was right, counted where nothing was fitted, and drawn: the model card's plot.

``python -m vision.training.reliability`` reads fresh renders, and photos with truth where they are given, writes the counts
to ``vision/models/reliability.json`` and draws ``vision/models/reliability.svg`` from them; see README.md beside this file.
"""

from __future__ import annotations

__all__ = ["EDGES", "counted", "fingerprint", "main", "picture", "readings_of_photos"]

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from vision.confidence import reliability
from vision.training.evaluate import gather, interval, reliability_rows
from vision.training.pairs import pair_up

EDGES = (0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0001)
"""Where stated confidence is cut into rows; the last row takes in 1."""
FIT_SEED = 5000
"""Added to the run's seed for the scenes that the curves are fitted on: never measured here."""
MEASURE_SEED = 6000
"""Added to the run's seed for the scenes that are measured."""
_MODELS = Path(__file__).parents[1] / "models"
_FILES = (
    "finder.onnx",
    "pose.onnx",
    "kind.onnx",
    "colour.onnx",
    "read.onnx",
    "stack.onnx",
    "confidence.json",
)

_APART: tuple[Literal["value", "colour"], ...] = ("value", "colour")
"""What is counted and drawn alone, too, of own renders."""
_TONES = ("#1b6ca8", "#c2571a", "#2e7d32", "#7b3fa0")
_MARKS = ("circle", "square", "diamond", "triangle")
_SIDE = 330.0
_LEFT, _TOP, _GAP = 62.0, 74.0, 78.0
Series = Mapping[str, Any]


def counted(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Lay out the rows of ``confidence.reliability`` as counts: of ``n`` readings, ``right`` were right."""
    return [
        {
            "from": r["from"], "to": min(1, r["to"]), "n": r["n"], "right": round(r["right"] * r["n"]),
            "stated": round(r["stated"], 4),
        }
        for r in rows
    ]  # fmt: skip


def readings_of_photos(truth: Path, predictions: Path) -> tuple[list[float], list[bool]]:
    """Pair what ``read-dice`` said of photos with their truth: stated confidence, 0 to 1, and whether it was right.

    As the scorer counts: a reading is right when it lies on an upright die and has its kind, value and colour (a colour that
    is not judged is right); each die takes one reading, the nearest. Readings without a value, and those of dice that a
    person could hardly read, are left out.

    Args:
        truth: A folder with the scorer's truth files, searched through.
        predictions: What ``read-dice --json`` printed.
    """
    known = {}
    for path in sorted(truth.rglob("*.json")):
        data = json.loads(path.read_text("utf-8"))
        if isinstance(data, dict) and "dice" in data and "image" in data:
            known[Path(data["image"]).stem] = data["dice"]
    stated: list[float] = []
    right: list[bool] = []
    for line in predictions.read_text("utf-8").splitlines():
        row = json.loads(line)
        dice = known.get(Path(row["image"]).stem)
        if dice is None:
            continue
        for reading, die in _matched(row["dice"], dice):
            if reading["value"] is None or reading.get("cocked"):
                continue
            if die is not None and not die["cocked"] and die.get("legible") is False:
                continue
            stated.append(float(reading["confidence"]))
            right.append(die is not None and _is_right(reading, die))
    return stated, right


def _matched(
    readings: Sequence[dict[str, Any]], dice: Sequence[dict[str, Any]]
) -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Give each reading the die it lies on, the nearest pairs first, None where it lies on none."""
    circles = [(*d["center"], d["radius"]) for d in dice]
    own = {j: i for i, j in pair_up(circles, [(r["x"], r["y"]) for r in readings], 1.0).items()}
    return [(r, dice[own[i]] if i in own else None) for i, r in enumerate(readings)]


def _is_right(reading: Mapping[str, Any], die: Mapping[str, Any]) -> bool:
    value = 10 if die["kind"] == "d10" and die["value"] == 0 else die["value"]
    colour = {"grey": "gray"}.get(str(die.get("color")), die.get("color"))
    return bool(
        not die["cocked"]
        and reading["kind"] == die["kind"]
        and reading["value"] == value
        and colour in (None, reading["color"])
    )


def fingerprint(models: Path) -> str:
    """Return a checksum of the nets and curves that a plot was made with."""
    digest = hashlib.sha256()
    for name in _FILES:
        digest.update((models / name).read_bytes())
    return digest.hexdigest()[:16]


def picture(data: Mapping[str, Any], of: str = "value and colour") -> str:
    """Draw the plot of a confidence as SVG: the whole range at the left, and from 0.88 on at the right, with 95 % intervals."""
    series = data["series"]
    width, height = _LEFT + 2 * _SIDE + _GAP + 24, _TOP + _SIDE + 58 + 20 * len(series)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        'font-family="sans-serif" font-size="12">',
        "<title>Stated confidence against the share of readings that are right</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        f'<text x="{_LEFT:.0f}" y="28" font-size="17" fill="#222222">How often a reading is right ({of}), '
        "by the confidence it states</text>",
        f'<text x="{_LEFT:.0f}" y="48" fill="#555555">Bars: 95 % intervals; numbers: readings; dashed: perfectly honest. '
        "Nothing shown here was fitted on.</text>",
    ]
    parts += _panel(series, _LEFT, 0.0, "stated confidence")
    parts += _panel(series, _LEFT + _SIDE + _GAP, 0.88, "stated confidence, from 0.88 on")
    for i, one in enumerate(series):
        y = _TOP + _SIDE + 62 + 20 * i
        parts.append(_mark(i, _LEFT + 6, y - 4))
        n, right = (sum(r[key] for r in one["rows"]) for key in ("n", "right"))
        parts.append(
            f'<text x="{_LEFT + 20:.0f}" y="{y:.0f}" fill="#222222">{_safe(one["name"])}: {right} of {n} readings right</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(series: Sequence[Series], left: float, low: float, title: str) -> list[str]:
    """Draw one square of the plot whose both axes run from ``low`` to 1."""

    def x_px(share: float) -> float:
        return left + _SIDE * (share - low) / (1 - low)

    def y_px(share: float) -> float:
        return _TOP + _SIDE * (1 - (share - low) / (1 - low))

    clip = f"panel-{left:.0f}"
    bottom = _TOP + _SIDE
    out = [
        f'<clipPath id="{clip}"><rect x="{left - 8:.1f}" y="{_TOP - 22:.1f}" width="{_SIDE + 16:.1f}" '
        f'height="{_SIDE + 22:.1f}"/></clipPath>',
        f'<rect x="{left:.1f}" y="{_TOP:.1f}" width="{_SIDE:.1f}" height="{_SIDE:.1f}" fill="#fafafa" stroke="#999999"/>',
    ]
    step = 0.2 if low < 0.5 else 0.02
    for i in range(round((1 - low) / step) + 1):
        share = low + i * step
        label = f"{100 * share:.0f} %"
        out += [
            f'<path d="M{x_px(share):.1f} {_TOP:.1f}V{bottom:.1f}M{left:.1f} {y_px(share):.1f}H{left + _SIDE:.1f}" '
            'stroke="#dddddd" fill="none"/>',
            f'<text x="{x_px(share):.1f}" y="{bottom + 17:.1f}" text-anchor="middle" fill="#444444">{label}</text>',
            f'<text x="{left - 7:.1f}" y="{y_px(share) + 4:.1f}" text-anchor="end" fill="#444444">{label}</text>',
        ]
    out += [
        f'<path d="M{left:.1f} {bottom:.1f}L{left + _SIDE:.1f} {_TOP:.1f}" stroke="#777777" stroke-dasharray="5 4" fill="none"/>',
        f'<text x="{left + _SIDE / 2:.1f}" y="{bottom + 36:.1f}" text-anchor="middle" fill="#222222">{title}</text>',
        f'<g clip-path="url(#{clip})">',
    ]
    for i, one in enumerate(series):
        aside = 5.0 * (i - (len(series) - 1) / 2)  # intervals of several series stand side by side
        shown = [r for r in one["rows"] if r["stated"] >= low]
        line = " ".join(f"{x_px(r['stated']) + aside:.1f},{y_px(r['right'] / r['n']):.1f}" for r in shown)
        out.append(f'<polyline points="{line}" fill="none" stroke="{_tone(i)}" stroke-opacity="0.45"/>')
        for r in shown:
            x, y = x_px(r["stated"]) + aside, y_px(r["right"] / r["n"])
            below, above = (y_px(share) for share in interval(r["right"], r["n"]))
            out.append(
                f'<path d="M{x:.1f} {above:.1f}V{below:.1f}M{x - 3:.1f} {above:.1f}h6M{x - 3:.1f} {below:.1f}h6" '
                f'stroke="{_tone(i)}" fill="none"/>'
            )
            out.append(_mark(i, x, y))
            if (low > 0) == (
                r["from"] >= 0.9
            ):  # crowded at the upper end of the left panel: told at the right
                out.append(
                    f'<text x="{x:.1f}" y="{above - 5 - 11 * i:.1f}" text-anchor="middle" font-size="10" fill="{_tone(i)}">'
                    f"{r['n']}</text>"
                )
    return [*out, "</g>"]


def _tone(i: int) -> str:
    return _TONES[i % len(_TONES)]


def _mark(i: int, x: float, y: float) -> str:
    """Draw a point; series differ in form as well as in colour."""
    match _MARKS[i % len(_MARKS)]:
        case "circle":
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{_tone(i)}"/>'
        case "square":
            return f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7" fill="{_tone(i)}"/>'
        case "diamond":
            return f'<path d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z" fill="{_tone(i)}"/>'
        case _:
            return f'<path d="M{x:.1f} {y - 5:.1f}l5 9h-10z" fill="{_tone(i)}"/>'


def _safe(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def main(argv: Sequence[str] | None = None) -> int:
    """Count and draw; 0 = done, 2 = the call was wrong."""
    p = argparse.ArgumentParser(
        prog="python -m vision.training.reliability",
        description="Count stated confidence against the share right, and draw it.",
    )
    p.add_argument(
        "--scenes", type=int, default=200, help="renders to read, 0 for photos alone (default: %(default)s)"
    )
    p.add_argument(
        "--seed", type=int, default=1, help="of the training run: other scenes than its fit are read"
    )
    p.add_argument("--jobs", type=int, default=2, help="processes")
    p.add_argument("--models", type=Path, default=_MODELS, help="the nets (default: the package's)")
    p.add_argument(
        "--photos",
        action="append",
        nargs=3,
        default=[],
        metavar=("NAME", "TRUTH", "PREDICTIONS"),
        help="also photos: a name, a folder of the scorer's truth files, and what read-dice --json printed of them",
    )
    p.add_argument("--out", type=Path, default=None, help="where both files go (default: beside the nets)")
    p.add_argument("--redraw", action="store_true", help="draw the counts that are there anew, read nothing")
    a = p.parse_args(argv)
    out = a.out or a.models
    counts = out / "reliability.json"
    if a.redraw:
        data = json.loads(counts.read_text("utf-8"))
    else:
        series: list[dict[str, Any]] = []
        apart: dict[str, Any] = {}
        for name, truth, predictions in a.photos:
            stated, right = readings_of_photos(Path(truth), Path(predictions))
            if not stated:
                print(
                    f"{predictions}: no reading of a photo with truth in {truth}; give the two of one set",
                    file=sys.stderr,
                )
                return 2
            series.append({"name": name, "rows": counted(reliability(stated, right, EDGES))})
        if a.scenes:
            cases = gather("test", a.seed + MEASURE_SEED, a.scenes, a.models, jobs=a.jobs)
            named = {
                "name": f"own renders with held-out fonts ({a.scenes} scenes)",
                "seed": a.seed + MEASURE_SEED,
            }
            series.insert(0, {**named, "rows": counted(reliability_rows(cases, EDGES))})
            apart = {of: [{**named, "rows": counted(reliability_rows(cases, EDGES, of))}] for of in _APART}
        data = {"models": fingerprint(a.models), "series": series, **apart}
        if not series:
            print("nothing to count; give --scenes or --photos", file=sys.stderr)
            return 2
        out.mkdir(parents=True, exist_ok=True)
        counts.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    (out / "reliability.svg").write_text(picture(data), "utf-8")
    for of in _APART:
        if of in data:
            text = picture({"series": data[of]}, f"{of} alone")
            (out / f"reliability-{of}.svg").write_text(text, "utf-8")
    for one in data["series"]:
        print(one["name"])
        for r in one["rows"]:
            low, high = interval(r["right"], r["n"])
            print(
                f"  stated {r['from']:.3f} to {r['to']:.3f}: {r['right']:5d} of {r['n']:5d} right, "
                f"{100 * r['right'] / r['n']:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Measuring the whole line on renders with fonts and seeds never trained on, and fitting its confidence there."""

from __future__ import annotations

__all__ = ["START", "Case", "fit_confidence", "gather", "interval", "reliability_rows", "summary"]

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np

from vision.colour import company, name_colours, own_word
from vision.confidence import (
    COLOUR_SIGNS,
    DIE_SIGNS,
    LEAN_SIGNS,
    SIGNS,
    STACK_SIGNS,
    Signs,
    colour_vector,
    confidence,
    curve,
    die_vector,
    fit,
    lean_vector,
    reliability,
    signs_vector,
    stack_vector,
)
from vision.models import load_models
from vision.reader import Doubtful, examine
from vision.training.evenings import Part, evening, studio_of
from vision.training.paint import DieTruth
from vision.training.pairs import pair_up
from vision.training.processes import in_processes
from vision.types import COLOURS, OTHER, Request

START: dict[str, Any] = {
    "weights": [float(n == "winner") for n in SIGNS], "colour": [float(n == "winner") for n in COLOUR_SIGNS],
    "lean": [float(n == "cocked") for n in LEAN_SIGNS], "die": [float(n == "score") for n in DIE_SIGNS],
    "stack": [float(n == "stacked") for n in STACK_SIGNS],
    "found_at": 0.25, "grays": [10.0, 1.0],
    "least_score": 0.2, "least_die": 0.2, "die_at": 0.0, "cocked_at": 0.5, "stacked_at": 0.5,
}  # fmt: skip
"""Doubt before anything was fitted: each net's own word, and nothing left out."""
_TOO_OFTEN = 4
"""How many times as often dice lean or lie on others in the renders as on tables, where one or two, or a half, in a hundred do."""
_WHOLE = 0.8
"""Share of its top face that has to be seen of a die which counts as legible."""
_LEANS_DEG = (0, 12, 20, 90)
"""Bounds of the angles by which leaning dice are counted apart."""
_EDGES = (0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0001)


@dataclass(frozen=True, slots=True)
class Case:
    """One true die and what was read there; or a reading with no die there."""

    truth: DieTruth | None
    read: Doubtful | None
    light: str
    surface: str
    tilt_deg: float
    scene: int = 0

    @property
    def right(self) -> bool:
        """Whether the best value is the true one (a d10's 0 is 10)."""
        if self.truth is None or self.read is None or self.truth.kind != self.read.reading.kind:
            return False
        value = 10 if self.truth.kind == "d10" and self.truth.value == 0 else self.truth.value
        return self.read.reading.guess == value


def gather(part: Part, seed: int, scenes: int, models_folder: Path | None, *, jobs: int = 1) -> list[Case]:
    """Render scenes of evenings with the fonts of a part, and read them."""
    jobs = max(1, jobs)
    tasks = [(part, seed, scenes, models_folder, first, jobs) for first in range(jobs)]
    return sorted((c for some in in_processes(_gather, tasks, jobs) for c in some), key=lambda c: c.scene)


def _gather(task: tuple[Part, int, int, Path | None, int, int]) -> list[Case]:
    """Do every ``step``-th scene, from the ``first`` on: (part, seed, scenes, models folder, first, step)."""
    part, seed, scenes, models_folder, first, step = task
    cv2.setNumThreads(1)
    studio = studio_of(part, seed)
    models = load_models(models_folder)
    cases: list[Case] = []
    for i in range(first, scenes, step):
        scene = evening(seed, i, studio)
        truth = [d for d in scene.dice if d.kind != "none"]
        kinds = tuple(sorted({d.kind for d in truth} - {OTHER})) if i % 2 else ()
        read = list(examine(scene.image, Request(kinds=kinds), models))
        tags = (scene.light, scene.surface, scene.tilt_deg, i)
        h, w = scene.image.shape[:2]
        circles = [(t.x, t.y, t.radius) for t in truth]
        pairs = pair_up(circles, [(r.reading.x, r.reading.y) for r in read], 1.0)
        cases += [Case(truth[a], read[b], *tags) for a, b in pairs.items()]
        for a, t in enumerate(truth):
            if (
                a not in pairs
                and t.kind != OTHER  # it is told as that, or not at all
                and 0.35 * t.radius < t.x < w - 0.35 * t.radius
                and 0.35 * t.radius < t.y < h - 0.35 * t.radius
            ):
                cases.append(Case(t, None, *tags))
        cases += [Case(None, r, *tags) for b, r in enumerate(read) if b not in pairs.values()]
    return cases


def _legible(c: Case) -> bool:
    t = c.truth
    return t is not None and not t.cocked and t.visible_top > _WHOLE and t.contrast > 14


_HELP = frozenset(("winner", "margin", "agree", "kind", "die", "score", "firm", "own", "mates"))
"""Signs that may only speak for a reading, whatever the others say beside them."""
_HARM = frozenset((
    "spread", "cocked", "off_plane", "small", "lean", "unlike", "drop", "size_off", "six_nine", "misfit", "higher", "stacked",
))  # fmt: skip
"""Signs that may only speak against it."""


def _weigh(
    x: list[Any], y: list[bool], names: tuple[str, ...], plain: str, *, is_fault: bool = False
) -> list[float]:
    """Fit one curve; of a model so short of training that it finds nothing, state the net's own word.

    Signs that say nearly the same pull one another's weights to the wrong side, which misleads where they part: the
    worst such weight is set to nothing and the rest fitted again until none is left. ``is_fault`` turns sides, for
    curves of what is wrong with a die.
    """
    if len(set(y)) < 2:
        return [float(name == plain) for name in names]
    rows, right = np.array(x), np.array(y, float)
    side = np.array([(name in _HELP) - float(name in _HARM) for name in names])
    if is_fault:  # a die that is firmly known may lean firmly
        side = -side * (np.array(names) != "firm")
    kept = np.ones(len(names), bool)
    while True:
        weights = np.zeros(len(names))
        weights[kept] = fit(rows[:, kept], right, ridge=0.3)
        wrong = weights * side
        if wrong.min() >= 0:
            return [round(float(w), 5) for w in weights]
        kept[int(np.argmin(wrong))] = False


def _choose_found_at(cases: list[Case]) -> float:
    """Choose the finder's threshold: the highest that costs no more than one true die in a thousand."""
    scores = sorted(c.read.pose.found.score for c in cases if c.read and c.truth)
    if len(scores) < 100:
        return float(START["found_at"])
    return min(0.6, max(float(START["found_at"]), int(100 * scores[len(scores) // 1000]) / 100))


def _tones(cases: list[Case], grays: list[float] | None) -> list[Any]:
    """Name colours anew, photo by photo, with other settings: (n, 10) probabilities in the order of the cases."""
    out: list[Any] = []
    for _, group in groupby(cases, key=lambda c: c.scene):
        reads = [c.read for c in group if c.read]
        out += list(
            name_colours(np.array([r.logits for r in reads]), np.array([r.lab for r in reads]), grays=grays)
        )
    return out


def _company(cases: list[Case], tones: list[Any]) -> list[Any]:
    """Ask anew, photo by photo, what the other dice say of each colour, as ``name_colours`` named them."""
    out: list[Any] = []
    for _, group in groupby(zip(cases, tones, strict=True), key=lambda pair: pair[0].scene):
        pairs = [(c.read, int(np.argmax(t))) for c, t in group if c.read]
        logits, lab = np.array([r.logits for r, _ in pairs]), np.array([r.lab for r, _ in pairs])
        out += list(company(logits, lab, [name for _, name in pairs]))
    return out


def _choose_grays(cases: list[Case]) -> list[float] | None:
    """Choose gap and price for putting grays in order, or not to: what names the most colours rightly."""
    choices: list[list[float] | None] = [None, *([g, p] for g in (5.0, 10.0, 20.0) for p in (0.5, 1.0, 2.0))]

    def right(grays: list[float] | None) -> int:
        tones = _tones(cases, grays)
        return sum(
            c.truth is not None and COLOURS[int(np.argmax(t))] == c.truth.colour
            for c, t in zip(cases, tones, strict=True)
        )

    return max(choices, key=right)


def _choose_refused_at(stated: list[float], leans: list[bool], sure: list[bool]) -> float:
    """Choose from what doubt on a die is refused, as leaning or as lying on another; both are called leaning here.

    An upright die that gets no value for it costs a tap, a third of one where the table would have been asked anyway. A
    leaning die that gets one costs a tap, and ten more where it is sure, since the table is asked below 0.9 alone. Leaning
    dice count as often as they lie on tables.
    """
    p, leaning, plain = np.array(stated), np.array(leans, bool), np.array(sure, bool)
    if not leaning.any():
        return float(START["cocked_at"])
    grid = [i / 100 for i in range(30, 96)]
    cost = [
        float(np.where(plain, 1.0, 1 / 3)[~leaning & (p > t)].sum())
        + (int((leaning & (p <= t)).sum()) + 10 * int((plain & leaning & (p <= t)).sum())) / _TOO_OFTEN
        for t in grid
    ]
    return round(float(np.mean([t for t, c in zip(grid, cost, strict=True) if c <= min(cost)])), 3)


def fit_confidence(cases: Iterable[Case], path: Path) -> dict[str, Any]:
    """Choose the thresholds and fit the curves, write them, and return them with a reliability table.

    Everything that the reader's settings rest on is chosen here, on renders alone.
    """
    read = [c for c in cases if c.read is not None]
    found_at = _choose_found_at(read)
    read = [c for c in read if c.read and c.read.pose.found.score >= found_at]
    grays = _choose_grays(read)
    tones = _tones(read, grays)
    leaning = 0
    stack, stacked, lies = [], [], []  # of dice that do not lean: signs, whether on another, all signs
    rows: list[tuple[Signs, bool, bool]] = []  # what the value's curve learns from: value right, colour right
    lean, leans, tone, toned, thing, things = [], [], [], [], [], []
    lying: list[Signs] = []  # of all dice but those on others
    beside = _company(read, tones)
    for c, t, (mates, is_gray, gap) in zip(read, tones, beside, strict=True):
        assert c.read is not None
        best, tone_no, truth = np.sort(t)[::-1], int(np.argmax(t)), c.truth
        signs = replace(
            c.read.signs, colour=float(best[0]), colour_second=float(best[1]),
            colour_own=own_word(np.array(c.read.logits), tone_no),
            mates=float(mates), is_gray=bool(is_gray), gray_gap=float(gap),
        )  # fmt: skip
        named = truth is not None and COLOURS[tone_no] == truth.colour
        upright = truth is not None and not truth.cocked
        if truth is not None and truth.cocked:
            leaning += 1
        if upright or truth is None or leaning % _TOO_OFTEN == 0:
            rows.append((signs, c.right and upright, named))
        thing.append(die_vector(signs))
        things.append(truth is not None)
        if truth is not None:
            # what is found where one die lies on another may be nearer to the lower one: it says nothing of either sort
            if truth.stacked or (not truth.cocked and truth.visible_top > _WHOLE):
                stack.append(stack_vector(signs))
                stacked.append(truth.stacked)
                lies.append(signs)
            if not truth.stacked:
                lean.append(lean_vector(signs))
                leans.append(truth.cocked)
                lying.append(signs)
            tone.append(colour_vector(signs))
            toned.append(named)
    weights = _weigh([signs_vector(s) for s, _, _ in rows], [v for _, v, _ in rows], SIGNS, "winner")
    colour = _weigh(tone, toned, COLOUR_SIGNS, "winner")
    leaning_weights = _weigh(lean, leans, LEAN_SIGNS, "cocked", is_fault=True)
    stack_weights = _weigh(stack, stacked, STACK_SIGNS, "stacked", is_fault=True)

    def stated(s: Signs) -> float:
        return confidence(s, weights) * curve(colour_vector(s), colour)

    right = [value and named for _, value, named in rows]
    result = {
        "weights": weights, "colour": colour, "lean": leaning_weights, "stack": stack_weights,
        "die": _weigh(thing, things, DIE_SIGNS, "score"),
        "found_at": found_at, "grays": grays, "least_score": 0.2, "least_die": 0.2, "die_at": 0.5,
        "cocked_at": _choose_refused_at(
            [curve(v, leaning_weights) for v in lean], leans, [stated(s) >= 0.9 for s in lying]
        ),
        "stacked_at": _choose_refused_at(
            [curve(v, stack_weights) for v in stack], stacked, [stated(s) >= 0.9 for s in lies]
        ),
        "fitted_on": len(rows),
        "reliability": reliability([stated(s) for s, _, _ in rows], right, _EDGES) if rows else [],
    }  # fmt: skip
    path.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    return result


def reliability_rows(
    cases: Iterable[Case],
    edges: Sequence[float] = _EDGES,
    of: Literal["both", "value", "colour"] = "both",
) -> list[Mapping[str, Any]]:
    """Bin what the reader as it stands states of dice against the share right in value, lean and colour, or in one alone.

    Both are 0 to 1, as are the ``edges`` of the bins.

    Readings without a value are left out; leaning dice count as often as they lie on tables.
    """
    stated, right, leaning = [], [], 0
    for c in cases:
        if c.read is None or c.read.reading.value is None:
            continue
        if c.truth is not None and c.truth.cocked:
            leaning += 1
            if leaning % _TOO_OFTEN:
                continue
        die = c.read.reading
        is_value = c.truth is not None and c.right and not c.truth.cocked
        is_colour = c.truth is not None and die.colour == c.truth.colour
        said = {
            "both": (die.confidence, is_value and is_colour),
            "value": (die.confidence if die.value_confidence is None else die.value_confidence, is_value),
            "colour": (die.colour_confidence, is_colour),
        }[of]
        stated.append(said[0])
        right.append(said[1])
    return reliability(stated, right, edges)


def interval(right: int, count: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share, both ends 0 to 1; all of it where nothing was counted."""
    if count == 0:
        return 0.0, 1.0
    z, p = 1.96, right / count
    middle = (p + z * z / (2 * count)) / (1 + z * z / count)
    half = z * np.sqrt(p * (1 - p) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return float(max(0.0, middle - half)), float(min(1.0, middle + half))


def summary(cases: list[Case]) -> dict[str, tuple[int, int]]:
    """Count (right, of) for the figures of the model card."""
    dice = [c for c in cases if c.truth is not None]
    reads = [c for c in cases if c.read is not None]
    both = [c for c in dice if c.read is not None]
    clear = [c for c in both if _legible(c)]
    sure = [c for c in reads if c.read is not None and c.read.reading.is_sure]
    stacked = [c for c in both if c.truth and c.truth.stacked]
    leaning = [c for c in both if c.truth and c.truth.cocked and not c.truth.stacked]
    out = {
        "found": (len(both), len(dice)),
        "is a die": (len([c for c in reads if c.truth is not None]), len(reads)),
        "kind": (sum(c.read.reading.kind == c.truth.kind for c in both if c.read and c.truth), len(both)),
        "colour": (sum(c.read.reading.colour == c.truth.colour for c in both if c.read and c.truth), len(both)),
        "value, legible": (sum(c.right for c in clear), len(clear)),
        "sure readings wrong": (len([c for c in sure if not c.right or (c.truth and c.truth.cocked)]), len(sure)),
        "asked, legible": (len([c for c in clear if c.read and not c.read.reading.is_sure]), len(clear)),
        "leaning seen": (len([c for c in leaning if c.read and c.read.reading.value is None]), len(leaning)),
        "on another seen": (len([c for c in stacked if c.read and c.read.reading.value is None]), len(stacked)),
        "upright called leaning": (len([c for c in clear if c.read and c.read.reading.value is None]), len(clear)),
    }  # fmt: skip
    for least, most in pairwise(_LEANS_DEG):
        some = [c for c in leaning if c.truth and least <= c.truth.lean_deg < most]
        told = sum(c.read is not None and c.read.reading.value is None for c in some)
        out[f"leaning seen, {least} to {most} degrees"] = (told, len(some))
    for kind in ("d12", "d10", "d6"):
        some = [c for c in clear if c.truth and c.truth.kind == kind]
        out[f"value, legible {kind}"] = (sum(c.right for c in some), len(some))
    for low, high in ((0, 22), (22, 40), (40, 1000)):
        some = [c for c in clear if c.truth and low <= c.truth.radius < high]
        out[f"value, legible, radius {low}-{high} px"] = (sum(c.right for c in some), len(some))
    some = [c for c in clear if c.truth and c.truth.value in (6, 9) and c.truth.kind != "d6"]
    out["value, 6 and 9"] = (sum(c.right for c in some), len(some))
    return out

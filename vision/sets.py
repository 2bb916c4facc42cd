"""Your own dice: a set learnt from a few photos, kept in a folder, and used as a second opinion.

Every value of a colour is shown once, in any order, over one or more photos. Since each value must come up exactly
once, what the reader is unsure of is settled by who is left over (the best assignment of dice to values). What is kept
of each die: its value, the reading net's features of its face, and the look of its body.
"""

from __future__ import annotations

__all__ = [
    "VERSION",
    "DiceSet",
    "Learner",
    "Sample",
    "assign",
    "delete_set",
    "list_sets",
    "load_set",
    "save_set",
    "set_votes",
]

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.errors import SetError
from vision.numerals import FaceVote
from vision.types import COLOURS, legal_values

VERSION = 4
"""Goes up with every new reading net: the features of one mean nothing to another."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,39}")
F32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sample:
    """One die of a set as it was shown."""

    kind: str
    colour: str
    value: int
    features: tuple[float, ...]
    """Of the face, from the reading net."""


@dataclass(frozen=True, slots=True)
class DiceSet:
    """A calibrated set."""

    name: str
    samples: tuple[Sample, ...]

    @property
    def colours(self) -> tuple[str, ...]:
        """Colours in it, in the usual order."""
        return tuple(c for c in COLOURS if any(s.colour == c for s in self.samples))

    def missing(self, kind: str, colour: str) -> tuple[int, ...]:
        """Values of a colour that were not shown."""
        shown = {s.value for s in self.samples if s.kind == kind and s.colour == colour}
        return tuple(v for v in legal_values(kind) if v not in shown)


def assign(cost: NDArray[np.float64]) -> list[int]:
    """Give each row its own column so that the sum is least (Hungarian method); rows <= columns."""
    n, m = cost.shape
    if n > m:
        raise ValueError(f"{n} dice cannot show {m} values once each")
    u, v = np.zeros(n + 1), np.zeros(m + 1)
    owner = np.zeros(m + 1, int)
    way = np.zeros(m + 1, int)
    for i in range(1, n + 1):
        owner[0] = i
        j0 = 0
        least = np.full(m + 1, np.inf)
        used = np.zeros(m + 1, bool)
        while True:
            used[j0] = True
            i0, delta, j1 = owner[j0], np.inf, 0
            for j in range(1, m + 1):
                if not used[j]:
                    here = cost[i0 - 1, j - 1] - u[i0] - v[j]
                    if here < least[j]:
                        least[j], way[j] = here, j0
                    if least[j] < delta:
                        delta, j1 = least[j], j
            for j in range(m + 1):
                if used[j]:
                    u[owner[j]] += delta
                    v[j] -= delta
                else:
                    least[j] -= delta
            j0 = j1
            if owner[j0] == 0:
                break
        while j0:
            owner[j0] = owner[way[j0]]
            j0 = way[j0]
    out = [-1] * n
    for j in range(1, m + 1):
        if owner[j]:
            out[owner[j] - 1] = j - 1
    return out


@dataclass(slots=True)
class Learner:
    """Gathers the photos of one set; not frozen because photos come one by one."""

    name: str
    kind: str = "d12"
    _seen: dict[str, list[FaceVote]] = field(default_factory=dict)

    def add(self, colour: str, votes: Sequence[FaceVote]) -> None:
        """Take in the dice of one colour from one photo."""
        if colour not in COLOURS:
            raise SetError(f"colour must be one of {', '.join(COLOURS)}, got {colour!r}")
        self._seen.setdefault(colour, []).extend(votes)

    def _costs(self, votes: Sequence[FaceVote]) -> NDArray[np.float64]:
        logp = np.array([v.logp for v in votes])
        values = list(legal_values(self.kind))
        costs = -logp[:, values]
        if self.kind == "d10":
            costs[:, values.index(10)] = -np.logaddexp(logp[:, 0], logp[:, 10])
        return np.asarray(np.minimum(costs, 12.0))

    def missing(self, colour: str) -> tuple[int, ...]:
        """Say which values of a colour still have to be shown."""
        votes = self._seen.get(colour, [])
        values = list(legal_values(self.kind))
        if len(votes) >= len(values):
            return ()
        if not votes:
            return tuple(values)
        taken = {values[j] for j in assign(self._costs(votes))}
        return tuple(v for v in values if v not in taken)

    def finish(self) -> DiceSet:
        """Make the set.

        Raises:
            SetError: A colour has values missing or shown twice; the text says which.
        """
        values = list(legal_values(self.kind))
        if not self._seen:
            raise SetError(f"set {self.name}: no dice were shown yet")
        samples = []
        for colour, votes in self._seen.items():
            if len(votes) > len(values):
                raise SetError(
                    f"set {self.name}: {len(votes)} {colour} dice were shown, "
                    f"expected each of {len(values)} values once; start that colour again"
                )
            if len(votes) < len(values):
                lacking = ", ".join(str(v) for v in self.missing(colour))
                raise SetError(f"set {self.name}: {colour} still lacks {lacking}; show a die with each")
            for vote, j in zip(votes, assign(self._costs(votes)), strict=True):
                samples.append(Sample(self.kind, colour, values[j], vote.features))
        return DiceSet(self.name, tuple(samples))


def set_votes(
    dice_set: DiceSet,
    votes: Sequence[FaceVote],
    tones: NDArray[np.float64],
    *,
    weight: float = 1.0,
) -> tuple[tuple[FaceVote, ...], NDArray[np.float64]]:
    """Add the set's opinion: faces like one that was shown gain, colours outside of the set lose.

    Args:
        tones: (n, colours) probabilities.
        weight: Log odds for a full step of likeness.
    """
    inside = np.array([1.0 if c in dice_set.colours else 0.05 for c in COLOURS])
    tones = tones * inside
    tones = tones / np.maximum(tones.sum(axis=1, keepdims=True), 1e-9)
    out = []
    for vote, tone in zip(votes, tones, strict=True):
        colour = COLOURS[int(np.argmax(tone))]
        mine = [s for s in dice_set.samples if s.colour == colour and len(s.features) == len(vote.features)]
        if not mine or not vote.features:
            out.append(vote)
            continue
        shown = np.array([s.features for s in mine])
        seen = np.array(vote.features)
        middle = shown.mean(axis=0)
        a, b = shown - middle, seen - middle
        like = a @ b / (np.linalg.norm(a, axis=1) * np.linalg.norm(b) + 1e-6)
        gain = np.full(13, float(like.min()))
        for s, value in zip(mine, like, strict=True):
            gain[s.value] = max(gain[s.value], value)
        logp = np.array(vote.logp) + weight * 6.0 * (gain - gain.max())
        logp -= logp.max() + np.log(np.exp(logp - logp.max()).sum())
        out.append(replace(vote, logp=tuple(logp.tolist())))
    return tuple(out), tones


def _path(folder: Path, name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise SetError(
            f"set name {name!r}: use up to 40 letters, digits, spaces, - and _, beginning with a letter or digit"
        )
    return folder / f"{name}.dice.json"


def save_set(dice_set: DiceSet, folder: Path) -> Path:
    """Write a set; what was there under this name is replaced in one step."""
    path = _path(folder, dice_set.name)
    data = {
        "version": VERSION, "name": dice_set.name,
        "samples": [
            {"kind": s.kind, "colour": s.colour, "value": s.value, "features": [round(float(f), 4) for f in s.features]}
            for s in dice_set.samples
        ],
    }  # fmt: skip
    try:
        folder.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".tmp")
        with temporary.open("w", encoding="utf-8") as file:
            json.dump(data, file)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise SetError(f"{path}: cannot be written ({error.strerror})") from error
    return path


def list_sets(folder: Path) -> tuple[str, ...]:
    """Return the names of the sets in a folder, sorted; empty when there is none."""
    return (
        tuple(sorted(p.name.removesuffix(".dice.json") for p in folder.glob("*.dice.json")))
        if folder.is_dir()
        else ()
    )


def load_set(name: str, folder: Path) -> DiceSet:
    """Read a set back.

    Raises:
        SetError: Not there, damaged, or of another version; the text names file and key.
    """
    path = _path(folder, name)
    try:
        data = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        have = ", ".join(list_sets(folder)) or "none yet"
        raise SetError(f"no dice set named {name!r} in {folder}; there is: {have}") from None
    except (OSError, ValueError) as error:
        raise SetError(
            f"{path}: damaged or unreadable ({type(error).__name__}); learn the set again"
        ) from error
    if not isinstance(data, dict) or data.get("version") != VERSION:
        got = data.get("version") if isinstance(data, dict) else type(data).__name__
        raise SetError(f"{path}: version: expected {VERSION}, got {got}; learn the set again")
    try:
        samples = []
        for i, raw in enumerate(data["samples"]):
            sample = Sample(
                str(raw["kind"]),
                str(raw["colour"]),
                int(raw["value"]),
                tuple(float(f) for f in raw["features"]),
            )
            if (
                sample.colour not in COLOURS
                or sample.value not in legal_values(sample.kind)
                or not np.isfinite(sample.features).all()
            ):
                raise SetError(
                    f"{path}: samples[{i}]: {sample.kind} {sample.colour} {sample.value} cannot be; learn the set again"
                )
            samples.append(sample)
        return DiceSet(str(data["name"]), tuple(samples))
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, SetError):
            raise
        raise SetError(f"{path}: samples: {error}; learn the set again") from error


def delete_set(name: str, folder: Path) -> None:
    """Remove a set; nothing happens when it is not there."""
    _path(folder, name).unlink(missing_ok=True)

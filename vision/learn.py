"""Showing a photo to a set that is being learnt: which dice count, and why the others are left out."""

from __future__ import annotations

__all__ = ["OTHER_COLOUR", "OTHER_KIND", "Examined", "ShownDie", "show", "take"]

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vision.models import Models, load_models
from vision.numerals import FaceVote
from vision.reader import Progress, examine
from vision.sets import Learner
from vision.types import Flag, Reading, Request

OTHER_KIND = "kind"
"""Why a die is left out: it is of another kind than the set."""
OTHER_COLOUR = "colour"
"""Why a die is left out: its colour is not among those that are learnt."""
_UNREAD = (Flag.STACKED, Flag.COCKED, Flag.TOO_SMALL)
"""What leaves a die without a value, the plainest first."""


class Examined(Protocol):
    """A die as the reader hands it on with its evidence."""

    @property
    def reading(self) -> Reading:
        """What it shows."""
        ...

    @property
    def vote(self) -> FaceVote:
        """What its top face looks like."""
        ...


@dataclass(frozen=True, slots=True)
class ShownDie:
    """One die of a photo that was shown to a learner."""

    reading: Reading
    number: int | None
    """The learner's number for it; None where it was left out."""
    why: str = ""
    """Why it was left out: a flag's value, ``OTHER_KIND`` or ``OTHER_COLOUR``; empty where it counts."""


def take(learner: Learner, dice: Sequence[Examined], colours: Sequence[str] = ()) -> tuple[ShownDie, ...]:
    """Give the dice of one photo to a learner; every die is answered for, those that are left out too.

    Args:
        colours: Colours that are learnt; empty: all that lie there.
    """
    out = []
    for die in dice:
        reading = die.reading
        why = ""
        if reading.kind != learner.kind:
            why = OTHER_KIND
        elif reading.value is None:
            why = next((flag for flag in _UNREAD if flag in reading.flags), Flag.TOO_SMALL).value
        elif not reading.colour or (colours and reading.colour not in colours):
            why = OTHER_COLOUR
        if why or not reading.colour:
            out.append(ShownDie(reading, None, why))
            continue
        sure = reading.value if reading.is_sure else None
        out.append(ShownDie(reading, learner.add(reading.colour, [die.vote], [sure])[0]))
    return tuple(out)


def show(
    learner: Learner,
    image: NDArray[np.uint8],
    *,
    colours: Sequence[str] = (),
    models: Models | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[ShownDie, ...]:
    """Read a photo, (h, w, 3) uint8 BGR, and give its dice to a learner.

    Raises:
        Cancelled: The caller asked to stop; the learner has not been given anything.
        ModelError: The package's model files are missing.
    """
    request = Request(kinds=(learner.kind,), colours=tuple(colours))
    dice = examine(image, request, models or load_models(), progress=progress, cancelled=cancelled)
    return take(learner, dice, colours)

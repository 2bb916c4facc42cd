"""What the corrections at one table teach: how far the stated confidences are off here, a little at a time.

Dice, lamp and camera of a table stay the same from evening to evening, and with them how often readings are right. What
was learnt moves the log odds of all values, and of all colours, by one number each, within bounds: it can save taps or ask for
more, and never changes what was read.
"""

from __future__ import annotations

__all__ = ["MOST_SHIFT", "Habit", "read_habit", "write_habit"]

import json
import logging
import math
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from vision.confidence import logistic
from vision.types import Reading, Readings

MOST_SHIFT = 1.0
"""Log odds that all corrections together move a confidence at most: 0.9 becomes 0.78 or 0.96."""
_STEP = 0.1
"""Log odds that one wholly unexpected die moves it."""
_log = logging.getLogger(__name__)


def _moved(p: float, shift: float) -> float:
    if not shift or not 0.0 < p < 1.0:
        return p
    return logistic(math.log(p / (1 - p)) + shift)


@dataclass(frozen=True, slots=True)
class Habit:
    """What was learnt; a fresh one changes nothing."""

    value: float = 0.0
    """Log odds added to every value's confidence."""
    colour: float = 0.0
    """The same of colours."""
    dice: int = 0
    """How many answers of the table it was learnt from."""

    def __post_init__(self) -> None:
        """Keep within bounds whatever a file says."""
        for shift in (self.value, self.colour):
            if not -MOST_SHIFT <= shift <= MOST_SHIFT:  # also where it is not a number
                raise ValueError(f"a shift lies within {MOST_SHIFT}, got {shift!r}")
        if self.dice < 0:
            raise ValueError(f"a count of dice cannot be {self.dice}")

    def taught(self, stated: float, *, is_right: bool, is_colour: bool) -> Habit:
        """Return the habit after one answer.

        Args:
            stated: The confidence as it was shown, 0 to 1, with what was learnt before in it.
            is_right: Whether the table left it as it was read.
            is_colour: Whether the answer is about a colour.
        """
        old = self.colour if is_colour else self.value
        new = min(MOST_SHIFT, max(-MOST_SHIFT, old + _STEP * (is_right - stated)))
        if is_colour:
            return replace(self, colour=new, dice=self.dice + 1)
        return replace(self, value=new, dice=self.dice + 1)

    def applied(self, readings: Readings) -> Readings:
        """Return readings with their confidences as this table's answers have them; values and colours stay."""
        return replace(readings, dice=tuple(self._of(die) for die in readings.dice))

    def _of(self, die: Reading) -> Reading:
        if die.value_confidence is None:
            return die
        value, colour = _moved(die.value_confidence, self.value), _moved(die.colour_confidence, self.colour)
        return replace(die, value_confidence=value, colour_confidence=colour, confidence=value * colour)


def read_habit(path: Path) -> Habit:
    """Return what was learnt; a fresh habit where there is no file, or one that cannot be understood."""
    try:
        kept = json.loads(path.read_text("utf-8"))
        return Habit(float(kept["value"]), float(kept["colour"]), int(kept["dice"]))
    except FileNotFoundError:
        return Habit()
    except (OSError, ValueError, TypeError, KeyError):
        _log.warning("%s: not understood; what was learnt from corrections begins anew", path)
        return Habit()


def write_habit(path: Path, habit: Habit) -> None:
    """Keep what was learnt, whole or not at all. OSError where it cannot be written."""
    whole = path.with_name(path.name + ".new")
    whole.write_text(json.dumps(asdict(habit)) + "\n", "utf-8")
    os.replace(whole, path)

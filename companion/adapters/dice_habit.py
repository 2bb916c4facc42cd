"""What a table's corrections teach the reader, kept in a file; nothing is learnt or used under tournament rules."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from companion.pages.dice import Lesson

if TYPE_CHECKING:
    from vision.habit import Habit
    from vision.types import Readings

__all__ = ["KeptHabit"]

_log = logging.getLogger(__name__)


class KeptHabit:
    """The habit of one box. Safe from several threads."""

    def __init__(self, file: Path, is_tournament: Callable[[], bool]) -> None:
        """Read nothing yet; `is_tournament` says whether tournament rules hold now."""
        self._file, self._is_tournament = file, is_tournament
        self._lock = threading.Lock()
        self._habit: Habit | None = None
        """None until it is first asked for."""

    def _known(self) -> Habit:
        from vision.habit import read_habit  # with the first photo: OpenCV takes a second to load

        with self._lock:
            if self._habit is None:
                self._habit = read_habit(self._file)
            return self._habit

    def settle(self, readings: Readings) -> Readings:
        """Return readings as sure as the corrections have shown; as they are under tournament rules."""
        return readings if self._is_tournament() else self._known().applied(readings)

    def learn(self, lessons: Sequence[Lesson]) -> None:
        """Take what the table's answers say of the confidences."""
        if not lessons or self._is_tournament():
            return
        habit = self._known()
        for lesson in lessons:
            habit = habit.taught(lesson.stated, is_right=lesson.is_right, is_colour=lesson.is_colour)
        self._keep(habit)

    def learned(self) -> int:
        """Return of how many answers something was learnt."""
        return self._known().dice if self._file.exists() else 0

    def forget(self) -> None:
        """Forget all of it."""
        from vision.habit import Habit

        self._keep(Habit())

    def _keep(self, habit: Habit) -> None:
        from vision.habit import write_habit

        with self._lock:
            self._habit = habit
            try:
                write_habit(self._file, habit)
            except OSError:  # it holds until the program ends, and nothing else depends on it
                _log.warning("what was learnt from corrections could not be kept", exc_info=True)

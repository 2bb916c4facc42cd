"""Sets of your own dice behind the screens: kept in a folder, learnt photo by photo, handed to the reader.

Like `companion.adapters.dice_eye` this knows both `vision` and the screens' port. Photos are read in a thread of their own; what
a lesson has learnt changes on the interface thread alone.
"""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from companion.pages.dice import Photo
from companion.pages.dice_live import FOLDER, LiveView, live_line
from companion.pages.dice_sets import ColourRow, DieMark, Lesson, LessonPhoto, SetRow, Showing
from companion.pages.i18n import _
from companion.pages.speak import speak
from companion.session.files import explain

if TYPE_CHECKING:
    from vision.sets import DiceSet

__all__ = ["VisionLesson", "VisionSets"]

_log = logging.getLogger(__name__)


class Taker(Protocol):
    """What takes photos and shows them; see `companion.adapters.dice_eye.VisionEye`."""

    def take(
        self,
        key: str,
        reader: Callable[[Any, Callable[[], bool]], Any],
        *,
        shown: Callable[[LiveView], None],
        done: Callable[[Any], None],
        failed: Callable[[str], None],
    ) -> Showing:
        """Take or open one photo in a thread and hand it, (h, w, 3) uint8 BGR, to `reader`; `done` gets it too."""
        ...

    def nets(self) -> Any:
        """Return the nets, loaded once."""
        ...

    def photo(self, image: Any, readings: Any) -> Photo:
        """Return what a screen shows of a photo and its readings."""
        ...


class VisionSets:
    """The sets of one folder."""

    def __init__(
        self,
        folder: Path,
        post: Callable[[Callable[[], None]], None],
        taker: Taker,
        chosen_name: Callable[[], str],
    ) -> None:
        """Keep sets in `folder`; `chosen_name` tells which one the settings name, empty for none."""
        self._folder, self._post, self._taker, self._chosen_name = folder, post, taker, chosen_name
        self._read: dict[str, tuple[tuple[int, int], SetRow, DiceSet | None]] = {}

    def sets(self) -> tuple[SetRow, ...]:
        """Return the sets there are, by name."""
        from vision.set_files import list_sets

        return tuple(self._row(name)[0] for name in list_sets(self._folder))

    def chosen(self) -> SetRow | None:
        """Return the set that the settings name; None where they name none."""
        name = self._chosen_name()
        return self._row(name)[0] if name else None

    def in_use(self) -> DiceSet | None:
        """Return the chosen set for the reader; None where there is none or it cannot be used."""
        name = self._chosen_name()
        return self._row(name)[1] if name else None

    def _row(self, name: str) -> tuple[SetRow, DiceSet | None]:
        """Return a set as listed and as read; a file is read again only when it has changed."""
        from vision.errors import OldSetError, SetError
        from vision.set_files import load_set, set_path

        try:
            state = set_path(name, self._folder).stat()
        except (OSError, SetError):
            return SetRow(name, trouble="gone"), None
        stamp = (state.st_mtime_ns, state.st_size)
        kept = self._read.get(name)
        if kept is not None and kept[0] == stamp:
            return kept[1:]
        row, dice_set = SetRow(name), None
        try:
            dice_set = load_set(name, self._folder)
            row = SetRow(name, dice_set.samples[0].kind, dice_set.colours)
        except OldSetError as fault:
            _log.warning("%s", fault)
            row = SetRow(name, trouble="old")
        except SetError as fault:
            _log.warning("%s", fault)
            row = SetRow(name, trouble="damaged")
        self._read[name] = (stamp, row, dice_set)
        return row, dice_set

    def name_fault(self, name: str) -> str:
        """Return why a set cannot have this name; empty when it can."""
        from vision.errors import SetError
        from vision.sets import check_name

        try:
            check_name(_clean(name))
        except SetError as fault:
            return speak(fault.say)
        return ""

    def begin(self, name: str, kind: str) -> VisionLesson:
        """Begin to learn a set."""
        return VisionLesson(_clean(name), kind, self._folder)

    def show(
        self,
        key: str,
        lesson: Lesson,
        *,
        done: Callable[[LessonPhoto], None],
        failed: Callable[[str], None],
        progress: Callable[[float], None],
        told: Callable[[str], None],
    ) -> Showing:
        """Take or open a photo in a thread; its dice are given to the lesson on the interface thread."""
        if not isinstance(lesson, VisionLesson):
            raise TypeError(f"expected a lesson of this program's own, got {type(lesson).__name__}")
        examined: list[Any] = []

        def read(image: Any, cancelled: Callable[[], bool]) -> Any:
            from vision.reader import examine
            from vision.types import Readings, Request

            dice = examine(
                image,
                Request(kinds=(lesson.kind,)),
                self._taker.nets(),
                progress=lambda share, _words: self._post(lambda: None if cancelled() else progress(share)),
                cancelled=cancelled,
            )
            examined.append(dice)
            return Readings(image.shape[1], image.shape[0], tuple(die.reading for die in dice))

        return self._taker.take(
            key,
            read,
            shown=lambda view: told(view.problem or live_line(view.state, is_camera=key != FOLDER)),
            done=lambda image: done(lesson.take(image, examined[-1], self._taker.photo)),
            failed=failed,
        )

    def delete(self, name: str) -> str:
        """Remove a set; return why that failed, empty when it is gone."""
        from vision.set_files import delete_set

        try:
            delete_set(name, self._folder)
        except OSError as fault:
            why = speak(explain(fault)[0])
            return _("The dice set {name} could not be deleted: {why}").format(name=name, why=why)
        return ""


class VisionLesson:
    """A set that is being learnt."""

    def __init__(self, name: str, kind: str, folder: Path) -> None:
        """Begin with nothing shown; SetError for a name that no file can have."""
        from vision.sets import Learner

        self.name, self.kind, self._folder = name, kind, folder
        self._learner = Learner(name, kind)
        self._seen: dict[int, int | None] = {}

    def take(self, image: Any, dice: Any, shown: Callable[[Any, Any], Photo]) -> LessonPhoto:
        """Give the examined dice of a photo to the learner."""
        from vision.learn import take
        from vision.types import Readings

        taken = take(self._learner, dice)
        readings = Readings(image.shape[1], image.shape[0], tuple(die.reading for die in taken))
        self._seen.update({die.number: die.reading.value for die in taken if die.number is not None})
        return LessonPhoto(
            shown(image, readings), tuple(die.number for die in taken), tuple(die.why for die in taken)
        )

    def colours(self) -> tuple[ColourRow, ...]:
        """Return the colours that were shown."""
        states = map(self._learner.state, self._learner.colours)
        return tuple(ColourRow(s.colour, s.missing, s.twice, s.unsettled) for s in states)

    def mark(self, number: int) -> DieMark | None:
        """Return what a die is taken for; None for one that was taken out."""
        for colour in self._learner.colours:
            for value, of in self._learner.state(colour).dice:
                if of == number:
                    return DieMark(value, True)
        return DieMark(self._seen[number], False) if number in self._seen else None

    def tell(self, number: int, value: int) -> None:
        """Say what a die shows."""
        self._learner.tell(number, value)
        self._seen[number] = value

    def recolour(self, number: int, colour: str) -> None:
        """Say which colour a die has."""
        self._learner.recolour(number, colour)

    def drop(self, number: int) -> None:
        """Take a die out."""
        self._learner.drop(number)
        self._seen.pop(number, None)

    def forget(self, colour: str) -> None:
        """Start a colour again."""
        for number in self._learner.numbers(colour):
            self.drop(number)

    def save(self) -> str:
        """Keep the set; return why that failed, empty when it is kept."""
        from vision.errors import SetError
        from vision.set_files import save_set

        try:
            save_set(self._learner.finish(), self._folder)
        except SetError as fault:
            _log.warning("%s", fault)
            return speak(fault.say)
        return ""


def _clean(name: str) -> str:
    """Return a name as its file is called: one form for each letter, no blanks around it."""
    return unicodedata.normalize("NFC", " ".join(name.split()))

"""Dice sets in memory, for pictures and tests: the photos are made up, and what is shown comes at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from companion.pages.dice import Photo, SeenDie
from companion.pages.dice_sets import (
    KINDS,
    ColourRow,
    DieMark,
    Lesson,
    LessonPhoto,
    SetRow,
    Showing,
)

__all__ = ["MemoryLesson", "MemorySets", "drawn_photo"]

_INKS = {"white": 215, "gray": 120, "black": 45}


@dataclass(slots=True)
class _Die:
    colour: str
    value: int | None


class MemoryLesson:
    """A lesson whose dice are what they say; of two alike the first one counts."""

    def __init__(self, name: str, kind: str, kept: Callable[[SetRow], None]) -> None:
        """Begin with nothing; `kept` hears of the set that is saved."""
        self.name, self.kind, self._kept = name, kind, kept
        self._dice: dict[int, _Die] = {}
        self._next = 0
        self.fault = ""
        """What `save` answers."""

    def take(self, photo: Photo, why: Sequence[str]) -> LessonPhoto:
        """Take in the dice of a photo that are not left out."""
        numbers: list[int | None] = []
        for die, reason in zip(photo.dice, why, strict=True):
            if reason:
                numbers.append(None)
            else:
                self._dice[self._next] = _Die(die.colour, die.value)
                numbers.append(self._next)
                self._next += 1
        return LessonPhoto(photo, tuple(numbers), tuple(why))

    def _counting(self, colour: str) -> dict[int, int]:
        """Return value to the die that counts for it."""
        counting: dict[int, int] = {}
        for number, die in self._dice.items():
            if die.colour == colour and die.value is not None:
                counting.setdefault(die.value, number)
        return counting

    def colours(self) -> tuple[ColourRow, ...]:
        """Return the colours that were shown."""
        rows = []
        for colour in dict.fromkeys(die.colour for die in self._dice.values()):
            mine = [die.value for die in self._dice.values() if die.colour == colour]
            missing = tuple(v for v in range(1, dict(KINDS)[self.kind] + 1) if v not in mine)
            twice = tuple(sorted({v for v in mine if v is not None and mine.count(v) > 1}))
            rows.append(ColourRow(colour, missing, twice, mine.count(None)))
        return tuple(rows)

    def mark(self, number: int) -> DieMark | None:
        """Return what a die is taken for."""
        die = self._dice.get(number)
        if die is None:
            return None
        return DieMark(die.value, number in self._counting(die.colour).values())

    def tell(self, number: int, value: int) -> None:
        """Say what a die shows."""
        self._dice[number].value = value

    def recolour(self, number: int, colour: str) -> None:
        """Say which colour a die has."""
        self._dice[number].colour = colour

    def drop(self, number: int) -> None:
        """Take a die out."""
        self._dice.pop(number, None)

    def forget(self, colour: str) -> None:
        """Start a colour again."""
        self._dice = {n: die for n, die in self._dice.items() if die.colour != colour}

    def save(self) -> str:
        """Keep the set, unless a fault was set."""
        if not self.fault:
            self._kept(SetRow(self.name, self.kind, tuple(row.colour for row in self.colours())))
        return self.fault


class _Shown:
    """A photo that was shown; it is there already."""

    def cancel(self) -> None:
        """Nothing runs."""


class MemorySets:
    """Sets in memory. A photo key leads to its dice, or to the text of a fault."""

    def __init__(
        self,
        rows: Sequence[SetRow] = (),
        photos: Mapping[str, tuple[Photo, tuple[str, ...]] | str] | None = None,
        chosen_name: Callable[[], str] = str,
    ) -> None:
        """Hold some sets, and photos with, per die, why it is left out."""
        self._rows = {row.name: row for row in rows}
        self._photos = dict(photos or {})
        self._chosen_name = chosen_name
        self.waits = False
        """Whether a photo never comes."""

    def sets(self) -> tuple[SetRow, ...]:
        """Return the sets there are, by name."""
        return tuple(self._rows[name] for name in sorted(self._rows))

    def chosen(self) -> SetRow | None:
        """Return the chosen set."""
        name = self._chosen_name()
        return self._rows.get(name, SetRow(name, trouble="gone")) if name else None

    def name_fault(self, name: str) -> str:
        """Refuse a name with a slash."""
        return "No slash in a name" if "/" in name else ""

    def begin(self, name: str, kind: str) -> MemoryLesson:
        """Begin a lesson."""
        return MemoryLesson(name, kind, lambda row: self._rows.update({row.name: row}))

    def show(
        self,
        key: str,
        lesson: Lesson,
        *,
        done: Callable[[LessonPhoto], None],
        failed: Callable[[str], None],
        progress: Callable[[float], None],
        told: Callable[[str], None],  # noqa: ARG002
    ) -> Showing:
        """Show a photo at once."""
        progress(0.5)
        found = self._photos[key]
        if self.waits:
            return _Shown()
        if isinstance(found, str):
            failed(found)
        elif isinstance(lesson, MemoryLesson):
            done(lesson.take(*found))
        return _Shown()

    def delete(self, name: str) -> str:
        """Remove a set."""
        self._rows.pop(name, None)
        return ""


def drawn_photo(dice: Sequence[tuple[int | None, str]], columns: int = 4) -> Photo:
    """Return a made-up photo of dice, value and colour, in rows on a dark ground."""
    lines = -(-len(dice) // columns)
    width, height, radius = 90 * columns, 90 * lines, 30
    rows = [bytearray(bytes((38, 52, 46)) * width) for _y in range(height)]
    seen = []
    for index, (value, colour) in enumerate(dice):
        x, y = 45 + 90 * (index % columns), 45 + 90 * (index // columns)
        ink = _INKS.get(colour, 150)
        for dy in range(-radius, radius + 1):
            half = int((radius * radius - dy * dy) ** 0.5)
            rows[y + dy][3 * (x - half) : 3 * (x + half)] = bytes((ink, ink, ink)) * (2 * half)
        seen.append(SeenDie(value, colour, 0.97, x / width, y / height, radius / width))
    return Photo(width, height, b"".join(rows), "ab" * 32, tuple(seen))

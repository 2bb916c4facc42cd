"""Sets of your own dice: the port through which they are kept and learnt, and how the screen words them.

A set is learnt photo by photo. Every value of every colour is shown once; the lesson says what is missing, what was
shown twice and which dice do not count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from companion.pages.dice import Photo, colour_name
from companion.pages.dice_eye import NoEye
from companion.pages.i18n import N_, _, ngettext

__all__ = [
    "COLOURS",
    "KINDS",
    "ColourRow",
    "DieMark",
    "DiceSets",
    "Lesson",
    "LessonPhoto",
    "NoSets",
    "SetRow",
    "Showing",
    "colour_text",
    "lesson_fault",
    "left_out_text",
    "photo_text",
    "set_text",
    "trouble_text",
]

KINDS: tuple[tuple[str, int], ...] = (("d12", 12), ("d10", 10), ("d6", 6))
"""Kinds of dice that a set can hold, with their faces."""

COLOURS = ("white", "gray", "black", "blue", "yellow", "red", "purple", "green", "orange", "pink")
"""Body colours that a die can have."""

_MOST_NAMED = 5
"""So many colours of a set are named, more are counted."""

_TROUBLES = {
    "damaged": N_("The dice set {name} is damaged: learn it again"),
    "old": N_("The dice set {name} is from an older version: learn it again"),
    "gone": N_("The dice set {name} is gone: choose or learn another"),
}
_SHORT = {
    "damaged": N_("Damaged: learn it again"),
    "old": N_("From an older version: learn it again"),
    "gone": N_("Gone: choose or learn another"),
}
_LEFT_OUT = {
    "cocked": N_("it is tilted"),
    "stacked": N_("it lies on another die"),
    "too small": N_("too small in the photo"),
    "kind": N_("another kind of die"),
    "colour": N_("its colour is unknown"),
}


class SetRow(msgspec.Struct, frozen=True):
    """A set as it is listed."""

    name: str
    kind: str = ""
    """Empty where it cannot be read."""
    colours: tuple[str, ...] = ()
    trouble: str = ""
    """Why it cannot be used: ``damaged``, ``old`` or ``gone``; empty when it can."""


class ColourRow(msgspec.Struct, frozen=True):
    """How far a colour of a lesson has come."""

    colour: str
    missing: tuple[int, ...]
    twice: tuple[int, ...] = ()
    """Values that more than one die shows."""
    doubted: int = 0
    """Dice that fit more values than are missing; the table says what they show."""


class DieMark(msgspec.Struct, frozen=True):
    """What a die of a lesson's photo is taken for."""

    value: int | None
    """None where it is in doubt."""
    counts: bool
    """Whether it stands for that value in the set."""


class LessonPhoto(msgspec.Struct, frozen=True):
    """A photo that was shown to a lesson."""

    photo: Photo
    numbers: tuple[int | None, ...]
    """Per die of the photo its number in the lesson; None where it was left out."""
    why: tuple[str, ...]
    """Per die why it was left out; empty where it was not."""


class Showing(Protocol):
    """A photo on its way into a lesson."""

    def cancel(self) -> None:
        """Stop it; its answer no longer comes. Twice is safe."""
        ...


class Lesson(Protocol):
    """A set that is being learnt. Used on the interface thread alone."""

    @property
    def name(self) -> str:
        """The set's name."""
        ...

    @property
    def kind(self) -> str:
        """The kind of its dice."""
        ...

    def colours(self) -> tuple[ColourRow, ...]:
        """Return the colours that were shown."""
        ...

    def mark(self, number: int) -> DieMark | None:
        """Return what a die is taken for; None for one that was taken out."""
        ...

    def tell(self, number: int, value: int) -> None:
        """Say what a die shows; this outweighs the reading."""
        ...

    def recolour(self, number: int, colour: str) -> None:
        """Say which colour a die has."""
        ...

    def drop(self, number: int) -> None:
        """Take a die out."""
        ...

    def forget(self, colour: str) -> None:
        """Start a colour again."""
        ...

    def save(self) -> str:
        """Keep the set; return why that failed, empty when it is kept."""
        ...


class DiceSets(Protocol):
    """Where sets are kept and learnt. Answers arrive on the interface thread."""

    def sets(self) -> tuple[SetRow, ...]:
        """Return the sets there are, by name."""
        ...

    def chosen(self) -> SetRow | None:
        """Return the set that readings use, as the settings name it; None where none is chosen."""
        ...

    def name_fault(self, name: str) -> str:
        """Return why a set cannot have this name; empty when it can."""
        ...

    def begin(self, name: str, kind: str) -> Lesson:
        """Begin to learn a set; its name is checked before."""
        ...

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
        """Take or open a photo, away from the interface thread, and give its dice to a lesson.

        A camera takes it at once; a folder is waited for. `told` hears in a few words what goes on until then.
        """
        ...

    def delete(self, name: str) -> str:
        """Remove a set; return why that failed, empty when it is gone."""
        ...


class _NoLesson:
    """What cannot be learnt."""

    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind = name, kind

    def colours(self) -> tuple[ColourRow, ...]:
        """Return nothing."""
        return ()

    def mark(self, number: int) -> DieMark | None:  # noqa: ARG002
        """Return nothing."""
        return None

    def tell(self, number: int, value: int) -> None:
        """Nothing is learnt."""

    def recolour(self, number: int, colour: str) -> None:
        """Nothing is learnt."""

    def drop(self, number: int) -> None:
        """Nothing is learnt."""

    def forget(self, colour: str) -> None:
        """Nothing is learnt."""

    def save(self) -> str:
        """Say that there is no reader."""
        return _("There is no camera here; enter the dice by hand.")


class NoSets:
    """A program without a reader: there are no sets."""

    def sets(self) -> tuple[SetRow, ...]:
        """Return nothing."""
        return ()

    def chosen(self) -> SetRow | None:
        """Return nothing."""
        return None

    def name_fault(self, name: str) -> str:  # noqa: ARG002
        """Every name will do."""
        return ""

    def begin(self, name: str, kind: str) -> Lesson:
        """Return a lesson that learns nothing."""
        return _NoLesson(name, kind)

    def show(
        self,
        key: str,
        lesson: Lesson,
        *,
        done: Callable[[LessonPhoto], None],  # noqa: ARG002
        failed: Callable[[str], None],
        progress: Callable[[float], None],
        told: Callable[[str], None],  # noqa: ARG002
    ) -> Showing:
        """Say that there is no camera."""
        return NoEye().look(key, lesson.kind, (), done=lambda _photo: None, failed=failed, progress=progress)

    def delete(self, name: str) -> str:  # noqa: ARG002
        """Nothing is there to remove."""
        return ""


def set_text(row: SetRow | None) -> str:
    """Return kind and colours of a set in words; what is wrong with it where it cannot be used."""
    if row is None:
        return _("Dice are read without a set")
    if row.trouble:
        return _(_SHORT[row.trouble])
    count = len(row.colours)
    if count > _MOST_NAMED:
        return f"{row.kind} · {ngettext('{n} colour', '{n} colours', count).format(n=count)}"
    return f"{row.kind} · {', '.join(map(colour_name, row.colours))}"


def trouble_text(row: SetRow | None) -> str:
    """Say in one line why a set cannot be used and what to do; empty when it can, or there is none."""
    return "" if row is None or not row.trouble else _(_TROUBLES[row.trouble]).format(name=row.name)


def lesson_fault(rows: tuple[ColourRow, ...]) -> str:
    """Say why a lesson cannot be saved yet; empty where it can."""
    missing = sum(len(row.missing) for row in rows)
    if missing:
        return ngettext("{n} value is still missing", "{n} values are still missing", missing).format(
            n=missing
        )
    return "" if rows else _("Show the dice first")


def colour_text(row: ColourRow) -> str:
    """Return what a colour still lacks."""
    missing = ", ".join(map(str, row.missing))
    twice = ", ".join(map(str, row.twice))
    if not row.missing:
        return _("Complete; {values} shown twice").format(values=twice) if twice else _("Complete")
    if row.doubted:
        return ngettext(
            "Missing: {values}. {n} die in doubt: tap it",
            "Missing: {values}. {n} dice in doubt: tap them",
            row.doubted,
        ).format(values=missing, n=row.doubted)
    if twice:
        return _("Missing: {values}. Shown twice: {twice}").format(values=missing, twice=twice)
    return _("Missing: {values}").format(values=missing)


def photo_text(shown: LessonPhoto) -> str:
    """Say how many dice of a photo count, and which were left out and why."""
    count = sum(1 for number in shown.numbers if number is not None)
    text = ngettext("{n} die added.", "{n} dice added.", count).format(n=count)
    out = [
        left_out_text(die.colour, why) for die, why in zip(shown.photo.dice, shown.why, strict=True) if why
    ]
    if out:
        text = f"{text} {_('Left out: {dice}.').format(dice=', '.join(out))}"
    return text


def left_out_text(colour: str, why: str) -> str:
    """Return a die that does not count, with the reason, such as ``Black (it leans)``."""
    name = colour_name(colour) if colour else _("One die")
    return f"{name} ({_(_LEFT_OUT.get(why, why))})"

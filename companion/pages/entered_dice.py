"""Dice of one roll entered in two ways, read from photos and typed: which came from where, until the roll is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import msgspec

from companion.core.dice import DiceOrigin, joined
from companion.core.text import Say, Value
from companion.pages.hardware import has_camera
from companion.pages.page import ActId, Button, Sight

__all__ = ["EnteredDice", "dice_buttons", "with_read", "without_last"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EnteredDice:
    """The dice of a roll that is sent whole; a game's draft adds what else is being entered."""

    values: tuple[int, ...] = ()
    read: frozenset[int] = frozenset()
    """Which of the dice were read from a photo, by their place in `values`."""
    origin: DiceOrigin = field(default_factory=DiceOrigin)
    """Where the values come from."""


D = TypeVar("D", bound=EnteredDice)


def with_read(draft: D, values: Sequence[int], origin: DiceOrigin) -> D:
    """Add the dice of a photo; those that were not seen in it, which the table added, stand last and count as typed."""
    first = len(draft.values)
    seen = min(len(values), len(origin.proposed))
    return replace(
        draft,
        values=(*draft.values, *values),
        read=draft.read | set(range(first, first + seen)),
        origin=joined(draft.origin, origin),
    )


def without_last(draft: D) -> D:
    """Take the last die back. One that was read counts as corrected, and its photo stays named, also when none is left."""
    last = len(draft.values) - 1
    if last < 0:
        return draft
    origin = draft.origin
    if last in draft.read:
        most = len(origin.proposed) + origin.added  # one that was corrected on the Dice screen counts once
        origin = msgspec.structs.replace(origin, corrected=min(origin.corrected + 1, most))
    elif last == 0 and not origin.photos:
        origin = DiceOrigin()
    return replace(draft, values=draft.values[:-1], read=draft.read - {last}, origin=origin)


def dice_buttons(
    sight: Sight, read: ActId, roll: ActId | None, missing: Value
) -> tuple[Button, Button, tuple[Button, ...]]:
    """Return main act, second act and tools of a page that waits for dice: the camera's, where there is one.

    Args:
        read: Reads them from a photo.
        roll: Has the program roll them.
        missing: What is to be typed, for the main act without a camera.
    """
    second = Button(Say("Roll for us"), roll, "dice")
    if has_camera(sight):
        return Button(Say("Read the dice"), read, "camera"), second, ()
    return Button(missing, why_not=missing), second, (Button(Say("Photo"), read, "camera"),)

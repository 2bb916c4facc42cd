"""Dice as values with their origin; nothing here ever rolls."""

from __future__ import annotations

from enum import StrEnum

import msgspec

__all__ = ["DiceOrigin", "DiceSource", "DieColour", "DieKind", "Die", "Roll", "faces"]


class DieKind(StrEnum):
    """How many faces a die has."""

    D6 = "d6"
    D10 = "d10"
    D12 = "d12"


class DieColour(StrEnum):
    """Colours of battle dice over all games; which of them are legal is the game's matter."""

    WHITE = "white"
    GRAY = "gray"
    BLACK = "black"
    PURPLE = "purple"
    BLUE = "blue"
    YELLOW = "yellow"
    RED = "red"
    ANY = "any"
    """The colour has no meaning in this game."""


def faces(kind: DieKind) -> int:
    """Return the number of faces; values run from 1 to it (a d10's 0 counts as 10)."""
    return int(kind.value[1:])


class DiceSource(StrEnum):
    """How the values came in."""

    TYPED = "typed"
    CAMERA = "camera"
    VIRTUAL = "virtual"


class DiceOrigin(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a roll comes from and what was done to it before the table accepted it."""

    source: DiceSource = DiceSource.TYPED
    seed: int | None = None
    """Seed of a virtual roll; the same seed gives the same values."""
    photo_sha256: str | None = None
    proposed: tuple[int | None, ...] = ()
    """What the camera read, die by die, None where it could not say; empty unless `source` is CAMERA."""
    corrected: int = 0
    """How many dice the table changed, added or removed."""


class Die(msgspec.Struct, frozen=True):
    """One die as it lies: its colour and its value."""

    colour: DieColour
    value: int


class Roll(msgspec.Struct, frozen=True):
    """Dice of one kind as one act of rolling, with their origin."""

    kind: DieKind
    dice: tuple[Die, ...]
    origin: DiceOrigin = DiceOrigin()

    def values(self, colour: DieColour | None = None) -> tuple[int, ...]:
        """Return the values, of one colour where it is given, in the order in which they were recorded."""
        return tuple(die.value for die in self.dice if colour is None or die.colour == colour)

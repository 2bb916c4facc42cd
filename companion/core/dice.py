"""Dice as values with their origin; nothing here ever rolls."""

from __future__ import annotations

from enum import StrEnum

import msgspec

__all__ = ["DiceOrigin", "DiceSource", "DieColour", "DieKind", "Die", "Roll", "faces", "joined"]


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
    """Of the first photo, as hex: of the file's bytes, as ``sha256sum`` gives it; for a camera's frame, which is not
    kept, of its decoded size and pixels. Older games hold that of the
    pixels for files too."""
    proposed: tuple[int | None, ...] = ()
    """What was read in the photos, die by die, None where no value could be said; empty where no photo was read."""
    corrected: int = 0
    """How many dice the table changed in value or colour, added or removed."""
    more_photos: tuple[str, ...] = ()
    """Hashes of the photos that were read after the first for the same roll, in order."""
    recoloured: int = 0
    """How many of the corrected dice were given another colour."""
    added: int = 0
    """How many of the corrected dice were not seen in the photo."""
    hits: int | None = None
    """How many dice hit, where the table told that alone: the values of the roll are then 0, since nobody knows them."""

    @property
    def photos(self) -> tuple[str, ...]:
        """Hashes of all photos that were read for the roll, in order."""
        return () if self.photo_sha256 is None else (self.photo_sha256, *self.more_photos)


def joined(first: DiceOrigin, second: DiceOrigin) -> DiceOrigin:
    """Return the origin of a roll whose dice came in two parts: nothing of either is lost.

    Its source is CAMERA where either part was read from a photo, else VIRTUAL where either was rolled by the program.
    """
    sources = (first.source, second.source)
    photos = (*first.photos, *second.photos)
    return DiceOrigin(
        next((one for one in (DiceSource.CAMERA, DiceSource.VIRTUAL) if one in sources), DiceSource.TYPED),
        first.seed if second.seed is None else second.seed,
        photos[0] if photos else None,
        (*first.proposed, *second.proposed),
        first.corrected + second.corrected,
        photos[1:],
        first.recoloured + second.recoloured,
        first.added + second.added,
    )


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

    def hits(self, number: int) -> int:
        """Return how many dice show a number or more; as it was told where the values are not known."""
        told = self.origin.hits
        return sum(die.value >= number for die in self.dice) if told is None else told

"""The Dice screen: what a photo shows and what the table corrects.

Readings are proposals. A draft keeps what was proposed beside what the table accepts, so that the roll remembers both.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import msgspec

from companion.core.dice import DiceOrigin, DiceSource
from companion.core.history import Entry
from companion.core.text import Name
from companion.pages.i18n import _, ngettext
from companion.pages.speak import speak

__all__ = [
    "COLOURS",
    "OTHER",
    "SURE",
    "Asked",
    "DiceDraft",
    "DraftDie",
    "Lesson",
    "Photo",
    "SeenDie",
    "colour_name",
    "dice_text",
    "draft_of",
    "left_text",
    "lessons",
    "photo_lines",
    "problem",
    "virtual_dice",
]

COLOURS = ("white", "gray", "black", "purple")
"""Colours that a die can be said to have where no game says which it has."""

OTHER = "other"
"""Kind of a die that is none of those read, such as a d8 or a d20."""
SURE = 0.9
"""Readings at least this confident need no tap."""

Asked = tuple[tuple[str, int], ...]
"""Colour and count of the dice that a roll asks for, an empty colour for any; empty: nothing is asked."""


@dataclass(frozen=True, slots=True)
class SeenDie:
    """One die in a photo."""

    value: int | None
    """None where it is cocked or cannot be read."""
    colour: str
    """Empty where it is not known."""
    confidence: float
    """How sure the value is, 0 to 1."""
    x: float
    """Centre as a share of the photo's width, 0 at the left."""
    y: float
    """Centre as a share of the height, 0 at the top."""
    radius: float
    """As a share of the width."""
    others: tuple[int, ...] = ()
    """Next best values."""
    note: str = ""
    """What is the matter with it: cocked, cut, glare ..."""
    kind: str = ""
    """``d6``, ``d10``, ``d12`` or ``other``; empty where it is not told."""
    colour_confidence: float = 1.0
    """How sure the colour is, 0 to 1; it matters where dice of several colours are rolled."""


@dataclass(frozen=True, slots=True)
class Photo:
    """A photo with what was read in it."""

    width_px: int
    height_px: int
    rgb: bytes
    """Rows from the top, three bytes a pixel; the picture to show, not the one that was read."""
    sha256: str
    dice: tuple[SeenDie, ...]
    mismatches: tuple[str, ...] = ()
    """Differences from what was asked for, as they were seen."""
    advice: tuple[str, ...] = ()
    """What would make the next photo better, the most helpful first."""


@dataclass(frozen=True, slots=True)
class DraftDie:
    """One die as the table will accept it."""

    value: int | None
    colour: str
    proposed: int | None
    is_sure: bool
    seen: int = -1
    """Index of the die in the photo; -1 for one that the table added."""
    others: tuple[int, ...] = ()
    note: str = ""
    seen_colour: str = ""
    """The colour as it was proposed."""
    strange: str = ""
    """Its kind, where the roll asks for another; else empty."""
    is_value_sure: bool = False
    """Whether the value alone is sure: then only its colour is asked for."""
    kind: str = ""
    """What it is, where dice of any kind are read; empty where a roll says that."""

    @property
    def mark(self) -> str:
        """What stands for it in one short word: its value, its kind where the roll asks for another, or a question mark."""
        if self.value is not None:
            return str(self.value)
        return "–" if self.strange == OTHER else self.strange or "?"

    @property
    def is_left_out(self) -> bool:
        """Whether it is of another kind and the table has not said that it counts all the same."""
        return bool(self.strange) and self.value is None


@dataclass(frozen=True, slots=True)
class Lesson:
    """One answer of the table about one die: what had been stated and whether it was right."""

    stated: float
    """Confidence, 0 to 1."""
    is_right: bool
    is_colour: bool
    """Whether it is about the colour, not the value."""


@dataclass(frozen=True, slots=True)
class DiceDraft:
    """A roll before it is accepted."""

    dice: tuple[DraftDie, ...] = ()
    removed: tuple[DraftDie, ...] = ()
    sha256: str = ""
    asked: Asked = field(default=())

    def with_value(self, index: int, value: int) -> DiceDraft:
        """Set a die's value by hand."""
        dice = list(self.dice)
        dice[index] = replace(dice[index], value=value, is_sure=True)
        return replace(self, dice=tuple(dice))

    def with_colour(self, index: int, colour: str) -> DiceDraft:
        """Set a die's colour by hand; one whose value is sure is then settled."""
        dice = list(self.dice)
        die = dice[index]
        dice[index] = replace(die, colour=colour, is_sure=die.is_sure or die.is_value_sure)
        return replace(self, dice=tuple(dice))

    def without(self, index: int) -> DiceDraft:
        """Take out what is no die of this roll."""
        dice = list(self.dice)
        gone = dice.pop(index)
        return replace(self, dice=tuple(dice), removed=(*self.removed, gone))

    def with_die(self, value: int, colour: str) -> DiceDraft:
        """Add a die that was not seen."""
        return replace(self, dice=(*self.dice, DraftDie(value, colour, None, True)))

    @property
    def asked_here(self) -> Asked:
        """What is asked for of the colours that lie there; all that is asked for where none of them does."""
        here = {die.colour for die in self.dice}
        return tuple(pair for pair in self.asked if not pair[0] or pair[0] in here) or self.asked

    @property
    def colour_to_add(self) -> str:
        """The colour of a die that was not seen: the first that lacks one; empty where no colour is asked for."""
        for colour, count in self.asked:
            if sum(1 for die in self.dice if die.colour == colour) < count:
                return colour
        return self.asked[0][0] if self.asked else ""

    @property
    def corrected(self) -> int:
        """How many dice the table changed in value or colour, added or removed.

        A die of another kind that is taken out was seen rightly and is no correction.
        """
        changed = sum(
            1
            for die in self.dice
            if die.seen < 0 or die.value != die.proposed or die.colour != die.seen_colour
        )
        return changed + sum(1 for die in self.removed if not die.is_left_out)

    @property
    def is_as_seen(self) -> bool:
        """Whether number, kinds and colours are still those of the photo."""
        return not self.removed and all(
            die.seen >= 0 and die.colour == die.seen_colour and (die.is_left_out or not die.strange)
            for die in self.dice
        )

    def values(self, colour: str = "") -> tuple[int, ...]:
        """Return the accepted values, of one colour where it is given."""
        return tuple(
            die.value for die in self.dice if die.value is not None and (not colour or die.colour == colour)
        )

    def origin(self) -> DiceOrigin:
        """Return where the roll comes from, with what was proposed."""
        if not self.sha256:
            return DiceOrigin()
        seen = sorted((*self.dice, *self.removed), key=lambda die: die.seen)
        proposed = tuple(die.proposed for die in seen if die.seen >= 0)
        return DiceOrigin(
            DiceSource.CAMERA,
            photo_sha256=self.sha256,
            proposed=proposed,
            corrected=self.corrected,
            recoloured=sum(1 for die in self.dice if die.seen >= 0 and die.colour != die.seen_colour),
            added=sum(1 for die in self.dice if die.seen < 0),
        )


def counted_in(entries: Iterable[Entry], counts: Callable[[int], bool], sha256: str) -> Entry | None:
    """Return the newest entry that counts and whose dice were read from a photo; None where there is none."""
    found = None
    for entry in entries:
        if sha256 in _photos_of(entry.command) and counts(entry.seq):
            found = entry
    return found


def _photos_of(value: object) -> tuple[str, ...]:
    """Return the photos that a command, or a part of one, names as where its dice come from."""
    if isinstance(value, DiceOrigin):
        return value.photos
    if isinstance(value, msgspec.Struct):
        value = tuple(getattr(value, name) for name in value.__struct_fields__)
    if not isinstance(value, tuple):
        return ()
    return tuple(photo for part in value for photo in _photos_of(part))


def draft_of(photo: Photo, asked: Asked, kind: str = "") -> DiceDraft:
    """Return the draft of a fresh photo.

    A colour that can only be the one asked for is taken as that. A die of another kind gets no value.

    Args:
        kind: The kind of dice that the roll asks for; empty for any.
    """
    only = asked[0][0] if len(asked) == 1 else ""
    colour_decides = len(asked) > 1
    dice = []
    for index, die in enumerate(photo.dice):
        colour = die.colour or only
        if die.kind == OTHER or (kind and die.kind not in ("", kind)):
            note = _("this roll uses {kind}").format(kind=kind) if kind else _("another kind of die")
            dice.append(DraftDie(None, colour, None, False, index, (), note, colour, die.kind))
        else:
            is_value_sure = die.value is not None and die.confidence >= SURE
            is_colour_sure = not colour_decides or die.colour_confidence >= SURE
            note = die.note or (_("which colour is it?") if is_value_sure and not is_colour_sure else "")
            is_sure = is_value_sure and is_colour_sure
            dice.append(
                DraftDie(
                    die.value,
                    colour,
                    die.value,
                    is_sure,
                    index,
                    die.others,
                    note,
                    colour,
                    "",
                    is_value_sure,
                    kind="" if kind else die.kind,
                )
            )
    return DiceDraft(tuple(dice), (), photo.sha256, asked)


def lessons(photo: Photo, draft: DiceDraft) -> tuple[Lesson, ...]:
    """Return what an accepted draft tells of the reader's confidences.

    Only dice that the table was asked about, or corrected, were looked at; the others tell nothing. Dice of another kind,
    and those that were never given a value, do not either.
    """
    out = []
    decides = len(draft.asked) > 1
    for die in (*draft.dice, *draft.removed):
        if die.seen < 0 or die.strange or die.proposed is None:
            continue
        seen, is_die = photo.dice[die.seen], die not in draft.removed
        is_right = is_die and die.value == die.proposed
        if seen.confidence < SURE or not is_right:
            out.append(Lesson(seen.confidence, is_right, is_colour=False))
        is_named = die.colour == die.seen_colour
        if is_die and decides and (seen.colour_confidence < SURE or not is_named):
            out.append(Lesson(seen.colour_confidence, is_named, is_colour=True))
    return tuple(out)


def colour_name(colour: str) -> str:
    """Return the name of a die's colour; an en dash where it is not known."""
    return speak(Name("colour", colour)) if colour else "–"


def photo_lines(photo: Photo, draft: DiceDraft) -> tuple[str, ...]:
    """Return the one or two lines on a photo that stand under the heading.

    What differs from what was asked for stands there until the table changes number or colours; then `problem` tells.
    """
    told = "; ".join(photo.mismatches) if draft.is_as_seen else ""
    return tuple(text[0].upper() + text[1:] for text in (told, *photo.advice[:1]) if text)


def dice_text(count: int, colour: str) -> str:
    """Return so many dice of a colour in words, such as ``2 Gray dice``; `colour` is the word itself, or empty."""
    if not colour:
        return ngettext("{n} die", "{n} dice", count).format(n=count)
    return ngettext("{n} {colour} die", "{n} {colour} dice", count).format(n=count, colour=colour)


def virtual_dice(seed: int, count: int, faces: int, what: str = "") -> tuple[tuple[int, ...], DiceOrigin]:
    """Roll dice virtually: the same seed, faces and `what` they are rolled for give the same values.

    The seed comes from outside and is kept with the roll.
    """
    chance = random.Random(f"{seed}/{what}" if what else seed)
    return tuple(chance.randint(1, faces) for _die in range(count)), DiceOrigin(DiceSource.VIRTUAL, seed=seed)


def problem(draft: DiceDraft, colours: dict[str, str]) -> str:
    """Say why a draft cannot be accepted yet; empty when it can.

    Where several colours are asked for, a colour of which nothing lies there can wait for another photo.

    Args:
        colours: Colour to its name.
    """
    strange = sum(1 for die in draft.dice if die.is_left_out)
    if strange:
        return ngettext(
            "{n} die is the wrong kind: take it out", "{n} dice are the wrong kind: take them out", strange
        ).format(n=strange)
    unread = sum(1 for die in draft.dice if die.value is None)
    if unread:
        return ngettext("{n} die has no value", "{n} dice have no value", unread).format(n=unread)
    doubtful = sum(1 for die in draft.dice if not die.is_sure)
    if doubtful:
        return ngettext("Tap the doubtful die", "Tap the {n} doubtful dice", doubtful).format(n=doubtful)
    if not draft.asked:
        return "" if draft.dice else _("No dice yet")
    asked = draft.asked_here
    for colour, count in asked:
        if not colour:
            continue
        have = sum(1 for die in draft.dice if die.colour == colour)
        if have != count:
            dice = dice_text(count, colours.get(colour, colour))
            return _("{dice} needed, {have} so far").format(dice=dice, have=have)
    total = sum(count for _colour, count in asked)
    if len(draft.dice) != total:
        return ngettext(
            "{count} die needed, {have} so far", "{count} dice needed, {have} so far", total
        ).format(count=total, have=len(draft.dice))
    return ""


def left_text(draft: DiceDraft, colours: dict[str, str]) -> str:
    """Say which dice that are asked for wait for another photo; empty where all are there.

    Args:
        colours: Colour to its name.
    """
    left = [pair for pair in draft.asked if pair not in draft.asked_here]
    dice = ", ".join(dice_text(count, colours.get(colour, colour)) for colour, count in left)
    return _("Still to roll: {dice}").format(dice=dice) if dice else ""

"""The dice of a draft beside the rolls that they count for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.core.text import Typed
from companion.pages.dice import DiceDraft, colour_name, dice_text
from companion.pages.dice_sets import KINDS
from companion.pages.i18n import _
from companion.pages.page import ActId, Dice, Die

__all__ = ["DiceGroup", "dice_blocks", "groups"]

_FACES = dict(KINDS)


@dataclass(frozen=True, slots=True)
class DiceGroup:
    """One roll of a draft, or what lies there and belongs to none."""

    colour: str
    """What its dice are told by; empty for any colour."""
    asked: int
    """How many dice it asks for; 0 where nothing is asked, or where its dice count for no roll."""
    dice: tuple[int, ...]
    """Indices in the draft."""
    title: str


def groups(draft: DiceDraft) -> tuple[DiceGroup, ...]:
    """Return what a draft's dice count for, in the order in which it is asked, then what counts for nothing."""
    left = {index: die for index, die in enumerate(draft.dice) if not die.is_left_out}
    out = []
    alike = sorted({(die.kind, die.colour): None for die in left.values()}, key=lambda one: one[0])
    for kind, colour, count in (
        tuple(("", *pair) for pair in draft.asked) or tuple((*one, 0) for one in alike)
    ):  # fmt: skip
        mine = tuple(
            index for index, die in left.items() if colour in ("", die.colour) and kind in ("", die.kind)
        )
        left = {index: die for index, die in left.items() if index not in mine}
        name = colour_name(colour) if colour else ""
        title = dice_text(count or len(mine), name)
        if kind:
            title = " ".join(filter(None, (str(len(mine)), kind, name)))
        out.append(DiceGroup(colour, count, mine, title))
    taken = {index for group in out for index in group.dice}
    rest = tuple(index for index in range(len(draft.dice)) if index not in taken)
    return (
        *out,
        *(
            [DiceGroup("", 0, rest, _("Does not count") if draft.asked else _("Another kind"))]
            if rest
            else []
        ),
    )


def dice_blocks(draft: DiceDraft, faces: int, acts: Sequence[ActId | None]) -> tuple[Dice, ...]:
    """Return a draft as drawn dice: those of each roll, and an open one for each that it still lacks.

    Args:
        faces: How many faces the dice that are asked for have; what a die is itself counts for more.
        acts: What a tap on each die of the draft does.
    """
    out = []
    for number, group in enumerate(groups(draft)):
        lying = [
            Die(
                str(index),
                _FACES.get(draft.dice[index].kind, faces),
                draft.dice[index].value,
                draft.dice[index].colour,
                "plain" if draft.dice[index].is_sure else "unsure",
                act=acts[index],
            )
            for index in group.dice
        ]
        missing = range(len(lying), group.asked)
        lacking = [Die(f"{number}.{n}", faces, None, group.colour, "empty") for n in missing]
        out.append(Dice(f"dice.{number}", (*lying, *lacking), Typed(group.title)))
    return tuple(out)

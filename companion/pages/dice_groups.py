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
    alike = dict.fromkeys(sorted((die.kind, die.colour) for die in left.values()))
    asked = tuple(("", *pair) for pair in draft.asked) or tuple((*one, 0) for one in alike)
    for kind, colour, count in asked:
        mine = tuple(
            index for index, die in left.items() if colour in ("", die.colour) and kind in ("", die.kind)
        )
        left = {index: die for index, die in left.items() if index not in mine}
        name = colour_name(colour) if colour else ""
        title = _of_a_kind(len(mine), kind, name) if kind else dice_text(count or len(mine), name)
        out.append(DiceGroup(colour, count, mine, title))
    taken = {index for group in out for index in group.dice}
    rest = tuple(index for index in range(len(draft.dice)) if index not in taken)
    if rest:
        out.append(DiceGroup("", 0, rest, _("Does not count") if draft.asked else _("Another kind")))
    return tuple(out)


def _of_a_kind(n: int, kind: str, colour: str) -> str:
    """Return so many dice of a kind in words, such as ``2 d12, White``; `colour` is the word itself, or empty."""
    if not colour:
        return _("{n} {kind}").format(n=n, kind=kind)
    return _("{n} {kind}, {colour}").format(n=n, kind=kind, colour=colour)


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

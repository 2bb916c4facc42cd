"""Dice of North Africa as they are entered: the volleys of a stage beside the keys, or a photo of the dice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from companion.core.dice import DiceOrigin
from companion.core.text import Say, Typed, several
from companion.games.aana.pages.draft import CombatDraft, edit, take_up
from companion.games.aana.rules.combat import FACES
from companion.pages.entered_dice import with_read, without_last
from companion.pages.page import Act, ActId, Acts, Block, Go, Head, Item, Pad, Rows, Side, Sides, Words

__all__ = ["VolleyLine", "dice_block", "dice_say"]


class VolleyLine(NamedTuple):
    """One volley."""

    title: Words
    sub: Words | None
    dice: int
    aim: Act | None = None
    """Asks what its hits are aimed at, where the firer has a choice."""


def dice_say(dice: int, need: int) -> Say:
    """Return how many dice are rolled and what hits."""
    return Say.counted("{n} die at {need} or less", "{n} dice at {need} or less", dice, need=need)


def _own(draft: CombatDraft, lines: Iterable[VolleyLine]) -> list[tuple[VolleyLine, tuple[int, ...]]]:
    """Return each volley with the dice that are entered for it."""
    found, at = [], 0
    for line in lines:
        found.append((line, draft.values[at : at + line.dice]))
        at += line.dice
    return found


def dice_block(acts: Acts, draft: CombatDraft, lines: tuple[VolleyLine, ...], head: Head) -> Block:
    """Return the volleys and the keys side by side; the volley whose dice come next is marked.

    Args:
        head: Over the keys: how lucky the dice were, or who rolls.
    """
    entered = _own(draft, lines)
    waiting = [n for n, (line, own) in enumerate(entered) if len(own) < line.dice]
    aimed = [n for n, line in enumerate(lines) if line.aim is not None]
    at_hand = next(iter((*waiting, *aimed)), -1)
    rows = tuple(
        Item(
            f"volley.{n}",
            line.title,
            line.sub,
            several((*own, *(Typed("·"),) * (line.dice - len(own))), "sentences"),
            state="chosen" if n == at_hand else "plain",
            act=None if line.aim is None else acts.put(f"aim.{n}", line.aim),
        )
        for n, (line, own) in enumerate(entered)
    )
    wanted = sum(line.dice for line in lines)

    def enter(value: int) -> Act:
        def change(d: CombatDraft) -> CombatDraft:
            return replace(d, values=(*d.values, value)) if len(d.values) < wanted else d

        return edit(draft.key, change)

    leaves = draft.mines is not None and not draft.values
    erase = take_up() if leaves else edit(draft.key, without_last)
    keys = (
        *(Item(str(n), n, act=acts.put(f"die.{n}", enter(n))) for n in range(1, FACES + 1)),
        Item("erase", Say("Erase"), act=acts.put("erase", erase)),
        Item("photo", Say("Photo"), act=_photo(acts, draft, entered)),
    )
    dice = Head("dice", Say("Roll, then enter the dice"))
    return Sides(
        "dice",
        (Side("volleys", dice, (Rows("volleys", rows),)), Side("keys", head, (Pad("keys", keys),))),
    )


def _photo(acts: Acts, draft: CombatDraft, entered: list[tuple[VolleyLine, tuple[int, ...]]]) -> ActId | None:
    """Return the act that reads the dice that the volley at hand still lacks from a photo; None where all are there.

    They are added to what stands there: the volleys of one stage are sent together.
    """
    waiting = next(((line, own) for line, own in entered if len(own) < line.dice), None)
    if waiting is None:
        return None
    line, own = waiting

    def record(values: tuple[int, ...], origin: DiceOrigin) -> dict[str, Any]:
        return {"draft": with_read(draft, values, origin)}

    args = {
        "kind": "d10",
        "asked": (("", line.dice - len(own)),),
        "what": line.title,
        "back": ("aana_combat", {"draft": draft}),
        "record": record,
    }
    return acts.put("photo", Go("dice", args=args))

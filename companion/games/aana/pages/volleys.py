"""Dice of North Africa as they are entered: the volleys of a stage beside the keys, or a photo of the dice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from companion.core.dice import DiceOrigin
from companion.core.text import Say, Typed, several
from companion.games.aana.pages.draft import CombatDraft, edit, take_up
from companion.games.aana.rules.combat import FACES
from companion.pages.entered_dice import dice_buttons, with_read, without_last
from companion.pages.page import (
    Act,
    ActId,
    Acts,
    Banner,
    Block,
    Button,
    Dice,
    Die,
    Go,
    Item,
    Mark,
    Pad,
    Rows,
    Side,
    Sides,
    Sight,
    Words,
    asked,
)

__all__ = ["VolleyLine", "dice_blocks", "dice_foot", "dice_say"]


class VolleyLine(NamedTuple):
    """One volley."""

    title: Words
    sub: Words | None
    dice: int
    aim: Act | None = None
    """Asks what its hits are aimed at, where the firer has a choice."""
    need: int = 0
    """A die hits on this or less."""
    symbol: str = ""
    """Of the units that fire."""
    units: Words | None = None
    """Who fires, for a low line; none: the title is short enough."""


_TALL = 3
"""So many volleys stand on lines that a finger can pick; more, of which nothing is to be picked, on low ones."""


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


def dice_blocks(
    acts: Acts, draft: CombatDraft, lines: tuple[VolleyLine, ...], who: Mark, note: Words | None = None
) -> tuple[Block, ...]:
    """Return who rolls which dice, the volleys, and the keys under the dice of the one at hand.

    Args:
        who: Whose dice they are.
        note: What is said of them, such as how lucky the dice have been.
    """
    entered = _own(draft, lines)
    waiting = [n for n, (line, own) in enumerate(entered) if len(own) < line.dice]
    aimed = [n for n, line in enumerate(lines) if line.aim is not None]
    at_hand = next(iter((*waiting, *aimed)), -1)
    is_dense = len(lines) > _TALL
    rows = tuple(
        Item(
            f"volley.{n}",
            line.units if is_dense and line.units is not None else line.title,
            _low_say(line) if is_dense else line.sub,
            several((*own, *(Typed("–"),) * (line.dice - len(own))), "sentences"),
            symbol=line.symbol,
            state="chosen" if n == at_hand else "plain",
            act=None if is_dense or line.aim is None else acts.put(f"aim.{n}", line.aim),
        )
        for n, (line, own) in enumerate(entered)
    )
    wanted = sum(line.dice for line in lines)

    def enter(value: int) -> Act:
        def change(d: CombatDraft) -> CombatDraft:
            return replace(d, values=(*d.values, value)) if len(d.values) < wanted else d

        return edit(draft.key, change)

    keys = tuple(
        Item(str(n), n, act=acts.put(f"die.{n}", enter(n)) if waiting else None) for n in range(1, FACES + 1)
    )
    pad: tuple[Block, ...] = (*_lying(entered, at_hand), Pad("keys", keys, columns=5))
    return (
        _banner(entered, at_hand, who, note),
        Sides(
            "dice",
            (Side("volleys", None, (Rows("volleys", rows, is_dense=is_dense),)), Side("keys", None, pad)),
        ),
    )


def _banner(
    entered: list[tuple[VolleyLine, tuple[int, ...]]], at_hand: int, who: Mark, note: Words | None
) -> Banner:
    """Return who rolls, how many dice are still to come in the volley at hand, and what hits."""
    name = who.name or 0
    if at_hand < 0:
        return Banner("roll", Say("{who}: all dice are in", who=name), note, mark=who)
    line, own = entered[at_hand]
    left = line.dice - len(own)
    dice = Say.counted("{n} die", "{n} dice", left or line.dice)
    title = Say("{who} to roll: {dice}", who=name, dice=dice)
    if not left:
        title = Say("{who} chooses what is hit", who=name)
    return Banner("roll", title, note, Say("1–{n}", n=line.need), Say("hits"), who, line.symbol)


def _lying(entered: list[tuple[VolleyLine, tuple[int, ...]]], at_hand: int) -> Iterator[Dice]:
    """Yield the dice of the volley at hand, or of the last one once all are there."""
    if not entered:
        return
    line, own = entered[at_hand]
    lying = tuple(
        Die(str(n), FACES, value, "", "hit" if value <= line.need else "miss") for n, value in enumerate(own)
    )
    open_ = tuple(
        Die(str(n), FACES, None, "", "unsure" if n == len(own) else "empty")
        for n in range(len(own), line.dice)
    )
    yield Dice("dice", (*lying, *open_))


def dice_foot(  # noqa: PLR0917
    sight: Sight, acts: Acts, draft: CombatDraft, lines: tuple[VolleyLine, ...], roll: ActId, take: Button
) -> tuple[Button, Button | None, tuple[Button, ...]]:
    """Return main act, second act and tools of a page of dice; once all dice are there `take` is its main act."""
    leaves = draft.mines is not None and not draft.values
    erase = take_up() if leaves else edit(draft.key, without_last)
    erasing = Button(Say("Erase"), acts.put("erase", erase) if leaves or draft.values else None, "backspace")
    read = _photo(acts, draft, _own(draft, lines))
    if read is None:
        return take, _aiming(acts, lines), (erasing,)
    left = sum(line.dice for line in lines) - len(draft.values)
    missing = Say.counted("Type {n} die", "Type {n} dice", left)
    main, second, photo = dice_buttons(sight, read, roll, missing)
    return main, second, (erasing, *photo)


def _low_say(line: VolleyLine) -> Words:
    """Return what stands behind who fires on a low line: what its hits are aimed at, else how many dice hit at what."""
    return line.sub if line.aim is not None and line.sub is not None else dice_say(line.dice, line.need)


def _aiming(acts: Acts, lines: tuple[VolleyLine, ...]) -> Button | None:
    """Return the way to choose what is hit, of several volleys that may, of which; None where none may."""
    aims = {str(n): line.aim for n, line in enumerate(lines) if line.aim is not None}
    if not aims:
        return None
    ask = next(iter(aims.values()))
    if len(aims) > 1:
        options = tuple(Item(n, lines[int(n)].title, symbol=lines[int(n)].symbol) for n in aims)
        ask = asked("aimed", Say("Whose hits?"), options, lambda n: aims[n])
    return Button(Say("Choose what is hit"), acts.put("aimed", ask))


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

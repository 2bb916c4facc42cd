"""The dice of a battle being fought: who rolls, on what they hit, and the keys under them; face by face, or the hits alone."""

from __future__ import annotations

import secrets
from collections import Counter as Counted
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from companion.core.dice import DiceOrigin, Die, DieColour, DieKind, Roll
from companion.core.state import GameState
from companion.core.text import Count, Name, Say, Value, several, unit
from companion.games.sfw.pages.battle_course import BattleView, RollLine
from companion.games.sfw.pages.battle_draft import BattleDraft, enter, look
from companion.games.sfw.pages.battle_fight import lost_say, mark_of, step_page
from companion.games.sfw.pages.tell import targets_say
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import SIDES
from companion.games.sfw.rules.battle_progress import due_rolls
from companion.games.sfw.rules.battle_rolls import Reason
from companion.games.sfw.rules.named import colour, some_dice
from companion.pages.dice import virtual_dice
from companion.pages.entered_dice import dice_buttons
from companion.pages.page import (
    Act,
    Acts,
    Banner,
    Button,
    Dice,
    Go,
    Item,
    Mark,
    Pad,
    Page,
    Rows,
    Send,
    Side,
    Sides,
    Sight,
)
from companion.pages.page import Die as DieShown
from companion.pages.parts import nation_mark
from companion.pages.symbols import unit_symbol

if TYPE_CHECKING:
    from companion.pages.dice import DiceDraft

__all__ = [
    "hits_command",
    "lines_together",
    "may_tell_hits",
    "read_command",
    "roll_command",
    "roll_page",
    "virtual_values",
]

_TALL_ROWS = 3
"""Groups that roll in a step on lines that a finger can pick; more stand on low lines, all in sight at once."""


def roll_command(
    battle: str, line: RollLine, values: Sequence[int], origin: DiceOrigin | None = None
) -> bc.RecordRoll:
    """Return the command for dice typed, read or rolled for one line."""
    dice = tuple(Die(DieColour(line.colour), value) for value in values)
    return bc.RecordRoll(battle, (line.index,), Roll(DieKind.D12, dice, origin or DiceOrigin()))


def may_tell_hits(line: RollLine) -> bool:
    """Say whether the number of hits says all that a line's dice do: a 12 does nothing else."""
    return not line.volley.has_twelves


def hits_command(battle: str, line: RollLine, hits: int) -> bc.RecordRoll:
    """Return the command for a line of whose dice only the number of hits is told."""
    return roll_command(battle, line, (0,) * line.dice, DiceOrigin(hits=hits))


def lines_together(lines: Sequence[RollLine], at_hand: RollLine) -> tuple[RollLine, ...]:
    """Return the lines whose dice one photo can show: the waiting ones of the side at hand that colours tell apart.

    The line at hand is among them; where another one of its side waits for dice of its colour, it is alone.
    """
    waiting = [line for line in lines if line.dice and line.side == at_hand.side]
    colours = Counted(line.colour for line in waiting)
    if colours[at_hand.colour] > 1:
        return (at_hand,)
    return tuple(line for line in waiting if colours[line.colour] == 1)


def read_command(battle: str, lines: Sequence[RollLine], draft: DiceDraft) -> bc.RecordRoll:
    """Return the command for dice read from a photo, for those of the lines whose dice are all there."""
    read = [(line, draft.values(line.colour)) for line in lines]
    whole = [(line, values) for line, values in read if len(values) == line.dice]
    dice = tuple(Die(DieColour(line.colour), value) for line, values in whole for value in values)
    roll = Roll(DieKind.D12, dice, draft.origin())
    return bc.RecordRoll(battle, tuple(line.index for line, _values in whole), roll)


def virtual_values(line: RollLine, seed: int) -> tuple[tuple[int, ...], DiceOrigin]:
    """Roll a line's dice virtually: the same seed, line and dice give the same values."""
    return virtual_dice(seed, line.dice, 12, f"{line.index}/{len(line.values)}")


# The page


def roll_page(sight: Sight, acts: Acts, view: BattleView, draft: BattleDraft) -> Page:
    """Return who rolls, every group of the step, and the keys for the dice, or the hits, of the one at hand."""
    state, progress = sight.state, view.declared.progress
    draft = draft.at(progress)
    waiting = [line for line in view.lines if line.dice]
    line = next((one for one in waiting if one.index == draft.line), waiting[0])
    battle, typed = view.declared.id, draft.typed
    is_hits = draft.is_hits and may_tell_hits(line)

    def face(value: int) -> Act:
        values = (*typed, value)
        if len(values) == line.dice:
            return Send(roll_command(battle, line, values))
        return enter(progress, lambda d: replace(d, line=line.index, typed=(*d.typed, value)))

    def rolled(_at_ms: int) -> bc.RecordRoll:
        return roll_command(battle, line, *virtual_values(line, secrets.randbits(31)))

    together = lines_together(view.lines, line)
    args = {
        "kind": "d12",
        "asked": tuple((one.colour, one.dice) for one in together),
        "back": ("battle", {"draft": draft}),
        "command": lambda dice: read_command(battle, together, dice),
    }
    read, roll = acts.put("read", Go("dice", args=args)), acts.put("virtual", Send(rolled))
    left = some_dice(line.dice - len(typed), line.colour)
    missing = Say("Tap how many hit") if is_hits else Say("Type {dice}", dice=left)
    main, second, photo = dice_buttons(sight, read, roll, missing)
    if is_hits:
        told = {n: Send(hits_command(battle, line, n)) for n in range(line.dice + 1)}
        keys = tuple(Item(str(n), n, act=acts.put(f"hits.{n}", act)) for n, act in told.items())
    else:
        keys = tuple(Item(str(n), n, act=acts.put(f"face.{n}", face(n))) for n in range(1, 13))
    erased = enter(progress, lambda d: replace(d, typed=d.typed[:-1]))
    erase = Button(Say("Erase"), acts.put("erase", erased), "backspace")
    turned = acts.put("hits", look(is_hits=not is_hits, typed=()))
    alone = Button(Say("Hits only"), turned, is_on=is_hits)
    tools = (*((alone,) if may_tell_hits(line) else ()), *photo)
    lying = _dice(line, typed, is_hits=is_hits)
    pad = (lying, Pad("pad", keys, columns=6))
    columns = (Side("lines", None, (_roll_rows(state, acts, view, line, draft),)), Side("pad", None, pad))
    lead = None if typed else lost_say(state, view)
    page = step_page(view, (_banner(state, view, line), Sides("dice", columns)), main, lead=lead)
    return replace(page, tools=(erase, *photo) if typed else tools, second=second)


def _banner(state: GameState, view: BattleView, line: RollLine) -> Banner:
    """Return who rolls which dice and what hits, in the roller's colour."""
    mark = _line_mark(state, view, line)
    who, dice = mark.name or 0, some_dice(line.dice, line.colour)
    title = Say("{who} to roll: {dice}", who=who, dice=dice)
    if line.values:  # a 12 gave an extra shot
        title = Say("{who} to roll again: {dice}", who=who, dice=dice)
    symbol = _symbol(state, line)
    return Banner("roll", title, _aim(line), Say("{n}+", n=line.number), Say("hits"), mark, symbol)


def _symbol(state: GameState, line: RollLine) -> str:
    return unit_symbol(state, line.line.units[0]) if line.line.units else ""


def _dice(line: RollLine, typed: tuple[int, ...], *, is_hits: bool) -> Dice:
    """Return the dice of a line: those that are entered with what they hit, the others to come.

    None is asked for by itself where only the hits are told.
    """
    lying = tuple(
        DieShown(str(n), 12, value, line.colour, "hit" if value >= line.number else "miss")
        for n, value in enumerate(typed)
    )
    open_ = tuple(
        DieShown(str(n), 12, None, line.colour, "unsure" if n == len(typed) and not is_hits else "empty")
        for n in range(len(typed), line.dice)
    )
    return Dice("dice", (*lying, *open_))


def _roll_rows(state: GameState, acts: Acts, view: BattleView, line: RollLine, draft: BattleDraft) -> Rows:
    """Return the groups of the step with their hits, the one at hand marked; many of them on low lines."""
    silent = tuple(_silent_rows(state, view))
    is_dense = len(view.lines) + len(silent) > _TALL_ROWS
    so_far = sum(value >= line.number for value in draft.typed)
    rows = tuple(
        _line_row(state, acts, view, one, line, so_far=so_far, is_dense=is_dense) for one in view.lines
    )
    return Rows("lines", (*rows, *silent), is_dense=is_dense)


def _line_mark(state: GameState, view: BattleView, line: RollLine) -> Mark:
    if line.line.nation:
        return nation_mark(state.frozen_setup, line.line.nation)
    return mark_of(state, view, line.side)


def _shot(line: RollLine) -> Say:
    return Say("{dice} at {number} or more", dice=some_dice(line.dice, line.colour), number=line.number)


def _aim(line: RollLine) -> Value:
    """Return the targets of a line, with what its twelves do."""
    volley = line.volley
    twelves = [
        text
        for has, text in (
            (volley.extra_shot, Say("12 rolls again")),
            (volley.level_up, Say("12 is one level up")),
            (volley.precise, Say("12 is precise")),
        )
        if has
    ]
    return several((Say("against {targets}", targets=targets_say(volley.aim.types)), *twelves), "comma")


def _line_row(
    state: GameState,
    acts: Acts,
    view: BattleView,
    line: RollLine,
    at_hand: RollLine,
    *,
    so_far: int,
    is_dense: bool,
) -> Item:
    mark = _line_mark(state, view, line)
    title = line.units if is_dense else Say("{who}: {units}", who=mark.name or Say("–"), units=line.units)
    symbol, key = _symbol(state, line), str(line.index)
    if not line.dice:
        values = several(line.values, "comma")
        rolled = Say("rolled {values}", values=values) if all(line.values) else Say("Hits only")
        hits = Say.counted("{n} hit", "{n} hits", line.hits)
        return Item(key, title, rolled, hits, mark, symbol, "ok" if line.hits else "done")
    pick = enter(view.declared.progress, lambda d: replace(d, line=line.index, typed=()))
    is_at_hand = line.index == at_hand.index
    hits_now = line.hits + (so_far if is_at_hand else 0)
    value = Say("{n} so far", n=hits_now) if hits_now else None
    act = None if is_dense else acts.put(f"line.{line.index}", pick)
    shot = Say("{colour}, {n}+", colour=colour(line.colour), n=line.number) if is_dense else _shot(line)
    if all(line.values) and line.values:  # a 12 gave an extra shot: what was rolled before it
        shot = Say("rolled {values}, and again", values=several(line.values, "comma"))
    return Item(key, title, shot, value, mark, symbol, "chosen" if is_at_hand else "plain", act)


def _silent_rows(state: GameState, view: BattleView) -> Iterator[Item]:
    """Yield the kinds that do not roll on this step, though it is theirs."""
    progress, course = view.declared.progress, view.course
    if progress is None or course is None:
        return
    for side, part in zip(SIDES, due_rolls(course, progress), strict=True):
        for silent in part.silent:
            if silent.reason not in (Reason.OTHER_STEP, Reason.NO_FIREPOWER):
                kind = course.fight.kinds(side)[silent.kind]
                told = Count(silent.units, unit(kind.unit.id))
                mark = nation_mark(state.frozen_setup, kind.nation)
                yield Item(
                    f"silent.{side}.{silent.kind}",
                    told,
                    Name("reason", silent.reason),
                    mark=mark,
                    state="muted",
                )

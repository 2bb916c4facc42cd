"""A battle being fought, for the screen: the roll list, casualties, combined fire, retreat, and what taps send."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from companion.core.dice import DiceOrigin, Die, DieColour, DieKind, Roll
from companion.core.state import GameState
from companion.core.text import Name
from companion.games.sfw.pages.battle_words import COLOURS, hits_text, name_of, targets_text
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, SIDES
from companion.games.sfw.rules.battle_losses import combinations
from companion.games.sfw.rules.battle_play import best_combination
from companion.games.sfw.rules.battle_progress import Course, due_rolls, may_retreat, open_losses, volley_of
from companion.games.sfw.rules.battle_record import Declared, Line, Progress
from companion.games.sfw.rules.battle_rolls import Reason
from companion.games.sfw.rules.battle_state import side_id
from companion.pages.dice import DiceDraft, virtual_dice
from companion.pages.frame import Mark, mark, nation_mark
from companion.pages.i18n import _
from companion.pages.speak import speak

__all__ = [
    "CombineChoice",
    "LossChoice",
    "LossRow",
    "RetreatChoice",
    "RollLine",
    "SilentRow",
    "combine_choice",
    "lines_together",
    "loss_choices",
    "loss_command",
    "read_command",
    "retreat_choice",
    "retreat_command",
    "roll_command",
    "roll_lines",
    "silent_rows",
    "virtual_values",
]


@dataclass(frozen=True, slots=True)
class RollLine:
    """One line of the roll list."""

    index: int
    side: str
    mark: Mark
    units: str
    """Such as ``2 Tank``."""
    dice: int
    """Dice to roll now; 0 when done."""
    colour: str
    colour_name: str
    number: int
    targets: str
    abilities: str
    values: tuple[int, ...]
    hits: int
    is_extra: bool
    """These are bonus dice of an extra shot."""


@dataclass(frozen=True, slots=True)
class SilentRow:
    """A kind that does not roll on this step."""

    mark: Mark
    units: str
    why: str


@dataclass(frozen=True, slots=True)
class LossRow:
    """A kind of which casualties can be taken."""

    kind: int
    mark: Mark
    name: str
    count: int
    proposed: int
    cost: int


@dataclass(frozen=True, slots=True)
class LossChoice:
    """Casualties that a side owes."""

    side: str
    mark: Mark
    by_shooter: bool
    """A precise hit: the other side chooses."""
    hits: str
    rows: tuple[LossRow, ...]
    proposal: bc.ChooseLosses


@dataclass(frozen=True, slots=True)
class CombineChoice:
    """To what the hits of 7A may combine; the first is the proposal."""

    options: tuple[tuple[str, bc.CombineHits], ...]


@dataclass(frozen=True, slots=True)
class RetreatChoice:
    """Defending units that may leave a space."""

    mark: Mark
    space: str
    rows: tuple[LossRow, ...]
    stand: bc.StandFast


def roll_lines(
    state: GameState, declared: Declared, course: Course, progress: Progress
) -> tuple[RollLine, ...]:
    if not progress.lines:
        return ()
    both = due_rolls(course, progress)
    found = []
    for index, (line, thrown) in enumerate(zip(progress.lines, progress.thrown, strict=True)):
        part = both[0 if line.side == ATTACKING else 1]
        volley = volley_of(line, both)
        units = ", ".join(
            f"{part.volleys[n].units} {name_of(state, part.volleys[n].source)}" for n in line.volleys
        )
        abilities = [
            text
            for has, text in (
                (volley.extra_shot, _("12 rolls again")),
                (volley.level_up, _("12 is one level up")),
                (volley.precise, _("12 is precise")),
            )
            if has
        ]
        found.append(
            RollLine(
                index,
                line.side,
                _line_mark(state, declared, line),
                units,
                thrown.waiting,
                line.colour,
                _(COLOURS.get(line.colour, line.colour)),
                line.number,
                targets_text(volley.aim.types),
                ", ".join(abilities),
                tuple(value for roll in thrown.rolls for value in roll.values()),
                thrown.hits,
                bool(thrown.rolls) and thrown.waiting > 0,
            )
        )
    return tuple(found)


def _line_mark(state: GameState, declared: Declared, line: Line) -> Mark:
    if line.nation:
        return nation_mark(state.frozen_setup, line.nation)
    return mark(state.frozen_setup, side_id(state, declared.attacker, line.side))


def silent_rows(state: GameState, course: Course, progress: Progress) -> tuple[SilentRow, ...]:
    found = []
    for side, part in zip(SIDES, due_rolls(course, progress), strict=True):
        for silent in part.silent:
            if silent.reason in (Reason.OTHER_STEP, Reason.NO_FIREPOWER):
                continue
            kind = course.fight.kinds(side)[silent.kind]
            found.append(
                SilentRow(
                    nation_mark(state.frozen_setup, kind.nation),
                    f"{silent.units} {name_of(state, kind.unit.id)}",
                    speak(Name("reason", silent.reason), state),
                )
            )
    return tuple(found)


def loss_choices(
    state: GameState, declared: Declared, course: Course, progress: Progress
) -> tuple[LossChoice, ...]:
    found = []
    for side in SIDES:
        choice = open_losses(progress, side)
        if choice is None or not progress.owed or declared.status != "fighting":
            continue
        counts, hits, by_shooter = choice
        proposed = course.tables[side].proposal(counts, hits)
        reachable = {
            index
            for losses in course.tables[side].legal(counts, hits)
            for index, loss in enumerate(losses)
            if loss
        }
        rows = tuple(
            LossRow(
                kind.index,
                nation_mark(state.frozen_setup, kind.nation),
                name_of(state, kind.unit.id),
                counts[kind.index],
                proposed[kind.index],
                kind.cost,
            )
            for kind in course.fight.kinds(side)
            if kind.index in reachable
        )
        losses = tuple(bc.UnitLosses(index, loss) for index, loss in enumerate(proposed) if loss)
        found.append(
            LossChoice(
                side,
                mark(state.frozen_setup, side_id(state, declared.attacker, side)),
                by_shooter,
                hits_text(hits, course.fight.table.levels),
                rows,
                bc.ChooseLosses(declared.id, side, losses),
            )
        )
    return tuple(found)


def combine_choice(declared: Declared, course: Course, progress: Progress) -> CombineChoice | None:
    owed = next((entry for entry in progress.owed if entry.to_combine), None)
    if owed is None or declared.status != "fighting":
        return None
    levels = course.fight.table.levels
    hits = (*owed.precise, *owed.plain)
    best = best_combination(hits, progress.counts(owed.side), course.tables[owed.side])
    options = sorted(combinations(hits, len(levels)), key=lambda option: option != best)
    return CombineChoice(
        tuple((hits_text(option, levels), bc.CombineHits(declared.id, option)) for option in options)
    )


def retreat_choice(
    state: GameState, declared: Declared, course: Course, progress: Progress
) -> RetreatChoice | None:
    if declared.status != "fighting" or not may_retreat(course.fight, progress):
        return None
    kinds = course.fight.defending
    sources = [kind.source for kind in kinds if kind.role == "leaving"]
    rows = tuple(
        LossRow(
            index,
            nation_mark(state.frozen_setup, kinds[index].nation),
            name_of(state, kinds[index].unit.id),
            progress.defending[index],
            0,
            kinds[index].cost,
        )
        for index in sources
        if progress.defending[index]
    )
    side = side_id(state, declared.attacker, "defending")
    return RetreatChoice(mark(state.frozen_setup, side), declared.space, rows, bc.StandFast(declared.id))


def loss_command(battle: str, choice: LossChoice, chosen: Sequence[tuple[int, int]]) -> bc.ChooseLosses:
    """Return the command for casualties chosen by hand: pairs of kind and count."""
    return bc.ChooseLosses(
        battle, choice.side, tuple(bc.UnitLosses(kind, count) for kind, count in chosen if count)
    )


def retreat_command(battle: str, chosen: Sequence[tuple[int, int]], to: str = "") -> bc.RetreatUnits:
    """Return the command for units that leave: pairs of kind and count."""
    return bc.RetreatUnits(battle, tuple(bc.UnitLosses(kind, count) for kind, count in chosen if count), to)


def roll_command(
    battle: str, line: RollLine, values: Sequence[int], origin: DiceOrigin | None = None
) -> bc.RecordRoll:
    """Return the command for dice typed, read or rolled for one line."""
    dice = tuple(Die(DieColour(line.colour), value) for value in values)
    return bc.RecordRoll(battle, (line.index,), Roll(DieKind.D12, dice, origin or DiceOrigin()))


def lines_together(lines: Sequence[RollLine], at_hand: RollLine) -> tuple[RollLine, ...]:
    """Return the lines whose dice one photo can show: the waiting ones of the side at hand that colours tell apart.

    The line at hand is among them; where another one of its side waits for dice of its colour, it is alone.
    """
    waiting = [line for line in lines if line.dice and line.side == at_hand.side]
    colours = Counter(line.colour for line in waiting)
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

"""A battle being fought as its screens need it: the dice to roll, the losses that are owed, what may fire together or leave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Name, Value
from companion.games.sfw.pages.tell import counts_say, hits_say
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import SIDES, Kind
from companion.games.sfw.rules.battle_combine import combinations
from companion.games.sfw.rules.battle_play import best_combination
from companion.games.sfw.rules.battle_progress import Course, due_rolls, may_retreat, open_losses, volley_of
from companion.games.sfw.rules.battle_record import Declared, Line, Progress
from companion.games.sfw.rules.battle_rolls import Volley
from companion.games.sfw.rules.battle_state import conduct_of, fight_of, loss_tables

__all__ = ["BattleView", "LossChoice", "RollLine", "battle_view"]


Phase = Literal["compose", "roll", "losses", "combine", "retreat", "pass", "over"]
"""What a battle that is open asks for next."""


class RollLine(msgspec.Struct, frozen=True):
    """One line of the roll list."""

    index: int
    line: Line
    volley: Volley
    units: Value
    """Such as ``2 Tanks``."""
    dice: int
    """Dice to roll now; 0 when done."""
    values: tuple[int, ...]
    hits: int

    @property
    def side(self) -> str:
        """Whose it is."""
        return self.line.side

    @property
    def colour(self) -> str:
        """Of the dice."""
        return self.line.colour

    @property
    def number(self) -> int:
        """Hits at this number or more."""
        return self.line.number


class LossChoice(msgspec.Struct, frozen=True):
    """Casualties that a side owes."""

    side: str
    by_shooter: bool
    """A precise hit: the other side chooses."""
    hits: Value
    kinds: tuple[Kind, ...]
    """Of which casualties can be taken."""
    counts: tuple[int, ...]
    """How many of each kind of the side there are."""
    proposed: tuple[int, ...]
    legal: tuple[tuple[int, ...], ...]
    """Every choice that pays the hits, as casualties by kind of the side."""
    hangs_on_order: bool = False
    """Whether the table's ruling on how several hits are paid decides what may be lost."""

    def command(self, battle: str, chosen: Mapping[str, int]) -> bc.ChooseLosses:
        """Return the command for casualties by ``side.kind``; those that nobody touched are as proposed."""
        losses = ((one.index, self.chosen(chosen, one)) for one in self.kinds)
        return bc.ChooseLosses(battle, self.side, tuple(bc.UnitLosses(kind, n) for kind, n in losses if n))

    def chosen(self, chosen: Mapping[str, int], kind: Kind) -> int:
        """Return how many of a kind are lost."""
        return chosen.get(f"{self.side}.{kind.index}", self.proposed[kind.index])

    def is_proposed(self, chosen: Mapping[str, int]) -> bool:
        """Say whether the losses are those that were filled in."""
        return all(self.chosen(chosen, kind) == self.proposed[kind.index] for kind in self.kinds)

    def bounds(self, kind: Kind) -> tuple[int, int]:
        """Return how many of a kind are lost at least and at most, whichever choice is made."""
        counts = [losses[kind.index] for losses in self.legal]
        return min(counts), max(counts)

    def changed(self, chosen: Mapping[str, int], kind: Kind, by: int) -> dict[str, int]:
        """Return the choice next to the one at hand that loses more of a kind (`by` 1) or fewer (-1).

        All that has to change with it, changes: every choice pays the hits. The same where there is none.
        """
        now = [chosen.get(f"{self.side}.{n}", one) for n, one in enumerate(self.proposed)]

        def apart(losses: tuple[int, ...]) -> tuple[int, int]:
            return abs(losses[kind.index] - now[kind.index]), sum(
                abs(one - other) for one, other in zip(losses, now, strict=True)
            )

        others = [one for one in self.legal if (one[kind.index] - now[kind.index]) * by > 0]
        found = min(others, key=apart, default=tuple(now))
        return {**chosen, **{f"{self.side}.{n}": count for n, count in enumerate(found)}}


class BattleView(msgspec.Struct, frozen=True):
    """How a battle stands."""

    declared: Declared
    phase: Phase
    course: Course | None = None
    """None before the battle, and where its figures no longer fit."""
    fault: Rejected | None = None
    lines: tuple[RollLine, ...] = ()
    losses: tuple[LossChoice, ...] = ()
    combine: tuple[tuple[Value, bc.CombineHits], ...] = ()
    """To what the hits of 7A may combine; the first is the proposal."""
    leaving: tuple[Kind, ...] = ()
    """Defending units that may leave the space."""

    @property
    def step(self) -> Name:
        """The battle step at hand."""
        progress = self.declared.progress
        return Name("battle_step", "end" if progress is None else progress.step)


def battle_view(state: GameState, declared: Declared) -> BattleView:
    """Return how a battle stands and what it asks for."""
    progress = declared.progress
    if declared.status == "declared":
        return BattleView(declared, "compose")
    fight = fight_of(state, declared) if progress is not None else None
    if progress is None or fight is None:
        return BattleView(declared, "over")
    if isinstance(fight, Rejected):
        return BattleView(declared, "over", fault=fight)
    course = Course(fight, conduct_of(state, declared), loss_tables(fight))
    if declared.status != "fighting":
        return BattleView(declared, "over", course, lines=_lines(course, progress))
    combine = _combine(declared, course, progress)
    if combine:
        return BattleView(declared, "combine", course, combine=combine)
    losses = tuple(_losses(course, progress))
    if losses:
        return BattleView(declared, "losses", course, losses=losses)
    if may_retreat(fight, progress):
        return BattleView(declared, "retreat", course, leaving=_leaving(course, progress))
    lines = _lines(course, progress)
    return BattleView(declared, "roll" if lines else "pass", course, lines=lines)


def _lines(course: Course, progress: Progress) -> tuple[RollLine, ...]:
    if not progress.lines:
        return ()
    both = due_rolls(course, progress)
    found = []
    for index, (line, thrown) in enumerate(zip(progress.lines, progress.thrown, strict=True)):
        volleys = both[SIDES.index(line.side)].volleys
        units = counts_say((volleys[n].source, volleys[n].units) for n in line.volleys)
        values = tuple(value for roll in thrown.rolls for value in roll.values())
        volley = volley_of(line, both)
        found.append(RollLine(index, line, volley, units, thrown.waiting, values, thrown.hits))
    return tuple(found)


def _losses(course: Course, progress: Progress) -> Iterator[LossChoice]:
    for side in SIDES if progress.owed else ():
        choice = open_losses(progress, side)
        if choice is None:
            continue
        counts, hits, by_shooter = choice
        table = course.tables[side]
        legal = tuple(dict.fromkeys(map(tuple, table.legal(counts, hits))))
        reachable = {n for losses in legal for n, loss in enumerate(losses) if loss}
        kinds = tuple(kind for kind in course.fight.kinds(side) if kind.index in reachable)
        told = hits_say(hits, course.fight.table.levels)
        yield LossChoice(side, by_shooter, told, kinds, tuple(counts), tuple(table.proposal(counts, hits)),
                         legal, table.hangs_on_order(counts, hits))  # fmt: skip


def _combine(
    declared: Declared, course: Course, progress: Progress
) -> tuple[tuple[Value, bc.CombineHits], ...]:
    owed = next((entry for entry in progress.owed if entry.to_combine), None)
    if owed is None:
        return ()
    levels = course.fight.table.levels
    hits = (*owed.precise, *owed.plain)
    best = best_combination(hits, progress.counts(owed.side), course.tables[owed.side])
    options = sorted(combinations(hits, len(levels)), key=lambda option: option != best)
    return tuple((hits_say(option, levels), bc.CombineHits(declared.id, option)) for option in options)


def _leaving(course: Course, progress: Progress) -> tuple[Kind, ...]:
    kinds = course.fight.defending
    return tuple(
        kinds[kind.source] for kind in kinds if kind.role == "leaving" and progress.defending[kind.source]
    )

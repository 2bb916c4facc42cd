"""The decisions of an evening that cost most: losses and retreats against the best that the same moment offered.

Only on request, since every decision is worked out against all others, and never under tournament time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.core.ids import Side
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Say, Typed, Value
from companion.games.sfw.odds.coach import BestPlay
from companion.games.sfw.odds.states import TooLargeError
from companion.games.sfw.pages.tell import counts_say
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Counts, Fight, other_side
from companion.games.sfw.rules.battle_fire import missing
from companion.games.sfw.rules.battle_progress import open_losses
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_state import battles_of, fight_of, side_id
from companion.games.sfw.rules.named import space as space_of
from companion.pages.film.fold import folded
from companion.pages.modules import modules
from companion.pages.report_parts import ReportSource

__all__ = ["Decision", "costly"]

_MOST = 3
_EQUAL = 1e-6
"""Chances closer than this are the same decision."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision, against the best that there was."""

    seq: int
    battle: Value
    side: Side
    chosen: Value
    better: Value
    was: float
    """Chance to take or hold the space after it, both sides' later losses as the coach has them."""
    best: float

    @property
    def cost(self) -> float:
        """Chance that it cost."""
        return self.best - self.was


def costly(source: ReportSource, most: int = _MOST) -> tuple[Decision, ...]:
    """Return the decisions that cost most of the chance to take or hold the space, dearest first. Slow."""
    found = [one for one in _decisions(source) if one.cost > _EQUAL]
    return tuple(sorted(found, key=lambda one: -one.cost)[:most])


def _decisions(source: ReportSource) -> Iterator[Decision]:
    rules = modules()[source.change.state.frozen_setup.game].rules()
    own = battles_of(source.change.state)
    ends = {_key(one): one for one in (*own.history, *own.battles)}
    for entry, before, _after in folded(rules, source):
        command = entry.command
        if not isinstance(command, bc.ChooseLosses | bc.RetreatUnits | bc.StandFast):
            continue
        declared = battles_of(before).find(command.battle)
        if declared is None or declared.progress is None or declared.battle.occasion != "battle":
            continue
        fight = fight_of(before, declared)
        if isinstance(fight, Rejected) or missing(fight):
            continue
        try:
            if isinstance(command, bc.ChooseLosses):
                found = _losses(
                    before, entry.seq, command, (declared, ends.get(_key(declared), declared)), fight
                )
            else:
                found = _retreat(before, entry.seq, command, declared, fight)
        except (TooLargeError, StopIteration):  # too many choices, or none on this step
            continue
        if found is not None:
            yield found


def _key(declared: Declared) -> tuple[int, int, str, str]:
    return declared.stage, declared.movement_step, declared.attacker, declared.id


def _losses(
    before: GameState,
    seq: int,
    command: bc.ChooseLosses,
    battle: tuple[Declared, Declared],
    fight: Fight,
) -> Decision | None:
    """Judge a choice of losses; None where the shooter chose, or the enemy's losses of the step are not known.

    Args:
        battle: The battle at the decision, and as it ended.
    """
    declared, end = battle
    progress, own = declared.progress, command.side
    assert progress is not None
    foe = other_side(own)
    owed = next((one for one in progress.owed if one.side == own), None)
    choice = open_losses(progress, own)
    records = end.progress.records[len(progress.records) :] if end.progress is not None else ()
    if choice is None or owed is None or owed.precise or any(owed.taken) or not records:
        return None
    counts, hits, _by_shooter = choice
    gone = [0] * len(counts)
    for one in command.losses:
        gone[one.kind] += one.count
    left = _less(counts, tuple(gone))
    enemy_after = _less(progress.counts(foe), records[0].losses[foe])
    at, strength = progress.position, {own: counts, foe: progress.counts(foe)}
    best_left, best = BestPlay(fight, own, "space", position=at, strength=strength).losses(
        at, counts, hits, enemy_after
    )
    later = {own: left, foe: enemy_after}
    was = BestPlay(fight, own, "space", position=at + 1, strength=later).value
    return Decision(
        seq,
        _title(declared),
        side_id(before, declared.attacker, own),
        _lost(fight, own, counts, left),
        _lost(fight, own, counts, best_left),
        was,
        max(best, was),
    )


def _less(counts: Counts, lost: Counts) -> Counts:
    return tuple(n - gone for n, gone in zip(counts, lost, strict=True)) if lost else counts


def _retreat(
    before: GameState,
    seq: int,
    command: bc.RetreatUnits | bc.StandFast,
    declared: Declared,
    fight: Fight,
) -> Decision | None:
    progress = declared.progress
    assert progress is not None
    strength = {ATTACKING: progress.attacking, DEFENDING: progress.defending}
    play = BestPlay(fight, DEFENDING, "space", position=progress.position, strength=strength)
    advice = play.should_retreat(progress.attacking, progress.defending)
    if advice is None:
        return None
    _should, values = advice
    went = isinstance(command, bc.RetreatUnits)
    words = {True: Say("retreated"), False: Say("stood fast")}
    return Decision(
        seq,
        _title(declared),
        side_id(before, declared.attacker, DEFENDING),
        words[went],
        words[not went],
        values[went],
        max(values.values()),
    )


def _title(declared: Declared) -> Say:
    return Say("Battle {id}, {space}", id=Typed(declared.id), space=space_of(declared.space))


def _lost(fight: Fight, own: str, counts: Counts, left: Counts) -> Say:
    gone = [
        (kind.unit.id, n - rest)
        for kind, n, rest in zip(fight.kinds(own), counts, left, strict=True)
        if n > rest
    ]
    return Say("lost: {units}", units=counts_say(gone))

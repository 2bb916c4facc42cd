"""The decisions of an evening of North Africa that cost most: pressing, ceasing, and what was lost for hits.

Each is judged by the exchange from there on: the cost of what the enemy loses less that of one's own losses, on average,
when the attackers press and cease at the best times and the least useful units are lost first. Only on request, since every
decision is worked out against the others, and never under tournament time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from msgspec.structs import replace

from companion.core.ids import Side
from companion.core.state import GameState
from companion.core.text import Count, Say, Value, several, unit
from companion.games.aana.odds.goals import UnknownCostError
from companion.games.aana.odds.play import TooLargeError
from companion.games.aana.odds.stopping import Stopping
from companion.games.aana.pages.evening import side_of, title_say
from companion.games.aana.pages.odds import combats_here
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.casualties import LossPolicy
from companion.games.aana.rules.combat import ATTACKER, Counts, Role
from companion.games.aana.rules.fight import Fight, arena_for
from companion.games.aana.rules.fight_flow import again
from companion.games.aana.rules.fight_losses import loser, loser_counts, losses_fault, proposed
from companion.games.aana.rules.figures import MissingFiguresError
from companion.games.aana.rules.ledger import figures
from companion.pages.film.fold import folded
from companion.pages.film.telling import Costly
from companion.pages.modules import modules
from companion.pages.report_parts import ReportSource

__all__ = ["costly"]

_MOST = 3
_EQUAL = 1e-6
_MOST_LOOKED_AT = 20_000
_MOST_WORKED = 60
"""Choices of losses that are compared: a few seconds."""


@dataclass(frozen=True, slots=True)
class _Decision:
    seq: int
    fight: Fight
    side: Side
    chosen: Value
    better: Value
    was: float
    """Exchange of the side that decided, from there on."""
    best: float


def costly(source: ReportSource, most: int = _MOST) -> tuple[Costly, ...]:
    """Return the decisions that cost most by the exchange, dearest first. Slow."""
    found = [one for one in _decisions(source) if one.best - one.was > _EQUAL]
    found.sort(key=lambda one: one.was - one.best)
    return tuple(
        Costly(
            one.seq,
            title_say(one.fight),
            one.side,
            one.chosen,
            one.better,
            Say("{b} instead of {a}", a=round(one.was, 1) + 0.0, b=round(one.best, 1) + 0.0),
        )
        for one in found[:most]
    )


def _decisions(source: ReportSource) -> Iterator[_Decision]:
    entries = list(folded(modules()[source.change.state.frozen_setup.game].rules(), source))
    for n, (entry, before, _after) in enumerate(entries):
        fight = bm.fight_of(before) if before.setup is not None else None
        if fight is None:
            continue
        try:
            if isinstance(entry.command, bm.Press | bm.Cease):
                found = _pressing(before, fight, entry.seq, has_pressed=isinstance(entry.command, bm.Press))
            elif isinstance(entry.command, bm.TakeLosses):
                later = (bm.fight_of(state) for _entry, _before, state in entries[n:])
                found = _losses(before, fight, entry.seq, [one for one in later if one is not None])
            else:
                continue
        except (TooLargeError, MissingFiguresError, UnknownCostError):
            continue
        if found is not None:
            yield found


def _pressing(state: GameState, fight: Fight, seq: int, *, has_pressed: bool) -> _Decision | None:
    """Judge pressing or ceasing; None where the rules leave no choice, or it is open which supply pays."""
    if fight.stage != "press" or fight.rules.must_press:
        return None
    gain = _gain(state, fight)
    if gain is None:
        return None
    words = {True: Say("pressed the attack"), False: Say("ceased the attack")}
    return _Decision(
        seq,
        fight,
        side_of(state, fight, ATTACKER),
        words[has_pressed],
        words[not has_pressed],
        gain if has_pressed else 0.0,
        max(gain, 0.0),
    )


def _gain(state: GameState, fight: Fight) -> float | None:
    """Return the attackers' exchange if a combat is pressed; None where that is open."""
    combats = combats_here(state, fight)
    if len(combats) != 1:
        return None
    (combat,) = combats
    return Stopping(combat, "exchange").value if any(combat.attackers) else 0.0


def _losses(state: GameState, fight: Fight, seq: int, later: list[Fight]) -> _Decision | None:
    """Judge what was lost for the hits of a round's last fire on a side, the other side's losses of the round as they were.

    None where there was no choice, or the round did not leave both sides to go on.
    """
    if fight.stage != "losses" or fight.fired_stage not in ("attack", "defence") or fight.cargo.count:
        return None
    role = loser(fight)
    after = next((one for one in later if one.stage in ("press", "over")), None)
    taken = next((one for one in later if one.stage != "losses"), None)
    if after is None or taken is None or after.round_no != fight.round_no or after.stage != "press":
        return None
    before = loser_counts(fight)
    away = (
        (fight.a_out, taken.a_out) if role == ATTACKER else (fight.d_out, taken.d_out)
    )  # who left is not lost
    chosen = tuple(n + now - was for n, was, now in zip(taken.counts(role), *away, strict=True))
    options = _options(state, fight, chosen)
    if len(options) < 2:
        return None
    values = {left: _worth(state, after, role, before, left) for left in options}
    known = {left: value for left, value in values.items() if value is not None}
    if chosen not in known:
        return None
    best = max(known, key=known.__getitem__)
    return _Decision(
        seq,
        fight,
        side_of(state, fight, role),
        _lost(fight, role, before, chosen),
        _lost(fight, role, before, best),
        known[chosen],
        known[best],
    )


def _options(state: GameState, fight: Fight, chosen: Counts) -> list[Counts]:
    """Return what may be left after the hits at hand: everything legal, or where that is much, each unit spared once."""
    book, before = figures(state), loser_counts(fight)
    found = [chosen]
    if prod(n + 1 for n in before) <= _MOST_LOOKED_AT:
        count = sum(before) - sum(chosen)
        every = (
            left for left in product(*(range(n + 1) for n in before)) if sum(before) - sum(left) == count
        )
        found += [left for left in every if losses_fault(book, fight, left) is None]
    if len(found) == 1 or len(found) > _MOST_WORKED:
        units = {kind.unit for kind, n in zip(fight.kinds(loser(fight)), before, strict=True) if n}
        spared = (LossPolicy(order=tuple(units - {last}), keep_land=False) for last in sorted(units))
        found = [chosen, *(proposed(book, fight, way)[0] for way in (LossPolicy(), *spared))]
    return list(dict.fromkeys(found))


def _worth(state: GameState, after: Fight, role: Role, before: Counts, left: Counts) -> float | None:
    """Return a side's exchange from some losses on; None where they end the combat, or it is open which supply pays.

    Args:
        after: The combat when it can be pressed, with the losses that were chosen.
    """
    book = figures(state)
    end = again(book, replace(after, a=left) if role == ATTACKER else replace(after, d=left))
    gain = _gain(state, end) if end.stage == "press" else None
    if gain is None:
        return None
    rows = arena_for(book, after).rows(role)
    gone = [(row, n - m) for row, n, m in zip(rows, before, left, strict=True) if n != m]
    unknown = tuple(row.unit for row, _n in gone if row.cost is None)
    if unknown:
        raise UnknownCostError(unknown)
    lost = sum((row.cost or 0) * n for row, n in gone)
    return (max(gain, 0.0) if role == ATTACKER else -max(gain, 0.0)) - lost


def _lost(fight: Fight, role: Role, before: Counts, left: Counts) -> Say:
    gone: dict[str, int] = {}
    for kind, n, m in zip(fight.kinds(role), before, left, strict=True):
        gone[kind.unit] = gone.get(kind.unit, 0) + n - m
    units = [Count(n, unit(id_)) for id_, n in gone.items() if n > 0]
    return Say("lost: {units}", units=several(units, "comma")) if units else Say("lost nothing")

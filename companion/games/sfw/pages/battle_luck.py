"""The luck of the whole game: hits and losses of every nation against what was to be expected.

Expected losses are those of every battle's exact odds from its beginning. They take a moment the first time: ask
from outside the drawing thread.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.games.sfw.pages.battle_odds import odds_of
from companion.games.sfw.rules.battle import Battle
from companion.games.sfw.rules.battle_edition import Edition
from companion.games.sfw.rules.battle_state import battles_of, fight_of
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import UnitTable
from companion.pages.frame import Mark, nation_mark
from companion.pages.numbers import figure
from companion.pages.plots import Bar, BarRow, Bars

__all__ = ["LuckRow", "is_priced", "luck_bars", "luck_rows"]

_KEPT = 500
"""Battles whose expected losses are remembered: more than an evening has."""


@dataclass(frozen=True, slots=True)
class LuckRow:
    """The luck of one nation over the whole game."""

    mark: Mark
    dice: int
    expected_hits: float
    hits: int
    hits_text: str
    expected_lost: float
    lost: int
    lost_text: str


_KNOWN: dict[tuple[Battle, Edition, int], tuple[UnitTable, dict[str, float]]] = {}
"""Expected losses of battles by nation; the unit table is kept so that its identity stays its own."""


def luck_rows(state: GameState) -> tuple[LuckRow, ...]:
    """Return expected against actual hits and losses by nation, over all battles of the game so far."""
    own = battles_of(state)
    expected: dict[str, float] = {}
    for declared in (*own.history, *own.battles):
        fight = fight_of(state, declared)
        if declared.status != "over" or isinstance(fight, Rejected):
            continue
        key = (fight.battle, fight.edition, id(fight.table))
        if key not in _KNOWN:
            if len(_KNOWN) >= _KEPT:
                _KNOWN.clear()
            losses: dict[str, float] = {}
            for row in odds_of(fight).survival:
                cost = fight.table.units[row.unit].weight
                losses[row.nation] = losses.get(row.nation, 0.0) + (row.count - row.expected) * cost
            _KNOWN[key] = (fight.table, losses)
        for nation, loss in _KNOWN[key][1].items():
            expected[nation] = expected.get(nation, 0.0) + loss
    rows = []
    for info in state.frozen_setup.nations:
        luck = own.luck.get(info.id)
        if luck is None:
            continue
        due = expected.get(info.id, 0.0)
        rows.append(
            LuckRow(
                nation_mark(state.frozen_setup, info.id),
                luck.dice,
                luck.expected,
                luck.hits,
                _against(luck.hits, luck.expected),
                due,
                luck.lost_cost,
                _against(luck.lost_cost, due),
            )
        )
    return tuple(rows)


def is_priced(state: GameState) -> bool:
    """Say whether losses are counted in cost: False while the cost of a unit is not entered."""
    return all(spec.cost is not None for spec in unit_table_of(state).units.values())


def luck_bars(rows: tuple[LuckRow, ...]) -> tuple[Bars, Bars]:
    """Return hits and losses as bars, expected above actual, one category for each nation."""
    hits = [(row.mark, row.expected_hits, row.hits, row.hits_text) for row in rows]
    losses = [(row.mark, row.expected_lost, row.lost, row.lost_text) for row in rows]
    return _bars(hits), _bars(losses)


def _bars(values: list[tuple[Mark, float, int, str]]) -> Bars:
    rows = tuple(
        BarRow(
            mark.name,
            (Bar(due, figure(due), "line"), Bar(float(actual), str(actual), mark.tone, mark.emblem)),
        )
        for mark, due, actual, _text in values
    )
    most = max((bar.value for row in rows for bar in row.bars), default=0.0)
    return Bars(rows, most or 1.0)


def _against(actual: int, expected: float) -> str:
    return f"{actual} / {figure(expected)} ({figure(actual - expected, signed=True)})"

"""The luck of the whole game: hits and losses of every nation against what was to be expected.

Expected losses are those of every battle's exact odds from its beginning. They take a moment the first time: ask
from outside the drawing thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.core.ids import Nation
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Say, nation
from companion.games.sfw.pages.battle_draft import look
from companion.games.sfw.pages.battle_odds import how_say, odds_of
from companion.games.sfw.rules.battle import Battle
from companion.games.sfw.rules.battle_edition import Edition
from companion.games.sfw.rules.battle_fire import missing
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_state import battles_of, fight_of
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import UnitTable
from companion.pages.numbers import figure
from companion.pages.page import Acts, Block, Button, Head, Mark, Page, Plot, Rows, Side, Sides, Sight
from companion.pages.parts import nation_mark
from companion.pages.plots import Bar, BarRow, Bars
from companion.pages.speak import speak

__all__ = ["Forecast", "LuckRow", "forecast_of", "is_priced", "luck_page", "luck_rows"]

_KEPT = 500
"""Battles whose forecast is remembered: more than an evening has."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What was to be expected of a battle from its beginning, without its every end."""

    p_capture: float
    p_hold: float
    how: Say
    is_exact: bool
    expected: Mapping[str, float]
    """Cost lost on average, by nation."""
    losses: Mapping[str, Mapping[int, float]]
    """Chance of each cost lost, by role."""


@dataclass(frozen=True, slots=True)
class LuckRow:
    """The luck of one nation over the whole game."""

    nation: Nation
    dice: int
    expected_hits: float
    hits: int
    expected_lost: float
    lost: int


_KNOWN: dict[tuple[Battle, Edition, int], tuple[UnitTable, Forecast]] = {}
"""Forecasts of battles; the unit table is kept so that its identity stays its own."""


def forecast_of(state: GameState, declared: Declared) -> Forecast | None:
    """Return what was to be expected of a battle; None where it cannot be fought as it stands. Slow the first time."""
    fight = fight_of(state, declared)
    if isinstance(fight, Rejected) or missing(fight):
        return None
    key = (fight.battle, fight.edition, id(fight.table))
    if key not in _KNOWN:
        if len(_KNOWN) >= _KEPT:
            _KNOWN.clear()
        odds = odds_of(fight)
        expected: dict[str, float] = {}
        for row in odds.survival:
            cost = fight.table.units[row.unit].weight
            expected[row.nation] = expected.get(row.nation, 0.0) + (row.count - row.expected) * cost
        is_exact = odds.method == "exact"
        found = Forecast(
            odds.p_capture, odds.p_hold, how_say(odds), is_exact, expected, odds.loss_distribution
        )
        _KNOWN[key] = (fight.table, found)
    return _KNOWN[key][1]


def luck_rows(state: GameState) -> tuple[LuckRow, ...]:
    """Return expected against actual hits and losses by nation, over all battles of the game so far."""
    own = battles_of(state)
    expected: dict[str, float] = {}
    for declared in (*own.history, *own.battles):
        forecast = forecast_of(state, declared) if declared.status == "over" else None
        for of, loss in forecast.expected.items() if forecast is not None else ():
            expected[of] = expected.get(of, 0.0) + loss
    rows = []
    for info in state.frozen_setup.nations:
        luck = own.luck.get(info.id)
        if luck is not None:
            due = expected.get(info.id, 0.0)
            rows.append(LuckRow(info.id, luck.dice, luck.expected, luck.hits, due, luck.lost_cost))
    return tuple(rows)


def is_priced(state: GameState) -> bool:
    """Say whether losses are counted in cost: False while the cost of a unit is not entered."""
    return all(spec.cost is not None for spec in unit_table_of(state).units.values())


def luck_page(sight: Sight, acts: Acts) -> Page:
    """Return hits and losses of every nation in the whole game against what was to be expected."""
    state = sight.state
    own = battles_of(state)
    rows = sight.work(("luck", own.history, own.battles), lambda: luck_rows(state))
    blocks: tuple[Block, ...]
    if rows is None:
        blocks = (Rows("luck", (), empty=Say("Adding up the luck of the game")),)
    elif not any(row.dice or row.lost for row in rows):
        blocks = (Rows("luck", (), empty=Say("No dice rolled in this game yet")),)
    else:
        lost = (
            Say("Losses by cost: expected, then taken")
            if is_priced(state)
            else Say("Losses by armour level: expected, then taken")
        )
        hits = _bars(state, [(row.nation, row.expected_hits, row.hits) for row in rows])
        losses = _bars(state, [(row.nation, row.expected_lost, row.lost) for row in rows])
        sides = (
            Side("hits", Head("hits", Say("Hits: expected, then rolled")), (Plot("hits", hits),)),
            Side("losses", Head("losses", lost), (Plot("losses", losses),)),
        )
        blocks = (Sides("luck", sides),)
    main = Button(Say("Back to the battles"), acts.put("back", look(page="list")))
    return Page("luck", Say("Luck this game"), blocks=blocks, main=main)


def _bars(state: GameState, values: list[tuple[str, float, int]]) -> Bars:
    """Return figures as bars, expected above actual, one category for each nation."""
    rows = []
    for of, due, actual in values:
        mark: Mark = nation_mark(state.frozen_setup, of)
        bars = (Bar(due, figure(due), "line"), Bar(float(actual), str(actual), mark.tone, mark.emblem))
        rows.append(BarRow(speak(nation(of), state), bars))
    most = max((bar.value for row in rows for bar in row.bars), default=0.0)
    return Bars(tuple(rows), most or 1.0)

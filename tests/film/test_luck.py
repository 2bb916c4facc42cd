"""Percentiles are those of the exact distribution: the same as what many evenings of the same dice come to."""

from __future__ import annotations

import random

import numpy as np
import pytest
from evenings import EVENINGS, aana, change_of, sfw1, sfw96

from companion.core.rules import Rejected
from companion.games.sfw.odds.simulate import simulated_odds
from companion.games.sfw.rules.battle import SIDES
from companion.games.sfw.rules.battle_play import read_dice
from companion.games.sfw.rules.battle_rolls import Aim, Volley
from companion.games.sfw.rules.battle_state import battles_of, fight_of, side_id
from companion.odds import luck
from companion.odds.distributions import Part
from companion.pages.film.fold import film_game
from companion.pages.film.telling import Luck, LuckRow
from companion.pages.report_parts import ReportSource
from companion.testing.memory_desk import MemoryDesk

RUNS = 20_000


def luck_of(desk: MemoryDesk) -> Luck:
    state = change_of(desk).state
    return film_game(state.frozen_setup.game).luck(
        ReportSource(change_of(desk), desk.entries(), desk.counts, 0)
    )


def rank(results: list[int], actual: int) -> float:
    """Return what a table of many evenings says: those below, and half of the equal ones."""
    return (sum(one < actual for one in results) + sum(one == actual for one in results) / 2) / len(results)


def near(share: float, told: float) -> bool:
    return abs(share - told) <= 4 * (0.25 / RUNS) ** 0.5


@pytest.mark.parametrize("extra_shot", [False, True])
@pytest.mark.parametrize("is_chained", [False, True])
@pytest.mark.parametrize("number", [2, 8, 12])
def test_hits_of_dice_are_as_many_throws_give_them(
    number: int, *, extra_shot: bool, is_chained: bool
) -> None:
    chance, dice = random.Random(number), 5
    volley = Volley(
        "attacking", 0, "tank", "us", 1, dice, 1, number, Aim(("land",), False, "", False),
        extra_shot=extra_shot, is_chained=is_chained,
    )  # fmt: skip
    found = []
    for _run in range(RUNS):
        hits, waiting, is_bonus = 0, dice, False
        while waiting:
            thrown = read_dice(volley, [chance.randint(1, 12) for _n in range(waiting)], is_bonus=is_bonus)
            hits, waiting, is_bonus = hits + thrown.hits, thrown.again, True
        found.append(hits)
    shares = luck.of_dice(Part(dice, number, 0, 0, extra_shot, is_chained), 12)
    assert sum(shares) == pytest.approx(1)
    for actual in range(dice + 2):
        told = luck.luckier_than(shares, actual, more_is_lucky=True)
        assert near(rank(found, actual), told), actual


def test_the_sum_of_an_evening_is_that_of_its_parts() -> None:
    chance = random.Random(3)
    tables = [{0: 0.5, 7: 0.25, 9: 0.25}, {0: 0.1, 3: 0.9}, {2: 1.0}]
    whole = luck.total(map(luck.of_table, tables))
    found = [sum(chance.choices(list(one), list(one.values()))[0] for one in tables) for _run in range(RUNS)]
    for actual in (2, 5, 9, 12, 14):
        more = luck.luckier_than(whole, actual, more_is_lucky=True)
        assert near(rank(found, actual), more)
        assert luck.luckier_than(whole, actual, more_is_lucky=False) == pytest.approx(1 - more)


def test_a_table_knows_no_amount_below_nothing() -> None:
    with pytest.raises(ValueError, match="expected amounts of 0 or more, got -1"):
        luck.of_table({-1: 1.0})


def test_a_result_that_had_to_be_is_neither_lucky_nor_unlucky() -> None:
    assert luck.luckier_than(luck.of_table({3: 1.0}), 3, more_is_lucky=True) == 0.5
    assert luck.at_least(luck.of_binomial(2, 0.5), 0) == 1
    assert luck.at_least(luck.of_binomial(2, 0.5), 2) == 0.25


@pytest.mark.parametrize("evening", [sfw96, sfw1])
def test_the_luck_of_a_side_is_that_of_the_dice_it_threw(evening: object) -> None:
    desk = evening()  # type: ignore[operator]
    state = change_of(desk).state
    own = battles_of(state)
    rows = {row.side: row for row in luck_of(desk).rows if row.scope == "evening" and row.group == "hits"}
    assert set(rows) == {"allies", "axis"}
    chance = random.Random(1)
    for side, row in rows.items():
        lines = [
            (line, thrown)
            for declared in (*own.history, *own.battles)
            for record in (declared.progress.records if declared.progress else ())
            for line, thrown in zip(record.lines, record.thrown, strict=True)
            if side_id(state, declared.attacker, line.side) == side
        ]
        assert row.actual == sum(thrown.hits for _line, thrown in lines)
        assert row.dice == sum(len(roll.dice) for _line, thrown in lines for roll in thrown.rolls)
        found = [
            sum(chance.randint(1, 12) >= line.number for line, _thrown in lines for _die in range(line.dice))
            for _run in range(RUNS)
        ]
        assert near(rank(found, row.actual), row.luckier_than)
        assert row.expected == pytest.approx(sum(found) / RUNS, abs=0.05)


def test_losses_are_ranked_among_the_ends_of_the_same_battles() -> None:
    rows = [row for row in luck_of(sfw96()).rows if row.group == "losses"]
    assert {row.scope for row in rows} == {"battle", "evening"}
    for row in rows:
        assert sum(one.share for one in row.spread.bins) == pytest.approx(1, abs=0.02)
        marked = row.spread.actual
        assert marked is not None
        low, _dash, high = row.spread.bins[marked].text.partition("\N{EN DASH}")
        assert int(low) <= row.actual <= int(high or low)
    battle, evening = (
        sum(row.actual for row in rows if row.scope == scope and row.side == "axis")
        for scope in ("battle", "evening")
    )
    assert battle == evening


def ranks_of_losses(desk: MemoryDesk, runs: int) -> None:
    """Compare the percentiles of losses with many battles that are fought again with other dice."""
    state = change_of(desk).state
    rows = [row for row in luck_of(desk).rows if row.group == "losses"]
    of_battles = iter([row for row in rows if row.scope == "battle"])
    sums: dict[str, list[dict[int, float]]] = {}
    own = battles_of(state)
    for seed, declared in enumerate((*own.history, *own.battles)):
        fight = fight_of(state, declared)
        assert not isinstance(fight, Rejected)
        found = simulated_odds(fight, runs=runs, seed=seed).loss_distribution
        for role in SIDES:
            row = next(of_battles)
            assert row.side == side_id(state, declared.attacker, role)
            sums.setdefault(row.side, []).append(dict(found[role]))
            agrees(row, dict(found[role]), runs)
    assert next(of_battles, None) is None
    for row in (row for row in rows if row.scope == "evening"):
        shares = luck.total(map(luck.of_table, sums[row.side]))
        agrees(row, dict(enumerate(shares.tolist())), runs)


def agrees(row: LuckRow, found: dict[int, float], runs: int) -> None:
    """Compare every percentile that a row could tell with the shares of battles that were fought."""
    shares = np.array(row.shares)
    for actual in range(len(shares)):
        lost_more = sum(share for n, share in found.items() if n > actual)
        ranked = lost_more + found.get(actual, 0.0) / 2
        told = luck.luckier_than(shares, actual, more_is_lucky=False)
        assert abs(ranked - told) <= 4 * (0.25 / runs) ** 0.5, (row.key, actual)
    assert row.luckier_than == luck.luckier_than(shares, row.actual, more_is_lucky=False)


@pytest.mark.parametrize("evening", [sfw96, sfw1])
def test_losses_are_ranked_as_battles_that_are_fought_again_rank_them(evening: object) -> None:
    ranks_of_losses(evening(), 300)  # type: ignore[operator]


@pytest.mark.long
@pytest.mark.parametrize("evening", [sfw96, sfw1])
def test_twenty_thousand_battles_agree_with_the_percentile_of_losses(evening: object) -> None:
    ranks_of_losses(evening(), RUNS)  # type: ignore[operator]


def test_north_africa_ranks_hits_by_the_chance_of_each_volley() -> None:
    rows: list[LuckRow] = [
        row for row in luck_of(aana()).rows if row.scope == "evening" and row.group == "hits"
    ]
    assert {row.side for row in rows} == {"axis", "allies"}
    for row in rows:
        assert row.dice > 0
        assert 0 < row.luckier_than < 1


@pytest.mark.parametrize("game", ["tsu", "med"])
def test_a_game_without_a_distribution_says_why_there_is_no_luck(game: str) -> None:
    found = luck_of(EVENINGS[game]())
    assert found.rows == ()
    assert len(found.notes) == 1

"""The coach of Song for War: the best losses are provably best, and battles that follow them come to its figure."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from companion.games.sfw.odds.advice import advise, reinforced, smallest_force, unhurt_value
from companion.games.sfw.odds.answer import SideEnd
from companion.games.sfw.odds.coach import GOALS, BestPlay, Goal, goal_value
from companion.games.sfw.odds.play import exact_odds
from companion.games.sfw.odds.simulate import throw
from companion.games.sfw.odds.states import TooLargeError
from companion.games.sfw.rules.battle import (
    ATTACKING,
    DEFENDING,
    SIDES,
    Battle,
    Counts,
    Fight,
    Group,
    other_side,
)
from companion.games.sfw.rules.battle_combine import combinations
from companion.games.sfw.rules.battle_edition import SFW1, SFW96
from companion.games.sfw.rules.battle_losses import CHEAPEST, KEEP_CONTROL, LossTable, Policy, merge_hits
from companion.games.sfw.rules.battle_play import best_combination, retreating, step_rolls, unloaded
from companion.games.sfw.rules.battle_rolls import steps
from companion.games.sfw.rules.battle_setup import bombing_dice, set_up
from tests.odds.slow_coach import best_value
from tests.odds.test_first_edition_odds import TABLE as FIRST
from tests.odds.test_odds_grid import TABLE, random_fight

ORDERS = (
    CHEAPEST,
    KEEP_CONTROL,
    Policy("order", ("infantry", "tank")),
    Policy("order", ("fighter", "artillery")),
)


def compare(seed: int, *, brute: bool) -> bool:
    """Compare the best play with every fixed policy and, if small, with plain recursion; False: no battle."""
    made = random_fight(seed)
    if made is None:
        return False
    fight, policies = made
    side, goal = SIDES[seed % 2], GOALS[seed // 2 % 4]
    foe = other_side(side)
    best = BestPlay(fight, side, goal, enemy=policies[foe]).value
    for own in (*ORDERS, policies[side]):
        for retreats in (True, False) if side == DEFENDING else (True,):
            odds = exact_odds(fight, {side: own, foe: policies[foe]}, retreats=retreats)
            assert goal_value(odds, fight, side, goal) <= best + 1e-9, f"seed {seed}: {own} is better"
    slow = best_value(fight, side, goal, policies[foe], most=800) if brute else None
    if slow is not None:
        assert best == pytest.approx(slow, abs=1e-9), f"seed {seed}"
    return True


def test_the_best_play_is_as_good_as_every_policy_and_equals_plain_recursion() -> None:
    assert sum(compare(seed, brute=True) for seed in range(70)) > 30


@pytest.mark.long
@pytest.mark.parametrize("batch", range(5))
def test_the_best_play_is_as_good_as_every_policy_in_a_thousand_battles(batch: int) -> None:
    start = 3000 + batch * 420
    assert sum(compare(seed, brute=seed % 5 == 0) for seed in range(start, start + 420)) >= 200


def fought(fight: Fight, play: BestPlay, chance: random.Random) -> dict[str, Counts]:
    """Fight one battle with dice, the side's losses and retreat as the coach says."""
    counts = {side: fight.start(side) for side in SIDES}
    side, foe, levels = play.side, other_side(play.side), len(fight.edition.capacity)
    for number, step in enumerate(steps(fight)):
        if step == "7B":
            counts[ATTACKING] = unloaded(fight, counts[ATTACKING])
        if step == "retreat" and fight.battle.retreat and fight.in_space(ATTACKING, counts[ATTACKING]):
            advice = play.should_retreat(counts[ATTACKING], counts[DEFENDING])
            if advice is None or advice[0]:
                counts[DEFENDING] = retreating(fight, counts[DEFENDING])
        both = step_rolls(fight, step, counts[ATTACKING], counts[DEFENDING])
        if not any(part.volleys for part in both):
            continue
        on = {
            target: merge_hits(tuple(hit for volley in part.volleys for hit in throw(volley, chance, levels)))
            for target, part in zip((DEFENDING, ATTACKING), both, strict=True)
        }
        hits = best_combination(on[foe], counts[foe], play.tables[foe]) if step == "7A" else on[foe]
        after = play.tables[foe].after(counts[foe], hits)
        counts[side], _value = play.losses(number, counts[side], on[side], after)
        counts[foe] = after
    return counts


def follow(fight: Fight, side: str, goal: Goal, runs: int) -> tuple[float, float, float]:
    """Return the coach's figure, the mean of battles that follow it, and the standard error of that."""
    play, chance = BestPlay(fight, side, goal), random.Random(11)
    found = []
    for _ in range(runs):
        counts = fought(fight, play, chance)
        ashore = "7B" in steps(fight)
        ends = {
            each: SideEnd(fight, each, np.array([counts[each]], dtype=np.int64), ashore=ashore)
            for each in SIDES
        }
        if goal == "space":
            taken = ends[ATTACKING].is_holding()[0] and not ends[DEFENDING].is_holding()[0]
            found.append(float(taken == (side == ATTACKING)))
        else:
            lost = {each: int(ends[each].costs_lost()[0]) for each in SIDES}
            found.append(float(lost[other_side(side)] - lost[side]))
    return play.value, float(np.mean(found)), float(np.std(found) / runs**0.5)


def land(edition: str = "sfw96") -> Fight:
    """Return a battle in which the choice of losses matters: the last infantry has to stay, heavier dice come later."""
    sides = (
        (
            Group("infantry", 2, "us"),
            Group("tank", 2, "us"),
            Group("artillery", 1, "us"),
            Group("fighter", 1, "us"),
        ),
        (Group("infantry", 2, "germany"), Group("tank", 1, "germany"), Group("artillery", 2, "germany")),
    )
    rules, table = (SFW96, TABLE) if edition == "sfw96" else (SFW1, FIRST)
    retreat = ("infantry", "tank") if edition == "sfw96" else ()
    found = set_up(Battle(4, "land", *sides, retreat=retreat), rules, table)
    assert isinstance(found, Fight), found
    return found


@pytest.mark.parametrize(
    ("side", "goal", "edition"),
    [(ATTACKING, "space", "sfw96"), (DEFENDING, "exchange", "sfw96"), (ATTACKING, "exchange", "sfw1")],
)
def test_battles_that_follow_the_advice_come_to_its_figure(side: str, goal: Goal, edition: str) -> None:
    value, mean, error = follow(land(edition), side, goal, 800)
    assert abs(value - mean) < 4 * error + 1e-12


@pytest.mark.long
@pytest.mark.parametrize("goal", ["space", "exchange"])
@pytest.mark.parametrize("side", SIDES)
def test_twenty_thousand_battles_that_follow_the_advice_come_to_its_figure(side: str, goal: Goal) -> None:
    value, mean, error = follow(land(), side, goal, 20_000)
    assert abs(value - mean) < 4 * error + 1e-12


def test_the_advice_names_rules_that_are_better_and_never_more_than_the_best() -> None:
    for side in SIDES:
        for goal in GOALS:
            advice = advise(land(), side, goal)
            assert advice.best is not None
            assert advice.usual <= advice.best + 1e-9
            assert all(advice.usual < line.value <= advice.best + 1e-9 for line in advice.lines)
            for line in advice.lines:
                odds = exact_odds(land(), {side: line.policy}, retreats=side == ATTACKING)
                assert goal_value(odds, land(), side, goal) == pytest.approx(line.value)
            if side == DEFENDING:
                assert advice.stays is not None
                assert advice.stays <= advice.best + 1e-9


def test_too_many_choices_are_told_and_the_usual_losses_still_known() -> None:
    units = (Group("infantry", 14, "us"), Group("tank", 9, "us"), Group("artillery", 9, "us"), Group("fighter", 9, "us"),
             Group("light_bomber", 9, "us"))  # fmt: skip
    found = set_up(Battle(4, "land", units, (Group("infantry", 2, "germany"),)), SFW96, TABLE)
    assert isinstance(found, Fight)
    with pytest.raises(TooLargeError):
        BestPlay(found, ATTACKING, "space")
    advice = advise(found, ATTACKING, "space")
    assert advice.best is None
    assert advice.least >= advice.usual > 0


def test_more_units_are_worth_more_and_the_smallest_force_is_smallest() -> None:
    fight = land()
    usual = advise(fight, ATTACKING, "space").usual
    assert all(one.value > usual for one in reinforced(fight, ATTACKING, "space") if one.unit == "tank")
    wanted = usual - 0.1
    force = smallest_force(fight, ATTACKING, "space", wanted)
    assert force is not None
    assert force.is_smallest
    assert force.value >= wanted
    costs = {kind.unit.id: kind.cost for kind in fight.attacking}
    start = {group.unit: group.count for group in fight.battle.attacking}
    for infantry in range(start["infantry"] + 1):
        for tank in range(start["tank"] + 1):
            for artillery in range(start["artillery"] + 1):
                for fighter in range(start["fighter"] + 1):
                    counts = {"infantry": infantry, "tank": tank, "artillery": artillery, "fighter": fighter}
                    groups = tuple(Group(unit, n, "us") for unit, n in counts.items() if n)
                    made = (
                        set_up(
                            Battle(4, "land", groups, fight.battle.defending, retreat=("infantry", "tank")),
                            SFW96,
                            TABLE,
                        )
                        if groups
                        else None
                    )
                    if isinstance(made, Fight) and exact_odds(made).p_capture >= wanted:
                        assert sum(costs[unit] * n for unit, n in counts.items()) >= force.cost
    assert smallest_force(fight, ATTACKING, "space", 1.0) is None


def test_the_combination_found_early_is_the_best_of_all() -> None:
    found = 0
    for seed in (4501, *range(3000, 3060)):
        made = random_fight(seed)
        if made is None:
            continue
        fight, _policies = made
        levels, chance = len(fight.edition.capacity), random.Random(seed)
        table, counts = LossTable(fight, DEFENDING), fight.start(DEFENDING)
        for volley in step_rolls(fight, "7A", fight.start(ATTACKING), counts)[0].volleys:
            for count in (2, 5, 9):
                hits = merge_hits(tuple(hit for hit in throw(volley, chance, levels) for _n in range(count)))
                options = {
                    option: tuple(
                        sum(n * worth for n, worth in zip(table.proposal(counts, option), of, strict=True))
                        for of in zip(
                            *((kind.cost, bool(kind.unit.control)) for kind in table.kinds), strict=True
                        )
                    )
                    for option in combinations(hits, levels)
                }
                assert best_combination(hits, counts, table) == max(options, key=options.__getitem__)
                found += len(options) > 1
    assert found > 5


def bounded(seeds: range) -> int:
    """Compare the best losses with what a side comes to that is never hit; return how many battles were compared."""
    found = 0
    for seed in seeds:
        made = random_fight(seed)
        if made is None:
            continue
        fight, policies = made
        for side, goal in ((ATTACKING, "space"), (ATTACKING, "clear"), (DEFENDING, "clear")):
            enemy = policies[other_side(side)]
            most = unhurt_value(fight, side, goal, enemy=enemy, position=0, strength={})  # type: ignore[arg-type]
            best = BestPlay(fight, side, goal, enemy=enemy).value  # type: ignore[arg-type]
            assert most is not None
            assert best <= most + 1e-9, f"seed {seed}: {side} {goal}"
            found += 1
    return found


def test_no_losses_are_better_than_never_being_hit() -> None:
    assert bounded(range(3000, 3030)) > 30


@pytest.mark.long
def test_no_losses_are_better_than_never_being_hit_in_a_thousand_battles() -> None:
    assert bounded(range(5000, 5600)) > 1000


def test_where_there_are_too_many_choices_both_bounds_are_told() -> None:
    units = (Group("infantry", 14, "us"), Group("tank", 9, "us"), Group("artillery", 9, "us"), Group("fighter", 9, "us"),
             Group("light_bomber", 9, "us"))  # fmt: skip
    found = set_up(Battle(4, "land", units, (Group("infantry", 28, "germany"),)), SFW96, TABLE)
    assert isinstance(found, Fight)
    advice = advise(found, ATTACKING, "space")
    assert advice.best is None
    assert advice.most is not None
    assert 0 < advice.least <= advice.most < 1
    first = advise(found, ATTACKING, "space", is_first=True)
    assert (first.usual, first.best, first.lines) == (advice.usual, None, ())


def test_each_number_of_dice_on_bombing_is_told_with_what_it_leaves_of_the_goal() -> None:
    bomber = next(id_ for id_, spec in TABLE.units.items() if bombing_dice(spec))
    sides = ((Group("infantry", 3, "us"), Group(bomber, 2, "us")), (Group("infantry", 2, "germany"),))
    found = set_up(Battle(4, "land", *sides), SFW96, TABLE)
    assert isinstance(found, Fight)
    told = [one for one in reinforced(found, ATTACKING, "clear") if one.bombing is not None]
    assert [one.bombing for one in told] == list(range(bombing_dice(TABLE.units[bomber]) + 1))
    assert all(one.value > other.value for one, other in itertools.pairwise(told)), (
        "a die that bombs hits nobody"
    )
    assert told[0].value == pytest.approx(advise(found, ATTACKING, "clear").usual)
    assert not [one for one in reinforced(found, DEFENDING, "clear") if one.bombing is not None]

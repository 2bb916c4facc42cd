"""Exact odds of v0.96 battles: against the slow oracle, simulations, and figures worked by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.games.sfw.odds.answer import Odds
from companion.games.sfw.odds.file import load_units, read_battle
from companion.games.sfw.odds.play import TooLargeError, exact_odds
from companion.games.sfw.odds.report import odds_data
from companion.games.sfw.odds.simulate import simulated_odds
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Battle, Fight, Group, Load
from companion.games.sfw.rules.battle_edition import SFW96
from companion.games.sfw.rules.battle_losses import KEEP_CONTROL, Policy
from companion.games.sfw.rules.battle_play import survivors
from companion.games.sfw.rules.battle_rolls import steps
from companion.games.sfw.rules.battle_setup import set_up
from companion.games.sfw.rules.units import UnitTable, with_printed
from tests.odds.slow_battle import slow_odds

PRINTED = {
    "tank.number": 8,
    "cruiser.anti_air": 1,
    "carrier.targets": ["sea", "land"],
    "battleship.range": 1,
    "carrier.range": 1,
}
TABLE: UnitTable = with_printed(load_units("sfw96"), PRINTED)

LAND = (
    "infantry",
    "tank",
    "artillery",
    "anti_air",
    "land_transport",
    "fighter",
    "light_bomber",
    "air_transport",
)
SEA = (
    "submarine",
    "destroyer",
    "cruiser",
    "carrier",
    "battleship",
    "sea_transport",
    "fighter",
    "light_bomber",
)


def fight(battle: Battle, table: UnitTable = TABLE) -> Fight:
    found = set_up(battle, SFW96, table, has_begun=True)
    assert isinstance(found, Fight), found
    return found


def side(nation: str, *units: tuple[str, int], **more: Any) -> tuple[Group, ...]:
    return tuple(Group(unit, count, nation, **more) for unit, count in units)


def agree(work: Fight) -> Odds:
    """Compare exact odds with the oracle, state by state through the outcomes."""
    odds = exact_odds(work)
    slow: dict[tuple[tuple[tuple[str, int], ...], ...], Any] = {}
    ashore = "7B" in steps(work)
    for (attacking, defending), chance in slow_odds(work).items():
        ends = []
        for name, counts in ((ATTACKING, attacking), (DEFENDING, defending)):
            left: dict[str, int] = {}
            for (_, unit), n in survivors(work, name, counts, ashore=ashore, supporters=False).items():
                left[unit] = left.get(unit, 0) + n
            ends.append(tuple(sorted(left.items())))
        slow[tuple(ends)] = slow.get(tuple(ends), 0) + chance
    assert sum(slow.values()) == 1
    found = {
        (tuple(sorted(o.attacking.items())), tuple(sorted(o.defending.items()))): o.p for o in odds.outcomes
    }
    assert set(found) == {key for key, chance in slow.items() if chance > 0}
    for key, chance in found.items():
        assert chance == pytest.approx(float(slow[key]), abs=1e-12)
    return odds


def test_two_tanks_against_three_infantry_by_hand() -> None:
    """Each tank hits with 5/12 and takes two infantry, or the one that is left."""
    odds = exact_odds(fight(Battle(4, "land", side("us", ("tank", 2)), side("germany", ("infantry", 3)))))
    none, both = (7 / 12) ** 2, (5 / 12) ** 2
    chances = {tuple(o.defending.items()): o.p for o in odds.outcomes}
    assert chances[(("infantry", 3),)] == pytest.approx(none, abs=1e-15)
    assert chances[(("infantry", 1),)] == pytest.approx(1 - none - both, abs=1e-15)
    assert odds.p_defender_cleared == pytest.approx(both, abs=1e-15)
    assert odds.p_attacker_cleared == 0, "White hits never take a tank"
    assert odds.expected_loss[DEFENDING] == pytest.approx(2 * (1 - none - both) + 3 * both, abs=1e-14)
    assert odds.expected_loss[ATTACKING] == 0
    assert odds.method == "exact"


@pytest.mark.parametrize(
    ("name", "battle"),
    [
        (
            "mixed land",
            Battle(
                4,
                "land",
                side("us", ("tank", 1), ("infantry", 2)),
                side("germany", ("infantry", 1), ("tank", 1), ("artillery", 1)),
            ),
        ),
        (
            "air over land",
            Battle(
                2,
                "land",
                side("us", ("fighter", 1), ("light_bomber", 1)),
                side("germany", ("anti_air", 1), ("fighter", 1), ("light_bomber", 1)),
            ),
        ),
        (
            "submarines",
            Battle(
                3,
                "sea",
                side("us", ("destroyer", 1), ("submarine", 1), ("light_bomber", 1)),
                side("italy", ("submarine", 1), ("destroyer", 1), ("cruiser", 1)),
            ),
        ),
        (
            "covered carrier",
            Battle(
                2, "sea", side("us", ("light_bomber", 2)), side("germany", ("carrier", 1), ("fighter", 1))
            ),
        ),
        (
            "heavy ships",
            Battle(
                3,
                "sea",
                side("us", ("battleship", 1), ("destroyer", 1)),
                side("italy", ("cruiser", 1), ("carrier", 1)),
            ),
        ),
        (
            "mountain",
            Battle(
                4, "mountain", side("us", ("infantry", 2), ("artillery", 1)), side("germany", ("infantry", 2))
            ),
        ),
        (
            "ambush",
            Battle(
                1,
                "sea",
                side("germany", ("submarine", 2), moved=False),
                side("us", ("cruiser", 1), ("destroyer", 1)),
            ),
        ),
        (
            "support",
            Battle(
                4,
                "land",
                (*side("us", ("tank", 1)), *side("gb", ("artillery", 1), ("battleship", 1), distance=1)),
                side("germany", ("infantry", 2), ("tank", 1)),
            ),
        ),
    ],
)
def test_small_battles_agree_with_the_oracle(name: str, battle: Battle) -> None:
    del name
    agree(fight(battle))


def test_landing_agrees_with_the_oracle() -> None:
    transports = Group("sea_transport", 2, "italy", 1, "E5", cargo=(Load("tank", 1), Load("infantry", 1)))
    odds = agree(
        fight(Battle(2, "land", (transports,), side("us", ("tank", 1), ("artillery", 1), ("infantry", 1))))
    )
    assert all(not outcome.attacking.get("tank", 0) > 2 for outcome in odds.outcomes)


def test_air_drop_agrees_with_the_oracle() -> None:
    drop = Group("air_transport", 2, "us", cargo=(Load("infantry", 2),))
    agree(fight(Battle(2, "land", (drop,), side("germany", ("anti_air", 1), ("infantry", 1)))))


groups = st.lists(st.tuples(st.integers(0, 7), st.integers(1, 2)), min_size=1, max_size=2)


@settings(max_examples=25)
@given(attacking=groups, defending=groups, at_sea=st.booleans(), mountain=st.booleans())
def test_any_small_battle_agrees_with_the_oracle(
    attacking: list[tuple[int, int]], defending: list[tuple[int, int]], *, at_sea: bool, mountain: bool
) -> None:
    names = SEA if at_sea else LAND
    terrain = "sea" if at_sea else "mountain" if mountain else "land"
    sides = []
    for nation, chosen in (("us", attacking), ("germany", defending)):
        units = [(names[n], count) for n, count in chosen]
        units = [
            (unit, 1 if unit in ("cruiser", "battleship", "carrier") else count) for unit, count in units
        ]
        sides.append(side(nation, *((u, c) for u, c in units if not (terrain == "mountain" and u == "tank"))))
    if not all(sides):
        return
    agree(fight(Battle(3 if at_sea else 4, terrain, *sides)))


@settings(max_examples=30)
@given(
    attacking=st.lists(st.tuples(st.sampled_from(LAND), st.integers(1, 4)), min_size=1, max_size=5),
    defending=st.lists(st.tuples(st.sampled_from(LAND), st.integers(1, 4)), min_size=1, max_size=5),
    policy=st.sampled_from(["cheapest", "keep_control", "order"]),
)
def test_chances_add_up(attacking: Any, defending: Any, policy: str) -> None:
    chosen = Policy(policy, ("tank", "us infantry") if policy == "order" else ())
    odds = exact_odds(
        fight(Battle(4, "land", side("us", *attacking), side("germany", *defending))),
        {ATTACKING: chosen, DEFENDING: chosen},
    )
    assert sum(o.p for o in odds.outcomes) == pytest.approx(1, abs=1e-12)
    for name in (ATTACKING, DEFENDING):
        losses = odds.loss_distribution[name]
        assert sum(losses.values()) == pytest.approx(1, abs=1e-12)
        assert odds.expected_loss[name] == pytest.approx(sum(c * p for c, p in losses.items()), abs=1e-10)
        costs = sum(
            (row.count - row.expected) * TABLE.units[row.unit].cost
            for row in odds.survival
            if row.side == name
        )
        assert costs == pytest.approx(odds.expected_loss[name], abs=1e-9)
    assert odds.p_capture + odds.p_hold + odds.p_neither == pytest.approx(1, abs=1e-12)


def test_order_of_equal_losses_is_the_order_given() -> None:
    """Two nations' infantry cost and hold alike: the one given first goes first."""
    attack = side("us", ("infantry", 1))
    for first, second in (("germany", "italy"), ("italy", "germany")):
        work = fight(
            Battle(4, "land", attack, (*side(first, ("infantry", 1)), *side(second, ("infantry", 1))))
        )
        fared = {row.nation: row for row in exact_odds(work).survival if row.side == DEFENDING}
        assert fared[first].each == pytest.approx(1 - 4 / 12)
        assert fared[first].none_left == pytest.approx(4 / 12)
        assert (fared[second].each, fared[second].none_left) == (1, 0)


def test_cheapest_spares_what_holds_the_space() -> None:
    """A land transport and an infantry cost 1 each: the transport goes first."""
    work = fight(
        Battle(
            4, "land", side("us", ("infantry", 1)), side("germany", ("infantry", 1), ("land_transport", 1))
        )
    )
    left = {row.unit: row.each for row in exact_odds(work).survival if row.side == DEFENDING}
    assert left == {"infantry": 1.0, "land_transport": pytest.approx(8 / 12)}


def test_keep_control_pays_more_to_hold() -> None:
    """One Gray hit: an infantry and an anti-air for 3, rather than both infantry for 2."""
    defending = side("germany", ("infantry", 2), ("anti_air", 2))
    work = fight(Battle(5, "land", side("us", ("tank", 1)), defending))
    cheapest = exact_odds(work)
    keep = exact_odds(work, {DEFENDING: KEEP_CONTROL})
    assert cheapest.p_hold == pytest.approx(1 - 5 / 12)
    assert keep.p_hold == pytest.approx(1)
    assert keep.expected_loss[DEFENDING] == pytest.approx(3 * 5 / 12), "one infantry and one anti-air"


def test_what_was_worked_out_before_serves_the_same_question_only() -> None:
    attack, tanks = side("us", ("tank", 3), ("infantry", 2)), side("germany", ("tank", 2), ("infantry", 3))
    asked: list[tuple[Fight, dict[str, Policy]]] = []
    for defending in (tanks, side("germany", ("tank", 3), ("infantry", 2))):
        work = fight(Battle(4, "land", attack, defending))
        asked += [
            (work, {}),
            (work, {DEFENDING: KEEP_CONTROL}),
            (work, {DEFENDING: Policy("order", ("tank",))}),
        ]
    first = [exact_odds(work, policies) for work, policies in asked]
    assert len({repr(odds) for odds in first}) > 3
    again = [exact_odds(work, policies) for work, policies in reversed(asked)]
    assert [repr(odds) for odds in reversed(again)] == [repr(odds) for odds in first]


def test_own_order_of_loss() -> None:
    defending = side("germany", ("infantry", 2), ("tank", 1))
    work = fight(Battle(5, "land", side("us", ("tank", 1)), defending))
    order = exact_odds(work, {DEFENDING: Policy("order", ("tank", "infantry"))})
    left = {row.unit: row.each for row in order.survival if row.side == DEFENDING}
    assert left == {"infantry": 1.0, "tank": pytest.approx(7 / 12)}


def test_light_bomber_defends_against_the_surface_while_there_is_any() -> None:
    attack = (*side("us", ("fighter", 1)), *side("us", ("infantry", 1)))
    defending = side("germany", ("light_bomber", 1))
    plain = exact_odds(fight(Battle(4, "land", attack, defending)))
    air = exact_odds(fight(Battle(4, "land", attack, (replace(defending[0], choice="air"),))))
    fighter = {row.unit: row.each for row in plain.survival if row.side == ATTACKING}
    # It rolls only if the fighter has missed on step 2.
    assert fighter == {"fighter": 1.0, "infantry": pytest.approx(1 - 6 / 12 * 5 / 12)}
    fighter = {row.unit: row.each for row in air.survival if row.side == ATTACKING}
    assert fighter == {"fighter": pytest.approx(1 - 6 / 12 * 3 / 12), "infantry": 1.0}


def test_combined_fire_is_used_as_the_attacker_would() -> None:
    """Two destroyers alone never hurt a cruiser; together two hits make a Gray one."""
    attack = side("germany", ("destroyer", 2))
    defending = side("us", ("cruiser", 1))
    assert exact_odds(fight(Battle(3, "sea", attack, defending))).p_defender_cleared == 0
    combined = (replace(attack[0], combined=True),)
    odds = exact_odds(fight(Battle(3, "sea", combined, defending)))
    # First the cruiser rolls White and Gray at 8: both destroyers must live.
    both_live = (7 / 12) ** 2
    assert odds.p_defender_cleared == pytest.approx(both_live * (5 / 12) ** 2, abs=1e-12)


def test_retreat_only_where_the_file_says_so() -> None:
    table = with_printed(TABLE, {"infantry.abilities": ["retreat"]})
    battle = Battle(4, "land", side("us", ("tank", 2)), side("germany", ("infantry", 2)))
    stay = exact_odds(fight(battle, table))
    gone = exact_odds(fight(replace(battle, retreat=("infantry",)), table))
    assert stay.p_defender_cleared < 1
    assert gone.p_defender_cleared == 1, "a full retreat empties the space"
    # The tanks roll their bonus attack at the two leavers: any hit takes both.
    survive = next(row.each for row in gone.survival if row.side == DEFENDING)
    assert survive == pytest.approx((7 / 12) ** 2)
    assert gone.expected_loss[ATTACKING] == 0


def test_retreat_is_full_when_only_units_that_hold_nothing_stay() -> None:
    """The anti-air that stays is not control-capable: the tank draws the bonus attack as it leaves."""
    table = with_printed(TABLE, {"tank.abilities": ["retreat"]})
    defending = side("germany", ("tank", 1), ("anti_air", 1))
    battle = Battle(4, "land", side("us", ("tank", 1)), defending, retreat=("tank",))
    left = {row.unit: row.each for row in exact_odds(fight(battle, table)).survival if row.side == DEFENDING}
    assert left == {"tank": pytest.approx(7 / 12), "anti_air": pytest.approx(7 / 12)}


def test_simulation_agrees_within_its_error() -> None:
    work = fight(
        Battle(
            4,
            "land",
            side("us", ("tank", 3), ("infantry", 4), ("artillery", 1), ("fighter", 2)),
            side("germany", ("tank", 2), ("infantry", 4), ("anti_air", 1), ("light_bomber", 1)),
        )
    )
    exact, rolled = exact_odds(work), simulated_odds(work, runs=4000, seed=7)
    assert rolled.method == "simulation"
    assert rolled.seed == 7
    for key in ("p_defender_cleared", "p_attacker_cleared", "p_capture", "p_hold"):
        assert getattr(rolled, key) == pytest.approx(getattr(exact, key), abs=5 * rolled.error + 1e-9)


def test_the_report_of_a_simulation_says_how_it_was_drawn() -> None:
    raw = {
        "game": "sfw96",
        "movement_step": 4,
        "terrain": "land",
        "attacking": [{"unit": "infantry", "count": 2, "nation": "us"}],
        "defending": [{"unit": "infantry", "count": 1, "nation": "germany"}],
    }
    found = read_battle(raw)
    rolled = simulated_odds(found.fight, runs=20, seed=7)
    told = odds_data(found, rolled)
    assert (told["runs"], told["standard_error"], told["seed"]) == (20, rolled.error, 7)
    assert not {"runs", "standard_error", "seed"} & set(odds_data(found, exact_odds(found.fight)))


def test_too_large_a_battle_is_refused_by_the_exact_method() -> None:
    work = fight(
        Battle(
            4, "land", side("us", ("tank", 9), ("infantry", 9)), side("germany", ("tank", 9), ("infantry", 9))
        )
    )
    with pytest.raises(TooLargeError, match="pairs of strengths, at most 50 are worked exactly"):
        exact_odds(work, max_cells=50)


def test_odds_in_mid_battle_start_from_what_is_left() -> None:
    work = fight(Battle(4, "land", side("us", ("tank", 2)), side("germany", ("infantry", 3))))
    position = steps(work).index("6")
    whole = exact_odds(work)
    late = exact_odds(work, position=position)
    assert late.p_defender_cleared == pytest.approx(whole.p_defender_cleared)
    weak = exact_odds(work, position=position, attacking=(1,), defending=(2,))
    assert weak.p_defender_cleared == pytest.approx(5 / 12)
    over = exact_odds(work, position=len(steps(work)), attacking=(1,), defending=(0,))
    assert over.p_defender_cleared == 1

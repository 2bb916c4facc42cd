"""Exact odds of North Africa combats against a naive oracle, face by face, and against hand-made figures."""

from __future__ import annotations

import itertools
import random
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest

from companion.games.aana.odds.answer import MAX_ROUNDS, Odds
from companion.games.aana.odds.play import exact_odds
from companion.games.aana.rules.casualties import Cargo, LossPolicy
from companion.games.aana.rules.combat import Kind, Rules, arena_of
from companion.games.aana.rules.figures import FigureBook, figure_book
from companion.games.aana.rules.rounds import UNLIMITED, AttackPlan, DefencePlan, Pools
from tests.odds.aana_slow import exact_odds as slow_odds

ROOT = Path(__file__).parents[2]
TABLE = tomllib.loads((ROOT / "scenarios/aana/units.toml").read_text())
# Figures for the oracle only; they need not be the printed ones.
PRINTED = {
    f"unit.{power}.{unit}.{figure}": value
    for power in ("germany", "italy", "us")
    for unit, values in {
        "infantry": (3, 2, 3, 1),
        "artillery": (4, 3, 3, 1),
        "anti_tank": (5, 3, 5, 1),
        "tank": (6, 5, 4, 2),
        "scout_car": (4, 2, 2, 3),
        "fighter": (10, 4, 5, 4),
        "bomber": (10, 5, 2, 4),
        "destroyer": (8, 4, 4, 4),
        "submarine": (6, 4, 2, 4),
    }.items()
    for figure, value in zip(("cost", "attack", "defence", "move"), values, strict=True)
}
PRINTED |= {
    "unit.france.infantry.defence": 3,
    "unit.france.tank.defence": 3,
    "unit.uk.battleship.attack": 6,
    "unit.uk.battleship.defence": 6,
    "unit.uk.battleship.cost": 13,
}


def book() -> FigureBook:
    return figure_book(TABLE, {k: v for k, v in PRINTED.items() if k.split(".")[1:3] not in ABSENT})


ABSENT = (
    ["italy", "anti_tank"],
    ["us", "anti_tank"],
    ["us", "scout_car"],
    ["us", "submarine"],
    ["germany", "destroyer"],
)


def odds(rules: Rules, attackers: dict[Kind, int], defenders: dict[Kind, int], **given: Any) -> Odds:
    arena, at_a, at_d = arena_of(book(), rules, attackers, defenders)
    a, d = [0] * len(arena.attackers), [0] * len(arena.defenders)
    for kind, n in attackers.items():
        a[at_a[kind]] = n
    for kind, n in defenders.items():
        d[at_d[kind]] = n
    engine = given.pop("engine", exact_odds)
    return engine(arena, tuple(a), tuple(d), **given)  # type: ignore[no-any-return,operator]


def land(unit: str, power: str = "uk", origin: str = "west") -> Kind:
    return Kind(unit, power, origin)


# The oracle: dice one by one, units one by one, written without the engine.


def faces(need: int, reroll: int) -> Fraction:
    kept = [face for face in range(1, 11) if not reroll or face < reroll]
    return Fraction(sum(face <= need for face in kept), len(kept))


def oracle(
    attackers: list[tuple[str, int, int]],
    defenders: list[tuple[str, int, int]],
    rounds: int,
    *,
    first_aim: bool = False,
) -> dict[str, Fraction]:
    """Fight lists of (name, need, reroll), cheapest first; anti-tank guns aim at tanks in round 1 if asked."""
    found: dict[str, Fraction] = {}

    def lose(own: list[tuple[str, int, int]], hits: int, aimed: int) -> list[tuple[str, int, int]]:
        left = list(own)
        for _ in range(aimed):
            tanks = [i for i, unit in enumerate(left) if unit[0] == "tank"]
            if tanks:
                del left[tanks[0]]
            else:
                hits += 1
        return left[min(hits, len(left)) :]

    def volley(own: list[tuple[str, int, int]], aims: bool) -> dict[tuple[int, int], Fraction]:
        dist: dict[tuple[int, int], Fraction] = {}
        for results in itertools.product((0, 1), repeat=len(own)):
            p = Fraction(1)
            plain = aimed = 0
            for (name, need, reroll), hit in zip(own, results, strict=True):
                chance = faces(need, reroll)
                p *= chance if hit else 1 - chance
                if aims and name == "anti_tank":
                    aimed += hit
                else:
                    plain += hit
            dist[plain, aimed] = dist.get((plain, aimed), Fraction(0)) + p
        return dist

    def fight(
        a: list[tuple[str, int, int]], d: list[tuple[str, int, int]], round_no: int, p: Fraction
    ) -> None:
        aims = first_aim and round_no == 1
        for (h, t), q in volley(a, aims).items():
            for (k, u), r in volley(d, aims).items():
                d2, a2 = lose(d, h, t), lose(a, k, u)
                chance = p * q * r
                if not d2:
                    end = "attacker" if a2 else "both"
                elif not a2:
                    end = "defender"
                elif round_no == rounds:
                    end = "ceased"
                else:
                    fight(a2, d2, round_no + 1, chance)
                    continue
                found[end] = found.get(end, Fraction(0)) + chance

    fight(attackers, defenders, 1, Fraction(1))
    return found


def close(found: Odds, expected: dict[str, Fraction]) -> None:
    """Assert that every result has its exact chance, and that all chances are accounted for."""
    for name, p in found.results.items():
        assert p == pytest.approx(float(expected.get(name, Fraction(0))), abs=1e-12), name
    assert sum(found.results.values()) == pytest.approx(1, abs=1e-12)
    assert sum(found.rounds.values()) == pytest.approx(1, abs=1e-12)


def test_infantry_with_artillery_against_infantry_matches_the_oracle() -> None:
    found = odds(
        Rules(main_origin="west"),
        {land("infantry"): 2, land("artillery"): 1},
        {Kind("infantry", "germany"): 2},
        attack=AttackPlan(rounds=2, losses=LossPolicy(keep_land=False)),
    )
    # Infantry 2 goes first; with one gun one infantry fires at 3 while both live.
    mine = _supported_oracle(rounds=2)
    close(found, mine)


def _supported_oracle(rounds: int) -> dict[str, Fraction]:
    """Two infantry (2) and one gun (3, supports one infantry) against two infantry (3): losses infantry first."""
    found: dict[str, Fraction] = {}
    values = {3: (3, 2, 3), 2: (3, 3), 1: (3,)}

    def dist(needs: tuple[int, ...]) -> list[Fraction]:
        row = [Fraction(1)]
        for need in needs:
            p = Fraction(need, 10)
            grown = [Fraction(0)] * (len(row) + 1)
            for n, q in enumerate(row):
                grown[n] += q * (1 - p)
                grown[n + 1] += q * p
            row = grown
        return row

    def fight(a: int, d: int, round_no: int, p: Fraction) -> None:
        for h, q in enumerate(dist(values[a])):
            for k, r in enumerate(dist((3,) * d)):
                a2, d2 = max(0, a - k), max(0, d - h)
                chance = p * q * r
                if not d2 or not a2:
                    end = "both" if not d2 and not a2 else "attacker" if a2 else "defender"
                elif round_no == rounds:
                    end = "ceased"
                else:
                    fight(a2, d2, round_no + 1, chance)
                    continue
                found[end] = found.get(end, Fraction(0)) + chance

    fight(3, 2, 1, Fraction(1))
    return found


def test_flanks_and_the_tobruk_bonus_match_the_oracle() -> None:
    found = odds(
        Rules(main_origin="west", bonus_reroll=9),
        {land("tank", "germany"): 2, land("tank", "germany", "south"): 1},
        {Kind("infantry", "uk"): 2, Kind("matilda", "uk"): 1},
        attack=AttackPlan(rounds=2, losses=LossPolicy(keep_land=False)),
    )
    # The engine loses south before west among equals (order of territories); flankers reroll 8 to 10.
    south, west = ("tank", 5, 8), ("tank", 5, 0)
    defenders = [("infantry", 3, 9), ("infantry", 3, 9), ("matilda", 5, 9)]
    close(found, oracle([south, west, west], defenders, 2))


def test_anti_tank_guns_aim_in_the_first_round_only() -> None:
    found = odds(
        Rules(main_origin="west"),
        {land("infantry"): 1, land("anti_tank"): 2},
        {Kind("infantry", "germany"): 1, Kind("tank", "germany"): 1},
        attack=AttackPlan(rounds=2, losses=LossPolicy(keep_land=False)),
    )
    attackers = [("anti_tank", 2, 0), ("anti_tank", 2, 0), ("infantry", 2, 0)]
    defenders = [("infantry", 3, 0), ("tank", 4, 0)]
    mine = oracle(_by_cost(attackers), defenders, 2, first_aim=True)
    close(found, mine)


def _by_cost(units: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    return sorted(units, key=lambda unit: {"infantry": 3, "anti_tank": 4}[unit[0]])


def test_one_fighter_hits_forty_percent_of_the_time() -> None:  # vector N19
    found = odds(
        Rules(domain="sea"),
        {Kind("fighter", "uk"): 1},
        {},
        cargo=Cargo(units=(("germany", "infantry", 1),)),
        costs={("germany", "infantry"): 3},
        attack=AttackPlan(rounds=1),
    )
    assert found.expected_loss["cargo"] == pytest.approx(float(Fraction(4, 10)))


def test_an_endless_duel_is_summed_exactly() -> None:
    """One destroyer (4) against one (4): per round win 24, lose 24, both 16 of 100, else again."""
    found = odds(Rules(domain="sea"), {Kind("destroyer", "uk"): 1}, {Kind("destroyer", "italy"): 1})
    done = Fraction(64, 100)
    assert found.results["attacker"] == pytest.approx(float(Fraction(24, 100) / done))
    assert found.results["defender"] == pytest.approx(float(Fraction(24, 100) / done))
    assert found.results["both"] == pytest.approx(float(Fraction(16, 100) / done))
    assert found.rounds[1] == pytest.approx(float(done))
    assert found.rounds[5] == pytest.approx(float(done * (1 - done) ** 4))
    assert max(found.rounds) <= MAX_ROUNDS + 1


def test_a_combat_that_is_not_over_after_all_rounds_is_a_stalemate() -> None:
    ships = {Kind("destroyer", "uk"): 1}, {Kind("destroyer", "italy"): 1}
    found = odds(Rules(domain="sea"), *ships, from_round=20_000)
    assert found.results == {**dict.fromkeys(found.results, 0.0), "stalemate": 1.0}
    assert found.rounds == {MAX_ROUNDS + 1: 1.0}


def test_a_combat_of_many_loses_no_chance() -> None:
    """Of so many states those that hardly ever occur are dropped on the way."""
    found = odds(Rules(), {land("infantry"): 40}, {Kind("infantry", "italy"): 40})
    for chances in (found.results, found.rounds):
        assert sum(chances.values()) == pytest.approx(1, abs=1e-12)


def test_submarines_strike_first_without_a_destroyer() -> None:
    found = odds(
        Rules(domain="sea"),
        {Kind("submarine", "germany"): 1},
        {Kind("battleship", "uk"): 1},
        attack=AttackPlan(rounds=1),
    )
    # One hit only marks the ship, which still fires at 6.
    close(found, {"defender": Fraction(6, 10), "ceased": Fraction(4, 10)})
    damaged = odds(
        Rules(domain="sea"),
        {Kind("submarine", "germany"): 1},
        {Kind("battleship", "uk", damaged=True): 1},
        attack=AttackPlan(rounds=1),
    )
    # Struck at once, it does not fire back.
    assert damaged.results["attacker"] == pytest.approx(float(Fraction(4, 10)))
    assert damaged.results["defender"] == pytest.approx(float(Fraction(6, 10) * Fraction(6, 10)))


def test_a_destroyer_cancels_the_strike_and_lets_air_hit_submarines() -> None:
    found = odds(
        Rules(domain="sea"),
        {Kind("fighter", "uk"): 1, Kind("destroyer", "uk"): 1},
        {Kind("submarine", "germany"): 2},
        attack=AttackPlan(rounds=1),
    )
    assert found.results["attacker"] + found.results["both"] == pytest.approx(float(Fraction(16, 100)))


def test_air_cannot_hit_submarines_alone_and_the_combat_is_a_stalemate() -> None:
    found = odds(Rules(domain="sea"), {Kind("fighter", "uk"): 2}, {Kind("submarine", "germany"): 1})
    assert found.results["stalemate"] == 1
    assert found.rounds == {1: 1}


def test_vichy_surrenders_after_a_round_without_a_hit() -> None:
    found = odds(
        Rules(main_origin="sea", must_press=True),
        {land("infantry", "us", "sea"): 5},
        {Kind("infantry", "vichy"): 2},
        attack_supply=(4,),
    )
    assert found.p_surrender > 0
    assert found.results["ceased"] == 0
    assert found.p_capture == found.results["attacker"]


def test_supply_ends_an_attack_and_a_defence() -> None:
    attackers, defenders = {land("infantry"): 6}, {Kind("infantry", "germany"): 4}
    poor = odds(Rules(main_origin="west"), attackers, defenders, attack_supply=(0,))
    assert set(poor.rounds) == {1}
    assert poor.results["ceased"] > 0
    unpaid = odds(
        Rules(main_origin="west"),
        attackers,
        defenders,
        attack_supply=(UNLIMITED,),
        defence_supply=0,
    )
    assert unpaid.p_retreat + sum(e.p for e in unpaid.endings if not any(e.defenders)) == pytest.approx(1)
    assert unpaid.expected_loss["attacker"] == pytest.approx(0, abs=1e-12)
    cornered = odds(Rules(main_origin="west", can_retreat=False), attackers, defenders, defence_supply=0)
    assert cornered.expected_loss["defender"] == 4


def test_aaa_alone_dies_after_firing_only_if_a_plane_lives() -> None:
    found = odds(Rules(), {Kind("fighter", "germany"): 1}, {Kind("aaa", "uk"): 1})
    assert found.results["attacker"] == pytest.approx(float(Fraction(8, 10)))
    assert found.results["defender"] == pytest.approx(float(Fraction(2, 10)))
    assert set(found.rounds) == {0}


def test_air_defence_that_is_over_does_not_fire_again() -> None:
    """Three fighters (attack 4) on two infantry (3) and a gun that fires in the opening only."""
    attackers = {Kind("fighter", "germany"): 3}
    defenders = {Kind("infantry", "uk"): 2, Kind("aaa", "uk"): 1}
    found = odds(Rules(), attackers, defenders, opened=True)
    slow = odds(Rules(), attackers, defenders, opened=True, engine=slow_odds, exact=True)
    whole = odds(Rules(), attackers, defenders)
    assert found.results["attacker"] == pytest.approx(float(slow.results["attacker"]), abs=1e-12)
    assert found.results["attacker"] > whole.results["attacker"] + 0.1
    alone = odds(Rules(), {Kind("fighter", "germany"): 1}, {Kind("aaa", "uk"): 1}, from_round=2)
    assert alone.results["defender"] == 0, "a gun that has fired is no danger"
    assert min(alone.rounds) == 2, "and it is shot at, not swept away"


def test_guns_do_not_aim_at_tanks_from_round_two_on() -> None:
    attackers = {land("anti_tank"): 1}
    defenders = {Kind("infantry", "germany"): 1, Kind("tank", "germany"): 1}
    given = {"attack": AttackPlan(rounds=2)}
    first = odds(Rules(main_origin="west"), attackers, defenders, opened=True, attack=AttackPlan(rounds=1))
    later = odds(Rules(main_origin="west"), attackers, defenders, from_round=2, **given)
    at = {unit: [kind.unit for kind in _defenders(defenders)].index(unit) for unit in ("infantry", "tank")}
    assert first.survivors["defender"][at["tank"]] == pytest.approx(0.8)
    assert first.survivors["defender"][at["infantry"]] == pytest.approx(1)
    assert later.survivors["defender"][at["tank"]] == pytest.approx(1)
    assert later.survivors["defender"][at["infantry"]] == pytest.approx(0.8)
    assert set(later.rounds) == {2}


def _defenders(defenders: dict[Kind, int]) -> tuple[Kind, ...]:
    return arena_of(book(), Rules(), {}, defenders)[0].defenders


def test_stop_rules() -> None:
    attackers, defenders = {land("infantry"): 3}, {Kind("infantry", "germany"): 3}
    wary = odds(Rules(main_origin="west"), attackers, defenders, attack=AttackPlan(cease_at_most=2))
    assert all(sum(e.attackers) <= 2 for e in wary.endings if e.result == "ceased")
    ran = odds(Rules(main_origin="west"), attackers, defenders, defence=DefencePlan(retreat_round=2))
    assert max(ran.rounds) == 2
    assert ran.p_retreat > 0
    bold = odds(Rules(main_origin="west"), attackers, defenders, attack=AttackPlan(press_at_most=2))
    assert all(sum(e.defenders) > 2 for e in bold.endings if e.result == "ceased")


@pytest.mark.parametrize("spill", [True, False])
def test_sub_hits_under_air_escort_follow_the_ruling(spill: bool) -> None:
    found = odds(
        Rules(domain="sea", spill=spill),
        {Kind("submarine", "uk"): 2},
        {Kind("fighter", "italy"): 1},
        cargo=Cargo(units=(("italy", "infantry", 3),), supply=(("germany", 2), ("italy", 5))),
        costs={("italy", "infantry"): 3},
        attack=AttackPlan(rounds=1),
    )
    assert (found.expected_loss["cargo"] > 0) is spill
    if not spill:
        assert found.results["stalemate"] == 1


SCENES: dict[str, tuple[Rules, dict[Kind, int], dict[Kind, int], dict[str, Any]]] = {
    "combined arms on Tobruk": (
        Rules(main_origin="west", bonus_reroll=9),
        {land("tank", "germany"): 2, land("infantry", "germany", "south"): 2, Kind("bomber", "germany"): 1},
        {Kind("infantry", "uk"): 2, Kind("aaa", "uk"): 1, Kind("anti_tank", "uk"): 1},
        {"attack": AttackPlan(rounds=3), "attack_supply": (2,), "defence_supply": 2},
    ),
    "two pools, raid and retreat": (
        Rules(main_origin="west", bonus_reroll=9, bonus_from="south", bonus_once=True),
        {land("infantry"): 3, land("matilda", "uk", "south"): 2, land("scout_car", "uk", "south"): 1},
        {Kind("infantry", "italy"): 2, Kind("fighter", "italy"): 1, Kind("scout_car", "italy"): 1},
        {
            "attack": AttackPlan(rounds=4, air_alone=True),
            "defence": DefencePlan(retreat_at_most=2, exempt_fight=True),
            "attack_supply": (1, 1),
            "pools": Pools((("west", 0), ("south", 1))),
            "defence_supply": 2,
        },
    ),
    "fleet and convoy": (
        Rules(domain="sea"),
        {Kind("destroyer", "italy"): 1, Kind("submarine", "italy"): 2, Kind("fighter", "italy"): 1},
        {Kind("battleship", "uk"): 1, Kind("submarine", "uk"): 1, Kind("fighter", "uk"): 1},
        {
            "cargo": Cargo(units=(("uk", "aaa", 1), ("uk", "infantry", 2)), supply=(("uk", 6),)),
            "costs": {("uk", "infantry"): 3, ("uk", "aaa"): 3},
            "attack": AttackPlan(rounds=3),
        },
    ),
    "dive bombers at sea, submerging": (
        Rules(domain="sea"),
        {Kind("bomber", "germany"): 2, Kind("submarine", "germany"): 1},
        {Kind("destroyer", "uk"): 1, Kind("submarine", "uk"): 1},
        {
            "cargo": Cargo(units=(("uk", "infantry", 1),)),
            "costs": {("uk", "infantry"): 3},
            "attack": AttackPlan(rounds=3, submerge=True),
            "defence": DefencePlan(submerge=True),
        },
    ),
    "the bonus holds while its territory attacks": (
        Rules(main_origin="west", bonus_reroll=7, bonus_from="south"),
        {land("tank", "germany"): 2, land("infantry", "germany", "south"): 1},
        {Kind("infantry", "uk"): 2, Kind("artillery", "uk"): 1},
        {"attack": AttackPlan(rounds=4)},
    ),
    "the bonus goes with the scout cars": (
        Rules(main_origin="west", bonus_reroll=6, bonus_from="south"),
        {land("infantry"): 3, land("scout_car", "uk", "south"): 2},
        {Kind("infantry", "italy"): 3},
        {"attack_supply": (3,), "defence_supply": 4},
    ),
    "bombers aim at transports past the escort": (
        Rules(domain="sea"),
        {Kind("bomber", "germany"): 2, Kind("fighter", "germany"): 1},
        {Kind("destroyer", "uk"): 2},
        {
            "cargo": Cargo(units=(("uk", "aaa", 1), ("uk", "infantry", 4)), supply=(("uk", 6),)),
            "costs": {("uk", "infantry"): 3, ("uk", "aaa"): 3},
            "attack": AttackPlan(rounds=3, losses=LossPolicy(aim_at=("transport",))),
        },
    ),
    "bombers aim at destroyers, then at transports": (
        Rules(domain="sea", spill=False),
        {Kind("bomber", "germany"): 3},
        {Kind("destroyer", "uk"): 1, Kind("submarine", "uk"): 1, Kind("fighter", "uk"): 1},
        {
            "cargo": Cargo(units=(("uk", "infantry", 5),)),
            "costs": {("uk", "infantry"): 3},
            "attack": AttackPlan(rounds=2, losses=LossPolicy(aim_at=("destroyer", "transport"))),
        },
    ),
    "the last unit that may move in, of two pools": (
        Rules(main_origin="west"),
        {land("infantry"): 2, land("matilda", "uk", "south"): 1, Kind("fighter", "uk"): 2},
        {Kind("infantry", "italy"): 3, Kind("tank", "italy"): 1},
        {
            "attack": AttackPlan(rounds=3, keep="useful"),
            "attack_supply": (0, 1),
            "pools": Pools((("west", 0), ("south", 1))),
            "defence": DefencePlan(retreat_at_most=1),
        },
    ),
    "the last unit that may move in, where aircraft go on": (
        Rules(main_origin="west"),
        {land("infantry"): 2, Kind("fighter", "uk"): 3, land("scout_car", "uk", "west"): 1},
        {Kind("infantry", "italy"): 3},
        {"attack": AttackPlan(keep="useful", air_alone=True), "attack_supply": (1,), "defence_supply": 2},
    ),
    "the last unit that may move in, under stop rules": (
        Rules(main_origin="west"),
        {land("infantry"): 2, Kind("fighter", "uk"): 3},
        {Kind("infantry", "italy"): 2, Kind("tank", "italy"): 1},
        {"attack": AttackPlan(rounds=5, keep="useful", cease_at_most=2, press_at_most=2)},
    ),
    "landing": (
        Rules(main_origin="sea", must_press=True),
        {land("infantry", "us", "sea"): 3, land("infantry", "uk", "sea"): 1},
        {Kind("infantry", "vichy"): 2, Kind("tank", "vichy"): 1},
        {"attack_supply": (1,)},
    ),
}


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize(
    "start", [{}, {"opened": True}, {"from_round": 2}], ids=["start", "opened", "round 2"]
)
def test_fast_odds_agree_with_slow_fractions(name: str, start: dict[str, Any]) -> None:
    rules, attackers, defenders, given = SCENES[name]
    given = {**given, **start}
    quick = odds(rules, attackers, defenders, **given)
    slow = odds(rules, attackers, defenders, engine=slow_odds, exact=True, **given)
    assert sum(slow.results.values()) == 1
    for result, p in slow.results.items():
        assert quick.results[result] == pytest.approx(float(p), abs=1e-12), result
    for field in ("p_capture", "p_retreat", "p_surrender"):
        assert getattr(quick, field) == pytest.approx(float(getattr(slow, field)), abs=1e-12), field
    for field in ("expected_loss", "rounds"):
        mine, theirs = getattr(quick, field), getattr(slow, field)
        assert mine.keys() == theirs.keys()
        for key, p in theirs.items():
            assert mine[key] == pytest.approx(float(p), abs=1e-11), (field, key)
    for role, left in slow.survivors.items():
        assert quick.survivors[role] == pytest.approx([float(n) for n in left], abs=1e-11), role


def _by_chance(seed: int) -> tuple[Rules, dict[Kind, int], dict[Kind, int], dict[str, Any]] | None:
    """Return a small battle on land whose attack may end for want of supply or by its plan; None: nobody fights."""
    dice = random.Random(seed)
    attackers = {
        land(name, "uk", dice.choice(("west", "south"))): dice.randint(1, 2)
        for name in ("infantry", "artillery", "matilda", "scout_car")
        if dice.random() < 0.45
    }
    attackers |= {
        Kind(name, "uk"): dice.randint(1, 2) for name in ("fighter", "bomber") if dice.random() < 0.6
    }
    defenders = {
        Kind(name, "italy"): dice.randint(1, 2)
        for name in ("infantry", "tank", "scout_car", "fighter", "aaa")
        if dice.random() < 0.5
    }
    if not attackers or not defenders or sum(attackers.values()) > 5 or sum(defenders.values()) > 4:
        return None
    plan = AttackPlan(
        rounds=dice.randint(1, 4),
        keep="useful",
        air_alone=dice.random() < 0.4,
        cease_at_most=dice.choice((None, None, 1, 2)),
        press_at_most=dice.choice((None, None, 1, 2)),
    )
    given = {
        "attack": plan,
        "attack_supply": dice.choice(((UNLIMITED, UNLIMITED), (0, 4), (4, 0), (1, 0), (0, 0))),
        "pools": Pools((("west", 0), ("south", 1))),
        "defence_supply": dice.choice((UNLIMITED, 0, 1, 3)),
        "defence": DefencePlan(retreat_at_most=dice.choice((None, 1, 2)), exempt_fight=dice.random() < 0.5),
    }
    return Rules(main_origin="west", can_retreat=dice.random() < 0.7), attackers, defenders, given


def test_losses_that_hang_on_what_a_round_comes_to_agree_with_the_slow_odds() -> None:
    compared = differing = gained = 0
    for seed in range(150, 330):
        made = _by_chance(seed)
        if made is None:
            continue
        rules, attackers, defenders, given = made
        quick = odds(rules, attackers, defenders, **given)
        slow = odds(rules, attackers, defenders, engine=slow_odds, **given)
        spared = msgspec.structs.replace(given["attack"], keep="always")
        always = odds(rules, attackers, defenders, **{**given, "attack": spared})
        compared += 1
        differing += always.survivors != quick.survivors
        assert quick.p_capture == pytest.approx(slow.p_capture, abs=1e-10), seed
        gain = slow.p_capture - always.p_capture
        assert gain > -1e-10, f"{seed}: nothing is given up that could take it"
        gained += gain > 1e-6
        for result, p in slow.results.items():
            assert quick.results[result] == pytest.approx(p, abs=1e-10), (seed, result)
        for role, left in slow.survivors.items():
            assert quick.survivors[role] == pytest.approx(left, abs=1e-10), (seed, role)
    assert compared > 40
    assert differing > 8
    assert gained > 0, "a unit is kept that can still be paid for, where the dearest cannot"


def test_the_unit_that_is_kept_for_moving_in_is_one_that_can_be_paid_for() -> None:
    mixed = (
        Rules(main_origin="south"),
        {land("infantry", "uk", "west"): 1, land("matilda", "uk", "south"): 1},
        {Kind("infantry", "italy"): 1},
    )
    more = {"attack_supply": (5, 0), "pools": Pools((("west", 0), ("south", 1))), "defence_supply": 9}

    def taken(keep: str, supply: tuple[int, int]) -> float:
        plan = AttackPlan(keep=keep)  # type: ignore[arg-type]
        return odds(*mixed, **{**more, "attack_supply": supply}, attack=plan).p_capture

    assert taken("useful", (5, 0)) > taken("always", (5, 0)) + 0.01, "the tank's supply is spent"
    assert taken("useful", (5, 5)) == pytest.approx(taken("always", (5, 5))), "else the dearer one is kept"

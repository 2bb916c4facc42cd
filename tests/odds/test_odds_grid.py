"""Exact odds against a plain grid over random battles of every sort, under every loss policy."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from companion.games.sfw.odds.file import load_units
from companion.games.sfw.odds.play import exact_odds
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, SIDES, Battle, Fight, Group, Load
from companion.games.sfw.rules.battle_edition import SFW96
from companion.games.sfw.rules.battle_losses import CHEAPEST, KEEP_CONTROL, Policy
from companion.games.sfw.rules.battle_play import survivors
from companion.games.sfw.rules.battle_rolls import steps
from companion.games.sfw.rules.battle_setup import set_up
from companion.games.sfw.rules.units import with_printed
from tests.odds.plain_grid import plain_grid

TABLE = with_printed(
    load_units("sfw96"),
    {
        "tank.number": 8,
        "cruiser.anti_air": 1,
        "carrier.targets": ["sea", "land"],
        "battleship.range": 2,
        "carrier.range": 1,
        "infantry.abilities": ["level_up", "retreat"],
        "tank.abilities": ["retreat"],
        "destroyer.abilities": ["level_up"],
        "light_bomber.abilities": ["precise_hit", "level_up"],
    },
)
AIR = ("air_transport", "fighter", "light_bomber", "heavy_bomber")
UNITS = {
    "land": (*AIR, "land_transport", "infantry", "artillery", "anti_air", "tank"),
    "mountain": (*AIR, "infantry", "artillery", "anti_air"),
    "sea": (*AIR, "sea_transport", "submarine", "destroyer", "cruiser", "carrier", "battleship"),
}
NATIONS = {ATTACKING: ("us", "gb"), DEFENDING: ("germany", "italy")}


def _group(chance: random.Random, terrain: str, side: str, *, occasion: str) -> Group:
    unit = chance.choice(UNITS[terrain])
    nation = chance.choice(NATIONS[side])
    supports = chance.random() < 0.2 and occasion == "battle"
    if supports and terrain != "sea":
        unit = chance.choice(("artillery", "battleship", "cruiser", "sea_transport"))
    distance = 1 if supports and TABLE.units[unit].range != 0 else 0
    cargo: tuple[Load, ...] = ()
    if unit == "sea_transport" and terrain == "land" and side == ATTACKING:
        distance, cargo = 1, (Load("tank", 1), Load("infantry", 1))
    elif unit == "sea_transport" and terrain != "sea":
        unit, distance = "infantry", 0
    elif unit in ("air_transport", "land_transport") and terrain == "land":
        cargo = (Load("infantry", chance.randint(1, 2)),)
    return Group(
        unit,
        chance.randint(1, 2),
        nation,
        distance,
        moved=chance.choice((None, True, False)),
        spent=chance.random() < 0.1,
        choice=chance.choice(("", "air")) if unit == "light_bomber" else "",
        bombing=chance.randint(0, 2) if unit == "heavy_bomber" and side == ATTACKING else 0,
        combined=False,
        cargo=cargo,
    )


def random_fight(seed: int) -> tuple[Fight, dict[str, Policy]] | None:
    """Return a random battle with its policies; None where the dice make nonsense."""
    chance = random.Random(seed)
    terrain = chance.choice(tuple(UNITS))
    occasion = chance.choice(("battle",) * 6 + ("movement", "disengage"))
    groups = {
        side: [_group(chance, terrain, side, occasion=occasion) for _ in range(chance.randint(1, 3))]
        for side in SIDES
    }
    if chance.random() < 0.15 and occasion == "battle":
        groups[ATTACKING] = [
            Group(g.unit, g.count, g.nation, g.distance, combined=bool(TABLE.units[g.unit].fire), moved=False)
            for g in groups[ATTACKING]
            if not g.cargo
        ]
    is_entry = occasion == "movement"
    battle = Battle(
        chance.randint(4, 5) if occasion == "disengage" else chance.randint(1, 5),
        terrain,
        tuple(groups[ATTACKING]),
        tuple(groups[DEFENDING]),
        occasion,
        airfield=chance.choice(("", *SIDES)) if occasion == "battle" else "",
        sea_walls=chance.randint(0, 1) if occasion == "battle" else 0,
        lines=chance.randint(0, 2) if is_entry else 0,
        mines=chance.randint(0, 2) if is_entry else 0,
        push_through=is_entry,
        bridge=is_entry and chance.random() < 0.5,
        retreat=("infantry", "tank") if chance.random() < 0.3 and occasion == "battle" else (),
    )
    if terrain == "sea":
        battle = replace(battle, airfield="", sea_walls=0, lines=0, bridge=False)
    found = set_up(battle, SFW96, TABLE)
    if not isinstance(found, Fight):
        return None
    policies = {
        side: chance.choice(
            (CHEAPEST, CHEAPEST, KEEP_CONTROL, Policy("order", ("tank", "infantry", "gb fighter")))
        )
        for side in SIDES
    }
    return found, policies


def compare(seed: int) -> bool:
    """Compare one random battle; False where there was none, or the grid takes too long."""
    made = random_fight(seed)
    if made is None:
        return False
    fight, policies = made
    odds = exact_odds(fight, policies)
    slow = plain_grid(fight, policies, seconds=1.0)
    if slow is None:
        return False
    ashore = "7B" in steps(fight)
    ends: dict[tuple[tuple[tuple[str, int], ...], ...], float] = {}
    for states, chance in slow.items():
        key = []
        for side, counts in zip(SIDES, states, strict=True):
            left: dict[str, int] = {}
            for (_, unit), n in survivors(fight, side, counts, ashore=ashore, supporters=False).items():
                left[unit] = left.get(unit, 0) + n
            key.append(tuple(sorted(left.items())))
        ends[tuple(key)] = ends.get(tuple(key), 0.0) + chance
    found = {
        (tuple(sorted(o.attacking.items())), tuple(sorted(o.defending.items()))): o.p for o in odds.outcomes
    }
    wrong = [
        (key, found.get(key, 0.0), ends.get(key, 0.0))
        for key in {*found, *ends}
        if abs(found.get(key, 0.0) - ends.get(key, 0.0)) > 1e-12
    ]
    assert not wrong, f"seed {seed}: {len(wrong)} outcomes differ, first {wrong[0]}"
    cleared = sum(p for (_, defending), p in slow.items() if not fight.in_space(DEFENDING, defending))
    assert odds.p_defender_cleared == pytest.approx(cleared, abs=1e-12)
    return True


@pytest.mark.parametrize("batch", range(4))
def test_random_battles_agree_with_a_plain_grid(batch: int) -> None:
    assert sum(compare(seed) for seed in range(batch * 60, batch * 60 + 60)) > 20


@pytest.mark.long
@pytest.mark.parametrize("batch", range(10))
def test_many_random_battles_agree_with_a_plain_grid(batch: int) -> None:
    start = 1000 + batch * 200
    assert sum(compare(seed) for seed in range(start, start + 200)) > 60

"""Who rolls what on which step, and why a unit does not: the abilities and limits of v0.96 as tables."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.sfw.odds.file import load_units
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Battle, Fight, Group, Load, other_side
from companion.games.sfw.rules.battle_edition import SFW96, with_rulings
from companion.games.sfw.rules.battle_fire import inferred, missing, rolls
from companion.games.sfw.rules.battle_rolls import Reason
from companion.games.sfw.rules.battle_setup import set_up
from companion.games.sfw.rules.units import UnitTable, with_card, with_printed

BARE = load_units("sfw96")
TABLE: UnitTable = with_printed(
    BARE, {"tank.number": 8, "cruiser.anti_air": 1, "carrier.targets": ["sea", "land"]}
)


def fight(battle: Battle, table: UnitTable = TABLE, rulings: dict[str, str] | None = None) -> Fight:
    found = set_up(battle, with_rulings(SFW96, rulings or {}), table, has_begun=True)
    assert isinstance(found, Fight), found
    return found


def listed(work: Fight, step: str, side: str) -> list[tuple[str, int, str, int]]:
    """Return unit, dice, colour and number of every volley of a side with everybody there."""
    found = rolls(work, step, side, work.start(side), work.start(other_side(side)))
    return [(v.source, v.dice, TABLE.level_name(v.level), v.number) for v in found.volleys]


def why(work: Fight, step: str, side: str) -> dict[str, str]:
    found = rolls(work, step, side, work.start(side), work.start(other_side(side)))
    return {work.kinds(side)[s.kind].unit.id: s.reason for s in found.silent}


def one(attacker: Group, defender: Group, step: int = 4, terrain: str = "land", **more: Any) -> Fight:
    return fight(Battle(step, terrain, (attacker,), (defender,), **more))


def us(unit: str, count: int = 1, **more: Any) -> Group:
    return Group(unit, count, "us", **more)


def axis(unit: str, count: int = 1, **more: Any) -> Group:
    return Group(unit, count, "germany", **more)


@pytest.mark.parametrize(
    ("unit", "enemy", "terrain", "step", "attack", "defence"),
    [
        ("infantry", "infantry", "land", "6", [("infantry", 1, "white", 9)], [("infantry", 1, "white", 9)]),
        ("tank", "infantry", "land", "6", [("tank", 1, "gray", 8)], [("tank", 1, "gray", 8)]),
        ("artillery", "infantry", "land", "5", [("artillery", 1, "gray", 8)], [("artillery", 1, "gray", 8)]),
        ("anti_air", "fighter", "land", "1", [("anti_air", 1, "white", 9)], [("anti_air", 1, "white", 9)]),
        ("anti_air", "infantry", "land", "1", [], []),
        ("fighter", "fighter", "land", "2", [("fighter", 1, "white", 7)], [("fighter", 1, "white", 7)]),
        ("fighter", "infantry", "land", "2", [], []),
        (
            "light_bomber",
            "infantry",
            "land",
            "3",
            [("light_bomber", 1, "gray", 8)],
            [("light_bomber", 1, "gray", 8)],
        ),
        ("light_bomber", "fighter", "land", "3", [], [("light_bomber", 1, "white", 10)]),
        ("heavy_bomber", "infantry", "land", "3", [("heavy_bomber", 5, "gray", 9)], []),
        ("heavy_bomber", "fighter", "land", "3", [], [("heavy_bomber", 1, "white", 11)]),
        (
            "submarine",
            "destroyer",
            "sea",
            "4",
            [("submarine", 1, "white", 9)],
            [("submarine", 1, "white", 9)],
        ),
        (
            "destroyer",
            "submarine",
            "sea",
            "4",
            [("destroyer", 1, "white", 8)],
            [("destroyer", 1, "white", 8)],
        ),
        ("cruiser", "submarine", "sea", "5", [], []),
        (
            "cruiser",
            "destroyer",
            "sea",
            "5",
            [("cruiser", 1, "white", 8), ("cruiser", 1, "gray", 8)],
            [("cruiser", 1, "white", 8), ("cruiser", 1, "gray", 8)],
        ),
        (
            "battleship",
            "destroyer",
            "sea",
            "5",
            [("battleship", 1, "black", 8), ("battleship", 1, "gray", 6)],
            [("battleship", 1, "black", 8), ("battleship", 1, "gray", 6)],
        ),
        ("carrier", "destroyer", "sea", "5", [("carrier", 1, "gray", 9)], [("carrier", 1, "gray", 9)]),
        ("carrier", "fighter", "sea", "1", [("carrier", 3, "white", 9)], [("carrier", 3, "white", 9)]),
        ("cruiser", "fighter", "sea", "1", [("cruiser", 1, "white", 9)], [("cruiser", 1, "white", 9)]),
        ("land_transport", "infantry", "land", "6", [], []),
    ],
)
def test_every_standard_unit(  # noqa: PLR0917 - one column of the table each
    unit: str, enemy: str, terrain: str, step: str, attack: list[Any], defence: list[Any]
) -> None:
    assert listed(one(us(unit), axis(enemy), terrain=terrain), step, ATTACKING) == attack
    assert listed(one(us(enemy), axis(unit), terrain=terrain), step, DEFENDING) == defence


@pytest.mark.parametrize(
    ("attacker", "defender", "terrain", "step", "side", "unit", "reason"),
    [
        (us("fighter"), axis("infantry"), "land", "2", ATTACKING, "fighter", Reason.NO_TARGET),
        (us("infantry"), axis("heavy_bomber"), "land", "3", DEFENDING, "heavy_bomber", Reason.NO_TARGET),
        (us("light_bomber"), axis("fighter"), "land", "3", ATTACKING, "light_bomber", Reason.NO_TARGET),
        (us("cruiser"), axis("submarine"), "sea", "5", ATTACKING, "cruiser", Reason.NO_SONAR),
        (us("infantry", spent=True), axis("infantry"), "land", "6", ATTACKING, "infantry", Reason.SPENT),
        (us("artillery", moved=True), axis("infantry"), "land", "5", ATTACKING, "artillery", Reason.MOVED),
        (us("infantry"), axis("infantry"), "land", "5", ATTACKING, "infantry", Reason.OTHER_STEP),
        (
            us("land_transport"),
            axis("infantry"),
            "land",
            "6",
            ATTACKING,
            "land_transport",
            Reason.NO_FIREPOWER,
        ),
        (us("tank", 2, combined=True), axis("tank"), "land", "6", ATTACKING, "tank", Reason.COMBINED),
    ],
)
def test_why_a_unit_does_not_roll(  # noqa: PLR0917 - one column of the table each
    attacker: Group, defender: Group, terrain: str, step: str, side: str, unit: str, reason: str
) -> None:
    assert why(one(attacker, defender, terrain=terrain), step, side)[unit] == reason


def test_range_needs_one_more_for_each_space() -> None:
    assert listed(one(us("cruiser", distance=1), axis("destroyer"), terrain="sea"), "5", ATTACKING) == [
        ("cruiser", 1, "white", 9),
        ("cruiser", 1, "gray", 9),
    ]


def test_long_range_from_a_mountain_reaches_two_spaces() -> None:
    gun = us("artillery", distance=2, terrain="mountain")
    assert listed(one(gun, axis("infantry")), "5", ATTACKING) == [("artillery", 1, "gray", 10)]
    refused = set_up(Battle(4, "land", (us("artillery", distance=2),), (axis("infantry"),)), SFW96, TABLE)
    assert not isinstance(refused, Fight)
    assert refused[0].code == "out_of_range"
    assert str(refused[0].sentence()) == "attacking, artillery: Out of range: 2 spaces away, range 1."


def test_high_ground_is_for_defending_infantry() -> None:
    work = one(us("infantry"), axis("infantry"), terrain="mountain")
    assert listed(work, "6", ATTACKING) == [("infantry", 1, "white", 9)]
    assert listed(work, "6", DEFENDING) == [("infantry", 1, "gray", 9)]


@pytest.mark.parametrize(
    ("step", "moved", "colour"),
    [(1, False, "gray"), (3, False, "gray"), (2, False, "white"), (1, True, "white"), (1, None, "white")],
)
def test_ambush_is_for_attacking_submarines_that_did_not_move(
    step: int, *, moved: bool | None, colour: str
) -> None:
    work = one(us("submarine", moved=moved), axis("destroyer"), step, "sea")
    assert listed(work, "4", ATTACKING) == [("submarine", 1, colour, 9)]
    work = one(us("destroyer"), axis("submarine", moved=moved), step, "sea")
    assert listed(work, "4", DEFENDING) == [("submarine", 1, "white", 9)]


def test_deployed_bears_on_step_four_only() -> None:
    assert listed(one(us("artillery", moved=True), axis("infantry"), 5), "5", ATTACKING)
    assert not listed(one(us("artillery", moved=True), axis("infantry"), 4), "5", ATTACKING)


def test_built_in_anti_air_is_outside_the_limit() -> None:
    work = one(us("fighter"), axis("cruiser", spent=True), 2, "sea")
    assert listed(work, "1", DEFENDING) == [("cruiser", 1, "white", 9)]
    assert listed(work, "5", DEFENDING) == []


def test_an_airfield_rolls_for_the_side_that_controls_it() -> None:
    work = one(us("fighter"), axis("infantry"), airfield=DEFENDING)
    assert listed(work, "1", DEFENDING) == [("airfield", 1, "white", 9)]
    assert listed(work, "1", ATTACKING) == []


def test_targeted_bombing_splits_the_dice_before_the_roll() -> None:
    work = one(us("heavy_bomber", bombing=2), axis("infantry"), 2)
    found = rolls(work, "3", ATTACKING, (1,), (1,)).volleys
    assert [(v.dice, v.aim.types) for v in found] == [(2, ("objective",)), (3, ("land",))]
    all_five = one(us("heavy_bomber", bombing=5), axis("infantry"), 2)
    assert [v.aim.types for v in rolls(all_five, "3", ATTACKING, (1,), (1,)).volleys] == [("objective",)]


def test_heavy_bombers_need_ten_in_combined_fire() -> None:
    work = fight(
        Battle(
            2, "sea", (us("heavy_bomber", combined=True), us("destroyer", combined=True)), (axis("cruiser"),)
        )
    )
    assert listed(work, "7A", ATTACKING) == [("heavy_bomber", 5, "gray", 10), ("destroyer", 1, "white", 8)]
    alone = rolls(work, "7A", ATTACKING, (1, 0), (1,))
    assert [s.reason for s in alone.silent] == [Reason.ALONE]


def test_land_transport_cargo_fights_at_once() -> None:
    work = one(us("land_transport", cargo=(Load("infantry", 3), Load("anti_air", 1))), axis("infantry"))
    assert listed(work, "6", ATTACKING) == [("infantry", 3, "white", 9)]
    assert sum(work.start(ATTACKING)) == 5


def test_units_aboard_ships_do_not_fight() -> None:
    ship = us("sea_transport", distance=1, origin="E5", cargo=(Load("tank", 2),))
    work = fight(Battle(2, "land", (ship, us("light_bomber")), (axis("infantry"),)))
    assert listed(work, "6", ATTACKING) == []
    assert work.start(ATTACKING) == (1, 1, 0)


def test_a_defender_without_range_cannot_hit_ships_in_the_next_space() -> None:
    ship = us("sea_transport", distance=1, origin="E5", cargo=(Load("tank", 2),))
    work = one(ship, axis("artillery"), 2)
    assert listed(work, "5", DEFENDING) == [("artillery", 1, "gray", 9)]
    bomber = one(ship, axis("light_bomber"), 2)
    assert why(bomber, "3", DEFENDING)["light_bomber"] == Reason.NO_TARGET


def test_unknown_figures_are_named_where_they_matter() -> None:
    tank = Battle(4, "land", (us("tank"),), (axis("infantry"),))
    assert missing(fight(tank, BARE)) == ("tank.number",)
    no_roll = Battle(4, "land", (us("tank"),), (axis("fighter"),))
    assert missing(fight(no_roll, BARE)) == ()
    flak = Battle(2, "sea", (us("fighter"),), (axis("cruiser"),))
    assert missing(fight(flak, BARE)) == ("cruiser.anti_air",)
    quiet = Battle(3, "sea", (us("destroyer"),), (axis("cruiser"),))
    assert missing(fight(quiet, BARE)) == ()
    far = Battle(3, "land", (us("battleship", distance=2), us("infantry")), (axis("infantry"),))
    assert missing(fight(far, BARE)) == ("battleship.range",)
    deck = Battle(2, "sea", (us("light_bomber"),), (axis("carrier"),))
    assert missing(fight(deck, BARE)) == ("carrier.targets",)


def test_inferred_figures_are_named() -> None:
    work = one(us("artillery"), axis("anti_air"))
    assert inferred(work) == (
        "artillery.number",
        "artillery.cost",
        "artillery.extra_shot",
        "anti_air.number",
        "anti_air.cost",
    )


def test_who_rolls_at_those_who_leave_is_a_ruling() -> None:
    battle = Battle(4, "land", (axis("infantry"), axis("light_bomber")), (us("tank"),), "disengage")
    assert listed(fight(battle), "disengage", ATTACKING) == [("infantry", 1, "white", 9)]
    assert why(fight(battle), "disengage", ATTACKING)["light_bomber"] == Reason.NOT_LAND
    everybody = fight(battle, rulings={"leaving_rolls": "all_units"})
    assert listed(everybody, "disengage", ATTACKING) == [
        ("infantry", 1, "white", 9),
        ("light_bomber", 1, "gray", 8),
    ]


def test_a_card_adds_a_bonus_battle_step() -> None:
    table = with_card(
        TABLE,
        {
            "id": "mountain_infantry",
            "name": "Mountain Infantry",
            "base": "infantry",
            "nation": "italy",
            "add_battle_steps": [4],
        },
    )
    work = fight(Battle(4, "land", (us("tank"),), (Group("mountain_infantry", 2, "italy"),)), table)
    for step in ("4", "6"):
        assert listed(work, step, DEFENDING) == [("mountain_infantry", 2, "white", 9)]
    wrong = set_up(Battle(4, "land", (us("tank"),), (axis("mountain_infantry"),)), SFW96, table)
    assert not isinstance(wrong, Fight)
    assert wrong[0].code == "wrong_nation"

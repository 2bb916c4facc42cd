"""Battle files: what play refuses the odds refuse in the same sentence, and every table of a report adds up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.aana.odds.file import AanaBattle, read_aana
from companion.games.aana.odds.report import odds_lines, odds_object
from companion.games.aana.rules.battle_messages import AttackGroup, DeclareAttack
from companion.odds.battle_file import BattleFileError
from companion.pages.labels import refusal
from companion.pages.speak import speak
from tests.games.aana.aana_table import Table
from tests.odds.test_aana_play import agree, played


def units(*rows: tuple[str, str, int]) -> list[dict[str, Any]]:
    """Groups of (nation, unit, count); whoever may need a place to attack from has one."""
    return [{"nation": nation, "unit": unit, "count": n, "origin": "west"} for nation, unit, n in rows]


def battle(attacking: list[dict[str, Any]], defending: list[dict[str, Any]], **more: Any) -> Any:
    data = {"attacking": attacking, "defending": defending, "values": "unofficial", **more}
    return read_aana(data, "battle.json")


def refused(attacking: list[dict[str, Any]], defending: list[dict[str, Any]], **more: Any) -> list[str]:
    with pytest.raises(BattleFileError) as found:
        battle(attacking, defending, **more)
    return [
        speak(fault, game="aana") if not isinstance(fault, str) else fault for fault in found.value.faults
    ]


# N26


def test_land_units_at_sea_and_ships_on_land_are_refused() -> None:
    faults = refused(units(("uk", "infantry", 2)), units(("italy", "destroyer", 1)), terrain="sea")
    assert "battle.json: attacking[0]: Infantry goes to sea only by convoy." in faults
    faults = refused(units(("uk", "destroyer", 2)), units(("italy", "infantry", 1)))
    assert "battle.json: attacking[0]: Destroyer stays at sea." in faults
    faults = refused(units(("uk", "destroyer", 1)), units(("italy", "infantry", 1)), terrain="sea")
    assert "battle.json: defending[0]: Infantry goes to sea only by convoy." in faults


def test_who_never_attacks_is_refused() -> None:
    assert "battle.json: attacking[0]: Anti-Aircraft Artillery never attacks." in refused(
        units(("uk", "aaa", 2)), units(("italy", "infantry", 1))
    )
    assert "battle.json: attacking[0]: Vichy French units never attack." in refused(
        units(("vichy", "infantry", 2)), units(("us", "infantry", 1))
    )
    assert "battle.json: attacking[0]: Truck never attacks." in refused(
        units(("uk", "truck", 2)), units(("italy", "infantry", 1))
    )
    assert "battle.json: attacking[0]: Infantry cannot be damaged." in refused(
        [{**units(("uk", "infantry", 1))[0], "damaged": True}], units(("italy", "infantry", 1))
    )


def test_a_ruling_that_nobody_knows_decides_nothing() -> None:
    (fault,) = refused(
        units(("uk", "infantry", 2)),
        units(("italy", "infantry", 1)),
        rulings={"aana.last_ground": "sometimes"},
    )
    assert fault == (
        "battle.json: rulings.aana.last_ground: expected one of useful, always, never, got sometimes."
    )
    (fault,) = refused(
        units(("uk", "infantry", 2)), units(("italy", "infantry", 1)), rulings={"last_ground": "never"}
    )
    assert fault.endswith("(nearest: aana.last_ground), got last_ground.")


@pytest.mark.parametrize(
    ("spaces", "fault"),
    [
        (3, ""),
        (4, "Fighter moves 4: 4 to get there, and 1 more at least to land."),
    ],
)
def test_who_could_not_land_after_an_attack_is_refused_as_at_the_table(spaces: int, fault: str) -> None:
    plane = {"nation": "uk", "unit": "fighter", "origin": "cairo", "spaces": spaces}
    file = {
        "game": "aana",
        "attacking": [plane],
        "defending": units(("germany", "infantry", 2)),
        "values": "unofficial",
    }
    table = Table()
    table.jump("r2.uk.combat_move.declare")
    table.tell("mersa_matruh", supply=3, germany_infantry=2)
    table.tell("cairo", supply=5, uk_fighter=1)
    group = AttackGroup("cairo", {"uk.fighter": 1}, spaces=spaces)
    command = DeclareAttack(table.step, "mersa_matruh", (group,), defended=True)
    if not fault:
        read_aana(file, "battle.json")
        assert table.send(command) is None
        return
    assert refused(file["attacking"], file["defending"]) == [f"battle.json: attacking[0].spaces: {fault}"]
    table.no(command, "no_landing", fault)


def test_how_far_aircraft_fly_is_worked_out_where_borders_are_known() -> None:
    plane = {"nation": "uk", "unit": "fighter", "origin": "cairo"}
    (told,) = refused([plane], units(("germany", "infantry", 2)), territory="tripoli")
    assert told.startswith("battle.json: attacking[0].spaces: Fighter moves 4: ")
    assert told.endswith(" to get there, and 1 more at least to land.")
    battle([plane], units(("germany", "infantry", 2)), territory="mersa_matruh")


def test_powers_attack_alone_but_for_algiers_in_round_seven() -> None:
    both = units(("uk", "infantry", 3), ("us", "infantry", 3))
    alone = "battle.json: attacking: Each power attacks alone, but for the landing at Algiers in round 7: "
    told = refused(both, units(("germany", "infantry", 2)), territory="benghazi", main="west")
    assert alone + "United Kingdom and United States." in told
    told = refused(both, units(("vichy", "infantry", 2)), territory="oran", landing=True, main="west")
    assert alone + "United Kingdom and United States." in told
    landed = battle(both, units(("vichy", "infantry", 2)), territory="algiers", landing=True, main="west")
    assert odds_object(landed)["p_capture"] > 0
    french = units(("us", "infantry", 1), ("free_french", "infantry", 1))
    battle(french, units(("germany", "infantry", 1)), main="west")


def test_places_that_land_units_never_attack_are_refused() -> None:
    told = refused(units(("italy", "infantry", 1)), units(("uk", "fighter", 1)), territory="malta")
    assert "battle.json: territory: Malta bears an emblem: land units never attack or enter it." in told
    from_sicily = [{"nation": "italy", "unit": "infantry", "origin": "sicily"}]
    told = refused(from_sicily, units(("uk", "infantry", 1)), territory="tripoli")
    assert "battle.json: attacking[0].origin: Sicily: no land attack leads across the sea." in told
    far = [{"nation": "uk", "unit": "infantry", "origin": "cairo"}]
    told = refused(far, units(("italy", "infantry", 1)), territory="benghazi")
    assert "battle.json: attacking[0].origin: Cairo and Benghazi do not touch." in told


@pytest.mark.parametrize(
    ("space", "piece"),
    [("sz.14", "infantry"), ("el_agheila", "destroyer"), ("el_agheila", "aaa"), ("el_agheila", "truck")],
)
def test_the_table_refuses_in_the_very_sentence(space: str, piece: str) -> None:
    table = Table(values="unofficial")
    at_sea = space.startswith("sz.")
    where = "sz.14" if piece == "destroyer" else "mersa_brega"
    table.tell("sz.14", italy_destroyer=1, uk_destroyer=1)
    table.tell("mersa_brega", supply=3, uk_infantry=1, uk_aaa=1, uk_truck=1)
    table.jump("r2.uk.combat_move.declare")
    answer = table.send(DeclareAttack(table.step, space, (AttackGroup(where, {f"uk.{piece}": 1}),)))
    assert answer is not None
    sentence = refusal(answer, table.state)
    enemy = "destroyer" if at_sea else "infantry"
    told = refused(
        units(("uk", piece, 1)), units(("italy", enemy, 1)), **({"terrain": "sea"} if at_sea else {})
    )
    assert f"battle.json: attacking[0]: {sentence}" in told


# N27


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ({"terrain": "sea", "territory": "tobruk"}, "territory"),
        ({"terrain": "sea", "bonus_reroll": 8}, "bonus_reroll"),
        ({"terrain": "sea", "landing": True}, "landing"),
        ({"cargo": [{"nation": "italy", "unit": "infantry"}]}, "cargo"),
    ],
)
def test_what_means_nothing_in_a_battle_is_refused_and_not_left_out(more: dict[str, Any], key: str) -> None:
    at_sea = more.get("terrain") == "sea"
    mine, theirs = ("destroyer", "destroyer") if at_sea else ("infantry", "infantry")
    with pytest.raises(BattleFileError, match=f"{key}: expected nothing in a battle"):
        battle(units(("uk", mine, 1)), units(("italy", theirs, 1)), **more)


@pytest.mark.parametrize(
    ("unit", "spaces", "told"), [("destroyer", 5, "moves 4"), ("destroyer", -1, "0 or more")]
)
def test_a_ship_goes_no_further_than_it_may(unit: str, spaces: int, told: str) -> None:
    ship = {"nation": "uk", "unit": unit, "spaces": spaces}
    with pytest.raises(BattleFileError, match=told):
        battle([ship], units(("italy", "destroyer", 1)), terrain="sea")


def said(found: AanaBattle, top: int) -> list[str]:
    """Return the lines of the report as they are read."""
    return [speak(line, game="aana") for line in odds_lines(found, top)]


def test_a_battleship_that_is_hit_once_is_afloat_and_damaged() -> None:
    found = battle(
        units(("uk", "battleship", 1)),
        units(("italy", "destroyer", 1)),
        terrain="sea",
        rounds=1,
        printed_values={"italy.destroyer": {"defence": 4}},
    )
    ship = odds_object(found)["survival"][0]
    assert (ship["count"], ship["each"]) == (1, 1.0)
    assert ship["damaged"] == pytest.approx(0.4)
    line = next(line for line in said(found, 9) if "Battleship" in line and "afloat" in line)
    assert "each afloat 100.00\xa0%, damaged 40.00\xa0%" in line


def test_whole_and_damaged_battleships_are_told_as_one_kind() -> None:
    ships = [*units(("uk", "battleship", 2)), {"nation": "uk", "unit": "battleship", "damaged": True}]
    found = battle(ships, units(("italy", "destroyer", 3)), terrain="sea")
    rows = [row for row in odds_object(found)["survival"] if row["unit"] == "battleship"]
    assert [row["count"] for row in rows] == [3]
    assert 0 < rows[0]["damaged"] <= rows[0]["each"] < 1


def test_a_convoy_lists_its_cargo_and_no_line_comes_twice() -> None:
    found = battle(
        units(("uk", "submarine", 2)),
        units(("italy", "destroyer", 1)),
        terrain="sea",
        rounds=2,
        cargo=[
            {"nation": "italy", "unit": "infantry", "count": 2},
            {"nation": "germany", "unit": "supply", "count": 7},
        ],
    )
    lines = [line for line in said(found, 99) if "convoy: " in line]
    assert any("2 Infantry (Italy)" in line for line in lines)
    assert any("Supply tokens (Germany)" in line for line in lines)
    told = [line.split("%", 1)[1] for line in lines if "|" in line]
    assert len(told) == len(set(told))
    assert any("cargo bays" in line for line in said(found, 0))


def test_ends_that_leave_the_same_convoy_are_one_line_whoever_escaped() -> None:
    convoy = [{"nation": "italy", "unit": "infantry", "count": 6}]
    found = battle(
        units(("uk", "destroyer", 1)), units(("italy", "destroyer", 1)), terrain="sea", cargo=convoy
    )
    told = [
        (o["result"], str(o["attacking"]), str(o["defending"]), str(o["cargo"]))
        for o in odds_object(found)["outcomes"]
    ]
    assert len(told) == len(set(told)), "the attacker sinks after one round or after two"


def test_the_unit_of_expected_loss_is_named() -> None:
    found = battle(units(("uk", "infantry", 2)), units(("italy", "infantry", 1)))
    losses = [line for line in said(found, 0) if "expected loss" in line]
    assert losses
    assert all("units " in line and "reinforcement points " in line for line in losses)


# Every table adds up to its whole

LAND = ("infantry", "artillery", "anti_tank", "tank", "scout_car", "fighter", "bomber")
HOLD = ("aaa", "infantry", "artillery", "anti_tank", "matilda", "scout_car", "fighter", "bomber")
SEA = ("destroyer", "submarine", "fighter", "bomber")
few = st.integers(0, 2)


def check(found: Any) -> None:
    told = odds_object(found)
    close = pytest.approx
    assert sum(told["results"].values()) == close(1)
    assert sum(row["p"] for row in told["rounds"]) == close(1)
    assert sum(outcome["p"] for outcome in told["outcomes"]) == close(1)
    for name, p in told["results"].items():
        assert sum(o["p"] for o in told["outcomes"] if o["result"] == name) == close(p, abs=1e-9)
    assert sum(o["p"] for o in told["outcomes"] if o["captures"]) == close(told["p_capture"], abs=1e-9)
    for side, counts in (("attacking", found.attackers), ("defending", found.defenders)):
        rows = [row for row in told["survival"] if row["side"] == side]
        assert sum(row["count"] for row in rows) == sum(counts)
        left = sum(row["expected"] for row in rows)
        assert left == close(sum(counts) - told["expected_loss"][side]["units"], abs=1e-9)
        assert left == close(sum(o["p"] * sum(o[side].values()) for o in told["outcomes"]), abs=1e-9)
        hurt = sum(row["damaged"] * row["count"] for row in rows)
        shown = sum(
            o["p"] * sum(n for key, n in o[side].items() if ".damaged" in key) for o in told["outcomes"]
        )
        assert hurt == close(shown, abs=1e-9)
        assert all(0 <= row["damaged"] <= row["each"] + 1e-9 <= 1 + 2e-9 for row in rows)
    kept = {
        (o["result"], str(o["attacking"]), str(o["defending"]), str(o["cargo"]), o["captures"], o["leaves"])
        for o in told["outcomes"]
    }
    assert len(kept) == len(told["outcomes"])
    lines = said(found, 3)
    texts = [line for line in lines if "|" in line or " more outcome" in line]
    shares = [float(line.split("%")[0]) for line in texts if "%" in line]
    assert sum(shares) == close(100, abs=0.01)


@settings(max_examples=8)
@given(
    st.dictionaries(st.sampled_from(LAND), few, max_size=3),
    st.dictionaries(st.sampled_from(HOLD), few, max_size=3),
    few,
)
def test_land_battles_add_up(attack: dict[str, int], defence: dict[str, int], rounds: int) -> None:
    attacking = units(*(("germany", unit, n) for unit, n in attack.items() if n))
    defending = units(*(("uk", unit, n) for unit, n in defence.items() if n))
    if attacking:
        check(battle(attacking, defending, **({"rounds": rounds} if rounds else {})))


@settings(max_examples=8)
@given(
    st.dictionaries(st.sampled_from(("battleship", *SEA)), few, max_size=2),
    st.dictionaries(st.sampled_from(SEA), few, max_size=2),
    st.dictionaries(st.sampled_from(("infantry", "tank", "supply")), st.integers(0, 6), max_size=2),
)
def test_sea_battles_and_convoys_add_up(
    attack: dict[str, int], defence: dict[str, int], cargo: dict[str, int]
) -> None:
    attacking = units(*(("uk", unit, n) for unit, n in attack.items() if n))
    defending = units(*(("italy", unit, n) for unit, n in defence.items() if n))
    load = [{"nation": "italy", "unit": unit, "count": n} for unit, n in cargo.items() if n]
    if attacking and (defending or load):
        check(battle(attacking, defending, terrain="sea", cargo=load))


# The last unit that may move in: spared while it can still take the territory


LAST = {
    "attacking": [
        {"nation": "germany", "unit": "infantry", "count": 1, "origin": "west"},
        {"nation": "germany", "unit": "fighter", "count": 2},
    ],
    "defending": [{"nation": "uk", "unit": "infantry", "count": 3}],
}


def kept(ruling: str, **more: Any) -> tuple[float, dict[str, float]]:
    """Chance to take the territory, and what is left on average of each kind of attacker."""
    more = {"rulings": {"aana.last_ground": ruling}, **more}
    told = odds_object(battle(LAST["attacking"], LAST["defending"], **more))
    left = {row["unit"]: row["expected"] for row in told["survival"] if row["side"] == "attacking"}
    return told["p_capture"], left


# One token declares the attack, so that none is left to press with.
@pytest.mark.parametrize(
    "ends",
    [
        {"rounds": 1},
        {"supply": {"attacking": 1}},
        {"supply": {"attacking": {"west": 1}}, "stop": {"air_alone": True}, "rounds": 2},
        {"stop": {"press_while": {"defenders_at_most": 0}}},
        {"stop": {"cease_when": {"attackers_at_most": 9}}},
    ],
    ids=["round limit", "no supply", "aircraft go on", "press while", "cease when"],
)
def test_the_last_unit_that_may_move_in_is_spared_only_while_it_is_of_use(ends: dict[str, Any]) -> None:
    useful, always, never = (kept(ruling, **ends) for ruling in ("useful", "always", "never"))
    assert useful[0] == pytest.approx(always[0]), "as often taken as if it were always spared"
    assert useful[0] >= never[0]
    assert useful[1]["infantry"] < always[1]["infantry"], "else it pays before dearer aircraft do"
    assert useful[1]["fighter"] > always[1]["fighter"]


@pytest.mark.parametrize("open_end", [{}, {"supply": {"attacking": 40}}, {"rounds": 30}])
def test_while_it_may_still_take_the_territory_it_is_always_spared(open_end: dict[str, Any]) -> None:
    useful, always = kept("useful", **open_end), kept("always", **open_end)
    assert useful[0] == pytest.approx(always[0], abs=1e-6)
    assert useful[1]["fighter"] == pytest.approx(always[1]["fighter"], abs=1e-4)


@pytest.mark.parametrize(
    "more",
    [
        {"supply": {"attacking": 2, "defending": 1}},
        {"rounds": 2, "stop": {"air_alone": True}, "supply": {"attacking": 1}},
        {"rounds": 3, "stop": {"press_while": {"defenders_at_most": 2}}},
    ],
)
def test_the_odds_and_the_play_agree_on_the_last_unit_that_may_move_in(more: dict[str, Any]) -> None:
    found = battle(LAST["attacking"], [{"nation": "uk", "unit": "infantry", "count": 2}], **more)
    agree(found, *played(found))


@pytest.mark.parametrize(("terrain", "unit"), [("sea", "destroyer"), ("land", "infantry")])
def test_nobody_takes_a_sea_zone(terrain: str, unit: str) -> None:
    found = battle(units(("uk", unit, 1)), units(("italy", unit, 1)), terrain=terrain)
    assert any("territory taken" in line for line in said(found, 5)) is (terrain == "land")

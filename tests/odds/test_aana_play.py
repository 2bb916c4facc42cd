"""Playing every result of the dice through the stages of the table gives the odds, and the battle files."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from pathlib import Path

import pytest
from msgspec.structs import replace

from companion.battle_command import main_battle, main_odds
from companion.games.aana.odds.answer import Odds
from companion.games.aana.odds.file import AanaBattle, read_aana
from companion.games.aana.odds.play import exact_odds
from companion.games.aana.odds.play_report import battle_object
from companion.games.aana.odds.report import odds_object, odds_of
from companion.games.aana.rules.casualties import TRANSPORT
from companion.games.aana.rules.combat import ATTACKER, Volley, hit_chance
from companion.games.aana.rules.fight import DICE_STAGES, Fight, VolleyRoll
from companion.games.aana.rules.fight_dice import aim_types, expected_volleys, fire_fault, raid_tokens
from companion.games.aana.rules.fight_flow import begin, fired, leave, ordered, pressed, with_losses
from companion.games.aana.rules.fight_losses import loser, losses_fault, proposed, ruled
from companion.games.aana.rules.rounds import Field, orders, press
from companion.odds.battle_file import BattleFileError

Units = list[tuple[str, str, int, str]]


def battle(attacking: Units, defending: Units, **more: object) -> AanaBattle:
    def rows(groups: Units) -> list[dict[str, object]]:
        return [
            {"nation": nation, "unit": unit, "count": count, "origin": origin}
            for nation, unit, count, origin in groups
        ]

    raw = {"game": "aana", "values": "unofficial", "attacking": rows(attacking), "defending": rows(defending)}
    return read_aana({**raw, **more}, "test")


def played(
    found: AanaBattle, *, at: str = "", from_round: int = 0
) -> tuple[dict[tuple[str, int], Fraction], Fraction]:
    """Play every hit and miss through the stages; (result, rounds) -> chance, and the bays lost on average.

    Args:
        at: The type that bombers name with every hit as long as it is there; empty = the attacker's plan.
        from_round: The round whose orders come first; 0 = from the very start, air defence included.
    """
    book = found.book
    nobody_a, nobody_d = (0,) * len(found.attackers), (0,) * len(found.defenders)
    start = Fight(
        1,
        "x",
        found.arena.rules,
        found.arena.attackers,
        found.arena.defenders,
        found.attackers,
        found.defenders,
        nobody_a,
        nobody_d,
        found.attackers,
        found.defenders,
        cargo=found.cargo,
    )
    ends: dict[tuple[str, int], Fraction] = {}
    lost = [Fraction(0)]

    def aims(fight: Fight, volley: Volley, hits: int) -> dict[str, int]:
        n = min(hits, fight.cargo.transports) if at == TRANSPORT else hits
        return {at: n} if n and at in aim_types(book, fight, volley) else {}

    def go(fight: Fight, supply_a: tuple[int, ...], supply_d: int, p: Fraction) -> None:
        ceases = False
        while fight.stage != "over":
            if fight.stage in DICE_STAGES:
                wanted = expected_volleys(book, fight)
                for hits in itertools.product(*(range(volley.dice + 1) for volley in wanted)):
                    chance = p
                    rolls = []
                    for volley, n in zip(wanted, hits, strict=True):
                        q = hit_chance(volley)
                        ways = Fraction(1)
                        for k in range(n):
                            ways = ways * (volley.dice - k) / (k + 1)
                        chance *= ways * q**n * (1 - q) ** (volley.dice - n)
                        miss = (volley.reroll_from or 11) - 1
                        values = (1,) * n + (miss,) * (volley.dice - n)
                        rolls.append(VolleyRoll(values, at=aims(fight, volley, n)))
                    if chance:
                        assert fire_fault(book, fight, tuple(rolls)) is None
                        go(fired(book, fight, tuple(rolls)), supply_a, supply_d, chance)
                return
            if fight.stage == "losses":
                aiming = None if at else found.attack.losses
                if loser(fight) == ATTACKER:
                    left, cargo, use = ruled(book, fight, found.attack, found.pools, supply_a, aiming=aiming)
                    ceases = use == "ceases"
                else:
                    left, cargo = proposed(book, fight, found.defence.losses, aiming)
                # The plan aims as it likes; without a plan of its own the rules take what is proposed.
                assert not at or losses_fault(book, fight, left) is None
                fight = with_losses(book, fight, left, cargo)
            elif fight.stage == "orders":
                field = Field(
                    fight.a,
                    fight.d,
                    fight.a_out,
                    fight.d_out,
                    fight.cargo,
                    fight.cargo,
                    (),
                    supply_d,
                    fight.round_no,
                )
                given = orders(found.arena, found.defence, field)
                supply_d = given.supply_left
                if supply_d > 0:
                    supply_d = max(0, supply_d - raid_tokens(book, fight))
                fight = ordered(
                    book,
                    fight,
                    fights=not any(given.retreating),
                    exempt_fight=found.defence.exempt_fight,
                    submerge_attack=99 if found.attack.submerge else 0,
                    submerge_defence=99 if found.defence.submerge else 0,
                )
            elif fight.stage == "leave":
                fight = leave(book, fight, lost=None if fight.rules.can_retreat else fight.retreating)
            else:
                field = Field(
                    fight.a,
                    fight.d,
                    fight.a_out,
                    fight.d_out,
                    fight.cargo,
                    fight.cargo,
                    supply_a,
                    supply_d,
                    fight.round_no,
                )
                after = None if ceases else press(found.arena, found.attack, found.pools, field)
                if after is None:
                    break
                supply_a = after.attack_supply
                fight = pressed(book, fight, after.attackers)
        result = fight.result or "ceased"
        key = (result, fight.round_no)
        ends[key] = ends.get(key, Fraction(0)) + p
        lost[0] += p * (found.cargo.count - fight.cargo.count - fight.cargo_out.count)

    opened = (
        pressed(book, replace(start, round_no=from_round - 1), start.a) if from_round else begin(book, start)
    )
    go(opened, found.attack_supply, found.defence_supply, Fraction(1))
    return ends, lost[0]


LAND = [("germany", "tank", 1, "west"), ("germany", "infantry", 2, "south"), ("germany", "bomber", 1, "")]
HOLD = [("uk", "infantry", 1, ""), ("uk", "anti_tank", 1, ""), ("uk", "aaa", 1, "")]


@pytest.mark.parametrize(
    "found",
    [
        battle(LAND, HOLD, main="south", rounds=2, supply={"attacking": 3, "defending": 2}),
        battle(
            [("us", "infantry", 3, "sea")],
            [("vichy", "infantry", 2, "")],
            landing=True,
            rounds=3,
            supply={"attacking": 1},
        ),
        battle(
            [("italy", "destroyer", 1, ""), ("italy", "submarine", 1, "")],
            [("uk", "battleship", 1, ""), ("uk", "fighter", 1, "")],
            terrain="sea",
            rounds=2,
        ),
        battle(
            [("uk", "submarine", 2, "")],
            [],
            terrain="sea",
            rounds=2,
            cargo=[
                {"nation": "italy", "unit": "infantry", "count": 2},
                {"nation": "germany", "unit": "supply", "count": 7},
            ],
        ),
        battle(
            [("uk", "infantry", 2, "west"), ("uk", "scout_car", 1, "south")],
            [("italy", "infantry", 2, ""), ("italy", "scout_car", 1, "")],
            rounds=2,
            supply={"attacking": 2, "defending": 2},
            stop={"exempt_fight": True},
        ),
        battle(
            [("germany", "infantry", 1, "tripoli"), ("germany", "tank", 2, "south")],
            [("uk", "infantry", 2, "")],
            territory="mareth",
            bonus_reroll=7,
            rounds=3,
        ),
        battle(
            [("germany", "infantry", 2, "south"), ("germany", "scout_car", 1, "tripoli")],
            [("uk", "infantry", 2, "")],
            territory="mareth",
            bonus_reroll=6,
            rounds=3,
        ),
        battle(
            [("germany", "bomber", 1, ""), ("germany", "anti_tank", 2, "west")],
            [("uk", "infantry", 1, ""), ("uk", "matilda", 1, ""), ("uk", "anti_tank", 1, "")],
            rounds=2,
            aim=["anti_tank"],
        ),
    ],
    ids=["land", "landing", "sea", "convoy", "raid", "mareth", "scouts of mareth", "two aims"],
)
def test_play_through_every_result_gives_the_odds(found: AanaBattle) -> None:
    agree(found, *played(found))


CONVOY = [
    {"nation": "uk", "unit": "infantry", "count": 5},
    {"nation": "uk", "unit": "aaa", "count": 1},
    {"nation": "uk", "unit": "supply", "count": 7},
]
DIVE = battle(
    [("germany", "bomber", 2, ""), ("germany", "submarine", 1, "")],
    [("uk", "destroyer", 1, ""), ("uk", "fighter", 1, "")],
    terrain="sea",
    rounds=2,
    cargo=CONVOY,
    aim=["transport"],
)


@pytest.mark.parametrize("at", ["", "transport"])
def test_bombers_that_aim_at_transports_by_plan_or_by_naming_them_give_the_odds(at: str) -> None:
    agree(DIVE, *played(DIVE, at=at))


def test_naming_the_destroyer_gives_the_odds_of_a_plan_that_aims_there() -> None:
    found = battle(
        [("germany", "bomber", 2, "")],
        [("uk", "destroyer", 1, ""), ("uk", "battleship", 1, "")],
        terrain="sea",
        rounds=2,
        cargo=CONVOY,
        aim=["destroyer"],
    )
    agree(found, *played(found, at="destroyer"))


@pytest.mark.parametrize("from_round", [1, 2])
@pytest.mark.parametrize(
    "found",
    [
        battle(LAND, HOLD, main="south", rounds=3, supply={"attacking": 4, "defending": 2}),
        battle(
            [("germany", "infantry", 1, "tripoli"), ("germany", "tank", 1, "south")],
            [("uk", "infantry", 1, ""), ("uk", "aaa", 1, "")],
            territory="mareth",
            main="south",
            bonus_reroll=7,
            rounds=3,
        ),
        battle(
            [("uk", "infantry", 2, "west"), ("uk", "scout_car", 1, "south")],
            [("italy", "infantry", 2, ""), ("italy", "scout_car", 1, "")],
            rounds=2,
            supply={"attacking": 2, "defending": 2},
        ),
        battle([("germany", "fighter", 1, "")], [("uk", "aaa", 1, "")], rounds=3),
        DIVE,
    ],
    ids=["land", "mareth", "raid", "guns alone", "sea"],
)
def test_play_from_the_orders_of_a_round_gives_the_odds_from_there(
    found: AanaBattle, from_round: int
) -> None:
    odds = exact_odds(
        found.arena,
        found.attackers,
        found.defenders,
        attack=found.attack,
        defence=found.defence,
        cargo=found.cargo,
        costs=found.costs,
        attack_supply=found.attack_supply,
        defence_supply=found.defence_supply,
        pools=found.pools,
        from_round=from_round,
        opened=True,
    )
    agree(found, *played(found, from_round=from_round), odds)


def agree(
    found: AanaBattle, ends: dict[tuple[str, int], Fraction], lost: Fraction, odds: Odds | None = None
) -> None:
    """Assert that what was played gives the odds: results, rounds, and what convoys lose."""
    odds = odds or odds_of(found)
    assert odds.expected_loss["cargo"] == pytest.approx(float(lost), abs=1e-12)
    assert sum(ends.values()) == 1
    for name, p in odds.results.items():
        mine = sum((q for (result, _), q in ends.items() if result == name), Fraction(0))
        assert p == pytest.approx(float(mine), abs=1e-12), name
    for number, p in odds.rounds.items():
        mine = sum((q for (_, rounds), q in ends.items() if rounds == number), Fraction(0))
        assert p == pytest.approx(float(mine), abs=1e-12), number


def test_missing_figures_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = {
        "game": "aana",
        "attacking": [{"unit": "tank", "nation": "germany", "origin": "benghazi"}],
        "defending": [{"unit": "infantry", "nation": "uk"}],
    }
    file = tmp_path / "battle.json"
    file.write_text(json.dumps(raw))
    assert main_odds([str(file), "--json"]) == 1
    told = capsys.readouterr()
    assert "Tank attack (Germany) is printed on your Reference Chart" in told.err
    assert json.loads(told.out)["error"] == {
        "code": "printed_value_missing",
        "faults": [
            f"{file}: Tank attack (Germany) is printed on your Reference Chart: "
            "add unit.germany.tank.attack to printed_values."
        ],
        "missing": ["unit.germany.tank.attack"],
    }
    raw["printed_values"] = {"germany.tank": {"attack": 5}}
    file.write_text(json.dumps(raw))
    assert main_odds([str(file), "--json"]) == 0
    told_odds = json.loads(capsys.readouterr().out)
    assert told_odds["method"] == "exact"
    assert told_odds["declared_supply"] == {"benghazi": 1}
    assert sum(told_odds["results"].values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"stop": {"never": 1}}, "stop.never: expected one of press_while"),
        ({"rounds": 0}, "rounds: expected 1-40, got 0"),
        ({"supply": {"attacking": 0}}, "supply.attacking: expected 1 token to declare the attack, got 0"),
        ({"spam": 1}, "spam: expected one of game"),
        ({"terrain": "desert"}, "terrain: expected land or sea, got desert"),
        (
            {"printed_values": {"uk.infantry": {"attack": 11}}},
            "Enter a whole number from 0 to 10 for this value, not 11",
        ),
        ({"policy": 3}, "policy: expected cheapest or a list of units"),
        (
            {"stop": {"cease_when": {"attackers_at_most": -1}}},
            "stop.cease_when: expected whole numbers for attackers_at_most",
        ),
    ],
)
def test_faults_name_key_expected_and_got(change: dict[str, object], text: str) -> None:
    with pytest.raises(BattleFileError) as caught:
        battle([("uk", "infantry", 2, "west")], [("italy", "infantry", 1, "")], **change)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("attacking", "defending"), [("uk italy", "italy"), ("uk", "italy uk"), ("uk us", "uk"), ("uk", "uk")]
)
def test_one_side_attacks_the_other(attacking: str, defending: str) -> None:
    sides = [[(one, "infantry", 1, "west") for one in nations.split()] for nations in (attacking, defending)]
    with pytest.raises(BattleFileError) as caught:
        battle(*sides)
    assert "nation: expected one side attacking and the other defending" in str(caught.value)


def test_nobody_left_is_a_number_at_which_to_stop() -> None:
    stop = {"cease_when": {"attackers_at_most": 0}, "retreat_when": {"defenders_at_most": 0}}
    found = battle([("uk", "infantry", 2, "west")], [("italy", "infantry", 1, "")], stop=stop)
    assert (found.attack.cease_at_most, found.defence.retreat_at_most) == (0, 0)


def test_a_piece_that_a_power_lacks_is_named_with_its_place_and_those_it_has() -> None:
    with pytest.raises(BattleFileError) as caught:
        battle([("germany", "matilda", 2, "west")], [("uk", "infantry", 1, "")])
    assert "attacking[0].unit: expected one of infantry, mechanized" in str(caught.value)
    assert "got matilda" in str(caught.value)


def test_battle_lists_the_dice_and_plays_given_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = battle(LAND, HOLD, main="south")
    told = battle_object(found)
    assert [step["stage"] for step in told["steps"]] == ["air_defence"]
    given = battle(
        [("uk", "infantry", 2, "west")],
        [("italy", "infantry", 1, "")],
        dice=[
            {"round": 1, "stage": "attack", "values": [[1, 9]]},
            {"round": 1, "stage": "defence", "values": [[5]]},
        ],
    )
    told = battle_object(given)
    assert told["result"] == "attacker"
    assert told["steps"][0]["losses"] == {"italy.infantry": 1}
    with pytest.raises(BattleFileError, match="Roll 2 dice that hit on 2 or less; you entered 1"):
        battle_object(
            battle(
                [("uk", "infantry", 2, "west")],
                [("italy", "infantry", 1, "")],
                dice=[{"round": 1, "stage": "attack", "values": [[1]]}],
            )
        )
    file = tmp_path / "b.json"
    file.write_text(
        json.dumps(
            {
                "game": "aana",
                "values": "unofficial",
                "seed": 5,
                "attacking": [{"unit": "tank", "nation": "germany", "origin": "benghazi"}],
                "defending": [{"unit": "infantry", "nation": "uk"}],
            }
        )
    )
    assert main_battle([str(file)]) == 0
    assert "Round 1, Attacking units fire" in capsys.readouterr().out


def test_the_object_has_the_shape_of_the_other_game() -> None:
    told = odds_object(battle(LAND, HOLD, main="south", rounds=2))
    wanted = {"method", "p_defender_cleared", "p_attacker_cleared", "p_capture", "p_hold", "expected_loss"}
    assert wanted | {"survival", "outcomes", "inferred", "results", "rounds"} <= told.keys()
    assert told["p_capture"] + told["p_hold"] == pytest.approx(1)
    assert sum(row["p"] for row in told["rounds"]) == pytest.approx(1)

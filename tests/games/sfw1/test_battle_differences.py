"""The differences of battle, each played in both editions through the commands: rows of DIFFERENCES.md by number."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.dice import Die, DieColour, DieKind, Roll
from companion.games.sfw.pages.battle import other_occasions
from companion.games.sfw.pages.battle_course import battle_view
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Load
from companion.games.sfw.rules.battle_fire import rolls
from companion.games.sfw.rules.battle_losses import Hit, LossTable
from companion.games.sfw.rules.battle_rolls import Aim, Reason
from companion.games.sfw.rules.battle_state import battles_of
from companion.pages.speak import speak
from tests.games.sfw_editions import BOTH, FIRST, NEWER, Evening, Fought

SEA3 = {"step": "s3.t3.allies.declare", "terrain": "sea"}


def each(first: Any, newer: Any) -> Any:
    """Parametrize a test by edition with what is expected of each."""
    return pytest.mark.parametrize(("game", "expected"), [(FIRST, first), (NEWER, newer)], ids=BOTH)


# Dice of units (2, 31-34, 36-40, 66, 68, 71)


@each([("red", 8, 1), ("yellow", 6, 1)], [("black", 8, 1), ("gray", 6, 1)])
def test_2_and_38_a_battleships_two_dice(game: str, expected: Any) -> None:
    fought = Fought(game, **SEA3).attack(("us", "battleship", 1)).defend(("germany", "destroyer", 2)).begin()
    fought.miss(until="5")
    assert fought.dice("battleship") == expected


@each([("yellow", 8, 1), ("blue", 8, 1)], [("white", 8, 1), ("gray", 8, 1)])
def test_39_a_cruisers_dice_and_its_anti_air(game: str, expected: Any) -> None:
    fought = Fought(game, "s3.t3.allies.declare", terrain="sea")
    fought.attack(("us", "cruiser", 1)).defend(("germany", "destroyer", 1), ("germany", "fighter", 1)).begin()
    assert fought.dice("cruiser") == [({FIRST: "blue", NEWER: "white"}[game], 9, 1)]
    fought.miss(until="5")
    assert fought.dice("cruiser") == expected


@pytest.mark.parametrize("role", [ATTACKING, DEFENDING])
@each({ATTACKING: "yellow", DEFENDING: "yellow"}, {ATTACKING: "gray", DEFENDING: "white"})
def test_31_ambush_in_defence_too(game: str, expected: dict[str, str], role: str) -> None:
    own, other = ("us", "germany") if role == ATTACKING else ("germany", "us")
    fought = Fought(game, **SEA3)
    fought.there(role, (own, "submarine", 1))
    fought.there(DEFENDING if role == ATTACKING else ATTACKING, (other, "cruiser", 1))
    fought.set(role, 0, moved=False).begin()
    fought.miss(until="4")
    assert fought.dice("submarine") == [(expected[role], 9, 1)]


@each([("yellow", 9, 1)], [("white", 9, 1)])
def test_31_on_a_step_on_which_it_cannot_move(game: str, expected: Any) -> None:
    """Destroyers attack on movement step 2; the submarine did not move on it."""
    fought = Fought(game, "s3.t2.allies.declare", terrain="sea")
    fought.attack(("us", "destroyer", 1)).defend(("germany", "submarine", 1)).begin()
    assert fought.dice("submarine") == expected


@each([("blue", 7, 1)], [("gray", 9, 1)])
def test_32_infantry_on_high_ground(game: str, expected: Any) -> None:
    fought = Fought(game, terrain="mountain")
    fought.attack(("us", "infantry", 1)).defend(("germany", "infantry", 1)).begin()
    assert fought.dice("infantry", DEFENDING) == expected
    assert fought.dice("infantry", ATTACKING) == [({FIRST: "blue", NEWER: "white"}[game], 9, 1)]


def test_32_the_seven_needs_no_printed_number() -> None:
    fought = Fought(FIRST, terrain="mountain", evening=_bare("s3.t4.allies.declare"))
    fought.attack(("us", "anti_air", 1)).defend(("germany", "infantry", 1)).begin()
    assert fought.dice("infantry") == [("blue", 7, 1)]


def _bare(step: str) -> Evening:
    evening = Evening(FIRST)
    evening.jump(step)
    return evening


@each({True: (0, 1), False: (0, 1)}, {True: (0, 1), False: (1, 0)})
def test_34_coverage_against_everybody(game: str, expected: dict[bool, tuple[int, int]]) -> None:
    """A yellow or Gray hit on a covered carrier beside a destroyer, from the air and from a ship."""
    fought = Fought(game, **SEA3).attack(("us", "cruiser", 1), ("us", "light_bomber", 1))
    fought.defend(("germany", "carrier", 1), ("germany", "destroyer", 1), ("germany", "fighter", 1))
    losses = LossTable(fought.fight, DEFENDING)
    counts = fought.fight.start(DEFENDING)
    for is_air, (carriers, destroyers) in expected.items():
        hit = Hit(2, Aim(("sea",), True, "", is_air))
        legal = {choice[:2] for choice in losses.legal(counts, (hit,))}
        assert ((1, 0) in legal) == bool(carriers), (is_air, legal)
        assert ((0, 1) in legal) == bool(destroyers)


@each([("yellow", 8, 1)], [("gray", 9, 1)])
def test_36_no_penalty_for_distance(game: str, expected: Any) -> None:
    fought = Fought(game).attack(("us", "tank", 1)).attack(("gb", "artillery", 1), distance=1, home="Hill")
    fought.defend(("germany", "infantry", 1)).begin()
    assert fought.dice("artillery") == expected


@each("not_in_edition", None)
def test_37_supporters_do_not_split_their_dice(game: str, expected: str | None) -> None:
    fought = Fought(game).attack(("us", "tank", 1)).attack(("gb", "battleship", 1), distance=1)
    fought.defend(("germany", "infantry", 1))
    split = fought.group(ATTACKING, 1, dice=({FIRST: "red", NEWER: "black"}[game],))
    if expected is None:
        fought.evening.do(split)
    else:
        fought.evening.refuse(split, expected, "Supporting fire cannot be split in this edition.")


@each({"tank": 1}, {"tank": 2})
def test_40_infantry_levels_up(game: str, expected: dict[str, int]) -> None:
    """A 12 of an Infantry is yellow in the first edition and takes a Tank."""
    fought = Fought(game).attack(("us", "infantry", 1)).defend(("germany", "tank", 2)).begin()
    fought.roll("tank", {FIRST: "yellow", NEWER: "gray"}[game], 1, 1)
    fought.roll("infantry", {FIRST: "blue", NEWER: "white"}[game], 12)
    assert fought.left(DEFENDING) == expected


@pytest.mark.parametrize("step", [4, 5])
@each({4, 5}, {4})
def test_66_deployed_artillery_that_moved(game: str, expected: set[int], step: int) -> None:
    fought = Fought(game, f"s3.t{step}.allies.declare").attack(("us", "artillery", 1), ("us", "tank", 1))
    fought.defend(("germany", "infantry", 1)).set(ATTACKING, 0, moved=True).begin()
    fight, progress = fought.fight, fought.progress
    silent = rolls(fight, "5", ATTACKING, progress.attacking, progress.defending).silent
    assert (Reason.MOVED in [s.reason for s in silent]) == (step in expected)


@pytest.mark.parametrize("cargo", ["tank", "land_transport", "infantry"])
@each({"tank", "land_transport", "infantry"}, {"infantry"})
def test_68_what_an_air_transport_carries(game: str, expected: set[str], cargo: str) -> None:
    fought = Fought(game, "s3.t2.allies.declare").attack(("us", "air_transport", 1))
    rejected, _events = fought.evening.send(fought.group(ATTACKING, 0, cargo=(Load(cargo, 1),)))
    assert (rejected is None) == (cargo in expected), rejected


@each("not_in_edition", None)
def test_71_an_airfield_rolls_in_v0_96(game: str, expected: str | None) -> None:
    fought = Fought(game, "s3.t2.allies.declare").attack(("us", "light_bomber", 1))
    fought.defend(("germany", "infantry", 1))
    airfield = bc.SetCircumstances(fought.id, airfield=DEFENDING)
    if expected is not None:
        fought.evening.refuse(airfield, expected, "Airfields have no roll in this edition.")
        return
    fought.evening.do(airfield)
    fought.begin()
    assert fought.asked() == [(DEFENDING, "airfield", "white", 9, 1)]


# Casualties (41, 42)


def _legal(game: str, units: list[tuple[str, int]], level: int) -> set[tuple[int, ...]]:
    fought = Fought(game).attack(("us", "tank", 1)).defend(*(("germany", unit, n) for unit, n in units))
    losses = LossTable(fought.fight, DEFENDING)
    return set(losses.legal(fought.fight.start(DEFENDING), (Hit(level, Aim(("land",), True, "", False)),)))


@pytest.mark.parametrize(
    ("units", "level", "first", "newer"),
    [
        # 41: red takes 2 yellow or 3 blue; Black takes 2 Gray, 4 White or 1 Gray and 2 White.
        ([("infantry", 5)], 3, {(3,)}, {(4,)}),
        ([("tank", 3)], 3, {(2,)}, {(2,)}),
        ([("infantry", 5)], 2, {(2,)}, {(2,)}),
        ([("infantry", 5)], 4, {(4,)}, {(5,)}),
        ([("tank", 4)], 4, {(3,)}, {(4,)}),
        # 42: units of one colour wherever there are enough; v0.96 mixes freely.
        ([("tank", 2), ("infantry", 3)], 3, {(2, 0), (0, 3)}, {(2, 0), (1, 2)}),
        ([("tank", 1), ("infantry", 3)], 3, {(0, 3)}, {(1, 2)}),
        # What fits no list (table ruling): shares of the listed numbers, as much as fits into one hit.
        ([("tank", 1), ("infantry", 1)], 3, {(1, 1)}, {(1, 1)}),
        ([("tank", 1), ("infantry", 2)], 3, {(1, 1)}, {(1, 2)}),
        # One light unit is no payment for a medium hit while a medium unit can pay it.
        ([("tank", 1), ("infantry", 1)], 2, {(1, 0)}, {(1, 0)}),
    ],
)
def test_41_and_42_what_one_hit_removes(
    units: list[tuple[str, int]], level: int, first: set[tuple[int, ...]], newer: set[tuple[int, ...]]
) -> None:
    assert _legal(FIRST, units, level) == first
    assert _legal(NEWER, units, level) == newer


@pytest.mark.parametrize(
    ("choice", "legal"), [("shares", {(1, 1)}), ("one_colour", {(1, 0)}), ("nothing", {(0, 0)})]
)
def test_42_the_ruling_on_unlisted_hits(choice: str, legal: set[tuple[int, ...]]) -> None:
    fought = Fought(FIRST, rulings={"unlisted_hit": choice}).attack(("us", "tank", 1))
    fought.defend(("germany", "tank", 1), ("germany", "infantry", 1))
    losses = LossTable(fought.fight, DEFENDING)
    hit = Hit(3, Aim(("land",), True, "", False))
    assert set(losses.legal(fought.fight.start(DEFENDING), (hit,))) == legal


# Combined and concentrated fire (43-46)


@each(None, "combined_fire")
def test_43_concentrated_fire_in_defence(game: str, expected: str | None) -> None:
    fought = Fought(game, **SEA3).attack(("us", "cruiser", 1)).defend(("germany", "submarine", 2))
    command = fought.group(DEFENDING, 0, combined=True)
    if expected is not None:
        fought.evening.refuse(command, expected, "Only attackers can combine fire.")
        return
    fought.evening.do(command)
    fought.begin().miss(until="7A")
    assert fought.asked() == [(DEFENDING, "submarine", "blue", 9, 2)]
    fought.roll("submarine", "blue", 9, 10)
    assert fought.progress.owed[0].to_combine
    hits = (Hit(2, fought.progress.owed[0].plain[0].aim),)
    fought.evening.do(bc.CombineHits(fought.id, hits))
    assert fought.left(ATTACKING) == {}


@each("combined_fire", None)
def test_44_colours_do_not_mix(game: str, expected: str | None) -> None:
    fought = Fought(game).attack(("us", "tank", 1), ("us", "infantry", 1)).defend(("germany", "tank", 1))
    fought.set(ATTACKING, 0, combined=True)
    command = fought.group(ATTACKING, 1, combined=True)
    if expected is None:
        fought.evening.do(command)
    else:
        fought.evening.refuse(command, expected, "the same firepower colour")


def test_44_units_share_a_colour_that_an_ambush_may_raise() -> None:
    fought = Fought(FIRST, **SEA3).attack(("us", "submarine", 1), ("us", "destroyer", 1))
    fought.defend(("germany", "cruiser", 1)).set(ATTACKING, 0, combined=True)
    fought.evening.do(fought.group(ATTACKING, 1, combined=True))
    fought.evening.refuse(fought.group(ATTACKING, 0, combined=True, moved=False), "combined_fire", "colour")
    mixed = Fought(FIRST, **SEA3).attack(("us", "cruiser", 1), ("us", "battleship", 1))
    mixed.defend(("germany", "battleship", 1)).set(ATTACKING, 0, combined=True)
    mixed.evening.do(mixed.group(ATTACKING, 1, combined=True))  # yellow is in both


@each(9, 10)
def test_44_heavy_bombers_number(game: str, expected: int) -> None:
    fought = Fought(game, "s3.t2.allies.declare").attack(("us", "heavy_bomber", 2))
    fought.defend(("germany", "tank", 3)).set(ATTACKING, 0, combined=True).begin()
    fought.miss(until="7A")
    assert fought.dice("heavy_bomber") == [({FIRST: "yellow", NEWER: "gray"}[game], expected, 10)]


@each("7.\u00a0Concentrated fire", "7A.\u00a0Combined fire")
def test_45_and_47_names_of_the_last_step(game: str, expected: str) -> None:
    fought = Fought(game, **SEA3).attack(("us", "submarine", 2)).defend(("germany", "cruiser", 1))
    fought.set(ATTACKING, 0, combined=True).begin().miss(until="7A")
    state = fought.evening.state
    assert speak(battle_view(state, battles_of(state).battles[0]).step, state) == expected


@each([("blue", 9, 1)], [])
def test_46_the_last_one_left(game: str, expected: Any) -> None:
    """Of two submarines that fire together one is lost on step 5."""
    fought = Fought(game, **SEA3, printed={"carrier.targets": ["sea"]})
    fought.attack(("us", "submarine", 1), ("us", "destroyer", 1)).defend(("germany", "cruiser", 1))
    fought.set(ATTACKING, 0, combined=True).set(ATTACKING, 1, combined=True).begin()
    colour = {FIRST: "blue", NEWER: "white"}[game]
    fought.roll("cruiser", colour, 9)
    fought.roll("cruiser", {FIRST: "yellow", NEWER: "gray"}[game], 1)
    assert fought.left(ATTACKING) == {"submarine": 1}
    assert (fought.dice("submarine") if fought.declared.status == "fighting" else []) == expected


def test_46_is_a_table_ruling_of_the_first_edition() -> None:
    fought = Fought(FIRST, **SEA3, rulings={"last_concentrating": "silent"})
    fought.attack(("us", "submarine", 1), ("us", "destroyer", 1)).defend(("germany", "cruiser", 1))
    fought.set(ATTACKING, 0, combined=True).set(ATTACKING, 1, combined=True).begin()
    fought.roll("cruiser", "blue", 9).roll("cruiser", "yellow", 1)
    assert fought.declared.status == "over"


# Landings (47, 48)


def _landing(game: str, *, friends: bool) -> Fought:
    fought = Fought(game, "s3.t2.allies.declare", "Naples")
    fought.attack(("us", "sea_transport", 1), distance=1, origin="C4").load(0, ("tank", 2))
    if friends:
        fought.attack(("us", "infantry", 1))
    return fought.defend(("germany", "infantry", 3))


@each(("7C", 3), ("7C", 3))
def test_47_landing_defence_where_enemies_stand_alone(game: str, expected: Any) -> None:
    fought = _landing(game, friends=False).begin()
    assert fought.progress.step == expected[0]
    assert fought.dice("infantry", DEFENDING)[0][2] == expected[1]


@each({"infantry": 1, "tank": 2, "sea_transport": 1}, {"infantry": 1, "sea_transport": 1})
def test_48_units_land_at_once_where_friends_stand(game: str, expected: dict[str, int]) -> None:
    fought = _landing(game, friends=True).begin()
    assert fought.progress.step == "6"
    assert fought.left(ATTACKING) == expected
    assert fought.dice("tank") == []  # units that were landed never roll
    colour = {FIRST: "blue", NEWER: "white"}[game]
    fought.roll("infantry", colour, 1, side=ATTACKING)
    fought.roll("infantry", colour, 1, 1, 1, side=DEFENDING)
    # No landing defence in either: there were friends.
    assert fought.declared.status == "over"
    left = battles_of(fought.evening.state).compositions["Naples"]["allies"]
    assert {group.unit: group.count for group in left} == {"infantry": 1, "tank": 2, "sea_transport": 1}


def test_48_landed_units_can_be_lost_before_step_7() -> None:
    lost = {}
    for game in BOTH:
        fought = _landing(game, friends=True)
        fought.defend(("italy", "artillery", 1)).begin()
        fought.roll("artillery", {FIRST: "yellow", NEWER: "gray"}[game], 9)
        lost[game] = fought.left(ATTACKING)
    assert lost[FIRST] == {"infantry": 1, "tank": 1, "sea_transport": 1}
    assert lost[NEWER] == {"tank": 2, "sea_transport": 1}  # aboard until step 7: the Infantry paid


# Movement under fire and support (26-28, 50, 52, 53)


@each({"movement"}, {"movement", "disengage"})
def test_27_no_disengaging(game: str, expected: set[str]) -> None:
    evening = Evening(game)
    evening.jump("s3.t4.allies.move")
    assert {occasion for occasion, _text in other_occasions(evening.state)} - {"desert"} == expected
    command = bc.DeclareBattle("Arena", "land", "disengage")
    if "disengage" in expected:
        evening.do(command)
    else:
        evening.refuse(command, "not_in_edition", "Units do not disengage in this edition.")


def test_28_no_retreat() -> None:
    icons = {"infantry.abilities": ["retreat"]}
    steps = {}
    for game in BOTH:
        fought = Fought(game, printed=icons).attack(("us", "tank", 1)).defend(("germany", "infantry", 2))
        fought.begin()
        steps[game] = fought.progress.step
    assert steps == {FIRST: "6", NEWER: "retreat"}


@pytest.mark.parametrize("what", [{"lines": 1}, {"mines": 1}, {"bridge": True}, {"sea_walls": 1}])
@each("not_in_edition", None)
def test_22_26_and_62_tokens_do_not_fire(game: str, expected: str | None, what: dict[str, Any]) -> None:
    occasion = "battle" if "sea_walls" in what else "movement"
    evening = None
    if "bridge" in what and game == NEWER:
        # Only the Italy board has bridges.
        evening = Evening(game, "italy")
        evening.jump(next(step.id for step in evening.state.itinerary if step.id.endswith("t4.allies.move")))
        evening.enter()
    fought = Fought(game, "s3.t4.allies.move", occasion=occasion, evening=evening)
    attacker, defender = (
        next(info.id for info in fought.evening.state.frozen_setup.nations if info.side == side)
        for side in ("allies", "axis")
    )
    fought.attack((attacker, "tank", 1)).defend((defender, "infantry", 1))
    command = bc.SetCircumstances(fought.id, **what)
    if expected is None:
        fought.evening.do(command)
    else:
        fought.evening.refuse(command, expected)


@each("bad_choice", None)
def test_50_a_contested_space_is_passed_freely(game: str, expected: str | None) -> None:
    fought = Fought(game, "s3.t1.allies.move", occasion="movement")
    fought.attack(("us", "fighter", 2)).defend(("germany", "anti_air", 1))
    assert fought.declared.battle.push_through == (game == FIRST)  # nothing else fires at movers there
    command = bc.SetCircumstances(fought.id, push_through=True, contested=True)
    if expected is not None:
        fought.evening.refuse(command, expected, "move freely")
        return
    fought.evening.do(command)
    fought.begin()
    assert fought.progress.step == "push"


def test_53_anti_air_symbols_at_a_push_through() -> None:
    """The first edition names them for step 6; v0.96 gives the icon a roll on battle step 1 only."""
    asked = {}
    for game in BOTH:
        fought = Fought(game, "s3.t6.axis.return", terrain="sea", occasion="movement")
        fought.attack(("germany", "fighter", 1)).defend(("us", "cruiser", 1), ("us", "fighter", 1))
        fought.evening.do(bc.SetCircumstances(fought.id, push_through=True))
        fought.begin()
        asked[game] = [unit for _side, unit, *_rest in fought.asked()]
    assert asked == {FIRST: ["cruiser", "fighter"], NEWER: ["fighter"]}


@each("locked_in_battle", "locked_in_battle")
def test_52_support_out_of_a_marked_space(game: str, expected: str) -> None:
    fought = Fought(game, space="A").attack(("us", "tank", 1)).defend(("germany", "infantry", 1))
    other = Fought(game, space="B", evening=fought.evening)
    other.attack(("us", "artillery", 1)).defend(("germany", "infantry", 1))
    support = bc.ChangeUnits("A", ATTACKING, "artillery", "us", 1, 1, "", "B")
    fought.evening.refuse(support, expected, "B is active")
    if game == FIRST:
        fought.evening.rule("support_active", "allowed")
        fought.evening.do(support)


@each(True, False)
def test_53_anti_air_symbols_count_as_the_one_defence(game: str, expected: bool) -> None:
    fought = Fought(game, "s3.t1.axis.declare", "J4", "sea").attack(("germany", "fighter", 1))
    fought.defend(("us", "cruiser", 1)).begin()
    fought.miss()
    used = {(entry.role, entry.unit) for entry in battles_of(fought.evening.state).used}
    assert ((DEFENDING, "cruiser") in used) == expected


# Rulings of the first edition alone


@pytest.mark.parametrize(("choice", "waiting"), [("yes", 1), ("no", 0)])
def test_30_a_twelve_on_the_bonus_roll(choice: str, waiting: int) -> None:
    icons = {"tank.abilities": ["extra_shot"]}
    fought = Fought(FIRST, rulings={"extra_shot_again": choice}, printed=icons)
    fought.attack(("us", "tank", 1)).defend(("germany", "infantry", 9)).begin()
    number = next(n for n, line in enumerate(fought.progress.lines) if "tank" in line.units)
    for _n in range(2):
        dice = (Die(DieColour.YELLOW, 12),)
        fought.evening.do(bc.RecordRoll(fought.id, (number,), Roll(DieKind.D12, dice)))
    assert fought.progress.thrown[number].waiting == waiting
    luck = battles_of(fought.evening.state).luck["us"]  # type: ignore[index]
    assert luck.expected == pytest.approx(5 / 11 if choice == "yes" else 5 * 13 / 144, abs=0.01)


def test_28_cargo_that_its_owner_keeps_aboard() -> None:
    for choice, rolls_here in (("unloaded", 3), ("owner_chooses", 0)):
        fits = {"land_transport.load.3_infantry": True}
        fought = Fought(FIRST, rulings={"transport_cargo": choice}, printed=fits)
        fought.attack(("us", "tank", 1), ("us", "land_transport", 1)).defend(("germany", "tank", 1))
        fought.set(ATTACKING, 1, cargo=(Load("infantry", 3),), unload=False)
        fought.defend(("germany", "infantry", 1)).begin()
        assert sum(count for _c, _n, count in fought.dice("infantry", ATTACKING)) == rolls_here
        if choice == "owner_chooses":
            fought.roll("tank", "yellow", 1, side=ATTACKING)
            fought.roll("tank", "yellow", 1, side=DEFENDING)
            fought.roll("infantry", "blue", 9, side=DEFENDING)
            # The transport is lost; its Infantry stand in the space.
            left = battles_of(fought.evening.state).compositions["Arena"]["allies"]
            assert {group.unit: group.count for group in left} == {"tank": 1, "infantry": 3}

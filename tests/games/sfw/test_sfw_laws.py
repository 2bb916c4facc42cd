"""Laws of Song for War over all steps, nations and choices: the rulebook said a second time, shorter."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from companion.core.ids import TABLE as BY_TABLE
from companion.core.ids import Nation, Side
from companion.core.rules import Context, Rejected
from companion.core.state import GameState
from companion.core.text import Say
from companion.games.registry import games_by_key
from companion.games.sfw.odds.file import load_units
from companion.games.sfw.rules.battle import ATTACKING, Battle, Fight, Group, Load, other_side
from companion.games.sfw.rules.battle_combine import each_combination
from companion.games.sfw.rules.battle_conditions import condition_faults
from companion.games.sfw.rules.battle_edition import EDITIONS, SFW96, with_rulings
from companion.games.sfw.rules.battle_fire import rolls
from companion.games.sfw.rules.battle_losses import Hit, LossTable, merge_hits
from companion.games.sfw.rules.battle_play import expected_hits, hits_of, read_dice
from companion.games.sfw.rules.battle_record import BattleSlice, Declared, Progress
from companion.games.sfw.rules.battle_rolls import Aim, Volley
from companion.games.sfw.rules.battle_settle import control_left, doubtful_lines, settled
from companion.games.sfw.rules.battle_setup import set_up
from companion.games.sfw.rules.named import sentences
from companion.games.sfw.rules.places import ground_fault, places_of, site_at
from companion.games.sfw.rules.resupply import ResupplyPart
from companion.games.sfw.rules.resupply_record import ConditionReported
from companion.games.sfw.rules.support import (
    CardDiscarded,
    CardPlay,
    CardPlayed,
    Hand,
    SupportCorrected,
    SupportDealt,
    SupportPart,
    SupportState,
    card_key,
    fielding,
)
from companion.games.sfw.rules.tokens import (
    BlowBridge,
    Token,
    TokenRemoved,
    TokensPart,
    TokensState,
    enemy_mines,
    mines_in,
    reserve,
    why_not_token,
)
from companion.games.sfw.rules.units import number_figure, with_printed
from companion.session.scenario_loader import make_setup
from tests.games.sfw_editions import BOTH, FIGURES, NEWER, Evening, loaded

US, GB, GERMANY, ITALY = (Nation(name) for name in ("us", "gb", "germany", "italy"))
ALLIES, AXIS = (US, GB), (GERMANY, ITALY)
AIM = Aim(("land",), False, "", False)


# -- mines, lines and bridges -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def april() -> GameState:
    return Evening(NEWER, "apr43").state


@pytest.mark.parametrize("nation", [US, GB, GERMANY, ITALY])
def test_mines_and_lines_are_placed_on_their_steps_by_whose_act_it_is(
    nation: Nation, april: GameState
) -> None:
    """Mines (Placement); Defensive Lines (Placement): steps 2 and 4, step 4; before any battle is resolved."""
    side = "allies" if nation in ALLIES else "axis"
    steps = {"mine": (2, 4), "line": (4,)}
    for index, step in enumerate(april.itinerary.steps):
        if step.stage > 4 and step.stage != april.itinerary.steps[-1].stage:
            continue
        state = replace(april, index=index)
        for face, open_ in steps.items():
            is_open = (
                step.phase == "tactical" and step.movement_step in open_ and step.act in ("move", "declare")
            )
            refused = why_not_token(state, nation, face)
            expected = "not_now" if not is_open else "" if side in step.owners else "not_your_act"
            assert (refused.code if isinstance(refused, Rejected) else "") == expected, (step.id, face)


def test_a_nation_has_six_tokens_and_mines_are_the_enemys_by_side(april: GameState) -> None:
    faces = [("us", "mine"), ("us", "line"), ("gb", "mine"), ("germany", "mine"), ("italy", "mine")]
    on = tuple(
        Token(n, Nation(of), face, "E5", "E6" if face == "line" else "")
        for n, (of, face) in enumerate(faces, 1)
    )
    state = replace(april, game={**april.game, "tokens": TokensState(tokens=on)})
    assert [reserve(state, nation).left for nation in (US, GB, GERMANY, ITALY)] == [4, 5, 5, 5]
    assert {token.id for token in mines_in(state, " e5")} == {1, 3, 4, 5}
    assert mines_in(state, "E6") == ()
    for nation in (US, GB, GERMANY, ITALY):
        foes = {4, 5} if nation in ALLIES else {1, 3}
        assert {token.id for token in enemy_mines(state, "E5", nation)} == foes


def test_bridges_are_blown_on_step_4_on_the_italy_board_alone(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("italy")
    base = game.state
    for index, step in enumerate(base.itinerary.steps[:90]):
        is_open = step.phase == "tactical" and step.movement_step == 4 and step.act in ("move", "declare")
        if step.phase != "tactical" and index % 5:
            continue
        state = replace(base, index=index)
        for nation, side in ((Nation("germany_10"), "axis"), (GB, "allies")):
            answer = TokensPart().decide(state, BlowBridge(nation, "Volturno"), Context(BY_TABLE))
            code = answer.code if isinstance(answer, Rejected) else ""
            assert code == ("not_now" if not is_open else "" if side in step.owners else "not_your_act"), (
                step.id
            )


# -- dice --------------------------------------------------------------------------------------------------------


def volley(number: int = 8, level: int = 2, dice: int = 1, **more: Any) -> Volley:
    return Volley("attacking", 0, "tank", "us", 1, dice, level, number, AIM, **more)


def test_a_die_hits_on_its_number_and_a_twelve_does_what_the_unit_says() -> None:
    """Extra Shot; Level Up; Precise Hit."""
    for number, value in product(range(2, 13), range(1, 13)):
        for extra, chained, bonus in product((False, True), repeat=3):
            throw = read_dice(volley(number, extra_shot=extra, is_chained=chained), [value], is_bonus=bonus)
            twelve = int(value == 12)
            again = twelve if extra and (chained or not bonus) else 0
            assert (throw.hits, throw.twelves, throw.again) == (int(value >= number), twelve, again)
    assert read_dice(volley(8), [7, 8, 12, 12, 1]).hits == 3
    for level, hits, twelves, up, precise in product(
        range(1, 5), range(4), range(4), (False, True), (False, True)
    ):
        if twelves > hits:
            continue
        found = {}
        for hit in hits_of(volley(level=level, level_up=up, precise=precise), hits, twelves, 4):
            found[hit.level, hit.precise] = hit.count
        expected: dict[tuple[int, bool], int] = {}
        for n in range(hits):
            special = n < twelves
            key = (min(4, level + 1) if special and up else level, special and precise)
            expected[key] = expected.get(key, 0) + 1
        assert found == expected


def test_the_hits_to_expect_of_a_volley() -> None:
    for number, dice in product(range(2, 13), range(1, 5)):
        chance = 13 - number
        plain, chained = volley(number, dice=dice), volley(number, dice=dice, extra_shot=True)
        once = volley(number, dice=dice, extra_shot=True, is_chained=False)
        for made, top, bottom in ((plain, chance, 12), (chained, chance, 11), (once, chance * 13, 144)):
            hits, of = expected_hits(made)
            assert hits * bottom == dice * top * of
        assert plain.has_twelves is False
    assert all(volley(**{flag: True}).has_twelves for flag in ("extra_shot", "level_up", "precise"))


def test_like_hits_are_counted_together_weakest_first() -> None:
    other = Aim(("air",), False, "", False)
    hits = (
        Hit(3, AIM, 1),
        Hit(1, AIM, 2),
        Hit(3, AIM, 2),
        Hit(3, AIM, 1, True),
        Hit(2, other, 0),
        Hit(1, other, 1),
    )
    found = merge_hits(hits)
    assert set(found) == {Hit(1, AIM, 2), Hit(1, other, 1), Hit(3, AIM, 3), Hit(3, AIM, 1, True)}
    assert [(hit.level, hit.precise) for hit in found] == [(1, False), (1, False), (3, False), (3, True)]


# -- what a battle may say ------------------------------------------------------------------------------------------

TABLE = load_units("sfw96")
GUN = Group("infantry", 1, "us")
PLAIN = Battle(4, "land", (GUN,), (Group("infantry", 1, "germany"),))


MOVING_IN = {"lines", "line_dice", "mines", "bridge", "push_through", "contested"}
"""What is rolled or judged only while units move in."""


def changed(change: dict[str, Any]) -> Battle:
    """The plain battle with a change; where it is one of moving in, the occasion is that."""
    occasion = {"occasion": "movement"} if MOVING_IN & set(change) else {}
    return replace(PLAIN, **occasion | change)


def codes(battle: Battle, edition: str = "sfw96") -> list[str]:
    return sorted(str(code) for code, _why in condition_faults(battle, EDITIONS[edition], TABLE))


@pytest.mark.parametrize("occasion", ["battle", "movement", "disengage"])
def test_battles_happen_in_steps_1_to_5_and_only_movement_draws_fire_in_6(occasion: Any) -> None:
    for step in range(-1, 9):
        late = occasion == "movement" and step == 6
        expected = [] if 1 <= step <= 5 or late else ["bad_movement_step"]
        if occasion == "disengage" and step not in (4, 5):
            expected.append("bad_movement_step")
        made = replace(PLAIN, occasion=occasion, movement_step=step)
        assert codes(made) == expected, step
        told = {str(why) for _code, why in condition_faults(made, SFW96, TABLE)}
        assert told <= {
            f"Battles happen in movement steps 1-5, not {step}.",
            f"Land units disengage in movement steps 4, 5, not {step}.",
        }


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"terrain": "swamp"}, ["unknown_terrain"]),
        *(({"airfield": side}, []) for side in ("", "nobody", "attacking", "defending")),
        ({"airfield": "us"}, ["bad_choice"]),
        *(({key: n}, []) for key in ("lines", "sea_walls") for n in (0, 1, 24)),
        *(({key: n}, ["bad_count"]) for key, n in (("lines", -1), ("lines", 25), ("sea_walls", 25))),
        *(({"mines": n}, [] if 0 <= n <= 6 else ["bad_count"]) for n in (-1, 0, 1, 6, 7)),
        ({"sea_walls": 2, "wall_facing": ("A", "B")}, []),
        ({"sea_walls": 1, "wall_facing": ("A", "B")}, ["bad_count"]),
        ({"line_dice": (48, 24, 24)}, []),
        ({"line_dice": (49, 0, 0)}, ["bad_count"]),
        ({"line_dice": (0, 25, 0)}, ["bad_count"]),
        ({"line_dice": (0, 0, 25)}, ["bad_count"]),
        ({"line_dice": (1, 1)}, ["bad_count"]),
        ({"line_dice": (1, -1, 1)}, ["bad_count"]),
        ({"bridge": True, "occasion": "movement"}, []),
        ({"bridge": True, "occasion": "movement", "contested": True}, ["bad_choice"]),
        ({"bridge": True, "occasion": "battle"}, ["bad_choice"]),
        ({"push_through": True, "contested": True}, []),
        ({"terrain": "sea"}, []),
        *(({"terrain": "sea", key: 1}, ["wrong_terrain"]) for key in ("lines", "sea_walls", "bridge")),
        ({"terrain": "sea", "line_dice": (1, 0, 0)}, ["wrong_terrain"]),
        ({"terrain": "sea", "line_dice": (0, 0, 0)}, []),
        *(({"terrain": "sea", "airfield": side}, ["wrong_terrain"]) for side in ("attacking", "defending")),
        ({"terrain": "sea", "airfield": "nobody"}, []),
        ({"terrain": "sea", "attacking": (Group("heavy_bomber", 1, "us", bombing=1),)}, ["wrong_terrain"]),
        ({"attacking": (Group("heavy_bomber", 1, "us", bombing=1),)}, []),
        ({"retreat": ("nothing",)}, ["no_retreat"]),
    ],
)  # fmt: skip
def test_what_the_conditions_of_a_battle_may_be(change: dict[str, Any], found: list[str]) -> None:
    assert codes(changed(change)) == found


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"airfield": "attacking"}, ["not_in_edition"]),
        ({"airfield": "nobody"}, ["not_in_edition"]),
        ({"lines": 1}, ["not_in_edition"]),
        ({"sea_walls": 1}, ["not_in_edition"]),
        ({"mines": 1}, ["not_in_edition"]),
        ({"bridge": True}, ["not_in_edition"]),
        ({"push_through": True}, []),
        ({"push_through": True, "contested": True}, ["bad_choice"]),
        ({"occasion": "disengage"}, ["not_in_edition"]),
        ({"retreat": ("infantry",)}, ["not_in_edition"]),
        ({}, []),
    ],
)
def test_the_first_edition_has_none_of_the_newer_pieces(change: dict[str, Any], found: list[str]) -> None:
    assert [code for code in codes(changed(change), "sfw1") if code != "no_retreat"] == found


def test_a_mine_of_the_newer_edition_is_no_line_and_a_line_no_mine() -> None:
    no_mines, no_lines = replace(SFW96, mine=None), replace(SFW96, line_dice=())
    for edition, key, is_there in (
        (no_mines, "mines", False), (no_mines, "lines", True), (no_mines, "sea_walls", True),
        (no_lines, "mines", True), (no_lines, "lines", False), (no_lines, "sea_walls", False),
    ):  # fmt: skip
        found = [str(why) for _code, why in condition_faults(changed({key: 1}), edition, TABLE)]
        piece = "mines" if key == "mines" else "defensive lines"
        assert found == ([] if is_there else [f"There are no {piece} in this edition."])


def test_a_unit_retreats_that_shows_the_icon() -> None:
    tank = replace(TABLE.units["tank"], abilities=(*TABLE.units["tank"].abilities, "retreat"))
    table = replace(TABLE, units={**TABLE.units, "tank": tank})
    assert table.units["tank"].has("retreat")
    for unit in ("tank", "infantry", "nothing"):
        found = [str(code) for code, _ in condition_faults(replace(PLAIN, retreat=(unit,)), SFW96, table)]
        assert found == ([] if unit == "tank" else ["no_retreat"])


RULED: dict[str, dict[str, tuple[str, bool]]] = {
    "short_hit": {"takes_what_there_is": ("short_hit_pays", True), "other": ("short_hit_pays", False)},
    "empty_transports": {"stay": ("empty_transports_stay", True), "leave": ("empty_transports_stay", False)},
    "deployed_step": {"whole_step": ("deployed_whole_step", True), "half": ("deployed_whole_step", False)},
    "joint_hits": {"together": ("joint_hits", True), "owner": ("joint_hits", False)},
    "anti_air_abilities": {"yes": ("anti_air_abilities", True), "no": ("anti_air_abilities", False)},
    "bridge_together": {"all": ("bridge_all", True), "first": ("bridge_all", False)},
    "support_active": {"forbidden": ("is_support_locked", True), "allowed": ("is_support_locked", False)},
    "transport_cargo": {"owner_chooses": ("is_cargo_chosen", True), "unloaded": ("is_cargo_chosen", False)},
    "extra_shot_again": {"yes": ("extra_shot_again", True), "no": ("extra_shot_again", False)},
    "hit_weights": {"one_colour": ("one_colour", True), "weights": ("one_colour", False)},
}


@pytest.mark.parametrize("ruling", list(RULED))
def test_a_tables_ruling_changes_one_rule_of_battle(ruling: str) -> None:
    default = with_rulings(SFW96, {})
    for choice, (field, value) in RULED[ruling].items():
        made = with_rulings(SFW96, {ruling: choice})
        assert getattr(made, field) == value
        assert replace(made, **{field: getattr(default, field)}) == default
    assert (default.one_colour, default.short_hit_pays, default.combined_left) == (False, True, 2)


def test_rulings_that_decide_two_rules_or_one_by_three() -> None:
    for unlisted, colour, pays in (("shares", False, True), ("nothing", True, False), ("one", True, True)):
        made = with_rulings(SFW96, {"unlisted_hit": unlisted})
        assert (made.one_colour, made.short_hit_pays) == (colour, pays)
    for leaving, retreat, disengage in (
        ("as_written", False, True), ("land_units", True, True), ("all_units", False, False)
    ):  # fmt: skip
        made = with_rulings(SFW96, {"leaving_rolls": leaving})
        assert (made.retreat_land_only, made.disengage_land_only) == (retreat, disengage)
    assert with_rulings(EDITIONS["sfw1"], {}).combined_left == 1
    assert with_rulings(EDITIONS["sfw1"], {"last_concentrating": "silent"}).combined_left == 2


def test_one_sentence_stays_what_it_is() -> None:
    one, other = Say("One."), Say("Other.")
    assert sentences([one]) is one
    assert str(sentences([one, other])) == "One. Other."


# -- battles on the board, places, units ----------------------------------------------------------------------------


def declared(id_: str, space: str, attacker: str, **defender: Any) -> Declared:
    there = (Group("infantry", **{"count": 1, "nation": "germany", **defender}),)
    return Declared(id_, space, 3, 4, Side(attacker), replace(PLAIN, defending=there))


def test_a_battle_is_found_by_its_letter_and_by_the_enemies_in_its_space() -> None:
    a, b = declared("A", "Tunis", "allies"), declared("B", "Bone", "axis")
    away, none = declared("C", "Derna", "allies", distance=1), declared("D", "Rome", "allies", count=0)
    own = BattleSlice(battles=(a, b, away, none))
    assert [own.find(letter) for letter in "ABX"] == [a, b, None]
    for space, sides, found in (
        (" tunis", ("allies",), a), ("Tunis", ("axis",), None), ("Bone", ("axis",), b), ("Bone", ("allies", "axis"), b),
        ("Derna", ("allies",), None), ("Rome", ("allies",), None), ("Malta", ("allies",), None),
    ):  # fmt: skip
        assert own.with_enemies(space, sides) == found
    known = replace(own, compositions={"Tunis": {"allies": (GUN,)}})
    assert known.last_known("Tunis") == known.last_known("TUNIS ") == {"allies": (GUN,)}
    assert known.last_known("Bone") == {}
    both = replace(own, compositions={"TUNIS": {}, "Tunis": {"axis": (GUN,)}})
    assert (both.last_known("Tunis"), both.last_known("TUNIS")) == ({"axis": (GUN,)}, {}), (
        "the very spelling first"
    )


@pytest.mark.parametrize("reason", ["over", "broken_off"])
def test_lines_fall_with_their_last_defender_once_a_battle_is_over(reason: str, april: GameState) -> None:
    """Destroying a Defensive Line: with the last control-capable unit behind it; a battle broken off destroys none."""
    work = set_up(PLAIN, SFW96, TABLE, has_begun=True)
    assert isinstance(work, Fight)
    on = (
        Token(1, GERMANY, "line", "Tunis", "Bone"),
        Token(2, US, "line", "Tunis", "Sfax"),
        Token(3, ITALY, "line", "Bone", "X"),
    )
    state = replace(april, game={**april.game, "tokens": TokensState(tokens=on)})
    battle = Declared("A", "Tunis", 3, 4, Side("allies"), PLAIN)
    for left in (0, 1):
        progress = Progress(0, "6", (1,), (left,))
        gone = settled(state, work, battle, progress, reason)
        assert gone == ((TokenRemoved(1),) if reason == "over" and not left else ())


def test_a_line_is_doubted_after_a_battle_that_was_fought_in_its_space_alone(april: GameState) -> None:
    on = (Token(1, GERMANY, "line", "Tunis", "Bone"), Token(2, GERMANY, "line", "Bone", "X"))
    state = replace(april, game={**april.game, "tokens": TokensState(tokens=on)})
    battle = replace(PLAIN, defending=(Group("anti_air", 1, "germany"),))
    fought = Declared("A", "Tunis", 3, 4, Side("allies"), battle, progress=Progress(0, "6", (1,), (1,)))
    assert doubtful_lines(state, fought) == on[:1]
    held = replace(fought, battle=PLAIN)
    moved = replace(fought, battle=replace(battle, occasion="movement"))
    unknown = replace(fought, battle=replace(battle, defending=(Group("strange", 1, "germany"),)))
    for other in (held, moved, unknown, replace(fought, progress=None)):
        assert doubtful_lines(state, other) == ()


@pytest.mark.parametrize(
    ("edition", "occasion"), [("sfw96", "movement"), ("sfw1", "movement"), ("sfw1", "battle")]
)
def test_what_stays_aboard_a_land_transport_can_hold_a_space_and_outlives_it(
    edition: str, occasion: Any
) -> None:
    """Control-capable unit: each of two transports carries two of them, and a gun stands beside."""
    group = Group("land_transport", 2, "us", cargo=(Load("infantry", 2),), unload=False)
    battle = replace(PLAIN, attacking=(group, Group("anti_air", 1, "us")), occasion=occasion)
    ruled = with_rulings(EDITIONS[edition], {"transport_cargo": "owner_chooses"})
    work = set_up(battle, ruled, load_units(edition), has_begun=True)
    assert isinstance(work, Fight), work
    start = work.start(ATTACKING)
    for left in (start, tuple(0 for _one in start)):
        assert control_left(work, ATTACKING, Progress(0, "6", left, (1,))) == {US: 4}


def test_what_the_board_knows_of_a_space_is_held_against_it(april: GameState) -> None:
    site = site_at(april, " TUNIS ")
    assert site is not None
    assert site.id == "tunis"
    assert site_at(april, "Nowhere") is None
    for space, land, sea in (("Tunis", True, False), ("Nowhere", True, True)):
        assert (ground_fault(april, space, is_sea=False) is None) == land
        assert (ground_fault(april, space, is_sea=True) is None) == sea
    at_sea = next(place.name for place in places_of(april) if place.kind == "sea")
    assert ground_fault(april, at_sea, is_sea=True) is None
    assert ground_fault(april, at_sea, is_sea=False) is not None


def test_a_unit_that_fires_two_open_colours_has_a_number_for_each() -> None:
    for edition in ("sfw96", "sfw1"):
        table = load_units(edition)
        for spec in table.units.values():
            colours = {line.level for line in spec.fire}
            is_open = spec.status_of("number").status in ("unknown", "printed")
            apart = len(colours) > 1 and is_open
            assert number_figure(table, spec, None) == "number"
            for level in colours:
                name = f"number.{table.level_name(level)}" if apart and level is not None else "number"
                assert number_figure(table, spec, level) == name
    assert any(len({line.level for line in spec.fire}) > 1 for spec in load_units("sfw1").units.values())


@pytest.mark.parametrize("edition", ["sfw96", "sfw1"])
def test_a_covered_carrier_minds_hits_from_the_air_and_in_the_first_edition_all_hits(edition: str) -> None:
    table = load_units(edition)
    flown, shot = Aim(("sea",), False, "", True), Aim(("sea",), False, "", False)
    for unit in ("carrier", "cruiser"):
        battle = Battle(3, "sea", (Group("submarine", 1, "us"),), (Group(unit, 1, "germany"),))
        work = set_up(battle, EDITIONS[edition], table, has_begun=True)
        assert isinstance(work, Fight), work
        losses = LossTable(work, "defending")
        carries = unit == "carrier"
        assert losses.minds_cover([flown]) == losses.minds_cover([shot, flown]) == carries
        assert losses.minds_cover([shot]) == losses.minds_cover([]) == (carries and edition == "sfw1")


@pytest.mark.parametrize(("edition", "rolls_at"), [("sfw96", set()), ("sfw1", {"carrier"})])
def test_anti_air_symbols_roll_at_those_who_push_through_in_the_first_edition_alone(
    edition: str, rolls_at: set[str]
) -> None:
    table = with_printed(load_units(edition), FIGURES[edition])
    battle = Battle(
        2,
        "sea",
        (Group("fighter", 2, "us"), Group("carrier", 1, "us")),
        (Group("carrier", 1, "germany"),),
        occasion="movement",
        push_through=True,
    )
    work = set_up(battle, EDITIONS[edition], table, has_begun=True)
    assert isinstance(work, Fight), work
    sides = ("attacking", "defending")
    found = [rolls(work, "push", side, work.start(side), work.start(other_side(side))) for side in sides]
    assert found[0].volleys == ()
    assert {volley.source for volley in found[1].volleys if volley.aim.types == ("air",)} == rolls_at


def test_places_that_a_battle_or_a_token_names_are_known(april: GameState) -> None:
    fought = BattleSlice(
        battles=(declared("A", "Old Fort", "allies"),), history=(declared("B", "Wadi", "axis"),)
    )
    token = Token(1, US, "line", "Hill 609", "Far Side")
    state = replace(april, game={**april.game, "battle": fought, "tokens": TokensState(tokens=(token,))})
    for name in ("Old Fort", "Wadi", "Hill 609", "Far Side"):
        assert places_of(april).find(name) is None
        found = places_of(state).find(f" {name.upper()}")
        assert found is not None
        assert found.name == name


@pytest.mark.parametrize("edition", BOTH)
def test_lanes_are_counted_on_the_theater_boards_alone(edition: str) -> None:
    data = loaded(edition).data
    for name, row in data.scenarios.items():
        acts = {
            step.act for step in make_setup(games_by_key()[edition].family, loaded(edition), name, {}).steps
        }
        assert ("lanes" in acts) <= (row.family == "theater"), name
    assert any("lanes" in {step.act for step in Evening(edition).state.itinerary.steps} for edition in BOTH)


def test_a_scenarios_shorter_time_stands_first_and_each_stage_has_its_tactical_phase() -> None:
    data, family = loaded(NEWER).data, games_by_key()[NEWER].family

    def told(**changes: Any) -> list[str]:
        row = replace(data.scenarios["tobruk41"], **changes)
        changed = replace(data, scenarios={**data.scenarios, "tobruk41": row})
        faults = [fault for fault in family.check(changed) if fault.key in ("minutes", "stages[0].phases")]
        return [f"{fault.key}: {fault.expected}" for fault in faults]

    assert told() == told(minutes=(30, 30)) == []
    assert told(minutes=(31, 30)) == ["minutes: the shorter time first"]
    first, *rest = data.scenarios["tobruk41"].stages
    bare = replace(first, phases=("victory",) * len(first.phases))
    assert "stages[0].phases: tactical among them" in told(stages=(bare, *rest))


def test_who_has_a_unit_is_asked_only_of_a_unit_that_is_known() -> None:
    nations = ("us", "germany")
    assert fielding(TABLE, nations, "strange") == nations
    for unit in TABLE.units:
        assert fielding(TABLE, nations, unit) == tuple(n for n in nations if TABLE.fields(n, unit))


def test_two_hits_of_a_level_make_one_of_the_next_where_both_could_be_aimed() -> None:
    """Battle step 7A."""
    sea = Aim(("sea", "land"), True, "", False)
    elsewhere, leaving = replace(AIM, place="Tunis"), replace(AIM, role="leaving")

    def made(*hits: Hit, levels: int = 4) -> set[tuple[Hit, ...]]:
        return set(each_combination(hits, levels))

    assert made(Hit(1, AIM, 2)) == {(Hit(1, AIM, 2),), (Hit(2, AIM),)}
    assert made(Hit(1, AIM, 4)) == {
        (Hit(1, AIM, 4),), (Hit(1, AIM, 2), Hit(2, AIM)), (Hit(2, AIM, 2),), (Hit(3, AIM),)
    }  # fmt: skip
    assert made(Hit(1, AIM, 3)) == {(Hit(1, AIM, 3),), (Hit(1, AIM), Hit(2, AIM))}
    for alone in ((Hit(1, AIM),), (Hit(4, AIM, 2),), (Hit(1, AIM, 2, True),), (Hit(1, AIM), Hit(2, AIM))):
        assert made(*alone) == {alone}
    both = Aim(("land",), False, "", False)
    assert made(Hit(1, AIM), Hit(1, sea)) == {merge_hits((Hit(1, AIM), Hit(1, sea))), (Hit(2, both),)}
    for other in (elsewhere, leaving, replace(AIM, types=("air",))):
        assert len(made(Hit(1, AIM), Hit(1, other))) == 1
    sonar = made(Hit(1, replace(sea, sonar=True)), Hit(1, replace(sea, sonar=True, air=True)))
    assert (Hit(2, replace(sea, air=True)),) in sonar


@pytest.mark.parametrize("condition", ["contested", "blockade", "sea_space"])
def test_a_condition_of_resupply_holds_until_it_is_taken_back(condition: Any, april: GameState) -> None:
    part, own = ResupplyPart(), april.game["resupply"]
    holds = part.evolve(own, ConditionReported("tunis", condition, True), april)
    more = part.evolve(holds, ConditionReported("bone", condition, True), april)
    assert part.evolve(more, ConditionReported("bone", condition, False), april) == holds
    assert part.evolve(holds, ConditionReported("tunis", condition, False), april) == own
    assert len({str(state) for state in (own, holds, more)}) == 3


# -- National Support ------------------------------------------------------------------------------------------------


def test_what_a_hand_holds_after_each_event_of_support(april: GameState) -> None:
    part = SupportPart()
    start = SupportState(hands={"us": Hand(3, 2, 5, 1), "gb": Hand(1, 1)})

    def after(event: Any) -> Hand:
        found = part.evolve(start, event, april)
        assert found.hands["gb"] == Hand(1, 1)
        return found.hands["us"]

    dealt = part.evolve(start, SupportDealt(US, 2, 4, 3), april)
    assert (dealt.hands["us"], dealt.dealt) == (Hand(7, 5, 8, 1), {"2.us"})
    for cost, lasting in product((0, 3, 9), (False, True)):
        play = CardPlay(2, april.step.id, US, "Ace", "operation", cost, lasting)
        assert after(CardPlayed(play)) == Hand(max(0, 3 - cost), 1, 5, 1 if lasting else 2)
    assert after(CardDiscarded(US, "")) == Hand(3, 1, 5, 2)
    assert after(CardDiscarded(US, "Ace")) == Hand(3, 2, 5, 2), "it lay on the table"
    assert after(SupportCorrected(US, 8, 9)) == Hand(8, 9, 5, 1)
    lies = CardPlay(2, april.step.id, US, "Ace", "operation", 1, True)
    plays = (lies, replace(lies, name="Two"), replace(lies, nation=GB))
    left = part.evolve(replace(start, plays=plays), CardDiscarded(US, "Ace"), april).plays
    assert [play.is_lasting for play in left] == [False, True, True]


def test_a_card_is_remembered_by_letters_and_digits_alone() -> None:
    assert card_key("us", "  P-51 Mustang ") == "card.us.p_51_mustang"
    assert card_key("gb", "ACE") == card_key("gb", "ace") == "card.gb.ace"

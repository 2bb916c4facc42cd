"""Battles that the table declares: distances, sea walls, empty transports, the same space twice, fire already used, bombs."""

from __future__ import annotations

import json
from itertools import product
from operator import add, le, sub
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.cli import main
from companion.core.commands import SetRuling
from companion.core.dice import Die, DieColour, DieKind, Roll
from companion.core.ids import ARBITER, Nation, SiteId
from companion.core.ledger import SealedEnvelope, commitment
from companion.core.text import Name, Say
from companion.games.sfw.odds.file import load_units, read_battle
from companion.games.sfw.pages.battle import battle_page
from companion.games.sfw.pages.battle_course import battle_view
from companion.games.sfw.pages.battle_draft import BattleDraft
from companion.games.sfw.pages.battle_fight import settled_by
from companion.games.sfw.pages.battle_group import ask_declaration, circumstances, group_choices
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Battle, Fight, Group, Load
from companion.games.sfw.rules.battle_edition import SFW96, with_rulings
from companion.games.sfw.rules.battle_losses import Hit, LossTable
from companion.games.sfw.rules.battle_rolls import Aim
from companion.games.sfw.rules.battle_setup import set_up
from companion.games.sfw.rules.battle_state import battles_of, edition_of
from companion.games.sfw.rules.control import CorrectControl
from companion.games.sfw.rules.resupply_record import RecordBombing, RecordCardEffect
from companion.games.sfw.rules.resupply_values import sources, why_not_source
from companion.games.sfw.rules.seal_messages import Content, RevealSecret, SealSecret
from companion.games.sfw.rules.seals import content_text
from companion.games.sfw.rules.support import PlayCard
from companion.odds.battle_file import BattleFileError
from companion.pages.page import Act, Ask, Draft, Send
from companion.pages.speak import speak
from companion.testing.reading import Reading, read
from tests.games.sfw_editions import BOTH, FIRST, NEWER, Evening, Fought

STEP_4 = "s3.t4.allies.declare"


def said(fought: Fought, side: str, index: int) -> dict[str, Act]:
    """Return what the page offers for a group: text to act."""
    state = fought.evening.state
    return {speak(text, state): act for text, act in group_choices(state, fought.declared, side, index)}


def page(evening: Evening, draft: BattleDraft | None = None) -> Reading:
    change = evening.desk.change
    assert change is not None
    return read(battle_page, change, draft=draft or BattleDraft())


# Distances


@pytest.mark.parametrize("game", BOTH)
def test_mountain_artillery_is_offered_exactly_the_distances_that_it_reaches(game: str) -> None:
    fought = Fought(game, STEP_4).attack(("us", "artillery", 1), distance=1)
    fought.attack(("us", "tank", 1)).defend(("italy", "infantry", 2))
    assert "2 spaces away" not in said(fought, ATTACKING, 0)
    fought.evening.refuse(fought.group(ATTACKING, 0, distance=2), "out_of_range")
    high = said(fought, ATTACKING, 0)["Fires from mountains"]
    assert isinstance(high, Send)
    fought.evening.do(high.at(0))
    far = said(fought, ATTACKING, 0)["2 spaces away"]
    assert isinstance(far, Send)
    assert "3 spaces away" not in said(fought, ATTACKING, 0)
    fought.evening.do(far.at(0))
    fought.begin()
    while not fought.dice("artillery"):
        fought.miss(until=str(int(fought.progress.step) + 1))
    assert [number for _colour, number, _dice in fought.dice("artillery")] == [10 if game == NEWER else 8]


@pytest.mark.parametrize(("distance", "number"), [(1, 9), (2, 10)])
def test_each_space_of_range_costs_one(distance: int, number: int) -> None:
    fought = Fought(NEWER, STEP_4).attack(("us", "artillery", 1), distance=1)
    fought.set(ATTACKING, 0, terrain="mountain", distance=distance)
    fought.attack(("us", "tank", 1)).defend(("italy", "infantry", 2)).begin()
    while not fought.dice("artillery"):
        fought.miss(until=str(int(fought.progress.step) + 1))
    assert fought.dice("artillery") == [("gray", number, 1)]
    # Down from the mountain it stands nearer again, rather than where it could not fire from.
    fought = Fought(NEWER, STEP_4).attack(("us", "artillery", 1), distance=1)
    fought.set(ATTACKING, 0, terrain="mountain", distance=2)
    down = said(fought, ATTACKING, 0)["Does not fire from mountains"]
    assert isinstance(down, Send)
    fought.evening.do(down.at(0))
    assert fought.declared.battle.attacking[0].distance == 1


# Who declares


@pytest.mark.parametrize("game", BOTH)
@pytest.mark.parametrize(
    ("step", "declarer", "is_taken"),
    [
        (1, "", False),
        (2, "", False),
        (3, "", False),
        (4, "", True),
        (5, "", True),
        (1, "fighter", True),
        (3, "cruiser", True),
    ],
)
def test_land_units_alone_declare_no_battle_in_a_step_in_which_they_do_not_act(
    game: str, step: int, declarer: str, is_taken: bool
) -> None:
    """Only the units active in the movement step declare battles; then all in the space fight."""
    fought = Fought(game, f"s3.t{step}.allies.declare").attack(("us", "tank", 2), ("us", "infantry", 1))
    if declarer:
        fought.attack(("us", declarer, 1), distance=int(declarer == "cruiser"))
    fought.defend(("italy", "infantry", 2))
    if is_taken:
        fought.begin()
        return
    fought.evening.refuse(
        bc.BeginBattle(fought.id), "inactive", "None of these units is active in movement step"
    )
    fought.attack(("us", "cruiser", 1), distance=1)
    if step != 3:  # in which a Cruiser is active by itself
        fought.evening.refuse(
            bc.BeginBattle(fought.id), "not_known", "a Hidden Fleet that was just revealed?"
        )
        fought.evening.do(bc.SetCircumstances(fought.id, revealed=True))
    fought.begin()


@pytest.mark.parametrize("game", BOTH)
@pytest.mark.parametrize(
    ("step", "units", "is_taken"),
    [
        (3, ("fighter",), False),
        (3, ("fighter", "light_bomber", "infantry"), False),
        (4, ("heavy_bomber",), False),
        (5, ("fighter",), False),
        (1, ("light_bomber",), False),
        (1, ("light_bomber", "fighter"), True),
        (2, ("light_bomber",), True),
        (4, ("fighter", "infantry"), True),
    ],
)
def test_aircraft_alone_declare_no_battle_in_a_step_in_which_they_do_not_act(
    game: str, step: int, units: tuple[str, ...], is_taken: bool
) -> None:
    fought = Fought(game, f"s3.t{step}.allies.declare").attack(*(("us", one, 1) for one in units))
    fought.defend(("italy", "infantry", 2))
    if not is_taken:
        fought.evening.refuse(bc.BeginBattle(fought.id), "inactive", "None of these units is active")
        fought.attack(("us", "cruiser", 1), distance=1)  # a ship may be of a fleet that was revealed
        fought.evening.do(bc.SetCircumstances(fought.id, revealed=True))
    fought.begin()


def test_the_command_line_refuses_land_units_that_do_not_act_with_the_same_sentence() -> None:
    data: dict[str, Any] = {
        "game": NEWER,
        "movement_step": 3,
        "terrain": "land",
        "attacking": [{"unit": "infantry", "nation": "us"}],
        "defending": [{"unit": "infantry", "nation": "italy"}],
    }
    with pytest.raises(BattleFileError) as found:
        read_battle(data, "battle.json")
    assert "None of these units is active in movement step 3." in str(found.value)
    read_battle({**data, "movement_step": 4}, "battle.json")
    read_battle({**data, "from_step": "6"}, "battle.json")


# Sea walls


WALL: dict[str, Any] = {
    "game": NEWER, "movement_step": 2, "terrain": "land", "sea_walls": 1,
    "attacking": [
        {"unit": "sea_transport", "nation": "italy", "distance": 1, "origin": "E5", "cargo": [{"unit": "tank"}]},
        {"unit": "air_transport", "nation": "germany", "cargo": [{"unit": "infantry", "count": 3}]},
    ],
    "defending": [{"unit": "infantry", "nation": "us"}],
    "printed_values": {"tank": {"number": 8}},
}  # fmt: skip


def landing(fought: Fought, *, air: bool = True, sea: bool = True) -> Fought:
    if sea:
        fought.attack(("italy", "sea_transport", 1), distance=1, origin="E5").load(0, ("tank", 1))
    if air:
        fought.attack(("germany", "air_transport", 1)).load(int(sea), ("infantry", 3))
    fought.defend(("us", "infantry", 1))
    fought.evening.do(bc.SetCircumstances(fought.id, sea_walls=1))
    return fought.begin()


def test_a_sea_wall_hits_only_what_lands_from_the_sea() -> None:
    """White 9, White 1, Gray 1: one White hit; the Tank is Gray and the dropped Infantry is no target."""
    fought = landing(Fought(NEWER, "s3.t2.axis.declare", "Tobruk"))
    fought.miss(until="7B")
    fought.roll("defensive_line", "white", 9, 1)
    fought.roll("defensive_line", "gray", 1)
    assert fought.progress.step == "7C"
    assert fought.left(ATTACKING) == {"sea_transport": 1, "air_transport": 1, "tank": 1, "infantry": 3}


def test_an_air_drop_alone_draws_no_fire_of_a_wall() -> None:
    fought = landing(Fought(NEWER, "s3.t2.axis.declare", "Tobruk"), sea=False)
    fought.miss()
    assert all(record.step != "7B" for record in fought.progress.records)


def test_a_wall_fires_only_at_those_from_the_sea_space_that_it_faces() -> None:
    elsewhere = {**WALL, "wall_facing": ["E6"]}
    rolls = [kind.landed_from for kind in read_battle(elsewhere).fight.attacking if kind.role == "landing"]
    assert rolls == ["e5", "air"]
    fought = Fought(NEWER, "s3.t2.axis.declare", "Tobruk")
    fought.attack(("italy", "sea_transport", 1), distance=1, origin="E5").load(0, ("infantry", 2))
    fought.attack(("germany", "sea_transport", 1), distance=1, origin="E6").load(1, ("infantry", 2))
    fought.defend(("us", "infantry", 1))
    fought.evening.do(bc.SetCircumstances(fought.id, sea_walls=1, wall_facing=("E6",)))
    fought.begin().miss(until="7B")
    fought.roll("defensive_line", "white", 9, 9)
    fought.roll("defensive_line", "gray", 8)
    left = {
        (kind.nation, fought.progress.attacking[kind.index])
        for kind in fought.fight.attacking
        if kind.role == "landing"
    }
    assert left == {("italy", 2), ("germany", 0)}


def test_odds_agree_that_an_air_drop_is_no_target(tmp_path: Any, capsys: Any) -> None:
    drop = {**WALL, "attacking": WALL["attacking"][1:], "defending": [{"unit": "anti_air", "nation": "us"}]}
    path = tmp_path / "battle.json"
    for battle, walls in ((drop, 0), (drop, 4)):
        path.write_text(json.dumps({**battle, "sea_walls": walls}))
        assert main(["odds", str(path), "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert answer["expected_loss"]["attacking"] == pytest.approx(
            json.loads(json.dumps(answer))["expected_loss"]["attacking"]
        )
        if walls == 0:
            without = answer["expected_loss"]["attacking"]
        else:
            assert answer["expected_loss"]["attacking"] == pytest.approx(without)


# Empty transports


def test_empty_transports_neither_declare_nor_push_through() -> None:
    fought = Fought(NEWER, "s3.t2.axis.declare", "E5", "sea").attack(("italy", "sea_transport", 2))
    fought.defend(("us", "destroyer", 1))
    fought.evening.refuse(bc.BeginBattle(fought.id), "empty_transports", "cannot declare a battle")
    assert "Empty transports cannot declare a battle" in page(fought.evening).say(
        page(fought.evening).page.main.why_not  # type: ignore[union-attr]
    )
    fought.set(ATTACKING, 0, cargo=(Load("infantry", 1),)).begin()

    push = Fought(NEWER, "s3.t2.axis.move", "E5", "sea", occasion="movement")
    push.attack(("italy", "sea_transport", 2)).defend(("us", "destroyer", 1))
    push.evening.do(bc.SetCircumstances(push.id, push_through=True))
    push.evening.refuse(bc.BeginBattle(push.id), "empty_transports", "They stay out")
    # One of them with Infantry aboard may go, the empty one stays out.
    push.evening.do(bc.SplitGroup(push.id, ATTACKING, 0, 1))
    push.set(ATTACKING, 0, cargo=(Load("infantry", 1),))
    push.evening.refuse(bc.BeginBattle(push.id), "empty_transports")
    push.evening.do(bc.ChangeUnits(push.id, ATTACKING, "sea_transport", "italy", -1))
    push.begin()


def test_empty_transports_may_be_in_a_battle_that_others_declared() -> None:
    fought = Fought(NEWER, "s3.t3.axis.declare", "E5", "sea")
    fought.attack(("italy", "sea_transport", 1), ("italy", "destroyer", 1)).defend(("us", "destroyer", 1))
    shown = page(fought.evening, BattleDraft("A", "details"))
    assert "ruling.empty_transports" in {item.key for item in shown.items}
    fought.evening.rule("empty_transports", "leave")
    fought.evening.refuse(bc.BeginBattle(fought.id), "empty_transports", "must leave")
    fought.evening.rule("empty_transports", "stay")
    fought.begin()


def test_the_first_edition_leaves_empty_transports_to_the_table() -> None:
    fought = Fought(FIRST, "s3.t2.axis.declare", "E5", "sea").attack(("italy", "sea_transport", 2))
    fought.defend(("us", "destroyer", 1))
    fought.evening.rule("empty_transports", "leave")
    fought.evening.refuse(bc.BeginBattle(fought.id), "empty_transports", "must leave")
    fought.evening.rule("empty_transports", "stay")
    fought.begin()


def test_the_command_line_refuses_empty_transports_with_the_same_sentence() -> None:
    battle = {
        "game": NEWER, "movement_step": 2, "terrain": "sea",
        "attacking": [{"unit": "sea_transport", "count": 2, "nation": "italy"}],
        "defending": [{"unit": "destroyer", "nation": "us"}],
    }  # fmt: skip
    with pytest.raises(BattleFileError, match="Empty transports cannot declare a battle") as wrong:
        read_battle(battle)
    assert wrong.value.code == "empty_transports"
    # The rest of a battle whose cargo has landed is no declaration.
    read_battle({**battle, "from_step": "6"})


# The same space twice


def fought_out(game: str = NEWER, step: str = STEP_4, space: str = "P") -> Fought:
    fought = Fought(game, step, space).attack(("us", "tank", 1)).defend(("italy", "anti_air", 1))
    return fought.begin().miss()


@pytest.mark.parametrize("game", BOTH)
def test_a_side_fights_once_in_a_space_in_a_movement_step(game: str) -> None:
    fought = fought_out(game)
    evening = fought.evening
    for again in ("P", " p ", "p"):
        evening.refuse(
            bc.DeclareBattle(again, "land", forced="moved"), "fought_here", "Battle A was fought in P"
        )
    evening.jump("s3.t4.axis.declare")
    evening.do(bc.DeclareBattle("P", "land"))
    evening.jump("s3.t5.allies.declare")
    evening.do(bc.DeclareBattle("p", "land"))
    evening.refuse(bc.DeclareBattle("P", "land"), "space_taken")


@pytest.mark.parametrize(("ruling", "shown_in", "may"), [
    ("revealed", "P", True), ("revealed", "J9", False), ("never", "P", False),
])  # fmt: skip
def test_a_fleet_revealed_there_allows_a_second_battle_where_the_table_says_so(
    ruling: str, shown_in: str, may: bool
) -> None:
    opening = "0f" * 32
    note = content_text(Content(shown_in, {"destroyer": 3}, ""))
    evening = Evening(NEWER)
    evening.enter()
    evening.rule("same_space_again", ruling)
    evening.do(
        SealSecret(
            Nation("us"), "fleet", "fleet", SealedEnvelope("c", "n", "t", (), {}, commitment(opening, note))
        )
    )
    evening.jump("s3.t2.allies.declare")
    fought = Fought(NEWER, space="P", terrain="sea", evening=evening)
    fought.attack(("us", "destroyer", 1)).defend(("italy", "sea_transport", 1)).begin().miss()
    evening.do(RevealSecret(next(iter(evening.state.game["seals"].secrets)), note, opening))
    again = bc.DeclareBattle("P", "sea", forced="revealed")
    if may:
        evening.do(again)
    else:
        evening.refuse(again, "fought_here")


def test_a_forgotten_marker_is_asked_about_and_noted_as_late() -> None:
    fought = fought_out()
    evening = fought.evening
    evening.refuse(bc.DeclareBattle("Q", "land"), "too_late", "The first battle of this act has begun")
    evening.refuse(bc.DeclareBattle("Q", "land", forced="boredom"), "bad_value")
    assert {"ruling.late_marker", "ruling.same_space_again"} <= {
        item.key for item in page(evening, BattleDraft(page="list")).items
    }
    ask = ask_declaration(evening.state, "battle", Draft(lambda d: d, BattleDraft()))
    other = ask.answered({"one": "other"})
    assert isinstance(other, Ask)
    terrain = other.answered({"name": "Q"})
    assert isinstance(terrain, Ask)
    forced = terrain.answered({"one": "land"})
    assert isinstance(forced, Ask)
    assert [item.key for item in forced.form.fields[0].options] == ["moved", "unloaded", "revealed", "none"]
    send = forced.answered({"one": "unloaded"})
    assert isinstance(send, Send)
    evening.do(send.at(0))
    assert battles_of(evening.state).battles[-1].late == "unloaded"
    evening.rule("late_marker", "refused")
    evening.refuse(bc.DeclareBattle("R", "land", forced="moved"), "too_late", "No more battles")


def test_a_battle_declared_in_time_is_not_late() -> None:
    evening = Fought(NEWER, STEP_4).evening
    evening.do(bc.DeclareBattle("Q", "land", forced="moved"))
    assert battles_of(evening.state).battles[-1].late == ""


def test_under_tournament_time_the_arbiter_decides_on_a_late_marker() -> None:
    evening = Evening(NEWER, options={"tournament": True})
    evening.jump(STEP_4)
    evening.enter()
    fought = Fought(NEWER, space="P", evening=evening)
    fought.attack(("us", "tank", 1)).defend(("italy", "anti_air", 1)).begin().miss()
    evening.refuse(bc.DeclareBattle("Q", "land", forced="moved"), "arbiter_only")
    evening.do(bc.DeclareBattle("Q", "land", forced="moved"), actor=ARBITER)


# One attack, one defence


@pytest.mark.parametrize("home", ["", "Gabes"])
@pytest.mark.parametrize("game", BOTH)
def test_a_supporter_without_a_home_fires_once_a_step(game: str, home: str) -> None:
    evening = Evening(game)
    evening.jump(STEP_4)
    evening.enter()
    first = Fought(game, space="P", evening=evening)
    second = Fought(game, space="Q", evening=evening)
    for fought in (first, second):
        fought.attack(("us", "tank", 1)).defend(("italy", "infantry", 1))
    first.attack(("us", "artillery", 1), distance=1, home=home)
    first.begin().miss()
    again = bc.ChangeUnits(second.id, ATTACKING, "artillery", "us", 1, 1)
    evening.refuse(again, "already_used", "If this is another one, say where it is")
    shown = page(evening, BattleDraft("B", tab="support"))
    ask = shown.shown.acts["attacking.us.artillery.1"]  # type: ignore[index]
    assert isinstance(ask, Ask)
    assert "Where does the other one stand" in speak(ask.form.title, evening.state)
    named = ask.answered({"one": "other"})
    assert isinstance(named, Ask)
    send = named.answered({"name": "Sfax"})
    assert isinstance(send, Send)
    evening.do(send.at(0))
    (supporter,) = (group for group in second.declared.battle.attacking if group.distance)
    assert supporter.home == "Sfax"
    second.begin()


def test_a_supporter_put_into_two_battles_is_stopped_before_the_second() -> None:
    evening = Evening(NEWER)
    evening.jump(STEP_4)
    evening.enter()
    battles = [Fought(NEWER, space=space, evening=evening) for space in ("P", "Q")]
    for fought in battles:
        fought.attack(("us", "tank", 1)).defend(("italy", "infantry", 1))
        fought.attack(("us", "artillery", 1), distance=1)
    battles[0].begin().miss()
    evening.refuse(bc.BeginBattle(battles[1].id), "already_used")
    assert "If this is another one" in page(evening, BattleDraft("B")).say(
        page(evening, BattleDraft("B")).page.main.why_not  # type: ignore[union-attr]
    )
    battles[1].set(ATTACKING, 1, home="Gabes").begin()


# Bombing


@pytest.mark.parametrize("game", BOTH)
@pytest.mark.parametrize(
    ("space", "holder", "words"),
    [
        ("Rome", "us", "on your own side"),
        ("Foggia", "germany", "Foggia is none"),
        ("Larissa", "germany", "Larissa is none"),  # an Airfield of the enemy has no value either
        ("napoli", "", "napoli is none"),
    ],
)
def test_bombs_need_an_enemy_objective(game: str, space: str, holder: str, words: str) -> None:
    evening = Evening(game)
    evening.jump("s3.t1.allies.declare")
    evening.enter()
    if space in ("Rome", "Larissa"):
        evening.do(CorrectControl(space.casefold(), Nation(holder)))
    fought = Fought(game, space=space, evening=evening)
    fought.attack(("us", "heavy_bomber", 1)).defend(("italy", "infantry", 1))
    evening.refuse(fought.group(ATTACKING, 0, bombing=3), "no_objective", words)


def test_bombs_ask_who_holds_an_objective_of_which_nobody_has_said() -> None:
    evening = Evening(NEWER, "nafrica")
    evening.enter()
    evening.jump("s3.t1.allies.declare")
    fought = Fought(NEWER, space="Tobruk", evening=evening)
    fought.attack(("gb_xiii", "heavy_bomber", 1)).defend(("italy", "infantry", 1))
    bombs = fought.group(ATTACKING, 0, bombing=3)
    asked = evening.refuse(bombs, "not_known")
    assert [need.id for need in asked.needs] == ["holder.nafrica.tobruk"]
    evening.enter({"holder.nafrica.tobruk": "italy"})
    evening.do(bombs)


@pytest.mark.parametrize("game", BOTH)
def test_bombs_on_an_enemy_objective_count_and_are_told_at_once(game: str) -> None:
    evening = Evening(game)
    evening.jump("s3.t2.allies.declare")
    evening.enter()
    evening.do(CorrectControl("naples", Nation("italy")))
    fought = Fought(game, space="naples", evening=evening)
    fought.attack(("us", "heavy_bomber", 1)).defend(("italy", "infantry", 1))
    offered = said(fought, ATTACKING, 0)
    assert any(text.endswith("bombing: 0 dice") for text in offered)
    fought.set(ATTACKING, 0, bombing=3).begin()
    bombs = next(
        n for n, line in enumerate(fought.progress.lines) if line.side == ATTACKING and line.dice == 3
    )
    colour = DieColour(fought.progress.lines[bombs].colour)
    evening.do(bc.RecordRoll(fought.id, (bombs,), Roll(DieKind.D12, (Die(colour, 12),) * 3)))
    fought.miss()
    assert fought.progress.bombing == 3
    told = " ".join(page(evening).say(item.title) for item in page(evening).items)
    assert "3 fewer of each type" in told


def test_nothing_was_bombed_and_no_card_played_before_play_has_begun() -> None:
    evening = Evening(NEWER)
    card = RecordCardEffect("rome", {"land": -2}, "Sabotage")
    for command in (RecordBombing(SiteId("rome"), 3), card):
        evening.refuse(command, "not_now", "before play has begun")
        evening.jump("s3.t1.allies.move")
        evening.do(command)
        evening.jump("setup")


@pytest.mark.parametrize("game", BOTH)
def test_who_declares_sees_the_spaces_and_not_what_was_rolled_for_moves(game: str) -> None:
    evening = Evening(game)
    evening.enter()
    evening.jump("s3.t4.allies.move")
    push = Fought(game, space="P", occasion="movement", evening=evening).attack(("us", "land_transport", 1))
    push.load(0, ("infantry", 1)).defend(("italy", "infantry", 1))
    evening.do(bc.SetCircumstances(push.id, push_through=True))
    push.begin().miss()
    assert page(evening).page.key == "A.over"
    evening.go("s3.t4.allies.declare")
    assert page(evening).page.key == "places"
    assert page(evening, BattleDraft("A")).page.key == "A.over", "where it is asked for"
    assert page(evening, BattleDraft(page="list")).page.key == "list"
    Fought(game, space="Q", evening=evening).attack(("us", "tank", 1)).defend(
        ("italy", "anti_air", 1)
    ).begin().miss()
    assert page(evening).page.key == "B.over", "the result, with what the table takes from it"


# Rulings


def pay(joint: str) -> tuple[set[tuple[int, ...]], bool]:
    """Return every legal payment of a Black and a White hit by Battleship, 2 Destroyers and 2 Sea Transports."""
    fought = Fought(NEWER, "s3.t3.allies.declare", "E5", "sea", rulings={"joint_hits": joint})
    fought.attack(("us", "battleship", 1))
    fought.defend(
        ("italy", "battleship", 1), ("italy", "destroyer", 2), ("italy", "sea_transport", 2)
    ).begin()
    table = LossTable(fought.fight, DEFENDING)
    sea = Aim(("sea",), False, "", False)
    hits = (Hit(1, sea), Hit(3, sea))
    counts = fought.fight.start(DEFENDING)
    legal = set(table.legal(counts, hits))
    for losses in legal:
        assert table.fault(counts, hits, losses) is None
    assert isinstance(table.fault(counts, hits, (0, 0, 0)), Say)
    return legal, table.hangs_on_order(counts, hits)


def test_hits_are_paid_together_or_one_by_one() -> None:
    together, hangs = pay("together")
    one_by_one, also = pay("one_by_one")
    assert hangs
    assert also
    assert (0, 2, 2) not in together
    # The owner lets Black take four Whites first; the White hit then finds nothing.
    assert (0, 2, 2) in one_by_one
    assert {(1, 1, 0), (1, 0, 1)} == together <= one_by_one


def cruiser_hits(*more: tuple[str, str, int]) -> Fought:
    """Return a battle in which a White and a Gray hit of a Cruiser meet a Cruiser, a Destroyer and others."""
    fought = Fought(NEWER, "s3.t3.allies.declare", "E5", "sea").attack(("us", "cruiser", 1))
    fought.defend(("italy", "cruiser", 1), ("italy", "destroyer", 1), *more).begin()
    while fought.progress.step != "5":
        fought.miss(until="5")
    for line in (one for one in battle_view(fought.evening.state, fought.declared).lines if one.dice):
        dice = (Die(DieColour(line.colour), 11 if line.side == ATTACKING else 1),) * line.dice
        fought.evening.do(bc.RecordRoll(fought.id, (line.index,), Roll(DieKind.D12, dice)))
    return fought


def test_the_loss_page_shows_the_ruling_that_decides_and_one_tap_changes_it() -> None:
    fought = cruiser_hits(("italy", "sea_transport", 1))
    view = battle_view(fought.evening.state, fought.declared)
    assert [choice.hangs_on_order for choice in view.losses] == [True]
    small = fought.losses(DEFENDING, ("italy", "destroyer", 1), ("italy", "sea_transport", 1))
    fought.evening.refuse(small, "illegal_losses")
    act = page(fought.evening).shown.acts["ruling.joint_hits"]  # type: ignore[index]
    assert isinstance(act, Send)
    assert act.at(0) == SetRuling("joint_hits", "one_by_one")
    fought.evening.do(act.at(0), small)
    assert not edition_of(fought.evening.state).joint_hits


def test_what_the_ruling_settled_by_itself_is_told_afterwards() -> None:
    """A Gray and a White hit on a Cruiser and a Destroyer leave no choice, but only since they are paid together."""
    fought = cruiser_hits()
    assert fought.declared.status == "over"
    assert settled_by(battle_view(fought.evening.state, fought.declared)) == ("joint_hits",)
    ask = next(act for id_, act in page(fought.evening).shown.acts.items() if id_.startswith("ruling"))
    assert isinstance(ask, Ask)
    assert [item.key for item in ask.form.fields[0].options] == ["together", "one_by_one"]
    assert ask.answered({"one": "one_by_one"}) == Send(SetRuling("joint_hits", "one_by_one"))


@pytest.mark.parametrize(("ruling", "levels"), [("no", False), ("yes", True)])
def test_abilities_on_the_dice_of_anti_air_icons(ruling: str, levels: bool) -> None:
    fought = Fought(
        NEWER, "s3.t1.allies.declare", "E5", "sea",
        rulings={"anti_air_abilities": ruling}, printed={"cruiser.abilities": ["level_up"], "cruiser.anti_air": 1},
    )  # fmt: skip
    fought.attack(("us", "fighter", 1)).defend(("italy", "cruiser", 1), ("italy", "fighter", 1)).begin()
    assert fought.progress.step == "1"
    view = battle_view(fought.evening.state, fought.declared)
    (line,) = (one for one in view.lines if "cruiser" in one.line.units)
    assert line.volley.level_up is levels
    ask = next(act for id_, act in page(fought.evening).shown.acts.items() if id_.startswith("ruling"))
    assert isinstance(ask, Ask)
    assert ask.form.title == Name("ruling", "anti_air_abilities")


def test_a_commander_resupplies_a_nation_at_its_own_or_at_any_objective_of_the_side() -> None:
    evening = Evening(NEWER, options={"commander": True})
    evening.do(CorrectControl("rome", Nation("italy")))
    evening.enter({"resupply.theater.rome.land": 10})
    evening.jump("s3.r.axis.choose")
    refused = why_not_source(evening.state, "germany", "land", "rome")
    assert refused is not None
    assert refused.code == "not_yours"
    assert "rome" not in sources(evening.state, "germany")
    evening.rule("commander_resupply", "side")
    assert why_not_source(evening.state, "germany", "land", "rome") is None
    assert "rome" in sources(evening.state, "germany")
    refused = why_not_source(evening.state, "us", "land", "rome")
    assert refused is not None


@pytest.mark.parametrize(("ruling", "defends"), [("whole_step", False), ("own_half", True)])
def test_artillery_that_moved_on_step_4_in_the_enemys_half(ruling: str, defends: bool) -> None:
    fought = Fought(NEWER, "s3.t4.allies.declare", "P", rulings={"deployed_step": ruling})
    fought.attack(("us", "tank", 1)).defend(("italy", "artillery", 1)).set(DEFENDING, 0, moved=True)
    shown = page(fought.evening, BattleDraft("A", "details"))
    assert "ruling.deployed_step" in {item.key for item in shown.items}
    fought.begin().miss()
    rolled = {line.side for record in fought.progress.records for line in record.lines}
    assert (DEFENDING in rolled) is defends


@pytest.mark.parametrize("ruling", ["whole_step", "own_half"])
def test_artillery_that_moved_on_step_4_never_attacks(ruling: str) -> None:
    fought = Fought(NEWER, "s3.t4.allies.declare", "P", rulings={"deployed_step": ruling})
    fought.attack(("us", "artillery", 1)).set(ATTACKING, 0, moved=True).defend(("italy", "infantry", 1))
    fought.begin().miss()
    rolled = {line.side for record in fought.progress.records for line in record.lines}
    assert ATTACKING not in rolled


@pytest.mark.parametrize(
    ("game", "ruling", "bonus"),
    [(NEWER, "whole_step", False), (NEWER, "own_half", True), (FIRST, "whole_step", True)],
)
def test_landing_defence_is_a_roll_of_the_step_too(game: str, ruling: str, bonus: bool) -> None:
    """In v0.96 firepower is every roll; the first edition holds back attack and defence and no bonus roll."""
    evening = Evening(game)
    evening.enter()
    evening.jump("s3.ns.allies.play")
    card = {"id": "lst", "name": "LST", "base": "sea_transport", "nation": "us", "add_movement_steps": [4]}
    evening.do(PlayCard(Nation("us"), "LST", "upgrade", 1, unit=card))
    evening.jump("s4.t4.allies.declare")
    if game != FIRST:
        evening.rule("deployed_step", ruling)
    fought = Fought(game, space="P", evening=evening)
    fought.attack(("us", "lst", 1), distance=1, origin="E5").load(0, ("infantry", 2))
    fought.defend(("italy", "artillery", 1)).set(DEFENDING, 0, moved=True)
    fought.begin().miss()
    assert any(record.step == "7C" for record in fought.progress.records) is bonus


_ARMOURS = {"destroyer": 1, "cruiser": 2, "battleship": 3}
_PRICES = {1: 1, 2: 2, 3: 4}


def _in_turn(left: tuple[int, ...], hits: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Return what can be lost hit by hit in any order, worked out without the tables of the rules."""
    if not hits:
        return {(0,) * len(left)}
    found = set()
    for n, hit in enumerate(hits):
        rest, room = (*hits[:n], *hits[n + 1 :]), _PRICES[hit]
        takes = [
            take
            for take in product(*(range(count + 1) for count in left))
            if all(
                not number or armour <= hit for number, armour in zip(take, _ARMOURS.values(), strict=True)
            )
            and sum(number * _PRICES[armour] for number, armour in zip(take, _ARMOURS.values(), strict=True))
            <= room
        ]
        whole = [
            take for take in takes if not any(other != take and all(map(le, take, other)) for other in takes)
        ]
        for take in whole:
            after = tuple(map(sub, left, take))
            found |= {tuple(map(add, take, more)) for more in _in_turn(after, rest)}
    return found


@settings(max_examples=60)
@given(
    left=st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)).filter(any),
    hits=st.lists(st.integers(1, 3), min_size=1, max_size=4),
)
def test_one_by_one_is_every_order_of_the_hits(left: tuple[int, ...], hits: list[int]) -> None:
    groups = tuple(Group(unit, n, "italy") for unit, n in zip(_ARMOURS, left, strict=True) if n)
    edition = with_rulings(SFW96, {"joint_hits": "one_by_one"})
    fight = set_up(Battle(3, "sea", (Group("destroyer", 1, "us"),), groups), edition, load_units(NEWER))
    assert isinstance(fight, Fight)
    aim = Aim(("sea",), False, "", False)
    classes = tuple(Hit(level, aim, hits.count(level)) for level in (1, 2, 3) if level in hits)
    table = LossTable(fight, DEFENDING)
    expected = {
        tuple(n for n, count in zip(losses, left, strict=True) if count)
        for losses in _in_turn(left, tuple(hits))
    }
    assert set(table.legal(fight.start(DEFENDING), classes)) == expected


# What a space at sea cannot have, and what is rolled only while units move in


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"airfield": "defending"}, "No Airfield is in a sea space."),
        ({"sea_walls": 1}, "Defensive lines defend land spaces. None fires in a sea space."),
        (
            {"occasion": "movement", "lines": 1},
            "Defensive lines defend land spaces. None fires in a sea space.",
        ),
        ({"occasion": "movement", "bridge": True}, "No bridge leads into a sea space."),
    ],
)
def test_nothing_that_stands_on_land_is_in_a_battle_at_sea(more: dict[str, Any], fault: str) -> None:
    battle = {
        "game": NEWER, "movement_step": 2, "terrain": "sea",
        "attacking": [{"unit": "destroyer", "nation": "us"}],
        "defending": [{"unit": "destroyer", "nation": "italy"}],
    }  # fmt: skip
    read_battle(battle)
    with pytest.raises(BattleFileError) as wrong:
        read_battle({**battle, **more})
    assert [speak(one, game=NEWER) for one in wrong.value.faults] == [f"battle file: {fault}"]


@pytest.mark.parametrize(
    ("terrain", "offered"), [("land", {"Airfield: {value}", "Sea walls at the landing: {n}"}), ("sea", set())]
)
def test_the_table_is_offered_only_what_the_terrain_has(terrain: str, offered: set[str]) -> None:
    fought = Fought(NEWER, "s3.t2.allies.declare", "P9" if terrain == "land" else "E5", terrain)
    told = {say.template for say, _act in circumstances(fought.evening.state, fought.declared)}
    assert told & {"Airfield: {value}", "Sea walls at the landing: {n}"} == offered


def test_nobody_bombs_in_a_sea_space() -> None:
    bomber = {"unit": "heavy_bomber", "nation": "us", "bombing": 3}
    battle = {"game": NEWER, "movement_step": 2, "defending": [{"unit": "destroyer", "nation": "italy"}]}
    with pytest.raises(BattleFileError, match="nothing can be bombed there"):
        read_battle({**battle, "terrain": "sea", "attacking": [bomber]})


MISPLACED: list[tuple[dict[str, Any], str]] = [
    ({"lines": 1}, "Defensive lines and mines fire while units move in"),
    ({"mines": 2}, "Defensive lines and mines fire while units move in"),
    ({"bridge": True}, "A bridge is crossed while units move in"),
    ({"push_through": True}, "Units push through while they move"),
    ({"contested": True}, "Friendly units in the space take part in the battle. List them."),
    ({"occasion": "movement", "sea_walls": 1}, "Sea walls and Airfields roll only in a battle"),
    ({"occasion": "movement", "airfield": "defending"}, "Sea walls and Airfields roll only in a battle"),
    ({"occasion": "disengage", "mines": 1}, "Nothing but the enemy's Land Units rolls"),
]


@pytest.mark.parametrize(("more", "words"), MISPLACED)
def test_what_another_occasion_rolls_is_refused_in_one_sentence_everywhere(
    more: dict[str, Any], words: str
) -> None:
    """Left out without a word it would give wrong odds; table and file share the check."""
    battle = {
        "game": NEWER, "movement_step": 4, "terrain": "land", **more,
        "attacking": [{"unit": "infantry", "nation": "us"}],
        "defending": [{"unit": "infantry", "nation": "italy"}],
    }  # fmt: skip
    with pytest.raises(BattleFileError, match=words) as wrong:
        read_battle(battle)
    told = {key: value for key, value in more.items() if key != "occasion"}
    occasion = more.get("occasion", "battle")
    step = STEP_4 if occasion == "battle" else "s3.t4.allies.move"
    fought = Fought(NEWER, step, occasion=occasion)
    fought.evening.refuse(bc.SetCircumstances(fought.id, **told), wrong.value.code, words)

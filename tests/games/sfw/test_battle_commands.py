"""Battle commands in a running game: refusals, retreat, undo in mid-battle, and play against the odds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core.codec import Codec
from companion.core.commands import Command, EnterPrintedValue, JumpTo, SetRuling, StartGame, Undo
from companion.core.decide import handle
from companion.core.dice import DiceOrigin, Die, DieColour, DieKind, Roll
from companion.core.rules import Context, Rejected
from companion.core.state import EMPTY_STATE, GameState
from companion.games.sfw.odds.play import exact_odds
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, SIDES, Group, Load
from companion.games.sfw.rules.battle_play import best_combination, survivors
from companion.games.sfw.rules.battle_progress import Course, groups_left, is_ashore, may_retreat, open_losses
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_state import battles_of, conduct_of, fight_of, loss_tables
from companion.games.sfw.rules.control import holder
from companion.games.sfw.rules.game_rules import sfw96_rules
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.new_game import SfwFamily
from companion.pages.labels import refusal
from companion.session.scenario_loader import load_game, make_setup

Game = Any
_FAMILY = SfwFamily()
_SETUP = make_setup(_FAMILY, load_game(_FAMILY), "apr43", {})
_RULES = sfw96_rules()


def run(state: GameState, *commands: Command) -> GameState:
    for command in commands:
        handled = handle(_RULES, state, command, Context())
        assert handled.rejected is None, f"{command}: {handled.rejected}"
        state = handled.state
    return state


def refused(state: GameState, command: Command) -> Rejected:
    handled = handle(_RULES, state, command, Context())
    assert handled.rejected is not None, f"{command} was taken"
    assert handled.state == state
    said = refusal(handled.rejected, state)
    assert said.endswith("."), said
    assert not set("{}_") & set(said), said
    return handled.rejected


def at(step: str, **printed: Any) -> GameState:
    state = run(EMPTY_STATE, StartGame(setup=_SETUP, at_ms=0))
    state = run(state, JumpTo(step=state.step.id, to=step, at_ms=1))  # type: ignore[arg-type]
    values = {
        "tank.number": 8,
        "cruiser.anti_air": 1,
        **{k.replace("__", "."): v for k, v in printed.items()},
    }
    return run(state, *(EnterPrintedValue(key=key, value=value) for key, value in values.items()))


def there(side: str, *units: tuple[str, str, int], distance: int = 0) -> list[Command]:
    return [bc.ChangeUnits("A", side, unit, nation, count, distance) for nation, unit, count in units]


def declared(state: GameState) -> Declared:
    found = battles_of(state).find("A")
    assert found is not None
    return found


def dice(colour: str, *values: int) -> Roll:
    return Roll(DieKind.D12, tuple(Die(DieColour(colour), value) for value in values))


def hits(colour: str, count: int, told: int) -> Roll:
    """So many dice of which only the hits are told."""
    return Roll(DieKind.D12, (Die(DieColour(colour), 0),) * count, DiceOrigin(hits=told))


def course(state: GameState) -> Course:
    fight = fight_of(state, declared(state))
    assert not isinstance(fight, Rejected)
    return Course(fight, conduct_of(state, declared(state)), loss_tables(fight))


LAND = "s3.t4.allies.resolve"


def ready(*more: Command) -> GameState:
    return run(
        at(LAND),
        bc.DeclareBattle("Taranto", "land"),
        *there(ATTACKING, ("us", "tank", 2)),
        *there(DEFENDING, ("germany", "infantry", 2), ("italy", "infantry", 1)),
        *more,
    )


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (bc.ChangeUnits("A", ATTACKING, "tank", "us", -3), "too_few", "Only 2 tank here; you cannot remove 3."),
        (bc.ChangeUnits("A", ATTACKING, "tank", "us", 0), "bad_count", "Add or remove 1-99 units at a time, not 0."),
        (bc.ChangeUnits("A", ATTACKING, "tank", "us", 98), "bad_count", "Enter 0-99 units, not 100."),
        (bc.ChangeUnits("A", ATTACKING, "fighter", "us", -1), "too_few", "There is nothing to remove: fighter, us."),
        (bc.ChangeUnits("A", ATTACKING, "tank", "germany"), "wrong_nation", "choose gb, us, not germany."),
        (bc.ChangeUnits("A", ATTACKING, "tank", "france"), "wrong_nation", "choose gb, us, not france."),
        (bc.ChangeUnits("A", "allies", "tank", "us"), "bad_choice", "A battle has these sides: attacking, defending. Not allies."),
        (bc.ChangeUnits("A", ATTACKING, "zeppelin", "us"), "unknown_unit", "There is no such unit: zeppelin."),
        (bc.ChangeUnits("A", ATTACKING, "destroyer", "us"), "wrong_terrain", "A sea unit cannot be in this terrain: land."),
        (bc.ChangeUnits("A", ATTACKING, "tank", "us", 1, 1), "out_of_range", "no range"),
        (bc.ChangeUnits("A", ATTACKING, "artillery", "us", 1, 2), "out_of_range", "Out of range: 2 spaces away, range 1."),
        (bc.ChangeUnits("A", ATTACKING, "artillery", "us", 1, -1), "bad_distance", "Enter a distance of 0-9 spaces, not -1."),
        (bc.ChangeUnits("B", ATTACKING, "tank", "us"), "no_battle", "There is no battle B."),
        (
            bc.SetGroup("A", ATTACKING, 0, Group("land_transport", 1, "us", cargo=(Load("land_transport", 1),))),
            "nested_transport",
            "land_transport cannot carry land_transport.",
        ),
        (
            bc.SetGroup("A", ATTACKING, 0, Group("air_transport", 1, "us", cargo=(Load("tank", 1),))),
            "cargo_limit",
            "air_transport cannot carry tank.",
        ),
        (
            bc.SetGroup("A", ATTACKING, 0, Group("air_transport", 1, "us", cargo=(Load("infantry", 4),))),
            "cargo_limit",
            "Too much cargo: 4 infantry. There is room for 3 × infantry.",
        ),
        (
            bc.SetGroup("A", ATTACKING, 0, Group("tank", 1, "us", cargo=(Load("infantry", 1),))),
            "not_a_transport",
            "This unit carries no cargo.",
        ),
        (bc.SetGroup("A", ATTACKING, 0, Group("tank", 2, "us", choice="air")), "bad_choice", "This unit has no choice of targets."),
        (bc.SetGroup("A", ATTACKING, 0, Group("tank", 2, "us", bombing=1)), "bad_bombing", "no targeted bombing"),
        (bc.SetGroup("A", ATTACKING, 0, Group("tank", 2, "us", dice=("gray",))), "bad_split", "Only supporting fire can be split."),
        (bc.SetGroup("A", DEFENDING, 0, Group("infantry", 2, "germany", combined=True)), "combined_fire", "attackers"),
        (bc.SetGroup("A", ATTACKING, 7, Group("tank", 2, "us")), "no_group", "there is no group 8."),
        (bc.SetGroup("A", ATTACKING, 0, Group("tank", 0, "us")), "bad_count", "Enter 1-99 units, not 0."),
        (bc.SplitGroup("A", ATTACKING, 0, 2), "bad_count", "Of 2 tank, you can set apart 1-1, not 2."),
        (bc.SplitGroup("A", ATTACKING, 0, -1), "bad_count", "Of 2 tank, you can set apart 1-1, not -1."),
        (bc.SplitGroup("A", ATTACKING, 9), "no_group", "there is no group 10."),
        (bc.SetCircumstances("A", lines=-1), "bad_count", "Enter 0-24 defensive lines, not -1."),
        (bc.SetCircumstances("A", line_dice=(1, 1)), "bad_count", "Enter 3 numbers for the dice of defensive lines, not [1, 1]."),
        (bc.SetCircumstances("A", terrain="mountain"), "wrong_terrain", "cannot be in the mountains"),
        (bc.SetCircumstances("A", terrain="moon"), "unknown_terrain", "There is no such terrain: moon."),
        (bc.SetCircumstances("A", mines=7), "bad_count", "Enter 0-6 mines, not 7."),
        (bc.SetCircumstances("A", airfield="axis"), "bad_choice", "airfield"),
        (bc.DeclareBattle("Taranto", "land"), "space_taken", "Battle A is already declared in Taranto."),
        (bc.DeclareBattle("  ", "land"), "bad_value", "Name the space."),
        (bc.DeclareBattle("Bari", "moon"), "unknown_terrain", "There is no such terrain: moon."),
        (bc.RepeatComposition("A"), "nothing_known", "No units are known in Taranto yet."),
        (bc.RecordRoll("A", (0,), dice("gray", 8)), "not_fighting", "not being fought"),
        (bc.ChooseLosses("A", ATTACKING, ()), "not_fighting", "not being fought"),
    ],
)  # fmt: skip
def test_nonsense_is_refused_with_its_code(command: Command, code: str, words: str) -> None:
    found = refused(ready(), command)
    assert found.code == code, found
    assert words in str(found.detail)


def test_units_set_apart_are_spoken_of_alone() -> None:
    """Two submarines, of which one has moved: only the other attacks from ambush."""
    state = run(
        at("s3.t3.allies.resolve"),
        bc.DeclareBattle("E5", "sea"),
        *there(ATTACKING, ("us", "submarine", 2)),
        *there(DEFENDING, ("italy", "cruiser", 1)),
        bc.SplitGroup("A", ATTACKING, 0, 1),
        bc.SetGroup("A", ATTACKING, 0, Group("submarine", 1, "us", moved=True)),
        bc.SetGroup("A", ATTACKING, 1, Group("submarine", 1, "us", moved=False)),
        bc.BeginBattle("A"),
    )
    progress = declared(state).progress
    assert progress is not None
    assert sorted(line.colour for line in progress.lines if line.side == ATTACKING) == ["gray", "white"]


def test_a_supporter_in_an_active_space_fights_there() -> None:
    state = run(
        at(LAND),
        bc.DeclareBattle("Bari", "land"),
        bc.DeclareBattle("Taranto", "land"),
        bc.ChangeUnits("B", ATTACKING, "artillery", "us", 1, 1),
    )
    found = refused(state, bc.SetGroup("B", ATTACKING, 0, Group("artillery", 1, "us", 1, home="Bari")))
    assert found.code == "locked_in_battle"
    assert "Bari is active in battle A" in str(found.detail)


def test_a_split_supporter_gives_its_other_die_to_the_next_battle() -> None:
    state = run(
        at(LAND, battleship__range=1),
        bc.DeclareBattle("Taranto", "land"),
        bc.DeclareBattle("Bari", "land"),
        *there(ATTACKING, ("us", "infantry", 1)),
        bc.ChangeUnits("A", ATTACKING, "battleship", "us", 1, 1),
        bc.SetGroup("A", ATTACKING, 1, Group("battleship", 1, "us", 1, dice=("black",), home="E5")),
        *there(DEFENDING, ("italy", "tank", 3)),
        bc.BeginBattle("A"),
    )
    state = play(state, random.Random(1), by_policy=True)
    state = run(state, bc.ChangeUnits("B", ATTACKING, "battleship", "us", 1, 1))
    whole = Group("battleship", 1, "us", 1, home="E5")
    assert refused(state, bc.SetGroup("B", ATTACKING, 0, whole)).code == "already_used"
    run(state, bc.SetGroup("B", ATTACKING, 0, Group("battleship", 1, "us", 1, dice=("gray",), home="E5")))


def test_the_holder_of_an_airfield_rolls_with_it() -> None:
    site = next(site for site in tables(at(LAND)).sites.values() if site.kind == "airfield")
    state = run(at(LAND), bc.DeclareBattle(site.name, "land"))
    held = holder(state, site.id).side
    expected = "" if held is None else ATTACKING if held == "allies" else DEFENDING
    assert declared(state).battle.airfield == expected != ""
    assert declared(run(at(LAND), bc.DeclareBattle("Taranto", "land"))).battle.airfield == ""


def test_cargo_stays_aboard_while_its_land_transport_pushes_through() -> None:
    """The roll can only hit the transport; what it carried is set down alive where it was lost."""
    transport = Group("land_transport", 1, "us", cargo=(Load("infantry", 2),))
    state = run(
        at("s3.t4.allies.move"),
        bc.DeclareBattle("Bari", "land", "movement"),
        *there(ATTACKING, ("us", "land_transport", 1)),
        bc.SetGroup("A", ATTACKING, 0, transport),
        *there(DEFENDING, ("germany", "infantry", 2)),
        bc.SetCircumstances("A", push_through=True),
        bc.BeginBattle("A"),
        bc.RecordRoll("A", (0,), dice("white", 12, 12)),
    )
    progress = declared(state).progress
    assert progress is not None
    assert progress.attacking == (0,)
    assert groups_left(course(state).fight, ATTACKING, progress) == (Group("infantry", 2, "us"),)


def test_a_battle_with_nobody_cannot_begin() -> None:
    state = run(at(LAND), bc.DeclareBattle("Taranto", "land"))
    found = refused(state, bc.BeginBattle("A"))
    assert (found.code, str(found.detail)) == (
        "nobody",
        "attacking: Nobody is there. defending: Nobody is there.",
    )


def test_hits_alone_do_what_the_dice_would_do_and_no_face_is_made_up() -> None:
    begun = run(ready(), bc.BeginBattle("A"))
    line = declared(begun).progress.lines[0]  # type: ignore[union-attr]
    for told in range(line.dice + 1):
        typed = [line.number] * told + [1] * (line.dice - told)
        by_dice = run(begun, bc.RecordRoll("A", (0,), dice("gray", *typed)))
        by_hits = run(begun, bc.RecordRoll("A", (0,), hits("gray", line.dice, told)))
        first, other = (declared(one).progress for one in (by_dice, by_hits))
        assert first is not None
        assert other is not None
        assert (first.owed, first.attacking, first.defending) == (
            other.owed,
            other.attacking,
            other.defending,
        )
        assert battles_of(by_dice).luck == battles_of(by_hits).luck
        thrown = (other.thrown or other.records[0].thrown)[0]
        assert (thrown.hits, thrown.rolls[0].values()) == (told, (0,) * line.dice)


def test_hits_alone_are_refused_where_a_12_does_more_than_hit() -> None:
    begun = run(
        at(LAND),
        bc.DeclareBattle("Taranto", "land"),
        *there(ATTACKING, ("us", "artillery", 1)),
        *there(DEFENDING, ("germany", "infantry", 1)),
        bc.BeginBattle("A"),
    )
    progress = declared(begun).progress
    assert progress is not None
    (line,) = progress.lines
    found = refused(begun, bc.RecordRoll("A", (0,), hits(line.colour, line.dice, 1)))
    assert (found.code, str(found.detail)) == ("wrong_die", "A 12 does more than hit here. Enter each die.")


def test_battles_belong_to_movement_steps() -> None:
    state = at("s3.t6.allies.return")
    assert refused(state, bc.DeclareBattle("Taranto", "land")).code == "not_now"
    state = at("s3.t2.allies.move")
    assert refused(state, bc.DeclareBattle("Taranto", "land", "disengage")).code == "bad_movement_step"


def test_missing_figures_are_asked_for_before_the_battle() -> None:
    state = run(ready(), EnterPrintedValue(key="tank.number", value=None))
    found = refused(state, bc.BeginBattle("A"))
    assert (found.code, str(found.detail)) == (
        "printed_value_missing",
        "The rules do not give this value. Enter it from your copy: tank, number.",
    )
    wrong = refused(state, EnterPrintedValue(key="tank.number", value=13))
    assert str(wrong.detail) == "tank, number: enter 1-12, not 13."
    run(state, EnterPrintedValue(key="tank.number", value=9), bc.BeginBattle("A"))


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (bc.RecordRoll("A", (0,), dice("gray", 8)), "wrong_count", "Roll 2 gray dice, not 1 gray die."),
        (
            bc.RecordRoll("A", (0,), dice("gray", 8, 9, 10)),
            "wrong_count",
            "Roll 2 gray dice, not 3 gray dice.",
        ),
        (
            bc.RecordRoll("A", (0,), dice("white", 8, 9)),
            "wrong_colour",
            "Roll 2 gray dice, not 2 white dice.",
        ),
        (bc.RecordRoll("A", (0,), dice("gray", 8, 13)), "wrong_die", "A battle die shows 1-12, not 13."),
        (bc.RecordRoll("A", (0,), dice("gray", 0, 8)), "wrong_die", "A battle die shows 1-12, not 0."),
        (
            bc.RecordRoll("A", (0,), Roll(DieKind.D6, ())),
            "wrong_die",
            "Battles are rolled with twelve-sided dice, not d6.",
        ),
        (
            bc.RecordRoll("A", (9,), dice("gray", 8, 8)),
            "no_line",
            "Line 10 of the roll list needs no dice now.",
        ),
        (bc.RecordRoll("A", (0, 0), dice("gray", 8, 8)), "no_line", "once"),
        (bc.RecordRoll("A", (0,), hits("gray", 2, 3)), "wrong_count", "Enter how many of 2 dice hit."),
        (bc.RecordRoll("A", (0,), hits("gray", 2, -1)), "wrong_count", "Enter how many of 2 dice hit."),
        (bc.RecordRoll("A", (0,), hits("gray", 3, 1)), "wrong_count", "Roll 2 gray dice, not 3 gray dice."),
        (bc.RecordRoll("A", (0, 1), hits("gray", 2, 1)), "wrong_count", "Enter how many of 2 dice hit."),
        (bc.RecordRoll("A", (9,), hits("gray", 2, 1)), "no_line", "needs no dice now."),
        (
            bc.RecordRoll("A", (1, 2), dice("white", 8, 8, 8)),
            "same_colour",
            "different numbers: white.",
        ),
        (bc.ChooseLosses("A", DEFENDING, ()), "nothing_owed", "Roll first."),
        (
            bc.RetreatUnits("A", ()),
            "no_retreat",
            "Units retreat between battle steps 5, 6, and only if they have the icon.",
        ),
        (bc.StandFast("A"), "no_retreat", "Nobody can retreat now."),
        (bc.PassStep("A"), "roll_first", "Roll the dice of this battle step first."),
        (bc.ChangeUnits("A", ATTACKING, "tank", "us"), "not_open", "has begun"),
        (bc.BeginBattle("A"), "not_open", "has begun"),
        (bc.CombineHits("A", ()), "nothing_owed", "no hits to combine"),
    ],
)
def test_wrong_dice_and_acts_in_battle_are_refused_kindly(command: Command, code: str, words: str) -> None:
    found = refused(run(ready(), bc.BeginBattle("A")), command)
    assert found.code == code, found
    assert words in str(found.detail)


def test_several_colours_may_be_rolled_at_once() -> None:
    state = run(
        at("s3.t3.allies.resolve"),
        bc.DeclareBattle("B4", "sea"),
        *there(ATTACKING, ("us", "battleship", 1)),
        *there(DEFENDING, ("italy", "destroyer", 1)),
        bc.BeginBattle("A"),
    )
    progress = declared(state).progress
    assert progress is not None
    # 4: the destroyer alone.
    state = run(state, bc.RecordRoll("A", (0,), dice("white", 2)))
    roll = Roll(DieKind.D12, (Die(DieColour.GRAY, 6), Die(DieColour.BLACK, 7)))
    state = run(state, bc.RecordRoll("A", (0, 1), roll))
    assert declared(state).status == "over"


def test_a_second_battle_waits_its_turn() -> None:
    state = run(
        ready(),
        bc.BeginBattle("A"),
        bc.DeclareBattle("Bari", "land", forced="moved"),
        bc.ChangeUnits("B", ATTACKING, "infantry", "us"),
        bc.ChangeUnits("B", DEFENDING, "infantry", "italy"),
    )
    assert refused(state, bc.BeginBattle("B")).code == "another_battle"


def test_battles_left_undone_are_named_before_the_step_ends() -> None:
    state = ready()
    found = _RULES.leaving(state, state.step)
    assert found is not None
    assert str(found.detail) == "Battles still to be resolved: A."


def retreat_ready() -> GameState:
    return run(
        at(LAND, infantry__abilities=["retreat"]),
        bc.DeclareBattle("Taranto", "land"),
        *there(ATTACKING, ("us", "tank", 2), ("us", "artillery", 1)),
        *there(DEFENDING, ("germany", "infantry", 3), ("germany", "anti_air", 1)),
        bc.BeginBattle("A"),
        bc.RecordRoll("A", (0,), dice("gray", 1)),
    )


def test_full_retreat_draws_fire_and_leaves() -> None:
    state = retreat_ready()
    progress = declared(state).progress
    assert progress is not None
    assert may_retreat(course(state).fight, progress)
    assert refused(state, bc.RetreatUnits("A", (bc.UnitLosses(1, 1),))).code == "no_retreat", (
        "flak has no icon"
    )
    assert refused(state, bc.RetreatUnits("A", (bc.UnitLosses(0, 4),))).code == "no_retreat"
    state = run(state, bc.RetreatUnits("A", (bc.UnitLosses(0, 3),), "Bari"))
    progress = declared(state).progress
    assert progress is not None
    assert [(line.side, line.units, line.dice) for line in progress.lines] == [
        (ATTACKING, ("tank",), 2),
        (ATTACKING, ("artillery",), 1),
    ]
    for number, line in enumerate(progress.lines):
        state = run(state, bc.RecordRoll("A", (number,), dice("gray", *([8] + [1] * (line.dice - 1)))))
    # Two Gray hits take all three that leave; the flak is still there for the tanks to roll at.
    progress = declared(state).progress
    assert progress is not None
    assert progress.step == "6"
    assert progress.retreat_to == "Bari"


def test_staged_retreat_leaves_cover_and_draws_no_fire() -> None:
    state = run(retreat_ready(), bc.RetreatUnits("A", (bc.UnitLosses(0, 2),), "Bari"))
    progress = declared(state).progress
    assert progress is not None
    assert progress.step == "6"
    state = run(
        state, bc.RecordRoll("A", (0,), dice("gray", 1, 1)), bc.RecordRoll("A", (1,), dice("white", 1))
    )
    ended = battles_of(state).compositions["Taranto"]
    assert sum(group.count for group in ended["axis"]) == 2, "one infantry and the flak; two have left"


@pytest.mark.parametrize("to", ["Bari", ""])
def test_units_that_retreat_take_the_defence_they_used_along(to: str) -> None:
    state = run(
        at(LAND, artillery__abilities=["retreat"]),
        bc.DeclareBattle("Taranto", "land"),
        *there(ATTACKING, ("us", "tank", 1)),
        *there(DEFENDING, ("germany", "artillery", 2), ("germany", "anti_air", 1)),
        bc.BeginBattle("A"),
        bc.RecordRoll("A", (0,), dice("gray", 1, 1)),
        bc.RetreatUnits("A", (bc.UnitLosses(0, 2),), to),
    )
    while declared(state).status == "fighting":
        state = run(state, bc.RecordRoll("A", (0,), dice("gray", 1)))
    state = run(state, bc.DeclareBattle("Naples", "land", forced="moved"))
    support = bc.ChangeUnits("B", DEFENDING, "artillery", "germany", 1, 1, home="Bari")
    if to:
        used = "Already defended in this movement step: 2 artillery in Bari."
        assert str(refused(state, support).detail) == used
    else:
        run(state, support)


def test_nobody_has_to_retreat() -> None:
    state = run(retreat_ready(), bc.StandFast("A"))
    progress = declared(state).progress
    assert progress is not None
    assert progress.step == "6"


def test_every_step_may_be_gone_through_by_ruling() -> None:
    state = run(ready(SetRuling(ruling="battle_end", value="all_steps")), bc.BeginBattle("A"))
    seen = []
    while declared(state).status == "fighting":
        progress = declared(state).progress
        assert progress is not None
        seen.append(progress.step)
        if progress.lines:
            for number, line in enumerate(progress.lines):
                state = run(state, bc.RecordRoll("A", (number,), dice(line.colour, *([1] * line.dice))))
        else:
            state = run(state, bc.PassStep("A"))
    assert seen == ["1", "2", "3", "4", "5", "6", "7A", "7B", "7C"]


def test_undo_in_mid_battle(ledger_game: Callable[..., Game]) -> None:
    game = ledger_game("apr43")
    game.jump(LAND)
    game.enter({"tank.number": 8})
    game.do(
        bc.DeclareBattle("Taranto", "land"),
        *there(ATTACKING, ("us", "tank", 2)),
        *there(DEFENDING, ("germany", "infantry", 3), ("germany", "tank", 1)),
        bc.BeginBattle("A"),
    )
    before = battles_of(game.state)
    game.do(bc.RecordRoll("A", (0,), dice("gray", 8, 1)))
    after = battles_of(game.state)
    assert after.luck["us"].hits == 1
    assert after.luck["us"].expected == pytest.approx(10 / 12)
    game.refuse(Undo(game.desk.now_ms()), "confirm_undo")
    game.do(Undo(game.desk.now_ms(), confirmed=True))
    assert battles_of(game.state) == before
    game.do(bc.RecordRoll("A", (0,), dice("gray", 1, 1)))
    assert battles_of(game.state).luck["us"].hits == 0


def test_commands_and_events_survive_the_journal() -> None:
    codec = Codec(_RULES)
    state = retreat_ready()
    for command in (
        bc.RecordRoll("A", (0, 1), dice("gray", 8, 9)),
        bc.SetGroup("A", ATTACKING, 0, Group("land_transport", 1, "us", cargo=(Load("infantry", 2),))),
        bc.SetCircumstances("A", mines=2, bridge=True),
        bc.RetreatUnits("A", (bc.UnitLosses(0, 1),), "Bari"),
    ):
        assert codec.decode_command(codec.encode_command(command)) == command
    handled = handle(_RULES, state, bc.StandFast("A"), Context())
    events = handled.drafts[-1].events
    assert codec.decode_events(codec.encode_events(events)) == events


def test_an_event_carries_only_what_is_new() -> None:
    """A journal of long battles stays small: finished steps are told once."""
    state = run(
        at("s3.t3.allies.resolve"),
        bc.DeclareBattle("B4", "sea"),
        *there(ATTACKING, ("us", "cruiser", 2), ("us", "destroyer", 2)),
        *there(DEFENDING, ("italy", "cruiser", 2), ("italy", "destroyer", 2)),
        bc.BeginBattle("A"),
    )
    records = 0
    chance = random.Random(3)
    while declared(state).status == "fighting":
        for command in moves(state, chance, by_policy=True):
            handled = handle(_RULES, state, command, Context())
            event = handled.drafts[-1].events[0]
            assert isinstance(event, bc.DiceRecorded | bc.BattleProgressed)
            assert not event.progress.records
            records += len(event.done)
            assert len(Codec(_RULES).encode_events(handled.drafts[-1].events)) < 6000
            state = handled.state
    progress = declared(state).progress
    assert progress is not None
    assert len(progress.records) == records > 1


def test_bombing_hits_are_counted_for_the_ledger() -> None:
    state = run(
        at("s3.t2.allies.resolve"),
        bc.DeclareBattle("Naples", "land"),
        *there(ATTACKING, ("us", "heavy_bomber", 1)),
        *there(DEFENDING, ("italy", "infantry", 2)),
        bc.SetGroup("A", ATTACKING, 0, Group("heavy_bomber", 1, "us", bombing=3)),
        bc.BeginBattle("A"),
        bc.RecordRoll("A", (0,), dice("gray", 9, 10, 2)),
        bc.RecordRoll("A", (1,), dice("gray", 1, 1)),
    )
    progress = declared(state).progress
    assert progress is not None
    assert progress.bombing == 2
    assert progress.defending == (2,)


def test_a_battle_not_finished_when_the_turn_passes_is_broken_off() -> None:
    state = run(ready(), bc.BeginBattle("A"))
    state = run(state, JumpTo(step=state.step.id, to="s3.t4.axis.move", at_ms=5))  # type: ignore[arg-type]
    assert [entry.status for entry in battles_of(state).history] == ["broken_off"]
    assert not battles_of(state).battles


# Playing through the commands


def moves(state: GameState, chance: random.Random, *, by_policy: bool) -> Iterator[Command]:
    """Yield the next command of a battle being fought."""
    entry = declared(state)
    progress = entry.progress
    assert progress is not None
    work = course(state)
    if may_retreat(work.fight, progress):
        yield bc.StandFast("A")
        return
    combining = next((owed for owed in progress.owed if owed.to_combine), None)
    if combining is not None:
        hits = (*combining.precise, *combining.plain)
        best = best_combination(hits, progress.counts(combining.side), work.tables[combining.side])
        yield bc.CombineHits("A", best)
        return
    for side in SIDES:
        choice = open_losses(progress, side)
        if choice is not None and progress.owed:
            counts, hits, _ = choice
            if by_policy:
                losses = work.tables[side].proposal(counts, hits)
            else:
                losses = chance.choice(list(work.tables[side].legal(counts, hits)))
            yield bc.ChooseLosses(
                "A", side, tuple(bc.UnitLosses(n, loss) for n, loss in enumerate(losses) if loss)
            )
            return
    number = next(n for n, thrown in enumerate(progress.thrown) if thrown.waiting)
    values = [chance.randint(1, 12) for _ in range(progress.thrown[number].waiting)]
    yield bc.RecordRoll("A", (number,), dice(progress.lines[number].colour, *values))


def play(state: GameState, chance: random.Random, *, by_policy: bool) -> GameState:
    while declared(state).status == "fighting":
        state = run(state, *moves(state, chance, by_policy=by_policy))
    return state


def begun(attacking: list[tuple[str, str, int]], defending: list[tuple[str, str, int]]) -> GameState:
    return run(
        at(LAND),
        bc.DeclareBattle("Taranto", "land"),
        *there(ATTACKING, *attacking),
        *there(DEFENDING, *defending),
        bc.BeginBattle("A"),
    )


_LAND_UNITS = ["infantry", "tank", "artillery", "anti_air", "land_transport", "fighter", "light_bomber"]


def _declares(groups: list[tuple[str, str, int]]) -> bool:
    """Say whether some of the units declare a battle in step 4: no empty transports, and no aircraft, which are not active."""
    return any(unit not in ("land_transport", "fighter", "light_bomber") for _nation, unit, _count in groups)


def _composed(*nations: str) -> st.SearchStrategy[list[tuple[str, str, int]]]:
    group = st.tuples(st.sampled_from(nations), st.sampled_from(_LAND_UNITS), st.integers(1, 3))
    return st.lists(group, min_size=1, max_size=4)


@settings(max_examples=40)
@given(
    attacking=_composed("us", "gb").filter(_declares),
    defending=_composed("germany", "italy"),
    seed=st.integers(0, 10_000),
)
def test_survivors_and_losses_are_the_start_whatever_is_chosen(
    attacking: list[tuple[str, str, int]], defending: list[tuple[str, str, int]], seed: int
) -> None:
    state = begun(attacking, defending)
    start = {side: course(state).fight.start(side) for side in SIDES} if declared(state).progress else {}
    state = play(state, random.Random(seed), by_policy=False)
    entry = declared(state)
    assert entry.progress is not None
    assert entry.status == "over"
    for side in SIDES:
        left = entry.progress.counts(side)
        lost = [sum(record.losses[side][n] for record in entry.progress.records) for n in range(len(left))]
        assert tuple(a + b for a, b in zip(left, lost, strict=True)) == start[side]
        assert min((*left, *lost), default=0) >= 0
    total = sum(value.lost_units for value in battles_of(state).luck.values())
    assert total == sum(sum(record.losses[side]) for record in entry.progress.records for side in SIDES)


def compare(state: GameState, runs: int) -> None:
    """Play virtual battles through the real commands and compare every outcome with the exact odds."""
    fight = course(state).fight
    odds = exact_odds(fight, retreats=False)
    chance = random.Random(20_260)
    ends: Counter[tuple[tuple[tuple[str, int], ...], ...]] = Counter()
    for _ in range(runs):
        progress = declared(play(state, chance, by_policy=True)).progress
        assert progress is not None
        key = []
        for side in SIDES:
            left: dict[str, int] = {}
            ashore = is_ashore(fight, progress)
            for (_, unit), count in survivors(
                fight, side, progress.counts(side), ashore=ashore, supporters=False
            ).items():
                left[unit] = left.get(unit, 0) + count
            key.append(tuple(sorted(left.items())))
        ends[tuple(key)] += 1
    expected = {
        (tuple(sorted(o.attacking.items())), tuple(sorted(o.defending.items()))): o.p for o in odds.outcomes
    }
    assert set(ends) <= set(expected), "an end that the odds call impossible"
    for key, p in expected.items():
        error = (p * (1 - p) / runs) ** 0.5
        assert abs(ends[key] / runs - p) <= 5 * error + 1 / runs, (key, ends[key] / runs, p)


ATTACK = [("us", "tank", 1), ("us", "infantry", 1), ("us", "fighter", 1)]
DEFENCE = [("germany", "infantry", 2), ("germany", "light_bomber", 1)]


def fleets() -> GameState:
    """Level up, ambush, sonar, built-in anti-air and combined fire at sea."""
    attack = there(ATTACKING, ("us", "destroyer", 2), ("gb", "submarine", 1), ("us", "light_bomber", 1))
    return run(
        at("s3.t3.allies.resolve"),
        bc.DeclareBattle("E5", "sea"),
        *attack,
        bc.SetGroup("A", ATTACKING, 0, Group("destroyer", 2, "us", combined=True)),
        bc.SetGroup("A", ATTACKING, 1, Group("submarine", 1, "gb", moved=False)),
        *there(DEFENDING, ("italy", "cruiser", 1), ("italy", "submarine", 1), ("germany", "fighter", 1)),
        bc.BeginBattle("A"),
    )


def landing() -> GameState:
    """An assault from the sea on a space with enemies only: sea wall, landing defence, support."""
    cargo = (Load("tank", 1), Load("infantry", 1))
    return run(
        at("s3.t2.allies.resolve"),
        bc.DeclareBattle("Tobruk", "land"),
        bc.ChangeUnits("A", ATTACKING, "sea_transport", "us", 2, 1, "E5"),
        bc.SetGroup("A", ATTACKING, 0, Group("sea_transport", 2, "us", 1, "E5", cargo=cargo)),
        *there(DEFENDING, ("germany", "tank", 1), ("italy", "infantry", 2), ("italy", "artillery", 1)),
        bc.SetCircumstances("A", sea_walls=1),
        bc.BeginBattle("A"),
    )


def test_play_against_the_odds() -> None:
    compare(begun(ATTACK, DEFENCE), 2000)


@pytest.mark.parametrize("make", [fleets, landing])
def test_play_against_the_odds_at_sea_and_on_the_beach(make: Callable[[], GameState]) -> None:
    compare(make(), 500)


@pytest.mark.long
def test_thousands_of_battles_against_the_odds() -> None:
    compare(begun(ATTACK, DEFENCE), 8000)
    compare(
        begun(
            [("us", "tank", 2), ("gb", "artillery", 1), ("gb", "infantry", 2), ("gb", "light_bomber", 1)],
            [("germany", "tank", 1), ("italy", "infantry", 3), ("italy", "anti_air", 1)],
        ),
        4000,
    )
    compare(fleets(), 4000)
    compare(landing(), 4000)

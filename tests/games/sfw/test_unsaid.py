"""What nobody has said of a battle: asked where no reading may be taken, shown with what is counted everywhere else."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.change import Change
from companion.core.rules import Rejected
from companion.games.sfw.odds.report import BATTLE_FILES
from companion.games.sfw.pages.battle_compose import compose_page
from companion.games.sfw.pages.battle_draft import BattleDraft
from companion.games.sfw.pages.entries import entry
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, Load
from companion.pages.page import TABLE_VIEWER, Act, Acts, Send, Sight
from tests.games.sfw_editions import FIRST, NEWER, Fought

BOTH = (NEWER, FIRST)


def told(answer: Any) -> list[tuple[str, str]]:
    """Return what an answer names as unsaid, with what is counted."""
    return [(one["key"], one["counted"]) for one in answer.data["not_stated"] if one["key"] != "abilities"]


def lines(answer: Any) -> list[str]:
    return [str(line) for line in answer.lines if str(line).startswith("Not stated")]


def file(**more: Any) -> dict[str, Any]:
    return {"game": NEWER, "movement_step": 3, "terrain": "sea", **more}


def units(unit: str, nation: str = "us", **more: Any) -> list[dict[str, Any]]:
    return [{"unit": unit, "nation": nation, **more}]


SUBMARINES = file(attacking=units("submarine", count=2), defending=units("cruiser", "germany"))
GUNS = file(
    movement_step=4, terrain="land", attacking=units("artillery"), defending=units("infantry", "germany")
)
LANDING = file(movement_step=2, terrain="land", defending=units("infantry", "italy"), attacking=[
    *units("air_transport", cargo=[{"unit": "infantry", "count": 1}]), *units("fighter")])  # fmt: skip
PRINTED = {"printed_values": {"cruiser": {"anti_air": 1}, "carrier": {"targets": ["sea"], "range": 1}}}


@pytest.mark.parametrize(
    ("data", "unsaid"),
    [
        (SUBMARINES, [("moved", "moved")]),
        ({**SUBMARINES, "attacking": units("submarine", moved=False)}, []),
        ({**SUBMARINES, "movement_step": 2, "revealed": True}, []),
        ({**SUBMARINES, "attacking": units("destroyer"), "defending": units("submarine", "germany")}, []),
        (GUNS, [("moved", "stayed")]),
        ({**GUNS, "attacking": units("artillery", moved=True)}, []),
        ({**GUNS, "movement_step": 5}, []),
        (
            {**GUNS, "attacking": units("infantry"), "defending": units("artillery", "germany")},
            [("moved", "stayed")],
        ),
        ({**GUNS, "rulings": {"deployed_step": "own_half"}}, [("moved", "stayed")]),
        (file(movement_step=1, attacking=units("cruiser"), defending=units("destroyer", "italy"), **PRINTED),
         [("revealed", "revealed")]),
        (file(attacking=units("fighter") + units("destroyer"), defending=units("carrier", "") + units("fighter", ""), **PRINTED),
         [("nation", "covered")]),
        (file(attacking=units("destroyer"), defending=units("carrier", "") + units("fighter", ""), **PRINTED), []),
        (file(movement_step=2, attacking=units("fighter") + units("destroyer"), defending=units("light_bomber", "italy")),
         [("choice", "surface")]),
        (LANDING, [("landing_air", "defended")]),
        ({**LANDING, "rulings": {"landing_air": "applies"}}, []),
        ({**LANDING, "rulings": {"landing_air": "falls_away"}}, []),
        ({**LANDING, "attacking": LANDING["attacking"][:1]}, []),
    ],
)  # fmt: skip
def test_a_battle_file_is_told_what_it_leaves_unsaid(
    data: dict[str, Any], unsaid: list[tuple[str, str]]
) -> None:
    battle = BATTLE_FILES.read(data, "battle.json")
    odds, course = BATTLE_FILES.answer(battle, seed=1, top=3), BATTLE_FILES.play(battle)
    assert told(odds) == told(course) == unsaid
    assert len(lines(odds)) == len(unsaid)


def test_the_line_says_what_is_counted() -> None:
    answer = BATTLE_FILES.answer(BATTLE_FILES.read(SUBMARINES, "battle.json"), seed=1, top=3)
    assert lines(answer) == ["Not stated: whether 2 submarine (us) moved; counted as moved, so no ambush"]


def test_ships_said_to_be_no_hidden_fleet_are_refused_in_a_file() -> None:
    data = file(
        movement_step=1, revealed=False, attacking=units("cruiser"), defending=units("destroyer", "italy")
    )
    with pytest.raises(ValueError, match=r"active in movement step 1\. Add one that is: fighter, submarine"):
        BATTLE_FILES.read(data, "battle.json")


# Artillery


def composing(fought: Fought) -> tuple[Any, Acts]:
    acts, state = Acts(), fought.evening.state
    page = compose_page(
        Sight(TABLE_VIEWER, Change(0, state), None, None), acts, fought.declared, BattleDraft()
    )
    return page, acts


@pytest.mark.parametrize("game", BOTH)
def test_artillery_is_shown_as_not_moved_and_one_tap_changes_it(game: str) -> None:
    """Source: rulebook v0.96, Abilities, Deployed; first edition, Deployed"""
    fought = (
        Fought(game, "s3.t4.allies.declare").attack(("us", "artillery", 1)).defend(("italy", "infantry", 1))
    )
    page, acts = composing(fought)
    tool = page.tools[0]
    assert (str(tool.title), tool.is_on) == ("artillery moved", False)
    act = acts[tool.act]
    assert isinstance(act, Send)
    fought.evening.do(act.command)
    assert fought.declared.battle.attacking[0].moved is True
    page, acts = composing(fought)
    assert "counted" not in acts
    fought.begin()
    assert fought.dice("artillery") == []


def test_in_a_step_in_which_it_may_move_and_fire_nothing_is_shown() -> None:
    fought = Fought(NEWER, "s3.t5.allies.declare").attack(("us", "artillery", 1)).defend(("italy", "tank", 1))
    assert "counted" not in composing(fought)[1]


@pytest.mark.parametrize("moved", [True, False, None])
def test_what_was_said_of_a_move_holds_in_the_enemys_half_of_the_step(moved: bool | None) -> None:
    """Source: rulebook v0.96, Abilities, Deployed: it moves or rolls in a movement step, which holds both sides' halves."""
    first = Fought(NEWER, "s3.t4.allies.declare").attack(("us", "artillery", 1), ("us", "tank", 1))
    first.defend(("italy", "infantry", 9))
    first.set(ATTACKING, 0, moved=moved)
    first.begin()
    first.evening.do(bc.BreakOff(first.id))
    first.evening.jump("s3.t4.axis.declare")
    again = Fought(NEWER, space="Arena", evening=first.evening)
    again.evening.do(bc.RepeatComposition(again.id))
    guns = [group for group in again.declared.battle.defending if group.unit == "artillery"]
    assert [gun.moved for gun in guns] == [moved]
    first.evening.jump("s3.t5.axis.declare")
    later = Fought(NEWER, space="Arena", evening=first.evening)
    later.evening.do(bc.RepeatComposition(later.id))
    assert {group.moved for group in later.declared.battle.defending} == {None}


# Ships that are not active


def _answered(fought: Fought, refused: Rejected, key: str) -> Act:
    ask = entry(fought.evening.state, refused.needs[0])
    assert ask is not None
    return ask.answered({ask.form.fields[0].key: key})


def _refused(fought: Fought) -> Rejected:
    refused, _events = fought.evening.send(bc.BeginBattle(fought.id))
    assert refused is not None
    return refused


@pytest.mark.parametrize("game", BOTH)
@pytest.mark.parametrize(("key", "code"), [("yes", ""), ("no", "inactive")])
def test_an_inactive_ship_alone_attacks_only_out_of_a_revealed_fleet(game: str, key: str, code: str) -> None:
    """Source: first edition, Declaring Battles, Fundamentals; Revealing a Hidden Fleet; rulebook v0.96, Declaring Battles"""
    fought = Fought(game, "s3.t1.allies.declare", "E5", "sea").attack(("us", "destroyer", 1))
    fought.defend(("italy", "sea_transport", 1))
    refused = _refused(fought)
    assert (str(refused.code), refused.needs[0].kind) == ("not_known", "revealed")
    act = _answered(fought, refused, key)
    assert isinstance(act, Send)
    fought.evening.do(act.command)
    if code:
        assert str(_refused(fought).code) == code
    else:
        fought.begin()


@pytest.mark.parametrize("game", BOTH)
def test_where_fleets_are_sealed_in_the_app_alone_it_needs_no_question(game: str) -> None:
    fought = Fought(game, "s3.t1.allies.declare", "E5", "sea", rulings={"fleet_place": "sealed"})
    fought.attack(("us", "destroyer", 1)).defend(("italy", "sea_transport", 1))
    assert str(_refused(fought).code) == "inactive"


@pytest.mark.parametrize("game", BOTH)
def test_an_active_ship_is_asked_nothing(game: str) -> None:
    fought = Fought(game, "s3.t3.allies.declare", "E5", "sea").attack(("us", "destroyer", 1))
    fought.defend(("italy", "sea_transport", 1)).begin()


# What the player aid lets a transport carry


def _loaded(load: tuple[tuple[str, int], ...], printed: dict[str, bool] | None = None) -> Fought:
    fought = Fought(FIRST, "s3.t2.allies.declare", printed=printed)
    fought.attack(("us", "air_transport", 1), ("us", "fighter", 1)).load(0, *load)
    return fought.defend(("italy", "infantry", 1))


TWO = (("infantry", 2), ("tank", 1))


@pytest.mark.parametrize(
    ("load", "printed", "code"),
    [
        ((("infantry", 1),), {}, ""),
        ((("land_transport", 1),), {}, ""),
        ((("tank", 1),), {}, "not_known"),
        (TWO, {}, "not_known"),
        (TWO, {"air_transport.load.3_infantry+1_tank": True}, ""),
        (TWO, {"air_transport.load.2_infantry": True}, "not_known"),
    ],
)
def test_a_load_is_asked_for_exactly_where_no_other_tells(
    load: Any, printed: dict[str, bool], code: str
) -> None:
    """Source: first edition, Standard Unit Abilities and Limitations: combinations shown on the player aid."""
    fought = _loaded(load, printed)
    refused, _events = fought.evening.send(bc.BeginBattle(fought.id))
    assert ("" if refused is None else str(refused.code)) == code


def test_a_load_that_the_aid_does_not_show_is_refused_where_it_is_entered() -> None:
    fought = _loaded((("infantry", 1),), {"air_transport.load.1_tank": False})
    cargo = tuple(Load(unit, count) for unit, count in TWO)
    fought.evening.refuse(
        fought.group(ATTACKING, 0, cargo=cargo), "cargo_limit", "does not carry this together"
    )


@pytest.mark.parametrize(("key", "code"), [("yes", ""), ("no", "cargo_limit")])
def test_its_answer_is_a_printed_value(key: str, code: str) -> None:
    fought = _loaded(TWO)
    act = _answered(fought, _refused(fought), key)
    assert isinstance(act, Send)
    fought.evening.do(act.command)
    assert fought.evening.state.printed["air_transport.load.2_infantry+1_tank"] is (key == "yes")
    refused, _events = fought.evening.send(bc.BeginBattle(fought.id))
    assert ("" if refused is None else str(refused.code)) == code


def test_a_file_with_a_load_that_nobody_knows_says_that_it_is_counted_as_fitting() -> None:
    group = {"unit": "air_transport", "nation": "us", "cargo": [{"unit": "infantry", "count": 2}]}
    data = {"game": FIRST, "movement_step": 2, "terrain": "land", "attacking": [group],
            "defending": units("fighter", "italy")}  # fmt: skip
    assert told(BATTLE_FILES.play(BATTLE_FILES.read(data, "b"))) == [("cargo", "fits")]
    known = {**data, "printed_values": {"air_transport": {"load.2_infantry": False}}}
    with pytest.raises(ValueError, match="does not carry this together"):
        BATTLE_FILES.read(known, "b")

"""An upgrade card changes a nation's units everywhere: tiles, compositions, cargo, baskets, lists, notes and odds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from companion.cli import main
from companion.core.commands import EnterPrintedValue
from companion.core.ids import Nation
from companion.games.sfw.odds.file import read_battle
from companion.games.sfw.pages.battle import battle_page
from companion.games.sfw.pages.battle_draft import BattleDraft
from companion.games.sfw.pages.battle_group import group_choices
from companion.games.sfw.pages.resupply import ResupplyDraft, resupply_page
from companion.games.sfw.pages.sealed import secret_shown
from companion.games.sfw.pages.support import support_page
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules import resupply_record as rs
from companion.games.sfw.rules import seal_messages as sm
from companion.games.sfw.rules import seals as se
from companion.games.sfw.rules.battle import ATTACKING, Battle, Fight, Group, Load
from companion.games.sfw.rules.battle_state import fight_of
from companion.games.sfw.rules.control import CorrectControl
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.resupply_values import tray
from companion.games.sfw.rules.seal_messages import Content
from companion.games.sfw.rules.seals import content_text
from companion.games.sfw.rules.support import PlayCard, active_units_of, unit_table_of
from companion.games.sfw.rules.upgrades import owned_battle
from companion.odds.battle_file import BattleFileError
from companion.pages.modules import game_view
from companion.pages.speak import speak
from companion.testing.reading import read
from tests.games.sfw.test_seals import OPENING, envelope
from tests.games.sfw_editions import BOTH, NEWER, Evening, Fought

GERMANY, ITALY = Nation("germany"), Nation("italy")
PANZER = {"id": "panzer", "name": "Panzer IV", "base": "tank", "nation": "germany", "fire": [
    {"level": "gray", "number": 6, "targets": ["land"]},
]}  # fmt: skip
FIRE = {"sfw1": {"level": "yellow", "number": 6, "targets": ["land"]}, NEWER: PANZER["fire"][0]}  # type: ignore[index]
SUPPORT = "s3.ns.axis.play"
STEP_4 = "s4.t4.axis.declare"


def panzer(game: str) -> dict[str, Any]:
    return {**PANZER, "fire": [FIRE[game]]}


def upgraded(game: str, to: str = STEP_4) -> Evening:
    """Return a game in which Germany has upgraded its Tanks, at a step after it."""
    evening = Evening(game)
    evening.enter()
    evening.jump(SUPPORT)
    evening.do(PlayCard(GERMANY, "Panzer IV", "upgrade", 1, unit=panzer(game)))
    evening.jump(to)
    return evening


@pytest.mark.parametrize("game", BOTH)
def test_german_tanks_need_six_and_italian_ones_eight(game: str) -> None:
    evening = upgraded(game)
    fought = Fought(game, evening=evening)
    fought.attack(("germany", "panzer", 2), ("italy", "tank", 1)).defend(("us", "infantry", 4)).begin()
    while "panzer" not in {unit for line in fought.progress.lines for unit in line.units}:
        fought.miss(until=str(int(fought.progress.step) + 1))
    assert {(line.nation, line.number, line.dice) for line in fought.progress.lines if line.side == ATTACKING} == {
        ("germany", 6, 2),
        ("italy", 8, 1),
    }  # fmt: skip


@pytest.mark.parametrize("game", BOTH)
def test_the_plain_unit_of_that_nation_is_refused_with_the_reason(game: str) -> None:
    evening = upgraded(game)
    fought = Fought(game, evening=evening)
    plain = bc.ChangeUnits(fought.id, ATTACKING, "tank", "germany", 1)
    evening.refuse(plain, "upgraded_unit", "germany has upgraded this unit", "panzer")
    fought.attack(("italy", "tank", 1), ("germany", "panzer", 1)).defend(("us", "tank", 1))


@pytest.mark.parametrize("game", BOTH)
def test_what_was_known_is_repeated_with_the_upgraded_unit(game: str) -> None:
    evening = Evening(game)
    evening.enter()
    evening.jump("s3.t4.axis.declare")
    first = Fought(game, evening=evening, space="Arena")
    first.attack(("germany", "tank", 2), ("italy", "tank", 1)).defend(("us", "anti_air", 1)).begin()
    before = fight_of(evening.state, first.declared)
    evening.do(bc.BreakOff(first.id))
    begun = first.declared
    evening.jump(SUPPORT)
    evening.do(PlayCard(GERMANY, "Panzer IV", "upgrade", 1, unit=panzer(game)))
    # A battle that had begun keeps its figures: it is still told with the Tanks that fought in it.
    assert isinstance(before, Fight)
    again = fight_of(evening.state, begun)
    assert isinstance(again, Fight)
    assert [kind.unit for kind in again.attacking] == [kind.unit for kind in before.attacking]
    evening.jump(STEP_4)
    fought = Fought(game, evening=evening, space="Arena")
    evening.do(bc.RepeatComposition(fought.id))
    assert [(g.nation, g.unit, g.count) for g in fought.declared.battle.attacking] == [
        ("germany", "panzer", 2),
        ("italy", "tank", 1),
    ]


def test_a_composition_declared_before_the_card_is_read_with_the_upgraded_unit() -> None:
    """Nobody can play a card between declaring and fighting, but what stands there is never fought with units gone."""
    table = unit_table_of(upgraded(NEWER).state)
    tanks = Group("tank", 2, "germany")
    aboard = Group("sea_transport", 1, "germany", 1, cargo=(Load("tank", 2),))
    battle = owned_battle(table, Battle(4, "land", (tanks, aboard), (Group("tank", 1, "us"),)))
    assert [(group.unit, group.cargo) for group in battle.attacking] == [
        ("panzer", ()),
        ("sea_transport", (Load("panzer", 2),)),
    ]
    assert battle.defending[0].unit == "tank"


@pytest.mark.parametrize("game", BOTH)
def test_tiles_offer_each_nation_what_it_has(game: str) -> None:
    evening = upgraded(game)
    Fought(game, evening=evening)
    change = evening.desk.change
    assert change is not None
    shown = read(battle_page, change, draft=BattleDraft("A", tab="land"))
    tiles = {item.key.rsplit(".", 1)[0] for item in shown.items}
    assert {"attacking.germany.panzer", "attacking.italy.tank", "defending.us.tank"} <= tiles
    assert not tiles & {"attacking.germany.tank", "attacking.italy.panzer", "defending.us.panzer"}


@pytest.mark.parametrize("game", BOTH)
def test_cargo_offers_and_takes_the_upgraded_unit_alone(game: str) -> None:
    evening = upgraded(game, "s4.t2.axis.declare")
    fought = Fought(game, evening=evening)
    fought.attack(("germany", "sea_transport", 1), distance=1, origin="E5")
    evening.refuse(fought.group(ATTACKING, 0, cargo=(Load("tank", 1),)), "upgraded_unit", "panzer")
    evening.do(fought.group(ATTACKING, 0, cargo=(Load("panzer", 2),)))
    said = [
        speak(text, evening.state)
        for text, _act in group_choices(evening.state, fought.declared, ATTACKING, 0)
    ]
    assert "Load Panzer IV" in said
    assert "Load Tank" not in said


@pytest.mark.parametrize("game", BOTH)
def test_step_lists_name_whose_plain_unit_is_still_active(game: str) -> None:
    evening = upgraded(game, "s4.t4.axis.move")
    assert {"tank", "panzer"} <= set(active_units_of(evening.state, evening.state.step))
    told = game_view(game).active_units(evening.state)
    assert told is not None
    assert "Tank (Italy)" in told
    assert "Panzer IV (Germany)" in told
    evening.jump(SUPPORT)
    card = {**panzer(game), "id": "carro", "name": "Carro Armato", "nation": "italy"}
    evening.do(PlayCard(ITALY, "Carro Armato", "upgrade", 1, unit=card))
    evening.jump("s4.t4.axis.move")
    assert "tank" not in active_units_of(evening.state, evening.state.step)
    evening.jump("s4.t4.allies.move")
    assert "tank" in active_units_of(evening.state, evening.state.step)


@pytest.mark.parametrize("game", BOTH)
def test_resupply_offers_the_upgraded_unit_at_the_cost_of_the_plain_one(game: str) -> None:
    evening = upgraded(game, "s3.r.axis.choose")
    if game != NEWER:
        # Entered after the card was played: the card copies it all the same.
        evening.enter({"tank.cost": 3})
    table = unit_table_of(evening.state)
    assert table.units["panzer"].cost == table.units["tank"].cost is not None
    source = "rome"
    evening.do(CorrectControl(source, GERMANY))
    evening.enter({f"resupply.{tables(evening.state).board}.{source}.land": 12})
    evening.do(rs.ChooseResupply(GERMANY, "land", source))
    evening.do(rs.SetReserve(GERMANY, "tank", 2))
    evening.refuse(rs.Purchase(GERMANY, "land", "tank", 1), "unknown_unit", "panzer")
    evening.do(rs.Purchase(GERMANY, "land", "panzer", 2))
    change = evening.desk.change
    assert change is not None
    shown = read(resupply_page, change, draft=ResupplyDraft("buy", "germany"))
    rows = {item.key for item in shown.items}
    assert "panzer" in rows
    assert "tank" not in rows
    # The tray that was counted before holds the same tiles, and is emptied as they are placed.
    evening.refuse(rs.Purchase(GERMANY, "land", "panzer", 1), "none_left")
    evening.jump("s3.r.axis.place")
    evening.do(rs.Place(GERMANY, "land"))
    assert tray(evening.state, "germany", "panzer") == 0


def test_a_note_is_read_with_the_upgraded_unit() -> None:
    evening = Evening(NEWER)
    evening.enter()
    note = content_text(Content("J4", {"destroyer": 3}))
    evening.do(sm.SealSecret(GERMANY, "fleet", "Fleet", envelope(note)))
    evening.jump(SUPPORT)
    card = {
        "id": "narvik",
        "name": "Narvik class",
        "base": "destroyer",
        "nation": "germany",
        "armour": "gray",
    }
    evening.do(PlayCard(GERMANY, "Narvik class", "upgrade", 1, unit=card))
    (secret,) = se.hidden(evening.state)
    assert se.units_of_note(evening.state, secret, se.content_of(note)) == {"narvik": 3}
    evening.rule("upgrade_hidden", "when_revealed")
    assert se.units_of_note(evening.state, secret, se.content_of(note)) == {"destroyer": 3}
    evening.jump("s4.t3.axis.move")
    evening.do(sm.RevealSecret(secret.id, note, OPENING))
    shown = evening.state.game["seals"].secrets[secret.id]
    assert se.units_of_note(evening.state, shown, se.content_of(note)) == {"narvik": 3}
    said = [speak(line, evening.state) for line in secret_shown(evening.state, shown)]
    assert "3 Narvik class" in said, said


def test_a_unique_unit_stands_beside_its_base() -> None:
    evening = Evening(NEWER)
    evening.enter()
    evening.jump(SUPPORT)
    evening.do(PlayCard(GERMANY, "Tiger", "unique", 1, unit={**PANZER, "id": "tiger", "name": "Tiger"}))
    owned = {spec.id for spec in unit_table_of(evening.state).fielded("germany")}
    assert {"tank", "tiger"} <= owned
    evening.jump(STEP_4)
    Fought(NEWER, evening=evening).attack(("germany", "tank", 1), ("germany", "tiger", 1))


def test_nations_with_cards_of_one_name_keep_their_own_units() -> None:
    evening = upgraded(NEWER, SUPPORT)
    clash = {**PANZER, "nation": "italy", "base": "infantry", "name": "Other"}
    evening.refuse(PlayCard(ITALY, "Other", "upgrade", 1, unit=clash), "bad_card", "Another card")
    on_card = {**PANZER, "id": "p2", "name": "Panzer V", "base": "panzer"}
    evening.refuse(PlayCard(GERMANY, "Panzer V", "unique", 1, unit=on_card), "bad_card", "Standard Unit")
    change = evening.desk.change
    assert change is not None
    assert read(support_page, change).items


def test_a_figure_of_the_cards_own_unit_can_be_entered() -> None:
    """A card on a unit with an unknown number asks for one value, and whichever of both is entered counts."""
    evening = Evening(NEWER)
    evening.jump(SUPPORT)
    card = {"id": "elite", "name": "Elite Tank", "base": "tank", "nation": "germany"}
    evening.do(PlayCard(GERMANY, "Elite Tank", "upgrade", 1, unit=card))
    assert unit_table_of(evening.state).units["elite"].fire[0].number is None
    evening.do(EnterPrintedValue("elite.number", 5))
    assert unit_table_of(evening.state).units["elite"].fire[0].number == 5
    assert unit_table_of(evening.state).units["tank"].fire[0].number is None


# The command line


FILE: dict[str, Any] = {
    "game": NEWER, "movement_step": 4, "terrain": "land",
    "units": [{"id": "elite", "name": "Elite", "base": "tank", "nation": "germany", "kind": "upgrade"}],
    "printed_values": {"tank": {"number": 8}},
    "attacking": [{"unit": "elite", "count": 2, "nation": "germany"}, {"unit": "tank", "nation": "italy"}],
    "defending": [{"unit": "infantry", "count": 2, "nation": "us"}],
}  # fmt: skip


def test_a_card_in_a_file_copies_the_printed_value_of_its_base() -> None:
    """As at the table: a card on a Tank does not ask for its own number when the Tank's was given."""
    fight = read_battle(FILE).fight
    assert [kind.unit.fire[0].number for kind in fight.attacking] == [8, 8]
    own = read_battle({**FILE, "printed_values": {"tank": {"number": 8}, "elite": {"number": 6}}}).fight
    assert [kind.unit.fire[0].number for kind in own.attacking] == [6, 8]


def test_a_file_refuses_the_plain_unit_as_the_table_does(tmp_path: Any, capsys: Any) -> None:
    plain = {**FILE, "attacking": [{"unit": "tank", "count": 2, "nation": "germany"}]}
    with pytest.raises(BattleFileError) as wrong:
        read_battle(plain)
    assert wrong.value.code == "upgraded_unit"
    path = tmp_path / "battle.json"
    for command in ("odds", "battle"):
        path.write_text(json.dumps({**plain, "seed": 1}))
        assert main([command, str(path)]) == 1
        assert "Germany has upgraded this unit. It now has: " in capsys.readouterr().err
    twice = {**FILE, "units": [*FILE["units"], {**FILE["units"][0], "id": "elite2"}]}
    with pytest.raises(BattleFileError, match="once per game"):
        read_battle(twice)

"""The set-up step, markers that nobody told, Malta's token, Vichy ground, and values asked for where they decide."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.commands import EndAct, EnterPrintedValue, SetRuling
from companion.core.judgement import Need
from companion.core.rules import Rejected
from companion.games.aana.pages.reinforce import reinforce_page
from companion.games.aana.pages.score import score_page
from companion.games.aana.pages.setup import setup_page
from companion.games.aana.rules.conditions import MARKER
from companion.games.aana.rules.ledger import board, figures
from companion.games.aana.rules.ledger_messages import CountSpace, MoveUnits
from companion.games.aana.rules.reinforce_messages import (
    MALTA,
    PayMalta,
    PlaceFree,
    Requisition,
    SkipMalta,
    income,
)
from companion.games.aana.rules.vichy import VICHY_GROUND, TakeVichyGround
from companion.games.aana.rules.victory import SetControl, undecided
from companion.games.aana.rules.ways import MakeMove
from companion.pages.modules import game_view
from companion.pages.needs import ask_again, entry_of
from companion.pages.page import TABLE_VIEWER, Act, Ask, Send, Sight
from companion.pages.score import ScoreDraft
from companion.testing.reading import items_of, read
from tests.games.aana.aana_table import Table
from tests.pages.test_aana import change, desk


def needs(answer: Rejected | None) -> list[tuple[str, str]]:
    assert answer is not None
    return [(need.kind, need.id) for need in answer.needs]


def carry_out(table: Table, act: Act, *answers: dict[str, str]) -> None:
    """Answer a question as the table would, and send what comes of it one after the other."""
    for given in answers:
        assert isinstance(act, Ask)
        act = act.answered(given)
    while act is not None:
        assert isinstance(act, Send)
        table.ok(act.at(table.now))
        act = act.then  # type: ignore[assignment]


def repeated(table: Table, command: Any, *answers: dict[str, str]) -> None:
    """Send a command that lacks a value, answer the question that comes, and see the command done."""
    answer = table.send(command)
    assert answer is not None
    from companion.core.ids import TABLE

    ask = ask_again(table.state, answer, command, TABLE)
    assert ask is not None
    carry_out(table, ask, *answers)


# N1, N21: Cairo and the other markers


@pytest.mark.parametrize("scenario", ["rommel", "torch"])
def test_cairo_is_held_by_the_united_kingdom_as_inferred(scenario: str) -> None:
    table = Table(scenario)
    assert table.ledger.control["cairo"] == "uk"
    lines = table.state.frozen_setup.tables["scenario"]["start"]["lines"]
    status = next(line["status"]["control"] for line in lines if line["space"] == "cairo")
    assert status[0] == "inferred"


def test_the_first_round_of_the_united_kingdom_asks_nothing_about_its_fighter_and_pays_for_cairo() -> None:
    table = Table(printed={"base.uk": 10, "rp.cairo": 7})
    for row in board(table.state).territories():
        if row.id != "cairo" and board(table.state).is_open_to_capture(row.id):
            table.ok(SetControl(row.id, None))
    table.jump("r1.uk.convoys.advance")
    answer = table.send(EndAct(table.step, table.now))
    assert answer is None
    assert dict(income(table.state, "uk").lines) == {"base": 10, "cairo": 7}
    for piece, n in dict(table.ledger.units["cairo"]).items():
        table.ok(MoveUnits("cairo", "pool", {piece: n}))
    assert table.ledger.control["cairo"] == "uk"


def test_how_cairo_is_held_is_one_tap_to_change_and_stored() -> None:
    table = Table()
    table.ok(SetRuling("aana.cairo", "chart"))
    assert "cairo" not in table.ledger.control
    table.ok(SetRuling("aana.cairo", "uk"))
    assert table.ledger.control["cairo"] == "uk"
    chart = Table(**{"rulings.aana.cairo": "chart"})
    assert "cairo" not in chart.ledger.control
    shown = setup_page(Sight(TABLE_VIEWER, change(desk()), None))
    (tool,) = shown.page.tools
    assert tool.act is not None
    ask = shown.act(tool.act)
    assert isinstance(ask, Ask)
    assert ask.answered({"one": "chart"}) == Send(SetRuling("aana.cairo", "chart"))


def test_the_set_up_goes_through_every_territory_that_bears_a_marker() -> None:
    made = desk()
    page = read(setup_page, change(made))
    open_ = [row for row in items_of(page.page) if row.key in MARKED]
    assert {row.key for row in open_} == MARKED
    assert {row.key for row in open_ if row.state == "plain"} == MARKED - {"cairo", "tripoli"}
    ask = page.act("Tobruk")
    assert isinstance(ask, Ask)
    send = ask.answered({"one": "italy"})
    assert isinstance(send, Send)
    made.send(send.at(made.now_ms()))
    assert change(made).state.game["ledger"].control["tobruk"] == "italy"


MARKED = {
    "casablanca",
    "oran",
    "algiers",
    "kasserine",
    "tunis",
    "mareth",
    "tripoli",
    "el_agheila",
    "benghazi",
    "tobruk",
    "cairo",
}


def test_income_names_the_markers_that_nobody_told() -> None:
    table = Table(printed={"base.uk": 10, "rp.cairo": 7})
    table.jump("r1.uk.requisition.buy")
    assert "tobruk" in income(table.state, "uk").markers
    table.ok(SkipMalta(table.step))
    buy = Requisition(table.step, "uk", "infantry", 6)
    assert (MARKER, "tobruk") in needs(table.send(buy))


def test_the_chart_waits_for_the_markers_that_decide_it_and_for_no_other() -> None:
    table = Table("torch")
    table.jump("r14.us.deploy.place")
    table.ok(SetControl("tripoli", "italy"))
    table.ok(SetControl("mareth", "uk"))
    table.end(confirmed=True)
    assert table.state.ending is None
    assert [need.id for need in undecided(table.state)] == ["benghazi"]
    assert needs(table.send(EndAct(table.step, table.now))) == [(MARKER, "benghazi")]
    table.ok(SetControl("benghazi", None))
    ending = table.state.ending
    assert ending is not None
    assert (ending.winner, ending.level) == ("axis", "minor")
    sure = Table("torch")
    sure.jump("r14.us.deploy.place")
    sure.ok(SetControl("benghazi", "germany"))
    sure.end(confirmed=True)
    assert sure.state.ending is not None, "the Axis has won whoever holds the rest"


def test_a_condition_that_hangs_on_a_marker_is_never_shown_as_not_met() -> None:
    page = read(score_page, change(desk()), draft=ScoreDraft("list"))
    assert page.sub("Allies, Minor Victory: ") == "not known: Whose control marker is on Mareth?"


# N8: the free set-up of Operation Torch


def test_torch_has_a_free_set_up_with_zones_and_points_from_the_chart() -> None:
    table = Table("torch")
    place = PlaceFree("uk", "convoy.suez", "infantry", 2)
    table.no(place, "wrong_place")
    table.ok(EnterPrintedValue("free.convoy.suez", 6))
    table.ok(place)
    assert table.count("convoy.suez", "uk.infantry") == 2
    table.no(PlaceFree("uk", "convoy.suez", "infantry", 1), "over_budget")
    table.end(confirmed=True)
    table.no(place, "too_late", "The set-up is over.")


def test_the_set_up_page_adds_a_zone_of_the_chart() -> None:
    made = desk(scenario="torch")
    ask = read(setup_page, change(made)).act("Add a zone of the free set-up")
    assert isinstance(ask, Ask)
    points = ask.answered({"one": "convoy.suez"})
    assert isinstance(points, Ask)
    send = points.answered({"n": "8"})
    assert isinstance(send, Send)
    made.send(send.at(0))
    assert read(setup_page, change(made)).item("Set-up: United Kingdom, Suez").sub is not None


# N9: a step of its own, and no dead end


def test_the_set_up_is_a_step_of_its_own_on_nobodys_clock() -> None:
    table = Table(clock=10)
    assert (table.step, table.state.clocks.running) == ("setup", None)
    table.ok(PlaceFree("uk", "convoy.suez", "scout_car", 1))
    assert game_view("aana").screen_for(table.state) == "aana_setup"
    assert [line.partition(".")[2] for line in table.state.step.checks] == [
        "markers",
        "pieces",
        "free",
        "values",
    ]
    table.end()
    assert (table.step, table.state.clocks.running) == ("r1.germany.convoys.advance", "axis")


def test_every_refusal_for_a_printed_value_opens_its_entry_and_repeats_the_act() -> None:
    table = Table(printed={"base.germany": 0, "rp.tripoli": 0, "unit.germany.infantry.cost": 3})
    for row in board(table.state).territories():
        if board(table.state).is_open_to_capture(row.id):
            table.ok(SetControl(row.id, None))
    table.ok(SetControl("tunis", "germany"))
    table.jump("r1.germany.requisition.buy")
    repeated(table, Requisition(table.step, "germany", "infantry", 1), {"value": "9"})
    assert table.state.printed["rp.tunis"] == 9
    assert table.count("reinforcements", "germany.infantry") == 1
    repeated(table, Requisition(table.step, "germany", "artillery", 1), {"value": "4"})
    assert table.count("reinforcements", "germany.artillery") == 1


def test_what_stands_in_a_space_is_asked_piece_by_piece_or_as_nobody() -> None:
    from companion.games.aana.rules.battle_messages import AttackGroup, DeclareAttack

    table = Table()
    table.tell("mersa_matruh", supply=5, uk_infantry=2, uk_scout_car=1)
    table.jump("r2.uk.combat_move.declare")
    group = AttackGroup("mersa_matruh", {"uk.infantry": 1})
    attack = DeclareAttack(table.step, "siwa", (group,))
    repeated(
        table,
        attack,
        {"one": "germany"},
        {"one": "tank"},
        {"n": "2"},
        {"one": "done"},
    )
    assert table.count("siwa", "germany.tank") == 2
    assert table.state.game["battle"].attacks[0].space == "siwa"


def test_each_kind_of_value_that_the_rules_ask_for_has_an_entry() -> None:
    table = Table()
    for kind, id_ in (
        (MARKER, "tobruk"),
        ("content", "siwa"),
        ("supply", "siwa"),
        (MALTA, MALTA),
        (VICHY_GROUND, "oran"),
        ("printed", "unit.germany.tank.attack"),
    ):
        from companion.core.text import Say

        assert entry_of(table.state, Need(kind, id_, Say("?"))) is not None, kind


# N10: Malta


def malta(**options: Any) -> Table:
    table = Table(values="unofficial", **options)
    table.tell("malta", supply=2, uk_fighter=1)
    table.jump("r1.uk.requisition.buy")
    return table


def test_leaving_without_malta_asks_once_and_not_paying_is_allowed() -> None:
    table = malta()
    assert needs(table.send(EndAct(table.step, table.now))) == [(MALTA, MALTA)]
    table.ok(SkipMalta(table.step))
    table.end()
    paid = malta()
    repeated(paid, EndAct(paid.step, paid.now), {"one": "pay"})
    assert (paid.ledger.supply["malta"], paid.step) == (1, "r1.uk.combat_move.move")
    bare = Table(values="unofficial")
    bare.tell("malta", supply=0)
    bare.jump("r1.uk.requisition.buy")
    bare.end()
    anyway = malta()
    repeated(anyway, EndAct(anyway.step, anyway.now), {"one": "anyway"})
    assert anyway.ledger.supply["malta"] == 2


def test_the_first_purchase_asks_about_malta_before_it_closes_it() -> None:
    made = desk("r1.uk.requisition.buy", values="unofficial")
    made.send(CountSpace("malta", {}, 1))
    ask = read(reinforce_page, change(made)).act("Infantry")
    assert isinstance(ask, Ask)
    act: Any = ask.answered({"one": "pay"})
    assert isinstance(act, Send)
    assert isinstance(act.command, PayMalta)
    assert isinstance(act.then, Send)
    assert isinstance(act.then.command, Requisition)
    skipped = ask.answered({"one": "skip"})
    assert isinstance(skipped, Send)
    made.send(skipped.at(0))
    assert isinstance(read(reinforce_page, change(made)).act("Infantry"), Send), "asked once"


def test_malta_may_be_paid_by_itself() -> None:
    table = Table(values="unofficial", **{"rulings.aana.malta_asked": "paid"})
    table.tell("malta", supply=2)
    table.jump("r1.uk.convoys.advance")
    table.end(confirmed=True)
    assert (table.step, table.ledger.supply["malta"]) == ("r1.uk.requisition.buy", 1)
    assert dict(income(table.state, "uk").lines)["malta"] == 15


# N7: Vichy ground


def vichy(**options: Any) -> Table:
    table = Table("torch", values="unofficial", **options)
    table.tell("algiers", supply=0, vichy_infantry=1)
    table.tell("constantine", supply=1, germany_tank=1)
    table.tell("convoy.tunis")
    table.ok(SetControl("algiers", "vichy"))
    table.jump("r9.germany.noncombat.move")
    table.ok(MakeMove(table.step, "constantine", "algiers", {"germany.tank": 1}, 1))
    return table


def test_land_units_that_end_phase_5_beside_vichy_french_alone_may_take_control() -> None:
    table = vichy()
    assert needs(table.send(EndAct(table.step, table.now))) == [(VICHY_GROUND, "algiers")]
    repeated(table, EndAct(table.step, table.now), {"one": "take"})
    assert (table.ledger.control["algiers"], table.step) == ("germany", "r9.germany.deploy.place")
    kept = vichy()
    kept.ok(TakeVichyGround(kept.step, "algiers", False))
    kept.end()
    assert kept.ledger.control["algiers"] == "vichy"
    once = vichy(**{"rulings.aana.vichy_ground": "at_once"})
    once.end()
    assert once.ledger.control["algiers"] == "germany"


def test_who_stood_there_before_or_beside_others_takes_nothing() -> None:
    table = Table("torch", values="unofficial")
    table.tell("algiers", supply=0, vichy_infantry=1, italy_infantry=1)
    table.tell("constantine", supply=1, germany_tank=1)
    table.jump("r9.germany.noncombat.move")
    table.ok(MakeMove(table.step, "constantine", "algiers", {"germany.tank": 1}, 1))
    table.no(TakeVichyGround(table.step, "algiers", True), "not_vichy")


# N11: fields that do not exist


def test_no_printed_value_is_asked_for_that_no_piece_has() -> None:
    state = Table().state
    keys = {row.key for row in game_view("aana").printed(state)}
    gone = {
        f"unit.{power}.truck.{what}"
        for power in ("germany", "uk", "italy", "us")
        for what in ("attack", "defence")
    }
    gone.add("unit.uk.sherman.cost")
    assert not keys & gone
    assert not set(figures(state).unknown_keys()) & gone
    assert len(keys) == 130
    table = Table()
    table.no(EnterPrintedValue("unit.uk.sherman.cost", 6), "bad_value")
    Table(printed=dict.fromkeys(gone, 1))  # values of an earlier evening are let be


def test_every_printed_value_can_be_entered_and_none_is_missing_then() -> None:
    table = Table()
    for row in game_view("aana").printed(table.state):
        table.ok(EnterPrintedValue(row.key, 2))
    assert all(row.value is not None for row in game_view("aana").printed(table.state))
    assert figures(table.state).unknown_keys() == ()
    assert board(table.state).unknown_keys() == ()


def test_el_agheila_may_have_no_value() -> None:
    table = Table()
    row = next(row for row in game_view("aana").printed(table.state) if row.key == "rp.el_agheila")
    assert row.hint == "0 where the board prints none"
    table.ok(EnterPrintedValue("rp.el_agheila", 0))
    assert not board(table.state).is_open_to_capture("el_agheila")
    table.ok(CountSpace("el_agheila", {}, 0))

"""Hidden fleets: formed only in their moment, and a fleet on the printed dial counts by the table's word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.core.ids import ARBITER, TABLE, Nation
from companion.core.ledger import SealedEnvelope
from companion.games.sfw.pages.sealed import sealed_page
from companion.games.sfw.rules.resupply_record import ChooseResupply, Place, Purchase, ReportAtSea
from companion.games.sfw.rules.seal_messages import ConfirmHidden, SayOnDial, SealSecret, SearchSpace
from companion.games.sfw.rules.seals import dial_id, must_confirm
from companion.pages.needs import ask_again
from companion.pages.page import Ask, Send
from companion.testing.reading import read

GB, US, GERMANY, ITALY = (Nation(one) for one in ("gb", "us", "germany", "italy"))


def fleet(nation: Nation, kind: Any = "fleet") -> SealSecret:
    return SealSecret(nation, kind, "fleet", SealedEnvelope("c", "n", "t", (), {}, "00"))


@pytest.mark.parametrize(
    "step",
    [
        "s3.t1.allies.move",
        "s3.t3.axis.move",
        "s3.t3.allies.resolve",
        "s3.t4.allies.move",
        "s3.v.check",
        "s3.r.allies.place",
    ],
)
def test_a_new_fleet_is_refused_outside_its_moment(ledger_game: Callable[..., Any], step: str) -> None:
    game = ledger_game("apr43")
    game.jump(step)
    game.refuse(fleet(US), "not_now", "movement step 3")
    (row,) = (item for item in read(sealed_page, game.desk.change).items if item.key == "new.us.fleet")
    assert row.act is None
    assert "movement step" in str(row.why_not)
    game.do(fleet(US), actor=ARBITER)  # late: the arbiter decides


def test_a_new_fleet_is_formed_at_set_up_and_on_the_own_step_3(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.do(fleet(GERMANY))
    for step, nation in (("s3.t3.allies.move", US), ("s3.t3.axis.move", ITALY)):
        game.jump(step)
        game.do(fleet(nation))


def test_a_sealed_fleet_may_be_sealed_again_at_any_time(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.do(fleet(US))
    game.jump("s3.t4.axis.move")
    again = SealSecret(US, "fleet", "fleet", SealedEnvelope("c", "n", "t", (), {}, "01"), "us.fleet.1")
    game.do(again)


def test_the_table_may_rule_that_a_late_fleet_is_taken(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.jump("s3.t4.allies.move")
    row = read(sealed_page, game.desk.change).act("A new Hidden Fleet noted late")
    assert isinstance(row, Send)
    game.do(row.at(0))
    game.do(fleet(US))


def test_the_german_point_may_form_one_in_resupply(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    game.jump("s1.r.axis.choose")
    game.refuse(fleet(Nation("italy")), "not_now")
    game.do(fleet(GERMANY))


def test_hidden_units_of_the_italy_board_are_set_up_at_the_start(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("italy")
    army = next(info.id for info in game.state.frozen_setup.nations if info.id.startswith("germany"))
    game.do(fleet(army, "units"))
    game.jump("s1.t1.allies.move")
    game.refuse(fleet(army, "units"), "not_now", "before the first stage")


# On the dial


def test_the_us_fleet_is_resupplied_at_sea_by_the_tables_word(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.jump("s3.r.allies.choose")
    choose = ChooseResupply(US, "sea", "us_fleet")
    refused = game.refuse(choose, "no_fleet")
    ask = ask_again(game.state, refused, choose, TABLE)
    assert isinstance(ask, Ask)
    act: Any = ask.answered({"one": "yes"})
    assert act.command == SayOnDial(US, is_there=True)
    assert act.then.command == choose
    game.do(act.command)
    game.refuse(choose, "fleet_not_clear")
    game.do(ReportAtSea("us_fleet", is_clear=True), choose, Purchase(US, "sea", "destroyer", 1))
    game.jump("s3.r.allies.place")
    game.do(Place(US, "sea", into_fleet=True))  # nobody is asked where the fleet is
    assert game.state.game["resupply"].records[-1].where == "us_fleet"


def test_a_side_with_a_fleet_on_its_dial_confirms_that_it_stays_hidden(
    ledger_game: Callable[..., Any],
) -> None:
    game = ledger_game("apr43")
    game.jump("s3.t3.allies.move")
    assert must_confirm(game.state, game.state.step) == ()
    game.do(SayOnDial(US, is_there=True))
    assert must_confirm(game.state, game.state.step) == ("allies",)
    game.refuse(game.end(), "still_open", "may the Hidden Fleet stay hidden")
    game.do(ConfirmHidden(game.state.step.id, "allies"))  # type: ignore[arg-type]
    game.next()


def test_a_search_finds_a_fleet_on_its_dial(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.do(SayOnDial(GERMANY, is_there=True))
    game.jump("s3.t3.allies.move")
    assert "Search a sea space" in [
        read(sealed_page, game.desk.change).say(tool.title)
        for tool in read(sealed_page, game.desk.change).page.tools
    ]
    game.refuse(SearchSpace(US, "J4", (dial_id("italy"),)), "unknown_secret")
    game.refuse(SearchSpace(US, "tunis", (dial_id("germany"),)), "bad_value", "Tunis is a land space")
    game.do(SearchSpace(US, "J4", (dial_id("germany"),)))
    assert not game.state.game["seals"].has_fleet("germany")  # it is on the board now


def test_a_nation_has_one_fleet_wherever_its_place_is_kept(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.do(SayOnDial(US, is_there=True))
    game.refuse(fleet(US), "has_fleet")
    game.do(SayOnDial(US, is_there=False), fleet(US))
    game.refuse(SayOnDial(US, is_there=True), "has_fleet")
    game.rule("fleet_place", "sealed")
    game.refuse(SayOnDial(GB, is_there=True), "not_now", "seals its Hidden Fleets")
    game.jump("s3.r.allies.choose")
    assert game.refuse(ChooseResupply(GB, "sea", "us_fleet"), "not_yours").needs == ()
    bare = ledger_game("apr43")
    bare.rule("fleet_place", "sealed")
    bare.jump("s3.r.allies.choose")
    assert bare.refuse(ChooseResupply(US, "sea", "us_fleet"), "no_fleet").needs == ()  # no dial is asked for

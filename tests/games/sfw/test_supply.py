"""Supply lines of North Africa, played through commands (EXAMPLES A5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.core.ids import Nation
from companion.games.sfw.rules.control import CorrectControl
from companion.games.sfw.rules.supply import (
    ForgetGroup,
    RemoveHub,
    SetUpHub,
    WatchGroup,
    cut_off_by,
    is_in_supply,
    missing_links,
    network,
    out_of_supply,
)

ITALY, GERMANY, XXX = Nation("italy"), Nation("germany"), Nation("gb_xxx")


def test_the_rulebooks_example(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    game.enter({"holder.nafrica.mersa_brega": "gb_xiii", "holder.nafrica.benghazi": "gb_xiii"})
    game.go("s1.t4.axis.move")
    # S26: the Axis takes Mersa Brega, three spaces from Tripoli.
    assert network(game.state, "axis").supplied == {"tripoli_italy", "tripoli_germany"}
    game.do(CorrectControl("mersa_brega", ITALY))
    assert "mersa_brega" in network(game.state, "axis").supplied
    # S27: on step 5 Italy moves three spaces into the desert and flips its transport.
    game.go("s1.t5.axis.move")
    game.do(SetUpHub(ITALY, "desert south of Benghazi", ("mersa_brega",)))
    game.do(WatchGroup(ITALY, "Tank", ("mobile_1",)))
    assert out_of_supply(game.state) == ()
    # S28: the tank goes on to Bir Hakeim, a desert space.
    game.do(WatchGroup(ITALY, "Tank", (), group="group_2"))
    assert [group.label for group in out_of_supply(game.state)] == ["Tank"]
    game.do(SetUpHub(ITALY, "Bir Hakeim", ("mobile_1",)))
    game.do(WatchGroup(ITALY, "Tank", ("mobile_3",), group="group_2"))
    assert out_of_supply(game.state) == ()
    # Step 4 of the example: Germany in Benghazi; if the Allies take Mersa Brega back, all of it is cut off.
    game.do(CorrectControl("benghazi", GERMANY))
    assert set(cut_off_by(game.state, "axis", "mersa_brega")) == {"benghazi", "mobile_1", "mobile_3"}
    assert cut_off_by(game.state, "axis", "tripoli_italy") == ()
    game.do(CorrectControl("mersa_brega", XXX))
    assert network(game.state, "axis").supplied == {"tripoli_italy", "tripoli_germany"}
    assert len(out_of_supply(game.state)) == 1


def test_a_road_is_in_supply_between_two_supplied_hubs(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    game.do(CorrectControl("mersa_brega", ITALY), CorrectControl("sollum", ITALY))
    net = network(game.state, "axis")
    assert is_in_supply(net, ("tripoli_italy", "mersa_brega"))
    assert not is_in_supply(net, ("mersa_brega", "sollum"))
    assert not is_in_supply(net, ())


def test_links_are_entered_once(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    game.do(
        CorrectControl("gazala", ITALY),
        CorrectControl("benghazi", ITALY),
        CorrectControl("mersa_brega", ITALY),
    )
    assert "gazala" not in network(game.state, "axis").supplied
    assert "benghazi.gazala" in missing_links(game.state)
    game.enter({"link.benghazi.gazala": True})
    assert "gazala" in network(game.state, "axis").supplied
    assert "benghazi.gazala" not in missing_links(game.state)
    game.enter({"link.benghazi.gazala": False})
    assert "gazala" not in network(game.state, "axis").supplied


def test_a_hub_that_is_gone_takes_its_links_along(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    game.go("s1.t4.axis.move")
    game.do(SetUpHub(ITALY, "one", ("tripoli_italy",)), SetUpHub(ITALY, "two", ("mobile_1",)))
    assert "mobile_2" in network(game.state, "axis").supplied
    game.do(RemoveHub("mobile_1"))
    assert "mobile_2" not in network(game.state, "axis").supplied
    game.refuse(RemoveHub("mobile_1"), "unknown_hub")
    game.refuse(SetUpHub(ITALY, "x", ("paris",)), "unknown_hub", "paris")
    game.refuse(SetUpHub(XXX, "x", ()), "not_now", "This side acts now: axis")
    game.refuse(WatchGroup(ITALY, "x", ("paris",)), "unknown_hub")
    game.refuse(WatchGroup(ITALY, "x", ("gazala", "gazala")), "bad_value")
    game.refuse(ForgetGroup("group_9"), "bad_value")
    game.go("s1.t4.axis.resolve")
    game.refuse(SetUpHub(ITALY, "x", ()), "not_now", "before battles")


def test_suspended_in_the_siege_of_tobruk_and_unknown_elsewhere(ledger_game: Callable[..., Any]) -> None:
    for scenario in ("tobruk41", "apr43"):
        game = ledger_game(scenario)
        game.refuse(WatchGroup(GERMANY, "Tank"), "not_in_scenario")

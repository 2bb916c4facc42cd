"""National Support: dealing, saving, spending, upgrades and unique units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.core.ids import ARBITER, Nation
from companion.games.sfw.rules.support import (
    CorrectSupport,
    DiscardCard,
    PlayCard,
    active_units_of,
    lasting,
    unit_table_of,
)

US, GB, GERMANY, ITALY = (Nation(name) for name in ("us", "gb", "germany", "italy"))
MOUNTAIN = {
    "id": "mountain_infantry", "name": "Mountain Infantry", "base": "infantry", "nation": "italy",
    "add_battle_steps": [4],
}  # fmt: skip


def hand(game: Any, nation: str) -> tuple[int, int, int]:
    held = game.state.game["support"].hands[nation]
    return held.tokens, held.cards, held.discarded


def test_each_nation_gets_two_tokens_and_two_cards_when_its_side_begins(
    ledger_game: Callable[..., Any],
) -> None:
    game = ledger_game("apr43")
    game.go("s3.ns.allies.draw")
    assert hand(game, "us") == hand(game, "gb") == (2, 2, 0)
    assert hand(game, "germany") == (0, 0, 0)
    game.go("s3.ns.axis.draw")
    assert hand(game, "germany") == (2, 2, 0)
    game.go("s4.ns.axis.draw")
    assert hand(game, "germany") == (4, 4, 0)  # saved
    assert hand(game, "us") == (2, 2, 0)  # not before its own side's turn


def test_both_sides_at_once_are_dealt_at_once(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43", {"together": True})
    game.go("s3.ns.both.draw")
    assert all(hand(game, nation) == (2, 2, 0) for nation in ("us", "gb", "germany", "italy"))


def test_going_back_deals_nothing_twice(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.ns.allies.play")
    game.jump("s3.ns.allies.draw")
    assert hand(game, "us") == (2, 2, 0)


def test_tokens_are_spent_and_cards_played(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.refuse(PlayCard(US, "Lend-Lease", "strategy", 1), "not_now")
    game.go("s3.ns.allies.play")
    game.do(PlayCard(US, "Lend-Lease", "strategy", 1, is_lasting=False, note="Land +2 at Algiers"))
    assert hand(game, "us") == (1, 1, 1)
    assert lasting(game.state.game["support"]) == ()
    game.refuse(PlayCard(US, "Big Push", "event", 2), "no_tokens", "us has 1 token; the card costs 2")
    game.refuse(PlayCard(GERMANY, "Tiger", "event", 0), "not_your_act", "This side acts now: allies")
    game.do(PlayCard(US, "Watch", "strategy", 1))
    assert [play.name for play in lasting(game.state.game["support"], "us")] == ["Watch"]
    game.refuse(PlayCard(US, "More", "strategy", 0), "no_card")
    game.refuse(DiscardCard(US), "no_card", "no card in hand")
    game.do(DiscardCard(US, "Watch"))
    assert hand(game, "us") == (0, 0, 2)
    game.refuse(DiscardCard(US, "Watch"), "no_card", "not in force")
    game.do(DiscardCard(GB))
    assert hand(game, "gb") == (2, 1, 1)


def test_cards_that_the_scenario_removes_cannot_be_played(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.ns.axis.play")
    game.refuse(PlayCard(GERMANY, "rommel arrives", "event", 1), "removed", "out of the deck")
    game = ledger_game("nov42")
    game.go("s1.ns.axis.play")
    game.do(PlayCard(GERMANY, "Rommel Arrives", "event", 1))


def test_an_upgrade_counts_for_every_unit_table_from_then_on(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.ns.axis.play")
    game.refuse(PlayCard(ITALY, "Alpini", "upgrade", 1), "bad_card", "Enter the unit of the card")
    game.refuse(
        PlayCard(ITALY, "Alpini", "upgrade", 1, unit={**MOUNTAIN, "base": "mule"}), "bad_card", "mule"
    )
    game.refuse(PlayCard(GERMANY, "Alpini", "upgrade", 1, unit=MOUNTAIN), "bad_card", "belongs to germany")
    game.refuse(PlayCard(ITALY, "Alpini", "event", 1, unit=MOUNTAIN), "bad_card", "Only upgrades")
    game.do(PlayCard(ITALY, "Alpini", "upgrade", 1, unit=MOUNTAIN))
    spec = unit_table_of(game.state).units["mountain_infantry"]
    assert spec.battle_steps == (4, 6)
    game.refuse(
        PlayCard(ITALY, "Alpini II", "upgrade", 1, unit={**MOUNTAIN, "id": "alpini2", "name": "Alpini II"}),
        "upgraded", "once per game",
    )  # fmt: skip
    game.refuse(DiscardCard(ITALY, "Alpini"), "played", "rest of the game")
    step = next(s for s in game.state.itinerary if s.id == "s4.t4.axis.move")
    assert "mountain_infantry" in active_units_of(game.state, step)
    allied = next(s for s in game.state.itinerary if s.id == "s4.t4.allies.move")
    assert "mountain_infantry" not in active_units_of(game.state, allied)


def test_a_known_deck_runs_out(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.enter({"deck.us": 3})
    game.go("s5.ns.allies.draw")
    assert hand(game, "us") == (6, 3, 0)
    assert hand(game, "gb") == (6, 6, 0)


def test_a_side_out_of_time_gets_nothing_in_that_stage(ledger_game: Callable[..., Any]) -> None:
    from companion.core.commands import AcknowledgeFlag

    game = ledger_game("apr43", {"tournament": True})
    game.next(confirmed=True)
    game.next()
    game.desk.advance(200 * 60_000)
    game.do(AcknowledgeFlag("allies", game.state.step.id, game.desk.now_ms()))
    while game.state.step.stage == 3:
        game.next(confirmed=True)
    assert hand(game, "us") == (0, 0, 0)
    assert hand(game, "germany") == (2, 2, 0)


def test_hands_can_be_corrected(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43", {"tournament": True})
    game.refuse(CorrectSupport(US, 3, 4), "arbiter_only")
    game.do(CorrectSupport(US, 3, 4), actor=ARBITER)
    assert hand(game, "us") == (3, 4, 0)
    game.refuse(CorrectSupport(US, -1, 4), "bad_value", actor=ARBITER)


def test_operations_and_the_commander_game_have_none(ledger_game: Callable[..., Any]) -> None:
    for game in (ledger_game("italy"), ledger_game("apr43", {"commander": True})):
        game.refuse(PlayCard(US, "X", "event", 0), "no_support")

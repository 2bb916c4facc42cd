"""Totals always balance, whatever is sent: points of both sides, tokens, baskets; and the log folds to the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.core.codec import Codec
from companion.core.commands import Command, Redo, Undo
from companion.core.history import Timeline
from companion.core.ids import Nation
from companion.games.sfw.rules import resupply_record as rs
from companion.games.sfw.rules import resupply_values as rv
from companion.games.sfw.rules.control import CorrectControl, SetTotals, TakeControl, totals, totals_line
from companion.games.sfw.rules.game_rules import sfw96_rules
from companion.games.sfw.rules.ledger import TYPES
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.support import PlayCard
from companion.games.sfw.rules.tokens import PlaceToken, RemoveToken, reserve

NATIONS = st.sampled_from(["us", "gb", "germany", "italy"]).map(Nation)
SITES = st.sampled_from(["tunis", "algiers", "rome", "bone", "tripoli", "us_fleet", "malta"])
KINDS = st.sampled_from(TYPES)
UNITS = st.sampled_from(
    ["infantry", "tank", "fighter", "heavy_bomber", "destroyer", "sea_transport", "carrier"]
)
COUNTS = st.integers(-3, 12)

COMMANDS: st.SearchStrategy[Command | str] = st.one_of(
    st.just("next"),
    st.just("next"),
    st.just("undo"),
    st.just("redo"),
    st.builds(
        TakeControl, SITES, NATIONS, st.dictionaries(NATIONS, st.integers(0, 3)),
        st.dictionaries(NATIONS, st.integers(0, 1)), st.booleans(),
    ),
    st.builds(CorrectControl, SITES, NATIONS),
    st.builds(lambda q: SetTotals({"allies": q, "axis": 312 - q}), st.integers(0, 312)),
    st.builds(rs.ChooseResupply, NATIONS, KINDS, SITES),
    st.builds(rs.Purchase, NATIONS, KINDS, UNITS, COUNTS),
    st.builds(rs.Place, NATIONS, KINDS, st.sampled_from(["", "E5"]), st.booleans(), st.integers(0, 2)),
    st.builds(rs.ReportCondition, SITES, st.sampled_from(["contested", "blockade", "sea_space"]), st.booleans()),
    st.builds(rs.RecordBombing, SITES, st.integers(0, 6)),
    st.builds(
        lambda lane, a, b: rs.EnterLane(lane, {"allies": a, "axis": b}),
        st.sampled_from("12345"), st.integers(0, 5), st.integers(0, 5),
    ),
    st.builds(rs.CutLane, st.sampled_from("12345"), SITES),
    st.builds(rs.RecordCardEffect, SITES, st.dictionaries(KINDS, st.integers(-5, 5)), st.just("Card")),
    st.builds(rs.SetReserve, NATIONS, UNITS, st.integers(0, 9)),
    st.builds(PlaceToken, NATIONS, st.sampled_from(["mine", "line"]), SITES, st.sampled_from(["", "E5"])),
    st.builds(RemoveToken, st.integers(1, 8)),
    st.builds(PlayCard, NATIONS, st.text("abc", max_size=2), st.just("event"), st.integers(0, 3), st.booleans()),
)  # fmt: skip


def check(game: Any) -> None:
    state = game.state
    table = tables(state)
    for _, points in totals_line(state):
        assert sum(points.quarters.values()) == table.total == 312
    assert min(totals(state).quarters.values()) >= 0 or totals(state).is_by_hand
    for info in state.frozen_setup.nations:
        count = reserve(state, info.id)
        assert count.used + count.left == 6
        assert count.left >= 0
        hand = state.game["support"].hands[info.id]
        assert min(hand.tokens, hand.cards, hand.discarded) >= 0
        for kind in TYPES:
            spent = rv.budget(state, info.id, kind)
            if spent is not None and rs.slot(info.id, kind) not in state.game["resupply"].placed:
                assert 0 <= spent.spent <= spent.limit
    assert all(left >= 0 for left in state.game["resupply"].reserve.values())


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    start=st.sampled_from(["s3.t2.allies.move", "s3.t4.axis.move", "s3.ns.allies.play", "s3.r.allies.lanes"]),
    sent=st.lists(COMMANDS, max_size=60),
)
def test_totals_balance_whatever_is_sent(
    ledger_game: Callable[..., Any], start: str, sent: list[Command | str]
) -> None:
    game = ledger_game("apr43")
    game.enter_tiles()
    for site in ("tunis", "algiers", "rome", "tripoli"):
        game.enter({f"resupply.theater.{site}.{kind}": 11 for kind in TYPES})
    for site, nation in (("tunis", "germany"), ("algiers", "us"), ("rome", "italy"), ("tripoli", "gb")):
        game.enter({f"holder.apr43.{site}": nation})
    game.jump(start)
    for item in sent:
        match item:
            case "next":
                game.send(game.end(confirmed=True))
            case "undo":
                game.send(Undo(game.desk.now_ms() + 1, confirmed=True))
            case "redo":
                game.send(Redo(game.desk.now_ms() + 1))
            case _:
                game.send(item)
        check(game)
        if game.state.ending is not None:
            break
    rules = sfw96_rules()
    codec = Codec(rules)
    stored = game.desk.entries()
    for entry in stored:
        assert codec.decode_command(codec.encode_command(entry.command)) == entry.command
        assert codec.decode_events(codec.encode_events(entry.events)) == entry.events
    assert Timeline(rules, stored).state == game.state

"""A card that two lay face down by the table's error: what happens to the one says nothing of the other and does it no harm."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from companion.core.codec import Codec
from companion.core.commands import EndAct
from companion.core.ids import Side
from companion.core.secrecy import Happened
from companion.core.text import Say, side
from companion.core.text import card as named
from companion.games.med.log import LOG
from companion.games.med.pages.storms import invalid_tool
from companion.games.med.pages.table import open_cards, table_rows
from companion.games.med.rules import commands as cm
from companion.games.med.rules.engagement import Engagement, Play, Removed
from companion.games.med.rules.game_rules import RULES, MedPart
from companion.games.med.rules.outcome import destinies, destroyed, fighters
from companion.games.med.rules.secrets import SECRETS
from companion.games.med.rules.slice import known_cards, open_part, seen_by
from companion.pages.page import Send
from tests.games.med.table import Table, battle, bonus, force
from tests.games.med.test_med_play import STORMS

P1, P2, P3 = Side("p1"), Side("p2"), Side("p3")


def in_second_round(*more: Any) -> Table:
    """Three have played in the open; the first is to lay face down."""
    cards = (*(force(f"A{n:02}", 0, n, 0) for n in range(1, 7)), bonus("A20", 0, 3, 0), *STORMS, *more)
    table = Table(battle(), *cards)
    table.turn_over("O02")
    for number in ("A01", "A02", "A03"):
        table.play("allies", number)
    table.to("play_hidden")
    return table


def now(table: Table) -> Engagement:
    assert table.own.engagement is not None
    return table.own.engagement


def turned_over(*lays: tuple[str, ...]) -> Table:
    table = in_second_round()
    for cards in lays:
        table.play("allies", *cards)
    table.to("reveal")
    return table


def test_what_cancels_a_players_part_leaves_the_same_card_of_another() -> None:
    table = in_second_round()
    table.play("allies", "A05", "A20")
    table.lay("allies", "A05", "S01")
    table.do(cm.UseEffect(table.state.step.id, "sirocco", (1,), P1))
    gone = [(one.card, one.of) for one in now(table).removed]
    assert gone == [("A05", P1), ("A20", P1)]
    assert now(table).holders("A05") == (P2,)
    for player in (P2, P3, None):
        assert [one.card for one in seen_by(table.state, now(table), player).removed] == []
    assert [one.card for one in seen_by(table.state, now(table), P1).removed] == ["A05", "A20"]
    table.next()
    table.play("allies", "A06")
    table.to("trick")  # only one of the two lies there: nothing is to be asked
    assert [(one.player, one.card) for one in fighters(now(table), known_cards(table.state))] == [
        (P1, "A01"),
        (P2, "A02"),
        (P3, "A03"),
        (P2, "A05"),
        (P3, "A06"),
    ]


def test_a_card_laid_after_the_same_was_taken_from_another_counts() -> None:
    """It was not there yet when the other's part was cancelled, and nobody may learn that it was."""
    table = in_second_round()
    table.lay("allies", "A05", "S01")
    table.do(cm.UseEffect(table.state.step.id, "sirocco", (1,), P1))
    table.next()
    table.play("allies", "A05")
    assert now(table).holders("A05") == (P2,)


def test_turned_over_the_table_says_whose_is_invalid() -> None:
    table = turned_over(("A05",), ("A05", "A20"), ("A06",))
    assert "A05 was laid by p1 and by p2" in str(
        table.refusal(EndAct(table.state.step.id, table.now_ms)).detail
    )
    assert open_cards(table.state, now(table)).count("A05") == 1
    tool = invalid_tool(table.state, now(table))
    assert tool is not None
    ask: Any = tool[2]
    options = ask.form.fields[0].options
    assert [str(one.title) for one in options][3:5] == ["A05, p1", "A05, p2"]
    acts = [ask.answered({ask.form.fields[0].key: one.key}) for one in options]
    assert [one for one in acts if isinstance(one, Send)] == acts
    commands = [one.command for one in acts]
    assert commands[3:] == [
        cm.DropInvalid("A05", P1),
        cm.DropInvalid("A05", P2),
        cm.DropInvalid("A20"),
        cm.DropInvalid("A06"),
    ]
    assert str(LOG[cm.DropInvalid](commands[4], table.state)) == "Invalid: A05, p2"
    table.do(commands[4])
    assert [(one.card, one.of) for one in now(table).removed] == [("A05", P2), ("A20", P2)]
    rows = {row.key: (row.sub, row.value) for row in table_rows(table.state, now(table))}
    assert [rows[f"play.{n}"][1] for n in range(3, 6)] == [5, None, 6], "its value is its owner's alone"
    assert "out:" not in str(rows["play.3"][0])
    assert "out:" in str(rows["play.4"][0])
    table.next()
    assert table.state.step.act == "trick"


def test_a_card_that_lies_twice_is_no_target_before_it_is_settled() -> None:
    table = turned_over(("A05", "A20"), ("A06", "A20"), ("A04",))
    step = table.state.step.id
    for command in (cm.LayStorm(step, P3, "S04", "A20"), cm.UseEffect(step, "lost", card="A20")):
        refused = table.attempt(command)
        assert refused is not None
    told = Say(
        "{card} was laid by {one} and by {other}. Undo and enter it again, or take it out as invalid.",
        card=named("A20"),
        one=side(P1),
        other=side(P2),
    )
    assert table.refusal(cm.LayStorm(step, P3, "S04", "A20")).detail == told
    table.do(cm.DropInvalid("A20", P1))
    table.do(cm.LayStorm(step, P3, "S04", "A20"))
    assert now(table).holders("A20") == ()
    assert now(table).removed[-1] == Removed("A20", "lost", P3, "S04", P2)


def test_bomb_alley_doubles_the_card_of_the_play_that_it_lies_in() -> None:
    engagement = replace(
        now(in_second_round()),
        plays=(
            Play(P1, 2, "allies", ("A05", "S06"), bomb_alley_on="A05"),
            Play(P2, 2, "allies", ("A05",)),
        ),
    )
    cards = known_cards(in_second_round().state)
    assert [one.bomb_alley for one in fighters(engagement, cards)] == [True, False]
    out = replace(engagement, removed=(Removed("A05", "invalid", of=P1),))
    assert [(one.player, one.bomb_alley) for one in fighters(out, cards)] == [(P2, False)]


def test_what_a_bomb_alley_lies_on_is_hidden_with_it_from_who_holds_the_same_card() -> None:
    table = in_second_round()
    table.play("allies", "A05")
    cover = next(one for one in SECRETS.held if one.key == "face_down").cover
    assert cover is not None
    shown = []
    for number in ("A05", "A06"):
        laid = Play(P2, 2, "allies", (number, "S06"), bomb_alley_on=number)
        command = cm.PlayHand(table.state.step.id, "allies", laid.cards, bomb_alley_on=number)
        shown.append(cover(Happened(command, (cm.PlayMade(laid),)), table.state, frozenset({P1})))
    assert shown[0] == shown[1]
    on_open = Play(P2, 2, "allies", ("A06", "S06"), bomb_alley_on="A01")
    assert open_part(table.state, on_open).bomb_alley_on == "A01"


def test_a_victim_comes_back_only_where_the_very_card_that_struck_it_was_invalid() -> None:
    table = in_second_round(force("X07", 0, 1, 0, victim="A01"))
    cards = known_cards(table.state)
    made = replace(
        now(table),
        plays=(
            Play(P1, 1, "allies", ("A01", "A20")),
            Play(P2, 2, "axis", ("X07",)),
            Play(P3, 2, "axis", ("X07",)),
        ),
        removed=(Removed("X07", "invalid", of=P3),),
    )
    struck = destinies(made, cards)
    assert [(one.card, one.of, one.cause_of) for one in struck] == [("A01", P1, P2), ("A20", P1, P2)]
    made = replace(made, removed=(*made.removed, *struck))
    assert made.lying() == ("X07",)
    assert [(one.player, one.of) for one in destroyed(made, cards)] == [(P2, P1)]
    made = replace(made, removed=(*made.removed, Removed("X07", "invalid", of=P2)))
    assert made.lying() == ("A01", "A20")


def test_an_older_log_that_does_not_say_whose_means_whoevers() -> None:
    """Its events stay byte for byte as they are, and do what they did."""
    table = in_second_round()
    table.play("allies", "A05")
    table.play("allies", "A05")
    codec = Codec(RULES)
    stored = (
        b'[{"type":"EffectUsed","effect":"invalid","by":"p1","removed":[{"card":"A05","why":"invalid"}]},'
        b'{"type":"EffectUsed","effect":"sirocco","by":"p2","dice":[1],"removed":[{"card":"A01","why":"sirocco","by":"p2",'
        b'"cause":"S01"}],"barred":{"player":"p1","round":0},"card":"S01"}]'
    )
    events = codec.decode_events(stored)
    assert codec.encode_events(events) == stored
    own = table.own
    for event in events:
        own = MedPart().evolve(own, event, table.state)
    assert own.engagement is not None
    assert own.engagement.lying() == ("A02", "A03")
    sent = b'{"type":"DropInvalid","card":"A05"}'
    assert codec.encode_command(codec.decode_command(sent)) == sent
    table.to("reveal")
    table.do(cm.DiscardHand(table.state.step.id, "bluff", P3))
    table.do(cm.DropInvalid("A05"))
    assert now(table).holders("A05") == ()

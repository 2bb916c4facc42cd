"""What taps on the Engagement screen lead to: Storm cards at any time, targets, bluffs, prizes, names, totals."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from companion.core.commands import EndAct, EnterPrintedValue
from companion.games.med.pages.card import OTHER, form_for, name_choices
from companion.games.med.pages.draft import Ask, Draft, MedRow, MedView
from companion.games.med.pages.engagement import med_view
from companion.games.med.pages.piles import piles_page
from companion.games.med.pages.taps import answered, card_entered, chosen, tapped
from companion.games.med.rules.cards import Card, printed_key
from companion.games.med.rules.commands import DiscardHand, LayStorm, PlayHand, TakeTrick, TurnOver
from companion.games.med.rules.slice import slice_of
from companion.pages.labels import refusal
from companion.pages.modules import game_view
from companion.pages.plots import score_lines
from companion.testing.reading import read
from tests.pages.test_med import Evening

MORE = (
    Card("O02", "operation", years=(1941,), victory_points=1, operation="battle", freighter="none"),
    Card("O03", "operation", years=(1941,), victory_points=2, operation="convoy", freighter="none"),
    Card("A02", "force", "Warspite", (0, 4, 0), (1941,), 3, "surface"),
    Card("A20", "bonus", values=(0, 2, 0), frame="surface"),
    Card("X02", "force", values=(0, 5, 0), years=(1941,), victory_points=2, victim="Rodney"),
    Card("X09", "force", values=(0, 6, 0), years=(1943,), victory_points=2),
)


def evening(**options: object) -> Evening:
    made = Evening(**options)
    for card in MORE:
        made.desk.send(EnterPrintedValue(printed_key(card.number), msgspec.to_builtins(card)))
    return made


def opened(operation: str = "O03", **options: object) -> Evening:
    made = evening(**options)
    made.do(TurnOver(made.state.step.id, operation, ("surface",)))
    made.next()
    return made


def view(made: Evening, draft: Draft | None = None) -> MedView:
    return med_view(made.change, draft or Draft(key=made.state.step.id))


def act(shown: MedView, key: str) -> MedRow:
    return next(one for row in shown.rows for one in (row, *row.acts) if one.key == key)


def test_a_storm_card_is_laid_by_anybody_in_three_answers() -> None:
    made = opened()
    made.do(PlayHand(made.state.step.id, "allies", ("A02", "A20")))
    draft = Draft(key=made.state.step.id)
    which = tapped(made.state, draft, act(view(made), "storm"))
    assert isinstance(which, Ask)
    assert [key for key, _text in which.options] == ["S01", "S02", "S03", "S04", "S06", "S07"]
    who = answered(made.state, draft, which, "S04", 0)
    assert isinstance(who, Ask)
    assert who.title == "S04 Lost: who lays it?"
    on = answered(made.state, draft, who, "p2", 0)
    assert isinstance(on, Ask)
    assert [key for key, _text in on.options] == ["A20"]
    commands = answered(made.state, draft, on, "A20", 0)
    assert isinstance(commands, tuple)
    remembered, lay = commands
    assert isinstance(remembered, EnterPrintedValue)
    assert lay == LayStorm(made.state.step.id, "p2", "S04", "A20")
    for command in commands:
        made.do(command)
    shown = view(made)
    assert any("out: A20 (Lost)" in row.sub for row in shown.rows)
    assert shown.tally is not None
    assert (shown.tally.allies, shown.tally.axis, shown.tally.leader) == ("4", "0", "allies")


def test_a_sirocco_is_its_own_players_and_asks_nobody() -> None:
    made = opened()
    draft = Draft(key=made.state.step.id)
    which = tapped(made.state, draft, act(view(made), "storm"))
    assert isinstance(which, Ask)
    commands = answered(made.state, draft, which, "S01", 0)
    assert isinstance(commands, tuple)
    assert commands[1] == LayStorm(made.state.step.id, "p1", "S01")


def test_a_target_that_no_card_answers_to_is_pointed_at_once() -> None:
    made = opened()
    made.do(PlayHand(made.state.step.id, "allies", ("A02",)))
    made.next()
    draft = card_entered(made.state, Draft(key=made.state.step.id), "X02")
    row = act(view(made, draft), "X02")
    question = next(r for r in view(made, draft).rows if r.act == "target")
    assert question.text == "Target of X02: Rodney"
    ask = tapped(made.state, draft, question)
    assert isinstance(ask, Ask)
    assert ("A02", "A02 Warspite") in ask.options
    assert answered(made.state, draft, ask, "", 0) is None
    remembered = answered(made.state, draft, ask, "A02", 0)
    assert isinstance(remembered, EnterPrintedValue)
    made.do(remembered)
    assert row.act == "card"
    shown = view(made, draft)
    assert not any(r.act == "target" for r in shown.rows)
    struck = act(shown, "struck.A02")
    assert (struck.text, struck.sub) == ("X02 destroys A02 Warspite", "Victim of Destiny")


def test_names_are_chosen_where_they_are_known() -> None:
    made = opened()
    target = name_choices(made.state, form_for("X30"), "victim")
    assert target == (("Warspite", "Warspite"), ("", "None"), (OTHER, "Type a name"))
    name = name_choices(made.state, form_for("A30"), "name")
    assert name[0] == ("Rodney", "Rodney")


def test_a_new_card_of_an_open_play_fits_the_operations_year() -> None:
    made = opened()
    draft = card_entered(made.state, Draft(key=made.state.step.id), "A31")
    assert draft.form is not None
    assert draft.form.years == (1941,)
    shown = view(made, draft)
    assert (shown.main_text, shown.is_main_ready) == ("Enter the three values", False)


def test_at_the_reveal_a_bluff_is_one_tap_and_invalid_cards_say_why_they_drop_out() -> None:
    made = opened("O02")
    made.do(PlayHand(made.state.step.id, "allies", ("A02",)))
    made.next()
    made.do(PlayHand(made.state.step.id, "axis", ("X01",)))
    for _act in range(4):
        made.next()
    assert made.state.step.act == "reveal"
    held = made.desk
    held.send(EndAct(made.state.step.id, made.desk.now_ms()))
    assert refusal(made.change.rejected) == "Enter the face-down cards first."
    bluff = act(view(made), "bluff")
    assert bluff.command == DiscardHand(made.state.step.id, "bluff", "p1")
    made.do(bluff.command)
    draft = card_entered(made.state, Draft(key=made.state.step.id), "A01")
    shown = view(made, draft)
    assert shown.note == "Drops out: A01. This player has already taken a side: Axis."
    assert shown.is_main_ready
    assert shown.main_command is not None
    made.do(shown.main_command)
    assert slice_of(made.state).engagement.removed[0].card == "A01"  # type: ignore[union-attr]


def test_winners_share_by_choices_beside_each_prize() -> None:
    made = opened(players=3, names=["Anna", "Ben", "Cleo"], advanced=True)
    for side, cards in (("allies", ("A02",)), ("axis", ("X01",)), ("axis", ("X02",))):
        made.do(PlayHand(made.state.step.id, side, cards))
        made.next()
    shown = view(made)
    assert shown.note == "Cleo shares the prizes out"
    rows = [row for row in shown.rows if row.key.startswith("share.")]
    assert [row.key for row in rows] == ["share.O03", "share.A02"]
    draft = Draft(key=made.state.step.id)
    for row, to in zip(rows, ("p2", "p3"), strict=True):
        draft = chosen(draft, row, to)
    command = view(made, draft).main_command
    assert isinstance(command, TakeTrick)
    assert command.shares == {"p3": ("A02",), "p2": ("O03",)}
    made.do(command)


def test_points_are_drawn_and_counted_only_as_far_as_they_lie_open() -> None:
    made = opened(series="points", goal=50, operations=1)
    made.do(PlayHand(made.state.step.id, "allies", ("A02",)))
    made.next()
    made.do(PlayHand(made.state.step.id, "axis", ("X01",)))
    made.next()
    made.next()
    for _player in range(2):
        made.do(DiscardHand(made.state.step.id, "one"))
        made.next()
    made.do(TakeTrick(made.state.step.id))
    lines = game_view("med").score_series((), made.state)
    assert [line.points for line in lines] == [((0.0, 0.0), (1.0, 2.0)), ((0.0, 0.0), (1.0, 0.0))]
    assert score_lines((), made.state) is not None
    made.next()
    made.next()
    assert made.state.step.act == "count"
    lines = game_view("med").score_series((), made.state)
    assert lines[0].points[-1] == (1.0, 6.0)
    shown = read(piles_page, made.change)
    assert shown.say(shown.page.title) == "Ranking"
    assert [(shown.say(row.title), row.value) for row in shown.items] == [("1. Anna", 6), ("2. Ben", 0)]
    made.next()
    assert read(piles_page, made.change).lead == "Game 2, series to 50; before it: Anna 6, Ben 0"


def test_an_operation_put_away_needs_no_form() -> None:
    made = evening(advanced=True)
    draft = replace(Draft(key=made.state.step.id), operation="O03", is_second=True)
    after = card_entered(made.state, draft, "O44")
    assert (after.put_away, after.form) == ("O44", None)

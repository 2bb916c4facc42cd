"""What taps on the Engagement screen lead to: Storm cards at any time, targets, bluffs, prizes, names, totals."""

from __future__ import annotations

import msgspec

from companion.core.commands import EndAct, EnterPrintedValue
from companion.games.med.pages.card import ask_name, blank
from companion.games.med.pages.draft import MedDraft
from companion.games.med.pages.piles import piles_page
from companion.games.med.pages.ranking import ranking_page
from companion.games.med.rules.cards import Card, printed_key
from companion.games.med.rules.commands import DiscardHand, LayStorm, PlayHand, TakeTrick, TurnOver
from companion.games.med.rules.slice import slice_of
from companion.pages import page as pg
from companion.pages.labels import refusal
from companion.pages.modules import game_view
from companion.pages.page import Notice, Split
from companion.pages.plots import score_lines
from companion.testing.reading import dangling, read
from tests.pages.test_med import Evening, page, sent

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
    other = "O44" if options.get("advanced") else ""
    made.do(TurnOver(made.state.step.id, operation, ("surface",), other))
    made.next()
    return made


def test_a_storm_card_is_laid_by_anybody_in_three_answers() -> None:
    made = opened()
    made.do(PlayHand(made.state.step.id, "allies", ("A02", "A20")))
    shown = page(made)
    assert dangling(shown.shown) == []
    which = shown.act_of("storm")
    assert [option.key for option in which.form.fields[0].options] == [
        "S01",
        "S02",
        "S03",
        "S04",
        "S06",
        "S07",
    ]
    who = which.answered({"one": "S04"})
    assert shown.say(who.form.title) == "S04 Lost: who plays it?"
    on = who.answered({"one": "p2"})
    assert shown.options(on) == ["A20"]
    remembered = on.answered({"one": "0"})
    lay = sent(remembered.then)
    assert isinstance(sent(remembered), EnterPrintedValue)
    assert lay == LayStorm(made.state.step.id, "p2", "S04", "A20")
    for command in (sent(remembered), lay):
        made.do(command)
    shown = page(made)
    assert any("out: A20 (Lost)" in shown.say(item.sub) for item in shown.items)
    totals = shown.page.blocks[0]
    assert isinstance(totals, Split)
    assert [part.title for part in totals.parts] == [4, 0]


def test_a_sirocco_is_its_own_players_and_asks_nobody() -> None:
    made = opened()
    act = page(made).act_of("storm").answered({"one": "S01"})
    assert sent(act.then) == LayStorm(made.state.step.id, "p1", "S01")


def test_a_target_that_no_card_answers_to_is_pointed_at_once() -> None:
    made = opened()
    made.do(PlayHand(made.state.step.id, "allies", ("A02",)))
    made.next()
    draft = page(made, MedDraft(number="X0")).change("key.2")
    assert draft.cards == ("X02",)
    shown = page(made, draft)
    ask = shown.act("Target of X02: Rodney")
    assert isinstance(ask, pg.Ask)
    assert shown.options(ask) == ["A02 Warspite", "O03", "It is not here"]
    none = ask.answered({"one": "2"})
    assert isinstance(none, pg.Draft)
    assert none.change(draft) == draft
    remembered = sent(ask.answered({"one": "0"}))
    assert isinstance(remembered, EnterPrintedValue)
    made.do(remembered)
    shown = page(made, draft)
    assert not any(text.startswith("Target of") for text in shown.texts)
    assert shown.sub("X02 destroys A02 Warspite") == "Victim of Destiny"


def test_names_are_chosen_where_they_are_known() -> None:
    made = opened()
    shown = page(made)
    assert shown.options(ask_name(made.state, blank("X30"), "victim")) == ["Warspite", "None", "Type a name"]
    ask = ask_name(made.state, blank("A30"), "name")
    assert shown.options(ask)[0] == "Rodney"
    named = ask.answered({"one": "0"})
    assert isinstance(named, pg.Draft)
    assert named.change(MedDraft(form=blank("A30"))).form.name == "Rodney"
    other = ask.answered({"one": "2"})
    assert isinstance(other, pg.Ask)
    typed = other.answered({"name": " Ajax "})
    assert isinstance(typed, pg.Draft)
    assert typed.change(MedDraft(form=blank("A30"))).form.name == "Ajax"


def test_a_new_card_of_an_open_play_fits_the_operations_year() -> None:
    made = opened()
    draft = page(made, MedDraft(number="A3")).change("key.1")
    assert draft.form is not None
    assert draft.form.years == (1941,)
    shown = page(made, draft)
    assert (shown.main, shown.main_act) == ("Enter the three values", None)


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
    bluff = page(made).command("bluff")
    assert bluff == DiscardHand(made.state.step.id, "bluff", "p1")
    made.do(bluff)
    draft = page(made, MedDraft(number="A0")).change("key.1")
    shown = page(made, draft)
    note = shown.page.blocks[0]
    assert isinstance(note, Notice)
    assert shown.say(note.title) == "Drops out: A01. This player has already chosen a side: Axis."
    made.do(sent(shown.main_act))
    assert slice_of(made.state).engagement.removed[0].card == "A01"  # type: ignore[union-attr]


def test_what_lies_face_down_is_told_by_no_key_and_kept_in_no_draft() -> None:
    made = opened("O02")
    made.do(PlayHand(made.state.step.id, "allies", ("A02",)))
    made.next()
    made.do(PlayHand(made.state.step.id, "axis", ("X01",)))
    made.next()
    while made.state.step.act != "play_hidden":
        made.next()
    shown = page(made, MedDraft(cards=("A01",)))
    lay = shown.main_act
    assert isinstance(lay, pg.Send)
    assert isinstance(lay.then, pg.Draft)
    assert lay.then.change(MedDraft(cards=("A01",))) == MedDraft()
    assert isinstance(lay.then.then, pg.EndAct)
    made.do(sent(lay))
    made.next()
    after = page(made)
    assert after.sub("Anna, Allies") == "A02 Warspite"
    assert any(after.say(item.sub) == "Face down" for item in after.items)
    told = msgspec.json.encode(
        [after.say(item.title) + item.key + after.say(item.sub) for item in after.items]
    )
    assert b"A01" not in told
    assert "A01" not in " ".join(map(str, after.shown.acts))
    assert after.options(after.act_of("storm")) != []


def test_a_card_whose_print_was_taken_back_is_no_longer_entered() -> None:
    made = opened()
    shown = page(made, MedDraft(cards=("A77", "A02"), admiral="two"))
    assert shown.item("A02 Warspite").key == "card.0"
    assert shown.command("lay").cards == ("A02",)


def test_winners_share_by_choices_beside_each_prize() -> None:
    made = opened(players=3, names=["Anna", "Ben", "Cleo"], advanced=True)
    for side, cards in (("allies", ("A02",)), ("axis", ("X01",)), ("axis", ("X02",))):
        made.do(PlayHand(made.state.step.id, side, cards))
        made.next()
    shown = page(made)
    assert shown.main == "Cleo shares out the prizes"
    rows = [item for item in shown.items if item.key.startswith("share.")]
    assert [shown.say(row.title) for row in rows] == ["O03, 2 VP", "A02 Warspite, 3 VP"]
    draft = MedDraft()
    for row, to in zip(rows, ("p2", "p3"), strict=True):
        draft = page(made, draft).change(f"{row.key}.{to}")
    command = sent(page(made, draft).main_act)
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
    lines = game_view("med").score_series(made.state)
    assert [line.points for line in lines] == [((0.0, 0.0), (1.0, 2.0)), ((0.0, 0.0), (1.0, 0.0))]
    assert score_lines(made.state) is not None
    made.next()
    made.next()
    assert made.state.step.act == "count"
    lines = game_view("med").score_series(made.state)
    assert lines[0].points[-1] == (1.0, 6.0)
    shown = read(ranking_page, made.change)
    assert shown.say(shown.page.title) == "Ahead: Anna with 6"
    assert [shown.sub(name) for name in ("1.", "2.")] == [
        "1 Operation · 44 short of 50",
        "0 Operations · 6 behind · 50 short of 50",
    ]
    assert [(shown.say(row.title), row.value) for row in shown.items] == [("1. Anna", 6), ("2. Ben", 0)]
    made.next()
    assert read(piles_page, made.change).lead == "Game 2, series to 50; before it: Anna 6, Ben 0"


def test_an_operation_put_away_needs_no_form() -> None:
    made = evening(advanced=True)
    draft = MedDraft(operation="O03", is_second=True, number="O4")
    after = page(made, draft).change("key.4")
    assert (after.put_away, after.form) == ("O44", None)

"""North Africa's presenters without a window: printed values, screens to open, endings, the report."""

from __future__ import annotations

from typing import Any

from companion.core.change import Change
from companion.core.commands import EnterPrintedValue, JumpTo
from companion.core.ids import StepId
from companion.games.aana.pages.board import board_page
from companion.games.aana.pages.combat import combat_page
from companion.games.aana.pages.draft import CombatDraft
from companion.games.aana.pages.reinforce import reinforce_page
from companion.games.aana.pages.score import score_page
from companion.games.aana.pages.stages import throw
from companion.games.aana.pages.units import units_page
from companion.games.aana.rules.battle_messages import (
    AttackGroup,
    Conclude,
    DeclareAttack,
    GiveOrders,
    OpenCombat,
    RollFire,
)
from companion.games.aana.rules.fight import VolleyRoll
from companion.games.aana.rules.game_rules import aana_rules
from companion.games.aana.rules.ledger_messages import CountSpace
from companion.games.aana.rules.new_game import AanaFamily
from companion.games.aana.rules.victory import SetControl
from companion.pages.labels import entry_label
from companion.pages.modules import game_view
from companion.pages.page import Ask, Banner, Draft, Refuse, Send
from companion.pages.report import report_html
from companion.pages.score import ScoreDraft
from companion.pages.speak import speak
from companion.session.scenario_loader import load_game, make_setup
from companion.testing.memory_desk import MemoryDesk
from companion.testing.reading import Reading, read

LOADED = load_game(AanaFamily())


def desk(step: str = "", scenario: str = "rommel", **options: Any) -> MemoryDesk:
    made = MemoryDesk(make_setup(AanaFamily(), LOADED, scenario, options), aana_rules())
    if step:
        made.send(JumpTo(made.change.state.step.id, StepId(step), made.now_ms()))  # type: ignore[union-attr]
    return made


def change(made: MemoryDesk) -> Change:
    found = made.change
    assert found is not None
    return found


def test_every_unknown_figure_can_be_entered_and_no_stated_one() -> None:
    state = change(desk()).state
    keys = [row.key for row in game_view("aana").printed(state)]
    assert "unit.germany.tank.attack" in keys
    assert "unit.uk.battleship.cost" in keys
    assert "unit.uk.infantry.attack" not in keys
    assert {"base.germany", "rp.tunis", "bonus.mareth"} <= set(keys)
    assert len(keys) == len(set(keys))


def test_the_phase_leads_to_its_screen() -> None:
    view = game_view("aana")
    for step, screen in (
        ("r1.uk.convoys.advance", "aana_reinforce"),
        ("r1.uk.requisition.buy", "aana_reinforce"),
        ("r1.uk.combat_move.move", ""),
        ("r1.uk.combat_move.declare", "aana_combat"),
        ("r1.uk.combat.resolve", "aana_combat"),
        ("r1.uk.deploy.place", "aana_reinforce"),
    ):
        assert view.screen_for(change(desk(step)).state) == screen, step


def test_a_capture_of_cairo_is_told_with_its_level() -> None:
    made = desk()
    made.send(SetControl("cairo", "germany", made.now_ms()))
    assert game_view("aana").ending(change(made).state) == "Axis: Instant Total Victory."


def test_round_one_greets_nobody_with_a_victory_but_says_who_would_win() -> None:
    made = desk()
    state = change(made).state
    assert [score.text for score in game_view("aana").scores(state)] == ["1", "0"]
    standing = game_view("aana").standing(state)
    assert standing is not None
    assert speak(standing.now, state) == "If it ended now: not all markers are known yet"
    page = read(score_page, change(made), draft=ScoreDraft("list"))
    assert page.sub("Axis, Minor Victory: ") == "held: met"
    assert page.sub("Axis, Major Victory: ") == "not known: Whose control marker is on Tobruk?"
    assert page.say(page.page.second.title) == "2 markers are not known yet"
    note = read(score_page, change(made)).block("holders").note
    assert page.say(note) == "Axis have what they need\nJudged after round 14", "unknown is never short"


def test_the_score_names_a_level_in_the_last_round_only_and_counts_what_each_side_lacks() -> None:
    for step, title in (
        ("r13.us.deploy.place", "If it ended now: Axis win"),
        ("r14.us.deploy.place", "If it ended now: Axis, Minor Victory"),
    ):
        made = desk(step)
        for space, power in (("mareth", None), ("tobruk", "uk")):
            made.send(SetControl(space, power, made.now_ms()))
        page = read(score_page, change(made))
        assert page.say(page.page.title) == title
        note = page.block("holders").note
        told = "Axis have what they need\nAllies 1 short: Tripoli\nJudged after round 14"
        assert page.say(note) == told
        listed = read(score_page, change(made), draft=ScoreDraft("list"))
        assert listed.sub("Allies, Minor Victory: ") == "1 short: Mareth"
        assert isinstance(listed.act("Mareth"), Ask)


def test_missing_income_is_counted_not_guessed() -> None:
    page = read(reinforce_page, change(desk("r1.germany.requisition.buy")))
    banner = page.page.blocks[0]
    assert isinstance(banner, Banner)
    assert (page.say(banner.title), page.say(banner.value)) == ("Germany", "0 or more")
    assert "1 printed value is missing" in page.say(banner.sub)
    assert page.item("Infantry").state == "muted"


def test_deployment_offers_all_or_one() -> None:
    made = desk("r1.uk.deploy.place", values="unofficial")
    made.send(CountSpace("gibraltar", {"uk.infantry": 3}))
    page = read(reinforce_page, change(made))
    ask = page.act("3 Infantry in Gibraltar")
    assert isinstance(ask, Ask)
    texts = [page.say(option.title) for option in ask.form.fields[0].options]
    assert texts == ["3 → Atlantic Ocean convoy", "1 → Atlantic Ocean convoy"]


def test_a_territory_gets_a_key_from_its_name() -> None:
    made = desk()
    ask = read(board_page, change(made)).act("Add a territory from your board")
    assert isinstance(ask, Ask)
    assert isinstance(ask.answered({"name": " .. "}), Refuse)
    send = ask.answered({"name": "  mersa brega 2 "})
    assert isinstance(send, Send)
    assert send.command == EnterPrintedValue("space.mersa_brega_2", "Mersa Brega 2")
    made.send(send.command)
    assert "Mersa Brega 2" in read(board_page, change(made)).texts


def fought() -> MemoryDesk:
    made = desk("r2.germany.combat_move.declare", values="unofficial")
    made.send(CountSpace("bir_hacheim", {"uk.infantry": 1}, 1))
    made.send(CountSpace("benghazi", {"germany.tank": 2}, 4))
    step = change(made).state.step.id
    made.send(DeclareAttack(step, "bir_hacheim", (AttackGroup("benghazi", {"germany.tank": 2}),)))
    made.send(JumpTo(step, StepId("r2.germany.combat.resolve"), made.now_ms()))
    made.send(OpenCombat(StepId("r2.germany.combat.resolve"), 1))
    return made


def test_odds_and_luck_and_the_report() -> None:
    made = fought()
    step = change(made).state.step.id
    orders = read(combat_page, change(made))
    odds = orders.shown.acts[orders.page.tools[-1].act]  # type: ignore[index]
    assert isinstance(odds, Draft)
    assert odds.change(CombatDraft()).outlook == "fight"
    made.send(GiveOrders(step))
    dice = read(combat_page, change(made))
    assert [dice.say(item.title) for item in dice.items if item.key.startswith("volley.")] == [
        "Tank: 2 dice at 5 or less"
    ]
    assert dice.main_act is None
    made.send(RollFire(step, (VolleyRoll((1, 9)),)))
    from companion.games.aana.rules.battle_messages import TakeLosses

    made.send(TakeLosses(step))
    made.send(RollFire(step, (VolleyRoll((9,)),)))
    over = read(combat_page, change(made))
    assert over.say(over.page.blocks[-1].title) == "Attack: hits 1, expected 1; Defence: hits 0, expected 0.3"  # type: ignore[union-attr]
    made.send(Conclude(step, at_ms=made.now_ms()))
    assert read(combat_page, change(made)).lead == "No attacks waiting"
    page = report_html(change(made), made.entries(), made.counts, 0)
    assert "Combats and luck" in page
    assert "Nobody is left to defend" in page
    assert "1 (1.0) | 0 (0.3)" in page
    assert "Bir Hacheim" in page


def test_the_program_rolls_the_same_dice_for_the_same_seed_and_carries_rerolls_out() -> None:
    made = fought()
    made.send(GiveOrders(change(made).state.step.id))
    state = change(made).state
    first, again = throw(state, 7), throw(state, 7)
    assert first == again
    assert first.origin.seed == 7


def test_every_command_has_words_in_the_log() -> None:
    made = fought()
    for entry in made.entries():
        assert entry_label(entry, change(made).state)
    assert entry_label(made.entries()[-1], change(made).state) == "Combat begins"


def test_units_tell_where_figures_come_from() -> None:
    def look(what: str, **options: str) -> Reading:
        return read(units_page, change(desk(**options)), draft=what)

    uk = look("uk")
    assert (uk.sub("Infantry"), uk.say(uk.item("Infantry").value)) == ("Attack 2, defence 3, move 1", "3")
    infantry, ship = look("uk.infantry"), look("uk.battleship")
    assert infantry.say(infantry.item("In the box").value) == "12"
    assert (infantry.sub("Cost"), ship.sub("Cost")) == ("", "printed on your chart")
    assert "fan-made" in look("germany.tank", values="unofficial").sub("Cost")
    tank = look("germany.tank")
    assert "characteristics inferred" in tank.sub(tank.texts[0])
    assert look("germany.infantry").texts[0].startswith("Supported by Artillery")

"""View models of the shared screens, without a window."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from companion.core import commands as cm
from companion.core.ids import ARBITER, Side
from companion.core.rules import GameRules, Loss, Rejected
from companion.core.setup import RulingInfo, Setup
from companion.core.text import Say, Typed
from companion.games.registry import games_by_key
from companion.pages import (
    arbiter,
    frame,
    home,
    labels,
    modules,
    new_game,
    plots,
    printed,
    prompts,
    report,
    settings,
)
from companion.pages.clocks import clock_face, clocks_view, press_half
from companion.pages.desk import SavedGame, ScenarioInfo
from companion.pages.dice_sets import NoSets
from companion.pages.game_view import GameView, PrintedRow, Score, Series
from companion.pages.i18n import LANGUAGES, use_language
from companion.pages.log import log_page
from companion.pages.modules import game_view
from companion.pages.page import (
    TABLE_VIEWER,
    Ask,
    Clocks,
    Draft,
    OnBox,
    Options,
    Picture,
    Rows,
    Send,
    Sight,
    all_blocks,
)
from companion.pages.phones import NoPhones
from companion.pages.speak import speak
from companion.pages.table import main_command, table_view
from companion.pages.watch import warning_at
from companion.testing.memory_desk import MemoryDesk
from companion.testing.reading import Reading
from companion.testing.sample import ALLIES, AXIS, sample_setup


def _play(desk: MemoryDesk, acts: int, each_ms: int = 10_000) -> None:
    for _n in range(acts):
        desk.advance(each_ms)
        assert desk.change is not None
        desk.send(main_command(desk.change.state, desk.now_ms()))


def _desk(**kwargs: object) -> MemoryDesk:
    return MemoryDesk(sample_setup(**kwargs))  # type: ignore[arg-type]


# Frame


def test_frame_says_where_we_are() -> None:
    desk = _desk()
    _play(desk, 8)
    view = frame.frame(desk.change, desk.rules)
    assert view.crumbs == ("Stage 1 of 4", "Tactical", "Step 2", "Allies")
    assert view.actor is not None
    assert (view.actor.name, view.actor.emblem, view.actor.tone) == ("Allies", "circle", "allies")
    assert view.undo_text == "Step 2, Allies: Declare battles"
    assert [cell.text for cell in view.strip] == ["1", "2", "3", "4", "5", "6", "Victory", "Resupply"]
    assert view.strip[1].part == pytest.approx(2 / 6)


def test_frame_of_no_game_is_empty() -> None:
    assert frame.frame(None, None) == frame.Frame()


def test_strip_leaves_out_what_a_fallen_flag_skips() -> None:
    desk = _desk(minutes=1)
    desk.advance(61_000)
    change = desk.change
    assert change is not None
    desk.send(prompts.flag_command(change.state, (), desk.now_ms()))
    change = desk.change
    assert change is not None
    assert change.state.step.id == "s1.t1.axis.move"
    cells = frame.strip(change.state, GameRules())
    assert cells[0].part == 0.0


def test_sides_without_a_token_take_them_in_order() -> None:
    setup = sample_setup()
    sides = tuple(msgspec.structs.replace(setup.sides[0], id=Side(f"p{n}"), emblem="") for n in range(1, 7))
    setup = msgspec.structs.replace(setup, sides=sides)
    assert [frame.tone(setup, f"p{n}") for n in range(1, 7)] == [
        "allies",
        "axis",
        "third",
        "fourth",
        "fifth",
        "sixth",
    ]
    assert frame.tone(setup, "nobody") == "muted"


def test_nation_has_its_own_shape_and_piece_colour() -> None:
    mark = frame.nation_mark(sample_setup(), "us")
    assert (mark.name, mark.tone, mark.emblem) == ("United States", "piece:green", "star")
    assert frame.nation_mark(sample_setup(), "none").tone == "muted"


# Clocks


def test_face_runs_acts_and_says_when_it_changes() -> None:
    desk = _desk()
    desk.advance(400)
    assert desk.change is not None
    state = desk.change.state
    allies, axis = (clock_face(state, side, desk.now_ms()) for side in (ALLIES, AXIS))
    assert (allies.text, allies.is_running, allies.is_acting, allies.changes_in_ms) == (
        "22:00",
        True,
        True,
        600,
    )
    assert (axis.text, axis.is_running, axis.is_acting, axis.changes_in_ms) == ("22:00", False, False, None)


@pytest.mark.parametrize(
    ("passed_ms", "level", "note"),
    [
        (0, "calm", ""),
        (1_020_001, "low", "Under 5 min"),
        (1_265_000, "last", "Last minute"),
        (1_320_300, "fallen", "Flag fallen"),
    ],
)
def test_face_warns(passed_ms: int, level: str, note: str) -> None:
    desk = _desk()
    desk.advance(passed_ms)
    assert desk.change is not None
    face = clock_face(desk.change.state, ALLIES, desk.now_ms())
    assert (face.level, face.note) == (level, note)


def test_face_tells_what_was_carried_over() -> None:
    desk = _desk()
    assert desk.change is not None
    _play(desk, 35)
    assert desk.change.state.step.stage == 2
    face = clock_face(desk.change.state, AXIS, desk.now_ms())
    assert face.note.endswith("carried over")
    assert face.text == "41:10"


def test_face_counts_up_without_a_limit_and_is_blank_without_a_clock() -> None:
    up = _desk(mode="count_up")
    up.advance(61_500)
    assert up.change is not None
    face = clock_face(up.change.state, ALLIES, up.now_ms())
    assert (face.text, face.changes_in_ms, face.level) == ("01:01", 500, "calm")
    none = _desk(mode="none")
    assert none.change is not None
    assert clock_face(none.change.state, ALLIES, none.now_ms()).text == ""


def test_face_before_the_first_stage_shows_what_it_will_have() -> None:
    setup = sample_setup()
    first = msgspec.structs.replace(setup.steps[0], id="setup", stage=0, clock=None, owners=())
    desk = MemoryDesk(msgspec.structs.replace(setup, steps=(first, *setup.steps)))
    assert desk.change is not None
    assert clock_face(desk.change.state, ALLIES, desk.now_ms()).text == "22:00"


def test_swapped_clocks_keep_who_they_are() -> None:
    desk = _desk()
    assert desk.change is not None
    view = clocks_view(desk.change, desk.now_ms(), swapped=True)
    assert [face.mark.id for face in view.faces] == ["axis", "allies"]
    command, actor = press_half(desk.change.state, "allies", 7)
    assert (command, actor) == (cm.EndAct(step=desk.change.state.step.id, at_ms=7), "allies")


def test_clocks_name_an_act_of_the_whole_table() -> None:
    desk = _desk()
    _play(desk, 32)
    assert desk.change is not None
    view = clocks_view(desk.change, desk.now_ms())
    assert (view.who, view.has_clock, view.is_one_sided) == ("The table", False, False)


def test_warnings_come_in_order_and_say_when_the_next_is_due() -> None:
    desk = _desk()
    assert desk.change is not None
    state, start = desk.change.state, desk.now_ms()
    assert warning_at(state, start) == (None, 1_020_000)
    low, wait = warning_at(state, start + 1_020_000)
    assert low is not None
    assert (low.level, low.side, low.text, wait) == ("low", "allies", "Allies: 5 min left", 240_000)
    last, wait = warning_at(state, start + 1_260_000)
    assert last is not None
    assert (last.level, wait) == ("last", None)
    desk.advance(1_321_000)
    fallen, _wait = warning_at(desk.change.state, desk.now_ms())
    assert fallen is not None
    assert fallen.level == "fallen"


# Table


def test_table_tells_act_units_checks_and_next() -> None:
    desk = _desk()
    assert desk.change is not None
    view = table_view(desk.change, GameRules(), desk.now_ms())
    assert (view.act, view.who, view.units) == ("Move units", "Allies", ("Fighter", "Submarine"))
    assert [check.is_done for check in view.checks] == [False, False]
    assert view.next_text == "Step 1, Allies: Declare battles"
    assert (view.main_text, view.can_act) == ("Moves done", True)


def test_table_names_the_next_stage_and_the_end() -> None:
    desk = _desk()
    _play(desk, 34)
    assert desk.change is not None
    view = table_view(desk.change, GameRules(), desk.now_ms())
    assert view.next_text == "Stage 2, Step 1, Axis: Move units"
    desk.send(
        cm.JumpTo(desk.change.state.step.id, desk.change.state.itinerary.steps[-1].id, desk.now_ms()),
        actor=ARBITER,
    )
    view = table_view(desk.change, GameRules(), desk.now_ms())
    assert view.next_text == "This is the last step of the game"


def test_main_command_resumes_when_paused() -> None:
    desk = _desk()
    desk.send(cm.Pause(at_ms=desk.now_ms()))
    assert desk.change is not None
    assert main_command(desk.change.state, 5) == cm.Resume(at_ms=5)


# Labels


def test_a_game_without_clocks_is_paused_itself() -> None:
    from companion.core.history import Entry
    from companion.core.ids import TABLE

    desk = _desk(mode="none")
    assert desk.change is not None
    told = [
        labels.entry_label(Entry(1, command, (), TABLE, "touch", 1), desk.change.state)
        for command in (cm.Pause(at_ms=1), cm.Resume(at_ms=2))
    ]
    assert told == ["Paused", "Resumed"]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (cm.Pause(at_ms=1), "Clocks paused"),
        (cm.CorrectTime(ALLIES, -61_000, 1), "Allies: time −1:01"),
        (cm.DecideGap(None, 0, 1), "Gap charged to nobody"),
        (cm.DecideGap(AXIS, 61_000, 1), "Gap of 1:01 charged to Axis"),
        (cm.AddNote("hello"), "Note: hello"),
        (cm.AcknowledgeFlag(AXIS, "s1.t1.axis.move", 1), "Axis: penalty for fallen flag carried out"),
        (
            cm.TickCheck("s1.t1.axis.move", "move.units"),
            "Ticked: Move only the units that are active in this step",
        ),
        (cm.JumpTo("a", "s1.victory", 1), "Jumped to Victory: Count victory points"),
        (cm.EndAct("gone", 1), "Gone"),
    ],
)
def test_every_entry_is_named(command: cm.Command, text: str) -> None:
    from companion.core.history import Entry
    from companion.core.ids import TABLE

    desk = _desk()
    assert desk.change is not None
    entry = Entry(1, command, (), TABLE, "touch", 1)
    assert labels.entry_label(entry, desk.change.state) == text


def test_every_core_command_has_words() -> None:
    from companion.core.history import Entry
    from companion.core.ids import TABLE

    desk = _desk()
    assert desk.change is not None
    for kind in cm.CORE_COMMANDS:
        if kind in (cm.StartGame,):
            continue
        sample = {
            **{"at_ms": 1, "last_ms": 1, "gap_ms": 1, "delta_ms": 1000, "charged_to": None, "charged_ms": 0},
            **{"step": "s1.victory", "to": "s1.victory", "check": "move.units", "side": "allies"},
            **{
                "ruling": "x",
                "value": "y",
                "key": "k",
                "text": "t",
                "winner": None,
                "reason": "r",
                "told": "{}",
            },
        }
        fields = {f.name: sample[f.name] for f in msgspec.structs.fields(kind) if f.required}
        text = labels.entry_label(Entry(1, kind(**fields), (), TABLE, "touch", 1), desk.change.state)
        assert text
        assert kind in (cm.Undo, cm.Redo) or text != kind.__name__


def test_every_refusal_of_the_core_has_words() -> None:
    from companion.core.rules import Code

    for code in Code:
        assert labels.refusal(Rejected(code)).endswith(".")
    short = Say("{have} left; {need} asked.", have=10, need=11)
    assert labels.refusal(Rejected("over_budget", short)) == "10 left; 11 asked."
    assert labels.refusal(Rejected("odd_code")) == "Odd code"


def test_unknown_ids_stay_readable() -> None:
    assert labels.unit_name("snow_plough") == "Snow plough"
    assert labels.act_name("dance") == "Dance"


# Home and New game


def test_home_takes_the_newest_game_that_can_go_on() -> None:
    games = (
        SavedGame(Path("a"), "sfw96", "italy", "Italy", "", 9, False, {}, Say("damaged")),
        SavedGame(Path("b"), "sfw96", "italy", "Italy", "s4.v.check", 8, True),
        SavedGame(
            Path("c"),
            "sfw96",
            "italy",
            "Italy",
            "s2.t4.axis.resolve",
            7,
            False,
            {"allies": 61_000, "axis": None},
        ),
    )
    page = _home(games)
    last = next(block for block in all_blocks(page.page.blocks) if isinstance(block, Picture))
    assert page.say(last.note) == "Song for War\nStage 2 · Step 4 · Axis · Resolve battles"
    clocks = next(block for block in all_blocks(page.page.blocks) if isinstance(block, Clocks))
    assert [clock.anchor and clock.anchor.left_ms for clock in clocks.clocks] == [61_000]
    assert page.main_act == OnBox("open_game", {"path": Path("c")})
    assert [page.say(item.sub) for item in page.items if item.sub is not None] == [
        "Cannot be opened · Why?",
        "Song for War · Game over",
    ]


@pytest.mark.parametrize(
    ("game", "step", "where"),
    [
        ("med", "g1.e2.r1.p3", "Game 1 · Engagement 2 · Round 1 · Player 3"),
        ("med", "g1.e2.turn", "Game 1 · Engagement 2 · Operation"),
        ("aana", "r3.uk.combat.resolve", "Round 3 · United Kingdom · Conduct Combat · Resolve battles"),
        ("sfw1", "s3.ns.play", "Stage 3 · National Support · Play cards"),
    ],
)
def test_home_says_in_words_where_a_game_stands(game: str, step: str, where: str) -> None:
    saved = SavedGame(Path("a"), game, "any", "Title", step, 9, False)
    assert " · ".join(map(speak, home.where(saved))) == where


@pytest.mark.parametrize("language", ["en", "de"])
def test_home_never_translates_the_name_of_a_file(language: str) -> None:
    broken = SavedGame(
        Path("empty.tcgame"),
        "",
        "",
        "empty",
        "",
        9,
        False,
        fault=Say("{file} is empty", file=Typed("empty.tcgame")),
    )
    use_language(language)
    try:
        assert _home((broken,)).texts[-1] == "Empty"
    finally:
        use_language("en")


def _home(games: Sequence[SavedGame]) -> Reading:
    """Return the Home page over saved games, as text."""
    desk = MemoryDesk(saved=tuple(games))
    return Reading(home.home_page(Sight(TABLE_VIEWER, None, None, desk=desk, wall_ms=10)), None)


_INFO = ScenarioInfo(
    "sfw96",
    "italy",
    "Italy",
    "Song for War v0.96",
    (2, 4),
    (120, 240),
    4,
    {
        "players": (2, 3, 4),
        "tournament": (False, True),
        "count_up": (False, True),
        "commander": (False, True),
        "together": (False, True),
        "first.2": ("axis", "allies"),
        "rulings.have_vp": ("at_least", "exactly"),
    },
    "Summary",
)


def test_scenarios_say_players_hours_and_stages() -> None:
    assert speak(new_game.facts(_INFO)) == "2–4 players · 2–4 h · 4 stages"
    half = msgspec.structs.replace(_INFO, minutes=(90, 90), players=(1, 1))
    assert speak(new_game.facts(half)) == "1 player · 1.5 h · 4 stages"
    short = msgspec.structs.replace(_INFO, minutes=(30, 45))
    assert speak(new_game.facts(short)) == "2–4 players · 30–45 min · 4 stages"


def test_options_start_with_tournament_time_where_minutes_are_printed() -> None:
    chosen = new_game.starting_options(_INFO)
    assert chosen["time"] == "tournament"
    assert new_game.resolved_options(_INFO, chosen) == {"tournament": True}
    names = [row.name for row in new_game.option_rows(_INFO, chosen)]
    assert names == ["time", "players", "commander", "first.2"]


@pytest.mark.parametrize(
    ("time", "options"),
    [
        ("none", {}),
        ("count_up", {"count_up": True}),
        ("custom", {"minutes": {"allies": 25, "axis": 20}}),
    ],
)
def test_time_resolves_to_the_options_of_the_game(time: str, options: dict[str, object]) -> None:
    chosen = {**new_game.starting_options(_INFO), "time": time, "minutes": {"allies": 25}}
    assert new_game.resolved_options(_INFO, chosen) == options


def test_only_what_differs_from_the_default_is_sent() -> None:
    chosen = {
        **new_game.starting_options(_INFO),
        "time": "none",
        "players": 3,
        "rulings.have_vp": "exactly",
        "together": True,
    }
    assert new_game.resolved_options(_INFO, chosen) == {
        "players": 3,
        "rulings.have_vp": "exactly",
        "together": True,
    }


def test_commander_game_takes_no_printed_minutes_and_no_players() -> None:
    chosen = {**new_game.starting_options(_INFO), "commander": True, "time": "custom", "players": 3}
    rows = {row.name: row for row in new_game.option_rows(_INFO, chosen)}
    assert [key for key, _text in rows["time"].values] == ["custom", "count_up", "none"]
    assert "players" not in rows
    assert new_game.resolved_options(_INFO, chosen) == {
        "commander": True,
        "minutes": {"allies": 20, "axis": 20},
    }


def test_rulings_bring_their_words() -> None:
    ruling = RulingInfo(
        "have_vp", "What counts?", ("at_least", "exactly"), "at_least", "", {"at_least": "No less"}
    )
    (row,) = new_game.ruling_rows(_INFO, {"rulings.have_vp": "at_least"}, (ruling,))
    assert row.label == Say("What counts?")
    assert row.values == (("at_least", Say("No less")), ("exactly", Typed("Exactly")))


# Log, arbiter, prompts


def test_log_is_newest_first_and_knows_what_counts() -> None:
    desk = _desk()
    _play(desk, 2)
    desk.send(cm.Undo(at_ms=desk.now_ms()), source="key")
    assert desk.change is not None
    log = Reading(log_page(Sight(TABLE_VIEWER, desk.change, None, desk=desk)), desk.change)
    assert log.texts[:3] == [
        "Undo",
        "Step 1, Allies: Declare battles",
        "Step 1, Allies: Move units",
    ]
    # A note can be written on any of them; the newest act that counts can be undone too.
    asks = [log.shown.act(row.act) for row in log.items if row.act is not None]
    assert [isinstance(ask, Ask) and ask.form.key for ask in asks] == ["note", "note", "entry", "note"]
    assert isinstance(asks[0], Ask)
    send = asks[0].answered({"text": " a die fell "})
    assert isinstance(send, Send)
    desk.send(send.command)  # type: ignore[arg-type]
    noted = Reading(log_page(Sight(TABLE_VIEWER, desk.change, None, desk=desk)), desk.change)
    assert noted.texts[0] == "Note: a die fell"
    assert noted.sub("Undo").endswith(" · Table, keyboard · a die fell")
    assert [row.state for row in log.items] == ["plain", "lost", "plain", "plain"]
    assert log.sub("Undo").endswith(" · Table, keyboard")
    assert log.lead == "4 entries"


def test_arbiter_view_and_commands() -> None:
    desk = _desk()
    _play(desk, 3)
    assert desk.change is not None
    view = arbiter.arbiter_view(desk.change, GameRules(), desk.now_ms())
    assert view.remaining == ("21:30", "22:00")
    assert view.back_text == "Step 1, Allies: Resolve battles"
    assert arbiter.step_back_command(desk.change.state, GameRules(), 9) == cm.JumpTo(
        "s1.t1.axis.move", "s1.t1.allies.resolve", 9
    )
    assert arbiter.correct_command("axis", 1_000, 9, "") == cm.CorrectTime(AXIS, 1_000, 9, "arbiter")
    assert arbiter.correct_command("axis", 1_000, 9, "bell") == cm.CorrectTime(AXIS, 1_000, 9, "bell")
    assert arbiter.correct_command("axis", 1_000, 9, "why") == cm.CorrectTime(AXIS, 1_000, 9, "why")
    rows = arbiter.jump_rows(desk.change.state, 1)
    assert [row.is_here for row in rows].index(True) == 3
    assert arbiter.jump_stages(desk.change.state)[0] == (1, "Stage 1")


def test_sheet_adds_up_to_the_time_used() -> None:
    desk = _desk()
    _play(desk, 20, 7_000)
    desk.send(cm.Pause(at_ms=desk.now_ms()))
    assert desk.change is not None
    totals = arbiter.total_used(desk.change, desk.entries())
    assert totals["allies"] + totals["axis"] == 20 * 7_000
    assert len(arbiter.sheet_rows(desk.change, desk.entries(), 0)) == 7


class _Losing(GameRules):
    """Rules with a loss for a fallen flag."""

    def flag_losses(self, state: object, side: object) -> tuple[Loss, ...]:  # noqa: ARG002
        return (Loss("loss.air", Say("Its aircraft are lost")),)


def test_flag_prompt_lists_what_the_rules_take() -> None:
    desk = MemoryDesk(sample_setup(minutes=1), _Losing())
    desk.advance(61_000)
    prompt = prompts.prompt_for(desk.change, desk.rules)
    assert isinstance(prompt, prompts.FlagPrompt)
    assert prompt.losses == (("loss.air", "Its aircraft are lost"),)
    assert prompt.title == "Allies: time is up"


def test_gap_prompt_names_the_gap_and_whom_it_may_be_charged_to() -> None:
    desk = _desk()
    desk.send(cm.ResumeGame(at_ms=desk.now_ms(), last_ms=desk.now_ms() - 50, gap_ms=61_000, cause="power"))
    prompt = prompts.prompt_for(desk.change, desk.rules)
    assert isinstance(prompt, prompts.GapPrompt)
    assert (prompt.title, prompt.needs_arbiter, [side.id for side in prompt.sides]) == (
        "The power was cut",
        True,
        ["allies", "axis"],
    )
    assert prompts.gap_command(None, 61_000, 3) == cm.DecideGap(None, 0, 3)
    assert prompts.gap_command("axis", 61_000, 3) == cm.DecideGap(AXIS, 61_000, 3)


@pytest.mark.parametrize("gap_ms", [61_000, None])
def test_a_gap_in_which_no_clock_ran_is_charged_to_nobody_without_a_question(gap_ms: int | None) -> None:
    desk = _desk()
    desk.send(cm.Pause(at_ms=desk.now_ms()))
    desk.send(cm.ResumeGame(at_ms=desk.now_ms(), last_ms=desk.now_ms() - 50, gap_ms=gap_ms, cause="power"))
    prompt = prompts.prompt_for(desk.change, desk.rules)
    assert isinstance(prompt, prompts.GapPrompt)
    assert prompt.text == "No clock was running: they have not changed."
    assert (prompt.sides, prompt.done_text) == ((), "Continue")


def test_a_gap_under_a_second_is_charged_to_nobody_without_a_question() -> None:
    desk = _desk()
    desk.send(cm.ResumeGame(at_ms=desk.now_ms(), last_ms=desk.now_ms() - 50, gap_ms=999, cause="crash"))
    prompt = prompts.prompt_for(desk.change, desk.rules)
    assert isinstance(prompt, prompts.GapPrompt)
    assert prompt.text == "The clocks are set to the last time seen."
    assert (prompt.sides, prompt.done_text) == ((), "Continue")


def test_unknown_gap_can_be_charged_to_nobody_only() -> None:
    desk = _desk()
    desk.send(cm.ResumeGame(at_ms=desk.now_ms(), last_ms=desk.now_ms(), gap_ms=None, cause="crash"))
    prompt = prompts.prompt_for(desk.change, desk.rules)
    assert isinstance(prompt, prompts.GapPrompt)
    assert prompt.sides == ()
    assert "an unknown time" in prompt.text


@pytest.mark.parametrize(
    ("language", "gap_ms", "text", "done"),
    [
        (
            "en",
            754_000,
            "Nothing is lost: the game is exactly where you left it, 12\u00a0min ago.",
            "Continue",
        ),
        ("en", None, "Nothing is lost: the game is exactly where you left it.", "Continue"),
        ("de", 754_000, "Nichts ist verloren: Das Spiel steht da, wo es vor 12\u00a0min stand.", "Weiter"),
        ("de", None, "Nichts ist verloren: Das Spiel steht da, wo es zuletzt stand.", "Weiter"),
    ],
)
def test_a_game_without_a_clock_is_told_of_no_clock(
    language: str, gap_ms: int | None, text: str, done: str
) -> None:
    desk = MemoryDesk(sample_setup(mode="none"))
    desk.send(cm.ResumeGame(at_ms=desk.now_ms(), last_ms=desk.now_ms(), gap_ms=gap_ms, cause="power"))
    assert desk.change is not None
    use_language(language)
    try:
        prompt = prompts.prompt_for(desk.change, desk.rules)
        assert isinstance(prompt, prompts.GapPrompt)
        assert (prompt.text, prompt.done_text, prompt.sides) == (text, done, ())
        told = map(
            speak,
            [
                prompts.adjourn_text(desk.change.state),
                prompts.quit_text(desk.change),
                prompts.restart_text(desk.change),
                prompts.quit_text(None),
                prompts.restart_text(None),
            ],
        )
        assert [line for line in told if "clock" in line or "Uhr" in line] == []
        desk.send(prompts.gap_command(None, gap_ms, desk.now_ms()))
        label = labels.entry_label(desk.change.entries[-1], desk.change.state)
        assert label == {"en": "Resumed after the break", "de": "Nach der Pause ging es weiter"}[language]
    finally:
        use_language("en")


def test_a_game_with_clocks_is_told_that_they_stop() -> None:
    desk = _desk()
    assert desk.change is not None
    for line in (
        prompts.adjourn_text(desk.change.state),
        prompts.quit_text(desk.change),
        prompts.restart_text(desk.change),
    ):
        assert "clocks stop" in str(line)


# Plots, printed values, game views, settings, report


def test_time_bars_add_up() -> None:
    desk = _desk()
    _play(desk, 40, 5_000)
    desk.send(cm.Pause(at_ms=desk.now_ms()))
    assert desk.change is not None
    by_phase = plots.time_by_phase(desk.entries(), desk.change.state)
    by_stage = plots.time_by_stage(desk.entries(), desk.change.state)
    for bars in (by_phase, by_stage):
        assert sum(bar.value for row in bars.rows for bar in row.bars) == 39 * 5_000
        assert bars.most == max(bar.value for row in bars.rows for bar in row.bars)


def test_the_act_at_hand_is_an_unfinished_bar_of_its_own_until_its_clock_stops() -> None:
    desk = _desk()
    _play(desk, 12, 5_000)
    desk.advance(7_000)
    assert desk.change is not None
    state, running = desk.change.state, desk.change.state.clocks.running
    for bars in (
        plots.time_by_phase(desk.entries(), state, now_ms=desk.now_ms()),
        plots.time_by_stage(desk.entries(), state, now_ms=desk.now_ms()),
    ):
        (row,) = [row for row in bars.rows if any(bar.is_open for bar in row.bars)]
        (bar,) = [bar for bar in row.bars if bar.is_open]
        assert (bar.value, bar.tone) == (7_000.0, running), "beside what its side has used before"
    finished = [
        bar for bars in (plots.time_by_phase(desk.entries(), state),) for row in bars.rows for bar in row.bars
    ]
    assert not any(bar.is_open for bar in finished)
    desk.send(cm.Pause(at_ms=desk.now_ms()))
    after = plots.time_by_phase(desk.entries(), desk.change.state, now_ms=desk.now_ms())
    assert not any(bar.is_open for row in after.rows for bar in row.bars)


@pytest.mark.parametrize(("low", "high"), [(0, 43), (0, 1), (12, 31.5), (0, 0), (-3, 90)])
def test_ticks_are_few_round_and_around(low: float, high: float) -> None:
    values = plots.ticks(low, high)
    assert values[0] <= low
    assert values[-1] >= high
    assert 1 <= len(values) <= 7


class _View(GameView):
    def scores(self, state: object) -> tuple[Score, ...]:  # noqa: ARG002
        return (Score("allies", "12", "of 30"),)

    def score_series(self, entries: object, state: object) -> tuple[Series, ...]:  # noqa: ARG002
        return (Series("allies", "", ((1.0, 12.0), (2.0, 15.5))),)

    def printed(self, state: object) -> tuple[PrintedRow, ...]:  # noqa: ARG002
        return (PrintedRow("rome.vp", "Rome", None, "Points", is_whole=False),)


def test_game_views_add_up_and_feed_table_plots_and_form(monkeypatch: pytest.MonkeyPatch) -> None:
    one = msgspec.structs.replace(games_by_key()["tsu"], key="test-game", views=lambda: (_View(), GameView()))
    monkeypatch.setattr(modules, "_modules", lambda: {"test-game": one})
    modules.game_view.cache_clear()
    setup: Setup = msgspec.structs.replace(sample_setup(), game="test-game")
    desk = MemoryDesk(setup)
    assert desk.change is not None
    assert table_view(desk.change, GameRules(), desk.now_ms()).scores == (Score("allies", "12", "of 30"),)
    lines = plots.score_lines(desk.entries(), desk.change.state)
    assert lines is not None
    assert (lines.lines[0].name, lines.x_range, lines.y_range[1]) == ("Allies", (1.0, 4.0), 20.0)
    form = printed.printed_view(desk.change)
    assert (form.groups, form.entered) == ((("Points", "Points"),), "0 of 1 entered")
    assert game_view("unheard-of").scores(desk.change.state) == ()
    modules.game_view.cache_clear()


@pytest.mark.parametrize(
    ("text", "value"), [("12", 12), ("0.75", 0.75), ("1,5", 1.5), ("", None), ("x", None), ("7.0", 7)]
)
def test_typed_figures(text: str, value: float | None) -> None:
    assert printed.parse_value(text) == value


def test_entry_faults_come_from_the_rules_and_empty_takes_back() -> None:
    desk = _desk()
    assert desk.change is not None
    rules = GameRules()
    assert printed.entry_fault(desk.change, rules, "k", "") is None
    assert printed.entry_fault(desk.change, rules, "k", "?") == "Enter a number"
    assert printed.entry_fault(desk.change, rules, "k", "3") == "This game has no printed value k."
    assert printed.entry_command("k", "") == cm.EnterPrintedValue("k", None)


def test_settings_fall_back_where_stored_values_do_not_fit() -> None:
    stored = {
        "theme": "pink",
        "text_step": True,
        "language": "de",
        "volume": 1,
        "dim_after_s": -4,
        "sound": "yes",
    }
    got = settings.read_settings(stored)
    assert got == settings.Settings(language="de", volume=1)
    assert settings.read_settings({}) == settings.Settings()


def test_every_setting_row_shows_what_holds() -> None:
    box: Any = SimpleNamespace(
        settings=settings.Settings(), dice_sets=NoSets(), phones=NoPhones(), system=None
    )
    sight = Sight(TABLE_VIEWER, None, None, box=box)
    rows = 0
    for tab in settings.settings_page(sight).page.tabs:
        drawn = msgspec.structs.replace(sight, draft=settings.SettingsDraft(tab.key))
        (block,) = settings.settings_page(drawn).page.blocks
        assert isinstance(block, Rows)
        for row in block.rows:
            if isinstance(row.facet, Options) and row.facet.chosen:
                rows += 1
                assert row.facet.chosen in [one.key for one in row.facet.options], row.key
    assert rows == 13


def test_report_is_one_page_with_named_sections_and_escapes() -> None:
    desk = _desk()
    _play(desk, 40, 5_000)
    desk.send(cm.AddNote("<b>& so on"))
    desk.send(cm.EndGame(at_ms=desk.now_ms(), winner=ALLIES, reason="agreed"))
    assert desk.change is not None
    html = report.report_html(desk.change, desk.entries(), desk.counts, 1_795_000_000_000)
    for key in ("summary", "result", "time", "arbiter", "log"):
        assert f'<section id="{key}">' in html
    assert "&lt;b&gt;&amp; so on" in html
    assert "<b>&" not in html
    assert "http" not in html.replace("http-equiv", "")
    assert "<svg" in html
    assert html.count("<section") == html.count("</section>")


@pytest.mark.parametrize("game", sorted(games_by_key()))
def test_report_sections_are_unique(game: str) -> None:
    keys = [one.key for one in (*report.shared_sections(), *games_by_key()[game].sections())]
    assert len(keys) == len(set(keys))


def test_lines_picture_holds_every_line() -> None:
    line = plots.Line("Allies", "allies", "circle", ((1.0, 2.0), (2.0, 3.0)))
    svg = report.lines_svg(plots.Lines((line,), (1, 2), (0, 4), ((1.0, "1"),), ((0.0, "0"),)))
    assert svg.count("<polyline") == 1
    assert ">Allies<" in svg


def test_names_of_level_lines_stand_apart() -> None:
    assert plots.label_places([0, 0, 40, 3], 15, 100) == (0, 15, 45, 30)
    assert plots.label_places([100, 100, 20], 15, 100) == (85, 100, 20), "back from the upper edge"
    same = ((1.0, 2.0), (2.0, 2.0))
    lines = tuple(plots.Line(name, "allies", "circle", same) for name in ("Anna", "Ben", "Cleo"))
    svg = report.lines_svg(plots.Lines(lines, (1, 2), (0, 2)))
    heights = sorted(float(y) for y in re.findall(r'y="([\d.]+)" class="f-', svg))
    assert len(heights) == 3
    assert all(lower - upper >= 15 for upper, lower in itertools.pairwise(heights))


def test_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="language 'xx' is unknown; expected one of en, de"):
        use_language("xx")
    assert set(LANGUAGES) >= {"en", "de"}


def test_german_speaks_german() -> None:
    from companion.pages.i18n import _, ngettext

    try:
        use_language("de")
        assert _("Move units") == "Einheiten ziehen"
        assert ngettext("{n} entry", "{n} entries", 1) == "{n} Eintrag"
        assert ngettext("{n} entry", "{n} entries", 2) == "{n} Einträge"
        assert _("") == ""
    finally:
        use_language("en")
    assert _("Move units") == "Move units"


def test_own_minutes_may_differ_by_stage() -> None:
    info = ScenarioInfo(
        "sfw96", "italy", "Italy", "Song for War", (2, 4), None, 3, {"players": (2,), "count_up": (False,)}
    )
    chosen = new_game.starting_options(info)
    chosen |= {"time": "custom", "minutes": {"allies": 25, "axis.1": 31}}
    assert new_game.resolved_options(info, chosen)["minutes"] == {"allies": 25, "axis": 20}
    chosen["by_stage"] = True
    assert new_game.resolved_options(info, chosen)["minutes"] == {
        "allies": [25, 25, 25],
        "axis": [20, 31, 20],
    }
    labels = [speak(row.label) for row in new_game.option_rows(info, chosen) if row.is_stepped]
    assert labels[0] == "Allies, stage 1"
    assert len(labels) == 6


def test_seats_are_named_and_asked_for_only_where_given() -> None:
    info = ScenarioInfo("sfw96", "italy", "Italy", "Song for War", (2, 4), None, 3, {"players": (2,)})
    seats = ({"side": "allies", "plays": ["United States", "Great Britain"]}, {"side": "axis", "plays": []})
    chosen = new_game.starting_options(info)
    rows = [row for row in new_game.option_rows(info, chosen, seats) if row.is_typed]
    assert [speak(row.label) for row in rows] == ["Allies: United States + Great Britain", "Axis"]
    assert "seats" not in new_game.resolved_options(info, chosen, seats)
    chosen["seat.1"] = "Ben"
    assert new_game.resolved_options(info, chosen, seats)["seats"] == ["Player 1", "Ben"]


def test_a_long_log_is_listed_bit_by_bit() -> None:
    desk = _desk()
    for n in range(260):
        desk.send(cm.AddNote(f"note {n}"))
    assert desk.change is not None
    first = Reading(log_page(Sight(TABLE_VIEWER, desk.change, None, desk=desk)), desk.change)
    assert (len(first.items), first.lead) == (201, "261 entries")
    more = first.act("Older entries")
    assert isinstance(more, Draft)
    draft = more.change(more.start)
    second = Reading(log_page(Sight(TABLE_VIEWER, desk.change, None, draft, desk)), desk.change)
    assert len(second.items) == 261

"""View models of the shared screens, without a window."""

from __future__ import annotations

import itertools
import re
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from companion.core import commands as cm
from companion.core.rules import GameRules, Loss
from companion.core.setup import Setup
from companion.core.text import Say
from companion.games.registry import games_by_key
from companion.pages import (
    arbiter,
    game_options,
    labels,
    modules,
    plots,
    printed,
    prompts,
    report,
    settings,
)
from companion.pages.desk import ScenarioInfo
from companion.pages.dice_sets import NoSets
from companion.pages.game_view import GameView, PrintedRow, Score, Series
from companion.pages.i18n import LANGUAGES, use_language
from companion.pages.log import log_page
from companion.pages.modules import game_view
from companion.pages.page import TABLE_VIEWER, Ask, Draft, Options, Rows, Send, Sight
from companion.pages.phones import NoPhones
from companion.pages.speak import speak
from companion.pages.svg import lines_svg
from companion.pages.table import table_view
from companion.testing.memory_desk import MemoryDesk
from companion.testing.reading import Reading
from companion.testing.sample import ALLIES, AXIS, sample_setup

# Log, arbiter, prompts


def test_log_is_newest_first_and_knows_what_counts() -> None:
    desk = MemoryDesk(sample_setup())
    desk.end_acts(2, each_ms=10_000)
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
    desk = MemoryDesk(sample_setup())
    desk.end_acts(3, each_ms=10_000)
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
    desk = MemoryDesk(sample_setup())
    desk.end_acts(20, each_ms=7_000)
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
    desk = MemoryDesk(sample_setup())
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
    desk = MemoryDesk(sample_setup())
    desk.send(cm.Pause(at_ms=desk.now_ms()))
    desk.send(cm.ResumeGame(at_ms=desk.now_ms(), last_ms=desk.now_ms() - 50, gap_ms=gap_ms, cause="power"))
    prompt = prompts.prompt_for(desk.change, desk.rules)
    assert isinstance(prompt, prompts.GapPrompt)
    assert prompt.text == "No clock was running: they have not changed."
    assert (prompt.sides, prompt.done_text) == ((), "Continue")


def test_a_gap_under_a_second_is_charged_to_nobody_without_a_question() -> None:
    desk = MemoryDesk(sample_setup())
    desk.send(cm.ResumeGame(at_ms=desk.now_ms(), last_ms=desk.now_ms() - 50, gap_ms=999, cause="crash"))
    prompt = prompts.prompt_for(desk.change, desk.rules)
    assert isinstance(prompt, prompts.GapPrompt)
    assert prompt.text == "The clocks are set to the last time seen."
    assert (prompt.sides, prompt.done_text) == ((), "Continue")


def test_unknown_gap_can_be_charged_to_nobody_only() -> None:
    desk = MemoryDesk(sample_setup())
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
    desk = MemoryDesk(sample_setup())
    assert desk.change is not None
    for line in (
        prompts.adjourn_text(desk.change.state),
        prompts.quit_text(desk.change),
        prompts.restart_text(desk.change),
    ):
        assert "clocks stop" in str(line)


# Plots, printed values, game views, settings, report


def test_time_bars_add_up() -> None:
    desk = MemoryDesk(sample_setup())
    desk.end_acts(40, each_ms=5_000)
    desk.send(cm.Pause(at_ms=desk.now_ms()))
    assert desk.change is not None
    by_phase = plots.time_by_phase(desk.entries(), desk.change.state)
    by_stage = plots.time_by_stage(desk.entries(), desk.change.state)
    for bars in (by_phase, by_stage):
        assert sum(bar.value for row in bars.rows for bar in row.bars) == 39 * 5_000
        assert bars.most == max(bar.value for row in bars.rows for bar in row.bars)


def test_the_act_at_hand_is_an_unfinished_bar_of_its_own_until_its_clock_stops() -> None:
    desk = MemoryDesk(sample_setup())
    desk.end_acts(12, each_ms=5_000)
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

    def score_series(self, state: object) -> tuple[Series, ...]:  # noqa: ARG002
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
    lines = plots.score_lines(desk.change.state)
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
    desk = MemoryDesk(sample_setup())
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
    desk = MemoryDesk(sample_setup())
    desk.end_acts(40, each_ms=5_000)
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
    svg = lines_svg(plots.Lines((line,), (1, 2), (0, 4), ((1.0, "1"),), ((0.0, "0"),)))
    assert svg.count("<polyline") == 1
    assert ">Allies<" in svg


def test_names_of_level_lines_stand_apart() -> None:
    assert plots.label_places([0, 0, 40, 3], 15, 100) == (0, 15, 45, 30)
    assert plots.label_places([100, 100, 20], 15, 100) == (85, 100, 20), "back from the upper edge"
    same = ((1.0, 2.0), (2.0, 2.0))
    lines = tuple(plots.Line(name, "allies", "circle", same) for name in ("Anna", "Ben", "Cleo"))
    svg = lines_svg(plots.Lines(lines, (1, 2), (0, 2)))
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
    chosen = game_options.starting_options(info)
    chosen |= {"time": "custom", "minutes": {"allies": 25, "axis.1": 31}}
    assert game_options.resolved_options(info, chosen)["minutes"] == {"allies": 25, "axis": 20}
    chosen["by_stage"] = True
    assert game_options.resolved_options(info, chosen)["minutes"] == {
        "allies": [25, 25, 25],
        "axis": [20, 31, 20],
    }
    labels = [speak(row.label) for row in game_options.option_rows(info, chosen) if row.is_stepped]
    assert labels[0] == "Allies, stage 1"
    assert len(labels) == 6


def test_seats_are_named_and_asked_for_only_where_given() -> None:
    info = ScenarioInfo("sfw96", "italy", "Italy", "Song for War", (2, 4), None, 3, {"players": (2,)})
    seats = ({"side": "allies", "plays": ["United States", "Great Britain"]}, {"side": "axis", "plays": []})
    chosen = game_options.starting_options(info)
    rows = [row for row in game_options.option_rows(info, chosen, seats) if row.is_typed]
    assert [speak(row.label) for row in rows] == ["Allies: United States + Great Britain", "Axis"]
    assert "seats" not in game_options.resolved_options(info, chosen, seats)
    chosen["seat.1"] = "Ben"
    assert game_options.resolved_options(info, chosen, seats)["seats"] == ["Player 1", "Ben"]


def test_a_long_log_is_listed_bit_by_bit() -> None:
    desk = MemoryDesk(sample_setup())
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

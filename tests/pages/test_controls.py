"""Clock faces, displays, the arbiter's sheet and New game under time controls."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from companion.adapters.catalogue import GameCatalogue
from companion.core import clock as ck
from companion.core import commands as cm
from companion.core.control import TimeControl
from companion.core.ids import ARBITER
from companion.core.presets import OWN
from companion.core.scenario import DataError
from companion.pages import times
from companion.pages.arbiter import arbiter_view, sheet_rows
from companion.pages.clocks import clocks_view
from companion.pages.controls import steady_face, token_command, token_side
from companion.pages.game_options import option_rows, resolved_options, starting_options
from companion.pages.labels import entry_label
from companion.pages.new_game import NewGameDraft, new_game_page, opened
from companion.pages.page import TABLE_VIEWER, Item, Rows, Sight
from companion.pages.panel import panel_view
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import ALLIES, AXIS, sample_setup


def desk_of(control: TimeControl, bank_min: int = 20) -> MemoryDesk:
    """Return a desk at Allies' first step, its clock just begun."""
    setup = sample_setup(minutes=bank_min)
    return MemoryDesk(replace(setup, clock=replace(setup.clock, control=control)))


def faces(desk: MemoryDesk) -> list[tuple[str, str]]:
    assert desk.change is not None
    return [(face.text, face.note) for face in clocks_view(desk.change, desk.now_ms()).faces]


def test_turn_time_is_the_large_figure_and_the_bank_stands_beside_it() -> None:
    desk = desk_of(TimeControl(turn_ms={"allies": 600_000, "axis": 900_000}, tokens=8, token_ms=300_000), 5)
    desk.advance(61_000)
    assert faces(desk) == [("08:59", "Bank 05:00 · 8 tokens"), ("15:00", "Bank 05:00 · 8 tokens")]
    desk.advance(600_000)
    assert faces(desk)[0] == ("03:59", "8 tokens"), "turn time is up, and the bank runs"
    desk.advance(240_000)
    assert faces(desk)[0] == ("04:59", "7 tokens")


def test_with_a_simple_delay_the_bank_stands_until_it_is_over() -> None:
    desk = desk_of(TimeControl(unit="step", delay_ms=20_000, delay="simple"))
    desk.advance(5_000)
    assert faces(desk)[0] == ("20:00", "Delay 00:15")
    desk.advance(16_000)
    assert faces(desk)[0] == ("19:59", "")


def test_with_a_delay_after_bronstein_the_figure_goes_down_at_once() -> None:
    desk = desk_of(TimeControl(unit="step", delay_ms=20_000))
    desk.advance(5_000)
    assert faces(desk)[0][0] == "20:15"


def test_in_a_period_the_period_is_the_figure() -> None:
    desk = desk_of(TimeControl(unit="step", periods=3, period_ms=30_000), 1)
    desk.advance(70_000)
    assert faces(desk)[0] == ("00:20", "3 periods")


@pytest.mark.parametrize("ms", [0, 1, 999, 1_000, 14_999, 15_000, 19_999, 20_000, 65_000, 1_300_000])
def test_the_display_shows_what_the_screen_shows_and_wakes_when_it_changes(ms: int) -> None:
    for control in (
        TimeControl(unit="step", delay_ms=20_000, delay="simple"),
        TimeControl(turn_ms={"allies": 60_000, "axis": 60_000}, tokens=2, token_ms=5_000),
        TimeControl(unit="step", periods=3, period_ms=30_000),
    ):
        desk = desk_of(control)
        desk.advance(ms)
        assert desk.change is not None
        state = desk.change.state
        seen = dict(panel_view(state, desk.now_ms()).display_s)
        view = clocks_view(desk.change, desk.now_ms())
        for face, place in zip(view.faces, ("left", "right"), strict=True):
            minutes, _colon, seconds = face.text.partition(":")
            assert seen[place] == int(minutes) * 60 + int(seconds)
        wait = view.faces[0].changes_in_ms
        if wait is None:
            continue
        before = clocks_view(desk.change, desk.now_ms() + wait - 1).faces[0]
        after = clocks_view(desk.change, desk.now_ms() + wait).faces[0]
        assert (before.text, before.note) == (view.faces[0].text, view.faces[0].note)
        assert (after.text, after.note) != (before.text, before.note)


@pytest.mark.parametrize("ms", [0, 1, 15_000, 65_000, 66_000, 71_000, 1_199_000])
def test_a_phone_that_counts_down_alone_shows_what_is_left(ms: int) -> None:
    """From the start of the running interval, whatever began since: tokens and periods are told at once."""
    for control in (
        TimeControl(unit="step", delay_ms=20_000, delay="simple"),
        TimeControl(turn_ms={"allies": 60_000, "axis": 60_000}, tokens=2, token_ms=5_000),
        TimeControl(unit="step", periods=3, period_ms=30_000),
    ):
        desk = desk_of(control, 1)
        desk.advance(ms)
        assert desk.change is not None
        clocks = desk.change.state.clocks
        if clocks.running is None:
            continue
        steady = steady_face(desk.change.state, ALLIES, clocks.since_ms)
        assert steady is not None
        assert steady[0] - (desk.now_ms() - clocks.since_ms) == ck.remaining(clocks, ALLIES, desk.now_ms())
        waiting = steady_face(desk.change.state, AXIS, desk.now_ms())
        assert waiting is not None
        view = clocks_view(desk.change, desk.now_ms())
        assert view.faces[1].text == times.countdown(waiting[0])


def test_a_token_on_request_is_one_tap_for_whoever_is_to_move() -> None:
    desk = desk_of(TimeControl(tokens=1, token_ms=60_000, token_use="ask"))
    assert desk.change is not None
    assert token_side(desk.change.state) == ALLIES
    assert clocks_view(desk.change, desk.now_ms()).token
    command, actor = token_command(desk.change.state, ALLIES, desk.now_ms())
    desk.send(command, actor=actor)
    assert token_side(desk.change.state) is None
    assert not clocks_view(desk.change, desk.now_ms()).token
    assert faces(desk)[0] == ("21:00", "0 tokens")


def test_the_sheet_and_the_log_say_what_the_control_added() -> None:
    control = TimeControl(unit="step", increment_ms=30_000, tokens=1, token_ms=60_000, tokens_gone_vp=1)
    desk = desk_of(replace(control, periods=2, period_ms=10_000), 1)
    desk.advance(30_000)
    desk.send(cm.EndAct(desk.change.state.step.id, desk.now_ms()))  # type: ignore[union-attr]
    desk.advance(165_000)
    assert desk.change is not None
    rows = [(row.text, row.amount) for row in sheet_rows(desk.change, desk.entries(), 0)]
    assert ("Increment: Allies", "+0:30") in rows
    assert ("Allies: last extension token spent, 1 victory point to the other side", "") in rows
    assert ("Allies: a period begins, 2 left", "") in rows
    told = [entry_label(entry, desk.change.state) for entry in desk.entries()]
    assert "Allies: extension token spent" in told
    assert "Allies: 2 periods left" in told


def test_the_arbiter_may_correct_a_clock_on_which_the_game_was_lost() -> None:
    desk = desk_of(TimeControl(at_zero="lose"), 1)
    desk.advance(61_000)
    assert desk.change is not None
    assert desk.change.state.ending is not None
    assert arbiter_view(desk.change, desk.rules, desk.now_ms()).can_correct  # type: ignore[arg-type]
    desk.send(cm.CorrectTime(AXIS, 1_000, desk.now_ms(), "x"), actor=ARBITER)
    assert desk.change.state.ending is not None
    desk.send(cm.CorrectTime(ALLIES, 1_000, desk.now_ms(), "x"), actor=ARBITER)
    assert desk.change.state.ending is None


CATALOGUE = GameCatalogue()


@pytest.mark.parametrize("info", CATALOGUE.scenarios(), ids=lambda info: f"{info.game}-{info.scenario}")
def test_every_preset_begins_every_game_and_asks_what_no_source_states(info) -> None:
    """Each as New game offers it: refused until everything that is asked was entered."""
    for preset in (*info.controls, OWN):
        chosen = {**starting_options(info), "control": preset.id}
        rows = {row.name: row for row in option_rows(info, chosen)}
        asked = [name for name in preset.ask if rows[f"control.{name}"].chosen is None]
        assert asked == ([] if preset is OWN else list(preset.ask))
        if asked:
            with pytest.raises(DataError, match=f"control.{asked[0]}"):
                CATALOGUE.make_setup(info.game, info.scenario, resolved_options(info, chosen))
        chosen.update({f"control.{name}": 7 for name in preset.ask if rows[f"control.{name}"].is_number})
        setup = CATALOGUE.make_setup(info.game, info.scenario, resolved_options(info, chosen))
        control = setup.clock.control
        assert control is not None
        assert setup.clock.mode == "limit"
        assert control.id == preset.id
        if len(setup.sides) != 2:
            assert control.at_zero != "lose"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"control": "blitz"}, "control: expected one of none, whole_game"),
        ({"control": "standard_90_30", "control.bank_min": 5}, "control.bank_min: expected"),
        ({"control": "whole_game", "control.bank_min": -1}, "a number from 0 to 600, got -1"),
        ({"control": "whole_game", "control.bank_min": "many"}, "a number from 0 to 600, got many"),
        ({"control": {"id": "whole_game", "bank_min": {"nobody": 5}}}, "control.bank_min.nobody: expected"),
        (
            {"control": "byo_yomi", "control.bank_min": 5, "control.periods": 1.5, "control.period_s": 9},
            "whole",
        ),
        ({"control": "own"}, "control.bank_min: expected minutes that count down"),
        (
            {"control": "own", "control.at_zero": "explode", "control.bank_min": 5},
            "control.at_zero: expected",
        ),
        ({"control": "own", "control.tokens": 3, "control.bank_min": 5}, "control.token_min: expected"),
    ],
)
def test_a_control_that_cannot_be_names_its_figure(options: dict, told: str) -> None:
    with pytest.raises(DataError, match=told.replace(".", "[.]")):
        CATALOGUE.make_setup("tsu", "campaign", options)


def test_new_game_asks_the_minutes_of_each_nation_that_takes_turns() -> None:
    info = next(one for one in CATALOGUE.scenarios() if one.scenario == "torch")
    desk = MemoryDesk(rules=CATALOGUE.rules_of("aana"), scenarios=(info,))
    desk.offer("aana", "torch", lambda options: CATALOGUE.make_setup("aana", "torch", options))
    draft = opened(info, tab="clock").put("control", "nation_turns")
    rows = {item.key: item for item in _rows_of(desk, draft)}
    asked = [key for key in rows if key.startswith("control.turn_min.")]
    assert len(asked) == 4
    assert all(str(rows[key].value) == "Enter" for key in asked)
    chosen = {**draft.chosen, asked[0]: 15}
    with pytest.raises(DataError, match="a number above 0, got nothing"):
        CATALOGUE.make_setup("aana", "torch", resolved_options(info, chosen))
    chosen.update(dict.fromkeys(asked, 12))
    control = CATALOGUE.make_setup("aana", "torch", resolved_options(info, chosen)).clock.control
    assert control is not None
    assert sorted(control.turn_ms.values()) == [720_000] * 4


def _rows_of(desk: MemoryDesk, draft: NewGameDraft) -> list[Item]:
    page = new_game_page(Sight(TABLE_VIEWER, None, None, draft, desk)).page
    return [item for block in page.blocks if isinstance(block, Rows) for item in block.rows]


def test_minutes_may_differ_by_nation() -> None:
    minutes = {"germany": 15, "italy": 12, "allies": 10}
    options = {"control": "nation_turns", "control.turn_min": minutes}
    setup = CATALOGUE.make_setup("aana", "torch", options)
    control = setup.clock.control
    assert control is not None
    assert control.turn_ms == {"germany": 900_000, "italy": 720_000, "allies": 600_000}
    assert control.free_ms("axis", "germany") == 900_000  # type: ignore[arg-type]
    assert control.free_ms("allies", "uk") == 600_000  # type: ignore[arg-type]


_PRESET = '[[controls]]\nid = "ours"\ntitle = "Ours"\ntext = "x"\nsource = "our club"\n'


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (_PRESET + 'ask = ["bank"]\n', "controls.toml: controls[0].ask: expected one of bank_min"),
        (
            _PRESET + "bank_min = -5\n",
            "controls.toml: controls[0].bank_min: expected a number from 0 to 600, got -5",
        ),
        (_PRESET + "tokens = 3\n", "controls.toml: controls[0].token_min: expected a number above 0"),
        (_PRESET + _PRESET, "controls.toml: controls[0].id: expected each id once, got ours"),
        (_PRESET + "bank = 5\n", "controls.toml: controls[0].bank: expected one of"),
        (_PRESET + 'at_zero = "explode"\n', "controls.toml: controls[0].at_zero: expected one of flag, lose"),
        ("[[controls]\n", "controls.toml: line 1"),
        ("\xff\xfe", "controls.toml"),
    ],
)
def test_a_faulty_file_of_presets_is_told_once_and_keeps_no_game_from_starting(
    tmp_path: Path, content: str, told: str
) -> None:
    (tmp_path / "controls.toml").write_text(content, encoding="utf-8")
    catalogue = GameCatalogue(tmp_path)
    faults = [str(fault) for fault in catalogue.faults()]
    assert any(fault.startswith(told) for fault in faults), faults
    assert len(faults) == len(set(faults))
    info = next(one for one in catalogue.scenarios() if one.scenario == "campaign")
    assert info.controls == ()
    assert catalogue.make_setup("tsu", "campaign", {}).clock.control is None


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_in_the_place_of_presets_keeps_nobody_waiting(
    tmp_path: Path, make: Callable[[Path], object]
) -> None:
    make(tmp_path / "controls.toml")
    catalogue = GameCatalogue(tmp_path)
    assert any(str(fault).startswith("controls.toml") for fault in catalogue.faults())
    assert catalogue.make_setup("tsu", "campaign", {}).clock.control is None


def test_a_file_of_the_tables_own_presets_replaces_those_that_came_with_the_app(tmp_path: Path) -> None:
    (tmp_path / "controls.toml").write_text(_PRESET + 'bank_min = 45\ngames = ["tsu"]\n', encoding="utf-8")
    catalogue = GameCatalogue(tmp_path)
    offered = {info.game: [one.id for one in info.controls] for info in catalogue.scenarios()}
    assert offered["tsu"] == ["ours"]
    assert offered["aana"] == []
    setup = catalogue.make_setup("tsu", "campaign", {"control": "ours"})
    assert sum(setup.clock.allotted_ms["axis"]) == 45 * 60_000

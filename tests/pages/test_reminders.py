"""Reminders at their step in the order of duty, four at a time; and the help that says what each game does not judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.core import commands as cm
from companion.core.ids import ARBITER
from companion.core.scenario import ScenarioInfo
from companion.pages.help import NOT_JUDGED, lines
from companion.pages.modules import words_of
from companion.pages.table import MOST_CHECKS, at_hand, next_line, table_view
from companion.testing.memory_desk import MemoryDesk

CATALOGUE = GameCatalogue(Path("none"))
SCENARIOS = CATALOGUE.scenarios()
SOURCES = Path(__file__).parents[2] / "scenarios"


def _desk(info: ScenarioInfo) -> MemoryDesk:
    setup = CATALOGUE.make_setup(info.game, info.scenario, {})
    return MemoryDesk(setup, CATALOGUE.rules_of(info.game))


@pytest.mark.parametrize("info", SCENARIOS, ids=lambda info: f"{info.game}-{info.scenario}")
def test_every_step_shows_at_most_four_reminders_and_all_of_them_in_their_order(info: ScenarioInfo) -> None:
    desk = _desk(info)
    rules = CATALOGUE.rules_of(info.game)
    seen: set[tuple[str, ...]] = set()
    for step in desk.change.state.itinerary:
        if step.checks in seen or step.id == "begin":
            continue
        seen.add(step.checks)
        if desk.change.state.step.id != step.id:
            desk.send(cm.JumpTo(desk.change.state.step.id, step.id, desk.now_ms()), actor=ARBITER)
        told: list[str] = []
        while True:
            view = table_view(desk.change, rules, desk.now_ms())
            shown = at_hand(view.checks)
            assert len(shown) <= MOST_CHECKS
            assert tuple(row.id for row in view.checks) == step.checks
            opened = [row for row in shown if not row.is_done]
            left = sum(not row.is_done for row in view.checks)
            assert len(opened) == min(MOST_CHECKS, left), "no open reminder waits while there is room"
            assert (f"{left - MOST_CHECKS} more reminder" in next_line(view)) == (left > MOST_CHECKS)
            if not opened:
                break
            told.append(opened[0].id)
            desk.send(cm.TickCheck(step.id, opened[0].id, True))
        assert tuple(told) == step.checks, "each comes in the order of duty"


def test_what_was_ticked_last_can_be_taken_back() -> None:
    desk = _desk(next(info for info in SCENARIOS if info.scenario == "apr43"))
    rules = CATALOGUE.rules_of("sfw96")
    ids = list(desk.change.state.step.checks)
    for check in ids:
        desk.send(cm.TickCheck(desk.change.state.step.id, check, True))
    shown = at_hand(table_view(desk.change, rules, desk.now_ms()).checks)
    assert [row.id for row in shown] == ids[-MOST_CHECKS:]
    assert all(row.is_done for row in shown)


@pytest.mark.parametrize("game", sorted({info.game for info in SCENARIOS}))
def test_each_game_says_what_it_does_not_judge_in_its_help_and_in_its_sources(game: str) -> None:
    own = words_of(game).help[NOT_JUDGED]
    assert own
    assert all(what.startswith("What the app does not judge") for what, _why in own)
    assert set(own) <= set(lines("table", game))
    assert "## What the app does not judge" in (SOURCES / game / "SOURCES.md").read_text(encoding="utf-8")

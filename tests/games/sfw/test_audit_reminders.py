"""Reminders at their step, in the order of duty; and what the app does not judge is said where one looks for it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.games.sfw_editions import FIRST, NEWER, Evening

REMINDERS = {
    "s3.t4.allies.move": (
        "Artillery either moves",
        "Land bridge: over one sea space with an empty Sea Transport",
        "Empty transports enter no contested or enemy-held space and declare no battle",
        "A defensive line falls when its side has no unit left",
    ),
    "s3.t2.allies.move": (
        "Transports carry units of their own nation only; Air and Sea Transports neither load nor unload in mountains",
        "Empty transports enter no contested or enemy-held space",
        "Either side may reveal its Hidden Fleet now, also the one that does not act",
    ),
    "s3.t3.allies.move": ("Empty transports", "Either side may reveal", "Hidden Fleets move now. One may be formed"),
    "s3.t5.allies.move": ("Land bridge", "Either side may reveal"),
    "s3.t4.allies.resolve": ("A defensive line falls",),
    "s3.r.allies.place": ("New ships in a space with enemy mines",),
}  # fmt: skip


@pytest.mark.parametrize("step", REMINDERS)
def test_duties_that_the_app_cannot_judge_are_named_at_their_step(step: str) -> None:
    evening = Evening(NEWER)
    evening.jump(step)
    texts = list(evening.checks().values())
    for wanted in REMINDERS[step]:
        assert any(text.startswith(wanted) for text in texts), (wanted, texts)


def test_the_commander_game_has_its_own_words(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43", {"commander": True})
    game.jump("s3.t3.allies.move")
    texts = " ".join(game.checks().values())
    assert "A Sea commander may have two, of both nations mixed" in texts
    assert "Transports may carry units of both nations of the side" in texts
    assert "of their own nation only" not in texts
    assert "of a nation in one space" not in texts


def test_blown_bridges_are_a_matter_of_the_italy_board(ledger_game: Callable[..., Any]) -> None:
    for scenario, is_there in (("italy", True), ("nafrica", False)):
        game = ledger_game(scenario)
        game.jump("s1.t4.allies.move")
        assert ("move.blown_bridges" in game.checks()) == is_there


@pytest.mark.parametrize("game", [NEWER, FIRST])
def test_cards_are_taken_out_before_the_decks_are_shuffled(game: str) -> None:
    evening = Evening(game, "apr43")
    texts = list(evening.checks().values())
    removed = next(n for n, text in enumerate(texts) if "before shuffling" in text)
    shuffled = next(n for n, text in enumerate(texts) if "huffle the" in text)
    assert removed < shuffled


def test_every_line_stands_before_the_one_that_it_is_done_before() -> None:
    """No text of a list says that it is done before a line that stands above it: the data say so by `before`."""
    for game in (NEWER, FIRST):
        ids = list(Evening(game, "apr43").checks())
        assert ids.index("setup.removed_cards") + 1 == ids.index(
            "setup.cards" if game == NEWER else "setup.aids"
        )
        fleets = [ids.index(f"setup.hidden_fleet.{nation}") for nation in ("us", "germany")]
        assert [ids.index("setup.units") + 1, *fleets, ids.index("setup.tiles")] == [
            fleets[0],
            *fleets,
            fleets[1] + 1,
        ], "as the rulebook lists them: units, fleets, tiles"


@pytest.mark.parametrize("scenario", ["tobruk41", "crete41", "sicily43", "salerno43", "cassino44"])
def test_the_set_up_sheet_of_a_short_scenario_is_named_before_anything_is_placed(scenario: str) -> None:
    assert next(iter(Evening(NEWER, scenario).checks())) == "setup.short"


NOT_JUDGED = "does not judge"


@pytest.mark.parametrize("folder", ["sfw96", "sfw1", "aana", "tsu", "med"])
def test_what_is_not_judged_is_listed_in_the_sources(folder: str) -> None:
    text = (Path(__file__).parents[3] / "scenarios" / folder / "SOURCES.md").read_text(encoding="utf-8")
    assert f"## What the app {NOT_JUDGED}" in text


@pytest.mark.parametrize("game", ["sfw", "aana", "tsu", "med"])
def test_what_is_not_judged_is_told_in_the_help(game: str) -> None:
    pages = importlib.import_module(f"companion.games.{game}.help").HELP
    told = [str(line) for lines in pages.values() for line in lines]
    assert any(NOT_JUDGED in line for line in told)

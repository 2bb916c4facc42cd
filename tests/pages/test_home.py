"""Home and New game, without a window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from companion.core.setup import RulingInfo
from companion.core.text import Say, Typed
from companion.pages import game_options, home, new_game
from companion.pages.desk import SavedGame, ScenarioInfo
from companion.pages.i18n import use_language
from companion.pages.page import TABLE_VIEWER, Clocks, OnBox, Picture, Sight, all_blocks
from companion.pages.speak import speak
from companion.testing.memory_desk import MemoryDesk
from companion.testing.reading import Reading

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


def test_home_tells_only_names_that_somebody_gave() -> None:
    seats = ("Player 1: Germany, Italy, Vichy France", "Bea: United Kingdom, United States")
    step = "r1.germany.convoys"
    games = [SavedGame(Path(one), "aana", "rommel", "Rommel", step, 9, False, players=seats) for one in "ab"]
    page = _home(games)
    said = " ".join(page.say(item.sub) for item in page.items if item.sub is not None)
    assert "Bea" in said
    assert "Player 1" not in said
    assert "Germany, Italy" not in said


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


def test_options_start_for_a_home_evening_and_tournament_time_is_there_where_minutes_are_printed() -> None:
    chosen = game_options.starting_options(_INFO)
    assert chosen["time"] == "count_up"
    assert game_options.resolved_options(_INFO, chosen) == {"count_up": True}
    chosen["time"] = "tournament"
    assert game_options.resolved_options(_INFO, chosen) == {"tournament": True}
    names = [row.name for row in game_options.option_rows(_INFO, chosen)]
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
    chosen = {**game_options.starting_options(_INFO), "time": time, "minutes": {"allies": 25}}
    assert game_options.resolved_options(_INFO, chosen) == options


def test_only_what_differs_from_the_default_is_sent() -> None:
    chosen = {
        **game_options.starting_options(_INFO),
        "time": "none",
        "players": 3,
        "rulings.have_vp": "exactly",
        "together": True,
    }
    assert game_options.resolved_options(_INFO, chosen) == {
        "players": 3,
        "rulings.have_vp": "exactly",
        "together": True,
    }


def test_commander_game_takes_no_printed_minutes_and_no_players() -> None:
    chosen = {**game_options.starting_options(_INFO), "commander": True, "time": "custom", "players": 3}
    rows = {row.name: row for row in game_options.option_rows(_INFO, chosen)}
    assert [key for key, _text in rows["time"].values] == ["custom", "count_up", "none"]
    assert "players" not in rows
    assert game_options.resolved_options(_INFO, chosen) == {
        "commander": True,
        "minutes": {"allies": 20, "axis": 20},
    }


def test_rulings_bring_their_words() -> None:
    ruling = RulingInfo(
        "have_vp", "What counts?", ("at_least", "exactly"), "at_least", "", {"at_least": "No less"}
    )
    (row,) = game_options.ruling_rows(_INFO, {"rulings.have_vp": "at_least"}, (ruling,))
    assert row.label == Say("What counts?")
    assert row.values == (("at_least", Say("No less")), ("exactly", Typed("Exactly")))

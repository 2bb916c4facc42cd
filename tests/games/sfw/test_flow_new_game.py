"""New games of Song for War: options resolved and frozen, and every wrong option named at once."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from companion.core.clock import ClockConfig
from companion.core.scenario import DataError, Family
from companion.core.setup import Setup
from companion.games.registry import games_by_key, rules_for
from companion.games.sfw.rules.new_game import SfwFamily
from companion.session.scenario_loader import load_game, make_setup, offers

FAMILY = SfwFamily()
LOADED = load_game(FAMILY)
MINUTE = 60_000


def setup(scenario: str, **options: Any) -> Setup:
    return make_setup(FAMILY, LOADED, scenario, options)


def faults(scenario: str, **options: Any) -> list[str]:
    with pytest.raises(DataError) as caught:
        make_setup(FAMILY, LOADED, scenario, options)
    assert str(caught.value).endswith("Change what is named and try again; no game was started.")
    assert all(fault.file == "options" for fault in caught.value.faults)
    return [str(fault).removeprefix("options: ") for fault in caught.value.faults]


def test_a_setup_is_frozen_with_everything_a_game_needs() -> None:
    game = setup("italy", tournament=True)
    assert (game.game, game.scenario, game.title) == ("sfw96", "italy", "Italy")
    assert [(side.id, side.name, side.emblem) for side in game.sides] == [
        ("allies", "Allies", "circle"), ("axis", "Axis", "square"),
    ]  # fmt: skip
    assert [(n.id, n.side, n.colour, n.emblem) for n in game.nations] == [
        ("gb", "allies", "blue", "ring"), ("us", "allies", "green", "star"),
        ("germany_14", "axis", "red", "14"), ("germany_10", "axis", "yellow", "10"),
    ]  # fmt: skip
    assert set(game.tables) == {"game", "scenario", "units", "ledger", "skipped"}
    assert len(game.data_sha256) == 64
    assert game.rulings["have_vp"] == "at_least"
    assert {info.id for info in game.ruling_infos} == set(game.rulings)


def test_a_setup_comes_back_from_the_journal_unchanged() -> None:
    for scenario in LOADED.data.scenarios:
        game = setup(scenario, together=True, seats=["A", "B"])
        assert msgspec.json.decode(msgspec.json.encode(game), type=Setup) == game


def test_every_scenario_offers_its_options_the_default_first() -> None:
    infos = {info.scenario: info for info in offers(FAMILY, LOADED)}
    assert list(infos) == [
        "apr43", "nov42", "nafrica", "italy", "tobruk41", "crete41", "sicily43", "salerno43", "cassino44",
    ]  # fmt: skip
    for name, info in infos.items():
        defaults = {key: values[0] for key, values in info.options.items()}
        assert make_setup(FAMILY, LOADED, name, defaults).scenario == name
    assert infos["italy"].options["first.2"] == ("axis", "allies")
    assert infos["italy"].options["commander"] == (False, True)
    assert "commander" not in infos["crete41"].options
    assert not [key for key in infos["nov42"].options if key.startswith("first")]
    assert "rulings.first_side" not in infos["nov42"].options
    assert infos["crete41"].options["players"] == (2, 1)


@pytest.mark.parametrize(("scenario", "minutes"), [
    ("apr43", (180, 300)), ("nov42", (240, 420)), ("nafrica", (90, 180)), ("italy", (120, 240)),
    ("tobruk41", (30, 45)), ("crete41", (20, 45)), ("sicily43", (30, 45)), ("salerno43", (30, 60)),
    ("cassino44", (30, 75)),
])  # fmt: skip
def test_the_printed_minutes_of_play(scenario: str, minutes: tuple[int, int]) -> None:
    infos = {info.scenario: info for info in offers(FAMILY, LOADED)}
    assert infos[scenario].minutes == minutes


def seats(game: Setup) -> list[tuple[str, str, list[str]]]:
    return [(seat["player"], seat["side"], seat["plays"]) for seat in game.options["seats"]]


def test_who_plays_what_with_two_three_and_four_players() -> None:
    assert seats(setup("apr43")) == [
        ("Player 1", "allies", ["gb", "us"]), ("Player 2", "axis", ["germany", "italy"]),
    ]  # fmt: skip
    assert seats(setup("apr43", players=3, seats=["Ada", "Ben", "Cem"])) == [
        ("Ada", "allies", ["gb", "us"]), ("Ben", "axis", ["germany"]), ("Cem", "axis", ["italy"]),
    ]  # fmt: skip
    four = setup("nafrica", players=4)
    assert [plays for _, _, plays in seats(four)] == [["gb_xxx"], ["gb_xiii"], ["germany"], ["italy"]]
    assert four.sides[1].seats == ("Player 3", "Player 4")


def test_one_player_sits_on_both_sides() -> None:
    game = setup("tobruk41", players=1, seats=["Solo"])
    assert seats(game) == [
        ("Solo", "allies", ["gb_xxx", "gb_xiii"]), ("Solo", "axis", ["germany", "italy"]),
    ]  # fmt: skip
    assert [side.seats for side in game.sides] == [("Solo",), ("Solo",)]


def test_the_commander_game_seats_three_against_three() -> None:
    game = setup("nov42", commander=True)
    assert [(player, side, plays) for player, side, plays in seats(game)][::3] == [
        ("Allies Air", "allies", ["air"]), ("Axis Air", "axis", ["air"]),
    ]  # fmt: skip
    assert game.options["players"] == 6
    assert game.sides[0].seats == ("Allies Air", "Allies Sea", "Allies Land")


def test_clocks_as_the_options_want_them() -> None:
    stages = (1, 2, 3, 4)
    assert setup("italy").clock == ClockConfig(stages=stages)
    assert setup("italy", count_up=True).clock == ClockConfig("count_up", {}, stages)
    grants = dict.fromkeys(("allies", "axis"), (22 * MINUTE,) * 4)
    assert setup("italy", tournament=True).clock == ClockConfig("limit", grants, stages, True)
    friendly = setup("italy", minutes=30).clock
    assert (friendly.mode, friendly.tournament, friendly.allotted_ms["axis"]) == (
        "limit",
        False,
        (30 * MINUTE,) * 4,
    )
    own = setup("italy", tournament=True, minutes={"allies": 20, "axis": [10, 20.5, 30, 40]}).clock
    assert own.allotted_ms == {
        "allies": (20 * MINUTE,) * 4, "axis": (10 * MINUTE, 1_230_000, 30 * MINUTE, 40 * MINUTE),
    }  # fmt: skip


def test_scenarios_without_printed_limits_take_the_tables_own_minutes_only() -> None:
    what = "minutes: expected minutes for each side, as none are printed for this scenario, got nothing"
    assert faults("tobruk41", tournament=True) == [what]
    assert setup("tobruk41", tournament=True, minutes=20).clock.tournament
    assert faults("nov42", tournament=True, commander=True) == [
        what.replace("this scenario", "the commander game")
    ]


def test_dotted_options_are_the_same_as_tables() -> None:
    dotted = make_setup(FAMILY, LOADED, "italy", {"first.2": "allies", "rulings.have_vp": "exactly", "minutes.axis": 9,
                                                   "minutes.allies": 8})  # fmt: skip
    table = setup(
        "italy", first={"2": "allies"}, rulings={"have_vp": "exactly"}, minutes={"axis": 9, "allies": 8}
    )
    assert dotted == table
    assert faults("italy", rulings="x", **{"rulings.have_vp": "no"}) == [
        "rulings.have_vp: expected at_least or exactly, got no"
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"speed": 1}, "speed: expected one of players, seats, tournament, minutes, count_up, commander, together, "
                       "first, rulings, got speed"),
        ({"players": 5}, "players: expected one of 2, 3, 4, got 5"),
        ({"players": True}, "players: expected one of 2, 3, 4, got true"),
        ({"players": 3, "commander": True}, "players: expected 6 in the commander game, got 3"),
        ({"seats": ["A"]}, "seats: expected 2 different names of 1 to 24 letters, got [A]"),
        ({"seats": ["A", "A"]}, "seats: expected 2 different names of 1 to 24 letters, got [A, A]"),
        ({"seats": ["A", " "]}, "seats: expected 2 different names of 1 to 24 letters, got [A, ' ']"),
        ({"seats": "AB"}, "seats: expected 2 different names of 1 to 24 letters, got AB"),
        ({"tournament": 1}, "tournament: expected true or false, got 1"),
        ({"count_up": True, "tournament": True}, "count_up: expected false where the clocks count down, got true"),
        ({"count_up": True, "minutes": 5}, "count_up: expected false where the clocks count down, got true"),
        ({"minutes": 0}, "minutes.allies: expected minutes above 0 and up to 600, got 0"),
        ({"minutes": {"allies": 5, "axis": True}}, "minutes.axis: expected minutes above 0 and up to 600, got true"),
        ({"minutes": {"allies": 5, "axis": [1, 2]}},
         "minutes.axis: expected one number, or one per stage: 4, got 2"),
        ({"minutes": {"allies": 5}}, "minutes.axis: expected minutes above 0 and up to 600, got nothing"),
        ({"minutes": {"allies": 5, "axis": 5, "france": 5}},
         "minutes.france: expected allies or axis, got france"),
        ({"together": True, "tournament": True},
         "together: expected false under tournament time, where both clocks never run at once, got true"),
        ({"together": ["tactical"]},
         "together: expected one of true, false, some of victory, national_support, resupply, got [tactical]"),
        ({"together": True, "rulings": {"act_together": "never"}},
         "together: expected false, as the ruling act_together says never, got true"),
        ({"first": {"1": "axis"}}, "first.1: expected a stage whose flags are inferred: 2, 3, 4, got 1"),
        ({"first": {"2": "france"}}, "first.2: expected allies or axis, got france"),
        ({"first": "axis"}, "first: expected a table, got axis"),
        ({"rulings": {"weather": "sun"}}, "got weather"),
        ({"rulings": {"have_vp": "sun"}}, "rulings.have_vp: expected at_least or exactly, got sun"),
    ],
)  # fmt: skip
def test_a_wrong_option_is_named_with_what_was_expected(options: dict[str, Any], expected: str) -> None:
    found = faults("italy", **options)
    assert any(expected in fault for fault in found), found


def test_all_wrong_options_are_named_at_once() -> None:
    found = faults(
        "nov42", players=9, tournament="yes", together="x", first={"2": "axis"}, rulings={"a": "b"}, x=1
    )
    assert [fault.split(":")[0] for fault in found] == [
        "x", "tournament", "rulings.a", "first.2", "together", "players",
    ]  # fmt: skip
    assert "first.2: expected nothing, got 2" in found
    assert faults("crete41", commander=True)[0] == (
        "commander: expected false, as this scenario has no commander game, got true"
    )


def test_the_hash_follows_the_files_that_a_game_is_made_from() -> None:
    digests = {name: setup(name).data_sha256 for name in LOADED.data.scenarios}
    assert len(set(digests.values())) == len(digests)
    assert setup("italy", tournament=True).data_sha256 == digests["italy"]


def test_the_registry_knows_games_by_key() -> None:
    family: Family = games_by_key()["sfw96"].family
    assert family.game == "sfw96"
    assert rules_for("sfw96").game == "sfw96"
    with pytest.raises(KeyError, match="game 'chess' is unknown; expected one of sfw96"):
        rules_for("chess")

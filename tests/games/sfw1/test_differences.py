"""Every difference between the editions that the app acts on, played in both: rows of DIFFERENCES.md by number.

Battles are in `test_battle_differences`. Rows without behaviour here: 20 and 21 (how many pieces the box holds), 35, 51,
58, 67, 69 and 74 (alike in both), 19 (what cards say).
"""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.commands import EnterPrintedValue, JumpTo
from companion.core.ids import ARBITER, Nation
from companion.core.ledger import SealedEnvelope, commitment, quarters_text
from companion.core.scenario import DataError
from companion.core.text import Name
from companion.games.registry import games_by_key
from companion.games.sfw.pages.resupply import ResupplyDraft, resupply_page
from companion.games.sfw.rules.control import TakeControl, holder, totals
from companion.games.sfw.rules.desert import RollDesert
from companion.games.sfw.rules.flow import SetTogether
from companion.games.sfw.rules.ledger_values import base_table, tables
from companion.games.sfw.rules.resupply_record import EnterLane, RecordBombing, ReportCondition
from companion.games.sfw.rules.resupply_values import lane_victims, sources, why_not_source
from companion.games.sfw.rules.seal_messages import (
    FORCED,
    Content,
    OweReveal,
    RevealSecret,
    SealSecret,
    SearchSpace,
)
from companion.games.sfw.rules.seals import content_text, forced_questions, must_confirm, searchers
from companion.games.sfw.rules.supply import SetUpHub
from companion.games.sfw.rules.support import CorrectSupport, PlayCard, unit_table_of
from companion.games.sfw.rules.tokens import PlaceToken, SetCounter, counters
from companion.games.sfw.rules.victory import conditions
from companion.pages.speak import speak
from companion.session.scenario_loader import make_setup, offers
from companion.testing.reading import read
from tests.games.sfw_editions import BOTH, FIRST, NEWER, Evening, loaded, own_name

GB, US, GERMANY, ITALY = (Nation(name) for name in ("gb", "us", "germany", "italy"))


def each(first: Any, newer: Any) -> Any:
    """Parametrize a test by edition with what is expected of each."""
    return pytest.mark.parametrize(("game", "expected"), [(FIRST, first), (NEWER, newer)], ids=BOTH)


# Colours, dice, scenarios (1-6)


@each(("blue", "yellow", "red", "black"), ("white", "gray", "black", "purple"))
def test_1_colours_by_strength(game: str, expected: tuple[str, ...]) -> None:
    """Black is the top level of the first edition and the third of v0.96."""
    table = unit_table_of(Evening(game).state)
    assert table.levels == expected
    assert table.level_of("black") == {FIRST: 4, NEWER: 3}[game]


@each(["first_nov42", "first_apr43"], 9)
def test_4_scenarios(game: str, expected: Any) -> None:
    infos = offers(games_by_key()[game].family, loaded(game))
    names = [info.scenario for info in infos]
    assert (names if game == FIRST else len(names)) == expected


@each({"nov42": (240, 420), "apr43": (120, 240)}, {"nov42": (240, 420), "apr43": (180, 300)})
def test_5_and_6_play_time(game: str, expected: dict[str, tuple[int, int]]) -> None:
    infos = {info.scenario: info.minutes for info in offers(games_by_key()[game].family, loaded(game))}
    assert {name: infos[own_name(game, name)] for name in expected} == expected


# Control and victory (7-14, 80, 81)


@each((17, 5, 2), (16, 7, 0))
def test_7_tiles(game: str, expected: tuple[int, int, int]) -> None:
    kinds = [site.kind for site in tables(Evening(game).state).sites.values()]
    assert (kinds.count("objective"), kinds.count("airfield"), kinds.count("line")) == expected


@each(({"palermo", "crete", "mareth", "metaxas"}), ({"messina", "maleme", "heraklion"}))
def test_8_objectives(game: str, expected: set[str]) -> None:
    own = set(tables(Evening(game).state).sites)
    other = set(tables(Evening(next(key for key in BOTH if key != game)).state).sites)
    assert own - other == expected


def test_9_a_defensive_line_is_a_tile_to_capture_or_a_token_to_place() -> None:
    first, newer = Evening(FIRST), Evening(NEWER)
    for evening in (first, newer):
        evening.jump("s3.t4.allies.move")
    take = TakeControl("mareth", GB, {"gb": 1})
    first.do(take)
    assert quarters_text(totals(first.state).quarters["allies"]) == "39"
    assert quarters_text(totals(first.state).quarters["axis"]) == "40"
    newer.refuse(take, "unknown_site", "mareth")
    line = PlaceToken(GB, "line", "Gabes", "Mareth")
    newer.do(line)
    first.refuse(line, "not_in_scenario", "No new mines or lines")


def test_10_tile_values_are_known_or_entered() -> None:
    for game in BOTH:
        evening = Evening(game)
        evening.jump("s3.t4.allies.move")
        evening.do(TakeControl("tunis", US, {"us": 1}))
        now = totals(evening.state)
        assert ([item.site for item in now.missing] == ["tunis"]) == (game == NEWER)
    assert {
        site: item.vp for site, item in tables(Evening(FIRST).state).sites.items() if item.vp is None
    } == {}


@pytest.mark.parametrize(
    ("game", "scenario", "start", "wins"),
    [
        (FIRST, "nov42", ("26", "53"), ("42", "65")),
        (NEWER, "nov42", ("26", "52"), ("44", "62")),
        (FIRST, "apr43", ("38.5", "40.5"), ("49", "51")),
        (NEWER, "apr43", ("38", "40"), ("48.5", "50.5")),
    ],
)
def test_11_to_14_totals_and_thresholds(
    game: str, scenario: str, start: tuple[str, str], wins: tuple[str, str]
) -> None:
    state = Evening(game, scenario).state
    points = {item.side: item for item in conditions(state) if item.kind == "points"}
    for side, has, needs in zip(("allies", "axis"), start, wins, strict=True):
        assert (quarters_text(points[side].has), quarters_text(points[side].needs)) == (has, needs)
        assert points[side].is_met is False


def test_14_the_same_points_win_in_one_edition_only() -> None:
    """48.5 Allied points at the end of stage 3 of April 1943."""
    ends = {}
    for game, taken in (
        (FIRST, ["athens", "cagliari"]),
        (NEWER, ["rome", "catania", "ajaccio", "heraklion"]),
    ):
        evening = Evening(game)
        if game == NEWER:
            for site, vp in (("rome", 9), ("catania", 1), ("ajaccio", 0.25), ("heraklion", 0.25)):
                evening.enter({f"vp.theater.{site}": vp})
        evening.jump("s3.t5.allies.resolve")
        for site in taken:
            evening.do(TakeControl(site, US, {"us": 1}))
        assert quarters_text(totals(evening.state).quarters["allies"]) == "48.5"
        evening.jump("s3.v.check")
        evening.next()
        ends[game] = evening.state.ending
    assert ends[FIRST] is None
    assert ends[NEWER] is not None
    assert ends[NEWER].winner == "allies"


def test_80_and_81_control_changes_at_once_and_only_the_side_can_lose_it() -> None:
    """v0.96 leaves both open and offers a ruling; the first edition says it."""
    for game in BOTH:
        evening = Evening(game)
        infos = {info.id for info in evening.state.frozen_setup.ruling_infos}
        assert ({"control_change", "capture_blocked_by"} <= infos) == (game == NEWER)
        evening.jump("s3.t4.allies.resolve")
        if game == NEWER:
            evening.rule("capture_blocked_by", "nation")
            evening.enter({"holder.apr43.rome": "italy"})
        take = TakeControl("rome", US, {"us": 15}, {"germany": 1})
        if game == NEWER:
            evening.do(take)
        else:
            evening.refuse(take, "still_defended", "contested, not lost: its holder still has 1 unit")
        assert holder(evening.state, "rome").side == ("allies" if game == NEWER else "axis")


# National Support (15-18)


@each(12, 16)
def test_15_support_tokens(game: str, expected: int) -> None:
    assert base_table(Evening(game).state.frozen_setup).limits.support_tokens_box == expected


@pytest.mark.parametrize("card", ["Rommel Arrives", "Subversive Warfare"])
@each({"Rommel Arrives"}, {"Rommel Arrives", "Subversive Warfare"})
def test_16_removed_cards(game: str, expected: set[str], card: str) -> None:
    evening = Evening(game)
    nation = GERMANY if card == "Rommel Arrives" else GB
    evening.jump("s3.ns.axis.play" if nation == GERMANY else "s3.ns.allies.play")
    evening.do(CorrectSupport(nation, 2, 2))
    play = PlayCard(nation, card, "event", 1)
    if card in expected:
        evening.refuse(play, "removed", "out of the deck")
    else:
        evening.do(play)


@each(["draw", "allies.play", "axis.play"], ["allies.draw", "allies.play", "axis.draw", "axis.play"])
def test_17_everybody_draws_before_the_first_side_reveals(game: str, expected: list[str]) -> None:
    evening = Evening(game)
    steps = [step.id for step in evening.state.itinerary if step.id.startswith("s3.ns.")]
    assert steps == [f"s3.ns.{name}" for name in expected]
    evening.jump("s3.v.check")
    evening.next()
    hands = evening.state.game["support"].hands
    assert {nation: hand.cards for nation, hand in hands.items()} == (
        {"gb": 2, "us": 2, "germany": 2, "italy": 2}
        if game == FIRST
        else {"gb": 2, "us": 2, "germany": 0, "italy": 0}
    )
    evening.jump("s3.ns.axis.play")
    revises = [text for text in evening.checks().values() if "change its choice" in text]
    assert bool(revises) == (game == FIRST)


@pytest.mark.parametrize("cost", [0, 1, 3, 4])
@each((1, 3), (0, 99))
def test_18_what_a_card_costs(game: str, expected: tuple[int, int], cost: int) -> None:
    evening = Evening(game)
    evening.jump("s3.ns.allies.play")
    evening.do(CorrectSupport(US, 5, 3))
    play = PlayCard(US, "Lend Lease", "strategy", cost)
    if expected[0] <= cost <= expected[1]:
        evening.do(play)
    else:
        evening.refuse(play, "bad_card", "1 to 3 tokens")


# Tokens and counters (22-25, 54, 62, 63)


@each(
    {"markers_allies": 12, "markers_axis": 12, "mines": 24, "fortifications": 4},
    {"battle_markers": 12, "control_markers": 16, "fortifications": 8},
)
def test_22_24_and_54_pieces_of_the_box(game: str, expected: dict[str, int]) -> None:
    evening = Evening(game)
    assert {name: item.limit for name, item in counters(evening.state).items()} == expected
    evening.do(SetCounter("fortifications", expected["fortifications"]))
    evening.refuse(SetCounter("fortifications", expected["fortifications"] + 1), "none_left")


def test_23_and_25_mines_are_laid_in_v0_96_only() -> None:
    for game in BOTH:
        evening = Evening(game)
        evening.jump("s3.t2.allies.move")
        mine = PlaceToken(GB, "mine", "E5")
        if game == NEWER:
            evening.do(mine)
        else:
            evening.refuse(mine, "not_in_scenario")
        units = unit_table_of(evening.state).units
        assert units["infantry"].has("engineer") == units["destroyer"].has("mine_layer") == (game == NEWER)


def test_62_and_63_no_bridges_and_no_supply_lines() -> None:
    first = Evening(FIRST)
    assert "supply" not in first.state.game
    assert SetUpHub not in first.desk.rules.commands  # type: ignore[union-attr]
    assert SetUpHub in Evening(NEWER, "nafrica").desk.rules.commands  # type: ignore[union-attr]
    assert not tables(first.state).has_bridges
    assert tables(Evening(NEWER, "italy").state).has_bridges


# Hidden Fleets (29, 55-61)

OPENING = "0f" * 32
NOTE = content_text(Content("F7", {"battleship": 1, "destroyer": 2}))


def _fleet(evening: Evening) -> None:
    envelope = SealedEnvelope("test", "n", "t", (), {}, commitment(OPENING, NOTE))
    evening.do(SealSecret(US, "fleet", "US fleet", envelope))


@pytest.mark.parametrize("step", [1, 2, 3, 4, 5])
@each({3}, {1, 2, 3, 4, 5})
def test_29_search_steps(game: str, expected: set[int], step: int) -> None:
    evening = Evening(game)
    evening.jump(f"s3.t{step}.axis.move")
    search = SearchSpace(GERMANY, "F7")
    if step in expected:
        evening.do(search)
    else:
        evening.refuse(search, "not_now", "movement step 3")


@pytest.mark.parametrize("unit", ["submarine", "carrier", "light_bomber"])
@each({3: ("submarine", "carrier")}, {2: ("light_bomber",), 3: ("submarine",)})
def test_29_and_57_who_searches(game: str, expected: dict[int, tuple[str, ...]], unit: str) -> None:
    for step in (2, 3):
        evening = Evening(game)
        evening.jump(f"s3.t{step}.axis.move")
        able = expected.get(step, ())
        assert set(searchers(evening.state)) >= set(able)
        rejected, _events = evening.send(SearchSpace(GERMANY, "F7", (), unit))
        assert (rejected is None) == (unit in able), (step, rejected)


@each(True, False)
def test_55_a_fleet_may_be_revealed_on_step_6(game: str, expected: bool) -> None:
    evening = Evening(game)
    _fleet(evening)
    evening.jump("s3.t6.allies.return")
    reveal = RevealSecret("us.fleet.1", NOTE, OPENING)
    if expected:
        evening.do(reveal)
        again = Evening(game, options={"rulings": {"reveal_step6": "never"}})
        _fleet(again)
        again.jump("s3.t6.allies.return")
        again.refuse(reveal, "not_now", "step 6")
    else:
        evening.refuse(reveal, "not_now", "step 6")


@each(True, False)
def test_55_aircraft_that_return_to_a_carrier_give_its_fleet_away(game: str, expected: bool) -> None:
    """First edition, Revealing a Hidden Fleet: aircraft on to or off a carrier with an enemy within one space."""
    evening = Evening(game)
    _fleet(evening)
    evening.jump("s3.t6.allies.return")
    owe = OweReveal("us.fleet.1", "joined_near_enemy")
    if not expected:
        assert forced_questions(evening.state) == ()
        assert must_confirm(evening.state, evening.state.step) == ()
        evening.refuse(owe, "not_now", "This forces no reveal in movement step 6")
        return
    assert forced_questions(evening.state) == ("joined_near_enemy", "left_to_enemy")
    assert must_confirm(evening.state, evening.state.step) == ("allies",)
    evening.refuse(OweReveal("us.fleet.1", "detected"), "not_now", "This forces no reveal")
    evening.do(owe)
    assert evening.state.game["seals"].secrets["us.fleet.1"].owed == "joined_near_enemy"
    never = Evening(game, options={"rulings": {"reveal_step6": "never"}})
    _fleet(never)
    never.jump("s3.t6.allies.return")
    assert must_confirm(never.state, never.state.step) == ()
    never.refuse(owe, "not_now", "movement step 6")


@each(True, False)
def test_56_loading_a_transport_forces_a_reveal(game: str, expected: bool) -> None:
    evening = Evening(game)
    _fleet(evening)
    evening.jump("s3.t2.allies.move")
    assert ("loaded" in forced_questions(evening.state)) == expected
    assert set(forced_questions(evening.state)) <= set(FORCED)
    owe = OweReveal("us.fleet.1", "loaded")
    if expected:
        evening.do(owe)
        assert evening.state.game["seals"].secrets["us.fleet.1"].owed == "loaded"
    else:
        evening.refuse(owe, "bad_value", "loaded forces no reveal")


@pytest.mark.parametrize(
    ("game", "scenario", "spaces"),
    [
        (FIRST, "nov42", {"us": ("A2", "A5", "A7")}),
        (FIRST, "apr43", {"us": ("F7", "G3", "H6"), "germany": ("J1", "J4", "J8")}),
        (NEWER, "nov42", {}),
        (NEWER, "apr43", {}),
    ],
)
def test_59_starting_spaces(game: str, scenario: str, spaces: dict[str, tuple[str, ...]]) -> None:
    assert tables(Evening(game, scenario).state).start_spaces == spaces


def test_60_and_61_no_operations_boards() -> None:
    assert tables(Evening(NEWER, "italy").state).hidden_units
    for scenario in ("nov42", "apr43"):
        assert not tables(Evening(FIRST, scenario).state).hidden_units


# Movement (49, 50, 64, 65, 70), in words where only the board knows


@pytest.mark.parametrize(
    ("step", "check", "words"),
    [
        ("s3.t1.allies.declare", "declare.must", ("with enemies only", "ended among enemies")),
        ("s3.t1.allies.declare", "declare.may", ("optional", "without moving")),
        ("s3.t1.allies.move", "move.push_through", ("passed freely", "contested or enemy-held")),
        ("s3.t4.allies.move", "move.mountains", ("leaving them go 1 space", "stop for this step")),
        ("s3.t6.allies.return", "return.land", ("objective or airfield", "airfield symbol")),
        ("s3.t1.allies.resolve", "resolve.control", ("hand over its tile", "change its control")),
    ],
)
def test_49_50_65_70_and_80_are_told(step: str, check: str, words: tuple[str, str]) -> None:
    told = {}
    for game, word in zip(BOTH, words, strict=True):
        evening = Evening(game)
        evening.jump(step)
        told[game] = evening.checks()[check]
        assert word in told[game]
    assert words[0] not in told[NEWER]
    assert words[1] not in told[FIRST]


def test_64_desert_rolls_are_made_in_the_first_edition_only() -> None:
    commands = {game: Evening(game).desk.rules.commands for game in BOTH}  # type: ignore[union-attr]
    assert RollDesert in commands[FIRST]
    assert RollDesert not in commands[NEWER]
    first = Evening(FIRST)
    first.jump("s3.t4.axis.move")
    assert "yellow die" in first.checks()["move.desert"]


# Resupply (30, 72-78, 83)


def test_30_bombing_has_a_name_of_its_own() -> None:
    bombing = Name("ability", "targeted_bombing")
    assert speak(bombing, Evening(FIRST).state) == "Strategic bombing"
    assert speak(bombing, Evening(NEWER).state) == "Targeted bombing"


@each(("contested",), ("contested", "blockade", "sea_space"))
def test_72_and_73_what_lowers_values(game: str, expected: tuple[str, ...]) -> None:
    evening = Evening(game)
    evening.jump("s3.r.allies.choose")
    for condition in ("contested", "blockade", "sea_space"):
        report = ReportCondition("tripoli", condition, True)
        if condition in expected:
            evening.do(report)
        else:
            evening.refuse(report, "bad_value", "A source can be contested")
    if game == NEWER:
        evening.enter({"holder.apr43.tripoli": "gb"})
    board = read(resupply_page, evening.desk.change, evening.desk.rules, ResupplyDraft("board", "gb"))
    texts = board.texts
    assert ("Tripoli: Contested" in texts) == (game == FIRST)
    assert ("Tripoli: Contested, or enemies only" in texts) == (game == NEWER)


@each(
    {
        "A": ("gibraltar", "algiers"),
        "B": ("rome", "palermo", "ajaccio", "bizerte", "tunis"),
        "C": ("taranto", "naples", "malta", "tripoli"),
        "D": ("thessaloniki", "athens", "benghazi", "tobruk"),
        "E": ("alexandria", "malta"),
    },
    {
        "1": ("gibraltar", "algiers", "bizerte"),
        "2": ("tunis", "cagliari", "messina", "naples", "rome"),
        "3": ("naples", "taranto", "athens", "thessaloniki"),
        "4": ("tripoli", "benghazi"),
        "5": ("alexandria", "tobruk", "malta"),
    },
)
def test_75_lanes(game: str, expected: dict[str, tuple[str, ...]]) -> None:
    evening = Evening(game)
    assert {lane.id: lane.sites for lane in tables(evening.state).lanes} == expected
    evening.jump("s3.r.allies.lanes")
    first = next(iter(expected))
    evening.do(EnterLane(first, {"allies": 0, "axis": 2}))
    assert lane_victims(evening.state, first) == expected[first]


def test_75_an_airfield_in_a_lane_has_nothing_to_lose() -> None:
    first = Evening(FIRST)
    first.jump("s3.r.allies.lanes")
    first.do(EnterLane("B", {"allies": 2, "axis": 0}))
    assert lane_victims(first.state, "B") == ("rome", "palermo", "tunis")


def test_76_striped_spaces_count_twice() -> None:
    for game in BOTH:
        evening = Evening(game)
        evening.jump("s3.r.allies.lanes")
        assert ("striped" in evening.checks()["resupply.lanes"]) == (game == FIRST)


def test_77_resupply_at_sea() -> None:
    for game in BOTH:
        state = Evening(game).state
        assert ("us_fleet" in sources(state, "us")) == (game == NEWER)


@each({"resupply"}, {"victory", "national_support", "resupply"})
def test_78_phases_of_both_sides_at_once(game: str, expected: set[str]) -> None:
    for phase in ("victory", "national_support", "resupply"):
        evening = Evening(game)
        ask = SetTogether((phase,))
        if phase in expected:
            evening.do(ask)
        else:
            evening.refuse(ask, "bad_value", "only in these phases: resupply.")


def test_79_tournament_time_and_the_commander_game() -> None:
    for option in ({"tournament": True}, {"commander": True, "minutes": 20}):
        assert Evening(NEWER, options=option)
        with pytest.raises(DataError, match=r"these rules know no|no commander game"):
            make_setup(games_by_key()[FIRST].family, loaded(FIRST), "first_apr43", option)
    for minutes in (1, 7.5, 45):  # clocks of any minutes are the table's own choice in both
        for game in BOTH:
            clock = Evening(game, options={"minutes": minutes}).state.frozen_setup.clock
            assert clock.allotted_ms["axis"] == (round(minutes * 60_000),) * 4
            assert not clock.tournament


def test_82_playing_alone() -> None:
    first = Evening(FIRST, options={"players": 1})
    assert {side.id: side.seats for side in first.state.frozen_setup.sides} == {
        "allies": ("Player 1",),
        "axis": ("Player 1",),
    }
    assert "openly" in first.checks()["setup.solo"]
    assert "setup.solo" not in Evening(FIRST).checks()
    with pytest.raises(DataError, match="players"):
        Evening(NEWER, options={"players": 1})


@each(None, 4)
def test_83_costs_stand_on_the_aid(game: str, expected: int | None) -> None:
    evening = Evening(game)
    assert unit_table_of(evening.state).units["tank"].cost == expected
    evening.enter({"tank.cost": 5})
    assert unit_table_of(evening.state).units["tank"].cost == 5


def test_the_other_sides_act_is_refused_alike() -> None:
    for game in BOTH:
        evening = Evening(game)
        evening.jump("s3.t3.allies.move")
        evening.refuse(SearchSpace(GERMANY, "F7"), "not_now", "This side acts now: allies")
        assert evening.send(JumpTo(evening.state.step.id, "s3.begin", 9), ARBITER)[0] is None  # type: ignore[arg-type]


@each("Mareth Line", "")
def test_9_a_defensive_line_tile_has_no_resupply_value(game: str, expected: str) -> None:
    """First edition, Resupply Cost and Values: values stand at Objectives; line tiles bring victory points alone."""
    if not expected:
        assert all(site.kind != "line" for site in tables(Evening(game).state).sites.values())
        return
    evening = Evening(game)
    evening.refuse(
        EnterPrintedValue("resupply.theater.mareth.land", 4), "bad_value", "mareth is not an Objective"
    )
    refused = why_not_source(evening.state, GERMANY, "land", "mareth")
    assert refused is not None
    assert (refused.code, str(refused.detail)) == (
        "no_value",
        "mareth is not an Objective and has no resupply value.",
    )
    evening.jump("s3.t2.allies.resolve")
    evening.refuse(RecordBombing("mareth", 1), "unknown_source", "not an Objective")

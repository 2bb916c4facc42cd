"""What the shared screens say of a game of the first edition: words, options, figures, deserts, lanes, Hidden Fleets."""

from __future__ import annotations

import pytest

from companion.core.dice import DiceSource
from companion.core.ids import Nation
from companion.core.ledger import SealedEnvelope
from companion.games.registry import games_by_key
from companion.games.sfw.pages.battle import other_occasions
from companion.games.sfw.pages.desert import (
    DesertDraft,
    desert_page,
    result_say,
    roll_command,
    virtual_values,
)
from companion.games.sfw.pages.resupply import ResupplyDraft, resupply_page
from companion.games.sfw.pages.seal_draft import Note
from companion.games.sfw.pages.seal_writing import draft_fault, start_spaces
from companion.games.sfw.pages.sealed import sealed_page
from companion.games.sfw.pages.support import SupportDraft, support_page
from companion.games.sfw.pages.tell import hits_say
from companion.games.sfw.pages.units import UnitsDraft, ask_figure, units_page
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle_losses import Hit
from companion.games.sfw.rules.battle_rolls import Aim
from companion.games.sfw.rules.desert import RollDesert
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.named import figure
from companion.games.sfw.rules.seal_messages import SealSecret
from companion.pages.game_options import option_rows, resolved_options, starting_options
from companion.pages.modules import game_view
from companion.pages.page import Act, Ask, Counter, Send, Tiles
from companion.pages.speak import speak
from companion.session.scenario_loader import offers
from companion.testing.reading import Reading, read
from tests.games.sfw_editions import FIRST, NEWER, Evening, loaded

ITALY = Nation("italy")


def at(step: str, game: str = FIRST) -> Evening:
    evening = Evening(game)
    evening.jump(step)
    return evening


def units(evening: Evening, unit: str) -> Reading:
    assert evening.desk.change is not None
    return read(units_page, evening.desk.change, draft=UnitsDraft(unit=unit))


# New game


def test_new_game_offers_clocks_of_any_minutes_but_no_tournament() -> None:
    info = next(
        info for info in offers(games_by_key()[FIRST].family, loaded(FIRST)) if info.scenario == "first_apr43"
    )
    chosen = starting_options(info)
    rows = {row.name: row for row in option_rows(info, chosen)}
    assert [key for key, _text in rows["time"].values] == ["custom", "count_up", "none"]
    assert [key for key, _text in rows["players"].values] == [1, 2, 3, 4]
    assert "commander" not in rows
    own = {**chosen, "time": "custom"}
    assert resolved_options(info, own)["minutes"]["axis"]


# Units and printed values


def test_a_unit_with_two_colours_has_two_hit_numbers_to_enter() -> None:
    evening = at("s3.t3.allies.move")
    rows = {row.key: row for row in game_view(FIRST).printed(evening.state)}
    assert rows["battleship.number.red"].label == "Battleship: Hit number (Red)"
    assert {"battleship.number.yellow", "battleship.range", "tank.number", "tank.cost"} <= set(rows)
    assert "fighter.number" not in rows
    evening.enter({"battleship.number.red": 8})
    card = units(evening, "battleship")
    numbers = [card.say(card.item(f"Hit number ({colour})").value) for colour in ("Red", "Yellow")]
    assert numbers == ["8", "–"]
    assert card.lead == "Red @8 vs Land or Sea; Yellow @? vs Land or Sea"
    rows = {row.key: row.value for row in game_view(FIRST).printed(evening.state)}
    assert (rows["battleship.number.red"], rows["battleship.number.yellow"]) == (8, None)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("battleship.number.blue", 8, "battleship rolls no dice of this colour: blue."),
        ("battleship.number.white", 8, "battleship.number.white: expected one of move, "),
        ("battleship.number.red", 13, "enter 1-12, not 13."),
        ("fighter.armour", "white", "choose from blue, yellow, red, black, not white."),
        ("lane_sites.A", ["algiers"], "two or more different sites"),
        ("lane_sites.A", ["algiers", "moon"], "two or more different sites"),
        ("lane_sites.Z", ["algiers", "malta"], "no lane Z. Name lane A, B, C, D, E."),
    ],
)
def test_printed_values_that_do_not_fit(key: str, value: object, words: str) -> None:
    rules = Evening(FIRST).desk.rules
    assert rules is not None
    fault = rules.printed_fault(Evening(FIRST).state, key, value)
    assert fault is not None
    assert words in str(fault)


def test_icons_are_added_one_by_one_beside_those_that_are_stated() -> None:
    evening = at("s3.t3.allies.move")

    def turn(icon: str) -> str:
        ask = ask_figure(evening.state, "tank", "abilities")
        (field,) = ask.form.fields
        assert [item.key for item in field.options] == ["extra_shot", "precise_hit"]
        act = ask.answered({"one": icon})
        assert isinstance(act, Send)
        evening.do(act.at(0))
        return units(evening, "tank").sub("Movement steps")

    assert "Extra shot" in turn("extra_shot")
    told = turn("precise_hit")
    assert all(name in told for name in ("Level up", "Extra shot", "Precise hit", "Heavy"))
    assert "Extra shot" not in turn("extra_shot")


# Words and colours


def test_black_is_the_top_level() -> None:
    aim = Aim(("sea",), True, "", False)
    hits = (Hit(4, aim), Hit(2, aim, 2))
    first, newer = (game_view(game).dice_colours(Evening(game).state) for game in (FIRST, NEWER))
    assert speak(hits_say(hits, first), game=FIRST) == "1 Black, 2 Yellow"
    assert speak(hits_say(hits, newer), game=NEWER) == "1 Purple, 2 Gray"
    assert speak(figure("number.red"), game=FIRST) == "Hit number (Red)"


@pytest.mark.parametrize(
    ("step", "first", "newer"),
    [
        ("s3.t1.allies.move", ["Push through"], ["Entry under fire"]),
        ("s3.t4.allies.move", ["Push through", "Desert roll"], ["Entry under fire", "Full disengage"]),
        ("s3.t6.allies.return", ["Push through"], ["Entry under fire"]),
        ("s3.v.check", [], []),
    ],
)
def test_what_else_is_rolled_for(step: str, first: list[str], newer: list[str]) -> None:
    for game, wanted in ((FIRST, first), (NEWER, newer)):
        state = at(step, game).state
        assert [speak(text, state) for _key, text in other_occasions(state)] == wanted


def test_on_step_6_there_are_push_throughs_and_no_battles() -> None:
    for game in (FIRST, NEWER):
        evening = at("s3.t6.allies.return", game)
        evening.refuse(bc.DeclareBattle("C4", "sea"), "not_now")
        evening.do(bc.DeclareBattle("C4", "sea", "movement"))
        rules = evening.desk.rules
        assert rules is not None
        undone = rules.leaving(evening.state, evening.state.step)
        assert undone is not None
        assert "A" in str(undone.detail)


def test_the_box_and_its_tabs() -> None:
    evening = at("s3.ns.draw")
    evening.next()
    change = evening.desk.change
    assert change is not None
    found = read(support_page, change, evening.desk.rules, None)
    assert [tab.key for tab in found.page.tabs] == ["cards", "box"]
    assert found.lead == "8 of 12 tokens on the board"
    box = read(support_page, change, evening.desk.rules, SupportDraft("box"))
    assert [row.key for row in box.items] == ["markers_allies", "markers_axis", "mines", "fortifications"]


# Deserts


def desert(evening: Evening, draft: DesertDraft = DesertDraft()) -> Reading:  # noqa: B008 - it is frozen
    assert evening.desk.change is not None
    return read(desert_page, evening.desk.change, draft=draft)


def test_a_desert_roll_from_units_to_outcome() -> None:
    evening = at("s3.t4.axis.move")
    page = desert(evening)
    assert (page.main, page.main_act) == ("Name the space first", None)
    assert page.texts[:2] == ["Germany", "Italy"]
    draft = DesertDraft("Siwa", "italy").with_step("tank", 2).with_step("artillery", 1).with_step("tank", -5)
    assert draft.dice == 1
    draft = draft.with_step("tank", 2)
    assert desert(evening, draft).main == "Roll 3 yellow dice"
    values, origin = virtual_values(draft, 5)
    assert virtual_values(draft, 5)[0] == values
    assert (len(values), origin.source, origin.seed) == (3, DiceSource.VIRTUAL, 5)
    rolling = DesertDraft("Siwa", "italy", draft.units, True, values=(10, 3, 4))
    assert desert(evening, rolling).main == "Accept the roll"
    evening.do(roll_command(rolling))
    page = desert(evening)
    assert page.lead == "Italy: 1 unit halts in the desert. Which one?"
    assert page.main_act is None
    counters = {item.key: item.facet.most for item in page.items if isinstance(item.facet, Counter)}
    assert counters == {"tank": 2, "artillery": 1}
    entry = evening.state.game["desert"].rolls[-1]
    halt = desert(evening, DesertDraft(halts={"tank": 0, "artillery": 1}, halts_of=entry.id)).main_act
    assert isinstance(halt, Send)
    evening.do(halt.at(0))
    entry = evening.state.game["desert"].rolls[-1]
    told = "Siwa, Italy: 10, 3, 4 – 1 Artillery halts"
    assert speak(result_say(entry), evening.state) == told
    assert desert(evening).texts[-1] == told
    evening.jump("s3.t4.axis.resolve")
    assert desert(evening).page.key == "closed"


def test_nobody_stops_on_low_dice() -> None:
    evening = at("s3.t4.axis.move")
    command = roll_command(DesertDraft("Siwa", "italy", {"tank": 1}, True, values=(9,)))
    assert isinstance(command, RollDesert)
    evening.do(command)
    told = speak(result_say(evening.state.game["desert"].rolls[0]), evening.state)
    assert told.endswith("9 – all continue")


# Hidden Fleets, lanes and resupply


def test_starting_spaces_are_offered_and_checked_at_set_up() -> None:
    evening = Evening(FIRST)
    state = evening.state
    assert start_spaces(state, "us", "fleet") == ("F7", "G3", "H6")
    assert start_spaces(state, "gb", "fleet") == ()

    def fault(space: str) -> str:
        note = Note(Nation("us"), "fleet", "", space, {"battleship": 1, "destroyer": 2})
        found = draft_fault(evening.state, note)
        return "" if found is None else speak(found, evening.state)

    assert fault("A2") == "This fleet starts in F7, G3 or H6"
    assert fault("g3") == ""
    evening.jump("s3.t3.allies.move")
    assert start_spaces(evening.state, "us", "fleet") == ()
    assert fault("A2") == ""


def test_the_note_on_step_6() -> None:
    for game, words in ((FIRST, "only where no enemy unit"), (NEWER, "only in movement steps 1 to 5")):
        evening = Evening(game)
        envelope = SealedEnvelope("c", "n", "t", (), {}, "00")
        evening.do(SealSecret(Nation("us"), "fleet", "US fleet", envelope))
        evening.jump("s3.t6.allies.return")
        change = evening.desk.change
        assert change is not None
        found = read(sealed_page, change, evening.desk.rules)
        assert words in found.lead
        ask = found.act("US fleet")
        assert isinstance(ask, Ask)
        can_reveal = any(option.key.startswith("reveal.") for option in ask.form.fields[0].options)
        assert can_reveal == (game == FIRST)


def resupply(evening: Evening, tab: str, nation: str = "") -> Reading:
    change = evening.desk.change
    assert change is not None
    return read(resupply_page, change, evening.desk.rules, ResupplyDraft(tab, nation))


def test_lanes_are_set_from_the_board() -> None:
    evening = at("s3.r.allies.lanes")
    found = resupply(evening, "lanes")
    assert found.texts[0] == "A  Gibraltar, Algiers (inferred, check)"
    newer = resupply(at("s3.r.allies.lanes", NEWER), "lanes").page.tools
    assert [tool.act for tool in newer] == ["level", "taking"], "its lanes are known, and set by nobody"
    lanes = found.shown.acts["sites"]
    assert isinstance(lanes, Ask)
    sites = lanes.answered({"one": "A"})
    assert isinstance(sites, Ask)
    options = {found.say(option.title): option.key for option in sites.form.fields[0].options}
    assert {"– Gibraltar", "+ Bizerte", "+ Ajaccio"} <= set(options)
    assert "+ Mareth Line" not in options
    add = sites.answered({"one": options["+ Bizerte"]})
    assert isinstance(add, Send)
    evening.do(add.at(0))
    lane = next(lane for lane in tables(evening.state).lanes if lane.id == "A")
    assert (lane.sites, lane.is_inferred) == (("gibraltar", "algiers", "bizerte"), False)
    again = resupply(evening, "lanes")
    assert again.texts[0] == "A  Gibraltar, Algiers, Bizerte"
    assert [tool.act for tool in again.page.tools] == ["level", "sites", "taking"]


def test_units_without_a_cost_say_so() -> None:
    from companion.games.sfw.rules.resupply_record import ChooseResupply, Purchase

    evening = at("s3.r.allies.choose")
    found = resupply(evening, "buy", "gb")
    tiles = next(block for block in found.page.blocks if block.key == "line.land")
    assert isinstance(tiles, Tiles)
    ask = found.shown.acts[tiles.tiles[0].act]  # type: ignore[index]
    assert isinstance(ask, Ask)
    assert ask.form.fields[0].options[0].key == "tripoli"
    evening.do(ChooseResupply(Nation("gb"), "land", "tripoli"))

    def tank() -> tuple[str, Act]:
        page = resupply(evening, "buy", "gb")
        tile = page.item("Tank")
        assert isinstance(tile.facet, Counter)
        return page.say(tile.sub), page.shown.acts[tile.facet.more]  # type: ignore[index]

    cost, act = tank()
    assert cost == "Cost unknown"
    assert isinstance(act, Ask), "a tap asks for its cost, and buys it then"
    evening.enter({"tank.cost": 4})
    assert tank() == ("Costs 4", Send(Purchase(Nation("gb"), "land", "tank", 1)))


def test_losses_are_counted_in_armour_levels_until_costs_are_entered() -> None:
    from companion.games.sfw.pages.battle_luck import is_priced
    from companion.games.sfw.pages.battle_odds import battle_odds
    from companion.games.sfw.rules.battle_state import battles_of
    from tests.games.sfw_editions import Fought

    fought = Fought(FIRST).attack(("us", "tank", 1)).defend(("germany", "infantry", 2))
    evening = fought.evening
    assert not is_priced(evening.state)
    assert is_priced(Evening(NEWER).state)
    odds = battle_odds(evening.state, battles_of(evening.state).battles[0])
    assert odds is not None
    assert odds.odds.costs_missing
    evening.enter({"tank.cost": 4, "infantry.cost": 1})
    odds = battle_odds(evening.state, battles_of(evening.state).battles[0])
    assert odds is not None
    assert not odds.odds.costs_missing

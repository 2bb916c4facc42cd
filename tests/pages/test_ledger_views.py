"""View models of Control, Resupply, Support and Sealed, the ledger's words and its report sections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.core.commands import EnterPrintedValue
from companion.core.ids import ARBITER, Nation, SiteId
from companion.core.ledger import SealedEnvelope, commitment, reseal_proof
from companion.games.sfw.pages.control import Capture, ControlDraft, control_page
from companion.games.sfw.pages.resupply import ResupplyDraft, resupply_page
from companion.games.sfw.pages.score import score_page
from companion.games.sfw.pages.seal_draft import Note, SealedDraft
from companion.games.sfw.pages.seal_writing import draft_fault
from companion.games.sfw.pages.sealed import sealed_page
from companion.games.sfw.pages.support import SupportDraft, support_page
from companion.games.sfw.rules import resupply_record as rs
from companion.games.sfw.rules import support as su
from companion.games.sfw.rules import tokens as tk
from companion.games.sfw.rules.control import CorrectControl, TakeControl
from companion.games.sfw.rules.seal_messages import (
    ConfirmHidden,
    Content,
    OweReveal,
    RecordOpening,
    RevealSecret,
    SayOnDial,
    SealSecret,
)
from companion.games.sfw.rules.seals import content_text
from companion.games.sfw.rules.supply import SetUpHub, WatchGroup
from companion.pages.labels import entry_label
from companion.pages.modules import game_view
from companion.pages.page import TABLE_VIEWER, Ask, Counter, Do, Item, Refuse, Send, Side, Sides, Sight, Tick
from companion.pages.parts import nation_mark
from companion.pages.plots import score_lines
from companion.pages.report import report_html
from companion.pages.score import ScoreDraft
from companion.pages.speak import sentence, speak
from companion.pages.take_back import undo_label
from companion.testing.reading import Reading, dangling, read
from companion.testing.sfw_evenings import SfwGame

US, GB, ITALY, GERMANY = Nation("us"), Nation("gb"), Nation("italy"), Nation("germany")


def test_points_are_judged_with_their_sum_and_control_as_if_it_ended_now() -> None:
    """What a director adjudicates by: what a side began with and each tile since, one taken back left out."""
    game = SfwGame("apr43")
    game.enter({"vp.theater.tunis": 4, "vp.theater.bone": 0.5})
    before = {one.side: one for one in game_view("sfw96").figures(game.state)}
    assert before["allies"].lines == ("48.5 are needed to win",)
    for site, nation in (("tunis", US), ("bone", GERMANY)):
        game.do(CorrectControl(SiteId(site), nation), actor=ARBITER)
    now = {one.side: one for one in game_view("sfw96").figures(game.state)}
    assert now["allies"].amount == before["allies"].amount + 3.5
    assert now["allies"].lines[1] == "38 at first, then +4 Tunis, −0.5 Bone"
    assert now["axis"].lines[1] == "40 at first, then −4 Tunis, +0.5 Bone"
    game.do(CorrectControl(SiteId("tunis"), GERMANY), actor=ARBITER)
    now = {one.side: one for one in game_view("sfw96").figures(game.state)}
    assert now["allies"].lines[1] == "38 at first, then −0.5 Bone"
    short = SfwGame("tobruk41")
    figures = game_view("sfw96").figures(short.state)
    assert [(one.side, one.amount, one.is_points) for one in figures] == [
        ("allies", 1.0, False),
        ("axis", 0.0, False),
    ]
    assert figures[1].lines == ("0 / 1 held", "If it ended now: Allies win")


def score(game: Any, tab: str = "list") -> Reading:
    found = read(score_page, game.desk.change, game.desk.rules, ScoreDraft(tab))
    assert dangling(found.shown) == []
    return found


def control(game: Any, draft: ControlDraft | None = None) -> Reading:
    found = read(control_page, game.desk.change, game.desk.rules, draft)
    assert dangling(found.shown) == []
    return found


def totals_of(found: Reading) -> list[str]:
    return [found.say(side.head.value) for side in sides_of(found)]


def sides_of(found: Reading) -> tuple[Side, ...]:
    return next(block.sides for block in found.page.blocks if isinstance(block, Sides))


def test_control_shows_both_sides_and_the_distance_to_victory(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.enter({"vp.theater.tunis": 4, "holder.apr43.tunis": "germany"})
    found = control(game)
    assert totals_of(found) == ["38", "40"]
    tiles = [block.tiles for side in sides_of(found) for block in side.blocks]
    assert [len(items) for items in tiles] == [10, 13]
    tunis = next(tile for tile in tiles[1] if tile.key == "tunis")
    assert (tunis.value, tunis.mark) == (4, nation_mark(game.state.frozen_setup, "germany"))
    rome = next(tile for tile in tiles[1] if tile.key == "rome")
    assert (found.say(rome.value), found.say(rome.mark.name)) == ("–", "Axis")
    victory = score(game)
    assert [victory.say(row.sub) for row in victory.block("conditions").rows] == [
        "Has 38, 10.5 short", "Has 40, 10.5 short", "Axis as things stand",
    ]  # fmt: skip
    game.go("s3.t4.allies.resolve")
    game.do(TakeControl("tunis", US, {"us": 1}), CorrectControl("rome", US))
    assert totals_of(control(game)) == ["–", "–"]
    hidden = score(game, "chart")
    assert hidden.say(hidden.page.title) == "If it ended now: not known yet"
    assert hidden.say(hidden.block("holders").note).startswith("The tile value of Rome is missing.")
    assert control(game, ControlDraft("changes")).texts == [
        "Stage 3: Rome to United States (– : –)", "Stage 3: Tunis to United States (42 : 36)",
    ]  # fmt: skip


def test_the_capture_form_lets_the_rules_answer(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.t4.allies.resolve")

    def form(capture: Capture) -> Reading:
        return control(game, ControlDraft("sites", capture))

    found = form(Capture("tunis"))
    assert found.lead == "Enter the units there that can take control."
    assert found.main_act is None
    assert [(row.key, row.facet.count) for row in found.items] == [
        ("own.gb", 0), ("own.us", 0), ("left.germany", 0), ("left.italy", 0),
    ]  # fmt: skip
    more = found.shown.acts[found.items[1].facet.more]
    assert more.change(ControlDraft("sites", Capture("tunis"))).capture.own == {"us": 1}
    held = form(Capture("tunis", own={"us": 2}, left={"italy": 1}))
    assert "contested, not lost" in held.lead
    tie = form(Capture("tunis", own={"us": 2, "gb": 2}))
    assert [block.key for block in tie.page.blocks] == ["units", "agreement"]
    assert tie.main_act is None
    agreed = form(Capture("tunis", "us", {"us": 2, "gb": 2}, is_agreed=True))
    assert agreed.main == "United States takes Tunis"
    asks = agreed.main_act
    assert asks.form.title.values["site"].id == "tunis", (
        "its points are not known: they are asked once, with it"
    )
    later = asks.answered({"one": "later"})
    entered = asks.answered({"one": "4"})
    assert later == entered.then
    assert (entered.command.key, entered.command.value) == ("vp.theater.tunis", 4)
    game.do(later.command)


def test_totals_by_hand_give_the_other_side_the_rest(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("italy")
    found = control(game, ControlDraft("changes"))
    ask = found.shown.acts[found.page.tools[0].act]
    game.do(ask.answered({"points": "20"}).command)
    assert totals_of(control(game)) == ["20", "23"]
    refused = ask.answered({"points": "43.25"})
    assert isinstance(refused, Refuse)
    assert found.say(refused.why) == "Enter a number from 0 to 43."
    assert isinstance(ask.answered({"points": "1.1"}), Refuse)


def test_a_tile_value_is_entered_in_quarters(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    found = control(game, ControlDraft("sites", Capture("rome")))
    whose, value, _taking, _close = (found.shown.acts[tool.act] for tool in found.page.tools)
    game.do(value.answered({"points": "0.75"}).command)
    assert game.state.printed["vp.theater.rome"] == 0.75
    assert isinstance(value.answered({"points": "0.8"}), Refuse)
    game.do(whose.answered({"one": "italy"}).command)
    assert game.state.printed["holder.apr43.rome"] == "italy"


def test_a_short_scenario_shows_what_must_be_held(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("crete41")
    found = score(game)
    assert found.texts[0] == "Maleme and Heraklion, stages 1–2"
    assert found.say(found.items[0].sub) == "Still to take: Maleme, Heraklion"
    assert control(game, ControlDraft("changes")).page.tools == ()
    assert game_view("sfw96").scores(game.state)[0].text == "0 / 2"


@pytest.mark.parametrize(
    ("scenario", "unit"),
    [
        ("apr43", "Victory points"),
        ("tobruk41", "Who holds Tobruk"),
        ("crete41", "Who holds the 2 places to take"),
    ],
)
def test_the_score_bar_says_what_it_counts(ledger_game: Callable[..., Any], scenario: str, unit: str) -> None:
    game = ledger_game(scenario)
    standing = game_view("sfw96").standing(game.state)
    assert standing is not None
    assert standing.split.unit is not None
    assert speak(standing.split.unit, game.state) == unit


def test_points_that_are_there_before_they_count_say_from_which_stage_they_do(
    ledger_game: Callable[..., Any],
) -> None:
    game = ledger_game("nafrica")
    goals = [(one.text, one.goal) for one in game_view("sfw96").scores(game.state)]
    assert goals == [("29", "of 28 from stage 3"), ("11", "of 28")]
    game.go("s3.t1.axis.move")
    assert game_view("sfw96").scores(game.state)[0].goal == "of 28"


def test_scores_and_the_vp_line(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.enter({"vp.theater.tunis": 4})
    game.go("s3.t4.allies.resolve")
    game.do(TakeControl("tunis", US, {"us": 1}))
    scores = game_view("sfw96").scores(game.state)
    assert [(one.text, one.goal) for one in scores] == [("42", "of 48.5"), ("36", "of 50.5")]
    lines = score_lines(game.state)
    assert lines is not None
    first = lines.lines[0].points
    assert first[0] == (3.0, 38.0)
    assert [y for _x, y in first] == [38.0, 38.0, 42.0]


@pytest.mark.parametrize(
    ("step", "screen"),
    [
        ("s3.v.check", "score"),
        ("s3.ns.axis.play", "support"),
        ("s3.r.axis.place", "resupply"),
        ("s4.begin", ""),
    ],
)
def test_phases_lead_to_their_screens(ledger_game: Callable[..., Any], step: str, screen: str) -> None:
    game = ledger_game("apr43")
    game.jump(step)
    assert game_view("sfw96").screen_for(game.state) == screen


def resupply_game(ledger_game: Callable[..., Any]) -> Any:
    game = ledger_game("apr43")
    for site, nation in (("algiers", "us"), ("tunis", "germany")):
        game.enter({f"holder.apr43.{site}": nation})
        game.enter({f"resupply.theater.{site}.{kind}": 9 for kind in ("air", "sea", "land")})
    game.go("s3.r.allies.lanes")
    return game


def resupply(game: Any, tab: str, nation: str = "us", *, is_taking: bool = False) -> Reading:
    draft = ResupplyDraft(tab, nation, is_taking)
    found = read(resupply_page, game.desk.change, game.desk.rules, draft)
    assert dangling(found.shown) == []
    return found


def test_the_lane_that_is_marked_is_the_one_the_end_of_the_act_asks_for(
    ledger_game: Callable[..., Any],
) -> None:
    game = ledger_game("apr43")
    game.enter({"holder.apr43.tunis": "germany", "resupply.theater.tunis.land": 9})
    game.go("s3.r.allies.lanes")
    found = resupply(game, "lanes")
    marked = [row.key for row in found.items if row.state == "chosen"]
    assert marked == ["of.2"], "nobody has entered what lane 1 could lower"
    game.refuse(game.end(), "still_open", "Lane 2 is not counted.")


def test_resupply_shows_the_sum_line_by_line(ledger_game: Callable[..., Any]) -> None:
    game = resupply_game(ledger_game)
    game.do(rs.EnterLane("1", {"allies": 0, "axis": 1}))
    found = resupply(game, "lanes")
    assert [row.value for row in found.items[1:3]] == [0, 1]
    assert found.items[0].state == "chosen", "it waits for its winner"
    victims = found.act("1  Axis +1: which Objective?")
    assert victims.answered({"one": "algiers"}) == Send(rs.CutLane("1", "algiers"))
    game.do(rs.CutLane("1", "algiers"), rs.ReportCondition("algiers", "contested"))
    waiting = resupply(game, "lanes")
    (rows,) = waiting.page.blocks
    assert found.say(waiting.page.tools[0].title) == "Lane 2: level"
    assert [row.key for row in rows.rows if row.state == "chosen"] == ["of.2"]
    taken = resupply(game, "lanes", is_taking=True)
    one = next(row for row in taken.items if row.key == "axis.1")
    assert taken.shown.acts[one.act] == Send(rs.EnterLane("1", {"allies": 0, "axis": 0}))
    assert next(row for row in taken.items if row.key == "allies.1").act is None, "none is there"
    game.do(rs.ChooseResupply(US, "land", "algiers"), rs.Purchase(US, "land", "infantry", 3))
    found = resupply(game, "buy")
    land = tiles_of(found, "line.land")
    assert (found.say(land["land"].title), found.say(land["land"].value)) == ("Algiers", "0 left")
    where = found.shown.acts[land["land"].act]
    assert found.say(where.form.fields[0].sub) == "9 on the board, 4 contested: halved, 3 lane 1"
    assert (land["infantry"].facet.count, found.say(land["tank"].sub), land["tank"].facet) == (
        3,
        "Costs 4",
        None,
    )
    assert (land["tank"].state, land["tank"].act) == ("muted", None), "too dear"
    why = found.shown.acts[land["infantry"].facet.more]
    assert found.say(why.why) == "Only 3 to spend on Land units; you need 4."
    taken = resupply(game, "buy", is_taking=True)
    off = taken.shown.acts[tiles_of(taken, "line.land")["infantry"].act]
    assert off == Send(rs.Purchase(US, "land", "infantry", -1))
    assert tiles_of(taken, "line.land")["tank"].act is None
    assert found.say(found.page.second.title) == "Place 3 units: Algiers"
    sea = tiles_of(found, "line.sea")
    assert found.shown.acts[sea["sea.algiers"].act] == Send(rs.ChooseResupply(US, "sea", "algiers"))
    sources = found.shown.acts[sea["sea"].act].form.fields[0].options
    told = {option.key: found.say(option.title) for option in sources}
    assert told["algiers"] == "Algiers: 3"
    assert "no Hidden Fleet" in told["us_fleet"]
    assert told["tripoli"] == "Tripoli: say which nation holds it"
    board = resupply(game, "board")
    assert [row.facet.is_on for row in board.items if isinstance(row.facet, Tick)] == [True, False, False]
    assert [row.facet.count for row in board.items if isinstance(row.facet, Counter)] == [0]


def test_a_missing_value_and_a_fleets_space_are_asked_before_it_is_chosen(
    ledger_game: Callable[..., Any],
) -> None:
    game = resupply_game(ledger_game)
    game.go("s3.r.allies.choose")
    game.do(SayOnDial(US, is_there=True))
    game.enter({"resupply.theater.algiers.air": None})
    found = resupply(game, "buy")
    air = found.shown.acts[tiles_of(found, "line.air")["air"].act]
    value = air.answered({"one": "algiers"})
    assert found.say(value.form.title) == "Algiers: Air resupply"
    entered = value.answered({"value": "14"})
    assert entered.command == EnterPrintedValue("resupply.theater.algiers.air", 14)
    assert entered.then.command == rs.ChooseResupply(US, "air", "algiers")
    assert isinstance(value.answered({"value": "999"}), Refuse)
    clear = air.answered({"one": "us_fleet"})
    assert clear.answered({"one": "no"}) == Send(rs.ReportAtSea("us_fleet", False))
    assert clear.answered({"one": "yes"}).then.command == rs.ChooseResupply(US, "air", "us_fleet")


def support(game: Any, tab: str) -> Reading:
    found = read(support_page, game.desk.change, game.desk.rules, SupportDraft(tab))
    assert dangling(found.shown) == []
    return found


def tiles_of(found: Reading, key: str) -> dict[str, Item]:
    block = next(block for block in blocks_of(found) if block.key == key)
    return {tile.key: tile for tile in block.tiles}


def blocks_of(found: Reading) -> list[Any]:
    blocks = found.page.blocks
    sides = [side for block in blocks if isinstance(block, Sides) for side in block.sides]
    return [*blocks, *(inner for side in sides for inner in side.blocks)]


def test_support_shows_hands_tokens_and_why_not(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.go("s3.t2.allies.move")
    game.do(tk.PlaceToken(US, "mine", "E5"))
    found = support(game, "tokens")
    us = tiles_of(found, "reserve.us")
    assert (found.say(us["left"].value), us["mine"].value, us["line"].value) == ("5 of 6", 1, 0)
    assert isinstance(found.shown.acts[us["mine"].act], Ask)
    refused = found.shown.acts[us["line"].act]
    assert isinstance(refused, Refuse)
    assert "movement step 4" in found.say(refused.why)
    off = found.shown.acts[found.item("Mine in E5").act]
    assert isinstance(off, Ask)
    assert off.answered({}) == Send(tk.RemoveToken(1))
    game.go("s3.ns.allies.play")
    game.do(su.PlayCard(US, "Lend-Lease", "strategy", 1, is_lasting=False, note="once"))
    found = support(game, "cards")
    hand = tiles_of(found, "hand.us")
    assert [tile.value for tile in hand.values()] == [1, 1, 1]
    assert found.say(hand["cards"].title) == "Play"
    assert found.say(tiles_of(found, "hand.italy")["cards"].title) == "Cards"
    assert found.lead == "3 of 16 tokens on the board"
    assert found.say(found.item("Lend-Lease").sub) == "Stage 3, Strategy, cost 1, once"
    play = found.shown.acts[hand["cards"].act]
    new = play.answered({"one": "new"})
    assert [found.say(option.title) for option in new.form.fields[0].options] == ["Lend-Lease"], (
        "completed by tap"
    )
    based = new.answered({"name": "Sherman", "kind": "upgrade", "cost": "1"})
    assert "Tank" in [found.say(option.title) for option in based.form.fields[0].options]


def test_a_hand_is_set_right_by_the_arbiter_under_tournament_time(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43", {"tournament": True})
    found = support(game, "cards")
    correct = found.shown.acts[tiles_of(found, "hand.us")["tokens"].act]
    sent = correct.answered({"tokens": "3", "cards": "2"})
    assert sent == Send(su.CorrectSupport(US, 3, 2), ARBITER)


def test_supply_names_what_a_lost_hub_would_cut_off(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    game.go("s1.t4.axis.move")
    game.do(CorrectControl("mersa_brega", ITALY), SetUpHub(ITALY, "the desert", ("mersa_brega",)))
    game.do(WatchGroup(ITALY, "Tank"))
    found = support(game, "supply")
    hub = found.item("Mobile hub at the desert")
    assert found.say(hub.sub) == "In supply only through Mersa Brega"
    assert found.item("Mersa Brega").sub is None, "what is in supply anyway is its name alone"
    assert found.say(found.item("Tank: may not move").sub) == "Away from hubs and roads"
    missing = found.shown.acts[found.page.tools[0].act]
    assert [found.say(one.title) for one in missing.form.fields[0].options] == ["Holders (7)", "Links (2)"]
    links = missing.answered({"one": "links"})
    apart = links.answered({"one": links.form.fields[0].options[0].key})
    answer = apart.answered({"one": "yes"})
    assert answer.command.key.startswith("link.")
    assert answer.command.value is True


NOTE = content_text(Content("J4", {"battleship": 1, "destroyer": 2}))


class NoVault:
    """A desk whose vault gives what it was told to keep, to whoever knows the PIN."""

    def __init__(self) -> None:
        self.vault, self.kept = self, ("", "")
        self.noted: list[str] = []

    def entries(self) -> tuple[Any, ...]:
        return ()

    def counts(self, _seq: int) -> bool:
        return True

    def note(self, of: str, _envelope: SealedEnvelope) -> None:
        self.noted.append(of.partition("|")[2])

    def lacking(self, _of: str, _commitments: frozenset[str]) -> int:
        return 0

    def seal(self, text: str, label: str, **keys: str) -> tuple[SealedEnvelope, str]:
        self.kept = (keys["side_pin"], text)
        del label
        return SealedEnvelope("c", "n", "t", (), {}, commitment("0f" * 32, text)), "CODE"

    def open(self, *args: Any, **_tries: str) -> tuple[str, str]:
        if args[3] != self.kept[0]:
            raise PermissionError("wrong PIN")
        return self.kept[1], "0f" * 32


def sealed(game: Any, note: Note | None = None, desk: Any = None) -> Reading:
    change = game.desk.change
    found = Reading(
        sealed_page(Sight(TABLE_VIEWER, change, game.desk.rules, SealedDraft(note), desk)), change
    )
    assert dangling(found.shown) == []
    return found


def test_sealed_shows_history_and_proof_and_no_content_before(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    envelope = SealedEnvelope("c", "n", "t", (), {}, commitment("0f" * 32, NOTE))
    game.do(SealSecret(US, "fleet", "US fleet", envelope), RecordOpening("us.fleet.1", "side", False))
    game.go("s3.t3.allies.move")
    found = sealed(game)
    assert found.say(found.item("US fleet").sub) == "Sealed: Set up the game; 1 wrong PIN"
    assert found.main == "Allies: stays hidden"
    assert found.main_act == Send(ConfirmHidden(game.state.step.id, "allies"))
    assert any("enemy mine" in text for text in found.texts if text.startswith("Reveal if: "))
    assert [item.key for item in found.items if item.key.startswith("new.")] == [
        "new.gb.fleet", "new.germany.fleet", "new.italy.fleet",
    ]  # fmt: skip
    ask = found.shown.acts[found.item("US fleet").act]
    told = [found.say(option.title) for option in ask.form.fields[0].options]
    assert told[:3] == [
        "Look: the side's PIN", "Reveal: the side's PIN", "It moved or changed: seal it again",
    ]  # fmt: skip
    assert ask.answered({"one": "owe.mined"}) == Send(OweReveal("us.fleet.1", "mined"))
    game.do(OweReveal("us.fleet.1", "mined"))
    found = sealed(game)
    assert "enemy mine" in found.say(found.item("US fleet").sub)
    game.do(RevealSecret("us.fleet.1", NOTE, "0f" * 32, "mined"))
    shown = [item for item in sealed(game).items if item.key.startswith("us.fleet.1.")]
    assert [found.say(item.title) for item in shown] == [
        "Space J4", "1 Battleship, 2 Destroyers", "Proof: unchanged since it was sealed",
    ]  # fmt: skip


def test_a_note_is_sealed_and_opened_by_the_vault_alone(ledger_game: Callable[..., Any]) -> None:
    game, desk = ledger_game("apr43"), NoVault()
    note = Note(US, "fleet", "", "J4", {"battleship": 1, "destroyer": 2})
    found = sealed(game, note, desk)
    assert found.page.is_private
    pins = found.main_act
    assert isinstance(pins, Ask)
    assert [field.kind for field in pins.form.fields] == ["pin", "pin"]
    again = pins.answered({"pin": "4829", "again": "4828"})
    assert [field.key for field in again.form.fields] == ["pin", "again"], "the slip may be in either of them"
    assert found.say(again.form.fields[0].sub) == "The PINs did not match. Enter both again."
    pins = again
    do = pins.answered({"pin": "4829", "again": "4829"})
    assert isinstance(do, Do)
    assert desk.kept == ("", ""), "nothing is done before it is carried out"
    cleared = do.run()
    assert cleared.change(SealedDraft(note)) == SealedDraft()
    assert desk.kept == ("4829", NOTE)
    assert desk.noted == []
    after = cleared.then.then.run()
    assert desk.noted == ["us|fleet"], "the box remembers what a game has taken"
    assert "CODE" not in found.say(after.form.fields[0].sub), "shown only on request"
    assert "CODE" in found.say(after.answered({"one": "code"}).form.fields[0].sub)
    game.do(cleared.then.command)
    game.go("s3.t3.allies.move")
    found = sealed(game, None, desk)
    ask = found.shown.acts[found.item("Hidden Fleet, United States").act]
    wrong = ask.answered({"one": "look.allies"}).answered({"key": "1111"}).run()
    assert (wrong.command, found.say(wrong.then.why)) == (
        RecordOpening("us.fleet.1", "side", False), "Wrong PIN",
    )  # fmt: skip
    right = ask.answered({"one": "look.allies"}).answered({"key": "4829"}).run()
    assert right.command == RecordOpening("us.fleet.1", "side", True)
    assert found.say(right.then.form.fields[0].sub) == "Space J4\n1 Battleship, 2 Destroyers"
    shown = ask.answered({"one": "reveal.allies"}).answered({"key": "4829"}).run()
    assert shown.command == RevealSecret("us.fleet.1", NOTE, "0f" * 32, "chosen")


def test_only_a_wrong_pin_is_noted_as_one(ledger_game: Callable[..., Any]) -> None:
    """A key that is damaged or another box's, a note that was changed, a wait: told, and nothing enters the log."""
    game, desk = ledger_game("apr43"), NoVault()
    envelope = SealedEnvelope("c", "n", "t", (), {}, commitment("0f" * 32, NOTE))
    game.do(SealSecret(US, "fleet", "US fleet", envelope))
    game.go("s3.t3.allies.move")

    def tried() -> Any:
        ask = sealed(game, None, desk).shown.acts["secret.us.fleet.1"]
        return ask.answered({"one": "look.allies"}).answered({"key": "4829"}).run()

    def fail(*_args: Any, **_tries: str) -> tuple[str, str]:
        raise fault

    desk.open = fail  # type: ignore[method-assign]
    for fault in (ValueError("the device key 3F2A-91BC is damaged"), ValueError("sealed on another box")):
        told = tried()
        assert isinstance(told, Refuse)
        assert str(told.why) == str(fault)
    fault = PermissionError("wrong PIN")  # type: ignore[assignment]
    assert tried().command == RecordOpening("us.fleet.1", "side", False)


def test_sealing_again_opens_the_note_first_and_brings_its_proof(ledger_game: Callable[..., Any]) -> None:
    game, desk = ledger_game("apr43"), NoVault()
    envelope = SealedEnvelope("c", "n", "t", (), {}, commitment("0f" * 32, NOTE))
    game.do(SealSecret(US, "fleet", "US fleet", envelope))
    game.go("s3.t3.allies.move")
    desk.kept = ("4829", NOTE)
    ask = sealed(game, None, desk).shown.acts["secret.us.fleet.1"]
    opened = ask.answered({"one": "again"})
    assert opened.answered({"key": "1111"}).run().command == RecordOpening("us.fleet.1", "side", False)
    right = opened.answered({"key": "4829"}).run()
    assert right.command == RecordOpening("us.fleet.1", "side", True)
    note = right.then.change(SealedDraft()).note
    assert (note.secret, note.space, note.units) == ("us.fleet.1", "J4", {"battleship": 1, "destroyer": 2})
    once = sealed(game, note, desk).main_act
    assert [field.key for field in once.form.fields] == ["pin"], (
        "the note of before tells whether the PIN is the same"
    )
    assert isinstance(once.answered({"pin": "4829"}).run(), Do)
    other = once.answered({"pin": "1111"}).run()
    assert other.command == RecordOpening("us.fleet.1", "side", False)
    assert [field.key for field in other.then.answered({"again": "1112"}).form.fields] == ["pin"]
    assert isinstance(other.then.answered({"again": "1111"}), Do)
    assert note.proof == reseal_proof("0f" * 32)


def test_a_draft_is_checked_before_it_is_sealed(ledger_game: Callable[..., Any]) -> None:
    state = ledger_game("italy").state

    def fault(kind: Any, space: str, units: dict[str, int]) -> str:
        found = draft_fault(state, Note(US, kind, "", space, units))
        return "" if found is None else sentence(found, state)

    assert fault("fleet", "", {}) == "Name the space first"
    assert "3 to 10 Sea Units" in fault("fleet", "J4", {"destroyer": 1})
    assert fault("fleet", "J4", {"destroyer": 3}) == ""
    assert fault("units", "7", {"tank": 0}) == "Name the units first"
    assert fault("units", "7", {"tank": 1}) == ""


def test_every_command_of_the_ledger_has_words(ledger_game: Callable[..., Any]) -> None:
    from companion.games.sfw.rules.control import ControlPart
    from companion.games.sfw.rules.resupply import ResupplyPart
    from companion.games.sfw.rules.seals import SealsPart
    from companion.games.sfw.rules.supply import SupplyPart
    from companion.games.sfw.rules.support import SupportPart
    from companion.games.sfw.rules.tokens import TokensPart
    from companion.pages.modules import words_of

    for part in (ControlPart, ResupplyPart, SealsPart, SupplyPart, SupportPart, TokensPart):
        assert [command.__name__ for command in part.commands if command not in words_of("sfw96").log] == []
    game = resupply_game(ledger_game)
    game.do(rs.ChooseResupply(US, "land", "algiers"), rs.Purchase(US, "land", "tank", 2))
    assert entry_label(game.desk.change.undo, game.state) == "United States buys 2 Tanks"


def test_the_report_has_the_ledgers_sections(ledger_game: Callable[..., Any]) -> None:
    game = resupply_game(ledger_game)
    envelope = SealedEnvelope("c", "n", "t", (), {}, "00")
    game.do(SealSecret(US, "fleet", "US <fleet>", envelope), actor=ARBITER)  # noted late
    game.do(
        rs.ChooseResupply(US, "land", "algiers"), rs.Purchase(US, "land", "tank", 2), rs.Place(US, "land")
    )
    page = report_html(game.desk.change, game.desk.entries(), game.desk.counts, 0)
    for key in ("control", "support", "purchases", "sealed"):
        assert f'<section id="{key}">' in page
    assert "2 Tanks" in page
    assert "US &lt;fleet&gt;" in page
    assert "still hidden" in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_card_is_remembered_by_name_kind_and_cost_and_played_again_in_a_later_game(
    ledger_game: Callable[..., Any],
) -> None:
    game = ledger_game("apr43")
    game.go("s3.ns.allies.play")

    def play() -> Ask:
        found = support(game, "cards")
        ask = found.shown.acts[tiles_of(found, "hand.us")["cards"].act]
        assert isinstance(ask, Ask)
        return ask

    first = play()
    assert [field.key for field in first.form.fields] == ["name", "kind", "cost"], "no card is known yet"
    dear = first.answered({"name": "Lend-Lease", "kind": "strategy", "cost": "9"}).answered({"one": "once"})
    assert isinstance(dear, Refuse), "what cannot be played is not remembered either"
    asked = first.answered({"name": "Lend-Lease ", "kind": "strategy", "cost": "1"}).answered({"one": "once"})
    remembered = {"name": "Lend-Lease", "kind": "strategy", "cost": 1}
    assert asked.command == EnterPrintedValue("card.us.lend_lease", remembered)
    game.do(asked.command, asked.then.command)
    assert undo_label(game.desk.change, game.desk.entries()) == "United States plays Lend-Lease"
    later = ledger_game("apr43")
    later.enter({"card.us.lend_lease": remembered})
    later.go("s3.ns.allies.play")
    game = later
    card, other = play().form.fields[0].options
    found = support(game, "cards")
    assert [found.say(one.title) for one in (card, other)] == ["Lend-Lease: Strategy, cost 1", "Another card"]
    sure = play().answered({"one": card.key})
    assert found.say(sure.form.fields[0].sub) == "Cost 1, then 1 left. Discarded at once, as its symbol says."
    game.do(sure.answered({}).command)
    assert game.state.game["support"].plays[-1].cost == 1
    assert not game.state.game["support"].plays[-1].is_lasting


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("card.us.lend_lease", {"name": "Lend-Lease", "kind": "strategy"}),
        ("card.us.lend_lease", {"name": "Lend-Lease", "kind": "song", "cost": 1}),
        ("card.us.other", {"name": "Lend-Lease", "kind": "strategy", "cost": 1}),
        ("card.us.", {"name": " ", "kind": "strategy", "cost": 1}),
        ("card.us.lend_lease", {"name": "Lend-Lease", "kind": "strategy", "cost": -1}),
        ("card.us.lend_lease", 3),
    ],
)
def test_a_card_that_is_no_card_is_not_remembered(
    ledger_game: Callable[..., Any], key: str, value: object
) -> None:
    game = ledger_game("apr43")
    game.refuse(EnterPrintedValue(key, value), "bad_value", "name, kind and cost")

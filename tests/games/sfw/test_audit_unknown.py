"""Unknown is a third answer: what nobody has entered is asked for at the moment it decides, and never counts as a no."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.core.commands import EnterPrintedValue
from companion.core.ids import TABLE, Nation, Side
from companion.core.rules import Code, Rejected
from companion.games.sfw.pages.battle import battle_page
from companion.games.sfw.pages.control import Capture, ControlDraft, control_page
from companion.games.sfw.pages.resupply import ResupplyDraft, resupply_page
from companion.games.sfw.pages.score import score_page
from companion.games.sfw.pages.support import SupportDraft, support_page
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING
from companion.games.sfw.rules.battle_known import airfield_held
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.control import SetTotals, TakeControl, held_by, held_by_nation
from companion.games.sfw.rules.ledger_values import printed_keys, tables
from companion.games.sfw.rules.resupply_record import ChooseResupply
from companion.games.sfw.rules.resupply_values import budget
from companion.games.sfw.rules.supply import WatchGroup, in_supply, network, out_of_supply
from companion.games.sfw.rules.victory import conditions, needs_for
from companion.pages.needs import ask_again
from companion.pages.page import Act, Ask, Send
from companion.pages.score import ScoreDraft
from companion.testing.reading import read

GERMANY, ITALY = Nation("germany"), Nation("italy")


def sent(game: Any, act: Act | None) -> Rejected | None:
    """Send what an act sends, and what follows once it is taken, as a screen does; return the first refusal."""
    while isinstance(act, Send):
        rejected, _events = game.send(act.at(game.desk.now_ms()), act.actor)
        if rejected is not None:
            return rejected
        act = act.then
    assert act is None or not isinstance(act, Ask), act
    return None


def asked(game: Any, command: Any) -> Ask:
    """Send a command that hangs on something unknown, and return the question that a screen opens for it."""
    rejected, _events = game.send(command)
    assert rejected is not None, f"{command} was taken"
    ask = ask_again(game.state, rejected, command, TABLE)
    assert ask is not None, rejected
    return ask


def options(ask: Ask) -> list[str]:
    (field,) = ask.form.fields
    return [item.key for item in field.options]


# Victory


@pytest.mark.parametrize(("nation", "winner"), [("gb_xiii", "allies"), ("italy", "axis")])
def test_a_tie_asks_who_holds_tobruk_before_it_ends_the_game(
    ledger_game: Callable[..., Any], nation: str, winner: str
) -> None:
    game = ledger_game("nafrica")
    game.jump("s5.v.check")
    game.do(SetTotals({"allies": 80, "axis": 80}))
    refused = game.refuse(game.end(), Code.NOT_KNOWN, "holds tobruk")
    assert [need.id for need in refused.needs] == ["holder.nafrica.tobruk"]
    ask = asked(game, game.end())
    assert nation in options(ask)
    assert "anyway" not in options(ask), "no winner is no answer to who has won"
    assert sent(game, ask.answered({"one": nation})) is None
    assert game.state.ending is not None
    assert game.state.ending.winner == winner


def test_only_a_tie_asks_for_the_deciding_holder(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    for stage, totals, wanted in (
        (5, (84, 76), ()),
        (5, (80, 80), ("holder.nafrica.tobruk",)),
        (4, (80, 80), ()),
        (5, (112, 48), ()),
    ):
        game.jump(f"s{stage}.v.check")
        game.do(SetTotals(dict(zip(("allies", "axis"), totals, strict=True))))
        assert tuple(need.id for need in needs_for(game.state, stage)) == wanted


def test_an_unknown_tie_is_shown_as_not_known_and_can_be_entered_there(
    ledger_game: Callable[..., Any],
) -> None:
    game = ledger_game("nafrica")
    game.jump("s5.v.check")
    game.do(SetTotals({"allies": 80, "axis": 80}))
    page = read(score_page, game.desk.change, game.desk.rules, ScoreDraft("list"))
    rows = [item for item in page.items if "Most VP" in page.say(item.title)]
    assert {page.say(item.sub) for item in rows} == {"Not known: Which nation holds Tobruk?"}
    act = page.shown.acts[rows[0].act]  # type: ignore[index]
    assert isinstance(act, Ask)
    assert sent(game, act.answered({"one": "italy"})) is None
    assert [item.is_met for item in conditions(game.state) if item.kind == "most"] == [False, True]


def test_sites_to_be_held_are_judged_with_three_answers(ledger_game: Callable[..., Any]) -> None:
    state = ledger_game("nafrica").state
    assert held_by(state, "tripoli_italy", "axis").is_yes
    assert held_by(state, "alexandria_xiii", "axis").is_no
    assert held_by(state, "tobruk", "axis").is_unknown
    assert held_by_nation(state, "alexandria_xiii", "germany").is_no  # the side is enough for that
    assert held_by_nation(state, "alexandria_xiii", "gb_xiii").is_unknown


def test_a_capture_asks_whose_the_site_was_where_nobody_has_said(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    game.jump("s1.t4.axis.resolve")
    take = TakeControl("gazala", ITALY, {"italy": 1})
    game.refuse(take, Code.NOT_KNOWN, "holds gazala")
    page = read(
        control_page,
        game.desk.change,
        game.desk.rules,
        ControlDraft("sites", Capture("gazala", "", {"italy": 1})),
    )
    assert page.main == "Which nation holds Gazala?"
    ask = page.main_act
    assert isinstance(ask, Ask)
    act = ask.answered({"one": "gb_xiii"})
    assert isinstance(act, Send)
    game.do(act.at(0))
    assert isinstance(act.then, Send)
    game.do(act.then.at(0))
    assert held_by_nation(game.state, "gazala", "italy").is_yes


# Airfields


def bomber_at(game: Any, space: str) -> None:
    game.jump("s1.t2.axis.declare")
    game.enter()
    game.do(bc.DeclareBattle(space, "desert"))
    game.do(bc.ChangeUnits("A", ATTACKING, "light_bomber", "italy"))
    game.do(bc.ChangeUnits("A", DEFENDING, "infantry", "gb_xiii"))


@pytest.mark.parametrize(("nation", "rolls"), [("gb_xiii", [("white", 9)]), ("italy", [])])
def test_an_airfield_of_which_the_holder_is_unknown_is_asked_for_before_step_1(
    ledger_game: Callable[..., Any], nation: str, rolls: list[tuple[str, int]]
) -> None:
    game = ledger_game("nafrica")
    bomber_at(game, "bir hakeim")
    page = read(battle_page, game.desk.change, game.desk.rules)
    assert page.main == "Which nation holds Bir Hakeim?"
    game.refuse(bc.BeginBattle("A"), Code.NOT_KNOWN, "holds bir_hakeim")
    assert sent(game, asked(game, bc.BeginBattle("A")).answered({"one": nation})) is None
    progress = battles_of(game.state).battles[0].progress
    assert progress is not None
    found = [(line.colour, line.number) for line in progress.lines if line.kinds == (-1,)]
    assert found == rolls


def test_an_unknown_airfield_is_not_asked_for_where_it_rolls_at_nothing(
    ledger_game: Callable[..., Any],
) -> None:
    game = ledger_game("nafrica")
    game.jump("s1.t4.axis.declare")
    game.enter()
    game.do(bc.DeclareBattle("Bir Hakeim", "desert"))
    game.do(bc.ChangeUnits("A", ATTACKING, "tank", "italy"))
    game.do(bc.ChangeUnits("A", DEFENDING, "infantry", "gb_xiii"))
    game.do(bc.BeginBattle("A"))


@pytest.mark.parametrize(("icon", "rolls"), [(True, 1), (False, 0)])
def test_where_the_icon_decides_an_airfield_asks_for_it_and_obeys_it(
    ledger_game: Callable[..., Any], icon: bool, rolls: int
) -> None:
    game = ledger_game("nafrica")
    game.rule("airfield_roll", "icon")
    game.enter({"holder.nafrica.bir_hakeim": "gb_xiii"})
    bomber_at(game, "Bir Hakeim")
    game.refuse(bc.BeginBattle("A"), Code.NOT_KNOWN, "show the anti-air icon")
    game.enter({"icon.nafrica.bir_hakeim": icon})
    game.do(bc.BeginBattle("A"))
    progress = battles_of(game.state).battles[0].progress
    assert progress is not None
    assert sum(line.kinds == (-1,) for line in progress.lines) == rolls


def test_where_icon_and_holder_are_unknown_both_are_asked_for(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    game.rule("airfield_roll", "icon")
    found = airfield_held(game.state, "Bir Hakeim", Side("axis"))
    assert found is not None
    assert [need.id for need in found.needs] == ["icon.nafrica.bir_hakeim", "holder.nafrica.bir_hakeim"]
    game.enter({"holder.nafrica.bir_hakeim": "gb_xiii"})
    found = airfield_held(game.state, "Bir Hakeim", Side("axis"))
    assert found is not None
    assert [need.id for need in found.needs] == ["icon.nafrica.bir_hakeim"]


def test_the_table_may_say_itself_that_an_airfield_does_not_roll(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    bomber_at(game, "Bir Hakeim")
    game.do(bc.SetCircumstances("A", airfield="nobody"))
    game.do(bc.BeginBattle("A"))
    progress = battles_of(game.state).battles[0].progress
    assert progress is not None
    assert all(line.kinds != (-1,) for line in progress.lines)


# Resupply


def test_an_objective_of_which_the_nation_is_unknown_is_offered_and_asked_for(
    ledger_game: Callable[..., Any],
) -> None:
    game = ledger_game("nov42")
    game.jump("s1.r.axis.choose")
    refused = game.refuse(game.end(), Code.STILL_OPEN, "nobody has entered which nation holds")
    assert "holder.nov42.rome" in {need.id for need in refused.needs}
    page = read(resupply_page, game.desk.change, game.desk.rules, ResupplyDraft("buy", "italy"))
    source = page.shown.act("kind.land")
    assert isinstance(source, Ask)
    row = next(item for item in source.form.fields[0].options if page.say(item.title).startswith("Rome"))
    assert "holds" in page.say(row.title)
    holder = source.answered({"one": row.key})
    assert isinstance(holder, Ask)
    assert options(holder) == ["germany", "italy"]  # the rulebook says that the Axis holds it
    rejected = sent(game, holder.answered({"one": "italy"}))
    assert rejected is not None
    assert rejected.code == "value_unknown"  # now it hangs on the printed value
    again = ask_again(game.state, rejected, ChooseResupply(ITALY, "land", "rome"), TABLE)
    assert again is not None
    sent(game, again.answered({"value": "9"}))
    assert budget(game.state, "italy", "land").limit == 9  # type: ignore[union-attr]


# Supply


def test_a_link_that_nobody_entered_is_not_known_and_not_out_of_supply(
    ledger_game: Callable[..., Any],
) -> None:
    game = ledger_game("nafrica")
    game.enter({"holder.nafrica.sollum": "italy", "holder.nafrica.tobruk": "gb_xiii"})
    net = network(game.state, "axis")
    found = net.judge("sollum")
    assert [need.id for need in found.needs][:2] == [
        "link.sollum.tripoli_germany",
        "link.sollum.tripoli_italy",
    ]
    game.jump("s1.t4.axis.move")
    game.do(WatchGroup(ITALY, "Ariete", ("sollum",)))
    assert out_of_supply(game.state) == ()
    page = read(support_page, game.desk.change, game.desk.rules, SupportDraft("supply"))
    assert page.sub("Sollum").startswith("not known: Are Sollum and Tripoli (Germany) within three spaces")
    assert page.sub("Ariete").startswith("not known")
    ask = page.act("Sollum")
    assert isinstance(ask, Ask)
    sent(game, ask.answered({"one": "no"}))
    assert in_supply(network(game.state, "axis"), ("sollum",)).is_unknown


def everything_entered(game: Any, but: tuple[str, ...] = ()) -> None:
    """Say that the Allies hold what nobody has entered, and that no two hubs are near each other."""
    state = game.state
    keys = printed_keys(tables(state), state.frozen_setup)
    for key in keys:
        if key in but or key.split(".")[0] not in ("holder", "link"):
            continue
        if key in game.state.printed:
            continue
        game.enter({key: "gb_xiii" if key.startswith("holder") else False})


@pytest.mark.parametrize(("answer", "is_in"), [(True, True), (False, False)])
def test_the_one_link_that_decides_supply_is_asked_for_and_settles_it(
    ledger_game: Callable[..., Any], answer: bool, is_in: bool
) -> None:
    game = ledger_game("nafrica")
    game.enter({"holder.nafrica.sollum": "italy"})
    link = "link.sollum.tripoli_italy"
    everything_entered(game, but=(link,))
    found = network(game.state, "axis").judge("sollum")
    assert [need.id for need in found.needs] == [link]
    game.do(EnterPrintedValue(link, answer))
    settled = network(game.state, "axis").judge("sollum")
    assert (settled.is_yes, settled.is_no) == (is_in, not is_in)


def test_a_hub_whose_holder_is_unknown_may_supply_and_is_asked_for(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("nafrica")
    game.enter({"holder.nafrica.gazala": "italy", "link.gazala.mersa_brega": True})
    everything_entered(game, but=("holder.nafrica.mersa_brega",))
    found = network(game.state, "axis").judge("gazala")
    assert [need.id for need in found.needs] == ["holder.nafrica.mersa_brega"]
    assert network(game.state, "axis", without="mersa_brega").judge("gazala").is_no

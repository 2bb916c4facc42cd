"""The odds page of North Africa: every rule for stopping and retreating, the coach, and the smallest force at hand."""

from __future__ import annotations

import dataclasses
import queue
import threading
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from companion.core.ids import StepId
from companion.core.text import Say
from companion.games.aana.odds.play import exact_odds
from companion.games.aana.pages.combat import combat_page
from companion.games.aana.pages.draft import CombatDraft, stage_key
from companion.games.aana.pages.odds import combats_here, odds_say
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.fight import kind_key
from companion.games.aana.rules.game_rules import aana_rules
from companion.games.aana.rules.ledger_messages import CountSpace
from companion.pages.later import Later
from companion.pages.page import TABLE_VIEWER, Ask, Draft, Rows, Shown, Sight, Split, act_ids
from companion.pages.speak import speak
from companion.testing.memory_desk import MemoryDesk
from companion.testing.scenes_aana import _GROUPS, _battle, _send, before_mersa_brega, jump, setup


def look(
    desk: MemoryDesk,
    draft: CombatDraft,
    *,
    setup: dict[str, Any] | None = None,
    has_costs: bool = True,
    later: Later | None = None,
) -> Shown:
    change = desk.change
    assert change is not None
    if not has_costs:
        printed = {name: value for name, value in change.state.printed.items() if not name.endswith(".cost")}
        change = replace(change, state=replace(change.state, printed=printed))
    if setup:
        state = replace(change.state, setup=replace(change.state.frozen_setup, **setup))
        change = replace(change, state=state)
    return combat_page(Sight(TABLE_VIEWER, change, desk.rules, draft, desk, later=later))


def state_of(desk: MemoryDesk) -> Any:
    assert desk.change is not None
    return desk.change.state


def press(shown: Shown, act_id: str, draft: CombatDraft, answer: str = "") -> CombatDraft:
    act = shown.act(act_id)
    if isinstance(act, Ask):
        act = act.answered({"one": answer})
    assert isinstance(act, Draft)
    changed = act.change(draft)
    assert isinstance(changed, CombatDraft)
    return changed


def opened(desk: MemoryDesk) -> CombatDraft:
    return press(look(desk, CombatDraft()), "outlook", CombatDraft())


def taken(shown: Shown) -> float:
    bar = next(block for block in shown.page.blocks if isinstance(block, Split))
    return bar.parts[0].amount


def rows(shown: Shown, key: str) -> dict[str, Any]:
    found = next(block for block in shown.page.blocks if isinstance(block, Rows) and block.key == key)
    return {item.key: item for item in found.rows}


def test_every_rule_that_can_be_chosen_has_the_odds_of_its_plan() -> None:
    desk = _battle("orders")
    fight = bm.fight_of(desk.change.state)  # type: ignore[union-attr]
    assert fight is not None
    (combat,) = combats_here(desk.change.state, fight)  # type: ignore[union-attr]
    draft = opened(desk)
    plans = {"rounds": "rounds", "few": "cease_at_most", "against": "press_at_most"}
    leaves = {"round": "retreat_round", "few": "retreat_at_most"}
    ask = look(desk, draft).act("stop")
    assert isinstance(ask, Ask)
    keys = [item.key for item in ask.form.fields[0].options]
    assert len(keys) == 1 + 4 + 3 + 3
    seen = set()
    for name in keys:
        kind, _dot, n = name.partition(".")
        plan = replace(combat.attack, **({plans[kind]: int(n)} if kind else {}))
        chosen = press(look(desk, draft), "stop", draft, name)
        odds = exact_odds(combat.arena, combat.attackers, combat.defenders, attack=plan, attack_supply=combat.attack_supply,
                          defence_supply=combat.defence_supply, pools=combat.pools, opened=True)  # fmt: skip
        assert taken(look(desk, chosen)) == pytest.approx(odds.p_capture, abs=1e-12)
        seen.add(round(odds.p_capture, 6))
    assert len(seen) > 4
    for kind, field in leaves.items():
        name = f"{kind}.2"
        chosen = dataclasses.replace(draft, leave=(kind, 2))
        odds = replace(combat, defence=replace(combat.defence, **{field: 2})).odds()
        can_leave = look(desk, draft).act("leave")
        if can_leave is not None:
            assert name in [item.key for item in can_leave.form.fields[0].options]  # type: ignore[union-attr]
        assert taken(look(desk, chosen)) == pytest.approx(odds.p_capture, abs=1e-12)


def test_an_attack_has_its_odds_before_it_is_fought() -> None:
    desk = before_mersa_brega()
    step = StepId("r1.germany.combat_move.declare")
    assert look(desk, CombatDraft()).act("outlook") is None, "nothing is declared yet"
    _send(desk, bm.DeclareAttack(step, "mersa_brega", _GROUPS))
    before = taken(look(desk, opened(desk)))
    at_step = _battle("orders")
    assert 0 < before < 1
    assert before != taken(look(at_step, opened(at_step))), "the air defence has missed since"


def test_the_coach_names_rules_with_what_they_come_to_and_a_tap_shows_their_odds() -> None:
    desk = _battle("orders")
    draft = dataclasses.replace(opened(desk), tab="coach", goal="exchange")
    shown = look(desk, draft)
    told = rows(shown, "coach")
    best = float(told["best"].value)
    assert all(float(item.value) <= best + 0.01 for key, item in told.items() if not key.startswith("more."))
    assert any(key.startswith("more.") for key in told)
    rule = next(key for key in told if key.startswith("rounds."))
    followed = press(shown, f"rule.{rule}", draft)
    assert (followed.tab, followed.stop) == ("odds", ("rounds", int(rule.partition(".")[2])))


def test_the_coach_tells_what_is_certain_so_far_while_it_tries_the_rest() -> None:
    desk, posted = _battle("orders"), queue.SimpleQueue[Callable[[], object]]()
    draft = dataclasses.replace(opened(desk), tab="coach", goal="exchange")
    later = Later(lambda: None, posted.put)
    told, worker = [], object()
    while worker is not later.worker:
        worker = later.worker
        told.append(rows(look(desk, draft, later=later), "coach"))
        if worker is not later.worker:
            posted.get(timeout=60)()
    assert told[-1] == rows(look(desk, draft), "coach")
    bests = [items["best"] for items in told if "best" in items]
    assert [item.state for item in bests[:2]] == ["muted", "muted"]
    assert all(speak(item.title) == "Best times to press and cease, at least" for item in bests[:2])
    values = [float(item.value) for item in bests]
    assert values == sorted(values)
    assert bests[-1].state == "ok"


def test_what_the_coach_tries_ends_once_another_page_is_made() -> None:
    desk, posted = _battle("orders"), queue.SimpleQueue[Callable[[], object]]()
    asked, renewed = dataclasses.replace(opened(desk), tab="force", wanted=50), threading.Event()
    later = Later(renewed.set, posted.put)
    assert not rows(look(desk, asked, later=later), "force")
    later.settle()
    look(desk, dataclasses.replace(asked, tab="odds"), later=later)
    later.settle()
    while not renewed.is_set():
        posted.get(timeout=60)()
    assert not rows(look(desk, asked, later=later), "force"), "it begins anew"


def test_both_pages_tell_the_ends_of_a_combat_in_the_same_figures() -> None:
    desk = _battle("orders")
    state = desk.change.state  # type: ignore[union-attr]
    fight = bm.fight_of(state)
    assert fight is not None
    bar = next(block for block in look(desk, opened(desk)).page.blocks if isinstance(block, Split))
    there, here = bar.note, odds_say(state, fight)
    assert isinstance(there, Say)
    assert all(there.values[name] == value for name, value in here.values.items() if name != "c")


@pytest.mark.long
def test_a_smallest_force_without_every_cost_is_told_in_units() -> None:
    desk = _battle("orders")
    draft = dataclasses.replace(opened(desk), tab="force", wanted=50)
    assert speak(rows(look(desk, draft), "force")["force"].sub).startswith("Cost ")
    told = rows(look(desk, draft, has_costs=False), "force")["force"]
    count = sum(part.n for part in told.title.items)
    assert speak(told.sub) == f"{count} units"


def test_the_smallest_force_is_part_of_what_is_there() -> None:
    desk = _battle("orders")
    draft = dataclasses.replace(opened(desk), tab="force", wanted=50)
    told = rows(look(desk, draft), "force")["force"]
    fight = bm.fight_of(desk.change.state)  # type: ignore[union-attr]
    assert fight is not None
    there = {kind_key(kind): n for kind, n in zip(fight.attackers, fight.a, strict=True)}
    assert sum(part.n for part in told.title.items) < sum(there.values())


@pytest.mark.parametrize("tab", ["coach", "force"])
def test_neither_speaks_where_the_arbiter_locked_the_coach_and_odds_stay(tab: str) -> None:
    desk = _battle("orders")
    draft = dataclasses.replace(opened(desk), tab=tab)
    shown = look(desk, draft, setup={"coach_locked": True})
    assert [block.key for block in shown.page.blocks] == ["coach"]
    assert not rows(shown, "coach")
    assert taken(look(desk, dataclasses.replace(draft, tab="odds"), setup={"coach_locked": True})) > 0


def test_every_act_of_the_page_leads_on_and_back() -> None:
    desk = _battle("orders")
    for tab in ("odds", "coach"):
        draft = dataclasses.replace(opened(desk), tab=tab)
        shown = look(desk, draft)
        assert set(act_ids(shown.page)) <= set(shown.acts)
        fight = bm.fight_of(desk.change.state)  # type: ignore[union-attr]
        assert fight is not None
        assert look(desk, press(shown, "back", draft)).page.key == stage_key(fight)


def test_the_ruling_on_the_last_unit_that_may_move_in_stands_beside_the_rule_for_stopping() -> None:
    desk = _battle("orders")
    draft = dataclasses.replace(opened(desk), stop=("rounds", 1))
    shown = look(desk, draft)
    assert [tool.act for tool in shown.page.tools] == ["ruling.aana.last_ground"]
    ask = shown.act("ruling.aana.last_ground")
    assert isinstance(ask, Ask)
    assert [item.key for item in ask.form.fields[0].options] == ["useful", "always", "never"]
    assert desk.change is not None
    fight = bm.fight_of(desk.change.state)
    assert fight is not None
    left = {}
    for ruling in ("useful", "always"):
        state = replace(desk.change.state, rulings={**desk.change.state.rulings, "aana.last_ground": ruling})
        (combat,) = combats_here(state, fight)
        # One unit that may move in, beside the aircraft.
        rows = combat.arena.attacker_rows
        ground = next(i for i, row in enumerate(rows) if row.holds_ground)
        few = tuple(int(i == ground or row.type == "air") for i, row in enumerate(rows))
        odds = replace(combat, attackers=few, attack=replace(combat.attack, rounds=1)).odds()
        planes = sum(n for row, n in zip(rows, odds.survivors["attacker"], strict=True) if row.type == "air")
        left[ruling] = odds.p_capture, planes
    assert left["useful"][0] == pytest.approx(left["always"][0])
    assert left["useful"][1] > left["always"][1], (
        "aircraft are not lost for a unit that cannot move in any more"
    )


@pytest.mark.parametrize(
    ("ship", "enemy", "stage"), [("destroyer", "destroyer", "attack"), ("battleship", "submarine", "orders")]
)
def test_an_attack_at_sea_has_its_odds_before_it_is_fought_and_at_the_start_of_a_round(
    ship: str, enemy: str, stage: str
) -> None:
    """Where no submarine may strike, a round at sea begins with the dice."""
    desk = MemoryDesk(setup(), aana_rules())
    jump(desk, "r2.uk.combat_move.declare")
    _send(desk, CountSpace("sz.14", {f"uk.{ship}": 1, f"italy.{enemy}": 1}))
    group = bm.AttackGroup("sz.14", {f"uk.{ship}": 1})
    _send(desk, bm.DeclareAttack(state_of(desk).step.id, "sz.14", (group,)))
    shown = look(desk, opened(desk))
    bar = next(block for block in shown.page.blocks if isinstance(block, Split))
    assert [speak(part.sub, state_of(desk)) for part in bar.parts if part.sub] == [
        "no defender left",
        "defenders left",
    ]
    assert 0 < bar.parts[0].amount < 1
    jump(desk, "r2.uk.combat.resolve")
    _send(desk, bm.OpenCombat(state_of(desk).step.id, 1))
    fight = bm.fight_of(state_of(desk))
    assert fight is not None
    assert fight.stage == stage
    text = speak(odds_say(state_of(desk), fight), state_of(desk))
    assert text.startswith("Defender eliminated ")
    assert "territory" not in text
    told = speak(odds_say(state_of(desk), replace(fight, stage="defence")), state_of(desk))
    assert told.startswith("No odds")

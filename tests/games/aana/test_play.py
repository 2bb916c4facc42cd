"""Whole combats with random dice: they end, no piece is lost or made, and the log tells the same story again."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core.commands import StartGame
from companion.core.decide import handle
from companion.core.evolve import evolve_all
from companion.core.ids import TABLE
from companion.core.rules import Context
from companion.core.state import EMPTY_STATE
from companion.games.aana.rules.battle_messages import (
    AttackGroup,
    Cease,
    Conclude,
    GiveOrders,
    LeaveCombat,
    Press,
)
from companion.games.aana.rules.fight import DICE_STAGES
from companion.games.aana.rules.fight_dice import expected_volleys
from companion.games.aana.rules.ledger import figures
from companion.games.aana.rules.ledger_messages import CorrectSupply
from tests.games.aana.aana_table import RULES, Table


def roll(table: Table, dice: random.Random) -> None:
    rolls = []
    for volley in expected_volleys(figures(table.state), table.fight):
        top = volley.reroll_from - 1 if volley.reroll_from else 10
        rolls.append(tuple(dice.randint(1, top) for _n in range(volley.dice)))
    table.roll(*rolls)


def fight_out(table: Table, dice: random.Random) -> None:
    for _act in range(200):
        stage = table.fight.stage
        if stage in DICE_STAGES:
            roll(table, dice)
        elif stage == "losses":
            table.lose()
        elif stage == "orders":
            if table.send(GiveOrders(table.step, fight=dice.random() < 0.8)) is not None:
                table.ok(GiveOrders(table.step, fight=False))
        elif stage == "leave":
            going = {
                f"{kind.power}.{kind.unit}": n
                for kind, n in zip(table.fight.defenders, table.fight.retreating, strict=True)
                if n
            }
            table.ok(LeaveCombat(table.step, {"bir_hacheim": going} if going else {}))
        elif stage == "press":
            if table.send(Press(table.step)) is not None:
                table.ok(Cease(table.step))
        else:
            table.ok(Conclude(table.step))
            return
    raise AssertionError(f"no end in sight: {table.fight}")


def pieces(table: Table) -> int:
    return sum(n for place in table.ledger.units.values() for n in place.values())


units = st.integers(0, 3)


@settings(max_examples=25)
@given(st.integers(0, 10**6), units, units, units, units)
def test_land_combats_end_and_account_for_every_piece(
    seed: int, infantry: int, tanks: int, defenders: int, guns: int
) -> None:
    table = Table(values="unofficial")
    table.tell("benghazi", supply=2, uk_infantry=defenders, uk_anti_tank=guns, uk_aaa=1)
    table.tell("mersa_brega", supply=6, germany_infantry=infantry, germany_tank=tanks, germany_scout_car=1)
    table.tell("el_agheila", supply=3, germany_bomber=1)
    table.tell("bir_hacheim", supply=0)
    table.jump("r2.germany.combat_move.declare")
    land = {"germany.infantry": infantry, "germany.tank": tanks, "germany.scout_car": 1}
    attack = table.attack(
        "benghazi",
        AttackGroup("mersa_brega", {piece: n for piece, n in land.items() if n}),
        AttackGroup("el_agheila", {"germany.bomber": 1}),
    )
    before = pieces(table)
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    fight_out(table, random.Random(seed))
    fight = table.state.game["battle"].fought[-1]
    lost = sum(fight.start_a) + sum(fight.start_d) - sum((*fight.a, *fight.a_out, *fight.d, *fight.d_out))
    assert before - pieces(table) == lost
    assert all(n >= 0 for n in table.ledger.supply.values())
    if fight.result == "attacker" and any(fight.a):
        assert not any(piece.startswith("uk.") for piece in table.ledger.units.get("benghazi", {}))


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(0, 2), st.integers(0, 2))
def test_convoy_combats_end_and_account_for_every_piece(
    seed: int, subs: int, planes: int, escorts: int
) -> None:
    table = Table(values="unofficial")
    table.tell(
        "convoy.tripoli",
        uk_submarine=subs,
        uk_fighter=planes,
        italy_fighter=escorts,
        italy_destroyer=escorts // 2,
        italy_infantry=3,
        germany_truck=1,
    )
    table.ok(CorrectSupply("convoy.tripoli", 7, "italy"))
    table.jump("r3.uk.combat_move.declare")
    group = {piece: n for piece, n in {"uk.submarine": subs, "uk.fighter": planes}.items() if n}
    attack = table.attack("convoy.tripoli", AttackGroup("convoy.tripoli", group))
    before = pieces(table)
    table.jump("r3.uk.combat.resolve")
    table.open(attack)
    fight_out(table, random.Random(seed))
    fight = table.state.game["battle"].fought[-1]
    ships = sum(fight.start_a) + sum(fight.start_d) - sum((*fight.a, *fight.a_out, *fight.d, *fight.d_out))
    cargo = sum(n for _p, _u, n in fight.cargo.units) + sum(n for _p, _u, n in fight.cargo_out.units)
    assert before - pieces(table) == ships + (4 - cargo)
    assert table.ledger.supply.get("convoy.tripoli@italy") == fight.cargo.tokens + fight.cargo_out.tokens


def test_stored_commands_decide_the_same_events_again() -> None:
    table = Table(values="unofficial")
    table.tell("benghazi", supply=2, uk_infantry=2)
    table.tell("mersa_brega", supply=6, germany_infantry=3)
    table.tell("bir_hacheim", supply=0)
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack("benghazi", AttackGroup("mersa_brega", {"germany.infantry": 3}))
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    fight_out(table, random.Random(3))
    state = EMPTY_STATE
    for entry in table.line.entries:
        if isinstance(entry.command, StartGame):
            state = evolve_all(RULES, state, entry.events)
            continue
        handled = handle(RULES, state, entry.command, Context(TABLE, entry.at_ms))
        assert tuple(e for draft in handled.drafts for e in draft.events) == entry.events
        state = handled.state
    assert state == table.state

"""Losses that leave nobody a choice follow the dice at once where the command asks for it; everything else is asked."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.commands import EndAct, Undo
from companion.games.aana.pages.words import NorthAfricaView
from companion.games.aana.rules.battle_messages import AttackGroup, RollFire
from companion.games.aana.rules.fight import VolleyRoll
from companion.games.aana.rules.fight_losses import has_choice
from companion.games.aana.rules.ledger import figures
from companion.pages.labels import after_say
from companion.pages.speak import speak
from tests.games.aana.aana_table import Table


def attacked(attackers: dict[str, int], defenders: dict[str, int]) -> Table:
    """Begin an attack of Germany from Mersa Brega on Benghazi; the defenders fight."""
    table = Table("rommel", values="unofficial")
    table.tell("benghazi", supply=3, **{k.replace(".", "_"): n for k, n in defenders.items()})
    table.tell("mersa_brega", supply=5, **{k.replace(".", "_"): n for k, n in attackers.items()})
    table.jump("r2.germany.combat_move.declare")
    attack = table.attack("benghazi", AttackGroup("mersa_brega", dict(attackers)))
    table.jump("r2.germany.combat.resolve")
    table.open(attack)
    table.orders()
    return table


def fired(table: Table, hits: int, *, takes: bool = True) -> Any:
    """Enter the dice of the stage with so many hits among them, and return the combat after it."""
    rolls = []
    for dice, _need in table.needs():
        here = min(hits, dice)
        hits -= here
        rolls.append(VolleyRoll((*(1,) * here, *(10,) * (dice - here))))
    table.ok(RollFire(table.step, tuple(rolls), takes_losses=takes))
    return table.fight


@pytest.mark.parametrize(
    ("defenders", "hits", "left"),
    [
        ({"uk.infantry": 3}, 1, 2),  # one kind
        ({"uk.infantry": 1, "uk.artillery": 1}, 2, 0),  # all that is there
        ({"uk.infantry": 2}, 3, 0),  # more hits than units
    ],
)
def test_losses_without_a_choice_follow_the_dice(defenders: dict[str, int], hits: int, left: int) -> None:
    table = attacked({"germany.infantry": 4}, defenders)
    assert fired(table, hits).stage != "losses"
    assert sum(table.fight.d) == left
    assert sum(table.ledger.units.get("benghazi", {}).values()) == left, "the ledger follows"


def test_who_may_choose_is_asked_and_so_is_a_command_that_does_not_say_otherwise() -> None:
    table = attacked({"germany.infantry": 4}, {"uk.infantry": 2, "uk.artillery": 1})
    assert fired(table, 1).stage == "losses"
    assert sum(table.fight.d) == 3
    table = attacked({"germany.infantry": 4}, {"uk.infantry": 3})
    assert fired(table, 1, takes=False).stage == "losses", "games of before are played as they were"


def test_one_undo_takes_back_the_dice_with_their_losses_and_the_log_tells_them() -> None:
    table = attacked({"germany.infantry": 4}, {"uk.infantry": 3})
    before = table.fight
    fired(table, 1)
    told = after_say(table.line.entries[-1], table.state)
    assert told is not None
    assert speak(told, table.state) == "Lost: 1 Infantry"
    table.ok(Undo(at_ms=table.now, confirmed=True))
    assert table.fight == before


@pytest.mark.parametrize(("ships", "is_choice"), [(1, False), (2, True)])
def test_ships_that_take_two_hits_are_a_choice_once_there_are_two(ships: int, is_choice: bool) -> None:
    table = Table("rommel", values="unofficial")
    table.tell("sz.16", uk_battleship=ships, italy_submarine=2)
    table.jump("r2.italy.combat_move.declare")
    attack = table.attack("sz.16", AttackGroup("sz.16", {"italy.submarine": 2}))
    table.jump("r2.italy.combat.resolve")
    table.open(attack)
    table.orders()
    fight = fired(table, 1, takes=False)
    assert fight.stage == "losses"
    assert has_choice(figures(table.state), fight) is is_choice


def test_without_an_attack_the_phase_of_combats_is_not_asked_about() -> None:
    table, view = Table("rommel", values="unofficial"), NorthAfricaView()
    table.jump("r2.germany.combat_move.declare")
    too = view.ends_too(table.state)
    assert too is not None
    table.ok(EndAct(table.step, table.now, also=too[0]))
    assert table.step == "r2.germany.noncombat.move"
    table = attacked({"germany.infantry": 4}, {"uk.infantry": 3})
    table.jump("r2.germany.combat_move.declare")
    assert view.ends_too(table.state) is None, "an attack waits"

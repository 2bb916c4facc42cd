"""A game of before, without a set-up step and with its own tables, opens, folds to the same, and is played on."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from companion.core.codec import Codec
from companion.core.commands import JumpTo
from companion.core.decide import handle
from companion.core.evolve import evolve_all
from companion.core.ids import TABLE, StepId
from companion.core.rules import Context
from companion.core.state import EMPTY_STATE, GameState
from companion.games.aana.rules.battle_messages import AttackGroup, DeclareAttack
from companion.games.aana.rules.ledger import ledger_of
from companion.games.aana.rules.ledger_messages import CountSpace
from companion.games.aana.rules.reinforce_messages import reinforce_of
from companion.pages.modules import game_view
from tests.games.aana.aana_table import RULES

RECORDED = Path(__file__).parents[2] / "golden" / "journals" / "2026-11-rommel-begun.json.gz"


def recorded() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    told = json.loads(gzip.decompress(RECORDED.read_bytes()))
    return told["entries"], told["state"]


def folded() -> GameState:
    codec, state = Codec(RULES), EMPTY_STATE
    for entry in recorded()[0]:
        codec.decode_command(json.dumps(entry["command"]))
        state = evolve_all(RULES, state, codec.decode_events(json.dumps(entry["events"])))
    return state


def test_a_game_of_before_folds_to_the_same_state() -> None:
    state, told = folded(), recorded()[1]
    ledger, money = ledger_of(state), reinforce_of(state)
    assert (state.step.id, state.index, state.itinerary.steps[0].id) == (
        told["step"],
        told["index"],
        "r1.germany.convoys.advance",
    )
    assert ledger.control == told["control"], "no marker of Cairo: its own tables know none"
    assert (ledger.units, ledger.supply, ledger.mines) == (told["units"], told["supply"], told["mines"])
    assert sorted(ledger.told) == told["told"]
    assert (money.free, money.spent) == (told["free"], told["spent"])
    assert len(state.game["battle"].fought) == told["fought"]
    assert dict(state.printed) == told["printed"], (
        "a value that no piece has any more is kept as it was entered"
    )


def test_a_game_of_before_is_played_on_and_asked_what_it_never_told() -> None:
    state = folded()
    assert [row.key for row in game_view("aana").printed(state)]
    step = state.step.id
    for command in (
        JumpTo(step, StepId("r3.uk.combat_move.declare"), 0),
        CountSpace("siwa", {"germany.tank": 1}),
        CountSpace("cairo", {"uk.infantry": 2}, 3),
    ):
        state = handle(RULES, state, command, Context(TABLE, 0)).state
    attack = DeclareAttack(state.step.id, "siwa", (AttackGroup("cairo", {"uk.infantry": 1}),))
    assert handle(RULES, state, attack, Context(TABLE, 0)).rejected is None
    unknown = DeclareAttack(state.step.id, "mareth", (AttackGroup("cairo", {"uk.infantry": 1}),))
    refused = handle(RULES, state, unknown, Context(TABLE, 0)).rejected
    assert refused is not None
    assert refused.code in ("closed_west", "not_known")

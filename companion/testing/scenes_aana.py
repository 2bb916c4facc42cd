"""Scenes of Axis & Allies: North Africa: its screens in the first rounds of Rommel's Last Push, with unofficial values."""

from __future__ import annotations

from functools import cache
from typing import Any

from companion.core.commands import Command
from companion.core.ids import Nation, SiteId, StepId
from companion.core.setup import Setup
from companion.games.aana.pages.draft import CombatDraft
from companion.games.aana.pages.moves import BoardDraft
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.fight import VolleyRoll
from companion.games.aana.rules.fight_dice import expected_volleys
from companion.games.aana.rules.game_rules import aana_rules
from companion.games.aana.rules.ledger import figures
from companion.games.aana.rules.ledger_messages import CorrectSupply, CountSpace
from companion.games.aana.rules.new_game import AanaFamily
from companion.games.aana.rules.pieces import Piece
from companion.pages.score import ScoreDraft
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.scene_data import installed_data
from companion.testing.scenes import jump, scene

__all__ = ["before_mersa_brega", "jump", "setup"]


@cache
def setup(scenario: str = "rommel") -> Setup:
    """Return a new game from the installed data, with the set of unofficial values."""
    family = AanaFamily()
    options = {"values": "unofficial", "clock": "count_up", "air_transport": True}
    return family.make_setup(installed_data(family), scenario, options)


def _desk(step: str, *commands: Command) -> MemoryDesk:
    desk = MemoryDesk(setup(), aana_rules())
    _send(desk, *commands)
    jump(desk, step)
    return desk


def _send(desk: MemoryDesk, *commands: Command) -> None:
    for command in commands:
        desk.advance(9_000)
        desk.send(command)


_MARMARICA = (
    CountSpace(
        SiteId("mersa_brega"),
        {
            Piece("uk.infantry"): 4,
            Piece("uk.artillery"): 1,
            Piece("uk.matilda"): 1,
            Piece("uk.aaa"): 1,
            Piece("uk.truck"): 1,
        },
        5,
    ),
    CountSpace(
        SiteId("el_agheila"),
        {Piece("germany.tank"): 3, Piece("germany.infantry"): 3, Piece("germany.artillery"): 1},
        4,
    ),
    CountSpace(SiteId("zella"), {Piece("germany.scout_car"): 2, Piece("germany.anti_tank"): 1}, 2),
    CountSpace(SiteId("benghazi"), {Piece("uk.infantry"): 6}, 2),
)
_GROUPS = (
    bm.AttackGroup(
        SiteId("el_agheila"),
        {Piece("germany.tank"): 3, Piece("germany.infantry"): 2, Piece("germany.artillery"): 1},
        "el_agheila",
    ),
    bm.AttackGroup(SiteId("zella"), {Piece("germany.scout_car"): 2, Piece("germany.anti_tank"): 1}),
    bm.AttackGroup(SiteId("tripoli"), {Piece("germany.bomber"): 1}),
)


def before_mersa_brega() -> MemoryDesk:
    """Return Germany's combat move, with what stands around Mersa Brega counted."""
    return _desk("r1.germany.combat_move.declare", *_MARMARICA)


def _battle(until: str) -> MemoryDesk:
    """Return a combat for Mersa Brega at one of its stages."""
    desk = _desk("r1.germany.combat_move.declare", *_MARMARICA)
    step = StepId("r1.germany.combat_move.declare")
    _send(desk, bm.DeclareAttack(step, SiteId("mersa_brega"), _GROUPS))
    jump(desk, "r1.germany.combat.resolve")
    step = StepId("r1.germany.combat.resolve")
    _send(desk, bm.OpenCombat(step, 1))
    _send(desk, bm.RollFire(step, (VolleyRoll((8,)),)))
    if until == "orders":
        return desk
    _send(desk, bm.GiveOrders(step, fight=until != "leave"))
    if until == "attack":
        return desk
    _send(desk, bm.RollFire(step, _rolls(desk)))
    if until == "losses":
        return desk
    _send(desk, bm.TakeLosses(step))
    return desk


def _rolls(desk: MemoryDesk) -> tuple[VolleyRoll, ...]:
    """Let the first die of each volley hit."""
    change = desk.change
    fight = None if change is None else bm.fight_of(change.state)
    if change is None or fight is None:
        return ()
    return tuple(
        VolleyRoll((1, *((7,) * (volley.dice - 1))))
        for volley in expected_volleys(figures(change.state), fight)
    )


scene("aana-declare", "aana_combat", lambda: _desk("r1.germany.combat_move.declare", *_MARMARICA))(
    lambda laid: _enter(
        laid,
        CombatDraft(
            target=SiteId("mersa_brega"), key="declare.mersa_brega", counts={"el_agheila|germany.tank": 3}
        ),
    )
)
scene("aana-orders", "aana_combat", lambda: _battle("orders"))
scene("aana-losses", "aana_combat", lambda: _battle("losses"))
scene("aana-retreat", "aana_combat", lambda: _battle("leave"))(
    lambda laid: _enter(
        laid, CombatDraft(plan={SiteId("benghazi"): {Piece("uk.infantry"): 2}}, key=laid.root.screen.page.key)
    )
)


@scene("aana-dice", "aana_combat", lambda: _battle("attack"))
def _dice(laid: Laid) -> None:
    for value in (3, 8, 1):
        laid.key(ord(str(value)))


def _convoy() -> MemoryDesk:
    zone = CountSpace(
        SiteId("convoy.tripoli"),
        {
            Piece("italy.infantry"): 2,
            Piece("italy.tank"): 2,
            Piece("italy.fighter"): 1,
            Piece("uk.submarine"): 2,
        },
    )
    desk = _desk(
        "r3.uk.combat_move.declare", zone, CorrectSupply(SiteId("convoy.tripoli"), 5, Nation("italy"))
    )
    step = StepId("r3.uk.combat_move.declare")
    group = bm.AttackGroup(SiteId("convoy.tripoli"), {Piece("uk.submarine"): 2})
    _send(desk, bm.DeclareAttack(step, SiteId("convoy.tripoli"), (group,)))
    jump(desk, "r3.uk.combat.resolve")
    step = StepId("r3.uk.combat.resolve")
    _send(desk, bm.OpenCombat(step, 1), bm.GiveOrders(step), bm.RollFire(step, (VolleyRoll((1, 4)),)))
    return desk


scene("aana-convoy", "aana_combat", _convoy)


scene("aana-board", "aana_board", lambda: _desk("r1.germany.noncombat.move", *_MARMARICA))


scene("aana-moves", "aana_board", lambda: _desk("r1.germany.combat_move.move", *_MARMARICA))(
    lambda laid: _enter(
        laid, BoardDraft(space=SiteId("el_agheila"), mode="move", counts={Piece("germany.tank"): 2})
    )
)
scene("aana-count", "aana_board", lambda: _desk("r1.germany.combat_move.move", *_MARMARICA))(
    lambda laid: _enter(laid, BoardDraft(space=SiteId("el_agheila")))
)
scene("aana-victory", "aana_score", lambda: _desk("r9.uk.noncombat.move"))
scene("aana-victory-list", "aana_score", lambda: _desk("r9.uk.noncombat.move"))(
    lambda laid: _enter(laid, ScoreDraft("list"))
)


def _enter(laid: Laid, draft: object) -> None:
    """Show what is being entered."""
    screen: Any = laid.root.screen
    screen.enter(draft)
    screen.refresh(laid.desk.change)


scene("aana-requisition", "aana_reinforce", lambda: _desk("r2.uk.requisition.buy"))
scene("aana-units", "aana_units", lambda: _desk("r2.uk.requisition.buy"))

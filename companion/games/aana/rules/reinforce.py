"""The part of money and reinforcements: its commands, events and slice, and the events of the round track.

Source: rulebook, Phase 1, Phase 2, Phase 6, Special Rules for the Scenarios.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import Millis, Nation, Side, SiteId
from companion.core.judgement import Need
from companion.core.parts import Part
from companion.core.rules import Code, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Say, several
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules import reinforce_messages as rf
from companion.games.aana.rules.board import POOL
from companion.games.aana.rules.deploy import advance, deploy, lose_undeployed, place_free
from companion.games.aana.rules.figures import NO_POWER
from companion.games.aana.rules.ledger_messages import ControlChanged, SupplyChanged, UnitsMoved
from companion.games.aana.rules.pieces import Piece, counted, piece_key
from companion.games.aana.rules.requisition import (
    lay_land_mine,
    lay_sea_mine,
    malta_waits,
    pay_malta,
    repair,
    requisition,
    skip_malta,
)
from companion.games.aana.rules.sequence import LANDING_ROUND, LEND_LEASE_ROUND
from companion.games.aana.rules.turn import turn_of

__all__ = ["ReinforcePart"]

_LANDING_MARKERS: Final = (
    (SiteId("tunis"), Nation("germany")),
    (SiteId("kasserine"), Nation("germany")),
    (SiteId("mareth"), Nation("italy")),
)
"""Whose the territories are that the landings of round 7 lay open."""


class ReinforcePart(Part):
    """Points, purchases, convoys and the events of the round track."""

    name = "reinforce"
    deciders = {
        rf.PayMalta: pay_malta,
        rf.SkipMalta: skip_malta,
        rf.Requisition: requisition,
        rf.RepairBattleship: repair,
        rf.LayLandMine: lay_land_mine,
        rf.LaySeaMine: lay_sea_mine,
        rf.AdvanceConvoys: advance,
        rf.Deploy: deploy,
        rf.LoseUndeployed: lose_undeployed,
        rf.PlaceFree: place_free,
    }
    commands = tuple(deciders)
    events: tuple[type[Event], ...] = (
        rf.Paid,
        rf.MaltaPaid,
        rf.MaltaSkipped,
        rf.ConvoysAdvanced,
        rf.MinePlaced,
        rf.FreePlaced,
        rf.SpecialEvent,
    )

    def initial(self, setup: Setup) -> rf.Reinforce:
        """Take the bid; the first step begins a turn."""
        bid = setup.options.get("bid") or {}
        turn = turn_of(setup.steps[0]) if setup.steps else ""
        return rf.Reinforce(turn=turn, bid_left=int(bid.get("amount", 0)), bid_side=Side(bid.get("side", "")))

    def evolve(self, own: rf.Reinforce, event: Event, state: GameState) -> rf.Reinforce:  # noqa: ARG002
        """Apply one event."""
        replace = msgspec.structs.replace
        if isinstance(event, rf.Paid):
            power, _, unit = event.what.partition(".")
            what, n = event.what, event.count
            if unit in rf.TOKENS:
                what, n = f"{power}.{rf.SUPPLY_ONE}", n * rf.TOKENS[unit]
            return replace(
                own,
                spent=own.spent + event.cost - event.from_bid,
                bought={**own.bought, what: own.bought.get(what, 0) + n},
                bid_left=own.bid_left - event.from_bid,
                totals={**own.totals, event.power: own.totals.get(event.power, 0) + event.cost},
            )
        if isinstance(event, rf.MaltaPaid):
            return replace(own, malta_paid=True)
        if isinstance(event, rf.MaltaSkipped):
            return replace(own, malta_skipped=True)
        if isinstance(event, rf.ConvoysAdvanced):
            return replace(own, advanced=True)
        if isinstance(event, rf.MinePlaced):
            return replace(own, mined=own.mined | {event.place})
        if isinstance(event, rf.FreePlaced):
            return replace(own, free={**own.free, event.space: own.free.get(event.space, 0) + event.cost})
        if isinstance(event, rf.SpecialEvent):
            return replace(own, events=own.events | {event.event})
        return own

    def step_entered(self, own: rf.Reinforce, step: Step, state: GameState) -> rf.Reinforce:  # noqa: ARG002
        """Begin a new turn's books when the power or the round changes."""
        turn = turn_of(step)
        if turn == own.turn:
            return own
        return msgspec.structs.replace(
            own,
            turn=turn,
            spent=0,
            bought={},
            malta_paid=False,
            malta_skipped=False,
            mined=frozenset(),
            advanced=False,
        )

    def entering(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:  # noqa: ARG002
        """Let the special events of rounds 4 and 7 happen, once, also for who jumps past their moment."""
        own, scenario = rf.reinforce_of(state), lg.scenario_of(state)
        if step.stage >= LANDING_ROUND > scenario.first_round and "landings" not in own.events:
            return _landings(state, step)
        paid_by_itself = state.rulings.get("aana.malta_asked", "asked") == "paid"
        if paid_by_itself and malta_waits(state) and lg.known_supply(lg.ledger_of(state), rf.MALTA):
            return (rf.MaltaPaid(), SupplyChanged(rf.MALTA, -1))
        lend_lease = step.stage == LEND_LEASE_ROUND and step.nation == "uk" and step.phase == "deploy"
        if lend_lease and scenario.first_round <= LEND_LEASE_ROUND and "lend_lease" not in own.events:
            return (
                rf.SpecialEvent("lend_lease"),
                UnitsMoved(POOL, SiteId("convoy.atlantic"), {Piece("uk.sherman"): 2}),
            )
        return ()

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """Say what of the turn is still to do."""
        if malta_waits(state):
            question = Say("Malta has not paid its supply token: its 15 points are lost.")
            return Rejected(Code.STILL_OPEN, question, (Need(rf.MALTA, rf.MALTA, question),))
        if step.phase == "deploy":
            rest = rf.waiting(state)
            if rest:
                pieces = several(counted(piece, n) for piece, n in rest.items())
                return Rejected(
                    Code.STILL_OPEN, Say("Still in the Reinforcements Zone: {pieces}.", pieces=pieces)
                )
        if step.phase == "convoys" and not rf.reinforce_of(state).advanced and self._has_convoy(state, step):
            return Rejected(Code.STILL_OPEN, Say("Convoys of this power are still at sea."))
        return None

    @staticmethod
    def _has_convoy(state: GameState, step: Step) -> bool:
        ledger, power = lg.ledger_of(state), step.nation or NO_POWER
        for zone in lg.board(state).convoys:
            if lg.known_supply(ledger, f"{zone}@{power}"):
                return True
            held: Mapping[Piece, int] = lg.held_units(ledger, zone, (power,))
            if any(lg.figures(state).row(*lg.split(piece)[:2]).type in ("land", "truck") for piece in held):
                return True
        return False


def _landings(state: GameState, step: Step) -> tuple[Event, ...]:
    """Return what the beginning of round 7 places: all of it in that round, only markers where a later one is entered.

    Source: rulebook, Special Rules for the Scenarios (Rommel's Last Push, Round 7).
    """
    is_later, control = step.stage > LANDING_ROUND, lg.ledger_of(state).control
    events: list[Event] = [rf.SpecialEvent("landings")]
    for territory, power in _LANDING_MARKERS:
        if not (is_later and control.get(territory)):
            events.append(ControlChanged(territory, power, control.get(territory)))
    if is_later:
        return tuple(events)
    events.append(SupplyChanged("tunis", 3))
    for landing in lg.scenario_of(state).landings:
        for power, units in landing.units.items():
            pieces = {piece_key(power, unit): n for unit, n in units.items()}
            events.append(UnitsMoved(POOL, landing.space, pieces))
        events.append(SupplyChanged(f"{landing.space}@landing", landing.supply))
    return tuple(events)

"""Phases 1 and 6: convoys that come in, reinforcements that go out, and the free part of the set-up.

Source: rulebook, Phase 1: Advance Convoys; Phase 6; Setup; Special Rules for the Scenarios; Optional Rules.
"""

from __future__ import annotations

from typing import Final

from companion.core.events import Event
from companion.core.ids import Nation, SiteId
from companion.core.judgement import YES
from companion.core.options import says
from companion.core.rules import Accepted, Decision, Rejected, not_known
from companion.core.state import GameState
from companion.core.text import Say, area, nation, several, unit
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules import reinforce_messages as rf
from companion.games.aana.rules.board import POOL, RESERVE_ZONE
from companion.games.aana.rules.conditions import route_open
from companion.games.aana.rules.figures import SIDE_OF, MissingFiguresError, no_piece
from companion.games.aana.rules.ledger_messages import SupplyChanged, UnitsMoved
from companion.games.aana.rules.pieces import piece_key
from companion.games.aana.rules.sequence import LANDING_ROUND
from companion.games.aana.rules.tables import NO_SPACE, Free
from companion.games.aana.rules.turn import at_phase, missing, no_count, turn_of

__all__ = ["advance", "deploy", "deploy_targets", "frees", "lose_undeployed", "place_free"]

_SUEZ: Final = SiteId("convoy.suez")
_INDIAN: Final = SiteId("convoy.indian")
_ATLANTIC: Final = SiteId("convoy.atlantic")
_ISLANDS: Final = tuple(map(SiteId, ("sicily", "sardinia", "crete")))


def advance(state: GameState, command: rf.AdvanceConvoys) -> Decision:
    """Decide the advance of a power's convoys.

    Source: rulebook, Phase 1: Advance Convoys (of which a part is missing); Territories; table ruling "aana.port_full"
    """
    refused = at_phase(state, command.step, "convoys")
    if refused is not None:
        return refused
    power, own, ledger = lg.acting_power(state), lg.board(state), lg.ledger_of(state)
    if rf.reinforce_of(state).advanced and rf.reinforce_of(state).turn == turn_of(state.step):
        return Rejected("done", Say("The convoys have already moved this turn."))
    events: list[Event] = [rf.ConvoysAdvanced(power)]
    chain = (_SUEZ, _INDIAN, _ATLANTIC)
    for zone in (*(z for z in own.convoys if z not in chain), *chain):
        row = own.convoys[zone]
        if power not in row.powers:
            continue
        book = lg.figures(state)
        held = lg.held_units(ledger, zone, (power,))
        land = {p: n for p, n in held.items() if book.row(*lg.split(p)[:2]).type in ("land", "truck")}
        ships = {p: n for p, n in held.items() if book.row(*lg.split(p)[:2]).is_sea}
        key = f"{zone}@{power}"
        tokens = lg.known_supply(ledger, key) or 0
        if row.next:
            to, ship_to, token_to = row.next, row.next, f"{row.next}@{power}"
        elif (land or tokens) and (is_open := route_open(state, zone)).is_unknown:
            return not_known(is_open)
        elif own.is_convoy_open(zone, ledger.control) or not row.direct:
            to, ship_to, token_to = row.port, row.sea_exit, row.port
            over = lg.over_limit(state, to, land, SIDE_OF[power])
            if over is not None and says(state, "aana.port_full", "waits"):
                land = {p: n for p, n in land.items() if not lg.row_of(book, p).is_combat}
            elif over is not None and not command.confirmed:
                return Rejected("over_limit", over)
        else:
            to, ship_to, token_to = RESERVE_ZONE, NO_SPACE, ""
        if land:
            events.append(UnitsMoved(zone, to, land))
        if ships and ship_to:
            events.append(UnitsMoved(zone, ship_to, ships))
        if tokens:
            events.append(SupplyChanged(key, -tokens))
            if token_to:
                events.append(SupplyChanged(token_to, tokens))
            else:
                events.append(UnitsMoved(POOL, RESERVE_ZONE, {piece_key(power, rf.SUPPLY_ONE): tokens}))
    return Accepted(tuple(events))


def deploy_targets(state: GameState, power: Nation, unit: str) -> tuple[SiteId, ...]:
    """Return the spaces into which a power may deploy a piece now, the likeliest first.

    Convoy zones whose port's marker nobody has told are among them: they are asked about.
    """
    own, ledger, scenario = lg.board(state), lg.ledger_of(state), lg.scenario_of(state)
    optional = state.frozen_setup.options.get("optional", ())
    row = None if unit in rf.TOKENS else lg.figures(state).row(power, unit)
    if row is not None and row.is_sea:
        return own.deployment_zones(power)
    convoys = [
        zone
        for zone, data in own.convoys.items()
        if power in data.powers and data.direct and not route_open(state, zone).is_no
    ]
    first = state.step.stage == LANDING_ROUND
    if first and power == "italy" and scenario.italy_convoy_only:
        convoys = [zone for zone in convoys if zone == scenario.italy_convoy_only]
    is_air = row is not None and row.type == "air"
    bound = first and power == "us" and not is_air and "us_landing" not in optional
    if bound and ledger.control.get(SiteId("casablanca")) == "us":
        convoys = [zone for zone in convoys if zone == "convoy.casablanca"]
    if power == "uk" and row is not None and row.type in ("land", "truck") and unit != "aaa":
        convoys = [zone for zone in convoys if zone != "convoy.malta"]
    if power == "uk" and unit == "infantry" and "anzac" in optional:
        convoys.append(_INDIAN)
    targets = convoys
    staging = own.staging(power)
    if staging:
        targets = [*targets, staging]
    elif power == "us" and unit in rf.TOKENS and "reserve" in optional:
        targets = [*targets, SiteId("gibraltar")]
    if SIDE_OF[power] == "axis" and (is_air or unit == "aaa" or (power, unit) == ("germany", "anti_tank")):
        targets = [*targets, *_ISLANDS]
    return tuple(targets)


def _elsewhere(command: rf.Deploy, targets: tuple[SiteId, ...]) -> Say:
    named, to = unit(command.unit), area(command.to)
    if not targets:
        return Say("{unit} cannot go to {space}, nor anywhere else now.", unit=named, space=to)
    allowed = several(map(area, targets))
    return Say("{unit} cannot go to {space}. Allowed: {spaces}.", unit=named, space=to, spaces=allowed)


def deploy(state: GameState, command: rf.Deploy) -> Decision:
    """Decide a deployment."""
    refused = at_phase(state, command.step, "deploy")
    if refused is not None:
        return refused
    power, own, ledger = command.power, lg.board(state), lg.ledger_of(state)
    if power != state.step.nation:
        return Rejected(
            "not_your_turn",
            Say(
                "{power} cannot deploy in this turn ({now}).",
                power=nation(power),
                now=nation(lg.acting_power(state)),
            ),
        )
    if command.count < 1:
        return no_count(command.count)
    if command.origin not in (RESERVE_ZONE, own.staging(power)):
        return Rejected(
            "wrong_place",
            Say("No deployment from {space} ({power}).", power=nation(power), space=area(command.origin)),
        )
    if command.unit not in rf.TOKENS and not lg.figures(state).has(power, command.unit):
        return Rejected("unknown_piece", no_piece(power, command.unit))
    targets = deploy_targets(state, power, command.unit)
    if command.to not in targets or command.to == command.origin:
        return Rejected("wrong_place", _elsewhere(command, targets))
    is_open = route_open(state, command.to) if own.type_of(command.to) == "convoy" else YES
    if is_open.is_unknown:
        return not_known(is_open)
    if command.to == _INDIAN and rf.reinforce_of(state).bought.get("anzac", 0) + command.count > 1:
        return Rejected("one_a_turn", Say("Only one ANZAC infantry per turn."))
    piece = piece_key(power, command.unit)
    events: list[Event] = []
    if command.unit in rf.TOKENS:
        tokens = command.count * rf.TOKENS[command.unit]
        if command.origin == RESERVE_ZONE:
            there = ledger.units.get(RESERVE_ZONE, {}).get(piece, 0)
            if there < command.count:
                return lg.not_there(RESERVE_ZONE, piece, there, command.count)
            events.append(UnitsMoved(RESERVE_ZONE, POOL, {piece: command.count}))
        else:
            spent = lg.supply_spent(state, command.origin, tokens)
            if isinstance(spent, Rejected):
                return spent
            events += [] if spent is None else [spent]
        key = f"{command.to}@{power}" if own.type_of(command.to) == "convoy" else command.to
        events.append(SupplyChanged(key, tokens))
        return Accepted(tuple(events))
    there = ledger.units.get(command.origin, {}).get(piece, 0)
    if there < command.count and (command.origin == RESERVE_ZONE or command.origin in ledger.told):
        return lg.not_there(command.origin, piece, there, command.count)
    over = lg.over_limit(state, command.to, {piece: command.count}, SIDE_OF[power])
    if over is not None and not command.confirmed:
        return Rejected("over_limit", over)
    events.append(UnitsMoved(command.origin, command.to, {piece: command.count}))
    if command.to == _INDIAN:
        events.append(rf.Paid(power, "anzac", command.count, 0))
    return Accepted(tuple(events))


def lose_undeployed(state: GameState, command: rf.LoseUndeployed) -> Decision:
    """Decide the loss of what has nowhere to go."""
    refused = at_phase(state, command.step, "deploy")
    if refused is not None:
        return refused
    power = lg.acting_power(state)
    stuck = {
        piece: n
        for piece, n in rf.waiting(state).items()
        if not deploy_targets(state, power, lg.split(piece)[1])
    }
    if not stuck:
        return Rejected("nothing_to_lose", Say("Everything that is waiting can still be deployed."))
    return Accepted((UnitsMoved(RESERVE_ZONE, POOL, stuck),))


def frees(state: GameState) -> tuple[Free, ...]:
    """Return the zones of the free set-up with their points, stated and entered; none once the game is under way.

    Source: rulebook, Setup (Combat Forces).
    """
    if state.step.phase != "setup" and state.index:
        return ()
    scenario = lg.scenario_of(state)
    entered = lg.board(state).free_zones().items() if scenario.free_printed else ()
    return (
        *scenario.start.free,
        *(Free(scenario.free_printed or Nation("uk"), zone, n) for zone, n in entered),
    )


def place_free(state: GameState, command: rf.PlaceFree) -> Decision:
    """Decide a piece of the free set-up."""
    free = next(
        (row for row in frees(state) if (row.power, row.space) == (command.power, command.space)),
        None,
    )
    if free is None and state.step.phase != "setup" and state.index:
        return Rejected("too_late", Say("The set-up is over."))
    if free is None:
        return Rejected(
            "wrong_place",
            Say(
                "No free set-up in {space} ({power}).",
                power=nation(command.power),
                space=area(command.space),
            ),
        )
    book = lg.figures(state)
    if not book.has(command.power, command.unit) or not book.row(command.power, command.unit).is_combat:
        return Rejected("unknown_piece", Say("Only combat units of this power, no trucks."))
    if command.count < 1:
        return no_count(command.count)
    try:
        cost = book.need(command.power, command.unit, "cost") * command.count
    except MissingFiguresError as error:
        return missing(error)
    used = rf.reinforce_of(state).free.get(command.space, 0)
    if used + cost > free.points:
        return Rejected("over_budget", rf.over_budget(cost, free.points - used, free.points))
    pieces = {piece_key(command.power, command.unit): command.count}
    refused = lg.piece_limit(state, pieces)
    if refused is not None:
        return refused
    return Accepted((rf.FreePlaced(command.space, cost), UnitsMoved(POOL, command.space, pieces)))

"""Money and reinforcements: income, Malta, requisition, repair, mines, convoys, deployment and special events.

Source: rulebook, Phase 1, Phase 2, Phase 6, Special Rules for the Scenarios, Optional Rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from companion.core.commands import Command
from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import Millis, StepId
from companion.core.rules import Accepted, Code, Context, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.games.aana.board import POOL, RESERVE_ZONE
from companion.games.aana.figures import SIDE_OF, MissingFiguresError, enemy_of
from companion.games.aana.ledger import (
    ControlChanged,
    MinesChanged,
    SupplyChanged,
    UnitsMoved,
    board,
    figures,
    held_units,
    known_supply,
    ledger_of,
    occupants,
    over_limit,
    piece_limit,
    scenario_of,
    split,
    supply_spent,
)
from companion.games.aana.sequence import LANDING_ROUND, LEND_LEASE_ROUND, TIGER_ROUND
from companion.games.parts import BasePart

__all__ = [
    "SUPPLY_FIVE",
    "SUPPLY_ONE",
    "AdvanceConvoys",
    "Deploy",
    "Income",
    "LayLandMine",
    "LaySeaMine",
    "LoseUndeployed",
    "PayMalta",
    "PlaceFree",
    "Reinforce",
    "ReinforcePart",
    "RepairBattleship",
    "Requisition",
    "deploy_targets",
    "income",
    "mine_in",
    "points_left",
    "purchase_fault",
    "reinforce_of",
    "waiting",
]

SUPPLY_ONE: Final = "supply"
SUPPLY_FIVE: Final = "supply5"
"""A five-supply piece: counts five, is not split before it is in a territory or a convoy zone."""
_TOKENS: Final = {SUPPLY_ONE: 1, SUPPLY_FIVE: 5}
_SEA_MINE_COST: Final = 2
_LAND_MINE_COST: Final = 1
_ISLANDS: Final = ("sicily", "sardinia", "crete")
_MALTA: Final = "malta"
_MALTA_NOTE: Final = 3


class PayMalta(Command, frozen=True, tag=True):
    """Spend one supply from Malta for its points, before anything is bought."""

    step: StepId


class Requisition(Command, frozen=True, tag=True):
    """Buy pieces or supply tokens; `supply5` buys five tokens as one piece."""

    step: StepId
    power: str
    unit: str
    count: int


class RepairBattleship(Command, frozen=True, tag=True):
    """Repair a damaged battleship in sea zone 31 with one supply from Cairo."""

    step: StepId


class LayLandMine(Command, frozen=True, tag=True):
    """Buy and place, or upgrade, one land mine on a border."""

    step: StepId
    territory: str
    toward: str


class LaySeaMine(Command, frozen=True, tag=True):
    """Buy and place one sea mine."""

    step: StepId
    zone: str


class AdvanceConvoys(Command, frozen=True, tag=True):
    """Bring the power's convoys in, send those without a port back, and move the southern route on."""

    step: StepId
    confirmed: bool = False


class Deploy(Command, frozen=True, tag=True):
    """Put pieces from the Reinforcements Zone, or from the staging territory, where they may go."""

    step: StepId
    power: str
    unit: str
    count: int
    to: str
    origin: str = RESERVE_ZONE
    confirmed: bool = False


class LoseUndeployed(Command, frozen=True, tag=True):
    """Take back to the box what has nowhere to go (United States without an open convoy)."""

    step: StepId


class PlaceFree(Command, frozen=True, tag=True):
    """Place combat units of the set-up that are the power's own choice, up to the points of the space."""

    power: str
    space: str
    unit: str
    count: int


class Paid(Event, frozen=True, tag=True):
    """Points were spent by the power whose turn it is."""

    power: str
    what: str
    count: int
    cost: int
    from_bid: int = 0


class MaltaPaid(Event, frozen=True, tag=True):
    """Malta's points were earned this turn."""


class ConvoysAdvanced(Event, frozen=True, tag=True):
    """The power's convoys have moved this turn."""

    power: str


class MinePlaced(Event, frozen=True, tag=True):
    """A place has had its mine of this turn."""

    place: str


class FreePlaced(Event, frozen=True, tag=True):
    """Points of the free set-up were used."""

    space: str
    cost: int


class SpecialEvent(Event, frozen=True, tag=True):
    """A special event of the round track took place."""

    event: str


class Reinforce(msgspec.Struct, frozen=True):
    """The slice of this part: what happened this turn, and what remains of the bid."""

    turn: str = ""
    spent: int = 0
    bought: dict[str, int] = {}
    """Power.unit to pieces bought this turn; supply in tokens."""
    malta_paid: bool = False
    mined: frozenset[str] = frozenset()
    advanced: bool = False
    bid_left: int = 0
    bid_side: str = ""
    free: dict[str, int] = {}
    """Space to points used in the free set-up."""
    events: frozenset[str] = frozenset()
    totals: dict[str, int] = {}
    """Power to points spent in the whole game."""


class Income(msgspec.Struct, frozen=True):
    """A power's points this turn, line by line."""

    lines: tuple[tuple[str, int | None], ...]
    """(territory id, ``base`` or ``bid``; points, None = still to be entered)."""
    missing: tuple[str, ...]
    """Keys of printed values that the sum lacks."""

    @property
    def total(self) -> int:
        """The sum of what is known."""
        return sum(n or 0 for _, n in self.lines)


def reinforce_of(state: GameState) -> Reinforce:
    """Return the slice of a state."""
    own: Reinforce = state.game["reinforce"]
    return own


def income(state: GameState, power: str) -> Income:
    """Return what a power has to spend this turn."""
    own, ledger, slice_ = board(state), ledger_of(state), reinforce_of(state)
    lines: list[tuple[str, int | None]] = []
    missing: list[str] = []
    base = state.printed.get(f"base.{power}")
    lines.append(("base", base if isinstance(base, int) else None))
    if not isinstance(base, int):
        missing.append(f"base.{power}")
    for row in own.territories():
        if row.id == _MALTA or ledger.control.get(row.id) != power:
            continue
        points = own.rp(row.id)
        lines.append((row.id, points))
        if points is None:
            missing.append(f"rp.{row.id}")
    if power == "uk" and slice_.malta_paid:
        lines.append((_MALTA, own.rp(_MALTA)))
    if slice_.bid_left and slice_.bid_side == SIDE_OF[power] and _is_bid_round(state):
        lines.append(("bid", slice_.bid_left))
    return Income(tuple(lines), tuple(missing))


def _is_bid_round(state: GameState) -> bool:
    return state.step.stage == scenario_of(state).first_round


def points_left(state: GameState, power: str) -> int:
    """Return what a power may still spend; the bid that earlier purchases of the turn used is off already."""
    slice_ = reinforce_of(state)
    own = slice_.spent if slice_.turn == _turn(state.step) else 0
    return income(state, power).total - own


def waiting(state: GameState, power: str) -> dict[str, int]:
    """Return what a power, Free France with the United States, has in the Reinforcements Zone."""
    powers = (power, "free_french") if power == "us" else (power,)
    return held_units(ledger_of(state), RESERVE_ZONE, powers)


def _turn(step: Step) -> str:
    return f"r{step.stage}.{step.nation}"


def _at(state: GameState, step: StepId, phase: str) -> Rejected | None:
    if state.step.id != step:
        return Rejected(Code.STALE_STEP, f"aimed at {step}, now {state.step.id}")
    if state.step.phase != phase:
        return Rejected("wrong_phase", f"{state.step.id} is not the phase for this")
    return None


def _pay(state: GameState, power: str, what: str, count: int, cost: int) -> Paid | Rejected:
    whole = income(state, power)
    left = points_left(state, power)
    if cost > left:
        if whole.missing:
            return Rejected(
                "printed_value_missing",
                f"{cost} asked, {left} known; enter {', '.join(whole.missing)} from your board",
            )
        return Rejected("over_budget", f"{cost} asked, {left} left of {whole.total}")
    bid = dict(whole.lines).get("bid") or 0
    from_bid = max(0, cost - (left - bid))
    return Paid(power, what, count, cost, from_bid)


def purchase_fault(state: GameState, power: str, unit: str, count: int) -> Rejected | None:
    """Say why a power may not buy so many of a unit now, costs aside; None when it may."""
    slice_ = reinforce_of(state)
    turn_power = state.step.nation or ""
    allowed = (turn_power, "free_french") if turn_power == "us" else (turn_power,)
    if power not in allowed:
        return Rejected("not_your_turn", f"{power} does not buy in the turn of {turn_power}")
    if count < 1:
        return Rejected(Code.BAD_VALUE, f"{count} pieces")
    if unit in _TOKENS:
        if power == "free_french":
            return Rejected("no_requisition", "Free France buys infantry and tanks only")
        most = 10 if power == "us" else int(state.rulings.get("aana.supply_limit", "5"))
        asked = count * _TOKENS[unit]
        have = slice_.bought.get(f"{power}.{SUPPLY_ONE}", 0)
        if have + asked > most:
            return Rejected("supply_limit", f"{most} supply a turn, {have} bought, {asked} asked")
        return _token_limit(state, asked)
    book = figures(state)
    if not book.has(power, unit):
        return Rejected("unknown_piece", f"{power} has no {unit}")
    row = book.row(power, unit)
    if "no_requisition" in row.traits:
        return Rejected("no_requisition", f"{row.name} comes by lend-lease only")
    if unit == "tiger":
        if "tiger" not in state.frozen_setup.options.get("optional", ()):
            return Rejected("no_requisition", "Tiger tanks are an optional advantage")
        if state.step.stage < TIGER_ROUND:
            return Rejected("no_requisition", f"Tiger tanks come with round {TIGER_ROUND}")
        if slice_.bought.get("germany.tiger", 0) + count > 1:
            return Rejected("one_a_turn", "one Tiger tank a turn")
    if power == "us" and row.type == "air" and state.step.stage == LANDING_ROUND:
        return Rejected("no_requisition", "no US aircraft in round 7")
    if power == "free_french":
        if slice_.bought.get(f"{power}.{unit}", 0) + count > 1:
            return Rejected("one_a_turn", f"one Free French {row.name} a turn")
        holder = ledger_of(state).control.get("oran", "")
        if SIDE_OF.get(holder) != "allies":
            return Rejected("no_requisition", "an Allied power must control Oran")
        over = over_limit(state, "oran", {f"{power}.{unit}": count}, "allies")
        if over is not None:
            return Rejected("over_limit", over)
    return piece_limit(state, {f"{power}.{unit}": count})


def _token_limit(state: GameState, asked: int) -> Rejected | None:
    """Refuse supply tokens that the box does not hold."""
    ledger = ledger_of(state)
    out = sum(ledger.supply.values())
    for piece, n in ledger.units.get(RESERVE_ZONE, {}).items():
        out += n * _TOKENS.get(split(piece)[1], 0)
    most = int(board(state).file.tokens["supply"])
    if out + asked > most:
        return Rejected("piece_limit", f"Supply: {most} in the box, {out} in play, {asked} more")
    return None


def _requisition(state: GameState, command: Requisition) -> Decision:
    refused = _at(state, command.step, "requisition") or purchase_fault(
        state, command.power, command.unit, command.count
    )
    if refused is not None:
        return refused
    if command.unit in _TOKENS:
        cost = _TOKENS[command.unit] * command.count
    else:
        try:
            cost = figures(state).need(command.power, command.unit, "cost") * command.count
        except MissingFiguresError as error:
            return Rejected(
                "printed_value_missing", f"enter {', '.join(error.keys)} from your Reference Chart"
            )
    payer = "us" if command.power == "free_french" else command.power
    what = f"{command.power}.{command.unit}"
    paid = _pay(state, payer, what, command.count, cost)
    if isinstance(paid, Rejected):
        return paid
    to = RESERVE_ZONE
    if command.power == "germany" and command.unit == "submarine":
        to = board(state).deployment_zones("germany")[0]
    elif command.power == "free_french":
        to = "oran"
    return Accepted((paid, UnitsMoved(POOL, to, {what: command.count})))


def _malta(state: GameState, command: PayMalta) -> Decision:
    refused = _at(state, command.step, "requisition")
    if refused is not None:
        return refused
    slice_ = reinforce_of(state)
    if state.step.nation != "uk":
        return Rejected("not_your_turn", "Malta is the United Kingdom's")
    if slice_.malta_paid:
        return Rejected("done", "Malta's points are in already")
    if slice_.spent or slice_.bought:
        return Rejected("too_late", "Malta is settled before anything is bought")
    spent = supply_spent(state, _MALTA, 1)
    if isinstance(spent, Rejected):
        return spent
    return Accepted((MaltaPaid(), *(() if spent is None else (spent,))))


def _repair(state: GameState, command: RepairBattleship) -> Decision:
    refused = _at(state, command.step, "requisition")
    if refused is not None:
        return refused
    if state.step.nation != "uk":
        return Rejected("not_your_turn", "battleships are the United Kingdom's")
    ledger = ledger_of(state)
    hurt = ledger.units.get("sz.31", {}).get("uk.battleship.damaged", 0)
    if not hurt and "sz.31" in ledger.told:
        return Rejected("not_there", "no damaged battleship in sea zone 31")
    spent = supply_spent(state, "cairo", 1)
    if isinstance(spent, Rejected):
        return spent
    events: list[Event] = [] if spent is None else [spent]
    if hurt:
        events.append(UnitsMoved("sz.31", POOL, {"uk.battleship.damaged": 1}))
        events.append(UnitsMoved(POOL, "sz.31", {"uk.battleship": 1}))
    return Accepted((Paid("uk", "repair", 1, 0), *events))


def mine_in(state: GameState, place: str) -> bool:
    """Say whether a territory or zone has had its mine this turn."""
    slice_ = reinforce_of(state)
    return slice_.turn == _turn(state.step) and place in slice_.mined


def _land_mine(state: GameState, command: LayLandMine) -> Decision:
    refused = _at(state, command.step, "requisition")
    if refused is not None:
        return refused
    power, own, ledger = state.step.nation or "", board(state), ledger_of(state)
    for space in (command.territory, command.toward):
        if own.type_of(space) != "land":
            return Rejected("unknown_space", f"{space} is no territory")
    if command.territory == command.toward:
        return Rejected(Code.BAD_VALUE, "a border needs two territories")
    if mine_in(state, command.territory):
        return Rejected("one_a_turn", f"{own.name(command.territory)} had its land mine this turn")
    there = any(
        figures(state).row(*split(piece)[:2]).type == "land" and split(piece)[0] == power
        for piece in occupants(ledger, figures(state), command.territory, SIDE_OF[power])
    )
    holds = ledger.control.get(command.territory) == power
    if not there and not holds and command.territory in ledger.told:
        return Rejected(
            "not_yours", f"{own.name(command.territory)}: neither controlled nor held by your land units"
        )
    laid = sum(n for key, n in ledger.mines.items() if ">" in key)
    if laid >= int(own.file.tokens["land_mines"]):
        return Rejected("piece_limit", f"{laid} land mine icons are out, all there are")
    paid = _pay(state, power, "land_mine", 1, _LAND_MINE_COST)
    if isinstance(paid, Rejected):
        return paid
    return Accepted((paid, MinesChanged(command.territory, command.toward, 1), MinePlaced(command.territory)))


def _sea_mine(state: GameState, command: LaySeaMine) -> Decision:
    refused = _at(state, command.step, "requisition")
    if refused is not None:
        return refused
    power, own, ledger = state.step.nation or "", board(state), ledger_of(state)
    side = SIDE_OF[power]
    if own.type_of(command.zone) not in ("sea", "convoy"):
        return Rejected("unknown_space", f"{command.zone} is no sea zone")
    if mine_in(state, command.zone):
        return Rejected("one_a_turn", f"{own.name(command.zone)} had its sea mine this turn")
    foes = occupants(ledger, figures(state), command.zone, enemy_of(side))
    if any(figures(state).row(*split(piece)[:2]).is_sea for piece in foes):
        return Rejected("enemy_there", f"{own.name(command.zone)} holds enemy warships")
    for other, other_side in SIDE_OF.items():
        if other_side != side and command.zone in own.deployment_zones(other):
            return Rejected("enemy_zone", f"{own.name(command.zone)} is the deployment zone of {other}")
    if side == "axis" and command.zone in ("sz.31", "convoy.atlantic", "convoy.indian", "convoy.suez"):
        suez = command.zone == "convoy.suez" and "mine_suez" in state.frozen_setup.options.get("optional", ())
        bomber = any(
            split(piece)[1] == "bomber" for piece in occupants(ledger, figures(state), "crete", "axis")
        )
        ships = any(
            figures(state).row(*split(piece)[:2]).is_sea for piece in ledger.units.get(command.zone, {})
        )
        if not suez or not bomber or ships:
            return Rejected("closed_zone", f"the Axis may not mine {own.name(command.zone)}")
    most = int(own.file.tokens[f"{'allied' if side == 'allies' else 'axis'}_sea_mines"])
    laid = sum(n for key, n in ledger.mines.items() if SIDE_OF.get(key.partition("@")[2]) == side)
    if laid >= most:
        return Rejected("piece_limit", f"{laid} sea mines of the side are out, all there are")
    paid = _pay(state, power, "sea_mine", 1, _SEA_MINE_COST)
    if isinstance(paid, Rejected):
        return paid
    return Accepted((paid, MinesChanged(command.zone, power, 1), MinePlaced(command.zone)))


def _advance(state: GameState, command: AdvanceConvoys) -> Decision:
    refused = _at(state, command.step, "convoys")
    if refused is not None:
        return refused
    power, own, ledger = state.step.nation or "", board(state), ledger_of(state)
    if reinforce_of(state).advanced and reinforce_of(state).turn == _turn(state.step):
        return Rejected("done", "the convoys have moved this turn")
    events: list[Event] = [ConvoysAdvanced(power)]
    chain = ("convoy.suez", "convoy.indian", "convoy.atlantic")
    for zone in (*(z for z in own.convoys if z not in chain), *chain):
        row = own.convoys[zone]
        if power not in row.powers:
            continue
        book = figures(state)
        held = held_units(ledger, zone, (power,))
        land = {p: n for p, n in held.items() if book.row(*split(p)[:2]).type in ("land", "truck")}
        ships = {p: n for p, n in held.items() if book.row(*split(p)[:2]).is_sea}
        key = f"{zone}@{power}"
        tokens = known_supply(ledger, key) or 0
        if row.next:
            to, ship_to, token_to = row.next, row.next, f"{row.next}@{power}"
        elif own.is_convoy_open(zone, ledger.control) or not row.direct:
            to, ship_to, token_to = row.port, row.sea_exit, row.port
            over = over_limit(state, to, land, SIDE_OF[power])
            if over is not None and not command.confirmed:
                return Rejected("over_limit", over)
        else:
            to, ship_to, token_to = RESERVE_ZONE, "", ""
        if land:
            events.append(UnitsMoved(zone, to, land))
        if ships and ship_to:
            events.append(UnitsMoved(zone, ship_to, ships))
        if tokens:
            events.append(SupplyChanged(key, -tokens))
            if token_to:
                events.append(SupplyChanged(token_to, tokens))
            else:
                events.append(UnitsMoved(POOL, RESERVE_ZONE, {f"{power}.{SUPPLY_ONE}": tokens}))
    return Accepted(tuple(events))


def deploy_targets(state: GameState, power: str, unit: str) -> tuple[str, ...]:
    """Return the spaces into which a power may deploy a piece now, the likeliest first."""
    own, ledger, scenario = board(state), ledger_of(state), scenario_of(state)
    optional = state.frozen_setup.options.get("optional", ())
    row = None if unit in _TOKENS else figures(state).row(power, unit)
    if row is not None and row.is_sea:
        return own.deployment_zones(power)
    convoys = [
        zone
        for zone, data in own.convoys.items()
        if power in data.powers and data.direct and own.is_convoy_open(zone, ledger.control)
    ]
    first = state.step.stage == LANDING_ROUND
    if first and power == "italy" and scenario.italy_convoy_only:
        convoys = [zone for zone in convoys if zone == scenario.italy_convoy_only]
    is_air = row is not None and row.type == "air"
    bound = first and power == "us" and not is_air and "us_landing" not in optional
    if bound and ledger.control.get("casablanca") == "us":
        convoys = [zone for zone in convoys if zone == "convoy.casablanca"]
    if power == "uk" and row is not None and row.type in ("land", "truck") and unit != "aaa":
        convoys = [zone for zone in convoys if zone != "convoy.malta"]
    if power == "uk" and unit == "infantry" and "anzac" in optional:
        convoys.append("convoy.indian")
    targets = convoys
    staging = own.staging(power)
    if staging:
        targets = [*targets, staging]
    elif power == "us" and unit in _TOKENS and "reserve" in optional:
        targets = [*targets, "gibraltar"]
    if SIDE_OF[power] == "axis" and (is_air or unit == "aaa" or (power, unit) == ("germany", "anti_tank")):
        targets = [*targets, *_ISLANDS]
    return tuple(targets)


def _deploy(state: GameState, command: Deploy) -> Decision:
    refused = _at(state, command.step, "deploy")
    if refused is not None:
        return refused
    power, own, ledger = command.power, board(state), ledger_of(state)
    if power != state.step.nation:
        return Rejected("not_your_turn", f"{power} does not deploy in the turn of {state.step.nation}")
    if command.count < 1:
        return Rejected(Code.BAD_VALUE, f"{command.count} pieces")
    if command.origin not in (RESERVE_ZONE, own.staging(power)):
        return Rejected("wrong_place", f"{own.name(command.origin)} is not where {power} deploys from")
    if command.unit not in _TOKENS and not figures(state).has(power, command.unit):
        return Rejected("unknown_piece", f"{power} has no {command.unit}")
    targets = deploy_targets(state, power, command.unit)
    if command.to not in targets or command.to == command.origin:
        allowed = ", ".join(own.name(space) for space in targets) or "nowhere"
        return Rejected("wrong_place", f"{command.unit} to {own.name(command.to)}: allowed {allowed}")
    if command.to == "convoy.indian" and reinforce_of(state).bought.get("anzac", 0) + command.count > 1:
        return Rejected("one_a_turn", "one ANZAC infantry a turn")
    piece = f"{power}.{command.unit}"
    events: list[Event] = []
    if command.unit in _TOKENS:
        tokens = command.count * _TOKENS[command.unit]
        if command.origin == RESERVE_ZONE:
            there = ledger.units.get(RESERVE_ZONE, {}).get(piece, 0)
            if there < command.count:
                return Rejected("not_there", f"{there} {command.unit} wait, {command.count} to deploy")
            events.append(UnitsMoved(RESERVE_ZONE, POOL, {piece: command.count}))
        else:
            spent = supply_spent(state, command.origin, tokens)
            if isinstance(spent, Rejected):
                return spent
            events += [] if spent is None else [spent]
        key = f"{command.to}@{power}" if own.type_of(command.to) == "convoy" else command.to
        events.append(SupplyChanged(key, tokens))
        return Accepted(tuple(events))
    there = ledger.units.get(command.origin, {}).get(piece, 0)
    if there < command.count and (command.origin == RESERVE_ZONE or command.origin in ledger.told):
        return Rejected(
            "not_there", f"{there} {piece} in {own.name(command.origin)}, {command.count} to deploy"
        )
    over = over_limit(state, command.to, {piece: command.count}, SIDE_OF[power])
    if over is not None and not command.confirmed:
        return Rejected("over_limit", over)
    events.append(UnitsMoved(command.origin, command.to, {piece: command.count}))
    if command.to == "convoy.indian":
        events.append(Paid(power, "anzac", command.count, 0))
    return Accepted(tuple(events))


def _lose(state: GameState, command: LoseUndeployed) -> Decision:
    refused = _at(state, command.step, "deploy")
    if refused is not None:
        return refused
    power = state.step.nation or ""
    stuck = {
        piece: n
        for piece, n in waiting(state, power).items()
        if not deploy_targets(state, power, split(piece)[1])
    }
    if not stuck:
        return Rejected("nothing_to_lose", "everything that waits has somewhere to go")
    return Accepted((UnitsMoved(RESERVE_ZONE, POOL, stuck),))


def _place_free(state: GameState, command: PlaceFree) -> Decision:
    free = next(
        (
            row
            for row in scenario_of(state).start.free
            if (row.power, row.space) == (command.power, command.space)
        ),
        None,
    )
    if free is None:
        return Rejected(
            "wrong_place", f"{command.power} has no free set-up in {board(state).name(command.space)}"
        )
    if state.index != 0:
        return Rejected("too_late", "the set-up is over")
    book = figures(state)
    if not book.has(command.power, command.unit) or not book.row(command.power, command.unit).is_combat:
        return Rejected("unknown_piece", "combat units of the power only, no trucks")
    if command.count < 1:
        return Rejected(Code.BAD_VALUE, f"{command.count} pieces")
    try:
        cost = book.need(command.power, command.unit, "cost") * command.count
    except MissingFiguresError as error:
        return Rejected("printed_value_missing", f"enter {', '.join(error.keys)} from your Reference Chart")
    used = reinforce_of(state).free.get(command.space, 0)
    if used + cost > free.points:
        return Rejected("over_budget", f"{cost} asked, {free.points - used} left of {free.points}")
    pieces = {f"{command.power}.{command.unit}": command.count}
    refused = piece_limit(state, pieces)
    if refused is not None:
        return refused
    return Accepted((FreePlaced(command.space, cost), UnitsMoved(POOL, command.space, pieces)))


class ReinforcePart(BasePart):
    """Points, purchases, convoys and the events of the round track."""

    name = "reinforce"
    commands: tuple[type[Command], ...] = (
        PayMalta,
        Requisition,
        RepairBattleship,
        LayLandMine,
        LaySeaMine,
        AdvanceConvoys,
        Deploy,
        LoseUndeployed,
        PlaceFree,
    )
    events: tuple[type[Event], ...] = (Paid, MaltaPaid, ConvoysAdvanced, MinePlaced, FreePlaced, SpecialEvent)

    def initial(self, setup: Setup) -> Reinforce:
        """Take the bid; the first step begins a turn."""
        bid = setup.options.get("bid") or {}
        turn = _turn(setup.steps[0]) if setup.steps else ""
        return Reinforce(turn=turn, bid_left=int(bid.get("amount", 0)), bid_side=str(bid.get("side", "")))

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:
        """Decide a purchase, a convoy or a deployment."""
        if isinstance(command, Requisition):
            return _requisition(state, command)
        if isinstance(command, Deploy):
            return _deploy(state, command)
        if isinstance(command, PayMalta):
            return _malta(state, command)
        if isinstance(command, RepairBattleship):
            return _repair(state, command)
        if isinstance(command, LayLandMine):
            return _land_mine(state, command)
        if isinstance(command, LaySeaMine):
            return _sea_mine(state, command)
        if isinstance(command, AdvanceConvoys):
            return _advance(state, command)
        if isinstance(command, LoseUndeployed):
            return _lose(state, command)
        if isinstance(command, PlaceFree):
            return _place_free(state, command)
        return super().decide(state, command, ctx)

    def evolve(self, own: Reinforce, event: Event, state: GameState) -> Reinforce:  # noqa: ARG002
        """Apply one event."""
        replace = msgspec.structs.replace
        if isinstance(event, Paid):
            power, _, unit = event.what.partition(".")
            what, n = event.what, event.count
            if unit in _TOKENS:
                what, n = f"{power}.{SUPPLY_ONE}", n * _TOKENS[unit]
            return replace(
                own,
                spent=own.spent + event.cost - event.from_bid,
                bought={**own.bought, what: own.bought.get(what, 0) + n},
                bid_left=own.bid_left - event.from_bid,
                totals={**own.totals, event.power: own.totals.get(event.power, 0) + event.cost},
            )
        if isinstance(event, MaltaPaid):
            return replace(own, malta_paid=True)
        if isinstance(event, ConvoysAdvanced):
            return replace(own, advanced=True)
        if isinstance(event, MinePlaced):
            return replace(own, mined=own.mined | {event.place})
        if isinstance(event, FreePlaced):
            return replace(own, free={**own.free, event.space: own.free.get(event.space, 0) + event.cost})
        if isinstance(event, SpecialEvent):
            return replace(own, events=own.events | {event.event})
        return own

    def step_entered(self, own: Reinforce, step: Step, state: GameState) -> Reinforce:  # noqa: ARG002
        """Begin a new turn's books when the power or the round changes."""
        turn = _turn(step)
        if turn == own.turn:
            return own
        return msgspec.structs.replace(
            own, turn=turn, spent=0, bought={}, malta_paid=False, mined=frozenset(), advanced=False
        )

    def entering(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:  # noqa: ARG002
        """Let the special events of rounds 4 and 7 happen, once."""
        own, scenario = reinforce_of(state), scenario_of(state)
        if step.phase == "event" and "landings" not in own.events:
            events: list[Event] = [SpecialEvent("landings")]
            for territory, power in (("tunis", "germany"), ("kasserine", "germany"), ("mareth", "italy")):
                before = ledger_of(state).control.get(territory)
                events.append(ControlChanged(territory, power, before))
            events.append(SupplyChanged("tunis", 3))
            for landing in scenario.landings:
                for power, units in landing.units.items():
                    pieces = {f"{power}.{unit}": n for unit, n in units.items()}
                    events.append(UnitsMoved(POOL, landing.space, pieces))
                events.append(SupplyChanged(f"{landing.space}@landing", landing.supply))
            return tuple(events)
        lend_lease = step.stage == LEND_LEASE_ROUND and step.nation == "uk" and step.phase == "deploy"
        if lend_lease and scenario.first_round <= LEND_LEASE_ROUND and "lend_lease" not in own.events:
            return (
                SpecialEvent("lend_lease"),
                UnitsMoved(POOL, "convoy.atlantic", {"uk.sherman": 2}),
            )
        return ()

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """Say what of the turn is still to do."""
        if step.phase == "deploy":
            rest = waiting(state, step.nation or "")
            if rest:
                listed = ", ".join(f"{n} {piece}" for piece, n in rest.items())
                return Rejected(Code.UNDONE, f"still in the Reinforcements Zone: {listed}")
        if step.phase == "convoys" and not reinforce_of(state).advanced and self._has_convoy(state, step):
            return Rejected(Code.UNDONE, "convoys of this power are still at sea")
        return None

    @staticmethod
    def _has_convoy(state: GameState, step: Step) -> bool:
        ledger, power = ledger_of(state), step.nation or ""
        for zone in board(state).convoys:
            if known_supply(ledger, f"{zone}@{power}"):
                return True
            held: Mapping[str, int] = held_units(ledger, zone, (power,))
            if any(figures(state).row(*split(piece)[:2]).type in ("land", "truck") for piece in held):
                return True
        return False

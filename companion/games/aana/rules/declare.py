"""Phase 3: which attack may be declared, and what it costs.

Source: rulebook, Land Unit Movement, Declaration of Attacks, Special Rules for the Scenarios, Strategic Supply Reserve.
"""

from __future__ import annotations

from companion.core.events import Event
from companion.core.flow import Step
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.state import GameState
from companion.core.text import Say, area
from companion.core.text import unit as named
from companion.games.aana.rules.battle_messages import (
    Attack,
    AttackDeclared,
    AttackGroup,
    DeclareAttack,
    battles_of,
    declared_units,
    is_landing_open,
)
from companion.games.aana.rules.figures import SIDE_OF, FigureBook, enemy_of, no_piece
from companion.games.aana.rules.ledger import (
    acting_side,
    board,
    figures,
    held_units,
    ledger_of,
    no_space,
    occupants,
    scenario_of,
    shares,
    split,
    supply_spent,
)
from companion.games.aana.rules.movement import closed_west, free_to_attack, is_hostile, movement_of
from companion.games.aana.rules.pieces import counted
from companion.games.aana.rules.rounds import supply_cost
from companion.games.aana.rules.sequence import LANDING_ROUND
from companion.games.aana.rules.supply import payer_fault
from companion.games.aana.rules.turn import at_phase, out_of_turn, turn_powers

__all__ = ["attack_cost", "declare", "landings", "undeclared"]


def declare(state: GameState, command: DeclareAttack) -> Decision:
    """Decide the declaration of an attack and its supply."""
    refused = at_phase(state, command.step, "combat_move")
    if refused is not None:
        return refused
    if state.step.act != "declare":
        return Rejected("wrong_phase", Say("Finish all combat moves before you declare attacks."))
    own, ledger, book = board(state), ledger_of(state), figures(state)
    kind = own.type_of(command.space)
    if kind not in ("land", "sea", "convoy"):
        return Rejected("unknown_space", no_space(command.space))
    power = state.step.nation or ""
    side = SIDE_OF[power]
    powers = turn_powers(state)
    if not command.groups or not any(n for group in command.groups for n in group.units.values()):
        return Rejected(Code.BAD_VALUE, Say("An attack needs units."))
    events: list[Event] = []
    planes_and_ships = 0
    spent: dict[str, int] = {}
    paid = 0
    defended = _is_defended(state, command, side)
    for group in command.groups:
        origin_type = own.type_of(group.origin)
        if origin_type is None:
            return Rejected("unknown_space", no_space(group.origin))
        for piece, n in group.units.items():
            owner, unit, _ = split(piece)
            if n < 1 or owner not in powers:
                return out_of_turn(state, piece, n)
            if not book.has(owner, unit):
                return Rejected("unknown_piece", no_piece(owner, unit))
            row = book.row(owner, unit)
            if not row.is_combat or "cannot_attack" in row.traits:
                return Rejected("cannot_attack", Say("{unit} never attacks.", unit=named(unit)))
            if (row.is_sea and kind == "land") or (row.type == "land" and kind != "land"):
                return Rejected(
                    "cannot_attack",
                    Say("{unit} cannot attack {space}.", unit=named(unit), space=area(command.space)),
                )
            if row.type == "land":
                if origin_type != "land" or group.origin == command.space:
                    return Rejected(
                        "wrong_place", Say("{unit} must attack from an adjacent territory.", unit=named(unit))
                    )
                if is_landing_open(state) and f"{group.origin}@landing" in ledger.supply:
                    return Rejected("wrong_place", Say("A landing force attacks only its own territory."))
            else:
                planes_and_ships += n
            if group.origin in ledger.told:
                free = free_to_attack(state, group.origin, piece)
                if free < n:
                    return Rejected(
                        "not_there",
                        Say(
                            "{space}: only {have} can attack; you chose {need}.",
                            space=area(group.origin),
                            have=counted(piece, free),
                            need=n,
                        ),
                    )
        cost = attack_cost(book, group) if defended else 0
        if cost:
            for source, n in shares(state, group.supply_from or group.origin, cost).items():
                fault = payer_fault(state, source, group.origin, side)
                if fault is not None:
                    return fault
                spent[source] = spent.get(source, 0) + n
            paid += cost
    closed = closed_west(state, command.space, side)
    if closed is not None:
        return Rejected("closed_west", closed)
    if planes_and_ships and "reserve" in state.frozen_setup.options.get("optional", ()):
        source = own.staging(power) or "gibraltar"
        before = _planes_and_ships(state)
        due = supply_cost(before + planes_and_ships) - supply_cost(before)
        spent[source] = spent.get(source, 0) + due
    for place, count in spent.items():
        event = supply_spent(state, place, count)
        if isinstance(event, Rejected):
            return event
        if event is not None:
            events.append(event)
    attack = Attack(battles_of(state).next_id, command.space, power, command.groups, False, paid)
    return Accepted((AttackDeclared(attack), *events))


def attack_cost(book: FigureBook, group: AttackGroup) -> int:
    """Return the tokens that an attack from one place on a defended territory costs."""
    return supply_cost(sum(n for piece, n in group.units.items() if book.row(*split(piece)[:2]).holds_ground))


def undeclared(state: GameState) -> tuple[str, ...]:
    """Return the spaces where units of the turn must attack and no attack of theirs is declared, by the ledger's order.

    Those are aircraft and ships in hostile spaces, and land units that have moved in this phase; who blitzed is left
    out, as are zones that hold enemy submarines or transports alone.
    """
    own, ledger, book = board(state), ledger_of(state), figures(state)
    side, powers, used = acting_side(state), turn_powers(state), declared_units(state)
    movement, turned = movement_of(state), battles_of(state).turned
    found = []
    for place in ledger.units:
        if own.type_of(place) not in ("land", "sea", "convoy"):
            continue
        for piece, n in held_units(ledger, place, powers).items():
            row = book.row(*split(piece)[:2])
            if not row.is_combat or "cannot_attack" in row.traits:
                continue
            due = n if row.type != "land" and is_hostile(state, place, side) else 0
            if row.type == "land" and row.move is not None and place not in movement.blitzed:
                moves = movement.used.get(place, {}).get(piece, ())
                due = sum(0 < spent < row.move for spent in moves)
            if due > used.get((place, piece), 0) + turned.get(place, {}).get(piece, 0):
                found.append(place)
                break
    return tuple(found)


def _planes_and_ships(state: GameState) -> int:
    """Count the aircraft and ships of the attacks that are declared already: the reserve is paid for all together."""
    book = figures(state)
    return sum(
        n
        for attack in battles_of(state).attacks
        for group in attack.groups
        for piece, n in group.units.items()
        if book.row(*split(piece)[:2]).type != "land"
    )


def _is_defended(state: GameState, command: DeclareAttack, side: str) -> bool:
    if command.defended is not None:
        return command.defended
    ledger = ledger_of(state)
    there = occupants(ledger, figures(state), command.space, enemy_of(side))
    return bool(there) or command.space not in ledger.told


def landings(state: GameState, step: Step) -> tuple[Event, ...]:
    """Declare the landings when the United States declares its attacks in round 7; nothing elsewhere."""
    if step.nation != "us" or step.act != "declare" or step.stage != LANDING_ROUND:
        return ()
    slice_, ledger = battles_of(state), ledger_of(state)
    if any(attack.is_landing for attack in slice_.attacks):
        return ()
    events: list[Event] = []
    for number, landing in enumerate(scenario_of(state).landings, slice_.next_id):
        there = ledger.units.get(landing.space, {})
        units = {
            f"{power}.{unit}": min(n, there.get(f"{power}.{unit}", 0))
            for power, row in landing.units.items()
            for unit, n in row.items()
        }
        units = {piece: n for piece, n in units.items() if n}
        if units:
            group = AttackGroup(landing.space, units, f"{landing.space}@landing")
            events.append(AttackDeclared(Attack(number, landing.space, "us", (group,), True)))
    return tuple(events)

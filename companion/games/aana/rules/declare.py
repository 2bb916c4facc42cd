"""Phase 3: which attack may be declared, and what it costs.

Source: rulebook, Land Unit Movement, Declaration of Attacks, Special Rules for the Scenarios, Strategic Supply Reserve.
"""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import Nation, Side, SiteId
from companion.core.judgement import unknown
from companion.core.rules import Accepted, Code, Decision, Rejected, not_known
from companion.core.state import GameState
from companion.core.text import Say, area
from companion.core.text import unit as named
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.admission import attacker_fault, crossing_fault, ground_fault, together_fault
from companion.games.aana.rules.conditions import CONTENT, enemies, hostile, neutral, supplied
from companion.games.aana.rules.figures import SIDE_OF, FigureBook, Row, enemy_of
from companion.games.aana.rules.movement import closed_west, free_to_attack, is_hostile, movement_of
from companion.games.aana.rules.pieces import Piece, counted, piece_key
from companion.games.aana.rules.pieces import piece as piece_name
from companion.games.aana.rules.rounds import supply_cost
from companion.games.aana.rules.routes import routes
from companion.games.aana.rules.sequence import LANDING_ROUND
from companion.games.aana.rules.supply import payer_fault
from companion.games.aana.rules.travel import carried_out
from companion.games.aana.rules.turn import at_phase, out_of_turn, turn_powers
from companion.games.aana.rules.ways import MakeMove

__all__ = ["attack_cost", "declare", "landings", "may_join", "undeclared"]


def declare(state: GameState, command: bm.DeclareAttack) -> Decision:
    """Decide the declaration of an attack, the moves that lead straight into it, and its supply."""
    refused = at_phase(state, command.step, "combat_move")
    if refused is not None:
        return refused
    if state.step.act != "declare":
        return Rejected("wrong_phase", Say("Finish all combat moves before you declare attacks."))
    own = lg.board(state)
    if own.type_of(command.space) not in ("land", "sea", "convoy"):
        return Rejected("unknown_space", lg.no_space(command.space))
    power = lg.acting_power(state)
    if not command.groups or not any(n for group in command.groups for n in group.units.values()):
        return Rejected(Code.BAD_VALUE, Say("An attack needs units."))
    for fault in (
        _units_fault(state, command),
        _closed_fault(state, command.space),
        _target_fault(state, command),
        _origins_fault(state, command),
    ):
        if fault is not None:
            return fault
    entered = _entered(state, command)
    if isinstance(entered, Rejected):
        return entered
    groups, moves = entered
    before = next(
        (a for a in bm.battles_of(state).attacks if a.space == command.space and not a.is_landing), None
    )
    paid = _paid(state, command, before)
    if isinstance(paid, Rejected):
        return paid
    tokens, events = paid
    if before is not None:
        # Units that are declared later go with those that attack the same space already.
        whole = replace(before, groups=_together(before.groups, groups), paid=before.paid + tokens)
        return Accepted((*moves, bm.AttackChanged(whole), *events))
    attack = bm.Attack(bm.battles_of(state).next_id, command.space, power, groups, False, tokens)
    return Accepted((*moves, bm.AttackDeclared(attack), *events))


def _together(
    before: tuple[bm.AttackGroup, ...], more: tuple[bm.AttackGroup, ...]
) -> tuple[bm.AttackGroup, ...]:
    """Return the groups of an attack with others, those from one place as one."""
    found = {group.origin: group for group in before}
    for group in more:
        old = found.get(group.origin)
        units = dict(old.units) if old is not None else {}
        for piece, n in group.units.items():
            units[piece] = units.get(piece, 0) + n
        found[group.origin] = replace(
            group, units=units, supply_from=group.supply_from or (old.supply_from if old else "")
        )
    return tuple(found.values())


def _units_fault(state: GameState, command: bm.DeclareAttack) -> Rejected | None:
    """Refuse pieces of others, pieces that never attack there, and more than may attack."""
    own, ledger, book = lg.board(state), lg.ledger_of(state), lg.figures(state)
    at_sea = own.type_of(command.space) != "land"
    powers = turn_powers(state)
    owners = {lg.split(piece)[0] for group in command.groups for piece in group.units}
    if owners & set(powers) and all(SIDE_OF.get(owner) == lg.acting_side(state) for owner in owners):
        alone = together_fault(owners, space=command.space, landing=False)
        if alone is not None:
            return alone
    for group in command.groups:
        if own.type_of(group.origin) is None:
            return Rejected("unknown_space", lg.no_space(group.origin))
        for piece, n in group.units.items():
            owner, unit, _ = lg.split(piece)
            fault = attacker_fault(book, piece, at_sea=at_sea) if owner == "vichy" else None
            if fault is None and (n < 1 or owner not in powers):
                return out_of_turn(state, piece, n)
            fault = fault or attacker_fault(book, piece, at_sea=at_sea)
            if fault is not None:
                return fault
            if book.row(owner, unit).type == "land" and (
                own.type_of(group.origin) != "land" or group.origin == command.space
            ):
                return Rejected(
                    "wrong_place", Say("{unit} must attack from an adjacent territory.", unit=named(unit))
                )
            free = free_to_attack(state, group.origin, piece)
            if group.origin in ledger.told and free < n:
                there = area(group.origin)
                if free < 1:
                    none = Say(
                        "{space}: none of these can attack: {unit}.", space=there, unit=piece_name(piece)
                    )
                    return Rejected("not_there", none)
                return Rejected(
                    "not_there",
                    Say(
                        "{space}: only {have} can attack; you chose {need}.",
                        space=there,
                        have=counted(piece, free),
                        need=n,
                    ),
                )
    return None


def may_join(state: GameState, piece: Piece, origin: SiteId, space: SiteId) -> bool:
    """Say whether a piece may attack a space from where it stands, as far as figures and borders tell."""
    own, book, ways = lg.board(state), lg.figures(state), routes(state)
    at_sea = own.type_of(space) != "land"
    if attacker_fault(book, piece, at_sea=at_sea) is not None:
        return False
    row = book.row(*lg.split(piece)[:2])
    if not at_sea and ground_fault(own, ways.sahara if ways is not None else (), space, (row,)) is not None:
        return False
    if row.type == "land":
        group = bm.AttackGroup(origin, {piece: 1})
        near = bm.DeclareAttack(state.step.id, space, (group,))
        return own.type_of(origin) == "land" and origin != space and _origins_fault(state, near) is None
    known = ways is not None and ways.knows(origin) and ways.knows(space)
    if origin == space or not known:
        return True
    way = carried_out(state, MakeMove(state.step.id, origin, space, {piece: 1}))
    return not isinstance(way, Rejected) or way.code == "printed_value_missing"


def _rows(state: GameState, groups: tuple[bm.AttackGroup, ...]) -> list[Row]:
    book = lg.figures(state)
    return [book.row(*lg.split(piece)[:2]) for group in groups for piece, n in group.units.items() if n]


def _target_fault(state: GameState, command: bm.DeclareAttack) -> Rejected | None:
    """Refuse what may not be attacked: friendly and neutral spaces, and sea zones where nobody is.

    Source: rulebook, Declaration of Attacks; Phase 3 (attack position); Scout Cars.
    """
    own, ways, space = lg.board(state), routes(state), command.space
    side, rows = lg.acting_side(state), _rows(state, command.groups)
    if own.type_of(space) != "land":
        anybody = enemies(state, space, side)
        if anybody.is_yes or (command.defended and not anybody.is_no):
            return None
        if anybody.is_no:
            return Rejected("nobody_there", Say("{space}: no enemy is there to attack.", space=area(space)))
        return not_known(anybody)
    fault = ground_fault(own, ways.sahara if ways is not None else (), space, rows)
    if fault is not None:
        return fault
    at_war = hostile(state, space, side)
    if at_war.is_yes or (command.defended and at_war.is_unknown):
        return None
    if at_war.is_unknown:
        needs = tuple(need for need in at_war.needs if need.kind != CONTENT or command.defended is None)
        if needs:
            return not_known(unknown(*needs))
    if not neutral(state, space, side).is_no:
        if any("sahara" not in row.traits for row in rows):
            return Rejected(
                "neutral",
                Say("{space} is neutral: only scout cars attack it, for its supply.", space=area(space)),
            )
        supply = supplied(state, space)
        if supply.is_yes:
            return None
        if supply.is_unknown:
            return not_known(supply)
        return Rejected(
            "neutral", Say("{space} is neutral and holds no supply to attack.", space=area(space))
        )
    return Rejected("friendly", Say("{space} is friendly: nobody attacks it.", space=area(space)))


def _origins_fault(state: GameState, command: bm.DeclareAttack) -> Rejected | None:
    """Refuse land units that do not stand next to what they attack, and landing forces elsewhere."""
    own, ways = lg.board(state), routes(state)
    for group in command.groups:
        if not any(row.type == "land" for row in _rows(state, (group,))):
            continue
        if bm.is_landing_open(state) and f"{group.origin}@landing" in lg.ledger_of(state).supply:
            return Rejected("wrong_place", Say("A landing force attacks only its own territory."))
        borders = (
            {}
            if ways is None
            else {
                place: ways.neighbours(place) for place in (group.origin, command.space) if ways.knows(place)
            }
        )
        fault = crossing_fault(own, borders, group.origin, command.space)
        if fault is not None:
            return fault
    return None


def _closed_fault(state: GameState, space: SiteId) -> Rejected | None:
    """Refuse a territory that the acting side may not enter yet."""
    closed = closed_west(state, space, lg.acting_side(state))
    return None if closed is None else Rejected("closed_west", closed)


def _entered(
    state: GameState, command: bm.DeclareAttack
) -> tuple[tuple[bm.AttackGroup, ...], tuple[Event, ...]] | Rejected:
    """Move aircraft and ships that stand elsewhere into the attacked space; return the groups and the moves.

    They attack where they are, and what they have moved counts against the way home.
    Source: rulebook, Phase 3 (Air Unit Movement, Sea Unit Movement).
    """
    book = lg.figures(state)
    groups: list[bm.AttackGroup] = []
    moves: list[Event] = []
    for group in command.groups:
        movers = {
            piece: n
            for piece, n in group.units.items()
            if group.origin != command.space and book.row(*lg.split(piece)[:2]).type != "land"
        }
        if not movers:
            groups.append(group)
            continue
        spaces = _stated(state, command, group)
        if isinstance(spaces, Rejected):
            return spaces
        way = carried_out(state, MakeMove(command.step, group.origin, command.space, movers, spaces))
        if isinstance(way, Rejected):
            return way
        moves += way.events
        rest = {piece: n for piece, n in group.units.items() if piece not in movers}
        if rest:
            groups.append(replace(group, units=rest))
        groups.append(bm.AttackGroup(command.space, movers))
    return tuple(groups), tuple(moves)


def _stated(state: GameState, command: bm.DeclareAttack, group: bm.AttackGroup) -> int | Rejected:
    """Return the spaces that a group moves into its attack; 0 where the borders tell."""
    if group.spaces:
        return group.spaces
    ways = routes(state)
    if ways is not None and ways.knows(group.origin) and ways.knows(command.space):
        return 0
    if state.rulings.get("aana.direct_attack", "stated") == "one":
        return 1
    return Rejected(
        "how_far",
        Say(
            "Count the spaces from {origin} to {space}: they are spent before the flight home.",
            origin=area(group.origin),
            space=area(command.space),
        ),
    )


def _paid(
    state: GameState, command: bm.DeclareAttack, before: bm.Attack | None
) -> tuple[int, tuple[Event, ...]] | Rejected:
    """Return what the attack costs on land, and the events of all payments; units of one place are paid for together."""
    book, side, power = lg.figures(state), lg.acting_side(state), lg.acting_power(state)
    spent: dict[str, int] = {}
    tokens = 0
    for group in command.groups if _is_defended(state, command, side) else ():
        old = [one for one in (before.groups if before is not None else ()) if one.origin == group.origin]
        cost = attack_cost(book, _together(tuple(old), (group,))[0]) - sum(
            attack_cost(book, one) for one in old
        )
        for source, n in lg.shares(state, group.supply_from or group.origin, cost).items() if cost else ():
            fault = payer_fault(state, source, group.origin, side)
            if fault is not None:
                return fault
            spent[source] = spent.get(source, 0) + n
        tokens += cost
    raised = sum(
        n
        for group in command.groups
        for piece, n in group.units.items()
        if book.row(*lg.split(piece)[:2]).type != "land"
    )
    if raised and "reserve" in state.frozen_setup.options.get("optional", ()):
        source, so_far = lg.board(state).staging(power) or SiteId("gibraltar"), _planes_and_ships(state)
        spent[source] = spent.get(source, 0) + supply_cost(so_far + raised) - supply_cost(so_far)
    events: list[Event] = []
    for place, count in spent.items():
        event = lg.supply_spent(state, place, count)
        if isinstance(event, Rejected):
            return event
        events += [] if event is None else [event]
    return tokens, tuple(events)


def attack_cost(book: FigureBook, group: bm.AttackGroup) -> int:
    """Return the tokens that an attack from one place on a defended territory costs."""
    return supply_cost(
        sum(n for piece, n in group.units.items() if book.row(*lg.split(piece)[:2]).holds_ground)
    )


def undeclared(state: GameState) -> tuple[SiteId, ...]:
    """Return the spaces where units of the turn must attack and no attack of theirs is declared, by the ledger's order.

    Those are aircraft and ships in hostile spaces, all of those in zones with enemy submarines or transports alone once
    one of them has combat-moved there from a friendly space, and land units that have moved in this phase and have a
    point left to attack with. Mines may hold back nobody: who was turned back owes nothing.

    Source: rulebook, Declaration of Attacks; Land Unit Movement; Sea Unit Movement; rulings aana.join_hunt, aana.blitz_second.
    """
    everybody = state.rulings.get("aana.join_hunt", "all") == "all"
    own, ledger, book = lg.board(state), lg.ledger_of(state), lg.figures(state)
    side, powers, used = lg.acting_side(state), turn_powers(state), bm.declared_units(state)
    movement, turned = movement_of(state), bm.battles_of(state).turned
    must_go_on = state.rulings.get("aana.blitz_second", "must") == "must"
    found = []
    for place in ledger.units:
        if own.type_of(place) not in ("land", "sea", "convoy"):
            continue
        held = lg.held_units(ledger, place, powers)
        is_fought = is_hostile(state, place, side)
        came = movement.used.get(place, {})
        left = movement.escaped.get(place, {})
        arrived = {piece: len(came.get(piece, ())) - left.get(piece, 0) for piece in held}
        hunts = own.type_of(place) != "land" and enemies(state, place, side).is_yes
        every = everybody and hunts and any(n > 0 for n in arrived.values())
        for piece, n in held.items():
            row = book.row(*lg.split(piece)[:2])
            if not row.is_combat or "cannot_attack" in row.traits:
                continue
            due = 0
            if row.type != "land":
                due = n if is_fought or every else max(0, arrived[piece]) if hunts else 0
            elif row.move is not None and (place not in movement.blitzed or must_go_on):
                due = sum(0 < spent < row.move for spent in came.get(piece, ()))
            if due > used.get((place, piece), 0) + turned.get(place, {}).get(piece, 0):
                found.append(place)
                break
    return tuple(found)


def _planes_and_ships(state: GameState) -> int:
    """Count the aircraft and ships of the attacks that are declared already: the reserve is paid for all together."""
    book = lg.figures(state)
    return sum(
        n
        for attack in bm.battles_of(state).attacks
        for group in attack.groups
        for piece, n in group.units.items()
        if book.row(*lg.split(piece)[:2]).type != "land"
    )


def _is_defended(state: GameState, command: bm.DeclareAttack, side: Side) -> bool:
    if command.defended is not None:
        return command.defended
    ledger = lg.ledger_of(state)
    if lg.occupants(ledger, lg.figures(state), command.space, enemy_of(side)):
        return True
    return command.space not in ledger.told and not neutral(state, command.space, side).is_yes


def landings(state: GameState, step: Step) -> tuple[Event, ...]:
    """Declare the landings when the United States declares its attacks in round 7; nothing elsewhere."""
    if step.nation != "us" or step.act != "declare" or step.stage != LANDING_ROUND:
        return ()
    slice_, ledger = bm.battles_of(state), lg.ledger_of(state)
    if any(attack.is_landing for attack in slice_.attacks):
        return ()
    events: list[Event] = []
    for number, landing in enumerate(lg.scenario_of(state).landings, slice_.next_id):
        there = ledger.units.get(landing.space, {})
        units = {
            piece_key(power, unit): min(n, there.get(piece_key(power, unit), 0))
            for power, row in landing.units.items()
            for unit, n in row.items()
        }
        units = {piece: n for piece, n in units.items() if n}
        if units:
            group = bm.AttackGroup(landing.space, units, f"{landing.space}@landing")
            events.append(bm.AttackDeclared(bm.Attack(number, landing.space, Nation("us"), (group,), True)))
    return tuple(events)

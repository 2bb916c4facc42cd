"""Phase 4: retreats and escapes, pressing or ceasing, and the end of a combat.

Source: rulebook, General Combat Sequence steps 4 to 6; Reinforcing Land Attacks.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from companion.core.events import Event
from companion.core.ids import SiteId
from companion.core.rules import Accepted, Code, Decision, Rejected, not_known
from companion.core.state import GameState
from companion.core.text import Say, area
from companion.core.text import unit as named
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules import figures as fg
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.battle_end import concluded
from companion.games.aana.rules.board import POOL
from companion.games.aana.rules.casualties import BAYS, in_bundles
from companion.games.aana.rules.combat import Counts, Kind, arena_of
from companion.games.aana.rules.combat_acts import counts_from, homes, less_cargo, now, too_many_raids
from companion.games.aana.rules.combat_open import defence_bonus
from companion.games.aana.rules.conditions import held_by
from companion.games.aana.rules.fight import Fight
from companion.games.aana.rules.fight_dice import raid_tokens
from companion.games.aana.rules.fight_flow import leave, pressed
from companion.games.aana.rules.ledger_messages import UnitsMoved
from companion.games.aana.rules.movement import free_to_attack, grounded, movement_of
from companion.games.aana.rules.pieces import Piece, counted
from companion.games.aana.rules.pieces import piece as piece_name
from companion.games.aana.rules.retreats import has_land, may_shelter, refuges
from companion.games.aana.rules.rounds import press_cost
from companion.games.aana.rules.supply import payer_fault
from companion.games.aana.rules.turn import missing, out_of_turn, turn_powers

__all__ = [
    "cease_attack",
    "conclude",
    "join_attack",
    "leave_combat",
    "press_attack",
    "retreating",
    "unopposed_raids",
]


def leave_combat(state: GameState, command: bm.LeaveCombat) -> Decision:
    """Decide where retreating units go and who escapes."""
    fight = now(state, command.step, "leave")
    if isinstance(fight, Rejected):
        return fight
    book = lg.figures(state)
    events: list[Event] = []
    going = retreating(fight)
    named: dict[Piece, int] = {}
    for space, units in command.to.items():
        fault = _refuge_fault(state, fight, space, units)
        if fault is not None:
            return fault
        for piece, n in units.items():
            named[piece] = named.get(piece, 0) + n
        events.append(UnitsMoved(fight.space, space, units))
    if any(n > going.get(piece, 0) for piece, n in named.items()):
        return Rejected(Code.BAD_VALUE, Say("You chose more pieces than retreat."))
    lost = {piece: n - named.get(piece, 0) for piece, n in going.items() if n > named.get(piece, 0)}
    if lost and fight.rules.can_retreat and not command.to and not command.nowhere:
        return Rejected("where_to", Say("Choose where the retreating units go."))
    here = lg.ledger_of(state).units.get(fight.space, {})
    gone = {piece: min(n, here.get(piece, 0)) for piece, n in lost.items() if here.get(piece, 0)}
    if gone:
        events.append(UnitsMoved(fight.space, POOL, gone))
    destroyed = tuple(
        lost.get(kind.piece, 0) if n else 0 for kind, n in zip(fight.defenders, fight.retreating, strict=True)
    )
    behind = None
    if command.escape is not None and fight.cargo.count:
        chosen = less_cargo(fight.cargo, command.escape)
        if isinstance(chosen, Rejected):
            return chosen
        if fight.cargo.count - chosen.count > BAYS:
            return Rejected("bad_escape", Say("One transport escapes, with {bays} bays at most.", bays=BAYS))
        if not in_bundles(fight.cargo, chosen):
            return Rejected(
                "bad_escape", Say("Supply escapes in fives, fewer only when that is all there is.")
            )
        behind = chosen
    after = leave(book, fight, lost=destroyed, behind=behind)
    return Accepted((bm.FightChanged("left", after), *events))


def _refuge_fault(
    state: GameState, fight: Fight, space: SiteId, units: Mapping[Piece, int]
) -> Rejected | None:
    """Say why units may not retreat to a territory."""
    book, own = lg.figures(state), lg.board(state)
    if own.type_of(space) != "land":
        return Rejected("unknown_space", Say("{space} is not a territory.", space=area(space)))
    if not all(may_shelter(state, piece, space) for piece in units):
        return Rejected("sahara", Say("Only scout cars may enter {space}.", space=area(space)))
    if space not in refuges(state, fight.space):
        if space in {item.space for item in bm.battles_of(state).attacks if has_land(state, item)}:
            return Rejected(
                "no_retreat",
                Say("No retreat to {space}: land units attacked it this turn.", space=area(space)),
            )
        if space in movement_of(state).blitzed:
            return Rejected(
                "no_retreat", Say("No retreat to {space}: it was blitzed this turn.", space=area(space))
            )
        return Rejected(
            "no_retreat",
            Say(
                "No retreat to {space}: it is not adjacent, not open to land units, or hostile.",
                space=area(space),
            ),
        )
    side = fg.SIDE_OF[lg.split(next(iter(units)))[0]]
    held = held_by(state, space, fg.enemy_of(side))
    if held.is_unknown and not grounded(state, space, side):
        return not_known(held)
    if space in lg.ledger_of(state).told and sum(units.values()) > lg.room(state, space, side):
        there = lg.stacked(lg.ledger_of(state), book, space, side)
        return Rejected("over_limit", lg.limit_passed(space, own.limit(space), there, sum(units.values())))
    return None


def retreating(fight: Fight) -> dict[Piece, int]:
    """Return the pieces that leave in step 4."""
    return {kind.piece: n for kind, n in zip(fight.defenders, fight.retreating, strict=True) if n}


def press_attack(state: GameState, command: bm.Press) -> Decision:
    """Decide to go on, and pay for it."""
    fight = now(state, command.step, "press")
    if isinstance(fight, Rejected):
        return fight
    book = lg.figures(state)
    aside = counts_from(fight.attackers, command.aside)
    if isinstance(aside, Say):
        return Rejected(Code.BAD_VALUE, aside)
    left = tuple(n - m for n, m in zip(fight.a, aside, strict=True))
    if any(n < 0 for n in left) or not any(left):
        return Rejected(
            Code.BAD_VALUE, Say("At least one unit must press on. To break off, cease the attack.")
        )
    if fight.rules.with_all and any(aside):
        return Rejected("must_press", Say("A landing is pressed with all units."))
    if fight.rules.domain == "sea" and any(aside):
        return Rejected(Code.BAD_VALUE, Say("At sea either all units press on or the attack ceases."))
    arena = arena_of(book, fight.rules, fight.attackers, fight.defenders)[0]
    events: list[Event] = []
    need: dict[str, int] = {}
    side = lg.acting_side(state)
    for origin, cost in press_cost(arena, left).items():
        source = command.supply_from.get(origin) or (
            f"{origin}@landing" if fight.rules.must_press else origin
        )
        for place, n in lg.shares(state, source, cost).items():
            fault = payer_fault(state, place, origin, side)
            if fault is not None:
                return fault
            need[place] = need.get(place, 0) + n
    unpaid = fight.rules.must_press and state.rulings.get("aana.landing_unpaid", "pressed") == "pressed"
    for place, cost in need.items():
        there = lg.known_supply(lg.ledger_of(state), place)
        event = lg.supply_spent(state, place, min(cost, there) if unpaid and there is not None else cost)
        if isinstance(event, Rejected):
            return event
        events += [] if event is None else [event]
    return Accepted((bm.FightChanged("pressed", pressed(book, fight, left)), *events))


def join_attack(state: GameState, command: bm.JoinAttack) -> Decision:
    """Decide the reinforcement of an attack (optional rule)."""
    fight = now(state, command.step, "press")
    if isinstance(fight, Rejected):
        return fight
    if "reinforce_attacks" not in state.frozen_setup.options.get("optional", ()):
        return Rejected(
            "optional_rule", Say("Reinforcing land attacks is an optional rule that this game does not use.")
        )
    if fight.rules.domain != "land" or fight.rules.must_press:
        return Rejected("cannot_attack", Say("Only ordinary land attacks can be reinforced."))
    book, ledger = lg.figures(state), lg.ledger_of(state)
    added: dict[Kind, int] = {}
    for piece, n in command.group.units.items():
        power, unit, _ = lg.split(piece)
        if power not in turn_powers(state):
            return out_of_turn(state, piece, n)
        if not book.has(power, unit):
            return Rejected("unknown_piece", fg.no_piece(power, unit))
        row = book.row(power, unit)
        if not row.holds_ground or "cannot_attack" in row.traits:
            return Rejected("cannot_attack", Say("{unit} cannot reinforce an attack.", unit=named(unit)))
        origin = command.group.origin
        free = free_to_attack(state, origin, piece)
        if n < 1 or (origin in ledger.told and free < n):
            if not free:
                return Rejected("not_there", Say("None of these can join: {unit}.", unit=piece_name(piece)))
            few = Say("Only {have} can join; you chose {need}.", have=counted(piece, free), need=n)
            return Rejected("not_there", few)
        added[Kind(unit, power, origin, late=True)] = n
    kinds = (*fight.attackers, *added)
    bonus = defence_bonus(state, fight.space, {kind.origin for kind in kinds})
    if isinstance(bonus, Rejected):
        return bonus
    rules = replace(fight.rules, bonus_reroll=bonus[0], bonus_from=bonus[1])
    try:
        arena, at, _ = arena_of(book, rules, kinds, fight.defenders)
    except fg.MissingFiguresError as error:
        return missing(error)

    def spread(counts: Counts) -> list[int]:
        own = [0] * len(arena.attackers)
        for kind, n in zip(fight.attackers, counts, strict=True):
            own[at[kind]] += n
        return own

    a, start = spread(fight.a), spread(fight.start_a)
    for kind, n in added.items():
        a[at[kind]] += n
        start[at[kind]] += n
    after = replace(
        fight,
        rules=rules,
        attackers=arena.attackers,
        a=tuple(a),
        a_out=tuple(spread(fight.a_out)),
        start_a=tuple(start),
    )
    attack = bm.attack_of(state, fight)
    changed = replace(attack, groups=(*attack.groups, command.group))
    return Accepted((bm.AttackChanged(changed), bm.FightChanged("joined", after)))


def cease_attack(state: GameState, command: bm.Cease) -> Decision:
    """Decide to break off."""
    fight = now(state, command.step, "press")
    if isinstance(fight, Rejected):
        return fight
    if fight.rules.must_press and state.rulings.get("aana.landing_unpaid", "pressed") == "pressed":
        return Rejected("must_press", Say("A landing is pressed until one side is gone."))
    return Accepted((bm.FightChanged("ceased", replace(fight, stage="over", result="ceased")),))


def conclude(state: GameState, command: bm.Conclude) -> Decision:
    """Decide the advance and settle the space."""
    fight = now(state, command.step, "over")
    if isinstance(fight, Rejected):
        return fight
    attack = bm.attack_of(state, fight)
    raided = _raid_unopposed(state, fight, command.raids)
    if isinstance(raided, Rejected):
        return raided
    done = concluded(
        state,
        fight,
        power=attack.power,
        is_landing=attack.is_landing,
        advance=command.advance,
        at_ms=command.at_ms,
    )
    if isinstance(done, Rejected):
        return done
    stayed = _stayed(state, fight, done)
    settled = bm.AttackChanged(replace(attack, result=fight.result))
    return Accepted((bm.CombatConcluded(fight, stayed), *raided, settled, *done))


def unopposed_raids(book: fg.FigureBook, fight: Fight) -> int:
    """Return the tokens that may be destroyed where no combat was fought."""
    dice = any(shot.stage != "air_defence" for shot in fight.shots)
    return raid_tokens(book, fight) if fight.result == "attacker" and not dice else 0


def _raid_unopposed(state: GameState, fight: Fight, asked: int) -> tuple[Event, ...] | Rejected:
    most = unopposed_raids(lg.figures(state), fight)
    if not 0 <= asked <= most:
        return too_many_raids(most, asked)
    spent = lg.supply_spent(state, fight.space, asked)
    if isinstance(spent, Rejected):
        return spent
    return () if spent is None else (spent,)


def _stayed(state: GameState, fight: Fight, done: tuple[Event, ...]) -> dict[SiteId, dict[Piece, int]]:
    """Return the attackers that are left where they attacked from."""
    found: dict[SiteId, dict[Piece, int]] = {}
    for kind, n, out in zip(fight.attackers, fight.a, fight.a_out, strict=True):
        piece = kind.piece
        left = n + out
        for place in homes(state, fight, kind):
            here = (
                min(left, lg.ledger_of(state).units.get(place, {}).get(piece, 0)) if not kind.origin else left
            )
            left -= here
            if here:
                found.setdefault(place, {})[piece] = found.get(place, {}).get(piece, 0) + here
    for event in done:
        if isinstance(event, UnitsMoved) and event.to == fight.space and event.origin in found:
            for piece, n in event.units.items():
                found[event.origin][piece] = max(0, found[event.origin].get(piece, 0) - n)
    return {place: {p: n for p, n in pieces.items() if n} for place, pieces in found.items()}

"""Phase 4: the dice, losses and orders of a combat.

Source: rulebook, General Combat Sequence steps 1 to 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from msgspec.structs import replace

from companion.core.events import Event
from companion.core.ids import SiteId, StepId
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.state import GameState
from companion.core.text import Name, Say
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.board import POOL
from companion.games.aana.rules.casualties import Cargo, in_bundles
from companion.games.aana.rules.combat import ATTACKER, Counts, Kind, arena_of
from companion.games.aana.rules.fight import DICE_STAGES, Fight, arena_for, kind_key, kind_name
from companion.games.aana.rules.fight_dice import fire_fault, raid_tokens
from companion.games.aana.rules.fight_flow import fired, ordered, with_losses
from companion.games.aana.rules.fight_losses import has_choice, loser, losses_fault, proposed, ruled
from companion.games.aana.rules.figures import SIDE_OF, enemy_of
from companion.games.aana.rules.ledger_messages import SupplyChanged, UnitsMoved
from companion.games.aana.rules.pieces import Piece, piece_key
from companion.games.aana.rules.rounds import AttackPlan, bound, needs_supply
from companion.games.aana.rules.supply import attack_pools, payer_fault
from companion.games.aana.rules.turn import at_phase

__all__ = [
    "Offer",
    "attack_plan",
    "counts_from",
    "give_orders",
    "homes",
    "less_cargo",
    "now",
    "offered",
    "roll_fire",
    "take_losses",
    "too_many_raids",
]


def counts_from(kinds: tuple[Kind, ...], named: Mapping[str, int]) -> Counts | Say:
    """Return counts by kind from kind keys; a sentence names the key that is no kind."""
    index = {kind_key(kind): i for i, kind in enumerate(kinds)}
    counts = [0] * len(kinds)
    for key, n in named.items():
        if key not in index or n < 0:
            return Say("{piece}: no such piece in this combat.", piece=kind_name(key))
        counts[index[key]] += n
    return tuple(counts)


def now(state: GameState, step: StepId, *stages: str) -> Fight | Rejected:
    """Return the combat under way when it is in one of some stages, or why an act is refused."""
    refused = at_phase(state, step, "combat")
    if refused is not None:
        return refused
    fight = bm.battles_of(state).fight
    if fight is None:
        return Rejected("no_combat", Say("No combat is under way."))
    if fight.stage not in stages:
        return Rejected(
            "wrong_stage",
            Say("The combat is waiting for this: {stage}.", stage=Name("fight_stage", fight.stage)),
        )
    return fight


def roll_fire(state: GameState, command: bm.RollFire) -> Decision:
    """Decide the dice of a stage, and the losses that follow where the command says so and nobody has a choice in them."""
    fight = now(state, command.step, *DICE_STAGES)
    if isinstance(fight, Rejected):
        return fight
    book = lg.figures(state)
    fault = fire_fault(book, fight, command.rolls)
    if fault is not None:
        return Rejected("wrong_dice", fault)
    after = fired(book, fight, command.rolls)
    rolled = bm.FireRolled(after, command.origin)
    if not command.takes_losses or after.stage != "losses" or has_choice(book, after):
        return Accepted((rolled,))
    battle = replace(bm.battles_of(state), fight=after)
    taken = take_losses(replace(state, game={**state.game, "battle": battle}), bm.TakeLosses(command.step))
    assert isinstance(taken, Accepted), "what is proposed may be paid"
    return Accepted((rolled, *taken.events))


def attack_plan(state: GameState) -> AttackPlan:
    """Return the plan of an attacker who presses for as long as it can, with the losses that the table's ruling names."""
    keep = state.rulings.get("aana.last_ground", "useful")
    return AttackPlan(keep="never" if keep == "never" else "always" if keep == "always" else "useful")


def _usual(state: GameState, fight: Fight) -> tuple[Counts, Cargo]:
    """Return both sides of what losses leave where nobody chooses."""
    policy = attack_plan(state).first_losses if loser(fight) == ATTACKER else None
    return proposed(lg.figures(state), fight, policy)


class Offer(NamedTuple):
    """The losses that the table is offered."""

    left: Counts
    cargo: Cargo
    is_usual: bool
    """They are those where nobody chooses."""
    is_ruled: bool
    """Ruling aana.last_ground decides them."""


def offered(state: GameState, fight: Fight) -> Offer:
    """Return the losses that the table is offered.

    Where the territory is not taken, a unit is spared that can be paid for in the next round, else nobody.
    Source: rulebook, General Combat Sequence (owners choose their losses); ruling aana.last_ground.
    """
    book, plan, arena = lg.figures(state), attack_plan(state), arena_for(lg.figures(state), fight)
    usual, cargo = _usual(state, fight)
    if loser(fight) != ATTACKER or arena.rules.domain != "land":
        return Offer(usual, cargo, is_usual=True, is_ruled=False)
    ways = {proposed(book, fight, policy)[0] for policy in (plan.losses, plan.unspared)}
    chosen = usual
    side = SIDE_OF[bm.attack_of(state, fight).power]
    for pools, most in attack_pools(state, fight, arena, side)[-1:]:
        if plan.may_give_up(arena, pools):
            chosen = ruled(book, fight, plan, pools, most)[0]
    return Offer(chosen, cargo, is_usual=chosen == usual, is_ruled=len(ways | {chosen}) > 1)


def take_losses(state: GameState, command: bm.TakeLosses) -> Decision:
    """Decide how hits are paid."""
    fight = now(state, command.step, "losses")
    if isinstance(fight, Rejected):
        return fight
    book = lg.figures(state)
    left, cargo = _usual(state, fight)
    role = loser(fight)
    before, kinds = fight.counts(role), fight.kinds(role)
    if command.losses is not None:
        taken = counts_from(kinds, command.losses)
        if isinstance(taken, Say):
            return Rejected(Code.BAD_VALUE, taken)
        left = _after_taken(kinds, before, taken)
        fault = losses_fault(book, fight, left)
        if fault is not None:
            return Rejected("bad_losses", fault)
    if command.cargo is not None:
        chosen = less_cargo(fight.cargo, command.cargo)
        if isinstance(chosen, Rejected):
            return chosen
        if chosen.count != cargo.count:
            lost_bays = fight.cargo.count - cargo.count
            return Rejected(
                "bad_losses",
                Say.counted(
                    "{n} bay must be lost: two for each hit.",
                    "{n} bays must be lost: two for each hit.",
                    lost_bays,
                ),
            )
        if not in_bundles(fight.cargo, chosen):
            return Rejected(
                "bad_losses", Say("Supply is lost in fives, fewer only when that is all there is.")
            )
        cargo = chosen
    after = with_losses(book, fight, left, cargo)
    moves = _removed(state, fight, before, left, attacking=role == ATTACKER)
    lost = _cargo_moves(state, fight.space, fight.cargo, cargo)
    return Accepted((bm.FightChanged("losses", after), *moves, *lost))


def _after_taken(kinds: tuple[Kind, ...], before: Counts, taken: Counts) -> Counts:
    """Return counts after hits by kind: a whole battleship hit once stays as a damaged one."""
    left = list(before)
    index = {kind: i for i, kind in enumerate(kinds)}
    for i, kind in enumerate(kinds):
        left[i] -= taken[i]
        twin = index.get(replace(kind, damaged=True))
        if not kind.damaged and twin is not None and twin != i:
            left[twin] += taken[i]
    return tuple(left)


def too_many_raids(most: int, asked: int) -> Rejected:
    """Refuse a number of tokens to destroy."""
    return Rejected(
        Code.BAD_VALUE,
        Say.counted(
            "{n} token may be destroyed; you chose {need}.",
            "{n} tokens may be destroyed; you chose {need}.",
            most,
            need=asked,
        ),
    )


def less_cargo(cargo: Cargo, lost: Mapping[Piece, int]) -> Cargo | Rejected:
    """Return reinforcements without some of them."""
    units = {(power, unit): n for power, unit, n in cargo.units}
    supply = dict(cargo.supply)
    for piece, n in lost.items():
        power, unit, _ = lg.split(piece)
        if unit == "supply":
            supply[power] = supply.get(power, 0) - n
        else:
            units[power, unit] = units.get((power, unit), 0) - n
    if any(n < 0 for n in (*units.values(), *supply.values())):
        return Rejected(Code.BAD_VALUE, Say("You chose more reinforcements than there are."))
    return Cargo(
        tuple((p, u, n) for (p, u), n in sorted(units.items()) if n),
        tuple((p, n) for p, n in sorted(supply.items()) if n),
    )


def homes(state: GameState, fight: Fight, kind: Kind) -> list[SiteId]:
    """Return where an attacking kind's pieces stand in the ledger."""
    attack = bm.attack_of(state, fight)
    if kind.origin:
        return [kind.origin]
    piece = piece_key(kind.power, kind.unit)
    places = [group.origin for group in attack.groups if piece in group.units]
    return places or [fight.space]


def _removed(state: GameState, fight: Fight, before: Counts, left: Counts, *, attacking: bool) -> list[Event]:
    """Return the ledger's moves of losses, and of battleships that turn on their side."""
    kinds = fight.attackers if attacking else fight.defenders
    found: list[Event] = []
    ledger = lg.ledger_of(state)
    for i, kind in enumerate(kinds):
        piece = kind.piece
        lost = before[i] - left[i]
        for place in homes(state, fight, kind) if attacking else [fight.space]:
            here = min(lost, ledger.units.get(place, {}).get(piece, 0))
            if here > 0:
                found.append(UnitsMoved(place, POOL, {piece: here}))
                lost -= here
        if lost < 0:
            place = homes(state, fight, kind)[0] if attacking else fight.space
            if ledger.units.get(place, {}).get(piece_key(kind.power, kind.unit), 0):
                found.append(UnitsMoved(POOL, place, {piece: -lost}))
    return found


def _cargo_moves(state: GameState, space: SiteId, before: Cargo, after: Cargo) -> list[Event]:
    found: list[Event] = []
    units = {(p, u): n for p, u, n in after.units}
    supply = dict(after.supply)
    for power, unit, n in before.units:
        lost = n - units.get((power, unit), 0)
        there = lg.ledger_of(state).units.get(space, {}).get(piece_key(power, unit), 0)
        if min(lost, there) > 0:
            found.append(UnitsMoved(space, POOL, {piece_key(power, unit): min(lost, there)}))
    for power, n in before.supply:
        lost = n - supply.get(power, 0)
        if lost:
            found.append(SupplyChanged(f"{space}@{power}", -lost))
    return found


def give_orders(state: GameState, command: bm.GiveOrders) -> Decision:
    """Decide the orders of step 1 and what they cost."""
    fight = now(state, command.step, "orders")
    if isinstance(fight, Rejected):
        return fight
    book = lg.figures(state)
    arena = arena_of(book, fight.rules, fight.attackers, fight.defenders)[0]
    events: list[Event] = []
    source = command.supply_from or fight.space
    vichy = all(kind.power == "vichy" for kind, n in zip(fight.defenders, fight.d, strict=True) if n)
    if fight.rules.domain == "land":
        if not command.fight and vichy:
            return Rejected("no_retreat", Say("Vichy French units never retreat."))
        if not command.fight and bound(arena, fight.d) and not needs_supply(arena, fight.d):
            return Rejected("no_retreat", Say("Units that need no supply stay with Vichy French units."))
        if command.fight and needs_supply(arena, fight.d):
            side = enemy_of(lg.acting_side(state))
            fault = payer_fault(state, source, fight.space, side)
            if fault is not None:
                return fault
            event = lg.supply_spent(state, source, 1)
            if isinstance(event, Rejected):
                return event
            events += [] if event is None else [event]
        free = arena.exempt
        if command.exempt_fight and not any(n and ok for n, ok in zip(fight.d, free, strict=True)):
            return Rejected(Code.BAD_VALUE, Say("No unit here can fight without supply."))
        most = raid_tokens(book, fight)
        asked = most if command.raids is None else command.raids
        if not 0 <= asked <= most:
            return too_many_raids(most, asked)
        there = lg.known_supply(lg.ledger_of(state), fight.space)
        left = None if there is None else there - (1 if events and source == fight.space else 0)
        asked = asked if left is None else min(asked, left)
        if asked:
            event = lg.supply_spent(state, fight.space, asked)
            if event is not None and not isinstance(event, Rejected):
                events.append(event)
    after = ordered(
        book,
        fight,
        fights=command.fight,
        exempt_fight=command.exempt_fight,
        submerge_attack=command.submerge_attack,
        submerge_defence=command.submerge_defence,
    )
    return Accepted((bm.FightChanged("ordered", after), *events))

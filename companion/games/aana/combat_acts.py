"""Phase 4: the acts of a combat, from its first dice to the advance.

Source: rulebook, Phase 4: Conduct Combat.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from companion.core.events import Event
from companion.core.ids import StepId
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.state import GameState
from companion.games.aana.battle_end import concluded
from companion.games.aana.battle_messages import (
    Attack,
    AttackChanged,
    Cease,
    CombatConcluded,
    Conclude,
    FightChanged,
    FireRolled,
    GiveOrders,
    JoinAttack,
    LeaveCombat,
    OpenCombat,
    Press,
    RollFire,
    TakeLosses,
    battles_of,
    declared_units,
    missing,
    refuse,
)
from companion.games.aana.board import POOL
from companion.games.aana.casualties import Cargo
from companion.games.aana.combat import ATTACKER, Counts, Kind, Rules, arena_of
from companion.games.aana.fight import (
    DICE_STAGES,
    Fight,
    begin,
    fire_fault,
    fired,
    kind_key,
    leave,
    loser,
    losses_fault,
    ordered,
    pressed,
    proposed,
    raid_tokens,
    with_losses,
)
from companion.games.aana.figures import SIDE_OF, MissingFiguresError, UnknownPieceError, enemy_of
from companion.games.aana.ledger import (
    SupplyChanged,
    UnitsMoved,
    board,
    figures,
    known_supply,
    ledger_of,
    occupants,
    split,
    supply_spent,
)
from companion.games.aana.rounds import exempt, needs_supply, press_cost

__all__ = [
    "cease_attack",
    "conclude",
    "counts_from",
    "give_orders",
    "join_attack",
    "leave_combat",
    "open_combat",
    "press_attack",
    "roll_fire",
    "take_losses",
]


def counts_from(kinds: tuple[Kind, ...], named: Mapping[str, int]) -> Counts | str:
    """Return counts by kind from kind keys; a text names the key that is no kind."""
    index = {kind_key(kind): i for i, kind in enumerate(kinds)}
    counts = [0] * len(kinds)
    for key, n in named.items():
        if key not in index or n < 0:
            return f"{key}: no such piece in this combat"
        counts[index[key]] += n
    return tuple(counts)


def open_combat(state: GameState, command: OpenCombat) -> Decision:
    """Decide the beginning of a declared attack."""
    refused = refuse(state, command.step)
    if refused is not None:
        return refused
    slice_ = battles_of(state)
    if slice_.fight is not None:
        return Rejected("fighting", f"finish the combat in {board(state).name(slice_.fight.space)} first")
    attack = next((item for item in slice_.attacks if item.id == command.attack), None)
    if attack is None or attack.result:
        return Rejected("no_attack", f"attack {command.attack} does not wait to be fought")
    own, ledger, book = board(state), ledger_of(state), figures(state)
    side = SIDE_OF[attack.power]
    defenders = command.defenders
    if defenders is None:
        if attack.space not in ledger.told and not occupants(ledger, book, attack.space, enemy_of(side)):
            return Rejected("not_told", f"tell who defends {own.name(attack.space)}")
        defenders = occupants(ledger, book, attack.space, enemy_of(side))
    at_sea = own.type_of(attack.space) != "land"
    try:
        defenders = {
            piece: n
            for piece, n in defenders.items()
            if n and not (at_sea and book.row(*split(piece)[:2]).type == "land")
        }
    except UnknownPieceError as error:
        return Rejected("unknown_piece", str(error))
    if any(SIDE_OF.get(split(piece)[0]) != enemy_of(side) for piece in defenders):
        return Rejected(Code.BAD_VALUE, "defenders belong to the other side")
    cargo = _cargo(state, attack.space, enemy_of(side), command.cargo) if at_sea else Cargo()
    if isinstance(cargo, Rejected):
        return cargo
    built = _fight(state, attack, defenders, cargo, command)
    if isinstance(built, Rejected):
        return built
    return Accepted((FightChanged("opened", built),))


def _cargo(state: GameState, space: str, side: str, told: Mapping[str, int] | None) -> Cargo | Rejected:
    ledger, book = ledger_of(state), figures(state)
    units: dict[tuple[str, str], int] = {}
    supply: dict[str, int] = {}
    if told is not None:
        for piece, n in told.items():
            power, unit, _ = split(piece)
            if SIDE_OF.get(power) != side or n < 0:
                return Rejected(Code.BAD_VALUE, f"{piece}: {n} on the defender's transports")
            if unit == "supply":
                supply[power] = n
            elif book.has(power, unit) and book.row(power, unit).type in ("land", "truck"):
                units[power, unit] = n
            else:
                return Rejected("unknown_piece", f"{piece} is no reinforcement on a transport")
    else:
        for piece, n in ledger.units.get(space, {}).items():
            power, unit, _ = split(piece)
            if SIDE_OF[power] == side and book.row(power, unit).type in ("land", "truck"):
                units[power, unit] = n
        for power, of in SIDE_OF.items():
            n = known_supply(ledger, f"{space}@{power}") or 0
            if of == side and n:
                supply[power] = n
    return Cargo(
        tuple(sorted((p, u, n) for (p, u), n in units.items() if n)),
        tuple(sorted((p, n) for p, n in supply.items() if n)),
    )


def _fight(
    state: GameState, attack: Attack, defenders: Mapping[str, int], cargo: Cargo, command: OpenCombat
) -> Fight | Rejected:
    own, book = board(state), figures(state)
    land: dict[str, int] = {}
    attackers: dict[Kind, int] = {}
    for group in attack.groups:
        for piece, n in group.units.items():
            power, unit, damaged = split(piece)
            is_land = book.row(power, unit).type == "land"
            kind = Kind(unit, power, group.origin if is_land else "", damaged)
            attackers[kind] = attackers.get(kind, 0) + n
            if is_land:
                land[group.origin] = land.get(group.origin, 0) + n
    attackers = {kind: n for kind, n in attackers.items() if n}
    if not attackers:
        return Rejected("no_attack", "mines turned every attacker back")
    strongest = max(land.values(), default=0)
    tied = sorted(origin for origin, n in land.items() if n == strongest)
    main = command.main_origin or (tied[0] if len(tied) == 1 else "")
    if land and main not in tied:
        names = ", ".join(own.name(origin) for origin in tied)
        return Rejected("name_main", f"name the main attack: {names} are equally strong")
    bonus = own.bonus(attack.space)
    if bonus is None:
        row = own.territory(attack.space)
        bonus_from = "" if row is None else row.bonus_from
        if bonus_from and not any(origin == bonus_from for origin in land):
            bonus = (0, "")
        else:
            key = "" if row is None else row.bonus_key
            return Rejected("printed_value_missing", f"enter {key} from your board")
    reroll, bonus_from = bonus
    rules = Rules(
        domain="land" if own.type_of(attack.space) == "land" else "sea",
        main_origin=main,
        bonus_reroll=reroll,
        bonus_from=bonus_from,
        bonus_once=state.rulings.get("aana.bonus_reroll") == "once",
        spill=state.rulings.get("aana.transport_hits", "transports") == "transports",
        can_retreat=command.can_retreat and not own.owner_side(attack.space),
        must_press=attack.is_landing,
    )
    kinds = {Kind(unit, power, damaged=damaged): n for (power, unit, damaged), n in _split_all(defenders)}
    try:
        arena, at_a, at_d = arena_of(book, rules, attackers, kinds)
    except MissingFiguresError as error:
        return missing(error)
    except (UnknownPieceError, ValueError) as error:
        return Rejected("unknown_piece", str(error))
    a, d = [0] * len(arena.attackers), [0] * len(arena.defenders)
    for kind, n in attackers.items():
        a[at_a[kind]] += n
    for kind, n in kinds.items():
        d[at_d[kind]] += n
    nobody_a, nobody_d = (0,) * len(a), (0,) * len(d)
    fight = Fight(
        attack.id,
        attack.space,
        rules,
        arena.attackers,
        arena.defenders,
        tuple(a),
        tuple(d),
        nobody_a,
        nobody_d,
        tuple(a),
        tuple(d),
        cargo=cargo,
    )
    return begin(book, fight)


def _split_all(pieces: Mapping[str, int]) -> list[tuple[tuple[str, str, bool], int]]:
    return [(split(piece), n) for piece, n in pieces.items() if n]


def _now(state: GameState, step: StepId, *stages: str) -> Fight | Rejected:
    refused = refuse(state, step)
    if refused is not None:
        return refused
    fight = battles_of(state).fight
    if fight is None:
        return Rejected("no_combat", "no combat is under way")
    if fight.stage not in stages:
        return Rejected("wrong_stage", f"the combat waits for {fight.stage}")
    return fight


def roll_fire(state: GameState, command: RollFire) -> Decision:
    """Decide the dice of a stage."""
    fight = _now(state, command.step, *DICE_STAGES)
    if isinstance(fight, Rejected):
        return fight
    book = figures(state)
    fault = fire_fault(book, fight, command.rolls)
    if fault is not None:
        return Rejected("bad_dice", fault)
    return Accepted((FireRolled(fired(book, fight, command.rolls), command.origin),))


def take_losses(state: GameState, command: TakeLosses) -> Decision:
    """Decide how hits are paid."""
    fight = _now(state, command.step, "losses")
    if isinstance(fight, Rejected):
        return fight
    book = figures(state)
    left, cargo = proposed(book, fight)
    role = loser(fight)
    before = fight.a if role == ATTACKER else fight.d
    kinds = fight.attackers if role == ATTACKER else fight.defenders
    if command.losses is not None:
        taken = counts_from(kinds, command.losses)
        if isinstance(taken, str):
            return Rejected(Code.BAD_VALUE, taken)
        left = _after_taken(kinds, before, taken)
        fault = losses_fault(book, fight, left)
        if fault is not None:
            return Rejected("bad_losses", fault)
    if command.cargo is not None:
        chosen = _less_cargo(fight.cargo, command.cargo)
        if isinstance(chosen, Rejected):
            return chosen
        if chosen.count != cargo.count:
            return Rejected("bad_losses", f"{fight.cargo.count - cargo.count} bays are lost, two a hit")
        cargo = chosen
    after = with_losses(book, fight, left, cargo)
    moves = _removed(state, fight, before, left, attacking=role == ATTACKER)
    lost = _cargo_moves(state, fight.space, fight.cargo, cargo)
    return Accepted((FightChanged("losses", after), *moves, *lost))


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


def _less_cargo(cargo: Cargo, lost: Mapping[str, int]) -> Cargo | Rejected:
    units = {(power, unit): n for power, unit, n in cargo.units}
    supply = dict(cargo.supply)
    for piece, n in lost.items():
        power, unit, _ = split(piece)
        if unit == "supply":
            supply[power] = supply.get(power, 0) - n
        else:
            units[power, unit] = units.get((power, unit), 0) - n
    if any(n < 0 for n in (*units.values(), *supply.values())):
        return Rejected(Code.BAD_VALUE, "more reinforcements named than are there")
    return Cargo(
        tuple((p, u, n) for (p, u), n in sorted(units.items()) if n),
        tuple((p, n) for p, n in sorted(supply.items()) if n),
    )


def _homes(state: GameState, fight: Fight, kind: Kind) -> list[str]:
    """Return where an attacking kind's pieces stand in the ledger."""
    attack = next(item for item in battles_of(state).attacks if item.id == fight.attack)
    if kind.origin:
        return [kind.origin]
    piece = f"{kind.power}.{kind.unit}"
    places = [group.origin for group in attack.groups if piece in group.units]
    return places or [fight.space]


def _removed(state: GameState, fight: Fight, before: Counts, left: Counts, *, attacking: bool) -> list[Event]:
    """Return the ledger's moves of losses, and of battleships that turn on their side."""
    kinds = fight.attackers if attacking else fight.defenders
    found: list[Event] = []
    ledger = ledger_of(state)
    for i, kind in enumerate(kinds):
        piece = f"{kind.power}.{kind.unit}{'.damaged' if kind.damaged else ''}"
        lost = before[i] - left[i]
        for place in _homes(state, fight, kind) if attacking else [fight.space]:
            here = min(lost, ledger.units.get(place, {}).get(piece, 0))
            if here > 0:
                found.append(UnitsMoved(place, POOL, {piece: here}))
                lost -= here
        if lost < 0:
            place = _homes(state, fight, kind)[0] if attacking else fight.space
            if ledger.units.get(place, {}).get(f"{kind.power}.{kind.unit}", 0):
                found.append(UnitsMoved(POOL, place, {piece: -lost}))
    return found


def _cargo_moves(state: GameState, space: str, before: Cargo, after: Cargo) -> list[Event]:
    found: list[Event] = []
    units = {(p, u): n for p, u, n in after.units}
    supply = dict(after.supply)
    for power, unit, n in before.units:
        lost = n - units.get((power, unit), 0)
        there = ledger_of(state).units.get(space, {}).get(f"{power}.{unit}", 0)
        if min(lost, there) > 0:
            found.append(UnitsMoved(space, POOL, {f"{power}.{unit}": min(lost, there)}))
    for power, n in before.supply:
        lost = n - supply.get(power, 0)
        if lost:
            found.append(SupplyChanged(f"{space}@{power}", -lost))
    return found


def give_orders(state: GameState, command: GiveOrders) -> Decision:
    """Decide the orders of step 1 and what they cost."""
    fight = _now(state, command.step, "orders")
    if isinstance(fight, Rejected):
        return fight
    book = figures(state)
    arena = arena_of(book, fight.rules, fight.attackers, fight.defenders)[0]
    events: list[Event] = []
    vichy = all(kind.power == "vichy" for kind, n in zip(fight.defenders, fight.d, strict=True) if n)
    if fight.rules.domain == "land":
        if not command.fight and vichy:
            return Rejected("no_retreat", "Vichy French units never retreat")
        if command.fight and needs_supply(arena, fight.d):
            event = supply_spent(state, command.supply_from or fight.space, 1)
            if isinstance(event, Rejected):
                return event
            events += [] if event is None else [event]
        free = exempt(arena)
        if command.exempt_fight and not any(n and ok for n, ok in zip(fight.d, free, strict=True)):
            return Rejected(Code.BAD_VALUE, "no unit here fights without supply")
        most = raid_tokens(book, fight)
        asked = most if command.raids is None else command.raids
        if not 0 <= asked <= most:
            return Rejected(Code.BAD_VALUE, f"{most} tokens may be destroyed, {asked} asked")
        there = known_supply(ledger_of(state), fight.space)
        left = None if there is None else there - (1 if events and not command.supply_from else 0)
        asked = asked if left is None else min(asked, left)
        if asked:
            event = supply_spent(state, fight.space, asked)
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
    return Accepted((FightChanged("ordered", after), *events))


def leave_combat(state: GameState, command: LeaveCombat) -> Decision:
    """Decide where retreating units go and who escapes."""
    fight = _now(state, command.step, "leave")
    if isinstance(fight, Rejected):
        return fight
    book, own = figures(state), board(state)
    events: list[Event] = []
    going = {
        f"{kind.power}.{kind.unit}": n for kind, n in zip(fight.defenders, fight.retreating, strict=True) if n
    }
    named: dict[str, int] = {}
    attacked = {item.space for item in battles_of(state).attacks if _has_land(state, item)}
    for space, units in command.to.items():
        if own.type_of(space) != "land":
            return Rejected("unknown_space", f"{space} is no territory")
        if space in attacked:
            return Rejected("no_retreat", f"{own.name(space)} was attacked by land units this turn")
        for piece, n in units.items():
            named[piece] = named.get(piece, 0) + n
        there = sum(
            n
            for piece, n in occupants(
                ledger_of(state), book, space, SIDE_OF[next(iter(units)).split(".")[0]]
            ).items()
        )
        if space in ledger_of(state).told and there + sum(units.values()) > own.limit(space):
            return Rejected("over_limit", f"{own.name(space)}: limit {own.limit(space)}, {there} there")
        events.append(UnitsMoved(fight.space, space, units))
    if any(n > going.get(piece, 0) for piece, n in named.items()):
        return Rejected(Code.BAD_VALUE, "more pieces named than retreat")
    lost = {piece: n - named.get(piece, 0) for piece, n in going.items() if n > named.get(piece, 0)}
    if lost and fight.rules.can_retreat and not command.to:
        return Rejected("where_to", "say where the retreating units go")
    here = ledger_of(state).units.get(fight.space, {})
    gone = {piece: min(n, here.get(piece, 0)) for piece, n in lost.items() if here.get(piece, 0)}
    if gone:
        events.append(UnitsMoved(fight.space, POOL, gone))
    behind = None
    if command.escape is not None and fight.cargo.count:
        chosen = _less_cargo(fight.cargo, command.escape)
        if isinstance(chosen, Rejected):
            return chosen
        if fight.cargo.count - chosen.count > 2:
            return Rejected("bad_escape", "one transport escapes: two bays at most")
        behind = chosen
    after = leave(book, fight, destroyed=bool(lost) and not named, behind=behind)
    return Accepted((FightChanged("left", after), *events))


def _has_land(state: GameState, attack: Attack) -> bool:
    book = figures(state)
    return any(
        n and book.row(*split(piece)[:2]).type == "land"
        for group in attack.groups
        for piece, n in group.units.items()
    )


def press_attack(state: GameState, command: Press) -> Decision:
    """Decide to go on, and pay for it."""
    fight = _now(state, command.step, "press")
    if isinstance(fight, Rejected):
        return fight
    book = figures(state)
    aside = counts_from(fight.attackers, command.aside)
    if isinstance(aside, str):
        return Rejected(Code.BAD_VALUE, aside)
    left = tuple(n - m for n, m in zip(fight.a, aside, strict=True))
    if any(n < 0 for n in left) or not any(left):
        return Rejected(Code.BAD_VALUE, "somebody must go on; cease instead")
    if fight.rules.must_press and any(aside):
        return Rejected("must_press", "a landing is pressed with all units")
    if fight.rules.domain == "sea" and any(aside):
        return Rejected(Code.BAD_VALUE, "at sea everybody goes on, or the attack ceases")
    arena = arena_of(book, fight.rules, fight.attackers, fight.defenders)[0]
    events: list[Event] = []
    need: dict[str, int] = {}
    for origin, cost in press_cost(arena, left).items():
        place = command.supply_from.get(origin) or (f"{origin}@landing" if fight.rules.must_press else origin)
        need[place] = need.get(place, 0) + cost
    unpaid = fight.rules.must_press and state.rulings.get("aana.landing_unpaid", "pressed") == "pressed"
    for place, cost in need.items():
        there = known_supply(ledger_of(state), place)
        event = supply_spent(state, place, min(cost, there) if unpaid and there is not None else cost)
        if isinstance(event, Rejected):
            return event
        events += [] if event is None else [event]
    return Accepted((FightChanged("pressed", pressed(book, fight, left)), *events))


def join_attack(state: GameState, command: JoinAttack) -> Decision:
    """Decide the reinforcement of an attack (optional rule)."""
    fight = _now(state, command.step, "press")
    if isinstance(fight, Rejected):
        return fight
    if "reinforce_attacks" not in state.frozen_setup.options.get("optional", ()):
        return Rejected("not_in_play", "reinforcing land attacks is an optional rule")
    if fight.rules.domain != "land" or fight.rules.must_press:
        return Rejected("cannot_attack", "only ordinary land attacks can be reinforced")
    book, ledger = figures(state), ledger_of(state)
    used = declared_units(state)
    added: dict[Kind, int] = {}
    for piece, n in command.group.units.items():
        power, unit, _ = split(piece)
        if power != state.step.nation and not (power == "free_french" and state.step.nation == "us"):
            return Rejected("not_your_turn", f"{piece} in the turn of {state.step.nation}")
        if not book.has(power, unit):
            return Rejected("unknown_piece", f"{power} has no {unit}")
        row = book.row(power, unit)
        if row.type != "land" or "cannot_attack" in row.traits or "hit_and_run" in row.traits:
            return Rejected("cannot_attack", f"{row.name} cannot reinforce an attack")
        origin = command.group.origin
        free = ledger.units.get(origin, {}).get(piece, 0) - used.get((origin, piece), 0)
        if n < 1 or (origin in ledger.told and free < n):
            return Rejected("not_there", f"{free} {piece} free, {n} to join")
        added[Kind(unit, power, origin, late=True)] = n
    kinds = (*fight.attackers, *added)
    try:
        arena, at, _ = arena_of(book, fight.rules, kinds, fight.defenders)
    except MissingFiguresError as error:
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
        fight, attackers=arena.attackers, a=tuple(a), a_out=tuple(spread(fight.a_out)), start_a=tuple(start)
    )
    attack = next(item for item in battles_of(state).attacks if item.id == fight.attack)
    changed = replace(attack, groups=(*attack.groups, command.group))
    return Accepted((AttackChanged(changed), FightChanged("joined", after)))


def cease_attack(state: GameState, command: Cease) -> Decision:
    """Decide to break off."""
    fight = _now(state, command.step, "press")
    if isinstance(fight, Rejected):
        return fight
    if fight.rules.must_press and state.rulings.get("aana.landing_unpaid", "pressed") == "pressed":
        return Rejected("must_press", "a landing is pressed until one side is gone")
    return Accepted((FightChanged("ceased", replace(fight, stage="over", result="ceased")),))


def conclude(state: GameState, command: Conclude) -> Decision:
    """Decide the advance and settle the space."""
    fight = _now(state, command.step, "over")
    if isinstance(fight, Rejected):
        return fight
    attack = next(item for item in battles_of(state).attacks if item.id == fight.attack)
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
    return Accepted(
        (CombatConcluded(fight, stayed), AttackChanged(replace(attack, result=fight.result)), *done)
    )


def _stayed(state: GameState, fight: Fight, done: tuple[Event, ...]) -> dict[str, dict[str, int]]:
    """Return the attackers that are left where they attacked from."""
    found: dict[str, dict[str, int]] = {}
    for kind, n, out in zip(fight.attackers, fight.a, fight.a_out, strict=True):
        piece = f"{kind.power}.{kind.unit}{'.damaged' if kind.damaged else ''}"
        left = n + out
        for place in _homes(state, fight, kind):
            here = min(left, ledger_of(state).units.get(place, {}).get(piece, 0)) if not kind.origin else left
            left -= here
            if here:
                found.setdefault(place, {})[piece] = found.get(place, {}).get(piece, 0) + here
    for event in done:
        if isinstance(event, UnitsMoved) and event.to == fight.space and event.origin in found:
            for piece, n in event.units.items():
                found[event.origin][piece] = max(0, found[event.origin].get(piece, 0) - n)
    return {place: {p: n for p, n in pieces.items() if n} for place, pieces in found.items()}

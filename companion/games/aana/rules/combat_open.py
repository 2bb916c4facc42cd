"""Phase 4: how a declared attack becomes a combat.

Source: rulebook, Phase 4: Conduct Combat; Flanking Attacks; Territories (Defensive Bonus).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from companion.core.ids import Nation, Side, SiteId
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.state import GameState
from companion.core.text import Say, area, key, several
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.admission import cargo_fault, defender_fault
from companion.games.aana.rules.battle_messages import (
    Attack,
    FightChanged,
    OpenCombat,
    battles_of,
)
from companion.games.aana.rules.casualties import Cargo
from companion.games.aana.rules.combat import Kind, NoCombatUnitError, Rules, arena_of
from companion.games.aana.rules.conditions import content_need
from companion.games.aana.rules.fight import Fight
from companion.games.aana.rules.fight_flow import begin
from companion.games.aana.rules.figures import SIDE_OF, MissingFiguresError, UnknownPieceError, enemy_of
from companion.games.aana.rules.pieces import Piece
from companion.games.aana.rules.retreats import refuges
from companion.games.aana.rules.routes import routes
from companion.games.aana.rules.tables import NO_SPACE
from companion.games.aana.rules.turn import at_phase, missing, printed_need

__all__ = ["aaa_last", "defence_bonus", "foreseen", "main_origins", "open_combat"]


def open_combat(state: GameState, command: OpenCombat) -> Decision:
    """Decide the beginning of a declared attack."""
    refused = at_phase(state, command.step, "combat")
    if refused is not None:
        return refused
    slice_ = battles_of(state)
    if slice_.fight is not None:
        return Rejected(
            "fighting", Say("Finish the combat in {space} first.", space=area(slice_.fight.space))
        )
    attack = next((item for item in slice_.attacks if item.id == command.attack), None)
    if attack is None or attack.result:
        return Rejected("no_attack", Say("Attack {n} is not waiting to be fought.", n=command.attack))
    built = _opened(state, attack, command)
    return built if isinstance(built, Rejected) else Accepted((FightChanged("opened", built),))


def foreseen(state: GameState, attack: Attack) -> Fight | Rejected:
    """Return what a declared attack would begin as if it were fought now; a tie for the main attack goes to the first."""
    tied = main_origins(state, attack)
    return _opened(
        state, attack, OpenCombat(state.step.id, attack.id, main_origin=min(tied, default=NO_SPACE))
    )


def _opened(state: GameState, attack: Attack, command: OpenCombat) -> Fight | Rejected:
    own, ledger, book = lg.board(state), lg.ledger_of(state), lg.figures(state)
    side = SIDE_OF[attack.power]
    defenders = command.defenders
    if defenders is None:
        if attack.space not in ledger.told and not lg.occupants(ledger, book, attack.space, enemy_of(side)):
            told = Say("Enter who defends {space}.", space=area(attack.space))
            return Rejected("not_told", told, (content_need(attack.space),))
        defenders = lg.occupants(ledger, book, attack.space, enemy_of(side))
    at_sea = own.type_of(attack.space) != "land"
    try:
        defenders = {
            piece: n
            for piece, n in defenders.items()
            if n and not (at_sea and book.row(*lg.split(piece)[:2]).type == "land")
        }
    except UnknownPieceError as error:
        return Rejected("unknown_piece", error.say)
    for piece in defenders:
        fault = defender_fault(book, piece, at_sea=at_sea)
        if fault is not None:
            return fault
    if any(SIDE_OF.get(lg.split(piece)[0]) != enemy_of(side) for piece in defenders):
        return Rejected(Code.BAD_VALUE, Say("Defenders must belong to the other side."))
    cargo = _cargo(state, attack.space, enemy_of(side), command.cargo) if at_sea else Cargo()
    if isinstance(cargo, Rejected):
        return cargo
    return _fight(state, attack, defenders, cargo, command)


def _cargo(state: GameState, space: SiteId, side: Side, told: Mapping[Piece, int] | None) -> Cargo | Rejected:
    ledger, book = lg.ledger_of(state), lg.figures(state)
    units: dict[tuple[Nation, str], int] = {}
    supply: dict[Nation, int] = {}
    if told is not None:
        for piece, n in told.items():
            power, unit, _ = lg.split(piece)
            fault = cargo_fault(book, piece, n, SIDE_OF.get(power) == side)
            if fault is not None:
                return fault
            if unit == "supply":
                supply[power] = n
            else:
                units[power, unit] = n
    else:
        for piece, n in ledger.units.get(space, {}).items():
            power, unit, _ = lg.split(piece)
            if SIDE_OF[power] == side and book.row(power, unit).type in ("land", "truck"):
                units[power, unit] = n
        for power, of in SIDE_OF.items():
            n = lg.known_supply(ledger, f"{space}@{power}") or 0
            if of == side and n:
                supply[power] = n
    return Cargo(
        tuple(sorted((p, u, n) for (p, u), n in units.items() if n)),
        tuple(sorted((p, n) for p, n in supply.items() if n)),
    )


def _fight(
    state: GameState, attack: Attack, defenders: Mapping[Piece, int], cargo: Cargo, command: OpenCombat
) -> Fight | Rejected:
    own, book = lg.board(state), lg.figures(state)
    attackers: dict[Kind, int] = {}
    for group in attack.groups:
        for piece, n in group.units.items():
            power, unit, damaged = lg.split(piece)
            is_land = book.row(power, unit).type == "land"
            kind = Kind(unit, power, group.origin if is_land else NO_SPACE, damaged)
            attackers[kind] = attackers.get(kind, 0) + n
    attackers = {kind: n for kind, n in attackers.items() if n}
    if not attackers:
        return Rejected("no_attack", Say("Mines turned back every attacker."))
    tied = main_origins(state, attack)
    main = command.main_origin or (tied[0] if len(tied) == 1 else NO_SPACE)
    if tied and main not in tied:
        spaces = several(map(area, tied))
        return Rejected(
            "name_main", Say("Choose the main attack: {spaces} are equally strong.", spaces=spaces)
        )
    bonus = defence_bonus(state, attack.space, {kind.origin for kind in attackers})
    if isinstance(bonus, Rejected):
        return bonus
    reroll, bonus_from = bonus
    rules = Rules(
        domain="land" if own.type_of(attack.space) == "land" else "sea",
        main_origin=main,
        bonus_reroll=reroll,
        bonus_from=bonus_from,
        bonus_once=state.rulings.get("aana.bonus_reroll") == "once",
        spill=state.rulings.get("aana.transport_hits", "transports") == "transports",
        can_retreat=command.can_retreat and not own.owner_side(attack.space) and _has_refuge(state, attack),
        must_press=attack.is_landing,
        with_all=attack.is_landing and lg.scenario_of(state).landings_with_all,
        aaa_last=aaa_last(state),
        vichy_binds=state.rulings.get("aana.vichy_beside") == "bound",
    )
    kinds = {Kind(unit, power, damaged=damaged): n for (power, unit, damaged), n in _split_all(defenders)}
    try:
        arena, at_a, at_d = arena_of(book, rules, attackers, kinds)
    except MissingFiguresError as error:
        return missing(error)
    except (UnknownPieceError, NoCombatUnitError) as error:
        return Rejected("unknown_piece", error.say)
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


def _has_refuge(state: GameState, attack: Attack) -> bool:
    """Say whether the defender has somewhere to go; where borders are not known the table will see."""
    ways = routes(state)
    return ways is None or not ways.knows(attack.space) or bool(refuges(state, attack.space))


def aaa_last(state: GameState) -> Literal["refuge", "at_once", "ends"]:
    """Return what becomes of artillery that is left alone, as the table rules."""
    match state.rulings.get("aana.aaa_last", "refuge"):
        case "at_once":
            return "at_once"
        case "ends":
            return "ends"
    return "refuge"


def main_origins(state: GameState, attack: Attack) -> tuple[SiteId, ...]:
    """Return the territories from which most land units attack: any of them may be the main attack."""
    book = lg.figures(state)
    land: dict[SiteId, int] = {}
    for group in attack.groups:
        for piece, n in group.units.items():
            if book.row(*lg.split(piece)[:2]).type == "land":
                land[group.origin] = land.get(group.origin, 0) + n
    most = max(land.values(), default=0)
    return tuple(sorted(origin for origin, n in land.items() if n == most))


def defence_bonus(state: GameState, space: SiteId, origins: Collection[SiteId]) -> tuple[int, str] | Rejected:
    """Return (face from which defenders reroll, territory it holds against) of an attacked territory.

    Where its text is still to be entered it is asked for only while it matters.

    Args:
        origins: Territories from which land units attack.
    """
    own = lg.board(state)
    bonus, row = own.bonus(space), own.territory(space)
    if bonus is not None or row is None:
        return bonus or (0, "")
    if row.bonus_from and row.bonus_from not in origins:
        return (0, "")
    return Rejected(
        "printed_value_missing",
        Say("Enter these values from your board first: {keys}.", keys=several((key(row.bonus_key),))),
        (printed_need(row.bonus_key),),
    )


def _split_all(pieces: Mapping[Piece, int]) -> list[tuple[tuple[Nation, str, bool], int]]:
    return [(lg.split(piece), n) for piece, n in pieces.items() if n]

"""Supply and combat of a turn: attacks that are declared with their supply, given up, fought.

Sections: Supply; Combat; Retreat Before Combat; Post Combat Retreat; Advance after Combat; Sea and Air Landings.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from companion.core.events import Event
from companion.core.ids import Nation
from companion.core.options import says
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.state import GameState
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.attack import Verdict, landing_supply, verdict
from companion.games.tsu.rules.forces import Attack
from companion.games.tsu.rules.legality import turn_faults
from companion.games.tsu.rules.losses import (
    Removal,
    advance_fault,
    advance_of,
    attackers_lost,
    overstacked,
)
from companion.games.tsu.rules.reasons import Reason
from companion.games.tsu.rules.state import (
    BRITAIN,
    ITALY,
    SIDE_OF,
    Declared,
    Spent,
    TsuSlice,
    is_italy_at_war,
    is_reorganized,
    season_of,
    slice_of,
)
from companion.games.tsu.rules.units import Unit, label

__all__ = [
    "SUPPLY_KINDS",
    "clear_overstack",
    "declare",
    "declared_faults",
    "drop",
    "judged",
    "open_attack",
    "resolve",
    "retreat_before",
    "shareable",
]

SUPPLY_KINDS = ("supply", "convoy", "landing_craft")
"""Kinds that give supply while they carry nothing."""


def judged(state: GameState, attack: Attack) -> Attack:
    """Return an attack with what the log knows better: the season, the army's order, printed fort values."""
    own, step = slice_of(state), state.step
    defenders = tuple(
        replace(unit, fort_value=_fort_value(state, unit)) if unit.kind == "fort" else unit
        for unit in attack.defenders
    )
    season = season_of(own, step.stage).split(" ")[0]
    return replace(attack, season=season, defenders=defenders, reorganized=is_reorganized(own, step.stage))


def _fort_value(state: GameState, unit: Unit) -> int | None:
    printed = state.printed.get(f"fort.{unit.name.lower()}.value")
    return printed if isinstance(printed, int) else unit.fort_value


def shareable(own: TsuSlice) -> tuple[Spent, ...]:
    """Return the supplies of this turn that may support one more attack: none once a combat was fought."""
    if any(declared.result is not None for declared in own.attacks):
        return ()
    return tuple(spent for spent in own.supplies if not spent.dedicated)


def declared_faults(
    state: GameState, attack: Attack, spent: tuple[Unit, ...], shared: tuple[int, ...]
) -> tuple[Reason, ...]:
    """List every reason against an attack with its supply, the other attacks of the turn counted."""
    own = slice_of(state)
    full = replace(judged(state, attack), supplies=len(spent) + len(shared))
    faults = list(verdict(full, own.tables).faults)
    others = [a for d in own.attacks if not d.dropped for a in d.attack.attackers]
    known = {unit.unit.kind for unit in (*attack.attackers, *others)} <= set(own.tables.units)
    if known:
        faults.extend(turn_faults((*others, *attack.attackers), own.tables))
    alone = landing_supply(attack)
    if alone > len(spent):
        faults.append(Reason("dedicated", need=alone, have=len(spent)))
    if shared and any(declared.result is not None for declared in own.attacks):
        faults.append(Reason("shared_late"))
    sides = {SIDE_OF.get(a.unit.nation) for a in attack.attackers}
    faults.extend(
        Reason("own_unit", label(unit)) for unit in attack.defenders if SIDE_OF.get(unit.nation) in sides
    )
    return tuple(dict.fromkeys(faults))


def declare(state: GameState, command: cm.DeclareAttack) -> Decision:
    """Put an attack on the list; its supply is spent whatever comes."""
    own, step = slice_of(state), state.step
    if step.phase not in ("supply", "attack"):
        return Rejected("other_phase", "attacks are supplied in the supply phase")
    if any(unit.kind not in SUPPLY_KINDS or unit.loaded for unit in command.spent):
        return Rejected(
            Code.BAD_VALUE, "only Supply, Convoys and Landing Craft that carry nothing give supply"
        )
    units = (*(a.unit for a in command.attack.attackers), *command.attack.defenders, *command.spent)
    unknown = sorted({unit.nation for unit in units if unit.nation not in SIDE_OF})
    if unknown:
        return Rejected(Code.BAD_VALUE, f"{', '.join(unknown)} is no nation of this game")
    acting = {a.unit.nation for a in command.attack.attackers}
    strangers = sorted({u.nation for u in command.spent} | acting)
    strangers = [nation for nation in strangers if SIDE_OF[nation] not in step.owners]
    if strangers:
        return Rejected(Code.NOT_YOUR_ACT, f"{', '.join(strangers)} does not attack now")
    if ITALY in acting and not is_italy_at_war(own, step.stage):
        return Rejected("not_at_war", "Italy does not attack now")
    known = {spent.number for spent in shareable(own)}
    late = bool(command.shared) and any(d.result is not None for d in own.attacks)
    if not late and not set(command.shared) <= known:
        return Rejected(Code.BAD_VALUE, "that supply is not to be had for another attack")
    faults = declared_faults(state, command.attack, command.spent, command.shared)
    if faults:
        return Rejected("illegal_attack", "; ".join(fault.text for fault in faults))
    attack = replace(judged(state, command.attack), supplies=len(command.spent) + len(command.shared))
    number = len(own.attacks) + 1
    events: list[Event] = [cm.AttackDeclared(number, attack, command.spent, command.shared)]
    events += _to_boxes(state, command.spent, "supply_spent")
    return Accepted(tuple(events))


def _to_boxes(state: GameState, units: Iterable[Unit], why: str, *, is_used: bool = True) -> list[Event]:
    """Put units into their boxes: those that can be replaced, and not the one-use Landing Craft once it was used."""
    own = slice_of(state)
    one_use = is_used and says(state, "one_use", "removed")
    found: list[Event] = []
    for unit in units:
        if not own.tables.units[unit.kind].cost or unit.nation not in own.boxes:
            continue
        if unit.kind == "landing_craft" and unit.nation == BRITAIN and one_use:
            continue
        found.append(cm.BoxChanged(Nation(unit.nation), unit.kind, 1, why))
    return found


def open_attack(own: TsuSlice, number: int) -> Declared | None:
    """Return an attack that was neither fought nor given up."""
    return next((d for d in own.attacks if d.number == number and not d.done), None)


def _open_in_combat(state: GameState, number: int, elsewhere: str) -> Declared | Rejected:
    """Return an attack that can be fought now, or why there is none; `elsewhere` says it of another phase."""
    if state.step.phase != "attack":
        return Rejected("other_phase", elsewhere)
    return open_attack(slice_of(state), number) or Rejected("attack_over", f"attack {number} is not open")


def drop(state: GameState, command: cm.DropAttack) -> Decision:
    """Give an attack up."""
    if open_attack(slice_of(state), command.attack) is None:
        return Rejected("attack_over", f"attack {command.attack} is not open")
    return Accepted((cm.AttackDropped(command.attack),))


def retreat_before(state: GameState, command: cm.RetreatBefore) -> Decision:
    """Let units of value 0 leave before the combat; with the last of them the area is taken without one."""
    declared = _open_in_combat(state, command.attack, "units retreat before a combat, in the combat phase")
    if isinstance(declared, Rejected):
        return declared
    able = list(verdict(declared.attack, slice_of(state).tables).may_retreat_before)
    for unit in command.units:
        if unit not in able:
            return Rejected("may_not_retreat", f"{label(unit)} does not retreat before this combat")
        able.remove(unit)
    if not command.units:
        return Rejected(Code.BAD_VALUE, "nobody retreats")
    return Accepted((cm.RetreatedBefore(command.attack, command.units),))


def resolve(state: GameState, command: cm.ResolveAttack) -> Decision:
    """Fight a declared attack: losses, retreats, advance, and what the attackers lose."""
    declared = _open_in_combat(state, command.attack, "attacks are fought in the combat phase")
    if isinstance(declared, Rejected):
        return declared
    own, attack = slice_of(state), declared.attack
    found = verdict(attack, own.tables)
    is_empty = not attack.defenders
    chosen = Removal((), 0, attack.defenders)
    if found.wins:
        if command.choice is None or not 0 <= command.choice < len(found.removals):
            return Rejected(
                "choose_losses", f"choose one of {len(found.removals)} ways to lose {found.difference}"
            )
        chosen = found.removals[command.choice]
    elif command.choice is not None:
        return Rejected(Code.BAD_VALUE, f"{found.attack_value} against {found.defence_value}: nobody is lost")
    stray = _stray(chosen.retreating, command.lost_in_retreat)
    if stray:
        return Rejected(Code.BAD_VALUE, f"{stray} does not retreat")
    is_taken = is_empty or (found.wins and not chosen.staying)
    fighting = attack.attackers if is_empty else found.fighting
    advance = advance_of(attack, fighting, chosen.staying, own.tables) if is_taken else None
    fault = advance_fault(attack, advance, command.advance, own.tables)
    if fault is not None:
        return Rejected("no_advance", fault)
    return Accepted(_resolved(state, command, declared, found, chosen, is_taken=is_taken))


def _stray(retreating: tuple[Unit, ...], lost: tuple[Unit, ...]) -> str:
    left = list(retreating)
    for unit in lost:
        if unit not in left:
            return label(unit)
        left.remove(unit)
    return ""


def _resolved(
    state: GameState,
    command: cm.ResolveAttack,
    declared: Declared,
    found: Verdict,
    chosen: Removal,
    *,
    is_taken: bool,
) -> tuple[Event, ...]:
    own, attack = slice_of(state), declared.attack
    lost = (*chosen.units, *command.lost_in_retreat)
    left = list(chosen.survivors)
    retreated = list(chosen.retreating)
    for unit in command.lost_in_retreat:
        left.remove(unit)
        retreated.remove(unit)
    ours = attackers_lost(
        attack,
        is_taken=is_taken,
        advanced=command.advance,
        is_stranded_lost=says(state, "failed_landing", "lost"),
        is_unopposed=declared.unopposed,
    )
    result = cm.Result(
        found.attack_value,
        found.defence_value,
        lost,
        tuple(left),
        tuple(retreated),
        ours,
        tuple(attack.attackers[i].unit for i in command.advance),
        is_taken,
        overstacked(attack, command.advance, own.tables),
    )
    events: list[Event] = [cm.AttackResolved(declared.number, state.step.owners[0], result)]
    events += _to_boxes(state, lost, "lost", is_used=False)
    events += _to_boxes(state, ours, "landed")
    return tuple(events)


def clear_overstack(state: GameState, command: cm.ClearOverstack) -> Decision:
    """Put one of two armies of an area into its box."""
    own = slice_of(state)
    declared = next((d for d in own.attacks if d.number == command.attack), None)
    if declared is None or declared.result is None:
        return Rejected("attack_over", f"attack {command.attack} was not fought")
    if command.unit not in declared.result.overstacked.get(command.origin, ()):
        return Rejected(Code.BAD_VALUE, f"{label(command.unit)} does not overstack {command.origin}")
    cleared = cm.OverstackCleared(command.attack, command.origin)
    return Accepted((cleared, *_to_boxes(state, (command.unit,), "overstacked")))

"""Supply and combat of a turn: attacks that are declared with their supply, given up, fought.

Source: The Soft Underbelly, Supply; Combat; Retreat Before Combat; Post Combat Retreat; Advance after Combat; Sea and Air Landings.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from companion.core.events import Event
from companion.core.ids import Nation
from companion.core.options import says
from companion.core.places import Place, Places
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.state import GameState
from companion.core.text import Say, Typed, nation, sentences, several
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.attack import Verdict, landing_supply, verdict
from companion.games.tsu.rules.forces import LIFTS, Attack
from companion.games.tsu.rules.legality import area_faults, mud_faults, turn_faults
from companion.games.tsu.rules.losses import (
    Removal,
    advance_fault,
    advance_of,
    attackers_lost,
    overstacked,
)
from companion.games.tsu.rules.schema import fort_key
from companion.games.tsu.rules.state import (
    AXIS,
    BRITAIN,
    ITALY,
    SIDE_OF,
    US,
    Declared,
    Spent,
    TsuSlice,
    attack_date,
    holds_from,
    is_reorganized,
    may_attack,
    may_supply,
    not_at_war,
    season_of,
    slice_of,
    unknown_nation,
)
from companion.games.tsu.rules.units import Unit, called
from companion.games.tsu.rules.victory import are_neutral_french

__all__ = [
    "SUPPLY_KINDS",
    "clear_overstack",
    "declare",
    "declared_faults",
    "drop",
    "judged",
    "open_attack",
    "places",
    "resolve",
    "retreat_before",
    "shareable",
]

SUPPLY_KINDS = ("supply", "convoy", "landing_craft")
"""Kinds that give supply while they carry nothing."""


def places(state: GameState) -> Places:
    """Return the areas that the rules name, then those that this turn's attacks named first: one spelling each."""
    named = state.frozen_setup.tables["game"]["areas"]["names"]
    used = (
        name
        for d in slice_of(state).attacks
        for name in (d.attack.target, *(a.origin for a in d.attack.attackers))
    )
    return Places(Place(name) for name in (*named, *used))


def judged(state: GameState, attack: Attack) -> Attack:
    """Return an attack with what the log knows better: areas, the season, the army's order, fort values, rulings."""
    own, step = slice_of(state), state.step
    known = places(state)
    defenders = tuple(
        replace(unit, fort_value=_fort_value(state, unit)) if unit.kind == "fort" else unit
        for unit in attack.defenders
    )
    season = season_of(own, step.stage).split(" ")[0]
    return replace(
        attack,
        target=known.spelled(attack.target),
        attackers=tuple(replace(a, origin=known.spelled(a.origin)) for a in attack.attackers),
        season=season,
        defenders=defenders,
        reorganized=is_reorganized(own, step.stage),
        is_landing_shared=not says(state, "landing_supply", "each"),
        is_drop_shared=says(state, "parachute_supply", "shared"),
        is_port_closed=says(state, "port_landing", "no"),
    )


def _fort_value(state: GameState, unit: Unit) -> int | None:
    printed = state.printed.get(fort_key(unit.name.lower()))
    return printed if isinstance(printed, int) else unit.fort_value


def shareable(own: TsuSlice) -> tuple[Spent, ...]:
    """Return the supplies of this turn that may support one more attack: none once a combat was fought."""
    if any(declared.result is not None for declared in own.attacks):
        return ()
    return tuple(spent for spent in own.supplies if not spent.dedicated)


def war_faults(state: GameState, attack: Attack, spent: tuple[Unit, ...]) -> tuple[Say, ...]:
    """List the nations that may not attack or give supply yet, or any more, and neutrals that are not attacked: Italy, Vichy.

    Units entered as American before the United States have any are the French.

    Source: The Soft Underbelly, Set Up; Italy; Lend-Lease; The Axis Pact; Status of All Nations; table rulings
    "neutral_target" and "vichy_target"
    """
    own = slice_of(state)
    acting = sorted({Nation(a.unit.nation) for a in attack.attackers if a.unit.nation in SIDE_OF})
    giving = sorted({Nation(unit.nation) for unit in spent if unit.nation in SIDE_OF})
    is_neutral = not holds_from(own, "italy_at_war", state.step.stage)
    is_aimed_at = ITALY not in acting and any(unit.nation == ITALY for unit in attack.defenders)
    spared = is_neutral and is_aimed_at and says(state, "neutral_target", "spared")
    at_french = any(SIDE_OF[one] == AXIS for one in acting) and any(
        unit.nation == US for unit in attack.defenders
    )
    is_closed = at_french and are_neutral_french(state) and says(state, "vichy_target", "spared")
    faults = (
        *(not_at_war(own, one, attack_date(state, one)) for one in acting if not may_attack(state, one)),
        *(not_at_war(own, one) for one in giving if not may_supply(state, one)),
        *((not_at_war(own, ITALY),) if spared else ()),
        *((Say("Vichy French units are neutral: the Axis cannot enter their areas."),) if is_closed else ()),
    )
    return tuple(dict.fromkeys(faults))  # who attacks and pays for it is neutral once


def declared_faults(
    state: GameState, attack: Attack, spent: tuple[Unit, ...], shared: tuple[int, ...]
) -> tuple[Say, ...]:
    """List every reason against an attack with its supply, the other attacks of the turn counted.

    Source: The Soft Underbelly, Supply; Combat.
    """
    own = slice_of(state)
    full = replace(judged(state, attack), supplies=len(spent) + len(shared))
    faults = [*war_faults(state, attack, spent), *verdict(full, own.tables).faults]
    before = [d.attack for d in own.attacks if not d.dropped]
    others = [a for made in before for a in made.attackers]
    known = {unit.unit.kind for unit in (*attack.attackers, *others)} <= set(own.tables.units)
    if known:
        faults.extend(turn_faults((*others, *attack.attackers), own.tables))
        faults.extend(mud_faults((*before, full), own.tables))
    faults.extend(area_faults(full))
    alone = landing_supply(attack)
    if alone > len(spent):
        faults.append(
            Say.counted(
                "The landing needs {n} supply that supports nothing else; it has {have}.",
                "The landings need {n} supplies that support nothing else; they have {have}.",
                alone,
                have=len(spent),
            )
        )
    if shared and any(declared.result is not None for declared in own.attacks):
        faults.append(Say("Name every attack of a supply before the first of them is fought."))
    sides = {SIDE_OF.get(a.unit.nation) for a in attack.attackers}
    faults.extend(
        Say("{unit} is on the attackers' own side.", unit=called(unit))
        for unit in attack.defenders
        if SIDE_OF.get(unit.nation) in sides
    )
    if own.italy_fallen and any(unit.nation == ITALY for unit in attack.defenders):
        faults.append(not_at_war(own, ITALY))
    return tuple(dict.fromkeys(faults))


def declare(state: GameState, command: cm.DeclareAttack) -> Decision:
    """Put an attack on the list; its supply is spent whatever comes."""
    own, step = slice_of(state), state.step
    if step.phase not in ("supply", "attack"):
        return Rejected("other_phase", Say("Attacks are declared in the supply or combat phase."))
    if any(unit.kind not in SUPPLY_KINDS or unit.loaded for unit in command.spent):
        return Rejected(
            Code.BAD_VALUE, Say("Only Supply, Convoys and Landing Craft that carry nothing give supply.")
        )
    units = (*(a.unit for a in command.attack.attackers), *command.attack.defenders, *command.spent)
    unknown = sorted({unit.nation for unit in units if unit.nation not in SIDE_OF})
    if unknown:
        return Rejected(Code.BAD_VALUE, unknown_nation(*unknown))
    acting = {a.unit.nation for a in command.attack.attackers}
    strangers = sorted({u.nation for u in command.spent} | acting)
    strangers = [nation for nation in strangers if SIDE_OF[nation] not in step.owners]
    if strangers:
        others = several(nation(one) for one in strangers)
        return Rejected(Code.NOT_YOUR_ACT, Say("These nations do not act now: {nations}.", nations=others))
    peaceful = war_faults(state, command.attack, command.spent)
    if peaceful:
        return Rejected("not_at_war", sentences(peaceful))
    known = {spent.number for spent in shareable(own)}
    late = bool(command.shared) and any(d.result is not None for d in own.attacks)
    if not late and not set(command.shared) <= known:
        return Rejected(Code.BAD_VALUE, Say("That supply cannot support another attack."))
    faults = declared_faults(state, command.attack, command.spent, command.shared)
    if faults:
        return Rejected("illegal_attack", sentences(faults))
    attack = replace(judged(state, command.attack), supplies=len(command.spent) + len(command.shared))
    number = len(own.attacks) + 1
    events: list[Event] = [cm.AttackDeclared(number, attack, command.spent, command.shared)]
    events += _to_boxes(state, command.spent, "supply_spent")
    return Accepted(tuple(events))


def _to_boxes(state: GameState, units: Iterable[Unit], why: str, *, is_used: bool = True) -> list[Event]:
    """Put units into their boxes: those that can be replaced, and not the one-use Landing Craft once it was used."""
    own = slice_of(state)
    one_use = is_used and (says(state, "one_use", "removed") or says(state, "one_use", "landing"))
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


def _open_in_combat(state: GameState, number: int, elsewhere: Say) -> Declared | Rejected:
    """Return an attack that can be fought now, or why there is none; `elsewhere` says it of another phase."""
    if state.step.phase != "attack":
        return Rejected("other_phase", elsewhere)
    return open_attack(slice_of(state), number) or Rejected("attack_over", _not_open(number))


def _not_open(number: int) -> Say:
    return Say("Attack {n} is not open.", n=number)


def drop(state: GameState, command: cm.DropAttack) -> Decision:
    """Give an attack up."""
    if open_attack(slice_of(state), command.attack) is None:
        return Rejected("attack_over", _not_open(command.attack))
    return Accepted((cm.AttackDropped(command.attack),))


def retreat_before(state: GameState, command: cm.RetreatBefore) -> Decision:
    """Let units of value 0 leave before the combat, a ship with its cargo; with the last of them the area is taken.

    Source: The Soft Underbelly, Retreat Before Combat; Convoys and Landing Craft
    """
    declared = _open_in_combat(
        state, command.attack, Say("Units leave before a combat only in the combat phase.")
    )
    if isinstance(declared, Rejected):
        return declared
    if not command.units:
        return Rejected(Code.BAD_VALUE, Say("Choose who leaves before the combat."))
    able = list(verdict(declared.attack, slice_of(state).tables).may_retreat_before)
    cargo = [unit for unit in declared.attack.defenders if unit.loaded]
    berths = sum(unit.kind in LIFTS for unit in command.units)
    aboard = sum(unit.loaded for unit in command.units)
    for unit in command.units:
        there = cargo if unit.loaded else able
        if unit not in there or aboard > berths:
            return Rejected(
                "may_not_retreat", Say("{unit} may not leave before this combat.", unit=called(unit))
            )
        there.remove(unit)
    # Cargo goes with the ship that carries it: what is left has a ship each.
    ships = sum(unit.kind in LIFTS for unit in declared.attack.defenders) - berths
    sails = cargo[: max(0, len(cargo) - ships)]
    return Accepted((cm.RetreatedBefore(command.attack, (*command.units, *sails)),))


def resolve(state: GameState, command: cm.ResolveAttack) -> Decision:
    """Fight a declared attack: losses, retreats, advance, and what the attackers lose."""
    declared = _open_in_combat(state, command.attack, Say("Attacks are fought in the combat phase."))
    if isinstance(declared, Rejected):
        return declared
    own, attack = slice_of(state), declared.attack
    found = verdict(attack, own.tables)
    is_empty = not attack.defenders
    chosen = Removal((), 0, attack.defenders)
    if found.wins:
        if command.choice is None or not 0 <= command.choice < len(found.removals):
            why = Say.counted(
                "Choose what the defender loses, at least {loss}. There is {n} way.",
                "Choose what the defender loses, at least {loss}. There are {n} ways.",
                len(found.removals),
                loss=found.difference,
            )
            return Rejected("choose_losses", why)
        chosen = found.removals[command.choice]
    elif command.choice is not None:
        why = Say(
            "{attack} against {defence}: the attack fails and nobody is lost.",
            attack=found.attack_value,
            defence=found.defence_value,
        )
        return Rejected(Code.BAD_VALUE, why)
    stray = _stray(chosen.retreating, command.lost_in_retreat)
    if stray is not None:
        return Rejected(Code.BAD_VALUE, Say("{unit} does not retreat.", unit=called(stray)))
    is_taken = is_empty or (found.wins and not chosen.staying)
    fighting = attack.attackers if is_empty else found.fighting
    advance = advance_of(attack, fighting, chosen.staying, own.tables) if is_taken else None
    fault = advance_fault(attack, advance, command.advance, own.tables)
    if fault is not None:
        return Rejected("no_advance", fault)
    return Accepted(_resolved(state, command, declared, found, chosen, is_taken=is_taken))


def _stray(retreating: tuple[Unit, ...], lost: tuple[Unit, ...]) -> Unit | None:
    left = list(retreating)
    for unit in lost:
        if unit not in left:
            return unit
        left.remove(unit)
    return None


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
        is_one_use=says(state, "one_use", "landing"),
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
        return Rejected("attack_over", Say("Attack {n} has not been fought.", n=command.attack))
    if command.unit not in declared.result.overstacked.get(command.origin, ()):
        why = Say(
            "{unit} does not overstack this area: {area}.",
            unit=called(command.unit),
            area=Typed(command.origin),
        )
        return Rejected(Code.BAD_VALUE, why)
    cleared = cm.OverstackCleared(command.attack, command.origin)
    return Accepted((cleared, *_to_boxes(state, (command.unit,), "overstacked")))

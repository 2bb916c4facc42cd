"""Dice, losses and orders of a North Africa combat, as views of the Combat screen."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement

import msgspec

from companion.core.dice import DiceOrigin, DiceSource
from companion.core.state import GameState
from companion.games.aana.pages.combat_view import CombatRow, CombatView, Draft, VolleyLine
from companion.games.aana.pages.declare import payers
from companion.games.aana.pages.luck import luck_text
from companion.games.aana.pages.words import (
    kind_name,
    power_name,
    space_name,
    supply_text,
    unit_word,
)
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.casualties import TRANSPORT, Cargo
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, FACES, Volley, arena_of, strikers
from companion.games.aana.rules.fight import DICE_STAGES, Fight, VolleyRoll, firing, kind_key
from companion.games.aana.rules.fight_dice import aim_types, expected_volleys, raid_tokens, rolled
from companion.games.aana.rules.fight_losses import loser, proposed
from companion.games.aana.rules.figures import enemy_of
from companion.games.aana.rules.ledger import acting_side, figures, known_supply, ledger_of
from companion.games.aana.rules.rounds import exempt, needs_supply
from companion.pages.i18n import N_, _, ngettext

__all__ = ["aim_options", "cargo_lines", "dice_view", "losses_view", "orders_view", "throw"]

_AIMS: Mapping[str, str] = {
    "tanks": N_("may aim at tanks"),
    "air": N_("may aim at aircraft"),
    "land": N_("may aim at a land unit type"),
    "sea": N_("may aim at a sea unit type"),
}
_AT: Mapping[str, str] = {
    "tanks": N_("{n} at tanks"),
    "air": N_("{n} at aircraft"),
    "land": N_("{n} at the dearest land units"),
    "sea": N_("{n} at the dearest ships"),
}
_MOST_OPTIONS = 40


def dice_text(dice: int, need: int) -> str:
    """Return how many dice are rolled and what hits."""
    return ngettext("{dice} die at {n} or less", "{dice} dice at {n} or less", dice).format(dice=dice, n=need)


def _volley_text(fight: Fight, volley: Volley) -> tuple[str, str]:
    kinds = fight.kinds(firing(fight.stage))
    names = ", ".join(dict.fromkeys(unit_word(kinds[i].unit) for i in volley.kinds))
    head = dice_text(volley.dice, volley.need)
    extra = []
    if volley.reroll_from:
        extra.append(_("reroll {n} and above").format(n=volley.reroll_from))
    if volley.aim:
        extra.append(_(_AIMS[volley.aim]))
    if volley.supported:
        extra.append(_("{n} with artillery").format(n=volley.supported))
    if volley.reach == "no_air":
        extra.append(_("not aircraft"))
    if volley.reach == "no_sub":
        extra.append(_("not submarines"))
    return f"{names}: {head}", ", ".join(extra)


def dice_view(state: GameState, fight: Fight, draft: Draft, base: CombatView) -> CombatView:
    """Return the view of a dice stage: one line a volley, with what its hits are aimed at."""
    lines, rolls = [], []
    at = 0
    for number, volley in enumerate(expected_volleys(figures(state), fight)):
        text, sub = _volley_text(fight, volley)
        own = draft.values[at : at + volley.dice]
        at += volley.dice
        hits = _hits(volley, own)
        forced, named = _aimed(draft, number, hits)
        aim = _aim_text(volley, forced, named) if volley.aim and hits else ""
        if aim:
            text, sub = _volley_text(fight, msgspec.structs.replace(volley, aim=""))
        missing = (None,) * (volley.dice - len(own))
        lines.append(VolleyLine(text, sub, (*own, *missing), number, aim))
        rolls.append(VolleyRoll(own, forced if volley.aim and forced != hits else None, dict(named)))
    ready = len(draft.values) == at
    return replace(
        base,
        lead=_("Roll, then enter the dice"),
        volleys=tuple(lines),
        is_dice=True,
        main_text=_("Dice are right"),
        main_command=bm.RollFire(state.step.id, tuple(rolls), draft.origin) if ready else None,
        is_main_ready=ready,
        note=luck_text(fight),
    )


def _hits(volley: Volley, values: Sequence[int]) -> int:
    return sum(value <= volley.need for value in values)


def _aimed(draft: Draft, number: int, hits: int) -> tuple[int, Mapping[str, int]]:
    """Return (hits that are aimed, of these by named type): all of them unless the firer chose otherwise."""
    forced, named = draft.aims.get(number, (hits, {}))
    return (forced, named) if forced <= hits else (hits, {})


def _aim_text(volley: Volley, forced: int, named: Mapping[str, int]) -> str:
    rest = forced - sum(named.values())
    parts = [_("{n} at {unit}").format(n=n, unit=_type_word(unit)) for unit, n in named.items() if n]
    if rest:
        parts.append(_(_AT[volley.aim]).format(n=rest))
    return ", ".join(parts) or _("Not aimed: the owner chooses")


def _type_word(unit: str) -> str:
    return _("Transports") if unit == TRANSPORT else unit_word(unit)


def aim_options(
    state: GameState, fight: Fight, number: int, draft: Draft
) -> tuple[tuple[tuple[int, dict[str, int]], str], ...]:
    """Return how the hits of a volley may be aimed: (hits aimed, by named type) and its text."""
    book = figures(state)
    at = 0
    for i, volley in enumerate(expected_volleys(book, fight)):
        if i == number:
            break
        at += volley.dice
    hits = _hits(volley, draft.values[at : at + volley.dice])
    found: list[tuple[int, dict[str, int]]] = [(n, {}) for n in range(hits, -1, -1)]
    types = aim_types(book, fight, volley)
    if types:
        found = []
        for n in range(hits, 0, -1):
            for chosen in combinations_with_replacement(types, n):
                found.append((n, {unit: chosen.count(unit) for unit in dict.fromkeys(chosen)}))
        found = [*found[: _MOST_OPTIONS - 1], (0, {})]
    return tuple((option, _aim_text(volley, *option)) for option in found)


def throw(state: GameState, seed: int) -> bm.RollFire | None:
    """Return the dice of the current stage rolled by the program, rerolls carried out; None when none are due."""
    fight = bm.fight_of(state)
    if fight is None or fight.stage not in DICE_STAGES:
        return None
    dice = random.Random(seed)
    wanted = expected_volleys(figures(state), fight)
    rolls = tuple(VolleyRoll(rolled(volley, lambda: dice.randint(1, FACES))) for volley in wanted)
    return bm.RollFire(state.step.id, rolls, DiceOrigin(DiceSource.VIRTUAL, seed=seed))


def losses_view(state: GameState, fight: Fight, draft: Draft, base: CombatView) -> CombatView:
    """Return the view of hits that are paid: a counter a kind, and one a kind of reinforcement on transports."""
    left, cargo = proposed(figures(state), fight)
    role = loser(fight)
    kinds, before = fight.kinds(role), fight.counts(role)
    rows = []
    chosen: dict[str, int] = {}
    for i, kind in enumerate(kinds):
        if not before[i]:
            continue
        key = kind_key(kind)
        n = min(before[i], draft.counts.get(key, max(0, before[i] - left[i])))
        chosen[key] = n
        sub = _("{n} there").format(n=before[i])
        rows.append(CombatRow(key, kind_name(state, key, with_power=True), sub, count=n, most=before[i]))
    gone: dict[str, int] = {}
    if cargo.count != fight.cargo.count:
        cargo_rows, gone = cargo_lines(state, fight.cargo, cargo, draft)
        rows += cargo_rows
    hits = fight.hits.count
    who = base.attack_name if role == ATTACKER else base.defence_name
    lead = _("Losses for {side}: {hits}").format(
        side=who, hits=ngettext("{n} hit", "{n} hits", hits).format(n=hits)
    )
    command = bm.TakeLosses(state.step.id, chosen if draft.counts else None)
    if gone and draft.counts:
        command = bm.TakeLosses(state.step.id, chosen, {piece: n for piece, n in gone.items() if n})
    note = _("Two a hit: the owner picks one, the attacker names the type of the other") if gone else ""
    return replace(
        base,
        lead=lead,
        rows=tuple(rows),
        main_text=_("Take the losses"),
        main_command=command,
        note=note,
    )


def cargo_lines(
    state: GameState, before: Cargo, after: Cargo, draft: Draft
) -> tuple[list[CombatRow], dict[str, int]]:
    """Return counters for reinforcements at sea that go from one state to another, and what is chosen.

    Args:
        after: The proposal; it stands until a counter is moved.
    """
    units = {(p, u): n for p, u, n in after.units}
    tokens = dict(after.supply)
    rows: list[CombatRow] = []
    chosen: dict[str, int] = {}
    lines = [
        (
            f"{power}.{unit}",
            kind_name(state, f"{power}.{unit}", with_power=True),
            n,
            n - units.get((power, unit), 0),
        )
        for power, unit, n in before.units
    ]
    for power, n in before.supply:
        text = _("{power}: supply").format(power=power_name(state, power))
        lines.append((f"{power}.supply", text, n, n - tokens.get(power, 0)))
    for piece, text, there, usual in lines:
        count = min(there, draft.counts.get(f"cargo.{piece}", usual))
        sub = _("{n} on transports").format(n=there)
        rows.append(CombatRow(f"cargo.{piece}", text, sub, count=count, most=there))
        chosen[piece] = count
    return rows, chosen


def orders_view(state: GameState, fight: Fight, draft: Draft, base: CombatView) -> CombatView:
    """Return the view of step 1."""
    if fight.rules.domain == "sea":
        return _submarines_view(state, fight, draft, base)
    book, step = figures(state), state.step.id
    arena = arena_of(book, fight.rules, fight.attackers, fight.defenders)[0]
    rows: list[CombatRow] = [CombatRow("odds", _("Odds from here"), ask="odds")]
    most = raid_tokens(book, fight)
    there = known_supply(ledger_of(state), fight.space)
    raids: int | None = None
    if most:
        raids = min(most, draft.counts.get("raid", most))
        text = _("Supply that the attacker destroys first")
        rows.append(CombatRow("raid", text, _("Scout cars one, bombers one"), count=raids, most=most))
    costs = needs_supply(arena, fight.d)
    retreat = bm.GiveOrders(step, fight=False, raids=raids)
    rows.append(
        CombatRow("retreat", _("Retreat"), _("Leave after the attackers' fire, without firing"), retreat)
    )
    free = exempt(arena)
    if costs and any(n and ok for n, ok in zip(fight.d, free, strict=True)):
        text = _("Only units without need of supply fight")
        some = bm.GiveOrders(step, fight=False, exempt_fight=True, raids=raids)
        rows.append(CombatRow("exempt", text, command=some))
    if costs:
        for space, tokens in payers(state, fight.space, enemy_of(acting_side(state))):
            text = _("Fight with supply of {space}").format(space=space_name(state, space))
            command = bm.GiveOrders(step, supply_from=space, raids=raids)
            rows.append(CombatRow(f"from.{space}", text, supply_text(tokens), command))
    lead = _("Decision: {side}").format(side=base.defence_name)
    return replace(
        base,
        lead=lead if there is None else f"{lead} ({supply_text(there)})",
        rows=tuple(rows),
        main_text=_("Fight: pay 1 supply") if costs else _("Fight"),
        main_command=bm.GiveOrders(step, raids=raids),
    )


def _submarines_view(state: GameState, fight: Fight, draft: Draft, base: CombatView) -> CombatView:
    rows = [CombatRow("odds", _("Odds from here"), ask="odds")]
    diving: list[int] = []
    book = figures(state)
    arena = arena_of(book, fight.rules, fight.attackers, fight.defenders)[0]
    for key, text, able in (
        ("sub_a", _("Attacking submarines that submerge"), strikers(arena, ATTACKER, fight.a, fight.d)),
        ("sub_d", _("Defending submarines that submerge"), strikers(arena, DEFENDER, fight.d, fight.a)),
    ):
        counts = fight.a if key == "sub_a" else fight.d
        most = sum(counts[i] for i in able)
        diving.append(min(most, draft.counts.get(key, 0)))
        if most:
            sub = _("{n} may strike or submerge").format(n=most)
            rows.append(CombatRow(key, text, sub, count=diving[-1], most=most))
    return replace(
        base,
        lead=_("Submarines: strike or submerge, the attacker decides first"),
        rows=tuple(rows),
        main_text=_("Orders are given") if any(diving) else _("Submarines strike"),
        main_command=bm.GiveOrders(state.step.id, submerge_attack=diving[0], submerge_defence=diving[1]),
    )

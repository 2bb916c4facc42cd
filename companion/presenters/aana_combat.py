"""The Combat screen of North Africa: declaring attacks, then one combat stage by stage.

`combat_view` turns the state and what is being entered (`Draft`) into one frozen view. What a tap sends is in the
view: a row's or the main button's command, or the question that has to be asked first.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

from companion.core.change import Change
from companion.core.dice import DiceOrigin, DiceSource
from companion.core.state import GameState
from companion.games.aana import battle_messages as bm
from companion.games.aana.battle_end import advance_default
from companion.games.aana.casualties import Cargo
from companion.games.aana.combat import ATTACKER, Volley, arena_of
from companion.games.aana.fight import (
    DICE_STAGES,
    Fight,
    VolleyRoll,
    costs_of,
    expected_hits,
    expected_volleys,
    kind_key,
    loser,
    proposed,
    raid_tokens,
)
from companion.games.aana.figures import SIDE_OF, MissingFiguresError, enemy_of
from companion.games.aana.ledger import board, figures, known_supply, ledger_of, occupants, split
from companion.games.aana.rounds import UNLIMITED, exempt, needs_supply, press_cost
from companion.odds.aana import TooLargeError, exact_odds
from companion.presenters.aana_combat_view import CombatRow, CombatView, Draft, VolleyLine
from companion.presenters.aana_declare import (
    RESULTS,
    attack_rows,
    declare_view,
    list_view,
    mines_row,
    mines_view,
)
from companion.presenters.aana_words import (
    kind_name,
    pieces_text,
    power_name,
    space_name,
    supply_text,
    unit_word,
)
from companion.presenters.i18n import N_, _, ngettext

__all__ = [
    "combat_view",
    "luck_text",
    "odds_text",
    "retreat_command",
    "retreat_options",
    "throw",
]

_STAGES: Mapping[str, str] = {
    "air_defence": N_("Air defence"),
    "orders": N_("Orders"),
    "strike_attack": N_("Surprise strike, attacker"),
    "strike_defence": N_("Surprise strike, defender"),
    "attack": N_("Attacking units fire"),
    "defence": N_("Defending units fire"),
    "losses": N_("Losses"),
    "leave": N_("Retreat and escape"),
    "press": N_("Press or cease"),
    "over": N_("Combat over"),
}

_AIMS: Mapping[str, str] = {
    "tanks": N_("may aim at tanks"),
    "air": N_("may aim at aircraft"),
    "land": N_("may aim at a land unit type"),
    "sea": N_("may aim at a sea unit type"),
}


def combat_view(change: Change, draft: Draft) -> CombatView:
    """Return the view of the newest change."""
    state = change.state
    fight = bm.fight_of(state)
    if draft.mines is not None:
        return mines_view(state, draft)
    if fight is not None:
        return _fight_view(state, fight, draft)
    step = state.step
    if step.phase == "combat_move" and step.act == "declare":
        return declare_view(state, draft)
    if step.phase == "combat":
        return list_view(state)
    return CombatView(
        title=_("Combat"),
        lead=_("Attacks are declared in phase 3 and fought in phase 4."),
        rows=(*mines_row(state), *attack_rows(state, tap=False)),
        main_text=_("Back to the table"),
        key="idle",
    )


# One combat


def _fight_view(state: GameState, fight: Fight, draft: Draft) -> CombatView:
    attack = next(item for item in bm.battles_of(state).attacks if item.id == fight.attack)
    key = f"{fight.attack}.{fight.round_no}.{fight.stage}.{fight.fired_stage}.{len(fight.shots)}"
    mine = draft if draft.key == key else Draft(key=key)
    stage = _(_STAGES[fight.stage])
    title = f"{space_name(state, fight.space)} · {_('Round {n}').format(n=fight.round_no)} · {stage}"
    side = SIDE_OF[attack.power]
    base = CombatView(
        title=title,
        attackers=_force(state, fight, attacking=True),
        defenders=_force(state, fight, attacking=False),
        attack_name=power_name(state, attack.power),
        defence_name=_("Axis") if side == "allies" else _("Allies"),
        attack_side=side,
        key=key,
    )
    if fight.stage in DICE_STAGES:
        return _dice_view(state, fight, mine, base)
    maker = {
        "losses": _losses_view,
        "orders": _orders_view,
        "leave": _leave_view,
        "press": _press_view,
        "over": _over_view,
    }[fight.stage]
    return maker(state, fight, mine, base)


def _force(state: GameState, fight: Fight, *, attacking: bool) -> str:
    kinds = fight.attackers if attacking else fight.defenders
    counts = fight.a if attacking else fight.d
    lines = [f"{n} {kind_name(state, kind_key(kind))}" for kind, n in zip(kinds, counts, strict=True) if n]
    if not attacking and fight.cargo.count:
        lines.append(_cargo_text(fight.cargo))
    return ", ".join(lines) or "–"


def _cargo_text(cargo: Cargo) -> str:
    units = [f"{n} {unit_word(unit)}" for _power, unit, n in cargo.units]
    if cargo.tokens:
        units.append(supply_text(cargo.tokens))
    return _("on transports: {units}").format(units=", ".join(units))


def _volley_text(fight: Fight, volley: Volley) -> tuple[str, str]:
    attacks = fight.stage in ("strike_attack", "attack")
    kinds = fight.attackers if attacks else fight.defenders
    names = ", ".join(dict.fromkeys(unit_word(kinds[i].unit) for i in volley.kinds))
    head = _("{dice} dice at {n} or less").format(dice=volley.dice, n=volley.need)
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


def _dice_view(state: GameState, fight: Fight, draft: Draft, base: CombatView) -> CombatView:
    wanted = expected_volleys(figures(state), fight)
    lines = []
    at = 0
    for volley in wanted:
        text, sub = _volley_text(fight, volley)
        own = draft.values[at : at + volley.dice]
        lines.append(VolleyLine(text, sub, (*own, *(None for _n in range(volley.dice - len(own))))))
        at += volley.dice
    ready = len(draft.values) == at
    rolls = []
    at = 0
    for volley in wanted:
        rolls.append(VolleyRoll(draft.values[at : at + volley.dice]))
        at += volley.dice
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


def throw(state: GameState, seed: int) -> bm.RollFire | None:
    """Return the dice of the current stage rolled by the program, rerolls carried out; None when none are due."""
    fight = bm.fight_of(state)
    if fight is None or fight.stage not in DICE_STAGES:
        return None
    dice = random.Random(seed)
    rolls = []
    for volley in expected_volleys(figures(state), fight):
        values = []
        for _n in range(volley.dice):
            value = dice.randint(1, 10)
            again = False
            while volley.reroll_from and value >= volley.reroll_from and not (volley.reroll_once and again):
                value, again = dice.randint(1, 10), True
            values.append(value)
        rolls.append(VolleyRoll(tuple(values)))
    return bm.RollFire(state.step.id, tuple(rolls), DiceOrigin(DiceSource.VIRTUAL, seed=seed))


def _losses_view(state: GameState, fight: Fight, draft: Draft, base: CombatView) -> CombatView:
    left, cargo = proposed(figures(state), fight)
    attacking = loser(fight) == ATTACKER
    kinds = fight.attackers if attacking else fight.defenders
    before = fight.a if attacking else fight.d
    rows = []
    chosen: dict[str, int] = {}
    for i, kind in enumerate(kinds):
        if not before[i]:
            continue
        key = kind_key(kind)
        usual = max(0, before[i] - left[i])
        n = min(before[i], draft.counts.get(key, usual))
        chosen[key] = n
        rows.append(
            CombatRow(
                key,
                kind_name(state, key, with_power=True),
                _("{n} there").format(n=before[i]),
                count=n,
                most=before[i],
            )
        )
    if cargo.count != fight.cargo.count:
        rows.append(CombatRow("cargo", _("Transports lose"), _lost_text(fight.cargo, cargo)))
    hits = fight.hits.count
    who = base.attack_name if attacking else base.defence_name
    return replace(
        base,
        lead=_("{side} pays {hits}").format(
            side=who, hits=ngettext("{n} hit", "{n} hits", hits).format(n=hits)
        ),
        rows=tuple(rows),
        main_text=_("Take the losses"),
        main_command=bm.TakeLosses(state.step.id, chosen if draft.counts else None),
    )


def _lost_text(before: Cargo, after: Cargo) -> str:
    units = {(p, u): n for p, u, n in after.units}
    lost = [
        f"{n - units.get((p, u), 0)} {unit_word(u)}" for p, u, n in before.units if n > units.get((p, u), 0)
    ]
    if before.tokens > after.tokens:
        lost.append(supply_text(before.tokens - after.tokens))
    return ", ".join(lost)


def _orders_view(state: GameState, fight: Fight, _draft: Draft, base: CombatView) -> CombatView:
    book, step = figures(state), state.step.id
    arena = arena_of(book, fight.rules, fight.attackers, fight.defenders)[0]
    rows: list[CombatRow] = [CombatRow("odds", _("Odds from here"), ask="odds")]
    if fight.rules.domain == "sea":
        subs = sum(n for kind, n in zip(fight.attackers, fight.a, strict=True) if kind.unit == "submarine")
        foes = sum(n for kind, n in zip(fight.defenders, fight.d, strict=True) if kind.unit == "submarine")
        if subs:
            rows.append(
                CombatRow(
                    "sub_a",
                    _("Attacking submarines submerge"),
                    command=bm.GiveOrders(step, submerge_attack=subs),
                )
            )
        if foes:
            rows.append(
                CombatRow(
                    "sub_d",
                    _("Defending submarines submerge"),
                    command=bm.GiveOrders(step, submerge_defence=foes),
                )
            )
        return replace(
            base,
            lead=_("Submarines: strike or submerge, the attacker decides first"),
            rows=tuple(rows),
            main_text=_("Submarines strike"),
            main_command=bm.GiveOrders(step),
        )
    costs = needs_supply(arena, fight.d)
    there = known_supply(ledger_of(state), fight.space)
    rows.append(
        CombatRow(
            "retreat",
            _("Retreat"),
            _("Leave after the attackers' fire, without firing"),
            bm.GiveOrders(step, fight=False),
        )
    )
    free = exempt(arena)
    mixed = costs and any(n and ok for n, ok in zip(fight.d, free, strict=True))
    if mixed:
        text = _("Only units without need of supply fight")
        rows.append(CombatRow("exempt", text, command=bm.GiveOrders(step, fight=False, exempt_fight=True)))
    if costs:
        for space, tokens in ledger_of(state).supply.items():
            if space != fight.space and tokens and board(state).type_of(space) == "land":
                text = _("Fight with supply of {space}").format(space=space_name(state, space))
                command = bm.GiveOrders(step, supply_from=space)
                rows.append(CombatRow(f"from.{space}", text, supply_text(tokens), command))
    raid = raid_tokens(book, fight)
    if raid:
        text = _("Fight, and the attacker spares the supply")
        rows.append(CombatRow("spare", text, command=bm.GiveOrders(step, raids=0)))
    have = "" if there is None else supply_text(there)
    main = _("Fight: pay 1 supply") if costs else _("Fight")
    lead = _("{side} decides").format(side=base.defence_name)
    return replace(
        base,
        lead=f"{lead} ({have})" if have else lead,
        rows=tuple(rows),
        main_text=main,
        main_command=bm.GiveOrders(step),
    )


def _leave_view(state: GameState, fight: Fight, _draft: Draft, base: CombatView) -> CombatView:
    step = state.step.id
    going = {
        f"{kind.power}.{kind.unit}": n for kind, n in zip(fight.defenders, fight.retreating, strict=True) if n
    }
    if not going:
        return replace(
            base,
            lead=_("One transport escapes with up to two units or fives of supply"),
            rows=(CombatRow("odds", _("Odds from here"), ask="odds"),),
            main_text=_("The dearest two escape"),
            main_command=bm.LeaveCombat(step),
        )
    rows = [CombatRow("where", _("Choose where they go"), pieces_text(state, going), ask="retreat")]
    lost = bm.LeaveCombat(step, {}) if not fight.rules.can_retreat else None
    return replace(
        base,
        lead=_("Retreat to a friendly or neutral territory that land units did not attack"),
        rows=tuple(rows),
        main_text=_("Nowhere to go: destroyed") if lost else _("Choose where they go"),
        main_command=lost,
        is_main_ready=lost is not None,
    )


def retreat_options(state: GameState, fight: Fight) -> tuple[tuple[str, str], ...]:
    """Return the territories that retreating units may be sent to, as far as the ledger can tell."""
    book, own, ledger = figures(state), board(state), ledger_of(state)
    attacked = {
        attack.space
        for attack in bm.battles_of(state).attacks
        for group in attack.groups
        for piece in group.units
        if book.row(*split(piece)[:2]).type == "land"
    }
    side = enemy_of(SIDE_OF[state.step.nation or "germany"])
    foe = enemy_of(side)
    found = []
    for row in own.territories():
        space = row.id
        hostile = SIDE_OF.get(ledger.control.get(space, "")) == foe or occupants(ledger, book, space, foe)
        if space in attacked or space == fight.space or hostile or row.owner:
            continue
        found.append((space, space_name(state, space)))
    return tuple(sorted(found, key=lambda option: option[1]))


def retreat_command(state: GameState, fight: Fight, space: str) -> bm.LeaveCombat:
    """Send every retreating unit to one territory."""
    going = {
        f"{kind.power}.{kind.unit}": n for kind, n in zip(fight.defenders, fight.retreating, strict=True) if n
    }
    return bm.LeaveCombat(state.step.id, {space: going})


def _press_view(state: GameState, fight: Fight, draft: Draft, base: CombatView) -> CombatView:
    book, step = figures(state), state.step.id
    arena = arena_of(book, fight.rules, fight.attackers, fight.defenders)[0]
    aside: dict[str, int] = {}
    rows = []
    left = []
    on_land = fight.rules.domain == "land"
    for kind, n in zip(fight.attackers, fight.a, strict=True):
        key = kind_key(kind)
        out = min(n, draft.counts.get(key, 0))
        left.append(n - out)
        if out:
            aside[key] = out
        if n and on_land and not fight.rules.must_press:
            rows.append(
                CombatRow(
                    key, kind_name(state, key), _("how many of {n} retreat").format(n=n), count=out, most=n
                )
            )
    first = [CombatRow("odds", _("Odds from here"), ask="odds")]
    if "reinforce_attacks" in state.frozen_setup.options.get("optional", ()) and on_land:
        first.append(CombatRow("join", _("Add units to the attack"), ask="join"))
    if not fight.rules.must_press:
        first.insert(0, CombatRow("cease", _("Cease the attack"), command=bm.Cease(step)))
    cost = press_cost(arena, tuple(left))
    paid = ", ".join(f"{space_name(state, origin)} {n}" for origin, n in cost.items() if n)
    return replace(
        base,
        lead=_("Supply: {places}").format(places=paid) if paid else _("No supply to pay"),
        rows=(*first, *rows),
        main_text=_("Press the attack"),
        main_command=bm.Press(step, aside),
        is_main_ready=any(left),
        note=luck_text(fight),
    )


def _over_view(state: GameState, fight: Fight, _draft: Draft, base: CombatView) -> CombatView:
    attack = next(item for item in bm.battles_of(state).attacks if item.id == fight.attack)
    lines = []
    if fight.leaves == "surrender":
        lines.append(CombatRow("surrender", _("The survivors surrender and join Free France")))
    if fight.result == "attacker" and fight.rules.domain == "land" and not attack.is_landing:
        moving = advance_default(state, fight, attack.power)
        for key, n in moving.items():
            lines.append(CombatRow(key, f"{n} {kind_name(state, key)}", _("moves in")))
        if moving and board(state).is_open_to_capture(fight.space):
            lines.append(
                CombatRow(
                    "marker",
                    _("Put your control marker on {space}").format(space=base.title.partition(" · ")[0]),
                )
            )
            for convoy in board(state).convoys_of(fight.space):
                opens = attack.power in convoy.powers or any(
                    SIDE_OF[p] == SIDE_OF[attack.power] for p in convoy.powers
                )
                text = (
                    _("Open the convoy route: two control markers")
                    if opens
                    else _("Close the convoy route: take the markers away")
                )
                lines.append(CombatRow(convoy.id, text, _(convoy.name)))
    return replace(
        base,
        lead=_(RESULTS[fight.result]),
        rows=tuple(lines),
        main_text=_("Conclude"),
        main_command=bm.Conclude(state.step.id),
        note=luck_text(fight),
    )


def luck_text(fight: Fight) -> str:
    """Return hits against expectation so far, by side."""
    parts = []
    for role, word in (("attacker", _("Attack")), ("defender", _("Defence"))):
        shots = [shot for shot in fight.shots if shot.role == role]
        if shots:
            hits = sum(shot.hits for shot in shots)
            mean = float(expected_hits(shots))
            parts.append(_("{side} {hits} hits, {mean:.1f} expected").format(side=word, hits=hits, mean=mean))
    return " · ".join(parts)


def odds_text(state: GameState, fight: Fight) -> str:
    """Return the odds of the combat from here on, or why there are none."""
    try:
        arena = arena_of(figures(state), fight.rules, fight.attackers, fight.defenders)[0]
        there = known_supply(ledger_of(state), fight.space)
        found = exact_odds(
            arena,
            fight.a,
            fight.d,
            cargo=fight.cargo,
            costs=costs_of(figures(state), fight.cargo),
            defence_supply=UNLIMITED if there is None else there,
        )
    except TooLargeError:
        return _("Too many kinds of pieces for exact odds")
    except MissingFiguresError as error:
        return _("Printed values are missing: {keys}").format(keys=", ".join(error.keys))
    chance = found.results
    return _("Defender gone {a}, attacker gone {d}, neither {n}; territory taken {c}").format(
        a=_percent(chance["attacker"] + chance["both"]),
        d=_percent(chance["defender"] + chance["both"]),
        n=_percent(chance["ceased"] + chance["stalemate"]),
        c=_percent(found.p_capture),
    )


def _percent(p: float) -> str:
    return f"{p:.0%}"

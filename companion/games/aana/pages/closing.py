"""Retreat and escape, pressing and the end of a North Africa combat, as views of the Combat screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from companion.core.state import GameState
from companion.games.aana.pages.combat_view import CombatRow, CombatView, Draft
from companion.games.aana.pages.declare import RESULTS, pay_rows
from companion.games.aana.pages.luck import luck_text
from companion.games.aana.pages.stages import cargo_lines
from companion.games.aana.pages.words import kind_name, pieces_text, space_name
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.battle_end import advance_able, advance_default
from companion.games.aana.rules.casualties import escape
from companion.games.aana.rules.combat import arena_of
from companion.games.aana.rules.combat_close import may_shelter, refuges, retreating, unopposed_raids
from companion.games.aana.rules.fight import Fight, costs_of, kind_key
from companion.games.aana.rules.figures import SIDE_OF, enemy_of
from companion.games.aana.rules.ledger import acting_side, board, figures, known_supply, ledger_of, room
from companion.games.aana.rules.rounds import press_cost
from companion.pages.i18n import _

__all__ = [
    "leave_view",
    "over_view",
    "press_view",
    "refuge_room",
    "retreat_options",
    "retreat_plan",
    "with_refuge",
]


def leave_view(state: GameState, fight: Fight, draft: Draft, base: CombatView) -> CombatView:
    """Return the view of step 4: who retreats where, or who escapes."""
    going = retreating(fight)
    return _retreat_view(state, going, draft, base) if going else _escape_view(state, fight, draft, base)


def _escape_view(state: GameState, fight: Fight, draft: Draft, base: CombatView) -> CombatView:
    behind, _away = escape(fight.cargo, costs_of(figures(state), fight.cargo))
    rows, chosen = cargo_lines(state, fight.cargo, behind, draft)
    command = bm.LeaveCombat(state.step.id)
    if draft.counts:
        command = bm.LeaveCombat(state.step.id, escape={piece: n for piece, n in chosen.items() if n})
    return replace(
        base,
        lead=_("One transport escapes with up to two units or fives of supply"),
        rows=(CombatRow("odds", _("Odds from here"), ask="odds"), *rows),
        main_text=_("They escape") if draft.counts else _("The dearest two escape"),
        main_command=command,
    )


def _retreat_view(state: GameState, going: dict[str, int], draft: Draft, base: CombatView) -> CombatView:
    step = state.step.id
    plan = retreat_plan(going, draft)
    rest = _unplaced(going, plan)
    rows: list[CombatRow] = []
    if rest:
        text = _("Choose where the others go") if plan else _("Choose where they go")
        rows.append(CombatRow("where", text, pieces_text(state, rest), ask="retreat"))
    for space, pieces in plan.items():
        for piece, n in pieces.items():
            most = n + rest.get(piece, 0)
            text = f"{space_name(state, space)}: {kind_name(state, piece)}"
            rows.append(CombatRow(f"to.{space}|{piece}", text, _("go there"), count=n, most=most))
    if rest:
        text = _("The others find no room: destroyed") if plan else _("Nowhere to go: destroyed")
        command = bm.LeaveCombat(step, plan, nowhere=True)
        rows.append(CombatRow("nowhere", text, pieces_text(state, rest), command))
    return replace(
        base,
        lead=_("Retreat to a friendly or neutral territory that land units did not attack"),
        rows=tuple(rows),
        main_text=_("Retreat"),
        main_command=None if rest else bm.LeaveCombat(step, plan),
        is_main_ready=not rest,
    )


def retreat_plan(going: Mapping[str, int], draft: Draft) -> dict[str, dict[str, int]]:
    """Return territory to the pieces that go there, as chosen so far."""
    found: dict[str, dict[str, int]] = {}
    for space, pieces in draft.plan.items():
        for piece, n in pieces.items():
            count = min(going.get(piece, 0), draft.counts.get(f"to.{space}|{piece}", n))
            if count:
                found.setdefault(space, {})[piece] = count
    return found


def _unplaced(going: Mapping[str, int], plan: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    left = {piece: n - sum(row.get(piece, 0) for row in plan.values()) for piece, n in going.items()}
    return {piece: n for piece, n in left.items() if n > 0}


def with_refuge(state: GameState, fight: Fight, draft: Draft, space: str) -> Draft:
    """Send all that has no place yet to a territory, as many as its limit takes."""
    going = retreating(fight)
    plan = retreat_plan(going, draft)
    rest = _unplaced(going, plan)
    left = refuge_room(state, space)
    sent: dict[str, int] = dict(plan.get(space, {}))
    left -= sum(sent.values())
    for piece, n in rest.items():
        count = min(n, max(0, left)) if may_shelter(state, piece, space) else 0
        if count:
            sent[piece] = sent.get(piece, 0) + count
            left -= count
    return replace(draft, plan={**plan, space: sent}, counts={})


def refuge_room(state: GameState, space: str) -> int:
    """Return how many units a territory still takes."""
    side = enemy_of(acting_side(state))
    return room(state, space, side)


def retreat_options(state: GameState, fight: Fight) -> tuple[tuple[str, str], ...]:
    """Return the territories that retreating units may be sent to, as far as the ledger and the borders tell."""
    going = retreating(fight)
    found = [
        (space, f"{space_name(state, space)}: {_('room for {n}').format(n=refuge_room(state, space))}")
        for space in refuges(state, fight.space)
        if any(may_shelter(state, piece, space) for piece in going)
    ]
    return tuple(sorted(found, key=lambda option: option[1]))


def press_view(state: GameState, fight: Fight, draft: Draft, base: CombatView) -> CombatView:
    """Return the view of step 5."""
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
        if n and on_land and not fight.rules.with_all:
            sub = _("how many of {n} retreat").format(n=n)
            rows.append(CombatRow(key, kind_name(state, key), sub, count=out, most=n))
    first = [CombatRow("odds", _("Odds from here"), ask="odds")]
    if "reinforce_attacks" in state.frozen_setup.options.get("optional", ()) and on_land:
        first.append(CombatRow("join", _("Add units to the attack"), ask="join"))
    if not fight.rules.must_press:
        first.insert(0, CombatRow("cease", _("Cease the attack"), command=bm.Cease(step)))
    cost = {origin: n for origin, n in press_cost(arena, tuple(left)).items() if n}
    if not fight.rules.must_press:
        first += pay_rows(state, cost, draft)
    paid = ", ".join(f"{space_name(state, origin)} {n}" for origin, n in cost.items())
    sources = {origin: source for origin, source in draft.pay.items() if origin in cost}
    return replace(
        base,
        lead=_("Supply: {places}").format(places=paid) if paid else _("No supply to pay"),
        rows=(*first, *rows),
        main_text=_("Press the attack"),
        main_command=bm.Press(step, aside, sources),
        is_main_ready=any(left),
        note=luck_text(fight),
    )


def over_view(state: GameState, fight: Fight, draft: Draft, base: CombatView) -> CombatView:
    """Return the view of step 6: who moves in, what is captured, what may still be destroyed."""
    attack = bm.attack_of(state, fight)
    rows: list[CombatRow] = []
    advance: dict[str, int] | None = None
    if fight.leaves == "surrender":
        rows.append(CombatRow("surrender", _("The survivors surrender and join Free France")))
    if fight.result == "attacker" and fight.rules.domain == "land" and not attack.is_landing:
        moving, able = advance_default(state, fight, attack.power), advance_able(state, fight)
        chosen = {key: min(n, draft.counts.get(key, moving.get(key, 0))) for key, n in able.items()}
        is_choice = sum(able.values()) > sum(moving.values()) and len(able) > 1
        for key, n in able.items():
            if is_choice:
                text, sub = kind_name(state, key), _("move in, of {n}").format(n=n)
                rows.append(CombatRow(key, text, sub, count=chosen[key], most=n))
            elif moving.get(key):
                rows.append(CombatRow(key, f"{moving[key]} {kind_name(state, key)}", _("moves in")))
        if is_choice and draft.counts:
            advance = chosen
        rows += _captured(state, fight, attack) if moving else []
    raids, most = 0, unopposed_raids(figures(state), fight)
    there = known_supply(ledger_of(state), fight.space)
    most = most if there is None else min(most, there)
    if most:
        raids = min(most, draft.counts.get("raid", 0))
        text = _("Supply that the attacker destroys")
        rows.append(CombatRow("raid", text, _("Scout cars one, bombers one"), count=raids, most=most))
    lead = _(RESULTS[fight.result])
    if advance is not None:
        lead = _("{n} must move in").format(n=sum(advance_default(state, fight, attack.power).values()))
    return replace(
        base,
        lead=lead,
        rows=tuple(rows),
        main_text=_("Conclude"),
        main_command=bm.Conclude(state.step.id, advance, raids=raids),
        note=luck_text(fight),
    )


def _captured(state: GameState, fight: Fight, attack: bm.Attack) -> list[CombatRow]:
    if not board(state).is_open_to_capture(fight.space):
        return []
    space = space_name(state, fight.space)
    rows = [CombatRow("marker", _("Put your control marker on {space}").format(space=space))]
    for convoy in board(state).convoys_of(fight.space):
        opens = any(SIDE_OF[power] == SIDE_OF[attack.power] for power in convoy.powers)
        text = (
            _("Open the convoy route: two control markers")
            if opens
            else _("Close the convoy route: take the markers away")
        )
        rows.append(CombatRow(convoy.id, text, _(convoy.name)))
    return rows

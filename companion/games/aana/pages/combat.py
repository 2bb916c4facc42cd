"""The Combat screen of North Africa: declaring attacks, then one combat stage by stage.

`combat_view` turns the state and what is being entered (`Draft`) into one frozen view. What a tap sends is in the
view: a row's or the main button's command, or the question that has to be asked first.
"""

from __future__ import annotations

import dataclasses

from msgspec.structs import replace

from companion.core.change import Change
from companion.core.state import GameState
from companion.core.text import Name
from companion.games.aana.pages.closing import leave_view, over_view, press_view
from companion.games.aana.pages.combat_view import CombatView, Draft
from companion.games.aana.pages.declare import attack_rows, declare_view, list_view, mines_row, mines_view
from companion.games.aana.pages.stages import dice_view, losses_view, orders_view
from companion.games.aana.pages.words import kind_name, power_name, space_name, supply_text, unit_word
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.casualties import Cargo
from companion.games.aana.rules.fight import DICE_STAGES, Fight, kind_key
from companion.games.aana.rules.figures import SIDE_OF
from companion.pages.i18n import _
from companion.pages.speak import speak

__all__ = ["combat_view"]


def combat_view(change: Change, draft: Draft) -> CombatView:
    """Return the view of the newest change."""
    view = _view(change.state, draft)
    is_paused = change.state.clocks.is_paused and change.state.ending is None
    # The main button of an act resumes first, and says so.
    return dataclasses.replace(view, main_text=_("Resume")) if view.ends_act and is_paused else view


def _view(state: GameState, draft: Draft) -> CombatView:
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
    attack = bm.attack_of(state, fight)
    key = f"{fight.attack}.{fight.round_no}.{fight.stage}.{fight.fired_stage}.{len(fight.shots)}"
    mine = draft if draft.key == key else Draft(key=key)
    stage = speak(Name("fight_stage", fight.stage), game="aana")
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
        return dice_view(state, fight, mine, base)
    maker = {
        "losses": losses_view,
        "orders": orders_view,
        "leave": leave_view,
        "press": press_view,
        "over": over_view,
    }[fight.stage]
    return maker(state, fight, mine, base)


def _force(state: GameState, fight: Fight, *, attacking: bool) -> str:
    """Return a side's pieces as one line, land units by the territory that they attack from."""
    kinds = fight.attackers if attacking else fight.defenders
    counts = fight.a if attacking else fight.d
    places: dict[str, list[str]] = {}
    for kind, n in zip(kinds, counts, strict=True):
        if n:
            text = f"{n} {kind_name(state, kind_key(replace(kind, origin='')))}"
            places.setdefault(kind.origin, []).append(text)
    many = len([origin for origin in places if origin]) > 1
    lines = [
        f"{space_name(state, origin)} {', '.join(units)}" if origin and many else ", ".join(units)
        for origin, units in sorted(places.items(), key=lambda item: not item[0])
    ]
    if not attacking and fight.cargo.count:
        lines.append(_cargo_text(fight.cargo))
    return "; ".join(lines) or "–"


def _cargo_text(cargo: Cargo) -> str:
    units = [f"{n} {unit_word(unit)}" for _power, unit, n in cargo.units]
    if cargo.tokens:
        units.append(supply_text(cargo.tokens))
    return _("on transports: {units}").format(units=", ".join(units))

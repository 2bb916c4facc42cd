"""The Combat screen of North Africa: declaring attacks, then one combat stage by stage."""

from __future__ import annotations

from dataclasses import replace

from companion.core.text import Say
from companion.games.aana.pages.closing import leave_page, over_page, press_page
from companion.games.aana.pages.declare import attack_rows, declare_page, list_page, mines_page, mines_row
from companion.games.aana.pages.draft import CombatDraft, fresh, stage_key
from companion.games.aana.pages.stages import dice_page, losses_page, orders_page
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.fight import DICE_STAGES
from companion.pages.page import Acts, Page, Rows, Shown, Sight
from companion.pages.parts import back_button

__all__ = ["combat_page"]

_STAGES = {
    "losses": losses_page,
    "orders": orders_page,
    "leave": leave_page,
    "press": press_page,
    "over": over_page,
}


def combat_page(sight: Sight) -> Shown:
    """Return what is fought, declared or set off now."""
    state, draft = sight.state, sight.entered(CombatDraft())
    fight, step = bm.fight_of(state), state.step
    if draft.mines is not None:
        return mines_page(sight, draft, draft.mines)
    if fight is not None:
        mine = fresh(draft, stage_key(fight))
        if fight.stage in DICE_STAGES:
            return dice_page(sight, fight, mine)
        speaks = sight.box is None or sight.box.settings.coach
        return _STAGES[fight.stage](state, fight, replace(mine, coach=speaks))
    if step.phase == "combat_move" and step.act == "declare":
        return declare_page(state, draft)
    if step.phase == "combat":
        return list_page(state)
    acts = Acts()
    rows = (*mines_row(state, acts), *attack_rows(state, acts, tap=False))
    page = Page(
        "idle",
        Say("Combat"),
        Say("Attacks are declared in phase 3 and fought in phase 4."),
        "muted",
        blocks=(Rows("attacks", rows, empty=Say("No attack was declared")),),
        main=back_button(acts),
    )
    return Shown(page, acts)

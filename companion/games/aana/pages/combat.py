"""The Combat screen of North Africa: declaring attacks, then one combat stage by stage."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from companion.core.state import GameState
from companion.core.text import Say, area
from companion.games.aana.pages.closing import leave_page, over_page, press_page
from companion.games.aana.pages.declare import attack_rows, declare_page, mines_page, mines_row
from companion.games.aana.pages.draft import CombatDraft, fresh, stage_key, take_up
from companion.games.aana.pages.outlook import outlook_page
from companion.games.aana.pages.stages import dice_page, losses_page, orders_page
from companion.games.aana.pages.tell import choose
from companion.games.aana.pages.waiting import list_page
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.fight import DICE_STAGES
from companion.pages.page import Act, Acts, Button, Page, Rows, Shown, Sight, Words
from companion.pages.parts import back_button, coach_is_on

__all__ = ["combat_page"]

_LISTS = ("declare", "list", "idle")
"""Keys of the pages that list attacks."""
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
    if draft.outlook and (fight is not None or draft.outlook != "fight"):
        return outlook_page(sight, draft)
    if draft.mines is not None:
        return mines_page(sight, draft, draft.mines)
    if fight is not None:
        mine = fresh(draft, stage_key(fight))
        if fight.stage in DICE_STAGES:
            return dice_page(sight, fight, mine)
        return _STAGES[fight.stage](state, fight, replace(mine, coach=coach_is_on(sight)))
    if step.phase == "combat_move" and step.act == "declare":
        return _with_odds(state, declare_page(state, draft))
    if step.phase == "combat":
        return _with_odds(state, list_page(state))
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
    return _with_odds(state, Shown(page, acts))


def _with_odds(state: GameState, shown: Shown) -> Shown:
    """Add the way to the odds of an attack that waits; of several it is asked which."""
    waiting = [attack for attack in bm.battles_of(state).attacks if not attack.result]
    looks: list[tuple[Act, Words]] = [
        (take_up(CombatDraft(outlook=str(attack.id))), area(attack.space)) for attack in waiting
    ]
    if not looks or shown.page.key not in _LISTS:
        return shown
    acts = Acts(shown.acts)
    act = looks[0][0] if len(looks) == 1 else choose("outlook", Say("Odds of which attack?"), looks)
    tool = Button(Say("Odds"), acts.put("outlook", act), "chart")
    return Shown(msgspec.structs.replace(shown.page, tools=(*shown.page.tools, tool)), acts)

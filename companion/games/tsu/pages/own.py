"""What a side of The Soft Underbelly sees and does on its own phone: its attacks, and the calendar."""

from __future__ import annotations

from companion.core.commands import Command, EnterPrintedValue, TickCheck
from companion.core.ids import Side
from companion.core.state import GameState
from companion.core.text import N_
from companion.games.tsu.pages.attack import attack_page
from companion.games.tsu.pages.calendar import calendar_page
from companion.games.tsu.rules import commands as cm
from companion.pages.modules import OwnPages
from companion.pages.page import ScreenEntry

__all__ = ["OWN"]

_ACTS = (
    cm.DeclareAttack,
    cm.DropAttack,
    cm.ResolveAttack,
    cm.ClearOverstack,
    cm.ReportHappening,
    cm.DeclareReorganization,
    TickCheck,
    EnterPrintedValue,
)


def may(state: GameState, side: Side, command: Command) -> bool:
    """Say whether a command is this side's own: what it attacks and reports, and its units that leave before a combat."""
    is_acting = side in state.step.owners
    if isinstance(command, cm.RetreatBefore):  # the defender's choice
        return not is_acting
    return is_acting and isinstance(command, _ACTS)


def can_act(state: GameState, side: Side, screen: str) -> bool:
    """Say whether a side can do anything on a page: it composes in its act, and looks whenever it likes."""
    return side in state.step.owners or screen in ("tsu_attack", "tsu_calendar")


OWN = OwnPages(
    screens=(
        ScreenEntry(key="tsu_attack", title=N_("Attack"), icon="battle", make=lambda: attack_page),
        ScreenEntry(key="tsu_calendar", title=N_("Calendar"), icon="control", make=lambda: calendar_page),
    ),
    may=may,
    can_act=can_act,
)

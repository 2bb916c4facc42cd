"""What is looked at and entered on the Battle screen and not sent yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
from msgspec.structs import replace

from companion.core.text import Say
from companion.games.sfw.rules.battle_losses import CHEAPEST, Policy
from companion.games.sfw.rules.battle_record import Progress
from companion.pages.page import Acts, Button, Draft

__all__ = ["BattleDraft", "all_battles", "edit", "enter", "look"]


class BattleDraft(msgspec.Struct, frozen=True):
    """Which battle and page are looked at, and what a finger has begun there."""

    battle: str = ""
    """Empty: the one at hand."""
    page: str = ""
    """``list``, ``where``, ``odds``, ``coach``, ``luck``, ``details`` or empty: what the battle's phase asks for."""
    after: tuple[str, ...] = ()
    """Battles that were there before one was declared: the new one is the one at hand."""
    tab: str = ""
    """Which units are composed: ``land``, ``sea``, ``air`` or ``support``."""
    is_taking: bool = False
    """A tap takes a unit out."""
    line: int = -1
    """Line of the roll list that dice are typed for."""
    typed: tuple[int, ...] = ()
    is_hits: bool = False
    """Only how many dice hit is entered, where the rules allow it; it stays so from group to group."""
    chosen: Mapping[str, int] = {}
    """``side.kind`` to how many are lost, or leave."""
    retreat_to: str = ""
    of: Progress | None = None
    """What was typed and chosen counts only while the battle stands so."""
    policy: Policy = CHEAPEST
    """How both sides choose casualties in the odds."""
    retreats: bool = False
    """Whether the units that may retreat do so in the odds."""
    coached: str = "attacking"
    """Whom the coach speaks to."""
    goal: str = "space"
    """What that side wants most of the battle."""
    wanted: int = 0
    """Percent for which the smallest force is looked for; 0: none is."""

    def at(self, progress: Progress | None) -> BattleDraft:
        """Return the draft without what was begun for a question that is answered."""
        if self.of == progress:
            return self
        return replace(self, of=progress, line=-1, typed=(), chosen={}, retreat_to="")


def edit(change: Callable[[BattleDraft], BattleDraft]) -> Draft[BattleDraft]:
    """Return an act that changes what is looked at."""
    return Draft(change, BattleDraft())


def look(**what: object) -> Draft[BattleDraft]:
    """Return an act that shows something else."""
    return edit(lambda draft: replace(draft, **what))


def all_battles(acts: Acts) -> Button:
    """Return the way to the list of battles."""
    return Button(Say("All battles"), acts.put("list", look(page="list")))


def enter(progress: Progress | None, change: Callable[[BattleDraft], BattleDraft]) -> Draft[BattleDraft]:
    """Return an act that changes what is entered for the question at hand."""
    return edit(lambda draft: change(draft.at(progress)))

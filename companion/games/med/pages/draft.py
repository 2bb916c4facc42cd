"""What is being entered on the Engagement screen: cards, an Operation, the print of a new card, dice, prizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.dice import DiceOrigin
from companion.core.ids import Side
from companion.games.med.rules.cards import NO_CAMP, NO_CARD, Camp, Card, CardNo, Element
from companion.pages.page import Act, Draft

__all__ = ["MedDraft", "cleared", "edit", "joined", "put"]


class MedDraft(msgspec.Struct, frozen=True):
    """What is being entered in a step and not sent yet."""

    number: str = ""
    """The card number as far as it is typed."""
    cards: tuple[CardNo, ...] = ()
    side: Camp = NO_CAMP
    bonus_on: Mapping[CardNo, CardNo] = {}
    admiral: str = ""
    bomb_on: CardNo = NO_CARD
    operation: CardNo = NO_CARD
    put_away: CardNo = NO_CARD
    is_second: bool = False
    """Advanced rules: the pad enters the Operation that is put away."""
    elements: tuple[Element, ...] = ()
    form: Card | None = None
    """The card whose print is being entered; what is not entered yet is None or empty."""
    at: int = 0
    """Which of its three values the next key sets."""
    is_frame_proposed: bool = False
    """The frame was filled in from the values, and nobody has tapped it."""
    effect: str = ""
    """The Storm card whose dice are being entered; empty: those of a value."""
    dice: tuple[int, ...] = ()
    origin: DiceOrigin = DiceOrigin()
    """Where the dice come from."""
    picks: Mapping[Side, CardNo] = {}
    """Player to the ship that his Supply card takes back."""
    shares: Mapping[CardNo, Side] = {}
    """Prize to the player who gets it."""


def edit(change: Callable[[MedDraft], MedDraft], then: Act | None = None) -> Draft[MedDraft]:
    """Return an act that changes what is being entered."""
    return Draft(change, MedDraft(), then)


def put(**values: Any) -> Draft[MedDraft]:
    """Return an act that puts values into what is being entered."""
    return edit(lambda d: replace(d, **values))


def cleared(then: Act | None = None) -> Draft[MedDraft]:
    """Return an act that drops what was entered."""
    return edit(lambda _draft: MedDraft(), then)


def joined(draft: MedDraft, number: CardNo) -> MedDraft:
    """Return the draft after a known card was entered or corrected: it joins those that are laid, or is the Operation."""
    draft = replace(draft, number="", form=None, is_frame_proposed=False)
    if number in (*draft.cards, draft.operation, draft.put_away):
        return draft
    if number[0] == "O":
        return replace(draft, operation=number, elements=())
    return replace(draft, cards=(*draft.cards, number))

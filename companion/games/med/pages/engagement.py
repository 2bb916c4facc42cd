"""The Engagement screen of the card game: from the Operation that is turned over to the trick and full hands."""

from __future__ import annotations

from companion.core.text import Say
from companion.games.med.pages.by_totals import totals_page
from companion.games.med.pages.card import card_form
from companion.games.med.pages.draft import MedDraft
from companion.games.med.pages.play import operation_page, play_page, reveal_page
from companion.games.med.pages.storms import effect_page
from companion.games.med.pages.table import columns, engagement_page, hand_rows
from companion.games.med.pages.trick import trick_page
from companion.games.med.rules.flow import PLAYS
from companion.games.med.rules.slice import known_cards, slice_of
from companion.pages.page import Acts, Button, Page, Shown, Sight
from companion.pages.parts import back_button

__all__ = ["med_page"]


def med_page(sight: Sight) -> Shown:
    """Return the form of a card that is being entered, the dice of a Storm card, or what the step asks for."""
    state, draft, acts = sight.state, sight.entered(MedDraft()), Acts()
    cards = known_cards(state)
    if not cards.keys() >= set(draft.cards):  # what a card is has been taken back by an undo
        draft = MedDraft(cards=tuple(number for number in draft.cards if number in cards))
    if draft.form is not None:
        return card_form(state, draft, draft.form)
    return Shown(_page(sight, acts, draft), acts)


def _page(sight: Sight, acts: Acts, draft: MedDraft) -> Page:
    state = sight.state
    own, act = slice_of(state), state.step.act
    if own.options.keep == "totals":
        return totals_page(state, acts)
    engagement = own.engagement
    if state.ending is not None or act in ("setup", "count"):
        lead = Say("Deal six cards to each player") if act == "setup" else Say("The piles are counted")
        main: Button | None = back_button(acts) if state.ending is not None else None
        return engagement_page(state, acts, columns(lead, hand_rows(state)), main=main)
    if act == "operation" or engagement is None:
        return operation_page(state, acts, draft)
    found = effect_page(sight, acts, engagement, draft)
    if found is not None:
        return found
    if act in PLAYS:
        return play_page(state, acts, engagement, draft)
    if act == "reveal":
        return reveal_page(state, acts, engagement, draft)
    if act == "trick":
        return trick_page(sight, acts, engagement, draft)
    lead = Say("Fill the hands in playing order")
    if act == "draw_cards" and own.options.players > 2:
        lead = Say("Each player draws one card, in playing order")
    return engagement_page(state, acts, columns(lead, hand_rows(state)))

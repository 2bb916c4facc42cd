"""The Engagement screen of the card game: from the Operation that is turned over to the trick and full hands.

`med_view` turns the state and what is being entered (`Draft`) into one frozen view. What taps lead to is in
`companion.games.med.pages.taps`.
"""

from __future__ import annotations

from companion.core.change import Change
from companion.games.med.pages.card import CardForm, remember
from companion.games.med.pages.draft import Draft, MedView
from companion.games.med.pages.play import operation_view, play_view, reveal_view
from companion.games.med.pages.rows import hand_rows, tally
from companion.games.med.pages.trick import trick_view
from companion.games.med.rules.flow import PLAYS
from companion.games.med.rules.slice import slice_of
from companion.pages.i18n import _
from companion.pages.labels import done_name

__all__ = ["med_view"]


def med_view(change: Change, draft: Draft) -> MedView:
    """Return the view of the newest change."""
    state = change.state
    step = state.step
    if draft.key != step.id:
        draft = Draft(key=step.id)
    if draft.form is not None:
        return _form_view(draft.form, step.id)
    own = slice_of(state)
    engagement = own.engagement
    if state.ending is not None or step.act in ("setup", "count"):
        return MedView(
            title=_("Engagement"),
            lead=_("Deal six cards to each player") if step.act == "setup" else _("The piles are counted"),
            rows=hand_rows(state),
            main_text=done_name(step.act, "med") if state.ending is None else "",
            key=step.id,
        )
    if step.act == "operation" or engagement is None:
        return operation_view(state, draft)
    if step.act in PLAYS:
        return play_view(state, engagement, draft)
    if step.act == "reveal":
        return reveal_view(state, engagement, draft)
    if step.act == "trick":
        return trick_view(state, engagement, draft)
    lead = (
        _("Each player draws one card, in playing order")
        if step.act == "draw_cards" and own.options.players > 2
        else _("Fill the hands in playing order")
    )
    return MedView(
        _("Engagement {n}").format(n=step.stage),
        lead,
        hand_rows(state),
        main_text=done_name(step.act, "med"),
        key=step.id,
        tally=tally(state),
    )


def _form_view(form: CardForm, key: str) -> MedView:
    command, missing = remember(form)
    return MedView(
        title=form.number,
        main_text=missing or _("Remember the card"),
        main_command=command,
        is_main_ready=command is not None,
        key=f"{key}.form",
        form=form,
    )

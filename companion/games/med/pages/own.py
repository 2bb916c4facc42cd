"""What a player of the card game sees and does on his own phone: his hand, the engagement, his pile."""

from __future__ import annotations

import re

import msgspec
from msgspec.structs import replace

from companion.core.commands import Command, EnterPrintedValue
from companion.core.ids import Side
from companion.core.state import GameState
from companion.core.text import N_, Say, Typed, Value, card
from companion.games.med.pages.card import LETTERS
from companion.games.med.pages.draft import MedDraft
from companion.games.med.pages.engagement import med_page
from companion.games.med.pages.piles import piles_page
from companion.games.med.pages.words import camp_mark, card_facts
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import NO_CAMP, CardNo
from companion.games.med.rules.flow import PLAYS
from companion.games.med.rules.slice import known_cards, slice_of, still_hidden
from companion.pages import page as pg
from companion.pages.modules import OwnPages

__all__ = ["OWN", "HandDraft", "hand_page", "held"]

_NUMBER = re.compile(rf"[{LETTERS.replace('O', '')}]\d\d")
_MOST = 20


class HandDraft(msgspec.Struct, frozen=True):
    """A player's note of his hand: no part of the game and in no log; kept beside it under the device key."""

    cards: tuple[CardNo, ...] = ()
    picked: tuple[CardNo, ...] = ()


def _put(**values: object) -> pg.Draft[HandDraft]:
    return pg.Draft(lambda draft: replace(draft, **values), HandDraft())


def held(state: GameState, player: str, draft: HandDraft) -> tuple[CardNo, ...]:
    """Return the cards of a note that its player still holds: those he laid are on the table, an undo gives them back."""
    own = slice_of(state)
    laid = {
        number
        for play in (own.engagement.plays if own.engagement is not None else ())
        for number in play.cards
        if play.player == player
    }
    piled = {one.card for pile in own.piles.values() for one in pile}
    return tuple(number for number in draft.cards if number not in laid | piled)


def hand_page(sight: pg.Sight) -> pg.Shown:
    """Return a player's hand, covered but while he looks; ticked cards are laid on the Engagement page."""
    state, player, draft, acts = sight.state, sight.viewer.seat, sight.entered(HandDraft()), pg.Acts()
    cards, known = held(state, player, draft), known_cards(state)
    picked = tuple(one for one in draft.picked if one in cards)

    def row(n: int, number: CardNo) -> pg.Item:
        is_on = number in picked
        turned = tuple(one for one in picked if one != number) if is_on else (*picked, number)
        facts: Value = card_facts(known[number]) if number in known else Say("Not entered yet")
        mark = camp_mark(known[number].side or NO_CAMP) if number in known else None
        act = acts.put(f"card.{n}", _put(picked=turned))
        return pg.Item(
            f"card.{n}", card(number), facts, mark=mark, act=act, facet=pg.Tick(is_on), is_secret=True
        )

    rows = pg.Rows("hand", tuple(row(n, one) for n, one in enumerate(cards)), empty=Say("No cards yet"))
    tools = [pg.Button(Say("Add cards"), acts.put("add", _ask_cards(cards)), "plus")]
    if picked:
        gone = _put(cards=tuple(one for one in cards if one not in picked), picked=())
        tools.append(pg.Button(Say("Put away"), acts.put("gone", gone)))
    why = _why_not(state, player, picked)
    lay = replace(_put(picked=()), then=pg.Go("med", MedDraft(cards=picked)))
    if why is None and not set(picked) <= set(known):
        why = Say("Enter the ticked cards on the Engagement page first")
    title = Say("Lay face down") if state.step.act == "play_hidden" else Say("Lay down")
    main = pg.Button(title, acts.put("lay", lay) if why is None else None, why_not=why)
    return pg.Shown(
        pg.Page(
            "hand",
            Say("Hand"),
            Say.counted("{n} card", "{n} cards", len(cards)),
            "muted",
            tools=tuple(tools),
            blocks=(rows,),
            main=main,
            is_private=True,
        ),
        acts,
    )


def _why_not(state: GameState, player: str, picked: tuple[CardNo, ...]) -> Say | None:
    if state.step.act not in PLAYS or player not in state.step.owners:
        return Say("It is not your act.")
    return None if picked else Say("Tick the cards to lay")


def _ask_cards(cards: tuple[CardNo, ...]) -> pg.Ask:
    field = pg.Field(
        "cards",
        Say("Card numbers"),
        "text",
        Say("Printed at the bottom right of the card, for example A02 X17"),
        most=80,
    )

    def answered(answers: pg.Answers) -> pg.Act:
        found = tuple(dict.fromkeys(answers["cards"].upper().replace(",", " ").split()))
        wrong = next((one for one in found if not _NUMBER.fullmatch(one)), None)
        if wrong is not None:
            return pg.Refuse(Say("{text} is no card number", text=Typed(wrong[:8])))
        if len({*cards, *found}) > _MOST:
            return pg.Refuse(Say("This is more than a hand holds"))
        return pg.Draft(
            lambda draft: replace(draft, cards=tuple(dict.fromkeys((*draft.cards, *found)))), HandDraft()
        )

    return pg.Ask(pg.Form("cards", Say("Add cards"), (field,)), answered)


def may(state: GameState, side: Side, command: Command) -> bool:
    """Say whether a command is this player's own: what is done in his act, and his own face-down cards at the reveal."""
    own = slice_of(state)
    if state.step.act == "reveal":
        hidden = still_hidden(own.engagement) if own.engagement is not None else ()
        if isinstance(command, cm.PlayHand | cm.DiscardHand):
            return command.player == side and side in hidden
        return isinstance(command, EnterPrintedValue) and side in hidden
    if isinstance(command, cm.LayStorm):
        return command.player == side
    if isinstance(command, cm.PlayHand | cm.DiscardHand) and command.player not in (None, side):
        return False
    return side in state.step.owners and isinstance(command, _OWN_ACTS)


_OWN_ACTS = (cm.TurnOver, cm.PlayHand, cm.DiscardHand, cm.UseEffect, cm.RollDice, EnterPrintedValue)


def can_act(state: GameState, side: Side, screen: str) -> bool:
    """Say whether a player can do anything on a page: his hand and his pile are always his."""
    return screen != "med" or side in state.step.owners or state.step.act == "reveal"


OWN = OwnPages(
    screens=(
        pg.ScreenEntry(key="hand", title=N_("Hand"), icon="card", make=lambda: hand_page, needs_game=False),
        pg.ScreenEntry(key="med", title=N_("Engagement"), icon="battle", make=lambda: med_page),
        pg.ScreenEntry(key="med_piles", title=N_("Piles"), icon="trophy", make=lambda: piles_page),
    ),
    may=may,
    kept={"hand": HandDraft},
    can_act=can_act,
)

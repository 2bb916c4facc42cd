"""What taps on the Engagement screen lead to: the next draft, commands, or the question that is asked first."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import msgspec

from companion.core.commands import Command, EnterPrintedValue
from companion.core.dice import DiceOrigin, joined
from companion.core.ids import Side
from companion.core.state import GameState
from companion.games.med.pages.card import form_for, known_storm
from companion.games.med.pages.draft import CAMERA, VIRTUAL, Ask, Draft, MedRow, Result
from companion.games.med.pages.rows import player_name
from companion.games.med.pages.trick import next_dice
from companion.games.med.pages.words import card_name, word
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import ELEMENTS, Card, plain, printed_key
from companion.games.med.rules.effects import (
    AT_END_OF_PLAY,
    EXPLOSION_AT_HOME,
    SIROCCO_PASSES,
    STORM_NUMBERS,
    WITH_A_PLAY,
)
from companion.games.med.rules.engagement import Engagement
from companion.games.med.rules.flow import PLAYS
from companion.games.med.rules.outcome import sharers
from companion.games.med.rules.slice import known_cards, slice_of, verdict
from companion.games.med.rules.storms import explosion_targets
from companion.games.med.rules.tricks import pickable
from companion.pages.dice import virtual_dice
from companion.pages.i18n import _

__all__ = ["answered", "card_entered", "chosen", "dice_entered", "rolled", "tapped"]


def card_entered(state: GameState, draft: Draft, number: str) -> Draft:
    """Return the draft after a whole card number was typed: known cards join it, unknown ones open their form."""
    draft = replace(draft, number="", key=state.step.id)
    card = known_cards(state).get(number)
    if state.step.act == "operation":
        if number[0] != "O":
            return draft
        if draft.is_second:  # put away unseen: its values are not needed
            return replace(draft, put_away=number, is_second=False)
        return (
            replace(draft, operation=number, elements=())
            if card
            else replace(draft, form=_form(state, number))
        )
    if number[0] == "O" or number in draft.cards:
        return draft
    if card is None:
        return replace(draft, form=_form(state, number))
    return replace(draft, cards=(*draft.cards, number))


def _form(state: GameState, number: str) -> Any:
    """Return a new card's form: a card played in the open fits the Operation's year."""
    form = form_for(number)
    engagement = slice_of(state).engagement
    if form.kind == "force" and engagement is not None and state.step.act in ("play", "play_again"):
        return replace(form, years=known_cards(state)[engagement.operation].years)
    return form


def chosen(draft: Draft, row: MedRow, value: Any) -> Draft:
    """Return the draft after a choice in a row."""
    if row.key == "elements":
        return replace(draft, elements=ELEMENTS if value == "all" else (value,))
    if row.key == "admiral":
        return replace(draft, admiral="" if draft.admiral == value else value)
    if row.key.startswith("share."):
        return replace(draft, shares={**draft.shares, row.key.removeprefix("share."): value})
    return replace(draft, side=value)


def tapped(state: GameState, draft: Draft, row: MedRow) -> Result:
    """Return what a tap on a row does."""
    if row.command is not None:
        return row.command
    own, cards = slice_of(state), known_cards(state)
    engagement = own.engagement
    if row.act == "operation":
        return replace(draft, form=form_for(row.key, cards[row.key]))
    if row.act == "second":
        return replace(draft, is_second=True, number="O")
    if engagement is None:
        return None
    forces = [n for n in draft.cards if n in cards and cards[n].kind == "force"]
    match row.act:
        case "card":
            options = (("drop", _("Take it back")), ("form", _("Correct its values")))
            return Ask(row.text, options, "card", row.key)
        case "bonus":
            return Ask(row.text, _named(cards, forces), "bonus", row.key)
        case "bomb":
            others = [n for n in engagement.lying() if cards[n].kind == "force"]
            return Ask(row.text, _named(cards, (*forces, *others)), "bomb", row.key)
        case "target":
            there = [n for n in (*engagement.lying(), engagement.operation) if n != row.key]
            return Ask(row.text, (*_named(cards, there), ("", _("It does not lie here"))), "target", row.key)
        case "invalid":
            return Ask(_("Which card is invalid?"), _named(cards, engagement.lying()), "invalid")
        case "pick":
            ships = pickable(engagement, cards, verdict(state, engagement))
            return Ask(row.text, (*_named(cards, ships), ("", _("None"))), "pick", row.key)
        case "share":
            players = sharers(engagement, verdict(state, engagement), own.options, cards)
            return Ask(row.text, tuple((p, player_name(state, p)) for p in players), "share", row.key)
        case "effect":
            return _effect_asked(state, engagement, row.key)
        case "storm":
            return Ask(_("Which Storm card?"), _storms(state, engagement), "storm")
    return None


def _named(cards: dict[str, Card], numbers: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple((n, card_name(n, cards)) for n in numbers)


def _storms(state: GameState, engagement: Engagement) -> tuple[tuple[Any, str], ...]:
    """Return the Storm cards that may be laid now: by the rulebook's list, or those that the table has entered."""
    cards = known_cards(state)
    known = {n: card.effect for n, card in cards.items() if card.kind == "storm"}
    if any(known_storm(n, state) for n in STORM_NUMBERS):
        known = {**STORM_NUMBERS, **known}
    own_play = state.step.act in PLAYS
    laid = {n for play in engagement.plays for n in play.cards}
    not_now = WITH_A_PLAY if own_play else (*WITH_A_PLAY, *AT_END_OF_PLAY)
    return tuple(
        (n, f"{n} {word('effect', effect)}")
        for n, effect in sorted(known.items())
        if effect not in not_now and n not in laid
    )


def _effect_asked(state: GameState, engagement: Engagement, effect: str) -> Result:
    cards = known_cards(state)
    if effect == "lost":
        bonuses = [n for n in engagement.lying() if cards[n].kind == "bonus"]
        return Ask(_("Which Bonus is cancelled?"), _named(cards, bonuses), "lost")
    return Ask(word("effect", effect), _faces(), effect, count=1 if effect == "sirocco" else 2)


def _faces() -> tuple[tuple[Any, str], ...]:
    faces = tuple((face, str(face)) for face in range(1, 7))
    return (*faces, (VIRTUAL, _("Roll for us")), (CAMERA, _("Read the dice")))


def answered(state: GameState, draft: Draft, ask: Ask, value: Any, seed: int) -> Result:
    """Return what an answer leads to.

    Args:
        seed: Chance from outside; used where the program rolls, and kept with the roll.
    """
    cards, step = known_cards(state), state.step
    match ask.act:
        case "card" if value == "form":
            return replace(draft, form=form_for(ask.key, cards[ask.key]))
        case "card":
            left = tuple(n for n in draft.cards if n != ask.key)
            return replace(draft, cards=left, admiral="", bomb_on="", bonus_on={}, side="")
        case "bonus":
            return replace(draft, bonus_on={**draft.bonus_on, ask.key: value})
        case "bomb":
            return replace(draft, bomb_on=value)
        case "target" if value:
            named = msgspec.structs.replace(cards[ask.key], victim=value)
            return EnterPrintedValue(printed_key(ask.key), plain(named))
        case "invalid":
            return cm.DropInvalid(value)
        case "pick":
            others = {p: c for p, c in draft.picks.items() if p != ask.key}
            return replace(draft, picks={**others, ask.key: value} if value else others)
        case "share":
            return replace(draft, shares={**draft.shares, ask.key: value})
        case "lost":
            return cm.UseEffect(step.id, "lost", card=value)
        case "sirocco" | "explosion":
            return _die_answered(state, ask, value, seed)
        case "cancel":
            return cm.UseEffect(step.id, "sirocco", ask.dice, Side(value), origin=ask.origin)
        case "hit":
            return _hit(state, ask, value, seed)
        case "storm" | "storm_by" | "storm_on":
            return _storm_answered(state, ask, value)
    return None


def _storm_answered(state: GameState, ask: Ask, value: Any) -> Result:
    """Ask who lays the Storm card and on what, then lay it; a card known by its number is remembered first."""
    engagement, cards = slice_of(state).engagement, known_cards(state)
    if engagement is None:
        return None
    number = value if ask.act == "storm" else ask.key
    card = cards.get(number) or known_storm(number, state)
    if card is None:
        return None
    if ask.act == "storm":
        title = _("{card}: who lays it?").format(card=f"{number} {word('effect', card.effect)}")
        players = tuple((p, player_name(state, p)) for p in engagement.order)
        if card.effect not in AT_END_OF_PLAY:
            return Ask(title, players, "storm_by", number)
        value = state.step.owners[0]
    kind = {"lost": "bonus", "bomb_alley": "force"}.get(card.effect, "")
    if ask.act != "storm_on" and kind:
        there = [n for n in engagement.lying() if cards[n].kind == kind]
        title = _("Which Bonus is cancelled?") if kind == "bonus" else _("Which Force card is doubled?")
        return Ask(title, _named(cards, there), "storm_on", number, also=value)
    by, on = (ask.also, value) if ask.act == "storm_on" else (value, "")
    lay = cm.LayStorm(state.step.id, Side(by), number, on)
    if number in cards:
        return lay
    return (EnterPrintedValue(printed_key(number), plain(card)), lay)


def _die_answered(state: GameState, ask: Ask, value: Any, seed: int) -> Result:
    dice, origin = (*ask.dice, value), ask.origin
    if value == VIRTUAL:
        thrown, chance = virtual_dice(seed, ask.count - len(ask.dice), 6)
        dice, origin = (*ask.dice, *thrown), joined(ask.origin, chance)
    elif isinstance(value, tuple):  # read from a photo
        dice = (*ask.dice, *value)
    if len(dice) < ask.count:
        return replace(ask, title=_("The second die"), options=_faces(), dice=dice, origin=origin)
    engagement = slice_of(state).engagement
    if engagement is None:
        return None
    if ask.act == "sirocco":
        if dice[0] >= SIROCCO_PASSES:
            return cm.UseEffect(state.step.id, "sirocco", dice, origin=origin)
        options = tuple((p, player_name(state, p)) for p in engagement.order)
        title = _("{die}: whose part is cancelled?").format(die=dice[0])
        return Ask(title, options, "cancel", dice=dice, origin=origin)
    _target, hit = explosion_targets(state, engagement, sum(dice))
    if len(hit) < 2:
        return cm.UseEffect(state.step.id, "explosion", dice, card="".join(hit), origin=origin)
    title = _("{total}: which card is destroyed?").format(total=sum(dice))
    by_chance = ((VIRTUAL, _("Draw one at random")),) if sum(dice) == EXPLOSION_AT_HOME else ()
    return Ask(title, (*_named(known_cards(state), hit), *by_chance), "hit", dice=dice, origin=origin)


def _hit(state: GameState, ask: Ask, value: Any, seed: int) -> Command | None:
    """Destroy a card; at 7 it is one of the player's own at random, which the program may draw."""
    engagement = slice_of(state).engagement
    if value == VIRTUAL and engagement is not None:
        _target, hit = explosion_targets(state, engagement, sum(ask.dice))
        value = random.Random(seed).choice(hit)
    return cm.UseEffect(state.step.id, "explosion", ask.dice, card=value, origin=ask.origin)


def dice_entered(
    state: GameState, draft: Draft, values: tuple[int, ...], origin: DiceOrigin | None = None
) -> Result:
    """Return the draft with more dice, or the roll once it is whole; more than are rolled are refused with None.

    Args:
        origin: Where the dice come from, when they are not typed.
    """
    card, element, count = next_dice(state)
    if not card or any(not 1 <= value <= 6 for value in values):
        return None
    dice = (*(draft.dice if draft.key == state.step.id else ()), *values)
    before = draft.origin if draft.key == state.step.id else DiceOrigin()
    source = before if origin is None else joined(before, origin)
    if len(dice) > count:
        return None
    if len(dice) < count:
        return replace(draft, dice=dice, origin=source, key=state.step.id)
    return cm.RollDice(state.step.id, card, element, dice, source)  # type: ignore[arg-type]


def rolled(state: GameState, seed: int) -> cm.RollDice | None:
    """Return the next value's dice rolled by the program; None when none are due."""
    card, element, count = next_dice(state)
    if not card:
        return None
    dice, origin = virtual_dice(seed, count, 6)
    return cm.RollDice(state.step.id, card, element, dice, origin)  # type: ignore[arg-type]

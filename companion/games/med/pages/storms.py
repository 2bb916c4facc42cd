"""Storm cards on the Engagement screen: laid at any moment, and what those on the table still have to do."""

from __future__ import annotations

import random

from msgspec.structs import replace

from companion.core.commands import EnterPrintedValue
from companion.core.dice import DiceOrigin
from companion.core.ids import Millis, Side
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, card, side
from companion.games.med.pages.card import known_storm
from companion.games.med.pages.draft import MedDraft, put
from companion.games.med.pages.table import (
    TakeDice,
    Tool,
    ask_card,
    carried_out,
    columns,
    dice_pad,
    engagement_page,
    open_cards,
    player_options,
    table_rows,
)
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import NO_CARD, CardNo, plain, printed_key
from companion.games.med.rules.effects import (
    AT_END_OF_PLAY,
    EXPLOSION_AT_HOME,
    SIROCCO_PASSES,
    STORM_NUMBERS,
    WITH_A_PLAY,
)
from companion.games.med.rules.engagement import Engagement
from companion.games.med.rules.flow import PLAYS
from companion.games.med.rules.slice import known_cards, storms_waiting
from companion.games.med.rules.storms import explosion_targets
from companion.games.med.rules.tricks import lost_waits
from companion.pages import page as pg
from companion.pages.rulings import ruling_tools

__all__ = ["effect_page", "effect_rows", "invalid_tool", "storm_tool"]

_HINTS: dict[str, Say] = {
    "sirocco": Say("Roll a die: 1-3 cancels a player's part, 4-6 passes it to the left"),
    "explosion": Say("Roll two dice: below 7 right, above 7 left, 7 yourself"),
    "lost": Say("Cancels any one Bonus"),
}
_DICE = {"sirocco": 1, "explosion": 2}
"""Effects that need dice, and how many."""


# Laying one


def storm_tool(state: GameState, engagement: Engagement) -> Tool | None:
    """Return the act that lays a Storm card at another moment; None once the dice roll."""
    return None if engagement.rolls else ("storm", Say("Storm card"), _ask_storm(state, engagement))


def invalid_tool(state: GameState, engagement: Engagement) -> Tool | None:
    """Return the act that takes an invalid card out; None while nothing lies there."""
    there: dict[tuple[CardNo, Side | None], pg.Words] = {}
    for number in open_cards(state, engagement):
        holders = engagement.holders(number)
        if len(holders) == 1:
            there[number, None] = card(number)
        else:  # laid twice by the table's error: one of the two is
            there |= {
                (number, of): Say("{card}, {player}", card=card(number), player=side(of)) for of in holders
            }
    if not there:
        return None
    found = tuple(there)
    options = tuple(pg.Item(str(n), there[one]) for n, one in enumerate(found))
    ask = pg.asked(
        "invalid", Say("Which card is invalid?"), options, lambda n: pg.Send(cm.DropInvalid(*found[int(n)]))
    )
    return "invalid", Say("Invalid card"), ask


def _ask_storm(state: GameState, engagement: Engagement) -> pg.Ask:
    """Ask which Storm card, who lays it and on what, and lay it; one known by its number is remembered first.

    Those of the rulebook's list are offered, or those that the table has entered.
    """
    cards = known_cards(state)
    known = {n: one for n, one in cards.items() if one.kind == "storm"}
    for number in STORM_NUMBERS:
        listed = known_storm(number, state)
        if listed is not None:
            known.setdefault(number, listed)
    laid = {n for play in engagement.plays for n in play.cards}
    not_now = WITH_A_PLAY if state.step.act in PLAYS else (*WITH_A_PLAY, *AT_END_OF_PLAY)
    there = open_cards(state, engagement)

    def lay(number: CardNo, by: str, on: CardNo = NO_CARD) -> pg.Act:
        send = pg.Send(cm.LayStorm(state.step.id, Side(by), number, on))
        if number in cards:
            return send
        return pg.Send(EnterPrintedValue(printed_key(number), plain(known[number])), then=send)

    def by_whom(number: CardNo, player: str) -> pg.Act:
        kind = {"lost": "bonus", "bomb_alley": "force"}.get(known[number].effect)
        if kind is None:
            return lay(number, player)
        title = Say("Which Bonus is cancelled?") if kind == "bonus" else Say("Which Force card is doubled?")
        on = [n for n in there if cards[n].kind == kind]
        return ask_card("storm_on", title, on, lambda n: lay(number, player, n))

    def chosen(number: CardNo) -> pg.Act:
        if known[number].effect in AT_END_OF_PLAY:
            return by_whom(number, state.step.owners[0])
        title = Say("{card}: who plays it?", card=_label(number, known[number].effect))
        return pg.asked("by", title, player_options(engagement.order), lambda player: by_whom(number, player))

    options = tuple(
        pg.Item(n, _label(n, one.effect))
        for n, one in sorted(known.items())
        if one.effect not in not_now and n not in laid
    )
    return pg.asked("storm", Say("Which Storm card?"), options, lambda n: chosen(CardNo(n)))


def _label(number: CardNo, effect: str) -> Say:
    return Say("{number} {name}", number=Typed(number), name=Name("effect", effect))


# What those on the table still have to do


_RULED = {"sirocco": "sirocco_reach", "explosion": "explosion_prize"}
"""The ruling that decides what an effect with dice does."""


def _waiting(state: GameState, engagement: Engagement) -> dict[str, pg.Words]:
    """Return every effect that is due, and how its line begins."""
    owners, found = state.step.owners, dict[str, pg.Words]()
    for player, _number, effect in storms_waiting(state, engagement):
        is_due = player in owners if effect == "sirocco" else True
        if effect == "lost":
            is_due = lost_waits(engagement, known_cards(state))
        if is_due:
            found[effect] = Say("{player}: {what}", player=side(player), what=Name("effect", effect))
    if engagement.sirocco is not None and engagement.sirocco in owners:
        found["sirocco"] = Say(
            "{player}: use the Sirocco that was passed on", player=side(engagement.sirocco)
        )
    return found


def effect_rows(state: GameState, acts: pg.Acts, engagement: Engagement) -> tuple[pg.Item, ...]:
    """Return what Storm cards on the table still have to do."""
    cards, step = known_cards(state), state.step.id
    bonuses = [n for n in open_cards(state, engagement) if cards[n].kind == "bonus"]
    cancel = ask_card(
        "lost",
        Say("Which Bonus is cancelled?"),
        bonuses,
        lambda n: pg.Send(cm.UseEffect(step, "lost", card=n)),
    )
    rows = []
    for effect, text in _waiting(state, engagement).items():
        act = put(effect=effect, dice=(), origin=DiceOrigin()) if effect in _DICE else cancel
        rows.append(pg.Item(effect, text, _HINTS[effect], act=acts.put(f"use.{effect}", act)))
    if engagement.sirocco is not None and engagement.sirocco in state.step.owners:
        unused = acts.put("put_away", pg.Send(cm.UseEffect(step, "sirocco", put_away=True)))
        rows.append(pg.Item("put_away", Say("Discard the Sirocco unused"), act=unused))
    return tuple(rows)


def effect_page(sight: pg.Sight, acts: pg.Acts, engagement: Engagement, draft: MedDraft) -> pg.Page | None:
    """Return the page that takes the dice of a Storm card; None where none are being entered."""
    state = sight.state
    text = _waiting(state, engagement).get(draft.effect) if draft.effect in _DICE else None
    if text is None:
        return None
    take = _sirocco(state, engagement) if draft.effect == "sirocco" else _explosion(state, engagement)
    pad, main, second, photo = dice_pad(sight, acts, draft, _DICE[draft.effect], take)
    hint = pg.Item("hint", _HINTS[draft.effect], state="muted")
    rows = (hint, *table_rows(state, engagement))
    page = engagement_page(state, acts, columns(text, rows, pad), main=main, key=draft.effect)
    leave = acts.put("leave", put(effect="", dice=(), origin=DiceOrigin()))
    ruled = ruling_tools(state, acts, (_RULED[draft.effect],))
    return replace(
        page,
        tools=(*page.tools, second, *photo, *ruled),
        second=pg.Button(Say("Back"), leave, "back"),
        back=leave,
    )


def _sirocco(state: GameState, engagement: Engagement) -> TakeDice:
    def take(dice: tuple[int, ...], origin: DiceOrigin) -> pg.Act:
        def use(player: str | None = None) -> pg.Act:
            on = Side(player) if player is not None else None
            return carried_out(cm.UseEffect(state.step.id, "sirocco", dice, on, origin=origin))

        if dice[0] >= SIROCCO_PASSES:
            return use()
        title = Say("{die}: whose part is cancelled?", die=dice[0])
        return pg.asked("cancel", title, player_options(engagement.order), use)

    return take


def _explosion(state: GameState, engagement: Engagement) -> TakeDice:
    """Return what becomes of an Explosion's dice; at 7 a card of the player's own is hit, which the program may draw."""

    def take(dice: tuple[int, ...], origin: DiceOrigin) -> pg.Act:
        _target, hit = explosion_targets(state, engagement, sum(dice))

        def use(number: CardNo) -> pg.Send:
            return carried_out(cm.UseEffect(state.step.id, "explosion", dice, card=number, origin=origin))

        def drawn(seed: Millis) -> pg.Act:
            return use(random.Random(seed).choice(hit))

        if len(hit) < 2:
            return use(hit[0] if hit else NO_CARD)
        title = Say("{total}: which card is destroyed?", total=sum(dice))
        more = ((Say("Draw one at random"), pg.At(drawn)),) if sum(dice) == EXPLOSION_AT_HOME else ()
        return ask_card("hit", title, hit, use, *more)

    return take

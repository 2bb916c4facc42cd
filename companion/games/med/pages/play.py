"""The Engagement screen while cards are laid: the Operation turned over, every player's play, the reveal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from companion.core.commands import EnterPrintedValue
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, card, several, side
from companion.games.med.pages.card import card_pad, half_typed
from companion.games.med.pages.draft import MedDraft, cleared, put
from companion.games.med.pages.storms import effect_rows, invalid_tool, storm_tool
from companion.games.med.pages.table import (
    ask_card,
    at_hand,
    columns,
    engagement_page,
    open_cards,
    table_rows,
)
from companion.games.med.pages.words import CAMPS, camp_mark, card_facts
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import (
    ELEMENTS,
    NO_CAMP,
    NO_CARD,
    CardNo,
    is_victim,
    plain,
    played_side,
    printed_key,
)
from companion.games.med.rules.effects import ADMIRALS, STORM_NUMBERS, WAITING
from companion.games.med.rules.engagement import Engagement, Play, admiral_of, side_of
from companion.games.med.rules.flow import round_of
from companion.games.med.rules.plays import faults_of, not_in_hand, second_missing, seen_before, would_drop
from companion.games.med.rules.slice import (
    again_done,
    known_cards,
    slice_of,
    still_hidden,
    storms_waiting,
)
from companion.games.med.rules.storms import laid_storms
from companion.pages import page as pg
from companion.pages.parts import end_button
from companion.pages.rulings import deciding, ruling_tools
from companion.pages.symbols import unit_symbol

__all__ = ["operation_page", "play_page", "reveal_page"]


def _one_of(acts: pg.Acts, field: str, title: pg.Words, options: dict[Any, pg.Words], now: Any) -> pg.Item:
    """Return a line that puts one of a few values into the draft; the value that holds is taken back by another tap."""

    def key(value: Any) -> pg.Item:
        state: pg.State = "chosen" if value == now else "plain"
        act = put(**{field: value if value != now or field != "admiral" else ""})
        return pg.Item(value, options[value], state=state, act=acts.put(f"{field}.{value}", act))

    return pg.Item(field, title, facet=pg.Keys(tuple(map(key, options))))


# The Operation


def operation_page(state: GameState, acts: pg.Acts, draft: MedDraft) -> pg.Page:
    """Return the page on which the top Operation is turned over."""
    own, cards = slice_of(state), known_cards(state)
    first = side(state.step.owners[0])
    engagement = at_hand(state)
    if engagement is not None:
        facts = pg.Item("operation", card_facts(cards[engagement.operation]))
        return engagement_page(state, acts, columns(Say("The Operation is face up"), (facts,)))
    found = cards.get(draft.operation)
    rows: list[pg.Item] = []
    types: tuple[pg.Item, ...] = ()
    note: pg.Words | None = half_typed(draft) or Say("Enter the Operation")
    if found is not None and found.kind == "operation":
        correct = acts.put("operation", put(form=found, at=0))
        rows.append(pg.Item("operation", card(found.number), card_facts(found), act=correct))
        note = None
        if not own.options.is_battle(found):
            types = _types(state, acts, draft)
            if not draft.elements:
                note = Say("{player} chooses what is fought", player=first)
        if own.options.advanced:
            second = card(draft.put_away) if draft.put_away else Say("tap, then enter its number")
            act = acts.put("second", put(is_second=True, number="O"))
            rows.append(pg.Item("second", Say("Other Operation drawn"), second, act=act))
        if own.options.advanced and not draft.put_away and note is None:
            note = second_missing()
        for number in (draft.operation, draft.put_away):
            if number in own.seen:
                note = seen_before(number)
    lead = Say("{player} turns over the top Operation", player=first)
    if own.options.advanced:
        lead = Say("{player} draws two Operations and keeps one", player=first)
    main = pg.Button(note or 0, why_not=note)
    if types and not draft.elements:
        lead = Say("{player} chooses what is fought", player=first)
    if note is None:
        command = cm.TurnOver(state.step.id, draft.operation, draft.elements, draft.put_away)
        main = pg.Button(Say("Open the engagement"), acts.put("open", pg.Send(command, then=pg.EndAct())))
    empty = Say("Enter the number printed at the bottom right of the card, for example O28")
    return engagement_page(
        state, acts, columns(lead, tuple(rows), card_pad(state, acts, draft), types, empty=empty), main=main
    )


def _types(state: GameState, acts: pg.Acts, draft: MedDraft) -> tuple[pg.Item, ...]:
    """Return what may be fought at an Operation that is no battle, each with its symbol."""

    def tile(kind: str, elements: tuple[str, ...]) -> pg.Item:
        name, words = ".".join(elements), Say("Combined") if elements == ELEMENTS else Name("element", kind)
        return pg.Item(
            name,
            words,
            symbol=unit_symbol(state, kind),
            state="chosen" if elements == draft.elements else "plain",
            act=acts.put(f"elements.{name}", put(elements=elements)),
        )

    return (*(tile(one, (one,)) for one in ELEMENTS), tile("combined", ELEMENTS))


# A play


def _play_of(state: GameState, engagement: Engagement, draft: MedDraft, player: Any, number: int) -> Play:
    """Return the play that a draft amounts to."""
    entered = next(filter(None, map(played_side, draft.cards)), NO_CAMP)
    return Play(
        player,
        number,
        draft.side or entered or side_of(engagement, player),
        draft.cards,
        dict(draft.bonus_on),
        draft.admiral,  # type: ignore[arg-type]
        draft.bomb_on,
        state.step.act == "play_again",
        admiral_of(draft.cards, known_cards(state)) if draft.admiral else NO_CARD,
    )


def play_page(state: GameState, acts: pg.Acts, engagement: Engagement, draft: MedDraft) -> pg.Page:
    """Return the page of the player whose step it is."""
    step = state.step
    player, number, name = step.owners[0], round_of(step), side(step.owners[0])
    again = step.act == "play_again"
    done = again_done(engagement, player, number) if again else engagement.has_acted(player, number)
    waits = any(who == player and it == "sirocco" for who, _card, it in storms_waiting(state, engagement))
    if waits and not done:
        return _plain_page(state, acts, engagement, Say("{player}: the Storm", player=name))
    if done or waits:
        return _plain_page(state, acts, engagement, Say("{player} has played", player=name))
    lead = Say("{player} plays", player=name)
    if step.act == "play_hidden":
        lead = Say("{player} lays cards face down; Storm cards are face up", player=name)
    elif again:
        lead = Say("{player} plays again", player=name)
    return _entry_page(state, acts, engagement, draft, player, number=number, lead=lead)


def reveal_page(state: GameState, acts: pg.Acts, engagement: Engagement, draft: MedDraft) -> pg.Page:
    """Return the page on which cards laid face down are entered, player by player."""
    hidden = still_hidden(engagement)
    if not hidden:
        return _plain_page(state, acts, engagement, Say("All cards are face up"))
    lead = Say("Turn over: what did {player} lay?", player=side(hidden[0]))
    return _entry_page(state, acts, engagement, draft, hidden[0], number=2, lead=lead)


def _entry_page(
    state: GameState,
    acts: pg.Acts,
    engagement: Engagement,
    draft: MedDraft,
    player: Any,
    *,
    number: int,
    lead: Say,
) -> pg.Page:
    """Return the page on which a player's cards are entered."""
    step = state.step
    revealing, hides = step.act == "reveal", step.act == "play_hidden"
    taken = side_of(engagement, player)
    if taken:
        lead = Say("{lead} ({side})", lead=lead, side=Name("camp", taken))
    pad = card_pad(state, acts, draft)
    tools = (storm_tool(state, engagement),)
    title = Say("Turned over") if revealing else Say("Lay down")
    lies = table_rows(state, engagement)
    if not draft.cards:
        passed = effect_rows(state, acts, engagement) if engagement.sirocco == player else ()
        rows = (*passed, *lies, *_waiting_rows(state, engagement, number))
        choices = _choices(state, acts, engagement, player, number)
        first = half_typed(draft) or Say("Enter a card of {player}", player=side(player))
        main = end_button(state, acts) if hides else pg.Button(title, why_not=first)
        return engagement_page(state, acts, columns(lead, rows, pad, choices), tools=tools, main=main)
    play = _play_of(state, engagement, draft, player, number)
    entered = _draft_rows(state, acts, engagement, draft, play)
    struck = _struck_rows(state, acts, engagement, draft)
    note, ready = _judged(state, play, is_hidden=revealing or hides)
    main = pg.Button(title, why_not=note)
    if ready:
        cards = known_cards(state)
        waits = any(cards[n].effect in WAITING for n in draft.cards)
        is_last = not waits and engagement.sirocco != player and not revealing
        command = cm.PlayHand(
            step.id,
            play.side,
            play.cards,
            dict(play.bonus_on),
            play.admiral,
            play.bomb_alley_on,
            player if revealing else None,
        )
        # What lies face down is not kept, for an undo would show it.
        then: pg.Act = cleared(pg.EndAct() if is_last else None) if hides or not is_last else pg.EndAct()
        main = pg.Button(title, acts.put("lay", pg.Send(command, then=then)))
    body = columns(lead, (*entered, *struck, *lies), pad)
    above = None if note is None else (pg.Notice("note", note, state="plain" if ready else "danger"),)
    page = engagement_page(state, acts, body, above=above, tools=tools, main=main)

    def said(s: GameState) -> object:
        return faults_of(s, play), laid_storms(s, engagement, play) if ready else ()

    ruled = deciding(state, ("storm_alone", "shallows_reach"), said) if play.side else ()
    listed = ("storm_numbers",) if any(n in STORM_NUMBERS for n in draft.cards) else ()
    return replace(page, tools=(*page.tools, *ruling_tools(state, acts, (*ruled, *listed))))


def _judged(state: GameState, play: Play, *, is_hidden: bool) -> tuple[Say | None, bool]:
    """Return what the table reads about a play, and whether it can be laid."""
    if not play.side:
        return Say("Which side?"), False
    faults = faults_of(state, play)
    if not faults:
        return None, True
    if not is_hidden or not_in_hand(state, play):
        return faults[0], False
    gone = several(map(card, would_drop(state, play)))
    return Say("Drops out: {cards}. {why}", cards=gone, why=faults[0]), True


def _waiting_rows(state: GameState, engagement: Engagement, number: int) -> tuple[pg.Item, ...]:
    """Return a quiet line for everybody who is still to play in a round, after whoever plays now."""
    return tuple(
        pg.Item(f"waits.{player}", side(player), Say("still to play"), state="muted")
        for player in engagement.order
        if player not in state.step.owners
        and not engagement.has_acted(player, number)
        and not engagement.sat_out(player)
    )


def _choices(
    state: GameState, acts: pg.Acts, engagement: Engagement, player: Any, number: int
) -> tuple[pg.Item, ...]:
    """Return what a player may do instead of laying cards."""
    own, step = slice_of(state), state.step
    revealing = step.act == "reveal"

    def choice(what: Any, text: pg.Words) -> pg.Item:
        command = cm.DiscardHand(step.id, what, player if revealing else None)
        is_last = engagement.sirocco != player and not revealing
        return pg.Item(
            what, text, act=acts.put(what, pg.Send(command, then=pg.EndAct() if is_last else cleared()))
        )

    battle = own.options.is_battle(known_cards(state)[engagement.operation])
    if revealing:
        return (choice("bluff", Say("A bluff: nothing counts")),)
    if step.act == "play_again":
        return (choice("one", Say("Discard the Intelligence card")),)
    found = []
    if not battle or engagement.is_held(number):
        found += [choice("one", Say("Discard one card")), choice("all", Say("Discard all cards"))]
    if battle and number == 1:
        found.append(choice("out", Say("Nothing valid: discard all and sit out")))
    return tuple(found)


def _draft_rows(
    state: GameState, acts: pg.Acts, engagement: Engagement, draft: MedDraft, play: Play
) -> tuple[pg.Item, ...]:
    """Return the cards that are entered, and what has to be said about them."""
    cards = known_cards(state)
    forces = [n for n in draft.cards if cards[n].kind == "force"]
    others = [n for n in open_cards(state, engagement) if cards[n].kind == "force"]
    rows: list[pg.Item] = []

    def asks(key: str, text: pg.Words, sub: Value, ask: pg.Ask) -> pg.Item:
        return pg.Item(key, text, sub, act=acts.put(key, ask))

    for n, number in enumerate(draft.cards):
        found = cards[number]
        mark = camp_mark(play.side) if found.kind != "storm" else None
        change = acts.put(f"card.{n}", _ask_change(state, draft, number))
        is_secret = state.step.act == "play_hidden"
        rows.append(
            pg.Item(f"card.{n}", card(number), card_facts(found), mark=mark, act=change, is_secret=is_secret)
        )
        if found.kind == "bonus" and len(forces) > 1:
            text = Say("{card} supports", card=Typed(number))
            target = Typed(draft.bonus_on.get(number) or "–")
            rows.append(asks(f"bonus.{n}", text, target, ask_card("bonus", text, forces, _on(draft, number))))
        if found.effect in ADMIRALS:
            options: dict[Any, pg.Words] = {
                "combined": Say("makes it combined"),
                "two": Say("two Force cards"),
            }
            rows.append(_one_of(acts, "admiral", Say("Admiral"), options, draft.admiral))
        if found.effect == "bomb_alley":
            text = Say("Bomb alley doubles")
            ask = ask_card("bomb", text, (*forces, *others), lambda on: put(bomb_on=on))
            rows.append(asks(f"bomb.{n}", text, Typed(draft.bomb_on or "–"), ask))
    if not play.side or draft.side:
        camps: dict[Any, pg.Words] = {camp: Name("camp", camp) for camp in CAMPS}
        rows.append(_one_of(acts, "side", Say("Side"), camps, play.side))
    return tuple(rows)


def _on(draft: MedDraft, bonus: CardNo) -> Any:
    return lambda force: put(bonus_on={**draft.bonus_on, bonus: force})


def _ask_change(state: GameState, draft: MedDraft, number: CardNo) -> pg.Ask:
    """Ask what becomes of a card that was entered."""
    left = tuple(n for n in draft.cards if n != number)
    change: dict[str, pg.Draft[MedDraft]] = {
        "drop": put(cards=left, admiral="", bomb_on="", bonus_on={}, side=""),
        "form": put(form=known_cards(state)[number], at=0),
    }
    options = (pg.Item("drop", Say("Take it back")), pg.Item("form", Say("Correct its values")))
    return pg.asked("card", card(number), options, change.__getitem__)


# Victims of Destiny


def _struck_rows(
    state: GameState, acts: pg.Acts, engagement: Engagement, draft: MedDraft
) -> tuple[pg.Item, ...]:
    """Announce in a convoy whom the Destiny cards about to be laid destroy; ask where a target is not known."""
    cards, told = known_cards(state), list[Say]()
    operation = cards[engagement.operation]
    for number in draft.cards:
        if not slice_of(state).options.is_battle(operation):
            told += [
                Say("{card} destroys {victim}", card=Typed(number), victim=card(other))
                for other in engagement.lying()
                if is_victim(cards[number], cards[other])
            ]
        if is_victim(cards[number], operation):
            told.append(Say("{card} is doubled by this Operation", card=Typed(number)))
    rows = (
        pg.Item(f"destiny.{n}", text, Say("Victim of Destiny"), state="ok") for n, text in enumerate(told)
    )
    return (*rows, *_target_rows(state, acts, engagement, draft.cards))


def _target_rows(
    state: GameState, acts: pg.Acts, engagement: Engagement, laid: Iterable[CardNo]
) -> tuple[pg.Item, ...]:
    """Return for every Destiny card that names a target no known card answers to the question whether it lies here."""
    cards = known_cards(state)
    there = (*open_cards(state, engagement), engagement.operation)
    rows = []
    for n, number in enumerate(laid):
        found = cards[number]
        if found.kind != "force" or not found.victim or any(is_victim(found, one) for one in cards.values()):
            continue
        others = [other for other in there if other != number]
        if others[:-1]:
            text = Say("Target of {card}: {name}", card=Typed(number), name=Typed(found.victim))
            none = (Say("It is not here"), put())
            ask = ask_card("target", text, others, _points_at(state, number), none)
            rows.append(
                pg.Item(f"target.{n}", text, Say("Tap if it is here"), act=acts.put(f"target.{n}", ask))
            )
    return tuple(rows)


def _points_at(state: GameState, number: CardNo) -> Any:
    found = known_cards(state)[number]
    return lambda victim: pg.Send(
        EnterPrintedValue(printed_key(number), plain(replace(found, victim=victim)))
    )


def _plain_page(state: GameState, acts: pg.Acts, engagement: Engagement, lead: pg.Words) -> pg.Page:
    """Show what lies on the table, what Storm cards still do, and go on."""
    shown = engagement.lying() if state.step.act == "reveal" else ()
    effects = effect_rows(state, acts, engagement)
    rows = (*effects, *_target_rows(state, acts, engagement, shown), *table_rows(state, engagement))
    is_passed = engagement.sirocco is not None and engagement.sirocco in state.step.owners
    main = end_button(state, acts)
    if is_passed or any(row.key == "sirocco" for row in effects):
        main = pg.Button(Say("Continue"), why_not=Say("A Storm card has not taken effect yet"))
    elif not state.clocks.is_paused:
        main = replace(main, title=Say("Continue"))
    tools = (storm_tool(state, engagement), invalid_tool(state, engagement))
    return engagement_page(state, acts, columns(lead, rows), tools=tools, main=main)

"""The Engagement screen of the card game: from the Operation that is turned over to the trick and full hands.

`med_view` turns the state and what is being entered (`Draft`) into one frozen view. A tap on a row gives, through
`tapped` and `answered`, the next draft, a command, or the question that is asked first (`Ask`).
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.core.change import Change
from companion.core.commands import Command
from companion.core.dice import DiceOrigin, DiceSource
from companion.core.ids import Side
from companion.core.state import GameState
from companion.games.med import commands as cm
from companion.games.med.cards import Card, Element
from companion.games.med.engagement import Engagement, Play, play_faults, side_of
from companion.games.med.flow import round_of
from companion.games.med.outcome import Outcome, dice_needed, fighters, sharers, spoils
from companion.games.med.slice import (
    MedSlice,
    hands,
    known_cards,
    pile_faults,
    slice_of,
    still_hidden,
    verdict,
)
from companion.presenters.i18n import N_, _, ngettext
from companion.presenters.labels import done_name, side_name
from companion.presenters.med_card import CardForm, form_for, remember
from companion.presenters.med_words import (
    EFFECT_WORDS,
    ELEMENT_WORDS,
    REASON_WORDS,
    card_facts,
    card_name,
    elements_text,
    fault_text,
    side_word,
)

__all__ = [
    "Ask",
    "Draft",
    "MedRow",
    "MedView",
    "answered",
    "card_entered",
    "chosen",
    "die_entered",
    "med_view",
    "rolled",
    "tapped",
]

_TO_USE = ("sirocco", "fog", "explosion", "lost", "shallows")
"""Storm effects that the table carries out after the card was laid."""
_ADMIRALS = ("cunningham", "iachino")
_ELEMENTS: tuple[Element, ...] = ("air", "surface", "sub")
VIRTUAL = "virtual"
"""Answer to a question for a die: the program rolls."""

_EFFECT_HINTS: dict[str, str] = {
    "sirocco": N_("Roll a die: 1-3 cancels a player's part, 4-6 passes it to the left"),
    "fog": N_("Exchange two cards at random with two other players"),
    "explosion": N_("Roll two dice: below 7 right, above 7 left, 7 himself"),
    "lost": N_("Cancels any one Bonus"),
    "shallows": N_("Discards all submarine cards; none may follow in this round"),
}


@dataclass(frozen=True, slots=True)
class Draft:
    """What is being entered and not sent yet."""

    key: str = ""
    """What it was entered for; another step starts anew."""
    number: str = ""
    """The card number as far as it is typed."""
    cards: tuple[str, ...] = ()
    side: str = ""
    bonus_on: Mapping[str, str] = field(default_factory=dict)
    admiral: str = ""
    bomb_on: str = ""
    operation: str = ""
    put_away: str = ""
    is_second: bool = False
    """Advanced rules: the pad enters the Operation that is put away."""
    elements: tuple[Element, ...] = ()
    form: CardForm | None = None
    dice: tuple[int, ...] = ()
    picks: Mapping[str, str] = field(default_factory=dict)
    shares: Mapping[str, str] = field(default_factory=dict)
    """Prize to the player who gets it."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question with its answers; `answered` takes the answer."""

    title: str
    options: tuple[tuple[Any, str], ...]
    act: str
    key: str = ""
    dice: tuple[int, ...] = ()
    origin: DiceOrigin = field(default_factory=DiceOrigin)


@dataclass(frozen=True, slots=True)
class MedRow:
    """One line: a text, something to tap, or a choice between a few options."""

    key: str
    text: str
    sub: str = ""
    act: str = ""
    """What a tap does; empty: nothing, or what `command` says."""
    command: Command | None = None
    options: tuple[tuple[Any, str], ...] = ()
    chosen: Any = None
    is_last: bool = False
    """Whether the act ends as soon as the command is taken."""


@dataclass(frozen=True, slots=True)
class MedView:
    """What the screen shows."""

    title: str = ""
    lead: str = ""
    rows: tuple[MedRow, ...] = ()
    pad: str = ""
    """``cards``, ``dice`` or empty."""
    typed: str = ""
    note: str = ""
    """What is still missing, or why it may not be."""
    main_text: str = ""
    main_command: Command | None = None
    """None: the main button ends the act."""
    is_main_ready: bool = True
    is_last: bool = False
    """Whether the act ends as soon as the command is taken."""
    key: str = ""
    form: CardForm | None = None


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
    if state.ending is not None or step.act in ("setup", "count") or step.phase == "count":
        return MedView(
            title=_("Engagement"),
            lead=_("Deal six cards to each player") if step.act == "setup" else _("The piles are counted"),
            rows=_hand_rows(state),
            main_text=done_name(step.act) if state.ending is None else "",
            key=step.id,
        )
    if step.act == "operation" or engagement is None:
        return _operation_view(state, draft)
    if step.act in ("play", "play_hidden", "play_again"):
        return _play_view(state, engagement, draft, step.owners[0], round_of(step))
    if step.act == "reveal":
        hidden = still_hidden(engagement)
        if hidden:
            return _play_view(state, engagement, draft, hidden[0], 2)
        return _plain(state, engagement, _("All cards lie open"))
    if step.act == "trick":
        return _trick_view(state, engagement, draft)
    lead = (
        _("Each player draws one card, in playing order")
        if step.act == "draw_cards" and own.options.players > 2
        else _("Fill the hands in playing order")
    )
    return MedView(_title(state), lead, _hand_rows(state), main_text=done_name(step.act), key=step.id)


def _form_view(form: CardForm, key: str) -> MedView:
    command, missing = remember(form)
    return MedView(
        title=_("New card {number}").format(number=form.number),
        lead=_("Enter it once from its print; it is remembered for later games."),
        note=missing,
        main_text=_("Remember the card"),
        main_command=command,
        is_main_ready=command is not None,
        key=f"{key}.form",
        form=form,
    )


def _name(state: GameState, player: str) -> str:
    return side_name(state.frozen_setup, player)


def _title(state: GameState) -> str:
    own = slice_of(state)
    engagement = own.engagement
    if engagement is None:
        return _("Engagement")
    card = known_cards(state)[engagement.operation]
    kind = _("Battle") if own.options.is_battle(card) else _("Convoy")
    parts = [card_name(card.number, {card.number: card}), kind, str(card.years[0])]
    parts.append(elements_text(engagement.current_elements()))
    if engagement.replay:
        parts.append(_("fought again"))
    return " · ".join(parts)


def _hand_rows(state: GameState) -> tuple[MedRow, ...]:
    own = slice_of(state)
    order = own.engagement.order if own.engagement is not None else own.players
    sizes = hands(state)
    return tuple(
        MedRow(
            player,
            _name(state, player),
            ngettext("fills up to {n} card", "fills up to {n} cards", sizes[player]).format(n=sizes[player]),
        )
        for player in order
    )


# Turning over an Operation


def _operation_view(state: GameState, draft: Draft) -> MedView:
    own, cards = slice_of(state), known_cards(state)
    first = _name(state, state.step.owners[0])
    engagement = own.engagement
    if engagement is not None and engagement.number == state.step.stage and own.decided is None:
        return MedView(
            _title(state),
            _("The Operation lies open"),
            (MedRow("operation", card_facts(cards[engagement.operation])),),
            main_text=done_name("operation"),
            key=state.step.id,
        )
    rows: list[MedRow] = []
    card = cards.get(draft.operation)
    if card is not None and card.kind == "operation":
        rows.append(MedRow(card.number, card_name(card.number, cards), card_facts(card), "operation"))
        if not own.options.is_battle(card):
            options = (*((e, _(ELEMENT_WORDS[e])) for e in _ELEMENTS), ("all", _("Combined")))
            now = "all" if len(draft.elements) == 3 else (draft.elements or ("",))[0]
            rows.append(MedRow("elements", "", options=options, chosen=now))
        if own.options.advanced:
            text = draft.put_away or _("tap, then enter its number")
            rows.append(MedRow("second", _("Other Operation drawn"), text, "second"))
    ready = card is not None and card.kind == "operation" and draft.operation not in own.seen
    note = ""
    if draft.operation in own.seen and card is not None:
        note = _("This Operation came up already in this game.")
    if ready and card is not None and not own.options.is_battle(card) and not draft.elements:
        ready, note = False, _("{player} says what is fought").format(player=first)
    command = cm.TurnOver(state.step.id, draft.operation, draft.elements, draft.put_away) if ready else None
    return MedView(
        _("Engagement {n}").format(n=state.step.stage),
        _("{player} turns over the top Operation").format(player=first),
        tuple(rows) or (MedRow("hint", _("Enter the number at its bottom right"), _("For example O28")),),
        pad="cards",
        typed=draft.number or ("O" if not draft.operation or draft.is_second else ""),
        note=note,
        main_text=_("Open the engagement"),
        main_command=command,
        is_main_ready=command is not None,
        is_last=True,
        key=state.step.id,
    )


# Playing cards


def _inferred_side(engagement: Engagement, draft: Draft, player: Side) -> str:
    if draft.side:
        return draft.side
    exceptions = {"A53": "axis", "X54": "allies"}
    for number in draft.cards:
        side = exceptions.get(number, {"A": "allies", "X": "axis"}.get(number[0], ""))
        if side:
            return side
    return side_of(engagement, player)


def _play_of(state: GameState, engagement: Engagement, draft: Draft, player: Side, number: int) -> Play:
    return Play(
        player,
        number,
        _inferred_side(engagement, draft, player),
        draft.cards,
        dict(draft.bonus_on),
        draft.admiral,  # type: ignore[arg-type]
        draft.bomb_on,
        state.step.act == "play_again",
    )


def _play_view(state: GameState, engagement: Engagement, draft: Draft, player: Side, number: int) -> MedView:
    own, cards, step = slice_of(state), known_cards(state), state.step
    name = _name(state, player)
    again, revealing = step.act == "play_again", step.act == "reveal"
    plays = engagement.played_by(player, number)
    declined = any(gone.why == "declined" and gone.by == player for gone in engagement.removed)
    acted = (
        (declined or any(play.again for play in plays))
        if again
        else (not revealing and engagement.has_acted(player, number))
    )
    if acted:
        lead = _("{player} has played").format(player=name)
        return _plain(state, engagement, lead)
    play = _play_of(state, engagement, draft, player, number)
    rows = _draft_rows(state, draft, play)
    if not draft.cards:
        rows = (
            *_discard_rows(state, engagement, player, number, again=again),
            *_table_rows(state, engagement),
        )
    note, command = "", None
    if draft.cards:
        faults = (*play_faults(engagement, play, cards, own.options), *pile_faults(own, play))
        if not play.side:
            note = _("Which side?")
        elif faults:
            note = fault_text(faults[0])
        else:
            command = cm.PlayHand(
                step.id,
                play.side,
                play.cards,
                dict(play.bonus_on),
                play.admiral,
                play.bomb_alley_on,
                player if revealing else None,
            )
    hidden = step.act == "play_hidden"
    lead = _("{player} plays").format(player=name)
    if hidden:
        lead = _("{player} lays cards face down; Storm cards lie open").format(player=name)
    elif revealing:
        lead = _("Turn over: what did {player} lay?").format(player=name)
    elif again:
        lead = _("{player} plays again").format(player=name)
    taken = side_of(engagement, player)
    if taken:
        lead = f"{lead} ({side_word(taken)})"
    waits = any(cards[n].effect in _TO_USE for n in draft.cards if n in cards) or engagement.sirocco == player
    main = _("Lay down") if not revealing else _("Turned over")
    if hidden and not draft.cards:
        return MedView(
            _title(state), lead, rows, "cards", draft.number, "", done_name("play_hidden"), key=step.id
        )
    return MedView(
        _title(state),
        lead,
        rows,
        pad="cards",
        typed=draft.number,
        note=note,
        main_text=main,
        main_command=command,
        is_main_ready=command is not None,
        is_last=not waits and not revealing,
        key=step.id,
    )


def _draft_rows(state: GameState, draft: Draft, play: Play) -> tuple[MedRow, ...]:
    cards = known_cards(state)
    rows: list[MedRow] = []
    forces = [n for n in draft.cards if n in cards and cards[n].kind == "force"]
    for number in draft.cards:
        card = cards[number]
        rows.append(MedRow(number, card_name(number, cards), card_facts(card), "card"))
        if card.kind == "bonus" and len(forces) > 1:
            target = draft.bonus_on.get(number, "")
            rows.append(MedRow(number, _("{card} supports").format(card=number), target or "–", "bonus"))
        if card.effect in _ADMIRALS:
            words = {"combined": _("makes it combined"), "two": _("two Force cards")}
            rows.append(MedRow(number, _("The Admiral"), words.get(draft.admiral, "–"), "admiral"))
        if card.effect == "bomb_alley":
            rows.append(MedRow(number, _("Bomb alley doubles"), draft.bomb_on or "–", "bomb"))
    if draft.cards and (not play.side or draft.side):
        options = (("allies", _("Allies")), ("axis", _("Axis")))
        rows.append(MedRow("side", _("Side"), options=options, chosen=play.side))
    return tuple(rows)


def _discard_rows(
    state: GameState, engagement: Engagement, player: Side, number: int, *, again: bool
) -> tuple[MedRow, ...]:
    own, step = slice_of(state), state.step
    rows = []

    def row(what: Any, text: str) -> None:
        is_last = engagement.sirocco != player
        rows.append(MedRow(what, text, command=cm.DiscardHand(step.id, what), is_last=is_last))

    battle = own.options.is_battle(known_cards(state)[engagement.operation])
    held = bool(engagement.only_side) and engagement.only_round in (0, number)
    if again:
        row("one", _("Do not play: discard the Intelligence card"))
    elif step.act == "reveal":
        return ()
    elif not battle or held:
        row("one", _("Discard one card"))
        row("all", _("Discard all cards"))
    if battle and number == 1 and not again:
        row("out", _("Nothing valid: discard all and sit out"))
    if engagement.sirocco == player:
        rows.extend(_effect_rows(state, engagement))
    return tuple(rows)


def _plain(state: GameState, engagement: Engagement, lead: str) -> MedView:
    """Show what lies on the table, what Storm cards still do, and go on."""
    rows = (*_effect_rows(state, engagement), *_table_rows(state, engagement), *_invalid_row(engagement))
    return MedView(_title(state), lead, rows, main_text=_("Go on"), key=state.step.id)


def _masked(state: GameState, play: Play) -> bool:
    own = slice_of(state)
    engagement = own.engagement
    if engagement is None or play.round != 2 or state.step.act not in ("play_hidden", "play_again"):
        return False
    return own.options.is_battle(known_cards(state)[engagement.operation])


def _table_rows(state: GameState, engagement: Engagement) -> tuple[MedRow, ...]:
    cards = known_cards(state)
    rows = []
    for play in engagement.plays:
        names = [card_name(n, cards) for n in play.cards if not engagement.is_removed(n)]
        gone = [n for n in play.cards if engagement.is_removed(n)]
        text = f"{_name(state, play.player)}, {side_word(play.side)}"
        sub = _("face down") if _masked(state, play) else ", ".join(names)
        if gone:
            sub = " · ".join(filter(None, (sub, _("out: {cards}").format(cards=", ".join(gone)))))
        rows.append(MedRow(f"play.{play.player}.{play.round}.{play.again}", text, sub))
    words = {"one": _("discarded one card"), "all": _("discarded all cards"), "out": _("sits out")}
    rows.extend(
        MedRow(f"discard.{gone.player}.{gone.round}", _name(state, gone.player), words[gone.what])
        for gone in engagement.discards
    )
    if engagement.carried:
        under = ", ".join(carried.card for carried in engagement.carried)
        rows.append(MedRow("carried", _("Under the Operation"), under))
    return tuple(rows)


def _invalid_row(engagement: Engagement) -> tuple[MedRow, ...]:
    if not _lying(engagement):
        return ()
    return (MedRow("invalid", _("A card is invalid"), _("It drops out and counts for nothing"), "invalid"),)


def _lying(engagement: Engagement) -> tuple[str, ...]:
    return tuple(n for play in engagement.plays for n in play.cards if not engagement.is_removed(n))


def _effect_rows(state: GameState, engagement: Engagement) -> tuple[MedRow, ...]:
    cards, step = known_cards(state), state.step
    rows = []
    for number in _lying(engagement):
        effect = cards[number].effect
        if effect not in _TO_USE or effect in engagement.used:
            continue
        player = next(play.player for play in engagement.plays if number in play.cards)
        if effect == "sirocco" and player not in step.owners:
            continue
        text = f"{_name(state, player)}: {_(EFFECT_WORDS[effect])}"
        rows.append(MedRow(effect, text, _(_EFFECT_HINTS[effect]), "effect"))
    if engagement.sirocco is not None and engagement.sirocco in step.owners:
        name = _name(state, engagement.sirocco)
        rows.append(
            MedRow(
                "sirocco",
                _("{player}: use the passed Sirocco").format(player=name),
                _(_EFFECT_HINTS["sirocco"]),
                "effect",
            )
        )
        command = cm.UseEffect(step.id, "sirocco", put_away=True)
        rows.append(MedRow("put_away", _("Discard the Sirocco unused"), command=command))
    return tuple(rows)


# Dice and the trick


def _trick_view(state: GameState, engagement: Engagement, draft: Draft) -> MedView:
    own, cards = slice_of(state), known_cards(state)
    if own.decided is not None:
        return MedView(_title(state), _("Decided"), (), main_text=done_name("trick"), key=state.step.id)
    needed = dice_needed(engagement, cards)
    rows = (*_effect_rows(state, engagement), *_fighter_rows(state, engagement), *_invalid_row(engagement))
    if needed:
        key, count = next(iter(needed.items()))
        number, element = key.split(":")
        player = next(play.player for play in engagement.plays if number in play.cards)
        shown = "  ".join([*map(str, draft.dice), *("·" for _n in range(count - len(draft.dice)))])
        text = ngettext(
            "{player} rolls {n} die: {card}, {element}", "{player} rolls {n} dice: {card}, {element}", count
        )
        lead = text.format(
            player=_name(state, player),
            n=count,
            card=card_name(number, cards),
            element=_(ELEMENT_WORDS[element]),
        )
        return MedView(
            _title(state),
            lead,
            rows,
            pad="dice",
            typed=shown,
            main_text=_("Roll for us"),
            key=state.step.id,
        )
    won = verdict(state, engagement)
    rows = (*_pick_rows(state, engagement, won, draft), *_share_rows(state, engagement, won, draft), *rows)
    shares, missing = _shares(state, engagement, won, draft)
    command = None if missing else cm.TakeTrick(state.step.id, dict(draft.picks), shares)
    words = {"won": _("Take the trick"), "tie": _("Fight again"), "nobody": _("Discard the Operation")}
    return MedView(
        _title(state),
        _verdict_text(state, won),
        rows,
        note=missing,
        main_text=words[won.kind],
        main_command=command,
        is_main_ready=command is not None,
        is_last=True,
        key=state.step.id,
    )


def _verdict_text(state: GameState, won: Outcome) -> str:
    totals = _("Allies {a} : {b} Axis").format(a=won.totals.get("allies", 0), b=won.totals.get("axis", 0))
    if won.kind != "won" or won.player is None:
        return f"{totals}: {_(REASON_WORDS[won.reason])}"
    best = next(f for f in won.fighters if f.card == won.card)
    level = [f for f in won.fighters if f.side == won.side and f.value == best.value]
    why = _("highest card, played first") if len({f.player for f in level}) > 1 else _("highest card")
    if won.reason == "intelligence":
        why = _(REASON_WORDS["intelligence"])
    return _("{totals}. {player} takes the trick: {card} counts {value}, {why}").format(
        totals=totals, player=_name(state, won.player), card=won.card, value=best.value, why=why
    )


def _fighter_rows(state: GameState, engagement: Engagement) -> tuple[MedRow, ...]:
    cards = known_cards(state)
    raise_all = state.rulings.get("air_plus_one", "all") == "all"
    rows = []
    for one in fighters(engagement, cards, raise_all=raise_all):
        parts = [card_facts(cards[one.card])]
        parts += [card_name(bonus, cards) for bonus in one.bonuses]
        if one.doubled:
            parts.append(_("doubled"))
        if one.bomb_alley:
            parts.append(_(EFFECT_WORDS["bomb_alley"]))
        text = (
            f"{one.value}  {card_name(one.card, cards)}, {_name(state, one.player)} ({side_word(one.side)})"
        )
        rows.append(MedRow(f"fighter.{one.card}", text, " · ".join(parts)))
    return tuple(rows)


def _pickable(engagement: Engagement, cards: Mapping[str, Card], won: Outcome) -> tuple[str, ...]:
    lost = {gone.victim for gone in won.destroyed}
    laid = [(play.side, n) for play in engagement.plays for n in play.cards if not engagement.is_removed(n)]
    laid += [(carried.side, carried.card) for carried in engagement.carried]
    return tuple(
        n
        for side, n in laid
        if side == won.side
        and cards[n].kind == "force"
        and cards[n].frame in ("surface", "all")
        and n not in lost
    )


def _pick_rows(state: GameState, engagement: Engagement, won: Outcome, draft: Draft) -> tuple[MedRow, ...]:
    cards = known_cards(state)
    if won.kind != "won":
        return ()
    laid = [(p.player, p.side, n) for p in engagement.plays for n in p.cards if not engagement.is_removed(n)]
    laid += [(c.player, c.side, c.card) for c in engagement.carried]
    rows = []
    for player, side, number in laid:
        if side == won.side and cards[number].kind == "supply" and _pickable(engagement, cards, won):
            picked = draft.picks.get(player, "")
            text = _("{player} may take a ship back: {card}").format(
                player=_name(state, player), card=card_name(number, cards)
            )
            rows.append(MedRow(player, text, card_name(picked, cards) if picked else _("none yet"), "pick"))
    return tuple(rows)


def _prizes(state: GameState, engagement: Engagement, won: Outcome) -> tuple[str, ...]:
    return (engagement.operation, *spoils(engagement, known_cards(state), won))


def _share_rows(state: GameState, engagement: Engagement, won: Outcome, draft: Draft) -> tuple[MedRow, ...]:
    own, cards = slice_of(state), known_cards(state)
    if won.kind != "won" or not own.options.advanced:
        return ()
    if len(sharers(engagement, won, own.options, cards)) < 2:
        return ()
    rows = []
    for prize in _prizes(state, engagement, won):
        to = draft.shares.get(prize, "")
        text = f"{card_name(prize, cards)}, {_('{n} VP').format(n=cards[prize].victory_points)}"
        rows.append(
            MedRow(prize, text, _("to {player}").format(player=_name(state, to)) if to else "–", "share")
        )
    return tuple(rows)


def _shares(
    state: GameState, engagement: Engagement, won: Outcome, draft: Draft
) -> tuple[dict[str, tuple[str, ...]], str]:
    """Return the sharing as the command wants it, and what is missing."""
    own, cards = slice_of(state), known_cards(state)
    if won.kind != "won" or not own.options.advanced:
        return {}, ""
    players = sharers(engagement, won, own.options, cards)
    if len(players) < 2:
        return {}, ""
    prizes = _prizes(state, engagement, won)
    if any(prize not in draft.shares for prize in prizes):
        return {}, _("{player} shares the prizes out").format(player=_name(state, players[0]))
    given = {p: tuple(c for c in prizes if draft.shares[c] == p) for p in players}
    counts = [len(some) for some in given.values()]
    if max(counts) - min(counts) > 1:
        return {}, _("Nobody gets another card before all have as many")
    return {str(player): prizes_ for player, prizes_ in given.items()}, ""


# What taps do


Result = Draft | Command | Ask | None
"""The next draft, a command to send, a question, or nothing."""


def card_entered(state: GameState, draft: Draft, number: str) -> Draft:
    """Return the draft after a whole card number was typed: known cards join it, unknown ones open their form."""
    draft = replace(draft, number="", key=state.step.id)
    card = known_cards(state).get(number)
    if state.step.act == "operation" and number[0] != "O":
        return draft
    if card is None:
        return replace(draft, form=form_for(number))
    if state.step.act == "operation":
        if draft.is_second:
            return replace(draft, put_away=number, is_second=False)
        return replace(draft, operation=number, elements=())
    if number[0] == "O" or number in draft.cards:
        return draft
    return replace(draft, cards=(*draft.cards, number))


def chosen(draft: Draft, row: MedRow, value: Any) -> Draft:
    """Return the draft after a choice in a row."""
    if row.key == "elements":
        return replace(draft, elements=_ELEMENTS if value == "all" else (value,))
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

    def named(numbers: Any) -> tuple[tuple[str, str], ...]:
        return tuple((n, card_name(n, cards)) for n in numbers)

    forces = [n for n in draft.cards if n in cards and cards[n].kind == "force"]
    match row.act:
        case "card":
            options = (("drop", _("Take it back")), ("form", _("Correct its values")))
            return Ask(row.text, options, "card", row.key)
        case "bonus":
            return Ask(row.text, named(forces), "bonus", row.key)
        case "admiral":
            two = (("combined", _("Make the engagement combined")), ("two", _("Play two Force cards")))
            return Ask(row.text, two, "admiral", row.key)
        case "bomb":
            others = [n for n in _lying(engagement) if cards[n].kind == "force"]
            return Ask(row.text, named((*forces, *others)), "bomb", row.key)
        case "invalid":
            return Ask(_("Which card is invalid?"), named(_lying(engagement)), "invalid")
        case "pick":
            won = verdict(state, engagement)
            return Ask(
                row.text, (*named(_pickable(engagement, cards, won)), ("", _("None"))), "pick", row.key
            )
        case "share":
            won = verdict(state, engagement)
            players = sharers(engagement, won, own.options, cards)
            return Ask(row.text, tuple((p, _name(state, p)) for p in players), "share", row.key)
        case "effect":
            return _effect_asked(state, engagement, row.key)
    return None


def _effect_asked(state: GameState, engagement: Engagement, effect: str) -> Result:
    cards = known_cards(state)
    if effect == "lost":
        options = tuple((n, card_name(n, cards)) for n in _lying(engagement) if cards[n].kind == "bonus")
        return Ask(_("Which Bonus is cancelled?"), options, "lost")
    if effect in ("sirocco", "explosion"):
        return Ask(_(EFFECT_WORDS[effect]), _faces(), effect)
    return None


def _faces() -> tuple[tuple[Any, str], ...]:
    return (*((face, str(face)) for face in range(1, 7)), (VIRTUAL, _("Roll for us")))


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
        case "admiral":
            return replace(draft, admiral=value)
        case "bomb":
            return replace(draft, bomb_on=value)
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
            return cm.UseEffect(step.id, "explosion", ask.dice, card=value, origin=ask.origin)
    return None


def _die_answered(state: GameState, ask: Ask, value: Any, seed: int) -> Result:
    count = 1 if ask.act == "sirocco" else 2
    dice, origin = (*ask.dice, value), ask.origin
    if value == VIRTUAL:
        chance = random.Random(seed)
        dice = (*ask.dice, *(chance.randint(1, 6) for _n in range(count - len(ask.dice))))
        origin = DiceOrigin(DiceSource.VIRTUAL, seed=seed)
    if len(dice) < count:
        return Ask(_("The second die"), _faces(), ask.act, dice=dice, origin=origin)
    own = slice_of(state)
    engagement = own.engagement
    if engagement is None:
        return None
    if ask.act == "sirocco":
        if dice[0] >= 4:
            return cm.UseEffect(state.step.id, "sirocco", dice, origin=origin)
        options = tuple((p, _name(state, p)) for p in engagement.order)
        title = _("{die}: whose part is cancelled?").format(die=dice[0])
        return Ask(title, options, "cancel", dice=dice, origin=origin)
    hit = _blown_up(state, own, engagement, sum(dice))
    if len(hit) < 2:
        return cm.UseEffect(state.step.id, "explosion", dice, card="".join(hit), origin=origin)
    cards = known_cards(state)
    title = _("{total}: which card is destroyed?").format(total=sum(dice))
    return Ask(title, tuple((n, card_name(n, cards)) for n in hit), "hit", dice=dice, origin=origin)


def _blown_up(state: GameState, own: MedSlice, engagement: Engagement, total: int) -> tuple[str, ...]:
    """Return the cards that an Explosion may destroy: the neighbour's Force cards, at 7 any of the player's own."""
    cards = known_cards(state)
    holder = next(
        play.player for play in engagement.plays for n in play.cards if cards[n].effect == "explosion"
    )
    seat = own.players.index(holder)
    away = 0 if total == 7 else -1 if total < 7 else 1
    target = own.players[(seat + away) % len(own.players)]
    return tuple(
        n
        for play in engagement.plays
        if play.player == target and (not _is_past(state, engagement, play))
        for n in play.cards
        if not engagement.is_removed(n)
        and (cards[n].kind == "force" or (total == 7 and cards[n].effect != "explosion"))
    )


def _is_past(state: GameState, engagement: Engagement, play: Play) -> bool:
    """Say whether a play lies in a battle's other round: an Explosion reaches only its own (Explosion)."""
    own, cards = slice_of(state), known_cards(state)
    if not own.options.is_battle(cards[engagement.operation]):
        return False
    mine = next(
        one.round for one in engagement.plays if any(cards[n].effect == "explosion" for n in one.cards)
    )
    return play.round != mine


def die_entered(state: GameState, draft: Draft, value: int) -> Result:
    """Return the draft with one more die, or the roll once it is whole."""
    engagement = slice_of(state).engagement
    if engagement is None or not 1 <= value <= 6:
        return None
    needed = dice_needed(engagement, known_cards(state))
    if not needed:
        return None
    key, count = next(iter(needed.items()))
    dice = (*draft.dice, value)
    if len(dice) < count:
        return replace(draft, dice=dice, key=state.step.id)
    number, element = key.split(":")
    return cm.RollDice(state.step.id, number, element, dice)  # type: ignore[arg-type]


def rolled(state: GameState, seed: int) -> cm.RollDice | None:
    """Return the next value's dice rolled by the program; None when none are due."""
    own = slice_of(state)
    if own.engagement is None:
        return None
    needed = dice_needed(own.engagement, known_cards(state))
    if not needed:
        return None
    key, count = next(iter(needed.items()))
    number, element = key.split(":")
    chance = random.Random(seed)
    dice = tuple(chance.randint(1, 6) for _n in range(count))
    return cm.RollDice(state.step.id, number, element, dice, DiceOrigin(DiceSource.VIRTUAL, seed=seed))  # type: ignore[arg-type]

"""The Engagement screen while cards are laid: the Operation turned over, every player's play, the reveal."""

from __future__ import annotations

from typing import Any

from companion.core.state import GameState
from companion.core.text import Say, card, several
from companion.games.med.pages.draft import Draft, MedRow, MedView
from companion.games.med.pages.rows import (
    acts_row,
    effect_rows,
    invalid_row,
    player_name,
    storm_row,
    table_rows,
    tally,
    target_rows,
    waiting_rows,
)
from companion.games.med.pages.words import (
    card_facts,
    card_name,
    options,
    side_word,
)
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import ELEMENTS, is_victim, played_side
from companion.games.med.rules.effects import ADMIRALS, WAITING
from companion.games.med.rules.engagement import Engagement, Play, admiral_of, side_of
from companion.games.med.rules.flow import round_of
from companion.games.med.rules.plays import faults_of, seen_before, would_drop
from companion.games.med.rules.slice import (
    again_done,
    known_cards,
    pile_faults,
    slice_of,
    still_hidden,
    storms_waiting,
)
from companion.pages.i18n import _
from companion.pages.labels import done_name
from companion.pages.speak import sentence

__all__ = ["operation_view", "play_of", "play_view", "reveal_view"]


def operation_view(state: GameState, draft: Draft) -> MedView:
    """Return the view in which the top Operation is turned over."""
    own, cards = slice_of(state), known_cards(state)
    first = player_name(state, state.step.owners[0])
    engagement = own.engagement
    if engagement is not None and engagement.number == state.step.stage and own.decided is None:
        return MedView(
            _("Engagement {n}").format(n=state.step.stage),
            _("The Operation lies open"),
            (MedRow("operation", card_facts(cards[engagement.operation])),),
            main_text=done_name("operation", "med"),
            key=state.step.id,
            tally=tally(state),
        )
    rows: list[MedRow] = []
    card = cards.get(draft.operation)
    if card is not None and card.kind == "operation":
        rows.append(MedRow(card.number, card_name(card.number, cards), card_facts(card), "operation"))
        if not own.options.is_battle(card):
            elements = (*options("element", *ELEMENTS), ("all", _("Combined")))
            now = "all" if len(draft.elements) == 3 else (draft.elements or ("",))[0]
            rows.append(MedRow("elements", "", options=elements, chosen=now))
        if own.options.advanced:
            text = card_name(draft.put_away, cards) if draft.put_away else _("tap, then enter its number")
            rows.append(MedRow("second", _("Other Operation drawn"), text, "second"))
    ready = card is not None and card.kind == "operation" and draft.operation not in own.seen
    note = ""
    if draft.operation in own.seen and card is not None:
        note = sentence(seen_before(draft.operation), state)
    if ready and card is not None and not own.options.is_battle(card) and not draft.elements:
        ready, note = False, _("{player} says what is fought").format(player=first)
    command = cm.TurnOver(state.step.id, draft.operation, draft.elements, draft.put_away) if ready else None
    lead = _("{player} turns over the top Operation").format(player=first)
    if own.options.advanced:
        lead = _("{player} draws two Operations and keeps one").format(player=first)
    return MedView(
        _("Engagement {n} of {m}").format(n=state.step.stage, m=own.options.operations),
        lead,
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


def _side(engagement: Engagement, draft: Draft, player: str) -> str:
    entered = next(filter(None, map(played_side, draft.cards)), "")
    return draft.side or entered or side_of(engagement, player)  # type: ignore[arg-type]


def play_of(state: GameState, engagement: Engagement, draft: Draft, player: Any, number: int) -> Play:
    """Return the play that a draft amounts to."""
    return Play(
        player,
        number,
        _side(engagement, draft, player),
        draft.cards,
        dict(draft.bonus_on),
        draft.admiral,  # type: ignore[arg-type]
        draft.bomb_on,
        state.step.act == "play_again",
        admiral_of(draft.cards, known_cards(state)) if draft.admiral else "",
    )


def play_view(state: GameState, engagement: Engagement, draft: Draft) -> MedView:
    """Return the view of the player whose step it is."""
    step = state.step
    player, number = step.owners[0], round_of(step)
    again = step.act == "play_again"
    name = player_name(state, player)
    done = again_done(engagement, player, number) if again else engagement.has_acted(player, number)
    waits = any(who == player and it == "sirocco" for who, _card, it in storms_waiting(state, engagement))
    if done or waits:
        lead = _("{player} has played").format(player=name)
        return _plain(
            state, engagement, _("{player}: the Storm").format(player=name) if waits and not done else lead
        )
    lead = _("{player} plays").format(player=name)
    if step.act == "play_hidden":
        lead = _("{player} lays cards face down; Storm cards lie open").format(player=name)
    elif again:
        lead = _("{player} plays again").format(player=name)
    view = _entry(state, engagement, draft, player, number=number, lead=lead)
    if step.act == "play_hidden" and not draft.cards:
        return MedView(
            view.title,
            view.lead,
            view.rows,
            "cards",
            draft.number,
            main_text=done_name("play_hidden", "med"),
            key=step.id,
            tally=view.tally,
        )
    return view


def reveal_view(state: GameState, engagement: Engagement, draft: Draft) -> MedView:
    """Return the view in which cards laid face down are entered, player by player."""
    hidden = still_hidden(engagement)
    if not hidden:
        return _plain(state, engagement, _("All cards lie open"))
    lead = _("Turn over: what did {player} lay?").format(player=player_name(state, hidden[0]))
    return _entry(state, engagement, draft, hidden[0], number=2, lead=lead)


def _entry(
    state: GameState, engagement: Engagement, draft: Draft, player: Any, *, number: int, lead: str
) -> MedView:
    """Return the view in which a player's cards are entered."""
    step = state.step
    revealing = step.act == "reveal"
    taken = side_of(engagement, player)
    if taken:
        lead = f"{lead} ({side_word(taken)})"
    note, command, ready = "", None, False
    rows: tuple[MedRow, ...]
    if not draft.cards:
        rows = (
            *_choices(state, engagement, player, number),
            *table_rows(state, engagement),
            *waiting_rows(state, engagement, number),
        )
    else:
        play = play_of(state, engagement, draft, player, number)
        rows = (
            *_draft_rows(state, draft, play),
            *_struck_rows(state, engagement, draft),
            *table_rows(state, engagement),
        )
        note, ready = _judged(state, play, is_hidden=revealing or step.act == "play_hidden")
        command = cm.PlayHand(
            step.id,
            play.side,
            play.cards,
            dict(play.bonus_on),
            play.admiral,
            play.bomb_alley_on,
            player if revealing else None,
        )
    cards = known_cards(state)
    waits = any(cards[n].effect in WAITING for n in draft.cards if n in cards)
    return MedView(
        _("Engagement {n}").format(n=step.stage),
        lead,
        rows,
        pad="cards",
        typed=draft.number,
        note=note,
        main_text=_("Turned over") if revealing else _("Lay down"),
        main_command=command if ready else None,
        is_main_ready=ready,
        is_last=not waits and engagement.sirocco != player and not revealing,
        key=step.id,
        tally=tally(state),
    )


def _judged(state: GameState, play: Play, *, is_hidden: bool) -> tuple[str, bool]:
    """Return what the table reads about a play, and whether it can be laid."""
    if not play.side:
        return _("Which side?"), False
    faults = faults_of(state, play)
    if not faults:
        return "", True
    if not is_hidden or pile_faults(slice_of(state), play):
        return sentence(faults[0], state), False
    gone = several(map(card, would_drop(state, play)))
    return sentence(Say("Drops out: {cards}. {why}", cards=gone, why=faults[0]), state), True


def _struck_rows(state: GameState, engagement: Engagement, draft: Draft) -> tuple[MedRow, ...]:
    """Announce in a convoy whom the Destiny cards about to be laid destroy; ask where a target is not known."""
    own, cards = slice_of(state), known_cards(state)
    rows = []
    if not own.options.is_battle(cards[engagement.operation]):
        for number in draft.cards:
            for other in engagement.lying():
                if is_victim(cards[number], cards[other]):
                    text = _("{card} destroys {victim}").format(card=number, victim=card_name(other, cards))
                    rows.append(MedRow(f"struck.{other}", text, _("Victim of Destiny"), tone="accent"))
    for number in draft.cards:
        if is_victim(cards[number], cards[engagement.operation]):
            text = _("{card} is doubled by this Operation").format(card=number)
            rows.append(MedRow(f"doubled.{number}", text, _("Victim of Destiny"), tone="accent"))
    return (*rows, *target_rows(state, engagement, draft.cards))


def _draft_rows(state: GameState, draft: Draft, play: Play) -> tuple[MedRow, ...]:
    cards = known_cards(state)
    rows: list[MedRow] = []
    forces = [n for n in draft.cards if cards[n].kind == "force"]
    for number in draft.cards:
        card = cards[number]
        side = play.side if card.kind != "storm" else ""
        rows.append(MedRow(number, card_name(number, cards), card_facts(card), "card", side=side))
        if card.kind == "bonus" and len(forces) > 1:
            target = draft.bonus_on.get(number, "")
            rows.append(MedRow(number, _("{card} supports").format(card=number), target or "–", "bonus"))
        if card.effect in ADMIRALS:
            acts = (("combined", _("makes it combined")), ("two", _("two Force cards")))
            rows.append(MedRow("admiral", _("Admiral"), options=acts, chosen=draft.admiral))
        if card.effect == "bomb_alley":
            rows.append(MedRow(number, _("Bomb alley doubles"), draft.bomb_on or "–", "bomb"))
    if draft.cards and (not play.side or draft.side):
        sides = options("camp", "allies", "axis")
        rows.append(MedRow("side", _("Side"), options=sides, chosen=play.side))
    return tuple(rows)


def _choices(state: GameState, engagement: Engagement, player: Any, number: int) -> tuple[MedRow, ...]:
    """Return what a player may do instead of laying cards, in one line."""
    own, step = slice_of(state), state.step

    def row(what: Any, text: str) -> MedRow:
        who = player if step.act == "reveal" else None
        is_last = engagement.sirocco != player and step.act != "reveal"
        return MedRow(what, text, command=cm.DiscardHand(step.id, what, who), is_last=is_last)

    storm = storm_row(engagement)
    passed = effect_rows(state, engagement) if engagement.sirocco == player else ()
    battle = own.options.is_battle(known_cards(state)[engagement.operation])
    if step.act == "reveal":
        return acts_row(row("bluff", _("A bluff: nothing counts")), storm)
    if step.act == "play_again":
        return (*acts_row(row("one", _("Discard the Intelligence card")), storm), *passed)
    found = []
    if not battle or engagement.is_held(number):
        found += [row("one", _("Discard one card")), row("all", _("Discard all cards"))]
    if battle and number == 1:
        found.append(row("out", _("Nothing valid: discard all and sit out")))
    return (*acts_row(*found, storm), *passed)


def _plain(state: GameState, engagement: Engagement, lead: str) -> MedView:
    """Show what lies on the table, what Storm cards still do, and go on."""
    targets: tuple[MedRow, ...] = ()
    if state.step.act == "reveal":
        targets = target_rows(state, engagement, engagement.lying())
    rows = (
        *effect_rows(state, engagement),
        *targets,
        *acts_row(storm_row(engagement), invalid_row(engagement)),
        *table_rows(state, engagement),
    )
    waits = engagement.sirocco is not None and engagement.sirocco in state.step.owners
    waits = waits or any(row.key == "sirocco" for row in rows)
    return MedView(
        _("Engagement {n}").format(n=state.step.stage),
        lead,
        rows,
        main_text=_("Go on"),
        is_main_ready=not waits,
        key=state.step.id,
        tally=tally(state),
    )

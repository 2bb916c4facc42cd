"""The Engagement screen when all have played: dice of ``?`` values, who takes the trick and why, prizes."""

from __future__ import annotations

from companion.core.ids import Side
from companion.core.state import GameState
from companion.core.text import sentences
from companion.games.med.pages.draft import Draft, MedRow, MedView
from companion.games.med.pages.rows import (
    acts_row,
    effect_rows,
    fighter_rows,
    invalid_row,
    player_name,
    storm_row,
    tally,
)
from companion.games.med.pages.words import card_name, word
from companion.games.med.rules import commands as cm
from companion.games.med.rules.engagement import Engagement
from companion.games.med.rules.outcome import Outcome, dice_needed, rolled_for, share_faults, sharers, spoils
from companion.games.med.rules.slice import known_cards, slice_of, verdict
from companion.games.med.rules.tricks import pickable, suppliers
from companion.pages.i18n import _, ngettext
from companion.pages.labels import done_name
from companion.pages.speak import sentence

__all__ = ["next_dice", "trick_view"]


def next_dice(state: GameState) -> tuple[str, str, int]:
    """Return card, element and number of the dice that are rolled next; an empty card when none are."""
    engagement = slice_of(state).engagement
    if engagement is None or state.step.act != "trick":
        return "", "", 0
    for key, count in dice_needed(engagement, known_cards(state)).items():
        card, element = rolled_for(key)
        return card, element, count
    return "", "", 0


def trick_view(state: GameState, engagement: Engagement, draft: Draft) -> MedView:
    """Return the view of an engagement in which all have played."""
    own = slice_of(state)
    title = _("Engagement {n}").format(n=state.step.stage)
    if own.decided is not None:
        return MedView(
            title,
            _("Decided"),
            (),
            main_text=done_name("trick", "med"),
            key=state.step.id,
            tally=tally(state),
        )
    waiting = effect_rows(state, engagement)
    acts = acts_row(storm_row(engagement), invalid_row(engagement))
    fighting = fighter_rows(state, engagement)
    if waiting:
        return MedView(
            title,
            _("A Storm card has not done its work yet"),
            (*waiting, *acts, *fighting),
            main_text=_("Take the trick"),
            is_main_ready=False,
            key=state.step.id,
            tally=tally(state),
        )
    if next_dice(state)[0]:
        return _dice_view(state, draft, title, (*fighting, *acts))
    won = verdict(state, engagement)
    rows = (*_pick_rows(state, engagement, won, draft), *_share_rows(state, engagement, won, draft))
    shares, missing = _shares(state, engagement, won, draft)
    words = {"won": _("Take the trick"), "tie": _("Fight again"), "nobody": _("Discard the Operation")}
    return MedView(
        title,
        _verdict_text(state, won),
        (*rows, *fighting, *acts),
        note=missing,
        main_text=words[won.kind],
        main_command=None if missing else cm.TakeTrick(state.step.id, dict(draft.picks), shares),
        is_main_ready=not missing,
        is_last=True,
        key=state.step.id,
        tally=tally(state),
    )


def _dice_view(state: GameState, draft: Draft, title: str, rows: tuple[MedRow, ...]) -> MedView:
    engagement, cards = slice_of(state).engagement, known_cards(state)
    number, element, count = next_dice(state)
    plays = engagement.plays if engagement is not None else ()
    player = next(play.player for play in plays if number in play.cards)
    text = ngettext(
        "{player} rolls {n} die: {card}, {element}", "{player} rolls {n} dice: {card}, {element}", count
    )
    lead = text.format(
        player=player_name(state, player),
        n=count,
        card=card_name(number, cards),
        element=word("element", element),
    )
    return MedView(
        title,
        lead,
        rows,
        pad="dice",
        typed="  ".join([*map(str, draft.dice), *("·" for _n in range(count - len(draft.dice)))]),
        main_text=_("Roll for us"),
        key=state.step.id,
        tally=tally(state),
        dice_left=count - len(draft.dice),
    )


def _verdict_text(state: GameState, won: Outcome) -> str:
    totals = _("Allies {a} : {b} Axis").format(a=won.totals.get("allies", 0), b=won.totals.get("axis", 0))
    if won.kind != "won" or won.player is None:
        return f"{totals}: {word('reason', won.reason)}"
    best = next(f for f in won.fighters if f.card == won.card)
    level = [f for f in won.fighters if f.side == won.side and f.value == best.value]
    why = _("highest card, played first") if len({f.player for f in level}) > 1 else _("highest card")
    if won.reason == "intelligence":
        why = word("reason", "intelligence")
    return _("{totals}. {player} takes the trick: {card} counts {value}, {why}").format(
        totals=totals, player=player_name(state, won.player), card=won.card, value=best.value, why=why
    )


def _pick_rows(state: GameState, engagement: Engagement, won: Outcome, draft: Draft) -> tuple[MedRow, ...]:
    cards = known_cards(state)
    if won.kind != "won" or not pickable(engagement, cards, won):
        return ()
    rows = []
    for player, number in suppliers(engagement, cards, won):
        picked = draft.picks.get(player, "")
        text = _("{player} may take a ship back: {card}").format(
            player=player_name(state, player), card=card_name(number, cards)
        )
        rows.append(MedRow(player, text, card_name(picked, cards) if picked else _("none yet"), "pick"))
    return tuple(rows)


def _sharing(
    state: GameState, engagement: Engagement, won: Outcome
) -> tuple[tuple[str, ...], tuple[Side, ...]]:
    """Return prizes and who shares them; nobody but under the advanced rules with more than one sharer."""
    own, cards = slice_of(state), known_cards(state)
    if won.kind != "won" or not own.options.advanced:
        return (), ()
    players = sharers(engagement, won, own.options, cards)
    prizes = (engagement.operation, *spoils(engagement, cards, won))
    return (prizes, players) if len(players) > 1 else ((), ())


def _share_rows(state: GameState, engagement: Engagement, won: Outcome, draft: Draft) -> tuple[MedRow, ...]:
    cards = known_cards(state)
    prizes, players = _sharing(state, engagement, won)
    rows = []
    for prize in prizes:
        to = draft.shares.get(prize, "")
        text = f"{card_name(prize, cards)}, {_('{n} VP').format(n=cards[prize].victory_points)}"
        if len(players) <= 3:
            options = tuple((p, player_name(state, p)) for p in players)
            rows.append(MedRow(f"share.{prize}", text, options=options, chosen=to))
        else:
            sub = _("to {player}").format(player=player_name(state, to)) if to else "–"
            rows.append(MedRow(prize, text, sub, "share"))
    return tuple(rows)


def _shares(
    state: GameState, engagement: Engagement, won: Outcome, draft: Draft
) -> tuple[dict[str, tuple[str, ...]], str]:
    """Return the sharing as the command wants it, and what is missing."""
    prizes, players = _sharing(state, engagement, won)
    if not players:
        return {}, ""
    if any(prize not in draft.shares for prize in prizes):
        return {}, _("{player} shares the prizes out").format(player=player_name(state, players[0]))
    given = {Side(p): tuple(c for c in prizes if draft.shares[c] == p) for p in players}
    faults = share_faults(given, prizes, players)
    if faults:
        return {}, sentence(sentences(faults), state)
    return {str(player): some for player, some in given.items()}, ""

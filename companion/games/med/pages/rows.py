"""Lines that several views of the Engagement screen share: the Operation and totals, what lies there, Storm cards."""

from __future__ import annotations

from companion.core.state import GameState
from companion.games.med.pages.draft import MedRow, Tally
from companion.games.med.pages.words import (
    card_facts,
    card_name,
    elements_text,
    side_word,
    word,
)
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import Card, is_victim
from companion.games.med.rules.engagement import Engagement, Play
from companion.games.med.rules.outcome import dice_needed, rolled_for
from companion.games.med.rules.slice import counting, hands, known_cards, slice_of, storms_waiting
from companion.games.med.rules.tricks import lost_waits
from companion.pages.i18n import N_, _, ngettext
from companion.pages.labels import side_name

__all__ = [
    "acts_row",
    "effect_rows",
    "fighter_rows",
    "hand_rows",
    "invalid_row",
    "open_targets",
    "player_name",
    "storm_row",
    "table_rows",
    "tally",
    "target_rows",
    "waiting_rows",
]

_EFFECT_HINTS: dict[str, str] = {
    "sirocco": N_("Roll a die: 1-3 cancels a player's part, 4-6 passes it to the left"),
    "explosion": N_("Roll two dice: below 7 right, above 7 left, 7 himself"),
    "lost": N_("Cancels any one Bonus"),
}


def player_name(state: GameState, player: str) -> str:
    """Return a player's name."""
    return side_name(state.frozen_setup, player)


def tally(state: GameState) -> Tally | None:
    """Return the Operation at hand and the totals of what lies open; None before one is turned over."""
    own = slice_of(state)
    engagement = own.engagement
    if engagement is None:
        return None
    cards = known_cards(state)
    card = cards[engagement.operation]
    kind = _("Battle") if own.options.is_battle(card) else word("operation", card.operation)
    facts = [kind, str(card.years[0]), elements_text(engagement.current_elements())]
    facts.append(_("{n} VP").format(n=card.victory_points))
    if engagement.replay:
        facts.append(_("fought again"))
    asked: set[str] = set()
    if own.decided is not None:
        sums = dict(own.decided.totals)
    else:
        hidden = {n for play in engagement.plays if is_masked(state, play) for n in play.cards}
        found = [one for one in counting(state, engagement) if one.card not in hidden]
        sums = {side: sum(one.value for one in found if one.side == side) for side in ("allies", "axis")}
        open_dice = {rolled_for(key)[0] for key in dice_needed(engagement, cards)} - hidden
        asked = {one.side for one in found if {one.card, *one.bonuses} & open_dice}
        if not found:
            return Tally(card_name(card.number, cards), " · ".join(facts))
    texts = {side: f"{sums.get(side, 0)}{' + ?' if side in asked else ''}" for side in ("allies", "axis")}
    ahead = max(sums, key=lambda side: sums[side], default="")
    level = len(set(sums.values())) < 2
    return Tally(
        card_name(card.number, cards),
        " · ".join(facts),
        texts["allies"],
        texts["axis"],
        "" if level or asked else ahead,
    )


def hand_rows(state: GameState) -> tuple[MedRow, ...]:
    """Return to how many cards each player fills his hand, in playing order."""
    own, cards = slice_of(state), known_cards(state)
    order = own.engagement.order if own.engagement is not None else own.players
    dealer = state.frozen_setup.options.get("dealer") if state.step.act == "setup" else None
    sizes = hands(state)
    rows = []
    for player in order:
        text = ngettext("fills up to {n} card", "fills up to {n} cards", sizes[player])
        parts = [text.format(n=sizes[player])]
        if own.decided is not None and player in own.decided.picked:
            back = card_name(own.decided.picked[player], cards)
            parts.append(_("{card} is back in the hand").format(card=back))
        if dealer == own.players.index(player) + 1:
            parts.append(_("deals and starts"))
        rows.append(MedRow(player, player_name(state, player), " · ".join(parts), value=str(sizes[player])))
    return tuple(rows)


def is_masked(state: GameState, play: Play) -> bool:
    """Say whether a play lies face down now."""
    own = slice_of(state)
    engagement = own.engagement
    if engagement is None or play.round != 2 or play.apart:
        return False
    if state.step.act not in ("play_hidden", "play_again"):
        return False
    return own.options.is_battle(known_cards(state)[engagement.operation])


def table_rows(state: GameState, engagement: Engagement) -> tuple[MedRow, ...]:
    """Return a line for everybody who has played or discarded, and what lies under the Operation."""
    cards = known_cards(state)
    values = {one.card: one.value for one in counting(state, engagement)}
    rows = []
    for play in engagement.plays:
        names = [card_name(n, cards) for n in play.cards if not engagement.is_removed(n)]
        sub = ", ".join(names)
        value = str(sum(values.get(n, 0) for n in play.cards)) if set(values) & set(play.cards) else ""
        if is_masked(state, play):
            sub, value = _("face down"), ""
        gone = [
            f"{one.card} ({word('why', one.why)})"
            for one in engagement.removed
            if one.card in play.cards and not engagement.is_void(one)
        ]
        if gone:
            sub = " · ".join(filter(None, (sub, _("out: {cards}").format(cards=", ".join(gone)))))
        name = player_name(state, play.player)
        text = f"{name}, {side_word(play.side)}" if play.side else name
        key = f"play.{play.player}.{play.round}.{play.cards[0]}"
        rows.append(MedRow(key, text, sub, side=play.side, value=value))
    rows.extend(
        MedRow(
            f"discard.{gone.player}.{gone.round}",
            player_name(state, gone.player),
            word("discard", gone.what),
        )
        for gone in engagement.discards
    )
    rows.extend(
        MedRow(f"barred.{one.player}.{one.round}", player_name(state, one.player), _("Sirocco: may not play"))
        for one in engagement.barred
        if not any(play.player == one.player for play in engagement.plays)
    )
    if engagement.carried:
        under = ", ".join(carried.card for carried in engagement.carried)
        rows.append(MedRow("carried", _("Under the Operation"), under))
    return tuple(rows)


def waiting_rows(state: GameState, engagement: Engagement, number: int) -> tuple[MedRow, ...]:
    """Return a quiet line for everybody who is still to play in a round, after whoever plays now."""
    playing = state.step.owners
    return tuple(
        MedRow(f"waits.{player}", player_name(state, player), _("still to play"), tone="muted")
        for player in engagement.order
        if player not in playing
        and not engagement.has_acted(player, number)
        and not engagement.sat_out(player)
    )


def fighter_rows(state: GameState, engagement: Engagement) -> tuple[MedRow, ...]:
    """Return a line for every card that counts, with its value, and one for what dropped out."""
    cards = known_cards(state)
    rows = []
    for one in counting(state, engagement):
        parts = [card_facts(cards[one.card])]
        parts += [card_name(bonus, cards) for bonus in one.bonuses]
        if one.doubled:
            parts.append(_("doubled"))
        if one.bomb_alley:
            parts.append(word("effect", "bomb_alley"))
        text = f"{card_name(one.card, cards)}, {player_name(state, one.player)} ({side_word(one.side)})"
        rows.append(
            MedRow(f"fighter.{one.card}", text, " · ".join(parts), side=one.side, value=str(one.value))
        )
    gone = [
        f"{card_name(one.card, cards)} ({word('why', one.why)})"
        for one in engagement.removed
        if not engagement.is_void(one)
    ]
    if gone:
        rows.append(MedRow("gone", _("Out"), ", ".join(gone), tone="muted"))
    return tuple(rows)


def acts_row(*acts: MedRow | None) -> tuple[MedRow, ...]:
    """Return one line with several acts side by side; nothing when there are none."""
    there = tuple(act for act in acts if act is not None)
    return (MedRow("acts." + ".".join(act.key for act in there), "", acts=there),) if there else ()


def invalid_row(engagement: Engagement) -> MedRow | None:
    """Return the act that takes an invalid card out; None while nothing lies there."""
    return MedRow("invalid", _("A card is invalid"), act="invalid") if engagement.lying() else None


def storm_row(engagement: Engagement) -> MedRow | None:
    """Return the act that lays a Storm card at another moment; None once the dice roll."""
    return None if engagement.rolls else MedRow("storm", _("Storm card"), act="storm")


def effect_rows(state: GameState, engagement: Engagement) -> tuple[MedRow, ...]:
    """Return what Storm cards on the table still have to do."""
    step, cards = state.step, known_cards(state)
    rows = []
    for player, _number, effect in storms_waiting(state, engagement):
        if effect == "sirocco" and player not in step.owners:
            continue
        if effect == "lost" and not lost_waits(engagement, cards):
            continue
        text = f"{player_name(state, player)}: {word('effect', effect)}"
        rows.append(MedRow(effect, text, _(_EFFECT_HINTS[effect]), "effect"))
    if engagement.sirocco is not None and engagement.sirocco in step.owners:
        text = _("{player}: use the passed Sirocco").format(player=player_name(state, engagement.sirocco))
        rows.append(MedRow("sirocco", text, _(_EFFECT_HINTS["sirocco"]), "effect"))
        command = cm.UseEffect(step.id, "sirocco", put_away=True)
        rows.append(MedRow("put_away", _("Discard the Sirocco unused"), command=command))
    return tuple(rows)


def open_targets(cards: dict[str, Card], destiny: tuple[str, ...], there: tuple[str, ...]) -> tuple[str, ...]:
    """Return which Destiny cards name a target that no known card answers to: the table may point at it."""
    return tuple(
        n
        for n in destiny
        if cards[n].kind == "force"
        and cards[n].victim
        and not any(is_victim(cards[n], other) for other in cards.values())
        and any(other != n for other in there)
    )


def target_rows(state: GameState, engagement: Engagement, destiny: tuple[str, ...]) -> tuple[MedRow, ...]:
    """Return for every such Destiny card the question which card on the table is its target."""
    cards = known_cards(state)
    return tuple(
        MedRow(
            n,
            _("Target of {card}: {name}").format(card=n, name=cards[n].victim),
            _("Tap if it lies here"),
            "target",
        )
        for n in open_targets(cards, destiny, engagement.lying())
    )

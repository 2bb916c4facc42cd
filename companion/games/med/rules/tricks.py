"""Decisions at the end of an engagement: the dice of ``?`` values, the trick, the draw.

Source: Naval card game, Outcome of the Engagement; Winning the Trick; Tie; No Combat; Supply Cards; Advanced Rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from companion.core.events import Event, SegmentAppended
from companion.core.ids import Side
from companion.core.options import says
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.state import GameState
from companion.core.text import Name, Say, sentences, several
from companion.core.text import card as named
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import Camp, Card, CardNo
from companion.games.med.rules.engagement import Carried, Engagement
from companion.games.med.rules.flow import end_step, engagement_steps, seated_from, turn_step
from companion.games.med.rules.outcome import (
    Outcome,
    dice_needed,
    roll_key,
    rolled_for,
    share_faults,
    spoils,
)
from companion.games.med.rules.slice import MedSlice, known_cards, sharing, slice_of, storms_waiting, verdict
from companion.games.med.rules.storms import dice_fault

__all__ = ["lost_waits", "pickable", "roll", "suppliers", "take_trick"]


def roll(state: GameState, command: cm.RollDice) -> Decision:
    """Record the dice of one value."""
    own = slice_of(state)
    engagement = own.engagement
    if engagement is None or state.step.act != "trick" or own.decided is not None:
        return Rejected("not_now", Say("Dice are rolled after all cards are down."))
    waiting = _still_waiting(state, engagement)
    if waiting is not None:
        return waiting
    needed = dice_needed(engagement, known_cards(state))
    key = roll_key(command.card, command.element)
    if key not in needed:
        return Rejected("no_dice", Say("Nothing is rolled for {value}.", value=_value_of(key)))
    fault = dice_fault(command.dice, needed[key])
    if fault is not None:
        return fault
    return Accepted((cm.DiceRolled(key, command.dice, command.origin),))


def _value_of(key: str) -> Say:
    """Name the value that dice are rolled for."""
    number, element = rolled_for(key)
    return Say("{card} ({element})", card=named(number), element=Name("element", element))


def lost_waits(engagement: Engagement, cards: Mapping[CardNo, Card]) -> bool:
    """Say whether a Bonus lies there that a Lost can cancel."""
    return any(cards[n].kind == "bonus" for n in engagement.lying())


def _still_waiting(state: GameState, engagement: Engagement) -> Rejected | None:
    """Name the Storm card whose work comes before the dice: all cards have done theirs when they roll."""
    cards = known_cards(state)
    for _player, _number, effect in storms_waiting(state, engagement):
        if effect == "explosion" or (effect == "lost" and lost_waits(engagement, cards)):
            return Rejected(
                "storm_waits", Say("Carry out this card first: {card}.", card=Name("effect", effect))
            )
    return None


def take_trick(state: GameState, command: cm.TakeTrick) -> Decision:
    """Decide the engagement: cards to piles and hands, the next engagement or the same Operation again."""
    own = slice_of(state)
    engagement = own.engagement
    if engagement is None or state.step.act != "trick":
        return Rejected("not_now", Say("An engagement is decided once everyone has played."))
    if own.decided is not None:
        lies = named(engagement.operation)
        return Rejected("already_decided", Say("The engagement for {card} is already decided.", card=lies))
    waiting = _still_waiting(state, engagement)
    if waiting is not None:
        return waiting
    cards = known_cards(state)
    missing = dice_needed(engagement, cards)
    if missing:
        values = several(map(_value_of, missing))
        return Rejected("dice_missing", Say("Roll the dice first for {values}.", values=values))
    won = verdict(state, engagement)
    trophies = _destroyed(state, own, engagement, cards, won)
    if won.kind == "tie":
        return Accepted(_drawn(own, engagement, cards, won, trophies))
    picked: dict[Side, CardNo] = {}
    if won.kind == "won" and won.player is not None:
        fault = _pick_fault(engagement, cards, won, command.picks)
        if fault is not None:
            return Rejected(Code.BAD_VALUE, fault)
        picked = dict(command.picks)
        prizes = (engagement.operation, *spoils(engagement, cards, won))
        shares = {won.player: prizes}
        if own.options.advanced:
            players = sharing(state, engagement, won)
            alone = {players[0]: prizes} if len(players) == 1 else {}
            shares = {Side(p): given for p, given in command.shares.items()} or alone
            faults = share_faults(shares, prizes, players)
            if faults:
                return Rejected("bad_sharing", sentences(faults))
        for player, given in shares.items():
            for card in given:
                how: Literal["trick", "spoil"] = "trick" if card == engagement.operation else "spoil"
                trophies[player].append(cm.Trophy(card, engagement.number, how))
    last = engagement.number >= own.options.operations
    following = (
        end_step(own.game, engagement.number)
        if last
        else turn_step(own.game, engagement.number + 1, _next_starter(own, engagement))
    )
    return Accepted((_decided(won, trophies, picked, None), SegmentAppended((following,))))


def _destroyed(
    state: GameState, own: MedSlice, engagement: Engagement, cards: Mapping[CardNo, Card], won: Outcome
) -> dict[Side, list[cm.Trophy]]:
    """Return what was destroyed during the engagement, by who destroyed it."""
    trophies: dict[Side, list[cm.Trophy]] = {player: [] for player in own.players}
    for gone in won.destroyed:
        if gone.counts:
            trophies[gone.player].append(cm.Trophy(gone.victim, engagement.number, "destiny"))
    if not says(state, "explosion_prize", "yes"):
        return trophies
    for blown in engagement.removed:
        if blown.why != "explosion" or blown.by is None or engagement.is_void(blown):
            continue
        owner = blown.of or next((p.player for p in engagement.plays if blown.card in p.cards), None)
        if cards[blown.card].kind in ("force", "supply") and blown.by != owner:
            trophies[blown.by].append(cm.Trophy(blown.card, engagement.number, "explosion"))
    return trophies


def _next_starter(own: MedSlice, engagement: Engagement) -> Side:
    """Return who starts the next engagement: one seat further than this one's first starter, replays aside."""
    first = own.players.index(engagement.order[0]) - engagement.replay
    return own.players[(first + 1) % len(own.players)]


def _decided(
    won: Outcome, trophies: dict[Side, list[cm.Trophy]], picked: dict[Side, CardNo], replay: Engagement | None
) -> cm.EngagementDecided:
    return cm.EngagementDecided(
        won.kind,
        won.side,
        won.player,
        won.card,
        won.totals,
        {player: tuple(given) for player, given in trophies.items() if given},
        picked,
        replay,
        won.reason,
    )


def _drawn(
    own: MedSlice,
    engagement: Engagement,
    cards: Mapping[CardNo, Card],
    won: Outcome,
    trophies: dict[Side, list[cm.Trophy]],
) -> tuple[Event, ...]:
    """Put the cards under the Operation and fight it again from the seat to the left."""
    year = cards[engagement.operation].years[0]
    carried = tuple(
        Carried(number, play.side, play.player)
        for play in engagement.plays
        for number in play.cards
        if not engagement.is_removed(number, play.player) and cards[number].fits(year)
    )
    again = Engagement(
        engagement.number,
        engagement.operation,
        engagement.elements,
        seated_from(own.players, own.players.index(engagement.order[0]) + 1),
        replay=engagement.replay + 1,
        carried=(*engagement.carried, *carried),
    )
    steps = engagement_steps(own.game, again, cards[engagement.operation], own.options)
    return (_decided(won, trophies, {}, again), SegmentAppended(steps))


def _ours(engagement: Engagement, side: Camp) -> list[tuple[Side, CardNo]]:
    """Return player and card of everything that a side has in the engagement, drawn rounds included."""
    laid = [
        (p.player, p.side, n)
        for p in engagement.plays
        for n in p.cards
        if not engagement.is_removed(n, p.player)
    ]
    under = [(one.player, one.side, one.card) for one in engagement.carried]
    return [(player, number) for player, of, number in (*under, *laid) if of == side]


def suppliers(
    engagement: Engagement, cards: Mapping[CardNo, Card], won: Outcome
) -> tuple[tuple[Side, CardNo], ...]:
    """Return who may take a ship back for which Supply card; nobody when the engagement was not won."""
    return tuple((p, n) for p, n in _ours(engagement, won.side) if cards[n].kind == "supply")


def pickable(engagement: Engagement, cards: Mapping[CardNo, Card], won: Outcome) -> tuple[CardNo, ...]:
    """Return the surface cards of the winning side that a Supply card may take back, whoever played them."""
    year = cards[engagement.operation].years[0]
    return tuple(
        n
        for _player, n in _ours(engagement, won.side)
        if cards[n].kind == "force" and cards[n].frame in ("surface", "all") and cards[n].fits(year)
    )


def _pick_fault(
    engagement: Engagement, cards: Mapping[CardNo, Card], won: Outcome, picks: dict[Side, CardNo]
) -> Say | None:
    """Say what is wrong with the cards taken back by Supply cards of the winning side."""
    able = {player for player, _card in suppliers(engagement, cards, won)}
    ships = pickable(engagement, cards, won)
    for player, number in picks.items():
        if player not in able:
            return Say("Only a player with a Supply card of the winning side takes a ship back.")
        if number not in ships:
            return Say(
                "{card} is not a surface card of the winning side in this engagement.", card=named(number)
            )
    if len(set(picks.values())) != len(picks):
        return Say("A card is taken back twice.")
    return None

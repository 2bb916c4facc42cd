"""What the card game keeps, and the questions that its commands, its steps and its screens ask of it.

Source: Naval card game, The Game; Battle; End of the Game; Tie.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from companion.core.events import GameEnded
from companion.core.flow import Step
from companion.core.ids import Millis, Side
from companion.core.newest import Newest
from companion.core.options import says
from companion.core.state import GameState
from companion.core.text import Say, side
from companion.core.text import card as named
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import NO_CAMP, NO_CARD, Card, CardNo, card_from, number_of
from companion.games.med.rules.effects import INTELLIGENCE, WAITING
from companion.games.med.rules.engagement import Engagement, Options, Play, Removed, lies_face_up, side_of
from companion.games.med.rules.flow import round_of
from companion.games.med.rules.outcome import Fighter, Outcome, fighters, outcome, sharers
from companion.games.med.rules.points import (
    hand_of,
    hand_size,
    operations_of,
    points_of,
    ranking,
    series_over,
)

__all__ = [
    "FACE_DOWN",
    "MedSlice",
    "again_done",
    "counting",
    "hands",
    "intelligence",
    "known_cards",
    "laid_twice",
    "lies_hidden",
    "may_play_again",
    "noted_at",
    "open_part",
    "operations_won",
    "pile_faults",
    "prefix",
    "removed_from",
    "round_at",
    "seen_by",
    "series_end",
    "sharing",
    "slice_of",
    "still_hidden",
    "storms_waiting",
    "totals",
    "verdict",
]


FACE_DOWN = ("play_hidden", "play_again")
"""Acts in which cards of a battle's second round lie face down."""


class MedSlice(msgspec.Struct, frozen=True):
    """What the card game keeps."""

    players: tuple[Side, ...]
    options: Options
    game: int = 1
    """Number of the game in its series."""
    engagement: Engagement | None = None
    decided: cm.EngagementDecided | None = None
    """How the engagement at hand ended; None while it is fought."""
    piles: dict[Side, tuple[cm.Trophy, ...]] = {}
    seen: tuple[CardNo, ...] = ()
    """Operations that came up in this game, those put away included."""
    noted: tuple[cm.OperationNoted, ...] = ()
    """Kept by totals: the Operations of this game in order, draws among them."""
    counted: dict[Side, int] = {}
    """Kept by totals: the points of this game once its piles were counted."""
    series_points: dict[Side, int] = {}
    series_operations: dict[Side, int] = {}


def slice_of(state: GameState) -> MedSlice:
    """Return the card game's slice of a state."""
    own: MedSlice = state.game["med"]
    return own


_CARDS: Newest[Mapping[CardNo, Card]] = Newest(4)


def known_cards(state: GameState) -> Mapping[CardNo, Card]:
    """Return every card that the table has entered, by number; read once, since every rule and every name asks."""
    return _CARDS.of(state.printed, make=lambda: _read_cards(state.printed))


def _read_cards(printed: Mapping[str, Any]) -> Mapping[CardNo, Card]:
    found = ((number_of(key), value) for key, value in printed.items())
    return MappingProxyType({number: card_from(value) for number, value in found if number is not None})


def prefix(own: MedSlice, engagement: Engagement) -> str:
    """Return how the ids of an engagement's steps begin."""
    again = f"again{engagement.replay}." if engagement.replay else ""
    return f"g{own.game}.e{engagement.number}.{again}"


def round_at(state: GameState, engagement: Engagement) -> int:
    """Return the round that is under way, between and after the plays too: cards laid now belong to it."""
    number = round_of(state.step)
    if number:
        return number
    rounds = slice_of(state).options.rounds(known_cards(state)[engagement.operation])
    return rounds if state.step.act in ("reveal", "trick") else 1


def intelligence(state: GameState, engagement: Engagement, player: Side, round_: int) -> CardNo:
    """Return the live Intelligence card that a player laid down in a round; empty when there is none."""
    cards = known_cards(state)
    for play in engagement.played_by(player, round_):
        for number in play.cards:
            if cards[number].effect in INTELLIGENCE and not engagement.is_removed(number, player):
                return number
    return NO_CARD


def may_play_again(state: GameState, engagement: Engagement, player: Side, round_: int) -> bool:
    """Say whether an Intelligence card gives a player his second play, which a raid may deny him."""
    if not intelligence(state, engagement, player, round_):
        return False
    side = side_of(engagement, player)
    return not engagement.only_side or engagement.only_side == side


def again_done(engagement: Engagement, player: Side, round_: int) -> bool:
    """Say whether a player has made or declined his second play."""
    declined = any(gone.why == "declined" and gone.by == player for gone in engagement.removed)
    return declined or any(play.again for play in engagement.played_by(player, round_))


def pile_faults(own: MedSlice, play: Play) -> tuple[Say, ...]:
    """Return why cards cannot be in a hand: destroyed ones never come back, drawn ones lie beneath.

    Source: Naval card game, The Game; Tie.
    """
    gone = {trophy.card for pile in own.piles.values() for trophy in pile}
    under = {carried.card for carried in own.engagement.carried} if own.engagement is not None else set()
    return (
        *(
            Say("{card} was destroyed and is out of the game.", card=named(number))
            for number in play.cards
            if number in gone
        ),
        *(
            Say("{card} lies under the Operation.", card=named(number))
            for number in play.cards
            if number in under
        ),
    )


def lies_hidden(state: GameState, play: Play) -> bool:
    """Say whether a play lies face down now: cards of a battle's second round, until they are turned over.

    Source: Naval card game, Battle.
    """
    own = slice_of(state)
    engagement = own.engagement
    if engagement is None or own.decided is not None or play.round != 2 or play.apart:
        return False
    if state.step.act not in FACE_DOWN:
        return False
    return own.options.is_battle(known_cards(state)[engagement.operation])


def open_part(state: GameState, play: Play) -> Play:
    """Return what everybody may know of a play that lies face down: who laid it, and the Storm cards in it.

    Its side is that of the first round, which everybody saw; whether a Renegade changed it is told at the reveal.

    Source: Naval card game, Battle: Storm cards are always played face up except S05.
    """
    own, cards = slice_of(state), known_cards(state)
    shown = tuple(n for n in play.cards if n in cards and lies_face_up(cards[n]))
    if own.engagement is None:
        return Play(play.player, play.round, NO_CAMP, shown, again=play.again)
    before = side_of(own.engagement, play.player)
    doubles = play.bomb_alley_on if any(cards[n].effect == "bomb_alley" for n in shown) else NO_CARD
    there = (other for other in own.engagement.plays if doubles in other.cards)
    if all(lies_hidden(state, other) for other in there):  # the same number may lie face down twice
        doubles = NO_CARD
    return Play(play.player, play.round, before, shown, bomb_alley_on=doubles, again=play.again)


def seen_by(state: GameState, engagement: Engagement, player: Side | None = None) -> Engagement:
    """Return an engagement as a player may know it: without what others laid face down; None: without all of it.

    What is judged before the cards are turned over is judged by this, so that no answer tells what lies hidden.
    """
    plays = tuple(
        open_part(state, play) if play.player != player and lies_hidden(state, play) else play
        for play in engagement.plays
    )
    if plays == engagement.plays:
        return engagement
    return msgspec.structs.replace(engagement, plays=plays, removed=removed_from(plays, engagement.removed))


def removed_from(
    plays: Sequence[Play], removed: Iterable[Removed], of: Side | None = None
) -> tuple[Removed, ...]:
    """Return what was taken out of these plays; of two that hold the same card the one says nothing of the other.

    Args:
        of: Whose cards those are of which an older log does not say it; None: whoever's.
    """
    there = {(play.player, number) for play in plays for number in play.cards}
    numbers = {number for _player, number in there}

    def is_there(one: Removed) -> bool:
        whose = one.of or of
        return (whose, one.card) in there if whose else one.card in numbers

    return tuple(dict.fromkeys(filter(is_there, removed)))


def laid_twice(engagement: Engagement, *numbers: CardNo) -> Say | None:
    """Say of which card two lie there, as face-down ones may, and whose they are; of these cards, or of all.

    Only once they are turned over: before, nobody may learn of it.
    """
    for number in numbers or engagement.lying():
        holders = engagement.holders(number)
        if len(holders) > 1:
            return Say(
                "{card} was laid by {one} and by {other}. Undo and enter it again, or take it out as invalid.",
                card=named(number),
                one=side(holders[0]),
                other=side(holders[1]),
            )
    return None


def still_hidden(engagement: Engagement) -> tuple[Side, ...]:
    """Return who laid cards face down that are not entered yet, in playing order."""
    return tuple(
        player
        for player in engagement.order
        if not engagement.sat_out(player) and not engagement.has_acted(player, 2)
    )


def storms_waiting(state: GameState, engagement: Engagement) -> tuple[tuple[Side, CardNo, str], ...]:
    """Return player, card and effect of every Storm card that lies there and has not done its work."""
    cards = known_cards(state)
    return tuple(
        (play.player, number, cards[number].effect)
        for play in engagement.plays
        for number in play.cards
        if cards[number].effect in WAITING
        and cards[number].effect not in engagement.used
        and not engagement.is_removed(number, play.player)
    )


def verdict(state: GameState, engagement: Engagement) -> Outcome:
    """Return how an engagement would be decided now, under the table's rulings; ValueError while dice are missing."""
    return outcome(
        engagement,
        known_cards(state),
        bonus_counts=says(state, "bonus_in_highest", "yes"),
        intelligence_loses=says(state, "intelligence_draw", "side"),
        raise_all=says(state, "air_plus_one", "all"),
        storm_once=says(state, "destiny_storm", "once"),
    )


def sharing(state: GameState, engagement: Engagement, won: Outcome) -> tuple[Side, ...]:
    """Return who shares in the spoils under the advanced rules and the table's rulings, the winner first."""
    any_round = says(state, "prize_round", "any")
    return sharers(engagement, won, slice_of(state).options, known_cards(state), any_round=any_round)


def counting(state: GameState, engagement: Engagement) -> tuple[Fighter, ...]:
    """Return what counts in an engagement, valued under the table's rulings with the dice rolled so far."""
    return fighters(
        engagement,
        known_cards(state),
        raise_all=says(state, "air_plus_one", "all"),
        storm_once=says(state, "destiny_storm", "once"),
    )


def noted_at(own: MedSlice, step: Step) -> cm.OperationNoted | None:
    """Return how the Operation of a step ended; None while it is open."""
    return next((noted for noted in own.noted if noted.step == step.id), None)


def operations_won(state: GameState) -> dict[Side, int]:
    """Return how many Operations of the game at hand each player has won."""
    own, cards = slice_of(state), known_cards(state)
    return {
        player: operations_of(own.piles[player], cards) + sum(one.player == player for one in own.noted)
        for player in own.players
    }


def totals(state: GameState) -> tuple[dict[Side, int], dict[Side, int]]:
    """Return points and Operations won over the series with the game at hand, hidden piles counted."""
    own, cards = slice_of(state), known_cards(state)
    won = operations_won(state)
    points = {
        p: own.series_points[p] + points_of(own.piles[p], cards) + own.counted.get(p, 0) for p in own.players
    }
    return points, {p: own.series_operations[p] + won[p] for p in own.players}


def series_end(state: GameState, at_ms: Millis) -> GameEnded | None:
    """Return the end of the series, or None where another game follows.

    Source: Naval card game, End of the Game.
    """
    own = slice_of(state)
    points, tricks = totals(state)
    if not series_over(points, own.game, own.options.series_points, own.options.series_games):
        return None
    first = [standing for standing in ranking(points, tricks) if standing.place == 1]
    winner = first[0].player if len(first) == 1 else None
    return GameEnded(winner, "points" if winner else "tied", at_ms=at_ms)


def hands(state: GameState) -> dict[Side, int]:
    """Return to how many cards each player fills his hand, as far as that can be told.

    Kept by totals it cannot for whoever took an Operation whose load line was not noted.
    """
    cards, own = known_cards(state), slice_of(state)
    options = own.options
    if options.keep == "totals":
        lines = {p: [one.freighter for one in own.noted if one.player == p] for p in own.players}
        return {p: hand_of(found, options) for p, found in lines.items() if "" not in found}
    battles = options.fast or says(state, "battle_freighters", "yes")
    return {player: hand_size(own.piles[player], cards, options, battles=battles) for player in own.players}

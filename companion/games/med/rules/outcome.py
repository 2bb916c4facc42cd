"""Who wins an engagement, who takes the trick, and where every card goes.

Pure functions over an `Engagement`, the known cards and the dice rolled. Source: Naval card game, Victim of Destiny; Outcome of
the Engagement; Winning the Trick; Tie; No Combat; Advanced Rules; Explanation of Significant Cards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from companion.core.ids import Side
from companion.core.text import Say, side
from companion.games.med.rules.cards import (
    AIR_RAISING_OPERATIONS,
    ALLIES,
    AXIS,
    ELEMENTS,
    NO_CAMP,
    NO_CARD,
    Camp,
    Card,
    CardNo,
    Element,
    is_victim,
)
from companion.games.med.rules.effects import INTELLIGENCE
from companion.games.med.rules.engagement import Engagement, Options, Play, Removed

__all__ = [
    "Destroyed",
    "Fighter",
    "Outcome",
    "destinies",
    "destroyed",
    "dice_needed",
    "fighters",
    "roll_key",
    "rolled_for",
    "share_faults",
    "sharers",
    "spoils",
    "outcome",
]

SIDES = (ALLIES, AXIS)


class Destroyed(msgspec.Struct, frozen=True):
    """A victim of Destiny."""

    victim: CardNo
    by: CardNo
    player: Side
    """Who played the Destiny card: the victim counts to his points."""
    counts: bool
    """False for a victim that is a Bonus: it is discarded."""
    of: Side | None = None
    """Whose the victim was; None: whoever's."""


class Fighter(msgspec.Struct, frozen=True):
    """A Force card (or a Bonus alone) that counts, with what supports it."""

    card: CardNo
    player: Side
    side: Camp
    round: int
    position: int
    """Order of play over the whole engagement; the lowest was first."""
    bonuses: tuple[CardNo, ...] = ()
    bomb_alley: bool = False
    doubled: bool = False
    """The operation itself is this Destiny card's victim."""
    value: int = 0
    """Combat value, Bonuses included."""
    own_value: int = 0
    """Combat value without Bonuses."""


class Outcome(msgspec.Struct, frozen=True):
    """How an engagement ended."""

    kind: Literal["won", "tie", "nobody"]
    side: Camp = NO_CAMP
    player: Side | None = None
    """Who takes the trick."""
    card: CardNo = NO_CARD
    """The card that takes it."""
    totals: dict[Camp, int] = {}
    fighters: tuple[Fighter, ...] = ()
    destroyed: tuple[Destroyed, ...] = ()
    reason: Literal["higher_total", "intelligence", "no_value", "equal_totals"] = "higher_total"


def _live(engagement: Engagement, cards: Mapping[CardNo, Card]) -> list[tuple[Play, int, CardNo]]:
    """Return play, position and card of everything that still counts; wrong years drop out here."""
    year = cards[engagement.operation].years[0]
    live = []
    # Cards laid face down are entered at the reveal: the playing order counts, not the order of entry.
    seat = engagement.order.index
    laid = (play for play in engagement.plays if not play.apart)
    played = sorted(laid, key=lambda play: (play.round, play.again, seat(play.player)))
    for position, play in enumerate(played):
        for number in play.cards:
            if engagement.is_removed(number, play.player) or not cards[number].fits(year):
                continue
            live.append((play, position, number))
    return live


def destinies(
    engagement: Engagement, cards: Mapping[CardNo, Card], by: tuple[CardNo, ...] | None = None
) -> tuple[Removed, ...]:
    """Return what Destiny cards remove from the engagement as it lies: each victim with the Bonuses on it.

    An Operation as victim is no loss: it doubles the Destiny card (`Fighter.doubled`).

    Args:
        by: In a convoy the cards just laid: their victims are lost where they lay before. None at the reveal of a
            battle: victims are lost in whatever order they were played.
    """
    live = _live(engagement, cards)
    there = {(play.player, number) for play, _, number in live}
    gone: list[Removed] = []
    for play, position, number in live:
        if by is not None and number not in by:
            continue
        for other, at, victim in live:
            if victim == number or not is_victim(cards[number], cards[victim]):
                continue
            if (by is not None and at >= position) or any(one.takes(victim, other.player) for one in gone):
                continue
            gone.append(Removed(victim, "destiny", play.player, number, other.player, play.player))
            gone.extend(
                Removed(bonus, "destiny", None, number, other.player, play.player)
                for bonus in other.cards
                if (other.player, bonus) in there
                and cards[bonus].kind == "bonus"
                and _supported(other, bonus, cards) == victim
            )
    return tuple(gone)


def destroyed(engagement: Engagement, cards: Mapping[CardNo, Card]) -> tuple[Destroyed, ...]:
    """List the victims of Destiny that were destroyed in the engagement so far."""
    return tuple(
        Destroyed(one.card, one.cause, one.by, cards[one.card].kind != "bonus", one.of)
        for one in engagement.removed
        if one.why == "destiny" and one.by is not None and not engagement.is_void(one)
    )


def fighters(
    engagement: Engagement, cards: Mapping[CardNo, Card], *, raise_all: bool = True, storm_once: bool = False
) -> tuple[Fighter, ...]:
    """Return what counts, valued with the dice rolled so far (dice not yet rolled count 0).

    Args:
        raise_all: Whether an Operation that raises Air values does so for cards that print none (ruling
            ``air_plus_one``).
        storm_once: Whether a Destiny card at its Operation doubles its own value alone, not what Bomb alley adds to it
            (ruling ``destiny_storm``).
    """
    live = _live(engagement, cards)
    alive = {(play.player, number) for play, _, number in live}
    elements = engagement.current_elements()
    raised = engagement.operation in AIR_RAISING_OPERATIONS and "air" in elements
    lift: Literal["no", "all", "printed"] = ("all" if raise_all else "printed") if raised else "no"
    alleys = [play for play in engagement.plays if _bomb_alley_lives(engagement, play, cards)]
    found = []
    for play, position, number in live:
        card = cards[number]
        if card.kind not in ("force", "bonus") or (card.kind == "bonus" and _supported(play, number, cards)):
            continue
        bonuses = tuple(
            other
            for other in play.cards
            if (play.player, other) in alive
            and cards[other].kind == "bonus"
            and _supported(play, other, cards) == number
        )
        fighter = Fighter(
            card=number,
            player=play.player,
            side=play.side,
            round=play.round,
            position=position,
            bonuses=bonuses,
            bomb_alley=any(_doubles(alley, play, number) for alley in alleys),
            doubled=is_victim(card, cards[engagement.operation]),
        )
        is_bonus = card.kind == "bonus"
        own = _value(engagement, card, fighter, elements, lift=lift, is_bonus=is_bonus, storm_once=storm_once)
        extra = sum(
            _value(engagement, cards[b], fighter, elements, lift=lift, is_bonus=True) for b in bonuses
        )
        found.append(msgspec.structs.replace(fighter, own_value=own, value=own + extra))
    return tuple(found)


def _bomb_alley_lives(engagement: Engagement, play: Play, cards: Mapping[CardNo, Card]) -> bool:
    return any(
        cards[number].effect == "bomb_alley" and not engagement.is_removed(number, play.player)
        for number in play.cards
    )


def _doubles(alley: Play, play: Play, number: CardNo) -> bool:
    """Say whether a Bomb alley lies on a card of a play: one of its own cards where it holds that number."""
    return alley.bomb_alley_on == number and (play.player == alley.player or number not in alley.cards)


def _supported(play: Play, bonus: CardNo, cards: Mapping[CardNo, Card]) -> CardNo:
    """Return the Force card that a Bonus lies on; empty when it lies alone."""
    named = play.bonus_on.get(bonus)
    if named:
        return named
    forces = [number for number in play.cards if cards[number].kind == "force"]
    return forces[0] if len(forces) == 1 else NO_CARD


def _dice(card: Card, element: Element, bomb_alley: bool) -> int:
    printed = card.values[ELEMENTS.index(element)]
    if isinstance(printed, int):
        return 0
    return len(printed) * (2 if bomb_alley and element == "air" else 1)


def _value(
    engagement: Engagement,
    card: Card,
    fighter: Fighter,
    elements: tuple[Element, ...],
    *,
    lift: str,
    is_bonus: bool,
    storm_once: bool = False,
) -> int:
    total = 0
    for element in elements:
        printed = card.values[ELEMENTS.index(element)]
        is_bombed = fighter.bomb_alley and element == "air"
        if isinstance(printed, int):
            base, value = printed, printed * (2 if is_bombed else 1)
        else:
            # Bomb alley turns one die into two, it does not double the die; the first ones are the card's own.
            dice = engagement.rolls.get(roll_key(card.number, element), ())
            base, value = sum(dice[: len(printed)]), sum(dice)
        if fighter.doubled and not is_bonus:
            value += base if storm_once else value
        if element == "air" and (lift == "all" or (lift == "printed" and printed != 0)):
            value += 1
        total += value
    return total


def roll_key(card: CardNo, element: str) -> str:
    """Return the key under which the dice of one value are kept."""
    return f"{card}:{element}"


def rolled_for(key: str) -> tuple[CardNo, str]:
    """Return card and element of the value that a key names."""
    card, _, element = key.partition(":")
    return CardNo(card), element


def dice_needed(engagement: Engagement, cards: Mapping[CardNo, Card]) -> dict[str, int]:
    """Return ``card:element`` to the number of dice still to be rolled, in playing order."""
    needed: dict[str, int] = {}
    for fighter in fighters(engagement, cards):
        for number in (fighter.card, *fighter.bonuses):
            for element in engagement.current_elements():
                count = _dice(cards[number], element, fighter.bomb_alley)
                key = roll_key(number, element)
                if count and len(engagement.rolls.get(key, ())) != count:
                    needed[key] = count
    return needed


def outcome(
    engagement: Engagement,
    cards: Mapping[CardNo, Card],
    *,
    bonus_counts: bool = True,
    intelligence_loses: bool = True,
    raise_all: bool = True,
    storm_once: bool = False,
) -> Outcome:
    """Decide the engagement. All dice have been rolled; ValueError when some have not.

    Args:
        bonus_counts: Whether a Bonus counts into its Force card for the highest card (ruling ``bonus_in_highest``).
        intelligence_loses: Whether a draw is lost by the side of the only Intelligence card (ruling
            ``intelligence_draw``).
        raise_all: See `fighters`.
        storm_once: See `fighters`.
    """
    missing = dice_needed(engagement, cards)
    if missing:
        raise ValueError(f"dice are still to be rolled for {', '.join(missing)}")
    found = fighters(engagement, cards, raise_all=raise_all, storm_once=storm_once)
    gone = destroyed(engagement, cards)
    totals = {side: sum(f.value for f in found if f.side == side) for side in SIDES}
    if not any(f.value > 0 for f in found):
        return Outcome("nobody", totals=totals, fighters=found, destroyed=gone, reason="no_value")
    reason: Literal["higher_total", "intelligence"] = "higher_total"
    if totals[ALLIES] == totals[AXIS]:
        losers = _intelligence_sides(engagement, cards) if intelligence_loses else set()
        if len(losers) != 1:
            return Outcome("tie", totals=totals, fighters=found, destroyed=gone, reason="equal_totals")
        side = AXIS if losers == {ALLIES} else ALLIES
        reason = "intelligence"
    else:
        side = max(SIDES, key=lambda s: totals[s])
    ours = [f for f in found if f.side == side]
    if not ours:
        # A draw at zero against zero never gets here; a side that wins by the enemy's Intelligence may stand empty.
        return Outcome("nobody", totals=totals, fighters=found, destroyed=gone, reason="no_value")
    best = max(ours, key=lambda f: (f.value if bonus_counts else f.own_value, -f.position))
    return Outcome("won", side, best.player, best.card, totals, found, gone, reason)


def _intelligence_sides(engagement: Engagement, cards: Mapping[CardNo, Card]) -> set[Camp]:
    return {
        play.side
        for play in engagement.plays
        for number in play.cards
        if cards[number].effect in INTELLIGENCE and not engagement.is_removed(number, play.player)
    }


def spoils(engagement: Engagement, cards: Mapping[CardNo, Card], won: Outcome) -> tuple[CardNo, ...]:
    """Return the loser's Force and Supply cards that go under the operation, drawn rounds included.

    Cards that dropped out (invalid, cancelled, destroyed by Explosion) and victims of Destiny are not among them.
    """
    taken = [
        number
        for play, _, number in _live(engagement, cards)
        if play.side != won.side and cards[number].kind in ("force", "supply")
    ]
    under = [
        carried.card
        for carried in engagement.carried
        if carried.side != won.side and cards[carried.card].kind in ("force", "supply")
    ]
    return (*under, *taken)


def sharers(
    engagement: Engagement,
    won: Outcome,
    options: Options,
    cards: Mapping[CardNo, Card],
    *,
    any_round: bool = False,
) -> tuple[Side, ...]:
    """Return who shares in the spoils under the advanced rules, the winner first.

    The winning side's players of the final round with a card of value 1 or more whom no Sirocco or Destiny hit. A winner
    who was hit in an earlier round shares the prizes out and gets none, unless nobody else may have any.

    Source: Naval card game, Advanced Rules

    Args:
        any_round: Whether the card of value 1 or more may lie in an earlier round of the engagement (ruling
            ``prize_round``).
    """
    last = options.rounds(cards[engagement.operation])
    hit = {
        play.player
        for play in engagement.plays
        for gone in won.destroyed
        if gone.victim in play.cards and gone.of in (None, play.player)
    }
    hit |= {barred.player for barred in engagement.barred}
    laid = sorted((play for play in engagement.plays if not play.apart), key=lambda play: play.round)
    sides = {play.player: play.side for play in laid}
    able = {
        fighter.player
        for fighter in won.fighters
        if fighter.side == won.side
        and (any_round or fighter.round == last)
        and sides.get(fighter.player) == won.side
        and fighter.value >= 1
        and fighter.player not in hit
    }
    rest = [player for player in engagement.order if player in able and player != won.player]
    if won.player is None or (won.player in hit and rest):
        return tuple(rest)
    return (won.player, *rest)


def share_faults(
    shares: Mapping[Side, tuple[CardNo, ...]], prizes: tuple[CardNo, ...], players: tuple[Side, ...]
) -> tuple[Say, ...]:
    """Say what is wrong with a sharing: every prize once, nobody a second before all have one, and so on.

    Source: Naval card game, Advanced Rules.
    """
    faults = []
    given = [card for cards in shares.values() for card in cards]
    if sorted(given) != sorted(prizes):
        faults.append(Say("Give each prize to exactly one player."))
    faults.extend(
        Say("{player} has no share in the prizes.", player=side(player))
        for player in shares
        if player not in players and shares[player]
    )
    counts = [len(shares.get(player, ())) for player in players]
    if counts and max(counts) - min(counts) > 1:
        faults.append(Say("Nobody gets another prize until everyone has the same number."))
    return tuple(faults)

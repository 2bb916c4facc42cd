"""One engagement as a value: who played what, and whether a play is allowed.

Source: Naval card game, Convoy; Battle; Bonus Cards; Supply, Storm & Special Cards; Rules for 2 Players.
Cards that the table has not entered yet are unknown; a play with an unknown card is refused until it is entered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from companion.core.ids import Side
from companion.core.text import Name, Say, Typed, nation, several
from companion.core.text import card as named
from companion.games.med.rules.cards import (
    AXIS,
    ELEMENTS,
    NO_CAMP,
    NO_CARD,
    Camp,
    Card,
    CardNo,
    Element,
    is_wide_bonus,
    played_side,
)
from companion.games.med.rules.effects import ADMIRALS, EFFECTS, RAIDS, Effect

__all__ = [
    "Barred",
    "Carried",
    "Discarded",
    "Engagement",
    "Options",
    "Play",
    "Removed",
    "WHOSE_AIR_DOUBLES",
    "admiral_of",
    "bonus_faults",
    "camp",
    "dropping",
    "lies_face_up",
    "not_entered",
    "not_this_round",
    "on_the_table",
    "play_faults",
    "side_of",
]


class Options(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the table agreed on before the game. Source: Naval card game, Rules for 2 Players; Advanced Rules; Optional Rules."""

    players: int = 2
    operations: int = 22
    advanced: bool = False
    change_sides: bool = False
    """A player may take another side in a battle's second round."""
    fast: bool = False
    """Battles are fought as convoys."""
    historicity: bool = False
    """A battle's type is the one printed on its card."""
    series_points: int = 0
    """A series goes on until somebody has this many points at the end of a game; 0: no such limit."""
    dealer: int = 1
    """Seat of who deals the first game and starts its first engagement, 1 for the first player."""
    series_games: int = 1
    """How many games a series has when no points end it."""
    hand: int = 6
    """To how many cards a hand is filled without freighters."""
    largest_hand: int = 9
    keep: Literal["cards", "totals"] = "cards"
    """Every card is entered, or who takes each Operation and the points at the end."""

    def rounds(self, operation: Card) -> int:
        """Return how many rounds an engagement over this operation has."""
        return 2 if self.players == 2 or (operation.operation == "battle" and not self.fast) else 1

    def is_battle(self, operation: Card) -> bool:
        """Say whether the rules for battles hold for this operation."""
        return operation.operation == "battle" and not self.fast


class Play(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one player laid down in one round."""

    player: Side
    round: int
    side: Camp
    cards: tuple[CardNo, ...]
    """Numbers in the order in which they lie."""
    bonus_on: dict[CardNo, CardNo] = {}
    """Bonus to the Force card that it supports."""
    admiral: Literal["", "combined", "two"] = ""
    bomb_alley_on: CardNo = NO_CARD
    """The Force card whose Air value Bomb alley doubles."""
    again: bool = False
    """The second play that an Intelligence card gave."""
    admiral_card: CardNo = NO_CARD
    """The Admiral whose action `admiral` is: when he is cancelled, so is it."""
    apart: bool = False
    """A Storm card laid at another moment than with its player's own play; then `side` is empty."""


class Discarded(msgspec.Struct, frozen=True):
    """A player did not play."""

    player: Side
    round: int
    what: Literal["one", "all", "out", "bluff"]
    """One card, all cards, all cards because none was valid in a battle's first round, or one that was laid face
    down and counts for nothing."""


class Removed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A card that no longer counts in this engagement."""

    card: CardNo
    why: Literal["invalid", "sirocco", "explosion", "lost", "shallows", "declined", "destiny"]
    by: Side | None = None
    cause: CardNo = NO_CARD
    """The card that did it. When it turns out to be invalid, or a Lost is cancelled, the removed card counts again."""
    of: Side | None = None
    """Whose card it is: by the table's error two may hold the same one. None, in older logs: whoever's."""
    cause_of: Side | None = None
    """Whose the card is that did it, where two may hold it; None: it lies once."""

    def takes(self, card: CardNo, of: Side) -> bool:
        """Say whether this is about a player's card."""
        return self.card == card and self.of in (None, of)


class Barred(msgspec.Struct, frozen=True):
    """A player whom a Sirocco keeps from playing in a round."""

    player: Side
    round: int
    """0: in every round of the engagement."""


class Carried(msgspec.Struct, frozen=True):
    """A card under the operation from a drawn round; nothing touches it any more."""

    card: CardNo
    side: Camp
    player: Side


class Engagement(msgspec.Struct, frozen=True, omit_defaults=True):
    """The engagement at hand."""

    number: int
    """1 to the agreed number of operations."""
    operation: CardNo
    elements: tuple[Element, ...]
    """What counts: one type, two for some historic battles, or all three when combined."""
    order: tuple[Side, ...]
    """Players in playing order, the first player first."""
    replay: int = 0
    """How often it was drawn already."""
    plays: tuple[Play, ...] = ()
    discards: tuple[Discarded, ...] = ()
    removed: tuple[Removed, ...] = ()
    carried: tuple[Carried, ...] = ()
    only_side: Camp = NO_CAMP
    """Side to which a Raid on La Spezia or Romanian Fuel holds the players after it."""
    only_round: int = 0
    only_card: CardNo = NO_CARD
    """The raid's card."""
    sub_ban_round: int = 0
    """Round for whose rest Shallows forbids submarine cards; 0: none."""
    sub_ban_card: CardNo = NO_CARD
    used: tuple[CardNo, ...] = ()
    """Storm effects that have done their work."""
    sirocco: Side | None = None
    """The player who must use a Sirocco that was passed on."""
    barred: tuple[Barred, ...] = ()
    """Players whom a Sirocco keeps from playing in a round."""
    rolls: dict[str, tuple[int, ...]] = {}
    """``card:element`` to the dice rolled for it."""

    def is_removed(self, card: CardNo, of: Side) -> bool:
        """Say whether a player's card no longer counts."""
        return any(removed.takes(card, of) and not self.is_void(removed) for removed in self.removed)

    def is_void(self, removed: Removed) -> bool:
        """Say whether a removal was taken back because the card that caused it turned out not to count."""
        undoing = ("invalid", "sirocco") if removed.why == "lost" else ("invalid",)
        return bool(removed.cause) and any(
            other.card == removed.cause
            and other.why in undoing
            and not self.is_void(other)
            and (removed.cause_of is None or other.of in (None, removed.cause_of))
            for other in self.removed
        )

    def combined(self) -> bool:
        """Say whether all three types count, an admiral considered."""
        return len(self.current_elements()) == 3

    def current_elements(self) -> tuple[Element, ...]:
        """Return what counts now: an admiral's change holds while his card counts."""
        for play in self.plays:
            if play.admiral == "combined" and not self.is_removed(play.admiral_card, play.player):
                return ELEMENTS
        return self.elements

    def played_by(self, player: Side, round_: int) -> tuple[Play, ...]:
        """Return a player's plays of a round, Storm cards laid apart included."""
        return tuple(play for play in self.plays if play.player == player and play.round == round_)

    def has_acted(self, player: Side, round_: int) -> bool:
        """Say whether a player played, discarded or was barred in a round."""
        return (
            any(not play.apart for play in self.played_by(player, round_))
            or any(d.player == player and d.round == round_ for d in self.discards)
            or self.is_barred(player, round_)
        )

    def is_barred(self, player: Side, round_: int) -> bool:
        """Say whether a Sirocco keeps a player from playing in a round."""
        return any(barred.player == player and barred.round in (0, round_) for barred in self.barred)

    def is_held(self, round_: int) -> bool:
        """Say whether a raid holds the players of a round to one side."""
        return bool(self.only_side) and self.only_round in (0, round_)

    def lying(self) -> tuple[CardNo, ...]:
        """Return the cards that lie on the table and count, in the order in which they were laid."""
        return tuple(n for play in self.plays for n in play.cards if not self.is_removed(n, play.player))

    def holders(self, card: CardNo) -> tuple[Side, ...]:
        """Return of whom a card lies on the table and counts: of one, by the table's error of several, or of nobody."""
        return tuple(
            play.player
            for play in self.plays
            if card in play.cards and not self.is_removed(card, play.player)
        )

    def sat_out(self, player: Side) -> bool:
        """Say whether a player takes no part in the rest of a battle."""
        return any(d.player == player and d.what == "out" for d in self.discards)


def camp(side: Camp) -> Name:
    """Name a side that cards are played for; players are no sides of their own."""
    return Name("camp", side)


def not_entered(number: CardNo) -> Say:
    """Say that nobody has entered a card yet."""
    return Say("Enter card {card} first.", card=named(number))


def on_the_table(number: CardNo) -> Say:
    """Say that a card lies on the table."""
    return Say("{card} is already on the table.", card=named(number))


def not_this_round(effect: str, number: int) -> Say:
    """Say that a card may not be played in a round of a battle."""
    return Say(
        "{card} may not be played in round {round} of a battle.", card=Name("effect", effect), round=number
    )


ONLY_WITH_OTHERS = Say("Play a Force card, or a card that may be played alone.")
WHOSE_AIR_DOUBLES = Say(
    "{card}: choose the Force card whose Air value it doubles.", card=Name("effect", "bomb_alley")
)


def admiral_of(numbers: Iterable[CardNo], cards: Mapping[CardNo, Card]) -> CardNo:
    """Return the first Admiral among cards, of which some may be unknown; empty when there is none."""
    return next((n for n in numbers if n in cards and cards[n].effect in ADMIRALS), NO_CARD)


def side_of(engagement: Engagement, player: Side) -> Camp:
    """Return the side that a player has taken in this engagement; empty before his first play."""
    return next((p.side for p in engagement.plays if p.player == player and not p.apart), NO_CAMP)


def bonus_faults(card: Card, force: Card | None, operation_side: Camp) -> tuple[Say, ...]:
    """Say why a Bonus may not lie on a Force card, or alone when there is none.

    Source: Naval card game, Bonus Cards.
    """
    bonus = named(card.number)
    if force is None:
        return () if card.alone else (Say("{card} needs a Force card.", card=bonus),)
    faults = []
    if is_wide_bonus(card.number):
        wide = played_side(card.number)
        if force.side != wide:
            faults.append(
                Say("{card} goes on Force cards of one side only: {side}.", card=bonus, side=camp(wide))
            )
    else:
        if card.side != force.side:
            faults.append(
                Say("{card} and {force} are of different sides.", card=bonus, force=named(force.number))
            )
        if card.side == AXIS and card.nation and force.nation and card.nation != force.nation:
            faults.append(
                Say(
                    "{card} goes on cards of its own nation only: {nation}.",
                    card=bonus,
                    nation=nation(card.nation),
                )
            )
    if card.frame != "all" and force.frame not in (card.frame, "all"):
        faults.append(
            Say(
                "{card} and {force} are of different types: {type} and {other}.",
                card=bonus,
                force=named(force.number),
                type=Name("element", card.frame),
                other=Name("element", force.frame),
            )
        )
    if force.side != operation_side:
        faults.append(
            Say(
                "{card} does not belong to the side that was chosen: {side}.",
                card=named(force.number),
                side=camp(operation_side),
            )
        )
    return tuple(faults)


def play_faults(
    engagement: Engagement,
    play: Play,
    cards: Mapping[CardNo, Card],
    options: Options,
    *,
    storm_alone: bool = True,
) -> tuple[Say, ...]:
    """List every reason why a play is not allowed; empty when it is.

    A card of the wrong year is a fault in the open; face down (a battle's second round) it is a legal bluff that
    drops out at the reveal. Whether the player holds the cards is not checked: hands are secret.

    Args:
        storm_alone: Whether a Storm card may be a player's whole play (ruling ``storm_alone``).

    Source: Naval card game, Declaring the Operation; Convoy; Battle; The Year.
    """
    unknown = [number for number in play.cards if number not in cards]
    if unknown:
        return tuple(not_entered(number) for number in unknown)
    if not play.cards:
        return (Say("Choose a card first."),)
    if len(set(play.cards)) != len(play.cards):
        return (Say("A card is entered twice."),)
    operation = cards[engagement.operation]
    battle = options.is_battle(operation)
    hidden = battle and play.round == 2
    laid = [cards[number] for number in play.cards]
    forces = [card for card in laid if card.kind == "force"]
    faults: list[Say] = []
    already = {number for other in engagement.plays for number in other.cards}
    faults.extend(on_the_table(number) for number in play.cards if number in already)
    faults.extend(
        Say("{card} is an Operation and is not played from the hand.", card=named(card.number))
        for card in laid
        if card.kind == "operation"
    )
    faults.extend(_side_faults(engagement, play, laid, options, battle))
    if not hidden:
        year = operation.years[0]
        faults.extend(
            Say("{card} may not be played in {year}.", card=named(card.number), year=Typed(str(year)))
            for card in forces
            if not card.fits(year)
        )
    most = 2 if play.admiral == "two" else 1
    if len(forces) > most:
        faults.append(
            Say.counted(
                "At most {n} Force card may be played here; {have} are chosen.",
                "At most {n} Force cards may be played here; {have} are chosen.",
                most,
                have=len(forces),
            )
        )
    admiral = admiral_of(play.cards, cards)
    if play.admiral and not admiral:
        faults.append(Say("No Admiral is among these cards."))
    if not forces and admiral:
        faults.append(Say("An Admiral needs a Force card."))
    faults.extend(_bonus_faults(play, laid, forces, cards))
    faults.extend(_effect_faults(engagement, play, cards, battle, storm_alone))
    return tuple(faults)


def dropping(
    engagement: Engagement, play: Play, cards: Mapping[CardNo, Card], options: Options
) -> tuple[CardNo, ...]:
    """Return the cards of a face-down play that turn out invalid; the rest is a play that is allowed.

    All cards are known. Again and again the card drops out without which the fewest faults are left, of equals the
    one laid last; a card of the wrong year is not among them, it drops out by itself (Battle; The Year). A Storm card
    that lies face up does its work at once and is judged by what lies open alone, whatever is laid with it face down.
    """
    kept = {number for number in play.cards if _holds_face_up(engagement, play, cards[number])}

    def without(left: tuple[CardNo, ...]) -> Play:
        bonus_on = {b: f for b, f in play.bonus_on.items() if b in left and f in left}
        admiral = play.admiral if play.admiral_card in left or not play.admiral_card else ""
        return msgspec.structs.replace(play, cards=left, bonus_on=bonus_on, admiral=admiral)

    left = play.cards
    while (loose := [n for n in left if n not in kept]) and play_faults(
        engagement, without(left), cards, options
    ):
        fewer = [tuple(n for n in left if n != gone) for gone in reversed(loose)]
        left = min(
            fewer, key=lambda rest: len(play_faults(engagement, without(rest), cards, options)) if rest else 1
        )
    return tuple(number for number in play.cards if number not in left)


def lies_face_up(card: Card) -> bool:
    """Say whether a card lies face up even among those that are laid face down.

    Source: Naval card game, Battle: Storm cards are always played face up except S05 Renegade.
    """
    return card.kind == "storm" and card.effect != "night_action"


def _holds_face_up(engagement: Engagement, play: Play, card: Card) -> bool:
    """Say whether a card lies face up in a face-down play and may be played there."""
    effect = EFFECTS.get(card.effect)
    if effect is None or not lies_face_up(card) or play.round not in effect.rounds:
        return False
    return not effect.elements or bool(set(effect.elements) & set(engagement.current_elements()))


def _side_faults(
    engagement: Engagement, play: Play, laid: list[Card], options: Options, battle: bool
) -> list[Say]:
    faults = []
    renegade = any(card.effect == "night_action" for card in laid) and play.round == 2
    mine = [p for p in engagement.plays if p.player == play.player and not p.apart]
    if play.round == 2 and (renegade or (options.change_sides and battle and options.players > 2)):
        mine = [p for p in mine if p.round == 2]  # only between the rounds
    before = next((p.side for p in mine), NO_CAMP)
    if before and before != play.side:
        faults.append(Say("This player has already chosen a side: {side}.", side=camp(before)))
    for card in laid:
        side = played_side(card.number)
        if side and side != play.side:
            faults.append(
                Say(
                    "{card} is a card of one side only: {side}. The side chosen is: {taken}.",
                    card=named(card.number),
                    side=camp(side),
                    taken=camp(play.side),
                )
            )
    if engagement.is_held(play.round) and engagement.only_side != play.side:
        faults.append(
            Say("Only cards of one side may be played now: {side}.", side=camp(engagement.only_side))
        )
    return faults


def _bonus_faults(
    play: Play, laid: list[Card], forces: list[Card], cards: Mapping[CardNo, Card]
) -> list[Say]:
    faults: list[Say] = []
    for card in laid:
        if card.kind != "bonus":
            continue
        target = play.bonus_on.get(card.number, forces[0].number if len(forces) == 1 else NO_CARD)
        force = cards.get(target) if target in play.cards else None
        if forces and force is None:
            faults.append(Say("{card}: choose the Force card that it supports.", card=named(card.number)))
        else:
            faults.extend(bonus_faults(card, force, play.side))
    return faults


def _effect_faults(
    engagement: Engagement,
    play: Play,
    cards: Mapping[CardNo, Card],
    battle: bool,
    storm_alone: bool,
) -> list[Say]:
    faults: list[Say] = []
    laid = [cards[number] for number in play.cards]
    forces = [card for card in laid if card.kind == "force"]
    effects = _effects_of(laid)
    # An Admiral who combines the engagement does so for what is laid with him, too.
    combines = play.admiral == "combined" and any(effect.id in ADMIRALS for effect in effects)
    elements = ELEMENTS if combines else engagement.current_elements()
    ids = {effect.id for effect in effects}
    earlier = {
        cards[number].effect
        for other in engagement.plays
        if other.player == play.player
        for number in other.cards
        if number in cards
    }
    for effect in effects:
        what = Name("effect", effect.id)
        if effect.elements and not set(effect.elements) & set(elements):
            types = several((Name("element", element) for element in effect.elements), "or")
            faults.append(
                Say(
                    "{card} needs a combined engagement or one of this type: {types}.", card=what, types=types
                )
            )
        if battle and play.round not in effect.rounds:
            faults.append(not_this_round(effect.id, play.round))
        if not battle and not effect.convoy:
            faults.append(Say("{card} may be played in a battle only.", card=what))
        if effect.twin and effect.twin in ids | earlier:
            both = several((what, Name("effect", effect.twin)), "or")
            faults.append(Say("A player may play only one of these: {cards}.", cards=both))
        if effect.replaces_force and forces:
            faults.append(Say("{card} is played in place of a Force card, not with one.", card=what))
        if effect.id in RAIDS and any(c.frame not in ("surface", "all") for c in forces):
            faults.append(Say("{card} is played alone or with a surface card.", card=what))
    bomb_alley = Name("effect", "bomb_alley")
    if play.bomb_alley_on and not any(e.id == "bomb_alley" for e in effects):
        faults.append(Say("{card} is not among these cards.", card=bomb_alley))
    if any(e.id == "bomb_alley" for e in effects):
        there = {*engagement.lying(), *play.cards}
        target = cards.get(play.bomb_alley_on)
        if target is None or target.kind != "force" or target.number not in there:
            faults.append(WHOSE_AIR_DOUBLES)
    stands_alone = (
        forces
        or any(c.kind == "bonus" and c.alone for c in laid)
        or any(e.alone and (storm_alone or e.kind != "storm") for e in effects)
    )
    if not stands_alone:
        faults.append(ONLY_WITH_OTHERS)
    if engagement.sub_ban_round == play.round and any(card.frame == "sub" for card in laid):
        faults.append(
            Say("{card}: no submarine cards for the rest of this round.", card=Name("effect", "shallows"))
        )
    if engagement.is_barred(play.player, play.round):
        faults.append(Say("{card}: this player may not play now.", card=Name("effect", "sirocco")))
    return faults


def _effects_of(laid: list[Card]) -> list[Effect]:
    return [EFFECTS[card.effect] for card in laid if card.effect in EFFECTS]

"""The card game as a part of rules: decides its commands, applies its events, leads through an engagement.

Source: Naval card game, Game Sequence.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from companion.core.commands import Command
from companion.core.events import Event, SegmentAppended
from companion.core.flow import Step
from companion.core.ids import ARBITER, SYSTEM, TABLE, Millis
from companion.core.parts import ComposedRules, ForeignKeyError, Part
from companion.core.rules import Code, Context, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Name, Say, several, side
from companion.games.med.rules import commands as cm
from companion.games.med.rules.by_totals import count_points, following, held_back, note_operation
from companion.games.med.rules.cards import card_fault, number_of
from companion.games.med.rules.engagement import Engagement, Options
from companion.games.med.rules.flow import DEAL, round_of, turn_step
from companion.games.med.rules.outcome import destinies
from companion.games.med.rules.plays import discard, drop_invalid, play, turn_over
from companion.games.med.rules.slice import (
    MedSlice,
    again_done,
    known_cards,
    laid_twice,
    may_play_again,
    prefix,
    series_end,
    slice_of,
    still_hidden,
    storms_waiting,
    totals,
)
from companion.games.med.rules.storms import lay_storm, use_effect
from companion.games.med.rules.tricks import roll, take_trick

__all__ = ["RULES", "MedPart"]

_SIROCCO = Name("effect", "sirocco")
_ANYBODY = (cm.LayStorm, cm.DropInvalid)
"""Commands that need not come from whoever the step belongs to."""


class MedPart(Part):
    """All of the card game's rules."""

    name = "med"
    commands = cm.COMMANDS
    events = cm.EVENTS

    def initial(self, setup: Setup) -> MedSlice:
        """Seat the players with empty piles."""
        players = tuple(side.id for side in setup.sides)
        options = msgspec.convert(setup.tables["options"], Options)
        zero = dict.fromkeys(players, 0)
        return MedSlice(
            players, options, piles=dict.fromkeys(players, ()), series_points=zero, series_operations=zero
        )

    def printed_fault(self, state: GameState, key: str, value: object) -> Say | None:
        """Take cards under ``card.<number>``; ForeignKeyError for another key."""
        number = number_of(key)
        if number is None:
            raise ForeignKeyError(key)
        if state.step.act == "play_hidden" and number not in known_cards(state):
            return Say("Lay a new card face down; enter it once the cards are turned over.")
        return card_fault(number, value)

    def is_irreversible(self, event: Event) -> bool:
        """Ask before dice and hidden cards are taken back."""
        return isinstance(event, cm.DiceRolled | cm.EngagementDecided) or (
            isinstance(event, cm.EffectUsed) and bool(event.dice)
        )

    # Leading through the steps

    def skips(self, state: GameState, step: Step) -> bool:
        """Skip players whom a Sirocco bars or who sit out, and second plays without an Intelligence card."""
        engagement = slice_of(state).engagement
        number = round_of(step)
        if engagement is None or not number or not step.owners:
            return False
        if not step.id.startswith(prefix(slice_of(state), engagement)):
            return False
        player = step.owners[0]
        if engagement.is_barred(player, number) or engagement.sat_out(player):
            return True
        return step.act == "play_again" and not may_play_again(state, engagement, player, number)

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """Hold back what is still to do."""
        own = slice_of(state)
        if own.options.keep == "totals":
            return held_back(state, step)
        engagement = own.engagement
        if step.act == "operation":
            opened = engagement is not None and step.id == f"{prefix(own, engagement)}turn"
            return None if opened else Rejected("not_yet", Say("Turn over an Operation first."))
        if engagement is None:
            return None
        number = round_of(step)
        if number and step.owners:
            player = step.owners[0]
            acted = (
                again_done(engagement, player, number)
                if step.act == "play_again"
                else engagement.has_acted(player, number)
            )
            # Face down: the cards are entered at the reveal.
            if not acted and step.act != "play_hidden":
                return Rejected(Code.STILL_OPEN, Say("Play or discard first."))
            if engagement.sirocco == player:
                return Rejected(
                    Code.STILL_OPEN, Say("Use or discard this card first: {card}.", card=_SIROCCO)
                )
            if any(who == player and it == "sirocco" for who, _card, it in storms_waiting(state, engagement)):
                return Rejected(
                    Code.STILL_OPEN, Say("Roll the die of this card first: {card}.", card=_SIROCCO)
                )
        if step.act == "reveal" and still_hidden(engagement):
            return Rejected(Code.STILL_OPEN, Say("Enter the face-down cards first."))
        twice = laid_twice(engagement) if step.act == "reveal" else None
        if twice is not None:
            return Rejected(Code.STILL_OPEN, twice)
        if step.act == "trick" and own.decided is None:
            return Rejected("not_yet", Say("The engagement has not been decided yet."))
        return None

    def entering(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
        """Strike the victims of a battle at its reveal; after the last engagement end the series or deal anew."""
        own = slice_of(state)
        if step.act == "trick" and own.engagement is not None:
            cards = known_cards(state)
            if not own.options.is_battle(cards[own.engagement.operation]):
                return ()
            victims = destinies(own.engagement, cards)
            return (
                (cm.EffectUsed("destiny", victims[0].by or own.players[0], removed=victims),)
                if victims
                else ()
            )
        if step.act != "count" or own.options.keep == "totals":
            return ()
        end = series_end(state, at_ms)
        if end is not None:
            return (end,)
        # The deal passes to the left.
        dealer = own.players[(own.options.dealer - 1 + own.game) % len(own.players)]
        first_turn = turn_step(own.game + 1, 1, dealer)
        return (SegmentAppended((replace(first_turn, checks=(*DEAL, *first_turn.checks)),)),)

    def ending(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
        """Add a game's points to its series once everybody has seen the piles."""
        if slice_of(state).options.keep == "totals":
            return following(state, step, at_ms)
        if step.act != "count":
            return ()
        return (cm.SeriesContinued(*totals(state)),)

    # Deciding

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:
        """Decide one of the card game's commands."""
        step = getattr(command, "step", state.step.id)
        if step != state.step.id:
            return Rejected(Code.STALE_STEP)
        owners = state.step.owners
        anybody = isinstance(command, _ANYBODY)
        if owners and not anybody and ctx.actor not in (TABLE, ARBITER, SYSTEM, *owners):
            whose = several(side(owner) for owner in owners)
            return Rejected(Code.NOT_YOUR_ACT, Say("It is another player's turn: {players}.", players=whose))
        match command:
            case cm.TurnOver():
                return turn_over(state, command)
            case cm.PlayHand():
                return play(state, command)
            case cm.DiscardHand():
                return discard(state, command)
            case cm.DropInvalid():
                return drop_invalid(state, command)
            case cm.LayStorm():
                return lay_storm(state, command)
            case cm.UseEffect():
                return use_effect(state, command)
            case cm.RollDice():
                return roll(state, command)
            case cm.TakeTrick():
                return take_trick(state, command)
            case cm.NoteOperation():
                return note_operation(state, command)
            case cm.CountPoints():
                return count_points(state, command)
        return Rejected(Code.UNKNOWN_COMMAND)

    # Applying

    def evolve(self, own: MedSlice, event: Event, state: GameState) -> MedSlice:  # noqa: ARG002
        """Apply one of the card game's events."""
        match event:
            case cm.EngagementOpened(engagement, put_away):
                seen = (*own.seen, engagement.operation, *filter(None, (put_away,)))
                return replace(own, engagement=engagement, decided=None, seen=seen)
            case cm.SeriesContinued(points, tricks):
                return replace(
                    own,
                    game=own.game + 1,
                    engagement=None,
                    decided=None,
                    piles=dict.fromkeys(own.players, ()),
                    seen=(),
                    noted=(),
                    counted={},
                    series_points=points,
                    series_operations=tricks,
                )
            case cm.OperationNoted():
                return replace(own, noted=(*(one for one in own.noted if one.step != event.step), event))
            case cm.PointsCounted(points):
                return replace(own, counted=points)
            case cm.EngagementDecided():
                piles = {p: (*own.piles[p], *event.trophies.get(p, ())) for p in own.players}
                return replace(own, decided=event, piles=piles)
        current = own.engagement
        if current is None:
            return own  # its opening was undone: the fold stays where it is
        return replace(own, engagement=_evolve_engagement(current, event))

    def step_entered(self, own: MedSlice, step: Step, state: GameState) -> MedSlice:  # noqa: ARG002
        """After a draw the first step of the replay puts the carried cards under the Operation."""
        decided = own.decided
        if decided is None or decided.replay is None or not step.id.startswith(prefix(own, decided.replay)):
            return own
        return replace(own, engagement=decided.replay, decided=None)


def _evolve_engagement(engagement: Engagement, event: Event) -> Engagement:
    match event:
        case cm.PlayMade(play, only_side, only_round, only_card):
            changed = replace(engagement, plays=(*engagement.plays, play))
            if not only_side:
                return changed
            return replace(changed, only_side=only_side, only_round=only_round, only_card=only_card)
        case cm.HandDiscarded(discarded):
            return replace(engagement, discards=(*engagement.discards, discarded))
        case cm.EffectUsed():
            barred = engagement.barred if event.barred is None else (*engagement.barred, event.barred)
            changed = replace(
                engagement,
                removed=(*engagement.removed, *event.removed),
                sirocco=event.sirocco if event.effect == "sirocco" else engagement.sirocco,
                barred=barred,
                sub_ban_round=event.sub_ban_round or engagement.sub_ban_round,
                sub_ban_card=event.card if event.sub_ban_round else engagement.sub_ban_card,
                used=(*engagement.used, event.effect),
            )
            # A Special or Storm card that is cancelled stops doing what it did.
            if changed.only_card and changed.only_card not in changed.lying():
                changed = replace(changed, only_side="", only_round=0, only_card="")
            if changed.sub_ban_card and changed.sub_ban_card not in changed.lying():
                changed = replace(changed, sub_ban_round=0, sub_ban_card="")
            return changed
        case cm.DiceRolled(key, dice):
            return replace(engagement, rolls={**engagement.rolls, key: dice})
    return engagement


RULES = ComposedRules("med", (MedPart(),))
"""The rules of the card game."""

"""The card game as a part of rules: decides its commands, applies its events, leads through an engagement."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.commands import Command
from companion.core.events import Event, GameEnded, SegmentAppended
from companion.core.flow import Step
from companion.core.ids import ARBITER, SYSTEM, TABLE, Millis, Side
from companion.core.rules import Accepted, Code, Context, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.games.med import commands as cm
from companion.games.med.cards import Card, card_fault, card_from
from companion.games.med.effects import EFFECTS
from companion.games.med.engagement import (
    Barred,
    Carried,
    Discarded,
    Engagement,
    Options,
    Play,
    Removed,
    play_faults,
    side_of,
)
from companion.games.med.flow import end_step, engagement_steps, round_of, seated_from, turn_step
from companion.games.med.outcome import Outcome, dice_needed, outcome, share_faults, sharers, spoils
from companion.games.med.points import hand_size, operations_of, points_of, ranking, series_over
from companion.games.parts import BasePart, ComposedRules, ForeignKeyError

__all__ = [
    "RULES",
    "MedPart",
    "MedSlice",
    "hands",
    "known_cards",
    "pile_faults",
    "slice_of",
    "still_hidden",
    "verdict",
]

_PREFIX = "card."
_INTELLIGENCE = ("ultra", "b_dienst")
_DEAL = ("setup.shuffle", "setup.deal", "setup.operations")
_RAIDS = {"la_spezia": "allies", "romanian_fuel": "axis"}


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
    seen: tuple[str, ...] = ()
    """Operations that came up in this game."""
    series_points: dict[Side, int] = {}
    series_operations: dict[Side, int] = {}


def slice_of(state: GameState) -> MedSlice:
    """Return the card game's slice of a state."""
    own: MedSlice = state.game["med"]
    return own


def known_cards(state: GameState) -> dict[str, Card]:
    """Return every card that the table has entered, by number."""
    return {
        key.removeprefix(_PREFIX): card_from(value)
        for key, value in state.printed.items()
        if key.startswith(_PREFIX)
    }


class MedPart(BasePart):
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

    def printed_fault(self, state: GameState, key: str, value: object) -> str | None:  # noqa: ARG002
        """Take cards under ``card.<number>``."""
        if not key.startswith(_PREFIX):
            raise ForeignKeyError(key)
        return card_fault(key.removeprefix(_PREFIX), value)

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
        if not step.id.startswith(_prefix(slice_of(state), engagement)):
            return False
        player = step.owners[0]
        if engagement.is_barred(player, number) or engagement.sat_out(player):
            return True
        return step.act == "play_again" and not _may_play_again(state, engagement, player, number)

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """Hold back what is still to do."""
        own = slice_of(state)
        engagement = own.engagement
        if step.act == "operation":
            opened = engagement is not None and step.id == f"{_prefix(own, engagement)}turn"
            return None if opened else Rejected(Code.UNDONE, "turn over an Operation first")
        if engagement is None:
            return None
        number = round_of(step)
        if number and step.owners:
            player = step.owners[0]
            acted = (
                _again_done(engagement, player, number)
                if step.act == "play_again"
                else engagement.has_acted(player, number)
            )
            if not acted and step.act == "play_hidden":
                return None  # face down: the cards are entered at the reveal
            if not acted:
                return Rejected(Code.UNDONE, "play or discard first")
            if engagement.sirocco == player:
                return Rejected(Code.UNDONE, "the Sirocco must be used or discarded first")
            if player in _sirocco_waits(state, engagement):
                return Rejected(Code.UNDONE, "the Sirocco must be used: roll its die")
        if step.act == "reveal":
            missing = still_hidden(engagement)
            if missing:
                return Rejected(Code.UNDONE, f"enter the face-down cards of {', '.join(missing)}")
        if step.act == "trick" and own.decided is None:
            return Rejected(Code.UNDONE, "the engagement has not been decided")
        return None

    def entering(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
        """Count a game's points; end the series or go on to the next game."""
        if step.act != "count":
            return ()
        own = slice_of(state)
        cards = known_cards(state)
        points = {p: own.series_points[p] + points_of(own.piles[p], cards) for p in own.players}
        tricks = {p: own.series_operations[p] + operations_of(own.piles[p], cards) for p in own.players}
        if series_over(points, own.game, own.options.series_points, own.options.series_games):
            first = [standing for standing in ranking(points, tricks) if standing.place == 1]
            winner = first[0].player if len(first) == 1 else None
            return (GameEnded(winner, "points" if winner else "tied", at_ms=at_ms),)
        dealer = own.players[own.game % len(own.players)]
        first_turn = turn_step(own.game + 1, 1, dealer)
        dealt = replace(first_turn, checks=(*_DEAL, *first_turn.checks))
        return (cm.SeriesContinued(points, tricks), SegmentAppended((dealt,)))

    # Deciding

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:
        """Decide one of the card game's commands."""
        step = getattr(command, "step", state.step.id)
        if step != state.step.id:
            return Rejected(Code.STALE_STEP, f"aimed at {step}, now {state.step.id}")
        owners = state.step.owners
        if owners and ctx.actor not in (TABLE, ARBITER, SYSTEM, *owners):
            return Rejected(Code.NOT_YOUR_ACT, f"{step} belongs to {', '.join(owners)}")
        match command:
            case cm.TurnOver():
                return _turn_over(state, command)
            case cm.PlayHand():
                return _play(state, command)
            case cm.DiscardHand():
                return _discard(state, command)
            case cm.DropInvalid():
                return _drop_invalid(state, command)
            case cm.UseEffect():
                return _use_effect(state, command)
            case cm.RollDice():
                return _roll(state, command)
            case cm.TakeTrick():
                return _take_trick(state, command)
        return Rejected(Code.UNKNOWN_COMMAND, type(command).__name__)

    # Applying

    def evolve(self, own: MedSlice, event: Event, state: GameState) -> MedSlice:  # noqa: ARG002
        """Apply one of the card game's events."""
        match event:
            case cm.EngagementOpened(engagement):
                return replace(
                    own, engagement=engagement, decided=None, seen=(*own.seen, engagement.operation)
                )
            case cm.SeriesContinued(points, tricks):
                return replace(
                    own,
                    game=own.game + 1,
                    engagement=None,
                    decided=None,
                    piles=dict.fromkeys(own.players, ()),
                    seen=(),
                    series_points=points,
                    series_operations=tricks,
                )
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
        if decided is None or decided.replay is None or not step.id.startswith(_prefix(own, decided.replay)):
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
            if changed.only_card and changed.is_removed(changed.only_card):
                changed = replace(changed, only_side="", only_round=0, only_card="")
            if changed.sub_ban_card and changed.is_removed(changed.sub_ban_card):
                changed = replace(changed, sub_ban_round=0, sub_ban_card="")
            return changed
        case cm.DiceRolled(key, dice):
            return replace(engagement, rolls={**engagement.rolls, key: dice})
    return engagement


def _prefix(own: MedSlice, engagement: Engagement) -> str:
    again = f"again{engagement.replay}." if engagement.replay else ""
    return f"g{own.game}.e{engagement.number}.{again}"


def _intelligence(state: GameState, engagement: Engagement, player: Side, round_: int) -> str:
    """Return the live Intelligence card that a player laid down in a round."""
    cards = known_cards(state)
    for play in engagement.played_by(player, round_):
        for number in play.cards:
            if (
                number in cards
                and cards[number].effect in _INTELLIGENCE
                and not engagement.is_removed(number)
            ):
                return number
    return ""


def _may_play_again(state: GameState, engagement: Engagement, player: Side, round_: int) -> bool:
    if not _intelligence(state, engagement, player, round_):
        return False
    side = side_of(engagement, player)
    return not engagement.only_side or engagement.only_side == side


def _again_done(engagement: Engagement, player: Side, round_: int) -> bool:
    plays = engagement.played_by(player, round_)
    declined = any(removed.why == "declined" and removed.by == player for removed in engagement.removed)
    return declined or any(play.again for play in plays)


def _turn_over(state: GameState, command: cm.TurnOver) -> Decision:
    own = slice_of(state)
    step = state.step
    if step.act != "operation":
        return Rejected("not_now", "an Operation is turned over at the start of an engagement")
    if own.engagement is not None and own.engagement.number == step.stage and own.game == _game_of(step):
        return Rejected("already_open", f"{own.engagement.operation} lies open")
    cards = known_cards(state)
    card = cards.get(command.operation)
    if card is None:
        return Rejected("unknown_card", f"{command.operation} has not been entered yet")
    if card.kind != "operation":
        return Rejected("not_an_operation", command.operation)
    if command.operation in own.seen:
        return Rejected("seen_before", f"{command.operation} came up already in this game")
    options = own.options
    elements = command.elements
    if options.is_battle(card):
        historic = options.historicity and card.historic
        elements = card.historic if historic else ("air", "surface", "sub")
    elif len(elements) not in (1, 3) or len(set(elements)) != len(elements):
        return Rejected(Code.BAD_VALUE, "a convoy is fought as air, surface, sub or all three combined")
    first = own.players.index(step.owners[0])
    engagement = Engagement(step.stage, command.operation, elements, seated_from(own.players, first))
    if command.put_away and not options.advanced:
        return Rejected(Code.BAD_VALUE, "only the advanced rules draw two Operations")
    opened = cm.EngagementOpened(engagement, command.put_away)
    steps = engagement_steps(own.game, engagement, card, options)
    return Accepted((opened, SegmentAppended(steps)))


def _game_of(step: Step) -> int:
    return int(step.id.split(".")[0][1:])


def _play(state: GameState, command: cm.PlayHand) -> Decision:
    own, step = slice_of(state), state.step
    engagement, number = own.engagement, round_of(step)
    if engagement is not None and step.act == "reveal":
        hidden = still_hidden(engagement)
        if command.player not in hidden:
            return Rejected("already_played", "only cards that lie face down are entered at the reveal")
        player, number, again = command.player, 2, False
    elif engagement is None or not number:
        return Rejected("not_now", "nobody plays in this step")
    else:
        player, again = step.owners[0], step.act == "play_again"
    done = _again_done(engagement, player, number) if again else engagement.has_acted(player, number)
    if done:
        return Rejected("already_played", f"{player} has played in this round; undo to change it")
    cards = known_cards(state)
    play = Play(
        player,
        number,
        command.side,
        command.cards,
        command.bonus_on,
        command.admiral,
        command.bomb_alley_on,
        again,
    )
    faults = (*play_faults(engagement, play, cards, own.options), *pile_faults(own, play))
    if faults:
        code = "unknown_card" if all("entered yet" in fault for fault in faults) else "illegal_play"
        return Rejected(code, "; ".join(faults))
    raid = next((_RAIDS[cards[c].effect] for c in play.cards if cards[c].effect in _RAIDS), "")
    lasts = own.options.players == 2 or not own.options.is_battle(cards[engagement.operation])
    laid = next((c for c in play.cards if cards[c].effect in _RAIDS), "")
    return Accepted((cm.PlayMade(play, raid, 0 if lasts or not raid else number, laid),))


def pile_faults(own: MedSlice, play: Play) -> tuple[str, ...]:
    """A destroyed card never comes back into the game (The Game)."""
    gone = {trophy.card for pile in own.piles.values() for trophy in pile}
    return tuple(f"{card} was destroyed and is out of the game" for card in play.cards if card in gone)


def still_hidden(engagement: Engagement) -> tuple[Side, ...]:
    """Return who laid cards face down that are not entered yet, in playing order."""
    return tuple(
        player
        for player in engagement.order
        if not engagement.sat_out(player) and not engagement.has_acted(player, 2)
    )


def _sirocco_waits(state: GameState, engagement: Engagement) -> tuple[Side, ...]:
    """Return who laid a Sirocco that has not been used."""
    cards = known_cards(state)
    return tuple(
        play.player
        for play in engagement.plays
        for number in play.cards
        if cards[number].effect == "sirocco"
        and "sirocco" not in engagement.used
        and not engagement.is_removed(number)
    )


def _discard(state: GameState, command: cm.DiscardHand) -> Decision:
    own, step = slice_of(state), state.step
    engagement, number = own.engagement, round_of(step)
    if engagement is None or not number:
        return Rejected("not_now", "nobody plays in this step")
    player = step.owners[0]
    if step.act == "play_again":
        card = _intelligence(state, engagement, player, number)
        return Accepted(
            (cm.EffectUsed("intelligence", player, removed=(Removed(card, "declined", player),)),)
        )
    if engagement.has_acted(player, number):
        return Rejected("already_played", f"{player} has played in this round; undo to change it")
    battle = own.options.is_battle(known_cards(state)[engagement.operation])
    if engagement.only_side and engagement.only_round in (0, number) and command.what != "out":
        battle = False  # a raid lets a player discard who has no card of its side
    if battle and (command.what != "out" or number != 1):
        detail = (
            "with nothing valid he discards all and sits out"
            if number == 1
            else "any card may be laid face down"
        )
        return Rejected("must_play", f"in a battle every player plays; {detail}")
    if not battle and command.what == "out":
        return Rejected(Code.BAD_VALUE, "sitting out belongs to battles")
    return Accepted((cm.HandDiscarded(Discarded(player, number, command.what)),))


def _drop_invalid(state: GameState, command: cm.DropInvalid) -> Decision:
    own = slice_of(state)
    engagement = own.engagement
    if engagement is None or own.decided is not None:
        return Rejected("not_now", "no engagement is being fought")
    if not any(command.card in play.cards for play in engagement.plays) or engagement.is_removed(
        command.card
    ):
        return Rejected("not_in_play", command.card)
    return Accepted(
        (
            cm.EffectUsed(
                "invalid", _player_of(engagement, command.card), removed=(Removed(command.card, "invalid"),)
            ),
        )
    )


def _player_of(engagement: Engagement, card: str) -> Side:
    return next(play.player for play in engagement.plays if card in play.cards)


def _use_effect(state: GameState, command: cm.UseEffect) -> Decision:
    own = slice_of(state)
    engagement = own.engagement
    if engagement is None or own.decided is not None:
        return Rejected("not_now", "no engagement is being fought")
    cards = known_cards(state)
    holder = _holder(state, engagement, cards, command.effect)
    if holder is None:
        return Rejected("not_in_play", f"{EFFECTS[command.effect].name} does not lie on the table")
    if command.effect in engagement.used and engagement.sirocco is None:
        return Rejected("already_used", f"{EFFECTS[command.effect].name} has been used")
    if command.effect == "sirocco":
        return _sirocco(state, engagement, command, holder)
    if command.effect == "explosion":
        return _explosion(state, engagement, cards, command, holder)
    if command.effect == "lost":
        card = cards.get(command.card)
        laid = any(command.card in play.cards for play in engagement.plays)
        if card is None or card.kind != "bonus" or not laid or engagement.is_removed(command.card):
            return Rejected(Code.BAD_VALUE, "name a Bonus that lies on the table")
        return Accepted((cm.EffectUsed("lost", holder, removed=(Removed(command.card, "lost", holder),)),))
    if command.effect == "shallows":
        gone = tuple(
            Removed(number, "shallows", holder)
            for play in engagement.plays
            for number in play.cards
            if cards[number].frame == "sub" and not engagement.is_removed(number)
        )
        return Accepted(
            (
                cm.EffectUsed(
                    "shallows",
                    holder,
                    removed=gone,
                    sub_ban_round=max(1, round_of(state.step)),
                    card=next(c for p in engagement.plays for c in p.cards if cards[c].effect == "shallows"),
                ),
            )
        )
    return Accepted((cm.EffectUsed("fog", holder),))


def _holder(state: GameState, engagement: Engagement, cards: dict[str, Card], effect: str) -> Side | None:
    if effect == "sirocco" and engagement.sirocco is not None:
        return engagement.sirocco
    for play in reversed(engagement.plays):
        for number in play.cards:
            if cards[number].effect == effect and not engagement.is_removed(number):
                # A Sirocco is used at the end of the play in which it was laid down, the others until the decision.
                if effect == "sirocco" and play.player not in state.step.owners:
                    return None
                return play.player
    return None


def _dice_fault(dice: tuple[int, ...], count: int) -> Rejected | None:
    if len(dice) != count or any(not 1 <= value <= 6 for value in dice):
        return Rejected("bad_dice", f"expected {count} d6, got {list(dice)}")
    return None


def _sirocco(state: GameState, engagement: Engagement, command: cm.UseEffect, holder: Side) -> Decision:
    number = round_of(state.step)
    if not number or holder not in state.step.owners:
        return Rejected("not_now", "a Sirocco is used at the end of its player's play")
    if command.put_away:
        if engagement.sirocco is None:
            return Rejected(Code.BAD_VALUE, "only a passed Sirocco is discarded unused")
        return Accepted((cm.EffectUsed("sirocco", holder),))
    fault = _dice_fault(command.dice, 1)
    if fault is not None:
        return fault
    if command.dice[0] >= 4:
        passed = _left_of(state, engagement, holder, number)
        return Accepted((cm.EffectUsed("sirocco", holder, command.dice, sirocco=passed),))
    if command.player not in engagement.order:
        return Rejected(Code.BAD_VALUE, "name the player whose part is cancelled")
    gone = tuple(
        Removed(card, "sirocco", holder)
        for play in engagement.played_by(command.player, number)
        for card in play.cards
        if not engagement.is_removed(card)
    )
    used = cm.EffectUsed("sirocco", holder, command.dice, gone, barred=Barred(command.player, number))
    return Accepted((used,))


def _left_of(state: GameState, engagement: Engagement, player: Side, round_: int) -> Side | None:
    """Return who gets a passed Sirocco: the next to play; with two players it crosses into the second round."""
    order = engagement.order
    position = order.index(player)
    if position + 1 < len(order):
        return order[position + 1]
    own = slice_of(state)
    more = own.options.players == 2 and round_ < own.options.rounds(known_cards(state)[engagement.operation])
    return order[0] if more else None


def _explosion(
    state: GameState, engagement: Engagement, cards: dict[str, Card], command: cm.UseEffect, holder: Side
) -> Decision:
    fault = _dice_fault(command.dice, 2)
    if fault is not None:
        return fault
    seats = slice_of(state).players
    total, seat = sum(command.dice), seats.index(holder)
    # Play goes clockwise to the left; the right-hand neighbour sits one seat before.
    target = holder if total == 7 else seats[(seat - 1 if total < 7 else seat + 1) % len(seats)]
    plays = engagement.plays
    if slice_of(state).options.is_battle(cards[engagement.operation]):
        # In a battle it reaches only what was played in its own round.
        own_round = next(
            p.round for p in reversed(plays) if any(cards[c].effect == "explosion" for c in p.cards)
        )
        plays = tuple(play for play in plays if play.round == own_round)
    laid = next((play for play in plays if command.card in play.cards), None)
    has_any = any(
        cards[number].kind == "force" and not engagement.is_removed(number)
        for play in plays
        if play.player == target
        for number in play.cards
    )
    if not command.card and not has_any:
        return Accepted((cm.EffectUsed("explosion", holder, command.dice),))
    if laid is None or laid.player != target or engagement.is_removed(command.card):
        return Rejected(Code.BAD_VALUE, f"the {total} hits {target}: name the card that is destroyed")
    if total != 7 and cards[command.card].kind != "force":
        return Rejected(Code.BAD_VALUE, f"the {total} hits a Force card of {target}")
    hit = [command.card]
    if cards[command.card].kind == "force":
        hit += [
            number
            for number in laid.cards
            if cards[number].kind in ("bonus", "supply")
            and laid.bonus_on.get(number, command.card) == command.card
        ]
    gone = tuple(Removed(number, "explosion", holder) for number in hit)
    return Accepted((cm.EffectUsed("explosion", holder, command.dice, gone),))


def _roll(state: GameState, command: cm.RollDice) -> Decision:
    own = slice_of(state)
    engagement = own.engagement
    if engagement is None or state.step.act != "trick" or own.decided is not None:
        return Rejected("not_now", "dice are rolled after all cards are down")
    needed = dice_needed(engagement, known_cards(state), own.options)
    key = f"{command.card}:{command.element}"
    if key not in needed:
        return Rejected("no_dice", f"nothing is rolled for {command.card} ({command.element})")
    fault = _dice_fault(command.dice, needed[key])
    if fault is not None:
        return fault
    return Accepted((cm.DiceRolled(key, command.dice, command.origin),))


def _take_trick(state: GameState, command: cm.TakeTrick) -> Decision:
    own = slice_of(state)
    engagement = own.engagement
    if engagement is None or state.step.act != "trick":
        return Rejected("not_now", "an engagement is decided when all have played")
    if own.decided is not None:
        return Rejected("already_decided", f"{engagement.operation} is decided")
    cards = known_cards(state)
    missing = dice_needed(engagement, cards, own.options)
    if missing:
        return Rejected("dice_missing", f"dice are still to be rolled for {', '.join(missing)}")
    won = verdict(state, engagement)
    trophies: dict[Side, list[cm.Trophy]] = {player: [] for player in own.players}
    for gone in won.destroyed:
        if gone.counts:
            trophies[gone.player].append(cm.Trophy(gone.victim, engagement.number, "destiny"))
    if state.rulings.get("explosion_prize", "yes") == "yes":
        for blown in engagement.removed:
            owner = next((p.player for p in engagement.plays if blown.card in p.cards), None)
            if (
                blown.why == "explosion"
                and cards[blown.card].kind == "force"
                and blown.by not in (None, owner)
            ):
                trophies[blown.by].append(cm.Trophy(blown.card, engagement.number, "explosion"))
    if won.kind == "tie":
        return Accepted(_drawn(own, engagement, cards, won, trophies))
    picked: dict[str, str] = {}
    if won.kind == "won" and won.player is not None:
        fault = _pick_fault(engagement, cards, won, command.picks)
        if fault:
            return Rejected(Code.BAD_VALUE, fault)
        picked = dict(command.picks)
        prizes = (engagement.operation, *spoils(engagement, cards, won))
        shares = {won.player: prizes}
        if own.options.advanced:
            players = sharers(engagement, won, own.options, cards)
            shares = {Side(p): given for p, given in command.shares.items()} or (
                {won.player: prizes} if len(players) == 1 else {}
            )
            faults = share_faults(shares, prizes, players)
            if faults:
                return Rejected("bad_sharing", "; ".join(faults))
        for player, given in shares.items():
            for card in given:
                how: Any = "trick" if card == engagement.operation else "spoil"
                trophies[player].append(cm.Trophy(card, engagement.number, how))
    decided = _decided(won, trophies, picked, None)
    last = engagement.number >= own.options.operations
    following = (
        end_step(own.game, engagement.number)
        if last
        else turn_step(own.game, engagement.number + 1, _next_starter(own, engagement))
    )
    return Accepted((decided, SegmentAppended((following,))))


def verdict(state: GameState, engagement: Engagement) -> Outcome:
    """Return how an engagement would be decided now, under the table's rulings; ValueError while dice are missing."""
    rulings = state.rulings
    return outcome(
        engagement,
        known_cards(state),
        slice_of(state).options,
        bonus_counts=rulings.get("bonus_in_highest", "yes") == "yes",
        intelligence_loses=rulings.get("intelligence_draw", "side") == "side",
        raise_all=rulings.get("air_plus_one", "all") == "all",
    )


def _next_starter(own: MedSlice, engagement: Engagement) -> Side:
    """Return who starts the next engagement: one seat further than this one's first starter, replays aside."""
    first = own.players.index(engagement.order[0]) - engagement.replay
    return own.players[(first + 1) % len(own.players)]


def _decided(
    won: Outcome, trophies: dict[Side, list[cm.Trophy]], picked: dict[str, str], replay: Engagement | None
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
    cards: dict[str, Card],
    won: Outcome,
    trophies: dict[Side, list[cm.Trophy]],
) -> tuple[Event, ...]:
    """Put the cards under the Operation and fight it again from the seat to the left."""
    lost = {gone.victim for gone in won.destroyed}
    year = cards[engagement.operation].years[0]
    lost |= {
        number
        for play in engagement.plays
        for number in play.cards
        if cards[number].kind == "force" and cards[number].years and year not in cards[number].years
    }
    carried = tuple(
        Carried(number, play.side, play.player)
        for play in engagement.plays
        for number in play.cards
        if number not in lost and not engagement.is_removed(number)
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


def _pick_fault(engagement: Engagement, cards: dict[str, Card], won: Outcome, picks: dict[str, str]) -> str:
    """Say what is wrong with the cards taken back by Supply cards of the winning side."""
    laid = [(play.player, play.side, number) for play in engagement.plays for number in play.cards]
    under = [(carried.player, carried.side, carried.card) for carried in engagement.carried]
    lost = {gone.victim for gone in won.destroyed}
    ours = [
        (player, number)
        for player, side, number in (*under, *laid)
        if side == won.side and not engagement.is_removed(number) and number not in lost
    ]
    for player, number in picks.items():
        if not any(p == player and cards[n].kind == "supply" for p, n in ours):
            return f"{player} has no Supply card of the winning side"
        if not any(
            n == number and cards[n].kind == "force" and cards[n].frame in ("surface", "all") for _, n in ours
        ):
            return f"{number} is no surface card of the winning side in this engagement"
    if len(set(picks.values())) != len(picks):
        return "a card is picked up twice"
    return ""


def hands(state: GameState) -> dict[Side, int]:
    """Return to how many cards each player fills his hand."""
    cards = known_cards(state)
    own = slice_of(state)
    return {player: hand_size(own.piles[player], cards) for player in own.players}


RULES = ComposedRules("med", (MedPart(),))
"""The rules of the card game."""

"""What the card game hides, from whom, and what opens it."""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.commands import Command
from companion.core.events import Event, StepEntered
from companion.core.ids import Side
from companion.core.secrecy import Eyes, Happened, Secret, Secrets
from companion.core.state import GameState
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import NO_CAMP
from companion.games.med.rules.engagement import Engagement, Play, Removed
from companion.games.med.rules.flow import round_of
from companion.games.med.rules.slice import (
    FACE_DOWN,
    known_cards,
    lies_hidden,
    open_part,
    removed_from,
    slice_of,
)

__all__ = ["SECRETS"]

_TURNED_OVER = ("reveal", "resolve", "refill")
"""How the ids of steps end in which nothing of a battle lies face down any more."""


def _face_down(act: Happened, before: GameState, eyes: Eyes) -> Happened:
    """Take from an act the cards that lie face down, and what they did among themselves."""
    engagement = _battle(before)
    if engagement is None:
        return act
    command = _laying(act.command, before, eyes)
    takes_out = any(isinstance(event, cm.EffectUsed) and event.removed for event in act.events)
    seen = _seen(engagement, before, eyes) if takes_out else []
    events: list[Event] = []
    for event in act.events:
        match event:
            case cm.PlayMade(play):
                shown = open_part(before, play) if _is_laid(play, eyes) else play
                seen.append(shown)
                events.append(event if shown is play else cm.PlayMade(shown))
            case cm.EffectUsed() if event.removed:
                left = _left(event, seen)
                if left or event.effect != "invalid":
                    events.append(event if left == event.removed else replace(event, removed=left))
            case _:
                events.append(event)
    if command is act.command and tuple(events) == act.events:
        return act
    return Happened(command, tuple(events))


def _seen(engagement: Engagement, state: GameState, eyes: Eyes) -> list[Play]:
    """Return the plays as these eyes see them lying there."""
    return [
        open_part(state, play) if play.player not in eyes and lies_hidden(state, play) else play
        for play in engagement.plays
    ]


def _left(event: cm.EffectUsed, seen: list[Play]) -> tuple[Removed, ...]:
    """Return the cards that an effect takes out of the plays that are seen; older logs do not say whose each was."""
    of = None
    if event.effect == "invalid":
        of = event.by
    elif event.effect == "sirocco" and event.barred is not None:
        of = event.barred.player
    return removed_from(seen, event.removed, of)


def _battle(state: GameState) -> Engagement | None:
    """Return the battle in whose second round cards are being laid; None where none is."""
    if state.setup is None or state.step.act not in FACE_DOWN or round_of(state.step) != 2:
        return None
    own = slice_of(state)
    engagement = own.engagement
    if engagement is None or own.decided is not None:
        return None
    operation = known_cards(state).get(engagement.operation)
    return engagement if operation is not None and own.options.is_battle(operation) else None


def _is_laid(play: Play, eyes: Eyes) -> bool:
    """Say whether a play of a battle's second round lies face down for these eyes."""
    return not play.apart and play.player not in eyes


def _laying(command: Command, state: GameState, eyes: Eyes) -> Command:
    """Return who lays cards face down, with nothing but the Storm cards among them."""
    player = state.step.owners[0] if state.step.owners else Side("")
    if not isinstance(command, cm.PlayHand) or player in eyes:
        return command
    shown = open_part(state, Play(player, 2, NO_CAMP, command.cards, bomb_alley_on=command.bomb_alley_on))
    return cm.PlayHand(command.step, NO_CAMP, shown.cards, bomb_alley_on=shown.bomb_alley_on)


def _pile(act: Happened, before: GameState, eyes: Eyes) -> Happened:  # noqa: ARG001 - whatever the state is
    """Take from a trick which cards go face down to which player; how many do is seen by anybody."""
    command = act.command
    if isinstance(command, cm.TakeTrick) and command.shares:
        command = replace(command, shares={})
    events = tuple(
        replace(event, trophies={p: _beneath(pile, p in eyes) for p, pile in event.trophies.items()})
        if isinstance(event, cm.EngagementDecided)
        else event
        for event in act.events
    )
    if command is act.command and events == act.events:
        return act
    return Happened(command, events)


def _beneath(pile: tuple[cm.Trophy, ...], is_own: bool) -> tuple[cm.Trophy, ...]:
    """Return the cards of a trick as they are seen: Operations face up, the others from behind."""
    if is_own:
        return pile
    return tuple(one if one.how == "trick" else replace(one, card="") for one in pile)


def _is_turned_over(event: Event) -> bool:
    return not isinstance(event, StepEntered) or event.step.rpartition(".")[2] in _TURNED_OVER


def _is_counted(event: Event) -> bool:
    return not isinstance(event, StepEntered) or event.step.rpartition(".")[2] == "count"


SECRETS = Secrets(
    held=(
        Secret(
            key="face_down",
            text="Cards laid in a battle's second round are known to their player until all have played and the cards "
            "are turned over; Storm cards but S05 lie face up (Battle).",
            kept="covered",
            held_in=(cm.PlayHand, cm.PlayMade, cm.EffectUsed),
            opened_by=(StepEntered, cm.EngagementDecided, cm.EngagementOpened, cm.SeriesContinued),
            opens=_is_turned_over,
            cover=_face_down,
        ),
        Secret(
            key="pile",
            text="The cards under a player's Operations are known to him alone until the points are counted; everybody "
            "sees the Operations and how many cards lie beneath (Winning the trick).",
            kept="covered",
            held_in=(cm.TakeTrick, cm.EngagementDecided),
            opened_by=(StepEntered, cm.SeriesContinued),
            opens=_is_counted,
            cover=_pile,
            stays="Every card of it lay open when it was played; only who was given which is hidden.",
        ),
        Secret(
            key="hand",
            text="A player's hand is known to him alone (The Game); a hand that a player notes on his own phone is no "
            "part of the game and stands in no log.",
            kept="outside",
        ),
        Secret(
            key="draft",
            text="Cards being entered are seen on the screen where they are entered and nowhere else until they are laid.",
            kept="outside",
        ),
    ),
)
"""What the card game hides. Source: Naval card game, The Game; Battle; Winning the trick."""

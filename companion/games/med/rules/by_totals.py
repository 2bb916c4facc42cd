"""A game kept by totals: who takes each Operation, and everybody's points at the end; no card is entered or checked.

The table agrees on it before the game (ruling 66). Hidden piles stay hidden until they are counted, so points come once, at
the end; Operations won decide ties. Source: Naval card game, The Game; Aim of the Game; End of the Game; 1st Player; Size of the Hand; Tie;
No Combat.
"""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.events import Event, SegmentAppended
from companion.core.flow import Step
from companion.core.ids import Millis, Side
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.state import GameState
from companion.core.text import Say, Typed, several, side
from companion.games.med.rules import commands as cm
from companion.games.med.rules.flow import DEAL, end_step, taken_step
from companion.games.med.rules.slice import MedSlice, noted_at, series_end, slice_of, totals

__all__ = ["count_points", "first_of", "following", "held_back", "note_operation", "won_in"]

_MOST_POINTS = 999


def first_of(own: MedSlice, number: int, replay: int = 0) -> Side:
    """Return who moves first: the dealer, one seat to the left for each engagement and each draw since.

    Source: Naval card game, 1st Player; Combat Resolution.
    """
    seat = own.options.dealer - 1 + own.game - 1 + number - 1 + replay
    return own.players[seat % len(own.players)]


def note_operation(state: GameState, command: cm.NoteOperation) -> Decision:
    """Note who takes the Operation at hand, that it is drawn, or that nobody takes it; said again, it is changed.

    Not checked: anything about the cards.

    Source: Naval card game, Winning the Trick; Tie; No Combat; Size of the Hand.
    """
    own, step = slice_of(state), state.step
    if step.act != "taken":
        return Rejected("not_now", Say("Who takes an Operation is noted once it has been fought."))
    if command.result not in ("won", "tie", "nobody") or command.freighter not in (
        "",
        "none",
        "half",
        "full",
    ):
        wanted = Say("An Operation is won, drawn or taken by nobody; its freighter is empty, half or full.")
        return Rejected(Code.BAD_VALUE, wanted)
    if (command.result == "won") != (command.player is not None):
        return Rejected(Code.BAD_VALUE, Say("An Operation that is won has a winner; any other has none."))
    if command.player is not None and command.player not in own.players:
        return Rejected(
            Code.UNKNOWN_SIDE, Say("This game has no such player: {player}.", player=Typed(command.player))
        )
    freighter = command.freighter if command.result == "won" else ""
    noted = cm.OperationNoted(step.id, step.stage, command.result, command.player, freighter)
    return Accepted(() if noted == noted_at(own, step) else (noted,))


def count_points(state: GameState, command: cm.CountPoints) -> Decision:
    """Note everybody's points once the piles are uncovered; said again, they are changed.

    Every Operation is worth 1 victory point at least, so that nobody has fewer points than Operations. Under the
    advanced rules prizes are shared, the Operation among them, so that this is not checked there.

    Source: Naval card game, Aim of the Game; End of the Game; Advanced Rules.
    """
    own, step = slice_of(state), state.step
    if step.act != "count" or own.options.keep != "totals":
        return Rejected("not_now", Say("Points are counted after the last Operation."))
    missing = [player for player in own.players if player not in command.points]
    if missing:
        return Rejected(
            Code.BAD_VALUE, Say("Enter the points of {players}.", players=several(map(side, missing)))
        )
    strange = [player for player in command.points if player not in own.players]
    if strange:
        return Rejected(
            Code.UNKNOWN_SIDE, Say("This game has no such player: {player}.", player=Typed(strange[0]))
        )
    for player, points in command.points.items():
        won = won_in(own, player)
        if not 0 <= points <= _MOST_POINTS:
            why = Say(
                "{player}: points are from 0 to {most}, not {points}.",
                player=side(player),
                most=_MOST_POINTS,
                points=points,
            )
            return Rejected(Code.BAD_VALUE, why)
        if points < won and not own.options.advanced:
            why = Say.counted(
                "{player} took {n} Operation, worth at least 1 point; {points} is too few.",
                "{player} took {n} Operations, each worth at least 1 point; {points} is too few.",
                won,
                player=side(player),
                points=points,
            )
            return Rejected(Code.BAD_VALUE, why)
    return Accepted(() if command.points == own.counted else (cm.PointsCounted(command.points),))


def won_in(own: MedSlice, player: Side) -> int:
    """Return how many Operations of the game at hand a player took."""
    return sum(1 for noted in own.noted if noted.player == player)


def held_back(state: GameState, step: Step) -> Rejected | None:
    """Hold back what is still to be noted."""
    own = slice_of(state)
    if step.act == "taken" and noted_at(own, step) is None:
        return Rejected("not_yet", Say("Note who takes the Operation first."))
    if step.act == "count" and not own.counted:
        return Rejected("not_yet", Say("Enter the points of every player first."))
    return None


def following(state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
    """Lead on from an Operation or a count: the next one, the same again after a draw, the count, the end of the series.

    Source: Naval card game, End of the Game; 1st Player; Tie.
    """
    own = slice_of(state)
    if step.act == "count":
        end = series_end(state, at_ms)
        if end is not None:
            return (end,)
        again = taken_step(own.game + 1, 1)
        again = replace(again, checks=(*DEAL, *again.checks))
        return (cm.SeriesContinued(*totals(state)), SegmentAppended((again,)))
    noted = noted_at(own, step)
    if step.act != "taken" or noted is None:
        return ()
    if noted.result == "tie":
        replay = sum(1 for one in own.noted if one.number == noted.number and one.result == "tie")
        return (SegmentAppended((taken_step(own.game, noted.number, replay),)),)
    if noted.number >= own.options.operations:
        return (SegmentAppended((end_step(own.game, noted.number),)),)
    return (SegmentAppended((taken_step(own.game, noted.number + 1),)),)

"""Steps of the card game: one segment an engagement, appended as the evening goes on.

Source: Naval card game, Game Sequence; Convoy; Battle; Rules for 2 Players.
"""

from __future__ import annotations

from companion.core.flow import Step
from companion.core.ids import Side, StepId
from companion.games.med.rules.cards import Card
from companion.games.med.rules.engagement import Engagement, Options

__all__ = [
    "DEAL",
    "PLAYS",
    "end_step",
    "engagement_steps",
    "game_of",
    "opening_steps",
    "round_of",
    "seated_from",
    "taken_step",
    "turn_step",
]

DEAL = ("setup.shuffle", "setup.deal", "setup.operations")
"""Reminders of a new deal."""
PLAYS = ("play", "play_hidden", "play_again")
"""Acts in which a player lays cards."""


def _prefix(game: int, engagement: int, replay: int = 0) -> str:
    return f"g{game}.e{engagement}" + (f".again{replay}" if replay else "")


def seated_from(players: tuple[Side, ...], first: int) -> tuple[Side, ...]:
    """Return the players clockwise from seat `first` (any integer; seats wrap around)."""
    start = first % len(players)
    return players[start:] + players[:start]


def turn_step(game: int, engagement: int, first: Side) -> Step:
    """Return the step in which an Operation is turned over."""
    return Step(
        id=StepId(f"{_prefix(game, engagement)}.turn"),
        stage=engagement,
        phase="operation",
        act="operation",
        owners=(first,),
        clock=first,
        checks=("turn.operation", "turn.declare"),
    )


def taken_step(game: int, engagement: int, replay: int = 0) -> Step:
    """Return the one step of an engagement of a game that is kept by totals: it is fought at the table."""
    return Step(
        id=StepId(f"{_prefix(game, engagement, replay)}.taken"),
        stage=engagement,
        phase="engagement",
        act="taken",
        checks=("turn.operation", "turn.declare", "resolve.trick", "hand.refill"),
    )


def opening_steps(players: tuple[Side, ...], dealer: int = 1, *, by_totals: bool = False) -> tuple[Step, ...]:
    """Return the set-up and the first engagement's first step, which is the dealer's (a seat, 1 for the first)."""
    deal = Step(
        id=StepId("setup"),
        stage=0,
        phase="setup",
        act="setup",
        checks=DEAL,
    )
    return (deal, taken_step(1, 1) if by_totals else turn_step(1, 1, players[dealer - 1]))


def engagement_steps(
    game: int, engagement: Engagement, operation: Card, options: Options
) -> tuple[Step, ...]:
    """Return every step from the first play to the refill of hands.

    A step ``...again`` stands for the second play of an Intelligence card and is skipped without one.
    """
    prefix = _prefix(game, engagement.number, engagement.replay)
    stage = engagement.number
    steps: list[Step] = []

    def add(name: str, act: str, owner: Side | None = None, checks: tuple[str, ...] = ()) -> None:
        owners = () if owner is None else (owner,)
        steps.append(
            Step(StepId(f"{prefix}.{name}"), stage, "engagement", act, None, owners, owner, (), checks)
        )

    battle = options.is_battle(operation)
    rounds = options.rounds(operation)
    for number in range(1, rounds + 1):
        if number > 1:
            add(
                f"draw{number}",
                "draw_cards",
                None,
                ("battle.draw",) if options.players > 2 else ("hand.refill",),
            )
        act = "play_hidden" if battle and number == 2 else "play"
        for player in engagement.order:
            add(f"r{number}.{player}", act, player, ("play.choose",))
        for player in engagement.order:
            add(f"r{number}.{player}.again", "play_again", player, ("play.intelligence",))
    if battle:
        add("reveal", "reveal", None, ("battle.reveal",))
    add("resolve", "trick", None, ("resolve.dice", "resolve.trick"))
    add("refill", "refill", None, ("hand.refill",))
    return tuple(steps)


def end_step(game: int, stage: int) -> Step:
    """Return the step in which a game's points are counted."""
    return Step(
        id=StepId(f"g{game}.count"), stage=stage, phase="count", act="count", checks=("count.points",)
    )


def game_of(step: Step) -> int:
    """Return the number of the game in its series that a step belongs to; the set-up has none."""
    return int(step.id.split(".")[0][1:])


def round_of(step: Step) -> int:
    """Return the round that a step of an engagement belongs to; 0 outside the rounds."""
    for part in step.id.split("."):
        if len(part) == 2 and part[0] == "r" and part[1].isdigit():
            return int(part[1])
    return 0

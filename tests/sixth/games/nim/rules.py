"""What the game decides: a pile, and who takes how many of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from companion.core.commands import Command
from companion.core.events import Event, GameEnded
from companion.core.flow import Step
from companion.core.ids import Millis, Side, StepId
from companion.core.rules import Accepted, Code, Context, Decision, GameRules, Rejected
from companion.core.scenario import Fault, GameData, ScenarioInfo
from companion.core.secrecy import Eyes, Happened, Secret, Secrets
from companion.core.setup import Setup, SideInfo
from companion.core.state import GameState
from companion.core.text import Say

SIDES = (Side("left"), Side("right"))


class Take(Command, frozen=True, tag="NimTake"):
    """Take matches off the pile."""

    step: StepId
    count: int


class Taken(Event, frozen=True, tag="NimTaken"):
    """Matches were taken."""

    step: StepId
    count: int


class Guess(Command, frozen=True, tag="NimGuess"):
    """Note in secret who will win; it is read out when the game is over."""

    by: Side
    winner: str


class Guessed(Event, frozen=True, tag="NimGuessed"):
    """Somebody noted who will win."""

    by: Side
    winner: str


def _covered(act: Happened, before: GameState, eyes: Eyes) -> Happened:  # noqa: ARG001
    guess = act.command
    if not isinstance(guess, Guess) or guess.by in eyes:
        return act
    return Happened(Guess(guess.by, ""), tuple(Guessed(guess.by, "") for _event in act.events))


SECRETS = Secrets(
    held=(
        Secret(
            key="guess",
            text="Who somebody thinks will win is known to him until the game is over.",
            kept="covered",
            held_in=(Guess, Guessed),
            opened_by=(GameEnded,),
            cover=_covered,
        ),
    )
)


class Pile(msgspec.Struct, frozen=True):
    """What lies there, and the step in which matches were taken last."""

    left: int
    most: int
    taken_in: str = ""
    guesses: tuple[str, ...] = ()
    """``side.winner``."""


class NimRules(GameRules):
    """The rules."""

    game = "nim"
    commands = (Take, Guess)
    events = (Taken, Guessed)

    def initial(self, setup: Setup) -> Pile:
        """Return the whole pile."""
        table = setup.tables["game"]
        return Pile(table["pile"], table["most"])

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:  # noqa: ARG002
        """Take as many as the pile and the rule allow, once a turn."""
        if isinstance(command, Guess):
            return Accepted((Guessed(command.by, command.winner),))
        assert isinstance(command, Take)
        pile: Pile = state.game
        if command.step != state.step.id or pile.taken_in == command.step:
            return Rejected("taken")
        if not 1 <= command.count <= min(pile.most, pile.left):
            most = min(pile.most, pile.left)
            return Rejected(
                Code.BAD_VALUE, Say.counted("Take {n} match at most.", "Take {n} matches at most.", most)
            )
        return Accepted((Taken(command.step, command.count),))

    def evolve(self, state: GameState, event: Event) -> Pile:
        """Return the pile that is left."""
        pile: Pile = state.game
        if isinstance(event, Taken):
            return msgspec.structs.replace(pile, left=pile.left - event.count, taken_in=event.step)
        if isinstance(event, Guessed):
            return msgspec.structs.replace(pile, guesses=(*pile.guesses, f"{event.by}.{event.winner}"))
        return pile

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """A turn is not over before something was taken."""
        if state.game.taken_in == step.id:
            return None
        return Rejected(Code.STILL_OPEN, Say("Take some matches first."))

    def ending(self, state: GameState, step: Step, at_ms: Millis) -> tuple[Event, ...]:
        """Whoever took the last match has won."""
        return (GameEnded(step.owners[0], "last_match", at_ms=at_ms),) if not state.game.left else ()


class GameFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The form of ``nim/game.toml``."""

    game: str
    title: str
    pile: int
    most: int


class ScenarioFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The form of a scenario."""

    scenario: str
    title: str


class NimFamily:
    """The game as the scenario loader sees it."""

    game = "nim"
    tables: Mapping[str, type[Any] | None] = {"game": GameFile}
    scenario: type[Any] = ScenarioFile

    def check(self, data: GameData) -> Iterable[Fault]:  # noqa: ARG002
        """Nothing is left to check."""
        return ()

    def order(self, data: GameData) -> Iterable[str]:
        """Return the scenarios."""
        return data.scenarios

    def info(self, data: GameData, scenario: str) -> ScenarioInfo:
        """Describe a scenario."""
        row, game = data.scenarios[scenario], data.tables["game"]
        return ScenarioInfo("nim", scenario, row.title, game.title, (2, 2), None, game.pile, {})

    def make_setup(self, data: GameData, scenario: str, options: Mapping[str, Any]) -> Setup:  # noqa: ARG002
        """Freeze a game: as many turns as there are matches."""
        game = data.tables["game"]
        return Setup(
            game="nim",
            scenario=scenario,
            title=data.scenarios[scenario].title,
            sides=(SideInfo(SIDES[0], "Left", "circle"), SideInfo(SIDES[1], "That is right", "square")),
            nations=(),
            steps=tuple(
                Step(StepId(f"t{n}.take"), n, "turn", "take", owners=(SIDES[(n - 1) % 2],))
                for n in range(1, game.pile + 1)
            ),
            tables={"game": {"pile": game.pile, "most": game.most}},
        )

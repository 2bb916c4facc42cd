"""What the game calls things."""

from __future__ import annotations

from companion.games.nim.rules import Guess, Take

from companion.core.state import GameState
from companion.core.text import Noun, Say, Typed
from companion.pages.words import GameWords


def _took(command: Take, _state: GameState) -> Say:
    return Say.counted("{n} match taken", "{n} matches taken", command.count)


def _guessed(command: Guess, _state: GameState) -> Say:
    return Say("Guess: {what}", what=Typed(command.winner or "hidden"))


WORDS = GameWords(
    stage="Turn",
    stages=Noun("{n} turn", "{n} turns"),
    names={
        "phase": {"turn": "Turn"},
        "act": {"take": "Take matches"},
        "done": {"take": "Taken"},
        "refusal": {"taken": "You have taken your matches already."},
        "unit": {"infantry": "Matchstick"},
    },
    log={Take: _took, Guess: _guessed},
)

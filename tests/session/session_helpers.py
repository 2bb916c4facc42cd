"""What the session's tests share: a small game, its rules, and a table at which it is played."""

from __future__ import annotations

from pathlib import Path

from companion.core.change import Change, Envelope
from companion.core.commands import Command
from companion.core.ids import ARBITER, TABLE, Actor
from companion.core.rules import GameRules, NoGameRules
from companion.presenters.sample import sample_setup
from companion.session.game_session import GameSession
from companion.session.timesource import ManualTime

RULES = NoGameRules()
VERSION = "1.2.3"


def rules_of(game: str) -> GameRules:
    """Every game of these tests goes by its sequence of play alone."""
    if game != "sfw96":
        raise KeyError(game)
    return RULES


def new_session(folder: Path, time: ManualTime, name: str = "game.tcgame", **options: object) -> GameSession:
    """Start the sample game in a folder."""
    setup = sample_setup(**options)  # type: ignore[arg-type]
    return GameSession.create(folder / name, setup, rules_of, time, app_version=VERSION)


def open_session(path: Path, time: ManualTime) -> GameSession:
    """Open a saved game."""
    return GameSession.open(path, rules_of, time, app_version=VERSION)


def do(session: GameSession, command: Command, actor: Actor = TABLE, source: str = "touch") -> Change:
    """Send a command and wait for its answer."""
    return session.ask(Envelope(command, actor, source)).result(10)


__all__ = ["ARBITER", "RULES", "TABLE", "VERSION", "do", "new_session", "open_session", "rules_of"]
